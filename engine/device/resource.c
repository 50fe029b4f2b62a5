/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/resource.h"

#include "engine/base/lock.h"

#include <string.h>

struct _SluiceResources
{
  atomic_int ref_count;
  pthread_mutex_t lock;
  GHashTable *table;       /* under lock: Entry, its own key */
  SluiceResource *own;     /* under lock (nullable) */
  SluiceFileAccess *files; /* (nullable) */
};

typedef struct
{
  SluiceResourceKey key; /* first */
  SluiceResource *resource;
  SluiceTensor *handle; /* (nullable): to the resource, made when it is first asked for */
} Entry;

/* Borrowed names; a container of NULL is the default one. */
static SluiceResourceKey
make_key (const char *container, const char *name)
{
  SluiceResourceKey key = { (char *) (container ? container : ""), (char *) name, 0 };
  key.hash = g_str_hash (key.container) * 31 + g_str_hash (name);
  return key;
}

SluiceResourceKey *
sluice_resource_key_new (const char *container, const char *name)
{
  SluiceResourceKey *self = g_new (SluiceResourceKey, 1);
  *self = make_key (container, name);
  self->container = g_strdup (self->container);
  self->name = g_strdup (self->name);
  return self;
}

void
sluice_resource_key_free (SluiceResourceKey *self)
{
  g_free (self->container);
  g_free (self->name);
  g_free (self);
}

static guint
key_hash (gconstpointer key)
{
  return ((const SluiceResourceKey *) key)->hash;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const SluiceResourceKey *x = a, *y = b;
  return g_str_equal (x->name, y->name) && g_str_equal (x->container, y->container);
}

/* (transfer full) take */
static Entry *
entry_new (const SluiceResourceKey *key, SluiceResource *take)
{
  Entry *self = g_new0 (Entry, 1);
  self->key = (SluiceResourceKey){ g_strdup (key->container), g_strdup (key->name), key->hash };
  self->resource = take;
  return self;
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;
  g_clear_pointer (&entry->handle, sluice_tensor_unref);
  sluice_resource_unref (entry->resource);
  g_free (entry->key.container);
  g_free (entry->key.name);
  g_free (entry);
}

SluiceResources *
sluice_resources_new (void)
{
  SluiceResources *self = g_new0 (SluiceResources, 1);
  atomic_init (&self->ref_count, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->table = g_hash_table_new_full (key_hash, key_equal, entry_free, NULL);
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
  g_clear_pointer (&self->files, sluice_file_access_unref);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

void
sluice_resources_set_files (SluiceResources *self, SluiceFileAccess *files)
{
  g_clear_pointer (&self->files, sluice_file_access_unref);
  self->files = files != NULL ? sluice_file_access_ref (files) : NULL;
}

const SluiceFileAccess *
sluice_resources_get_files (const SluiceResources *self)
{
  return self->files;
}

/* (transfer none) (nullable): under the lock */
static Entry *
get_locked (SluiceResources *self,
            const SluiceResourceKey *key,
            const SluiceResourceType *type,
            SluiceResourceMake make,
            gpointer data,
            GError **error)
{
  Entry *entry = g_hash_table_lookup (self->table, key);
  if (entry != NULL)
    {
      if (entry->resource->type == type)
        return entry;
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
  entry = entry_new (key, resource);
  g_hash_table_add (self->table, entry);
  return entry;
}

SluiceResource *
sluice_resources_get_by_key (SluiceResources *self,
                             const SluiceResourceKey *key,
                             const SluiceResourceType *type,
                             SluiceResourceMake make,
                             gpointer data,
                             GError **error)
{
  pthread_mutex_lock (&self->lock);
  Entry *entry = get_locked (self, key, type, make, data, error);
  SluiceResource *resource = entry != NULL ? sluice_resource_ref (entry->resource) : NULL;
  pthread_mutex_unlock (&self->lock);
  return resource;
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
  SluiceResourceKey key = make_key (container, name);
  return sluice_resources_get_by_key (self, &key, type, make, data, error);
}

SluiceTensor *
sluice_resources_get_handle (SluiceResources *self,
                             const SluiceResourceKey *key,
                             const SluiceResourceType *type,
                             SluiceResourceMake make,
                             gpointer data,
                             GError **error)
{
  SluiceTensor *handle = NULL;
  pthread_mutex_lock (&self->lock);
  Entry *entry = get_locked (self, key, type, make, data, error);
  if (entry != NULL)
    {
      if (G_UNLIKELY (entry->handle == NULL))
        entry->handle = sluice_tensor_new_resource (sluice_resource_ref (entry->resource));
      if (entry->handle != NULL)
        handle = sluice_tensor_ref (entry->handle);
      else
        sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for the handle of '%s'",
                     key->name);
    }
  pthread_mutex_unlock (&self->lock);
  return handle;
}

void
sluice_resources_reset (SluiceResources *self, const char *container)
{
  g_autoptr (GPtrArray) dropped = NULL;
  GHashTableIter iter;
  gpointer key;

  pthread_mutex_lock (&self->lock);
  if (g_hash_table_size (self->table) == 0) /* as after nearly every step */
    {
      pthread_mutex_unlock (&self->lock);
      return;
    }
  dropped = g_ptr_array_new_with_free_func (entry_free);
  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (container == NULL || g_str_equal (((Entry *) key)->key.container, container))
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
  const SluiceResourceKey *x = *(SluiceResourceKey *const *) a,
                          *y = *(SluiceResourceKey *const *) b;
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
      g_ptr_array_add (entries, entry_new (&entry->key, sluice_resource_ref (entry->resource)));
    }
  pthread_mutex_unlock (&self->lock);

  g_ptr_array_sort (entries, compare_entries);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = entries->pdata[i];
      func (entry->key.container, entry->key.name, entry->resource, data);
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
  sluice_lock (&self->lock, SLUICE_LOCK_VARIABLE);
  SluiceTensor *tensor = self->tensor ? sluice_tensor_ref (self->tensor) : NULL;
  pthread_mutex_unlock (&self->lock);
  return tensor;
}

void
sluice_variable_take_tensor (SluiceVariable *self, SluiceTensor *take)
{
  sluice_lock (&self->lock, SLUICE_LOCK_VARIABLE);
  SluiceTensor *old = self->tensor;
  self->tensor = take;
  pthread_mutex_unlock (&self->lock);
  if (old != NULL)
    sluice_tensor_unref (old);
}
