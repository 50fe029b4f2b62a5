/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A FunctionDef names values by argument ("node:sum:0"), a GraphDef by port ("node:0"). A body
 * becomes a GraphDef with all names below a scope, and goes the way of every import.
 */
#include "engine/graph/attrproto.h"
#include "engine/graph/function.h"
#include "engine/graph/graphdef-private.h"

#include <stdlib.h>
#include <string.h>

struct _SluiceLibrary
{
  _Atomic int ref_count;
  SluiceArena arena;
  GHashTable *by_name;   /* name → FunctionDef in the arena */
  GHashTable *gradients; /* (nullable): name → that of the function that is its gradient */
};

SluiceLibrary *
sluice_library_new (const Tensorflow__FunctionDefLibrary *def, GError **error)
{
  SluiceLibrary *self = g_new0 (SluiceLibrary, 1);
  self->ref_count = 1;
  sluice_arena_init (&self->arena);
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  /* A copy: the message goes when the import ends. */
  g_autoptr (GBytes) bytes = sluice_wire_pack (def, error);
  gsize length = 0;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  const Tensorflow__FunctionDefLibrary *own =
      bytes != NULL ? sluice_wire_unpack (
          &self->arena, &tensorflow__function_def_library__descriptor, data, length, error)
                    : NULL;
  if (own == NULL)
    {
      sluice_library_unref (self);
      return NULL;
    }
  for (gsize i = 0; i < own->n_function; i++)
    if (own->function[i]->signature != NULL)
      g_hash_table_insert (self->by_name, own->function[i]->signature->name, own->function[i]);
  if (own->n_gradient > 0)
    self->gradients = g_hash_table_new (g_str_hash, g_str_equal);
  for (gsize i = 0; i < own->n_gradient; i++)
    g_hash_table_insert (self->gradients, own->gradient[i]->function_name,
                         own->gradient[i]->gradient_func);
  return self;
}

SluiceLibrary *
sluice_library_ref (SluiceLibrary *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_library_unref (SluiceLibrary *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  g_hash_table_unref (self->by_name);
  g_clear_pointer (&self->gradients, g_hash_table_unref);
  sluice_arena_clear (&self->arena);
  g_free (self);
}

const Tensorflow__FunctionDef *
sluice_library_find (const SluiceLibrary *self, const char *name)
{
  return self != NULL ? g_hash_table_lookup (self->by_name, name) : NULL;
}

const char *
sluice_library_find_gradient (const SluiceLibrary *self, const char *name)
{
  return self != NULL && self->gradients != NULL ? g_hash_table_lookup (self->gradients, name)
                                                 : NULL;
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

void
sluice_library_foreach (const SluiceLibrary *self,
                        void (*func) (const Tensorflow__FunctionDef *def, gpointer data),
                        gpointer data)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (self->by_name), by_name);
  for (GList *l = names; l != NULL; l = l->next)
    func (g_hash_table_lookup (self->by_name, l->data), data);
}

/* ---- one body ---- */

/* Where an argument of the function stands among its inputs. */
typedef struct
{
  guint first, n;
} ArgRange;

typedef struct
{
  const Tensorflow__FunctionDef *def;
  SluiceGraph *graph;
  const SluiceInline *how;
  SluiceArena arena;
  GHashTable *args;  /* name → ArgRange in the arena */
  GHashTable *nodes; /* name → NodeDef of the body */
  GError *error;
} Body;

#define FUNCTION(body) ((body)->def->signature->name)

static void G_GNUC_PRINTF (2, 3) body_fail (Body *body, const char *format, ...)
{
  if (body->error != NULL)
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  sluice_fail (&body->error, SLUICE_ERROR_INVALID_ARGUMENT, "function '%s': %s", FUNCTION (body),
               what);
}

static char *
in_scope (Body *body, const char *name)
{
  g_autofree char *full = g_strconcat (body->how->scope, "/", name, NULL);
  return sluice_arena_strdup (&body->arena, full);
}

/* An attribute that the function is called with, else its default. (nullable) */
static Tensorflow__AttrValue *
call_attr (Body *body, const char *name)
{
  for (guint i = 0; i < body->how->n_attrs; i++)
    if (strcmp (body->how->attrs[i].name, name) == 0)
      return sluice_attr_pack (&body->how->attrs[i].value, &body->arena, FALSE);
  const Tensorflow__OpDef *signature = body->def->signature;
  for (gsize i = 0; i < signature->n_attr; i++)
    if (strcmp (signature->attr[i]->name, name) == 0)
      return signature->attr[i]->default_value;
  return NULL;
}

static guint
list_length (const Tensorflow__AttrValue *value)
{
  return value != NULL && value->value_case == TENSORFLOW__ATTR_VALUE__VALUE_LIST
             ? (guint) value->list->n_type
             : 0;
}

static gint64
int_of (const Tensorflow__AttrValue *value)
{
  return value != NULL && value->value_case == TENSORFLOW__ATTR_VALUE__VALUE_I ? value->i : 0;
}

/* How many values an argument of a signature stands for; attributes by the callback. */
static guint
arg_length (const Tensorflow__OpDef__ArgDef *arg,
            Tensorflow__AttrValue *(*get) (gpointer data, const char *name),
            gpointer data)
{
  if (arg->number_attr != NULL && *arg->number_attr)
    return (guint) CLAMP (int_of (get (data, arg->number_attr)), 0, SLUICE_MAX_PORTS);
  if (arg->type_list_attr != NULL && *arg->type_list_attr)
    return MIN (list_length (get (data, arg->type_list_attr)), SLUICE_MAX_PORTS);
  return 1;
}

static Tensorflow__AttrValue *
get_call_attr (gpointer body, const char *name)
{
  return call_attr (body, name);
}

/* ---- attributes of nodes ---- */

static Tensorflow__AttrValue *
string_attr (Body *body, const char *text)
{
  SluiceAttrValue value = sluice_attr_string ("", text).value;
  return sluice_attr_pack (&value, &body->arena, FALSE);
}

static char *
dup_bytes (const ProtobufCBinaryData *bytes)
{
  return g_strndup (bytes->len > 0 ? (const char *) bytes->data : "", bytes->len);
}

/* Nodes of the body are named with the scope in front. A name that is no node at all is left out:
 * to TensorFlow it is that of a group, which Keras names after what the function was made from. */
static Tensorflow__AttrValue *
class_attr (Body *body, const Tensorflow__AttrValue *value)
{
  if (value->value_case != TENSORFLOW__ATTR_VALUE__VALUE_LIST)
    return (Tensorflow__AttrValue *) value;
  g_autofree SluiceAttrValue *items = g_new0 (SluiceAttrValue, value->list->n_s + 1);
  gsize n = 0;
  for (gsize i = 0; i < value->list->n_s; i++)
    {
      g_autofree char *text = dup_bytes (&value->list->s[i]);
      if (g_str_has_prefix (text, "loc:@")
          && (g_hash_table_contains (body->nodes, text + 5)
              || g_hash_table_contains (body->args, text + 5)))
        {
          char *scoped = g_strconcat ("loc:@", body->how->scope, "/", text + 5, NULL);
          g_free (text);
          text = scoped;
        }
      else if (g_str_has_prefix (text, "loc:@")
               && sluice_graph_find (body->graph, text + 5) == NULL)
        continue;
      /* What is packed keeps the bytes where they are. */
      items[n++] = sluice_attr_string ("", sluice_arena_strdup (&body->arena, text)).value;
    }
  SluiceAttrValue list = { .kind = SLUICE_ATTR_LIST,
                           .list_kind = SLUICE_ATTR_STRING,
                           .list = { items, (guint) n } };
  return sluice_attr_pack (&list, &body->arena, FALSE);
}

/* (nullable): an attribute that the function was not given */
static Tensorflow__AttrValue *
bound_attr (Body *body, const Tensorflow__AttrEntry *entry)
{
  Tensorflow__AttrValue *value = entry->value;
  if (value == NULL)
    return NULL;
  if (value->value_case == TENSORFLOW__ATTR_VALUE__VALUE_PLACEHOLDER)
    {
      value = call_attr (body, value->placeholder);
      if (value == NULL)
        body_fail (body, "it is called without attribute '%s'", entry->value->placeholder);
      return value;
    }
  if (strcmp (entry->key, "_class") == 0)
    return class_attr (body, value);
  if (strcmp (entry->key, "frame_name") == 0
      && value->value_case == TENSORFLOW__ATTR_VALUE__VALUE_S)
    {
      g_autofree char *frame = dup_bytes (&value->s);
      return string_attr (body, in_scope (body, frame));
    }
  return value;
}

static void
bind_attrs (Body *body, Tensorflow__NodeDef *node)
{
  Tensorflow__AttrEntry **entries =
      sluice_arena_new (&body->arena, Tensorflow__AttrEntry *, node->n_attr + 1);
  for (gsize i = 0; i < node->n_attr; i++)
    {
      entries[i] = sluice_wire_new (&body->arena, &tensorflow__attr_entry__descriptor);
      entries[i]->key = node->attr[i]->key;
      entries[i]->value = bound_attr (body, node->attr[i]);
    }
  node->attr = entries;
}

/* ---- names of values ---- */

typedef struct
{
  Body *body;
  const Tensorflow__NodeDef *node;
} NodeAttrs;

static Tensorflow__AttrValue *
get_node_attr (gpointer data, const char *name)
{
  const NodeAttrs *of = data;
  for (gsize i = 0; i < of->node->n_attr; i++)
    if (strcmp (of->node->attr[i]->key, name) == 0)
      return bound_attr (of->body, of->node->attr[i]);
  return NULL;
}

/* An integer or the length of a list, of a node or the default of its op. */
static guint
count_attr (Body *body, const Tensorflow__NodeDef *node, const SluiceOp *op, const char *name)
{
  NodeAttrs of = { body, node };
  const Tensorflow__AttrValue *value = get_node_attr (&of, name);
  const SluiceAttrDef *def = value == NULL ? sluice_op_find_attr (op, name) : NULL;
  if (def != NULL && def->has_default)
    return def->kind == SLUICE_ATTR_LIST ? def->default_value.list.n : (guint) def->default_value.i;
  return value != NULL && value->value_case == TENSORFLOW__ATTR_VALUE__VALUE_LIST
             ? list_length (value)
             : (guint) CLAMP (int_of (value), 0, SLUICE_MAX_PORTS);
}

/* The first port of a named output; -1: there is none of that name. */
static int
first_port (Body *body, const Tensorflow__NodeDef *node, const char *output)
{
  guint port = 0;
  const SluiceOp *op = sluice_registry_find (node->op);
  for (guint i = 0; op != NULL && i < op->n_outputs; i++)
    {
      const SluiceArg *arg = &op->outputs[i];
      if (strcmp (arg->name, output) == 0)
        return (int) port;
      const char *counted = arg->number_attr != NULL ? arg->number_attr : arg->list_attr;
      port += counted != NULL ? count_attr (body, node, op, counted) : 1;
    }
  const Tensorflow__FunctionDef *called =
      op == NULL ? sluice_library_find (body->graph->library, node->op) : NULL;
  NodeAttrs of = { body, node };
  for (gsize i = 0; called != NULL && i < called->signature->n_output_arg; i++)
    {
      const Tensorflow__OpDef__ArgDef *arg = called->signature->output_arg[i];
      if (strcmp (arg->name, output) == 0)
        return (int) port;
      port += arg_length (arg, get_node_attr, &of);
    }
  /* The outputs of an op that nobody knows are not known either; the node says so itself. */
  return op == NULL && called == NULL ? 0 : -1;
}

static char *
arg_name (Body *body, const char *name, const ArgRange *range, guint i)
{
  if (range->n == 1)
    return in_scope (body, name);
  g_autofree char *numbered = g_strdup_printf ("%s/%u", name, i);
  return in_scope (body, numbered);
}

/* "node:sum:1" as a name and a port of the graph. FALSE: it names nothing; body->error is set */
static gboolean
find_value (Body *body, const char *text, char **name, guint *port)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 3);
  guint n = g_strv_length (parts);
  guint64 index = 0;
  *port = 0;
  if (n > 1 && !g_ascii_string_to_unsigned (parts[n - 1], 10, 0, G_MAXINT, &index, NULL) && n == 3)
    n = 0;
  const ArgRange *range = n > 0 ? g_hash_table_lookup (body->args, parts[0]) : NULL;
  if (range != NULL && index < range->n)
    {
      *name = arg_name (body, parts[0], range, (guint) index);
      return TRUE;
    }
  const Tensorflow__NodeDef *node =
      n > 0 && range == NULL ? g_hash_table_lookup (body->nodes, parts[0]) : NULL;
  int first = node != NULL && n == 3 ? first_port (body, node, parts[1]) : 0;
  if (node == NULL || first < 0)
    {
      body_fail (body, "there is no value '%s' in its body", text);
      return FALSE;
    }
  *name = in_scope (body, parts[0]);
  *port = (guint) first + (guint) index;
  return TRUE;
}

static char *
input_text (Body *body, const char *text)
{
  char *name = (char *) "";
  guint port = 0;
  if (*text == '^')
    {
      const ArgRange *range = g_hash_table_lookup (body->args, text + 1);
      const char *target =
          range != NULL ? arg_name (body, text + 1, range, 0) : in_scope (body, text + 1);
      g_autofree char *control = g_strconcat ("^", target, NULL);
      return sluice_arena_strdup (&body->arena, control);
    }
  if (!find_value (body, text, &name, &port) || port == 0)
    return name;
  g_autofree char *full = g_strdup_printf ("%s:%u", name, port);
  return sluice_arena_strdup (&body->arena, full);
}

/* ---- nodes ---- */

static char *
control_text (Body *body, const char *name)
{
  g_autofree char *text = g_strconcat ("^", name, NULL);
  return sluice_arena_strdup (&body->arena, text);
}

/* An input of the function becomes an Identity of what the caller gives. */
static Tensorflow__NodeDef *
arg_node (Body *body, char *name, SluiceEdge edge)
{
  const SluiceInline *how = body->how;
  Tensorflow__NodeDef *node = sluice_wire_new (&body->arena, &tensorflow__node_def__descriptor);
  SluiceAttrValue type = sluice_attr_type ("", sluice_dtype_base (sluice_edge_dtype (edge))).value;
  g_autofree char *input = g_strdup_printf ("%s:%d", edge.node->name, edge.port);
  node->name = name;
  node->op = (char *) sluice_registry_by_role (SLUICE_ROLE_IDENTITY)->name;
  node->device = (char *) how->device;
  node->input = sluice_arena_new (&body->arena, char *, how->n_controls + 1);
  node->input[node->n_input++] = sluice_arena_strdup (&body->arena, input);
  for (guint i = 0; i < how->n_controls; i++)
    node->input[node->n_input++] = control_text (body, how->controls[i]->name);
  node->attr = sluice_arena_new (&body->arena, Tensorflow__AttrEntry *, 1);
  node->attr[0] = sluice_wire_new (&body->arena, &tensorflow__attr_entry__descriptor);
  node->attr[0]->key = (char *) "T";
  node->attr[0]->value = sluice_attr_pack (&type, &body->arena, FALSE);
  node->n_attr = 1;
  return node;
}

/* Sources of the body come after this. (nullable): they come after nothing */
static Tensorflow__NodeDef *
pivot_node (Body *body, Tensorflow__NodeDef *const *args)
{
  const SluiceInline *how = body->how;
  if (how->pivot != NULL || how->n_inputs + how->n_controls == 0)
    return NULL;
  Tensorflow__NodeDef *node = sluice_wire_new (&body->arena, &tensorflow__node_def__descriptor);
  node->name = in_scope (body, "_pivot");
  node->op = (char *) sluice_registry_by_role (SLUICE_ROLE_NO_OP)->name;
  node->device = (char *) how->device;
  node->input = sluice_arena_new (&body->arena, char *, how->n_inputs + how->n_controls);
  for (guint i = 0; i < how->n_inputs; i++)
    node->input[node->n_input++] = control_text (body, args[i]->name);
  for (guint i = 0; i < how->n_controls; i++)
    node->input[node->n_input++] = control_text (body, how->controls[i]->name);
  return node;
}

static Tensorflow__NodeDef *
body_node (Body *body, const Tensorflow__NodeDef *def, const char *pivot)
{
  Tensorflow__NodeDef *node = sluice_arena_new (&body->arena, Tensorflow__NodeDef, 1);
  *node = *def;
  node->name = in_scope (body, def->name);
  if (node->device == NULL || !*node->device)
    node->device = (char *) body->how->device;
  node->input = sluice_arena_new (&body->arena, char *, def->n_input + 1);
  for (gsize i = 0; i < def->n_input; i++)
    node->input[i] = input_text (body, def->input[i]);
  if (def->n_input == 0 && pivot != NULL)
    node->input[node->n_input++] = control_text (body, pivot);
  bind_attrs (body, node);
  return node;
}

static void
name_args (Body *body)
{
  const Tensorflow__OpDef *signature = body->def->signature;
  guint total = 0;
  for (gsize i = 0; i < signature->n_input_arg; i++)
    {
      ArgRange *range = sluice_arena_new (&body->arena, ArgRange, 1);
      *range = (ArgRange){ total, arg_length (signature->input_arg[i], get_call_attr, body) };
      total += range->n;
      g_hash_table_insert (body->args, signature->input_arg[i]->name, range);
    }
  if (total != body->how->n_inputs)
    body_fail (body, "it takes %u inputs, and %u are given", total, body->how->n_inputs);
  for (gsize i = 0; i < body->def->n_node_def; i++)
    g_hash_table_insert (body->nodes, body->def->node_def[i]->name, body->def->node_def[i]);
}

/* Checks the dtypes that the signature fixes. */
static void
check_arg (Body *body, const Tensorflow__OpDef__ArgDef *arg, SluiceEdge edge)
{
  SluiceDType got = sluice_dtype_base (sluice_edge_dtype (edge));
  SluiceDType want = (SluiceDType) arg->type;
  if (want != SLUICE_INVALID && got != want)
    body_fail (body, "input '%s' is %s, and '%s:%d', which is given for it, is %s", arg->name,
               sluice_dtype_name (want), edge.node->name, edge.port, sluice_dtype_name (got));
}

static Tensorflow__GraphDef *
make_def (Body *body)
{
  const SluiceInline *how = body->how;
  const Tensorflow__OpDef *signature = body->def->signature;
  Tensorflow__GraphDef *def = sluice_wire_new (&body->arena, &tensorflow__graph_def__descriptor);
  def->node = sluice_arena_new (&body->arena, Tensorflow__NodeDef *,
                                how->n_inputs + body->def->n_node_def + 1);
  name_args (body);
  for (gsize i = 0; body->error == NULL && i < signature->n_input_arg; i++)
    {
      const Tensorflow__OpDef__ArgDef *arg = signature->input_arg[i];
      const ArgRange *range = g_hash_table_lookup (body->args, arg->name);
      for (guint k = 0; k < range->n; k++)
        {
          SluiceEdge edge = how->inputs[range->first + k];
          check_arg (body, arg, edge);
          def->node[def->n_node++] = arg_node (body, arg_name (body, arg->name, range, k), edge);
        }
    }
  if (body->error != NULL)
    return def;
  Tensorflow__NodeDef *pivot = pivot_node (body, def->node);
  if (pivot != NULL)
    def->node[def->n_node++] = pivot;
  for (gsize i = 0; i < body->def->n_node_def; i++)
    def->node[def->n_node++] =
        body_node (body, body->def->node_def[i], pivot != NULL ? pivot->name : how->pivot);
  return def;
}

/* ---- what comes out ---- */

static const char *
find_entry (Tensorflow__StringEntry *const *entries, gsize n, const char *key)
{
  for (gsize i = 0; i < n; i++)
    if (strcmp (entries[i]->key, key) == 0)
      return entries[i]->value;
  return NULL;
}

static void
find_outputs (Body *body, SluiceEdge *outputs, guint n_outputs)
{
  const Tensorflow__FunctionDef *def = body->def;
  if (def->signature->n_output_arg != n_outputs)
    body_fail (body, "it gives %zu outputs, and %u are wanted", def->signature->n_output_arg,
               n_outputs);
  for (guint i = 0; body->error == NULL && i < n_outputs; i++)
    {
      const char *value = find_entry (def->ret, def->n_ret, def->signature->output_arg[i]->name);
      char *name = NULL;
      guint port = 0;
      if (value == NULL)
        body_fail (body, "it does not say what its output '%s' is",
                   def->signature->output_arg[i]->name);
      else if (find_value (body, value, &name, &port))
        {
          outputs[i] = (SluiceEdge){ sluice_graph_find (body->graph, name), (int) port };
          if (port >= outputs[i].node->n_outputs)
            body_fail (body, "there is no value '%s' in its body", value);
        }
    }
}

gboolean
sluice_function_inline (const Tensorflow__FunctionDef *self,
                        SluiceGraph *graph,
                        const SluiceInline *how,
                        SluiceEdge *outputs,
                        guint n_outputs,
                        GPtrArray *named,
                        GError **error)
{
  Body body = { .def = self, .graph = graph, .how = how };
  sluice_arena_init (&body.arena);
  body.args = g_hash_table_new (g_str_hash, g_str_equal);
  body.nodes = g_hash_table_new (g_str_hash, g_str_equal);
  const Tensorflow__GraphDef *def = make_def (&body);
  if (body.error == NULL && sluice_graph_add_defs (graph, def, &body.error))
    find_outputs (&body, outputs, n_outputs);
  for (gsize i = 0; body.error == NULL && i < self->n_control_ret; i++)
    {
      SluiceNode *node = sluice_graph_find (graph, in_scope (&body, self->control_ret[i]->value));
      if (node != NULL)
        g_ptr_array_add (named, node);
    }
  g_hash_table_unref (body.args);
  g_hash_table_unref (body.nodes);
  sluice_arena_clear (&body.arena);
  if (body.error == NULL)
    return TRUE;
  g_propagate_error (error, body.error);
  return FALSE;
}

/* ---- signatures ---- */

static SluiceDType
arg_type (Body *body, const Tensorflow__OpDef__ArgDef *arg, guint i)
{
  const Tensorflow__AttrValue *types = arg->type_list_attr != NULL && *arg->type_list_attr
                                           ? call_attr (body, arg->type_list_attr)
                                           : NULL;
  if (types != NULL)
    return i < list_length (types) ? (SluiceDType) types->list->type[i] : SLUICE_INVALID;
  const Tensorflow__AttrValue *named =
      arg->type_attr != NULL && *arg->type_attr ? call_attr (body, arg->type_attr) : NULL;
  if (named != NULL && named->value_case == TENSORFLOW__ATTR_VALUE__VALUE_TYPE)
    return (SluiceDType) named->type;
  return (SluiceDType) arg->type;
}

SluiceDType *
sluice_function_dup_types (const Tensorflow__FunctionDef *self,
                           gboolean of_results,
                           const SluiceAttr *attrs,
                           guint n_attrs,
                           guint *n)
{
  SluiceInline how = { .attrs = attrs, .n_attrs = n_attrs };
  Body body = { .def = self, .how = &how };
  const Tensorflow__OpDef *signature = self->signature;
  gsize n_args = of_results ? signature->n_output_arg : signature->n_input_arg;
  GArray *types = g_array_new (FALSE, FALSE, sizeof (SluiceDType));
  sluice_arena_init (&body.arena);
  for (gsize i = 0; i < n_args; i++)
    {
      const Tensorflow__OpDef__ArgDef *arg =
          of_results ? signature->output_arg[i] : signature->input_arg[i];
      guint length = arg_length (arg, get_call_attr, &body);
      if (types->len + length > SLUICE_MAX_PORTS)
        break;
      for (guint k = 0; k < length; k++)
        {
          SluiceDType type = arg_type (&body, arg, k);
          g_array_append_val (types, type);
        }
    }
  sluice_arena_clear (&body.arena);
  *n = types->len;
  return (SluiceDType *) (gpointer) g_array_free (types, FALSE);
}

void
sluice_function_set_outputs (const Tensorflow__FunctionDef *self, SluiceNode *node)
{
  guint n;
  g_autofree SluiceDType *types =
      sluice_function_dup_types (self, TRUE, node->attrs, node->n_attrs, &n);
  sluice_node_set_n_outputs (node, n);
  for (guint i = 0; i < n; i++)
    node->outputs[i].dtype = types[i];
}
