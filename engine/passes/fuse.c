/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/passes.h"

#define NO_TREE G_MAXUINT32

typedef struct
{
  SluiceWork *work;
  const GPtrArray *order;
  SluiceDevice *const *devices;
  int max_rank;
  guint8 *fits;      /* by index: element-wise */
  guint32 *tree;     /* by index: the last node of the tree that the node is in */
  guint32 *readers;  /* by index: the tree that all readers so far are in */
  guint8 *has_other; /* by index: somebody outside of any tree reads it or waits for it */
  guint8 *n_members; /* by index of a tree's last node */
} Fuse;

/* Could the two be equal, as far as is known? */
static gboolean
could_equal (const SluiceShape *a, const SluiceShape *b)
{
  return a->rank >= 0 && a->rank == b->rank && sluice_shape_compatible (a, b);
}

/* An operand that is as large as the result, one element, or a vector along its last dimension. */
static gboolean
operand_fits (const SluiceShape *operand, const SluiceShape *result)
{
  if (operand->rank < 0 || could_equal (operand, result))
    return operand->rank >= 0;
  if (sluice_shape_n_elements (operand) == 1)
    return operand->rank <= result->rank;
  return operand->rank == 1 && result->rank > 1 && operand->dim[0] > 0
         && operand->dim[0] == result->dim[result->rank - 1];
}

static gboolean
is_elementwise (const Fuse *fuse, const SluiceWorkNode *node)
{
  if (node->kind != SLUICE_WORK_OP || !node->origin->op || node->origin->n_outputs != 1
      || node->n_inputs == 0)
    return FALSE;
  const SluiceDeviceClass *klass = fuse->devices[node->device]->klass;
  const SluiceOutput *output = &node->origin->outputs[0];
  if (!klass->computes || output->shape.rank < 0 || sluice_dtype_is_ref (output->dtype))
    return FALSE;
  const SluiceKernel *kernel = sluice_kernel_find (node->origin, klass->type, fuse->max_rank, NULL);
  SluiceStrip strip;
  if (!kernel || !kernel->strip)
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

static gboolean
may_join (const Fuse *fuse, const SluiceWorkNode *node)
{
  guint32 tree = fuse->readers[node->index];
  if (fuse->has_other[node->index] || tree == NO_TREE
      || fuse->n_members[tree] == SLUICE_FUSED_MEMBERS)
    return FALSE;
  const SluiceWorkNode *last = fuse->work->nodes->pdata[tree];
  return last->device == node->device && last->frame == node->frame
         && could_equal (&node->origin->outputs[0].shape, &last->origin->outputs[0].shape);
}

/* Readers come first: where a node is looked at, all that read it have their tree. */
static void
grow_trees (Fuse *fuse)
{
  SluiceWork *work = fuse->work;
  for (guint i = 0; i < work->n_fetches; i++)
    if (work->fetches[i].node)
      fuse->has_other[work->fetches[i].node->index] = 1;
  for (guint i = 0; i < work->n_targets; i++)
    fuse->has_other[work->targets[i]->index] = 1;
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      for (guint k = 0; k < node->n_controls; k++)
        fuse->has_other[node->controls[k]->index] = 1;
    }
  for (guint i = fuse->order->len; i-- > 0;)
    {
      const SluiceWorkNode *node = fuse->order->pdata[i];
      guint32 at = node->index;
      if (at >= work->nodes->len || work->nodes->pdata[at] != node)
        continue; /* swept */
      if (fuse->fits[at])
        {
          fuse->tree[at] = may_join (fuse, node) ? fuse->readers[at] : at;
          fuse->n_members[fuse->tree[at]]++;
        }
      for (guint k = 0; k < node->n_inputs; k++)
        {
          const SluiceWorkNode *from = node->inputs[k].node;
          if (!from)
            continue;
          if (!fuse->fits[at]
              || (fuse->readers[from->index] != NO_TREE
                  && fuse->readers[from->index] != fuse->tree[at]))
            fuse->has_other[from->index] = 1;
          fuse->readers[from->index] = fuse->tree[at];
        }
    }
}

static gboolean
has_edge (const SluiceWorkEdge *edges, guint n, SluiceWorkEdge edge)
{
  for (guint i = 0; i < n; i++)
    if (edges[i].node == edge.node && edges[i].port == edge.port)
      return TRUE;
  return FALSE;
}

/* The last node of a tree becomes the fused one: whoever reads it goes on to. */
static void
fuse_tree (Fuse *fuse, SluiceWorkNode *last, SluiceWorkNode **members, guint n_members)
{
  SluiceWork *work = fuse->work;
  SluiceWorkNode *copy = sluice_work_alloc (work, sizeof *copy);
  *copy = *last;
  guint n = 0;
  for (guint i = 0; i < n_members; i++)
    n += members[i]->n_inputs;
  last->kind = SLUICE_WORK_FUSED;
  last->members = sluice_work_alloc (work, n_members * sizeof *members);
  memcpy (last->members, members, n_members * sizeof *members);
  last->members[n_members - 1] = copy;
  last->n_members = n_members;
  last->inputs = sluice_work_alloc (work, n * sizeof (SluiceWorkEdge));
  last->n_inputs = 0;
  for (guint i = 0; i < n_members; i++)
    {
      const SluiceWorkNode *member = last->members[i];
      for (guint k = 0; k < member->n_inputs; k++)
        {
          SluiceWorkEdge edge = member->inputs[k];
          gboolean is_inner = edge.node && fuse->tree[edge.node->index] == last->index;
          if (!is_inner && !has_edge (last->inputs, last->n_inputs, edge))
            last->inputs[last->n_inputs++] = edge;
        }
      for (guint k = 0; k < member->n_controls && member != copy; k++)
        sluice_work_add_control (work, last, member->controls[k]);
    }
}

void
sluice_fuse (SluiceWork *work, const GPtrArray *order, SluiceDevice *const *devices, int max_rank)
{
  guint n = work->nodes->len;
  g_autofree guint8 *fits = g_new0 (guint8, n + 1);
  g_autofree guint32 *tree = g_new (guint32, n + 1);
  g_autofree guint32 *readers = g_new (guint32, n + 1);
  g_autofree guint8 *has_other = g_new0 (guint8, n + 1);
  g_autofree guint8 *n_members = g_new0 (guint8, n + 1);
  Fuse fuse = { work, order, devices, max_rank, fits, tree, readers, has_other, n_members };
  for (guint i = 0; i < n; i++)
    {
      tree[i] = readers[i] = NO_TREE;
      fits[i] = is_elementwise (&fuse, work->nodes->pdata[i]);
    }
  grow_trees (&fuse);
  g_autofree SluiceWorkNode ***members = g_new0 (SluiceWorkNode **, n + 1);
  g_autofree guint8 *found = g_new0 (guint8, n + 1);
  gboolean changed = FALSE;
  for (guint i = 0; i < order->len; i++)
    {
      SluiceWorkNode *node = order->pdata[i];
      gboolean is_there = node->index < n && work->nodes->pdata[node->index] == node;
      guint32 at = is_there ? tree[node->index] : NO_TREE;
      if (at == NO_TREE || n_members[at] < 2)
        continue;
      if (!members[at])
        members[at] = sluice_work_alloc (work, n_members[at] * sizeof (SluiceWorkNode *));
      members[at][found[at]++] = node;
      if (found[at] == n_members[at])
        fuse_tree (&fuse, node, members[at], n_members[at]);
      changed = TRUE;
    }
  if (changed)
    sluice_work_sweep (work);
}
