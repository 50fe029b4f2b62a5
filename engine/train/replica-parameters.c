/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/error.h"
#include "engine/train/project-changes.h"
#include "engine/train/replica-private.h"

/*
 * Promoted parameters that are otherwise than the graph has them are fed at each step. Which ones,
 * and with what, may change between steps; where a parameter is fed for the first time the step is
 * planned anew. It makes no difference to any bit whether a constant is fed or stands in the graph.
 */

/* Those that something was said of, once so many steps are done. */
static GArray *
find_fed (const SluiceProject *p, gint64 step)
{
  GArray *fed = g_array_new (FALSE, TRUE, sizeof (SluiceOverride));
  for (guint i = 0; i < p->parameters->len; i++)
    {
      const SluiceNamedEdge *parameter = &g_array_index (p->parameters, SluiceNamedEdge, i);
      SluiceOverride now = { parameter->name, parameter->target, 0 };
      if (sluice_project_get_parameter (p, parameter->name, step, &now.value))
        g_array_append_val (fed, now);
    }
  return fed;
}

/* (transfer full) (nullable) */
static SluiceTensor *
make_feed (SluiceReplica *self, const SluiceOverride *parameter, GError **error)
{
  g_autofree char *key = g_strdup_printf ("[parameters] %s", parameter->name);
  SluiceDType dtype;
  if (!sluice_replica_feed_dtype (self, key, parameter->edge, &dtype, error))
    return NULL;
  g_autoptr (SluiceTensor) value =
      sluice_tensor_new_from (SLUICE_DOUBLE, &SLUICE_SHAPE (1), &parameter->value);
  if (value != NULL && !sluice_replica_check_whole (key, parameter->edge, dtype, value, 1, error))
    return NULL;
  g_autoptr (SluiceTensor) cast =
      value != NULL ? sluice_examples_gather (value, (gint64[]){ 0 }, 1, dtype, 1) : NULL;
  SluiceTensor *feed = cast != NULL ? sluice_tensor_new_view (cast, &SLUICE_SHAPE_SCALAR, 0) : NULL;
  if (feed == NULL)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for %s", key);
  return feed;
}

static void
free_feeds (SluiceTensor **feeds, guint from, guint to)
{
  for (guint i = from; feeds != NULL && i < to; i++)
    g_clear_pointer (&feeds[i], sluice_tensor_unref);
}

/* Room for a batch, then the parameters, then what is injected. (transfer full) (nullable) */
static SluiceTensor **
make_feeds (SluiceReplica *self, const GArray *fed, GError **error)
{
  guint n = self->n_batch + fed->len, n_own = sluice_replica_get_n_own_feeds (self);
  SluiceTensor **feeds = g_new0 (SluiceTensor *, n + n_own + 1); /* none is no failure */
  for (guint i = 0; i < fed->len; i++)
    {
      feeds[self->n_batch + i] = make_feed (self, &g_array_index (fed, SluiceOverride, i), error);
      if (feeds[self->n_batch + i] != NULL)
        continue;
      free_feeds (feeds, self->n_batch, n);
      g_free (feeds);
      return NULL;
    }
  sluice_replica_put_injected (self, feeds + n);
  return feeds;
}

/* A worker has taken its feeds along; when it begins a step does not follow from the step's number.
 * A value that a change gives must fit its edge, whenever it comes. */
static gboolean
check_changes (SluiceReplica *self, GError **error)
{
  const SluiceProject *p = self->project;
  for (guint i = 0; i < p->changes->len; i++)
    {
      const SluiceSettingChange *change = &g_array_index (p->changes, SluiceSettingChange, i);
      const SluiceNamedEdge *parameter = sluice_project_find_parameter (p, change->key);
      if (parameter == NULL)
        continue;
      if (g_strv_length (p->train) > 1)
        return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                            "%s cannot change at step %" G_GINT64_FORMAT
                            ": several train targets begin steps on their own; fork the run there",
                            change->key, change->step);
      SluiceOverride now = { parameter->name, parameter->target,
                             g_ascii_strtod (change->value, NULL) };
      g_autoptr (SluiceTensor) feed = make_feed (self, &now, error);
      if (feed == NULL)
        {
          g_prefix_error (error, "the change at step %" G_GINT64_FORMAT ": ", change->step);
          return FALSE;
        }
    }
  return TRUE;
}

static void
add_edges (GPtrArray *names, const GArray *fed)
{
  for (guint i = 0; i < fed->len; i++)
    g_ptr_array_add (names, g_array_index (fed, SluiceOverride, i).edge);
}

gboolean
sluice_replica_make_feeds (SluiceReplica *self, GPtrArray *names, GError **error)
{
  if (!sluice_replica_name_batch (self, names, error))
    return FALSE;
  self->n_batch = names->len;
  self->fed = find_fed (self->project, 0);
  self->feeds = make_feeds (self, self->fed, error);
  if (self->feeds == NULL || !check_changes (self, error))
    return FALSE;
  self->n_feeds = self->n_batch + self->fed->len;
  add_edges (names, self->fed);
  sluice_replica_forget_changes (self);
  return TRUE;
}

static gboolean
has_same_edges (const GArray *a, const GArray *b)
{
  gboolean same = a->len == b->len;
  for (guint i = 0; same && i < a->len; i++)
    same = g_array_index (a, SluiceOverride, i).edge == g_array_index (b, SluiceOverride, i).edge;
  return same;
}

/* The batch's edges are known to be right. */
static gboolean
plan_again (SluiceReplica *self, const GArray *fed, GError **error)
{
  SluiceReplica before = *self;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  if (self->n_batch > 0)
    g_ptr_array_add (names, self->project->feed_x);
  if (self->n_batch > 1)
    g_ptr_array_add (names, self->project->feed_y);
  add_edges (names, fed);
  sluice_replica_name_injected (self, names);
  self->worker_steps = NULL;
  self->step = self->step_with_summaries = self->summaries = self->evaluate = NULL;
  gboolean ok = sluice_replica_make_callables (self, names, error);
  SluiceReplica after = *self;
  SluiceReplica *stale = ok ? &before : &after;
  sluice_replica_drop_callables (stale);
  *self = ok ? after : before;
  return ok;
}

static gboolean
take_feeds (SluiceReplica *self, gboolean plans, GError **error)
{
  g_autoptr (GArray) fed = find_fed (self->project, self->n_done);
  SluiceTensor **feeds = make_feeds (self, fed, error);
  guint n = self->n_batch + fed->len + sluice_replica_get_n_own_feeds (self);
  if (feeds == NULL)
    return FALSE;
  if ((plans || !has_same_edges (self->fed, fed)) && !plan_again (self, fed, error))
    {
      free_feeds (feeds, self->n_batch, n);
      g_free (feeds);
      return FALSE;
    }
  for (guint i = 0; i < self->n_batch; i++)
    feeds[i] = g_steal_pointer (&self->feeds[i]);
  free_feeds (self->feeds, self->n_batch, self->n_feeds);
  g_free (self->feeds);
  self->feeds = feeds;
  self->n_feeds = n;
  g_array_unref (self->fed);
  self->fed = g_steal_pointer (&fed);
  self->next_change = sluice_project_next_change (self->project, self->n_done);
  return TRUE;
}

gboolean
sluice_replica_obey_changes (SluiceReplica *self, GError **error)
{
  return self->n_done < self->next_change || take_feeds (self, FALSE, error);
}

gboolean
sluice_replica_plan_feeds (SluiceReplica *self, GError **error)
{
  return take_feeds (self, TRUE, error);
}

void
sluice_replica_forget_changes (SluiceReplica *self)
{
  self->next_change = G_MININT64;
}
