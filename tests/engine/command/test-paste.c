/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Parts of a graph are copied as text and pasted, into the same graph and into another one. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/paste.h"
#include "engine/command/stack.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/rewrite.h"
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

/* ---- in pieces ---- */

#define N_MANY 2000

/* A chain in the wrong order, beside nodes that have no scope. (transfer full) */
static char *
new_many (void)
{
  GString *text = g_string_new (NULL);
  for (guint i = N_MANY; i > 0; i--)
    {
      g_string_append_printf (text, "node { name: \"n%u\" op: \"%s\" ", i, i > 1 ? "Neg" : "Const");
      if (i > 1)
        g_string_append_printf (text, "input: \"n%u\" } # n%u\n", i - 1, i);
      else
        g_string_append (text, "attr { key: \"dtype\" value { type: DT_FLOAT } } attr { key: "
                               "\"value\" value { tensor { dtype: DT_FLOAT tensor_shape { } "
                               "float_val: 1 } } } }\n");
    }
  return g_string_free (text, FALSE);
}

static SluiceCommandStack *
new_stack_with_text (void)
{
  SluiceCommandStack *stack = new_stack (MODEL "add NoOp n7/below\n");
  SluiceGraph *graph = sluice_command_stack_get_graph (stack);
  sluice_command_stack_take_text (stack, sluice_graph_text_new (graph, NULL));
  return stack;
}

static void
assert_same (SluiceCommandStack *a, SluiceCommandStack *b)
{
  g_autoptr (GBytes) x =
      sluice_graph_export (sluice_command_stack_get_graph (a), SLUICE_EXPORT_BINARY, NULL);
  g_autoptr (GBytes) y =
      sluice_graph_export (sluice_command_stack_get_graph (b), SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (g_bytes_equal (x, y));
  g_autofree char *text = sluice_graph_text_dup_text (sluice_command_stack_get_text (a));
  g_autofree char *other = sluice_graph_text_dup_text (sluice_command_stack_get_text (b));
  g_assert_cmpstr (text, ==, other);
  g_assert_cmpstr (sluice_command_stack_get_journal (a), ==, sluice_command_stack_get_journal (b));
}

static SluicePasting *
new_pasting (SluiceCommandStack *stack, const char *text)
{
  return sluice_pasting_new (stack, sluice_command_stack_get_graph (stack), text, FALSE);
}

/* As often as that: each turn is 64 nodes of a stage, or what is less than a look at the clock. */
static void
test_pieces (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = new_many ();
  g_autoptr (SluiceCommandStack) stack = new_stack_with_text (), other = new_stack_with_text ();
  g_autoptr (SluiceCommandStack) before = new_stack_with_text ();
  SluicePasting *pasting = new_pasting (stack, text);
  guint n = sluice_command_stack_get_n_undo (stack), n_turns = 1;
  double last = -1;
  for (; !sluice_pasting_go_on (pasting, 0); n_turns++)
    {
      double progress = sluice_pasting_get_progress (pasting);
      g_assert_cmpfloat (progress, >=, last);
      g_assert_cmpfloat (progress, <=, 1);
      last = progress;
    }
  g_assert_true (sluice_pasting_end (pasting, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (sluice_pasting_get_n_nodes (pasting), ==, N_MANY);
  sluice_pasting_free (pasting);
  g_assert_cmpuint (n_turns, >, 6 * N_MANY / 64);
  g_assert_cmpuint (sluice_command_stack_get_n_undo (stack), ==, n + 1);
  g_autofree char *words = sluice_command_stack_dup_undo_words (stack);
  g_assert_cmpstr (words, ==, "paste 2000 nodes");
  g_assert_cmpstr (find (stack, "n8")->inputs[0].node->name, ==, "n7_1");

  paste (other, text, FALSE);
  assert_same (stack, other);
  g_assert_true (sluice_command_stack_undo (stack, 1, NULL));
  g_assert_true (sluice_command_stack_undo (other, 1, NULL));
  assert_same (stack, other);
  g_autoptr (GBytes) bytes =
      sluice_graph_export (sluice_command_stack_get_graph (before), SLUICE_EXPORT_BINARY, NULL);
  g_autoptr (GBytes) now =
      sluice_graph_export (sluice_command_stack_get_graph (stack), SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (g_bytes_equal (bytes, now));
}

/* Wherever it is cancelled, the graph, its text and the journal are as they were. */
static void
test_cancel (void)
{
  g_autofree char *text = new_many ();
  g_autoptr (SluiceCommandStack) stack = new_stack_with_text (), before = new_stack_with_text ();
  guint n_cancelled = 0, n_in_transaction = 0;
  for (guint n_turns = 1;; n_turns += 7)
    {
      SluicePasting *pasting = new_pasting (stack, text);
      gboolean is_over = FALSE;
      for (guint i = 0; i < n_turns && !is_over; i++)
        is_over =
            sluice_pasting_go_on (pasting, 0)
            || sluice_command_stack_get_n_undo (stack) > sluice_command_stack_get_n_undo (before);
      n_in_transaction += sluice_graph_is_in_transaction (sluice_command_stack_get_graph (stack));
      sluice_pasting_free (pasting);
      if (is_over)
        break;
      assert_same (stack, before);
      n_cancelled++;
    }
  g_assert_cmpuint (n_cancelled, >, 10);
  g_assert_cmpuint (n_in_transaction, >, 5);
  g_assert_false (sluice_graph_is_in_transaction (sluice_command_stack_get_graph (stack)));
}

/* What cannot be pasted is refused as the command is, and nothing has changed. */
static void
test_refused_in_pieces (void)
{
  static const struct
  {
    const char *what, *by, *words;
  } cases[] = {
    { "op: \"Neg\" input: \"n5\"", "op: \"Nog\" input: \"n5\"", "no op of this name is known" },
    { "op: \"Neg\" input: \"n5\"", "op: \"Neg\" input: \"n5:3\"", "has 1 output" },
    { "op: \"Neg\" input: \"n5\"", "op: \"Neg\" input: \"n5", "not closed" },
    { "name: \"n6\"", "name: \"n5\"", "two nodes of the name 'n5'" },
    { "name: \"n6\"", "names: \"n6\"", "has no name" },
  };
  g_autofree char *text = new_many ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceCommandStack) stack = new_stack_with_text ();
      g_autoptr (SluiceCommandStack) before = new_stack_with_text ();
      g_autoptr (GString) wrong = g_string_new (text);
      g_assert_cmpuint (g_string_replace (wrong, cases[i].what, cases[i].by, 1), ==, 1);
      SluicePasting *pasting = new_pasting (stack, wrong->str);
      while (!sluice_pasting_go_on (pasting, 0))
        ;
      g_assert_false (sluice_pasting_end (pasting, &error));
      if (strstr (error->message, cases[i].words) == NULL)
        g_error ("%s: %s", cases[i].by, error->message);
      sluice_pasting_free (pasting);
      assert_same (stack, before);
    }
}

static gboolean
keep_nothing (const char *line, gpointer data, GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "the disk is full");
}

static void
test_not_kept (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = new_many ();
  g_autoptr (SluiceCommandStack) stack = new_stack_with_text (), before = new_stack_with_text ();
  sluice_command_stack_set_keep (stack, keep_nothing, NULL);
  SluicePasting *pasting = new_pasting (stack, text);
  while (!sluice_pasting_go_on (pasting, 0))
    ;
  g_assert_false (sluice_pasting_end (pasting, &error));
  g_assert_cmpstr (error->message, ==, "paste: the disk is full");
  sluice_pasting_free (pasting);
  assert_same (stack, before);
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
  g_test_add_func ("/paste/pieces", test_pieces);
  g_test_add_func ("/paste/cancel", test_cancel);
  g_test_add_func ("/paste/refused-in-pieces", test_refused_in_pieces);
  g_test_add_func ("/paste/not-kept", test_not_kept);
  return g_test_run ();
}
