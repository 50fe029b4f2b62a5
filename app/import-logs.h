/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/import-bar.h"
#include "app/window.h"

/* What the window can do with logs of other programs, as its actions: import-logs (asks for a
 * folder), import-log-files (for files), import-path (a path: for scripts and tests),
 * cancel-import, dismiss-import. What is dropped onto the window is imported too, or opened where
 * it is a project or a graph. */
void sluice_import_logs_add (SluiceWindow *window, SluiceImportBar *bar);
