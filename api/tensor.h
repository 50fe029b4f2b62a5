/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/base/dtype.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

G_BEGIN_DECLS

/**
 * SluiceTensor:
 *
 * Elements of one dtype in a shape, row-major. It does not change once it is made. Counted.
 */
typedef struct _SluiceTensor SluiceTensor;

#define SLUICE_TYPE_TENSOR (sluice_tensor_get_type ())
GType sluice_tensor_get_type (void) G_GNUC_CONST;

/* What a boxed type is copied and freed with: one more reference, one less. */
SluiceTensor *sluice_tensor_share (SluiceTensor *self);
void sluice_tensor_release (SluiceTensor *self);

/**
 * sluice_tensor_new_from_bytes: (constructor)
 * @dtype: of the elements: none of string, resource and variant
 * @dims: (array length=n_dims) (nullable): sizes; none: a scalar
 * @n_dims: the rank
 * @bytes: the elements, row-major, in the machine's byte order
 * @error: return location
 *
 * A tensor over these bytes, which are kept, not copied, where they are aligned for @dtype.
 *
 * Returns: (transfer full): the tensor; %NULL with INVALID_ARGUMENT where dtype, shape and length
 *   do not fit
 */
SluiceTensor *sluice_tensor_new_from_bytes (
    SluiceDType dtype, const gint64 *dims, gsize n_dims, GBytes *bytes, GError **error);

/**
 * SluiceReleaseFunc:
 * @user_data: (closure): what the memory belongs to
 *
 * Called once, from any thread, when the last user of memory lets go of it.
 */
typedef void (*SluiceReleaseFunc) (gpointer user_data);

/**
 * sluice_tensor_new_for_memory: (constructor)
 * @dtype: of the elements: none of string, resource and variant
 * @dims: (array length=n_dims) (nullable): sizes; none: a scalar
 * @n_dims: the rank
 * @memory: (nullable): address of the elements, row-major, aligned for @dtype. They must not change
 *   before @release was called
 * @length: bytes of it
 * @release: (scope async) (closure user_data): called when nothing uses the memory any more, also
 *   where the call fails
 * @user_data: for @release
 * @error: return location
 *
 * A tensor over memory of somebody else's, for front ends that know addresses. Others take
 * sluice_tensor_new_from_bytes().
 *
 * Returns: (transfer full): the tensor; %NULL with INVALID_ARGUMENT where dtype, shape and length
 *   do not fit
 */
SluiceTensor *sluice_tensor_new_for_memory (SluiceDType dtype,
                                            const gint64 *dims,
                                            gsize n_dims,
                                            gpointer memory,
                                            gsize length,
                                            SluiceReleaseFunc release,
                                            gpointer user_data,
                                            GError **error);

/**
 * sluice_tensor_new_for_strings: (constructor)
 * @dims: (array length=n_dims) (nullable): sizes; none: a scalar
 * @n_dims: the rank
 * @strings: (array length=n_strings) (nullable): any bytes, one item an element
 * @n_strings: how many
 * @error: return location
 *
 * Returns: (transfer full): a tensor of strings; %NULL with INVALID_ARGUMENT where the shape has
 *   another number of elements
 */
SluiceTensor *sluice_tensor_new_for_strings (
    const gint64 *dims, gsize n_dims, GBytes *const *strings, gsize n_strings, GError **error);

/**
 * sluice_tensor_new_from_proto: (constructor)
 * @proto: a serialised TensorProto
 * @error: return location
 *
 * Returns: (transfer full): the tensor; %NULL with DATA_LOSS or INVALID_ARGUMENT where the bytes
 *   are none
 */
SluiceTensor *sluice_tensor_new_from_proto (GBytes *proto, GError **error);

/**
 * sluice_tensor_dup_proto:
 * @self: a tensor
 * @error: return location
 *
 * Returns: (transfer full): a serialised TensorProto, the value of an attribute of kind tensor;
 *   %NULL with RESOURCE_EXHAUSTED
 */
GBytes *sluice_tensor_dup_proto (SluiceTensor *self, GError **error);

/**
 * sluice_tensor_get_dtype:
 * @self: a tensor
 *
 * Returns: what its elements are
 */
SluiceDType sluice_tensor_get_dtype (SluiceTensor *self);

/**
 * sluice_tensor_get_shape:
 * @self: a tensor
 * @n_dims: (out): the rank
 *
 * Returns: (transfer none) (array length=n_dims): its dimensions
 */
const gint64 *sluice_tensor_get_shape (SluiceTensor *self, gsize *n_dims);

/**
 * sluice_tensor_get_n_elements:
 * @self: a tensor
 *
 * Returns: how many elements it has
 */
gint64 sluice_tensor_get_n_elements (SluiceTensor *self);

/**
 * sluice_tensor_get_memory:
 * @self: a tensor
 *
 * Returns: (transfer none) (nullable): address of the elements, to be read only, valid as long as
 *   the tensor; %NULL for strings, resources and variants
 */
gpointer sluice_tensor_get_memory (SluiceTensor *self);

/**
 * sluice_tensor_dup_bytes:
 * @self: a tensor
 * @error: return location
 *
 * Returns: (transfer full): the elements, which are not copied; %NULL with INVALID_ARGUMENT for
 *   strings, resources and variants
 */
GBytes *sluice_tensor_dup_bytes (SluiceTensor *self, GError **error);

/**
 * sluice_tensor_dup_strings:
 * @self: a tensor of strings
 * @n_strings: (out): how many
 * @error: return location
 *
 * Returns: (transfer full) (array length=n_strings): copies of the elements; %NULL with
 *   INVALID_ARGUMENT for another dtype
 */
GBytes **sluice_tensor_dup_strings (SluiceTensor *self, gsize *n_strings, GError **error);

/**
 * sluice_tensor_describe:
 * @self: a tensor
 * @max_elements: how many elements to show
 *
 * Returns: (transfer full): "float [2,3] = [[1 2 3] [4 5 6]]"
 */
char *sluice_tensor_describe (SluiceTensor *self, guint max_elements);

G_END_DECLS

SLUICE_PUBLIC_END
