/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/launch/queue-bar.h"
#include "app/launch/queue-view.h"

/* What the view and its rows share. */

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
/* (nullable): it is none of the queue. */
const SluiceQueueEntry *sluice_queue_view_find_entry (SluiceQueueView *self, gint64 run);
/* (nullable): it is none of the queue, or under way. */
const SluiceQueueEntry *sluice_queue_view_find_waiting (SluiceQueueView *self, gint64 run);
gboolean sluice_queue_view_is_waiting (SluiceQueueView *self, gint64 run);
