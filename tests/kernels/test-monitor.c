/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Mutexes, accumulators, barriers and staging areas: who waits, what ends it, what is refused. What
 * single steps see is in TensorFlow's cases. */
#include "tests/kernels/handles.h"

#define FLOATS "value { list { type: DT_FLOAT } } }"
#define FLOAT  "value { type: DT_FLOAT } }"
#define NUMBER(node_name, dtype, field)                                                            \
  {                                                                                                \
    node_name, { "Const" },                                                                        \
        "attr { key: 'dtype' value { type: " dtype " } }"                                          \
        "attr { key: 'value' value { tensor { dtype: " dtype " " field " tensor_shape { } } } }"   \
  }

static void
feed_and_run (Harness *h, const char *target, SluiceFeed *feeds, guint n, int code)
{
  g_autoptr (GError) error = NULL;
  harness_run (h, NULL, target, feeds, n, &error);
  if (code == 0)
    g_assert_no_error (error);
  else
    g_assert_error (error, SLUICE_ERROR, code);
}

static gint64
fetch_int (Harness *h, const char *edge)
{
  g_autoptr (SluiceTensor) tensor = harness_fetch (h, edge);
  return sluice_tensor_get_int (tensor, 0);
}

static void
fetch_and_drop (Harness *h, const char *edge)
{
  sluice_tensor_unref (harness_fetch (h, edge));
}

/* A run on a thread of its own; joined by end_run(). */
typedef struct
{
  Harness *h;
  const char *fetch, *target;
  GCancellable *cancellable;
  GThread *thread;
  SluiceTensor *out;
  GError *error;
} Run;

static gpointer
run (gpointer data)
{
  Run *self = data;
  SluiceRunOptions options = { .cancellable = self->cancellable };
  sluice_session_run (self->h->session,
                      &(SluiceStepNames){ .fetches = &self->fetch,
                                          .targets = &self->target,
                                          .n_fetches = self->fetch != NULL ? 1 : 0,
                                          .n_targets = self->target != NULL ? 1 : 0 },
                      &self->out, &options, &self->error);
  return NULL;
}

/* The session knows the graph before, as an extension must not meet a run. */
static void
begin_run (Run *self, Harness *h, const char *fetch, const char *target)
{
  *self = (Run){ h, fetch, target, g_cancellable_new () };
  self->thread = g_thread_new ("waits", run, self);
}

static void
join_run (Run *self)
{
  g_clear_pointer (&self->thread, g_thread_join);
}

static void
end_run (Run *self, int code)
{
  join_run (self);
  if (code == 0)
    g_assert_no_error (self->error);
  else
    g_assert_error (self->error, SLUICE_ERROR, code);
  g_clear_error (&self->error);
  g_clear_pointer (&self->out, sluice_tensor_unref);
  g_object_unref (self->cancellable);
}

/* ---- mutexes ---- */

static const HandleNode mutex_nodes[] = {
  { "mutex", { "MutexV2" }, "" },
  { "lock", { "MutexLock" }, "input: 'mutex'" },
  { "again", { "MutexLock" }, "input: 'mutex' input: '^lock'" },
  { "both", { "NoOp" }, "input: '^again' input: '^keep'" },
  { "keep",
    { "Identity" },
    "input: 'lock' input: '^again' attr { key: 'T' value { type: DT_VARIANT } }" },
  { "consume", { "ConsumeMutexLock" }, "input: 'lock'" },
  { "list",
    { "VariableV2" },
    "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'shape' value { shape { } } }" },
  { "begin",
    { "Assign" },
    "input: 'list' input: 'nothing' attr { key: 'T' value { type: DT_INT32 } }" },
  NUMBER ("nothing", "DT_INT32", "int_val: 0"),
  NUMBER ("one", "DT_INT32", "int_val: 1"),
  { "old",
    { "Identity" },
    "input: 'list' input: '^lock' attr { key: 'T' value { type: DT_INT32 } }" },
  { "new", { "Add" }, "input: 'old' input: 'one' attr { key: 'T' value { type: DT_INT32 } }" },
  { "store",
    { "Assign" },
    "input: 'list' input: 'new' attr { key: 'T' value { type: DT_INT32 } }" },
  { "count", { "ConsumeMutexLock" }, "input: 'lock' input: '^store'" },
};

/* Who waits for a lock that its own step keeps is cancelled, and the mutex is free again. */
static void
test_mutex_cancel (void)
{
  g_auto (Harness) h;
  Run waits;
  handles_init (&h, mutex_nodes, G_N_ELEMENTS (mutex_nodes), FALSE);
  harness_target (&h, "consume");
  begin_run (&waits, &h, NULL, "both");
  g_cancellable_cancel (waits.cancellable);
  end_run (&waits, SLUICE_ERROR_CANCELLED);
  harness_target (&h, "consume");
}

/* Steps that read and write a variable one after the other lose no count. */
static void
test_mutex_excludes (void)
{
  g_auto (Harness) h;
  Run runs[8];
  handles_init (&h, mutex_nodes, G_N_ELEMENTS (mutex_nodes), FALSE);
  harness_target (&h, "begin");
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    begin_run (&runs[i], &h, NULL, "count");
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    end_run (&runs[i], 0);
  g_assert_cmpint (fetch_int (&h, "list:0"), ==, G_N_ELEMENTS (runs));
}

/* ---- accumulators ---- */

static const HandleNode accumulator_nodes[] = {
  { "acc",
    { "ConditionalAccumulator", "ResourceConditionalAccumulator" },
    "attr { key: 'dtype' " FLOAT "attr { key: 'shape' value { shape { dim { size: 2 } } } }"
    "attr { key: 'shared_name' value { s: 'acc' } }" },
  { "other",
    { "ConditionalAccumulator", "ResourceConditionalAccumulator" },
    "attr { key: 'dtype' " FLOAT "attr { key: 'shape' value { shape { } } }"
    "attr { key: 'shared_name' value { s: 'acc' } }" },
  { "other_count",
    { "AccumulatorNumAccumulated", "ResourceAccumulatorNumAccumulated" },
    "input: 'other'" },
  { "step", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_INT64 } }" },
  { "gradient", { "Placeholder" }, "attr { key: 'dtype' " FLOAT },
  NUMBER ("two", "DT_INT32", "int_val: 2"),
  NUMBER ("none", "DT_INT32", "int_val: 0"),
  { "apply",
    { "AccumulatorApplyGradient", "ResourceAccumulatorApplyGradient" },
    "input: 'acc' input: 'step' input: 'gradient' attr { key: 'dtype' " FLOAT },
  { "take",
    { "AccumulatorTakeGradient", "ResourceAccumulatorTakeGradient" },
    "input: 'acc' input: 'two' attr { key: 'dtype' " FLOAT },
  { "take_none",
    { "AccumulatorTakeGradient", "ResourceAccumulatorTakeGradient" },
    "input: 'acc' input: 'none' attr { key: 'dtype' " FLOAT },
  { "take_double",
    { "AccumulatorTakeGradient", "ResourceAccumulatorTakeGradient" },
    "input: 'acc' input: 'two' attr { key: 'dtype' value { type: DT_DOUBLE } }" },
  { "count", { "AccumulatorNumAccumulated", "ResourceAccumulatorNumAccumulated" }, "input: 'acc'" },
  NUMBER ("ninety", "DT_INT64", "int64_val: 90"),
  { "set_step",
    { "AccumulatorSetGlobalStep", "ResourceAccumulatorSetGlobalStep" },
    "input: 'acc' input: 'ninety'" },
};

static void
apply (Harness *h, gint64 step, gint64 n, float first, int code)
{
  g_autoptr (SluiceTensor) gradient = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (n));
  g_autoptr (SluiceTensor) number = sluice_tensor_new_int64 (step);
  *(float *) gradient->data = first;
  SluiceFeed feeds[] = { { "step", number }, { "gradient", gradient } };
  feed_and_run (h, "apply", feeds, 2, code);
}

/* Two steps that take wait for two gradients each; stale ones do not count. */
static void
test_accumulator (gconstpointer version)
{
  g_auto (Harness) h;
  Run first, cancelled;
  handles_init (&h, accumulator_nodes, G_N_ELEMENTS (accumulator_nodes), version != NULL);
  g_assert_cmpint (fetch_int (&h, "count:0"), ==, 0);
  begin_run (&first, &h, "take:0", NULL);
  apply (&h, 0, 2, 1, 0);
  apply (&h, 0, 3, 1, SLUICE_ERROR_INVALID_ARGUMENT);
  apply (&h, 0, 2, 4, 0);
  join_run (&first);
  g_assert_cmpfloat (*(float *) first.out->data, ==, 2.5f);
  end_run (&first, 0);
  apply (&h, 0, 2, 9, 0); /* of the step before: dropped */
  g_assert_cmpint (fetch_int (&h, "count:0"), ==, 0);
  harness_target (&h, "set_step");
  apply (&h, 89, 2, 1, 0); /* of a step before that one: dropped */
  g_assert_cmpint (fetch_int (&h, "count:0"), ==, 0);
  apply (&h, 90, 2, 1, 0);
  g_assert_cmpint (fetch_int (&h, "count:0"), ==, 1);
  begin_run (&cancelled, &h, "take:0", NULL);
  g_cancellable_cancel (cancelled.cancellable);
  end_run (&cancelled, SLUICE_ERROR_CANCELLED);
  harness_fails (&h, "take_none:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_fails (&h, "take_double:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_fails (&h, "other_count:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
}

/* ---- staging ---- */

#define SHARED "attr { key: 'shared_name' value { s: 'area' } }"
#define LIMITED                                                                                    \
  SHARED "attr { key: 'capacity' value { i: 1 } } attr { key: 'memory_limit' value { i: 8 } }"

static const HandleNode stage_nodes[] = {
  { "value", { "Placeholder" }, "attr { key: 'dtype' " FLOAT },
  NUMBER ("three", "DT_FLOAT", "float_val: 3"),
  NUMBER ("index", "DT_INT32", "int_val: 0"),
  { "put", { "Stage" }, "input: 'value' " LIMITED "attr { key: 'dtypes' " FLOATS },
  { "put_three", { "Stage" }, "input: 'three' " LIMITED "attr { key: 'dtypes' " FLOATS },
  { "get", { "Unstage" }, LIMITED "attr { key: 'dtypes' " FLOATS },
  { "get_int", { "Unstage" }, LIMITED "attr { key: 'dtypes' value { list { type: DT_INT32 } } }" },
  { "peek", { "StagePeek" }, "input: 'index' " LIMITED "attr { key: 'dtypes' " FLOATS },
  { "size", { "StageSize" }, LIMITED "attr { key: 'dtypes' " FLOATS },
  { "clear", { "StageClear" }, LIMITED "attr { key: 'dtypes' " FLOATS },
};

static void
test_stage (void)
{
  g_auto (Harness) h;
  Run gets, puts, peeks;
  handles_init (&h, stage_nodes, G_N_ELEMENTS (stage_nodes), FALSE);
  g_assert_cmpint (fetch_int (&h, "size:0"), ==, 0);
  begin_run (&gets, &h, "get:0", NULL);
  harness_target (&h, "put_three");
  end_run (&gets, 0);
  harness_target (&h, "put_three");
  harness_fails (&h, "get_int:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_cmpint (fetch_int (&h, "size:0"), ==, 1);
  begin_run (&puts, &h, NULL, "put_three"); /* it is full */
  fetch_and_drop (&h, "get:0");
  end_run (&puts, 0);
  fetch_and_drop (&h, "peek:0");
  harness_target (&h, "clear");
  begin_run (&peeks, &h, "peek:0", NULL);
  g_cancellable_cancel (peeks.cancellable);
  end_run (&peeks, SLUICE_ERROR_CANCELLED);
  g_autoptr (SluiceTensor) large = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (3));
  SluiceFeed feed = { "value", large };
  feed_and_run (&h, "put", &feed, 1, SLUICE_ERROR_RESOURCE_EXHAUSTED);
}

#define PAIR "attr { key: 'dtypes' value { list { type: DT_FLOAT type: DT_INT32 } } }"
#define INDEX(node_name, values, size)                                                             \
  {                                                                                                \
    node_name, { "Const" },                                                                        \
        "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { tensor { "     \
        "dtype: DT_INT32 " values " tensor_shape { dim { size: " size " } } } } }"                 \
  }
#define GIVEN(types) "attr { key: 'fake_dtypes' value { list { " types " } } }"

static const HandleNode map_nodes[] = {
  { "key", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_INT64 } }" },
  NUMBER ("x", "DT_FLOAT", "float_val: 3"),
  NUMBER ("y", "DT_INT32", "int_val: 7"),
  INDEX ("both", "int_val: 0 int_val: 1", "2"),
  INDEX ("wrong", "int_val: 1 int_val: 0", "2"),
  INDEX ("first", "int_val: 0", "1"),
  INDEX ("second", "int_val: 1", "1"),
  INDEX ("third", "int_val: 2", "1"),
  { "put",
    { "MapStage", "OrderedMapStage" },
    "input: 'key' input: 'both' input: 'x' input: 'y' " SHARED PAIR GIVEN (
        "type: DT_FLOAT type: DT_INT32") },
  { "put_wrong",
    { "MapStage", "OrderedMapStage" },
    "input: 'key' input: 'wrong' input: 'x' input: 'y' " SHARED PAIR GIVEN (
        "type: DT_FLOAT type: DT_INT32") },
  { "put_x",
    { "MapStage", "OrderedMapStage" },
    "input: 'key' input: 'first' input: 'x' " SHARED PAIR GIVEN ("type: DT_FLOAT") },
  { "put_y",
    { "MapStage", "OrderedMapStage" },
    "input: 'key' input: 'second' input: 'y' " SHARED PAIR GIVEN ("type: DT_INT32") },
  { "put_z",
    { "MapStage", "OrderedMapStage" },
    "input: 'key' input: 'third' input: 'y' " SHARED PAIR GIVEN ("type: DT_INT32") },
  { "put_type",
    { "MapStage", "OrderedMapStage" },
    "input: 'key' input: 'first' input: 'y' " SHARED PAIR GIVEN ("type: DT_INT32") },
  { "get_y",
    { "MapUnstage", "OrderedMapUnstage" },
    "input: 'key' input: 'second' " SHARED
    "attr { key: 'dtypes' value { list { type: DT_INT32 } } }" },
  { "peek", { "MapPeek", "OrderedMapPeek" }, "input: 'key' input: 'both' " SHARED PAIR },
  { "any", { "MapUnstageNoKey", "OrderedMapUnstageNoKey" }, "input: 'both' " SHARED PAIR },
  { "size", { "MapSize", "OrderedMapSize" }, SHARED PAIR },
  { "parts", { "MapIncompleteSize", "OrderedMapIncompleteSize" }, SHARED PAIR },
  { "clear", { "MapClear", "OrderedMapClear" }, SHARED PAIR },
};

static void
with_key (Harness *h, const char *target, gint64 key, int code)
{
  g_autoptr (SluiceTensor) number = sluice_tensor_new_int64 (key);
  SluiceFeed feed = { "key", number };
  feed_and_run (h, target, &feed, 1, code);
}

static void
check_sizes (Harness *h, gint64 size, gint64 parts)
{
  g_assert_cmpint (fetch_int (h, "size:0"), ==, size);
  g_assert_cmpint (fetch_int (h, "parts:0"), ==, parts);
}

static void
test_map (gconstpointer version)
{
  g_auto (Harness) h;
  handles_init (&h, map_nodes, G_N_ELEMENTS (map_nodes), version != NULL);
  with_key (&h, "put_x", 5, 0);
  with_key (&h, "put_x", 5, SLUICE_ERROR_INVALID_ARGUMENT);
  with_key (&h, "put_z", 5, SLUICE_ERROR_INVALID_ARGUMENT);
  with_key (&h, "put_type", 6, SLUICE_ERROR_INVALID_ARGUMENT);
  with_key (&h, "put_wrong", 6, SLUICE_ERROR_INVALID_ARGUMENT);
  check_sizes (&h, 0, 1);
  with_key (&h, "put_y", 5, 0);
  check_sizes (&h, 1, 0);
  with_key (&h, "put", 2, 0);
  with_key (&h, "put", 2, 0);
  check_sizes (&h, 2, 0);
  with_key (&h, "peek", 5, 0);
  with_key (&h, "get_y", 5, 0);
  with_key (&h, "get_y", 5, SLUICE_ERROR_INVALID_ARGUMENT);
  check_sizes (&h, 2, 0);
  g_assert_cmpint (fetch_int (&h, "any:0"), ==, 2);
  harness_target (&h, "clear");
  check_sizes (&h, 0, 0);
  Run waits;
  begin_run (&waits, &h, "any:0", NULL);
  with_key (&h, "put", -4, 0);
  join_run (&waits);
  g_assert_cmpint (sluice_tensor_get_int (waits.out, 0), ==, -4);
  end_run (&waits, 0);
}

/* ---- barriers ---- */

static const HandleNode barrier_nodes[] = {
  { "barrier",
    { "Barrier" },
    "attr { key: 'component_types' value { list { type: DT_FLOAT type: DT_FLOAT } } }"
    "attr { key: 'shapes' value { list { shape { } shape { } } } }" },
  { "limited",
    { "Barrier" },
    "attr { key: 'component_types' " FLOATS "attr { key: 'shapes' value { list { shape { } } } }"
    "attr { key: 'capacity' value { i: 3 } }" },
  { "limited_size", { "BarrierReadySize" }, "input: 'limited'" },
  { "keys", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_STRING } }" },
  { "values", { "Placeholder" }, "attr { key: 'dtype' " FLOAT },
  { "left",
    { "BarrierInsertMany" },
    "input: 'barrier' input: 'keys' input: 'values' attr { key: 'T' " FLOAT
    "attr { key: 'component_index' value { i: 0 } }" },
  { "right",
    { "BarrierInsertMany" },
    "input: 'barrier' input: 'keys' input: 'values' attr { key: 'T' " FLOAT
    "attr { key: 'component_index' value { i: 1 } }" },
  { "beyond",
    { "BarrierInsertMany" },
    "input: 'barrier' input: 'keys' input: 'values' attr { key: 'T' " FLOAT
    "attr { key: 'component_index' value { i: 2 } }" },
  NUMBER ("two", "DT_INT32", "int_val: 2"),
  { "take",
    { "BarrierTakeMany" },
    "input: 'barrier' input: 'two' attr { key: 'component_types' value { list { type: DT_FLOAT "
    "type: "
    "DT_FLOAT } } }" },
  { "few",
    { "BarrierTakeMany" },
    "input: 'barrier' input: 'two' attr { key: 'allow_small_batch' value { b: true } }"
    "attr { key: 'component_types' value { list { type: DT_FLOAT type: DT_FLOAT } } }" },
  { "ready", { "BarrierReadySize" }, "input: 'barrier'" },
  { "incomplete", { "BarrierIncompleteSize" }, "input: 'barrier'" },
  { "close", { "BarrierClose" }, "input: 'barrier'" },
};

static void
insert (Harness *h, const char *target, const char *key, gint64 n_values, int code)
{
  g_autoptr (SluiceTensor) keys = sluice_tensor_new_zeros (SLUICE_STRING, &SLUICE_SHAPE (1));
  g_autoptr (SluiceTensor) values =
      sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (n_values));
  sluice_string_set (keys->data, key, strlen (key));
  SluiceFeed feeds[] = { { "keys", keys }, { "values", values } };
  feed_and_run (h, target, feeds, 2, code);
}

static void
test_barrier (void)
{
  g_auto (Harness) h;
  Run waits;
  handles_init (&h, barrier_nodes, G_N_ELEMENTS (barrier_nodes), FALSE);
  harness_fails (&h, "limited_size:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  insert (&h, "left", "a", 1, 0);
  insert (&h, "left", "a", 1, SLUICE_ERROR_INVALID_ARGUMENT);
  insert (&h, "left", "b", 2, SLUICE_ERROR_INVALID_ARGUMENT);
  insert (&h, "beyond", "b", 1, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_cmpint (fetch_int (&h, "incomplete:0"), ==, 1);
  begin_run (&waits, &h, "take:1", NULL);
  insert (&h, "right", "a", 1, 0);
  insert (&h, "right", "b", 1, 0);
  insert (&h, "left", "b", 1, 0);
  end_run (&waits, 0);
  insert (&h, "left", "c", 1, 0);
  harness_target (&h, "close");
  insert (&h, "left", "d", 1, SLUICE_ERROR_CANCELLED);
  insert (&h, "right", "c", 1, 0);
  fetch_and_drop (&h, "few:1");
  harness_fails (&h, "few:1", NULL, SLUICE_ERROR_OUT_OF_RANGE);
  harness_fails (&h, "take:1", NULL, SLUICE_ERROR_OUT_OF_RANGE);
  harness_fails (&h, NULL, "close", SLUICE_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/monitor/mutex/cancel", test_mutex_cancel);
  g_test_add_func ("/monitor/mutex/excludes", test_mutex_excludes);
  g_test_add_data_func ("/monitor/accumulator/reference", NULL, test_accumulator);
  g_test_add_data_func ("/monitor/accumulator/resource", "resource", test_accumulator);
  g_test_add_func ("/monitor/stage", test_stage);
  g_test_add_data_func ("/monitor/map/any-order", NULL, test_map);
  g_test_add_data_func ("/monitor/map/ordered", "ordered", test_map);
  g_test_add_func ("/monitor/barrier", test_barrier);
  return g_test_run ();
}
