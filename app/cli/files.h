/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/file-access.h"
#include "engine/graph/graph.h"

/* Folders that --allow-files names; (nullable) */
extern char **sluice_cli_allowed_files;
/* --allow-commands was given. */
extern gboolean sluice_cli_allow_commands;

/* Adds them to what a project's graph may use. */
void sluice_cli_allow_files (SluiceFileAccess *files);

/* For a graph that is no project's, and so has no workspace: those alone, and of a SavedModel its
 * own folder to read, as its variables and assets are there. (transfer full) */
SluiceFileAccess *sluice_cli_new_file_access (const char *path);

/* Says on standard error, before a graph runs, which of its ops may touch files; nothing where none
 * does. */
void sluice_cli_tell_file_ops (SluiceGraph *graph);
