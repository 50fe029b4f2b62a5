/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * Sluice for other programs and languages: what GObject introspection shows of it. Programs in C
 * have the engine's own headers besides (engine/graph/builder.h and its like), which show more and
 * change more.
 */
#include "api/flow.h"
#include "api/graph.h"
#include "api/scope.h"
#include "api/session.h"
#include "api/tensor.h"
#include "api/workspace.h"
#include "engine/base/dtype.h"
#include "engine/base/error.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

G_BEGIN_DECLS

/**
 * sluice_init:
 *
 * Makes ops and kernels known. The functions here call it themselves; a program that begins with
 * the engine's own headers calls it first. Once or often, from any thread.
 */
void sluice_init (void);

/**
 * sluice_get_version:
 *
 * Returns: "0.1.0"
 */
const char *sluice_get_version (void);

/**
 * sluice_set_threads:
 * @n: threads that compute, callers included; 0: one a core
 *
 * Not while a step runs. Results do not depend on it.
 */
void sluice_set_threads (guint n);

/**
 * sluice_load_plugin:
 * @path: (type filename): a shared object with ops of its own
 * @error: return location
 *
 * Makes the ops of a plugin known (engine/device/plugin.h). It is code: load what you trust. Before
 * the first graph is made.
 *
 * Returns: %FALSE with FAILED_PRECONDITION where there was a graph, or with what is wrong with the
 *   plugin
 */
gboolean sluice_load_plugin (const char *path, GError **error);

/**
 * SluiceOp:
 *
 * The definition of an op. It lives as long as the process.
 */
typedef struct _SluiceOp SluiceOp;

#define SLUICE_TYPE_OP (sluice_op_get_type ())
GType sluice_op_get_type (void) G_GNUC_CONST;
SluiceOp *sluice_op_share (SluiceOp *self);
void sluice_op_release (SluiceOp *self);

/**
 * sluice_list_ops:
 *
 * Returns: (transfer full) (array zero-terminated=1): the names of all ops, sorted
 */
char **sluice_list_ops (void);

/**
 * sluice_find_op:
 * @name: "MatMul"
 * @error: return location
 *
 * Returns: (transfer full): the op; %NULL with NOT_FOUND and the nearest name
 */
SluiceOp *sluice_find_op (const char *name, GError **error);

/**
 * sluice_op_get_name:
 * @self: an op
 *
 * Returns: "MatMul"
 */
const char *sluice_op_get_name (SluiceOp *self);

/**
 * sluice_op_get_summary:
 * @self: an op
 *
 * Returns: what it does, in the user's language
 */
const char *sluice_op_get_summary (SluiceOp *self);

/**
 * sluice_op_get_signature:
 * @self: an op
 *
 * Returns: "a: T, b: T -> product: T"
 */
const char *sluice_op_get_signature (SluiceOp *self);

/**
 * sluice_op_get_attrs:
 * @self: an op
 *
 * Returns: "transpose_a: bool = false; T: {float, double}"; "" where there are none
 */
const char *sluice_op_get_attrs (SluiceOp *self);

/**
 * sluice_op_is_stateful:
 * @self: an op
 *
 * Returns: whether a step changes or reads what outlives it
 */
gboolean sluice_op_is_stateful (SluiceOp *self);

/**
 * sluice_op_has_gradient:
 * @self: an op
 *
 * Returns: whether sluice_scope_add_gradients() passes it
 */
gboolean sluice_op_has_gradient (SluiceOp *self);

G_END_DECLS

SLUICE_PUBLIC_END
