/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kinds/bytes.h"

/* Settings of a run, as TensorBoard's plugin keeps them: a message HParamsPluginData, one of three
 * parts, each with a tag of its own. */
#define SLUICE_HPARAMS_START_TAG "_hparams_/session_start_info"

/* (transfer full): takes a reference of content. */
SluiceBytesRecord *sluice_hparams_new (gint64 step, double wall, GBytes *content);

typedef struct
{
  const char *name;
  double value;
} SluiceHparam;

/* (transfer full): what a run begins with, as session_start_info. */
SluiceBytesRecord *
sluice_hparams_new_start (gint64 step, double wall, const SluiceHparam *settings, guint n);

/* One of them as it was recorded, a number or a text. */
typedef struct
{
  char *name;
  double number; /* of a text NaN */
  char *text;    /* (nullable): NULL of a number; "true", "false" of a truth value */
} SluiceSetting;
void sluice_setting_free (gpointer setting);

/**
 * sluice_hparams_dup_settings:
 *
 * (transfer full) (element-type SluiceSetting): what a run began with, in order of names; empty
 * where the record is no session_start_info or cannot be read.
 */
GPtrArray *sluice_hparams_dup_settings (const SluiceBytesRecord *record);
