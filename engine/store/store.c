/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/sql.h"
#include "engine/store/store-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/blobs.h"
#include "engine/store/draft.h"
#include "engine/store/migrate.h"

struct _SluiceStore
{
  GObject parent;
  char *workspace;
  StoreAccess access;
  StoreWriter *writer; /* NULL: it is only read */
  pthread_mutex_t lock;
  GPtrArray *readers; /* of sqlite3, idle; under lock */
  sqlite3 *watcher;   /* (nullable): writes nothing, and is asked whether others did; under lock */
  GHashTable *locks;  /* run -> file descriptor + 1; under lock */
};

G_DEFINE_FINAL_TYPE (SluiceStore, sluice_store, G_TYPE_OBJECT)

/* ---- opening ---- */

/* A lock of the open file: it dies with the process, and can be asked after without taking it. */
static const struct flock whole_file = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

static char *
dup_lock_path (SluiceStore *self, gint64 run)
{
  return g_strdup_printf ("%s/runs/%" G_GINT64_FORMAT "/lock", self->workspace, run);
}

gboolean
sluice_store_run_is_locked (SluiceStore *self, gint64 run)
{
  g_autofree char *path = dup_lock_path (self, run);
  int fd = g_open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0)
    return FALSE;
  struct flock lock = whole_file;
  gboolean locked = fcntl (fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close (fd);
  return locked;
}

static gboolean
make_folders (const char *workspace, GError **error)
{
  g_autofree char *runs = g_build_filename (workspace, "runs", NULL);
  if (g_mkdir_with_parents (runs, 0777) == 0 && access (workspace, W_OK) == 0)
    return TRUE;
  int saved = errno;
  return sluice_fail (
      error, saved == ENOSPC ? SLUICE_ERROR_RESOURCE_EXHAUSTED : SLUICE_ERROR_PERMISSION_DENIED,
      "the workspace '%s' cannot be written: %s; choose another with --workspace", workspace,
      g_strerror (saved));
}

/* What an older version left is brought up to date by whoever may write there. */
static gboolean
check_version_read (SluiceStore *self, GError **error)
{
  sqlite3 *db = sluice_store_connect (&self->access, FALSE, error);
  if (db == NULL)
    return FALSE;
  int version = sluice_store_check_version (db, self->access.path, error);
  if (version == sluice_store_get_newest_version ())
    {
      sluice_store_put_reader (self, db); /* it has read what tables there are */
      return TRUE;
    }
  sqlite3_close (db);
  if (version < 0)
    return FALSE;
  g_autoptr (SluiceStore) writing = sluice_store_open (self->workspace, error);
  return writing != NULL;
}

SluiceStore *
sluice_store_open_with (const char *workspace, const SluiceStoreOptions *options, GError **error)
{
  g_return_val_if_fail (workspace != NULL, NULL);
  gboolean makes = !options->read_only && !options->must_exist;
  if (makes && !make_folders (workspace, error))
    return NULL; /* before its real path is asked for */
  g_autoptr (SluiceStore) self = g_object_new (SLUICE_TYPE_STORE, NULL);
  self->workspace = g_canonicalize_filename (workspace, NULL);
  sluice_store_access_init (&self->access, self->workspace, options);
  if (!makes && !sluice_store_access_check_exists (&self->access, workspace, error))
    return NULL;
  if (options->read_only)
    return check_version_read (self, error) ? g_steal_pointer (&self) : NULL;
  if (!make_folders (workspace, error))
    return NULL;
  self->writer = sluice_store_writer_new (&self->access, sluice_store_migrate, error);
  if (self->writer == NULL)
    return NULL;
  sluice_store_settle_purged (self);
  return g_steal_pointer (&self);
}

SluiceStore *
sluice_store_open (const char *workspace, GError **error)
{
  return sluice_store_open_with (workspace, &(SluiceStoreOptions){ 0 }, error);
}

void
sluice_store_set_patience (SluiceStore *self, double seconds)
{
  sluice_store_access_set_patience (&self->access, seconds);
}

static void
close_lock (gpointer fd)
{
  close (GPOINTER_TO_INT (fd) - 1);
}

static void
sluice_store_init (SluiceStore *self)
{
  pthread_mutex_init (&self->lock, NULL);
  self->readers = g_ptr_array_new ();
  self->locks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, close_lock);
}

static void
sluice_store_finalize (GObject *object)
{
  SluiceStore *self = SLUICE_STORE (object);
  g_clear_pointer (&self->writer, sluice_store_writer_free);
  for (guint i = 0; i < self->readers->len; i++)
    sqlite3_close (self->readers->pdata[i]);
  g_ptr_array_unref (self->readers);
  sqlite3_close (self->watcher);
  g_hash_table_unref (self->locks);
  pthread_mutex_destroy (&self->lock);
  g_free (self->workspace);
  sluice_store_access_clear (&self->access);
  G_OBJECT_CLASS (sluice_store_parent_class)->finalize (object);
}

static void
sluice_store_class_init (SluiceStoreClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_store_finalize;
}

const char *
sluice_store_get_workspace (SluiceStore *self)
{
  return self->workspace;
}

StoreWriter *
sluice_store_get_writer (SluiceStore *self)
{
  return self->writer;
}

char *
sluice_store_dup_run_folder (SluiceStore *self, gint64 run)
{
  return g_strdup_printf ("%s/runs/%" G_GINT64_FORMAT, self->workspace, run);
}

sqlite3 *
sluice_store_take_reader (SluiceStore *self, GError **error)
{
  sqlite3 *db = NULL;
  pthread_mutex_lock (&self->lock);
  if (self->readers->len > 0)
    db = g_ptr_array_steal_index (self->readers, self->readers->len - 1);
  pthread_mutex_unlock (&self->lock);
  return db != NULL ? db : sluice_store_connect (&self->access, FALSE, error);
}

void
sluice_store_put_reader (SluiceStore *self, sqlite3 *db)
{
  pthread_mutex_lock (&self->lock);
  g_ptr_array_add (self->readers, db);
  pthread_mutex_unlock (&self->lock);
}

gboolean
sluice_store_read_version (SluiceStore *self, gint64 *version, GError **error)
{
  pthread_mutex_lock (&self->lock);
  if (self->watcher == NULL)
    self->watcher = sluice_store_connect (&self->access, FALSE, error);
  gboolean ok =
      self->watcher != NULL
      && sluice_sql_take_number (
          self->watcher, sluice_sql_prepare (self->watcher, error, "PRAGMA data_version", ""),
          version, error);
  pthread_mutex_unlock (&self->lock);
  return ok;
}

void
sluice_store_set_notify (SluiceStore *self, void (*func) (gpointer data), gpointer data)
{
  if (self->writer != NULL)
    sluice_store_writer_set_notify (self->writer, func, data);
}

void
sluice_store_rearm (SluiceStore *self)
{
  if (self->writer != NULL)
    sluice_store_writer_rearm (self->writer);
}

/* ---- locks, logs, graphs ---- */

void
sluice_store_take_lock (SluiceStore *self, gint64 run, int take_fd)
{
  pthread_mutex_lock (&self->lock);
  g_hash_table_replace (self->locks, g_memdup2 (&run, sizeof run), GINT_TO_POINTER (take_fd + 1));
  pthread_mutex_unlock (&self->lock);
}

gboolean
sluice_store_lock_run (SluiceStore *self, gint64 run, GError **error)
{
  g_autofree char *folder = sluice_store_dup_run_folder (self, run);
  g_autofree char *path = dup_lock_path (self, run);
  if (g_mkdir_with_parents (folder, 0777) != 0)
    return sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED,
                        "the folder of run %" G_GINT64_FORMAT " cannot be made: %s", run,
                        g_strerror (errno));
  int fd = g_open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0)
    return sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED,
                        "run %" G_GINT64_FORMAT " cannot be locked: %s", run, g_strerror (errno));
  if (fcntl (fd, F_OFD_SETLK, &whole_file) != 0)
    {
      close (fd);
      return sluice_fail (
          error, SLUICE_ERROR_FAILED_PRECONDITION,
          "run %" G_GINT64_FORMAT " is being trained by another program; stop it there first", run);
    }
  sluice_store_take_lock (self, run, fd);
  return TRUE;
}

void
sluice_store_unlock_run (SluiceStore *self, gint64 run)
{
  pthread_mutex_lock (&self->lock);
  g_hash_table_remove (self->locks, &run);
  pthread_mutex_unlock (&self->lock);
}

SluiceRunLog *
sluice_store_open_log (SluiceStore *self, gint64 run, GError **error)
{
  if (self->writer == NULL)
    {
      sluice_store_writer_run (NULL, NULL, NULL, error); /* says why */
      return NULL;
    }
  return sluice_run_log_new (self, run);
}

gboolean
sluice_store_insert_graph (sqlite3 *db, const char *hash, GBytes *graph, GError **error)
{
  g_autofree char *blob = NULL;
  return sluice_blob_put (db, graph, &blob, error)
         && sluice_sql_change (db, error, "INSERT OR IGNORE INTO graphs (hash, blob) VALUES (?, ?)",
                               "ss", hash, blob);
}

typedef struct
{
  const char *hash;
  GBytes *graph;
} GraphRequest;

static gboolean
insert_graph (sqlite3 *db, gpointer data, GError **error)
{
  GraphRequest *request = data;
  return sluice_store_insert_graph (db, request->hash, request->graph, error);
}

gboolean
sluice_store_put_graph (SluiceStore *self, const char *hash, GBytes *graph, GError **error)
{
  GraphRequest request = { hash, graph };
  return sluice_store_writer_run (self->writer, insert_graph, &request, error);
}
