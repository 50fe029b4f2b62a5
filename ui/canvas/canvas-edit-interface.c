/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

/* Ports of nodes as the editor tells of them, and of closed scopes: the inputs and outputs in them
 * whose wires cross the border, and those that wait for one. */

#define MOST_ASKED 64 /* nodes in a scope, up to which it shows what is open in them */
#define MOST_PORTS 64 /* of a scope: more would not find room */

struct _SluiceCanvasPorts
{
  const char *node;
  guint id; /* in the scene's model */
  GArray *list;
  guint n[2]; /* inputs, outputs so far */
};

static void
clear_port (gpointer data)
{
  CanvasPort *port = data;
  g_free (port->node);
  g_free (port->name);
  g_free (port->dtype);
  g_free (port->shape);
}

GArray *
sluice_canvas_edit_new_ports (void)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (CanvasPort));
  g_array_set_clear_func (list, clear_port);
  return list;
}

void
sluice_canvas_ports_add (SluiceCanvasPorts *self,
                         gboolean is_output,
                         const char *name,
                         const char *dtype,
                         const char *shape,
                         gboolean is_open)
{
  g_return_if_fail (self != NULL);
  CanvasPort port = { .node = g_strdup (self->node),
                      .id = self->id,
                      .index = self->n[is_output ? 1 : 0]++,
                      .is_output = is_output,
                      .name = g_strdup (name),
                      .dtype = g_strdup (dtype),
                      .shape = g_strdup (shape),
                      .is_open = is_open };
  g_array_append_val (self->list, port);
}

void
sluice_canvas_edit_describe (SluiceCanvas *self, guint node, GArray *list)
{
  const CanvasEdit *edit = self->edit;
  SluiceGraphModel *model = sluice_hierarchy_get_model (sluice_scene_get_hierarchy (self->scene));
  const char *name = sluice_graph_model_get_node (model, node)->name;
  SluiceCanvasPorts ports = { .node = name, .id = node, .list = list };
  if (edit->editor->describe_ports != NULL)
    edit->editor->describe_ports (name, &ports, edit->user_data);
}

/* A port of a node in a scope, once, named by the node: "fc1 a". */
static void
add_port (GArray *list, const SluiceGroup *op, const CanvasPort *port)
{
  if (list->len >= MOST_PORTS)
    return;
  for (guint i = 0; i < list->len; i++)
    {
      const CanvasPort *other = &g_array_index (list, CanvasPort, i);
      if (other->is_output == port->is_output && other->index == port->index
          && other->id == port->id)
        return;
    }
  CanvasPort copy = *port;
  copy.node = g_strdup (port->node);
  copy.name = port->name != NULL ? g_strdup_printf ("%s %s", op->label, port->name)
                                 : g_strdup_printf ("%s:%u", op->label, port->index);
  copy.dtype = g_strdup (port->dtype);
  copy.shape = g_strdup (port->shape);
  g_array_append_val (list, copy);
}

/* Per group the innermost wanted scope that it stands in, or is; parents come before what is in
 * them. */
static guint *
find_wanted (SluiceHierarchy *h, GArray **lists)
{
  guint n = sluice_hierarchy_get_n_groups (h);
  guint *wanted = g_new (guint, n + 1);
  wanted[0] = SLUICE_NONE;
  for (guint i = 1; i < n; i++)
    wanted[i] = lists[i] != NULL ? i : wanted[sluice_hierarchy_get_group (h, i)->parent];
  return wanted;
}

typedef struct
{
  SluiceHierarchy *h;
  GArray **lists;
  guint *wanted;
  guint8 *writes; /* per node: it writes a variable, and what it gives is that once more */
} Interfaces;

/* The wanted scopes that a wire leaves on its way out of @op, up to what holds its other end too.
 */
static void
add_crossing (const Interfaces *all, guint op, guint other, const CanvasPort *port)
{
  for (guint g = all->wanted[op]; g != SLUICE_NONE && !sluice_hierarchy_is_below (all->h, other, g);
       g = all->wanted[sluice_hierarchy_get_group (all->h, g)->parent])
    add_port (all->lists[g], sluice_hierarchy_get_group (all->h, op), port);
}

static void
add_crossings (const Interfaces *all)
{
  SluiceGraphModel *model = sluice_hierarchy_get_model (all->h);
  guint n;
  const SluiceModelEdge *edges = sluice_graph_model_get_edges (model, &n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceModelEdge *e = &edges[i];
      all->writes[e->to] |= e->kind == SLUICE_EDGE_REFERENCE;
      guint from = sluice_hierarchy_get_op_group (all->h, e->from),
            to = sluice_hierarchy_get_op_group (all->h, e->to);
      if ((e->kind != SLUICE_EDGE_DATA && e->kind != SLUICE_EDGE_BACK)
          || all->wanted[from] == all->wanted[to])
        continue;
      CanvasPort out = { .node = (char *) sluice_graph_model_get_node (model, e->from)->name,
                         .id = e->from,
                         .index = e->port,
                         .is_output = TRUE,
                         .dtype = (char *) e->dtype,
                         .shape = (char *) e->shape };
      CanvasPort in = out;
      in.node = (char *) sluice_graph_model_get_node (model, e->to)->name;
      in.id = e->to;
      in.index = e->slot;
      in.is_output = FALSE;
      add_crossing (all, from, to, &out);
      add_crossing (all, to, from, &in);
    }
}

/* It reads a variable, asks about it, or sets it, and nothing else. */
static gboolean
serves_variable (const GArray *ports)
{
  guint n_inputs = 0;
  for (guint i = 0; i < ports->len; i++)
    {
      const CanvasPort *port = &g_array_index (ports, CanvasPort, i);
      n_inputs += !port->is_output;
      if (!port->is_output && g_strcmp0 (port->dtype, "resource") != 0)
        return FALSE;
    }
  return n_inputs > 0;
}

/* Of a node at the end of all: none of its outputs is read. What some ops give besides is of no
 * interest when it is not. */
static gboolean
is_end (const GArray *ports)
{
  for (guint i = 0; i < ports->len; i++)
    if (g_array_index (ports, CanvasPort, i).is_output
        && !g_array_index (ports, CanvasPort, i).is_open)
      return FALSE;
  return TRUE;
}

static void
add_open_below (SluiceCanvas *self, const Interfaces *all, guint group, GArray *list)
{
  const SluiceGroup *g = sluice_hierarchy_get_group (all->h, group);
  for (guint i = g->first_child; i < g->first_child + g->n_children; i++)
    add_open_below (self, all, i, list);
  if (g->kind != SLUICE_GROUP_OP || g->node_class == SLUICE_NODE_CLASS_SUMMARY)
    return;
  g_autoptr (GArray) ports = sluice_canvas_edit_new_ports ();
  const SluiceModelNode *node =
      sluice_graph_model_get_node (sluice_hierarchy_get_model (all->h), g->model_node);
  sluice_canvas_edit_describe (self, g->model_node, ports);
  gboolean ends = is_end (ports) && node->service == SLUICE_SERVICE_NONE
                  && !all->writes[g->model_node] && !serves_variable (ports);
  for (guint i = 0; i < ports->len; i++)
    {
      const CanvasPort *port = &g_array_index (ports, CanvasPort, i);
      if (port->is_open && (ends || !port->is_output))
        add_port (list, g, port);
    }
}

void
sluice_canvas_edit_fill_interfaces (SluiceCanvas *self, GArray **lists)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (self->scene);
  guint n = sluice_hierarchy_get_n_groups (h);
  g_autofree guint *wanted = find_wanted (h, lists);
  g_autofree guint8 *writes =
      g_new0 (guint8, sluice_graph_model_get_n_nodes (sluice_hierarchy_get_model (h)) + 1);
  const Interfaces all = { h, lists, wanted, writes };
  add_crossings (&all);
  for (guint i = 1; i < n; i++)
    if (lists[i] != NULL && sluice_hierarchy_get_group (h, i)->n_ops <= MOST_ASKED)
      add_open_below (self, &all, i, lists[i]);
}
