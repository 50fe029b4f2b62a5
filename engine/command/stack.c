/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Commands are done, taken back and written down. */
#include "engine/command/stack-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/suggest.h"
#include "engine/command/command-private.h"
#include "engine/graph/graphdef.h"

/* A command that was done. */
typedef struct
{
  guint64 number; /* from 1, in the order in which they were done first */
  char *words;
  GPtrArray *edits; /* SluiceEdit, one or two; applied from the last on, and turned around then */
  GPtrArray *arranged; /* (nullable): lines of the layout that came and went; the same */
} Entry;

#define NEVER_SAVED G_MAXUINT64

struct _SluiceCommandStack
{
  SluiceGraph *graph;
  SluiceGraphText *text;    /* (nullable) */
  GPtrArray *done, *undone; /* Entry, the next one last */
  guint64 n_entries;        /* that were ever made */
  guint64 saved;            /* the last one done when the graph was saved; 0: none */
  GString *journal;
  SluiceCommandKeep keep; /* (nullable) */
  gpointer keep_data;
  SluiceCommandArrange arrange; /* (nullable) */
  gpointer arrange_data;
};

static void
entry_free (gpointer data)
{
  Entry *entry = data;
  g_free (entry->words);
  g_ptr_array_unref (entry->edits);
  g_clear_pointer (&entry->arranged, g_ptr_array_unref);
  g_free (entry);
}

static void
tell_arranged (SluiceCommandStack *self, const GPtrArray *lines)
{
  for (guint i = 0; i < lines->len && self->arrange != NULL; i++)
    self->arrange (lines->pdata[i], self->arrange_data);
}

static gboolean
entry_apply (SluiceCommandStack *stack, Entry *self, GError **error)
{
  GPtrArray *edits = self->edits;
  for (guint i = edits->len; i > 0; i--)
    if (!sluice_edit_apply (edits->pdata[i - 1], error))
      return FALSE;
  for (guint i = 0; i < edits->len / 2; i++)
    {
      gpointer other = edits->pdata[edits->len - 1 - i];
      edits->pdata[edits->len - 1 - i] = edits->pdata[i];
      edits->pdata[i] = other;
    }
  if (self->arranged != NULL)
    {
      sluice_layout_lines_invert (self->arranged);
      tell_arranged (stack, self->arranged);
    }
  return TRUE;
}

SluiceCommandStack *
sluice_command_stack_new (SluiceGraph *graph)
{
  SluiceCommandStack *self = g_new0 (SluiceCommandStack, 1);
  self->graph = sluice_graph_ref (graph);
  self->done = g_ptr_array_new_with_free_func (entry_free);
  self->undone = g_ptr_array_new_with_free_func (entry_free);
  self->journal = g_string_new (NULL);
  return self;
}

void
sluice_command_stack_free (SluiceCommandStack *self)
{
  g_ptr_array_unref (self->done);
  g_ptr_array_unref (self->undone);
  g_string_free (self->journal, TRUE);
  g_clear_pointer (&self->text, sluice_graph_text_free);
  sluice_graph_unref (self->graph);
  g_free (self);
}

SluiceGraph *
sluice_command_stack_get_graph (SluiceCommandStack *self)
{
  return self->graph;
}

/* ---- the text ---- */

void
sluice_command_stack_take_text (SluiceCommandStack *self, SluiceGraphText *text)
{
  g_clear_pointer (&self->text, sluice_graph_text_free);
  self->text = text;
}

void
sluice_command_stack_take_file (SluiceCommandStack *self, GBytes *bytes)
{
  gsize length = 0;
  const char *data = g_bytes_get_data (bytes, &length);
  if (length == 0 || !sluice_command_is_text (data, length))
    return;
  g_autofree char *text = g_strndup (data, length);
  sluice_command_stack_take_text (self, sluice_graph_text_new (self->graph, text));
}

SluiceGraphText *
sluice_command_stack_get_text (SluiceCommandStack *self)
{
  return self->text;
}

GBytes *
sluice_command_stack_export (SluiceCommandStack *self, gboolean is_text, GError **error)
{
  if (!is_text || self->text == NULL || !sluice_graph_text_is_whole (self->text))
    return sluice_graph_export (self->graph, is_text ? SLUICE_EXPORT_TEXT : SLUICE_EXPORT_BINARY,
                                error);
  char *text = sluice_graph_text_dup_text (self->text);
  return g_bytes_new_take (text, strlen (text));
}

gboolean
sluice_command_stack_write (SluiceCommandStack *self, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes =
      sluice_command_stack_export (self, sluice_command_is_text_name (path), error);
  return bytes != NULL && sluice_command_write_bytes (bytes, path, error);
}

/* Before each change, so that the text goes by the commands and not by who looks at it when. */
static void
freshen (SluiceCommandStack *self)
{
  while (self->text != NULL && !sluice_graph_text_refresh (self->text, G_MAXINT64))
    ;
}

const char *
sluice_command_stack_get_journal (SluiceCommandStack *self)
{
  return self->journal->str;
}

/* ---- what is kept ---- */

void
sluice_command_stack_set_keep (SluiceCommandStack *self, SluiceCommandKeep keep, gpointer user_data)
{
  self->keep = keep;
  self->keep_data = user_data;
}

/* Both journals take the line, or neither. */
static gboolean
keep_line (SluiceCommandStack *self, const char *line, GError **error)
{
  if (self->keep != NULL && !self->keep (line, self->keep_data, error))
    return FALSE;
  g_string_append_printf (self->journal, "%s\n", line);
  return TRUE;
}

void
sluice_command_stack_set_arrange (SluiceCommandStack *self,
                                  SluiceCommandArrange arrange,
                                  gpointer user_data)
{
  self->arrange = arrange;
  self->arrange_data = user_data;
}

/* Of the last one that changed the graph, and not only the picture of it. */
static guint64
last_number (const SluiceCommandStack *self)
{
  for (guint i = self->done->len; i > 0; i--)
    {
      const Entry *entry = self->done->pdata[i - 1];
      if (entry->edits->len > 0)
        return entry->number;
    }
  return 0;
}

void
sluice_command_stack_set_saved (SluiceCommandStack *self, gboolean is_saved)
{
  self->saved = is_saved ? last_number (self) : NEVER_SAVED;
}

guint64
sluice_command_stack_get_moment (SluiceCommandStack *self)
{
  return last_number (self);
}

void
sluice_command_stack_set_saved_at (SluiceCommandStack *self, guint64 moment)
{
  self->saved = moment;
}

gboolean
sluice_command_stack_is_saved (SluiceCommandStack *self)
{
  return self->saved == last_number (self);
}

gboolean
sluice_command_stack_find_saved (SluiceCommandStack *self, guint *n)
{
  guint n_done = self->done->len, n_all = n_done + self->undone->len;
  *n = 0;
  for (guint i = 0; i < n_all && self->saved != 0; i++)
    {
      const Entry *entry = i < n_done ? self->done->pdata[i] : self->undone->pdata[n_all - 1 - i];
      *n = i + 1;
      if (entry->number == self->saved)
        return TRUE;
    }
  return self->saved == 0;
}

/* ---- undo ---- */

/* Takes n from one list to the other. */
static gboolean
move (SluiceCommandStack *self,
      GPtrArray *from,
      GPtrArray *to,
      guint n,
      const char *what,
      GError **error)
{
  if (n > from->len)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "%u commands are to be %s, but there are only %u", n, what, from->len);
  for (; n > 0; n--)
    {
      Entry *entry = from->pdata[from->len - 1];
      if (!entry_apply (self, entry, error))
        return FALSE;
      g_ptr_array_add (to, g_ptr_array_steal_index (from, from->len - 1));
    }
  return TRUE;
}

gboolean
sluice_command_stack_undo (SluiceCommandStack *self, guint n, GError **error)
{
  g_autofree char *line = g_strdup_printf ("undo %u", n);
  if (!move (self, self->done, self->undone, n, "undone", error))
    return FALSE;
  return keep_line (self, line, error)
         || (move (self, self->undone, self->done, n, "", NULL), FALSE);
}

gboolean
sluice_command_stack_redo (SluiceCommandStack *self, guint n, GError **error)
{
  g_autofree char *line = g_strdup_printf ("redo %u", n);
  if (!move (self, self->undone, self->done, n, "done again", error))
    return FALSE;
  return keep_line (self, line, error)
         || (move (self, self->done, self->undone, n, "", NULL), FALSE);
}

guint
sluice_command_stack_get_n_undo (SluiceCommandStack *self)
{
  return self->done->len;
}

guint
sluice_command_stack_get_n_redo (SluiceCommandStack *self)
{
  return self->undone->len;
}

static char *
dup_words (const GPtrArray *entries)
{
  const Entry *entry = entries->len > 0 ? entries->pdata[entries->len - 1] : NULL;
  return entry != NULL ? g_strdup (entry->words) : NULL;
}

char *
sluice_command_stack_dup_undo_words (SluiceCommandStack *self)
{
  return dup_words (self->done);
}

char *
sluice_command_stack_dup_redo_words (SluiceCommandStack *self)
{
  return dup_words (self->undone);
}

const char *
sluice_command_stack_get_words (SluiceCommandStack *self, guint i)
{
  const Entry *entry = i < self->done->len
                           ? self->done->pdata[i]
                           : self->undone->pdata[self->done->len + self->undone->len - 1 - i];
  return entry->words;
}

/* The number of a command that takes one, or 1. */
static gboolean
parse_count (const SluiceCommandCall *call, guint *n, GError **error)
{
  guint64 number = 1;
  if (call->n_arguments > 0
      && !g_ascii_string_to_unsigned (call->arguments[0], 10, 1, G_MAXUINT32, &number, NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no number of commands; write 1 or more", call->arguments[0]);
  *n = (guint) number;
  return TRUE;
}

gboolean
sluice_command_undo (SluiceCommandCall *call, GError **error)
{
  guint n = 1;
  return parse_count (call, &n, error) && sluice_command_stack_undo (call->stack, n, error);
}

gboolean
sluice_command_redo (SluiceCommandCall *call, GError **error)
{
  guint n = 1;
  return parse_count (call, &n, error) && sluice_command_stack_redo (call->stack, n, error);
}

/* ---- a line ---- */

/* "$1" and "$2" are arguments, as they were written. (transfer full) */
static char *
fill_words (const SluiceCommandCall *call)
{
  GString *words = g_string_new (NULL);
  for (const char *at = _ (call->command->words); *at != '\0'; at++)
    if (*at == '$' && at[1] >= '1' && (guint) (at[1] - '1') < call->n_arguments)
      g_string_append (words, call->arguments[*++at - '1']);
    else
      g_string_append_c (words, *at);
  return g_string_free (words, FALSE);
}

static const SluiceCommandKey *
find_key (const SluiceEditCommand *command, const char *name)
{
  for (guint i = 0; i < command->n_keys; i++)
    if (command->keys[i].name == NULL || g_str_equal (command->keys[i].name, name))
      return &command->keys[i];
  return NULL;
}

static gboolean
fail_key (const SluiceEditCommand *command, const char *name, GError **error)
{
  g_autofree const char **names = g_new0 (const char *, command->n_keys + 1);
  for (guint i = 0; i < command->n_keys; i++)
    names[i] = command->keys[i].name;
  const char *hint = sluice_suggest_name (name, names, command->n_keys);
  g_autofree char *all = g_strjoinv (", ", (char **) names);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "takes no %s=; %s%s%s", name,
                      hint != NULL          ? "did you mean "
                      : command->n_keys > 0 ? "it takes "
                                            : "it takes no KEY=VALUE at all; put a name that has "
                                              "a '=' in quotes",
                      hint != NULL ? hint : all, hint != NULL ? "=?" : "");
}

/* Are they those that the command takes? */
static gboolean
check_words (const SluiceCommandCall *call, GError **error)
{
  const SluiceEditCommand *command = call->command;
  if (call->n_arguments < command->n_least || call->n_arguments > command->n_most)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%u arguments are too %s; write %s %s", call->n_arguments,
                        call->n_arguments < command->n_least ? "few" : "many", command->name,
                        command->arguments);
  for (guint i = 0; i < call->n_values; i++)
    {
      const char *key = call->values[i]->key;
      if (find_key (command, key) == NULL)
        return fail_key (command, key, error);
      for (guint k = 0; k < i; k++)
        if (g_str_equal (call->values[k]->key, key))
          return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s= is given twice", key);
    }
  for (guint i = 0; i < command->n_keys; i++)
    if (command->keys[i].is_needed
        && sluice_command_get_value (call, command->keys[i].name) == NULL)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s= is missing; write %s %s",
                          command->keys[i].name, command->name, command->arguments);
  return TRUE;
}

gboolean
sluice_command_run_line (SluiceCommandCall *call, const SluiceLine *line, GError **error)
{
  return sluice_command_run_words (call, line, 1, error);
}

gboolean
sluice_command_run_words (SluiceCommandCall *call,
                          const SluiceLine *line,
                          guint first,
                          GError **error)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new (), values = g_ptr_array_new ();
  for (guint i = first; i < line->n; i++)
    {
      SluiceWord *word = &line->words[i];
      g_ptr_array_add (word->key != NULL ? values : arguments,
                       word->key != NULL ? (gpointer) word : word->text);
    }
  call->n_arguments = arguments->len;
  call->n_values = values->len;
  g_ptr_array_add (arguments, NULL);
  call->arguments = (char **) arguments->pdata;
  call->values = (const SluiceWord **) values->pdata;
  gboolean ok = check_words (call, error) && call->command->run (call, error);
  if (ok && call->command->words != NULL && call->words == NULL)
    call->words = fill_words (call);
  return ok;
}

static SluiceEdit *
end_transaction (SluiceGraph *graph, gboolean ok, GError **error)
{
  if (ok)
    return sluice_edit_commit (graph, error);
  sluice_edit_abandon (graph);
  return NULL;
}

/* One transaction, and where a training was taken away by it another one, for gradients are made of
 * a graph that was judged. */
static gboolean
make_edits (SluiceCommandCall *call, const SluiceLine *line, GPtrArray *edits, GError **error)
{
  SluiceGraph *graph = call->graph;
  sluice_edit_begin (graph);
  SluiceEdit *edit = end_transaction (graph, sluice_command_run_line (call, line, error), error);
  if (edit == NULL)
    return FALSE;
  g_ptr_array_add (edits, edit);
  if (call->training == NULL)
    return TRUE;
  sluice_edit_begin (graph);
  SluiceEdit *again =
      end_transaction (graph, sluice_command_train_again (call, call->training, error), error);
  if (again == NULL)
    {
      sluice_edit_apply (edit, NULL); /* as it was */
      return FALSE;
    }
  g_ptr_array_add (edits, again);
  return TRUE;
}

/* What cannot be kept is not done: what is seen is what comes back after a crash. edits, words:
 * (transfer full). (nullable) */
static Entry *
take (SluiceCommandStack *self, GPtrArray *edits, char *words, const char *line, GError **error)
{
  Entry *entry = g_new0 (Entry, 1);
  entry->words = words;
  entry->edits = edits;
  if (!keep_line (self, line, error))
    {
      entry_apply (self, entry, NULL);
      entry_free (entry);
      return NULL;
    }
  entry->number = ++self->n_entries;
  g_ptr_array_add (self->done, entry);
  g_ptr_array_set_size (self->undone, 0);
  return entry;
}

gboolean
sluice_command_stack_take (
    SluiceCommandStack *self, SluiceEdit *edit, char *words, const char *line, GError **error)
{
  GPtrArray *edits = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_edit_free);
  g_ptr_array_add (edits, edit);
  return take (self, edits, words, line, error) != NULL;
}

/* A command that can be undone. */
static gboolean
change (SluiceCommandCall *call, const SluiceLine *line, const char *text, GError **error)
{
  SluiceCommandStack *self = call->stack;
  g_autoptr (GPtrArray) edits = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_edit_free);
  gboolean arranges = call->command->run == sluice_command_layout; /* and does nothing else */
  if (!arranges)
    freshen (self);
  if (!(arranges ? sluice_command_run_line (call, line, error)
                 : make_edits (call, line, edits, error)))
    return FALSE;
  Entry *entry = take (self, g_steal_pointer (&edits), g_steal_pointer (&call->words), text, error);
  if (entry == NULL)
    return FALSE;
  entry->arranged = g_steal_pointer (&call->arranged);
  if (entry->arranged != NULL)
    tell_arranged (self, entry->arranged);
  if (self->text != NULL && call->text != NULL)
    sluice_graph_text_adopt (self->text, call->text);
  return TRUE;
}

static gboolean
do_line (SluiceCommandCall *call, const SluiceLine *line, const char *text, GError **error)
{
  if (line->words[0].key != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s=' stands where a command is wanted", line->words[0].key);
  call->command = sluice_command_find (line->words[0].text, error);
  if (call->command == NULL)
    return FALSE;
  gboolean ok = call->command->words != NULL ? change (call, line, text, error)
                                             : sluice_command_run_line (call, line, error);
  if (!ok)
    g_prefix_error (error, "%s: ", call->command->name);
  return ok;
}

gboolean
sluice_command_stack_do (SluiceCommandStack *self, const char *text, GString *said, GError **error)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  g_autoptr (GString) unheard = g_string_new (NULL);
  if (strchr (stripped, '\n') != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a command is one line; in a text write \\n where a line ends");
  g_autoptr (SluiceLine) line = sluice_line_parse (stripped, error);
  if (line == NULL)
    return FALSE;
  if (line->n == 0)
    return TRUE;
  SluiceCommandCall call = { .stack = self,
                             .graph = self->graph,
                             .said = said != NULL ? said : unheard };
  gboolean ok = do_line (&call, line, stripped, error);
  g_free (call.words);
  g_free (call.text);
  g_clear_pointer (&call.training, sluice_training_away_free);
  g_clear_pointer (&call.arranged, g_ptr_array_unref);
  return ok;
}

/* ---- a script ---- */

gboolean
sluice_command_stack_run (SluiceCommandStack *self,
                          const char *script,
                          gboolean keep_going,
                          SluiceCommandReport report,
                          gpointer user_data,
                          GError **error)
{
  g_autoptr (GError) first = NULL;
  const char *at = script;
  for (guint number = 1; *at != '\0' && (first == NULL || keep_going); number++)
    {
      gsize length = strcspn (at, "\n");
      g_autofree char *text = g_strndup (at, length);
      g_autoptr (GString) said = g_string_new (NULL);
      g_autoptr (GError) problem = NULL;
      at += length + (at[length] != '\0');
      g_strstrip (text);
      if (*text == '\0' || *text == '#')
        continue;
      if (!sluice_command_stack_do (self, text, said, &problem))
        g_prefix_error (&problem, "line %u: ", number);
      if (report != NULL)
        report (number, text, said->str, problem, user_data);
      if (problem != NULL && first == NULL)
        first = g_steal_pointer (&problem);
    }
  if (first == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}
