/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The order that inference goes by, kept while edges come: Pearce and Kelly, A Dynamic Topological
 * Sort Algorithm for Directed Acyclic Graphs (2006). Only the nodes between the ends of an edge
 * that runs against the order are looked at, and where they cannot be put right there is a cycle.
 */
#include "engine/base/error.h"
#include "engine/graph/edit-private.h"

static guint32
position (const SluiceNode *node)
{
  return sluice_node_record (node)->position;
}

/* ---- one edge ---- */

typedef struct
{
  GHashTable *from; /* node -> the one that the walk came from */
  GPtrArray *found;
  guint32 low, high;
  gboolean anywhere; /* positions say nothing */
} Walk;

static void
reach (Walk *walk, SluiceNode *node, SluiceNode *from)
{
  guint32 at = position (node);
  if (g_hash_table_contains (walk->from, node)
      || (!walk->anywhere && (at < walk->low || at > walk->high)))
    return;
  g_hash_table_insert (walk->from, node, from);
  g_ptr_array_add (walk->found, node);
}

/* An edge that runs against the order is none yet: it is looked at by itself. */
static gboolean
counts (const Walk *walk, const SluiceNode *before, const SluiceNode *after)
{
  return (walk->anywhere || position (before) < position (after))
         && !sluice_edge_is_back_edge (before, after);
}

static void
walk_forward (Walk *walk, SluiceNode *start)
{
  reach (walk, start, NULL);
  for (guint i = 0; i < walk->found->len; i++)
    {
      SluiceNodeRecord *record = walk->found->pdata[i];
      for (guint k = 0; k < record->n_uses; k++)
        if (counts (walk, &record->node, record->uses[k].node))
          reach (walk, record->uses[k].node, &record->node);
    }
}

static void
walk_back (Walk *walk, SluiceNode *start)
{
  reach (walk, start, NULL);
  for (guint i = 0; i < walk->found->len; i++)
    {
      SluiceNode *node = walk->found->pdata[i];
      for (guint k = 0; k < node->n_inputs + node->n_control_inputs; k++)
        {
          SluiceNode *before =
              k < node->n_inputs ? node->inputs[k].node : node->control_inputs[k - node->n_inputs];
          if (before != NULL && counts (walk, before, node))
            reach (walk, before, node);
        }
    }
}

static gboolean
fail_cycle (const Walk *walk, SluiceNode *before, const SluiceNode *after, GError **error)
{
  g_autoptr (GString) path = g_string_new (after->name);
  guint n = 0;
  /* The walk knows where each node was reached from, so the path is told from its end. */
  for (const SluiceNode *node = before; node != after && node != NULL;
       node = g_hash_table_lookup (walk->from, node), n++)
    {
      g_autofree char *part = g_strdup_printf (" -> %s", n < 8 ? node->name : "…");
      if (n <= 8)
        g_string_insert (path, (gssize) strlen (after->name), part);
    }
  return sluice_node_fail (after, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "an edge from '%s' closes a cycle: %s -> %s. Only loops may close, by "
                           "NextIteration into Merge; take away one of these edges",
                           before->name, path->str, after->name);
}

static int
compare_positions (gconstpointer a, gconstpointer b)
{
  guint32 x = position (*(SluiceNode *const *) a), y = position (*(SluiceNode *const *) b);
  return x < y ? -1 : x > y;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  return x < y ? -1 : x > y;
}

/* What stands before the edge's end comes first, in the places that both halves have now. */
static void
reorder (GPtrArray *before, GPtrArray *after)
{
  guint n = before->len + after->len;
  g_autofree guint32 *places = g_new (guint32, n);
  g_ptr_array_sort (before, compare_positions);
  g_ptr_array_sort (after, compare_positions);
  for (guint i = 0; i < n; i++)
    places[i] = position (i < before->len ? before->pdata[i] : after->pdata[i - before->len]);
  qsort (places, n, sizeof *places, compare_numbers);
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = i < before->len ? before->pdata[i] : after->pdata[i - before->len];
      sluice_edit_note_position (node);
      sluice_node_record (node)->position = places[i];
    }
}

gboolean
sluice_graph_order_edge (SluiceGraph *self, SluiceNode *before, SluiceNode *after, GError **error)
{
  guint32 low = position (after), high = position (before);
  if (high < low && !self->is_unordered)
    return TRUE;
  g_autoptr (GHashTable) from = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) to = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) behind = g_ptr_array_new (), ahead = g_ptr_array_new ();
  Walk forward = { from, behind, low, high, self->is_unordered };
  walk_forward (&forward, after);
  if (g_hash_table_contains (from, before))
    return fail_cycle (&forward, before, after, error);
  if (high < low)
    return TRUE;
  Walk back = { to, ahead, low, high, FALSE };
  walk_back (&back, before);
  if (!self->is_unordered)
    reorder (ahead, behind);
  return TRUE;
}
