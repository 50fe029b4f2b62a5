/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/runs.h"

/*
 * Which runs are meant, in the words of the search field and of `sluice runs --filter`. All terms
 * must hold; '-' before one turns it round:
 *
 *   word, "several words"     in the name, the project, the group, a tag or the notes
 *   tag:T state:S project:P group:G name:N     what it begins with: tag:lenet is also lenet5
 *   is:starred is:forked
 *   NAME<X NAME<=X NAME>X NAME>=X NAME=X NAME!=X     a setting, else the last value of a series,
 *                             else step, steps, seed or seconds; X is a number, or, behind = and
 *                             !=, any text. Blanks may stand around the sign. A run without such a
 *                             name is none that is meant
 */
typedef struct _SluiceRunFilter SluiceRunFilter;

/* INVALID_ARGUMENT: what is wrong with which term. An empty text means all runs. */
SluiceRunFilter *sluice_run_filter_new (const char *text, GError **error);
void sluice_run_filter_free (SluiceRunFilter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRunFilter, sluice_run_filter_free)
gboolean sluice_run_filter_matches (const SluiceRunFilter *self, const SluiceRunEntry *row);
