/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/area-sums.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  const char *name;
  GArray *times; /* of gint64 */
  gint64 total, self;
} Name;

/* One that runs, and may have others within it. */
typedef struct
{
  gint64 end;
  Name *name;
} Open;

typedef struct
{
  const SluiceTraceView *view;
  const SluiceLanesArea *area;
  GHashTable *names; /* name -> Name */
  GArray *spans;     /* of guint64, of one lane */
} Sums;

static void
name_free (gpointer data)
{
  Name *self = data;

  g_array_unref (self->times);
  g_free (self);
}

static void
take_piece (const SluiceTracePiece *piece, gpointer data)
{
  g_array_append_val (((Sums *) data)->spans, piece->span);
}

/* The one that others lie in comes before them. */
static int
compare_spans (gconstpointer a, gconstpointer b, gpointer data)
{
  SluiceTraceSpan x;
  SluiceTraceSpan y;

  sluice_trace_view_get_span (data, *(const guint64 *) a, &x);
  sluice_trace_view_get_span (data, *(const guint64 *) b, &y);
  if (x.start != y.start)
    return x.start < y.start ? -1 : 1;
  return x.end > y.end ? -1 : x.end < y.end;
}

static Name *
ensure_name (Sums *self, const char *text)
{
  Name *name = g_hash_table_lookup (self->names, text);

  if (name != NULL)
    return name;
  name = g_new0 (Name, 1);
  name->name = text;
  name->times = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_hash_table_insert (self->names, (gpointer) text, name);
  return name;
}

/* Those of a lane lie within each other, or after each other; where they do neither, they overlap,
 * and none is the other's part. */
static void
add_lane (Sums *self)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Open));

  g_array_sort_with_data (self->spans, compare_spans, (gpointer) self->view);
  for (guint i = 0; i < self->spans->len; i++)
    {
      SluiceTraceSpan span;

      sluice_trace_view_get_span (self->view, g_array_index (self->spans, guint64, i), &span);
      gint64 time = span.end - span.start;
      Name *name = ensure_name (self, span.name);
      const Open own = { span.end, name };

      while (open->len > 0 && g_array_index (open, Open, open->len - 1).end <= span.start)
        g_array_set_size (open, open->len - 1);
      if (open->len > 0 && g_array_index (open, Open, open->len - 1).end >= span.end)
        g_array_index (open, Open, open->len - 1).name->self -= time;
      g_array_append_val (open, own);
      g_array_append_val (name->times, time);
      name->total += time;
      name->self += time;
    }
  g_array_set_size (self->spans, 0);
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a;
  gint64 y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

static int
compare_sums (gconstpointer pa, gconstpointer pb)
{
  const SluiceAreaSum *a = pa;
  const SluiceAreaSum *b = pb;

  if (a->total != b->total)
    return a->total > b->total ? -1 : 1;
  return strcmp (a->name, b->name);
}

static SluiceAreaSum
sum_up (Name *name)
{
  guint n = name->times->len;

  g_array_sort (name->times, compare_times);
  return (SluiceAreaSum){ .name = name->name,
                          .n = n,
                          .total = name->total,
                          .self = name->self,
                          .p50 = g_array_index (name->times, gint64, (n - 1) / 2),
                          .p95 = g_array_index (name->times, gint64, (n - 1) * 95 / 100) };
}

GArray *
sluice_area_sums_new (const SluiceTraceView *view,
                      const SluiceLanesLayout *layout,
                      const SluiceLanesArea *area)
{
  GArray *sums = g_array_new (FALSE, FALSE, sizeof (SluiceAreaSum));
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, name_free);
  Sums self = { view, area, names, spans };
  GHashTableIter iter;
  gpointer name;

  for (guint i = area->first; i <= area->last && i < layout->rows->len; i++)
    {
      const SluiceLanesRow *row = &g_array_index (layout->rows, SluiceLanesRow, i);

      if (row->begins_lane)
        add_lane (&self);
      sluice_trace_view_each_piece (view, row->lane, row->row, area->from, area->to, 0, take_piece,
                                    &self);
    }
  add_lane (&self);
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, NULL, &name))
    {
      const SluiceAreaSum sum = sum_up (name);
      g_array_append_val (sums, sum);
    }
  g_array_sort (sums, compare_sums);
  return sums;
}
