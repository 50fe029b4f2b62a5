/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/branches.h"

typedef struct
{
  SluiceWork *work;
  SluiceBranches *branches;
} Find;

static const SluiceNeeds *
join (Find *find, const SluiceNeeds *a, const SluiceNeeds *b)
{
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  SluiceNeeds *both = sluice_work_alloc (
      find->work, sizeof (SluiceNeeds) + ((gsize) a->n + b->n) * sizeof (guint32));
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
static const SluiceNeeds *
meet (Find *find, const SluiceNeeds *a, const SluiceNeeds *b)
{
  if (!a || !b || a == b)
    return a == b ? a : NULL;
  SluiceNeeds *common =
      sluice_work_alloc (find->work, sizeof (SluiceNeeds) + (gsize) a->n * sizeof (guint32));
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

/* The predicate without the Identity nodes in front of it, as a key. */
static gpointer
key_of (SluiceWorkEdge *pred)
{
  while (pred->node && sluice_work_role (pred->node) == SLUICE_ROLE_IDENTITY)
    *pred = pred->node->inputs[0];
  return pred->node ? (gpointer) ((gsize) pred->node | (gsize) (pred->port & 7))
                    : GUINT_TO_POINTER (2 * (guint) pred->port + 1);
}

static guint32
number_of_pred (Find *find, SluiceWorkEdge pred)
{
  gpointer key = key_of (&pred);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (find->branches->preds, key));
  if (!number)
    {
      number = g_hash_table_size (find->branches->preds) + 1;
      guint frame = pred.node ? pred.node->output_frame : 0;
      g_array_append_val (find->branches->pred_frames, frame);
      g_hash_table_insert (find->branches->preds, key, GUINT_TO_POINTER (number));
    }
  return number - 1;
}

static const SluiceNeeds *
needs_of_edge (Find *find, SluiceWorkEdge edge)
{
  const SluiceWorkNode *before = edge.node;
  if (!before || sluice_work_is_back_edge (before))
    return NULL;
  const SluiceNeeds *needs = find->branches->needs[before->index];
  if (sluice_work_role (before) != SLUICE_ROLE_SWITCH || before->n_inputs < 2)
    return needs;
  SluiceNeeds *own = sluice_work_alloc (find->work, sizeof (SluiceNeeds) + sizeof (guint32));
  own->n = 1;
  own->needs[0] = 2 * number_of_pred (find, before->inputs[1]) + (guint32) (edge.port & 1);
  return join (find, needs, own);
}

/* Behind an Exit: how often its loop has gone on says nothing any more. */
static const SluiceNeeds *
leave_loop (Find *find, const SluiceNeeds *needs, guint loop)
{
  if (!needs)
    return NULL;
  SluiceNeeds *kept =
      sluice_work_alloc (find->work, sizeof (SluiceNeeds) + (gsize) needs->n * sizeof (guint32));
  for (guint i = 0; i < needs->n; i++)
    if (g_array_index (find->branches->pred_frames, guint, needs->needs[i] / 2) != loop)
      kept->needs[kept->n++] = needs->needs[i];
  return kept->n ? kept : NULL;
}

static void
settle_needs (Find *find, const SluiceWorkNode *node)
{
  const SluiceRole role = sluice_work_role (node);
  const SluiceNeeds *needs = NULL;
  for (guint k = 0; k < node->n_inputs; k++)
    {
      const SluiceNeeds *input = needs_of_edge (find, node->inputs[k]);
      needs = role != SLUICE_ROLE_MERGE || k == 0 ? join (find, needs, input)
                                                  : meet (find, needs, input);
    }
  if (role != SLUICE_ROLE_CONTROL_TRIGGER)
    for (guint k = 0; k < node->n_controls; k++)
      needs = join (find, needs, needs_of_edge (find, (SluiceWorkEdge){ node->controls[k], 0 }));
  if (role == SLUICE_ROLE_EXIT)
    needs = leave_loop (find, needs, node->frame);
  find->branches->needs[node->index] = needs;
}

static void
settle_may_die (Find *find, const SluiceWorkNode *node)
{
  const guint8 *may_die = find->branches->may_die;
  gboolean dies =
      node->frame != 0 || node->output_frame != 0 || sluice_work_role (node) == SLUICE_ROLE_EXIT;
  for (guint k = 0; k < node->n_inputs + node->n_controls; k++)
    {
      const SluiceWorkNode *before = sluice_work_get_before (node, k);
      dies |= before
              && (may_die[before->index]
                  || (k < node->n_inputs && sluice_work_role (before) == SLUICE_ROLE_SWITCH));
    }
  find->branches->may_die[node->index] = dies;
}

SluiceBranches *
sluice_branches_new (SluiceWork *work, const GPtrArray *order)
{
  guint n = work->nodes->len;
  SluiceBranches *self = g_new (SluiceBranches, 1);
  *self =
      (SluiceBranches){ g_new0 (const SluiceNeeds *, n + 1), g_new0 (guint8, n + 1),
                        g_hash_table_new (NULL, NULL), g_array_new (FALSE, FALSE, sizeof (guint)) };
  Find find = { work, self };
  for (guint i = 0; i < order->len; i++)
    if (sluice_work_has (work, order->pdata[i]))
      {
        settle_needs (&find, order->pdata[i]);
        settle_may_die (&find, order->pdata[i]);
      }
  return self;
}

void
sluice_branches_free (SluiceBranches *self)
{
  if (!self)
    return;
  g_free (self->needs);
  g_free (self->may_die);
  g_hash_table_unref (self->preds);
  g_array_unref (self->pred_frames);
  g_free (self);
}

gboolean
sluice_branches_exclude (const SluiceBranches *self,
                         const SluiceWorkNode *a,
                         const SluiceWorkNode *b)
{
  const SluiceNeeds *x = self->needs[a->index], *y = self->needs[b->index];
  for (guint i = 0; x && i < x->n; i++)
    for (guint k = 0; y && k < y->n; k++)
      if (x->needs[i] == (y->needs[k] ^ 1))
        return TRUE;
  return FALSE;
}

gboolean
sluice_branches_needs_true (const SluiceBranches *self,
                            const SluiceWorkNode *node,
                            SluiceWorkEdge pred)
{
  const SluiceNeeds *needs = self->needs[node->index];
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->preds, key_of (&pred)));
  for (guint i = 0; number && needs && i < needs->n; i++)
    if (needs->needs[i] == 2 * (number - 1) + 1)
      return TRUE;
  return FALSE;
}
