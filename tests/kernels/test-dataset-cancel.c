/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Datasets that keep many elements, over one that tells what becomes of its tensors: how many are
 * kept, what a run that is cancelled leaves to the next one, and what it leaves to others to free.
 */
#include <malloc.h>
#include <string.h>

#include "engine/base/pool.h"
#include "kernels/data/element-cache.h"
#include "tests/kernels/handles.h"

#define LONGS                                                                                      \
  "attr { key: 'output_types' value { list { type: DT_INT64 } } }"                                 \
  "attr { key: 'output_shapes' value { list { shape { unknown_rank: true } } } }"
#define NUMBER(node_name, text)                                                                    \
  {                                                                                                \
    node_name, { "Const" },                                                                        \
        "attr { key: 'dtype' value { type: DT_INT64 } } attr { key: 'value' value { tensor { "     \
        "dtype: DT_INT64 int64_val: " text " tensor_shape { } } } }"                               \
  }
#define LENGTH(node_name, text)                                                                    \
  {                                                                                                \
    node_name, { "Const" },                                                                        \
        "attr { key: 'dtype' value { type: DT_INT64 } } attr { key: 'value' value { tensor { "     \
        "dtype: DT_INT64 int64_val: " text " tensor_shape { dim { size: 1 } } } } }"               \
  }
#define PADDED(length)                                                                             \
  "input: 'source' input: 'most' input: '" length "' input: 'minus' attr { key: 'N' value { i: 1 " \
  "} } attr { key: 'Toutput_types' value { list { type: DT_INT64 } } } attr { key: "               \
  "'output_shapes' value { list { shape { unknown_rank: true } } } }"
#define BEGIN(name)                                                                                \
  {                                                                                                \
    "begin_" name, { "MakeIterator" }, "input: '" name "' input: 'it'"                             \
  }

static const HandleNode nodes[] = {
  NUMBER ("one", "1"),
  NUMBER ("three", "3"),
  NUMBER ("thousand", "1000"),
  NUMBER ("most", "4611686018427387904"),
  NUMBER ("minus", "-1"),
  NUMBER ("minus_two", "-2"),
  LENGTH ("any", "-1"),
  LENGTH ("wide", "600"),
  { "yes",
    { "Const" },
    "attr { key: 'dtype' value { type: DT_BOOL } } attr { key: 'value' value { tensor { dtype: "
    "DT_BOOL bool_val: true tensor_shape { } } } }" },
  { "source", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_VARIANT } }" },
  { "threes", { "BatchDataset" }, "input: 'source' input: 'three'" LONGS },
  { "full_threes", { "BatchDatasetV2" }, "input: 'source' input: 'three' input: 'yes'" LONGS },
  { "thousands", { "BatchDataset" }, "input: 'source' input: 'thousand'" LONGS },
  { "all", { "BatchDataset" }, "input: 'source' input: 'most'" LONGS },
  { "open", { "PaddedBatchDataset" }, PADDED ("any") },
  { "filled", { "PaddedBatchDataset" }, PADDED ("wide") },
  { "shuffled",
    { "ShuffleDataset" },
    "input: 'source' input: 'minus_two' input: 'one' input: 'one'" LONGS },
  { "no_name",
    { "Const" },
    "attr { key: 'dtype' value { type: DT_STRING } } attr { key: 'value' value { tensor { dtype: "
    "DT_STRING string_val: '' tensor_shape { } } } }" },
  { "cached", { "CacheDataset" }, "input: 'source' input: 'no_name'" LONGS },
  { "cached_all", { "BatchDataset" }, "input: 'cached' input: 'most'" LONGS },
  { "it",
    { "IteratorV2" },
    "attr { key: 'shared_name' value { s: 'it' } } attr { key: 'container' value { s: '' } "
    "}" LONGS },
  { "next", { "IteratorGetNext" }, "input: 'it'" LONGS },
  BEGIN ("threes"),
  BEGIN ("full_threes"),
  BEGIN ("thousands"),
  BEGIN ("all"),
  BEGIN ("open"),
  BEGIN ("filled"),
  BEGIN ("shuffled"),
  BEGIN ("cached_all"),
};

/* ---- the source ---- */

#define WIDEST 600

/* Element i is so many times i; a length below 0 is an error instead. */
static struct
{
  gint64 n;
  const int *lengths;                /* (nullable): WIDEST, all of them */
  GCancellable *at_end, *at_release; /* (nullable): cancelled then */
  atomic_int n_alive, most_alive, n_released;
  atomic_int n_released_here; /* on the main thread, after at_release was cancelled */
} source;

static _Thread_local gboolean is_main;

static void
release (gpointer data)
{
  gboolean was_cancelled =
      source.at_release != NULL && g_cancellable_is_cancelled (source.at_release);
  g_free (data);
  atomic_fetch_sub (&source.n_alive, 1);
  if (was_cancelled && is_main)
    atomic_fetch_add (&source.n_released_here, 1);
  if (source.at_release != NULL && !was_cancelled)
    g_cancellable_cancel (source.at_release);
  atomic_fetch_add (&source.n_released, 1);
}

static SluiceTensor *
element_new (gint64 value, gint64 length)
{
  gint64 *values = g_new (gint64, length);
  for (gint64 i = 0; i < length; i++)
    values[i] = value;
  int n_alive = atomic_fetch_add (&source.n_alive, 1) + 1;
  source.most_alive = MAX (source.most_alive, n_alive);
  return sluice_tensor_new_foreign (SLUICE_INT64, &SLUICE_SHAPE (length), values, release, values);
}

typedef struct
{
  SluiceCursor parent;
  gint64 i;
} Cursor;

static SluiceNext
source_next (SluiceCursor *cursor, SluiceKernelCall *call, SluiceTensor **out, GError **error)
{
  gint64 i = ((Cursor *) cursor)->i++;
  if (i >= source.n)
    {
      if (source.at_end != NULL)
        g_cancellable_cancel (source.at_end);
      return SLUICE_NEXT_END;
    }
  gint64 length = source.lengths != NULL ? source.lengths[i] : WIDEST;
  if (length >= 0)
    {
      out[0] = element_new (i, length);
      return SLUICE_NEXT_ONE;
    }
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "element %" G_GINT64_FORMAT, i);
  return SLUICE_NEXT_FAILED;
}

static const SluiceDatasetClass source_class = {
  .size = sizeof (SluiceDataset),
  .cursor_size = sizeof (Cursor),
  .next = source_next,
};

/* ---- running ---- */

static gboolean
run (Harness *h,
     const char *begin,
     SluiceTensor **element,
     GCancellable *cancellable,
     GError **error)
{
  SluiceRunOptions options = { .cancellable = cancellable };
  const SluiceDType type = SLUICE_INT64;
  const char *next = "next:0";
  SluiceKernelCall call = { .node = sluice_graph_find (h->graph, "source") };
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_VARIANT, &SLUICE_SHAPE_SCALAR);
  *(SluiceResource **) tensor->data = &sluice_dataset_new (&source_class, &call, 1, &type)->parent;
  SluiceFeed feed = { "source", tensor };
  if (!sluice_session_extend (h->session, h->graph, error))
    return FALSE;
  return sluice_session_run (h->session,
                             &(SluiceStepNames){ .feeds = &feed,
                                                 .fetches = &next,
                                                 .targets = &begin,
                                                 .n_feeds = begin != NULL,
                                                 .n_fetches = element != NULL,
                                                 .n_targets = begin != NULL },
                             element, &options, error);
}

static void
init (Harness *h, const char *begin, gint64 n, const int *lengths)
{
  g_autoptr (GError) error = NULL;
  memset (&source, 0, sizeof source);
  source.n = n;
  source.lengths = lengths;
  handles_init (h, nodes, G_N_ELEMENTS (nodes), FALSE);
  run (h, begin, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* The next element must be so many rows of so many numbers. */
static void
check_next (Harness *h, gint64 first, gint64 n, gint64 length)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) got = NULL;
  run (h, NULL, &got, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_shape_equal (&got->shape, &SLUICE_SHAPE (n, length)));
  const gint64 *values = got->data;
  for (gint64 i = 0; i < n; i++)
    for (gint64 k = 0; k < length; k++)
      {
        gint64 own = source.lengths != NULL ? source.lengths[first + i] : WIDEST;
        g_assert_cmpint (values[i * length + k], ==, k < own ? first + i : -1);
      }
}

static void
check_fails (Harness *h, SluiceError code, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) got = NULL;
  g_assert_false (run (h, NULL, &got, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, text));
}

/* ---- batches ---- */

/* A batch holds rows, not elements: each is gone before the next one comes. */
static void
test_rows (gconstpointer begin)
{
  g_auto (Harness) h;
  init (&h, begin, 1500, NULL);
  gboolean in_parts = strcmp (begin, "begin_thousands") == 0;
  check_next (&h, 0, in_parts ? 1000 : 1500, WIDEST);
  if (in_parts)
    check_next (&h, 1000, 500, WIDEST);
  check_fails (&h, SLUICE_ERROR_OUT_OF_RANGE, "");
  g_assert_cmpint (source.most_alive, ==, 1);
}

/* Cancelled when all elements have been taken: putting them together stops, and the next run does
 * it. */
static void
test_finish (gconstpointer begin)
{
  g_auto (Harness) h;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) got = NULL;
  init (&h, begin, 1500, NULL);
  source.at_end = cancellable;
  g_assert_false (run (&h, NULL, &got, cancellable, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  check_next (&h, 0, 1500, WIDEST);
  check_fails (&h, SLUICE_ERROR_OUT_OF_RANGE, "");
}

/* Elements that are no batch are taken all the same before that is said, as TensorFlow does; an
 * error of an element comes first, and an incomplete batch that is dropped has none. */
static void
test_unlike (void)
{
  static const int lengths[] = { 1, 2, 2, 3, 3, 3, 1, 2, -1, 1, 1, 3, 2, 3 };
  g_auto (Harness) h;
  init (&h, "begin_threes", G_N_ELEMENTS (lengths), lengths);
  check_fails (&h, SLUICE_ERROR_INVALID_ARGUMENT, "element 1 of it [2]");
  check_next (&h, 3, 3, 3);
  check_fails (&h, SLUICE_ERROR_DATA_LOSS, "element 8");
  check_fails (&h, SLUICE_ERROR_INVALID_ARGUMENT, "element 2 of it [3]");
  check_fails (&h, SLUICE_ERROR_INVALID_ARGUMENT, "the first has shape [2], and of element 1");
  check_fails (&h, SLUICE_ERROR_OUT_OF_RANGE, "");
}

static void
test_dropped (void)
{
  static const int lengths[] = { 1, 1, 1, 1, 2 };
  g_auto (Harness) h;
  init (&h, "begin_full_threes", G_N_ELEMENTS (lengths), lengths);
  check_next (&h, 0, 3, 1);
  check_fails (&h, SLUICE_ERROR_OUT_OF_RANGE, "");
}

static void
test_padded (gconstpointer begin)
{
  static const int lengths[] = { 3, 0, 600, 1 };
  g_auto (Harness) h;
  init (&h, begin, G_N_ELEMENTS (lengths), lengths);
  check_next (&h, 0, 4, 600);
  check_fails (&h, SLUICE_ERROR_OUT_OF_RANGE, "");
}

static void
test_too_long (void)
{
  static const int lengths[] = { 601, 602 };
  g_auto (Harness) h;
  init (&h, "begin_filled", G_N_ELEMENTS (lengths), lengths);
  check_fails (&h, SLUICE_ERROR_DATA_LOSS, "element 0 of the batch has shape [601]");
}

/* ---- what a shuffle leaves ---- */

#define MANY 50000

static int *
lengths_new (int length)
{
  int *lengths = g_new (int, MANY);
  for (int i = 0; i < MANY; i++)
    lengths[i] = length;
  return lengths;
}

static void
wait_for_release (int n)
{
  while (atomic_load (&source.n_released) < n)
    g_thread_yield ();
}

/* A full buffer is dropped for a new iteration, and the run is cancelled while that goes on: the
 * rest is freed by others. */
static void
test_left (void)
{
  g_autofree int *lengths = lengths_new (1);
  g_auto (Harness) h;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) first = NULL;
  init (&h, "begin_shuffled", MANY, lengths);
  run (&h, NULL, &first, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (source.n_alive, ==, MANY);
  source.at_release = cancellable;
  run (&h, "begin_shuffled", NULL, cancellable, &error);
  g_assert_true (g_cancellable_is_cancelled (cancellable));
  wait_for_release (MANY - 1);
  g_assert_cmpint (source.n_alive, ==, 1);
  g_assert_cmpint (source.n_released_here, <, 1000);
}

static gsize
count_holes (void)
{
  struct mallinfo2 info = mallinfo2 ();
  return info.ordblks + info.smblks;
}

/* An element that is kept has no memory of its own that would be a hole when it goes. Nor has it
 * here any for its numbers. */
static void
test_holes (gconstpointer begin)
{
  g_autofree int *lengths = lengths_new (0);
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  init (&h, begin, MANY, lengths);
  g_autoptr (SluiceTensor) first = NULL;
  run (&h, NULL, &first, NULL, &error);
  g_assert_no_error (error);
  gsize before = count_holes ();
  run (&h, begin, NULL, NULL, &error);
  g_assert_no_error (error);
  wait_for_release (MANY - 1);
  g_assert_cmpuint (count_holes (), <, before + MANY / 10);
}

/* ---- caches of elements ---- */

/* Two components, in a ring: the places in use begin with the third. */
static SluiceRemains *
fill_ring (void)
{
  SluiceElementCache cache = { .n = 2 };
  SluiceRemains *remains = NULL;
  for (gint64 i = 0; i < MANY; i++)
    {
      g_assert_true (sluice_element_cache_reserve (&cache, i + 1, MANY, NULL));
      for (guint k = 0; k < 2; k++)
        sluice_element_cache_at (&cache, i)[k] = i == 1 ? NULL : element_new (i, 1);
    }
  g_assert_cmpint (cache.n_places, ==, MANY);
  sluice_remains_add (&remains, &cache, 2, MANY - 1);
  g_assert_null (cache.tensors);
  return remains;
}

static void
test_remains (void)
{
  memset (&source, 0, sizeof source);
  SluiceRemains *remains = fill_ring ();
  atomic_int cancelled = 0;
  sluice_remains_free (&remains, &cancelled);
  g_assert_null (remains);
  g_assert_cmpint (source.n_alive, ==, 0);
}

static void
test_remains_left (void)
{
  memset (&source, 0, sizeof source);
  g_autoptr (GCancellable) cancellable = source.at_release = g_cancellable_new ();
  g_cancellable_cancel (cancellable);
  SluiceRemains *remains = fill_ring ();
  atomic_int cancelled = 1;
  sluice_remains_free (&remains, &cancelled);
  g_assert_null (remains);
  wait_for_release (2 * (MANY - 1));
  g_assert_cmpint (source.n_released_here, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_pool_set_threads (2);
  is_main = TRUE;
  g_test_add_data_func ("/dataset-cancel/rows", "begin_thousands", test_rows);
  g_test_add_data_func ("/dataset-cancel/rows-in-pieces", "begin_all", test_rows);
  g_test_add_data_func ("/dataset-cancel/rows-padded", "begin_filled", test_rows);
  g_test_add_data_func ("/dataset-cancel/finish", "begin_all", test_finish);
  g_test_add_data_func ("/dataset-cancel/finish-padded", "begin_filled", test_finish);
  g_test_add_data_func ("/dataset-cancel/finish-open", "begin_open", test_finish);
  g_test_add_func ("/dataset-cancel/unlike", test_unlike);
  g_test_add_func ("/dataset-cancel/dropped", test_dropped);
  g_test_add_data_func ("/dataset-cancel/padded", "begin_filled", test_padded);
  g_test_add_data_func ("/dataset-cancel/padded-open", "begin_open", test_padded);
  g_test_add_func ("/dataset-cancel/too-long", test_too_long);
  g_test_add_func ("/dataset-cancel/left", test_left);
  g_test_add_data_func ("/dataset-cancel/holes", "begin_shuffled", test_holes);
  g_test_add_data_func ("/dataset-cancel/holes-cached", "begin_cached_all", test_holes);
  g_test_add_func ("/dataset-cancel/remains", test_remains);
  g_test_add_func ("/dataset-cancel/remains-left", test_remains_left);
  return g_test_run ();
}
