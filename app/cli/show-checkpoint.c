/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/show-checkpoint.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/store/checkpoint-file.h"

/* One line, or one object. */
static void
show_tensor (
    JsonBuilder *b, const char *name, SluiceDType dtype, const SluiceShape *shape, guint n_slices)
{
  char text[SLUICE_SHAPE_STR];
  if (!sluice_cli_json)
    {
      g_autofree char *slices =
          n_slices > 0 ? g_strdup_printf (_ ("  in %u slices"), n_slices) : g_strdup ("");
      printf ("%-10s %-16s %s%s\n", sluice_dtype_name (dtype), sluice_shape_str (shape, text), name,
              slices);
    }
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "name", name);
  sluice_cli_json_string (b, "dtype", sluice_dtype_name (dtype));
  json_builder_set_member_name (b, "shape");
  json_builder_begin_array (b);
  for (int i = 0; i < shape->rank; i++)
    json_builder_add_int_value (b, shape->dim[i]);
  json_builder_end_array (b);
  sluice_cli_json_int (b, "slices", n_slices);
  json_builder_end_object (b);
}

static void
begin (JsonBuilder *b, const char *format)
{
  if (!sluice_cli_json)
    printf (_ ("format     %s\n"), format);
  sluice_cli_json_string (b, "format", format);
  json_builder_set_member_name (b, "tensors");
  json_builder_begin_array (b);
}

static void
end (JsonBuilder *take, guint n, gint64 n_elements)
{
  if (!sluice_cli_json)
    printf (_ ("%u tensors, %" PRId64 " elements\n"), n, n_elements);
  json_builder_end_array (take);
  sluice_cli_json_int (take, "elements", n_elements);
  sluice_cli_json_end (take);
}

int
sluice_cli_show_checkpoint (const char *path, GError **error)
{
  g_autoptr (SluiceCheckpointFile) file = sluice_checkpoint_file_open (path, error);
  gint64 n_elements = 0;
  if (file == NULL)
    return EXIT_FAILED;
  GArray *tensors = sluice_checkpoint_file_list (file);
  JsonBuilder *b = sluice_cli_json_begin ();
  g_autofree char *format = sluice_checkpoint_file_dup_format (file);
  begin (b, format);
  for (guint i = 0; i < tensors->len; i++)
    {
      const SluiceBundleTensor *info = &g_array_index (tensors, SluiceBundleTensor, i);
      show_tensor (b, info->name, info->dtype, &info->shape, info->n_slices);
      n_elements += sluice_shape_n_elements (&info->shape);
    }
  end (b, tensors->len, n_elements);
  return EXIT_OK;
}
