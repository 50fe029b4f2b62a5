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
  guint32 *alias_of; /* by work index: number + 1 of the variable whose memory its outputs share */
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

/* A constant that was folded hands nothing on. */
static gboolean
hands_on (const SluiceWorkNode *node)
{
  return node->kind == SLUICE_WORK_OP && sluice_node_hands_on (node->origin);
}

static gboolean
asks_only_shape (const SluiceWorkNode *node)
{
  SluiceRole role = sluice_work_role (node);
  return role == SLUICE_ROLE_SHAPE || role == SLUICE_ROLE_SIZE || role == SLUICE_ROLE_RANK;
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
  SluiceRole made_by = sluice_node_get_role (find->objects->pdata[object]);
  if (made_by != SLUICE_ROLE_VARIABLE && made_by != SLUICE_ROLE_RESOURCE_HANDLE)
    return SLUICE_EFFECT_NONE;
  if (sluice_dtype_is_ref (dtype) && !sluice_node_takes_ref (node->origin, input))
    return asks_only_shape (node) ? SLUICE_EFFECT_NONE : SLUICE_EFFECT_READ;
  if (hands_on (node))
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
  if (hands_on (node))
    find->alias_of[node->index] = object;
  else if (!asks_only_shape (node))
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
  if (effect == SLUICE_EFFECT_READ && hands_on (node))
    find->alias_of[node->index] = object;
  return object;
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
  Find find = { work, by_name, self->objects, same_as, object_of, alias_of, self->accesses };
  for (guint i = 0; i < order->len; i++)
    look_at (&find, order->pdata[i]);
  for (guint i = 0; i < self->accesses->len; i++)
    {
      SluiceAccess *access = &g_array_index (self->accesses, SluiceAccess, i);
      access->object = find_root (&find, access->object);
    }
  g_array_sort (self->accesses, compare_accesses); /* keeps the order of equals */
}

void
sluice_effects_clear (SluiceEffects *self)
{
  g_ptr_array_unref (self->objects);
  g_array_unref (self->accesses);
}

/* ---- frames ---- */

static guint
depth_of (const SluiceWork *work, guint frame)
{
  return g_array_index (work->frames, SluiceWorkFrame, frame).depth;
}

guint
sluice_frame_common (const SluiceWork *work, guint a, guint b)
{
  while (a != b)
    if (depth_of (work, a) >= depth_of (work, b))
      a = sluice_frame_parent (work, a);
    else
      b = sluice_frame_parent (work, b);
  return a;
}

/* ---- who follows whom ---- */

static const SluiceWorkNode *
before_at (const SluiceWorkNode *node, guint i)
{
  const SluiceWorkNode *before =
      i < node->n_inputs ? node->inputs[i].node : node->controls[i - node->n_inputs];
  return sluice_work_is_back_edge (before) ? NULL : before;
}

void
sluice_readers_init (SluiceReaders *self, const SluiceWork *work)
{
  guint n = work->nodes->len;
  *self = (SluiceReaders){ .n = n,
                           .first = g_new0 (guint32, n + 2),
                           .seen = g_new0 (guint32, n + 1),
                           .stack = g_new (guint32, n + 1) };
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < n; i++)
        {
          const SluiceWorkNode *node = work->nodes->pdata[i];
          for (guint k = 0; k < node->n_inputs + node->n_controls; k++)
            {
              const SluiceWorkNode *before = before_at (node, k);
              if (before && pass == 0)
                self->first[before->index + 2]++;
              else if (before)
                self->readers[self->first[before->index + 1]++] = i;
            }
        }
      if (pass == 0)
        {
          for (guint i = 0; i < n; i++)
            self->first[i + 2] += self->first[i + 1];
          self->readers = g_new (guint32, self->first[n + 1] + 1);
        }
    }
}

void
sluice_readers_clear (SluiceReaders *self)
{
  g_free (self->first);
  g_free (self->readers);
  g_free (self->seen);
  g_free (self->stack);
}

void
sluice_readers_reach (
    SluiceReaders *self, const guint32 *from, guint n_from, const guint32 *rank, guint32 last)
{
  guint n = 0;
  self->round++;
  for (guint i = 0; i < n_from; i++)
    {
      self->seen[from[i]] = self->round;
      self->stack[n++] = from[i];
    }
  while (n)
    {
      guint32 at = self->stack[--n];
      for (guint32 k = self->first[at]; k < self->first[at + 1]; k++)
        {
          guint32 next = self->readers[k];
          if (self->seen[next] == self->round || (rank && rank[next] > last))
            continue;
          self->seen[next] = self->round;
          self->stack[n++] = next;
        }
    }
}
