/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/tensor.h"
#include "engine/graph/tensorproto.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"

G_DEFINE_BOXED_TYPE (SluiceTensor, sluice_tensor, sluice_tensor_share, sluice_tensor_release)

SluiceTensor *
sluice_tensor_share (SluiceTensor *self)
{
  return sluice_tensor_ref (self);
}

void
sluice_tensor_release (SluiceTensor *self)
{
  sluice_tensor_unref (self);
}

/* Bytes that elements of this shape take. Only what is plain memory has any. */
static gboolean
check_memory (SluiceDType dtype,
              const gint64 *dims,
              gsize n_dims,
              gsize length,
              SluiceShape *shape,
              GError **error)
{
  if (dtype <= SLUICE_INVALID || dtype >= SLUICE_N_DTYPES || sluice_dtype_is_managed (dtype))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "a tensor of dtype %s cannot be made of bytes", sluice_dtype_name (dtype));
  if (!sluice_shape_make (shape, dims, n_dims, error))
    return FALSE;
  gint64 n = sluice_shape_n_elements (shape);
  gsize bytes;
  char text[SLUICE_SHAPE_STR];
  if (n >= 0 && g_size_checked_mul (&bytes, (gsize) n, sluice_dtype_size (dtype))
      && bytes == length)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%" G_GSIZE_FORMAT " bytes are no tensor of dtype %s and shape %s", length,
                      sluice_dtype_name (dtype), sluice_shape_str (shape, text));
}

static gboolean
is_aligned (SluiceDType dtype, gconstpointer memory)
{
  gsize size = sluice_dtype_size (dtype);
  gsize part = sluice_dtype_is_complex (dtype) ? size / 2 : size;
  return (guintptr) memory % part == 0;
}

static SluiceTensor *
copy_of (SluiceDType dtype, const SluiceShape *shape, gconstpointer memory, GError **error)
{
  SluiceTensor *self = sluice_tensor_new_checked (NULL, dtype, shape, SLUICE_OWNER_NONE, error);
  gsize length = self != NULL ? sluice_tensor_bytes (self) : 0;
  if (length > 0)
    memcpy (self->data, memory, length);
  return self;
}

SluiceTensor *
sluice_tensor_new_from_bytes (
    SluiceDType dtype, const gint64 *dims, gsize n_dims, GBytes *bytes, GError **error)
{
  g_return_val_if_fail (bytes != NULL, NULL);
  gsize length;
  gconstpointer memory = g_bytes_get_data (bytes, &length);
  SluiceShape shape;
  if (!check_memory (dtype, dims, n_dims, length, &shape, error))
    return NULL;
  if (length <= SLUICE_INLINE_BYTES || !is_aligned (dtype, memory))
    return copy_of (dtype, &shape, memory, error);
  return sluice_tensor_new_foreign (dtype, &shape, (gpointer) memory,
                                    (GDestroyNotify) g_bytes_unref, g_bytes_ref (bytes));
}

SluiceTensor *
sluice_tensor_new_for_memory (SluiceDType dtype,
                              const gint64 *dims,
                              gsize n_dims,
                              gpointer memory,
                              gsize length,
                              SluiceReleaseFunc release,
                              gpointer user_data,
                              GError **error)
{
  g_return_val_if_fail (release != NULL, NULL);
  SluiceShape shape;
  SluiceTensor *self = NULL;
  if (check_memory (dtype, dims, n_dims, length, &shape, error))
    {
      if (length > SLUICE_INLINE_BYTES && is_aligned (dtype, memory))
        return sluice_tensor_new_foreign (dtype, &shape, memory, release, user_data);
      self = copy_of (dtype, &shape, memory, error);
    }
  release (user_data);
  return self;
}

SluiceTensor *
sluice_tensor_new_for_strings (
    const gint64 *dims, gsize n_dims, GBytes *const *strings, gsize n_strings, GError **error)
{
  SluiceShape shape;
  char text[SLUICE_SHAPE_STR];
  if (!sluice_shape_make (&shape, dims, n_dims, error))
    return NULL;
  if (sluice_shape_n_elements (&shape) != (gint64) n_strings)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%" G_GSIZE_FORMAT " strings are no tensor of shape %s", n_strings,
                   sluice_shape_str (&shape, text));
      return NULL;
    }
  SluiceTensor *self =
      sluice_tensor_new_checked (NULL, SLUICE_STRING, &shape, SLUICE_OWNER_NONE, error);
  for (gsize i = 0; self != NULL && i < n_strings; i++)
    {
      gsize length;
      gconstpointer data = g_bytes_get_data (strings[i], &length);
      sluice_string_set (&((SluiceString *) self->data)[i], data, length);
    }
  return self;
}

SluiceTensor *
sluice_tensor_new_from_proto (GBytes *proto, GError **error)
{
  g_return_val_if_fail (proto != NULL, NULL);
  gsize length;
  const guint8 *data = g_bytes_get_data (proto, &length);
  return sluice_tensor_from_proto (data, length, error);
}

GBytes *
sluice_tensor_dup_proto (SluiceTensor *self, GError **error)
{
  return sluice_tensor_to_proto (self, error);
}

SluiceDType
sluice_tensor_get_dtype (SluiceTensor *self)
{
  return (SluiceDType) self->dtype;
}

const gint64 *
sluice_tensor_get_shape (SluiceTensor *self, gsize *n_dims)
{
  *n_dims = (gsize) self->shape.rank;
  return self->shape.dim;
}

gint64
sluice_tensor_get_n_elements (SluiceTensor *self)
{
  return self->n_elements;
}

gpointer
sluice_tensor_get_memory (SluiceTensor *self)
{
  return sluice_dtype_is_managed (self->dtype) ? NULL : self->data;
}

GBytes *
sluice_tensor_dup_bytes (SluiceTensor *self, GError **error)
{
  if (!sluice_dtype_is_managed (self->dtype))
    return g_bytes_new_with_free_func (self->data, sluice_tensor_bytes (self),
                                       (GDestroyNotify) sluice_tensor_release,
                                       sluice_tensor_ref (self));
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "a tensor of dtype %s has no bytes",
               sluice_dtype_name (self->dtype));
  return NULL;
}

GBytes **
sluice_tensor_dup_strings (SluiceTensor *self, gsize *n_strings, GError **error)
{
  *n_strings = 0;
  if (self->dtype != SLUICE_STRING)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "a tensor of dtype %s has no strings",
                   sluice_dtype_name (self->dtype));
      return NULL;
    }
  const SluiceString *elements = self->data;
  GBytes **strings = g_new (GBytes *, self->n_elements + 1);
  for (gint64 i = 0; i < self->n_elements; i++)
    strings[i] = g_bytes_new (elements[i].data, elements[i].length);
  strings[self->n_elements] = NULL;
  *n_strings = (gsize) self->n_elements;
  return strings;
}

char *
sluice_tensor_describe (SluiceTensor *self, guint max_elements)
{
  return sluice_tensor_to_string (self, max_elements);
}
