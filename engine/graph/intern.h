/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/* The one copy of a text that lives as long as the process: such texts compare by pointer. Names of
 * nodes, ops and attributes are interned. Unlike g_intern_string() it is made for many. */
const char *sluice_intern (const char *text);

SLUICE_PUBLIC_END
