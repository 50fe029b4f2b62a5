/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Two steps node by node, and nodes by steps: of traces made by hand, and of random ones against
 * sums that are counted here in the plainest way. */
#include <string.h>

#include "engine/trace/trace-compare.h"
#include "engine/trace/trace-heat.h"

#define N_NAMES  12
#define N_STEPS  9
#define N_SPANS  600
#define N_RANDOM 20

static guint64
add (SluiceTraceView *view,
     const char *name,
     guint64 step,
     gint64 start,
     gint64 took,
     SluiceSpanKind kind)
{
  const SluiceTraceSpan span = { .scheduled = start,
                                 .start = start,
                                 .end = start + took,
                                 .name = name,
                                 .kind = kind,
                                 .lane = 0,
                                 .step = step };
  return sluice_trace_view_add (view, &span);
}

static SluiceTraceView *
new_view (void)
{
  SluiceTraceView *view = sluice_trace_view_new ();
  sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", "lane 0");
  return view;
}

static const SluiceTraceDifference *
find (const SluiceTraceComparison *comparison, const char *name)
{
  for (guint i = 0; i < comparison->nodes->len; i++)
    if (g_str_equal (g_array_index (comparison->nodes, SluiceTraceDifference, i).name, name))
      return &g_array_index (comparison->nodes, SluiceTraceDifference, i);
  return NULL;
}

static void
test_steps (void)
{
  g_autoptr (SluiceTraceView) view = new_view ();
  add (view, "b", 1, 30, 10, SLUICE_SPAN_NODE);
  guint64 a1 = add (view, "a", 1, 0, 10, SLUICE_SPAN_NODE);
  add (view, "b", 1, 15, 10, SLUICE_SPAN_NODE);
  add (view, "gone", 1, 50, 5, SLUICE_SPAN_NODE);
  add (view, "queue", 1, 0, 1000, SLUICE_SPAN_WAIT);
  add (view, "a", 2, 2000, 100, SLUICE_SPAN_NODE);
  add (view, "b", 2, 2100, 18, SLUICE_SPAN_NODE);
  add (view, "new", 2, 2200, 7, SLUICE_SPAN_NODE);
  sluice_trace_view_settle (view);
  g_autoptr (SluiceTraceComparison) c = sluice_trace_compare (view, 1, view, 2);
  static const char *const order[] = { "a", "new", "gone", "b" };
  g_assert_cmpuint (c->nodes->len, ==, G_N_ELEMENTS (order));
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    g_assert_cmpstr (g_array_index (c->nodes, SluiceTraceDifference, i).name, ==, order[i]);
  const SluiceTraceDifference *a = find (c, "a"), *b = find (c, "b"), *gone = find (c, "gone");
  g_assert_cmpint (a->a, ==, 10);
  g_assert_cmpint (a->b, ==, 100);
  g_assert_cmpuint (a->span_a, ==, a1);
  g_assert_cmpint (b->a, ==, 20);
  g_assert_cmpuint (b->n_a, ==, 2);
  g_assert_cmpuint (b->n_b, ==, 1);
  /* The first of them is the one that began first, in whichever order they were told. */
  SluiceTraceSpan first;
  sluice_trace_view_get_span (view, b->span_a, &first);
  g_assert_cmpint (first.start, ==, 15);
  g_assert_cmpuint (gone->n_b, ==, 0);
  g_assert_cmpuint (gone->span_b, ==, SLUICE_SPAN_NONE);
  g_assert_cmpuint (c->n_only_a, ==, 1);
  g_assert_cmpuint (c->n_only_b, ==, 1);
  g_assert_cmpint (c->length_a, ==, 1000);
  g_assert_cmpint (c->length_b, ==, 207);
  g_assert_cmpint (c->work_a, ==, 35);
  g_assert_cmpint (c->work_b, ==, 125);
  g_assert_null (find (c, "queue"));
}

static void
test_empty (void)
{
  g_autoptr (SluiceTraceView) view = new_view (), other = new_view ();
  add (other, "a", 1, 5, 10, SLUICE_SPAN_NODE);
  sluice_trace_view_settle (view);
  sluice_trace_view_settle (other);
  g_autoptr (SluiceTraceComparison) none = sluice_trace_compare (view, 1, view, 7);
  g_autoptr (SluiceTraceComparison) one = sluice_trace_compare (view, 0, other, 0);
  g_autoptr (SluiceTraceHeat) heat = sluice_trace_heat_new (view);
  g_assert_cmpuint (none->nodes->len, ==, 0);
  g_assert_cmpint (none->length_a, ==, 0);
  g_assert_cmpuint (one->nodes->len, ==, 1);
  g_assert_cmpuint (one->n_only_b, ==, 1);
  g_assert_cmpint (one->length_b, ==, 10);
  g_assert_cmpuint (heat->nodes->len, ==, 0);
  g_assert_cmpuint (heat->steps->len, ==, 0);
}

/* ---- random ones ---- */

typedef struct
{
  gint64 times[N_NAMES][N_STEPS + 1]; /* SLUICE_HEAT_NONE */
} Plain;

static SluiceTraceView *
make_random (GRand *rand, Plain *plain)
{
  SluiceTraceView *view = new_view ();
  for (guint i = 0; i < N_NAMES; i++)
    for (guint k = 0; k <= N_STEPS; k++)
      plain->times[i][k] = SLUICE_HEAT_NONE;
  for (guint i = 0; i < N_SPANS; i++)
    {
      guint name = (guint) g_rand_int_range (rand, 0, N_NAMES);
      guint step = (guint) g_rand_int_range (rand, 0, N_STEPS + 1);
      gint64 took = g_rand_int_range (rand, 0, 1000);
      gboolean waits = g_rand_int_range (rand, 0, 10) == 0;
      g_autofree char *text = g_strdup_printf ("node %u", name);
      add (view, text, step, g_rand_int_range (rand, 0, 100000), took,
           waits ? SLUICE_SPAN_WAIT : SLUICE_SPAN_NODE);
      if (!waits)
        plain->times[name][step] = MAX (plain->times[name][step], 0) + took;
    }
  sluice_trace_view_settle (view);
  return view;
}

static guint
read_name (const char *name)
{
  return (guint) g_ascii_strtoull (name + strlen ("node "), NULL, 10);
}

static void
check_compare (const SluiceTraceView *a, const Plain *pa, const SluiceTraceView *b, const Plain *pb)
{
  g_autoptr (SluiceTraceComparison) c = sluice_trace_compare (a, 3, b, 5);
  gint64 before = G_MAXINT64;
  guint n = 0;
  for (guint i = 0; i < N_NAMES; i++)
    n += pa->times[i][3] != SLUICE_HEAT_NONE || pb->times[i][5] != SLUICE_HEAT_NONE;
  g_assert_cmpuint (c->nodes->len, ==, n);
  for (guint i = 0; i < c->nodes->len; i++)
    {
      const SluiceTraceDifference *node = &g_array_index (c->nodes, SluiceTraceDifference, i);
      guint name = read_name (node->name);
      g_assert_cmpint (node->a, ==, MAX (pa->times[name][3], 0));
      g_assert_cmpint (node->b, ==, MAX (pb->times[name][5], 0));
      g_assert_cmpint (node->n_a == 0, ==, pa->times[name][3] == SLUICE_HEAT_NONE);
      g_assert_cmpint (ABS (node->b - node->a), <=, before);
      before = ABS (node->b - node->a);
    }
}

static void
check_heat (const SluiceTraceView *view, const Plain *plain)
{
  g_autoptr (SluiceTraceHeat) heat = sluice_trace_heat_new (view);
  gint64 before = G_MAXINT64;
  for (guint i = 0; i < heat->nodes->len; i++)
    {
      const SluiceHeatNode *node = &g_array_index (heat->nodes, SluiceHeatNode, i);
      guint name = read_name (node->name), n = 0, longest = heat->steps->len;
      gint64 total = 0, most = -1;
      for (guint k = 0; k < heat->steps->len; k++)
        {
          gint64 time = plain->times[name][g_array_index (heat->steps, guint64, k)];
          g_assert_cmpint (sluice_trace_heat_get_time (heat, i, k), ==, time);
          n += time != SLUICE_HEAT_NONE;
          total += MAX (time, 0);
          longest = time > most ? k : longest;
          most = MAX (most, time);
        }
      g_assert_cmpuint (node->n_steps, ==, n);
      g_assert_cmpint (node->total, ==, total);
      g_assert_cmpint (node->most, ==, most);
      g_assert_cmpint (node->median, <=, most);
      g_assert_cmpuint (sluice_trace_heat_find_longest (heat, i, 0, heat->steps->len), ==, longest);
      g_assert_cmpint (total, <=, before);
      before = total;
    }
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (23);
  for (guint i = 0; i < N_RANDOM; i++)
    {
      Plain a, b;
      g_autoptr (SluiceTraceView) x = make_random (rand, &a), y = make_random (rand, &b);
      check_compare (x, &a, y, &b);
      check_heat (x, &a);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace-compare/steps", test_steps);
  g_test_add_func ("/trace-compare/empty", test_empty);
  g_test_add_func ("/trace-compare/random", test_random);
  return g_test_run ();
}
