/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/queue/items.h"
#include "kernels/queue/monitor.h"

/* What staging areas have in common, those in order and those by key: limits. */
typedef struct
{
  SluiceMonitor parent;
  gint64 capacity;    /* elements; 0: no limit */
  gsize memory_limit; /* bytes; 0: no limit */
  gsize bytes;        /* that it holds, under the monitor's lock */
} SluiceStage;

/* SluiceKernel.prepare of all its kernels; free_state is g_free. */
gpointer sluice_stage_prepare (const SluiceNode *node, GError **error);

/* Of an area that a call makes. */
void sluice_stage_init (SluiceStage *self, const SluiceResourceType *type, SluiceKernelCall *call);

/* Could so many bytes ever fit? Else the call fails with RESOURCE_EXHAUSTED. */
gboolean sluice_stage_check_limit (const SluiceStage *self, SluiceKernelCall *call, gsize bytes);
/* Do they fit now? */
gboolean sluice_stage_fits (const SluiceStage *self, gsize n_elements, gsize bytes);

gsize sluice_stage_input_bytes (SluiceKernelCall *call, guint first); /* of inputs first … */
gsize sluice_stage_bytes (const SluiceElements *elements); /* NULL tensors count nothing */

/* Is the tensor of the dtype and shape that output i has? Else the call fails. */
gboolean sluice_stage_check_type (SluiceKernelCall *call, guint i, const SluiceTensor *tensor);

/* An op of a staging area, whose file has one `recipe` for all of them. */
#define SLUICE_STAGE_OP_DEF(id, op_name, op_signature, op_attrs, more_flags, op_shape, text)       \
  SLUICE_OP_DEF (id, op_name, op_signature,                                                        \
                 "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; " op_attrs                   \
                 "; container: string = ''; shared_name: string = ''",                             \
                 SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE | more_flags, op_shape,         \
                 &recipe, text)
#define SLUICE_STAGE_OP(id, op_name, op_signature, op_attrs, op_shape, text)                       \
  SLUICE_STAGE_OP_DEF (id, op_name, op_signature, op_attrs, 0, op_shape, text)
/* Its shapes are those of what other nodes put in. */
#define SLUICE_STAGE_OP_AFAR(id, op_name, op_signature, op_attrs, op_shape, text)                  \
  SLUICE_STAGE_OP_DEF (id, op_name, op_signature, op_attrs, SLUICE_OP_LOOKS_AFAR, op_shape, text)
/* A kernel of one, and what it says where it may wait. */
#define SLUICE_STAGE_KERNEL(op_name, ...)                                                          \
  {                                                                                                \
    .op = op_name, .device = "CPU", .prepare = sluice_stage_prepare, .free_state = g_free,         \
    __VA_ARGS__                                                                                    \
  }
#define SLUICE_STAGE_WAITS(function)                                                               \
  .start = function, .cancel = sluice_monitor_cancel,                                              \
  .describe_wait = sluice_monitor_describe_wait,                                                   \
  .flags = SLUICE_KERNEL_ASYNC | SLUICE_KERNEL_KEEPS_DENORMALS
