/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * The ops that parse Examples and SequenceExamples differ in where they say what is wanted. What is
 * wanted is of six sorts, and inputs, attributes and outputs come in their order; an Example has no
 * lists.
 */
typedef enum
{
  SLUICE_SORT_SPARSE, /* of an Example, or of a SequenceExample's context */
  SLUICE_SORT_DENSE,
  SLUICE_SORT_RAGGED,
  SLUICE_SORT_LIST_SPARSE,
  SLUICE_SORT_LIST_DENSE,
  SLUICE_SORT_LIST_RAGGED,
  SLUICE_N_SORTS
} SluiceSort;

typedef enum
{
  SLUICE_KEYS_ATTRS,   /* lists of strings */
  SLUICE_KEYS_SCALARS, /* an input a key */
  SLUICE_KEYS_VECTORS, /* an input a sort */
} SluiceKeys;

typedef struct
{
  const char *op;
  gboolean is_sequence;
  SluiceKeys keys;
  guint first_key;     /* input; with attributes the first default */
  int rank;            /* of the serialized strings; -1: a scalar or a vector */
  gboolean has_ragged; /* outputs, where something is wanted; and lengths of dense lists */
} SluiceForm;

/* Of an op that has one. */
const SluiceForm *sluice_form_of (const SluiceNode *node);

/* The attribute that lists the dtypes, the shapes or the keys of a sort. (nullable) */
const SluiceAttrValue *sluice_form_types (const SluiceNode *node, SluiceSort sort);
const SluiceAttrValue *sluice_form_shapes (const SluiceNode *node, SluiceSort sort);
const SluiceAttrValue *sluice_form_keys (const SluiceNode *node, SluiceSort sort);
/* How many of a sort there are. */
guint sluice_form_count (const SluiceNode *node, SluiceSort sort);
/* Outputs that one of a sort has. */
guint sluice_form_outputs (const SluiceForm *self, SluiceSort sort);

/* Do all attributes agree on the counts? */
gboolean sluice_form_check (const SluiceNode *node, GError **error);
