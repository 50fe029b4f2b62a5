/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/*
 * Event files of any program become runs of a workspace. A folder that holds event files is a run,
 * as TensorBoard has it, and so is a file that is named by itself. So do tables of points, and runs
 * in the local folders of MLflow and W&B. What was read of each file is kept with the points in one
 * transaction: to import again adds what is new, and what was cut short goes on.
 */

/* May a file of that name be imported by itself? Event files of other names may, too. */
gboolean sluice_import_takes_name (const char *name);

typedef enum
{
  /* What a restarted program logs again takes the place of what it had logged before, by
   * TensorBoard's rule: of files of version 2 all from the step on at which a session log says
   * START; of older ones the tags of an event whose step is lower than one before, from it on. */
  SLUICE_OVERLAPS_DROP,
  SLUICE_OVERLAPS_KEEP,
} SluiceOverlaps;

typedef struct
{
  char *file;
  guint64 offset; /* of the record in the unpacked file */
  char *what;     /* in words of the user's language */
} SluiceDamage;

/* More of a run's damage is counted, not listed. */
#define SLUICE_IMPORT_MOST_DAMAGE 1000

/* What one call read of a run. */
typedef struct
{
  char *run;                              /* its name in the workspace */
  gint64 id;                              /* of the run; 0: nothing could be written */
  char *source;                           /* the folder, or the file */
  guint n_files;                          /* that there are */
  guint64 n_records;                      /* of files: that were read now, as the numbers below */
  guint64 n_of_kind[SLUICE_KIND_NUMBERS]; /* by SluiceSeriesKind */
  gboolean is_reread; /* a file was replaced by another one: all of the run was read anew */
  gboolean has_any;   /* of this run something was read, now or before */
  GPtrArray *damaged; /* of SluiceDamage */
  guint64 n_more_damaged;
} SluiceImportedRun;

typedef struct
{
  guint n_runs, n_runs_done;
  guint64 bytes, bytes_done; /* of files as they lie there */
  const char *run;           /* that is being read: what it would be named */
} SluiceImportProgress;

typedef struct
{
  SluiceOverlaps overlaps;
  gboolean follows; /* sluice_importer_run() is called again: a record that is cut off is not told
                       as damage, it may be one that is being written */
  GCancellable *cancellable; /* (nullable) */
  /* (nullable): on the caller's thread, some times a second */
  void (*progress) (const SluiceImportProgress *progress, gpointer data);
  gpointer progress_data;
} SluiceImportOptions;

typedef struct _SluiceImporter SluiceImporter;
SluiceImporter *sluice_importer_new (SluiceStore *store, const SluiceImportOptions *options);
void sluice_importer_free (SluiceImporter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceImporter, sluice_importer_free)

/**
 * sluice_importer_add:
 * @path: an event file or a table, or a folder that is searched with all below it
 *
 * Returns: %FALSE with NOT_FOUND where nothing is there, or no log is in it; INVALID_ARGUMENT where
 * a table has no points
 */
gboolean sluice_importer_add (SluiceImporter *self, const char *path, GError **error);

typedef gboolean (*SluiceImportedFunc) (const SluiceImportedRun *run,
                                        gpointer data,
                                        GError **error);
/**
 * sluice_importer_run:
 * @func: called after each run, when what it tells is committed; %FALSE ends the import
 *
 * Reads what is new in all that was added. To be called again: folders are searched again, files
 * that went away are none. Blocks; one thread at a time.
 *
 * Returns: %FALSE with the store's error, ABORTED where another program imports the same at the
 * same time, CANCELLED. What was committed stays
 */
gboolean
sluice_importer_run (SluiceImporter *self, SluiceImportedFunc func, gpointer data, GError **error);

/* (element-type filename) (transfer container): folders in which something new may appear. */
GPtrArray *sluice_importer_list_folders (SluiceImporter *self);
