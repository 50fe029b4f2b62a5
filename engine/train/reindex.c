/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/reindex.h"

#include <string.h>

#include "engine/graph/graphdef.h"
#include "engine/store/draft.h"
#include "engine/train/checkpoint-folder.h"
#include "engine/train/run-file.h"

/* Of what the folder says: its project, and its own file where it is new enough to have one. */
static SluiceRunInfo *
make_info (gint64 run,
           const char *folder,
           const SluiceProject *project,
           SluiceGraph *graph,
           GError **error)
{
  g_autofree char *hash = sluice_graph_dup_hash (graph, error);
  if (hash == NULL)
    return NULL;
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (folder);
  SluiceRunInfo *info = g_new0 (SluiceRunInfo, 1);
  info->id = run;
  info->name = g_strdup (file != NULL && file->name != NULL ? file->name : project->name);
  info->project = g_strdup (file != NULL && file->project != NULL ? file->project : project->name);
  info->n_steps = project->n_steps;
  info->seed = project->seed;
  info->created = info->started = file != NULL ? file->created : 0;
  if (file != NULL)
    {
      info->notes = g_strdup (file->notes);
      info->group = g_strdup (file->group);
      info->tags = g_strdupv (file->tags);
      info->is_starred = file->is_starred;
      info->color = g_strdup (file->color);
    }
  info->graph_hash = g_steal_pointer (&hash);
  return info;
}

SluiceRunInfo *
sluice_reindex_run (SluiceStore *store, gint64 run, GError **error)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  g_autoptr (SluiceGraph) graph =
      project != NULL ? sluice_graph_load_file (project->graph_path, error) : NULL;
  g_autoptr (GBytes) bytes =
      graph != NULL ? sluice_graph_export (graph, SLUICE_EXPORT_BINARY, error) : NULL;
  if (bytes == NULL)
    return NULL;
  g_autoptr (SluiceRunInfo) info = make_info (run, folder, project, graph, error);
  if (info == NULL)
    return NULL;
  g_autoptr (GPtrArray) checkpoints = sluice_checkpoint_folder_list (folder);
  if (checkpoints->len > 0)
    info->step = ((SluiceCheckpointInfo *) checkpoints->pdata[checkpoints->len - 1])->step;
  info->state = info->step >= info->n_steps ? SLUICE_RUN_FINISHED : SLUICE_RUN_STOPPED;
  return sluice_store_adopt_run (store, info, checkpoints, bytes, error) ? g_steal_pointer (&info)
                                                                         : NULL;
}
