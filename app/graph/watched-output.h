/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "ui/chart/series-source.h"

/*
 * The output that the inspector looks at, and what it says of it. One at a time: another takes its
 * place, and the session looks no longer at the one before.
 */
typedef struct _SluiceWatchedOutput SluiceWatchedOutput;

SluiceWatchedOutput *sluice_watched_output_new (void);
void sluice_watched_output_free (SluiceWatchedOutput *self);

/* session (nullable), name (nullable): nothing is looked at. What is looked at already goes on.
 * is_call: the node calls a function. */
void sluice_watched_output_set (SluiceWatchedOutput *self,
                                SluiceSession *session,
                                const char *name,
                                guint port,
                                gboolean is_call);
/* Takes up what was seen since. */
void sluice_watched_output_read (SluiceWatchedOutput *self);

/* All (transfer full); "–" where nothing was seen yet. */
char *sluice_watched_output_range (SluiceWatchedOutput *self); /* "0 · 0.31 · 7.9" */
char *sluice_watched_output_zeros (SluiceWatchedOutput *self);
char *sluice_watched_output_non_finite (SluiceWatchedOutput *self);
/* Why there is nothing to see; "" where there is. */
char *sluice_watched_output_note (SluiceWatchedOutput *self);
/* Of the history: "mean 0.31 · steps 1 041 to 1 240". */
char *sluice_watched_output_caption (SluiceWatchedOutput *self);
/* Of the newest value: "64×4×4×48, 196.6 kB, in place". (nullable): nothing was seen yet */
char *sluice_watched_output_memory (SluiceWatchedOutput *self);
/* Not a number, or infinite, in the newest value. */
gboolean sluice_watched_output_is_bad (SluiceWatchedOutput *self);

/* The elements of the newest value are kept, too; of a large one its first rows. */
void sluice_watched_output_keep (SluiceWatchedOutput *self);
/* (transfer full) (nullable): nothing was seen yet, or it is no numbers. step: (out): of it */
SluiceTensor *sluice_watched_output_dup_kept (SluiceWatchedOutput *self, guint64 *step);

/* The means of the steps looked at. (transfer none): it is another after
 * sluice_watched_output_read() has seen something. */
SluiceSeriesSource *sluice_watched_output_get_means (SluiceWatchedOutput *self);
