/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/store/crc32c.h"
#include "engine/store/file.h"

#define BUFFER_BYTES     65536
#define MAX_STRING_BYTES ((gsize) 1 << 31)

struct _SluiceInput
{
  int fd; /* -1: it is read from rest */
  const guint8 *rest;
  gsize n_rest;
  SluiceEncoding encoding;
  z_stream z;
  gboolean ended; /* what comes after is no part of the stream */
  guint64 position;
  const guint8 *at, *end; /* what is left of the buffer */
  guint8 raw[BUFFER_BYTES];
  guint8 unpacked[BUFFER_BYTES];
};

gboolean
sluice_encoding_parse (const char *name, SluiceEncoding *encoding, GError **error)
{
  static const char *const names[] = { "", "ZLIB", "GZIP" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i]) == 0)
      {
        *encoding = i;
        return TRUE;
      }
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "'%s' is no known compression; there are ZLIB and GZIP, and '' for none",
                      name);
}

static SluiceInput *
input_new (int fd, SluiceEncoding encoding)
{
  SluiceInput *self = g_malloc (sizeof *self);
  memset (self, 0, offsetof (SluiceInput, raw));
  self->fd = fd;
  self->encoding = encoding;
  if (encoding != SLUICE_ENCODING_NONE
      && inflateInit2 (&self->z, encoding == SLUICE_ENCODING_GZIP ? MAX_WBITS + 16 : MAX_WBITS)
             != Z_OK)
    g_error ("zlib cannot be used"); /* no memory, which g_malloc does not survive either */
  return self;
}

SluiceInput *
sluice_input_open (const char *path, SluiceEncoding encoding, GError **error)
{
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would block here */
  if (fd < 0)
    {
      sluice_file_fail (error, errno, "file '%s' cannot be read", path);
      return NULL;
    }
  if (sluice_read_check_kind (fd, "file", path, error))
    return input_new (fd, encoding);
  close (fd);
  return NULL;
}

SluiceInput *
sluice_input_new_bytes (const void *bytes, gsize length, SluiceEncoding encoding)
{
  SluiceInput *self = input_new (-1, encoding);
  self->rest = bytes;
  self->n_rest = length;
  return self;
}

void
sluice_input_free (SluiceInput *self)
{
  if (self->encoding != SLUICE_ENCODING_NONE)
    inflateEnd (&self->z);
  if (self->fd >= 0)
    close (self->fd);
  g_free (self);
}

/* What comes next as it stands: 0 bytes at the end, -1 on failure. */
static gssize
next_raw (SluiceInput *self, const guint8 **data, GError **error)
{
  gssize n;
  *data = self->raw;
  if (self->fd < 0 && self->n_rest == 0)
    return 0;
  if (self->fd < 0)
    {
      n = MIN (self->n_rest, (gsize) 1 << 30); /* zlib counts in 32 bits */
      *data = self->rest;
      self->rest += n;
      self->n_rest -= n;
      return n;
    }
  do
    n = read (self->fd, self->raw, BUFFER_BYTES);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    sluice_file_fail (error, errno, "the file cannot be read");
  return n;
}

static gboolean
fail_packed (SluiceInput *self, const char *why, GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                      "the %s-compressed data is damaged after %" G_GUINT64_FORMAT " bytes: %s",
                      self->encoding == SLUICE_ENCODING_GZIP ? "GZIP" : "ZLIB", self->position,
                      why);
}

/* Unpacks until there is something, or the end. A stream that is cut off just ends: so TensorFlow
 * has it. */
static gboolean
fill_unpacked (SluiceInput *self, GError **error)
{
  while (self->at == self->end && !self->ended)
    {
      if (self->z.avail_in == 0)
        {
          const guint8 *data;
          gssize n = next_raw (self, &data, error);
          if (n < 0)
            return FALSE;
          self->z.next_in = (Bytef *) data;
          self->z.avail_in = (uInt) n;
          self->ended = n == 0;
          if (self->ended)
            return TRUE;
        }
      self->z.next_out = self->unpacked;
      self->z.avail_out = BUFFER_BYTES;
      int result = inflate (&self->z, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return fail_packed (self, self->z.msg != NULL ? self->z.msg : "no such data", error);
      self->at = self->unpacked;
      self->end = self->z.next_out;
      if (result == Z_STREAM_END && self->encoding == SLUICE_ENCODING_GZIP)
        inflateReset (&self->z);
      else if (result == Z_STREAM_END)
        self->ended = TRUE;
    }
  return TRUE;
}

static gboolean
fill (SluiceInput *self, GError **error)
{
  if (self->at < self->end)
    return TRUE;
  if (self->encoding != SLUICE_ENCODING_NONE)
    return fill_unpacked (self, error);
  gssize n = next_raw (self, &self->at, error);
  if (n < 0)
    return FALSE;
  self->end = self->at + n;
  return TRUE;
}

/* A string can hold no more, wherever it comes from; before that, memory goes. */
static gboolean
has_room (const SluiceInput *self, const GString *out, gsize more, GError **error)
{
  guint64 unpacked = sluice_read_get_unpacked_limit (0);
  if (self->encoding != SLUICE_ENCODING_NONE && out != NULL && out->len + more > unpacked)
    return sluice_read_fail_unpacked (unpacked, error);
  if (out == NULL || out->len + more <= MAX_STRING_BYTES)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                      "a record or line that is read up to byte %" G_GUINT64_FORMAT
                      " is longer than 2 GiB",
                      self->position);
}

static gint64
take (SluiceInput *self, guint64 n, GString *out, GError **error)
{
  guint64 done = 0;
  while (done < n)
    {
      if (!fill (self, error))
        return -1;
      gsize here = MIN (n - done, (guint64) (self->end - self->at));
      if (here == 0)
        break;
      if (!has_room (self, out, here, error))
        return -1;
      if (out != NULL)
        g_string_append_len (out, (const char *) self->at, here);
      self->at += here;
      self->position += here;
      done += here;
    }
  return (gint64) done;
}

gint64
sluice_input_read (SluiceInput *self, guint64 n, GString *out, GError **error)
{
  return take (self, n, out, error);
}

gint64
sluice_input_skip (SluiceInput *self, guint64 n, GError **error)
{
  return take (self, n, NULL, error);
}

guint64
sluice_input_get_position (const SluiceInput *self)
{
  return self->position;
}

SluiceReadResult
sluice_input_read_line (SluiceInput *self, GString *out, GError **error)
{
  gboolean is_ended = FALSE;
  g_string_truncate (out, 0);
  do
    {
      if (!fill (self, error))
        return SLUICE_READ_FAILED;
      gsize room = self->end - self->at;
      if (room == 0)
        break;
      const guint8 *stop = memchr (self->at, '\n', room);
      is_ended = stop != NULL;
      gsize n = is_ended ? (gsize) (stop - self->at) : room;
      if (!has_room (self, out, n, error))
        return SLUICE_READ_FAILED;
      g_string_append_len (out, (const char *) self->at, n);
      n += is_ended;
      self->at += n;
      self->position += n;
    }
  while (!is_ended);
  if (out->len > 0 && out->str[out->len - 1] == '\r')
    g_string_truncate (out, out->len - 1);
  return is_ended || out->len > 0 ? SLUICE_READ_ONE : SLUICE_READ_END;
}

/* ---- TFRecord ---- */

#define LENGTH_BYTES 8
#define HEAD_BYTES   (LENGTH_BYTES + 4)
#define FOOT_BYTES   4

static SluiceReadResult
fail_record (guint64 position, const char *why, GError **error)
{
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
               "the record at byte %" G_GUINT64_FORMAT " is damaged: %s", position, why);
  return SLUICE_READ_FAILED;
}

SluiceReadResult
sluice_input_read_record (SluiceInput *self, GString *out, GError **error)
{
  guint64 position = self->position, length;
  g_string_truncate (out, 0);
  gint64 n = take (self, HEAD_BYTES, out, error);
  if (n <= 0)
    return n < 0 ? SLUICE_READ_FAILED : SLUICE_READ_END;
  if (n < HEAD_BYTES)
    return fail_record (position, "its head is cut off", error);
  if (!sluice_crc32c_matches (out->str + LENGTH_BYTES, out->str, LENGTH_BYTES))
    return fail_record (position, "the checksum of its length is wrong", error);
  memcpy (&length, out->str, LENGTH_BYTES);
  length = GUINT64_FROM_LE (length);
  g_string_truncate (out, 0);
  if (length > G_MAXINT64 - FOOT_BYTES)
    return fail_record (position, "it is longer than any file", error);
  n = take (self, length + FOOT_BYTES, out, error);
  if (n < 0)
    return SLUICE_READ_FAILED;
  if ((guint64) n < length + FOOT_BYTES)
    return fail_record (position, "it is cut off", error);
  if (!sluice_crc32c_matches (out->str + length, out->str, length))
    return fail_record (position, "the checksum of its bytes is wrong", error);
  g_string_truncate (out, length);
  return SLUICE_READ_ONE;
}
