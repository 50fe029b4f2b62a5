/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"
#include "ui/canvas/canvas-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define KEY_ZOOM 1.25

static void
zoom_by (SluiceCanvas *self, double factor)
{
  if (self->scene != NULL)
    sluice_canvas_zoom_at (self, factor, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
                           gtk_widget_get_height (GTK_WIDGET (self)) / 2.0, TRUE);
}

static void
zoom_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  zoom_by (SLUICE_CANVAS (widget), strcmp (name, "canvas.zoom-in") == 0 ? KEY_ZOOM : 1 / KEY_ZOOM);
}

static void
color_next_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  sluice_canvas_set_color_by (self, (self->color_by + 1) % SLUICE_N_COLOR_BY);
}

static void
zoom_100_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  zoom_by (self, self->text_scale / (self->view_start != 0 ? self->view_to.zoom : self->view.zoom));
}

static void
fit_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  if (strcmp (name, "canvas.fit-selection") == 0 && self->lead_item != SLUICE_NONE)
    {
      SluiceRect rect = sluice_scene_get_item (self->scene, self->lead_item)->rect;
      sluice_canvas_fit_rect (self, &rect, TRUE);
    }
  else
    sluice_canvas_fit (self);
}

/* The group that open, close and toggle act on. */
static const SluiceGroup *
lead_group (SluiceCanvas *self)
{
  guint group = self->lead == NULL || self->hierarchy == NULL
                    ? SLUICE_NONE
                    : sluice_hierarchy_lookup (self->hierarchy, self->lead);
  return group == SLUICE_NONE ? NULL : sluice_hierarchy_get_group (self->hierarchy, group);
}

static void
toggle_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  const SluiceGroup *g = lead_group (self);
  if (g == NULL)
    return;
  gboolean is_open = sluice_view_state_is_open (self->state, g->path);
  gboolean open =
      strcmp (name, "canvas.toggle") == 0 ? !is_open : strcmp (name, "canvas.open") == 0;
  if (g->n_children == 0 && strcmp (name, "canvas.close") == 0)
    g = sluice_hierarchy_get_group (self->hierarchy, g->parent); /* closes what it stands in */
  if (g->n_children == 0)
    g_signal_emit (self, sluice_canvas_signals[CANVAS_ACTIVATED], 0,
                   sluice_canvas_path_name (self, g->path));
  else if (*g->path != '\0' && open != sluice_view_state_is_open (self->state, g->path))
    sluice_canvas_toggle (self, g->path, open);
}

/* Opens the scopes in the selected one, or at the top. */
static void
open_all_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  const SluiceGroup *g = lead_group (self);
  if (self->hierarchy == NULL)
    return;
  if (g == NULL || g->n_children == 0)
    g = sluice_hierarchy_get_group (self->hierarchy, 0);
  if (*g->path != '\0')
    sluice_view_state_set_open (self->state, g->path, TRUE);
  for (guint i = g->first_child; i < g->first_child + g->n_children; i++)
    {
      const SluiceGroup *child = sluice_hierarchy_get_group (self->hierarchy, i);
      if (child->n_children > 0 && child->node_class != SLUICE_NODE_CLASS_VARIABLE)
        sluice_view_state_set_open (self->state, child->path, TRUE);
    }
  sluice_canvas_rebuild (self, *g->path == '\0' ? NULL : g->path);
  sluice_canvas_layout_changed (self);
}

/* Opens the selected scope and all that are in it, or all there are. Names can be nested deeper
 * than a stack is: groups are gone through in their order, in which parents come first. */
static void
open_all_below_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  const SluiceGroup *lead = lead_group (self);
  if (self->hierarchy == NULL)
    return;
  gboolean all = lead == NULL || lead->n_children == 0;
  guint n = sluice_hierarchy_get_n_groups (self->hierarchy);
  guint top = all ? 0 : sluice_hierarchy_lookup (self->hierarchy, lead->path);
  g_autofree guint8 *below = g_new0 (guint8, n + 1);
  below[top] = 1;
  for (guint i = MAX (top, 1); i < n; i++)
    {
      const SluiceGroup *g = sluice_hierarchy_get_group (self->hierarchy, i);
      below[i] |= below[g->parent] && g->node_class != SLUICE_NODE_CLASS_VARIABLE;
      if (below[i] && g->n_children > 0)
        sluice_view_state_set_open (self->state, g->path, TRUE);
    }
  sluice_canvas_rebuild (self, all ? NULL : lead->path);
  sluice_canvas_layout_changed (self);
}

static void
close_all_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  sluice_view_state_close_all (self->state);
  sluice_canvas_rebuild (self, NULL);
  sluice_canvas_layout_changed (self);
}

static void
walk_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  const char *where = name + strlen ("canvas.select-");
  if (strcmp (where, "next") == 0 || strcmp (where, "previous") == 0)
    sluice_canvas_walk_order (self, *where == 'n' ? 1 : -1);
  else if (strcmp (where, "left") == 0 || strcmp (where, "right") == 0)
    sluice_canvas_walk (self, *where == 'r' ? 1 : -1, 0);
  else
    sluice_canvas_walk (self, 0, *where == 'd' ? 1 : -1);
}

static void
select_parent_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  const SluiceGroup *g = lead_group (self);
  if (self->line.edge != SLUICE_NONE) /* from a line back to its box */
    {
      sluice_canvas_choose_line (self, SLUICE_NONE);
      return;
    }
  guint parent = g == NULL || strcmp (name, "canvas.select-none") == 0 ? 0 : g->parent;
  sluice_canvas_trace_none (self);
  if (parent == 0 || parent == SLUICE_NONE)
    sluice_canvas_select_none (self);
  else
    sluice_canvas_select_path (self, sluice_hierarchy_get_group (self->hierarchy, parent)->path);
}

static void
place_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  GHashTableIter iter;
  gpointer path;
  gboolean aside = strcmp (name, "canvas.set-aside") == 0;
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  g_hash_table_iter_init (&iter, self->selected);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    sluice_view_state_set_place (self->state, path,
                                 aside ? SLUICE_PLACE_EXCLUDE : SLUICE_PLACE_INCLUDE);
  g_autofree char *list = sluice_canvas_dup_selection_words (self);
  g_autofree char *words = g_strdup_printf (aside ? _ ("set %s aside") : _ ("bring %s back"), list);
  sluice_canvas_end_arranging (self, before, words);
}

static void
reset_positions_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  sluice_view_state_unset_moves (self->state);
  sluice_canvas_end_arranging (self, before, _ ("put moved boxes back"));
}

static void
use_dot_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  sluice_canvas_set_use_dot (self, !sluice_view_state_get_use_dot (self->state));
}

/* Drawing a large graph into a file takes longer than a frame: a worker does it, from the same
 * immutable scene. */
typedef struct
{
  SluiceScene *scene;
  SluiceTheme theme;
  char *font;
  SluiceExportFormat format;
  char *path;
} ExportJob;

static void
export_job_free (gpointer data)
{
  ExportJob *job = data;
  sluice_scene_unref (job->scene);
  g_free (job->font);
  g_free (job->path);
  g_free (job);
}

static void
export_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  ExportJob *job = data;
  g_autoptr (GError) error = NULL;
  if (sluice_scene_export (job->scene, &job->theme, job->format, job->path, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

static void
export_done_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    g_signal_emit (object, sluice_canvas_signals[CANVAS_FAILED], 0, error->message);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  SluiceExportFormat format;
  g_autofree char *ending = g_strdup_printf (".%s", name + strlen ("canvas.export-"));
  sluice_canvas_need_scene (self);
  if (self->scene == NULL || !sluice_export_format_from_name (ending, &format))
    return;
  ExportJob *job = g_new0 (ExportJob, 1);
  job->scene = sluice_scene_ref (self->scene);
  job->theme = self->theme;
  job->theme.font = job->font = g_strdup (self->font);
  job->format = format;
  job->path = g_variant_dup_string (parameter, NULL);
  g_autoptr (GTask) task = g_task_new (self, NULL, export_done_cb, NULL);
  g_task_set_task_data (task, job, export_job_free);
  g_task_run_in_thread (task, export_thread);
}

gboolean
sluice_canvas_draw_on_paper (SluiceCanvas *self, cairo_t *cr, double width, double height)
{
  SluiceTheme theme = *sluice_theme_get (SLUICE_THEME_LIGHT);
  theme.font = self->font;
  if (self->scene != NULL && cr != NULL)
    sluice_scene_draw_on_paper (self->scene, &theme, cr, width, height);
  return self->scene != NULL;
}

gboolean
sluice_canvas_export (SluiceCanvas *self,
                      SluiceExportFormat format,
                      const char *path,
                      GError **error)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), FALSE);
  sluice_canvas_need_scene (self);
  if (self->scene == NULL)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                   _ ("“%s” was not written: there is no graph to draw"), path);
      return FALSE;
    }
  return sluice_scene_export (self->scene, &self->theme, format, path, error);
}

static void
bind (GtkWidgetClass *klass, guint key, GdkModifierType modifiers, const char *action)
{
  gtk_widget_class_add_binding_action (klass, key, modifiers, action, NULL);
}

static void
bind_keys (GtkWidgetClass *klass)
{
  bind (klass, GDK_KEY_plus, 0, "canvas.zoom-in");
  bind (klass, GDK_KEY_equal, 0, "canvas.zoom-in");
  bind (klass, GDK_KEY_KP_Add, 0, "canvas.zoom-in");
  bind (klass, GDK_KEY_plus, GDK_CONTROL_MASK, "canvas.zoom-in");
  bind (klass, GDK_KEY_equal, GDK_CONTROL_MASK, "canvas.zoom-in");
  bind (klass, GDK_KEY_minus, 0, "canvas.zoom-out");
  bind (klass, GDK_KEY_KP_Subtract, 0, "canvas.zoom-out");
  bind (klass, GDK_KEY_minus, GDK_CONTROL_MASK, "canvas.zoom-out");
  bind (klass, GDK_KEY_0, 0, "canvas.zoom-100");
  bind (klass, GDK_KEY_0, GDK_CONTROL_MASK, "canvas.zoom-100");
  bind (klass, GDK_KEY_9, 0, "canvas.fit");
  bind (klass, GDK_KEY_9, GDK_CONTROL_MASK, "canvas.fit");
  bind (klass, GDK_KEY_period, 0, "canvas.fit-selection");
  bind (klass, GDK_KEY_c, 0, "canvas.color-next");
  bind (klass, GDK_KEY_Return, 0, "canvas.toggle");
  bind (klass, GDK_KEY_KP_Enter, 0, "canvas.toggle");
  bind (klass, GDK_KEY_space, 0, "canvas.toggle");
  bind (klass, GDK_KEY_Return, GDK_SHIFT_MASK, "canvas.open-all");
  bind (klass, GDK_KEY_Left, GDK_SHIFT_MASK, "canvas.move-left");
  bind (klass, GDK_KEY_Right, GDK_SHIFT_MASK, "canvas.move-right");
  bind (klass, GDK_KEY_Up, GDK_SHIFT_MASK, "canvas.move-up");
  bind (klass, GDK_KEY_Down, GDK_SHIFT_MASK, "canvas.move-down");
  bind (klass, GDK_KEY_z, GDK_CONTROL_MASK, "canvas.undo");
  bind (klass, GDK_KEY_z, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.redo");
  bind (klass, GDK_KEY_y, GDK_CONTROL_MASK, "canvas.redo");
  bind (klass, GDK_KEY_Menu, 0, "canvas.menu");
  bind (klass, GDK_KEY_F10, GDK_SHIFT_MASK, "canvas.menu");
  bind (klass, GDK_KEY_BackSpace, 0, "canvas.select-parent");
  bind (klass, GDK_KEY_Escape, 0, "canvas.select-none");
  bind (klass, GDK_KEY_Left, 0, "canvas.select-left");
  bind (klass, GDK_KEY_Right, 0, "canvas.select-right");
  bind (klass, GDK_KEY_Up, 0, "canvas.select-up");
  bind (klass, GDK_KEY_Down, 0, "canvas.select-down");
  bind (klass, GDK_KEY_Right, GDK_CONTROL_MASK, "canvas.select-next");
  bind (klass, GDK_KEY_Left, GDK_CONTROL_MASK, "canvas.select-previous");
  bind (klass, GDK_KEY_b, GDK_ALT_MASK, "canvas.add-bend");
  bind (klass, GDK_KEY_n, GDK_ALT_MASK, "canvas.next-bend");
  bind (klass, GDK_KEY_Delete, GDK_ALT_MASK, "canvas.remove-bend");
  bind (klass, GDK_KEY_Down, GDK_CONTROL_MASK, "canvas.next-line");
  bind (klass, GDK_KEY_Up, GDK_CONTROL_MASK, "canvas.previous-line");
}

void
sluice_canvas_install_actions (GtkWidgetClass *klass)
{
  static const struct
  {
    const char *name;
    const char *parameter;
    GtkWidgetActionActivateFunc activate;
  } actions[] = {
    { "canvas.zoom-in", NULL, zoom_action },
    { "canvas.zoom-out", NULL, zoom_action },
    { "canvas.zoom-100", NULL, zoom_100_action },
    { "canvas.color-next", NULL, color_next_action },
    { "canvas.fit", NULL, fit_action },
    { "canvas.fit-selection", NULL, fit_action },
    { "canvas.open", NULL, toggle_action },
    { "canvas.close", NULL, toggle_action },
    { "canvas.toggle", NULL, toggle_action },
    { "canvas.open-all-here", NULL, open_all_action },
    { "canvas.open-all", NULL, open_all_below_action },
    { "canvas.menu", NULL, sluice_canvas_menu_action },
    { "canvas.close-all", NULL, close_all_action },
    { "canvas.select-next", NULL, walk_action },
    { "canvas.select-previous", NULL, walk_action },
    { "canvas.select-left", NULL, walk_action },
    { "canvas.select-right", NULL, walk_action },
    { "canvas.select-up", NULL, walk_action },
    { "canvas.select-down", NULL, walk_action },
    { "canvas.next-line", NULL, sluice_canvas_line_action },
    { "canvas.previous-line", NULL, sluice_canvas_line_action },
    { "canvas.add-bend", NULL, sluice_canvas_edit_bend_action },
    { "canvas.next-bend", NULL, sluice_canvas_edit_bend_action },
    { "canvas.remove-bend", NULL, sluice_canvas_edit_bend_action },
    { "canvas.select-parent", NULL, select_parent_action },
    { "canvas.select-none", NULL, select_parent_action },
    { "canvas.trace-inputs", "u", sluice_canvas_trace_action },
    { "canvas.trace-outputs", "u", sluice_canvas_trace_action },
    { "canvas.trace-none", NULL, sluice_canvas_trace_action },
    { "canvas.set-aside", NULL, place_action },
    { "canvas.bring-back", NULL, place_action },
    { "canvas.reset-positions", NULL, reset_positions_action },
    { "canvas.use-dot", NULL, use_dot_action },
    { "canvas.move-left", NULL, sluice_canvas_move_action },
    { "canvas.move-right", NULL, sluice_canvas_move_action },
    { "canvas.move-up", NULL, sluice_canvas_move_action },
    { "canvas.move-down", NULL, sluice_canvas_move_action },
    { "canvas.undo", NULL, sluice_canvas_history_action },
    { "canvas.redo", NULL, sluice_canvas_history_action },
    { "canvas.export-svg", "s", export_action },
    { "canvas.export-pdf", "s", export_action },
    { "canvas.export-png", "s", export_action },
    { "canvas.export-dot", "s", export_action },
  };
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (klass, actions[i].name, actions[i].parameter,
                                     actions[i].activate);
  gtk_widget_class_install_property_action (klass, "canvas.color-by", "color-by");
  bind_keys (klass);
}
