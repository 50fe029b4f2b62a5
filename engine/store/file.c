/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/store/summed.h"

#define LARGE_BYTES (64 << 20) /* 10 ms to give back, where it lies in memory */

struct _SluiceFileWriter
{
  const char *what;
  char *path, *temporary;
  int fd;
  int failure; /* errno of the first write that failed, or 0 */
  gint64 position;
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

SluiceFileWriter *
sluice_file_writer_new (const char *what, const char *path, GError **error)
{
  g_autofree char *temporary = g_strdup_printf ("%s.part", path);
  int fd = open (temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
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

void
sluice_file_writer_put (SluiceFileWriter *self, const void *data, gsize length)
{
  self->position += length;
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

guint32
sluice_file_writer_put_summed (SluiceFileWriter *self, const void *data, gsize length)
{
  guint32 crc = 0;
  if (self->failure != 0)
    return 0;
  self->failure = sluice_summed_write (self->fd, self->position, data, length, &crc);
  self->position += (gint64) length;
  if (self->failure == 0 && lseek (self->fd, self->position, SEEK_SET) < 0)
    self->failure = errno;
  return crc;
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
  unlink (self->temporary);
  writer_free (self);
}

/* A rename is on the disk once its folder is. */
static void
sync_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  fsync (fd);
  close (fd);
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
  if (self->failure == 0 && fsync (self->fd) != 0)
    self->failure = errno;
  if (close (self->fd) != 0 && self->failure == 0)
    self->failure = errno;
  self->fd = -1;
  if (self->failure == 0)
    self->failure = replace (self);
  if (self->failure != 0)
    {
      sluice_file_fail (error, self->failure, "%s '%s' could not be written", self->what,
                        self->path);
      sluice_file_writer_abort (self);
      return FALSE;
    }
  sync_folder (self->path);
  writer_free (self);
  return TRUE;
}

GMappedFile *
sluice_file_map (const char *what, const char *path, GError **error)
{
  struct stat info;
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO would block here */
  int number = fd < 0 ? errno : 0;
  if (fd >= 0 && fstat (fd, &info) == 0 && !S_ISREG (info.st_mode))
    number = S_ISDIR (info.st_mode) ? EISDIR : EINVAL;
  g_autoptr (GError) local = NULL;
  GMappedFile *file = number == 0 ? g_mapped_file_new_from_fd (fd, FALSE, &local) : NULL;
  if (fd >= 0)
    close (fd);
  if (number != 0)
    sluice_file_fail (error, number, "%s '%s' cannot be read", what, path);
  else if (file == NULL)
    sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "%s '%s' cannot be read: %s", what, path,
                 local->message);
  return file;
}
