/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/import-part.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/read-file.h"
#include "engine/store/file.h"

#define PART_BYTES ((gsize) 32 << 20)
/* What columns hold is told by the first records. */
#define HEAD_BYTES ((gsize) 4 << 20)

static gsize part_bytes = PART_BYTES;

void
sluice_import_parts_set_size (gsize bytes)
{
  part_bytes = bytes > 0 ? bytes : PART_BYTES;
}

void
sluice_import_parts_clear (ImportParts *self)
{
  g_clear_pointer (&self->whole, g_bytes_unref);
  g_clear_pointer (&self->head, g_byte_array_unref);
  g_clear_pointer (&self->part, g_byte_array_unref);
  if (self->fd >= 0)
    close (self->fd);
}

/* What there is of it: less, where it was cut off meanwhile. */
static gboolean
read_bytes (ImportParts *self, GByteArray *bytes, gsize from, gsize n, GError **error)
{
  gsize done = 0;
  g_byte_array_set_size (bytes, (guint) n);
  while (done < n)
    {
      gssize got = pread (self->fd, bytes->data + done, n - done, (off_t) (from + done));
      if (got < 0 && errno != EINTR)
        return sluice_file_fail (error, errno, "the log cannot be read");
      if (got == 0)
        break;
      done += got > 0 ? (gsize) got : 0;
    }
  g_byte_array_set_size (bytes, (guint) done);
  return TRUE;
}

/* Whole lines, unless there is but one. */
static gboolean
read_head (ImportParts *self, GError **error)
{
  gsize n = MIN (self->size, HEAD_BYTES);
  if (!read_bytes (self, self->head, 0, n, error))
    return FALSE;
  const char *newline = n < self->size
                            ? g_strrstr_len ((const char *) self->head->data, self->head->len, "\n")
                            : NULL;
  if (newline != NULL)
    g_byte_array_set_size (self->head, (guint) (newline + 1 - (const char *) self->head->data));
  return TRUE;
}

gboolean
sluice_import_parts_open (ImportParts *self, const char *path, GError **error)
{
  struct stat info;
  guint8 magic[2];
  *self = (ImportParts){ .fd = g_open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0) };
  if (self->fd < 0 || fstat (self->fd, &info) != 0)
    return sluice_file_fail (error, errno, "the log cannot be read");
  if (!sluice_read_check_kind (self->fd, "log", path, error))
    return FALSE;
  if (!S_ISREG (info.st_mode)
      || (pread (self->fd, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b))
    {
      close (self->fd);
      self->fd = -1;
      self->whole = sluice_import_read_text (path, error);
      return self->whole != NULL;
    }
  self->size = (gsize) info.st_size;
  self->head = g_byte_array_new ();
  self->part = g_byte_array_new ();
  return read_head (self, error);
}

/* Lines that end before an offset, which does not go back. */
static gboolean
count_lines (ImportParts *self, gsize offset, GError **error)
{
  while (self->counted < offset)
    {
      gsize n = MIN (offset - self->counted, HEAD_BYTES);
      if (!read_bytes (self, self->part, self->counted, n, error))
        return FALSE;
      if (self->part->len == 0)
        return TRUE;
      const ImportText text = { .bytes = (const char *) self->part->data };
      self->n_lines += sluice_import_count_lines (&text, 0, self->part->len);
      self->counted += self->part->len;
    }
  return TRUE;
}

gboolean
sluice_import_parts_read (ImportParts *self, gsize from, ImportText *text, GError **error)
{
  if (self->whole != NULL)
    {
      *text = (ImportText){ .from = from, .ends = TRUE, .wall = text->wall };
      text->head = text->bytes = g_bytes_get_data (self->whole, &text->length);
      text->head_length = text->length;
      return TRUE;
    }
  gsize base = from - MIN (from, IMPORT_MARK_BYTES);
  gsize n = MIN (self->size - MIN (base, self->size), part_bytes + IMPORT_MARK_BYTES);
  if (!count_lines (self, base, error) || !read_bytes (self, self->part, base, n, error))
    return FALSE;
  *text = (ImportText){ .bytes = (const char *) self->part->data,
                        .base = base,
                        .length = self->part->len,
                        .from = from,
                        .ends = base + n >= self->size || self->part->len < n,
                        .n_lines = self->n_lines,
                        .head = (const char *) self->head->data,
                        .head_length = self->head->len,
                        .wall = text->wall };
  return TRUE;
}
