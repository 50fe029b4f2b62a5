/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/queue.h"

#include <glib/gstdio.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/graph/graphdef.h"
#include "engine/store/draft.h"
#include "engine/store/file.h"
#include "engine/train/checkpoint-folder.h"
#include "engine/train/replica.h"
#include "engine/train/run-file.h"
#include "engine/train/run-forecast.h"
#include "engine/train/trainer-private.h"
#include "engine/train/trial.h"

/* ---- a run that waits ---- */

/* What of a run takes a replica to be known. */
typedef struct
{
  gint64 memory; /* that it will take; 0: not known */
  char *values;  /* (nullable): where its first values lie, relative to its folder */
  gsize values_bytes;
} Checked;

static gboolean
take_values (SluiceReplica *replica,
             const SluiceQueueRequest *request,
             const char *folder,
             Checked *checked,
             GError **error)
{
  g_free (checked->values);
  checked->values = sluice_checkpoint_folder_dup_name (0);
  g_autofree char *path = g_build_filename (folder, checked->values, NULL);
  return sluice_replica_initialize (replica, error)
         && sluice_replica_take_values (replica, request->init_from,
                                        request->init_partly ? SLUICE_TAKE_FIT : SLUICE_TAKE_ALL,
                                        error)
         && sluice_replica_save (replica, path, &checked->values_bytes, error);
}

/* By all that a trainer looks at before it computes. */
static gboolean
check_project (SluiceProject *project,
               const SluiceQueueRequest *request,
               const char *folder,
               Checked *checked,
               GError **error)
{
  SluiceExamples *examples = NULL, *test = NULL;
  SluiceReplica *replica = NULL;
  gboolean ok =
      sluice_examples_load_all (project, &examples, &test, error)
      && (replica = sluice_replica_new (project, examples, test, 0, request->host, error)) != NULL;
  g_autoptr (SluiceRunForecast) forecast = ok ? sluice_run_forecast_new (replica, NULL) : NULL;
  checked->memory = forecast != NULL ? sluice_run_forecast_get_bytes (forecast) : 0;
  if (ok && request->init_from != NULL)
    ok = take_values (replica, request, folder, checked, error);
  g_clear_pointer (&replica, sluice_replica_free);
  g_clear_pointer (&examples, sluice_examples_free);
  g_clear_pointer (&test, sluice_examples_free);
  return ok;
}

static SluiceRunInfo *
make_info (const SluiceProject *project, const SluiceQueueRequest *request, const char *hash)
{
  SluiceRunInfo *info = g_new0 (SluiceRunInfo, 1);
  info->name = g_strdup (request->name);
  info->group = g_strdup (request->group);
  info->project = g_path_get_basename (project->folder);
  info->n_steps = project->n_steps;
  info->seed = project->seed;
  info->created = sluice_trainer_wall_now ();
  info->graph_hash = g_strdup (hash);
  info->state = SLUICE_RUN_WAITING;
  return info;
}

static gboolean
write_run_file (const char *folder, const SluiceRunInfo *info, gpointer data, GError **error)
{
  return sluice_run_file_write (data, folder, info, error);
}

/* What a run has of its own, and its start is made of. */
typedef struct
{
  SluiceQueueNeeds needs;
  char *devices;
  SluiceRecord *settings;
  char *checkpoint; /* (nullable) */
} Waiting;

static void
waiting_free (gpointer data)
{
  Waiting *self = data;
  g_free (self->devices);
  g_free (self->checkpoint);
  sluice_record_free (self->settings);
  g_free (self);
}

struct _SluiceQueueBatch
{
  SluiceStore *store;
  SluiceRunDraft *draft;
  GPtrArray *infos;   /* of SluiceRunInfo */
  GPtrArray *waiting; /* of Waiting, as many */
  GArray *starts;     /* of SluiceRunStart, as many */
  /* Of all graphs and data so far; the last ones are those of who has another one's hash. */
  GPtrArray *graphs, *files; /* of GBytes, SluiceRunFile */
  SluiceGraph *graph;        /* (nullable): the last one */
  char *hash;                /* its */
  Checked checked;           /* of the last one that was */
};

void
sluice_queue_batch_free (SluiceQueueBatch *self)
{
  g_clear_pointer (&self->draft, sluice_run_draft_free);
  g_clear_pointer (&self->infos, g_ptr_array_unref);
  g_ptr_array_unref (self->waiting);
  g_array_unref (self->starts);
  g_ptr_array_unref (self->graphs);
  g_ptr_array_unref (self->files);
  g_object_unref (self->store);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_free (self->hash);
  g_free (self->checked.values);
  g_free (self);
}

SluiceQueueBatch *
sluice_queue_batch_new (SluiceStore *store, GError **error)
{
  SluiceRunDraft *draft = sluice_run_draft_new (store, error);
  if (draft == NULL)
    return NULL;
  SluiceQueueBatch *self = g_new0 (SluiceQueueBatch, 1);
  self->store = g_object_ref (store);
  self->draft = draft;
  self->infos = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  self->waiting = g_ptr_array_new_with_free_func (waiting_free);
  self->starts = g_array_new (FALSE, FALSE, sizeof (SluiceRunStart));
  self->graphs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  self->files = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_file_free);
  return self;
}

/* Graph and data of one that differs in them from the one before. */
static gboolean
load (SluiceQueueBatch *self,
      SluiceProject *project,
      const SluiceQueueRequest *request,
      const char *folder,
      GError **error)
{
  if (!check_project (project, request, folder, &self->checked, error))
    return FALSE;
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (project, error);
  g_autofree char *hash = graph != NULL ? sluice_graph_dup_hash (graph, error) : NULL;
  g_autoptr (SluiceRunFile) file = hash != NULL ? sluice_run_file_new (project, error) : NULL;
  GBytes *bytes = file != NULL ? sluice_graph_export (graph, SLUICE_EXPORT_BINARY, error) : NULL;
  if (bytes == NULL)
    return FALSE;
  sluice_run_file_note_asked (file, &request->needs, request->init_from);
  g_ptr_array_add (self->graphs, bytes);
  g_ptr_array_add (self->files, g_steal_pointer (&file));
  g_clear_pointer (&self->graph, sluice_graph_unref);
  self->graph = g_steal_pointer (&graph);
  g_free (self->hash);
  self->hash = g_steal_pointer (&hash);
  return TRUE;
}

static gpointer
last_of (GPtrArray *list)
{
  return list->pdata[list->len - 1];
}

static SluiceRunStart
make_start (SluiceQueueBatch *self, const SluiceProject *project, const SluiceQueueNeeds *needs)
{
  Waiting *waiting = g_new0 (Waiting, 1);
  waiting->needs = *needs;
  if (needs->memory == 0)
    waiting->needs.memory = self->checked.memory;
  waiting->needs.devices = waiting->devices =
      g_strdup (needs->devices != NULL ? needs->devices : project->session.device);
  waiting->settings = sluice_trainer_new_settings (project, self->graph);
  waiting->checkpoint = g_strdup (self->checked.values);
  g_ptr_array_add (self->waiting, waiting);
  return (SluiceRunStart){ .graph = last_of (self->graphs),
                           .waits = &waiting->needs,
                           .settings = waiting->settings,
                           .checkpoint = waiting->checkpoint,
                           .checkpoint_bytes = self->checked.values_bytes,
                           .write = write_run_file,
                           .data = last_of (self->files) };
}

gboolean
sluice_queue_batch_add (SluiceQueueBatch *self,
                        SluiceProject *project,
                        const SluiceQueueRequest *request,
                        GError **error)
{
  /* Values that are begun with are of each run: what they lack its seed makes. */
  gboolean is_same = request->like_last && self->hash != NULL && request->init_from == NULL;
  if (request->name != NULL
      && !sluice_text_check_name ("the name of the run", request->name, error))
    return FALSE;
  g_autofree char *folder = sluice_run_draft_add_folder (self->draft, error);
  if (folder == NULL || (!is_same && !load (self, project, request, folder, error)))
    return FALSE;
  g_autoptr (SluiceRunInfo) info = make_info (project, request, self->hash);
  if (info->name == NULL)
    info->name = g_strdup (info->project);
  if (!sluice_project_save (project, folder, error)
      || !sluice_run_file_write (last_of (self->files), folder, info, error))
    return FALSE;
  SluiceRunStart start = make_start (self, project, &request->needs);
  g_array_append_val (self->starts, start);
  g_ptr_array_add (self->infos, g_steal_pointer (&info));
  return TRUE;
}

GPtrArray *
sluice_queue_batch_commit (SluiceQueueBatch *take_self, GError **error)
{
  g_autoptr (SluiceQueueBatch) self = take_self;
  gboolean ok = sluice_run_draft_start_all (g_steal_pointer (&self->draft), self->infos,
                                            (const SluiceRunStart *) self->starts->data, error);
  return ok ? g_steal_pointer (&self->infos) : NULL;
}

SluiceRunInfo *
sluice_queue_add (SluiceStore *store,
                  SluiceProject *project,
                  const SluiceQueueRequest *request,
                  GError **error)
{
  g_autoptr (SluiceQueueBatch) batch = sluice_queue_batch_new (store, error);
  if (batch == NULL || !sluice_queue_batch_add (batch, project, request, error))
    return NULL;
  g_autoptr (GPtrArray) infos = sluice_queue_batch_commit (g_steal_pointer (&batch), error);
  return infos != NULL ? sluice_run_info_copy (infos->pdata[0]) : NULL;
}

/* ---- training what waits ---- */

#define PROBE_BYTES ((gsize) 1 << 20)

/* A disk that is full, failing or not to be written: the next run would fail as well. SQLite has
 * several words for it, and so have file systems: what decides is whether a file can be written. */
static gboolean
disk_takes_files (SluiceStore *store)
{
  g_autofree char *path =
      g_build_filename (sluice_store_get_workspace (store), SLUICE_FILE_TEMPORARY "probe", NULL);
  g_autofree guint8 *bytes = g_malloc0 (PROBE_BYTES);
  gboolean ok = sluice_file_put ("probe", path, bytes, PROBE_BYTES, NULL);
  g_unlink (path);
  return ok;
}

static gboolean
is_of_machine (SluiceStore *store, const GError *error)
{
  return g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE)
         || !disk_takes_files (store);
}

/* Not RESOURCE_EXHAUSTED: a smaller batch would not help. */
static gboolean
fail_to_wait (SluiceStore *store, const char *run, const GError *failure, GError **error)
{
  if (disk_takes_files (store))
    return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE,
                        "run '%s' waits: %s; 'sluice queue run' goes on with it", run,
                        failure->message);
  return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE,
                      "run '%s' waits for disk space: %s; when '%s' has room again, 'sluice queue "
                      "run' goes on with it",
                      run, failure->message, sluice_store_get_workspace (store));
}

/* Of a trial that stands on a rung: whether it goes on from there. */
static SluiceQueueLeave
ask_trial (SluiceStore *store, gint64 run, char **reason, GError **error)
{
  SluiceTrial trial;
  if (!sluice_trial_judge (store, run, &trial, error))
    return SLUICE_QUEUE_UNKNOWN;
  if (trial.fate == SLUICE_HALVING_DROPPED)
    *reason = g_strdup_printf ("its sweep goes on from step %" G_GINT64_FORMAT
                               " with %u of its trials, and it is none of them",
                               trial.step, trial.n_places);
  return trial.fate == SLUICE_HALVING_DROPPED ? SLUICE_QUEUE_NEVER
         : trial.fate == SLUICE_HALVING_WAITS ? SLUICE_QUEUE_NOT_YET
                                              : SLUICE_QUEUE_MAY_GO;
}

/* until: 0: to its end. It stands on the device that was asked for when it came to wait, unless who
 * trains it says another one. */
static SluiceTrainer *
make_trainer (SluiceStore *store,
              const SluiceTrainerOptions *options,
              gint64 run,
              gint64 until,
              GError **error)
{
  g_autofree char *id = g_strdup_printf ("#%" G_GINT64_FORMAT, run);
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  SluiceQueueNeeds needs;
  if (!sluice_run_queue_read_needs (store, run, &needs, error))
    return NULL;
  g_autofree char *device = (char *) needs.devices;
  SluiceProject *project = sluice_project_load (folder, error);
  if (project == NULL)
    return NULL;
  SluiceSessionOptions host = options->host != NULL ? *options->host : project->session;
  if (host.device == NULL)
    host.device = device;
  SluiceTrainerOptions all = *options;
  all.host = &host;
  all.run_name = NULL;
  all.resume = id;
  all.holds_lock = TRUE;
  all.waits_again = is_of_machine;
  all.until_step = until;
  return sluice_trainer_new (store, project, &all, error);
}

static SluiceRunInfo *
dup_info (SluiceStore *store, gint64 run, GError **error)
{
  g_autofree char *id = g_strdup_printf ("#%" G_GINT64_FORMAT, run);
  return sluice_store_dup_run (store, id, error);
}

/* A run that is claimed and cannot begin. */
static SluiceQueueClaim
refuse (SluiceStore *store, gint64 run, GError *take, SluiceRunInfo **info, GError **error)
{
  g_autoptr (GError) failure = take;
  gboolean waits = is_of_machine (store, failure);
  SluiceQueueOutcome outcome = waits ? SLUICE_QUEUE_WAITS_AGAIN : SLUICE_QUEUE_FAILS;
  if (!sluice_run_queue_settle (store, run, outcome, failure->message, waits ? NULL : error)
      && !waits)
    return SLUICE_QUEUE_BROKEN;
  *info = dup_info (store, run, waits ? NULL : error);
  if (waits)
    {
      g_autofree char *number = g_strdup_printf ("#%" G_GINT64_FORMAT, run);
      fail_to_wait (store, *info != NULL ? (*info)->name : number, failure, error);
      g_clear_pointer (info, sluice_run_info_free);
      return SLUICE_QUEUE_BROKEN;
    }
  return *info != NULL ? SLUICE_QUEUE_SKIPPED : SLUICE_QUEUE_BROKEN;
}

SluiceQueueClaim
sluice_queue_take (SluiceStore *store,
                   const SluiceTrainerOptions *options,
                   const SluiceQueueLimits *limits,
                   SluiceRunInfo **run,
                   SluiceTrainer **trainer,
                   GError **error)
{
  gint64 id;
  *run = NULL;
  *trainer = NULL;
  SluiceQueueLimits asking = *limits;
  asking.ask = ask_trial;
  SluiceQueueClaim claim = sluice_run_queue_claim (store, &asking, &id, error);
  if ((claim == SLUICE_QUEUE_SKIPPED || claim == SLUICE_QUEUE_DROPPED)
      && (*run = dup_info (store, id, error)) == NULL)
    return SLUICE_QUEUE_BROKEN;
  if (claim != SLUICE_QUEUE_CLAIMED)
    return claim;
  GError *failure = NULL;
  SluiceTrial trial;
  if (sluice_trial_judge (store, id, &trial, &failure))
    {
      /* Another program has trained it to its rung since it was asked for. */
      if (trial.fate == SLUICE_HALVING_WAITS || trial.fate == SLUICE_HALVING_DROPPED)
        return sluice_run_queue_settle (store, id, SLUICE_QUEUE_WAITS_AGAIN, NULL, error)
                   ? SLUICE_QUEUE_BUSY
                   : SLUICE_QUEUE_BROKEN;
      *trainer = make_trainer (store, options, id, trial.step, &failure);
    }
  if (*trainer == NULL)
    return refuse (store, id, failure, run, error);
  *run = dup_info (store, id, error);
  if (*run != NULL)
    return claim;
  g_clear_object (trainer);
  sluice_store_unlock_run (store, id);
  return SLUICE_QUEUE_BROKEN;
}

gboolean
sluice_queue_put_back (SluiceStore *store,
                       SluiceTrainer *trainer,
                       const GError *failure,
                       GError **error)
{
  SluiceProgress progress;
  gint64 run = sluice_trainer_get_run (trainer);
  sluice_trainer_get_progress (trainer, &progress);
  gboolean of_machine =
      sluice_trainer_is_put_off (trainer) || (failure != NULL && is_of_machine (store, failure));
  gboolean is_stopped =
      progress.state == SLUICE_RUN_STOPPED && !sluice_trainer_is_asked_to_stop (trainer);
  gboolean stays = of_machine || is_stopped;
  gboolean ok =
      sluice_run_queue_settle (store, run, stays ? SLUICE_QUEUE_WAITS_AGAIN : SLUICE_QUEUE_LEAVES,
                               NULL, of_machine ? NULL : error);
  if (of_machine)
    fail_to_wait (store, sluice_trainer_get_run_name (trainer), failure, error);
  return ok && !of_machine;
}
