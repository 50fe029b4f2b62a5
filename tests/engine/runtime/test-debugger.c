/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Runs that stop: where, under which conditions, what can be asked and changed there, how they go
 * on, and that nothing of it leaves a trace. */
#include <math.h>
#include <string.h>

#include "engine/graph/graphdef.h"
#include "tests/engine/runtime/debugged.h"
#include "tests/engine/runtime/fixture.h"

static SluiceEdge
placeholder (Fixture *f, const char *name, const SluiceShape *shape)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", shape) };
  return sluice_builder_add (&f->b, "Placeholder", name, NULL, 0, attrs, 2);
}

static SluiceTensor *
vector (gint64 n, float first)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (n));
  for (gint64 i = 0; i < n; i++)
    ((float *) tensor->data)[i] = first + (float) i;
  return tensor;
}

static SluiceEdge
add (Fixture *f, const char *op, const char *name, SluiceEdge a, SluiceEdge b)
{
  return sluice_builder_add (&f->b, op, name, (SluiceEdge[]){ a, b }, b.node != NULL ? 2 : 1, NULL,
                             0);
}

static const SluiceEdge none = { NULL, 0 };

/* x -> y = x + 1 -> z = y * w -> out = -z, all scalars; w is 3. */
static void
init_chain (Fixture *f, Debugged *run)
{
  fixture_init (f, NULL);
  SluiceEdge x = placeholder (f, "x", &SLUICE_SHAPE_SCALAR);
  SluiceEdge y = add (f, "Add", "s/y", x, fixture_scalar (f, 1));
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_tensor ("value", three) };
  SluiceEdge w = sluice_builder_add (&f->b, "Const", "w", NULL, 0, attrs, 2);
  SluiceEdge z = add (f, "Mul", "s/z", y, w);
  add (f, "Neg", "out", z, none);
  fixture_extend (f);
  debugged_init (run, f->session);
}

static const char *const out[] = { "out:0" };

/* out, with x fed. */
#define OUT_OF(feed)                                                                               \
  ((SluiceStepNames){ .feeds = (feed), .n_feeds = 1, .fetches = out, .n_fetches = 1 })

/* ---- stops ---- */

static void
test_before_and_behind (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  init_chain (&f, &run);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (4);
  const SluiceFeed feed = { "x:0", x };
  const SluiceStepNames names = OUT_OF (&feed);
  guint before = debugged_break (&run, "s/z"), behind = debugged_break (&run, "s/z:0");
  run.options.step = 7;
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) first = debugged_wait_for (&run, "s/z");
  g_assert_cmpint (first->kind, ==, SLUICE_STOP_BEFORE);
  g_assert_cmpuint (first->breakpoint, ==, before);
  g_assert_cmpuint (first->step, ==, 7);
  g_assert_cmpuint (first->inputs->len, ==, 2);
  g_assert_cmpstr (g_array_index (first->inputs, SluiceDebugValue, 0).edge, ==, "s/y:0");
  g_assert_cmpfloat (debugged_float (first->inputs, 0), ==, 5);
  g_assert_cmpfloat (debugged_float (first->inputs, 1), ==, 3);
  g_assert_cmpuint (first->outputs->len, ==, 0);
  sluice_debugger_next (run.debugger);
  g_autoptr (SluiceStop) second = debugged_wait_for (&run, "s/z");
  g_assert_cmpint (second->kind, ==, SLUICE_STOP_BEHIND);
  g_assert_cmpuint (second->breakpoint, ==, behind);
  g_assert_cmpfloat (debugged_float (second->inputs, 0), ==, 5);
  g_assert_cmpfloat (debugged_float (second->outputs, 0), ==, 15);
  /* From here, node by node, to the end. */
  sluice_debugger_step (run.debugger);
  g_autoptr (SluiceStop) third = debugged_wait_for (&run, "out");
  g_assert_cmpfloat (debugged_float (third->inputs, 0), ==, 15);
  sluice_debugger_step (run.debugger);
  g_autoptr (SluiceStop) last = debugged_wait (&run);
  g_assert_cmpint (last->kind, ==, SLUICE_STOP_END);
  g_assert_cmpfloat (debugged_float (last->ran_outputs, 0), ==, -15);
  sluice_debugger_next (run.debugger);
  debugged_expect_end (&run);
  g_assert_cmpfloat (*(float *) run.outputs[0]->data, ==, -15);
}

/* Of three runs with 1, 2 and 3: which of them stop, as a bit each. */
static guint
stops_with (const char *text)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  guint bits = 0;
  init_chain (&f, &run);
  debugged_break (&run, text);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (SluiceTensor) x = sluice_tensor_new_float ((float) (i + 1));
      const SluiceFeed feed = { "x:0", x };
      const SluiceStepNames names = OUT_OF (&feed);
      run.options.step = i + 1;
      debugged_begin (&run, &names);
      g_autoptr (SluiceStop) stop = debugged_wait (&run);
      bits |= (stop != NULL ? 1u : 0) << i;
      sluice_debugger_go (run.debugger);
      debugged_expect_end (&run);
      g_assert_cmpfloat (*(float *) run.outputs[0]->data, ==, -3.0f * (float) (i + 2));
    }
  return bits;
}

static void
test_conditions (void)
{
  g_assert_cmpuint (stops_with ("s/z"), ==, 7);
  g_assert_cmpuint (stops_with ("s/"), ==, 7);
  g_assert_cmpuint (stops_with ("s/z if |x| > 8.5"), ==, 6);
  g_assert_cmpuint (stops_with ("s/z if |x| > 9 and step >= 3"), ==, 4);
  g_assert_cmpuint (stops_with ("s/ if |x| > 11.5"), ==, 4);
  g_assert_cmpuint (stops_with ("s/z if nonfinite"), ==, 0);
  g_assert_cmpuint (stops_with ("s/z if step >= 2"), ==, 6);
  g_assert_cmpuint (stops_with ("s/z if hits >= 3"), ==, 4);
  g_assert_cmpuint (stops_with ("s/z if |x| > 8.5 and hits >= 2"), ==, 4);
  g_assert_cmpuint (stops_with ("s/z if shape is []"), ==, 7);
  g_assert_cmpuint (stops_with ("s/z if shape is not []"), ==, 0);
  g_assert_cmpuint (stops_with ("s/z if shape is [?]"), ==, 0);
  g_assert_cmpuint (stops_with ("* if |x| > 11.5"), ==, 4);
}

/* The first node that makes it, and what of. */
static void
test_non_finite (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", &SLUICE_SHAPE (3));
  SluiceEdge y = add (&f, "Log", "log", x, none);
  add (&f, "Neg", "out", add (&f, "Tanh", "tanh", y, none), none);
  fixture_extend (&f);
  debugged_init (&run, f.session);
  debugged_break (&run, "* if nonfinite");
  g_autoptr (SluiceTensor) fed = vector (3, -1);
  const SluiceFeed feed = { "x:0", fed };
  const SluiceStepNames names = OUT_OF (&feed);
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) stop = debugged_wait_for (&run, "log");
  const SluiceTensor *in = g_array_index (stop->inputs, SluiceDebugValue, 0).tensor;
  const SluiceTensor *made = g_array_index (stop->outputs, SluiceDebugValue, 0).tensor;
  g_assert_cmpfloat (((float *) in->data)[0], ==, -1);
  g_assert_true (isnan (((float *) made->data)[0]));
  /* Another value instead: what follows is finite. */
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) zeros = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (3));
  sluice_debugger_put (run.debugger, "log", zeros, &error);
  g_assert_no_error (error);
  sluice_debugger_next (run.debugger);
  debugged_expect_end (&run);
  g_assert_cmpfloat (((float *) run.outputs[0]->data)[0], ==, 0);
}

/* ---- other values ---- */

static void
test_put (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  init_chain (&f, &run);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (4);
  g_autoptr (SluiceTensor) ten = sluice_tensor_new_float (10);
  g_autoptr (SluiceTensor) pair = vector (2, 0);
  g_autoptr (SluiceTensor) whole = sluice_tensor_new_int32 (1);
  const SluiceFeed feed = { "x:0", x };
  const SluiceStepNames names = OUT_OF (&feed);
  g_assert_false (sluice_debugger_put (run.debugger, "w", ten, NULL));
  guint number = debugged_break (&run, "s/z");
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      debugged_begin (&run, &names);
      g_autoptr (SluiceStop) stop = debugged_wait_for (&run, "s/z");
      /* A constant of the plan, which the next run must find as it was. */
      g_assert_cmpfloat (debugged_float (stop->inputs, 1), ==, 3);
      sluice_debugger_put (run.debugger, i == 0 ? "w" : i == 1 ? "s/y:0" : "1", ten, &error);
      g_assert_no_error (error);
      g_assert_false (sluice_debugger_put (run.debugger, "w", pair, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
      g_assert_false (sluice_debugger_put (run.debugger, "w", whole, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
      g_assert_false (sluice_debugger_put (run.debugger, "x", ten, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
      g_assert_nonnull (strstr (error->message, "s/y:0, w:0"));
      sluice_debugger_next (run.debugger);
      debugged_expect_end (&run);
      g_assert_cmpfloat (*(float *) run.outputs[0]->data, ==, i == 1 ? -30 : -50);
    }
  g_assert_true (sluice_debugger_remove (run.debugger, number));
  g_assert_false (sluice_debugger_remove (run.debugger, number));
  debugged_begin (&run, &names);
  debugged_expect_end (&run);
  g_assert_cmpfloat (*(float *) run.outputs[0]->data, ==, -15);
}

/* What is read of a variable may be another value; the variable stays what it is. */
static void
test_put_variable (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge w = fixture_variable (&f, "w", 3);
  SluiceEdge step[] = { w, fixture_scalar (&f, 1) };
  sluice_builder_add (&f.b, "AssignAdd", "more", step, 2, NULL, 0);
  add (&f, "Neg", "out", w, none);
  fixture_extend (&f);
  debugged_init (&run, f.session);
  g_assert_true (fixture_run_target (&f, "w/Assign", NULL, NULL));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) ten = sluice_tensor_new_float (10);
  debugged_break (&run, "out");
  debugged_break (&run, "more");
  const SluiceStepNames reads = { .fetches = out, .n_fetches = 1 };
  debugged_begin (&run, &reads);
  g_autoptr (SluiceStop) stop = debugged_wait_for (&run, "out");
  g_assert_cmpfloat (debugged_float (stop->inputs, 0), ==, 3);
  g_assert_cmpstr (g_array_index (stop->inputs, SluiceDebugValue, 0).variable, ==, "w");
  sluice_debugger_put (run.debugger, "w", ten, &error);
  g_assert_no_error (error);
  sluice_debugger_next (run.debugger);
  debugged_expect_end (&run);
  g_assert_cmpfloat (*(float *) run.outputs[0]->data, ==, -10);
  const char *const more[] = { "more:0" };
  const SluiceStepNames adds = { .fetches = more, .n_fetches = 1 };
  debugged_begin (&run, &adds);
  g_autoptr (SluiceStop) at = debugged_wait_for (&run, "more");
  g_assert_false (sluice_debugger_put (run.debugger, "w", ten, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  sluice_debugger_next (run.debugger);
  debugged_expect_end (&run);
  g_assert_cmpfloat (*(float *) run.outputs[0]->data, ==, 4);
}

/* ---- how runs end ---- */

static void
test_cancel (void)
{
  for (guint i = 0; i < 3; i++)
    {
      g_auto (Fixture) f = { NULL };
      g_auto (Debugged) run = { NULL };
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      _Atomic int flag = 0;
      init_chain (&f, &run);
      g_autoptr (SluiceTensor) x = sluice_tensor_new_float (4);
      const SluiceFeed feed = { "x:0", x };
      const SluiceStepNames names = OUT_OF (&feed);
      run.options.cancellable = i == 0 ? cancellable : NULL;
      run.options.cancel_flag = i == 1 ? &flag : NULL;
      debugged_break (&run, "s/z");
      debugged_begin (&run, &names);
      g_autoptr (SluiceStop) stop = debugged_wait_for (&run, "s/z");
      if (i == 0)
        g_cancellable_cancel (cancellable);
      else if (i == 1)
        atomic_store (&flag, 1);
      else
        sluice_debugger_release (run.debugger);
      SluiceStop *next;
      while ((next = debugged_wait (&run)) != NULL)
        sluice_stop_free (next);
      if (i == 2)
        g_assert_no_error (run.error);
      else
        g_assert_error (run.error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
      g_assert_null (sluice_debugger_dup_stop (run.debugger));
      /* The same step again, without anybody. */
      g_assert_cmpfloat (fixture_fetch (&f, "out:0", &feed, 1), ==, -15);
    }
}

/* A node fails behind a stop; the debugger hears of the end. */
static void
test_failure (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", &SLUICE_SHAPE_SCALAR);
  add (&f, "TestFail", "out", add (&f, "Neg", "y", x, none), none);
  fixture_extend (&f);
  debugged_init (&run, f.session);
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (4);
  const SluiceFeed feed = { "x:0", fed };
  const SluiceStepNames names = OUT_OF (&feed);
  debugged_break (&run, "out if |x| > 1");
  sluice_debugger_step (run.debugger);
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) first = debugged_wait_for (&run, "y");
  sluice_debugger_step (run.debugger);
  g_autoptr (SluiceStop) second = debugged_wait_for (&run, "out");
  sluice_debugger_step (run.debugger);
  g_assert_null (debugged_wait (&run));
  g_assert_error (run.error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE);
}

/* ---- what is not there by itself ---- */

/* Element-wise nodes that run as one, one that is folded, two that are the same, and some that do
 * not run at all. */
static void
init_passes (Fixture *f, Debugged *run)
{
  fixture_init (f, NULL);
  SluiceEdge x = placeholder (f, "x", &SLUICE_SHAPE (5000));
  SluiceEdge a = add (f, "Tanh", "a", x, none), b = add (f, "Square", "b", a, none);
  SluiceEdge twin = add (f, "Square", "twin", a, none);
  SluiceEdge two = add (f, "Identity", "two", fixture_scalar (f, 2), none);
  SluiceEdge c = add (f, "Mul", "c", add (f, "Add", "sum", b, twin), two);
  add (f, "Softmax", "out", c, none);
  add (f, "Neg", "pruned", x, none);
  fixture_extend (f);
  debugged_init (run, f->session);
}

static void
test_passes (void)
{
  static const char *const stands[] = { "a", "b", "twin", "sum", "two", "c", "a:0", "twin:0" };
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  init_passes (&f, &run);
  g_autoptr (SluiceTensor) fed = vector (5000, -3);
  const SluiceFeed feed = { "x:0", fed };
  const SluiceStepNames names = OUT_OF (&feed);
  debugged_begin (&run, &names);
  debugged_expect_end (&run);
  g_autoptr (SluiceTensor) alone = g_steal_pointer (&run.outputs[0]);
  for (guint i = 0; i < G_N_ELEMENTS (stands); i++)
    {
      guint number = debugged_break (&run, stands[i]);
      g_autofree char *name = g_strdup (stands[i]);
      if (strchr (name, ':') != NULL)
        *strchr (name, ':') = '\0';
      debugged_begin (&run, &names);
      g_autoptr (SluiceStop) stop = debugged_wait_for (&run, name);
      g_assert_cmpuint (stop->with->len, ==, 0);
      sluice_debugger_next (run.debugger);
      debugged_expect_end (&run);
      g_assert_true (sluice_tensor_identical (alone, run.outputs[0]));
      sluice_debugger_remove (run.debugger, number);
    }
  SluiceSessionStats stats;
  sluice_session_get_stats (f.session, &stats);
  g_assert_cmpuint (stats.n_cached_plans, ==, 2); /* with the last breakpoint, and without any */
}

/* What never stops says why. */
static void
test_absent (void)
{
  static const struct
  {
    const char *text, *words;
  } cases[] = {
    { "pruned", "nothing that is fetched or run needs it" },
    { "nobody", "the graph has no such node" },
    { "nowhere/", "nothing that is fetched or run needs it" },
    { "x", "it is fed" },
    { "Const", "its value is known before" },
    { "a if |x| > 2", "its condition did not hold" },
  };
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  init_passes (&f, &run);
  g_autoptr (SluiceTensor) fed = vector (5000, -3);
  const SluiceFeed feed = { "x:0", fed };
  const SluiceStepNames names = OUT_OF (&feed);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint number = debugged_break (&run, cases[i].text);
      g_autofree char *new = debugged_describe (&run, number);
      g_assert_nonnull (strstr (new, "no run has begun"));
      debugged_begin (&run, &names);
      debugged_expect_end (&run);
      g_autofree char *text = debugged_describe (&run, number);
      g_test_message ("%s", text);
      g_assert_nonnull (strstr (text, cases[i].words));
      sluice_debugger_remove (run.debugger, number);
    }
}

/* A call says where what it runs is. */
static void
test_call (void)
{
  static const char text[] =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
      "node { name: 'call' op: 'PartitionedCall' input: 'x'\n"
      "  attr { key: 'Tin' value { list { type: DT_FLOAT } } }\n"
      "  attr { key: 'Tout' value { list { type: DT_FLOAT } } }\n"
      "  attr { key: 'f' value { func { name: 'body' } } } }\n"
      "node { name: 'out' op: 'Neg' input: 'call' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "library { function { signature { name: 'body' input_arg { name: 'x' type: DT_FLOAT }\n"
      "  output_arg { name: 'y' type: DT_FLOAT } }\n"
      "  node_def { name: 'exp' op: 'Exp' input: 'x'\n"
      "    attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "  ret { key: 'y' value: 'exp:y:0' } } }\n";
  g_autoptr (GError) error = NULL;
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  fixture_init (&f, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  sluice_graph_import (f.graph, bytes, &error);
  g_assert_no_error (error);
  sluice_session_extend (f.session, f.graph, &error);
  g_assert_no_error (error);
  debugged_init (&run, f.session);
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (0);
  const SluiceFeed feed = { "x:0", fed };
  const SluiceStepNames names = OUT_OF (&feed);
  guint number = debugged_break (&run, "call");
  debugged_break (&run, "call/_call/");
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) stop = debugged_wait (&run);
  g_assert_true (g_str_has_prefix (stop->node.name, "call/_call/"));
  g_autofree char *words = debugged_describe (&run, number);
  g_assert_nonnull (strstr (words, "call/_call/"));
  sluice_debugger_go (run.debugger);
  debugged_expect_end (&run);
  g_assert_cmpfloat (*(float *) run.outputs[0]->data, ==, -1);
}

/* Set while the run is under way, where the node runs within another: that one stops. */
static void
test_fused (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  init_passes (&f, &run);
  g_autoptr (SluiceTensor) fed = vector (5000, -3);
  const SluiceFeed feed = { "x:0", fed };
  const SluiceStepNames names = OUT_OF (&feed);
  debugged_break (&run, "out");
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) stop = debugged_wait_for (&run, "out");
  guint behind = debugged_break (&run, "b:0");
  g_autoptr (GArray) whys = sluice_debugger_dup_why (run.debugger, "b", NULL);
  g_assert_cmpuint (whys->len, ==, 1);
  g_assert_cmpstr (g_array_index (whys, SluiceDebugWhy, 0).node.name, ==, "c");
  g_assert_cmpint (g_array_index (whys, SluiceDebugWhy, 0).node.turn, ==, SLUICE_TURN_ENDED);
  sluice_debugger_next (run.debugger);
  debugged_expect_end (&run);
  g_autofree char *text = debugged_describe (&run, behind);
  g_assert_nonnull (strstr (text, "within the kernel of 'c'"));
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) at = debugged_wait_for (&run, "b");
  g_assert_cmpint (at->kind, ==, SLUICE_STOP_BEHIND);
}

/* ---- what is ready, and what waits ---- */

static const SluiceDebugWhy *
why (GArray *whys, const char *name)
{
  for (guint i = 0; i < whys->len; i++)
    if (g_str_equal (g_array_index (whys, SluiceDebugWhy, i).node.name, name))
      return &g_array_index (whys, SluiceDebugWhy, i);
  g_error ("nothing is said of '%s'", name);
}

static void
test_ready (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", &SLUICE_SHAPE_SCALAR);
  SluiceEdge a = add (&f, "Neg", "a", x, none), b = add (&f, "Exp", "b", x, none);
  SluiceEdge sum = add (&f, "Add", "sum", a, b);
  fixture_node (&f, "NoOp", "both", NULL, NULL, 0, (SluiceNode *[]){ sum.node, b.node }, 2, NULL,
                0);
  fixture_node (&f, "Identity", "out", NULL, &sum, 1,
                (SluiceNode *[]){ sluice_graph_find (f.graph, "both") }, 1,
                (SluiceAttr[]){ sluice_attr_type ("T", SLUICE_FLOAT) }, 1);
  fixture_extend (&f);
  debugged_init (&run, f.session);
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (4);
  const SluiceFeed feed = { "x:0", fed };
  const SluiceStepNames names = OUT_OF (&feed);
  sluice_debugger_step (run.debugger);
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) first = debugged_wait (&run);
  g_autoptr (GArray) ready = sluice_debugger_dup_ready (run.debugger);
  g_assert_cmpuint (ready->len, ==, 1);
  g_assert_cmpstr (g_array_index (ready, SluiceDebugNode, 0).name, !=, first->node.name);
  g_autoptr (GArray) whys = sluice_debugger_dup_why (run.debugger, NULL, NULL);
  g_assert_cmpuint (whys->len, ==, 3);
  g_assert_cmpuint (why (whys, "sum")->missing->len, ==, 2);
  const SluiceDebugWhy *both = why (whys, "both");
  g_assert_cmpuint (both->missing->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (g_array_index (both->missing, SluiceDebugMissing, i).edge[0], ==, '^');
  sluice_debugger_step (run.debugger);
  g_autoptr (SluiceStop) second = debugged_wait (&run);
  g_assert_cmpstr (second->ran.name, ==, first->node.name);
  g_autoptr (GArray) later = sluice_debugger_dup_why (run.debugger, "sum", NULL);
  g_assert_cmpuint (why (later, "sum")->missing->len, ==, 1);
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_debugger_dup_why (run.debugger, "nobody", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

/* x > 0 ? exp : neg: the side that is not taken is told, and does not stop. */
static void
test_dead (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", &SLUICE_SHAPE_SCALAR);
  SluiceEdge sides = sluice_builder_add (
      &f.b, "Switch", "switch",
      (SluiceEdge[]){ x, add (&f, "Greater", "positive", x, fixture_scalar (&f, 0)) }, 2, NULL, 0);
  SluiceEdge no = add (&f, "Neg", "no", sides, none);
  SluiceEdge yes = add (&f, "Exp", "yes", sluice_edge_port (sides, 1), none);
  sluice_builder_add (&f.b, "Merge", "merge", (SluiceEdge[]){ no, yes }, 2,
                      (SluiceAttr[]){ sluice_attr_int ("N", 2) }, 1);
  add (&f, "Neg", "out", (SluiceEdge){ sluice_graph_find (f.graph, "merge"), 0 }, none);
  fixture_extend (&f);
  debugged_init (&run, f.session);
  guint number = debugged_break (&run, "no");
  debugged_break (&run, "out");
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (1);
  const SluiceFeed feed = { "x:0", fed };
  const SluiceStepNames names = OUT_OF (&feed);
  sluice_debugger_step (run.debugger);
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) first = debugged_wait_for (&run, "positive");
  guint n_dead = 0;
  for (;;)
    {
      sluice_debugger_step (run.debugger);
      g_autoptr (SluiceStop) stop = debugged_wait (&run);
      for (guint i = 0; i < stop->dead->len; i++, n_dead++)
        g_assert_cmpstr (g_array_index (stop->dead, SluiceDebugNode, i).name, ==, "no");
      g_assert_cmpstr (stop->node.name, !=, "no");
      if (g_strcmp0 (stop->node.name, "merge") == 0)
        g_assert_null (g_array_index (stop->inputs, SluiceDebugValue, 0).tensor);
      if (g_strcmp0 (stop->node.name, "out") == 0)
        break;
    }
  g_assert_cmpuint (n_dead, ==, 1);
  g_autoptr (GArray) whys = sluice_debugger_dup_why (run.debugger, "no", NULL);
  g_assert_cmpint (why (whys, "no")->node.turn, ==, SLUICE_TURN_DEAD);
  sluice_debugger_go (run.debugger);
  debugged_expect_end (&run);
  g_autofree char *text = debugged_describe (&run, number);
  g_assert_nonnull (strstr (text, "in a branch that is not taken"));
}

/* A queue that nobody fills: the step stops where it can only wait, and says for what. */
static void
test_queue (void)
{
  for (guint by_step = 0; by_step < 2; by_step++)
    {
      g_auto (Fixture) f = { NULL };
      g_auto (Debugged) run = { NULL };
      fixture_init (&f, NULL);
      SluiceAttrValue type = { .kind = SLUICE_ATTR_TYPE, .type = SLUICE_FLOAT };
      SluiceAttrValue types = { .kind = SLUICE_ATTR_LIST,
                                .list_kind = SLUICE_ATTR_TYPE,
                                .list = { &type, 1 } };
      SluiceAttr attrs[] = { sluice_attr_value ("component_types", &types) };
      SluiceEdge q = sluice_builder_add (&f.b, "FIFOQueueV2", "q", NULL, 0, attrs, 1);
      SluiceEdge got = sluice_builder_add (&f.b, "QueueDequeueV2", "get", &q, 1, attrs, 1);
      add (&f, "Neg", "out", got, none);
      fixture_extend (&f);
      debugged_init (&run, f.session);
      debugged_break (&run, "out");
      const SluiceStepNames names = { .fetches = out, .n_fetches = 1 };
      if (by_step)
        sluice_debugger_step (run.debugger);
      debugged_begin (&run, &names);
      g_autoptr (SluiceStop) stop = debugged_wait (&run);
      while (by_step && stop->kind != SLUICE_STOP_WAITS)
        {
          sluice_stop_free (g_steal_pointer (&stop));
          sluice_debugger_step (run.debugger);
          stop = debugged_wait (&run);
          g_assert_nonnull (stop);
        }
      g_assert_cmpint (stop->kind, ==, SLUICE_STOP_WAITS);
      g_autoptr (GArray) whys = sluice_debugger_dup_why (run.debugger, NULL, NULL);
      g_assert_cmpint (why (whys, "get")->node.turn, ==, SLUICE_TURN_RUNS);
      g_assert_nonnull (strstr (why (whys, "get")->waits_for, "q"));
      g_assert_cmpint (why (whys, "out")->node.turn, ==, SLUICE_TURN_WAITS);
      const SluiceDebugMissing *missing =
          &g_array_index (why (whys, "out")->missing, SluiceDebugMissing, 0);
      g_assert_cmpstr (missing->edge, ==, "get:0");
      g_assert_cmpint (missing->source.turn, ==, SLUICE_TURN_RUNS);
      sluice_debugger_go (run.debugger);
      g_assert_null (debugged_wait (&run));
      g_assert_error (run.error, SLUICE_ERROR, SLUICE_ERROR_DEADLINE_EXCEEDED);
    }
}

/* ---- loops and threads ---- */

/* while (i < 9) i = i + 1 */
static void
init_loop (Fixture *f, Debugged *run)
{
  fixture_init (f, NULL);
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", "loop"),
                         sluice_attr_bool ("is_constant", FALSE),
                         sluice_attr_int ("parallel_iterations", 4) };
  SluiceAttr constant[] = { attrs[0], sluice_attr_bool ("is_constant", TRUE), attrs[2] };
  SluiceEdge x = placeholder (f, "x", &SLUICE_SHAPE_UNKNOWN);
  SluiceEdge in = sluice_builder_add (&f->b, "Enter", "in", &x, 1, attrs, 3);
  SluiceEdge nine = fixture_scalar (f, 9), one = fixture_scalar (f, 1);
  SluiceEdge top = sluice_builder_add (&f->b, "Enter", "top", &nine, 1, constant, 3);
  SluiceEdge by = sluice_builder_add (&f->b, "Enter", "by", &one, 1, constant, 3);
  SluiceEdge i = sluice_op (&f->b, "Merge", in, in);
  SluiceEdge goes = sluice_op (&f->b, "LoopCond", sluice_op (&f->b, "Less", i, top));
  SluiceEdge sides = sluice_op (&f->b, "Switch", i, goes);
  SluiceEdge sum = add (f, "Add", "sum", sluice_edge_port (sides, 1), by);
  SluiceEdge next = sluice_op (&f->b, "NextIteration", sum);
  g_assert_true (sluice_graph_set_input (f->graph, i.node, 1, next, NULL));
  sluice_builder_add (&f->b, "Exit", "out", &sides, 1, NULL, 0);
  fixture_extend (f);
  debugged_init (run, f->session);
}

static void
test_loop (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  init_loop (&f, &run);
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (0);
  g_autoptr (SluiceTensor) four = sluice_tensor_new_float (4);
  const SluiceFeed feed = { "x:0", fed };
  const SluiceStepNames names = OUT_OF (&feed);
  debugged_break (&run, "sum if hits >= 3");
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) stop = debugged_wait_for (&run, "sum");
  g_assert_cmpint (stop->node.iteration, ==, 2);
  g_assert_cmpstr (stop->node.loops, ==, "loop[2]");
  g_assert_cmpfloat (debugged_float (stop->inputs, 0), ==, 2);
  g_autoptr (GArray) whys = sluice_debugger_dup_why (run.debugger, "out", NULL);
  g_assert_cmpuint (whys->len, >=, 1);
  /* The constant that all iterations share is another one for this iteration alone: 2 + 4, 7, 8. */
  g_autoptr (GError) error = NULL;
  sluice_debugger_put (run.debugger, "by", four, &error);
  g_assert_no_error (error);
  for (guint i = 3; i < 6; i++)
    {
      sluice_debugger_next (run.debugger);
      g_autoptr (SluiceStop) next = debugged_wait_for (&run, "sum");
      g_assert_cmpint (next->node.iteration, ==, i);
      g_assert_cmpfloat (debugged_float (next->inputs, 0), ==, i + 3);
      g_assert_cmpfloat (debugged_float (next->inputs, 1), ==, 1);
    }
  sluice_debugger_next (run.debugger);
  debugged_expect_end (&run);
  g_assert_cmpfloat (*(float *) run.outputs[0]->data, ==, 9);
}

/* Kernels that end on another thread are looked at when they have; one thread goes on alone. */
static void
test_threads (void)
{
  for (guint threads = 1; threads <= 2; threads++)
    {
      sluice_pool_set_threads (threads);
      g_auto (Fixture) f = { NULL };
      g_auto (Debugged) run = { NULL };
      fixture_init (&f, NULL);
      fixture_go = 1;
      SluiceEdge x = placeholder (&f, "x", &SLUICE_SHAPE_SCALAR), sums[6];
      for (guint i = 0; i < 6; i++)
        {
          g_autofree char *name = g_strdup_printf ("spin%u", i);
          SluiceEdge later = i % 2 ? x : add (&f, "TestLater", NULL, x, none);
          sums[i] = add (&f, "TestSpin", name, later, none);
        }
      sluice_builder_add (&f.b, "AddN", "out", sums, 6, (SluiceAttr[]){ sluice_attr_int ("N", 6) },
                          1);
      fixture_extend (&f);
      debugged_init (&run, f.session);
      g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (4);
      const SluiceFeed feed = { "x:0", fed };
      const SluiceStepNames names = OUT_OF (&feed);
      float want = fixture_fetch (&f, "out:0", &feed, 1);
      debugged_break (&run, "spin3 if |x| > 2 and step >= 20");
      debugged_break (&run, "TestLater if |x| > 3 and step >= 30");
      for (guint step = 1; step <= 40; step++)
        {
          run.options.step = step;
          debugged_begin (&run, &names);
          SluiceStop *stop;
          guint n_stops = 0;
          for (; (stop = debugged_wait (&run)) != NULL; sluice_debugger_step (run.debugger))
            {
              n_stops++;
              sluice_stop_free (stop);
            }
          sluice_debugger_next (run.debugger);
          g_assert_no_error (run.error);
          g_assert_true (n_stops >= (step >= 20 ? 1 : 0) && (step >= 20 || n_stops == 0));
          g_assert_cmpfloat (*(float *) run.outputs[0]->data, ==, want);
        }
    }
  sluice_pool_set_threads (1);
}

/* ---- many ---- */

static void
count_told (gpointer data)
{
  (*(guint *) data)++;
}

static void
test_many (void)
{
  g_auto (Fixture) f = { NULL };
  g_auto (Debugged) run = { NULL };
  g_autoptr (GError) error = NULL;
  guint n_told = 0;
  init_chain (&f, &run);
  sluice_debugger_set_notify (run.debugger, count_told, &n_told);
  for (guint i = 0; i < SLUICE_MAX_BREAKPOINTS; i++)
    debugged_break (&run, i % 2 ? "s/z" : "out");
  SluiceBreakpoint more = { .name = "x", .port = -1 };
  g_assert_cmpuint (sluice_debugger_add (run.debugger, &more, &error), ==, 0);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (4);
  const SluiceFeed feed = { "x:0", x };
  const SluiceStepNames names = OUT_OF (&feed);
  debugged_begin (&run, &names);
  g_autoptr (SluiceStop) first = debugged_wait_for (&run, "s/z");
  for (guint i = 1; i <= SLUICE_MAX_BREAKPOINTS; i++)
    if (i % 2 == 1)
      g_assert_true (sluice_debugger_remove (run.debugger, i)); /* those at "out" */
  sluice_debugger_next (run.debugger);
  debugged_expect_end (&run);
  g_assert_cmpuint (n_told, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/debugger/before-and-behind", test_before_and_behind);
  g_test_add_func ("/runtime/debugger/conditions", test_conditions);
  g_test_add_func ("/runtime/debugger/non-finite", test_non_finite);
  g_test_add_func ("/runtime/debugger/put", test_put);
  g_test_add_func ("/runtime/debugger/put-variable", test_put_variable);
  g_test_add_func ("/runtime/debugger/cancel", test_cancel);
  g_test_add_func ("/runtime/debugger/failure", test_failure);
  g_test_add_func ("/runtime/debugger/passes", test_passes);
  g_test_add_func ("/runtime/debugger/absent", test_absent);
  g_test_add_func ("/runtime/debugger/call", test_call);
  g_test_add_func ("/runtime/debugger/fused", test_fused);
  g_test_add_func ("/runtime/debugger/ready", test_ready);
  g_test_add_func ("/runtime/debugger/dead", test_dead);
  g_test_add_func ("/runtime/debugger/queue", test_queue);
  g_test_add_func ("/runtime/debugger/loop", test_loop);
  g_test_add_func ("/runtime/debugger/threads", test_threads);
  g_test_add_func ("/runtime/debugger/many", test_many);
  return g_test_run ();
}
