/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/savedmodel.h"
#include "engine/store/file.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/project-private.h"
#include "engine/train/saved-state.h"

#define LAYOUT "model.layout"

static SluiceGraph *
read_graph (const SluiceProject *self, GError **error)
{
  static const char *const tags[] = { SLUICE_TAG_TRAIN, NULL };
  if (sluice_saved_model_exists (self->graph_path))
    {
      g_autoptr (GError) none = NULL;
      SluiceGraph *graph = sluice_graph_load_tagged (self->graph_path, tags, &none);
      if (graph != NULL)
        return graph;
      if (!g_error_matches (none, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND))
        {
          g_propagate_error (error, g_steal_pointer (&none));
          return NULL;
        }
    }
  return sluice_graph_load_file (self->graph_path, error);
}

SluiceGraph *
sluice_project_load_graph (const SluiceProject *self, GError **error)
{
  g_autoptr (SluiceGraph) graph = read_graph (self, error);
  return graph != NULL && sluice_project_set_attrs (self, graph, error) ? g_steal_pointer (&graph)
                                                                        : NULL;
}

char *
sluice_project_dup_graph_name (const SluiceProject *self)
{
  g_autofree char *graph = sluice_saved_model_exists (self->graph_path)
                               ? sluice_saved_model_dup_folder (self->graph_path)
                               : g_strdup (self->graph_path);
  return g_path_get_basename (graph);
}

gboolean
sluice_project_copy_files (const SluiceProject *self, const char *folder, GError **error)
{
  g_autofree char *base = sluice_project_dup_graph_name (self);
  g_autofree char *to = g_build_filename (folder, base, NULL);
  g_autofree char *layout = g_build_filename (self->folder, LAYOUT, NULL);
  g_autofree char *layout_to = g_build_filename (folder, LAYOUT, NULL);
  gboolean ok = sluice_saved_model_exists (self->graph_path)
                    ? sluice_saved_model_copy (self->graph_path, to, error)
                    : sluice_file_copy ("graph", self->graph_path, to, error);
  return ok
         && (!g_file_test (layout, G_FILE_TEST_EXISTS)
             || sluice_file_copy ("layout", layout, layout_to, error));
}
