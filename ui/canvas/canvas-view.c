/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

#include <math.h>
#include <string.h>

#include "ui/common/paint.h"
#include "ui/common/widget.h"

#define OVERLAY_AIR 12.0 /* pixels between a box and what it must not be behind */
#define SMALL_ZOOM  0.5  /* below: a box that is looked for is shown at SHOWN_ZOOM */
#define SHOWN_ZOOM  0.9
#define MOST_MOVING 5000 /* items: more are drawn at their new places at once */

SluicePoint
sluice_canvas_to_scene (SluiceCanvas *self, double x, double y)
{
  return (SluicePoint){ self->view.x + x / self->view.zoom, self->view.y + y / self->view.zoom };
}

SluiceRect
sluice_canvas_visible (SluiceCanvas *self)
{
  return (SluiceRect){ self->view.x, self->view.y,
                       gtk_widget_get_width (GTK_WIDGET (self)) / self->view.zoom,
                       gtk_widget_get_height (GTK_WIDGET (self)) / self->view.zoom };
}

gboolean
sluice_canvas_may_move (SluiceCanvas *self)
{
  gboolean enabled = TRUE;
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &enabled,
                NULL);
  return enabled && !self->reduced_motion && gtk_widget_get_mapped (GTK_WIDGET (self));
}

/* Ease out: fast, then slow. */
static double
eased (gint64 start, gint64 now)
{
  double t = CLAMP ((now - start) / (double) CANVAS_MOTION_US, 0, 1);
  return 1 - (1 - t) * (1 - t) * (1 - t);
}

static void
step_view (SluiceCanvas *self, gint64 now)
{
  double t = eased (self->view_start, now);
  const CanvasView *a = &self->view_from, *b = &self->view_to;
  double width = gtk_widget_get_width (GTK_WIDGET (self)),
         height = gtk_widget_get_height (GTK_WIDGET (self));
  /* Zoom by equal factors; the middle of the picture moves in a straight line. */
  double ax = a->x + width / 2 / a->zoom, ay = a->y + height / 2 / a->zoom;
  double bx = b->x + width / 2 / b->zoom, by = b->y + height / 2 / b->zoom;
  self->view.zoom = a->zoom * pow (b->zoom / a->zoom, t);
  self->view.x = ax + (bx - ax) * t - width / 2 / self->view.zoom;
  self->view.y = ay + (by - ay) * t - height / 2 / self->view.zoom;
  if (t < 1)
    return;
  self->view = *b;
  self->view_start = 0;
}

static void
step_items (SluiceCanvas *self, gint64 now)
{
  double left = 1 - eased (self->motion_start, now);
  guint n = sluice_scene_get_n_items (self->scene);
  if (left <= 0)
    {
      sluice_canvas_end_motion (self);
      return;
    }
  for (guint i = 0; i < n; i++)
    {
      self->shift[i].x = self->shift_from[i].x * left;
      self->shift[i].y = self->shift_from[i].y * left;
      self->stretch[i].x = self->stretch_from[i].x * left;
      self->stretch[i].y = self->stretch_from[i].y * left;
    }
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  gint64 now = gdk_frame_clock_get_frame_time (clock);
  /* The first frame of a motion is where it starts, however late it comes. */
  if (self->view_start < 0)
    self->view_start = now;
  if (self->motion_start < 0)
    self->motion_start = now;
  if (self->view_start != 0)
    step_view (self, now);
  if (self->shift_from != NULL)
    step_items (self, now);
  gtk_widget_queue_draw (widget);
  if (self->view_start != 0 || self->shift_from != NULL)
    return G_SOURCE_CONTINUE;
  self->tick = 0;
  sluice_canvas_queue_proxies (self);
  return G_SOURCE_REMOVE;
}

static void
start_ticking (SluiceCanvas *self)
{
  if (self->tick == 0)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), tick_cb, NULL, NULL);
}

static double
clamp_zoom (SluiceCanvas *self, double zoom)
{
  return CLAMP (zoom, CANVAS_MIN_ZOOM * self->text_scale, CANVAS_MAX_ZOOM * self->text_scale);
}

void
sluice_canvas_set_view (SluiceCanvas *self, CanvasView view, gboolean animate)
{
  view.zoom = clamp_zoom (self, view.zoom);
  self->view_start = 0;
  sluice_canvas_hide_tip (self);
  if (animate && self->has_view && sluice_canvas_may_move (self))
    {
      self->view_from = self->view;
      self->view_to = view;
      self->view_start = -1;
      start_ticking (self);
    }
  else
    {
      self->view = view;
      sluice_canvas_queue_proxies (self);
    }
  self->has_view = TRUE;
  self->is_fitted = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

CanvasView
sluice_canvas_target_view (SluiceCanvas *self)
{
  return self->view_start != 0 ? self->view_to : self->view;
}

void
sluice_canvas_zoom_at (SluiceCanvas *self, double factor, double x, double y, gboolean animate)
{
  CanvasView view = sluice_canvas_target_view (self);
  double zoom = clamp_zoom (self, view.zoom * factor);
  view.x += x / view.zoom - x / zoom;
  view.y += y / view.zoom - y / zoom;
  view.zoom = zoom;
  sluice_canvas_set_view (self, view, animate);
}

/* What is kept free of a picture. */
typedef struct
{
  double left, right, foot;
} Insets;

static CanvasView
view_of_rect (SluiceCanvas *self, const SluiceRect *rect, Insets insets)
{
  double left = insets.left, foot = insets.foot;
  double width = gtk_widget_get_width (GTK_WIDGET (self)) - left - insets.right,
         height = gtk_widget_get_height (GTK_WIDGET (self)) - foot;
  double zoom = MIN ((width - 2 * CANVAS_FIT_MARGIN) / MAX (rect->width, 1),
                     (height - 2 * CANVAS_FIT_MARGIN) / MAX (rect->height, 1));
  SluicePoint centre = sluice_rect_centre (rect);
  zoom = CLAMP (zoom, CANVAS_MIN_ZOOM * self->text_scale, self->text_scale);
  return (CanvasView){ centre.x - (left + width / 2) / zoom, centre.y - height / 2 / zoom, zoom };
}

CanvasView
sluice_canvas_view_of_rect (SluiceCanvas *self, const SluiceRect *rect)
{
  return view_of_rect (self, rect, (Insets){ 0 });
}

gboolean
sluice_canvas_get_room (SluiceCanvas *self, double *width, double *height)
{
  *width = (gtk_widget_get_width (GTK_WIDGET (self)) - 2 * CANVAS_FIT_MARGIN) / self->text_scale;
  *height = (gtk_widget_get_height (GTK_WIDGET (self)) - 2 * CANVAS_FIT_MARGIN) / self->text_scale;
  return *width > 0 && *height > 0;
}

/* Empty where the view shows all there is, or is small itself. Above what reaches into its corner.
 */
static SluiceRect
minimap_rect_in (SluiceCanvas *self, const CanvasView *view)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)),
      height = gtk_widget_get_height (GTK_WIDGET (self));
  double scale = self->text_scale;
  if (self->scene == NULL || width < 480 * scale || height < 320 * scale)
    return (SluiceRect){ 0, 0, 0, 0 };
  SluiceRect all = sluice_scene_get_bounds (self->scene);
  if (all.x >= view->x && all.y >= view->y && all.x + all.width <= view->x + width / view->zoom
      && all.y + all.height <= view->y + height / view->zoom)
    return (SluiceRect){ 0, 0, 0, 0 };
  SluiceRect overlays[] = { sluice_canvas_bar_rect (self), sluice_canvas_legend_rect (self) };
  double map_width = CANVAS_MINIMAP_WIDTH * scale, map_height = CANVAS_MINIMAP_HEIGHT * scale;
  double foot = height;
  for (guint i = 0; i < G_N_ELEMENTS (overlays); i++)
    if (overlays[i].width > 0 && overlays[i].x < 2 * CANVAS_MINIMAP_MARGIN + map_width)
      foot = MIN (foot, overlays[i].y);
  return (SluiceRect){ CANVAS_MINIMAP_MARGIN, foot - map_height - CANVAS_MINIMAP_MARGIN, map_width,
                       map_height };
}

static gboolean
covers_item (SluiceCanvas *self, const CanvasView *view, const SluiceRect *overlay)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect area = { view->x + (overlay->x - OVERLAY_AIR) / view->zoom,
                      view->y + (overlay->y - OVERLAY_AIR) / view->zoom,
                      (overlay->width + 2 * OVERLAY_AIR) / view->zoom,
                      (overlay->height + 2 * OVERLAY_AIR) / view->zoom };
  if (overlay->width <= 0)
    return FALSE;
  sluice_scene_query (self->scene, &area, items);
  return items->len > 0;
}

/* The minimap, the bar and the legend above it cover nothing of a picture that was asked for whole:
 * it makes room at a side or at the foot, whichever keeps it largest. */
void
sluice_canvas_fit_rect (SluiceCanvas *self, const SluiceRect *rect, gboolean animate)
{
  CanvasView best = view_of_rect (self, rect, (Insets){ 0 });
  SluiceRect minimap = minimap_rect_in (self, &best), bar = sluice_canvas_bar_rect (self),
             legend = sluice_canvas_legend_rect (self);
  double width = gtk_widget_get_width (GTK_WIDGET (self)),
         height = gtk_widget_get_height (GTK_WIDGET (self));
  double left = minimap.width > 0 ? minimap.x + minimap.width : 0,
         right = legend.width > 0 ? width - legend.x : 0,
         foot =
             MAX (minimap.width > 0 ? height - minimap.y - CANVAS_MINIMAP_MARGIN : 0, bar.height),
         all_foot = legend.width > 0 ? height - legend.y : foot;
  const Insets tries[] = { { 0 },
                           { .foot = foot },
                           { .left = left },
                           { .right = right },
                           { .left = left, .right = right },
                           { .right = right, .foot = foot },
                           { .foot = MAX (foot, all_foot) } };
  gboolean any = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (tries); i++)
    {
      CanvasView view = view_of_rect (self, rect, tries[i]);
      if (covers_item (self, &view, &minimap) || covers_item (self, &view, &bar)
          || covers_item (self, &view, &legend) || (any && view.zoom <= best.zoom))
        continue;
      best = view;
      any = TRUE;
    }
  if (!any) /* the foot is what costs least */
    best = view_of_rect (self, rect, (Insets){ .foot = foot });
  sluice_canvas_set_view (self, best, animate);
}

/* What would stand behind the minimap, the bar or the legend, at the foot, is shown above it. */
static void
show_above (CanvasView *view, const SluiceRect *rect, const SluiceRect *overlay)
{
  SluiceRect there = { (rect->x - view->x) * view->zoom, (rect->y - view->y) * view->zoom,
                       rect->width * view->zoom, rect->height * view->zoom };
  double too_low = there.y + there.height + OVERLAY_AIR - overlay->y;
  if (overlay->width > 0 && sluice_rect_touches (&there, overlay) && there.y > too_low)
    view->y += too_low / view->zoom;
}

/* Pans as little as it takes; zooms in when the box would be too small to read. */
void
sluice_canvas_show_rect (SluiceCanvas *self, const SluiceRect *rect)
{
  CanvasView view = sluice_canvas_target_view (self);
  double width = gtk_widget_get_width (GTK_WIDGET (self)),
         height = gtk_widget_get_height (GTK_WIDGET (self));
  double margin = 48;
  if (width <= 0 || height <= 0)
    return;
  SluiceRect shown = { view.x, view.y, width / view.zoom, height / view.zoom };
  if (self->edit != NULL && self->is_fitted && sluice_rect_contains (&shown, rect->x, rect->y)
      && sluice_rect_contains (&shown, rect->x + rect->width, rect->y + rect->height))
    return; /* which stays so while the graph grows */
  if (view.zoom < SMALL_ZOOM * self->text_scale)
    {
      SluicePoint centre = sluice_rect_centre (rect);
      double zoom = SHOWN_ZOOM * self->text_scale;
      view = (CanvasView){ centre.x - width / 2 / zoom, centre.y - height / 2 / zoom, zoom };
    }
  double w = width / view.zoom, h = height / view.zoom, m = margin / view.zoom;
  view.x = CLAMP (view.x, MIN (rect->x + rect->width + m - w, rect->x - m), rect->x - m);
  view.y = CLAMP (view.y, MIN (rect->y + rect->height + m - h, rect->y - m), rect->y - m);
  SluiceRect minimap = minimap_rect_in (self, &view), bar = sluice_canvas_bar_rect (self),
             legend = sluice_canvas_legend_rect (self);
  show_above (&view, rect, &minimap);
  show_above (&view, rect, &bar);
  show_above (&view, rect, &legend);
  CanvasView now = sluice_canvas_target_view (self);
  if (view.x == now.x && view.y == now.y && view.zoom == now.zoom)
    return; /* a picture that was shown whole still is */
  sluice_canvas_set_view (self, view, TRUE);
}

void
sluice_canvas_fit (SluiceCanvas *self)
{
  double x, y, zoom;
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  if (self->scene == NULL)
    return;
  double width = gtk_widget_get_width (GTK_WIDGET (self)),
         height = gtk_widget_get_height (GTK_WIDGET (self));
  if (!self->has_view && sluice_view_state_get_view (self->state, &x, &y, &zoom))
    {
      zoom = clamp_zoom (self, zoom * self->text_scale);
      sluice_canvas_set_view (
          self, (CanvasView){ x - width / 2 / zoom, y - height / 2 / zoom, zoom }, FALSE);
      return;
    }
  SluiceRect bounds = sluice_canvas_get_bounds (self);
  sluice_canvas_fit_rect (self, &bounds, TRUE);
  self->is_fitted = TRUE;
}

void
sluice_canvas_refit (SluiceCanvas *self)
{
  if (!self->is_fitted || self->scene == NULL)
    return;
  SluiceRect bounds = sluice_scene_get_bounds (self->scene);
  sluice_canvas_fit_rect (self, &bounds, FALSE);
  self->is_fitted = TRUE;
}

void
sluice_canvas_end_motion (SluiceCanvas *self)
{
  g_clear_pointer (&self->shift_from, g_free);
  g_clear_pointer (&self->stretch_from, g_free);
  g_clear_pointer (&self->shift, g_free);
  g_clear_pointer (&self->stretch, g_free);
  self->motion_start = 0;
}

/* The item of the old scene that group @path was drawn as itself, or SLUICE_NONE. */
static guint
find_before (SluiceScene *before, const char *path)
{
  SluiceHierarchy *h = sluice_scene_get_hierarchy (before);
  guint group = sluice_hierarchy_lookup (h, path);
  if (group == SLUICE_NONE || group == 0)
    return SLUICE_NONE;
  guint item = sluice_scene_find_item (before, group);
  return item != SLUICE_NONE && sluice_scene_get_item (before, item)->node == group ? item
                                                                                    : SLUICE_NONE;
}

/* Where item @i of the new scene was before: at its own place, or folded into the box that held it.
 */
static SluiceRect
rect_before (SluiceCanvas *self, SluiceScene *before, guint i, const SluiceRect *starts)
{
  const SluiceSceneItem *item = sluice_scene_get_item (self->scene, i);
  guint old = item->node == SLUICE_NONE ? SLUICE_NONE
                                        : find_before (before, sluice_canvas_item_path (self, i));
  if (old != SLUICE_NONE)
    return sluice_scene_get_item (before, old)->rect;
  if (item->parent == SLUICE_NONE)
    return item->rect;
  SluiceRect now = sluice_scene_get_item (self->scene, item->parent)->rect,
             was = starts[item->parent];
  double sx = was.width / MAX (now.width, 1), sy = was.height / MAX (now.height, 1);
  return (SluiceRect){ was.x + (item->rect.x - now.x) * sx, was.y + (item->rect.y - now.y) * sy,
                       item->rect.width * sx, item->rect.height * sy };
}

/* Starts the motion from the old scene's places to the new ones. The anchor stays where it is on
 * the screen. */
void
sluice_canvas_begin_motion (SluiceCanvas *self, SluiceScene *before, const char *anchor)
{
  guint n = sluice_scene_get_n_items (self->scene);
  g_autofree SluiceRect *starts = g_new (SluiceRect, n + 1);
  SluicePoint moved = { 0, 0 };
  guint old = anchor == NULL ? SLUICE_NONE : find_before (before, anchor);
  guint group = anchor == NULL ? SLUICE_NONE : sluice_hierarchy_lookup (self->hierarchy, anchor);

  if (old != SLUICE_NONE && group != SLUICE_NONE)
    {
      SluicePoint a = sluice_rect_centre (&sluice_scene_get_item (before, old)->rect);
      SluicePoint b = sluice_rect_centre (
          &sluice_scene_get_item (self->scene, sluice_scene_find_item (self->scene, group))->rect);
      moved = (SluicePoint){ b.x - a.x, b.y - a.y };
      self->view.x += moved.x;
      self->view.y += moved.y;
      self->view_to.x += moved.x;
      self->view_to.y += moved.y;
      self->view_from.x += moved.x;
      self->view_from.y += moved.y;
    }
  if (!sluice_canvas_may_move (self) || n > MOST_MOVING)
    return;
  self->shift_from = g_new (SluicePoint, n + 1);
  self->stretch_from = g_new (SluicePoint, n + 1);
  self->shift = g_new (SluicePoint, n + 1);
  self->stretch = g_new (SluicePoint, n + 1);
  /* Frames come before what is in them. */
  for (guint i = 0; i < n; i++)
    {
      const SluiceRect *now = &sluice_scene_get_item (self->scene, i)->rect;
      SluiceRect was = starts[i] = rect_before (self, before, i, starts);
      self->shift_from[i] = (SluicePoint){ was.x - now->x + moved.x, was.y - now->y + moved.y };
      self->stretch_from[i] = (SluicePoint){ was.width - now->width, was.height - now->height };
      self->shift[i] = self->shift_from[i];
      self->stretch[i] = self->stretch_from[i];
    }
  self->motion_start = -1;
  start_ticking (self);
}

SluiceRect
sluice_canvas_minimap_rect (SluiceCanvas *self)
{
  return minimap_rect_in (self, &self->view);
}

/* Not while styles are being applied, which is when a theme or the text's scale changes. */
static gboolean
style_changed_cb (gpointer data)
{
  SluiceCanvas *self = data;
  double scale = sluice_widget_get_text_scale (GTK_WIDGET (self)),
         width = gtk_widget_get_width (GTK_WIDGET (self)),
         height = gtk_widget_get_height (GTK_WIDGET (self));
  self->style_source = 0;
  if (scale != self->text_scale)
    {
      CanvasView view = sluice_canvas_target_view (self);
      SluicePoint middle = { view.x + width / 2 / view.zoom, view.y + height / 2 / view.zoom };
      gboolean is_fitted = self->is_fitted;
      view.zoom *= scale / self->text_scale;
      view.x = middle.x - width / 2 / view.zoom;
      view.y = middle.y - height / 2 / view.zoom;
      self->text_scale = scale;
      sluice_canvas_set_view (self, view, FALSE);
      if (is_fitted || self->scene == NULL) /* packed and fitted anew */
        {
          self->has_view = FALSE;
          sluice_canvas_rebuild (self, NULL);
        }
    }
  sluice_canvas_update_legend (self);
  return G_SOURCE_REMOVE;
}

void
sluice_canvas_update_theme (SluiceCanvas *self)
{
  sluice_theme_from_widget (&self->theme, GTK_WIDGET (self));
  const char *family = self->theme.font;
  if (g_strcmp0 (family, self->font) != 0)
    {
      g_free (self->font);
      self->font = g_strdup (family);
      sluice_drawer_free (self->drawer);
      self->drawer = sluice_drawer_new ();
    }
  self->theme.font = self->font;
  sluice_canvas_drop_minimap (self);
  sluice_canvas_edit_theme_changed (self);
  if (self->scene == NULL && self->job == NULL)
    self->text_scale = sluice_widget_get_text_scale (GTK_WIDGET (self));
  if (self->style_source == 0
      && (self->color_by != SLUICE_COLOR_BY_STRUCTURE
          || self->text_scale != sluice_widget_get_text_scale (GTK_WIDGET (self))))
    self->style_source = g_idle_add (style_changed_cb, self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_drop_minimap (SluiceCanvas *self)
{
  g_clear_pointer (&self->minimap, cairo_surface_destroy);
}

/* Tens of thousands of boxes take longer than a frame: they are drawn once a scene. */
static void
draw_minimap (SluiceCanvas *self, cairo_t *cr)
{
  SluiceRect r = sluice_canvas_minimap_rect (self), visible = sluice_canvas_visible (self);
  if (r.width <= 0)
    return;
  if (self->minimap == NULL)
    {
      int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
      self->minimap = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) r.width * scale,
                                                  (int) r.height * scale);
      cairo_surface_set_device_scale (self->minimap, scale, scale);
      cairo_t *picture = cairo_create (self->minimap);
      sluice_draw_minimap (self->scene, picture, &self->theme, r.width, r.height);
      cairo_destroy (picture);
    }
  cairo_save (cr);
  cairo_translate (cr, r.x, r.y);
  cairo_set_source_surface (cr, self->minimap, 0, 0);
  cairo_paint (cr);
  sluice_draw_minimap_view (self->scene, cr, &self->theme, r.width, r.height, &visible);
  cairo_restore (cr);
}

static void
draw_band (SluiceCanvas *self, cairo_t *cr)
{
  if (self->band.width <= 0 || self->band.height <= 0)
    return;
  cairo_rectangle (cr, self->band.x + 0.5, self->band.y + 0.5, self->band.width, self->band.height);
  sluice_cairo_set_color (cr, sluice_color_with_alpha (self->theme.accent, 0.12));
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, self->theme.accent);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
draw_scene (SluiceCanvas *self, cairo_t *cr, int width, int height)
{
  const SluicePoint *ends = sluice_canvas_edit_begin_frame (self);
  SluiceDrawState state = { .theme = &self->theme,
                            .x = self->view.x,
                            .y = self->view.y,
                            .zoom = self->view.zoom / self->text_scale,
                            .text_scale = self->text_scale,
                            .width = width,
                            .height = height,
                            .color_by = self->color_by,
                            .values = self->values,
                            .marks = self->marks,
                            .breaks = self->breaks,
                            .classes = self->classes,
                            .traced = self->traced,
                            .lead = self->lead_item,
                            .selected = self->flags,
                            .hover = self->hover,
                            .shift = self->shift,
                            .stretch = self->stretch,
                            .ends = ends,
                            .draw_under = sluice_canvas_draw_notes,
                            .under_data = self,
                            .is_zooming = self->view_start != 0 };
  sluice_drawer_draw (self->drawer, self->scene, cr, &state);
  sluice_canvas_draw_titles (self, cr);
  sluice_canvas_draw_muted (self, cr);
  sluice_canvas_draw_lines (self, cr);
  sluice_canvas_edit_draw (self, cr);
  draw_band (self, cr);
  draw_minimap (self, cr);
}

/* What GTK gives to draw on writes down what is drawn, and draws it afterwards: with tens of
 * thousands of boxes that takes as long again. */
static void
snapshot_scene (SluiceCanvas *self, GtkSnapshot *snapshot)
{
  GtkWidget *widget = GTK_WIDGET (self);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  cairo_surface_t *surface = sluice_widget_new_surface (widget, width, height);
  cairo_t *cr = cairo_create (surface);
  draw_scene (self, cr, width, height);
  cairo_destroy (cr);
  g_autoptr (GdkTexture) texture = sluice_texture_take_surface (surface);
  sluice_snapshot_append_picture (snapshot, widget, texture,
                                  &GRAPHENE_RECT_INIT (0, 0, width, height));
}

void
sluice_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  if (self->scene != NULL && self->failure == NULL && self->has_view && width > 0 && height > 0)
    snapshot_scene (self, snapshot);
  else
    {
      cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
      sluice_cairo_set_color (cr, self->theme.ground);
      cairo_paint (cr);
      cairo_destroy (cr);
    }
  /* Proxies are not drawn: the picture of an item is the canvas' own. */
  gtk_widget_snapshot_child (widget, self->bar, snapshot);
  gtk_widget_snapshot_child (widget, self->legend, snapshot);
  gtk_widget_snapshot_child (widget, self->message, snapshot);
  gtk_widget_snapshot_child (widget, self->tip, snapshot);
  if (self->notes.entry != NULL)
    gtk_widget_snapshot_child (widget, self->notes.entry, snapshot);
  sluice_canvas_edit_snapshot (self, snapshot);
}
