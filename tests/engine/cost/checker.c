/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/cost/checker.h"

#include <math.h>

/* From start until before end; a copy, or the value where it was made. */
typedef struct
{
  guint device;
  double start, end, bytes;
} Held;

typedef struct
{
  const SluiceWorkload *w;
  const SluiceSimulation *s;
  GArray *held;
} Checker;

#define SAY(...)                                                                                   \
  do                                                                                               \
    return g_strdup_printf (__VA_ARGS__);                                                          \
  while (0)

static const SluiceSimulatedTransfer *
transfer_at (const Checker *self, guint i)
{
  return &g_array_index (self->s->transfers, SluiceSimulatedTransfer, i);
}

/* One at a time: also what takes no time does not begin amid another. */
static gboolean
overlap (double start, double end, double start2, double end2)
{
  if (start < end && start2 < end2)
    return MAX (start, start2) < MIN (end, end2);
  return (start2 < start && start < end2) || (start < start2 && start2 < end);
}

static char *
check_nodes (const Checker *self)
{
  for (guint v = 0; v < self->w->n_nodes; v++)
    {
      const SluiceWorkloadNode *node = &self->w->nodes[v];
      const SluiceSimulatedSpan *span = &self->s->spans[v];
      guint d = self->s->devices[v];
      double us = sluice_workload_get_us (self->w, v, d);
      if (d >= self->w->machine->n_devices || !isfinite (us))
        SAY ("%s stands where it cannot", node->name);
      if (!(span->start_us >= 0) || span->end_us != span->start_us + us)
        SAY ("%s takes from %g to %g instead of %g", node->name, span->start_us, span->end_us, us);
      if (span->end_us > self->s->us)
        SAY ("%s ends after the step", node->name);
      for (guint u = 0; u < v; u++)
        {
          const SluiceSimulatedSpan *other = &self->s->spans[u];
          if (self->w->nodes[u].group == node->group && self->s->devices[u] != d)
            SAY ("%s stands apart from its group", node->name);
          if (self->s->devices[u] == d
              && overlap (span->start_us, span->end_us, other->start_us, other->end_us))
            SAY ("%s runs beside %s", node->name, self->w->nodes[u].name);
        }
    }
  return NULL;
}

/* When what a node needs is where it stands; output G_MAXUINT: that the other has ended. */
static double
find_arrival (const Checker *self, guint from, guint output, guint v)
{
  if (self->s->devices[from] == self->s->devices[v])
    return self->s->spans[from].end_us;
  for (guint i = 0; i < self->s->transfers->len; i++)
    {
      const SluiceSimulatedTransfer *t = transfer_at (self, i);
      if (t->node == from && t->output == output && t->to == self->s->devices[v])
        return t->end_us;
    }
  return INFINITY;
}

static char *
check_needs (const Checker *self)
{
  for (guint v = 0; v < self->w->n_nodes; v++)
    {
      const SluiceWorkloadNode *node = &self->w->nodes[v];
      for (guint i = 0; i < node->n_reads; i++)
        {
          guint o = self->w->reads[node->first_read + i];
          if (self->s->spans[v].start_us < find_arrival (self, self->w->outputs[o].node, o, v))
            SAY ("%s begins before output %u is there", node->name, o);
        }
      for (guint i = 0; i < node->n_befores; i++)
        {
          guint u = self->w->befores[node->first_before + i];
          if (self->s->spans[v].start_us < find_arrival (self, u, G_MAXUINT, v))
            SAY ("%s begins before it knows that node %u has ended", node->name, u);
        }
    }
  return NULL;
}

/* Does a node on the transfer's goal need it? Also tells when the last one that reads it ends. */
static gboolean
is_needed (const Checker *self, const SluiceSimulatedTransfer *t, double *last)
{
  gboolean needed = FALSE;
  for (guint v = 0; v < self->w->n_nodes; v++)
    {
      const SluiceWorkloadNode *node = &self->w->nodes[v];
      gboolean has = FALSE;
      for (guint i = 0; i < node->n_reads; i++)
        has |= self->w->reads[node->first_read + i] == t->output;
      for (guint i = 0; i < node->n_befores && t->output == G_MAXUINT; i++)
        has |= self->w->befores[node->first_before + i] == t->node;
      if (!has || self->s->devices[v] != t->to)
        continue;
      needed = TRUE;
      *last = MAX (*last, self->s->spans[v].end_us);
    }
  return needed;
}

static char *
check_transfer (const Checker *self, guint i)
{
  const SluiceSimulatedTransfer *t = transfer_at (self, i);
  const SluiceMachineLink *link = sluice_machine_get_link (self->w->machine, t->from, t->to);
  double bytes = t->output == G_MAXUINT ? 0 : self->w->outputs[t->output].bytes;
  Held held = { t->to, t->start_us, t->end_us, bytes };
  if (t->output != G_MAXUINT && self->w->outputs[t->output].node != t->node)
    SAY ("transfer %u: the value is another node's", i);
  if (t->from != self->s->devices[t->node] || t->from == t->to || !isfinite (link->latency_us))
    SAY ("transfer %u goes a way that is none", i);
  if (t->bytes != bytes
      || t->end_us
             != t->start_us + (link->latency_us + (bytes > 0 ? bytes / link->bytes_per_us : 0)))
    SAY ("transfer %u takes %g for %g bytes", i, t->end_us - t->start_us, t->bytes);
  if (t->start_us < self->s->spans[t->node].end_us)
    SAY ("transfer %u begins before the value is made", i);
  if (!is_needed (self, t, &held.end))
    SAY ("transfer %u is needed by nobody", i);
  for (guint k = 0; k < i; k++)
    {
      const SluiceSimulatedTransfer *other = transfer_at (self, k);
      if (other->node == t->node && other->output == t->output && other->to == t->to)
        SAY ("transfers %u and %u carry the same", k, i);
      if (other->from == t->from && other->to == t->to
          && overlap (t->start_us, t->end_us, other->start_us, other->end_us))
        SAY ("transfers %u and %u are on their link together", k, i);
      if (other->start_us > t->start_us)
        SAY ("transfers %u and %u are not in order", k, i);
    }
  g_array_append_val (self->held, held);
  return NULL;
}

static void
hold_outputs (const Checker *self)
{
  for (guint o = 0; o < self->w->n_outputs; o++)
    {
      guint u = self->w->outputs[o].node, d = self->s->devices[u];
      Held held = { d, self->s->spans[u].start_us, self->s->spans[u].end_us,
                    self->w->outputs[o].bytes };
      for (guint v = 0; v < self->w->n_nodes; v++)
        for (guint i = 0; i < self->w->nodes[v].n_reads; i++)
          if (self->w->reads[self->w->nodes[v].first_read + i] == o && self->s->devices[v] == d)
            held.end = MAX (held.end, self->s->spans[v].end_us);
      for (guint i = 0; i < self->s->transfers->len; i++)
        if (transfer_at (self, i)->output == o)
          held.end = MAX (held.end, transfer_at (self, i)->end_us);
      g_array_append_val (self->held, held);
    }
}

/* Does anything run there for no time at all? What it reads and what it makes meet then. */
static gboolean
has_instant (const Checker *self, guint device)
{
  for (guint v = 0; v < self->w->n_nodes; v++)
    if (self->s->devices[v] == device && self->s->spans[v].start_us == self->s->spans[v].end_us)
      return TRUE;
  return FALSE;
}

/* Of values that are held for no time at all the peak may or may not know. */
static char *
check_memory (const Checker *self)
{
  for (guint d = 0; d < self->w->machine->n_devices; d++)
    {
      double peak = 0;
      gboolean has_moments = has_instant (self, d);
      for (guint i = 0; i < self->held->len; i++)
        {
          const Held *at = &g_array_index (self->held, Held, i);
          double sum = 0;
          has_moments |= at->device == d && at->end <= at->start;
          for (guint k = 0; k < self->held->len && at->device == d; k++)
            {
              const Held *other = &g_array_index (self->held, Held, k);
              if (other->device == d && other->start <= at->start && at->start < other->end)
                sum += other->bytes;
            }
          peak = MAX (peak, sum);
        }
      if (peak > self->w->machine->devices[d].memory)
        SAY ("device %u holds %g bytes of %g", d, peak, self->w->machine->devices[d].memory);
      if (self->s->peak_bytes[d] < peak || (!has_moments && self->s->peak_bytes[d] != peak))
        SAY ("device %u holds %g bytes and says %g", d, peak, self->s->peak_bytes[d]);
    }
  return NULL;
}

char *
check_schedule (const SluiceWorkload *workload, const SluiceSimulation *schedule)
{
  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (Held));
  const Checker self = { workload, schedule, held };
  double last = 0;
  char *wrong = check_nodes (&self);
  if (wrong == NULL)
    wrong = check_needs (&self);
  for (guint i = 0; i < schedule->transfers->len && wrong == NULL; i++)
    wrong = check_transfer (&self, i);
  if (wrong != NULL)
    return wrong;
  for (guint v = 0; v < workload->n_nodes; v++)
    last = MAX (last, schedule->spans[v].end_us);
  if (last != schedule->us)
    SAY ("the step takes %g, its nodes %g", schedule->us, last);
  hold_outputs (&self);
  return check_memory (&self);
}
