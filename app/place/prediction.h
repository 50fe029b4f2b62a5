/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/passes/graph-workload.h"
#include "engine/runtime/session/session.h"

/*
 * What a step of a graph would take on a machine, where each of its nodes stands there, and what
 * each could have had instead. Nothing of it changes once it is made: any thread.
 */
typedef struct
{
  const char *project; /* (nullable): the folder: its step, batch and devices; NULL: all nodes, on
                          one CPU */
  const char *machine; /* (nullable): a file of devices and links; NULL: those that are here */
  const char *policy;  /* (nullable): who chooses; NULL: as runs do it, which on a machine that is
                          not here is greedy */
  const char *const *moved; /* (nullable): nodes, and scopes ("conv1/"), that ask for a device… */
  const char *device;       /* … which is this one, "/device:CPU:1" */
} SluicePredictionOptions;

typedef struct
{
  SluiceGraph *graph; /* a copy, sized as steps are */
  SluiceMachine *machine;
  SluiceGraphWorkload *workload;
  SluiceChoice *choice; /* with candidates */
  SluicePlacements *placements;
  char *policy; /* (nullable): who chose; NULL: nobody, they stand where they ask to */
  double link_bytes, peak_bytes; /* over all links; of the device that holds most */
  double *measured_us;           /* by node of the workload, on its device; NAN: not measured */
  double *plus_minus;            /* the same of the figure that was counted with */
  double us, plus_minus_us;      /* of the step; the schedule's own is the simulator's count */
  guint n_moved;                 /* nodes */
  SluiceSession *session;        /* whose devices the machine has */
  GHashTable *numbers;           /* name -> number in the workload + 1 */
  gint ref_count;
} SluicePlacePrediction;

/**
 * sluice_prediction_new:
 * @graph: is copied; nobody changes it meanwhile
 *
 * Returns: (transfer full) (nullable): CANCELLED; what keeps a node from standing anywhere, with
 * the shortest chain of what excludes each other; what is wrong with project, machine or policy;
 * RESOURCE_EXHAUSTED where a memory is too small
 */
SluicePlacePrediction *sluice_prediction_new (SluiceGraph *graph,
                                              const SluicePredictionOptions *options,
                                              GCancellable *cancellable,
                                              GError **error);
SluicePlacePrediction *sluice_prediction_ref (SluicePlacePrediction *self);
void sluice_prediction_unref (SluicePlacePrediction *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluicePlacePrediction, sluice_prediction_unref)

/* FALSE: no node of the step */
gboolean sluice_prediction_find (const SluicePlacePrediction *self, const char *name, guint *node);
/* Why it stands there: the placement's words, translated, else the policy's. (transfer full) */
char *sluice_prediction_dup_reason (const SluicePlacePrediction *self, guint node);
/* What a node asks for to stand on a device: "/device:CPU:1", the full name where that is several.
 * (transfer full) */
char *sluice_prediction_dup_spec (const SluicePlacePrediction *self, guint device);
/* How many nodes of the step stand on a device, and for how long it works. */
guint sluice_prediction_get_load (const SluicePlacePrediction *self, guint device, double *busy_us);
/* Does what is named hold the node? place: a node, or a scope ("conv1/") */
gboolean sluice_place_holds (const char *place, const char *node);
