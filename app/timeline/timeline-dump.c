/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <json-glib/json-glib.h>

#include "app/memory/memory-words.h"
#include "app/timeline/timeline-private.h"

/* What a test wants to know of the page. */

static void
add_step (SluiceTimelinePage *self, JsonBuilder *b)
{
  const SluiceTraceStep *step =
      self->picture != NULL ? sluice_step_picture_find (self->picture, self->step) : NULL;
  gint64 from, to;
  sluice_lanes_get_range (self->lanes, &from, &to);
  sluice_page_dump_int (b, "step", (gint64) self->step);
  sluice_page_dump_bool (b, "slow", step != NULL && step->is_slow);
  sluice_page_dump_int (b, "begin", step != NULL ? step->start : 0);
  sluice_page_dump_int (b, "end", step != NULL ? step->end : 0);
  sluice_page_dump_int (b, "from", from);
  sluice_page_dump_int (b, "to", to);
}

static void
add_lanes (SluiceTimelinePage *self, JsonBuilder *b)
{
  const SluiceTraceView *view = self->picture != NULL ? self->picture->view : NULL;
  GtkAdjustment *adjustment = sluice_lanes_get_adjustment (self->lanes);
  double top = gtk_adjustment_get_value (adjustment);
  double most = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);
  guint n_lanes = view != NULL ? sluice_trace_view_get_n_lanes (view) : 0;
  guint64 n_spans = view != NULL ? sluice_trace_view_get_n_spans (view) : 0;
  sluice_page_dump_int (b, "top", (gint64) top);
  sluice_page_dump_int (b, "below", (gint64) (most - top));
  sluice_page_dump_int (b, "n_marks", sluice_lanes_get_n_marks (self->lanes));
  sluice_page_dump_int (b, "n_steps", view != NULL ? self->picture->steps->len : 0);
  sluice_page_dump_int (b, "n_lanes", n_lanes);
  sluice_page_dump_int (b, "n_spans", (gint64) n_spans);
}

static void
add_words (SluiceTimelinePage *self, JsonBuilder *b)
{
  gboolean has_file = gtk_widget_get_visible (self->file_bar);
  gboolean has_sums = gtk_revealer_get_reveal_child (self->table_revealer);
  g_autofree char *span = sluice_inspector_pane_dup_text (SLUICE_INSPECTOR_PANE (self->pane));
  g_autofree char *sums = has_sums ? sluice_area_table_dup_text (self->table) : g_strdup ("");
  g_autofree char *report = sluice_timeline_page_dup_report (self);
  sluice_page_dump_string (b, "file", has_file ? gtk_label_get_label (self->file_label) : "");
  sluice_page_dump_string (b, "node", self->node != NULL ? self->node : "");
  sluice_page_dump_string (b, "span", span);
  sluice_page_dump_string (b, "sums", sums);
  sluice_page_dump_string (b, "report", report);
}

static void
add_lower (SluiceTimelinePage *self, JsonBuilder *b)
{
  g_autofree char *band = self->memory != NULL && self->band != SLUICE_BAND_NONE
                              ? sluice_memory_words_band (self->memory, self->band)
                              : g_strdup ("");
  gint64 from, to;
  sluice_memory_bands_get_range (self->bands, &from, &to);
  sluice_page_dump_string (b, "lower", self->lower);
  sluice_page_dump_string (b, "lower_title", gtk_label_get_label (self->lower_title));
  sluice_page_dump_string (b, "lower_words", gtk_label_get_label (self->lower_words));
  sluice_page_dump_bool (b, "has_lower", gtk_widget_get_visible (GTK_WIDGET (self->lower_stack)));
  g_autofree char *differences = sluice_number_table_dup_text (self->differences);
  sluice_page_dump_string (b, "differences", self->other != NULL ? differences : "");
  sluice_page_dump_int (b, "other", (gint64) self->other_step);
  sluice_page_dump_int (b, "n_heat", self->heat != NULL ? self->heat->nodes->len : 0);
  sluice_page_dump_bool (b, "heat_by_time", self->heat_by_time);
  sluice_page_dump_int (b, "n_notes", self->notes != NULL ? self->notes->len : 0);
  sluice_page_dump_string (b, "band", band);
  sluice_page_dump_int (b, "memory_from", from + self->memory_shift);
  sluice_page_dump_int (b, "memory_to", to + self->memory_shift);
}

static char *
timeline_page_dump_state (SluicePage *page)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (page);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  sluice_page_dump_bool (b, "live", self->is_live);
  add_step (self, b);
  add_lanes (self, b);
  add_words (self, b);
  add_lower (self, b);
  sluice_page_dump_int (b, "n_path",
                        self->analysis != NULL ? self->analysis->critical->path->len : 0);
  sluice_page_dump_int (b, "n_gaps", self->analysis != NULL ? self->analysis->gaps->len : 0);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

void
sluice_timeline_page_init_dump (SluicePageInterface *iface)
{
  iface->dump_state = timeline_page_dump_state;
}
