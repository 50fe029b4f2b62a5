/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Reads and writes that nothing orders: how they are reported, and ordered. */
#include <string.h>

#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "tests/engine/runtime/fixture.h"

static SluiceEdge
named (Fixture *f, const char *op, const char *name, SluiceEdge a, SluiceEdge b)
{
  SluiceEdge inputs[] = { a, b };
  return sluice_builder_add (&f->b, op, name, inputs, b.node ? 2 : 1, NULL, 0);
}

static void
after (Fixture *f, SluiceNode *node, SluiceNode *before)
{
  sluice_graph_add_control_input (f->graph, node, before);
}

/* As many pairs as there are words; each description holds its word. */
static void
expect_races (Fixture *f, const char *const *targets, const char *const *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) races = sluice_session_dup_races (
      f->session,
      &(SluiceStepNames){ .targets = targets, .n_targets = g_strv_length ((char **) targets) },
      &error);
  g_assert_no_error (error);
  g_assert_cmpuint (races->len, ==, g_strv_length ((char **) words));
  for (guint i = 0; i < races->len; i++)
    {
      g_autofree char *text = sluice_race_describe (&g_array_index (races, SluiceRace, i));
      if (!strstr (text, words[i]))
        g_error ("'%s' does not say '%s'", text, words[i]);
    }
}

#define NOTHING    ((const char *[]){ NULL })
#define WORDS(...) ((const char *[]){ __VA_ARGS__, NULL })

static void
test_reference (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge v = fixture_variable (&f, "v", 1), one = fixture_scalar (&f, 1);
  SluiceEdge read = named (&f, "Identity", "read", v, SLUICE_NO_EDGE);
  SluiceEdge add = named (&f, "AssignAdd", "add", v, one);
  named (&f, "Neg", "seen", named (&f, "Identity", "behind", add, SLUICE_NO_EDGE), SLUICE_NO_EDGE);
  named (&f, "IsVariableInitialized", "is_there", v, SLUICE_NO_EDGE);
  named (&f, "AssignAdd", "own", v, named (&f, "Neg", "gradient", read, SLUICE_NO_EDGE));
  fixture_extend (&f);
  expect_races (&f, WORDS ("read"), NOTHING);
  expect_races (&f, WORDS ("seen"), NOTHING); /* waits for what it reads */
  expect_races (&f, WORDS ("own"), NOTHING);
  expect_races (&f, WORDS ("read", "add"),
                WORDS ("Identity 'read' reads it and AssignAdd 'add' w"));
  /* Who reads the Identity reads the variable's memory. */
  expect_races (&f, WORDS ("add", "own"), WORDS ("'read'", "Neg 'gradient' reads", "'own'"));
  expect_races (&f, WORDS ("read", "is_there"), NOTHING);
}

/* A control edge is an order, and two sides of one condition never meet. */
static void
test_order_and_branches (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge v = fixture_variable (&f, "v", 1), one = fixture_scalar (&f, 1);
  SluiceEdge read = named (&f, "Identity", "read", v, SLUICE_NO_EDGE);
  SluiceEdge add = named (&f, "AssignAdd", "add", v, one);
  after (&f, add.node, read.node);
  SluiceEdge pred = named (&f, "Less", "pred", one, fixture_scalar (&f, 2));
  SluiceEdge turn = named (&f, "Switch", "turn", pred, pred);
  SluiceEdge no = named (&f, "Identity", "no", turn, SLUICE_NO_EDGE);
  SluiceEdge yes = named (&f, "Identity", "yes", sluice_edge_port (turn, 1), SLUICE_NO_EDGE);
  SluiceEdge less = named (&f, "AssignSub", "less", v, one);
  SluiceEdge more = named (&f, "AssignAdd", "more", v, one);
  after (&f, less.node, no.node);
  after (&f, more.node, yes.node);
  fixture_extend (&f);
  expect_races (&f, WORDS ("add"), NOTHING);
  expect_races (&f, WORDS ("less", "more"), NOTHING);
  expect_races (&f, WORDS ("less", "add"), WORDS ("'read'", "'add'"));
}

static const char resources[] =
    "node { name: 'h' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_FLOAT } } "
    "attr { key: 'shape' value { shape {} } } attr { key: 'shared_name' value { s: 'w' } } }"
    "node { name: 'again' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_FLOAT } } "
    "attr { key: 'shape' value { shape {} } } attr { key: 'shared_name' value { s: 'w' } } }"
    "node { name: 'one' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } "
    "attr { key: 'value' value { tensor { dtype: DT_FLOAT float_val: 1 tensor_shape {} } } } }"
    "node { name: 'pass' op: 'Identity' input: 'h' attr { key: 'T' value { type: DT_RESOURCE } } }"
    "node { name: 'read' op: 'ReadVariableOp' input: 'pass' "
    "attr { key: 'dtype' value { type: DT_FLOAT } } }"
    "node { name: 'add' op: 'AssignAddVariableOp' input: 'again' input: 'one' "
    "attr { key: 'dtype' value { type: DT_FLOAT } } }"
    "node { name: 'shape' op: 'VariableShape' input: 'h' }";

static void
load (Fixture *f, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  sluice_graph_import (f->graph, bytes, &error);
  g_assert_no_error (error);
  fixture_extend (f);
}

/* Handles of one name are one variable. */
static void
test_resource (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  load (&f, resources);
  expect_races (&f, WORDS ("read", "add"), WORDS ("ReadVariableOp 'read' reads it"));
  expect_races (&f, WORDS ("read", "shape"), NOTHING);
}

#define I32   "attr { key: 'T' value { type: DT_INT32 } } "
#define D32   "attr { key: 'dtype' value { type: DT_INT32 } } "
#define FRAME "attr { key: 'frame_name' value { s: 'loop' } } "
#define N2    "attr { key: 'N' value { i: 2 } } "

/* while (i < 5) { i++; v += 1 }: nothing carries the write into the next iteration. %s: what the
 * NextIteration waits for; %d: iterations at once. */
static const char loop[] =
    "node { name: 'v' op: 'VariableV2' attr { key: 'dtype' value { type: DT_INT32 } } "
    "attr { key: 'shape' value { shape {} } } }"
    "node { name: 'zero' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } "
    "attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: 0 tensor_shape {} } } } }"
    "node { name: 'set' op: 'Assign' " I32 "input: 'v' input: 'zero' }"
    "node { name: 'v_in' op: 'RefEnter' " I32
    "input: 'v' attr { key: 'frame_name' value { s: 'loop' } } "
    "attr { key: 'is_constant' value { b: true } } "
    "attr { key: 'parallel_iterations' value { i: %d } } }"
    "node { name: 'i_in' op: 'Enter' " I32
    "input: 'zero' attr { key: 'frame_name' value { s: 'loop' } } "
    "attr { key: 'parallel_iterations' value { i: %d } } }"
    "node { name: 'i' op: 'Merge' " I32 N2 "input: 'i_in' input: 'next' }"
    "node { name: 'five' op: 'Const' input: '^i' attr { key: 'dtype' value { type: DT_INT32 } } "
    "attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: 5 tensor_shape {} } } } }"
    "node { name: 'less' op: 'Less' " I32 "input: 'i' input: 'five' }"
    "node { name: 'go' op: 'LoopCond' input: 'less' }"
    "node { name: 'turn' op: 'Switch' " I32 "input: 'i' input: 'go' }"
    "node { name: 'body' op: 'Identity' " I32 "input: 'turn:1' }"
    "node { name: 'one' op: 'Const' input: '^body' attr { key: 'dtype' value { type: DT_INT32 } } "
    "attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: 1 tensor_shape {} } } } }"
    "node { name: 'add' op: 'AssignAdd' " I32 "input: 'v_in' input: 'one' }"
    "node { name: 'more' op: 'AddV2' " I32 "input: 'body' input: 'one' }"
    "node { name: 'next' op: 'NextIteration' " I32 "input: 'more' %s }"
    "node { name: 'out' op: 'Exit' " I32 "input: 'turn' }"
    "node { name: 'again' op: 'AssignAdd' " I32 "input: 'v' input: 'zero' }";

static void
load_loop (Fixture *f, int parallel, const char *next)
{
  g_autofree char *text = g_strdup_printf (loop, parallel, parallel, next);
  load (f, text);
}

static void
test_iterations (void)
{
  static const struct
  {
    int parallel;
    const char *next;
    gboolean races;
  } cases[] = { { 10, "", TRUE }, { 1, "", FALSE }, { 10, "input: '^add'", FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Fixture) f = { NULL };
      fixture_init (&f, NULL);
      load_loop (&f, cases[i].parallel, cases[i].next);
      expect_races (&f, WORDS ("out", "add"),
                    cases[i].races ? WORDS ("iterations of a loop that may overlap") : NOTHING);
    }
}

/* while (i < 5) { i += value of h }, with a read of h before it: only its iterations use that. */
static const char read_before[] =
    "node { name: 'h' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_INT32 } } "
    "attr { key: 'shape' value { shape {} } } }"
    "node { name: 'zero' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } "
    "attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: 0 tensor_shape {} } } } }"
    "node { name: 'read' op: 'ReadVariableOp' input: 'h' " D32 "}"
    "node { name: 'handed' op: 'Identity' " I32 "input: 'read' }"
    "node { name: 'read_in' op: 'Enter' " I32 "input: 'handed' " FRAME
    "attr { key: 'is_constant' value { b: true } } }"
    "node { name: 'i_in' op: 'Enter' " I32 "input: 'zero' " FRAME "}"
    "node { name: 'i' op: 'Merge' " I32 N2 "input: 'i_in' input: 'next' }"
    "node { name: 'five' op: 'Const' input: '^i' attr { key: 'dtype' value { type: DT_INT32 } } "
    "attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: 5 tensor_shape {} } } } }"
    "node { name: 'less' op: 'Less' " I32 "input: 'i' input: 'five' }"
    "node { name: 'go' op: 'LoopCond' input: 'less' }"
    "node { name: 'turn' op: 'Switch' " I32 "input: 'i' input: 'go' }"
    "node { name: 'more' op: 'AddV2' " I32 "input: 'turn:1' input: 'read_in' }"
    "node { name: 'next' op: 'NextIteration' " I32 "input: 'more' }"
    "node { name: 'out' op: 'Exit' " I32 "input: 'turn' }"
    /* beside the chain of i */
    "node { name: 'aside' op: 'Neg' " I32 "input: 'read_in' input: '^turn' }"
    "node { name: 'seen' op: 'Neg' " I32 "input: 'handed' }"
    "node { name: 'write' op: 'AssignVariableOp' input: 'h' input: 'out' " D32 "}";

static void
test_read_before_loop (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  load (&f, read_before);
  expect_races (&f, WORDS ("write"), NOTHING);
  expect_races (&f, WORDS ("write", "seen"), WORDS ("ReadVariableOp 'read' reads it"));
  expect_races (&f, WORDS ("write", "aside"), WORDS ("ReadVariableOp 'read' reads it"));
}

/* What follows a loop follows what each of its iterations hands on to the next. */
static void
test_read_behind_loop (void)
{
  for (guint carried = 0; carried < 2; carried++)
    {
      g_auto (Fixture) f = { NULL };
      fixture_init (&f, NULL);
      load_loop (&f, 1, carried ? "input: '^add'" : "");
      SluiceEdge v = { sluice_graph_find (f.graph, "v"), 0 };
      SluiceEdge seen = named (&f, "Neg", "seen", v, SLUICE_NO_EDGE);
      after (&f, seen.node, sluice_graph_find (f.graph, "out"));
      fixture_extend (&f);
      expect_races (&f, WORDS ("seen", "add"),
                    carried ? NOTHING : WORDS ("nothing says which comes first"));
    }
}

/* ---- ordered ---- */

/* A graph of which the option decides what a run gives. */
typedef struct
{
  void (*build) (Fixture *f);
  gboolean (*is_right) (Fixture *f); /* runs it, some times */
} Ordered;

static gboolean
comes_out_right (const Ordered *self, gboolean ordered, guint n_cpus, guint64 seed)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (
      &f, &(SluiceSessionOptions){ .ordered = ordered, .n_cpus = n_cpus, .order_seed = seed });
  self->build (&f);
  fixture_extend (&f);
  fixture_go = 1;
  return self->is_right (&f);
}

/* With the option it comes out right whichever ready node goes first; without it, some choices are
 * wrong: else this shows nothing. */
static void
expect_ordered (const Ordered *self, guint n_cpus)
{
  guint n_wrong = 0;
  for (guint64 seed = 1; seed <= 20; seed++)
    {
      g_assert_true (comes_out_right (self, TRUE, n_cpus, seed));
      n_wrong += !comes_out_right (self, FALSE, n_cpus, seed);
    }
  g_assert_cmpuint (n_wrong, >, 0);
}

static void
run_targets (Fixture *f, const char *const *targets)
{
  g_autoptr (GError) error = NULL;
  sluice_session_run (
      f->session,
      &(SluiceStepNames){ .targets = targets, .n_targets = g_strv_length ((char **) targets) },
      NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
build_writes (Fixture *f)
{
  SluiceEdge v = fixture_variable (f, "v", 0);
  named (f, "Assign", "first", v, fixture_scalar (f, 1));
  named (f, "Neg", "between", named (f, "Identity", NULL, v, SLUICE_NO_EDGE), SLUICE_NO_EDGE);
  named (f, "Assign", "second", v, fixture_scalar (f, 2));
  named (f, "Neg", "seen", v, SLUICE_NO_EDGE);
}

static gboolean
writes_are_right (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) output = NULL;
  run_targets (f, WORDS ("v/Assign"));
  sluice_session_run (f->session,
                      &(SluiceStepNames){ .fetches = WORDS ("between"),
                                          .targets = WORDS ("first", "second"),
                                          .n_fetches = 1,
                                          .n_targets = 2 },
                      &output, NULL, &error);
  g_assert_no_error (error);
  float between = *(float *) output->data, seen = fixture_fetch (f, "seen", NULL, 0);
  return between == -1 && seen == -2;
}

/* The first write has to wait for its value; the second would be done long before. */
static void
build_late_write (Fixture *f)
{
  SluiceEdge v = fixture_variable (f, "v", 0);
  SluiceEdge late = named (f, "TestLater", NULL, fixture_scalar (f, 1), SLUICE_NO_EDGE);
  named (f, "Assign", "first", v, late);
  named (f, "Neg", "between", named (f, "Identity", NULL, v, SLUICE_NO_EDGE), SLUICE_NO_EDGE);
  named (f, "Assign", "second", v, fixture_scalar (f, 2));
  named (f, "Neg", "seen", v, SLUICE_NO_EDGE);
}

static void
test_ordered_writes (void)
{
  expect_ordered (&(Ordered){ build_writes, writes_are_right }, 1);
  expect_ordered (&(Ordered){ build_late_write, writes_are_right }, 1);
}

static void
build_branch (Fixture *f, float taken)
{
  SluiceEdge v = fixture_variable (f, "v", 0), ten = fixture_scalar (f, 10);
  SluiceEdge pred = named (f, "Less", "pred", fixture_scalar (f, 1 - taken), fixture_scalar (f, 1));
  SluiceEdge turn = named (f, "Switch", "turn", ten, pred);
  SluiceEdge late = named (f, "TestLater", NULL, sluice_edge_port (turn, 1), SLUICE_NO_EDGE);
  named (f, "Assign", "maybe", v, late);
  named (f, "AssignAdd", "always", v, fixture_scalar (f, 1));
  named (f, "Neg", "seen", v, SLUICE_NO_EDGE);
}

static void
build_branch_taken (Fixture *f)
{
  build_branch (f, 1);
}

static void
build_branch_not_taken (Fixture *f)
{
  build_branch (f, 0);
}

static float
run_branch (Fixture *f)
{
  run_targets (f, WORDS ("v/Assign"));
  run_targets (f, WORDS ("maybe", "always"));
  return -fixture_fetch (f, "seen", NULL, 0);
}

static gboolean
taken_is_right (Fixture *f)
{
  return run_branch (f) == 11;
}

static gboolean
not_taken_is_right (Fixture *f)
{
  return run_branch (f) == 1;
}

/* An access in a branch that is not taken holds nobody up, and kills nobody. */
static void
test_ordered_branch (void)
{
  expect_ordered (&(Ordered){ build_branch_taken, taken_is_right }, 2);
  const Ordered not_taken = { build_branch_not_taken, not_taken_is_right };
  g_assert_true (comes_out_right (&not_taken, TRUE, 2, 1));
}

static void
build_loop (Fixture *f)
{
  load_loop (f, 10, "");
  /* A fetched reference would be read at the end of the step. */
  SluiceEdge again = { sluice_graph_find (f->graph, "again"), 0 };
  named (f, "Neg", "seen", again, SLUICE_NO_EDGE);
}

static gboolean
loop_is_right (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) output = NULL;
  run_targets (f, WORDS ("set"));
  sluice_session_run (f->session,
                      &(SluiceStepNames){ .fetches = WORDS ("seen"),
                                          .targets = WORDS ("out", "add"),
                                          .n_fetches = 1,
                                          .n_targets = 2 },
                      &output, NULL, &error);
  g_assert_no_error (error);
  return *(gint32 *) output->data == -5;
}

/* What follows a loop sees all of it. */
static void
test_ordered_loop (void)
{
  expect_ordered (&(Ordered){ build_loop, loop_is_right }, 1);
}

static void
build_queue (Fixture *f)
{
  static const SluiceAttrValue float_type = { .kind = SLUICE_ATTR_TYPE, .type = SLUICE_FLOAT };
  SluiceAttrValue types = { .kind = SLUICE_ATTR_LIST,
                            .list = { (SluiceAttrValue *) &float_type, 1 } };
  SluiceAttr made = sluice_attr_value ("component_types", &types);
  SluiceEdge queue = sluice_builder_add (&f->b, "FIFOQueueV2", "queue", NULL, 0, &made, 1);
  SluiceEdge late = named (f, "TestLater", NULL, fixture_scalar (f, 1), SLUICE_NO_EDGE);
  SluiceAttr put = sluice_attr_value ("Tcomponents", &types);
  SluiceEdge first[] = { queue, late }, second[] = { queue, fixture_scalar (f, 2) };
  sluice_builder_add (&f->b, "QueueEnqueueV2", "first", first, 2, &put, 1);
  sluice_builder_add (&f->b, "QueueEnqueueV2", "second", second, 2, &put, 1);
  sluice_builder_add (&f->b, "QueueDequeueV2", "get", &queue, 1, &made, 1);
}

static gboolean
queue_is_right (Fixture *f)
{
  run_targets (f, WORDS ("first", "second"));
  float first = fixture_fetch (f, "get", NULL, 0), second = fixture_fetch (f, "get", NULL, 0);
  return first == 1 && second == 2;
}

/* Producers of one queue, the first of which has to wait for its element. */
static void
test_ordered_queue (void)
{
  expect_ordered (&(Ordered){ build_queue, queue_is_right }, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/effects/reference", test_reference);
  g_test_add_func ("/runtime/effects/order-and-branches", test_order_and_branches);
  g_test_add_func ("/runtime/effects/resource", test_resource);
  g_test_add_func ("/runtime/effects/iterations", test_iterations);
  g_test_add_func ("/runtime/effects/read-before-loop", test_read_before_loop);
  g_test_add_func ("/runtime/effects/read-behind-loop", test_read_behind_loop);
  g_test_add_func ("/runtime/effects/ordered-writes", test_ordered_writes);
  g_test_add_func ("/runtime/effects/ordered-branch", test_ordered_branch);
  g_test_add_func ("/runtime/effects/ordered-loop", test_ordered_loop);
  g_test_add_func ("/runtime/effects/ordered-queue", test_ordered_queue);
  return g_test_run ();
}
