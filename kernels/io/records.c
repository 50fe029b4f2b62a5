/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/io/records.h"

#include "engine/base/error.h"

void
sluice_records_init (SluiceRecords *self, const SluiceRecordSpec *spec)
{
  *self = (SluiceRecords){ .spec = *spec, .ahead = g_string_new (NULL) };
}

void
sluice_records_close (SluiceRecords *self)
{
  g_clear_pointer (&self->input, sluice_input_free);
  g_clear_pointer (&self->name, g_free);
}

void
sluice_records_clear (SluiceRecords *self)
{
  sluice_records_close (self);
  g_string_free (self->ahead, TRUE);
}

/* Lines at the top; a file that has fewer just ends. */
static gboolean
skip_lines (SluiceRecords *self, GError **error)
{
  g_autoptr (GString) line = g_string_new (NULL);
  SluiceReadResult result = SLUICE_READ_ONE;
  while (self->number < self->spec.skip_lines && result == SLUICE_READ_ONE)
    {
      result = sluice_input_read_line (self->input, line, error);
      self->number += result == SLUICE_READ_ONE;
    }
  return result != SLUICE_READ_FAILED;
}

static gboolean
skip_header (SluiceRecords *self, GError **error)
{
  gint64 n = sluice_input_skip (self->input, self->spec.header_bytes, error);
  if (n < 0 || n == self->spec.header_bytes)
    return n >= 0;
  return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                      "file '%s' has %" G_GINT64_FORMAT
                      " bytes, which is less than its header of %" G_GINT64_FORMAT,
                      self->name, n, self->spec.header_bytes);
}

gboolean
sluice_records_open (SluiceRecords *self, SluiceKernelCall *call, const char *name, GError **error)
{
  sluice_records_close (self);
  self->name = g_strdup (name);
  self->number = 0;
  g_string_truncate (self->ahead, 0);
  if (self->spec.format == SLUICE_RECORDS_IDENTITY)
    return TRUE;
  if (!sluice_call_check_path (call, name, SLUICE_FILE_READ, error))
    return FALSE;
  if (self->spec.format == SLUICE_RECORDS_WHOLE_FILE) /* opened when it is read */
    return TRUE;
  self->input = sluice_input_open (name, self->spec.encoding, error);
  if (self->input == NULL)
    return FALSE;
  if (self->spec.format == SLUICE_RECORDS_TEXT_LINE)
    return skip_lines (self, error);
  return self->spec.format != SLUICE_RECORDS_FIXED_LENGTH || skip_header (self, error);
}

/* The key of what has just been read. */
static void
set_key (const SluiceRecords *self, GString *key, guint64 number)
{
  g_string_printf (key, "%s:%" G_GUINT64_FORMAT, self->name, number);
}

static SluiceReadResult
read_line (SluiceRecords *self, GString *key, GString *value, GError **error)
{
  SluiceReadResult result = sluice_input_read_line (self->input, value, error);
  if (result == SLUICE_READ_ONE)
    set_key (self, key, ++self->number);
  return result;
}

static SluiceReadResult
read_tfrecord (SluiceRecords *self, GString *key, GString *value, GError **error)
{
  set_key (self, key, sluice_input_get_position (self->input));
  return sluice_input_read_record (self->input, value, error);
}

/* A record counts only where the whole footer is still behind it. */
static SluiceReadResult
read_fixed (SluiceRecords *self, GString *key, GString *value, GError **error)
{
  const SluiceRecordSpec *spec = &self->spec;
  if (self->number > 0)
    {
      gint64 kept = MIN (spec->hop_bytes, (gint64) self->ahead->len);
      g_string_erase (self->ahead, 0, kept);
      gint64 n = sluice_input_skip (self->input, spec->hop_bytes - kept, error);
      if (n < spec->hop_bytes - kept)
        return n < 0 ? SLUICE_READ_FAILED : SLUICE_READ_END;
    }
  gint64 want = spec->record_bytes + spec->footer_bytes - (gint64) self->ahead->len;
  gint64 n = want > 0 ? sluice_input_read (self->input, want, self->ahead, error) : 0;
  if (n < MAX (want, 0))
    return n < 0 ? SLUICE_READ_FAILED : SLUICE_READ_END;
  g_string_truncate (value, 0);
  g_string_append_len (value, self->ahead->str, spec->record_bytes);
  set_key (self, key, self->number++);
  return SLUICE_READ_ONE;
}

static SluiceReadResult
read_whole (SluiceRecords *self, GString *value, GError **error)
{
  g_autoptr (SluiceInput) input = sluice_input_open (self->name, SLUICE_ENCODING_NONE, error);
  g_string_truncate (value, 0);
  return input != NULL && sluice_input_read (input, G_MAXINT64, value, error) >= 0
             ? SLUICE_READ_ONE
             : SLUICE_READ_FAILED;
}

SluiceReadResult
sluice_records_read (
    SluiceRecords *self, GString *key, GString *value, gboolean *is_last, GError **error)
{
  *is_last = FALSE;
  switch (self->spec.format)
    {
    case SLUICE_RECORDS_TEXT_LINE:
      return read_line (self, key, value, error);
    case SLUICE_RECORDS_TFRECORD:
      return read_tfrecord (self, key, value, error);
    case SLUICE_RECORDS_FIXED_LENGTH:
      return read_fixed (self, key, value, error);
    case SLUICE_RECORDS_WHOLE_FILE:
      *is_last = TRUE;
      g_string_assign (key, self->name);
      return read_whole (self, value, error);
    default:
      *is_last = TRUE;
      g_string_assign (key, self->name);
      g_string_assign (value, self->name);
      return SLUICE_READ_ONE;
    }
}
