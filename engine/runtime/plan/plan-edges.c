/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/plan/plan-private.h"
#include "engine/runtime/plan/queued.h"

/* One outgoing edge on its way into the flat array. */
typedef struct
{
  guint32 source;
  SluicePlanEdge edge;
} Loose;

static int
compare_loose (const void *a, const void *b)
{
  const Loose *x = a, *y = b;
  if (x->source != y->source)
    return x->source < y->source ? -1 : 1;
  if (x->edge.port != y->edge.port)
    return x->edge.port < y->edge.port ? -1 : 1;
  if (x->edge.ahead != y->edge.ahead)
    return x->edge.ahead ? -1 : 1;
  if (x->edge.node != y->edge.node)
    return x->edge.node < y->edge.node ? -1 : 1;
  return x->edge.slot < y->edge.slot ? -1 : x->edge.slot > y->edge.slot;
}

/* Books one edge: as a loose one, as a value that is kept, or as one that is fed. */
static void
book_edge (SluicePlanCompile *compile, GArray *loose, SluiceWorkEdge from, SluicePlanEdge edge)
{
  if (!from.node)
    {
      edge.port = (guint16) from.port;
      g_array_append_val (compile->fed, edge);
      return;
    }
  if (sluice_plan_is_there (from.node))
    {
      SluicePlanKept kept = {
        edge.slot, compile->plan->constants[compile->first_constant[from.node->index] + from.port]
      };
      g_array_append_val (compile->kept, kept);
      return;
    }
  Loose item = { compile->rank[from.node->index], edge };
  item.edge.port = (guint16) from.port;
  g_array_append_val (loose, item);
  if (edge.node != SLUICE_PLAN_NOWHERE)
    compile->plan->pending[edge.node]++;
}

static void
book_node (SluicePlanCompile *compile, GArray *loose, guint32 rank)
{
  const SluiceWorkNode *work_node = compile->order->pdata[rank];
  SluicePlanNode *node = &compile->plan->nodes[rank];
  for (guint i = 0; i < work_node->n_inputs; i++)
    book_edge (compile, loose, work_node->inputs[i],
               (SluicePlanEdge){ .node = rank, .slot = node->first_input + i });
  /* A Merge counts its control inputs in twos; bit 0 stands until a live input has come. */
  guint32 *pending = &compile->plan->pending[rank];
  if (node->flags & SLUICE_PLAN_MERGE)
    *pending = 1;
  for (guint i = 0; i < work_node->n_controls; i++)
    {
      SluiceWorkNode *before = work_node->controls[i];
      if (sluice_plan_is_there (before))
        continue;
      Loose item = { compile->rank[before->index],
                     { .node = rank, .slot = SLUICE_PLAN_NOWHERE, .port = G_MAXUINT16 } };
      g_array_append_val (loose, item);
      *pending += node->flags & SLUICE_PLAN_MERGE ? 2 : 1;
    }
}

static void
book_fetch (SluicePlanCompile *compile, GArray *loose, guint i)
{
  SluiceWorkEdge from = compile->work->fetches[i];
  SluicePlanFetch *fetch = &compile->plan->fetches[i];
  fetch->feed = -1;
  fetch->slot = SLUICE_PLAN_NOWHERE;
  if (!from.node)
    fetch->feed = from.port;
  else if (sluice_plan_is_there (from.node))
    fetch->constant =
        compile->plan->constants[compile->first_constant[from.node->index] + from.port];
  else
    {
      fetch->slot = compile->plan->n_inputs + i;
      fetch->is_ref = sluice_dtype_is_ref (sluice_work_dtype (compile->work, from));
      if (fetch->is_ref)
        compile->plan->slot_flags[fetch->slot] = SLUICE_SLOT_REF;
      book_edge (compile, loose, from,
                 (SluicePlanEdge){ .node = SLUICE_PLAN_NOWHERE, .slot = fetch->slot });
    }
}

/* A Merge that a feed or a constant reaches has its live input from the start. */
static void
settle_merges (SluicePlanCompile *compile)
{
  SluicePlan *plan = compile->plan;
  for (guint i = 0; i < compile->fed->len; i++)
    {
      const SluicePlanEdge *edge = &g_array_index (compile->fed, SluicePlanEdge, i);
      if (edge->node != SLUICE_PLAN_NOWHERE && plan->nodes[edge->node].flags & SLUICE_PLAN_MERGE)
        plan->pending[edge->node] &= ~1u;
    }
  for (guint32 i = 0; i < plan->n_nodes; i++)
    for (guint k = 0; plan->nodes[i].flags & SLUICE_PLAN_MERGE && k < plan->nodes[i].n_inputs; k++)
      {
        const SluiceWorkNode *work_node = compile->order->pdata[i];
        if (work_node->inputs[k].node && sluice_plan_is_there (work_node->inputs[k].node))
          plan->pending[i] &= ~1u;
      }
}

static int
compare_fed (const void *a, const void *b)
{
  const SluicePlanEdge *x = a, *y = b;
  return x->port != y->port ? (x->port < y->port ? -1 : 1)
                            : (x->slot < y->slot ? -1 : x->slot > y->slot);
}

static int
compare_kept (const void *a, const void *b)
{
  const SluicePlanKept *x = a, *y = b;
  return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void
lay_feeds (SluicePlanCompile *compile)
{
  SluicePlan *plan = compile->plan;
  GArray *fed = compile->fed;
  if (fed->len)
    qsort (fed->data, fed->len, sizeof (SluicePlanEdge), compare_fed);
  plan->feed_first = g_new0 (guint32, plan->n_feeds + 1);
  for (guint i = 0; i < fed->len; i++)
    plan->feed_first[g_array_index (fed, SluicePlanEdge, i).port + 1]++;
  for (guint i = 0; i < plan->n_feeds; i++)
    plan->feed_first[i + 1] += plan->feed_first[i];
  plan->feed_edges = (SluicePlanEdge *) g_array_steal (fed, NULL);
}

/* Which edges need not wait for their source to have run. */
static void
mark_ahead (SluicePlanCompile *compile, GArray *loose)
{
  SluicePlan *plan = compile->plan;
  const SluiceWorkNode *const *order = (const SluiceWorkNode *const *) compile->order->pdata;
  for (guint i = 0; i < loose->len; i++)
    {
      Loose *item = &g_array_index (loose, Loose, i);
      guint32 to = item->edge.node;
      item->edge.ahead = to != SLUICE_PLAN_NOWHERE && order[item->source]->frame == order[to]->frame
                         && sluice_plan_runs_ahead (&plan->nodes[item->source], &plan->nodes[to]);
      if (item->edge.ahead)
        plan->nodes[to].flags |= SLUICE_PLAN_AHEAD_INPUTS;
      else
        plan->nodes[item->source].flags &= ~(guint32) SLUICE_PLAN_AHEAD_ONLY;
    }
}

static void
lay_edges (SluicePlanCompile *compile, GArray *loose)
{
  SluicePlan *plan = compile->plan;
  if (plan->n_far_devices > 0)
    mark_ahead (compile, loose);
  if (loose->len)
    qsort (loose->data, loose->len, sizeof (Loose), compare_loose);
  plan->n_edges = loose->len;
  plan->edges = g_new (SluicePlanEdge, loose->len + 1);
  for (guint i = 0; i < loose->len; i++)
    {
      const Loose *item = &g_array_index (loose, Loose, i);
      const Loose *next = i + 1 < loose->len ? item + 1 : NULL;
      SluicePlanNode *source = &plan->nodes[item->source];
      if (source->n_edges++ == 0)
        source->first_edge = i;
      plan->edges[i] = item->edge;
      plan->edges[i].last =
          !next || next->source != item->source || next->edge.port != item->edge.port;
      if (item->edge.node == SLUICE_PLAN_NOWHERE)
        continue;
      const SluiceWorkNode *to = compile->order->pdata[item->edge.node];
      plan->edges[i].node -= plan->frames[to->frame].first_node;
      if (item->edge.slot != SLUICE_PLAN_NOWHERE)
        plan->edges[i].slot -= plan->frames[to->frame].first_slot;
    }
}

/* What each frame has of the arrays that are laid out by frame. */
static void
lay_frames (SluicePlanCompile *compile)
{
  SluicePlan *plan = compile->plan;
  GArray *kept = compile->kept;
  if (kept->len)
    qsort (kept->data, kept->len, sizeof (SluicePlanKept), compare_kept);
  plan->n_kept = kept->len;
  plan->kept = (SluicePlanKept *) g_array_steal (kept, NULL);
  plan->roots = g_new (guint32, plan->n_nodes + 1);
  plan->exits = g_new (guint32, plan->n_nodes + 1);
  guint32 n_kept = 0, n_exits = 0;
  for (guint32 f = 0; f < plan->n_frames; f++)
    {
      SluicePlanFrame *frame = &plan->frames[f];
      frame->first_kept = n_kept;
      for (; n_kept < plan->n_kept && plan->kept[n_kept].slot < frame->first_slot + frame->n_slots;
           n_kept++)
        plan->kept[n_kept].slot -= frame->first_slot;
      frame->n_kept = n_kept - frame->first_kept;
      frame->first_root = plan->n_roots;
      frame->first_exit = n_exits;
      for (guint32 i = 0; i < frame->n_nodes; i++)
        {
          if (plan->pending[frame->first_node + i] == 0)
            plan->roots[plan->n_roots++] = i;
          if (plan->nodes[frame->first_node + i].flags & SLUICE_PLAN_EXIT)
            plan->exits[n_exits++] = i;
        }
      frame->n_roots = plan->n_roots - frame->first_root;
    }
}

void
sluice_plan_compile_edges (SluicePlanCompile *compile)
{
  SluicePlan *plan = compile->plan;
  g_autoptr (GArray) loose = g_array_new (FALSE, FALSE, sizeof (Loose));
  for (guint32 i = 0; i < plan->n_nodes; i++)
    book_node (compile, loose, i);
  for (guint i = 0; i < plan->n_fetches; i++)
    book_fetch (compile, loose, i);
  settle_merges (compile);
  lay_edges (compile, loose);
  lay_feeds (compile);
  lay_frames (compile);
}
