/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a view has beside spans: counters, marks, flows; and names that come late. */
#include "engine/trace/trace-view-private.h"

static void
counter_free (gpointer data)
{
  SluiceViewCounter *self = data;
  g_array_unref (self->counts);
  g_free (self);
}

void
sluice_trace_view_init_beside (SluiceTraceView *self)
{
  self->counters = g_ptr_array_new_with_free_func (counter_free);
  self->counter_of_title = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->marks = g_array_new (FALSE, FALSE, sizeof (SluiceTraceMark));
  self->flows = g_array_new (FALSE, FALSE, sizeof (SluiceTraceFlow));
  self->is_beside_sorted = TRUE;
}

void
sluice_trace_view_clear_beside (SluiceTraceView *self)
{
  g_ptr_array_unref (self->counters);
  g_hash_table_unref (self->counter_of_title);
  g_array_unref (self->marks);
  g_array_unref (self->flows);
}

/* ---- adding ---- */

guint
sluice_trace_view_add_counter (SluiceTraceView *self, const char *device, const char *name)
{
  g_autofree char *title = g_strdup_printf ("%s\n%s", device, name);
  gpointer found;
  if (g_hash_table_lookup_extended (self->counter_of_title, title, NULL, &found))
    return GPOINTER_TO_UINT (found);
  SluiceViewCounter *counter = g_new0 (SluiceViewCounter, 1);
  counter->device = sluice_trace_view_keep_text (self, device);
  counter->name = sluice_trace_view_keep_text (self, name);
  counter->counts = g_array_new (FALSE, FALSE, sizeof (SluiceTraceCount));
  g_hash_table_insert (self->counter_of_title, g_steal_pointer (&title),
                       GUINT_TO_POINTER (self->counters->len));
  g_ptr_array_add (self->counters, counter);
  return self->counters->len - 1;
}

static gint64
clamp_time (gint64 time)
{
  return CLAMP (time, -SLUICE_VIEW_MAX_TIME, SLUICE_VIEW_MAX_TIME);
}

void
sluice_trace_view_add_count (SluiceTraceView *self, guint number, gint64 time, double value)
{
  const SluiceViewCounter *counter = self->counters->pdata[number];
  const SluiceTraceCount count = { clamp_time (time), value };
  g_array_append_val (counter->counts, count);
  self->is_beside_sorted = FALSE;
}

void
sluice_trace_view_add_mark (SluiceTraceView *self, guint lane, gint64 time, const char *name)
{
  const SluiceTraceMark mark = { clamp_time (time), sluice_trace_view_keep_text (self, name),
                                 lane };
  g_array_append_val (self->marks, mark);
  self->is_beside_sorted = FALSE;
}

void
sluice_trace_view_add_flow (SluiceTraceView *self, guint64 from, guint64 to)
{
  const SluiceTraceFlow flow = { from, to };
  g_array_append_val (self->flows, flow);
  self->is_beside_sorted = FALSE;
}

void
sluice_trace_view_name_lane (
    SluiceTraceView *self, guint number, SluiceLaneKind kind, const char *device, const char *name)
{
  SluiceViewLane *lane = self->lanes->pdata[number];
  lane->told.kind = kind;
  lane->told.device = sluice_trace_view_keep_text (self, device);
  lane->told.name = sluice_trace_view_keep_text (self, name);
}

void
sluice_trace_view_name_counter (SluiceTraceView *self, guint number, const char *device)
{
  SluiceViewCounter *counter = self->counters->pdata[number];
  counter->device = sluice_trace_view_keep_text (self, device);
}

/* ---- settling ---- */

/* What comes first in all three. */
static int
compare_first (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return x < y ? -1 : x > y;
}
G_STATIC_ASSERT (G_STRUCT_OFFSET (SluiceTraceCount, time) == 0);
G_STATIC_ASSERT (G_STRUCT_OFFSET (SluiceTraceMark, time) == 0);
G_STATIC_ASSERT (G_STRUCT_OFFSET (SluiceTraceFlow, from) == 0);

/* g_array_sort() keeps the order of equals, which are mostly there in order. */
void
sluice_trace_view_settle_beside (SluiceTraceView *self)
{
  if (self->is_beside_sorted)
    return;
  for (guint i = 0; i < self->counters->len; i++)
    g_array_sort (((SluiceViewCounter *) self->counters->pdata[i])->counts, compare_first);
  g_array_sort (self->marks, compare_first);
  g_array_sort (self->flows, compare_first);
  self->is_beside_sorted = TRUE;
}

/* ---- asking ---- */

guint
sluice_trace_view_get_n_counters (const SluiceTraceView *self)
{
  return self->counters->len;
}

void
sluice_trace_view_get_counter (const SluiceTraceView *self,
                               guint number,
                               SluiceTraceCounter *counter)
{
  const SluiceViewCounter *own = self->counters->pdata[number];
  counter->device = own->device;
  counter->name = own->name;
  counter->counts = (const SluiceTraceCount *) own->counts->data;
  counter->n = own->counts->len;
}

const SluiceTraceMark *
sluice_trace_view_get_marks (const SluiceTraceView *self, guint64 *n)
{
  *n = self->marks->len;
  return (const SluiceTraceMark *) self->marks->data;
}

const SluiceTraceFlow *
sluice_trace_view_get_flows (const SluiceTraceView *self, guint64 *n)
{
  *n = self->flows->len;
  return (const SluiceTraceFlow *) self->flows->data;
}
