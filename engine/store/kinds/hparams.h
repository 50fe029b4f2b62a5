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
  const char *text; /* (nullable): it is this, and no number */
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

/* What a session ended with, as session_end_info says it. */
typedef enum
{
  SLUICE_SESSION_UNKNOWN = 0,
  SLUICE_SESSION_SUCCESS = 1,
  SLUICE_SESSION_FAILURE = 2,
  SLUICE_SESSION_RUNNING = 3,
} SluiceSessionStatus;
/* FALSE: the record is no session_end_info. */
gboolean sluice_hparams_get_end (const SluiceRecord *record, SluiceSessionStatus *status);

/**
 * sluice_hparams_dup_settings:
 *
 * (transfer full) (element-type SluiceSetting): what a run began with, in order of names; empty
 * where the record is no session_start_info or cannot be read.
 */
GPtrArray *sluice_hparams_dup_settings (const SluiceBytesRecord *record);
