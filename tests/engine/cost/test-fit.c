/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fitting a step into less memory: every program is one, every schedule keeps the rules, no set is
 * cheaper where all are looked at, and none of many by lot where they are too many. */
#include <math.h>
#include <string.h>

#include "engine/cost/fit.h"
#include "tests/engine/cost/checker.h"
#include "tests/engine/cost/random-workload.h"

#define HOST 1 /* of two devices: things leave for it, and nothing stands there */

typedef struct
{
  SluiceMachine *machine;
  SluiceWorkload *w;
  guint *devices, *order, *roots, *again, *branches;
  guint8 *leaves, *in_place, *stays, *waits, *fixed;
  double held[2];
  SluiceFitTask task;
} Case;

static void
case_clear (Case *self)
{
  sluice_workload_free (self->w);
  sluice_machine_free (self->machine);
  g_free (self->devices);
  g_free (self->order);
  g_free (self->roots);
  g_free (self->again);
  g_free (self->branches);
  g_free (self->leaves);
  g_free (self->in_place);
  g_free (self->stays);
  g_free (self->waits);
  g_free (self->fixed);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* Takes workload and machine: what may be done with what is by lot. */
static void
case_init (Case *self, GRand *lot, SluiceMachine *machine, SluiceWorkload *w, guint swap_chance)
{
  guint n = w->n_nodes, n_outputs = w->n_outputs;
  *self = (Case){ .machine = machine, .w = w, .held = { 100, 0 } };
  self->devices = g_new0 (guint, n + 1);
  self->order = g_new0 (guint, n + 1);
  self->roots = g_new0 (guint, n_outputs + 1);
  self->again = g_new0 (guint, n + 1);
  self->branches = g_new0 (guint, n + 1);
  self->leaves = g_new0 (guint8, n_outputs + 1);
  self->in_place = g_new0 (guint8, n + 1);
  self->stays = g_new0 (guint8, n_outputs + 1);
  self->waits = g_new0 (guint8, n + 1);
  self->fixed = g_new0 (guint8, n + 1);
  for (guint v = 0; v < n; v++)
    {
      self->order[v] = v;
      self->branches[v] = v > n / 2 && g_rand_int_range (lot, 0, 3) == 0;
      self->again[v] = g_rand_int_range (lot, 0, 3) > 0 ? G_MAXUINT : v;
      if (g_rand_int_range (lot, 0, 6) == 0 && v + 2 < n)
        self->again[v] = (guint) g_rand_int_range (lot, (gint32) v + 1, (gint32) n);
      self->in_place[v] = g_rand_int_range (lot, 0, 3) == 0;
      self->waits[v] = g_rand_int_range (lot, 0, 3) == 0;
      self->fixed[v] = g_rand_int_range (lot, 0, 10) == 0;
      w->us[v * 2] = isfinite (w->us[v * 2]) ? w->us[v * 2] : 7;
    }
  for (guint o = 0; o < n_outputs; o++)
    {
      const SluiceWorkloadNode *maker = &w->nodes[w->outputs[o].node];
      self->roots[o] = o;
      if (maker->n_reads > 0 && o == maker->first_output && g_rand_int_range (lot, 0, 6) == 0)
        {
          self->roots[o] = self->roots[w->reads[maker->first_read]];
          w->outputs[o].bytes = 0;
          self->in_place[w->outputs[o].node] = 0;
        }
      self->leaves[o] = g_rand_int_range (lot, 0, 100) < (int) swap_chance;
      self->stays[o] = g_rand_int_range (lot, 0, 12) == 0;
    }
  self->task = (SluiceFitTask){ .workload = w,
                                .devices = self->devices,
                                .order = self->order,
                                .held = self->held,
                                .roots = self->roots,
                                .again = self->again,
                                .leaves = self->leaves,
                                .in_place = self->in_place,
                                .stays = self->stays,
                                .waits = self->waits,
                                .fixed = self->fixed,
                                .branches = self->branches,
                                .host = HOST };
}

static void
draw_case (Case *self, GRand *lot, guint n_nodes, guint swap_chance)
{
  const WorkloadKind kind = {
    .n_nodes = n_nodes, .n_devices = 2, .most_reads = 3, .before_chance = 10
  };
  SluiceMachine *machine = draw_machine (lot, &kind);
  case_init (self, lot, machine, draw_workload (lot, &kind, machine), swap_chance);
}

/* ---- a training step: what goes forward is read again on the way back ---- */

static void
add_node (SluiceWorkload *w, GArray *lists[2], const guint *reads, guint n, double bytes, double us)
{
  guint v = w->n_nodes++;
  const SluiceWorkloadOutput output = { v, bytes };
  w->nodes[v] = (SluiceWorkloadNode){ "n", lists[0]->len, n, 0, 0, lists[1]->len, 1, v };
  g_array_append_vals (lists[0], reads, n);
  g_array_append_val (lists[1], output);
  w->us[v * 2] = us;
  w->us[v * 2 + 1] = INFINITY;
}

/* z = product, h = activation; backward: of h by z, of the product by the h before. */
static void
make_training (Case *self, GRand *lot, guint n_layers)
{
  const WorkloadKind kind = { .n_nodes = 1, .n_devices = 2, .most_reads = 1 };
  SluiceMachine *machine = draw_machine (lot, &kind);
  SluiceWorkload *w = sluice_workload_new (machine);
  GArray *lists[2] = { g_array_new (FALSE, FALSE, sizeof (guint)),
                       g_array_new (FALSE, FALSE, sizeof (SluiceWorkloadOutput)) };
  guint n = 4 * n_layers + 1;
  w->nodes = g_new0 (SluiceWorkloadNode, n);
  w->us = g_new0 (double, n * 2);
  add_node (w, lists, NULL, 0, 64, 1);
  for (guint i = 0; i < n_layers; i++)
    {
      double bytes = 16 * g_rand_int_range (lot, 2, 9);
      add_node (w, lists, (guint[]){ w->n_nodes - 1 }, 1, bytes, g_rand_int_range (lot, 20, 60));
      add_node (w, lists, (guint[]){ w->n_nodes - 1 }, 1, bytes, g_rand_int_range (lot, 1, 6));
    }
  for (guint i = n_layers; i-- > 0;)
    {
      guint last = w->n_nodes - 1, z = 1 + 2 * i, before = 2 * i;
      add_node (w, lists, (guint[]){ last, z }, 2, 32, 4);
      add_node (w, lists, (guint[]){ w->n_nodes - 1, before }, 2, 32, 50);
    }
  w->n_groups = w->n_nodes;
  w->n_reads = lists[0]->len;
  w->n_outputs = lists[1]->len;
  w->reads = (guint *) g_array_free (lists[0], FALSE);
  w->outputs = (SluiceWorkloadOutput *) g_array_free (lists[1], FALSE);
  case_init (self, lot, machine, w, 50);
  for (guint v = 0; v < w->n_nodes; v++)
    {
      self->again[v] = G_MAXUINT;
      self->branches[v] = 0;
      self->fixed[v] = self->in_place[v] = 0;
      self->roots[v] = v;
      self->stays[v] = v + 1 == w->n_nodes;
    }
}

/* ---- is it a program? ---- */

static const SluiceFitStep *
get_step (const SluiceFit *fit, guint i)
{
  return &g_array_index (fit->steps, SluiceFitStep, i);
}

static void
check_reads (const Case *self, const SluiceFit *fit, guint s, const gint *original)
{
  const SluiceFitStep *step = get_step (fit, s);
  const SluiceWorkloadNode *node = &self->w->nodes[step->node];
  guint n = step->back != G_MAXUINT ? 1 : node->n_reads;
  for (guint i = 0; i < n; i++)
    {
      guint output = step->back != G_MAXUINT ? step->back : self->w->reads[node->first_read + i];
      guint maker = g_array_index (fit->makers, guint, step->first_maker + i);
      g_assert_cmpuint (maker, <, s);
      g_assert_cmpuint (get_step (fit, maker)->node, ==, self->w->outputs[output].node);
      if (get_step (fit, maker)->back != G_MAXUINT)
        g_assert_cmpuint (get_step (fit, maker)->back, ==, output);
      const SluiceFitStep *made = get_step (fit, maker);
      if (made->is_again || made->back != G_MAXUINT)
        g_assert_cmpuint (made->branch, ==, step->branch);
      if (self->fixed[step->node] && !step->is_again && step->back == G_MAXUINT)
        g_assert_cmpint ((int) maker, ==, original[self->w->outputs[output].node]);
    }
}

/* Every node once, what runs again while it may, and all that they need before them. */
static void
check_program (const Case *self, const SluiceFit *fit)
{
  guint n = self->w->n_nodes;
  g_autofree gint *original = g_new (gint, n);
  for (guint v = 0; v < n; v++)
    original[v] = -1;
  for (guint s = 0; s < fit->steps->len; s++)
    {
      const SluiceFitStep *step = get_step (fit, s);
      const SluiceWorkloadNode *node = &self->w->nodes[step->node];
      check_reads (self, fit, s, original);
      if (step->back != G_MAXUINT)
        continue;
      for (guint i = 0; i < node->n_befores; i++)
        g_assert_cmpint (original[self->w->befores[node->first_before + i]], >=, 0);
      guint until = self->again[step->node];
      g_assert_true (!step->is_again || until == G_MAXUINT
                     || (until != step->node && original[until] < 0));
      g_assert_true (step->is_again == (original[step->node] >= 0));
      if (!step->is_again)
        original[step->node] = (int) s;
      g_assert_true (step->is_again || step->branch == self->branches[step->node]);
    }
  for (guint v = 0; v < n; v++)
    g_assert_cmpint (original[v], >=, 0);
}

static void
check_schedule_of (Case *self, SluiceFitter *fitter, const SluiceFit *fit, const double *limits)
{
  g_autoptr (SluiceSimulation) schedule = NULL;
  g_autoptr (SluiceWorkload) w = NULL;
  double bytes[2], us = sluice_fitter_try (fitter, (const SluiceFitDecision *) fit->decisions->data,
                                           fit->decisions->len, limits, bytes, &schedule, &w);
  g_assert_cmpfloat (us, ==, fit->us);
  g_assert_cmpfloat (bytes[0], ==, fit->bytes[0]);
  g_assert_true (isfinite (us));
  g_assert_cmpfloat (schedule->us, ==, us);
  SluiceMachine machine = *w->machine;
  w->machine = &machine;
  machine.devices[0].memory = (fit->fits ? limits[0] : bytes[0]) - self->held[0];
  g_autofree char *wrong = check_schedule (w, schedule);
  g_assert_cmpstr (wrong, ==, NULL);
}

/* ---- against all sets ---- */

/* The least time of all subsets that keep the limit; INFINITY: none does. */
static double
find_cheapest (SluiceFitter *fitter, const GArray *candidates, const double *limits, double *least)
{
  double best = INFINITY, bytes[2];
  for (guint bits = 0; bits < 1u << candidates->len; bits++)
    {
      SluiceFitDecision list[10];
      guint n = 0;
      for (guint i = 0; i < candidates->len; i++)
        if (bits & 1u << i)
          list[n++] = g_array_index (candidates, SluiceFitDecision, i);
      double us = sluice_fitter_try (fitter, list, n, limits, bytes, NULL, NULL);
      if (!isfinite (us))
        continue;
      *least = MIN (*least, bytes[0]);
      if (bytes[0] <= limits[0])
        best = MIN (best, us);
    }
  return best;
}

static void
test_all_sets (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (17);
  guint n_fit = 0, n_none = 0, n_swaps = 0;
  while (n_fit < 100 || n_none < 100)
    {
      g_auto (Case) self = { NULL };
      draw_case (&self, lot, (guint) g_rand_int_range (lot, 4, 14), 30);
      memset (self.waits, 0, self.w->n_nodes); /* one order */
      g_autoptr (SluiceFitter) fitter = sluice_fitter_new (&self.task);
      g_autoptr (GArray) candidates = sluice_fitter_dup_candidates (fitter);
      double bytes[2], least = INFINITY;
      if (candidates->len == 0 || candidates->len > 10)
        continue;
      sluice_fitter_try (fitter, NULL, 0, NULL, bytes, NULL, NULL);
      double limits[2] = { floor (bytes[0] * g_rand_double_range (lot, 0.7, 1)), INFINITY };
      double cheapest = find_cheapest (fitter, candidates, limits, &least);
      g_autoptr (SluiceFit) fit = sluice_fitter_run (fitter, limits);
      check_program (&self, fit);
      check_schedule_of (&self, fitter, fit, limits);
      g_assert_true (fit->fits == isfinite (cheapest));
      g_assert_cmpfloat (fit->natural_bytes[0], ==, bytes[0]);
      if (fit->fits)
        {
          g_assert_cmpfloat (fit->us, ==, cheapest);
          g_assert_cmpfloat (fit->bytes[0], <=, limits[0]);
        }
      else
        g_assert_cmpfloat (fit->least_bytes[0], ==, least);
      n_fit += fit->fits;
      n_none += !fit->fits;
      for (guint i = 0; i < fit->decisions->len; i++)
        n_swaps += g_array_index (fit->decisions, SluiceFitDecision, i).kind == SLUICE_FIT_SWAP;
    }
  g_test_message ("%u fit, %u do not, %u values left", n_fit, n_none, n_swaps);
  g_assert_cmpuint (n_swaps, >, 50);
}

/* ---- against sets by lot ---- */

/* Draws sets until they keep the limit, each candidate with a chance of its own. */
static double
find_by_lot (
    SluiceFitter *fitter, GRand *lot, const GArray *candidates, const double *limits, guint n_sets)
{
  double best = INFINITY, bytes[2];
  g_autofree SluiceFitDecision *list = g_new (SluiceFitDecision, candidates->len + 1);
  guint n_feasible = 0;
  for (guint tries = 0; n_feasible < n_sets && tries < 40 * n_sets; tries++)
    {
      double chance = g_rand_double_range (lot, 0.02, 0.9);
      guint n = 0, taken = G_MAXUINT;
      for (guint i = 0; i < candidates->len; i++)
        {
          const SluiceFitDecision *one = &g_array_index (candidates, SluiceFitDecision, i);
          guint key = one->output * 1000 + one->position;
          if (key == taken || g_rand_double (lot) > chance)
            continue;
          list[n++] = *one;
          taken = key;
        }
      double us = sluice_fitter_try (fitter, list, n, limits, bytes, NULL, NULL);
      if (!isfinite (us) || bytes[0] > limits[0])
        continue;
      n_feasible++;
      best = MIN (best, us);
    }
  return best;
}

static void
test_by_lot (void)
{
  static const double shares[] = { 0.8, 0.6, 0.4 };
  g_autoptr (GRand) lot = g_rand_new_with_seed (4);
  guint n_compared = 0, n_fit = 0;
  for (guint round = 0; round < 24; round++)
    {
      g_auto (Case) self = { NULL };
      if (round % 2 == 0)
        make_training (&self, lot, 4 + round);
      else
        draw_case (&self, lot, 40, 30);
      g_autoptr (SluiceFitter) fitter = sluice_fitter_new (&self.task);
      g_autoptr (GArray) candidates = sluice_fitter_dup_candidates (fitter);
      double bytes[2];
      double natural = sluice_fitter_try (fitter, NULL, 0, NULL, bytes, NULL, NULL);
      double limits[2] = { floor (bytes[0] * shares[round % 3]), INFINITY };
      double lucky = find_by_lot (fitter, lot, candidates, limits, 200);
      g_autoptr (SluiceFit) fit = sluice_fitter_run (fitter, limits);
      check_program (&self, fit);
      check_schedule_of (&self, fitter, fit, limits);
      g_test_message (
          "%s of %u nodes into %g of %g bytes: %g us (%g without a limit), %u decisions "
          "of %u, by lot %g us, %" G_GUINT64_FORMAT " sets",
          fit->fits ? "fit" : "did NOT fit", self.w->n_nodes, limits[0], bytes[0], fit->us, natural,
          fit->decisions->len, candidates->len, lucky, fit->n_tried);
      n_fit += fit->fits;
      if (!isfinite (lucky))
        continue;
      n_compared++;
      g_assert_true (fit->fits);
      g_assert_cmpfloat (fit->us, <=, lucky);
    }
  g_assert_cmpuint (n_compared, >, 5);
  g_assert_cmpuint (n_fit, >, 8);
}

/* What is said to be the least that does is found again where it is the limit. */
static void
test_least (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (9);
  for (guint round = 0; round < 10; round++)
    {
      g_auto (Case) self = { NULL };
      make_training (&self, lot, 6 + round);
      g_autoptr (SluiceFitter) fitter = sluice_fitter_new (&self.task);
      const double nothing[2] = { self.held[0], INFINITY };
      g_autoptr (SluiceFit) least = sluice_fitter_run (fitter, nothing);
      g_assert_false (least->fits);
      const double limits[2] = { least->least_bytes[0], INFINITY };
      g_autoptr (SluiceFit) fit = sluice_fitter_run (fitter, limits);
      g_assert_true (fit->fits);
      g_assert_cmpfloat (least->least_bytes[0], <, 0.8 * least->natural_bytes[0]);
    }
}

/* a (100 bytes) is read by b at once and by e at the end; c and d are large between them. */
static void
test_by_hand (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (1);
  g_auto (Case) self = { NULL };
  SluiceMachine *machine = draw_machine (lot, &(WorkloadKind){ .n_devices = 2 });
  SluiceWorkload *w = sluice_workload_new (machine);
  GArray *lists[2] = { g_array_new (FALSE, FALSE, sizeof (guint)),
                       g_array_new (FALSE, FALSE, sizeof (SluiceWorkloadOutput)) };
  w->nodes = g_new0 (SluiceWorkloadNode, 5);
  w->us = g_new0 (double, 10);
  add_node (w, lists, NULL, 0, 100, 5);
  add_node (w, lists, (guint[]){ 0 }, 1, 10, 3);
  add_node (w, lists, (guint[]){ 1 }, 1, 300, 40);
  add_node (w, lists, (guint[]){ 2 }, 1, 20, 40);
  add_node (w, lists, (guint[]){ 3, 0 }, 2, 10, 3);
  w->n_groups = w->n_nodes;
  w->n_reads = lists[0]->len;
  w->n_outputs = lists[1]->len;
  w->reads = (guint *) g_array_free (lists[0], FALSE);
  w->outputs = (SluiceWorkloadOutput *) g_array_free (lists[1], FALSE);
  case_init (&self, lot, machine, w, 0);
  self.task.roots = NULL;
  self.task.in_place = self.task.stays = self.task.fixed = self.task.waits = NULL;
  self.task.branches = NULL;
  self.again[0] = G_MAXUINT;
  machine->links[HOST] = machine->links[2] = (SluiceMachineLink){ 2, 10 };
  g_autoptr (SluiceFitter) fitter = sluice_fitter_new (&self.task);
  const double limits[2] = { 440, INFINITY };
  /* 100 are held; at most a, c and d: 420 */
  g_autoptr (SluiceFit) fit = sluice_fitter_run (fitter, limits);
  g_assert_cmpfloat (fit->natural_bytes[0], ==, 520);
  g_assert_true (fit->fits);
  g_assert_cmpfloat (fit->bytes[0], ==, 420);
  g_assert_cmpfloat (fit->natural_us, ==, 91);
  g_assert_cmpfloat (fit->us, ==, 96);
  g_assert_cmpuint (fit->decisions->len, ==, 1);
  const SluiceFitDecision *one = &g_array_index (fit->decisions, SluiceFitDecision, 0);
  g_assert_cmpint (one->kind, ==, SLUICE_FIT_RECOMPUTE);
  g_assert_cmpfloat (one->us, ==, 5);
  g_assert_cmpfloat (one->bytes, ==, 100);
  g_assert_cmpuint (one->n_again, ==, 1);
  /* It leaves from 5 to 17, when c has room, and comes from 97, when c is gone, to 109. */
  self.again[0] = 0;
  self.leaves[0] = 1;
  g_autoptr (SluiceFit) swap = sluice_fitter_run (fitter, limits);
  g_assert_true (swap->fits);
  one = &g_array_index (swap->decisions, SluiceFitDecision, 0);
  g_assert_cmpint (one->kind, ==, SLUICE_FIT_SWAP);
  g_assert_cmpfloat (swap->bytes[0], ==, 420);
  g_assert_cmpfloat (swap->us, ==, 112);
  self.leaves[0] = 0;
  g_autoptr (SluiceFit) nothing = sluice_fitter_run (fitter, limits);
  g_assert_false (nothing->fits);
  g_assert_cmpfloat (nothing->least_bytes[0], ==, 520);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cost/fit/by-hand", test_by_hand);
  g_test_add_func ("/cost/fit/all-sets", test_all_sets);
  g_test_add_func ("/cost/fit/by-lot", test_by_lot);
  g_test_add_func ("/cost/fit/least", test_least);
  return g_test_run ();
}
