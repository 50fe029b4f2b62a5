/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Rows as columns: what sluice_workspace_dup_table() gives of what sluice_workspace_dup_runs()
 * does. rows: aa{sv}. (transfer floating) */
GVariant *sluice_workspace_table_new (GVariant *rows);
