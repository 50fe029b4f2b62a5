/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "engine/cost/held.h"
#include "engine/cost/policy-private.h"

#define NONE G_MAXUINT

typedef struct
{
  const SluiceWorkload *w;
  const SluicePolicyGroups *groups;
  SluiceChoice *choice;
  const guint *first_transfer, *transfers; /* by value */
  GArray **busy; /* by device: of SluiceSimulatedSpan, with nothing between */
  const SluiceHeld *held;
} Explain;

static const SluiceSimulatedTransfer *
transfer_at (const Explain *self, guint i)
{
  return &g_array_index (self->choice->schedule->transfers, SluiceSimulatedTransfer, i);
}

/* (nullable) */
static const SluiceSimulatedTransfer *
find_transfer (const Explain *self, guint value, guint to)
{
  for (guint i = self->first_transfer[value]; i < self->first_transfer[value + 1]; i++)
    if (transfer_at (self, self->transfers[i])->to == to)
      return transfer_at (self, self->transfers[i]);
  return NULL;
}

/* ---- when devices are busy ---- */

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const SluiceSimulatedSpan *x = a, *y = b;
  if (x->start_us < y->start_us || x->start_us > y->start_us)
    return x->start_us < y->start_us ? -1 : 1;
  return x->end_us < y->end_us ? -1 : x->end_us > y->end_us;
}

static void
join_spans (GArray *spans)
{
  guint n = 0;
  g_array_sort (spans, compare_spans);
  for (guint i = 0; i < spans->len; i++)
    {
      const SluiceSimulatedSpan span = g_array_index (spans, SluiceSimulatedSpan, i);
      SluiceSimulatedSpan *last = n > 0 ? &g_array_index (spans, SluiceSimulatedSpan, n - 1) : NULL;
      if (last != NULL && span.start_us <= last->end_us)
        last->end_us = MAX (last->end_us, span.end_us);
      else
        g_array_index (spans, SluiceSimulatedSpan, n++) = span;
    }
  g_array_set_size (spans, n);
}

/* The first moment from a time on in which a device has nothing to do. */
static double
find_idle (const GArray *busy, double us)
{
  guint low = 0, high = busy->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (g_array_index (busy, SluiceSimulatedSpan, middle).end_us <= us)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == busy->len || g_array_index (busy, SluiceSimulatedSpan, low).start_us > us)
    return us;
  return g_array_index (busy, SluiceSimulatedSpan, low).end_us;
}

/* ---- candidates ---- */

static const char *
find_why_not (const Explain *self, guint v, guint d, double arrival_us, double peak_bytes)
{
  guint group = self->w->nodes[v].group;
  if (!isfinite (sluice_workload_get_us (self->w, v, d)))
    return N_ ("it cannot stand there");
  if (!isfinite (sluice_policy_groups_get_us (self->groups, group, d)))
    return N_ ("what stands with it cannot stand there");
  if (!isfinite (arrival_us))
    return N_ ("no link leads there");
  if (peak_bytes > self->w->machine->devices[d].memory)
    return N_ ("the memory is too small");
  return NULL;
}

static void
look (const Explain *self, guint v, guint d, SluiceCandidate *candidate)
{
  const SluiceWorkload *w = self->w;
  const SluiceWorkloadNode *node = &w->nodes[v];
  const SluiceSimulation *s = self->choice->schedule;
  double arrival = 0, bytes = 0;
  *candidate = (SluiceCandidate){ .device = d, .compute_us = sluice_workload_get_us (w, v, d) };
  for (guint i = 0; i < sluice_workload_get_n_needs (w, v); i++)
    {
      guint maker, value = sluice_workload_get_need (w, v, i, &maker);
      double end = s->spans[maker].end_us, there = end;
      candidate->ready_us = MAX (candidate->ready_us, end);
      if (s->devices[maker] != d)
        {
          const SluiceSimulatedTransfer *transfer = find_transfer (self, value, d);
          const SluiceMachineLink *link =
              sluice_machine_get_link (w->machine, s->devices[maker], d);
          double size = sluice_workload_get_bytes (w, value);
          there =
              transfer != NULL ? transfer->end_us : end + sluice_machine_link_get_us (link, size);
          bytes += transfer != NULL ? 0 : size;
        }
      arrival = MAX (arrival, there);
    }
  candidate->transfer_us = arrival - candidate->ready_us;
  if (s->devices[v] == d)
    {
      candidate->queue_us = s->spans[v].start_us - arrival;
      candidate->finish_us = s->spans[v].end_us;
      candidate->peak_bytes = sluice_held_get (self->held, d, s->spans[v].start_us).peak;
      return;
    }
  for (guint i = 0; i < node->n_outputs; i++)
    bytes += w->outputs[node->first_output + i].bytes;
  double start = isfinite (arrival) ? find_idle (self->busy[d], arrival) : INFINITY;
  const SluiceHeldLevel level = sluice_held_get (self->held, d, start);
  candidate->peak_bytes = MAX (level.peak, level.bytes + bytes);
  candidate->why_not = find_why_not (self, v, d, arrival, candidate->peak_bytes);
  candidate->queue_us = isfinite (arrival) ? start - arrival : 0;
  candidate->finish_us = candidate->why_not == NULL ? start + candidate->compute_us : INFINITY;
}

static void
explain_node (const Explain *self, guint v)
{
  SluiceDecision *decision = &self->choice->decisions[v];
  double second = INFINITY;
  if (decision->candidates != NULL)
    return;
  decision->step = v;
  decision->candidates = g_array_new (FALSE, FALSE, sizeof (SluiceCandidate));
  for (guint d = 0; d < self->w->machine->n_devices; d++)
    {
      SluiceCandidate candidate;
      look (self, v, d, &candidate);
      g_array_append_val (decision->candidates, candidate);
      if (d != self->choice->devices[v])
        second = MIN (second, candidate.finish_us);
    }
  decision->margin_us = second - self->choice->schedule->spans[v].end_us;
}

void
sluice_policy_explain (const SluiceWorkload *w, SluiceChoice *choice)
{
  g_autoptr (SluicePolicyGroups) groups = sluice_policy_groups_new (w, NULL);
  guint n_devices = w->machine->n_devices;
  g_autofree GArray **busy = g_new0 (GArray *, n_devices);
  g_autoptr (SluiceHeld) held = sluice_held_new (w, choice->schedule);
  g_autofree guint *first_transfer = NULL, *transfers = NULL;
  sluice_simulation_index_transfers (choice->schedule, w, &first_transfer, &transfers);
  const Explain self = { w, groups, choice, first_transfer, transfers, busy, held };
  for (guint d = 0; d < n_devices; d++)
    busy[d] = g_array_new (FALSE, FALSE, sizeof (SluiceSimulatedSpan));
  for (guint v = 0; v < w->n_nodes; v++)
    g_array_append_val (busy[choice->devices[v]], choice->schedule->spans[v]);
  for (guint d = 0; d < n_devices; d++)
    join_spans (busy[d]);
  for (guint v = 0; v < w->n_nodes; v++)
    explain_node (&self, v);
  for (guint d = 0; d < n_devices; d++)
    g_array_unref (busy[d]);
}
