/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/store/store.h"

/*
 * Two runs differ in several things: which one matters? Short runs of the first one, in which one
 * difference at a time is taken over from the second, say what it does to the loss. Each is run
 * with several seeds, the same ones as the first run is, so that the seeds' own spread is told
 * apart. Nothing is kept of them.
 */
typedef struct
{
  char *name;                /* "train.batch", "graph" */
  char *was, *is;            /* (nullable) */
  double effect, plus_minus; /* on the loss; NAN: it cannot be taken over alone */
  gboolean matters;          /* the effect is larger than ± */
  char *why;                 /* (nullable): why it cannot */
} SluiceMatter;

typedef struct
{
  gint64 n_steps;
  guint n_seeds;
  double loss, spread; /* of the first run: mean over seeds, and their standard deviation */
  double other;        /* of the second, with all differences */
  GPtrArray *matters;  /* of SluiceMatter: the largest effect first */
} SluiceWhichMatters;
void sluice_which_matters_free (SluiceWhichMatters *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceWhichMatters, sluice_which_matters_free)

typedef struct
{
  gint64 n_steps;                   /* of each short run */
  guint n_seeds;                    /* 0: 3 */
  const SluiceSessionOptions *host; /* (nullable) */
  const char *const *allow_files;   /* (nullable): as of SluiceTrainerOptions */
  GCancellable *cancellable;        /* (nullable) */
  void (*progress) (guint done, guint all, gpointer data); /* (nullable): after each short run */
  gpointer progress_data;
} SluiceWhichMattersOptions;

/* How many short runs it takes. @n_seeds: as of the options. 0: none, for a reason that
 * sluice_which_matters() has too. Reads the runs' projects. */
guint sluice_which_matters_count (SluiceStore *store,
                                  const SluiceRunInfo *first,
                                  const SluiceRunInfo *second,
                                  guint n_seeds,
                                  GError **error);

/**
 * sluice_which_matters:
 *
 * The loss is the mean over the last quarter of the steps. ± is of the paired differences
 * (Student's t, two-sided, 5 %).
 *
 * Returns: (transfer full) (nullable): %NULL with FAILED_PRECONDITION (nothing differs, or one of
 * them was imported), CANCELLED, or what a step of the runs themselves failed of
 */
SluiceWhichMatters *sluice_which_matters (SluiceStore *store,
                                          const SluiceRunInfo *first,
                                          const SluiceRunInfo *second,
                                          const SluiceWhichMattersOptions *options,
                                          GError **error);
