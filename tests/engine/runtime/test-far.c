/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Nodes on devices with memory and queues of their own: simulated ones, which end the program where
 * somebody else touches that memory. */
#include <string.h>

#include "engine/device/sim.h"
#include "engine/graph/edit.h"
#include "tests/engine/runtime/fixture.h"

static const SluiceSessionOptions two_sims = { .device = "SIM:1", .device_options = "latency=1ms" };

static const SluiceEdge none = { NULL, 0 };

/* Of any shape. */
static SluiceEdge
placeholder (Fixture *f, const char *name, SluiceDType dtype)
{
  SluiceAttr attr = sluice_attr_type ("dtype", dtype);
  return sluice_builder_add (&f->b, "Placeholder", name, NULL, 0, &attr, 1);
}

static SluiceFeed
feed (const char *edge, SluiceTensor *tensor)
{
  return (SluiceFeed){ edge, tensor };
}

static const char *
device_of (Fixture *f, const char *name)
{
  return sluice_session_get_device_of (f->session, sluice_graph_find (f->graph, name));
}

/* From the host to a device, to another one, and back: each value is where it is read. */
static void
test_ways (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &two_sims);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge a = fixture_on (&f, "/device:SIM:0", "Neg", "a", x, none);
  SluiceEdge b = fixture_on (&f, "/device:SIM:1", "Mul", "b", a, a);
  SluiceEdge c = fixture_on (&f, "/device:CPU:0", "Add", "c", b, a);
  fixture_on (&f, "/device:SIM:0", "Add", "d", c, b);
  fixture_extend (&f);
  g_assert_cmpstr (device_of (&f, "a"), ==, "SIM:0");
  g_assert_cmpstr (device_of (&f, "b"), ==, "SIM:1");
  g_assert_cmpstr (device_of (&f, "c"), ==, "CPU:0");
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (SluiceTensor) fed = sluice_tensor_new_float ((float) i);
      SluiceFeed feeds[] = { feed ("x", fed) };
      float v = (float) i;
      g_assert_cmpfloat (fixture_fetch (&f, "a", feeds, 1), ==, -v);
      g_assert_cmpfloat (fixture_fetch (&f, "b", feeds, 1), ==, v * v);
      g_assert_cmpfloat (fixture_fetch (&f, "c", feeds, 1), ==, v * v - v);
      g_assert_cmpfloat (fixture_fetch (&f, "d", feeds, 1), ==, 2 * v * v - v);
    }
}

/* A reference on the device: assigned, added to in place, read there and fetched. */
static void
test_variable (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &two_sims);
  SluiceEdge v = fixture_variable (&f, "v", 3);
  SluiceEdge one = fixture_scalar (&f, 1);
  fixture_on (&f, NULL, "AssignAdd", "add", v, one);
  fixture_on (&f, NULL, "Neg", "negated", v, none);
  fixture_extend (&f);
  g_assert_cmpstr (device_of (&f, "v"), ==, "SIM:1");
  g_assert_true (fixture_run_target (&f, "v/Assign", NULL, NULL));
  for (guint i = 1; i < 4; i++)
    {
      g_assert_true (fixture_run_target (&f, "add", NULL, NULL));
      g_assert_cmpfloat (fixture_fetch (&f, "v", NULL, 0), ==, 3 + (float) i);
      g_assert_cmpfloat (fixture_fetch (&f, "negated", NULL, 0), ==, -3 - (float) i);
    }
}

/* An Identity of a reference has the variable's memory: who reads it behind an update sees that,
 * wherever the three of them stand. */
static void
test_identity (void)
{
  static const char *const devices[] = { "/device:CPU:0", "/device:SIM:0", "/device:SIM:1" };
  for (guint k = 0; k < 27; k++)
    {
      g_auto (Fixture) f = { NULL };
      fixture_init (&f, &two_sims);
      SluiceEdge v = fixture_variable (&f, "v", 3);
      sluice_graph_set_device (f.graph, v.node, devices[k % 3]);
      SluiceEdge update = fixture_on (&f, NULL, "AssignAdd", "add", v, fixture_scalar (&f, 1));
      SluiceEdge read = fixture_on (&f, devices[k / 3 % 3], "Identity", "read", v, none);
      sluice_graph_add_control_input (f.graph, update.node, read.node); /* which sees what was */
      SluiceNode *reader =
          fixture_node (&f, "Neg", "out", devices[k / 9], &read, 1, &update.node, 1, NULL, 0);
      g_assert_nonnull (reader);
      fixture_extend (&f);
      g_assert_true (fixture_run_target (&f, "v/Assign", NULL, NULL));
      for (guint i = 4; i < 7; i++)
        g_assert_cmpfloat (fixture_fetch (&f, "out", NULL, 0), ==, -(float) i);
    }
}

/* A variable that two nodes make on two devices lies on the first: the other one is told so. */
static void
test_wrong_device (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &two_sims);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE_SCALAR),
                         sluice_attr_string ("shared_name", "v") };
  static const char *const devices[] = { "/device:SIM:0", "/device:SIM:1", "/device:CPU:0" };
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("v%u", i),
                      *assign = g_strconcat (name, "/set", NULL);
      g_autofree char *add = g_strconcat (name, "/add", NULL),
                      *read = g_strconcat (name, "/neg", NULL);
      SluiceEdge v = {
        fixture_node (&f, "VariableV2", name, devices[i], NULL, 0, NULL, 0, attrs, 3), 0
      };
      fixture_on (&f, devices[i], "Assign", assign, v, fixture_scalar (&f, 3));
      fixture_on (&f, devices[i], "AssignAdd", add, v, fixture_scalar (&f, 1));
      fixture_on (&f, devices[i], "Neg", read, v, none);
    }
  fixture_extend (&f);
  static const char *const good[] = { "v0/set", "v0/add", "v0/neg" };
  static const char *const bad[] = { "v1/set", "v1/add", "v1/neg", "v2/set", "v2/add", "v2/neg" };
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_true (fixture_run_target (&f, good[i], NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (fixture_run_target (&f, bad[i], NULL, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, bad[i]));
      g_assert_nonnull (strstr (error->message, "lies in the memory of SIM:0"));
    }
  g_assert_cmpfloat (fixture_fetch (&f, "v0", NULL, 0), ==, 4);
}

/* A kernel that fails is named with its device; the session goes on. */
static void
test_failure (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &two_sims);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge y = placeholder (&f, "y", SLUICE_FLOAT);
  SluiceEdge sum = fixture_on (&f, NULL, "Add", "sum", x, y);
  fixture_on (&f, NULL, "Neg", "out", sum, none);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (2));
  g_autoptr (SluiceTensor) three = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (3));
  SluiceFeed feeds[] = { feed ("x", two), feed ("y", three) };
  const char *fetch = "out";
  SluiceStepNames names = { .feeds = feeds, .n_feeds = 2, .fetches = &fetch, .n_fetches = 1 };
  SluiceTensor *output = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_session_run (f.session, &names, &output, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "sum"));
  feeds[1].tensor = two;
  g_assert_true (sluice_session_run (f.session, &names, &output, NULL, NULL));
  g_assert_false (sluice_tensor_is_far (output));
  sluice_tensor_unref (output);
}

/* Whoever reads what such a kernel should have made does not run. */
static void
test_mute (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &two_sims);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge mute = fixture_on (&f, NULL, "TestMute", "mute", x, none);
  fixture_on (&f, NULL, "TestCount", "out", mute, none);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) one = sluice_tensor_new_float (1);
  SluiceFeed feeds[] = { feed ("x", one) };
  const char *fetch = "out";
  SluiceStepNames names = { .feeds = feeds, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  SluiceTensor *output = NULL;
  g_autoptr (GError) error = NULL;
  fixture_count = 0;
  g_assert_false (sluice_session_run (f.session, &names, &output, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INTERNAL);
  g_assert_nonnull (strstr (error->message, "'mute'"));
  g_assert_cmpint (fixture_count, ==, 0);
}

/* The device's memory is full: the error names the node and the device. */
static void
test_memory (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .device = "SIM:0", .device_options = "memory=1M" });
  SluiceEdge dims = placeholder (&f, "dims", SLUICE_INT32);
  SluiceEdge filled = fixture_on (&f, NULL, "Fill", "filled", dims, fixture_scalar (&f, 2));
  SluiceEdge axes = placeholder (&f, "axes", SLUICE_INT32);
  fixture_on (&f, NULL, "Sum", "sum", filled, axes);
  fixture_extend (&f);
  g_assert_cmpstr (device_of (&f, "filled"), ==, "SIM:0");
  const gint32 sizes[] = { 1000, 1 << 20, 1000 };
  const gint32 zero = 0;
  g_autoptr (SluiceTensor) axis =
      sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE_SCALAR, &zero);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (SluiceTensor) size =
          sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (1), &sizes[i]);
      SluiceFeed feeds[] = { feed ("dims", size), feed ("axes", axis) };
      const char *fetch = "sum";
      SluiceStepNames names = { .feeds = feeds, .n_feeds = 2, .fetches = &fetch, .n_fetches = 1 };
      SluiceTensor *output = NULL;
      g_autoptr (GError) error = NULL;
      gboolean ok = sluice_session_run (f.session, &names, &output, NULL, &error);
      g_assert_cmpint (ok, ==, sizes[i] == 1000);
      if (ok)
        {
          g_assert_cmpfloat (*(float *) output->data, ==, 2000);
          sluice_tensor_unref (output);
          continue;
        }
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
      g_assert_nonnull (strstr (error->message, "filled"));
      g_assert_nonnull (strstr (error->message, "SIM:0"));
    }
  g_assert_cmpuint (sluice_allocator_get_live (sluice_session_get_device (f.session, 1)->allocator),
                    <, 1 << 20);
}

/* Sessions that share plans have each its own device, and constants there. */
static void
test_like (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .device = "SIM:0" });
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT);
  fixture_on (&f, NULL, "Mul", "out", x, fixture_scalar (&f, 3));
  fixture_extend (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { feed ("x", two) };
  const char *fetch = "out";
  const SluiceStepNames names = { .feeds = feeds, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceTensor) output = NULL;
      g_autoptr (SluiceSession) like =
          sluice_session_new (&(SluiceSessionOptions){ .like = f.session }, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (fixture_fetch (&f, "out", feeds, 1), ==, 6);
      sluice_session_run (like, &names, &output, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (*(float *) output->data, ==, 6);
    }
}

/* What runs once leaves no constants on the device, once it is forgotten. */
static void
test_forget (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .device = "SIM:0" });
  const SluiceShape shape = SLUICE_SHAPE (1000, 100);
  g_autoptr (SluiceTensor) start = sluice_tensor_new_zeros (SLUICE_FLOAT, &shape);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &shape) };
  SluiceEdge v = sluice_builder_add (&f.b, "VariableV2", "v", NULL, 0, attrs, 2);
  SluiceEdge inputs[] = { v, sluice_builder_const (&f.b, sluice_tensor_ref (start)) };
  sluice_builder_add (&f.b, "Assign", "init", inputs, 2, NULL, 0);
  fixture_extend (&f);
  const char *target = "init";
  const SluiceStepNames names = { .targets = &target, .n_targets = 1 };
  SluiceAllocator *allocator = sluice_session_get_device (f.session, 1)->allocator;
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (sluice_session_run (f.session, &names, NULL, NULL, NULL));
      g_assert_cmpuint (sluice_allocator_get_live (allocator), >=, 800000);
      sluice_session_forget (f.session, &names);
      g_assert_cmpuint (sluice_allocator_get_live (allocator), >=, 400000);
      g_assert_cmpuint (sluice_allocator_get_live (allocator), <, 410000);
    }
}

/* ---- queues that stall ---- */

typedef struct
{
  Fixture *f;
  const char *fetch;
  GError *error;
  _Atomic int cancelled;
} Stalled;

static gpointer
run_stalled (gpointer data)
{
  Stalled *self = data;
  const SluiceRunOptions options = { .cancel_flag = &self->cancelled };
  g_autoptr (SluiceTensor) output = NULL;
  sluice_session_run (self->f->session,
                      &(SluiceStepNames){ .fetches = &self->fetch, .n_fetches = 1 }, &output,
                      &options, &self->error);
  return NULL;
}

/* A kernel that does not end holds its queue up: who cancels the run has it back, what stands
 * behind does not run, and the device is of use to the next. */
static void
test_stalled (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &two_sims);
  SluiceEdge stuck =
      fixture_on (&f, "/device:SIM:0", "TestWait", "stuck", fixture_scalar (&f, 2), none);
  fixture_on (&f, "/device:SIM:0", "TestCount", "behind", stuck, none);
  fixture_extend (&f);
  g_assert_cmpstr (device_of (&f, "stuck"), ==, "SIM:0");
  Stalled run = { &f, "behind", NULL, 0 };
  GThread *thread = g_thread_new ("run", run_stalled, &run);
  while (fixture_waiting == 0)
    g_thread_yield ();
  run.cancelled = 1;
  g_thread_join (thread);
  g_assert_error (run.error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  g_error_free (run.error);
  g_assert_cmpint (fixture_count, ==, 0);
  fixture_go = 1;
  g_assert_cmpfloat (fixture_fetch (&f, "behind", NULL, 0), ==, 2);
  g_assert_cmpint (fixture_count, ==, 1);
}

/* One device is full while another is at work: that ends, too, and the error is of the one that
 * was full. */
static void
test_full_in_flight (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .device = "SIM:1", .device_options = "memory=1M" });
  SluiceEdge stuck =
      fixture_on (&f, "/device:SIM:1", "TestWait", "stuck", fixture_scalar (&f, 2), none);
  SluiceEdge dims = placeholder (&f, "dims", SLUICE_INT32);
  SluiceEdge gate = fixture_on (&f, "/device:CPU:0", "TestCount", "gate", dims, none);
  SluiceEdge filled =
      fixture_on (&f, "/device:SIM:0", "Fill", "filled", gate, fixture_scalar (&f, 2));
  fixture_on (&f, "/device:SIM:0", "Mul", "both", filled, stuck);
  fixture_extend (&f);
  const gint32 n = 1 << 20;
  g_autoptr (SluiceTensor) size = sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (1), &n);
  SluiceFeed feeds[] = { feed ("dims", size) };
  const char *fetch = "both";
  const SluiceStepNames names = { .feeds = feeds, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) output = NULL;
  g_assert_false (sluice_session_run (f.session, &names, &output, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (error->message, "'filled'"));
  g_assert_nonnull (strstr (error->message, "SIM:0 may use 1.0"));
  for (guint i = 1; i < 3; i++)
    g_assert_cmpuint (
        sluice_allocator_get_live (sluice_session_get_device (f.session, i)->allocator), <, 65536);
}

/* A value of the device is looked at where it lies, and told on the host. */
static void
test_watch (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &two_sims);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge y = fixture_on (&f, NULL, "Neg", "y", x, none);
  fixture_on (&f, NULL, "Square", "z", y, none);
  fixture_extend (&f);
  g_autoptr (GError) error = NULL;
  SluiceWatch *watch = sluice_session_watch (f.session, "y:0", &error);
  g_assert_no_error (error);
  const float values[] = { 1, 2, 3 };
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (3), values);
  SluiceFeed feeds[] = { feed ("x", fed) };
  const char *fetch = "z";
  SluiceStepNames names = { .feeds = feeds, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  SluiceWatchReport report;
  SluiceTensor *output = NULL;
  g_assert_true (sluice_session_run (f.session, &names, &output, NULL, &error));
  g_assert_cmpfloat (((float *) output->data)[2], ==, 9);
  sluice_tensor_unref (output);
  sluice_watch_read (watch, &report);
  g_assert_cmpuint (report.n_looks, ==, 1);
  g_assert_cmpfloat (report.looks[0].values.min, ==, -3);
  sluice_watch_stop (watch);
}

/* (nullable): the one of the last step */
static const SluiceTraceEvent *
find_event (const GArray *events, const char *node, SluiceTraceKind kind, const char *device)
{
  const SluiceTraceEvent *found = NULL;
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceTraceEvent *event = &g_array_index (events, SluiceTraceEvent, i);
      if (g_str_equal (event->node, node) && event->kind == kind
          && g_str_has_suffix (event->device, device))
        found = event;
    }
  return found;
}

/* Which queue of which device a kernel ran in and a value came through. */
static void
test_trace (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &two_sims);
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge h = fixture_on (&f, "/device:CPU:0", "Neg", "h", x, none);
  SluiceEdge a = fixture_on (&f, "/device:SIM:0", "Neg", "a", h, none);
  SluiceEdge b = fixture_on (&f, "/device:SIM:1", "Mul", "b", a, a);
  fixture_on (&f, "/device:CPU:0", "Add", "c", b, a);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (1000));
  SluiceFeed feeds[] = { feed ("x", fed) };
  const char *fetch = "c";
  SluiceStepNames names = { .feeds = feeds, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  g_autoptr (GError) error = NULL;
  SluiceTensor *output = NULL;
  g_assert_true (sluice_session_run (f.session, &names, &output, NULL, &error));
  sluice_tensor_unref (output);
  guint64 cursor = 0;
  g_autoptr (GArray) events = sluice_session_dup_trace (f.session, &cursor, NULL);
  const struct
  {
    const char *node, *device;
    SluiceTraceKind kind;
    guint queue;
  } wanted[] = { { "h", "CPU:0", SLUICE_TRACE_NODE, 0 },
                 { "h", "SIM:0", SLUICE_TRACE_RECV, 1 + SLUICE_QUEUE_IN },
                 { "a", "SIM:0", SLUICE_TRACE_NODE, 1 + SLUICE_QUEUE_COMPUTE },
                 { "a", "SIM:1", SLUICE_TRACE_RECV, 1 + SLUICE_QUEUE_IN },
                 { "a", "SIM:0", SLUICE_TRACE_RECV, 1 + SLUICE_QUEUE_OUT },
                 { "b", "SIM:1", SLUICE_TRACE_RECV, 1 + SLUICE_QUEUE_OUT },
                 { "c", "CPU:0", SLUICE_TRACE_NODE, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      const SluiceTraceEvent *event =
          find_event (events, wanted[i].node, wanted[i].kind, wanted[i].device);
      g_assert_nonnull (event);
      g_assert_cmpuint (event->queue, ==, wanted[i].queue);
      g_assert_cmpuint (event->bytes_in, >=, 4000);
    }
}

/* A device that is not there is told by the number that was asked for. */
static void
test_missing (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_session_new (&(SluiceSessionOptions){ .device = "SIM:77" }, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "SIM:77"));
}

/* Strings stand on a CPU. */
static void
test_places (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .device = "SIM:0" });
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT);
  fixture_on (&f, NULL, "AsString", "words", x, none);
  fixture_on (&f, NULL, "Neg", "negated", x, none);
  fixture_extend (&f);
  g_assert_cmpstr (device_of (&f, "words"), ==, "CPU:0");
  g_assert_cmpstr (device_of (&f, "negated"), ==, "SIM:0");
}

/* Who insists on a device that has no kernel for the op is told what to do. */
static void
test_strict (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .device = "SIM:0", .strict_devices = TRUE });
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT);
  fixture_on (&f, "/device:SIM:0", "AsString", "words", x, none);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) one = sluice_tensor_new_float (1);
  SluiceFeed feeds[] = { feed ("x", one) };
  const char *fetch = "words";
  const SluiceStepNames names = { .feeds = feeds, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) output = NULL;
  g_assert_false (sluice_session_run (f.session, &names, &output, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  static const char *const words[] = { "'words'", "/device:SIM:0", "CPU" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (error->message, words[i]) == NULL)
      g_error ("'%s' does not say '%s'", error->message, words[i]);
}

/* What does not fit where it is sent to: the error says under which key it was on its way. */
static void
test_transfer_memory (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .device = "SIM:0", .device_options = "memory=1M" });
  SluiceEdge dims = placeholder (&f, "dims", SLUICE_INT32);
  SluiceEdge filled =
      fixture_on (&f, "/device:CPU:0", "Fill", "filled", dims, fixture_scalar (&f, 2));
  fixture_on (&f, "/device:SIM:0", "Neg", "there", filled, none);
  fixture_extend (&f);
  const gint32 n = 1 << 20;
  g_autoptr (SluiceTensor) size = sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (1), &n);
  SluiceFeed feeds[] = { feed ("dims", size) };
  const char *fetch = "there";
  SluiceStepNames names = { .feeds = feeds, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  SluiceTensor *output = NULL;
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_session_run (f.session, &names, &output, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  static const char *const words[] = {
    "filled", "on the way as '/job:localhost/replica:0/task:0/device:CPU:0;0000000000000001;"
              "/job:localhost/replica:0/task:0/device:SIM:0;filled:0'"
  };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (error->message, words[i]) == NULL)
      g_error ("'%s' does not say '%s'", error->message, words[i]);
}

/* Floats lose the lower half of their bits on the way off the device, not on it. */
static void
test_truncate (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .device = "SIM:0", .truncate_transfers = TRUE });
  SluiceEdge x = placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge far = fixture_on (&f, NULL, "Neg", "far", x, none);
  fixture_on (&f, "/device:CPU:0", "Identity", "near", far, none);
  fixture_extend (&f);
  float third = 1.0f / 3, near, cut = -third;
  guint32 bits;
  memcpy (&bits, &cut, sizeof bits);
  bits &= 0xffff0000;
  memcpy (&cut, &bits, sizeof bits);
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (third);
  SluiceFeed feeds[] = { feed ("x", fed) };
  g_assert_cmpfloat (fixture_fetch (&f, "far", feeds, 1), ==, -third);
  near = fixture_fetch (&f, "near", feeds, 1);
  g_assert_cmpfloat (near, ==, cut);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/far/ways", test_ways);
  g_test_add_func ("/runtime/far/variable", test_variable);
  g_test_add_func ("/runtime/far/identity", test_identity);
  g_test_add_func ("/runtime/far/wrong-device", test_wrong_device);
  g_test_add_func ("/runtime/far/failure", test_failure);
  g_test_add_func ("/runtime/far/mute", test_mute);
  g_test_add_func ("/runtime/far/memory", test_memory);
  g_test_add_func ("/runtime/far/transfer-memory", test_transfer_memory);
  g_test_add_func ("/runtime/far/missing", test_missing);
  g_test_add_func ("/runtime/far/places", test_places);
  g_test_add_func ("/runtime/far/strict", test_strict);
  g_test_add_func ("/runtime/far/stalled", test_stalled);
  g_test_add_func ("/runtime/far/full-in-flight", test_full_in_flight);
  g_test_add_func ("/runtime/far/like", test_like);
  g_test_add_func ("/runtime/far/forget", test_forget);
  g_test_add_func ("/runtime/far/watch", test_watch);
  g_test_add_func ("/runtime/far/truncate", test_truncate);
  g_test_add_func ("/runtime/far/trace", test_trace);
  return g_test_run ();
}
