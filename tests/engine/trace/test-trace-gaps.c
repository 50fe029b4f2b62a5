/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Gaps between what lanes ran: of samples the causes together are the idle time, each names what it
 * waited for; of a trace made by hand each cause is the one that was planted. */
#include "engine/graph/builder.h"
#include "engine/passes/passes.h"
#include "engine/trace/trace-gaps.h"
#include "kernels/registry.h"
#include "tests/engine/trace/traced.h"

#define N_STEPS 4
#define N_PARTS 20

typedef struct
{
  const char *sample, *device;
  const char *over[3];
  guint n_cpus;
} Way;

static const Way ways[] = {
  { "digits-mlp", NULL, { NULL }, 1 },
  { "digits-mlp", NULL, { "CPU:0", "CPU:1", NULL }, 2 },
  { "digits-mlp", "SIM:0", { "CPU:0", "SIM:0", NULL }, 1 },
  { "lstm", NULL, { NULL }, 1 }, /* loops */
  { "lstm", "SIM:0", { NULL }, 1 },
  { "towers", NULL, { NULL }, 2 },  /* two devices as they ask */
  { "hogwild", NULL, { NULL }, 1 }, /* steps that run at once */
  { "word2vec", NULL, { NULL }, 1 },
  { "moe", NULL, { NULL }, 2 },
  { "moe", NULL, { "CPU:0", "CPU:1", NULL }, 2 },
  { "digits-lenet", NULL, { NULL }, 1 },
  { "cart-pole", NULL, { NULL }, 1 },
};

/* Of the whole lane: between busy times, beside one another, together the idle time. */
static void
check_lane (const SluiceTraceView *view, guint lane, const GArray *gaps, guint64 counts[])
{
  gint64 begin, end, idle = 0, unlocked = G_MININT64;
  sluice_trace_view_get_extent (view, &begin, &end);
  const SluiceTraceLane *told = sluice_trace_view_get_lane (view, lane);
  for (guint i = 0; i < gaps->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (gaps, SluiceTraceGap, i);
      g_assert_cmpint (gap->start, <, gap->end);
      g_assert_cmpuint (gap->lane, ==, lane);
      g_assert_cmpint (gap->cause, !=, SLUICE_GAP_UNKNOWN);
      counts[gap->cause]++;
      if (gap->cause == SLUICE_GAP_LOCK) /* within a span, and once */
        {
          SluiceTraceSpan waiting;
          sluice_trace_view_get_span (view, gap->next, &waiting);
          g_assert_true (waiting.lane == lane && waiting.start <= gap->start
                         && waiting.end >= gap->end && gap->start >= unlocked);
          unlocked = gap->end;
          continue;
        }
      if (i > 0 && (gap - 1)->cause != SLUICE_GAP_LOCK)
        g_assert_cmpint ((gap - 1)->end, <=, gap->start);
      for (guint row = 0; row < told->n_rows; row++)
        g_assert_cmpuint (sluice_trace_view_find (view, lane, row, gap->start), ==,
                          SLUICE_SPAN_NONE);
      if (gap->cause <= SLUICE_GAP_QUEUE || gap->cause == SLUICE_GAP_ELSEWHERE)
        {
          SluiceTraceSpan maker;
          g_assert_cmpuint (gap->maker, !=, SLUICE_SPAN_NONE);
          sluice_trace_view_get_span (view, gap->maker, &maker);
          if (gap->cause == SLUICE_GAP_ELSEWHERE)
            g_assert_true (maker.start <= gap->start && maker.end >= gap->end);
          else
            g_assert_cmpuint (maker.step, ==, gap->step);
          /* Who receives may be there before it is sent. */
          if (gap->cause != SLUICE_GAP_ELSEWHERE && maker.kind != SLUICE_SPAN_SEND)
            g_assert_cmpint (maker.end, <=, gap->end);
        }
      idle += gap->end - gap->start;
    }
  g_assert_cmpint (idle, ==, end - begin - told->busy);
}

/* Whoever asks for a part gets what touches it of the whole. */
static void
check_part (SluiceTraceGaps *gaps, guint lane, const GArray *all, gint64 from, gint64 to)
{
  g_autoptr (GArray) part = sluice_trace_gaps_find (gaps, lane, from, to);
  guint k = 0;
  for (guint i = 0; i < all->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (all, SluiceTraceGap, i);
      if (gap->end <= from || gap->start >= to)
        continue;
      g_assert_cmpuint (k, <, part->len);
      const SluiceTraceGap *got = &g_array_index (part, SluiceTraceGap, k++);
      g_assert_cmpint (got->start, ==, gap->start);
      g_assert_cmpint (got->end, ==, gap->end);
      g_assert_cmpint (got->cause, ==, gap->cause);
      g_assert_cmpuint (got->maker, ==, gap->maker);
    }
  g_assert_cmpuint (k, ==, part->len);
}

static void
check_way (const Way *way, GRand *rand)
{
  Traced traced;
  traced_init (&traced, way->sample, way->device, way->over[0] ? way->over : NULL, way->n_cpus,
               N_STEPS);
  g_autoptr (SluiceTraceGaps) gaps =
      sluice_trace_gaps_new (traced.view, sluice_session_get_graph (traced.replica->session));
  gint64 begin, end;
  sluice_trace_view_get_extent (traced.view, &begin, &end);
  guint64 counts[SLUICE_N_GAP_CAUSES] = { 0 };
  for (guint lane = 0; lane < sluice_trace_view_get_n_lanes (traced.view); lane++)
    {
      g_autoptr (GArray) all = sluice_trace_gaps_find (gaps, lane, begin, end);
      if (sluice_trace_view_get_lane (traced.view, lane)->kind == SLUICE_LANE_WAIT)
        g_assert_cmpuint (all->len, ==, 0);
      else
        check_lane (traced.view, lane, all, counts);
      for (guint i = 0; i < N_PARTS; i++)
        {
          gint64 from = begin + (gint64) (g_rand_double (rand) * (double) (end - begin));
          gint64 to = from + (gint64) (g_rand_double (rand) * (double) (end - from) / 8);
          check_part (gaps, lane, all, from, to);
        }
    }
  g_assert_cmpuint (counts[SLUICE_GAP_BETWEEN] + counts[SLUICE_GAP_FEED], >=, N_STEPS - 1);
  if (way->over[0] != NULL)
    {
      g_assert_cmpuint (counts[SLUICE_GAP_TRANSFER], >, 0);
      g_assert_cmpuint (counts[SLUICE_GAP_ELSEWHERE], >, 0);
    }
  traced_clear (&traced);
}

static void
test_samples (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    check_way (&ways[i], rand);
}

/* ---- planted ---- */

static SluiceGraph *
make_graph (void)
{
  g_autoptr (GError) error = NULL;
  SluiceGraph *graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceAttrValue type = { .kind = SLUICE_ATTR_TYPE, .type = SLUICE_FLOAT };
  SluiceAttrValue types = { .kind = SLUICE_ATTR_LIST,
                            .list_kind = SLUICE_ATTR_TYPE,
                            .list = { &type, 1 } };
  const SluiceAttr floats[] = { sluice_attr_type ("dtype", SLUICE_FLOAT) };
  const SluiceAttr components[] = { sluice_attr_value ("component_types", &types) };
  SluiceEdge a = sluice_builder_add (&b, "Placeholder", "a", NULL, 0, floats, 1);
  SluiceEdge first = sluice_builder_add (&b, "Neg", "b", &a, 1, NULL, 0);
  SluiceEdge fused = sluice_builder_add (&b, "Neg", "fused", &first, 1, NULL, 0);
  SluiceEdge gone = sluice_builder_add (&b, "Identity", "gone", &fused, 1, NULL, 0);
  SluiceEdge c = sluice_builder_add (&b, "Neg", "c", &gone, 1, NULL, 0);
  SluiceEdge queue = sluice_builder_add (&b, "FIFOQueueV2", "queue", NULL, 0, components, 1);
  SluiceEdge take = sluice_builder_add (&b, "QueueDequeueV2", "take", &queue, 1, components, 1);
  sluice_builder_add (&b, "Add", "e", (SluiceEdge[]){ c, take }, 2, NULL, 0);
  sluice_builder_add (&b, "Neg", "far", &first, 1, NULL, 0);
  sluice_builder_finish (&b, &error);
  g_assert_no_error (error);
  return graph;
}

enum
{
  CPU0_LANE0,
  CPU0_LANE1,
  CPU0_WAITS,
  CPU1_LANE0,
  CPU1_LANE1,
};

static const SluiceTraceSpan planted_spans[] = {
  { 99, 100, 110, "a", "Placeholder", SLUICE_SPAN_NODE, CPU0_LANE0, 0, 1 },
  { 105, 112, 150, "b", "Neg", SLUICE_SPAN_NODE, CPU0_LANE0, 0, 1 },
  { 150, 150, 152, "b", "_Send", SLUICE_SPAN_SEND, CPU0_LANE0, 0, 1 },
  { 100, 101, 190, "take", "QueueDequeueV2", SLUICE_SPAN_WAIT, CPU0_WAITS, 0, 1 },
  { 112, 155, 170, "c", "Neg", SLUICE_SPAN_NODE, CPU0_LANE1, 0, 1 },
  { 170, 193, 200, "e", "Add", SLUICE_SPAN_NODE, CPU0_LANE1, 0, 1 },
  { 150, 150, 160, "b", "_Recv", SLUICE_SPAN_RECV, CPU1_LANE0, 0, 1 },
  { 152, 175, 180, "far", "Neg", SLUICE_SPAN_NODE, CPU1_LANE1, 0, 1 },
  { 299, 300, 310, "a", "Placeholder", SLUICE_SPAN_NODE, CPU0_LANE0, 0, 2 },
};

static const struct
{
  guint lane;
  gint64 start, end;
  SluiceGapCause cause;
  const char *maker, *value;
  guint64 step;
} planted_gaps[] = {
  { CPU0_LANE0, 110, 112, SLUICE_GAP_DISPATCH, NULL, NULL, 1 },
  { CPU0_LANE0, 152, 200, SLUICE_GAP_NO_WORK, NULL, NULL, 1 },
  { CPU0_LANE0, 200, 300, SLUICE_GAP_BETWEEN, NULL, NULL, 0 },
  { CPU0_LANE1, 100, 150, SLUICE_GAP_INPUT, "b", "fused", 1 },
  { CPU0_LANE1, 150, 155, SLUICE_GAP_WAKE, NULL, NULL, 1 },
  { CPU0_LANE1, 170, 190, SLUICE_GAP_QUEUE, "take", NULL, 1 },
  { CPU0_LANE1, 190, 193, SLUICE_GAP_WAKE, NULL, NULL, 1 },
  { CPU0_LANE1, 200, 300, SLUICE_GAP_BETWEEN, NULL, NULL, 0 },
  { CPU0_LANE1, 300, 310, SLUICE_GAP_NO_WORK, NULL, NULL, 2 },
  { CPU1_LANE0, 100, 150, SLUICE_GAP_TRANSFER, "b", NULL, 1 },
  { CPU1_LANE0, 160, 200, SLUICE_GAP_NO_WORK, NULL, NULL, 1 },
  { CPU1_LANE0, 200, 300, SLUICE_GAP_BETWEEN, NULL, NULL, 0 },
  { CPU1_LANE0, 300, 310, SLUICE_GAP_NO_WORK, NULL, NULL, 2 },
  { CPU1_LANE1, 100, 160, SLUICE_GAP_TRANSFER, "b", NULL, 1 },
  { CPU1_LANE1, 160, 170, SLUICE_GAP_ELSEWHERE, "c", NULL, 1 },
  { CPU1_LANE1, 170, 175, SLUICE_GAP_DISPATCH, NULL, NULL, 1 },
  { CPU1_LANE1, 180, 200, SLUICE_GAP_NO_WORK, NULL, NULL, 1 },
  { CPU1_LANE1, 200, 300, SLUICE_GAP_BETWEEN, NULL, NULL, 0 },
  { CPU1_LANE1, 300, 310, SLUICE_GAP_NO_WORK, NULL, NULL, 2 },
};

static SluiceTraceView *
make_view (void)
{
  SluiceTraceView *view = sluice_trace_view_new ();
  sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", "lane 0");
  sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", "lane 1");
  sluice_trace_view_add_lane (view, SLUICE_LANE_WAIT, "CPU:0", "waits");
  sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:1", "lane 0");
  sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:1", "lane 1");
  for (guint i = 0; i < G_N_ELEMENTS (planted_spans); i++)
    sluice_trace_view_add (view, &planted_spans[i]);
  sluice_trace_view_add_together (view, "b", "fused");
  sluice_trace_view_settle (view);
  return view;
}

static void
test_planted (void)
{
  g_autoptr (SluiceGraph) graph = make_graph ();
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (view, graph);
  guint k = 0;
  for (guint lane = 0; lane < sluice_trace_view_get_n_lanes (view); lane++)
    {
      g_autoptr (GArray) found = sluice_trace_gaps_find (gaps, lane, 0, 1000);
      for (guint i = 0; i < found->len; i++, k++)
        {
          const SluiceTraceGap *gap = &g_array_index (found, SluiceTraceGap, i);
          SluiceTraceSpan maker = { 0 };
          if (gap->maker != SLUICE_SPAN_NONE)
            sluice_trace_view_get_span (view, gap->maker, &maker);
          g_assert_cmpuint (k, <, G_N_ELEMENTS (planted_gaps));
          g_assert_cmpuint (lane, ==, planted_gaps[k].lane);
          g_assert_cmpint (gap->start, ==, planted_gaps[k].start);
          g_assert_cmpint (gap->end, ==, planted_gaps[k].end);
          g_assert_cmpint (gap->cause, ==, planted_gaps[k].cause);
          g_assert_cmpstr (maker.name, ==, planted_gaps[k].maker);
          g_assert_cmpstr (gap->value, ==, planted_gaps[k].value);
          g_assert_cmpuint (gap->step, ==, planted_gaps[k].step);
        }
    }
  g_assert_cmpuint (k, ==, G_N_ELEMENTS (planted_gaps));
}

/* A wait for a lock is idle time within a span; one within another counts once, one of which the
 * span is not there not at all. */
static void
test_locks (void)
{
  g_autoptr (SluiceTraceView) view = make_view ();
  guint locks = sluice_trace_view_add_lane (view, SLUICE_LANE_WAIT, "CPU:0", "lane 1: locks");
  const SluiceTraceSpan waits[] = {
    { 156, 156, 168, "c", "variable", SLUICE_SPAN_LOCK, locks, 0, 1 },
    { 158, 158, 160, "c", "memory", SLUICE_SPAN_LOCK, locks, 0, 1 },
    { 180, 180, 185, "c", "variable", SLUICE_SPAN_LOCK, locks, 0, 1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    sluice_trace_view_add (view, &waits[i]);
  sluice_trace_view_settle (view);
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (view, NULL);
  g_autoptr (GArray) found = sluice_trace_gaps_find (gaps, CPU0_LANE1, 150, 180);
  guint n = 0;
  for (guint i = 0; i < found->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (found, SluiceTraceGap, i);
      SluiceTraceSpan holder;
      if (gap->cause != SLUICE_GAP_LOCK)
        continue;
      n++;
      g_assert_cmpint (gap->start, ==, 156);
      g_assert_cmpint (gap->end, ==, 168);
      g_assert_cmpuint (gap->step, ==, 1);
      sluice_trace_view_get_span (view, gap->maker, &holder);
      g_assert_cmpstr (holder.name, ==, "b"); /* what ran beside it and ended nearest */
    }
  g_assert_cmpuint (n, ==, 1);
}

/* What whoever runs the steps did between them, and while they ran: the latter is no gap. */
static void
test_between (void)
{
  static const struct
  {
    gint64 start, end;
    SluiceGapCause cause;
  } wanted[] = {
    { 200, 210, SLUICE_GAP_BETWEEN }, { 210, 230, SLUICE_GAP_LOG },
    { 230, 240, SLUICE_GAP_SAVE },    { 240, 245, SLUICE_GAP_BETWEEN },
    { 245, 285, SLUICE_GAP_PAUSED },  { 285, 290, SLUICE_GAP_BETWEEN },
    { 290, 300, SLUICE_GAP_FEED },
  };
  g_autoptr (SluiceTraceView) view = make_view ();
  guint host = sluice_trace_view_add_lane (view, SLUICE_LANE_WAIT, "host", "between steps");
  const SluiceTraceSpan works[] = {
    { 120, 120, 130, "log", "host", SLUICE_SPAN_HOST, host },
    { 210, 210, 230, "log", "host", SLUICE_SPAN_HOST, host },
    { 225, 225, 240, "save", "host", SLUICE_SPAN_HOST, host },
    { 245, 245, 285, "pause", "host", SLUICE_SPAN_HOST, host },
    { 290, 290, 305, "feed", "host", SLUICE_SPAN_HOST, host },
  };
  for (guint i = 0; i < G_N_ELEMENTS (works); i++)
    sluice_trace_view_add (view, &works[i]);
  sluice_trace_view_settle (view);
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (view, NULL);
  g_autoptr (GArray) found = sluice_trace_gaps_find (gaps, CPU0_LANE1, 200, 300);
  g_assert_cmpuint (found->len, ==, G_N_ELEMENTS (wanted));
  for (guint i = 0; i < found->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (found, SluiceTraceGap, i);
      g_assert_cmpint (gap->start, ==, wanted[i].start);
      g_assert_cmpint (gap->end, ==, wanted[i].end);
      g_assert_cmpint (gap->cause, ==, wanted[i].cause);
    }
}

/* What comes later is found, too: a gap is not remembered as it was. */
static void
test_grows (void)
{
  g_autoptr (SluiceGraph) graph = make_graph ();
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (view, graph);
  g_autoptr (GArray) before = sluice_trace_gaps_find (gaps, CPU0_LANE1, 300, 1000);
  g_assert_cmpuint (before->len, ==, 1);
  const SluiceTraceSpan more = {
    301, 340, 350, "c", "Neg", SLUICE_SPAN_NODE, CPU0_LANE1, 0, 2,
  };
  sluice_trace_view_add (view, &more);
  sluice_trace_view_settle (view);
  g_autoptr (GArray) after = sluice_trace_gaps_find (gaps, CPU0_LANE1, 300, 1000);
  g_assert_cmpuint (after->len, ==, 2);
  g_assert_cmpint (g_array_index (after, SluiceTraceGap, 1).cause, ==, SLUICE_GAP_WAKE);
  g_assert_cmpint (g_array_index (after, SluiceTraceGap, 1).end, ==, 340);
}

/* Of another program nothing is known but that it did nothing. */
static void
test_foreign (void)
{
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  guint lane = sluice_trace_view_add_lane (view, SLUICE_LANE_OTHER, "python", "main");
  for (gint64 i = 0; i < 3; i++)
    {
      const SluiceTraceSpan span = {
        10 * i, 10 * i, 10 * i + 5, "f", NULL, SLUICE_SPAN_OTHER, lane,
      };
      sluice_trace_view_add (view, &span);
    }
  sluice_trace_view_settle (view);
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (view, NULL);
  g_autoptr (GArray) found = sluice_trace_gaps_find (gaps, lane, 0, 100);
  g_assert_cmpuint (found->len, ==, 2);
  for (guint i = 0; i < found->len; i++)
    g_assert_cmpint (g_array_index (found, SluiceTraceGap, i).cause, ==, SLUICE_GAP_UNKNOWN);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_func ("/trace/trace-gaps/planted", test_planted);
  g_test_add_func ("/trace/trace-gaps/locks", test_locks);
  g_test_add_func ("/trace/trace-gaps/between", test_between);
  g_test_add_func ("/trace/trace-gaps/grows", test_grows);
  g_test_add_func ("/trace/trace-gaps/foreign", test_foreign);
  g_test_add_func ("/trace/trace-gaps/samples", test_samples);
  return g_test_run ();
}
