/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * State that asynchronous kernels wait on without a thread: an accumulator, a mutex, a staging
 * area. Subtypes begin with it. What a subtype holds is guarded by the lock; whoever has changed
 * it lets go with sluice_monitor_leave(), which serves those who wait.
 */
typedef struct
{
  SluiceResource parent;
  char *name; /* as messages call it */
  pthread_mutex_t lock;
  GQueue waiting;    /* under lock: in the order they came */
  gboolean in_order; /* who came first is served first; else whoever can be */
} SluiceMonitor;

/* Under the lock. number: as given to wait. TRUE: the call has ended, its outputs or its error
 * are set */
typedef gboolean (*SluiceAttempt) (SluiceMonitor *self, SluiceKernelCall *call, gint64 number);

void sluice_monitor_init (SluiceMonitor *self,
                          const SluiceResourceType *type,
                          const char *name,
                          gboolean in_order);
/* Of a subtype's finalizer: nobody waits, for who does holds a reference. */
void sluice_monitor_clear (SluiceMonitor *self);

void sluice_monitor_enter (SluiceMonitor *self);
void sluice_monitor_leave (SluiceMonitor *self);

/* Ends the call as soon as the attempt succeeds: now, or on the thread that changes the state. Not
 * under the lock. */
void sluice_monitor_wait (SluiceMonitor *self,
                          SluiceKernelCall *call,
                          SluiceAttempt attempt,
                          gint64 number);

/* SluiceKernel.cancel of kernels that wait on a monitor: the call ends with CANCELLED. */
void sluice_monitor_cancel (SluiceKernelCall *call);

/* SluiceKernel.describe_wait of the same. */
char *sluice_monitor_describe_wait (SluiceKernelCall *call);
