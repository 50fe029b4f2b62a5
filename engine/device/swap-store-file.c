/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/swap-store.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <unistd.h>

#define BLOCK ((guint64) 4096) /* places are multiples of it */

typedef struct
{
  SluiceSwapStore parent;
  char *folder;
  int file; /* -1: not yet */

  pthread_mutex_t lock; /* guards what follows */
  guint64 end;
  GHashTable *places; /* bytes → GArray of free places */
  guint n_places;     /* in use */
} FileStore;

/* ---- places ---- */

static gint64
round_up (gsize bytes)
{
  return (gint64) ((bytes + BLOCK - 1) / BLOCK * BLOCK);
}

static guint64
take_place (FileStore *self, gsize bytes)
{
  gint64 size = round_up (bytes);
  pthread_mutex_lock (&self->lock);
  GArray *free_places = g_hash_table_lookup (self->places, &size);
  guint64 place = self->end;
  self->n_places++;
  if (free_places && free_places->len > 0)
    {
      place = g_array_index (free_places, guint64, free_places->len - 1);
      g_array_set_size (free_places, free_places->len - 1);
    }
  else
    self->end += (guint64) size;
  pthread_mutex_unlock (&self->lock);
  return place;
}

static void
add_free_place (FileStore *self, guint64 place, gint64 size)
{
  GArray *free_places = g_hash_table_lookup (self->places, &size);
  if (!free_places)
    {
      free_places = g_array_new (FALSE, FALSE, sizeof (guint64));
      g_hash_table_insert (self->places, g_memdup2 (&size, sizeof size), free_places);
    }
  g_array_append_val (free_places, place);
}

/* When nothing is out the file is written from its start again, whatever the sizes were. */
static void
file_give_back (SluiceSwapStore *store, guint64 place, gsize bytes)
{
  FileStore *self = (FileStore *) store;
  pthread_mutex_lock (&self->lock);
  if (--self->n_places > 0)
    add_free_place (self, place, round_up (bytes));
  else
    {
      g_hash_table_remove_all (self->places);
      self->end = 0;
    }
  pthread_mutex_unlock (&self->lock);
}

/* ---- the file ---- */

static int
open_file (const char *folder)
{
  int file = g_open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return file;
  g_autofree char *path = g_build_filename (folder, "sluice-swap-XXXXXX", NULL);
  file = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0)
    g_unlink (path);
  return file;
}

/* Returns 0 or errno. */
static int
transfer (int file, gboolean writes, void *data, gsize bytes, guint64 place)
{
  char *at = data;
  while (bytes > 0)
    {
      gssize n =
          writes ? pwrite (file, at, bytes, (off_t) place) : pread (file, at, bytes, (off_t) place);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return n < 0 ? errno : EIO;
      at += n;
      place += (guint64) n;
      bytes -= (gsize) n;
    }
  return 0;
}

static int
file_write (SluiceSwapStore *store, const SluiceTensor *value, guint64 *place)
{
  gsize bytes = sluice_tensor_bytes (value);
  FileStore *self = (FileStore *) store;
  if (self->file < 0)
    self->file = open_file (self->folder);
  if (self->file < 0)
    return errno;
  *place = take_place (self, bytes);
  int failure = transfer (self->file, TRUE, value->data, bytes, *place);
  if (failure)
    file_give_back (store, *place, bytes);
  return failure;
}

static int
file_read (SluiceSwapStore *store, SluiceTensor *room, guint64 place)
{
  return transfer (((FileStore *) store)->file, FALSE, room->data, sluice_tensor_bytes (room),
                   place);
}

static void
file_close (SluiceSwapStore *store)
{
  FileStore *self = (FileStore *) store;
  if (self->file >= 0)
    close (self->file);
  self->file = -1;
}

static void
file_free (SluiceSwapStore *store)
{
  FileStore *self = (FileStore *) store;
  g_hash_table_unref (self->places);
  pthread_mutex_destroy (&self->lock);
  g_free (self->folder);
  g_free (store->name);
  g_free (self);
}

SluiceSwapStore *
sluice_swap_store_new_file (const char *folder)
{
  FileStore *self = g_new0 (FileStore, 1);
  self->folder = g_strdup (folder ? folder : g_get_tmp_dir ());
  self->file = -1;
  self->places =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_array_unref);
  pthread_mutex_init (&self->lock, NULL);
  self->parent = (SluiceSwapStore){ .name = g_strdup_printf ("a file in '%s'", self->folder),
                                    .write = file_write,
                                    .read = file_read,
                                    .give_back = file_give_back,
                                    .close = file_close,
                                    .free = file_free };
  return &self->parent;
}
