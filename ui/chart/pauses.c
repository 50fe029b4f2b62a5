/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/pauses.h"

#include <math.h>

#define LEAST_PAUSE 5.0  /* seconds */
#define TIMES       20.0 /* the usual gap */
#define LEAST_GAPS  4    /* that make one usual */
#define GAP_WEIGHT  0.1  /* of a new gap in the usual one */

SluicePauses *
sluice_pauses_new (void)
{
  SluicePauses *self = g_rc_box_new0 (SluicePauses);

  self->found = g_array_new (FALSE, FALSE, sizeof (SluicePause));
  self->last = NAN;
  return self;
}

SluicePauses *
sluice_pauses_ref (SluicePauses *self)
{
  return g_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  g_array_unref (((SluicePauses *) data)->found);
}

void
sluice_pauses_unref (SluicePauses *self)
{
  g_rc_box_release_full (self, clear);
}

void
sluice_pauses_add (SluicePauses *self, double wall)
{
  double gap = wall - self->last;

  if (isnan (gap))
    {
      self->last = wall;
      return;
    }
  if (gap < 0)
    return; /* a clock that was set back */
  if (self->n_gaps >= LEAST_GAPS && gap > MAX (LEAST_PAUSE, TIMES * self->gap))
    {
      SluicePause pause = { self->last, wall };

      g_array_append_val (self->found, pause);
      self->serial++;
    }
  else
    {
      self->gap += (self->n_gaps == 0 ? 1 : GAP_WEIGHT) * (gap - self->gap);
      self->n_gaps++;
    }
  self->last = wall;
}

void
sluice_pauses_clear (SluicePauses *self)
{
  g_array_set_size (self->found, 0);
  self->serial++;
  self->last = NAN;
  self->gap = 0;
  self->n_gaps = 0;
}

double
sluice_pauses_get_active (const SluicePauses *self, double start, double wall)
{
  double active = wall - start;

  for (guint i = 0; self != NULL && i < self->found->len; i++)
    {
      const SluicePause *pause = &g_array_index (self->found, SluicePause, i);

      if (pause->from >= wall)
        break;
      active -= MAX (0, MIN (pause->to, wall) - MAX (pause->from, start));
    }
  return active;
}

gboolean
sluice_pauses_lie_between (const SluicePauses *self, double a, double b)
{
  for (guint i = 0; self != NULL && i < self->found->len; i++)
    {
      const SluicePause *pause = &g_array_index (self->found, SluicePause, i);

      if (pause->from < b && pause->to > a)
        return TRUE;
    }
  return FALSE;
}
