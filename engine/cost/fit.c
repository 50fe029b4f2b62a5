/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/fit.h"

#include <math.h>
#include <string.h>

#include "engine/cost/fit-private.h"

#define NONE        G_MAXUINT
#define FEW         10  /* candidates of which all sets are looked at */
#define MOST_STEPS  3e8 /* that all sets that are looked at have together: a second or two */
#define ROUND_STEPS 2e6 /* of them those that one decision more is chosen among */
#define RATCHET     0.98
#define MOST_ROUNDS 8

/* A set under consideration: of borrowed decisions, sorted. */
typedef struct
{
  const SluiceFitDecision **list;
  guint n;
} Set;

typedef struct
{
  SluiceFitter *fitter;
  const double *limits;
  double *tight; /* what the steps are held to: transfers and what comes back take more */
  double *bytes; /* scratch */
  double natural_us;
  GArray *candidates; /* of SluiceFitDecision */
  guint *above;       /* by step: how many steps before it are above the limit; scratch */
  Set set, other;
  /* The best so far. */
  gboolean fits;
  double best_us, best_above;
  GArray *best; /* of SluiceFitDecision */
  guint *best_order;
} Search;

/* ---- sets ---- */

static void
copy_set (Set *to, const Set *from)
{
  memcpy (to->list, from->list, from->n * sizeof *from->list);
  to->n = from->n;
}

static void
insert (const SluiceFitter *fitter, Set *set, const SluiceFitDecision *one)
{
  guint i = set->n++;
  for (; i > 0 && sluice_fitter_compare (fitter, set->list[i - 1], one) > 0; i--)
    set->list[i] = set->list[i - 1];
  set->list[i] = one;
}

static void
take_out (Set *set, guint i)
{
  memmove (&set->list[i], &set->list[i + 1], (--set->n - i) * sizeof *set->list);
}

static gboolean
has_gap (const Search *self, const Set *set, const SluiceFitDecision *one)
{
  for (guint i = 0; i < set->n; i++)
    if (sluice_fitter_compare (self->fitter, set->list[i], one) == 0)
      return TRUE;
  return FALSE;
}

/* Is what the steps say all there is to say: one device, and nothing travels? */
static gboolean
is_plain (const SluiceFitter *self, const Set *set)
{
  for (guint i = 0; i < set->n; i++)
    if (set->list[i]->kind == SLUICE_FIT_SWAP)
      return FALSE;
  for (guint v = 1; v < self->n; v++)
    if (self->task.devices[v] != self->task.devices[0])
      return FALSE;
  return TRUE;
}

/* limits: (nullable) */
static double
simulate (SluiceFitter *self,
          const double *limits,
          double *bytes,
          SluiceSimulation **schedule,
          SluiceWorkload **workload)
{
  g_autofree guint *devices = NULL;
  for (guint d = 0; d < self->n_devices; d++)
    self->machine.devices[d].memory =
        limits != NULL ? limits[d] - sluice_fitter_get_held (self, d) : INFINITY;
  g_autoptr (SluiceWorkload) w = sluice_fitter_dup_workload (self, &devices);
  g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (w);
  g_autofree double *ranks = g_new (double, w->n_nodes + 1);
  for (guint v = 0; v < w->n_nodes; v++)
    ranks[v] = v;
  double us = sluice_simulator_run (simulator, devices, ranks, NULL);
  if (sluice_simulator_is_full (simulator))
    {
      sluice_simulator_set_unlimited (simulator, TRUE);
      us = sluice_simulator_run (simulator, devices, ranks, NULL);
    }
  for (guint d = 0; d < self->n_devices; d++)
    bytes[d] = sluice_simulator_get_peaks (simulator)[d] + sluice_fitter_get_held (self, d);
  if (isfinite (us) && schedule != NULL)
    *schedule = sluice_simulator_dup_simulation (simulator);
  if (isfinite (us) && workload != NULL)
    *workload = g_steal_pointer (&w);
  return us;
}

/* How far a set is above the limits, and what the step takes with it. INFINITY: it is none. */
static double
weigh (Search *self, const Set *set, double *us)
{
  SluiceFitter *fitter = self->fitter;
  double above = 0;
  *us = INFINITY;
  if (!sluice_fitter_build (fitter, set->list, set->n))
    return INFINITY;
  if (is_plain (fitter, set))
    {
      sluice_fitter_measure (fitter, self->limits, self->bytes);
      *us = self->natural_us + fitter->again_us;
    }
  else
    *us = simulate (fitter, self->limits, self->bytes, NULL, NULL);
  for (guint d = 0; d < fitter->n_devices && isfinite (*us); d++)
    above += MAX (self->bytes[d] - self->limits[d], 0);
  return isfinite (*us) ? above : INFINITY;
}

static void
keep_best (Search *self, const Set *set)
{
  double us, above = weigh (self, set, &us);
  gboolean is_better =
      above < self->best_above || (above <= self->best_above && us < self->best_us);
  if (!isfinite (above) || !is_better)
    return;
  self->fits = above <= 0;
  self->best_above = above;
  self->best_us = us;
  g_array_set_size (self->best, 0);
  for (guint i = 0; i < set->n; i++)
    g_array_append_vals (self->best, set->list[i], 1);
  memcpy (self->best_order, self->fitter->order, self->fitter->n * sizeof (guint));
}

/* ---- candidates ---- */

static gboolean
may_leave (const SluiceFitter *self, guint output, guint device)
{
  guint host = self->task.host;
  const SluiceMachine *machine = self->task.workload->machine;
  return host != NONE && host != device && self->task.leaves != NULL && self->task.leaves[output]
         && isfinite (sluice_machine_get_link (machine, device, host)->latency_us)
         && isfinite (sluice_machine_get_link (machine, host, device)->latency_us);
}

static void
add_gap (SluiceFitter *self, GArray *candidates, guint output, guint position)
{
  const SluiceWorkload *w = self->task.workload;
  guint maker = w->outputs[output].node, until = self->task.again[maker];
  SluiceFitDecision one = { .kind = SLUICE_FIT_RECOMPUTE, .output = output, .position = position };
  gboolean again = until == NONE || self->position[until] >= position;
  if (self->task.fixed != NULL && self->task.fixed[self->order[position]])
    return;
  if (again)
    g_array_append_val (candidates, one);
  one.is_deep = TRUE;
  if (again && w->nodes[maker].n_reads > 0)
    g_array_append_val (candidates, one);
  one.is_deep = FALSE;
  one.kind = SLUICE_FIT_SWAP;
  if (may_leave (self, output, self->task.devices[maker]))
    g_array_append_val (candidates, one);
}

GArray *
sluice_fitter_dup_candidates (SluiceFitter *self)
{
  const SluiceWorkload *w = self->task.workload;
  GArray *candidates = g_array_new (FALSE, TRUE, sizeof (SluiceFitDecision));
  for (guint o = 0; o < self->n_outputs; o++)
    for (guint i = self->first_use[o] + 1; i < self->first_use[o + 1]; i++)
      if (w->outputs[o].bytes > 0 && self->roots[o] == o && self->uses[i] > self->uses[i - 1] + 1)
        add_gap (self, candidates, o, self->uses[i]);
  return candidates;
}

/* ---- one after the other ---- */

/* Which steps are above the limit: above[s] of those before s. */
static void
count_above (Search *self, guint device)
{
  const SluiceFitter *fitter = self->fitter;
  const double *levels = (const double *) fitter->levels->data;
  self->above[0] = 0;
  for (guint s = 0; s < fitter->steps->len; s++)
    self->above[s + 1] =
        self->above[s] + (levels[s * fitter->n_devices + device] > self->tight[device]);
}

/* Where the value of a gap does not lie while it is open: is there a step above the limit? */
static gboolean
could_help (const Search *self, const SluiceFitDecision *one, const guint *step_of)
{
  const SluiceFitter *fitter = self->fitter;
  guint i = fitter->first_use[one->output];
  while (i + 1 < fitter->first_use[one->output + 1] && fitter->uses[i + 1] < one->position)
    i++;
  return self->above[step_of[one->position]] > self->above[step_of[fitter->uses[i]] + 1];
}

static gboolean
has_time (const Search *self)
{
  return (double) self->fitter->n_tried * self->fitter->n < MOST_STEPS;
}

typedef struct
{
  const SluiceFitDecision *one;
  double score;
} Best;

static void
try_one (Search *self, const SluiceFitDecision *one, double above, double us, Best *best)
{
  copy_set (&self->other, &self->set);
  insert (self->fitter, &self->other, one);
  if (!sluice_fitter_build (self->fitter, self->other.list, self->other.n))
    return;
  double gain = above - sluice_fitter_measure (self->fitter, self->tight, self->bytes);
  double cost = MAX (self->fitter->again_us - us, 0) + 1e-4 * self->natural_us + 1e-9;
  if (gain <= above * 1e-12 || gain / cost <= best->score)
    return;
  *best = (Best){ one, gain / cost };
}

/* FALSE: no decision more brings it closer. */
static gboolean
add_one (Search *self, double above)
{
  const SluiceFitter *fitter = self->fitter;
  g_autofree guint *step_of = g_new (guint, fitter->n + 1);
  g_autofree guint8 *helps = g_new0 (guint8, self->candidates->len + 1);
  guint n_helps = 0, n_most = (guint) MAX (ROUND_STEPS / MAX (fitter->n, 1), 8), n = 0;
  double us = fitter->again_us;
  Best best = { NULL, 0 };
  for (guint at = 0; at < fitter->n; at++)
    step_of[at] = fitter->original[fitter->order[at]];
  for (guint d = 0; d < fitter->n_devices; d++)
    {
      count_above (self, d);
      for (guint i = 0; i < self->candidates->len; i++)
        {
          const SluiceFitDecision *one = &g_array_index (self->candidates, SluiceFitDecision, i);
          guint maker = fitter->task.workload->outputs[one->output].node;
          helps[i] |= fitter->task.devices[maker] == d && could_help (self, one, step_of)
                      && !has_gap (self, &self->set, one);
        }
    }
  for (guint i = 0; i < self->candidates->len; i++) /* the largest of too many come first */
    n_helps += helps[i];
  for (guint i = 0; i < self->candidates->len && n < MIN (n_helps, n_most); i++)
    if (helps[i] && has_time (self))
      {
        try_one (self, &g_array_index (self->candidates, SluiceFitDecision, i), above, us, &best);
        n++;
      }
  if (best.one == NULL)
    return FALSE;
  insert (fitter, &self->set, best.one);
  return TRUE;
}

/* Adds to the set until its steps keep the limits that they are held to. */
static gboolean
add_until (Search *self)
{
  for (;;)
    {
      if (!sluice_fitter_build (self->fitter, self->set.list, self->set.n))
        return FALSE;
      double above = sluice_fitter_measure (self->fitter, self->tight, self->bytes);
      if (above <= 0)
        return TRUE;
      if (!add_one (self, above))
        return FALSE;
    }
}

/* Where the simulator finds more than the steps say, they are held to that much less. */
static gboolean
reach (Search *self)
{
  for (guint round = 0; round < MOST_ROUNDS && add_until (self); round++)
    {
      double us, above = weigh (self, &self->set, &us);
      if (above <= 0)
        return TRUE;
      for (guint d = 0; d < self->fitter->n_devices; d++)
        self->tight[d] -= MAX (self->bytes[d] - self->limits[d], 0);
    }
  return FALSE;
}

/* ---- a cheaper set ---- */

static gboolean
fits (Search *self, const Set *set, double *us)
{
  return weigh (self, set, us) <= 0;
}

static void
drop_needless (Search *self)
{
  for (gboolean goes_on = TRUE; goes_on && has_time (self);)
    {
      double least, us;
      guint at = NONE;
      if (!fits (self, &self->set, &least))
        return;
      for (guint i = 0; i < self->set.n; i++)
        {
          copy_set (&self->other, &self->set);
          take_out (&self->other, i);
          if (!fits (self, &self->other, &us) || us > least)
            continue;
          least = us;
          at = i;
        }
      goes_on = at != NONE;
      if (goes_on)
        take_out (&self->set, at);
    }
}

/* One for another, or for two. FALSE: nothing is cheaper. */
static gboolean
exchange (Search *self, double us)
{
  g_autofree const SluiceFitDecision **list =
      g_new (const SluiceFitDecision *, self->candidates->len + 1);
  Set base = { list, 0 };
  double least = us * (1 - 1e-9), now;
  for (guint i = 0; i < self->set.n; i++)
    for (guint k = 0; k < self->candidates->len && has_time (self); k++)
      {
        const SluiceFitDecision *one = &g_array_index (self->candidates, SluiceFitDecision, k);
        copy_set (&base, &self->set);
        take_out (&base, i);
        if (has_gap (self, &base, one))
          continue;
        insert (self->fitter, &base, one);
        if (!fits (self, &base, &now) || now >= least)
          continue;
        copy_set (&self->set, &base);
        return TRUE;
      }
  return FALSE;
}

static void
make_cheaper (Search *self)
{
  double us;
  drop_needless (self);
  for (guint round = 0; round < MOST_ROUNDS && fits (self, &self->set, &us); round++)
    {
      if (!exchange (self, us))
        return;
      drop_needless (self);
    }
}

/* ---- all of it ---- */

static void
try_all_sets (Search *self)
{
  guint n = self->candidates->len;
  for (guint bits = 0; bits < 1u << n; bits++)
    {
      gboolean is_set = TRUE;
      self->set.n = 0;
      for (guint i = 0; i < n && is_set; i++)
        if (bits & 1u << i)
          {
            const SluiceFitDecision *one = &g_array_index (self->candidates, SluiceFitDecision, i);
            is_set = !has_gap (self, &self->set, one);
            insert (self->fitter, &self->set, one);
          }
      if (is_set)
        keep_best (self, &self->set);
    }
}

/* Lower and lower, until no decision helps: what is not reached at once may be so. */
static void
ratchet (Search *self)
{
  SluiceFitter *fitter = self->fitter;
  double us;
  self->set.n = 0;
  while (has_time (self))
    {
      double above = weigh (self, &self->set, &us);
      keep_best (self, &self->set);
      if (above <= 0 || !isfinite (above))
        break;
      sluice_fitter_build (fitter, self->set.list, self->set.n);
      sluice_fitter_measure (fitter, self->limits, self->bytes);
      for (guint d = 0; d < fitter->n_devices; d++)
        self->tight[d] = MIN (MAX (RATCHET * self->bytes[d], 0), INFINITY);
      for (guint d = 0; d < fitter->n_devices; d++)
        self->tight[d] = self->bytes[d] <= self->limits[d] ? self->limits[d] : self->tight[d];
      if (!add_until (self))
        break;
    }
  keep_best (self, &self->set);
}

static int
compare_sizes (gconstpointer a, gconstpointer b, gpointer workload)
{
  const SluiceFitDecision *x = a, *y = b;
  const SluiceWorkloadOutput *outputs = ((const SluiceWorkload *) workload)->outputs;
  double size_x = outputs[x->output].bytes, size_y = outputs[y->output].bytes;
  if (size_x > size_y || size_x < size_y)
    return size_x > size_y ? -1 : 1;
  return x->output != y->output ? (x->output < y->output ? -1 : 1)
         : x->position != y->position
             ? (x->position < y->position ? -1 : 1)
             : (int) x->kind * 2 + x->is_deep - (int) y->kind * 2 - y->is_deep;
}

static void
search_order (Search *self)
{
  SluiceFitter *fitter = self->fitter;
  double us;
  g_clear_pointer (&self->candidates, g_array_unref);
  self->candidates = sluice_fitter_dup_candidates (fitter);
  g_array_sort_with_data (self->candidates, compare_sizes, (gpointer) fitter->task.workload);
  guint n = self->candidates->len;
  self->set.list = g_renew (const SluiceFitDecision *, self->set.list, n + 1);
  self->other.list = g_renew (const SluiceFitDecision *, self->other.list, n + 1);
  self->above = g_renew (guint, self->above, (gsize) fitter->n + (gsize) (n + 1) * 65 + 2);
  self->set.n = 0;
  keep_best (self, &self->set);
  if (fits (self, &self->set, &us))
    return;
  if (n <= FEW)
    {
      try_all_sets (self);
      return;
    }
  memcpy (self->tight, self->limits, fitter->n_devices * sizeof (double));
  if (!reach (self))
    ratchet (self);
  if (fits (self, &self->set, &us))
    make_cheaper (self);
  keep_best (self, &self->set);
}

/* What each decision is for, beside the others. */
static void
explain (Search *self, SluiceFit *found)
{
  SluiceFitter *fitter = self->fitter;
  g_autofree double *bytes = g_new (double, fitter->n_devices + 1);
  self->set.n = 0;
  for (guint i = 0; i < found->decisions->len; i++)
    insert (fitter, &self->set, &g_array_index (found->decisions, SluiceFitDecision, i));
  for (guint i = 0; i < found->decisions->len; i++)
    {
      SluiceFitDecision *one = &g_array_index (found->decisions, SluiceFitDecision, i);
      guint device = fitter->task.devices[fitter->task.workload->outputs[one->output].node];
      guint n_again = 0;
      double us;
      copy_set (&self->other, &self->set);
      for (guint k = 0; k < self->other.n; k++)
        if (self->other.list[k] == one)
          {
            take_out (&self->other, k);
            break;
          }
      if (!isfinite (weigh (self, &self->other, &us)))
        continue;
      for (guint s = 0; s < fitter->steps->len; s++)
        n_again += sluice_fitter_get_step (fitter, s)->is_again;
      one->bytes = self->bytes[device] - found->bytes[device];
      one->us = found->us - us;
      one->n_again = n_again; /* of the others: taken from all of them below */
    }
}

static void
tell (Search *self, SluiceFit *found)
{
  SluiceFitter *fitter = self->fitter;
  guint n_again = 0;
  sluice_fitter_set_order (fitter, self->best_order);
  self->set.n = 0;
  found->decisions = g_array_ref (self->best);
  found->fits = self->fits;
  for (guint i = 0; i < self->best->len; i++)
    insert (fitter, &self->set, &g_array_index (self->best, SluiceFitDecision, i));
  sluice_fitter_build (fitter, self->set.list, self->set.n);
  found->us = simulate (fitter, self->limits, found->bytes, NULL, NULL);
  found->steps = g_array_copy (fitter->steps);
  found->makers = g_array_copy (fitter->makers);
  for (guint s = 0; s < fitter->steps->len; s++)
    n_again += sluice_fitter_get_step (fitter, s)->is_again;
  explain (self, found);
  for (guint i = 0; i < found->decisions->len; i++)
    {
      SluiceFitDecision *one = &g_array_index (found->decisions, SluiceFitDecision, i);
      one->n_again = n_again > one->n_again ? n_again - one->n_again : 0;
    }
  memcpy (found->least_bytes, found->bytes, fitter->n_devices * sizeof (double));
}

SluiceFit *
sluice_fitter_run (SluiceFitter *self, const double *limits)
{
  SluiceFit *found = g_new0 (SluiceFit, 1);
  guint n_devices = found->n_devices = self->n_devices;
  g_autofree double *tight = g_new0 (double, n_devices + 1);
  g_autofree double *bytes = g_new0 (double, n_devices + 1);
  Search search = { .fitter = self,
                    .limits = limits,
                    .tight = tight,
                    .bytes = bytes,
                    .best_us = INFINITY,
                    .best_above = INFINITY,
                    .best = g_array_new (FALSE, TRUE, sizeof (SluiceFitDecision)),
                    .best_order = g_memdup2 (self->order, (self->n + 1) * sizeof (guint)) };
  found->natural_bytes = g_new0 (double, n_devices + 1);
  found->bytes = g_new0 (double, n_devices + 1);
  found->least_bytes = g_new0 (double, n_devices + 1);
  self->n_tried = 0;
  sluice_fitter_set_order (self, self->task.order);
  search.natural_us = found->natural_us =
      sluice_fitter_try (self, NULL, 0, NULL, found->natural_bytes, NULL, NULL);
  search_order (&search);
  if ((!search.fits || search.best->len > 0) && sluice_fitter_sink (self))
    search_order (&search);
  tell (&search, found);
  found->n_tried = self->n_tried;
  g_clear_pointer (&search.candidates, g_array_unref);
  g_array_unref (search.best);
  g_free (search.set.list);
  g_free (search.other.list);
  g_free (search.above);
  g_free (search.best_order);
  return found;
}

double
sluice_fitter_try (SluiceFitter *self,
                   const SluiceFitDecision *decisions,
                   guint n,
                   const double *limits,
                   double *bytes,
                   SluiceSimulation **schedule,
                   SluiceWorkload **workload)
{
  g_autofree const SluiceFitDecision **list = g_new (const SluiceFitDecision *, n + 1);
  Set set = { list, 0 };
  for (guint i = 0; i < n; i++)
    insert (self, &set, &decisions[i]);
  if (!sluice_fitter_build (self, set.list, set.n))
    return INFINITY;
  return simulate (self, limits, bytes, schedule, workload);
}

void
sluice_fit_free (SluiceFit *self)
{
  g_array_unref (self->decisions);
  g_array_unref (self->steps);
  g_array_unref (self->makers);
  g_free (self->natural_bytes);
  g_free (self->bytes);
  g_free (self->least_bytes);
  g_free (self);
}
