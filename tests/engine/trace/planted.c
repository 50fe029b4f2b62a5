/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/trace/planted.h"

#include <pthread.h>
#include <string.h>

#include "engine/base/lock.h"
#include "engine/passes/passes.h"
#include "engine/trace/fill.h"
#include "engine/trace/memory-recorder.h"

#define N_WARM                                                                                     \
  3 /* steps that are not recorded, and in which the session learns what takes long                \
     */

static _Atomic gint64 delay_us;
static _Atomic int n_holding;

/* ---- ops ---- */

static void
spin (gint64 us)
{
  guint64 until =
      sluice_clock_ticks () + (guint64) ((double) us * 1000 / sluice_clock_ns_per_tick ());
  while (sluice_clock_ticks () < until)
    ;
}

static gint64
time_of (const SluiceKernelCall *call)
{
  return sluice_node_get_int (call->node, "us");
}

static gboolean
busy_compute (SluiceKernelCall *call)
{
  spin (time_of (call) + (g_str_has_prefix (call->node->name, "late") ? delay_us : 0));
  float value = *(float *) sluice_call_input (call, 0)->data;
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out != NULL)
    *(float *) out->data = value + 1;
  return out != NULL;
}

static gboolean
hold_compute (SluiceKernelCall *call)
{
  SluiceVariable *variable = (SluiceVariable *) sluice_call_handle (call, 0, &sluice_variable_type);
  if (variable == NULL)
    return FALSE;
  sluice_lock (&variable->lock, SLUICE_LOCK_VARIABLE);
  n_holding++;
  spin (time_of (call));
  n_holding--;
  pthread_mutex_unlock (&variable->lock);
  sluice_call_forward (call, 0, 1);
  return TRUE;
}

static void *
go_by (void *data)
{
  SluiceKernelCall *call = data;
  spin (time_of (call));
  sluice_call_forward (call, 0, 0);
  call->done (call);
  return NULL;
}

static void
elsewhere_start (SluiceKernelCall *call)
{
  pthread_t thread;
  g_assert_cmpint (pthread_create (&thread, NULL, go_by, call), ==, 0);
  pthread_detach (thread);
}

static gboolean
make_compute (SluiceKernelCall *call)
{
  gint64 n = sluice_node_get_int (call->node, "bytes") / (gint64) sizeof (float);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (n));
  if (out != NULL)
    memset (out->data, 0, (gsize) n * sizeof (float));
  return out != NULL;
}

/* Values that somebody has forgotten. */
static GPtrArray *kept;

static gboolean
read_compute (SluiceKernelCall *call)
{
  if (sluice_node_get_bool (call->node, "keeps"))
    g_ptr_array_add (kept, sluice_tensor_ref (sluice_call_input (call, 0)));
  spin (200);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out != NULL)
    *(float *) out->data = 0;
  return out != NULL;
}

static gboolean
drop_compute (SluiceKernelCall *call)
{
  g_ptr_array_set_size (kept, 0);
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static const SluiceRecipe in_tests = { .why_none = "exists in tests only" };

#define TEST_OP(symbol, op, sig, attributes)                                                       \
  static const SluiceOpDef symbol = {                                                              \
    .name = op, .signature = sig, .attrs = attributes, .summary = op, .recipe = &in_tests          \
  }
TEST_OP (busy_op, "TestBusy", "x: float -> y: float", "us: int");
TEST_OP (hold_op, "TestHold", "variable: resource, x: float -> y: float", "us: int");
TEST_OP (elsewhere_op, "TestElsewhere", "x: float -> y: float", "us: int");
TEST_OP (make_op, "TestMake", "after: float -> y: float", "bytes: int");
TEST_OP (read_op, "TestRead", "x: float -> y: float", "keeps: bool");
TEST_OP (drop_op, "TestDrop", "x: float -> y: float", NULL);

static const SluiceOpDef *const ops[] = { &busy_op, &hold_op, &elsewhere_op,
                                          &make_op, &read_op, &drop_op };
static const SluiceKernel kernels[] = {
  { .op = "TestBusy", .device = "CPU", .compute = busy_compute },
  { .op = "TestHold", .device = "CPU", .compute = hold_compute },
  { .op = "TestElsewhere",
    .device = "CPU",
    .flags = SLUICE_KERNEL_ASYNC,
    .start = elsewhere_start },
  { .op = "TestMake", .device = "CPU", .compute = make_compute },
  { .op = "TestRead", .device = "CPU", .compute = read_compute },
  { .op = "TestDrop", .device = "CPU", .compute = drop_compute },
};
static const SluiceKernelModule module = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

void
planted_init_registry (void)
{
  const SluiceKernelModule *const modules[] = { &module, NULL };
  g_autoptr (GError) error = NULL;
  fixture_init_registry ();
  sluice_registry_add_modules (modules, &error);
  g_assert_no_error (error);
  sluice_passes_init ();
  kept = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref);
}

/* ---- building ---- */

static SluiceEdge
add (Planted *self,
     const char *op,
     const char *name,
     const char *device,
     const SluiceEdge *inputs,
     guint n_inputs,
     SluiceAttr attr)
{
  SluiceNode *node = fixture_node (&self->f, op, name, device, inputs, n_inputs, NULL, 0, &attr,
                                   attr.name != NULL ? 1 : 0);
  return (SluiceEdge){ node, 0 };
}

SluiceEdge
planted_busy (Planted *self, const char *name, const char *device, SluiceEdge x, gint64 us)
{
  return add (self, "TestBusy", name, device, &x, 1, sluice_attr_int ("us", us));
}

SluiceEdge
planted_hold (Planted *self, const char *name, SluiceEdge variable, SluiceEdge x, gint64 us)
{
  const SluiceEdge inputs[] = { variable, x };
  return add (self, "TestHold", name, NULL, inputs, 2, sluice_attr_int ("us", us));
}

SluiceEdge
planted_elsewhere (Planted *self, const char *name, SluiceEdge x, gint64 us)
{
  return add (self, "TestElsewhere", name, NULL, &x, 1, sluice_attr_int ("us", us));
}

SluiceEdge
planted_make (Planted *self, const char *name, SluiceEdge after, gint64 bytes)
{
  return add (self, "TestMake", name, NULL, &after, 1, sluice_attr_int ("bytes", bytes));
}

SluiceEdge
planted_read (Planted *self, const char *name, SluiceEdge x, gboolean keeps)
{
  return add (self, "TestRead", name, NULL, &x, 1, sluice_attr_bool ("keeps", keeps));
}

SluiceEdge
planted_drop (Planted *self, const char *name, SluiceEdge after)
{
  return add (self, "TestDrop", name, NULL, &after, 1, (SluiceAttr){ NULL });
}

SluiceEdge
planted_variable (Planted *self, const char *name, gint64 n)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE_UNKNOWN) };
  g_autofree char *init = g_strconcat (name, "/init", NULL);
  SluiceEdge handle = sluice_builder_add (&self->f.b, "VarHandleOp", name, NULL, 0, attrs, 2);
  SluiceTensor *zeros = sluice_tensor_new (NULL, SLUICE_FLOAT, &SLUICE_SHAPE (n),
                                           (SluiceOwner){ 0, SLUICE_MEMORY_OTHER });
  memset (zeros->data, 0, (gsize) n * sizeof (float));
  SluiceEdge inputs[] = { handle, sluice_builder_const (&self->f.b, zeros) };
  sluice_builder_add (&self->f.b, "AssignVariableOp", init, inputs, 2, attrs, 1);
  return handle;
}

void
planted_delay (gint64 us)
{
  delay_us = us;
}

void
planted_wait_for_holder (void)
{
  while (n_holding == 0)
    g_thread_yield ();
}

/* ---- running ---- */

static gboolean
is_init (const SluiceNode *node)
{
  return g_str_has_suffix (node->name, "/init");
}

static gboolean
is_of_step (const SluiceNode *node)
{
  return !is_init (node) && !g_str_has_prefix (node->name, "feed");
}

/* A node that waits for all of them that nobody waits for. */
static void
add_last (Planted *self, const char *name, gboolean (*is_wanted) (const SluiceNode *node))
{
  g_autoptr (GPtrArray) last = g_ptr_array_new ();
  g_autoptr (GHashTable) read = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (self->f.graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (self->f.graph, i);
      for (guint k = 0; k < node->n_inputs; k++)
        g_hash_table_add (read, node->inputs[k].node);
      for (guint k = 0; k < node->n_control_inputs; k++)
        g_hash_table_add (read, node->control_inputs[k]);
    }
  for (guint i = 0; i < sluice_graph_get_n_nodes (self->f.graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (self->f.graph, i);
      if (!g_hash_table_contains (read, node) && is_wanted (node))
        g_ptr_array_add (last, node);
    }
  fixture_node (&self->f, "NoOp", name, NULL, NULL, 0, (SluiceNode *const *) last->pdata, last->len,
                NULL, 0);
}

static void
run_target (Planted *self, const char *target, guint64 step)
{
  g_autoptr (GError) error = NULL;
  fixture_run_target (&self->f, target, &(SluiceRunOptions){ .step = step, .may_wait = TRUE },
                      &error);
  g_assert_no_error (error);
}

typedef struct
{
  Planted *planted;
  gint64 us;
  _Atomic gboolean ends;
} Feeder;

static void *
feed (void *data)
{
  Feeder *feeder = data;
  while (!feeder->ends)
    {
      g_usleep ((gulong) feeder->us);
      run_target (feeder->planted, "feed", 0);
    }
  return NULL;
}

static void
keep_memory (Planted *self, GPtrArray *tapes, const char *device)
{
  for (guint i = 0; i < tapes->len; i++)
    if (g_str_equal (((SluiceMemoryTape *) tapes->pdata[i])->device, device))
      g_ptr_array_add (self->memories, sluice_memory_view_new (tapes->pdata[i]));
}

static void
run_steps (Planted *self, const PlantedProgram *program)
{
  guint64 cursor = 0;
  guint n = program->n_steps > 0 ? program->n_steps : PLANTED_STEPS;
  g_autoptr (SluiceMemoryRecorder) recorder = sluice_memory_recorder_new (self->f.session);
  for (guint64 step = 1; step <= N_WARM + n; step++)
    {
      gboolean records = program->device != NULL && step > N_WARM;
      if (program->before_step != NULL)
        program->before_step (self, step);
      if (records)
        g_assert_true (sluice_memory_recorder_begin (recorder));
      run_target (self, "step", step);
      if (records)
        {
          g_autoptr (GPtrArray) tapes = sluice_memory_recorder_end (recorder, step);
          keep_memory (self, tapes, program->device);
        }
      g_autoptr (GArray) events = sluice_session_dup_trace (self->f.session, &cursor, NULL);
      for (guint i = events->len; i-- > 0;)
        if (g_array_index (events, SluiceTraceEvent, i).step == 0)
          g_array_remove_index (events, i); /* the feeder's */
      if (step > N_WARM)
        sluice_trace_view_add_events (self->view, events);
    }
}

void
planted_run (Planted *self, const PlantedProgram *program, gboolean is_mended)
{
  *self = (Planted){ .is_mended = is_mended, .view = sluice_trace_view_new () };
  Feeder feeder = { self, program->feeder_us };
  pthread_t thread;
  self->memories = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_view_free);
  planted_delay (0);
  fixture_init (&self->f, &program->options);
  program->build (self);
  add_last (self, "step", is_of_step);
  add_last (self, "init", is_init);
  fixture_extend (&self->f);
  if (program->first != NULL)
    run_target (self, program->first, 0);
  if (program->feeder_us > 0)
    run_target (self, "feed", 0); /* its plan is made */
  if (program->feeder_us > 0)
    g_assert_cmpint (pthread_create (&thread, NULL, feed, &feeder), ==, 0);
  run_steps (self, program);
  feeder.ends = TRUE;
  if (program->feeder_us > 0)
    pthread_join (thread, NULL);
}

void
planted_clear (Planted *self)
{
  g_clear_pointer (&self->memories, g_ptr_array_unref);
  sluice_trace_view_free (self->view);
  g_ptr_array_set_size (kept, 0);
  fixture_clear (&self->f);
}

/* ---- asking ---- */

gint64
planted_get_period (const Planted *self)
{
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (self->view, &n);
  return (steps[n - 1].end - steps[0].start) / n;
}

gsize
planted_get_reserved (const Planted *self)
{
  gsize most = 0;
  for (guint i = 0; i < self->memories->len; i++)
    {
      const SluiceMemoryView *view = self->memories->pdata[i];
      most = MAX (most, sluice_memory_view_get_reserved (view, sluice_memory_view_get_peak (view)));
    }
  return most;
}
