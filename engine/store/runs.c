/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/runs.h"

#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/store/column.h"
#include "engine/store/kind-private.h"
#include "engine/store/sql.h"

/* ---- what people say ---- */

typedef struct
{
  gint64 run;
  const char *sql; /* takes a text (nullable) and the run */
  const char *text;
} SayRequest;

#define SAY(column, value)                                                                         \
  "INSERT INTO run_words (run, " column ") VALUES (?2, " value                                     \
  ") ON CONFLICT (run) DO UPDATE SET " column " = excluded." column

static gboolean
say (sqlite3 *db, gpointer data, GError **error)
{
  const SayRequest *r = data;
  return sluice_sql_change (db, error, r->sql, "si", r->text, r->run);
}

static gboolean
say_text (SluiceStore *self, gint64 run, const char *sql, const char *text, GError **error)
{
  SayRequest request = { run, sql, text };
  return sluice_store_writer_run (sluice_store_get_writer (self), say, &request, error);
}

static gboolean
rename_run (sqlite3 *db, gpointer data, GError **error)
{
  const SayRequest *r = data;
  gint64 n_others;
  if (!sluice_sql_take_number (
          db,
          sluice_sql_prepare (db, error, "SELECT count (*) FROM runs WHERE name = ? AND id <> ?",
                              "si", r->text, r->run),
          &n_others, error))
    return FALSE;
  if (n_others > 0)
    return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                        "there is a run '%s' already, if only in the trash; choose another name",
                        r->text);
  return say (db, data, error);
}

gboolean
sluice_store_set_run_name (SluiceStore *self, gint64 run, const char *name, GError **error)
{
  SayRequest request = { run, "UPDATE runs SET name = ? WHERE id = ?", name };
  return sluice_text_check_name ("the name of the run", name, error)
         && sluice_store_writer_run (sluice_store_get_writer (self), rename_run, &request, error);
}

gboolean
sluice_store_set_run_notes (SluiceStore *self, gint64 run, const char *notes, GError **error)
{
  if (notes != NULL && !g_utf8_validate (notes, -1, NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "notes must be UTF-8 text");
  if (notes != NULL && strlen (notes) > SLUICE_RUN_MAX_NOTES)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "notes may have %" G_GSIZE_FORMAT " bytes, and these have %" G_GSIZE_FORMAT
                        "; put them into a file and name that",
                        SLUICE_RUN_MAX_NOTES, strlen (notes));
  return say_text (self, run, SAY ("notes", "nullif (?1, '')"), notes, error);
}

gboolean
sluice_store_set_run_group (SluiceStore *self, gint64 run, const char *group, GError **error)
{
  return (group == NULL || sluice_text_check_name ("the name of the group", group, error))
         && say_text (self, run, SAY ("run_group", "?1"), group, error);
}

gboolean
sluice_store_set_run_starred (SluiceStore *self, gint64 run, gboolean is_starred, GError **error)
{
  return say_text (self, run, SAY ("starred", "?1 IS NOT NULL"), is_starred ? "" : NULL, error);
}

gboolean
sluice_store_set_run_color (SluiceStore *self, gint64 run, const char *color, GError **error)
{
  g_autofree char *lower = color != NULL ? g_ascii_strdown (color, -1) : NULL;
  gboolean is_good =
      color == NULL
      || (strlen (lower) == 7 && lower[0] == '#' && strspn (lower + 1, "0123456789abcdef") == 6);
  return (is_good
          || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "'%s' is no colour; write red, green and blue as #3584e4", color))
         && say_text (self, run, SAY ("color", "?1"), lower, error);
}

static gboolean
plan_draft (sqlite3 *db, gpointer data, GError **error)
{
  const SluiceRunInfo *info = data;
  return sluice_sql_change (
             db, error, "UPDATE runs SET n_steps = ?, message = ? WHERE id = ? AND state = ?",
             "isii", info->n_steps, info->message, info->id, (gint64) SLUICE_RUN_DRAFT)
         && sluice_sql_change (
             db, error,
             "INSERT INTO run_words (run, parent, parent_step) SELECT id, nullif (?2, 0), "
             "iif (?2 = 0, NULL, ?3) FROM runs WHERE id = ?1 AND state = ?4 ON CONFLICT (run) DO "
             "UPDATE SET parent = excluded.parent, parent_step = excluded.parent_step",
             "iiii", info->id, info->parent, info->parent_step, (gint64) SLUICE_RUN_DRAFT);
}

gboolean
sluice_store_plan_draft (SluiceStore *self, const SluiceRunInfo *info, GError **error)
{
  return sluice_store_writer_run (sluice_store_get_writer (self), plan_draft, (gpointer) info,
                                  error);
}

gboolean
sluice_store_set_run_tag (
    SluiceStore *self, gint64 run, const char *tag, gboolean has_it, GError **error)
{
  return (!has_it || sluice_text_check_name ("the tag", tag, error))
         && say_text (self, run,
                      has_it ? "INSERT OR IGNORE INTO run_tags (tag, run) VALUES (?, ?)"
                             : "DELETE FROM run_tags WHERE tag = ? AND run = ?",
                      tag, error);
}

/* ---- results ---- */

SluiceBest
sluice_tag_get_better (const char *tag)
{
  static const char *const least[] = { "loss", "error", "err", "perplexity", "bits",
                                       "cost", "mse",   "mae", "rmse",       "nll",
                                       "wer",  "fid",   "cer", "bits_per_b", "kl" };
  static const char *const greatest[] = { "accuracy", "acc",  "precision", "recall",
                                          "f1",       "auc",  "return",    "reward",
                                          "score",    "bleu", "psnr",      "ssim",
                                          "iou",      "map",  "r2",        "mrr" };
  const char *name = strrchr (tag, '/');
  g_autofree char *lower = g_ascii_strdown (name != NULL ? name + 1 : tag, -1);
  g_auto (GStrv) words = g_strsplit_set (lower, "_-. :@", -1);
  for (guint i = g_strv_length (words); i-- > 0;) /* what it is stands last: "accuracy_loss" */
    for (guint k = 0; k < MAX (G_N_ELEMENTS (least), G_N_ELEMENTS (greatest)); k++)
      if (k < G_N_ELEMENTS (least) && strcmp (words[i], least[k]) == 0)
        return SLUICE_BEST_LEAST;
      else if (k < G_N_ELEMENTS (greatest) && strcmp (words[i], greatest[k]) == 0)
        return SLUICE_BEST_GREATEST;
  return SLUICE_BEST_UNKNOWN;
}

gboolean
sluice_run_result_get_best (const SluiceRunResult *self, double *best, gint64 *step)
{
  SluiceBest better = sluice_tag_get_better (self->tag);
  *best = better == SLUICE_BEST_GREATEST ? self->max : self->min;
  *step = better == SLUICE_BEST_GREATEST ? self->max_step : self->min_step;
  return better != SLUICE_BEST_UNKNOWN && !isnan (*best);
}

static void
result_free (gpointer data)
{
  SluiceRunResult *self = data;
  g_free (self->tag);
  g_free (self);
}

/* Columns from `at` on: what scalar_chunks has beside the points of a chunk. */
#define CHUNK_COLUMNS                                                                              \
  "c.n, c.n_nonfinite, c.first_step, c.last_step, c.first_value, c.last_value, c.min, "            \
  "c.min_step, "                                                                                   \
  "c.max, c.max_step"

static void
add_chunk (SluiceRunResult *self, sqlite3_stmt *row, int at)
{
  gint64 n = sqlite3_column_int64 (row, at), n_nonfinite = sqlite3_column_int64 (row, at + 1);
  double min = sluice_column_double (row, at + 6), max = sluice_column_double (row, at + 8);
  if (self->n == 0)
    {
      self->first_step = sqlite3_column_int64 (row, at + 2);
      self->first = sluice_column_double (row, at + 4);
    }
  self->n += n;
  self->n_nonfinite += n_nonfinite;
  self->last_step = sqlite3_column_int64 (row, at + 3);
  self->last = sluice_column_double (row, at + 5);
  if (n == n_nonfinite)
    return;
  if (!(self->min <= min))
    {
      self->min = min;
      self->min_step = sqlite3_column_int64 (row, at + 7);
    }
  if (!(self->max >= max))
    {
      self->max = max;
      self->max_step = sqlite3_column_int64 (row, at + 9);
    }
}

static SluiceRunResult *
result_new (sqlite3_stmt *row, int column)
{
  SluiceRunResult *self = g_new0 (SluiceRunResult, 1);
  self->tag = sluice_column_dup_text (row, column);
  self->min = self->max = NAN;
  return self;
}

/* ---- the table ---- */

void
sluice_run_entry_free (SluiceRunEntry *self)
{
  sluice_run_info_free (self->info);
  g_ptr_array_unref (self->settings);
  g_ptr_array_unref (self->results);
  g_free (self);
}

const SluiceSetting *
sluice_run_entry_get_setting (const SluiceRunEntry *self, const char *name)
{
  for (guint i = 0; i < self->settings->len; i++)
    {
      const SluiceSetting *setting = self->settings->pdata[i];
      if (strcmp (setting->name, name) == 0)
        return setting;
    }
  return NULL;
}

const SluiceRunResult *
sluice_run_entry_get_result (const SluiceRunEntry *self, const char *tag)
{
  for (guint i = 0; i < self->results->len; i++)
    {
      const SluiceRunResult *result = self->results->pdata[i];
      if (strcmp (result->tag, tag) == 0)
        return result;
    }
  return NULL;
}

/* Calls func with the rows of a statement whose first column is the run's number. */
typedef void (*RowFunc) (SluiceRunEntry *self, sqlite3_stmt *row);

static gboolean
each_row (sqlite3 *db, GHashTable *by_run, const char *sql, RowFunc func, GError **error)
{
  sqlite3_stmt *row = sluice_sql_prepare (db, error, sql, "");
  int rc;
  while ((rc = sluice_sql_step (db, row, error)) == SQLITE_ROW)
    {
      gint64 run = sqlite3_column_int64 (row, 0);
      SluiceRunEntry *self = g_hash_table_lookup (by_run, &run);
      if (self != NULL)
        func (self, row);
    }
  sqlite3_finalize (row);
  return rc == SQLITE_DONE;
}

static void
take_settings (SluiceRunEntry *self, sqlite3_stmt *row)
{
  g_autoptr (GBytes) bytes = sluice_column_dup_bytes (row, 1);
  SluiceBytesRecord *record = sluice_hparams_new (0, 0, bytes);
  g_ptr_array_unref (self->settings);
  self->settings = sluice_hparams_dup_settings (record);
  sluice_record_free (&record->base);
}

/* Chunks of a series come one after the other. */
static void
take_chunk (SluiceRunEntry *self, sqlite3_stmt *row)
{
  SluiceRunResult *last =
      self->results->len > 0 ? self->results->pdata[self->results->len - 1] : NULL;
  const char *tag = (const char *) sqlite3_column_text (row, 1);
  if (tag == NULL)
    return;
  if (last == NULL || strcmp (last->tag, tag) != 0)
    {
      last = result_new (row, 1);
      g_ptr_array_add (self->results, last);
    }
  add_chunk (last, row, 2);
}

static gboolean
read_columns (sqlite3 *db, GHashTable *by_run, GError **error)
{
  return each_row (db, by_run,
                   "SELECT s.run, h.data FROM series s JOIN hparams h ON h.series = s.id "
                   "WHERE s.tag = '" SLUICE_HPARAMS_START_TAG "'",
                   take_settings, error)
         && each_row (db, by_run,
                      "SELECT s.run, s.tag, " CHUNK_COLUMNS " FROM series s JOIN scalar_chunks c "
                      "ON c.series = s.id ORDER BY s.run, s.tag, c.first_step, c.segment",
                      take_chunk, error);
}

GPtrArray *
sluice_store_read_run_entries (SluiceStore *self, gboolean trash, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  if (db == NULL)
    return NULL;
  g_autoptr (GPtrArray) rows =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_entry_free);
  g_autoptr (GHashTable) by_run = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GPtrArray) runs = sluice_store_list_runs (self, db, trash, error);
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    {
      SluiceRunEntry *row = g_new0 (SluiceRunEntry, 1);
      row->info = sluice_run_info_copy (runs->pdata[i]);
      row->settings = g_ptr_array_new_with_free_func (sluice_setting_free);
      row->results = g_ptr_array_new_with_free_func (result_free);
      g_ptr_array_add (rows, row);
      g_hash_table_insert (by_run, &row->info->id, row);
    }
  gboolean ok = runs != NULL && read_columns (db, by_run, error);
  sluice_store_put_reader (self, db);
  return ok ? g_steal_pointer (&rows) : NULL;
}
