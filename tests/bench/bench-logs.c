/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Event files of scalars, an event each as TensorFlow's writer makes them, which is the slowest
 * that a file can be: read alone, imported, and what the workspace then lists. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/store/event-file.h"
#include "engine/store/event-reader.h"
#include "engine/store/event-view.h"
#include "engine/store/import.h"
#include "tests/remove-tree.h"

enum
{
  N_EVENTS = 2000000,
  FEW_TAGS = 10,
  MANY_TAGS = 12345, /* TensorBoard took 1.6 minutes to open such a log */
  ROUNDS = 5,
};

static void
report (const char *bench, double value, const char *unit, double goal, const char *better)
{
  printf ("{\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",\"goal\":%g,\"better\":\"%s\"}\n", bench,
          value, unit, goal, better);
}

static void
put_scalar (GByteArray *file, GByteArray *event, guint64 i, guint n_tags)
{
  g_autoptr (GByteArray) value = g_byte_array_new ();
  g_autoptr (GByteArray) summary = g_byte_array_new ();
  char tag[40];
  g_snprintf (tag, sizeof tag, "layer%u/weights/mean", (guint) (i % n_tags));
  sluice_event_file_begin (event, 1.5e9 + (double) i * 0.01, (gint64) (i / n_tags));
  sluice_wire_put_text (value, SLUICE_VALUE_TAG, tag);
  sluice_wire_put_float (value, SLUICE_VALUE_SIMPLE, (float) i * 0.37f);
  sluice_wire_put_message (summary, 1, value);
  sluice_wire_put_message (event, SLUICE_EVENT_SUMMARY, summary);
  sluice_event_file_put_record (file, event);
}

/* (transfer full) */
static char *
write_log (const char *folder, const char *name, guint n_tags)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (GByteArray) event = g_byte_array_new ();
  char *logs = g_build_filename (folder, name, NULL);
  g_autofree char *path = g_build_filename (logs, "events.out.tfevents.1.host", NULL);
  sluice_event_file_put_version (file, 1.5e9);
  for (guint64 i = 0; i < N_EVENTS; i++)
    put_scalar (file, event, i, n_tags);
  g_mkdir (logs, 0777);
  if (!g_file_set_contents (path, (const char *) file->data, file->len, NULL))
    g_error ("'%s' cannot be written", path);
  return logs;
}

/* GB/s of the best of some rounds. */
static double
parse (const char *logs, gboolean checks)
{
  g_autofree char *path = g_build_filename (logs, "events.out.tfevents.1.host", NULL);
  double best = 0;
  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr (SluiceEventReader) reader = sluice_event_reader_open (path, NULL);
      const guint8 *data;
      gsize length;
      guint64 n = 0;
      double sum = 0;
      gint64 start = g_get_monotonic_time ();
      sluice_event_reader_set_checks (reader, checks);
      while (sluice_event_reader_next (reader, &data, &length, NULL) == SLUICE_EVENTS_ONE)
        {
          SluiceEventView event;
          SluiceValueView value;
          sluice_event_view (&event, data, length);
          const guint8 *at = event.data, *end = at + event.length;
          while (event.what == SLUICE_EVENT_SUMMARY && sluice_value_view_next (&at, end, &value))
            {
              sum += (double) value.simple + (double) value.tag_length;
              n++;
            }
        }
      double seconds = (double) (g_get_monotonic_time () - start) * 1e-6;
      if (n != N_EVENTS || sum < 0)
        g_error ("%" G_GUINT64_FORMAT " values were read", n);
      best = MAX (best, (double) sluice_event_reader_get_offset (reader) / seconds * 1e-9);
    }
  return best;
}

static gboolean
tell (const SluiceImportedRun *run, gpointer n, GError **error)
{
  *(guint64 *) n += run->n_of_kind[SLUICE_SERIES_SCALAR];
  return TRUE;
}

static double
import (SluiceStore *store, const char *logs)
{
  g_autoptr (GError) error = NULL;
  const SluiceImportOptions options = { 0 };
  g_autoptr (SluiceImporter) importer = sluice_importer_new (store, &options);
  guint64 n = 0;
  gint64 start = g_get_monotonic_time ();
  if (!sluice_importer_add (importer, logs, &error)
      || !sluice_importer_run (importer, tell, &n, &error))
    g_error ("%s", error->message);
  double seconds = (double) (g_get_monotonic_time () - start) * 1e-6;
  if (n != N_EVENTS)
    g_error ("%" G_GUINT64_FORMAT " scalars were imported", n);
  return (double) n / seconds;
}

static void
list (SluiceStore *store)
{
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, NULL);
  double best = G_MAXDOUBLE;
  for (guint round = 0; round < ROUNDS; round++)
    {
      gint64 start = g_get_monotonic_time ();
      g_autoptr (GPtrArray) series =
          sluice_store_dup_series (store, ((SluiceRunInfo *) runs->pdata[0])->id, NULL);
      best = MIN (best, (double) (g_get_monotonic_time () - start) * 1e-3);
      if (series == NULL || series->len != MANY_TAGS)
        g_error ("the series cannot be listed");
    }
  report ("logs-list-12345-tags", best, "ms", 100, "lower");
}

int
main (void)
{
  g_autofree char *folder = g_access ("/dev/shm", W_OK) == 0
                                ? g_mkdtemp (g_strdup ("/dev/shm/sluice-logs-XXXXXX"))
                                : g_dir_make_tmp ("sluice-logs-XXXXXX", NULL);
  g_autofree char *workspace = g_build_filename (folder, "workspace", NULL);
  g_autofree char *few = write_log (folder, "few", FEW_TAGS);
  double plain = parse (few, FALSE), checked = parse (few, TRUE);
  report ("logs-parse", plain, "GB/s", 1, "higher");
  report ("logs-parse-crc", checked, "GB/s", 0.75, "higher");
  report ("logs-parse-crc-share", checked / plain, "", 0.75, "higher");
  g_autoptr (SluiceStore) store = sluice_store_open (workspace, NULL);
  report ("logs-import", import (store, few), "scalars/s", 1e6, "higher");
  remove_tree (few);
  g_autofree char *many = write_log (folder, "many", MANY_TAGS);
  report ("logs-import-12345-tags", import (store, many), "scalars/s", 1e6, "higher");
  list (store);
  g_clear_object (&store);
  remove_tree (folder);
  return 0;
}
