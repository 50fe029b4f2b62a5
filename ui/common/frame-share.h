/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Pictures that have all become old at once, as those of a page of charts do with each commit of a
 * run, are drawn anew in several frames: each frame draws for some milliseconds, and those that
 * have waited longest come first.
 */
typedef struct
{
  gint64 frame; /* the frame clock's count, from 1 */
  gint64 spent_us;
  /* Of those that were put off in the frame before: since when the first ones have waited, and how
   * many of these have not been seen yet; and of those put off in this one. */
  gint64 oldest, next_oldest;
  guint n_oldest, n_next_oldest;
} SluiceFrameShare;

/**
 * sluice_frame_share_take:
 * @frame: the frame under way
 * @waits_since: (inout): of the picture: the frame since which it waits, or 0
 *
 * Returns: whether the picture may be drawn now; else it asks again in the next frame
 */
gboolean sluice_frame_share_take (SluiceFrameShare *self, gint64 frame, gint64 *waits_since);

/** sluice_frame_share_spend: what the drawing took. */
void sluice_frame_share_spend (SluiceFrameShare *self, gint64 us);

G_END_DECLS
