/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/cost/brute-force.h"

#include <math.h>
#include <string.h>

#define MOST 64

/* A node or a transfer: makers and users are sets of them. */
typedef struct
{
  double us, tail, start, end;
  guint64 makers;
  guint place; /* a device, or behind them the link [from * n_devices + to] */
  gboolean is_begun;
} Act;

/* A value on a device: from the start of one to the end of all users. */
typedef struct
{
  guint maker, device;
  double bytes;
  guint64 users;
} Buffer;

typedef struct
{
  const SluiceWorkload *w;
  guint devices[MOST];
  Act acts[MOST];
  guint n_acts;
  Buffer buffers[MOST];
  guint n_buffers;
  gboolean is_limited; /* some device's memory */
  double best;
} Brute;

static guint
add_act (Brute *self, double us, guint place)
{
  g_assert_cmpuint (self->n_acts, <, MOST);
  self->acts[self->n_acts] = (Act){ .us = us, .place = place };
  return self->n_acts++;
}

static guint
add_buffer (Brute *self, guint maker, guint device, double bytes)
{
  g_assert_cmpuint (self->n_buffers, <, MOST);
  self->buffers[self->n_buffers] = (Buffer){ maker, device, bytes, 0 };
  return self->n_buffers++;
}

static gboolean
needs (const SluiceWorkload *w, guint v, guint output, guint before)
{
  const SluiceWorkloadNode *node = &w->nodes[v];
  for (guint i = 0; i < node->n_reads; i++)
    if (w->reads[node->first_read + i] == output)
      return TRUE;
  for (guint i = 0; i < node->n_befores; i++)
    if (w->befores[node->first_before + i] == before)
      return TRUE;
  return FALSE;
}

/* FALSE: there is no link. output or before: G_MAXUINT */
static gboolean
add_value (Brute *self, guint maker, guint output, guint before)
{
  const SluiceWorkload *w = self->w;
  guint n = w->machine->n_devices, home = self->devices[maker];
  double bytes = output != G_MAXUINT ? w->outputs[output].bytes : 0;
  guint local = output != G_MAXUINT ? add_buffer (self, maker, home, bytes) : G_MAXUINT;
  if (local != G_MAXUINT)
    self->buffers[local].users = G_GUINT64_CONSTANT (1) << maker;
  for (guint d = 0; d < n; d++)
    {
      guint act = G_MAXUINT, copy = G_MAXUINT;
      for (guint v = 0; v < w->n_nodes; v++)
        {
          if (self->devices[v] != d || !needs (w, v, output, before))
            continue;
          if (d != home && act == G_MAXUINT)
            {
              const SluiceMachineLink *link = &w->machine->links[home * n + d];
              if (!isfinite (link->latency_us))
                return FALSE;
              act = add_act (self, link->latency_us + bytes / link->bytes_per_us, n + home * n + d);
              self->acts[act].makers = G_GUINT64_CONSTANT (1) << maker;
              copy = add_buffer (self, act, d, bytes);
              if (local != G_MAXUINT)
                self->buffers[local].users |= G_GUINT64_CONSTANT (1) << act;
            }
          self->acts[v].makers |= G_GUINT64_CONSTANT (1) << (d == home ? maker : act);
          guint buffer = d == home ? local : copy;
          if (buffer != G_MAXUINT)
            self->buffers[buffer].users |= G_GUINT64_CONSTANT (1) << v;
        }
    }
  return TRUE;
}

static double
find_tail (Brute *self, guint act)
{
  double longest = 0;
  if (self->acts[act].tail > 0)
    return self->acts[act].tail;
  for (guint a = 0; a < self->n_acts; a++)
    if (self->acts[a].makers >> act & 1)
      longest = MAX (longest, find_tail (self, a));
  return self->acts[act].tail = self->acts[act].us + longest;
}

/* INFINITY: not all have begun. */
static double
find_release (const Brute *self, const Buffer *buffer)
{
  double end = 0;
  for (guint a = 0; a < self->n_acts; a++)
    if (buffer->users >> a & 1)
      end = MAX (end, self->acts[a].is_begun ? self->acts[a].end : INFINITY);
  return end;
}

/* The first moment from us on when the memory has room for what act makes. */
static double
find_room (const Brute *self, guint act, double us)
{
  double wanted[MOST] = { 0 };
  for (guint i = 0; i < self->n_buffers; i++)
    if (self->buffers[i].maker == act)
      wanted[self->buffers[i].device] += self->buffers[i].bytes;
  for (;;)
    {
      double next = INFINITY;
      gboolean fits = TRUE;
      for (guint d = 0; d < self->w->machine->n_devices; d++)
        {
          double held = wanted[d];
          for (guint i = 0; i < self->n_buffers && wanted[d] > 0; i++)
            {
              const Buffer *buffer = &self->buffers[i];
              if (buffer->device != d || !self->acts[buffer->maker].is_begun)
                continue;
              double release = find_release (self, buffer);
              if (release <= us)
                continue;
              held += buffer->bytes;
              next = MIN (next, release);
            }
          fits &= held <= self->w->machine->devices[d].memory;
        }
      if (fits)
        return us;
      if (!isfinite (next))
        return INFINITY;
      us = next;
    }
}

static void
try_orders (Brute *self, guint64 begun, double last)
{
  if (begun + 1 == G_GUINT64_CONSTANT (1) << self->n_acts)
    {
      double us = 0;
      for (guint a = 0; a < self->n_acts; a++)
        us = MAX (us, self->acts[a].end);
      self->best = MIN (self->best, us);
      return;
    }
  for (guint a = 0; a < self->n_acts; a++)
    {
      Act *act = &self->acts[a];
      double us = 0;
      if (act->is_begun || (act->makers & ~begun) != 0)
        continue;
      for (guint k = 0; k < self->n_acts; k++)
        if (self->acts[k].is_begun && (act->makers >> k & 1 || self->acts[k].place == act->place))
          us = MAX (us, self->acts[k].end);
      /* Without limits it began as soon as it could in an order that is tried, too. */
      if (us < last && !self->is_limited)
        continue;
      us = find_room (self, a, MAX (us, last));
      if (!isfinite (us) || us + act->tail >= self->best)
        continue;
      act->is_begun = TRUE;
      act->start = us;
      act->end = us + act->us;
      try_orders (self, begun | G_GUINT64_CONSTANT (1) << a, us);
      act->is_begun = FALSE;
    }
}

static void
try_placement (Brute *self)
{
  const SluiceWorkload *w = self->w;
  self->n_acts = self->n_buffers = 0;
  for (guint v = 0; v < w->n_nodes; v++)
    add_act (self, sluice_workload_get_us (w, v, self->devices[v]), self->devices[v]);
  for (guint output = 0; output < w->n_outputs; output++)
    if (!add_value (self, w->outputs[output].node, output, G_MAXUINT))
      return;
  for (guint v = 0; v < w->n_nodes; v++)
    if (!add_value (self, v, G_MAXUINT, v))
      return;
  for (guint a = 0; a < self->n_acts; a++)
    find_tail (self, a);
  try_orders (self, 0, 0);
}

static void
try_devices (Brute *self, guint v)
{
  const SluiceWorkload *w = self->w;
  if (v == w->n_nodes)
    {
      try_placement (self);
      return;
    }
  for (guint d = 0; d < w->machine->n_devices; d++)
    {
      gboolean may = isfinite (sluice_workload_get_us (w, v, d));
      for (guint u = 0; u < v; u++)
        may &= w->nodes[u].group != w->nodes[v].group || self->devices[u] == d;
      self->devices[v] = d;
      if (may)
        try_devices (self, v + 1);
    }
}

double
find_shortest (const SluiceWorkload *workload)
{
  g_autofree Brute *self = g_new0 (Brute, 1);
  self->w = workload;
  self->best = INFINITY;
  for (guint d = 0; d < workload->machine->n_devices; d++)
    self->is_limited |= isfinite (workload->machine->devices[d].memory);
  try_devices (self, 0);
  return self->best;
}
