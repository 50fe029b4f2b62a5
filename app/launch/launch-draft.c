/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-draft.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/store/draft.h"
#include "engine/store/file.h"
#include "engine/store/runs.h"

#define FILE_NAME "draft.ini"

void
sluice_launch_draft_free (SluiceLaunchDraft *self)
{
  g_free (self->name);
  g_free (self->project);
  g_free (self->variety);
  g_free (self->text);
  g_free (self->before);
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

/* What its row tells of it, of nothing that is to be freed. */
static SluiceRunInfo
get_plan (const SluiceLaunchDraft *self, gint64 run)
{
  return (SluiceRunInfo){ .id = run,
                          .state = SLUICE_RUN_DRAFT,
                          .n_steps = self->n_steps,
                          .message = self->variety,
                          .parent = self->parent,
                          .parent_step = self->parent_step };
}

static gboolean
make_run (const SluiceLaunchDraft *self, SluiceStore *store, gint64 *run, GError **error)
{
  g_autoptr (SluiceRunDraft) draft = sluice_run_draft_new (store, error);
  if (draft == NULL)
    return FALSE;
  SluiceRunInfo info = get_plan (self, 0);
  info.name = g_strdup (self->name); /* which the store replaces by one that is free */
  info.project = self->project;
  info.created = (double) g_get_real_time () / G_USEC_PER_SEC;
  const SluiceRunStart start = { .write = write_file, .data = (gpointer) self };
  gboolean ok = sluice_run_draft_start (g_steal_pointer (&draft), &info, &start, error);
  if (ok)
    sluice_store_unlock_run (store, info.id);
  *run = ok ? info.id : 0;
  g_free (info.name);
  return ok;
}

/* ---- another window's ---- */

/* (transfer full) (nullable): there is no such group */
static char *
dup_group (GKeyFile *file, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  GString *text = keys != NULL ? g_string_new (NULL) : NULL;
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_value (file, group, keys[i], NULL);
      g_string_append_printf (text, "%s=%s\n", keys[i], value);
    }
  return text != NULL ? g_string_free (text, FALSE) : NULL;
}

gboolean
sluice_launch_draft_is_same (GKeyFile *a, GKeyFile *b, const char *group)
{
  g_autofree char *first = dup_group (a, group), *second = dup_group (b, group);
  return g_strcmp0 (first, second) == 0;
}

static GKeyFile *
parse (const char *text)
{
  GKeyFile *file = g_key_file_new ();
  g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, NULL);
  return file;
}

/* What is in @from becomes so in @to, even if it is nothing. */
static void
copy_group (GKeyFile *to, GKeyFile *from, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (from, group, NULL, NULL);
  g_key_file_remove_group (to, group, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_value (from, group, keys[i], NULL);
      g_key_file_set_value (to, group, keys[i], value);
    }
}

/* Of groups that @mine has as they were before, or has not, those of @theirs. (transfer full) */
static char *
merge (const char *before_text, const char *mine_text, GKeyFile *theirs)
{
  g_autoptr (GKeyFile) before = parse (before_text), mine = parse (mine_text);
  GKeyFile *const all[] = { before, theirs };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_auto (GStrv) groups = g_key_file_get_groups (all[i], NULL);
      for (guint k = 0; groups[k] != NULL; k++)
        if (sluice_launch_draft_is_same (mine, before, groups[k]))
          copy_group (mine, theirs, groups[k]);
    }
  return g_key_file_to_data (mine, NULL, NULL);
}

/* ---- keeping ---- */

/* The draft's run is locked, and there. */
static gboolean
write_over (
    const SluiceLaunchDraft *self, SluiceStore *store, gint64 *run, char **merged, GError **error)
{
  g_autofree char *path = dup_path (store, *run);
  g_autoptr (GKeyFile) there = sluice_launch_draft_load (store, *run, NULL);
  g_autofree char *text = there != NULL ? g_key_file_to_data (there, NULL, NULL) : NULL;
  if (text != NULL && self->before != NULL && strcmp (text, self->before) != 0)
    *merged = merge (self->before, self->text, there);
  if (*merged == NULL && self->is_empty)
    {
      gint64 unneeded = *run;
      *run = 0;
      return sluice_store_purge_run (store, unneeded, error);
    }
  const char *wanted = *merged != NULL ? *merged : self->text;
  const SluiceRunInfo plan = get_plan (self, *run);
  return sluice_file_put ("draft", path, wanted, strlen (wanted), error)
         && sluice_store_plan_draft (store, &plan, error);
}

gboolean
sluice_launch_draft_save (
    const SluiceLaunchDraft *self, SluiceStore *store, gint64 *run, char **merged, GError **error)
{
  g_autofree char *path = dup_path (store, *run);
  *merged = NULL;
  if (*run == 0 || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      *run = 0;
      return self->is_empty || make_run (self, store, run, error);
    }
  gint64 locked = *run;
  if (!sluice_store_lock_run (store, locked, error))
    return FALSE;
  gboolean ok = write_over (self, store, run, merged, error);
  sluice_store_unlock_run (store, locked);
  return ok;
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
