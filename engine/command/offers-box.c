/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/command/offers-private.h"
#include "engine/graph/trial.h"

/* What vectors of sizes are computed from: Shape, StridedSlice, Pack … */
#define MAX_DEPTH 8

/* ---- the box ---- */

void
sluice_box_init (SluiceBox *self)
{
  self->graph = sluice_graph_new ();
  self->stack = sluice_command_stack_new (self->graph);
}

void
sluice_box_clear (SluiceBox *self)
{
  sluice_command_stack_free (self->stack);
  sluice_graph_unref (self->graph);
}

/* Could shape rules read its value? */
static gboolean
may_tell_sizes (SluiceEdge edge)
{
  SluiceDType dtype = sluice_edge_dtype (edge);
  return (dtype == SLUICE_INT32 || dtype == SLUICE_INT64) && sluice_edge_shape (edge)->rank >= 0
         && sluice_edge_shape (edge)->rank <= 1;
}

static SluiceNode *
copy (SluiceBox *self, const SluiceNode *node, gboolean with_inputs, guint depth)
{
  SluiceNode *known = sluice_graph_find (self->graph, node->name);
  if (known != NULL)
    return known;
  g_autofree SluiceEdge *inputs = g_new0 (SluiceEdge, MAX (node->n_inputs, 1));
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      if (edge.node != NULL && edge.node != node && depth < MAX_DEPTH
          && (with_inputs || may_tell_sizes (edge)))
        inputs[i] = (SluiceEdge){ copy (self, edge.node, FALSE, depth + 1), edge.port };
    }
  known = sluice_graph_find (self->graph, node->name); /* a loop comes back to it */
  return known != NULL ? known
                       : sluice_graph_copy_node (self->graph, node, node->name, inputs, NULL, 0);
}

void
sluice_box_add (SluiceBox *self, const SluiceNode *node)
{
  copy (self, node, FALSE, 0);
}

void
sluice_box_add_reader (SluiceBox *self, const SluiceNode *node)
{
  copy (self, node, TRUE, 0);
}

gboolean
sluice_box_is_well (SluiceBox *self, const char *name)
{
  SluiceOutput output;
  const SluiceNode *node = sluice_graph_find (self->graph, name);
  return node == NULL || node->error == NULL
         || (node->n_inputs > 0 && sluice_node_try_input (node, 0, node->inputs[0], &output, NULL));
}

gboolean
sluice_box_do (SluiceBox *self, const char *line, const SluiceNode *reader)
{
  if (!sluice_command_stack_do (self->stack, line, NULL, NULL))
    return FALSE;
  if (reader == NULL || sluice_box_is_well (self, reader->name))
    return TRUE;
  sluice_box_undo (self);
  return FALSE;
}

void
sluice_box_undo (SluiceBox *self)
{
  sluice_command_stack_undo (self->stack, 1, NULL);
}

gboolean
sluice_box_get_output (SluiceBox *self, const char *name, SluiceOutput *output)
{
  const SluiceNode *node = sluice_graph_find (self->graph, name);
  if (node == NULL || node->n_outputs == 0)
    return FALSE;
  *output = node->outputs[0];
  if (node->error != NULL && node->n_inputs > 0)
    sluice_node_try_input (node, 0, node->inputs[0], output, NULL);
  return output->dtype != SLUICE_INVALID;
}

/* ---- names ---- */

gsize
sluice_offers_layer_span (SluiceGraph *graph, const char *name)
{
  for (const char *slash = strchr (name, '/'); slash != NULL; slash = strchr (slash + 1, '/'))
    {
      g_autofree char *last = g_strdup_printf ("%.*s/output", (int) (slash - name), name);
      const SluiceNode *output = sluice_graph_find (graph, last);
      if (output != NULL && sluice_node_get_attr (output, "_layer") != NULL)
        return (gsize) (slash - name);
    }
  return 0;
}

gboolean
sluice_offers_is_inside (SluiceGraph *graph, const SluiceNode *node)
{
  gsize span = sluice_offers_layer_span (graph, node->name);
  return span > 0 && !g_str_equal (node->name + span, "/output");
}

/* "a/b/". A layer that is made again takes all that stands in it away: outside of layers, then. */
static char *
dup_scope_of (SluiceGraph *graph, const char *name)
{
  gsize length = sluice_offers_layer_span (graph, name);
  for (length = length > 0 ? length : strlen (name); length > 0 && name[length - 1] != '/';)
    length--;
  return g_strndup (name, length);
}

void
sluice_namer_init (SluiceNamer *self, SluiceGraph *graph, const SluiceNode *near, const char *scope)
{
  gboolean is_given = near == NULL && scope != NULL && *scope != '\0';
  *self = (SluiceNamer){ .graph = graph };
  self->scope = near != NULL ? dup_scope_of (graph, near->name)
                : is_given   ? g_strconcat (scope, "/", NULL)
                             : g_strdup ("");
}

void
sluice_namer_clear (SluiceNamer *self)
{
  g_free (self->scope);
  g_clear_pointer (&self->taken, g_hash_table_unref);
}

/* Each component that stands directly in the scope, of tens of thousands of names in one go. */
static void
collect_taken (SluiceNamer *self)
{
  gsize length = strlen (self->scope), n_last = 0;
  const char *last = "";
  self->taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (self->graph); i++)
    {
      const char *name = sluice_graph_get_node (self->graph, i)->name;
      if (strncmp (name, self->scope, length) != 0)
        continue;
      const char *own = name + length;
      gsize n = strcspn (own, "/");
      if (n == n_last && memcmp (own, last, n) == 0)
        continue; /* beside each other they stand in the file, too */
      g_hash_table_add (self->taken, g_strndup (own, n));
      last = own;
      n_last = n;
    }
}

char *
sluice_namer_make (SluiceNamer *self, const char *base)
{
  if (self->taken == NULL)
    collect_taken (self);
  g_autofree char *own = g_strdup (base);
  for (guint n = 1; g_hash_table_contains (self->taken, own); n++)
    {
      g_free (own);
      own = g_strdup_printf ("%s_%u", base, n);
    }
  return g_strconcat (self->scope, own, NULL);
}
