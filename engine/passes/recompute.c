/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Recomputation. Values of a forward pass lie in memory until the backward pass reads them, and at
 * the turn between the two all of them do. Some are cheap to compute again from what lies there
 * anyway (white paper 5.1; Chen et al., Training deep nets with sublinear memory cost, 2016; the
 * memory optimizer of TensorFlow's Grappler): element-wise values, batch normalisations and views
 * (SLUICE_OP_CHEAP), never a product or a convolution.
 *
 * The schedule tells when each value is born and dies, so the pass knows the position at which most
 * is live. Where a cheap value lies across it, with readers only before and behind it, the later
 * ones get a copy of its node, which waits for something that the first of them needs: without that
 * the executor could run it at once, and nothing would be gained. So one value after the other, the
 * one that saves most for what its copies cost first, the peak found anew after each, until none
 * lowers it. What was chosen is not taken back: a search over sets costs more than it finds.
 *
 * What a copy reads must be there: kept for others, copied as well, or small beside what is saved.
 * What it reads of a variable must not have been written since, on any order that the edges allow:
 * threads do not keep to this schedule.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/again.h"
#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"

/* Of what is not known, a batch mostly: who lacks memory has large ones. */
#define TYPICAL_DIM 1024

#define MOST_COPIES 16 /* nodes that are computed again for one value */
#define SMALL       16 /* what is so many times smaller than a value is kept rather than copied */
#define NEVER       G_MAXUINT32

typedef struct
{
  gboolean is_cheap;   /* may be computed again */
  gboolean is_settled; /* its value has been looked at */
  guint32 condition;
} Trait;

/* An output. What is said beside the root is said of roots. */
typedef struct
{
  guint32 root; /* the value whose memory it shares */
  SluiceWorkNode *maker;
  double bytes;
  guint32 born, dies; /* positions in the order */
  guint32 early;      /* of its last reader before the peak; NEVER: none */
  guint32 late;       /* of its first reader behind the peak; NEVER: none */
  guint32 edges;      /* the first of the edges behind the peak, NEVER: none */
  gboolean is_needed; /* fetched, or read at the peak */
} Value;

typedef struct
{
  SluiceWorkNode *reader;
  guint input;
  guint32 next; /* of the same root */
} LateEdge;

typedef struct
{
  SluiceWork *work;
  GPtrArray *order;
  GArray *traits; /* of Trait, by index */
  const SluiceEffects *effects;
  /* Of the work graph as it is: */
  guint32 *position;    /* by index */
  guint32 *first_value; /* by index */
  Value *values;
  double *live;  /* by position */
  guint32 peak;  /* where it is highest */
  GArray *edges; /* of LateEdge */
} Recompute;

/* What it would take to compute one value again. */
typedef struct
{
  guint32 root, at; /* the position of the first reader that gets a copy */
  SluiceWorkNode *copied[MOST_COPIES], *copies[MOST_COPIES]; /* in topological order */
  guint n_copied, n_visited;
  GArray *kept; /* of guint32: roots that live on until then */
  double gain;  /* bytes at the peak */
  double cost;  /* bytes that the copies read and write */
  double extra; /* bytes of what the copies make beside the value */
} Attempt;

static Trait *
trait_of (const Recompute *self, const SluiceWorkNode *node)
{
  return &g_array_index (self->traits, Trait, node->index);
}

/* ---- what lies in memory ---- */

/* (nullable): of a fed value */
static Value *
value_of (const Recompute *self, SluiceWorkEdge edge)
{
  return edge.node ? &self->values[self->first_value[edge.node->index] + (guint) edge.port] : NULL;
}

static Value *
root_of (const Recompute *self, SluiceWorkEdge edge)
{
  Value *value = value_of (self, edge);
  return value ? &self->values[value->root] : NULL;
}

/* Values that a variable or the caller holds cost nothing. */
static double
bytes_made (const SluiceWorkNode *node, guint output)
{
  if (node->kind != SLUICE_WORK_OP || sluice_work_get_traits (node)->is_view
      || sluice_work_role (node) == SLUICE_ROLE_READ_VARIABLE)
    return 0;
  return sluice_output_bytes (&node->origin->outputs[output], TYPICAL_DIM);
}

static void
number_values (Recompute *self)
{
  SluiceWork *work = self->work;
  guint32 n = 0;
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      self->first_value[i] = n;
      n += MAX (node->origin->n_outputs, 1);
    }
  self->first_value[work->nodes->len] = n;
  self->values = g_new0 (Value, n + 1);
  for (guint32 i = 0; i < n; i++)
    self->values[i] = (Value){ .root = i, .early = NEVER, .late = NEVER, .edges = NEVER };
  for (guint32 at = 0; at < self->order->len; at++)
    {
      SluiceWorkNode *node = self->order->pdata[at];
      self->position[node->index] = at;
      const gboolean is_view = sluice_work_get_traits (node)->is_view;
      const Value *viewed = is_view ? value_of (self, node->inputs[0]) : NULL;
      for (guint k = 0; k < node->origin->n_outputs; k++)
        {
          Value *value = &self->values[self->first_value[node->index] + k];
          value->maker = node;
          value->born = value->dies = at;
          value->bytes = bytes_made (node, k);
          value->root = viewed ? viewed->root : value->root;
        }
    }
}

static void
measure_lives (Recompute *self)
{
  guint32 n = self->order->len;
  for (guint32 at = 0; at < n; at++)
    {
      const SluiceWorkNode *node = self->order->pdata[at];
      for (guint k = 0; k < node->n_inputs; k++)
        {
          Value *root = root_of (self, node->inputs[k]);
          if (root && !sluice_work_is_back_edge (node->inputs[k].node))
            root->dies = at;
        }
    }
  for (guint i = 0; i < self->work->n_fetches; i++)
    {
      Value *root = root_of (self, self->work->fetches[i]);
      if (!root)
        continue;
      root->dies = n - 1;
      root->is_needed = TRUE;
    }
  for (guint32 i = 0; i < self->first_value[self->work->nodes->len]; i++)
    {
      const Value *value = &self->values[i];
      if (value->bytes <= 0)
        continue;
      self->live[value->born] += value->bytes;
      self->live[value->dies + 1] -= value->bytes;
    }
  self->peak = 0;
  for (guint32 at = 1; at < n; at++)
    {
      self->live[at] += self->live[at - 1];
      if (self->live[at] > self->live[self->peak])
        self->peak = at;
    }
}

/* Who reads what on which side of the peak. */
static void
part_readers (Recompute *self)
{
  for (guint32 at = 0; at < self->order->len; at++)
    {
      SluiceWorkNode *node = self->order->pdata[at];
      for (guint k = 0; k < node->n_inputs; k++)
        {
          Value *root = root_of (self, node->inputs[k]);
          if (!root)
            continue;
          if (at < self->peak)
            root->early = at;
          else if (at == self->peak)
            root->is_needed = TRUE;
          else
            {
              LateEdge edge = { node, k, root->edges };
              root->edges = self->edges->len;
              root->late = MIN (root->late, at);
              g_array_append_val (self->edges, edge);
            }
        }
    }
}

static void
clear_measures (Recompute *self)
{
  g_clear_pointer (&self->position, g_free);
  g_clear_pointer (&self->first_value, g_free);
  g_clear_pointer (&self->values, g_free);
  g_clear_pointer (&self->live, g_free);
}

static void
measure (Recompute *self)
{
  guint n = self->work->nodes->len;
  clear_measures (self);
  self->position = g_new (guint32, n + 1);
  self->first_value = g_new0 (guint32, n + 1);
  self->live = g_new0 (double, self->order->len + 1);
  g_array_set_size (self->edges, 0);
  number_values (self);
  measure_lives (self);
  part_readers (self);
}

/* ---- one value ---- */

static int
number_in (SluiceWorkNode *const *nodes, guint n, const SluiceWorkNode *node)
{
  for (guint i = 0; i < n; i++)
    if (nodes[i] == node)
      return (int) i;
  return -1;
}

static gboolean copy_node (const Recompute *self, Attempt *attempt, SluiceWorkNode *node);

/* Makes sure that there is an input of a copy when that runs. */
static gboolean
provide (const Recompute *self, Attempt *attempt, SluiceWorkEdge edge)
{
  const Value *root = root_of (self, edge), *saved = &self->values[attempt->root];
  if (!root || edge.node->kind == SLUICE_WORK_CONST)
    return TRUE;
  guint32 number = (guint32) (root - self->values);
  attempt->cost += root->bytes;
  if (root == saved)
    return copy_node (self, attempt, edge.node);
  if (root->bytes <= 0 || root->dies >= attempt->at)
    return TRUE;
  if (root->bytes * SMALL > saved->bytes && trait_of (self, edge.node)->is_cheap)
    return copy_node (self, attempt, edge.node);
  for (guint i = 0; i < attempt->kept->len; i++)
    if (g_array_index (attempt->kept, guint32, i) == number)
      return TRUE;
  g_array_append_val (attempt->kept, number);
  if (root->dies < self->peak)
    attempt->gain -= root->bytes;
  return TRUE;
}

static gboolean
copy_node (const Recompute *self, Attempt *attempt, SluiceWorkNode *node)
{
  const SluiceWorkNode *maker = self->values[attempt->root].maker;
  if (number_in (attempt->copied, attempt->n_copied, node) >= 0)
    return TRUE;
  if (!trait_of (self, node)->is_cheap || node->is_kept || node->device != maker->device
      || trait_of (self, node)->condition != trait_of (self, maker)->condition
      || attempt->n_visited++ == MOST_COPIES)
    return FALSE;
  for (guint k = 0; k < node->n_inputs; k++)
    if (!provide (self, attempt, node->inputs[k]))
      return FALSE;
  for (guint k = 0; k < node->origin->n_outputs; k++)
    {
      const Value *value = value_of (self, (SluiceWorkEdge){ node, (int) k });
      attempt->cost += value->bytes;
      attempt->extra += value == &self->values[attempt->root] ? 0 : value->bytes;
    }
  attempt->copied[attempt->n_copied++] = node;
  return TRUE;
}

/* Could the reader as well read a copy? */
static gboolean
may_read_copy (const Recompute *self, const SluiceWorkNode *reader, const SluiceWorkNode *maker)
{
  return (reader->kind == SLUICE_WORK_OP || reader->kind == SLUICE_WORK_FUSED_CONSUMER
          || reader->kind == SLUICE_WORK_SEND)
         && reader->frame == 0 && reader->device == maker->device
         && trait_of (self, reader)->condition == trait_of (self, maker)->condition
         && sluice_work_role (reader) != SLUICE_ROLE_MERGE;
}

/* FALSE: it is no value of that kind. */
static gboolean
attempt_value (const Recompute *self, Attempt *attempt, guint32 number)
{
  const Value *value = &self->values[number];
  if (value->root != number || value->bytes <= 0 || value->is_needed || value->early == NEVER
      || value->late == NEVER || !trait_of (self, value->maker)->is_cheap
      || trait_of (self, value->maker)->is_settled)
    return FALSE;
  attempt->root = number;
  attempt->at = value->late;
  attempt->n_copied = attempt->n_visited = 0;
  attempt->gain = value->bytes;
  attempt->cost = attempt->extra = 0;
  g_array_set_size (attempt->kept, 0);
  for (guint32 i = value->edges; i != NEVER; i = g_array_index (self->edges, LateEdge, i).next)
    {
      const LateEdge *edge = &g_array_index (self->edges, LateEdge, i);
      if (!may_read_copy (self, edge->reader, value->maker)
          || !copy_node (self, attempt, edge->reader->inputs[edge->input].node))
        return FALSE;
    }
  return attempt->gain > 0;
}

/* Would as much lie elsewhere as does at the peak now? */
static gboolean
raises_another (const Recompute *self, const Attempt *attempt)
{
  const Value *value = &self->values[attempt->root];
  guint32 from = attempt->at;
  for (guint i = 0; i < attempt->kept->len; i++)
    from = MIN (from, self->values[g_array_index (attempt->kept, guint32, i)].dies);
  for (guint32 at = from; at <= attempt->at; at++)
    {
      double live = self->live[at];
      live -= at > value->early && at < attempt->at ? value->bytes : 0;
      live += at == attempt->at ? attempt->extra : 0;
      for (guint i = 0; i < attempt->kept->len; i++)
        {
          const Value *kept = &self->values[g_array_index (attempt->kept, guint32, i)];
          live += at > kept->dies ? kept->bytes : 0;
        }
      if (live >= self->live[self->peak])
        return TRUE;
    }
  return FALSE;
}

/* ---- what a copy waits for, and what it must not ---- */

/* (nullable): what the first late reader needs that cannot be there before the value has been read
 * early, and takes no longer to come than the value itself but by computing. */
static SluiceWorkNode *
find_trigger (const Recompute *self, const Attempt *attempt, SluiceUses *uses)
{
  const Value *value = &self->values[attempt->root];
  const SluiceWorkNode *reader = self->order->pdata[attempt->at];
  SluiceWorkNode *trigger = NULL;
  sluice_uses_reach (uses, &value->maker->index, 1, NULL, 0);
  for (guint k = 0; k < reader->n_inputs + reader->n_controls; k++)
    {
      SluiceWorkNode *node =
          k < reader->n_inputs ? reader->inputs[k].node : reader->controls[k - reader->n_inputs];
      if (node && node->kind != SLUICE_WORK_CONST && node->output_frame == 0
          && node->device == value->maker->device && self->position[node->index] > value->early
          && sluice_uses_is_reached (uses, node)
          && trait_of (self, node)->condition == trait_of (self, value->maker)->condition
          && (!trigger || self->position[node->index] > self->position[trigger->index]))
        trigger = node;
    }
  return trigger;
}

/* Does a node that is copied, or what it reads, share a variable's memory? */
static gboolean
reads_memory (const Attempt *attempt, const SluiceAccess *access)
{
  if (access->effect != SLUICE_EFFECT_READ)
    return FALSE;
  for (guint i = 0; i < attempt->n_copied; i++)
    {
      const SluiceWorkNode *node = attempt->copied[i];
      if (node == access->node)
        return TRUE;
      for (guint k = 0; k < node->n_inputs; k++)
        if (node->inputs[k].node == access->node
            && sluice_work_role (access->node) == SLUICE_ROLE_READ_VARIABLE)
          return TRUE;
    }
  return FALSE;
}

/* Must who writes come before the nodes that are copied, or behind the readers of the copies? */
static gboolean
is_ordered (const Recompute *self,
            const Attempt *attempt,
            const SluiceWorkNode *writer,
            SluiceUses *uses)
{
  g_autoptr (GArray) late = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = self->values[attempt->root].edges; i != NEVER;)
    {
      const LateEdge *edge = &g_array_index (self->edges, LateEdge, i);
      g_array_append_val (late, edge->reader->index);
      i = edge->next;
    }
  sluice_uses_reach (uses, (const guint32 *) late->data, late->len, NULL, 0);
  if (sluice_uses_is_reached (uses, writer))
    return TRUE;
  sluice_uses_reach (uses, &writer->index, 1, NULL, 0);
  for (guint i = 0; i < attempt->n_copied; i++)
    if (!sluice_uses_is_reached (uses, attempt->copied[i]))
      return FALSE;
  return TRUE;
}

/* May something be written between a node and its copy that both read? */
static gboolean
is_overwritten (const Recompute *self, const Attempt *attempt, SluiceUses *uses)
{
  const GArray *accesses = self->effects->accesses;
  for (guint i = 0; i < accesses->len; i++)
    {
      const SluiceAccess *read = &g_array_index (accesses, SluiceAccess, i);
      for (guint k = 0; k < accesses->len && reads_memory (attempt, read); k++)
        {
          const SluiceAccess *write = &g_array_index (accesses, SluiceAccess, k);
          if (write->object == read->object && sluice_effects_conflict (write->effect, read->effect)
              && !is_ordered (self, attempt, write->node, uses))
            return TRUE;
        }
    }
  return FALSE;
}

/* ---- copies ---- */

static SluiceWorkNode *
add_copy (Recompute *self, Attempt *attempt, guint i, SluiceWorkNode *trigger)
{
  const SluiceWorkNode *node = attempt->copied[i];
  SluiceWorkNode *copy = sluice_work_add_again (self->work, node);
  Trait trait = { .is_settled = TRUE, .condition = trait_of (self, node)->condition };
  gboolean follows = FALSE;
  for (guint k = 0; k < node->n_inputs; k++)
    {
      int number = number_in (attempt->copied, i, node->inputs[k].node);
      if (number >= 0)
        copy->inputs[k].node = attempt->copies[number];
      follows |= number >= 0;
    }
  if (!follows)
    sluice_work_add_control (self->work, copy, trigger);
  g_array_append_val (self->traits, trait);
  g_ptr_array_insert (self->order, (int) (attempt->at + i), copy);
  return copy;
}

static void
compute_again (Recompute *self, Attempt *attempt, SluiceWorkNode *trigger)
{
  for (guint i = 0; i < attempt->n_copied; i++)
    attempt->copies[i] = add_copy (self, attempt, i, trigger);
  for (guint32 i = self->values[attempt->root].edges; i != NEVER;)
    {
      const LateEdge *edge = &g_array_index (self->edges, LateEdge, i);
      SluiceWorkEdge *input = &edge->reader->inputs[edge->input];
      input->node = attempt->copies[number_in (attempt->copied, attempt->n_copied, input->node)];
      i = edge->next;
    }
  sluice_work_touch (self->work);
}

/* The value that saves most for what it costs. FALSE: none lowers the peak. */
static gboolean
find_best (const Recompute *self, Attempt *best)
{
  gboolean found = FALSE;
  Attempt attempt = { .kept = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  for (guint32 i = 0; i < self->first_value[self->work->nodes->len]; i++)
    {
      if (!attempt_value (self, &attempt, i)
          || (found && attempt.gain * best->cost <= best->gain * attempt.cost)
          || raises_another (self, &attempt))
        continue;
      GArray *kept = best->kept;
      *best = attempt;
      attempt.kept = kept;
      found = TRUE;
    }
  g_array_unref (attempt.kept);
  return found;
}

static void
lower_peak (Recompute *self)
{
  Attempt best = { .kept = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  for (measure (self); find_best (self, &best); measure (self))
    {
      SluiceUses *uses = sluice_analysis_get_uses (self->work);
      trait_of (self, self->values[best.root].maker)->is_settled = TRUE;
      SluiceWorkNode *trigger = find_trigger (self, &best, uses);
      if (trigger && !is_overwritten (self, &best, uses))
        compute_again (self, &best, trigger);
    }
  clear_measures (self);
  g_array_unref (best.kept);
}

/* ---- all of them ---- */

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  guint n = work->nodes->len;
  sluice_work_ask_shapes_early (work);
  Recompute self = { .work = work,
                     .order = work->schedule,
                     .traits = g_array_new (FALSE, TRUE, sizeof (Trait)),
                     .edges = g_array_new (FALSE, FALSE, sizeof (LateEdge)),
                     .effects = sluice_analysis_get_effects (work) };
  const guint8 *may_alias = sluice_analysis_get_aliases (work);
  const guint32 *conditions = sluice_analysis_get_conditions (work);
  g_array_set_size (self.traits, n);
  for (guint i = 0; i < n; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      SluiceAgain again = sluice_work_may_run_again (work, node, may_alias);
      *trait_of (&self, node) =
          (Trait){ .is_cheap = again == SLUICE_AGAIN_CHEAP, .condition = conditions[i] };
    }
  lower_peak (&self);
  g_array_unref (self.traits);
  g_array_unref (self.edges);
  return TRUE;
}

/* Nothing in loops; what reads a variable that may be written meanwhile stays. White paper 5.1. */
const SluicePass sluice_pass_recompute = {
  .name = "recompute",
  .summary =
      N_ ("Cheap values that lie in memory at the peak are computed again for later readers"),
  .enabled = SLUICE_PASS_OPTIMIZE | SLUICE_PASS_RECOMPUTE,
  .requires = SLUICE_FACT_SCHEDULED | SLUICE_FACT_FRAMED,
  .excludes = SLUICE_FACT_FUSED,
  .run = run,
};
