/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/difference.h"
#include "engine/graph/graph.h"

/*
 * Where two computations of a graph part: the first node that gives something else though all that
 * it reads is the same.
 */
typedef struct
{
  gboolean by_dtype;
  double rtol, atol; /* else; both 0: bits, but that any NaN is like any other */
} SluiceTolerance;

/* An output beside what it should be. */
typedef struct
{
  SluiceEdge edge;
  char *name;       /* as the reference names it, else "node:port" */
  char *mismatch;   /* (nullable): dtype or shape, or that one of both has no value, in words; there
                       is no difference then */
  gboolean is_dead; /* its branch was taken neither way */
  SluiceDifference difference;
  gboolean diverges;
  char *was, *is; /* (nullable): of the first element that is too far away: wanted, and got */
  char *place;    /* (nullable): where that stands, "[2,5]"; NULL also of a scalar */
} SluiceCompared;

/* Takes a copy of the name; nothing is compared yet. (transfer none) */
SluiceCompared *sluice_compared_add (GArray *rows, SluiceEdge edge, const char *name);
/* got, want: (nullable): it lies in a branch that was not taken. Once for each. */
void sluice_compared_set (SluiceCompared *self,
                          const SluiceTensor *got,
                          const SluiceTensor *want,
                          const SluiceTolerance *tolerance);
GArray *sluice_compared_new_array (void); /* (element-type SluiceCompared) */

typedef struct
{
  char *node, *op;
  char *tensor; /* the output, as SluiceCompared names it */
  char *mismatch, *was, *is, *place;
  SluiceDifference difference;
  char *variable;     /* (nullable): it is, or reads, that one */
  GPtrArray *inputs;  /* of char: what it reads, and was compared */
  GPtrArray *unknown; /* of char: what it reads, and was not */
  guint n_others;     /* nodes and variables beside it that differ though what they read does not */
} SluiceDivergence;

/**
 * sluice_divergence_find:
 * @rows: (element-type SluiceCompared): in topological order
 *
 * An input that was not compared differs where something does that it was made of; so does a
 * variable where its writer, before the reader, was given something else.
 *
 * Returns: (transfer full) (nullable): %NULL where nothing diverges
 */
SluiceDivergence *sluice_divergence_find (SluiceGraph *graph, const GArray *rows);
void sluice_divergence_free (SluiceDivergence *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceDivergence, sluice_divergence_free)
