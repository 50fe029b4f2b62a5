/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/**
 * sluice_attr_value_from_variant:
 * @def: (nullable): what the op says of the attribute; %NULL: the kind is that of the value
 * @value: as sluice_scope_add() describes it
 * @to: (out caller-allocates): cleared with sluice_attr_value_clear()
 *
 * Returns: %FALSE with INVALID_ARGUMENT, what was wanted and what came
 */
gboolean sluice_attr_value_from_variant (const SluiceAttrDef *def,
                                         GVariant *value,
                                         SluiceAttrValue *to,
                                         GError **error);

/* (transfer floating): the value in the form that the function above takes. */
GVariant *sluice_attr_value_to_variant (const SluiceAttrValue *value);
