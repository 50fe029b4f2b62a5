/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A scope that is an instance of a block, or could be one. */
#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>

#include "app/build/edit-lines.h"
#include "engine/command/block.h"
#include "engine/command/layer.h"

char *
sluice_inspector_dup_scope_kind (SluiceGraph *graph, const char *scope)
{
  g_autoptr (SluiceLayer) layer = sluice_layer_read (graph, scope);
  if (layer != NULL)
    return g_strdup_printf ("layer %s", layer->template->name);
  g_autofree char *block = sluice_block_dup_name (graph, scope);
  if (block == NULL)
    return g_strdup ("scope");
  g_auto (GStrv) instances = sluice_block_list_instances (graph, block);
  return g_strdup_printf ("block %s %u", block, g_strv_length (instances));
}

static void
add_instances (SluiceInspector *self, const char *const *instances, const char *scope)
{
  for (guint i = 0; instances[i] != NULL; i++)
    {
      g_autofree char *said = g_strdup_printf (_ ("Show %s"), instances[i]);
      if (!g_str_equal (instances[i], scope))
        sluice_inspector_rows_add_link (&self->rows, instances[i], "", "win.select", instances[i],
                                        said);
    }
}

void
sluice_inspector_add_block (SluiceInspector *self, SluiceGraph *graph, const char *scope)
{
  g_autofree char *block = sluice_block_dup_name (graph, scope);
  gboolean can_change =
      self->document != NULL && sluice_document_get_graph (self->document) == graph;
  if (block == NULL)
    {
      sluice_inspector_rows_begin (&self->rows, NULL, TRUE);
      if (can_change)
        sluice_inspector_add_command (self, _ ("Make a block"),
                                      _ ("There can be more of its kind, which change together"),
                                      sluice_edit_line_block (graph, scope));
      return;
    }
  g_auto (GStrv) instances = sluice_block_list_instances (graph, block);
  guint n_others = g_strv_length (instances) - 1;
  sluice_inspector_rows_begin (&self->rows, _ ("Block"), TRUE);
  sluice_inspector_rows_add_printf (&self->rows, block,
                                    ngettext ("%u other", "%u others", n_others), n_others);
  add_instances (self, (const char *const *) instances, scope);
  if (!can_change)
    return;
  g_autofree char *title =
      g_strdup_printf (ngettext ("Apply to the other", "Apply to %u others", n_others), n_others);
  if (n_others > 0)
    sluice_inspector_add_command (self, title,
                                  _ ("They become as this one is; what they read stays theirs"),
                                  sluice_edit_line_of ("apply", scope));
  sluice_inspector_add_command (self, _ ("One more"), _ ("It reads what the first one reads"),
                                sluice_edit_line_instance (graph, block, scope));
  sluice_inspector_add_command (self, _ ("Take out of the block"),
                                _ ("It stays as it is, and follows no more"),
                                sluice_edit_line_of ("unblock", scope));
}
