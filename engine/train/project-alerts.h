/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/project.h"

/*
 * What somebody is to be told of while a run is at work: groups [alert NAME] of project.ini. Each
 * has one condition or several, of which any will do, and may have a command: words, no line of a
 * shell.
 *
 *   [alert diverges]
 *   metric=evaluate/loss
 *   above=5
 *   command=mail-me;--subject;It diverges
 */
typedef struct
{
  char *name;
  char *metric;        /* (nullable): a series, of which the next three speak */
  double above, below; /* NAN: not said */
  gboolean non_finite;
  double stalls;      /* seconds without the end of a step; NAN: not said */
  guint64 disk_below; /* bytes free in the workspace; 0: not said */
  char **command;     /* (nullable): argv */
} SluiceAlertRule;

GArray *sluice_project_alerts_new (void);
gboolean sluice_project_is_alert_group (const char *group);
gboolean
sluice_project_load_alert (SluiceProject *self, GKeyFile *file, const char *group, GError **error);
void sluice_project_save_alerts (const SluiceProject *self, GKeyFile *file);
