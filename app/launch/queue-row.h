/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/launch/queue-bar.h"
#include "app/launch/queue-view.h"

/* A row, which shows one run after the other. */
typedef struct
{
  SluiceQueueView *view;
  GtkWidget *row, *icon, *dot;
  GtkLabel *name, *device;
  SluiceQueueBar *bar;
  GtkWidget *after, *away;
  gint64 run;   /* 0: the draft */
  gint64 above; /* run of the row above; 0: none */
} SluiceQueueRow;

/* At the end of the list. */
SluiceQueueRow *sluice_queue_row_add (SluiceQueueView *self);
void sluice_queue_row_remove_last (SluiceQueueView *self);
void sluice_queue_row_show_run (SluiceQueueRow *row,
                                const SluiceRunInfo *info,
                                const SluiceQueueSpan *span);
void sluice_queue_row_show_draft (SluiceQueueRow *row, const SluiceQueueSpan *span);
/* entry: (nullable): it does not wait; above: (nullable): what stands above it */
void sluice_queue_row_show_end (SluiceQueueRow *row,
                                const SluiceQueueEntry *entry,
                                const SluiceRunInfo *above);
