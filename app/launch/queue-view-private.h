/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/launch/queue-bar.h"
#include "app/launch/queue-view.h"

/* What queue-view.c and queue-row.c share. */

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

struct _SluiceQueueView
{
  GtkBox parent;
  const SluicePageContext *context;
  GtkLabel *summary, *rest;
  GtkWidget *button;
  GtkListBox *list;
  SluiceQueueBar *axis;
  GtkSizeGroup *names; /* what stands before the bars */
  GtkSizeGroup *ends;  /* and behind them */
  GPtrArray *rows;     /* of SluiceQueueRow */
  SluiceQueueScale scale;
  gint64 wanted; /* run whose row is to have the focus once it is moved; 0: none */
  guint news;    /* what the workspace has told is shown soon; 0: it is */
  guint source;  /* each second, while time is to be seen to pass; 0: none */

  char *draft_name, *draft_project, *draft_device; /* (nullable) */
  guint n_draft;
  gint64 draft_steps;
  double draft_seconds, draft_spread; /* a step */
};

/* It is trained now, or held. */
gboolean sluice_queue_is_under_way (const SluiceRunInfo *info);
void sluice_queue_view_update (SluiceQueueView *self);
/* (nullable): it is none of the queue, or under way. */
const SluiceQueueEntry *sluice_queue_view_find_waiting (SluiceQueueView *self, gint64 run);
gboolean sluice_queue_view_is_waiting (SluiceQueueView *self, gint64 run);

/* At the end of the list. */
SluiceQueueRow *sluice_queue_view_add_row (SluiceQueueView *self);
void sluice_queue_view_remove_row (SluiceQueueView *self);
void sluice_queue_row_show_run (SluiceQueueRow *row,
                                const SluiceRunInfo *info,
                                const SluiceQueueSpan *span);
void sluice_queue_row_show_draft (SluiceQueueRow *row, const SluiceQueueSpan *span);
/* entry: (nullable): it does not wait; above: (nullable): what stands above it */
void sluice_queue_row_show_end (SluiceQueueRow *row,
                                const SluiceQueueEntry *entry,
                                const SluiceRunInfo *above);
