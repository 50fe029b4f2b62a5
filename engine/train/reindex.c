/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/reindex.h"

#include <glib/gstdio.h>
#include <string.h>

#include "engine/graph/graphdef.h"
#include "engine/store/draft.h"
#include "engine/train/run-file.h"

#define CHECKPOINTS "checkpoints"
#define PREFIX      "step-"
#define SUFFIX      ".safetensors"

static gint
by_step (gconstpointer a, gconstpointer b)
{
  gint64 x = (*(SluiceCheckpointInfo *const *) a)->step;
  gint64 y = (*(SluiceCheckpointInfo *const *) b)->step;
  return (x > y) - (x < y);
}

/* Of "step-0000000020.safetensors"; -1: it is another file. */
static gint64
step_of_name (const char *name)
{
  gint64 step;
  if (!g_str_has_prefix (name, PREFIX) || !g_str_has_suffix (name, SUFFIX))
    return -1;
  g_autofree char *digits =
      g_strndup (name + strlen (PREFIX), strlen (name) - strlen (PREFIX SUFFIX));
  return g_ascii_string_to_signed (digits, 10, 0, G_MAXINT64, &step, NULL) ? step : -1;
}

/* The files whose names are those of checkpoints; whether they are whole is found out by whoever
 * reads them. (transfer full) */
static GPtrArray *
list_checkpoints (const char *folder)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_checkpoint_info_free);
  g_autofree char *path = g_build_filename (folder, CHECKPOINTS, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      gint64 step = step_of_name (name);
      GStatBuf info;
      g_autofree char *file = g_build_filename (path, name, NULL);
      if (step < 0 || g_stat (file, &info) != 0)
        continue;
      SluiceCheckpointInfo *checkpoint = g_new0 (SluiceCheckpointInfo, 1);
      checkpoint->step = step;
      checkpoint->bytes = (gsize) info.st_size;
      checkpoint->path = g_build_filename (CHECKPOINTS, name, NULL);
      g_ptr_array_add (found, checkpoint);
    }
  g_ptr_array_sort (found, by_step);
  return found;
}

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
  g_autoptr (GPtrArray) checkpoints = list_checkpoints (folder);
  if (checkpoints->len > 0)
    info->step = ((SluiceCheckpointInfo *) checkpoints->pdata[checkpoints->len - 1])->step;
  info->state = info->step >= info->n_steps ? SLUICE_RUN_FINISHED : SLUICE_RUN_STOPPED;
  return sluice_store_adopt_run (store, info, checkpoints, bytes, error) ? g_steal_pointer (&info)
                                                                         : NULL;
}
