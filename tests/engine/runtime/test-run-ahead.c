/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a queue is given before it has done what stands in front: the host waits for values only
 * where it reads them. */
#include <pthread.h>
#include <string.h>

#include "engine/device/sim.h"
#include "tests/engine/runtime/fixture.h"

#define LENGTH     20
#define PATIENCE_S 60

static const SluiceSessionOptions on_sim = { .device = "SIM:0" };

static const SluiceEdge none = { NULL, 0 };

/* ---- a queue that stands still ---- */

typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t opens;
  gboolean is_open;
} Gate;

static Gate gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, FALSE };

static void
wait_at_gate (gpointer data)
{
  pthread_mutex_lock (&gate.lock);
  while (!gate.is_open)
    pthread_cond_wait (&gate.opens, &gate.lock);
  pthread_mutex_unlock (&gate.lock);
}

static void
open_gate (void)
{
  pthread_mutex_lock (&gate.lock);
  gate.is_open = TRUE;
  pthread_cond_signal (&gate.opens);
  pthread_mutex_unlock (&gate.lock);
}

typedef struct
{
  Fixture *f;
  SluiceStepNames names;
  SluiceTensor *outputs[2];
  gboolean ok;
  GError *error;
  _Atomic int is_over;
} Run;

static gpointer
run (gpointer data)
{
  Run *self = data;
  self->ok = sluice_session_run (self->f->session, &self->names, self->outputs, NULL, &self->error);
  self->is_over = 1;
  return NULL;
}

static guint64
count_queued (SluiceDevice *device)
{
  return device->klass->queues->record (device, SLUICE_QUEUE_COMPUTE).number;
}

/* A run whose n_kernels all stand in the queue before the first one has begun. */
static void
run_at_gate (Run *self, guint n_kernels)
{
  SluiceDevice *device = sluice_session_get_device (self->f->session, 1);
  g_assert_cmpstr (device->short_name, ==, "SIM:0");
  gate.is_open = FALSE;
  device->klass->queues->enqueue (device, SLUICE_QUEUE_COMPUTE, wait_at_gate, NULL);
  guint64 before = count_queued (device);
  GThread *thread = g_thread_new ("run", run, self);
  gint64 end = g_get_monotonic_time () + PATIENCE_S * G_TIME_SPAN_SECOND;
  while (count_queued (device) < before + n_kernels && !self->is_over
         && g_get_monotonic_time () < end)
    g_thread_yield ();
  g_assert_false (self->is_over);
  g_assert_cmpuint (count_queued (device), >=, before + n_kernels);
  open_gate ();
  g_thread_join (thread);
}

static SluiceEdge
chain (Fixture *f, SluiceEdge from, guint length)
{
  for (guint i = 0; i < length; i++)
    {
      g_autofree char *name = g_strdup_printf ("link%u", i);
      from = fixture_on (f, NULL, "TestCount", name, from, none);
    }
  return from;
}

/* ---- cases ---- */

static void
test_chain (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &on_sim);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge end = chain (&f, x, LENGTH);
  fixture_on (&f, NULL, "Add", "both", end,
              (SluiceEdge){ sluice_graph_find (f.graph, "link3"), 0 });
  fixture_extend (&f);
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (21);
  SluiceFeed feed = { "x", fed };
  const char *fetches[] = { "both", "link7" };
  Run self = { .f = &f,
               .names = { .feeds = &feed, .n_feeds = 1, .fetches = fetches, .n_fetches = 2 } };
  fixture_count = 0;
  for (guint i = 0; i < 3; i++)
    {
      self.is_over = 0;
      run_at_gate (&self, LENGTH + 1);
      g_assert_no_error (self.error);
      g_assert_true (self.ok);
      g_assert_cmpfloat (*(float *) self.outputs[0]->data, ==, 42);
      g_assert_cmpfloat (*(float *) self.outputs[1]->data, ==, 21);
      sluice_tensor_unref (self.outputs[0]);
      sluice_tensor_unref (self.outputs[1]);
    }
  g_assert_cmpint (fixture_count, ==, 3 * LENGTH);
}

/* A link fails with the rest of the chain behind it: nothing of that runs, neither in the queue nor
 * on the host, and the error is the link's. */
static void
test_failure (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &on_sim);
  SluiceAttr any = sluice_attr_type ("dtype", SLUICE_FLOAT);
  SluiceEdge x = sluice_builder_add (&f.b, "Placeholder", "x", NULL, 0, &any, 1);
  SluiceEdge y = sluice_builder_add (&f.b, "Placeholder", "y", NULL, 0, &any, 1);
  SluiceEdge bad = fixture_on (&f, NULL, "Add", "bad", x, y);
  SluiceEdge end = chain (&f, bad, LENGTH);
  fixture_on (&f, "/device:CPU:0", "TestCount", "near", end, none);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (2));
  g_autoptr (SluiceTensor) three = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (3));
  SluiceFeed feeds[] = { { "x", two }, { "y", three } };
  const char *fetch = "near";
  Run self = { .f = &f,
               .names = { .feeds = feeds, .n_feeds = 2, .fetches = &fetch, .n_fetches = 1 } };
  fixture_count = 0;
  run_at_gate (&self, LENGTH + 1);
  g_assert_false (self.ok);
  g_assert_error (self.error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (self.error->message, "'bad'"));
  g_assert_cmpint (fixture_count, ==, 0);
  g_clear_error (&self.error);
  feeds[1].tensor = two;
  self.is_over = 0;
  run_at_gate (&self, LENGTH + 1);
  g_assert_no_error (self.error);
  g_assert_cmpint (fixture_count, ==, LENGTH + 1);
  sluice_tensor_unref (self.outputs[0]);
}

/* An update is read by what stands behind it in the queue, though both are enqueued at once. */
static void
test_update (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &on_sim);
  SluiceEdge v = fixture_variable (&f, "v", 1);
  SluiceEdge one = fixture_scalar (&f, 1);
  SluiceEdge update = fixture_on (&f, NULL, "AssignAdd", "update", v, one);
  SluiceEdge read_after = {
    fixture_node (&f, "Identity", "read", NULL, &v, 1, &update.node, 1, NULL, 0), 0
  };
  fixture_on (&f, NULL, "TestCount", "seen", read_after, none);
  fixture_extend (&f);
  g_assert_true (fixture_run_target (&f, "v/Assign", NULL, NULL));
  const char *fetch = "seen";
  Run self = { .f = &f, .names = { .fetches = &fetch, .n_fetches = 1 } };
  for (guint i = 2; i < 5; i++)
    {
      self.is_over = 0;
      run_at_gate (&self, 3);
      g_assert_no_error (self.error);
      g_assert_cmpfloat (*(float *) self.outputs[0]->data, ==, (float) i);
      sluice_tensor_unref (self.outputs[0]);
    }
}

/* What comes through the queue to a node that does not run is dropped, once it is there. */
static void
test_dead (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &on_sim);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge pred = fixture_placeholder (&f, "pred", SLUICE_BOOL);
  SluiceEdge live = fixture_on (&f, NULL, "TestCount", "live", x, none);
  SluiceEdge turn = fixture_on (&f, NULL, "Switch", "turn", x, pred);
  SluiceEdge left = fixture_on (&f, NULL, "Add", "left", (SluiceEdge){ turn.node, 0 }, live);
  SluiceEdge right = fixture_on (&f, NULL, "Mul", "right", (SluiceEdge){ turn.node, 1 }, live);
  SluiceEdge sides[] = { left, right };
  SluiceAttr n = sluice_attr_int ("N", 2);
  fixture_node (&f, "Merge", "merge", NULL, sides, 2, NULL, 0, &n, 1);
  fixture_extend (&f);
  SluiceDevice *device = sluice_session_get_device (f.session, 1);
  SluiceMemoryStats stats;
  gsize live_bytes = 0;
  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (5);
      g_autoptr (SluiceTensor) goes = sluice_tensor_new_bool (i % 2);
      SluiceFeed feeds[] = { { "x", fed }, { "pred", goes } };
      g_assert_cmpfloat (fixture_fetch (&f, "merge", feeds, 2), ==, i % 2 ? 25 : 10);
      sluice_allocator_get_stats (device->allocator, &stats);
      live_bytes = i == 1 ? stats.live_bytes : live_bytes;
    }
  g_assert_cmpuint (stats.live_bytes, ==, live_bytes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/run-ahead/chain", test_chain);
  g_test_add_func ("/runtime/run-ahead/failure", test_failure);
  g_test_add_func ("/runtime/run-ahead/update", test_update);
  g_test_add_func ("/runtime/run-ahead/dead", test_dead);
  return g_test_run ();
}
