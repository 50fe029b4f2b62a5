/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-foreign.h"

#include <string.h>

#include "engine/trace/trace-remarks.h"
#include "engine/trace/trace-view-private.h"

typedef struct
{
  char *process; /* key */
  char *name;
  GArray *open; /* of SluiceTraceSpan, texts kept */
} Lane;

typedef struct
{
  const char *id; /* kept */
  guint lane;
  gint64 time;
  SluiceFlowSides sides;
} Point;

struct _SluiceForeign
{
  SluiceTraceView *view;
  GArray *remarks;
  GPtrArray *lanes;      /* of Lane, by number in the view */
  GHashTable *asyncs;    /* key -> GArray of SluiceTraceSpan */
  GHashTable *processes; /* key -> name */
  GArray *points;        /* of Point */
  GPtrArray *counters;   /* key of the process, by counter */
};

static void
lane_free (gpointer data)
{
  Lane *self = data;
  g_free (self->process);
  g_free (self->name);
  g_array_unref (self->open);
  g_free (self);
}

SluiceForeign *
sluice_foreign_new (SluiceTraceView *view, GArray *remarks)
{
  SluiceForeign *self = g_new0 (SluiceForeign, 1);
  self->view = view;
  self->remarks = remarks;
  self->lanes = g_ptr_array_new_with_free_func (lane_free);
  self->asyncs =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  self->processes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->points = g_array_new (FALSE, FALSE, sizeof (Point));
  self->counters = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
sluice_foreign_name_process (SluiceForeign *self, const char *process, const char *name)
{
  g_hash_table_insert (self->processes, g_strdup (process), g_utf8_make_valid (name, -1));
}

guint
sluice_foreign_lane (SluiceForeign *self, const char *process, const char *thread)
{
  guint number = sluice_trace_view_add_lane (self->view, SLUICE_LANE_OTHER, process, thread);
  if (number < self->lanes->len)
    return number;
  Lane *lane = g_new0 (Lane, 1);
  lane->process = g_strdup (process);
  lane->name = g_utf8_make_valid (thread, -1);
  lane->open = g_array_new (FALSE, FALSE, sizeof (SluiceTraceSpan));
  g_ptr_array_add (self->lanes, lane);
  return number;
}

void
sluice_foreign_name_lane (SluiceForeign *self, guint number, const char *name)
{
  Lane *lane = self->lanes->pdata[number];
  g_free (lane->name);
  lane->name = g_utf8_make_valid (name, -1);
}

void
sluice_foreign_set_process (SluiceForeign *self, guint number, const char *process)
{
  Lane *lane = self->lanes->pdata[number];
  g_free (lane->process);
  lane->process = g_strdup (process);
}

/* ---- spans ---- */

void
sluice_foreign_add (SluiceForeign *self, const SluiceTraceSpan *span)
{
  if (span->end < span->start)
    sluice_trace_remarks_add (self->remarks, 1, "spans end before they begin: they take no time");
  sluice_trace_view_add (self->view, span);
}

static GArray *
get_open (SluiceForeign *self, const char *key)
{
  GArray *open = g_hash_table_lookup (self->asyncs, key);
  if (open != NULL)
    return open;
  open = g_array_new (FALSE, FALSE, sizeof (SluiceTraceSpan));
  g_hash_table_insert (self->asyncs, g_strdup (key), open);
  return open;
}

void
sluice_foreign_begin (SluiceForeign *self, const char *key, const SluiceTraceSpan *span)
{
  const Lane *lane = self->lanes->pdata[span->lane];
  SluiceTraceSpan kept = *span;
  kept.name = sluice_trace_view_keep_text (self->view, span->name);
  kept.op = sluice_trace_view_keep_text (self->view, span->op);
  kept.frame = sluice_trace_view_keep_text (self->view, span->frame);
  g_array_append_val (key != NULL ? get_open (self, key) : lane->open, kept);
}

static void
end_last (SluiceForeign *self, GArray *open, gint64 time)
{
  if (open == NULL || open->len == 0)
    {
      sluice_trace_remarks_add (self->remarks, 1, "ends without a begin");
      return;
    }
  SluiceTraceSpan span = g_array_index (open, SluiceTraceSpan, open->len - 1);
  g_array_set_size (open, open->len - 1);
  span.end = time;
  sluice_foreign_add (self, &span);
}

void
sluice_foreign_end (SluiceForeign *self, guint lane, gint64 time)
{
  end_last (self, ((const Lane *) self->lanes->pdata[lane])->open, time);
}

void
sluice_foreign_end_async (SluiceForeign *self, const char *key, gint64 time)
{
  end_last (self, g_hash_table_lookup (self->asyncs, key), time);
  GArray *open = g_hash_table_lookup (self->asyncs, key);
  if (open != NULL && open->len == 0)
    g_hash_table_remove (self->asyncs, key);
}

void
sluice_foreign_count (
    SluiceForeign *self, const char *process, const char *name, gint64 time, double value)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  guint counter = sluice_trace_view_add_counter (self->view, process, valid);
  if (counter == self->counters->len)
    g_ptr_array_add (self->counters, g_strdup (process));
  sluice_trace_view_add_count (self->view, counter, time, value);
}

void
sluice_foreign_flow (
    SluiceForeign *self, const char *id, guint lane, gint64 time, SluiceFlowSides sides)
{
  const Point point = { sluice_trace_view_keep_text (self->view, id), lane, time, sides };
  g_array_append_val (self->points, point);
}

/* ---- the end ---- */

/* (transfer container) (element-type GArray) */
static GPtrArray *
list_open (SluiceForeign *self)
{
  GPtrArray *all = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer open;
  g_hash_table_iter_init (&iter, self->asyncs);
  while (g_hash_table_iter_next (&iter, NULL, &open))
    g_ptr_array_add (all, open);
  for (guint i = 0; i < self->lanes->len; i++)
    g_ptr_array_add (all, ((const Lane *) self->lanes->pdata[i])->open);
  return all;
}

static void
end_all (SluiceForeign *self)
{
  gint64 begin, end;
  g_autoptr (GPtrArray) all = list_open (self);
  sluice_trace_view_settle (self->view);
  sluice_trace_view_get_extent (self->view, &begin, &end);
  for (guint i = 0; i < all->len; i++)
    {
      const GArray *open = all->pdata[i];
      for (guint k = 0; k < open->len; k++)
        end = MAX (end, g_array_index (open, SluiceTraceSpan, k).start);
    }
  for (guint i = 0; i < all->len; i++)
    {
      GArray *open = all->pdata[i];
      sluice_trace_remarks_add (self->remarks, open->len,
                                "begins without an end: they last as long as the trace");
      while (open->len > 0)
        end_last (self, open, end);
    }
}

static const char *
name_of_process (const SluiceForeign *self, const char *process)
{
  const char *name = g_hash_table_lookup (self->processes, process);
  return name != NULL ? name : process;
}

static void
give_names (SluiceForeign *self)
{
  for (guint i = 0; i < self->lanes->len; i++)
    {
      const Lane *lane = self->lanes->pdata[i];
      sluice_trace_view_name_lane (self->view, i, SLUICE_LANE_OTHER,
                                   name_of_process (self, lane->process), lane->name);
    }
  for (guint i = 0; i < self->counters->len; i++)
    sluice_trace_view_name_counter (self->view, i,
                                    name_of_process (self, self->counters->pdata[i]));
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const Point *x = a, *y = b;
  if (x->id != y->id)
    return (gsize) x->id < (gsize) y->id ? -1 : 1;
  return x->time < y->time ? -1 : x->time > y->time;
}

/* The innermost span that runs at a point; where none does, the next one. */
static guint64
find_span (const SluiceForeign *self, const Point *point)
{
  const SluiceViewLane *lane = self->view->lanes->pdata[point->lane];
  guint64 found = SLUICE_SPAN_NONE;
  for (guint i = lane->rows->len; i-- > 0;)
    {
      const SluiceRow *row = lane->rows->pdata[i];
      guint64 at = sluice_row_find (row, &self->view->times, point->time - 1);
      for (; at < row->order.n; at++)
        {
          guint64 number = sluice_row_at (row, at);
          gint64 start = sluice_span_start (&self->view->times, number);
          gint64 end = sluice_span_end (&self->view->times, number);
          if (start <= point->time && (end > point->time || start == point->time))
            return number;
          if (start > point->time && found == SLUICE_SPAN_NONE)
            found = number;
          if (start > point->time)
            break;
        }
    }
  return found;
}

/* Each point leads to the next of its id. */
static void
find_flows (SluiceForeign *self)
{
  g_array_sort (self->points, compare_points);
  guint64 from = SLUICE_SPAN_NONE, n_lost = 0;
  const char *id = NULL;
  for (guint i = 0; i < self->points->len; i++)
    {
      const Point *point = &g_array_index (self->points, Point, i);
      guint64 span = find_span (self, point);
      gboolean goes_on = point->id == id && from != SLUICE_SPAN_NONE;
      if (span != SLUICE_SPAN_NONE && point->sides & SLUICE_FLOW_END && goes_on)
        sluice_trace_view_add_flow (self->view, from, span);
      else if (point->sides == SLUICE_FLOW_END || span == SLUICE_SPAN_NONE)
        n_lost++; /* one that goes on may be the first */
      id = point->id;
      from = point->sides & SLUICE_FLOW_START ? span : SLUICE_SPAN_NONE;
    }
  sluice_trace_remarks_add (self->remarks, n_lost, "flows lead from or to nothing");
}

void
sluice_foreign_finish (SluiceForeign *self)
{
  end_all (self);
  sluice_trace_view_settle (self->view);
  find_flows (self);
  give_names (self);
  sluice_trace_view_settle (self->view);
  g_ptr_array_unref (self->lanes);
  g_hash_table_unref (self->asyncs);
  g_hash_table_unref (self->processes);
  g_array_unref (self->points);
  g_ptr_array_unref (self->counters);
  g_free (self);
}
