/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-draft.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/store/draft.h"
#include "engine/store/file.h"

#define FILE_NAME "draft.ini"

void
sluice_launch_draft_free (SluiceLaunchDraft *self)
{
  g_free (self->name);
  g_free (self->project);
  g_free (self->text);
  g_free (self);
}

static char *
dup_path (SluiceStore *store, gint64 run)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  return g_build_filename (folder, FILE_NAME, NULL);
}

gboolean
sluice_launch_draft_exists (SluiceStore *store, const SluiceRunInfo *run)
{
  g_autofree char *path =
      run->state == SLUICE_RUN_DRAFT && store != NULL ? dup_path (store, run->id) : NULL;
  return path != NULL && g_file_test (path, G_FILE_TEST_EXISTS);
}

static gboolean
write_file (const char *folder, const SluiceRunInfo *info, gpointer data, GError **error)
{
  const SluiceLaunchDraft *self = data;
  g_autofree char *path = g_build_filename (folder, FILE_NAME, NULL);
  return sluice_file_put ("draft", path, self->text, strlen (self->text), error);
}

static gboolean
make_run (const SluiceLaunchDraft *self, SluiceStore *store, gint64 *run, GError **error)
{
  g_autoptr (SluiceRunDraft) draft = sluice_run_draft_new (store, error);
  if (draft == NULL)
    return FALSE;
  SluiceRunInfo info = { .name = g_strdup (self->name),
                         .project = g_strdup (self->project),
                         .state = SLUICE_RUN_DRAFT,
                         .n_steps = self->n_steps,
                         .created = (double) g_get_real_time () / G_USEC_PER_SEC };
  const SluiceRunStart start = { .write = write_file, .data = (gpointer) self };
  gboolean ok = sluice_run_draft_start (g_steal_pointer (&draft), &info, &start, error);
  if (ok)
    sluice_store_unlock_run (store, info.id);
  *run = ok ? info.id : 0;
  g_free (info.name);
  g_free (info.project);
  return ok;
}

gboolean
sluice_launch_draft_save (const SluiceLaunchDraft *self,
                          SluiceStore *store,
                          gint64 *run,
                          GError **error)
{
  g_autofree char *path = dup_path (store, *run);
  return *run != 0 && g_file_test (path, G_FILE_TEST_EXISTS)
             ? sluice_file_put ("draft", path, self->text, strlen (self->text), error)
             : make_run (self, store, run, error);
}

GKeyFile *
sluice_launch_draft_load (SluiceStore *store, gint64 run, GError **error)
{
  g_autofree char *path = dup_path (store, run);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;
  if (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &local))
    return g_steal_pointer (&file);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "%s: %s", path, local->message);
  return NULL;
}

gboolean
sluice_launch_draft_discard (SluiceStore *store, gint64 run, GError **error)
{
  if (!sluice_store_lock_run (store, run, error))
    return FALSE;
  gboolean ok = sluice_store_purge_run (store, run, error);
  sluice_store_unlock_run (store, run);
  return ok;
}
