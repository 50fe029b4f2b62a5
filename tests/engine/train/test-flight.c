/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is kept of the last steps of a run, and when it becomes a file. */
#include <glib/gstdio.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/passes/passes.h"
#include "engine/store/kinds/event.h"
#include "engine/trace/trace-own.h"
#include "engine/trace/trace-remarks.h"
#include "engine/train/flight-recorder.h"
#include "engine/train/project-changes.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"

/* ---- a recorder whose clock stands ---- */

static gint64 clock_us, tick_us; /* each look at it takes so long */

static gint64
get_clock (void)
{
  return clock_us += tick_us;
}

typedef struct
{
  Fixture base;
  SluiceProject *project;
  SluiceExamples *examples;
  SluiceReplica *replica;
  SluiceFlightRecorder *recorder;
  char *run; /* folder */
  gint64 step;
} Flight;

static void
flight_init (Flight *f, guint n_steps, double slow)
{
  g_autoptr (GError) error = NULL;
  set_up (&f->base, NULL);
  f->project = load_project (f->base.folder.path, (const char *const[]){ NULL });
  f->examples = sluice_examples_load (f->project, FALSE, &error);
  f->replica = sluice_replica_new (f->project, f->examples, NULL, 1, NULL, &error);
  g_assert_no_error (error);
  sluice_replica_initialize (f->replica, &error);
  g_assert_no_error (error);
  f->run = folder_dup_path (&f->base.folder, "run");
  clock_us = 1000;
  const SluiceFlightOptions options = { .session = f->replica->session,
                                        .folder = f->run,
                                        .n_steps = n_steps,
                                        .slow = slow,
                                        .now_us = get_clock };
  f->recorder = sluice_flight_recorder_new (&options, 0);
}

static void
flight_clear (Flight *f)
{
  g_clear_pointer (&f->recorder, sluice_flight_recorder_free);
  sluice_replica_free (f->replica);
  sluice_examples_free (f->examples);
  sluice_project_free (f->project);
  g_free (f->run);
  tear_down (&f->base, NULL);
}

/* A step of that length, by the clock. */
static void
take_step (Flight *f, gint64 us)
{
  g_autoptr (GError) error = NULL;
  g_autofree double *scalars = g_new (double, f->replica->n_scalars);
  sluice_flight_recorder_begin_step (f->recorder, ++f->step);
  sluice_replica_step (f->replica, scalars, NULL, &(SluiceRunOptions){ .step = (guint64) f->step },
                       &error);
  g_assert_no_error (error);
  clock_us += us;
  sluice_flight_recorder_end_step (f->recorder, 0);
  clock_us += 7;
}

static void
take_steps (Flight *f, guint n, gint64 us)
{
  for (guint i = 0; i < n; i++)
    take_step (f, us);
}

static char *
dup_file (const Flight *f, gint64 step)
{
  return g_strdup_printf ("%s/traces/step-%010" G_GINT64_FORMAT ".sltrace", f->run, step);
}

static guint
count_files (const Flight *f)
{
  g_autofree char *traces = g_build_filename (f->run, "traces", NULL);
  g_autoptr (GDir) dir = g_dir_open (traces, 0, NULL);
  guint n = 0;
  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* Steps from first to last (first 0: any); alike: with as many spans each, as it is where no step
 * evaluates. */
static void
assert_steps (const char *path, guint64 first, guint64 last, gboolean alike)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autoptr (SluiceTraceView) view = sluice_trace_own_open (path, remarks, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (remarks->len, ==, 0);
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (view, &n);
  g_assert_cmpuint (n, >, 0);
  if (first > 0)
    g_assert_cmpuint (steps[0].step, ==, first);
  g_assert_cmpuint (steps[n - 1].step, ==, last);
  g_assert_cmpuint (n, ==, last - steps[0].step + 1);
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  for (guint64 i = 0; i < sluice_trace_view_get_n_spans (view); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      gpointer key = GSIZE_TO_POINTER (span.step);
      gsize so_far = GPOINTER_TO_SIZE (g_hash_table_lookup (counts, key));
      g_hash_table_insert (counts, key, GSIZE_TO_POINTER (so_far + 1));
    }
  gpointer each = g_hash_table_lookup (counts, GSIZE_TO_POINTER (last));
  for (guint64 step = steps[0].step; step <= last; step++)
    {
      gpointer own = g_hash_table_lookup (counts, GSIZE_TO_POINTER (step));
      g_assert_cmpuint (GPOINTER_TO_SIZE (own), >, 3);
      g_assert_true (own == each || !alike);
    }
}

/* ---- when ---- */

static void
test_slow (void)
{
  Flight f = { 0 };
  flight_init (&f, 8, 3);
  take_step (&f, 90000); /* the first ones are as slow as they like */
  take_steps (&f, 60, 1000);
  take_step (&f, 2900);
  take_steps (&f, 10, 1000);
  g_assert_cmpuint (count_files (&f), ==, 0);
  take_step (&f, 3100);
  gint64 slow = f.step;
  take_steps (&f, 3, 1000);
  g_assert_cmpuint (count_files (&f), ==, 0);
  take_step (&f, 9000); /* one that is part of it */
  g_assert_cmpuint (count_files (&f), ==, 1);
  g_autofree char *path = dup_file (&f, slow);
  assert_steps (path, (guint64) slow - 3, (guint64) slow + 4, TRUE);
  flight_clear (&f);
}

static void
test_never (void)
{
  Flight f = { 0 };
  flight_init (&f, 8, 0);
  take_steps (&f, 60, 1000);
  take_step (&f, 1000000);
  take_steps (&f, 10, 1000);
  g_assert_cmpuint (count_files (&f), ==, 0);
  flight_clear (&f);
}

static void
test_no_more (void)
{
  Flight f = { 0 };
  flight_init (&f, 4, 3);
  take_steps (&f, 60, 1000);
  for (guint i = 0; i < SLUICE_FLIGHT_MAX_FILES + 5; i++)
    {
      take_step (&f, 5000);
      take_steps (&f, 70, 1000);
    }
  g_assert_cmpuint (count_files (&f), ==, SLUICE_FLIGHT_MAX_FILES);
  take_step (&f, 6000); /* slower than they: one of them goes */
  g_autofree char *slowest = dup_file (&f, f.step);
  take_steps (&f, 70, 1000);
  g_assert_cmpuint (count_files (&f), ==, SLUICE_FLIGHT_MAX_FILES);
  g_assert_true (g_file_test (slowest, G_FILE_TEST_EXISTS));
  g_autoptr (GError) failure =
      g_error_new_literal (SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT, "it broke");
  sluice_flight_recorder_end (f.recorder, f.step + 1, failure, SLUICE_FLIGHT_FAILURE);
  g_assert_cmpuint (count_files (&f), ==, SLUICE_FLIGHT_MAX_FILES + 1);
  flight_clear (&f);
}

/* To write a file takes five steps' time here: the next one must wait for five hundred. */
static void
test_share (void)
{
  Flight f = { 0 };
  flight_init (&f, 4, 3);
  take_steps (&f, 60, 1000);
  tick_us = 5000;
  take_step (&f, 9000);
  take_steps (&f, 4, 0);
  g_assert_cmpuint (count_files (&f), ==, 1);
  tick_us = 0;
  take_steps (&f, 70, 1000);
  take_step (&f, 9000);
  take_steps (&f, 4, 1000);
  g_assert_cmpuint (count_files (&f), ==, 1);
  take_steps (&f, 420, 1000);
  take_step (&f, 9000);
  take_steps (&f, 4, 1000);
  g_assert_cmpuint (count_files (&f), ==, 2);
  flight_clear (&f);
}

static void
test_stall (void)
{
  Flight f = { 0 };
  flight_init (&f, 8, 3);
  take_steps (&f, 60, 1000);
  sluice_flight_recorder_begin_step (f.recorder, f.step + 1);
  clock_us += 59 * G_USEC_PER_SEC;
  sluice_flight_recorder_look (f.recorder);
  g_assert_cmpuint (count_files (&f), ==, 0);
  clock_us += 2 * G_USEC_PER_SEC;
  sluice_flight_recorder_look (f.recorder);
  sluice_flight_recorder_look (f.recorder);
  g_assert_cmpuint (count_files (&f), ==, 1);
  g_autofree char *path = dup_file (&f, f.step + 1);
  assert_steps (path, (guint64) f.step - 6, (guint64) f.step, TRUE);
  flight_clear (&f);
}

/* Between steps nothing stalls. */
static void
test_pause (void)
{
  Flight f = { 0 };
  flight_init (&f, 8, 3);
  take_steps (&f, 60, 1000);
  clock_us += (gint64) 3600 * G_USEC_PER_SEC;
  sluice_flight_recorder_look (f.recorder);
  take_steps (&f, 10, 1000);
  g_assert_cmpuint (count_files (&f), ==, 0);
  flight_clear (&f);
}

/* ---- how much ---- */

/* More steps than the trace holds: what is left of them, from a whole one on. */
static void
test_bounded (void)
{
  Flight f = { 0 };
  flight_init (&f, 65535, 3);
  take_steps (&f, 20000, 1000);
  sluice_flight_recorder_end (f.recorder, f.step, NULL, SLUICE_FLIGHT_END);
  g_autofree char *path = dup_file (&f, f.step);
  assert_steps (path, 0, (guint64) f.step, TRUE);
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autoptr (SluiceTraceView) view = sluice_trace_own_open (path, remarks, NULL);
  guint n;
  sluice_trace_view_get_steps (view, &n);
  g_assert_cmpuint (n, >, 1000);
  g_assert_cmpuint (n, <, 20000);
  g_assert_cmpuint (sluice_trace_view_get_n_spans (view), <=, 2 * 65536);
  flight_clear (&f);
}

/* ---- what becomes of it in a run ---- */

static GPtrArray *
list (Fixture *f, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (f->store, name, &error);
  GPtrArray *flights = sluice_flight_list (f->store, run->id, &error);
  g_assert_no_error (error);
  return flights;
}

static void
test_end (Fixture *f, gconstpointer unused)
{
  g_autofree char *name =
      train (f, NULL, (const char *const[]){ "steps=100", "record-steps=5", NULL });
  g_autoptr (GPtrArray) flights = list (f, name);
  g_assert_cmpuint (flights->len, >=, 1);
  const SluiceFlight *last = flights->pdata[flights->len - 1];
  g_assert_cmpint (last->step, ==, 100);
  g_assert_cmpint (last->cause, ==, SLUICE_FLIGHT_END);
  assert_steps (last->path, 96, 100, FALSE);
}

static void
test_off (Fixture *f, gconstpointer unused)
{
  g_autofree char *name =
      train (f, NULL, (const char *const[]){ "steps=100", "record-steps=0", NULL });
  g_autoptr (GPtrArray) flights = list (f, name);
  g_assert_cmpuint (flights->len, ==, 0);
}

/* Found an hour later: by another store that opens the workspace. */
static void
test_nan (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceProject *project =
      load_project (f->folder.path, (const char *const[]){ "steps=6000", NULL });
  sluice_project_change (project, 4999, "rate=1e38", &error);
  g_assert_no_error (error);
  g_autoptr (SluiceTrainer) trainer = sluice_trainer_new (f->store, project, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *name = g_strdup (sluice_trainer_get_run_name (trainer));
  sluice_trainer_start (trainer);
  g_assert_false (sluice_trainer_wait (trainer, &error));
  g_assert_nonnull (strstr (error->message, "the loss is"));
  g_clear_object (&trainer);
  g_clear_object (&f->store);
  open_store (f);
  g_autoptr (GPtrArray) flights = list (f, name);
  const SluiceFlight *last = flights->pdata[flights->len - 1];
  g_assert_cmpint (last->cause, ==, SLUICE_FLIGHT_NAN);
  g_assert_cmpint (last->step, >=, 5000);
  g_assert_cmpint (last->step, <, 5010);
  g_assert_nonnull (strstr (last->words, "the loss is"));
  assert_steps (last->path, (guint64) last->step - 63, (guint64) last->step, FALSE);
}

/* What was frozen is there though the program was killed before its event was written. */
static void
test_killed (Fixture *f, gconstpointer unused)
{
  g_autofree char *name = train (f, NULL, (const char *const[]){ "steps=10", NULL });
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (f->store, name, NULL);
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, run->id);
  g_autofree char *from = g_strdup_printf ("%s/traces/step-0000000010.sltrace", folder);
  g_autofree char *to = g_strdup_printf ("%s/traces/step-0000000007.sltrace", folder);
  g_assert_cmpint (g_rename (from, to), ==, 0);
  g_autoptr (GPtrArray) flights = list (f, name);
  g_assert_cmpuint (flights->len, ==, 1);
  const SluiceFlight *only = flights->pdata[0];
  g_assert_cmpint (only->step, ==, 7);
  g_assert_cmpint (only->cause, ==, SLUICE_FLIGHT_N_CAUSES);
  assert_steps (only->path, 1, 10, FALSE);
}

/* A run that goes back has another future. */
static void
test_goes_back (Fixture *f, gconstpointer unused)
{
  g_autofree char *name =
      train (f, NULL, (const char *const[]){ "steps=40", "checkpoint-every=20", NULL });
  const SluiceTrainerOptions options = { .resume = name, .goes_back = TRUE, .from_step = 20 };
  g_autofree char *again = train (f, &options, (const char *const[]){ "steps=30", NULL });
  g_autoptr (GPtrArray) flights = list (f, again);
  g_assert_cmpuint (flights->len, ==, 1);
  g_assert_cmpint (((const SluiceFlight *) flights->pdata[0])->step, ==, 30);
}

static void
test_words (void)
{
  g_assert_null (sluice_flight_parse (3, NULL, "/run"));
  g_assert_null (sluice_flight_parse (3, "slow", "/run"));
  g_assert_null (sluice_flight_parse (3, "slow ../../secret 4 ms", "/run"));
  g_autoptr (SluiceFlight) strange = sluice_flight_parse (3, "novel a.sltrace", "/run");
  g_assert_cmpint (strange->cause, ==, SLUICE_FLIGHT_N_CAUSES);
  g_autoptr (SluiceFlight) slow = sluice_flight_parse (3, "slow a.sltrace 9 ms, usual", "/run");
  g_assert_cmpint (slow->cause, ==, SLUICE_FLIGHT_SLOW);
  g_assert_cmpstr (slow->path, ==, "/run/traces/a.sltrace");
  g_assert_cmpstr (slow->words, ==, "9 ms, usual");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_func ("/train/flight/slow", test_slow);
  g_test_add_func ("/train/flight/never", test_never);
  g_test_add_func ("/train/flight/no-more", test_no_more);
  g_test_add_func ("/train/flight/share", test_share);
  g_test_add_func ("/train/flight/stall", test_stall);
  g_test_add_func ("/train/flight/pause", test_pause);
  g_test_add_func ("/train/flight/bounded", test_bounded);
  g_test_add_func ("/train/flight/words", test_words);
#define ADD(name, func) g_test_add ("/train/flight/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("end", test_end);
  ADD ("off", test_off);
  ADD ("nan", test_nan);
  ADD ("killed", test_killed);
  ADD ("goes-back", test_goes_back);
  return g_test_run ();
}
