/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/* What the trash of a workspace takes on the disk, and how it is emptied: by age, by size, or run
 * by run. What is emptied is gone for good. */

typedef struct
{
  gint64 run;
  char *name;
  double deleted; /* Unix seconds: since when it is there */
  guint64 bytes;  /* of its folder: checkpoints, most of them */
} SluiceTrashItem;

/* (transfer full) (nullable) (element-type SluiceTrashItem): what was there longest first. Goes
 * through the folders: on a worker. */
GPtrArray *sluice_store_read_trash (SluiceStore *self, GError **error);

typedef struct
{
  double seconds; /* what is there longer goes; 0: nothing does for its age */
  guint64 bytes; /* of what is there longest so much goes that no more than this is left; 0: nothing
                    does for its size */
} SluiceTrashLimits;

/* (transfer container) (element-type SluiceTrashItem): those of items that go at that time. */
GPtrArray *
sluice_trash_choose (GPtrArray *items, const SluiceTrashLimits *limits, double now_seconds);

/* Row, points and folder of a run that is in the trash, for good. Runs that were forked from it
 * have no parent then. FAILED_PRECONDITION: it was restored meanwhile, or a process has it. */
gboolean sluice_store_empty_run (SluiceStore *self, gint64 run, GError **error);
