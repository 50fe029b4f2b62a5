/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Devices, branches, threads, cancellation. */
#include "tests/engine/runtime/fixture.h"

#include <pthread.h>
#include <string.h>

static SluiceEdge
on (Fixture *f, const char *device, const char *op, const char *name, const SluiceEdge *in, guint n)
{
  return (SluiceEdge){ fixture_node (f, op, name, device, in, n, NULL, 0, NULL, 0), 0 };
}

static SluiceFeed
feed (const char *edge, SluiceTensor *tensor)
{
  return (SluiceFeed){ edge, tensor };
}

static guint
count_events (Fixture *f, guint64 *cursor, const char *op)
{
  g_autoptr (GArray) events = sluice_session_dup_trace (f->session, cursor, NULL);
  guint n = 0;
  for (guint i = 0; i < events->len; i++)
    n += strcmp (g_array_index (events, SluiceTraceEvent, i).op, op) == 0;
  return n;
}

#define DEVICE "/job:localhost/replica:0/task:0/device:CPU:"

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* One transfer for a (tensor, device), however many read it there. */
static void
test_two_devices (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2, .no_optimize = TRUE });
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge a = on (&f, "/cpu:0", "Square", "a", &x, 1);
  SluiceEdge sums[10];
  for (int i = 0; i < 10; i++)
    sums[i] = on (&f, "/device:CPU:1", "Neg", NULL, &a, 1);
  SluiceEdge sum = on (&f, "/cpu:1", "AddN", "sum", sums, 10);
  on (&f, "/cpu:0", "Neg", "back", &sum, 1);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  SluiceFeed feeds[] = { feed ("x", three) };
  guint64 cursor = 0;
  g_assert_cmpfloat (fixture_fetch (&f, "back", feeds, 1), ==, 90);
  g_assert_cmpuint (count_events (&f, &cursor, "_Send"), ==, 2);
  g_assert_cmpfloat (fixture_fetch (&f, "back", feeds, 1), ==, 90);
  g_assert_cmpuint (count_events (&f, &cursor, "_Recv"), ==, 2);
  const char *reason;
  g_assert_cmpstr (sluice_session_get_placement (f.session, "sum", &reason), ==, "CPU:1");
  g_assert_cmpstr (reason, ==, "explicit");
  g_assert_cmpstr (sluice_session_get_placement (f.session, "x", &reason), ==, "CPU:0");
}

/* Two chains of work that nothing orders: a policy puts them on two devices, and says so. */
static void
test_policy (void)
{
  SluiceAttrValue type = { .kind = SLUICE_ATTR_TYPE, .type = SLUICE_FLOAT };
  SluiceAttrValue shape = { .kind = SLUICE_ATTR_SHAPE, .shape = { .rank = 1, .dim = { 1000000 } } };
  const SluiceAttr attrs[] = { sluice_attr_value ("dtype", &type),
                               sluice_attr_value ("shape", &shape) };
  for (guint i = 0; i < 2; i++)
    {
      g_auto (Fixture) f = { NULL };
      fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2, .policy = i ? "greedy" : NULL });
      SluiceEdge x = { fixture_node (&f, "Placeholder", "x", "", NULL, 0, NULL, 0, attrs, 2), 0 };
      SluiceEdge chains[2];
      for (guint k = 0; k < 2; k++)
        {
          chains[k] = on (&f, "", "Square", k ? "right" : "left", &x, 1);
          for (guint step = 0; step < 5; step++)
            chains[k] = on (&f, "", "Neg", NULL, &chains[k], 1);
        }
      on (&f, "", "AddN", "sum", chains, 2);
      fixture_extend (&f);
      const char *left_why, *right_why;
      const char *left = sluice_session_get_placement (f.session, "left", &left_why);
      const char *right = sluice_session_get_placement (f.session, "right", &right_why);
      g_assert_true (g_str_equal (left, right) == (i == 0));
      g_assert_true (g_str_has_prefix (left_why, "greedy, by ") == (i == 1));
      g_assert_true (g_str_has_prefix (right_why, "greedy, by ") == (i == 1));
    }
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_session_new (&(SluiceSessionOptions){ .policy = "greed" }, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  /* Who refuses says so when the graph comes. */
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2, .policy = "best" });
  for (guint i = 0; i < 13; i++)
    fixture_placeholder (&f, NULL, SLUICE_FLOAT);
  g_assert_false (sluice_session_extend (f.session, f.graph, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
}

/* What nodes cost as a text says. */
typedef struct
{
  SluiceCostTeller base;
  const char *costs;
  guint n_ended;
} Teller;

static void
tell (SluiceCostTeller *teller, SluiceGraph *graph, SluiceMachine *machine, SluiceCostModel *costs)
{
  const char *text = ((Teller *) teller)->costs;
  g_autoptr (GError) error = NULL;
  sluice_cost_model_parse_given (costs, text, strlen (text), "costs", graph, &error);
  g_assert_no_error (error);
}

static void
end_teller (SluiceCostTeller *teller)
{
  ((Teller *) teller)->n_ended++;
}

/* Nodes move while the session lives, the variable stays, and the numbers are the same. */
static void
test_place_again (void)
{
  g_autoptr (GError) error = NULL;
  Teller elsewhere = {
    { 1, tell, end_teller },
    "{\"nodes\": {\"far\": {\"us\": {\"CPU:1\": 1}}, \"w\": {\"us\": {\"CPU\": 1}}}}",
    0
  };
  Teller nowhere = { { 1, tell, end_teller },
                     "{\"nodes\": {\"far\": {\"us\": {\"CPU:7\": 1}}}}",
                     0 };
  guint n_moved = 0;
  {
    g_auto (Fixture) f = { NULL };
    fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2, .policy = "greedy" });
    SluiceEdge w = fixture_variable (&f, "w", 3);
    SluiceEdge far = on (&f, "", "Neg", "far", &w, 1);
    on (&f, "", "Neg", "back", &far, 1);
    fixture_extend (&f);
    fixture_run_target (&f, "w/Assign", NULL, NULL);
    const char *at = sluice_session_get_placement (f.session, "w", NULL);
    g_assert_cmpfloat (fixture_fetch (&f, "back", NULL, 0), ==, 3);
    g_assert_cmpstr (sluice_session_get_placement (f.session, "far", NULL), ==, at);
    g_assert_true (sluice_session_place_again (f.session, &elsewhere.base, &n_moved, &error));
    g_assert_cmpuint (n_moved, >, 0);
    g_assert_cmpstr (sluice_session_get_placement (f.session, "far", NULL), ==, "CPU:1");
    g_assert_cmpstr (sluice_session_get_placement (f.session, "w", NULL), ==, at);
    g_assert_cmpfloat (fixture_fetch (&f, "back", NULL, 0), ==, 3);
    g_assert_false (sluice_session_place_again (f.session, &nowhere.base, &n_moved, &error));
    g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
    g_assert_cmpstr (sluice_session_get_placement (f.session, "far", NULL), ==, "CPU:1");
    g_assert_cmpfloat (fixture_fetch (&f, "back", NULL, 0), ==, 3);
  }
  sluice_cost_teller_unref (&elsewhere.base);
  sluice_cost_teller_unref (&nowhere.base);
  g_assert_cmpuint (elsewhere.n_ended, ==, 1);
  g_assert_cmpuint (nowhere.n_ended, ==, 1);
  g_clear_error (&error);
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  g_assert_false (sluice_session_place_again (f.session, &nowhere.base, &n_moved, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_nonnull (strstr (error->message, "no policy"));
}

/* Each transfer is told under its key: both ends under one, and no two under the same. */
static void
test_transfer_names (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 3, .no_optimize = TRUE });
  SluiceEdge w = fixture_variable (&f, "w", 1);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge a = on (&f, "/cpu:0", "Square", "a", &x, 1);
  SluiceEdge b = on (&f, "/cpu:1", "Add", "b", (SluiceEdge[]){ a, w }, 2);
  SluiceEdge c = on (&f, "/cpu:2", "Add", "c", (SluiceEdge[]){ a, w }, 2);
  SluiceNode *after =
      fixture_node (&f, "NoOp", "after", "/cpu:1", NULL, 0, (SluiceNode *[]){ c.node }, 1, NULL, 0);
  fixture_node (&f, "Neg", "far", "/cpu:1", &b, 1, &after, 1, NULL, 0);
  fixture_extend (&f);
  fixture_run_target (&f, "w/Assign", NULL, NULL);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  SluiceFeed feeds[] = { feed ("x", three) };
  guint64 cursor = 0;
  g_array_unref (sluice_session_dup_trace (f.session, &cursor, NULL));
  g_assert_cmpfloat (fixture_fetch (&f, "far", feeds, 1), ==, -10);
  g_autoptr (GArray) events = sluice_session_dup_trace (f.session, &cursor, NULL);
  g_autoptr (GPtrArray) recvs = g_ptr_array_new (), sends = g_ptr_array_new ();
  GPtrArray *const ends[] = { recvs, sends };
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceTraceEvent *event = &g_array_index (events, SluiceTraceEvent, i);
      gboolean is_send = event->kind == SLUICE_TRACE_SEND;
      g_assert_true ((event->transfer != NULL) == (is_send || event->kind == SLUICE_TRACE_RECV));
      if (event->transfer == NULL)
        continue;
      g_auto (GStrv) parts = g_strsplit (event->transfer, ";", -1);
      g_assert_cmpuint (g_strv_length (parts), ==, 4);
      g_assert_cmpstr (event->device, ==, parts[is_send ? 0 : 2]);
      g_assert_nonnull (strstr (parts[3], event->node));
      g_ptr_array_add (ends[is_send], (gpointer) event->transfer);
    }
  static const char *const wanted[] = {
    "0;0000000000000001;" DEVICE "1;a:0", "0;0000000000000001;" DEVICE "1;w:0>b",
    "0;0000000000000001;" DEVICE "2;a:0", "0;0000000000000001;" DEVICE "2;w:0>c",
    "2;0000000000000001;" DEVICE "1;^c",
  };
  for (guint k = 0; k < 2; k++)
    {
      g_ptr_array_sort (ends[k], compare_texts);
      g_assert_cmpuint (ends[k]->len, ==, G_N_ELEMENTS (wanted));
      for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
        {
          g_assert_true (g_str_has_prefix (ends[k]->pdata[i], DEVICE));
          g_assert_cmpstr ((char *) ends[k]->pdata[i] + strlen (DEVICE), ==, wanted[i]);
        }
    }
}

/* Devices are called after the process; a session like another one's, too. Who asks for another
 * process hears which one this is. */
static void
test_cluster (void)
{
  g_auto (Fixture) f = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceCluster) cluster =
      sluice_cluster_parse ("worker=a:1,b:1;ps=c:1", "worker:1", &error);
  g_assert_no_error (error);
  fixture_init (&f,
                &(SluiceSessionOptions){ .cluster = cluster, .n_cpus = 2, .strict_devices = TRUE });
  g_clear_pointer (&cluster, sluice_cluster_unref);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  on (&f, "/job:worker/task:1/cpu:1", "Neg", "here", &x, 1);
  on (&f, "/job:ps/task:0/cpu:0", "Neg", "there", &x, 1);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  SluiceFeed feeds[] = { feed ("x", three) };
  g_assert_cmpfloat (fixture_fetch (&f, "here", feeds, 1), ==, -3);
  g_assert_cmpstr (sluice_session_get_device (f.session, 1)->name, ==,
                   "/job:worker/replica:0/task:1/device:CPU:1");
  g_assert_false (fixture_run_target (&f, "there", NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message,
                            "'/job:ps/task:0/cpu:0' does not exist, there is CPU:0, CPU:1 of "
                            "/job:worker/replica:0/task:1;"));
  g_autoptr (GError) reason = NULL;
  g_autoptr (SluiceSession) like =
      sluice_session_new (&(SluiceSessionOptions){ .like = f.session }, &reason);
  g_assert_no_error (reason);
  g_assert_cmpstr (sluice_session_get_device (like, 0)->name, ==,
                   "/job:worker/replica:0/task:1/device:CPU:0");
}

/* A reader on another device sees a variable after the writes that it waits for. */
static void
test_reference_over_devices (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  SluiceEdge w = fixture_variable (&f, "w", 1);
  SluiceEdge one = fixture_scalar (&f, 1);
  SluiceNode *add =
      fixture_node (&f, "AssignAdd", "add", NULL, (SluiceEdge[]){ w, one }, 2, NULL, 0, NULL, 0);
  fixture_node (&f, "Neg", "far", "/cpu:1", &w, 1, &add, 1, NULL, 0);
  fixture_extend (&f);
  fixture_run_target (&f, "w/Assign", NULL, NULL);
  for (int i = 2; i < 10; i++)
    g_assert_cmpfloat (fixture_fetch (&f, "far", NULL, 0), ==, -i);
}

/* A Merge that stands elsewhere reads the variable although its other input and what it waits for
 * are dead. */
static void
test_merge_reads_reference (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  SluiceEdge w = fixture_variable (&f, "w", 1);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge p = fixture_placeholder (&f, "p", SLUICE_BOOL);
  SluiceEdge s = on (&f, NULL, "Switch", "s", (SluiceEdge[]){ x, p }, 2);
  SluiceEdge yes = sluice_edge_port (s, 1);
  SluiceEdge no = on (&f, NULL, "Neg", "no", &s, 1);
  SluiceEdge add = on (&f, NULL, "AssignAdd", "add", (SluiceEdge[]){ w, yes }, 2);
  SluiceEdge sides[] = { no, add };
  fixture_node (&f, "Merge", "far", "/cpu:1", sides, 2, &no.node, 1, NULL, 0);
  fixture_extend (&f);
  fixture_run_target (&f, "w/Assign", NULL, NULL);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  for (int taken = 0; taken < 2; taken++)
    {
      g_autoptr (SluiceTensor) pred = sluice_tensor_new_bool (taken);
      SluiceFeed feeds[] = { feed ("x", three), feed ("p", pred) };
      g_assert_cmpfloat (fixture_fetch (&f, "far", feeds, 2), ==, taken ? 4 : -3);
    }
}

static void
build_conditional (Fixture *f, const char *far)
{
  SluiceEdge x = fixture_placeholder (f, "x", SLUICE_FLOAT);
  SluiceEdge p = fixture_placeholder (f, "p", SLUICE_BOOL);
  SluiceEdge s = on (f, NULL, "Switch", "s", (SluiceEdge[]){ x, p }, 2);
  SluiceEdge yes = sluice_edge_port (s, 1);
  SluiceEdge no = on (f, far, "Neg", "no", &s, 1);
  SluiceEdge counted = on (f, far, "TestCount", "counted", &yes, 1);
  SluiceEdge squared = on (f, far, "Square", "yes", &counted, 1);
  SluiceEdge merged = on (f, NULL, "Merge", "merged", (SluiceEdge[]){ no, squared }, 2);
  fixture_node (f, "Identity", "after_no", NULL, &x, 1, &no.node, 1, NULL, 0);
  SluiceNode *trigger =
      fixture_node (f, "ControlTrigger", "trigger", far, NULL, 0, &no.node, 1, NULL, 0);
  fixture_node (f, "Identity", "after_trigger", NULL, &merged, 1, &trigger, 1, NULL, 0);
  fixture_extend (f);
}

static void
run_conditional (Fixture *f)
{
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  for (int taken = 0; taken < 2; taken++)
    {
      g_autoptr (SluiceTensor) pred = sluice_tensor_new_bool (taken);
      SluiceFeed feeds[] = { feed ("x", three), feed ("p", pred) };
      int before = fixture_count;
      g_assert_cmpfloat (fixture_fetch (f, "merged", feeds, 2), ==, taken ? 9 : -3);
      g_assert_cmpint (fixture_count - before, ==, taken);
      g_assert_cmpfloat (fixture_fetch (f, "after_trigger", feeds, 2), ==, taken ? 9 : -3);
      g_autoptr (SluiceTensor) which = NULL;
      const char *fetch = "merged:1";
      g_assert_true (sluice_session_run (
          f->session,
          &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 2, .n_fetches = 1 },
          &which, NULL, NULL));
      g_assert_cmpint (*(gint32 *) which->data, ==, taken);
      /* The side that was not taken has no value, nor has what waits for it. */
      const char *dead[] = { taken ? "no" : "yes", taken ? "after_no" : "counted" };
      for (guint i = 0; i < 2; i++)
        {
          g_autoptr (GError) error = NULL;
          SluiceTensor *out = NULL;
          g_assert_false (sluice_session_run (
              f->session,
              &(SluiceStepNames){
                  .feeds = feeds, .fetches = &dead[i], .n_feeds = 2, .n_fetches = 1 },
              &out, NULL, &error));
          g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
          g_assert_nonnull (strstr (error->message, "not taken"));
        }
      const char *both[] = { "no", "yes" };
      SluiceTensor *sides[2] = { NULL };
      g_assert_true (sluice_session_run (
          f->session,
          &(SluiceStepNames){ .feeds = feeds, .fetches = both, .n_feeds = 2, .n_fetches = 2 },
          sides, &(SluiceRunOptions){ .fetches_dead = TRUE }, NULL));
      g_assert_null (sides[!taken]);
      g_assert_nonnull (sides[taken]);
      sluice_tensor_unref (sides[taken]);
    }
}

static void
test_conditional (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  build_conditional (&f, NULL);
  run_conditional (&f);
}

/* Dead values cross between devices, on data and on control edges. */
static void
test_conditional_over_devices (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  build_conditional (&f, "/cpu:1");
  run_conditional (&f);
}

/* An error in a branch that is not taken is none; a constant there stays there when folded. */
static void
test_dead_branch_cannot_fail (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge p = fixture_placeholder (&f, "p", SLUICE_BOOL);
  SluiceEdge one = fixture_scalar (&f, 1);
  SluiceEdge s = on (&f, NULL, "Switch", "s", (SluiceEdge[]){ one, p }, 2);
  SluiceEdge yes = sluice_edge_port (s, 1);
  SluiceEdge bad = on (&f, NULL, "TestFail", "bad", &yes, 1);
  SluiceNode *pivot = fixture_node (&f, "Identity", "pivot", NULL, &s, 1, NULL, 0, NULL, 0);
  g_autoptr (SluiceTensor) seven = sluice_tensor_new_float (7);
  SluiceAttr attrs[] = { sluice_attr_tensor ("value", seven),
                         sluice_attr_type ("dtype", SLUICE_FLOAT) };
  SluiceEdge c = { fixture_node (&f, "Const", "c", NULL, NULL, 0, &pivot, 1, attrs, 2), 0 };
  SluiceEdge n = on (&f, NULL, "Neg", "n", &c, 1);
  on (&f, NULL, "Merge", "m", (SluiceEdge[]){ n, bad }, 2);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) no = sluice_tensor_new_bool (FALSE),
                           sure = sluice_tensor_new_bool (TRUE);
  SluiceFeed feeds[] = { feed ("p", no) };
  g_assert_cmpfloat (fixture_fetch (&f, "m", feeds, 1), ==, -7);
  feeds[0].tensor = sure;
  g_autoptr (GError) error = NULL;
  SluiceTensor *out;
  const char *fetch = "m";
  g_assert_false (sluice_session_run (
      f.session,
      &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 }, &out,
      NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE);
}

/* A random graph of control edges over two devices: every node runs once, after what it waits for.
 */
static void
test_control_order (void)
{
  enum
  {
    N = 400
  };
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  SluiceNode *nodes[N];
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (int[2]));
  for (int i = 0; i < N; i++)
    {
      SluiceNode *controls[3];
      guint n = i ? (guint) g_rand_int_range (rand, 0, 4) : 0;
      for (guint k = 0; k < n; k++)
        {
          int pair[2] = { g_rand_int_range (rand, 0, i), i };
          controls[k] = nodes[pair[0]];
          g_array_append_val (pairs, pair);
        }
      SluiceAttr attr = sluice_attr_int ("slot", i);
      nodes[i] = fixture_node (&f, "TestStamp", NULL, i % 3 ? "/cpu:0" : "/cpu:1", NULL, 0,
                               controls, n, &attr, 1);
    }
  fixture_node (&f, "NoOp", "all", NULL, NULL, 0, nodes, N, NULL, 0);
  fixture_extend (&f);
  for (int round = 0; round < 20; round++)
    {
      fixture_clock = 0;
      g_autoptr (GError) error = NULL;
      fixture_run_target (&f, "all", NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (fixture_clock, ==, N);
      for (guint i = 0; i < pairs->len; i++)
        {
          int *pair = (int *) pairs->data + 2 * i;
          g_assert_cmpint (fixture_order[pair[0]], <, fixture_order[pair[1]]);
        }
    }
  g_array_unref (pairs);
}

static gboolean
is_one_bit (guint bits)
{
  return (bits & (bits - 1)) == 0;
}

/* Nodes that are worth a thread of their own: the same bits on any number of threads. */
static float
run_wide (guint n_threads)
{
  sluice_pool_set_threads (n_threads);
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2, .no_optimize = TRUE });
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT), rows[6];
  for (int i = 0; i < 6; i++)
    {
      rows[i] = x;
      for (int k = 0; k < 12; k++)
        rows[i] = on (&f, (i + k / 4) % 2 ? "/cpu:0" : "/cpu:1", "TestSpin", NULL, &rows[i], 1);
    }
  on (&f, NULL, "AddN", "sum", rows, 6);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) start = sluice_tensor_new_float (0.1f);
  SluiceFeed feeds[] = { feed ("x", start) };
  float first = fixture_fetch (&f, "sum", feeds, 1);
  /* More than one thread takes part where there are more, sooner or later, and only then. */
  guint64 cursor = 0;
  guint lanes = 0;
  for (int round = 0; round < 40 || (n_threads > 1 && is_one_bit (lanes)); round++)
    {
      g_assert_cmpfloat (fixture_fetch (&f, "sum", feeds, 1), ==, first);
      g_autoptr (GArray) events = sluice_session_dup_trace (f.session, &cursor, NULL);
      for (guint i = 0; i < events->len; i++)
        lanes |= 1u << g_array_index (events, SluiceTraceEvent, i).lane;
    }
  g_assert_true (n_threads > 1 || is_one_bit (lanes));
  return first;
}

static void
test_threads (void)
{
  float one = run_wide (1);
  for (guint n = 2; n < 5; n++)
    g_assert_cmpfloat (run_wide (n), ==, one);
  sluice_pool_set_threads (0);
}

typedef struct
{
  Fixture *f;
  float value;
} Run;

static void *
run_many (void *data)
{
  Run *run = data;
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (run->value);
  SluiceFeed feeds[] = { feed ("x", x) };
  for (int i = 0; i < 200; i++)
    g_assert_cmpfloat (fixture_fetch (run->f, i % 2 ? "n" : "s", feeds, 1), ==,
                       i % 2 ? -(run->value * run->value) : run->value * run->value);
  return NULL;
}

static void
test_concurrent_runs (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge s = on (&f, "/cpu:1", "Square", "s", &x, 1);
  on (&f, "/cpu:0", "Neg", "n", &s, 1);
  fixture_extend (&f);
  pthread_t threads[4];
  Run runs[4];
  for (int i = 0; i < 4; i++)
    {
      runs[i] = (Run){ &f, (float) i + 1 };
      g_assert_cmpint (pthread_create (&threads[i], NULL, run_many, &runs[i]), ==, 0);
    }
  for (int i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  SluiceSessionStats stats;
  sluice_session_get_stats (f.session, &stats);
  g_assert_cmpuint (stats.n_plans, ==, 2);
  g_assert_cmpuint (stats.n_runs, ==, 800);
}

/* A kernel need not set an output that nobody reads. */
static void
test_unread_output (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 1 });
  SluiceEdge x = fixture_scalar (&f, 3);
  SluiceEdge half = on (&f, NULL, "TestHalf", "half", &x, 1);
  SluiceEdge never = sluice_edge_port (half, 1);
  on (&f, NULL, "Neg", "n", &half, 1);
  on (&f, NULL, "Neg", "m", &never, 1);
  fixture_extend (&f);
  g_assert_cmpfloat (fixture_fetch (&f, "half", NULL, 0), ==, 3);
  g_assert_cmpfloat (fixture_fetch (&f, "n", NULL, 0), ==, -3);
  g_autoptr (GError) error = NULL;
  g_assert_false (fixture_run_target (&f, "m", NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INTERNAL);
}

/* Steps that end early, from outside: by a GCancellable, by a flag; synchronous and asynchronous.
 */
typedef struct
{
  GCancellable *cancellable;
  _Atomic int flag;
} Canceller;

static void *
cancel_soon (void *data)
{
  Canceller *c = data;
  if (c->cancellable)
    g_cancellable_cancel (c->cancellable);
  else
    atomic_store (&c->flag, 1);
  return NULL;
}

static void
test_cancel (void)
{
  const char *targets[] = { "wait", "later" };
  for (int way = 0; way < 2; way++)
    for (int which = 0; which < 2; which++)
      {
        g_auto (Fixture) f = { NULL };
        fixture_init (&f, NULL);
        SluiceEdge c = fixture_scalar (&f, 1);
        on (&f, NULL, "TestWait", "wait", &c, 1);
        on (&f, NULL, "TestLater", "later", &c, 1);
        fixture_extend (&f);
        g_autoptr (GCancellable) cancellable = way ? g_cancellable_new () : NULL;
        Canceller canceller = { cancellable, 0 };
        SluiceRunOptions options = { .cancellable = cancellable,
                                     .cancel_flag = way ? NULL : &canceller.flag };
        pthread_t thread;
        pthread_create (&thread, NULL, cancel_soon, &canceller);
        g_autoptr (GError) error = NULL;
        g_assert_false (fixture_run_target (&f, targets[which], &options, &error));
        g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
        pthread_join (thread, NULL);
        fixture_go = 1;
        g_assert_cmpfloat (fixture_fetch (&f, targets[which], NULL, 0), ==, 1);
      }
}

static void *
go_soon (void *data)
{
  while (!fixture_waiting)
    g_usleep (100);
  atomic_store (&fixture_go, 1);
  return NULL;
}

/* Asynchronous kernels end on other threads, many at once, beside others that work. */
static void
test_asynchronous (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge c = fixture_scalar (&f, 1), sides[9];
  for (int i = 0; i < 8; i++)
    sides[i] = on (&f, NULL, "TestLater", NULL, &c, 1);
  sides[8] = on (&f, NULL, "TestWait", "wait", &c, 1);
  on (&f, NULL, "AddN", "sum", sides, 9);
  fixture_extend (&f);
  for (int i = 0; i < 10; i++)
    {
      fixture_go = 0;
      pthread_t thread;
      pthread_create (&thread, NULL, go_soon, NULL);
      g_assert_cmpfloat (fixture_fetch (&f, "sum", NULL, 0), ==, 9);
      pthread_join (thread, NULL);
    }
}

/* An error while other calls are in flight: they are told, the step ends, the first error is what
 * comes out. */
static void
test_error_while_others_wait (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge c = fixture_scalar (&f, 1), sides[3];
  sides[0] = on (&f, NULL, "TestLater", NULL, &c, 1);
  sides[1] = on (&f, NULL, "TestLater", NULL, &c, 1);
  sides[2] = on (&f, NULL, "TestFail", "bad", &c, 1);
  on (&f, NULL, "AddN", "sum", sides, 3);
  fixture_extend (&f);
  for (int i = 0; i < 10; i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (fixture_run_target (&f, "sum", NULL, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE);
      g_assert_nonnull (strstr (error->message, "'bad'"));
    }
}

/* A device that computes nothing still shows what would run where. */
static void
test_null_device (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_nulls = 1 });
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge a = on (&f, "/device:NULL:0", "Square", "a", &x, 1);
  on (&f, "/device:NULL:0", "TestFail", "b", &a, 1);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  SluiceFeed feeds[] = { feed ("x", three) };
  guint64 cursor = 0;
  g_assert_cmpfloat (fixture_fetch (&f, "b", feeds, 1), ==, 0);
  g_assert_cmpuint (count_events (&f, &cursor, "TestFail"), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/executor/two-devices", test_two_devices);
  g_test_add_func ("/runtime/executor/policy", test_policy);
  g_test_add_func ("/runtime/executor/place-again", test_place_again);
  g_test_add_func ("/runtime/executor/transfer-names", test_transfer_names);
  g_test_add_func ("/runtime/executor/cluster", test_cluster);
  g_test_add_func ("/runtime/executor/reference-over-devices", test_reference_over_devices);
  g_test_add_func ("/runtime/executor/merge-reads-reference", test_merge_reads_reference);
  g_test_add_func ("/runtime/executor/conditional", test_conditional);
  g_test_add_func ("/runtime/executor/conditional-over-devices", test_conditional_over_devices);
  g_test_add_func ("/runtime/executor/dead-branch-cannot-fail", test_dead_branch_cannot_fail);
  g_test_add_func ("/runtime/executor/control-order", test_control_order);
  g_test_add_func ("/runtime/executor/threads", test_threads);
  g_test_add_func ("/runtime/executor/concurrent-runs", test_concurrent_runs);
  g_test_add_func ("/runtime/executor/unread-output", test_unread_output);
  g_test_add_func ("/runtime/executor/cancel", test_cancel);
  g_test_add_func ("/runtime/executor/asynchronous", test_asynchronous);
  g_test_add_func ("/runtime/executor/error-while-others-wait", test_error_while_others_wait);
  g_test_add_func ("/runtime/executor/null-device", test_null_device);
  return g_test_run ();
}
