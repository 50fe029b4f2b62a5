/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/debug-actions.h"

#include <glib/gi18n.h>

#include "app/break-marks.h"
#include "app/debug-words.h"
#include "app/failure-words.h"
#include "app/help/help-window.h"
#include "app/place-actions.h"
#include "app/window-private.h"

#define NON_FINITE   "* if nonfinite"
#define MOST_MISSING 4 /* that a node waits for, in the bar */

/* Sets it, or removes it where it is set. Returns: is it set now? */
static gboolean
toggle (SluiceWindow *window, const char *text)
{
  g_autoptr (GError) error = NULL;
  gboolean is_set = sluice_run_controller_toggle_breakpoint (window->controller, text, &error);
  g_autofree char *words = error != NULL ? sluice_failure_words (error) : NULL;
  if (words != NULL)
    sluice_window_tell (window, words);
  return is_set;
}

static void
toggle_breakpoint_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  g_autofree char *place = sluice_place_actions_dup_place (window, NULL);
  if (place == NULL)
    return;
  /* Whatever its condition is. */
  g_autofree char *text = g_strdup (sluice_break_marks_find (window, place, NULL));
  gboolean is_set = toggle (window, text != NULL ? text : place);
  sluice_break_marks_update (window);
  g_autofree char *words =
      g_strdup_printf (is_set ? _ ("Runs stop at “%s”") : _ ("Runs stop at “%s” no more"), place);
  sluice_window_tell (window, words);
}

static void
break_non_finite_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_simple_action_set_state (action, g_variant_new_boolean (toggle (data, NON_FINITE)));
}

/* (nullable): of the run under way */
static SluiceDebugger *
get_debugger (SluiceWindow *window)
{
  return sluice_run_controller_get_debugger (window->controller);
}

static void
step_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  if (get_debugger (data) != NULL)
    sluice_debugger_step (get_debugger (data));
}

static void
next_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  if (get_debugger (data) != NULL)
    sluice_debugger_next (get_debugger (data));
}

static void
go_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  if (get_debugger (data) != NULL)
    sluice_debugger_go (get_debugger (data));
}

gboolean
sluice_debug_actions_are_stopped (SluiceWindow *window)
{
  SluiceDebugger *debugger = get_debugger (window);
  return debugger != NULL && sluice_debugger_is_stopped (debugger);
}

gboolean
sluice_debug_actions_go_on (SluiceWindow *window)
{
  if (!sluice_debug_actions_are_stopped (window))
    return FALSE;
  sluice_debugger_next (get_debugger (window));
  return TRUE;
}

static void
change_value_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  if (window->debug_bar != NULL)
    sluice_debug_bar_open_change (window->debug_bar);
}

/* parameter: (nullable): the last change goes back */
static void
put_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  const char *edge = NULL, *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *words = NULL;
  if (parameter != NULL)
    g_variant_get (parameter, "(&s&s)", &edge, &text);
  if (!sluice_run_controller_put (window->controller, edge, text, &error))
    words = sluice_failure_words (error);
  else if (parameter != NULL)
    words = g_strdup_printf (_ ("The step goes on with another value of “%s”"), edge);
  else
    words = g_strdup (_ ("The value is what it was"));
  sluice_window_tell (window, words);
}

static void
clip_input_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  if (window->debug_bar != NULL)
    sluice_debug_bar_open_clip (window->debug_bar);
}

static const GActionEntry actions[] = {
  { .name = "toggle-breakpoint", .activate = toggle_breakpoint_cb },
  { .name = "break-non-finite", .activate = break_non_finite_cb, .state = "false" },
  { .name = "debug-step", .activate = step_cb },
  { .name = "debug-next", .activate = next_cb },
  { .name = "debug-go", .activate = go_cb },
  { .name = "clip-input", .activate = clip_input_cb },
  { .name = "change-value", .activate = change_value_cb },
  { .name = "put", .activate = put_cb, .parameter_type = "(ss)" },
  { .name = "unput", .activate = put_cb },
};

void
sluice_debug_actions_add (SluiceWindow *window)
{
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
}

/* The bar stands above the pages, once there is something to say. */
static SluiceDebugBar *
get_bar (SluiceWindow *window)
{
  if (window->debug_bar == NULL)
    {
      window->debug_bar = sluice_debug_bar_new ();
      sluice_help_set_page (GTK_WIDGET (window->debug_bar), "debug");
      gtk_widget_insert_after (GTK_WIDGET (window->debug_bar),
                               gtk_widget_get_parent (GTK_WIDGET (window->import_bar)),
                               GTK_WIDGET (window->import_bar));
    }
  return window->debug_bar;
}

/* (transfer full) (nullable): there is no such node */
static char *
dup_why (SluiceWindow *window, const char *name)
{
  g_autoptr (GError) error = NULL;
  SluiceGraph *graph = sluice_document_get_graph (window->document);
  if (name == NULL || graph == NULL || sluice_graph_find (graph, name) == NULL)
    return NULL;
  g_autoptr (GArray) whys = sluice_debugger_dup_why (get_debugger (window), name, &error);
  if (whys == NULL)
    return sluice_failure_sentence (error->message);
  g_autoptr (GString) words = g_string_new (NULL);
  for (guint i = 0; i < whys->len; i++)
    {
      g_autofree char *line =
          sluice_debug_words_of_why (&g_array_index (whys, SluiceDebugWhy, i), name, MOST_MISSING);
      g_string_append_printf (words, "%s%s", i > 0 ? "\n" : "", line);
    }
  return words->len > 0 ? g_string_free (g_steal_pointer (&words), FALSE) : NULL;
}

void
sluice_debug_actions_tell_why (SluiceWindow *window)
{
  SluiceDebugger *debugger = get_debugger (window);
  g_autoptr (SluiceStop) stop = debugger != NULL ? sluice_debugger_dup_stop (debugger) : NULL;
  const char *name = sluice_graph_page_get_selection (window->graph_page);
  if (window->debug_bar == NULL)
    return;
  gboolean is_other = stop != NULL && g_strcmp0 (name, stop->node.name) != 0;
  g_autofree char *words = is_other ? dup_why (window, name) : NULL;
  sluice_debug_bar_set_why (window->debug_bar, words);
}

void
sluice_debug_actions_update (SluiceWindow *window)
{
  static const char *const of_stops[] = { "debug-step",   "debug-next", "debug-go", "clip-input",
                                          "change-value", "put",        "unput" };
  SluiceDebugger *debugger = get_debugger (window);
  g_autoptr (SluiceStop) stop = debugger != NULL ? sluice_debugger_dup_stop (debugger) : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (of_stops); i++)
    g_simple_action_set_enabled (
        G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (window), of_stops[i])),
        stop != NULL);
  if (stop != NULL || window->debug_bar != NULL)
    sluice_debug_bar_set_stop (get_bar (window), stop);
  if (stop != NULL)
    sluice_debug_bar_set_edited (get_bar (window), sluice_run_edits_are_there (window));
  sluice_break_marks_update (window);
  if (stop != NULL && stop->node.name != NULL && stop->number != window->seen_stop)
    sluice_graph_page_select (window->graph_page, stop->node.name);
  window->seen_stop = stop != NULL ? stop->number : 0;
  sluice_debug_actions_tell_why (window);
}
