/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/fit-project.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/line.h"
#include "engine/command/template.h"
#include "engine/graph/diff.h"
#include "engine/graph/graphdef.h"
#include "engine/store/file.h"

typedef struct
{
  SluiceGraph *graph;
  GKeyFile *file;
  GString *changed;    /* names of keys */
  GHashTable *renamed; /* names that are gone -> what these nodes are called now */
} Fit;

/* ---- names ---- */

/* Keys that name nodes: "NODE", "NODE:0", several with ';' between, or "NAME:NODE:0" of those. Of a
 * parameter it is the first of its parts. */
static const struct
{
  const char *group, *key; /* key: (nullable): each of the group */
  gboolean is_named, first_only;
} naming[] = {
  { "project", "init", FALSE, FALSE },
  { "project", "train", FALSE, FALSE },
  { "project", "loss", FALSE, FALSE },
  { "project", "step", FALSE, FALSE },
  { "project", "summaries", FALSE, FALSE },
  { "project", "fetches", TRUE, FALSE },
  { "data", "x", FALSE, FALSE },
  { "data", "y", FALSE, FALSE },
  { "evaluate", "fetches", TRUE, FALSE },
  { "evaluate", "texts", TRUE, FALSE },
  { "parameters", NULL, FALSE, TRUE },
};

/* What is gone of the nodes that the file names is found among those of the file before. */
static void
find_renamed (Fit *self, SluiceGraph *was)
{
  g_autoptr (GPtrArray) differences = sluice_graph_diff (was, self->graph);
  self->renamed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < differences->len; i++)
    {
      const SluiceNodeDiff *diff = differences->pdata[i];
      if (diff->kind == SLUICE_DIFF_RENAMED)
        g_hash_table_insert (self->renamed, g_strdup (diff->was->name), g_strdup (diff->is->name));
    }
}

/* "x:0" -> "pixels:0". is_gone: is set where the node is not there; with renamed the new name comes
 * of that. (transfer full) */
static char *
rename_part (const Fit *self, const char *part, gboolean is_named, gboolean *is_gone)
{
  const char *colon = is_named ? strchr (part, ':') : NULL;
  const char *target = colon != NULL ? colon + 1 : part;
  target += strspn (target, " ");
  g_autofree char *node = g_strndup (target, strcspn (target, ":"));
  if (*node == '\0' || sluice_graph_find (self->graph, node) != NULL)
    return g_strdup (part);
  *is_gone = TRUE;
  const char *now = self->renamed != NULL ? g_hash_table_lookup (self->renamed, node) : NULL;
  return now != NULL ? g_strdup_printf ("%.*s%s%s", (int) (target - part), part, now,
                                        target + strlen (node))
                     : g_strdup (part);
}

static char *
rename_all (const Fit *self, const char *text, gboolean is_named, gboolean first, gboolean *is_gone)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", first ? 2 : -1);
  for (guint i = 0; parts[i] != NULL && (i == 0 || !first); i++)
    {
      char *part = rename_part (self, parts[i], is_named, is_gone);
      g_free (parts[i]);
      parts[i] = part;
    }
  return g_strjoinv (";", parts);
}

/* ---- what the graph says ---- */

/* "train/step", "loss/value:0". */
static gboolean
has (const Fit *self, const char *target)
{
  g_autofree char *node = g_strndup (target, strcspn (target, ":"));
  return sluice_graph_find (self->graph, node) != NULL;
}

/* The attribute's first word, in which a command remembered itself. (transfer full) (nullable) */
static char *
dup_first_word (const SluiceNode *node, const char *attr)
{
  const SluiceAttrValue *value = node != NULL ? sluice_node_get_attr (node, attr) : NULL;
  if (value == NULL || value->kind != SLUICE_ATTR_STRING)
    return NULL;
  g_autofree char *text = g_strndup (value->s.data, value->s.length);
  g_autoptr (SluiceLine) line = sluice_line_parse (text, NULL);
  return line != NULL && line->n > 0 ? g_strdup (line->words[0].text) : NULL;
}

static char *
dup_edge (const char *name)
{
  return strchr (name, ':') != NULL ? g_strdup (name) : g_strconcat (name, ":0", NULL);
}

/* "accuracy:accuracy/output:0;…": each layer that measures. (transfer full) (nullable) */
static char *
dup_measures (const Fit *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (self->graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (self->graph, i);
      g_autofree char *kind = dup_first_word (node, "_layer");
      const SluiceTemplate *layer =
          kind != NULL ? sluice_template_find ("layer", kind, NULL) : NULL;
      const char *end = g_strrstr (node->name, "/output");
      if (layer == NULL || strcmp (layer->family, "metric") != 0 || end == NULL)
        continue;
      g_autofree char *scope = g_strndup (node->name, end - node->name);
      const char *slash = strrchr (scope, '/');
      g_string_append_printf (text, "%s%s:%s:0", text->len > 0 ? ";" : "",
                              slash != NULL ? slash + 1 : scope, node->name);
    }
  return text->len > 0 ? g_strdup (text->str) : NULL;
}

/* ---- keys ---- */

/* text: (nullable): without the key */
static void
set (Fit *self, const char *group, const char *key, const char *text)
{
  g_autofree char *now = g_key_file_get_string (self->file, group, key, NULL);
  if (g_strcmp0 (now, text) == 0)
    return;
  if (text != NULL)
    g_key_file_set_string (self->file, group, key, text);
  else
    g_key_file_remove_key (self->file, group, key, NULL);
  g_string_append_printf (self->changed, "%s%s", self->changed->len > 0 ? ", " : "", key);
}

/* Returns: is one of the nodes gone that the file names? */
static gboolean
follow_names (Fit *self)
{
  gboolean is_gone = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (naming); i++)
    {
      const char *group = naming[i].group;
      const char *own[] = { naming[i].key, NULL };
      g_auto (GStrv) all =
          naming[i].key == NULL ? g_key_file_get_keys (self->file, group, NULL, NULL) : NULL;
      const char *const *keys = naming[i].key != NULL ? own : (const char *const *) all;
      for (guint k = 0; keys != NULL && keys[k] != NULL; k++)
        {
          g_autofree char *text = g_key_file_get_string (self->file, group, keys[k], NULL);
          g_autofree char *now = text != NULL ? rename_all (self, text, naming[i].is_named,
                                                            naming[i].first_only, &is_gone)
                                              : NULL;
          if (now != NULL)
            set (self, group, keys[k], now);
        }
    }
  return is_gone;
}

/* The file before is read where it is needed alone: what cannot be read tells nothing. */
static void
fit_names (Fit *self, GBytes *was)
{
  if (was == NULL || !follow_names (self))
    return;
  g_autoptr (SluiceGraph) before = sluice_graph_new ();
  if (!sluice_graph_import (before, was, NULL))
    return;
  find_renamed (self, before);
  follow_names (self);
}

/* What it names is not in the graph, or it is not there. */
static gboolean
is_free (const Fit *self, const char *group, const char *key)
{
  g_auto (GStrv) targets = g_key_file_get_string_list (self->file, group, key, NULL, NULL);
  for (guint i = 0; targets != NULL && targets[i] != NULL; i++)
    if (has (self, targets[i]))
      return FALSE;
  return TRUE;
}

static void
fit_one (Fit *self, const char *key, const char *target, gboolean is_wanted)
{
  if (!is_free (self, "project", key))
    return;
  if (has (self, target))
    set (self, "project", key, target);
  else if (!is_wanted)
    set (self, "project", key, NULL);
}

/* "NAME:EDGE;…" without those that are gone; all measures where there are none then. measures:
 * (nullable) */
static void
fit_list (Fit *self, const char *group, const char *key, const char *measures)
{
  g_auto (GStrv) entries = g_key_file_get_string_list (self->file, group, key, NULL, NULL);
  g_autoptr (GString) left = g_string_new (NULL);
  for (guint i = 0; entries != NULL && entries[i] != NULL; i++)
    {
      const char *target = strchr (entries[i], ':');
      if (target != NULL && has (self, target + 1))
        g_string_append_printf (left, "%s%s", left->len > 0 ? ";" : "", entries[i]);
    }
  set (self, group, key, left->len > 0 ? left->str : measures);
}

/* loss: (nullable): of which nobody knows */
static void
fit_evaluation (Fit *self, const char *measures, const char *loss)
{
  if (!g_key_file_has_key (self->file, "data", "test-x", NULL))
    return;
  g_autofree char *both = loss != NULL
                              ? g_strdup_printf ("%s%sloss:%s", measures != NULL ? measures : "",
                                                 measures != NULL ? ";" : "", loss)
                              : NULL;
  fit_list (self, "evaluate", "fetches", both);
  if (loss != NULL && !g_key_file_has_key (self->file, "train", "evaluate-every", NULL))
    set (self, "train", "evaluate-every", "250");
}

static void
fit_all (Fit *self)
{
  g_autofree char *by = dup_first_word (sluice_graph_find (self->graph, "train"), "_train");
  g_autofree char *loss = by != NULL ? dup_edge (by) : NULL;
  g_autofree char *measures = dup_measures (self);
  fit_one (self, "init", "init", TRUE);
  fit_one (self, "train", "train", TRUE);
  g_autofree char *train = g_key_file_get_string (self->file, "project", "train", NULL);
  if (loss != NULL && g_strcmp0 (train, "train") == 0)
    set (self, "project", "loss", loss);
  fit_one (self, "step", "global_step/Read/ReadVariableOp:0", FALSE);
  fit_one (self, "summaries", "summaries/merged:0", FALSE);
  fit_list (self, "project", "fetches", measures);
  fit_evaluation (self, measures, loss);
  if (has (self, "train/learning_rate")
      && !g_key_file_has_key (self->file, "parameters", "learning-rate", NULL))
    set (self, "parameters", "learning-rate", "train/learning_rate:0");
}

gboolean
sluice_project_fit (
    const char *folder, SluiceGraph *graph, GBytes *was, char **words, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GString) changed = g_string_new (NULL);
  g_autoptr (GError) local = NULL;
  Fit self = { graph, file, changed, NULL };
  gsize length;
  *words = NULL;
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_KEEP_COMMENTS, &local))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s: %s", path, local->message);
  fit_names (&self, was);
  g_clear_pointer (&self.renamed, g_hash_table_unref);
  fit_all (&self);
  if (changed->len == 0)
    return TRUE;
  g_autofree char *text = g_key_file_to_data (file, &length, NULL);
  if (!sluice_file_put ("project", path, text, length, error))
    return FALSE;
  *words = g_strdup_printf (_ ("project.ini names what the graph has now: %s"), changed->str);
  return TRUE;
}
