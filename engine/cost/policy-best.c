/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Branch and bound over everything. Groups get their devices one after the other; of devices that
 * are alike in all figures, and that nothing stands on yet, only the first is tried: the others
 * would give the same schedules by other names. A branch ends where a bound says that nothing in it
 * is better than what is known. Bounds leave rules out and never count too much: nodes and values
 * need not wait for devices and links, and a reader may have each of its values from whichever
 * device is best for it; or one device has its own work to do, or all of them together all of it.
 * Where every group has its device, sequence.c finds the best orders, and proves that there are no
 * better ones.
 */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/cost/sequence.h"

#define NONE       G_MAXUINT
#define MOST_FREE  12
#define MOST_STEPS 300000000 /* some minutes, where no time was given */

typedef struct
{
  const SluiceWorkload *w;
  const SluicePolicyGroups *groups;
  guint n_devices;
  guint *alike; /* by device: the first that is like it */
  guint *first_reader, *readers;
  guint *group_device;  /* NONE: not chosen */
  guint *n_on_device;   /* groups */
  guint *devices;       /* by node, once all are chosen */
  double *ends, *tails; /* [node * n_devices + device]: see find_ends() */
  SluiceSequencer *sequencer;
  SluiceSearchBudget budget;
  double best_us;
  SluiceChoice *choice;
} Best;

/* ---- devices that are alike ---- */

static gboolean
are_links_alike (const SluiceMachineLink *a, const SluiceMachineLink *b)
{
  if (!isfinite (a->latency_us) || !isfinite (b->latency_us))
    return !isfinite (a->latency_us) && !isfinite (b->latency_us);
  return !(a->latency_us < b->latency_us || a->latency_us > b->latency_us
           || a->bytes_per_us < b->bytes_per_us || a->bytes_per_us > b->bytes_per_us);
}

static gboolean
are_alike (const SluiceWorkload *w, guint a, guint b)
{
  const SluiceMachine *m = w->machine;
  double less = MIN (m->devices[a].memory, m->devices[b].memory);
  if (MAX (m->devices[a].memory, m->devices[b].memory) > less
      || !are_links_alike (sluice_machine_get_link (m, a, b), sluice_machine_get_link (m, b, a)))
    return FALSE;
  for (guint d = 0; d < m->n_devices; d++)
    if (d != a && d != b
        && (!are_links_alike (sluice_machine_get_link (m, a, d), sluice_machine_get_link (m, b, d))
            || !are_links_alike (sluice_machine_get_link (m, d, a),
                                 sluice_machine_get_link (m, d, b))))
      return FALSE;
  for (guint v = 0; v < w->n_nodes; v++)
    {
      double x = sluice_workload_get_us (w, v, a), y = sluice_workload_get_us (w, v, b);
      if (x < y || x > y)
        return FALSE;
    }
  return TRUE;
}

/* ---- bounds ---- */

static gboolean
may_stand (const Best *self, guint v, guint d)
{
  guint group = self->w->nodes[v].group, chosen = self->group_device[group];
  return chosen != NONE ? chosen == d
                        : isfinite (sluice_policy_groups_get_us (self->groups, group, d));
}

/* The least over the devices that one end of a value may have, of its time there and the way to d.
 */
static double
find_least (const Best *self, const double *times, guint d, double bytes, gboolean is_source)
{
  double least = INFINITY;
  for (guint e = 0; e < self->n_devices; e++)
    {
      if (!isfinite (times[e]))
        continue;
      double way =
          e == d
              ? 0
              : sluice_machine_link_get_us (
                  sluice_machine_get_link (self->w->machine, is_source ? e : d, is_source ? d : e),
                  bytes);
      least = MIN (least, times[e] + way);
    }
  return least;
}

/* When each node has ended on each device, at best; INFINITY: it does not stand there. */
static void
find_ends (Best *self)
{
  const SluiceWorkload *w = self->w;
  for (guint v = 0; v < w->n_nodes; v++)
    for (guint d = 0; d < self->n_devices; d++)
      {
        double start = may_stand (self, v, d) ? 0 : INFINITY;
        for (guint i = 0; i < sluice_workload_get_n_needs (w, v) && isfinite (start); i++)
          {
            guint maker, value = sluice_workload_get_need (w, v, i, &maker);
            start = MAX (start, find_least (self, self->ends + maker * self->n_devices, d,
                                            sluice_workload_get_bytes (w, value), TRUE));
          }
        self->ends[v * self->n_devices + d] = start + sluice_workload_get_us (w, v, d);
      }
}

/* From each node's start on each device to the end of all that needs it, at best. */
static void
find_tails (Best *self)
{
  const SluiceWorkload *w = self->w;
  for (guint v = w->n_nodes; v-- > 0;)
    for (guint d = 0; d < self->n_devices; d++)
      {
        const SluiceWorkloadNode *node = &w->nodes[v];
        double tail = may_stand (self, v, d) ? 0 : INFINITY;
        for (guint i = 0; i <= node->n_outputs && isfinite (tail); i++)
          {
            guint value = i < node->n_outputs ? node->first_output + i : w->n_outputs + v;
            for (guint k = self->first_reader[value]; k < self->first_reader[value + 1]; k++)
              tail = MAX (tail, find_least (self, self->tails + self->readers[k] * self->n_devices,
                                            d, sluice_workload_get_bytes (w, value), FALSE));
          }
        self->tails[v * self->n_devices + d] = tail + sluice_workload_get_us (w, v, d);
      }
}

/* Each device does what stands there already, all of them together everything. */
static double
find_load_bound (const Best *self)
{
  const SluiceWorkload *w = self->w;
  double all = 0, most = 0;
  for (guint group = 0; group < self->groups->n; group++)
    {
      guint d = self->group_device[group];
      d = d != NONE ? d : sluice_policy_groups_get_fastest (self->groups, group);
      all += sluice_policy_groups_get_us (self->groups, group, d);
    }
  for (guint d = 0; d < self->n_devices; d++)
    {
      double first = INFINITY, sum = 0, last = INFINITY;
      for (guint v = 0; v < w->n_nodes; v++)
        if (self->group_device[w->nodes[v].group] == d)
          {
            double us = sluice_workload_get_us (w, v, d);
            first = MIN (first, self->ends[v * self->n_devices + d] - us);
            last = MIN (last, self->tails[v * self->n_devices + d] - us);
            sum += us;
          }
      if (sum > 0)
        most = MAX (most, first + sum + last);
    }
  return MAX (most, all / self->n_devices);
}

static double
find_bound (Best *self)
{
  double bound = 0;
  find_ends (self);
  find_tails (self);
  for (guint v = 0; v < self->w->n_nodes; v++)
    {
      double least = INFINITY;
      for (guint d = 0; d < self->n_devices; d++)
        {
          guint i = v * self->n_devices + d;
          if (may_stand (self, v, d))
            least = MIN (least,
                         self->ends[i] + self->tails[i] - sluice_workload_get_us (self->w, v, d));
        }
      bound = MAX (bound, least);
    }
  return isfinite (bound) ? MAX (bound, find_load_bound (self)) : INFINITY;
}

/* ---- the search ---- */

/* Takes it where it is better. (transfer full) schedule */
static void
keep (Best *self, SluiceSimulation *schedule)
{
  self->best_us = schedule->us;
  g_clear_pointer (&self->choice->schedule, sluice_simulation_free);
  self->choice->schedule = schedule;
  memcpy (self->choice->devices, schedule->devices, self->w->n_nodes * sizeof (guint));
}

static void
search_orders (Best *self)
{
  for (guint group = 0; group < self->groups->n; group++)
    sluice_policy_groups_put (self->groups, group, self->group_device[group], self->devices);
  self->choice->n_tried++;
  if (isfinite (sluice_sequencer_run (self->sequencer, self->devices, self->best_us)))
    keep (self, sluice_sequencer_dup_simulation (self->sequencer));
}

/* Is there one like it, before it, that nothing stands on either? */
static gboolean
is_like_another (const Best *self, guint d)
{
  for (guint e = 0; e < d && self->n_on_device[d] == 0; e++)
    if (self->alike[e] == self->alike[d] && self->n_on_device[e] == 0)
      return TRUE;
  return FALSE;
}

typedef struct
{
  guint device;
  double bound;
} Branch;

static int
compare_branches (gconstpointer a, gconstpointer b)
{
  const Branch *x = a, *y = b;
  if (x->bound < y->bound || x->bound > y->bound)
    return x->bound < y->bound ? -1 : 1;
  return x->device < y->device ? -1 : x->device > y->device;
}

static void
search_devices (Best *self, guint group)
{
  if (group == self->groups->n)
    {
      search_orders (self);
      return;
    }
  guint n = 0;
  g_autofree Branch *branches = g_new (Branch, self->n_devices);
  for (guint d = 0; d < self->n_devices && sluice_search_budget_step (&self->budget); d++)
    if (isfinite (sluice_policy_groups_get_us (self->groups, group, d))
        && !is_like_another (self, d))
      {
        self->group_device[group] = d;
        branches[n++] = (Branch){ d, self->groups->n_allowed[group] > 1 ? find_bound (self) : 0 };
      }
  self->group_device[group] = NONE;
  qsort (branches, n, sizeof *branches, compare_branches);
  for (guint i = 0; i < n && !self->budget.is_over; i++)
    {
      if (!isfinite (branches[i].bound)
          || sluice_search_is_no_better (branches[i].bound, self->best_us))
        continue;
      self->group_device[group] = branches[i].device;
      self->n_on_device[branches[i].device]++;
      search_devices (self, group + 1);
      self->n_on_device[branches[i].device]--;
      self->group_device[group] = NONE;
    }
}

/* ---- what is known before: a good schedule ends most branches ---- */

static gboolean
try_devices (Best *self, SluiceSimulator *simulator, const guint *devices)
{
  self->choice->n_tried++;
  if (sluice_policy_simulate (simulator, devices, NULL) >= self->best_us)
    return FALSE;
  keep (self, sluice_simulator_dup_simulation (simulator));
  return TRUE;
}

static void
begin_well (Best *self)
{
  static const SluicePolicy *const others[] = { &sluice_policy_greedy, &sluice_policy_single,
                                                &sluice_policy_round_robin };
  const SluicePolicyOptions options = { .cancellable = self->budget.options->cancellable };
  g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (self->w);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      SluiceChoice other = { .devices = self->devices };
      if (others[i]->choose (self->w, &options, &other, NULL))
        try_devices (self, simulator, self->devices);
    }
  for (gboolean is_better = isfinite (self->best_us); is_better;)
    {
      is_better = FALSE;
      for (guint group = 0; group < self->groups->n; group++)
        for (guint d = 0; d < self->n_devices; d++)
          {
            memcpy (self->devices, self->choice->devices, self->w->n_nodes * sizeof (guint));
            if (!isfinite (sluice_policy_groups_get_us (self->groups, group, d)))
              continue;
            sluice_policy_groups_put (self->groups, group, d, self->devices);
            is_better |= try_devices (self, simulator, self->devices);
          }
    }
}

/* ---- the policy ---- */

static Best *
best_new (const SluiceWorkload *w, const SluicePolicyGroups *groups, SluiceChoice *choice)
{
  Best *self = g_new0 (Best, 1);
  guint n = self->n_devices = w->machine->n_devices;
  self->w = w;
  self->groups = groups;
  self->choice = choice;
  self->best_us = INFINITY;
  self->alike = g_new (guint, n);
  for (guint d = 0; d < n; d++)
    for (self->alike[d] = 0; self->alike[d] < d && !are_alike (w, self->alike[d], d);)
      self->alike[d]++;
  sluice_workload_index_readers (w, &self->first_reader, &self->readers);
  self->group_device = g_new (guint, groups->n + 1);
  memset (self->group_device, 0xff, groups->n * sizeof (guint));
  self->n_on_device = g_new0 (guint, n);
  self->devices = g_new0 (guint, w->n_nodes + 1);
  self->ends = g_new (double, (gsize) w->n_nodes *n + 1);
  self->tails = g_new (double, (gsize) w->n_nodes *n + 1);
  self->sequencer = sluice_sequencer_new (w, &self->budget);
  return self;
}

static void
best_free (Best *self)
{
  g_free (self->alike);
  g_free (self->first_reader);
  g_free (self->readers);
  g_free (self->group_device);
  g_free (self->n_on_device);
  g_free (self->devices);
  g_free (self->ends);
  g_free (self->tails);
  sluice_sequencer_free (self->sequencer);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Best, best_free)

static gboolean
fail_budget (const Best *self, GError **error)
{
  if (g_cancellable_is_cancelled (self->budget.options->cancellable))
    return sluice_fail (error, SLUICE_ERROR_CANCELLED, "the placement was cancelled");
  return sluice_fail (error, SLUICE_ERROR_DEADLINE_EXCEEDED,
                      "'best' has not looked at everything in %" G_GUINT64_FORMAT
                      " steps; take 'greedy', or tie nodes together",
                      self->budget.n_done);
}

static gboolean
choose (const SluiceWorkload *w,
        const SluicePolicyOptions *options,
        SluiceChoice *choice,
        GError **error)
{
  g_autoptr (SluicePolicyGroups) groups = sluice_policy_groups_new (w, error);
  guint n_free = 0;
  if (groups == NULL)
    return FALSE;
  for (guint group = 0; group < groups->n; group++)
    n_free += groups->n_allowed[group] > 1;
  if (n_free > MOST_FREE)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'best' looks at every placement and takes up to %d nodes that may choose "
                        "a device, there are %u; take 'greedy'",
                        MOST_FREE, n_free);
  g_autoptr (Best) self = best_new (w, groups, choice);
  self->budget.options = options;
  self->budget.n_left = options->n_steps > 0   ? options->n_steps
                        : options->seconds > 0 ? G_MAXUINT64
                                               : MOST_STEPS;
  self->budget.end_us = options->seconds > 0
                            ? g_get_monotonic_time () + (gint64) (options->seconds * G_USEC_PER_SEC)
                            : G_MAXINT64;
  begin_well (self);
  search_devices (self, 0);
  if (self->budget.is_over)
    return fail_budget (self, error);
  if (isfinite (self->best_us))
    return TRUE;
  if (sluice_sequencer_has_met_memory (self->sequencer))
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "no placement and no order fits into the memories of the devices");
  return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                      "no placement has a link for everything that must travel");
}

const SluicePolicy sluice_policy_best = {
  .name = "best",
  .summary = N_ ("the best of all placements and orders: of up to 12 nodes"),
  .choose = choose,
};
