/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/watch.h"
#include "engine/runtime/step/step.h"

/* The watches of a session. Counted: each of them holds it. Any thread. */
typedef struct
{
  _Atomic int ref_count;
  _Atomic guint n;      /* to see without the lock that there is none */
  pthread_mutex_t lock; /* guards the list; held for a few loads and stores */
  SluiceWatch *list[SLUICE_MAX_WATCHES];
} SluiceWatches;

/* Where a plan has the value. */
typedef struct
{
  guint64 plan; /* serial */
  SluiceWatchStatus status;
  const SluicePlanNode *node;   /* VALUES, FUSED: whose kernel makes it; NULL: it is fed */
  guint32 output;               /* VALUES: of that node, or the number of the feed */
  const SluiceTensor *constant; /* CONSTANT */
} SluiceWatchPlace;

struct _SluiceWatch
{
  _Atomic int ref_count;
  SluiceWatches *watches; /* keeps it */
  const char *name;       /* interned */
  guint port;

  _Atomic gsize most_kept;  /* bytes of elements; 0: none are kept */
  pthread_mutex_t lock;     /* guards the rest; held for a few loads and stores, or a copy of it */
  GArray *places;           /* of SluiceWatchPlace: of the plans that ran */
  SluiceWatchReport report; /* its looks by n_looks modulo SLUICE_WATCH_STEPS */
  SluiceTensor *kept;       /* (nullable): of the newest look; never written again */
  guint64 kept_step;
  guint64 newest_step; /* of a run that had the value, whether it was looked at or not */
  gboolean is_claimed; /* a run looks */
  gboolean has_look;   /* of that run */
  guint64 frame;       /* of that look: number of the loop in the step */
  guint64 next_tick;   /* no look before */
};

SluiceWatches *sluice_watches_new (void);
void sluice_watches_unref (SluiceWatches *self);
void sluice_watch_unref (SluiceWatch *self);

/* name: interned. (transfer full) (nullable): %NULL with RESOURCE_EXHAUSTED */
SluiceWatch *sluice_watches_add (SluiceWatches *self, const char *name, guint port, GError **error);

/* Before a run of the step, which is prepared: what of it will be looked at. Looks at feeds. */
void sluice_watches_begin (SluiceWatches *self, SluiceStep *step, SluiceTensor *const *feeds);
/* After the run. */
void sluice_watches_end (SluiceStep *step);

/* A node of a step that is watched has ended: its inputs, which may be gone, and its outputs.
 * Returns the ticks that it took. */
guint64 sluice_watches_look (SluiceStep *step,
                             const SluiceActivation *act,
                             const SluicePlanNode *node,
                             const SluiceValue *inputs,
                             const SluiceValue *outputs);
