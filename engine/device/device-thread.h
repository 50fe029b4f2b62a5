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
typedef struct _SluiceDeviceThread SluiceDeviceThread;
typedef void (*SluiceQueuedFunc) (gpointer data);

/* A moment of a queue: all that stood in it is done. Number 0: always. */
typedef struct
{
  SluiceDeviceThread *thread;
  guint64 number;
} SluiceMoment;

/* (nullable): RESOURCE_EXHAUSTED. what: whom the thread is for, as in sluice_thread_start() */
SluiceDeviceThread *sluice_device_thread_new (const char *what, GError **error);
/* Does what is queued first. Not from its own thread. */
void sluice_device_thread_free (SluiceDeviceThread *self);

/* From any thread, its own as well. Two calls that follow each other are done in their order. */
void sluice_device_thread_push (SluiceDeviceThread *self, SluiceQueuedFunc func, gpointer data);

/* The end of what stands in the queue now; has_passed() and wait() see all that was written until
 * then. */
SluiceMoment sluice_device_thread_get_moment (SluiceDeviceThread *self);
gboolean sluice_device_thread_has_passed (SluiceMoment moment);
void sluice_device_thread_wait (SluiceMoment moment);
/* What is pushed from now on begins after the moment of another queue. */
void sluice_device_thread_push_wait (SluiceDeviceThread *self, SluiceMoment moment);

SLUICE_PUBLIC_END
