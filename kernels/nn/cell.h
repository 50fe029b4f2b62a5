/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/typed.h"

/*
 * What the cells of recurrent networks share: tensors of a call as float, half ones widened, and
 * products of them.
 */

#define SLUICE_FLOATS_IN  18
#define SLUICE_FLOATS_OUT 8

typedef struct
{
  SluiceTensor *in[SLUICE_FLOATS_IN];
  SluiceTensor *out[SLUICE_FLOATS_OUT]; /* scratch of a half output; else the output itself */
} SluiceFloats;

void sluice_floats_clear (SluiceFloats *self);

static inline const float *
sluice_floats_in (const SluiceFloats *self, guint i)
{
  return self->in[i]->data;
}

static inline float *
sluice_floats_out (const SluiceFloats *self, guint i)
{
  return self->out[i]->data;
}

/* Reads input i, which must have that shape. FALSE: call->error is set; so with the next ones. */
gboolean
sluice_floats_read (SluiceKernelCall *call, SluiceFloats *self, guint i, const SluiceShape *shape);

/* Makes output i, of which `first` elements are going to be written; the others are zeros. */
gboolean sluice_floats_make (
    SluiceKernelCall *call, SluiceFloats *self, guint i, const SluiceShape *shape, gint64 first);

/* Output i, which nobody reads, is left unset; scratch of that shape takes what is written to it.
 */
gboolean
sluice_floats_skip (SluiceKernelCall *call, SluiceFloats *self, guint i, const SluiceShape *shape);

/* At the end: half outputs get their elements. */
void sluice_floats_narrow (SluiceKernelCall *call, const SluiceFloats *self);

/* (transfer full) (nullable): call->error is set */
SluiceTensor *sluice_call_float_scratch (SluiceKernelCall *call, gint64 rows, gint64 columns);

/* c [m,n] = a b; the flags (SluiceGemmFlags) say what is read transposed. */
gboolean sluice_call_product (SluiceKernelCall *call,
                              const float *a,
                              guint a_flags,
                              const float *b,
                              guint b_flags,
                              float *c,
                              gint64 m,
                              gint64 n,
                              gint64 k);

/* [left, right], row by row. */
void sluice_join_columns (
    const float *left, gint64 n_left, const float *right, gint64 n_right, gint64 rows, float *to);
