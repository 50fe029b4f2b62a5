/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-depends.h"

#include <string.h>

#include "engine/graph/role.h"

typedef struct
{
  const SluiceTraceView *view;
  const SluiceGraph *graph;
  SluiceTraceDepends *self;
  GArray *spans;       /* of SluiceTraceSpan, by item */
  GHashTable *by_name; /* name -> 1 + the last item of that name */
  GArray *same_name;   /* of guint: 1 + the item of that name before this one, by item */
  GHashTable *seen;    /* nodes that were looked through for one item */
} Builder;

SluiceTraceDepends *
sluice_trace_depends_new_empty (void)
{
  SluiceTraceDepends *self = g_new0 (SluiceTraceDepends, 1);
  self->items = g_array_new (FALSE, FALSE, sizeof (SluiceTraceItem));
  self->needs = g_array_new (FALSE, FALSE, sizeof (SluiceTraceNeed));
  self->item_of_span = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return self;
}

void
sluice_trace_depends_free (SluiceTraceDepends *self)
{
  g_array_unref (self->items);
  g_array_unref (self->needs);
  g_hash_table_unref (self->item_of_span);
  g_free (self);
}

/* ---- which spans ---- */

typedef struct
{
  Builder *builder;
  guint64 step;
} Collecting;

static void
collect_span (const SluiceTracePiece *piece, gpointer data)
{
  const Collecting *collecting = data;
  Builder *b = collecting->builder;
  SluiceTraceSpan span;
  sluice_trace_view_get_span (b->view, piece->span, &span);
  if (span.step != collecting->step || span.kind == SLUICE_SPAN_LOCK)
    return; /* what waits for a lock is part of its node */
  const SluiceTraceItem item = { .span = piece->span,
                                 .start = span.start,
                                 .end = span.end,
                                 .ready = span.scheduled,
                                 .lane = span.lane,
                                 .before = SLUICE_DEPENDS_NONE };
  g_array_append_val (b->self->items, item);
}

static int
compare_items (gconstpointer a, gconstpointer b)
{
  const SluiceTraceItem *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return x->span < y->span ? -1 : x->span > y->span;
}

/* What is received begins when it was sent: before that its receiver only waits for it. */
static void
begin_when_sent (Builder *b)
{
  g_autoptr (GHashTable) sent = g_hash_table_new (g_str_hash, g_str_equal);
  GArray *items = b->self->items;
  for (guint i = 0; i < items->len; i++)
    {
      SluiceTraceItem *item = &g_array_index (items, SluiceTraceItem, i);
      SluiceTraceSpan span;
      sluice_trace_view_get_span (b->view, item->span, &span);
      if (span.kind == SLUICE_SPAN_SEND)
        g_hash_table_insert (sent, (gpointer) span.name, item);
    }
  for (guint i = 0; i < items->len; i++)
    {
      SluiceTraceItem *item = &g_array_index (items, SluiceTraceItem, i);
      SluiceTraceSpan span;
      sluice_trace_view_get_span (b->view, item->span, &span);
      const SluiceTraceItem *send =
          span.kind == SLUICE_SPAN_RECV ? g_hash_table_lookup (sent, span.name) : NULL;
      if (send != NULL && span.frame == NULL && send->end <= item->end)
        item->start = MAX (item->start, send->end);
    }
}

static void
collect (Builder *b, guint64 step)
{
  SluiceTraceDepends *self = b->self;
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (b->view, &n);
  guint i = 0;
  while (i < n && steps[i].step != step)
    i++;
  self->step = step;
  if (i == n)
    return;
  self->start = steps[i].start;
  self->end = steps[i].end;
  Collecting collecting = { b, step };
  for (guint lane = 0; lane < sluice_trace_view_get_n_lanes (b->view); lane++)
    for (guint row = 0; row < sluice_trace_view_get_lane (b->view, lane)->n_rows; row++)
      sluice_trace_view_each_piece (b->view, lane, row, self->start - 1, self->end + 1, 0,
                                    collect_span, &collecting);
  begin_when_sent (b);
  g_array_sort (self->items, compare_items);
}

static gboolean
does_one_thing (const SluiceTraceLane *lane)
{
  return lane->kind == SLUICE_LANE_THREAD || lane->kind == SLUICE_LANE_QUEUE
         || lane->kind == SLUICE_LANE_LINK;
}

/* Names, and what ran on each lane before. */
static void
index_items (Builder *b)
{
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL); /* lane -> 1 + item */
  GArray *items = b->self->items;
  for (guint i = 0; i < items->len; i++)
    {
      SluiceTraceItem *item = &g_array_index (items, SluiceTraceItem, i);
      SluiceTraceSpan span;
      sluice_trace_view_get_span (b->view, item->span, &span);
      g_array_append_val (b->spans, span);
      guint same = GPOINTER_TO_UINT (g_hash_table_lookup (b->by_name, span.name));
      g_array_append_val (b->same_name, same);
      g_hash_table_insert (b->by_name, (gpointer) span.name, GUINT_TO_POINTER (i + 1));
      g_hash_table_insert (b->self->item_of_span, g_memdup2 (&item->span, sizeof item->span),
                           GUINT_TO_POINTER (i));
      if (!does_one_thing (sluice_trace_view_get_lane (b->view, item->lane)))
        continue;
      gpointer lane = GUINT_TO_POINTER (item->lane);
      guint before = GPOINTER_TO_UINT (g_hash_table_lookup (last, lane));
      if (before > 0 && g_array_index (items, SluiceTraceItem, before - 1).end <= item->start)
        item->before = before - 1;
      g_hash_table_insert (last, lane, GUINT_TO_POINTER (i + 1));
    }
}

/* ---- what they need ---- */

static const char *
device_of (const Builder *b, guint item)
{
  guint lane = g_array_index (b->self->items, SluiceTraceItem, item).lane;
  return sluice_trace_view_get_lane (b->view, lane)->device;
}

/* Could the consumer have read what this one made? */
static gboolean
could_read (const Builder *b, guint maker, guint item, gboolean comes_around)
{
  const SluiceTraceItem *from = &g_array_index (b->self->items, SluiceTraceItem, maker);
  const SluiceTraceItem *to = &g_array_index (b->self->items, SluiceTraceItem, item);
  const SluiceTraceSpan *x = &g_array_index (b->spans, SluiceTraceSpan, maker);
  const SluiceTraceSpan *y = &g_array_index (b->spans, SluiceTraceSpan, item);
  if (maker >= item || from->end > to->start)
    return FALSE;
  return x->frame != y->frame || x->frame == NULL || x->iteration + comes_around == y->iteration;
}

/* Of spans of a name the one that was read: on the consumer's device, else what was received there,
 * else where it was made; the last of those that had ended. SLUICE_DEPENDS_NONE: none had. */
static guint
find_maker (const Builder *b, const char *name, guint item, gboolean comes_around)
{
  static const guint worth[] = {
    [SLUICE_SPAN_NODE] = 3, [SLUICE_SPAN_WAIT] = 3,  [SLUICE_SPAN_SEND] = 0, [SLUICE_SPAN_RECV] = 2,
    [SLUICE_SPAN_COPY] = 2, [SLUICE_SPAN_OTHER] = 1, [SLUICE_SPAN_LOCK] = 0, [SLUICE_SPAN_HOST] = 0,
  };
  guint best = SLUICE_DEPENDS_NONE, best_worth = 0;
  guint i = GPOINTER_TO_UINT (g_hash_table_lookup (b->by_name, name));
  for (; i > 0; i = g_array_index (b->same_name, guint, i - 1))
    {
      guint maker = i - 1;
      if (!could_read (b, maker, item, comes_around))
        continue;
      SluiceSpanKind kind = g_array_index (b->spans, SluiceTraceSpan, maker).kind;
      guint its_worth = worth[kind];
      if (its_worth > 0 && device_of (b, maker) == device_of (b, item))
        its_worth += 3;
      else if (kind == SLUICE_SPAN_RECV) /* over the host, through a queue of its maker */
        its_worth += 2;
      if (its_worth == 0 || its_worth < best_worth)
        continue;
      const SluiceTraceItem *items = (const SluiceTraceItem *) b->self->items->data;
      if (its_worth == best_worth && items[maker].end <= items[best].end)
        continue;
      best = maker;
      best_worth = its_worth;
    }
  return best;
}

static void
add_need (Builder *b, guint item, SluiceTraceNeed need)
{
  SluiceTraceItem *to = &g_array_index (b->self->items, SluiceTraceItem, item);
  for (guint i = 0; i < to->n_needs; i++)
    if (g_array_index (b->self->needs, SluiceTraceNeed, to->first_need + i).item == need.item)
      return;
  g_array_append_val (b->self->needs, need);
  to->n_needs++;
  gint64 end = g_array_index (b->self->items, SluiceTraceItem, need.item).end;
  to->ready = MAX (to->ready, end);
}

static gboolean
has_spans (const Builder *b, const char *name)
{
  return name != NULL && g_hash_table_contains (b->by_name, name);
}

/* @node made what an item reads; where it has no span, what it was fused into has, or what it read.
 * TRUE: that is known now. */
static gboolean
need_node (Builder *b, guint item, const SluiceNode *node, int port)
{
  const char *own = g_array_index (b->spans, SluiceTraceSpan, item).name;
  const char *name =
      has_spans (b, node->name) ? node->name : sluice_trace_view_get_together (b->view, node->name);
  if (!has_spans (b, name) || strcmp (name, own) == 0)
    return FALSE;
  gboolean comes_around = sluice_node_get_role (node) == SLUICE_ROLE_NEXT_ITERATION;
  guint maker = find_maker (b, name, item, comes_around);
  if (maker != SLUICE_DEPENDS_NONE)
    add_need (b, item, (SluiceTraceNeed){ maker, port, name == node->name ? NULL : node->name });
  return TRUE;
}

static void
need_inputs (Builder *b, guint item, const SluiceNode *node)
{
  g_autoptr (GPtrArray) through = g_ptr_array_new (); /* without spans */
  g_hash_table_remove_all (b->seen);
  g_ptr_array_add (through, (gpointer) node);
  while (through->len > 0)
    {
      const SluiceNode *at = g_ptr_array_steal_index (through, through->len - 1);
      for (guint i = 0; i < at->n_inputs; i++)
        if (at->inputs[i].node != NULL
            && !need_node (b, item, at->inputs[i].node, at->inputs[i].port)
            && g_hash_table_add (b->seen, at->inputs[i].node))
          g_ptr_array_add (through, at->inputs[i].node);
      for (guint i = 0; i < at->n_control_inputs; i++)
        if (!need_node (b, item, at->control_inputs[i], -1)
            && g_hash_table_add (b->seen, at->control_inputs[i]))
          g_ptr_array_add (through, at->control_inputs[i]);
    }
}

/* A transfer needs that what it carries was made, and what is received that it was sent. */
static void
need_carried (Builder *b, guint item)
{
  const SluiceTraceSpan *span = &g_array_index (b->spans, SluiceTraceSpan, item);
  guint best = SLUICE_DEPENDS_NONE;
  guint i = GPOINTER_TO_UINT (g_hash_table_lookup (b->by_name, span->name));
  for (; i > 0; i = g_array_index (b->same_name, guint, i - 1))
    {
      SluiceSpanKind kind = g_array_index (b->spans, SluiceTraceSpan, i - 1).kind;
      gboolean carries =
          kind == SLUICE_SPAN_RECV || (kind == SLUICE_SPAN_SEND && span->kind == kind);
      if (carries || !could_read (b, i - 1, item, FALSE))
        continue;
      if (best == SLUICE_DEPENDS_NONE || kind == SLUICE_SPAN_SEND)
        best = i - 1;
    }
  if (best != SLUICE_DEPENDS_NONE)
    add_need (b, item, (SluiceTraceNeed){ best, 0, NULL });
}

/* A plan holds back what the graph does not, as transfers until they are of use: it became ready
 * where its thread took the time, as something else began or ended. */
static void
need_release (Builder *b, guint item)
{
  const SluiceTraceItem *items = (const SluiceTraceItem *) b->self->items->data;
  gint64 ready = items[item].ready;
  if (ready <= b->self->start)
    return;
  for (guint i = item; i-- > 0;)
    if (items[i].end <= items[item].start && (items[i].start == ready || items[i].end == ready))
      {
        add_need (b, item, (SluiceTraceNeed){ i, -1, NULL });
        return;
      }
}

/* What ends on no thread of the step was there at its end: it is noted as ready only when a thread
 * that slept has woken up. */
static void
begin_when_ended (Builder *b, SluiceTraceItem *item)
{
  const SluiceTraceNeed *last = sluice_trace_depends_get_last_need (b->self, item);
  if (last == NULL || sluice_trace_view_get_lane (b->view, item->lane)->kind != SLUICE_LANE_THREAD)
    return;
  const SluiceTraceItem *made = &g_array_index (b->self->items, SluiceTraceItem, last->item);
  SluiceSpanKind kind = g_array_index (b->spans, SluiceTraceSpan, last->item).kind;
  if (kind == SLUICE_SPAN_WAIT || kind == SLUICE_SPAN_RECV
      || sluice_trace_view_get_lane (b->view, made->lane)->kind == SLUICE_LANE_QUEUE)
    item->ready = made->end;
}

static void
find_needs (Builder *b, guint i)
{
  SluiceTraceItem *item = &g_array_index (b->self->items, SluiceTraceItem, i);
  const SluiceTraceSpan *span = &g_array_index (b->spans, SluiceTraceSpan, i);
  item->first_need = b->self->needs->len;
  if (span->kind == SLUICE_SPAN_SEND || span->kind == SLUICE_SPAN_RECV)
    need_carried (b, i);
  else
    {
      const SluiceNode *node = b->graph ? sluice_graph_find (b->graph, span->name) : NULL;
      if (node != NULL)
        need_inputs (b, i, node);
    }
  if (item->n_needs == 0 && b->graph != NULL)
    need_release (b, i);
  begin_when_ended (b, item);
  item->ready = MIN (item->ready, item->start);
}

SluiceTraceDepends *
sluice_trace_depends_new (const SluiceTraceView *view, const SluiceGraph *graph, guint64 step)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (SluiceTraceSpan));
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) same_name = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  Builder b = { view, graph, sluice_trace_depends_new_empty (), spans, by_name, same_name, seen };
  collect (&b, step);
  index_items (&b);
  for (guint i = 0; i < b.self->items->len; i++)
    find_needs (&b, i);
  return b.self;
}

/* ---- asking ---- */

const SluiceTraceItem *
sluice_trace_depends_find (const SluiceTraceDepends *self, guint64 span)
{
  gpointer found;
  if (!g_hash_table_lookup_extended (self->item_of_span, &span, NULL, &found))
    return NULL;
  return &g_array_index (self->items, SluiceTraceItem, GPOINTER_TO_UINT (found));
}

const SluiceTraceNeed *
sluice_trace_depends_get_last_need (const SluiceTraceDepends *self, const SluiceTraceItem *item)
{
  const SluiceTraceNeed *last = NULL;
  const SluiceTraceItem *items = (const SluiceTraceItem *) self->items->data;
  for (guint i = 0; i < item->n_needs; i++)
    {
      const SluiceTraceNeed *need =
          &g_array_index (self->needs, SluiceTraceNeed, item->first_need + i);
      if (last == NULL || items[need->item].end > items[last->item].end)
        last = need;
    }
  return last;
}
