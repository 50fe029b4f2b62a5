/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/preflight-card.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/json.h"
#include "engine/base/text.h"

/* ---- JSON ---- */

static void
add_number (JsonBuilder *b, const char *name, double value)
{
  if (isnan (value))
    sluice_cli_json_null (b, name);
  else
    sluice_cli_json_double (b, name, value);
}

static void
add_count (JsonBuilder *b, const char *name, const gint64 *value)
{
  if (value != NULL)
    sluice_cli_json_int (b, name, *value);
  else
    sluice_cli_json_null (b, name);
}

static void
add_counts (JsonBuilder *b, const char *name, const gint64 *counts, guint n)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (guint i = 0; i < n; i++)
    json_builder_add_int_value (b, counts[i]);
  json_builder_end_array (b);
}

/* Of what the item is not of, there is none. */
static void
add_spread (JsonBuilder *b, const SluicePreflightItem *item)
{
  const SluicePreflightSpread *spread = item->spread;
  add_number (b, "min", spread != NULL ? spread->min : NAN);
  add_number (b, "max", spread != NULL ? spread->max : NAN);
  add_count (b, "elements", spread != NULL ? &spread->n_elements : NULL);
  add_count (b, "zeros", spread != NULL ? &spread->n_zeros : NULL);
  add_count (b, "non_finite", spread != NULL ? &spread->n_non_finite : NULL);
  add_counts (b, "bins", spread != NULL ? spread->bins : NULL,
              spread != NULL ? SLUICE_PREFLIGHT_BINS : 0);
  add_counts (b, "counts", item->counts != NULL ? (const gint64 *) item->counts->data : NULL,
              item->counts != NULL ? item->counts->len : 0);
}

static void
add_item (JsonBuilder *b, const SluicePreflightItem *item)
{
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "what", item->what);
  sluice_cli_json_string (b, "name", item->name);
  add_number (b, "value", item->value);
  add_number (b, "plus_minus", item->plus_minus);
  sluice_cli_json_string (b, "unit", item->unit);
  sluice_cli_json_string (b, "text", item->text);
  sluice_cli_json_string (b, "level", sluice_preflight_level_name (item->level));
  sluice_cli_json_string (b, "action", item->action);
  add_number (b, "limit", item->limit);
  sluice_cli_json_string (b, "source", item->source);
  sluice_cli_json_string (b, "set", item->set);
  sluice_cli_json_string (b, "node", item->node);
  add_spread (b, item);
  json_builder_end_object (b);
}

static void
add_rows (JsonBuilder *b, const char *name, const GPtrArray *rows)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (guint i = 0; i < rows->len; i++)
    {
      const SluiceStartRow *row = rows->pdata[i];
      gboolean is_there = row->there_dtype != SLUICE_INVALID;
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "name", row->name);
      sluice_cli_json_string (b, "fit", sluice_start_fit_name (row->fit));
      sluice_cli_json_string (b, "dtype", sluice_dtype_name (row->dtype));
      sluice_cli_json_shape (b, "shape", &row->shape);
      sluice_cli_json_string (b, "there_dtype",
                              is_there ? sluice_dtype_name (row->there_dtype) : NULL);
      sluice_cli_json_shape (b, "there_shape", &row->there_shape);
      sluice_cli_json_string (b, "suggestion", row->suggestion);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
add_start (JsonBuilder *b, const SluiceStartTable *table, const char *checkpoint)
{
  json_builder_set_member_name (b, "start");
  if (table == NULL)
    {
      json_builder_add_null_value (b);
      return;
    }
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "checkpoint", checkpoint);
  sluice_cli_json_int (b, "fit", table->n_fit);
  add_rows (b, "rows", table->rows);
  add_rows (b, "unused", table->unused);
  json_builder_end_object (b);
}

static void
print_json (const SluicePreflight *card, const char *checkpoint)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_bool (b, "ok", card->ok);
  json_builder_set_member_name (b, "items");
  json_builder_begin_array (b);
  for (guint i = 0; i < card->items->len; i++)
    add_item (b, card->items->pdata[i]);
  json_builder_end_array (b);
  add_start (b, card->start, checkpoint);
  sluice_cli_json_end (b);
}

/* ---- text ---- */

static void
print_line (const char *text)
{
  g_autofree char *safe = sluice_text_escape (text);
  puts (safe);
}

static void
print_row (const SluiceStartRow *row)
{
  char own[SLUICE_SHAPE_STR], there[SLUICE_SHAPE_STR];
  g_autoptr (GString) line = g_string_new (NULL);
  g_string_append_printf (line, "  %-12s %s  %s%s", _ (sluice_start_fit_name (row->fit)), row->name,
                          sluice_dtype_name (row->dtype), sluice_shape_str (&row->shape, own));
  if (row->fit == SLUICE_START_OTHER_SHAPE || row->fit == SLUICE_START_OTHER_DTYPE)
    g_string_append_printf (line, _ (", there %s%s"), sluice_dtype_name (row->there_dtype),
                            sluice_shape_str (&row->there_shape, there));
  if (row->suggestion != NULL)
    g_string_append_printf (line, _ (" (is it '%s'?)"), row->suggestion);
  print_line (line->str);
}

/* Where no step can be taken, the plan's figures stand for those that would be measured, too. */
static gboolean
is_told_before (const SluicePreflight *card, guint i)
{
  const SluicePreflightItem *item = card->items->pdata[i];
  for (guint k = 0; k < i; k++)
    {
      const SluicePreflightItem *before = card->items->pdata[k];
      if (before->level == item->level && strcmp (before->text, item->text) == 0
          && g_strcmp0 (before->action, item->action) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
print_text (const SluicePreflight *card, const char *checkpoint)
{
  for (guint i = 0; i < card->items->len; i++)
    {
      const SluicePreflightItem *item = card->items->pdata[i];
      g_autoptr (GString) line = g_string_new (NULL);
      if (is_told_before (card, i))
        continue;
      g_string_append_printf (line, "%-5s %s", _ (sluice_preflight_level_name (item->level)),
                              item->text);
      if (item->action != NULL)
        g_string_append_printf (line, " – %s", item->action);
      if (item->set != NULL)
        g_string_append_printf (line, " (%s)", item->set);
      print_line (line->str);
    }
  if (card->start == NULL)
    return;
  g_autofree char *heading = g_strdup_printf (_ ("from %s:"), checkpoint);
  print_line (heading);
  for (guint i = 0; i < card->start->rows->len; i++)
    print_row (card->start->rows->pdata[i]);
  for (guint i = 0; i < card->start->unused->len; i++)
    print_row (card->start->unused->pdata[i]);
}

void
sluice_cli_print_preflight (const SluicePreflight *card, const char *checkpoint)
{
  if (sluice_cli_json)
    print_json (card, checkpoint);
  else
    print_text (card, checkpoint);
}
