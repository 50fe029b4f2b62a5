/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * ListDiff: the elements of x that are not in y, in their order and with those that repeat, and
 * where they stand in x. The gradient of Prod finds the dimensions that stay with it.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "kernels/array/array.h"

static gboolean
list_diff_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape vector = sluice_shape_of_rank (1);
  sluice_shape_context_set (c, 0, &vector);
  sluice_shape_context_set (c, 1, &vector);
  return sluice_shape_context_want_rank (c, 0, 1, error)
         && sluice_shape_context_want_rank (c, 1, 1, error);
}

/* The bytes that an element is found by: a floating zero of either sign has the same. */
static GBytes *
key_of (const SluiceTensor *tensor, gint64 i)
{
  if (tensor->dtype == SLUICE_STRING)
    {
      const SluiceString *text = (const SluiceString *) tensor->data + i;
      return g_bytes_new (text->data, text->length);
    }
  gsize size = sluice_dtype_size (tensor->dtype);
  const char *element = (const char *) tensor->data + i * size;
  static const double zero = 0;
  if ((tensor->dtype == SLUICE_FLOAT && *(const float *) element == 0)
      || (tensor->dtype == SLUICE_DOUBLE && *(const double *) element == 0))
    element = (const char *) &zero;
  return g_bytes_new (element, size);
}

/* (element-type GBytes) */
static GHashTable *
set_of (const SluiceTensor *tensor)
{
  GHashTable *set =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    g_hash_table_add (set, key_of (tensor, i));
  return set;
}

static void
store_index (SluiceTensor *tensor, gint64 i, gint64 value)
{
  if (tensor->dtype == SLUICE_INT64)
    ((gint64 *) tensor->data)[i] = value;
  else
    ((gint32 *) tensor->data)[i] = (gint32) value;
}

static gboolean
list_diff_compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  if (!sluice_call_want_rank (call, 0, 1) || !sluice_call_want_rank (call, 1, 1))
    return FALSE;
  g_autoptr (GHashTable) others = set_of (sluice_call_input (call, 1));
  g_autofree gint64 *left = g_new (gint64, MAX (1, x->n_elements));
  gint64 n = 0;
  for (gint64 i = 0; i < x->n_elements; i++)
    {
      g_autoptr (GBytes) key = key_of (x, i);
      if (!g_hash_table_contains (others, key))
        left[n++] = i;
    }
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (n));
  SluiceTensor *index = out ? sluice_call_output (call, 1, &SLUICE_SHAPE (n)) : NULL;
  if (index == NULL)
    return FALSE;
  gsize size = sluice_dtype_size (x->dtype);
  for (gint64 i = 0; i < n; i++)
    {
      sluice_elements_copy (x->dtype, (char *) out->data + i * size,
                            (const char *) x->data + left[i] * size, 1);
      store_index (index, i, left[i]);
    }
  return TRUE;
}

static const SluiceSample samples[] = {
  { NULL, "float[6]={1,2,3,2,0,5}; float[2]={2,5}" },
  { "out_idx=int64", "float[4]={1,2,3,1}; float[0]={}" },
  { NULL, "float[0]={}; float[1]={2}" },
};
static const SluiceRecipe recipe = { .samples = samples,
                                     .n_samples = G_N_ELEMENTS (samples),
                                     .dtypes = SLUICE_SET_REAL };

static const SluiceOpDef list_diff_op = {
  .name = "ListDiff",
  .signature = "x: T, y: T -> out: T, idx: out_idx",
  .attrs = "T: type; out_idx: {int32, int64} = int32",
  .summary = N_ ("Elements of a list that another lacks"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = list_diff_shape,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &list_diff_op };

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("ListDiff",
                       .compute = list_diff_compute,
                       .where = { { "T", SLUICE_SET_POD | SLUICE_SET (SLUICE_STRING) } }),
};

const SluiceKernelModule sluice_module_array_list_diff = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
