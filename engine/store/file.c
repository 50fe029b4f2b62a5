/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/base/read-file.h"
#include "engine/store/summed.h"

#define LARGE_BYTES (64 << 20) /* 10 ms to give back, where it lies in memory */

#define BUFFER_BYTES ((gsize) 64 << 10) /* an export puts records of forty bytes */

struct _SluiceFileWriter
{
  const char *what;
  char *path, *temporary;
  int fd;
  int failure;     /* errno of the first write that failed, or 0 */
  gint64 position; /* with what is in the buffer */
  gsize n_buffered;
  guint8 buffer[BUFFER_BYTES];
};

gboolean
sluice_file_fail (GError **error, int number, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sluice_fail_errno (error, number, "%s", what);
}

gboolean
sluice_file_make_folder (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  if (g_mkdir_with_parents (folder, 0777) == 0)
    return TRUE;
  return sluice_file_fail (error, errno, "folder '%s' could not be made", folder);
}

/* A name in the folder of path that nobody has thought of. (transfer full) */
static char *
dup_temporary_name (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name =
      g_strdup_printf (SLUICE_FILE_TEMPORARY "%08x%08x", g_random_int (), g_random_int ());
  return g_build_filename (folder, name, NULL);
}

/* Without a name where the file system can do that: then nothing is left by whoever is killed.
 * Else under one that was free: what somebody else put there, a link above all, is never opened.
 * -1: errno says why. */
static int
open_temporary (const char *path, char **name)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  /* EISDIR and ENOENT: what kernels say that do not know the flag. */
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
    return fd;
  do
    {
      g_free (*name);
      *name = dup_temporary_name (path);
      fd = open (*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
  while (fd < 0 && errno == EEXIST);
  return fd;
}

/* A device, a pipe or a socket is no place for a file that is renamed to its name. */
static gboolean
can_be_replaced (const char *path)
{
  struct stat info;
  return stat (path, &info) != 0 || S_ISREG (info.st_mode) || S_ISDIR (info.st_mode);
}

SluiceFileWriter *
sluice_file_writer_new (const char *what, const char *path, GError **error)
{
  g_autofree char *temporary = NULL;
  if (!can_be_replaced (path))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%s '%s' could not be written: there is a device or a pipe of that name; give "
                   "the name of a file",
                   what, path);
      return NULL;
    }
  int fd = open_temporary (path, &temporary);
  if (fd < 0)
    {
      sluice_file_fail (error, errno, "%s '%s' could not be written", what, path);
      return NULL;
    }
  SluiceFileWriter *self = g_new0 (SluiceFileWriter, 1);
  self->what = what;
  self->path = g_strdup (path);
  self->temporary = g_steal_pointer (&temporary);
  self->fd = fd;
  return self;
}

static void
write_all (SluiceFileWriter *self, const void *data, gsize length)
{
  for (const char *at = data; length > 0 && self->failure == 0;)
    {
      gssize n = write (self->fd, at, MIN (length, (gsize) 1 << 30));
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        self->failure = errno;
      else
        {
          at += n;
          length -= n;
        }
    }
}

static void
flush (SluiceFileWriter *self)
{
  write_all (self, self->buffer, self->n_buffered);
  self->n_buffered = 0;
}

void
sluice_file_writer_put (SluiceFileWriter *self, const void *data, gsize length)
{
  self->position += (gint64) length;
  if (length > BUFFER_BYTES - self->n_buffered)
    flush (self);
  if (length > BUFFER_BYTES)
    write_all (self, data, length);
  else if (length > 0)
    {
      memcpy (self->buffer + self->n_buffered, data, length);
      self->n_buffered += length;
    }
}

guint32
sluice_file_writer_put_summed (SluiceFileWriter *self, const void *data, gsize length)
{
  guint32 crc = 0;
  flush (self);
  if (self->failure != 0)
    return 0;
  self->failure = sluice_summed_write (self->fd, self->position, data, length, &crc);
  self->position += (gint64) length;
  if (self->failure == 0 && lseek (self->fd, self->position, SEEK_SET) < 0)
    self->failure = errno;
  return crc;
}

void
sluice_file_writer_rewrite (SluiceFileWriter *self, gint64 at, const void *data, gsize length)
{
  flush (self);
  for (const char *from = data; length > 0 && self->failure == 0;)
    {
      gssize n = pwrite (self->fd, from, length, at);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          self->failure = errno;
          return;
        }
      from += n;
      at += n;
      length -= (gsize) n;
    }
}

gint64
sluice_file_writer_get_position (SluiceFileWriter *self)
{
  return self->position;
}

static void
writer_free (SluiceFileWriter *self)
{
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->path);
  g_free (self->temporary);
  g_free (self);
}

void
sluice_file_writer_abort (SluiceFileWriter *self)
{
  if (self->temporary != NULL)
    unlink (self->temporary);
  writer_free (self);
}

void
sluice_file_sync_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  fsync (fd);
  close (fd);
}

/* Gives a file without a name its own, or, where something has that already, another one that
 * can be renamed to it. 0 or an errno. */
static int
link_name (SluiceFileWriter *self)
{
  char file[64];
  g_snprintf (file, sizeof file, "/proc/self/fd/%d", self->fd);
  if (linkat (AT_FDCWD, file, AT_FDCWD, self->path, AT_SYMLINK_FOLLOW) == 0)
    return 0;
  while (errno == EEXIST)
    {
      g_free (self->temporary);
      self->temporary = dup_temporary_name (self->path);
      if (linkat (AT_FDCWD, file, AT_FDCWD, self->temporary, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    }
  return errno;
}

static void
release (gpointer fd)
{
  close (GPOINTER_TO_INT (fd));
}

/* Under its name. What a large file held that had the name is given back by a worker of the pool:
 * the file system takes a quarter of the time for that which it took to write it. */
static int
replace (SluiceFileWriter *self)
{
  struct stat info;
  int old = open (self->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  int failure = rename (self->temporary, self->path) == 0 ? 0 : errno;
  gboolean is_large = old >= 0 && fstat (old, &info) == 0 && info.st_size >= LARGE_BYTES;
  if (old >= 0 && !(is_large && sluice_pool_submit (release, GINT_TO_POINTER (old), NULL)))
    close (old);
  return failure;
}

gboolean
sluice_file_writer_finish (SluiceFileWriter *self, GError **error)
{
  flush (self);
  if (self->failure == 0 && fsync (self->fd) != 0)
    self->failure = errno;
  if (self->failure == 0 && self->temporary == NULL)
    self->failure = link_name (self);
  if (close (self->fd) != 0 && self->failure == 0)
    self->failure = errno;
  self->fd = -1;
  if (self->failure == 0 && self->temporary != NULL)
    self->failure = replace (self);
  if (self->failure != 0)
    {
      sluice_file_fail (error, self->failure, "%s '%s' could not be written", self->what,
                        self->path);
      sluice_file_writer_abort (self);
      return FALSE;
    }
  sluice_file_sync_folder (self->path);
  writer_free (self);
  return TRUE;
}

gboolean
sluice_file_put (const char *what, const char *path, const void *data, gsize length, GError **error)
{
  SluiceFileWriter *writer = sluice_file_writer_new (what, path, error);
  if (writer == NULL)
    return FALSE;
  sluice_file_writer_put (writer, data, length);
  return sluice_file_writer_finish (writer, error);
}

void
sluice_file_remove_flat (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (folder, name, NULL);
      unlink (file);
    }
  rmdir (folder);
}

void
sluice_file_sweep (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, SLUICE_FILE_TEMPORARY))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);
        unlink (path);
      }
}

GMappedFile *
sluice_file_map (const char *what, const char *path, GError **error)
{
  struct stat info;
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO would block here */
  int number = fd < 0 ? errno : 0;
  if (fd >= 0 && fstat (fd, &info) == 0 && !S_ISREG (info.st_mode))
    number = S_ISDIR (info.st_mode) ? EISDIR : EINVAL;
  GMappedFile *file = number == 0 ? sluice_read_map (fd, what, path, error) : NULL;
  if (fd >= 0)
    close (fd);
  if (number != 0)
    sluice_file_fail (error, number, "%s '%s' cannot be read", what, path);
  return file;
}

/* ---- copies ---- */

#define COPY_BYTES ((gsize) 1 << 20) /* at a time */

static gboolean
copy_blocks (int fd, SluiceFileWriter *to, const char *what, const char *from, GError **error)
{
  g_autofree guint8 *block = g_malloc (COPY_BYTES);
  gssize n;
  while ((n = read (fd, block, COPY_BYTES)) != 0)
    if (n > 0)
      sluice_file_writer_put (to, block, (gsize) n);
    else if (errno != EINTR)
      return sluice_file_fail (error, errno, "%s '%s' cannot be read", what, from);
  return TRUE;
}

gboolean
sluice_file_copy (const char *what, const char *from, const char *to, GError **error)
{
  g_autofree char *source = g_canonicalize_filename (from, NULL);
  g_autofree char *target = g_canonicalize_filename (to, NULL);
  if (g_str_equal (source, target))
    return TRUE;
  int fd = open (from, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO would block here */
  if (fd < 0)
    return sluice_file_fail (error, errno, "%s '%s' cannot be read", what, from);
  g_autoptr (SluiceFileWriter) writer = sluice_read_check_kind (fd, what, from, error)
                                            ? sluice_file_writer_new (what, to, error)
                                            : NULL;
  gboolean ok = writer != NULL && copy_blocks (fd, writer, what, from, error);
  close (fd);
  return ok && sluice_file_writer_finish (g_steal_pointer (&writer), error);
}

gboolean
sluice_file_copy_tree (const char *what, const char *from, const char *to, GError **error)
{
  const char *name;
  if (!g_file_test (from, G_FILE_TEST_IS_DIR))
    return sluice_file_copy (what, from, to, error);
  g_autoptr (GDir) folder = g_dir_open (from, 0, error);
  if (folder == NULL)
    return FALSE;
  if (g_mkdir_with_parents (to, 0777) != 0)
    return sluice_file_fail (error, errno, "folder '%s' cannot be made", to);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *source = g_build_filename (from, name, NULL);
      g_autofree char *target = g_build_filename (to, name, NULL);
      if (!sluice_file_copy_tree (what, source, target, error))
        return FALSE;
    }
  return TRUE;
}
