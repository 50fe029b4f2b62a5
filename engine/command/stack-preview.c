/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a command would add, while nothing of the graph stays changed. */
#include "engine/command/command-private.h"
#include "engine/command/stack-private.h"
#include "engine/graph/node-text.h"

/* Names are interned. (transfer full) */
static GHashTable *
collect_names (SluiceGraph *graph)
{
  GHashTable *names = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    g_hash_table_add (names, (gpointer) sluice_graph_get_node (graph, i)->name);
  return names;
}

/* What is made anew was there before. */
static void
write_new (GString *blocks, SluiceGraph *graph, GHashTable *before)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (!g_hash_table_contains (before, node->name))
        sluice_node_text_write (blocks, node);
    }
}

/* Of what is new by what was there before. */
static void
find_reader (SluicePreviewInput *reader, SluiceGraph *graph, GHashTable *before)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      guint n = 0;
      const SluiceUse *uses = g_hash_table_contains (before, node->name)
                                  ? NULL
                                  : sluice_graph_get_uses (graph, node, &n);
      for (guint k = 0; k < n; k++)
        if (uses[k].input >= 0 && g_hash_table_contains (before, uses[k].node->name))
          {
            reader->node = g_strdup (uses[k].node->name);
            reader->input = (guint) uses[k].input;
            reader->edge = uses[k].port > 0 ? g_strdup_printf ("%s:%d", node->name, uses[k].port)
                                            : g_strdup (node->name);
            return;
          }
    }
}

void
sluice_preview_input_clear (SluicePreviewInput *self)
{
  g_free (self->node);
  g_free (self->edge);
}

static gboolean
try (SluiceCommandStack *stack, const SluiceLine *line, GString *blocks, SluicePreviewInput *reader)
{
  SluiceGraph *graph = sluice_command_stack_get_graph (stack);
  g_autoptr (GString) unheard = g_string_new (NULL);
  SluiceCommandCall call = { .stack = stack,
                             .graph = graph,
                             .said = unheard,
                             .command = sluice_command_find (line->words[0].text, NULL) };
  if (call.command == NULL || call.command->words == NULL)
    return FALSE;
  g_autoptr (GHashTable) before = collect_names (graph);
  sluice_edit_begin (graph);
  gboolean ok = sluice_command_run_line (&call, line, NULL);
  if (ok)
    write_new (blocks, graph, before);
  if (ok && reader != NULL)
    find_reader (reader, graph, before);
  sluice_edit_abandon (graph);
  g_free (call.words);
  g_free (call.text);
  g_clear_pointer (&call.training, sluice_training_away_free);
  return ok;
}

char *
sluice_command_stack_dup_preview (SluiceCommandStack *self,
                                  const char *text,
                                  SluicePreviewInput *reader)
{
  if (reader != NULL)
    *reader = (SluicePreviewInput){ 0 };
  g_autoptr (SluiceLine) line = sluice_line_parse (text, NULL);
  GString *blocks = g_string_new (NULL);
  gboolean ok =
      line != NULL && line->n > 0 && line->words[0].key == NULL && try (self, line, blocks, reader);
  return g_string_free (blocks, !ok);
}
