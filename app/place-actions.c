/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/place-actions.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/break-marks.h"
#include "app/break-popover.h"
#include "app/failure-words.h"
#include "app/window-private.h"

static const SluiceCanvasCommand commands[] = {
  { N_ ("_Stop here…"), "win.break-at", TRUE },
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

/* Of the canvas in front, where it shows the place. */
static void
point_at (SluiceWindow *window, GtkWidget *popover)
{
  SluiceCanvas *canvas = get_front_canvas (window);
  double x, y;
  if (gtk_widget_get_parent (popover) != GTK_WIDGET (canvas))
    {
      g_object_ref (popover);
      if (gtk_widget_get_parent (popover) != NULL)
        gtk_widget_unparent (popover);
      gtk_widget_set_parent (popover, GTK_WIDGET (canvas));
      g_object_unref (popover);
    }
  sluice_canvas_get_place_point (canvas, &x, &y);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (popover));
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
    { .name = "break-at", .activate = break_at_cb, .parameter_type = "s" },
    { .name = "set-breakpoint", .activate = set_breakpoint_cb, .parameter_type = "(ss)" },
  };
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
  for (guint i = 0; i < SLUICE_N_CANVASES; i++)
    sluice_canvas_set_place_commands (sluice_place_actions_get_canvas (window, i), commands,
                                      G_N_ELEMENTS (commands));
}
