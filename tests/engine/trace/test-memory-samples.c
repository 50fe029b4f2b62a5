/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Every sample that trains: at every event of a step each byte that the allocator counts has an
 * owner, and at the end that is what the allocator says itself. */
#include "engine/passes/passes.h"
#include "engine/trace/memory-recorder.h"
#include "engine/trace/memory-view.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/lib/sample-project.h"

#define N_STEPS 4

static gsize
live_bytes (SluiceSession *session, const char *device)
{
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    if (g_str_equal (sluice_session_get_device (session, i)->short_name, device))
      {
        SluiceMemoryStats stats;
        sluice_allocator_get_stats (sluice_session_get_device (session, i)->allocator, &stats);
        return stats.live_bytes;
      }
  g_assert_not_reached ();
}

/* of: the session, where nothing runs in it any more; else NULL */
static void
check_tape (SluiceMemoryTape *tape, SluiceSession *of)
{
  g_autoptr (SluiceMemoryView) view = sluice_memory_view_new (tape);
  guint last = sluice_memory_view_get_n_moments (view) - 1, n_named = 0;
  guint peak = sluice_memory_view_get_peak (view);
  gsize classes[SLUICE_N_MEMORY_CLASSES], sum = 0;
  g_assert_cmpuint (tape->log->n_lost, ==, 0);
  g_assert_cmpint (tape->length, >=, sluice_memory_view_get_time (view, last));
  g_assert_cmpuint (sluice_memory_view_get_n_wrong (view), ==, 0);
  if (of != NULL)
    g_assert_cmpuint (sluice_memory_view_get_live (view, last), ==, live_bytes (of, tape->device));
  sluice_memory_view_sum_classes (view, peak, classes);
  for (guint i = 0; i < SLUICE_N_MEMORY_CLASSES; i++)
    sum += classes[i];
  g_assert_cmpuint (sum, ==, sluice_memory_view_get_live (view, peak));
  g_autoptr (GArray) holdings = sluice_memory_view_dup_holdings (view, peak);
  for (guint i = 0; i < holdings->len; i++)
    {
      guint32 node = g_array_index (holdings, SluiceMemoryHolding, i).owner.node;
      g_assert_true (node == 0 || sluice_memory_view_get_name (view, node) != NULL);
      n_named += node != 0;
    }
  g_test_message ("%s: %" G_GSIZE_FORMAT " bytes of %u holders (%u nodes), %u records, %u runs",
                  tape->device, sum, holdings->len, n_named, last, tape->runs->len);
}

static SluiceReplica *
make_replica (SluiceProject *project,
              SluiceExamples **examples,
              const SluiceSessionOptions *options)
{
  g_autoptr (GError) error = NULL;
  SluiceExamples *test = NULL;
  sluice_examples_load_all (project, examples, &test, &error);
  g_assert_no_error (error);
  g_clear_pointer (&test, sluice_examples_free);
  SluiceReplica *replica = sluice_replica_new (project, *examples, NULL, 0, options, &error);
  g_assert_no_error (error);
  sluice_replica_initialize (replica, &error);
  g_assert_no_error (error);
  sluice_replica_begin_input (replica, &error);
  g_assert_no_error (error);
  return replica;
}

static void
check_sample (const char *name, const SluiceSessionOptions *options)
{
  g_autoptr (SluiceProject) project = sample_load_project (name);
  g_autoptr (SluiceExamples) examples = NULL;
  SluiceReplica *replica = make_replica (project, &examples, options);
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  g_autoptr (SluiceMemoryRecorder) recorder = sluice_memory_recorder_new (replica->session);
  guint n_bands = 0;
  for (guint64 step = 1; step <= N_STEPS; step++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_true (sluice_memory_recorder_begin (recorder));
      sluice_replica_step (replica, scalars, NULL, &(SluiceRunOptions){ .step = step }, &error);
      g_assert_no_error (error);
      gboolean is_alone = replica->n_workers <= 1 && replica->runners == NULL;
      g_autoptr (GPtrArray) tapes = sluice_memory_recorder_end (recorder, step);
      g_assert_cmpuint (tapes->len, >, 0);
      for (guint i = 0; i < tapes->len; i++)
        {
          check_tape (tapes->pdata[i], is_alone ? replica->session : NULL);
          n_bands += ((SluiceMemoryTape *) tapes->pdata[i])->runs->len;
        }
    }
  g_assert_cmpuint (n_bands, >, 0);
  sluice_memory_recorder_free (g_steal_pointer (&recorder));
  sluice_replica_end_input (replica);
  sluice_replica_free (replica);
}

static void
test_sample (gconstpointer name)
{
  check_sample (name, NULL);
}

static void
test_simulated_device (void)
{
  check_sample ("digits-mlp", &(SluiceSessionOptions){ .device = "SIM:0", .seed = 1 });
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_autofree char *folder = sample_dup_folder (".");
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *project = g_build_filename (folder, name, "project.ini", NULL);
      if (g_file_test (project, G_FILE_TEST_EXISTS))
        g_ptr_array_add (names, g_strdup (name));
    }
  g_assert_cmpuint (names->len, >=, 6);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_strdup_printf ("/trace/memory/%s", (char *) names->pdata[i]);
      g_test_add_data_func (path, names->pdata[i], test_sample);
    }
  g_test_add_func ("/trace/memory/simulated-device", test_simulated_device);
  return g_test_run ();
}
