/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/store/checkpoint-file.h"

static gboolean leave_out;

static const GOptionEntry options[] = {
  { "leave-out", 0, 0, G_OPTION_ARG_NONE, &leave_out,
    N_ ("Leave out, and tell, the tensors that OUT cannot hold: strings and complex numbers in "
        "safetensors"),
    NULL },
  G_OPTION_ENTRY_NULL,
};

static void
report (SluiceCheckpointFile *file, const char *to, const GPtrArray *left_out)
{
  g_autofree char *format = sluice_checkpoint_file_dup_format (file);
  guint n = sluice_checkpoint_file_list (file)->len - left_out->len;
  if (!sluice_cli_json)
    {
      printf (_ ("%u tensors of a %s written to '%s'\n"), n, format, to);
      for (guint i = 0; i < left_out->len; i++)
        printf (_ ("left out: %s\n"), (const char *) left_out->pdata[i]);
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "from", format);
  sluice_cli_json_string (b, "to", to);
  sluice_cli_json_int (b, "tensors", n);
  json_builder_set_member_name (b, "left_out");
  json_builder_begin_array (b);
  for (guint i = 0; i < left_out->len; i++)
    json_builder_add_string_value (b, left_out->pdata[i]);
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

static int
convert (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] == NULL || arguments[2] != NULL)
    return sluice_cli_usage (error, _ ("give IN and OUT, two checkpoints"));
  g_autoptr (SluiceCheckpointFile) file = sluice_checkpoint_file_open (arguments[0], error);
  g_autoptr (GPtrArray) left_out = g_ptr_array_new_with_free_func (g_free);
  if (file == NULL
      || !sluice_checkpoint_convert (file, arguments[1], leave_out ? left_out : NULL, error))
    return EXIT_FAILED;
  report (file, arguments[1], left_out);
  return EXIT_OK;
}

const Verb sluice_verb_convert = {
  .name = "convert",
  .arguments = N_ ("IN OUT"),
  .summary = N_ ("Write a checkpoint in another format"),
  .details =
      N_ ("IN is a safetensors file, the prefix of a TensorFlow bundle or its index file, or "
          "a TensorFlow checkpoint of the older format. OUT is safetensors where its name "
          "ends so, else a TensorFlow bundle. Variables that were saved in slices are "
          "written whole."),
  .json = "{\"from\": \"string\", \"to\": \"string\", \"tensors\": \"int\", \"left_out\": "
          "[\"string\"]}",
  .options = options,
  .run = convert,
};
