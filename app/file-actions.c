/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/file-actions.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/build/new-project-dialog.h"
#include "app/failure-words.h"
#include "app/import-logs.h"
#include "app/op-example.h"
#include "app/samples.h"
#include "engine/command/command.h"
#include "engine/graph/savedmodel.h"
#include "engine/store/checkpoint-file.h"
#include "engine/train/project.h"

/* ---- choosing ---- */

static void
chosen_cb (GtkNativeDialog *dialog, int response, SluiceWindow *window)
{
  const char *action = g_object_get_data (G_OBJECT (dialog), "action");
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    g_action_group_activate_action (G_ACTION_GROUP (window), action, g_variant_new_string (path));
  g_object_unref (dialog);
}

/* action: of the window, that is given the path. (transfer none): it goes when it is answered. A
 * folder is set before it is shown: GTK tells of a change after that as a failure. */
static GtkFileChooser *
new_chooser (SluiceWindow *window,
             const char *title,
             GtkFileChooserAction kind,
             const char *label,
             const char *action)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (title, GTK_WINDOW (window), kind, label, NULL);
  g_object_set_data (G_OBJECT (dialog), "action", (gpointer) action);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (chosen_cb), window, 0);
  return GTK_FILE_CHOOSER (dialog);
}

/* The same, shown. */
static GtkFileChooser *
choose (SluiceWindow *window,
        const char *title,
        GtkFileChooserAction kind,
        const char *label,
        const char *action)
{
  GtkFileChooser *dialog = new_chooser (window, title, kind, label, action);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
  return dialog;
}

static void
open_project_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  choose (data, _ ("Open a project"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _ ("_Open"), "open");
}

static void
open_graph_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  choose (data, _ ("Open a graph"), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), "open");
}

static void
open_trace_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  choose (data, _ ("Open a trace"), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), "open-trace-file");
}

void
sluice_file_actions_choose_machine (SluiceWindow *window)
{
  choose (window, _ ("A file of devices and links"), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Predict"),
          "predict-machine");
}

/* A graph is a file from the beginning: so nothing of it is lost, and a project can name it. */
static void
new_graph_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gtk_file_chooser_set_current_name (choose (data, _ ("Where the new graph is kept"),
                                             GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Create"),
                                             "begin-graph"),
                                     "graph.pbtxt");
}

/* Beside the file that it has, where it has one. */
void
sluice_file_actions_save_graph (SluiceWindow *window, const char *path, gboolean is_copy)
{
  GtkFileChooser *dialog =
      new_chooser (window,
                   is_copy ? _ ("Save a copy of the graph: .pbtxt is text, .pb binary")
                           : _ ("Save the graph: .pbtxt is text, .pb binary"),
                   GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), "save-graph-to");
  g_autofree char *name = path != NULL ? g_path_get_basename (path) : g_strdup ("graph.pbtxt");
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;
  g_autoptr (GFile) here = folder != NULL ? g_file_new_for_path (folder) : NULL;
  char *ending = strrchr (name, '.');
  if (ending != NULL && g_str_equal (ending, ".gz"))
    *ending = '\0';
  ending = strrchr (name, '.');
  g_autofree char *copy =
      ending != NULL ? g_strdup_printf (_ ("%.*s-copy%s"), (int) (ending - name), name, ending)
                     : NULL;
  if (here != NULL)
    gtk_file_chooser_set_current_folder (dialog, here, NULL);
  gtk_file_chooser_set_current_name (dialog, is_copy && copy != NULL ? copy : name);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
begin_graph_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  const char *path = g_variant_get_string (parameter, NULL);
  if (sluice_command_write (graph, path, &error))
    {
      sluice_window_open (data, path, NULL);
      sluice_window_show_page (data, "build");
      gtk_widget_grab_focus (GTK_WIDGET (sluice_window_find_page (data, "build")));
      return;
    }
  g_autofree char *words = sluice_failure_words (error);
  sluice_window_tell (data, words);
}

static void
compare_graph_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  choose (data, _ ("Compare with a graph"), GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Compare"),
          "compare-with");
}

static void
project_created_cb (SluiceWindow *window, const char *folder)
{
  sluice_window_open (window, folder, NULL);
  sluice_window_show_page (window, "build");
  gtk_widget_grab_focus (
      GTK_WIDGET (sluice_window_find_page (window, "build"))); /* keys make the model */
}

static void
new_project_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWidget *dialog = sluice_new_project_dialog_new (data, sluice_samples_get_folder ());
  g_signal_connect_object (dialog, "created", G_CALLBACK (project_created_cb), data,
                           G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
open_sample_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *samples = sluice_samples_get_folder ();
  if (samples == NULL)
    {
      sluice_window_tell (data, _ ("The samples are not installed"));
      return;
    }
  g_autofree char *path = g_build_filename (samples, SLUICE_FIRST_SAMPLE, NULL);
  sluice_window_open (data, path, NULL);
}

static void
export_graph_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autofree char *name = g_strdup_printf ("graph.%s", g_variant_get_string (parameter, NULL));
  gtk_file_chooser_set_current_name (choose (data, _ ("Export the graph as it is drawn"),
                                             GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"),
                                             "export-graph-to"),
                                     name);
}

/* ---- what is dropped ---- */

typedef void (*Opener) (SluiceWindow *window, const char *path);

static gboolean
is_folder (const char *path)
{
  return g_file_test (path, G_FILE_TEST_IS_DIR);
}

static gboolean
is_workspace (const char *path)
{
  g_autofree char *database = g_build_filename (path, "sluice.db", NULL);
  return is_folder (path) && g_file_test (database, G_FILE_TEST_IS_REGULAR);
}

/* By its name, as everybody calls them. */
static gboolean
is_graph (const char *path)
{
  static const char *const endings[] = { ".pb", ".pbtxt", ".pb.gz", ".pbtxt.gz", ".meta" };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (lower, endings[i]))
      return g_file_test (path, G_FILE_TEST_IS_REGULAR);
  return FALSE;
}

static void
open_here (SluiceWindow *window, const char *path)
{
  sluice_window_open (window, path, NULL);
  sluice_window_show_page (window, "graph");
}

static void
open_workspace (SluiceWindow *window, const char *path)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (window));
  g_action_group_activate_action (G_ACTION_GROUP (application), "open-workspace",
                                  g_variant_new_string (path));
}

/* A run that begins with its values, or at least what is in it. */
static void
offer_checkpoint (SluiceWindow *window, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceCheckpointFile) file = sluice_checkpoint_file_open (path, &error);
  g_autofree char *name = g_path_get_basename (path);
  if (file == NULL)
    {
      sluice_window_tell (window, error->message);
      return;
    }
  guint n = sluice_checkpoint_file_list (file)->len;
  g_autofree char *words = g_strdup_printf (
      ngettext ("“%s” is a checkpoint of %u tensor", "“%s” is a checkpoint of %u tensors", n), name,
      n);
  g_autofree char *action = g_strconcat ("win.start-from::", path, NULL);
  if (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "start-from"))
    sluice_window_offer (window, words, _ ("_Start a run with it"), action);
  else
    sluice_window_tell (window, words);
}

static void
import_here (SluiceWindow *window, const char *path)
{
  const char *const paths[] = { path, NULL };
  sluice_import_logs_start (window, paths);
}

/* What a project's folder is known by stands for it. */
static gboolean
is_project_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  return g_str_equal (name, "project.ini") && sluice_project_is_folder (folder);
}

static void
open_around (SluiceWindow *window, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  open_here (window, folder);
}

/* The first that knows it has it. A folder that is nothing else is searched for logs. */
static const struct
{
  gboolean (*is) (const char *path);
  Opener open;
} kinds[] = {
  { sluice_project_is_folder, open_here },
  { is_project_file, open_around },
  { is_workspace, open_workspace },
  { sluice_saved_model_exists, open_here },
  { sluice_checkpoint_file_exists, offer_checkpoint },
  { is_graph, open_here },
  { sluice_import_logs_takes, import_here },
};

static void
refuse (SluiceWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInfo) info = g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_CONTENT_TYPE,
                                                  G_FILE_QUERY_INFO_NONE, NULL, NULL);
  const char *type = info != NULL ? g_file_info_get_content_type (info) : NULL;
  g_autofree char *kind = type != NULL ? g_content_type_get_description (type) : NULL;
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *words = kind == NULL
                               ? g_strdup_printf (_ ("“%s” is not there"), name)
                               : g_strdup_printf (_ ("“%s” cannot be opened: %s"), name, kind);
  sluice_window_tell (window, words);
}

/* NULL: nothing opens it. */
static Opener
find_opener (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].is (path))
      return kinds[i].open;
  return NULL;
}

void
sluice_file_actions_open_any (SluiceWindow *window, const char *path)
{
  Opener open = find_opener (path);
  if (open != NULL)
    open (window, path);
  else
    refuse (window, path);
}

/* Portals give files that lie in folders of theirs, which are local paths all the same. */
static gboolean
drop_cb (GtkDropTarget *target, const GValue *value, double x, double y, SluiceWindow *window)
{
  g_autoptr (GSList) files = gdk_file_list_get_files (g_value_get_boxed (value));
  g_autoptr (GStrvBuilder) logs = g_strv_builder_new ();
  if (files == NULL)
    return FALSE;
  for (GSList *at = files; at != NULL; at = at->next)
    {
      g_autofree char *path = g_file_get_path (at->data);
      g_autofree char *uri = g_file_get_uri (at->data);
      g_autofree char *words =
          g_strdup_printf (_ ("“%s” is not on this machine: copy it here first"), uri);
      if (path == NULL)
        sluice_window_tell (window, words);
      else if (find_opener (path) == import_here)
        g_strv_builder_add (logs, path);
      else
        sluice_file_actions_open_any (window, path);
    }
  g_auto (GStrv) all = g_strv_builder_end (logs);
  if (all[0] != NULL)
    sluice_import_logs_start (window, (const char *const *) all);
  return TRUE;
}

static void
open_any_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_file_actions_open_any (data, g_variant_get_string (parameter, NULL));
}

/* Of an op, by its name. It is kept where what can be made again is: to save it is to choose a
 * place for it. */
static void
open_example_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GError) error = NULL;
  const SluiceOp *op = sluice_registry_find (g_variant_get_string (parameter, NULL));
  g_autoptr (SluiceOpExample) example = op != NULL ? sluice_op_example_new (op, &error) : NULL;
  if (op == NULL)
    return;
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "sluice", "examples", NULL);
  g_autofree char *file = g_strconcat (op->name, ".pbtxt", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_mkdir_with_parents (folder, 0700); /* where it cannot, the next call says why */
  g_autofree char *text = example != NULL ? sluice_op_example_dup_graph (example) : NULL;
  if (text != NULL && g_file_set_contents (path, text, -1, &error))
    {
      open_here (data, path);
      return;
    }
  g_autofree char *words = sluice_failure_words (error);
  sluice_window_tell (data, words);
}

static const GActionEntry actions[] = {
  { .name = "open-project", .activate = open_project_cb },
  { .name = "open-graph", .activate = open_graph_cb },
  { .name = "open-trace", .activate = open_trace_cb },
  { .name = "new-graph", .activate = new_graph_cb },
  { .name = "begin-graph", .activate = begin_graph_cb, .parameter_type = "s" },
  { .name = "compare-graph", .activate = compare_graph_cb },
  { .name = "new-project", .activate = new_project_cb },
  { .name = "open-sample", .activate = open_sample_cb },
  { .name = "open-example", .activate = open_example_cb, .parameter_type = "s" },
  { .name = "open-any", .activate = open_any_cb, .parameter_type = "s" },
  { .name = "export-graph", .activate = export_graph_cb, .parameter_type = "s" },
};

void
sluice_file_actions_add (SluiceWindow *window)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect (target, "drop", G_CALLBACK (drop_cb), window);
  gtk_widget_add_controller (GTK_WIDGET (window), GTK_EVENT_CONTROLLER (target));
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
}
