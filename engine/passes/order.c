/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Orders the accesses to each variable and queue. The topological order that prefers what was
 * created first says how; consecutive accesses that conflict get a control edge. What may be dead
 * is waited for through a node that is alive in any case: an order must kill nobody.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/analysis.h"
#include "engine/passes/frames.h"
#include "engine/passes/pass.h"

typedef struct
{
  SluiceWork *work;
  GHashTable *after;     /* SluiceWorkNode -> the node that has waited for it */
  const guint8 *may_die; /* by index of the nodes that were there before */
  guint n_before;
  guint8 *is_slow;  /* by frame: its iterations follow one another */
  GPtrArray *stack; /* of the search, and its number, with which it marks nodes */
  guint round;
} Order;

static SluiceWorkNode *
wait_for (Order *order, SluiceWorkNode *node)
{
  if (!order->may_die[node->index])
    return node;
  SluiceWorkNode *after = g_hash_table_lookup (order->after, node);
  if (!after)
    {
      after = sluice_work_add (order->work, SLUICE_WORK_AFTER, node->origin, node->device);
      after->frame = after->output_frame = node->output_frame;
      sluice_work_add_control (order->work, after, node);
      g_hash_table_insert (order->after, node, after);
    }
  return after;
}

/* Is there a way from one to the other within an iteration? Looks at edges as they are now. */
static gboolean
leads_to (Order *order, const SluiceWorkNode *from, SluiceWorkNode *to)
{
  order->round++;
  g_ptr_array_set_size (order->stack, 0);
  g_ptr_array_add (order->stack, to);
  while (order->stack->len)
    {
      SluiceWorkNode *at = g_ptr_array_steal_index_fast (order->stack, order->stack->len - 1);
      if (at == from)
        return TRUE;
      for (guint i = 0; i < at->n_inputs + at->n_controls; i++)
        {
          SluiceWorkNode *before = sluice_work_get_before (at, i);
          if (!before || before->mark == order->round)
            continue;
          before->mark = order->round;
          g_ptr_array_add (order->stack, before);
        }
    }
  return FALSE;
}

/* ---- loops ---- */

/* Of a node in a loop inside `frame`: the Exits by which that loop ends there, or its Enters. */
static void
lift (const Order *order, SluiceWorkNode *node, guint frame, SluiceRole role, GPtrArray *instead)
{
  const SluiceWork *work = order->work;
  if (node->frame == frame)
    {
      g_ptr_array_add (instead, node);
      return;
    }
  guint loop = node->frame;
  while (sluice_frame_parent (work, loop) != frame)
    loop = sluice_frame_parent (work, loop);
  for (guint i = 0; i < order->n_before; i++)
    {
      SluiceWorkNode *border = work->nodes->pdata[i];
      guint inside = role == SLUICE_ROLE_EXIT ? border->frame : border->output_frame;
      if (sluice_work_role (border) == role && inside == loop)
        g_ptr_array_add (instead, border);
    }
}

static void
order_pair (Order *order, SluiceWorkNode *a, SluiceWorkNode *b)
{
  if (a == b)
    return;
  guint frame = sluice_frame_common (order->work, a->frame, b->frame);
  g_autoptr (GPtrArray) firsts = g_ptr_array_new ();
  g_autoptr (GPtrArray) seconds = g_ptr_array_new ();
  lift (order, a, frame, SLUICE_ROLE_EXIT, firsts);
  lift (order, b, frame, SLUICE_ROLE_ENTER, seconds);
  for (guint i = 0; i < firsts->len; i++)
    for (guint k = 0; k < seconds->len; k++)
      {
        SluiceWorkNode *first = firsts->pdata[i], *second = seconds->pdata[k];
        if (!leads_to (order, second, first) && !leads_to (order, first, second))
          sluice_work_add_control (order->work, second, wait_for (order, first));
      }
}

/* The iterations of the loop follow one another, and those of the loops around it. */
static void
slow_down (Order *order, guint frame)
{
  for (; frame != 0 && !order->is_slow[frame]; frame = sluice_frame_parent (order->work, frame))
    order->is_slow[frame] = 1;
}

/* Accesses to one object, in topological order. */
static void
order_accesses (Order *order, const SluiceAccess *accesses, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      const SluiceAccess *b = &accesses[i];
      if (sluice_effects_conflict (b->effect, b->effect))
        slow_down (order, b->node->frame);
      /* Back to the last one that excludes all before it. */
      for (guint k = i; k-- > 0;)
        {
          if (!sluice_effects_conflict (accesses[k].effect, b->effect))
            continue;
          order_pair (order, accesses[k].node, b->node);
          if (sluice_effects_conflict (accesses[k].effect, accesses[k].effect))
            break;
        }
    }
}

static void
order_all (Order *order, const SluiceEffects *effects)
{
  const SluiceAccess *accesses = (const SluiceAccess *) effects->accesses->data;
  for (guint i = 0, end; i < effects->accesses->len; i = end)
    {
      for (end = i; end < effects->accesses->len && accesses[end].object == accesses[i].object;)
        end++;
      order_accesses (order, accesses + i, end - i);
    }
  for (guint i = 0; i < order->n_before; i++)
    {
      SluiceWorkNode *node = order->work->nodes->pdata[i];
      if (sluice_work_role (node) == SLUICE_ROLE_ENTER)
        node->is_sequential = order->is_slow[node->output_frame];
    }
  sluice_work_touch (order->work);
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  if (!sluice_analysis_find_frames (work, error))
    return FALSE;
  const SluiceEffects *effects = sluice_analysis_get_effects (work);
  g_autoptr (GHashTable) after = g_hash_table_new (NULL, NULL);
  g_autofree guint8 *is_slow = g_new0 (guint8, work->frames->len);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  Order order = { .work = work,
                  .after = after,
                  .may_die = sluice_analysis_get_branches (work)->may_die,
                  .n_before = work->nodes->len,
                  .is_slow = is_slow,
                  .stack = stack };
  for (guint i = 0; i < work->nodes->len; i++)
    ((SluiceWorkNode *) work->nodes->pdata[i])->mark = 0;
  order_all (&order, effects);
  return TRUE;
}

/* What sluice_find_races() finds, and several producers or several consumers of one queue. Where
 * only a loop as a whole can be ordered, its Enter and Exit nodes are, and iterations of loops with
 * such accesses run one after the other. */
const SluicePass sluice_pass_order = {
  .name = "order",
  .summary = N_ ("Accesses to one variable or queue come as their nodes were created"),
  .enabled = SLUICE_PASS_ORDER_EFFECTS,
  .requires = SLUICE_FACT_PRUNED,
  .excludes = SLUICE_FACT_PARTITIONED,
  .run = run,
};
