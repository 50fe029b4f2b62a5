/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/repeats.h"

#include <string.h>

#include "engine/graph/graphdef.h"
#include "engine/store/kinds/event.h"
#include "engine/train/experiment.h"
#include "engine/train/project-changes.h"
#include "engine/train/run-file.h"

/* Without changes of what changes no value. (transfer full) */
static char *
dup_text_of_values (const SluiceProject *project)
{
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (SluiceSettingChange));
  for (guint i = 0; i < project->changes->len; i++)
    {
      SluiceSettingChange *change = &g_array_index (project->changes, SluiceSettingChange, i);
      if (sluice_experiment_depends_on ("train", change->key))
        g_array_append_val (kept, *change);
    }
  SluiceProject values = *project;
  values.changes = kept;
  values.notes = NULL; /* what is said of a parameter changes nothing */
  return sluice_project_dup_text (&values);
}

/* What a project computes, as text: project.ini without what changes no value. */
static char *
dup_key (const SluiceProject *project)
{
  g_autofree char *text = dup_text_of_values (project);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, NULL))
    return NULL;
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    {
      g_auto (GStrv) keys = g_key_file_get_keys (file, groups[i], NULL, NULL);
      guint n_left = 0;
      for (guint k = 0; keys != NULL && keys[k] != NULL; k++)
        if (sluice_experiment_depends_on (groups[i], keys[k]))
          n_left++;
        else
          g_key_file_remove_key (file, groups[i], keys[k], NULL);
      if (n_left == 0)
        g_key_file_remove_group (file, groups[i], NULL);
    }
  return g_key_file_to_data (file, NULL, NULL);
}

/* Its values came from elsewhere than its own settings say. */
static gboolean
has_foreign_values (SluiceStore *store, gint64 run)
{
  g_autoptr (GPtrArray) events = sluice_store_read_events (store, run, NULL);
  for (guint i = 0; events != NULL && i < events->len; i++)
    {
      const SluiceEvent *event = events->pdata[i];
      if (strcmp (event->kind, "init-from") == 0 || strcmp (event->kind, "data-changed") == 0)
        return TRUE;
    }
  return events == NULL;
}

static gboolean
has_same_files (const SluiceProject *project, const char *folder)
{
  g_autofree char *difference = NULL;
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (folder);
  return file != NULL && file->init_from == NULL
         && sluice_run_file_compare (file, project, &difference, NULL) && difference == NULL;
}

static gboolean
has_same_settings (const char *key, const char *folder)
{
  g_autoptr (SluiceProject) frozen = sluice_project_load (folder, NULL);
  g_autofree char *other = frozen != NULL ? dup_key (frozen) : NULL;
  return g_strcmp0 (key, other) == 0;
}

/* (transfer full) (nullable) */
static char *
dup_graph_hash (const SluiceProject *project)
{
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (project, NULL);
  return graph != NULL ? sluice_graph_dup_hash (graph, NULL) : NULL;
}

char *
sluice_project_dup_repeated (const SluiceProject *self, SluiceStore *store)
{
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, NULL);
  g_autofree char *name = g_path_get_basename (self->folder);
  g_autofree char *key = dup_key (self);
  g_autofree char *hash = NULL; /* a graph is read only where all the rest is the same */
  if (runs == NULL || key == NULL || g_strv_length (self->train) > 1)
    return NULL;
  for (guint i = 0; i < runs->len; i++)
    {
      const SluiceRunInfo *info = runs->pdata[i];
      g_autofree char *folder = sluice_store_dup_run_folder (store, info->id);
      if (info->seed != self->seed || g_strcmp0 (info->project, name) != 0
          || !has_same_settings (key, folder) || !has_same_files (self, folder)
          || has_foreign_values (store, info->id))
        continue;
      if (hash == NULL)
        hash = dup_graph_hash (self);
      if (hash != NULL && g_strcmp0 (hash, info->graph_hash) == 0)
        return g_strdup (info->name);
    }
  return NULL;
}
