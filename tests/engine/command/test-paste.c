/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Parts of a graph are copied as text and pasted, into the same graph and into another one. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/paste.h"
#include "engine/command/stack.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

#define MODEL                                                                                      \
  "add Placeholder x dtype=DT_FLOAT shape=[?,4]\n"                                                 \
  "layer dense hidden input=x units=3 activation=relu\n"                                           \
  "layer dense out input=hidden/output units=2\n"

static SluiceCommandStack *
new_stack (const char *script)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceCommandStack *stack = sluice_command_stack_new (graph);
  sluice_command_stack_run (stack, script, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
  return stack;
}

static void
paste (SluiceCommandStack *stack, const char *text, gboolean is_wired)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *line =
      sluice_paste_dup_line (sluice_command_stack_get_graph (stack), text, is_wired, &error);
  g_assert_no_error (error);
  sluice_command_stack_do (stack, line, NULL, &error);
  g_assert_no_error (error);
}

static const SluiceNode *
find (SluiceCommandStack *stack, const char *name)
{
  const SluiceNode *node = sluice_graph_find (sluice_command_stack_get_graph (stack), name);
  g_assert_nonnull (node);
  return node;
}

/* (transfer full) */
static char *
copy (SluiceCommandStack *stack, const char *name)
{
  const char *const names[] = { name, NULL };
  return sluice_copy_dup_text (sluice_command_stack_get_graph (stack), names);
}

static void
test_same (void)
{
  g_autoptr (SluiceCommandStack) stack = new_stack (MODEL);
  g_autofree char *text = copy (stack, "hidden");
  guint n = sluice_graph_get_n_nodes (sluice_command_stack_get_graph (stack));
  paste (stack, text, TRUE);
  g_assert_cmpstr (find (stack, "hidden_1/MatMul")->inputs[0].node->name, ==, "x");
  g_assert_cmpstr (
      find (stack, "hidden_1/output")->inputs[0].node->name, ==,
      find (stack, "hidden/output")->inputs[0].node->name[0] != '\0' ? "hidden_1/BiasAdd" : "");
  /* A variable of its own, not the one that it was copied of. */
  const SluiceNode *kernel = find (stack, "hidden_1/kernel");
  const SluiceString *shared = sluice_node_get_string (kernel, "shared_name");
  g_assert_true (shared->length == 0 || strncmp (shared->data, "hidden_1/", 9) == 0);
  paste (stack, text, FALSE);
  g_assert_null (find (stack, "hidden_2/MatMul")->inputs[0].node);
  g_assert_true (sluice_command_stack_undo (stack, 2, NULL));
  g_assert_cmpuint (sluice_graph_get_n_nodes (sluice_command_stack_get_graph (stack)), ==, n);
}

static void
test_other (void)
{
  g_autoptr (SluiceCommandStack) from = new_stack (MODEL);
  g_autoptr (SluiceCommandStack) to = new_stack ("");
  const char *const names[] = { "hidden", "out", NULL };
  g_autofree char *text = sluice_copy_dup_text (sluice_command_stack_get_graph (from), names);
  paste (to, text, TRUE);
  g_assert_null (find (to, "hidden/MatMul")->inputs[0].node);
  g_assert_cmpstr (find (to, "out/MatMul")->inputs[0].node->name, ==, "hidden/output");
  g_autofree char *again = copy (to, "out");
  g_autofree char *was = copy (from, "out");
  g_assert_cmpstr (again, ==, was);
}

static void
test_one (void)
{
  g_autoptr (SluiceCommandStack) stack = new_stack (MODEL);
  g_autofree char *text = copy (stack, "hidden/MatMul");
  paste (stack, text, TRUE);
  g_assert_cmpstr (find (stack, "hidden/MatMul_1")->inputs[0].node->name, ==, "x");
}

static void
test_refused (void)
{
  static const char *const texts[] = { "",
                                       "what people copy",
                                       "versions { producer: 27 }",
                                       "node { op: 'NoOp' }",
                                       "node { name: 'a' op: 'NoOp'",
                                       "node: 1" };
  g_autoptr (SluiceCommandStack) stack = new_stack (MODEL);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (
          sluice_paste_dup_line (sluice_command_stack_get_graph (stack), texts[i], TRUE, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_func ("/command/paste/same", test_same);
  g_test_add_func ("/command/paste/other", test_other);
  g_test_add_func ("/command/paste/one", test_one);
  g_test_add_func ("/command/paste/refused", test_refused);
  return g_test_run ();
}
