/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/histogram-card.h"

#include "ui/chart/chart.h"
#include "ui/common/mode-bar.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define LEAST_HEIGHT   200
#define NATURAL_HEIGHT 340
#define NAMES_TOP      47 /* middle of the row of names, in units */
#define SIDE           12

struct _SluiceHistogramCard
{
  SluiceCard parent_instance;
  SluiceHistogramChart *chart;
  GtkWidget *steps; /* how many, with buttons for fewer and more: in the row of names */
  GtkWidget *count;
  guint count_source;
};

G_DEFINE_FINAL_TYPE (SluiceHistogramCard, sluice_histogram_card, SLUICE_TYPE_CARD)

enum
{
  PROP_0,
  PROP_MODE,
  PROP_MODE_NAME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static const SluiceMode modes[] = {
  [SLUICE_HISTOGRAM_RIDGE] = { "ridge", N_ ("ridges") },
  [SLUICE_HISTOGRAM_OVERLAY] = { "overlay", N_ ("overlay") },
  [SLUICE_HISTOGRAM_HEAT] = { "heat", N_ ("heat") },
  [SLUICE_HISTOGRAM_BANDS] = { "bands", N_ ("bands") },
};

static void
title_changed (SluiceCard *card, const char *title)
{
  sluice_histogram_chart_set_title (SLUICE_HISTOGRAM_CARD (card)->chart, title);
}

static char *
dup_summary (SluiceCard *card)
{
  return sluice_histogram_chart_dup_summary (SLUICE_HISTOGRAM_CARD (card)->chart);
}

static gboolean
needs_redraw (SluiceCard *card)
{
  return sluice_histogram_chart_needs_redraw (SLUICE_HISTOGRAM_CARD (card)->chart);
}

/* ---- how many steps ---- */

static gboolean
count_cb (gpointer data)
{
  SluiceHistogramCard *self = data;
  guint n_steps;
  guint n = sluice_histogram_chart_get_n_shown (self->chart, &n_steps);
  SluiceHistogramMode mode = sluice_histogram_chart_get_mode (self->chart);
  gboolean some = mode == SLUICE_HISTOGRAM_RIDGE || mode == SLUICE_HISTOGRAM_OVERLAY;
  g_autofree char *text =
      some ? g_strdup_printf (_ ("%u of %u"), n, n_steps)
           : g_strdup_printf (ngettext ("%u step", "%u steps", n_steps), n_steps);

  self->count_source = 0;
  if (some && n == 0 && n_steps > 0)
    return G_SOURCE_REMOVE; /* another run is in front: it is counted once it is drawn */
  gtk_label_set_label (GTK_LABEL (self->count), text);
  gtk_widget_set_visible (self->steps, n_steps > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "histogram.fewer-steps", some && n > 2);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "histogram.more-steps", some && n < n_steps);
  return G_SOURCE_REMOVE;
}

static void
steps_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  static const guint numbers[] = { 2, 4, 6, 8, 10, 12, 16, 20, 30, 40, 60, 80, 100, 150, 200 };
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (widget);
  guint n_steps;
  guint n = sluice_histogram_chart_get_n_shown (self->chart, &n_steps);
  gboolean more = g_str_equal (name, "histogram.more-steps");
  guint chosen = more ? n_steps : numbers[0];

  /* The next one up or down. */
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (more && numbers[i] > n)
      chosen = MIN (chosen, numbers[i]);
    else if (!more && numbers[i] < n)
      chosen = numbers[i];
  sluice_histogram_chart_set_most_steps (self->chart, chosen);
  sluice_card_refresh (SLUICE_CARD (self));
}

static GtkWidget *
new_step_button (const char *icon, const char *action, const char *name)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_tooltip_text (button, name);
  gtk_widget_add_css_class (button, "flat");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  return button;
}

static void
add_steps (SluiceHistogramCard *self)
{
  self->steps = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  self->count = gtk_label_new (NULL);
  gtk_widget_set_tooltip_text (self->count, _ ("Steps shown"));
  gtk_widget_add_css_class (self->count, "dim-label");
  gtk_widget_add_css_class (self->count, "caption");
  gtk_widget_add_css_class (self->count, "numeric");
  gtk_widget_add_css_class (self->steps, "card-steps");
  gtk_box_append (
      GTK_BOX (self->steps),
      new_step_button ("list-remove-symbolic", "histogram.fewer-steps", _ ("Fewer steps (−)")));
  gtk_box_append (GTK_BOX (self->steps), self->count);
  gtk_box_append (
      GTK_BOX (self->steps),
      new_step_button ("list-add-symbolic", "histogram.more-steps", _ ("More steps (+)")));
  gtk_widget_set_visible (self->steps, FALSE);
  gtk_widget_set_parent (self->steps, GTK_WIDGET (self));
}

/* ---- as a card ---- */

static void
draw (SluiceCard *card, cairo_t *cr, double width, double height, const SluiceTheme *theme)
{
  sluice_histogram_chart_render (SLUICE_HISTOGRAM_CARD (card)->chart, cr, width, height, theme,
                                 SLUICE_CHART_FRAME | SLUICE_CHART_TITLE);
  if (SLUICE_HISTOGRAM_CARD (card)->count_source == 0)
    /* Between two frames, however close they follow each other: a run at full speed leaves the
     * window no idle moment. */
    SLUICE_HISTOGRAM_CARD (card)->count_source =
        g_idle_add_full (G_PRIORITY_HIGH_IDLE, count_cb, card, NULL);
}

static gboolean
write_file (SluiceCard *card,
            const char *path,
            double width,
            double height,
            const SluiceTheme *theme,
            GError **error)
{
  return sluice_histogram_chart_export (SLUICE_HISTOGRAM_CARD (card)->chart, path, width, height, 2,
                                        theme, error);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_card_ask_export (SLUICE_CARD (widget), name + strlen ("histogram.export-"));
}

static void
fill_menu (SluiceCard *card, GMenu *menu)
{
  g_autoptr (GMenu) list = g_menu_new ();
  g_autoptr (GMenu) export = g_menu_new ();

  g_menu_append (list, _ ("Ridges"), "histogram.mode::ridge");
  g_menu_append (list, _ ("Overlay"), "histogram.mode::overlay");
  g_menu_append (list, _ ("Heat"), "histogram.mode::heat");
  g_menu_append (list, _ ("Bands"), "histogram.mode::bands");
  g_menu_append (export, _ ("Save as PNG…"), "histogram.export-png");
  g_menu_append (export, _ ("Save as SVG…"), "histogram.export-svg");
  g_menu_append (export, _ ("Save as PDF…"), "histogram.export-pdf");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (list));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (export));
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
  sluice_card_refresh (SLUICE_CARD (self));
}

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, gpointer data)
{
  SluiceHistogramCard *self = data;
  double scale = sluice_card_get_text_scale (data);

  sluice_histogram_chart_set_cursor (self->chart, x / scale, y / scale);
  sluice_card_refresh (SLUICE_CARD (self));
}

static void
leave_cb (GtkEventControllerMotion *controller, gpointer data)
{
  SluiceHistogramCard *self = data;

  sluice_histogram_chart_set_cursor (self->chart, NAN, NAN);
  sluice_card_refresh (SLUICE_CARD (self));
}

static void
pressed_cb (GtkGestureClick *gesture, int n_press, double x, double y, gpointer data)
{
  gtk_widget_grab_focus (GTK_WIDGET (data));
}

static void
sluice_histogram_card_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (widget);
  double scale = sluice_card_get_text_scale (SLUICE_CARD (self));
  GtkAllocation area = { .y = (int) (NAMES_TOP * scale) };
  int tools;

  GTK_WIDGET_CLASS (sluice_histogram_card_parent_class)
      ->size_allocate (widget, width, height, baseline);
  gtk_widget_measure (self->steps, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &area.width, NULL, NULL);
  gtk_widget_measure (self->steps, GTK_ORIENTATION_VERTICAL, -1, NULL, &area.height, NULL, NULL);
  area.x = width - SIDE - area.width;
  area.y -= area.height / 2;
  gtk_widget_size_allocate (self->steps, &area, -1);
  tools = sluice_card_get_tools_width (SLUICE_CARD (self));
  sluice_histogram_chart_set_room (self->chart, tools / scale, area.width / scale);
}

static void
sluice_histogram_card_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GTK_WIDGET_CLASS (sluice_histogram_card_parent_class)->snapshot (widget, snapshot);
  gtk_widget_snapshot_child (widget, SLUICE_HISTOGRAM_CARD (widget)->steps, snapshot);
}

static void
sluice_histogram_card_dispose (GObject *object)
{
  SluiceHistogramCard *self = SLUICE_HISTOGRAM_CARD (object);

  g_clear_handle_id (&self->count_source, g_source_remove);
  g_clear_pointer (&self->steps, gtk_widget_unparent);
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
    case PROP_MODE:
      g_value_set_int (value, (int) sluice_histogram_chart_get_mode (self->chart));
      break;
    case PROP_MODE_NAME:
      g_value_set_string (value, modes[sluice_histogram_chart_get_mode (self->chart)].name);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
set_mode_name (SluiceHistogramCard *self, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (g_strcmp0 (name, modes[i].name) == 0)
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
    { GDK_KEY_KP_Add, "histogram.more-steps" },  { GDK_KEY_KP_Subtract, "histogram.fewer-steps" },
    { GDK_KEY_equal, "histogram.more-steps" },   { GDK_KEY_plus, "histogram.more-steps" },
    { GDK_KEY_minus, "histogram.fewer-steps" },  { GDK_KEY_Up, "histogram.select-older" },
    { GDK_KEY_Left, "histogram.select-older" },  { GDK_KEY_Down, "histogram.select-newer" },
    { GDK_KEY_Right, "histogram.select-newer" }, { GDK_KEY_Escape, "histogram.select-none" },
  };

  gtk_widget_class_install_property_action (klass, "histogram.mode", "mode-name");
  gtk_widget_class_install_action (klass, "histogram.export-png", NULL, export_action);
  gtk_widget_class_install_action (klass, "histogram.export-svg", NULL, export_action);
  gtk_widget_class_install_action (klass, "histogram.export-pdf", NULL, export_action);
  gtk_widget_class_install_action (klass, "histogram.fewer-steps", NULL, steps_action);
  gtk_widget_class_install_action (klass, "histogram.more-steps", NULL, steps_action);
  gtk_widget_class_install_action (klass, "histogram.select-older", NULL, select_action);
  gtk_widget_class_install_action (klass, "histogram.select-newer", NULL, select_action);
  gtk_widget_class_install_action (klass, "histogram.select-none", NULL, select_action);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (klass, keys[i].key, 0, keys[i].action, NULL);
}

static void
sluice_histogram_card_class_init (SluiceHistogramCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SluiceCardClass *card_class = SLUICE_CARD_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = sluice_histogram_card_dispose;
  object_class->finalize = sluice_histogram_card_finalize;
  widget_class->size_allocate = sluice_histogram_card_size_allocate;
  widget_class->snapshot = sluice_histogram_card_snapshot;
  object_class->get_property = sluice_histogram_card_get_property;
  object_class->set_property = sluice_histogram_card_set_property;
  card_class->least_height = LEAST_HEIGHT;
  card_class->natural_height = NATURAL_HEIGHT;
  card_class->title_changed = title_changed;
  card_class->dup_summary = dup_summary;
  card_class->needs_redraw = needs_redraw;
  card_class->draw = draw;
  card_class->fill_menu = fill_menu;
  card_class->write = write_file;

  properties[PROP_MODE] = g_param_spec_int ("mode", NULL, NULL, SLUICE_HISTOGRAM_RIDGE,
                                            SLUICE_HISTOGRAM_BANDS, SLUICE_HISTOGRAM_RIDGE, flags);
  /* The same by name, which is what the action's target holds. */
  properties[PROP_MODE_NAME] = g_param_spec_string ("mode-name", NULL, NULL, "ridge", flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
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
  sluice_card_add_tool (SLUICE_CARD (self),
                        sluice_mode_bar_new ("histogram.mode", modes, G_N_ELEMENTS (modes)));
  add_steps (self);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  sluice_card_describe (SLUICE_CARD (self));
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
  sluice_card_refresh (SLUICE_CARD (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODE]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODE_NAME]);
}

SluiceHistogramMode
sluice_histogram_card_get_mode (SluiceHistogramCard *self)
{
  g_return_val_if_fail (SLUICE_IS_HISTOGRAM_CARD (self), SLUICE_HISTOGRAM_RIDGE);

  return sluice_histogram_chart_get_mode (self->chart);
}
