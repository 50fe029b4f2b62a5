/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/bench/pair.h"

#include "engine/train/replica.h"
#include "tests/bench/median.h"
#include "tests/bench/rounds.h"

#define N_PAIRS 2001

struct _PairSide
{
  SluiceSession *session;
  SluiceCallable *step;
  SluiceTensor *const *feeds;
  double ns[N_PAIRS];
};

static void
check (gboolean ok, GError *error)
{
  if (!ok)
    rounds_fatal (error);
}

PairSide *
pair_new (SluiceGraph *graph, const SluiceSessionOptions *options)
{
  PairSide *sides = g_new0 (PairSide, 2);
  for (guint i = 0; i < 2; i++)
    {
      GError *error = NULL;
      sides[i].session = sluice_session_new (&options[i], &error);
      check (sides[i].session && sluice_session_extend (sides[i].session, graph, &error), error);
    }
  return sides;
}

void
pair_free (PairSide *sides)
{
  for (guint i = 0; i < 2; i++)
    {
      g_clear_pointer (&sides[i].step, sluice_callable_unref);
      g_object_unref (sides[i].session);
    }
  g_free (sides);
}

void
pair_prepare (PairSide *sides,
              const char *const *names,
              guint n_names,
              SluiceTensor *const *feeds,
              const char *fetch,
              const char *target)
{
  g_autofree SluiceFeed *fed = sluice_feeds_new (names, n_names);
  const SluiceStepNames step = { .feeds = fed,
                                 .fetches = &fetch,
                                 .targets = &target,
                                 .n_feeds = n_names,
                                 .n_fetches = fetch != NULL,
                                 .n_targets = 1 };
  for (guint i = 0; i < 2; i++)
    {
      GError *error = NULL;
      sides[i].feeds = feeds;
      sides[i].step = sluice_session_prepare (sides[i].session, &step, &error);
      check (sides[i].step != NULL, error);
    }
}

static double
time_step (PairSide *side)
{
  GError *error = NULL;
  SluiceTensor *output = NULL;
  double start = rounds_thread_ns ();
  check (sluice_callable_run (side->step, side->feeds, &output, NULL, &error), error);
  double ns = rounds_thread_ns () - start;
  g_clear_pointer (&output, sluice_tensor_unref);
  return ns;
}

void
pair_measure (PairSide *sides, double ns[2])
{
  for (guint i = 0; i < 50; i++)
    time_step (&sides[i % 2]);
  for (guint i = 0; i < N_PAIRS; i++)
    {
      guint first = i % 2; /* who goes first changes */
      sides[first].ns[i] = time_step (&sides[first]);
      sides[!first].ns[i] = time_step (&sides[!first]);
    }
  for (guint i = 0; i < 2; i++)
    ns[i] = bench_median (sides[i].ns, N_PAIRS);
}

char *
pair_measure_project (const char *folder, const SluiceSessionOptions *options, double ns[2])
{
  GError *error = NULL;
  SluiceProject *project = sluice_project_load (folder, &error);
  SluiceExamples *examples = project ? sluice_examples_load (project, FALSE, &error) : NULL;
  SluiceReplica *replica =
      examples ? sluice_replica_new (project, examples, NULL, 1, NULL, &error) : NULL;
  check (replica && sluice_replica_initialize (replica, &error), error);
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  const SluiceRunOptions run_options = { 0 };
  replica->limit = 1; /* workers would go on */
  check (sluice_replica_step (replica, scalars, NULL, &run_options, &error),
         error); /* makes the feeds */
  PairSide *sides = pair_new (replica->graph, options);
  for (guint i = 0; i < 2; i++)
    check (sluice_session_run (sides[i].session,
                               &(SluiceStepNames){ .targets = (const char *const *) project->init,
                                                   .n_targets = g_strv_length (project->init) },
                               NULL, NULL, &error),
           error);
  pair_prepare (sides, (const char *[]){ project->feed_x, project->feed_y }, 2, replica->feeds,
                project->loss[0], project->train[0]);
  pair_measure (sides, ns);
  char *name = g_strdup (project->name);
  pair_free (sides);
  sluice_replica_free (replica);
  sluice_examples_free (examples);
  sluice_project_free (project);
  return name;
}
