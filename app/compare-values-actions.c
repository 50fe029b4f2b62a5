/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/compare-values-actions.h"

#include <glib/gi18n.h>

#include "app/divergence-words.h"
#include "app/failure-words.h"
#include "app/window-private.h"
#include "engine/train/compare-project.h"

typedef struct
{
  char *project, *file;
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  g_free (self->project);
  g_free (self->file);
  g_free (self);
}

static void
compare_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  GError *error = NULL;
  g_autoptr (SluiceProject) project = sluice_project_load (question->project, &error);
  SluiceComparison *found =
      project != NULL ? sluice_compare_project (project, question->file, &error) : NULL;
  if (found != NULL)
    g_task_return_pointer (task, found, (GDestroyNotify) sluice_comparison_free);
  else
    g_task_return_error (task, error);
}

static void
set_enabled (SluiceWindow *window, gboolean enabled)
{
  static const char *const names[] = { "compare-values", "compare-values-with" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_simple_action_set_enabled (
        G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (window), names[i])), enabled);
}

static void
show_first (SluiceWindow *window, const SluiceDivergence *first)
{
  g_autofree char *words = sluice_divergence_words (first);
  sluice_window_show_page (window, "graph");
  sluice_graph_page_set_divergence (window->graph_page, first->node, words);
  sluice_graph_page_select (window->graph_page, first->node);
  sluice_window_tell (window, words);
}

static void
compared (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceWindow *window = SLUICE_WINDOW (object);
  const Question *question = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceComparison) found = g_task_propagate_pointer (G_TASK (result), &error);
  if (sluice_window_get_workspace (window) == NULL)
    return; /* it is closed */
  set_enabled (window, TRUE);
  if (found != NULL && found->first != NULL && g_strcmp0 (window->opened, question->project) == 0)
    {
      show_first (window, found->first);
      return;
    }
  sluice_graph_page_set_divergence (window->graph_page, NULL, NULL);
  g_autofree char *words =
      found == NULL ? sluice_failure_words (error)
      : found->first != NULL
          ? sluice_divergence_words (found->first)
          : g_strdup_printf (ngettext ("%u output was compared: none differs",
                                       "%u outputs were compared: none differs", found->edges->len),
                             found->edges->len);
  sluice_window_tell (window, words);
}

static void
compare_with_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  if (window->opened == NULL || !sluice_project_is_folder (window->opened))
    {
      sluice_window_tell (window, _ ("Open a project first: it says how the graph begins"));
      return;
    }
  Question *question = g_new (Question, 1);
  *question = (Question){ g_strdup (window->opened), g_variant_dup_string (parameter, NULL) };
  set_enabled (window, FALSE);
  g_autoptr (GTask) task = g_task_new (window, NULL, compared, NULL);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, compare_in_worker);
}

static void
chosen_cb (GtkNativeDialog *dialog, int response, SluiceWindow *window)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    g_action_group_activate_action (G_ACTION_GROUP (window), "compare-values-with",
                                    g_variant_new_string (path));
  g_object_unref (dialog);
}

static void
compare_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (_ ("Compare with tensors of a file"), data,
                                   GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Compare"), NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (chosen_cb), data, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

void
sluice_compare_values_actions_add (SluiceWindow *window)
{
  static const GActionEntry entries[] = {
    { .name = "compare-values", .activate = compare_cb },
    { .name = "compare-values-with", .activate = compare_with_cb, .parameter_type = "s" },
  };
  g_action_map_add_action_entries (G_ACTION_MAP (window), entries, G_N_ELEMENTS (entries), window);
}
