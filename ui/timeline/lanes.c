/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/lanes.h"

#include <math.h>

#include "ui/common/widget.h"
#include "ui/timeline/lanes-private.h"

#define LEAST_HEIGHT 120
#define REVEAL_AIR   0.1 /* of the time shown, beside what comes into sight */

G_DEFINE_FINAL_TYPE (SluiceLanes, sluice_lanes, GTK_TYPE_WIDGET)

enum
{
  SELECTED,
  AREA_CHANGED,
  TOUCHED,
  RANGE_CHANGED,
  POINTED,
  CARRIED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

void
sluice_lanes_touch (SluiceLanes *self)
{
  g_signal_emit (self, signals[TOUCHED], 0);
}

void
sluice_lanes_emit_pointed (SluiceLanes *self)
{
  SluiceTimeAxis axis = sluice_lanes_get_picture (self).axis;
  gboolean is_there = self->pointer_x >= axis.x0 && self->pointer_x <= axis.x1;

  g_signal_emit (self, signals[POINTED], 0, is_there,
                 is_there ? sluice_time_axis_to_time (&axis, self->pointer_x) : 0);
}

void
sluice_lanes_emit_selected (SluiceLanes *self, guint64 span)
{
  sluice_lanes_touch (self);
  g_signal_emit (self, signals[SELECTED], 0, span);
}

void
sluice_lanes_emit_area (SluiceLanes *self)
{
  sluice_lanes_touch (self);
  g_signal_emit (self, signals[AREA_CHANGED], 0);
}

void
sluice_lanes_emit_carried (SluiceLanes *self, const char *name, guint lane, gboolean is_dropped)
{
  sluice_lanes_touch (self);
  g_signal_emit (self, signals[CARRIED], 0, name, lane, is_dropped);
}

/* ---- what is drawn ---- */

SluiceLanesPicture
sluice_lanes_get_picture (SluiceLanes *self)
{
  double width;
  double height;

  sluice_widget_get_units (GTK_WIDGET (self), &width, &height);
  return (SluiceLanesPicture){
    .view = self->view,
    .layout = self->layout,
    .axis = { self->from, self->to, SLUICE_LANES_NAMES,
              MAX (width - SLUICE_LANES_END, SLUICE_LANES_NAMES + 1) },
    .zero = self->zero,
    .width = width,
    .height = height,
    .scroll = gtk_adjustment_get_value (self->adjustment),
    .busy = self->busy,
    .selected = self->selected,
    .flows = self->flows,
    .path = self->path,
    .gaps = self->gaps,
    .marks = self->marks,
    .notes = self->notes,
    .found = self->found,
    .area = self->has_area ? &self->area : NULL,
    .ghosts = self->has_ghosts ? &self->ghosts : NULL,
    .cursor = self->has_cursor ? &self->cursor : NULL,
    .is_ghost = self->is_ghost,
    .mirrored = sluice_widget_is_mirrored (GTK_WIDGET (self)),
  };
}

static void
sluice_lanes_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceLanes *self = SLUICE_LANES (widget);
  SluiceTheme theme;

  if (self->view == NULL)
    return;
  SluiceLanesPicture picture = sluice_lanes_get_picture (self);
  cairo_t *cr = sluice_snapshot_begin_units (snapshot, widget, &theme);
  sluice_lanes_draw (&picture, cr, &theme);
  cairo_destroy (cr);
  sluice_snapshot_focus_ring (snapshot, widget);
}

static void
sluice_lanes_measure (GtkWidget *widget,
                      GtkOrientation orientation,
                      int for_size,
                      int *minimum,
                      int *natural,
                      int *minimum_baseline,
                      int *natural_baseline)
{
  SluiceLanes *self = SLUICE_LANES (widget);
  gboolean is_height = orientation == GTK_ORIENTATION_VERTICAL;
  double height = ceil (self->most_height * sluice_widget_get_text_scale (widget));

  *minimum = is_height ? LEAST_HEIGHT : 0;
  *natural = is_height ? (int) MAX (height, LEAST_HEIGHT) : 0;
}

static void
update_adjustment (SluiceLanes *self)
{
  double room;
  double width;

  sluice_widget_get_units (GTK_WIDGET (self), &width, &room);
  room = MAX (room - SLUICE_LANES_HEAD, 1);
  double height = self->layout != NULL ? self->layout->height + SLUICE_LANES_FOOT : 0;
  double value = CLAMP (gtk_adjustment_get_value (self->adjustment), 0, MAX (height - room, 0));
  gtk_adjustment_configure (self->adjustment, value, 0, MAX (height, room), SLUICE_LANES_PITCH,
                            room * 0.9, room);
}

/* What stands under it does not move up and down with each step. */
static void
keep_height (SluiceLanes *self)
{
  double height =
      self->layout != NULL ? SLUICE_LANES_HEAD + self->layout->height + SLUICE_LANES_FOOT : 0;

  if (self->layout != NULL && height <= self->most_height)
    return;
  self->most_height = height;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
sluice_lanes_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  update_adjustment (SLUICE_LANES (widget));
  sluice_proxies_queue (&SLUICE_LANES (widget)->proxies);
  sluice_proxies_allocate (&SLUICE_LANES (widget)->proxies);
}

/* ---- what is in front ---- */

void
sluice_lanes_range_changed (SluiceLanes *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  sluice_proxies_queue (&self->proxies);
  g_signal_emit (self, signals[RANGE_CHANGED], 0);
}

void
sluice_lanes_set_view (SluiceLanes *self, const SluiceTraceView *view)
{
  self->view = view;
  g_clear_pointer (&self->layout, sluice_lanes_layout_free);
  g_clear_pointer (&self->busy, g_free);
  self->selected = SLUICE_SPAN_NONE;
  self->has_area = FALSE;
  g_array_set_size (self->flows, 0);
  g_array_set_size (self->path, 0);
  g_clear_pointer (&self->gaps, g_array_unref);
  self->begin = self->end = 0;
  if (view != NULL)
    {
      self->layout = sluice_lanes_layout_new (view);
      sluice_trace_view_get_extent (view, &self->begin, &self->end);
    }
  self->end = MAX (self->end, self->begin + SLUICE_TIME_LEAST);
  keep_height (self);
  if (self->to <= self->begin || self->from >= self->end)
    sluice_lanes_show_all (self);
  update_adjustment (self);
  sluice_lanes_range_changed (self);
}

void
sluice_lanes_set_ghost (SluiceLanes *self, gint64 begin, gint64 end)
{
  self->is_ghost = TRUE;
  self->begin = MIN (self->begin, begin);
  self->end = MAX (self->end, end);
  sluice_lanes_range_changed (self);
}

typedef struct
{
  gint64 from, to, busy;
} Share;

static void
add_share (const SluiceTracePiece *piece, gpointer data)
{
  Share *share = data;

  share->busy += MAX (MIN (piece->end, share->to) - MAX (piece->start, share->from), 0);
}

/* Of the first row: others overlap with it. */
void
sluice_lanes_set_zero (SluiceLanes *self, gint64 zero, gint64 end)
{
  guint n = self->view != NULL ? sluice_trace_view_get_n_lanes (self->view) : 0;

  self->zero = zero;
  g_clear_pointer (&self->busy, g_free);
  if (n > 0 && end > zero)
    self->busy = g_new0 (double, n);
  for (guint i = 0; self->busy != NULL && i < n; i++)
    {
      Share share = { zero, end, 0 };

      const SluiceTraceLane *lane = sluice_trace_view_get_lane (self->view, i);

      if (zero <= self->begin && end >= self->end) /* of all there is that is known */
        share.busy = lane->busy;
      else if (lane->n_spans > 0)
        sluice_trace_view_each_piece (self->view, i, 0, zero, end, 1, add_share, &share);
      self->busy[i] = (double) share.busy / (double) (end - zero);
    }
  sluice_lanes_range_changed (self);
}

void
sluice_lanes_show (SluiceLanes *self, gint64 from, gint64 to)
{
  SluiceTimeAxis axis = { from, MAX (to, from + 1), 0, 1 };

  sluice_time_axis_fit (&axis, from, to, self->begin, self->end);
  self->from = axis.from;
  self->to = axis.to;
  sluice_lanes_range_changed (self);
}

void
sluice_lanes_show_all (SluiceLanes *self)
{
  sluice_lanes_show (self, self->begin, self->end);
}

void
sluice_lanes_get_range (SluiceLanes *self, gint64 *from, gint64 *to)
{
  *from = self->from;
  *to = self->to;
}

void
sluice_lanes_zoom (SluiceLanes *self, double factor)
{
  SluiceTimeAxis axis = sluice_lanes_get_picture (self).axis;
  double x = self->pointer_x >= axis.x0 ? self->pointer_x : (axis.x0 + axis.x1) / 2;

  sluice_time_axis_zoom (&axis, x, factor, self->begin, self->end);
  self->from = axis.from;
  self->to = axis.to;
  sluice_lanes_range_changed (self);
}

void
sluice_lanes_pan (SluiceLanes *self, double share)
{
  SluiceTimeAxis axis = sluice_lanes_get_picture (self).axis;

  sluice_time_axis_pan (&axis, share * (axis.x1 - axis.x0), self->begin, self->end);
  self->from = axis.from;
  self->to = axis.to;
  sluice_lanes_range_changed (self);
}

void
sluice_lanes_scroll (SluiceLanes *self, double share)
{
  gtk_adjustment_set_value (self->adjustment,
                            gtk_adjustment_get_value (self->adjustment)
                                + share * gtk_adjustment_get_page_size (self->adjustment));
}

/* ---- what is selected ---- */

static void
reveal (SluiceLanes *self, const SluiceTraceSpan *span)
{
  SluiceTimeAxis axis = { self->from, self->to, 0, 1 };
  gint64 air = (gint64) (REVEAL_AIR * (double) (self->to - self->from));
  const SluiceLanesRow *row = sluice_lanes_layout_find (self->layout, span->lane, span->row);

  if (span->end < self->from || span->start > self->to)
    sluice_time_axis_reveal (&axis, span->start - air, span->end + air, self->begin, self->end);
  self->from = axis.from;
  self->to = axis.to;
  if (row != NULL)
    gtk_adjustment_clamp_page (self->adjustment, row->y, row->y + row->height);
}

void
sluice_lanes_select (SluiceLanes *self, guint64 number, gboolean reveals)
{
  SluiceTraceSpan span;

  self->selected = number;
  if (number != SLUICE_SPAN_NONE && reveals)
    {
      sluice_trace_view_get_span (self->view, number, &span);
      reveal (self, &span);
    }
  sluice_lanes_range_changed (self);
}

guint64
sluice_lanes_get_selected (SluiceLanes *self)
{
  return self->selected;
}

void
sluice_lanes_zoom_to (SluiceLanes *self, guint64 number)
{
  SluiceTraceSpan span;

  sluice_trace_view_get_span (self->view, number, &span);
  gint64 length = MAX (span.end - span.start, SLUICE_TIME_LEAST);
  sluice_lanes_show (self, span.start - length / 2, span.end + length / 2);
}

static void
take_first (const SluiceTracePiece *piece, gpointer data)
{
  guint64 *found = data;

  if (*found == SLUICE_SPAN_NONE)
    *found = piece->span;
}

guint64
sluice_lanes_find_first (SluiceLanes *self)
{
  guint64 found = SLUICE_SPAN_NONE;
  const GArray *rows = self->layout->rows;
  guint first =
      sluice_lanes_layout_first (self->layout, gtk_adjustment_get_value (self->adjustment));

  for (guint i = first; i < rows->len && found == SLUICE_SPAN_NONE; i++)
    {
      const SluiceLanesRow *row = &g_array_index (rows, SluiceLanesRow, i);

      sluice_trace_view_each_piece (self->view, row->lane, row->row, self->from, self->to, 1,
                                    take_first, &found);
    }
  return found;
}

typedef struct
{
  gint64 time, distance;
  guint64 span;
} Nearest;

static void
take_nearest (const SluiceTracePiece *piece, gpointer data)
{
  Nearest *self = data;
  gint64 distance = piece->start > self->time ? piece->start - self->time
                    : piece->end < self->time ? self->time - piece->end
                                              : 0;

  if (distance >= self->distance)
    return;
  self->distance = distance;
  self->span = piece->span;
}

guint64
sluice_lanes_find_across (SluiceLanes *self, guint64 number, int by)
{
  SluiceTraceSpan span;
  const GArray *rows = self->layout->rows;

  sluice_trace_view_get_span (self->view, number, &span);
  const SluiceLanesRow *own = sluice_lanes_layout_find (self->layout, span.lane, span.row);
  Nearest nearest = { span.start + (span.end - span.start) / 2, G_MAXINT64, SLUICE_SPAN_NONE };
  for (int i = (int) (own - (const SluiceLanesRow *) rows->data) + by;
       i >= 0 && i < (int) rows->len && nearest.span == SLUICE_SPAN_NONE; i += by)
    {
      const SluiceLanesRow *row = &g_array_index (rows, SluiceLanesRow, i);

      sluice_trace_view_each_piece (self->view, row->lane, row->row, self->from, self->to, 1,
                                    take_nearest, &nearest);
    }
  return nearest.span != SLUICE_SPAN_NONE ? nearest.span : number;
}

static void
copy_array (GArray *to, const GArray *from)
{
  g_array_set_size (to, 0);
  if (from != NULL)
    g_array_append_vals (to, from->data, from->len);
}

void
sluice_lanes_set_flows (SluiceLanes *self, const GArray *flows)
{
  copy_array (self->flows, flows);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_lanes_set_path (SluiceLanes *self, const GArray *path)
{
  copy_array (self->path, path);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_lanes_set_gaps (SluiceLanes *self, GArray *gaps)
{
  g_clear_pointer (&self->gaps, g_array_unref);
  self->gaps = gaps != NULL ? g_array_ref (gaps) : NULL;
  sluice_lanes_range_changed (self);
}

void
sluice_lanes_set_notes (SluiceLanes *self, GArray *notes)
{
  g_clear_pointer (&self->notes, g_array_unref);
  self->notes = notes != NULL ? g_array_ref (notes) : NULL;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_lanes_set_found (SluiceLanes *self, GHashTable *found)
{
  g_clear_pointer (&self->found, g_hash_table_unref);
  self->found = found != NULL ? g_hash_table_ref (found) : NULL;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
sluice_lanes_get_area (SluiceLanes *self, SluiceLanesArea *area)
{
  if (self->has_area)
    *area = self->area;
  return self->has_area;
}

void
sluice_lanes_set_area (SluiceLanes *self, const SluiceLanesArea *area)
{
  self->has_area = area != NULL;
  if (area != NULL)
    self->area = *area;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_lanes_set_ghosts (SluiceLanes *self, const SluiceLanesGhosts *ghosts)
{
  self->has_ghosts = ghosts != NULL;
  if (ghosts != NULL)
    self->ghosts = *ghosts;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_lanes_set_cursor (SluiceLanes *self, gboolean is_there, gint64 time)
{
  self->has_cursor = is_there;
  self->cursor = time;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

const SluiceLanesLayout *
sluice_lanes_get_layout (SluiceLanes *self)
{
  return self->layout;
}

/* ---- marks ---- */

#define MARK_REACH 6.0 /* units: one that is so near is meant */

gint64
sluice_lanes_get_pointed (SluiceLanes *self)
{
  SluiceTimeAxis axis = sluice_lanes_get_picture (self).axis;
  double x = self->pointer_x >= axis.x0 ? self->pointer_x : (axis.x0 + axis.x1) / 2;

  return sluice_time_axis_to_time (&axis, x);
}

void
sluice_lanes_toggle_mark (SluiceLanes *self)
{
  SluiceTimeAxis axis = sluice_lanes_get_picture (self).axis;
  gint64 time = sluice_lanes_get_pointed (self);
  double x = sluice_time_axis_to_x (&axis, time);
  guint n_before = self->marks->len;

  for (guint i = self->marks->len; i-- > 0;)
    if (fabs (sluice_time_axis_to_x (&axis, g_array_index (self->marks, gint64, i)) - x)
        <= MARK_REACH)
      g_array_remove_index (self->marks, i);
  if (self->marks->len == n_before)
    g_array_append_val (self->marks, time);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

guint
sluice_lanes_get_n_marks (SluiceLanes *self)
{
  return self->marks->len;
}

/* ---- words ---- */

void
sluice_lanes_set_words (SluiceLanes *self, const SluiceLanesWords *words)
{
  self->words = *words;
}

GtkAdjustment *
sluice_lanes_get_adjustment (SluiceLanes *self)
{
  return self->adjustment;
}

/* ---- life ---- */

static void
sluice_lanes_dispose (GObject *object)
{
  sluice_proxies_clear (&SLUICE_LANES (object)->proxies);
  G_OBJECT_CLASS (sluice_lanes_parent_class)->dispose (object);
}

static void
sluice_lanes_finalize (GObject *object)
{
  SluiceLanes *self = SLUICE_LANES (object);

  g_clear_pointer (&self->layout, sluice_lanes_layout_free);
  g_array_unref (self->flows);
  g_array_unref (self->path);
  g_array_unref (self->marks);
  g_clear_pointer (&self->gaps, g_array_unref);
  g_clear_pointer (&self->notes, g_array_unref);
  g_clear_pointer (&self->found, g_hash_table_unref);
  g_free (self->busy);
  g_free (self->carried);
  g_object_unref (self->adjustment);
  G_OBJECT_CLASS (sluice_lanes_parent_class)->finalize (object);
}

static void
sluice_lanes_class_init (SluiceLanesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_lanes_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_lanes_finalize;
  widget_class->snapshot = sluice_lanes_snapshot;
  widget_class->measure = sluice_lanes_measure;
  widget_class->size_allocate = sluice_lanes_size_allocate;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TREE);
  signals[SELECTED] = g_signal_new ("selected", SLUICE_TYPE_LANES, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 1, G_TYPE_UINT64);
  signals[AREA_CHANGED] = g_signal_new ("area-changed", SLUICE_TYPE_LANES, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[TOUCHED] = g_signal_new ("touched", SLUICE_TYPE_LANES, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 0);
  signals[RANGE_CHANGED] = g_signal_new ("range-changed", SLUICE_TYPE_LANES, G_SIGNAL_RUN_LAST, 0,
                                         NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[CARRIED] =
      g_signal_new ("carried", SLUICE_TYPE_LANES, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 3, G_TYPE_STRING, G_TYPE_UINT, G_TYPE_BOOLEAN);
  signals[POINTED] = g_signal_new ("pointed", SLUICE_TYPE_LANES, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 2, G_TYPE_BOOLEAN, G_TYPE_INT64);
}

static void
sluice_lanes_init (SluiceLanes *self)
{
  self->selected = SLUICE_SPAN_NONE;
  self->end = self->to = SLUICE_TIME_LEAST;
  self->pointer_x = -1;
  self->flows = g_array_new (FALSE, FALSE, sizeof (SluiceLanesFlow));
  self->path = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->marks = g_array_new (FALSE, FALSE, sizeof (gint64));
  sluice_lanes_init_proxies (self);
  self->adjustment = g_object_ref_sink (gtk_adjustment_new (0, 0, 1, 1, 1, 1));
  g_signal_connect_swapped (self->adjustment, "value-changed",
                            G_CALLBACK (sluice_lanes_range_changed), self);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  sluice_lanes_init_input (self);
}

GtkWidget *
sluice_lanes_new (void)
{
  return g_object_new (SLUICE_TYPE_LANES, NULL);
}
