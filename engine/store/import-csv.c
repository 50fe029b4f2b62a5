/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Tables of points: a line of names, then records. Two forms are known. Wide: each column of
 * numbers beside the step is a series. Long, as `sluice export` writes: one column names the
 * series, another has the value. A column run makes a run of each of its values.
 */
#include "engine/store/import-csv.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/store/import-text.h"

#define MAX_COLUMNS 10000
#define MAX_RUNS    100000
/* What a column holds is told by as many records: the first of its cells that is not empty. */
#define LOOK_RECORDS 1000
#define BOM          "\xef\xbb\xbf"

typedef enum
{
  ROLE_SERIES,
  ROLE_TEXT, /* no numbers: left out */
  ROLE_STEP,
  ROLE_WALL,
  ROLE_RUN,
  ROLE_TAG,
  ROLE_KIND,
  ROLE_VALUE,
  N_ROLES,
} Role;

typedef struct
{
  char *name;
  Role role;
} Column;

typedef struct
{
  const char *bytes;
  gsize length;
  char delimiter;
  gsize begin;        /* behind the names */
  gint64 begin_line;  /* from 0 */
  GArray *columns;    /* of Column */
  int place[N_ROLES]; /* of the column of a role that only one has; -1: none */
  GPtrArray *cells;   /* of GString: the record at hand */
  guint n_cells;
} Table;

/* ---- records ---- */

static void
string_free (gpointer data)
{
  g_string_free (data, TRUE);
}

static void
column_clear (gpointer data)
{
  g_free (((Column *) data)->name);
}

static void
table_clear (Table *self)
{
  g_clear_pointer (&self->columns, g_array_unref);
  g_clear_pointer (&self->cells, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, table_clear)

static GString *
get_cell (Table *self, guint i)
{
  if (i == self->cells->len)
    g_ptr_array_add (self->cells, g_string_new (NULL));
  return self->cells->pdata[i];
}

typedef enum
{
  RECORD_ONE,
  RECORD_EMPTY, /* a line with nothing in it */
  RECORD_END,
  RECORD_WRONG, /* what says why */
} RecordResult;

/* what: (out): static */
static RecordResult
next_record (Table *self, SluiceCsv *csv, const char **what)
{
  g_autoptr (GError) failure = NULL;
  SluiceCsvResult result = SLUICE_CSV_END;
  self->n_cells = 0;
  if (csv->at >= csv->end)
    return RECORD_END;
  do
    {
      if (self->n_cells == MAX_COLUMNS)
        {
          *what = _ ("it has more than 10,000 cells");
          return RECORD_WRONG;
        }
      result = sluice_csv_next (csv, get_cell (self, self->n_cells), &failure);
      self->n_cells += result == SLUICE_CSV_FIELD || result == SLUICE_CSV_LAST_FIELD;
    }
  while (result == SLUICE_CSV_FIELD);
  if (result == SLUICE_CSV_FAILED)
    {
      *what = _ ("a quote is not closed, or stands where none may be");
      return RECORD_WRONG;
    }
  if (self->n_cells == 0)
    return RECORD_END;
  return self->n_cells == 1 && get_cell (self, 0)->len == 0 ? RECORD_EMPTY : RECORD_ONE;
}

/* What is wrong with the quotes of a record may go on to the end: the next line is the next. */
static void
skip_line (SluiceCsv *csv, const char *from)
{
  const char *newline = memchr (from, '\n', (gsize) (csv->end - from));
  csv->at = newline != NULL ? newline + 1 : csv->end;
}

static void
begin (const Table *self, SluiceCsv *csv, gsize offset)
{
  sluice_csv_init (csv, self->bytes + offset, self->length - offset, self->delimiter, TRUE);
}

/* ---- columns ---- */

/* By name, in any case, "_" or "-" for a blank, a "_" before it: the first of a role that is there
 * has it. */
static const struct
{
  const char *name;
  Role role;
} known[] = {
  { "step", ROLE_STEP },     { "global step", ROLE_STEP }, { "iteration", ROLE_STEP },
  { "iter", ROLE_STEP },     { "epoch", ROLE_STEP },       { "wall time", ROLE_WALL },
  { "walltime", ROLE_WALL }, { "timestamp", ROLE_WALL },   { "time", ROLE_WALL },
  { "run", ROLE_RUN },       { "run name", ROLE_RUN },     { "run id", ROLE_RUN },
  { "tag", ROLE_TAG },       { "metric", ROLE_TAG },       { "value", ROLE_VALUE },
  { "kind", ROLE_KIND },
};

static char *
dup_plain_name (const char *name)
{
  char *plain = g_ascii_strdown (name + (*name == '_'), -1);
  g_strdelimit (plain, "_-", ' ');
  return g_strstrip (plain);
}

static void
find_roles (Table *self)
{
  for (guint i = 0; i < N_ROLES; i++)
    self->place[i] = -1;
  for (guint k = 0; k < G_N_ELEMENTS (known); k++)
    for (guint i = 0; i < self->columns->len && self->place[known[k].role] < 0; i++)
      {
        g_autofree char *plain = dup_plain_name (g_array_index (self->columns, Column, i).name);
        if (strcmp (plain, known[k].name) == 0)
          self->place[known[k].role] = (int) i;
      }
  /* A series may well be called value; and only a long table has kinds. */
  if (self->place[ROLE_TAG] < 0 || self->place[ROLE_VALUE] < 0)
    self->place[ROLE_TAG] = self->place[ROLE_VALUE] = self->place[ROLE_KIND] = -1;
  for (guint role = ROLE_STEP; role < N_ROLES; role++)
    if (self->place[role] >= 0)
      g_array_index (self->columns, Column, self->place[role]).role = role;
}

static gboolean
is_missing (const char *text)
{
  static const char *const words[] = { "", "null", "none", "na", "n/a", "-", NULL };
  g_autofree char *lower = g_ascii_strdown (text, -1);
  return g_strv_contains (words, g_strstrip (lower));
}

/* Which columns hold no numbers. */
static void
find_texts (Table *self)
{
  SluiceCsv csv;
  const char *what;
  RecordResult result = RECORD_ONE;
  g_autofree gboolean *is_known = g_new0 (gboolean, self->columns->len);
  begin (self, &csv, self->begin);
  for (guint n = 0; n < LOOK_RECORDS && (result == RECORD_ONE || result == RECORD_EMPTY); n++)
    {
      result = next_record (self, &csv, &what);
      for (guint i = 0; result == RECORD_ONE && i < MIN (self->n_cells, self->columns->len); i++)
        {
          Column *column = &g_array_index (self->columns, Column, i);
          const char *text = g_strstrip (get_cell (self, i)->str);
          double value;
          if (is_known[i] || column->role != ROLE_SERIES || is_missing (text))
            continue;
          is_known[i] = TRUE;
          if (!sluice_import_parse_double (text, &value))
            column->role = ROLE_TEXT;
        }
    }
}

static char
guess_delimiter (const char *bytes, gsize length)
{
  static const char delimiters[] = ",;\t";
  const char *end = memchr (bytes, '\n', length);
  guint best = 0, most = 0;
  end = end != NULL ? end : bytes + length;
  for (guint i = 0; i < strlen (delimiters); i++)
    {
      guint n = 0;
      for (const char *at = bytes; at < end; at++)
        n += *at == delimiters[i];
      if (n > most)
        {
          most = n;
          best = i;
        }
    }
  return delimiters[best];
}

/* Reads the names. FALSE with INVALID_ARGUMENT: it is no table of points. */
static gboolean
table_open (Table *self, const char *bytes, gsize length, GError **error)
{
  SluiceCsv csv;
  const char *what = _ ("it is empty");
  gsize bom = length >= strlen (BOM) && memcmp (bytes, BOM, strlen (BOM)) == 0 ? strlen (BOM) : 0;
  *self = (Table){ .bytes = bytes, .length = length, .begin = bom };
  self->delimiter = guess_delimiter (bytes + bom, length - bom);
  self->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  g_array_set_clear_func (self->columns, column_clear);
  self->cells = g_ptr_array_new_with_free_func (string_free);
  begin (self, &csv, bom);
  if (next_record (self, &csv, &what) != RECORD_ONE || memchr (bytes, '\0', length) != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the first line has no names: %s",
                        what);
  self->begin = (gsize) (csv.at - bytes);
  self->begin_line = csv.line;
  for (guint i = 0; i < self->n_cells; i++)
    {
      const Column column = { g_utf8_make_valid (g_strstrip (get_cell (self, i)->str), -1),
                              ROLE_SERIES };
      g_array_append_val (self->columns, column);
    }
  find_roles (self);
  find_texts (self);
  gboolean is_points = self->place[ROLE_STEP] >= 0 || self->place[ROLE_WALL] >= 0;
  return is_points
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "no column of it is called step, epoch, iteration, wall_time or "
                         "timestamp; name the one by which its points are in order so");
}

static gboolean
has_series (const Table *self)
{
  gboolean found = self->place[ROLE_VALUE] >= 0;
  for (guint i = 0; i < self->columns->len; i++)
    found |= g_array_index (self->columns, Column, i).role == ROLE_SERIES;
  return found;
}

/* ---- what it is ---- */

static const ImportFormat format;

static void
add_span (ImportSource *source, gsize from, gsize to)
{
  ImportSpan span = { from, to };
  ImportSpan *last = source->spans->len > 0
                         ? &g_array_index (source->spans, ImportSpan, source->spans->len - 1)
                         : NULL;
  if (last != NULL && last->to == from)
    last->to = to;
  else
    g_array_append_val (source->spans, span);
}

static ImportSource *
source_new (const char *path, const char *name, const char *part, const ImportFile *now)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *key = part != NULL ? g_strconcat (path, "#", part, NULL) : g_strdup (path);
  ImportSource *self = sluice_import_source_new (key, folder, g_filename_display_name (name));
  sluice_import_source_add (self, strrchr (path, '/') + 1);
  self->format = &format;
  self->part = g_strdup (part);
  if (part != NULL)
    {
      self->spans = g_array_new (FALSE, FALSE, sizeof (ImportSpan));
      self->spans_mtime = now->mtime;
      self->spans_size = now->size;
    }
  return self;
}

/* A source for each value of the column run. */
static gboolean
split_runs (
    Table *table, const char *path, const ImportFile *now, GPtrArray *sources, GError **error)
{
  g_autoptr (GHashTable) by_part = g_hash_table_new (g_str_hash, g_str_equal);
  SluiceCsv csv;
  const char *what;
  RecordResult result = RECORD_ONE;
  begin (table, &csv, table->begin);
  while (result != RECORD_END)
    {
      const char *from = csv.at;
      result = next_record (table, &csv, &what);
      if (result == RECORD_WRONG)
        skip_line (&csv, from);
      if (result != RECORD_ONE || (guint) table->place[ROLE_RUN] >= table->n_cells)
        continue;
      g_autofree char *part = g_utf8_make_valid (
          g_strstrip (get_cell (table, (guint) table->place[ROLE_RUN])->str), -1);
      ImportSource *source = g_hash_table_lookup (by_part, part);
      if (source == NULL && g_hash_table_size (by_part) == MAX_RUNS)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "its column run has more than %d values", MAX_RUNS);
      if (source == NULL)
        {
          source = source_new (path, *part != '\0' ? part : "run", part, now);
          g_ptr_array_add (sources, source);
          g_hash_table_insert (by_part, source->part, source);
        }
      add_span (source, (gsize) (from - table->bytes), (gsize) (csv.at - table->bytes));
    }
  return TRUE;
}

/* Without its last ending. */
static char *
dup_stem (const char *name)
{
  g_autofree char *plain =
      g_str_has_suffix (name, ".gz") ? g_strndup (name, strlen (name) - 3) : g_strdup (name);
  char *dot = strrchr (plain, '.');
  if (dot != NULL && dot > plain)
    *dot = '\0';
  return g_steal_pointer (&plain);
}

gboolean
sluice_import_find_csv (
    const char *path, const char *name, gboolean in_folder, GPtrArray *sources, GError **error)
{
  const ImportPath at = { (char *) name, (char *) path, FALSE };
  ImportFile now = { 0 };
  g_auto (Table) table = { 0 };
  g_autoptr (GBytes) bytes = sluice_import_read_text (path, error);
  if (bytes == NULL || !sluice_import_look_at (&at, &now))
    return FALSE;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);
  if (!table_open (&table, text, length, error))
    return FALSE;
  /* Data for training may well have a column time. */
  if (!has_series (&table) || (in_folder && table.place[ROLE_STEP] < 0))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "no column of it has numbers");
  if (table.place[ROLE_RUN] >= 0)
    return split_runs (&table, path, &now, sources, error);
  g_autofree char *stem = dup_stem (name);
  g_ptr_array_add (sources, source_new (path, stem, NULL, &now));
  return TRUE;
}

/* ---- points ---- */

typedef struct
{
  ImportReading *reading;
  const ImportPath *path;
  const ImportText *text;
  Table *table;
  gsize offset;   /* of the record at hand */
  gint64 line;    /* the same, from 1 */
  gsize counted;  /* so far lines were counted, */
  gint64 n_lines; /* so many */
} Taking;

static const char *
get_text (const Taking *taking, Role role)
{
  int place = taking->table->place[role];
  return place < 0 ? NULL : g_strstrip (get_cell (taking->table, (guint) place)->str);
}

static void
tell (const Taking *taking, int column, const char *format_text, const char *cell)
{
  g_autofree char *what = g_strdup_printf (format_text, cell);
  sluice_import_add_line_damage (
      taking->reading, taking->path, taking->offset, taking->line,
      column >= 0 ? g_array_index (taking->table->columns, Column, column).name : NULL, what);
}

/* FALSE: the record has no place, which is told. */
static gboolean
read_place (const Taking *taking, gint64 *step, double *wall)
{
  const char *step_text = get_text (taking, ROLE_STEP), *wall_text = get_text (taking, ROLE_WALL);
  *step = taking->line - taking->table->begin_line - 1;
  *wall = taking->text->wall;
  if (step_text != NULL && !sluice_import_parse_int (step_text, step))
    {
      tell (taking, taking->table->place[ROLE_STEP], _ ("“%s” is no step, which is a whole number"),
            step_text);
      return FALSE;
    }
  if (wall_text == NULL || is_missing (wall_text))
    return TRUE;
  double time = sluice_import_parse_time (wall_text);
  if (time == 0)
    tell (taking, taking->table->place[ROLE_WALL],
          _ ("“%s” is no time: seconds since 1970, or as 2026-01-31T12:00:00"), wall_text);
  else
    *wall = time;
  return time != 0;
}

static void
take_cell (const Taking *taking, int column, const char *tag, gint64 step, double wall)
{
  const char *text = g_strstrip (get_cell (taking->table, (guint) column)->str);
  double value;
  if (is_missing (text))
    return;
  if (sluice_import_parse_double (text, &value))
    sluice_import_text_add_point (taking->reading, tag, step, wall, value);
  else
    tell (taking, column, _ ("“%s” is no number"), text);
}

static void
take_record (const Taking *taking)
{
  Table *table = taking->table;
  const char *kind, *tag;
  gint64 step;
  double wall;
  if (table->n_cells != table->columns->len)
    {
      g_autofree char *n = g_strdup_printf ("%u", table->n_cells);
      tell (taking, -1, _ ("%s cells, where the first line has another number of names"), n);
      return;
    }
  if (taking->reading->source->part != NULL
      && g_strcmp0 (get_text (taking, ROLE_RUN), taking->reading->source->part) != 0)
    return;
  kind = get_text (taking, ROLE_KIND);
  if ((kind != NULL && strcmp (kind, "scalar") != 0) || !read_place (taking, &step, &wall))
    return;
  tag = get_text (taking, ROLE_TAG);
  if (tag != NULL)
    take_cell (taking, table->place[ROLE_VALUE], tag, step, wall);
  for (guint i = 0; tag == NULL && i < table->columns->len; i++)
    {
      const Column *column = &g_array_index (table->columns, Column, i);
      if (column->role == ROLE_SERIES)
        take_cell (taking, (int) i, *column->name != '\0' ? column->name : "value", step, wall);
    }
}

/* The last record may be written just now. */
static gboolean
is_whole (const Taking *taking, const SluiceCsv *csv)
{
  return csv->at < csv->end || csv->end[-1] == '\n' || !sluice_import_follows (taking->reading);
}

/* Before an offset, which does not go back. */
static gint64
count_lines (Taking *taking, gsize offset)
{
  taking->n_lines += sluice_import_count_lines (taking->text, taking->counted, offset);
  taking->counted = offset;
  return taking->n_lines;
}

static gboolean
take_span (Taking *taking, gsize from, gsize to, gsize *taken, GError **error)
{
  SluiceCsv csv;
  const char *what = NULL;
  RecordResult result;
  const gint64 first = count_lines (taking, from);
  sluice_csv_init (&csv, taking->text->bytes + from, to - from, taking->table->delimiter, TRUE);
  for (;;)
    {
      const char *at = csv.at;
      taking->offset = (gsize) (at - taking->text->bytes);
      taking->line = first + csv.line + 1;
      result = next_record (taking->table, &csv, &what);
      if (result == RECORD_END || !is_whole (taking, &csv))
        return TRUE;
      if (result == RECORD_WRONG)
        {
          sluice_import_add_line_damage (taking->reading, taking->path, taking->offset,
                                         taking->line, NULL, what);
          skip_line (&csv, at);
          csv.line = taking->line - first;
        }
      else if (result == RECORD_ONE)
        take_record (taking);
      *taken = (gsize) (csv.at - taking->text->bytes);
      if (!sluice_import_text_taken (taking->reading, taking->path, taking->text, *taken, error))
        return FALSE;
    }
}

/* Where the run's records lie, if the file is as it was then. */
static gboolean
knows_spans (const Taking *taking)
{
  const ImportSource *source = taking->reading->source;
  ImportFile now = { 0 };
  return source->spans != NULL && sluice_import_look_at (taking->path, &now)
         && now.mtime == source->spans_mtime && now.size == source->spans_size;
}

static gboolean
take (ImportReading *reading,
      const ImportPath *path,
      const ImportText *text,
      gsize *taken,
      GError **error)
{
  g_auto (Table) table = { 0 };
  g_autoptr (GError) failure = NULL;
  Taking taking = { .reading = reading, .path = path, .text = text, .table = &table };
  if (!table_open (&table, text->bytes, text->length, &failure))
    {
      sluice_import_add_damage (reading, path, 0, g_strdup (failure->message));
      return TRUE;
    }
  gsize from = MAX (text->from, table.begin);
  if (!knows_spans (&taking))
    return take_span (&taking, from, text->length, taken, error);
  for (guint i = 0; i < reading->source->spans->len; i++)
    {
      const ImportSpan *span = &g_array_index (reading->source->spans, ImportSpan, i);
      if (span->to > from && span->to <= text->length
          && !take_span (&taking, MAX (span->from, from), span->to, taken, error))
        return FALSE;
    }
  /* What lies behind the last of them is of other runs. */
  if (!sluice_import_follows (reading))
    *taken = text->length;
  return TRUE;
}

static const ImportFormat format = { .take = take };
