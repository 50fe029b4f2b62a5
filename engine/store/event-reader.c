/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/event-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/base/wire.h"
#include "engine/store/crc32c.h"
#include "engine/store/file.h"

#define BUFFER_BYTES ((gsize) 1 << 20) /* fits any second-level cache */
#define RAW_BYTES    ((gsize) 1 << 16) /* of a packed file */
#define LENGTH_BYTES 8
#define HEAD_BYTES   (LENGTH_BYTES + 4)
#define FOOT_BYTES   4
/* Of the first bytes of a file, and of those before an offset, a mark is made: the time of its
 * first event is among the first, a checksum is the last of the others. */
#define MARK_BYTES ((gsize) 64)

struct _SluiceEventReader
{
  int fd;
  char *path;
  gboolean checks;
  gboolean packed;
  z_stream z;
  guint8 *raw;        /* of a packed file: what was read and is not unpacked yet */
  gboolean is_spoilt; /* no such packing: what was unpacked before is good */
  guint64 position;   /* bytes read of the file */
  /* Before `at` was given out, of which MARK_BYTES at least are kept; [at, end) was not. */
  guint8 *buffer;
  gsize allocated, at, end;
  guint64 offset; /* of buffer[at] */
  guint8 first[MARK_BYTES];
  gsize n_first;
  const char *damage;
};

/* ---- bytes ---- */

static gssize
read_file (SluiceEventReader *self, guint8 *to, gsize room, GError **error)
{
  gssize n;
  do
    n = read (self->fd, to, room);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    sluice_file_fail (error, errno, "event file '%s' cannot be read", self->path);
  else
    self->position += (guint64) n;
  return n;
}

/* The same of what a packed file holds: 0 where it ends so far, or is spoilt. */
static gssize
read_packed (SluiceEventReader *self, guint8 *to, gsize room, GError **error)
{
  self->z.next_out = to;
  self->z.avail_out = (uInt) room;
  while (self->z.avail_out == room && !self->is_spoilt)
    {
      if (self->z.avail_in == 0)
        {
          gssize n = read_file (self, self->raw, RAW_BYTES, error);
          if (n <= 0)
            return n;
          self->z.next_in = self->raw;
          self->z.avail_in = (uInt) n;
        }
      int result = inflate (&self->z, Z_NO_FLUSH);
      if (result == Z_STREAM_END) /* another member may follow */
        inflateReset (&self->z);
      else if (result == Z_MEM_ERROR)
        {
          sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                       "no memory to unpack event file '%s'", self->path);
          return -1;
        }
      else
        self->is_spoilt = result != Z_OK && result != Z_BUF_ERROR;
    }
  return (gssize) (room - self->z.avail_out);
}

/* Room behind what is there, for `more` bytes in all that are not given out. */
static gboolean
make_room (SluiceEventReader *self, gsize more, GError **error)
{
  gsize kept = MIN (self->at, MARK_BYTES);
  if (self->at > kept)
    {
      memmove (self->buffer, self->buffer + self->at - kept, self->end - self->at + kept);
      self->end -= self->at - kept;
      self->at = kept;
    }
  gsize wanted = MAX (self->at + more, BUFFER_BYTES);
  if (wanted <= self->allocated)
    return TRUE;
  guint8 *larger = g_try_realloc (self->buffer, wanted);
  if (larger == NULL)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "no memory for a record of %" G_GSIZE_FORMAT " bytes of event file '%s'",
                        more, self->path);
  self->buffer = larger;
  self->allocated = wanted;
  return TRUE;
}

/* A packed file claims what it likes: room comes as bytes do. */
static gsize
next_room (const SluiceEventReader *self, gsize wanted)
{
  return self->packed ? MIN (wanted, MAX (2 * (self->end - self->at), BUFFER_BYTES)) : wanted;
}

/* How many bytes lie there that were not given out: fewer than wanted only at the end. -1: failed
 */
static gssize
fill (SluiceEventReader *self, gsize wanted, GError **error)
{
  while (self->end - self->at < wanted)
    {
      if ((self->end == self->allocated || self->allocated - self->at < wanted)
          && !make_room (self, next_room (self, wanted), error))
        return -1;
      guint8 *to = self->buffer + self->end;
      gsize room = self->allocated - self->end;
      gssize n = self->packed ? read_packed (self, to, MIN (room, G_MAXINT32), error)
                              : read_file (self, to, room, error);
      if (n < 0)
        return -1;
      if (n == 0)
        break;
      self->end += (gsize) n;
    }
  return (gssize) (self->end - self->at);
}

/* What was looked at is given out. */
static void
consume (SluiceEventReader *self, gsize n)
{
  if (self->n_first < MARK_BYTES)
    {
      gsize more = MIN (n, MARK_BYTES - self->n_first);
      memcpy (self->first + self->n_first, self->buffer + self->at, more);
      self->n_first += more;
    }
  self->at += n;
  self->offset += n;
}

/* ---- opening ---- */

/* A plain file begins with a length and its checksum, which gzip's first bytes hardly are. */
static gboolean
begins_packed (const guint8 *bytes, gsize n)
{
  return n >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8
         && !(n >= HEAD_BYTES && sluice_crc32c_matches (bytes + LENGTH_BYTES, bytes, LENGTH_BYTES));
}

/* Looked at again while the file is too short to tell. */
static gboolean
find_packing (SluiceEventReader *self, GError **error)
{
  guint8 bytes[HEAD_BYTES];
  if (self->packed || self->offset > 0 || self->end > 0)
    return TRUE;
  gssize n = pread (self->fd, bytes, sizeof bytes, 0);
  if (n < 0)
    return sluice_file_fail (error, errno, "event file '%s' cannot be read", self->path);
  if (!begins_packed (bytes, (gsize) n))
    return TRUE;
  if (inflateInit2 (&self->z, MAX_WBITS + 16) != Z_OK)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "no memory to unpack event file '%s'", self->path);
  self->raw = g_malloc (RAW_BYTES);
  self->packed = TRUE;
  return TRUE;
}

SluiceEventReader *
sluice_event_reader_open (const char *path, GError **error)
{
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would block here */
  if (fd < 0)
    {
      sluice_file_fail (error, errno, "event file '%s' cannot be read", path);
      return NULL;
    }
  if (!sluice_read_check_kind (fd, "event file", path, error))
    {
      close (fd);
      return NULL;
    }
  SluiceEventReader *self = g_new0 (SluiceEventReader, 1);
  self->fd = fd;
  self->path = g_strdup (path);
  self->checks = TRUE;
  return self;
}

void
sluice_event_reader_free (SluiceEventReader *self)
{
  close (self->fd);
  if (self->packed)
    inflateEnd (&self->z);
  g_free (self->raw);
  g_free (self->buffer);
  g_free (self->path);
  g_free (self);
}

void
sluice_event_reader_set_checks (SluiceEventReader *self, gboolean checks)
{
  self->checks = checks;
}

/* ---- records ---- */

static SluiceEventsResult
tell_damage (SluiceEventReader *self, const char *what)
{
  self->damage = what;
  return SLUICE_EVENTS_DAMAGED;
}

/* What a record may claim before all of it was seen: of a plain file what is there, so that no
 * memory is asked for in vain. */
static SluiceEventsResult
check_claim (SluiceEventReader *self, guint64 length, GError **error)
{
  struct stat info;
  if (length > G_MAXINT32)
    return tell_damage (self, N_ ("a record is longer than the 2 GiB of a protobuf message"));
  if (fstat (self->fd, &info) != 0)
    {
      sluice_file_fail (error, errno, "event file '%s' cannot be read", self->path);
      return SLUICE_EVENTS_FAILED;
    }
  if (self->packed && length > sluice_read_get_unpacked_limit ((guint64) info.st_size))
    return tell_damage (self, N_ ("a record unpacks to more than a packed file may hold"));
  if (!self->packed && length + HEAD_BYTES + FOOT_BYTES > (guint64) info.st_size - self->offset)
    return SLUICE_EVENTS_TORN;
  return SLUICE_EVENTS_ONE;
}

static SluiceEventsResult
tell_end (SluiceEventReader *self, gssize n)
{
  if (n < 0)
    return SLUICE_EVENTS_FAILED;
  if (self->is_spoilt)
    return tell_damage (self, N_ ("what gzip packed is damaged"));
  return n == 0 ? SLUICE_EVENTS_END : SLUICE_EVENTS_TORN;
}

SluiceEventsResult
sluice_event_reader_next (SluiceEventReader *self,
                          const guint8 **data,
                          gsize *length,
                          GError **error)
{
  if (self->end - self->at < HEAD_BYTES)
    {
      gssize n = find_packing (self, error) ? fill (self, HEAD_BYTES, error) : -1;
      if (n < HEAD_BYTES)
        return tell_end (self, n);
    }
  const guint8 *head = self->buffer + self->at;
  if (!sluice_crc32c_matches (head + LENGTH_BYTES, head, LENGTH_BYTES))
    return tell_damage (self, N_ ("the checksum of a record's length is wrong"));
  guint64 claimed = sluice_wire_get_fixed_64 (head);
  gsize whole = HEAD_BYTES + claimed + FOOT_BYTES;
  if (claimed > self->end - self->at || whole > self->end - self->at)
    {
      SluiceEventsResult claim = check_claim (self, claimed, error);
      gssize n = claim == SLUICE_EVENTS_ONE ? fill (self, whole, error) : 0;
      if (claim != SLUICE_EVENTS_ONE)
        return claim;
      if (n < (gssize) whole)
        return tell_end (self, n);
      head = self->buffer + self->at;
    }
  if (self->checks
      && !sluice_crc32c_matches (head + HEAD_BYTES + claimed, head + HEAD_BYTES, claimed))
    return tell_damage (self, N_ ("the checksum of a record's data is wrong"));
  *data = head + HEAD_BYTES;
  *length = claimed;
  consume (self, whole);
  return SLUICE_EVENTS_ONE;
}

guint64
sluice_event_reader_get_offset (const SluiceEventReader *self)
{
  return self->offset;
}

guint64
sluice_event_reader_get_position (const SluiceEventReader *self)
{
  return self->position - (self->packed ? self->z.avail_in : self->end - self->at);
}

const char *
sluice_event_reader_get_damage (const SluiceEventReader *self)
{
  return self->damage;
}

/* ---- going on where another reader was ---- */

guint32
sluice_event_reader_get_mark (const SluiceEventReader *self)
{
  gsize n = MIN (self->at, MARK_BYTES);
  guint32 first = sluice_crc32c (0, self->first, self->n_first);
  return n > 0 ? sluice_crc32c (first, self->buffer + self->at - n, n) : first;
}

/* Of a plain file only the bytes that the mark is made of are read. */
static gboolean
skip_plain (SluiceEventReader *self, guint64 offset, GError **error)
{
  if (offset <= MARK_BYTES)
    return TRUE;
  gssize n = pread (self->fd, self->first, MARK_BYTES, 0);
  guint64 from = offset - MARK_BYTES;
  if (n < 0 || lseek (self->fd, (off_t) from, SEEK_SET) < 0)
    return sluice_file_fail (error, errno, "event file '%s' cannot be read", self->path);
  self->n_first = (gsize) n;
  self->offset = self->position = from;
  return TRUE;
}

SluiceEventsResult
sluice_event_reader_resume (SluiceEventReader *self, guint64 offset, guint32 mark, GError **error)
{
  g_return_val_if_fail (self->offset == 0 && self->end == 0, SLUICE_EVENTS_FAILED);
  if (offset > G_MAXINT64)
    return SLUICE_EVENTS_END;
  if (!find_packing (self, error) || (!self->packed && !skip_plain (self, offset, error)))
    return SLUICE_EVENTS_FAILED;
  while (self->offset < offset)
    {
      gssize n = fill (self, 1, error);
      if (n <= 0)
        return n < 0 ? SLUICE_EVENTS_FAILED : SLUICE_EVENTS_END;
      consume (self, MIN ((guint64) n, offset - self->offset));
    }
  return sluice_event_reader_get_mark (self) == mark ? SLUICE_EVENTS_ONE : SLUICE_EVENTS_END;
}
