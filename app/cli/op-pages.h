/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/op.h"

/* The reference page of an op, Markdown. (transfer full) */
char *sluice_op_page_dup (const SluiceOp *op);

/**
 * sluice_op_pages_write:
 * @folder: made where it is not there
 *
 * Writes a page for every registered op, OP.md, and index.md, and nothing else there.
 */
gboolean sluice_op_pages_write (const char *folder, GError **error);
