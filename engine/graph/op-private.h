/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/op.h"

/* (transfer full) (nullable): INVALID_ARGUMENT says what does not parse, and where */
SluiceOp *sluice_op_parse (const SluiceOpDef *def, GError **error);
void sluice_op_free (SluiceOp *self);
