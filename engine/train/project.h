/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

#include "engine/device/file-access.h"

/*
 * A project: a folder with project.ini (GKeyFile), model.pbtxt and model.layout. Unknown and
 * mistyped keys are errors that name the key and the nearest known one.
 */
typedef struct
{
  char *name;
  char *target; /* a node, or an edge "name:0"; of a parameter also "name:attribute" */
} SluiceNamedEdge;

/* A promoted parameter that --set gave a value: a number that is fed at every step, or (text not
 * NULL) an attribute, set in the graph before the first one (attr-parameter.h). */
typedef struct
{
  char *name;
  char *edge;
  double value;
  char *text;
} SluiceOverride;

typedef struct
{
  char *folder;
  char *name, *description;
  char *graph_path; /* absolute */
  char **init;      /* targets, run together */
  char **train;     /* targets: one, or one for each asynchronous worker */
  char **loss;      /* edges: the loss of each of them */
  char *step;       /* (nullable) edge: the graph's own step counter */
  char *summaries;  /* (nullable) edge of serialised summaries */
  GArray *fetches;  /* of SluiceNamedEdge: extra scalars logged each step */

  gint64 n_steps, batch, checkpoint_every, summary_every, evaluate_every;
  double checkpoint_minutes; /* of training from checkpoint to checkpoint; 0: no such */
  /* Of checkpoints: so many of the newest (0: all), so many of the best, each whose step this
     divides (0: none). */
  gint64 keep_last, keep_best, keep_every;
  char *best;          /* a series and what is best of it: "loss:min", "evaluate/accuracy:max" */
  gint64 record_steps; /* flight-recorder.h; 0: nothing is recorded */
  double record_slow;  /* medians that a slow step takes; 0: none is slow */
  guint64 seed;
  SluiceSessionOptions session; /* of [train]: the options of options.h that projects have */

  char *source;   /* "idx", "csv", "npy", "text"; "graph": batches come out of the graph itself, and
                     the keys of files and feeds are not wanted */
  char *y_column; /* (nullable): of a CSV file that holds x and y: name or number from 0; NULL: the
                     last */
  char *train_x, *train_y, *test_x, *test_y; /* absolute; (nullable) where not given */
  /* Where y is not given and no column: x is one sequence, an example n_shape elements of it, and
     its y what follows each of them. */
  double scale; /* of x */
  gboolean shuffle;
  gint64 *shape; /* of one example of x; (nullable): as the file has it */
  guint n_shape;
  char *feed_x, *feed_y; /* edges; (nullable): not fed */

  /* When it ends before its steps do (stop-rule.h): a series and what is best of it, as best;
     (nullable): never. So many of its values without a better one; 0: not for that. */
  char *stop_metric;
  gint64 stop_patience;
  double stop_min_delta, stop_target; /* target NAN: none */
  gboolean stop_non_finite;

  GArray *evaluate; /* of SluiceNamedEdge: fetched over the test split; their means are logged */
  GArray *texts;    /* of SluiceNamedEdge: strings, written to NAME.txt of the run */
  gint64 evaluate_batch;
  /* Of a trial of a sweep by successive halving (halving.h), by what "best" says: the others are
   * runs of its group. one_of 0: it is none; n_trials 0: a fork of one, which has its rungs and is
   * let go on. */
  gint64 first_rung, one_of, n_trials, trial;
  GArray *parameters; /* of SluiceNamedEdge: promoted parameters that --set may override */
  GHashTable *notes;  /* (nullable): of some parameters, by name, SluiceParameterNote */
  GArray *overrides;  /* of SluiceOverride */
  GArray *alerts;     /* of SluiceAlertRule (project-alerts.h) */
  GArray *changes; /* of SluiceSettingChange (project-changes.h): what becomes otherwise later on */
  SluiceFileAccess *files; /* what its graph may touch: what lies in the folder may be read */
} SluiceProject;

/* Is that a folder to load as a project, and no SavedModel's? One that is neither is a project
 * that cannot be loaded. */
gboolean sluice_project_is_folder (const char *path);
SluiceProject *sluice_project_load (const char *folder, GError **error);
void sluice_project_free (SluiceProject *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceProject, sluice_project_free)

/* Is the source "graph"? */
gboolean sluice_project_has_own_input (const SluiceProject *self);
/* Is there something to evaluate, and something to evaluate it on? */
gboolean sluice_project_evaluates (const SluiceProject *self);

/* The graph that the project names; of a SavedModel its MetaGraph of the tag "train", else the one
 * that sluice_graph_load_file() takes. (transfer full) (nullable) */
SluiceGraph *sluice_project_load_graph (const SluiceProject *self, GError **error);

/**
 * sluice_project_set:
 * @assignment: "steps=500", "train.batch=64", "learning-rate=0.01" (a promoted parameter)
 *
 * Overrides a key, as --set does, from the first step to the last: changes of it that were planned
 * go. NOT_FOUND names the nearest known key.
 */
gboolean sluice_project_set (SluiceProject *self, const char *assignment, GError **error);
/* Each of them, up to the first that is wrong. assignments: (nullable) (array zero-terminated=1) */
gboolean sluice_project_set_all (SluiceProject *self, char **assignments, GError **error);
/* NOT_FOUND as there. */
gboolean sluice_project_check_key (const SluiceProject *self, const char *name, GError **error);
/* A value of a key of [train] that holds a count. */
gboolean
sluice_project_parse_count (const char *name, const char *text, gint64 *count, GError **error);
/* (nullable) (transfer none) */
const SluiceNamedEdge *sluice_project_find_parameter (const SluiceProject *self, const char *name);
/* What it is instead of the graph's own. (nullable) (transfer none) */
const SluiceOverride *sluice_project_find_override (const SluiceProject *self, const char *name);

/**
 * sluice_project_save:
 * @folder: exists
 *
 * Freezes the project as it stands, overrides included: project.ini with absolute paths of the
 * data, and copies of the graph and its layout. sluice_project_load() reads it back.
 */
gboolean sluice_project_save (const SluiceProject *self, const char *folder, GError **error);
/* The project.ini alone, of a folder that has the rest. */
gboolean sluice_project_save_text (const SluiceProject *self, const char *folder, GError **error);
/* The project.ini that it would write: (transfer full). */
char *sluice_project_dup_text (const SluiceProject *self);
