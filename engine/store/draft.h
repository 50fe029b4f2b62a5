/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <sqlite3.h>

#include "engine/store/run-queue.h"
#include "engine/store/store.h"

/*
 * A run comes into being as a whole or not at all: its folder is filled under a name that is no
 * run's, then the database gets all its rows in one transaction and the folder its number. Numbers
 * of folders that are there are never given out again, whether or not the database knows them.
 */
typedef struct _SluiceRunDraft SluiceRunDraft;

/* A folder to be filled, with an empty one for checkpoints in it. What programs that were killed
 * left of theirs goes. */
SluiceRunDraft *sluice_run_draft_new (SluiceStore *store, GError **error);
void sluice_run_draft_free (SluiceRunDraft *self); /* with the folder */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRunDraft, sluice_run_draft_free)
const char *sluice_run_draft_get_folder (SluiceRunDraft *self);

typedef struct
{
  GBytes *graph;              /* (nullable): GraphDef of info->graph_hash */
  const char *const *scalars; /* (nullable): tags of series that it has from the start */
  const char *checkpoint;     /* (nullable): that it begins with, relative to the folder */
  gint64 checkpoint_step;
  gsize checkpoint_bytes;
  const SluiceQueueNeeds *waits; /* (nullable): it stands last in the queue */
  const SluiceRecord *settings;  /* (nullable): what it begins with (kinds/hparams.h) */
  /* (nullable): writes what is to be in the folder once the run has its name. */
  gboolean (*write) (const char *folder, const SluiceRunInfo *info, gpointer data, GError **error);
  gpointer data;
} SluiceRunStart;

/**
 * sluice_run_draft_start:
 * @take_self: freed
 * @info: gets id and name, as sluice_store_add_run() gives them
 *
 * The run is locked, as by sluice_store_lock_run(). FALSE: nothing of it remains.
 */
gboolean sluice_run_draft_start (SluiceRunDraft *take_self,
                                 SluiceRunInfo *info,
                                 const SluiceRunStart *start,
                                 GError **error);

/* ---- several together ---- */

/* The folder of one more run, made as sluice_run_draft_new() makes one. (transfer full)
 * (nullable) */
char *sluice_run_draft_add_folder (SluiceRunDraft *self, GError **error);
/**
 * sluice_run_draft_start_all:
 * @take_self: freed
 * @infos: (element-type SluiceRunInfo): as many as folders were added, with the names that their
 *   files have; they get ids, and other names where those are taken
 * @starts: of each; write is called only for those whose names were taken
 *
 * They come together or not at all, with numbers that follow each other. None of them is locked
 * afterwards: they are such as wait.
 */
gboolean sluice_run_draft_start_all (SluiceRunDraft *take_self,
                                     GPtrArray *infos,
                                     const SluiceRunStart *starts,
                                     GError **error);

/* In a transaction: a number that neither the database nor a folder has; 0: error is set. What a
 * program left that was killed while several were to come together goes. */
gint64 sluice_store_next_run (SluiceStore *self, sqlite3 *db, GError **error);

/* Runs that have a folder and no row, because a database was lost: (transfer full) (element-type
 * gint64), ascending. */
GArray *sluice_store_dup_lost_runs (SluiceStore *store, GError **error);
/**
 * sluice_store_adopt_run:
 * @info: with its id; the name is made free
 * @checkpoints: (element-type SluiceCheckpointInfo): paths relative to the folder
 * @graph: (nullable)
 *
 * Rows for such a run, in one transaction.
 */
gboolean sluice_store_adopt_run (
    SluiceStore *store, SluiceRunInfo *info, GPtrArray *checkpoints, GBytes *graph, GError **error);
/* Row, points and folder of a run that is locked here. */
gboolean sluice_store_purge_run (SluiceStore *store, gint64 run, GError **error);
/* The same, if it is in the trash; FAILED_PRECONDITION where it is not. */
gboolean sluice_store_purge_deleted_run (SluiceStore *store, gint64 run, GError **error);
/* When a workspace is opened to be written: a purge that a program was killed over is finished, or
 * had not begun. */
void sluice_store_settle_purged (SluiceStore *store);
