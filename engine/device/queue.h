/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * Work that a thread of its own does in order, beside whoever asked for it. White paper, section
 * 3.2: what a device enqueues, it does later.
 */
typedef struct _SluiceQueue SluiceQueue;
typedef void (*SluiceQueuedFunc) (gpointer data);

/* A moment of a queue: all that stood in it is done. Number 0: always. */
typedef struct
{
  SluiceQueue *queue;
  guint64 number;
} SluiceQueueMoment;

/* (nullable): RESOURCE_EXHAUSTED. what: whom the thread is for, as in sluice_thread_start() */
SluiceQueue *sluice_queue_new (const char *what, GError **error);
/* Does what is queued first. Not from its own thread. */
void sluice_queue_free (SluiceQueue *self);

/* From any thread, its own as well. Two calls that follow each other are done in their order. */
void sluice_queue_push (SluiceQueue *self, SluiceQueuedFunc func, gpointer data);

/* The end of what stands in the queue now; has_passed() and wait() see all that was written until
 * then. */
SluiceQueueMoment sluice_queue_get_moment (SluiceQueue *self);
gboolean sluice_queue_has_passed (SluiceQueueMoment moment);
void sluice_queue_wait (SluiceQueueMoment moment);
/* What is pushed from now on begins after the moment of another queue. */
void sluice_queue_push_wait (SluiceQueue *self, SluiceQueueMoment moment);

SLUICE_PUBLIC_END
