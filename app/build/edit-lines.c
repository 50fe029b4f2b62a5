/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/edit-lines.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/command/block.h"
#include "engine/command/command.h"
#include "engine/command/line.h"
#include "engine/graph/scope.h"

/* ---- a line ---- */

static void
add_word (GString *line, const char *word)
{
  g_autofree char *quoted = sluice_line_quote (word);
  g_string_append_printf (line, " %s", quoted);
}

/* "name:1" of an output, always with its number of an input. (transfer full) */
static char *
dup_end (const SluiceCanvasEnd *end, gboolean is_output)
{
  return is_output && end->index == 0 ? g_strdup (end->node)
                                      : g_strdup_printf ("%s:%u", end->node, end->index);
}

static char *
new_connect (const SluiceCanvasEnd *from, const SluiceCanvasEnd *to)
{
  g_autofree char *output = dup_end (from, TRUE), *input = dup_end (to, FALSE);
  GString *line = g_string_new ("connect");
  add_word (line, output);
  add_word (line, input);
  return g_string_free (line, FALSE);
}

static char *
new_disconnect (const SluiceCanvasEnd *to)
{
  g_autofree char *input = dup_end (to, FALSE);
  GString *line = g_string_new ("disconnect");
  add_word (line, input);
  return g_string_free (line, FALSE);
}

static char *
new_line (const char *command, const char *first, const char *second)
{
  GString *line = g_string_new (command);
  add_word (line, first);
  if (second != NULL)
    add_word (line, second);
  return g_string_free (line, FALSE);
}

/* lines: (element-type utf8): one at least. words: what several of them are called. */
static char *
join (GPtrArray *lines, const char *words)
{
  if (lines->len == 1)
    return g_strdup (lines->pdata[0]);
  GString *line = g_string_new ("together");
  add_word (line, words);
  for (guint i = 0; i < lines->len; i++)
    add_word (line, lines->pdata[i]);
  return g_string_free (line, FALSE);
}

static GPtrArray *
new_lines (void)
{
  return g_ptr_array_new_with_free_func (g_free);
}

/* "conv1", "conv1 and 2 more". */
static char *
dup_list (const char *const *names)
{
  guint n = g_strv_length ((char **) names);
  if (n == 1)
    return g_strdup (names[0]);
  return g_strdup_printf (ngettext ("%s and %u more", "%s and %u more", n - 1), names[0], n - 1);
}

/* ---- wires ---- */

char *
sluice_edit_line_connect (const SluiceCanvasLink *link, const SluiceCanvasEnd *off)
{
  g_autoptr (GPtrArray) lines = new_lines ();
  g_autofree char *words = g_strdup_printf (_ ("connect %s → %s"), link->from.node, link->to.node);
  if (off != NULL)
    g_ptr_array_add (lines, new_disconnect (off));
  g_ptr_array_add (lines, new_connect (&link->from, &link->to));
  return join (lines, words);
}

char *
sluice_edit_line_disconnect (const SluiceCanvasEnd *inputs, guint n)
{
  g_autoptr (GPtrArray) lines = new_lines ();
  g_autofree char *words = g_strdup_printf (ngettext ("cut %u wire", "cut %u wires", n), n);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (lines, new_disconnect (&inputs[i]));
  return join (lines, words);
}

char *
sluice_edit_line_splice (const SluiceCanvasLink *wire,
                         const SluiceCanvasEnd *input,
                         const SluiceCanvasEnd *output,
                         const GPtrArray *lines)
{
  g_autoptr (GPtrArray) commands = new_lines ();
  g_autofree char *words =
      g_strdup_printf (_ ("put %s into %s → %s"), input->node, wire->from.node, wire->to.node);
  g_ptr_array_add (commands, new_connect (&wire->from, input));
  g_ptr_array_add (commands, new_connect (output, &wire->to));
  if (lines->len > 0)
    g_ptr_array_add (commands, sluice_edit_line_layout (lines, words));
  return join (commands, words);
}

/* The input that its readers can have in place of what it makes: the first of that dtype. -1: none
 */
static int
find_through (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs && node->n_outputs == 1; i++)
    if (node->inputs[i].node != NULL
        && sluice_edge_dtype (node->inputs[i]) == node->outputs[0].dtype)
      return (int) i;
  return -1;
}

static gboolean
add_detached (GPtrArray *lines, const SluiceNode *node, gboolean keeps_input, GError **error)
{
  int through = find_through (node);
  guint n_uses;
  const SluiceUse *uses = sluice_graph_get_uses (node->graph, node, &n_uses);
  if (through < 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "%s '%s' has no input that what reads it could read instead; delete it, or "
                        "connect its readers first",
                        node->op_name, node->name);
  SluiceEdge edge = node->inputs[through];
  const SluiceCanvasEnd from = { edge.node->name, (guint) edge.port };
  for (guint i = 0; i < n_uses; i++)
    if (uses[i].input >= 0)
      g_ptr_array_add (lines, new_connect (&from, &(SluiceCanvasEnd){ uses[i].node->name,
                                                                      (guint) uses[i].input }));
  for (guint i = 0; i < node->n_inputs && !keeps_input; i++)
    if (node->inputs[i].node != NULL)
      g_ptr_array_add (lines, new_disconnect (&(SluiceCanvasEnd){ node->name, i }));
  return TRUE;
}

char *
sluice_edit_line_detach (SluiceGraph *graph,
                         const char *const *names,
                         gboolean keeps_input,
                         GError **error)
{
  g_autoptr (GPtrArray) lines = new_lines ();
  g_autofree char *list = dup_list (names);
  g_autofree char *words =
      g_strdup_printf (keeps_input ? _ ("bypass %s") : _ ("take %s out of its wires"), list);
  for (guint i = 0; names[i] != NULL; i++)
    {
      const SluiceNode *node = sluice_graph_find (graph, names[i]);
      if (node == NULL)
        {
          sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                       "'%s' is a scope; open it, and choose a node of it", names[i]);
          return NULL;
        }
      if (!add_detached (lines, node, keeps_input, error))
        return NULL;
    }
  if (lines->len == 0)
    {
      sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "nothing reads %s", list);
      return NULL;
    }
  return join (lines, words);
}

/* ---- mute ---- */

/* A node, or any of a scope. */
static gboolean
is_muted (SluiceGraph *graph, const char *name)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (sluice_name_is_of (node->name, name)
          && sluice_node_get_attr (node, SLUICE_MUTED_ATTR) != NULL)
        return TRUE;
    }
  return FALSE;
}

char *
sluice_edit_line_mute (SluiceGraph *graph, const char *const *names)
{
  g_autoptr (GPtrArray) lines = new_lines ();
  g_autofree char *list = dup_list (names);
  gboolean all = TRUE;
  for (guint i = 0; names[i] != NULL && all; i++)
    all = is_muted (graph, names[i]);
  for (guint i = 0; names[i] != NULL; i++)
    if (all || !is_muted (graph, names[i]))
      g_ptr_array_add (lines, new_line (all ? "unmute" : "mute", names[i], NULL));
  g_autofree char *words = g_strdup_printf (all ? _ ("unmute %s") : _ ("mute %s"), list);
  return join (lines, words);
}

/* ---- names ---- */

char *
sluice_edit_line_remove (const char *const *names)
{
  g_autoptr (GPtrArray) lines = new_lines ();
  g_autofree char *list = dup_list (names), *words = g_strdup_printf (_ ("delete %s"), list);
  for (guint i = 0; names[i] != NULL; i++)
    g_ptr_array_add (lines, new_line ("delete", names[i], NULL));
  return join (lines, words);
}

/* "gradients/fc1" of fc1, "gradients/relu_grad" of relu: by their names they stand beside it. */
static void
add_gradients (GPtrArray *commands,
               SluiceGraph *graph,
               const char *name,
               const char *new_name,
               const char *end)
{
  g_autofree char *from = g_strconcat ("gradients/", name, end, NULL);
  g_autofree char *to = g_strconcat ("gradients/", new_name, end, NULL);
  if (sluice_graph_has_scope (graph, from) && !sluice_graph_has_scope (graph, to)
      && sluice_graph_find (graph, to) == NULL)
    g_ptr_array_add (commands, new_line ("rename", from, to));
}

char *
sluice_edit_line_rename (SluiceGraph *graph,
                         const char *name,
                         const char *new_name,
                         const GPtrArray *lines)
{
  g_autoptr (GPtrArray) commands = new_lines ();
  g_autofree char *words = g_strdup_printf (_ ("rename %s to %s"), name, new_name);
  g_ptr_array_add (commands, new_line ("rename", name, new_name));
  add_gradients (commands, graph, name, new_name, "");
  add_gradients (commands, graph, name, new_name, "_grad");
  if (lines->len > 0)
    g_ptr_array_add (commands, sluice_edit_line_layout (lines, words));
  return join (commands, words);
}

/* The scope that all of them are in: "" at the top. (transfer full) */
static char *
dup_common_scope (const char *const *names)
{
  g_autofree char *scope = g_path_get_dirname (names[0]);
  for (guint i = 1; names[i] != NULL; i++)
    while (strcmp (scope, ".") != 0
           && !(g_str_has_prefix (names[i], scope) && names[i][strlen (scope)] == '/'))
      {
        char *above = g_path_get_dirname (scope);
        g_free (scope);
        scope = above;
      }
  return g_strdup (strcmp (scope, ".") == 0 ? "" : scope);
}

char *
sluice_edit_dup_group (SluiceGraph *graph, const char *const *names)
{
  g_autofree char *scope = dup_common_scope (names);
  g_autofree char *wanted = g_strconcat (scope, *scope != '\0' ? "/" : "", "group", NULL);
  return sluice_graph_unique_name (graph, wanted);
}

static const char *
get_base (const char *name)
{
  const char *slash = strrchr (name, '/');
  return slash != NULL ? slash + 1 : name;
}

GStrv
sluice_edit_list_in_group (const char *group, const char *const *names)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *name = g_strconcat (group, "/", get_base (names[i]), NULL);
      g_strv_builder_add (builder, name);
    }
  return g_strv_builder_end (builder);
}

GStrv
sluice_edit_list_below (SluiceGraph *graph, const char *scope)
{
  gsize length = strlen (scope);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const char *name = sluice_graph_get_node (graph, i)->name;
      if (!sluice_name_is_below (name, scope))
        continue;
      char *child = g_strndup (name, length + 1 + strcspn (name + length + 1, "/"));
      if (!g_hash_table_contains (seen, child))
        g_strv_builder_add (builder, child);
      g_hash_table_add (seen, child);
    }
  return g_strv_builder_end (builder);
}

GStrv
sluice_edit_list_above (const char *scope, const char *const *names)
{
  const char *slash = strrchr (scope, '/');
  g_autofree char *above = g_strndup (scope, slash != NULL ? (gsize) (slash - scope) : 0);
  if (*above != '\0')
    return sluice_edit_list_in_group (above, names);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = 0; names[i] != NULL; i++)
    g_strv_builder_add (builder, get_base (names[i]));
  return g_strv_builder_end (builder);
}

/* What was arranged by hand goes along. */
static char *
with_layout (char *take_line, const char *words, const GPtrArray *lines)
{
  g_autoptr (GPtrArray) commands = new_lines ();
  g_ptr_array_add (commands, take_line);
  if (lines->len > 0)
    g_ptr_array_add (commands, sluice_edit_line_layout (lines, words));
  return join (commands, words);
}

char *
sluice_edit_line_group (const char *group, const char *const *names, const GPtrArray *lines)
{
  g_autofree char *list = dup_list (names), *words = g_strdup_printf (_ ("group %s"), list);
  GString *line = g_string_new ("group");
  add_word (line, group);
  for (guint i = 0; names[i] != NULL; i++)
    add_word (line, names[i]);
  return with_layout (g_string_free (line, FALSE), words, lines);
}

char *
sluice_edit_line_summary (const char *kind, const char *edge)
{
  GString *line = g_string_new ("summary");
  add_word (line, kind);
  add_word (line, edge);
  return g_string_free (line, FALSE);
}

char *
sluice_edit_line_ungroup (const char *scope, const GPtrArray *lines)
{
  g_autofree char *words = g_strdup_printf (_ ("ungroup %s"), scope);
  return with_layout (new_line ("ungroup", scope, NULL), words, lines);
}

char *
sluice_edit_line_block (SluiceGraph *graph, const char *scope)
{
  const char *slash = strrchr (scope, '/');
  const char *wanted = slash != NULL ? slash + 1 : scope;
  g_autofree char *name = g_strdup (wanted);
  for (guint i = 1;; i++)
    {
      g_auto (GStrv) taken = sluice_block_list_instances (graph, name);
      if (taken[0] == NULL)
        return new_line ("block", scope, name);
      g_free (name);
      name = g_strdup_printf ("%s_%u", wanted, i);
    }
}

static gboolean
is_taken (SluiceGraph *graph, const char *scope)
{
  return sluice_graph_find (graph, scope) != NULL || sluice_graph_has_scope (graph, scope);
}

char *
sluice_edit_line_instance (SluiceGraph *graph, const char *block, const char *scope)
{
  const char *slash = strrchr (scope, '/');
  g_autofree char *wanted =
      g_strdup_printf ("%.*s%s", slash != NULL ? (int) (slash - scope + 1) : 0, scope, block);
  g_autofree char *name = g_strdup (wanted);
  for (guint i = 1; is_taken (graph, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s_%u", wanted, i);
    }
  return new_line ("instance", block, name);
}

char *
sluice_edit_line_of (const char *command, const char *name)
{
  return new_line (command, name, NULL);
}

char *
sluice_edit_line_duplicate (SluiceGraph *graph, const char *const *names)
{
  g_autoptr (GPtrArray) lines = new_lines ();
  g_autofree char *list = dup_list (names), *words = g_strdup_printf (_ ("duplicate %s"), list);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *wanted = g_strconcat (names[i], "_copy", NULL);
      g_autofree char *name = sluice_graph_unique_name (graph, wanted);
      g_ptr_array_add (lines, new_line ("duplicate", names[i], name));
    }
  return join (lines, words);
}

/* $ stands for the name, @ for the edge, # for its dtype, < and > for the least and the most. */
static const char *const by_value[] = {
  "add Const $/least dtype=# value=<",
  "add Const $/most dtype=# value=>",
  "insert ClipByValue $ @ $/least $/most",
  NULL,
};
/* The node comes first: what measures the edge reads it, and not what is made of it. */
static const char *const by_norm[] = {
  "insert Mul $ @ \"\"",
  "add Square $/squares @",
  "add Rank $/rank @",
  "add Const $/zero dtype=DT_INT32 value=0",
  "add Const $/one dtype=DT_INT32 value=1",
  "add Range $/axes $/zero $/rank $/one",
  "add Sum $/sum $/squares $/axes",
  "add Sqrt $/norm $/sum",
  "add Const $/most dtype=# value=>",
  "add Maximum $/larger $/norm $/most",
  "add RealDiv $/scale $/most $/larger",
  "connect $/scale $:1",
  NULL,
};

static char *
fill_in (const char *words, const char *const *values)
{
  static const char marks[] = "$@#<>";
  g_auto (GStrv) parts = g_strsplit (words, " ", -1);
  GString *line = g_string_new (parts[0]);
  for (guint i = 1; parts[i] != NULL; i++)
    {
      g_autoptr (GString) word = g_string_new (NULL);
      for (const char *c = parts[i]; *c != '\0'; c++)
        {
          const char *mark = strchr (marks, *c);
          if (mark != NULL)
            g_string_append (word, values[mark - marks]);
          else
            g_string_append_c (word, *c);
        }
      if (strpbrk (parts[i], "=\"") != NULL) /* KEY=VALUE, of ours */
        g_string_append_printf (line, " %s", word->str);
      else
        add_word (line, word->str);
    }
  return g_string_free (line, FALSE);
}

char *
sluice_edit_line_clip (SluiceGraph *graph, const char *edge, const SluiceClip *clip, char **name)
{
  char least[G_ASCII_DTOSTR_BUF_SIZE], most[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *node = g_strdup (edge);
  g_strdelimit (node, ":", '\0');
  g_autofree char *wanted = g_strconcat (node, "_clip", NULL);
  g_autoptr (GPtrArray) lines = new_lines ();
  g_autofree char *words = g_strdup_printf (_ ("clip %s"), edge);
  SluiceEdge of;
  SluiceDType dtype = sluice_graph_parse_edge (graph, edge, &of, NULL)
                          ? sluice_dtype_base (sluice_edge_dtype (of))
                          : SLUICE_FLOAT; /* the command says what is wrong */
  *name = sluice_graph_unique_name (graph, wanted);
  const char *const values[] = { *name, edge, sluice_dtype_enum_name (dtype),
                                 g_ascii_dtostr (least, sizeof least, clip->least),
                                 g_ascii_dtostr (most, sizeof most, clip->most) };
  const char *const *script = clip->by_norm ? by_norm : by_value;
  for (guint i = 0; script[i] != NULL; i++)
    g_ptr_array_add (lines, fill_in (script[i], values));
  return join (lines, words);
}

/* ---- the picture ---- */

char *
sluice_edit_line_layout (const GPtrArray *lines, const char *words)
{
  GString *line = g_string_new ("layout");
  add_word (line, words);
  for (guint i = 0; i < lines->len; i++)
    add_word (line, lines->pdata[i]);
  return g_string_free (line, FALSE);
}
