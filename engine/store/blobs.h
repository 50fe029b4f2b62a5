/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <sqlite3.h>

/* Table blobs: large values, each stored once, by the SHA-256 of its bytes. */

/* hash: (out) (transfer full) (nullable): in hex. */
gboolean sluice_blob_put (sqlite3 *db, GBytes *bytes, char **hash, GError **error);
/* Deletes those that no record and no graph names. */
gboolean sluice_blobs_drop_orphans (sqlite3 *db, GError **error);
/* Column i of a row, (SELECT data FROM blobs ...): NULL with DATA_LOSS where there is no such blob.
 */
GBytes *sluice_blob_dup_column (sqlite3_stmt *row, int i, GError **error);
