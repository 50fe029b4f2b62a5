/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/step-sort.h"

/* Neighbouring pairs of sorted stretches become one, from the first to the last, again and again.
 */
struct _SluiceStepSort
{
  GPtrArray *items; /* result, in the end */
  GPtrArray *others;
  GCompareFunc compare;
  gpointer *from, *to; /* of the two */
  guint width;         /* of a sorted stretch; 0: nothing to do */
  guint low;           /* where the pair under way begins */
  guint i, j, k;       /* next of its halves, and where it goes */
};

static void
begin_pair (SluiceStepSort *self, guint low)
{
  self->low = self->i = self->k = low;
  self->j = MIN (low + self->width, self->items->len);
}

SluiceStepSort *
sluice_step_sort_new (GPtrArray *items, GCompareFunc compare)
{
  SluiceStepSort *self = g_new0 (SluiceStepSort, 1);
  self->items = g_ptr_array_ref (items);
  self->others = g_ptr_array_new ();
  g_ptr_array_set_size (self->others, (int) items->len);
  self->compare = compare;
  self->from = items->pdata;
  self->to = self->others->pdata;
  self->width = 1;
  begin_pair (self, 0);
  return self;
}

void
sluice_step_sort_free (SluiceStepSort *self)
{
  g_ptr_array_unref (self->items);
  g_ptr_array_unref (self->others);
  g_free (self);
}

/* FALSE: the budget is used up. */
static gboolean
merge_pair (SluiceStepSort *self, guint *budget)
{
  guint n = self->items->len;
  guint middle = MIN (self->low + self->width, n), high = MIN (middle + self->width, n);
  while (self->k < high)
    {
      if (*budget == 0)
        return FALSE;
      (*budget)--;
      gboolean first =
          self->j == high
          || (self->i < middle && self->compare (&self->from[self->i], &self->from[self->j]) <= 0);
      self->to[self->k++] = self->from[first ? self->i++ : self->j++];
    }
  return TRUE;
}

/* What was written is read next. */
static void
begin_pass (SluiceStepSort *self)
{
  gpointer *from = self->from;
  self->from = self->to;
  self->to = from;
  self->width *= 2;
  begin_pair (self, 0);
}

gboolean
sluice_step_sort_step (SluiceStepSort *self, guint *budget)
{
  guint n = self->items->len;
  for (; self->width < n; begin_pass (self))
    for (; self->low < n; begin_pair (self, self->low + 2 * self->width))
      if (!merge_pair (self, budget))
        return FALSE;
  for (guint i = 0; self->from != self->items->pdata && i < n; i++)
    self->items->pdata[i] = self->from[i];
  self->from = self->items->pdata;
  return TRUE;
}
