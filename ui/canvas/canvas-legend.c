/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-private.h"

#include <glib/gi18n-lib.h>

#include "ui/common/number.h"

#define LEGEND_LINES 12 /* of devices and types; more are counted */
#define SCALE_WIDTH  140
#define SCALE_HEIGHT 8
#define MARK_GAP     12 /* pixels between the words at a scale */

/* What the colours mean: a line a device, type or state; of time and bytes a scale. */

/* By name; what stands nowhere comes last. */
static int
compare_entries (gconstpointer pa, gconstpointer pb, gpointer hierarchy)
{
  guint a = ((const SluiceDeviceOps *) pa)->device, b = ((const SluiceDeviceOps *) pb)->device;
  if (a == SLUICE_NONE || b == SLUICE_NONE)
    return (a == SLUICE_NONE) - (b == SLUICE_NONE);
  return g_strcmp0 (sluice_hierarchy_get_device (hierarchy, a),
                    sluice_hierarchy_get_device (hierarchy, b));
}

static void
append_words (SluiceCanvas *self, const char *markup)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_box_append (GTK_BOX (self->legend), label);
}

/* "● CPU:0 · 291 ops", the dot in the colour. */
static void
append_entry (SluiceCanvas *self, SluiceColor c, const char *name, guint n_ops)
{
  g_autofree char *n = sluice_format_step (n_ops);
  g_autofree char *ops =
      g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s op", "%s ops", n_ops), n);
  g_autofree char *markup = g_markup_printf_escaped (
      "<span foreground=\"#%02x%02x%02x\">●</span> %s · %s", (guint) (c.r * 255 + 0.5),
      (guint) (c.g * 255 + 0.5), (guint) (c.b * 255 + 0.5), name, ops);
  append_words (self, markup);
}

static void
append_rest (SluiceCanvas *self, guint n)
{
  g_autofree char *rest = g_strdup_printf (_ ("and %u more"), n);
  append_words (self, rest);
}

static void
append_devices (SluiceCanvas *self)
{
  g_autoptr (GArray) devices = sluice_hierarchy_dup_device_ops (self->hierarchy, 0);
  g_array_sort_with_data (devices, compare_entries, self->hierarchy);
  guint n = devices->len > LEGEND_LINES ? LEGEND_LINES - 1 : devices->len;
  for (guint i = 0; i < n; i++)
    {
      const SluiceDeviceOps *entry = &g_array_index (devices, SluiceDeviceOps, i);
      gboolean none = entry->device == SLUICE_NONE;
      append_entry (
          self, none ? self->theme.outline : sluice_theme_get_hue (&self->theme, entry->device),
          none ? _ ("no device") : sluice_hierarchy_get_device (self->hierarchy, entry->device),
          entry->n_ops);
    }
  if (n < devices->len)
    append_rest (self, devices->len - n);
}

static void
append_classes (SluiceCanvas *self)
{
  guint n = sluice_color_classes_get_n (self->classes);
  guint n_none = sluice_color_classes_get_n_ops (self->classes, SLUICE_NONE);
  guint n_shown = n > LEGEND_LINES ? LEGEND_LINES - 1 : n;
  for (guint i = 0; i < n_shown; i++)
    append_entry (self, sluice_color_classes_get_color (self->classes, i, &self->theme),
                  sluice_color_classes_get_name (self->classes, i),
                  sluice_color_classes_get_n_ops (self->classes, i));
  if (n_shown < n)
    append_rest (self, n - n_shown);
  if (n_none > 0)
    append_entry (self, self->theme.outline,
                  self->color_by == SLUICE_COLOR_BY_ASKED    ? _ ("asks for none")
                  : self->color_by == SLUICE_COLOR_BY_CHANGE ? _ ("the same")
                  : self->color_by == SLUICE_COLOR_BY_PLACED ? _ ("not decided")
                  : sluice_canvas_is_told (self->color_by)   ? _ ("not in the step")
                                                             : _ ("no value"),
                  n_none);
}

/* ---- a scale ---- */

/* From nothing to the largest box: as boxes are filled, by the root of the share. */
static void
draw_scale (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  SluiceCanvas *self = data;
  for (int x = 0; x < width; x++)
    {
      double t = width > 1 ? x / (double) (width - 1) : 0;
      SluiceColor hue = sluice_color_mix (self->theme.outline, self->theme.heat, t);
      SluiceColor c = sluice_color_mix (self->theme.surface, hue, 0.06 + 0.5 * t);
      cairo_set_source_rgb (cr, c.r, c.g, c.b);
      cairo_rectangle (cr, x, 0, 1, height);
      cairo_fill (cr);
    }
}

static void
append_scale (SluiceCanvas *self, const char *caption, const char *quarter, const char *most)
{
  GtkWidget *area = gtk_drawing_area_new (), *marks = gtk_center_box_new ();
  GtkWidget *left = gtk_label_new ("0"), *middle = gtk_label_new (quarter),
            *right = gtk_label_new (most);
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (area),
                                      (int) (SCALE_WIDTH * self->text_scale));
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area),
                                       (int) (SCALE_HEIGHT * self->text_scale));
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw_scale, self, NULL);
  gtk_widget_set_margin_start (middle, MARK_GAP);
  gtk_widget_set_margin_end (middle, MARK_GAP);
  gtk_center_box_set_start_widget (GTK_CENTER_BOX (marks), left);
  gtk_center_box_set_center_widget (GTK_CENTER_BOX (marks), middle);
  gtk_center_box_set_end_widget (GTK_CENTER_BOX (marks), right);
  append_words (self, caption);
  gtk_box_append (GTK_BOX (self->legend), area);
  gtk_box_append (GTK_BOX (self->legend), marks);
}

/* The middle of the scale is a quarter of its end: colours go by the root. */
static void
append_time (SluiceCanvas *self)
{
  SluiceColorScale scale = sluice_scene_get_color_scale (self->scene, self->values);
  double most = scale.share > 0 ? scale.share : 1;
  g_autofree char *quarter = g_strdup_printf (_ ("%.1f %%"), most * 25),
                  *all = g_strdup_printf (_ ("%.0f %%"), most * 100);
  append_scale (self,
                scale.share > 0 ? _ ("share of the step") : _ ("predicted work, of the largest"),
                quarter, all);
}

static void
append_bytes (SluiceCanvas *self)
{
  SluiceColorScale scale = sluice_scene_get_color_scale (self->scene, self->values);
  g_autofree char *quarter = g_format_size ((guint64) (scale.bytes / 4)),
                  *all = g_format_size ((guint64) scale.bytes);
  append_scale (self, _ ("bytes of the outputs"), quarter, all);
}

/* ---- states ---- */

static void
append_health (SluiceCanvas *self)
{
  guint n[SLUICE_MARK_FAILURE + 1] = { 0 };
  guint n_nodes = sluice_graph_model_get_n_nodes (sluice_hierarchy_get_model (self->hierarchy));
  for (guint i = 0; i < n_nodes; i++)
    n[sluice_marks_get (self->marks, sluice_hierarchy_get_op_group (self->hierarchy, i), NULL)]++;
  const struct
  {
    SluiceMarkKind kind;
    const char *name;
  } rows[] = { { SLUICE_MARK_FAILURE, _ ("failed") },
               { SLUICE_MARK_NAN, _ ("NaN or infinite") },
               { SLUICE_MARK_REFUSAL, _ ("cannot run") },
               { SLUICE_MARK_WARNING, _ ("to be looked at") },
               { SLUICE_MARK_NONE, _ ("nothing to say") } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (n[rows[i].kind] > 0)
      append_entry (self,
                    rows[i].kind == SLUICE_MARK_NONE      ? self->theme.outline
                    : rows[i].kind == SLUICE_MARK_WARNING ? self->theme.heat
                                                          : self->theme.failure,
                    rows[i].name, n[rows[i].kind]);
}

/* What the bar does not show: its menu is closed. */
static void
append_heading (SluiceCanvas *self)
{
  const char *heading = self->color_by == SLUICE_COLOR_BY_ASKED      ? _ ("device asked for")
                        : self->color_by == SLUICE_COLOR_BY_DTYPE    ? _ ("type")
                        : self->color_by == SLUICE_COLOR_BY_GRADIENT ? _ ("gradient of")
                        : self->color_by == SLUICE_COLOR_BY_HEALTH   ? _ ("health")
                        : self->color_by == SLUICE_COLOR_BY_CHANGE   ? _ ("change")
                        : self->color_by == SLUICE_COLOR_BY_PLACED   ? _ ("predicted device")
                        : self->color_by == SLUICE_COLOR_BY_REASON   ? _ ("reason of the place")
                        : self->color_by == SLUICE_COLOR_BY_MARGIN   ? _ ("margin of the place")
                                                                     : NULL;
  if (heading == NULL)
    return;
  g_autofree char *markup = g_markup_printf_escaped ("<b>%s</b>", heading);
  append_words (self, markup);
}

/* Of structure nothing is said: equal boxes have one colour. */
static void
append_colors (SluiceCanvas *self)
{
  append_heading (self);
  if (self->color_by == SLUICE_COLOR_BY_STRUCTURE)
    return;
  if (self->color_by == SLUICE_COLOR_BY_DEVICE)
    append_devices (self);
  else if (self->classes != NULL)
    append_classes (self);
  else if (sluice_canvas_is_told (self->color_by))
    append_words (self, _ ("nothing is predicted yet"));
  else if (self->color_by == SLUICE_COLOR_BY_TIME)
    append_time (self);
  else if (self->color_by == SLUICE_COLOR_BY_BYTES)
    append_bytes (self);
  else if (self->color_by == SLUICE_COLOR_BY_HEALTH)
    append_health (self);
  else
    append_words (self, _ ("a gradient as what it is of"));
}

void
sluice_canvas_update_legend (SluiceCanvas *self)
{
  GtkWidget *child;
  g_autofree char *types = sluice_canvas_edit_dup_legend (self);
  gboolean shown = (self->color_by != SLUICE_COLOR_BY_STRUCTURE || types != NULL)
                   && self->hierarchy != NULL && self->scene != NULL
                   && gtk_widget_get_visible (self->bar);
  /* Not for nothing: it may be asked for while places are given out. */
  if (shown && self->color_by == SLUICE_COLOR_BY_STRUCTURE && gtk_widget_get_visible (self->legend)
      && g_strcmp0 (types, self->legend_types) == 0)
    return;
  g_free (self->legend_types);
  self->legend_types = self->color_by == SLUICE_COLOR_BY_STRUCTURE ? g_strdup (types) : NULL;
  while ((child = gtk_widget_get_first_child (self->legend)) != NULL)
    gtk_box_remove (GTK_BOX (self->legend), child);
  gtk_widget_set_visible (self->legend, shown);
  if (!shown)
    return;
  append_colors (self);
  if (types != NULL)
    append_words (self, types);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

GtkWidget *
sluice_canvas_new_legend (void)
{
  GtkWidget *legend = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  gtk_widget_add_css_class (legend, "canvas-bar");
  gtk_widget_add_css_class (legend, "canvas-legend");
  gtk_widget_set_can_target (legend, FALSE);
  gtk_widget_set_visible (legend, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (legend), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What the colours mean"), -1);
  return legend;
}
