/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/visibility.h"
#include "engine/graph/export-flags.h"
#include "engine/graph/graph.h"

SLUICE_PUBLIC_BEGIN

/*
 * GraphDef and MetaGraphDef, binary and text, in and out; SavedModel in (savedmodel.h). Every byte
 * is distrusted: nesting is scanned before it is unpacked, sizes are checked before memory is asked
 * for. Unknown fields of a binary file are kept for the way out.
 */

/* GRAPH_DEF_VERSION of the TensorFlow whose rules are followed (2.21): what is written as producer,
 * and what a graph's min_consumer is compared with. */
#define SLUICE_GRAPH_VERSION 2474

/**
 * sluice_graph_import:
 * @bytes: a GraphDef, MetaGraphDef or SavedModel, binary or text, plain or gzipped; told apart by
 * content. Of a SavedModel its MetaGraph of the tag "serve", or its only one
 *
 * Adds all nodes, in any order of definition. A node that cannot run (unknown op, shapes that
 * contradict, an input or attribute that is missing or wrong, part of a cycle without a loop) keeps
 * its error in node->error and is there; the import succeeds. It fails on bytes that are no
 * GraphDef (with the offset, or line and column), duplicate or malformed names, a graph that needs
 * a newer consumer, more than 2 GiB.
 *
 * Returns: %FALSE with INVALID_ARGUMENT, DATA_LOSS …, and the graph as it was
 */
gboolean sluice_graph_import (SluiceGraph *self, GBytes *bytes, GError **error);
/* path: such a file, or the folder of a SavedModel. */
SluiceGraph *sluice_graph_load_file (const char *path, GError **error);

/**
 * sluice_graph_load_tagged:
 * @path: a graph file, a SavedModel's folder or the file in it
 * @tags: (nullable) (array zero-terminated=1): of a SavedModel, which MetaGraph: the one of exactly
 * these tags, else the only one that has them all. NULL: "serve", or the only one there is
 *
 * Returns: (transfer full) (nullable): %NULL with NOT_FOUND that lists the sets of tags there are,
 * or as sluice_graph_load_file()
 */
SluiceGraph *sluice_graph_load_tagged (const char *path, const char *const *tags, GError **error);

/* (transfer full): the graph as a GraphDef (a MetaGraphDef where it came as one); flags:
 * SluiceExportFlags. */
GBytes *sluice_graph_export (SluiceGraph *self, guint flags, GError **error);

/* The same of a plain GraphDef in binary, in pieces between which others have their turn: the graph
 * may not change before all nodes are written. */
typedef struct _SluiceGraphExport SluiceGraphExport;
/* (nullable): the graph goes into a MetaGraphDef, which is written at once. */
SluiceGraphExport *sluice_graph_export_begin (SluiceGraph *graph);
void sluice_graph_export_free (SluiceGraphExport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceGraphExport, sluice_graph_export_free)
/* For so many µs at most. checksum: (nullable): of what was written. FALSE: there is more. */
gboolean sluice_graph_export_go_on (SluiceGraphExport *self, gint64 budget_us, GChecksum *checksum);
/* (transfer full) (nullable): what was written, all of it. */
GBytes *sluice_graph_export_end (SluiceGraphExport *self, GError **error);

/* One entry of a MetaGraphDef's collection `queue_runners`: nodes that fill a queue, each over and
 * over, until it is closed. */
typedef struct
{
  char *queue;
  char **enqueue; /* nodes, ends with NULL */
  char *close,
      *cancel; /* (nullable): nodes to run when filling ends, and when the run is stopped */
  guint32 closed_errors; /* bit 1 << code: errors that only say that there is no more */
} SluiceQueueRunner;

/* (transfer full) (nullable): empty where the graph came without; INVALID_ARGUMENT names the runner
 * and the node that the graph lacks, DATA_LOSS an entry that is damaged. */
GPtrArray *sluice_graph_dup_queue_runners (SluiceGraph *self, GError **error);

/* (transfer full) (nullable): the frames of loops that were made with swap_memory, as the contexts
 * of loops in the MetaGraphDef say (no node does); empty where the graph came without. DATA_LOSS:
 * one is damaged. */
GHashTable *sluice_graph_dup_swapping_frames (SluiceGraph *self, GError **error);

/* SHA-256 in hex of the canonical form: sorted by name, defaults elided, no layout, no unknown
 * fields. (nullable): RESOURCE_EXHAUSTED */
char *sluice_graph_dup_hash (SluiceGraph *self, GError **error);
/* The same of what it computes, on whatever devices: what a checkpoint belongs to. */
char *sluice_graph_dup_unplaced_hash (SluiceGraph *self, GError **error);

SLUICE_PUBLIC_END
