/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* What arrays and lists of tensors share: many tensors made of one, and one of many. */

/**
 * sluice_call_viewable:
 *
 * Input i as a tensor whose parts may be kept as views: what somebody else could still write to, as
 * they can to a variable's memory, is copied once.
 *
 * Returns: (transfer full) (nullable): call->error is set
 */
SluiceTensor *sluice_call_viewable (SluiceKernelCall *call, guint i);

/**
 * sluice_call_piece:
 * @offset: in elements
 *
 * Returns: (transfer full) (nullable): part of a tensor; call->error is set
 */
SluiceTensor *sluice_call_piece (SluiceKernelCall *call,
                                 SluiceTensor *whole,
                                 const SluiceShape *shape,
                                 gint64 offset);

/**
 * sluice_call_unstack:
 *
 * The n rows of input i, along its first dimension.
 *
 * Returns: (transfer full) (nullable): call->error is set
 */
GPtrArray *sluice_call_unstack (SluiceKernelCall *call, guint i);

/* Output i: the elements of all pieces, of one dtype, one after the other. shape has room for
 * exactly those. */
gboolean sluice_call_join (SluiceKernelCall *call,
                           guint i,
                           SluiceTensor *const *pieces,
                           guint n,
                           const SluiceShape *shape);

/**
 * sluice_call_stack_shape:
 * @what: of messages: "TensorArray"
 *
 * The shape of n tensors stacked along a new first dimension. FALSE: their shapes differ, or do not
 * fit @element; call->error is set
 */
gboolean sluice_call_stack_shape (SluiceKernelCall *call,
                                  const char *what,
                                  SluiceTensor *const *pieces,
                                  guint n,
                                  const SluiceShape *element,
                                  SluiceShape *shape);

/**
 * sluice_call_concat_shape:
 * @rest: what all pieces must have behind their first dimension; may be partial
 *
 * The shape of n > 0 tensors joined along their first dimension.
 */
gboolean sluice_call_concat_shape (SluiceKernelCall *call,
                                   const char *what,
                                   SluiceTensor *const *pieces,
                                   guint n,
                                   const SluiceShape *rest,
                                   SluiceShape *shape);

/* A shape with one more dimension in front. FALSE: too many, call->error is set */
gboolean sluice_call_prepend (SluiceKernelCall *call,
                              gint64 size,
                              const SluiceShape *rest,
                              SluiceShape *shape);
/* And with one less, of rank 1 or more or unknown. */
SluiceShape sluice_shape_rest (const SluiceShape *shape);

/**
 * sluice_call_cut:
 * @value_input: number of the input that is cut along its first dimension
 * @lengths_input: number of the input, an int64 vector, with the lengths of the parts
 *
 * Returns: (transfer full) (nullable): the parts; call->error is set where lengths do not add up
 */
GPtrArray *sluice_call_cut (SluiceKernelCall *call, guint value_input, guint lengths_input);

/* A new tensor of zeros. (transfer full) (nullable): call->error is set */
SluiceTensor *
sluice_call_zeros (SluiceKernelCall *call, SluiceDType dtype, const SluiceShape *shape);
