/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What a limit of a device's memory costs: an LSTM by a while loop with swap_memory, trained with
 * all the memory that it wants and with a third of what its stacks alone take. Each in a process of
 * its own, since what is resident is measured, above the program that has loaded.
 *
 * bench-memory [LIMIT]: without an argument it runs itself with and without one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/pool.h"
#include "engine/runtime/session/session.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"
#include "tests/engine/runtime/lstm.h"

#define N_ITERATIONS 500
#define ROUNDS       3

static const LstmSize size = {
  .batch = 64, .units = 256, .parallel_iterations = 32, .swap_memory = TRUE
};

static void
check (GError *error)
{
  if (!error)
    return;
  fprintf (stderr, "bench-memory: %s\n", error->message);
  exit (1);
}

/* A line of /proc/self/status, in bytes. */
static double
status_bytes (const char *name)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  const char *line = strstr (text, name);
  return line ? g_ascii_strtod (line + strlen (name), NULL) * 1024 : 0;
}

static double
now_seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void
step (SluiceSession *session, SluiceTensor *n_iterations)
{
  const char *target = "train";
  GError *error = NULL;
  SluiceFeed feed = { "steps:0", n_iterations };
  sluice_session_run (
      session,
      &(SluiceStepNames){ .feeds = &feed, .targets = &target, .n_feeds = 1, .n_targets = 1 }, NULL,
      NULL, &error);
  check (error);
}

/* What the program takes that no limit speaks of: itself, its libraries' buffers, the plan. It is
 * there after a step of two iterations. */
static double
get_loaded (SluiceSession *session)
{
  g_autoptr (SluiceTensor) two = sluice_tensor_new_int32 (2);
  SluiceMemoryStats stats;
  step (session, two);
  sluice_allocator_get_stats (sluice_session_get_device (session, 0)->allocator, &stats);
  return status_bytes ("VmRSS:") - (double) stats.reserved_bytes;
}

/* Prints: seconds a step, bytes resident above the program at the most, bytes of stacks at the peak
 * of a step. */
static void
measure (gsize limit)
{
  GError *error = NULL;
  sluice_registry_init (sluice_kernel_modules ());
  SluiceSessionOptions options = { .memory_limit = limit, .seed = 1 };
  g_autoptr (SluiceSession) session = sluice_session_new (&options, &error);
  check (error);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  lstm_build (graph, &size);
  sluice_session_extend (session, graph, &error);
  check (error);
  const char *init = "init";
  sluice_session_run (session, &(SluiceStepNames){ .targets = &init, .n_targets = 1 }, NULL, NULL,
                      &error);
  check (error);
  double base = get_loaded (session);
  g_autoptr (SluiceTensor) n = sluice_tensor_new_int32 (N_ITERATIONS);
  step (session, n);
  double seconds[ROUNDS];
  for (guint i = 0; i < ROUNDS; i++)
    {
      double start = now_seconds ();
      step (session, n);
      seconds[i] = now_seconds () - start;
    }
  double resident = status_bytes ("VmHWM:") - base;
  sluice_session_record_memory (session);
  step (session, n);
  g_autoptr (SluiceLedger) ledger = sluice_session_dup_ledger (session, 0);
  qsort (seconds, ROUNDS, sizeof (double), bench_compare_doubles);
  printf ("%.17g %.17g %zu\n", seconds[ROUNDS / 2], resident,
          ledger->class_bytes[SLUICE_MEMORY_STACK]);
}

typedef struct
{
  double seconds, resident;
  gsize stacks;
} Result;

static Result
measure_apart (const char *program, gsize limit)
{
  g_autofree char *text = g_strdup_printf ("%zu", limit), *out = NULL;
  const char *arguments[] = { program, text, NULL };
  GError *error = NULL;
  Result result = { 0 };
  int status;
  g_spawn_sync (NULL, (char **) arguments, NULL, 0, NULL, NULL, &out, NULL, &status, &error);
  check (error);
  g_spawn_check_wait_status (status, &error);
  check (error);
  if (sscanf (out, "%lf %lf %zu", &result.seconds, &result.resident, &result.stacks) != 3)
    exit (1);
  return result;
}

int
main (int argc, char **argv)
{
  if (argc > 1)
    {
      measure (g_ascii_strtoull (argv[1], NULL, 10));
      return 0;
    }
  Result free_run = measure_apart (argv[0], 0);
  gsize limit = free_run.stacks / 3;
  Result tight = measure_apart (argv[0], limit);
  printf ("{\"name\": \"runtime/swap-lstm-time\", \"value\": %.3f, \"unit\": \"x\", \"goal\": 1.5, "
          "\"seconds_free\": %.4f, \"seconds_limited\": %.4f}\n",
          tight.seconds / free_run.seconds, free_run.seconds, tight.seconds);
  printf ("{\"name\": \"runtime/swap-lstm-memory\", \"value\": %.3f, \"unit\": \"x limit\", "
          "\"goal\": 1.1, \"limit_mb\": %.1f, \"resident_mb\": %.1f, \"free_resident_mb\": %.1f}\n",
          tight.resident / (double) limit, (double) limit / 1e6, tight.resident / 1e6,
          free_run.resident / 1e6);
  return 0;
}
