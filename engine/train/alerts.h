/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"
#include "engine/train/project-alerts.h"

/*
 * The alerts of a run at work. A thread of their own looks at the clock and the disk and begins
 * commands, so that no step waits for them; values are compared where they are logged. An alert is
 * given when its condition comes true, and again only after it was false; of a metric, for a
 * hundred values.
 */
typedef struct _SluiceAlerts SluiceAlerts;

typedef struct
{
  const gint64 *series; /* of each rule's metric; 0: none */
  const char *run, *workspace;
  gboolean runs_commands;         /* else it is said that one was not run */
  void (*notify) (gpointer data); /* after an alert was given: on its thread */
  gpointer notify_data;
} SluiceAlertsOptions;

/* project: outlives it. */
SluiceAlerts *sluice_alerts_new (const SluiceProject *project,
                                 const SluiceAlertsOptions *options,
                                 GError **error);
/* Nobody looks any more, and nobody is told once this returns. */
void sluice_alerts_stop (SluiceAlerts *self);
void sluice_alerts_free (SluiceAlerts *self); /* stops it */

/* ---- on the thread that trains ---- */

void sluice_alerts_take (SluiceAlerts *self, gint64 series, gint64 step, double value);
/* A step has ended (works), or none is to end for now: a pause. */
void sluice_alerts_beat (SluiceAlerts *self, gint64 step, gboolean works);
/* Alerts that were given since become events of the run. */
void sluice_alerts_log (SluiceAlerts *self, SluiceRunLog *log);

/* ---- on any thread ---- */

/* How many were given, and the last one: (out) (transfer full) (nullable). */
guint sluice_alerts_get_last (SluiceAlerts *self, char **text);
