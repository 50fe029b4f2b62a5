/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/project.h"
#include "engine/train/start-from.h"

/*
 * What is known of a run before it is launched: how long it will take and what it will need, and
 * what in it looks wrong. The graph is looked at, and a few steps are taken in a state of their
 * own; nothing is written but files without a name. It forbids nothing.
 */
typedef enum
{
  SLUICE_PREFLIGHT_WELL,
  SLUICE_PREFLIGHT_LOOK, /* somebody should */
  SLUICE_PREFLIGHT_STOP, /* it would fail, or learn nothing */
} SluicePreflightLevel;
const char *sluice_preflight_level_name (SluicePreflightLevel level); /* "well" */

#define SLUICE_PREFLIGHT_BINS 24
typedef struct
{
  SluiceDType dtype;
  SluiceShape shape;
  double min, mean, max, deviation; /* of finite elements; NAN: there is none */
  gint64 n_elements, n_zeros, n_non_finite;
  gint64 bins[SLUICE_PREFLIGHT_BINS]; /* how many lie in each of so many parts from min to max */
} SluicePreflightSpread;

typedef struct
{
  const char *what;   /* "step_us", "finish_seconds", "peak_bytes", "disk_bytes", "resume_exact",
                         "project", "setting", "nodes", "gradient", "input", "labels", "first_loss",
                         "start"; beside the first and the third of these, by other sources,
                         "model_us", "run_us" and "plan_bytes" */
  char *name;         /* (nullable): of what: a device, an edge, a key */
  double value;       /* NAN: it has none */
  double plus_minus;  /* NAN: none, or not known */
  double limit;       /* that value is not to exceed; NAN: none, or not known */
  const char *unit;   /* "us", "s", "bytes", "" */
  const char *source; /* (nullable): of a figure: "measured" here and now, "run" (measured in one
                         that was trained), "modelled", "plan" */
  char *text;         /* in words */
  SluicePreflightLevel level;
  char *action;                  /* (nullable): what can be done, in words */
  SluicePreflightSpread *spread; /* (nullable): of an input's first batch */
  GArray *counts;                /* (nullable) (element-type gint64): how often each class comes */
  char *set;                     /* (nullable): the setting that does it, "train.batch=32" */
  char *node;                    /* (nullable): that is to be looked at */
  char *take_out;                /* (nullable): the promoted parameter that does nothing */
} SluicePreflightItem;

typedef struct
{
  gboolean ok;             /* no item says STOP */
  GPtrArray *items;        /* of SluicePreflightItem */
  SluiceStartTable *start; /* (nullable): where it begins with a checkpoint */
} SluicePreflight;
void sluice_preflight_free (SluicePreflight *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluicePreflight, sluice_preflight_free)

typedef struct
{
  const SluiceSessionOptions *host; /* (nullable): of whose options those of the machine count */
  const char *const *allow_files;   /* (nullable): as of SluiceTrainerOptions */
  const char *workspace;            /* (nullable): whose disk is to have room; need not exist */
  const char *init_from;            /* (nullable): a checkpoint to begin with */
  const char *const *refused;       /* (nullable): settings that were asked for and are none */
  double seconds;                   /* to measure steps in; 0: 1 */
  GCancellable *cancellable;        /* (nullable) */
  /* (nullable): on this or another thread; part: of all that is to be done, 0 to 1 */
  void (*progress) (double part, const char *what, gpointer data);
  gpointer progress_data;
} SluicePreflightOptions;

/**
 * sluice_preflight:
 * @project: with its overrides; what its graph may touch is allowed to it
 *
 * Any thread; takes the time to load graph and data, options->seconds and a little more. A project
 * that cannot be trained is no error: the card says why.
 *
 * Returns: (transfer full) (nullable): %NULL with CANCELLED
 */
SluicePreflight *
sluice_preflight (SluiceProject *project, const SluicePreflightOptions *options, GError **error);
