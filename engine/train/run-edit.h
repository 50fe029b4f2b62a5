/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/retrace.h"

/*
 * A run goes on with another graph than it had: variables of the same name, dtype and shape keep
 * their values, optimizers' slots among them, and so do random streams and the place in the data;
 * other variables begin as the new graph makes them. From that step on the run is that of the new
 * graph; an event tells of it. What it was right before lies in the run's folder, edits/N: project,
 * graph and checkpoint, so that it can be taken back, and forks from before know their graph.
 */
typedef struct
{
  GBytes *graph;     /* GraphDef, binary or text */
  const char *words; /* (nullable): what was done; NULL: what is different, in numbers */
  gint64 step;       /* at which; -1: that of the run */
  const SluiceSessionOptions *host; /* (nullable): by which it is tried */
  SluiceRecomputes recomputes;      /* (nullable) */
  gpointer recomputes_data;
} SluiceGraphEdit;

typedef struct
{
  gint64 step;
  gboolean is_same;               /* the run's graph is that: nothing was done */
  guint n_kept, n_new, n_dropped; /* variables */
} SluiceGraphEdited;

/**
 * sluice_run_edit:
 * @edited: (out)
 *
 * Of a run that nobody trains at the time. What was logged after the step is forgotten.
 *
 * Returns: %FALSE, and the run is as it was: FAILED_PRECONDITION (it is at work, or its graph is a
 * SavedModel), OUT_OF_RANGE, or what the graph cannot be trained for
 */
gboolean sluice_run_edit (SluiceStore *store,
                          const SluiceRunInfo *run,
                          const SluiceGraphEdit *edit,
                          SluiceGraphEdited *edited,
                          GError **error);

/**
 * sluice_run_take_back_edit:
 * @step: (out): that the run stands at again
 * @graph: (out) (nullable) (transfer full): its file as it was before
 *
 * Graph and checkpoint are what they were before the last edit; what was logged since is forgotten.
 *
 * Returns: %FALSE with NOT_FOUND where there is none, or as sluice_run_edit()
 */
gboolean sluice_run_take_back_edit (
    SluiceStore *store, const SluiceRunInfo *run, gint64 *step, GBytes **graph, GError **error);

/* When a workspace is opened to be written: edits that a program was killed over, or a full disk
 * ended, are taken back. (transfer full): the names of their runs */
char **sluice_run_mend_edits (SluiceStore *store);

/* The step of the last edit; -1: there is none. folder: of the run */
gint64 sluice_run_edit_get_last (const char *folder);
/* Where the project lies by which the run trained up to that step: the folder, or one below it.
 * (transfer full) */
char *sluice_run_edit_dup_folder_at (const char *folder, gint64 step);
