/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/command/paste.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/command/command-private.h"
#include "engine/command/line.h"
#include "engine/command/stack-private.h"
#include "engine/graph/node-text.h"
#include "engine/graph/rewrite.h"
#include "engine/graph/scope.h"

/* Is it one of the names, or does it stand below one? */
static gboolean
is_meant (GHashTable *names, const char *name)
{
  if (g_hash_table_contains (names, name))
    return TRUE;
  g_autofree char *scope = g_strdup (name);
  for (char *slash; (slash = strrchr (scope, '/')) != NULL;)
    {
      *slash = '\0';
      if (g_hash_table_contains (names, scope))
        return TRUE;
    }
  return FALSE;
}

char *
sluice_copy_dup_text (SluiceGraph *graph, const char *const *names)
{
  g_autoptr (GHashTable) all = g_hash_table_new (g_str_hash, g_str_equal);
  GString *text = g_string_new (NULL);
  for (guint i = 0; names[i] != NULL; i++)
    g_hash_table_add (all, (gpointer) names[i]);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (is_meant (all, sluice_graph_get_node (graph, i)->name))
      sluice_node_text_write (text, sluice_graph_get_node (graph, i));
  return g_string_free (text, FALSE);
}

#define STEPS_A_LOOK 64 /* at the clock */
#define MANY         64 /* nodes, of which each is not looked for among all that are there */

/* ---- what the text brings along ---- */

typedef enum
{
  SCANNING, /* a block of the text at a time */
  NAMING,   /* a node of the graph at a time: where many are pasted */
  WRITING,  /* a block at a time, and so the others */
  FRESHENING,
  REWRITING,
  ADOPTING,
  OVER,
} Stage;

struct _SluicePasting
{
  SluiceCommandStack *stack; /* (nullable): only the line is wanted */
  SluiceGraph *graph;
  char *text;
  gsize length, n_read;
  GArray *blocks;      /* of SluiceTextField: `node { … }` */
  GHashTable *brought; /* names of its nodes */
  GHashTable *taken;   /* (nullable): names of nodes and scopes that are there */
  GHashTable *renamed; /* the outermost scope of a name -> what it is called here */
  gsize prefix;        /* bytes of all names that are the scope that they share, '/' included */
  gboolean is_wired;
  Stage stage;
  guint i;                    /* of the stage's next one */
  GString *out;               /* what is pasted */
  char *line;                 /* (nullable): until all is written */
  SluiceRewriting *rewriting; /* (nullable): there is a transaction */
  gsize n_adopted;            /* bytes of what is pasted */
  GError *error;              /* (nullable) */
};
typedef SluicePasting Paste;

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
take_block (Paste *self, const SluiceTextField *block, GError **error)
{
  if (!sluice_text_field_is (block, self->text, "node") || !block->is_message)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the text is to be blocks of nodes, as node { name: \"a\" op: \"NoOp\" "
                        "}; '%.*s' is none",
                        (int) (block->name_end - block->begin), self->text + block->begin);
  g_autoptr (GArray) fields = scan_block (self, block, error);
  guint name = fields != NULL ? sluice_text_find_field (fields, self->text + block->value, "name")
                              : G_MAXUINT;
  if (fields != NULL && name == G_MAXUINT)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "a node of the text has no name");
  if (fields == NULL)
    return FALSE;
  g_hash_table_add (self->brought, dup_value (self->text + block->value,
                                              &g_array_index (fields, SluiceTextField, name)));
  g_array_append_vals (self->blocks, block, 1);
  return TRUE;
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

static void
note_taken (Paste *self, const char *name)
{
  for (const char *slash = strchrnul (name, '/');; slash = strchrnul (slash + 1, '/'))
    {
      g_autofree char *scope = g_strndup (name, (gsize) (slash - name));
      if (!g_hash_table_contains (self->taken, scope))
        g_hash_table_add (self->taken, g_steal_pointer (&scope));
      if (*slash == '\0')
        return;
    }
}

static gboolean
is_taken (const Paste *self, const char *name)
{
  if (self->taken != NULL)
    return g_hash_table_contains (self->taken, name);
  if (sluice_graph_find (self->graph, name) != NULL)
    return TRUE;
  for (guint i = 0; i < sluice_graph_get_n_nodes (self->graph); i++)
    if (sluice_name_is_of (sluice_graph_get_node (self->graph, i)->name, name))
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
      for (guint n = 1; is_taken (self, here); n++)
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

/* ---- the pieces ---- */

static void
begin_stage (Paste *self, Stage stage)
{
  self->stage = stage;
  self->i = 0;
}

static gboolean
scan_next (Paste *self, GError **error)
{
  SluiceTextField field;
  GError *problem = NULL;
  if (sluice_text_scan_next (self->text, self->length, &self->n_read, &field, &problem))
    return take_block (self, &field, error);
  if (problem != NULL)
    {
      g_propagate_error (error, problem);
      return FALSE;
    }
  if (self->blocks->len == 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "there is nothing to paste");
  find_prefix (self);
  take_scope_along (self);
  if (self->blocks->len > MANY)
    self->taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  begin_stage (self, self->taken != NULL ? NAMING : WRITING);
  return TRUE;
}

static gboolean
name_next (Paste *self)
{
  if (self->i == sluice_graph_get_n_nodes (self->graph))
    begin_stage (self, WRITING);
  else
    note_taken (self, sluice_graph_get_node (self->graph, self->i++)->name);
  return TRUE;
}

static gboolean
write_next (Paste *self, GError **error)
{
  if (self->i < self->blocks->len)
    return write_block (self, &g_array_index (self->blocks, SluiceTextField, self->i++), self->out,
                        error);
  g_autofree char *quoted = sluice_line_quote (self->out->str);
  self->line = g_strconcat ("paste ", quoted, NULL);
  if (strlen (self->line) > SLUICE_LINE_MAX)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                        "what is pasted is %zu bytes long, and a command %d at most; paste it in "
                        "parts, or open it as a file",
                        strlen (self->line), SLUICE_LINE_MAX);
  begin_stage (self, self->stack != NULL ? FRESHENING : OVER);
  return TRUE;
}

/* Before a change, as the stack has it. */
static gboolean
freshen_some (Paste *self, gint64 budget_us)
{
  SluiceGraphText *text = sluice_command_stack_get_text (self->stack);
  if (text != NULL && !sluice_graph_text_refresh (text, budget_us))
    return TRUE;
  sluice_edit_begin (self->graph);
  self->rewriting = sluice_rewriting_new (self->graph, NULL, 0, self->out->str);
  begin_stage (self, REWRITING);
  return TRUE;
}

/* The last moment to cancel is before. */
static gboolean
commit (Paste *self, const SluiceRewritten *done, GError **error)
{
  char *words = sluice_command_dup_paste_words (done, error);
  SluiceEdit *edit = words != NULL ? sluice_edit_commit (self->graph, error) : NULL;
  if (words == NULL)
    sluice_edit_abandon (self->graph);
  g_clear_pointer (&self->rewriting, sluice_rewriting_free);
  if (edit == NULL)
    {
      g_free (words);
      return FALSE;
    }
  if (!sluice_command_stack_take (self->stack, edit, words, self->line, error))
    return FALSE;
  begin_stage (self, sluice_command_stack_get_text (self->stack) != NULL ? ADOPTING : OVER);
  return TRUE;
}

static gboolean
rewrite_some (Paste *self, gint64 budget_us, GError **error)
{
  if (!sluice_rewriting_go_on (self->rewriting, budget_us, error))
    return FALSE;
  const SluiceRewritten *done = sluice_rewriting_get_done (self->rewriting);
  return done == NULL || commit (self, done, error);
}

/* The text says it as it was pasted. */
static gboolean
adopt_next (Paste *self)
{
  SluiceTextField field;
  gsize begin = self->n_adopted;
  if (!sluice_text_scan_next (self->out->str, self->out->len, &self->n_adopted, &field, NULL))
    {
      begin_stage (self, OVER);
      return TRUE;
    }
  g_autofree char *block = g_strndup (self->out->str + begin, self->n_adopted - begin);
  sluice_graph_text_adopt (sluice_command_stack_get_text (self->stack), block);
  return TRUE;
}

static gboolean
take_step (Paste *self, gint64 budget_us, GError **error)
{
  switch (self->stage)
    {
    case SCANNING:
      return scan_next (self, error);
    case NAMING:
      return name_next (self);
    case WRITING:
      return write_next (self, error);
    case FRESHENING:
      return freshen_some (self, budget_us);
    case REWRITING:
      return rewrite_some (self, budget_us, error);
    default:
      return adopt_next (self);
    }
}

/* ---- all of it ---- */

SluicePasting *
sluice_pasting_new (SluiceCommandStack *stack,
                    SluiceGraph *graph,
                    const char *text,
                    gboolean is_wired)
{
  SluicePasting *self = g_new0 (SluicePasting, 1);
  self->stack = stack;
  self->graph = sluice_graph_ref (graph);
  self->text = g_strdup (text);
  self->length = strlen (text);
  self->blocks = g_array_new (FALSE, FALSE, sizeof (SluiceTextField));
  self->brought = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->renamed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->out = g_string_new (NULL);
  self->is_wired = is_wired;
  return self;
}

void
sluice_pasting_free (SluicePasting *self)
{
  if (self->rewriting != NULL)
    sluice_edit_abandon (self->graph);
  g_clear_pointer (&self->rewriting, sluice_rewriting_free);
  g_array_unref (self->blocks);
  g_hash_table_unref (self->brought);
  g_clear_pointer (&self->taken, g_hash_table_unref);
  g_hash_table_unref (self->renamed);
  g_string_free (self->out, TRUE);
  g_clear_error (&self->error);
  g_free (self->line);
  g_free (self->text);
  sluice_graph_unref (self->graph);
  g_free (self);
}

static void
fail (Paste *self)
{
  if (self->rewriting != NULL)
    sluice_edit_abandon (self->graph);
  g_clear_pointer (&self->rewriting, sluice_rewriting_free);
  if (self->stack != NULL && self->line != NULL) /* as of the command */
    g_prefix_error (&self->error, "paste: ");
  begin_stage (self, OVER);
}

gboolean
sluice_pasting_go_on (SluicePasting *self, gint64 budget_us)
{
  gint64 begun = g_get_monotonic_time (), left = budget_us;
  for (guint n = 1; self->stage != OVER && left >= 0; n++)
    {
      gboolean is_look = n % STEPS_A_LOOK == 0 || self->stage == REWRITING;
      if (!take_step (self, left, &self->error))
        fail (self);
      if (is_look)
        left = budget_us - (g_get_monotonic_time () - begun) - 1;
    }
  return self->stage == OVER;
}

gboolean
sluice_pasting_end (SluicePasting *self, GError **error)
{
  g_return_val_if_fail (self->stage == OVER, FALSE);
  if (self->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}

/* Of each stage, how much there was to do before it, by what it takes for a large text. */
double
sluice_pasting_get_progress (const SluicePasting *self)
{
  static const double begins[] = {
    [SCANNING] = 0,    [NAMING] = 0.2,   [WRITING] = 0.2, [FRESHENING] = 0.4,
    [REWRITING] = 0.4, [ADOPTING] = 0.8, [OVER] = 1
  };
  double done = 0;
  if (self->stage == SCANNING)
    done = (double) self->n_read / (double) MAX (self->length, 1);
  else if (self->stage == WRITING)
    done = (double) self->i / MAX (self->blocks->len, 1);
  else if (self->stage == REWRITING)
    done = sluice_rewriting_get_progress (self->rewriting);
  else if (self->stage == ADOPTING)
    done = (double) self->n_adopted / (double) MAX (self->out->len, 1);
  return self->stage == OVER
             ? 1
             : begins[self->stage] + done * (begins[self->stage + 1] - begins[self->stage]);
}

guint
sluice_pasting_get_n_nodes (const SluicePasting *self)
{
  return self->blocks->len;
}

char *
sluice_paste_dup_line (SluiceGraph *graph, const char *text, gboolean is_wired, GError **error)
{
  SluicePasting *self = sluice_pasting_new (NULL, graph, text, is_wired);
  while (!sluice_pasting_go_on (self, G_MAXINT64))
    ;
  char *line = sluice_pasting_end (self, error) ? g_steal_pointer (&self->line) : NULL;
  sluice_pasting_free (self);
  return line;
}
