/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/fit-trial.h"

#include <math.h>

#include "engine/base/count.h"
#include "engine/train/calibration.h"
#include "engine/train/measured-file.h"
#include "engine/train/replica-private.h"
#include "engine/train/sized-graph.h"

#define MOST_ROUNDS 6
#define ALL         ((gsize) 1 << 60) /* bytes: no step of a trial lacks memory */

typedef struct
{
  SluiceProject *project;
  const SluiceExamples *examples, *test;
  const SluiceSessionOptions *host;
  gsize limit;
  guint n_steps;
  double natural_us, natural_bytes;
  GHashTable *seen;
  gboolean vacates; /* a device of it holds its limit itself: what is not in use leaves it */
} Trial;

/* What one round has found. */
typedef struct
{
  SluiceFitReport *report;
  gint64 slack; /* that it was decided with */
  double predicted, measured;
} Round;

/* ---- what kernels take ---- */

/* What nobody disturbed is the least time; of loops the newest step's, whose iterations are one. */
typedef struct
{
  SluiceFitSeen seen;
  guint64 step; /* of the times; 0: none yet */
} Kernel;

static void
see (const SluiceTraceEvent *event, gpointer data)
{
  GHashTable *kernels = data;
  if (event->node == NULL || event->kind != SLUICE_TRACE_NODE)
    return;
  Kernel *kernel = g_hash_table_lookup (kernels, event->node);
  if (kernel == NULL)
    {
      kernel = g_new0 (Kernel, 1);
      g_hash_table_insert (kernels, g_strdup (event->node), kernel);
    }
  double us = event->end_us - event->start_us;
  if (event->frame != NULL)
    kernel->seen.us = (kernel->step == event->step ? kernel->seen.us : 0) + us;
  else
    kernel->seen.us = kernel->step > 0 ? MIN (kernel->seen.us, us) : us;
  kernel->seen.bytes = MAX (kernel->seen.bytes, (double) event->bytes_out);
  kernel->step = event->step;
}

/* What the trace has of its steps. */
static void
look_back (SluiceSession *session, GHashTable *seen)
{
  guint64 cursor = 0;
  sluice_session_each_trace (session, &cursor, see, seen);
  sluice_session_drop_trace (session, &cursor);
}

static GHashTable *
new_seen (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

/* ---- a study ---- */

static void
add_edges (GPtrArray *names, const GArray *edges)
{
  for (guint i = 0; i < edges->len; i++)
    g_ptr_array_add (names, g_array_index (edges, SluiceNamedEdge, i).target);
}

static SluiceMachine *
new_machine (SluiceSession *session, SluiceMeasured *measured)
{
  SluiceCalibration speed;
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    g_ptr_array_add (devices, sluice_session_get_device (session, i));
  SluiceMachine *machine =
      sluice_machine_new_here ((SluiceDevice *const *) devices->pdata, devices->len);
  if (sluice_calibration_get (NULL, &speed, NULL, NULL))
    sluice_calibration_set_speed (&speed, machine);
  sluice_machine_take_measured (machine, measured);
  return machine;
}

SluiceFitStudy *
sluice_replica_study_fit (SluiceReplica *self, GError **error)
{
  const SluiceProject *p = self->project;
  g_autoptr (GPtrArray) edges = g_ptr_array_new ();
  g_autoptr (GPtrArray) fetches = g_ptr_array_new ();
  g_autoptr (SluiceMeasured) measured = sluice_measured_file_load (NULL, NULL);
  sluice_measured_set_options (measured, self->host.device_options);
  g_autoptr (SluiceMachine) machine = new_machine (self->session, measured);
  if (self->examples != NULL && p->feed_x != NULL)
    g_ptr_array_add (edges, p->feed_x);
  if (self->examples != NULL && p->feed_y != NULL)
    g_ptr_array_add (edges, p->feed_y);
  for (guint i = 0; p->loss[i] != NULL; i++)
    g_ptr_array_add (fetches, p->loss[i]);
  add_edges (fetches, p->fetches);
  gint64 batch = MAX (p->batch, 1);
  g_autoptr (SluiceGraph) sized = sluice_graph_dup_sized (self->graph, batch);
  g_autoptr (GHashTable) seen = new_seen ();
  if (self->n_done > 0 && !self->is_refitted)
    look_back (self->session, seen);
  const gboolean is_fitted = p->session.fit > 0; /* its session has seen steps that were not */
  const SluiceFitSizes sizes = { .sized = sized,
                                 .dim = batch,
                                 .measured = measured,
                                 .machine = machine,
                                 .seen = self->is_refitted                ? self->fit_seen
                                         : self->n_done > 0 && !is_fitted ? seen
                                                                          : NULL };
  g_autofree SluiceFeed *feeds = sluice_feeds_new ((const char *const *) edges->pdata, edges->len);
  const SluiceStepNames names = { .feeds = feeds,
                                  .n_feeds = edges->len,
                                  .fetches = (const char *const *) fetches->pdata,
                                  .n_fetches = fetches->len,
                                  .targets = (const char *const *) p->train,
                                  .n_targets = p->train != NULL ? g_strv_length (p->train) : 0 };
  return sluice_session_study_fit (self->session, &names, &sizes, error);
}

gboolean
sluice_replica_refit (SluiceReplica *self, gsize bytes, gint64 slack, GError **error)
{
  g_autoptr (GHashTable) seen = new_seen ();
  if (!self->is_refitted)
    look_back (self->session, seen);
  sluice_session_refit (self->session, bytes, slack, self->is_refitted ? self->fit_seen : seen);
  if (!self->is_refitted)
    self->fit_seen = g_steal_pointer (&seen);
  self->is_refitted = TRUE;
  return sluice_replica_plan_feeds (self, error);
}

/* ---- steps ---- */

static gboolean
may_vacate (SluiceSession *session)
{
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    if (sluice_session_get_device (session, i)->klass->queues != NULL)
      return TRUE;
  return FALSE;
}

static double
get_peak (const SluiceReplica *replica)
{
  double peak = 0;
  for (guint i = 0; i < sluice_session_get_n_devices (replica->session); i++)
    {
      g_autoptr (SluiceLedger) ledger = sluice_session_dup_ledger (replica->session, i);
      peak = MAX (peak, ledger != NULL ? (double) ledger->peak_bytes : 0);
    }
  return peak;
}

/* From the second on all is planned; the least time is that which nobody disturbed. */
static gboolean
take_steps (const Trial *self,
            SluiceReplica *replica,
            GHashTable *seen,
            double *peak,
            double *us,
            GError **error)
{
  g_autofree double *scalars = g_new0 (double, replica->n_scalars + 1);
  gboolean ok =
      sluice_replica_initialize (replica, error) && sluice_replica_begin_input (replica, error);
  gboolean is_recorded = ok && sluice_session_record_memory (replica->session);
  *us = INFINITY;
  for (guint i = 0; i < self->n_steps && ok; i++)
    {
      const SluiceRunOptions options = { .step = i + 1 };
      gint64 since = g_get_monotonic_time ();
      ok = sluice_replica_step (replica, scalars, NULL, &options, error);
      if (i > 0)
        *us = MIN (*us, (double) (g_get_monotonic_time () - since));
    }
  if (is_recorded)
    *peak = get_peak (replica);
  if (ok && seen != NULL)
    look_back (replica->session, seen);
  sluice_replica_end_input (replica);
  return ok;
}

/* Steps that are decided on as if there were so much less; NULL: that have no limit. */
static gboolean
try_steps (Trial *self, Round *round, GError **error)
{
  SluiceSessionOptions *session = &self->project->session;
  const SluiceSessionOptions before = *session;
  double limits[SLUICE_MAX_DEVICES], us = INFINITY;
  gint64 target = (gint64) self->limit - (round != NULL ? round->slack : 0);
  gsize room = self->vacates ? self->limit : ALL;
  session->fit = round != NULL ? room : 0;
  session->fit_slack = (gint64) room - target;
  session->fit_seen = round != NULL ? self->seen : NULL;
  SluiceReplica *replica =
      sluice_replica_new (self->project, self->examples, self->test, 0, self->host, error);
  double measured = 0;
  gboolean ok =
      replica != NULL
      && take_steps (self, replica, round == NULL ? self->seen : NULL, &measured, &us, error);
  g_autoptr (SluiceFitStudy) study =
      ok && round != NULL ? sluice_replica_study_fit (replica, error) : NULL;
  *session = before; /* the study looks whether steps were fitted */
  if (round == NULL)
    {
      self->natural_us = us;
      self->natural_bytes = measured;
      self->vacates = replica != NULL && may_vacate (replica->session);
    }
  else if (study != NULL)
    {
      guint n = sluice_fit_study_get_n_devices (study);
      for (guint d = 0; d < n; d++)
        limits[d] = (double) target;
      g_autoptr (SluiceFit) fit = sluice_fit_study_run (study, limits);
      round->report = sluice_fit_study_report (study, fit, limits);
      round->measured = measured;
      for (guint d = 0; d < n; d++)
        round->predicted = MAX (round->predicted, fit->bytes[d]);
    }
  ok = ok && (round == NULL || study != NULL);
  g_clear_pointer (&study, sluice_fit_study_free);
  g_clear_pointer (&replica, sluice_replica_free);
  return ok;
}

static gboolean
fail (const Trial *self, const Round *round, GError **error)
{
  g_autofree char *limit = sluice_count_dup ((gint64) self->limit);
  g_autofree char *least = sluice_count_dup ((gint64) round->measured);
  double all = 0;
  for (guint d = 0; d < round->report->n_devices; d++)
    all = MAX (all, round->report->held_bytes[d]);
  g_autofree char *held = sluice_count_dup ((gint64) all);
  return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                      "fit: a step does not fit into %s bytes: with all that can be computed again "
                      "or leave it holds %s, and %s of them are variables and constants; give fit "
                      "%s, or a smaller batch",
                      limit, least, held, least);
}

/* By what the steps held beyond what was predicted; the second time what is missing besides. */
static gint64
correct (const Trial *self, const Round *round)
{
  gint64 slack = (gint64) (round->measured - round->predicted);
  return slack > round->slack ? slack
                              : round->slack + (gint64) round->measured - (gint64) self->limit;
}

static gboolean
try_until (Trial *self, Round *found, GError **error)
{
  for (guint i = 0; i < MOST_ROUNDS; i++)
    {
      Round round = { .slack = found->slack };
      g_clear_pointer (&found->report, sluice_fit_report_free);
      gboolean ok = try_steps (self, &round, error);
      *found = round;
      if (!ok)
        return FALSE;
      if (round.measured <= (double) self->limit)
        return TRUE;
      if (!round.report->fits && i > 0)
        break;
      found->slack = correct (self, &round);
    }
  return fail (self, found, error);
}

/* Beside a device that vacates memory another may lack it: it is decided on as if none did. */
static gboolean
try_all (Trial *self, Round *found, GError **error)
{
  g_autoptr (GError) first = NULL;
  if (!try_steps (self, NULL, error))
    return FALSE;
  if (!self->vacates)
    return try_until (self, found, error);
  if (try_until (self, found, &first))
    return TRUE;
  self->vacates = FALSE;
  found->slack = 0;
  if (g_error_matches (first, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED)
      && try_until (self, found, NULL))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

SluiceFitTrial *
sluice_fit_trial_new (SluiceProject *project,
                      const SluiceExamples *examples,
                      const SluiceExamples *test,
                      const SluiceSessionOptions *host,
                      gsize limit,
                      guint n_steps,
                      GError **error)
{
  Trial self = { .project = project,
                 .examples = examples,
                 .test = test,
                 .host = host,
                 .limit = limit,
                 .n_steps = MAX (n_steps, 2),
                 .seen = new_seen () };
  Round found = { NULL };
  if (!try_all (&self, &found, error))
    {
      g_clear_pointer (&found.report, sluice_fit_report_free);
      g_hash_table_unref (self.seen);
      return NULL;
    }
  SluiceFitTrial *trial = g_new0 (SluiceFitTrial, 1);
  trial->report = found.report;
  trial->slack = found.slack;
  /* Where nothing had to be corrected what was held beyond the prediction is part of it all the
   * same. */
  trial->bytes = found.slack != 0 ? found.predicted + (double) found.slack : found.measured;
  trial->measured_bytes = found.measured;
  trial->natural_us = self.natural_us;
  trial->natural_bytes = self.natural_bytes;
  trial->seen = self.seen;
  trial->us = self.natural_us + found.report->us - found.report->natural_us;
  return trial;
}

void
sluice_fit_trial_free (SluiceFitTrial *self)
{
  sluice_fit_report_free (self->report);
  g_hash_table_unref (self->seen);
  g_free (self);
}
