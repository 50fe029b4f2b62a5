/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/fit-project.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/line.h"
#include "engine/command/template.h"
#include "engine/store/file.h"

typedef struct
{
  SluiceGraph *graph;
  GKeyFile *file;
  GString *changed; /* names of keys */
} Fit;

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

static void
fit_evaluation (Fit *self, const char *measures, const char *loss)
{
  if (!g_key_file_has_key (self->file, "data", "test-x", NULL))
    return;
  g_autofree char *both = g_strdup_printf ("%s%sloss:%s", measures != NULL ? measures : "",
                                           measures != NULL ? ";" : "", loss);
  fit_list (self, "evaluate", "fetches", both);
  if (!g_key_file_has_key (self->file, "train", "evaluate-every", NULL))
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
  if (loss != NULL)
    fit_evaluation (self, measures, loss);
  if (has (self, "train/learning_rate")
      && !g_key_file_has_key (self->file, "parameters", "learning-rate", NULL))
    set (self, "parameters", "learning-rate", "train/learning_rate:0");
}

gboolean
sluice_project_fit (const char *folder, SluiceGraph *graph, char **words, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GString) changed = g_string_new (NULL);
  g_autoptr (GError) local = NULL;
  Fit self = { graph, file, changed };
  gsize length;
  *words = NULL;
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_KEEP_COMMENTS, &local))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s: %s", path, local->message);
  fit_all (&self);
  if (changed->len == 0)
    return TRUE;
  g_autofree char *text = g_key_file_to_data (file, &length, NULL);
  if (!sluice_file_put ("project", path, text, length, error))
    return FALSE;
  *words = g_strdup_printf (_ ("project.ini names what the graph has now: %s"), changed->str);
  return TRUE;
}
