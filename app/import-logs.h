/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/import-bar.h"
#include "app/window.h"

/* What the window can do with logs of other programs, as its actions: import-logs (asks for a
 * folder), import-log-files (for files), import-path (a path: for scripts and tests),
 * cancel-import, dismiss-import, follow-logs (TRUE: what is added to imported logs is read, too).
 */
void sluice_import_logs_add (SluiceWindow *window, SluiceImportBar *bar);
/* An event file by its name, or a folder, which may hold some. */
gboolean sluice_import_logs_takes (const char *path);
/* paths: NULL-terminated */
void sluice_import_logs_start (SluiceWindow *window, const char *const *paths);
