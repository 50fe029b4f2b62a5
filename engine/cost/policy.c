/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/policy.h"

#include <math.h>
#include <string.h>

#include "engine/base/count.h"
#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/cost/policy-private.h"

/* Of 'best', where others have found nothing: a moment. */
#define FEW_STEPS 100000

/* ---- which there are ---- */

#define POINTER(id) &sluice_policy_##id,
static const SluicePolicy *const policies[] = { SLUICE_POLICIES (POINTER) };
#undef POINTER

const SluicePolicy *const *
sluice_policies_list (guint *n)
{
  *n = G_N_ELEMENTS (policies);
  return policies;
}

const SluicePolicy *
sluice_policies_find (const char *name, GError **error)
{
  const char *names[G_N_ELEMENTS (policies)];
  g_autoptr (GString) known = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++)
    {
      if (g_str_equal (policies[i]->name, name))
        return policies[i];
      names[i] = policies[i]->name;
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", names[i]);
    }
  const char *meant = sluice_suggest_name (name, names, G_N_ELEMENTS (names));
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no policy '%s', but %s%s%s%s", name,
               known->str, meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
               meant != NULL ? "'?" : "");
  return NULL;
}

/* ---- a choice ---- */

static SluiceChoice *
choice_new (const SluiceWorkload *w, const char *policy)
{
  SluiceChoice *self = g_new0 (SluiceChoice, 1);
  self->n_nodes = w->n_nodes;
  self->devices = g_new0 (guint, w->n_nodes + 1);
  self->decisions = g_new0 (SluiceDecision, w->n_nodes + 1);
  self->policy = policy;
  self->single_us = self->learned_us = INFINITY;
  self->texts = g_string_chunk_new (256);
  return self;
}

void
sluice_choice_free (SluiceChoice *self)
{
  for (guint v = 0; v < self->n_nodes; v++)
    g_clear_pointer (&self->decisions[v].candidates, g_array_unref);
  g_clear_pointer (&self->schedule, sluice_simulation_free);
  g_free (self->devices);
  g_free (self->decisions);
  g_string_chunk_free (self->texts);
  g_free (self);
}

/* ---- orders that hold less ---- */

/* Makers before readers, each as late as it can be: depth first from those that nobody needs. */
static void
rank_depth_first (const SluiceWorkload *w, double *ranks)
{
  guint n = w->n_nodes, n_done = 0;
  g_autofree guint *next = g_new0 (guint, n + 1), *stack = g_new (guint, n + 1);
  g_autofree guint8 *is_needed = g_new0 (guint8, n + 1);
  for (guint i = 0; i < w->n_reads; i++)
    is_needed[w->outputs[w->reads[i]].node] = 1;
  for (guint i = 0; i < w->n_befores; i++)
    is_needed[w->befores[i]] = 1;
  for (guint v = 0; v < n; v++)
    ranks[v] = -1;
  for (guint sink = 0; sink < n; sink++)
    {
      guint depth = 0;
      if (!is_needed[sink])
        stack[depth++] = sink;
      while (depth > 0)
        {
          guint v = stack[depth - 1], i = next[v]++;
          if (i == sluice_workload_get_n_needs (w, v))
            {
              ranks[v] = n_done++;
              depth--;
              continue;
            }
          guint maker;
          sluice_workload_get_need (w, v, i, &maker);
          if (ranks[maker] < 0 && next[maker] == 0)
            stack[depth++] = maker;
        }
    }
}

/* FALSE: there are no more. 0: the longest way first. */
static gboolean
rank_nodes (const SluiceWorkload *w, guint order, double *ranks)
{
  if (order == 1)
    for (guint v = 0; v < w->n_nodes; v++)
      ranks[v] = v;
  else if (order == 2)
    rank_depth_first (w, ranks);
  return order <= 2;
}

double
sluice_policy_simulate (SluiceSimulator *simulator, const guint *devices, GError **error)
{
  double us = sluice_simulator_run (simulator, devices, NULL, error);
  if (!sluice_simulator_is_full (simulator))
    return us;
  const SluiceWorkload *w = sluice_simulator_get_workload (simulator);
  g_autofree double *ranks = g_new (double, w->n_nodes + 1);
  for (guint order = 1; !isfinite (us) && rank_nodes (w, order, ranks); order++)
    us = sluice_simulator_run (simulator, devices, ranks, NULL);
  if (isfinite (us))
    g_clear_error (error);
  return us;
}

/* ---- too little memory for anything ---- */

/* How much is missing over all devices, in the order that the simulator ran last. */
static double
get_shortage (const SluiceWorkload *w, const double *peaks)
{
  double missing = 0;
  for (guint d = 0; d < w->machine->n_devices; d++)
    missing += MAX (0, peaks[d] - w->machine->devices[d].memory);
  return missing;
}

static void
tell_shortage (const SluiceWorkload *w, const double *peaks, gboolean is_proved, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint d = 0; d < w->machine->n_devices; d++)
    {
      const SluiceMachineDevice *device = &w->machine->devices[d];
      if (peaks[d] <= device->memory)
        continue;
      g_autofree char *enough = sluice_count_dup ((gint64) ceil (peaks[d]));
      g_autofree char *memory = sluice_count_dup ((gint64) device->memory);
      g_string_append_printf (text, "%s%s bytes on %s, which has %s", text->len > 0 ? ", " : "",
                              enough, device->name, memory);
    }
  sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "%s; the smallest that is known to do: %s",
               is_proved ? "no placement and no order fits into the memories of the devices"
                         : "no placement was found that fits into the memories of the devices",
               text->str);
}

/* What is smallest of everything on one device, in the orders that there are. */
static void
fail_memory (const SluiceWorkload *w, gboolean is_proved, GError **error)
{
  g_autoptr (SluicePolicyGroups) groups = sluice_policy_groups_new (w, error);
  if (groups == NULL)
    return;
  g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (w);
  g_autofree guint *devices = g_new0 (guint, w->n_nodes + 1);
  g_autofree double *ranks = g_new (double, w->n_nodes + 1);
  g_autofree double *least = NULL;
  sluice_simulator_set_unlimited (simulator, TRUE);
  for (guint d = 0; d < groups->n_devices; d++)
    {
      sluice_policy_groups_put_all (groups, d, devices);
      for (guint order = 0; rank_nodes (w, order, ranks); order++)
        {
          const double *peaks = sluice_simulator_get_peaks (simulator);
          if (!isfinite (sluice_simulator_run (simulator, devices, order > 0 ? ranks : NULL, NULL)))
            continue;
          if (least != NULL && get_shortage (w, least) <= get_shortage (w, peaks))
            continue;
          g_free (least);
          least = g_memdup2 (peaks, groups->n_devices * sizeof (double));
        }
    }
  if (least != NULL)
    tell_shortage (w, least, is_proved, error);
  else
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                 "no placement was found that fits into the memories of the devices");
}

/* ---- the run ---- */

/* What a policy chooses, with its schedule. (transfer full) (nullable) */
static SluiceChoice *
choose (const SluicePolicy *policy,
        const SluiceWorkload *w,
        const SluicePolicyOptions *options,
        GError **error)
{
  g_autoptr (SluiceChoice) choice = choice_new (w, policy->name);
  gint64 begin = g_get_monotonic_time ();
  if (!policy->choose (w, options, choice, error))
    return NULL;
  if (choice->schedule == NULL)
    {
      g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (w);
      if (!isfinite (sluice_policy_simulate (simulator, choice->devices, error)))
        return NULL;
      choice->schedule = sluice_simulator_dup_simulation (simulator);
      choice->n_tried++;
    }
  choice->seconds = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  return g_steal_pointer (&choice);
}

/* Has a policy found nothing, rather than refused or been stopped? */
static gboolean
is_hopeless (const GError *error)
{
  return g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED)
         || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
}

/* Neither it nor 'single' has found anything: first_error says why. Where it is the memory, 'best'
 * looks. (transfer full) (nullable) */
static SluiceChoice *
choose_any (const SluicePolicy *policy,
            const SluiceWorkload *w,
            const SluicePolicyOptions *options,
            GError *first_error,
            GError **error)
{
  g_autoptr (GError) reason = first_error;
  if (!g_error_matches (reason, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  g_autoptr (GError) none = NULL;
  SluicePolicyOptions few = *options;
  few.n_steps = FEW_STEPS;
  SluiceChoice *choice =
      policy == &sluice_policy_best ? NULL : choose (&sluice_policy_best, w, &few, &none);
  if (choice != NULL)
    return choice;
  if (g_error_matches (none, SLUICE_ERROR, SLUICE_ERROR_CANCELLED))
    g_propagate_error (error, g_steal_pointer (&none));
  else
    fail_memory (w, policy == &sluice_policy_best || is_hopeless (none), error);
  return NULL;
}

static void
name_reasons (const SluiceWorkload *w, SluiceChoice *choice, const char *policy)
{
  g_autofree guint *first = g_new (guint, w->n_groups + 1);
  memset (first, 0xff, w->n_groups * sizeof *first);
  g_autoptr (SluicePolicyGroups) groups = sluice_policy_groups_new (w, NULL);
  for (guint v = 0; v < w->n_nodes; v++)
    {
      SluiceDecision *decision = &choice->decisions[v];
      guint group = w->nodes[v].group;
      first[group] = MIN (first[group], v);
      if (decision->reason != NULL)
        continue;
      if (groups->n_allowed[group] == 1)
        decision->reason = "only here";
      else if (first[group] == v)
        decision->reason = policy;
      else
        {
          g_autofree char *text = g_strdup_printf ("stands with '%s'", w->nodes[first[group]].name);
          decision->reason = g_string_chunk_insert_const (choice->texts, text);
        }
    }
}

/* Moves what was found into what is told: the policy that was asked for stays. */
static void
take_instead (SluiceChoice **choice, SluiceChoice *other, const char *policy, const GError *why)
{
  other->instead = other->policy;
  other->policy = policy;
  if (why != NULL)
    other->why = g_string_chunk_insert (other->texts, why->message);
  if (*choice != NULL)
    {
      other->n_tried += (*choice)->n_tried;
      other->seconds += (*choice)->seconds;
      sluice_choice_free (*choice);
    }
  *choice = other;
}

SluiceChoice *
sluice_policy_run (const SluicePolicy *self,
                   const SluiceWorkload *w,
                   const SluicePolicyOptions *options,
                   GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (SluiceChoice) choice = choose (self, w, options, &reason);
  if (choice == NULL && !is_hopeless (reason))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  double single_us = INFINITY;
  if (self == &sluice_policy_single)
    single_us = choice != NULL ? choice->schedule->us : INFINITY;
  else
    {
      g_autoptr (SluiceChoice) single = choose (&sluice_policy_single, w, options, NULL);
      single_us = single != NULL ? single->schedule->us : INFINITY;
      if (single != NULL && (choice == NULL || single_us <= choice->schedule->us))
        take_instead (&choice, g_steal_pointer (&single), self->name, reason);
    }
  if (choice == NULL)
    {
      g_autofree char *message = g_strdup (reason->message);
      SluiceChoice *any = choose_any (self, w, options, g_steal_pointer (&reason), error);
      if (any == NULL)
        return NULL;
      any->why = g_string_chunk_insert (any->texts, message);
      take_instead (&choice, any, self->name, NULL);
    }
  choice->single_us = single_us;
  name_reasons (w, choice, choice->instead != NULL ? choice->instead : self->name);
  if (options->explains)
    sluice_policy_explain (w, choice);
  return g_steal_pointer (&choice);
}

SluiceChoice *
sluice_choice_new_given (const SluiceWorkload *w,
                         const guint *devices,
                         const char *reason,
                         GError **error)
{
  g_autoptr (SluiceChoice) self = choice_new (w, reason);
  g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (w);
  memcpy (self->devices, devices, w->n_nodes * sizeof *devices);
  if (!isfinite (sluice_policy_simulate (simulator, devices, error)))
    return NULL;
  self->schedule = sluice_simulator_dup_simulation (simulator);
  self->n_tried = 1;
  for (guint v = 0; v < w->n_nodes; v++)
    self->decisions[v].reason = reason;
  sluice_policy_explain (w, self);
  return g_steal_pointer (&self);
}
