/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* A temporary folder with files of a test. */
typedef struct
{
  char *path;
} Folder;

void folder_init (Folder *self);
void folder_clear (Folder *self); /* with all that is in it */
/* (transfer full): the path of a file in it. */
char *folder_dup_path (const Folder *self, const char *name);
void folder_write (const Folder *self, const char *name, const void *bytes, gssize length);
/* Writes a project.ini and the graph that it names: linear regression y = w x + b of four numbers,
 * trained by gradient descent; extra: lines of project.ini that come after, or NULL. */
void folder_write_project (const Folder *self, const char *extra);
/* x.csv and y.csv: n examples of four numbers each, and their weighted sum. */
void folder_write_examples (const Folder *self, guint n);
