/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Why a group of nodes can stand nowhere. Its limits are sets of devices and its links make a
 * graph; the shortest path between two limits that have no device in common says it in the fewest
 * words. One breadth-first search from all limits of one set finds the nearest that excludes it.
 */
#include "engine/passes/conflict.h"

#define ROOT G_MAXUINT32

void
sluice_conflicts_clear (SluiceConflicts *self)
{
  g_free (self->first_link);
  g_free (self->link_at);
  g_free (self->via);
}

static void
prepare (SluiceConflicts *self)
{
  if (self->via)
    return;
  guint n = sluice_graph_get_n_nodes (self->graph);
  self->via = g_new0 (guint32, n);
  self->first_link = g_new0 (guint32, n + 1);
  self->link_at = g_new (guint32, 2 * self->n_links + 1);
  for (guint i = 0; i < self->n_links; i++)
    {
      self->first_link[self->links[i].a]++;
      self->first_link[self->links[i].b]++;
    }
  for (guint i = 0; i < n; i++) /* ends first: filled from behind */
    self->first_link[i + 1] += self->first_link[i];
  for (guint i = self->n_links; i-- > 0;)
    {
      self->link_at[--self->first_link[self->links[i].a]] = i;
      self->link_at[--self->first_link[self->links[i].b]] = i;
    }
}

static guint32
other_end (const SluicePlaceLink *link, guint32 end)
{
  return link->a == end ? link->b : link->a;
}

static gboolean
are_disjoint (const SluiceConflicts *self, const guint8 *a, const guint8 *b)
{
  for (guint i = 0; i < self->n_devices; i++)
    if (a[i] && b[i])
      return FALSE;
  return TRUE;
}

/* The first limit of the node that excludes the set. (nullable) */
static const SluicePlaceLimit *
excluding (const SluiceConflicts *self,
           GHashTable *by_node,
           const SluicePlaceLimit *limits,
           guint n_limits,
           guint32 node,
           const guint8 *set)
{
  guint i = 0;
  if (by_node)
    i = GPOINTER_TO_UINT (g_hash_table_lookup (by_node, GUINT_TO_POINTER (node + 1)));
  for (; i && i <= n_limits && limits[i - 1].node == node; i++)
    if (are_disjoint (self, limits[i - 1].allowed, set))
      return &limits[i - 1];
  return NULL;
}

/* Reaches nodes from those with a limit of this set until one excludes it; via tells the way back.
 * by_node: NULL: reaches all. touched: all nodes whose via is set. */
static const SluicePlaceLimit *
search (SluiceConflicts *self,
        GHashTable *by_node,
        const SluicePlaceLimit *limits,
        guint n_limits,
        const guint8 *set,
        GArray *touched)
{
  for (guint i = 0; i < n_limits; i++)
    if (limits[i].allowed == set && !self->via[limits[i].node])
      {
        self->via[limits[i].node] = ROOT;
        g_array_append_val (touched, limits[i].node);
      }
  for (guint head = 0; head < touched->len; head++)
    {
      guint32 at = g_array_index (touched, guint32, head);
      const SluicePlaceLimit *found = excluding (self, by_node, limits, n_limits, at, set);
      if (found)
        return found;
      for (guint32 k = self->first_link[at]; k < self->first_link[at + 1]; k++)
        {
          guint32 next = other_end (&self->links[self->link_at[k]], at);
          if (self->via[next])
            continue;
          self->via[next] = self->link_at[k] + 1;
          g_array_append_val (touched, next);
        }
    }
  return NULL;
}

/* The links from a node back to where the search began. */
static GArray *
way_back (const SluiceConflicts *self, guint32 at, guint32 *begin)
{
  GArray *way = g_array_new (FALSE, FALSE, sizeof (guint32));
  while (self->via[at] != ROOT)
    {
      guint32 link = self->via[at] - 1;
      g_array_append_val (way, link);
      at = other_end (&self->links[link], at);
    }
  *begin = at;
  return way;
}

static void
forget (SluiceConflicts *self, GArray *touched)
{
  for (guint i = 0; i < touched->len; i++)
    self->via[g_array_index (touched, guint32, i)] = 0;
  g_array_set_size (touched, 0);
}

/* ---- words ---- */

char *
sluice_conflicts_list_devices (const SluiceConflicts *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->n_devices; i++)
    g_string_append_printf (text, "%s%s", i ? ", " : "", self->devices[i]->short_name);
  return g_string_free (text, FALSE);
}

static void
append_limit (const SluiceConflicts *self, GString *text, const SluicePlaceLimit *limit)
{
  const SluiceNode *node = sluice_graph_get_node (self->graph, limit->node);
  g_string_append_printf (text, "%s '%s' ", node->op_name, node->name);
  if (limit->kind == SLUICE_PLACE_ASKED)
    {
      g_string_append_printf (text, "asks for device '%s'", node->device);
      return;
    }
  g_string_append (text, limit->kind == SLUICE_PLACE_STANDS ? "stands on " : "has kernels for ");
  const char *separator = "", *last = NULL;
  for (guint i = 0; i < self->n_devices; i++)
    {
      const SluiceDevice *device = self->devices[i];
      gboolean by_type = limit->kind == SLUICE_PLACE_KERNELS;
      if (!limit->allowed[i]
          || (by_type && (!device->klass->computes || last == device->klass->type)))
        continue;
      last = device->klass->type;
      g_string_append_printf (text, "%s%s", separator, by_type ? last : device->short_name);
      separator = ", ";
    }
  g_string_append (text, limit->kind == SLUICE_PLACE_STANDS ? " already" : " only");
}

/* "'a' is tied to 'b' by _class, 'b' is tied to 'c' by a reference" */
static void
append_way (const SluiceConflicts *self, GString *text, const GArray *way, guint32 from)
{
  for (guint i = 0; i < way->len; i++)
    {
      const SluicePlaceLink *link = &self->links[g_array_index (way, guint32, i)];
      guint32 next = other_end (link, from);
      g_string_append_printf (text, "%s'%s' is tied to '%s' by %s", i ? ", " : "",
                              sluice_graph_get_node (self->graph, from)->name,
                              sluice_graph_get_node (self->graph, next)->name, link->why);
      from = next;
    }
}

/* ---- which limits ---- */

/* Two limits that exclude each other, and the links between, from a to b. */
typedef struct
{
  const SluicePlaceLimit *a, *b;
  GArray *way; /* NULL: no two do */
} Pair;

/* limits[i] of the node with that set. */
static const SluicePlaceLimit *
limit_of (const SluicePlaceLimit *limits, guint n_limits, guint32 node, const guint8 *set)
{
  for (guint i = 0; i < n_limits; i++)
    if (limits[i].node == node && limits[i].allowed == set)
      return &limits[i];
  g_return_val_if_reached (NULL);
}

static Pair
find_pair (SluiceConflicts *self,
           GHashTable *by_node,
           const SluicePlaceLimit *limits,
           guint n_limits)
{
  Pair best = { NULL, NULL, NULL };
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) touched = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < n_limits && (!best.way || best.way->len); i++)
    {
      const guint8 *set = limits[i].allowed;
      if (!g_hash_table_add (seen, (gpointer) set))
        continue;
      const SluicePlaceLimit *found = search (self, by_node, limits, n_limits, set, touched);
      if (found)
        {
          guint32 begin;
          GArray *way = way_back (self, found->node, &begin);
          if (!best.way || way->len < best.way->len)
            {
              g_clear_pointer (&best.way, g_array_unref);
              best = (Pair){ found, limit_of (limits, n_limits, begin, set), way };
            }
          else
            g_array_unref (way);
        }
      forget (self, touched);
    }
  return best;
}

/* Is no device left by the limits that are not skipped? */
static gboolean
leave_nothing (const SluiceConflicts *self,
               const SluicePlaceLimit *limits,
               guint n_limits,
               const guint8 *skip)
{
  for (guint d = 0; d < self->n_devices; d++)
    {
      gboolean is_allowed = TRUE;
      for (guint i = 0; i < n_limits && is_allowed; i++)
        is_allowed = skip[i] || limits[i].allowed[d];
      if (is_allowed)
        return FALSE;
    }
  return TRUE;
}

/* Three or more that exclude each other only together: drops what is not needed for that. */
static void
append_fewest (SluiceConflicts *self, GString *text, const SluicePlaceLimit *limits, guint n_limits)
{
  g_autofree guint8 *skip = g_new0 (guint8, n_limits);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n_limits; i++)
    skip[i] = !g_hash_table_add (seen, (gpointer) limits[i].allowed);
  for (guint i = n_limits; i-- > 0;)
    if (!skip[i])
      {
        skip[i] = 1;
        skip[i] = leave_nothing (self, limits, n_limits, skip);
      }
  const char *separator = "";
  guint32 first = ROOT;
  for (guint i = 0; i < n_limits; i++)
    {
      if (skip[i])
        continue;
      first = first == ROOT ? i : first;
      g_string_append (text, separator);
      append_limit (self, text, &limits[i]);
      separator = ", ";
    }
  g_string_append (text, ", but they must stand together: ");
  g_autoptr (GArray) touched = g_array_new (FALSE, FALSE, sizeof (guint32));
  const SluicePlaceLimit *root = &limits[first];
  search (self, NULL, root, 1, root->allowed, touched);
  separator = "";
  for (guint i = first + 1; i < n_limits; i++)
    if (!skip[i] && limits[i].node != root->node)
      {
        guint32 begin;
        g_autoptr (GArray) way = way_back (self, limits[i].node, &begin);
        g_string_append (text, separator);
        append_way (self, text, way, limits[i].node);
        separator = ", ";
      }
  forget (self, touched);
}

/* Does it ask for another process? */
static gboolean
asks_elsewhere (const SluiceConflicts *self, const char *text)
{
  SluiceDeviceSpec spec;
  if (!sluice_device_spec_parse (&spec, text, NULL))
    return FALSE;
  g_clear_pointer (&spec.type, g_free);
  spec.index = -1;
  gboolean is_here = sluice_device_spec_matches (&spec, self->devices[0]);
  sluice_device_spec_clear (&spec);
  return !is_here;
}

/* A single limit that allows nothing: only a request can. */
static GError *
explain_missing (const SluiceConflicts *self, const SluicePlaceLimit *limit)
{
  const SluiceNode *node = sluice_graph_get_node (self->graph, limit->node);
  g_autofree char *devices = sluice_conflicts_list_devices (self);
  const SluiceDevice *first = self->devices[0];
  g_autofree char *task =
      asks_elsewhere (self, node->device) ? g_strdup_printf (
          " of %.*s", (int) (strstr (first->name, "/device:") - first->name), first->name)
                                          : g_strdup ("");
  return sluice_node_error_new (
      node, SLUICE_ERROR_INVALID_ARGUMENT,
      "device '%s' does not exist, there is %s%s; change the node's device "
      "or do without strict devices",
      node->device, devices, task);
}

GError *
sluice_conflicts_explain (SluiceConflicts *self, const SluicePlaceLimit *limits, guint n_limits)
{
  for (guint i = 0; i < n_limits; i++)
    if (are_disjoint (self, limits[i].allowed, limits[i].allowed))
      return explain_missing (self, &limits[i]);
  prepare (self);
  /* Limits of a node lie side by side: number + 1 of the first. */
  g_autoptr (GHashTable) by_node = g_hash_table_new (NULL, NULL);
  for (guint i = n_limits; i-- > 0;)
    g_hash_table_insert (by_node, GUINT_TO_POINTER (limits[i].node + 1), GUINT_TO_POINTER (i + 1));
  g_autoptr (GString) text = g_string_new (NULL);
  Pair pair = find_pair (self, by_node, limits, n_limits);
  if (pair.way)
    {
      append_limit (self, text, pair.a);
      g_string_append (text, pair.way->len ? " and " : " but ");
      append_limit (self, text, pair.b);
      if (pair.way->len)
        g_string_append (text, ", but they must stand together: ");
      append_way (self, text, pair.way, pair.a->node);
      g_array_unref (pair.way);
    }
  else
    append_fewest (self, text, limits, n_limits);
  g_autofree char *devices = sluice_conflicts_list_devices (self);
  return g_error_new (SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT, "%s; there is %s", text->str,
                      devices);
}
