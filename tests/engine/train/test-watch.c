/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* No bit of a training depends on who looks on. */
#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/lib/sample-project.h"

#define N_STEPS 40

/* Sixteen outputs from all over the graph, feeds, constants and variables among them. */
static guint
watch_many (SluiceReplica *replica, SluiceWatch **watches)
{
  guint n = sluice_graph_get_n_nodes (replica->graph), n_watches = 0;
  for (guint i = 0; i < n && n_watches < SLUICE_MAX_WATCHES; i += MAX (n / 37, 1))
    {
      const SluiceNode *node = sluice_graph_get_node (replica->graph, i);
      if (node->n_outputs == 0)
        continue;
      g_autoptr (GError) error = NULL;
      g_autofree char *edge = g_strconcat (node->name, ":0", NULL);
      watches[n_watches++] = sluice_session_watch (replica->session, edge, &error);
      g_assert_no_error (error);
    }
  return n_watches;
}

/* (transfer full): scalars of all steps */
static double *
train (const char *folder, gboolean watches, guint *n_values)
{
  g_autoptr (GError) error = NULL;
  SluiceProject *project = sluice_project_load (folder, &error);
  g_assert_no_error (error);
  SluiceExamples *examples = sluice_examples_load (project, FALSE, &error);
  g_assert_no_error (error);
  SluiceReplica *replica = sluice_replica_new (project, examples, NULL, 1, NULL, &error);
  g_assert_no_error (error);
  sluice_replica_initialize (replica, &error);
  g_assert_no_error (error);
  SluiceWatch *list[SLUICE_MAX_WATCHES];
  guint n_watches = watches ? watch_many (replica, list) : 0;
  *n_values = N_STEPS * replica->n_scalars;
  double *values = g_new (double, *n_values);
  for (guint i = 0; i < N_STEPS; i++)
    {
      const SluiceRunOptions options = { .step = i + 1 };
      replica->limit = i + 1;
      sluice_replica_step (replica, values + i * replica->n_scalars, NULL, &options, &error);
      g_assert_no_error (error);
    }
  guint n_seen = 0;
  for (guint i = 0; i < n_watches; i++)
    {
      SluiceWatchReport report;
      sluice_watch_read (list[i], &report);
      n_seen += report.n;
      sluice_watch_stop (list[i]);
    }
  g_assert_true (!watches || n_seen > 8);
  sluice_replica_free (replica);
  sluice_examples_free (examples);
  sluice_project_free (project);
  return values;
}

static void
test_same_bits (gconstpointer sample)
{
  g_autofree char *folder = sample_dup_folder (sample);
  for (guint threads = 1; threads <= 2; threads++)
    {
      guint n, n_watched;
      sluice_pool_set_threads (threads);
      g_autofree double *alone = train (folder, FALSE, &n),
                        *seen = train (folder, TRUE, &n_watched);
      g_assert_cmpmem (alone, n * sizeof *alone, seen, n_watched * sizeof *seen);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_data_func ("/train/watch/digits-mlp", "digits-mlp", test_same_bits);
  g_test_add_data_func ("/train/watch/digits-lenet", "digits-lenet", test_same_bits);
  g_test_add_data_func ("/train/watch/lstm", "lstm", test_same_bits);
  return g_test_run ();
}
