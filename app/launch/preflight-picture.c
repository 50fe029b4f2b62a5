/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/preflight-picture.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "ui/common/color.h"
#include "ui/common/paint.h"
#include "ui/common/widget.h"

#define BAR_HEIGHT  6
#define BAR_WIDTH   80 /* at least */
#define BINS_HEIGHT 52
#define INPUT_HUE   4 /* of sluice_palette_structure() */
#define LABELS_HUE  2
#define MOST_BINS   256 /* more classes share them */

/* What is drawn, as parts of all. */
typedef struct
{
  double full, mark; /* of a bar; mark: NAN: none */
  SluiceColor color; /* of bins */
  guint n_bins;
  double bins[MOST_BINS];
} Picture;

/* Numbers grow from where reading begins, as those below the picture do. */
static void
mirror (GtkDrawingArea *area, cairo_t *cr, int width)
{
  if (gtk_widget_get_direction (GTK_WIDGET (area)) != GTK_TEXT_DIR_RTL)
    return;
  cairo_translate (cr, width, 0);
  cairo_scale (cr, -1, 1);
}

static void
draw_bar (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  const Picture *picture = data;
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (area));
  mirror (area, cr, width);
  const SluiceRect all = { 0, 0, width, height };
  const SluiceRect full = { 0, 0, fmax (2, width * fmin (picture->full, 1)), height };
  sluice_cairo_set_color (cr, theme.track);
  sluice_cairo_rounded_rect (cr, &all, height / 2.0);
  cairo_fill (cr);
  sluice_cairo_set_color (cr, picture->full > 1 ? theme.failure : theme.accent);
  sluice_cairo_rounded_rect (cr, &full, fmin (height, full.width) / 2);
  cairo_fill (cr);
  if (isnan (picture->mark))
    return;
  sluice_cairo_set_color (cr, theme.text);
  cairo_rectangle (cr, fmin (width - 2, width * picture->mark), 0, 2, height);
  cairo_fill (cr);
}

/* What is there at all can be seen. */
static void
draw_bins (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  const Picture *picture = data;
  double pitch = width / (double) picture->n_bins, gap = pitch > 4 ? 1 : 0;
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (area));
  mirror (area, cr, width);
  sluice_cairo_set_color (cr, sluice_color_readable (picture->color, theme.card, 3));
  for (guint i = 0; i < picture->n_bins; i++)
    {
      double part = picture->bins[i] > 0 ? fmax (1, picture->bins[i] * (height - 1)) : 0;
      cairo_rectangle (cr, i * pitch, height - 1 - part, pitch - gap, part);
    }
  cairo_fill (cr);
  sluice_cairo_set_color (cr, theme.border);
  cairo_rectangle (cr, 0, height - 1, width, 1);
  cairo_fill (cr);
}

static GtkWidget *
new_area (Picture *take_picture, int height, GtkDrawingAreaDrawFunc draw, const char *name)
{
  GtkWidget *area =
      g_object_new (GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area), height);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw, take_picture, g_free);
  gtk_accessible_update_property (GTK_ACCESSIBLE (area), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_widget_add_css_class (area, "launch-picture");
  return area;
}

static GtkWidget *
new_bar (const SluicePreflightItem *item, const SluicePreflight *card)
{
  Picture *picture = g_new0 (Picture, 1);
  picture->full = item->value / item->limit;
  picture->mark = NAN;
  for (guint i = 0; i < card->items->len; i++)
    {
      const SluicePreflightItem *other = card->items->pdata[i];
      if (strcmp (other->what, "plan_bytes") == 0 && g_strcmp0 (other->name, item->name) == 0)
        picture->mark = other->value / item->limit;
    }
  g_autofree char *name = g_strdup_printf (_ ("%.2g %% of what there is"), 100 * picture->full);
  GtkWidget *area = new_area (picture, BAR_HEIGHT, draw_bar, name);
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (area), BAR_WIDTH);
  gtk_widget_set_valign (area, GTK_ALIGN_CENTER);
  return area;
}

/* Heights are parts of the highest. */
static GtkWidget *
new_bins (const gint64 *counts, guint n, SluiceColor color, const char *name)
{
  Picture *picture = g_new0 (Picture, 1);
  picture->color = color;
  double most = 1;
  picture->n_bins = MIN (n, MOST_BINS);
  for (guint i = 0; i < n; i++)
    picture->bins[(gsize) i * picture->n_bins / n] += (double) counts[i];
  for (guint i = 0; i < picture->n_bins; i++)
    most = fmax (most, picture->bins[i]);
  for (guint i = 0; i < picture->n_bins; i++)
    picture->bins[i] /= most;
  return new_area (picture, BINS_HEIGHT, draw_bins, name);
}

GtkWidget *
sluice_preflight_picture_new (const SluicePreflightItem *item, const SluicePreflight *card)
{
  if (isfinite (item->value) && isfinite (item->limit) && item->limit > 0)
    return new_bar (item, card);
  if (item->spread != NULL && item->spread->max > item->spread->min)
    return new_bins (item->spread->bins, SLUICE_PREFLIGHT_BINS,
                     sluice_palette_structure (INPUT_HUE), item->text);
  return item->counts != NULL && item->counts->len > 0
             ? new_bins ((const gint64 *) item->counts->data, item->counts->len,
                         sluice_palette_structure (LABELS_HUE), item->text)
             : NULL;
}
