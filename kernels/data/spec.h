/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* What a node says of the elements that it takes: its attributes output_types and output_shapes. */
typedef struct
{
  guint n;
  SluiceDType *types;
  SluiceShape *shapes; /* may be partial */
} SluiceElementSpec;

/* SluiceKernel.prepare and .free_state: the spec is the kernel's state. */
gpointer sluice_element_spec_prepare (const SluiceNode *node, GError **error);
void sluice_element_spec_free (gpointer self);
SluiceElementSpec *sluice_element_spec_copy (const SluiceElementSpec *self);

/* Do types fit? what: whose they are, "the iterator". FALSE: call->error is set */
gboolean sluice_element_spec_check (const SluiceElementSpec *self,
                                    SluiceKernelCall *call,
                                    const char *what,
                                    guint n,
                                    const SluiceDType *types);

/* The tensors become outputs of the call, spec by spec, and their shapes are checked. (transfer
 * full) tensors, whose types fit. FALSE: call->error is set */
gboolean sluice_element_spec_give (const SluiceElementSpec *self,
                                   SluiceKernelCall *call,
                                   SluiceTensor *const *tensors);

/* Shape rule of the same nodes: output_shapes. */
gboolean sluice_shape_of_element (SluiceShapeContext *c, GError **error);
