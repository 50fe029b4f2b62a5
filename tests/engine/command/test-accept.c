/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What another graph has otherwise is taken over by node, as one command. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/accept.h"
#include "engine/command/stack.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

static const char base[] = "add Placeholder x dtype=DT_FLOAT shape=[?,6]\nadd Neg a x\n"
                           "add Relu b a\nadd Tanh c b\nadd Softmax d c\n";
/* a is called otherwise, b is of another op, c is gone, e has come. */
static const char theirs[] =
    "rename a first\ntext b \"node { name: 'b' op: 'Elu' input: 'first' }\"\n"
    "delete c\nadd Abs e d\n";
static const char ours[] = "text b \"node { name: 'b' op: 'Selu' input: 'a' }\"\nadd Sign own x\n";

static SluiceCommandStack *
make (const char *more)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (GError) error = NULL;
  SluiceCommandStack *stack = sluice_command_stack_new (graph);
  sluice_command_stack_run (stack, base, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
  sluice_command_stack_run (stack, more, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
  return stack;
}

static SluiceNodeDiff *
find (GPtrArray *diffs, const char *name)
{
  for (guint i = 0; i < diffs->len; i++)
    {
      SluiceNodeDiff *diff = diffs->pdata[i];
      if (strcmp ((diff->is != NULL ? diff->is : diff->was)->name, name) == 0)
        return diff;
    }
  g_error ("%s is not different", name);
}

static void
accept (SluiceCommandStack *stack, GPtrArray *chosen)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *line = sluice_accept_dup_line (chosen, "take over");
  sluice_command_stack_do (stack, line, NULL, &error);
  g_assert_no_error (error);
}

static void
test_all (void)
{
  g_autoptr (SluiceCommandStack) mine = make (""), other = make (theirs);
  SluiceGraph *graph = sluice_command_stack_get_graph (mine);
  g_autoptr (GPtrArray) diffs = sluice_graph_diff (graph, sluice_command_stack_get_graph (other));
  g_assert_cmpuint (diffs->len, ==, 5);
  guint n = sluice_command_stack_get_n_undo (mine);
  accept (mine, diffs);
  g_autoptr (GPtrArray) left = sluice_graph_diff (graph, sluice_command_stack_get_graph (other));
  g_assert_cmpuint (left->len, ==, 0);
  g_assert_cmpuint (sluice_command_stack_get_n_undo (mine), ==, n + 1);
}

static void
test_some (void)
{
  g_autoptr (SluiceCommandStack) mine = make (ours), other = make (theirs);
  SluiceGraph *graph = sluice_command_stack_get_graph (mine);
  g_autoptr (GPtrArray) diffs = sluice_graph_diff (graph, sluice_command_stack_get_graph (other));
  g_autoptr (GPtrArray) chosen = g_ptr_array_new ();
  g_ptr_array_add (chosen, find (diffs, "first"));
  g_ptr_array_add (chosen, find (diffs, "e"));
  accept (mine, chosen);
  g_assert_nonnull (sluice_graph_find (graph, "first"));
  g_assert_nonnull (sluice_graph_find (graph, "e"));
  g_assert_nonnull (sluice_graph_find (graph, "own"));
  g_assert_cmpstr (sluice_graph_find (graph, "b")->op_name, ==, "Selu");
}

static void
test_authors (void)
{
  g_autoptr (SluiceCommandStack) mine = make (ours), other = make (theirs), before = make ("");
  SluiceGraph *was = sluice_command_stack_get_graph (before);
  g_autoptr (GPtrArray) diffs = sluice_graph_diff (sluice_command_stack_get_graph (mine),
                                                   sluice_command_stack_get_graph (other));
  g_assert_cmpint (sluice_accept_find_author (find (diffs, "b"), was), ==, SLUICE_MADE_BY_BOTH);
  g_assert_cmpint (sluice_accept_find_author (find (diffs, "own"), was), ==, SLUICE_MADE_BY_US);
  g_assert_cmpint (sluice_accept_find_author (find (diffs, "e"), was), ==, SLUICE_MADE_BY_THEM);
  g_assert_cmpint (sluice_accept_find_author (find (diffs, "c"), was), ==, SLUICE_MADE_BY_THEM);
  g_assert_cmpint (sluice_accept_find_author (find (diffs, "b"), NULL), ==, SLUICE_MADE_BY_THEM);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_func ("/command/accept/all", test_all);
  g_test_add_func ("/command/accept/some", test_some);
  g_test_add_func ("/command/accept/authors", test_authors);
  return g_test_run ();
}
