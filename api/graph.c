/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/graph.h"

#include "api/attrs.h"
#include "api/graph-private.h"
#include "api/sluice-private.h"
#include "engine/base/error.h"
#include "engine/graph/graphdef.h"

G_DEFINE_BOXED_TYPE (SluiceGraph, sluice_graph, sluice_graph_ref, sluice_graph_unref)

GType
sluice_node_get_gtype (void)
{
  static gsize type;
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_boxed_type_register_static ("SluiceNode",
                                                            (GBoxedCopyFunc) sluice_node_share,
                                                            (GBoxedFreeFunc) sluice_node_release));
  return type;
}

SluiceNode *
sluice_node_share (SluiceNode *self)
{
  sluice_graph_ref (self->graph);
  return self;
}

void
sluice_node_release (SluiceNode *self)
{
  sluice_graph_unref (self->graph);
}

SluiceGraph *
sluice_graph_new_empty (void)
{
  sluice_api_begin_graphs ();
  return sluice_graph_new ();
}

SluiceGraph *
sluice_graph_load (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  sluice_api_begin_graphs ();
  return sluice_graph_load_file (path, error);
}

SluiceGraph *
sluice_graph_parse (GBytes *bytes, GError **error)
{
  g_return_val_if_fail (bytes != NULL, NULL);
  g_autoptr (SluiceGraph) graph = sluice_graph_new_empty ();
  return sluice_graph_import (graph, bytes, error) ? g_steal_pointer (&graph) : NULL;
}

gboolean
sluice_graph_add_bytes (SluiceGraph *self, GBytes *bytes, GError **error)
{
  g_return_val_if_fail (bytes != NULL, FALSE);
  return sluice_graph_import (self, bytes, error);
}

GBytes *
sluice_graph_dup_bytes (SluiceGraph *self, SluiceExportFlags flags, GError **error)
{
  return sluice_graph_export (self, flags, error);
}

gboolean
sluice_graph_save (SluiceGraph *self, const char *path, SluiceExportFlags flags, GError **error)
{
  g_return_val_if_fail (path != NULL, FALSE);
  g_autoptr (GBytes) bytes = sluice_graph_export (self, flags, error);
  if (bytes == NULL)
    return FALSE;
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  return g_file_set_contents_full (path, length > 0 ? data : "", (gssize) length,
                                   G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                                   0666, error);
}

SluiceNode *
sluice_api_find_node (SluiceGraph *graph, const char *name, GError **error)
{
  SluiceNode *node = sluice_graph_find (graph, name);
  SluiceEdge edge;
  if (node != NULL)
    return node;
  return sluice_graph_parse_edge (graph, name, &edge, error) ? edge.node : NULL;
}

SluiceNode *
sluice_graph_dup_node (SluiceGraph *self, const char *name, GError **error)
{
  g_return_val_if_fail (name != NULL, NULL);
  SluiceNode *node = sluice_api_find_node (self, name, error);
  return node != NULL ? sluice_node_share (node) : NULL;
}

SluiceNode **
sluice_graph_dup_nodes (SluiceGraph *self, gsize *n_nodes)
{
  guint n = sluice_graph_get_n_nodes (self);
  SluiceNode **nodes = g_new (SluiceNode *, n + 1);
  for (guint i = 0; i < n; i++)
    nodes[i] = sluice_node_share (sluice_graph_get_node (self, i));
  nodes[n] = NULL;
  *n_nodes = n;
  return nodes;
}

const char *
sluice_node_get_name (SluiceNode *self)
{
  return self->name;
}

const char *
sluice_node_get_op (SluiceNode *self)
{
  return self->op_name;
}

const char *
sluice_node_get_device (SluiceNode *self)
{
  return self->device;
}

SluiceGraph *
sluice_node_dup_graph (SluiceNode *self)
{
  return sluice_graph_ref (self->graph);
}

char **
sluice_node_dup_inputs (SluiceNode *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = 0; i < self->n_inputs; i++)
    {
      SluiceEdge edge = self->inputs[i];
      g_autofree char *text =
          edge.node != NULL ? g_strdup_printf ("%s:%d", edge.node->name, edge.port) : NULL;
      g_strv_builder_add (builder, text != NULL ? text : "");
    }
  for (guint i = 0; i < self->n_control_inputs; i++)
    {
      g_autofree char *text = g_strconcat ("^", self->control_inputs[i]->name, NULL);
      g_strv_builder_add (builder, text);
    }
  return g_strv_builder_end (builder);
}

guint
sluice_node_get_n_outputs (SluiceNode *self)
{
  return self->n_outputs;
}

SluiceDType
sluice_node_get_output_dtype (SluiceNode *self, guint output)
{
  g_return_val_if_fail (output < self->n_outputs, SLUICE_INVALID);
  return sluice_dtype_base (self->outputs[output].dtype);
}

gboolean
sluice_node_get_output_shape (SluiceNode *self, guint output, const gint64 **dims, gsize *n_dims)
{
  *dims = NULL;
  *n_dims = 0;
  g_return_val_if_fail (output < self->n_outputs, FALSE);
  const SluiceShape *shape = &self->outputs[output].shape;
  if (shape->rank < 0)
    return FALSE;
  *dims = shape->dim;
  *n_dims = (gsize) shape->rank;
  return TRUE;
}

GVariant *
sluice_node_dup_attrs (SluiceNode *self)
{
  GVariantBuilder builder;
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < self->n_attrs; i++)
    g_variant_builder_add (&builder, "{sv}", self->attrs[i].name,
                           sluice_attr_value_to_variant (&self->attrs[i].value));
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

gboolean
sluice_node_check (SluiceNode *self, GError **error)
{
  if (self->error == NULL)
    return TRUE;
  g_propagate_error (error, g_error_copy (self->error));
  return FALSE;
}
