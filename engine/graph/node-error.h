/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/error.h"
#include "engine/graph/op.h"

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/* Errors that are a node's: they carry it (sluice_error_get_place()), and begin with "OP 'NAME': ".
 */

/**
 * sluice_node_fail:
 *
 * Sets @error and returns %FALSE, as sluice_fail() does.
 */
gboolean
sluice_node_fail (const SluiceNode *node, GError **error, SluiceError code, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

/* (transfer full) */
GError *sluice_node_error_new (const SluiceNode *node, SluiceError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/**
 * sluice_node_sign_error:
 * @error: (inout) (optional): set by whoever did not know the node, or knew a better one
 *
 * Says that the error is the node's, unless it says already whose it is. Leaves its words alone.
 *
 * Returns: %FALSE, so that it may end a function
 */
gboolean sluice_node_sign_error (const SluiceNode *node, GError **error);

SLUICE_PUBLIC_END
