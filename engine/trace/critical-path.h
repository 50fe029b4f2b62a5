/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/trace-depends.h"

SLUICE_PUBLIC_BEGIN

/*
 * What decided how long a step took. Each span begins once all that it needs has ended and its lane
 * is free, and after a delay that stays as it was measured: so the step is computed again as it
 * ran, and with other times as it would have.
 */
typedef struct
{
  guint item;
  gint64 waited;    /* from the end of what it waited for to its start: nobody's time but the
                       executor's */
  gboolean by_lane; /* it waited for its lane, not for a value */
} SluiceCriticalItem;

typedef struct
{
  const SluiceTraceDepends *depends; /* borrowed */
  GArray *path;  /* of SluiceCriticalItem, from the start of the step to its end */
  gint64 *slack; /* by item: so much longer it could take and the step would not */
  gint64 *delay; /* by item: from when it could begin to when it began */
  gint64 busy;   /* of the path: the rest of the step is waited */
} SluiceCriticalPath;

SluiceCriticalPath *sluice_critical_path_new (const SluiceTraceDepends *depends);
void sluice_critical_path_free (SluiceCriticalPath *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceCriticalPath, sluice_critical_path_free)

/* What of it an item takes longer or shorter: 0.5: twice as fast. */
typedef double (*SluiceFactorFunc) (guint item, gpointer data);
/**
 * sluice_critical_path_what_if:
 * @starts: (out caller-allocates) (array) (nullable): by item, when each would begin
 *
 * Returns: how long the step would take
 */
gint64 sluice_critical_path_what_if (const SluiceCriticalPath *self,
                                     SluiceFactorFunc factor,
                                     gpointer data,
                                     gint64 *starts);

SLUICE_PUBLIC_END
