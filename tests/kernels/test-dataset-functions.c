/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Datasets that call functions of the graph: errors of a body, bodies that wait and that are
 * cancelled, calls ahead of time, iterators whose dataset a function makes. What comes out of
 * bodies that go well is in TensorFlow's cases.
 */
#include "engine/base/pool.h"
#include "engine/graph/graphdef.h"
#include "tests/kernels/harness.h"

#define LONGS                                                                                      \
  "attr { key: 'output_types' value { list { type: DT_INT64 } } }"                                 \
  "attr { key: 'output_shapes' value { list { shape { } } } }"
#define TWO_LONGS                                                                                  \
  "attr { key: 'output_types' value { list { type: DT_INT64 type: DT_INT64 } } }"                  \
  "attr { key: 'output_shapes' value { list { shape { } shape { } } } }"
#define TYPE(key, type) "attr { key: '" key "' value { type: " type " } }"
#define NUMBER(name, text)                                                                         \
  "node { name: '" name "' op: 'Const' " TYPE (                                                    \
      "dtype", "DT_INT64") "attr { key: 'value' value { tensor { dtype: DT_INT64 int64_val: " text \
                           " tensor_shape { } "                                                    \
                           "} } } }"
#define NODE(name, op, inputs, attrs) "node { name: '" name "' op: '" op "' " inputs attrs " }"
#define IN(name)                      " input: '" name "' "
#define FUNC(key, name)               "attr { key: '" key "' value { func { name: '" name "' } } }"
#define NONE                          "attr { key: 'Targuments' value { list { } } }"
#define CAPTURED(type)                "attr { key: 'Targuments' value { list { type: " type " } } }"

/* An iterator NAME_it over the dataset NAME, its first element NAME_begin, its next NAME_next. */
#define ITERATOR_OF(name, types)                                                                   \
  NODE (name "_it", "IteratorV2", "",                                                              \
        "attr { key: 'shared_name' value { s: '" name "' } }"                                      \
        "attr { key: 'container' value { s: '' } }" types)                                         \
  NODE (name "_begin", "MakeIterator", IN (name) IN (name "_it"), "")                              \
  NODE (name "_next", "IteratorGetNext", IN (name "_it"), types)
#define ITERATOR(name) ITERATOR_OF (name, LONGS)
#define MAP(name, function)                                                                        \
  NODE (name, "MapDataset", IN ("range"), FUNC ("f", function) NONE LONGS) ITERATOR (name)
#define ARG(kind, name, type) kind " { name: '" name "' type: " type " } "
#define FUNCTION(name, args, body, result)                                                         \
  "function { signature { name: '" name "' " args " } " body " ret { key: 'y' value: '" result     \
  "' } }"
#define BODY(name, op, inputs, attrs) "node_def { name: '" name "' op: '" op "' " inputs attrs " }"

#define LONG_TO(type) ARG ("input_arg", "x", "DT_INT64") ARG ("output_arg", "y", type)
#define T_LONG        TYPE ("T", "DT_INT64")
#define LONG_CONST(name, text)                                                                     \
  "node_def { name: '" name "' op: 'Const' " TYPE (                                                \
      "dtype", "DT_INT64") "attr { key: 'value' value { tensor { dtype: DT_INT64 int64_val: " text \
                           " tensor_shape { } } } } }"

static const char functions[] = "library {" FUNCTION (
    "square",
    LONG_TO ("DT_INT64"),
    BODY ("s", "Square", IN ("x"), T_LONG),
    "s:y:0") FUNCTION ("inverse",
                       LONG_TO ("DT_INT64"),
                       LONG_CONST ("twelve", "12")
                           BODY ("quotient", "FloorDiv", IN ("twelve:output:0") IN ("x"), T_LONG),
                       "quotient:z:0")
    FUNCTION ("wait",
              LONG_TO ("DT_INT64") ARG ("input_arg", "q", "DT_RESOURCE"),
              BODY ("got",
                    "QueueDequeueV2",
                    IN ("q"),
                    "attr { key: 'component_types' value { list { type: DT_INT64 } } }"
                    "attr { key: 'timeout_ms' value { i: -1 } }")
                  BODY ("sum", "AddV2", IN ("x") IN ("got:components:0"), T_LONG),
              "sum:z:0")
        FUNCTION (
            "count",
            LONG_TO ("DT_INT64") ARG ("input_arg", "v", "DT_RESOURCE"),
            BODY ("add", "AssignAddVariableOp", IN ("v") IN ("x"), TYPE ("dtype", "DT_INT64"))
                BODY ("read", "ReadVariableOp", IN ("v") IN ("^add"), TYPE ("dtype", "DT_INT64")),
            "read:value:0")
            FUNCTION ("up_to_two",
                      LONG_TO ("DT_BOOL"),
                      LONG_CONST ("two", "2")
                          BODY ("less", "LessEqual", IN ("x") IN ("two:output:0"), T_LONG),
                      "less:z:0")
                FUNCTION ("pair",
                          LONG_TO ("DT_BOOL"),
                          LONG_CONST ("two", "2")
                              BODY ("less", "LessEqual", IN ("x") IN ("two:output:0"), T_LONG)
                                  BODY ("both",
                                        "Pack",
                                        IN ("less:z:0") IN ("less:z:0"),
                                        "attr { key: 'N' value { i: 2 } }" TYPE ("T", "DT_BOOL")),
                          "both:output:0")
                    FUNCTION ("numbers",
                              LONG_TO ("DT_VARIANT"),
                              LONG_CONST ("zero", "0") LONG_CONST ("one", "1")
                                  BODY ("r",
                                        "RangeDataset",
                                        IN ("zero:output:0") IN ("x") IN ("one:output:0"),
                                        LONGS),
                              "r:handle:0") FUNCTION ("no_dataset",
                                                      LONG_TO ("DT_VARIANT"),
                                                      BODY ("none", "OptionalNone", "", ""),
                                                      "none:optional:0")
                        FUNCTION ("make",
                                  ARG ("output_arg", "y", "DT_VARIANT"),
                                  LONG_CONST ("zero", "0") LONG_CONST ("one", "1")
                                      LONG_CONST ("three", "3")
                                          BODY ("r",
                                                "RangeDataset",
                                                IN ("zero:output:0") IN ("three:output:0")
                                                    IN ("one:output:0"),
                                                LONGS) BODY ("m",
                                                             "MapDataset",
                                                             IN ("r:handle:0"),
                                                             FUNC ("f", "square") NONE LONGS),
                                  "m:handle:0")
                            FUNCTION ("make_wrong",
                                      ARG ("output_arg", "y", "DT_VARIANT"),
                                      LONG_CONST ("zero", "0")
                                          BODY ("r",
                                                "RangeDataset",
                                                IN ("zero:output:0") IN ("zero:output:0")
                                                    IN ("zero:output:0"),
                                                LONGS),
                                      "r:handle:0") "}";

#define ONE_SHOT(name, function)                                                                   \
  NODE (name "_it", "OneShotIterator", "", FUNC ("dataset_factory", function) LONGS)               \
  NODE (name "_next", "IteratorGetNext", IN (name "_it"), LONGS)

static const char nodes[] = NUMBER ("start", "-1") NUMBER ("stop", "5") NUMBER ("one", "1")
    NUMBER ("two", "2") NUMBER ("four", "4") NUMBER ("many", "100") NODE (
        "range", "RangeDataset", IN ("start") IN ("stop") IN ("one"), LONGS)
        NODE ("long_range", "RangeDataset", IN ("one") IN ("many") IN ("one"), LONGS) NODE (
            "queue",
            "FIFOQueueV2",
            "",
            "attr { key: 'component_types' value { list { type: DT_INT64 } } }"
            "attr { key: 'capacity' value { i: 10 } }")
            NODE ("fed", "Placeholder", "", TYPE ("dtype", "DT_INT64")) NODE (
                "enqueue",
                "QueueEnqueueV2",
                IN ("queue") IN ("fed"),
                "attr { key: 'Tcomponents' value { list { type: DT_INT64 } } }")
                NODE ("v",
                      "VarHandleOp",
                      "",
                      TYPE ("dtype",
                            "DT_INT64") "attr { key: 'shape' value { shape "
                                        "{ } } }") NODE ("v_init",
                                                         "AssignVariableOp",
                                                         IN ("v") IN ("one"),
                                                         TYPE ("dtype", "DT_INT64")) MAP ("inverse",
                                                                                          "inverse")
                    MAP ("missing", "no_such_function") MAP ("bools", "up_to_two") NODE (
                        "wait",
                        "MapDataset",
                        IN ("range") IN ("queue"),
                        FUNC ("f", "wait") CAPTURED ("DT_RESOURCE")
                            LONGS) ITERATOR ("wait") NODE ("parallel",
                                                           "ParallelMapDatasetV2",
                                                           IN ("long_range")
                                                               IN ("four"),
                                                           FUNC ("f", "square") NONE LONGS)
                        ITERATOR ("parallel") NODE (
                            "parallel_inverse",
                            "ParallelMapDatasetV2",
                            IN ("range") IN ("four"),
                            FUNC ("f", "inverse")
                                NONE LONGS) ITERATOR ("parallel_inverse")
                            NODE ("counted",
                                  "ParallelMapDatasetV2",
                                  IN ("range") IN ("v")
                                      IN ("four"),
                                  FUNC ("f", "count")
                                      CAPTURED ("DT_RESOURCE") LONGS) ITERATOR ("counted")
                                NODE ("pair",
                                      "FilterDataset",
                                      IN ("range"),
                                      FUNC ("predicate", "pair")
                                          NONE LONGS) ITERATOR ("pair")
                                    NODE ("while",
                                          "TakeWhileDataset",
                                          IN ("range"),
                                          FUNC ("predicate", "up_to_two")
                                              NONE LONGS) ITERATOR ("while")
                                        NODE ("flat",
                                              "FlatMapDataset",
                                              IN ("range"),
                                              FUNC ("f", "numbers")
                                                  NONE LONGS) ITERATOR ("flat")
                                            NODE ("no_dataset",
                                                  "FlatMapDataset",
                                                  IN ("range"),
                                                  FUNC ("f", "no_dataset")
                                                      NONE LONGS) ITERATOR ("no_dataset")
                                                NODE ("zip",
                                                      "ZipDataset",
                                                      IN ("inverse") IN ("range"),
                                                      "attr { key: 'N' value { i: 2 } }" TWO_LONGS)
                                                    ITERATOR_OF ("zip", TWO_LONGS) NODE (
                                                        "maybe",
                                                        "IteratorGetNextAsOptional",
                                                        IN ("while_it"),
                                                        LONGS) NODE ("maybe_has",
                                                                     "OptionalHasValue",
                                                                     IN ("maybe"),
                                                                     "") ONE_SHOT ("shot", "make")
                                                        ONE_SHOT ("wrong_shot", "make_wrong");

#define TURNS(name, op, inputs, attrs)                                                             \
  NODE (name, op, IN ("range") IN ("two") IN ("one") inputs,                                       \
        FUNC ("f", "numbers") NONE attrs LONGS)                                                    \
  ITERATOR (name)
static const char parallel_nodes[] = TURNS ("turns", "InterleaveDataset", "", "")
    TURNS ("turns_2", "ParallelInterleaveDatasetV2", IN ("four"), "")
        TURNS ("turns_3", "ParallelInterleaveDatasetV3", IN ("four"), "")
            TURNS ("turns_4", "ParallelInterleaveDatasetV4", IN ("one") IN ("one") IN ("four"), "")
                NODE ("filter",
                      "ParallelFilterDataset",
                      IN ("range") IN ("four"),
                      FUNC ("predicate", "up_to_two") NONE LONGS) ITERATOR ("filter")
                    NODE ("filter_sync", "IteratorGetNextSync", IN ("filter_it"), LONGS);

static void
init (Harness *h)
{
  g_autoptr (GError) error = NULL;
  harness_init (h, 1, FALSE);
  g_autofree char *text = g_strconcat (nodes, parallel_nodes, functions, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  sluice_graph_import (h->graph, bytes, &error);
  g_assert_no_error (error);
}

static gint64
next (Harness *h, const char *fetch)
{
  g_autoptr (SluiceTensor) tensor = harness_fetch (h, fetch);
  return sluice_tensor_get_int (tensor, 0);
}

static void
enqueue (Harness *h, gint64 value)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_int64 (value);
  SluiceFeed feed = { "fed:0", tensor };
  harness_run (h, NULL, "enqueue", &feed, 1, &error);
  g_assert_no_error (error);
}

/* An element that fails is told of, with the node of the body, and is lost; the next one comes. */
static void
test_error (gconstpointer name)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  g_autofree char *begin = g_strconcat (name, "_begin", NULL);
  g_autofree char *fetch = g_strconcat (name, "_next:0", NULL);
  init (&h);
  harness_target (&h, begin);
  g_assert_cmpint (next (&h, fetch), ==, -12);
  g_assert_null (harness_run (&h, fetch, NULL, NULL, 0, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "inverse/_call/f/quotient"));
  const gint64 want[] = { 12, 6, 4, 3 };
  for (guint i = 0; i < G_N_ELEMENTS (want); i++)
    g_assert_cmpint (next (&h, fetch), ==, want[i]);
  harness_fails (&h, fetch, NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

static void
test_refused (void)
{
  g_auto (Harness) h;
  init (&h);
  harness_fails (&h, NULL, "missing_begin", SLUICE_ERROR_NOT_FOUND);
  harness_fails (&h, NULL, "missing_begin", SLUICE_ERROR_NOT_FOUND);
  harness_fails (&h, NULL, "bools_begin", SLUICE_ERROR_INVALID_ARGUMENT);
  harness_target (&h, "pair_begin");
  harness_fails (&h, "pair_next:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_target (&h, "no_dataset_begin");
  harness_fails (&h, "no_dataset_next:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
}

/* Zipped datasets stay side by side where an element of one fails. */
static void
test_zip (void)
{
  g_auto (Harness) h;
  init (&h);
  harness_target (&h, "zip_begin");
  g_assert_cmpint (next (&h, "zip_next:0"), ==, -12);
  harness_fails (&h, "zip_next:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_cmpint (next (&h, "zip_next:1"), ==, 1);
}

static void
test_while (void)
{
  g_auto (Harness) h;
  init (&h);
  harness_target (&h, "while_begin");
  for (gint64 i = -1; i <= 2; i++)
    g_assert_cmpint (next (&h, "while_next:0"), ==, i);
  g_autoptr (SluiceTensor) has = harness_fetch (&h, "maybe_has:0");
  g_assert_cmpint (*(const guint8 *) has->data, ==, FALSE);
  harness_target (&h, "while_begin");
  g_autoptr (SluiceTensor) has_now = harness_fetch (&h, "maybe_has:0");
  g_assert_cmpint (*(const guint8 *) has_now->data, ==, TRUE);
}

static void
test_flat (void)
{
  g_auto (Harness) h;
  init (&h);
  harness_target (&h, "flat_begin");
  for (gint64 n = 1; n < 5; n++)
    for (gint64 i = 0; i < n; i++)
      g_assert_cmpint (next (&h, "flat_next:0"), ==, i);
  harness_fails (&h, "flat_next:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

/* What may run in parallel gives what its serial form does. */
static void
test_parallel_forms (void)
{
  g_auto (Harness) h;
  init (&h);
  static const char *const begins[] = { "turns_begin", "turns_2_begin", "turns_3_begin",
                                        "turns_4_begin", "filter_begin" };
  static const char *const nexts[] = { "turns_next:0", "turns_2_next:0", "turns_3_next:0",
                                       "turns_4_next:0" };
  for (guint i = 0; i < G_N_ELEMENTS (begins); i++)
    harness_target (&h, begins[i]);
  /* 1 + 2 + 3 + 4 numbers, of two ranges in turn */
  for (guint i = 0; i < 10; i++)
    {
      gint64 want = next (&h, nexts[0]);
      for (guint k = 1; k < G_N_ELEMENTS (nexts); k++)
        g_assert_cmpint (next (&h, nexts[k]), ==, want);
    }
  for (guint k = 0; k < G_N_ELEMENTS (nexts); k++)
    harness_fails (&h, nexts[k], NULL, SLUICE_ERROR_OUT_OF_RANGE);
  for (gint64 i = -1; i <= 2; i++)
    g_assert_cmpint (next (&h, "filter_sync:0"), ==, i);
  harness_fails (&h, "filter_sync:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

/* ---- ahead of time ---- */

static void
test_parallel (void)
{
  g_auto (Harness) h;
  init (&h);
  harness_target (&h, "parallel_begin");
  for (gint64 i = 1; i < 100; i++)
    g_assert_cmpint (next (&h, "parallel_next:0"), ==, i * i);
  harness_fails (&h, "parallel_next:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

/* The session goes while elements are on their way, which hold what they need. */
static void
test_left (void)
{
  for (guint i = 0; i < 20; i++)
    {
      g_auto (Harness) h;
      init (&h);
      harness_target (&h, "parallel_begin");
      g_assert_cmpint (next (&h, "parallel_next:0"), ==, 1);
      if (i % 2)
        harness_target (&h, "parallel_begin");
    }
}

/* A body that changes state runs when its element is asked for, and no sooner. */
static void
test_state (void)
{
  g_auto (Harness) h;
  gint64 want = 1;
  init (&h);
  harness_target (&h, "v_init");
  harness_target (&h, "counted_begin");
  for (gint64 i = -1; i < 5; i++)
    {
      want += i;
      g_assert_cmpint (next (&h, "counted_next:0"), ==, want);
    }
}

/* ---- waiting ---- */

typedef struct
{
  Harness *h;
  GCancellable *cancellable;
  gint64 value;
  GError *error;
} Asking;

static gpointer
ask (gpointer data)
{
  Asking *self = data;
  const char *fetch = "wait_next:0";
  SluiceTensor *tensor = NULL;
  SluiceRunOptions options = { .cancellable = self->cancellable };
  if (sluice_session_run (self->h->session, &(SluiceStepNames){ .fetches = &fetch, .n_fetches = 1 },
                          &tensor, &options, &self->error))
    {
      self->value = sluice_tensor_get_int (tensor, 0);
      sluice_tensor_unref (tensor);
    }
  return NULL;
}

/* A body waits for a queue; several runs that ask are served in turn. */
static void
test_wait (void)
{
  g_auto (Harness) h;
  gint64 sum = 0;
  init (&h);
  harness_target (&h, "wait_begin");
  Asking askers[3] = { { &h } };
  GThread *threads[3];
  for (guint i = 0; i < 3; i++)
    {
      askers[i].h = &h;
      threads[i] = g_thread_new ("asks", ask, &askers[i]);
    }
  for (gint64 i = 0; i < 3; i++)
    enqueue (&h, 10);
  for (guint i = 0; i < 3; i++)
    {
      g_thread_join (threads[i]);
      g_assert_no_error (askers[i].error);
      sum += askers[i].value;
    }
  g_assert_cmpint (sum, ==, 30 + (-1 + 0 + 1));
}

/* A run that is cancelled loses no element: the next one gets it. */
static void
test_cancel (void)
{
  g_auto (Harness) h;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  init (&h);
  harness_target (&h, "wait_begin");
  Asking asking = { &h, cancellable };
  GThread *thread = g_thread_new ("asks", ask, &asking);
  g_cancellable_cancel (cancellable);
  g_thread_join (thread);
  g_assert_error (asking.error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  g_clear_error (&asking.error);
  enqueue (&h, 10);
  g_assert_cmpint (next (&h, "wait_next:0"), ==, 9);
  enqueue (&h, 10);
  g_assert_cmpint (next (&h, "wait_next:0"), ==, 10);
}

/* Nobody fills the queue: the run says what the body waits for, and the element is not lost. */
static void
test_deadlock (void)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  init (&h);
  harness_target (&h, "wait_begin");
  g_assert_null (harness_run (&h, "wait_next:0", NULL, NULL, 0, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DEADLINE_EXCEEDED);
  g_assert_nonnull (strstr (error->message, "wait/_call/f/got"));
  enqueue (&h, 10);
  g_assert_cmpint (next (&h, "wait_next:0"), ==, 9);
}

/* ---- one shot ---- */

static void
test_one_shot (void)
{
  g_auto (Harness) h;
  init (&h);
  for (gint64 i = 0; i < 3; i++)
    g_assert_cmpint (next (&h, "shot_next:0"), ==, i * i);
  harness_fails (&h, "shot_next:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
  harness_fails (&h, "wrong_shot_next:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_fails (&h, "wrong_shot_next:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_pool_set_threads (4);
  g_test_add_data_func ("/dataset-functions/error", "inverse", test_error);
  g_test_add_data_func ("/dataset-functions/error-ahead", "parallel_inverse", test_error);
  g_test_add_func ("/dataset-functions/refused", test_refused);
  g_test_add_func ("/dataset-functions/zip", test_zip);
  g_test_add_func ("/dataset-functions/while", test_while);
  g_test_add_func ("/dataset-functions/flat", test_flat);
  g_test_add_func ("/dataset-functions/parallel-forms", test_parallel_forms);
  g_test_add_func ("/dataset-functions/parallel", test_parallel);
  g_test_add_func ("/dataset-functions/left", test_left);
  g_test_add_func ("/dataset-functions/state", test_state);
  g_test_add_func ("/dataset-functions/wait", test_wait);
  g_test_add_func ("/dataset-functions/cancel", test_cancel);
  g_test_add_func ("/dataset-functions/deadlock", test_deadlock);
  g_test_add_func ("/dataset-functions/one-shot", test_one_shot);
  return g_test_run ();
}
