/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

/* What an option of sessions costs: the same step in two sessions, in turns on one thread. Failures
 * end the program. */
typedef struct _PairSide PairSide;

/* (array length=2): sessions with the graph, one with either options. */
PairSide *pair_new (SluiceGraph *graph, const SluiceSessionOptions *options);
void pair_free (PairSide *sides);

/* names, outputs: as of sluice_session_prepare(), for both; feeds are borrowed. At most one fetch.
 */
void pair_prepare (PairSide *sides,
                   const char *const *names,
                   guint n_names,
                   SluiceTensor *const *feeds,
                   const char *fetch,
                   const char *target);

/* The median CPU time of a step of either. */
void pair_measure (PairSide *sides, double ns[2]);

/* The same of a project's training step, after its initialisation, on its first batch; its name.
 * (transfer full) */
char *pair_measure_project (const char *folder, const SluiceSessionOptions *options, double ns[2]);
