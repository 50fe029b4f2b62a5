/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/window-private.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

/* What the window shows, as a line of JSON on standard output: tests assert on meaning, not on
 * pixels. */

static const char *
control_state_name (SluiceControlState state)
{
  static const char *const names[] = { "idle", "starting", "running", "paused", "stopping" };
  return names[state];
}

static void
add_json (JsonBuilder *b, const char *name, char *take)
{
  g_autofree char *text = take;
  if (text == NULL)
    return;
  json_builder_set_member_name (b, name);
  json_builder_add_value (b, json_from_string (text, NULL));
}

static void
add_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_string_value (b, value);
}

static void
print_line (char *take)
{
  g_autofree char *text = take;
  puts (text);
  fflush (stdout);
}

/* How far what was done to the graph has come. */
static void
add_edits (SluiceWindow *self, JsonBuilder *b)
{
  SluiceBuildPage *page = SLUICE_BUILD_PAGE (sluice_window_find_page (self, "build"));
  SluiceCommandStack *stack = sluice_document_get_stack (self->document);
  json_builder_set_member_name (b, "build_drawn");
  json_builder_add_boolean_value (b, sluice_build_page_is_drawn (page));
  json_builder_set_member_name (b, "build_told");
  json_builder_add_boolean_value (b, sluice_build_page_is_told (page));
  json_builder_set_member_name (b, "build_saved");
  json_builder_add_boolean_value (b, !sluice_document_is_changed (self->document));
  json_builder_set_member_name (b, "n_undo");
  json_builder_add_int_value (b, stack != NULL ? sluice_command_stack_get_n_undo (stack) : 0);
}

/* What is told, and what comes after it. */
static void
add_toasts (SluiceWindow *self, JsonBuilder *b)
{
  json_builder_set_member_name (b, "toasts");
  json_builder_begin_array (b);
  for (GList *l = self->waiting.head; l != NULL; l = l->next)
    json_builder_add_string_value (b, adw_toast_get_title (l->data));
  json_builder_end_array (b);
}

/* What the main loop and the run cost. */
static void
add_costs (SluiceWindow *self, JsonBuilder *b)
{
  SluiceProgress p = { 0 };
  sluice_run_controller_get_progress (self->controller, &p);
  add_string (b, "control",
              control_state_name (sluice_run_controller_get_state (self->controller)));
  json_builder_set_member_name (b, "step");
  json_builder_add_int_value (b, p.step);
  json_builder_set_member_name (b, "checkpoint");
  json_builder_add_int_value (b, p.last_checkpoint);
  json_builder_set_member_name (b, "live_bytes");
  json_builder_add_int_value (b, (gint64) p.memory_bytes);
  json_builder_set_member_name (b, "settled");
  json_builder_add_boolean_value (b, sluice_window_is_settled (self));
  if (self->probe != NULL)
    sluice_probe_dump (self->probe, b);
  add_edits (self, b);
}

static void
add_state (SluiceWindow *self, JsonBuilder *b)
{
  g_autofree char *inspector = sluice_inspector_dup_text (self->inspector);
  const char *project = sluice_run_controller_get_project (self->controller);
  add_string (b, "page", sluice_window_get_page_name (self));
  add_string (b, "project", project != NULL ? project : "");
  json_builder_set_member_name (b, "runs");
  json_builder_add_int_value (
      b, g_list_model_get_n_items (sluice_workspace_get_runs (self->workspace)));
  g_autoptr (SluiceRun) front = sluice_run_set_dup_front (self->shown);
  add_string (b, "told", self->told != NULL ? self->told : "");
  add_toasts (self, b);
  add_string (b, "found", sluice_search_box_get_summary (self->search));
  add_string (b, "front", front != NULL ? sluice_run_get_info (front)->name : "");
  json_builder_set_member_name (b, "folded");
  json_builder_add_boolean_value (b, adw_flap_get_folded (self->left_flap)
                                         && adw_flap_get_folded (self->right_flap));
  add_string (b, "status", gtk_label_get_label (self->status_rate));
  g_autofree char *devices = sluice_devices_button_dup_text (self->status_devices);
  add_string (b, "devices", devices);
  add_string (b, "import", sluice_import_bar_get_text (self->import_bar));
  json_builder_set_member_name (b, "importing");
  json_builder_add_boolean_value (b, sluice_import_bar_is_busy (self->import_bar));
  add_string (b, "stop",
              self->debug_bar != NULL ? sluice_debug_bar_get_text (self->debug_bar) : "");
  add_string (b, "inspector", inspector);
  add_string (b, "failure",
              gtk_revealer_get_reveal_child (self->failure_revealer)
                  ? gtk_label_get_label (self->failure_label)
                  : "");
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    add_json (b, sluice_page_kinds[i].state,
              sluice_page_dump_state (sluice_window_get_nth_page (self, i)));
}

static void
print_state (SluiceWindow *self, gboolean has_all)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  add_costs (self, b);
  if (has_all)
    add_state (self, b);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  print_line (json_to_string (root, FALSE));
}

static gboolean
events_done_cb (gpointer data)
{
  print_state (data, TRUE);
  return G_SOURCE_REMOVE;
}

/* All that a test wants to know, once what it typed before it asked is done: keys come by another
 * way than the question, which overtakes them on a busy machine. The server has sent them by the
 * time that it answers, and they go before what is less urgent. */
static void
dump_state_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gdk_display_sync (gtk_widget_get_display (data));
  g_idle_add_full (GDK_PRIORITY_EVENTS + 1, events_done_cb, g_object_ref (data), g_object_unref);
}

/* What is little enough to be asked for all the time. */
static void
dump_costs_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  print_state (data, FALSE);
}

static void
dump_scopes_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  print_line (sluice_graph_page_dump_scopes (SLUICE_WINDOW (data)->graph_page));
}

void
sluice_window_add_dump_actions (SluiceWindow *self)
{
  static const GActionEntry actions[] = {
    { .name = "dump-state", .activate = dump_state_cb },
    { .name = "dump-costs", .activate = dump_costs_cb },
    { .name = "dump-scopes", .activate = dump_scopes_cb },
  };
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
}
