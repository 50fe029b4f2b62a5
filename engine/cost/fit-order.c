/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "engine/cost/csr.h"
#include "engine/cost/fit-private.h"

#define NONE        G_MAXUINT
#define MOST_ROUNDS 16 /* of taking back what lengthens the step */

/* ---- who reads what, by the order ---- */

static void
index_uses (SluiceFitter *self)
{
  const SluiceWorkload *w = self->task.workload;
  g_autofree guint *roots = g_new (guint, w->n_reads + 1);
  g_autofree guint *positions = g_new (guint, w->n_reads + 1);
  guint n = 0;
  for (guint o = 0; o < self->n_outputs; o++)
    {
      self->last_use[o] = self->position[w->outputs[o].node];
      self->last_own_use[o] = NONE;
    }
  for (guint at = 0; at < self->n; at++)
    {
      const SluiceWorkloadNode *node = &w->nodes[self->order[at]];
      for (guint i = 0; i < node->n_reads; i++)
        {
          guint output = w->reads[node->first_read + i];
          roots[n] = self->roots[output];
          positions[n++] = at;
          self->last_use[self->roots[output]] = at;
          self->last_own_use[output] = at;
        }
    }
  for (guint o = 0; self->task.stays != NULL && o < self->n_outputs; o++)
    if (self->task.stays[o])
      self->last_use[self->roots[o]] = self->n;
  g_free (self->first_use);
  g_free (self->uses);
  sluice_csr_build (roots, n, self->n_outputs, &self->first_use, &self->uses);
  for (guint i = 0; i < n; i++)
    self->uses[i] = positions[self->uses[i]];
}

static void
index_aliases (SluiceFitter *self)
{
  g_autofree guint *roots = g_new (guint, self->n_outputs + 1);
  g_autofree guint *outputs = g_new (guint, self->n_outputs + 1);
  guint n = 0;
  for (guint o = 0; o < self->n_outputs; o++)
    if (self->roots[o] != o)
      {
        roots[n] = self->roots[o];
        outputs[n++] = o;
      }
  sluice_csr_build (roots, n, self->n_outputs, &self->first_alias, &self->aliases);
  for (guint i = 0; i < n; i++)
    self->aliases[i] = outputs[self->aliases[i]];
}

void
sluice_fitter_set_order (SluiceFitter *self, const guint *order)
{
  if (order != self->order)
    memcpy (self->order, order, self->n * sizeof (guint));
  for (guint at = 0; at < self->n; at++)
    self->position[self->order[at]] = at;
  index_uses (self);
}

/* ---- as late as they may ---- */

typedef struct
{
  SluiceFitter *fitter;
  guint8 *sinks; /* by node: waits until somebody needs it */
  guint8 *is_in; /* by node: in the order */
  GArray *order;
  GArray *stack;
} Sinker;

/* Makers first, each when it is needed. */
static void
emit (Sinker *self, guint from)
{
  const SluiceWorkload *w = self->fitter->task.workload;
  g_array_set_size (self->stack, 0);
  g_array_append_val (self->stack, from);
  while (self->stack->len > 0)
    {
      guint node = g_array_index (self->stack, guint, self->stack->len - 1), before = NONE, maker;
      for (guint i = 0; i < sluice_workload_get_n_needs (w, node) && before == NONE; i++)
        {
          sluice_workload_get_need (w, node, i, &maker);
          before = self->is_in[maker] ? NONE : maker;
        }
      if (before != NONE)
        {
          g_array_append_val (self->stack, before);
          continue;
        }
      g_array_set_size (self->stack, self->stack->len - 1);
      if (!self->is_in[node])
        g_array_append_val (self->order, node);
      self->is_in[node] = 1;
    }
}

static void
sink (Sinker *self)
{
  const SluiceFitter *fitter = self->fitter;
  const guint *order = fitter->task.order;
  memset (self->is_in, 0, fitter->n);
  g_array_set_size (self->order, 0);
  for (guint at = 0; at < fitter->n; at++)
    if (!self->sinks[order[at]])
      emit (self, order[at]);
  for (guint at = 0; at < fitter->n; at++)
    emit (self, order[at]);
}

/* Would it be better later, by what lies in memory meanwhile? */
static gboolean
grows (const SluiceFitter *self, guint node)
{
  const SluiceWorkload *w = self->task.workload;
  const SluiceWorkloadNode *at = &w->nodes[node];
  double bytes = 0;
  for (guint i = 0; i < at->n_outputs; i++)
    bytes += self->roots[at->first_output + i] == at->first_output + i
                 ? w->outputs[at->first_output + i].bytes
                 : 0;
  for (guint i = 0; i < at->n_reads; i++)
    {
      guint root = self->roots[w->reads[at->first_read + i]];
      if (self->last_use[root] == self->position[node])
        bytes -= w->outputs[root].bytes;
    }
  return bytes > 0;
}

static double
simulate_order (SluiceFitter *self, const guint *order, SluiceSimulation **schedule)
{
  g_autofree double *bytes = g_new (double, self->n_devices + 1);
  sluice_fitter_set_order (self, order);
  return sluice_fitter_try (self, NULL, 0, NULL, bytes, schedule, NULL);
}

/* Who is waited for the moment that it ends goes back to where it was. */
static guint
lift_urgent (Sinker *self, const SluiceSimulation *schedule)
{
  const SluiceFitter *fitter = self->fitter;
  const SluiceWorkload *w = fitter->task.workload;
  guint n = 0, maker;
  for (guint v = 0; v < fitter->n; v++)
    for (guint i = 0; i < sluice_workload_get_n_needs (w, v); i++)
      {
        sluice_workload_get_need (w, v, i, &maker);
        double start = schedule->spans[fitter->position[v]].start_us;
        if (!self->sinks[maker] || schedule->spans[fitter->position[maker]].end_us < start)
          continue;
        self->sinks[maker] = 0;
        n++;
      }
  return n;
}

gboolean
sluice_fitter_sink (SluiceFitter *self)
{
  g_autofree guint8 *sinks = g_new0 (guint8, self->n + 1);
  g_autofree guint8 *is_in = g_new0 (guint8, self->n + 1);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));
  Sinker sinker = { self, sinks, is_in, order, stack };
  if (self->task.waits == NULL)
    return FALSE;
  double natural = simulate_order (self, self->task.order, NULL);
  for (guint v = 0; v < self->n; v++)
    sinks[v] = self->task.waits[v] && grows (self, v);
  for (guint round = 0; round < MOST_ROUNDS; round++)
    {
      g_autoptr (SluiceSimulation) schedule = NULL;
      sink (&sinker);
      double us = simulate_order (self, (const guint *) order->data, &schedule);
      if (us <= natural * (1 + 1e-12))
        return memcmp (self->order, self->task.order, self->n * sizeof (guint)) != 0;
      if (schedule == NULL || lift_urgent (&sinker, schedule) == 0)
        break;
    }
  sluice_fitter_set_order (self, self->task.order);
  return FALSE;
}

/* ---- life ---- */

SluiceFitter *
sluice_fitter_new (const SluiceFitTask *task)
{
  SluiceFitter *self = g_new0 (SluiceFitter, 1);
  const SluiceWorkload *w = task->workload;
  self->task = *task;
  self->machine = *w->machine;
  self->machine.devices =
      g_memdup2 (w->machine->devices, w->machine->n_devices * sizeof (SluiceMachineDevice));
  self->n = w->n_nodes;
  self->n_outputs = w->n_outputs;
  self->n_devices = w->machine->n_devices;
  self->order = g_new0 (guint, self->n + 1);
  self->position = g_new0 (guint, self->n + 1);
  self->roots = g_new0 (guint, self->n_outputs + 1);
  self->last_use = g_new0 (guint, self->n_outputs + 1);
  self->last_own_use = g_new0 (guint, self->n_outputs + 1);
  self->version = g_new0 (guint, self->n_outputs + 1);
  self->version_branch = g_new0 (guint, self->n_outputs + 1);
  self->original = g_new0 (guint, self->n + 1);
  self->copied_at = g_new0 (guint, self->n + 1);
  self->steps = g_array_new (FALSE, FALSE, sizeof (SluiceFitStep));
  self->makers = g_array_new (FALSE, FALSE, sizeof (guint));
  self->first_cell = g_array_new (FALSE, FALSE, sizeof (guint));
  self->cell_root = g_array_new (FALSE, FALSE, sizeof (guint));
  self->cell_bytes = g_array_new (FALSE, FALSE, sizeof (double));
  self->cell_last = g_array_new (FALSE, FALSE, sizeof (guint));
  self->cell_device = g_array_new (FALSE, FALSE, sizeof (guint));
  self->levels = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint o = 0; o < self->n_outputs; o++)
    self->roots[o] = task->roots != NULL ? task->roots[o] : o;
  index_aliases (self);
  sluice_fitter_set_order (self, task->order);
  return self;
}

void
sluice_fitter_free (SluiceFitter *self)
{
  GArray *arrays[] = { self->steps,      self->makers,    self->first_cell,  self->cell_root,
                       self->cell_bytes, self->cell_last, self->cell_device, self->levels };
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (arrays[i]);
  g_free (self->machine.devices);
  g_free (self->order);
  g_free (self->position);
  g_free (self->roots);
  g_free (self->first_use);
  g_free (self->uses);
  g_free (self->first_alias);
  g_free (self->aliases);
  g_free (self->last_use);
  g_free (self->last_own_use);
  g_free (self->version);
  g_free (self->version_branch);
  g_free (self->original);
  g_free (self->copied_at);
  g_free (self);
}
