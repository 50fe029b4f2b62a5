/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/store/store.h"
#include "engine/train/project.h"

/*
 * What a run of a project may be begun with otherwise than the project says. No GTK; read in a
 * worker.
 */

/* When another value would count, were the run under way already. */
typedef enum
{
  SLUICE_EFFECT_NOW, /* between two steps */
  SLUICE_EFFECT_NEXT_STEP,
  SLUICE_EFFECT_RESTART,
} SluiceSettingEffect;

/* Group of what a run that waits is said to need (queue-needs.h). Of these a project says the
 * device, and what a simulated one is like. */
#define SLUICE_LAUNCH_NEEDS          "needs"
#define SLUICE_LAUNCH_DEVICE         "device"
#define SLUICE_LAUNCH_DEVICE_OPTIONS "device-options"

/* One setting. */
typedef struct
{
  const char *group; /* of project.ini; "" of a promoted parameter; SLUICE_LAUNCH_NEEDS */
  char *key;
  char *value;       /* as the project, or else the graph, has it; (nullable): a parameter whose
                        value the graph computes */
  const char *title; /* (nullable) N_(): NULL: the key is what it is called */
  char *unit, *help; /* (nullable): what the project says of a parameter */
  char *range;       /* (nullable): "0 to 1" */
  char *from;        /* where it comes from: "train/learning_rate", "train.steps" */
  const char *type;  /* N_(): of an edge its dtype */
  SluiceSettingEffect effect;
  char **choices; /* (nullable): what it may be, where that is one of a few; the usual one first */
  const char *placeholder; /* (nullable) (transfer none): in an empty field */
  gboolean is_switch;
  gboolean is_gone; /* a promoted parameter that the graph has no more */
} SluiceLaunchSetting;

typedef struct
{
  char *folder, *graph_hash; /* graph_hash: (nullable): it could not be read */
  char *graph_failure;       /* (nullable): why */
  SluiceProject *project;    /* for checks of single values, which change it */
  /* Of SluiceLaunchSetting: promoted parameters, then the keys of [train], [data], [evaluate] and
   * [project] that sluice_project_set() takes, options of sessions among those of [train], then
   * what it needs. */
  GPtrArray *settings;
} SluiceLaunchForm;
void sluice_launch_form_free (SluiceLaunchForm *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLaunchForm, sluice_launch_form_free)

/**
 * sluice_launch_form_load:
 * @folder: of a project, or of a run, which has its own
 * @step: of that run, whose settings are those that hold there; -1: it is no run
 *
 * Returns: (transfer full) (nullable): what makes the project none
 */
SluiceLaunchForm *sluice_launch_form_load (const char *folder, gint64 step, GError **error);

/* "train.batch": what sluice_project_set() and sweeps call it. (transfer full) */
char *sluice_launch_setting_dup_name (const SluiceLaunchSetting *self);
/* What is changed from run to run is in sight, the rest is folded away. */
gboolean sluice_launch_setting_is_frequent (const SluiceLaunchSetting *self);
/* Is that text the value that holds anyway? */
gboolean sluice_launch_setting_is_default (const SluiceLaunchSetting *self, const char *value);
/* "now", "next step", "needs restart": (transfer none). */
const char *sluice_effect_words (SluiceSettingEffect effect);
