/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/runs-page-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/runs/run-export.h"
#include "engine/store/export.h"
#include "engine/store/file.h"

#define EVENTS "tfevents"

typedef struct
{
  char *path;
  char *text;         /* (nullable): all of the file */
  SluiceStore *store; /* of event files */
  GPtrArray *runs;    /* of SluiceRunInfo */
} Work;

static void
work_free (gpointer data)
{
  Work *self = data;
  g_free (self->path);
  g_free (self->text);
  g_clear_object (&self->store);
  g_ptr_array_unref (self->runs);
  g_free (self);
}

/* A folder of each run, named as it is but for what separates folders. */
static gboolean
export_events (const Work *work, GError **error)
{
  for (guint i = 0; i < work->runs->len; i++)
    {
      const SluiceRunInfo *info = work->runs->pdata[i];
      g_autofree char *name = g_strdelimit (g_strdup (info->name), "/\\", '-');
      g_autofree char *folder = g_build_filename (work->path, *name == '.' ? "run" : name, NULL);
      guint64 n;
      if (!sluice_store_export (work->store, info, SLUICE_LOG_TFEVENTS, folder, &n, error))
        return FALSE;
    }
  return TRUE;
}

static void
export_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Work *work = data;
  GError *error = NULL;
  if (work->text != NULL
          ? sluice_file_put ("table", work->path, work->text, strlen (work->text), &error)
          : export_events (work, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
exported (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceRunsPage *self = SLUICE_RUNS_PAGE (object);
  const Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);
  g_autofree char *name = g_path_get_basename (work->path);
  g_autofree char *words =
      ok ? g_strdup_printf (
          ngettext ("%u run exported to “%s”", "%u runs exported to “%s”", work->runs->len),
          work->runs->len, name)
         : sluice_failure_words (error);
  sluice_runs_page_tell (self, words);
}

/* (transfer container): those that the table shows. */
static GPtrArray *
list_columns (SluiceRunsPage *self)
{
  g_auto (GStrv) ids = sluice_run_view_dup_columns (self->view);
  GPtrArray *columns = g_ptr_array_new ();
  for (guint i = 0; ids[i] != NULL; i++)
    g_ptr_array_add (columns, (gpointer) sluice_run_table_find_column (self->table, ids[i]));
  return columns;
}

static gpointer
copy_info (gconstpointer info, gpointer data)
{
  return sluice_run_info_copy (info);
}

void
sluice_runs_page_export_to (SluiceRunsPage *self, const char *format, const char *path)
{
  g_autoptr (GPtrArray) items = sluice_runs_page_dup_selected (self);
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  g_autoptr (GPtrArray) infos = sluice_runs_page_list_infos (items);
  g_autoptr (GPtrArray) columns = list_columns (self);
  SluiceStore *store = sluice_workspace_get_store (self->workspace);
  if (items->len == 0 || store == NULL)
    return;
  for (guint i = 0; i < items->len; i++)
    g_ptr_array_add (entries, (gpointer) sluice_run_item_get_entry (items->pdata[i]));
  Work *work = g_new0 (Work, 1);
  work->path = g_strdup (path);
  work->store = g_object_ref (store);
  work->runs = g_ptr_array_copy (infos, (GCopyFunc) copy_info, NULL);
  g_ptr_array_set_free_func (work->runs, (GDestroyNotify) sluice_run_info_free);
  if (strcmp (format, EVENTS) != 0)
    work->text = strcmp (format, "csv") == 0 ? sluice_run_export_dup_csv (entries, columns)
                                             : sluice_run_export_dup_json_lines (entries);
  g_autoptr (GTask) task = g_task_new (self, NULL, exported, NULL);
  g_task_set_task_data (task, work, work_free);
  g_task_run_in_thread (task, export_in_worker);
}

/* ---- where to ---- */

static void
chosen_cb (GtkNativeDialog *dialog, int response, SluiceRunsPage *self)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    sluice_runs_page_export_to (self, g_object_get_data (G_OBJECT (dialog), "format"), path);
  g_object_unref (dialog);
}

void
sluice_runs_page_export (SluiceRunsPage *self, const char *format)
{
  gboolean is_folder = strcmp (format, EVENTS) == 0;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Export the selected runs"), GTK_WINDOW (root),
      is_folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_SAVE,
      _ ("_Export"), NULL);
  if (!is_folder)
    {
      g_autofree char *name = g_strdup_printf ("runs.%s", format);
      gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
    }
  g_object_set_data_full (G_OBJECT (dialog), "format", g_strdup (format), g_free);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (chosen_cb), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}
