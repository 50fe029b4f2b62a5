/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/preflight.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/train/preflight-private.h"

const char *
sluice_preflight_level_name (SluicePreflightLevel level)
{
  static const char *const names[] = { N_ ("well"), N_ ("look"), N_ ("stop") };
  return names[level];
}

static void
item_free (gpointer data)
{
  SluicePreflightItem *item = data;
  g_free (item->name);
  g_free (item->text);
  g_free (item->action);
  g_free (item->set);
  g_free (item->node);
  g_free (item->take_out);
  g_free (item->spread);
  g_clear_pointer (&item->counts, g_array_unref);
  g_free (item);
}

SluicePreflightItem *
sluice_preflight_add (SluicePreflight *self,
                      const char *what,
                      const char *name,
                      SluicePreflightLevel level,
                      char *take_text)
{
  SluicePreflightItem *item = g_new0 (SluicePreflightItem, 1);
  *item = (SluicePreflightItem){ .what = what,
                                 .name = g_strdup (name),
                                 .value = NAN,
                                 .plus_minus = NAN,
                                 .limit = NAN,
                                 .unit = "",
                                 .text = take_text,
                                 .level = level };
  g_ptr_array_add (self->items, item);
  return item;
}

static double
get_mean (const GArray *times, guint from, guint to)
{
  double sum = 0;
  for (guint i = from; i < to; i++)
    sum += g_array_index (times, double, i);
  return sum / MAX (to - from, 1);
}

double
sluice_preflight_sum_up (const GArray *times, double *margin)
{
  guint n = times->len;
  double mean = get_mean (times, 0, n), squares = 0;
  for (guint i = 0; i < n; i++)
    {
      double distance = g_array_index (times, double, i) - mean;
      squares += distance * distance;
    }
  double drift = fabs (get_mean (times, 0, n / 2) - get_mean (times, n / 2, n));
  *margin = n > 1 ? fmax (2 * sqrt (squares / (n - 1) / n), drift) : 0;
  return mean;
}

char *
sluice_checker_dup_batch (
    const SluiceChecker *self, guint device, double held, double bytes, double room)
{
  gboolean evaluates = self->forecast != NULL && self->forecast->is_of_evaluation[device];
  gint64 batch = evaluates && self->test != NULL
                     ? MIN (self->project->evaluate_batch, self->test->n)
                     : self->project->batch;
  double most = (double) batch * (SLUICE_PREFLIGHT_FULL * room - held) / (bytes - held);
  gint64 best = 1;
  if (self->examples == NULL || !(most >= 1) || batch <= 1)
    return NULL;
  while (2 * best < batch && (double) (2 * best) <= most)
    best *= 2;
  return g_strdup_printf ("%s=%" G_GINT64_FORMAT, evaluates ? "evaluate.batch" : "train.batch",
                          best);
}

void
sluice_preflight_free (SluicePreflight *self)
{
  g_ptr_array_unref (self->items);
  g_clear_pointer (&self->start, sluice_start_table_free);
  g_free (self);
}

static void
checker_clear (SluiceChecker *self)
{
  g_clear_pointer (&self->forecast, sluice_run_forecast_free);
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceChecker, checker_clear)

static void
tell (const SluiceChecker *self, double part, const char *what)
{
  if (self->options->progress != NULL)
    self->options->progress (part, what, self->options->progress_data);
}

/* What the trainer would say of it. */
static void
refuse (SluiceChecker *self, const char *what, const GError *why)
{
  sluice_preflight_add (self->card, what, NULL, SLUICE_PREFLIGHT_STOP, g_strdup (why->message));
}

static void
allow_files (SluiceChecker *self)
{
  const char *const *more = self->options->allow_files;
  if (self->options->workspace != NULL)
    sluice_file_access_allow (self->project->files, self->options->workspace, SLUICE_FILE_READ);
  for (guint i = 0; more != NULL && more[i] != NULL; i++)
    sluice_file_access_allow (self->project->files, more[i], SLUICE_FILE_WRITE);
}

/* FALSE: there is nothing to try, and the card says why. */
static gboolean
load (SluiceChecker *self)
{
  g_autoptr (GError) failure = NULL;
  allow_files (self);
  tell (self, 0, _ ("loading graph and data"));
  if (sluice_examples_load_all (self->project, &self->examples, &self->test, &failure))
    self->replica = sluice_replica_new (self->project, self->examples, self->test, 0,
                                        self->options->host, &failure);
  if (self->replica == NULL)
    refuse (self, "project", failure);
  return self->replica != NULL;
}

static gboolean
start (SluiceChecker *self)
{
  g_autoptr (GError) failure = NULL;
  const char *path = self->options->init_from;
  if (!sluice_replica_initialize (self->replica, &failure))
    {
      refuse (self, "project", failure);
      return FALSE;
    }
  if (path == NULL)
    return TRUE;
  SluiceStartTable *table = self->card->start =
      sluice_start_table_new (self->replica, path, &failure);
  if (table == NULL)
    {
      refuse (self, "start", failure);
      return FALSE;
    }
  gboolean all = table->n_fit == table->rows->len;
  SluicePreflightItem *item =
      sluice_preflight_add (self->card, "start", path,
                            all                ? SLUICE_PREFLIGHT_WELL
                            : table->n_fit > 0 ? SLUICE_PREFLIGHT_LOOK
                                               : SLUICE_PREFLIGHT_STOP,
                            g_strdup_printf (_ ("%u of %u variables get a value of the checkpoint"),
                                             table->n_fit, table->rows->len));
  item->value = table->n_fit;
  if (sluice_replica_take_values (self->replica, path, SLUICE_TAKE_FIT, &failure))
    return TRUE;
  item->level = SLUICE_PREFLIGHT_STOP;
  item->action = g_strdup (failure->message);
  return FALSE;
}

SluicePreflight *
sluice_preflight (SluiceProject *project, const SluicePreflightOptions *options, GError **error)
{
  g_autoptr (SluicePreflight) card = g_new0 (SluicePreflight, 1);
  g_auto (SluiceChecker) self = { .project = project, .options = options, .card = card };
  card->items = g_ptr_array_new_with_free_func (item_free);
  sluice_project_get_schedule (project, G_MAXINT64 - 1, &self.schedule);
  for (guint i = 0; options->refused != NULL && options->refused[i] != NULL; i++)
    sluice_preflight_add (card, "setting", NULL, SLUICE_PREFLIGHT_STOP,
                          g_strdup (options->refused[i]));
  if (load (&self))
    {
      tell (&self, 0.1, _ ("looking at the graph"));
      sluice_checker_look_at_graph (&self);
      sluice_checker_look_at_labels (&self);
      sluice_checker_look_at_plan (&self);
      sluice_checker_look_at_runs (&self);
      tell (&self, 0.2, _ ("trying steps"));
      if (!start (&self))
        sluice_checker_fall_back (&self);
      else if (!sluice_checker_try (&self, error))
        return NULL;
    }
  tell (&self, 1, _ ("done"));
  if (g_cancellable_set_error_if_cancelled (options->cancellable, error))
    return NULL;
  card->ok = TRUE;
  for (guint i = 0; i < card->items->len; i++)
    card->ok &= ((SluicePreflightItem *) card->items->pdata[i])->level != SLUICE_PREFLIGHT_STOP;
  return g_steal_pointer (&card);
}
