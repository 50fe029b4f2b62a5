/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/heat-map.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/common/proxies.h"
#include "ui/common/widget.h"
#include "ui/timeline/lanes-draw.h"

#define LEAST_HEIGHT 120

struct _SluiceHeatMap
{
  GtkWidget parent_instance;
  const SluiceTraceHeat *heat; /* (nullable) */
  gboolean by_time;
  guint node, step;               /* SLUICE_HEAT_NODE */
  guint cursor_node, cursor_step; /* likewise */
  GtkAdjustment *adjustment;
  SluiceHeatWords words;
  SluiceProxies proxies;
  cairo_surface_t *cells; /* (nullable): painted, as long as nothing of them changed */
};

G_DEFINE_FINAL_TYPE (SluiceHeatMap, sluice_heat_map, GTK_TYPE_WIDGET)

static guint chosen_signal;

/* ---- what is drawn ---- */

static void
changed (SluiceHeatMap *self)
{
  g_clear_pointer (&self->cells, cairo_surface_destroy);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  sluice_proxies_queue (&self->proxies);
}

static SluiceHeatPicture
get_picture (SluiceHeatMap *self)
{
  double width;
  double height;

  sluice_widget_get_units (GTK_WIDGET (self), &width, &height);
  return (SluiceHeatPicture){
    .heat = self->heat,
    .x0 = SLUICE_LANES_NAMES,
    .x1 = MAX (width - SLUICE_LANES_END, SLUICE_LANES_NAMES + 1),
    .width = width,
    .height = height,
    .scroll = gtk_adjustment_get_value (self->adjustment),
    .by_time = self->by_time,
    .node = self->node,
    .step = self->step,
    .cursor_node =
        gtk_widget_has_visible_focus (GTK_WIDGET (self)) ? self->cursor_node : SLUICE_HEAT_NODE,
    .cursor_step = self->cursor_step,
    .mirrored = sluice_widget_is_mirrored (GTK_WIDGET (self)),
  };
}

static void
ensure_cells (SluiceHeatMap *self,
              const SluiceHeatPicture *picture,
              double scale,
              const SluiceTheme *theme)
{
  if (self->cells != NULL)
    return;
  self->cells = cairo_image_surface_create (CAIRO_FORMAT_ARGB32,
                                            (int) ceil ((picture->x1 - picture->x0) * scale),
                                            (int) ceil (picture->height * scale));
  sluice_heat_paint (picture, self->cells, scale, theme);
}

static void
sluice_heat_map_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceHeatMap *self = SLUICE_HEAT_MAP (widget);
  SluiceTheme theme;

  if (self->heat == NULL)
    return;
  double scale = sluice_widget_get_text_scale (widget) * gtk_widget_get_scale_factor (widget);
  SluiceHeatPicture picture = get_picture (self);
  cairo_t *cr = sluice_snapshot_begin_units (snapshot, widget, &theme);
  ensure_cells (self, &picture, scale, &theme);
  sluice_heat_draw (&picture, self->cells, scale, cr, &theme);
  cairo_destroy (cr);
  sluice_snapshot_focus_ring (snapshot, widget);
}

static void
sluice_heat_map_measure (GtkWidget *widget,
                         GtkOrientation orientation,
                         int for_size,
                         int *minimum,
                         int *natural,
                         int *minimum_baseline,
                         int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL ? LEAST_HEIGHT : 0;
}

static void
update_adjustment (SluiceHeatMap *self)
{
  double width;
  double room;

  sluice_widget_get_units (GTK_WIDGET (self), &width, &room);
  room = MAX (room, 1);
  double height = self->heat != NULL ? self->heat->nodes->len * SLUICE_HEAT_ROW : 0;
  double value = CLAMP (gtk_adjustment_get_value (self->adjustment), 0, MAX (height - room, 0));
  gtk_adjustment_configure (self->adjustment, value, 0, MAX (height, room), SLUICE_HEAT_ROW,
                            room * 0.9, room);
}

static void
sluice_heat_map_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceHeatMap *self = SLUICE_HEAT_MAP (widget);

  update_adjustment (self);
  g_clear_pointer (&self->cells, cairo_surface_destroy);
  sluice_proxies_queue (&self->proxies);
  sluice_proxies_allocate (&self->proxies);
}

static void
sluice_heat_map_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sluice_heat_map_parent_class)->css_changed (widget, change);
  changed (SLUICE_HEAT_MAP (widget));
}

/* ---- what is in front ---- */

void
sluice_heat_map_set_heat (SluiceHeatMap *self, const SluiceTraceHeat *heat)
{
  self->heat = heat;
  self->node = self->step = self->cursor_node = self->cursor_step = SLUICE_HEAT_NODE;
  update_adjustment (self);
  changed (self);
}

void
sluice_heat_map_set_by_time (SluiceHeatMap *self, gboolean by_time)
{
  self->by_time = by_time;
  changed (self);
}

void
sluice_heat_map_show (SluiceHeatMap *self, const char *name, guint64 step)
{
  self->node = self->step = SLUICE_HEAT_NODE;
  for (guint i = 0; self->heat != NULL && name != NULL && i < self->heat->nodes->len; i++)
    if (g_str_equal (g_array_index (self->heat->nodes, SluiceHeatNode, i).name, name))
      self->node = i;
  for (guint i = 0; self->heat != NULL && i < self->heat->steps->len; i++)
    if (g_array_index (self->heat->steps, guint64, i) == step)
      self->step = i;
  if (self->node != SLUICE_HEAT_NODE)
    gtk_adjustment_clamp_page (self->adjustment, self->node * SLUICE_HEAT_ROW,
                               (self->node + 1) * SLUICE_HEAT_ROW);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_heat_map_set_words (SluiceHeatMap *self, const SluiceHeatWords *words)
{
  self->words = *words;
}

GtkAdjustment *
sluice_heat_map_get_adjustment (SluiceHeatMap *self)
{
  return self->adjustment;
}

/* ---- by a person ---- */

static void
choose (SluiceHeatMap *self, guint node, guint step)
{
  if (self->heat != NULL && node < self->heat->nodes->len && step < self->heat->steps->len)
    g_signal_emit (self, chosen_signal, 0, node, step);
}

static gboolean
pick (SluiceHeatMap *self, double x, double y, guint *node, guint *step)
{
  double ux;
  double uy;

  if (self->heat == NULL)
    return FALSE;
  const SluiceHeatPicture picture = get_picture (self);
  sluice_widget_to_units (GTK_WIDGET (self), x, y, &ux, &uy);
  return sluice_heat_pick (&picture, ux, uy, node, step);
}

static void
released_cb (GtkGestureClick *click, int n_press, double x, double y, SluiceHeatMap *self)
{
  guint node;
  guint step;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (!pick (self, x, y, &node, &step))
    return;
  self->cursor_node = node;
  self->cursor_step = step;
  choose (self, node, step);
}

static gboolean
scroll_cb (GtkEventControllerScroll *scroll, double dx, double dy, SluiceHeatMap *self)
{
  gtk_adjustment_set_value (self->adjustment,
                            gtk_adjustment_get_value (self->adjustment) + dy * 3 * SLUICE_HEAT_ROW);
  return TRUE;
}

/* From what is shown on, where it did not stand anywhere yet. */
static void
move_cursor (SluiceHeatMap *self, int down, int right)
{
  guint node = self->cursor_node != SLUICE_HEAT_NODE ? self->cursor_node
               : self->node != SLUICE_HEAT_NODE      ? self->node
                                                     : 0;
  guint step = self->cursor_step != SLUICE_HEAT_NODE ? self->cursor_step
               : self->step != SLUICE_HEAT_NODE      ? self->step
                                                     : 0;

  self->cursor_node = (guint) CLAMP ((int) node + down, 0, (int) self->heat->nodes->len - 1);
  self->cursor_step = (guint) CLAMP ((int) step + right, 0, (int) self->heat->steps->len - 1);
  gtk_adjustment_clamp_page (self->adjustment, self->cursor_node * SLUICE_HEAT_ROW,
                             (self->cursor_node + 1) * SLUICE_HEAT_ROW);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  gtk_widget_trigger_tooltip_query (GTK_WIDGET (self));
}

static gboolean
key_cb (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType modifiers,
        SluiceHeatMap *self)
{
  int forward = sluice_widget_is_mirrored (GTK_WIDGET (self)) ? -1 : 1;

  if (self->heat == NULL || self->heat->nodes->len == 0)
    return FALSE;
  if (key == GDK_KEY_Up || key == GDK_KEY_Down)
    move_cursor (self, key == GDK_KEY_Down ? 1 : -1, 0);
  else if (key == GDK_KEY_Left || key == GDK_KEY_Right)
    move_cursor (self, 0, key == GDK_KEY_Right ? forward : -forward);
  else if (key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_space)
    choose (self, self->cursor_node, self->cursor_step);
  else
    return FALSE;
  return TRUE;
}

static gboolean
query_tooltip_cb (
    GtkWidget *widget, int x, int y, gboolean by_key, GtkTooltip *tooltip, gpointer data)
{
  SluiceHeatMap *self = SLUICE_HEAT_MAP (widget);
  guint node = self->cursor_node;
  guint step = self->cursor_step;

  if (self->words.dup_cell == NULL || self->heat == NULL
      || (by_key ? node == SLUICE_HEAT_NODE : !pick (self, x, y, &node, &step)))
    return FALSE;
  g_autofree char *text = self->words.dup_cell (self->heat, node, step);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

/* ---- assistive technology ---- */

static void
fill (GtkWidget *widget, SluiceProxies *proxies)
{
  SluiceHeatMap *self = SLUICE_HEAT_MAP (widget);

  if (self->heat == NULL || self->words.dup_row == NULL)
    return;
  const SluiceHeatPicture picture = get_picture (self);
  for (guint i = (guint) (picture.scroll / SLUICE_HEAT_ROW); i < self->heat->nodes->len; i++)
    {
      SluiceRect rect = sluice_heat_get_rect (&picture, i, 0);

      if (rect.y > picture.height)
        break;
      rect.x = 0;
      rect.width = picture.width;
      sluice_proxies_add (proxies, &rect, i, self->words.dup_row (self->heat, i), i == self->node);
    }
}

/* The step in which it took longest. */
static void
row_selected (GtkWidget *widget, guint64 item)
{
  SluiceHeatMap *self = SLUICE_HEAT_MAP (widget);
  guint n = self->heat != NULL ? self->heat->steps->len : 0;

  if (n > 0 && item < self->heat->nodes->len)
    choose (self, (guint) item, sluice_trace_heat_find_longest (self->heat, (guint) item, 0, n));
}

/* ---- life ---- */

static void
sluice_heat_map_dispose (GObject *object)
{
  SluiceHeatMap *self = SLUICE_HEAT_MAP (object);

  sluice_proxies_clear (&self->proxies);
  g_clear_pointer (&self->cells, cairo_surface_destroy);
  g_clear_object (&self->adjustment);
  G_OBJECT_CLASS (sluice_heat_map_parent_class)->dispose (object);
}

static void
sluice_heat_map_class_init (SluiceHeatMapClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_heat_map_dispose;
  widget_class->snapshot = sluice_heat_map_snapshot;
  widget_class->measure = sluice_heat_map_measure;
  widget_class->size_allocate = sluice_heat_map_size_allocate;
  widget_class->css_changed = sluice_heat_map_css_changed;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TREE);
  chosen_signal = g_signal_new ("chosen", SLUICE_TYPE_HEAT_MAP, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_UINT);
}

static void
sluice_heat_map_init (SluiceHeatMap *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);

  self->node = self->step = self->cursor_node = self->cursor_step = SLUICE_HEAT_NODE;
  self->adjustment = g_object_ref_sink (gtk_adjustment_new (0, 0, 1, 1, 1, 1));
  sluice_proxies_init (&self->proxies, widget, fill, row_selected);
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_has_tooltip (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Nodes by steps"), -1);
  g_signal_connect_object (self->adjustment, "value-changed", G_CALLBACK (changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (click, "released", G_CALLBACK (released_cb), self);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_cb), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, keys);
  gtk_widget_add_controller (widget, scroll);
}

GtkWidget *
sluice_heat_map_new (void)
{
  return g_object_new (SLUICE_TYPE_HEAT_MAP, NULL);
}
