/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/draft.h"
#include "engine/store/kinds/event.h"
#include "engine/store/run-control.h"
#include "engine/store/runs.h"
#include "engine/train/queue-needs.h"
#include "engine/train/queue-work.h"
#include "engine/train/run-file.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"

#define N_STEPS 40 /* of the project */

static const SluiceQueueLimits all = { .threads = -1, .memory = -1 };

static gint64
add (Fixture *f, const char *name, gint64 after)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = load_project (f->folder.path, NULL);
  SluiceQueueRequest request = { .name = name, .needs.after = after };
  g_autoptr (SluiceRunInfo) info = sluice_queue_add (f->store, project, &request, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (info->name, ==, name);
  return info->id;
}

static SluiceRunInfo *
dup_run (SluiceStore *store, const char *name)
{
  g_autoptr (GError) error = NULL;
  SluiceRunInfo *info = sluice_store_dup_run (store, name, &error);
  g_assert_no_error (error);
  return info;
}

static void
assert_state (SluiceStore *store, const char *name, SluiceRunState state)
{
  g_autoptr (SluiceRunInfo) info = dup_run (store, name);
  g_assert_cmpstr (sluice_run_state_name (info->state), ==, sluice_run_state_name (state));
}

/* What is next is that run, and is trained to its end. */
static void
train_next (SluiceStore *store, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = NULL;
  g_autoptr (SluiceTrainer) trainer = NULL;
  SluiceTrainerOptions options = { 0 };
  SluiceQueueClaim claim = sluice_queue_take (store, &options, &all, &info, &trainer, &error);
  g_assert_no_error (error);
  g_assert_cmpint (claim, ==, SLUICE_QUEUE_CLAIMED);
  g_assert_cmpstr (info->name, ==, name);
  assert_state (store, name, SLUICE_RUN_RUNNING);
  sluice_trainer_start (trainer);
  g_assert_true (sluice_trainer_wait (trainer, &error));
  g_assert_true (sluice_queue_put_back (store, trainer, NULL, &error));
  g_assert_no_error (error);
  assert_state (store, name, SLUICE_RUN_FINISHED);
}

/* name: (nullable): of the run that is skipped; part: of what is said of it. */
static void
assert_claim (SluiceStore *store, SluiceQueueClaim wanted, const char *name, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = NULL;
  g_autoptr (SluiceTrainer) trainer = NULL;
  SluiceTrainerOptions options = { 0 };
  SluiceQueueClaim claim = sluice_queue_take (store, &options, &all, &info, &trainer, &error);
  g_assert_no_error (error);
  g_assert_cmpint (claim, ==, wanted);
  g_assert_null (trainer);
  g_assert_cmpstr (info != NULL ? info->name : NULL, ==, name);
  if (part != NULL)
    g_assert_nonnull (strstr (info->message, part));
}

/* Names of what waits, in order. (transfer full) */
static char *
dup_names (SluiceStore *store)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) entries = sluice_run_queue_dup_entries (store, &error);
  g_assert_no_error (error);
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < entries->len; i++)
    {
      const SluiceQueueEntry *entry = entries->pdata[i];
      g_string_append_printf (names, "%s%s", i > 0 ? " " : "", entry->info->name);
    }
  return g_string_free (names, FALSE);
}

static void
assert_names (SluiceStore *store, const char *names)
{
  g_autofree char *are = dup_names (store);
  g_assert_cmpstr (are, ==, names);
}

static void
move (SluiceStore *store, const char *name, const char *other, gboolean before)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) run = dup_run (store, name);
  g_autoptr (SluiceRunInfo) beside = dup_run (store, other);
  sluice_run_queue_move (store, run, beside, before, &error);
  g_assert_no_error (error);
}

static void
test_order (Fixture *f, gconstpointer unused)
{
  g_autofree char *alone = train (f, NULL, NULL);
  add (f, "a", 0);
  add (f, "b", 0);
  assert_state (f->store, "a", SLUICE_RUN_WAITING);
  open_store (f); /* what waits outlives its program */
  assert_names (f->store, "a b");
  train_next (f->store, "a");
  assert_names (f->store, "b");
  train_next (f->store, "b");
  assert_claim (f->store, SLUICE_QUEUE_EMPTY, NULL, NULL);
  assert_same_checkpoint (f, alone, "a", 40);
  assert_same_series (f, alone, "b", "loss", 40);
}

static void
test_settings (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  add (f, "a", 0);
  g_autoptr (GPtrArray) rows = sluice_store_read_run_entries (f->store, FALSE, &error);
  g_assert_no_error (error);
  const SluiceRunEntry *row = rows->pdata[0];
  g_assert_cmpuint (row->settings->len, >=, 3);
  g_assert_cmpfloat (row->info->started, ==, 0);
}

static void
test_move (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  add (f, "a", 0);
  add (f, "b", 0);
  add (f, "c", 0);
  move (f->store, "c", "a", TRUE);
  assert_names (f->store, "c a b");
  move (f->store, "c", "a", FALSE);
  assert_names (f->store, "a c b");
  move (f->store, "a", "b", FALSE);
  assert_names (f->store, "c b a");
  g_autoptr (SluiceRunInfo) b = dup_run (f->store, "b");
  g_assert_false (sluice_run_queue_move (f->store, b, b, TRUE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  sluice_run_queue_drop (f->store, b, &error);
  g_assert_no_error (error);
  assert_names (f->store, "c a");
  assert_state (f->store, "b", SLUICE_RUN_DRAFT);
  g_assert_false (sluice_run_queue_drop (f->store, b, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_autoptr (SluiceRunInfo) c = dup_run (f->store, "c");
  sluice_store_delete_run (f->store, c->id, &error);
  g_assert_no_error (error);
  assert_names (f->store, "a");
  train_next (f->store, "a");
  assert_claim (f->store, SLUICE_QUEUE_EMPTY, NULL, NULL);
  sluice_store_restore_run (f->store, c->id, &error);
  train_next (f->store, "c");
}

static void
test_pause (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  gboolean paused;
  add (f, "a", 0);
  sluice_run_queue_set_paused (f->store, TRUE, &error);
  g_assert_no_error (error);
  open_store (f);
  g_assert_true (sluice_run_queue_get_paused (f->store, &paused, &error) && paused);
  assert_claim (f->store, SLUICE_QUEUE_PAUSED, NULL, NULL);
  assert_state (f->store, "a", SLUICE_RUN_WAITING);
  sluice_run_queue_set_paused (f->store, FALSE, &error);
  train_next (f->store, "a");
}

static void
test_after (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  gint64 first = add (f, "first", 0);
  gint64 second = add (f, "second", first);
  add (f, "third", second);
  move (f->store, "third", "first", TRUE);
  train_next (f->store, "first"); /* 'third' stands before it, and waits */
  g_autoptr (SluiceRunInfo) dropped = dup_run (f->store, "second");
  sluice_run_queue_drop (f->store, dropped, &error);
  g_assert_no_error (error);
  assert_claim (f->store, SLUICE_QUEUE_BLOCKED, NULL, NULL);
  dropped->state = SLUICE_RUN_FAILED;
  sluice_store_update_run (f->store, dropped, &error);
  assert_claim (f->store, SLUICE_QUEUE_SKIPPED, "third", "'second'");
  assert_state (f->store, "third", SLUICE_RUN_FAILED);
  assert_claim (f->store, SLUICE_QUEUE_EMPTY, NULL, NULL);
}

static void
test_restore (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  gint64 a = add (f, "a", 0);
  SluiceQueueNeeds needs = { 0 }, found;
  needs.after = a;
  add (f, "b", a);
  gint64 c = add (f, "c", 0);
  g_autoptr (SluiceRunInfo) b = dup_run (f->store, "b");
  g_assert_false (sluice_run_queue_restore (f->store, b, &needs, c, &error)); /* it waits */
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_clear_error (&error);
  sluice_run_queue_drop (f->store, b, &error);
  assert_state (f->store, "b", SLUICE_RUN_DRAFT);
  sluice_run_queue_restore (f->store, b, &needs, c, &error);
  g_assert_no_error (error);
  assert_names (f->store, "a b c");
  assert_state (f->store, "b", SLUICE_RUN_WAITING);
  sluice_run_queue_read_needs (f->store, b->id, &found, &error);
  g_assert_cmpint (found.after, ==, a);
  sluice_run_queue_drop (f->store, b, &error);
  sluice_run_queue_restore (f->store, b, &needs, 0, &error);
  g_assert_no_error (error);
  assert_names (f->store, "a c b");
}

static void
test_set_after (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  add (f, "a", 0);
  add (f, "b", 0);
  g_autoptr (SluiceRunInfo) a = dup_run (f->store, "a");
  g_autoptr (SluiceRunInfo) b = dup_run (f->store, "b");
  sluice_run_queue_set_after (f->store, a, b, &error);
  g_assert_no_error (error);
  g_assert_false (sluice_run_queue_set_after (f->store, b, a, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (sluice_run_queue_set_after (f->store, a, a, &error));
  g_clear_error (&error);
  train_next (f->store, "b");
  sluice_run_queue_set_after (f->store, a, NULL, &error);
  g_assert_no_error (error);
  train_next (f->store, "a");
}

/* Another connection is as good as another process: locks are of open files. */
static SluiceStore *
open_other (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  SluiceStore *store = sluice_store_open (sluice_store_get_workspace (f->store), &error);
  g_assert_no_error (error);
  return store;
}

static void
test_claimed_once (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  add (f, "a", 0);
  add (f, "b", 0);
  g_autoptr (SluiceStore) other = open_other (f);
  gint64 run, second, none;
  g_assert_cmpint (sluice_run_queue_claim (f->store, &all, &run, &error), ==, SLUICE_QUEUE_CLAIMED);
  g_assert_cmpint (sluice_run_queue_claim (other, &all, &second, &error), ==, SLUICE_QUEUE_CLAIMED);
  g_assert_cmpint (run, !=, second);
  g_assert_cmpint (sluice_run_queue_claim (f->store, &all, &none, &error), ==, SLUICE_QUEUE_BUSY);
  g_autoptr (SluiceRunInfo) a = dup_run (f->store, "a");
  g_assert_false (sluice_run_queue_drop (f->store, a, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_clear_error (&error);
  sluice_run_queue_settle (f->store, run, SLUICE_QUEUE_WAITS_AGAIN, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sluice_run_queue_claim (other, &all, &none, &error), ==, SLUICE_QUEUE_CLAIMED);
  g_assert_cmpint (none, ==, run);
}

/* The store is closed with a run under way, as when its process is killed. */
static void
test_crash (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *alone = train (f, NULL, NULL);
  add (f, "a", 0);
  {
    g_autoptr (SluiceRunInfo) info = NULL;
    g_autoptr (SluiceTrainer) trainer = NULL;
    g_autoptr (SluiceStore) other = open_other (f);
    SluiceTrainerOptions options = { .start_paused = TRUE };
    g_assert_cmpint (sluice_queue_take (other, &options, &all, &info, &trainer, &error), ==,
                     SLUICE_QUEUE_CLAIMED);
    sluice_trainer_start (trainer);
    sluice_trainer_step (trainer, 13);
    wait_for_state (trainer, SLUICE_RUN_PAUSED, 13);
    assert_claim (f->store, SLUICE_QUEUE_BUSY, NULL, NULL);
    sluice_trainer_stop (trainer);
    g_assert_true (sluice_trainer_wait (trainer, &error));
  }
  train_next (f->store, "a");
  assert_claim (f->store, SLUICE_QUEUE_EMPTY, NULL, NULL);
  assert_same_checkpoint (f, alone, "a", 40);
  assert_same_series (f, alone, "a", "loss", 40);
}

static void
test_stop (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = NULL;
  g_autoptr (SluiceTrainer) trainer = NULL;
  SluiceTrainerOptions options = { .start_paused = TRUE };
  add (f, "a", 0);
  sluice_queue_take (f->store, &options, &all, &info, &trainer, &error);
  g_assert_no_error (error);
  sluice_trainer_start (trainer);
  sluice_trainer_step (trainer, 7);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 7);
  sluice_trainer_stop (trainer);
  g_assert_true (sluice_trainer_wait (trainer, &error));
  g_assert_true (sluice_queue_put_back (f->store, trainer, NULL, &error));
  assert_state (f->store, "a", SLUICE_RUN_WAITING);
  train_next (f->store, "a");
}

/* Who asks for this very run to stop does not want it to be begun again. */
static void
test_asked_to_stop (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = NULL;
  g_autoptr (SluiceTrainer) trainer = NULL;
  SluiceTrainerOptions options = { .start_paused = TRUE };
  add (f, "a", 0);
  add (f, "b", 0);
  sluice_queue_take (f->store, &options, &all, &info, &trainer, &error);
  g_assert_no_error (error);
  sluice_trainer_start (trainer);
  sluice_trainer_step (trainer, 7);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, 7);
  g_assert_cmpint (sluice_run_control_ask (f->store, info, "stop", NULL, &error), >, 0);
  g_assert_true (sluice_trainer_wait (trainer, &error));
  g_assert_true (sluice_queue_put_back (f->store, trainer, NULL, &error));
  assert_state (f->store, "a", SLUICE_RUN_STOPPED);
  assert_names (f->store, "b");
  train_next (f->store, "b");
}

static void
test_changed_data (Fixture *f, gconstpointer unused)
{
  add (f, "changed", 0);
  folder_write_examples (&f->folder, 31);
  add (f, "good", 0);
  assert_claim (f->store, SLUICE_QUEUE_SKIPPED, "changed", "have changed");
  train_next (f->store, "good");
  assert_state (f->store, "changed", SLUICE_RUN_FAILED);
}

/* ---- memory ---- */

static gint64
get_memory (Fixture *f, guint i)
{
  g_autoptr (GPtrArray) entries = sluice_run_queue_dup_entries (f->store, NULL);
  return ((SluiceQueueEntry *) entries->pdata[i])->memory;
}

/* Nobody said what these runs need: their plans do. */
static void
test_planned_memory (Fixture *f, gconstpointer unused)
{
  static const char *const large[] = { "batch=20", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = load_project (f->folder.path, large);
  const SluiceQueueRequest plain = { .name = "large" };
  const SluiceQueueRequest said = { .name = "said", .needs.memory = 77 };
  add (f, "small", 0);
  g_autoptr (SluiceRunInfo) first = sluice_queue_add (f->store, project, &plain, &error);
  g_assert_no_error (error);
  g_assert_cmpint (get_memory (f, 0), >, 0);
  g_assert_cmpint (get_memory (f, 1), >, get_memory (f, 0));
  g_autoptr (SluiceRunInfo) second = sluice_queue_add (f->store, project, &said, &error);
  g_assert_cmpint (get_memory (f, 2), ==, 77);
}

/* ThreadSanitizer sees what these locks guard, and not what GLib's do. */
typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
  guint n_now, n_most, n_wanted; /* under way at the same time */
} Together;

/* Waits until as many are under way as there is to be room for. */
static gboolean
train_together (SluiceTrainer *trainer, gpointer data, GError **error)
{
  Together *self = data;
  pthread_mutex_lock (&self->lock);
  self->n_now++;
  self->n_most = MAX (self->n_most, self->n_now);
  pthread_cond_broadcast (&self->changed);
  while (self->n_most < self->n_wanted)
    pthread_cond_wait (&self->changed, &self->lock);
  pthread_mutex_unlock (&self->lock);
  sluice_trainer_start (trainer);
  gboolean ok = sluice_trainer_wait (trainer, error);
  pthread_mutex_lock (&self->lock);
  self->n_now--;
  pthread_mutex_unlock (&self->lock);
  return ok;
}

static gboolean
is_never_over (gpointer data)
{
  return FALSE;
}

static void
yield (gpointer data)
{
  g_thread_yield ();
}

/* Four runs that need 100 bytes each. */
static void
test_memory (Fixture *f, gconstpointer unused)
{
  static const struct
  {
    gint64 memory;
    guint n_together;
  } cases[] = { { 60, 1 }, { 100, 1 }, { 250, 2 }, { 400, 3 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      const SluiceTrainerOptions trainer = { 0 };
      Together together = { .lock = PTHREAD_MUTEX_INITIALIZER,
                            .changed = PTHREAD_COND_INITIALIZER,
                            .n_wanted = cases[i].n_together };
      const SluiceQueueWork work = { .jobs = 3,
                                     .memory = cases[i].memory,
                                     .trainer = &trainer,
                                     .train = train_together,
                                     .is_over = is_never_over,
                                     .wait = yield,
                                     .data = &together };
      guint n_failed;
      for (guint k = 0; k < 4; k++)
        {
          g_autoptr (SluiceProject) project = load_project (f->folder.path, NULL);
          const SluiceQueueRequest request = { .needs.memory = 100 };
          g_autoptr (SluiceRunInfo) info = sluice_queue_add (f->store, project, &request, &error);
          g_assert_no_error (error);
        }
      g_assert_true (sluice_queue_work (f->store, &work, &n_failed, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (n_failed, ==, 0);
      g_assert_cmpuint (together.n_most, ==, cases[i].n_together);
    }
}

/* It stands where it was asked to stand when it came to wait, unless who trains it knows better. */
static void
test_device (Fixture *f, gconstpointer unused)
{
  static const char *const two[] = { "train.cpus=2", NULL };
  static const struct
  {
    const char *asked, *given, *stands;
  } cases[] = { { NULL, NULL, "CPU:0" },
                { "CPU:1", NULL, "CPU:1" },
                { "CPU:1", "CPU:0", "CPU:0" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceProject) project = load_project (f->folder.path, two);
      const SluiceQueueRequest request = { .needs.devices = cases[i].asked };
      g_autoptr (SluiceRunInfo) added = sluice_queue_add (f->store, project, &request, &error);
      g_assert_no_error (error);
      const SluiceSessionOptions host = { .n_cpus = 2, .device = cases[i].given };
      const SluiceTrainerOptions options = { .host = &host };
      g_autoptr (SluiceRunInfo) info = NULL;
      g_autoptr (SluiceTrainer) trainer = NULL;
      sluice_queue_take (f->store, &options, &all, &info, &trainer, &error);
      g_assert_no_error (error);
      sluice_trainer_start (trainer);
      g_assert_true (sluice_trainer_wait (trainer, &error));
      SluiceSession *session = sluice_trainer_get_session (trainer);
      SluiceNode *node = sluice_graph_find (sluice_trainer_get_graph (trainer), "loss");
      g_assert_nonnull (node);
      g_assert_nonnull (strstr (sluice_session_get_device_of (session, node), cases[i].stands));
      g_assert_true (sluice_queue_put_back (f->store, trainer, NULL, &error));
    }
}

static gint64
add_on (Fixture *f, const char *device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = load_project (f->folder.path, NULL);
  const SluiceQueueRequest request = { .needs.devices = device };
  g_autoptr (SluiceRunInfo) info = sluice_queue_add (f->store, project, &request, &error);
  g_assert_no_error (error);
  return info->id;
}

/* 0: those that are left have to wait. */
static gint64
claim (SluiceStore *store)
{
  g_autoptr (GError) error = NULL;
  gint64 run;
  SluiceQueueClaim said = sluice_run_queue_claim (store, &all, &run, &error);
  g_assert_no_error (error);
  g_assert_cmpint (said, ==, run != 0 ? SLUICE_QUEUE_CLAIMED : SLUICE_QUEUE_BUSY);
  return run;
}

/* An accelerator is one run's, in whatever program that is, and free again after its end, or its
 * program's; a CPU, and what is not said, is shared. */
static void
test_one_device (Fixture *f, gconstpointer unused)
{
  static const char *const devices[] = { "CUDA:0", "/device:cuda:0", "CUDA:1", "CUDA",
                                         "CPU:0",  "CPU:0",          NULL };
  g_autoptr (GError) error = NULL;
  gint64 runs[G_N_ELEMENTS (devices)];
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    runs[i] = add_on (f, devices[i]);
  g_autoptr (SluiceStore) other = sluice_store_open (sluice_store_get_workspace (f->store), &error);
  g_assert_no_error (error);
  g_assert_cmpint (claim (f->store), ==, runs[0]);
  static const guint free[] = { 2, 4, 5, 6 };
  for (guint i = 0; i < G_N_ELEMENTS (free); i++)
    g_assert_cmpint (claim (i % 2 == 0 ? other : f->store), ==, runs[free[i]]);
  g_assert_cmpint (claim (other), ==, 0);
  g_assert_true (sluice_run_queue_settle (f->store, runs[0], SLUICE_QUEUE_LEAVES, NULL, &error));
  g_assert_cmpint (claim (other), ==, runs[1]);
  g_assert_cmpint (claim (f->store), ==, 0);
  sluice_store_unlock_run (other, runs[1]); /* as if the other program were gone */
  sluice_store_unlock_run (other, runs[2]);
  g_assert_cmpint (claim (f->store), ==, runs[1]);
}

static gboolean
has_event (SluiceStore *store, gint64 run, const char *kind, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) events = sluice_store_read_events (store, run, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceEvent *event = events->pdata[i];
      if (strcmp (event->kind, kind) == 0 && g_strcmp0 (event->text, text) == 0)
        return TRUE;
    }
  return FALSE;
}

/* One that begins with a checkpoint's values waits with them: the file may go. It is trained as one
 * that begins with them now. */
static void
test_init_from (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  const SluiceTrainerOptions plain = { .run_name = "origin" };
  g_free (train (f, &plain, NULL));
  g_autofree char *there = checkpoint_path (f, "origin", N_STEPS);
  g_autofree char *path = folder_dup_path (&f->folder, "foreign.safetensors");
  g_autofree char *bytes = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (there, &bytes, &length, NULL));
  folder_write (&f->folder, "foreign.safetensors", bytes, (gssize) length);
  const SluiceTrainerOptions now = { .run_name = "now", .init_from = path };
  g_free (train (f, &now, NULL));
  g_autoptr (SluiceProject) project = load_project (f->folder.path, NULL);
  const SluiceQueueRequest request = { .name = "later",
                                       .needs = { .devices = "CPU:0", .threads = 2 },
                                       .init_from = path };
  g_autoptr (SluiceRunInfo) info = sluice_queue_add (f->store, project, &request, &error);
  g_assert_no_error (error);
  g_unlink (path);
  train_next (f->store, "later");
  assert_same_series (f, "now", "later", "loss", N_STEPS);
  g_assert_true (has_event (f->store, info->id, "init-from", path));
  g_assert_false (has_event (f->store, info->id, "resume", NULL));
  g_autofree char *folder = sluice_store_dup_run_folder (f->store, info->id);
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (folder);
  g_assert_cmpstr (file->init_from, ==, path);
  g_assert_cmpstr (g_hash_table_lookup (file->needs, "device"), ==, "CPU:0");
  g_assert_cmpstr (g_hash_table_lookup (file->needs, "threads"), ==, "2");
  g_assert_null (g_hash_table_lookup (file->needs, "memory")); /* that of the plan */
  g_assert_null (sluice_queue_add (f->store, project, &request, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

/* What people write of it, and what is told of what is none. */
static void
test_needs (Fixture *f, gconstpointer unused)
{
  SluiceQueueNeeds needs = { .devices = "CPU:1", .threads = 3 };
  g_assert_true (sluice_queue_needs_set (&needs, "memory", "2G", NULL));
  g_assert_true (sluice_queue_needs_set (&needs, "threads", "", NULL));
  g_assert_cmpint (needs.memory, ==, (gint64) 2 << 30);
  g_assert_cmpint (needs.threads, ==, 0);
  for (guint i = 0; sluice_queue_need_keys[i] != NULL; i++)
    {
      SluiceQueueNeeds other = { 0 };
      const char *key = sluice_queue_need_keys[i];
      g_autofree char *text = sluice_queue_needs_dup_text (&needs, key);
      g_assert_true (sluice_queue_needs_set (&other, key, text, NULL));
      g_autofree char *again = sluice_queue_needs_dup_text (&other, key);
      g_assert_cmpstr (again, ==, text);
    }
  static const char *const bad[][3] = {
    { "device", "CUDA:0", "CUDA" },        { "device", "CPU:x", "CPU:x" },
    { "threads", "many", "whole number" }, { "threads", "-1", "at least 0" },
    { "memory", "much", "64M" },           { "memory", "9999999T", "64M" }
  };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (sluice_queue_needs_set (&needs, bad[i][0], bad[i][1], &error));
      g_assert_nonnull (strstr (error->message, bad[i][2]));
    }
  g_assert_cmpstr (needs.devices, ==, "CPU:1");
}

/* What cannot be trained is no run. */
static void
test_refused (Fixture *f, gconstpointer unused)
{
  static const char *const bad[][2] = { { "loss=nothing:0", NULL }, { "train-x=none.csv", NULL } };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceProject) project = load_project (f->folder.path, bad[i]);
      SluiceQueueRequest request = { 0 };
      g_assert_null (sluice_queue_add (f->store, project, &request, &error));
      g_assert_nonnull (error);
    }
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (f->store, NULL);
  g_assert_cmpuint (runs->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  const struct
  {
    const char *path;
    void (*test) (Fixture *f, gconstpointer unused);
  } tests[] = {
    { "/train/queue/device", test_device },
    { "/train/queue/order", test_order },
    { "/train/queue/settings", test_settings },
    { "/train/queue/move", test_move },
    { "/train/queue/pause", test_pause },
    { "/train/queue/after", test_after },
    { "/train/queue/restore", test_restore },
    { "/train/queue/set-after", test_set_after },
    { "/train/queue/claimed-once", test_claimed_once },
    { "/train/queue/crash", test_crash },
    { "/train/queue/stop", test_stop },
    { "/train/queue/asked-to-stop", test_asked_to_stop },
    { "/train/queue/planned-memory", test_planned_memory },
    { "/train/queue/memory", test_memory },
    { "/train/queue/one-device", test_one_device },
    { "/train/queue/init-from", test_init_from },
    { "/train/queue/needs", test_needs },
    { "/train/queue/refused", test_refused },
    { "/train/queue/changed-data", test_changed_data },
  };
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
