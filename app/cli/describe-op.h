/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* Definitions in words: the verb `ops`, its JSON and the reference pages say the same. */

/* "int", "list(type)". (transfer full) */
char *sluice_describe_attr_type (const SluiceAttrDef *attr);

/* What it may be: names of dtypes or strings; NULL: anything of its type. (transfer full) */
GStrv sluice_describe_attr_allowed (const SluiceAttrDef *attr);

/* NULL: it must be given. (transfer full) */
char *sluice_describe_attr_default (const SluiceAttrDef *attr);

/* What a kernel takes of a type attribute. */
SluiceDTypeSet
sluice_describe_kernel_dtypes (const SluiceKernel *kernel, const SluiceAttrDef *attr);

/* Names of the dtypes of a set; 0: none. (transfer full) */
GStrv sluice_describe_dtypes (SluiceDTypeSet set);

/* "float", "T", "N × T", "Ref(T)". (transfer full) */
char *sluice_describe_arg_type (const SluiceArg *arg);

/* "a: T, b: T → product: T". (transfer full) */
char *sluice_describe_ports (const SluiceOp *op);

/* "yes", or what becomes of a gradient that comes to the op. (transfer none) */
const char *sluice_describe_gradient (const SluiceOpDef *def);

/* TRUE: it can be run; else it is only loaded and drawn. */
gboolean sluice_describe_is_done (const char *op);

/**
 * sluice_describe_example:
 *
 * Returns: (transfer full) (nullable): "float[2,3], float[3,4] -> float[2,4]" with what the
 * attributes were, made from a sample of the op by the shape rule; NULL where the op has no sample
 * that stands alone
 */
char *sluice_describe_example (const SluiceOp *op);
