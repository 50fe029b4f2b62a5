/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-compare.h"

#include <string.h>

typedef struct
{
  GHashTable *by_name; /* text of a view -> place in nodes, which is kept as a pointer */
  SluiceTraceComparison *comparison;
} Work;

static SluiceTraceDifference *
ensure_node (Work *self, const SluiceTraceSpan *span)
{
  GArray *nodes = self->comparison->nodes;
  gpointer place;
  if (!g_hash_table_lookup_extended (self->by_name, span->name, NULL, &place))
    {
      const SluiceTraceDifference node = {
        .name = span->name, .op = span->op, .span_a = SLUICE_SPAN_NONE, .span_b = SLUICE_SPAN_NONE
      };
      place = GUINT_TO_POINTER (nodes->len);
      g_hash_table_insert (self->by_name, (gpointer) span->name, place);
      g_array_append_val (nodes, node);
    }
  return &g_array_index (nodes, SluiceTraceDifference, GPOINTER_TO_UINT (place));
}

typedef struct
{
  gint64 time;
  guint64 n, first;
  gint64 start; /* of the first */
} Sum;

static void
add_span (Sum *sum, const SluiceTraceSpan *span, guint64 number)
{
  if (sum->n == 0 || span->start < sum->start)
    {
      sum->first = number;
      sum->start = span->start;
    }
  sum->time += span->end - span->start;
  sum->n++;
}

/* Numbers of spans do not follow their times: how the first is found needs a sum of its own. */
static void
take_step (Work *self, const SluiceTraceView *view, guint64 step, gboolean is_b)
{
  SluiceTraceComparison *comparison = self->comparison;
  g_autoptr (GArray) sums = g_array_new (FALSE, TRUE, sizeof (Sum));
  gint64 start = G_MAXINT64, end = G_MININT64;
  for (guint64 i = 0; i < sluice_trace_view_get_n_spans (view); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      if (step != 0 && span.step != step)
        continue;
      start = MIN (start, span.start);
      end = MAX (end, span.end);
      if (span.kind == SLUICE_SPAN_WAIT)
        continue;
      guint place = (guint) (ensure_node (self, &span)
                             - (const SluiceTraceDifference *) comparison->nodes->data);
      if (place >= sums->len)
        g_array_set_size (sums, place + 1);
      add_span (&g_array_index (sums, Sum, place), &span, i);
    }
  gint64 *work = is_b ? &comparison->work_b : &comparison->work_a;
  for (guint i = 0; i < sums->len; i++)
    {
      SluiceTraceDifference *node = &g_array_index (comparison->nodes, SluiceTraceDifference, i);
      const Sum *sum = &g_array_index (sums, Sum, i);
      *(is_b ? &node->b : &node->a) = sum->time;
      *(is_b ? &node->n_b : &node->n_a) = sum->n;
      if (sum->n > 0)
        *(is_b ? &node->span_b : &node->span_a) = sum->first;
      *work += sum->time;
    }
  *(is_b ? &comparison->length_b : &comparison->length_a) = end > start ? end - start : 0;
}

static int
compare_nodes (gconstpointer pa, gconstpointer pb)
{
  const SluiceTraceDifference *x = pa, *y = pb;
  gint64 dx = ABS (x->b - x->a), dy = ABS (y->b - y->a);
  if (dx != dy)
    return dx > dy ? -1 : 1;
  return strcmp (x->name, y->name);
}

SluiceTraceComparison *
sluice_trace_compare (const SluiceTraceView *a,
                      guint64 step_a,
                      const SluiceTraceView *b,
                      guint64 step_b)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  SluiceTraceComparison *comparison = g_new0 (SluiceTraceComparison, 1);
  Work work = { by_name, comparison };
  comparison->nodes = g_array_new (FALSE, FALSE, sizeof (SluiceTraceDifference));
  take_step (&work, a, step_a, FALSE);
  take_step (&work, b, step_b, TRUE);
  for (guint i = 0; i < comparison->nodes->len; i++)
    {
      const SluiceTraceDifference *node =
          &g_array_index (comparison->nodes, SluiceTraceDifference, i);
      comparison->n_only_a += node->n_b == 0;
      comparison->n_only_b += node->n_a == 0;
    }
  g_array_sort (comparison->nodes, compare_nodes);
  return comparison;
}

void
sluice_trace_comparison_free (SluiceTraceComparison *self)
{
  g_array_unref (self->nodes);
  g_free (self);
}
