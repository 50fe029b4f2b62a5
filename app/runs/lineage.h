/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/run-color.h"
#include "engine/store/store.h"

/*
 * Runs that came of each other, on one axis of steps: who left whom at which step, where
 * checkpoints are, where each ended and how far it still has to go. No GTK.
 */
typedef struct
{
  gint64 from, to;
} SluiceLineageTail; /* steps that were taken, and dropped when the run went on at the first one */

typedef struct
{
  gint64 run;
  char *name;
  /* (nullable), of whoever knows: "learning-rate 0.1", "98.6 %"; of a draft of several "6 runs" */
  char *change, *outcome, *plan;
  SluiceRunState state;
  SluiceColor color;
  int parent;           /* its place among the lines; -1: none that is shown */
  gint64 from, to, end; /* it began at from, is at to, and is to go on until end; end <= to:
                           no further */
  GArray *checkpoints;  /* of gint64, ascending */
  GArray *tails;        /* of SluiceLineageTail, ascending; to == from: nothing was dropped */
} SluiceLineageLine;

typedef struct
{
  GPtrArray *lines; /* of SluiceLineageLine: a parent before its children, oldest first */
  gint64 last_step; /* of all: the axis ends here */
  guint n_left_out; /* runs of the families that there was no room for */
} SluiceLineage;

/**
 * sluice_lineage_new:
 * @infos: (element-type SluiceRunInfo): all runs
 * @wanted: (element-type gint64): those whose families are shown
 * @most: lines
 *
 * (transfer full): the families of the wanted runs: all that they came of, and all that came of
 * these.
 */
SluiceLineage *sluice_lineage_new (GPtrArray *infos, GArray *wanted, guint most);
void sluice_lineage_free (SluiceLineage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLineage, sluice_lineage_free)
/* Reads their checkpoints, and where they went on. On a worker. */
gboolean sluice_lineage_read (SluiceLineage *self, SluiceStore *store, GError **error);
/* (transfer full): "lenet-2, from lenet-1 at step 1 000, finished at step 3 000, checkpoints at …"
 */
char *sluice_lineage_dup_words (const SluiceLineage *self, guint line);
