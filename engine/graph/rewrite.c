/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/rewrite.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/attrproto.h"
#include "engine/graph/graph-private.h"
#include "engine/graph/node-text.h"
#include "engine/graph/text-format.h"

#define STEPS_A_LOOK 64 /* at the clock */

/* A node of the text. */
typedef struct
{
  const Tensorflow__NodeDef *def;
  SluiceNode *node;     /* (nullable): what it is in the graph, so far */
  gboolean is_new;      /* the transaction made it */
  gboolean is_replaced; /* in the place of one of another op */
  gboolean is_begun;    /* it is being added: whoever needs it first closes a loop */
} Target;

typedef enum
{
  READING, /* a node of the text at a time, as everywhere */
  MATCHING,
  ADDING,
  SETTING,
  DONE,
} Stage;

struct _SluiceRewriting
{
  SluiceGraph *graph;
  const char *text;
  gsize length;
  SluiceNode **nodes;
  guint n_nodes;
  SluiceArena arena;
  GArray *targets;     /* of Target, by their order in the text */
  GHashTable *by_name; /* name in the text -> index of its Target + 1 */
  GHashTable *renamed; /* what a node was called -> SluiceNode */
  GPtrArray *gone;     /* SluiceNode */
  Stage stage;
  gsize n_read;   /* bytes of the text */
  guint i;        /* of the stage's next node */
  GArray *adding; /* of guint: of targets, each of which is needed by the one before */
  SluiceRewritten done;
};
typedef SluiceRewriting Rewrite;

static Target *
nth (const Rewrite *self, guint i)
{
  return &g_array_index (self->targets, Target, i);
}

/* ---- where it stands ---- */

/* The i-th node of the text, or a field of it; the text could be read. */
static SluiceTextPlace
find_place (const Rewrite *self, guint i, SluiceNodeFieldKind kind, const char *attr, guint input)
{
  g_autoptr (GArray) top = sluice_text_scan (self->text, strlen (self->text), NULL);
  guint at = 0;
  for (guint left = i; top != NULL && at < top->len; at++)
    if (sluice_text_field_is (&g_array_index (top, SluiceTextField, at), self->text, "node")
        && left-- == 0)
      break;
  if (top == NULL || at >= top->len)
    return (SluiceTextPlace){ 0 };
  const SluiceTextField *block = &g_array_index (top, SluiceTextField, at);
  g_autofree char *text = g_strndup (self->text + block->begin, block->end - block->begin);
  g_autoptr (GArray) fields = sluice_node_text_scan (text, NULL);
  const SluiceNodeField *field =
      fields != NULL ? sluice_node_text_find (fields, kind, attr, input) : NULL;
  return sluice_text_place ((SluiceTextPlace){ 0 }, self->text,
                            block->begin + (field != NULL ? field->begin : 0));
}

/* Puts the place before what the error says. FALSE. */
static gboolean
sign (const Rewrite *self,
      guint i,
      SluiceNodeFieldKind kind,
      const char *attr,
      guint input,
      GError **error)
{
  SluiceTextPlace place = find_place (self, i, kind, attr, input);
  g_prefix_error (error, "%u:%u: ", place.line + 1, place.byte + 1);
  return FALSE;
}

static gboolean
fail_name (const Rewrite *self, guint i, GError **error, const char *what)
{
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, what, nth (self, i)->def->name);
  return sign (self, i, SLUICE_NODE_FIELD_NAME, NULL, 0, error);
}

/* ---- who is who ---- */

static gboolean
take_def (Rewrite *self, const Tensorflow__NodeDef *def, GError **error)
{
  guint i = self->targets->len;
  Target target = { .def = def, .node = sluice_graph_find (self->graph, def->name) };
  g_array_append_val (self->targets, target);
  if (*def->name == '\0')
    return fail_name (self, i, error, "a node needs a name%s");
  if (!g_hash_table_insert (self->by_name, def->name, GUINT_TO_POINTER (i + 1)))
    return fail_name (self, i, error, "there are two nodes of the name '%s'; rename one");
  return TRUE;
}

/* What is no list of nodes, each by itself, and the places of what is wrong. */
static gboolean
read_whole (Rewrite *self, GError **error)
{
  const Tensorflow__GraphDef *def = sluice_text_parse (
      &self->arena, &tensorflow__graph_def__descriptor, self->text, strlen (self->text), error);
  if (def == NULL)
    return FALSE;
  if (def->versions != NULL || def->library != NULL || def->version != 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the text holds more than nodes; versions and functions of a graph are "
                        "not changed by its text");
  g_array_set_size (self->targets, 0);
  g_hash_table_remove_all (self->by_name);
  self->n_read = self->length;
  for (gsize i = 0; i < def->n_node; i++)
    if (!take_def (self, def->node[i], error))
      return FALSE;
  return TRUE;
}

static void
begin_stage (Rewrite *self, Stage stage)
{
  self->stage = stage;
  self->i = 0;
}

/* One of them. */
static gboolean
read_next (Rewrite *self, GError **error)
{
  SluiceTextField field;
  g_autoptr (GError) problem = NULL;
  if (!sluice_text_scan_next (self->text, self->length, &self->n_read, &field, &problem))
    {
      begin_stage (self, MATCHING);
      return problem == NULL || read_whole (self, error);
    }
  const Tensorflow__GraphDef *def =
      field.is_message && sluice_text_field_is (&field, self->text, "node")
          ? sluice_text_parse (&self->arena, &tensorflow__graph_def__descriptor,
                               self->text + field.begin, field.end - field.begin, NULL)
          : NULL;
  return def != NULL && def->n_node == 1 ? take_def (self, def->node[0], error)
                                         : read_whole (self, error);
}

/* A node that the text no longer names takes the name of a new one of its op. */
static gboolean
rename_or_drop (Rewrite *self, SluiceNode *node, guint *from, GError **error)
{
  for (guint i = *from; i < self->targets->len; i++)
    {
      Target *target = nth (self, i);
      if (target->node != NULL || !g_str_equal (target->def->op, node->op_name))
        continue;
      g_hash_table_insert (self->renamed, (gpointer) node->name, node);
      if (!sluice_edit_rename (self->graph, node, target->def->name, error))
        return sign (self, i, SLUICE_NODE_FIELD_NAME, NULL, 0, error);
      target->node = node;
      if (i == *from)
        *from = i + 1;
      return TRUE;
    }
  g_ptr_array_add (self->gone, node);
  return TRUE;
}

static gboolean
match (Rewrite *self, GError **error)
{
  guint from = 0; /* what is before it has a node */
  for (guint i = 0; i < self->n_nodes; i++)
    if (!g_hash_table_contains (self->by_name, self->nodes[i]->name)
        && !rename_or_drop (self, self->nodes[i], &from, error))
      return FALSE;
  begin_stage (self, ADDING);
  return TRUE;
}

/* ---- edges ---- */

/* The node that an input names, by what it is or was called; port: behind the last colon. */
static SluiceNode *
find_producer (const Rewrite *self, const char *text, guint *port)
{
  const char *colon = strrchr (text, ':');
  guint64 number = 0;
  gboolean has_port =
      colon != NULL && g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXUINT16, &number, NULL);
  g_autofree char *name = has_port ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);
  SluiceNode *node = sluice_graph_find (self->graph, name);
  *port = (guint) number;
  return node != NULL ? node : g_hash_table_lookup (self->renamed, name);
}

/* Says why there is no such edge. */
static gboolean
fail_edge (const Rewrite *self, guint i, guint input, const char *text, GError **error)
{
  SluiceEdge edge;
  if (sluice_graph_parse_edge (self->graph, text, &edge, error))
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "'%s' cannot be read", text);
  return sign (self, i, SLUICE_NODE_FIELD_INPUT, NULL, input, error);
}

/* What a node of the text reads, as far as it is there; may_lack: what the text adds later is left
 * open. */
static gboolean
read_inputs (const Rewrite *self,
             guint i,
             gboolean may_lack,
             GArray *inputs,
             GPtrArray *controls,
             GError **error)
{
  const Tensorflow__NodeDef *def = nth (self, i)->def;
  for (guint k = 0; k < def->n_input; k++)
    {
      const char *text = def->input[k];
      gboolean is_control = *text == '^';
      guint port;
      SluiceNode *producer = find_producer (self, text + is_control, &port);
      SluiceEdge edge = { producer, producer != NULL ? (int) port : 0 };
      gboolean is_open = *text == '\0'
                         || (may_lack && producer == NULL
                             && g_hash_table_contains (self->by_name, text + is_control));
      if (!is_control && controls->len > 0)
        {
          sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                       "control inputs must come behind the other inputs");
          return sign (self, i, SLUICE_NODE_FIELD_INPUT, NULL, k, error);
        }
      if (!is_open && (producer == NULL || (!is_control && port >= producer->n_outputs)))
        return fail_edge (self, i, k, text + is_control, error);
      if (is_control && producer != NULL)
        g_ptr_array_add (controls, producer);
      else if (!is_control)
        g_array_append_val (inputs, edge);
    }
  return TRUE;
}

static gboolean
has_same_inputs (const SluiceNode *node, const GArray *inputs)
{
  gboolean same = node->n_inputs == inputs->len;
  for (guint i = 0; same && i < inputs->len; i++)
    {
      SluiceEdge edge = g_array_index (inputs, SluiceEdge, i);
      same = edge.node == node->inputs[i].node && edge.port == node->inputs[i].port;
    }
  return same;
}

/* Names that an import could not find stand there as they came, as long as they are said. */
static gboolean
keeps_lost_inputs (const Rewrite *self, guint i)
{
  const Target *target = nth (self, i);
  g_auto (SluiceArena) arena;
  gsize length;
  GBytes *foreign = sluice_node_record (target->node)->foreign;
  sluice_arena_init (&arena);
  if (foreign == NULL || target->is_new)
    return FALSE;
  const guint8 *bytes = g_bytes_get_data (foreign, &length);
  const Tensorflow__NodeDef *kept =
      sluice_wire_unpack (&arena, &tensorflow__node_def__descriptor, bytes, length, NULL);
  gboolean same = kept != NULL && kept->n_input > 0 && kept->n_input == target->def->n_input;
  for (gsize k = 0; same && k < kept->n_input; k++)
    same = g_str_equal (kept->input[k], target->def->input[k]);
  return same;
}

static gboolean
set_controls (const Rewrite *self, SluiceNode *node, const GPtrArray *controls, GError **error)
{
  gboolean same = node->n_control_inputs == controls->len;
  for (guint i = 0; same && i < controls->len; i++)
    same = node->control_inputs[i] == controls->pdata[i];
  if (same)
    return TRUE;
  while (node->n_control_inputs > 0)
    if (!sluice_edit_remove_control (self->graph, node, node->control_inputs[0], error))
      return FALSE;
  for (guint i = 0; i < controls->len; i++)
    if (!sluice_edit_add_control (self->graph, node, controls->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
set_edges (const Rewrite *self, guint i, GError **error)
{
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  g_autoptr (GPtrArray) controls = g_ptr_array_new ();
  SluiceNode *node = nth (self, i)->node;
  if (keeps_lost_inputs (self, i))
    return TRUE;
  if (!read_inputs (self, i, FALSE, inputs, controls, error))
    return FALSE;
  if (!has_same_inputs (node, inputs)
      && !sluice_edit_set_inputs (self->graph, node, (const SluiceEdge *) inputs->data, inputs->len,
                                  error))
    return sign (self, i, SLUICE_NODE_FIELD_INPUT, NULL, 0, error);
  return set_controls (self, node, controls, error)
         || sign (self, i, SLUICE_NODE_FIELD_INPUT, NULL, inputs->len, error);
}

/* ---- attributes ---- */

static void
clear_attrs (GArray *attrs)
{
  for (guint i = 0; i < attrs->len; i++)
    sluice_attr_value_clear (&g_array_index (attrs, SluiceAttr, i).value);
  g_array_unref (attrs);
}

/* (transfer full) (nullable): to be given to clear_attrs() */
static GArray *
read_attrs (Rewrite *self, guint i, GError **error)
{
  const Tensorflow__NodeDef *def = nth (self, i)->def;
  GArray *attrs = g_array_new (FALSE, TRUE, sizeof (SluiceAttr));
  gint64 budget = G_MAXINT32;
  gboolean lossy = FALSE;
  for (gsize k = 0; k < def->n_attr; k++)
    {
      Tensorflow__AttrEntry *entry = def->attr[k];
      SluiceAttr attr = { .name = sluice_intern (entry->key) };
      gboolean ok = entry->value != NULL
                        ? sluice_attr_unpack (&entry->value, &self->arena, &attr.value, &budget,
                                              &lossy, error)
                        : sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "it has no value");
      if (!ok)
        {
          g_prefix_error (error, "attribute %s: ", entry->key);
          sign (self, i, SLUICE_NODE_FIELD_ATTR, entry->key, 0, error);
          clear_attrs (attrs);
          return NULL;
        }
      g_array_append_val (attrs, attr);
    }
  return attrs;
}

/* The last of that name. (nullable) */
static const SluiceAttrValue *
find_attr (const GArray *attrs, const char *name)
{
  const SluiceAttrValue *found = NULL;
  for (guint i = 0; i < attrs->len; i++)
    if (g_str_equal (g_array_index (attrs, SluiceAttr, i).name, name))
      found = &g_array_index (attrs, SluiceAttr, i).value;
  return found;
}

/* Those that the text leaves out go back to what they are by themselves. */
static gboolean
forget_attrs (const Rewrite *self, SluiceNode *node, const GArray *attrs, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < node->n_attrs; i++)
    {
      const SluiceAttr *attr = &node->attrs[i];
      const SluiceAttrDef *def =
          node->op != NULL ? sluice_op_find_attr (node->op, attr->name) : NULL;
      gboolean is_default = def != NULL && def->has_default
                            && sluice_attr_value_equal (&def->default_value, &attr->value);
      if (!is_default && find_attr (attrs, attr->name) == NULL)
        g_ptr_array_add (names, (gpointer) attr->name);
    }
  for (guint i = 0; i < names->len; i++)
    if (!sluice_edit_remove_attr (self->graph, node, names->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
is_known (const SluiceNode *node, const char *name)
{
  return node->op == NULL || *name == '_' || sluice_op_find_attr (node->op, name) != NULL
         || sluice_node_get_attr (node, name) != NULL;
}

static gboolean
set_attrs (Rewrite *self, guint i, GError **error)
{
  SluiceNode *node = nth (self, i)->node;
  GArray *attrs = read_attrs (self, i, error);
  gboolean ok = attrs != NULL && forget_attrs (self, node, attrs, error);
  for (guint k = 0; ok && k < attrs->len; k++)
    {
      const SluiceAttr *attr = &g_array_index (attrs, SluiceAttr, k);
      const SluiceAttrValue *is = sluice_node_get_attr (node, attr->name);
      if (is != NULL && sluice_attr_value_equal (is, &attr->value))
        continue;
      ok = is_known (node, attr->name)
               ? sluice_edit_set_attr (self->graph, node, attr, error)
               : sluice_node_fail (node, error, SLUICE_ERROR_NOT_FOUND, "%s has no attribute '%s'",
                                   node->op_name, attr->name);
      if (!ok)
        sign (self, i, SLUICE_NODE_FIELD_ATTR, attr->name, 0, error);
    }
  if (attrs != NULL)
    clear_attrs (attrs);
  return ok;
}

/* ---- what is new ---- */

static gboolean
add (Rewrite *self, guint i, GError **error)
{
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  g_autoptr (GPtrArray) controls = g_ptr_array_new ();
  Target *target = nth (self, i);
  if (!read_inputs (self, i, TRUE, inputs, controls, error))
    return FALSE;
  GArray *attrs = read_attrs (self, i, error);
  if (attrs == NULL)
    return FALSE;
  SluiceNodeSpec spec = { .name = target->def->name,
                          .op = target->def->op,
                          .device = target->def->device,
                          .inputs = (const SluiceEdge *) inputs->data,
                          .n_inputs = inputs->len,
                          .control_inputs = (SluiceNode *const *) controls->pdata,
                          .n_control_inputs = controls->len,
                          .attrs = (const SluiceAttr *) attrs->data,
                          .n_attrs = attrs->len };
  target->node = sluice_edit_add (self->graph, &spec, error);
  target->is_new = TRUE;
  clear_attrs (attrs);
  if (target->node != NULL)
    return TRUE;
  gboolean is_op = error == NULL || *error == NULL || (*error)->code != SLUICE_ERROR_NOT_FOUND;
  return sign (self, i, is_op ? SLUICE_NODE_FIELD_NAME : SLUICE_NODE_FIELD_OP, NULL, 0, error);
}

/* A node of the text that the i-th reads and that is to be added before it. G_MAXUINT: none */
static guint
find_needed (const Rewrite *self, guint i)
{
  const Tensorflow__NodeDef *def = nth (self, i)->def;
  for (gsize k = 0; k < def->n_input; k++)
    {
      const char *text = def->input[k] + (*def->input[k] == '^');
      const char *colon = strrchr (text, ':');
      g_autofree char *name =
          g_strndup (text, colon != NULL ? (gsize) (colon - text) : strlen (text));
      guint at = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, name));
      if (at > 0 && nth (self, at - 1)->node == NULL && !nth (self, at - 1)->is_begun)
        return at - 1;
    }
  return G_MAXUINT;
}

static void
begin_adding (Rewrite *self, guint i)
{
  g_array_append_val (self->adding, i);
  nth (self, i)->is_begun = TRUE;
}

/* What a node reads is added before it, so that dtypes can be told, but for what closes a loop. One
 * step of that. */
static gboolean
add_next (Rewrite *self, GError **error)
{
  guint at = g_array_index (self->adding, guint, self->adding->len - 1),
        needed = find_needed (self, at);
  if (needed != G_MAXUINT)
    {
      begin_adding (self, needed);
      return TRUE;
    }
  if (!add (self, at, error))
    return FALSE;
  g_array_set_size (self->adding, self->adding->len - 1);
  return TRUE;
}

static gboolean
add_with_needed (Rewrite *self, guint i, GError **error)
{
  guint n = self->adding->len;
  begin_adding (self, i);
  while (self->adding->len > n)
    if (!add_next (self, error))
      return FALSE;
  return TRUE;
}

/* ---- what has another op ---- */

/* Readers are left open, so that the node can go. */
static gboolean
part_from_readers (Rewrite *self, SluiceNode *node, const SluiceUse *uses, guint n, GError **error)
{
  for (guint k = 0; k < n; k++)
    if (uses[k].input < 0 ? !sluice_edit_remove_control (self->graph, uses[k].node, node, error)
                          : !sluice_edit_set_input (self->graph, uses[k].node,
                                                    (guint) uses[k].input, SLUICE_NO_EDGE, error))
      return FALSE;
  return TRUE;
}

/* But for those whose text says what they read. */
static gboolean
join_readers (Rewrite *self, SluiceNode *node, const SluiceUse *uses, guint n, GError **error)
{
  for (guint k = 0; k < n; k++)
    if (uses[k].node->graph != NULL && !g_hash_table_contains (self->by_name, uses[k].node->name)
        && (uses[k].input < 0
                ? !sluice_edit_add_control (self->graph, uses[k].node, node, error)
                : !sluice_edit_set_input (self->graph, uses[k].node, (guint) uses[k].input,
                                          (SluiceEdge){ node, uses[k].port }, error)))
      return FALSE;
  return TRUE;
}

/* The node is made anew under its name, and what read it reads that. */
static gboolean
replace (Rewrite *self, guint i, GError **error)
{
  Target *target = nth (self, i);
  SluiceNode *old = target->node;
  guint n;
  const SluiceUse *now = sluice_graph_get_uses (self->graph, old, &n);
  g_autofree SluiceUse *uses = g_memdup2 (now, n * sizeof *uses);
  target->node = NULL;
  target->is_replaced = TRUE;
  return part_from_readers (self, old, uses, n, error)
         && sluice_edit_remove (self->graph, &old, 1, error) && add_with_needed (self, i, error)
         && join_readers (self, target->node, uses, n, error);
}

/* ---- what goes ---- */

static gboolean
fail_read (SluiceNode *gone, const SluiceUse *use, GError **error)
{
  if (use->input < 0)
    return sluice_node_fail (use->node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "waits for '%s', which is gone; take that control input away, too",
                             gone->name);
  g_autofree char *input = sluice_node_dup_input_name (use->node, (guint) use->input);
  return sluice_node_fail (use->node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input %d (%s) is '%s', which is gone; name another node, or \"\" to "
                           "leave it open",
                           use->input, input, gone->name);
}

static gboolean
remove_gone (Rewrite *self, GError **error)
{
  g_autoptr (GHashTable) gone = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < self->gone->len; i++)
    g_hash_table_add (gone, self->gone->pdata[i]);
  for (guint i = 0; i < self->gone->len; i++)
    {
      guint n;
      const SluiceUse *uses = sluice_graph_get_uses (self->graph, self->gone->pdata[i], &n);
      for (guint k = 0; k < n; k++)
        if (!g_hash_table_contains (gone, uses[k].node))
          return fail_read (self->gone->pdata[i], &uses[k], error);
    }
  return self->gone->len == 0
         || sluice_edit_remove (self->graph, (SluiceNode *const *) self->gone->pdata,
                                self->gone->len, error);
}

/* ---- all of it ---- */

/* The next node that is to be added, or one step of that. */
static gboolean
add_some (Rewrite *self, GError **error)
{
  if (self->adding->len > 0)
    return add_next (self, error);
  if (self->i == self->targets->len)
    {
      begin_stage (self, SETTING);
      return TRUE;
    }
  const Target *target = nth (self, self->i);
  guint i = self->i++;
  gboolean is_there = target->node != NULL;
  if (is_there && !target->is_new && !g_str_equal (target->node->op_name, target->def->op))
    return replace (self, i, error);
  if (!is_there)
    begin_adding (self, i);
  return TRUE;
}

static gboolean
end (Rewrite *self, GError **error)
{
  self->done.n_removed = self->gone->len;
  self->done.name = self->targets->len > 0 ? nth (self, 0)->node->name
                    : self->gone->len > 0  ? ((SluiceNode *) self->gone->pdata[0])->name
                                           : NULL;
  begin_stage (self, DONE);
  return remove_gone (self, error);
}

static gboolean
set_next (Rewrite *self, GError **error)
{
  if (self->i == self->targets->len)
    return end (self, error);
  guint i = self->i++;
  const Target *target = nth (self, i);
  if (!target->is_new && !g_str_equal (target->node->device, target->def->device))
    sluice_edit_set_device (self->graph, target->node, target->def->device);
  self->done.n_added += target->is_new && !target->is_replaced;
  self->done.n_changed += !target->is_new || target->is_replaced;
  return set_edges (self, i, error) && (target->is_new || set_attrs (self, i, error));
}

static gboolean
take_step (Rewrite *self, GError **error)
{
  switch (self->stage)
    {
    case READING:
      return read_next (self, error);
    case MATCHING:
      return match (self, error);
    case ADDING:
      return add_some (self, error);
    default:
      return set_next (self, error);
    }
}

SluiceRewriting *
sluice_rewriting_new (SluiceGraph *graph, SluiceNode *const *nodes, guint n, const char *text)
{
  SluiceRewriting *self = g_new0 (SluiceRewriting, 1);
  self->graph = graph;
  self->text = text;
  self->length = strlen (text);
  self->nodes = g_memdup2 (nodes, n * sizeof *nodes);
  self->n_nodes = n;
  sluice_arena_init (&self->arena);
  self->targets = g_array_new (FALSE, FALSE, sizeof (Target));
  self->adding = g_array_new (FALSE, FALSE, sizeof (guint));
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->renamed = g_hash_table_new (g_str_hash, g_str_equal);
  self->gone = g_ptr_array_new ();
  return self;
}

void
sluice_rewriting_free (SluiceRewriting *self)
{
  g_array_unref (self->targets);
  g_array_unref (self->adding);
  g_hash_table_unref (self->by_name);
  g_hash_table_unref (self->renamed);
  g_ptr_array_unref (self->gone);
  g_free (self->nodes);
  sluice_arena_clear (&self->arena);
  g_free (self);
}

gboolean
sluice_rewriting_go_on (SluiceRewriting *self, gint64 budget_us, GError **error)
{
  gint64 begun = g_get_monotonic_time ();
  for (guint n = 1; self->stage != DONE; n++)
    {
      if (!take_step (self, error))
        return FALSE;
      if (n % STEPS_A_LOOK == 0 && g_get_monotonic_time () - begun > budget_us)
        break;
    }
  return TRUE;
}

const SluiceRewritten *
sluice_rewriting_get_done (const SluiceRewriting *self)
{
  return self->stage == DONE ? &self->done : NULL;
}

double
sluice_rewriting_get_progress (const SluiceRewriting *self)
{
  double n = MAX (self->targets->len, 1);
  return self->stage == READING ? (double) self->n_read / (double) MAX (self->length, 1) / 3
         : self->stage < ADDING ? 1 / 3.0
         : self->stage == DONE  ? 1
                                : (1 + (self->stage == SETTING) + self->i / n) / 3;
}

gboolean
sluice_graph_rewrite (SluiceGraph *graph,
                      SluiceNode *const *nodes,
                      guint n,
                      const char *text,
                      SluiceRewritten *done,
                      GError **error)
{
  SluiceRewriting *self = sluice_rewriting_new (graph, nodes, n, text);
  gboolean ok = sluice_rewriting_go_on (self, G_MAXINT64, error);
  *done = self->done;
  sluice_rewriting_free (self);
  return ok;
}

gboolean
sluice_graph_is_in_transaction (SluiceGraph *graph)
{
  return graph->edit != NULL;
}
