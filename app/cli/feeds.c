/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/feeds.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/train/data.h"

/* "1.5" or "[1,2,3]" as double. */
static SluiceTensor *
parse_numbers (const char *text, GError **error)
{
  gboolean is_list = *text == '[';
  g_autofree char *inner = g_strdup (is_list ? text + 1 : text);
  if (is_list && g_str_has_suffix (inner, "]"))
    inner[strlen (inner) - 1] = '\0';
  g_auto (GStrv) items = g_strsplit (inner, ",", 0);
  guint n = g_strv_length (items);
  g_autofree double *values = g_new (double, n + 1);
  for (guint i = 0; i < n; i++)
    {
      char *end;
      values[i] = g_ascii_strtod (g_strstrip (items[i]), &end);
      if (end == items[i] || *end != '\0')
        {
          sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no number", items[i]);
          return NULL;
        }
    }
  return sluice_tensor_new_from (SLUICE_DOUBLE, &SLUICE_SHAPE (n), values);
}

static SluiceTensor *
read_npy (const char *path, GError **error)
{
  g_autofree char *bytes = NULL;
  gsize length;
  if (!g_file_get_contents (path, &bytes, &length, error))
    return NULL;
  return sluice_npy_parse ((const guint8 *) bytes, length, path, error);
}

/* The value in the dtype of the edge; a single number takes the shape of a scalar. */
static SluiceTensor *
make_feed (SluiceGraph *graph, const char *name, const char *text, GError **error)
{
  SluiceEdge edge;
  if (!sluice_graph_parse_edge (graph, name, &edge, error))
    return NULL;
  gboolean is_file = g_str_has_suffix (text, ".npy");
  g_autoptr (SluiceTensor) raw = is_file ? read_npy (text, error) : parse_numbers (text, error);
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  gboolean scalar = !is_file && *text != '[';
  if (raw == NULL)
    return NULL;
  if (scalar && raw->n_elements != 1)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s': several numbers stand in [ ]",
                   text);
      return NULL;
    }
  const SluiceShape *shape = scalar ? &SLUICE_SHAPE_SCALAR : &raw->shape;
  if (raw->dtype == (gint8) dtype)
    return sluice_tensor_new_view (raw, shape, 0);
  if (!sluice_dtype_in (dtype, SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET (SLUICE_UINT8)
                                   | SLUICE_SET (SLUICE_BOOL)))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is %s, which --feed cannot make",
                   name, sluice_dtype_name (dtype));
      return NULL;
    }
  gint64 n = raw->n_elements;
  g_autofree gint64 *rows = g_new (gint64, n + 1);
  for (gint64 i = 0; i < n; i++)
    rows[i] = i;
  g_autoptr (SluiceTensor) flat = sluice_tensor_new_view (raw, &SLUICE_SHAPE (n), 0);
  g_autoptr (SluiceTensor) cast = sluice_examples_gather (flat, rows, n, dtype, 1);
  if (cast == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                   "no memory for %" G_GINT64_FORMAT " numbers", n);
      return NULL;
    }
  return sluice_tensor_new_view (cast, shape, 0);
}

static void
feed_clear (gpointer data)
{
  g_clear_pointer (&((SluiceFeed *) data)->tensor, sluice_tensor_unref);
}

GArray *
cli_parse_feeds (SluiceGraph *graph, char **texts, GError **error)
{
  g_autoptr (GArray) parsed = g_array_new (FALSE, TRUE, sizeof (SluiceFeed));
  g_array_set_clear_func (parsed, feed_clear);
  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      char *equals = strchr (texts[i], '=');
      if (equals == NULL)
        {
          sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "--feed '%s': must be EDGE=VALUE",
                       texts[i]);
          return NULL;
        }
      *equals = '\0';
      SluiceFeed feed = { texts[i], make_feed (graph, texts[i], equals + 1, error) };
      if (feed.tensor == NULL)
        {
          g_prefix_error (error, "--feed %s: ", texts[i]);
          return NULL;
        }
      g_array_append_val (parsed, feed);
    }
  return g_steal_pointer (&parsed);
}
