/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/histogram-card.h"

#include "ui/chart/chart.h"
#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define LEAST_WIDTH          240
#define NATURAL_WIDTH        400
#define LEAST_HEIGHT         200
#define NATURAL_HEIGHT       340
#define DESCRIBE_INTERVAL_MS 1000

struct _SluiceHistogramCard
{
  GtkWidget parent_instance;
  SluiceHistogramChart *chart;
  GdkTexture *texture;
  GtkWidget *menu;
  double text_scale; /* of the last drawing */
  guint describe_id;
};

G_DEFINE_FINAL_TYPE (SluiceHistogramCard, sluice_histogram_card, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_TITLE,
  PROP_MODE,
  PROP_MODE_NAME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static const char *const mode_names[] = {
  [SLUICE_HISTOGRAM_RIDGE] = "ridge",
  [SLUICE_HISTOGRAM_OVERLAY] = "overlay",
  [SLUICE_HISTOGRAM_HEAT] = "heat",
};

static void
describe (SluiceHistogramCard *self)
{
  g_autofree char *summary = sluice_histogram_chart_dup_summary (self->chart);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  sluice_histogram_chart_get_title (self->chart),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, summary, -1);
}

static gboolean
describe_cb (gpointer data)
{
  SluiceHistogramCard *self = data;

  self->describe_id = 0;
  describe (self);
  return G_SOURCE_REMOVE;
}

void
sluice_histogram_card_refresh (SluiceHistogramCard *self)
{
  g_return_if_fail (SLUICE_IS_HISTOGRAM_CARD (self));

  if (!sluice_histogram_chart_needs_redraw (self->chart))
    return;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (self->describe_id == 0)
    self->describe_id = g_timeout_add (DESCRIBE_INTERVAL_MS, describe_cb, self);
}

static void
export_card (gpointer card, const char *path)
{
  SluiceHistogramCard *self = card;
  GtkWidget *widget = GTK_WIDGET (self);
  g_autoptr (GError) error = NULL;
  SluiceTheme theme;

  sluice_theme_from_widget (&theme, widget);
  if (sluice_histogram_chart_export (
          self->chart, path, MAX (gtk_widget_get_width (widget), NATURAL_WIDTH),
          MAX (gtk_widget_get_height (widget), NATURAL_HEIGHT), 2, &theme, &error))
    g_signal_emit_by_name (self, "exported", path);
  else
    g_signal_emit_by_name (self, "export-failed", error->message);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (widget);

  sluice_card_ask_export (widget, sluice_histogram_chart_get_title (self->chart),
                          name + strlen ("histogram.export-"), export_card);
}

static void
popup_menu (SluiceHistogramCard *self, double x, double y)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) modes = g_menu_new ();
  g_autoptr (GMenu) export = g_menu_new ();

  g_menu_append (modes, _ ("Ridges"), "histogram.mode::ridge");
  g_menu_append (modes, _ ("Overlay"), "histogram.mode::overlay");
  g_menu_append (modes, _ ("Heat"), "histogram.mode::heat");
  g_menu_append (export, _ ("Save as PNG…"), "histogram.export-png");
  g_menu_append (export, _ ("Save as SVG…"), "histogram.export-svg");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (modes));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (export));
  sluice_card_popup_menu (GTK_WIDGET (self), &self->menu, G_MENU_MODEL (menu), x, y);
}

static void
menu_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  popup_menu (SLUICE_HISTOGRAM_CARD (widget), gtk_widget_get_width (widget) / 2.0,
              gtk_widget_get_height (widget) / 2.0);
}

/* Up and Left are older, Down and Right newer: as the ridges stand. */
static void
select_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (widget);
  int n = (int) sluice_histogram_chart_get_n_steps (self->chart);
  int at = sluice_histogram_chart_get_selected (self->chart);

  if (g_str_equal (name, "histogram.select-none"))
    at = -1;
  else if (at < 0)
    at = n - 1;
  else
    at = CLAMP (at + (g_str_equal (name, "histogram.select-newer") ? 1 : -1), 0, n - 1);
  sluice_histogram_chart_select (self->chart, at);
  sluice_histogram_card_refresh (self);
}

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, gpointer data)
{
  SluiceHistogramCard *self = data;

  sluice_histogram_chart_set_cursor (self->chart, x / self->text_scale, y / self->text_scale);
  sluice_histogram_card_refresh (self);
}

static void
leave_cb (GtkEventControllerMotion *controller, gpointer data)
{
  SluiceHistogramCard *self = data;

  sluice_histogram_chart_set_cursor (self->chart, NAN, NAN);
  sluice_histogram_card_refresh (self);
}

static void
pressed_cb (GtkGestureClick *gesture, int n_press, double x, double y, gpointer data)
{
  gtk_widget_grab_focus (GTK_WIDGET (data));
  if (gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture)) == GDK_BUTTON_SECONDARY)
    popup_menu (data, x, y);
}

static void
redraw (SluiceHistogramCard *self, int width, int height)
{
  cairo_surface_t *surface = sluice_widget_new_surface (GTK_WIDGET (self), width, height);
  cairo_t *cr = cairo_create (surface);
  SluiceTheme theme;

  sluice_theme_from_widget (&theme, GTK_WIDGET (self));
  self->text_scale = sluice_widget_get_text_scale (GTK_WIDGET (self));
  cairo_scale (cr, self->text_scale, self->text_scale);
  sluice_histogram_chart_render (self->chart, cr, width / self->text_scale,
                                 height / self->text_scale, &theme,
                                 SLUICE_CHART_FRAME | SLUICE_CHART_TITLE);
  cairo_destroy (cr);
  g_clear_object (&self->texture);
  self->texture = sluice_texture_take_surface (surface);
}

static void
sluice_histogram_card_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  int scale = gtk_widget_get_scale_factor (widget);

  if (width <= 0 || height <= 0)
    return;
  if (self->texture == NULL || sluice_histogram_chart_needs_redraw (self->chart)
      || gdk_texture_get_width (self->texture) != width * scale
      || gdk_texture_get_height (self->texture) != height * scale)
    redraw (self, width, height);
  sluice_snapshot_append_picture (snapshot, widget, self->texture);
  sluice_snapshot_focus_ring (snapshot, widget);
}

static void
sluice_histogram_card_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sluice_histogram_card_parent_class)->css_changed (widget, change);
  g_clear_object (&SLUICE_HISTOGRAM_CARD (widget)->texture);
  gtk_widget_queue_draw (widget);
}

static void
sluice_histogram_card_measure (GtkWidget *widget,
                               GtkOrientation orientation,
                               int for_size,
                               int *minimum,
                               int *natural,
                               int *minimum_baseline,
                               int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? LEAST_WIDTH : LEAST_HEIGHT;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? NATURAL_WIDTH : NATURAL_HEIGHT;
}

static void
sluice_histogram_card_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (widget);

  if (self->menu != NULL)
    gtk_popover_present (GTK_POPOVER (self->menu));
}

static void
sluice_histogram_card_dispose (GObject *object)
{
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (object);

  g_clear_handle_id (&self->describe_id, g_source_remove);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_object (&self->texture);
  G_OBJECT_CLASS (sluice_histogram_card_parent_class)->dispose (object);
}

static void
sluice_histogram_card_finalize (GObject *object)
{
  sluice_histogram_chart_free (SLUICE_HISTOGRAM_CARD (object)->chart);
  G_OBJECT_CLASS (sluice_histogram_card_parent_class)->finalize (object);
}

static void
sluice_histogram_card_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (object);

  switch (id)
    {
    case PROP_TITLE:
      g_value_set_string (value, sluice_histogram_chart_get_title (self->chart));
      break;
    case PROP_MODE:
      g_value_set_int (value, (int) sluice_histogram_chart_get_mode (self->chart));
      break;
    case PROP_MODE_NAME:
      g_value_set_string (value, mode_names[sluice_histogram_chart_get_mode (self->chart)]);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
set_mode_name (SluiceHistogramCard *self, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (mode_names); i++)
    if (g_strcmp0 (name, mode_names[i]) == 0)
      sluice_histogram_card_set_mode (self, (SluiceHistogramMode) i);
}

static void
sluice_histogram_card_set_property (GObject *object,
                                    guint id,
                                    const GValue *value,
                                    GParamSpec *pspec)
{
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (object);

  switch (id)
    {
    case PROP_TITLE:
      sluice_histogram_chart_set_title (
          self->chart, g_value_get_string (value) != NULL ? g_value_get_string (value) : "");
      describe (self);
      sluice_histogram_card_refresh (self);
      g_object_notify_by_pspec (object, pspec);
      break;
    case PROP_MODE:
      sluice_histogram_card_set_mode (self, (SluiceHistogramMode) g_value_get_int (value));
      break;
    case PROP_MODE_NAME:
      set_mode_name (self, g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
install_actions (GtkWidgetClass *klass)
{
  static const struct
  {
    guint key;
    const char *action;
  } keys[] = {
    { GDK_KEY_Up, "histogram.select-older" },    { GDK_KEY_Left, "histogram.select-older" },
    { GDK_KEY_Down, "histogram.select-newer" },  { GDK_KEY_Right, "histogram.select-newer" },
    { GDK_KEY_Escape, "histogram.select-none" }, { GDK_KEY_Menu, "histogram.menu" },
  };

  gtk_widget_class_install_property_action (klass, "histogram.mode", "mode-name");
  gtk_widget_class_install_action (klass, "histogram.export-png", NULL, export_action);
  gtk_widget_class_install_action (klass, "histogram.export-svg", NULL, export_action);
  gtk_widget_class_install_action (klass, "histogram.menu", NULL, menu_action);
  gtk_widget_class_install_action (klass, "histogram.select-older", NULL, select_action);
  gtk_widget_class_install_action (klass, "histogram.select-newer", NULL, select_action);
  gtk_widget_class_install_action (klass, "histogram.select-none", NULL, select_action);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (klass, keys[i].key, 0, keys[i].action, NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_F10, GDK_SHIFT_MASK, "histogram.menu", NULL);
}

static void
sluice_histogram_card_class_init (SluiceHistogramCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = sluice_histogram_card_dispose;
  object_class->finalize = sluice_histogram_card_finalize;
  object_class->get_property = sluice_histogram_card_get_property;
  object_class->set_property = sluice_histogram_card_set_property;
  widget_class->snapshot = sluice_histogram_card_snapshot;
  widget_class->measure = sluice_histogram_card_measure;
  widget_class->size_allocate = sluice_histogram_card_size_allocate;
  widget_class->css_changed = sluice_histogram_card_css_changed;

  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, "", flags);
  properties[PROP_MODE] = g_param_spec_int ("mode", NULL, NULL, SLUICE_HISTOGRAM_RIDGE,
                                            SLUICE_HISTOGRAM_HEAT, SLUICE_HISTOGRAM_RIDGE, flags);
  /* The same by name, which is what the action's target holds. */
  properties[PROP_MODE_NAME] = g_param_spec_string ("mode-name", NULL, NULL, "ridge", flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  sluice_card_install_signals (SLUICE_TYPE_HISTOGRAM_CARD);
  gtk_widget_class_set_css_name (widget_class, "histogramcard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  install_actions (widget_class);
}

static void
sluice_histogram_card_init (SluiceHistogramCard *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  self->chart = sluice_histogram_chart_new ();
  self->text_scale = 1;
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), 0);
  g_signal_connect (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  describe (self);
}

GtkWidget *
sluice_histogram_card_new (const char *title)
{
  return g_object_new (SLUICE_TYPE_HISTOGRAM_CARD, "title", title, NULL);
}

SluiceHistogramChart *
sluice_histogram_card_get_chart (SluiceHistogramCard *self)
{
  g_return_val_if_fail (SLUICE_IS_HISTOGRAM_CARD (self), NULL);

  return self->chart;
}

void
sluice_histogram_card_set_mode (SluiceHistogramCard *self, SluiceHistogramMode mode)
{
  g_return_if_fail (SLUICE_IS_HISTOGRAM_CARD (self));

  if (sluice_histogram_chart_get_mode (self->chart) == mode)
    return;
  sluice_histogram_chart_set_mode (self->chart, mode);
  sluice_histogram_card_refresh (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODE]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODE_NAME]);
}

SluiceHistogramMode
sluice_histogram_card_get_mode (SluiceHistogramCard *self)
{
  g_return_val_if_fail (SLUICE_IS_HISTOGRAM_CARD (self), SLUICE_HISTOGRAM_RIDGE);

  return sluice_histogram_chart_get_mode (self->chart);
}
