/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes the reader of checkpoint files. */
#include <string.h>

#include "engine/store/checkpoint.h"
#include "tests/fuzz/fuzz-driver.h"

void
fuzz_init (void)
{
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *state = NULL;
  g_autoptr (GArray) tensors = sluice_safetensors_parse ((const char *) data, size, &state, &error);
  g_assert_true ((tensors == NULL) == (error != NULL));
  gsize bytes = 0;
  for (guint i = 0; tensors != NULL && i < tensors->len; i++)
    bytes += sluice_tensor_bytes (g_array_index (tensors, SluiceNamedTensor, i).tensor);
  g_assert_cmpuint (bytes, <=, size);
  if (state != NULL)
    {
      JsonNode *root = sluice_checkpoint_parse_json (state, strlen (state), NULL);
      g_clear_pointer (&root, json_node_unref);
    }
  return 0;
}

static void
add_seed (GPtrArray *seeds, const char *header, guint n_data)
{
  guint64 length = GUINT64_TO_LE ((guint64) strlen (header));
  g_autofree guint8 *zeros = g_malloc0 (n_data + 1);
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *) &length, sizeof length);
  g_byte_array_append (bytes, (const guint8 *) header, strlen (header));
  g_byte_array_append (bytes, zeros, n_data);
  g_ptr_array_add (seeds, g_byte_array_free_to_bytes (bytes));
}

GPtrArray *
fuzz_seeds (void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  add_seed (seeds, "{}", 0);
  add_seed (seeds,
            "{\"__metadata__\":{\"sluice.state\":\"{\\\"step\\\":7,\\\"random\\\":{\\\"a\\\":"
            "[1,2,3,4,5,6]}}\"},\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
            "\"b\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[24,32]}}",
            32);
  add_seed (seeds, "{\"x\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[0,3]}}", 3);
  return seeds;
}
