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
note (SluiceItems *items, GError *error, gpointer data)
{
  Outcome *outcome = data;
  outcome->n_done++;
  outcome->code = error != NULL ? error->code : 0;
  g_clear_error (&error);
  for (gsize i = 0; items != NULL && i < items->n; i++)
    outcome->values[outcome->n++] = *(gint64 *) sluice_item_data (sluice_items_at (items, i), 0);
}

static SluiceQueue *
make_queue_of (SluiceQueueOrder order, gint64 capacity, gint64 min)
{
  const SluiceDType type = SLUICE_INT64;
  const SluicePhilox random = sluice_philox_seeded (3, 5);
  SluiceQueueSpec spec = {
    .n = 1, .types = &type, .capacity = capacity, .order = order, .min_after_dequeue = min
  };
  return sluice_queue_new ("q", &spec, &random);
}

static SluiceQueue *
make_queue (gint64 capacity)
{
  return make_queue_of (SLUICE_QUEUE_FIFO, capacity, 0);
}

static SluiceElements *
make_range (gint64 from, gint64 to)
{
  SluiceElements *elements = sluice_elements_new (1);
  elements->tensors[0] = sluice_tensor_new_zeros (SLUICE_INT64, &SLUICE_SHAPE (to - from));
  for (gint64 i = from; i < to; i++)
    ((gint64 *) elements->tensors[0]->data)[i - from] = i;
  return elements;
}

/* Puts in the numbers from..to-1: the first one by itself, the others as rows. */
static void
enqueue (SluiceQueue *queue, gint64 from, gint64 to, Outcome *outcome)
{
  SluiceItems items = { NULL };
  SluiceElements *one = sluice_elements_new (1);
  one->tensors[0] = sluice_tensor_new_int64 (from);
  sluice_items_push_element (&items, one);
  sluice_items_push_rows (&items, make_range (from + 1, to), to - from - 1);
  sluice_queue_enqueue (queue, &items, note, outcome);
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

/* Enough stay until the queue is closed; who waits with some of them gives them back. */
static void
test_shuffle (void)
{
  SluiceQueue *queue = make_queue_of (SLUICE_QUEUE_SHUFFLE, -1, 2);
  Outcome in = { 0 }, one = { 0 }, wide = { 0 }, close = { 0 };
  enqueue (queue, 0, 4, &in);
  DEQUEUE (queue, 1, FALSE, &one);
  g_assert_cmpuint (one.n, ==, 1);
  DEQUEUE (queue, 4, FALSE, &wide);
  g_assert_cmpint (sluice_queue_get_size (queue), ==, 2);
  g_assert_cmpuint (wide.n_done, ==, 0);
  sluice_queue_close (queue, FALSE, note, &close);
  check (&wide, SLUICE_ERROR_OUT_OF_RANGE, 0, 0);
  g_assert_cmpint (sluice_queue_get_size (queue), ==, 3);
  Outcome rest = { 0 };
  gint64 sum = one.values[0];
  DEQUEUE (queue, 9, TRUE, &rest);
  g_assert_cmpuint (rest.n, ==, 3);
  for (guint i = 0; i < rest.n; i++)
    sum += rest.values[i];
  g_assert_cmpint (sum, ==, 0 + 1 + 2 + 3);
  sluice_resource_unref ((SluiceResource *) queue);
}

/* The least comes first, and what is given back has its turn again. */
static void
test_priority (void)
{
  SluiceQueue *queue = make_queue_of (SLUICE_QUEUE_PRIORITY, -1, 0);
  Outcome high = { 0 }, wide = { 0 }, low = { 0 }, out = { 0 };
  enqueue (queue, 4, 7, &high);
  DEQUEUE (queue, 9, FALSE, &wide);
  sluice_queue_cancel (queue, &wide);
  check (&wide, SLUICE_ERROR_CANCELLED, 0, 0);
  enqueue (queue, 1, 4, &low);
  DEQUEUE (queue, 6, FALSE, &out);
  check (&out, 0, 6, 1);
  sluice_resource_unref ((SluiceResource *) queue);
}

/* Items of several batches and sizes become one tensor. */
static void
test_stack (void)
{
  g_auto (SluiceItems) items = { NULL };
  const SluiceShape wide = SLUICE_SHAPE (-1, 2),
                    shapes[] = { SLUICE_SHAPE (2, 2), SLUICE_SHAPE (0, 2), SLUICE_SHAPE (1, 2) };
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      SluiceElements *element = sluice_elements_new (1);
      element->tensors[0] = sluice_tensor_new_zeros (SLUICE_INT32, &shapes[i]);
      for (gint64 k = 0; k < element->tensors[0]->n_elements; k++)
        ((gint32 *) element->tensors[0]->data)[k] = (gint32) (10 * i + k);
      sluice_items_push_element (&items, element);
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) out =
      sluice_items_stack (&items, 0, SLUICE_INT32, &wide, NULL, NULL, SLUICE_OWNER_NONE, &error);
  g_assert_no_error (error);
  const gint32 want[] = { 0, 1, 2, 3, 0, 0, 0, 0, 20, 21, 0, 0 };
  g_assert_true (sluice_shape_equal (&out->shape, &SLUICE_SHAPE (3, 2, 2)));
  g_assert_cmpmem (out->data, sizeof want, want, sizeof want);
  const SluiceItems none = { NULL };
  g_autoptr (SluiceTensor) nothing =
      sluice_items_stack (&none, 0, SLUICE_INT32, &wide, NULL, NULL, SLUICE_OWNER_NONE, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_shape_equal (&nothing->shape, &SLUICE_SHAPE (0, 0, 2)));
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

#define SHARED "attr { key: 'shared_name' value { s: 'shared' } }"
#define LONGS  "attr { key: 'component_types' " INT64
#define NONE   "attr { key: 'shapes' value { list { } } }"

/* What cannot be a queue says so; another kind under the same name as well. */
static void
test_refused (gconstpointer version)
{
  static const HandleNode bad[] = {
    { "fifo", { "FIFOQueue", "FIFOQueueV2" }, LONGS SHARED },
    { "padding",
      { "PaddingFIFOQueue", "PaddingFIFOQueueV2" },
      LONGS SHARED "attr { key: 'shapes' value { list { shape { } } } }" },
    { "no_shapes", { "PaddingFIFOQueue", "PaddingFIFOQueueV2" }, LONGS },
    { "unknown",
      { "PaddingFIFOQueue", "PaddingFIFOQueueV2" },
      LONGS "attr { key: 'shapes' value { list { shape { unknown_rank: true } } } }" },
    { "no_room",
      { "RandomShuffleQueue", "RandomShuffleQueueV2" },
      LONGS "attr { key: 'capacity' value { i: 4 } }"
            "attr { key: 'min_after_dequeue' value { i: 4 } }" },
    { "priority", { "PriorityQueue", "PriorityQueueV2" }, NONE },
    { "p", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_INT64 } }" },
    { "in",
      { "QueueEnqueue", "QueueEnqueueV2" },
      "input: 'priority' input: 'p' attr { key: 'Tcomponents' " INT64 },
    { "fifo_size", { "QueueSize", "QueueSizeV2" }, "input: 'fifo'" },
    { "padding_size", { "QueueSize", "QueueSizeV2" }, "input: 'padding'" },
    { "a", { "QueueSize", "QueueSizeV2" }, "input: 'no_shapes'" },
    { "b", { "QueueSize", "QueueSizeV2" }, "input: 'unknown'" },
    { "c", { "QueueSize", "QueueSizeV2" }, "input: 'no_room'" },
  };
  g_auto (Harness) h;
  handles_init (&h, bad, G_N_ELEMENTS (bad), version != NULL);
  g_assert_cmpint (fetch_int (&h, "fifo_size:0"), ==, 0);
  harness_fails (&h, "padding_size:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_fails (&h, "a:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_fails (&h, "b:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_fails (&h, "c:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  g_autoptr (SluiceTensor) vector = sluice_tensor_new_zeros (SLUICE_INT64, &SLUICE_SHAPE (3));
  SluiceFeed feed = { "p", vector };
  g_autoptr (GError) error = NULL;
  g_assert_null (harness_run (&h, NULL, "in", &feed, 1, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
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

/* Who waits in vain says so, and who could have helped. */
static void
test_unfed (gconstpointer version)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), version != NULL);
  g_assert_null (harness_run (&h, "out:0", NULL, NULL, 0, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DEADLINE_EXCEEDED);
  for (const char *const *word = (const char *const[]){ "'out'", "'in'", "queue 'q'", NULL }; *word;
       word++)
    g_assert_nonnull (strstr (error->message, *word));
  g_assert_cmpint (fetch_int (&h, "size:0"), ==, 0);
  put (&h, 1);
  g_assert_cmpint (fetch_int (&h, "out:0"), ==, 0);
}

/* Who finds a queue closed hears why it was not filled. */
static void
test_failure_told (gconstpointer version)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL, end = NULL;
  handles_init (&h, nodes, G_N_ELEMENTS (nodes), version != NULL);
  g_autoptr (SluiceTensor) values = sluice_tensor_new_zeros (SLUICE_INT64, &SLUICE_SHAPE_SCALAR);
  SluiceFeed feed = { "p", values };
  g_assert_null (harness_run (&h, "fails:0", "in", &feed, 1, &error));
  harness_target (&h, "close");
  g_assert_null (harness_run (&h, "out:0", NULL, NULL, 0, &end));
  g_assert_error (end, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE);
  g_assert_nonnull (strstr (end->message, error->message));
}

static gpointer
run_waiting (gpointer data)
{
  Harness *h = data;
  g_autoptr (GError) error = NULL;
  const char *fetch = "out:0";
  SluiceTensor *out = NULL;
  SluiceRunOptions options = { .cancellable = g_object_get_data (G_OBJECT (h->session), "cancel") };
  sluice_session_run (h->session, &(SluiceStepNames){ .fetches = &fetch, .n_fetches = 1 }, &out,
                      &options, &error);
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
  g_test_add_func ("/queue/shuffle", test_shuffle);
  g_test_add_func ("/queue/priority", test_priority);
  g_test_add_func ("/queue/stack", test_stack);
  g_test_add_data_func ("/queue/ops/old", NULL, test_ops);
  g_test_add_data_func ("/queue/ops/new", "V2", test_ops);
  g_test_add_data_func ("/queue/refused/old", NULL, test_refused);
  g_test_add_data_func ("/queue/refused/new", "V2", test_refused);
  g_test_add_data_func ("/queue/step-fails/old", NULL, test_step_fails);
  g_test_add_data_func ("/queue/step-fails/new", "V2", test_step_fails);
  g_test_add_data_func ("/queue/unfed/old", NULL, test_unfed);
  g_test_add_data_func ("/queue/unfed/new", "V2", test_unfed);
  g_test_add_data_func ("/queue/failure-told/old", NULL, test_failure_told);
  g_test_add_data_func ("/queue/failure-told/new", "V2", test_failure_told);
  g_test_add_data_func ("/queue/cancellable/old", NULL, test_cancellable);
  g_test_add_data_func ("/queue/cancellable/new", "V2", test_cancellable);
  g_test_add_data_func ("/queue/many-wait/1", GUINT_TO_POINTER (1), test_many_wait);
  g_test_add_data_func ("/queue/many-wait/3", GUINT_TO_POINTER (3), test_many_wait);
  return g_test_run ();
}
