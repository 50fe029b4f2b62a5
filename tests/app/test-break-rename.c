/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Breakpoints go along when their nodes are called otherwise, and back. */
#include "app/break-rename.h"
#include "engine/command/stack.h"
#include "engine/graph/edit.h"
#include "kernels/registry.h"

typedef struct
{
  SluiceGraph *graph;
  SluiceCommandStack *stack;
  GHashTable *breakpoints;
  char *edge;
} Fixture;

/* As the window does. */
static void
changed_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  Fixture *f = data;
  g_autoptr (GHashTable) renamed = sluice_break_list_renamed (delta);
  sluice_break_rename (f->breakpoints, graph, renamed);
  char *edge = sluice_break_rename_edge (f->edge, renamed);
  if (edge == NULL)
    return;
  g_free (f->edge);
  f->edge = edge;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  f->graph = sluice_graph_new ();
  f->stack = sluice_command_stack_new (f->graph);
  f->breakpoints = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  f->edge = g_strdup ("a/x:0");
  g_assert_true (sluice_command_stack_run (f->stack,
                                           "add Placeholder a/x dtype=DT_FLOAT\n"
                                           "add Neg a/y a/x\n"
                                           "add Neg b a/y\n",
                                           FALSE, NULL, NULL, NULL));
  sluice_graph_follow (f->graph, changed_cb, f);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  sluice_command_stack_free (f->stack);
  sluice_graph_unref (f->graph);
  g_hash_table_unref (f->breakpoints);
  g_free (f->edge);
}

static void
set (Fixture *f, const char *text, guint number)
{
  g_hash_table_insert (f->breakpoints, g_strdup (text), GUINT_TO_POINTER (number));
}

static void
run (Fixture *f, const char *line)
{
  g_autoptr (GError) error = NULL;
  sluice_command_stack_do (f->stack, line, NULL, &error);
  g_assert_no_error (error);
}

static void
assert_set (Fixture *f, const char *text, guint number)
{
  g_assert_cmpuint (GPOINTER_TO_UINT (g_hash_table_lookup (f->breakpoints, text)), ==, number);
}

/* Condition, output and number in the debugger stay; undone it is as before. */
static void
test_node (Fixture *f, gconstpointer data)
{
  set (f, "a/x", 1);
  set (f, "a/x:0 if |x| > 10", 2);
  set (f, "b", 3);
  set (f, "* if nonfinite", 4);
  run (f, "rename a/x a/input");
  assert_set (f, "a/input", 1);
  assert_set (f, "a/input:0 if |x| > 10", 2);
  assert_set (f, "b", 3);
  assert_set (f, "* if nonfinite", 4);
  g_assert_cmpuint (g_hash_table_size (f->breakpoints), ==, 4);
  g_assert_cmpstr (f->edge, ==, "a/input:0");
  g_assert_true (sluice_command_stack_undo (f->stack, 1, NULL));
  assert_set (f, "a/x", 1);
  assert_set (f, "a/x:0 if |x| > 10", 2);
  g_assert_cmpstr (f->edge, ==, "a/x:0");
}

/* Two names are exchanged: neither is lost. */
static void
test_exchanged (Fixture *f, gconstpointer data)
{
  set (f, "a/x", 1);
  set (f, "b", 2);
  run (f, "together swap \"rename b c\" \"rename a/x b\" \"rename c a/x\"");
  assert_set (f, "b", 1);
  assert_set (f, "a/x", 2);
}

/* A scope's goes along when all of it does, and stays where it is dissolved. */
static void
test_scope (Fixture *f, gconstpointer data)
{
  set (f, "a/ if step >= 7", 1);
  run (f, "rename a/x first/x");
  assert_set (f, "a/ if step >= 7", 1);
  g_assert_true (sluice_command_stack_undo (f->stack, 1, NULL));
  run (f, "rename a first");
  assert_set (f, "first/ if step >= 7", 1);
  g_assert_true (sluice_command_stack_undo (f->stack, 1, NULL));
  assert_set (f, "a/ if step >= 7", 1);
  run (f, "ungroup a");
  assert_set (f, "a/ if step >= 7", 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define TEST(name, func) g_test_add ("/break-rename/" name, Fixture, NULL, set_up, func, tear_down)
  TEST ("node", test_node);
  TEST ("exchanged", test_exchanged);
  TEST ("scope", test_scope);
  return g_test_run ();
}
