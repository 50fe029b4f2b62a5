/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/promote.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/shape-context.h"
#include "engine/store/file.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/ini.h"

#define GROUP "parameters"

gboolean
sluice_node_is_promotable (const SluiceNode *node)
{
  const SluiceTensor *value =
      node->n_outputs == 1 ? sluice_edge_constant ((SluiceEdge){ (SluiceNode *) node, 0 }) : NULL;
  if (value == NULL || value->n_elements != 1 || value->shape.rank != 0)
    return FALSE;
  SluiceDType dtype = (SluiceDType) value->dtype;
  return dtype == SLUICE_FLOAT || dtype == SLUICE_DOUBLE || dtype == SLUICE_INT32
         || dtype == SLUICE_INT64;
}

gboolean
sluice_graph_has_parameter (SluiceGraph *graph, const char *target)
{
  SluiceEdge edge;
  return sluice_parameter_is_attr (target) ? sluice_graph_get_attr_type (graph, target) != NULL
                                           : sluice_graph_parse_edge (graph, target, &edge, NULL);
}

const SluiceNamedEdge *
sluice_project_find_promoted (const SluiceProject *self, const char *what)
{
  g_autofree char *edge = g_strconcat (what, ":0", NULL);
  for (guint i = 0; i < self->parameters->len; i++)
    {
      const SluiceNamedEdge *found = &g_array_index (self->parameters, SluiceNamedEdge, i);
      if (strcmp (found->target, edge) == 0 || strcmp (found->target, what) == 0)
        return found;
    }
  return NULL;
}

/* ---- the file ---- */

/* With its comments. (transfer full) (nullable) */
static GKeyFile *
read_file (const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;
  if (g_key_file_load_from_file (file, path, G_KEY_FILE_KEEP_COMMENTS, &local))
    return g_steal_pointer (&file);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s: %s", path, local->message);
  return NULL;
}

static gboolean
write_file (GKeyFile *file, const char *path, GError **error)
{
  gsize length;
  g_autofree char *text = g_key_file_to_data (file, &length, NULL);
  return sluice_file_put ("file", path, text, length, error);
}

/* ---- names ---- */

/* "train/learning_rate" is learning-rate, as people write settings; "pool2:padding" pool2-padding.
 * (transfer full) */
static char *
dup_base (const char *what)
{
  const char *slash = strrchr (what, '/');
  char *name = g_strdup (slash != NULL ? slash + 1 : what);
  for (char *c = name; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c))
      *c = '-';
  return name;
}

static char *
dup_free_name (const SluiceProject *project, const char *what)
{
  g_autofree char *base = dup_base (what);
  char *name = g_strdup (base);
  for (guint n = 2; sluice_project_check_key (project, name, NULL); n++)
    {
      g_free (name);
      name = g_strdup_printf ("%s-%u", base, n);
    }
  return name;
}

char *
sluice_project_promote (const char *folder, const char *what, const char *name, GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  if (project == NULL)
    return NULL;
  const SluiceNamedEdge *found = sluice_project_find_promoted (project, what);
  if (found != NULL)
    return g_strdup (found->name);
  g_autofree char *key = name != NULL ? g_strdup (name) : dup_free_name (project, what);
  if (sluice_project_check_key (project, key, NULL))
    {
      sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                   "a setting of the project is called %s; choose another name", key);
      return NULL;
    }
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autoptr (GKeyFile) file = read_file (path, error);
  if (file == NULL)
    return NULL;
  g_autofree char *target = g_strconcat (what, sluice_parameter_is_attr (what) ? "" : ":0", NULL);
  g_key_file_set_string (file, GROUP, key, target);
  return write_file (file, path, error) ? g_steal_pointer (&key) : NULL;
}

gboolean
sluice_project_annotate (const char *folder,
                         const char *name,
                         const SluiceParameterNote *note,
                         GError **error)
{
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  if (project == NULL)
    return FALSE;
  const SluiceNamedEdge *parameter = sluice_project_find_parameter (project, name);
  if (parameter == NULL)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "the project has no parameter %s; reload the form", name);
  g_autoptr (GKeyFile) file = read_file (path, error);
  g_autofree char *text = sluice_parameter_note_dup_text (note, parameter->target);
  g_autofree char *target = NULL;
  g_autoptr (SluiceParameterNote) read = NULL;
  if (file == NULL || !sluice_parameter_note_parse (name, text, &target, &read, error))
    return FALSE;
  sluice_ini_set_text (file, GROUP, name, text);
  return write_file (file, path, error);
}

gboolean
sluice_project_demote (const char *folder, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autoptr (GKeyFile) file = read_file (path, error);
  if (file == NULL)
    return FALSE;
  if (!g_key_file_remove_key (file, GROUP, name, NULL))
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "the project has no parameter %s; reload the form", name);
  g_key_file_remove_key (file, "overrides", name, NULL);
  return write_file (file, path, error);
}
