/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "tests/faults/faults.h"

/* Where the requests of a run begin to count. */
typedef struct
{
  FaultKind kind;
  gint64 n; /* -1: none fails */
  gboolean for_good, has_begun;
} Plan;
void plan_begin (Plan *plan);

/* Returns what the run brought, as text that is the same each time; NULL: error is set.
 * (transfer full) */
typedef char *(*Path) (Plan *plan, GError **error);

/* Requests [from, to). */
typedef struct
{
  gint64 from, to;
} RequestSpan;

/* A way through the engine, or a part of one. */
typedef struct
{
  const char *name;
  Path run;
  void (*set_up) (void);    /* (nullable) */
  void (*tear_down) (void); /* (nullable) */
  guint well_every;         /* 0: after each run that was refused something comes one that is not */
  /* (nullable): requests of memory, each of which is refused in a part of its own; here only every
   * SPARSE-th. (transfer full) (element-type RequestSpan): ascending */
  GArray *(*list_sparse) (void);
  gboolean only_memory;
  const char *misread; /* (nullable): how a library tells no memory that does not tell it */
} Part;

#define SPARSE 211 /* SLUICE_FAULTS=all: 1 */

typedef struct
{
  gint64 n_requests[N_FAULT_KINDS];
  guint n_points[N_FAULT_KINDS], n_errors, n_sparse;
} Count;

void count_add (Count *self, const Count *part);
/* "# NAME: ..." */
void count_print (const Count *self, const char *name);

/* Refuses each request of a part, once, and it and all after it. */
void inject (const Part *part, Count *count);
/* Prints the numbers of each and adds them up. */
void inject_each (const Part *parts, guint n, Count *total);
