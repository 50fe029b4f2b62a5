/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

/*
 * How kernels reach and change variables. A variable comes as a reference edge or behind a resource
 * handle; the same kernels serve both.
 */

/**
 * sluice_call_variable:
 *
 * Returns: (transfer none) (nullable): the variable at input i; NULL: call->error is set
 */
SluiceVariable *sluice_call_variable (SluiceKernelCall *call, guint i);

/* Is input i a resource handle, not a reference? */
gboolean sluice_call_is_handle (SluiceKernelCall *call, guint i);

/**
 * sluice_call_writable:
 *
 * The tensor of the variable at input i, for writing in place. The caller holds the variable's
 * lock. A reference's memory is always the variable's own, so that aliases see the update; a
 * resource's is copied first where a reader still holds it.
 *
 * Returns: (transfer none) (nullable): NULL: call->error is set (uninitialised: FAILED_PRECONDITION
 * of a reference, NOT_FOUND of a resource; no memory)
 */
SluiceTensor *sluice_call_writable (SluiceKernelCall *call, guint i, SluiceVariable *variable);

/* Locks distinct variables in the order of their addresses, whatever order they are given in; up to
 * 4 of them, the same one may come twice. */
void sluice_variables_lock (SluiceVariable *const *variables, guint n);
void sluice_variables_unlock (SluiceVariable *const *variables, guint n);

/**
 * sluice_call_store:
 *
 * Copies value into the variable, which the caller has locked: into the memory it has where the
 * elements fit and, for a resource, nobody else reads it; else into new memory, never inline.
 */
gboolean sluice_call_store (SluiceKernelCall *call, SluiceVariable *variable, SluiceTensor *value);

/* For shape rules: the declared shape of the variable at input i, a reference or behind a handle;
 * unknown where nothing is known of the handle. */
SluiceShape sluice_shape_context_variable (SluiceShapeContext *c, guint i);
