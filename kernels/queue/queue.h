/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * A queue of tuples, one tensor a component. Who finds it full or empty waits without a thread:
 * every request ends through its callback, at once or later, on whatever thread made it possible.
 * Requests of one side are served in the order they came; closing waits behind the enqueuers that
 * came before it.
 */
typedef struct _SluiceQueue SluiceQueue;
extern const SluiceResourceType sluice_queue_type;

/* What all queues are made of. */
typedef struct
{
  guint n;                   /* components */
  const SluiceDType *types;  /* n of them */
  const SluiceShape *shapes; /* (nullable): n of them, known; NULL: any shape */
  gint64 capacity;           /* tuples; below 0: no limit */
} SluiceQueueSpec;

SluiceQueue *sluice_queue_new (const char *name, const SluiceQueueSpec *spec);
const SluiceQueueSpec *sluice_queue_get_spec (const SluiceQueue *self);
gboolean sluice_queue_spec_equal (const SluiceQueueSpec *a, const SluiceQueueSpec *b);

/* A tuple: an array of the queue's n tensors, owned. */
typedef SluiceTensor **SluiceTuple;
void sluice_tuple_free (SluiceTuple self, guint n);

/**
 * SluiceQueueDone:
 * @tuples: (transfer full) (nullable): what a dequeuer asked for
 * @error: (transfer full) (nullable)
 * @data: as given; its address names the request, so it must be its own
 *
 * Called once, without any lock held.
 */
typedef void (*SluiceQueueDone) (GPtrArray *tuples, GError *error, gpointer data);

/* tuples: (transfer full). CANCELLED where the queue is closed. */
void
sluice_queue_enqueue (SluiceQueue *self, GPtrArray *tuples, SluiceQueueDone done, gpointer data);
/* n tuples; up_to: fewer, but one at least, once the queue is closed. OUT_OF_RANGE where it is
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

gint64 sluice_queue_get_size (SluiceQueue *self);
gboolean sluice_queue_is_closed (SluiceQueue *self);
