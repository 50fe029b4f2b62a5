/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/frame-share.h"

/* With the last picture begun and what GTK does, a frame stays within its 16 ms. */
#define BUDGET_US 6000

static void
begin_frame (SluiceFrameShare *self, gint64 frame)
{
  *self = (SluiceFrameShare){ .frame = frame,
                              .oldest = self->next_oldest,
                              .n_oldest = self->n_next_oldest };
}

static void
put_off (SluiceFrameShare *self, gint64 since)
{
  if (self->n_next_oldest > 0 && since > self->next_oldest)
    return;
  self->n_next_oldest = since == self->next_oldest ? self->n_next_oldest + 1 : 1;
  self->next_oldest = since;
}

gboolean
sluice_frame_share_take (SluiceFrameShare *self, gint64 frame, gint64 *waits_since)
{
  gboolean comes_first;

  if (frame != self->frame)
    begin_frame (self, frame);
  comes_first = self->n_oldest > 0 && *waits_since == self->oldest;
  /* One of the oldest that is gone lets the others wait for a frame, in which they are counted. */
  if (self->spent_us < BUDGET_US && (comes_first || self->n_oldest == 0))
    {
      self->n_oldest -= comes_first;
      *waits_since = 0;
      return TRUE;
    }
  *waits_since = *waits_since != 0 ? *waits_since : frame;
  put_off (self, *waits_since);
  return FALSE;
}

void
sluice_frame_share_spend (SluiceFrameShare *self, gint64 us)
{
  self->spent_us += us;
}
