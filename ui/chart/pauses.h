/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * When a run stood still, found in the times of its points: a gap twenty times as long as those
 * before it, and of five seconds at least. Shared by the series of the run. Main thread only.
 */
typedef struct
{
  double from, to; /* seconds since 1970: the points before and after */
} SluicePause;

typedef struct
{
  GArray *found;  /* of SluicePause, ascending */
  guint64 serial; /* differs whenever found does */
  double last;    /* time of the last point; NaN: none */
  double gap;     /* usual, in seconds */
  guint n_gaps;
} SluicePauses;

/** sluice_pauses_new: (transfer full): none yet. */
SluicePauses *sluice_pauses_new (void);
SluicePauses *sluice_pauses_ref (SluicePauses *self);
void sluice_pauses_unref (SluicePauses *self);

/** sluice_pauses_add: the time of the next point. */
void sluice_pauses_add (SluicePauses *self, double wall);
void sluice_pauses_clear (SluicePauses *self);

/** sluice_pauses_get_active: seconds from @start to @wall without the pauses between them.
 * @self: (nullable) */
double sluice_pauses_get_active (const SluicePauses *self, double start, double wall);
/** sluice_pauses_lie_between: is there a pause between the neighbouring points of @a and @b?
 * @self: (nullable) */
gboolean sluice_pauses_lie_between (const SluicePauses *self, double a, double b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluicePauses, sluice_pauses_unref)

G_END_DECLS
