/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/measured.h"

/* What measured.c has and measured-text.c writes and reads. */
struct _SluiceMeasuredEntry
{
  char *device, *family, *shapes;
  SluiceCost cost;
  gint64 when; /* Unix seconds: of the last sample */
  /* Of ALONE and TOGETHER: all, and what came since they were kept. (nullable): none */
  SluiceSketch *times[SLUICE_MEASURED_NOT_RUN];
  SluiceSketch *fresh[SLUICE_MEASURED_NOT_RUN];
  guint32 not_run, fresh_not_run; /* at most SLUICE_SKETCH_MOST */
};

struct _SluiceMeasured
{
  GHashTable *entries;  /* a set of SluiceMeasuredEntry, by their three texts */
  GHashTable *families; /* device, tab, family -> GPtrArray of SluiceMeasuredEntry */
  char *device_options; /* (nullable) */
  GHashTable *names;    /* as asked -> as kept */
};

/* The entry of those texts, made where there is none. */
SluiceMeasuredEntry *sluice_measured_open_texts (SluiceMeasured *self,
                                                 const char *device,
                                                 const char *family,
                                                 const char *shapes,
                                                 SluiceCost cost);
/* from: (nullable) */
void sluice_measured_merge_sketch (SluiceSketch **to, const SluiceSketch *from);
