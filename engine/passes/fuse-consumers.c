/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Fusion of a consumer into its producer. The gradient of a large parameter is made by one kernel,
 * written to memory, and read by the update, which nobody else does: it crosses the memory bus
 * twice, and the peak holds the whole of it. Where the producer's kernel can make the value in
 * parts (SluiceKernel.produce) and the consumer's can use them as they come
 * (SluiceKernel.consumed), the two become one node in the consumer's place, and a part is in the
 * first or second cache when it is read. A value of less than SMALL elements is there anyway.
 *
 * The producer runs later then than it would have: when its consumer is ready. Who waited for it
 * waits for its inputs instead, as if nobody had read it (unread.c). Not so where one of these may
 * be the memory of a variable: who waited may be about to change it, and the value would be
 * another. A value that two read, or that is fetched, is made whole.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"

/* Elements of a value that stays in the second cache between two kernels anyway. */
#define SMALL 8192

typedef struct
{
  SluiceWork *work;
  guint32 *n_readers;      /* by index: edges; a fetch or a target counts as two */
  guint8 *is_awaited;      /* by index: somebody waits for the node */
  guint8 *goes;            /* by index: was fused into its consumer */
  const guint8 *may_alias; /* by index; NULL: nobody has asked yet */
} Search;

static void
count_readers (Search *search)
{
  const SluiceUses *uses = sluice_analysis_get_uses (search->work);
  for (guint i = 0; i < uses->n; i++)
    {
      search->n_readers[i] = 2 * uses->is_wanted[i];
      for (guint32 k = uses->first[i]; k < uses->first[i + 1]; k++)
        if (uses->users[k] & SLUICE_USE_WAITS)
          search->is_awaited[i] = 1;
        else
          search->n_readers[i]++;
    }
}

static gboolean
takes_no_reference (const Search *search, const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (sluice_dtype_is_ref (sluice_work_dtype (search->work, node->inputs[i])))
      return FALSE;
  return TRUE;
}

/* Would it be another value if it were made later than who waits for it runs? */
static gboolean
must_be_early (Search *search, const SluiceWorkNode *node)
{
  if (!search->is_awaited[node->index])
    return FALSE;
  if (!search->may_alias)
    search->may_alias = sluice_analysis_get_aliases (search->work);
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node && search->may_alias[node->inputs[i].node->index])
      return TRUE;
  return FALSE;
}

/* Can its kernel make the value in parts, is that large as far as is known, and is it read once? */
static gboolean
can_produce (const Search *search, SluiceWorkNode *node)
{
  if (search->n_readers[node->index] != 1 || !sluice_work_may_go (search->work, node)
      || node->origin->n_outputs != 1)
    return FALSE;
  gint64 n = sluice_shape_n_elements (&node->origin->outputs[0].shape);
  const SluiceKernel *kernel =
      n >= 0 && n < SMALL ? NULL : sluice_work_find_kernel (search->work, node);
  return kernel && kernel->produce;
}

/* What makes the consumer's value in parts. (nullable) */
static SluiceWorkNode *
find_producer (Search *search, const SluiceWorkNode *consumer, guint input)
{
  SluiceWorkNode *node = consumer->inputs[input].node;
  return node && node->device == consumer->device && can_produce (search, node)
                 && !must_be_early (search, node)
             ? node
             : NULL;
}

/* Of a region of element-wise nodes: an operand as large as the result that comes in parts. Nobody
 * may wait for who makes it: after partitioning, what a node waits for stays. */
static SluiceWorkNode *
find_operand (const Search *search, const SluiceWorkNode *region, guint *input)
{
  const SluiceShape *shape = &region->origin->outputs[0].shape;
  for (guint i = 0; i < region->n_inputs; i++)
    {
      SluiceWorkNode *node = region->inputs[i].node;
      *input = i;
      if (node && node->device == region->device && !search->is_awaited[node->index]
          && can_produce (search, node)
          && sluice_shapes_could_equal (&node->origin->outputs[0].shape, shape))
        return node;
    }
  return NULL;
}

static void
join (Search *search, SluiceWorkNode *consumer, guint input, SluiceWorkNode *producer)
{
  SluiceWork *work = search->work;
  SluiceWorkNode *copy = sluice_work_alloc (work, sizeof *copy);
  *copy = *consumer;
  consumer->kind = SLUICE_WORK_FUSED_CONSUMER;
  consumer->fused_consumer.producer = producer;
  consumer->fused_consumer.consumer = copy;
  consumer->fused_consumer.input = input;
  consumer->inputs =
      sluice_work_alloc (work, (copy->n_inputs + producer->n_inputs) * sizeof (SluiceWorkEdge));
  consumer->n_inputs = 0;
  for (guint i = 0; i < copy->n_inputs; i++)
    if (i != input)
      consumer->inputs[consumer->n_inputs++] = copy->inputs[i];
  for (guint i = 0; i < producer->n_inputs; i++)
    consumer->inputs[consumer->n_inputs++] = producer->inputs[i];
  for (guint i = 0; i < producer->n_controls; i++)
    sluice_work_add_control (work, consumer, producer->controls[i]);
  search->goes[producer->index] = 1;
}

/* Whether the node became a search. */
static gboolean
look_at (Search *search, SluiceWorkNode *node)
{
  const SluiceKernel *kernel = sluice_work_find_kernel (search->work, node);
  SluiceWorkNode *producer = NULL;
  guint input = 0;
  if (node->kind == SLUICE_WORK_FUSED)
    producer = find_operand (search, node, &input);
  else if (kernel && !node->is_kept && kernel->consumed > 0 && takes_no_reference (search, node))
    producer = find_producer (search, node, input = kernel->consumed - 1);
  if (producer)
    join (search, node, input, producer);
  return producer != NULL;
}

static void
fuse_all (SluiceWork *work, gboolean regions)
{
  guint n = work->nodes->len;
  g_autofree guint32 *n_readers = g_new0 (guint32, n + 1);
  g_autofree guint8 *is_awaited = g_new0 (guint8, n + 1);
  g_autofree guint8 *goes = g_new0 (guint8, n + 1);
  Search search = { work, n_readers, is_awaited, goes, NULL };
  gboolean changed = FALSE;
  count_readers (&search);
  for (guint i = 0; i < n; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      if (regions == (node->kind == SLUICE_WORK_FUSED))
        changed |= look_at (&search, node);
    }
  if (!changed)
    return;
  sluice_work_wait_for_inputs (work, goes);
  sluice_work_sweep (work);
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  fuse_all (work, FALSE);
  return TRUE;
}

static gboolean
run_regions (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  fuse_all (work, TRUE);
  return TRUE;
}

const SluicePass sluice_pass_fuse_consumers = {
  .name = "fuse-consumers",
  .summary = N_ ("The kernel that makes a value and the only one that consumes it become one node"),
  .enabled = SLUICE_PASS_OPTIMIZE | SLUICE_PASS_LEAVE_OUT | SLUICE_PASS_FUSE,
  .requires = SLUICE_FACT_PRUNED,
  .excludes = SLUICE_FACT_PARTITIONED,
  .run = run,
};

const SluicePass sluice_pass_fuse_region_consumers = {
  .name = "fuse-region-consumers",
  .summary = N_ ("The same where a region of element-wise nodes consumes the value"),
  .enabled = SLUICE_PASS_OPTIMIZE | SLUICE_PASS_LEAVE_OUT | SLUICE_PASS_FUSE,
  .requires = SLUICE_FACT_FUSED,
  .run = run_regions,
};
