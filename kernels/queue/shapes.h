/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/shape-context.h"

/* Shape rule of ops that make what is handed on by handle: a resource, or two strings. */
gboolean sluice_queue_handle_shape (SluiceShapeContext *c, GError **error);

/**
 * sluice_queue_element_shapes:
 * @first: outputs from there on are components
 * @front: (array length=n_front): dimensions of their own before those of an element
 *
 * What the node that input 0 comes from says of its elements; nothing where the handle comes from
 * elsewhere. FALSE: a rank over the limit
 */
gboolean sluice_queue_element_shapes (
    SluiceShapeContext *c, guint first, const gint64 *front, guint n_front, GError **error);
