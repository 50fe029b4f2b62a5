/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/fuzz/fuzz-account.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static struct
{
  gint64 time_us;
  gint64 peak, resident;
} start;

/* Not the wall clock: what else the machine does is none of the op's business. */
static gint64
processor_time_us (void)
{
  struct timespec now;
  g_assert_cmpint (clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now), ==, 0);
  return (gint64) now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* The most that the program ever held. */
static gint64
peak_bytes (void)
{
  struct rusage usage;
  g_assert_cmpint (getrusage (RUSAGE_SELF, &usage), ==, 0);
  return (gint64) usage.ru_maxrss * 1024;
}

/* What it holds now. */
static gint64
resident_bytes (void)
{
  long long pages = 0;
  FILE *file = fopen ("/proc/self/statm", "re");
  g_assert_nonnull (file);
  g_assert_cmpint (fscanf (file, "%*s %lld", &pages), ==, 1);
  fclose (file);
  return (gint64) pages * sysconf (_SC_PAGESIZE);
}

void
fuzz_account_begin (void)
{
  /* As long as no new peak is made the call before may stand for this one's beginning: reading
   * the file costs as much as a small op. */
  gint64 peak = peak_bytes ();
  if (peak != start.peak)
    start.resident = resident_bytes ();
  start.peak = peak;
  start.time_us = processor_time_us ();
}

void
fuzz_account_end (FuzzAccount *self, const char *what)
{
  gint64 time_us = processor_time_us () - start.time_us, peak = peak_bytes ();
  gint64 bytes = peak > start.peak ? peak - start.resident : 0;
  self->slowest_us = MAX (self->slowest_us, time_us);
  self->largest = MAX (self->largest, bytes);
  if (time_us > FUZZ_LONGEST_CALL_US)
    g_error ("%s: %s took %.2f s", self->name, what, (double) time_us / G_USEC_PER_SEC);
  if (bytes > FUZZ_LARGEST_CALL)
    g_error ("%s: %s took %" G_GINT64_FORMAT " MiB", self->name, what, bytes >> 20);
}

static int
compare_time (const void *a, const void *b)
{
  const FuzzAccount *x = *(const FuzzAccount *const *) a, *y = *(const FuzzAccount *const *) b;
  return x->slowest_us < y->slowest_us ? 1 : x->slowest_us > y->slowest_us ? -1 : 0;
}

void
fuzz_account_report (const FuzzAccount *accounts, guint n)
{
  guint64 n_calls = 0, n_reached = 0, n_well = 0, least = G_MAXUINT64;
  guint n_met = 0;
  gint64 largest = 0;
  g_autofree const FuzzAccount **sorted = g_new (const FuzzAccount *, n);
  for (guint i = 0; i < n; i++)
    {
      const FuzzAccount *account = sorted[i] = &accounts[i];
      n_calls += account->n_calls;
      n_reached += account->n_reached;
      n_well += account->n_well;
      n_met += account->n_calls > 0;
      least = MIN (least, account->n_calls);
      largest = MAX (largest, account->largest);
    }
  printf ("# %" G_GUINT64_FORMAT " calls, %" G_GUINT64_FORMAT
          " came to a kernel, %" G_GUINT64_FORMAT " ended well\n",
          n_calls, n_reached, n_well);
  printf ("# %u of %u met, the rarest %" G_GUINT64_FORMAT " times\n", n_met, n, least);
  printf ("# largest: %" G_GINT64_FORMAT " MiB; slowest:\n", largest >> 20);
  qsort (sorted, n, sizeof (*sorted), compare_time);
  for (guint i = 0; i < MIN (n, 8); i++)
    printf ("#   %-36s %8.1f ms\n", sorted[i]->name, (double) sorted[i]->slowest_us / 1000);
}
