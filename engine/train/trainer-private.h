/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "engine/store/run-control.h"
#include "engine/trace/memory-recorder.h"
#include "engine/train/alerts.h"
#include "engine/train/fit-trial.h"
#include "engine/train/project-changes.h"
#include "engine/train/checkpoint-folder.h"
#include "engine/train/flight-recorder.h"
#include "engine/train/measuring.h"
#include "engine/train/replica.h"
#include "engine/train/run-file.h"
#include "engine/train/step-rate.h"
#include "engine/train/stop-rule.h"
#include "engine/train/system-probe.h"
#include "engine/train/trainer.h"

#define SLUICE_RATE_TAG "system/steps-per-second"

/* What the controls asked for; the thread looks between steps. */
typedef enum
{
  WANT_RUN,
  WANT_PAUSE,
  WANT_STOP,
} Want;

struct _SluiceTrainer
{
  GObject parent;
  SluiceStore *store;
  SluiceProject *project;
  SluiceExamples *examples, *test; /* NULL: none */
  SluiceReplica *replica;
  SluiceFitTrial *fit;       /* (nullable): how it is fitted into its limit */
  SluiceDebugger *debugger;  /* of its steps */
  SluiceSchedule now;        /* what holds at this step; the trainer's thread, once it is started */
  gint64 next_change;        /* of the project's, after this step */
  SluiceRunControl *control; /* what others ask */
  SluiceCommand *asked;      /* (nullable): was obeyed, its answer is not written yet */
  char *answer;              /* of it */
  gboolean refused;
  double looked;       /* for what is asked, the last time: monotonic */
  SluiceRunFile *file; /* what the run's folder says of it */
  SluiceRunInfo *info; /* the trainer's thread, once it is started */
  SluiceRunLog *log;
  char *folder;   /* of the run */
  gint64 *series; /* of loss and fetches */
  gint64 *evaluation_series;
  gint64 cpu_series, memory_series, rate_series;
  SluiceSystemProbe *probe;
  gint64 probe_series[SLUICE_N_SYSTEM_VALUES]; /* 0: the machine does not tell it */
  double probe_before[SLUICE_N_SYSTEM_VALUES]; /* of counters: in earlier processes */
  gint64 best_series;                          /* by which the best checkpoints stay */
  gboolean best_is_max;
  gint64 stop_series; /* 0: no rule ends the run */
  SluiceStopRule stop_rule;
  gboolean runs_commands;
  gboolean (*waits_again) (SluiceStore *store, const GError *failure); /* (nullable) */
  gboolean is_put_off;          /* written before it has ended */
  gboolean is_asked_to_stop;    /* the same */
  SluiceAlerts *alerts;         /* (nullable): there are none */
  SluiceFlightRecorder *flight; /* (nullable): nothing is to be kept */
  gboolean is_not_finite;       /* the loss */
  double *scalars, *evaluation;
  SluiceStepRate rate;
  guint64 marked_logged; /* once so many are committed, all up to marked_step is */
  gint64 marked_step;
  gboolean has_lock;    /* of the run, against other trainers */
  gboolean ended_early; /* there are no more batches, or a rule ended it */
  char *stop_reason;    /* (nullable): of a rule; under the lock */
  gint64 until_step;    /* 0: the project's */
  _Atomic int gives_up; /* the step under way */
  SluiceMemoryRecorder
      *memory_recorder;         /* (nullable): nobody has asked for it yet; the trainer's thread */
  _Atomic gboolean wants_refit; /* fit_bytes and fit_slack, under lock */
  gsize fit_bytes;
  gint64 fit_slack;
  _Atomic guint memory_wanted;    /* steps whose memory is still to be recorded */
  double saved_seconds;           /* of training in this process up to the last checkpoint */
  double seconds_before;          /* of training in earlier processes */
  gint64 begin_step, came_to;     /* as sluice_trainer_get_begin() tells */
  double system_wall, system_cpu; /* at the last system point */
  SluiceMeasured *measured;       /* (nullable): by trainer-measure.c, as is measuring */
  SluiceMeasuring *measuring;
  double measure_seconds; /* between readings, at least; 0: after each step */
  double measure_next;    /* Unix seconds */
  gboolean has_thread;
  pthread_t thread;

  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t changed;
  Want want;
  gint64 steps_left; /* of a step command; -1: no limit */
  gboolean wants_checkpoint;
  GPtrArray *puts; /* of char *: in the step under way; (nullable) */
  gboolean started, ended;
  double phase_start; /* of the step under way, or of the saving: monotonic */
  SluiceProgress progress;
  GArray *devices;   /* of SluiceDeviceMemory */
  GPtrArray *memory; /* (nullable): of SluiceMemoryTape, oldest first */
  GError *error;
  void (*notify) (gpointer data);
  gpointer notify_data;
};

/* Unix seconds. */
double sluice_trainer_wall_now (void);
double sluice_trainer_monotonic_now (void);
void sluice_trainer_set_state (SluiceTrainer *self, SluiceRunState state);
gboolean sluice_trainer_write_info (SluiceTrainer *self, SluiceRunState state, GError **error);
void sluice_trainer_publish_progress (SluiceTrainer *self, double waited);

/* ---- between steps ---- */

/* Does what others ask, and waits while paused. Returns what is next: WANT_RUN or WANT_STOP. */
Want sluice_trainer_obey (SluiceTrainer *self);
/* Changes of this step take effect, each with an event. */
gboolean sluice_trainer_take_changes (SluiceTrainer *self, GError **error);
/* What holds at the step at which it begins. */
void sluice_trainer_begin_changes (SluiceTrainer *self);
/* Answers what was asked last, at the end; failure: (nullable): what ended the run. */
void sluice_trainer_answer (SluiceTrainer *self, const GError *failure);

/* FALSE: the loss is not finite, and the error says which node made it so. */
gboolean sluice_trainer_check_loss (SluiceTrainer *self, GError **error);
/* Once the run is to be written to: the last steps are kept. */
void sluice_trainer_begin_record (SluiceTrainer *self);
/* failure: (nullable) */
void sluice_trainer_record_end (SluiceTrainer *self, const GError *failure);

/* What the step under way left, where it is not there yet. */
gboolean sluice_trainer_save_checkpoint (SluiceTrainer *self, GError **error);
/* The series of such a name; 0: there is none, and error says which there are, behind what. */
gint64 sluice_trainer_find_series (
    char **tags, const gint64 *ids, const char *name, const char *what, GError **error);
/* Which of the run's series tells the best checkpoints: tags and their ids. */
gboolean
sluice_trainer_find_best (SluiceTrainer *self, char **tags, const gint64 *ids, GError **error);
/* Of the file that was saved for a step; with it go the checkpoints that are neither new, best nor
   pinned. A program that is killed in between leaves files that no row knows. */
gboolean
sluice_trainer_publish_checkpoint (SluiceTrainer *self, gint64 step, gsize bytes, GError **error);
/* Those files. One that is newer than all rows may be of a database that was put back, and is left.
 */
gboolean sluice_trainer_remove_strays (SluiceTrainer *self, GError **error);
/* The series that rules and alerts speak of. */
gboolean
sluice_trainer_begin_rules (SluiceTrainer *self, char **tags, const gint64 *ids, GError **error);
/* A scalar of the run, which rules and alerts look at. */
void sluice_trainer_log_point (
    SluiceTrainer *self, gint64 series, gint64 step, double wall, double value);
/* Nobody is alerted any more; what was becomes events. */
void sluice_trainer_end_rules (SluiceTrainer *self);
/* Takes one step of the past again and compares it with what was logged. *said: (out) (transfer
 * full): what came out. */
gboolean
sluice_trainer_audit (SluiceTrainer *self, GPtrArray *checkpoints, char **said, GError **error);
/* What the machine tells, as series beside the loss, twice a second. tags: gets their names. */
void sluice_trainer_add_system_tags (SluiceTrainer *self, GStrvBuilder *tags);
/* ids: of these, in order. */
gboolean sluice_trainer_begin_system (SluiceTrainer *self, const gint64 *ids, GError **error);
/* FALSE where it was not time. */
gboolean sluice_trainer_log_system (SluiceTrainer *self);
/* What nodes take goes into the table of what was measured, now and then; wall: Unix seconds. */
void sluice_trainer_measure (SluiceTrainer *self, double wall);
/* At the step that the project names, with an event: nodes stand where they are quickest by what
 * was measured until then. FALSE: the steps cannot be planned so */
gboolean sluice_trainer_place_again (SluiceTrainer *self, GError **error);
/* The table is kept. */
void sluice_trainer_end_measuring (SluiceTrainer *self);
/* What a run begins with, as TensorBoard looks for hyper-parameters: also the promoted parameters,
   with what they were given or the constant that the graph has. (transfer full) */
SluiceRecord *sluice_trainer_new_settings (const SluiceProject *project, SluiceGraph *graph);
/* Data, graph, run and log of a trainer whose store and project are set: a new run, or one that
   goes on from a checkpoint. */
gboolean
sluice_trainer_begin (SluiceTrainer *self, const SluiceTrainerOptions *options, GError **error);

/* trainer-memory.c: one step of training, as sluice_replica_step(); its memory is recorded where
 * somebody asked for that. */
gboolean sluice_trainer_run_step (SluiceTrainer *self,
                                  SluiceTensor **summary,
                                  const SluiceRunOptions *options,
                                  GError **error);
void sluice_trainer_end_memory (SluiceTrainer *self);
