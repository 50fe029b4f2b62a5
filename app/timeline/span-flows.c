/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/span-flows.h"

#define MOST_FLOWS   24  /* of each direction: a constant may have thousands of readers */
#define MOST_VISITED 500 /* nodes without spans that are gone through */

typedef struct
{
  const SluiceStepPicture *picture;
  const SluiceTraceSpan *span;
  gboolean is_back; /* what it read */
  GHashTable *seen; /* set of SluiceNode */
  GQueue waiting;   /* of SluiceNode */
  GArray *found;    /* of guint64 */
} Walk;

/* The one that is nearest in time, on the right side of the span. */
static guint64
find_nearest (const Walk *walk, const char *node)
{
  GArray *spans = g_hash_table_lookup (walk->picture->by_name, node);
  guint64 best = SLUICE_SPAN_NONE;
  gint64 distance = G_MAXINT64;
  for (guint i = 0; spans != NULL && i < spans->len; i++)
    {
      guint64 number = g_array_index (spans, guint64, i);
      SluiceTraceSpan other;
      sluice_trace_view_get_span (walk->picture->view, number, &other);
      gint64 air = walk->is_back ? walk->span->start - other.end : other.start - walk->span->end;
      if (other.step != walk->span->step || air < 0 || air >= distance)
        continue;
      best = number;
      distance = air;
    }
  return best;
}

static void
visit (Walk *walk, SluiceNode *node)
{
  if (node == NULL || !g_hash_table_add (walk->seen, node)
      || g_hash_table_size (walk->seen) > MOST_VISITED)
    return;
  guint64 span = find_nearest (walk, node->name);
  if (span == SLUICE_SPAN_NONE)
    g_queue_push_tail (&walk->waiting, node);
  else if (walk->found->len < MOST_FLOWS)
    g_array_append_val (walk->found, span);
}

static void
visit_around (Walk *walk, const SluiceNode *node)
{
  guint n_uses = 0;
  const SluiceUse *uses = sluice_graph_get_uses (node->graph, node, &n_uses);
  for (guint i = 0; walk->is_back && i < node->n_inputs; i++)
    visit (walk, node->inputs[i].node);
  for (guint i = 0; walk->is_back && i < node->n_control_inputs; i++)
    visit (walk, node->control_inputs[i]);
  for (guint i = 0; !walk->is_back && i < n_uses; i++)
    visit (walk, uses[i].node);
}

static int
compare_ends (gconstpointer a, gconstpointer b, gpointer data)
{
  const Walk *walk = data;
  SluiceTraceSpan x, y;
  sluice_trace_view_get_span (walk->picture->view, *(const guint64 *) a, &x);
  sluice_trace_view_get_span (walk->picture->view, *(const guint64 *) b, &y);
  gint64 p = walk->is_back ? -x.end : x.start, q = walk->is_back ? -y.end : y.start;
  return p < q ? -1 : p > q;
}

static GArray *
walk_from (const SluiceStepPicture *picture,
           const SluiceTraceSpan *span,
           SluiceNode *node,
           gboolean is_back)
{
  Walk walk = { picture,      span,
                is_back,      g_hash_table_new (NULL, NULL),
                G_QUEUE_INIT, g_array_new (FALSE, FALSE, sizeof (guint64)) };
  g_hash_table_add (walk.seen, node);
  visit_around (&walk, node);
  for (SluiceNode *next; (next = g_queue_pop_head (&walk.waiting)) != NULL;)
    visit_around (&walk, next);
  g_array_sort_with_data (walk.found, compare_ends, &walk);
  g_hash_table_unref (walk.seen);
  return walk.found;
}

SluiceSpanFlows *
sluice_span_flows_new (const SluiceStepPicture *picture, SluiceGraph *graph, guint64 number)
{
  SluiceSpanFlows *self = g_new0 (SluiceSpanFlows, 1);
  SluiceTraceSpan span;
  sluice_trace_view_get_span (picture->view, number, &span);
  SluiceNode *node = graph != NULL ? sluice_graph_find (graph, span.name) : NULL;
  self->read = node != NULL ? walk_from (picture, &span, node, TRUE)
                            : g_array_new (FALSE, FALSE, sizeof (guint64));
  self->readers = node != NULL ? walk_from (picture, &span, node, FALSE)
                               : g_array_new (FALSE, FALSE, sizeof (guint64));
  return self;
}

void
sluice_span_flows_free (SluiceSpanFlows *self)
{
  g_array_unref (self->read);
  g_array_unref (self->readers);
  g_free (self);
}
