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
