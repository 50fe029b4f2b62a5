/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Placement. Nodes that must stand together are gathered first (union-find over `_class`,
 * references and resources); a group goes where all limits of its members allow: what they ask for,
 * where they have kernels, where one of them stands already. What nobody asked a device for stays
 * with its neighbours where that saves a transfer, else on the first device.
 */
#include "engine/passes/place.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/count.h"
#include "engine/passes/conflict.h"
#include "engine/passes/work.h"

typedef struct
{
  guint8 *allowed;   /* by device; NULL: any */
  guint8 *able;      /* by device; NULL: any; where the kernels are */
  guint32 asked_by;  /* node index + 1: whose request counts; 0: nobody's */
  guint32 held_by;   /* node index + 1: who stands already; 0: nobody */
  guint32 missed_by; /* node index + 1: whose request soft placement left out; 0: nobody's */
  gboolean is_empty; /* its limits leave no device */
  int device;        /* -1: not chosen */
  const char *reason;
  GError *error;
} Group;

typedef struct
{
  SluiceGraph *graph;
  SluiceDevice *const *devices;
  guint n_devices;
  guint default_device; /* preferred where nobody asked */
  gboolean soft;
  gboolean has_types; /* devices of several types compute: kernels matter */
  SluicePlacements *placements;
  guint32 *parent;          /* union-find over node indices */
  GArray *links;            /* of SluicePlaceLink */
  GArray *limits;           /* of SluicePlaceLimit */
  GPtrArray *sets;          /* of guint8[n_devices]: what limits point to, each once */
  GHashTable *set_of_text;  /* of a device attribute; NULL: it does not parse */
  GHashTable *move_of_text; /* of a device attribute: why whoever asks for it stands elsewhere */
  Group *groups;            /* by root */
  guint8 *takes_handle;     /* by node: has a reference or a resource as an input */
  guint8 *yields;           /* by node: its request was left out for the maker's of that */
} Place;

static void
clear_placement (gpointer data)
{
  SluicePlacement *placement = data;
  g_clear_error (&placement->error);
}

SluicePlacements *
sluice_placements_new (void)
{
  SluicePlacements *self = g_new0 (SluicePlacements, 1);
  self->nodes = g_array_new (FALSE, TRUE, sizeof (SluicePlacement));
  g_array_set_clear_func (self->nodes, clear_placement);
  self->texts = g_string_chunk_new (256);
  return self;
}

void
sluice_placements_free (SluicePlacements *self)
{
  g_array_unref (self->nodes);
  g_string_chunk_free (self->texts);
  g_free (self);
}

static SluicePlacement *
placement_of (Place *place, guint32 i)
{
  return &g_array_index (place->placements->nodes, SluicePlacement, i);
}

static const char *
keep_text (Place *place, const char *text)
{
  return g_string_chunk_insert_const (place->placements->texts, text);
}

/* ---- who stands with whom ---- */

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
  SluicePlaceLink link = { a, b, why };
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
        placement->error = sluice_node_error_new (
            node, SLUICE_ERROR_INVALID_ARGUMENT,
            "attribute _class asks to stand beside '%s', which is no node of the graph", name);
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
      else
        continue;
      place->takes_handle[node->id - 1] = TRUE;
    }
}

/* ---- limits ---- */

/* The one copy of a set. (transfer none) */
static const guint8 *
keep_set (Place *place, const guint8 *set)
{
  for (guint i = 0; i < place->sets->len; i++)
    if (memcmp (place->sets->pdata[i], set, place->n_devices) == 0)
      return place->sets->pdata[i];
  guint8 *copy = g_memdup2 (set, place->n_devices);
  g_ptr_array_add (place->sets, copy);
  return copy;
}

static gboolean
overlap (const Place *place, const guint8 *set, const guint8 *other)
{
  for (guint d = 0; d < place->n_devices; d++)
    if (set[d] && (!other || other[d]))
      return TRUE;
  return FALSE;
}

static void
limit (Place *place, guint32 i, SluicePlaceKind kind, const guint8 *set)
{
  guint32 root = find_root (place, i);
  Group *group = &place->groups[root];
  SluicePlaceLimit record = { i, root, kind, set };
  gboolean leaves_some = overlap (place, set, group->allowed);
  if (!leaves_some && kind == SLUICE_PLACE_ASKED && place->takes_handle[i]
      && (group->held_by || group->asked_by) && overlap (place, set, group->able))
    {
      place->yields[i] = TRUE;
      return;
    }
  if (!leaves_some && kind == SLUICE_PLACE_ASKED && place->soft)
    {
      if (!group->missed_by)
        group->missed_by = i + 1;
      placement_of (place, i)->is_moved = TRUE;
      return;
    }
  g_array_append_val (place->limits, record);
  group->is_empty |= !leaves_some;
  if (kind == SLUICE_PLACE_ASKED && !group->asked_by)
    group->asked_by = i + 1;
  if (!group->allowed)
    group->allowed = g_memdup2 (set, place->n_devices);
  for (guint d = 0; d < place->n_devices; d++)
    group->allowed[d] &= set[d];
}

/* Nodes that stand already hold their group where it is. */
static void
limit_to_place (Place *place, guint32 i)
{
  int device = placement_of (place, i)->device;
  if (device < 0)
    return;
  g_autofree guint8 *set = g_new0 (guint8, place->n_devices);
  set[device] = 1;
  limit (place, i, SLUICE_PLACE_STANDS, keep_set (place, set));
  Group *group = &place->groups[find_root (place, i)];
  if (!group->held_by)
    group->held_by = i + 1;
}

/* Only where devices of several types compute. An op without a kernel for any of them is told when
 * a run reaches it. */
static void
limit_to_kernels (Place *place, const SluiceNode *node)
{
  guint n_kernels;
  sluice_kernel_list (node->op_name, &n_kernels);
  if (!n_kernels)
    return;
  g_autofree guint8 *set = g_new0 (guint8, place->n_devices);
  gboolean has_any = FALSE, has_all = TRUE;
  for (guint d = 0; d < place->n_devices; d++)
    {
      const SluiceDeviceClass *klass = place->devices[d]->klass;
      set[d] = !klass->computes || sluice_device_class_find_kernel (klass, node, G_MAXINT, NULL);
      has_any |= set[d] && klass->computes;
      has_all &= set[d];
    }
  if (has_any && !has_all)
    limit (place, node->id - 1, SLUICE_PLACE_KERNELS, keep_set (place, set));
}

/* (nullable): the text is no device. */
static const guint8 *
parse_set (Place *place, const char *text, GError **error)
{
  SluiceDeviceSpec spec;
  if (!sluice_device_spec_parse (&spec, text, error))
    return NULL;
  g_autofree guint8 *set = g_new0 (guint8, place->n_devices);
  for (guint d = 0; d < place->n_devices; d++)
    set[d] = sluice_device_spec_matches (&spec, place->devices[d]);
  sluice_device_spec_clear (&spec);
  return keep_set (place, set);
}

static void
limit_to_request (Place *place, const SluiceNode *node)
{
  g_autoptr (GError) error = NULL;
  gpointer set;
  if (!g_hash_table_lookup_extended (place->set_of_text, node->device, NULL, &set))
    {
      set = (gpointer) parse_set (place, node->device, &error);
      if (set)
        g_hash_table_insert (place->set_of_text, (gpointer) node->device, set);
    }
  SluicePlacement *placement = placement_of (place, node->id - 1);
  if (set)
    limit (place, node->id - 1, SLUICE_PLACE_ASKED, set);
  else if (!placement->error)
    placement->error =
        sluice_node_error_new (node, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
}

/* ---- choosing ---- */

static int
first_allowed (const Place *place, const Group *group)
{
  for (guint i = 0; i < place->n_devices; i++)
    if (!group->allowed || group->allowed[i])
      return (int) i;
  return -1;
}

static gboolean
is_allowed (const Group *group, int device)
{
  return device >= 0 && (!group->allowed || group->allowed[device]);
}

static int
compare_limits (gconstpointer a, gconstpointer b)
{
  const SluicePlaceLimit *x = a, *y = b;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node ? 1 : (int) x->kind - (int) y->kind;
}

/* Says of every group without a device why. */
static void
explain_conflicts (Place *place)
{
  SluiceConflicts conflicts = { .graph = place->graph,
                                .devices = place->devices,
                                .n_devices = place->n_devices,
                                .links = (const SluicePlaceLink *) place->links->data,
                                .n_links = place->links->len };
  g_array_sort (place->limits, compare_limits);
  const SluicePlaceLimit *limits = (const SluicePlaceLimit *) place->limits->data;
  for (guint i = 0, end; i < place->limits->len; i = end)
    {
      Group *group = &place->groups[limits[i].group];
      for (end = i + 1; end < place->limits->len && limits[end].group == limits[i].group;)
        end++;
      if (group->is_empty)
        group->error = sluice_conflicts_explain (&conflicts, limits + i, end - i);
    }
  sluice_conflicts_clear (&conflicts);
}

/* To a node of its own request, of which a large graph has thousands alike. (transfer none) */
static const char *
explain_own_move (Place *place, const SluiceNode *node)
{
  const char *known = g_hash_table_lookup (place->move_of_text, node->device);
  if (known)
    return known;
  SluiceConflicts all = { .devices = place->devices, .n_devices = place->n_devices };
  g_autofree char *devices = sluice_conflicts_list_devices (&all);
  g_autofree char *reason =
      g_strdup_printf (_ ("soft: asks for '%s', there is %s"), node->device, devices);
  known = keep_text (place, reason);
  g_hash_table_insert (place->move_of_text, (gpointer) node->device, (gpointer) known);
  return known;
}

/* To those that stand where it stands. (transfer none) */
static const char *
explain_move (Place *place, const SluiceNode *node)
{
  SluiceConflicts all = { .devices = place->devices, .n_devices = place->n_devices };
  g_autofree char *devices = sluice_conflicts_list_devices (&all);
  g_autofree char *reason = g_strdup_printf (_ ("soft: '%s' asks for '%s', there is %s"),
                                             node->name, node->device, devices);
  return keep_text (place, reason);
}

/* Of a group in which somebody stands already, or asked for something. */
static void
choose_limited (Place *place, Group *group)
{
  if (group->is_empty || !(group->held_by || group->asked_by || group->missed_by))
    return;
  group->device = first_allowed (place, group);
  if (group->held_by)
    group->reason = placement_of (place, group->held_by - 1)->reason;
  else if (group->asked_by)
    group->reason = N_ ("explicit");
  else
    {
      group->reason =
          explain_move (place, sluice_graph_get_node (place->graph, group->missed_by - 1));
    }
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
  if (group->device >= 0 || group->is_empty)
    return;
  int device;
  if (is_allowed (group, device = follow_input (place, node)))
    group->reason = N_ ("follows its input");
  else if (place->n_devices > 1 && is_allowed (group, device = follow_readers (place, node)))
    group->reason = N_ ("follows its readers");
  else
    {
      device = (int) place->default_device;
      if (!is_allowed (group, device))
        device = first_allowed (place, group);
      if (device == 0)
        group->reason = N_ ("default: the first device");
      else if (device == (int) place->default_device)
        group->reason = N_ ("default: the device of the session");
      else
        group->reason = N_ ("default: the first device with a kernel");
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
  guint32 by = group->held_by ? group->held_by : group->asked_by;
  if (placement->is_moved && !by)
    placement->reason = explain_own_move (place, node);
  else if (by && place->yields[i])
    {
      const SluiceNode *other = sluice_graph_get_node (place->graph, by - 1);
      g_autofree char *reason =
          g_strdup_printf (_ ("stands with '%s', whose reference or resource it uses, not on '%s'"),
                           other->name, node->device);
      placement->reason = keep_text (place, reason);
    }
  else if (by && by != node->id && (group->held_by || !*node->device || placement->is_moved))
    {
      const SluiceNode *other = sluice_graph_get_node (place->graph, by - 1);
      g_autofree char *reason =
          g_strdup_printf (_ ("stands with '%s': %s"), other->name, _ (group->reason));
      placement->reason = keep_text (place, reason);
    }
}

/* The requests of those that take a reference or a resource, or of all others. */
static void
gather_requests (Place *place, guint n, gboolean takes_handle)
{
  for (guint32 i = 0; i < n; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (place->graph, i);
      if (placement_of (place, i)->device < 0 && *node->device
          && place->takes_handle[i] == takes_handle)
        limit_to_request (place, node);
    }
}

/* What kernels there are and what is there from before comes first: soft placement leaves out
 * requests that do not go with it. Who uses a variable, a queue or a stack stands where that is,
 * whatever it asks for, as TensorFlow has it: its gradients ask for another device than the loop
 * whose stacks they use. */
static void
gather_limits (Place *place, guint n_before, guint n)
{
  for (guint32 i = 0; i < n && place->has_types; i++)
    limit_to_kernels (place, sluice_graph_get_node (place->graph, i));
  for (guint32 i = 0; i < n; i++)
    if (place->groups[i].allowed)
      place->groups[i].able = g_memdup2 (place->groups[i].allowed, place->n_devices);
  for (guint32 i = 0; i < n_before; i++)
    limit_to_place (place, i);
  gather_requests (place, n, FALSE);
  gather_requests (place, n, TRUE);
}

static void
choose_others (Place *place, guint n)
{
  /* Sources are asked last: they follow whoever reads them. */
  for (guint32 i = 0; i < n; i++)
    if (sluice_graph_get_node (place->graph, i)->n_inputs)
      choose_unasked (place, sluice_graph_get_node (place->graph, i));
  for (guint32 i = 0; i < n; i++)
    choose_unasked (place, sluice_graph_get_node (place->graph, i));
}

static gboolean
has_several_types (SluiceDevice *const *devices, guint n_devices)
{
  const char *type = NULL;
  for (guint i = 0; i < n_devices; i++)
    {
      if (!devices[i]->klass->computes)
        continue;
      if (type && !g_str_equal (type, devices[i]->klass->type))
        return TRUE;
      type = devices[i]->klass->type;
    }
  return FALSE;
}

/* Who stands with whom, and where they can. */
static void
place_init (Place *self,
            SluiceGraph *graph,
            SluiceDevice *const *devices,
            guint n_devices,
            gboolean soft,
            SluicePlacements *placements)
{
  guint n = sluice_graph_get_n_nodes (graph), n_before = placements->nodes->len;
  g_array_set_size (placements->nodes, n);
  *self = (Place){
    .graph = graph,
    .devices = devices,
    .n_devices = n_devices,
    .soft = soft,
    .has_types = has_several_types (devices, n_devices),
    .placements = placements,
    .parent = g_new (guint32, n + 1),
    .links = g_array_new (FALSE, FALSE, sizeof (SluicePlaceLink)),
    .limits = g_array_new (FALSE, FALSE, sizeof (SluicePlaceLimit)),
    .sets = g_ptr_array_new_with_free_func (g_free),
    .set_of_text = g_hash_table_new (NULL, NULL),
    .move_of_text = g_hash_table_new (NULL, NULL),
    .groups = g_new0 (Group, n + 1),
    .takes_handle = g_new0 (guint8, n + 1),
    .yields = g_new0 (guint8, n + 1),
  };
  for (guint32 i = 0; i < n; i++)
    {
      self->parent[i] = i;
      self->groups[i].device = -1;
    }
  for (guint32 i = n_before; i < n; i++)
    placement_of (self, i)->device = -1;
  for (guint32 i = 0; i < n; i++)
    tie_node (self, sluice_graph_get_node (graph, i));
  gather_limits (self, n_before, n);
}

static void
place_clear (Place *self)
{
  for (guint32 i = 0; i < sluice_graph_get_n_nodes (self->graph); i++)
    {
      g_free (self->groups[i].allowed);
      g_free (self->groups[i].able);
      g_clear_error (&self->groups[i].error);
    }
  g_free (self->parent);
  g_array_unref (self->links);
  g_array_unref (self->limits);
  g_ptr_array_unref (self->sets);
  g_hash_table_unref (self->set_of_text);
  g_hash_table_unref (self->move_of_text);
  g_free (self->groups);
  g_free (self->takes_handle);
  g_free (self->yields);
}

/* Of groups of which nobody stands yet. What somebody asked for stays the reason. */
static void
take_choice (Place *place, const SluicePlaceChoice *choice, guint n)
{
  for (guint32 i = 0; i < n; i++)
    {
      Group *group = &place->groups[find_root (place, i)];
      if (group->is_empty || group->held_by || !is_allowed (group, choice->devices[i]))
        continue;
      group->device = choice->devices[i];
      if (group->reason == NULL && choice->reasons[i] != NULL)
        group->reason = keep_text (place, choice->reasons[i]);
    }
}

void
sluice_place (SluiceGraph *graph,
              SluiceDevice *const *devices,
              guint n_devices,
              guint default_device,
              gboolean soft,
              const SluicePlaceChoice *choice,
              SluicePlacements *placements)
{
  guint n = sluice_graph_get_n_nodes (graph);
  Place place;
  place_init (&place, graph, devices, n_devices, soft, placements);
  place.default_device = default_device;
  for (guint32 i = 0; i < n; i++)
    choose_limited (&place, &place.groups[i]);
  if (choice != NULL)
    take_choice (&place, choice, n);
  choose_others (&place, n);
  explain_conflicts (&place);
  for (guint32 i = 0; i < n; i++) /* of an edited graph some of those from before have no place */
    settle (&place, sluice_graph_get_node (graph, i));
  place_clear (&place);
}

/* ---- before anything is chosen ---- */

SluicePlaceable *
sluice_placeable_new (SluiceGraph *graph,
                      SluiceDevice *const *devices,
                      guint n_devices,
                      gboolean soft)
{
  guint n = sluice_graph_get_n_nodes (graph);
  SluicePlaceable *self = g_new0 (SluicePlaceable, 1);
  g_autoptr (SluicePlacements) placements = sluice_placements_new ();
  Place place;
  place_init (&place, graph, devices, n_devices, soft, placements);
  explain_conflicts (&place);
  self->n_nodes = n;
  self->roots = g_new (guint32, n + 1);
  self->allowed = g_new0 (guint8 *, n + 1);
  self->errors = g_new0 (GError *, n + 1);
  for (guint32 i = 0; i < n; i++)
    {
      guint32 root = self->roots[i] = find_root (&place, i);
      const GError *own = placement_of (&place, i)->error;
      const GError *error = own != NULL ? own : place.groups[root].error;
      if (error != NULL)
        self->errors[i] = g_error_copy (error);
      self->allowed[i] = g_steal_pointer (&place.groups[i].allowed);
    }
  place_clear (&place);
  return self;
}

void
sluice_placeable_free (SluicePlaceable *self)
{
  for (guint i = 0; i < self->n_nodes; i++)
    {
      g_free (self->allowed[i]);
      g_clear_error (&self->errors[i]);
    }
  g_free (self->roots);
  g_free (self->allowed);
  g_free (self->errors);
  g_free (self);
}

/* ---- what was moved ---- */

/* Appends each text once, as far as there are few. */
static void
add_text (GPtrArray *texts, const char *text)
{
  if (!g_ptr_array_find_with_equal_func (texts, text, g_str_equal, NULL))
    g_ptr_array_add (texts, (gpointer) text);
}

/* "a, b, c and 5 more" (transfer full) */
static char *
list_texts (const GPtrArray *texts)
{
  const guint most = 4;
  GString *list = g_string_new (NULL);
  for (guint i = 0; i < MIN (texts->len, most); i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", (const char *) texts->pdata[i]);
  if (texts->len > most)
    g_string_append_printf (list, _ (" and %u more"), texts->len - most);
  return g_string_free (list, FALSE);
}

char *
sluice_placements_dup_moved (const SluicePlacements *self,
                             SluiceGraph *graph,
                             SluiceDevice *const *devices)
{
  g_autoptr (GPtrArray) asked = g_ptr_array_new (), given = g_ptr_array_new ();
  guint n = 0;
  for (guint i = 0; i < self->nodes->len; i++)
    {
      const SluicePlacement *placement = &g_array_index (self->nodes, SluicePlacement, i);
      if (!placement->is_moved || placement->device < 0)
        continue;
      n++;
      add_text (asked, sluice_graph_get_node (graph, i)->device);
      add_text (given, devices[placement->device]->short_name);
    }
  if (n == 0)
    return NULL;
  g_autofree char *from = list_texts (asked), *to = list_texts (given);
  g_autofree char *count = sluice_count_dup (n);
  return g_strdup_printf (ngettext ("%s node asks for %s, which is not here: it stands on %s",
                                    "%s nodes ask for %s, which are not here: they stand on %s", n),
                          count, from, to);
}
