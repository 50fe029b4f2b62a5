/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/train/replica.h"

/* What bench-truth runs: steps of a project, or of a graph that was drawn. */
#define TRUTH_SIM_OPTIONS "latency=50us, bandwidth=4G"
#define TRUTH_BATCH       64

#define TRUTH_MOST 128 /* feeds, and fetches, of a step */

typedef struct
{
  char *name;
  SluiceProject *project; /* of a project */
  SluiceExamples *examples, *test;
  SluiceReplica *replica;
  SluiceSession *session;
  SluiceCallable *step; /* of a graph that was drawn; NULL: the replica steps */
  GArray *feeds;        /* of SluiceFeed: of a graph that was drawn */
  GPtrArray *fetches;   /* of char: of such a graph, edges */
  GPtrArray *targets;   /* of char: of such a graph, nodes */
  double *scalars;      /* of the replica */
  guint64 n_steps;
  gint64 batch;
} TruthSubject;

/* Names the trouble and ends. */
void truth_fatal (const char *what, const GError *error) G_GNUC_NORETURN;

/* Of a SluiceFeed that owns its texts and its tensor. */
void truth_feed_clear (gpointer feed);
TruthSubject *truth_subject_draw (guint number);
/* A conformance program: of its first case the step that runs most nodes, after all of them.
 * (nullable): it has none that runs here and ends well */
TruthSubject *truth_subject_load_case (const char *path);
TruthSubject *truth_subject_load (const char *folder, guint n_cpus);
void truth_subject_free (gpointer subject);
/* Returns: what the step took, in microseconds */
double truth_subject_step (TruthSubject *self);
/* What a step is run for. fetches: (element-type SluiceEdge) */
void truth_subject_add_targets (const TruthSubject *self, GPtrArray *targets, GArray *fetches);
