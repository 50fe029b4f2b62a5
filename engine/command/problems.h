/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * All that is wrong with a graph while it is made, or looks wrong: nothing is ever unconnected that
 * looks as if it were. Found in the graph alone, in one pass; what would mend it is found when it
 * is asked for.
 */
typedef enum
{
  SLUICE_PROBLEM_STOPS, /* what runs it fails */
  SLUICE_PROBLEM_LOOK,  /* it runs, but probably not as it was meant */
} SluiceProblemLevel;
const char *sluice_problem_level_name (SluiceProblemLevel level); /* "stops", "look" */

typedef enum
{
  SLUICE_PROBLEM_OPEN,   /* an input that nothing is connected to */
  SLUICE_PROBLEM_ERROR,  /* the node's own: shapes, dtypes, attributes, an op that is not known */
  SLUICE_PROBLEM_UNFED,  /* of a project: a value that must be fed and is not */
  SLUICE_PROBLEM_UNREAD, /* a value that is fed and nobody reads */
  SLUICE_PROBLEM_UNREAD_DATA, /* the same of a project's data: what reads it is to be made */
  SLUICE_PROBLEM_NO_LOSS,     /* what has variables before it and leads to no loss */
  SLUICE_PROBLEM_UNTRAINED,   /* a variable that no optimizer updates */
  SLUICE_PROBLEM_MANY,        /* a loss that is more than one number */
  SLUICE_PROBLEM_BROADCAST,   /* elements that meet others than their own */
  SLUICE_PROBLEM_ROUNDS,      /* whole numbers where fractions are meant */
} SluiceProblemKind;

typedef struct
{
  SluiceProblemKind kind;
  SluiceProblemLevel level;
  SluiceNode *node;
  const char *name; /* of the node; stays when that has gone */
  int input;        /* -1: it is about the node */
  char *text;       /* one sentence, perhaps two, for people */
} SluiceProblem;

/* What a project does with its graph. */
typedef struct
{
  const char *const *fed; /* edges that are fed */
  const char *const *run; /* what is fetched or run: edges, nodes */
} SluiceProblemContext;

/**
 * sluice_problems_find:
 * @context: (nullable): where the graph is a project's
 *
 * Valid as long as the graph does not change. Only reads the fields of nodes, so that other threads
 * may look at the graph, too.
 *
 * Returns: (transfer full) (element-type SluiceProblem): those that stop first, then by node
 */
GPtrArray *sluice_problems_find (SluiceGraph *graph, const SluiceProblemContext *context);

/* The same in pieces, between which others have their turn. When the graph changes, what was found
 * is of no use any more. */
typedef struct _SluiceProblemSearch SluiceProblemSearch;
SluiceProblemSearch *
sluice_problem_search_new (SluiceGraph *graph, const SluiceProblemContext *context);
void sluice_problem_search_free (SluiceProblemSearch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceProblemSearch, sluice_problem_search_free)
/* For so many µs at most, or a little more where nodes are to be followed. (transfer full)
 * (nullable): all of them, in the end */
GPtrArray *sluice_problem_search_go_on (SluiceProblemSearch *self, gint64 budget_us);

/* What mends a problem. */
typedef struct
{
  char *title; /* "Connect labels" */
  char *line;  /* the command */
  char *text;  /* (nullable): a sentence: why, and what comes of it */
} SluiceProblemFix;
void sluice_problem_fix_free (SluiceProblemFix *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceProblemFix, sluice_problem_fix_free)

/* (transfer full) (nullable): nothing that is surely meant. Some milliseconds; the graph is only
 * read, but by nobody else. */
SluiceProblemFix *sluice_problem_find_fix (const SluiceProblem *self, SluiceGraph *graph);
