/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/build/opened-graph.h"
#include "engine/graph/graph.h"
#include "engine/runtime/session/session.h"
#include "engine/train/project-ends.h"
#include "ui/canvas/graph-model.h"
#include "ui/canvas/view-state.h"

/* What a graph page shows of a project folder, a SavedModel or a graph file. */
typedef struct
{
  SluiceGraph *graph;
  SluiceSession *placed; /* (nullable): where the nodes would run */
  char *moved;           /* (nullable): sluice_session_dup_moved() of that */
  SluiceGraphModel *model;
  GPtrArray *problems;       /* of SluiceProblem, of graph */
  SluiceViewState *state;    /* (nullable): the positions that were saved */
  SluiceProjectEnds *ends;   /* (nullable): of a project */
  SluiceOpenedGraph *opened; /* (nullable): of a GraphDef that reads back as it is */
  char *layout_path;         /* (nullable): where they are saved */
  char *loss;                /* (nullable): name of the node that a project calls its loss */
} SluiceGraphFile;

/* On any thread. (transfer full) (nullable) */
SluiceGraphFile *sluice_graph_file_read (const char *path, GError **error);
void sluice_graph_file_free (SluiceGraphFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceGraphFile, sluice_graph_file_free)

/* Reads what the command line names while the toolkit starts. */
typedef struct _SluiceReadAhead SluiceReadAhead;

SluiceReadAhead *sluice_read_ahead_new (const char *path);
/* As sluice_graph_file_read(), but waits for what is under way; once. */
SluiceGraphFile *sluice_read_ahead_finish (SluiceReadAhead *self, const char *path, GError **error);
void sluice_read_ahead_free (SluiceReadAhead *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceReadAhead, sluice_read_ahead_free)
