/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/uses.h"

/* first[i + 2] becomes the number of uses of all nodes up to i. */
static void
count_uses (SluiceUses *self, const SluiceWork *work)
{
  for (guint i = 0; i < self->n; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      for (guint k = 0; k < node->n_inputs; k++)
        if (node->inputs[k].node)
          self->first[node->inputs[k].node->index + 2]++;
      for (guint k = 0; k < node->n_controls; k++)
        self->first[node->controls[k]->index + 2]++;
    }
  for (guint i = 0; i < self->n; i++)
    self->first[i + 2] += self->first[i + 1];
}

/* first[i + 1] is where row i has come to, and ends as where row i + 1 begins. */
static void
fill_uses (SluiceUses *self, const SluiceWork *work)
{
  self->users = g_new (guint32, self->first[self->n + 1] + 1);
  for (guint32 i = 0; i < self->n; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      self->is_back[i] = sluice_work_is_back_edge (node);
      for (guint k = 0; k < node->n_inputs; k++)
        if (node->inputs[k].node)
          self->users[self->first[node->inputs[k].node->index + 1]++] = i;
      for (guint k = 0; k < node->n_controls; k++)
        self->users[self->first[node->controls[k]->index + 1]++] = i | SLUICE_USE_WAITS;
    }
}

SluiceUses *
sluice_uses_new (const SluiceWork *work)
{
  guint n = work->nodes->len;
  SluiceUses *self = g_new (SluiceUses, 1);
  *self = (SluiceUses){ .n = n,
                        .first = g_new0 (guint32, n + 2),
                        .is_back = g_new0 (guint8, n + 1),
                        .is_wanted = g_new0 (guint8, n + 1),
                        .seen = g_new0 (guint32, n + 1),
                        .stack = g_new (guint32, n + 1) };
  count_uses (self, work);
  fill_uses (self, work);
  for (guint i = 0; i < work->n_fetches; i++)
    if (work->fetches[i].node)
      self->is_wanted[work->fetches[i].node->index] = 1;
  for (guint i = 0; i < work->n_targets; i++)
    self->is_wanted[work->targets[i]->index] = 1;
  return self;
}

void
sluice_uses_free (SluiceUses *self)
{
  if (!self)
    return;
  g_free (self->first);
  g_free (self->users);
  g_free (self->is_back);
  g_free (self->is_wanted);
  g_free (self->seen);
  g_free (self->stack);
  g_free (self);
}

void
sluice_uses_reach (
    SluiceUses *self, const guint32 *from, guint n_from, const guint32 *rank, guint32 last)
{
  guint n = 0;
  self->round++;
  for (guint i = 0; i < n_from; i++)
    {
      self->seen[from[i]] = self->round;
      self->stack[n++] = from[i];
    }
  while (n)
    {
      guint32 at = self->stack[--n];
      for (guint32 k = self->first[at]; k < self->first[at + 1] && !self->is_back[at]; k++)
        {
          guint32 next = self->users[k] & ~SLUICE_USE_WAITS;
          if (self->seen[next] == self->round || (rank && rank[next] > last))
            continue;
          self->seen[next] = self->round;
          self->stack[n++] = next;
        }
    }
}
