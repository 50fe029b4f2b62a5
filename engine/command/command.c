/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The commands, and what they share. */
#include "engine/command/command.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/suggest.h"
#include "engine/command/command-private.h"
#include "engine/command/stack-private.h"
#include "engine/graph/scope.h"

#define MANY     G_MAXUINT
#define KEYS(of) .keys = of, .n_keys = G_N_ELEMENTS (of)

static const SluiceCommandKey attrs[] = { { NULL, "ATTR=VALUE" } };
static const SluiceCommandKey parameters[] = { { NULL, "KEY=VALUE" } };
static const SluiceCommandKey training[] = { { "optimizer", "NAME", TRUE },
                                             { "learning-rate", "X|EDGE", TRUE },
                                             { "schedule", "KIND" },
                                             { "variables", "SCOPE" },
                                             { "clip", "X" },
                                             { "clip-norm", "X" },
                                             { "clip-value", "X" },
                                             { NULL, "KEY=VALUE" } };

/* clang-format off */
const SluiceEditCommand sluice_commands[] = {
  { "add", "OP NAME [INPUT...] [ATTR=VALUE...]",
    N_("Adds a node; an input is an edge, ^NODE to wait for one, or \"\" to stay open. Dtypes are taken from the inputs, what else is not said from the op's defaults"),
    N_("add $2"), 2, MANY, KEYS (attrs), sluice_command_add },
  { "layer", "KIND NAME [input=EDGE] [KEY=VALUE...]",
    N_("Adds a layer as a scope, whose outcome is NAME/output; of a layer that is there, makes it again with other parameters"),
    N_("layer $2"), 2, 2, KEYS (parameters), sluice_command_layer },
  { "unlayer", "NAME",
    N_("Takes a layer apart: its nodes stay and are nodes like others, what it was made by is forgotten"),
    N_("take the layer $1 apart"), 1, 1, NULL, 0, sluice_command_unlayer },
  { "connect", "EDGE NODE:K",
    N_("Makes input K of a node, by number or by name, read an edge instead of what it reads; one more where the op takes any number"),
    N_("connect $1 → $2"), 2, 2, NULL, 0, sluice_command_connect },
  { "disconnect", "NODE:K",
    N_("Leaves input K of a node open"),
    N_("disconnect $1"), 1, 1, NULL, 0, sluice_command_disconnect },
  { "control", "BEFORE NODE",
    N_("Makes a node wait for another one, by a control edge"),
    N_("let $2 wait for $1"), 2, 2, NULL, 0, sluice_command_control },
  { "uncontrol", "BEFORE NODE",
    N_("Takes such a control edge away"),
    N_("let $2 no longer wait for $1"), 2, 2, NULL, 0, sluice_command_uncontrol },
  { "set", "NODE|LAYER KEY=VALUE...",
    N_("Sets attributes of a node; of a layer parameters, which make it again in its place. Without a value one goes back to its default"),
    N_("set an attribute of $1"), 1, 1, KEYS (attrs), sluice_command_set },
  { "device", "NODE DEVICE",
    N_("Says where a node is to run, as \"/device:CPU:0\"; \"\" for anywhere"),
    N_("set the device of $1"), 2, 2, NULL, 0, sluice_command_device },
  { "colocate", "NODE BESIDE",
    N_("Makes a node stand on the device of another one"),
    N_("put $1 beside $2"), 2, 2, NULL, 0, sluice_command_colocate },
  { "rename", "OLD NEW",
    N_("Gives a node or a scope another name, with all that refers to it"),
    N_("rename $1 to $2"), 2, 2, NULL, 0, sluice_command_rename },
  { "delete", "NAME",
    N_("Takes a node or a scope away. What read a node of one input and one output of the same dtype reads that input; others are left with an open input"),
    N_("delete $1"), 1, 1, NULL, 0, sluice_command_delete },
  { "duplicate", "NAME NEW",
    N_("Makes a copy of a node or a scope that reads what that reads"),
    N_("duplicate $1 as $2"), 2, 2, NULL, 0, sluice_command_duplicate },
  { "group", "NEW NAME...",
    N_("Puts nodes and scopes into a scope"),
    N_("group into $1"), 2, MANY, NULL, 0, sluice_command_group },
  { "ungroup", "SCOPE",
    N_("Takes all that stands in a scope out into the one above"),
    N_("ungroup $1"), 1, 1, NULL, 0, sluice_command_ungroup },
  { "block", "SCOPE BLOCK",
    N_("Makes a block of a scope, so that there can be more of its kind: what it reads and gives goes through its ports SCOPE/in_0 …, SCOPE/out_0 …"),
    N_("make the block $2 of $1"), 2, 2, NULL, 0, sluice_command_block },
  { "instance", "BLOCK NEW [EDGE...]",
    N_("Adds one more of a block, with what its ports read; those that are not said read what the first one's read"),
    N_("one more $1, $2"), 2, MANY, NULL, 0, sluice_command_instance },
  { "apply", "SCOPE",
    N_("Makes all others of its block be as the scope is now; what they read stays theirs"),
    N_("make all others be as $1"), 1, 1, NULL, 0, sluice_command_apply },
  { "unblock", "SCOPE",
    N_("Takes a scope out of its block: it stays as it is, and follows no more"),
    N_("take $1 out of its block"), 1, 1, NULL, 0, sluice_command_unblock },
  { "insert", "OP NAME EDGE [INPUT...] [ATTR=VALUE...]",
    N_("Puts a node of one output between an edge and all that reads it: the edge is its first input, others follow"),
    N_("insert $2"), 3, MANY, KEYS (attrs), sluice_command_insert },
  { "mute", "NAME",
    N_("Leaves a node or a scope where it is and leads around it: what read its outcome reads the first thing of the same dtype that it reads itself"),
    N_("mute $1"), 1, 1, NULL, 0, sluice_command_mute },
  { "unmute", "NAME",
    N_("Lets what read a muted node or scope read it again"),
    N_("unmute $1"), 1, 1, NULL, 0, sluice_command_unmute },
  { "train", "LOSS optimizer=sgd|momentum|adam|rmsprop|adagrad learning-rate=X|EDGE [schedule=KIND] [variables=SCOPE] [clip=X] [KEY=VALUE...]",
    N_("Adds gradients of a loss, an optimizer's updates of all variables or those of a scope, the global step, and the nodes init and train. A schedule lets the learning rate go down; clip is the largest joint norm of the gradients, clip-norm that of each, clip-value the largest of their numbers"),
    N_("train by $1"), 1, 1, KEYS (training), sluice_command_train },
  { "untrain", "",
    N_("Takes away what train has added"),
    N_("take the training away"), 0, 0, NULL, 0, sluice_command_untrain },
  { "summary", "scalar|histogram|image EDGE [TAG]",
    N_("Adds a summary of an edge, by the tag or the name of its node; summaries/merged joins all of them"),
    N_("summary of $2"), 2, 3, NULL, 0, sluice_command_summary },
  { "together", "WORDS COMMAND...",
    N_("Does commands, each in quotes, as one that is undone as one and called by the words"),
    N_("$1"), 2, MANY, NULL, 0, sluice_command_together },
  { "text", "[NODE...] PBTXT",
    N_("Makes nodes be what TensorFlow's text form says of them, as in text \"node { name: 'a' op: 'NoOp' }\"; each NODE that it does not name gets the name of a new one of its op, or goes"),
    N_("edit $1 as text"), 1, MANY, NULL, 0, sluice_command_text },
  { "paste", "PBTXT",
    N_("Adds the nodes that TensorFlow's text form says, none of which is there"),
    N_("paste"), 1, 1, NULL, 0, sluice_command_paste },
  { "merge", "BASE THEIRS",
    N_("Does to the graph what was done to a file BASE to make THEIRS of it; where both changed the same in another way, the graph stays as it is, and it is said"),
    N_("merge what another program wrote"), 2, 2, NULL, 0, sluice_command_merge },
  { "layout", "WORDS +LINE|-LINE...",
    N_("Lets lines of the layout file go and come: boxes that were moved, frames, notes. The graph stays as it is"),
    N_("$1"), 2, MANY, NULL, 0, sluice_command_layout },
  { "undo", "[N]",
    N_("Takes the last command, or the last N, back"),
    NULL, 0, 1, NULL, 0, sluice_command_undo },
  { "redo", "[N]",
    N_("Does again what was taken back"),
    NULL, 0, 1, NULL, 0, sluice_command_redo },
  { "check", "",
    N_("Says what is wrong with the graph; fails where a node cannot run"),
    NULL, 0, 0, NULL, 0, sluice_command_check },
  { "save", "FILE",
    N_("Writes the graph as it is now, as text where the name ends in .pbtxt"),
    NULL, 1, 1, NULL, 0, sluice_command_save },
};
/* clang-format on */
const guint sluice_n_commands = G_N_ELEMENTS (sluice_commands);

const SluiceEditCommand *
sluice_command_find (const char *name, GError **error)
{
  const char *names[G_N_ELEMENTS (sluice_commands)];
  for (guint i = 0; i < sluice_n_commands; i++)
    {
      names[i] = sluice_commands[i].name;
      if (g_str_equal (names[i], name))
        return &sluice_commands[i];
    }
  const char *hint = sluice_suggest_name (name, names, sluice_n_commands);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no command '%s'; %s%s%s", name,
               hint != NULL ? "did you mean " : "'sluice edit --commands' lists all",
               hint != NULL ? hint : "", hint != NULL ? "?" : "");
  return NULL;
}

const char *
sluice_command_skip_names (const char *message)
{
  for (const char *end; (end = strstr (message, ": ")) != NULL; message = end + strlen (": "))
    {
      g_autofree char *name = g_strndup (message, (gsize) (end - message));
      if (sluice_command_find (name, NULL) == NULL)
        break;
    }
  return message;
}

const char *
sluice_command_get_value (const SluiceCommandCall *call, const char *key)
{
  for (guint i = 0; i < call->n_values; i++)
    if (g_str_equal (call->values[i]->key, key))
      return call->values[i]->text;
  return NULL;
}

gboolean
sluice_command_get_number (const SluiceCommandCall *call,
                           const char *key,
                           double *number,
                           GError **error)
{
  const char *text = sluice_command_get_value (call, key);
  char *end;
  if (text == NULL)
    return TRUE;
  *number = g_ascii_strtod (text, &end);
  return (end != text && *end == '\0')
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "%s is '%s'; it must be a number, as 0.1 or 1e-3", key, text);
}

/* ---- nodes ---- */

SluiceNode *
sluice_command_find_node (const SluiceCommandCall *call, const char *name, GError **error)
{
  SluiceNode *node = sluice_graph_find (call->graph, name);
  SluiceEdge edge;
  if (node == NULL && strchr (name, ':') != NULL)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                 "'%s' is an edge where a node is wanted; write '%.*s'", name,
                 (int) strcspn (name, ":"), name);
  else if (node == NULL)
    sluice_graph_parse_edge (call->graph, name, &edge, error); /* says the nearest name */
  return node;
}

gboolean
sluice_command_find_edge (const SluiceCommandCall *call,
                          const char *text,
                          SluiceEdge *edge,
                          GError **error)
{
  return sluice_graph_parse_edge (call->graph, text, edge, error);
}

/* A scope of the graph that a mistyped name may mean. (transfer full) (nullable) */
static char *
suggest_scope (SluiceGraph *graph, const char *name)
{
  g_autoptr (GHashTable) scopes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      g_autofree char *scope = g_strdup (sluice_graph_get_node (graph, i)->name);
      g_hash_table_add (scopes, g_strdup (scope));
      for (char *slash; (slash = strrchr (scope, '/')) != NULL;)
        {
          *slash = '\0';
          g_hash_table_add (scopes, g_strdup (scope));
        }
    }
  guint n;
  g_autofree const char **names = (const char **) g_hash_table_get_keys_as_array (scopes, &n);
  return g_strdup (sluice_suggest_name (name, names, n));
}

GPtrArray *
sluice_command_collect (const SluiceCommandCall *call, const char *name, GError **error)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  for (guint i = 0, n = sluice_graph_get_n_nodes (call->graph); i < n; i++)
    {
      SluiceNode *node = sluice_graph_get_node (call->graph, i);
      /* As sluice_edit_rename_scope() does it. */
      __builtin_prefetch (sluice_graph_get_node (call->graph, MIN (i + 16, n - 1)));
      __builtin_prefetch (sluice_graph_get_node (call->graph, MIN (i + 8, n - 1))->name);
      if (sluice_name_is_of (node->name, name))
        g_ptr_array_add (nodes, node);
    }
  if (nodes->len > 0)
    return g_steal_pointer (&nodes);
  g_autofree char *hint = suggest_scope (call->graph, name);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is neither a node nor a scope '%s'%s%s%s",
               name, hint != NULL ? "; did you mean '" : "", hint != NULL ? hint : "",
               hint != NULL ? "'?" : "");
  return NULL;
}
