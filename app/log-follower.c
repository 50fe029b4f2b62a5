/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/log-follower.h"

#include "app/log-watch.h"
#include "engine/store/import.h"

struct _SluiceLogFollower
{
  GObject parent;
  SluiceStore *store;
  char **paths;
  GCancellable *cancellable;
  SluiceLogWatch *watch;    /* (nullable): it is stopped */
  SluiceImporter *importer; /* a task's while is_reading; made by the first */
  gboolean is_reading;
  gboolean reads_again; /* something came meanwhile */
};

G_DEFINE_FINAL_TYPE (SluiceLogFollower, sluice_log_follower, G_TYPE_OBJECT)

enum
{
  READ,
  FAILED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- on the thread ---- */

/* What is gone since it was imported cannot grow. */
static SluiceImporter *
open_importer (SluiceLogFollower *self)
{
  const SluiceImportOptions options = { .cancellable = self->cancellable, .follows = TRUE };
  SluiceImporter *importer = sluice_importer_new (self->store, &options);
  for (guint i = 0; self->paths[i] != NULL; i++)
    sluice_importer_add (importer, self->paths[i], NULL);
  return importer;
}

static gboolean
note_run (const SluiceImportedRun *run, gpointer runs, GError **error)
{
  if (run->id != 0 && (run->n_records > 0 || run->is_reread))
    g_array_append_val (runs, run->id);
  return TRUE;
}

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  SluiceLogFollower *self = SLUICE_LOG_FOLLOWER (source);
  GError *error = NULL;
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (self->importer == NULL)
    self->importer = open_importer (self);
  if (sluice_importer_run (self->importer, note_run, runs, &error))
    {
      g_task_return_pointer (task, runs, (GDestroyNotify) g_array_unref);
      return;
    }
  g_array_unref (runs);
  g_task_return_error (task, error);
}

/* ---- in the main loop ---- */

static void read_done (GObject *object, GAsyncResult *result, gpointer unused);

static void
read_more (gpointer data)
{
  SluiceLogFollower *self = data;
  self->reads_again = self->is_reading;
  if (self->is_reading)
    return;
  self->is_reading = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, read_done, NULL);
  g_task_run_in_thread (task, read_in_worker);
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer unused)
{
  SluiceLogFollower *self = SLUICE_LOG_FOLLOWER (object);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) runs = g_task_propagate_pointer (G_TASK (result), &error);
  self->is_reading = FALSE;
  if (self->watch == NULL)
    return; /* nobody follows any more */
  if (error != NULL)
    {
      g_clear_pointer (&self->watch, sluice_log_watch_free);
      g_signal_emit (self, signals[FAILED], 0, error);
      return;
    }
  g_autoptr (GPtrArray) folders = sluice_importer_list_folders (self->importer);
  self->reads_again |= sluice_log_watch_add (self->watch, folders);
  for (guint i = 0; i < runs->len; i++)
    g_signal_emit (self, signals[READ], 0, g_array_index (runs, gint64, i));
  if (self->reads_again && self->watch != NULL)
    read_more (self);
}

SluiceLogFollower *
sluice_log_follower_new (SluiceStore *store, const char *const *paths)
{
  SluiceLogFollower *self = g_object_new (SLUICE_TYPE_LOG_FOLLOWER, NULL);
  self->store = g_object_ref (store);
  self->paths = g_strdupv ((char **) paths);
  self->watch = sluice_log_watch_new (read_more, self);
  read_more (self);
  return self;
}

void
sluice_log_follower_stop (SluiceLogFollower *take_self)
{
  g_cancellable_cancel (take_self->cancellable);
  g_clear_pointer (&take_self->watch, sluice_log_watch_free);
  g_object_unref (take_self);
}

/* ---- life ---- */

static void
sluice_log_follower_finalize (GObject *object)
{
  SluiceLogFollower *self = SLUICE_LOG_FOLLOWER (object);
  g_clear_pointer (&self->watch, sluice_log_watch_free);
  g_clear_pointer (&self->importer, sluice_importer_free);
  g_clear_object (&self->store);
  g_strfreev (self->paths);
  g_object_unref (self->cancellable);
  G_OBJECT_CLASS (sluice_log_follower_parent_class)->finalize (object);
}

static void
sluice_log_follower_class_init (SluiceLogFollowerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_log_follower_finalize;
  signals[READ] = g_signal_new ("read", SLUICE_TYPE_LOG_FOLLOWER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  signals[FAILED] = g_signal_new ("failed", SLUICE_TYPE_LOG_FOLLOWER, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
sluice_log_follower_init (SluiceLogFollower *self)
{
  self->cancellable = g_cancellable_new ();
}
