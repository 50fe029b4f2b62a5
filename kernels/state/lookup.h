/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* Lookup tables: what HashTable and its like hold. */

typedef enum
{
  SLUICE_LOOKUP_FIXED,   /* filled once, then only read */
  SLUICE_LOOKUP_MUTABLE, /* values are scalars or vectors */
  SLUICE_LOOKUP_DENSE,   /* the same with TensorFlow's layout, which exports and imports show */
} SluiceLookupKind;

/* The dtypes that tables are registered for. */
#define SLUICE_LOOKUP_KEYS                                                                         \
  (SLUICE_SET (SLUICE_INT32) | SLUICE_SET (SLUICE_INT64) | SLUICE_SET (SLUICE_STRING))
#define SLUICE_LOOKUP_VALUES (SLUICE_SET_POD | SLUICE_SET (SLUICE_STRING))

/* One side of a table: rows of elements. */
typedef struct
{
  SluiceDType dtype;
  SluiceShape shape; /* of a row */
  gint64 n;          /* elements of a row */
  gsize bytes;       /* of a row */
  char *rows;        /* a bucket's are at bucket · bytes; strings are owned */
} SluiceLookupSide;

/* Open addressing with triangular probing; the number of buckets is a power of two. */
typedef struct
{
  SluiceResource parent;
  pthread_mutex_t lock;   /* guards all below */
  SluiceVariable *handle; /* (nullable): of the ops before V2: container and name */
  SluiceLookupKind kind;
  gboolean initialized; /* FIXED: filled */
  SluiceLookupSide keys, values;
  guint8 *states;                          /* of buckets */
  gint64 n_buckets, n_entries, n_occupied; /* occupied: entries and what was removed */
  /* DENSE */
  SluiceTensor *empty_key, *deleted_key;
  float max_load;
} SluiceLookup;

extern const SluiceResourceType sluice_lookup_type;

/* n_buckets: to begin with; 0: as it likes. (transfer full) (nullable): INVALID_ARGUMENT,
 * RESOURCE_EXHAUSTED */
SluiceLookup *sluice_lookup_new (SluiceLookupKind kind,
                                 SluiceDType key_dtype,
                                 const SluiceShape *key_shape,
                                 SluiceDType value_dtype,
                                 const SluiceShape *value_shape,
                                 gint64 n_buckets,
                                 GError **error);

/* ---- the caller holds the lock; keys and values have the table's dtypes and whole rows ---- */

/**
 * sluice_lookup_insert:
 * @once: a key that is there already must have that value, else FAILED_PRECONDITION
 *
 * INVALID_ARGUMENT where a key is the empty or the deleted one of a dense table.
 */
gboolean sluice_lookup_insert (SluiceLookup *self,
                               const SluiceTensor *keys,
                               const SluiceTensor *values,
                               gboolean once,
                               GError **error);

/* The values of keys, or those of @defaults: one row, or (@own_default) a row a key. */
gboolean sluice_lookup_find (SluiceLookup *self,
                             const SluiceTensor *keys,
                             const SluiceTensor *defaults,
                             gboolean own_default,
                             SluiceTensor *out,
                             GError **error);

gboolean sluice_lookup_remove (SluiceLookup *self, const SluiceTensor *keys, GError **error);

/* Drops all entries; the table stays initialised if it was. */
void sluice_lookup_clear (SluiceLookup *self);

/* The rows that an export has: entries, or of a dense table buckets. */
gint64 sluice_lookup_n_exported (const SluiceLookup *self);
void sluice_lookup_export (const SluiceLookup *self, SluiceTensor *keys, SluiceTensor *values);

/* Takes entries in place of what is there; the empty and deleted keys of a dense table's export are
 * passed over. */
gboolean sluice_lookup_import (SluiceLookup *self,
                               const SluiceTensor *keys,
                               const SluiceTensor *values,
                               GError **error);

/**
 * sluice_lookup_fill:
 *
 * Fills a FIXED table. One that is filled stays as it is where it has as many entries as there are
 * keys, and else fails with FAILED_PRECONDITION.
 */
gboolean sluice_lookup_fill (SluiceLookup *self,
                             const SluiceTensor *keys,
                             const SluiceTensor *values,
                             GError **error);

/* The table at input 0, of a handle or of a reference to its name. (transfer full) (nullable) */
SluiceLookup *sluice_call_lookup (SluiceKernelCall *call);
