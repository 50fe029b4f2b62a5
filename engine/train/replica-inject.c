/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "engine/base/error.h"
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
  int batch; /* of the batch's feeds, which it takes the place of; -1: it is a feed of its own */
} Injection;

static void
injection_clear (gpointer data)
{
  Injection *self = data;
  g_clear_pointer (&self->value, sluice_tensor_unref);
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
  GArray *injected = g_array_new (FALSE, FALSE, sizeof (Injection));
  g_array_set_clear_func (injected, injection_clear);
  for (guint i = 0; i < get_n (self); i++)
    {
      Injection one = *get (self, i);
      is_there |= one.edge == name;
      if (one.edge == name)
        continue;
      sluice_tensor_ref (one.value);
      g_array_append_val (injected, one);
    }
  Injection one = { .edge = name, .batch = -1 };
  if (self->n_batch > 0 && is_same_edge (self, name, self->project->feed_x))
    one.batch = 0;
  else if (self->n_batch > 1 && is_same_edge (self, name, self->project->feed_y))
    one.batch = 1;
  if (value != NULL)
    one.value = read_value (self, name, edge, one.batch, value, error);
  if (one.value != NULL)
    g_array_append_val (injected, one);
  else if (value != NULL || !is_there)
    {
      g_array_unref (injected);
      return value == NULL
             && sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "%s has its own value", name);
    }
  return take_over (self, injected, error);
}
