/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/read-file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/base/error.h"

/* Deflate packs zeros 1032 times; models and data sets that people keep, rarely over 30 times. */
#define PLAUSIBLE_RATIO 100
#define SMALL_BYTES     ((guint64) 256 << 20) /* harmless, however well packed */
#define FIRST_BYTES     ((gsize) 64 << 10)

static SluiceReadOptions read_options;

void
sluice_read_set_options (const SluiceReadOptions *options)
{
  read_options = *options;
}

static const char *
kind_name (mode_t mode)
{
  return S_ISFIFO (mode)   ? "a pipe"
         : S_ISCHR (mode)  ? "a character device"
         : S_ISBLK (mode)  ? "a block device"
         : S_ISSOCK (mode) ? "a socket"
                           : "something else";
}

gboolean
sluice_read_check_kind (int fd, const char *what, const char *path, GError **error)
{
  struct stat info;
  if (fstat (fd, &info) != 0)
    return sluice_fail_errno (error, errno, "%s '%s' cannot be read", what, path);
  if (S_ISREG (info.st_mode))
    return TRUE;
  if (S_ISDIR (info.st_mode))
    return sluice_fail_errno (error, EISDIR, "%s '%s' cannot be read", what, path);
  if (!read_options.special_files)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s '%s' is no regular file but %s, which may never end; --special-files "
                        "reads it all the same",
                        what, path, kind_name (info.st_mode));
  int flags = fcntl (fd, F_GETFL);
  if (flags < 0 || fcntl (fd, F_SETFL, flags & ~O_NONBLOCK) != 0)
    return sluice_fail_errno (error, errno, "%s '%s' cannot be read", what, path);
  return TRUE;
}

static gboolean
fail_too_big (GError **error, const char *what, const char *path, guint64 max_bytes)
{
  g_autofree char *size = g_format_size_full (max_bytes, G_FORMAT_SIZE_IEC_UNITS);
  return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                      "%s '%s' is larger than %s, the most that it may be", what, path, size);
}

/* Room for twice as much, up to one byte more than there may be. */
static gboolean
grow (guint8 **bytes, gsize *room, guint64 max_bytes)
{
  gsize more = (gsize) MIN (MAX (*room * 2, FIRST_BYTES), max_bytes + 1);
  guint8 *moved = g_try_realloc (*bytes, more);
  if (moved == NULL)
    return FALSE;
  *bytes = moved;
  *room = more;
  return TRUE;
}

static GBytes *
read_all (int fd, const char *what, const char *path, guint64 max_bytes, GError **error)
{
  struct stat info;
  g_autofree guint8 *bytes = NULL;
  gsize n = 0, room = 0;
  if (fstat (fd, &info) == 0 && info.st_size > 0 && (guint64) info.st_size <= max_bytes)
    {
      room = (gsize) info.st_size + 1; /* the byte more sees the end */
      bytes = g_try_malloc (room);
    }
  while (n <= max_bytes)
    {
      if ((bytes == NULL && room > 0) || (n == room && !grow (&bytes, &room, max_bytes)))
        {
          sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                       "no memory for %s '%s' of %" G_GSIZE_FORMAT " bytes or more", what, path,
                       MAX (n, room));
          return NULL;
        }
      gssize got = read (fd, bytes + n, MIN (room - n, (gsize) 1 << 30));
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        {
          sluice_fail_errno (error, errno, "%s '%s' cannot be read", what, path);
          return NULL;
        }
      if (got == 0)
        return g_bytes_new_take (g_steal_pointer (&bytes), n);
      n += (gsize) got;
    }
  fail_too_big (error, what, path, max_bytes);
  return NULL;
}

GMappedFile *
sluice_read_map (int fd, const char *what, const char *path, GError **error)
{
  g_autoptr (GError) local = NULL;
  GMappedFile *map = g_mapped_file_new_from_fd (fd, FALSE, &local);
  if (map == NULL)
    sluice_fail (error,
                 g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOMEM)
                     ? SLUICE_ERROR_RESOURCE_EXHAUSTED
                     : SLUICE_ERROR_UNAVAILABLE,
                 "%s '%s' cannot be read: %s", what, path, local->message);
  return map;
}

static GBytes *
map_all (int fd, const char *what, const char *path, GError **error)
{
  GMappedFile *map = sluice_read_map (fd, what, path, error);
  if (map == NULL)
    return NULL;
  GBytes *bytes = g_mapped_file_get_bytes (map);
  g_mapped_file_unref (map);
  return bytes;
}

GBytes *
sluice_read_file (
    const char *what, const char *path, SluiceReadMode mode, guint64 max_bytes, GError **error)
{
  struct stat info;
  GBytes *bytes = NULL;
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    {
      sluice_fail_errno (error, errno, "%s '%s' cannot be read", what, path);
      return NULL;
    }
  if (sluice_read_check_kind (fd, what, path, error))
    {
      gboolean is_regular = fstat (fd, &info) == 0 && S_ISREG (info.st_mode);
      if (is_regular && (guint64) info.st_size > max_bytes)
        fail_too_big (error, what, path, max_bytes);
      else if (is_regular && mode == SLUICE_READ_MAPPED)
        bytes = map_all (fd, what, path, error);
      else
        bytes = read_all (fd, what, path, max_bytes, error);
    }
  close (fd);
  return bytes;
}

/* ---- gzip ---- */

gboolean
sluice_read_is_gzip (GBytes *bytes)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  return length > 2 && data[0] == 0x1f && data[1] == 0x8b;
}

guint64
sluice_read_get_unpacked_limit (guint64 packed_bytes)
{
  if (read_options.unpacked_bytes > 0)
    return read_options.unpacked_bytes;
  return MAX (SMALL_BYTES, MIN (packed_bytes, G_MAXINT64 / PLAUSIBLE_RATIO) * PLAUSIBLE_RATIO);
}

gboolean
sluice_read_fail_unpacked (guint64 limit, GError **error)
{
  g_autofree char *size = g_format_size_full (limit, G_FORMAT_SIZE_IEC_UNITS);
  return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                      "it unpacks to more than %s%s; where that is right, allow more with "
                      "--unpack-limit=SIZE",
                      size,
                      read_options.unpacked_bytes > 0
                          ? ", the --unpack-limit"
                          : " or 100 times its size, which few files do that mean well");
}

typedef struct
{
  z_stream stream;
  const guint8 *rest; /* what zlib, which counts in 32 bits, has not been given yet */
  gsize n_rest;
  guint8 *out;
  gsize used, room;
  guint64 limit; /* of used */
} Unzip;

/* Z_STREAM_END of the last member, Z_BUF_ERROR where it is cut off, Z_MEM_ERROR, or what is wrong.
 * Stops beyond the limit with Z_OK. */
static int
unzip_members (Unzip *self)
{
  int state = Z_OK;
  while (state == Z_OK && self->used <= self->limit)
    {
      if (self->stream.avail_in == 0)
        {
          self->stream.next_in = (Bytef *) self->rest;
          self->stream.avail_in = (uInt) MIN (self->n_rest, (gsize) 1 << 30);
          self->rest += self->stream.avail_in;
          self->n_rest -= self->stream.avail_in;
        }
      if (self->used == self->room && !grow (&self->out, &self->room, self->limit))
        return Z_MEM_ERROR;
      uInt window = (uInt) MIN (self->room - self->used, (gsize) 1 << 30);
      self->stream.next_out = self->out + self->used;
      self->stream.avail_out = window;
      state = inflate (&self->stream, Z_NO_FLUSH);
      self->used += window - self->stream.avail_out;
      /* A file may be several gzip members, one behind the other. */
      if (state == Z_STREAM_END && self->stream.avail_in + self->n_rest > 0
          && inflateReset (&self->stream) == Z_OK)
        state = Z_OK;
    }
  return state;
}

GBytes *
sluice_read_unzip (GBytes *packed, guint64 max_bytes, GError **error)
{
  Unzip self = { .stream = { 0 } };
  self.rest = g_bytes_get_data (packed, &self.n_rest);
  guint64 plausible = sluice_read_get_unpacked_limit (self.n_rest);
  self.limit = MIN (max_bytes, plausible);
  int state = inflateInit2 (&self.stream, 16 + MAX_WBITS);
  if (state == Z_OK)
    {
      state = unzip_members (&self);
      inflateEnd (&self.stream);
    }
  if (state == Z_STREAM_END && self.used <= self.limit)
    return g_bytes_new_take (self.out, self.used);
  g_free (self.out);
  g_autofree char *most = g_format_size_full (max_bytes, G_FORMAT_SIZE_IEC_UNITS);
  if (state == Z_MEM_ERROR)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                 "no memory to unpack it; %" G_GSIZE_FORMAT " bytes came out so far", self.used);
  else if (self.used > self.limit && self.limit == max_bytes)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                 "it unpacks to more than %s, the most that such a file may hold", most);
  else if (self.used > self.limit)
    sluice_read_fail_unpacked (plausible, error);
  else
    sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "the gzip data is damaged or cut off%s%s",
                 self.stream.msg != NULL ? ": " : "",
                 self.stream.msg != NULL ? self.stream.msg : "");
  return NULL;
}
