/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/import-private.h"

/* Appends the runs of a table (of ImportSource). in_folder: it was found, not named: only what has
 * steps is taken. FALSE with INVALID_ARGUMENT: why it is none. */
gboolean sluice_import_find_csv (
    const char *path, const char *name, gboolean in_folder, GPtrArray *sources, GError **error);
