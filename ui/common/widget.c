/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/widget.h"

#include "ui/common/frame-share.h"
#include "ui/common/paint.h"

#include <math.h>

#define SURFACE_KEY "sluice-surface"

/* GTK deprecates style contexts after 4.8; until the floor rises this is the one place that asks.
 */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS

gboolean
sluice_widget_find_color (GtkWidget *widget, const char *name, GdkRGBA *color)
{
  return gtk_style_context_lookup_color (gtk_widget_get_style_context (widget), name, color);
}

void
sluice_widget_get_color (GtkWidget *widget, GdkRGBA *color)
{
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), color);
}

G_GNUC_END_IGNORE_DEPRECATIONS

static gboolean
lookup_color (GtkWidget *widget, const char *name, SluiceColor *color)
{
  GdkRGBA rgba;

  if (!sluice_widget_find_color (widget, name, &rgba))
    return FALSE;
  *color = (SluiceColor){ rgba.red, rgba.green, rgba.blue, rgba.alpha };
  return TRUE;
}

static gboolean
is_dark (GtkWidget *widget)
{
  GdkRGBA text;

  sluice_widget_get_color (widget, &text);
  return 0.299 * text.red + 0.587 * text.green + 0.114 * text.blue > 0.5;
}

static gboolean
is_high_contrast (GtkWidget *widget)
{
  g_autofree char *theme = NULL;
  SluiceColor borders;

  g_object_get (gtk_widget_get_settings (widget), "gtk-theme-name", &theme, NULL);
  if (theme != NULL && g_str_has_prefix (theme, "HighContrast"))
    return TRUE;
  /* libadwaita's borders are translucent, and less so in high contrast. */
  return lookup_color (widget, "borders", &borders) && borders.a > 0.3 && borders.a < 1;
}

void
sluice_theme_from_widget (SluiceTheme *theme, GtkWidget *widget)
{
  gboolean dark = is_dark (widget);
  SluiceColor accent;

  if (is_high_contrast (widget))
    *theme = *sluice_theme_get (dark ? SLUICE_THEME_HIGH_CONTRAST_DARK
                                     : SLUICE_THEME_HIGH_CONTRAST_LIGHT);
  else
    *theme = *sluice_theme_get (dark ? SLUICE_THEME_DARK : SLUICE_THEME_LIGHT);
  if (lookup_color (widget, "accent_color", &accent) && accent.a == 1)
    theme->accent = accent;
  theme->font = pango_font_description_get_family (
      pango_context_get_font_description (gtk_widget_get_pango_context (widget)));
}

double
sluice_widget_get_text_scale (GtkWidget *widget)
{
  int dpi = 0; /* in 1024ths */

  g_object_get (gtk_widget_get_settings (widget), "gtk-xft-dpi", &dpi, NULL);
  return dpi > 0 ? CLAMP (dpi / 1024.0 / 96, 0.5, 3) : 1;
}

gboolean
sluice_widget_is_mirrored (GtkWidget *widget)
{
  return gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
}

void
sluice_widget_get_units (GtkWidget *widget, double *width, double *height)
{
  double scale = sluice_widget_get_text_scale (widget);

  *width = gtk_widget_get_width (widget) / scale;
  *height = gtk_widget_get_height (widget) / scale;
}

void
sluice_widget_to_units (GtkWidget *widget, double x, double y, double *ux, double *uy)
{
  double scale = sluice_widget_get_text_scale (widget);

  *ux = (sluice_widget_is_mirrored (widget) ? gtk_widget_get_width (widget) - x : x) / scale;
  *uy = y / scale;
}

cairo_t *
sluice_snapshot_begin_units (GtkSnapshot *snapshot, GtkWidget *widget, SluiceTheme *theme)
{
  double scale = sluice_widget_get_text_scale (widget);
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                     (float) gtk_widget_get_height (widget)));

  sluice_theme_from_widget (theme, widget);
  cairo_scale (cr, scale, scale);
  return cr;
}

cairo_surface_t *
sluice_widget_new_surface (GtkWidget *widget, int width, int height)
{
  int scale = gtk_widget_get_scale_factor (widget);
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width * scale, height * scale);

  cairo_surface_set_device_scale (surface, scale, scale);
  return surface;
}

static SluiceFrameShare share; /* of all windows, as they share the main loop */

static gboolean
next_frame_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (widget);
  return G_SOURCE_REMOVE;
}

gboolean
sluice_widget_take_share (GtkWidget *widget, gint64 *waits_since)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (widget);

  if (sluice_frame_share_take (&share, gdk_frame_clock_get_frame_counter (clock), waits_since))
    return TRUE;
  gtk_widget_add_tick_callback (widget, next_frame_cb, NULL, NULL);
  return FALSE;
}

void
sluice_widget_spend_share (gint64 since)
{
  sluice_frame_share_spend (&share, g_get_monotonic_time () - since);
}

void
sluice_popover_follow (GtkWidget *popover)
{
  GtkWidget *parent = gtk_widget_get_parent (popover);
  GtkWidget *window = GTK_WIDGET (gtk_widget_get_native (parent));
  graphene_rect_t area;
  graphene_rect_t all;

  if (!gtk_widget_get_visible (popover) || window == NULL)
    return;
  all = GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (window),
                            (float) gtk_widget_get_height (window));
  if (gtk_widget_compute_bounds (parent, window, &area)
      && graphene_rect_intersection (&area, &all, NULL))
    gtk_popover_present (GTK_POPOVER (popover));
  else
    gtk_popover_popdown (GTK_POPOVER (popover));
}

GdkTexture *
sluice_texture_take_surface (cairo_surface_t *surface)
{
  int width = cairo_image_surface_get_width (surface);
  int height = cairo_image_surface_get_height (surface);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  g_autoptr (GBytes) bytes = NULL;

  cairo_surface_flush (surface);
  bytes =
      g_bytes_new_with_free_func (cairo_image_surface_get_data (surface), stride * (gsize) height,
                                  (GDestroyNotify) cairo_surface_destroy, surface);
  GdkTexture *texture = gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
  g_object_set_data (G_OBJECT (texture), SURFACE_KEY, surface); /* as long as the bytes */
  return texture;
}

/* GTK 4.8's Cairo renderer converts every pixel of a texture through floats, each frame, in view or
 * not. */
static gboolean
draws_with_cairo (GtkWidget *widget)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GskRenderer *renderer = native != NULL ? gtk_native_get_renderer (native) : NULL;
  return renderer != NULL && g_str_equal (G_OBJECT_TYPE_NAME (renderer), "GskCairoRenderer");
}

void
sluice_snapshot_append_picture (GtkSnapshot *snapshot,
                                GtkWidget *widget,
                                GdkTexture *texture,
                                const graphene_rect_t *place)
{
  if (!draws_with_cairo (widget))
    {
      gtk_snapshot_append_texture (snapshot, texture, place);
      return;
    }
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, place);
  cairo_set_source_surface (cr, g_object_get_data (G_OBJECT (texture), SURFACE_KEY),
                            place->origin.x, place->origin.y);
  cairo_paint (cr);
  cairo_destroy (cr);
}

void
sluice_snapshot_append_card (GtkSnapshot *snapshot, GtkWidget *widget, const graphene_rect_t *place)
{
  SluiceTheme theme;
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, place);

  sluice_theme_from_widget (&theme, widget);
  cairo_translate (cr, place->origin.x, place->origin.y);
  sluice_cairo_draw_card (cr, place->size.width, place->size.height, &theme);
  cairo_destroy (cr);
}

void
sluice_snapshot_focus_ring (GtkSnapshot *snapshot, GtkWidget *widget)
{
  const float width = 2.5f;
  SluiceTheme theme;
  GskRoundedRect ring;
  GdkRGBA color;

  if (!gtk_widget_has_visible_focus (widget))
    return;
  sluice_theme_from_widget (&theme, widget);
  color = (GdkRGBA){ (float) theme.accent.r, (float) theme.accent.g, (float) theme.accent.b, 1 };
  gsk_rounded_rect_init_from_rect (
      &ring,
      &GRAPHENE_RECT_INIT (0, 0, gtk_widget_get_width (widget), gtk_widget_get_height (widget)),
      12);
  gtk_snapshot_append_border (snapshot, &ring, (float[4]){ width, width, width, width },
                              (GdkRGBA[4]){ color, color, color, color });
}

void
sluice_widget_release_wheel (GtkWidget *range)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (range);

  for (guint i = g_list_model_get_n_items (controllers); i-- > 0;)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        gtk_widget_remove_controller (range, controller);
    }
}

static gboolean
pass_wheel_cb (GtkEventControllerScroll *controller, double dx, double dy, gpointer scrolls)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (scrolls);
  double step = pow (gtk_adjustment_get_page_size (adjustment), 2.0 / 3.0); /* as GTK's windows */

  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + dy * step);
  return GDK_EVENT_STOP;
}

void
sluice_widget_pass_wheel (GtkWidget *widget, GtkScrolledWindow *scrolls)
{
  GtkEventController *wheel =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);

  g_signal_connect (wheel, "scroll", G_CALLBACK (pass_wheel_cb), scrolls);
  gtk_widget_add_controller (widget, wheel);
}

static gboolean
chain_wheel_cb (GtkEventControllerScroll *controller, double dx, double dy, gpointer scrolls)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (scrolls);
  double before = gtk_adjustment_get_value (adjustment);

  pass_wheel_cb (controller, dx, dy, scrolls);
  return gtk_adjustment_get_value (adjustment) != before;
}

void
sluice_widget_chain_wheel (GtkScrolledWindow *scrolls)
{
  GtkEventController *wheel =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);

  sluice_widget_release_wheel (GTK_WIDGET (scrolls));
  g_signal_connect (wheel, "scroll", G_CALLBACK (chain_wheel_cb), scrolls);
  gtk_widget_add_controller (GTK_WIDGET (scrolls), wheel);
}

static void
draw_dot (GtkDrawingArea *dot, cairo_t *cr, int width, int height, gpointer data)
{
  const SluiceColor *color = g_object_get_data (G_OBJECT (dot), "color");

  SluiceTheme theme;

  if (color == NULL)
    return;
  sluice_theme_from_widget (&theme, GTK_WIDGET (dot));
  if (g_object_get_data (G_OBJECT (dot), "square") != NULL)
    sluice_cairo_rounded_rect (cr, &(SluiceRect){ width / 2.0 - 4.5, height / 2.0 - 4.5, 9, 9 }, 2);
  else
    cairo_arc (cr, width / 2.0, height / 2.0, 4, 0, 2 * G_PI);
  sluice_cairo_set_color (cr, sluice_color_readable (*color, theme.card, 3));
  cairo_fill (cr);
}

GtkWidget *
sluice_dot_new (void)
{
  GtkWidget *dot = gtk_drawing_area_new ();

  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (dot), 10);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (dot), 10);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (dot), draw_dot, NULL, NULL);
  gtk_widget_set_valign (dot, GTK_ALIGN_CENTER);
  return dot;
}

void
sluice_dot_set_color (GtkWidget *dot, SluiceColor color)
{
  g_object_set_data_full (G_OBJECT (dot), "color", g_memdup2 (&color, sizeof color), g_free);
  gtk_widget_queue_draw (dot);
}

void
sluice_dot_set_square (GtkWidget *dot, gboolean square)
{
  g_object_set_data (G_OBJECT (dot), "square", GINT_TO_POINTER (square));
  gtk_widget_queue_draw (dot);
}

gboolean
sluice_pointer_has_moved (GtkEventController *controller, double *seen)
{
  GdkEvent *event = gtk_event_controller_get_current_event (controller);
  double x = seen[0];
  double y = seen[1];

  if (event == NULL || !gdk_event_get_position (event, &seen[0], &seen[1]))
    return TRUE;
  return x != seen[0] || y != seen[1];
}

GtkWidget *
sluice_widget_align_title (GtkWidget *title, gboolean is_number)
{
  GtkWidget *box = gtk_widget_get_first_child (title);
  GtkWidget *label = box != NULL ? gtk_widget_get_first_child (box) : NULL;
  if (!GTK_IS_LABEL (label))
    return NULL;
  gtk_label_set_xalign (GTK_LABEL (label), is_number ? 1 : 0);
  gtk_widget_set_hexpand (label, TRUE);
  if (is_number)
    gtk_box_reorder_child_after (GTK_BOX (box), label, gtk_widget_get_last_child (box));
  return label;
}

void
sluice_widget_align_titles (GtkColumnView *view)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (view));
  GtkWidget *first = header != NULL ? gtk_widget_get_first_child (header) : NULL;
  for (GtkWidget *title = first; title != NULL; title = gtk_widget_get_next_sibling (title))
    sluice_widget_align_title (title, title != first);
}
