/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/workload.h"

/*
 * How long a step takes as this program runs it, where it is known how it is placed. Policies count
 * with devices that work beside each other (simulate.h); here they do as the runtime has them:
 *
 * - CPUs are no processors: whichever thread of the session is free runs their nodes, the first of
 *   those that are ready in their order. A second thread begins something only while others run
 *   what takes SLUICE_RUN_SMALL_US at least;
 * - a device with queues has one for nodes and one for copies to it and from it each. A thread
 *   gives a queue what it is to do: a node as soon as what it needs is there or stands in that
 *   queue, too;
 * - what waits elsewhere for something that a queue does goes on when the host has heard of its
 *   end;
 * - what is fed is there, but a device with queues begins with copies of what its nodes read of it;
 * - what is fetched of such a device is copied when all has ended.
 */
#define SLUICE_RUN_SMALL_US 10

/* What a device takes besides its nodes' time. */
typedef struct
{
  gboolean has_queues;
  double wake_us; /* of a queue that was empty: from when a node can run until it begins */
  double give_us; /* of the thread that gives it something */
  double news_us; /* until a thread that sleeps has heard of the end of something */
} SluiceRunDevice;

typedef struct
{
  double us;      /* of a copy, without its bytes */
  double wait_us; /* before it, where its queue was empty */
  double bytes_per_us;
} SluiceRunLink;

typedef struct
{
  const SluiceWorkload *workload;
  const guint *devices;          /* by node */
  const double *us;              /* by node, there; 0: nothing runs it */
  const double *rounds;          /* by node: of its loop, of which us is the sum; 1 */
  const guint8 *is_carried;      /* by node: no thread gives it to a queue, another brings it */
  const guint8 *is_fed;          /* by node: its value is given */
  const SluiceRunDevice *abouts; /* by device */
  const SluiceRunLink *links;    /* [from * n_devices + to] */
  const guint *fetched;          /* (array length=n_fetched): outputs */
  guint n_fetched;
  guint host;      /* the device whose memory holds what is fed and fetched */
  guint n_threads; /* at least 1 */
  double hand_us;  /* until another thread of the session has begun something */
} SluiceRunModel;

/* From when all that is fed is there until all that is fetched is. */
double sluice_run_model_get_us (const SluiceRunModel *self);
