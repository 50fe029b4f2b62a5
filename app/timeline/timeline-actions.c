/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/shortcuts.h"
#include "app/timeline/timeline-private.h"

/* The keys are Perfetto's, where it has such. */

#define ZOOM   1.5 /* a key's */
#define PAN    0.2 /* of what is seen */
#define SCROLL 0.8

static void
move_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  double forward = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL ? -1 : 1;
  if (self->picture == NULL)
    return;
  sluice_timeline_page_touch (self);
  if (g_str_equal (name, "timeline.zoom-in"))
    sluice_lanes_zoom (self->lanes, 1 / ZOOM);
  else if (g_str_equal (name, "timeline.zoom-out"))
    sluice_lanes_zoom (self->lanes, ZOOM);
  else if (g_str_equal (name, "timeline.pan-left"))
    sluice_lanes_pan (self->lanes, -PAN * forward);
  else if (g_str_equal (name, "timeline.pan-right"))
    sluice_lanes_pan (self->lanes, PAN * forward);
  else
    sluice_lanes_scroll (self->lanes, g_str_equal (name, "timeline.scroll-up") ? -SCROLL : SCROLL);
}

/* First the span that is selected, or the area, then the step, then all that is there. */
static void
fit_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  guint64 span = sluice_lanes_get_selected (self->lanes);
  gint64 before[2], after[2];
  if (self->picture == NULL)
    return;
  sluice_lanes_get_range (self->lanes, &before[0], &before[1]);
  sluice_timeline_page_touch (self);
  if (span != SLUICE_SPAN_NONE)
    sluice_lanes_zoom_to (self->lanes, span);
  else
    sluice_timeline_page_show_step (self, self->step);
  sluice_lanes_get_range (self->lanes, &after[0], &after[1]);
  if (after[0] == before[0] && after[1] == before[1])
    sluice_lanes_show_all (self->lanes);
}

/* On its lane; without a selection the first one that is seen. */
static void
beside_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  guint64 span = sluice_lanes_get_selected (self->lanes);
  if (self->picture == NULL)
    return;
  sluice_timeline_page_touch (self);
  if (span == SLUICE_SPAN_NONE)
    span = sluice_lanes_find_first (self->lanes);
  else
    span = sluice_trace_view_get_beside (self->picture->view, span,
                                         g_str_equal (name, "timeline.next"));
  if (span != SLUICE_SPAN_NONE)
    sluice_timeline_page_select_span (self, span);
}

/* To the lane above or below, where something runs at about the same time. */
static void
lane_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  guint64 span = sluice_lanes_get_selected (self->lanes);
  if (self->picture == NULL)
    return;
  sluice_timeline_page_touch (self);
  if (span == SLUICE_SPAN_NONE)
    span = sluice_lanes_find_first (self->lanes);
  else
    span = sluice_lanes_find_across (self->lanes, span,
                                     g_str_equal (name, "timeline.lane-up") ? -1 : 1);
  if (span != SLUICE_SPAN_NONE)
    sluice_timeline_page_select_span (self, span);
}

static void
flow_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  guint64 span = sluice_lanes_get_selected (self->lanes);
  if (self->picture == NULL || span == SLUICE_SPAN_NONE)
    return;
  g_autoptr (SluiceSpanFlows) flows =
      sluice_span_flows_new (self->picture, sluice_document_get_graph (self->document), span);
  const GArray *to = g_str_equal (name, "timeline.flow-next") ? flows->readers : flows->read;
  sluice_timeline_page_touch (self);
  if (to->len > 0)
    sluice_timeline_page_select_span (self, g_array_index (to, guint64, 0));
}

static void
step_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  guint place = sluice_timeline_page_get_place (self);
  gboolean is_next = g_str_equal (name, "timeline.step-next");
  if (self->picture == NULL || place >= self->picture->steps->len)
    return;
  place = is_next ? MIN (place + 1, self->picture->steps->len - 1) : place > 0 ? place - 1 : 0;
  sluice_timeline_page_show_step (
      self, g_array_index (self->picture->steps, SluiceTraceStep, place).step);
}

/* The next one after that which is shown; behind the last one the first. */
static void
slow_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  guint n = self->picture != NULL ? self->picture->steps->len : 0;
  guint place = sluice_timeline_page_get_place (self);
  for (guint i = 1; i <= n; i++)
    {
      const SluiceTraceStep *step =
          &g_array_index (self->picture->steps, SluiceTraceStep, (place + i) % n);
      if (!step->is_slow)
        continue;
      sluice_timeline_page_show_step (self, step->step);
      return;
    }
}

static void
mark_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  if (self->picture == NULL)
    return;
  sluice_timeline_page_touch (self);
  sluice_lanes_toggle_mark (self->lanes);
}

static void
escape_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  SluiceLanesArea area;
  if (!sluice_lanes_get_area (self->lanes, &area))
    {
      sluice_timeline_page_select_span (self, SLUICE_SPAN_NONE);
      return;
    }
  sluice_lanes_set_area (self->lanes, NULL);
  sluice_timeline_page_show_area (self);
  gtk_widget_grab_focus (widget); /* the table may have had the keyboard */
}

/* Of the time of what is selected, or of what is seen, on all lanes. */
static void
area_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  guint64 number = sluice_lanes_get_selected (self->lanes);
  SluiceLanesArea area = { 0 };
  if (self->picture == NULL || sluice_lanes_get_layout (self->lanes)->rows->len == 0)
    return;
  sluice_timeline_page_touch (self);
  area.last = sluice_lanes_get_layout (self->lanes)->rows->len - 1;
  sluice_lanes_get_range (self->lanes, &area.from, &area.to);
  if (number != SLUICE_SPAN_NONE)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (self->picture->view, number, &span);
      area.from = span.start;
      area.to = MAX (span.end, span.start + 1);
    }
  sluice_lanes_set_area (self->lanes, &area);
  sluice_timeline_page_show_area (self);
}

static void
heat_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_timeline_page_turn_heat (SLUICE_TIMELINE_PAGE (widget));
}

static void
note_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_timeline_page_write_note (SLUICE_TIMELINE_PAGE (widget));
}

static void
remove_note_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_timeline_page_remove_note (SLUICE_TIMELINE_PAGE (widget),
                                    g_variant_get_uint32 (parameter));
}

static void
compare_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  sluice_timeline_page_set_other (self, self->step);
}

static void
lower_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_timeline_page_turn_lower (SLUICE_TIMELINE_PAGE (widget));
}

static void
close_file_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_timeline_page_close_file (SLUICE_TIMELINE_PAGE (widget));
}

static void
keys_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.show-help-overlay", NULL);
}

void
sluice_timeline_page_update_actions (SluiceTimelinePage *self)
{
  gboolean has_span = sluice_lanes_get_selected (self->lanes) != SLUICE_SPAN_NONE;
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "timeline.flow-next", has_span);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "timeline.flow-previous", has_span);
}

void
sluice_timeline_page_install_actions (GtkWidgetClass *widget_class)
{
  static const struct
  {
    const char *name;
    GtkWidgetActionActivateFunc func;
  } actions[] = {
    { "timeline.zoom-in", move_action },
    { "timeline.zoom-out", move_action },
    { "timeline.pan-left", move_action },
    { "timeline.pan-right", move_action },
    { "timeline.scroll-up", move_action },
    { "timeline.scroll-down", move_action },
    { "timeline.fit", fit_action },
    { "timeline.next", beside_action },
    { "timeline.previous", beside_action },
    { "timeline.lane-up", lane_action },
    { "timeline.lane-down", lane_action },
    { "timeline.flow-next", flow_action },
    { "timeline.flow-previous", flow_action },
    { "timeline.step-next", step_action },
    { "timeline.step-previous", step_action },
    { "timeline.slow", slow_action },
    { "timeline.mark", mark_action },
    { "timeline.escape", escape_action },
    { "timeline.keys", keys_action },
    { "timeline.close-file", close_file_action },
    { "timeline.area", area_action },
    { "timeline.next-lower", lower_action },
    { "timeline.compare", compare_action },
    { "timeline.note", note_action },
    { "timeline.heat", heat_action },
    { "timeline.close-area", escape_action },
  };
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget_class, actions[i].name, NULL, actions[i].func);
  gtk_widget_class_install_action (widget_class, "timeline.remove-note", "u", remove_note_action);
  gtk_widget_class_install_property_action (widget_class, "timeline.live", "live");
  gtk_widget_class_install_property_action (widget_class, "timeline.lower", "lower");
  sluice_shortcuts_bind (widget_class, "timeline.");
}
