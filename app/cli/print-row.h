/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <sqlite3.h>

/* What SQL gives: a line a row with tabs under a line of names; with --json an object a row.
 * headed: a gboolean, FALSE before the first. */
gboolean sluice_cli_print_row (sqlite3_stmt *row, gpointer headed, GError **error);
