/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/window-private.h"

#include <glib/gi18n.h>

#include "app/build/compare-dialog.h"
#include "app/debug-actions.h"
#include "app/failure-words.h"
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
  GAction *save = g_action_map_lookup_action (G_ACTION_MAP (self), "save-graph");
  g_simple_action_set_enabled (G_SIMPLE_ACTION (save), sluice_document_is_changed (self->document));
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
    sluice_project_fit (project, sluice_document_get_graph (document), &told, &error);
  g_autofree char *words = error != NULL ? sluice_failure_words (error) : NULL;
  if (words != NULL)
    sluice_window_tell (self, words);
  else if (told != NULL)
    project_changed (self, told);
}

static void
save_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_document_save_then (SLUICE_WINDOW (data)->document, saved_cb, data);
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
