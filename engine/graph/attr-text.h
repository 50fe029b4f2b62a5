/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/op.h"

/* Attributes as people write them. */

/* How long a value is that begins at @text and ends before one of @stops, or with the text: what
 * stands in quotes and brackets ends nothing. G_MAXSIZE: a quote or bracket is not closed. */
gsize sluice_attr_text_span (const char *text, const char *stops);

/**
 * sluice_attr_parse:
 * @def: (nullable): what the op says of the attribute; %NULL: the text tells its kind
 * @dtype: of a tensor; %SLUICE_INVALID: the text tells
 * @text: by kind `true`, `3`, `1e-3`, `"SAME"` (or SAME), `DT_FLOAT` or `float`, `[?,784]` or
 * `unknown`, `[1,2,2,1]`, `[[1,2],[3,4]]`, or TensorFlow's text form in braces:
 * `{ tensor { dtype: DT_FLOAT … } }`, or what would stand within those
 *
 * Returns: %FALSE with INVALID_ARGUMENT: what is wrong and how such a value is written; @value is
 * cleared by the caller otherwise
 */
gboolean sluice_attr_parse (const SluiceAttrDef *def,
                            SluiceDType dtype,
                            const char *text,
                            SluiceAttrValue *value,
                            GError **error);
