/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/command/paste.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/command/command-private.h"
#include "engine/command/line.h"
#include "engine/graph/node-text.h"

char *
sluice_copy_dup_text (SluiceGraph *graph, const char *const *names)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      gboolean is_meant = FALSE;
      for (guint k = 0; names[k] != NULL && !is_meant; k++)
        is_meant = sluice_command_is_below (node->name, names[k]);
      if (is_meant)
        sluice_node_text_write (text, node);
    }
  return g_string_free (text, FALSE);
}

/* ---- what the text brings along ---- */

typedef struct
{
  SluiceGraph *graph;
  const char *text;
  GArray *blocks;      /* of SluiceTextField: `node { … }` */
  GHashTable *brought; /* names of its nodes */
  GHashTable *renamed; /* the outermost scope of a name -> what it is called here */
  gsize prefix;        /* bytes of all names that are the scope that they share, '/' included */
  gboolean is_wired;
} Paste;

static void
paste_clear (Paste *self)
{
  g_clear_pointer (&self->blocks, g_array_unref);
  g_clear_pointer (&self->brought, g_hash_table_unref);
  g_clear_pointer (&self->renamed, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Paste, paste_clear)

/* Of a field whose value is a text in quotes: (transfer full). */
static char *
dup_value (const char *text, const SluiceTextField *field)
{
  gsize length = field->value_end - field->value;
  const char *value = text + field->value;
  return length >= 2 && (*value == '"' || *value == '\'') ? g_strndup (value + 1, length - 2)
                                                          : g_strndup (value, length);
}

/* The fields of a block, in bytes of it. (transfer full) (nullable) */
static GArray *
scan_block (const Paste *self, const SluiceTextField *block, GError **error)
{
  return sluice_text_scan (self->text + block->value, block->value_end - block->value, error);
}

static gboolean
find_names (Paste *self, GError **error)
{
  for (guint i = 0; i < self->blocks->len; i++)
    {
      const SluiceTextField *block = &g_array_index (self->blocks, SluiceTextField, i);
      if (!sluice_text_field_is (block, self->text, "node") || !block->is_message)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "the text is to be blocks of nodes, as node { name: \"a\" op: \"NoOp\" "
                            "}; '%.*s' is none",
                            (int) (block->name_end - block->begin), self->text + block->begin);
      g_autoptr (GArray) fields = scan_block (self, block, error);
      guint name = fields != NULL
                       ? sluice_text_find_field (fields, self->text + block->value, "name")
                       : G_MAXUINT;
      if (fields != NULL && name == G_MAXUINT)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "a node of the text has no name");
      if (fields == NULL)
        return FALSE;
      g_hash_table_add (self->brought, dup_value (self->text + block->value,
                                                  &g_array_index (fields, SluiceTextField, name)));
    }
  return self->blocks->len > 0
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "there is nothing to paste");
}

/* How many bytes of a name stand before what it has alone. */
static void
find_prefix (Paste *self)
{
  GHashTableIter all;
  gpointer name;
  const char *first = NULL;
  g_hash_table_iter_init (&all, self->brought);
  while (g_hash_table_iter_next (&all, &name, NULL))
    {
      const char *slash = strrchr (name, '/');
      gsize length = slash != NULL ? (gsize) (slash - (char *) name) + 1 : 0;
      if (first == NULL)
        {
          first = name;
          self->prefix = length;
          continue;
        }
      gsize same = 0, shared = 0;
      while (same < self->prefix && ((char *) name)[same] == first[same])
        if (first[same++] == '/')
          shared = same;
      self->prefix = shared;
    }
}

/* Is it one thing that stands in the scope that all share, and what is below it? */
static gboolean
is_one_thing (const Paste *self)
{
  GHashTableIter all;
  gpointer name;
  const char *first = NULL;
  gsize length = 0;
  g_hash_table_iter_init (&all, self->brought);
  while (g_hash_table_iter_next (&all, &name, NULL))
    {
      const char *own = (const char *) name + self->prefix;
      if (first == NULL)
        {
          first = own;
          length = strcspn (own, "/");
        }
      if (strcspn (own, "/") != length || strncmp (own, first, length) != 0)
        return FALSE;
    }
  return TRUE;
}

/* Several things of one scope are that scope, a layer as a rule: it gets another name, they keep
 * theirs. */
static void
take_scope_along (Paste *self)
{
  GHashTableIter all;
  gpointer name;
  if (self->prefix == 0 || is_one_thing (self))
    return;
  g_hash_table_iter_init (&all, self->brought);
  g_hash_table_iter_next (&all, &name, NULL);
  do
    self->prefix--;
  while (self->prefix > 0 && ((const char *) name)[self->prefix - 1] != '/');
}

static gboolean
is_taken (SluiceGraph *graph, const char *name)
{
  if (sluice_graph_find (graph, name) != NULL)
    return TRUE;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (sluice_command_is_below (sluice_graph_get_node (graph, i)->name, name))
      return TRUE;
  return FALSE;
}

/* What it is called here: a free name for its outermost scope behind the shared one. (transfer
 * full) */
static char *
dup_name_here (Paste *self, const char *name)
{
  gsize outer = self->prefix + strcspn (name + self->prefix, "/");
  g_autofree char *scope = g_strndup (name, outer);
  char *here = g_hash_table_lookup (self->renamed, scope);
  if (here == NULL)
    {
      here = g_strdup (scope);
      for (guint n = 1; is_taken (self->graph, here); n++)
        {
          g_free (here);
          here = g_strdup_printf ("%s_%u", scope, n);
        }
      g_hash_table_insert (self->renamed, g_strdup (scope), here);
    }
  return g_strconcat (here, name + outer, NULL);
}

/* ---- what it is here ---- */

/* "a:1", "^a": (transfer full) (nullable): it goes; "" stays open. */
static char *
dup_input_here (Paste *self, const char *input)
{
  gboolean is_control = *input == '^';
  const char *port = strrchr (input, ':');
  g_autofree char *node =
      port != NULL ? g_strndup (input, port - input) : g_strdup (input + is_control);
  if (g_hash_table_contains (self->brought, node))
    {
      g_autofree char *name = dup_name_here (self, node);
      return g_strconcat (is_control ? "^" : "", name, port, NULL);
    }
  gboolean is_kept = self->is_wired && sluice_graph_find (self->graph, node) != NULL;
  return is_kept ? g_strdup (input) : is_control ? NULL : g_strdup ("");
}

/* A text in quotes that is the name of a node that comes along: of a variable's resource, or of
 * what it stands beside. */
static gboolean
append_name (Paste *self, const char *quoted, gsize length, GString *out)
{
  gsize mark = length > 5 && strncmp (quoted, "loc:@", 5) == 0 ? 5 : 0;
  g_autofree char *name = g_strndup (quoted + mark, length - mark);
  if (!g_hash_table_contains (self->brought, name))
    return FALSE;
  g_autofree char *here = dup_name_here (self, name);
  g_string_append_printf (out, "\"%.*s%s\"", (int) mark, quoted, here);
  return TRUE;
}

/* What stands between names and inputs: attributes above all. */
static void
append_rest (Paste *self, const char *text, gsize begin, gsize end, GString *out)
{
  while (begin < end)
    {
      const char *quote = memchr (text + begin, '"', end - begin);
      const char *close = quote != NULL ? quote + 1 : NULL;
      while (close != NULL && close < text + end && *close != '"')
        close += *close == '\\' && close + 1 < text + end ? 2 : 1;
      if (close == NULL || close >= text + end)
        break;
      gsize next = (gsize) (close + 1 - text);
      g_string_append_len (out, text + begin, (gssize) (quote - text - begin));
      if (!append_name (self, quote + 1, (gsize) (close - quote - 1), out))
        g_string_append_len (out, quote, close + 1 - quote);
      begin = next;
    }
  g_string_append_len (out, text + begin, (gssize) (end - begin));
}

static gboolean
write_block (Paste *self, const SluiceTextField *block, GString *out, GError **error)
{
  const char *text = self->text + block->value;
  g_autoptr (GArray) fields = scan_block (self, block, error);
  gsize at = 0;
  if (fields == NULL)
    return FALSE;
  g_string_append (out, "node {");
  for (guint i = 0; i < fields->len; i++)
    {
      const SluiceTextField *field = &g_array_index (fields, SluiceTextField, i);
      gboolean is_name = sluice_text_field_is (field, text, "name");
      if (!is_name && !sluice_text_field_is (field, text, "input"))
        continue;
      g_autofree char *value = dup_value (text, field);
      g_autofree char *here = is_name ? dup_name_here (self, value) : dup_input_here (self, value);
      append_rest (self, text, at, field->begin, out);
      if (here != NULL)
        g_string_append_printf (out, "%s: \"%s\"", is_name ? "name" : "input", here);
      at = field->end;
    }
  append_rest (self, text, at, block->value_end - block->value, out);
  g_string_append (out, "}\n");
  return TRUE;
}

char *
sluice_paste_dup_line (SluiceGraph *graph, const char *text, gboolean is_wired, GError **error)
{
  g_auto (Paste) self = {
    .graph = graph,
    .text = text,
    .blocks = sluice_text_scan (text, strlen (text), error),
    .brought = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .renamed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
    .is_wired = is_wired,
  };
  if (self.blocks == NULL || !find_names (&self, error))
    return NULL;
  find_prefix (&self);
  take_scope_along (&self);
  g_autoptr (GString) out = g_string_new (NULL);
  for (guint i = 0; i < self.blocks->len; i++)
    if (!write_block (&self, &g_array_index (self.blocks, SluiceTextField, i), out, error))
      return NULL;
  g_autofree char *quoted = sluice_line_quote (out->str);
  return g_strconcat ("paste ", quoted, NULL);
}
