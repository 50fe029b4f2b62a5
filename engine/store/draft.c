/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/draft.h"
#include "engine/store/run-control.h"
#include "engine/store/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/file.h"
#include "engine/store/import-private.h"
#include "engine/store/store-private.h"

#define DRAFT_PREFIX ".new-"

struct _SluiceRunDraft
{
  SluiceStore *store;
  char *folder;
  int lock; /* -1: the store has it */
};

/* ---- folders ---- */

static int
remove_entry (const char *path, const struct stat *info, int type, struct FTW *at)
{
  return remove (path);
}

/* Links are removed, not followed. */
static void
remove_folder (const char *path)
{
  nftw (path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static char *
dup_runs_folder (SluiceStore *store)
{
  return g_build_filename (sluice_store_get_workspace (store), "runs", NULL);
}

/* The number that the name of a folder is; 0: it is none. */
static gint64
run_of_name (const char *name)
{
  gint64 run;
  return *name >= '1' && *name <= '9'
                 && g_ascii_string_to_signed (name, 10, 1, G_MAXINT64 - 1, &run, NULL)
             ? run
             : 0;
}

/* All numbers below runs/. (transfer full) */
static GArray *
list_folders (SluiceStore *store)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree char *path = dup_runs_folder (store);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      gint64 run = run_of_name (name);
      if (run != 0)
        g_array_append_val (runs, run);
    }
  return runs;
}

/* -1: somebody else holds it, or errno says why. */
static int
take_lock (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "lock", NULL);
  int fd = g_open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  if (fd >= 0 && fcntl (fd, F_OFD_SETLK, &whole) != 0)
    {
      int number = errno;
      close (fd);
      errno = number;
      fd = -1;
    }
  return fd;
}

/* Of processes that are gone: nobody holds the lock of a draft that has one. */
static void
remove_stale (const char *runs)
{
  g_autoptr (GDir) dir = g_dir_open (runs, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (runs, name, NULL);
      g_autofree char *lock = g_build_filename (path, "lock", NULL);
      if (!g_str_has_prefix (name, DRAFT_PREFIX) || !g_file_test (lock, G_FILE_TEST_EXISTS))
        continue;
      int fd = take_lock (path);
      if (fd < 0)
        continue;
      remove_folder (path);
      close (fd);
    }
}

/* Somebody who looks for what is stale may find the folder between its making and its locking: then
 * it is not there any more, or that one has the lock. */
static gboolean
is_ours (const char *folder, int lock)
{
  g_autofree char *path = g_build_filename (folder, "lock", NULL);
  struct stat there, held;
  return lock >= 0 && stat (path, &there) == 0 && fstat (lock, &held) == 0
         && there.st_ino == held.st_ino && there.st_dev == held.st_dev;
}

/* *lock: -1 where somebody took it for stale. */
static gboolean
make_folder (const char *runs, char **folder, int *lock, GError **error)
{
  g_autofree char *path = g_build_filename (runs, DRAFT_PREFIX "XXXXXX", NULL);
  *lock = -1;
  if (g_mkdtemp_full (path, 0777) == NULL)
    return sluice_file_fail (error, errno, "no folder for a run can be made in '%s'", runs);
  int fd = take_lock (path);
  if (fd < 0 && errno != EAGAIN && errno != EACCES && errno != ENOENT)
    {
      int number = errno;
      remove_folder (path);
      return sluice_file_fail (error, number, "the folder of a run, '%s', cannot be locked", path);
    }
  if (is_ours (path, fd))
    {
      *folder = g_steal_pointer (&path);
      *lock = fd;
    }
  else if (fd >= 0)
    close (fd);
  return TRUE;
}

SluiceRunDraft *
sluice_run_draft_new (SluiceStore *store, GError **error)
{
  g_autofree char *runs = dup_runs_folder (store);
  remove_stale (runs);
  g_autoptr (SluiceRunDraft) self = g_new0 (SluiceRunDraft, 1);
  self->lock = -1;
  self->store = g_object_ref (store);
  while (self->lock < 0)
    if (!make_folder (runs, &self->folder, &self->lock, error))
      return NULL;
  g_autofree char *checkpoints = g_build_filename (self->folder, "checkpoints", NULL);
  if (g_mkdir (checkpoints, 0777) == 0)
    return g_steal_pointer (&self);
  sluice_file_fail (error, errno, "the folder of a run, '%s', cannot be filled", self->folder);
  return NULL;
}

void
sluice_run_draft_free (SluiceRunDraft *self)
{
  if (self->folder != NULL)
    remove_folder (self->folder);
  if (self->lock >= 0)
    close (self->lock);
  g_clear_object (&self->store);
  g_free (self->folder);
  g_free (self);
}

const char *
sluice_run_draft_get_folder (SluiceRunDraft *self)
{
  return self->folder;
}

/* ---- numbers ---- */

gint64
sluice_store_next_run (SluiceStore *store, sqlite3 *db, GError **error)
{
  gint64 last;
  sqlite3_stmt *row = sluice_sql_prepare (db, error, "SELECT coalesce (max (id), 0) FROM runs", "");
  if (!sluice_sql_take_number (db, row, &last, error))
    return 0;
  g_autoptr (GArray) folders = list_folders (store);
  for (guint i = 0; i < folders->len; i++)
    last = MAX (last, g_array_index (folders, gint64, i));
  return last + 1;
}

/* ---- starting ---- */

typedef struct
{
  SluiceRunDraft *draft;
  SluiceRunInfo *info;
  const SluiceRunStart *start;
  char *folder; /* the run's, once the draft has become it */
} StartRequest;

static gboolean
insert_checkpoint (
    sqlite3 *db, gint64 run, gint64 step, const char *path, gsize bytes, GError **error)
{
  return sluice_sql_change (
      db, error, "INSERT INTO checkpoints (run, step, wall, path, bytes) VALUES (?, ?, ?, ?, ?)",
      "iidsi", run, step, g_get_real_time () * 1e-6, path, (gint64) bytes);
}

static gboolean
insert_rows (sqlite3 *db, StartRequest *r, GError **error)
{
  SluiceRunInfo *info = r->info;
  const SluiceRunStart *start = r->start;
  if (start->graph != NULL
      && !sluice_store_insert_graph (db, info->graph_hash, start->graph, error))
    return FALSE;
  if (!sluice_store_insert_run (r->draft->store, db, info, error)
      || (start->waits != NULL && !sluice_run_queue_insert (db, info->id, start->waits, error)))
    return FALSE;
  for (guint i = 0; start->scalars != NULL && start->scalars[i] != NULL; i++)
    if (!sluice_sql_change (db, error,
                            "INSERT OR IGNORE INTO series (run, tag, kind) VALUES (?, ?, ?)", "isi",
                            info->id, start->scalars[i], (gint64) SLUICE_SERIES_SCALAR))
      return FALSE;
  return start->checkpoint == NULL
         || insert_checkpoint (db, info->id, start->checkpoint_step, start->checkpoint,
                               start->checkpoint_bytes, error);
}

static gboolean
start_run (sqlite3 *db, gpointer data, GError **error)
{
  StartRequest *r = data;
  if (!insert_rows (db, r, error)
      || (r->start->write != NULL
          && !r->start->write (r->draft->folder, r->info, r->start->data, error)))
    return FALSE;
  g_autofree char *folder = sluice_store_dup_run_folder (r->draft->store, r->info->id);
  if (rename (r->draft->folder, folder) != 0)
    return sluice_file_fail (error, errno, "the folder of a run, '%s', cannot be made", folder);
  r->folder = g_steal_pointer (&folder);
  sluice_file_sync_folder (r->folder);
  return TRUE;
}

gboolean
sluice_run_draft_start (SluiceRunDraft *take_self,
                        SluiceRunInfo *info,
                        const SluiceRunStart *start,
                        GError **error)
{
  g_autoptr (SluiceRunDraft) self = take_self;
  StartRequest request = { .draft = self, .info = info, .start = start };
  gboolean ok =
      sluice_store_writer_run (sluice_store_get_writer (self->store), start_run, &request, error);
  if (request.folder != NULL)
    {
      g_free (self->folder);
      self->folder = g_steal_pointer (&request.folder);
    }
  if (!ok)
    {
      info->id = 0;
      return FALSE; /* what is freed takes the folder along */
    }
  g_clear_pointer (&self->folder, g_free);
  sluice_store_take_lock (self->store, info->id, self->lock);
  self->lock = -1;
  return TRUE;
}

/* ---- runs without rows ---- */

static gint
by_number (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

GArray *
sluice_store_dup_lost_runs (SluiceStore *store, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (store, error);
  if (db == NULL)
    return NULL;
  g_autoptr (GArray) folders = list_folders (store);
  sqlite3_stmt *row =
      sluice_sql_prepare (db, error, "SELECT 1 FROM runs WHERE id = ?", "i", (gint64) 0);
  gboolean ok = row != NULL;
  for (guint i = folders->len; ok && i-- > 0;)
    {
      sqlite3_reset (row);
      sqlite3_bind_int64 (row, 1, g_array_index (folders, gint64, i));
      int rc = sqlite3_step (row);
      /* One that begins has its folder a moment before others see its row. */
      if (rc == SQLITE_ROW
          || sluice_store_run_is_locked (store, g_array_index (folders, gint64, i)))
        g_array_remove_index_fast (folders, i);
      ok = rc == SQLITE_ROW || rc == SQLITE_DONE || sluice_sql_fail (db, "run store", error);
    }
  sqlite3_finalize (row);
  sluice_store_put_reader (store, db);
  g_array_sort (folders, by_number);
  return ok ? g_steal_pointer (&folders) : NULL;
}

typedef struct
{
  SluiceStore *store;
  SluiceRunInfo *info;
  GPtrArray *checkpoints;
  GBytes *graph;
} AdoptRequest;

static gboolean
adopt_run (sqlite3 *db, gpointer data, GError **error)
{
  AdoptRequest *r = data;
  if (r->graph != NULL && !sluice_store_insert_graph (db, r->info->graph_hash, r->graph, error))
    return FALSE;
  if (!sluice_store_insert_run (r->store, db, r->info, error))
    return FALSE;
  for (guint i = 0; i < r->checkpoints->len; i++)
    {
      const SluiceCheckpointInfo *c = r->checkpoints->pdata[i];
      if (!insert_checkpoint (db, r->info->id, c->step, c->path, c->bytes, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_store_adopt_run (
    SluiceStore *store, SluiceRunInfo *info, GPtrArray *checkpoints, GBytes *graph, GError **error)
{
  g_return_val_if_fail (info->id > 0, FALSE);
  AdoptRequest request = { store, info, checkpoints, graph };
  return sluice_store_writer_run (sluice_store_get_writer (store), adopt_run, &request, error);
}

static gboolean
delete_rows (sqlite3 *db, gpointer data, GError **error)
{
  gint64 run = *(gint64 *) data;
  return sluice_store_cut_run (db, run, G_MININT64, error) && sluice_import_forget (db, run, error)
         && sluice_sql_change (db, error, "DELETE FROM series WHERE run = ?", "i", run)
         && sluice_sql_change (db, error, "DELETE FROM run_tags WHERE run = ?", "i", run)
         && sluice_run_queue_forget (db, run, error) && sluice_run_control_purge (db, run, error)
         && sluice_sql_change (db, error, "DELETE FROM run_words WHERE run = ?", "i", run)
         /* Its number may be given out again: nobody is to be taken for that one's fork. */
         && sluice_sql_change (
             db, error, "UPDATE run_words SET parent = NULL, parent_step = NULL WHERE parent = ?",
             "i", run)
         && sluice_sql_change (db, error, "DELETE FROM runs WHERE id = ?", "i", run);
}

static gboolean
delete_rows_of_deleted (sqlite3 *db, gpointer data, GError **error)
{
  gint64 run = *(gint64 *) data, n;
  if (!sluice_sql_take_number (
          db,
          sluice_sql_prepare (db, error,
                              "SELECT count (*) FROM runs WHERE id = ? AND deleted IS NOT NULL",
                              "i", run),
          &n, error))
    return FALSE;
  if (n == 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "run #%" G_GINT64_FORMAT " is not in the trash, and stays", run);
  return delete_rows (db, data, error);
}

static gboolean
purge_run (SluiceStore *store, gint64 run, StoreFunc delete, GError **error)
{
  if (!sluice_store_writer_run (sluice_store_get_writer (store), delete, &run, error))
    return FALSE;
  /* Their numbers are given out again. */
  sluice_store_writer_forget_series (sluice_store_get_writer (store));
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  remove_folder (folder);
  return TRUE;
}

gboolean
sluice_store_purge_run (SluiceStore *store, gint64 run, GError **error)
{
  return purge_run (store, run, delete_rows, error);
}

gboolean
sluice_store_purge_deleted_run (SluiceStore *store, gint64 run, GError **error)
{
  return purge_run (store, run, delete_rows_of_deleted, error);
}
