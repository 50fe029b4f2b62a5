/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Datasets and iterators: what is refused, and what several hold on to. What comes out of them is
 * in TensorFlow's cases. */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/kernels/handles.h"

#define LONGS                                                                                      \
  "attr { key: 'output_types' value { list { type: DT_INT64 } } }"                                 \
  "attr { key: 'output_shapes' value { list { shape { } } } }"
#define TWO_LONGS                                                                                  \
  "attr { key: 'output_types' value { list { type: DT_INT64 type: DT_INT64 } } }"                  \
  "attr { key: 'output_shapes' value { list { shape { } shape { } } } }"
#define STRINGS                                                                                    \
  "attr { key: 'output_types' value { list { type: DT_STRING } } }"                                \
  "attr { key: 'output_shapes' value { list { shape { } } } }"
#define NAMED(name)                                                                                \
  "attr { key: 'shared_name' value { s: '" name "' } } attr { key: 'container' value { s: '' } }"
#define NUMBER(node_name, text)                                                                    \
  {                                                                                                \
    node_name, { "Const" },                                                                        \
        "attr { key: 'dtype' value { type: DT_INT64 } } attr { key: 'value' value { tensor { "     \
        "dtype: DT_INT64 int64_val: " text " tensor_shape { } } } }"                               \
  }

static const HandleNode nodes[] = {
  NUMBER ("zero", "0"),
  NUMBER ("one", "1"),
  NUMBER ("four", "4"),
  NUMBER ("minus", "-1"),
  NUMBER ("minus_two", "-2"),
  NUMBER ("most", "4611686018427387904"),
  { "range", { "RangeDataset" }, "input: 'zero' input: 'four' input: 'one'" LONGS },
  { "still", { "RangeDataset" }, "input: 'zero' input: 'four' input: 'zero'" LONGS },
  { "down", { "RangeDataset" }, "input: 'four' input: 'zero' input: 'minus_two'" LONGS },
  { "ever", { "RepeatDataset" }, "input: 'range' input: 'minus'" LONGS },
  { "none", { "TakeDataset" }, "input: 'range' input: 'zero'" LONGS },
  { "ever_none", { "RepeatDataset" }, "input: 'none' input: 'minus'" LONGS },
  { "no_batch", { "BatchDataset" }, "input: 'range' input: 'zero'" LONGS },
  { "no_buffer",
    { "ShuffleDataset" },
    "input: 'range' input: 'zero' input: 'one' input: 'one'" LONGS },
  { "all",
    { "ShuffleDataset" },
    "input: 'range' input: 'minus_two' input: 'one' input: 'one'" LONGS },
  { "after", { "ConcatenateDataset" }, "input: 'range' input: 'down'" LONGS },
  { "pair",
    { "ZipDataset" },
    "input: 'range' input: 'down' attr { key: 'N' value { i: 2 } }" TWO_LONGS },
  { "wrong_after", { "ConcatenateDataset" }, "input: 'range' input: 'pair'" LONGS },
  { "fours",
    { "Const" },
    "attr { key: 'dtype' value { type: DT_INT64 } } attr { key: 'value' value { tensor { dtype: "
    "DT_INT64 int64_val: [4, 4, 4, 4, 4, 4] tensor_shape { dim { size: 2 } dim { size: 3 } } } } "
    "}" },
  { "three_of_four",
    { "TensorSliceDataset" },
    "input: 'fours' attr { key: 'Toutput_types' value { list { type: DT_INT64 } } } attr { key: "
    "'output_shapes' value { list { shape { dim { size: 3 } } } } }" },
  { "width",
    { "Const" },
    "attr { key: 'dtype' value { type: DT_INT64 } } attr { key: 'value' value { tensor { dtype: "
    "DT_INT64 int64_val: 4 tensor_shape { dim { size: 1 } } } } }" },
#define PADDED                                                                                     \
  "input: 'three_of_four' input: 'four' input: 'width' input: 'one' attr { key: 'N' value { i: 1 " \
  "} "                                                                                             \
  "} attr { key: 'Toutput_types' value { list { type: DT_INT64 } } } attr { key: 'output_shapes' " \
  "value { list { shape { unknown_rank: true } } } }"
  { "padded", { "PaddedBatchDataset" }, PADDED },
  { "it", { "IteratorV2" }, NAMED ("it") LONGS },
  { "it_pair", { "IteratorV2" }, NAMED ("it") TWO_LONGS },
  { "next", { "IteratorGetNext" }, "input: 'it'" LONGS },
  { "next_pair", { "IteratorGetNext" }, "input: 'it'" TWO_LONGS },
  { "next_any",
    { "IteratorGetNext" },
    "input: 'it' attr { key: 'output_types' value { list { type: DT_INT64 } } } attr { key: "
    "'output_shapes' value { list { shape { unknown_rank: true } } } }" },
  { "text", { "IteratorToStringHandle" }, "input: 'it'" },
  { "fed", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_STRING } }" },
  { "found", { "IteratorFromStringHandle", "IteratorFromStringHandleV2" }, "input: 'fed'" LONGS },
  { "next_found", { "IteratorGetNext" }, "input: 'found'" LONGS },
  { "path", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_STRING } }" },
  { "lines",
    { "TensorSliceDataset" },
    "input: 'path' attr { key: 'Toutput_types' value { list { type: DT_STRING } } } attr { key: "
    "'output_shapes' value { list { shape { } } } }" },
  { "all_lines", { "BatchDataset" }, "input: 'lines' input: 'most'" STRINGS },
  { "packing", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_STRING } }" },
#define FIXED "input: 'path' input: 'one' input: 'four' input: 'one' input: 'zero' "
  { "fixed", { "FixedLengthRecordDataset" }, FIXED },
  { "fixed_v2", { "FixedLengthRecordDatasetV2" }, FIXED "input: 'packing'" },
  { "no_record",
    { "FixedLengthRecordDataset" },
    "input: 'path' input: 'one' input: 'zero' input: 'one' input: 'zero'" },
  { "no_header",
    { "FixedLengthRecordDataset" },
    "input: 'path' input: 'minus' input: 'four' input: 'one' input: 'zero'" },
  { "records", { "IteratorV2" }, NAMED ("records") STRINGS },
  { "next_record", { "IteratorGetNext" }, "input: 'records'" STRINGS },
  { "next_lines",
    { "IteratorGetNext" },
    "input: 'records' attr { key: 'output_types' value { list { type: DT_STRING } } } attr { key: "
    "'output_shapes' value { list { shape { unknown_rank: true } } } }" },
#define BEGIN_RECORDS(name)                                                                        \
  {                                                                                                \
    "begin_" name, { "MakeIterator" }, "input: '" name "' input: 'records'"                        \
  }
  BEGIN_RECORDS ("all_lines"),
  BEGIN_RECORDS ("fixed"),
  BEGIN_RECORDS ("fixed_v2"),
  BEGIN_RECORDS ("no_record"),
  BEGIN_RECORDS ("no_header"),
#define BEGIN(name)                                                                                \
  {                                                                                                \
    "begin_" name, { "MakeIterator" }, "input: '" name "' input: 'it'"                             \
  }
  BEGIN ("range"),
  BEGIN ("still"),
  BEGIN ("ever"),
  BEGIN ("ever_none"),
  BEGIN ("no_batch"),
  BEGIN ("no_buffer"),
  BEGIN ("all"),
  BEGIN ("after"),
  BEGIN ("pair"),
  BEGIN ("wrong_after"),
  BEGIN ("padded"),
};

static gint64
next (Harness *h)
{
  g_autoptr (SluiceTensor) tensor = harness_fetch (h, "next:0");
  return sluice_tensor_get_int (tensor, 0);
}

static void
test_refused (void)
{
  g_auto (Harness) h;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  harness_fails (&h, "next:0", NULL, SLUICE_ERROR_FAILED_PRECONDITION);
  for (const char *const *target =
           (const char *const[]){ "begin_still", "begin_no_batch", "begin_no_buffer", "begin_pair",
                                  "begin_wrong_after", "it_pair", NULL };
       *target; target++)
    harness_fails (&h, NULL, *target, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_target (&h, "begin_range");
  harness_fails (&h, "next_pair:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_cmpint (next (&h), ==, 0);
}

/* PaddedBatchDataset before V2, over which TensorFlow 2.21 makes no iterator: the last batch is
 * never dropped. */
static void
test_padded (void)
{
  static const gint64 want[] = { 4, 4, 4, 1, 4, 4, 4, 1 };
  g_auto (Harness) h;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  harness_target (&h, "begin_padded");
  g_autoptr (SluiceTensor) batch = harness_fetch (&h, "next_any:0");
  g_assert_true (sluice_shape_equal (&batch->shape, &SLUICE_SHAPE (2, 4)));
  g_assert_cmpmem (batch->data, sizeof want, want, sizeof want);
  harness_fails (&h, "next_any:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

/* More strings than are laid out at a time. */
static void
test_strings (void)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) lines = sluice_tensor_new_zeros (SLUICE_STRING, &SLUICE_SHAPE (150000));
  SluiceString *strings = lines->data;
  for (gint64 i = 0; i < lines->n_elements; i += 3) /* others are empty */
    sluice_string_set (&strings[i], (char *) &i, sizeof i);
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  SluiceFeed feed = { "path", lines };
  harness_run (&h, NULL, "begin_all_lines", &feed, 1, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceTensor) batch = harness_fetch (&h, "next_lines:0");
  g_assert_true (sluice_tensor_identical (batch, lines));
  harness_fails (&h, "next_lines:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

/* The end is the end, until the iterator begins anew. */
static void
test_end (void)
{
  g_auto (Harness) h;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  harness_target (&h, "begin_after");
  const gint64 want[] = { 0, 1, 2, 3, 4, 2 };
  for (guint i = 0; i < G_N_ELEMENTS (want); i++)
    g_assert_cmpint (next (&h), ==, want[i]);
  harness_fails (&h, "next:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
  harness_fails (&h, "next:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
  harness_target (&h, "begin_ever");
  for (gint64 i = 0; i < 9; i++)
    g_assert_cmpint (next (&h), ==, i % 4);
  harness_target (&h, "begin_ever_none");
  harness_fails (&h, "next:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

/* A buffer without a limit holds everything: each element comes once. */
static void
test_shuffle (void)
{
  g_auto (Harness) h;
  guint seen = 0;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
  harness_target (&h, "begin_all");
  for (guint i = 0; i < 4; i++)
    seen |= 1u << next (&h);
  g_assert_cmpuint (seen, ==, 15);
  harness_fails (&h, "next:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

static void
test_string_handle (gconstpointer v2)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), GPOINTER_TO_INT (v2));
  harness_target (&h, "begin_range");
  g_assert_cmpint (next (&h), ==, 0);
  g_autoptr (SluiceTensor) text = harness_fetch (&h, "text:0");
  SluiceFeed feed = { "fed", text };
  g_autoptr (SluiceTensor) second = harness_run (&h, "next_found:0", NULL, &feed, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sluice_tensor_get_int (second, 0), ==, 1);
  g_autoptr (SluiceTensor) other = sluice_tensor_new_string ("nobody", -1);
  feed.tensor = other;
  g_assert_null (harness_run (&h, "next_found:0", NULL, &feed, 1, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

/* ---- records of one size ---- */

/* Compressed as a gzip file has it. */
static GBytes *
gzip (const char *text)
{
  char packed[256];
  gsize n_read, n_written;
  g_autoptr (GError) error = NULL;
  g_autoptr (GZlibCompressor) compressor = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9);
  g_converter_convert (G_CONVERTER (compressor), text, strlen (text), packed, sizeof packed,
                       G_CONVERTER_INPUT_AT_END, &n_read, &n_written, &error);
  g_assert_no_error (error);
  return g_bytes_new (packed, n_written);
}

/* Header and footer of one byte, records of four. what it gives, then how it ends: OUT_OF_RANGE at
 * the end of a file that is right. */
static void
test_fixed (void)
{
  static const struct
  {
    const char *begin, *file, *packing, *records;
    SluiceError end;
  } cases[] = {
    { "begin_fixed", "habcdefghf", "", "abcd efgh ", SLUICE_ERROR_OUT_OF_RANGE },
    { "begin_fixed", "hf", "", "", SLUICE_ERROR_OUT_OF_RANGE },
    { "begin_fixed", "habcdeff", "", "", SLUICE_ERROR_INVALID_ARGUMENT },
    { "begin_fixed", "h", "", "", SLUICE_ERROR_INVALID_ARGUMENT },
    { "begin_fixed_v2", "habcdf", "", "abcd ", SLUICE_ERROR_OUT_OF_RANGE },
    { "begin_fixed_v2", "habcdefghf", "GZIP", "abcd efgh ", SLUICE_ERROR_OUT_OF_RANGE },
    { "begin_fixed_v2", "habcdeff", "GZIP", "abcd ", SLUICE_ERROR_DATA_LOSS },
  };
  g_autofree char *folder = g_dir_make_tmp ("sluice-data-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "f", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Harness) h;
      g_autoptr (GError) error = NULL;
      g_autoptr (GString) records = g_string_new (NULL);
      g_autoptr (GBytes) bytes = *cases[i].packing
                                     ? gzip (cases[i].file)
                                     : g_bytes_new (cases[i].file, strlen (cases[i].file));
      g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
                                          (gssize) g_bytes_get_size (bytes), NULL));
      handles_init (&h, nodes, G_N_ELEMENTS (nodes), FALSE);
      g_autoptr (SluiceTensor) name = sluice_tensor_new_string (path, -1);
      g_autoptr (SluiceTensor) packing = sluice_tensor_new_string (cases[i].packing, -1);
      SluiceFeed feeds[] = { { "path", name }, { "packing", packing } };
      harness_run (&h, NULL, cases[i].begin, feeds, 2, &error);
      g_assert_no_error (error);
      g_autoptr (SluiceTensor) record = NULL;
      while ((record = harness_run (&h, "next_record:0", NULL, NULL, 0, &error)) != NULL)
        {
          const SluiceString *text = record->data;
          g_string_append_len (records, text->data, (gssize) text->length);
          g_string_append_c (records, ' ');
          g_clear_pointer (&record, sluice_tensor_unref);
        }
      g_assert_cmpstr (records->str, ==, cases[i].records);
      g_assert_error (error, SLUICE_ERROR, (int) cases[i].end);
      g_clear_error (&error);
      harness_run (&h, NULL, "begin_no_record", feeds, 1, &error);
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
      harness_run (&h, NULL, "begin_no_header", feeds, 1, &error);
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
    }
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/refused", test_refused);
  g_test_add_func ("/data/padded", test_padded);
  g_test_add_func ("/data/strings", test_strings);
  g_test_add_func ("/data/end", test_end);
  g_test_add_func ("/data/shuffle", test_shuffle);
  g_test_add_data_func ("/data/string-handle", GINT_TO_POINTER (FALSE), test_string_handle);
  g_test_add_data_func ("/data/string-handle-v2", GINT_TO_POINTER (TRUE), test_string_handle);
  g_test_add_func ("/data/fixed-length", test_fixed);
  return g_test_run ();
}
