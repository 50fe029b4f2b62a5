/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"

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

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("ListDiff",
                       .compute = list_diff_compute,
                       .where = { { "T", SLUICE_SET_POD | SLUICE_SET (SLUICE_STRING) } }),
};

const SluiceKernelModule sluice_module_array_list_diff_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
