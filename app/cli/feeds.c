/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/feeds.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/train/value-text.h"

/* The value in the dtype of the edge. */
static SluiceTensor *
make_feed (SluiceGraph *graph, const char *name, const char *text, GError **error)
{
  SluiceEdge edge;
  if (!sluice_graph_parse_edge (graph, name, &edge, error))
    return NULL;
  return sluice_value_parse (text, sluice_dtype_base (sluice_edge_dtype (edge)), error);
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
