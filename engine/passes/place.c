/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Placement. Nodes that must stand together are gathered first (union-find over `_class`,
 * references and resources); a group goes where the merged requests of its members allow. What
 * nobody asked a device for stays with its neighbours where that saves a transfer, else on the
 * first device.
 */
#include "engine/passes/passes.h"

/* Why two nodes stand together: an edge of the graph that an error's chain is read from. */
typedef struct
{
  guint32 a, b; /* node indices */
  const char *why;
} Link;

typedef struct
{
  SluiceDeviceSpec spec;
  guint32 asked_by;  /* node index + 1: whose request the spec holds; 0: nobody's */
  const char *asked; /* its text */
  int device;        /* -1: not chosen */
  const char *reason;
  GError *error;
} Group;

typedef struct
{
  SluiceGraph *graph;
  SluiceDevice *const *devices;
  guint n_devices;
  gboolean soft;
  GArray *placements;
  guint32 *parent; /* union-find over node indices */
  GArray *links;
  Group *groups; /* by root */
} Place;

static void
clear_placement (gpointer data)
{
  SluicePlacement *placement = data;
  g_clear_error (&placement->error);
}

GArray *
sluice_placements_new (void)
{
  GArray *placements = g_array_new (FALSE, TRUE, sizeof (SluicePlacement));
  g_array_set_clear_func (placements, clear_placement);
  return placements;
}

static SluicePlacement *
placement_of (Place *place, guint32 i)
{
  return &g_array_index (place->placements, SluicePlacement, i);
}

static guint32
find_root (Place *place, guint32 i)
{
  while (place->parent[i] != i)
    i = place->parent[i] = place->parent[place->parent[i]];
  return i;
}

static void
tie (Place *place, guint32 a, guint32 b, const char *why)
{
  Link link = { a, b, why };
  g_array_append_val (place->links, link);
  guint32 x = find_root (place, a), y = find_root (place, b);
  place->parent[MAX (x, y)] = MIN (x, y);
}

static void
tie_class (Place *place, const SluiceNode *node)
{
  const SluiceAttrValue *class = sluice_node_get_attr (node, "_class");
  if (!class || class->kind != SLUICE_ATTR_LIST)
    return;
  for (guint i = 0; i < class->list.n; i++)
    {
      const SluiceAttrValue *item = &class->list.items[i];
      if (item->kind != SLUICE_ATTR_STRING || item->s.length < 5
          || memcmp (item->s.data, "loc:@", 5) != 0)
        continue;
      g_autofree char *name = g_strndup (item->s.data + 5, item->s.length - 5);
      const SluiceNode *other = sluice_graph_find (place->graph, name);
      if (other)
        {
          tie (place, node->id - 1, other->id - 1, "_class");
          continue;
        }
      SluicePlacement *placement = placement_of (place, node->id - 1);
      if (!placement->error)
        placement->error = g_error_new (
            SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT,
            "%s '%s': attribute _class asks to stand beside '%s', which is no node of the graph",
            node->op_name, node->name, name);
    }
}

static void
tie_node (Place *place, const SluiceNode *node)
{
  tie_class (place, node);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      if (!edge.node || edge.port >= (int) edge.node->n_outputs)
        continue;
      SluiceDType dtype = sluice_edge_dtype (edge);
      if (sluice_dtype_is_ref (dtype) && sluice_node_takes_ref (node, i))
        tie (place, node->id - 1, edge.node->id - 1, "a reference");
      else if (dtype == SLUICE_RESOURCE)
        tie (place, node->id - 1, edge.node->id - 1, "a resource");
    }
}

static char *
device_list (const Place *place)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < place->n_devices; i++)
    g_string_append_printf (text, "%s%s:%u", i ? ", " : "", place->devices[i]->klass->type,
                            place->devices[i]->index);
  return g_string_free (text, FALSE);
}

/* "'a' is tied to 'b' (_class), 'b' to 'c' (a reference)": breadth first over the links. */
static char *
chain (const Place *place, guint32 from, guint32 to)
{
  guint n = sluice_graph_get_n_nodes (place->graph);
  g_autofree guint32 *via = g_new0 (guint32, n); /* link + 1 that reached the node */
  g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (queue, to); /* backwards, so that reading it gives the order from → to */
  for (guint head = 0; head < queue->len && !via[from]; head++)
    {
      guint32 at = g_array_index (queue, guint32, head);
      for (guint i = 0; i < place->links->len; i++)
        {
          const Link *link = &g_array_index (place->links, Link, i);
          guint32 next = link->a == at ? link->b : link->b == at ? link->a : at;
          if (next == at || next == to || via[next])
            continue;
          via[next] = i + 1;
          g_array_append_val (queue, next);
        }
    }
  GString *text = g_string_new (NULL);
  for (guint32 at = from; at != to && via[at];)
    {
      const Link *link = &g_array_index (place->links, Link, via[at] - 1);
      guint32 next = link->a == at ? link->b : link->a;
      g_string_append_printf (text, "%s'%s' is tied to '%s' by %s", text->len ? ", " : "",
                              sluice_graph_get_node (place->graph, at)->name,
                              sluice_graph_get_node (place->graph, next)->name, link->why);
      at = next;
    }
  return g_string_free (text, FALSE);
}

static void
fail_conflict (Place *place, Group *group, const SluiceNode *node)
{
  const SluiceNode *other = sluice_graph_get_node (place->graph, group->asked_by - 1);
  g_autofree char *links = chain (place, node->id - 1, other->id - 1);
  group->error = g_error_new (
      SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT,
      "%s '%s' asks for device '%s' and %s '%s' for '%s', but they must stand together: %s",
      node->op_name, node->name, node->device, other->op_name, other->name, group->asked, links);
}

/* Adds a node's request to its group's. */
static void
ask (Place *place, Group *group, const SluiceNode *node)
{
  SluiceDeviceSpec spec = { 0 };
  g_autoptr (GError) error = NULL;
  SluicePlacement *placement = placement_of (place, node->id - 1);
  if (!sluice_device_spec_parse (&spec, node->device, &error))
    {
      if (!placement->error)
        placement->error = g_error_new (SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT, "%s '%s': %s",
                                        node->op_name, node->name, error->message);
      return;
    }
  if (!group->asked_by)
    {
      group->spec = spec;
      group->asked_by = node->id;
      group->asked = node->device;
      return;
    }
  if (!sluice_device_spec_merge (&group->spec, &spec) && !group->error)
    {
      if (!place->soft)
        fail_conflict (place, group, node);
    }
  sluice_device_spec_clear (&spec);
}

static int
first_match (const Place *place, const SluiceDeviceSpec *spec)
{
  for (guint i = 0; i < place->n_devices; i++)
    if (sluice_device_spec_matches (spec, place->devices[i]))
      return (int) i;
  return -1;
}

/* Chooses for a group in which somebody asked for something. */
static void
choose_asked (Place *place, Group *group)
{
  group->device = first_match (place, &group->spec);
  if (group->device >= 0)
    {
      group->reason = g_intern_static_string ("explicit");
      return;
    }
  g_autofree char *devices = device_list (place);
  const SluiceNode *node = sluice_graph_get_node (place->graph, group->asked_by - 1);
  if (place->soft)
    {
      g_autofree char *reason = g_strdup_printf ("soft: '%s' asks for '%s', there is %s",
                                                 node->name, group->asked, devices);
      group->device = 0;
      group->reason = g_intern_string (reason);
    }
  else if (!group->error)
    group->error = g_error_new (
        SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT,
        "%s '%s': device '%s' does not exist, there is %s; change the node's device or allow soft "
        "placement",
        node->op_name, node->name, group->asked, devices);
}

/* The device of an input that Shape and its like follow; -1: none. */
static int
follow_input (Place *place, const SluiceNode *node)
{
  if (!node->op || !(node->op->def->flags & SLUICE_OP_FORWARDS_METADATA) || node->n_inputs == 0
      || !node->inputs[0].node)
    return -1;
  Group *group = &place->groups[find_root (place, node->inputs[0].node->id - 1)];
  return group->device;
}

/* The one device of all readers of a node without inputs; -1: several, or none is known. */
static int
follow_readers (Place *place, const SluiceNode *node)
{
  if (node->n_inputs || node->n_outputs != 1 || sluice_node_is_stateful (node))
    return -1;
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (place->graph, node, &n);
  int device = -1;
  for (guint i = 0; i < n; i++)
    {
      Group *group = &place->groups[find_root (place, uses[i].node->id - 1)];
      if (group->device < 0 || (device >= 0 && group->device != device))
        return -1;
      device = group->device;
    }
  return device;
}

static void
choose_unasked (Place *place, const SluiceNode *node)
{
  guint32 i = node->id - 1, root = find_root (place, i);
  Group *group = &place->groups[root];
  if (group->device >= 0 || group->error)
    return;
  int device;
  if ((device = follow_input (place, node)) >= 0)
    group->reason = g_intern_static_string ("follows its input");
  else if (place->n_devices > 1 && (device = follow_readers (place, node)) >= 0)
    group->reason = g_intern_static_string ("follows its readers");
  else
    {
      device = 0;
      group->reason = g_intern_static_string ("default: the first device");
    }
  group->device = device;
}

static void
settle (Place *place, const SluiceNode *node)
{
  guint32 i = node->id - 1, root = find_root (place, i);
  SluicePlacement *placement = placement_of (place, i);
  Group *group = &place->groups[root];
  if (placement->device >= 0 || placement->error)
    return;
  if (group->error)
    {
      placement->error = g_error_copy (group->error);
      return;
    }
  placement->device = group->device;
  placement->reason = group->reason;
  if (group->asked_by && group->asked_by != node->id && !*node->device)
    {
      const SluiceNode *other = sluice_graph_get_node (place->graph, group->asked_by - 1);
      g_autofree char *reason =
          g_strdup_printf ("stands with '%s': %s", other->name, group->reason);
      placement->reason = g_intern_string (reason);
    }
}

/* Nodes that stand already hold their group where it is. */
static void
gather_groups (Place *place, guint n_before, guint n)
{
  for (guint32 i = 0; i < n; i++)
    place->groups[i].device = -1;
  for (guint32 i = 0; i < n_before; i++)
    {
      Group *group = &place->groups[find_root (place, i)];
      if (group->device < 0 && placement_of (place, i)->device >= 0)
        {
          group->device = placement_of (place, i)->device;
          group->reason = placement_of (place, i)->reason;
        }
    }
  for (guint32 i = 0; i < n; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (place->graph, i);
      if (*node->device)
        ask (place, &place->groups[find_root (place, i)], node);
    }
}

void
sluice_place (SluiceGraph *graph,
              SluiceDevice *const *devices,
              guint n_devices,
              gboolean soft,
              GArray *placements)
{
  guint n = sluice_graph_get_n_nodes (graph), n_before = placements->len;
  g_array_set_size (placements, n);
  g_autofree guint32 *parent = g_new (guint32, n + 1);
  g_autofree Group *groups = g_new0 (Group, n + 1);
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (Link));
  Place place = { graph, devices, n_devices, soft, placements, parent, links, groups };
  for (guint32 i = 0; i < n; i++)
    parent[i] = i;
  for (guint32 i = n_before; i < n; i++)
    placement_of (&place, i)->device = -1;
  for (guint32 i = 0; i < n; i++)
    tie_node (&place, sluice_graph_get_node (graph, i));
  gather_groups (&place, n_before, n);
  for (guint32 i = 0; i < n; i++)
    if (groups[i].asked_by && groups[i].device < 0)
      choose_asked (&place, &groups[i]);
  /* Sources are asked last: they follow whoever reads them. */
  for (guint32 i = 0; i < n; i++)
    if (sluice_graph_get_node (graph, i)->n_inputs)
      choose_unasked (&place, sluice_graph_get_node (graph, i));
  for (guint32 i = 0; i < n; i++)
    choose_unasked (&place, sluice_graph_get_node (graph, i));
  for (guint32 i = n_before; i < n; i++)
    settle (&place, sluice_graph_get_node (graph, i));
  for (guint32 i = 0; i < n; i++)
    {
      if (groups[i].asked_by)
        sluice_device_spec_clear (&groups[i].spec);
      g_clear_error (&groups[i].error);
    }
}
