/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/option-diff.h"
#include "engine/train/replica.h"
#include "engine/train/reproduce.h"
#include "engine/train/run-file.h"

/* ---- what was recorded (reproduce-log.c) ---- */

typedef struct
{
  GPtrArray *series; /* of SluiceSeriesInfo */
  GPtrArray *points; /* of GArray of SluiceScalar, of each; NULL: no scalars, or the machine's */
  GPtrArray *checkpoints; /* of SluiceCheckpointInfo */
  GPtrArray *events;      /* of SluiceEvent */
} SluiceLogged;

/* Of steps after from. */
SluiceLogged *sluice_logged_new (SluiceStore *store, gint64 run, gint64 from, GError **error);
void sluice_logged_free (SluiceLogged *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLogged, sluice_logged_free)
gboolean sluice_logged_get (const SluiceLogged *self, const char *tag, gint64 step, double *value);
/* (nullable): of a kind that is no scalar. */
const SluiceSeriesInfo *sluice_logged_find (const SluiceLogged *self, const char *tag);
/* Of a tag, or of any but the machine's; 0: none. */
gint64 sluice_logged_get_last_step (const SluiceLogged *self);
gboolean
sluice_logged_has_event (const SluiceLogged *self, gint64 step, const char *kind, const char *text);
/* (nullable) */
const SluiceCheckpointInfo *sluice_logged_find_checkpoint (const SluiceLogged *self, gint64 step);

/* ---- what has changed since ---- */

/* One tensor of a split. */
typedef struct
{
  const char *key; /* "train-x" */
  char *why;       /* (nullable): how the file is not what it was; NULL: it is */
  GArray *changed; /* (nullable) of gint64: examples; NULL: not known which */
  gint64 n_before; /* examples; 0: not known */
} SluiceDataChange;
enum
{
  SLUICE_TRAIN_X,
  SLUICE_TRAIN_Y,
  SLUICE_TEST_X,
  SLUICE_TEST_Y,
  SLUICE_N_DATA,
};

/* By which project the steps after from are made. */
typedef struct
{
  gint64 from;
  SluiceProject *project;
  char *state; /* (nullable): a checkpoint of step from, once it was reached */
} SluiceSegment;

typedef struct
{
  SluiceStore *store;
  const SluiceReproduceOptions *options;
  SluiceRunInfo *info;
  SluiceRunFile *file; /* (nullable) */
  char *folder, *scratch;
  GArray *segments;        /* of SluiceSegment */
  SluiceProject *recorded; /* (nullable): of the last segment, as it was when it was trained; NULL:
                              nothing that counts differs */
  GPtrArray *changes;      /* of SluiceOptionChange: between both */
  SluiceDataChange data[SLUICE_N_DATA];
} SluiceReproducer;

SluiceReplica *sluice_reproducer_new_replica (SluiceReproducer *self,
                                              SluiceProject *project,
                                              const SluiceExamples *examples,
                                              const SluiceExamples *test,
                                              GError **error);
/* A project of that text, with the graph of another one; NULL: error is set. */
SluiceProject *sluice_reproducer_load_text (SluiceReproducer *self,
                                            const char *text,
                                            const char *graph_path,
                                            GError **error);

/* ---- one way through the steps (reproduce-pass.c) ---- */

typedef struct
{
  gint64 from, to;        /* set by the caller */
  SluiceParting *parting; /* (nullable): the first; cause and because only where they are certain */
  gboolean is_logged;     /* it is of a logged value, not of a variable */
  guint n_equal_after, n_other_after; /* logged values of the steps behind it */
  guint n_other_elements;             /* of the checkpoint that it is of */
  guint64 n_values;
  guint n_checkpoints;
} SluicePassResult;

/* start: (nullable): the checkpoint of step from; NULL: as the project begins. Goes a little behind
 * the first difference. FALSE: a step failed, or it was cancelled; clear parting also then. */
gboolean sluice_reproducer_pass (SluiceReproducer *self,
                                 const char *start,
                                 SluicePassResult *result,
                                 GError **error);

/* ---- tensors, bit for bit (reproduce-bits.c) ---- */

/* The first element that differs; -1: none does. Both of one dtype and shape. */
gint64 sluice_tensor_find_other_bits (const SluiceTensor *a, const SluiceTensor *b);
/* (transfer full) (nullable): NULL where all bits are the same. step, cause and because are not
 * set. */
SluiceParting *sluice_parting_new_of (const char *node,
                                      const char *tensor,
                                      const SluiceTensor *was,
                                      const SluiceTensor *is);
void sluice_parting_free (SluiceParting *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceParting, sluice_parting_free)
/* The node that stands for the variable of that name in a checkpoint. */
const char *sluice_graph_find_variable_node (SluiceGraph *graph, const char *name);

/* ---- where two projects part (reproduce-find.c) ---- */

/**
 * sluice_reproducer_find_option:
 * @start: (nullable): a checkpoint to begin with
 * @last: step after which it is given up
 *
 * Trains the project as it was and as it is side by side.
 *
 * Returns: (transfer full) (nullable): where they part; %NULL without an error where they do not
 */
SluiceParting *sluice_reproducer_find_option (SluiceReproducer *self,
                                              const char *start,
                                              gint64 last,
                                              GError **error);
