/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/state/lookup.h"
#include "kernels/string/hash.h"

/* States of buckets; zeroed memory is empty. */
enum
{
  EMPTY,
  FULL,
  REMOVED
};

#define FIRST_BUCKETS 16
#define MAX_LOAD      0.75f

/* ---- rows ---- */

static gboolean
side_init (SluiceLookupSide *side, SluiceDType dtype, const SluiceShape *shape, GError **error)
{
  *side = (SluiceLookupSide){ .dtype = dtype, .shape = *shape };
  side->n = sluice_shape_n_elements (shape);
  if (side->n < 0 || side->n > G_MAXINT32)
    {
      char text[SLUICE_SHAPE_STR];
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "keys or values of shape %s cannot be held",
                          sluice_shape_str (shape, text));
    }
  side->bytes = (gsize) side->n * sluice_dtype_size (dtype);
  return TRUE;
}

static inline char *
row_of (const SluiceLookupSide *side, gint64 bucket)
{
  return side->rows + bucket * side->bytes;
}

static inline const char *
tensor_row (const SluiceLookupSide *side, const SluiceTensor *tensor, gint64 i)
{
  return (const char *) tensor->data + i * side->bytes;
}

static void
row_copy (const SluiceLookupSide *side, char *to, const char *from)
{
  if (side->n > 0)
    sluice_elements_copy (side->dtype, to, from, side->n);
}

/* Leaves zeros, or empty strings. */
static void
row_clear (const SluiceLookupSide *side, char *row)
{
  if (side->dtype == SLUICE_STRING)
    for (gint64 i = 0; i < side->n; i++)
      g_free (((SluiceString *) row)[i].data);
  memset (row, 0, side->bytes);
}

static gboolean
row_equal (const SluiceLookupSide *side, const char *a, const char *b)
{
  if (side->dtype != SLUICE_STRING)
    return memcmp (a, b, side->bytes) == 0;
  const SluiceString *x = (const SluiceString *) a, *y = (const SluiceString *) b;
  for (gint64 i = 0; i < side->n; i++)
    if (x[i].length != y[i].length
        || (x[i].length > 0 && memcmp (x[i].data, y[i].data, x[i].length) != 0))
      return FALSE;
  return TRUE;
}

/* TensorFlow's seed of Hash64. */
#define SEED 0xDECAFCAFFE

/* A dense table's layout shows, so its hash is TensorFlow's: numbers are their own. */
static guint64
element_hash (const SluiceLookup *self, const char *row, gint64 i)
{
  const SluiceLookupSide *keys = &self->keys;
  gsize size = sluice_dtype_size (keys->dtype);
  if (keys->dtype == SLUICE_STRING)
    {
      const SluiceString *text = (const SluiceString *) row + i;
      return sluice_hash64 (text->data, text->length, SEED);
    }
  if (self->kind != SLUICE_LOOKUP_DENSE)
    return sluice_hash64 (row + i * size, size, SEED);
  if (keys->dtype == SLUICE_INT32)
    return ((const guint32 *) row)[i];
  return ((const guint64 *) row)[i];
}

static guint64
row_hash (const SluiceLookup *self, const char *row)
{
  if (self->keys.n == 1)
    return element_hash (self, row, 0);
  guint64 hash = 0;
  for (gint64 i = 0; i < self->keys.n; i++)
    hash ^= element_hash (self, row, i) + 0x9e3779b97f4a7800u + (hash << 10) + (hash >> 4);
  return hash;
}

/* ---- buckets ---- */

/* The bucket of a key, or -1; then *vacant is where it would go. */
static gint64
find_bucket (const SluiceLookup *self, const char *key, gint64 *vacant)
{
  guint64 mask = (guint64) self->n_buckets - 1, bucket = row_hash (self, key) & mask;
  *vacant = -1;
  for (gint64 probes = 1; probes <= self->n_buckets; probes++)
    {
      guint8 state = self->states[bucket];
      if (state == FULL && row_equal (&self->keys, row_of (&self->keys, (gint64) bucket), key))
        return (gint64) bucket;
      if (state != FULL && *vacant < 0)
        *vacant = (gint64) bucket;
      if (state == EMPTY)
        break;
      bucket = (bucket + (guint64) probes) & mask;
    }
  return -1;
}

static gboolean
allocate (SluiceLookup *self, gint64 n_buckets, GError **error)
{
  guint8 *states = g_try_malloc0_n ((gsize) n_buckets, 1);
  /* One byte more: a row may have none. */
  char *keys = g_try_malloc0_n ((gsize) n_buckets, MAX (self->keys.bytes, 1));
  char *values = g_try_malloc0_n ((gsize) n_buckets, MAX (self->values.bytes, 1));
  if (states == NULL || keys == NULL || values == NULL)
    {
      g_free (states);
      g_free (keys);
      g_free (values);
      return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                          "no memory for a table of %" G_GINT64_FORMAT " buckets", n_buckets);
    }
  self->states = states;
  self->keys.rows = keys;
  self->values.rows = values;
  self->n_buckets = n_buckets;
  self->n_entries = self->n_occupied = 0;
  return TRUE;
}

/* Moves all entries into other buckets. */
static gboolean
rebucket (SluiceLookup *self, gint64 n_buckets, GError **error)
{
  SluiceLookup old = *self;
  if (!allocate (self, n_buckets, error))
    return FALSE;
  for (gint64 i = 0; i < old.n_buckets; i++)
    if (old.states[i] == FULL)
      {
        gint64 to;
        find_bucket (self, row_of (&old.keys, i), &to);
        memcpy (row_of (&self->keys, to), row_of (&old.keys, i), self->keys.bytes);
        memcpy (row_of (&self->values, to), row_of (&old.values, i), self->values.bytes);
        self->states[to] = FULL;
      }
  self->n_entries = self->n_occupied = old.n_entries;
  g_free (old.states);
  g_free (old.keys.rows);
  g_free (old.values.rows);
  return TRUE;
}

/* Room for n more, as if none of them were there already. */
static gboolean
reserve (SluiceLookup *self, gint64 n, GError **error)
{
  gint64 n_buckets = self->n_buckets;
  while ((float) (self->n_entries + n) > (float) n_buckets * self->max_load)
    {
      if (n_buckets > G_MAXINT64 / 2)
        return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "the table grows too large");
      n_buckets *= 2;
    }
  /* What was removed takes buckets too; one must stay empty, so that searches end. */
  if (n_buckets == self->n_buckets && self->n_occupied + n < n_buckets)
    return TRUE;
  return rebucket (self, n_buckets, error);
}

/* ---- the table ---- */

static void
free_rows (SluiceLookup *self)
{
  sluice_lookup_clear (self);
  g_free (self->states);
  g_free (self->keys.rows);
  g_free (self->values.rows);
}

static void
lookup_finalize (SluiceResource *resource)
{
  SluiceLookup *self = (SluiceLookup *) resource;
  free_rows (self);
  g_clear_pointer (&self->empty_key, sluice_tensor_unref);
  g_clear_pointer (&self->deleted_key, sluice_tensor_unref);
  if (self->handle)
    sluice_resource_unref (&self->handle->parent);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

const SluiceResourceType sluice_lookup_type = { "Lookup table", lookup_finalize };

SluiceLookup *
sluice_lookup_new (SluiceLookupKind kind,
                   SluiceDType key_dtype,
                   const SluiceShape *key_shape,
                   SluiceDType value_dtype,
                   const SluiceShape *value_shape,
                   gint64 n_buckets,
                   GError **error)
{
  SluiceLookup *self = g_new0 (SluiceLookup, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &sluice_lookup_type;
  pthread_mutex_init (&self->lock, NULL);
  self->kind = kind;
  self->initialized = kind != SLUICE_LOOKUP_FIXED;
  self->max_load = MAX_LOAD;
  if (side_init (&self->keys, key_dtype, key_shape, error)
      && side_init (&self->values, value_dtype, value_shape, error)
      && allocate (self, n_buckets ? n_buckets : FIRST_BUCKETS, error))
    return self;
  sluice_resource_unref (&self->parent);
  return NULL;
}

void
sluice_lookup_clear (SluiceLookup *self)
{
  for (gint64 i = 0; i < self->n_buckets; i++)
    if (self->states[i] == FULL)
      {
        row_clear (&self->keys, row_of (&self->keys, i));
        row_clear (&self->values, row_of (&self->values, i));
      }
  if (self->n_buckets > 0)
    memset (self->states, EMPTY, (gsize) self->n_buckets);
  self->n_entries = self->n_occupied = 0;
}

static gboolean
is_reserved (const SluiceLookup *self, const char *key)
{
  return self->kind == SLUICE_LOOKUP_DENSE
         && (row_equal (&self->keys, key, self->empty_key->data)
             || row_equal (&self->keys, key, self->deleted_key->data));
}

static gboolean
check_key (const SluiceLookup *self, const char *key, gint64 i, GError **error)
{
  if (!is_reserved (self, key))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "key %" G_GINT64_FORMAT " is the table's empty_key or deleted_key, which "
                      "cannot be looked up or stored",
                      i);
}

static gboolean
insert_one (SluiceLookup *self, const char *key, const char *value, gboolean once, GError **error)
{
  gint64 vacant, bucket = find_bucket (self, key, &vacant);
  if (bucket >= 0 && once && !row_equal (&self->values, row_of (&self->values, bucket), value))
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "a key comes twice, with different values");
  if (bucket < 0)
    {
      bucket = vacant;
      self->n_occupied += self->states[bucket] == EMPTY;
      self->states[bucket] = FULL;
      self->n_entries++;
      row_copy (&self->keys, row_of (&self->keys, bucket), key);
    }
  row_copy (&self->values, row_of (&self->values, bucket), value);
  return TRUE;
}

gboolean
sluice_lookup_insert (SluiceLookup *self,
                      const SluiceTensor *keys,
                      const SluiceTensor *values,
                      gboolean once,
                      GError **error)
{
  gint64 n = keys->n_elements / self->keys.n;
  for (gint64 i = 0; i < n; i++)
    if (!check_key (self, tensor_row (&self->keys, keys, i), i, error))
      return FALSE;
  if (!reserve (self, n, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (!insert_one (self, tensor_row (&self->keys, keys, i), tensor_row (&self->values, values, i),
                     once, error))
      return FALSE;
  return TRUE;
}

gboolean
sluice_lookup_find (SluiceLookup *self,
                    const SluiceTensor *keys,
                    const SluiceTensor *defaults,
                    gboolean own_default,
                    SluiceTensor *out,
                    GError **error)
{
  gint64 n = keys->n_elements / self->keys.n, vacant;
  for (gint64 i = 0; i < n; i++)
    {
      const char *key = tensor_row (&self->keys, keys, i);
      if (!check_key (self, key, i, error))
        return FALSE;
      gint64 bucket = find_bucket (self, key, &vacant);
      row_copy (&self->values, (char *) out->data + i * self->values.bytes,
                bucket >= 0 ? row_of (&self->values, bucket)
                            : tensor_row (&self->values, defaults, own_default ? i : 0));
    }
  return TRUE;
}

gboolean
sluice_lookup_remove (SluiceLookup *self, const SluiceTensor *keys, GError **error)
{
  gint64 n = keys->n_elements / self->keys.n, vacant;
  for (gint64 i = 0; i < n; i++)
    {
      const char *key = tensor_row (&self->keys, keys, i);
      if (!check_key (self, key, i, error))
        return FALSE;
      gint64 bucket = find_bucket (self, key, &vacant);
      if (bucket < 0)
        continue;
      row_clear (&self->keys, row_of (&self->keys, bucket));
      row_clear (&self->values, row_of (&self->values, bucket));
      self->states[bucket] = REMOVED;
      self->n_entries--;
    }
  return TRUE;
}

gint64
sluice_lookup_n_exported (const SluiceLookup *self)
{
  return self->kind == SLUICE_LOOKUP_DENSE ? self->n_buckets : self->n_entries;
}

void
sluice_lookup_export (const SluiceLookup *self, SluiceTensor *keys, SluiceTensor *values)
{
  char *key = keys->data, *value = values->data;
  for (gint64 i = 0; i < self->n_buckets; i++)
    {
      const char *from = row_of (&self->keys, i);
      if (self->states[i] != FULL)
        {
          if (self->kind != SLUICE_LOOKUP_DENSE)
            continue;
          from = self->states[i] == EMPTY ? self->empty_key->data : self->deleted_key->data;
        }
      row_copy (&self->keys, key, from);
      row_copy (&self->values, value, row_of (&self->values, i));
      key += self->keys.bytes;
      value += self->values.bytes;
    }
}

gboolean
sluice_lookup_import (SluiceLookup *self,
                      const SluiceTensor *keys,
                      const SluiceTensor *values,
                      GError **error)
{
  gint64 n = keys->n_elements / self->keys.n;
  sluice_lookup_clear (self);
  if (self->kind != SLUICE_LOOKUP_DENSE)
    return sluice_lookup_insert (self, keys, values, FALSE, error);
  for (gint64 i = 0; i < n; i++)
    {
      const char *key = tensor_row (&self->keys, keys, i);
      if (!is_reserved (self, key)
          && (!reserve (self, 1, error)
              || !insert_one (self, key, tensor_row (&self->values, values, i), FALSE, error)))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_lookup_fill (SluiceLookup *self,
                    const SluiceTensor *keys,
                    const SluiceTensor *values,
                    GError **error)
{
  if (self->initialized && keys->n_elements != self->n_entries)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "the table was filled before, with %" G_GINT64_FORMAT
                        " entries, and cannot be filled with %" G_GINT64_FORMAT,
                        self->n_entries, keys->n_elements);
  if (self->initialized)
    return TRUE;
  self->initialized = sluice_lookup_insert (self, keys, values, TRUE, error);
  if (!self->initialized)
    sluice_lookup_clear (self);
  return self->initialized;
}
