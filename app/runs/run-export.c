/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-export.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "engine/store/kinds/hparams.h"

/* ---- CSV ---- */

/* RFC 4180: a field is quoted where it has to be. */
static void
append_field (GString *out, const char *text)
{
  if (strpbrk (text, ",\"\r\n") == NULL)
    {
      g_string_append (out, text);
      return;
    }
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++)
    {
      if (*text == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *text);
    }
  g_string_append_c (out, '"');
}

static void
append_cell (GString *out, const SluiceRunColumn *column, const SluiceRunEntry *entry)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  double number;
  if (column->kind == SLUICE_RUN_COLUMN_STAR)
    g_string_append_c (out, entry->info->is_starred ? '1' : '0');
  else if (column->kind == SLUICE_RUN_COLUMN_SEED)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, entry->info->seed);
  else if (column->kind == SLUICE_RUN_COLUMN_STATE)
    g_string_append (out, sluice_run_state_name (entry->info->state));
  else if (sluice_run_column_get_number (column, entry, &number))
    append_field (out, g_ascii_dtostr (digits, sizeof digits, number));
  else
    {
      g_autofree char *text = sluice_run_column_dup_text (column, entry);
      append_field (out, text);
    }
}

char *
sluice_run_export_dup_csv (GPtrArray *entries, GPtrArray *columns)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < columns->len; i++)
    {
      if (i > 0)
        g_string_append_c (out, ',');
      append_field (out, ((const SluiceRunColumn *) columns->pdata[i])->id);
    }
  g_string_append (out, "\r\n");
  for (guint i = 0; i < entries->len; i++)
    {
      for (guint k = 0; k < columns->len; k++)
        {
          if (k > 0)
            g_string_append_c (out, ',');
          append_cell (out, columns->pdata[k], entries->pdata[i]);
        }
      g_string_append (out, "\r\n");
    }
  return g_string_free (out, FALSE);
}

/* ---- JSON ---- */

/* NaN and infinities, which JSON has no numbers for, are null. */
static void
add_number (JsonBuilder *b, const char *name, double value)
{
  json_builder_set_member_name (b, name);
  if (isfinite (value))
    json_builder_add_double_value (b, value);
  else
    json_builder_add_null_value (b);
}

static void
add_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_string_value (b, value);
}

static void
add_settings (JsonBuilder *b, GPtrArray *settings)
{
  json_builder_set_member_name (b, "settings");
  json_builder_begin_object (b);
  for (guint i = 0; i < settings->len; i++)
    {
      const SluiceSetting *setting = settings->pdata[i];
      if (setting->text != NULL)
        add_string (b, setting->name, setting->text);
      else
        add_number (b, setting->name, setting->number);
    }
  json_builder_end_object (b);
}

static void
add_results (JsonBuilder *b, GPtrArray *results)
{
  json_builder_set_member_name (b, "results");
  json_builder_begin_object (b);
  for (guint i = 0; i < results->len; i++)
    {
      const SluiceRunResult *result = results->pdata[i];
      double best;
      gint64 step;
      json_builder_set_member_name (b, result->tag);
      json_builder_begin_object (b);
      add_number (b, "first", result->first);
      add_number (b, "last", result->last);
      add_number (b, "best", sluice_run_result_get_best (result, &best, &step) ? best : NAN);
      json_builder_end_object (b);
    }
  json_builder_end_object (b);
}

static char *
dup_line (const SluiceRunEntry *entry)
{
  const SluiceRunInfo *info = entry->info;
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "id");
  json_builder_add_int_value (b, info->id);
  add_string (b, "run", info->name);
  add_string (b, "state", sluice_run_state_name (info->state));
  json_builder_set_member_name (b, "step");
  json_builder_add_int_value (b, info->step);
  json_builder_set_member_name (b, "tags");
  json_builder_begin_array (b);
  for (guint i = 0; info->tags != NULL && info->tags[i] != NULL; i++)
    json_builder_add_string_value (b, info->tags[i]);
  json_builder_end_array (b);
  add_settings (b, entry->settings);
  add_results (b, entry->results);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

char *
sluice_run_export_dup_json_lines (GPtrArray *entries)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < entries->len; i++)
    {
      g_autofree char *line = dup_line (entries->pdata[i]);
      g_string_append_printf (out, "%s\n", line);
    }
  return g_string_free (out, FALSE);
}
