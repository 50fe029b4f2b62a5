/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Fusion of element-wise nodes. One by one, each of them reads its operands from memory and writes
 * its value there, and those of a training step are mostly larger than the caches: the memory bus
 * sets the time. As one region, a strip of elements passes through all of them while it is in the
 * first cache (plan/fused.c), and only what others read is written.
 *
 * Nodes of one shape that read each other, or one value, become a region, by union-find. It runs
 * where the last of them stood in the order of the schedule. That is possible where all that read
 * it from outside stand behind, or can go there (delay_readers()), and then the order stays one: no
 * path leaves a region and comes back. So every question of cycles is one of positions, and none is
 * a walk over the graph. It costs little memory besides: what a region makes late would have lain
 * there until it is read.
 *
 * Whoever reads a value from outside must get it, or a dead one, as if its node ran alone: what
 * comes out of a region waits for what the whole region waits for (condition.c). Members of another
 * branch, or that wait for a queue, would make others wait that did not.
 *
 * The bits are those of the nodes alone: the same loops run, on shorter arrays.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"

#define NOBODY G_MAXUINT32

/* Regions that read one value become one where no more than so many nodes of the schedule lie
 * between their ends: the first one's operands live that much longer. */
#define WINDOW 64

/* Regions that are looked at for one value that they read. */
#define SIBLINGS 16

typedef struct
{
  SluiceWork *work;
  GPtrArray *order;
  const SluiceUses *uses;
  const guint32 *conditions; /* by index */
  guint8 *fits;              /* by index: element-wise */
  guint32 *position;         /* by index: in the order; in the end the number of the output */
  guint32 *parent;           /* by index: union-find; a root is the last node of its region */
  guint32 *next;             /* by index: another member; NOBODY: none */
  guint8 *is_late;           /* by index: scratch of delay_readers() */
  guint8 *n_members;         /* by root */
  guint8 *n_outputs;         /* by root */
  SluiceWorkRegion *regions; /* by root: of several */
} Fuse;

/* An operand that is as large as the result, one element, or a vector along its last dimension. */
static gboolean
operand_fits (const SluiceShape *operand, const SluiceShape *result)
{
  if (operand->rank < 0 || sluice_shapes_could_equal (operand, result))
    return operand->rank >= 0;
  if (sluice_shape_n_elements (operand) == 1)
    return operand->rank <= result->rank;
  return operand->rank == 1 && result->rank > 1 && operand->dim[0] > 0
         && operand->dim[0] == result->dim[result->rank - 1];
}

static gboolean
is_elementwise (const Fuse *fuse, const SluiceWorkNode *node, const SluiceKernel *kernel)
{
  SluiceStrip strip;
  if (!kernel->strip || node->origin->n_outputs != 1 || node->n_inputs == 0)
    return FALSE;
  const SluiceOutput *output = &node->origin->outputs[0];
  if (output->shape.rank < 0 || sluice_dtype_is_ref (output->dtype))
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (sluice_dtype_is_ref (sluice_work_dtype (fuse->work, node->inputs[i])))
      return FALSE;
  if (!kernel->strip (kernel, node->origin, &strip) || strip.n_operands != node->n_inputs
      || node->n_inputs > SLUICE_STRIP_OPERANDS)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (!operand_fits (sluice_edge_shape (node->origin->inputs[i]), &output->shape))
      return FALSE;
  return TRUE;
}

static void
look_at_nodes (Fuse *fuse)
{
  SluiceWork *work = fuse->work;
  for (guint i = 0; i < work->nodes->len; i++)
    {
      fuse->parent[i] = i;
      fuse->next[i] = NOBODY;
      fuse->n_members[i] = 1;
      const SluiceKernel *kernel = sluice_work_find_kernel (work, work->nodes->pdata[i]);
      const SluiceWorkNode *node = work->nodes->pdata[i];
      fuse->fits[i] = kernel && !node->is_kept && is_elementwise (fuse, node, kernel);
    }
  for (guint i = 0; i < fuse->order->len; i++)
    {
      const SluiceWorkNode *node = fuse->order->pdata[i];
      if (sluice_work_has (fuse->work, node))
        fuse->position[node->index] = i;
    }
}

/* ---- regions ---- */

static guint32
root_of (Fuse *fuse, guint32 i)
{
  while (fuse->parent[i] != i)
    i = fuse->parent[i] = fuse->parent[fuse->parent[i]];
  return i;
}

static inline const SluiceWorkNode *
node_at (const Fuse *fuse, guint32 i)
{
  return fuse->work->nodes->pdata[i];
}

/* Could the node, or the region that it is the last of, become part of the region? */
static gboolean
are_alike (const Fuse *fuse, guint32 i, guint32 root)
{
  const SluiceWorkNode *a = node_at (fuse, i), *b = node_at (fuse, root);
  return fuse->fits[i] && fuse->fits[root] && a->device == b->device && a->frame == b->frame
         && sluice_shapes_could_equal (&a->origin->outputs[0].shape, &b->origin->outputs[0].shape)
         && fuse->n_members[i] + fuse->n_members[root] <= SLUICE_FUSED_MEMBERS;
}

/* Does somebody outside of both regions read it? before: *before is where the first of them stands,
 * if that is earlier. */
static gboolean
is_read_outside (Fuse *fuse, guint32 i, guint32 one, guint32 other, guint32 *before)
{
  gboolean is_read = fuse->uses->is_wanted[i];
  for (guint32 k = fuse->uses->first[i]; k < fuse->uses->first[i + 1]; k++)
    {
      guint32 root = root_of (fuse, fuse->uses->users[k] & ~SLUICE_USE_WAITS);
      if (root == one || root == other)
        continue;
      is_read = TRUE;
      *before = MIN (*before, fuse->position[root]);
    }
  return is_read;
}

static void
join (Fuse *fuse, guint32 root, guint32 into)
{
  guint32 last = root;
  while (fuse->next[last] != NOBODY)
    last = fuse->next[last];
  fuse->next[last] = fuse->next[into];
  fuse->next[into] = root;
  fuse->parent[root] = into;
  fuse->n_members[into] += fuse->n_members[root];
}

/* Does the node, a member of region b where it is one, wait for what moves, or for region a? */
static gboolean
waits_for_late (Fuse *fuse, guint32 i, guint32 a, guint32 b)
{
  const SluiceWorkNode *node = node_at (fuse, i);
  gboolean in_b = root_of (fuse, i) == b;
  for (guint k = 0; k < node->n_inputs + node->n_controls; k++)
    {
      const SluiceWorkNode *from = sluice_work_get_before (node, k);
      if (!from)
        continue;
      guint32 root = root_of (fuse, from->index);
      if (fuse->is_late[from->index] || fuse->is_late[root] || (root == a && !in_b))
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_late (Fuse *fuse, guint32 i, guint32 a, guint32 b)
{
  if (fuse->parent[i] != i)
    return waits_for_late (fuse, i, a, b);
  for (; i != NOBODY; i = fuse->next[i])
    if (fuse->is_late[i] || waits_for_late (fuse, i, a, b))
      return TRUE;
  return FALSE;
}

/* Lets what reads region a, directly or not, and stands before the end of region b go behind that.
 * FALSE where b waits for some of it: then nothing changes. */
static gboolean
delay_readers (Fuse *fuse, guint32 a, guint32 b)
{
  gpointer late[WINDOW], *order = fuse->order->pdata;
  guint32 from = fuse->position[a] + 1, to = fuse->position[b];
  guint n_late = 0;
  gboolean ok = TRUE;
  for (guint32 p = from; p <= to && ok; p++)
    {
      const SluiceWorkNode *node = order[p];
      if (!sluice_work_has (fuse->work, node) || !is_late (fuse, node->index, a, b))
        continue;
      ok = root_of (fuse, node->index) != b;
      fuse->is_late[node->index] = 1;
      late[n_late++] = order[p];
    }
  for (guint32 p = from, at = from; p <= to && ok; p++)
    {
      const SluiceWorkNode *node = order[p];
      if (!sluice_work_has (fuse->work, node) || !fuse->is_late[node->index])
        order[at++] = order[p];
    }
  for (guint i = 0; i < n_late; i++)
    {
      fuse->is_late[((const SluiceWorkNode *) late[i])->index] = 0;
      if (ok)
        order[to + 1 - n_late + i] = late[i];
    }
  for (guint32 p = from; p <= to && ok; p++)
    if (sluice_work_has (fuse->work, order[p]))
      fuse->position[((const SluiceWorkNode *) order[p])->index] = p;
  return ok;
}

/* The second region, which ends later, takes the first one in, where that is possible. */
static gboolean
merge_regions (Fuse *fuse, guint32 a, guint32 b)
{
  guint n_outputs = 0;
  guint32 before = NOBODY, ignored = NOBODY;
  if (!are_alike (fuse, a, b) || fuse->conditions[a] != fuse->conditions[b]
      || fuse->position[b] - fuse->position[a] > WINDOW)
    return FALSE;
  for (guint32 i = a; i != NOBODY; i = fuse->next[i])
    n_outputs += is_read_outside (fuse, i, a, b, &before);
  for (guint32 i = b; i != NOBODY; i = fuse->next[i])
    n_outputs += is_read_outside (fuse, i, a, b, &ignored);
  if (n_outputs > SLUICE_FUSED_OUTPUTS
      || (before < fuse->position[b] && !delay_readers (fuse, a, b)))
    return FALSE;
  join (fuse, a, b);
  fuse->n_outputs[b] = n_outputs;
  return TRUE;
}

/* Into the region of whoever reads the node first. */
static void
join_reader (Fuse *fuse, guint32 i)
{
  guint32 first = NOBODY, ignored = NOBODY;
  gboolean takes = FALSE;
  for (guint32 k = fuse->uses->first[i]; k < fuse->uses->first[i + 1]; k++)
    {
      guint32 root = root_of (fuse, fuse->uses->users[k] & ~SLUICE_USE_WAITS);
      if (first == NOBODY || fuse->position[root] < fuse->position[first])
        {
          first = root;
          takes = FALSE;
        }
      takes |= root == first && !(fuse->uses->users[k] & SLUICE_USE_WAITS);
    }
  fuse->n_outputs[i] = 1;
  if (!takes || !are_alike (fuse, i, first))
    return;
  gboolean is_output = is_read_outside (fuse, i, first, first, &ignored);
  if (is_output
      && (fuse->conditions[i] != fuse->conditions[first]
          || fuse->n_outputs[first] == SLUICE_FUSED_OUTPUTS))
    return;
  fuse->n_outputs[first] += is_output;
  join (fuse, i, first);
}

/* Regions that read one value, which lies in the first cache then, become one; with the node that
 * makes it, where that has no region yet. */
static void
merge_readers (Fuse *fuse, guint32 i)
{
  guint32 roots[SIBLINGS];
  guint n = 0;
  for (guint32 k = fuse->uses->first[i]; k < fuse->uses->first[i + 1]; k++)
    {
      guint32 reader = fuse->uses->users[k], root = root_of (fuse, reader & ~SLUICE_USE_WAITS);
      guint at = 0;
      if (reader & SLUICE_USE_WAITS || !fuse->fits[root])
        continue;
      while (at < n && fuse->position[roots[at]] < fuse->position[root])
        at++;
      if (at < n && roots[at] == root)
        continue;
      if (n == SIBLINGS)
        return;
      memmove (roots + at + 1, roots + at, (n - at) * sizeof *roots);
      roots[at] = root;
      n++;
    }
  for (guint k = 0; k + 1 < n; k++)
    merge_regions (fuse, roots[k], roots[k + 1]);
  for (guint k = 0; k < n && fuse->n_members[i] == 1 && fuse->parent[i] == i; k++)
    merge_regions (fuse, i, root_of (fuse, roots[k]));
}

/* Readers come first: where a node is looked at, all that read it have their region. */
static void
grow_regions (Fuse *fuse)
{
  for (guint i = fuse->order->len; i-- > 0;)
    {
      const SluiceWorkNode *node = fuse->order->pdata[i];
      if (!sluice_work_has (fuse->work, node))
        continue;
      if (fuse->fits[node->index])
        join_reader (fuse, node->index);
      merge_readers (fuse, node->index);
    }
}

/* ---- what becomes of them ---- */

static gboolean
has_edge (const SluiceWorkEdge *edges, guint n, SluiceWorkEdge edge)
{
  for (guint i = 0; i < n; i++)
    if (edges[i].node == edge.node && edges[i].port == edge.port)
      return TRUE;
  return FALSE;
}

static gboolean
is_inside (Fuse *fuse, const SluiceWorkNode *node, guint32 root)
{
  return node && root_of (fuse, node->index) == root;
}

/* Of each region of several: its members, in order. */
static void
gather_members (Fuse *fuse)
{
  for (guint i = 0; i < fuse->order->len; i++)
    {
      SluiceWorkNode *node = fuse->order->pdata[i];
      if (!sluice_work_has (fuse->work, node))
        continue;
      guint32 root = root_of (fuse, node->index);
      SluiceWorkRegion *region = &fuse->regions[root];
      guint n = fuse->n_members[root];
      if (n < 2)
        continue;
      if (!region->members)
        region->members = sluice_work_alloc (fuse->work, n * sizeof (SluiceWorkNode *));
      region->members[region->n_members++] = node;
    }
}

/* fuse->position becomes the number of a member's output. */
static void
list_outputs (Fuse *fuse, guint32 root)
{
  SluiceWorkRegion *region = &fuse->regions[root];
  guint n = fuse->n_outputs[root];
  region->outputs = sluice_work_alloc (fuse->work, n * sizeof (SluiceWorkNode *));
  for (guint i = 0; i < region->n_members; i++)
    {
      guint32 ignored = NOBODY, index = region->members[i]->index;
      if (!is_read_outside (fuse, index, root, root, &ignored))
        continue;
      g_assert (region->n_outputs < n);
      fuse->position[index] = region->n_outputs;
      region->outputs[region->n_outputs++] = region->members[i];
    }
}

/* The same value as an output of the region, where the node is in one and `reader` is not. */
static void
redirect (Fuse *fuse, guint32 reader, SluiceWorkEdge *edge)
{
  guint32 root = edge->node ? root_of (fuse, edge->node->index) : NOBODY;
  if (!edge->node || fuse->n_members[root] < 2
      || (reader != NOBODY && root_of (fuse, reader) == root))
    return;
  *edge =
      (SluiceWorkEdge){ fuse->work->nodes->pdata[root], (int) fuse->position[edge->node->index] };
}

/* What is in a region may be waited for by several of its names now: once is enough. */
static void
redirect_controls (Fuse *fuse, SluiceWorkNode *node)
{
  guint n = 0;
  for (guint k = 0; k < node->n_controls; k++)
    {
      SluiceWorkEdge edge = { node->controls[k], 0 };
      redirect (fuse, node->index, &edge);
      gboolean is_there = FALSE;
      if (fuse->n_members[root_of (fuse, edge.node->index)] > 1)
        for (guint i = 0; i < n && !is_there; i++)
          is_there = node->controls[i] == edge.node;
      if (!is_there)
        node->controls[n++] = edge.node;
    }
  node->n_controls = n;
}

static void
redirect_readers (Fuse *fuse)
{
  SluiceWork *work = fuse->work;
  for (guint i = 0; i < work->nodes->len; i++)
    {
      SluiceWorkNode *node = work->nodes->pdata[i];
      for (guint k = 0; k < node->n_inputs; k++)
        redirect (fuse, i, &node->inputs[k]);
      redirect_controls (fuse, node);
    }
  for (guint i = 0; i < work->n_fetches; i++)
    redirect (fuse, NOBODY, &work->fetches[i]);
  for (guint i = 0; i < work->n_targets; i++)
    {
      SluiceWorkEdge edge = { work->targets[i], 0 };
      redirect (fuse, NOBODY, &edge);
      work->targets[i] = edge.node;
    }
}

/* The last node of a region becomes the fused one. */
static void
fuse_region (Fuse *fuse, guint32 root)
{
  SluiceWork *work = fuse->work;
  SluiceWorkRegion *region = &fuse->regions[root];
  SluiceWorkNode *last = work->nodes->pdata[root], *copy = sluice_work_alloc (work, sizeof *copy);
  guint n = 0;
  *copy = *last;
  region->members[region->n_members - 1] = copy;
  if (region->outputs[region->n_outputs - 1] == last)
    region->outputs[region->n_outputs - 1] = copy;
  for (guint i = 0; i < region->n_members; i++)
    n += region->members[i]->n_inputs;
  last->kind = SLUICE_WORK_FUSED;
  last->region = *region;
  last->inputs = sluice_work_alloc (work, n * sizeof (SluiceWorkEdge));
  last->n_inputs = last->n_controls = 0;
  for (guint i = 0; i < region->n_members; i++)
    {
      const SluiceWorkNode *member = region->members[i];
      for (guint k = 0; k < member->n_inputs; k++)
        if (!is_inside (fuse, member->inputs[k].node, root)
            && !has_edge (last->inputs, last->n_inputs, member->inputs[k]))
          last->inputs[last->n_inputs++] = member->inputs[k];
      for (guint k = 0; k < member->n_controls; k++)
        if (!is_inside (fuse, member->controls[k], root))
          sluice_work_add_control (work, last, member->controls[k]);
    }
}

static void
fuse_regions (Fuse *fuse)
{
  guint n = fuse->work->nodes->len;
  gboolean changed = FALSE;
  gather_members (fuse);
  for (guint32 i = 0; i < n; i++)
    if (fuse->regions[i].members)
      {
        list_outputs (fuse, i);
        changed = TRUE;
      }
  if (!changed)
    return;
  redirect_readers (fuse);
  for (guint32 i = 0; i < n; i++)
    if (fuse->regions[i].members)
      fuse_region (fuse, i);
  sluice_work_sweep (fuse->work);
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  guint n = work->nodes->len;
  g_autofree guint8 *fits = g_new0 (guint8, n + 1);
  g_autofree guint32 *position = g_new0 (guint32, n + 1);
  g_autofree guint32 *parent = g_new (guint32, n + 1);
  g_autofree guint32 *next = g_new (guint32, n + 1);
  g_autofree guint8 *late = g_new0 (guint8, n + 1);
  g_autofree guint8 *n_members = g_new0 (guint8, n + 1);
  g_autofree guint8 *n_outputs = g_new0 (guint8, n + 1);
  g_autofree SluiceWorkRegion *regions = g_new0 (SluiceWorkRegion, n + 1);
  Fuse fuse = { .work = work,
                .order = work->schedule,
                .uses = sluice_analysis_get_uses (work),
                .conditions = sluice_analysis_get_conditions (work),
                .fits = fits,
                .position = position,
                .parent = parent,
                .next = next,
                .is_late = late,
                .n_members = n_members,
                .n_outputs = n_outputs,
                .regions = regions };
  look_at_nodes (&fuse);
  grow_regions (&fuse);
  fuse_regions (&fuse);
  return TRUE;
}

/* A strip of elements goes from one node to the next while it is in the first cache. No value
 * changes, and what is dead would have been so without. The schedule stays one, in which a fused
 * node stands where the last of its nodes does. */
const SluicePass sluice_pass_fuse = {
  .name = "fuse",
  .summary = N_ ("Element-wise nodes of one shape run as one, strip by strip"),
  .enabled = SLUICE_PASS_OPTIMIZE | SLUICE_PASS_LEAVE_OUT | SLUICE_PASS_FUSE,
  .requires = SLUICE_FACT_SCHEDULED | SLUICE_FACT_FRAMED,
  .excludes = SLUICE_FACT_FUSED,
  .provides = SLUICE_FACT_FUSED,
  .run = run,
};
