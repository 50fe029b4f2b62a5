/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/measured.h"

/* What measured.c has and measured-text.c writes and reads. */
struct _SluiceMeasuredEntry
{
  char *device, *family, *shapes;
  SluiceCost cost;
  gint64 when; /* Unix seconds: when its last samples were kept */
  /* Of ALONE and TOGETHER: what is kept, and what came since. (nullable): none */
  SluiceSketch *kept[SLUICE_MEASURED_NOT_RUN];
  SluiceSketch *fresh[SLUICE_MEASURED_NOT_RUN];
  guint32 kept_not_run, fresh_not_run; /* at most SLUICE_SKETCH_MOST */
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
/* Kept and fresh ones together. FALSE: there are none */
gboolean sluice_measured_entry_get_times (const SluiceMeasuredEntry *entry,
                                          SluiceMeasuredHow how,
                                          SluiceSketch *times);
guint32 sluice_measured_entry_get_not_run (const SluiceMeasuredEntry *entry);
/* What the other has becomes something that is kept. */
void sluice_measured_entry_keep (SluiceMeasuredEntry *entry,
                                 SluiceSketch *const sketches[SLUICE_MEASURED_NOT_RUN],
                                 guint32 not_run,
                                 gint64 when);
