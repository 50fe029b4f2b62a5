/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/simulate.h"

#include <math.h>
#include <string.h>

#include "engine/base/count.h"
#include "engine/base/error.h"
#include "engine/cost/csr.h"
#include "engine/cost/heap.h"

#define NONE G_MAXUINT

/*
 * Activities are nodes, by number, and behind them transfers. Each has one entity that it occupies:
 * devices, by number, and behind them the links that the run uses. A need is what a node reads or
 * waits for: reads and behind them befores, as the workload numbers them.
 */
typedef struct
{
  guint first_need;     /* of nodes on its own device: a list through Need.next */
  guint first_transfer; /* through Transfer.next */
  guint n_waits;        /* needs that are not there yet */
  double tail_us;       /* the longest way from its start to the end of the step */
  double rank;
  double bytes; /* of its outputs together */
} Node;

typedef struct
{
  guint reader; /* the node */
  guint next;
  guint transfer; /* that brings it; NONE: it is made where it is read */
} Need;

typedef struct
{
  SluiceSimulatedTransfer told;
  guint entity;
  guint first_need, next;
  guint n_users; /* of the copy */
  double us, rank;
} Transfer;

typedef struct
{
  SluiceHeap ready; /* activities, by rank */
  gboolean is_busy;
  gboolean is_due;     /* in agenda */
  gboolean is_blocked; /* in its device's list */
  guint device;        /* whose memory what begins here takes */
  guint next_blocked;
} Entity;

struct _SluiceSimulator
{
  const SluiceWorkload *workload;
  gboolean is_unlimited;

  /* Of the workload: who needs a node's outputs and its end (CSR: numbers of needs). */
  guint *first_need_of_output, *needs_of_output;
  guint *first_need_of_node, *needs_of_node;

  /* Of the run. */
  const guint *devices;
  Node *nodes;
  Need *needs;
  guint *n_users; /* by output: of the value where it is made */
  Transfer *transfers;
  guint n_transfers;
  Entity *entities;
  guint n_entities;
  SluiceHeapEntry *ready; /* what the entities' heaps lie in */
  SluiceHeapEntry *aside; /* of those that do not fit */
  guint *agenda;          /* entities that may begin something */
  guint n_agenda;
  SluiceHeap ends; /* activities, by time */
  SluiceSimulatedSpan *spans;
  guint *seen;           /* by device: number of a transfer, where seen_stamp is the value's */
  guint *seen_stamp;     /* by device */
  guint *entity_of_link; /* by link; NONE: nothing uses it */
  double *held, *peak;   /* by device */
  guint *blocked;        /* by device: entities that wait for memory: through Entity.next_blocked */
  double now;
  guint n_done;
  gboolean is_full;
};

/* ---- made once ---- */

SluiceSimulator *
sluice_simulator_new (const SluiceWorkload *workload)
{
  SluiceSimulator *self = g_new0 (SluiceSimulator, 1);
  guint n_needs = workload->n_reads + workload->n_befores, n = workload->n_nodes;
  guint n_devices = workload->machine->n_devices;
  self->workload = workload;
  sluice_csr_build (workload->reads, workload->n_reads, workload->n_outputs,
                    &self->first_need_of_output, &self->needs_of_output);
  sluice_csr_build (workload->befores, workload->n_befores, n, &self->first_need_of_node,
                    &self->needs_of_node);
  for (guint i = 0; i < workload->n_befores; i++)
    self->needs_of_node[i] += workload->n_reads;
  self->nodes = g_new0 (Node, n + 1);
  self->needs = g_new0 (Need, n_needs + 1);
  self->n_users = g_new0 (guint, workload->n_outputs + 1);
  self->transfers = g_new0 (Transfer, n_needs + 1);
  self->entities = g_new0 (Entity, n_devices + n_needs + 1);
  self->ready = g_new (SluiceHeapEntry, n + n_needs + 1);
  self->aside = g_new (SluiceHeapEntry, n + n_needs + 1);
  self->agenda = g_new (guint, n_devices + n_needs + 1);
  self->ends.entries = g_new (SluiceHeapEntry, n_devices + n_needs + 1);
  self->spans = g_new0 (SluiceSimulatedSpan, n + 1);
  self->seen = g_new (guint, n_devices + 1);
  self->seen_stamp = g_new0 (guint, n_devices + 1);
  self->entity_of_link = g_new (guint, (gsize) n_devices * n_devices + 1);
  memset (self->entity_of_link, 0xff, (gsize) n_devices * n_devices * sizeof (guint));
  self->held = g_new0 (double, n_devices + 1);
  self->peak = g_new0 (double, n_devices + 1);
  self->blocked = g_new (guint, n_devices + 1);
  for (guint v = 0; v < n; v++)
    {
      const SluiceWorkloadNode *node = &workload->nodes[v];
      for (guint i = 0; i < node->n_reads; i++)
        self->needs[node->first_read + i].reader = v;
      for (guint i = 0; i < node->n_befores; i++)
        self->needs[workload->n_reads + node->first_before + i].reader = v;
      for (guint i = 0; i < node->n_outputs; i++)
        self->nodes[v].bytes += workload->outputs[node->first_output + i].bytes;
    }
  return self;
}

void
sluice_simulator_free (SluiceSimulator *self)
{
  g_free (self->first_need_of_output);
  g_free (self->needs_of_output);
  g_free (self->first_need_of_node);
  g_free (self->needs_of_node);
  g_free (self->nodes);
  g_free (self->needs);
  g_free (self->n_users);
  g_free (self->transfers);
  g_free (self->entities);
  g_free (self->ready);
  g_free (self->aside);
  g_free (self->agenda);
  g_free (self->ends.entries);
  g_free (self->spans);
  g_free (self->seen);
  g_free (self->seen_stamp);
  g_free (self->entity_of_link);
  g_free (self->held);
  g_free (self->peak);
  g_free (self->blocked);
  g_free (self);
}

void
sluice_simulator_set_unlimited (SluiceSimulator *self, gboolean is_unlimited)
{
  self->is_unlimited = is_unlimited;
}

const SluiceWorkload *
sluice_simulator_get_workload (const SluiceSimulator *self)
{
  return self->workload;
}

gboolean
sluice_simulator_is_full (const SluiceSimulator *self)
{
  return self->is_full;
}

const double *
sluice_simulator_get_peaks (const SluiceSimulator *self)
{
  return self->peak;
}

/* ---- before a run: what travels ---- */

static guint
need_link (SluiceSimulator *self, guint from, guint to)
{
  guint *entity = &self->entity_of_link[from * self->workload->machine->n_devices + to];
  if (*entity == NONE)
    {
      *entity = self->n_entities++;
      self->entities[*entity] = (Entity){ .device = to };
    }
  return *entity;
}

static gboolean
fail_link (const SluiceSimulator *self, guint v, guint from, guint reader, GError **error)
{
  const SluiceMachine *machine = self->workload->machine;
  const SluiceWorkloadNode *nodes = self->workload->nodes;
  if (error == NULL)
    return FALSE;
  return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                      "'%s' on %s needs '%s' on %s, and the machine has no link from there; give "
                      "it one, or place both on one device",
                      nodes[reader].name, machine->devices[self->devices[reader]].name,
                      nodes[v].name, machine->devices[from].name);
}

/* NONE: there is no link. */
static guint
add_transfer (SluiceSimulator *self, guint v, guint output, guint to)
{
  guint from = self->devices[v], number = self->n_transfers;
  const SluiceMachineLink *link = sluice_machine_get_link (self->workload->machine, from, to);
  double bytes = output == NONE ? 0 : self->workload->outputs[output].bytes;
  if (!isfinite (link->latency_us))
    return NONE;
  self->transfers[number] = (Transfer){
    .told = { v, output, from, to, 0, 0, bytes },
    .entity = need_link (self, from, to),
    .first_need = NONE,
    .next = self->nodes[v].first_transfer,
    .us = sluice_machine_link_get_us (link, bytes),
    .rank = INFINITY,
  };
  self->nodes[v].first_transfer = number;
  if (output != NONE)
    self->n_users[output]++;
  return self->n_transfers++;
}

/* A node's output, or its end (NONE), to all that need it. stamp: of this value alone, not 0 */
static gboolean
spread_value (SluiceSimulator *self,
              guint v,
              guint output,
              const guint *needs,
              guint n_needs,
              guint stamp,
              GError **error)
{
  guint from = self->devices[v];
  for (guint i = 0; i < n_needs; i++)
    {
      Need *need = &self->needs[needs[i]];
      guint to = self->devices[need->reader];
      guint *list = &self->nodes[v].first_need;
      self->nodes[need->reader].n_waits++;
      need->transfer = NONE;
      if (to != from)
        {
          if (self->seen_stamp[to] != stamp)
            {
              self->seen[to] = add_transfer (self, v, output, to);
              self->seen_stamp[to] = stamp;
              if (self->seen[to] == NONE)
                return fail_link (self, v, from, need->reader, error);
            }
          need->transfer = self->seen[to];
          self->transfers[need->transfer].n_users++;
          list = &self->transfers[need->transfer].first_need;
        }
      else if (output != NONE)
        self->n_users[output]++;
      need->next = *list;
      *list = needs[i];
    }
  return TRUE;
}

static gboolean
spread_node (SluiceSimulator *self, guint v, GError **error)
{
  const SluiceWorkload *w = self->workload;
  const SluiceWorkloadNode *node = &w->nodes[v];
  for (guint o = node->first_output; o < node->first_output + node->n_outputs; o++)
    {
      guint first = self->first_need_of_output[o];
      self->n_users[o] = 1; /* who makes it */
      if (!spread_value (self, v, o, self->needs_of_output + first,
                         self->first_need_of_output[o + 1] - first, o + 1, error))
        return FALSE;
    }
  guint first = self->first_need_of_node[v];
  return spread_value (self, v, NONE, self->needs_of_node + first,
                       self->first_need_of_node[v + 1] - first, w->n_outputs + v + 1, error);
}

static gboolean
spread_all (SluiceSimulator *self, GError **error)
{
  const SluiceWorkload *w = self->workload;
  guint n_devices = w->machine->n_devices;
  for (guint k = 0; k < self->n_transfers; k++) /* of the run before */
    {
      const SluiceSimulatedTransfer *told = &self->transfers[k].told;
      self->entity_of_link[told->from * n_devices + told->to] = NONE;
    }
  self->n_transfers = 0;
  self->n_entities = n_devices;
  for (guint d = 0; d < n_devices; d++)
    {
      self->entities[d] = (Entity){ .device = d };
      self->seen_stamp[d] = 0;
    }
  for (guint v = 0; v < w->n_nodes; v++)
    {
      self->nodes[v].first_need = self->nodes[v].first_transfer = NONE;
      self->nodes[v].n_waits = 0;
    }
  for (guint v = 0; v < w->n_nodes; v++)
    {
      if (!isfinite (sluice_workload_get_us (w, v, self->devices[v])))
        {
          if (error != NULL)
            sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "'%s' cannot stand on %s",
                         w->nodes[v].name, w->machine->devices[self->devices[v]].name);
          return FALSE;
        }
      if (!spread_node (self, v, error))
        return FALSE;
    }
  return TRUE;
}

/* Last first: whoever needs a node comes behind it. */
static void
find_tails (SluiceSimulator *self)
{
  for (guint v = self->workload->n_nodes; v-- > 0;)
    {
      Node *node = &self->nodes[v];
      double longest = 0;
      for (guint i = node->first_need; i != NONE; i = self->needs[i].next)
        longest = MAX (longest, self->nodes[self->needs[i].reader].tail_us);
      for (guint k = node->first_transfer; k != NONE; k = self->transfers[k].next)
        for (guint i = self->transfers[k].first_need; i != NONE; i = self->needs[i].next)
          longest =
              MAX (longest, self->transfers[k].us + self->nodes[self->needs[i].reader].tail_us);
      node->tail_us = sluice_workload_get_us (self->workload, v, self->devices[v]) + longest;
    }
}

static void
set_ranks (SluiceSimulator *self, const double *ranks)
{
  if (ranks == NULL)
    find_tails (self);
  for (guint v = 0; v < self->workload->n_nodes; v++)
    self->nodes[v].rank = ranks != NULL ? ranks[v] : -self->nodes[v].tail_us;
  for (guint k = 0; k < self->n_transfers; k++)
    for (guint i = self->transfers[k].first_need; i != NONE; i = self->needs[i].next)
      self->transfers[k].rank =
          MIN (self->transfers[k].rank, self->nodes[self->needs[i].reader].rank);
}

/* Side by side, each as long as it could become. */
static void
lay_out_heaps (SluiceSimulator *self)
{
  for (guint v = 0; v < self->workload->n_nodes; v++)
    self->entities[self->devices[v]].ready.n++;
  for (guint k = 0; k < self->n_transfers; k++)
    self->entities[self->transfers[k].entity].ready.n++;
  SluiceHeapEntry *next = self->ready;
  for (guint e = 0; e < self->n_entities; e++)
    {
      self->entities[e].ready.entries = next;
      next += self->entities[e].ready.n;
      self->entities[e].ready.n = 0;
    }
}

/* ---- the run ---- */

static void
make_due (SluiceSimulator *self, guint e)
{
  if (self->entities[e].is_due)
    return;
  self->entities[e].is_due = TRUE;
  self->agenda[self->n_agenda++] = e;
}

static void
make_ready (SluiceSimulator *self, guint e, double rank, guint activity)
{
  sluice_heap_push (&self->entities[e].ready, rank, activity);
  if (!self->entities[e].is_busy)
    make_due (self, e);
}

static void
hold (SluiceSimulator *self, guint d, double bytes)
{
  self->held[d] += bytes;
  self->peak[d] = MAX (self->peak[d], self->held[d]);
}

static void
release (SluiceSimulator *self, guint d, double bytes)
{
  self->held[d] -= bytes;
  if (bytes <= 0)
    return;
  for (guint e = self->blocked[d]; e != NONE; e = self->entities[e].next_blocked)
    {
      self->entities[e].is_blocked = FALSE;
      make_due (self, e);
    }
  self->blocked[d] = NONE;
}

static double
get_bytes (const SluiceSimulator *self, guint activity)
{
  guint n = self->workload->n_nodes;
  return activity < n ? self->nodes[activity].bytes : self->transfers[activity - n].told.bytes;
}

static void
begin (SluiceSimulator *self, guint e, guint activity)
{
  const SluiceWorkload *w = self->workload;
  double end;
  self->entities[e].is_busy = TRUE;
  hold (self, self->entities[e].device, get_bytes (self, activity));
  if (activity < w->n_nodes)
    {
      SluiceSimulatedSpan *span = &self->spans[activity];
      span->start_us = self->now;
      end = span->end_us = self->now + sluice_workload_get_us (w, activity, e);
    }
  else
    {
      Transfer *transfer = &self->transfers[activity - w->n_nodes];
      transfer->told.start_us = self->now;
      end = transfer->told.end_us = self->now + transfer->us;
    }
  sluice_heap_push (&self->ends, end, activity);
}

/* The first that is ready and fits. */
static void
begin_one (SluiceSimulator *self, guint e)
{
  Entity *entity = &self->entities[e];
  guint d = entity->device, n_aside = 0;
  double room =
      self->is_unlimited ? INFINITY : self->workload->machine->devices[d].memory - self->held[d];
  while (!entity->is_busy && entity->ready.n > 0)
    {
      SluiceHeapEntry first = sluice_heap_pop (&entity->ready);
      if (get_bytes (self, first.number) <= room)
        begin (self, e, first.number);
      else
        self->aside[n_aside++] = first;
    }
  if (!entity->is_busy && n_aside > 0 && !entity->is_blocked)
    {
      entity->is_blocked = TRUE;
      entity->next_blocked = self->blocked[d];
      self->blocked[d] = e;
    }
  for (guint i = 0; i < n_aside; i++)
    sluice_heap_push (&entity->ready, self->aside[i].key, self->aside[i].number);
}

static void
drop_user (SluiceSimulator *self, guint output)
{
  const SluiceWorkloadOutput *told = &self->workload->outputs[output];
  if (--self->n_users[output] == 0)
    release (self, self->devices[told->node], told->bytes);
}

static void
arrive (SluiceSimulator *self, guint first_need)
{
  for (guint i = first_need; i != NONE; i = self->needs[i].next)
    {
      guint v = self->needs[i].reader;
      if (--self->nodes[v].n_waits == 0)
        make_ready (self, self->devices[v], self->nodes[v].rank, v);
    }
}

static void
end_node (SluiceSimulator *self, guint v)
{
  const SluiceWorkloadNode *node = &self->workload->nodes[v];
  for (guint i = node->first_read; i < node->first_read + node->n_reads; i++)
    {
      guint k = self->needs[i].transfer;
      if (k == NONE)
        drop_user (self, self->workload->reads[i]);
      else if (--self->transfers[k].n_users == 0)
        release (self, self->transfers[k].told.to, self->transfers[k].told.bytes);
    }
  for (guint o = node->first_output; o < node->first_output + node->n_outputs; o++)
    drop_user (self, o);
  for (guint k = self->nodes[v].first_transfer; k != NONE; k = self->transfers[k].next)
    make_ready (self, self->transfers[k].entity, self->transfers[k].rank,
                self->workload->n_nodes + k);
  arrive (self, self->nodes[v].first_need);
  self->n_done++;
}

static void
end_activity (SluiceSimulator *self, guint activity)
{
  guint n = self->workload->n_nodes;
  guint e = activity < n ? self->devices[activity] : self->transfers[activity - n].entity;
  self->entities[e].is_busy = FALSE;
  make_due (self, e);
  if (activity < n)
    {
      end_node (self, activity);
      return;
    }
  const Transfer *transfer = &self->transfers[activity - n];
  if (transfer->told.output != NONE)
    drop_user (self, transfer->told.output);
  arrive (self, transfer->first_need);
}

static void
run_events (SluiceSimulator *self)
{
  guint n_devices = self->workload->machine->n_devices;
  self->now = 0;
  self->n_done = self->n_agenda = self->ends.n = 0;
  for (guint d = 0; d < n_devices; d++)
    {
      self->held[d] = self->peak[d] = 0;
      self->blocked[d] = NONE;
    }
  for (guint v = 0; v < self->workload->n_nodes; v++)
    if (self->nodes[v].n_waits == 0)
      make_ready (self, self->devices[v], self->nodes[v].rank, v);
  for (;;)
    {
      for (guint i = 0; i < self->n_agenda; i++)
        {
          self->entities[self->agenda[i]].is_due = FALSE;
          begin_one (self, self->agenda[i]);
        }
      self->n_agenda = 0;
      if (self->ends.n == 0)
        break;
      self->now = self->ends.entries[0].key;
      while (self->ends.n > 0 && self->ends.entries[0].key <= self->now)
        end_activity (self, sluice_heap_pop (&self->ends).number);
    }
}

/* Nothing runs and nothing fits. What would do is what the same order takes without a limit. */
static double
fail_memory (SluiceSimulator *self, const double *ranks, GError **error)
{
  const SluiceWorkload *w = self->workload;
  guint e = 0;
  if (error == NULL)
    return INFINITY;
  while (self->entities[e].ready.n == 0)
    e++;
  guint d = self->entities[e].device, activity = self->entities[e].ready.entries[0].number;
  double held = self->held[d], bytes = get_bytes (self, activity);
  const char *name = activity < w->n_nodes
                         ? w->nodes[activity].name
                         : w->nodes[self->transfers[activity - w->n_nodes].told.node].name;
  gboolean was_unlimited = self->is_unlimited;
  self->is_unlimited = TRUE;
  sluice_simulator_run (self, self->devices, ranks, NULL);
  self->is_unlimited = was_unlimited;
  self->is_full = TRUE;
  g_autofree char *limit = sluice_count_dup ((gint64) w->machine->devices[d].memory);
  g_autofree char *held_text = sluice_count_dup ((gint64) held);
  g_autofree char *bytes_text = sluice_count_dup ((gint64) ceil (bytes));
  g_autofree char *enough = sluice_count_dup ((gint64) ceil (self->peak[d]));
  sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
               "%s has %s bytes: when %s of them are held, '%s' needs %s more there; in this order "
               "%s bytes would do",
               w->machine->devices[d].name, limit, held_text, name, bytes_text, enough);
  return INFINITY;
}

double
sluice_simulator_run (SluiceSimulator *self,
                      const guint *devices,
                      const double *ranks,
                      GError **error)
{
  self->devices = devices;
  self->is_full = FALSE;
  if (!spread_all (self, error))
    return INFINITY;
  set_ranks (self, ranks);
  lay_out_heaps (self);
  run_events (self);
  self->is_full = self->n_done < self->workload->n_nodes;
  return self->is_full ? fail_memory (self, ranks, error) : self->now;
}

/* ---- what it was ---- */

static int
compare_transfers (gconstpointer a, gconstpointer b)
{
  const SluiceSimulatedTransfer *x = a, *y = b;
  if (x->start_us < y->start_us || x->start_us > y->start_us)
    return x->start_us < y->start_us ? -1 : 1;
  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  if (x->output != y->output)
    return x->output < y->output ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

void
sluice_simulation_sort (SluiceSimulation *self)
{
  g_array_sort (self->transfers, compare_transfers);
}

void
sluice_simulation_index_transfers (const SluiceSimulation *self,
                                   const SluiceWorkload *workload,
                                   guint **first,
                                   guint **transfers)
{
  guint n = self->transfers->len;
  g_autofree guint *values = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const SluiceSimulatedTransfer *told =
          &g_array_index (self->transfers, SluiceSimulatedTransfer, i);
      values[i] = told->output != NONE ? told->output : workload->n_outputs + told->node;
    }
  sluice_csr_build (values, n, sluice_workload_get_n_values (workload), first, transfers);
}

SluiceSimulation *
sluice_simulator_dup_simulation (const SluiceSimulator *self)
{
  SluiceSimulation *told = g_new0 (SluiceSimulation, 1);
  told->n_nodes = self->workload->n_nodes;
  told->devices = g_memdup2 (self->devices, told->n_nodes * sizeof (guint));
  told->spans = g_memdup2 (self->spans, told->n_nodes * sizeof (SluiceSimulatedSpan));
  told->peak_bytes = g_memdup2 (self->peak, self->workload->machine->n_devices * sizeof (double));
  told->us = self->now;
  told->transfers = g_array_new (FALSE, FALSE, sizeof (SluiceSimulatedTransfer));
  for (guint k = 0; k < self->n_transfers; k++)
    g_array_append_val (told->transfers, self->transfers[k].told);
  sluice_simulation_sort (told);
  return told;
}

void
sluice_simulation_free (SluiceSimulation *self)
{
  g_free (self->devices);
  g_free (self->spans);
  g_free (self->peak_bytes);
  g_array_unref (self->transfers);
  g_free (self);
}

SluiceSimulation *
sluice_simulate (const SluiceWorkload *workload,
                 const guint *devices,
                 const double *ranks,
                 GError **error)
{
  g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (workload);
  double us = sluice_simulator_run (simulator, devices, ranks, error);
  return isfinite (us) ? sluice_simulator_dup_simulation (simulator) : NULL;
}
