/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What is taken away and made again in its place: a layer with other parameters, and with it the
 * training of its variables. The node `train` remembers in attributes that TensorFlow passes over
 * by which command it was made and which scopes are the training's own.
 */
#include <string.h>

#include "engine/command/command-private.h"
#include "engine/command/stack-private.h"
#include "engine/graph/scope.h"

#define TRAIN   "train"
#define COMMAND "_train"
#define SCOPES  "_train_scopes"

/* ---- nodes and their readers ---- */

/* Names are interned: the nodes may be others when they are looked up. */
typedef struct
{
  const char *reader;
  int input; /* -1: waits for it */
  const char *node;
  int port;
} Reader;

static GArray *
list_readers (SluiceGraph *graph, const GPtrArray *nodes)
{
  GArray *readers = g_array_new (FALSE, FALSE, sizeof (Reader));
  g_autoptr (GHashTable) gone = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_add (gone, nodes->pdata[i]);
  for (guint i = 0; i < nodes->len; i++)
    {
      const SluiceNode *node = nodes->pdata[i];
      guint n;
      const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
      for (guint k = 0; k < n; k++)
        if (!g_hash_table_contains (gone, uses[k].node))
          {
            Reader reader = { uses[k].node->name, uses[k].input, node->name, uses[k].port };
            g_array_append_val (readers, reader);
          }
    }
  return readers;
}

GArray *
sluice_command_take_away (SluiceCommandCall *call, const GPtrArray *nodes, GError **error)
{
  SluiceGraph *graph = call->graph;
  g_autoptr (GArray) readers = list_readers (graph, nodes);
  for (guint i = 0; i < readers->len; i++)
    {
      const Reader *r = &g_array_index (readers, Reader, i);
      SluiceNode *reader = sluice_graph_find (graph, r->reader);
      SluiceNode *node = sluice_graph_find (graph, r->node);
      gboolean ok = r->input < 0 ? sluice_edit_remove_control (graph, reader, node, error)
                                 : sluice_edit_set_input (graph, reader, (guint) r->input,
                                                          SLUICE_NO_EDGE, error);
      if (!ok)
        return NULL;
    }
  if (!sluice_edit_remove (graph, (SluiceNode *const *) nodes->pdata, nodes->len, error))
    return NULL;
  return g_steal_pointer (&readers);
}

gboolean
sluice_command_give_back (SluiceCommandCall *call, const GArray *readers, GError **error)
{
  SluiceGraph *graph = call->graph;
  for (guint i = 0; i < readers->len; i++)
    {
      const Reader *r = &g_array_index (readers, Reader, i);
      SluiceNode *reader = sluice_graph_find (graph, r->reader);
      SluiceNode *node = sluice_graph_find (graph, r->node);
      if (reader == NULL || node == NULL || r->port >= (int) node->n_outputs)
        continue;
      gboolean ok = r->input < 0 ? sluice_edit_add_control (graph, reader, node, error)
                                 : sluice_edit_set_input (graph, reader, (guint) r->input,
                                                          (SluiceEdge){ node, r->port }, error);
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

/* ---- what a training remembers ---- */

/* All names of the first n nodes and of the scopes that they stand in. (transfer full) */
static GHashTable *
list_scopes (SluiceGraph *graph, guint n)
{
  GHashTable *scopes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < n; i++)
    {
      const char *name = sluice_graph_get_node (graph, i)->name;
      for (const char *at = name; at != NULL; at = strchr (at + 1, '/'))
        if (at != name)
          g_hash_table_add (scopes, g_strndup (name, (gsize) (at - name)));
      g_hash_table_add (scopes, g_strdup (name));
    }
  return scopes;
}

/* The largest scope that the node stands in and nothing else does. (transfer full) */
static char *
dup_own_scope (const char *name, GHashTable *others)
{
  for (const char *at = strchr (name, '/'); at != NULL; at = strchr (at + 1, '/'))
    {
      g_autofree char *scope = g_strndup (name, (gsize) (at - name));
      if (!g_hash_table_contains (others, scope))
        return g_steal_pointer (&scope);
    }
  return g_strdup (name);
}

/* (transfer full): the command's line again */
static char *
write_line (const SluiceCommandCall *call)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < call->n_arguments; i++)
    {
      g_autofree char *quoted = sluice_line_quote (call->arguments[i]);
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", quoted);
    }
  for (guint i = 0; i < call->n_values; i++)
    g_string_append_printf (text, " %s=%s", call->values[i]->key, call->values[i]->text);
  return g_string_free (text, FALSE);
}

gboolean
sluice_command_remember_training (SluiceCommandCall *call, guint n, GError **error)
{
  SluiceGraph *graph = call->graph;
  SluiceNode *train = sluice_graph_find (graph, TRAIN);
  g_autoptr (GHashTable) others = list_scopes (graph, n);
  g_autoptr (GHashTable) own = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) scopes = g_string_new (NULL);
  for (guint i = n; i < sluice_graph_get_n_nodes (graph); i++)
    {
      char *scope = dup_own_scope (sluice_graph_get_node (graph, i)->name, others);
      if (g_hash_table_contains (own, scope))
        {
          g_free (scope);
          continue;
        }
      g_autofree char *quoted = sluice_line_quote (scope);
      g_string_append_printf (scopes, "%s%s", scopes->len > 0 ? " " : "", quoted);
      g_hash_table_add (own, scope);
    }
  g_autofree char *line = write_line (call);
  SluiceAttr command = sluice_attr_string (COMMAND, line);
  SluiceAttr all = sluice_attr_string (SCOPES, scopes->str);
  return sluice_edit_set_attr (graph, train, &command, error)
         && sluice_edit_set_attr (graph, train, &all, error);
}

/* (transfer full) (nullable): there is no training, or none that remembers */
static SluiceLine *
recall (SluiceGraph *graph, const char *attr)
{
  const SluiceNode *train = sluice_graph_find (graph, TRAIN);
  const SluiceAttrValue *value = train != NULL ? sluice_node_get_attr (train, attr) : NULL;
  if (value == NULL || value->kind != SLUICE_ATTR_STRING)
    return NULL;
  g_autofree char *text = g_strndup (value->s.data, value->s.length);
  return sluice_line_parse (text, NULL);
}

/* An edge or a scope below one name, below the other. */
static void
rename_word (SluiceWord *word, const char *from, const char *to)
{
  static const char *const names[] = { "learning-rate", "variables", NULL };
  g_autofree char *node = g_strndup (word->text, strcspn (word->text, ":"));
  if (!sluice_name_is_of (node, from) || (word->key != NULL && !g_strv_contains (names, word->key)))
    return;
  const char *rest = word->text + strlen (from);
  char *renamed = g_strconcat (to, rest + (*to == '\0' && *rest == '/'), NULL);
  g_free (word->text);
  word->text = renamed;
}

gboolean
sluice_command_rename_in_training (SluiceCommandCall *call,
                                   const char *from,
                                   const char *to,
                                   GError **error)
{
  static const char *const attrs[] = { COMMAND, SCOPES };
  for (guint i = 0; i < G_N_ELEMENTS (attrs); i++)
    {
      g_autoptr (SluiceLine) line = recall (call->graph, attrs[i]);
      g_autoptr (GString) text = g_string_new (NULL);
      for (guint k = 0; line != NULL && k < line->n; k++)
        {
          SluiceWord *word = &line->words[k];
          rename_word (word, from, to);
          g_autofree char *quoted = word->key == NULL ? sluice_line_quote (word->text) : NULL;
          g_string_append_printf (text, "%s%s%s%s", k > 0 ? " " : "",
                                  word->key != NULL ? word->key : "", word->key != NULL ? "=" : "",
                                  quoted != NULL ? quoted : word->text);
        }
      SluiceAttr attr = sluice_attr_string (attrs[i], text->str);
      if (line != NULL
          && !sluice_edit_set_attr (call->graph, sluice_graph_find (call->graph, TRAIN), &attr,
                                    error))
        return FALSE;
    }
  return TRUE;
}

/* ---- taking it away ---- */

struct _SluiceTrainingAway
{
  SluiceLine *line;
  GArray *readers;
};

void
sluice_training_away_free (SluiceTrainingAway *self)
{
  sluice_line_free (self->line);
  g_array_unref (self->readers);
  g_free (self);
}

/* (transfer container) (nullable): FAILED_PRECONDITION where it is not as it was made */
static GPtrArray *
collect_training (SluiceCommandCall *call, GError **error)
{
  g_autoptr (SluiceLine) scopes = recall (call->graph, SCOPES);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  for (guint i = 0; scopes != NULL && i < scopes->n; i++)
    {
      g_autoptr (GPtrArray) below = sluice_command_collect (call, scopes->words[i].text, NULL);
      if (below != NULL)
        g_ptr_array_extend (nodes, below, NULL, NULL);
    }
  if (nodes->len > 0)
    return g_steal_pointer (&nodes);
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
               "there is no training that the command train has made");
  return NULL;
}

/* A node that reads one of the nodes and is among the others; NULL for these: an optimizer's
 * update. (nullable) */
static const SluiceNode *
find_reader (SluiceGraph *graph, const GPtrArray *nodes, GHashTable *others)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      guint n;
      const SluiceUse *uses = sluice_graph_get_uses (graph, nodes->pdata[i], &n);
      for (guint k = 0; k < n; k++)
        {
          const SluiceNode *node = uses[k].node;
          if (others != NULL ? g_hash_table_contains (others, node)
                             : node->op != NULL && (node->op->def->flags & SLUICE_OP_OPTIMIZER))
            return node;
        }
    }
  return NULL;
}

static gboolean
take_training (SluiceCommandCall *call, const GPtrArray *training, GError **error)
{
  SluiceLine *line = recall (call->graph, COMMAND);
  GArray *readers = sluice_command_take_away (call, training, error);
  if (readers == NULL)
    {
      sluice_line_free (line);
      return FALSE;
    }
  call->training = g_new (SluiceTrainingAway, 1);
  *call->training = (SluiceTrainingAway){ line, readers };
  return TRUE;
}

/* (transfer container) (nullable): there is none that could be made again */
static GPtrArray *
find_training (SluiceCommandCall *call)
{
  g_autoptr (SluiceLine) line = recall (call->graph, COMMAND);
  return line != NULL ? collect_training (call, NULL) : NULL;
}

gboolean
sluice_command_take_whole_training (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GPtrArray) training = find_training (call);
  return training == NULL || take_training (call, training, error);
}

gboolean
sluice_command_take_training (SluiceCommandCall *call, const GPtrArray *nodes, GError **error)
{
  g_autoptr (GPtrArray) training = find_training (call);
  g_autoptr (GHashTable) own = g_hash_table_new (NULL, NULL);
  for (guint i = 0; training != NULL && i < training->len; i++)
    g_hash_table_add (own, training->pdata[i]);
  if (find_reader (call->graph, nodes, own) != NULL && !take_training (call, training, error))
    return FALSE;
  const SluiceNode *update = find_reader (call->graph, nodes, NULL);
  return update == NULL
         || sluice_node_fail (update, error, SLUICE_ERROR_FAILED_PRECONDITION,
                              "trains the layer, and the command train has not made it; take the "
                              "training away, change the layer, and train it then");
}

gboolean
sluice_command_train_again (SluiceCommandCall *call, const SluiceTrainingAway *away, GError **error)
{
  g_autoptr (GError) problem = NULL;
  SluiceCommandCall again = { .stack = call->stack,
                              .graph = call->graph,
                              .command = sluice_command_find (TRAIN, NULL),
                              .said = call->said };
  gboolean ok = sluice_command_run_words (&again, away->line, 0, &problem);
  g_free (again.words);
  if (ok)
    return sluice_command_give_back (call, away->readers, error);
  g_propagate_prefixed_error (error, g_steal_pointer (&problem), "training it again: ");
  return FALSE;
}

gboolean
sluice_command_untrain (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GPtrArray) nodes = collect_training (call, error);
  return nodes != NULL
         && sluice_edit_delete (call->graph, (SluiceNode *const *) nodes->pdata, nodes->len, error);
}
