/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes what is typed into a graph's text: any text is taken, and the graph is then what it says,
 * or is refused with a place in it; undone, the graph is as it was. */
#include "engine/command/stack.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/fuzz/fuzz-driver.h"

static const char model[] = "add Placeholder x dtype=DT_FLOAT shape=[?,2]\nadd Neg y x\n"
                            "add AddN sum x y\nadd NoOp done ^sum\n";

/* All of the graph's text is another one now. */
static void
edit (SluiceCommandStack *stack, SluiceGraphText *map, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_auto (SluiceTextChange) change = { 0 };
  SluiceTextPlace place;
  guint n_before = 0, n_behind = 0;
  g_autofree char *old = sluice_graph_text_dup_text (map);
  sluice_graph_text_widen (map, &n_before, &n_behind);
  if (!sluice_graph_text_propose (map, n_before, n_behind, text, &change, &error))
    {
      g_assert_nonnull (sluice_text_split_error (error->message, &place));
      return;
    }
  g_autofree char *line = sluice_command_dup_text_line (&change, NULL);
  if (line == NULL || sluice_command_stack_do (stack, line, NULL, &error))
    sluice_graph_text_accept (map);
  else
    g_assert_true (*error->message != '\0' && g_utf8_validate (error->message, -1, NULL));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup (data != NULL ? (const char *) data : "", size);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  sluice_command_stack_run (stack, model, FALSE, NULL, NULL, NULL);
  g_autoptr (GBytes) before = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  guint n = sluice_command_stack_get_n_undo (stack);
  g_autoptr (SluiceGraphText) map = sluice_graph_text_new (graph, NULL);
  edit (stack, map, text);
  g_autofree char *now = sluice_graph_text_dup_text (map);
  g_autofree char *again = sluice_graph_text_dup_text (map);
  g_assert_cmpstr (now, ==, again);
  g_assert_true (
      sluice_command_stack_undo (stack, sluice_command_stack_get_n_undo (stack) - n, NULL));
  g_autoptr (GBytes) after = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (g_bytes_equal (before, after));
  return 0;
}

void
fuzz_init (void)
{
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
}

GPtrArray *
fuzz_seeds (void)
{
  static const char *const seeds[] = {
    "# a model\nnode {\n  name: \"x\" # in\n  op: \"Placeholder\"\n  attr { key: \"dtype\" value "
    "{\n"
    "    type: DT_FLOAT } }\n  attr { key: \"shape\" value {\n    shape { dim { size: -1 } dim { "
    "size: 2 } } } }\n}\nnode { name: 'y' op: 'Neg' input: 'x' }\nnode {\n  name: \"sum\"\n"
    "  op: \"AddN\"\n  input: [\"x\", \"y:0\"]\n  attr { key: \"N\" value {\n    i: 2 } }\n"
    "  attr { key: \"T\" value {\n    type: DT_FLOAT } }\n}\nnode {\n  name: \"done\"\n"
    "  op: \"NoOp\"\n  input: \"^sum\"\n}\nversions {\n  producer: 2474\n}\n",
    "node { name: \"x\" op: \"Const\" attr { key: \"value\" value { tensor { dtype: DT_FLOAT "
    "tensor_shape { } float_val: 1 } } } attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
    "node { name: \"z\" op: \"Neg\" input: \"x\" device: \"/cpu:0\" }\n"
    "versions { producer: 2474 }\n",
  };
  return fuzz_texts (seeds, G_N_ELEMENTS (seeds));
}
