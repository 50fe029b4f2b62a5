/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/ticks.h"

G_BEGIN_DECLS

/**
 * sluice_range_parse:
 * @text: "1 500", "2.5k", "98 %", "1e-3", "12 min", "2026-11-24 18:30", with the locale's decimal
 *   point or a full stop; empty text is NaN: where the data end
 * @value: (out): what it means on an axis of @unit
 *
 * Returns: %FALSE when it is none of these.
 */
gboolean sluice_range_parse (const char *text, SluiceUnit unit, double *value);

/** sluice_range_format: (transfer full): what sluice_range_parse() reads as @value. */
char *sluice_range_format (double value, SluiceUnit unit);

G_END_DECLS
