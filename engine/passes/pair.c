/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The gradient of a large parameter is made by one kernel, written to memory, and read by the
 * update, which nobody else does. Where the first can give it in parts and the second take them,
 * the two become one node in the second's place. Who waited for the giver waits for its inputs, as
 * if nobody had read it (unread.c). Not so where one of these may be the memory of a
 * variable: who waited may be about to change it.
 */
#include "engine/passes/passes.h"

/* Elements of a value that is in a near cache anyway. */
#define SMALL 8192

typedef struct
{
  SluiceWork *work;
  SluiceDevice *const *devices;
  int max_rank;
  guint32 *n_readers; /* by index: edges; a fetch or a target counts as two */
  guint8 *is_awaited; /* by index: somebody waits for the node */
  guint8 *goes;       /* by index: became part of a pair */
  guint8 *may_alias;  /* by index; NULL: nobody has asked yet */
} Pair;

static void
count_readers (Pair *pair)
{
  const SluiceWork *work = pair->work;
  for (guint i = 0; i < work->n_fetches; i++)
    if (work->fetches[i].node)
      pair->n_readers[work->fetches[i].node->index] += 2;
  for (guint i = 0; i < work->n_targets; i++)
    pair->n_readers[work->targets[i]->index] += 2;
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      for (guint k = 0; k < node->n_inputs; k++)
        if (node->inputs[k].node)
          pair->n_readers[node->inputs[k].node->index]++;
      for (guint k = 0; k < node->n_controls; k++)
        pair->is_awaited[node->controls[k]->index] = 1;
    }
}

static gboolean
takes_no_reference (const Pair *pair, const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (sluice_dtype_is_ref (sluice_work_dtype (pair->work, node->inputs[i])))
      return FALSE;
  return TRUE;
}

/*
 * Of each node: may a value of its be the memory of a variable? What a reference is read as is, and
 * views of it, and would see a later update; a resource's is, and would be copied before one. Of
 * most kernels nothing is known, but those that give and element-wise ones make memory of their
 * own.
 */
static void
find_aliases (Pair *pair)
{
  SluiceWork *work = pair->work;
  SluiceWorkNode *stuck;
  g_autoptr (GPtrArray) order = sluice_work_sort (work, &stuck);
  pair->may_alias = g_malloc0 (work->nodes->len + 1);
  memset (pair->may_alias, !order, work->nodes->len);
  for (guint i = 0; order && i < order->len; i++)
    {
      const SluiceWorkNode *node = order->pdata[i];
      gboolean reads = !sluice_work_takes_values (work, node), hands_on = FALSE;
      for (guint k = 0; k < node->n_inputs; k++)
        {
          const SluiceWorkNode *from = node->inputs[k].node;
          hands_on |= from && (sluice_work_is_back_edge (from) || pair->may_alias[from->index]);
        }
      const SluiceKernel *kernel =
          hands_on ? sluice_work_find_kernel (node, pair->devices, pair->max_rank) : NULL;
      pair->may_alias[node->index] =
          reads || (hands_on && !(kernel && (kernel->give || kernel->strip)));
    }
}

/* Would it be another value if it were made later than who waits for it runs? */
static gboolean
must_be_early (Pair *pair, const SluiceWorkNode *node)
{
  if (!pair->is_awaited[node->index])
    return FALSE;
  if (!pair->may_alias)
    find_aliases (pair);
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node && pair->may_alias[node->inputs[i].node->index])
      return TRUE;
  return FALSE;
}

/* Does the node's kernel give its value, a large one as far as is known, and is it read once? */
static gboolean
gives (const Pair *pair, const SluiceWorkNode *node)
{
  if (pair->n_readers[node->index] != 1 || !sluice_work_may_go (pair->work, node)
      || node->origin->n_outputs != 1)
    return FALSE;
  gint64 n = sluice_shape_n_elements (&node->origin->outputs[0].shape);
  const SluiceKernel *kernel =
      n >= 0 && n < SMALL ? NULL : sluice_work_find_kernel (node, pair->devices, pair->max_rank);
  return kernel && kernel->give;
}

/* What gives the taker its value in parts. (nullable) */
static SluiceWorkNode *
find_giver (Pair *pair, const SluiceWorkNode *taker, guint input)
{
  SluiceWorkNode *node = taker->inputs[input].node;
  return node && node->device == taker->device && gives (pair, node) && !must_be_early (pair, node)
             ? node
             : NULL;
}

/* Of a region of element-wise nodes: an operand as large as the result that comes in parts. Nobody
 * may wait for who gives it: after partitioning, what a node waits for stays. */
static SluiceWorkNode *
find_operand (const Pair *pair, const SluiceWorkNode *region, guint *input)
{
  const SluiceShape *shape = &region->origin->outputs[0].shape;
  for (guint i = 0; i < region->n_inputs; i++)
    {
      SluiceWorkNode *node = region->inputs[i].node;
      *input = i;
      if (node && node->device == region->device && !pair->is_awaited[node->index]
          && gives (pair, node)
          && sluice_shapes_could_equal (&node->origin->outputs[0].shape, shape))
        return node;
    }
  return NULL;
}

static void
join (Pair *pair, SluiceWorkNode *taker, guint input, SluiceWorkNode *giver)
{
  SluiceWork *work = pair->work;
  SluiceWorkNode *copy = sluice_work_alloc (work, sizeof *copy);
  *copy = *taker;
  taker->kind = SLUICE_WORK_PAIR;
  taker->number = input;
  taker->n_members = 2;
  taker->members = sluice_work_alloc (work, 2 * sizeof (SluiceWorkNode *));
  taker->members[0] = giver;
  taker->members[1] = copy;
  taker->inputs =
      sluice_work_alloc (work, (copy->n_inputs + giver->n_inputs) * sizeof (SluiceWorkEdge));
  taker->n_inputs = 0;
  for (guint i = 0; i < copy->n_inputs; i++)
    if (i != input)
      taker->inputs[taker->n_inputs++] = copy->inputs[i];
  for (guint i = 0; i < giver->n_inputs; i++)
    taker->inputs[taker->n_inputs++] = giver->inputs[i];
  for (guint i = 0; i < giver->n_controls; i++)
    sluice_work_add_control (work, taker, giver->controls[i]);
  pair->goes[giver->index] = 1;
}

/* Whether the node became a pair. */
static gboolean
look_at (Pair *pair, SluiceWorkNode *node)
{
  const SluiceKernel *kernel = sluice_work_find_kernel (node, pair->devices, pair->max_rank);
  SluiceWorkNode *giver = NULL;
  guint input = 0;
  if (node->kind == SLUICE_WORK_FUSED)
    giver = find_operand (pair, node, &input);
  else if (kernel && kernel->taken > 0 && takes_no_reference (pair, node))
    giver = find_giver (pair, node, input = kernel->taken - 1);
  if (giver)
    join (pair, node, input, giver);
  return giver != NULL;
}

static void
pair_all (SluiceWork *work, SluiceDevice *const *devices, int max_rank, gboolean regions)
{
  guint n = work->nodes->len;
  g_autofree guint32 *n_readers = g_new0 (guint32, n + 1);
  g_autofree guint8 *is_awaited = g_new0 (guint8, n + 1);
  g_autofree guint8 *goes = g_new0 (guint8, n + 1);
  Pair pair = { work, devices, max_rank, n_readers, is_awaited, goes, NULL };
  gboolean changed = FALSE;
  count_readers (&pair);
  for (guint i = 0; i < n; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      if (regions == (node->kind == SLUICE_WORK_FUSED))
        changed |= look_at (&pair, node);
    }
  g_free (pair.may_alias);
  if (!changed)
    return;
  sluice_work_wait_for_inputs (work, goes);
  sluice_work_sweep (work);
}

void
sluice_pair (SluiceWork *work, SluiceDevice *const *devices, int max_rank)
{
  pair_all (work, devices, max_rank, FALSE);
}

void
sluice_pair_regions (SluiceWork *work, SluiceDevice *const *devices, int max_rank)
{
  pair_all (work, devices, max_rank, TRUE);
}
