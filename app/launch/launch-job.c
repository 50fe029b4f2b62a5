/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-job.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/runs.h"
#include "engine/train/fork.h"
#include "engine/train/queue-needs.h"
#include "engine/train/repeats.h"
#include "ui/chart/ticks.h"

void
sluice_launch_job_free (SluiceLaunchJob *self)
{
  g_free (self->folder);
  g_strfreev (self->assignments);
  g_strfreev (self->values);
  g_strfreev (self->needs);
  g_free (self->checkpoint);
  g_free (self->name);
  g_free (self->title);
  g_free (self);
}

void
sluice_launch_verdict_free (SluiceLaunchVerdict *self)
{
  g_free (self->repeated);
  g_free (self->rungs);
  g_free (self->metric);
  g_free (self->name);
  g_free (self);
}

/* ---- a sweep ---- */

static gboolean
is_sweep (const SluiceLaunchJob *self)
{
  return self->values != NULL && self->values[0] != NULL;
}

/* "lenet-4 learning-rate {learning-rate}", unless somebody wrote where values go. (transfer full)
 */
static char *
dup_pattern (const SluiceLaunchJob *self, const char *base)
{
  GString *name = g_string_new (base);
  for (guint i = 0; self->values[i] != NULL && strchr (base, '{') == NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (self->values[i], "=", 2);
      const char *dot = strrchr (parts[0], '.');
      g_string_append_printf (name, " %s {%s}", dot != NULL ? dot + 1 : parts[0], parts[0]);
    }
  return g_string_free (name, FALSE);
}

/* (transfer full) (nullable) */
static SluiceSweep *
new_sweep (const SluiceLaunchJob *self, SluiceStore *store, GError **error)
{
  g_autofree char *pattern = dup_pattern (self, self->name != NULL ? self->name : self->title);
  const SluiceSweepRequest request = { .folder = self->folder,
                                       .values = (const char *const *) self->values,
                                       .settings = (const char *const *) self->assignments,
                                       .method = self->halves ? "asha" : "grid",
                                       .one_of = 2,
                                       .name = pattern };
  return sluice_sweep_new (&request, store, error);
}

/* (transfer full) */
static char *
dup_rungs (const SluiceHalving *halving)
{
  GString *words = g_string_new (NULL);
  guint n = sluice_halving_count_rungs (halving);
  for (guint i = 0; i + 1 < n; i++)
    {
      g_autofree char *step = sluice_format_step (sluice_halving_get_step (halving, i));
      g_string_append_printf (words, "%s%s", i > 0 ? ", " : "", step);
    }
  return g_string_free (words, FALSE);
}

/* ---- looking ---- */

static gboolean
check_one (const SluiceLaunchJob *self,
           SluiceStore *store,
           SluiceLaunchVerdict *verdict,
           GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (self->folder, error);
  if (project == NULL || !sluice_project_set_all (project, self->assignments, error))
    return FALSE;
  verdict->n_runs = 1;
  if (self->parent != 0)
    return TRUE;
  if (self->checkpoint == NULL)
    verdict->repeated = sluice_project_dup_repeated (project, store);
  verdict->name = sluice_store_dup_free_name (store, self->title, error);
  return verdict->name != NULL;
}

SluiceLaunchVerdict *
sluice_launch_job_check (const SluiceLaunchJob *self, SluiceStore *store, GError **error)
{
  g_autoptr (SluiceLaunchVerdict) verdict = g_new0 (SluiceLaunchVerdict, 1);
  verdict->part = 1;
  if (!is_sweep (self))
    return check_one (self, store, verdict, error) ? g_steal_pointer (&verdict) : NULL;
  g_autoptr (SluiceSweep) sweep = new_sweep (self, store, error);
  if (sweep == NULL)
    return NULL;
  verdict->n_runs = sweep->trials->len;
  verdict->metric = g_strdup (sweep->metric);
  verdict->name = dup_pattern (self, self->title);
  if (sweep->halves)
    {
      verdict->rungs = dup_rungs (&sweep->halving);
      verdict->part = sluice_halving_count_steps (&sweep->halving, sweep->trials->len)
                      / ((double) sweep->halving.last * sweep->trials->len);
    }
  return g_steal_pointer (&verdict);
}

/* ---- making the runs ---- */

gboolean
sluice_launch_job_get_needs (const SluiceLaunchJob *self, SluiceQueueNeeds *needs, GError **error)
{
  *needs = (SluiceQueueNeeds){ 0 };
  for (guint i = 0; self->needs != NULL && self->needs[i] != NULL; i++)
    {
      const char *equals = strchr (self->needs[i], '=');
      g_autofree char *key = g_strndup (self->needs[i], equals - self->needs[i]);
      if (!sluice_queue_needs_set (needs, key, equals + 1, error))
        return FALSE;
    }
  return TRUE;
}

/* (transfer full) (nullable) */
static GArray *
dup_waiting (SluiceStore *store, GError **error)
{
  g_autoptr (GPtrArray) entries = sluice_run_queue_dup_entries (store, error);
  if (entries == NULL)
    return NULL;
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < entries->len; i++)
    {
      const SluiceRunInfo *info = ((const SluiceQueueEntry *) entries->pdata[i])->info;
      if (info->state != SLUICE_RUN_RUNNING && info->state != SLUICE_RUN_PAUSED)
        g_array_append_val (ids, info->id);
    }
  return ids;
}

static SluiceRunInfo *
dup_run (SluiceStore *store, gint64 id, GError **error)
{
  g_autofree char *number = g_strdup_printf ("#%" G_GINT64_FORMAT, id);
  return sluice_store_dup_run (store, number, error);
}

/* The last ones of those that wait, in their order, before what was the first. */
static gboolean
move_to_front (SluiceStore *store, guint n_new, GError **error)
{
  g_autoptr (GArray) ids = dup_waiting (store, error);
  if (ids == NULL || ids->len <= n_new)
    return ids != NULL;
  g_autoptr (SluiceRunInfo) first = dup_run (store, g_array_index (ids, gint64, 0), error);
  for (guint i = ids->len - n_new; first != NULL && i < ids->len; i++)
    {
      g_autoptr (SluiceRunInfo) run = dup_run (store, g_array_index (ids, gint64, i), error);
      if (run == NULL || !sluice_run_queue_move (store, run, first, TRUE, error))
        return FALSE;
    }
  return first != NULL;
}

/* trial: (nullable). (transfer full): what a fork has otherwise */
static char **
dup_assignments (const SluiceLaunchJob *self, char **trial)
{
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  if (self->assignments != NULL)
    g_strv_builder_addv (all, (const char **) self->assignments);
  if (trial != NULL)
    g_strv_builder_addv (all, (const char **) trial);
  return g_strv_builder_end (all);
}

/* sweep: (nullable): one fork */
static gboolean
add_forks (const SluiceLaunchJob *self,
           const SluiceSweep *sweep,
           SluiceStore *store,
           const SluiceQueueNeeds *needs,
           guint *n_added,
           GError **error)
{
  const SluiceSessionOptions host = { .device = needs->devices };
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autoptr (SluiceRunInfo) parent = dup_run (store, self->parent, error);
  guint n = sweep != NULL ? sweep->trials->len : 1;
  g_autofree SluiceForkRequest *requests = g_new0 (SluiceForkRequest, n);
  for (guint i = 0; i < n; i++)
    {
      char *name = sweep != NULL ? sluice_sweep_dup_name (sweep, i) : g_strdup (self->name);
      char **assignments = dup_assignments (self, sweep != NULL ? sweep->trials->pdata[i] : NULL);
      g_ptr_array_add (owned, name);
      g_ptr_array_add (lists, assignments);
      requests[i] = (SluiceForkRequest){ .name = name,
                                         .group = sweep != NULL ? sweep->group : NULL,
                                         .step = self->parent_step,
                                         .assignments = (const char *const *) assignments,
                                         .waits = TRUE,
                                         .needs = *needs,
                                         .host = &host };
    }
  g_autoptr (GPtrArray) forks =
      parent != NULL ? sluice_fork_all (store, parent, requests, n, error) : NULL;
  *n_added += forks != NULL ? forks->len : 0;
  return forks != NULL;
}

static gboolean
add_one (const SluiceLaunchJob *self,
         SluiceStore *store,
         const SluiceQueueRequest *request,
         guint *n_added,
         GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (self->folder, error);
  if (project == NULL || !sluice_project_set_all (project, self->assignments, error))
    return FALSE;
  g_autoptr (SluiceRunInfo) info = sluice_queue_add (store, project, request, error);
  *n_added += info != NULL;
  return info != NULL;
}

static gboolean
add_sweep (const SluiceLaunchJob *self,
           SluiceStore *store,
           const SluiceQueueRequest *request,
           guint *n_added,
           GError **error)
{
  g_autoptr (SluiceSweep) sweep = new_sweep (self, store, error);
  if (sweep == NULL)
    return FALSE;
  if (self->parent != 0)
    return add_forks (self, sweep, store, &request->needs, n_added, error);
  g_autoptr (GPtrArray) runs = sluice_sweep_add_runs (sweep, store, request, error);
  *n_added += runs != NULL ? runs->len : 0;
  return runs != NULL;
}

gboolean
sluice_launch_job_enqueue (const SluiceLaunchJob *self,
                           SluiceStore *store,
                           guint *n_added,
                           GError **error)
{
  SluiceQueueNeeds needs;
  *n_added = 0;
  if (!sluice_launch_job_get_needs (self, &needs, error))
    return FALSE;
  const SluiceSessionOptions host = { .device = needs.devices };
  const SluiceQueueRequest request = { .name = self->name,
                                       .needs = needs,
                                       .host = needs.devices != NULL ? &host : NULL,
                                       .init_from = self->checkpoint,
                                       .init_partly = self->partly };
  gboolean ok = is_sweep (self)     ? add_sweep (self, store, &request, n_added, error)
                : self->parent != 0 ? add_forks (self, NULL, store, &needs, n_added, error)
                                    : add_one (self, store, &request, n_added, error);
  return ok && (!self->is_next || move_to_front (store, *n_added, error));
}
