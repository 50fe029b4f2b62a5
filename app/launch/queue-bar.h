/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/launch/queue-times.h"
#include "ui/chart/ticks.h"
#include "ui/common/color.h"

/* The axis of time that all bars of a queue share. */
typedef struct
{
  double low, high; /* seconds from now */
  SluiceTicks ticks;
} SluiceQueueScale;
void sluice_queue_scale_set (SluiceQueueScale *self, const SluiceQueueSpan *spans, guint n);

/* "4:48 ± 0:20": (transfer full). */
char *sluice_queue_time_words (double seconds, double spread);
/* "62 % done, ends in 0:48 ± 0:03": (transfer full). */
char *sluice_queue_span_words (const SluiceQueueSpan *span);

typedef enum
{
  SLUICE_QUEUE_BAR_AXIS, /* its ticks alone */
  SLUICE_QUEUE_BAR_RUNNING,
  SLUICE_QUEUE_BAR_WAITING,
  SLUICE_QUEUE_BAR_DRAFT,
} SluiceQueueBarKind;

/* One run's time on that axis: what is done solid, what is predicted dashed, its spread a whisker.
 */
#define SLUICE_TYPE_QUEUE_BAR (sluice_queue_bar_get_type ())
G_DECLARE_FINAL_TYPE (SluiceQueueBar, sluice_queue_bar, SLUICE, QUEUE_BAR, GtkWidget)

/* scale: lives longer. An axis as long as nothing is set. */
GtkWidget *sluice_queue_bar_new (const SluiceQueueScale *scale);
void sluice_queue_bar_set (SluiceQueueBar *self,
                           const SluiceQueueSpan *span,
                           SluiceQueueBarKind kind,
                           SluiceColor color);
