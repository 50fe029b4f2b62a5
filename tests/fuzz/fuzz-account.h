/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* What one call may cost: processor time of all threads together, and memory beyond what the
 * program held before it. */
#define FUZZ_LONGEST_CALL_US G_USEC_PER_SEC
#define FUZZ_LARGEST_CALL    ((gint64) 1 << 30)

/* How often an op, or whatever else is fuzzed, was met, and what its dearest call cost. */
typedef struct
{
  const char *name;
  guint64 n_calls;   /* cases that were thrown at it */
  guint64 n_reached; /* of these, runs that came to its kernel */
  guint64 n_well;    /* of these, runs that ended well */
  gint64 slowest_us;
  gint64 largest; /* bytes */
} FuzzAccount;

/* Measures one call from here to fuzz_account_end(); one at a time. */
void fuzz_account_begin (void);

/* Books the call; aborts with the name and `what` where it took longer or more memory than it may.
 */
void fuzz_account_end (FuzzAccount *self, const char *what);

/* Prints the sums, and the dearest calls, of n accounts. */
void fuzz_account_report (const FuzzAccount *accounts, guint n);
