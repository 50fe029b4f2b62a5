/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/runs-importance.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>

#include "app/cli/json.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/train/importance.h"

static void
print_line (const SluiceSettingImportance *setting)
{
  g_autoptr (GString) line = g_string_new (setting->name);
  if (setting->why != NULL)
    g_string_append_printf (line, "  %s", _ (setting->why));
  else
    g_string_append_printf (line, "  %.0f %% ± %.0f", 100 * setting->share,
                            100 * setting->plus_minus);
  g_string_append_printf (line, ngettext ("  (%u value)", "  (%u values)", setting->n_values),
                          setting->n_values);
  if (!isnan (setting->correlation))
    g_string_append_printf (line, _ ("  correlation %+.2f"), setting->correlation);
  g_autofree char *safe = sluice_text_escape (line->str);
  puts (safe);
}

static void
print_text (const SluiceImportance *self)
{
  g_autofree char *head = g_strdup_printf (
      ngettext ("how much of the order of %s each setting explains, of %u run",
                "how much of the order of %s each setting explains, of %u runs", self->n),
      self->result, self->n);
  g_autofree char *safe = sluice_text_escape (head);
  puts (safe);
  for (guint i = 0; i < self->settings->len; i++)
    print_line (self->settings->pdata[i]);
  if (self->settings->len == 0)
    puts (_ ("no setting differs between them"));
}

static void
add_number (JsonBuilder *b, const char *name, double value)
{
  if (isnan (value))
    sluice_cli_json_null (b, name);
  else
    sluice_cli_json_double (b, name, value);
}

static void
print_json (const SluiceImportance *self)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "result", self->result);
  sluice_cli_json_int (b, "runs", self->n);
  sluice_cli_json_int (b, "without", self->n_without);
  json_builder_set_member_name (b, "settings");
  json_builder_begin_array (b);
  for (guint i = 0; i < self->settings->len; i++)
    {
      const SluiceSettingImportance *setting = self->settings->pdata[i];
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "name", setting->name);
      sluice_cli_json_int (b, "values", setting->n_values);
      sluice_cli_json_int (b, "levels", setting->n_levels);
      add_number (b, "share", setting->share);
      add_number (b, "plus_minus", setting->plus_minus);
      add_number (b, "correlation", setting->correlation);
      sluice_cli_json_string (b, "why", setting->why != NULL ? _ (setting->why) : NULL);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

gboolean
sluice_cli_print_importance (SluiceStore *store,
                             const SluiceRunFilter *wanted,
                             const char *result,
                             GError **error)
{
  g_autoptr (GPtrArray) all = sluice_store_read_run_entries (store, FALSE, error);
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  if (all == NULL)
    return FALSE;
  for (guint i = 0; i < all->len; i++)
    if (wanted == NULL || sluice_run_filter_matches (wanted, all->pdata[i]))
      g_ptr_array_add (entries, all->pdata[i]);
  const char *tag = result != NULL ? result : sluice_importance_choose_result (entries);
  if (tag == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "none of %u runs has a loss or an evaluation; --result names what counts",
                        entries->len);
  g_autoptr (SluiceImportance) self = sluice_importance_new (entries, tag);
  if (self->n == 0)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "none of %u runs has the result '%s'",
                        entries->len, tag);
  if (sluice_cli_json)
    print_json (self);
  else
    print_text (self);
  return TRUE;
}
