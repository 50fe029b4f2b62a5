/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * A project: a folder with project.ini (GKeyFile), model.pbtxt and model.layout. Unknown and
 * mistyped keys are errors that name the key and the nearest known one.
 */
typedef struct
{
  char *name;
  char *target; /* a node, or an edge "name:0" */
} SluiceNamedEdge;

typedef struct
{
  char *folder;
  char *name, *description;
  char *graph_path; /* absolute */
  char **init;      /* targets, in order */
  char *train;      /* target */
  char *loss;       /* edge */
  char *step;       /* (nullable) edge: the graph's own step counter */
  char *summaries;  /* (nullable) edge of serialised summaries */
  GArray *fetches;  /* of SluiceNamedEdge: extra scalars logged each step */

  gint64 n_steps, batch, checkpoint_every, summary_every, evaluate_every;
  guint64 seed;

  char *source;                              /* "idx", "csv", "npy" */
  char *train_x, *train_y, *test_x, *test_y; /* absolute; (nullable) where not given */
  double scale;                              /* of x */
  gboolean shuffle;
  gint64 *shape; /* of one example of x; (nullable): as the file has it */
  guint n_shape;
  char *feed_x, *feed_y; /* edges */

  GArray *evaluate; /* of SluiceNamedEdge: fetched over the test split; their means are logged */
  gint64 evaluate_batch;
  GArray *parameters; /* of SluiceNamedEdge: promoted parameters that --set may override */
} SluiceProject;

SluiceProject *sluice_project_load (const char *folder, GError **error);
void sluice_project_free (SluiceProject *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceProject, sluice_project_free)

/**
 * sluice_project_set:
 * @assignment: "steps=500", "train.batch=64", "learning-rate=0.01" (a promoted parameter)
 *
 * Overrides a key, as --set does. NOT_FOUND names the nearest known key.
 */
gboolean sluice_project_set (SluiceProject *self, const char *assignment, GError **error);
