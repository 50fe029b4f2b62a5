/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/diff.h"
#include "engine/graph/edge-text.h"
#include "engine/train/replica-private.h"
#include "engine/train/value-text.h"

/*
 * Values that edges have in each training step in the place of what the graph makes: they are fed,
 * behind the batch and the parameters, so that what only they needed is not computed. An edge that
 * the batch is fed to takes the value in the place of the batch's. Evaluations are as ever.
 */

typedef struct
{
  const char *edge; /* interned, as sluice_edge_to_text() writes it */
  SluiceTensor *value;
  char *text; /* as it was asked for */
  int batch;  /* of the batch's feeds, which it takes the place of; -1: it is a feed of its own */
} Injection;

static void
injection_clear (gpointer data)
{
  Injection *self = data;
  g_clear_pointer (&self->value, sluice_tensor_unref);
  g_clear_pointer (&self->text, g_free);
}

static const Injection *
get (const SluiceReplica *self, guint i)
{
  return &g_array_index (self->injected, Injection, i);
}

static guint
get_n (const SluiceReplica *self)
{
  return self->injected != NULL ? self->injected->len : 0;
}

guint
sluice_replica_get_n_own_feeds (const SluiceReplica *self)
{
  guint n = 0;
  for (guint i = 0; i < get_n (self); i++)
    n += get (self, i)->batch < 0;
  return n;
}

void
sluice_replica_name_injected (const SluiceReplica *self, GPtrArray *names)
{
  for (guint i = 0; i < get_n (self); i++)
    if (get (self, i)->batch < 0)
      g_ptr_array_add (names, (gpointer) get (self, i)->edge);
}

void
sluice_replica_put_injected (const SluiceReplica *self, SluiceTensor **own_feeds)
{
  guint n = 0;
  for (guint i = 0; i < get_n (self); i++)
    if (get (self, i)->batch < 0)
      own_feeds[n++] = sluice_tensor_ref (get (self, i)->value);
}

void
sluice_replica_replace_batch (const SluiceReplica *self, SluiceTensor **feeds)
{
  for (guint i = 0; i < get_n (self); i++)
    {
      int batch = get (self, i)->batch;
      if (batch < 0)
        continue;
      sluice_tensor_unref (feeds[batch]);
      feeds[batch] = sluice_tensor_ref (get (self, i)->value);
    }
}

/* ---- which edge, which value ---- */

/* Interned, as others write it; NULL: there is none. */
static const char *
name_edge (SluiceReplica *self, const char *text, SluiceEdge *edge, GError **error)
{
  if (!sluice_graph_parse_edge (self->graph, text, edge, error))
    return NULL;
  g_autofree char *name = sluice_edge_to_text (*edge);
  return g_intern_string (name);
}

static gboolean
is_same_edge (SluiceReplica *self, const char *name, const char *other)
{
  SluiceEdge edge;
  return other != NULL && g_strcmp0 (name, name_edge (self, other, &edge, NULL)) == 0;
}

static gboolean
check_edge (SluiceReplica *self, const char *name, SluiceEdge edge, GError **error)
{
  SluiceDType dtype = sluice_edge_dtype (edge);
  if (self->n_workers > 1)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "%s cannot be given another value: several train targets begin steps on "
                        "their own",
                        name);
  for (guint i = 0; i < self->fed->len; i++)
    if (is_same_edge (self, name, g_array_index (self->fed, SluiceOverride, i).edge))
      return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "%s is the setting %s; set that",
                          name, g_array_index (self->fed, SluiceOverride, i).name);
  if (dtype == SLUICE_INVALID || dtype == SLUICE_RESOURCE || dtype == SLUICE_VARIANT
      || sluice_dtype_is_ref (dtype))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s is %s; numbers, bools and strings can be put in its place", name,
                        sluice_dtype_name (dtype));
  return TRUE;
}

/* All that is fed now. (transfer container) */
static GPtrArray *
name_feeds (SluiceReplica *self)
{
  GPtrArray *names = g_ptr_array_new ();
  if (self->n_batch > 0)
    g_ptr_array_add (names, self->project->feed_x);
  if (self->n_batch > 1)
    g_ptr_array_add (names, self->project->feed_y);
  for (guint i = 0; i < self->fed->len; i++)
    g_ptr_array_add (names, g_array_index (self->fed, SluiceOverride, i).edge);
  sluice_replica_name_injected (self, names);
  return names;
}

/* As the batch of the last step makes it, and the variables that there are now. (transfer full)
 * (nullable) */
static SluiceTensor *
compute_now (SluiceReplica *self, const char *name, int batch, GError **error)
{
  if (self->n_batch > 0 && self->feeds[0] == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                   "no step has run yet: %s has no value to begin with; take a step first", name);
      return NULL;
    }
  if (batch >= 0)
    return sluice_tensor_ref (self->feeds[batch]);
  g_autoptr (GPtrArray) names = name_feeds (self);
  g_autofree SluiceFeed *feeds = sluice_feeds_new ((const char *const *) names->pdata, names->len);
  for (guint i = 0; i < names->len; i++)
    feeds[i].tensor = self->feeds[i];
  return sluice_replica_peek (self, name, feeds, names->len, error);
}

/* Of the edge's shape, where the graph knows it and the text asks for no more than that: nothing
 * has to run then. (transfer full) (nullable) */
static SluiceTensor *
make_stand_in (SluiceEdge edge, const char *text)
{
  const SluiceShape *shape = sluice_edge_shape (edge);
  if (!sluice_shape_is_known (shape) || g_str_equal (text, "now")
      || (*text != '\0' && strchr ("*/+", *text) != NULL))
    return NULL;
  return sluice_tensor_new_zeros (sluice_edge_dtype (edge), shape);
}

/* text: "now": the value that is there. (transfer full) (nullable) */
static SluiceTensor *
read_value (SluiceReplica *self,
            const char *name,
            SluiceEdge edge,
            int batch,
            const char *text,
            GError **error)
{
  char there[SLUICE_SHAPE_STR], given[SLUICE_SHAPE_STR];
  g_autoptr (SluiceTensor) now = make_stand_in (edge, text);
  if (now == NULL)
    now = compute_now (self, name, batch, error);
  if (now == NULL)
    return NULL;
  if (g_str_equal (text, "now"))
    return g_steal_pointer (&now);
  g_autoptr (SluiceTensor) value = sluice_value_change (now, text, error);
  if (value != NULL && !sluice_shape_equal (&value->shape, &now->shape))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%s has the shape %s in a step, and the value %s; give one of that shape, or "
                   "=NUMBER for each element",
                   name, sluice_shape_str (&now->shape, there),
                   sluice_shape_str (&value->shape, given));
      return NULL;
    }
  return g_steal_pointer (&value);
}

/* ---- */

/* (transfer full) */
static GArray *
new_list (void)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Injection));
  g_array_set_clear_func (list, injection_clear);
  return list;
}

static int
find_batch (SluiceReplica *self, const char *name)
{
  if (self->n_batch > 0 && is_same_edge (self, name, self->project->feed_x))
    return 0;
  return self->n_batch > 1 && is_same_edge (self, name, self->project->feed_y) ? 1 : -1;
}

/* Other ones than before: planned at once, so that what cannot be is told. */
static gboolean
take_over (SluiceReplica *self, GArray *take, GError **error)
{
  GArray *before = self->injected;
  self->injected = take;
  if (sluice_replica_plan_feeds (self, error))
    {
      g_clear_pointer (&before, g_array_unref);
      return TRUE;
    }
  self->injected = before;
  g_array_unref (take);
  return FALSE;
}

gboolean
sluice_replica_inject (SluiceReplica *self, const char *text, const char *value, GError **error)
{
  SluiceEdge edge;
  gboolean is_there = FALSE;
  const char *name = name_edge (self, text, &edge, error);
  if (name == NULL || !check_edge (self, name, edge, error))
    return FALSE;
  GArray *injected = new_list ();
  for (guint i = 0; i < get_n (self); i++)
    {
      Injection one = *get (self, i);
      is_there |= one.edge == name;
      if (one.edge == name)
        continue;
      sluice_tensor_ref (one.value);
      one.text = g_strdup (one.text);
      g_array_append_val (injected, one);
    }
  Injection one = { .edge = name, .batch = find_batch (self, name) };
  if (value != NULL)
    one.value = read_value (self, name, edge, one.batch, value, error);
  if (one.value != NULL)
    {
      one.text = g_strdup (value);
      g_array_append_val (injected, one);
    }
  else if (value != NULL || !is_there)
    {
      g_array_unref (injected);
      return value == NULL
             && sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "%s has its own value", name);
    }
  return take_over (self, injected, error);
}

/* ---- another graph ---- */

/* What is called otherwise in the second graph, by its name in the first. */
static GHashTable *
find_renamed (SluiceGraph *from, SluiceGraph *to)
{
  GHashTable *renamed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) differences = sluice_graph_diff (from, to);
  for (guint i = 0; i < differences->len; i++)
    {
      const SluiceNodeDiff *diff = differences->pdata[i];
      if (diff->kind == SLUICE_DIFF_RENAMED)
        g_hash_table_insert (renamed, g_strdup (diff->was->name), g_strdup (diff->is->name));
    }
  return renamed;
}

/* Under the edge's name here, where it is of that kind. FALSE: there is no such edge any more. */
static gboolean
carry (SluiceReplica *self, const Injection *from, GHashTable *renamed, GArray *injected)
{
  SluiceEdge edge;
  const char *colon = strrchr (from->edge, ':');
  g_autofree char *node =
      colon != NULL ? g_strndup (from->edge, (gsize) (colon - from->edge)) : g_strdup (from->edge);
  const char *now = g_hash_table_lookup (renamed, node);
  g_autofree char *text = g_strconcat (now != NULL ? now : node, colon, NULL);
  const char *name = name_edge (self, text, &edge, NULL);
  if (name == NULL || !check_edge (self, name, edge, NULL)
      || sluice_edge_dtype (edge) != (SluiceDType) from->value->dtype
      || !sluice_shape_compatible (sluice_edge_shape (edge), &from->value->shape))
    return FALSE;
  Injection one = { name, sluice_tensor_ref (from->value), g_strdup (from->text),
                    find_batch (self, name) };
  g_array_append_val (injected, one);
  return TRUE;
}

char **
sluice_replica_carry_injected (SluiceReplica *self, const SluiceReplica *from)
{
  g_autoptr (GPtrArray) carried = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) renamed =
      get_n (from) > 0 ? find_renamed (from->graph, self->graph) : NULL;
  GArray *injected = new_list ();
  for (guint i = 0; i < get_n (from); i++)
    if (carry (self, get (from, i), renamed, injected))
      {
        const Injection *one = &g_array_index (injected, Injection, injected->len - 1);
        g_ptr_array_add (carried, g_strdup_printf ("%s %s", one->edge, one->text));
      }
  if (injected->len == 0)
    g_array_unref (injected);
  else if (!take_over (self, injected, NULL))
    g_ptr_array_set_size (carried, 0);
  g_ptr_array_add (carried, NULL);
  return (char **) g_ptr_array_steal (carried, NULL);
}
