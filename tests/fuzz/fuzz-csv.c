/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes what reads text: records with commas, numbers, regular expressions and what they match. */
#include <string.h>

#include "tests/fuzz/fuzz-driver.h"
#include "tests/kernels/harness.h"

static Harness h;

static SluiceEdge
no_default (SluiceDType dtype)
{
  return sluice_builder_const (&h.b, sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE (0)));
}

static SluiceEdge
one_default (SluiceDType dtype)
{
  return sluice_builder_const (&h.b, sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE (1)));
}

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
  SluiceEdge text = harness_placeholder (&h, "text", SLUICE_STRING);
  SluiceEdge pattern = harness_placeholder (&h, "pattern", SLUICE_STRING);
  SluiceEdge rewrite = sluice_builder_const (&h.b, sluice_tensor_new_string ("<\\0\\1\\\\>", -1));
  add ("DecodeCSV", "records", "OUT_TYPE=[float,int64,string]",
       (SluiceEdge[]){ text, one_default (SLUICE_FLOAT), one_default (SLUICE_INT64),
                       one_default (SLUICE_STRING) },
       4);
  add ("DecodeCSV", "columns",
       "OUT_TYPE=[string,int32]; field_delim=';'; select_cols=[1,3]; na_value='NA'",
       (SluiceEdge[]){ text, no_default (SLUICE_STRING), one_default (SLUICE_INT32) }, 3);
  add ("DecodeCSV", "plain", "OUT_TYPE=[string]; use_quote_delim=false",
       (SluiceEdge[]){ text, no_default (SLUICE_STRING) }, 2);
  add ("StringToNumber", "float", "out_type=float", &text, 1);
  add ("StringToNumber", "uint64", "out_type=uint64", &text, 1);
  add ("UnicodeDecode", "utf16", "input_encoding='UTF-16'", &text, 1);
  add ("UnicodeDecode", "latin", "input_encoding='Shift-JIS'; errors='strict'", &text, 1);
  add ("RegexReplace", "replace", NULL, (SluiceEdge[]){ text, pattern, rewrite }, 3);
  add ("RegexFullMatch", "match", NULL, (SluiceEdge[]){ text, pattern }, 2);
}

/* What stands before a zero byte is the pattern, what stands behind it the text. */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const char *const nodes[] = { "records", "columns", "plain",   "float", "uint64",
                                       "utf16",   "latin",   "replace", "match" };
  const guint8 *zero = size ? memchr (data, '\0', size) : NULL;
  gsize n = zero ? (gsize) (zero - data) : 0, skip = zero ? n + 1 : 0;
  g_autoptr (SluiceTensor) pattern = sluice_tensor_new_string ((const char *) data, (gssize) n);
  g_autoptr (SluiceTensor) text =
      sluice_tensor_new_string (size ? (const char *) data + skip : "", (gssize) (size - skip));
  SluiceFeed feeds[] = { { "text", text }, { "pattern", pattern } };
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_regex = i >= G_N_ELEMENTS (nodes) - 2;
      SluiceTensor *got = harness_run (&h, nodes[i], NULL, feeds, is_regex ? 2 : 1, &error);
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
  SEED (seeds, "1.5,-2,\"a,\"\"b\"\"\"");
  SEED (seeds, ",,\r\n");
  SEED (seeds, "a;\"b\";NA;12;");
  SEED (seeds, " -0x1.8p3 ");
  SEED (seeds, "18446744073709551615");
  SEED (seeds, "\\p{^Lu}\\pL\\p\0abc");
  SEED (seeds, "([a-z]+|\\d{2,3}?)(?i:X)*\0abc 123 xX");
  SEED (seeds, "^(?P<n>\\pL|[^[:alpha:]\\s])\\b.$\0h\xc3\xa9llo\n\xff");
  SEED (seeds, "^(?P<n>L\\pn\0n>\\]");
  SEED (seeds, "(a*)*b\0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
  SEED (seeds, "\\Qa.b\\E|(?m)^|\\x{1F600}\\101\0a.b");
  return seeds;
}
