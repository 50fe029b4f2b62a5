/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * White paper, section 3.2.1: the graph is run in thought; whichever node comes next stands where
 * it ends soonest, with what travels, what is queued before it and what its device holds. Nodes
 * come by the longest way that is still before them, and a second time as they become ready: which
 * of both is better the simulator says.
 */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/cost/heap.h"
#include "engine/cost/policy-private.h"

#define NONE G_MAXUINT

/* A value on a device: where it was made, or a copy. */
typedef struct
{
  guint device, next;
  double arrival_us, last_use_us, bytes;
} Copy;

typedef struct
{
  double at_us, bytes;
} Release;

typedef struct
{
  double free_us;
  double held, peak;
  GArray *releases; /* of Release, soonest last: of values whose readers are all placed */
} Place;

typedef struct
{
  const SluiceWorkload *w;
  const SluicePolicyGroups *groups;
  guint n_devices;
  gboolean by_rank; /* else as they become ready */
  guint *devices;   /* by node */
  guint *group_device;
  double *ranks;     /* by node: the longest way to the end, in means */
  double *end_us;    /* by node */
  guint *n_waits;    /* by node: makers that are not placed; each need counts */
  guint *n_unread;   /* by value: readers that are not placed */
  guint *first_copy; /* by value: outputs, then nodes' ends */
  GArray *copies;    /* of Copy */
  Place *places;     /* by device */
  double *link_us;   /* by link: free again */
  guint *readers_of_value, *first_reader;
  SluiceHeap ready;
  /* Of the candidate that is looked at: links that it would use. */
  double *tentative_us; /* by device that sends */
  guint *stamps, stamp;
  gboolean is_full; /* some node could not have a device for its memory */
} Greedy;

/* Over the devices where a node can stand; over the links that there are. */
static void
find_ranks (Greedy *self)
{
  const SluiceWorkload *w = self->w;
  double latency_us = 0, us_per_byte = 0, n_links = 0;
  for (guint i = 0; i < self->n_devices * self->n_devices; i++)
    {
      const SluiceMachineLink *link = &w->machine->links[i];
      if (i / self->n_devices == i % self->n_devices || !isfinite (link->latency_us))
        continue;
      latency_us += link->latency_us;
      us_per_byte += 1 / link->bytes_per_us;
      n_links++;
    }
  latency_us /= MAX (n_links, 1);
  us_per_byte /= MAX (n_links, 1);
  memset (self->ranks, 0, w->n_nodes * sizeof (double));
  for (guint v = w->n_nodes; v-- > 0;)
    {
      double sum = 0, n = 0;
      for (guint d = 0; d < self->n_devices; d++)
        if (isfinite (sluice_workload_get_us (w, v, d)))
          {
            sum += sluice_workload_get_us (w, v, d);
            n++;
          }
      self->ranks[v] += sum / MAX (n, 1);
      /* A link between two of n devices is used as often as two of n are not the same. */
      double share = self->n_devices > 1 ? 1 - 1.0 / self->n_devices : 0;
      for (guint i = 0; i < sluice_workload_get_n_needs (w, v); i++)
        {
          guint maker, value = sluice_workload_get_need (w, v, i, &maker);
          double travel = share * (latency_us + us_per_byte * sluice_workload_get_bytes (w, value));
          self->ranks[maker] = MAX (self->ranks[maker], travel + self->ranks[v]);
        }
    }
}

/* ---- memory ---- */

static int
compare_releases (gconstpointer a, gconstpointer b)
{
  const Release *x = a, *y = b;
  return x->at_us > y->at_us ? -1 : x->at_us < y->at_us;
}

/* Mostly the latest: those before it are few. */
static void
add_release (Place *place, double at_us, double bytes)
{
  const Release release = { at_us, bytes };
  guint low = 0, high = place->releases->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (compare_releases (&g_array_index (place->releases, Release, middle), &release) <= 0)
        low = middle + 1;
      else
        high = middle;
    }
  g_array_insert_val (place->releases, low, release);
}

static void
release_until (Place *place, double us)
{
  while (place->releases->len > 0)
    {
      const Release *last = &g_array_index (place->releases, Release, place->releases->len - 1);
      if (last->at_us > us)
        break;
      place->held -= last->bytes;
      g_array_set_size (place->releases, place->releases->len - 1);
    }
}

/* When so many bytes more fit, from a time on; INFINITY: not as long as others read what is there.
 * held: what is there with them */
static double
find_room (const Place *place, double limit, double from_us, double bytes, double *held)
{
  double us = from_us;
  *held = place->held + bytes;
  for (guint i = place->releases->len; i-- > 0;)
    {
      const Release *release = &g_array_index (place->releases, Release, i);
      if (release->at_us > us && *held <= limit)
        break;
      us = MAX (us, release->at_us);
      *held -= release->bytes;
    }
  return *held <= limit ? us : INFINITY;
}

/* ---- one candidate ---- */

static Copy *
find_copy (const Greedy *self, guint value, guint device)
{
  for (guint i = self->first_copy[value]; i != NONE;)
    {
      Copy *copy = &g_array_index (self->copies, Copy, i);
      if (copy->device == device)
        return copy;
      i = copy->next;
    }
  return NULL;
}

/* When a value is on a device that has it not, after what the candidate has sent before it. */
static double
travel (Greedy *self, guint value, guint maker, guint device, double *begin_us)
{
  guint from = self->devices[maker];
  const SluiceMachineLink *link = sluice_machine_get_link (self->w->machine, from, device);
  if (!isfinite (link->latency_us))
    return INFINITY;
  if (self->stamps[from] != self->stamp)
    {
      self->stamps[from] = self->stamp;
      self->tentative_us[from] = self->link_us[from * self->n_devices + device];
    }
  *begin_us = MAX (self->tentative_us[from], self->end_us[maker]);
  double bytes = sluice_workload_get_bytes (self->w, value);
  self->tentative_us[from] = *begin_us + sluice_machine_link_get_us (link, bytes);
  return self->tentative_us[from];
}

static void
look (Greedy *self, guint v, guint d, SluiceCandidate *candidate)
{
  const SluiceWorkload *w = self->w;
  const SluiceWorkloadNode *node = &w->nodes[v];
  double us = sluice_workload_get_us (w, v, d), bytes = 0, arrival = 0, held, begin;
  *candidate = (SluiceCandidate){ .device = d, .compute_us = us, .finish_us = INFINITY };
  self->stamp++;
  for (guint i = 0; i < sluice_workload_get_n_needs (w, v); i++)
    {
      guint maker, value = sluice_workload_get_need (w, v, i, &maker);
      const Copy *copy = find_copy (self, value, d);
      double there = copy != NULL ? copy->arrival_us : travel (self, value, maker, d, &begin);
      candidate->ready_us = MAX (candidate->ready_us, self->end_us[maker]);
      arrival = MAX (arrival, there);
      bytes += copy != NULL ? 0 : sluice_workload_get_bytes (w, value);
    }
  for (guint i = 0; i < node->n_outputs; i++)
    bytes += w->outputs[node->first_output + i].bytes;
  double room = find_room (&self->places[d], w->machine->devices[d].memory,
                           MAX (arrival, self->places[d].free_us), bytes, &held);
  candidate->transfer_us = MAX (0, arrival - candidate->ready_us);
  candidate->queue_us = room - MAX (arrival, candidate->ready_us);
  candidate->peak_bytes = MAX (self->places[d].peak, held);
  candidate->finish_us = room + us;
  if (!isfinite (us))
    candidate->why_not = N_ ("it cannot stand there");
  else if (!isfinite (sluice_policy_groups_get_us (self->groups, node->group, d)))
    candidate->why_not = N_ ("what stands with it cannot stand there");
  else if (!isfinite (arrival))
    candidate->why_not = N_ ("no link leads there");
  else if (!isfinite (room))
    {
      candidate->why_not = N_ ("the memory is too small");
      self->is_full = TRUE;
    }
  if (candidate->why_not != NULL)
    candidate->finish_us = INFINITY;
}

/* Of a group's first node the work of the others counts: they follow it. */
static double
get_rest_us (const Greedy *self, guint v, guint d)
{
  return sluice_policy_groups_get_us (self->groups, self->w->nodes[v].group, d)
         - sluice_workload_get_us (self->w, v, d);
}

/* NONE: it can stand nowhere. */
static guint
pick (Greedy *self, guint v, SluiceDecision *decision)
{
  guint best = NONE, group = self->w->nodes[v].group;
  double best_us = INFINITY, finish_us = INFINITY, second_us = INFINITY;
  for (guint d = 0; d < self->n_devices; d++)
    {
      SluiceCandidate candidate;
      gboolean is_fixed = self->group_device[group] != NONE;
      if (is_fixed && decision == NULL && d != self->group_device[group])
        continue;
      look (self, v, d, &candidate);
      if (is_fixed && d != self->group_device[group] && candidate.why_not == NULL)
        candidate.why_not = N_ ("what stands with it stands elsewhere");
      if (decision != NULL)
        g_array_append_val (decision->candidates, candidate);
      if (candidate.why_not != NULL)
        continue;
      double us = candidate.finish_us + (is_fixed ? 0 : get_rest_us (self, v, d));
      if (us < best_us)
        {
          second_us = MIN (second_us, finish_us);
          best_us = us;
          finish_us = candidate.finish_us;
          best = d;
        }
      else
        second_us = MIN (second_us, candidate.finish_us);
    }
  if (decision != NULL)
    decision->margin_us = best != NONE ? second_us - finish_us : INFINITY;
  return best;
}

/* ---- placing it ---- */

static void
hold (Greedy *self, guint value, guint device, double begin_us, double arrival_us)
{
  Place *place = &self->places[device];
  const Copy copy = { device, self->first_copy[value], arrival_us, arrival_us,
                      sluice_workload_get_bytes (self->w, value) };
  self->first_copy[value] = self->copies->len;
  g_array_append_val (self->copies, copy);
  release_until (place, begin_us);
  place->held += copy.bytes;
}

static void
drop_value (Greedy *self, guint value)
{
  for (guint i = self->first_copy[value]; i != NONE;)
    {
      const Copy *copy = &g_array_index (self->copies, Copy, i);
      if (copy->bytes > 0)
        add_release (&self->places[copy->device], copy->last_use_us, copy->bytes);
      i = copy->next;
    }
}

static void
settle (Greedy *self, guint v, guint d)
{
  const SluiceWorkload *w = self->w;
  const SluiceWorkloadNode *node = &w->nodes[v];
  SluiceCandidate told;
  look (self, v, d, &told);
  self->stamp++;
  for (guint i = 0; i < sluice_workload_get_n_needs (w, v); i++)
    {
      guint maker, value = sluice_workload_get_need (w, v, i, &maker);
      double begin = 0;
      if (find_copy (self, value, d) == NULL)
        {
          double arrival = travel (self, value, maker, d, &begin);
          self->link_us[self->devices[maker] * self->n_devices + d] = arrival;
          Copy *source = find_copy (self, value, self->devices[maker]);
          source->last_use_us = MAX (source->last_use_us, arrival);
          hold (self, value, d, begin, arrival);
        }
    }
  double end = self->end_us[v] = told.ready_us + told.transfer_us + told.queue_us + told.compute_us;
  self->devices[v] = self->group_device[node->group] = d;
  self->places[d].free_us = end;
  self->places[d].peak = told.peak_bytes;
  for (guint i = 0; i < node->n_outputs; i++)
    hold (self, node->first_output + i, d, end - told.compute_us, end);
  hold (self, w->n_outputs + v, d, end, end);
  for (guint i = 0; i < sluice_workload_get_n_needs (w, v); i++)
    {
      guint maker, value = sluice_workload_get_need (w, v, i, &maker);
      Copy *copy = find_copy (self, value, d);
      copy->last_use_us = MAX (copy->last_use_us, end);
      if (--self->n_unread[value] == 0)
        drop_value (self, value);
    }
  for (guint i = 0; i < node->n_outputs; i++)
    if (self->n_unread[node->first_output + i] == 0)
      drop_value (self, node->first_output + i);
}

static void
make_ready (Greedy *self, guint v)
{
  const SluiceWorkload *w = self->w;
  double ready_us = 0;
  for (guint i = 0; i < sluice_workload_get_n_needs (w, v); i++)
    {
      guint maker;
      sluice_workload_get_need (w, v, i, &maker);
      ready_us = MAX (ready_us, self->end_us[maker]);
    }
  sluice_heap_push (&self->ready, self->by_rank ? -self->ranks[v] : ready_us, v);
}

static void
tell_readers (Greedy *self, guint value)
{
  for (guint i = self->first_reader[value]; i < self->first_reader[value + 1]; i++)
    if (--self->n_waits[self->readers_of_value[i]] == 0)
      make_ready (self, self->readers_of_value[i]);
}

static void
begin_pass (Greedy *self)
{
  const SluiceWorkload *w = self->w;
  guint n_values = sluice_workload_get_n_values (w);
  g_array_set_size (self->copies, 0);
  memset (self->group_device, 0xff, w->n_groups * sizeof (guint));
  memset (self->first_copy, 0xff, n_values * sizeof (guint));
  memset (self->link_us, 0, self->n_devices * self->n_devices * sizeof (double));
  for (guint i = 0; i < n_values; i++)
    self->n_unread[i] = self->first_reader[i + 1] - self->first_reader[i];
  for (guint d = 0; d < self->n_devices; d++)
    {
      self->places[d].free_us = self->places[d].held = self->places[d].peak = 0;
      g_array_set_size (self->places[d].releases, 0);
    }
  self->ready.n = 0;
  for (guint v = 0; v < w->n_nodes; v++)
    self->n_waits[v] = sluice_workload_get_n_needs (w, v);
  for (guint v = 0; v < w->n_nodes; v++)
    if (self->n_waits[v] == 0)
      make_ready (self, v);
}

static gboolean
fail_node (const Greedy *self, guint v, GError **error)
{
  const char *name = self->w->nodes[v].name;
  if (self->is_full)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "when '%s' was to be placed no device had the memory for it", name);
  return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                      "no link leads to a device where '%s' can stand from where what it reads is "
                      "made; give the machine one, or let them stand together",
                      name);
}

/* decisions (nullable): not told */
static gboolean
run_pass (Greedy *self, gboolean by_rank, SluiceDecision *decisions, GError **error)
{
  const SluiceWorkload *w = self->w;
  self->by_rank = by_rank;
  self->is_full = FALSE;
  begin_pass (self);
  for (guint step = 0; self->ready.n > 0; step++)
    {
      guint v = sluice_heap_pop (&self->ready).number;
      SluiceDecision *decision = decisions != NULL ? &decisions[v] : NULL;
      if (decision != NULL)
        {
          decision->step = step;
          g_clear_pointer (&decision->candidates, g_array_unref);
          decision->candidates = g_array_new (FALSE, FALSE, sizeof (SluiceCandidate));
        }
      guint d = pick (self, v, decision);
      if (d == NONE)
        return fail_node (self, v, error);
      settle (self, v, d);
      for (guint i = 0; i < w->nodes[v].n_outputs; i++)
        tell_readers (self, w->nodes[v].first_output + i);
      tell_readers (self, w->n_outputs + v);
    }
  return TRUE;
}

/* ---- the policy ---- */

static Greedy *
greedy_new (const SluiceWorkload *w, const SluicePolicyGroups *groups)
{
  Greedy *self = g_new0 (Greedy, 1);
  guint n = w->n_nodes + 1, n_values = sluice_workload_get_n_values (w) + 1;
  self->w = w;
  self->groups = groups;
  self->n_devices = w->machine->n_devices;
  self->devices = g_new0 (guint, n);
  self->group_device = g_new (guint, w->n_groups + 1);
  self->ranks = g_new0 (double, n);
  self->end_us = g_new0 (double, n);
  self->n_waits = g_new0 (guint, n);
  self->n_unread = g_new0 (guint, n_values);
  self->first_copy = g_new (guint, n_values);
  self->copies = g_array_new (FALSE, FALSE, sizeof (Copy));
  self->places = g_new0 (Place, self->n_devices);
  for (guint d = 0; d < self->n_devices; d++)
    self->places[d].releases = g_array_new (FALSE, FALSE, sizeof (Release));
  self->link_us = g_new (double, self->n_devices * self->n_devices);
  self->tentative_us = g_new (double, self->n_devices);
  self->stamps = g_new0 (guint, self->n_devices);
  self->ready.entries = g_new (SluiceHeapEntry, n);
  sluice_workload_index_readers (w, &self->first_reader, &self->readers_of_value);
  find_ranks (self);
  return self;
}

static void
greedy_free (Greedy *self)
{
  for (guint d = 0; d < self->n_devices; d++)
    g_array_unref (self->places[d].releases);
  g_free (self->devices);
  g_free (self->group_device);
  g_free (self->ranks);
  g_free (self->end_us);
  g_free (self->n_waits);
  g_free (self->n_unread);
  g_free (self->first_copy);
  g_array_unref (self->copies);
  g_free (self->places);
  g_free (self->link_us);
  g_free (self->tentative_us);
  g_free (self->stamps);
  g_free (self->ready.entries);
  g_free (self->first_reader);
  g_free (self->readers_of_value);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Greedy, greedy_free)

static gboolean
choose (const SluiceWorkload *w,
        const SluicePolicyOptions *options,
        SluiceChoice *choice,
        GError **error)
{
  g_autoptr (SluicePolicyGroups) groups = sluice_policy_groups_new (w, error);
  if (groups == NULL)
    return FALSE;
  g_autoptr (Greedy) self = greedy_new (w, groups);
  g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (w);
  g_autoptr (GError) reason = NULL;
  double best_us = INFINITY;
  gboolean best_by_rank = TRUE;
  for (guint pass = 0; pass < 2; pass++)
    {
      if (!run_pass (self, pass == 0, NULL, reason == NULL ? &reason : NULL))
        continue;
      double us =
          sluice_policy_simulate (simulator, self->devices, reason == NULL ? &reason : NULL);
      choice->n_tried++;
      if (us >= best_us)
        continue;
      best_us = us;
      best_by_rank = pass == 0;
      memcpy (choice->devices, self->devices, w->n_nodes * sizeof (guint));
    }
  if (!isfinite (best_us))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  return !options->explains || run_pass (self, best_by_rank, choice->decisions, error);
}

const SluicePolicy sluice_policy_greedy = {
  .name = "greedy",
  .summary = N_ ("each node where it ends soonest, one after the other"),
  .choose = choose,
};
