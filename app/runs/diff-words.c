/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/diff-words.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/status-text.h"

/* ---- results ---- */

static int
rank_result (const char *tag)
{
  gboolean evaluated = g_str_has_prefix (tag, "evaluate/");
  if (evaluated && sluice_tag_get_better (tag) == SLUICE_BEST_GREATEST)
    return 3;
  return evaluated ? 2 : strcmp (tag, "loss") == 0;
}

const SluiceRunResultDiff *
sluice_diff_get_result (const SluiceRunDiff *self)
{
  const SluiceRunResultDiff *best = NULL;
  for (guint i = 0; i < self->results->len; i++)
    {
      const SluiceRunResultDiff *result = self->results->pdata[i];
      if (best == NULL || rank_result (result->tag) > rank_result (best->tag))
        best = result;
    }
  return best;
}

const char *
sluice_diff_get_verdict (SluiceSeedsVerdict verdict)
{
  return verdict == SLUICE_SEEDS_MORE   ? _ ("More than seeds alone give")
         : verdict == SLUICE_SEEDS_LESS ? _ ("Not more than seeds alone give")
                                        : _ ("Perhaps by seeds alone");
}

static void
append_values (GString *words, const SluiceRunResultDiff *result)
{
  SluiceUnit unit = sluice_tag_unit (result->tag);
  for (guint i = 0; i < result->n_values; i++)
    {
      g_autofree char *value = sluice_format_value (result->values[i], unit);
      if (i > 0)
        g_string_append (words, result->n_values == 2 ? _ (" and ") : ", ");
      g_string_append (words, isnan (result->values[i]) ? "–" : value);
    }
}

char *
sluice_diff_dup_reason (const SluiceRunResultDiff *result)
{
  GString *words = g_string_new (NULL);
  g_string_append_printf (words, "%s: ", result->tag);
  append_values (words, result);
  if (isfinite (result->spread) && result->more_than_seeds != SLUICE_SEEDS_UNKNOWN)
    {
      g_autofree char *spread = sluice_format_value (result->spread, sluice_tag_unit (result->tag));
      g_string_append_printf (words, _ (", seeds ± %s"), spread);
    }
  else
    g_string_append_printf (words, "; %s", result->why);
  return g_string_free (words, FALSE);
}

/* ---- settings and all else ---- */

char *
sluice_diff_dup_values (const SluiceRunDiffItem *item)
{
  GString *words = g_string_new (NULL);
  for (guint i = 0; i < item->n_values; i++)
    g_string_append_printf (words, "%s%s",
                            i == 0                ? ""
                            : item->n_values == 2 ? " → "
                                                  : " | ",
                            item->values[i] != NULL ? item->values[i] : _ ("none"));
  return g_string_free (words, FALSE);
}

const char *
sluice_diff_get_title (const char *kind)
{
  static const struct
  {
    const char *kind, *title;
  } titles[] = {
    { "graph", N_ ("Graph") },     { "setting", N_ ("Settings") },
    { "data", N_ ("Data") },       { "order", N_ ("Order of data") },
    { "seed", N_ ("Seed") },       { "start", N_ ("Start") },
    { "build", N_ ("Program") },   { "machine", N_ ("Machine") },
    { "devices", N_ ("Devices") }, { "threads", N_ ("Threads") },
  };
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    if (strcmp (titles[i].kind, kind) == 0)
      return _ (titles[i].title);
  return _ (kind);
}

SluiceDiffVerdict
sluice_diff_judge_kind (const SluiceRunDiff *self, const char *kind, char **words)
{
  const SluiceRunDiffItem *first = NULL;
  guint n = 0;
  for (guint i = 0; i < self->differs->len; i++)
    {
      const SluiceRunDiffItem *item = self->differs->pdata[i];
      if (strcmp (item->what, kind) != 0)
        continue;
      first = n++ == 0 ? item : first;
    }
  if (n > 0)
    {
      g_autofree char *values = sluice_diff_dup_values (first);
      *words = strcmp (first->name, kind) == 0 ? g_steal_pointer (&values)
                                               : g_strdup_printf ("%s: %s", first->name, values);
      if (n > 1)
        {
          char *all = g_strdup_printf (ngettext ("%s, and %u more", "%s, and %u more", n - 1),
                                       *words, n - 1);
          g_free (*words);
          *words = all;
        }
      return SLUICE_DIFF_OTHER;
    }
  for (guint i = 0; i < self->same->len; i++)
    if (strcmp (self->same->pdata[i], kind) == 0)
      {
        const char *value = self->same_values[i];
        *words = g_strdup (*value != '\0' ? value : _ ("the same"));
        return SLUICE_DIFF_SAME;
      }
  *words = g_strdup (_ ("not known"));
  return SLUICE_DIFF_UNKNOWN;
}

/* ---- graphs ---- */

char *
sluice_diff_dup_graph_count (const SluiceRunDiff *self)
{
  guint n_all = self->n_nodes;
  for (guint i = 0; i < self->nodes->len; i++)
    n_all += ((const SluiceRunNodeDiff *) self->nodes->pdata[i])->kind == SLUICE_DIFF_REMOVED;
  g_autofree char *n = sluice_format_step (self->nodes->len);
  g_autofree char *all = sluice_format_step (n_all);
  return g_strdup_printf (ngettext ("%s of %s node", "%s of %s nodes", n_all), n, all);
}

static const char *const marks[] = { [SLUICE_DIFF_ADDED] = "+",
                                     [SLUICE_DIFF_REMOVED] = "−",
                                     [SLUICE_DIFF_CHANGED] = "~",
                                     [SLUICE_DIFF_RENAMED] = "→" };

char *
sluice_diff_dup_node (const SluiceRunNodeDiff *node)
{
  if (node->kind == SLUICE_DIFF_RENAMED)
    return g_strdup_printf ("%s → %s", node->was, node->name);
  return g_strdup_printf ("%s %s: %s", marks[node->kind], node->name, node->what);
}

static void
line_free (gpointer data)
{
  SluiceDiffLine *self = data;
  g_free (self->words);
  g_free (self);
}

/* Takes words. */
static void
add_line (GPtrArray *lines, SluiceDiffKind kind, char *words)
{
  SluiceDiffLine *line = g_new (SluiceDiffLine, 1);
  *line = (SluiceDiffLine){ kind, words };
  g_ptr_array_add (lines, line);
}

/* (transfer full): "conv1" of "conv1/weights/Assign" */
static char *
dup_scope (const char *name)
{
  const char *slash = strchr (name, '/');
  return slash != NULL ? g_strndup (name, (gsize) (slash - name)) : g_strdup (name);
}

/* Scopes of one kind of change, in the order in which their nodes come. */
static void
add_scopes (const SluiceRunDiff *self, SluiceDiffKind kind, GPtrArray *lines)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) scopes = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->nodes->len; i++)
    {
      const SluiceRunNodeDiff *node = self->nodes->pdata[i];
      if (node->kind != kind)
        continue;
      g_autofree char *scope = dup_scope (node->name);
      gpointer known = NULL, n = NULL;
      if (!g_hash_table_lookup_extended (counts, scope, &known, &n))
        {
          known = g_steal_pointer (&scope);
          g_ptr_array_add (scopes, known);
        }
      g_hash_table_insert (counts, known, GUINT_TO_POINTER (GPOINTER_TO_UINT (n) + 1));
    }
  for (guint i = 0; i < scopes->len; i++)
    {
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, scopes->pdata[i]));
      g_autofree char *number = sluice_format_step (n);
      g_autofree char *nodes = g_strdup_printf (ngettext ("%s node", "%s nodes", n), number);
      add_line (lines, kind,
                g_strdup_printf ("%s %s: %s", marks[kind], (char *) scopes->pdata[i], nodes));
    }
}

GPtrArray *
sluice_diff_list_nodes (const SluiceRunDiff *self, guint most)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (line_free);
  for (guint i = 0; self->nodes->len <= most && i < self->nodes->len; i++)
    {
      const SluiceRunNodeDiff *node = self->nodes->pdata[i];
      add_line (lines, node->kind, sluice_diff_dup_node (node));
    }
  for (guint kind = 0; self->nodes->len > most && kind < G_N_ELEMENTS (marks); kind++)
    add_scopes (self, kind, lines);
  if (lines->len > most)
    g_ptr_array_set_size (lines, (int) most);
  return lines;
}

char *
sluice_diff_dup_node_counts (const SluiceRunDiff *self)
{
  guint counts[SLUICE_DIFF_RENAMED + 1] = { 0 }, n_there = 0;
  g_autoptr (GString) words = g_string_new (NULL);
  for (guint i = 0; i < self->nodes->len; i++)
    {
      SluiceDiffKind kind = ((const SluiceRunNodeDiff *) self->nodes->pdata[i])->kind;
      counts[kind]++;
      n_there += kind != SLUICE_DIFF_REMOVED;
    }
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (counts[i] > 0)
      {
        g_autofree char *n = sluice_format_step (counts[i]);
        g_string_append_printf (words, "%s%s %s", words->len > 0 ? " · " : "", n,
                                _ (sluice_diff_kind_name (i)));
      }
  g_autofree char *same = sluice_format_step (self->n_nodes - MIN (n_there, self->n_nodes));
  g_string_append_printf (words, " · %s", same);
  return g_strdup_printf (_ ("%s the same"), words->str);
}

/* ---- all of it ---- */

static void
append_line (GString *text, const char *name, char *take)
{
  g_autofree char *value = take;
  g_string_append_printf (text, "%s: %s\n", name, value);
}

static void
append_nodes (GString *text, const SluiceRunDiff *self)
{
  append_line (text, sluice_diff_get_title ("graph"), sluice_diff_dup_node_counts (self));
  for (guint i = 0; i < self->nodes->len; i++)
    {
      g_autofree char *line = sluice_diff_dup_node (self->nodes->pdata[i]);
      g_string_append_printf (text, "  %s\n", line);
    }
}

static void
append_settings (GString *text, const SluiceRunDiff *self)
{
  for (guint i = 0; i < self->differs->len; i++)
    {
      const SluiceRunDiffItem *item = self->differs->pdata[i];
      if (strcmp (item->what, "setting") == 0)
        append_line (text, item->name, sluice_diff_dup_values (item));
    }
}

char *
sluice_diff_dup_text (const SluiceRunDiff *self, const char *const *names)
{
  GString *text = g_string_new (NULL);
  g_autofree char *all = g_strjoinv (", ", (char **) names);
  append_line (text, _ ("What differs"), g_steal_pointer (&all));
  for (guint i = 0; i < self->results->len; i++)
    {
      const SluiceRunResultDiff *result = self->results->pdata[i];
      append_line (text, sluice_diff_get_verdict (result->more_than_seeds),
                   sluice_diff_dup_reason (result));
    }
  for (guint i = 0; sluice_run_diff_kinds[i] != NULL; i++)
    {
      const char *kind = sluice_run_diff_kinds[i];
      char *words;
      if (strcmp (kind, "graph") == 0 && self->has_graphs)
        append_nodes (text, self);
      else if (strcmp (kind, "setting") == 0)
        append_settings (text, self);
      else
        {
          sluice_diff_judge_kind (self, kind, &words);
          append_line (text, sluice_diff_get_title (kind), words);
        }
    }
  return g_string_free (text, FALSE);
}
