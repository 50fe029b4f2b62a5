/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/store/kind.h"

/*
 * The run store: one SQLite database (sluice.db, WAL) a workspace. What training logs goes through
 * a bounded queue to one writer thread and is committed at least every 200 ms; what is acknowledged
 * is committed. Readers have connections of their own and never wait for the writer.
 */
#define SLUICE_TYPE_STORE (sluice_store_get_type ())
G_DECLARE_FINAL_TYPE (SluiceStore, sluice_store, SLUICE, STORE, GObject)

typedef enum
{
  SLUICE_RUN_DRAFT,
  SLUICE_RUN_RUNNING,
  SLUICE_RUN_PAUSED,
  SLUICE_RUN_STOPPED, /* by the user, resumable */
  SLUICE_RUN_FINISHED,
  SLUICE_RUN_FAILED,  /* message says why */
  SLUICE_RUN_CRASHED, /* its process went away: nobody holds its lock; resumable */
  SLUICE_RUN_WAITING, /* in the queue (engine/store/run-queue.h) */
} SluiceRunState;
const char *sluice_run_state_name (SluiceRunState state); /* "running", translatable with _() */

typedef struct
{
  gint64 id;
  char *name;    /* unique in the workspace */
  char *project; /* name of the project */
  SluiceRunState state;
  gint64 step, n_steps;
  guint64 seed;
  double created, started, ended; /* Unix seconds; 0: not yet */
  double seconds; /* of training so far, pauses left out: right after a resume too */
  char *graph_hash;
  char *message;     /* (nullable): why it failed, or ended before its last step, in words; of a
                        draft of several runs, how many of what: "3 × 2" */
  char *failed_node; /* (nullable): at which node it failed */
  /* What people say of it; sluice_store_update_run() leaves it as it is (engine/store/runs.h). */
  char *notes; /* (nullable): Markdown */
  char *group; /* (nullable): what it belongs to, as a sweep */
  char **tags; /* (nullable): in order, none twice */
  gboolean is_starred;
  char *color; /* (nullable): "#3584e4", where somebody chose one; else it goes by the number */
  gint64 parent, parent_step; /* the run that it was forked from, and where; 0: none */
  double deleted;             /* since when it is in the trash; 0: it is not */
} SluiceRunInfo;
SluiceRunInfo *sluice_run_info_copy (const SluiceRunInfo *self);
void sluice_run_info_free (SluiceRunInfo *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRunInfo, sluice_run_info_free)

typedef struct
{
  gint64 id; /* 0: of events, which are the run's */
  gint64 run;
  char *tag; /* "loss", "evaluation/accuracy", "system/cpu"; of events their kind */
  SluiceSeriesKind kind;
  gint64 n_points;
  gint64 first_step, last_step; /* the least and the greatest */
  guint n_segments;             /* more than 1: steps come twice or go back, in an imported log */
  double last_value, last_wall; /* of a scalar */
} SluiceSeriesInfo;
void sluice_series_info_free (SluiceSeriesInfo *self);

typedef struct
{
  gint64 step;
  double wall; /* Unix seconds */
  double value;
} SluiceScalar;

/**
 * sluice_store_open:
 * @workspace: a folder; made where it is missing, with sluice.db and runs/
 *
 * Opening after a crash needs no repair: runs whose process is gone are told as CRASHED. A database
 * of an older version is brought up to date, after a copy of it was made beside it.
 *
 * Returns: (transfer full): %NULL with PERMISSION_DENIED (read-only), FAILED_PRECONDITION (a newer
 * version), UNAVAILABLE (locked by another program), DATA_LOSS (not a database), RESOURCE_EXHAUSTED
 * (disk full)
 */
SluiceStore *sluice_store_open (const char *workspace, GError **error);

#define SLUICE_STORE_PATIENCE 30.0 /* seconds */

typedef struct
{
  gboolean read_only;  /* nothing is made, changed or left; what writes fails */
  gboolean must_exist; /* no new workspace: what is meant may be another one */
  void (*waits) (const char *database, gpointer data); /* (nullable): told once, on any thread,
                                                          when another program has held the database
                                                          for a second */
  gpointer waits_data;
} SluiceStoreOptions;
/**
 * sluice_store_open_with:
 *
 * sluice_store_open() waits for other programs for up to SLUICE_STORE_PATIENCE, and so does what
 * is written until sluice_store_set_patience() says otherwise.
 *
 * Returns: as sluice_store_open(); %NULL with NOT_FOUND (no workspace there, where one must be),
 * FAILED_PRECONDITION (another program's database)
 */
SluiceStore *
sluice_store_open_with (const char *workspace, const SluiceStoreOptions *options, GError **error);
/* How long what is written waits for other programs before it fails with UNAVAILABLE: who trains
 * is to know soon, and goes on trying. */
void sluice_store_set_patience (SluiceStore *self, double seconds);
const char *sluice_store_get_workspace (SluiceStore *self);
/* "runs/<id>" under the workspace. (transfer full) */
char *sluice_store_dup_run_folder (SluiceStore *self, gint64 run);

/* ---- runs ---- */

/* info->name NULL or taken: a free one is made from it ("digits-mlp-2"). Sets info->id and name. */
gboolean sluice_store_add_run (SluiceStore *self, SluiceRunInfo *info, GError **error);
/* Writes what a trainer knows: neither id and name nor what people say of it. */
gboolean sluice_store_update_run (SluiceStore *self, const SluiceRunInfo *info, GError **error);
/* By name, by number, or by "#" and its number. NOT_FOUND suggests similar ones, and says where it
 * is in the trash. */
SluiceRunInfo *sluice_store_dup_run (SluiceStore *self, const char *name_or_id, GError **error);
/* What a run would be called that is made now under this name. (transfer full) (nullable) */
char *sluice_store_dup_free_name (SluiceStore *self, const char *name, GError **error);
/* The same of the runs in the trash. */
SluiceRunInfo *
sluice_store_dup_deleted_run (SluiceStore *self, const char *name_or_id, GError **error);
GPtrArray *
sluice_store_dup_runs (SluiceStore *self, GError **error); /* of SluiceRunInfo, newest first */
gboolean sluice_store_delete_run (SluiceStore *self,
                                  gint64 run,
                                  GError **error); /* to the trash of the workspace */
gboolean
sluice_store_restore_run (SluiceStore *self, gint64 run, GError **error); /* out of the trash */
/* Only one process trains a run at a time: an advisory lock that dies with the process. */
gboolean sluice_store_lock_run (SluiceStore *self, gint64 run, GError **error);
void sluice_store_unlock_run (SluiceStore *self, gint64 run);

/* ---- writing: from the training thread ---- */

/* What one run logs. One thread writes to it. */
typedef struct _SluiceRunLog SluiceRunLog;
SluiceRunLog *sluice_store_open_log (SluiceStore *self, gint64 run, GError **error);
/* Commits what is queued, then frees. */
gboolean sluice_run_log_close (SluiceRunLog *self, GError **error);

/* A series of the run by tag, made where there is none. Cheap after the first call. -1: error is
 * set. */
gint64
sluice_run_log_series (SluiceRunLog *self, const char *tag, SluiceSeriesKind kind, GError **error);

/* About a microsecond; never blocks, never drops. A point of a (series, step) that is there
 * replaces it. */
void
sluice_run_log_scalar (SluiceRunLog *self, gint64 series, gint64 step, double wall, double value);
/**
 * sluice_run_log_record:
 * @series: of the record's kind
 * @take: (transfer full): a record of any kind but scalar
 *
 * Queued behind points; a record of a (series, step) that is there is replaced.
 */
void sluice_run_log_record (SluiceRunLog *self, gint64 series, SluiceRecord *take);
/* SummaryMetadata that the series came with, for whoever exports it. Cheap after the first call for
 * a series: what came first stays. */
gboolean
sluice_run_log_set_metadata (SluiceRunLog *self, gint64 series, GBytes *metadata, GError **error);
/* "checkpoint", "resume", "pause", "failed", "learning-rate 0.1 to 0.03" …: drawn as marks in
 * charts. */
void sluice_run_log_event (
    SluiceRunLog *self, gint64 step, double wall, const char *kind, const char *text);

/* Queued values, and bytes of queued records, beyond which the end of a step waits. */
#define SLUICE_STORE_QUEUE       (1 << 18)
#define SLUICE_STORE_QUEUE_BYTES ((gsize) 64 << 20)

/**
 * sluice_run_log_end_step:
 *
 * Call between steps. Waits while more is queued than SLUICE_STORE_QUEUE, or records of more than
 * SLUICE_STORE_QUEUE_BYTES; what it waited is in *waited_seconds.
 *
 * Returns: %FALSE with the writer's error (disk full …): what was acknowledged is safe, the rest is
 * still queued and is written when the next call succeeds
 */
gboolean sluice_run_log_end_step (SluiceRunLog *self, double *waited_seconds, GError **error);
/* Waits until everything logged so far is committed. */
gboolean sluice_run_log_flush (SluiceRunLog *self, GError **error);
guint64 sluice_run_log_get_n_logged (SluiceRunLog *self);
guint64 sluice_run_log_get_n_committed (SluiceRunLog *self);

/**
 * sluice_run_log_publish_checkpoint:
 * @path: relative to the run's folder
 * @forgotten: (nullable) (element-type gint64): steps of checkpoints that go as this one comes, but
 *   for those that somebody has pinned meanwhile; their files are the caller's
 *
 * A checkpoint becomes visible only here, after the scalars up to its step: flushes, then records
 * it.
 */
gboolean sluice_run_log_publish_checkpoint (SluiceRunLog *self,
                                            gint64 step,
                                            const char *path,
                                            gsize bytes,
                                            GArray *forgotten,
                                            GError **error);
/* Forgets points, events and checkpoints after a step: a run resumed from an older checkpoint. */
gboolean sluice_run_log_truncate (SluiceRunLog *self, gint64 after_step, GError **error);

/* ---- reading: any thread, in a worker for anything long ---- */

/* Series of every kind. (element-type SluiceSeriesInfo): by tag */
GPtrArray *sluice_store_dup_series (SluiceStore *self, gint64 run, GError **error);
/* The same at a cost that does not grow with what the series hold, some microseconds each: the
 * n_points of one of a single segment are 1 where it has any, and there are no events. */
GPtrArray *sluice_store_dup_extents (SluiceStore *self, gint64 run, GError **error);
/* (transfer full) (nullable): one of them. *found: (out): NULL where there is none of that id. */
gboolean sluice_store_dup_extent (
    SluiceStore *self, gint64 run, gint64 series, SluiceSeriesInfo **found, GError **error);
/* (transfer full): gint64 run -> gint64, a number that grows with each commit that changed what the
 * run recorded: series, points, records, events. Runs without any are not in it. */
GHashTable *sluice_store_dup_changes (SluiceStore *self, GError **error);
/* A number that is another one where anybody, in this program or another, committed anything since
 * it was asked for last. */
gboolean sluice_store_read_version (SluiceStore *self, gint64 *version, GError **error);
/* *metadata: (out) (nullable) (transfer full): what sluice_run_log_set_metadata() kept. */
gboolean
sluice_store_dup_metadata (SluiceStore *self, gint64 series, GBytes **metadata, GError **error);

typedef gboolean (*SluiceRecordFunc) (const SluiceRecord *record, gpointer data, GError **error);
/* Steps [from, to], both included. */
typedef struct
{
  gint64 from, to;
} SluiceStepRange;
/**
 * sluice_store_each_record:
 * @func: called with each record of the range, in order of steps, a point as SluiceScalarRecord;
 *   %FALSE ends it
 *
 * Of any kind; the whole series is never in memory.
 */
gboolean sluice_store_each_record (SluiceStore *self,
                                   const SluiceSeriesInfo *series,
                                   const SluiceStepRange *range,
                                   SluiceRecordFunc func,
                                   gpointer data,
                                   GError **error);
/* (element-type SluiceRecord): those of step >= from_step, thinned evenly where there are more than
 * max; the last one is always among them. Of kinds with a table of their own: not of scalars. */
GPtrArray *sluice_store_read_records (
    SluiceStore *self, const SluiceSeriesInfo *series, gint64 from_step, guint max, GError **error);

/* Points of step >= from_step, in order of steps, those of one step as they came; appended to
 * points. No more than max, but all of the last step. */
gboolean sluice_store_read_points (
    SluiceStore *self, gint64 series, gint64 from_step, gsize max, GArray *points, GError **error);

/* The points of the chunk that holds a step, or of the next one, whole; appended to points. None:
 * there is nothing from that step on. Some ten microseconds where the disk's cache has it. Of a
 * series of several segments: points from the step on. */
gboolean sluice_store_read_chunk (
    SluiceStore *self, gint64 series, gint64 step, GArray *points, GError **error);

/* (element-type SluiceEvent) */
GPtrArray *sluice_store_read_events (SluiceStore *self, gint64 run, GError **error);
/* Up to where the events of a run were read; zeroed: none of them. */
typedef struct
{
  gint64 n, last; /* how many, and the greatest of the numbers by which they came */
  double steps;   /* the sum of theirs: tells one that took the place of another */
} SluiceEventMark;
/* (element-type SluiceEvent): those that came since the mark, in the order in which they came; the
 * mark moves on. *anew: (out): some are gone, and these are all there are. */
GPtrArray *sluice_store_read_new_events (
    SluiceStore *self, gint64 run, SluiceEventMark *mark, gboolean *anew, GError **error);

typedef struct
{
  gint64 step;
  double wall;
  char *path; /* absolute */
  gsize bytes;
  gboolean is_pinned;
} SluiceCheckpointInfo;
void sluice_checkpoint_info_free (SluiceCheckpointInfo *self);
GPtrArray *
sluice_store_read_checkpoints (SluiceStore *self, gint64 run, GError **error); /* newest last */

/* Graphs by hash, stored once: GraphDef bytes. */
gboolean
sluice_store_put_graph (SluiceStore *self, const char *hash, GBytes *graph, GError **error);
GBytes *sluice_store_get_graph (SluiceStore *self, const char *hash, GError **error);

/**
 * sluice_store_set_notify:
 * @func: called on the writer's thread after a commit that added something, at most once until
 *   sluice_store_rearm(): the UI posts one source to its main loop and reads there. It may call the
 *   store
 *
 * Returns when no call of the function that was set before is under way, unless that call is whose
 * thread this is.
 */
void sluice_store_set_notify (SluiceStore *self, void (*func) (gpointer data), gpointer data);
void sluice_store_rearm (SluiceStore *self);
