/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/faults/inject.h"

#include "engine/base/allocator.h"
#include "engine/base/error.h"

#define SETTLING 4 /* runs after which caches are full, and one more block a run is a leak */

void
plan_begin (Plan *plan)
{
  /* What earlier runs left would be taken instead of asked for. */
  sluice_allocator_trim (sluice_allocator_get_host ());
  plan->has_begun = TRUE;
  if (plan->n >= 0)
    faults_arm (plan->kind, plan->n, plan->for_good);
}

/* On a healthy machine. */
static void
run_well (const Part *part, char **expected)
{
  g_autoptr (GError) error = NULL;
  Plan plan = { .n = -1 };
  g_autofree char *result = part->run (&plan, &error);
  g_assert_no_error (error);
  g_assert_nonnull (result);
  if (*expected == NULL)
    *expected = g_steal_pointer (&result);
  else
    g_assert_cmpstr (result, ==, *expected);
}

/* What is refused must be told as what it is. */
static void
check_error (const Part *part, const Plan *plan, const GError *error)
{
  gboolean fits = error->domain == SLUICE_ERROR && *error->message != '\0';
  if (plan->kind == FAULT_MEMORY)
    fits = fits
           && (error->code == SLUICE_ERROR_RESOURCE_EXHAUSTED
               || (part->misread != NULL && g_str_has_suffix (error->message, part->misread)));
  if (!fits)
    g_error ("%s: request %" G_GINT64_FORMAT " of %s refused%s is told as %s %d: '%s'", part->name,
             plan->n, fault_names[plan->kind], plan->for_good ? " for good" : "",
             g_quark_to_string (error->domain), error->code, error->message);
}

/* One run with one refusal. FALSE: it met none, and there is no further one. */
static gboolean
run_refused (const Part *part, Plan plan, const char *expected, guint *n_errors)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *result = part->run (&plan, &error);
  gboolean has_fired = faults_disarm ();
  g_assert_true (plan.has_begun);
  if (result != NULL)
    {
      g_assert_no_error (error);
      g_assert_cmpstr (result, ==, expected);
      return has_fired;
    }
  g_assert_true (has_fired);
  g_assert_nonnull (error);
  check_error (part, &plan, error);
  ++*n_errors;
  return TRUE;
}

/* The same request again and again: what each run leaves behind adds up. */
static void
look_for_leaks (const Part *part, Plan plan, char *expected)
{
  guint n_errors = 0;
  gint64 growth = 0;
  guint files = faults_count_files ();
  for (guint i = 0; i < SETTLING; i++)
    {
      gint64 before = faults_count_blocks ();
      run_refused (part, plan, expected, &n_errors);
      run_well (part, &expected);
      growth = faults_count_blocks () - before;
      if (growth <= 0 && faults_count_files () <= files)
        return;
    }
  g_error ("%s: request %" G_GINT64_FORMAT " of %s refused%s: each time %" G_GINT64_FORMAT
           " blocks are left, and there are %u descriptors instead of %u",
           part->name, plan.n, fault_names[plan.kind], plan.for_good ? " for good" : "", growth,
           faults_count_files (), files);
}

/* FALSE: it was met by no request. */
static gboolean
inject_one (const Part *part, Plan plan, char *expected, Count *count)
{
  gint64 before = faults_count_blocks ();
  guint files = faults_count_files ();
  if (!run_refused (part, plan, expected, &count->n_errors))
    return FALSE;
  if (part->well_every == 0 || plan.n % part->well_every == 0)
    run_well (part, &expected);
  if (faults_count_blocks () > before || faults_count_files () > files)
    look_for_leaks (part, plan, expected);
  count->n_points[plan.kind]++;
  return TRUE;
}

/* How many requests of a kind there are. */
static gint64
count_requests (const Part *part, FaultKind kind, const char *expected)
{
  g_autoptr (GError) error = NULL;
  Plan plan = { .kind = kind, .n = G_MAXINT64 / 2 };
  g_autofree char *result = part->run (&plan, &error);
  g_assert_false (faults_disarm ());
  g_assert_no_error (error);
  g_assert_cmpstr (result, ==, expected);
  return faults_get_n_requests ();
}

/* (nullable) (transfer full) */
static GArray *
list_sparse (const Part *part, FaultKind kind, Count *count)
{
  if (kind != FAULT_MEMORY || part->list_sparse == NULL
      || g_strcmp0 (g_getenv ("SLUICE_FAULTS"), "all") == 0)
    return NULL;
  GArray *spans = part->list_sparse ();
  for (guint i = 0; i < spans->len; i++)
    {
      const RequestSpan *span = &g_array_index (spans, RequestSpan, i);
      count->n_sparse += (guint) (span->to - span->from);
    }
  return spans;
}

static gint64
get_next (const GArray *sparse, gint64 n)
{
  for (guint i = 0; sparse != NULL && i < sparse->len; i++)
    {
      const RequestSpan *span = &g_array_index (sparse, RequestSpan, i);
      if (n >= span->from && n < span->to)
        return MIN (n + SPARSE, span->to);
    }
  return n + 1;
}

static void
inject_kind (const Part *part, FaultKind kind, char *expected, Count *count)
{
  gint64 n_requests = count_requests (part, kind, expected);
  g_autoptr (GArray) sparse = list_sparse (part, kind, count);
  count->n_requests[kind] += n_requests;
  for (guint for_good = 0; for_good < 2; for_good++)
    for (gint64 n = 0;; n = get_next (sparse, n))
      {
        Plan plan = { .kind = kind, .n = n, .for_good = for_good };
        /* Threads do not always ask for as much. */
        if (!inject_one (part, plan, expected, count) && n >= n_requests)
          break;
      }
}

void
inject (const Part *part, Count *count)
{
  g_autofree char *expected = NULL;
  if (part->set_up != NULL)
    part->set_up ();
  for (guint i = 0; i <= SETTLING; i++)
    run_well (part, &expected);
  for (guint kind = 0; kind < N_FAULT_KINDS; kind++)
    if (kind == FAULT_MEMORY || !part->only_memory)
      inject_kind (part, (FaultKind) kind, expected, count);
  if (part->tear_down != NULL)
    part->tear_down ();
}

void
count_add (Count *self, const Count *part)
{
  for (guint kind = 0; kind < N_FAULT_KINDS; kind++)
    {
      self->n_requests[kind] += part->n_requests[kind];
      self->n_points[kind] += part->n_points[kind];
    }
  self->n_errors += part->n_errors;
  self->n_sparse += part->n_sparse;
}

void
count_print (const Count *self, const char *name)
{
  g_autoptr (GString) line = g_string_new (NULL);
  guint n_points = 0;
  for (guint kind = 0; kind < N_FAULT_KINDS; kind++)
    {
      n_points += self->n_points[kind];
      if (self->n_requests[kind] > 0)
        g_string_append_printf (line, ", %s %u (%" G_GINT64_FORMAT " requests)", fault_names[kind],
                                self->n_points[kind], self->n_requests[kind]);
    }
  if (self->n_sparse > 0)
    g_string_append_printf (line, "; of %u requests every %uth", self->n_sparse, SPARSE);
  g_print ("# %s: %u points%s, %u errors\n", name, n_points, line->str, self->n_errors);
}

void
inject_each (const Part *parts, guint n, Count *total)
{
  for (guint i = 0; i < n; i++)
    {
      Count count = { 0 };
      inject (&parts[i], &count);
      count_print (&count, parts[i].name);
      count_add (total, &count);
    }
}
