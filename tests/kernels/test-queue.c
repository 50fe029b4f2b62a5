/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Who waits for a queue, and what ends it. What single steps see is in TensorFlow's cases. */
#include "engine/base/pool.h"
#include "kernels/queue/queue.h"
#include "tests/kernels/handles.h"

/* ---- the queue itself ---- */

/* What came of a request. */
typedef struct
{
  guint n_done;
  int code; /* of the error, or 0 */
  guint n;
  gint64 values[8];
} Outcome;

static void
note (GPtrArray *tuples, GError *error, gpointer data)
{
  Outcome *outcome = data;
  outcome->n_done++;
  outcome->code = error != NULL ? error->code : 0;
  g_clear_error (&error);
  for (guint i = 0; tuples != NULL && i < tuples->len; i++)
    {
      SluiceTuple tuple = tuples->pdata[i];
      outcome->values[outcome->n++] = sluice_tensor_get_int (tuple[0], 0);
      sluice_tuple_free (tuple, 1);
    }
  g_clear_pointer (&tuples, g_ptr_array_unref);
}

static SluiceQueue *
make_queue (gint64 capacity)
{
  const SluiceDType type = SLUICE_INT64;
  SluiceQueueSpec spec = { 1, &type, NULL, capacity };
  return sluice_queue_new ("q", &spec);
}

/* Puts in the numbers from..to-1. */
static void
enqueue (SluiceQueue *queue, gint64 from, gint64 to, Outcome *outcome)
{
  GPtrArray *tuples = g_ptr_array_new ();
  for (gint64 i = from; i < to; i++)
    {
      SluiceTuple tuple = g_new (SluiceTensor *, 1);
      tuple[0] = sluice_tensor_new_int64 (i);
      g_ptr_array_add (tuples, tuple);
    }
  sluice_queue_enqueue (queue, tuples, note, outcome);
}

#define DEQUEUE(queue, n, up_to, outcome) sluice_queue_dequeue (queue, n, up_to, note, outcome)

static void
check (const Outcome *outcome, int code, guint n, gint64 first)
{
  g_assert_cmpuint (outcome->n_done, ==, 1);
  g_assert_cmpint (outcome->code, ==, code);
  g_assert_cmpuint (outcome->n, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (outcome->values[i], ==, first + i);
}

/* More than the queue holds goes through it, in the order in which it was asked for. */
static void
test_waits (void)
{
  SluiceQueue *queue = make_queue (2);
  Outcome in = { 0 }, one = { 0 }, many = { 0 }, last = { 0 };
  DEQUEUE (queue, 1, FALSE, &one);
  DEQUEUE (queue, 3, FALSE, &many);
  g_assert_cmpuint (one.n_done, ==, 0);
  enqueue (queue, 0, 7, &in);
  check (&one, 0, 1, 0);
  check (&many, 0, 3, 1);
  g_assert_cmpuint (in.n_done, ==, 0);
  g_assert_cmpint (sluice_queue_get_size (queue), ==, 2);
  DEQUEUE (queue, 3, FALSE, &last);
  check (&last, 0, 3, 4);
  check (&in, 0, 0, 0);
  sluice_resource_unref ((SluiceResource *) queue);
}

/* Closing waits behind who came before; what is left is handed out, then there is no more. */
static void
test_close (void)
{
  SluiceQueue *queue = make_queue (2);
  Outcome in = { 0 }, close = { 0 }, late = { 0 }, out = { 0 }, up_to = { 0 }, end = { 0 },
          again = { 0 };
  enqueue (queue, 0, 5, &in);
  sluice_queue_close (queue, FALSE, note, &close);
  g_assert_cmpuint (close.n_done, ==, 0);
  enqueue (queue, 9, 10, &late);
  DEQUEUE (queue, 3, FALSE, &out);
  check (&out, 0, 3, 0);
  check (&in, 0, 0, 0);
  check (&close, 0, 0, 0);
  check (&late, SLUICE_ERROR_CANCELLED, 0, 0);
  g_assert_true (sluice_queue_is_closed (queue));
  DEQUEUE (queue, 3, FALSE, &end);
  check (&end, SLUICE_ERROR_OUT_OF_RANGE, 0, 0);
  g_assert_cmpint (sluice_queue_get_size (queue), ==, 2);
  DEQUEUE (queue, 3, TRUE, &up_to);
  check (&up_to, 0, 2, 3);
  sluice_queue_close (queue, FALSE, note, &again);
  check (&again, SLUICE_ERROR_CANCELLED, 0, 0);
  sluice_resource_unref ((SluiceResource *) queue);
}

static void
test_close_and_cancel (void)
{
  SluiceQueue *queue = make_queue (2);
  Outcome in = { 0 }, close = { 0 }, wide = { 0 };
  DEQUEUE (queue, 8, TRUE, &wide);
  enqueue (queue, 0, 3, &in);
  check (&in, 0, 0, 0);
  g_assert_cmpuint (wide.n_done, ==, 0); /* it has them, and waits for more */
  sluice_queue_close (queue, TRUE, note, &close);
  check (&close, 0, 0, 0);
  check (&wide, 0, 3, 0);
  Outcome full = { 0 }, again = { 0 };
  SluiceQueue *other = make_queue (2);
  enqueue (other, 0, 5, &full);
  sluice_queue_close (other, TRUE, note, &again);
  check (&full, SLUICE_ERROR_CANCELLED, 0, 0);
  check (&again, 0, 0, 0);
  g_assert_cmpint (sluice_queue_get_size (other), ==, 2);
  sluice_resource_unref ((SluiceResource *) queue);
  sluice_resource_unref ((SluiceResource *) other);
}

/* Who gives up gives back what it had, and lets through who waited behind it. */
static void
test_cancel (void)
{
  SluiceQueue *queue = make_queue (4);
  Outcome wide = { 0 }, behind = { 0 }, in = { 0 }, none = { 0 };
  DEQUEUE (queue, 3, FALSE, &wide);
  DEQUEUE (queue, 1, FALSE, &behind);
  enqueue (queue, 0, 2, &in);
  sluice_queue_cancel (queue, &none);
  g_assert_cmpuint (wide.n_done + behind.n_done, ==, 0);
  sluice_queue_cancel (queue, &wide);
  check (&wide, SLUICE_ERROR_CANCELLED, 0, 0);
  check (&behind, 0, 1, 0);
  g_assert_cmpint (sluice_queue_get_size (queue), ==, 1);
  sluice_queue_cancel (queue, &wide);
  g_assert_cmpuint (wide.n_done, ==, 1);
  sluice_resource_unref ((SluiceResource *) queue);
}

/* ---- in graphs ---- */

#define INT64   "value { list { type: DT_INT64 } } }"
#define OF_LONG "attr { key: 'component_types' " INT64

static const HandleNode nodes[] = {
  { "q",
    { "FIFOQueue", "FIFOQueueV2" },
    OF_LONG "attr { key: 'shapes' value { list { shape { } } } }" },
  { "p", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_INT64 } }" },
  { "n",
    { "Const" },
    "attr { key: 'dtype' value { type: DT_INT32 } }"
    "attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: 3 tensor_shape { } } } }" },
  { "in",
    { "QueueEnqueueMany", "QueueEnqueueManyV2" },
    "input: 'q' input: 'p' attr { key: 'Tcomponents' " INT64 },
  { "out", { "QueueDequeue", "QueueDequeueV2" }, "input: 'q' " OF_LONG },
  { "up_to", { "QueueDequeueUpTo", "QueueDequeueUpToV2" }, "input: 'q' input: 'n' " OF_LONG },
  { "wrong",
    { "QueueDequeue", "QueueDequeueV2" },
    "input: 'q' attr { key: 'component_types' value { list { type: DT_FLOAT } } }" },
  { "size", { "QueueSize", "QueueSizeV2" }, "input: 'q'" },
  { "is_closed", { "QueueIsClosed", "QueueIsClosedV2" }, "input: 'q'" },
  { "close", { "QueueClose", "QueueCloseV2" }, "input: 'q'" },
  { "file",
    { "Const" },
    "attr { key: 'dtype' value { type: DT_STRING } }"
    "attr { key: 'value' value { tensor { dtype: DT_STRING string_val: '/nowhere/at/all'"
    "  tensor_shape { } } } }" },
  { "fails", { "ReadFile" }, "input: 'file'" },
};

static void
put (Harness *h, gint64 n)
{
  g_autoptr (SluiceTensor) values = sluice_tensor_new_zeros (SLUICE_INT64, &SLUICE_SHAPE (n));
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) values->data)[i] = i;
  SluiceFeed feed = { "p", values };
  g_autoptr (GError) error = NULL;
  harness_run (h, NULL, "in", &feed, 1, &error);
  g_assert_no_error (error);
}

static gint64
fetch_int (Harness *h, const char *edge)
{
  g_autoptr (SluiceTensor) tensor = harness_fetch (h, edge);
  return tensor->dtype == SLUICE_BOOL ? *(guint8 *) tensor->data
                                      : sluice_tensor_get_int (tensor, 0);
}

static void
test_ops (gconstpointer version)
{
  g_auto (Harness) h;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), version != NULL);
  put (&h, 4);
  harness_fails (&h, "wrong:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_cmpint (fetch_int (&h, "size:0"), ==, 4);
  g_assert_cmpint (fetch_int (&h, "is_closed:0"), ==, 0);
  g_assert_cmpint (fetch_int (&h, "out:0"), ==, 0);
  harness_target (&h, "close");
  g_assert_cmpint (fetch_int (&h, "is_closed:0"), ==, 1);
  g_assert_cmpint (fetch_int (&h, "up_to:0"), ==, 1);
  harness_fails (&h, "up_to:0", NULL, SLUICE_ERROR_OUT_OF_RANGE);
}

/* A step that fails takes along who waits in it; the queue is as it was. */
static void
test_step_fails (gconstpointer version)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), version != NULL);
  g_assert_null (harness_run (&h, "out:0", "fails", NULL, 0, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  put (&h, 1);
  g_assert_cmpint (fetch_int (&h, "size:0"), ==, 1);
}

static gpointer
run_waiting (gpointer data)
{
  Harness *h = data;
  g_autoptr (GError) error = NULL;
  const char *fetch = "out:0";
  SluiceTensor *out = NULL;
  SluiceRunOptions options = { .cancellable = g_object_get_data (G_OBJECT (h->session), "cancel") };
  sluice_session_run (h->session, NULL, 0, &fetch, 1, NULL, 0, &out, &options, &error);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  return NULL;
}

static void
test_cancellable (gconstpointer version)
{
  g_auto (Harness) h;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), version != NULL);
  g_assert_cmpint (fetch_int (&h, "size:0"), ==, 0);
  g_object_set_data (G_OBJECT (h.session), "cancel", cancellable);
  GThread *thread = g_thread_new ("waits", run_waiting, &h);
  g_cancellable_cancel (cancellable);
  g_thread_join (thread);
}

/* Many that wait, and nobody to spare: they hold no thread. */
static void
test_many_wait (gconstpointer n_threads)
{
  g_auto (Harness) h;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), TRUE);
  SluiceEdge queue = { sluice_graph_find (h.graph, "q"), 0 };
  SluiceAttrValue type = { .kind = SLUICE_ATTR_TYPE, .type = SLUICE_INT64 };
  SluiceAttrValue types = { .kind = SLUICE_ATTR_LIST, .list_kind = SLUICE_ATTR_TYPE };
  types.list.items = &type;
  types.list.n = 1;
  SluiceEdge taken[1000];
  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    {
      g_autofree char *name = g_strdup_printf ("taken%u", i);
      taken[i] = harness_add (&h, "QueueDequeueV2", name, &queue, 1,
                              SLUICE_ATTRS (sluice_attr_value ("component_types", &types)));
    }
  harness_add (&h, "AddN", "sum", taken, G_N_ELEMENTS (taken), NULL, 0);
  sluice_pool_set_threads (GPOINTER_TO_UINT (n_threads));
  g_autoptr (SluiceTensor) values = sluice_tensor_new_zeros (SLUICE_INT64, &SLUICE_SHAPE (1000));
  for (gint64 i = 0; i < 1000; i++)
    ((gint64 *) values->data)[i] = i;
  SluiceFeed feed = { "p", values };
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) sum = harness_run (&h, "sum:0", "in", &feed, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sluice_tensor_get_int (sum, 0), ==, 499500);
  sluice_pool_set_threads (0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/queue/waits", test_waits);
  g_test_add_func ("/queue/close", test_close);
  g_test_add_func ("/queue/close-and-cancel", test_close_and_cancel);
  g_test_add_func ("/queue/cancel", test_cancel);
  g_test_add_data_func ("/queue/ops/old", NULL, test_ops);
  g_test_add_data_func ("/queue/ops/new", "V2", test_ops);
  g_test_add_data_func ("/queue/step-fails/old", NULL, test_step_fails);
  g_test_add_data_func ("/queue/step-fails/new", "V2", test_step_fails);
  g_test_add_data_func ("/queue/cancellable/old", NULL, test_cancellable);
  g_test_add_data_func ("/queue/cancellable/new", "V2", test_cancellable);
  g_test_add_data_func ("/queue/many-wait/1", GUINT_TO_POINTER (1), test_many_wait);
  g_test_add_data_func ("/queue/many-wait/3", GUINT_TO_POINTER (3), test_many_wait);
  return g_test_run ();
}
