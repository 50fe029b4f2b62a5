/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/store/store.h"

/*
 * Two runs differ in several things: which one matters? Short runs of the first one, in which one
 * difference at a time is taken over from the second, say what it does to the loss. Each is run
 * with several seeds, the same ones as the first run is, so that the seeds' own spread is told
 * apart. They are runs like others, a group that waits in the queue: which of them answers what is
 * told by their projects alone, so that a question that was asked before has its answer, and one
 * that was interrupted goes on.
 */
typedef struct
{
  char *name;                /* "train.batch", "graph" */
  char *was, *is;            /* (nullable) */
  double effect, plus_minus; /* on the loss; NAN: it cannot be taken over alone */
  gboolean matters;          /* the effect is larger than ± */
  char *why;                 /* (nullable): why it cannot */
} SluiceMatter;

/* As settings are called in lists: without their group where that is the usual one. */
const char *sluice_matter_get_title (const SluiceMatter *self);

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
  const SluiceSessionOptions *host; /* (nullable): by which they are checked */
  const char *const *allow_files;   /* (nullable): as of SluiceTrainerOptions */
} SluiceWhichMattersOptions;

/* Of the short runs. */
typedef struct
{
  guint all, known; /* known: they have ended */
  guint waiting;    /* or are under way; the others are still to be asked for */
} SluiceWhichMattersState;

/* The group of the short runs. (transfer full) */
char *sluice_which_matters_dup_group (const SluiceRunInfo *first, const SluiceRunInfo *second);

/**
 * sluice_which_matters_look:
 * @answer: (out) (transfer full) (nullable): %NULL: not all of them have ended
 *
 * The loss is the mean over the last quarter of the steps. ± is of the paired differences
 * (Student's t, two-sided, 5 %).
 *
 * Returns: %FALSE with FAILED_PRECONDITION (nothing differs, or one of them was imported), or what
 * a run without any one difference failed of
 */
gboolean sluice_which_matters_look (SluiceStore *store,
                                    const SluiceRunInfo *first,
                                    const SluiceRunInfo *second,
                                    const SluiceWhichMattersOptions *options,
                                    SluiceWhichMattersState *state,
                                    SluiceWhichMatters **answer,
                                    GError **error);

/* Lets those wait in the queue that are still to be asked for: all of them or none. A difference
 * that cannot be taken over alone has none. */
gboolean sluice_which_matters_ask (SluiceStore *store,
                                   const SluiceRunInfo *first,
                                   const SluiceRunInfo *second,
                                   const SluiceWhichMattersOptions *options,
                                   GError **error);

/* Those that wait go to the trash; one that is under way goes on. */
gboolean sluice_which_matters_withdraw (SluiceStore *store,
                                        const SluiceRunInfo *first,
                                        const SluiceRunInfo *second,
                                        GError **error);
