/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/cell-label.h"

#include "ui/common/widget.h"

#include <string.h>

#define GAP          6    /* pixels before the detail */
#define DETAIL_ALPHA 0.7f /* as .dim-label */
/* Characters around what is written from left to right, whatever stands around it. */
#define ISOLATE     "\xe2\x81\xa6"
#define ISOLATE_END "\xe2\x81\xa9"

struct _SluiceCellLabel
{
  GtkWidget parent_instance;
  PangoLayout *words;
  PangoLayout *detail; /* (nullable) until there was one */
  gboolean at_end;
  PangoEllipsizeMode ellipsize;
};

G_DEFINE_FINAL_TYPE (SluiceCellLabel, sluice_cell_label, GTK_TYPE_WIDGET)

/* Shortened to @room where that is too little. Returns its width. */
static int
fit (PangoLayout *layout, PangoEllipsizeMode ellipsize, int room)
{
  int width;

  pango_layout_set_width (layout, -1);
  pango_layout_get_pixel_size (layout, &width, NULL);
  if (width <= room || ellipsize == PANGO_ELLIPSIZE_NONE)
    return width;
  pango_layout_set_ellipsize (layout, ellipsize);
  pango_layout_set_width (layout, MAX (room, 0) * PANGO_SCALE);
  return room;
}

static void
draw (
    SluiceCellLabel *self, GtkSnapshot *snapshot, PangoLayout *layout, int x, const GdkRGBA *color)
{
  PangoRectangle logical;
  int height = gtk_widget_get_height (GTK_WIDGET (self));

  pango_layout_get_pixel_extents (layout, NULL, &logical);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) (x - logical.x),
                                                          (float) ((height - logical.height) / 2)));
  gtk_snapshot_append_layout (snapshot, layout, color);
  gtk_snapshot_restore (snapshot);
}

static void
sluice_cell_label_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceCellLabel *self = SLUICE_CELL_LABEL (widget);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  gboolean has_detail = self->detail != NULL && *pango_layout_get_text (self->detail) != '\0';
  int room = gtk_widget_get_width (widget), behind = 0;
  GdkRGBA color;

  if (has_detail && self->ellipsize != PANGO_ELLIPSIZE_NONE)
    behind = fit (self->detail, PANGO_ELLIPSIZE_NONE, room) + GAP;
  int width = fit (self->words, self->ellipsize, room - behind);
  if (has_detail && self->ellipsize == PANGO_ELLIPSIZE_NONE)
    behind = fit (self->detail, PANGO_ELLIPSIZE_END, room - width - GAP) + GAP;
  int x = self->at_end ? room - width - behind : 0; /* from where reading begins */
  sluice_widget_get_color (widget, &color);
  draw (self, snapshot, self->words, mirrored ? room - x - width : x, &color);
  if (!has_detail || behind <= GAP)
    return;
  color.alpha *= DETAIL_ALPHA;
  x += width + GAP;
  draw (self, snapshot, self->detail, mirrored ? room - x - (behind - GAP) : x, &color);
}

static void
sluice_cell_label_measure (GtkWidget *widget,
                           GtkOrientation orientation,
                           int for_size,
                           int *minimum,
                           int *natural,
                           int *minimum_baseline,
                           int *natural_baseline)
{
  PangoFontMetrics *metrics;

  *minimum = *natural = 0; /* as wide as its column */
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    return;
  metrics = pango_context_get_metrics (gtk_widget_get_pango_context (widget), NULL, NULL);
  *minimum = *natural = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics));
  pango_font_metrics_unref (metrics);
}

static void
sluice_cell_label_dispose (GObject *object)
{
  SluiceCellLabel *self = SLUICE_CELL_LABEL (object);

  g_clear_object (&self->words);
  g_clear_object (&self->detail);
  G_OBJECT_CLASS (sluice_cell_label_parent_class)->dispose (object);
}

static void
sluice_cell_label_class_init (SluiceCellLabelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_cell_label_dispose;
  widget_class->snapshot = sluice_cell_label_snapshot;
  widget_class->measure = sluice_cell_label_measure;
  gtk_widget_class_set_css_name (widget_class, "celllabel");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
sluice_cell_label_init (SluiceCellLabel *self)
{
}

/* Figures of one width stand below each other. */
static PangoLayout *
create_layout (SluiceCellLabel *self, double size)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), NULL);
  g_autoptr (PangoAttrList) attrs = pango_attr_list_new ();

  pango_attr_list_insert (attrs, pango_attr_font_features_new ("tnum=1"));
  pango_attr_list_insert (attrs, pango_attr_scale_new (size));
  pango_layout_set_attributes (layout, attrs);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  return layout;
}

GtkWidget *
sluice_cell_label_new (gboolean at_end, PangoEllipsizeMode ellipsize)
{
  SluiceCellLabel *self = g_object_new (SLUICE_TYPE_CELL_LABEL, NULL);

  self->at_end = at_end;
  self->ellipsize = ellipsize;
  self->words = create_layout (self, 1);
  return GTK_WIDGET (self);
}

static void
set_text (SluiceCellLabel *self, PangoLayout *layout, const char *text)
{
  if (strcmp (pango_layout_get_text (layout), text) == 0)
    return;
  pango_layout_set_text (layout, text, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_cell_label_set (SluiceCellLabel *self, const char *words, const char *detail)
{
  g_return_if_fail (SLUICE_IS_CELL_LABEL (self));

  /* A number and its unit are read from left to right everywhere. */
  g_autofree char *number = self->at_end ? g_strdup_printf (ISOLATE "%s" ISOLATE_END, words) : NULL;
  if (detail != NULL && self->detail == NULL)
    self->detail = create_layout (self, SLUICE_CELL_DETAIL_SIZE);
  set_text (self, self->words, number != NULL ? number : words);
  if (self->detail != NULL)
    set_text (self, self->detail, detail != NULL ? detail : "");
}
