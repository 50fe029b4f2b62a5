/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kind-private.h"
#include "engine/store/kinds/bytes.h"

/* What kinds of such records share; the kind's table has a column hash. */
void sluice_bytes_record_clear (SluiceRecord *record);
gsize sluice_bytes_record_get_size (const SluiceRecord *record);
gboolean
sluice_bytes_record_write (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error);
char *sluice_bytes_record_dup_json (const SluiceRecord *record); /* {"sha256", "bytes"} */
