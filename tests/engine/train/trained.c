/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/engine/train/trained.h"

#include <string.h>

void
open_store (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *workspace = folder_dup_path (&f->folder, "workspace");
  g_clear_object (&f->store);
  f->store = sluice_store_open (workspace, &error);
  g_assert_no_error (error);
}

void
set_up (Fixture *f, gconstpointer unused)
{
  folder_init (&f->folder);
  folder_write_project (&f->folder, NULL);
  folder_write_examples (&f->folder, 30);
  open_store (f);
}

void
tear_down (Fixture *f, gconstpointer unused)
{
  g_clear_object (&f->store);
  folder_clear (&f->folder);
}

SluiceProject *
load_project (const char *folder, const char *const *assignments)
{
  g_autoptr (GError) error = NULL;
  SluiceProject *project = sluice_project_load (folder, &error);
  g_assert_no_error (error);
  for (guint i = 0; assignments != NULL && assignments[i] != NULL; i++)
    g_assert_true (sluice_project_set (project, assignments[i], NULL));
  return project;
}

SluiceTrainer *
new_trainer (Fixture *f, const SluiceTrainerOptions *options, const char *const *assignments)
{
  g_autoptr (GError) error = NULL;
  static const SluiceTrainerOptions named = { .run_name = "Line" };
  g_autofree char *folder = g_strdup (f->folder.path);
  if (options == NULL)
    options = &named;
  if (options->resume != NULL)
    {
      g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, options->resume, &error);
      g_assert_no_error (error);
      g_free (folder);
      folder = sluice_store_dup_run_folder (f->store, info->id);
    }
  SluiceTrainer *trainer =
      sluice_trainer_new (f->store, load_project (folder, assignments), options, &error);
  g_assert_no_error (error);
  return trainer;
}

/* Trains to the end; returns the name of the run. */
char *
train (Fixture *f, const SluiceTrainerOptions *options, const char *const *assignments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, options, assignments);
  sluice_trainer_start (trainer);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
  SluiceProgress p;
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.state, ==, SLUICE_RUN_FINISHED);
  return g_strdup (sluice_trainer_get_run_name (trainer));
}

void
assert_project_refused (Fixture *f, const char *ini, const char *part)
{
  g_autoptr (GError) error = NULL;
  folder_write_project (&f->folder, ini);
  SluiceProject *project = sluice_project_load (f->folder.path, &error);
  g_autoptr (SluiceTrainer) trainer =
      project != NULL ? sluice_trainer_new (f->store, project, NULL, &error) : NULL;
  g_assert_null (trainer);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, part));
}

void
wait_for_state (SluiceTrainer *trainer, SluiceRunState state, gint64 step)
{
  SluiceProgress p;
  for (;;)
    {
      sluice_trainer_get_progress (trainer, &p);
      if (p.state == state && p.step >= step)
        return;
      g_assert_cmpint (p.state, !=, SLUICE_RUN_FAILED);
      g_usleep (200);
    }
}

char *
checkpoint_path (Fixture *f, const char *run, gint64 step)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, run, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) checkpoints = sluice_store_read_checkpoints (f->store, info->id, &error);
  g_assert_no_error (error);
  char *path = NULL;
  for (guint i = 0; i < checkpoints->len; i++)
    {
      SluiceCheckpointInfo *checkpoint = checkpoints->pdata[i];
      if (checkpoint->step == step)
        path = g_strdup (checkpoint->path);
      sluice_checkpoint_info_free (checkpoint);
    }
  g_ptr_array_set_free_func (checkpoints, NULL);
  return path;
}

static void
assert_same_file (const char *a, const char *b)
{
  g_autofree char *x = NULL, *y = NULL;
  gsize n, m;
  g_assert_true (g_file_get_contents (a, &x, &n, NULL));
  g_assert_true (g_file_get_contents (b, &y, &m, NULL));
  g_assert_cmpmem (x, n, y, m);
}

void
assert_same_checkpoint (Fixture *f, const char *a, const char *b, gint64 step)
{
  g_autofree char *x = checkpoint_path (f, a, step);
  g_autofree char *y = checkpoint_path (f, b, step);
  g_assert_nonnull (x);
  g_assert_nonnull (y);
  assert_same_file (x, y);
}

/* The points of a series by tag. */
GArray *
read_series (Fixture *f, const char *run, const char *tag)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (f->store, run, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) all = sluice_store_dup_series (f->store, info->id, &error);
  g_assert_no_error (error);
  GArray *points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  for (guint i = 0; i < all->len; i++)
    {
      SluiceSeriesInfo *series = all->pdata[i];
      if (strcmp (series->tag, tag) == 0)
        sluice_store_read_points (f->store, series->id, 0, G_MAXSIZE, points, &error);
    }
  g_assert_no_error (error);
  return points;
}

/* Every step from first to last once, with the same values as the other run. */
void
assert_same_series (Fixture *f, const char *a, const char *b, const char *tag, guint n)
{
  g_autoptr (GArray) x = read_series (f, a, tag);
  g_autoptr (GArray) y = read_series (f, b, tag);
  g_assert_cmpuint (x->len, ==, n);
  g_assert_cmpuint (y->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (g_array_index (x, SluiceScalar, i).step, ==,
                       g_array_index (y, SluiceScalar, i).step);
      g_assert_cmpfloat (g_array_index (x, SluiceScalar, i).value, ==,
                         g_array_index (y, SluiceScalar, i).value);
    }
}

/* Steps so far, then stops; the run is resumable. */
void
stop_at (Fixture *f, const char *name, gint64 step)
{
  g_autoptr (GError) error = NULL;
  SluiceTrainerOptions options = { .run_name = name, .start_paused = TRUE };
  g_autoptr (SluiceTrainer) trainer = new_trainer (f, &options, NULL);
  SluiceProgress p;
  sluice_trainer_start (trainer);
  sluice_trainer_step (trainer, step);
  wait_for_state (trainer, SLUICE_RUN_PAUSED, step);
  sluice_trainer_stop (trainer);
  sluice_trainer_wait (trainer, &error);
  g_assert_no_error (error);
  sluice_trainer_get_progress (trainer, &p);
  g_assert_cmpint (p.state, ==, SLUICE_RUN_STOPPED);
  g_assert_cmpint (p.last_checkpoint, ==, step);
}
