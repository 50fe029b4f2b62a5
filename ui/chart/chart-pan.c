/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-pan.h"

#include <math.h>

#define KEY_STEP 0.2 /* of what is shown */

/* A person has moved it: other charts follow. */
static void
tell (SluiceChartCard *card)
{
  double x0;
  double x1;

  if (sluice_chart_get_view (sluice_chart_card_get_chart (card), &x0, &x1))
    g_signal_emit_by_name (card, "view-changed", x0, x1);
}

static void
pan_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceChartCard *card = SLUICE_CHART_CARD (widget);
  SluiceChart *chart = sluice_chart_card_get_chart (card);
  double x0;
  double x1;
  double by;

  if (!sluice_chart_get_view (chart, &x0, &x1))
    return; /* all is shown */
  by = (g_str_equal (name, "chart.pan-left") ? -KEY_STEP : KEY_STEP) * (x1 - x0);
  sluice_chart_pan (chart, x0 + by, x1 + by);
  sluice_card_refresh (SLUICE_CARD (card));
  tell (card);
}

void
sluice_chart_pan_install (GtkWidgetClass *klass)
{
  gtk_widget_class_install_action (klass, "chart.pan-left", NULL, pan_action);
  gtk_widget_class_install_action (klass, "chart.pan-right", NULL, pan_action);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_Left, GDK_SHIFT_MASK, "chart.pan-left", NULL);
  gtk_widget_class_add_binding_action (klass, GDK_KEY_Right, GDK_SHIFT_MASK, "chart.pan-right",
                                       NULL);
}

/* What was shown when the drag began. */
typedef struct
{
  SluiceChartCard *card; /* borrowed: it has the gesture */
  double x0, x1;
} Pan;

static void
begin_cb (GtkGestureDrag *gesture, double x, double y, Pan *pan)
{
  SluiceChart *chart = sluice_chart_card_get_chart (pan->card);

  if (!sluice_chart_get_view (chart, &pan->x0, &pan->x1))
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  gtk_widget_grab_focus (GTK_WIDGET (pan->card));
  sluice_chart_set_cursor (chart, NAN); /* the values at it would have to be looked up each time */
  sluice_chart_set_moving (chart, TRUE);
}

static void
update_cb (GtkGestureDrag *gesture, double dx, double dy, Pan *pan)
{
  SluiceChart *chart = sluice_chart_card_get_chart (pan->card);
  double pixels =
      sluice_chart_get_plot (chart).width * sluice_card_get_text_scale (SLUICE_CARD (pan->card));
  double by = pixels > 0 ? dx * (pan->x1 - pan->x0) / pixels : 0;

  sluice_chart_pan (chart, pan->x0 - by, pan->x1 - by);
  sluice_card_refresh (SLUICE_CARD (pan->card));
}

static void
end_cb (GtkGestureDrag *gesture, double dx, double dy, Pan *pan)
{
  sluice_chart_set_moving (sluice_chart_card_get_chart (pan->card), FALSE);
  sluice_card_refresh (SLUICE_CARD (pan->card));
  tell (pan->card);
}

void
sluice_chart_pan_attach (SluiceChartCard *card)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  Pan *pan = g_new0 (Pan, 1);

  pan->card = card;
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (drag), GDK_BUTTON_MIDDLE);
  g_object_set_data_full (G_OBJECT (drag), "sluice-pan", pan, g_free);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (begin_cb), pan);
  g_signal_connect (drag, "drag-update", G_CALLBACK (update_cb), pan);
  g_signal_connect (drag, "drag-end", G_CALLBACK (end_cb), pan);
  gtk_widget_add_controller (GTK_WIDGET (card), GTK_EVENT_CONTROLLER (drag));
}
