/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/feeds.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/base/tensor-text.h"
#include "engine/train/data.h"

static SluiceTensor *
parse_npy (GBytes *take, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = take;
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  return sluice_npy_parse (data, length, name, error);
}

static void
fail_no_member (const char *path, GBytes *archive, GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (archive, &length);
  g_autoptr (GPtrArray) members = sluice_npz_list (data, length, path, error);
  if (members == NULL)
    return;
  g_ptr_array_add (members, NULL);
  g_autofree char *names = g_strjoinv (", ", (char **) members->pdata);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "'%s' holds several arrays: name one, as %s:%s. It has %s", path, path,
               members->len > 1 ? (const char *) members->pdata[0] : "NAME",
               members->len > 1 ? names : "none");
}

/* ".npy", ".npz" or ".npz:MEMBER". */
static SluiceTensor *
read_file (const char *text, GError **error)
{
  const char *colon = strstr (text, ".npz:");
  gboolean is_archive = colon != NULL || g_str_has_suffix (text, ".npz");
  g_autofree char *path = colon != NULL ? g_strndup (text, colon + 4 - text) : g_strdup (text);
  gsize length;
  g_autoptr (GBytes) bytes =
      sluice_read_file ("file", path, SLUICE_READ_PLAIN, G_MAXINT64 / 2, error);
  if (bytes == NULL)
    return NULL;
  const guint8 *contents = g_bytes_get_data (bytes, &length);
  if (!is_archive)
    return parse_npy (g_steal_pointer (&bytes), text, error);
  if (colon == NULL)
    {
      fail_no_member (path, bytes, error);
      return NULL;
    }
  GBytes *member = sluice_npz_read (contents, length, colon + 5, path, error);
  return member != NULL ? parse_npy (member, text, error) : NULL;
}

static gboolean
is_file (const char *text)
{
  return *text != '"' && *text != '['
         && (g_str_has_suffix (text, ".npy") || g_str_has_suffix (text, ".npz")
             || strstr (text, ".npz:") != NULL);
}

/* Numbers of a file in another dtype. */
static SluiceTensor *
convert (const SluiceTensor *raw, SluiceDType dtype, GError **error)
{
  const SluiceDTypeSet from = SLUICE_SET_REAL | SLUICE_SET (SLUICE_BOOL);
  const SluiceDTypeSet to =
      SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_BOOL);
  if (!sluice_dtype_in (raw->dtype, from) || !sluice_dtype_in (dtype, to))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "the file holds %s, and the edge is %s; save it as that",
                   sluice_dtype_name (raw->dtype), sluice_dtype_name (dtype));
      return NULL;
    }
  gint64 n = raw->n_elements;
  g_autofree gint64 *rows = g_try_new (gint64, (gsize) n + 1);
  for (gint64 i = 0; rows != NULL && i < n; i++)
    rows[i] = i;
  g_autoptr (SluiceTensor) flat =
      sluice_tensor_new_view ((SluiceTensor *) raw, &SLUICE_SHAPE (n), 0);
  g_autoptr (SluiceTensor) cast =
      rows != NULL && flat != NULL ? sluice_examples_gather (flat, rows, n, dtype, 1) : NULL;
  SluiceTensor *feed = cast != NULL ? sluice_tensor_new_view (cast, &raw->shape, 0) : NULL;
  if (feed != NULL)
    return feed;
  sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for %" G_GINT64_FORMAT " numbers",
               n);
  return NULL;
}

SluiceTensor *
sluice_cli_parse_value (const char *text, SluiceDType dtype, GError **error)
{
  if (!is_file (text))
    return sluice_tensor_parse (text, dtype, error);
  g_autoptr (SluiceTensor) raw = read_file (text, error);
  if (raw == NULL)
    return NULL;
  return raw->dtype == (gint8) dtype ? g_steal_pointer (&raw) : convert (raw, dtype, error);
}

/* The value in the dtype of the edge. */
static SluiceTensor *
make_feed (SluiceGraph *graph, const char *name, const char *text, GError **error)
{
  SluiceEdge edge;
  if (!sluice_graph_parse_edge (graph, name, &edge, error))
    return NULL;
  return sluice_cli_parse_value (text, sluice_dtype_base (sluice_edge_dtype (edge)), error);
}

const char *
sluice_cli_resolve_edge (SluiceGraph *graph,
                         const GArray *tensors,
                         const char *name,
                         GError **error)
{
  const SluiceSavedTensor *tensor = tensors != NULL ? sluice_signature_find (tensors, name) : NULL;
  if (tensor != NULL)
    return tensor->edge;
  SluiceEdge edge;
  g_autoptr (GError) no_edge = NULL;
  if (sluice_graph_parse_edge (graph, name, &edge, &no_edge))
    return name;
  if (tensors == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&no_edge));
      return NULL;
    }
  g_autofree char *known = sluice_signature_describe (tensors);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "the signature has no '%s'; it has %s", name, known);
  return NULL;
}

static void
feed_clear (gpointer data)
{
  g_clear_pointer (&((SluiceFeed *) data)->tensor, sluice_tensor_unref);
}

GArray *
sluice_cli_parse_feeds (SluiceGraph *graph,
                        const SluiceSavedSignature *signature,
                        char **texts,
                        GError **error)
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
      const char *edge = sluice_cli_resolve_edge (
          graph, signature != NULL ? signature->inputs : NULL, texts[i], error);
      SluiceFeed feed = { edge, edge != NULL ? make_feed (graph, edge, equals + 1, error) : NULL };
      if (feed.tensor == NULL)
        {
          g_prefix_error (error, "--feed %s: ", texts[i]);
          return NULL;
        }
      g_array_append_val (parsed, feed);
    }
  return g_steal_pointer (&parsed);
}
