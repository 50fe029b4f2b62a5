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
#include "engine/store/kind-private.h"
#include "engine/store/kinds/hparams.h"
#include "engine/store/store-private.h"

#define DRAFT_PREFIX ".new-"
/* In the folder of a run that comes together with others: until all of them have, whatever it is
 * named. Such a folder has no file "lock" before somebody trains the run. */
#define UNBORN_MARK ".unborn"
/* Below runs/: folders of runs that are being purged, each by its number. */
#define PURGED ".purged"

struct _SluiceRunDraft
{
  SluiceStore *store;
  char *folder;
  int lock;      /* -1: the store has it */
  guint n_parts; /* folders in it of runs that come together */
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

/* A run's, which is to be nobody's at once, even where this process is killed over it: it becomes a
 * draft that nobody holds. */
static void
remove_run_folder (SluiceStore *store, gint64 run)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  g_autofree char *runs = dup_runs_folder (store);
  g_autofree char *draft = g_build_filename (runs, DRAFT_PREFIX "XXXXXX", NULL);
  gboolean is_draft = g_mkdtemp_full (draft, 0777) != NULL && rename (folder, draft) == 0;
  remove_folder (is_draft ? draft : folder);
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

/* All numbers below runs/, or a folder of it. below: (nullable). (transfer full) */
static GArray *
list_folders (SluiceStore *store, const char *below)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree char *path =
      g_build_filename (sluice_store_get_workspace (store), "runs", below, NULL);
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

static gboolean
has_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Without rows it is nobody's, once the transaction that brought it is over. */
static gboolean
is_unborn (SluiceStore *store, gint64 run)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  return has_file (folder, UNBORN_MARK) && !has_file (folder, "lock");
}

/* Of processes that are gone: nobody holds its lock. One that was killed while it removed its draft
 * may have taken the lock's file along already; who is about to lock a new one makes another. */
static void
remove_stale (const char *runs)
{
  g_autoptr (GDir) dir = g_dir_open (runs, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (runs, name, NULL);
      int fd = g_str_has_prefix (name, DRAFT_PREFIX) ? take_lock (path) : -1;
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

static gboolean
make_checkpoints (const char *folder, GError **error)
{
  g_autofree char *checkpoints = g_build_filename (folder, "checkpoints", NULL);
  return g_mkdir (checkpoints, 0777) == 0
         || sluice_file_fail (error, errno, "the folder of a run, '%s', cannot be filled", folder);
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
  return make_checkpoints (self->folder, error) ? g_steal_pointer (&self) : NULL;
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
  gint64 last_row;
  sqlite3_stmt *row = sluice_sql_prepare (db, error, "SELECT coalesce (max (id), 0) FROM runs", "");
  if (!sluice_sql_take_number (db, row, &last_row, error))
    return 0;
  gint64 last = last_row;
  g_autoptr (GArray) folders = list_folders (store, NULL);
  g_autoptr (GArray) purged = list_folders (store, PURGED);
  for (guint i = 0; i < purged->len; i++)
    last = MAX (last, g_array_index (purged, gint64, i));
  for (guint i = 0; i < folders->len; i++)
    {
      gint64 run = g_array_index (folders, gint64, i);
      if (run <= last_row || !is_unborn (store, run))
        last = MAX (last, run);
      else
        remove_run_folder (store, run);
    }
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
insert_settings (sqlite3 *db, gint64 run, const SluiceRecord *settings, GError **error)
{
  const SluiceKind *kind = settings->kind;
  return sluice_sql_change (db, error, "INSERT INTO series (run, tag, kind) VALUES (?, ?, ?)",
                            "isi", run, SLUICE_HPARAMS_START_TAG, (gint64) kind->number)
         && kind->write (db, sqlite3_last_insert_rowid (db), settings, error)
         && sluice_store_note_change (db, run, error);
}

static gboolean
insert_rows (SluiceStore *store,
             sqlite3 *db,
             SluiceRunInfo *info,
             const SluiceRunStart *start,
             GError **error)
{
  if (start->graph != NULL
      && !sluice_store_insert_graph (db, info->graph_hash, start->graph, error))
    return FALSE;
  if (!sluice_store_insert_run (store, db, info, error)
      || (start->settings != NULL && !insert_settings (db, info->id, start->settings, error))
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
  if (!insert_rows (r->draft->store, db, r->info, r->start, error)
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

/* ---- starting several ---- */

static char *
dup_part (SluiceRunDraft *self, guint i)
{
  g_autofree char *name = g_strdup_printf ("%u", i);
  return g_build_filename (self->folder, name, NULL);
}

char *
sluice_run_draft_add_folder (SluiceRunDraft *self, GError **error)
{
  g_autofree char *folder = dup_part (self, self->n_parts);
  g_autofree char *mark = g_build_filename (folder, UNBORN_MARK, NULL);
  int fd = g_mkdir (folder, 0777) == 0
               ? g_open (mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
               : -1;
  if (fd < 0)
    {
      sluice_file_fail (error, errno, "the folder of a run, '%s', cannot be made", folder);
      return NULL;
    }
  close (fd);
  self->n_parts++;
  return make_checkpoints (folder, error) ? g_steal_pointer (&folder) : NULL;
}

typedef struct
{
  SluiceRunDraft *draft;
  GPtrArray *infos;
  const SluiceRunStart *starts;
  guint n_named; /* folders that have their runs' numbers */
} StartAllRequest;

static gboolean
start_part (sqlite3 *db, StartAllRequest *r, guint i, GError **error)
{
  SluiceRunInfo *info = r->infos->pdata[i];
  const SluiceRunStart *start = &r->starts[i];
  g_autofree char *wanted = g_strdup (info->name);
  g_autofree char *part = dup_part (r->draft, i);
  if (!insert_rows (r->draft->store, db, info, start, error)
      || (start->write != NULL && g_strcmp0 (wanted, info->name) != 0
          && !start->write (part, info, start->data, error)))
    return FALSE;
  g_autofree char *folder = sluice_store_dup_run_folder (r->draft->store, info->id);
  if (rename (part, folder) != 0)
    return sluice_file_fail (error, errno, "the folder of a run, '%s', cannot be made", folder);
  r->n_named++;
  return TRUE;
}

static gboolean
start_all (sqlite3 *db, gpointer data, GError **error)
{
  StartAllRequest *r = data;
  gint64 first = sluice_store_next_run (r->draft->store, db, error);
  if (first == 0)
    return FALSE;
  for (guint i = 0; i < r->infos->len; i++)
    {
      ((SluiceRunInfo *) r->infos->pdata[i])->id = first + i;
      if (!start_part (db, r, i, error))
        return FALSE;
    }
  sluice_file_sync_folder (r->draft->folder);
  return TRUE;
}

gboolean
sluice_run_draft_start_all (SluiceRunDraft *take_self,
                            GPtrArray *infos,
                            const SluiceRunStart *starts,
                            GError **error)
{
  g_autoptr (SluiceRunDraft) self = take_self;
  StartAllRequest request = { self, infos, starts, 0 };
  g_return_val_if_fail (infos->len == self->n_parts, FALSE);
  gboolean ok =
      sluice_store_writer_run (sluice_store_get_writer (self->store), start_all, &request, error);
  for (guint i = 0; i < request.n_named; i++)
    {
      SluiceRunInfo *info = infos->pdata[i];
      g_autofree char *folder = sluice_store_dup_run_folder (self->store, info->id);
      g_autofree char *mark = g_build_filename (folder, UNBORN_MARK, NULL);
      if (ok)
        g_unlink (mark);
      else
        remove_run_folder (self->store, info->id);
    }
  for (guint i = 0; !ok && i < infos->len; i++)
    ((SluiceRunInfo *) infos->pdata[i])->id = 0;
  return ok;
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
  g_autoptr (GArray) folders = list_folders (store, NULL);
  sqlite3_stmt *row =
      sluice_sql_prepare (db, error, "SELECT 1 FROM runs WHERE id = ?", "i", (gint64) 0);
  gboolean ok = row != NULL;
  for (guint i = folders->len; ok && i-- > 0;)
    {
      sqlite3_reset (row);
      sqlite3_bind_int64 (row, 1, g_array_index (folders, gint64, i));
      int rc = sqlite3_step (row);
      /* One that begins has its folder a moment before others see its row. */
      if (rc == SQLITE_ROW || is_unborn (store, g_array_index (folders, gint64, i))
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

/* ---- purging ---- */

typedef struct
{
  SluiceStore *store;
  gint64 run;
  gboolean must_be_deleted;
  char *purged; /* (nullable): its folder, once that has gone there */
} PurgeRequest;

static char *
dup_purged_folder (SluiceStore *store, gint64 run)
{
  return g_strdup_printf ("%s/runs/" PURGED "/%" G_GINT64_FORMAT,
                          sluice_store_get_workspace (store), run);
}

/* Before the transaction is over, so that the rows tell what becomes of it: killed before, they are
 * there, and so is the folder again when the workspace is opened; killed after, both are gone. */
static gboolean
move_folder (PurgeRequest *r, GError **error)
{
  g_autofree char *folder = sluice_store_dup_run_folder (r->store, r->run);
  g_autofree char *purged = dup_purged_folder (r->store, r->run);
  if (!sluice_file_make_folder (purged, error))
    return FALSE;
  if (rename (folder, purged) != 0)
    return errno == ENOENT /* imported: it has none */
           || sluice_file_fail (error, errno, "the folder of a run, '%s', cannot be removed",
                                folder);
  sluice_file_sync_folder (purged);
  r->purged = g_steal_pointer (&purged);
  return TRUE;
}

static gboolean
delete_rows (sqlite3 *db, gint64 run, GError **error)
{
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
check_deleted (sqlite3 *db, gint64 run, GError **error)
{
  gint64 n;
  if (!sluice_sql_take_number (
          db,
          sluice_sql_prepare (db, error,
                              "SELECT count (*) FROM runs WHERE id = ? AND deleted IS NOT NULL",
                              "i", run),
          &n, error))
    return FALSE;
  return n > 0
         || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                         "run #%" G_GINT64_FORMAT " is not in the trash, and stays", run);
}

static gboolean
delete_run (sqlite3 *db, gpointer data, GError **error)
{
  PurgeRequest *r = data;
  return (!r->must_be_deleted || check_deleted (db, r->run, error))
         && delete_rows (db, r->run, error) && move_folder (r, error);
}

static gboolean
purge_run (SluiceStore *store, gint64 run, gboolean must_be_deleted, GError **error)
{
  PurgeRequest request = { store, run, must_be_deleted, NULL };
  gboolean ok =
      sluice_store_writer_run (sluice_store_get_writer (store), delete_run, &request, error);
  g_autofree char *purged = request.purged, *folder = sluice_store_dup_run_folder (store, run);
  if (ok)
    sluice_store_writer_forget_series (sluice_store_get_writer (store)); /* numbers are reused */
  if (ok && purged != NULL)
    remove_folder (purged);
  else if (purged != NULL)
    rename (purged, folder);
  return ok;
}

gboolean
sluice_store_purge_run (SluiceStore *store, gint64 run, GError **error)
{
  return purge_run (store, run, FALSE, error);
}

gboolean
sluice_store_purge_deleted_run (SluiceStore *store, gint64 run, GError **error)
{
  return purge_run (store, run, TRUE, error);
}

static gboolean
find_row (sqlite3 *db, gint64 run, gboolean *has_row, GError **error)
{
  gint64 n;
  if (!sluice_sql_take_number (
          db, sluice_sql_prepare (db, error, "SELECT count (*) FROM runs WHERE id = ?", "i", run),
          &n, error))
    return FALSE;
  *has_row = n > 0;
  return TRUE;
}

void
sluice_store_settle_purged (SluiceStore *store)
{
  g_autoptr (GArray) runs = list_folders (store, PURGED);
  sqlite3 *db = runs->len > 0 ? sluice_store_take_reader (store, NULL) : NULL;
  for (guint i = 0; db != NULL && i < runs->len; i++)
    {
      gint64 run = g_array_index (runs, gint64, i);
      g_autofree char *purged = dup_purged_folder (store, run);
      g_autofree char *folder = sluice_store_dup_run_folder (store, run);
      gboolean has_row;
      int lock = take_lock (purged); /* whoever purges it now has it */
      if (lock < 0)
        continue;
      if (find_row (db, run, &has_row, NULL))
        {
          if (has_row)
            rename (purged, folder);
          else
            remove_folder (purged);
        }
      close (lock);
    }
  if (db != NULL)
    sluice_store_put_reader (store, db);
}
