/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/window-private.h"

#include <glib/gi18n.h>

#include "app/break-marks.h"
#include "app/break-rename.h"
#include "app/build/compare-dialog.h"
#include "app/debug-actions.h"
#include "app/failure-words.h"
#include "app/file-actions.h"
#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/train/fit-project.h"

/* The graph that is open is one document: the pages of graph and building show it, and select in it
 * together. */

static SluiceBuildPage *
get_build_page (SluiceWindow *self)
{
  return SLUICE_BUILD_PAGE (sluice_window_find_page (self, "build"));
}

static void
update_save (SluiceWindow *self)
{
  GActionMap *map = G_ACTION_MAP (self);
  GSimpleAction *save = G_SIMPLE_ACTION (g_action_map_lookup_action (map, "save-graph"));
  GSimpleAction *save_as = G_SIMPLE_ACTION (g_action_map_lookup_action (map, "save-graph-as"));
  g_simple_action_set_enabled (save, sluice_document_is_changed (self->document));
  g_simple_action_set_enabled (save_as, sluice_document_get_graph (self->document) != NULL);
}

static void
show_problems (SluiceWindow *self)
{
  sluice_build_page_show_problems (get_build_page (self),
                                   sluice_graph_page_get_problems (self->graph_page));
}

/* Boxes stand in one place on both pages; the graph's page has their file. */
static void
arranged_in_graph_cb (SluiceWindow *self)
{
  g_autoptr (SluiceViewState) state = sluice_graph_page_dup_view_state (self->graph_page);
  sluice_build_page_take_arrangement (get_build_page (self), state);
}

static void
arranged_in_build_cb (SluiceWindow *self)
{
  g_autoptr (SluiceViewState) state = sluice_build_page_dup_view_state (get_build_page (self));
  sluice_graph_page_take_arrangement (self->graph_page, state);
}

/* ---- names ---- */

/* What stands beside the graph under names of its nodes goes along, back again when that is undone:
 * breakpoints and what is watched. The project's own names follow when it is saved. */
static void
names_changed_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  SluiceWindow *self = data;
  g_autoptr (GHashTable) renamed = sluice_break_list_renamed (delta);
  if (g_hash_table_size (renamed) > 0)
    sluice_run_controller_rename (self->controller, graph, renamed);
}

void
sluice_window_follow_names (SluiceWindow *self, SluiceGraph *graph)
{
  if (self->followed != NULL)
    sluice_graph_unfollow (self->followed, self->follower);
  g_clear_pointer (&self->followed, sluice_graph_unref);
  if (graph == NULL)
    return;
  self->followed = sluice_graph_ref (graph);
  self->follower = sluice_graph_follow (graph, names_changed_cb, self);
}

/* The graph's page reads files, and follows the graph itself. */
static void
loaded_cb (SluiceWindow *self)
{
  SluiceGraph *graph = sluice_graph_page_get_graph (self->graph_page);
  SluiceOpenedGraph *opened = sluice_graph_page_steal_opened (self->graph_page);
  if (opened != NULL)
    sluice_document_take (self->document, opened);
  else
    sluice_document_open (self->document, graph);
  sluice_window_follow_names (self, sluice_document_get_graph (self->document));
  arranged_in_graph_cb (self);
  sluice_build_page_show (get_build_page (self), sluice_graph_page_get_model (self->graph_page));
  show_problems (self);
  update_save (self);
}

static void
changed_cb (SluiceWindow *self)
{
  sluice_build_page_show (get_build_page (self), sluice_graph_page_get_model (self->graph_page));
  show_problems (self);
  sluice_inspector_graph_changed (self->inspector, self->graph_page);
  if (g_hash_table_size (sluice_run_controller_get_breakpoints (self->controller)) > 0)
    sluice_break_marks_update (self); /* of nodes that are called otherwise */
  update_save (self);
  sluice_window_update_actions (self); /* a run that is held may go on with it */
}

static void
selected_in_graph_cb (SluiceWindow *self, const char *name)
{
  sluice_build_page_select (get_build_page (self), name);
  sluice_debug_actions_tell_why (self);
}

static void
selected_in_build_cb (SluiceWindow *self, const char *name)
{
  sluice_graph_page_select (self->graph_page, name);
}

/* What the file holds now, in the place of what was done here. */
static void
reload_cb (SluiceWindow *self)
{
  g_autofree char *path = g_strdup (self->opened);
  sluice_window_open (self, path, NULL);
}

/* Who has read it before reads it again. */
static void
project_changed (SluiceWindow *self, const char *words)
{
  g_autofree char *folder = g_strdup (sluice_run_controller_get_project (self->controller));
  g_autoptr (SluiceProject) project = sluice_project_load (folder, NULL);
  g_autoptr (SluiceProjectEnds) ends = project != NULL ? sluice_project_ends_new (project) : NULL;
  sluice_graph_page_set_ends (self->graph_page, ends);
  sluice_run_controller_set_project (self->controller, folder);
  sluice_inspector_set_project (self->inspector, folder);
  sluice_window_tell (self, words);
}

/* The project goes by what its graph is. */
static void
saved_cb (SluiceDocument *document, const GError *failure, gpointer data)
{
  SluiceWindow *self = data;
  g_autoptr (GError) error = failure != NULL ? g_error_copy (failure) : NULL;
  g_autofree char *told = NULL;
  const char *project = sluice_run_controller_get_project (self->controller);
  sluice_document_finish_paste (document);
  if (error == NULL && project != NULL)
    sluice_project_fit (project, sluice_document_get_graph (document),
                        sluice_document_get_replaced (document), &told, &error);
  g_autofree char *words = error != NULL ? sluice_failure_words (error) : NULL;
  if (words != NULL)
    sluice_window_tell (self, words);
  else if (told != NULL)
    project_changed (self, told);
}

static void
save_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *self = data;
  if (sluice_document_has_place (self->document))
    sluice_document_save_then (self->document, saved_cb, self);
  else
    g_action_group_activate_action (G_ACTION_GROUP (self), "save-graph-as", NULL);
}

/* ---- under another name ---- */

void
sluice_window_set_opened (SluiceWindow *self, const char *full)
{
  g_autofree char *name = g_path_get_basename (full);
  g_autofree char *title = g_strdup_printf (_ ("%s · Sluice"), name);
  gtk_window_set_title (GTK_WINDOW (self), title);
  g_free (self->opened);
  self->opened = g_strdup (full);
}

/* A project names its graph's file, and stays with that: it is a copy that is written. */
static gboolean
is_of_project (SluiceWindow *self)
{
  return sluice_run_controller_get_project (self->controller) != NULL;
}

static void
save_as_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *self = data;
  sluice_file_actions_save_graph (self, sluice_document_get_path (self->document),
                                  is_of_project (self));
}

static void
saved_as_cb (SluiceDocument *document, const GError *failure, gpointer data)
{
  SluiceWindow *self = data;
  const char *path = sluice_document_get_path (document);
  g_autofree char *words = failure != NULL ? sluice_failure_words (failure) : NULL;
  if (words != NULL)
    {
      sluice_window_tell (self, words);
      return;
    }
  sluice_window_set_opened (self, path);
  sluice_graph_page_set_path (self->graph_page, path);
}

typedef struct
{
  SluiceWindow *window;
  char *path;
} CopySave;

static void
copied_cb (SluiceDocument *document, const GError *failure, gpointer data)
{
  CopySave *copy = data;
  g_autofree char *name = g_path_get_basename (copy->path);
  g_autofree char *words = failure != NULL
                               ? sluice_failure_words (failure)
                               : g_strdup_printf (_ ("A copy of the graph is in “%s”"), name);
  g_autofree char *action = g_strconcat ("win.open::", copy->path, NULL);
  if (failure != NULL)
    sluice_window_tell (copy->window, words);
  else
    sluice_window_offer (copy->window, words, _ ("_Open It"), action);
  g_free (copy->path);
  g_free (copy);
}

static void
save_to_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *self = data;
  const char *path = g_variant_get_string (parameter, NULL);
  CopySave copy = { self, NULL };
  if (!is_of_project (self))
    {
      sluice_document_save_as_then (self->document, path, saved_as_cb, self);
      return;
    }
  copy.path = g_canonicalize_filename (path, NULL);
  sluice_document_save_copy_then (self->document, path, copied_cb, g_memdup2 (&copy, sizeof copy));
}

gboolean
sluice_window_save_changes (SluiceWindow *self)
{
  if (sluice_document_is_changed (self->document))
    sluice_document_save_then (self->document, saved_cb, self);
  sluice_document_settle (self->document);
  return !sluice_document_is_changed (self->document);
}

/* A command, for scripts and tests. */
static void
edit_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWidget *page = GTK_WIDGET (get_build_page (data));
  gtk_widget_activate_action_variant (page, "build.do", parameter);
}

static void
compare_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *self = data;
  const char *path = g_variant_get_string (parameter, NULL);
  g_autofree char *name = g_path_get_basename (path);
  g_autoptr (GError) error = NULL;
  if (sluice_document_get_graph (self->document) == NULL)
    {
      sluice_window_tell (self, _ ("Open a graph first, to be compared with that one."));
      return;
    }
  SluiceGraph *theirs = sluice_graph_load_file (path, &error);
  if (theirs == NULL)
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_window_tell (self, words);
      return;
    }
  GtkWidget *dialog = sluice_compare_dialog_new (self->document, GTK_WINDOW (self), name, theirs);
  gtk_window_present (GTK_WINDOW (dialog));
}

static const GActionEntry actions[] = {
  { .name = "compare-with", .activate = compare_cb, .parameter_type = "s" },
  { .name = "edit", .activate = edit_cb, .parameter_type = "s" },
  { .name = "save-graph", .activate = save_cb },
  { .name = "save-graph-as", .activate = save_as_cb },
  { .name = "save-graph-to", .activate = save_to_cb, .parameter_type = "s" },
};

void
sluice_window_add_document (SluiceWindow *self)
{
  self->document = sluice_document_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
  g_signal_connect_object (self->document, "changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->document, "reload", G_CALLBACK (reload_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_swapped (self->graph_page, "loaded", G_CALLBACK (loaded_cb), self);
  g_signal_connect_swapped (self->graph_page, "problems", G_CALLBACK (show_problems), self);
  g_signal_connect_swapped (self->graph_page, "arranged", G_CALLBACK (arranged_in_graph_cb), self);
  g_signal_connect_swapped (get_build_page (self), "arranged", G_CALLBACK (arranged_in_build_cb),
                            self);
  g_signal_connect_swapped (self->graph_page, "selection-changed",
                            G_CALLBACK (selected_in_graph_cb), self);
  sluice_inspector_set_document (self->inspector, self->document);
  g_signal_connect_object (get_build_page (self), "attr-selected",
                           G_CALLBACK (sluice_inspector_select_attr), self->inspector,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->inspector, "attr-focused",
                           G_CALLBACK (sluice_build_page_select_attr), get_build_page (self),
                           G_CONNECT_SWAPPED);
  g_signal_connect_swapped (get_build_page (self), "selection-changed",
                            G_CALLBACK (selected_in_build_cb), self);
  update_save (self);
}
