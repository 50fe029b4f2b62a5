/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/io/parse-form.h"

#include "engine/base/error.h"

static const SluiceForm forms[] = {
  { "ParseExample", FALSE, SLUICE_KEYS_SCALARS, 2, 1, FALSE },
  { "ParseExampleV2", FALSE, SLUICE_KEYS_VECTORS, 2, -1, TRUE },
  { "ParseSingleExample", FALSE, SLUICE_KEYS_ATTRS, 1, 0, FALSE },
  { "ParseSequenceExample", TRUE, SLUICE_KEYS_ATTRS, 2, -1, TRUE },
  { "ParseSequenceExampleV2", TRUE, SLUICE_KEYS_VECTORS, 2, -1, TRUE },
  { "ParseSingleSequenceExample", TRUE, SLUICE_KEYS_SCALARS, 2, 0, FALSE },
};

/* Names of attributes, for Examples and for SequenceExamples; NULL: there is none. */
typedef struct
{
  const char *types, *shapes, *keys;
  const char *counts[2];
} SortAttrs;

static const SortAttrs sort_attrs[2][SLUICE_N_SORTS] = {
  {
      { "sparse_types", NULL, "sparse_keys", { "Nsparse", "num_sparse" } },
      { "Tdense", "dense_shapes", "dense_keys", { "Ndense" } },
      { "ragged_value_types", NULL, NULL, { NULL } },
  },
  {
      { "context_sparse_types", NULL, "context_sparse_keys", { "Ncontext_sparse" } },
      { "Tcontext_dense", "context_dense_shapes", "context_dense_keys", { "Ncontext_dense" } },
      { "context_ragged_value_types", NULL, NULL, { NULL } },
      { "feature_list_sparse_types", NULL, "feature_list_sparse_keys", { "Nfeature_list_sparse" } },
      { "feature_list_dense_types",
        "feature_list_dense_shapes",
        "feature_list_dense_keys",
        { "Nfeature_list_dense" } },
      { "feature_list_ragged_value_types", NULL, NULL, { NULL } },
  },
};

const SluiceForm *
sluice_form_of (const SluiceNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    if (g_str_equal (forms[i].op, node->op_name))
      return &forms[i];
  g_assert_not_reached ();
}

static const SortAttrs *
attrs_of (const SluiceNode *node, SluiceSort sort)
{
  return &sort_attrs[sluice_form_of (node)->is_sequence][sort];
}

static const SluiceAttrValue *
find_list (const SluiceNode *node, const char *name)
{
  return name && sluice_op_find_attr (node->op, name) ? sluice_node_get_attr (node, name) : NULL;
}

const SluiceAttrValue *
sluice_form_types (const SluiceNode *node, SluiceSort sort)
{
  return find_list (node, attrs_of (node, sort)->types);
}

const SluiceAttrValue *
sluice_form_shapes (const SluiceNode *node, SluiceSort sort)
{
  return find_list (node, attrs_of (node, sort)->shapes);
}

const SluiceAttrValue *
sluice_form_keys (const SluiceNode *node, SluiceSort sort)
{
  return find_list (node, attrs_of (node, sort)->keys);
}

guint
sluice_form_count (const SluiceNode *node, SluiceSort sort)
{
  const SluiceAttrValue *types = sluice_form_types (node, sort);
  return types ? types->list.n : 0;
}

guint
sluice_form_outputs (const SluiceForm *self, SluiceSort sort)
{
  static const guint n[SLUICE_N_SORTS] = { 3, 1, 2, 3, 1, 3 };
  return n[sort] + (sort == SLUICE_SORT_LIST_DENSE && self->has_ragged);
}

static gboolean
check_count (const SluiceNode *node, SluiceSort sort, const char *what, gint64 n, GError **error)
{
  guint want = sluice_form_count (node, sort);
  if (n == want)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%s has or is %" G_GINT64_FORMAT ", but there are %u types of such features",
                      what, n, want);
}

gboolean
sluice_form_check (const SluiceNode *node, GError **error)
{
  guint n_outputs = 0;
  for (int sort = 0; sort < SLUICE_N_SORTS; sort++)
    {
      const SortAttrs *names = attrs_of (node, sort);
      const SluiceAttrValue *shapes = sluice_form_shapes (node, sort);
      const SluiceAttrValue *keys = sluice_form_keys (node, sort);
      n_outputs +=
          sluice_form_count (node, sort) * sluice_form_outputs (sluice_form_of (node), sort);
      for (guint i = 0; i < G_N_ELEMENTS (names->counts); i++)
        if (names->counts[i] && sluice_op_find_attr (node->op, names->counts[i])
            && !check_count (node, sort, names->counts[i],
                             sluice_node_get_int (node, names->counts[i]), error))
          return FALSE;
      if ((shapes && !check_count (node, sort, names->shapes, shapes->list.n, error))
          || (keys && !check_count (node, sort, names->keys, keys->list.n, error)))
        return FALSE;
    }
  /* Types of splits are counted by the outputs. */
  return n_outputs == node->n_outputs
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "there must be as many types of splits as of ragged features");
}
