/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/op.h"

/*
 * Recipes brought to life: a sample of an op (its text notation stands in engine/graph/op.h), in
 * one dtype, with values drawn from a seed.
 */
typedef struct
{
  const SluiceOp *op;
  const SluiceSample *sample;
  SluiceDType dtype; /* of the sample as it is here: what tolerances go by */
  SluiceAttr *attrs;
  guint n_attrs;
  SluiceTensor **inputs;
  gboolean *repeats; /* the input has the dtype that the recipe repeats the sample in */
  guint n_inputs;
} Use;

/**
 * sluice_use_init:
 * @dtype: the type attribute's value, or %SLUICE_INVALID to take the sample as it is written
 *
 * A sample that does not parse aborts with the op's name and the text.
 */
void sluice_use_init (
    Use *self, const SluiceOp *op, const SluiceSample *sample, SluiceDType dtype, guint32 seed);
void sluice_use_clear (Use *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Use, sluice_use_clear)

/* "MatMul in double: transpose_a=true | float[4,3]; float[4,5]": for messages. (transfer full) */
char *sluice_use_to_string (const Use *self);

/* The dtypes that an op's recipe repeats its samples in, from `from` upwards; INVALID at the end.
 * Where it repeats nothing: INVALID at once. */
SluiceDType sluice_recipe_next_dtype (const SluiceRecipe *recipe, SluiceDType from);

/* The attribute that recipes repeat: T, or the first type attribute. NULL: there is none. */
const SluiceAttrDef *sluice_op_repeated_attr (const SluiceOp *op);

/* Random elements in [low, high]: integers where the dtype is one, short strings. */
void sluice_element_fill_random (SluiceTensor *tensor, GRand *random, double low, double high);

/* One number, converted to the tensor's dtype (complex: the real part). */
void sluice_element_set (SluiceTensor *tensor, gint64 i, double value);
/* The real and, of a complex number, the imaginary part; of truth values 0 or 1. */
void sluice_element_get (const SluiceTensor *tensor, gint64 i, double value[2]);
