/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Commands of the canvas as lines: what was placed by hand goes along where names change. */
#include "app/build/edit-lines.h"
#include "engine/command/stack.h"
#include "kernels/registry.h"
#include "ui/canvas/view-state.h"

static const char model[] = "add Placeholder x dtype=DT_FLOAT shape=[?,6]\n"
                            "add Relu a/one x\n"
                            "add Relu a/b/two a/one\n"
                            "add Relu a/b/three a/b/two\n";

/* What becomes of an arrangement, as the canvas tells it. (transfer full) */
static GPtrArray *
rename_all (const SluiceViewState *state, char **from, char **to)
{
  g_autoptr (SluiceViewState) renamed = sluice_view_state_copy (state);
  for (guint i = 0; from[i] != NULL; i++)
    sluice_view_state_rename (renamed, from[i], to[i]);
  return sluice_view_state_diff (state, renamed);
}

static void
assert_list (char **list, const char *wanted)
{
  g_autofree char *text = g_strjoinv (" ", list);
  g_assert_cmpstr (text, ==, wanted);
}

static void
test_group (void)
{
  char *names[] = { "a/b/two", "a/one", NULL };
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceCommandStack *stack = sluice_command_stack_new (graph);
  g_autoptr (GError) error = NULL;
  sluice_command_stack_run (stack, model, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  sluice_view_state_set_move (state, "a/one", 3, 4);
  g_autofree char *group = sluice_edit_dup_group (graph, (const char *const *) names);
  g_assert_cmpstr (group, ==, "a/group");
  g_auto (GStrv) inside = sluice_edit_list_in_group (group, (const char *const *) names);
  assert_list (inside, "a/group/two a/group/one");
  g_autoptr (GPtrArray) lines = rename_all (state, names, inside);
  g_autofree char *line = sluice_edit_line_group (group, (const char *const *) names, lines);
  sluice_command_stack_do (stack, line, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (sluice_graph_find (graph, "a/group/one"));
  g_assert_nonnull (g_strstr_len (line, -1, "+moved a/group/one 3 4"));
  /* And back: one level up, however deep it stands. */
  sluice_view_state_set_move (state, "a/group/one", 3, 4);
  g_auto (GStrv) below = sluice_edit_list_below (graph, "a/group");
  g_auto (GStrv) above = sluice_edit_list_above ("a/group", (const char *const *) below);
  assert_list (below, "a/group/one a/group/two");
  assert_list (above, "a/one a/two");
  g_autoptr (GPtrArray) back = rename_all (state, below, above);
  g_autofree char *apart = sluice_edit_line_ungroup ("a/group", back);
  g_assert_nonnull (g_strstr_len (apart, -1, "-moved a/group/one"));
  sluice_command_stack_do (stack, apart, NULL, &error);
  g_assert_no_error (error);
  g_auto (GStrv) top = sluice_edit_list_above ("a", (const char *const *) above);
  assert_list (top, "one two");
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  g_autofree char *plain = sluice_edit_line_ungroup ("a", none);
  g_assert_cmpstr (plain, ==, "ungroup a");
  sluice_command_stack_free (stack);
}

static const char trained[] = "add Placeholder x dtype=DT_FLOAT shape=[?,6]\n"
                              "add Placeholder y dtype=DT_FLOAT shape=[?,1]\n"
                              "layer dense fc input=x units=1\n"
                              "add Relu relu fc/output\n"
                              "layer mean-squared-error loss input=relu target=y\n"
                              "train loss/output optimizer=sgd learning-rate=0.1\n";

/* Gradients are called after what they are of, and stand beside it by that. */
static void
test_rename (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceCommandStack *stack = sluice_command_stack_new (graph);
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  sluice_command_stack_run (stack, trained, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *scope = sluice_edit_line_rename (graph, "fc", "first", none);
  g_assert_cmpstr (scope, ==,
                   "together \"rename fc to first\" \"rename fc first\" "
                   "\"rename gradients/fc gradients/first\"");
  sluice_command_stack_do (stack, scope, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *node = sluice_edit_line_rename (graph, "relu", "act", none);
  g_assert_cmpstr (node, ==,
                   "together \"rename relu to act\" \"rename relu act\" "
                   "\"rename gradients/relu_grad gradients/act_grad\"");
  g_autofree char *plain = sluice_edit_line_rename (graph, "x", "pixels", none);
  g_assert_cmpstr (plain, ==, "rename x pixels");
  sluice_command_stack_free (stack);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/edit-lines/group", test_group);
  g_test_add_func ("/edit-lines/rename", test_rename);
  return g_test_run ();
}
