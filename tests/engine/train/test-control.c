/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is asked of runs at work, changes at a step, forks: each leaves the same bits as a run that
 * was planned so. The project's graph draws noise from a random stream and shuffles its data. */
#include <sqlite3.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/checkpoints.h"
#include "engine/store/kinds/event.h"
#include "engine/store/run-control.h"
#include "engine/trace/fill.h"
#include "engine/trace/trace-gaps.h"
#include "engine/train/fork.h"
#include "engine/train/project-changes.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"

/* ---- asking as another process does ---- */

static SluiceRunInfo *
dup_run (SluiceStore *store, const char *name)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo *info = sluice_store_dup_run (store, name, &error);
  g_assert_no_error (error);
  return info;
}

static SluiceStore *
open_another (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  SluiceStore *store = sluice_store_open (sluice_store_get_workspace (f->store), &error);
  g_assert_no_error (error);
  return store;
}

/* Waits for the answer. */
static SluiceCommand *
ask (Fixture *f, const char *run, const char *verb, const char *argument)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) store = open_another (f);
  g_autoptr (SluiceRunInfo) info = dup_run (store, run);
  gint64 id = sluice_run_control_ask (store, info, verb, argument, &error);
  g_assert_no_error (error);
  for (;;)
    {
      g_autoptr (SluiceCommand) command = sluice_run_control_read (store, id, &error);
      g_assert_no_error (error);
      if (command->state != SLUICE_COMMAND_ASKED)
        return g_steal_pointer (&command);
      g_usleep (200);
    }
}

static void
assert_done (Fixture *f, const char *run, const char *verb, const char *argument, gint64 step)
{
  g_autoptr (SluiceCommand) command = ask (f, run, verb, argument);
  g_assert_cmpint (command->state, ==, SLUICE_COMMAND_DONE);
  g_assert_cmpint (command->step, ==, step);
}

static void
assert_refused (Fixture *f, const char *run, const char *argument, const char *part)
{
  g_autoptr (SluiceCommand) command = ask (f, run, "set", argument);
  g_test_message ("%s", command->answer);
  g_assert_cmpint (command->state, ==, SLUICE_COMMAND_REFUSED);
  g_assert_nonnull (strstr (command->answer, part));
}

/* A run that stands at a step, paused. */
static SluiceTrainer *
pause_at (Fixture *f, const char *name, gint64 step, const char *const *assignments)
{
  SluiceTrainerOptions options = { .run_name = name, .start_paused = TRUE };
  SluiceTrainer *trainer = new_trainer (f, &options, assignments);
  sluice_trainer_start (trainer);
  if (step > 0)
    sluice_trainer_step (trainer, step);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, step);
  return trainer;
}

static void
finish (SluiceTrainer *trainer)
{
  g_autoptr (GError) error = NULL;
  sluice_trainer_resume (trainer);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
}

/* A run whose project has changes planned. */
static void
train_planned (Fixture *f, const char *name, const char *const *plans)
{
  g_autoptr (GError) error = NULL;
  SluiceProject *project = load_project (f->folder.path, NULL);
  SluiceTrainerOptions options = { .run_name = name };
  for (guint i = 0; plans[i] != NULL; i++)
    g_assert_true (sluice_project_plan (project, plans[i], &error));
  g_autoptr (SluiceTrainer) trainer = sluice_trainer_new (f->store, project, &options, &error);
  g_assert_no_error (error);
  sluice_trainer_start (trainer);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
}

/* Texts of events of a kind: "13 rate 0.02 to 0.5|…". (transfer full) */
static char *
dup_events (Fixture *f, const char *run, const char *kind)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = dup_run (f->store, run);
  g_autoptr (GPtrArray) events = sluice_store_read_events (f->store, info->id, &error);
  g_assert_no_error (error);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceEvent *event = events->pdata[i];
      if (strcmp (event->kind, kind) == 0)
        g_string_append_printf (text, "%s%d %s", text->len > 0 ? "|" : "", (int) event->base.step,
                                event->text);
    }
  return g_string_free (text, FALSE);
}

static void
assert_events (Fixture *f, const char *run, const char *kind, const char *want)
{
  g_autofree char *events = dup_events (f, run, kind);
  g_assert_cmpstr (events, ==, want);
}

/* The same points and the same state at the end. */
static void
assert_same_run (Fixture *f, const char *a, const char *b)
{
  assert_same_series (f, a, b, "loss", 40);
  assert_same_checkpoint (f, a, b, 40);
}

static void
assert_another_run (Fixture *f, const char *a, const char *b)
{
  g_autoptr (GArray) x = read_series (f, a, "loss");
  g_autoptr (GArray) y = read_series (f, b, "loss");
  g_assert_cmpfloat (g_array_index (x, SluiceScalar, x->len - 1).value, !=,
                     g_array_index (y, SluiceScalar, y->len - 1).value);
}

/* ---- controls ---- */

static void
test_verbs (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = train (f, NULL, NULL);
  g_autoptr (SluiceTrainer) trainer = pause_at (f, "asked", 0, NULL);
  assert_done (f, "asked", "step", "7", 0);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 7);
  assert_done (f, "asked", "pause", NULL, 7);
  assert_done (f, "asked", "checkpoint", NULL, 7);
  g_autofree char *path = checkpoint_path (f, "asked", 7);
  g_assert_nonnull (path);
  assert_done (f, "asked", "step", NULL, 7);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 8);
  g_autoptr (SluiceCommand) nothing = ask (f, "asked", "dance", NULL);
  g_assert_cmpint (nothing->state, ==, SLUICE_COMMAND_REFUSED);
  g_autoptr (SluiceCommand) none = ask (f, "asked", "step", "0");
  g_assert_cmpint (none->state, ==, SLUICE_COMMAND_REFUSED);
  assert_done (f, "asked", "stop", NULL, 8);
  g_assert_true (sluice_trainer_wait (trainer, &error));
  g_clear_object (&trainer);
  /* Nobody is there to be asked any more. */
  g_autoptr (SluiceRunInfo) info = dup_run (f->store, "asked");
  g_assert_cmpint (info->state, ==, SLUICE_RUN_STOPPED);
  g_assert_cmpint (sluice_run_control_ask (f->store, info, "go", NULL, &error), ==, 0);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_nonnull (strstr (error->message, "stopped at step 8"));
  SluiceTrainerOptions options = { .resume = "asked" };
  g_autofree char *name = train (f, &options, NULL);
  assert_same_run (f, whole, "asked");
}

static void
execute (Fixture *f, const char *format, gint64 run)
{
  g_autofree char *path = folder_dup_path (&f->folder, "workspace/sluice.db");
  g_autofree char *sql = g_strdup_printf (format, run);
  sqlite3 *db;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_busy_timeout (db, 5000);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

/* What a process that was killed had not answered is not done by the next one. */
static void
test_unanswered (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = train (f, NULL, NULL);
  stop_at (f, "killed", 13);
  g_autoptr (SluiceRunInfo) info = dup_run (f->store, "killed");
  execute (f,
           "INSERT INTO commands (id, run, asked, verb, argument, state) VALUES (77, %d, 1, 'set', "
           "'rate=0.5', 0)",
           info->id);
  SluiceTrainerOptions options = { .resume = "killed" };
  g_autofree char *name = train (f, &options, NULL);
  assert_same_run (f, whole, "killed");
  g_autoptr (SluiceCommand) command = sluice_run_control_read (f->store, 77, &error);
  g_assert_no_error (error);
  g_assert_cmpint (command->state, ==, SLUICE_COMMAND_REFUSED);
  g_assert_nonnull (strstr (command->answer, "ended before it looked"));
  g_assert_true (sluice_run_control_forget (f->store, 77, &error));
}

/* ---- changes ---- */

/* Why no step ran is told in the trace, not only that none did. */
static void
test_pause_is_traced (Fixture *f, gconstpointer unused)
{
  g_autoptr (SluiceTrainer) trainer = pause_at (f, "traced", 2, NULL);
  guint64 cursor = 0;
  guint n_paused = 0;
  sluice_trainer_step (trainer, 2);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 4);
  assert_done (f, "traced", "checkpoint", NULL, 4);
  sluice_trainer_step (trainer, 1);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 5);
  SluiceSession *session = sluice_trainer_get_session (trainer);
  g_autoptr (GArray) events = sluice_session_dup_trace (session, &cursor, NULL);
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  sluice_trace_view_add_events (view, events);
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (view, NULL);
  gint64 begin, end;
  guint lane = 0;
  while (sluice_trace_view_get_lane (view, lane)->kind != SLUICE_LANE_THREAD)
    lane++;
  sluice_trace_view_get_extent (view, &begin, &end);
  g_autoptr (GArray) found = sluice_trace_gaps_find (gaps, lane, begin, end);
  for (guint i = 0; i < found->len; i++)
    n_paused += g_array_index (found, SluiceTraceGap, i).cause == SLUICE_GAP_PAUSED;
  /* Behind the second step, and behind the fourth, where a checkpoint was saved. */
  g_assert_cmpuint (n_paused, ==, 2);
  finish (trainer);
}

static void
test_live_is_planned (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  train_planned (f, "planned", (const char *const[]){ "13:rate=0.05", "25:rate=0.001", NULL });
  g_autoptr (SluiceTrainer) trainer = pause_at (f, "live", 13, NULL);
  assert_done (f, "live", "set", "rate=0.05", 13);
  sluice_trainer_step (trainer, 12);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 25);
  assert_done (f, "live", "set", "rate=0.001", 25);
  finish (trainer);
  assert_same_run (f, "planned", "live");
  assert_another_run (f, whole, "live");
  assert_events (f, "live", "set", "13 rate 0.02 to 0.05|25 rate 0.05 to 0.001");
  assert_events (f, "planned", "set", "13 rate 0.02 to 0.05|25 rate 0.05 to 0.001");
}

/* A value that was given from the start, and one at step 0. */
static void
test_of_given_value (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, (const char *const[]){ "rate=0.05", NULL });
  train_planned (f, "planned", (const char *const[]){ "0:rate=0.05", NULL });
  assert_same_run (f, whole, "planned");
  g_autoptr (SluiceTrainer) trainer =
      pause_at (f, "live", 20, (const char *const[]){ "rate=0.05", NULL });
  assert_done (f, "live", "set", "rate=0.5", 20);
  assert_done (f, "live", "set", "train.keep-last=2", 20);
  /* Set back before a step was taken: as if nothing had been. */
  assert_done (f, "live", "set", "rate=0.05", 20);
  finish (trainer);
  assert_same_run (f, whole, "live");
  assert_events (f, "live", "set", "20 rate 0.05 to 0.5|20 keep-last 5 to 2|20 rate 0.5 to 0.05");
}

static void
test_cadence (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  train_planned (
      f, "planned",
      (const char *const[]){ "15:checkpoint-every=4", "15:steps=60", "31:keep-last=2", NULL });
  g_autoptr (SluiceTrainer) trainer = pause_at (f, "live", 15, NULL);
  assert_done (f, "live", "set", "checkpoint-every=4", 15);
  assert_done (f, "live", "set", "steps=60", 15);
  sluice_trainer_step (trainer, 16);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 31);
  assert_done (f, "live", "set", "keep-last=2", 31);
  finish (trainer);
  assert_same_series (f, "planned", "live", "loss", 60);
  assert_same_checkpoint (f, "planned", "live", 60);
  assert_same_checkpoint (f, "planned", "live", 56);
  static const gint64 gone[] = { 16, 20, 28, 48, 52 };
  for (guint i = 0; i < G_N_ELEMENTS (gone); i++)
    {
      g_autofree char *path = checkpoint_path (f, "live", gone[i]);
      g_autofree char *planned = checkpoint_path (f, "planned", gone[i]);
      g_assert_true ((path == NULL) == (planned == NULL));
    }
  g_autoptr (SluiceRunInfo) info = dup_run (f->store, "live");
  g_assert_cmpint (info->n_steps, ==, 60);
}

/* Examples come out of a queue that the graph's own runners fill; six batches are all. */
static void
test_queue_input (Fixture *f, gconstpointer unused)
{
  g_autofree char *graph = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "engine",
                                             "train", "pipeline", "good.meta.gz", NULL);
  g_autofree char *ini = g_strdup_printf (
      "[project]\nname=Pipeline\ngraph=%s\ninit=init_all\ntrain=train\nloss=loss:0\n"
      "[train]\nsteps=6\nseed=1\n[data]\nsource=graph\n[parameters]\nrate=train/learning_rate:0\n",
      graph);
  folder_write (&f->folder, "project.ini", ini, -1);
  g_autofree char *whole = train (f, NULL, NULL);
  train_planned (f, "planned", (const char *const[]){ "3:rate=0.01", NULL });
  g_autoptr (SluiceTrainer) trainer = pause_at (f, "live", 3, NULL);
  assert_done (f, "live", "set", "rate=0.01", 3);
  finish (trainer);
  assert_same_series (f, "planned", "live", "loss", 6);
  assert_same_checkpoint (f, "planned", "live", 6);
  assert_another_run (f, whole, "live");
  assert_events (f, "live", "set", "3 rate 0.1 to 0.01");
}

/* A resume from before a change makes it again. */
static void
test_change_resumes (Fixture *f, gconstpointer unused)
{
  train_planned (f, "planned", (const char *const[]){ "13:rate=0.05", NULL });
  g_autoptr (SluiceTrainer) trainer = pause_at (f, "live", 13, NULL);
  assert_done (f, "live", "set", "rate=0.05", 13);
  sluice_trainer_step (trainer, 20);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 33);
  g_clear_object (&trainer);
  SluiceTrainerOptions options = { .resume = "live", .goes_back = TRUE, .from_step = 10 };
  g_autofree char *name = train (f, &options, NULL);
  assert_same_run (f, "planned", "live");
  assert_events (f, "live", "set", "13 rate 0.02 to 0.05");
  options.from_step = 20;
  g_autofree char *again = train (f, &options, NULL);
  assert_same_run (f, "planned", "live");
}

static void
test_refusals (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  g_autoptr (SluiceTrainer) trainer = pause_at (f, "asked", 13, NULL);
  assert_refused (f, "asked", "batch=8", "sluice fork RUN --step 13 batch=8");
  assert_refused (f, "asked", "seed=8", "cannot change at a step");
  assert_refused (f, "asked", "rat=1", "did you mean 'rate'");
  assert_refused (f, "asked", "rate=fast", "must be a number");
  assert_refused (f, "asked", "rate", "KEY=VALUE");
  assert_refused (f, "asked", "steps=13", "must be a later one");
  assert_refused (f, "asked", "keep-last=-1", "whole number");
  finish (trainer);
  assert_same_run (f, whole, "asked");
  assert_events (f, "asked", "set", "");
}

/* A value that its edge cannot take is found before anything is trained. */
static void
test_bad_plans (Fixture *f, gconstpointer unused)
{
  static const struct
  {
    const char *ini, *part;
  } cases[] = {
    { "[changes]\n10=rate=1;batch=3\n", "cannot change at a step" },
    { "[changes]\n-1=rate=1\n", "STEP:KEY=VALUE" },
    { "[changes]\nten=rate=1\n", "STEP:KEY=VALUE" },
    { "[changes]\n10=rate\n", "KEY=VALUE" },
    { "[changes]\n10=rite=1\n", "did you mean 'rate'" },
    { "axes=axes:0\n[changes]\n10=axes=0.5\n", "the change at step 10" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_project_refused (f, cases[i].ini, cases[i].part);
}

/* What is written into the folder is what was read, and what is set from the start takes the
 * place of what was planned. */
static void
test_file (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  folder_write_project (&f->folder,
                        "[changes]\n30= steps=50 ; rate=1e-3;\n10=rate=0.05;keep-every=20\n");
  g_autoptr (SluiceProject) project = load_project (f->folder.path, NULL);
  g_autofree char *text = sluice_project_dup_text (project);
  g_assert_nonnull (
      strstr (text, "[changes]\n10=rate=0.05;keep-every=20\n30=steps=50;rate=1e-3\n"));
  SluiceSchedule schedule;
  double rate;
  sluice_project_get_schedule (project, 29, &schedule);
  g_assert_cmpint (schedule.n_steps, ==, 40);
  g_assert_cmpint (schedule.keep_every, ==, 20);
  sluice_project_get_schedule (project, 30, &schedule);
  g_assert_cmpint (schedule.n_steps, ==, 50);
  g_assert_false (sluice_project_get_parameter (project, "rate", 9, &rate));
  g_assert_true (sluice_project_get_parameter (project, "rate", 10, &rate));
  g_assert_cmpfloat (rate, ==, 0.05);
  g_assert_cmpint (sluice_project_next_change (project, -1), ==, 10);
  g_assert_cmpint (sluice_project_next_change (project, 30), ==, G_MAXINT64);
  g_assert_true (sluice_project_set (project, "rate=0.5", &error));
  g_autofree char *after = sluice_project_dup_text (project);
  g_assert_nonnull (strstr (after, "[changes]\n10=keep-every=20\n30=steps=50\n"));
}

/* ---- pauses ---- */

static gint64 clock_moved; /* microseconds */

/* What the whole program reads: the test moves it. */
gint64
g_get_real_time (void)
{
  struct timespec now;
  clock_gettime (CLOCK_REALTIME, &now);
  return (gint64) now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000 + clock_moved;
}

/* An hour, forwards or backwards: points, state and seconds of training are those of a run that was
 * never paused; what is left is the gap. */
static void
test_pause (Fixture *f, gconstpointer hours)
{
  g_autofree char *whole = train (f, NULL, NULL);
  g_autoptr (SluiceTrainer) trainer = pause_at (f, "paused", 13, NULL);
  gint64 moved = (gint64) GPOINTER_TO_INT (hours) * 3600 * G_USEC_PER_SEC;
  clock_moved += moved;
  assert_done (f, "paused", "go", NULL, 13);
  g_assert_true (sluice_trainer_wait (trainer, NULL));
  clock_moved = 0;
  assert_same_run (f, whole, "paused");
  assert_same_series (f, whole, "paused", "evaluate/loss", 2);
  g_autoptr (GArray) points = read_series (f, "paused", "loss");
  double gap =
      g_array_index (points, SluiceScalar, 13).wall - g_array_index (points, SluiceScalar, 12).wall;
  g_assert_cmpfloat (ABS (gap - (double) GPOINTER_TO_INT (hours) * 3600), <, 600);
  g_autoptr (SluiceRunInfo) info = dup_run (f->store, "paused");
  g_assert_cmpfloat (info->seconds, <, 600);
  g_assert_cmpfloat (info->seconds, >=, 0);
  assert_events (f, "paused", "checkpoint", "10 (null)|20 (null)|30 (null)|40 (null)");
}

/* ---- forks ---- */

static SluiceRunInfo *
fork_run (Fixture *f, const char *run, SluiceForkRequest *request)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) parent = dup_run (f->store, run);
  SluiceRunInfo *fork = sluice_fork (f->store, parent, request, &error);
  g_assert_no_error (error);
  g_assert_cmpint (fork->parent, ==, parent->id);
  g_assert_cmpint (fork->parent_step, ==, request->step);
  return fork;
}

static void
count_recomputed (gint64 from, gint64 to, gpointer data)
{
  *(gint64 *) data += to - from;
}

/* At each step, whether or not a checkpoint is there; the curve begins at the step. */
static void
test_fork (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  train_planned (f, "parent", (const char *const[]){ "13:rate=0.05", "27:rate=0.001", NULL });
  g_autoptr (GArray) before = read_series (f, "parent", "loss");
  for (gint64 step = 0; step < 40; step++)
    {
      gint64 n_recomputed = 0;
      SluiceForkRequest request = { .step = step,
                                    .recomputes = count_recomputed,
                                    .recomputes_data = &n_recomputed };
      g_autoptr (SluiceRunInfo) fork = fork_run (f, "parent", &request);
      g_assert_cmpint (n_recomputed, ==, step % 10);
      if (step > 0 && step % 10 == 0)
        assert_same_checkpoint (f, "parent", fork->name, step);
      SluiceTrainerOptions options = { .resume = fork->name };
      g_autofree char *name = train (f, &options, NULL);
      assert_same_checkpoint (f, "parent", fork->name, 40);
      g_autoptr (GArray) points = read_series (f, fork->name, "loss");
      g_assert_cmpuint (points->len, ==, 40 - step);
      for (guint i = 0; i < points->len; i++)
        {
          const SluiceScalar *ours = &g_array_index (points, SluiceScalar, i);
          const SluiceScalar *theirs = &g_array_index (before, SluiceScalar, step + i);
          g_assert_cmpint (ours->step, ==, theirs->step);
          g_assert_cmpfloat (ours->value, ==, theirs->value);
        }
    }
  g_autofree char *events = dup_events (f, "parent-at-20", "fork");
  g_assert_cmpstr (events, ==, "20 parent");
  assert_events (f, "parent-at-20", "set", "27 rate 0.05 to 0.001");
  assert_events (f, "parent-at-20", "resume", "");
}

/* With another rate it is what its parent would have been with that change. */
static void
test_fork_changed (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  train_planned (f, "planned", (const char *const[]){ "17:rate=0.05", NULL });
  SluiceForkRequest request = { .name = "other",
                                .step = 17,
                                .assignments = (const char *const[]){ "rate=0.05", NULL } };
  g_autoptr (SluiceRunInfo) fork = fork_run (f, whole, &request);
  SluiceTrainerOptions options = { .resume = "other" };
  g_autofree char *name = train (f, &options, NULL);
  assert_same_checkpoint (f, "planned", "other", 40);
  /* A fork of the fork, where it has no checkpoint: it begins with the one that it has. */
  SluiceForkRequest again = { .name = "grandchild", .step = 19 };
  g_autoptr (SluiceRunInfo) grandchild = fork_run (f, "other", &again);
  options.resume = "grandchild";
  g_autofree char *third = train (f, &options, NULL);
  assert_same_checkpoint (f, "planned", "grandchild", 40);
}

/* What a run was resumed with is known to have come at that step: evaluations draw from the random
 * stream, and one at step 35 was the last of the first life. */
static void
test_fork_resumed (Fixture *f, gconstpointer unused)
{
  static const char *const first[] = { "steps=35",    "evaluate-every=0", "keep-last=1",
                                       "keep-best=0", "rate=0.05",        NULL };
  SluiceTrainerOptions options = { .run_name = "lives" };
  g_autofree char *one = train (f, &options, first);
  options = (SluiceTrainerOptions){ .resume = "lives" };
  g_autofree char *two =
      train (f, &options, (const char *const[]){ "steps=60", "rate=0.001", NULL });
  assert_events (f, "lives", "set", "35 steps 35 to 60|35 rate 0.05 to 0.001");
  g_autofree char *gone = checkpoint_path (f, "lives", 35);
  g_assert_null (gone);
  gint64 n_recomputed = 0;
  SluiceForkRequest request = { .step = 50,
                                .recomputes = count_recomputed,
                                .recomputes_data = &n_recomputed };
  g_autoptr (SluiceRunInfo) fork = fork_run (f, "lives", &request);
  g_assert_cmpint (n_recomputed, ==, 50);
  options.resume = fork->name;
  g_autofree char *name = train (f, &options, NULL);
  assert_same_checkpoint (f, "lives", name, 60);
  /* Once more, and back again. */
  options.resume = "lives";
  g_autofree char *three = train (f, &options, (const char *const[]){ "steps=70", NULL });
  assert_events (f, "lives", "set", "35 steps 35 to 60|35 rate 0.05 to 0.001|60 steps 60 to 70");
  g_autoptr (SluiceRunInfo) info = dup_run (f->store, "lives");
  g_assert_cmpint (info->n_steps, ==, 70);
}

static void
assert_no_fork (Fixture *f, const char *run, SluiceForkRequest *request, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) parent = dup_run (f->store, run);
  g_autoptr (GPtrArray) before = sluice_store_dup_runs (f->store, NULL);
  g_assert_null (sluice_fork (f->store, parent, request, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, part));
  g_autoptr (GPtrArray) after = sluice_store_dup_runs (f->store, NULL);
  g_assert_cmpuint (before->len, ==, after->len);
}

static void
test_fork_refused (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  SluiceForkRequest request = { .step = 41 };
  assert_no_fork (f, whole, &request, "is at step 40");
  request.step = 40;
  assert_no_fork (f, whole, &request, "give steps=N");
  request.step = 20;
  request.assignments = (const char *const[]){ "rat=1", NULL };
  assert_no_fork (f, whole, &request, "did you mean 'rate'");
  request.assignments = (const char *const[]){ "data.x=axes:0", NULL };
  assert_no_fork (f, whole, &request, "axes");
  request.assignments = NULL;
  request.name = "a\nb";
  assert_no_fork (f, whole, &request, "name");
  request.name = "child";
  g_autoptr (SluiceRunInfo) child = fork_run (f, whole, &request);
  request.name = "older";
  request.step = 19;
  child->step = 30;
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_fork (f->store, child, &request, &error));
  g_assert_nonnull (strstr (error->message, "begins at step 20"));
  folder_write_examples (&f->folder, 31);
  assert_no_fork (f, whole, &request, "have changed");
  request.accept_changed_data = TRUE;
  g_autoptr (SluiceRunInfo) accepted = fork_run (f, whole, &request);
}

/* A sweep of forks: all of them or none; what lies behind the last checkpoint is computed once. */
static void
test_forks (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = train (f, NULL, NULL);
  g_autoptr (SluiceRunInfo) parent = dup_run (f->store, whole);
  gint64 n_recomputed = 0;
  const char *const lists[][2] = { { "rate=0.05" }, { "rate=0.02" }, { "rate=fast" } };
  SluiceForkRequest requests[3];
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    requests[i] = (SluiceForkRequest){ .step = 23,
                                       .group = "forks",
                                       .waits = TRUE,
                                       .assignments = lists[i],
                                       .recomputes = count_recomputed,
                                       .recomputes_data = &n_recomputed };
  g_assert_null (sluice_fork_all (f->store, parent, requests, 3, &error));
  g_assert_nonnull (strstr (error->message, "rate=fast"));
  g_clear_error (&error);
  g_autoptr (GPtrArray) before = sluice_store_dup_runs (f->store, NULL);
  g_assert_cmpuint (before->len, ==, 1);
  requests[2].assignments = NULL;
  n_recomputed = 0;
  g_autoptr (GPtrArray) forks = sluice_fork_all (f->store, parent, requests, 3, &error);
  g_assert_no_error (error);
  g_assert_cmpint (n_recomputed, ==, 3);
  g_autoptr (GPtrArray) entries = sluice_run_queue_dup_entries (f->store, NULL);
  g_assert_cmpuint (entries->len, ==, 3);
  for (guint i = 0; i < forks->len; i++)
    {
      const SluiceRunInfo *fork = forks->pdata[i];
      g_assert_cmpint (fork->id, ==, parent->id + 1 + i);
      g_assert_cmpstr (fork->group, ==, "forks");
      SluiceTrainerOptions options = { .resume = fork->name };
      g_autofree char *name = train (f, &options, NULL);
      g_autoptr (GArray) points = read_series (f, fork->name, "loss");
      g_assert_cmpint (g_array_index (points, SluiceScalar, 0).step, ==, 24);
    }
  assert_same_checkpoint (f, whole, ((SluiceRunInfo *) forks->pdata[2])->name, 40);
}

/* A damaged checkpoint is passed over for the one before. */
static void
test_fork_damaged (Fixture *f, gconstpointer unused)
{
  g_autofree char *whole = train (f, NULL, NULL);
  g_autofree char *path = checkpoint_path (f, whole, 30);
  folder_write (&f->folder, path + strlen (f->folder.path) + 1, "torn", -1);
  gint64 n_recomputed = 0;
  SluiceForkRequest request = { .step = 32,
                                .recomputes = count_recomputed,
                                .recomputes_data = &n_recomputed };
  g_autoptr (SluiceRunInfo) fork = fork_run (f, whole, &request);
  g_assert_cmpint (n_recomputed, ==, 12);
  SluiceTrainerOptions options = { .resume = fork->name };
  g_autofree char *name = train (f, &options, NULL);
  assert_same_checkpoint (f, whole, name, 40);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define ADD(name, data, func)                                                                      \
  g_test_add ("/control/" name, Fixture, GINT_TO_POINTER (data), set_up, func, tear_down)
  ADD ("verbs", 0, test_verbs);
  ADD ("unanswered", 0, test_unanswered);
  ADD ("pause-is-traced", 0, test_pause_is_traced);
  ADD ("live-is-planned", 0, test_live_is_planned);
  ADD ("of-given-value", 0, test_of_given_value);
  ADD ("cadence", 0, test_cadence);
  ADD ("queue-input", 0, test_queue_input);
  ADD ("change-resumes", 0, test_change_resumes);
  ADD ("refusals", 0, test_refusals);
  ADD ("bad-plans", 0, test_bad_plans);
  ADD ("file", 0, test_file);
  ADD ("pause-forwards", 1, test_pause);
  ADD ("pause-backwards", -1, test_pause);
  ADD ("fork", 0, test_fork);
  ADD ("fork-changed", 0, test_fork_changed);
  ADD ("fork-resumed", 0, test_fork_resumed);
  ADD ("fork-refused", 0, test_fork_refused);
  ADD ("forks", 0, test_forks);
  ADD ("fork-damaged", 0, test_fork_damaged);
#undef ADD
  return g_test_run ();
}
