/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The gradient of a large parameter is made by one kernel, written to memory, and read by the
 * update, which nobody else does. Where the first can give it in parts and the second take them,
 * the two become one node in the second's place. Who waited for the giver waits for its inputs, as
 * if nobody had read it (unread.c). Not so where one of these may be the memory of a
 * variable: who waited may be about to change it.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"

/* Elements of a value that is in a near cache anyway. */
#define SMALL 8192

typedef struct
{
  SluiceWork *work;
  guint32 *n_readers;      /* by index: edges; a fetch or a target counts as two */
  guint8 *is_awaited;      /* by index: somebody waits for the node */
  guint8 *goes;            /* by index: became part of a pair */
  const guint8 *may_alias; /* by index; NULL: nobody has asked yet */
} Pair;

static void
count_readers (Pair *pair)
{
  const SluiceUses *uses = sluice_analysis_get_uses (pair->work);
  for (guint i = 0; i < uses->n; i++)
    {
      pair->n_readers[i] = 2 * uses->is_wanted[i];
      for (guint32 k = uses->first[i]; k < uses->first[i + 1]; k++)
        if (uses->users[k] & SLUICE_USE_WAITS)
          pair->is_awaited[i] = 1;
        else
          pair->n_readers[i]++;
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

/* Would it be another value if it were made later than who waits for it runs? */
static gboolean
must_be_early (Pair *pair, const SluiceWorkNode *node)
{
  if (!pair->is_awaited[node->index])
    return FALSE;
  if (!pair->may_alias)
    pair->may_alias = sluice_analysis_get_aliases (pair->work);
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node && pair->may_alias[node->inputs[i].node->index])
      return TRUE;
  return FALSE;
}

/* Does the node's kernel give its value, a large one as far as is known, and is it read once? */
static gboolean
gives (const Pair *pair, SluiceWorkNode *node)
{
  if (pair->n_readers[node->index] != 1 || !sluice_work_may_go (pair->work, node)
      || node->origin->n_outputs != 1)
    return FALSE;
  gint64 n = sluice_shape_n_elements (&node->origin->outputs[0].shape);
  const SluiceKernel *kernel =
      n >= 0 && n < SMALL ? NULL : sluice_work_find_kernel (pair->work, node);
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
  taker->pair.giver = giver;
  taker->pair.taker = copy;
  taker->pair.input = input;
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
  const SluiceKernel *kernel = sluice_work_find_kernel (pair->work, node);
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
pair_all (SluiceWork *work, gboolean regions)
{
  guint n = work->nodes->len;
  g_autofree guint32 *n_readers = g_new0 (guint32, n + 1);
  g_autofree guint8 *is_awaited = g_new0 (guint8, n + 1);
  g_autofree guint8 *goes = g_new0 (guint8, n + 1);
  Pair pair = { work, n_readers, is_awaited, goes, NULL };
  gboolean changed = FALSE;
  count_readers (&pair);
  for (guint i = 0; i < n; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      if (regions == (node->kind == SLUICE_WORK_FUSED))
        changed |= look_at (&pair, node);
    }
  if (!changed)
    return;
  sluice_work_wait_for_inputs (work, goes);
  sluice_work_sweep (work);
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  pair_all (work, FALSE);
  return TRUE;
}

static gboolean
run_regions (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  pair_all (work, TRUE);
  return TRUE;
}

const SluicePass sluice_pass_pair = {
  .name = "pair",
  .summary = N_ ("A kernel that takes a value in parts and the one that gives it become one node"),
  .enabled = SLUICE_PASS_OPTIMIZE | SLUICE_PASS_LEAVE_OUT | SLUICE_PASS_FUSE,
  .requires = SLUICE_FACT_PRUNED,
  .excludes = SLUICE_FACT_PARTITIONED,
  .run = run,
};

const SluicePass sluice_pass_pair_regions = {
  .name = "pair-regions",
  .summary = N_ ("The same where a region of element-wise nodes takes the value"),
  .enabled = SLUICE_PASS_OPTIMIZE | SLUICE_PASS_LEAVE_OUT | SLUICE_PASS_FUSE,
  .requires = SLUICE_FACT_FUSED,
  .run = run_regions,
};
