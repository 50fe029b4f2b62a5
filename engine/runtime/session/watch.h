/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/statistics.h"
#include "engine/base/tensor.h"
#include "engine/graph/graph.h"

SLUICE_PUBLIC_BEGIN

/*
 * A look at one output of the user's graph while steps run: what its elements are like, step by
 * step. The thread that made the value looks at it before anybody reads it; no value, order or bit
 * of a run depends on it. After a look that took t no other follows for four hundred times t, so
 * that all watches of a session together cost less than one part in a hundred; of the runs of one
 * number the first is looked at. In a loop it is the last iteration of the step. Not looked at are
 * runs in parts, and functions that kernels call (of datasets, say).
 */
typedef struct _SluiceWatch SluiceWatch;

#define SLUICE_WATCH_STEPS 200 /* of which the statistics are kept */
#define SLUICE_MAX_WATCHES 16  /* of a session at once */

typedef enum
{
  SLUICE_WATCH_WAITS,    /* no step has run */
  SLUICE_WATCH_LEFT_OUT, /* no run that there was computes such a value */
  SLUICE_WATCH_FUSED,    /* the node runs within another's kernel and its value is never whole */
  SLUICE_WATCH_NO_NUMBERS,
  SLUICE_WATCH_CONSTANT, /* known before the step; there is one look */
  SLUICE_WATCH_VALUES,
} SluiceWatchStatus;

typedef struct
{
  guint64 step;
  gint64 iteration; /* of the innermost loop, the last one of the step; -1: outside all loops */
  SluiceStatistics values;
} SluiceWatchLook;

typedef struct
{
  SluiceWatchStatus status;
  const char *fused_into; /* FUSED: name of the node that runs it, interned */
  SluiceDType dtype;      /* of the newest value; INVALID: there was none */
  SluiceShape shape;
  gsize bytes;
  int in_place; /* the input in whose memory it lies; -1: it has its own */
  guint64 n_looks;
  guint n; /* of looks, oldest first */
  SluiceWatchLook looks[SLUICE_WATCH_STEPS];
} SluiceWatchReport;

/* What was seen so far. Any thread; holds a lock for the time of a copy. */
void sluice_watch_read (SluiceWatch *self, SluiceWatchReport *report);
/* From now on the elements of the newest look are kept, too, where they are numbers: all of them,
 * or the first rows that fit into so many bytes. */
void sluice_watch_keep (SluiceWatch *self, gsize most_bytes);
/* What was kept: (transfer full) (nullable). step: (out): of which step */
SluiceTensor *sluice_watch_dup_kept (SluiceWatch *self, guint64 *step);
/* Ends the watch, which is gone afterwards; its session may be, too. (transfer full) (nullable) */
void sluice_watch_stop (SluiceWatch *take);

SLUICE_PUBLIC_END
