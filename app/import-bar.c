/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/import-bar.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <pthread.h>

#include "app/failure-words.h"
#include "app/import-words.h"
#include "engine/base/error.h"

#define TICK_MS     100
#define MOST_DAMAGE 5 /* lines; the rest is counted */

/* What the thread and the window share. */
typedef struct
{
  SluiceStore *store;
  char **paths;
  GCancellable *cancellable;

  pthread_mutex_t lock; /* guards everything below */
  char *run;            /* (nullable): that is being read */
  double fraction;
  GArray *imported; /* of gint64: runs that nobody was told of */
  guint n_runs;
  guint64 n_of_kind[SLUICE_KIND_NUMBERS];
  GPtrArray *damage; /* of char *: lines */
  guint64 n_damaged;
} Import;

struct _SluiceImportBar
{
  GtkWidget parent;
  GtkRevealer *revealer;
  GtkLabel *label;
  GtkProgressBar *progress;
  GtkWidget *cancel, *follow, *close;
  Import *import; /* (nullable): under way; its task owns it */
  guint tick;
};

G_DEFINE_FINAL_TYPE (SluiceImportBar, sluice_import_bar, GTK_TYPE_WIDGET)

enum
{
  IMPORTED,
  ENDED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- on the thread ---- */

static void
import_free (gpointer data)
{
  Import *self = data;
  g_object_unref (self->store);
  g_object_unref (self->cancellable);
  g_strfreev (self->paths);
  g_free (self->run);
  g_array_unref (self->imported);
  g_ptr_array_unref (self->damage);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static Import *
import_new (SluiceStore *store, const char *const *paths)
{
  Import *self = g_new0 (Import, 1);
  self->store = g_object_ref (store);
  self->paths = g_strdupv ((char **) paths);
  self->cancellable = g_cancellable_new ();
  self->imported = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->damage = g_ptr_array_new_with_free_func (g_free);
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

static void
note_progress (const SluiceImportProgress *progress, gpointer data)
{
  Import *self = data;
  pthread_mutex_lock (&self->lock);
  g_free (self->run);
  self->run = g_strdup (progress->run);
  self->fraction =
      progress->bytes > 0 ? (double) progress->bytes_done / (double) progress->bytes : 0;
  pthread_mutex_unlock (&self->lock);
}

static gboolean
note_run (const SluiceImportedRun *run, gpointer data, GError **error)
{
  Import *self = data;
  pthread_mutex_lock (&self->lock);
  if (run->id != 0)
    {
      g_array_append_val (self->imported, run->id);
      self->n_runs++;
    }
  for (guint i = 0; i < G_N_ELEMENTS (self->n_of_kind); i++)
    self->n_of_kind[i] += run->n_of_kind[i];
  for (guint i = 0; i < run->damaged->len && self->damage->len < MOST_DAMAGE; i++)
    g_ptr_array_add (self->damage, sluice_import_words_dup_damage (run->damaged->pdata[i]));
  self->n_damaged += run->damaged->len + run->n_more_damaged;
  pthread_mutex_unlock (&self->lock);
  return TRUE;
}

static void
import_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *unused)
{
  Import *self = data;
  GError *error = NULL;
  const SluiceImportOptions options = { .cancellable = self->cancellable,
                                        .progress = note_progress,
                                        .progress_data = self };
  g_autoptr (SluiceImporter) importer = sluice_importer_new (self->store, &options);
  gboolean ok = TRUE;
  for (guint i = 0; ok && self->paths[i] != NULL; i++)
    ok = sluice_importer_add (importer, self->paths[i], &error);
  if (ok && sluice_importer_run (importer, note_run, self, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* ---- in the main loop ---- */

/* Runs that came since, and how far it is. */
static void
update (SluiceImportBar *self)
{
  Import *import = self->import;
  pthread_mutex_lock (&import->lock);
  g_autofree char *run = g_strdup (import->run);
  double fraction = import->fraction;
  g_autoptr (GArray) imported = import->imported;
  import->imported = g_array_new (FALSE, FALSE, sizeof (gint64));
  pthread_mutex_unlock (&import->lock);
  g_autofree char *text = run != NULL ? g_strdup_printf (_ ("Reading the log of “%s”…"), run)
                                      : g_strdup (_ ("Looking for logs…"));
  gtk_label_set_label (self->label, text);
  gtk_progress_bar_set_fraction (self->progress, MIN (fraction, 1));
  for (guint i = 0; i < imported->len; i++)
    g_signal_emit (self, signals[IMPORTED], 0, g_array_index (imported, gint64, i));
}

static gboolean
tick_cb (gpointer self)
{
  update (self);
  return G_SOURCE_CONTINUE;
}

/* (transfer full) */
static char *
dup_result (const Import *import, const GError *error)
{
  g_autofree char *counts = sluice_import_words_dup_counts (import->n_of_kind);
  GString *text = g_string_new (NULL);
  gboolean is_cancelled = g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  g_autofree char *words = error != NULL && !is_cancelled ? sluice_failure_words (error) : NULL;
  if (words != NULL)
    g_string_append_printf (text, "%s\n", words);
  if (is_cancelled)
    g_string_append_printf (text, "%s ", _ ("Stopped. Importing again goes on."));
  if (import->n_runs > 0)
    g_string_append_printf (
        text, ngettext ("%u run imported: %s", "%u runs imported: %s", import->n_runs),
        import->n_runs, counts);
  for (guint i = 0; i < import->damage->len; i++)
    g_string_append_printf (text, "\n%s", (char *) import->damage->pdata[i]);
  guint64 n_more = import->n_damaged - import->damage->len;
  if (n_more > 0)
    {
      g_string_append_c (text, '\n');
      g_string_append_printf (text,
                              ngettext ("and %" PRIu64 " more place that is damaged",
                                        "and %" PRIu64 " more places that are damaged",
                                        MIN (n_more, G_MAXINT)),
                              n_more);
    }
  g_strstrip (text->str);
  return g_string_free (text, FALSE);
}

static void
show_busy (SluiceImportBar *self, gboolean busy)
{
  gtk_widget_set_visible (GTK_WIDGET (self->progress), busy);
  gtk_widget_set_visible (self->cancel, busy);
  gtk_widget_set_visible (self->follow, !busy);
  gtk_widget_set_visible (self->close, !busy);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
}

static void
import_done (GObject *object, GAsyncResult *result, gpointer unused)
{
  SluiceImportBar *self = SLUICE_IMPORT_BAR (object);
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);
  if (self->import == NULL)
    return; /* the window went */
  g_autofree char *text = dup_result (self->import, error);
  update (self);
  g_clear_handle_id (&self->tick, g_source_remove);
  self->import = NULL;
  gtk_label_set_label (self->label, text);
  show_busy (self, FALSE);
  g_signal_emit (self, signals[ENDED], 0, ok);
}

gboolean
sluice_import_bar_start (SluiceImportBar *self, SluiceStore *store, const char *const *paths)
{
  if (self->import != NULL)
    return FALSE;
  g_autoptr (GTask) task = g_task_new (self, NULL, import_done, NULL);
  self->import = import_new (store, paths);
  g_task_set_task_data (task, self->import, import_free);
  update (self);
  show_busy (self, TRUE);
  self->tick = g_timeout_add (TICK_MS, tick_cb, self);
  g_task_run_in_thread (task, import_in_worker);
  return TRUE;
}

gboolean
sluice_import_bar_is_busy (SluiceImportBar *self)
{
  return self->import != NULL;
}

void
sluice_import_bar_cancel (SluiceImportBar *self)
{
  if (self->import != NULL)
    g_cancellable_cancel (self->import->cancellable);
}

void
sluice_import_bar_dismiss (SluiceImportBar *self)
{
  if (self->import == NULL)
    gtk_revealer_set_reveal_child (self->revealer, FALSE);
}

const char *
sluice_import_bar_get_text (SluiceImportBar *self)
{
  return gtk_revealer_get_reveal_child (self->revealer) ? gtk_label_get_label (self->label) : "";
}

/* ---- life ---- */

static void
sluice_import_bar_dispose (GObject *object)
{
  SluiceImportBar *self = SLUICE_IMPORT_BAR (object);
  sluice_import_bar_cancel (self);
  self->import = NULL;
  g_clear_handle_id (&self->tick, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (self), SLUICE_TYPE_IMPORT_BAR);
  G_OBJECT_CLASS (sluice_import_bar_parent_class)->dispose (object);
}

static void
sluice_import_bar_class_init (SluiceImportBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_import_bar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/import-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceImportBar, revealer);
  gtk_widget_class_bind_template_child (widget_class, SluiceImportBar, label);
  gtk_widget_class_bind_template_child (widget_class, SluiceImportBar, progress);
  gtk_widget_class_bind_template_child (widget_class, SluiceImportBar, cancel);
  gtk_widget_class_bind_template_child (widget_class, SluiceImportBar, follow);
  gtk_widget_class_bind_template_child (widget_class, SluiceImportBar, close);
  signals[IMPORTED] = g_signal_new ("imported", SLUICE_TYPE_IMPORT_BAR, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  signals[ENDED] = g_signal_new ("ended", SLUICE_TYPE_IMPORT_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
}

static void
sluice_import_bar_init (SluiceImportBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
