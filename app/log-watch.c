/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/log-watch.h"

/* What a writer does in a burst is read at once. */
#define SETTLE_MS 20
/* A network's file system may tell nothing of what others write. */
#define LOOK_SECONDS 5

struct _SluiceLogWatch
{
  SluiceLogWatchFunc func;
  gpointer data;
  GHashTable *monitors; /* folder -> GFileMonitor */
  guint settle, look;   /* sources */
};

static gboolean
settled_cb (gpointer data)
{
  SluiceLogWatch *self = data;
  self->settle = 0;
  self->func (self->data);
  return G_SOURCE_REMOVE;
}

static gboolean
look_cb (gpointer data)
{
  SluiceLogWatch *self = data;
  self->func (self->data);
  return G_SOURCE_CONTINUE;
}

static void
changed_cb (
    GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event, gpointer data)
{
  SluiceLogWatch *self = data;
  if (self->settle == 0)
    self->settle = g_timeout_add (SETTLE_MS, settled_cb, self);
}

static void
drop_monitor (gpointer monitor)
{
  g_file_monitor_cancel (monitor); /* what it has queued is not told any more */
  g_object_unref (monitor);
}

SluiceLogWatch *
sluice_log_watch_new (SluiceLogWatchFunc func, gpointer data)
{
  SluiceLogWatch *self = g_new0 (SluiceLogWatch, 1);
  self->func = func;
  self->data = data;
  self->monitors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, drop_monitor);
  self->look = g_timeout_add_seconds (LOOK_SECONDS, look_cb, self);
  return self;
}

void
sluice_log_watch_free (SluiceLogWatch *self)
{
  g_clear_handle_id (&self->settle, g_source_remove);
  g_clear_handle_id (&self->look, g_source_remove);
  g_hash_table_unref (self->monitors);
  g_free (self);
}

gboolean
sluice_log_watch_add (SluiceLogWatch *self, GPtrArray *folders)
{
  gboolean has_more = FALSE;
  for (guint i = 0; i < folders->len; i++)
    {
      const char *folder = folders->pdata[i];
      if (g_hash_table_contains (self->monitors, folder))
        continue;
      g_autoptr (GFile) file = g_file_new_for_path (folder);
      GFileMonitor *monitor =
          g_file_monitor_directory (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
      if (monitor == NULL)
        continue; /* it is looked at now and then */
      g_file_monitor_set_rate_limit (monitor, SETTLE_MS);
      g_signal_connect (monitor, "changed", G_CALLBACK (changed_cb), self);
      g_hash_table_insert (self->monitors, g_strdup (folder), monitor);
      has_more = TRUE;
    }
  return has_more;
}
