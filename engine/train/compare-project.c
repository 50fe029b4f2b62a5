/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/compare-project.h"

#include "engine/graph/role.h"
#include "engine/train/reference.h"

static void
feed_clear (gpointer data)
{
  SluiceFeed *self = data;
  g_free ((char *) self->edge);
  sluice_tensor_unref (self->tensor);
}

/* (transfer full) (nullable) (element-type SluiceFeed) */
static GArray *
read_feeds (SluiceGraph *graph, SluiceReference *reference, GError **error)
{
  g_autoptr (GArray) feeds = g_array_new (FALSE, FALSE, sizeof (SluiceFeed));
  GPtrArray *names = sluice_reference_list (reference);
  g_array_set_clear_func (feeds, feed_clear);
  for (guint i = 0; i < names->len; i++)
    {
      SluiceEdge edge;
      if (!sluice_graph_parse_edge (graph, names->pdata[i], &edge, NULL)
          || sluice_node_get_role (edge.node) != SLUICE_ROLE_PLACEHOLDER)
        continue;
      SluiceFeed feed = { .tensor = sluice_reference_read (reference, names->pdata[i], error) };
      if (feed.tensor == NULL)
        return NULL;
      feed.edge = g_strdup_printf ("%s:%d", edge.node->name, edge.port);
      g_array_append_val (feeds, feed);
    }
  return g_steal_pointer (&feeds);
}

SluiceComparison *
sluice_compare_project (const SluiceProject *project, const char *path, GError **error)
{
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (project, error);
  g_autoptr (SluiceReference) reference =
      graph != NULL ? sluice_reference_open (path, error) : NULL;
  g_autoptr (GArray) feeds = reference != NULL ? read_feeds (graph, reference, error) : NULL;
  if (feeds == NULL)
    return NULL;
  const SluiceComparisonOptions options = { .feeds = (const SluiceFeed *) feeds->data,
                                            .n_feeds = feeds->len,
                                            .targets = (const char *const *) project->init,
                                            .reference = path,
                                            .way = { .n_cpus = 1 },
                                            .seed = project->seed > 0 ? project->seed : 1,
                                            .tolerance = { .by_dtype = TRUE },
                                            .files = project->files };
  return sluice_compare (graph, &options, error);
}
