/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/canvas/first-sight.h"
#include "ui/common/widget.h"

/* Up to here a scene is made at once: faster than a frame. Larger ones are made by a worker. */
#define SMALL_MODEL  300  /* nodes: hierarchy and scene */
#define MEDIUM_MODEL 3000 /* nodes: a new scene of a known hierarchy */
#define SMALL_SCENE  90   /* boxes and glyphs */

#define LEAST_MARGIN 10.0 /* pixels beside a picture that counts as shown whole */

/* A scene under construction. Held by its task and, until it is replaced, by the canvas. */
struct _CanvasJob
{
  gatomicrefcount ref_count;
  gint cancelled; /* atomic: set by the main thread, read by the worker */
  SluiceGraphModel *model;
  SluiceHierarchy *hierarchy; /* made by the job when it starts without one */
  SluiceHierarchy *before;    /* (nullable): it is made after */
  SluiceViewState *state;
  gboolean is_unseen; /* the state is as if nobody had looked at the graph */
  gboolean is_hidden; /* nobody sees the canvas: the hierarchy will do */
  SluiceFlowDirection flow;
  SluiceScene *scene;
  char *anchor;
  SluicePlacing *placing; /* (nullable) */
  SluiceScene *old;       /* (nullable): which that is meant for */
  GPtrArray *placed;      /* char*, paths of what is new */
};

guint sluice_canvas_signals[CANVAS_N_SIGNALS];

enum
{
  PROP_COLOR_BY = 1,
  N_PROPS,
};
static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (SluiceCanvas, sluice_canvas, GTK_TYPE_WIDGET)

static GType
color_by_get_type (void)
{
  static gsize type;
  static const GEnumValue values[] = {
    { SLUICE_COLOR_BY_STRUCTURE, "SLUICE_COLOR_BY_STRUCTURE", "structure" },
    { SLUICE_COLOR_BY_DEVICE, "SLUICE_COLOR_BY_DEVICE", "device" },
    { SLUICE_COLOR_BY_TIME, "SLUICE_COLOR_BY_TIME", "time" },
    { SLUICE_COLOR_BY_BYTES, "SLUICE_COLOR_BY_BYTES", "bytes" },
    { SLUICE_COLOR_BY_ASKED, "SLUICE_COLOR_BY_ASKED", "asked" },
    { SLUICE_COLOR_BY_DTYPE, "SLUICE_COLOR_BY_DTYPE", "dtype" },
    { SLUICE_COLOR_BY_GRADIENT, "SLUICE_COLOR_BY_GRADIENT", "gradient" },
    { SLUICE_COLOR_BY_HEALTH, "SLUICE_COLOR_BY_HEALTH", "health" },
    { SLUICE_COLOR_BY_PLACED, "SLUICE_COLOR_BY_PLACED", "placed" },
    { SLUICE_COLOR_BY_REASON, "SLUICE_COLOR_BY_REASON", "reason" },
    { SLUICE_COLOR_BY_MARGIN, "SLUICE_COLOR_BY_MARGIN", "margin" },
    { SLUICE_COLOR_BY_CHANGE, "SLUICE_COLOR_BY_CHANGE", "change" },
    { 0, NULL, NULL },
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("SluiceColorBy", values));
  return type;
}

static void
job_unref (gpointer data)
{
  CanvasJob *job = data;
  if (!g_atomic_ref_count_dec (&job->ref_count))
    return;
  g_clear_pointer (&job->hierarchy, sluice_hierarchy_unref);
  g_clear_pointer (&job->before, sluice_hierarchy_unref);
  g_clear_pointer (&job->scene, sluice_scene_unref);
  sluice_graph_model_unref (job->model);
  sluice_view_state_free (job->state);
  g_clear_pointer (&job->old, sluice_scene_unref);
  g_clear_pointer (&job->placing, sluice_placing_free);
  g_clear_pointer (&job->placed, g_ptr_array_unref);
  g_free (job->anchor);
  g_free (job);
}

static void
cancel_job (SluiceCanvas *self)
{
  if (self->job == NULL)
    return;
  sluice_canvas_edit_give_back_placing (self, self->job->placing);
  g_atomic_int_set (&self->job->cancelled, 1);
  g_clear_pointer (&self->job, job_unref);
}

/* The place is one of the old scene, with which the anchor stays where it is. */
static void
place_new (CanvasJob *job)
{
  job->placed = g_ptr_array_new_with_free_func (g_free);
  if (job->old != NULL)
    {
      SluicePoint shift = sluice_scene_get_shift (job->scene, job->old, job->anchor);
      job->placing->at.x += shift.x;
      job->placing->at.y += shift.y;
    }
  if (!sluice_place_new (job->scene, job->placing, job->state, job->placed))
    return;
  sluice_scene_unref (job->scene);
  job->scene = sluice_scene_new (job->hierarchy, job->state, job->flow, &job->cancelled);
}

static void
run_job (CanvasJob *job)
{
  if (job->hierarchy == NULL)
    job->hierarchy = job->before != NULL ? sluice_hierarchy_new_after (job->before, job->model)
                                         : sluice_hierarchy_new (job->model);
  if (job->is_hidden)
    return;
  if (job->is_unseen)
    sluice_open_first_sight (job->hierarchy, job->state, job->flow);
  if (!g_atomic_int_get (&job->cancelled))
    job->scene = sluice_scene_new (job->hierarchy, job->state, job->flow, &job->cancelled);
  if (job->scene != NULL && job->placing != NULL)
    place_new (job);
}

/* The first picture is packed for the widget as it is; later ones as that, or boxes would jump with
 * every change of the window. TRUE: for another size than before. */
static gboolean
pack_for_widget (SluiceCanvas *self)
{
  double x, y, zoom, width, height, last_width = 0, last_height = 0;
  if (self->has_view || !sluice_canvas_get_room (self, &width, &height)
      || sluice_view_state_get_view (self->state, &x, &y, &zoom))
    return FALSE;
  sluice_view_state_get_size (self->state, &last_width, &last_height);
  sluice_view_state_set_size (self->state, width, height);
  return width != last_width || height != last_height;
}

/* What was placed has moves of its own, and is selected. */
static void
take_placed (SluiceCanvas *self, const CanvasJob *job)
{
  if (job->placed == NULL || job->placed->len == 0)
    return;
  for (guint i = 0; i < job->placed->len; i++)
    {
      double x, y;
      if (sluice_view_state_get_move (job->state, job->placed->pdata[i], &x, &y))
        sluice_view_state_set_move (self->state, job->placed->pdata[i], x, y);
    }
  sluice_canvas_select_paths (self, job->placed);
  if (self->has_view && self->lead_item != SLUICE_NONE)
    {
      SluiceRect rect = sluice_scene_get_item (self->scene, self->lead_item)->rect;
      gboolean is_fitted = self->is_fitted; /* that it is shown is nobody's wish to see less */
      sluice_canvas_show_rect (self, &rect);
      self->is_fitted = is_fitted;
    }
  sluice_canvas_layout_changed (self);
}

/* Who saw all of a graph before an edit sees all of it afterwards, from where it was if that will
 * do. */
static void
keep_fitted (SluiceCanvas *self)
{
  if (self->edit == NULL || !self->is_fitted || !self->has_view)
    return;
  SluiceRect all = sluice_canvas_get_bounds (self), visible = sluice_canvas_visible (self);
  all = sluice_rect_grown (&all, LEAST_MARGIN / self->view.zoom);
  if (!sluice_rect_contains (&visible, all.x, all.y)
      || !sluice_rect_contains (&visible, all.x + all.width, all.y + all.height))
    sluice_canvas_fit (self);
}

static void
take_hierarchy (SluiceCanvas *self, SluiceHierarchy *hierarchy)
{
  gboolean is_other = self->hierarchy != hierarchy || self->marks == NULL;
  g_autoptr (SluiceHierarchy) old = g_steal_pointer (&self->hierarchy);
  g_clear_pointer (&self->before, sluice_hierarchy_unref);
  self->hierarchy = sluice_hierarchy_ref (hierarchy);
  if (is_other)
    sluice_canvas_hierarchy_changed (self);
}

/* Puts the job's scene on the screen. */
static void
take_job (SluiceCanvas *self, CanvasJob *job)
{
  if (job->is_hidden)
    {
      take_hierarchy (self, job->hierarchy);
      return;
    }
  g_autoptr (SluiceScene) before = g_steal_pointer (&self->scene);
  sluice_canvas_end_motion (self);
  sluice_canvas_drop_minimap (self);
  self->scene = sluice_scene_ref (job->scene);
  take_hierarchy (self, job->hierarchy);
  if (job->is_unseen && sluice_hierarchy_get_n_groups (self->hierarchy) > 1)
    {
      sluice_view_state_take_open (self->state, job->state);
      self->is_unseen = FALSE;
    }
  self->hover = SLUICE_NONE;
  sluice_canvas_hide_tip (self);
  sluice_canvas_edit_scene_changed (self);
  sluice_canvas_lines_scene_changed (self);
  sluice_canvas_update_flags (self);
  if (before != NULL)
    sluice_canvas_begin_motion (self, before, job->anchor);
  take_placed (self, job);
  keep_fitted (self);
  sluice_canvas_update_message (self);
  if (pack_for_widget (self)) /* which had no size yet when the job began */
    {
      sluice_canvas_rebuild (self, NULL);
      return;
    }
  if (!self->has_view && gtk_widget_get_width (GTK_WIDGET (self)) > 0)
    sluice_canvas_fit (self);
  sluice_canvas_finish_toggle (self);
  sluice_canvas_finish_reveal (self);
  sluice_canvas_queue_proxies (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
job_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  run_job (data);
  g_task_return_boolean (task, TRUE);
}

static void
job_done_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceCanvas *self = SLUICE_CANVAS (object);
  CanvasJob *job = g_task_get_task_data (G_TASK (result));
  if (self->job != job)
    return;                                /* a newer request took over */
  g_clear_pointer (&self->job, job_unref); /* the task has a reference of its own */
  take_job (self, job);
}

/* Boxes and glyphs that will be drawn in @group, which is open; more than @limit are not counted
 * on. */
static guint
count_drawn (SluiceCanvas *self, guint group, guint limit)
{
  const SluiceGroup *g = sluice_hierarchy_get_group (self->hierarchy, group);
  guint n = g->n_children;
  for (guint i = g->first_child; i < g->first_child + g->n_children && n <= limit; i++)
    {
      const SluiceGroup *child = sluice_hierarchy_get_group (self->hierarchy, i);
      if (child->n_children > 0 && sluice_view_state_is_open (self->state, child->path))
        n += count_drawn (self, i, limit - MIN (n, limit));
    }
  return n;
}

/* Lines across borders take a look at every edge of the model, so that a large model is never
 * small. */
static gboolean
is_small (SluiceCanvas *self)
{
  guint n = sluice_graph_model_get_n_nodes (self->model);
  if (self->hierarchy == NULL)
    return n <= SMALL_MODEL;
  return n <= MEDIUM_MODEL && count_drawn (self, 0, SMALL_SCENE) <= SMALL_SCENE;
}

/* The picture is packed for the room that there is once it has settled. */
static gboolean
awaits_room (SluiceCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  return self->scene == NULL && gtk_widget_get_mapped (widget)
         && (gtk_widget_get_width (widget) == 0 || self->room_tick != 0);
}

static void
drop_scene (SluiceCanvas *self)
{
  sluice_canvas_end_motion (self);
  sluice_canvas_drop_minimap (self);
  g_clear_pointer (&self->scene, sluice_scene_unref);
  sluice_canvas_edit_scene_changed (self);
  sluice_canvas_lines_scene_changed (self);
  sluice_canvas_update_flags (self);
  self->hover = SLUICE_NONE;
  sluice_canvas_hide_tip (self);
}

static CanvasJob *
new_job (SluiceCanvas *self, const char *anchor, gboolean is_hidden)
{
  CanvasJob *job = g_new0 (CanvasJob, 1);
  g_atomic_ref_count_init (&job->ref_count);
  job->model = sluice_graph_model_ref (self->model);
  job->hierarchy = self->hierarchy == NULL ? NULL : sluice_hierarchy_ref (self->hierarchy);
  job->before = self->before == NULL ? NULL : sluice_hierarchy_ref (self->before);
  job->state = sluice_view_state_copy (self->state);
  job->is_unseen = self->is_unseen;
  job->is_hidden = is_hidden;
  job->flow = self->flow;
  job->anchor = g_strdup (anchor);
  job->placing = is_hidden ? NULL : sluice_canvas_edit_take_placing (self);
  job->old = job->placing != NULL && self->scene != NULL ? sluice_scene_ref (self->scene) : NULL;
  return job;
}

static void
do_job_now (SluiceCanvas *self, CanvasJob *job)
{
  run_job (job);
  take_job (self, job);
  job_unref (job);
}

/* What nobody sees is not laid out again behind each edit of another page: that would compete with
 * the picture there. The scopes are found, for they are asked for. */
void
sluice_canvas_rebuild (SluiceCanvas *self, const char *anchor)
{
  gboolean is_hidden = !gtk_widget_get_mapped (GTK_WIDGET (self));
  cancel_job (self);
  if (self->model == NULL || awaits_room (self))
    return;
  if (is_hidden)
    drop_scene (self);
  else
    pack_for_widget (self);
  if (is_hidden && self->hierarchy != NULL)
    return;
  CanvasJob *job = new_job (self, anchor, is_hidden);
  /* dot is slow and takes turns: never here. */
  if (is_small (self) && !sluice_view_state_get_use_dot (self->state))
    {
      do_job_now (self, job);
      return;
    }
  self->job = job;
  g_atomic_ref_count_inc (&job->ref_count);
  g_autoptr (GTask) task = g_task_new (self, NULL, job_done_cb, NULL);
  g_task_set_task_data (task, job, job_unref);
  g_task_run_in_thread (task, job_thread);
  sluice_canvas_update_message (self);
}

void
sluice_canvas_need_scene (SluiceCanvas *self)
{
  if (self->scene != NULL || self->model == NULL)
    return;
  cancel_job (self);
  do_job_now (self, new_job (self, NULL, FALSE));
}

static void
sluice_canvas_map (GtkWidget *widget)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  GTK_WIDGET_CLASS (sluice_canvas_parent_class)->map (widget);
  if (self->scene != NULL)
    return;
  self->allocated_width = 0; /* the room is another one, it may be */
  sluice_canvas_rebuild (self, NULL);
}

void
sluice_canvas_layout_changed (SluiceCanvas *self)
{
  g_signal_emit (self, sluice_canvas_signals[CANVAS_LAYOUT_CHANGED], 0);
}

/* The scopes of a model serve for those made after it, also where one of these was never drawn. */
static void
keep_before (SluiceCanvas *self, SluiceGraphModel *next)
{
  if (self->hierarchy != NULL)
    {
      g_clear_pointer (&self->before, sluice_hierarchy_unref);
      self->before = g_steal_pointer (&self->hierarchy);
    }
  if (self->before != NULL
      && (next == NULL
          || sluice_graph_model_get_texts (sluice_hierarchy_get_model (self->before))
                 != sluice_graph_model_get_texts (next)))
    g_clear_pointer (&self->before, sluice_hierarchy_unref);
}

void
sluice_canvas_set_model (SluiceCanvas *self, SluiceGraphModel *model)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  if (self->model == model)
    return;
  cancel_job (self);
  g_autofree char *anchor = g_strdup (sluice_canvas_edit_get_anchor (self));
  sluice_canvas_edit_model_changes (self);
  keep_before (self, model);
  g_clear_pointer (&self->model, sluice_graph_model_unref);
  if (model != NULL)
    {
      self->model = sluice_graph_model_ref (model);
      sluice_canvas_rebuild (self, anchor);
    }
  else
    drop_scene (self);
  sluice_canvas_update_message (self);
  sluice_canvas_queue_proxies (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

SluiceGraphModel *
sluice_canvas_get_model (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), NULL);
  return self->model;
}

SluiceHierarchy *
sluice_canvas_get_hierarchy (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), NULL);
  return self->hierarchy;
}

void
sluice_canvas_set_loading (SluiceCanvas *self, const char *text)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  g_free (self->loading);
  self->loading = g_strdup (text);
  sluice_canvas_update_message (self);
}

void
sluice_canvas_set_failure (SluiceCanvas *self, const char *text)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  g_free (self->failure);
  self->failure = g_strdup (text);
  sluice_canvas_update_message (self);
}

void
sluice_canvas_set_view_state (SluiceCanvas *self, const SluiceViewState *state)
{
  double x, y, zoom;
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  sluice_view_state_free (self->state);
  self->state = state == NULL ? sluice_view_state_new () : sluice_view_state_copy (state);
  self->is_unseen = state == NULL;
  self->has_view = FALSE;
  sluice_canvas_clear_history (self);
  sluice_canvas_forget_opened (self);
  if (sluice_view_state_get_view (self->state, &x, &y, &zoom)
      && gtk_widget_get_width (GTK_WIDGET (self)) > 0)
    sluice_canvas_fit (self);
  sluice_canvas_rebuild (self, NULL);
}

SluiceViewState *
sluice_canvas_dup_view_state (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), NULL);
  SluiceViewState *copy = sluice_view_state_copy (self->state);
  if (self->has_view && self->model != NULL)
    {
      SluiceRect r = sluice_canvas_visible (self);
      SluicePoint centre = sluice_rect_centre (&r);
      sluice_view_state_set_view (copy, centre.x, centre.y, self->view.zoom / self->text_scale);
    }
  return copy;
}

void
sluice_canvas_set_values (SluiceCanvas *self, const SluiceCanvasValue *values, guint n_values)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  gboolean new_text = FALSE;
  for (guint i = 0; i < n_values; i++)
    new_text |= sluice_value_table_set (self->values, &values[i]);
  if (new_text)
    sluice_canvas_queue_proxies (self); /* they say it */
  if (self->color_by == SLUICE_COLOR_BY_TIME)
    sluice_canvas_update_legend (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_clear_values (SluiceCanvas *self)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  sluice_value_table_clear (self->values);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_set_color_by (SluiceCanvas *self, SluiceColorBy color_by)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  if (self->color_by == color_by)
    return;
  self->color_by = color_by;
  sluice_canvas_update_classes (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_COLOR_BY]);
  sluice_canvas_update_legend (self);
  sluice_canvas_refit (self); /* the legend needs room, or no more */
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

SluiceColorBy
sluice_canvas_get_color_by (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), SLUICE_COLOR_BY_STRUCTURE);
  return self->color_by;
}

void
sluice_canvas_set_flow (SluiceCanvas *self, SluiceFlowDirection flow)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  if (self->flow == flow)
    return;
  self->flow = flow;
  self->has_view = FALSE;
  sluice_canvas_rebuild (self, NULL);
}

void
sluice_canvas_set_reduced_motion (SluiceCanvas *self, gboolean reduced)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  self->reduced_motion = reduced;
}

void
sluice_canvas_set_use_dot (SluiceCanvas *self, gboolean use_dot)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  if (sluice_view_state_get_use_dot (self->state) == use_dot)
    return;
  SluiceViewState *before = sluice_canvas_begin_arranging (self);
  sluice_view_state_set_use_dot (self->state, use_dot);
  sluice_canvas_end_arranging (
      self, before, use_dot ? _ ("lay out by Graphviz") : _ ("lay out without Graphviz"));
}

double
sluice_canvas_get_zoom (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), 1);
  return self->view.zoom / self->text_scale;
}

gboolean
sluice_canvas_is_busy (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), FALSE);
  /* A scene is made when there is room for it, or placed, if it was made before. */
  gboolean is_unplaced = self->model != NULL && (!self->has_view || self->scene == NULL)
                         && gtk_widget_get_mapped (GTK_WIDGET (self));
  return is_unplaced || self->job != NULL || self->view_start != 0 || self->shift_from != NULL
         || self->tick != 0;
}

/* What stands beside a canvas goes or comes a frame after that had its first size: the room has
 * settled when it is the same in two. */
static gboolean
room_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  if (width != self->room_width || height != self->room_height)
    {
      self->room_width = width;
      self->room_height = height;
      return G_SOURCE_CONTINUE;
    }
  self->room_tick = 0;
  if (self->scene == NULL && self->job == NULL)
    sluice_canvas_rebuild (self, NULL);
  return G_SOURCE_REMOVE;
}

static void
sluice_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  sluice_canvas_allocate_overlays (self, width, height);
  if (self->allocated_width == 0 && self->room_tick == 0)
    self->room_tick = gtk_widget_add_tick_callback (widget, room_cb, NULL, NULL);
  if (self->scene != NULL && self->job == NULL && pack_for_widget (self))
    sluice_canvas_rebuild (self, NULL);
  else if (!self->has_view && self->scene != NULL && self->job == NULL && width > 0 && height > 0)
    sluice_canvas_fit (self);
  else if (width != self->allocated_width || height != self->allocated_height)
    sluice_canvas_refit (self);
  sluice_canvas_allocate_proxies (self);
  sluice_canvas_edit_allocate (self, width);
  sluice_canvas_allocate_note_edit (self);
  if (self->menu != NULL)
    sluice_popover_follow (GTK_WIDGET (self->menu));
  /* Not at every allocation: proxies that appear ask for one themselves. */
  if (width != self->allocated_width || height != self->allocated_height)
    sluice_canvas_queue_proxies (self);
  self->allocated_width = width;
  self->allocated_height = height;
}

static void
sluice_canvas_measure (GtkWidget *widget,
                       GtkOrientation orientation,
                       int for_size,
                       int *minimum,
                       int *natural,
                       int *minimum_baseline,
                       int *natural_baseline)
{
  *minimum = 120;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 800 : 600;
}

static void
sluice_canvas_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sluice_canvas_parent_class)->css_changed (widget, change);
  sluice_canvas_update_theme (SLUICE_CANVAS (widget));
}

static void
sluice_canvas_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_COLOR_BY)
    g_value_set_enum (value, SLUICE_CANVAS (object)->color_by);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sluice_canvas_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_COLOR_BY)
    sluice_canvas_set_color_by (SLUICE_CANVAS (object), g_value_get_enum (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sluice_canvas_dispose (GObject *object)
{
  SluiceCanvas *self = SLUICE_CANVAS (object);
  cancel_job (self);
  sluice_canvas_end_motion (self);
  if (self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  if (self->room_tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->room_tick);
  self->tick = self->room_tick = 0;
  sluice_canvas_drop_proxies (self);
  sluice_canvas_end_note_edit (self);
  sluice_canvas_edit_free (self);
  g_clear_handle_id (&self->spin_source, g_source_remove);
  g_clear_handle_id (&self->style_source, g_source_remove);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->bar, gtk_widget_unparent);
  g_clear_pointer (&self->legend, gtk_widget_unparent);
  g_clear_handle_id (&self->tip_source, g_source_remove);
  g_clear_pointer (&self->tip, gtk_widget_unparent);
  g_clear_pointer (&self->message, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_canvas_parent_class)->dispose (object);
}

static void
sluice_canvas_finalize (GObject *object)
{
  SluiceCanvas *self = SLUICE_CANVAS (object);
  g_clear_pointer (&self->scene, sluice_scene_unref);
  g_clear_pointer (&self->hierarchy, sluice_hierarchy_unref);
  g_clear_pointer (&self->model, sluice_graph_model_unref);
  sluice_view_state_free (self->state);
  sluice_canvas_free_marks (self);
  sluice_canvas_free_history (self);
  sluice_canvas_forget_opened (self);
  g_array_unref (self->opened);
  sluice_value_table_free (self->values);
  sluice_drawer_free (self->drawer);
  g_hash_table_unref (self->selected);
  g_ptr_array_unref (self->proxies);
  sluice_canvas_drop_minimap (self);
  g_free (self->flags);
  g_free (self->lead);
  g_free (self->notes.selected);
  g_free (self->reveal);
  g_free (self->font);
  g_free (self->loading);
  g_free (self->failure);
  g_free (self->legend_types);
  G_OBJECT_CLASS (sluice_canvas_parent_class)->finalize (object);
}

static guint
add_signal (const char *name, GType argument)
{
  return g_signal_new (name, SLUICE_TYPE_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, argument == G_TYPE_NONE ? 0 : 1, argument);
}

static void
sluice_canvas_class_init (SluiceCanvasClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = sluice_canvas_dispose;
  object_class->finalize = sluice_canvas_finalize;
  object_class->get_property = sluice_canvas_get_property;
  object_class->set_property = sluice_canvas_set_property;
  widget_class->map = sluice_canvas_map;
  widget_class->size_allocate = sluice_canvas_size_allocate;
  widget_class->measure = sluice_canvas_measure;
  widget_class->snapshot = sluice_canvas_snapshot;
  widget_class->css_changed = sluice_canvas_css_changed;

  properties[PROP_COLOR_BY] =
      g_param_spec_enum ("color-by", NULL, NULL, color_by_get_type (), SLUICE_COLOR_BY_STRUCTURE,
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  sluice_canvas_signals[CANVAS_SELECTION_CHANGED] = add_signal ("selection-changed", G_TYPE_STRING);
  sluice_canvas_signals[CANVAS_ACTIVATED] = add_signal ("activated", G_TYPE_STRING);
  sluice_canvas_signals[CANVAS_LAYOUT_CHANGED] = add_signal ("layout-changed", G_TYPE_NONE);
  sluice_canvas_signals[CANVAS_FAILED] = add_signal ("failed", G_TYPE_STRING);

  gtk_widget_class_set_css_name (widget_class, "sluice-canvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TREE);
  sluice_canvas_install_actions (widget_class);
  sluice_canvas_install_arrange_actions (widget_class);
  sluice_canvas_install_note_actions (widget_class);
  sluice_canvas_edit_install_actions (widget_class);
}

static void
sluice_canvas_init (SluiceCanvas *self)
{
  self->state = sluice_view_state_new ();
  self->is_unseen = TRUE;
  self->values = sluice_value_table_new ();
  self->drawer = sluice_drawer_new ();
  self->selected = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->proxies = g_ptr_array_new ();
  self->opened = g_array_new (FALSE, FALSE, sizeof (CanvasOpened));
  sluice_canvas_clear_history (self);
  self->lead_item = self->hover = self->drag_item = self->line.edge = SLUICE_NONE;
  self->view.zoom = self->text_scale = 1;
  self->theme = *sluice_theme_get (SLUICE_THEME_LIGHT);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Graph"),
                                  -1);
  sluice_canvas_add_overlays (self);
  sluice_canvas_add_controllers (self);
  sluice_canvas_edit_init (self);
  sluice_canvas_update_message (self);
}

GtkWidget *
sluice_canvas_new (void)
{
  return g_object_new (SLUICE_TYPE_CANVAS, NULL);
}
