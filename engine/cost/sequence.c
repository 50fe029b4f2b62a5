/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Activities are nodes and, behind them, transfers; each has one entity, a device or a link, that
 * does one thing at a time. Two searches lie in each other.
 *
 * Orders, by Giffler and Thompson: of all activities whose makers are in the schedule the one that
 * could end first, say at t, names its entity; next on that entity comes one of those that could
 * begin there before t. Complete: what is not yet among them has a maker among them, which ends at
 * t or later; and if in some best schedule another that begins at t or later came next on that
 * entity, the one that ends at t could be moved before it and nothing would end later. Each
 * activity begins as soon as its makers and its entity let it: moving it forward delays nothing.
 *
 * Memory: what is held is a buffer, from the start of who makes it (a node, or the transfer of a
 * copy) to the end of its last user. Of a best schedule that ignores memory a set of buffers that
 * lie there together and are too large for the device together is taken. In every schedule that
 * fits some two of them are never there together: intervals of which every two meet have a moment
 * in common. So for each ordered pair the search goes on with "all users of the one end before the
 * other is made" as further arcs; nothing that fits is lost, and as every arc was broken by the
 * schedule that it comes from the search ends.
 */
#include "engine/cost/sequence.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/cost/held.h"

#define NONE       G_MAXUINT
#define CHECK_EACH 4096 /* steps between looks at the clock */

typedef struct
{
  double us;
  guint entity;
  guint first_arc;  /* to those that come after it: through Arc.next */
  guint n_makers;   /* arcs that lead to it */
  guint n_open;     /* of them from what is not in the schedule */
  gboolean is_done; /* it is in the schedule */
  double start;     /* where it is; else the earliest that could be */
  double tail;      /* from its start to the end of all that hangs on it */
} Activity;

typedef struct
{
  guint to, next;
} Arc;

/* A device or a link. */
typedef struct
{
  double free_us;                    /* after what is in the schedule */
  double first_us, left_us, last_us; /* of what is not */
} Entity;

typedef struct
{
  guint maker, device;
  double bytes;
  guint first_user, n_users; /* activities, in users */
} Buffer;

/* What may come next on an entity. */
typedef struct
{
  guint activity;
  double start, tail, end;
} Next;

struct _SluiceSequencer
{
  const SluiceWorkload *w;
  SluiceSearchBudget *budget;
  guint *first_reader, *readers; /* by value */
  const guint *devices;
  guint n; /* activities */
  Activity *activities;
  SluiceSimulatedTransfer *transfers; /* by activity - n_nodes */
  GArray *arcs;                       /* of Arc */
  GArray *buffers;                    /* of Buffer; only on devices that could be too small */
  GArray *users;                      /* of guint */
  guint *order;                       /* makers first */
  Entity *entities;
  guint n_entities;
  guint *entity_of_link; /* by link; NONE: nothing uses it */
  GArray *nexts;         /* of Next: of all branches that are open */
  guint *transfer_to;    /* by device: that of the value which is looked at; NONE */
  double best_us;
  double *best_starts; /* by activity */
  gboolean has_found, has_met_memory;
};

gboolean
sluice_search_budget_step (SluiceSearchBudget *self)
{
  if (self->is_over)
    return FALSE;
  self->n_done++;
  if (self->n_left-- == 0
      || (self->n_done % CHECK_EACH == 0
          && (g_cancellable_is_cancelled (self->options->cancellable)
              || g_get_monotonic_time () > self->end_us)))
    self->is_over = TRUE;
  return !self->is_over;
}

SluiceSequencer *
sluice_sequencer_new (const SluiceWorkload *w, SluiceSearchBudget *budget)
{
  SluiceSequencer *self = g_new0 (SluiceSequencer, 1);
  guint n_devices = w->machine->n_devices;
  guint most = w->n_nodes + w->n_reads + w->n_befores + 1;
  self->w = w;
  self->budget = budget;
  sluice_workload_index_readers (w, &self->first_reader, &self->readers);
  self->activities = g_new0 (Activity, most);
  self->transfers = g_new0 (SluiceSimulatedTransfer, most);
  self->arcs = g_array_new (FALSE, FALSE, sizeof (Arc));
  self->buffers = g_array_new (FALSE, FALSE, sizeof (Buffer));
  self->users = g_array_new (FALSE, FALSE, sizeof (guint));
  self->order = g_new (guint, most);
  self->best_starts = g_new (double, most);
  self->entities = g_new0 (Entity, most + n_devices);
  self->entity_of_link = g_new (guint, n_devices * n_devices);
  memset (self->entity_of_link, 0xff, n_devices * n_devices * sizeof (guint));
  self->nexts = g_array_new (FALSE, FALSE, sizeof (Next));
  self->transfer_to = g_new (guint, n_devices);
  memset (self->transfer_to, 0xff, n_devices * sizeof (guint));
  return self;
}

void
sluice_sequencer_free (SluiceSequencer *self)
{
  g_free (self->first_reader);
  g_free (self->readers);
  g_free (self->activities);
  g_free (self->transfers);
  g_array_unref (self->arcs);
  g_array_unref (self->buffers);
  g_array_unref (self->users);
  g_free (self->order);
  g_free (self->best_starts);
  g_free (self->entities);
  g_free (self->entity_of_link);
  g_array_unref (self->nexts);
  g_free (self->transfer_to);
  g_free (self);
}

gboolean
sluice_sequencer_has_met_memory (const SluiceSequencer *self)
{
  return self->has_met_memory;
}

/* ---- what there is to do ---- */

static void
add_arc (SluiceSequencer *self, guint from, guint to)
{
  const Arc arc = { to, self->activities[from].first_arc };
  self->activities[from].first_arc = self->arcs->len;
  self->activities[to].n_makers++;
  g_array_append_val (self->arcs, arc);
}

/* Takes back the last arcs: they are the first of their makers'. from: of each, in order */
static void
drop_arcs (SluiceSequencer *self, guint n_arcs, const GArray *from)
{
  for (guint i = from->len; i-- > 0;)
    {
      const Arc *arc = &g_array_index (self->arcs, Arc, n_arcs + i);
      self->activities[g_array_index (from, guint, i)].first_arc = arc->next;
      self->activities[arc->to].n_makers--;
    }
  g_array_set_size (self->arcs, n_arcs);
}

static guint
add_transfer (SluiceSequencer *self, guint maker, guint value, guint to)
{
  const SluiceWorkload *w = self->w;
  guint from = self->devices[maker], a = self->n++;
  double bytes = sluice_workload_get_bytes (w, value);
  double us = sluice_machine_link_get_us (sluice_machine_get_link (w->machine, from, to), bytes);
  guint *entity = &self->entity_of_link[from * w->machine->n_devices + to];
  if (*entity == NONE)
    *entity = self->n_entities++;
  self->activities[a] = (Activity){ .us = us, .entity = *entity, .first_arc = NONE };
  self->transfers[a - w->n_nodes] = (SluiceSimulatedTransfer){
    maker, value < w->n_outputs ? value : NONE, from, to, 0, 0, bytes
  };
  add_arc (self, maker, a);
  return a;
}

/* The buffer of a value on a device: users are its readers there and, at home, transfers. */
static void
add_buffer (SluiceSequencer *self, guint value, guint maker, guint device)
{
  gboolean is_home = self->devices[maker] == device;
  Buffer buffer = { is_home ? maker : self->transfer_to[device], device,
                    sluice_workload_get_bytes (self->w, value), self->users->len, 0 };
  if (is_home)
    g_array_append_val (self->users, maker);
  for (guint i = self->first_reader[value]; i < self->first_reader[value + 1]; i++)
    {
      guint d = self->devices[self->readers[i]];
      if (d == device)
        g_array_append_val (self->users, self->readers[i]);
      else if (is_home)
        g_array_append_val (self->users, self->transfer_to[d]);
    }
  buffer.n_users = self->users->len - buffer.first_user;
  if (buffer.bytes > 0 && isfinite (self->w->machine->devices[device].memory))
    g_array_append_val (self->buffers, buffer);
  else
    g_array_set_size (self->users, buffer.first_user);
}

static void
add_value (SluiceSequencer *self, guint value, guint maker)
{
  guint home = self->devices[maker], first = self->first_reader[value];
  guint end = self->first_reader[value + 1];
  for (guint i = first; i < end; i++)
    {
      guint reader = self->readers[i], to = self->devices[reader];
      if (to != home && self->transfer_to[to] == NONE)
        self->transfer_to[to] = add_transfer (self, maker, value, to);
      add_arc (self, to == home ? maker : self->transfer_to[to], reader);
    }
  if (value < self->w->n_outputs)
    add_buffer (self, value, maker, home);
  for (guint i = first; i < end; i++)
    {
      guint to = self->devices[self->readers[i]];
      if (self->transfer_to[to] != NONE && value < self->w->n_outputs)
        add_buffer (self, value, maker, to);
      self->transfer_to[to] = NONE;
    }
}

/* Devices where all that is ever there together would fit need no buffers. */
static void
drop_harmless (SluiceSequencer *self)
{
  g_autofree double *sums = g_new0 (double, self->w->machine->n_devices);
  guint n = 0;
  for (guint i = 0; i < self->buffers->len; i++)
    sums[g_array_index (self->buffers, Buffer, i).device] +=
        g_array_index (self->buffers, Buffer, i).bytes;
  for (guint i = 0; i < self->buffers->len; i++)
    {
      const Buffer buffer = g_array_index (self->buffers, Buffer, i);
      if (sums[buffer.device] > self->w->machine->devices[buffer.device].memory)
        g_array_index (self->buffers, Buffer, n++) = buffer;
    }
  g_array_set_size (self->buffers, n);
}

static void
gather (SluiceSequencer *self)
{
  const SluiceWorkload *w = self->w;
  for (guint a = w->n_nodes; a < self->n; a++) /* of the run before */
    {
      const SluiceSimulatedTransfer *transfer = &self->transfers[a - w->n_nodes];
      self->entity_of_link[transfer->from * w->machine->n_devices + transfer->to] = NONE;
    }
  self->n = w->n_nodes;
  self->n_entities = w->machine->n_devices;
  g_array_set_size (self->arcs, 0);
  g_array_set_size (self->buffers, 0);
  g_array_set_size (self->users, 0);
  for (guint v = 0; v < w->n_nodes; v++)
    self->activities[v] = (Activity){ .us = sluice_workload_get_us (w, v, self->devices[v]),
                                      .entity = self->devices[v],
                                      .first_arc = NONE };
  for (guint output = 0; output < w->n_outputs; output++)
    add_value (self, output, w->outputs[output].node);
  for (guint v = 0; v < w->n_nodes; v++)
    add_value (self, w->n_outputs + v, v);
  drop_harmless (self);
}

/* ---- bounds ---- */

/* FALSE: the arcs run in a circle. */
static gboolean
find_order (SluiceSequencer *self)
{
  guint n = 0;
  for (guint a = 0; a < self->n; a++)
    {
      self->activities[a].n_open = self->activities[a].n_makers;
      if (self->activities[a].n_open == 0)
        self->order[n++] = a;
    }
  for (guint i = 0; i < n; i++)
    for (guint k = self->activities[self->order[i]].first_arc; k != NONE;)
      {
        const Arc *arc = &g_array_index (self->arcs, Arc, k);
        if (--self->activities[arc->to].n_open == 0)
          self->order[n++] = arc->to;
        k = arc->next;
      }
  return n == self->n;
}

static void
find_tails (SluiceSequencer *self)
{
  for (guint i = self->n; i-- > 0;)
    {
      Activity *activity = &self->activities[self->order[i]];
      double longest = 0;
      for (guint k = activity->first_arc; k != NONE;)
        {
          const Arc *arc = &g_array_index (self->arcs, Arc, k);
          longest = MAX (longest, self->activities[arc->to].tail);
          k = arc->next;
        }
      activity->tail = activity->us + longest;
    }
}

/* Earliest starts of what is not in the schedule. Returns: when all can be over at best */
static double
find_starts (SluiceSequencer *self)
{
  double bound = 0;
  for (guint a = 0; a < self->n; a++)
    if (!self->activities[a].is_done)
      self->activities[a].start = self->entities[self->activities[a].entity].free_us;
  for (guint i = 0; i < self->n; i++)
    {
      const Activity *activity = &self->activities[self->order[i]];
      double end = activity->start + activity->us;
      bound = MAX (bound, activity->start + activity->tail);
      for (guint k = activity->first_arc; k != NONE;)
        {
          const Arc *arc = &g_array_index (self->arcs, Arc, k);
          Activity *after = &self->activities[arc->to];
          if (!after->is_done)
            after->start = MAX (after->start, end);
          k = arc->next;
        }
    }
  return bound;
}

/* An entity has to do all that is left for it, one after the other, after the first could begin and
 * before what hangs on the last. */
static gboolean
is_overloaded (SluiceSequencer *self, double best_us)
{
  for (guint e = 0; e < self->n_entities; e++)
    self->entities[e] = (Entity){ self->entities[e].free_us, INFINITY, 0, INFINITY };
  for (guint a = 0; a < self->n; a++)
    {
      const Activity *activity = &self->activities[a];
      Entity *entity = &self->entities[activity->entity];
      if (activity->is_done)
        continue;
      entity->first_us = MIN (entity->first_us, activity->start);
      entity->last_us = MIN (entity->last_us, activity->tail - activity->us);
      entity->left_us += activity->us;
    }
  for (guint e = 0; e < self->n_entities; e++)
    {
      const Entity *entity = &self->entities[e];
      if (entity->left_us > 0
          && sluice_search_is_no_better (entity->first_us + entity->left_us + entity->last_us,
                                         best_us))
        return TRUE;
    }
  return FALSE;
}

/* ---- memory ---- */

static const Buffer *
buffer_at (const SluiceSequencer *self, guint i)
{
  return &g_array_index (self->buffers, Buffer, i);
}

static double
get_buffer_end (const SluiceSequencer *self, const Buffer *buffer, const double *starts)
{
  double end = 0;
  for (guint i = 0; i < buffer->n_users; i++)
    {
      guint user = g_array_index (self->users, guint, buffer->first_user + i);
      end = MAX (end, starts[user] + self->activities[user].us);
    }
  return end;
}

static int
compare_buffers (gconstpointer a, gconstpointer b, gpointer data)
{
  double x = buffer_at (data, *(const guint *) a)->bytes;
  double y = buffer_at (data, *(const guint *) b)->bytes;
  return x > y ? -1 : x < y;
}

/* Buffers that are held together and too large together, the largest, as few as can be; (transfer
 * full) (nullable): everything fits */
static GArray *
find_conflict (SluiceSequencer *self, const double *starts)
{
  for (guint i = 0; i < self->buffers->len; i++)
    {
      const Buffer *at = buffer_at (self, i);
      double limit = self->w->machine->devices[at->device].memory, sum = 0;
      double now = starts[at->maker], end = get_buffer_end (self, at, starts);
      g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint));
      for (guint k = 0; k < self->buffers->len; k++)
        {
          const Buffer *other = buffer_at (self, k);
          if (other->device != at->device || starts[other->maker] > now
              || (k != i && get_buffer_end (self, other, starts) <= now)
              || (k != i && starts[other->maker] >= end))
            continue;
          g_array_append_val (held, k);
          sum += other->bytes;
        }
      if (sum <= limit)
        continue;
      g_array_sort_with_data (held, compare_buffers, self);
      sum = 0;
      for (guint k = 0; k < held->len; k++)
        if ((sum += buffer_at (self, g_array_index (held, guint, k))->bytes) > limit)
          g_array_set_size (held, k + 1);
      return g_steal_pointer (&held);
    }
  return NULL;
}

/* ---- orders ---- */

/* The best of the orders under the arcs that there are; starts are those. */
typedef struct
{
  double us;
  double *starts;
} Relaxed;

static void
keep_starts (const SluiceSequencer *self, double *starts)
{
  for (guint a = 0; a < self->n; a++)
    starts[a] = self->activities[a].start;
}

static void
leave (SluiceSequencer *self, Relaxed *relaxed)
{
  double us = 0;
  for (guint a = 0; a < self->n; a++)
    us = MAX (us, self->activities[a].start + self->activities[a].us);
  if (us >= relaxed->us)
    return;
  relaxed->us = us;
  keep_starts (self, relaxed->starts);
  g_autoptr (GArray) conflict = find_conflict (self, relaxed->starts);
  self->has_met_memory |= conflict != NULL;
  if (conflict != NULL || us >= self->best_us)
    return;
  self->best_us = us;
  self->has_found = TRUE;
  memcpy (self->best_starts, relaxed->starts, self->n * sizeof (double));
}

/* The entity of what could end first, and when. NONE: all is in the schedule */
static guint
find_entity (const SluiceSequencer *self, double *first_end)
{
  guint entity = NONE;
  *first_end = INFINITY;
  for (guint a = 0; a < self->n; a++)
    {
      const Activity *activity = &self->activities[a];
      if (activity->is_done || activity->n_open > 0)
        continue;
      double end = activity->start + activity->us;
      if (entity != NONE && end >= *first_end)
        continue;
      entity = activity->entity;
      *first_end = end;
    }
  return entity;
}

static void
set_done (SluiceSequencer *self, guint a, gboolean is_done)
{
  self->activities[a].is_done = is_done;
  for (guint k = self->activities[a].first_arc; k != NONE;)
    {
      const Arc *arc = &g_array_index (self->arcs, Arc, k);
      self->activities[arc->to].n_open += is_done ? -1 : 1;
      k = arc->next;
    }
}

static int
compare_nexts (gconstpointer a, gconstpointer b)
{
  const Next *x = a, *y = b;
  if (x->tail > y->tail || x->tail < y->tail)
    return x->tail > y->tail ? -1 : 1;
  return x->activity < y->activity ? -1 : 1;
}

/* Those that may come next on the entity, the most urgent first. */
static void
push_nexts (SluiceSequencer *self, guint entity, double first_end)
{
  guint first = self->nexts->len;
  for (guint a = 0; a < self->n; a++)
    {
      const Activity *activity = &self->activities[a];
      const Next next = { a, activity->start, activity->tail, activity->start + activity->us };
      if (!activity->is_done && activity->n_open == 0 && activity->entity == entity
          && (next.start < first_end || next.end <= first_end))
        g_array_append_val (self->nexts, next);
    }
  qsort (&g_array_index (self->nexts, Next, first), self->nexts->len - first, sizeof (Next),
         compare_nexts);
}

static void
search_orders (SluiceSequencer *self, Relaxed *relaxed)
{
  double first_end;
  guint first = self->nexts->len;
  if (!sluice_search_budget_step (self->budget)
      || sluice_search_is_no_better (find_starts (self), relaxed->us)
      || is_overloaded (self, relaxed->us))
    return;
  guint e = find_entity (self, &first_end);
  if (e == NONE)
    {
      leave (self, relaxed);
      return;
    }
  push_nexts (self, e, first_end);
  double free_us = self->entities[e].free_us;
  for (guint i = first, end = self->nexts->len; i < end; i++)
    {
      const Next next = g_array_index (self->nexts, Next, i);
      self->activities[next.activity].start = next.start;
      self->entities[e].free_us = next.end;
      set_done (self, next.activity, TRUE);
      search_orders (self, relaxed);
      set_done (self, next.activity, FALSE);
      self->entities[e].free_us = free_us;
    }
  g_array_set_size (self->nexts, first);
}

static void search_memory (SluiceSequencer *self);

/* One of two buffers goes before the other is made. */
static void
search_apart (SluiceSequencer *self, const Buffer *before, const Buffer *after)
{
  guint n_arcs = self->arcs->len;
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < before->n_users; i++)
    {
      guint user = g_array_index (self->users, guint, before->first_user + i);
      add_arc (self, user, after->maker);
      g_array_append_val (from, user);
    }
  search_memory (self);
  drop_arcs (self, n_arcs, from);
}

static void
search_memory (SluiceSequencer *self)
{
  if (!find_order (self))
    return;
  find_tails (self);
  for (guint a = 0; a < self->n; a++)
    {
      self->activities[a].is_done = FALSE;
      self->activities[a].n_open = self->activities[a].n_makers;
    }
  for (guint e = 0; e < self->n_entities; e++)
    self->entities[e].free_us = 0;
  g_autofree double *starts = g_new (double, self->n + 1);
  Relaxed relaxed = { self->best_us, starts };
  search_orders (self, &relaxed);
  if (relaxed.us >= self->best_us) /* nothing better, or what was found fits */
    return;
  g_autoptr (GArray) conflict = find_conflict (self, starts);
  for (guint i = 0; i < conflict->len; i++)
    for (guint k = 0; k < conflict->len; k++)
      if (i != k)
        search_apart (self, buffer_at (self, g_array_index (conflict, guint, i)),
                      buffer_at (self, g_array_index (conflict, guint, k)));
}

/* ---- what was found ---- */

double
sluice_sequencer_run (SluiceSequencer *self, const guint *devices, double best_us)
{
  self->devices = devices;
  self->best_us = best_us;
  self->has_found = FALSE;
  gather (self);
  search_memory (self);
  return self->has_found ? self->best_us : INFINITY;
}

SluiceSimulation *
sluice_sequencer_dup_simulation (const SluiceSequencer *self)
{
  const SluiceWorkload *w = self->w;
  SluiceSimulation *told = g_new0 (SluiceSimulation, 1);
  told->n_nodes = w->n_nodes;
  told->devices = g_memdup2 (self->devices, w->n_nodes * sizeof (guint));
  told->spans = g_new (SluiceSimulatedSpan, w->n_nodes);
  told->peak_bytes = g_new (double, w->machine->n_devices);
  told->transfers = g_array_new (FALSE, FALSE, sizeof (SluiceSimulatedTransfer));
  told->us = self->best_us;
  for (guint a = 0; a < self->n; a++)
    {
      double start = self->best_starts[a], end = start + self->activities[a].us;
      if (a < w->n_nodes)
        {
          told->spans[a] = (SluiceSimulatedSpan){ start, end };
          continue;
        }
      SluiceSimulatedTransfer transfer = self->transfers[a - w->n_nodes];
      transfer.start_us = start;
      transfer.end_us = end;
      g_array_append_val (told->transfers, transfer);
    }
  sluice_simulation_sort (told);
  g_autoptr (SluiceHeld) held = sluice_held_new (w, told);
  for (guint d = 0; d < w->machine->n_devices; d++)
    told->peak_bytes[d] = sluice_held_get (held, d, INFINITY).peak;
  return told;
}
