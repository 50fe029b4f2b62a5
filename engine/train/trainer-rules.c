/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "engine/base/error.h"
#include "engine/train/trainer-private.h"

/* What looks at the values that are logged: the rule that ends a run, and alerts. */

gint64
sluice_trainer_find_series (
    char **tags, const gint64 *ids, const char *name, const char *what, GError **error)
{
  for (guint i = 0; tags[i] != NULL; i++)
    if (strcmp (tags[i], name) == 0)
      return ids[i];
  g_autofree char *all = g_strjoinv (", ", tags);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s; its series are %s", what, all);
  return 0;
}

/* What the values so far say; those behind the step come again. */
static gboolean
catch_up (SluiceTrainer *self, GError **error)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  if (self->replica->n_done == 0)
    return TRUE;
  if (!sluice_store_read_points (self->store, self->stop_series, 0, G_MAXSIZE, points, error))
    return FALSE;
  for (guint i = 0; i < points->len; i++)
    {
      const SluiceScalar *point = &g_array_index (points, SluiceScalar, i);
      if (point->step <= self->replica->n_done)
        g_free (sluice_stop_rule_take (&self->stop_rule, self->project, point->step, point->value));
    }
  return TRUE;
}

static gboolean
begin_stop_rule (SluiceTrainer *self, char **tags, const gint64 *ids, GError **error)
{
  const char *metric = self->project->stop_metric;
  gsize length = 0;
  gboolean is_max = FALSE;
  if (metric == NULL)
    return TRUE;
  gboolean ok = sluice_parse_best (metric, &length, &is_max);
  g_autofree char *name = g_strndup (metric, length);
  g_autofree char *what = g_strdup_printf (
      "[stop] metric=%s: must be a series and what is best of it, as loss:min", metric);
  self->stop_series = sluice_trainer_find_series (tags, ids, ok ? name : "", what, error);
  sluice_stop_rule_init (&self->stop_rule, is_max);
  return self->stop_series != 0 && catch_up (self, error);
}

static void
alert_given (gpointer data)
{
  SluiceTrainer *self = data;
  pthread_mutex_lock (&self->lock);
  void (*notify) (gpointer) = self->notify;
  gpointer notify_data = self->notify_data;
  pthread_mutex_unlock (&self->lock);
  if (notify != NULL)
    notify (notify_data);
}

static gboolean
begin_alerts (SluiceTrainer *self, char **tags, const gint64 *ids, GError **error)
{
  const GArray *rules = self->project->alerts;
  g_autofree gint64 *series = g_new0 (gint64, rules->len + 1);
  for (guint i = 0; i < rules->len; i++)
    {
      const SluiceAlertRule *rule = &g_array_index (rules, SluiceAlertRule, i);
      g_autofree char *what =
          g_strdup_printf ("[alert %s] metric=%s: is no series", rule->name, rule->metric);
      if (rule->metric != NULL
          && (series[i] = sluice_trainer_find_series (tags, ids, rule->metric, what, error)) == 0)
        return FALSE;
    }
  SluiceAlertsOptions options = { .series = series,
                                  .run = self->info->name,
                                  .workspace = sluice_store_get_workspace (self->store),
                                  .runs_commands = self->runs_commands,
                                  .notify = alert_given,
                                  .notify_data = self };
  self->alerts = rules->len > 0 ? sluice_alerts_new (self->project, &options, error) : NULL;
  return rules->len == 0 || self->alerts != NULL;
}

gboolean
sluice_trainer_begin_rules (SluiceTrainer *self, char **tags, const gint64 *ids, GError **error)
{
  return begin_stop_rule (self, tags, ids, error) && begin_alerts (self, tags, ids, error);
}

static void
take_stop_value (SluiceTrainer *self, gint64 step, double value)
{
  g_autofree char *reason = sluice_stop_rule_take (&self->stop_rule, self->project, step, value);
  if (reason == NULL || self->stop_reason != NULL)
    return;
  pthread_mutex_lock (&self->lock);
  self->stop_reason = g_steal_pointer (&reason);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_trainer_log_point (
    SluiceTrainer *self, gint64 series, gint64 step, double wall, double value)
{
  sluice_run_log_scalar (self->log, series, step, wall, value);
  if (series == self->stop_series)
    take_stop_value (self, step, value);
  if (self->alerts != NULL)
    sluice_alerts_take (self->alerts, series, step, value);
}

void
sluice_trainer_end_rules (SluiceTrainer *self)
{
  if (self->alerts == NULL)
    return;
  sluice_alerts_stop (self->alerts);
  sluice_alerts_log (self->alerts, self->log);
}

char *
sluice_trainer_dup_reason (SluiceTrainer *self)
{
  pthread_mutex_lock (&self->lock);
  char *reason = g_strdup (self->stop_reason);
  pthread_mutex_unlock (&self->lock);
  return reason;
}

guint
sluice_trainer_get_last_alert (SluiceTrainer *self, char **text)
{
  *text = NULL;
  return self->alerts != NULL ? sluice_alerts_get_last (self->alerts, text) : 0;
}
