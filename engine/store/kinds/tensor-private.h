/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kind-private.h"
#include "engine/store/kinds/tensor.h"

/* What kinds made of a tensor share. */

void sluice_tensor_record_clear (SluiceRecord *record);
gsize sluice_tensor_record_get_size (const SluiceRecord *record);
/* Nested lists; a scalar is its value. Strings as text, complex numbers as [re, im]. */
void sluice_json_append_tensor (GString *json, const SluiceTensor *tensor);
/* "[2, 3]" and back; FALSE where the text is no shape of at most SLUICE_MAX_RANK known sizes. */
char *sluice_shape_dup_json (const SluiceShape *shape);
gboolean sluice_shape_parse_json (const char *text, SluiceShape *shape);
