/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/diff.h"
#include "engine/store/runs.h"
#include "engine/train/seed-spread.h"

/*
 * What differs between runs: all that decides their numbers, kind by kind, and whether what came of
 * them differs by more than seeds do. It is told from what the store and the runs' folders hold; of
 * a run without a folder, which was imported, what is not known differs from nothing.
 */

/* The kinds, in the order in which they are told: "graph", "setting", "data", "order", "seed",
 * "start", "build", "machine", "devices", "threads". NULL-terminated; translatable with _(). */
extern const char *const sluice_run_diff_kinds[];

typedef struct
{
  const char *what; /* of sluice_run_diff_kinds[] */
  char *name;       /* a node and its field, a setting, a file of data; else what */
  char **values;    /* of each run; NULL: it has none */
  guint n_values;
} SluiceRunDiffItem;

/* A node, or a function of the library, that two graphs do not have alike. */
typedef struct
{
  SluiceDiffKind kind;
  char *name; /* where it is removed: as it was */
  char *was;  /* (nullable): of one that is renamed */
  char *what; /* the op; of one that is changed its first field, "input 0: a → b" */
} SluiceRunNodeDiff;

typedef struct
{
  guint n_runs;
  GPtrArray *differs;  /* of SluiceRunDiffItem */
  GPtrArray *same;     /* of const char *: kinds in which nothing differs */
  char **same_values;  /* of each of them: what all runs have, where that is one value, else "" */
  guint n_settings;    /* that any of them has */
  gboolean has_graphs; /* two runs, whose graphs were compared node by node: */
  GPtrArray *nodes;    /* of SluiceRunNodeDiff: those that are not alike */
  guint n_nodes;       /* of the second graph */
  GPtrArray *results;  /* of SluiceRunResultDiff, by tag */
} SluiceRunDiff;

/**
 * sluice_run_diff_new:
 * @runs: at least two
 *
 * Of two runs the graphs are compared node by node (engine/graph/diff.h), of more it is told whose
 * are others.
 */
SluiceRunDiff *sluice_run_diff_new (SluiceStore *store,
                                    const SluiceRunInfo *const *runs,
                                    guint n_runs,
                                    GError **error);
/**
 * sluice_run_diff_new_of:
 * @names: (array zero-terminated=1): at least two, as sluice_store_dup_run() takes them
 * @own_names: (out) (transfer full) (array zero-terminated=1): what these runs are called
 *
 * The same of runs by name.
 */
SluiceRunDiff *sluice_run_diff_new_of (SluiceStore *store,
                                       const char *const *names,
                                       char ***own_names,
                                       GError **error);
void sluice_run_diff_free (SluiceRunDiff *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRunDiff, sluice_run_diff_free)
