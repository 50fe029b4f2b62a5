/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/layout-save.h"

#include <string.h>

#include "engine/store/file.h"

typedef struct
{
  char *path, *text;
} LayoutSave;

static void
layout_save_free (gpointer data)
{
  LayoutSave *save = data;
  g_free (save->path);
  g_free (save->text);
  g_free (save);
}

static void
save_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const LayoutSave *save = data;
  GError *error = NULL;
  if (sluice_file_put ("layout", save->path, save->text, strlen (save->text), &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
sluice_layout_save (const char *path, char *text, GObject *owner, GAsyncReadyCallback done)
{
  LayoutSave *save = g_new (LayoutSave, 1);
  *save = (LayoutSave){ g_strdup (path), text };
  g_autoptr (GTask) task = g_task_new (owner, NULL, done, NULL);
  g_task_set_task_data (task, save, layout_save_free);
  g_task_run_in_thread (task, save_in_worker);
}
