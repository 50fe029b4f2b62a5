/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-card.h"

#include "ui/chart/chart-pan.h"
#include "ui/chart/chart-table.h"
#include "ui/chart/csv-job.h"
#include "ui/chart/range-popover.h"
#include "ui/common/export.h"
#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define LEAST_HEIGHT   160
#define NATURAL_HEIGHT 300
#define LEAST_DRAG     6.0
#define CURVE_REACH    4.0 /* a pointer so near to the plot is in it */
#define ZOOM_STEP      1.5
#define MARK_ROOM      10 /* below the plot */
/* A frame has 8 ms; what smoothing does not finish in this goes on in the next. */
#define PREPARE_BUDGET_US 2000
/* Each frame so much goes into making exact what was drawn from stretches. */
#define REFINE_BUDGET_US 1000

struct _SluiceChartCard
{
  SluiceCard parent_instance;
  SluiceChart *chart;
  double drag_from;  /* pixel, or NaN */
  double pointer_x;  /* where the wheel zooms */
  double seen[2];    /* where the pointer was last, in the window */
  guint catch_up_id; /* tick callback while smoothing or refining goes on */
  gboolean unfinished;
  SluiceCsvJob *csv; /* a file that is being written */
  GtkWidget *table;  /* (nullable): weak */
  GtkWidget *ranges; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SluiceChartCard, sluice_chart_card, SLUICE_TYPE_CARD)

enum
{
  PROP_0,
  PROP_SMOOTHING,
  PROP_X_AXIS,
  PROP_LOG_Y,
  PROP_IGNORE_OUTLIERS,
  N_PROPS
};

enum
{
  CURSOR_MOVED,
  VALUES_CHANGED,
  VIEW_CHANGED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static void
title_changed (SluiceCard *card, const char *title)
{
  sluice_chart_set_title (SLUICE_CHART_CARD (card)->chart, title);
}

static char *
dup_summary (SluiceCard *card)
{
  return sluice_chart_dup_told (SLUICE_CHART_CARD (card)->chart);
}

static gboolean
needs_redraw (SluiceCard *card)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (card);

  return self->unfinished || sluice_chart_needs_redraw (self->chart);
}

static void
move_cursor (SluiceChartCard *self, double x)
{
  sluice_chart_set_readout_style (self->chart, SLUICE_READOUT_BOX);
  sluice_chart_set_cursor (self->chart, x);
  sluice_card_refresh (SLUICE_CARD (self));
  g_signal_emit (self, signals[CURSOR_MOVED], 0, x);
}

static void
update_actions (SluiceChartCard *self)
{
  double a;
  double b;
  gboolean zoomed = sluice_chart_get_view (self->chart, &a, &b);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chart.zoom-out", zoomed);
  zoomed = sluice_chart_get_y_view (self->chart, &a, &b) || zoomed;
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chart.reset-zoom", zoomed);
}

/* A person has changed it. */
static void
view_changed (SluiceChartCard *self)
{
  double x0;
  double x1;

  update_actions (self);
  sluice_card_refresh (SLUICE_CARD (self));
  if (!sluice_chart_get_view (self->chart, &x0, &x1))
    x0 = x1 = NAN;
  g_signal_emit (self, signals[VIEW_CHANGED], 0, x0, x1);
}

static void
zoom (SluiceChartCard *self, double factor, double x)
{
  sluice_chart_zoom (self->chart, factor, x);
  view_changed (self);
}

/* Zooming by key is about the cursor, or else about the middle. */
static double
zoom_center (SluiceChartCard *self)
{
  double x = sluice_chart_get_cursor (self->chart);
  double x0;
  double x1;

  sluice_chart_get_view (self->chart, &x0, &x1);
  return isnan (x) ? (x0 + x1) / 2 : x;
}

static void
zoom_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (widget);

  zoom (self, g_str_equal (name, "chart.zoom-in") ? ZOOM_STEP : 1 / ZOOM_STEP, zoom_center (self));
}

static void
reset_zoom_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (widget);

  sluice_chart_set_view (self->chart, NAN, NAN);
  sluice_chart_set_y_view (self->chart, NAN, NAN);
  view_changed (self);
}

static void
apply_ranges_cb (GtkWidget *popover, double x0, double x1, double y0, double y1, gpointer data)
{
  SluiceChartCard *self = data;
  double full0;
  double full1;

  sluice_chart_full_x (self->chart, &full0, &full1);
  if (!isnan (x0) || !isnan (x1))
    sluice_chart_set_view (self->chart, isnan (x0) ? full0 : x0, isnan (x1) ? full1 : x1);
  else
    sluice_chart_set_view (self->chart, NAN, NAN);
  sluice_chart_get_y_view (self->chart, &full0, &full1);
  if (!isnan (y0) || !isnan (y1))
    sluice_chart_set_y_view (self->chart, isnan (y0) ? full0 : y0, isnan (y1) ? full1 : y1);
  else
    sluice_chart_set_y_view (self->chart, NAN, NAN);
  view_changed (self);
}

static void
ranges_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (widget);
  double scale = sluice_card_get_text_scale (SLUICE_CARD (self));
  SluiceRect plot = sluice_chart_get_plot (self->chart);

  if (self->ranges == NULL)
    {
      self->ranges = sluice_range_popover_new ();
      gtk_widget_set_parent (self->ranges, widget);
      g_signal_connect (self->ranges, "apply", G_CALLBACK (apply_ranges_cb), self);
    }
  gtk_popover_set_pointing_to (GTK_POPOVER (self->ranges),
                               &(GdkRectangle){ (int) ((plot.x + plot.width / 2) * scale),
                                                (int) ((plot.y + plot.height) * scale), 1, 1 });
  sluice_range_popover_show (SLUICE_RANGE_POPOVER (self->ranges), self->chart);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_card_ask_export (SLUICE_CARD (widget), name + strlen ("chart.export-"));
}

static void
cursor_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (widget);
  double x0;
  double x1;

  sluice_chart_get_view (self->chart, &x0, &x1);
  if (g_str_equal (name, "chart.cursor-left"))
    sluice_chart_move_cursor (self->chart, -1);
  else if (g_str_equal (name, "chart.cursor-right"))
    sluice_chart_move_cursor (self->chart, 1);
  else if (g_str_equal (name, "chart.cursor-first"))
    sluice_chart_set_cursor (self->chart, x0);
  else if (g_str_equal (name, "chart.cursor-last"))
    sluice_chart_set_cursor (self->chart, x1);
  else
    sluice_chart_set_cursor (self->chart, NAN);
  move_cursor (self, sluice_chart_get_cursor (self->chart));
  sluice_card_describe (SLUICE_CARD (self));
}

static void
event_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (widget);

  sluice_chart_move_to_event (self->chart, g_str_equal (name, "chart.next-event") ? 1 : -1);
  move_cursor (self, sluice_chart_get_cursor (self->chart));
  sluice_card_describe (SLUICE_CARD (self));
}

static gboolean
sluice_chart_card_query_tooltip (
    GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (widget);
  double scale = sluice_card_get_text_scale (SLUICE_CARD (self));
  SluiceRect plot = sluice_chart_get_plot (self->chart);
  g_autofree char *words = NULL;

  if (keyboard || y / scale < plot.y || y / scale > plot.y + plot.height + MARK_ROOM)
    return FALSE;
  words = sluice_chart_dup_events_at (self->chart, x / scale);
  gtk_tooltip_set_text (tooltip, words);
  return words != NULL;
}

static void
values_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (widget);

  if (self->table == NULL)
    {
      self->table = sluice_chart_table_new (self);
      g_object_add_weak_pointer (G_OBJECT (self->table), (gpointer *) &self->table);
    }
  gtk_window_present (GTK_WINDOW (self->table));
}

static void
fill_menu (SluiceCard *card, GMenu *menu)
{
  g_autoptr (GMenu) view = g_menu_new ();
  g_autoptr (GMenu) axes = g_menu_new ();
  g_autoptr (GMenu) export = g_menu_new ();

  g_menu_append (view, _ ("Zoom in"), "chart.zoom-in");
  g_menu_append (view, _ ("Zoom out"), "chart.zoom-out");
  g_menu_append (view, _ ("Show everything"), "chart.reset-zoom");
  g_menu_append (view, _ ("Ranges…"), "chart.ranges");
  g_menu_append (view, _ ("Table of values"), "chart.values");
  g_menu_append (axes, _ ("Logarithmic values"), "chart.toggle-log");
  g_menu_append (axes, _ ("Leave out outliers"), "chart.toggle-outliers");
  g_menu_append (export, _ ("Save as PNG…"), "chart.export-png");
  g_menu_append (export, _ ("Save as SVG…"), "chart.export-svg");
  g_menu_append (export, _ ("Save as PDF…"), "chart.export-pdf");
  g_menu_append (export, _ ("Save all points as CSV…"), "chart.export-csv");
  g_menu_append (export, _ ("Save all points as JSON lines…"), "chart.export-jsonl");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (view));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (axes));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (export));
}

static gboolean
in_plot (SluiceChartCard *self, double px, double py)
{
  SluiceRect plot = sluice_chart_get_plot (self->chart);

  plot.x -= CURVE_REACH;
  plot.width += 2 * CURVE_REACH;
  return sluice_rect_contains (&plot, px, py);
}

static void
enter_cb (GtkEventControllerMotion *controller, double x, double y, gpointer data)
{
  sluice_pointer_has_moved (GTK_EVENT_CONTROLLER (controller), SLUICE_CHART_CARD (data)->seen);
}

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, gpointer data)
{
  SluiceChartCard *self = data;

  if (!sluice_pointer_has_moved (GTK_EVENT_CONTROLLER (controller), self->seen))
    return;
  x /= sluice_card_get_text_scale (data);
  y /= sluice_card_get_text_scale (data);
  self->pointer_x = x;
  if (sluice_chart_is_moving (self->chart))
    return;
  if (in_plot (self, x, y))
    move_cursor (self, sluice_chart_x_at (self->chart, x));
  else if (!isnan (sluice_chart_get_cursor (self->chart)))
    move_cursor (self, NAN);
}

static void
leave_cb (GtkEventControllerMotion *controller, gpointer data)
{
  move_cursor (data, NAN);
}

static void
drag_begin_cb (GtkGestureDrag *gesture, double x, double y, gpointer data)
{
  SluiceChartCard *self = data;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  x /= sluice_card_get_text_scale (data);
  y /= sluice_card_get_text_scale (data);
  self->drag_from = in_plot (self, x, y) ? x : NAN;
}

static void
drag_update_cb (GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
  SluiceChartCard *self = data;

  dx /= sluice_card_get_text_scale (data);
  if (isnan (self->drag_from) || fabs (dx) < LEAST_DRAG)
    sluice_chart_set_selection (self->chart, NAN, NAN);
  else
    sluice_chart_set_selection (self->chart, sluice_chart_x_at (self->chart, self->drag_from),
                                sluice_chart_x_at (self->chart, self->drag_from + dx));
  sluice_card_refresh (SLUICE_CARD (self));
}

static void
drag_end_cb (GtkGestureDrag *gesture, double dx, double dy, gpointer data)
{
  SluiceChartCard *self = data;

  dx /= sluice_card_get_text_scale (data);
  sluice_chart_set_selection (self->chart, NAN, NAN);
  if (!isnan (self->drag_from) && fabs (dx) >= LEAST_DRAG)
    {
      double a = sluice_chart_x_at (self->chart, self->drag_from);
      double b = sluice_chart_x_at (self->chart, self->drag_from + dx);

      sluice_chart_set_view (self->chart, MIN (a, b), MAX (a, b));
    }
  self->drag_from = NAN;
  view_changed (self);
}

static void
pressed_cb (GtkGestureClick *gesture, int n_press, double x, double y, gpointer data)
{
  if (n_press == 2)
    gtk_widget_activate_action (GTK_WIDGET (data), "chart.reset-zoom", NULL);
}

/* With Ctrl or Alt: without, the wheel scrolls the page that the card stands on. */
static gboolean
scroll_cb (GtkEventControllerScroll *controller, double dx, double dy, gpointer data)
{
  SluiceChartCard *self = data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));

  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) == 0)
    return GDK_EVENT_PROPAGATE;
  zoom (self, pow (ZOOM_STEP, -dy), sluice_chart_x_at (self->chart, self->pointer_x));
  return GDK_EVENT_STOP;
}

static gboolean
prepare (SluiceCard *card)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (card);

  /* Half-smoothed curves would flash: the last picture stands until the work is done. */
  self->unfinished = !sluice_chart_prepare (self->chart, PREPARE_BUDGET_US);
  return !self->unfinished;
}

static void
draw (SluiceCard *card, cairo_t *cr, double width, double height, const SluiceTheme *theme)
{
  SluiceChart *chart = SLUICE_CHART_CARD (card)->chart;
  int tools = sluice_card_get_tools_width (card);
  double scale = sluice_card_get_text_scale (card);

  if (tools > SLUICE_CARD_BUTTONS_WIDTH * scale) /* what is always seen stands behind the buttons */
    sluice_chart_set_title_room (chart, tools / scale);
  else
    sluice_chart_set_title_room (chart,
                                 sluice_card_shows_buttons (card) ? SLUICE_CARD_BUTTONS_WIDTH : 0);
  sluice_chart_render (chart, cr, width, height, theme, SLUICE_CHART_FRAME | SLUICE_CHART_TITLE);
  g_signal_emit (card, signals[VALUES_CHANGED], 0);
}

static gboolean
write_file (SluiceCard *card,
            const char *path,
            double width,
            double height,
            const SluiceTheme *theme,
            GError **error)
{
  return sluice_chart_export (SLUICE_CHART_CARD (card)->chart, path, width, height, 2, theme,
                              error);
}

/* All points as text take longer than a frame: they are written in parts. */
static void
export_file (SluiceCard *card, const char *path)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (card);
  SluiceExportFormat format;

  if (!sluice_export_format_from_name (path, &format)
      || (format != SLUICE_EXPORT_CSV && format != SLUICE_EXPORT_JSON_LINES))
    {
      SLUICE_CARD_CLASS (sluice_chart_card_parent_class)->export(card, path);
      return;
    }
  g_clear_pointer (&self->csv, sluice_csv_job_free);
  self->csv = sluice_csv_job_new (GTK_WIDGET (self), self->chart, path);
}

static gboolean
catch_up_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SLUICE_CHART_CARD (widget)->catch_up_id = 0;
  gtk_widget_queue_draw (widget);
  return G_SOURCE_REMOVE;
}

static void
catch_up (SluiceChartCard *self)
{
  if (self->catch_up_id == 0)
    self->catch_up_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), catch_up_cb, NULL, NULL);
}

static void
sluice_chart_card_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (widget);

  GTK_WIDGET_CLASS (sluice_chart_card_parent_class)->snapshot (widget, snapshot);
  if (self->unfinished || !sluice_chart_refine (self->chart, REFINE_BUDGET_US)
      || sluice_chart_needs_redraw (self->chart))
    catch_up (self);
}

static void
sluice_chart_card_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (widget);

  GTK_WIDGET_CLASS (sluice_chart_card_parent_class)
      ->size_allocate (widget, width, height, baseline);
  if (self->ranges != NULL)
    sluice_popover_follow (GTK_WIDGET (self->ranges));
}

static void
sluice_chart_card_dispose (GObject *object)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (object);

  g_clear_pointer (&self->csv, sluice_csv_job_free);
  if (self->table != NULL)
    gtk_window_destroy (GTK_WINDOW (self->table));
  g_clear_weak_pointer (&self->table);
  g_clear_pointer (&self->ranges, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_chart_card_parent_class)->dispose (object);
}

static void
sluice_chart_card_finalize (GObject *object)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (object);

  sluice_chart_free (self->chart);
  G_OBJECT_CLASS (sluice_chart_card_parent_class)->finalize (object);
}

static void
sluice_chart_card_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (object);

  switch (id)
    {
    case PROP_SMOOTHING:
      g_value_set_double (value, sluice_chart_card_get_smoothing (self));
      break;
    case PROP_X_AXIS:
      g_value_set_int (value, (int) sluice_chart_card_get_x_axis (self));
      break;
    case PROP_LOG_Y:
      g_value_set_boolean (value, sluice_chart_card_get_log_y (self));
      break;
    case PROP_IGNORE_OUTLIERS:
      g_value_set_boolean (value, sluice_chart_card_get_ignore_outliers (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
sluice_chart_card_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  SluiceChartCard *self = SLUICE_CHART_CARD (object);

  switch (id)
    {
    case PROP_SMOOTHING:
      sluice_chart_card_set_smoothing (self, g_value_get_double (value));
      break;
    case PROP_X_AXIS:
      sluice_chart_card_set_x_axis (self, (SluiceXAxis) g_value_get_int (value));
      break;
    case PROP_LOG_Y:
      sluice_chart_card_set_log_y (self, g_value_get_boolean (value));
      break;
    case PROP_IGNORE_OUTLIERS:
      sluice_chart_card_set_ignore_outliers (self, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  properties[PROP_SMOOTHING] = g_param_spec_double ("smoothing", NULL, NULL, 0, 0.999, 0.6, flags);
  properties[PROP_X_AXIS] =
      g_param_spec_int ("x-axis", NULL, NULL, SLUICE_X_STEP, SLUICE_X_SERIES, SLUICE_X_STEP, flags);
  properties[PROP_LOG_Y] = g_param_spec_boolean ("log-y", NULL, NULL, FALSE, flags);
  properties[PROP_IGNORE_OUTLIERS] =
      g_param_spec_boolean ("ignore-outliers", NULL, NULL, TRUE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
install_actions (GtkWidgetClass *klass)
{
  static const char *const exports[] = { "chart.export-png", "chart.export-svg", "chart.export-pdf",
                                         "chart.export-jsonl", "chart.export-csv" };
  static const char *const cursors[] = { "chart.cursor-left", "chart.cursor-right",
                                         "chart.cursor-first", "chart.cursor-last",
                                         "chart.cursor-hide" };

  gtk_widget_class_install_action (klass, "chart.zoom-in", NULL, zoom_action);
  gtk_widget_class_install_action (klass, "chart.zoom-out", NULL, zoom_action);
  gtk_widget_class_install_action (klass, "chart.reset-zoom", NULL, reset_zoom_action);
  gtk_widget_class_install_action (klass, "chart.ranges", NULL, ranges_action);
  gtk_widget_class_install_action (klass, "chart.values", NULL, values_action);
  gtk_widget_class_install_action (klass, "chart.next-event", NULL, event_action);
  gtk_widget_class_install_action (klass, "chart.previous-event", NULL, event_action);
  gtk_widget_class_install_property_action (klass, "chart.toggle-log", "log-y");
  gtk_widget_class_install_property_action (klass, "chart.toggle-outliers", "ignore-outliers");
  for (guint i = 0; i < G_N_ELEMENTS (exports); i++)
    gtk_widget_class_install_action (klass, exports[i], NULL, export_action);
  for (guint i = 0; i < G_N_ELEMENTS (cursors); i++)
    gtk_widget_class_install_action (klass, cursors[i], NULL, cursor_action);
}

static void
install_keys (GtkWidgetClass *klass)
{
  static const struct
  {
    guint key;
    GdkModifierType modifiers;
    const char *action;
  } keys[] = {
    { GDK_KEY_KP_Add, 0, "chart.zoom-in" },
    { GDK_KEY_equal, 0, "chart.zoom-in" },
    { GDK_KEY_plus, 0, "chart.zoom-in" }, /* menus name the last one */
    { GDK_KEY_KP_Subtract, 0, "chart.zoom-out" },
    { GDK_KEY_minus, 0, "chart.zoom-out" },
    { GDK_KEY_Home, GDK_CONTROL_MASK, "chart.reset-zoom" },
    { GDK_KEY_0, 0, "chart.reset-zoom" },
    { GDK_KEY_l, 0, "chart.toggle-log" },
    { GDK_KEY_Left, 0, "chart.cursor-left" },
    { GDK_KEY_Right, 0, "chart.cursor-right" },
    { GDK_KEY_Home, 0, "chart.cursor-first" },
    { GDK_KEY_End, 0, "chart.cursor-last" },
    { GDK_KEY_Escape, 0, "chart.cursor-hide" },
    { GDK_KEY_o, 0, "chart.toggle-outliers" },
    { GDK_KEY_r, 0, "chart.ranges" },
    { GDK_KEY_t, 0, "chart.values" },
    { GDK_KEY_n, 0, "chart.next-event" },
    { GDK_KEY_N, GDK_SHIFT_MASK, "chart.previous-event" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (klass, keys[i].key, keys[i].modifiers, keys[i].action,
                                         NULL);
}

static void
sluice_chart_card_class_init (SluiceChartCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SluiceCardClass *card_class = SLUICE_CARD_CLASS (klass);

  object_class->dispose = sluice_chart_card_dispose;
  object_class->finalize = sluice_chart_card_finalize;
  object_class->get_property = sluice_chart_card_get_property;
  object_class->set_property = sluice_chart_card_set_property;
  widget_class->snapshot = sluice_chart_card_snapshot;
  widget_class->query_tooltip = sluice_chart_card_query_tooltip;
  widget_class->size_allocate = sluice_chart_card_size_allocate;
  card_class->least_height = LEAST_HEIGHT;
  card_class->natural_height = NATURAL_HEIGHT;
  card_class->title_changed = title_changed;
  card_class->dup_summary = dup_summary;
  card_class->needs_redraw = needs_redraw;
  card_class->prepare = prepare;
  card_class->draw = draw;
  card_class->fill_menu = fill_menu;
  card_class->write = write_file;
  card_class->export = export_file;

  install_properties (object_class);
  signals[CURSOR_MOVED] = g_signal_new ("cursor-moved", SLUICE_TYPE_CHART_CARD, G_SIGNAL_RUN_LAST,
                                        0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
  signals[VALUES_CHANGED] = g_signal_new ("values-changed", SLUICE_TYPE_CHART_CARD,
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[VIEW_CHANGED] =
      g_signal_new ("view-changed", SLUICE_TYPE_CHART_CARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  gtk_widget_class_set_css_name (widget_class, "chartcard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  install_actions (widget_class);
  install_keys (widget_class);
  sluice_chart_pan_install (widget_class);
}

static void
add_gestures (SluiceChartCard *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect (motion, "enter", G_CALLBACK (enter_cb), self);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
}

static void
sluice_chart_card_init (SluiceChartCard *self)
{
  self->chart = sluice_chart_new ();
  self->drag_from = NAN;
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  add_gestures (self);
  sluice_chart_pan_attach (self);
  update_actions (self);
  sluice_card_describe (SLUICE_CARD (self));
}

GtkWidget *
sluice_chart_card_new (const char *title)
{
  return g_object_new (SLUICE_TYPE_CHART_CARD, "title", title, NULL);
}

SluiceChart *
sluice_chart_card_get_chart (SluiceChartCard *self)
{
  g_return_val_if_fail (SLUICE_IS_CHART_CARD (self), NULL);

  return self->chart;
}

static void
changed (SluiceChartCard *self, guint property)
{
  sluice_card_refresh (SLUICE_CARD (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[property]);
}

void
sluice_chart_card_set_smoothing (SluiceChartCard *self, double weight)
{
  double before = sluice_chart_get_smoothing (self->chart);

  sluice_chart_set_smoothing (self->chart, weight);
  if (sluice_chart_get_smoothing (self->chart) != before)
    changed (self, PROP_SMOOTHING);
}

double
sluice_chart_card_get_smoothing (SluiceChartCard *self)
{
  return sluice_chart_get_smoothing (self->chart);
}

void
sluice_chart_card_set_x_axis (SluiceChartCard *self, SluiceXAxis axis)
{
  if (sluice_chart_get_x_axis (self->chart) == axis)
    return;
  sluice_chart_set_x_axis (self->chart, axis);
  update_actions (self);
  changed (self, PROP_X_AXIS);
}

SluiceXAxis
sluice_chart_card_get_x_axis (SluiceChartCard *self)
{
  return sluice_chart_get_x_axis (self->chart);
}

void
sluice_chart_card_set_log_y (SluiceChartCard *self, gboolean log_y)
{
  if (sluice_chart_get_log_y (self->chart) == !!log_y)
    return;
  sluice_chart_set_log_y (self->chart, log_y);
  changed (self, PROP_LOG_Y);
}

gboolean
sluice_chart_card_get_log_y (SluiceChartCard *self)
{
  return sluice_chart_get_log_y (self->chart);
}

void
sluice_chart_card_set_ignore_outliers (SluiceChartCard *self, gboolean ignore)
{
  if (sluice_chart_get_ignore_outliers (self->chart) == !!ignore)
    return;
  sluice_chart_set_ignore_outliers (self->chart, ignore);
  changed (self, PROP_IGNORE_OUTLIERS);
}

gboolean
sluice_chart_card_get_ignore_outliers (SluiceChartCard *self)
{
  return sluice_chart_get_ignore_outliers (self->chart);
}

void
sluice_chart_card_set_cursor (SluiceChartCard *self, double x)
{
  g_return_if_fail (SLUICE_IS_CHART_CARD (self));

  sluice_chart_set_readout_style (self->chart, SLUICE_READOUT_NOTE);
  sluice_chart_set_cursor (self->chart, x);
  sluice_card_refresh (SLUICE_CARD (self));
}

void
sluice_chart_card_set_view (SluiceChartCard *self, double x0, double x1)
{
  g_return_if_fail (SLUICE_IS_CHART_CARD (self));

  sluice_chart_set_view (self->chart, x0, x1);
  update_actions (self);
  sluice_card_refresh (SLUICE_CARD (self));
}
