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
#include "engine/store/import-part.h"

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
  const char *bytes; /* of the file's begin */
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
  RECORD_CUT,   /* its part of the file ends before it does */
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

/* is_cut: what csv reads goes on behind its end. A record that is the first of a part, and ends in
 * none, is too long. */
static RecordResult
next_of_part (Table *self, SluiceCsv *csv, gboolean is_cut, gboolean is_first, const char **what)
{
  RecordResult result = next_record (self, csv, what);
  gboolean is_whole = result != RECORD_WRONG && (csv->at < csv->end || csv->end[-1] == '\n');
  if (!is_cut || result == RECORD_END || is_whole)
    return result;
  if (!is_first)
    return RECORD_CUT;
  if (result != RECORD_WRONG)
    *what = _ ("it is longer than what is read at a time");
  return RECORD_WRONG;
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

/* Where bytes of 0 begin, which are no text: a program that was killed leaves them at a file's end,
 * many or few. The part's end, where there are none. */
static gsize
end_of_text (const ImportText *text, gsize from)
{
  const char *begin = text->bytes + (from - text->base), *end = text->bytes + text->length;
  const char *zero = memchr (begin, '\0', (gsize) (end - begin));
  return (gsize) ((zero != NULL ? zero : end) - text->bytes) + text->base;
}

/* Between two offsets of a file. */
static void
begin_part (const Table *self, SluiceCsv *csv, const ImportText *text, gsize from, gsize to)
{
  sluice_csv_init (csv, text->bytes + (from - text->base), to - from, self->delimiter, TRUE);
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
  length = strnlen (bytes, length);
  SluiceCsv csv;
  const char *what = _ ("it is empty");
  gsize bom = length >= strlen (BOM) && memcmp (bytes, BOM, strlen (BOM)) == 0 ? strlen (BOM) : 0;
  *self = (Table){ .bytes = bytes, .length = length, .begin = bom };
  self->delimiter = guess_delimiter (bytes + bom, length - bom);
  self->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  g_array_set_clear_func (self->columns, column_clear);
  self->cells = g_ptr_array_new_with_free_func (string_free);
  begin (self, &csv, bom);
  if (next_record (self, &csv, &what) != RECORD_ONE)
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

typedef struct
{
  const char *path;
  const ImportFile *now;
  GPtrArray *sources;  /* of ImportSource */
  GHashTable *by_part; /* the same */
} Splitting;

/* (nullable): there are too many */
static ImportSource *
get_run (Splitting *self, const char *name, GError **error)
{
  g_autofree char *part = g_utf8_make_valid (name, -1);
  ImportSource *source = g_hash_table_lookup (self->by_part, part);
  if (source == NULL && g_hash_table_size (self->by_part) == MAX_RUNS)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "its column run has more than %d values",
                 MAX_RUNS);
  else if (source == NULL)
    {
      source = source_new (self->path, *part != '\0' ? part : "run", part, self->now);
      g_ptr_array_add (self->sources, source);
      g_hash_table_insert (self->by_part, source->part, source);
    }
  return source;
}

/* from: (inout): where the next part begins */
static gboolean
split_part (Splitting *self, Table *table, const ImportText *text, gsize *from, GError **error)
{
  SluiceCsv csv;
  const char *what;
  guint run = (guint) table->place[ROLE_RUN];
  gsize end = text->base + text->length, to = end_of_text (text, *from);
  gboolean is_cut = !text->ends && to == end;
  begin_part (table, &csv, text, *from, to);
  for (const char *first = csv.at;;)
    {
      const char *at = csv.at;
      RecordResult result = next_of_part (table, &csv, is_cut, at == first, &what);
      *from = (gsize) ((result == RECORD_CUT ? at : csv.at) - text->bytes) + text->base;
      if (result == RECORD_END && to < end)
        *from = end;
      if (result == RECORD_END || result == RECORD_CUT)
        return TRUE;
      if (result == RECORD_WRONG)
        skip_line (&csv, at);
      if (result != RECORD_ONE || run >= table->n_cells)
        continue;
      ImportSource *source = get_run (self, g_strstrip (get_cell (table, run)->str), error);
      if (source == NULL)
        return FALSE;
      add_span (source, (gsize) (at - text->bytes) + text->base, *from);
    }
}

/* A source for each value of the column run. */
static gboolean
split_runs (Table *table, ImportParts *parts, Splitting *how, GError **error)
{
  g_autoptr (GHashTable) by_part = g_hash_table_new (g_str_hash, g_str_equal);
  ImportText text = { 0 };
  gsize from = table->begin;
  how->by_part = by_part;
  do
    if (!sluice_import_parts_read (parts, from, &text, error)
        || !split_part (how, table, &text, &from, error))
      return FALSE;
  while (!text.ends);
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
  g_auto (ImportParts) parts = { .fd = -1 };
  ImportText text = { 0 };
  if (!sluice_import_parts_open (&parts, path, error) || !sluice_import_look_at (&at, &now)
      || !sluice_import_parts_read (&parts, 0, &text, error)
      || !table_open (&table, text.head, text.head_length, error))
    return FALSE;
  /* Data for training may well have a column time. */
  if (!has_series (&table) || (in_folder && table.place[ROLE_STEP] < 0))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "no column of it has numbers");
  Splitting how = { .path = path, .now = &now, .sources = sources };
  if (table.place[ROLE_RUN] >= 0)
    return split_runs (&table, &parts, &how, error);
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

/* is_cut: what lies between the offsets goes on behind them. all: (out): that was taken */
static gboolean
take_span (Taking *taking,
           gsize from,
           gsize to,
           gboolean is_cut,
           gsize *taken,
           gboolean *all,
           GError **error)
{
  SluiceCsv csv;
  const char *what = NULL;
  const ImportText *text = taking->text;
  const gint64 first = count_lines (taking, from);
  begin_part (taking->table, &csv, text, from, to);
  *all = FALSE;
  for (;;)
    {
      const char *at = csv.at;
      taking->offset = (gsize) (at - text->bytes) + text->base;
      taking->line = first + csv.line + 1;
      RecordResult result =
          next_of_part (taking->table, &csv, is_cut, taking->offset == text->from, &what);
      if (result == RECORD_CUT)
        {
          *taken = taking->offset;
          return TRUE;
        }
      *all = result == RECORD_END || !is_whole (taking, &csv);
      if (*all)
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
      *taken = (gsize) (csv.at - text->bytes) + text->base;
      if (!sluice_import_text_taken (taking->reading, taking->path, text, *taken, error))
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

/* Where the last line of a part ends, behind what was taken of it; its end, where it has none. */
static gsize
end_of_lines (const ImportText *text, gsize from)
{
  const char *begin = text->bytes + (from - text->base), *end = text->bytes + text->length;
  const char *newline = memrchr (begin, '\n', (gsize) (end - begin));
  return newline != NULL     ? (gsize) (newline + 1 - text->bytes) + text->base
         : from > text->from ? from
                             : text->base + text->length;
}

/* The records of the run, where they are known to lie. */
static gboolean
take_spans (Taking *taking, gsize from, gsize *taken, GError **error)
{
  const ImportText *text = taking->text;
  const GArray *spans = taking->reading->source->spans;
  gsize end = text->base + text->length;
  gboolean all = TRUE;
  for (guint i = 0; i < spans->len && all; i++)
    {
      const ImportSpan *span = &g_array_index (spans, ImportSpan, i);
      gboolean is_cut = span->to > end && !text->ends;
      if (span->to <= from || span->from >= end || (span->to > end && text->ends))
        continue;
      gsize begins = MAX (span->from, from);
      *taken = begins;
      if (!take_span (taking, begins, MIN (span->to, end), is_cut, taken, &all, error))
        return FALSE;
    }
  /* What lies behind the last of them is of other runs; a file that has grown is known again by the
   * end of a line. */
  if (all && !text->ends)
    *taken = end_of_lines (text, *taken);
  else if (all && !sluice_import_follows (taking->reading))
    *taken = end;
  return TRUE;
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
  Taking taking = { .reading = reading,
                    .path = path,
                    .text = text,
                    .table = &table,
                    .counted = text->base,
                    .n_lines = text->n_lines };
  gboolean all;
  if (!table_open (&table, text->head, text->head_length, &failure))
    {
      sluice_import_add_damage (reading, path, 0, g_strdup (failure->message));
      return TRUE;
    }
  gsize from = MAX (text->from, table.begin), end = text->base + text->length;
  if (from >= end)
    return TRUE;
  if (knows_spans (&taking))
    return take_spans (&taking, from, taken, error);
  gsize to = end_of_text (text, from);
  if (!take_span (&taking, from, to, to == end && !text->ends, taken, &all, error))
    return FALSE;
  if (to == end)
    return TRUE;
  if (to > from) /* told once */
    sluice_import_add_damage (reading, path, to, g_strdup (_ ("bytes of 0 are no text")));
  *taken = end;
  return TRUE;
}

static const ImportFormat format = { .in_parts = TRUE, .take = take };
