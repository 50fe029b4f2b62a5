/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/**
 * sluice_suggest_name:
 * @names: (array length=n): known names; NULL entries are skipped
 *
 * The known name that a mistyped one most likely means, for "did you mean".
 *
 * Returns: (transfer none) (nullable): NULL where none differs by a third of its letters or less
 */
const char *sluice_suggest_name (const char *name, const char *const *names, gsize n);

SLUICE_PUBLIC_END
