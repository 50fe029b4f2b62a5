/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/*
 * TensorFlow's TensorArray: tensors by number, each written once, that live in one step. What a
 * loop reads and writes by iteration.
 *
 * The array of its gradients is found by a name (the `source` of the ops), takes several writes of
 * one element, and adds them up. They are added in the order of node, frame and iteration whatever
 * the order in which they came, so the bits do not depend on threads.
 *
 * The functions that take a call fail it with TensorFlow's codes.
 */
typedef struct _SluiceTensorArray SluiceTensorArray;
extern const SluiceResourceType sluice_tensor_array_type;

typedef struct
{
  const char *name;
  SluiceDType dtype;
  SluiceShape element_shape;         /* may be partial */
  gboolean identical_element_shapes; /* the first write tells the shape of all */
  gboolean dynamic_size;             /* a write beyond the end makes the array longer */
  gboolean clear_after_read;         /* an element can be read once, and its memory is free then */
} SluiceTensorArraySpec;

/* (transfer full) (nullable): call->error is set */
SluiceTensorArray *
sluice_tensor_array_new (SluiceKernelCall *call, const SluiceTensorArraySpec *spec, gint64 size);

SluiceDType sluice_tensor_array_get_dtype (const SluiceTensorArray *self);
gboolean sluice_tensor_array_get_size (SluiceTensorArray *self, SluiceKernelCall *call, gint64 *n);
/* How many elements Pack and Concat take: of a gradient, as many as were scattered or split. */
gint64 sluice_tensor_array_get_packed_size (SluiceTensorArray *self);

/* Makes the shape of elements more specific; *merged is what is known then. */
gboolean sluice_tensor_array_merge_shape (SluiceTensorArray *self,
                                          SluiceKernelCall *call,
                                          const SluiceShape *shape,
                                          SluiceShape *merged);

gboolean sluice_tensor_array_write (SluiceTensorArray *self,
                                    SluiceKernelCall *call,
                                    gint64 index,
                                    SluiceTensor *value);
/**
 * sluice_tensor_array_prepare_many:
 * @n: writes to elements below this will follow
 * @exact: there must be no more elements than these
 *
 * Before elements are scattered, or a tensor is split over all of them.
 */
gboolean sluice_tensor_array_prepare_many (SluiceTensorArray *self,
                                           SluiceKernelCall *call,
                                           gint64 n,
                                           gboolean exact);

/* (transfer full) (nullable): call->error is set */
SluiceTensor *
sluice_tensor_array_read (SluiceTensorArray *self, SluiceKernelCall *call, gint64 index);

/**
 * sluice_tensor_array_get_gradient:
 * @source: which of its gradients
 * @prepend: (nullable): dimensions in front of those of the elements
 *
 * Returns: (transfer full) (nullable): call->error is set
 */
SluiceTensorArray *sluice_tensor_array_get_gradient (SluiceTensorArray *self,
                                                     SluiceKernelCall *call,
                                                     const char *source,
                                                     const SluiceShape *prepend);

/* Drops all elements; later uses fail. */
void sluice_tensor_array_close (SluiceTensorArray *self);
