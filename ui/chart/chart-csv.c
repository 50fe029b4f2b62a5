/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"

#include "ui/common/export.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BATCH 256

typedef struct
{
  char *name;
  SluiceSeriesSource *source;
} Column;

struct _SluiceChartCsv
{
  FILE *file;
  char *path;
  char *partial; /* the file while it is not whole, or NULL */
  GPtrArray *columns;
  char *tag;
  gboolean json; /* lines of objects instead */
  double smoothing;
  guint at;     /* the series that is being written */
  guint64 next; /* and its next point */
};

static void
column_free (Column *column)
{
  g_free (column->name);
  sluice_series_source_unref (column->source);
  g_free (column);
}

static gboolean
fail (const char *path, int code, GError **error)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), _ ("%s: cannot write: %s"),
               path, g_strerror (code));
  return FALSE;
}

static void
add_column (SluiceChartCsv *csv, const char *name, SluiceSeriesSource *source)
{
  Column *column = g_new0 (Column, 1);

  column->name = g_strdup (name);
  column->source = sluice_series_source_ref (source);
  g_ptr_array_add (csv->columns, column);
}

/* Of a mean the points of those that it is of: it has none. */
static void
add_columns (SluiceChartCsv *csv, const SluiceChartSeries *series)
{
  SluiceSeriesSource *member;
  const char *name;

  if (!sluice_series_source_is_mean (series->own))
    add_column (csv, series->name, series->own);
  for (guint i = 0; (member = sluice_series_source_get_member (series->own, i, &name)) != NULL; i++)
    add_column (csv, name, member);
}

SluiceChartCsv *
sluice_chart_csv_new (SluiceChart *self, const char *path, GError **error)
{
  g_autoptr (SluiceChartCsv) csv = NULL;
  SluiceExportFormat format;
  int fd;

  g_return_val_if_fail (self != NULL && path != NULL, NULL);

  csv = g_new0 (SluiceChartCsv, 1);
  csv->columns = g_ptr_array_new_with_free_func ((GDestroyNotify) column_free);
  csv->path = g_strdup (path);
  csv->partial = g_strdup_printf ("%s.XXXXXX", path);
  csv->smoothing = self->smoothing;
  fd = g_mkstemp_full (csv->partial, O_RDWR, 0666);
  if (fd < 0)
    {
      fail (path, errno, error);
      g_clear_pointer (&csv->partial, g_free);
      return NULL;
    }
  csv->file = fdopen (fd, "w");
  csv->tag = g_strdup (self->title);
  csv->json = sluice_export_format_from_name (path, &format) && format == SLUICE_EXPORT_JSON_LINES;
  if (!csv->json)
    fputs (csv->smoothing > 0 ? "run,step,wall_time,value,smoothed\n"
                              : "run,step,wall_time,value\n",
           csv->file);
  for (guint i = 0; i < self->series->len; i++)
    {
      const SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (series->visible)
        add_columns (csv, series);
    }
  return g_steal_pointer (&csv);
}

void
sluice_chart_csv_free (SluiceChartCsv *csv)
{
  if (csv == NULL)
    return;
  if (csv->file != NULL)
    fclose (csv->file);
  if (csv->partial != NULL)
    g_unlink (csv->partial);
  g_ptr_array_unref (csv->columns);
  g_free (csv->partial);
  g_free (csv->path);
  g_free (csv->tag);
  g_free (csv);
}

/* RFC 4180: quoted where needed, quotes doubled. */
static void
put_field (FILE *file, const char *field)
{
  if (strpbrk (field, ",\"\r\n") == NULL)
    {
      fputs (field, file);
      return;
    }
  fputc ('"', file);
  for (const char *p = field; *p != '\0'; p++)
    {
      if (*p == '"')
        fputc ('"', file);
      fputc (*p, file);
    }
  fputc ('"', file);
}

static void
put_number (FILE *file, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  fputc (',', file);
  fputs (g_ascii_dtostr (buffer, sizeof buffer, value), file);
}

/* A string of JSON: what is no UTF-8 becomes the replacement character. */
static void
put_json_string (FILE *file, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  fputc ('"', file);
  for (const char *p = valid; *p != '\0'; p++)
    if (*p == '"' || *p == '\\')
      fprintf (file, "\\%c", *p);
    else if ((guchar) *p < 0x20 || *p == 0x7f)
      fprintf (file, "\\u%04x", (guchar) *p);
    else
      fputc (*p, file);
  fputc ('"', file);
}

/* JSON has no word for what is not finite: protobuf's. */
static void
put_json_number (FILE *file, const char *name, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  fprintf (file, ", \"%s\": ", name);
  if (isfinite (value))
    fputs (g_ascii_dtostr (buffer, sizeof buffer, value), file);
  else
    fputs (isnan (value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"", file);
}

static void
put_json (const SluiceChartCsv *csv, const Column *column, const SluiceSeriesSample *sample)
{
  fputs ("{\"run\": ", csv->file);
  put_json_string (csv->file, column->name);
  fputs (", \"tag\": ", csv->file);
  put_json_string (csv->file, csv->tag);
  fprintf (csv->file, ", \"step\": %" G_GINT64_FORMAT, sample->step);
  put_json_number (csv->file, "wall_time", sample->wall);
  put_json_number (csv->file, "value", sample->value);
  if (csv->smoothing > 0)
    put_json_number (csv->file, "smoothed", sample->smoothed);
  fputs ("}\n", csv->file);
}

/* Returns: FALSE at the end of the series. */
static gboolean
put_batch (SluiceChartCsv *csv, const Column *column)
{
  SluiceSeriesSample samples[BATCH];
  guint n =
      sluice_series_source_read_samples (column->source, SLUICE_X_WALL, csv->next, BATCH, samples);

  for (guint i = 0; i < n; i++)
    {
      if (csv->json)
        {
          put_json (csv, column, &samples[i]);
          continue;
        }
      put_field (csv->file, column->name);
      fprintf (csv->file, ",%" G_GINT64_FORMAT, samples[i].step);
      put_number (csv->file, samples[i].wall);
      put_number (csv->file, samples[i].value);
      if (csv->smoothing > 0)
        put_number (csv->file, samples[i].smoothed);
      fputc ('\n', csv->file);
    }
  csv->next += n;
  return n == BATCH;
}

static gboolean
finish (SluiceChartCsv *csv, GError **error)
{
  FILE *file = g_steal_pointer (&csv->file);
  gboolean failed = fflush (file) != 0 || ferror (file) != 0 || fsync (fileno (file)) != 0;

  if (fclose (file) != 0 || failed)
    return fail (csv->path, errno != 0 ? errno : EIO, error);
  if (g_rename (csv->partial, csv->path) != 0)
    return fail (csv->path, errno, error);
  g_clear_pointer (&csv->partial, g_free);
  return TRUE;
}

gboolean
sluice_chart_csv_write (SluiceChartCsv *csv, gint64 budget_us, gboolean *done, GError **error)
{
  gint64 end_time = budget_us < 0 ? G_MAXINT64 : g_get_monotonic_time () + budget_us;

  g_return_val_if_fail (csv != NULL && csv->file != NULL && done != NULL, FALSE);

  *done = FALSE;
  errno = 0;
  do
    {
      const Column *column;

      if (csv->at == csv->columns->len)
        {
          *done = finish (csv, error);
          return *done;
        }
      column = g_ptr_array_index (csv->columns, csv->at);
      if (!sluice_series_source_prepare (column->source, csv->smoothing,
                                         budget_us < 0 ? -1 : budget_us))
        continue;
      if (!put_batch (csv, column))
        {
          csv->at++;
          csv->next = 0;
        }
      if (ferror (csv->file))
        return fail (csv->path, errno != 0 ? errno : EIO, error);
    }
  while (g_get_monotonic_time () < end_time);
  return TRUE;
}
