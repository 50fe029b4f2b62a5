/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/* Named tensors to compare with: a checkpoint of any format, NumPy's .npz, or what TensorFlow's
 * debugger dumped (tfdbg.h). */
typedef struct _SluiceReference SluiceReference;

/* NOT_FOUND, DATA_LOSS. */
SluiceReference *sluice_reference_open (const char *path, GError **error);
void sluice_reference_free (SluiceReference *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceReference, sluice_reference_free)

/* (transfer none) (element-type utf8) */
GPtrArray *sluice_reference_list (SluiceReference *self);

/* (transfer full) (nullable) */
SluiceTensor *sluice_reference_read (SluiceReference *self, const char *name, GError **error);
