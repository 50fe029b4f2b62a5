/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/checkpoint-folder.h"

#include <glib/gstdio.h>
#include <string.h>

#define CHECKPOINTS "checkpoints"
#define PREFIX      "step-"
#define SUFFIX      ".safetensors"

static gint
by_step (gconstpointer a, gconstpointer b)
{
  gint64 x = (*(SluiceCheckpointInfo *const *) a)->step;
  gint64 y = (*(SluiceCheckpointInfo *const *) b)->step;
  return (x > y) - (x < y);
}

/* Of "step-0000000020.safetensors"; -1: it is another file, if only by its zeros. */
static gint64
step_of_name (const char *name)
{
  gint64 step;
  g_autofree char *digits =
      g_str_has_prefix (name, PREFIX) ? g_strdup (name + strlen (PREFIX)) : NULL;
  if (digits == NULL || !g_str_has_suffix (digits, SUFFIX))
    return -1;
  digits[strlen (digits) - strlen (SUFFIX)] = '\0';
  if (!g_ascii_string_to_signed (digits, 10, 0, G_MAXINT64, &step, NULL))
    return -1;
  g_autofree char *own = sluice_checkpoint_folder_dup_name (step);
  return strcmp (name, own + strlen (CHECKPOINTS "/")) == 0 ? step : -1;
}

char *
sluice_checkpoint_folder_dup_name (gint64 step)
{
  return g_strdup_printf (CHECKPOINTS "/" PREFIX "%010" G_GINT64_FORMAT SUFFIX, step);
}

GPtrArray *
sluice_checkpoint_folder_list (const char *folder)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_checkpoint_info_free);
  g_autofree char *path = g_build_filename (folder, CHECKPOINTS, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      gint64 step = step_of_name (name);
      GStatBuf info;
      g_autofree char *file = g_build_filename (path, name, NULL);
      if (step < 0 || g_stat (file, &info) != 0)
        continue;
      SluiceCheckpointInfo *checkpoint = g_new0 (SluiceCheckpointInfo, 1);
      checkpoint->step = step;
      checkpoint->bytes = (gsize) info.st_size;
      checkpoint->path = g_build_filename (CHECKPOINTS, name, NULL);
      g_ptr_array_add (found, checkpoint);
    }
  g_ptr_array_sort (found, by_step);
  return found;
}

gboolean
sluice_checkpoint_folder_forget (GPtrArray *checkpoints,
                                 SluiceRunLog *log,
                                 gint64 step,
                                 GError **error)
{
  if (!sluice_run_log_truncate (log, step, error))
    return FALSE;
  for (guint i = 0; i < checkpoints->len; i++)
    {
      const SluiceCheckpointInfo *checkpoint = checkpoints->pdata[i];
      if (checkpoint->step > step)
        g_unlink (checkpoint->path);
    }
  return TRUE;
}
