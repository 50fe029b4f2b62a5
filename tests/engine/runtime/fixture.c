/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/runtime/fixture.h"

#include <pthread.h>

_Atomic int fixture_count, fixture_go, fixture_waiting, fixture_clock;
_Atomic int fixture_order[FIXTURE_MAX_ORDER];

static gboolean
count_compute (SluiceKernelCall *call)
{
  atomic_fetch_add (&fixture_count, 1);
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static gboolean
wait_compute (SluiceKernelCall *call)
{
  atomic_fetch_add (&fixture_waiting, 1);
  while (!atomic_load (&fixture_go) && !atomic_load (call->cancelled))
    g_usleep (100);
  atomic_fetch_sub (&fixture_waiting, 1);
  if (!atomic_load (&fixture_go))
    return sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "gave up");
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static gboolean
fold_compute (SluiceKernelCall *call)
{
  atomic_fetch_add (&fixture_waiting, 1);
  while (!atomic_load (&fixture_go))
    g_usleep (100);
  atomic_fetch_sub (&fixture_waiting, 1);
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static gboolean
fail_compute (SluiceKernelCall *call)
{
  return sluice_call_fail (call, SLUICE_ERROR_OUT_OF_RANGE, "fails by design");
}

static gboolean
mute_compute (SluiceKernelCall *call)
{
  return FALSE;
}

static void *
later_thread (void *data)
{
  SluiceKernelCall *call = data;
  while (!atomic_load (&fixture_go) && !atomic_load (call->cancelled))
    g_usleep (100);
  if (atomic_load (&fixture_go))
    sluice_call_forward (call, 0, 0);
  else
    sluice_call_fail (call, SLUICE_ERROR_CANCELLED, "gave up");
  call->done (call);
  return NULL;
}

static void
later_start (SluiceKernelCall *call)
{
  pthread_t thread;
  g_assert_cmpint (pthread_create (&thread, NULL, later_thread, call), ==, 0);
  pthread_detach (thread);
}

static gboolean
stamp_compute (SluiceKernelCall *call)
{
  gint64 slot = sluice_node_get_int (call->node, "slot");
  fixture_order[slot] = atomic_fetch_add (&fixture_clock, 1);
  for (guint i = 0; i < call->n_outputs; i++)
    {
      SluiceTensor *out = sluice_call_output (call, i, &SLUICE_SHAPE_SCALAR);
      *(float *) out->data = (float) slot;
    }
  return TRUE;
}

static gboolean
half_compute (SluiceKernelCall *call)
{
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

/* About 20 us of work whose result shows if two ever ran into each other. */
static gboolean
spin_compute (SluiceKernelCall *call)
{
  float value = *(float *) sluice_call_input (call, 0)->data;
  guint64 until = sluice_clock_ticks () + (guint64) (20000 / sluice_clock_ns_per_tick ());
  while (sluice_clock_ticks () < until)
    ;
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  *(float *) out->data = value * 0.5f + 1.0f;
  return TRUE;
}

static const SluiceRecipe in_tests = { .why_none = "exists in tests only" };

#define TEST_OP(symbol, op, sig, attributes)                                                       \
  static const SluiceOpDef symbol = { .name = op,                                                  \
                                      .signature = sig,                                            \
                                      .attrs = attributes,                                         \
                                      .summary = op,                                               \
                                      .flags = SLUICE_OP_STATEFUL,                                 \
                                      .recipe = &in_tests }
TEST_OP (count_op, "TestCount", "x: T -> y: T", "T: type");
TEST_OP (wait_op, "TestWait", "x: T -> y: T", "T: type");
TEST_OP (fail_op, "TestFail", "x: T -> y: T", "T: type");
TEST_OP (mute_op, "TestMute", "x: T -> y: T", "T: type");
TEST_OP (later_op, "TestLater", "x: T -> y: T", "T: type");
TEST_OP (spin_op, "TestSpin", "x: float -> y: float", NULL);
TEST_OP (stamp_op, "TestStamp", "-> y: float", "slot: int");
TEST_OP (half_op, "TestHalf", "x: T -> y: T, never: T", "T: type");
TEST_OP (no_kernel_op, "TestNoKernel", "x: T -> y: T", "T: type");

static const SluiceOpDef fold_op = { .name = "TestFold",
                                     .signature = "x: T -> y: T",
                                     .attrs = "T: type",
                                     .summary = "TestFold",
                                     .recipe = &in_tests };

static const SluiceOpDef *const ops[] = { &fold_op,  &mute_op, &count_op, &wait_op, &fail_op,
                                          &later_op, &spin_op, &stamp_op, &half_op, &no_kernel_op };
static const SluiceKernel kernels[] = {
  { .op = "TestCount", .device = "CPU", .compute = count_compute },
  { .op = "TestWait", .device = "CPU", .compute = wait_compute },
  { .op = "TestFold", .device = "CPU", .compute = fold_compute },
  { .op = "TestMute", .device = "CPU", .compute = mute_compute },
  { .op = "TestFail", .device = "CPU", .compute = fail_compute },
  { .op = "TestLater", .device = "CPU", .flags = SLUICE_KERNEL_ASYNC, .start = later_start },
  { .op = "TestSpin", .device = "CPU", .compute = spin_compute },
  { .op = "TestHalf", .device = "CPU", .compute = half_compute },
  { .op = "TestStamp", .device = "CPU", .compute = stamp_compute },
};
static const SluiceKernelModule module = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

void
fixture_init_registry (void)
{
  g_autoptr (GPtrArray) modules = g_ptr_array_new ();
  for (const SluiceKernelModule *const *m = sluice_kernel_modules (); *m; m++)
    g_ptr_array_add (modules, (gpointer) *m);
  g_ptr_array_add (modules, (gpointer) &module);
  g_ptr_array_add (modules, NULL);
  sluice_registry_init ((const SluiceKernelModule *const *) modules->pdata);
}

void
fixture_init (Fixture *self, const SluiceSessionOptions *options)
{
  g_autoptr (GError) error = NULL;
  self->graph = sluice_graph_new ();
  sluice_builder_init (&self->b, self->graph, NULL);
  self->session = sluice_session_new (options, &error);
  g_assert_no_error (error);
  fixture_go = fixture_waiting = fixture_count = fixture_clock = 0;
}

void
fixture_clear (Fixture *self)
{
  g_object_unref (self->session);
  sluice_graph_unref (self->graph);
}

void
fixture_extend (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  sluice_builder_finish (&self->b, &error);
  g_assert_no_error (error);
  sluice_session_extend (self->session, self->graph, &error);
  g_assert_no_error (error);
}

SluiceEdge
fixture_on (
    Fixture *self, const char *device, const char *op, const char *name, SluiceEdge a, SluiceEdge b)
{
  SluiceEdge inputs[] = { a, b };
  guint n = b.node != NULL ? 2 : 1;
  return (SluiceEdge){ fixture_node (self, op, name, device, inputs, n, NULL, 0, NULL, 0), 0 };
}

SluiceEdge
fixture_placeholder (Fixture *self, const char *name, SluiceDType dtype)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", dtype),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE_SCALAR) };
  return sluice_builder_add (&self->b, "Placeholder", name, NULL, 0, attrs, 2);
}

SluiceEdge
fixture_scalar (Fixture *self, float value)
{
  return sluice_builder_const (&self->b, sluice_tensor_new_float (value));
}

SluiceEdge
fixture_variable (Fixture *self, const char *name, float initial)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE_SCALAR) };
  SluiceEdge variable = sluice_builder_add (&self->b, "VariableV2", name, NULL, 0, attrs, 2);
  g_autofree char *assign = g_strconcat (name, "/Assign", NULL);
  SluiceEdge inputs[] = { variable, fixture_scalar (self, initial) };
  sluice_builder_add (&self->b, "Assign", assign, inputs, 2, NULL, 0);
  return variable;
}

SluiceNode *
fixture_node (Fixture *self,
              const char *op,
              const char *name,
              const char *device,
              const SluiceEdge *inputs,
              guint n_inputs,
              SluiceNode *const *controls,
              guint n_controls,
              const SluiceAttr *attrs,
              guint n_attrs)
{
  g_autoptr (GError) error = NULL;
  SluiceNodeSpec spec = { .name = name,
                          .op = op,
                          .device = device,
                          .inputs = inputs,
                          .n_inputs = n_inputs,
                          .control_inputs = controls,
                          .n_control_inputs = n_controls,
                          .attrs = attrs,
                          .n_attrs = n_attrs };
  SluiceNode *node = sluice_graph_add (self->graph, &spec, &error);
  g_assert_no_error (error);
  return node;
}

float
fixture_fetch (Fixture *self, const char *fetch, const SluiceFeed *feeds, guint n_feeds)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) output = NULL;
  sluice_session_run (
      self->session,
      &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = n_feeds, .n_fetches = 1 },
      &output, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (output->dtype, ==, SLUICE_FLOAT);
  return *(float *) output->data;
}

gboolean
fixture_run_target (Fixture *self,
                    const char *target,
                    const SluiceRunOptions *options,
                    GError **error)
{
  return sluice_session_run (self->session,
                             &(SluiceStepNames){ .targets = &target, .n_targets = 1 }, NULL,
                             options, error);
}
