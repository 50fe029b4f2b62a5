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
