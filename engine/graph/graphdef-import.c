/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A GraphDef becomes nodes. What is wrong with the file as a whole is found before anything is
 * added; what is wrong with a node stays on the node.
 */
#include <string.h>

#include "engine/graph/attrproto.h"
#include "engine/graph/edit-log.h"
#include "engine/graph/edit-private.h"
#include "engine/graph/function.h"
#include "engine/graph/graphdef-private.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/shape-context-private.h"
#include "engine/graph/wire.h"

/* "Did you mean" costs a walk over all names: the first few answers are enough. */
#define MAX_SUGGESTIONS 16
#define NEAR_NODES      4 /* before one, among which its producers are looked for first */

typedef struct
{
  SluiceGraph *graph;
  const Tensorflow__GraphDef *def;
  guint first; /* index in the graph of the first new node */
  guint n;
  gint64 budget;                /* of constants that unfold */
  guint suggestions;            /* that may still be looked up */
  const SluiceLibrary *library; /* (nullable) */
  const char *interned[256];
  const char *class_attr; /* "_class", interned */
  SluiceArena scratch;
} Import;

static SluiceNode *
nth_new (const Import *im, guint i)
{
  return g_ptr_array_index (im->graph->nodes, im->first + i);
}

/* Only the first error of a node is kept. */
static void
    G_GNUC_PRINTF (3, 4) node_fail (SluiceNode *node, SluiceError code, const char *format, ...)
{
  if (node->error != NULL)
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  sluice_node_fail (node, &node->error, code, "%s", what);
}

/* ---- the file as a whole ---- */

static gboolean
check_versions (const Tensorflow__GraphDef *def, GError **error)
{
  if (def->versions == NULL)
    return TRUE;
  if (def->versions->min_consumer > SLUICE_GRAPH_VERSION)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the graph needs a program of GraphDef version %d or later; this one has "
                        "%d. Export it with an older TensorFlow",
                        def->versions->min_consumer, SLUICE_GRAPH_VERSION);
  for (gsize i = 0; i < def->versions->n_bad_consumers; i++)
    if (def->versions->bad_consumers[i] == SLUICE_GRAPH_VERSION)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "the graph refuses programs of GraphDef version %d",
                          SLUICE_GRAPH_VERSION);
  return TRUE;
}

static gboolean
check_node (const Tensorflow__NodeDef *def, gsize index, GError **error)
{
  if (!sluice_node_name_is_valid (def->name, FALSE))
    {
      SluiceAttrValue name = sluice_attr_string ("", def->name).value;
      g_autofree char *text = sluice_attr_value_to_string (&name);
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "node %zu has the name %s; names are made of letters, digits and "
                          "_ . - / \\ > and begin with a letter, a digit or a dot",
                          index, text);
    }
  gboolean control = FALSE;
  for (gsize i = 0; i < def->n_input; i++)
    if (def->input[i][0] == '^')
      control = TRUE;
    else if (control)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "node '%s': control inputs must come behind the other inputs", def->name);
  return TRUE;
}

/* ---- nodes and their attributes ---- */

/* What is written out again as it came: fields and attributes that were not understood. */
static Tensorflow__NodeDef *
keep_foreign (SluiceArena *arena, Tensorflow__NodeDef **foreign)
{
  if (*foreign == NULL)
    *foreign = sluice_wire_new (arena, &tensorflow__node_def__descriptor);
  return *foreign;
}

static void
keep_attr (SluiceArena *arena,
           Tensorflow__NodeDef **foreign,
           const Tensorflow__NodeDef *def,
           Tensorflow__AttrEntry *entry)
{
  Tensorflow__NodeDef *kept = keep_foreign (arena, foreign);
  if (kept->attr == NULL)
    kept->attr = sluice_arena_new (arena, Tensorflow__AttrEntry *, def->n_attr);
  kept->attr[kept->n_attr++] = entry;
}

/* Attribute names repeat from node to node; interning takes a lock and a look at every letter. */
static const char *
intern_name (Import *im, const char *name)
{
  gsize length = strlen (name);
  const char **slot = &im->interned[(length * 31 + (guchar) name[0] * 7
                                     + (guchar) name[length > 0 ? length - 1 : 0])
                                    % G_N_ELEMENTS (im->interned)];
  if (*slot == NULL || strcmp (*slot, name) != 0)
    *slot = sluice_intern (name);
  return *slot;
}

static void
clear_attrs (SluiceAttr *attrs, guint n)
{
  for (guint i = 0; i < n; i++)
    sluice_attr_value_clear (&attrs[i].value);
}

/* Counts those that could be read. FALSE: the file is damaged. */
static gboolean
read_attrs (Import *im,
            SluiceNode *node,
            const Tensorflow__NodeDef *def,
            SluiceAttr *attrs,
            guint *n,
            Tensorflow__NodeDef **foreign,
            GError **load_error)
{
  for (gsize i = 0; i < def->n_attr; i++)
    {
      Tensorflow__AttrEntry *entry = def->attr[i];
      SluiceAttr attr = { .name = intern_name (im, entry->key) };
      gboolean lossy = entry->value == NULL;
      g_autoptr (GError) error = NULL;
      if (entry->value == NULL
          || sluice_attr_unpack (&entry->value, &im->scratch, &attr.value, &im->budget, &lossy,
                                 &error))
        attrs[(*n)++] = attr;
      /* What the file says is kept as the node's error; what this machine lacks now is not. */
      else if (entry->value == NULL
               || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED))
        {
          clear_attrs (attrs, *n);
          g_propagate_error (load_error, g_steal_pointer (&error));
          return FALSE;
        }
      else if (entry->key[0] != '_')
        node_fail (node, error->code, "attribute %s: %s", entry->key, error->message);
      if (lossy || error != NULL)
        keep_attr (&im->scratch, foreign, def, entry);
    }
  if (def->experimental_debug_info != NULL)
    keep_foreign (&im->scratch, foreign)->experimental_debug_info = def->experimental_debug_info;
  if (def->experimental_type != NULL)
    keep_foreign (&im->scratch, foreign)->experimental_type = def->experimental_type;
  if (def->base.n_unknown_fields > 0)
    {
      keep_foreign (&im->scratch, foreign)->base.n_unknown_fields = def->base.n_unknown_fields;
      (*foreign)->base.unknown_fields = def->base.unknown_fields;
    }
  return TRUE;
}

/* The outputs of an op that nobody knows: as many as the file tells shapes of. */
static void
guess_outputs (SluiceNode *node)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (node, "_output_shapes");
  guint n = shapes != NULL && shapes->kind == SLUICE_ATTR_LIST
                ? MIN (shapes->list.n, SLUICE_MAX_PORTS)
                : 0;
  sluice_node_set_n_outputs (node, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    if (shapes->list.items[i].kind == SLUICE_ATTR_SHAPE)
      node->outputs[i].shape = shapes->list.items[i].shape;
}

static void
fail_unknown_op (Import *im, SluiceNode *node)
{
  const char *hint = im->suggestions > 0 ? sluice_registry_suggest_name (node->op_name) : NULL;
  im->suggestions -= im->suggestions > 0;
  node_fail (node, SLUICE_ERROR_NOT_FOUND, "no op of this name is known%s%s%s",
             hint ? "; did you mean " : "", hint ? hint : "", hint ? "?" : "");
}

static gboolean
add_node (Import *im, const Tensorflow__NodeDef *def, GError **load_error)
{
  SluiceNode *node = sluice_node_new (im->graph, def->name, def->op, def->device);
  if (!sluice_graph_commit (im->graph, node))
    {
      sluice_node_free (node);
      return sluice_fail (load_error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "there are two nodes of the name '%s'; rename one", def->name);
    }
  SluiceAttr few[16];
  g_autofree SluiceAttr *many =
      def->n_attr > G_N_ELEMENTS (few) ? g_new (SluiceAttr, def->n_attr) : NULL;
  SluiceAttr *attrs = many != NULL ? many : few;
  Tensorflow__NodeDef *foreign = NULL;
  guint n_attrs = 0;
  if (!read_attrs (im, node, def, attrs, &n_attrs, &foreign, load_error))
    return FALSE;
  gboolean has_class = FALSE;
  for (guint i = 0; i < n_attrs; i++)
    has_class |= attrs[i].name == im->class_attr;
  GBytes *kept = foreign != NULL ? sluice_wire_pack (foreign, load_error) : NULL;
  sluice_node_record (node)->foreign = kept;
  if (foreign != NULL && kept == NULL)
    {
      clear_attrs (attrs, n_attrs);
      return FALSE;
    }
  if (node->op == NULL)
    {
      const Tensorflow__FunctionDef *called = sluice_library_find (im->library, node->op_name);
      sluice_node_take_attrs (node, attrs, n_attrs);
      if (called == NULL)
        {
          fail_unknown_op (im, node);
          guess_outputs (node);
        }
      else
        sluice_function_set_outputs (called, node);
    }
  else
    {
      GError **error = node->error == NULL ? &node->error : NULL;
      sluice_node_complete (node, attrs, n_attrs, FALSE, error);
    }
  if (has_class)
    sluice_graph_index_attrs (im->graph, node, TRUE);
  return TRUE;
}

/* ---- edges ---- */

/* "name:1" into the length of the name and a port; FALSE where the port is no number. */
static gboolean
split_input (const char *text, gsize *length, guint *port)
{
  const char *colon = strchr (text, ':');
  guint64 number = 0;
  if (colon != NULL)
    colon = strrchr (colon, ':');
  if (colon != NULL && !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXINT, &number, NULL))
    return FALSE;
  *length = colon != NULL ? (gsize) (colon - text) : strlen (text);
  *port = (guint) number;
  return TRUE;
}

static void
fail_missing (Import *im, SluiceNode *node, const char *which, const char *name)
{
  const char *hint = im->suggestions > 0 ? sluice_graph_suggest_name (im->graph, name) : NULL;
  im->suggestions -= im->suggestions > 0;
  g_autofree char *valid = g_utf8_make_valid (name, MIN (strlen (name), 256));
  node_fail (node, SLUICE_ERROR_INVALID_ARGUMENT, "%s is '%s', but there is no such node%s%s%s",
             which, valid, hint ? "; did you mean '" : "", hint ? hint : "", hint ? "'?" : "");
}

/* Most read what stands a few nodes before them: these are looked at first, as they lie together in
 * memory and the places of their names in the table do not. (nullable) */
static SluiceNode *
find_producer (Import *im, const SluiceNode *reader, const char *name, gsize length)
{
  guint number = reader->id - 1 - im->first;
  for (guint back = 1; back <= MIN (number, NEAR_NODES); back++)
    {
      SluiceNode *node = nth_new (im, number - back);
      if (strncmp (node->name, name, length) == 0 && node->name[length] == '\0')
        return node;
    }
  return sluice_name_table_find (&im->graph->by_name, name, length);
}

static SluiceEdge
resolve_input (Import *im, SluiceNode *node, const char *text, guint index)
{
  gsize length = strlen (text);
  guint port = 0;
  SluiceNode *producer = NULL;
  if (length == 0)
    return SLUICE_NO_EDGE; /* so an open input is written */
  if (split_input (text, &length, &port))
    producer = find_producer (im, node, text, length);
  if (producer == NULL)
    {
      g_autofree char *which = g_strdup_printf ("input %u", index);
      g_autofree char *name = g_strndup (text, length);
      fail_missing (im, node, which, name);
      return SLUICE_NO_EDGE;
    }
  /* Of a node that could not be worked out, who uses it tells how many outputs it has. */
  if (port >= producer->n_outputs && producer->error != NULL && port < SLUICE_MAX_PORTS)
    {
      sluice_graph_touch (im->graph, producer);
      sluice_node_set_n_outputs (producer, port + 1);
    }
  if (port < producer->n_outputs)
    return (SluiceEdge){ producer, (int) port };
  node_fail (node, SLUICE_ERROR_INVALID_ARGUMENT, "input %u is '%s', but %s '%s' has %u output%s",
             index, text, producer->op_name, producer->name, producer->n_outputs,
             producer->n_outputs == 1 ? "" : "s");
  return SLUICE_NO_EDGE;
}

#define NODE_INPUT 3 /* NodeDef.input */

/* Inputs that do not exist are written out again as they came; messages behind each other are one.
 */
static void
keep_inputs (SluiceNode *node, const Tensorflow__NodeDef *def)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  GByteArray *foreign = record->foreign != NULL
                            ? g_bytes_unref_to_array (g_steal_pointer (&record->foreign))
                            : g_byte_array_new ();
  for (gsize i = 0; i < def->n_input; i++)
    sluice_wire_put_bytes (foreign, NODE_INPUT, def->input[i], strlen (def->input[i]));
  record->foreign = g_byte_array_free_to_bytes (foreign);
}

static void
connect_node (Import *im, SluiceNode *node, const Tensorflow__NodeDef *def)
{
  gboolean lost = FALSE;
  guint n_data = 0;
  while (n_data < def->n_input && def->input[n_data][0] != '^')
    n_data++;
  node->n_inputs = n_data;
  node->inputs = n_data > 0 ? g_new (SluiceEdge, n_data) : NULL;
  for (guint i = 0; i < n_data; i++)
    {
      SluiceEdge edge = node->inputs[i] = resolve_input (im, node, def->input[i], i);
      lost |= edge.node == NULL && *def->input[i] != '\0';
      if (edge.node == NULL)
        continue;
      sluice_graph_touch (im->graph, edge.node);
      sluice_node_add_use (edge.node, (SluiceUse){ node, (int) i, edge.port });
    }
  g_autofree SluiceNode **controls =
      def->n_input > n_data ? g_new (SluiceNode *, def->n_input - n_data) : NULL;
  guint n_controls = 0;
  for (gsize i = n_data; i < def->n_input; i++)
    {
      SluiceNode *before = sluice_graph_find (im->graph, def->input[i] + 1);
      lost |= before == NULL;
      if (before == NULL)
        fail_missing (im, node, "a control input", def->input[i] + 1);
      else
        controls[n_controls++] = before;
    }
  sluice_node_set_control_inputs (node, controls, n_controls);
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      sluice_graph_touch (im->graph, node->control_inputs[i]);
      sluice_node_add_use (node->control_inputs[i], (SluiceUse){ node, -1, 0 });
    }
  if (lost)
    keep_inputs (node, def);
  else
    sluice_node_set_open_error (node);
  if (node->error == NULL && node->op != NULL)
    sluice_node_check_inputs (node, &node->error);
}

/* ---- order ---- */

typedef struct
{
  Import *im;
  SluiceNode **order;
  guint n_order;
  guint n_ready;     /* of order, how many have told their users */
  guint n_seen;      /* new nodes that the walk in their own order has passed */
  guint *pending;    /* by new node: edges from new nodes that have no place in the order yet */
  guint *first_user; /* by new node, into users: edges as numbers, for records lie far apart */
  guint *users;
} Sorter;

static gboolean
is_new (const Import *im, const SluiceNode *node)
{
  return node->id > im->first;
}

static guint
number_of (const Import *im, const SluiceNode *node)
{
  return node->id - 1 - im->first;
}

static void
add_pending (SluiceNode *pop, gpointer data)
{
  Sorter *s = data;
  if (is_new (s->im, pop))
    s->pending[number_of (s->im, pop)]++;
}

/* Of new nodes, those that must come before the node. */
static void
add_producers (Sorter *s, const SluiceNode *node, GArray *producers)
{
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      const SluiceNode *before =
          i < node->n_inputs ? node->inputs[i].node : node->control_inputs[i - node->n_inputs];
      if (before == NULL || !is_new (s->im, before) || sluice_edge_is_back_edge (before, node))
        continue;
      guint number = number_of (s->im, before);
      g_array_append_val (producers, number);
      s->first_user[number + 1]++;
      s->pending[number_of (s->im, node)]++;
    }
}

/* What is pushed on a stack says what comes out: a pop follows the pushes, too. */
static void
find_users (Sorter *s)
{
  g_autoptr (GArray) producers = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n = s->im->n;
  for (guint i = 0; i < n; i++)
    add_producers (s, nth_new (s->im, i), producers);
  s->users = g_new (guint, producers->len + 1);
  for (guint i = 0; i < n; i++)
    s->first_user[i + 1] += s->first_user[i];
  g_autofree guint *next = g_memdup2 (s->first_user, (n + 1) * sizeof (guint));
  for (guint i = 0, edge = 0; i < n; i++)
    for (guint k = s->pending[i]; k > 0; k--)
      s->users[next[g_array_index (producers, guint, edge++)]++] = i;
  for (guint i = 0; i < n; i++)
    sluice_node_foreach_pop (nth_new (s->im, i), add_pending, s);
}

static void
place (Sorter *s, SluiceNode *node)
{
  s->pending[number_of (s->im, node)] = G_MAXUINT;
  s->order[s->n_order++] = node;
}

/* The walk places itself what it comes to later. */
static void
release (Sorter *s, guint number)
{
  guint *pending = &s->pending[number];
  if (*pending != G_MAXUINT && --*pending == 0 && number < s->n_seen)
    place (s, nth_new (s->im, number));
}

static void
release_pop (SluiceNode *pop, gpointer data)
{
  Sorter *s = data;
  if (is_new (s->im, pop))
    release (s, number_of (s->im, pop));
}

/* Places what waited for what has a place, … */
static void
place_ready (Sorter *s)
{
  while (s->n_ready < s->n_order)
    {
      const SluiceNode *node = s->order[s->n_ready++];
      guint number = number_of (s->im, node);
      for (guint k = s->first_user[number]; k < s->first_user[number + 1]; k++)
        release (s, s->users[k]);
      sluice_node_foreach_pop (node, release_pop, s);
    }
}

/* A node before this one that has no place either; NULL: it waits for pushes only. */
static SluiceNode *
waits_for (const Sorter *s, const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      SluiceNode *before =
          i < node->n_inputs ? node->inputs[i].node : node->control_inputs[i - node->n_inputs];
      if (before != NULL && is_new (s->im, before)
          && s->pending[before->id - 1 - s->im->first] != G_MAXUINT
          && !sluice_edge_is_back_edge (before, node))
        return before;
    }
  return NULL;
}

static void
fail_cycle (SluiceNode *const *cycle, guint n)
{
  g_autoptr (GString) path = g_string_new (cycle[0]->name);
  for (guint i = n; i-- > 0;)
    {
      if (n - i > 8)
        {
          g_string_append (path, " -> …");
          break;
        }
      g_string_append_printf (path, " -> %s", cycle[i]->name);
    }
  for (guint i = 0; i < n; i++)
    {
      sluice_node_record (cycle[i])->cycle_error |= cycle[i]->error == NULL;
      node_fail (cycle[i], SLUICE_ERROR_INVALID_ARGUMENT,
                 "is part of a cycle: %s. Only loops may close, by NextIteration into Merge",
                 path->str);
    }
  cycle[0]->graph->is_unordered = TRUE;
}

/* Walks back from a node that waits; where the walk meets itself there is a cycle. Its nodes get
 * the error and a place, which sets free those that only stood behind it. */
static void
break_cycles (Sorter *s, SluiceNode *start, guint *depth_of)
{
  g_autoptr (GPtrArray) walk = g_ptr_array_new ();
  const guint first = s->im->first + 1;
  g_ptr_array_add (walk, start);
  depth_of[start->id - first] = walk->len;
  while (walk->len > 0)
    {
      SluiceNode *node = g_ptr_array_index (walk, walk->len - 1);
      if (s->pending[node->id - first] == G_MAXUINT)
        {
          g_ptr_array_set_size (walk, (int) walk->len - 1);
          continue;
        }
      SluiceNode *before = waits_for (s, node);
      if (before == NULL) /* one of which waits for it: no cycle of edges, and no order either */
        {
          place (s, node);
          place_ready (s);
          continue;
        }
      guint *depth = &depth_of[before->id - first];
      if (*depth == 0)
        {
          g_ptr_array_add (walk, before);
          *depth = walk->len;
          continue;
        }
      fail_cycle ((SluiceNode **) walk->pdata + *depth - 1, walk->len - *depth + 1);
      for (guint i = walk->len; i >= *depth; i--)
        place (s, g_ptr_array_index (walk, i - 1));
      g_ptr_array_set_size (walk, (int) *depth - 1);
      place_ready (s);
    }
}

/* The new nodes so that only loops' back edges run against the order, which is near their own:
 * that keeps neighbours in memory together. */
static SluiceNode **
sort_nodes (Import *im)
{
  g_autofree guint *pending = g_new0 (guint, im->n);
  g_autofree guint *first_user = g_new0 (guint, im->n + 1);
  g_autofree guint *depth_of = NULL;
  Sorter s = {
    .im = im, .order = g_new (SluiceNode *, im->n), .pending = pending, .first_user = first_user
  };
  find_users (&s);
  for (guint i = 0; i < im->n; i++)
    {
      s.n_seen = i + 1;
      if (pending[i] == 0)
        place (&s, nth_new (im, i));
      place_ready (&s);
    }
  for (guint i = 0; s.n_order < im->n; i++)
    {
      if (depth_of == NULL)
        depth_of = g_new0 (guint, im->n);
      if (pending[i] != G_MAXUINT)
        break_cycles (&s, nth_new (im, i), depth_of);
    }
  g_free (s.users);
  return s.order;
}

/* ---- all of it ---- */

/* The file without its nodes, for the way out. */
static GBytes *
pack_shell (const Tensorflow__GraphDef *def, GError **error)
{
  Tensorflow__GraphDef shell = *def;
  shell.n_node = 0;
  shell.node = NULL;
  return sluice_wire_pack (&shell, error);
}

static GBytes *
pack_meta_shell (const Tensorflow__MetaGraphDef *meta, GError **error)
{
  Tensorflow__MetaGraphDef shell = *meta;
  shell.graph_def = NULL;
  return sluice_wire_pack (&shell, error);
}

static gboolean
import_nodes (Import *im, GError **error)
{
  sluice_name_table_reserve (&im->graph->by_name, im->n);
  for (guint i = 0; i < im->n; i++)
    if (!check_node (im->def->node[i], i, error) || !add_node (im, im->def->node[i], error))
      {
        sluice_graph_drop_new (im->graph, im->first);
        return FALSE;
      }
  for (guint i = 0; i < im->n; i++)
    connect_node (im, nth_new (im, i), im->def->node[i]);
  g_autofree SluiceNode **order = sort_nodes (im);
  sluice_graph_settle_new (im->graph, order, im->n);
  return TRUE;
}

gboolean
sluice_graph_add_defs (SluiceGraph *self, const Tensorflow__GraphDef *def, GError **error)
{
  Import im = {
    .graph = self,
    .def = def,
    .first = self->nodes->len,
    .n = (guint) def->n_node,
    .budget = G_MAXINT32,
    .suggestions = MAX_SUGGESTIONS,
    .class_attr = sluice_intern ("_class"),
    .library = self->library,
  };
  sluice_arena_init (&im.scratch);
  sluice_graph_hold (self);
  gboolean done = import_nodes (&im, error);
  sluice_graph_release (self);
  sluice_arena_clear (&im.scratch);
  return done;
}

gboolean
sluice_graph_import_def (SluiceGraph *self,
                         const Tensorflow__GraphDef *def,
                         const Tensorflow__MetaGraphDef *meta,
                         GError **error)
{
  gboolean fresh = self->nodes->len == 0;
  gboolean has_library = def->library != NULL && def->library->n_function > 0;
  if (!check_versions (def, error))
    return FALSE;
  if (!fresh && has_library)
    return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                        "a graph with a function library can only be loaded into an empty graph");
  if (def->n_node > (gsize) G_MAXINT32 - self->nodes->len)
    return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "%zu nodes are too many",
                        def->n_node);
  g_autoptr (GBytes) shell = fresh ? pack_shell (def, error) : NULL;
  g_autoptr (GBytes) meta_shell = fresh && meta != NULL ? pack_meta_shell (meta, error) : NULL;
  if (fresh && (shell == NULL || (meta != NULL && meta_shell == NULL)))
    return FALSE;
  if (has_library)
    {
      SluiceLibrary *library = sluice_library_new (def->library, error);
      if (library == NULL)
        return FALSE;
      g_clear_pointer (&self->library, sluice_library_unref);
      self->library = library;
    }
  int producer = self->producer;
  if (fresh) /* before shapes are inferred: what an attribute means depends on it */
    self->producer = def->versions != NULL ? def->versions->producer : def->version;
  gboolean done = sluice_graph_add_defs (self, def, error);
  if (!done)
    self->producer = producer;
  if (done && fresh)
    {
      g_clear_pointer (&self->shell, g_bytes_unref);
      g_clear_pointer (&self->meta_shell, g_bytes_unref);
      self->shell = g_steal_pointer (&shell);
      self->meta_shell = g_steal_pointer (&meta_shell);
    }
  return done;
}
