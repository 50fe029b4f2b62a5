/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/diff.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/difference.h"
#include "engine/graph/edge-text.h"
#include "engine/graph/function.h"
#include "engine/graph/graph-private.h"

/* Constants and what is made of one or two of them are alike everywhere: that they are is no sign
 * that a node was renamed. */
#define ENOUGH 4
/* Each is looked for in every name that is not there: whoever renames more is shown the rest as
 * removed and added. */
#define MAX_SCOPES 100

/* One of two graphs, and which node of the other each of its nodes is. */
typedef struct
{
  SluiceGraph *graph;
  guint n;
  const SluiceNode **other; /* by id; NULL: not known (yet), or none */
  guint64 *hashes;          /* by id: what the node does, with what */
  guint8 *weights;          /* by id: of how many nodes the hash tells, up to ENOUGH */
} Side;

typedef struct
{
  Side from, to;
} Diff;

/* ---- matching ---- */

static void
side_init (Side *self, SluiceGraph *graph)
{
  self->graph = graph;
  self->n = sluice_graph_get_n_nodes (graph);
  guint32 last = 0; /* what was edited has numbers without a node */
  for (guint i = 0; i < self->n; i++)
    last = MAX (last, sluice_graph_get_node (graph, i)->id);
  self->other = g_new0 (const SluiceNode *, last + 1);
  self->hashes = g_new0 (guint64, last + 1);
  self->weights = g_new0 (guint8, last + 1);
}

static void
side_clear (Side *self)
{
  g_free (self->other);
  g_free (self->hashes);
  g_free (self->weights);
}

static void
match (Diff *self, const SluiceNode *from, const SluiceNode *to)
{
  self->from.other[from->id] = to;
  self->to.other[to->id] = from;
}

/* Most follow each other in both graphs as they did when they were read: the one that is numbered
 * next is looked at first, which is much faster than the table of names. Names are interned. */
static void
match_names (Diff *self)
{
  for (guint i = 0, next = 0; i < self->from.n; i++)
    {
      const SluiceNode *from = sluice_graph_get_node (self->from.graph, i);
      const SluiceNode *to =
          next < self->to.n ? sluice_graph_get_node (self->to.graph, next) : NULL;
      if (to == NULL || to->name != from->name)
        to = sluice_graph_find (self->to.graph, from->name);
      if (to == NULL)
        continue;
      match (self, from, to);
      next = to->id; /* they count from 1 */
    }
}

static guint64
mix (guint64 hash, guint64 value)
{
  hash = (hash ^ value) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  return hash ^ hash >> 32;
}

/* A node whose other is known is told by its name there, in both graphs the same; one that is not
 * by what it does, or, in a loop, before it is reached, by its op. */
static guint64
hash_input (const Side *side, gboolean is_from, const SluiceNode *reader, const SluiceNode *input)
{
  const SluiceNode *other = side->other[input->id];
  if (other != NULL)
    return (guint64) (gsize) (is_from ? other->name : input->name);
  return input->id < reader->id ? side->hashes[input->id] : (guint64) (gsize) input->op_name;
}

/* Attributes that name nodes or resources are none of what a node does. */
static gboolean
names_something (const char *attr)
{
  static const char *const names[] = { "_class", "shared_name", "debug_name", NULL };
  return g_strv_contains (names, attr);
}

static guint64
hash_attrs (const SluiceNode *node, guint64 hash)
{
  for (guint i = 0; i < node->n_attrs; i++)
    if (!names_something (node->attrs[i].name))
      hash = mix (mix (hash, (guint64) (gsize) node->attrs[i].name),
                  sluice_attr_value_hash (&node->attrs[i].value));
  return hash;
}

static guint64
hash_node (const Side *side, gboolean is_from, const SluiceNode *node)
{
  guint64 hash = mix ((guint64) (gsize) node->op_name, (guint64) (gsize) node->device),
          controls = 0;
  hash = hash_attrs (node, hash);
  for (guint i = 0; i < node->n_inputs; i++)
    hash = node->inputs[i].node == NULL
               ? mix (hash, 1)
               : mix (mix (hash, hash_input (side, is_from, node, node->inputs[i].node)),
                      (guint64) node->inputs[i].port);
  for (guint i = 0; i < node->n_control_inputs; i++)
    controls += mix (2, hash_input (side, is_from, node, node->control_inputs[i]));
  return mix (hash, controls);
}

static guint
weigh_input (const Side *side, const SluiceNode *input)
{
  return input == NULL ? 0 : side->other[input->id] != NULL ? ENOUGH : side->weights[input->id];
}

static guint
weigh_node (const Side *side, const SluiceNode *node)
{
  guint weight = 1;
  for (guint i = 0; i < node->n_inputs && weight < ENOUGH; i++)
    weight += weigh_input (side, node->inputs[i].node);
  for (guint i = 0; i < node->n_control_inputs && weight < ENOUGH; i++)
    weight += weigh_input (side, node->control_inputs[i]);
  return MIN (weight, ENOUGH);
}

static void
hash_unmatched (Side *side, gboolean is_from)
{
  for (guint i = 0; i < side->n; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (side->graph, i);
      if (side->other[node->id] != NULL)
        continue;
      side->hashes[node->id] = hash_node (side, is_from, node);
      side->weights[node->id] = (guint8) weigh_node (side, node);
    }
}

static void
queue_by_hash (GHashTable *waiting, guint64 *hash, const SluiceNode *node)
{
  GQueue *queue = g_hash_table_lookup (waiting, hash);
  if (queue == NULL)
    {
      queue = g_queue_new ();
      g_hash_table_insert (waiting, hash, queue);
    }
  g_queue_push_tail (queue, (gpointer) node);
}

/* What two nodes read that do the same does the same, however small it is. */
static void
match_inputs (Diff *self, const SluiceNode *from, const SluiceNode *to)
{
  for (guint i = 0; i < MIN (from->n_inputs, to->n_inputs); i++)
    {
      const SluiceNode *a = from->inputs[i].node, *b = to->inputs[i].node;
      if (a == NULL || b == NULL || self->from.other[a->id] != NULL || self->to.other[b->id] != NULL
          || self->from.hashes[a->id] != self->to.hashes[b->id])
        continue;
      match (self, a, b);
      if (a->id < from->id) /* else in a loop: no deeper than the graph is long */
        match_inputs (self, a, b);
    }
}

/* Nodes that do the same, in order of creation: the k-th of one graph is the k-th of the other. */
static void
match_hashes (Diff *self)
{
  g_autoptr (GHashTable) waiting =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, (GDestroyNotify) g_queue_free);
  hash_unmatched (&self->from, TRUE);
  hash_unmatched (&self->to, FALSE);
  for (guint i = 0; i < self->from.n; i++)
    {
      const SluiceNode *from = sluice_graph_get_node (self->from.graph, i);
      if (self->from.other[from->id] == NULL && self->from.weights[from->id] == ENOUGH)
        queue_by_hash (waiting, &self->from.hashes[from->id], from);
    }
  for (guint i = 0; i < self->to.n; i++)
    {
      const SluiceNode *to = sluice_graph_get_node (self->to.graph, i);
      GQueue *queue = self->to.other[to->id] == NULL && self->to.weights[to->id] == ENOUGH
                          ? g_hash_table_lookup (waiting, &self->to.hashes[to->id])
                          : NULL;
      const SluiceNode *from = queue != NULL ? g_queue_pop_head (queue) : NULL;
      if (from == NULL || self->from.other[from->id] != NULL)
        continue;
      match (self, from, to);
      match_inputs (self, from, to);
    }
}

/* What two names do not end with alike, whole parts of a path: "a/x/w" and "b/x/w" differ by "a"
 * and "b". */
static void
find_scopes (const char *from, const char *to, gsize *from_length, gsize *to_length)
{
  gsize m = strlen (from), n = strlen (to), slash_m = m, slash_n = n;
  while (m > 0 && n > 0 && from[m - 1] == to[n - 1])
    {
      m--;
      n--;
      if (from[m] == '/')
        {
          slash_m = m;
          slash_n = n;
        }
    }
  *from_length = slash_m;
  *to_length = slash_n;
}

/* How many nodes that are not there by name, and tell of enough, each scope has. (transfer full):
 * text -> number */
static GHashTable *
count_moved (const Diff *self)
{
  GHashTable *counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->from.n; i++)
    {
      const SluiceNode *from = sluice_graph_get_node (self->from.graph, i);
      const SluiceNode *to = self->from.other[from->id];
      gboolean is_there = to != NULL && to->name == from->name; /* names are interned */
      if (is_there || self->from.weights[from->id] < ENOUGH)
        continue;
      g_autofree char *scope = g_strdup (from->name);
      for (char *slash; (slash = strrchr (scope, '/')) != NULL;)
        {
          *slash = '\0';
          guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, scope));
          g_hash_table_replace (counts, g_strdup (scope), GUINT_TO_POINTER (n + 1));
        }
    }
  return counts;
}

/* Of each scope, how many nodes went where: "from\nto" -> number. (transfer full) */
static GHashTable *
count_renamed (const Diff *self)
{
  GHashTable *votes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->from.n; i++)
    {
      const SluiceNode *from = sluice_graph_get_node (self->from.graph, i);
      const SluiceNode *to = self->from.other[from->id];
      gsize m, n;
      if (to == NULL || from->name == to->name)
        continue;
      find_scopes (from->name, to->name, &m, &n);
      if (m == strlen (from->name))
        continue;
      char *pair = g_strdup_printf ("%.*s\n%.*s", (int) m, from->name, (int) n, to->name);
      guint before = GPOINTER_TO_UINT (g_hash_table_lookup (votes, pair));
      g_hash_table_replace (votes, pair, GUINT_TO_POINTER (before + 1));
    }
  return votes;
}

/* Scopes most of whose nodes went to one other scope, and that one. (transfer full): text -> text
 */
static GHashTable *
list_renamed_scopes (const Diff *self)
{
  GHashTable *scopes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) votes = count_renamed (self);
  g_autoptr (GHashTable) counts = count_moved (self);
  GHashTableIter iter;
  gpointer pair, vote;
  g_hash_table_iter_init (&iter, votes);
  while (g_hash_table_iter_next (&iter, &pair, &vote))
    {
      const char *end = strchr (pair, '\n');
      g_autofree char *scope = g_strndup (pair, (gsize) (end - (const char *) pair));
      guint all = GPOINTER_TO_UINT (g_hash_table_lookup (counts, scope));
      if (2 * GPOINTER_TO_UINT (vote) > all && g_hash_table_size (scopes) < MAX_SCOPES)
        g_hash_table_insert (scopes, g_steal_pointer (&scope), g_strdup (end + 1));
    }
  return scopes;
}

/* The name with a scope in it called otherwise, be it "a/x", or "gradients/a/x". (transfer full)
 * (nullable): the scope is not in it */
static char *
dup_renamed (const char *name, const char *scope, const char *renamed)
{
  gsize length = strlen (scope);
  for (const char *at = name; (at = strstr (at, scope)) != NULL; at++)
    if ((at == name || at[-1] == '/') && at[length] == '/')
      return g_strdup_printf ("%.*s%s%s", (int) (at - name), name, renamed, at + length);
  return NULL;
}

/* (nullable): what a node would be called in one of the renamed scopes */
static const SluiceNode *
find_by_scope (const Diff *self, GHashTable *scopes, const SluiceNode *from)
{
  GHashTableIter iter;
  gpointer scope, renamed;
  g_hash_table_iter_init (&iter, scopes);
  while (g_hash_table_iter_next (&iter, &scope, &renamed))
    {
      g_autofree char *name = dup_renamed (from->name, scope, renamed);
      const SluiceNode *to = name != NULL ? sluice_graph_find (self->to.graph, name) : NULL;
      if (to != NULL && self->to.other[to->id] == NULL)
        return to;
    }
  return NULL;
}

/* A scope that was renamed and changed inside: whatever reads what changed does not do the same. */
static gboolean
match_scopes (Diff *self)
{
  g_autoptr (GHashTable) scopes = list_renamed_scopes (self);
  gboolean found = FALSE;
  for (guint i = 0; i < self->from.n && g_hash_table_size (scopes) > 0; i++)
    {
      const SluiceNode *from = sluice_graph_get_node (self->from.graph, i);
      const SluiceNode *to =
          self->from.other[from->id] == NULL ? find_by_scope (self, scopes, from) : NULL;
      if (to != NULL)
        match (self, from, to);
      found |= to != NULL;
    }
  return found;
}

/* What is fed, a constant or a variable says too little by itself; whoever reads it in both graphs
 * says the rest. */
static void
match_read (Diff *self)
{
  for (guint i = 0; i < self->from.n; i++)
    {
      const SluiceNode *from = sluice_graph_get_node (self->from.graph, i);
      const SluiceNode *to = self->from.other[from->id];
      if (to != NULL)
        match_inputs (self, from, to);
    }
}

/* ---- comparing ---- */

const char *
sluice_diff_kind_name (SluiceDiffKind kind)
{
  static const char *const names[] = { N_ ("added"), N_ ("removed"), N_ ("changed"),
                                       N_ ("renamed") };
  return names[kind];
}

static void
field_clear (gpointer data)
{
  SluiceFieldDiff *self = data;
  g_free (self->field);
  g_free (self->from);
  g_free (self->to);
}

static void
node_diff_free (gpointer data)
{
  SluiceNodeDiff *self = data;
  g_array_unref (self->fields);
  g_free (self->function);
  g_free (self);
}

static GArray *
fields_new (void)
{
  GArray *fields = g_array_new (FALSE, FALSE, sizeof (SluiceFieldDiff));
  g_array_set_clear_func (fields, field_clear);
  return fields;
}

static SluiceNodeDiff *
node_diff_new (SluiceDiffKind kind, const SluiceNode *was, const SluiceNode *is)
{
  SluiceNodeDiff *self = g_new (SluiceNodeDiff, 1);
  *self = (SluiceNodeDiff){ kind, was, is, NULL, fields_new () };
  return self;
}

/* Takes field, from and to. */
static void
add_field (SluiceNodeDiff *self, char *field, char *from, char *to)
{
  SluiceFieldDiff diff = { field, from, to };
  if (self->fields == NULL)
    self->fields = fields_new ();
  g_array_append_val (self->fields, diff);
}

static gboolean
is_same_edge (const Diff *self, SluiceEdge from, SluiceEdge to)
{
  if (from.node == NULL || to.node == NULL)
    return from.node == to.node;
  return from.port == to.port && self->from.other[from.node->id] == to.node;
}

static void
compare_inputs (const Diff *self, SluiceNodeDiff *diff)
{
  for (guint i = 0; i < MAX (diff->was->n_inputs, diff->is->n_inputs); i++)
    {
      SluiceEdge from = i < diff->was->n_inputs ? diff->was->inputs[i] : SLUICE_NO_EDGE;
      SluiceEdge to = i < diff->is->n_inputs ? diff->is->inputs[i] : SLUICE_NO_EDGE;
      if (!is_same_edge (self, from, to))
        add_field (diff, g_strdup_printf ("input %u", i), sluice_edge_to_text (from),
                   sluice_edge_to_text (to));
    }
}

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Their names in the graph that the node now stands in, in order. (transfer full) */
static char *
controls_to_text (const SluiceNode *node, const Side *side)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      const SluiceNode *control = node->control_inputs[i];
      const SluiceNode *other = side != NULL ? side->other[control->id] : control;
      g_ptr_array_add (names, (gpointer) (other != NULL ? other : control)->name);
    }
  g_ptr_array_sort (names, compare_texts);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (", ", (char **) names->pdata);
}

static void
compare_controls (const Diff *self, SluiceNodeDiff *diff)
{
  if (diff->was->n_control_inputs == 0 && diff->is->n_control_inputs == 0)
    return;
  g_autofree char *from = controls_to_text (diff->was, &self->from);
  g_autofree char *to = controls_to_text (diff->is, NULL);
  if (strcmp (from, to) != 0)
    add_field (diff, g_strdup ("control inputs"), controls_to_text (diff->was, NULL),
               g_steal_pointer (&to));
}

/* Long values are shortened, and may then look alike. */
static char *
count_elements (const SluiceTensor *from, const SluiceTensor *to)
{
  g_autofree char *mismatch = sluice_tensor_dup_mismatch (to, from);
  SluiceDifference difference;
  if (mismatch != NULL)
    return g_steal_pointer (&mismatch);
  sluice_tensor_find_difference (to, from, 0, 0, &difference);
  return g_strdup_printf ("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " elements are others",
                          difference.n_beyond, from->n_elements);
}

static void
add_attr (SluiceNodeDiff *diff, const SluiceAttr *from, const SluiceAttr *to)
{
  char *a = from != NULL ? sluice_attr_value_to_string (&from->value) : NULL;
  char *b = to != NULL ? sluice_attr_value_to_string (&to->value) : NULL;
  if (a != NULL && b != NULL && strcmp (a, b) == 0)
    {
      g_autofree char *short_value = b;
      g_autofree char *how = from->value.kind == SLUICE_ATTR_TENSOR
                                 ? count_elements (from->value.tensor, to->value.tensor)
                                 : g_strdup ("elsewhere");
      b = g_strdup_printf ("%s (%s)", short_value, how);
    }
  add_field (diff, g_strdup ((from != NULL ? from : to)->name), a, b);
}

/* Does a colocation name the same nodes? "loc:@name" */
static gboolean
is_same_class (const Diff *self, const SluiceAttrValue *from, const SluiceAttrValue *to)
{
  static const char prefix[] = "loc:@";
  if (from->kind != SLUICE_ATTR_LIST || to->kind != SLUICE_ATTR_LIST || from->list.n != to->list.n)
    return FALSE;
  for (guint i = 0; i < from->list.n; i++)
    {
      const SluiceAttrValue *a = &from->list.items[i], *b = &to->list.items[i];
      if (sluice_attr_value_equal (a, b))
        continue;
      if (a->kind != SLUICE_ATTR_STRING || b->kind != SLUICE_ATTR_STRING
          || !g_str_has_prefix (a->s.data, prefix) || !g_str_has_prefix (b->s.data, prefix))
        return FALSE;
      const SluiceNode *named = sluice_graph_find (self->from.graph, a->s.data + strlen (prefix));
      const SluiceNode *other = named != NULL ? self->from.other[named->id] : NULL;
      if (other == NULL || strcmp (other->name, b->s.data + strlen (prefix)) != 0)
        return FALSE;
    }
  return TRUE;
}

/* The name of a resource is that of its node, and goes with it: "w", or "w/". */
static gboolean
is_own_name (const SluiceNode *node, const SluiceAttrValue *value)
{
  gsize length = strlen (node->name);
  return value->kind == SLUICE_ATTR_STRING && value->s.length >= length
         && memcmp (value->s.data, node->name, length) == 0
         && (value->s.length == length
             || (value->s.length == length + 1 && value->s.data[length] == '/'));
}

/* Both lists are sorted by name. */
static void
compare_attrs (const Diff *self, SluiceNodeDiff *diff)
{
  const SluiceNode *was = diff->was, *is = diff->is;
  guint i = 0, k = 0;
  while (i < was->n_attrs || k < is->n_attrs)
    {
      int order = i == was->n_attrs  ? 1
                  : k == is->n_attrs ? -1
                                     : strcmp (was->attrs[i].name, is->attrs[k].name);
      const SluiceAttr *from = order <= 0 ? &was->attrs[i++] : NULL;
      const SluiceAttr *to = order >= 0 ? &is->attrs[k++] : NULL;
      if (from == NULL || to == NULL
          || (!sluice_attr_value_equal (&from->value, &to->value)
              && !(is_own_name (was, &from->value) && is_own_name (is, &to->value))
              && (strcmp (from->name, "_class") != 0
                  || !is_same_class (self, &from->value, &to->value))))
        add_attr (diff, from, to);
    }
}

/* (transfer full) (nullable): NULL: nothing is different, as in most; nothing is allocated then */
static SluiceNodeDiff *
compare_nodes (const Diff *self, const SluiceNode *was, const SluiceNode *is)
{
  gboolean is_renamed = was->name != is->name; /* interned */
  SluiceNodeDiff diff = { is_renamed ? SLUICE_DIFF_RENAMED : SLUICE_DIFF_CHANGED, was, is, NULL,
                          NULL };
  if (was->op_name != is->op_name)
    add_field (&diff, g_strdup ("op"), g_strdup (was->op_name), g_strdup (is->op_name));
  if (was->device != is->device)
    add_field (&diff, g_strdup ("device"), g_strdup (was->device), g_strdup (is->device));
  compare_inputs (self, &diff);
  compare_controls (self, &diff);
  compare_attrs (self, &diff);
  if (!is_renamed && diff.fields == NULL)
    return NULL;
  if (diff.fields == NULL)
    diff.fields = fields_new ();
  return g_memdup2 (&diff, sizeof diff);
}

/* ---- functions ---- */

typedef struct
{
  const SluiceLibrary *other;
  GPtrArray *diffs;
  gboolean is_from;
} FunctionDiff;

static gboolean
is_same_function (const Tensorflow__FunctionDef *a, const Tensorflow__FunctionDef *b)
{
  g_autoptr (GBytes) packed_a = sluice_wire_pack (&a->base, NULL);
  g_autoptr (GBytes) packed_b = sluice_wire_pack (&b->base, NULL);
  return packed_a != NULL && packed_b != NULL && g_bytes_equal (packed_a, packed_b);
}

static void
compare_function (const Tensorflow__FunctionDef *def, gpointer data)
{
  FunctionDiff *self = data;
  const char *name = def->signature->name;
  const Tensorflow__FunctionDef *other =
      self->other != NULL ? sluice_library_find (self->other, name) : NULL;
  if (other != NULL && (self->is_from || is_same_function (def, other)))
    return;
  SluiceNodeDiff *diff = node_diff_new (other != NULL   ? SLUICE_DIFF_CHANGED
                                        : self->is_from ? SLUICE_DIFF_REMOVED
                                                        : SLUICE_DIFF_ADDED,
                                        NULL, NULL);
  diff->function = g_strdup (name);
  g_ptr_array_add (self->diffs, diff);
}

static void
compare_libraries (const Diff *self, GPtrArray *diffs)
{
  const SluiceLibrary *from = self->from.graph->library, *to = self->to.graph->library;
  FunctionDiff now = { from, diffs, FALSE }, before = { to, diffs, TRUE };
  if (to != NULL)
    sluice_library_foreach (to, compare_function, &now);
  if (from != NULL)
    sluice_library_foreach (from, compare_function, &before);
}

/* ---- the whole ---- */

static GPtrArray *
list_diffs (const Diff *self)
{
  GPtrArray *diffs = g_ptr_array_new_with_free_func (node_diff_free);
  for (guint i = 0; i < self->to.n; i++)
    {
      const SluiceNode *is = sluice_graph_get_node (self->to.graph, i);
      const SluiceNode *was = self->to.other[is->id];
      SluiceNodeDiff *diff =
          was != NULL ? compare_nodes (self, was, is) : node_diff_new (SLUICE_DIFF_ADDED, NULL, is);
      if (diff != NULL)
        g_ptr_array_add (diffs, diff);
    }
  for (guint i = 0; i < self->from.n; i++)
    {
      const SluiceNode *was = sluice_graph_get_node (self->from.graph, i);
      if (self->from.other[was->id] == NULL)
        g_ptr_array_add (diffs, node_diff_new (SLUICE_DIFF_REMOVED, was, NULL));
    }
  compare_libraries (self, diffs);
  return diffs;
}

GPtrArray *
sluice_graph_diff (SluiceGraph *from, SluiceGraph *to)
{
  Diff self = { 0 };
  side_init (&self.from, from);
  side_init (&self.to, to);
  match_names (&self);
  match_hashes (&self);
  if (match_scopes (&self))
    match_hashes (&self); /* what reads them may be known by them now */
  match_read (&self);
  GPtrArray *diffs = list_diffs (&self);
  side_clear (&self.from);
  side_clear (&self.to);
  return diffs;
}
