/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-heat.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  SluiceHeatNode told;
  guint place; /* of its times, as they were read */
} Row;

static int
compare_rows (gconstpointer pa, gconstpointer pb)
{
  const Row *a = pa, *b = pb;
  if (a->told.total != b->told.total)
    return a->told.total > b->told.total ? -1 : 1;
  return strcmp (a->told.name, b->told.name);
}

static int
compare_times (gconstpointer pa, gconstpointer pb)
{
  gint64 a = *(const gint64 *) pa, b = *(const gint64 *) pb;
  return a < b ? -1 : a > b;
}

static int
compare_steps (gconstpointer pa, gconstpointer pb)
{
  guint64 a = *(const guint64 *) pa, b = *(const guint64 *) pb;
  return a < b ? -1 : a > b;
}

/* Most spans follow one of the same step. */
static guint
find_step (const GArray *steps, guint64 step, guint guess)
{
  guint place;
  if (guess < steps->len && g_array_index (steps, guint64, guess) == step)
    return guess;
  return g_array_binary_search ((GArray *) steps, &step, compare_steps, &place) ? place
                                                                                : steps->len;
}

static guint
ensure_row (GHashTable *by_name, GArray *rows, const char *name)
{
  gpointer place;
  if (g_hash_table_lookup_extended (by_name, name, NULL, &place))
    return GPOINTER_TO_UINT (place);
  const Row row = { { .name = name }, rows->len };
  g_hash_table_insert (by_name, (gpointer) name, GUINT_TO_POINTER (rows->len));
  g_array_append_val (rows, row);
  return row.place;
}

/* (transfer full) (element-type gint64): by node and step */
static GArray *
read_times (const SluiceTraceView *view, const GArray *steps, GArray *rows)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  GArray *times = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint at = 0;
  for (guint64 i = 0; i < sluice_trace_view_get_n_spans (view); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      if (span.kind == SLUICE_SPAN_WAIT || span.step == 0)
        continue;
      at = find_step (steps, span.step, at);
      if (at >= steps->len)
        continue; /* the view tells of no such step */
      guint row = ensure_row (by_name, rows, span.name);
      for (gint64 none = SLUICE_HEAT_NONE; times->len < rows->len * steps->len;)
        g_array_append_val (times, none);
      gint64 *time = &g_array_index (times, gint64, row * steps->len + at);
      *time = MAX (*time, 0) + span.end - span.start;
    }
  return times;
}

static void
sum_up (SluiceHeatNode *node, const gint64 *times, guint n, gint64 *sorted)
{
  for (guint i = 0; i < n; i++)
    if (times[i] != SLUICE_HEAT_NONE)
      {
        sorted[node->n_steps++] = times[i];
        node->total += times[i];
        node->most = MAX (node->most, times[i]);
      }
  qsort (sorted, node->n_steps, sizeof *sorted, compare_times);
  node->median = sorted[(node->n_steps - 1) / 2];
}

SluiceTraceHeat *
sluice_trace_heat_new (const SluiceTraceView *view)
{
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (view, &n);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_autofree gint64 *sorted = g_new (gint64, n + 1);
  SluiceTraceHeat *self = g_new0 (SluiceTraceHeat, 1);
  self->nodes = g_array_new (FALSE, FALSE, sizeof (SluiceHeatNode));
  self->steps = g_array_sized_new (FALSE, FALSE, sizeof (guint64), n);
  for (guint i = 0; i < n; i++)
    if (steps[i].step != 0)
      g_array_append_val (self->steps, steps[i].step);
  guint width = self->steps->len;
  g_autoptr (GArray) times = read_times (view, self->steps, rows);
  for (guint i = 0; i < rows->len; i++)
    sum_up (&g_array_index (rows, Row, i).told, &g_array_index (times, gint64, i * width), width,
            sorted);
  g_array_sort (rows, compare_rows);
  self->times = g_new (gint64, (gsize) rows->len * width + 1);
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);
      g_array_append_val (self->nodes, row->told);
      self->most = MAX (self->most, row->told.most);
      memcpy (self->times + (gsize) i * width,
              &g_array_index (times, gint64, (gsize) row->place * width), width * sizeof (gint64));
    }
  return self;
}

void
sluice_trace_heat_free (SluiceTraceHeat *self)
{
  g_array_unref (self->nodes);
  g_array_unref (self->steps);
  g_free (self->times);
  g_free (self);
}

gint64
sluice_trace_heat_get_time (const SluiceTraceHeat *self, guint node, guint step)
{
  return self->times[(gsize) node * self->steps->len + step];
}

guint
sluice_trace_heat_find_longest (const SluiceTraceHeat *self, guint node, guint from, guint end)
{
  guint found = end;
  for (guint i = from; i < end; i++)
    {
      gint64 time = sluice_trace_heat_get_time (self, node, i);
      if (time != SLUICE_HEAT_NONE
          && (found == end || time > sluice_trace_heat_get_time (self, node, found)))
        found = i;
    }
  return found;
}
