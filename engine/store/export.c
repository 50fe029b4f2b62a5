/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/export.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/store/crc32c.h"
#include "engine/store/event-file.h"
#include "engine/store/file.h"
#include "engine/store/kind-private.h"

static const SluiceStepRange all_steps = { G_MININT64, G_MAXINT64 };

gboolean
sluice_log_format_find (const char *name, SluiceLogFormat *format)
{
  static const char *const names[] = { "tfevents", "csv", "jsonl" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i], name) == 0)
      {
        *format = (SluiceLogFormat) i;
        return TRUE;
      }
  return FALSE;
}

static const char *
name_kind (const SluiceSeriesInfo *series)
{
  const SluiceKind *kind = sluice_kind_get ((int) series->kind);
  return kind != NULL ? kind->name : "unknown";
}

/* ---- JSON ---- */

typedef struct
{
  GString *steps, *walls, *values;
  guint64 n;
} Columns;

static gboolean
add_to_columns (const SluiceRecord *record, gpointer data, GError **error)
{
  Columns *columns = data;
  const char *comma = columns->n++ > 0 ? ", " : "";
  g_autofree char *value = sluice_record_dup_json (record);
  g_string_append_printf (columns->steps, "%s%" G_GINT64_FORMAT, comma, record->step);
  g_string_append (columns->walls, comma);
  sluice_json_append_double (columns->walls, record->wall);
  g_string_append (columns->values, comma);
  g_string_append (columns->values, value);
  return TRUE;
}

char *
sluice_store_dup_series_json (SluiceStore *self,
                              const char *run,
                              const SluiceSeriesInfo *series,
                              const SluiceStepRange *range,
                              guint64 *n,
                              GError **error)
{
  g_autoptr (GString) steps = g_string_new (NULL);
  g_autoptr (GString) walls = g_string_new (NULL);
  g_autoptr (GString) values = g_string_new (NULL);
  Columns columns = { steps, walls, values, 0 };
  if (!sluice_store_each_record (self, series, range != NULL ? range : &all_steps, add_to_columns,
                                 &columns, error))
    return NULL;
  *n = columns.n;
  GString *json = g_string_new ("{\"run\": ");
  sluice_json_append_string (json, run, -1);
  g_string_append (json, ", \"tag\": ");
  sluice_json_append_string (json, series->tag, -1);
  g_string_append_printf (json,
                          ", \"kind\": \"%s\", \"n\": %" G_GUINT64_FORMAT
                          ", \"steps\": [%s], \"wall_times\": [%s], \"values\": [%s]}",
                          name_kind (series), columns.n, steps->str, walls->str, values->str);
  return g_string_free (json, FALSE);
}

/* ---- a run into a file ---- */

typedef struct
{
  SluiceFileWriter *file;
  const char *run;
  const SluiceSeriesInfo *series;
  guint64 n;
  GString *line;      /* of CSV */
  GByteArray *event;  /* of an event file */
  GByteArray *record; /* its bytes on the disk */
  GBytes *metadata;   /* of the series (nullable) */
  char *plugin;       /* that they name (nullable) */
  gboolean first;     /* of the series */
  GHashTable *put;    /* set of series that went out with another one */
} Export;

static void
append_csv (GString *line, const char *text)
{
  if (strpbrk (text, ",\"\r\n") == NULL)
    {
      g_string_append (line, text);
      return;
    }
  g_string_append_c (line, '"');
  for (; *text != '\0'; text++)
    {
      if (*text == '"')
        g_string_append_c (line, '"');
      g_string_append_c (line, *text);
    }
  g_string_append_c (line, '"');
}

/* Numbers stand as such, and what is not finite without its quotation marks. */
static void
append_csv_value (GString *line, const SluiceRecord *record)
{
  g_autofree char *value = sluice_record_dup_json (record);
  if (record->kind->number == SLUICE_SERIES_SCALAR && *value == '"')
    {
      value[strlen (value) - 1] = '\0';
      append_csv (line, value + 1);
    }
  else
    append_csv (line, value);
}

static gboolean
put_csv (const SluiceRecord *record, gpointer data, GError **error)
{
  Export *export = data;
  GString *line = export->line;
  g_string_truncate (line, 0);
  append_csv (line, export->run);
  g_string_append_c (line, ',');
  append_csv (line, export->series->tag);
  g_string_append_printf (line, ",%s,%" G_GINT64_FORMAT ",", record->kind->name, record->step);
  sluice_json_append_double (line, record->wall);
  g_string_append_c (line, ',');
  append_csv_value (line, record);
  g_string_append (line, "\r\n");
  sluice_file_writer_put (export->file, line->str, line->len);
  export->n++;
  return TRUE;
}

static SluiceEventOut
begin_event (Export *export, const SluiceRecord *record, const char *tag, GError **failed)
{
  sluice_event_file_begin (export->event, record->wall, record->step);
  return (SluiceEventOut){ export->event, tag,    export->metadata,
                           export->first, failed, export->plugin };
}

static gboolean
end_event (Export *export, GError *failed, GError **error)
{
  if (failed != NULL)
    {
      g_propagate_error (error, failed);
      return FALSE;
    }
  g_byte_array_set_size (export->record, 0);
  sluice_event_file_put_record (export->record, export->event);
  sluice_file_writer_put (export->file, export->record->data, export->record->len);
  export->first = FALSE;
  return TRUE;
}

static gboolean
put_event (const SluiceRecord *record, gpointer data, GError **error)
{
  Export *export = data;
  GError *failed = NULL;
  const SluiceEventOut out = begin_event (export, record, export->series->tag, &failed);
  record->kind->put_event (record, &out);
  export->n++;
  return end_event (export, failed, error);
}

/* ---- samples: series that one tensor was taken apart into ---- */

#define MAX_SAMPLES 64 /* of which each is read by a connection of its own */

typedef struct
{
  Export *export;
  SluiceStore *store;
  char *tag; /* without the number behind it */
  const SluiceSeriesInfo *series[MAX_SAMPLES];
  const SluiceRecord *records[MAX_SAMPLES];
  guint n, n_read;
} Samples;

/* A record of the first series, then that of the same step of the next one. */
static gboolean
put_samples (const SluiceRecord *record, gpointer data, GError **error)
{
  Samples *self = data;
  Export *export = self->export;
  const SluiceStepRange step = { record->step, record->step };
  GError *failed = NULL;
  gboolean ok;
  self->records[self->n_read++] = record;
  if (self->n_read < self->n)
    ok = sluice_store_each_record (self->store, self->series[self->n_read], &step, put_samples,
                                   self, error);
  else
    {
      const SluiceEventOut out = begin_event (export, self->records[0], self->tag, &failed);
      record->kind->put_samples (self->records, self->n, &out);
      export->n += self->n;
      ok = end_event (export, failed, error);
    }
  self->n_read--;
  return ok;
}

static gboolean
add_step (const SluiceRecord *record, gpointer sum, GError **error)
{
  const struct
  {
    gint64 step;
    double wall;
  } moment = { record->step, record->wall };
  *(guint32 *) sum = sluice_crc32c (*(guint32 *) sum, &moment, sizeof moment);
  return TRUE;
}

static gboolean
sum_steps (SluiceStore *store, const SluiceSeriesInfo *series, guint32 *sum, GError **error)
{
  *sum = 0;
  return sluice_store_each_record (store, series, &all_steps, add_step, sum, error);
}

static const SluiceSeriesInfo *
find_series (GPtrArray *all, const char *tag)
{
  for (guint i = 0; i < all->len; i++)
    if (strcmp (((SluiceSeriesInfo *) all->pdata[i])->tag, tag) == 0)
      return all->pdata[i];
  return NULL;
}

/* Is it of the same tensors as the first? */
static gboolean
belongs (const Samples *self, const SluiceSeriesInfo *series, guint32 first_sum)
{
  g_autoptr (GBytes) metadata = NULL;
  guint32 sum;
  return series != NULL && self->n < MAX_SAMPLES && series->kind == self->series[0]->kind
         && series->n_points == self->series[0]->n_points && series->n_segments == 1
         && sluice_store_dup_metadata (self->store, series->id, &metadata, NULL) && metadata != NULL
         && g_bytes_equal (metadata, self->export->metadata)
         && sum_steps (self->store, series, &sum, NULL) && sum == first_sum;
}

/* The series behind the first of one that has its metadata; n is 1 where there are none. */
static void
find_samples (Samples *self, GPtrArray *all, const SluiceKind *kind)
{
  const SluiceSeriesInfo *first = self->export->series, *next;
  guint32 sum;
  self->series[self->n++] = first;
  if (kind->put_samples == NULL || g_strcmp0 (self->export->plugin, kind->samples_plugin) != 0
      || !g_str_has_suffix (first->tag, "/0") || first->n_segments != 1
      || !sum_steps (self->store, first, &sum, NULL))
    return;
  self->tag = g_strndup (first->tag, strlen (first->tag) - 2);
  do
    {
      g_autofree char *tag = g_strdup_printf ("%s/%u", self->tag, self->n);
      next = find_series (all, tag);
      if (belongs (self, next, sum))
        self->series[self->n++] = next;
      else
        next = NULL;
    }
  while (next != NULL);
}

static gboolean
put_events (SluiceStore *store, Export *export, GPtrArray *all, GError **error)
{
  const SluiceKind *kind = sluice_kind_get ((int) export->series->kind);
  Samples samples = { .export = export, .store = store };
  gboolean ok = sluice_store_dup_metadata (store, export->series->id, &export->metadata, error);
  if (export->metadata != NULL)
    export->plugin = sluice_summary_metadata_dup_plugin (export->metadata);
  export->first = TRUE;
  if (ok && kind != NULL)
    find_samples (&samples, all, kind);
  for (guint i = 1; i < samples.n; i++)
    g_hash_table_add (export->put, (gpointer) samples.series[i]);
  ok = ok
       && sluice_store_each_record (store, export->series, &all_steps,
                                    samples.n > 1 ? put_samples : put_event,
                                    samples.n > 1 ? (gpointer) &samples : export, error);
  g_clear_pointer (&export->metadata, g_bytes_unref);
  g_clear_pointer (&export->plugin, g_free);
  g_free (samples.tag);
  return ok;
}

static gboolean
put_series (
    SluiceStore *self, SluiceLogFormat format, Export *export, GPtrArray *all, GError **error)
{
  const SluiceSeriesInfo *series = export->series;
  if (format == SLUICE_LOG_CSV)
    return sluice_store_each_record (self, series, &all_steps, put_csv, export, error);
  if (format == SLUICE_LOG_JSONL)
    {
      guint64 n;
      g_autofree char *json =
          sluice_store_dup_series_json (self, export->run, series, NULL, &n, error);
      if (json == NULL)
        return FALSE;
      sluice_file_writer_put (export->file, json, strlen (json));
      sluice_file_writer_put (export->file, "\n", 1);
      export->n += n;
      return TRUE;
    }
  return put_events (self, export, all, error);
}

static void
put_head (const SluiceRunInfo *run, SluiceLogFormat format, Export *export)
{
  static const char columns[] = "run,tag,kind,step,wall_time,value\r\n";
  if (format == SLUICE_LOG_CSV)
    sluice_file_writer_put (export->file, columns, strlen (columns));
  else if (format == SLUICE_LOG_TFEVENTS)
    {
      sluice_event_file_put_version (export->record, run->created);
      sluice_file_writer_put (export->file, export->record->data, export->record->len);
    }
}

/* Of an event file the name that TensorBoard looks for, in its folder. */
static char *
dup_file_path (const SluiceRunInfo *run, SluiceLogFormat format, const char *path, GError **error)
{
  if (format != SLUICE_LOG_TFEVENTS)
    return g_strdup (path);
  if (!sluice_event_file_is_in (path))
    return g_strdup_printf ("%s/events.out.tfevents.%010" G_GINT64_FORMAT ".sluice", path,
                            (gint64) run->created);
  sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
               "'%s' holds event files already, and TensorBoard reads all of a folder as one run; "
               "give another folder",
               path);
  return NULL;
}

static gboolean
put_all (SluiceStore *self,
         const SluiceRunInfo *run,
         SluiceLogFormat format,
         Export *out,
         GError **error)
{
  g_autoptr (GPtrArray) series = sluice_store_dup_series (self, run->id, error);
  gboolean ok = series != NULL;
  put_head (run, format, out);
  for (guint i = 0; ok && i < series->len; i++)
    {
      out->series = series->pdata[i];
      if (out->series->n_points > 0 && !g_hash_table_contains (out->put, out->series))
        ok = put_series (self, format, out, series, error);
    }
  return ok;
}

gboolean
sluice_store_export (SluiceStore *self,
                     const SluiceRunInfo *run,
                     SluiceLogFormat format,
                     const char *path,
                     guint64 *n_records,
                     GError **error)
{
  g_autofree char *file = dup_file_path (run, format, path, error);
  if (file == NULL || !sluice_file_make_folder (file, error))
    return FALSE;
  g_autoptr (SluiceFileWriter) writer = sluice_file_writer_new ("log", file, error);
  if (writer == NULL)
    return FALSE;
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (GByteArray) event = g_byte_array_new ();
  g_autoptr (GByteArray) record = g_byte_array_new ();
  g_autoptr (GHashTable) put = g_hash_table_new (NULL, NULL);
  Export out = {
    .file = writer, .run = run->name, .line = line, .event = event, .record = record, .put = put
  };
  gboolean ok = put_all (self, run, format, &out, error);
  *n_records = out.n;
  return ok && sluice_file_writer_finish (g_steal_pointer (&writer), error);
}
