/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Critical path, slack and what-if against a search through all ways, on steps drawn by lot, and on
 * what samples ran. */
#include <math.h>

#include "engine/passes/passes.h"
#include "engine/trace/critical-path.h"
#include "kernels/registry.h"
#include "tests/engine/trace/traced.h"

#define N_DRAWN 200
#define MAX_N   14
#define N_LANES 3

static SluiceTraceItem *
item_at (const SluiceTraceDepends *depends, guint i)
{
  return &g_array_index (depends->items, SluiceTraceItem, i);
}

/* Items in a valid order with needs, lanes and delays by lot. */
static SluiceTraceDepends *
draw (GRand *rand)
{
  SluiceTraceDepends *self = sluice_trace_depends_new_empty ();
  guint last[N_LANES] = { SLUICE_DEPENDS_NONE, SLUICE_DEPENDS_NONE, SLUICE_DEPENDS_NONE };
  guint n = g_rand_int_range (rand, 1, MAX_N + 1);
  self->start = g_rand_int_range (rand, 0, 100);
  self->end = self->start;
  for (guint i = 0; i < n; i++)
    {
      SluiceTraceItem item = { .span = i,
                               .start = self->start,
                               .lane = g_rand_int_range (rand, 0, N_LANES),
                               .first_need = self->needs->len };
      item.before = last[item.lane];
      last[item.lane] = i;
      if (item.before != SLUICE_DEPENDS_NONE)
        item.start = MAX (item.start, item_at (self, item.before)->end);
      for (guint k = 0; k < i; k++)
        if (g_rand_int_range (rand, 0, 4) == 0)
          {
            const SluiceTraceNeed need = { k, 0, NULL };
            g_array_append_val (self->needs, need);
            item.n_needs++;
            item.start = MAX (item.start, item_at (self, k)->end);
          }
      item.start += g_rand_int_range (rand, 0, 3) * g_rand_int_range (rand, 0, 10);
      item.end = item.start + g_rand_int_range (rand, 0, 50);
      self->end = MAX (self->end, item.end);
      g_array_append_val (self->items, item);
    }
  return self;
}

/* ---- by force ---- */

/* When an item would end, were each so long: down all ways, nothing is remembered. */
static gint64
find_end (const SluiceTraceDepends *self, const gint64 *times, guint i)
{
  const SluiceTraceItem *item = item_at (self, i);
  gint64 measured = self->start, begin = self->start;
  for (guint k = 0; k <= item->n_needs; k++)
    {
      guint before = k < item->n_needs
                         ? g_array_index (self->needs, SluiceTraceNeed, item->first_need + k).item
                         : item->before;
      if (before == SLUICE_DEPENDS_NONE)
        continue;
      measured = MAX (measured, item_at (self, before)->end);
      begin = MAX (begin, find_end (self, times, before));
    }
  return begin + (item->start - measured) + times[i];
}

static gint64
find_time (const SluiceTraceDepends *self, const gint64 *times)
{
  gint64 end = self->start;
  for (guint i = 0; i < self->items->len; i++)
    end = MAX (end, find_end (self, times, i));
  return end - self->start;
}

static void
get_times (const SluiceTraceDepends *self, gint64 *times)
{
  for (guint i = 0; i < self->items->len; i++)
    times[i] = item_at (self, i)->end - item_at (self, i)->start;
}

/* ---- checks ---- */

static double
get_factor (guint item, gpointer data)
{
  const double *factors = data;
  return factors[item];
}

static double
get_one (guint item, gpointer data)
{
  return 1;
}

/* From the start to the end without a hole, and nothing on it may take longer. */
static void
check_path (const SluiceCriticalPath *path)
{
  const SluiceTraceDepends *depends = path->depends;
  gint64 at = depends->start, busy = 0;
  for (guint i = 0; i < path->path->len; i++)
    {
      const SluiceCriticalItem *step = &g_array_index (path->path, SluiceCriticalItem, i);
      const SluiceTraceItem *item = item_at (depends, step->item);
      g_assert_cmpint (item->start, ==, at + step->waited);
      g_assert_cmpint (step->waited, >=, 0);
      g_assert_cmpint (path->slack[step->item], ==, 0);
      g_assert_cmpint (step->by_lane, ==,
                       i > 0 && step->by_lane
                           && item->before
                                  == g_array_index (path->path, SluiceCriticalItem, i - 1).item);
      at = item->end;
      busy += item->end - item->start;
    }
  g_assert_cmpint (at, ==, depends->end);
  g_assert_cmpint (busy, ==, path->busy);
}

static void
check_measured (const SluiceCriticalPath *path)
{
  const SluiceTraceDepends *depends = path->depends;
  g_autofree gint64 *starts = g_new (gint64, depends->items->len);
  g_assert_cmpint (sluice_critical_path_what_if (path, get_one, NULL, starts), ==,
                   depends->end - depends->start);
  for (guint i = 0; i < depends->items->len; i++)
    g_assert_cmpint (starts[i], ==, item_at (depends, i)->start);
}

static void
test_drawn (void)
{
  for (guint32 seed = 1; seed <= N_DRAWN; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (SluiceTraceDepends) depends = draw (rand);
      g_autoptr (SluiceCriticalPath) path = sluice_critical_path_new (depends);
      gint64 times[MAX_N], whole = depends->end - depends->start;
      double factors[MAX_N];
      check_path (path);
      check_measured (path);
      get_times (depends, times);
      g_assert_cmpint (find_time (depends, times), ==, whole);
      for (guint i = 0; i < depends->items->len; i++)
        {
          gint64 time = times[i];
          times[i] = time + path->slack[i];
          g_assert_cmpint (find_time (depends, times), ==, whole);
          times[i]++;
          g_assert_cmpint (find_time (depends, times), ==, whole + 1);
          times[i] = time;
          factors[i] = g_rand_double_range (rand, 0, 2);
        }
      for (guint i = 0; i < depends->items->len; i++)
        times[i] = llround ((double) times[i] * factors[i]);
      g_assert_cmpint (sluice_critical_path_what_if (path, get_factor, factors, NULL), ==,
                       find_time (depends, times));
    }
}

/* Of what ran: the path is as long as the step, and half of a node on it saves something. */
static void
check_sample (const char *sample, const char *device, const char *const *over, guint n_cpus)
{
  Traced traced;
  traced_init (&traced, sample, device, over, n_cpus, 2);
  SluiceGraph *graph = sluice_session_get_graph (traced.replica->session);
  guint n_needs = 0, n_by_value = 0;
  for (guint64 step = 1; step <= 2; step++)
    {
      g_autoptr (SluiceTraceDepends) depends = sluice_trace_depends_new (traced.view, graph, step);
      g_autoptr (SluiceCriticalPath) path = sluice_critical_path_new (depends);
      g_assert_cmpuint (depends->items->len, >, 10);
      check_path (path);
      check_measured (path);
      n_needs += depends->needs->len;
      for (guint i = 0; i < path->path->len; i++)
        n_by_value += !g_array_index (path->path, SluiceCriticalItem, i).by_lane;
    }
  g_assert_cmpuint (n_needs, >, 20);
  g_assert_cmpuint (n_by_value, >, 0);
  traced_clear (&traced);
}

static void
test_samples (void)
{
  static const char *const cpus[] = { "CPU:0", "CPU:1", NULL };
  static const char *const cpu_and_sim[] = { "CPU:0", "SIM:0", NULL };
  check_sample ("digits-mlp", NULL, NULL, 1);
  check_sample ("digits-mlp", NULL, cpus, 2);
  check_sample ("digits-mlp", "SIM:0", cpu_and_sim, 1);
  check_sample ("lstm", NULL, NULL, 1);
  check_sample ("towers", NULL, NULL, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_test_add_func ("/trace/critical-path/drawn", test_drawn);
  g_test_add_func ("/trace/critical-path/samples", test_samples);
  return g_test_run ();
}
