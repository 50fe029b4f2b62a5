/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/sparkline.h"

#include "ui/chart/pen.h"
#include "ui/common/widget.h"

#include <math.h>

#define WIDTH  48
#define HEIGHT 22
#define AIR    2.0
#define STROKE 1.5
#define BAND   0.25 /* opacity */

struct _SluiceSparkline
{
  GtkWidget parent_instance;
  SluiceSparklineLook look; /* its source is owned */
  GdkTexture *texture;
  guint64 drawn_serial;
};

G_DEFINE_FINAL_TYPE (SluiceSparkline, sluice_sparkline, GTK_TYPE_WIDGET)

static void
get_range (const SluiceColumn *columns, guint n, double *min, double *max)
{
  *min = INFINITY;
  *max = -INFINITY;
  for (guint i = 0; i < n; i++)
    if (columns[i].n_finite > 0)
      {
        *min = MIN (*min, columns[i].mean);
        *max = MAX (*max, columns[i].mean);
      }
}

/* What the columns of a series become: places in the widget. */
typedef struct
{
  guint n;
  SluiceColumn *columns;
  double min, max, step; /* step: from one column to the next, in units */
  int height;
} Curve;

static double
get_y (const Curve *curve, double value)
{
  double t = curve->max > curve->min
                 ? CLAMP ((value - curve->min) / (curve->max - curve->min), 0, 1)
                 : 0.5;
  return curve->height - AIR - (curve->height - 2 * AIR) * t;
}

/* FALSE: there is no curve yet. */
static gboolean
read_curve (const SluiceSparklineLook *look, Curve *curve, int width)
{
  SluiceExtent extent;
  SluiceEdges edges;

  sluice_series_source_get_extent (look->source, SLUICE_X_STEP, &extent);
  if (extent.n_points < 2 || !(extent.x0 < extent.x1))
    return FALSE;
  curve->columns = g_new (SluiceColumn, curve->n);
  sluice_series_source_read_columns (look->source, SLUICE_X_STEP, extent.x0, extent.x1, curve->n,
                                     curve->columns, &edges);
  get_range (curve->columns, curve->n, &curve->min, &curve->max);
  double scale = look->has_scale ? MIN (extent.x1 / MAX (look->last, 1), 1) : 1;
  if (look->has_scale)
    {
      curve->min = look->least;
      curve->max = look->greatest;
    }
  curve->step = (width - 2 * AIR) * scale / (curve->n - 1);
  return TRUE;
}

/* The means of the columns: at this size, how the curve goes is all that can be seen. */
static void
draw_curve (const Curve *curve, const SluicePen *pen, gboolean band)
{
  int before = -1;

  for (guint i = 0; i < curve->n; i++)
    {
      const SluiceColumn *to = &curve->columns[i];
      const SluiceColumn *from = before >= 0 ? &curve->columns[before] : NULL;
      double x0 = AIR + curve->step * before, x1 = AIR + curve->step * i;

      if (to->n_finite == 0)
        continue;
      if (from != NULL && band)
        sluice_pen_trapezoid (pen, x0, get_y (curve, from->raw.max), get_y (curve, from->raw.min),
                              x1, get_y (curve, to->raw.max), get_y (curve, to->raw.min));
      else if (from != NULL)
        sluice_pen_segment (pen, x0, get_y (curve, from->mean), x1, get_y (curve, to->mean));
      before = (int) i;
    }
}

GdkTexture *
sluice_sparkline_draw (const SluiceSparklineLook *look, GtkWidget *widget, int width, int height)
{
  cairo_surface_t *surface = sluice_widget_new_surface (widget, width, height);
  g_autoptr (SluiceRaster) raster =
      sluice_raster_new ((guint) cairo_image_surface_get_width (surface),
                         (guint) cairo_image_surface_get_height (surface));
  SluicePen pen = { .raster = raster,
                    .scale = gtk_widget_get_scale_factor (widget),
                    .width = STROKE };
  Curve curve = { .n = (guint) width / 2, .height = height };
  SluiceTheme theme;

  sluice_theme_from_widget (&theme, widget);
  SluiceColor color = sluice_color_readable (look->color, theme.card, 3);
  if (read_curve (look, &curve, width))
    {
      if (look->banded)
        {
          draw_curve (&curve, &pen, TRUE);
          sluice_pen_paint (&pen, (SluiceColor){ color.r, color.g, color.b, BAND }, TRUE);
        }
      draw_curve (&curve, &pen, FALSE);
      sluice_pen_paint (&pen, color, FALSE);
    }
  g_free (curve.columns);
  sluice_raster_to_surface (raster, surface);
  return sluice_texture_take_surface (surface);
}

static void
redraw (SluiceSparkline *self, int width, int height)
{
  g_clear_object (&self->texture);
  self->texture = sluice_sparkline_draw (&self->look, GTK_WIDGET (self), width, height);
  self->drawn_serial = sluice_series_source_get_serial (self->look.source);
}

static void
sluice_sparkline_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceSparkline *self = SLUICE_SPARKLINE (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  int scale = gtk_widget_get_scale_factor (widget);

  if (self->look.source == NULL || width < 8 || height < 8)
    return;
  if (self->texture == NULL || gdk_texture_get_width (self->texture) != width * scale
      || gdk_texture_get_height (self->texture) != height * scale
      || sluice_series_source_get_serial (self->look.source) != self->drawn_serial)
    redraw (self, width, height);
  sluice_snapshot_append_picture (snapshot, widget, self->texture,
                                  &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
}

static void
sluice_sparkline_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sluice_sparkline_parent_class)->css_changed (widget, change);
  g_clear_object (&SLUICE_SPARKLINE (widget)->texture);
  gtk_widget_queue_draw (widget);
}

static void
sluice_sparkline_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : HEIGHT;
}

static void
sluice_sparkline_dispose (GObject *object)
{
  SluiceSparkline *self = SLUICE_SPARKLINE (object);

  g_clear_object (&self->texture);
  g_clear_pointer (&self->look.source, sluice_series_source_unref);
  G_OBJECT_CLASS (sluice_sparkline_parent_class)->dispose (object);
}

static void
sluice_sparkline_class_init (SluiceSparklineClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_sparkline_dispose;
  widget_class->snapshot = sluice_sparkline_snapshot;
  widget_class->measure = sluice_sparkline_measure;
  widget_class->css_changed = sluice_sparkline_css_changed;
  gtk_widget_class_set_css_name (widget_class, "sparkline");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
sluice_sparkline_init (SluiceSparkline *self)
{
}

GtkWidget *
sluice_sparkline_new (void)
{
  return g_object_new (SLUICE_TYPE_SPARKLINE, NULL);
}

void
sluice_sparkline_set_source (SluiceSparkline *self, SluiceSeriesSource *source, SluiceColor color)
{
  g_return_if_fail (SLUICE_IS_SPARKLINE (self));

  if (source != NULL)
    sluice_series_source_ref (source);
  g_clear_pointer (&self->look.source, sluice_series_source_unref);
  self->look.source = source;
  self->look.color = color;
  g_clear_object (&self->texture);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_sparkline_refresh (SluiceSparkline *self)
{
  g_return_if_fail (SLUICE_IS_SPARKLINE (self));

  if (self->look.source != NULL
      && sluice_series_source_get_serial (self->look.source) != self->drawn_serial)
    gtk_widget_queue_draw (GTK_WIDGET (self));
}
