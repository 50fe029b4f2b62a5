/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Which reads and writes of one variable have no order between them. Two accesses are ordered where
 * a path leads from one to the other within an iteration, and never meet where they need different
 * sides of one Switch. Between iterations of a loop that may overlap, a path must lead through the
 * back edge.
 *
 * A loop is left when its last iteration has got what the one before handed on: so what runs in a
 * loop is over before what waits for its Exit where a path leads to a NextIteration and all
 * iterations hand on what came by it. A value read before a loop that only its iterations use was
 * read before the Exit, or nobody has looked at it.
 */
#include "engine/passes/races.h"

#include <string.h>

#include "engine/passes/analysis.h"
#include "engine/passes/frames.h"

typedef struct
{
  SluiceWork *work;
  const GPtrArray *order;
  guint32 *rank; /* by work index */
  const SluiceBranches *branches;
  SluiceUses *uses;
  GArray *races;
} Races;

/* ---- out of loops ---- */

static gboolean
is_reached (const Races *races, const SluiceWorkNode *node)
{
  return sluice_uses_is_reached (races->uses, node);
}

/* Does it run only in iterations that another one follows? */
static gboolean
needs_next_iteration (Races *races, const SluiceWorkNode *node, guint loop)
{
  for (guint i = 0; races->branches->needs[node->index] && i < races->order->len; i++)
    {
      SluiceWorkNode *cond = races->order->pdata[i];
      if (cond->frame == loop && sluice_work_role (cond) == SLUICE_ROLE_LOOP_COND
          && sluice_branches_needs_true (races->branches, node, (SluiceWorkEdge){ cond, 0 }))
        return TRUE;
    }
  return FALSE;
}

/* The heads of the loop's iterations that follow one in which what is marked has run. */
static GArray *
find_next_heads (const Races *races, guint loop)
{
  GArray *merges = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < races->order->len; i++)
    {
      const SluiceWorkNode *merge = races->order->pdata[i];
      for (guint k = 0; merge->frame == loop && k < merge->n_inputs; k++)
        if (sluice_work_is_back_edge (merge->inputs[k].node)
            && is_reached (races, merge->inputs[k].node))
          {
            g_array_append_val (merges, merge->index);
            break;
          }
    }
  return merges;
}

/* Does each iteration of the loop hand on what it got there from the one before? */
static gboolean
carries (Races *races, guint32 head, guint loop)
{
  sluice_uses_reach (races->uses, &head, 1, NULL, 0);
  g_autoptr (GArray) next = find_next_heads (races, loop);
  for (guint i = 0; i < next->len; i++)
    if (g_array_index (next, guint32, i) == head)
      return TRUE;
  return FALSE;
}

/* Marks what waits for the node, also by way of the next iterations of the loops that lie between
 * it and `frame`. all: for each of its runs in these loops, not only for the last one. */
static gboolean
reach_out_of_loops (Races *races, const SluiceWorkNode *node, guint frame, gboolean all)
{
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (from, node->index);
  for (guint loop = node->frame; loop != frame; loop = sluice_frame_parent (races->work, loop))
    {
      if (!needs_next_iteration (races, node, loop))
        return FALSE;
      sluice_uses_reach (races->uses, (const guint32 *) from->data, from->len, NULL, 0);
      g_autoptr (GArray) heads = find_next_heads (races, loop);
      for (guint i = 0; i < heads->len; i++)
        if (!all || carries (races, g_array_index (heads, guint32, i), loop))
          g_array_append_val (from, g_array_index (heads, guint32, i));
    }
  sluice_uses_reach (races->uses, (const guint32 *) from->data, from->len, NULL, 0);
  return TRUE;
}

/* Is whoever looks at the node's value in loops inside its frame, and there done with it before the
 * loop is left to b? Where such a loop ends at once nobody has looked. */
static gboolean
is_only_used_before (Races *races, const SluiceWorkNode *node, guint frame, const SluiceWorkNode *b)
{
  if (races->uses->is_wanted[node->index] || races->uses->is_back[node->index])
    return FALSE;
  gboolean is_used = FALSE;
  const guint32 *first = &races->uses->first[node->index];
  for (guint32 i = first[0]; i < first[1]; i++)
    {
      if (races->uses->users[i] & SLUICE_USE_WAITS)
        continue;
      const SluiceWorkNode *user = races->work->nodes->pdata[races->uses->users[i]];
      SluiceRole role = sluice_work_role (user);
      is_used = TRUE;
      if (role == SLUICE_ROLE_IDENTITY || role == SLUICE_ROLE_ENTER
              ? !is_only_used_before (races, user, frame, b)
              : user->frame == frame || !reach_out_of_loops (races, user, frame, FALSE)
                    || !is_reached (races, b))
        return FALSE;
    }
  return is_used;
}

/* Of two accesses between which no path leads within an iteration. */
static gboolean
is_over_before (Races *races, const SluiceAccess *a, const SluiceWorkNode *b)
{
  guint frame = sluice_frame_common (races->work, a->node->frame, b->frame);
  if (a->node->frame != frame)
    return reach_out_of_loops (races, a->node, frame, TRUE) && is_reached (races, b);
  return a->effect == SLUICE_EFFECT_READ && is_only_used_before (races, a->node, frame, b);
}

/* ---- pairs ---- */

static void
add_race (Races *races,
          const SluiceEffects *effects,
          const SluiceAccess *a,
          const SluiceAccess *b,
          gboolean between_iterations)
{
  SluiceRace race = { .variable = effects->objects->pdata[a->object],
                      .a = a->node->origin,
                      .b = b->node->origin,
                      .a_writes = a->effect == SLUICE_EFFECT_WRITE,
                      .b_writes = b->effect == SLUICE_EFFECT_WRITE,
                      .between_iterations = between_iterations };
  g_array_append_val (races->races, race);
}

/* May iterations of the loop that the node lies in run at once? */
static gboolean
may_overlap (const Races *races, const SluiceWorkNode *node)
{
  return node->frame != 0
         && g_array_index (races->work->frames, SluiceWorkFrame, node->frame).parallel_iterations
                > 1;
}

/* Marks what follows the node in the next iteration. */
static void
reach_next_iteration (Races *races, const SluiceWorkNode *node)
{
  sluice_uses_reach (races->uses, &node->index, 1, NULL, 0);
  g_autoptr (GArray) merges = find_next_heads (races, node->frame);
  sluice_uses_reach (races->uses, (const guint32 *) merges->data, merges->len, NULL, 0);
}

/* Pairs of accesses i <= k that have been reported: i × n + k. */
static gboolean
is_new (GHashTable *reported, guint i, guint k, guint n)
{
  gint64 key = (gint64) MIN (i, k) * n + MAX (i, k);
  return g_hash_table_add (reported, g_memdup2 (&key, sizeof key));
}

/* The accesses behind number i that conflict with it and that no path within an iteration leads to:
 * their numbers. */
static GArray *
find_open (Races *races, const SluiceAccess *accesses, guint i, guint n)
{
  GArray *open = g_array_new (FALSE, FALSE, sizeof (guint));
  const SluiceAccess *a = &accesses[i];
  guint32 last = races->rank[accesses[n - 1].node->index];
  sluice_uses_reach (races->uses, &a->node->index, 1, races->rank, last);
  for (guint k = i + 1; k < n; k++)
    if (sluice_effects_conflict (a->effect, accesses[k].effect)
        && !is_reached (races, accesses[k].node)
        && !sluice_branches_exclude (races->branches, a->node, accesses[k].node))
      g_array_append_val (open, k);
  return open;
}

/* Accesses of one variable, in topological order. */
static void
look_at (Races *races, const SluiceEffects *effects, const SluiceAccess *accesses, guint n)
{
  g_autoptr (GHashTable) reported =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < n; i++)
    {
      const SluiceAccess *a = &accesses[i];
      if (a->effect == SLUICE_EFFECT_ENQUEUE || a->effect == SLUICE_EFFECT_DEQUEUE)
        continue;
      g_autoptr (GArray) open = find_open (races, accesses, i, n);
      for (guint o = 0; o < open->len; o++)
        {
          guint k = g_array_index (open, guint, o);
          if (!is_over_before (races, a, accesses[k].node)
              && !is_over_before (races, &accesses[k], a->node) && is_new (reported, i, k, n))
            add_race (races, effects, a, &accesses[k], FALSE);
        }
      if (!may_overlap (races, a->node))
        continue;
      reach_next_iteration (races, a->node);
      for (guint k = 0; k < n; k++)
        if (accesses[k].node->frame == a->node->frame
            && sluice_effects_conflict (a->effect, accesses[k].effect)
            && !is_reached (races, accesses[k].node) && is_new (reported, i, k, n))
          add_race (races, effects, a, &accesses[k], TRUE);
    }
}

static void
look_at_all (Races *races)
{
  const SluiceEffects *effects = sluice_analysis_get_effects (races->work);
  const SluiceAccess *accesses = (const SluiceAccess *) effects->accesses->data;
  for (guint i = 0, end; i < effects->accesses->len; i = end)
    {
      gboolean has_write = FALSE;
      for (end = i; end < effects->accesses->len && accesses[end].object == accesses[i].object;
           end++)
        has_write |= accesses[end].effect == SLUICE_EFFECT_WRITE;
      if (has_write)
        look_at (races, effects, accesses + i, end - i);
    }
}

static gboolean
races_init (Races *self, SluiceWork *work, GError **error)
{
  if (!sluice_analysis_find_frames (work, error))
    return FALSE;
  *self = (Races){ .work = work,
                   .order = sluice_analysis_get_order (work, NULL),
                   .rank = g_new0 (guint32, work->nodes->len + 1),
                   .branches = sluice_analysis_get_branches (work),
                   .uses = sluice_analysis_get_uses (work) };
  for (guint i = 0; i < self->order->len; i++)
    self->rank[((SluiceWorkNode *) self->order->pdata[i])->index] = i;
  return TRUE;
}

GArray *
sluice_find_races (SluiceWork *work, GError **error)
{
  Races races;
  sluice_work_sweep (work);
  if (!races_init (&races, work, error))
    return NULL;
  races.races = g_array_new (FALSE, FALSE, sizeof (SluiceRace));
  look_at_all (&races);
  g_free (races.rank);
  return races.races;
}

#define N_AT_ONCE 64

/* Bit i of leads[node]: a path leads from it to writes[i]. */
static void
find_paths (const Races *races, const SluiceAccess *const *writes, guint n, guint64 *leads)
{
  memset (leads, 0, races->work->nodes->len * sizeof *leads);
  for (guint i = races->order->len; i-- > 0;)
    {
      const SluiceWorkNode *node = races->order->pdata[i];
      guint64 there = leads[node->index];
      for (guint w = 0; w < n; w++)
        there |= writes[w]->node == node ? (guint64) 1 << w : 0;
      for (guint k = 0; there != 0 && k < node->n_inputs + node->n_controls; k++)
        {
          const SluiceWorkNode *before = sluice_work_get_before (node, k);
          if (before != NULL)
            leads[before->index] |= there;
        }
    }
}

/* Is the read, in all iterations, over before the write begins? leads: from it to the write */
static gboolean
comes_first (Races *races, const SluiceAccess *read, const SluiceWorkNode *write, gboolean leads)
{
  if (write->frame != 0)
    return FALSE; /* an iteration before may have written */
  return leads || is_over_before (races, read, write);
}

static gboolean
is_of (const SluiceAccess *read, const SluiceAccess *write)
{
  return (read->object == write->object || read->object == SLUICE_ANY_OBJECT)
         && read->node != write->node;
}

/* Of those reads whose variables these write. */
static void
mark_late (Races *races,
           const SluiceAccess *reads,
           guint n_reads,
           const SluiceAccess *const *writes,
           guint n,
           guint64 *leads,
           guint8 *late)
{
  find_paths (races, writes, n, leads);
  for (guint k = 0; k < n_reads; k++)
    for (guint w = 0; w < n && !late[k]; w++)
      late[k] =
          is_of (&reads[k], writes[w])
          && !comes_first (races, &reads[k], writes[w]->node, leads[reads[k].node->index] >> w & 1);
}

guint8 *
sluice_find_late_reads (SluiceWork *work, const SluiceAccess *reads, guint n, GError **error)
{
  Races races;
  if (!races_init (&races, work, error))
    return NULL;
  const SluiceEffects *effects = sluice_analysis_get_effects (work);
  guint8 *late = g_new0 (guint8, n + 1);
  g_autofree guint64 *leads = g_new (guint64, work->nodes->len + 1);
  const SluiceAccess *writes[N_AT_ONCE];
  guint n_writes = 0;
  for (guint i = 0; i < effects->accesses->len; i++)
    {
      const SluiceAccess *access = &g_array_index (effects->accesses, SluiceAccess, i);
      gboolean is_read = FALSE;
      for (guint k = 0; access->effect == SLUICE_EFFECT_WRITE && k < n && !is_read; k++)
        is_read = is_of (&reads[k], access);
      if (is_read)
        writes[n_writes++] = access;
      if (n_writes > 0 && (n_writes == N_AT_ONCE || i + 1 == effects->accesses->len))
        {
          mark_late (&races, reads, n, writes, n_writes, leads, late);
          n_writes = 0;
        }
    }
  g_free (races.rank);
  return late;
}

char *
sluice_race_describe (const SluiceRace *self)
{
  const char *a = self->a_writes ? "writes" : "reads", *b = self->b_writes ? "writes" : "reads";
  if (self->between_iterations)
    return g_strdup_printf (
        "variable '%s': %s '%s' %s it and %s '%s' %s it in iterations of a loop "
        "that may overlap; let the next iteration wait for the first, or set "
        "parallel_iterations=1",
        self->variable->name, self->a->op_name, self->a->name, a, self->b->op_name, self->b->name,
        b);
  return g_strdup_printf ("variable '%s': %s '%s' %s it and %s '%s' %s it, and nothing says which "
                          "comes first; give one of them the other as a control input",
                          self->variable->name, self->a->op_name, self->a->name, a,
                          self->b->op_name, self->b->name, b);
}
