/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/journal.h"

/* A graph file to be edited, with what was done to it last time and is not saved. */
typedef struct
{
  char *path;
  GBytes *base;              /* what the stack's first command was done to */
  GBytes *known;             /* what the file is known to hold */
  char *known_hash;          /* sluice_journal_hash() of that */
  SluiceCommandStack *stack; /* of the graph as it is now */
  char *graph_hash;          /* (nullable): of the graph, where that is what the file holds */
  SluiceJournal *journal;    /* (nullable): nothing was left */
  SluiceJournalOutcome outcome;
  GError *problem; /* (nullable): why not all that was left is here */
} SluiceOpenedGraph;

/* On any thread. (transfer full) (nullable) */
SluiceOpenedGraph *sluice_opened_graph_read (const char *path, GError **error);
void sluice_opened_graph_free (SluiceOpenedGraph *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceOpenedGraph, sluice_opened_graph_free)
