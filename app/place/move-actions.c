/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/place/move-actions.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/file-actions.h"
#include "app/place-actions.h"
#include "app/place/place-colors.h"
#include "app/place/place-words.h"
#include "app/place/step-times.h"
#include "app/timeline/timeline-page.h"
#include "app/window-private.h"
#include "engine/command/line.h"

#define N_MEASURED 100 /* steps after a change, of which the last are measured */
#define POLL_MS    100 /* how often it is looked whether they have run */

struct _SluiceMoves
{
  SluiceWindow *window;
  /* What is to be put where, while it is asked whether it can stand there. */
  char **names, *device; /* (nullable) */
  gboolean is_at_work;   /* a run is: what it measures is kept at its end */
  /* A run that is to go on with it, and what comes of that. */
  gboolean waits_for_pause, waits_for_run;
  double predicted_us;
  guint source;
  gint64 first_step; /* behind the change; -1: not known yet */
  guint n_decided;   /* of the decisions that are coloured; G_MAXUINT: all */
};

static SluicePlaceBar *
get_bar (SluiceWindow *window)
{
  return sluice_graph_page_get_place_bar (window->graph_page);
}

/* ---- which nodes ---- */

/* Those below what is called so in the picture, which may be a fold of several scopes. */
static void
add_drawn (SluiceWindow *window, const char *path, GHashTable *names)
{
  SluiceHierarchy *h = sluice_graph_page_get_hierarchy (window->graph_page);
  guint group = h != NULL ? sluice_hierarchy_lookup (h, path) : SLUICE_NONE;
  guint n;
  if (group == SLUICE_NONE)
    return;
  const SluiceModelNode *nodes = sluice_graph_model_get_nodes (sluice_hierarchy_get_model (h), &n);
  for (guint i = 0; i < n; i++)
    if (sluice_hierarchy_is_below (h, sluice_hierarchy_get_op_group (h, i), group))
      g_hash_table_add (names, (gpointer) nodes[i].name);
}

/* (transfer container) */
static const char **
list_nodes (SluiceWindow *window, const char *const *paths)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *path = g_strdup (paths[i]);
      if (g_str_has_suffix (path, "/"))
        path[strlen (path) - 1] = '\0';
      add_drawn (window, path, names);
    }
  return (const char **) g_hash_table_get_keys_as_array (names, NULL);
}

static char *
dup_title (const char *const *paths)
{
  guint n = g_strv_length ((char **) paths);
  return n == 1 ? g_strdup (paths[0]) : g_strdup_printf (ngettext ("%u box", "%u boxes", n), n);
}

static void
show_chosen (SluiceWindow *window)
{
  g_auto (GStrv) paths =
      sluice_canvas_dup_selected (sluice_graph_page_get_canvas (window->graph_page));
  g_autofree const char **names = list_nodes (window, (const char *const *) paths);
  g_autofree char *title = dup_title ((const char *const *) paths);
  sluice_place_bar_set_chosen (get_bar (window), names[0] != NULL ? names : NULL, title);
}

static gboolean
drag_out_cb (
    SluiceCanvas *canvas, const char *path, double x, double y, gboolean is_dropped, gpointer data)
{
  SluiceWindow *window = data;
  SluicePlaceBar *bar = get_bar (window);
  if (path == NULL || !gtk_widget_get_mapped (GTK_WIDGET (bar)) || y < 0)
    return sluice_place_bar_drag (bar, NULL, NULL, GTK_WIDGET (canvas), x, y, FALSE);
  if (y < gtk_widget_get_height (GTK_WIDGET (canvas))) /* over the picture: nothing is listed */
    return sluice_place_bar_drag (bar, NULL, NULL, GTK_WIDGET (canvas), x, y, FALSE);
  g_auto (GStrv) selected = sluice_canvas_dup_selected (canvas);
  const char *const one[] = { path, NULL };
  const char *const *paths =
      g_strv_contains ((const char *const *) selected, path) ? (const char *const *) selected : one;
  g_autofree const char **names = list_nodes (window, paths);
  g_autofree char *title = dup_title (paths);
  return sluice_place_bar_drag (bar, names, title, GTK_WIDGET (canvas), x, y, is_dropped);
}

/* ---- a run that goes on with it ---- */

static void
end_measuring (SluiceMoves *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  self->waits_for_pause = self->waits_for_run = FALSE;
}

static void
measured_cb (GObject *session, GAsyncResult *result, gpointer data)
{
  g_autoptr (SluiceWindow) window = data;
  SluiceStepTimes times = sluice_step_times_finish (result);
  if (window->moves == NULL || times.n == 0
      || (GObject *) sluice_run_controller_get_session (window->controller) != session)
    return; /* another run by now */
  g_autofree char *words =
      sluice_place_words_measured (window->moves->predicted_us, times.us, times.plus_minus);
  sluice_window_tell (window, words);
}

static gboolean
poll_cb (gpointer data)
{
  SluiceMoves *self = data;
  SluiceRunController *controller = self->window->controller;
  SluiceProgress progress;
  if (!sluice_run_controller_get_progress (controller, &progress))
    return G_SOURCE_CONTINUE;
  if (self->first_step < 0)
    self->first_step = progress.step;
  SluiceSession *session = sluice_run_controller_get_session (controller);
  if (progress.step < self->first_step + N_MEASURED || session == NULL)
    return G_SOURCE_CONTINUE;
  self->source = 0;
  sluice_step_times_begin (session, measured_cb, g_object_ref (self->window));
  return G_SOURCE_REMOVE;
}

void
sluice_moves_update (SluiceWindow *window)
{
  SluiceMoves *self = window->moves;
  SluiceControlState state = sluice_run_controller_get_state (window->controller);
  if (state == SLUICE_CONTROL_IDLE && self->is_at_work)
    sluice_predictor_look_again (window->predictor);
  self->is_at_work = state != SLUICE_CONTROL_IDLE;
  if (state == SLUICE_CONTROL_IDLE)
    end_measuring (self);
  else if (self->waits_for_pause && state == SLUICE_CONTROL_PAUSED)
    {
      self->waits_for_pause = FALSE;
      self->waits_for_run = sluice_run_edits_go_on (window);
    }
  else if (self->waits_for_run && state == SLUICE_CONTROL_RUNNING)
    {
      self->waits_for_run = FALSE;
      self->first_step = -1;
      g_clear_handle_id (&self->source, g_source_remove);
      self->source = g_timeout_add (POLL_MS, poll_cb, self);
    }
}

static void
let_run_go_on (SluiceMoves *self)
{
  SluiceControlState state = sluice_run_controller_get_state (self->window->controller);
  if (state != SLUICE_CONTROL_RUNNING
      || sluice_run_controller_is_of_queue (self->window->controller))
    return;
  end_measuring (self);
  self->waits_for_pause = TRUE;
  sluice_run_controller_pause (self->window->controller);
}

/* ---- putting ---- */

/* One line, one step back: (transfer full). */
static char *
dup_line (const char *const *names, const char *device)
{
  guint n = g_strv_length ((char **) names);
  g_autofree char *spec = sluice_line_quote (device);
  g_autoptr (GString) line = g_string_new (NULL);
  g_autofree char *words =
      g_strdup_printf (ngettext ("put %u node on %s", "put %u nodes on %s", n), n, device);
  g_autofree char *quoted = sluice_line_quote (words);
  if (n > 1)
    g_string_append_printf (line, "together %s", quoted);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = sluice_line_quote (names[i]);
      g_autofree char *part = g_strdup_printf ("device %s %s", name, spec);
      g_autofree char *whole = n > 1 ? sluice_line_quote (part) : g_strdup (part);
      g_string_append_printf (line, "%s%s", n > 1 ? " " : "", whole);
    }
  return g_string_free (g_steal_pointer (&line), FALSE);
}

static void
forget_names (SluiceMoves *self)
{
  g_clear_pointer (&self->names, g_strfreev);
  g_clear_pointer (&self->device, g_free);
}

/* It was asked whether they can stand there. */
static void
told_cb (SluicePlacePrediction *after, const GError *why, gpointer data)
{
  SluiceMoves *self = data;
  SluiceWindow *window = self->window;
  g_autoptr (GError) error = why != NULL ? g_error_copy (why) : NULL;
  g_auto (GStrv) names = g_steal_pointer (&self->names);
  g_autofree char *device = g_steal_pointer (&self->device);
  const SluicePlacePrediction *before = sluice_predictor_get (window->predictor, NULL);
  g_autofree char *change =
      after != NULL && before != NULL ? sluice_place_words_change (before, after) : NULL;
  double us = after != NULL ? after->us : 0;
  g_autofree char *line = dup_line ((const char *const *) names, device);
  if (error == NULL && sluice_document_do (window->document, line, &error))
    {
      self->predicted_us = us;
      g_autofree char *words =
          g_strdup_printf (_ ("On %s, as predicted: %s"), device, change != NULL ? change : "–");
      sluice_window_offer (window, words, _ ("Undo"), "win.undo-command");
      let_run_go_on (self);
      return;
    }
  g_autofree char *words = sluice_failure_words (error);
  sluice_window_tell (window, words);
}

static void
put_names (SluiceWindow *window, const char *const *names, const char *device)
{
  SluiceMoves *self = window->moves;
  if (sluice_document_get_stack (window->document) == NULL
      || sluice_document_get_graph (window->document)
             != sluice_graph_page_get_graph (window->graph_page))
    {
      sluice_window_tell (window, _ ("This graph cannot be changed: it has no file of its own"));
      return;
    }
  forget_names (self);
  sluice_predictor_get (window->predictor, NULL); /* which it is compared with */
  self->names = g_strdupv ((char **) names);
  self->device = g_strdup (device);
  sluice_predictor_try (window->predictor, (const char *const *) self->names, device, told_cb,
                        self);
}

static void
put_cb (SluiceWindow *window, char **names, const char *device)
{
  put_names (window, (const char *const *) names, device);
}

/* ---- colours ---- */

/* Of the canvases that show such; others cost nothing. */
static void
show_colors (SluiceWindow *window)
{
  for (guint i = 0; i < SLUICE_N_CANVASES; i++)
    {
      SluiceCanvas *canvas = sluice_place_actions_get_canvas (window, i);
      SluiceColorBy by = sluice_canvas_get_color_by (canvas);
      if (sluice_place_colors_has (by))
        sluice_place_colors_show (canvas, by, sluice_predictor_get (window->predictor, NULL),
                                  window->moves->n_decided);
    }
}

static void
predicted_cb (SluiceWindow *window)
{
  window->moves->n_decided = G_MAXUINT;
  show_colors (window);
}

/* Who goes through the decisions sees them. */
static void
scrubbed_cb (SluiceWindow *window, guint n_decided)
{
  window->moves->n_decided = n_decided;
  sluice_canvas_set_color_by (sluice_graph_page_get_canvas (window->graph_page),
                              SLUICE_COLOR_BY_PLACED);
  show_colors (window);
}

/* ---- actions ---- */

static void
put_action_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *place, *device;
  g_variant_get (parameter, "(&s&s)", &place, &device);
  const char *const paths[] = { place, NULL };
  g_autofree const char **names = list_nodes (data, paths);
  g_autofree char *words = g_strdup_printf (_ ("There is no node and no scope “%s”"), place);
  if (names[0] != NULL)
    put_names (data, names, device);
  else
    sluice_window_tell (data, words);
}

static void
close_bar (SluiceWindow *window)
{
  gtk_widget_set_visible (GTK_WIDGET (get_bar (window)), FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (sluice_graph_page_get_canvas (window->graph_page)));
}

static gboolean
has_focus (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  return focus != NULL && gtk_widget_is_ancestor (focus, widget);
}

static void
place_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  GtkWidget *bar = GTK_WIDGET (get_bar (window));
  g_autofree char *place = g_strdup (g_variant_get_string (parameter, NULL));
  if (*place == '\0' && gtk_widget_get_mapped (bar) && has_focus (bar))
    {
      close_bar (window);
      return;
    }
  place[strcspn (place, ":")] = '\0'; /* of a value: who makes it */
  if (g_str_has_suffix (place, "/"))
    place[strlen (place) - 1] = '\0';
  sluice_window_show_page (window, "graph");
  if (*place != '\0')
    sluice_graph_page_select (window->graph_page, place);
  gtk_widget_set_visible (bar, TRUE);
  show_chosen (window);
  sluice_place_bar_begin (get_bar (window));
}

static void
predict_machine_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  const char *path = g_variant_get_string (parameter, NULL);
  sluice_predictor_set_machine (window->predictor, *path != '\0' ? path : NULL);
}

/* ---- the window ---- */

static void
undo_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gtk_widget_activate_action (GTK_WIDGET (sluice_window_find_page (data, "build")), "build.undo",
                              NULL);
}

static void
loaded_cb (SluiceWindow *window)
{
  end_measuring (window->moves);
  forget_names (window->moves);
  sluice_predictor_set_graph (window->predictor, sluice_graph_page_get_graph (window->graph_page),
                              sluice_run_controller_get_project (window->controller));
}

void
sluice_moves_free (SluiceMoves *self)
{
  end_measuring (self);
  sluice_predictor_forget (self->window->predictor, self);
  forget_names (self);
  g_free (self);
}

static void
follow_pages (SluiceWindow *window)
{
  SluicePlaceBar *bar = get_bar (window);
  sluice_place_bar_set_predictor (bar, window->predictor);
  sluice_canvas_set_drag_out (sluice_graph_page_get_canvas (window->graph_page), drag_out_cb,
                              window);
  g_signal_connect_object (bar, "put", G_CALLBACK (put_cb), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (bar, "scrubbed", G_CALLBACK (scrubbed_cb), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (window->predictor, "changed", G_CALLBACK (predicted_cb), window,
                           G_CONNECT_SWAPPED);
  for (guint i = 0; i < SLUICE_N_CANVASES; i++)
    g_signal_connect_object (sluice_place_actions_get_canvas (window, i), "notify::color-by",
                             G_CALLBACK (show_colors), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (bar, "closed", G_CALLBACK (close_bar), window, G_CONNECT_SWAPPED);
  g_signal_connect_object (bar, "choose-machine", G_CALLBACK (sluice_file_actions_choose_machine),
                           window, G_CONNECT_SWAPPED);
  g_signal_connect_object (window->graph_page, "selection-changed", G_CALLBACK (show_chosen),
                           window, G_CONNECT_SWAPPED);
  g_signal_connect_object (window->graph_page, "loaded", G_CALLBACK (loaded_cb), window,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (window->document, "changed", G_CALLBACK (sluice_predictor_update),
                           window->predictor, G_CONNECT_SWAPPED);
}

void
sluice_move_actions_add (SluiceWindow *window)
{
  static const GActionEntry actions[] = {
    { .name = "place", .activate = place_cb, .parameter_type = "s" },
    { .name = "put-on", .activate = put_action_cb, .parameter_type = "(ss)" },
    { .name = "predict-machine", .activate = predict_machine_cb, .parameter_type = "s" },
    { .name = "undo-command", .activate = undo_cb },
  };
  window->predictor = sluice_predictor_new ();
  window->moves = g_new0 (SluiceMoves, 1);
  window->moves->window = window;
  window->moves->n_decided = G_MAXUINT;
  sluice_inspector_set_predictor (window->inspector, window->predictor);
  sluice_timeline_page_set_predictor (
      SLUICE_TIMELINE_PAGE (sluice_window_find_page (window, "timeline")), window->predictor);
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
  follow_pages (window);
}
