/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/resource.h"

#include <string.h>

struct _SluiceResources
{
  atomic_int ref_count;
  pthread_mutex_t lock;
  GHashTable *table;   /* under lock: Entry, its own key */
  SluiceResource *own; /* under lock (nullable) */
};

typedef struct
{
  char *container, *name;
  SluiceResource *resource;
} Entry;

static guint
entry_hash (gconstpointer key)
{
  const Entry *entry = key;
  return g_str_hash (entry->container) * 31 + g_str_hash (entry->name);
}

static gboolean
entry_equal (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  return g_str_equal (x->name, y->name) && g_str_equal (x->container, y->container);
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;
  sluice_resource_unref (entry->resource);
  g_free (entry->container);
  g_free (entry->name);
  g_free (entry);
}

SluiceResources *
sluice_resources_new (void)
{
  SluiceResources *self = g_new0 (SluiceResources, 1);
  atomic_init (&self->ref_count, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->table = g_hash_table_new_full (entry_hash, entry_equal, entry_free, NULL);
  return self;
}

SluiceResources *
sluice_resources_ref (SluiceResources *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_resources_unref (SluiceResources *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  g_hash_table_unref (self->table);
  g_clear_pointer (&self->own, sluice_resource_unref);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static SluiceResource *
get_locked (SluiceResources *self,
            Entry *key,
            const SluiceResourceType *type,
            SluiceResourceMake make,
            gpointer data,
            GError **error)
{
  Entry *entry = g_hash_table_lookup (self->table, key);
  if (entry != NULL)
    {
      if (entry->resource->type == type)
        return sluice_resource_ref (entry->resource);
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s' is a %s already, so it cannot be a %s; give one of them another name",
                   key->name, entry->resource->type->name, type->name);
      return NULL;
    }
  if (make == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no %s '%s' in container '%s'",
                   type->name, key->name, key->container);
      return NULL;
    }
  SluiceResource *resource = make (data, error);
  if (resource == NULL)
    return NULL;
  g_assert (resource->type == type);
  entry = g_new (Entry, 1);
  *entry = (Entry){ g_strdup (key->container), g_strdup (key->name), resource };
  g_hash_table_add (self->table, entry);
  return sluice_resource_ref (resource);
}

SluiceResource *
sluice_resources_get (SluiceResources *self,
                      const char *container,
                      const char *name,
                      const SluiceResourceType *type,
                      SluiceResourceMake make,
                      gpointer data,
                      GError **error)
{
  Entry key = { (char *) (container ? container : ""), (char *) name, NULL };
  pthread_mutex_lock (&self->lock);
  SluiceResource *resource = get_locked (self, &key, type, make, data, error);
  pthread_mutex_unlock (&self->lock);
  return resource;
}

void
sluice_resources_reset (SluiceResources *self, const char *container)
{
  g_autoptr (GPtrArray) dropped = NULL;
  GHashTableIter iter;
  gpointer key;

  pthread_mutex_lock (&self->lock);
  if (g_hash_table_size (self->table) > 0)
    dropped = g_ptr_array_new_with_free_func (entry_free);
  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (container == NULL || g_str_equal (((Entry *) key)->container, container))
      {
        g_hash_table_iter_steal (&iter);
        g_ptr_array_add (dropped, key);
      }
  pthread_mutex_unlock (&self->lock); /* finalizers run outside the lock */
}

SluiceResource *
sluice_resources_get_own (SluiceResources *self, SluiceResourceMake make)
{
  pthread_mutex_lock (&self->lock);
  if (self->own == NULL)
    self->own = make (NULL, NULL);
  SluiceResource *own = sluice_resource_ref (self->own);
  pthread_mutex_unlock (&self->lock);
  return own;
}

static gint
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = *(Entry *const *) a, *y = *(Entry *const *) b;
  int order = strcmp (x->container, y->container);
  return order ? order : strcmp (x->name, y->name);
}

void
sluice_resources_foreach (
    SluiceResources *self,
    void (*func) (const char *container, const char *name, SluiceResource *resource, gpointer data),
    gpointer data)
{
  /* A copy, so that func may use the resources. */
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  GHashTableIter iter;
  gpointer key;

  pthread_mutex_lock (&self->lock);
  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      const Entry *entry = key;
      Entry *copy = g_new (Entry, 1);
      *copy = (Entry){ g_strdup (entry->container), g_strdup (entry->name),
                       sluice_resource_ref (entry->resource) };
      g_ptr_array_add (entries, copy);
    }
  pthread_mutex_unlock (&self->lock);

  g_ptr_array_sort (entries, compare_entries);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = entries->pdata[i];
      func (entry->container, entry->name, entry->resource, data);
    }
}

/* ---- variables ---- */

static void
variable_finalize (SluiceResource *resource)
{
  SluiceVariable *self = (SluiceVariable *) resource;
  g_clear_pointer (&self->tensor, sluice_tensor_unref);
  pthread_mutex_destroy (&self->lock);
  g_free (self->name);
  g_free (self);
}

const SluiceResourceType sluice_variable_type = { "Variable", variable_finalize };

SluiceVariable *
sluice_variable_new (const char *name, SluiceDType dtype, const SluiceShape *shape)
{
  SluiceVariable *self = g_new0 (SluiceVariable, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &sluice_variable_type;
  pthread_mutex_init (&self->lock, NULL);
  self->dtype = dtype;
  self->shape = *shape;
  self->name = g_strdup (name);
  return self;
}

SluiceTensor *
sluice_variable_dup_tensor (SluiceVariable *self)
{
  pthread_mutex_lock (&self->lock);
  SluiceTensor *tensor = self->tensor ? sluice_tensor_ref (self->tensor) : NULL;
  pthread_mutex_unlock (&self->lock);
  return tensor;
}

void
sluice_variable_take_tensor (SluiceVariable *self, SluiceTensor *take)
{
  pthread_mutex_lock (&self->lock);
  SluiceTensor *old = self->tensor;
  self->tensor = take;
  pthread_mutex_unlock (&self->lock);
  if (old != NULL)
    sluice_tensor_unref (old);
}
