/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <stdatomic.h>

#include "engine/base/allocator.h"
#include "engine/base/dtype.h"
#include "engine/base/shape.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/* One element of a string tensor: any bytes. data is owned by the tensor (g_free); not
 * 0-terminated. */
typedef struct
{
  char *data;
  gsize length;
} SluiceString;

/* One element of a resource or variant tensor: a counted object. Subtypes begin with it. */
typedef struct _SluiceResource SluiceResource;
struct _SluiceResource
{
  _Atomic int ref_count;
  const struct _SluiceResourceType *type;
};
typedef struct _SluiceResourceType
{
  const char *name; /* "Variable", "Queue", "Random" … */
  void (*finalize) (SluiceResource *self);
} SluiceResourceType;

SluiceResource *sluice_resource_ref (SluiceResource *self);
void sluice_resource_unref (SluiceResource *self);

/* Memory that tensors share: a block and its count. Views hold the same buffer at other offsets. */
typedef struct
{
  _Atomic int ref_count;
  SluiceDType dtype; /* of the elements that the buffer must release: managed types only matter */
  gsize bytes;
  void *data;
  GDestroyNotify release; /* (nullable): frees foreign memory instead of the allocator */
  gpointer release_data;
  SluiceBlock *block; /* where the elements lie: with this record before them, and of a small tensor
                         with its header too; or far */
  gboolean is_far;    /* in memory that the host does not reach: data is an address of the device */
  gboolean may_leave; /* and may be elsewhere: residency.h */
} SluiceBuffer;

/*
 * A tensor: dtype, shape and elements, row-major. Immutable once published, but for the buffer of a
 * ref variable.
 *
 * Small tensors (up to SLUICE_INLINE_BYTES) keep their elements behind the header (buffer is NULL);
 * a view of such a tensor is a copy. Memory that must be shared by views (a variable's) is made
 * with sluice_tensor_new_shared(). Headers come from the allocator too: a steady step asks the
 * system for nothing.
 *
 * Of a device with memory of its own only the elements lie there. Who reads or writes elements on
 * the host has a tensor that is not far; the device copies to and from it.
 */
typedef struct _SluiceTensor SluiceTensor;
struct _SluiceTensor
{
  _Atomic int ref_count;
  gint8 dtype; /* SluiceDType */
  void *data;
  gint64 n_elements;
  SluiceBuffer *buffer; /* NULL: inline */
  SluiceShape shape;    /* fully known */
};
#define SLUICE_INLINE_BYTES 64

/**
 * sluice_tensor_new:
 * @allocator: (nullable): NULL: host memory that is no session's
 *
 * Elements are uninitialised for plain types, empty for managed ones, which are pointers and lie in
 * host memory whatever the allocator.
 *
 * Returns: (transfer full) (nullable): NULL where the memory is not to be had or the size overflows
 */
SluiceTensor *sluice_tensor_new (SluiceAllocator *allocator,
                                 SluiceDType dtype,
                                 const SluiceShape *shape,
                                 SluiceOwner owner) G_GNUC_WARN_UNUSED_RESULT;
SluiceTensor *sluice_tensor_new_shared (SluiceAllocator *allocator,
                                        SluiceDType dtype,
                                        const SluiceShape *shape,
                                        SluiceOwner owner) G_GNUC_WARN_UNUSED_RESULT;

/* The same with an error that names the bytes, the largest holders and what to change
 * (RESOURCE_EXHAUSTED): sluice_allocator_explain_shortage(). */
SluiceTensor *sluice_tensor_new_checked (SluiceAllocator *allocator,
                                         SluiceDType dtype,
                                         const SluiceShape *shape,
                                         SluiceOwner owner,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The error of a tensor of that kind which could not be had. */
void sluice_tensor_explain_shortage (SluiceAllocator *allocator,
                                     SluiceDType dtype,
                                     const SluiceShape *shape,
                                     SluiceOwner owner,
                                     GError **error);

/* What its elements are held for from now on, whoever made them; a parameter stays one. */
void sluice_tensor_set_memory_class (SluiceTensor *self, SluiceMemoryClass memory_class);

/* Wraps foreign memory, which release (release_data) frees. */
SluiceTensor *sluice_tensor_new_foreign (SluiceDType dtype,
                                         const SluiceShape *shape,
                                         void *data,
                                         GDestroyNotify release,
                                         gpointer release_data);

/* Host tensors from plain C values, mostly for builders and tests; shape NULL: a scalar. */
SluiceTensor *
sluice_tensor_new_from (SluiceDType dtype, const SluiceShape *shape, const void *elements);
SluiceTensor *sluice_tensor_new_zeros (SluiceDType dtype, const SluiceShape *shape);
SluiceTensor *sluice_tensor_new_float (float value);
SluiceTensor *sluice_tensor_new_int32 (gint32 value);
SluiceTensor *sluice_tensor_new_int64 (gint64 value);
SluiceTensor *sluice_tensor_new_bool (gboolean value);
SluiceTensor *sluice_tensor_new_string (const char *data, gssize length);
SluiceTensor *sluice_tensor_new_resource (SluiceResource *take);

/**
 * sluice_tensor_new_view:
 * @offset: in elements
 *
 * Returns: (transfer full): other dimensions over (part of) the same elements; a copy where @self
 * is inline
 */
SluiceTensor *sluice_tensor_new_view (SluiceTensor *self, const SluiceShape *shape, gint64 offset);

/* A deep copy in memory of its own; the thread must reach both. (nullable) as sluice_tensor_new().
 */
SluiceTensor *sluice_tensor_dup (SluiceTensor *self, SluiceAllocator *allocator, SluiceOwner owner);

void sluice_tensor_free_ (SluiceTensor *self); /* the slow half of unref */

/* Do its elements lie where the host does not reach them? */
static inline gboolean
sluice_tensor_is_far (const SluiceTensor *self)
{
  return self->buffer != NULL && self->buffer->is_far;
}

static inline SluiceTensor *
sluice_tensor_ref (SluiceTensor *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

/* Only the holder of the last reference sees a count of 1, so that case needs no atomic write. */
static inline void
sluice_tensor_unref (SluiceTensor *self)
{
  if (atomic_load_explicit (&self->ref_count, memory_order_acquire) == 1
      || atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) == 1)
    sluice_tensor_free_ (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTensor, sluice_tensor_unref)

/* May the holder of this reference write into the elements? */
static inline gboolean
sluice_tensor_is_exclusive (const SluiceTensor *self)
{
  return atomic_load_explicit (&self->ref_count, memory_order_acquire) == 1
         && (self->buffer == NULL
             || (self->buffer->release == NULL
                 && atomic_load_explicit (&self->buffer->ref_count, memory_order_acquire) == 1));
}

/* Of its elements only. */
static inline gsize
sluice_tensor_bytes (const SluiceTensor *self)
{
  return (gsize) self->n_elements * sluice_dtype_size ((SluiceDType) self->dtype);
}

/* Bits and shape equal, strings by content: for tests and caches. */
gboolean sluice_tensor_identical (const SluiceTensor *a, const SluiceTensor *b);

void sluice_string_set (SluiceString *self,
                        const char *data,
                        gsize length); /* copies; frees what was there */
void sluice_string_take (SluiceString *self, char *data, gsize length);

/* Copies n elements between buffers of one dtype, with strings and resources by value. */
void sluice_elements_copy (SluiceDType dtype, void *to, const void *from, gint64 n);

/* sluice_tensor_get_int() for the dtypes that indices rarely have. */
gint64 sluice_tensor_get_rare_int (const SluiceTensor *self, gint64 i);

/**
 * sluice_tensor_get_int:
 *
 * Returns: element @i of a tensor of whole numbers; one of uint64 wraps
 */
static inline gint64
sluice_tensor_get_int (const SluiceTensor *self, gint64 i)
{
  if (G_LIKELY (self->dtype == SLUICE_INT32))
    return ((const gint32 *) self->data)[i];
  if (G_LIKELY (self->dtype == SLUICE_INT64))
    return ((const gint64 *) self->data)[i];
  return sluice_tensor_get_rare_int (self, i);
}

/* "float [2,3] = [[1 2 3] [4 5 6]]", at most max_elements of them, then "…": for messages and
 * inspectors. */
char *sluice_tensor_to_string (const SluiceTensor *self, guint max_elements);

SLUICE_PUBLIC_END
