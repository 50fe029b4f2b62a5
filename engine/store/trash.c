/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/trash.h"

#include <sys/stat.h>

#include "engine/base/error.h"
#include "engine/store/draft.h"
#include "engine/store/store-private.h"

#define MOST_DEPTH 8 /* of folders in a run's; links are not followed */

/* ---- what is there ---- */

static guint64
measure_folder (const char *path, guint depth)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint64 bytes = 0;
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *entry = g_build_filename (path, name, NULL);
      struct stat info;
      if (lstat (entry, &info) != 0)
        continue;
      if (S_ISDIR (info.st_mode))
        bytes += depth > 0 ? measure_folder (entry, depth - 1) : 0;
      else if (S_ISREG (info.st_mode))
        bytes += (guint64) info.st_blocks * 512; /* what becomes free */
    }
  return bytes;
}

static void
item_free (gpointer data)
{
  SluiceTrashItem *self = data;
  g_free (self->name);
  g_free (self);
}

static gint
by_age (gconstpointer a, gconstpointer b)
{
  const SluiceTrashItem *first = *(SluiceTrashItem *const *) a;
  const SluiceTrashItem *second = *(SluiceTrashItem *const *) b;
  return (first->deleted > second->deleted) - (first->deleted < second->deleted);
}

GPtrArray *
sluice_store_read_trash (SluiceStore *self, GError **error)
{
  sqlite3 *db = sluice_store_take_reader (self, error);
  g_autoptr (GPtrArray) runs = db != NULL ? sluice_store_list_runs (self, db, TRUE, error) : NULL;
  if (db != NULL)
    sluice_store_put_reader (self, db);
  if (runs == NULL)
    return NULL;
  GPtrArray *items = g_ptr_array_new_with_free_func (item_free);
  for (guint i = 0; i < runs->len; i++)
    {
      const SluiceRunInfo *info = runs->pdata[i];
      g_autofree char *folder = sluice_store_dup_run_folder (self, info->id);
      SluiceTrashItem *item = g_new (SluiceTrashItem, 1);
      *item = (SluiceTrashItem){ info->id, g_strdup (info->name), info->deleted,
                                 measure_folder (folder, MOST_DEPTH) };
      g_ptr_array_add (items, item);
    }
  g_ptr_array_sort (items, by_age);
  return items;
}

/* ---- what goes ---- */

GPtrArray *
sluice_trash_choose (GPtrArray *items, const SluiceTrashLimits *limits, double now_seconds)
{
  GPtrArray *chosen = g_ptr_array_new ();
  guint64 left = 0;
  for (guint i = 0; i < items->len; i++)
    left += ((const SluiceTrashItem *) items->pdata[i])->bytes;
  for (guint i = 0; i < items->len; i++)
    {
      const SluiceTrashItem *item = items->pdata[i];
      gboolean is_old = limits->seconds > 0 && now_seconds - item->deleted > limits->seconds;
      gboolean is_too_much = limits->bytes > 0 && left > limits->bytes;
      if (!is_old && !is_too_much)
        continue;
      g_ptr_array_add (chosen, items->pdata[i]);
      left -= item->bytes;
    }
  return chosen;
}

gboolean
sluice_store_empty_run (SluiceStore *self, gint64 run, GError **error)
{
  if (!sluice_store_lock_run (self, run, error))
    return FALSE;
  gboolean ok = sluice_store_purge_deleted_run (self, run, error);
  sluice_store_unlock_run (self, run);
  return ok;
}
