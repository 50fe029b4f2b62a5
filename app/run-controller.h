/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "app/start-task.h"
#include "app/workspace.h"

/*
 * The UI's only face of the trainer: one run at a time, of one project. Every verb returns at once;
 * "changed" says that the state is another, "renamed" what sluice_run_controller_rename() was
 * given.
 */
#define SLUICE_TYPE_RUN_CONTROLLER (sluice_run_controller_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunController, sluice_run_controller, SLUICE, RUN_CONTROLLER, GObject)

typedef enum
{
  SLUICE_CONTROL_IDLE,     /* nothing under way: start makes a new run */
  SLUICE_CONTROL_STARTING, /* data and graph are being read */
  SLUICE_CONTROL_RUNNING,
  SLUICE_CONTROL_PAUSED,
  SLUICE_CONTROL_STOPPING, /* the checkpoint is being saved */
} SluiceControlState;

SluiceRunController *sluice_run_controller_new (SluiceWorkspace *workspace);

/* What is started next; a run under way goes on. */
void sluice_run_controller_set_project (SluiceRunController *self, const char *folder);
const char *sluice_run_controller_get_project (SluiceRunController *self); /* (nullable) */

SluiceControlState sluice_run_controller_get_state (SluiceRunController *self);
const GError *sluice_run_controller_get_failure (
    SluiceRunController *self); /* (nullable): of the last run or start */
/* What a run that has just begun may do with files, once: (transfer full) (nullable) */
char *sluice_run_controller_take_notice (SluiceRunController *self);
/* The run that one which has just begun will repeat to the last bit, once: (transfer full)
 * (nullable) */
char *sluice_run_controller_take_repeated (SluiceRunController *self);
/* The newest alert of the run under way or the last one, once: (transfer full) (nullable) */
char *sluice_run_controller_take_alert (SluiceRunController *self);
/* Folders that ops may use beside the workspace; of the process, which keeps them. (nullable) */
void sluice_run_controller_allow_files (const char *const *folders);
const char *const *sluice_run_controller_get_allowed_files (void); /* (nullable) */
/* Alerts of projects may run commands: of the process. */
void sluice_run_controller_allow_commands (gboolean allow);
/* The run under way, or the last one; 0: none yet. */
gint64 sluice_run_controller_get_run (SluiceRunController *self);
const char *sluice_run_controller_get_run_name (SluiceRunController *self); /* (nullable) */
/* FALSE: there was no run yet. */
gboolean sluice_run_controller_get_progress (SluiceRunController *self, SluiceProgress *progress);
/* (transfer full) (nullable) (element-type SluiceDeviceMemory): NULL: there is no run */
GArray *sluice_run_controller_dup_devices (SluiceRunController *self);
/* As sluice_trainer_record_memory(), of the run under way. */
void sluice_run_controller_record_memory (SluiceRunController *self, guint n);
/* (transfer full) (nullable) (element-type SluiceMemoryTape): NULL: there is no run */
GPtrArray *sluice_run_controller_dup_memory (SluiceRunController *self);
/* The run under way, or the last one, for who looks at its memory in a worker. (transfer full)
 * (nullable) */
SluiceTrainer *sluice_run_controller_dup_trainer (SluiceRunController *self);
/* Of what the progress' evaluation is: (nullable). */
const char *sluice_run_controller_get_evaluation_name (SluiceRunController *self);
/* Of the run under way or the last one, where it is of the project that is open: (nullable)
 * (transfer none). */
SluiceSession *sluice_run_controller_get_session (SluiceRunController *self);

void sluice_run_controller_start (SluiceRunController *self); /* a new run, or out of a pause */
/* A new run: all that is NULL or 0 is as usual. */
typedef struct
{
  const char *name;               /* NULL: a free one */
  const char *const *assignments; /* as sluice_project_set() takes them */
  const char *checkpoint;         /* with whose values its variables begin */
  gboolean partly;                /* those that it lacks keep their initial ones */
  gint64 parent, step;            /* it begins where that run stood at that step */
  const char *device;             /* where nodes stand that ask for none */
} SluiceNewRun;
/* Of the open project, or of the parent's. */
void sluice_run_controller_launch (SluiceRunController *self, const SluiceNewRun *how);
/**
 * sluice_run_controller_toggle_breakpoint:
 * @text: as sluice_breakpoint_parse() takes it
 *
 * Sets a breakpoint, for the run under way and those that are begun later, or removes it.
 *
 * Returns: is it set now?
 */
gboolean sluice_run_controller_toggle_breakpoint (SluiceRunController *self,
                                                  const char *text,
                                                  GError **error);
/* Those that are set: text -> number in the debugger of the run under way. (transfer none) */
GHashTable *sluice_run_controller_get_breakpoints (SluiceRunController *self);
/* Nodes of the graph that is open are called otherwise, a name -> the new one: breakpoints on them,
 * too. A run under way has the graph of its start, and stops where it did. */
void
sluice_run_controller_rename (SluiceRunController *self, SluiceGraph *graph, GHashTable *renamed);
/* Of the run under way: (nullable) (transfer none). "changed" tells of its stops. */
SluiceDebugger *sluice_run_controller_get_debugger (SluiceRunController *self);
/**
 * sluice_run_controller_put:
 * @text: as sluice_value_change() takes it; %NULL: takes the last change of this stop back
 *
 * Changes a value of the step that is stopped; the run says so, and is saved behind it.
 */
gboolean sluice_run_controller_put (SluiceRunController *self,
                                    const char *edge,
                                    const char *text,
                                    GError **error);
/* The first run of the queue that may begin; at its end it leaves the queue, or, where it was
 * stopped, waits there again. */
void sluice_run_controller_take_next (SluiceRunController *self);
/* What came of the last one. */
SluiceQueueClaim sluice_run_controller_get_claim (SluiceRunController *self);
/* Is the run under way one of the queue? */
gboolean sluice_run_controller_is_of_queue (SluiceRunController *self);
typedef enum
{
  SLUICE_RESUME_ACCEPTS_DATA = 1 << 0, /* its data files may have changed */
  SLUICE_RESUME_AUDITS = 1 << 1,       /* a step of its past is taken again first, and compared */
} SluiceResumeFlags;
/* From its newest checkpoint (from_step -1), from that of another step, or from the start (0): what
 * was logged later is forgotten. */
void sluice_run_controller_resume_run (SluiceRunController *self,
                                       const char *run,
                                       gint64 from_step,
                                       SluiceResumeFlags flags);
/* Was the last resume refused because data files have changed? */
gboolean sluice_run_controller_has_changed_data (SluiceRunController *self);
/* Goes on with them as that resume would have. */
void sluice_run_controller_accept_data (SluiceRunController *self);
/**
 * sluice_run_controller_edit:
 * @words: as SluiceGraphEdit.words
 *
 * The run under way, which is paused or has stopped within a step (that is given up), goes on with
 * another graph. Where it cannot it is paused with its own.
 *
 * Returns: %FALSE: there is none, or it is of the queue
 */
gboolean sluice_run_controller_edit (SluiceRunController *self,
                                     GBytes *graph,
                                     const char *words,
                                     GError **error);
/* Of the run under way or the last one: it is paused where it was before the last edit. */
gboolean sluice_run_controller_take_back_edit (SluiceRunController *self, GError **error);
typedef struct
{
  SluiceGraphEdited edited;
  gboolean took_back;
  GError *failure; /* (nullable) */
} SluiceEditOutcome;
/* What came of it, once; failure: (transfer full). FALSE: nothing new. */
gboolean sluice_run_controller_take_edited (SluiceRunController *self, SluiceEditOutcome *outcome);
/* How often a run has begun or gone on here. */
guint sluice_run_controller_get_n_begun (SluiceRunController *self);
void sluice_run_controller_pause (SluiceRunController *self);
/* Of the run under way, now. */
void sluice_run_controller_checkpoint (SluiceRunController *self);
/* run: (nullable): which one goes on where none is under way; NULL: a new one. */
void sluice_run_controller_step (SluiceRunController *self, const char *run, gint64 n);
void sluice_run_controller_stop (SluiceRunController *self);
/* The same, and waits until it is saved: for a program that ends now. */
void sluice_run_controller_finish (SluiceRunController *self);
