/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/store/store.h"

/*
 * The proof that a run is what it says that it is: it is trained again, wholly or for some steps
 * from a checkpoint, into nothing, and every value that was logged and every variable of every
 * checkpoint is compared with it, bit for bit. Where both part, the first step is told, the
 * variable, the input or the op, and why.
 */
typedef enum
{
  SLUICE_PARTING_UNKNOWN,  /* nothing that was recorded differs */
  SLUICE_PARTING_VARIABLE, /* a checkpoint holds other bytes than were computed */
  SLUICE_PARTING_DATA,     /* an example is another one now */
  SLUICE_PARTING_OPTION,   /* the run's project is another one than when it was trained */
  SLUICE_PARTING_GRAPH,    /* its graph is */
  SLUICE_PARTING_VALUE,    /* a value in the log, and nothing else */
  SLUICE_PARTING_BUILD,    /* another program made it */
  SLUICE_PARTING_MACHINE,  /* another machine did */
} SluicePartingCause;
const char *sluice_parting_cause_name (SluicePartingCause cause); /* "data" */

typedef struct
{
  gint64 step;
  char *node;     /* variable, input or op */
  char *tensor;   /* (nullable): "node:0", a variable's name in the checkpoint, a tag of the log */
  gint64 element; /* the first that differs; -1: not known, or dtype or shape do */
  char *was, *is; /* (nullable): the element, or a shape, as it was recorded and as it came out */
  SluicePartingCause cause;
  char *because; /* in words */
} SluiceParting;

typedef struct
{
  gboolean equal;
  gint64 from, to;        /* steps that were compared: those after from */
  guint64 n_values;       /* that were logged */
  guint n_checkpoints;    /* whose variables were compared */
  char *machine, *build;  /* build: (nullable) */
  GPtrArray *notes;       /* of char: what differs and changes nothing */
  SluiceParting *parting; /* (nullable) */
} SluiceReproduction;
void sluice_reproduction_free (SluiceReproduction *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceReproduction, sluice_reproduction_free)

typedef struct
{
  gint64 from;    /* a step with a checkpoint, 0 for the start; -1: where the run began */
  gint64 n_steps; /* 0: to the end */
  guint n_cpus;   /* 0: as many as the run had */
  const SluiceSessionOptions *host; /* (nullable): of whose options those of the machine count */
  const char *const *allow_files;   /* (nullable): as of SluiceTrainerOptions */
  GCancellable *cancellable;        /* (nullable) */
  void (*progress) (gint64 step, gint64 to, gpointer data); /* (nullable): after each step */
  gpointer progress_data;
} SluiceReproduceOptions;

/**
 * sluice_reproduce:
 * @run: name or id
 *
 * Any thread; takes as long as the training did. The store is only read, but the run's folder
 * keeps what came of it (SluiceRunProof), where it can be written.
 *
 * Returns: (transfer full) (nullable): %NULL where it could not be tried: FAILED_PRECONDITION
 * (asynchronous workers make each run another one; batches out of the graph's own queues have no
 * middle to begin in), NOT_FOUND (no such checkpoint; data are gone), CANCELLED, or what a step
 * failed of
 */
SluiceReproduction *sluice_reproduce (SluiceStore *store,
                                      const char *run,
                                      const SluiceReproduceOptions *options,
                                      GError **error);
