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
#include "engine/passes/effects.h"

/* What must have been decided how for a node to run: pairs of Switch predicate and side. */
typedef struct
{
  guint n;
  guint32 needs[]; /* number of the predicate × 2 + side; sorted */
} Needs;

typedef struct
{
  SluiceWork *work;
  const GPtrArray *order;
  guint32 *rank;       /* by work index */
  const Needs **needs; /* by work index; NULL: runs in any case */
  GHashTable *preds;   /* (node, port) of a predicate -> number + 1 */
  GArray *pred_frames; /* of guint: by number */
  SluiceReaders readers;
  GArray *races;
} Races;

/* ---- branches ---- */

static const Needs *
join (Races *races, const Needs *a, const Needs *b)
{
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  Needs *both =
      sluice_work_alloc (races->work, sizeof (Needs) + ((gsize) a->n + b->n) * sizeof (guint32));
  guint i = 0, k = 0;
  while (i < a->n || k < b->n)
    {
      guint32 x = i < a->n ? a->needs[i] : G_MAXUINT32, y = k < b->n ? b->needs[k] : G_MAXUINT32;
      both->needs[both->n++] = MIN (x, y);
      i += x <= y;
      k += y <= x;
    }
  return both;
}

/* What both need: a Merge runs with either. */
static const Needs *
meet (Races *races, const Needs *a, const Needs *b)
{
  if (!a || !b || a == b)
    return a == b ? a : NULL;
  Needs *common = sluice_work_alloc (races->work, sizeof (Needs) + (gsize) a->n * sizeof (guint32));
  for (guint i = 0, k = 0; i < a->n && k < b->n;)
    {
      if (a->needs[i] == b->needs[k])
        common->needs[common->n++] = a->needs[i];
      guint32 x = a->needs[i], y = b->needs[k];
      i += x <= y;
      k += y <= x;
    }
  return common->n ? common : NULL;
}

/* The predicate without the Identity nodes in front of it. */
static guint32
number_of_pred (Races *races, SluiceWorkEdge pred)
{
  while (pred.node && sluice_work_role (pred.node) == SLUICE_ROLE_IDENTITY)
    pred = pred.node->inputs[0];
  gpointer key = pred.node ? (gpointer) ((gsize) pred.node | (gsize) (pred.port & 7))
                           : GUINT_TO_POINTER (2 * (guint) pred.port + 1);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (races->preds, key));
  if (!number)
    {
      number = g_hash_table_size (races->preds) + 1;
      guint frame = pred.node ? pred.node->output_frame : 0;
      g_array_append_val (races->pred_frames, frame);
      g_hash_table_insert (races->preds, key, GUINT_TO_POINTER (number));
    }
  return number - 1;
}

static const Needs *
needs_of_edge (Races *races, SluiceWorkEdge edge)
{
  const SluiceWorkNode *before = edge.node;
  if (!before || sluice_work_is_back_edge (before))
    return NULL;
  const Needs *needs = races->needs[before->index];
  if (sluice_work_role (before) != SLUICE_ROLE_SWITCH || before->n_inputs < 2)
    return needs;
  Needs *own = sluice_work_alloc (races->work, sizeof (Needs) + sizeof (guint32));
  own->n = 1;
  own->needs[0] = 2 * number_of_pred (races, before->inputs[1]) + (guint32) (edge.port & 1);
  return join (races, needs, own);
}

/* Behind an Exit: how often its loop has gone on says nothing any more. */
static const Needs *
leave_loop (Races *races, const Needs *needs, guint loop)
{
  if (!needs)
    return NULL;
  Needs *kept =
      sluice_work_alloc (races->work, sizeof (Needs) + (gsize) needs->n * sizeof (guint32));
  for (guint i = 0; i < needs->n; i++)
    if (g_array_index (races->pred_frames, guint, needs->needs[i] / 2) != loop)
      kept->needs[kept->n++] = needs->needs[i];
  return kept->n ? kept : NULL;
}

static void
find_needs (Races *races)
{
  for (guint i = 0; i < races->order->len; i++)
    {
      SluiceWorkNode *node = races->order->pdata[i];
      gboolean merges = sluice_work_role (node) == SLUICE_ROLE_MERGE;
      const Needs *needs = NULL;
      for (guint k = 0; k < node->n_inputs; k++)
        {
          const Needs *input = needs_of_edge (races, node->inputs[k]);
          needs = !merges || k == 0 ? join (races, needs, input) : meet (races, needs, input);
        }
      if (sluice_work_role (node) != SLUICE_ROLE_CONTROL_TRIGGER)
        for (guint k = 0; k < node->n_controls; k++)
          needs = join (races, needs, needs_of_edge (races, (SluiceWorkEdge){ node->controls[k] }));
      if (sluice_work_role (node) == SLUICE_ROLE_EXIT)
        needs = leave_loop (races, needs, node->frame);
      races->needs[node->index] = needs;
    }
}

static gboolean
exclude_each_other (const Needs *a, const Needs *b)
{
  for (guint i = 0; a && i < a->n; i++)
    for (guint k = 0; b && k < b->n; k++)
      if (a->needs[i] == (b->needs[k] ^ 1))
        return TRUE;
  return FALSE;
}

/* ---- out of loops ---- */

static gboolean
is_reached (const Races *races, const SluiceWorkNode *node)
{
  return races->readers.seen[node->index] == races->readers.round;
}

/* Does it run only in iterations that another one follows? */
static gboolean
needs_next_iteration (Races *races, const SluiceWorkNode *node, guint loop)
{
  const Needs *needs = races->needs[node->index];
  for (guint i = 0; needs && i < races->order->len; i++)
    {
      SluiceWorkNode *cond = races->order->pdata[i];
      if (cond->frame != loop || sluice_work_role (cond) != SLUICE_ROLE_LOOP_COND)
        continue;
      guint32 goes_on = 2 * number_of_pred (races, (SluiceWorkEdge){ cond }) + 1;
      for (guint k = 0; k < needs->n; k++)
        if (needs->needs[k] == goes_on)
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
  sluice_readers_reach (&races->readers, &head, 1, NULL, 0);
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
      sluice_readers_reach (&races->readers, (const guint32 *) from->data, from->len, NULL, 0);
      g_autoptr (GArray) heads = find_next_heads (races, loop);
      for (guint i = 0; i < heads->len; i++)
        if (!all || carries (races, g_array_index (heads, guint32, i), loop))
          g_array_append_val (from, g_array_index (heads, guint32, i));
    }
  sluice_readers_reach (&races->readers, (const guint32 *) from->data, from->len, NULL, 0);
  return TRUE;
}

/* By whoever asked for the run. */
static gboolean
is_wanted (const Races *races, const SluiceWorkNode *node)
{
  for (guint i = 0; i < races->work->n_fetches; i++)
    if (races->work->fetches[i].node == node)
      return TRUE;
  for (guint i = 0; i < races->work->n_targets; i++)
    if (races->work->targets[i] == node)
      return TRUE;
  return FALSE;
}

/* Is whoever looks at the node's value in loops inside its frame, and there done with it before the
 * loop is left to b? Where such a loop ends at once nobody has looked. */
static gboolean
is_only_used_before (Races *races, const SluiceWorkNode *node, guint frame, const SluiceWorkNode *b)
{
  if (is_wanted (races, node))
    return FALSE;
  gboolean is_used = FALSE;
  for (guint32 i = races->readers.first[node->index]; i < races->readers.first[node->index + 1];
       i++)
    {
      const SluiceWorkNode *user = races->work->nodes->pdata[races->readers.readers[i]];
      gboolean takes_value = FALSE;
      for (guint k = 0; k < user->n_inputs; k++)
        takes_value |= user->inputs[k].node == node;
      SluiceRole role = sluice_work_role (user);
      if (!takes_value)
        continue;
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
  sluice_readers_reach (&races->readers, &node->index, 1, NULL, 0);
  g_autoptr (GArray) merges = find_next_heads (races, node->frame);
  sluice_readers_reach (&races->readers, (const guint32 *) merges->data, merges->len, NULL, 0);
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
  sluice_readers_reach (&races->readers, &a->node->index, 1, races->rank, last);
  for (guint k = i + 1; k < n; k++)
    if (sluice_effects_conflict (a->effect, accesses[k].effect)
        && !is_reached (races, accesses[k].node)
        && !exclude_each_other (races->needs[a->node->index],
                                races->needs[accesses[k].node->index]))
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

GArray *
sluice_find_races (SluiceWork *work, GError **error)
{
  SluiceWorkNode *stuck;
  sluice_work_sweep (work);
  g_autoptr (GPtrArray) order = sluice_work_sort (work, &stuck);
  if (!order)
    {
      sluice_work_fail_cycle (stuck, error);
      return NULL;
    }
  if (!sluice_find_frames (work, order, error))
    return NULL;
  guint n = work->nodes->len;
  g_autofree guint32 *rank = g_new0 (guint32, n + 1);
  g_autofree const Needs **needs = g_new0 (const Needs *, n + 1);
  g_autoptr (GHashTable) preds = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) pred_frames = g_array_new (FALSE, FALSE, sizeof (guint));
  Races races = { .work = work,
                  .order = order,
                  .rank = rank,
                  .needs = needs,
                  .preds = preds,
                  .pred_frames = pred_frames,
                  .races = g_array_new (FALSE, FALSE, sizeof (SluiceRace)) };
  for (guint i = 0; i < order->len; i++)
    rank[((SluiceWorkNode *) order->pdata[i])->index] = i;
  find_needs (&races);
  sluice_readers_init (&races.readers, work);
  SluiceEffects effects;
  sluice_effects_find (&effects, work, order);
  const SluiceAccess *accesses = (const SluiceAccess *) effects.accesses->data;
  for (guint i = 0, end; i < effects.accesses->len; i = end)
    {
      gboolean has_write = FALSE;
      for (end = i; end < effects.accesses->len && accesses[end].object == accesses[i].object;
           end++)
        has_write |= accesses[end].effect == SLUICE_EFFECT_WRITE;
      if (has_write)
        look_at (&races, &effects, accesses + i, end - i);
    }
  sluice_effects_clear (&effects);
  sluice_readers_clear (&races.readers);
  return races.races;
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
