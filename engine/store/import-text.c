/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/import-text.h"
#include "engine/store/import-part.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/base/text.h"
#include "engine/store/crc32c.h"
#include "engine/store/kinds/scalar.h"

/* Milliseconds since 1970 are more than this, seconds are not. */
#define LEAST_MILLISECONDS 1e11

/* ---- for formats ---- */

gboolean
sluice_import_parse_double (const char *text, double *value)
{
  char *end;
  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && !g_ascii_isspace (*text);
}

gboolean
sluice_import_parse_int (const char *text, gint64 *value)
{
  double number;
  if (g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, value, NULL))
    return TRUE;
  if (!sluice_import_parse_double (text, &number) || number != floor (number)
      || fabs (number) > 9007199254740992.0)
    return FALSE;
  *value = (gint64) number;
  return TRUE;
}

double
sluice_import_parse_time (const char *text)
{
  double number;
  if (sluice_import_parse_double (text, &number))
    return !isfinite (number) || number <= 0 ? 0
           : number > LEAST_MILLISECONDS     ? number / 1000
                                             : number;
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  g_autoptr (GDateTime) time = g_date_time_new_from_iso8601 (text, utc);
  return time != NULL
             ? (double) g_date_time_to_unix (time) + g_date_time_get_microsecond (time) * 1e-6
             : 0;
}

SluiceSetting *
sluice_import_setting_new (const char *name, const char *value, gboolean is_text)
{
  SluiceSetting *self = g_new (SluiceSetting, 1);
  *self = (SluiceSetting){ g_utf8_make_valid (name, -1), NAN, NULL };
  if (is_text || !sluice_import_parse_double (value, &self->number))
    self->text = g_utf8_make_valid (value, -1);
  return self;
}

void
sluice_import_text_note_time (ImportReading *reading, double wall)
{
  SluiceRunInfo *info = &reading->run->info;
  if (wall <= 0)
    return;
  info->created = info->created > 0 ? MIN (info->created, wall) : wall;
  info->ended = MAX (info->ended, wall);
}

void
sluice_import_text_add_point (
    ImportReading *reading, const char *tag, gint64 step, double wall, double value)
{
  g_autofree char *valid = g_utf8_make_valid (tag, -1);
  ImportSeries *series = sluice_import_run_get_series (reading->run, valid, &sluice_kind_scalar);
  sluice_import_run_add_point (reading->run, series, step, wall, value);
  reading->counts->n_of_kind[SLUICE_SERIES_SCALAR]++;
  reading->run->info.step = MAX (reading->run->info.step, step);
  sluice_import_text_note_time (reading, wall);
}

void
sluice_import_text_set_settings (ImportReading *reading, GPtrArray *settings)
{
  g_autoptr (GArray) given = g_array_new (FALSE, FALSE, sizeof (SluiceHparam));
  for (guint i = 0; i < settings->len; i++)
    {
      const SluiceSetting *setting = settings->pdata[i];
      const SluiceHparam one = { setting->name, setting->number, setting->text };
      g_array_append_val (given, one);
    }
  if (given->len == 0)
    return;
  SluiceBytesRecord *record = sluice_hparams_new_start (
      0, reading->run->info.created, (const SluiceHparam *) given->data, given->len);
  ImportSeries *series =
      sluice_import_run_get_series (reading->run, SLUICE_HPARAMS_START_TAG, record->base.kind);
  sluice_import_run_add_record (reading->run, series, &record->base);
  reading->counts->n_of_kind[SLUICE_SERIES_HPARAMS]++;
}

void
sluice_import_text_add_tag (ImportReading *reading, const char *tag)
{
  SluiceRunInfo *info = &reading->run->info;
  guint n = info->tags != NULL ? g_strv_length (info->tags) : 0;
  if (info->id != 0 || !sluice_text_check_name ("a tag", tag, NULL)
      || (n > 0 && g_strv_contains ((const char *const *) info->tags, tag)))
    return;
  info->tags = g_renew (char *, info->tags, n + 2);
  info->tags[n] = g_strdup (tag);
  info->tags[n + 1] = NULL;
}

void
sluice_import_add_line_damage (ImportReading *reading,
                               const ImportPath *path,
                               gsize offset,
                               gint64 line,
                               const char *column,
                               const char *what)
{
  g_autofree char *safe = sluice_text_escape (what);
  g_autofree char *safe_column = column != NULL ? sluice_text_escape (column) : NULL;
  sluice_import_add_damage (
      reading, path, offset,
      column != NULL
          ? g_strdup_printf (_ ("line %" PRId64 ", column “%s”: %s"), line, safe_column, safe)
          : g_strdup_printf (_ ("line %" PRId64 ": %s"), line, safe));
}

gboolean
sluice_import_get_line (ImportReading *reading,
                        const ImportText *text,
                        gsize from,
                        ImportLine *line)
{
  if (from >= text->length)
    return FALSE;
  const char *begin = text->bytes + from;
  const char *newline = memchr (begin, '\n', text->length - from);
  const char *end = newline != NULL ? newline : text->bytes + text->length;
  *line =
      (ImportLine){ begin, end, (gsize) (end - text->bytes) + (newline != NULL), newline != NULL };
  return newline != NULL || !sluice_import_follows (reading);
}

gint64
sluice_import_count_lines (const ImportText *text, gsize from, gsize to)
{
  gint64 n = 0;
  const char *at = text->bytes + (from - text->base), *end = text->bytes + (to - text->base);
  while (at < end && (at = memchr (at, '\n', (gsize) (end - at))) != NULL)
    {
      n++;
      at++;
    }
  return n;
}

/* ---- a file as a whole ---- */

static GBytes *
read_whole (const char *path, guint64 most, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_read_file ("log", path, SLUICE_READ_PLAIN, most, error);
  if (bytes == NULL || !sluice_read_is_gzip (bytes))
    return g_steal_pointer (&bytes);
  return sluice_read_unzip (bytes, most, error);
}

GBytes *
sluice_import_read_text (const char *path, GError **error)
{
  struct stat info;
  if (stat (path, &info) == 0 && (guint64) info.st_size > IMPORT_MOST_TEXT)
    {
      g_autofree char *size = g_format_size_full ((guint64) info.st_size, G_FORMAT_SIZE_IEC_UNITS);
      g_autofree char *most = g_format_size_full (IMPORT_MOST_TEXT, G_FORMAT_SIZE_IEC_UNITS);
      sluice_fail (
          error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
          "it has %s, and logs that are text are read up to %s: cut it into files, each of "
          "which begins with its first line",
          size, most);
      return NULL;
    }
  return read_whole (path, IMPORT_MOST_TEXT, error);
}

GBytes *
sluice_import_read_fact (ImportReading *reading, const ImportPath *path)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (GBytes) bytes = read_whole (path->path, IMPORT_MOST_FACT, &failure);
  if (bytes == NULL)
    {
      if (!g_error_matches (failure, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND))
        sluice_import_add_damage (reading, path, 0, g_strdup (failure->message));
      return NULL;
    }
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  GByteArray *text = g_byte_array_sized_new ((guint) length + 1);
  if (length > 0)
    g_byte_array_append (text, (const guint8 *) data, (guint) length);
  g_byte_array_append (text, (const guint8 *) "", 1);
  return g_byte_array_free_to_bytes (text);
}

static guint32
mark_of (const ImportText *text, gsize offset)
{
  gsize n = MIN (offset, IMPORT_MARK_BYTES);
  guint32 crc = n > 0 ? sluice_crc32c (0, text->head, n) : 0;
  return n > 0 ? sluice_crc32c (crc, text->bytes + (offset - text->base) - n, n) : 0;
}

/* Is what was read of it still there, and was the last line whole? */
static gboolean
is_grown (const ImportReading *reading, const ImportFile *file, const ImportText *text)
{
  gsize offset = (gsize) file->offset;
  if (offset > text->base + text->length || mark_of (text, offset) != file->mark)
    return FALSE;
  const char *at = text->bytes + (offset - text->base);
  return reading->source->format->is_binary || offset == 0 || offset == text->base + text->length
         || at[-1] == '\n' || at[0] == '\n' || at[0] == '\r';
}

/* ---- a file of points ---- */

static void
note_taken (ImportFile *file, const ImportText *text, gsize taken)
{
  file->is_changed |= file->id == 0 || file->offset != taken;
  file->offset = taken;
  file->mark = mark_of (text, taken);
}

gboolean
sluice_import_text_taken (ImportReading *reading,
                          const ImportPath *path,
                          const ImportText *text,
                          gsize taken,
                          GError **error)
{
  reading->counts->n_records++;
  if (reading->counts->n_records % 1024 == 0 && !sluice_import_go_on (reading, taken, error))
    return FALSE;
  if (!sluice_import_run_is_full (reading->run))
    return TRUE;
  note_taken (sluice_import_run_get_file (reading->run, path->name), text, taken);
  return sluice_import_run_commit (reading->run, error);
}

/* Of a format that takes no parts it is one. */
static gboolean
open_points (ImportParts *parts, ImportReading *reading, const ImportPath *path, GError **error)
{
  if (reading->source->format->in_parts)
    return sluice_import_parts_open (parts, path->path, error);
  parts->whole = sluice_import_read_text (path->path, error);
  return parts->whole != NULL;
}

static gboolean
read_points (ImportReading *reading, const ImportPath *path, GError **error)
{
  ImportFile *file = sluice_import_run_get_file (reading->run, path->name);
  ImportFile now = { 0 };
  g_autoptr (GError) failure = NULL;
  if (!sluice_import_look_at (path, &now)
      || (file->id != 0 && sluice_import_is_same_file (file, &now)))
    return TRUE;
  ImportText text = { .wall = (double) now.mtime * 1e-9 };
  g_auto (ImportParts) parts = { .fd = -1 };
  gsize taken = (gsize) file->offset;
  if (!open_points (&parts, reading, path, &failure))
    {
      sluice_import_add_damage (reading, path, 0, g_strdup (failure->message));
      return TRUE;
    }
  do
    {
      if (!sluice_import_parts_read (&parts, taken, &text, &failure))
        {
          sluice_import_add_damage (reading, path, taken, g_strdup (failure->message));
          return TRUE;
        }
      if (!reading->source->format->take (reading, path, &text, &taken, error))
        return FALSE;
      note_taken (file, &text, taken);
    }
  while (!text.ends);
  /* What was not taken is looked at again each time; damage that was passed over is told once. */
  now.size = taken == text.base + text.length ? now.size : -1;
  file->is_changed |= !sluice_import_is_same_file (file, &now);
  file->size = now.size;
  file->inode = now.inode;
  file->mtime = now.mtime;
  return TRUE;
}

/* ---- the run ---- */

/* TRUE in *replaced: a file is another one than was read. */
static gboolean
find_replaced (ImportReading *reading, GError **error)
{
  gboolean replaced = FALSE;
  for (guint i = 0; i < reading->source->files->len && !replaced; i++)
    {
      const ImportPath *path = reading->source->files->pdata[i];
      const ImportFile *file = sluice_import_run_get_file (reading->run, path->name);
      ImportFile now = { 0 };
      if (file->offset == 0 || !sluice_import_look_at (path, &now)
          || sluice_import_is_same_file (file, &now))
        continue;
      g_auto (ImportParts) parts = { .fd = -1 };
      ImportText text = { 0 };
      replaced = open_points (&parts, reading, path, NULL)
                 && sluice_import_parts_read (&parts, (gsize) file->offset, &text, NULL)
                 && !is_grown (reading, file, &text);
    }
  reading->counts->is_reread = replaced;
  return !replaced || sluice_import_run_reset (reading->run, error);
}

/* Facts are read when one of them is new; then all of them. */
static gboolean
read_facts (ImportReading *reading, GError **error)
{
  gboolean is_new = FALSE;
  for (guint i = 0; i < reading->source->files->len; i++)
    {
      const ImportPath *path = reading->source->files->pdata[i];
      ImportFile now = { 0 };
      if (!path->is_fact || !sluice_import_look_at (path, &now))
        continue;
      ImportFile *file = sluice_import_run_get_file (reading->run, path->name);
      if (file->id != 0 && sluice_import_is_same_file (file, &now))
        continue;
      is_new = file->is_changed = TRUE;
      file->size = now.size;
      file->inode = now.inode;
      file->mtime = now.mtime;
    }
  return !is_new || reading->source->format->take_facts == NULL
         || reading->source->format->take_facts (reading, error);
}

static gboolean
has_news (const ImportRun *run)
{
  GHashTableIter iter;
  gpointer file;
  g_hash_table_iter_init (&iter, run->files);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    if (((ImportFile *) file)->is_changed)
      return TRUE;
  return FALSE;
}

gboolean
sluice_import_texts_read (ImportReading *reading, GError **error)
{
  if (!find_replaced (reading, error) || !read_facts (reading, error))
    return FALSE;
  for (guint i = 0; i < reading->source->files->len; i++)
    {
      const ImportPath *path = reading->source->files->pdata[i];
      if (!path->is_fact && !read_points (reading, path, error))
        return FALSE;
      if (!sluice_import_go_on (reading, 0, error))
        return FALSE;
    }
  return !has_news (reading->run) || sluice_import_run_commit (reading->run, error);
}
