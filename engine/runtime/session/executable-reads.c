/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Which nodes read what others make, as the plans have it: whoever looks at memory asks who still
 * needed a value. */
#include "engine/runtime/session/executable.h"
#include "engine/runtime/session/session.h"

/* Who owns what each node of a plan makes: the node that it is called after, and those that run in
 * its kernel. (transfer full): of GArray of guint32, by node; NULL: itself alone */
static GPtrArray *
list_members (const SluicePlan *plan)
{
  GPtrArray *members = g_ptr_array_new_full (plan->n_nodes, NULL);
  g_ptr_array_set_size (members, (gint) plan->n_nodes);
  for (guint32 i = 0; i < plan->n_members; i++)
    {
      const SluicePlanMember *member = &plan->members[i];
      if (members->pdata[member->node] == NULL)
        members->pdata[member->node] = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_val (members->pdata[member->node], member->origin->id);
    }
  return members;
}

static void
add_read (GArray *reads, guint32 from, guint32 to)
{
  const SluiceRead read = { from, to };
  if (from != to && from != 0)
    g_array_append_val (reads, read);
}

static void
add_plan (GArray *reads, const SluicePlan *plan)
{
  GPtrArray *members = list_members (plan);
  for (guint32 f = 0; f < plan->n_frames; f++)
    {
      const SluicePlanFrame *frame = &plan->frames[f];
      for (guint32 i = frame->first_node; i < frame->first_node + frame->n_nodes; i++)
        {
          const SluicePlanNode *node = &plan->nodes[i];
          const GArray *inside = members->pdata[i];
          for (guint32 k = 0; k < node->n_data_edges; k++)
            {
              const SluicePlanEdge *edge = &plan->edges[node->first_edge + k];
              gboolean is_fetched = edge->node == SLUICE_PLAN_NOWHERE;
              guint32 into = node->flags & SLUICE_PLAN_ENTER  ? node->first_constant
                             : node->flags & SLUICE_PLAN_EXIT ? frame->parent
                                                              : f;
              guint32 reader =
                  is_fetched ? 0
                             : plan->nodes[plan->frames[into].first_node + edge->node].origin_id;
              add_read (reads, node->origin_id, reader);
              for (guint m = 0; inside != NULL && m < inside->len; m++)
                add_read (reads, g_array_index (inside, guint32, m), reader);
            }
        }
    }
  for (guint i = 0; i < members->len; i++)
    if (members->pdata[i] != NULL)
      g_array_unref (members->pdata[i]);
  g_ptr_array_unref (members);
}

static int
compare_reads (gconstpointer a, gconstpointer b)
{
  const SluiceRead *x = a, *y = b;
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

/* Each once, in order. */
static void
sort_reads (GArray *reads)
{
  g_array_sort (reads, compare_reads);
  SluiceRead *all = (SluiceRead *) reads->data;
  guint n = 0;
  for (guint i = 0; i < reads->len; i++)
    if (n == 0 || compare_reads (&all[n - 1], &all[i]) != 0)
      all[n++] = all[i];
  g_array_set_size (reads, n);
}

GArray *
sluice_executable_cache_dup_reads (SluiceExecutableCache *self)
{
  GArray *reads = g_array_new (FALSE, FALSE, sizeof (SluiceRead));
  GHashTableIter iter;
  gpointer executable;
  pthread_mutex_lock (&self->cache_lock);
  g_hash_table_iter_init (&iter, self->by_names);
  while (g_hash_table_iter_next (&iter, NULL, &executable))
    add_plan (reads, ((SluiceExecutable *) executable)->plan);
  pthread_mutex_unlock (&self->cache_lock);
  sort_reads (reads);
  return reads;
}
