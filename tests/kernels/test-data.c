/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Datasets and iterators: what is refused, and what several hold on to. What comes out of them is
 * in TensorFlow's cases. */
#include "tests/kernels/handles.h"

#define LONGS                                                                                      \
  "attr { key: 'output_types' value { list { type: DT_INT64 } } }"                                 \
  "attr { key: 'output_shapes' value { list { shape { } } } }"
#define TWO_LONGS                                                                                  \
  "attr { key: 'output_types' value { list { type: DT_INT64 type: DT_INT64 } } }"                  \
  "attr { key: 'output_shapes' value { list { shape { } shape { } } } }"
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
  { "all", { "ShuffleDataset" }, "input: 'range' input: 'minus' input: 'one' input: 'one'" LONGS },
  { "after", { "ConcatenateDataset" }, "input: 'range' input: 'down'" LONGS },
  { "pair",
    { "ZipDataset" },
    "input: 'range' input: 'down' attr { key: 'N' value { i: 2 } }" TWO_LONGS },
  { "wrong_after", { "ConcatenateDataset" }, "input: 'range' input: 'pair'" LONGS },
  { "it", { "IteratorV2" }, NAMED ("it") LONGS },
  { "it_pair", { "IteratorV2" }, NAMED ("it") TWO_LONGS },
  { "next", { "IteratorGetNext" }, "input: 'it'" LONGS },
  { "next_pair", { "IteratorGetNext" }, "input: 'it'" TWO_LONGS },
  { "text", { "IteratorToStringHandle" }, "input: 'it'" },
  { "fed", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_STRING } }" },
  { "found", { "IteratorFromStringHandle", "IteratorFromStringHandleV2" }, "input: 'fed'" LONGS },
  { "next_found", { "IteratorGetNext" }, "input: 'found'" LONGS },
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/refused", test_refused);
  g_test_add_func ("/data/end", test_end);
  g_test_add_func ("/data/shuffle", test_shuffle);
  g_test_add_data_func ("/data/string-handle", GINT_TO_POINTER (FALSE), test_string_handle);
  g_test_add_data_func ("/data/string-handle-v2", GINT_TO_POINTER (TRUE), test_string_handle);
  return g_test_run ();
}
