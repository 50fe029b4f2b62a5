/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kind.h"

/* Something that happened to a run: "checkpoint", "resume", "failed" ... Events belong to the run;
 * those of one kind are listed as one series. */
typedef struct
{
  SluiceRecord base;
  char *kind, *text; /* text: (nullable) */
} SluiceEvent;

SluiceEvent *sluice_event_new (gint64 step, double wall, const char *kind, const char *text);

/* Of a "resume": what came after its step was dropped, as far as the step @came_to. (transfer full)
 * (nullable): NULL where nothing was. */
char *sluice_event_dup_dropped_text (gint64 step, gint64 came_to);
/* The step that what was dropped had come to; its own step where nothing was, or another kind. */
gint64 sluice_event_get_dropped (const SluiceEvent *self);

/* Of a "set": a setting became another. before: (nullable): the graph computes it. (transfer full)
 */
char *sluice_event_dup_change_text (const char *key, const char *before, const char *after);
/* FALSE: it is no such event. All are (transfer full); before may be NULL, as above. */
gboolean sluice_event_get_change (const SluiceEvent *self, char **key, char **before, char **after);
