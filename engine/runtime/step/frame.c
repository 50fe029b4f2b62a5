/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/step/frame.h"

#include "engine/device/transfer.h"

/* ---- activations ---- */

void
sluice_activation_init (SluiceActivation *self, const SluicePlan *plan, guint32 number)
{
  const SluicePlanFrame *frame = &plan->frames[number];
  self->nodes = plan->nodes + frame->first_node;
  self->pending = g_new (guint32, frame->n_nodes + 1);
  self->dead = plan->has_dead ? g_new0 (guint32, frame->n_nodes + 1) : NULL;
  self->slots = g_new0 (SluiceValue, frame->n_slots + 1);
  self->scheduled = g_new0 (guint64, frame->n_nodes + 1);
  self->first_slot = frame->first_slot;
  self->number = number;
  self->label = frame->label;
  self->children = g_new0 (SluiceFrame *, frame->n_children + 1);
  sluice_ready_init (&self->ready, frame->n_nodes);
  for (guint32 i = 0; i < frame->n_kept; i++)
    {
      const SluicePlanKept *kept = &plan->kept[frame->first_kept + i];
      self->slots[kept->slot].tensor = kept->tensor;
    }
}

void
sluice_activation_clear (SluiceActivation *self)
{
  g_free (self->pending);
  g_free (self->dead);
  g_free (self->slots);
  g_free (self->scheduled);
  g_free (self->children);
  sluice_ready_free (&self->ready);
}

static void
drop_slot (SluiceActivation *self, const SluicePlan *plan, guint32 slot)
{
  guint8 flags = plan->slot_flags[self->first_slot + slot];
  SluiceValue *value = &self->slots[slot];
  if (!value->tensor)
    return;
  if (flags & (SLUICE_SLOT_REF | SLUICE_SLOT_READ))
    sluice_resource_unref (&value->ref->parent);
  else
    sluice_tensor_unref (value->tensor);
  value->tensor = NULL;
}

void
sluice_activation_drop_values (SluiceActivation *self, const SluicePlan *plan, guint32 first)
{
  guint32 n = plan->frames[self->number].n_slots;
  for (guint32 i = first; i < n; i++)
    if (!(plan->slot_flags[self->first_slot + i] & SLUICE_SLOT_KEPT))
      drop_slot (self, plan, i);
}

static SluiceActivation *
take_activation (SluiceStep *step, guint32 number)
{
  SluiceActivation *act = step->free_activations[number];
  if (act)
    {
      step->free_activations[number] = act->next_free;
      return act;
    }
  act = g_new0 (SluiceActivation, 1);
  sluice_activation_init (act, step->plan, number);
  act->next_made = step->made_activations;
  step->made_activations = act;
  return act;
}

/* ---- frames ---- */

static SluiceFrame *
make_frame (SluiceStep *step, guint32 number)
{
  const SluicePlanFrame *plan = &step->plan->frames[number];
  SluiceFrame *frame = g_new0 (SluiceFrame, 1);
  frame->plan = plan;
  frame->number = number;
  frame->n_ring = 2;
  frame->ring = g_new0 (SluiceActivation *, frame->n_ring);
  frame->has_exited = g_new0 (guint8, plan->n_exits + 1);
  frame->constants = g_array_new (FALSE, FALSE, sizeof (SluiceValue));
  frame->slots = g_array_new (FALSE, FALSE, sizeof (guint32));
  frame->ref_slots = g_array_new (FALSE, FALSE, sizeof (guint32));
  frame->roots = g_array_new (FALSE, FALSE, sizeof (guint32));
  frame->deferred = g_array_new (FALSE, FALSE, sizeof (SluiceDeferred));
  sluice_activation_init (&frame->start, step->plan, number);
  frame->next_made = step->made_frames;
  step->made_frames = frame;
  return frame;
}

static SluiceFrame *
start_frame (SluiceStep *step, SluiceActivation *parent, guint32 number)
{
  const SluicePlan *plan = step->plan;
  SluiceFrame *frame = step->free_frames[number];
  if (frame)
    step->free_frames[number] = frame->next_free;
  else
    frame = make_frame (step, number);
  guint32 n = frame->plan->n_nodes;
  memcpy (frame->start.pending, plan->pending + frame->plan->first_node, n * sizeof (guint32));
  memset (frame->start.dead, 0, n * sizeof (guint32));
  memset (frame->has_exited, 0, frame->plan->n_exits);
  g_array_append_vals (frame->roots, plan->roots + frame->plan->first_root, frame->plan->n_roots);
  frame->id = sluice_transfer_number_frame (parent->frame ? parent->frame->id : 0,
                                            parent->iteration, frame->plan->name);
  frame->parent = parent;
  frame->oldest = 0;
  frame->newest = 0;
  frame->n_enters_left = frame->plan->n_enters;
  parent->children[frame->plan->child] = frame;
  parent->n_children++;
  return frame;
}

static SluiceActivation **
slot_of_iteration (SluiceFrame *frame, guint64 iteration)
{
  return &frame->ring[iteration & (frame->n_ring - 1)];
}

/* At most parallel_iterations run at once, and mostly few do: the ring grows as they need it. */
static void
grow_ring (SluiceFrame *frame)
{
  guint64 n = frame->n_ring;
  SluiceActivation **old = frame->ring;
  frame->n_ring = 2 * n;
  frame->ring = g_new0 (SluiceActivation *, frame->n_ring);
  for (guint64 i = 0; i < n; i++)
    *slot_of_iteration (frame, frame->oldest + i) = old[(frame->oldest + i) & (n - 1)];
  g_free (old);
}

/* The constants that the activation has not got yet. */
static void
lay_constants (SluiceFrame *frame, SluiceActivation *act)
{
  for (; act->n_constants < frame->slots->len; act->n_constants++)
    {
      guint32 slot = g_array_index (frame->slots, guint32, act->n_constants);
      act->slots[slot] = frame->start.slots[slot];
    }
}

static SluiceActivation *
start_iteration (SluiceWorker *w, SluiceFrame *frame, guint64 iteration)
{
  if (iteration - frame->oldest >= frame->n_ring)
    grow_ring (frame);
  SluiceActivation **place = slot_of_iteration (frame, iteration);
  if (!*place)
    *place = take_activation (w->step, frame->number);
  SluiceActivation *act = *place;
  guint32 n = frame->plan->n_nodes;
  memcpy (act->pending, frame->start.pending, n * sizeof (guint32));
  memcpy (act->dead, frame->start.dead, n * sizeof (guint32));
  act->frame = frame;
  act->iteration = iteration;
  act->remaining = n;
  lay_constants (frame, act);
  for (guint i = 0; i < frame->ref_slots->len; i++)
    {
      guint32 slot = g_array_index (frame->ref_slots, guint32, i);
      act->slots[slot] = frame->start.slots[slot];
      sluice_resource_ref (&act->slots[slot].ref->parent);
    }
  for (guint i = 0; i < frame->roots->len; i++)
    make_ready (w, act, g_array_index (frame->roots, guint32, i));
  frame->newest = iteration;
  return act;
}

/* The iteration's memory stays in the ring, with the constants in place. */
static void
end_iteration (SluiceFrame *frame, SluiceActivation *act, const SluicePlan *plan)
{
  if (act->remaining)
    sluice_activation_drop_values (act, plan, 0);
  act->frame = NULL;
}

/* Gives back what the frame holds. */
static void
end_frame (SluiceStep *step, SluiceFrame *frame)
{
  for (guint i = 0; i < frame->slots->len; i++)
    {
      guint32 slot = g_array_index (frame->slots, guint32, i);
      for (guint64 k = 0; k < frame->n_ring; k++)
        if (frame->ring[k])
          frame->ring[k]->slots[slot].tensor = NULL;
      drop_slot (&frame->start, step->plan, slot);
    }
  for (guint i = 0; i < frame->ref_slots->len; i++)
    drop_slot (&frame->start, step->plan, g_array_index (frame->ref_slots, guint32, i));
  for (guint i = 0; i < frame->constants->len; i++)
    sluice_tensor_unref (g_array_index (frame->constants, SluiceValue, i).tensor);
  for (guint64 k = 0; k < frame->n_ring; k++)
    if (frame->ring[k])
      {
        SluiceActivation *act = frame->ring[k];
        act->n_constants = 0;
        act->next_free = step->free_activations[frame->number];
        step->free_activations[frame->number] = act;
        frame->ring[k] = NULL;
      }
  g_array_set_size (frame->constants, 0);
  g_array_set_size (frame->slots, 0);
  g_array_set_size (frame->ref_slots, 0);
  g_array_set_size (frame->roots, 0);
  frame->parent->children[frame->plan->child] = NULL;
  frame->parent->n_children--;
  frame->next_free = step->free_frames[frame->number];
  step->free_frames[frame->number] = frame;
}

/* ---- which iteration is next ---- */

static guint
depth_of (const SluiceActivation *act)
{
  guint depth = 0;
  for (; act->frame; act = act->frame->parent)
    depth++;
  return depth;
}

/* Should a run before b? What lies inside goes first, then the older iteration: that keeps few
 * iterations alive. The order is fixed by the graph. */
static gboolean
runs_before (const SluiceActivation *a, const SluiceActivation *b)
{
  if (a->frame == b->frame)
    return a->iteration < b->iteration;
  guint depth_a = depth_of (a), depth_b = depth_of (b);
  gboolean a_is_deeper = depth_a > depth_b;
  for (; depth_a > depth_b; depth_a--)
    a = a->frame->parent;
  for (; depth_b > depth_a; depth_b--)
    b = b->frame->parent;
  if (a == b)
    return a_is_deeper;
  while (a->frame != b->frame && a->frame->parent != b->frame->parent)
    {
      a = a->frame->parent;
      b = b->frame->parent;
    }
  return a->frame == b->frame ? a->iteration < b->iteration : a->number < b->number;
}

void
sluice_worker_list (SluiceWorker *w, SluiceActivation *act)
{
  SluiceStep *step = w->step;
  if (act == w->act || act->is_listed || sluice_ready_is_empty (&act->ready))
    return;
  SluiceActivation *before = step->last_listed;
  while (before && runs_before (act, before))
    before = before->previous;
  SluiceActivation *after = before ? before->next : step->first_listed;
  act->previous = before;
  act->next = after;
  act->is_listed = TRUE;
  if (before)
    before->next = act;
  else
    step->first_listed = act;
  if (after)
    after->previous = act;
  else
    step->last_listed = act;
}

gboolean
sluice_worker_next_activation (SluiceWorker *w)
{
  SluiceStep *step = w->step;
  SluiceActivation *act = w->act;
  w->act = &step->root;
  sluice_worker_settle (w, act);
  act = step->first_listed;
  if (!act)
    return !sluice_ready_is_empty (&step->root.ready);
  step->first_listed = act->next;
  if (act->next)
    act->next->previous = NULL;
  else
    step->last_listed = NULL;
  act->is_listed = FALSE;
  w->act = act;
  sluice_worker_list (w, &step->root);
  w->call.frame = act->frame ? act->frame->id : 0;
  w->call.iteration = act->iteration;
  return TRUE;
}

void
sluice_worker_park (SluiceWorker *w)
{
  SluiceActivation *act = w->act;
  w->act = &w->step->root;
  sluice_worker_list (w, act);
}

/* ---- values that cross ---- */

static void
drop_leftover (SluiceWorker *w, const SluicePlanNode *node)
{
  if (w->outputs[0].tensor)
    release_output (node, 0, w->outputs[0]);
  w->outputs[0].tensor = NULL;
}

/* Along the node's edges into another activation. */
static void
cross (SluiceWorker *w, SluiceActivation *to, const SluicePlanNode *node, gboolean is_dead)
{
  sluice_worker_propagate_mixed (w, to, node, w->outputs, is_dead);
  drop_leftover (w, node);
  sluice_worker_list (w, to);
}

/* One edge of a constant Enter into the state that iterations start from, or into one that runs
 * already. What the slot gets is not counted here. */
static void
arrive_for_all (SluiceWorker *w,
                SluiceActivation *act,
                const SluicePlanEdge *edge,
                SluiceValue value)
{
  gboolean is_control = edge->slot == SLUICE_PLAN_NOWHERE;
  guint32 *pending = &act->pending[edge->node], *dead = &act->dead[edge->node], before = *pending;
  if (act->nodes[edge->node].flags & SLUICE_PLAN_MERGE)
    {
      if (is_control)
        *pending -= 2;
      else
        {
          if (!value.tensor)
            *dead = before & 1 ? act->nodes[edge->node].n_inputs : *dead + 1;
          *pending &= ~1u;
        }
      if (*pending == 0 && before != 0)
        make_ready (w, act, edge->node);
      return;
    }
  *dead += !value.tensor;
  if (--*pending == 0)
    make_ready (w, act, edge->node);
}

/* `value` is the Enter's; dead where it is NULL. */
static void
enter_constant (SluiceWorker *w, SluiceFrame *frame, const SluicePlanNode *node, SluiceValue value)
{
  const SluicePlanEdge *edge = w->plan->edges + node->first_edge, *end = edge + node->n_edges;
  gboolean is_ref = node->flags & SLUICE_PLAN_REF_OUTPUTS;
  for (; edge < end; edge++)
    {
      gboolean has_slot = edge->slot != SLUICE_PLAN_NOWHERE && value.tensor;
      if (has_slot)
        {
          frame->start.slots[edge->slot] = share (node, 0, value);
          g_array_append_val (is_ref ? frame->ref_slots : frame->slots, edge->slot);
        }
      arrive_for_all (w, &frame->start, edge, value);
      for (guint64 i = frame->oldest; i <= frame->newest; i++)
        {
          SluiceActivation *act = *slot_of_iteration (frame, i);
          if (has_slot && is_ref)
            act->slots[edge->slot] = share (node, 0, value);
          else
            lay_constants (frame, act);
          arrive_for_all (w, act, edge, value);
        }
    }
  for (guint32 root; sluice_ready_take (&frame->start.ready, &root);)
    g_array_append_val (frame->roots, root);
  for (guint64 i = frame->oldest; i <= frame->newest; i++)
    sluice_worker_list (w, *slot_of_iteration (frame, i));
  if (value.tensor && !is_ref)
    g_array_append_val (frame->constants, value);
  else if (value.tensor)
    sluice_resource_unref (&value.ref->parent);
}

static void
enter (SluiceWorker *w, const SluicePlanNode *node, gboolean is_dead)
{
  SluiceActivation *parent = w->act;
  guint32 number = node->first_constant;
  SluiceFrame *frame = parent->children[w->plan->frames[number].child];
  if (!frame)
    {
      frame = start_frame (w->step, parent, number);
      start_iteration (w, frame, 0);
    }
  SluiceActivation *first = *slot_of_iteration (frame, 0);
  if (node->flags & SLUICE_PLAN_FRAME_CONSTANT)
    {
      SluiceValue value = w->outputs[0];
      w->outputs[0].tensor = NULL;
      enter_constant (w, frame, node, value);
    }
  else
    cross (w, first, node, is_dead);
  /* The first iteration is there until all have entered. */
  if (--frame->n_enters_left == 0)
    {
      sluice_worker_list (w, first);
      sluice_worker_settle (w, first);
    }
}

static void
next_iteration (SluiceWorker *w, const SluicePlanNode *node)
{
  SluiceFrame *frame = w->act->frame;
  guint64 iteration = w->act->iteration + 1, limit = w->step->env.max_iterations;
  if (iteration <= frame->newest)
    {
      cross (w, *slot_of_iteration (frame, iteration), node, FALSE);
      return;
    }
  if (G_UNLIKELY (limit && iteration > limit))
    {
      sluice_worker_fail_with (
          w, node,
          sluice_node_error_new (
              node->origin, SLUICE_ERROR_RESOURCE_EXHAUSTED,
              "the loop '%s' has made %" G_GUINT64_FORMAT
              " iterations, the limit of this run, and would go on; check its condition, "
              "or raise the limit",
              frame->plan->name, limit));
      drop_leftover (w, node);
      return;
    }
  if (frame->newest - frame->oldest + 1 < frame->plan->parallel_iterations)
    {
      cross (w, start_iteration (w, frame, iteration), node, FALSE);
      return;
    }
  SluiceDeferred deferred = { (guint32) (node - w->act->nodes), w->outputs[0] };
  w->outputs[0].tensor = NULL;
  g_array_append_val (frame->deferred, deferred);
}

/* An iteration has ended: the one that had to wait may start. */
static void
start_deferred (SluiceWorker *w, SluiceFrame *frame)
{
  if (!frame->deferred->len)
    return;
  SluiceActivation *act = start_iteration (w, frame, frame->newest + 1);
  SluiceValue kept = w->outputs[0];
  for (guint i = 0; i < frame->deferred->len; i++)
    {
      SluiceDeferred *deferred = &g_array_index (frame->deferred, SluiceDeferred, i);
      w->outputs[0] = deferred->value;
      cross (w, act, &act->nodes[deferred->node], FALSE);
    }
  w->outputs[0] = kept;
  g_array_set_size (frame->deferred, 0);
}

static void
leave (SluiceWorker *w, const SluicePlanNode *node)
{
  SluiceFrame *frame = w->act->frame;
  if (frame->has_exited[node->first_constant])
    {
      sluice_worker_fail_node (w, node, SLUICE_ERROR_INVALID_ARGUMENT,
                               "has a value in more than one iteration of its loop; take its input "
                               "from the side of a Switch by which the loop ends");
      drop_leftover (w, node);
      return;
    }
  frame->has_exited[node->first_constant] = 1;
  cross (w, frame->parent, node, FALSE);
}

void
sluice_worker_move (SluiceWorker *w, const SluicePlanNode *node, gboolean is_dead)
{
  if (!is_dead)
    w->outputs[0] = take_input (w->plan, node, inputs_of (w->act, node));
  if (node->flags & SLUICE_PLAN_ENTER)
    enter (w, node, is_dead);
  else if (is_dead)
    return; /* starts no iteration; whether the Exit stays dead is known when the loop ends */
  else if (node->flags & SLUICE_PLAN_NEXT)
    next_iteration (w, node);
  else
    leave (w, node);
}

/* ---- ends ---- */

static void
kill_exits (SluiceWorker *w, SluiceFrame *frame)
{
  for (guint32 i = 0; i < frame->plan->n_exits; i++)
    if (!frame->has_exited[i])
      {
        guint32 local = w->plan->exits[frame->plan->first_exit + i];
        sluice_worker_propagate_mixed (w, frame->parent, &frame->start.nodes[local], w->outputs,
                                       TRUE);
      }
}

void
sluice_worker_settle (SluiceWorker *w, SluiceActivation *act)
{
  while (act->frame && act != w->act && !w->step->is_stopping)
    {
      SluiceFrame *frame = act->frame;
      if (act->is_listed || act->n_in_flight || act->n_children || act->iteration != frame->oldest
          || (frame->oldest == 0 && frame->n_enters_left))
        return;
      end_iteration (frame, act, w->plan);
      frame->oldest++;
      start_deferred (w, frame);
      if (frame->oldest <= frame->newest)
        {
          act = *slot_of_iteration (frame, frame->oldest);
          continue;
        }
      SluiceActivation *parent = frame->parent;
      kill_exits (w, frame);
      end_frame (w->step, frame);
      sluice_worker_list (w, parent);
      act = parent;
    }
}

void
sluice_frames_end_all (SluiceStep *step)
{
  for (SluiceActivation *act = step->first_listed, *next; act; act = next)
    {
      next = act->next;
      act->is_listed = FALSE;
    }
  step->first_listed = step->last_listed = NULL;
  for (SluiceFrame *frame = step->made_frames; frame; frame = frame->next_made)
    {
      if (!frame->parent || frame->parent->children[frame->plan->child] != frame)
        continue;
      for (guint64 i = frame->oldest; i <= frame->newest; i++)
        {
          SluiceActivation *act = *slot_of_iteration (frame, i);
          sluice_ready_clear (&act->ready);
          sluice_activation_drop_values (act, step->plan, 0);
          act->frame = NULL;
        }
      for (guint i = 0; i < frame->deferred->len; i++)
        {
          SluiceDeferred *deferred = &g_array_index (frame->deferred, SluiceDeferred, i);
          release_output (&frame->start.nodes[deferred->node], 0, deferred->value);
        }
      g_array_set_size (frame->deferred, 0);
      end_frame (step, frame);
    }
}

void
sluice_frames_free (SluiceStep *step)
{
  for (SluiceFrame *frame = step->made_frames, *next; frame; frame = next)
    {
      next = frame->next_made;
      sluice_activation_clear (&frame->start);
      g_array_unref (frame->constants);
      g_array_unref (frame->slots);
      g_array_unref (frame->ref_slots);
      g_array_unref (frame->roots);
      g_array_unref (frame->deferred);
      g_free (frame->has_exited);
      g_free (frame->ring);
      g_free (frame);
    }
  for (SluiceActivation *act = step->made_activations, *next; act; act = next)
    {
      next = act->next_made;
      sluice_activation_clear (act);
      g_free (act);
    }
}
