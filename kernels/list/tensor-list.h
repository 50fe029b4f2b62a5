/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "kernels/list/away.h"

/*
 * TensorFlow's TensorList: a value like any other, in an element of a variant tensor. What changes
 * a list makes a new one; where nobody else sees the old one, it becomes the new one.
 */
typedef struct
{
  SluiceResource parent;
  SluiceDType dtype;   /* of the elements */
  SluiceShape shape;   /* of the elements; may be partial */
  gint64 max_elements; /* of a list that things are pushed on; -1: no limit */
  gint64 n, capacity;
  SluiceTensor **tensors; /* n of them; NULL: not set yet, reads as zeros, or away */
  SluiceAway **away;      /* (nullable): as many; elements that may have left the memory */
  pthread_mutex_t lock;   /* of elements that come back while several hold the list */
} SluiceTensorList;

extern const SluiceResourceType sluice_tensor_list_type;

/* An empty list. (transfer full) */
SluiceTensorList *sluice_tensor_list_new (SluiceDType dtype, const SluiceShape *shape);
void sluice_tensor_list_unref (SluiceTensorList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceTensorList, sluice_tensor_list_unref)

/* New elements are not set. FALSE: no memory, call->error is set */
gboolean sluice_tensor_list_resize (SluiceTensorList *self, SluiceKernelCall *call, gint64 n);
/* Element i, which exists, becomes a reference to value. */
void sluice_tensor_list_set (SluiceTensorList *self, gint64 i, SluiceTensor *value);

/* The list in element k of a variant tensor, all of its elements in memory. (transfer none)
 * (nullable): call->error is set */
SluiceTensorList *
sluice_call_list (SluiceKernelCall *call, guint input, const SluiceTensor *variants, gint64 k);
/* The same, wherever the elements are: for those that do not read them. */
SluiceTensorList *sluice_call_list_as_it_is (SluiceKernelCall *call,
                                             guint input,
                                             const SluiceTensor *variants,
                                             gint64 k);

/* All elements are in memory. FALSE: call->error is set */
gboolean sluice_tensor_list_bring_back (SluiceTensorList *self, SluiceKernelCall *call);

/* One more element, which may leave the memory. FALSE: no memory, call->error is set */
gboolean
sluice_tensor_list_push (SluiceTensorList *self, SluiceKernelCall *call, SluiceTensor *value);

/**
 * sluice_call_put_list:
 * @take: output i becomes a scalar that holds it
 */
gboolean sluice_call_put_list (SluiceKernelCall *call, guint i, SluiceTensorList *take);

/**
 * sluice_call_change_list:
 *
 * Output i becomes a list with what the list at that input holds, to be changed by the caller.
 *
 * Returns: (transfer none) (nullable): call->error is set
 */
SluiceTensorList *sluice_call_change_list (SluiceKernelCall *call, guint i, guint input);

/* A shape at an input as TensorFlow's list ops take it: sizes, -1 for an unknown one; a scalar -1:
 * nothing is known. */
gboolean sluice_call_partial_shape (SluiceKernelCall *call, guint i, SluiceShape *shape);

/**
 * sluice_tensor_list_read:
 * @shape: of the elements, as far as the caller knows it
 *
 * Returns: (transfer full) (nullable): element i; zeros where it is not set. call->error is set
 */
SluiceTensor *sluice_tensor_list_read (SluiceTensorList *self,
                                       SluiceKernelCall *call,
                                       gint64 i,
                                       const SluiceShape *shape);

/* What is known of the shape of elements: of the list, of an input, of elements that are set.
 * FALSE: they contradict each other; call->error is set */
gboolean sluice_tensor_list_merge_shape (SluiceTensorList *self,
                                         SluiceKernelCall *call,
                                         const SluiceShape *wanted,
                                         gboolean of_elements,
                                         SluiceShape *shape);

gboolean
sluice_tensor_list_check_dtype (SluiceTensorList *self, SluiceKernelCall *call, SluiceDType dtype);
gboolean
sluice_tensor_list_check_index (SluiceTensorList *self, SluiceKernelCall *call, gint64 index);
/* May a tensor be an element? */
gboolean sluice_tensor_list_check_element (SluiceTensorList *self,
                                           SluiceKernelCall *call,
                                           const SluiceTensor *value);
