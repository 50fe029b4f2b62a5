/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A run that lacks a feed fails, and what does not wait for the placeholder has run. */
#include <string.h>

#include "engine/graph/graphdef.h"
#include "tests/engine/runtime/fixture.h"

#define T(type) "attr { key: 'T' value { type: " type " } } "
#define CONST(name, type, value, before)                                                           \
  "node { name: '" name "' op: 'Const' " before "attr { key: 'dtype' value { type: " type " } } "  \
  "attr { key: 'value' value { tensor { dtype: " type " tensor_shape {} " value " } } } } "
#define VARIABLE(name)                                                                             \
  "node { name: '" name "' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } } "       \
  "attr { key: 'shape' value { shape {} } } } "                                                    \
  "node { name: '" name "/zero' op: 'Assign' input: '" name                                        \
  "' input: 'nought' " T ("DT_FLOAT") "} "
#define PLACEHOLDER(name, before)                                                                  \
  "node { name: '" name "' op: 'Placeholder' " before                                              \
  "attr { key: 'dtype' value { type: DT_FLOAT } } } "
#define FRAME    "attr { key: 'frame_name' value { s: 'loop' } } "
#define CONSTANT "attr { key: 'is_constant' value { b: true } } "

static const char common[] = CONST ("nought", "DT_FLOAT", "float_val: 0", "")
    CONST ("one", "DT_FLOAT", "float_val: 1", "") VARIABLE ("v") PLACEHOLDER ("x", "");

static void
set_up (Fixture *f, const char *more)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strconcat (common, more, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  fixture_init (f, NULL);
  sluice_graph_import (f->graph, bytes, &error);
  g_assert_no_error (error);
  fixture_extend (f);
  g_assert_true (fixture_run_target (f, "v/zero", NULL, &error));
}

static void
expect_unfed (Fixture *f, const char *fetch, const char *target, const char *placeholder)
{
  g_autoptr (GError) error = NULL;
  SluiceTensor *output = NULL;
  g_assert_false (sluice_session_run (
      f->session,
      &(SluiceStepNames){
          .fetches = &fetch, .targets = &target, .n_fetches = 1, .n_targets = target != NULL },
      &output, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "feed a value for this placeholder"));
  g_assert_nonnull (strstr (error->message, placeholder));
  g_assert_null (output);
}

/* What waits for the placeholder, by data or control, changes nothing; what it waits for does. */
static void
test_effects (void)
{
  g_auto (Fixture) f = { NULL };
  set_up (&f,
          "node { name: 'bump' op: 'AssignAdd' input: 'v' input: 'one' " T (
              "DT_FLOAT") "}"
                          "node { name: 'y' op: 'Neg' input: 'x' input: '^bump' " T (
                              "DT_FLOAT") "}"
                                          "node { name: 'more' op: 'AssignAdd' input: 'v' input: "
                                          "'y' " T (
                                              "DT_FLOAT") "}"
                                                          "node { name: 'later' op: 'AssignAdd' "
                                                          "input: 'v' input: 'one' input: '^x' " T (
                                                              "DT_FLOAT") "}");
  for (int i = 1; i <= 3; i++)
    {
      expect_unfed (&f, "more", "later", "'x'");
      g_assert_cmpfloat (fixture_fetch (&f, "v", NULL, 0), ==, i);
    }
  g_autoptr (SluiceTensor) ten = sluice_tensor_new_float (10);
  g_assert_cmpfloat (fixture_fetch (&f, "y", &(SluiceFeed){ "x:0", ten }, 1), ==, -10);
  g_assert_cmpfloat (fixture_fetch (&f, "v", NULL, 0), ==, 4);
}

/* A callable could never run: it is refused, and nothing happens. */
static void
test_prepared (void)
{
  g_auto (Fixture) f = { NULL };
  set_up (&f, "node { name: 'bump' op: 'AssignAdd' input: 'v' input: 'one' " T (
                  "DT_FLOAT") "}"
                              "node { name: 'y' op: 'Neg' input: 'x' input: '^bump' " T (
                                  "DT_FLOAT") "}");
  const char *fetch = "y";
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_session_prepare (
          f.session, &(SluiceStepNames){ .fetches = &fetch, .n_fetches = 1 }, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_null (sluice_session_set_up_partial (
          f.session, &(SluiceStepNames){ .fetches = &fetch, .n_fetches = 1 }, NULL, NULL));
      g_assert_cmpfloat (fixture_fetch (&f, "v", NULL, 0), ==, i);
      expect_unfed (&f, fetch, NULL, "needed by y → x");
    }
}

/* clang-format off */
static const char branches[] =
  CONST ("no", "DT_BOOL", "bool_val: false", "")
  "node { name: 'turn' op: 'Switch' input: 'one' input: 'no' " T ("DT_FLOAT") "}"
  "node { name: 'turn_x' op: 'Switch' input: 'x' input: 'no' " T ("DT_FLOAT") "}"
  "node { name: 'yes' op: 'Identity' input: 'turn:1' " T ("DT_FLOAT") "}"
  "node { name: 'not' op: 'Identity' input: 'turn' " T ("DT_FLOAT") "}"
  "node { name: 'either' op: 'Merge' input: 'turn' input: 'turn_x:1' "
  "attr { key: 'N' value { i: 2 } } " T ("DT_FLOAT") "}"
  "node { name: 'bump' op: 'AssignAdd' input: 'v' input: 'either' " T ("DT_FLOAT") "}"
  "node { name: 'out' op: 'Add' input: 'x' input: 'bump' " T ("DT_FLOAT") "}"
  PLACEHOLDER ("dead", "input: '^yes' ")
  PLACEHOLDER ("alive", "input: '^not' ")
  "node { name: 'join' op: 'Merge' input: 'dead' input: 'one' "
  "attr { key: 'N' value { i: 2 } } " T ("DT_FLOAT") "}"
  "node { name: 'taken' op: 'Neg' input: 'alive' " T ("DT_FLOAT") "}"
  "node { name: 'other' op: 'AssignAdd' input: 'v' input: 'join' " T ("DT_FLOAT") "}";
static const char loop[] =
  CONST ("five", "DT_FLOAT", "float_val: 5", "")
  "node { name: 'in' op: 'Enter' input: 'nought' " FRAME T ("DT_FLOAT") "}"
  "node { name: 'in_x' op: 'Enter' input: 'x' " FRAME CONSTANT T ("DT_FLOAT") "}"
  "node { name: 'in_v' op: 'RefEnter' input: 'v' " FRAME CONSTANT T ("DT_FLOAT") "}"
  "node { name: 'in_five' op: 'Enter' input: 'five' " FRAME CONSTANT T ("DT_FLOAT") "}"
  "node { name: 'head' op: 'Merge' input: 'in' input: 'next' "
  "attr { key: 'N' value { i: 2 } } " T ("DT_FLOAT") "}"
  "node { name: 'less' op: 'Less' input: 'head' input: 'in_five' " T ("DT_FLOAT") "}"
  "node { name: 'cond' op: 'LoopCond' input: 'less' }"
  "node { name: 'turn' op: 'Switch' input: 'head' input: 'cond' " T ("DT_FLOAT") "}"
  "node { name: 'body' op: 'Identity' input: 'turn:1' " T ("DT_FLOAT") "}"
  CONST ("step", "DT_FLOAT", "float_val: 1", "input: '^body' ")
  "node { name: 'bump' op: 'AssignAdd' input: 'in_v' input: 'step' " T ("DT_FLOAT") "}"
  "node { name: 'add' op: 'Add' input: 'body' input: 'step' input: '^bump' " T ("DT_FLOAT") "}"
  "node { name: 'lost' op: 'Mul' input: 'add' input: 'in_x' " T ("DT_FLOAT") "}"
  "node { name: 'next' op: 'NextIteration' input: 'add' " T ("DT_FLOAT") "}"
  "node { name: 'left' op: 'Exit' input: 'turn' " T ("DT_FLOAT") "}"
  "node { name: 'out' op: 'Add' input: 'left' input: 'x' " T ("DT_FLOAT") "}";
/* clang-format on */

/* A Merge runs where the other side has its value, a placeholder in a branch where it is taken. */
static void
test_branches (void)
{
  g_auto (Fixture) f = { NULL };
  set_up (&f, branches);
  expect_unfed (&f, "out", NULL, "'x'");
  g_assert_cmpfloat (fixture_fetch (&f, "v", NULL, 0), ==, 1);
  g_assert_cmpfloat (fixture_fetch (&f, "join", NULL, 0), ==, 1);
  expect_unfed (&f, "taken", "other", "'alive'");
  g_assert_cmpfloat (fixture_fetch (&f, "v", NULL, 0), ==, 2);
}

/* A loop that needs it nowhere in the way of its counter runs to its end. */
static void
test_loop (void)
{
  g_auto (Fixture) f = { NULL };
  set_up (&f, loop);
  expect_unfed (&f, "out", NULL, "'x'");
  g_assert_cmpfloat (fixture_fetch (&f, "v", NULL, 0), ==, 5);
}

/* What only waits for others does not keep the run from its end. */
static void
test_waits (void)
{
  g_auto (Fixture) f = { NULL };
  set_up (&f,
          "node { name: 'queue' op: 'FIFOQueueV2' "
          "attr { key: 'component_types' value { list { type: DT_FLOAT } } } }"
          "node { name: 'take' op: 'QueueDequeueV2' input: 'queue' "
          "attr { key: 'component_types' value { list { type: DT_FLOAT } } } }"
          "node { name: 'bump' op: 'AssignAdd' input: 'v' input: 'one' " T (
              "DT_FLOAT") "}"
                          "node { name: 'y' op: 'Add' input: 'x' input: 'take' input: '^bump' " T (
                              "DT_FLOAT") "}");
  expect_unfed (&f, "y", NULL, "'x'");
  g_assert_cmpfloat (fixture_fetch (&f, "v", NULL, 0), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/unfed/effects", test_effects);
  g_test_add_func ("/runtime/unfed/prepared", test_prepared);
  g_test_add_func ("/runtime/unfed/branches", test_branches);
  g_test_add_func ("/runtime/unfed/loop", test_loop);
  g_test_add_func ("/runtime/unfed/waits", test_waits);
  return g_test_run ();
}
