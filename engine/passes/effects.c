/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Follows references and handles from where they are made to where they are used. The objects
 * behind inputs that meet (Merge, a choice among references) count as one: an access to either is
 * an access to both.
 *
 * What only hands the value of a reference on (Identity, Reshape) shares the variable's memory, and
 * whoever reads that sees later updates in place: it counts as a reader. Not so with resources: who
 * writes one that is shared copies it first.
 */
#include "engine/passes/effects.h"

#include <string.h>

typedef struct
{
  const SluiceWork *work;
  GHashTable *by_name; /* container and name of the resource -> number + 1 */
  GPtrArray *objects;  /* of const SluiceNode */
  GArray *same_as;     /* of guint: union-find over objects */
  guint32 *object_of;  /* by work index: number + 1 of what its handle outputs refer to */
  guint32 *alias_of;  /* by work index: number + 1 of the variable whose memory its outputs share */
  guint32 *memory_of; /* and may share: SluiceEffects */
  GArray *accesses;
} Find;

static gboolean
is_handle (SluiceDType dtype)
{
  return sluice_dtype_is_ref (dtype) || dtype == SLUICE_RESOURCE;
}

static gboolean
makes_handle (const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->origin->n_outputs; i++)
    if (is_handle (node->origin->outputs[i].dtype))
      return TRUE;
  return FALSE;
}

static gboolean
only_reads (const SluiceWorkNode *node)
{
  return node->origin->op && node->origin->op->def->flags & SLUICE_OP_ONLY_READS;
}

static guint
find_root (Find *find, guint object)
{
  guint *same = (guint *) find->same_as->data;
  while (same[object] != object)
    object = same[object] = same[same[object]];
  return object;
}

static void
append_text (GString *key, const SluiceNode *node, const char *attr, const char *otherwise)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, attr);
  if (value && value->kind == SLUICE_ATTR_STRING && value->s.length)
    g_string_append_len (key, value->s.data, (gssize) value->s.length);
  else
    g_string_append (key, otherwise);
  g_string_append_c (key, '\n');
}

/* Nodes of one container and shared_name make the same. Returns number + 1. */
static guint32
object_made_by (Find *find, const SluiceNode *node)
{
  g_autoptr (GString) key = g_string_new (NULL);
  append_text (key, node, "container", "");
  append_text (key, node, "shared_name", node->name);
  gpointer known = g_hash_table_lookup (find->by_name, key->str);
  if (known)
    return GPOINTER_TO_UINT (known);
  guint number = find->objects->len;
  g_ptr_array_add (find->objects, (gpointer) node);
  g_array_append_val (find->same_as, number);
  g_hash_table_insert (find->by_name, g_strdup (key->str), GUINT_TO_POINTER (number + 1));
  return number + 1;
}

static SluiceEffect
effect_on (const Find *find, const SluiceWorkNode *node, guint input, guint object)
{
  SluiceDType dtype = sluice_work_dtype (find->work, node->inputs[input]);
  SluiceRole role = sluice_work_role (node);
  if (role == SLUICE_ROLE_ENQUEUE)
    return SLUICE_EFFECT_ENQUEUE;
  if (role == SLUICE_ROLE_DEQUEUE)
    return SLUICE_EFFECT_DEQUEUE;
  if (!sluice_node_get_traits (find->objects->pdata[object])->is_state)
    return SLUICE_EFFECT_NONE;
  if (sluice_dtype_is_ref (dtype) && !sluice_node_takes_ref (node->origin, input))
    return sluice_work_get_traits (node)->asks_shape ? SLUICE_EFFECT_NONE : SLUICE_EFFECT_READ;
  if (sluice_work_get_traits (node)->moves_value)
    return SLUICE_EFFECT_NONE;
  if (!only_reads (node))
    return SLUICE_EFFECT_WRITE;
  return makes_handle (node) ? SLUICE_EFFECT_NONE : SLUICE_EFFECT_READ;
}

/* A node that reads and writes an object writes it. */
static void
add_access (Find *find, SluiceWorkNode *node, guint object, SluiceEffect effect)
{
  for (guint i = find->accesses->len; i-- > 0;)
    {
      SluiceAccess *last = &g_array_index (find->accesses, SluiceAccess, i);
      if (last->node != node)
        break;
      if (last->object != object)
        continue;
      last->effect = last->effect == SLUICE_EFFECT_READ ? effect : last->effect;
      return;
    }
  SluiceAccess access = { node, object, effect };
  g_array_append_val (find->accesses, access);
}

/* An input that is a value: maybe in a variable's memory. */
static void
look_at_value (Find *find, SluiceWorkNode *node, const SluiceWorkNode *before)
{
  guint32 object = find->alias_of[before->index];
  if (!object)
    return;
  if (sluice_work_get_traits (node)->moves_value)
    find->alias_of[node->index] = object;
  else if (!sluice_work_get_traits (node)->asks_shape)
    add_access (find, node, object - 1, SLUICE_EFFECT_READ);
}

/* An input that is a reference or a handle. Returns number + 1 of what it refers to. */
static guint32
look_at_handle (Find *find, SluiceWorkNode *node, guint input)
{
  guint32 object = find->object_of[node->inputs[input].node->index];
  if (!object)
    return 0; /* a back edge: the Enter's side has told */
  SluiceEffect effect = effect_on (find, node, input, object - 1);
  if (effect != SLUICE_EFFECT_NONE)
    add_access (find, node, object - 1, effect);
  if (effect == SLUICE_EFFECT_READ && sluice_work_get_traits (node)->moves_value)
    find->alias_of[node->index] = object;
  return object;
}

/* Of its inputs' memory, if any: it has the type of what it is handed on as. */
static guint32
find_shared_memory (const Find *find, const SluiceWorkNode *node)
{
  guint32 memory = 0;
  if (!sluice_work_may_share (node) || node->origin->n_outputs == 0)
    return 0;
  SluiceDType dtype = sluice_dtype_base (node->origin->outputs[0].dtype);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      const SluiceWorkNode *before = node->inputs[i].node;
      guint32 other = before ? find->memory_of[before->index] : 0;
      if (!other || sluice_dtype_base (sluice_work_dtype (find->work, node->inputs[i])) != dtype)
        continue;
      memory = memory && memory != other ? SLUICE_ANY_OBJECT + 1 : other;
    }
  return memory;
}

static gboolean
makes_reference (const SluiceWorkNode *node)
{
  for (guint i = 0; i < node->origin->n_outputs; i++)
    if (sluice_dtype_is_ref (node->origin->outputs[i].dtype))
      return TRUE;
  return FALSE;
}

static void
look_at (Find *find, SluiceWorkNode *node)
{
  guint32 made = 0;
  gboolean joins = sluice_work_role (node) == SLUICE_ROLE_MERGE || only_reads (node);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      const SluiceWorkNode *before = node->inputs[i].node;
      if (!before)
        continue;
      if (!is_handle (sluice_work_dtype (find->work, node->inputs[i])))
        {
          look_at_value (find, node, before);
          continue;
        }
      guint32 object = look_at_handle (find, node, i);
      if (made && object && joins)
        g_array_index (find->same_as, guint, find_root (find, made - 1)) =
            find_root (find, object - 1);
      made = made ? made : object;
    }
  if (makes_handle (node))
    find->object_of[node->index] = made ? made : object_made_by (find, node->origin);
  find->memory_of[node->index] =
      makes_reference (node) ? find->object_of[node->index] : find_shared_memory (find, node);
}

static int
compare_accesses (gconstpointer a, gconstpointer b)
{
  const SluiceAccess *x = a, *y = b;
  return x->object < y->object ? -1 : x->object > y->object;
}

void
sluice_effects_find (SluiceEffects *self, const SluiceWork *work, const GPtrArray *order)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) same_as = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint32 *object_of = g_new0 (guint32, work->nodes->len + 1);
  self->objects = g_ptr_array_new ();
  self->accesses = g_array_new (FALSE, FALSE, sizeof (SluiceAccess));
  g_autofree guint32 *alias_of = g_new0 (guint32, work->nodes->len + 1);
  self->memory_of = g_new0 (guint32, work->nodes->len + 1);
  Find find = { work,      by_name,  self->objects,   same_as,
                object_of, alias_of, self->memory_of, self->accesses };
  for (guint i = 0; i < order->len; i++)
    if (sluice_work_has (work, order->pdata[i]))
      look_at (&find, order->pdata[i]);
  for (guint i = 0; i < self->accesses->len; i++)
    {
      SluiceAccess *access = &g_array_index (self->accesses, SluiceAccess, i);
      access->object = find_root (&find, access->object);
    }
  for (guint i = 0; i < work->nodes->len; i++)
    if (self->memory_of[i] && self->memory_of[i] <= SLUICE_ANY_OBJECT)
      self->memory_of[i] = find_root (&find, self->memory_of[i] - 1) + 1;
  g_array_sort (self->accesses, compare_accesses); /* keeps the order of equals */
}

void
sluice_effects_clear (SluiceEffects *self)
{
  g_clear_pointer (&self->objects, g_ptr_array_unref);
  g_clear_pointer (&self->accesses, g_array_unref);
  g_clear_pointer (&self->memory_of, g_free);
}
