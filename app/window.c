/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/compare-values-actions.h"
#include "app/window-private.h"

#include <glib/gi18n.h>

#include "app/break-marks.h"
#include "app/file-actions.h"
#include "app/help/help-window.h"
#include "app/import-logs.h"
#include "app/print.h"
#include "app/live-actions.h"
#include "app/moment-actions.h"
#include "app/place-actions.h"
#include "app/promote-actions.h"
#include "app/reproduce-actions.h"
#include "app/recent.h"
#include "app/run-actions.h"
#include "app/run-notifier.h"
#include "app/shortcuts.h"
#include "app/status-text.h"
#include "app/window-state.h"

/* How often the status line follows a run. */
#define STATUS_MS 100

G_DEFINE_FINAL_TYPE (SluiceWindow, sluice_window, ADW_TYPE_APPLICATION_WINDOW)

/* ---- what the controls may do now ---- */

void
sluice_window_update_actions (SluiceWindow *self)
{
  SluiceControlState state = sluice_run_controller_get_state (self->controller);
  gboolean can_train = sluice_run_controller_get_project (self->controller) != NULL
                       && sluice_workspace_get_store (self->workspace) != NULL;
  gboolean idle = state == SLUICE_CONTROL_IDLE, paused = state == SLUICE_CONTROL_PAUSED;
  g_autofree char *start = sluice_run_actions_dup_start_text (self);
  g_autofree char *step = sluice_run_actions_dup_step_text (self);
  sluice_run_actions_update (self);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->start_button), start);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->step_button), step);
  /* The one thing to do next stands out. */
  if (can_train && (idle || paused))
    gtk_widget_add_css_class (GTK_WIDGET (self->start_button), "suggested-action");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->start_button), "suggested-action");
}

/* ---- status line ---- */

static void
update_status (SluiceWindow *self)
{
  const char *moved = sluice_graph_page_get_moved (self->graph_page);
  SluiceControlState state = sluice_run_controller_get_state (self->controller);
  SluiceProgress p;
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->status_machine), moved);
  /* Where there is little room step, speed and memory come first. */
  gtk_widget_set_visible (GTK_WIDGET (self->status_machine),
                          moved != NULL || !adw_view_switcher_bar_get_reveal (self->low_switcher));
  /* What has ended counts as long as its project is open. */
  gboolean is_past =
      state == SLUICE_CONTROL_IDLE && sluice_run_controller_get_session (self->controller) == NULL;
  if (!sluice_run_controller_get_progress (self->controller, &p) || is_past)
    {
      gboolean starting = state == SLUICE_CONTROL_STARTING;
      gboolean has_project = sluice_run_controller_get_project (self->controller) != NULL;
      gboolean ready = has_project && sluice_workspace_get_store (self->workspace) != NULL;
      gtk_label_set_label (self->status_step, starting ? _ ("Reading data and graph…")
                                              : ready  ? _ ("Ready")
                                                       : "");
      gtk_widget_set_visible (GTK_WIDGET (self->status_step), starting || ready);
      gboolean lost = sluice_workspace_get_failure (self->workspace) != NULL;
      gtk_label_set_label (self->status_rate, lost ? _ ("Without a workspace nothing is trained")
                                              : starting || (has_project && !ready) ? ""
                                              : ready ? _ ("Press Start (F5) to train")
                                                      : _ ("Open a project to train it"));
      gtk_label_set_ellipsize (self->status_machine, PANGO_ELLIPSIZE_END);
      gtk_label_set_label (self->status_machine, moved != NULL ? moved : "");
      sluice_devices_button_show (self->status_devices, NULL);
      return;
    }
  g_autofree char *head = sluice_status_step_text (&p);
  g_autofree char *rate = sluice_status_rate_text (
      state, &p, sluice_run_controller_get_evaluation_name (self->controller));
  g_autofree char *machine = sluice_status_machine_text (state, &p);
  gtk_label_set_label (self->status_step, head);
  gtk_widget_set_visible (GTK_WIDGET (self->status_step), TRUE);
  gtk_label_set_label (self->status_rate, rate);
  gtk_label_set_ellipsize (self->status_machine, PANGO_ELLIPSIZE_START);
  gtk_label_set_label (self->status_machine, machine);
  g_autoptr (GArray) devices = sluice_run_controller_dup_devices (self->controller);
  sluice_devices_button_show (self->status_devices, devices);
  gtk_progress_bar_set_fraction (self->progress, p.n_steps > 0 ? (double) p.step / p.n_steps : 0);
}

static gboolean
status_cb (gpointer data)
{
  SluiceWindow *self = data;
  update_status (self);
  sluice_break_marks_update (self); /* a run that has begun knows where it stops */
  if (sluice_run_controller_get_state (self->controller) != SLUICE_CONTROL_IDLE)
    return G_SOURCE_CONTINUE;
  self->status_source = 0;
  return G_SOURCE_REMOVE;
}

static void
controller_changed_cb (SluiceWindow *self)
{
  SluiceControlState state = sluice_run_controller_get_state (self->controller);
  g_autofree char *notice = sluice_run_controller_take_notice (self->controller);
  g_autofree char *repeated = sluice_run_controller_take_repeated (self->controller);
  gint64 run = sluice_run_controller_get_run (self->controller);
  if (notice != NULL)
    sluice_window_tell (self, notice);
  if (repeated != NULL)
    sluice_window_tell_repeated (self, repeated);
  if (run != self->last_run)
    sluice_run_set_follow (self->shown, run);
  self->last_run = run;
  sluice_window_show_end (self);
  sluice_window_update_actions (self);
  sluice_moves_update (self);
  update_status (self);
  if (state != SLUICE_CONTROL_IDLE && self->status_source == 0)
    self->status_source = g_timeout_add (STATUS_MS, status_cb, self);
  if (state == SLUICE_CONTROL_IDLE && self->wants_close)
    gtk_window_close (GTK_WINDOW (self));
}

static void
show_selection (SluiceWindow *self)
{
  sluice_inspector_show (self->inspector, sluice_graph_page_get_selection (self->graph_page),
                         self->graph_page, sluice_run_controller_get_session (self->controller));
}

/* The pages of the graph have the inspector for what is selected there, others for the run in front
 * and the tag that was chosen. */
static void
show_front_run (SluiceWindow *self)
{
  if (self->shown == NULL || g_str_equal (sluice_window_get_page_name (self), "graph")
      || g_str_equal (sluice_window_get_page_name (self), "build"))
    {
      sluice_inspector_show_run (self->inspector, NULL, NULL, NULL);
      return;
    }
  g_autoptr (SluiceRun) front = sluice_run_set_dup_front (self->shown);
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_object_unref);
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    g_ptr_array_add (others, g_list_model_get_item (runs, i));
  sluice_inspector_show_run (self->inspector, front, others,
                             sluice_page_get_tag (sluice_window_get_page (self)));
}

/* @child: (nullable): what the page has there, @otherwise if it has nothing now, which is hidden
 * else: GTK 4.8 finds new styles for all that a stack only covers, whenever the pointer moves. */
static void
show_side (GtkStack *stack, GtkWidget *child, GtkWidget *otherwise)
{
  gboolean has_child = child != NULL && gtk_widget_get_visible (child);
  if (!has_child)
    gtk_widget_set_visible (otherwise, TRUE);
  gtk_stack_set_visible_child (stack, has_child ? child : otherwise);
  if (has_child)
    gtk_widget_set_visible (otherwise, FALSE);
}

static void
show_sides (SluiceWindow *self)
{
  SluicePage *page = sluice_window_get_page (self);
  if (page == NULL)
    return; /* the window goes */
  show_side (self->left_stack, sluice_page_get_left (page), GTK_WIDGET (self->runs_pane));
  show_side (self->right_stack, sluice_page_get_right (page), GTK_WIDGET (self->inspector));
}

static void
add_side (SluiceWindow *self, GtkStack *stack, GtkWidget *child)
{
  if (child == NULL)
    return;
  gtk_stack_add_child (stack, child);
  g_signal_connect_object (child, "notify::visible", G_CALLBACK (show_sides), self,
                           G_CONNECT_SWAPPED);
}

/* A page that is pushed on another one has no inspector: it is of its own what is selected. */
void
sluice_window_page_changed (SluiceWindow *self)
{
  gboolean has_inspector = !sluice_window_page_is_pushed (self);
  gtk_widget_set_visible (GTK_WIDGET (self->right_stack), has_inspector);
  gtk_widget_set_visible (adw_flap_get_separator (self->right_flap), has_inspector);
  show_front_run (self);
  show_sides (self);
}

static void
show_session (SluiceWindow *self)
{
  sluice_inspector_set_session (self->inspector,
                                sluice_run_controller_get_session (self->controller));
}

/* ---- opening ---- */

void
sluice_window_open (SluiceWindow *self, const char *path, SluiceReadAhead *ahead)
{
  g_autofree char *full = g_canonicalize_filename (path, NULL);
  g_autofree char *name = g_path_get_basename (full);
  gboolean is_project = sluice_project_is_folder (full);
  sluice_document_settle (self->document); /* its project is still the one before */
  sluice_window_set_opened (self, full);
  sluice_run_controller_set_project (self->controller, is_project ? full : NULL);
  sluice_run_set_set_project (self->shown, is_project ? name : NULL);
  sluice_inspector_set_project (self->inspector, is_project ? full : NULL);
  sluice_document_close (self->document); /* what it keeps is read with the graph */
  sluice_graph_page_open (self->graph_page, full, ahead);
}

/* ---- actions ---- */

static void
show_page_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *page = g_variant_get_string (parameter, NULL);
  sluice_window_show_page (data, page);
  if (g_str_equal (page, "build") || g_str_equal (page, "timeline") || g_str_equal (page, "memory"))
    gtk_widget_grab_focus (GTK_WIDGET (sluice_window_get_page (data)));
}

static void
find_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_search_box_begin (SLUICE_WINDOW (data)->search);
}

/* What the search entry does, for scripts and tests. */
static void
find_text_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_search_box_find (SLUICE_WINDOW (data)->search, g_variant_get_string (parameter, NULL));
}

static void
find_next_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_search_box_step (SLUICE_WINDOW (data)->search, 1);
}

static void
find_previous_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_search_box_step (SLUICE_WINDOW (data)->search, -1);
}

static void
select_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_window_show_page (data, "graph");
  sluice_graph_page_select (SLUICE_WINDOW (data)->graph_page,
                            g_variant_get_string (parameter, NULL));
}

static void
open_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_window_open (data, g_variant_get_string (parameter, NULL), NULL);
}

/* "fit", "open", "zoom-in": the canvas' own actions, for keys that work without focus there,
 * scripts and tests. */
static void
graph_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *self = data;
  sluice_window_show_page (self, "graph");
  sluice_graph_page_do (self->graph_page, g_variant_get_string (parameter, NULL));
}

static void
export_graph_to_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_graph_page_export (SLUICE_WINDOW (data)->graph_page,
                            g_variant_get_string (parameter, NULL));
}

/* The page that is shown. path: (nullable): as sluice_print() */
static void
print_page (SluiceWindow *self, const char *path)
{
  g_autofree char *failure = sluice_print (GTK_WINDOW (self), sluice_window_get_page (self),
                                           gtk_window_get_title (GTK_WINDOW (self)), path);
  if (failure != NULL)
    sluice_window_tell (self, failure);
}

static void
print_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  print_page (data, NULL);
}

static void
print_to_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  print_page (data, g_variant_get_string (parameter, NULL));
}

static void
dismiss_failure_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_window_show_failure (data, NULL);
}

static void
toggle_flap (AdwFlap *flap)
{
  adw_flap_set_reveal_flap (flap, !adw_flap_get_reveal_flap (flap));
}

static void
toggle_runs_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  toggle_flap (SLUICE_WINDOW (data)->left_flap);
}

static void
toggle_inspector_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  toggle_flap (SLUICE_WINDOW (data)->right_flap);
}

static const GActionEntry actions[] = {
  { .name = "show-page", .activate = show_page_cb, .parameter_type = "s" },
  { .name = "find", .activate = find_cb },
  { .name = "find-next", .activate = find_next_cb },
  { .name = "find-previous", .activate = find_previous_cb },
  { .name = "find-text", .activate = find_text_cb, .parameter_type = "s" },
  { .name = "select", .activate = select_cb, .parameter_type = "s" },
  { .name = "open", .activate = open_cb, .parameter_type = "s" },
  { .name = "graph", .activate = graph_cb, .parameter_type = "s" },
  { .name = "export-graph-to", .activate = export_graph_to_cb, .parameter_type = "s" },
  { .name = "print", .activate = print_cb },
  { .name = "print-to", .activate = print_to_cb, .parameter_type = "s" },
  { .name = "dismiss-failure", .activate = dismiss_failure_cb },
  { .name = "toggle-runs", .activate = toggle_runs_cb },
  { .name = "toggle-inspector", .activate = toggle_inspector_cb },
};

/* ---- search: first in the page that is shown, then in the runs and the other pages ---- */

static void
filter_pages (SluiceWindow *self, const SluiceQuery *query)
{
  SluicePage *shown = sluice_window_get_page (self);
  g_autoptr (SluiceQuery) none = sluice_query_new ("");
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    {
      SluicePage *page = sluice_window_get_nth_page (self, i);
      sluice_page_filter (page, page == shown ? query : none);
    }
}

/* The page that was shown when it began, the runs, the other pages. Returns: that was all */
static gboolean
search_owner (SluiceWindow *self, const SluiceQuery *query, SluiceHits *hits)
{
  if (hits->owner == 0)
    return sluice_page_search (self->searched, query, hits);
  if (hits->owner == 1)
    {
      sluice_runs_pane_search (self->runs_pane, query, hits);
      return TRUE;
    }
  SluicePage *page = sluice_window_get_nth_page (self, hits->owner - 2);
  return page == self->searched || sluice_page_search (page, query, hits);
}

static void
search_cb (SluiceWindow *self, const SluiceQuery *query, SluiceHits *hits)
{
  if (hits->owner == 0 && hits->from == 0)
    {
      self->searched = sluice_window_get_page (self);
      filter_pages (self, query);
    }
  while (!hits->is_done && hits->budget > 0 && search_owner (self, query, hits))
    {
      hits->from = 0;
      hits->is_done = ++hits->owner == sluice_n_page_kinds + 2;
    }
}

static void
show_hit_cb (SluiceWindow *self, SluiceHit *hit)
{
  g_autoptr (GObject) owner = sluice_hit_dup_owner (hit);
  const char *title = sluice_hit_get_title (hit);
  if (owner == G_OBJECT (self->runs_pane))
    sluice_runs_pane_select (self->runs_pane, title);
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    if (owner == G_OBJECT (sluice_window_get_nth_page (self, i)))
      {
        sluice_window_show_page (self, sluice_page_kinds[i].name);
        sluice_page_show_hit (sluice_window_get_nth_page (self, i), title);
      }
}

/* ---- life ---- */

static void
squeezed_cb (SluiceWindow *self, GParamSpec *pspec, AdwSqueezer *squeezer)
{
  adw_view_switcher_bar_set_reveal (
      self->low_switcher, !ADW_IS_VIEW_SWITCHER (adw_squeezer_get_visible_child (squeezer)));
}

gboolean
sluice_window_is_settled (SluiceWindow *self)
{
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    if (!sluice_page_is_settled (sluice_window_get_nth_page (self, i)))
      return FALSE;
  return sluice_workspace_is_settled (self->workspace);
}

/* A picture has the size that was asked for, whatever the screen's is. */
void
sluice_window_set_picture_size (SluiceWindow *self, int width, int height)
{
  self->picture_width = width;
  self->picture_height = height;
  sluice_graph_page_keep_nothing (self->graph_page);
  gtk_window_set_decorated (GTK_WINDOW (self), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (self), width, height);
}

static void
sluice_window_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceWindow *self = SLUICE_WINDOW (widget);
  if (self->picture_width > 0)
    {
      int least;
      gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      width = MAX (self->picture_width, least);
      gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
      height = MAX (self->picture_height, least);
    }
  GTK_WIDGET_CLASS (sluice_window_parent_class)->size_allocate (widget, width, height, baseline);
}

SluiceRunController *
sluice_window_get_controller (SluiceWindow *self)
{
  return self->controller;
}

SluiceWorkspace *
sluice_window_get_workspace (SluiceWindow *self)
{
  return self->workspace;
}

SluiceQueueWorker *
sluice_window_get_queue (SluiceWindow *self)
{
  return self->queue;
}

SluiceRunSet *
sluice_window_get_shown (SluiceWindow *self)
{
  return self->shown;
}

SluiceRunsPane *
sluice_window_get_runs_pane (SluiceWindow *self)
{
  return self->runs_pane;
}

void
sluice_window_restore (SluiceWindow *self)
{
  const char *folder = sluice_workspace_get_folder (self->workspace);
  g_autoptr (GKeyFile) state = sluice_window_state_load (folder);
  g_autofree char *page = g_key_file_get_string (state, "window", "page", NULL);
  if (page != NULL && sluice_page_exists (page))
    sluice_window_show_page (self, page);
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    sluice_page_keep_state (sluice_window_get_nth_page (self, i), state, FALSE);
  sluice_runs_pane_keep_state (self->runs_pane, state, FALSE);
  sluice_recent_add (self->settings, folder);
}

static void
remember (SluiceWindow *self)
{
  g_autoptr (GKeyFile) state = g_key_file_new ();
  if (self->opened != NULL)
    g_key_file_set_string (state, "window", "project", self->opened);
  g_key_file_set_string (state, "window", "page",
                         adw_view_stack_get_visible_child_name (self->stack));
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    sluice_page_keep_state (sluice_window_get_nth_page (self, i), state, TRUE);
  sluice_runs_pane_keep_state (self->runs_pane, state, TRUE);
  sluice_window_state_save (state, sluice_workspace_get_folder (self->workspace));
}

/* A run under way is saved before the window goes. */
static gboolean
sluice_window_close_request (GtkWindow *window)
{
  SluiceWindow *self = SLUICE_WINDOW (window);
  SluiceControlState state = sluice_run_controller_get_state (self->controller);
  if (state != SLUICE_CONTROL_IDLE)
    {
      self->wants_close = TRUE;
      sluice_run_controller_stop (self->controller);
      sluice_window_tell (self, _ ("Saving the run…"));
      return TRUE;
    }
  remember (self);
  g_settings_set_boolean (self->settings, "window-maximized", gtk_window_is_maximized (window));
  if (!gtk_window_is_maximized (window))
    {
      g_settings_set_int (self->settings, "window-width", gtk_widget_get_width (GTK_WIDGET (self)));
      g_settings_set_int (self->settings, "window-height",
                          gtk_widget_get_height (GTK_WIDGET (self)));
    }
  return GTK_WINDOW_CLASS (sluice_window_parent_class)->close_request (window);
}

static void
settings_changed_cb (SluiceWindow *self)
{
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    sluice_page_apply_settings (sluice_window_get_nth_page (self, i), self->settings);
  sluice_recent_fill (self->settings, self->recent_menu);
}

static void
offer_lost_runs (SluiceWindow *self)
{
  if (sluice_workspace_take_news_of_lost (self->workspace))
    sluice_window_offer (self, _ ("There are folders of runs that the database does not know"),
                         _ ("_List Again"), "win.reindex-runs");
}

static void
workspace_changed_cb (SluiceWindow *self)
{
  if (sluice_workspace_get_failure (self->workspace) != NULL)
    sluice_window_show_failure (self, sluice_workspace_get_failure (self->workspace));
  gtk_widget_set_visible (GTK_WIDGET (self->failure_workspace),
                          sluice_workspace_get_failure (self->workspace) != NULL);
  sluice_window_show_failed_node (self);
  offer_lost_runs (self);
  sluice_window_update_actions (self);
  update_status (self);
}

static gboolean
has_opened (GtkWidget *widget)
{
  SluiceWindow *self = SLUICE_WINDOW (widget);
  return sluice_graph_page_get_graph (self->graph_page) != NULL && sluice_window_is_settled (self);
}

static void
sluice_window_constructed (GObject *object)
{
  SluiceWindow *self = SLUICE_WINDOW (object);
  G_OBJECT_CLASS (sluice_window_parent_class)->constructed (object);
  self->settings = g_settings_new ("org.sluice.Workbench");
  gtk_window_set_default_size (GTK_WINDOW (self),
                               g_settings_get_int (self->settings, "window-width"),
                               g_settings_get_int (self->settings, "window-height"));
  if (g_settings_get_boolean (self->settings, "window-maximized"))
    gtk_window_maximize (GTK_WINDOW (self));
  g_settings_bind (self->settings, "show-runs", self->left_flap, "reveal-flap",
                   G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (self->settings, "show-inspector", self->right_flap, "reveal-flap",
                   G_SETTINGS_BIND_DEFAULT);
  g_signal_connect_object (self->settings, "changed", G_CALLBACK (settings_changed_cb), self,
                           G_CONNECT_SWAPPED);
  settings_changed_cb (self);
}

SluiceWindow *
sluice_window_new (SluiceApplication *application, const char *workspace)
{
  SluiceWindow *self = g_object_new (SLUICE_TYPE_WINDOW, "application", application, NULL);
  self->workspace = sluice_workspace_new (workspace);
  self->controller = sluice_run_controller_new (self->workspace);
  self->shown = sluice_run_set_new (self->workspace);
  sluice_runs_pane_set_runs (self->runs_pane, self->workspace, self->shown);
  self->queue = sluice_queue_worker_new (self->workspace, self->controller);
  const SluicePageContext context = { self->workspace, self->shown, self->controller, self->queue,
                                      self->document };
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    {
      SluicePage *page = sluice_window_get_nth_page (self, i);
      sluice_page_attach (page, &context);
      g_signal_connect_object (page, "tag-selected", G_CALLBACK (show_front_run), self,
                               G_CONNECT_SWAPPED);
      add_side (self, self->left_stack, sluice_page_get_left (page));
      add_side (self, self->right_stack, sluice_page_get_right (page));
    }
  sluice_inspector_set_workspace (self->inspector, self->workspace);
  g_signal_connect_object (self->workspace, "changed", G_CALLBACK (workspace_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->workspace, "failed", G_CALLBACK (sluice_window_show_failure), self,
                           G_CONNECT_SWAPPED);
  sluice_window_offer_deleted (self);
  g_signal_connect_object (self->shown, "changed", G_CALLBACK (sluice_window_update_actions), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->shown, "changed", G_CALLBACK (show_front_run), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->shown, "changed", G_CALLBACK (sluice_window_show_failed_node),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->stack, "notify::visible-child",
                           G_CALLBACK (sluice_window_page_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->queue, "failed", G_CALLBACK (sluice_window_tell), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "changed", G_CALLBACK (controller_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "changed", G_CALLBACK (show_session), self,
                           G_CONNECT_SWAPPED);
  sluice_run_notifier_attach (self, self->settings);
  if (g_getenv ("SLUICE_PROBE") != NULL)
    {
      self->probe = sluice_probe_new (GTK_WIDGET (self), has_opened);
      sluice_workspace_set_fresh (self->workspace, sluice_probe_get_fresh (self->probe));
    }
  controller_changed_cb (self);
  show_selection (self);
  return self;
}

static void
sluice_window_dispose (GObject *object)
{
  SluiceWindow *self = SLUICE_WINDOW (object);
  if (self->document != NULL)
    sluice_document_settle (self->document);
  g_clear_handle_id (&self->status_source, g_source_remove);
  sluice_window_end_toasts (self);
  if (self->workspace != NULL)
    sluice_workspace_set_fresh (self->workspace, NULL);
  g_clear_pointer (&self->probe, sluice_probe_free);
  g_clear_object (&self->queue);
  sluice_window_follow_names (self, NULL);
  g_clear_object (&self->document);
  g_clear_pointer (&self->moves, sluice_moves_free);
  g_clear_object (&self->predictor);
  g_clear_pointer (&self->run_edits, sluice_run_edits_free);
  g_clear_object (&self->controller);
  g_clear_object (&self->shown);
  g_clear_object (&self->workspace);
  g_clear_object (&self->settings);
  g_clear_pointer (&self->opened, g_free);
  g_clear_pointer (&self->told, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), SLUICE_TYPE_WINDOW);
  G_OBJECT_CLASS (sluice_window_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, left_flap);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, right_flap);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, left_stack);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, right_stack);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, stack);
  gtk_widget_class_bind_template_callback (widget_class, squeezed_cb);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, low_switcher);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, failure_revealer);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, failure_label);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, status_step);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, status_rate);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, status_machine);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, status_devices);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, progress);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, search);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, recent_menu);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, start_button);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, step_button);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, failure_show);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, failure_workspace);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, failure_memory);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, failure_accept);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, runs_pane);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, import_bar);
  gtk_widget_class_bind_template_child (widget_class, SluiceWindow, inspector);
}

static void
sluice_window_class_init (SluiceWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->constructed = sluice_window_constructed;
  G_OBJECT_CLASS (klass)->dispose = sluice_window_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = sluice_window_close_request;
  widget_class->size_allocate = sluice_window_size_allocate;
  g_type_ensure (SLUICE_TYPE_RUNS_PANE);
  g_type_ensure (SLUICE_TYPE_IMPORT_BAR);
  g_type_ensure (SLUICE_TYPE_DEVICES_BUTTON);
  g_type_ensure (SLUICE_TYPE_INSPECTOR);
  g_type_ensure (SLUICE_TYPE_SEARCH_BOX);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/window.ui");
  bind_children (widget_class);
  sluice_window_install_find (widget_class);
}

static void
sluice_window_init (SluiceWindow *self)
{
  sluice_run_actions_add (self);
  sluice_file_actions_add (self);
  sluice_promote_actions_add (self);
  sluice_live_actions_add (self);
  sluice_reproduce_actions_add (self);
  sluice_moment_actions_add (self);
  sluice_compare_values_actions_add (self);
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
  sluice_window_add_dump_actions (self);
  gtk_widget_init_template (GTK_WIDGET (self));
  sluice_import_logs_add (self, self->import_bar);
  sluice_window_add_pages (self);
  sluice_help_set_page (GTK_WIDGET (self->runs_pane), "runs");
  sluice_help_set_page (GTK_WIDGET (self->inspector), "inspector");
  sluice_help_set_page (GTK_WIDGET (self->search), "search");
  sluice_help_set_page (GTK_WIDGET (self->import_bar), "logs");
  g_autoptr (GtkShortcutsWindow) keys = sluice_shortcuts_window_new ();
  sluice_help_set_page (GTK_WIDGET (keys), "keys");
  gtk_application_window_set_help_overlay (GTK_APPLICATION_WINDOW (self), keys);
  self->graph_page = SLUICE_GRAPH_PAGE (sluice_window_find_page (self, "graph"));
  sluice_window_join_selections (self);
  sluice_place_actions_add (self);
  sluice_window_add_document (self);
  sluice_move_actions_add (self);
  sluice_window_show_page (self, "graph");
  g_signal_connect_swapped (self->search, "search", G_CALLBACK (search_cb), self);
  g_signal_connect_swapped (self->search, "show-hit", G_CALLBACK (show_hit_cb), self);
  g_signal_connect_swapped (self->graph_page, "selection-changed", G_CALLBACK (show_selection),
                            self);
  g_signal_connect_swapped (self->graph_page, "loaded", G_CALLBACK (show_selection), self);
  g_signal_connect_swapped (self->graph_page, "loaded", G_CALLBACK (update_status), self);
  g_signal_connect_swapped (self->graph_page, "failed", G_CALLBACK (sluice_window_show_failure),
                            self);
  g_signal_connect_object (self->graph_page, "measured", G_CALLBACK (sluice_inspector_update),
                           self->inspector, G_CONNECT_SWAPPED);
}
