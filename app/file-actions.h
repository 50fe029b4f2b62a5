/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* Adds the window's actions that choose files, and takes what is dropped on it. */
void sluice_file_actions_add (SluiceWindow *window);
/* What lies at a path is opened as what it is: a project, a graph, a SavedModel, a workspace, a
 * checkpoint; else it is said what it is. */
void sluice_file_actions_open_any (SluiceWindow *window, const char *path);
/* Asks for another file for the graph, and gives its path to win.save-graph-to. path: (nullable):
 * of the one that it has */
void sluice_file_actions_save_graph (SluiceWindow *window, const char *path, gboolean is_copy);
/* Asks for a file of devices and links, and gives its path to win.predict-machine. */
void sluice_file_actions_choose_machine (SluiceWindow *window);
