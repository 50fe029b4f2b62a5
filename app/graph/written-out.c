/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/written-out.h"

#include <string.h>

#include "engine/graph/lower.h"
#include "engine/graph/role.h"
#include "engine/graph/savedmodel.h"
#include "engine/runtime/session/copy.h"

/*
 * TensorFlow 2 keeps a model in functions: its graph is one call, whose function is one call, and
 * so on. The engine writes them out below "CALL/_call/f"; here what only writing them out brought
 * is taken away again, and names become those that the model's author knows:
 *
 *   StatefulPartitionedCall/_call/f/StatefulPartitionedCall/_call/f/unet/conv1/Conv2D
 *   conv1/Conv2D
 *
 * A call that nobody named goes by the scope that it stands in, else by its function; one that is
 * all that its caller does goes by the caller. What the signature of a SavedModel calls is the
 * model, and needs no name; nor does the scope around all of it, unless the variables have it too.
 * What does the same for another signature is not shown twice.
 */

#define BELOW_CALL "/_call/"
#define OF_CALL    "f/" /* the body of what is a call and no more: it needs no scope of its own */

typedef struct
{
  SluiceGraph *graph;
  GHashTable *prefixes; /* name of a call → char *: the scope of its body, "" or "a/b/" */
  GHashTable *inner;    /* name of a call → number of the calls and ops in its body */
  GHashTable *only;     /* name of a call → the last of these */
  GHashTable *twins;    /* names of calls that do what the model does, for another signature */
  char *model;          /* (nullable): the call that is the model */
  char *around;         /* (nullable): "unet/", which is taken away of its names */
} View;

/* Where the name within the innermost body begins; NULL: it is in none. */
static const char *
find_local (const char *name)
{
  const char *mark = g_strrstr (name, BELOW_CALL);
  return mark != NULL ? mark + strlen (BELOW_CALL) : NULL;
}

/* (transfer full) (nullable): the call whose body the node is in. */
static char *
dup_call (const char *name)
{
  const char *mark = g_strrstr (name, BELOW_CALL);
  return mark != NULL ? g_strndup (name, (gsize) (mark - name)) : NULL;
}

/* Only hands on, in a body: arguments and results, and what control edges meet at. */
static gboolean
is_transparent (const SluiceNode *node)
{
  SluiceRole role = sluice_node_get_role (node);
  return find_local (node->name) != NULL
         && (role == SLUICE_ROLE_IDENTITY || role == SLUICE_ROLE_NO_OP);
}

static gboolean
is_left_out (const SluiceNode *node)
{
  return is_transparent (node) || sluice_node_get_lowered (node) != NULL;
}

static SluiceEdge
get_edge (SluiceEdge edge, gpointer data)
{
  while (edge.node != NULL && is_left_out (edge.node))
    {
      SluiceEdge resolved = sluice_edge_resolve (edge);
      if (resolved.node == edge.node)
        resolved = edge.node->n_inputs > 0 ? edge.node->inputs[0] : SLUICE_NO_EDGE;
      edge = resolved;
    }
  return edge;
}

static SluiceNode *
get_control (SluiceNode *node, gpointer data)
{
  if (!is_left_out (node))
    return node;
  return node->n_outputs > 0 ? get_edge ((SluiceEdge){ node, 0 }, data).node : NULL;
}

/* "PartitionedCall", "StatefulPartitionedCall_3": as TensorFlow calls what nobody named. */
static gboolean
is_unnamed (const char *local, const SluiceNode *call)
{
  gsize n = strlen (call->op_name);
  const char *last = strrchr (local, '/');
  last = last != NULL ? last + 1 : local;
  return strncmp (last, call->op_name, n) == 0
         && strspn (last + n, "_0123456789") == strlen (last + n);
}

/* "__inference_signature_wrapper_count_1234": "count" (transfer full) */
static char *
dup_function_name (const SluiceNode *call)
{
  static const char *const words[] = { "__inference_", "signature_wrapper_" };
  const SluiceAttrValue *value = sluice_node_get_attr (call, "f");
  const char *name =
      value != NULL && value->kind == SLUICE_ATTR_FUNC ? value->func->name : call->op_name;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_has_prefix (name, words[i]) && !g_ascii_isdigit (name[strlen (words[i])]))
      name += strlen (words[i]);
  name += strspn (name, "_");
  gsize n = strlen (name), end = n;
  while (end > 0 && g_ascii_isdigit (name[end - 1]))
    end--;
  return g_strndup (name, end > 1 && end < n && name[end - 1] == '_' ? end - 1 : n);
}

static const char *get_prefix (View *view, const char *call);

/* The scope of what stands beside the call, and its own name there. (transfer full) */
static char *
dup_outer (View *view, const char *name, const char **local, gboolean *is_alone)
{
  g_autofree char *outer = dup_call (name);
  *local = outer != NULL ? find_local (name) : name;
  *is_alone = FALSE;
  if (outer == NULL)
    return g_strdup ("");
  *is_alone = GPOINTER_TO_UINT (g_hash_table_lookup (view->inner, outer)) == 1;
  if (g_str_has_prefix (*local, OF_CALL))
    *local += strlen (OF_CALL);
  return g_strdup (get_prefix (view, outer));
}

static const char *
get_prefix (View *view, const char *name)
{
  const char *known = g_hash_table_lookup (view->prefixes, name), *local;
  const SluiceNode *call = sluice_graph_find (view->graph, name);
  gboolean is_alone;
  if (known != NULL)
    return known;
  g_autofree char *outer = dup_outer (view, name, &local, &is_alone);
  const char *slash = strrchr (local, '/');
  g_autofree char *own = NULL;
  if (g_strcmp0 (name, view->model) == 0)
    own = g_strdup ("");
  else if (call == NULL || !is_unnamed (local, call))
    own = g_strdup (local);
  else if (slash != NULL)
    own = g_strndup (local, (gsize) (slash - local));
  else
    own = is_alone ? g_strdup ("") : dup_function_name (call);
  char *prefix = g_strconcat (outer, own, *own != '\0' ? "/" : "", NULL);
  g_hash_table_insert (view->prefixes, g_strdup (name), prefix);
  return prefix;
}

static gboolean
is_of_model (const View *view, const SluiceNode *node)
{
  gsize n = view->model != NULL ? strlen (view->model) : 0;
  return n > 0 && strncmp (node->name, view->model, n) == 0
         && g_str_has_prefix (node->name + n, BELOW_CALL);
}

static gboolean
is_of_twin (const View *view, const SluiceNode *node)
{
  const char *mark = g_hash_table_size (view->twins) > 0 ? strstr (node->name, BELOW_CALL) : NULL;
  g_autofree char *call = mark != NULL ? g_strndup (node->name, (gsize) (mark - node->name)) : NULL;
  return call != NULL && g_hash_table_contains (view->twins, call);
}

static char *
dup_name (const SluiceNode *node, gpointer data)
{
  const char *local;
  gboolean is_alone;
  View *view = data;
  if (is_left_out (node) || is_of_twin (view, node))
    return NULL;
  g_autofree char *outer = dup_outer (view, node->name, &local, &is_alone);
  g_autofree char *name = g_strconcat (outer, local, NULL);
  gboolean shorter =
      view->around != NULL && is_of_model (view, node) && g_str_has_prefix (name, view->around);
  return g_strdup (name + (shorter ? strlen (view->around) : 0));
}

/* The scope that all of the model stands in, if its variables are named without it. (transfer
 * full) (nullable) */
static char *
dup_around (View *view)
{
  g_autofree char *around = NULL;
  gint n_with = 0, n_without = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (view->graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (view->graph, i);
      g_autofree char *name = is_of_model (view, node) ? dup_name (node, view) : NULL;
      const char *slash = name != NULL ? strchr (name, '/') : NULL;
      if (name == NULL)
        continue;
      if (around == NULL && slash != NULL)
        around = g_strndup (name, (gsize) (slash - name) + 1);
      if (around == NULL || !g_str_has_prefix (name, around))
        return NULL;
      if (sluice_node_get_role (node) != SLUICE_ROLE_READ_VARIABLE)
        continue;
      SluiceEdge variable = get_edge (node->inputs[0], view);
      const char *end = variable.node != NULL ? strrchr (variable.node->name, '/') : NULL;
      gsize n = end != NULL ? (gsize) (end - variable.node->name) + 1 : 0;
      n_with += n > 0 && strncmp (name, variable.node->name, n) == 0;
      n_without += n > 0 && strncmp (slash + 1, variable.node->name, n) == 0;
    }
  return n_without > n_with ? g_steal_pointer (&around) : NULL;
}

/* What the signature that is there by default, or the first one, takes its outputs from. (transfer
 * full) (nullable) */
static char *
dup_model_call (SluiceGraph *graph)
{
  g_autoptr (GPtrArray) signatures = sluice_graph_dup_signatures (graph, NULL);
  if (signatures == NULL || signatures->len == 0)
    return NULL;
  const SluiceSavedSignature *signature =
      sluice_signatures_find (signatures, SLUICE_DEFAULT_SIGNATURE, NULL);
  if (signature == NULL)
    signature = signatures->pdata[0];
  if (signature->outputs->len == 0)
    return NULL;
  const char *edge = g_array_index (signature->outputs, SluiceSavedTensor, 0).edge;
  g_autofree char *name = g_strndup (edge, strcspn (edge, ":"));
  const SluiceNode *call = sluice_graph_find (graph, name);
  return call != NULL && sluice_node_get_lowered (call) != NULL && is_unnamed (name, call)
             ? g_steal_pointer (&name)
             : NULL;
}

/* Calls of a body and what else is in it that computes. */
static void
count_inner (View *view)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (view->graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (view->graph, i);
      char *call = is_transparent (node) ? NULL : dup_call (node->name);
      if (call == NULL)
        continue;
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (view->inner, call));
      g_hash_table_insert (view->only, g_strdup (call), (gpointer) node);
      g_hash_table_insert (view->inner, call, GUINT_TO_POINTER (n + 1));
    }
}

/* The function that does what a call of it does, behind those that only call another one. */
static const char *
find_doer (const View *view, const SluiceNode *call)
{
  const SluiceNode *inner = call;
  while (inner != NULL && sluice_node_get_lowered (inner) != NULL)
    {
      call = inner;
      inner = GPOINTER_TO_UINT (g_hash_table_lookup (view->inner, call->name)) == 1
                  ? g_hash_table_lookup (view->only, call->name)
                  : NULL;
    }
  const SluiceAttrValue *value = sluice_node_get_attr (call, "f");
  return value != NULL && value->kind == SLUICE_ATTR_FUNC ? value->func->name : NULL;
}

static void
find_twins (View *view)
{
  const SluiceNode *model =
      view->model != NULL ? sluice_graph_find (view->graph, view->model) : NULL;
  const char *doer = model != NULL ? find_doer (view, model) : NULL;
  for (guint i = 0; doer != NULL && i < sluice_graph_get_n_nodes (view->graph); i++)
    {
      guint n_uses;
      SluiceNode *call = sluice_graph_get_node (view->graph, i);
      if (call == model || sluice_node_get_lowered (call) == NULL
          || find_local (call->name) != NULL)
        continue;
      sluice_graph_get_uses (view->graph, call, &n_uses);
      if (n_uses == 0 && g_strcmp0 (find_doer (view, call), doer) == 0)
        g_hash_table_add (view->twins, g_strdup (call->name));
    }
}

SluiceGraph *
sluice_graph_write_out_calls (SluiceGraph *graph)
{
  if (!sluice_graph_has_functions (graph) || !sluice_graph_lower_all (graph))
    return sluice_graph_ref (graph);
  g_autoptr (GHashTable) prefixes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) inner = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *model = dup_model_call (graph);
  g_autoptr (GHashTable) only = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) twins = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  View view = { graph, prefixes, inner, only, twins, model, NULL };
  count_inner (&view);
  find_twins (&view);
  g_autofree char *around = view.around = dup_around (&view);
  g_autoptr (SluiceGraph) written = sluice_graph_new ();
  SluiceCopyView how = { get_edge, get_control, dup_name, &view };
  return sluice_copy_view (written, graph, &how, NULL) ? g_steal_pointer (&written)
                                                       : sluice_graph_ref (graph);
}
