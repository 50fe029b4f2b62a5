/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/device/random.h"
#include "kernels/queue/items.h"

/*
 * A queue of elements, one tensor a component. Who finds it full or empty waits without a thread:
 * every request ends through its callback, at once or later, on whatever thread made it possible.
 * Requests of one side are served in the order they came; closing waits behind the enqueuers that
 * came before it. White paper 4.6, "Queues".
 */
typedef struct _SluiceQueue SluiceQueue;
extern const SluiceResourceType sluice_queue_type;

typedef enum
{
  SLUICE_QUEUE_FIFO,
  SLUICE_QUEUE_SHUFFLE,  /* any of them, by lot */
  SLUICE_QUEUE_PRIORITY, /* the least of component 0, an int64 */
} SluiceQueueOrder;

/* What all queues are made of. */
typedef struct
{
  guint n;                   /* components */
  const SluiceDType *types;  /* n of them */
  const SluiceShape *shapes; /* (nullable): n of them, of known rank; NULL: any shape. Partial ones
                                are filled up where several elements are put together */
  gint64 capacity;           /* elements; below 0: no limit */
  SluiceQueueOrder order;
  gboolean pads;            /* shapes may be partial */
  gint64 min_after_dequeue; /* of SHUFFLE: how many stay as long as it is open */
  guint64 seed, seed2;      /* of SHUFFLE */
} SluiceQueueSpec;

SluiceQueue *
sluice_queue_new (const char *name, const SluiceQueueSpec *spec, const SluicePhilox *random);
const char *sluice_queue_get_name (const SluiceQueue *self);
const SluiceQueueSpec *sluice_queue_get_spec (const SluiceQueue *self);
/* Are they of one kind? Seeds that b leaves open fit any. */
gboolean sluice_queue_spec_equal (const SluiceQueueSpec *a, const SluiceQueueSpec *b);

/**
 * SluiceQueueDone:
 * @items: (nullable): what a dequeuer asked for; gone after the call, but for what is taken out
 * @error: (transfer full) (nullable)
 * @data: as given; its address names the request, so it must be its own
 *
 * Called once, without any lock held.
 */
typedef void (*SluiceQueueDone) (SluiceItems *items, GError *error, gpointer data);

/* items: taken, and empty then. CANCELLED where the queue is closed. */
void
sluice_queue_enqueue (SluiceQueue *self, SluiceItems *items, SluiceQueueDone done, gpointer data);
/* n elements; up_to: fewer, but one at least, once the queue is closed. OUT_OF_RANGE where it is
 * closed and has not enough. */
void sluice_queue_dequeue (
    SluiceQueue *self, gint64 n, gboolean up_to, SluiceQueueDone done, gpointer data);
/* cancel_pending: waiting enqueuers end with CANCELLED instead of being served first. */
void sluice_queue_close (SluiceQueue *self,
                         gboolean cancel_pending,
                         SluiceQueueDone done,
                         gpointer data);
/* The request of that data, if it still waits, ends with CANCELLED before the call returns. */
void sluice_queue_cancel (SluiceQueue *self, gpointer data);

/**
 * sluice_queue_describe:
 * @is_full: (out): it waits for room
 *
 * What the request of that data waits for. (transfer full) (nullable): it does not wait
 */
char *sluice_queue_describe (SluiceQueue *self, gpointer data, gboolean *is_full);
/* Somebody who should have filled the queue failed: who finds it closed hears of the first one. */
void sluice_queue_note_failure (SluiceQueue *self, const GError *error);

gint64 sluice_queue_get_size (SluiceQueue *self);
gboolean sluice_queue_is_closed (SluiceQueue *self);

/**
 * sluice_queue_give_batches:
 * @items: (nullable): what was dequeued
 * @error: (transfer full) (nullable)
 *
 * Ends the work of a call: each component, the items one behind the other, is an output; or it
 * fails with that error, or with RESOURCE_EXHAUSTED.
 */
void sluice_queue_give_batches (const SluiceQueue *self,
                                const SluiceItems *items,
                                GError *error,
                                SluiceKernelCall *call);
