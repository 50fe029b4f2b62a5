/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/store/store.h"
#include "engine/trace/memory-tape.h"
#include "engine/train/project.h"

/*
 * Trains a project: a thread of its own drives a session, batches are made on another, and
 * everything is logged to the store. All calls may be made from any thread and return at once, but
 * for wait. No signal is emitted off the main thread: a UI polls sluice_trainer_get_progress(),
 * which takes no engine lock, when the store or its frame clock tells it to.
 */
#define SLUICE_TYPE_TRAINER (sluice_trainer_get_type ())
G_DECLARE_FINAL_TYPE (SluiceTrainer, sluice_trainer, SLUICE, TRAINER, GObject)

typedef struct
{
  const char *run_name; /* (nullable) */
  const char *resume;   /* (nullable): name or id of a run to go on with */
  gboolean holds_lock;  /* the caller has the lock of that run, and keeps it */
  /* (nullable): is the failure none of the run's? Then the run's row says that it waits. */
  gboolean (*waits_again) (SluiceStore *store, const GError *failure);
  gboolean goes_back; /* to the checkpoint of from_step, or to the start where that is 0: what was
                         logged after it is forgotten. Else from the newest one */
  gint64 from_step;
  gboolean audits;                /* a run that goes on takes one step of its past again first, and
                                     is refused where its loss is another one */
  gboolean accept_changed_data;   /* a resumed run's files may be other ones than they were */
  gboolean *has_changed_data;     /* (out) (nullable): TRUE where it is refused because they are */
  void (*begins) (gpointer data); /* (nullable): just before anything is written: from here on the
                                     run is to be stopped, not killed */
  gpointer begins_data;
  const char
      *init_from; /* (nullable): a checkpoint whose values a new run's variables begin with */
  gboolean
      init_partly; /* those that it lacks, or has in another shape, keep their initial values */
  const SluiceSessionOptions *host; /* (nullable): of whose options those of the machine count */
  gboolean start_paused;
  gint64 until_step; /* evaluated, saved and stopped there; 0: trained to its end */
  /* (nullable): folders whose files ops of the graph may read and write, beside the workspace; the
   * project's may be read */
  const char *const *allow_files;
  gboolean runs_commands; /* alerts may run the commands that the project names */
} SluiceTrainerOptions;

/* Loads graph and data, makes the run. project: (transfer full) with overrides applied. NULL: error
   says what is wrong with which file, key, node or shape; nothing is left behind, and a run to be
   resumed is as it was. A checkpoint that is damaged or gone is DATA_LOSS or NOT_FOUND and names
   the newest whole one; data that have changed are FAILED_PRECONDITION. */
SluiceTrainer *sluice_trainer_new (SluiceStore *store,
                                   SluiceProject *project,
                                   const SluiceTrainerOptions *options,
                                   GError **error);

/* Where the system gives no thread for it, the run fails at once, as sluice_trainer_wait() tells.
 */
void sluice_trainer_start (SluiceTrainer *self);
void sluice_trainer_pause (SluiceTrainer *self);          /* in place, after the step under way */
void sluice_trainer_step (SluiceTrainer *self, gint64 n); /* n steps, then paused again */
void sluice_trainer_resume (SluiceTrainer *self);         /* out of a pause */
/* After the step under way, or in the pause; a run that cannot be saved now goes on, with an event.
 */
void sluice_trainer_checkpoint (SluiceTrainer *self);
void sluice_trainer_stop (SluiceTrainer *self); /* saves a checkpoint, then ends; resumable */
/* Somebody has changed a value of the step that is stopped (sluice_debugger_put()): an event of
 * that step says so, and it is saved, since it cannot be taken again. words: (nullable): the last
 * of them was taken back */
void sluice_trainer_note_put (SluiceTrainer *self, const char *words);
/* Before it starts: what was put in the place of values of a run that has ended stays there, though
 * the graph is another one; events say so. */
void sluice_trainer_keep_injected (SluiceTrainer *self, SluiceTrainer *before);
/* The same as a stop, but a step under way is given up, where it stands at a breakpoint, too: the
 * run ends at the step before, as one that was killed there. */
void sluice_trainer_give_up_step (SluiceTrainer *self);
/* Waits for the end. FALSE with the error that ended it. */
gboolean sluice_trainer_wait (SluiceTrainer *self, GError **error);
/* After that: did it end by a failure that waits_again() takes for none of the run's? */
gboolean sluice_trainer_is_put_off (SluiceTrainer *self);
/* The same: did somebody ask this very run to stop (run-control.h)? */
gboolean sluice_trainer_is_asked_to_stop (SluiceTrainer *self);

typedef struct
{
  SluiceRunState state;
  gint64 step, n_steps;
  double loss;                    /* NAN before the first step */
  double steps_per_second;        /* recent */
  double eta_seconds, eta_margin; /* -1: not known yet. From this process's own steps, evaluation
                                     and saving included */
  double seconds;                 /* of training, over all resumes */
  gboolean waits;      /* for the store: its queue is full, or another program holds its database */
  double wait_seconds; /* spent so */
  double evaluation;   /* the first evaluation's last value, NAN before */
  gint64 last_checkpoint; /* step, -1: none */
  gboolean saves;         /* a checkpoint is being written */
  double phase_seconds;   /* so long it has been, or else the step under way; usual: so long it took
                             before */
  double usual_step_seconds, usual_save_seconds; /* -1: not known yet */
  gint64 committed_step;                         /* all that was logged up to it is committed */
  guint64 n_logged, n_committed;                 /* points, of this process */
  guint64 n_before;   /* that a run which goes on has up to the step where it does */
  double cpu_load;    /* 0 to 1, of all cores, this process */
  gsize memory_bytes; /* live on the devices */
} SluiceProgress;
void sluice_trainer_get_progress (SluiceTrainer *self, SluiceProgress *progress);

/* The memory of a device, between two steps. */
typedef struct
{
  const char *name; /* "SIM:0"; lives as long as the trainer's session */
  gsize live_bytes, peak_bytes;
  gsize reserved_bytes; /* held from the system, or of the device's */
  gsize limit_bytes;    /* 0: what the machine has */
  gboolean may_move;    /* what is not in use leaves it where room lacks */
  gsize away_bytes;     /* that has, and is in the host's memory */
} SluiceDeviceMemory;
/* (transfer full) (element-type SluiceDeviceMemory): as they were looked at last; of none before
 * the first step has ended. */
GArray *sluice_trainer_dup_devices (SluiceTrainer *self);

/* The memory of the next @n steps is recorded: so many from now, not in addition. Without it a step
 * costs nothing more than looking here. */
void sluice_trainer_record_memory (SluiceTrainer *self, guint n);
/* What was recorded, oldest first: of each step a tape a device. After a failure for lack of memory
 * also what was live where the request was refused. The oldest go. (transfer full) (element-type
 * SluiceMemoryTape) */
GPtrArray *sluice_trainer_dup_memory (SluiceTrainer *self);

/* (nullable): how its steps were fitted into the project's limit; fit-trial.h */
typedef struct _SluiceFitTrial SluiceFitTrial;
const SluiceFitTrial *sluice_trainer_get_fit (SluiceTrainer *self);

/* As sluice_replica_study_fit(), of its steps; valid while the trainer is. From any thread. */
typedef struct _SluiceFitStudy SluiceFitStudy;
SluiceFitStudy *sluice_trainer_study_fit (SluiceTrainer *self, GError **error);
/* From the next step on they are fitted so: as sluice_replica_refit(). */
void sluice_trainer_refit (SluiceTrainer *self, gsize bytes, gint64 slack);

/* Why it ended before its last step, though nothing failed: (transfer full) (nullable). */
char *sluice_trainer_dup_reason (SluiceTrainer *self);
/* How many alerts were given, and the last one: (out) (transfer full) (nullable). */
guint sluice_trainer_get_last_alert (SluiceTrainer *self, char **text);
gint64 sluice_trainer_get_run (SluiceTrainer *self);
/* The step that it began after, and the one that its run had come to: more where it was killed
 * after its newest checkpoint, or goes back. Both 0 for a new run. */
void sluice_trainer_get_begin (SluiceTrainer *self, gint64 *step, gint64 *came_to);
const char *sluice_trainer_get_run_name (SluiceTrainer *self);
SluiceSession *sluice_trainer_get_session (SluiceTrainer *self);
/* Stops the training steps, not evaluations (engine/runtime/debug/debugger.h): a stopped step has
 * begun, and what is asked of the trainer waits for its end, but for a stop, which lets it go on to
 * its end without another one. Time at a breakpoint is none of training. */
SluiceDebugger *sluice_trainer_get_debugger (SluiceTrainer *self);
SluiceGraph *sluice_trainer_get_graph (SluiceTrainer *self);
const SluiceProject *sluice_trainer_get_project (SluiceTrainer *self);
/* Called on the trainer's thread when the state changes, and on another one when an alert was
 * given; a UI posts a source from it. */
void sluice_trainer_set_notify (SluiceTrainer *self, void (*func) (gpointer data), gpointer data);
