/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Rows of the table as files: what has to be quoted is, numbers bring their values back. */

#include "app/runs/run-export.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "engine/store/kinds/hparams.h"

static SluiceRunEntry *
entry_new (const char *name, double rate, double loss)
{
  SluiceRunEntry *self = g_new0 (SluiceRunEntry, 1);
  SluiceSetting *setting = g_new0 (SluiceSetting, 1);
  SluiceRunResult *result = g_new0 (SluiceRunResult, 1);
  self->info = g_new0 (SluiceRunInfo, 1);
  *self->info = (SluiceRunInfo){ .id = 7,
                                 .name = g_strdup (name),
                                 .state = SLUICE_RUN_FINISHED,
                                 .seed = G_MAXUINT64,
                                 .tags = g_strsplit ("a,b", ",", -1) };
  *setting = (SluiceSetting){ g_strdup ("rate"), rate, NULL };
  *result =
      (SluiceRunResult){ .tag = g_strdup ("loss"), .n = 2, .last = loss, .min = loss, .max = loss };
  self->settings = g_ptr_array_new_with_free_func (sluice_setting_free);
  self->results = g_ptr_array_new ();
  g_ptr_array_add (self->settings, setting);
  g_ptr_array_add (self->results, result);
  return self;
}

static void
entry_clear (SluiceRunEntry *self)
{
  SluiceRunResult *result = self->results->pdata[0];
  g_free (result->tag);
  g_free (result);
  sluice_run_entry_free (self);
}

static void
test_csv (void)
{
  static const char *const wanted[] = { "name", "seed", "tags", "last:loss", "setting:rate" };
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();
  g_ptr_array_add (entries, entry_new ("a \"b\", c\nd", 0.1, NAN));
  g_autoptr (GPtrArray) columns = sluice_run_columns_new (entries);
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    for (guint k = 0; k < columns->len; k++)
      if (strcmp (((SluiceRunColumn *) columns->pdata[k])->id, wanted[i]) == 0)
        g_ptr_array_add (shown, columns->pdata[k]);
  g_assert_cmpuint (shown->len, ==, G_N_ELEMENTS (wanted));
  g_autofree char *csv = sluice_run_export_dup_csv (entries, shown);
  g_assert_cmpstr (
      csv, ==,
      "name,seed,tags,last:loss,setting:rate\r\n"
      "\"a \"\"b\"\", c\nd\",18446744073709551615,\"a, b\",nan,0.10000000000000001\r\n");
  entry_clear (entries->pdata[0]);
}

static void
test_json (void)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  g_ptr_array_add (entries, entry_new ("one", 0.1, NAN));
  g_ptr_array_add (entries, entry_new ("two", 2, 0.5));
  g_autofree char *text = sluice_run_export_dup_json_lines (entries);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 3); /* the last one is empty */
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_assert_true (json_parser_load_from_data (parser, lines[0], -1, &error));
  JsonObject *object = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpstr (json_object_get_string_member (object, "run"), ==, "one");
  g_assert_cmpstr (json_object_get_string_member (object, "state"), ==, "finished");
  JsonObject *settings = json_object_get_object_member (object, "settings");
  g_assert_cmpfloat (json_object_get_double_member (settings, "rate"), ==, 0.1);
  JsonObject *loss =
      json_object_get_object_member (json_object_get_object_member (object, "results"), "loss");
  g_assert_true (json_object_get_null_member (loss, "last"));
  for (guint i = 0; i < entries->len; i++)
    entry_clear (entries->pdata[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/run-export/csv", test_csv);
  g_test_add_func ("/app/run-export/json", test_json);
  return g_test_run ();
}
