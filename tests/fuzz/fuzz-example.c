/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes the parsers of serialized Examples, SequenceExamples and tensors, and of Examples in JSON.
 */
#include <string.h>

#include "tests/fuzz/fuzz-driver.h"
#include "tests/kernels/harness.h"

static Harness h;

static SluiceEdge
words (const char *const *texts, guint n)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_STRING, &SLUICE_SHAPE (n));
  for (guint i = 0; i < n; i++)
    sluice_string_set ((SluiceString *) tensor->data + i, texts[i], strlen (texts[i]));
  return sluice_builder_const (&h.b, tensor);
}
#define WORDS(...)                                                                                 \
  words ((const char *const[]){ __VA_ARGS__ }, SLUICE_COUNT_ (const char *, __VA_ARGS__))

static void
add (const char *op, const char *name, const char *attrs, const SluiceEdge *inputs, guint n_inputs)
{
  guint n;
  SluiceAttr *list = sluice_op_parse_sample (sluice_registry_find (op), attrs, &n);
  harness_add (&h, op, name, inputs, n_inputs, list, n);
  for (guint i = 0; i < n; i++)
    sluice_attr_value_clear (&list[i].value);
  g_free (list);
}

void
fuzz_init (void)
{
  harness_init (&h, 1, FALSE);
  SluiceEdge bytes = harness_placeholder (&h, "bytes", SLUICE_STRING);
  SluiceEdge none = words (NULL, 0);
  SluiceEdge pad = sluice_builder_const (&h.b, sluice_tensor_new_int64 (7));
  SluiceEdge row = harness_floats (&h, &SLUICE_SHAPE (2), (float[]){ 1, 2 });
  SluiceEdge may_be_missing = sluice_builder_const (&h.b, sluice_tensor_new_bool (TRUE));
  add ("ParseExampleV2", "example",
       "num_sparse=2; sparse_types=[int64,string]; Tdense=[float,int64]; dense_shapes=[[2],[?]]; "
       "ragged_value_types=[float]; ragged_split_types=[int32]",
       (SluiceEdge[]){ bytes, none, WORDS ("i", "s"), WORDS ("f", "i"), WORDS ("f"), row, pad }, 7);
  add ("ParseSequenceExampleV2", "sequence",
       "Ncontext_sparse=1; Nfeature_list_sparse=1; Nfeature_list_dense=1; "
       "context_sparse_types=[int64]; Tcontext_dense=[float]; context_dense_shapes=[[2]]; "
       "feature_list_sparse_types=[string]; feature_list_dense_types=[int64]; "
       "feature_list_dense_shapes=[[2]]; feature_list_ragged_value_types=[float]; "
       "feature_list_ragged_split_types=[int64]",
       (SluiceEdge[]){ bytes, none, WORDS ("i"), WORDS ("f"), none, WORDS ("s"), WORDS ("i"),
                       WORDS ("f"), may_be_missing, row },
       10);
  add ("ParseTensor", "floats", "out_type=float", &bytes, 1);
  add ("ParseTensor", "strings", "out_type=string", &bytes, 1);
  add ("DecodeJSONExample", "json", NULL, &bytes, 1);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const char *const nodes[] = { "example", "sequence", "floats", "strings", "json" };
  g_autoptr (SluiceTensor) bytes = sluice_tensor_new_string ((const char *) data, (gssize) size);
  SluiceFeed feed = { "bytes", bytes };
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceTensor *got = harness_run (&h, nodes[i], NULL, &feed, 1, &error);
      g_assert_true ((got == NULL) == (error != NULL));
      if (error != NULL)
        g_assert_cmpint (error->code, ==, SLUICE_ERROR_INVALID_ARGUMENT);
      g_clear_pointer (&got, sluice_tensor_unref);
    }
  return 0;
}

#define SEED(seeds, text) g_ptr_array_add ((seeds), g_bytes_new_static (text, sizeof (text) - 1))

GPtrArray *
fuzz_seeds (void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  SEED (seeds, "");
  /* i: [5, 6], packed and not; f: [1, 2]; s: ["a", ""] */
  SEED (seeds, "\x0a\x0d\x0a\x0b\x0a\x01i\x12\x06\x1a\x04\x0a\x02\x05\x06");
  SEED (seeds, "\x0a\x0d\x0a\x0b\x0a\x01i\x12\x06\x1a\x04\x08\x05\x08\x06");
  SEED (seeds, "\x0a\x13\x0a\x11\x0a\x01"
               "f\x12\x0c\x12\x0a\x0a\x08\x00\x00\x80\x3f\x00\x00\x00\x40");
  SEED (seeds, "\x0a\x0e\x0a\x0c\x0a\x01s\x12\x07\x0a\x05\x0a\x01\x61\x0a\x00");
  /* lists: s: ["a"], ["b"]; i: [5, 6] */
  SEED (seeds, "\x12\x19\x0a\x17\x0a\x01s\x12\x12\x0a\x07\x0a\x05\x0a\x03\x0a\x01\x61\x0a\x07\x0a"
               "\x05\x0a\x03\x0a\x01\x62");
  SEED (seeds, "\x12\x0f\x0a\x0d\x0a\x01i\x12\x08\x0a\x06\x1a\x04\x0a\x02\x05\x06");
  /* tensors: float [2], string [2] */
  SEED (seeds, "\x08\x01\x12\x04\x12\x02\x08\x02\x22\x08\x00\x00\x80\x3f\x00\x00\x00\x40");
  SEED (seeds, "\x08\x07\x12\x04\x12\x02\x08\x02\x42\x01\x61\x42\x00");
  SEED (seeds, "{\"features\":{\"feature\":{\"i\":{\"int64List\":{\"value\":[\"1\",-2,3.0]}},"
               "\"f\":{\"floatList\":{\"value\":[1.5,\"NaN\"]}},"
               "\"s\":{\"bytesList\":{\"value\":[\"YWI=\",null]}}}}}");
  return seeds;
}
