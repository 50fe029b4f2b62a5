/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/place-actions.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/break-marks.h"
#include "app/break-popover.h"
#include "app/failure-words.h"
#include "app/graph/watch-window.h"
#include "app/inject-popover.h"
#include "app/live-actions.h"
#include "app/window-private.h"

static const SluiceCanvasCommand commands[] = {
  { N_ ("_Watch its value"), "win.watch", TRUE, FALSE, FALSE },
  { N_ ("_Put in another value…"), "win.inject", TRUE, FALSE, FALSE },
  { N_ ("_Stop here…"), "win.break-at", TRUE, TRUE, FALSE },
  { N_ ("Put it on a _device…"), "win.place", TRUE, TRUE, FALSE },
  /* Where the graph can be changed. */
  { N_ ("Make a bloc_k of it"), "build.make-block", FALSE, TRUE, TRUE },
  { N_ ("One more of its bloc_k"), "build.instance", FALSE, TRUE, TRUE },
  { N_ ("_Make all others of its block be as it is"), "build.apply-block", FALSE, TRUE, TRUE },
  { N_ ("Tak_e it out of its block"), "build.unblock", FALSE, TRUE, TRUE },
};

SluiceCanvas *
sluice_place_actions_get_canvas (SluiceWindow *window, guint i)
{
  return i == 0 ? sluice_graph_page_get_canvas (window->graph_page)
                : sluice_build_page_get_canvas (
                    SLUICE_BUILD_PAGE (sluice_window_find_page (window, "build")));
}

static SluiceCanvas *
get_front_canvas (SluiceWindow *window)
{
  return sluice_place_actions_get_canvas (
      window, g_str_equal (sluice_window_get_page_name (window), "build"));
}

char *
sluice_place_actions_dup_place (SluiceWindow *window, const char *given)
{
  SluiceGraph *graph = sluice_graph_page_get_graph (window->graph_page);
  if (given != NULL && *given != '\0')
    return g_strdup (given);
  g_autofree char *place = sluice_canvas_dup_place (get_front_canvas (window));
  if (graph == NULL || place == NULL)
    {
      sluice_window_tell (window, _ ("Select the node, or the line, that is meant"));
      return NULL;
    }
  gboolean is_scope = strchr (place, ':') == NULL && sluice_graph_find (graph, place) == NULL;
  return g_strconcat (place, is_scope ? "/" : "", NULL);
}

/* The same of a value: a node's is its first output. (transfer full) (nullable) */
static char *
dup_edge (SluiceWindow *window, GVariant *parameter)
{
  g_autofree char *place =
      sluice_place_actions_dup_place (window, g_variant_get_string (parameter, NULL));
  if (place == NULL || strchr (place, ':') != NULL)
    return g_steal_pointer (&place);
  if (!g_str_has_suffix (place, "/"))
    return g_strconcat (place, ":0", NULL);
  sluice_window_tell (window, _ ("A scope has many values: choose one of its lines or nodes"));
  return NULL;
}

/* It goes when it is closed; not within the closing: the keyboard's focus goes back first. */
static gboolean
unparent_cb (gpointer data)
{
  gtk_widget_unparent (data);
  return G_SOURCE_REMOVE;
}

static void
closed_cb (GtkWidget *popover)
{
  g_idle_add (unparent_cb, popover);
}

/* Of the canvas in front, where it shows the place. */
static void
point_at (SluiceWindow *window, GtkWidget *popover)
{
  SluiceCanvas *canvas = get_front_canvas (window);
  double x, y;
  gtk_widget_set_parent (popover, GTK_WIDGET (canvas));
  g_signal_connect (popover, "closed", G_CALLBACK (closed_cb), NULL);
  sluice_canvas_get_place_point (canvas, &x, &y);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (popover));
}

static void
watch_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  g_autofree char *edge = dup_edge (window, parameter);
  if (edge != NULL)
    sluice_watch_window_open (GTK_WINDOW (window), window->controller, edge);
}

static void
inject_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  g_autofree char *edge = dup_edge (window, parameter);
  if (edge == NULL)
    return;
  if (sluice_live_actions_have_run (window))
    point_at (window, sluice_inject_popover_new (edge));
  else
    sluice_window_tell (window, _ ("No run is under way: start one first (F5)"));
}

static void
break_at_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  g_autofree char *note = NULL, *place = NULL;
  place = sluice_place_actions_dup_place (window, g_variant_get_string (parameter, NULL));
  if (place == NULL)
    return;
  SluiceBreakPopover *popover = sluice_break_popover_new ();
  sluice_break_popover_set_place (popover, place, sluice_break_marks_find (window, place, &note),
                                  note);
  point_at (window, GTK_WIDGET (popover));
}

static void
set_breakpoint_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  const char *before, *after;
  g_autoptr (GError) error = NULL;
  g_variant_get (parameter, "(&s&s)", &before, &after);
  gboolean ok = g_str_equal (before, after);
  if (!ok && *before != '\0')
    sluice_run_controller_toggle_breakpoint (window->controller, before, NULL);
  if (!ok && *after != '\0')
    ok = sluice_run_controller_toggle_breakpoint (window->controller, after, &error);
  sluice_break_marks_update (window);
  g_autofree char *words = error != NULL ? sluice_failure_words (error)
                           : *after != '\0'
                               ? g_strdup_printf (_ ("Runs stop at “%s”"), after)
                               : g_strdup_printf (_ ("Runs stop at “%s” no more"), before);
  sluice_window_tell (window, words);
}

void
sluice_place_actions_add (SluiceWindow *window)
{
  static const GActionEntry actions[] = {
    { .name = "watch", .activate = watch_cb, .parameter_type = "s" },
    { .name = "inject", .activate = inject_cb, .parameter_type = "s" },
    { .name = "break-at", .activate = break_at_cb, .parameter_type = "s" },
    { .name = "set-breakpoint", .activate = set_breakpoint_cb, .parameter_type = "(ss)" },
  };
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
  for (guint i = 0; i < SLUICE_N_CANVASES; i++)
    sluice_canvas_set_place_commands (sluice_place_actions_get_canvas (window, i), commands,
                                      G_N_ELEMENTS (commands));
}
