/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* Case files: a GraphDef with test nodes beside it that say how to run it. Their format: README.md
 * here. */

typedef struct
{
  const char *edge; /* "x:0"; this and all strings here are the file's */
  SluiceTensor *value;
} CaseFeed;

typedef struct
{
  const char *edge;
  SluiceTensor *value; /* (nullable): NULL in a step that must fail */
  double rtol, atol;
} CaseExpect;

typedef struct
{
  const char *node; /* name of the test node, for messages and scopes */
  GPtrArray *ys;    /* of const char * */
  const char *xs;
  GHashTable *dys; /* y -> SluiceTensor */
  SluiceTensor *value;
  double rtol, atol;
} CaseGrad;

typedef struct
{
  gint64 number;
  const char *error;            /* (nullable): name of the code that it must fail with */
  const SluiceNode *unreadable; /* (nullable): the first test node of the step in error */
  guint n_cpus;
  GPtrArray *targets; /* of const char * */
  GArray *feeds;      /* of CaseFeed */
  GArray *expects;    /* of CaseExpect */
  GPtrArray *grads;   /* of CaseGrad */
} CaseStep;

typedef struct
{
  const char *name;
  GPtrArray *steps; /* of CaseStep, in order */
} Case;

typedef struct
{
  GPtrArray *cases; /* of Case, in the order of the file */
  GPtrArray *nodes; /* of SluiceNode: the graph itself, without the test nodes */
  GStringChunk *strings;
} CaseFile;

/* Borrows the graph's tensors and names: free before the graph. */
CaseFile *case_file_read (SluiceGraph *graph);
void case_file_free (CaseFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CaseFile, case_file_free)

/**
 * case_file_dup_load_error:
 *
 * For a file that must not load: the code that its test nodes name, read past the engine.
 *
 * Returns: (transfer full) (nullable)
 */
char *case_file_dup_load_error (const char *path);
