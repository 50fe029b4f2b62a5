/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/promote.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
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

/* What GKeyFile reads as something else than a key. */
static gboolean
check_name (const char *name, GError **error)
{
  return sluice_text_check_name ("the name of a setting", name, error)
         && (strpbrk (name, "=[]#") == NULL
             || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "'%s' is no name of a setting; leave out = [ ] and #", name));
}

gboolean
sluice_project_check_promotion (const SluiceProject *self,
                                const char *what,
                                const char *name,
                                const SluiceParameterNote *note,
                                GError **error)
{
  const SluiceNamedEdge *found = sluice_project_find_promoted (self, what);
  g_autofree char *text = sluice_parameter_note_dup_text (note, what);
  g_autofree char *target = NULL;
  SluiceParameterNote *read = NULL;
  if (!check_name (name, error) || !sluice_parameter_note_parse (name, text, &target, &read, error))
    return FALSE;
  g_clear_pointer (&read, sluice_parameter_note_free);
  return (found != NULL && strcmp (found->name, name) == 0)
         || !sluice_project_check_key (self, name, NULL)
         || sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                         "a setting of the project is called %s; choose another name", name);
}

/* ---- changing ---- */

/* A key keeps its place, and its comment. (transfer full) */
static char *
dup_renamed (const char *text, const char *from, const char *to)
{
  g_autofree char *begin = g_strconcat (from, "=", NULL);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  gboolean is_name = FALSE;
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] == '[')
      is_name = g_str_equal (lines[i], "[" GROUP "]") || g_str_equal (lines[i], "[overrides]");
    else if (is_name && g_str_has_prefix (lines[i], begin))
      {
        char *renamed = g_strconcat (to, lines[i] + strlen (from), NULL);
        g_free (lines[i]);
        lines[i] = renamed;
      }
  return g_strjoinv ("\n", lines);
}

static gboolean
write_renamed (GKeyFile *file, const char *path, const char *from, const char *to, GError **error)
{
  g_autofree char *text = g_key_file_to_data (file, NULL, NULL);
  g_autofree char *renamed = dup_renamed (text, from, to);
  return sluice_file_put ("file", path, renamed, strlen (renamed), error);
}

char *
sluice_project_promote (const char *folder,
                        const char *what,
                        const char *name,
                        const SluiceParameterNote *note,
                        GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  if (project == NULL)
    return NULL;
  const SluiceNamedEdge *found = sluice_project_find_promoted (project, what);
  g_autofree char *key = name != NULL    ? g_strdup (name)
                         : found != NULL ? g_strdup (found->name)
                                         : dup_free_name (project, what);
  const char *old = found != NULL ? found->name : key;
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autofree char *target = g_strconcat (what, sluice_parameter_is_attr (what) ? "" : ":0", NULL);
  if (note == NULL)
    note = g_hash_table_lookup (project->notes, old);
  g_autofree char *text = sluice_parameter_note_dup_text (note, target);
  if (!sluice_project_check_promotion (project, what, key, note, error))
    return NULL;
  g_autoptr (GKeyFile) file = read_file (path, error);
  if (file == NULL)
    return NULL;
  sluice_ini_set_text (file, GROUP, old, text);
  return write_renamed (file, path, old, key, error) ? g_steal_pointer (&key) : NULL;
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
