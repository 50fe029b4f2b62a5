/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What the page consists of. */
#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/timeline/timeline-private.h"
#include "ui/chart/ticks.h"

static char *
dup_span_words (const SluiceTraceSpan *span, gpointer data)
{
  SluiceTimelinePage *self = data;
  const SluiceTraceStep *step =
      self->picture != NULL ? sluice_step_picture_find (self->picture, span->step) : NULL;
  return sluice_span_words (span, step != NULL ? step->start : 0);
}

static char *
dup_lane_words (const SluiceTraceLane *lane, double busy, gpointer data)
{
  g_autofree char *spans = sluice_format_step ((gint64) lane->n_spans);
  g_autofree char *share = busy >= 0 ? sluice_format_tick (busy, 0.01, SLUICE_UNIT_PERCENT) : NULL;
  return share != NULL
             ? g_strdup_printf (_ ("%s of %s, %s busy, %s spans"), lane->name, lane->device, share,
                                spans)
             : g_strdup_printf (_ ("%s of %s, %s spans"), lane->name, lane->device, spans);
}

GtkWidget *
sluice_timeline_page_make_empty (void)
{
  GtkWidget *page = adw_status_page_new (), *button = gtk_button_new ();
  adw_status_page_set_icon_name (ADW_STATUS_PAGE (page), "sluice-timeline-symbolic");
  adw_status_page_set_title (ADW_STATUS_PAGE (page), _ ("Nothing ran yet"));
  adw_status_page_set_description (
      ADW_STATUS_PAGE (page),
      _ ("What ran when, where and for how long appears here, step by step, while a run learns."));
  gtk_button_set_label (GTK_BUTTON (button), _ ("Start training"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.start");
  gtk_widget_set_halign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "pill");
  gtk_widget_add_css_class (button, "suggested-action");
  adw_status_page_set_child (ADW_STATUS_PAGE (page), button);
  return page;
}

/* In the room over the names of lanes, beside the axis. */
static GtkWidget *
make_live_button (void)
{
  GtkWidget *live = gtk_toggle_button_new_with_label (_ ("Live"));
  gtk_widget_set_tooltip_text (live, _ ("Follow the newest step (L)"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (live), "timeline.live");
  gtk_widget_set_halign (live, GTK_ALIGN_START);
  gtk_widget_set_valign (live, GTK_ALIGN_START);
  gtk_widget_add_css_class (live, "timeline-live");
  return live;
}

/* It is told while the lanes get their place: what would ask for another one then has none. */
static void
show_scrollbar_cb (GtkWidget *bar, GtkAdjustment *adjustment)
{
  gboolean is_needed =
      gtk_adjustment_get_upper (adjustment) > gtk_adjustment_get_page_size (adjustment) + 0.5;
  gtk_widget_set_opacity (bar, is_needed ? 1 : 0);
  gtk_widget_set_can_target (bar, is_needed);
}

GtkWidget *
sluice_timeline_page_make_scrollbar (GtkAdjustment *adjustment)
{
  GtkWidget *bar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL, adjustment);
  gtk_widget_set_halign (bar, GTK_ALIGN_END);
  g_signal_connect_object (adjustment, "changed", G_CALLBACK (show_scrollbar_cb), bar,
                           G_CONNECT_SWAPPED);
  show_scrollbar_cb (bar, adjustment);
  return bar;
}

GtkWidget *
sluice_timeline_page_make_steps (SluiceTimelinePage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *overlay = gtk_overlay_new ();
  gtk_overlay_set_child (GTK_OVERLAY (overlay), GTK_WIDGET (self->lanes));
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), make_live_button ());
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), sluice_timeline_page_make_report_button ());
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), sluice_timeline_page_make_scrollbar (
                                                      sluice_lanes_get_adjustment (self->lanes)));
  gtk_widget_set_vexpand (overlay, TRUE);
  self->lanes_overlay = overlay;
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->bars));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), overlay);
  gtk_box_append (GTK_BOX (box), sluice_timeline_page_make_lower (self));
  gtk_box_append (GTK_BOX (box), sluice_timeline_page_make_table (self));
  return box;
}

void
sluice_timeline_page_init_words (SluiceTimelinePage *self, SluiceLanes *lanes)
{
  const SluiceLanesWords words = { dup_span_words, dup_lane_words, self };
  sluice_lanes_set_words (lanes, &words);
}
