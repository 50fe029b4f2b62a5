/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Sparse tensors serialized and back, as strings and as variants. */
#include <string.h>

#include "tests/kernels/harness.h"

enum
{
  N = 4
};
static const gint64 indices[2 * N] = { 0, 1, 0, 3, 2, 0, 2, 2 };
static const gint64 shape[2] = { 3, 4 };
static const char *const words[N] = { "", "a", "two\nlines", "\xff" };

static SluiceEdge
constant (Harness *h, SluiceDType dtype, const SluiceShape *dims, const void *values)
{
  return sluice_builder_const (&h->b, sluice_tensor_new_from (dtype, dims, values));
}

static SluiceEdge
strings (Harness *h)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_STRING, &SLUICE_SHAPE (N));
  for (guint i = 0; i < N; i++)
    sluice_string_set ((SluiceString *) tensor->data + i, words[i], strlen (words[i]));
  return sluice_builder_const (&h->b, tensor);
}

/* The sparse tensor that node NAME puts out is the one above. */
static void
check_sparse (Harness *h, const char *name)
{
  g_autofree char *first = g_strconcat (name, ":0", NULL);
  g_autofree char *second = g_strconcat (name, ":1", NULL);
  g_autofree char *third = g_strconcat (name, ":2", NULL);
  g_autoptr (SluiceTensor) i = harness_fetch (h, first);
  g_autoptr (SluiceTensor) v = harness_fetch (h, second);
  g_autoptr (SluiceTensor) s = harness_fetch (h, third);
  g_assert_cmpmem (i->data, sluice_tensor_bytes (i), indices, sizeof indices);
  g_assert_cmpmem (s->data, sluice_tensor_bytes (s), shape, sizeof shape);
  g_assert_cmpint (v->n_elements, ==, N);
  for (guint k = 0; k < N; k++)
    {
      const SluiceString *word = (const SluiceString *) v->data + k;
      g_assert_cmpmem (word->data, word->length, words[k], strlen (words[k]));
    }
}

/* A whole one, and one row by row whose rows are then put together. */
static void
test_round_trip (gconstpointer data)
{
  SluiceDType form = GPOINTER_TO_INT (data);
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge in[3] = { constant (&h, SLUICE_INT64, &SLUICE_SHAPE (N, 2), indices), strings (&h),
                       constant (&h, SLUICE_INT64, &SLUICE_SHAPE (2), shape) };
  SluiceAttr as_form = sluice_attr_type ("out_type", form);
  SluiceAttr as_string = sluice_attr_type ("dtype", SLUICE_STRING);
  SluiceEdge one = harness_add (&h, "SerializeSparse", "one", in, 3, &as_form, 1);
  SluiceEdge many = harness_add (&h, "SerializeManySparse", "many", in, 3, &as_form, 1);
  harness_add (&h, "DeserializeSparse", "from-one", &one, 1, &as_string, 1);
  harness_add (&h, "DeserializeSparse", "from-many", &many, 1, &as_string, 1);
  check_sparse (&h, "from-one");
  check_sparse (&h, "from-many");
  if (form != SLUICE_STRING)
    return;
  harness_add (&h, "DeserializeManySparse", "rows", &many, 1, &as_string, 1);
  check_sparse (&h, "rows");
  SluiceAttr as_float = sluice_attr_type ("dtype", SLUICE_FLOAT);
  harness_add (&h, "DeserializeSparse", "other", &one, 1, &as_float, 1);
  harness_fails (&h, "other:1", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/kernels/sparse/strings", GINT_TO_POINTER (SLUICE_STRING),
                        test_round_trip);
  g_test_add_data_func ("/kernels/sparse/variants", GINT_TO_POINTER (SLUICE_VARIANT),
                        test_round_trip);
  return g_test_run ();
}
