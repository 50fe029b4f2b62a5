/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/measured.h"
#include "engine/cost/machine.h"
#include "engine/graph/cost.h"

/*
 * How long a node takes on a device, and how sure that is: from the formula of the op's definition
 * and the machine's speed, from what was measured of that op on such shapes, or as a file says.
 */
typedef enum
{
  SLUICE_COST_FORMULA,
  SLUICE_COST_MEASURED,
  SLUICE_COST_GIVEN, /* costs.json */
  SLUICE_COST_NONE,  /* there is no kernel, or the file leaves it out */
} SluiceCostSource;

typedef struct
{
  double us;         /* the median; INFINITY: NONE */
  double plus_minus; /* nine of ten steps lie within */
  double p95;        /* NAN: not measured */
  guint64 n;         /* times that it was measured */
  SluiceCostSource source;
  double mean_us;      /* of MEASURED: what sums of many are made of; else us */
  double rounds;       /* of MEASURED: of its loop in a step, which us is the sum of; else 1 */
  gboolean is_carried; /* of MEASURED: it mostly ran in a kernel that others share */
  gconstpointer kind;  /* (nullable): of MEASURED: figures of one kind are off together */
} SluiceFigure;

typedef struct _SluiceCostModel SluiceCostModel;

SluiceCostModel *sluice_cost_model_new (void);
void sluice_cost_model_free (SluiceCostModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceCostModel, sluice_cost_model_free)

/* costs.json: {"nodes": {"a": {"us": {"CPU": 10, "/…/device:CPU:1": 7}, "bytes": [4000, …]}}}: a
 * node that it names stands only where it has a figure. INVALID_ARGUMENT, NOT_FOUND: names a node
 * that the graph does not have, and the one that is most like it. graph (nullable): not checked */
gboolean sluice_cost_model_load_given (SluiceCostModel *self,
                                       const char *path,
                                       SluiceGraph *graph,
                                       GError **error);

/* The same of a text. path: for messages */
gboolean sluice_cost_model_parse_given (SluiceCostModel *self,
                                        const char *text,
                                        gsize length,
                                        const char *path,
                                        SluiceGraph *graph,
                                        GError **error);

/* What was measured goes before the formulas, on devices that are here. measured: borrowed */
void sluice_cost_model_set_measured (SluiceCostModel *self, SluiceMeasured *measured);
/* Shapes are those of the nodes of the same names in sized (train/sized-graph.h; borrowed), and
 * batch stands for what is not known there, whatever those who ask take for it: as steps were
 * measured. sized (nullable): as they are */
void sluice_cost_model_set_batch (SluiceCostModel *self, SluiceGraph *sized, gint64 batch);
/* Of the link itself; else (what is fed goes without a record) of one between devices of the same
 * types, or of the way back. FALSE: nothing of the kind was measured */
gboolean sluice_machine_find_measured (const SluiceMachine *self,
                                       SluiceMeasured *measured,
                                       guint from,
                                       guint to,
                                       SluiceMeasuredLink *link);
/* Links between devices that are here take what was measured of them. */
void sluice_machine_take_measured (SluiceMachine *self, SluiceMeasured *measured);

/* Of a node on a device of the machine. unknown_dim: stands for each dimension that is not known */
SluiceFigure sluice_cost_model_get (SluiceCostModel *self,
                                    const SluiceNode *node,
                                    const SluiceMachineDevice *device,
                                    gint64 unknown_dim);
/* Of an output: as the file says, else by its static shape; 0 of a reference. */
double sluice_cost_model_get_bytes (SluiceCostModel *self,
                                    const SluiceNode *node,
                                    guint output,
                                    gint64 unknown_dim);
