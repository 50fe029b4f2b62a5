/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Fuzzes the import of event files: the reader of records, events, summaries and their values. The
 * first byte says whether checksums are made right, because chance does not find them, and whether
 * what came of it is written to a store.
 */
#include <string.h>

#include "engine/store/crc32c.h"
#include "engine/store/draft.h"
#include "engine/store/event-file.h"
#include "engine/store/event-reader.h"
#include "engine/store/import-private.h"
#include "tests/engine/store/sample.h"
#include "tests/fuzz/fuzz-driver.h"
#include "tests/fuzz/fuzz-folder.h"

#define SIGNED  1
#define KEPT    2 /* overlaps */
#define WRITTEN 4

static char *folder, *path;
static SluiceStore *store;

static void
tear_down (void)
{
  g_clear_object (&store);
  fuzz_folder_remove (folder);
}

void
fuzz_init (void)
{
  folder = fuzz_folder_new ();
  path = g_build_filename (folder, "events", NULL);
  store = sluice_store_open (folder, NULL);
  g_assert_nonnull (store);
  atexit (tear_down);
}

/* Puts the right checksums where records are. */
static void
sign (guint8 *bytes, gsize size)
{
  gsize at = 0;
  while (size - at >= 12)
    {
      guint64 length;
      guint32 crc = sluice_crc32c_stored (bytes + at, 8);
      memcpy (&length, bytes + at, 8);
      length = GUINT64_FROM_LE (length);
      memcpy (bytes + at + 8, &crc, 4);
      at += 12;
      if (size - at < 4 || length > size - at - 4)
        return;
      crc = sluice_crc32c_stored (bytes + at, length);
      memcpy (bytes + at + length, &crc, 4);
      at += length + 4;
    }
}

/* What is whole is read; what ends it is told. */
static void
read_all (ImportRun *run, SluiceOverlaps overlaps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceEventReader) reader = sluice_event_reader_open (path, &error);
  SluiceImportedRun counts = { 0 };
  const guint8 *data;
  gsize length;
  SluiceEventsResult result;
  g_assert_no_error (error);
  guint64 offset = 0;
  while ((result = sluice_event_reader_next (reader, &data, &length, &error)) == SLUICE_EVENTS_ONE)
    {
      g_autofree char *what = NULL;
      ImportResult taken =
          sluice_import_event (run, overlaps, data, length, &counts, &what, &error);
      g_assert_true ((taken == IMPORT_FAILED) == (error != NULL));
      g_assert_true ((taken == IMPORT_DAMAGED) == (what != NULL));
      g_assert_cmpuint (sluice_event_reader_get_offset (reader), ==, offset + length + 16);
      offset += length + 16;
      if (taken == IMPORT_FAILED)
        return;
    }
  g_assert_true ((result == SLUICE_EVENTS_FAILED) == (error != NULL));
  g_assert_true (result != SLUICE_EVENTS_DAMAGED
                 || sluice_event_reader_get_damage (reader) != NULL);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size == 0)
    return 0;
  g_autofree guint8 *bytes = g_memdup2 (data + 1, size - 1);
  if (data[0] & SIGNED)
    sign (bytes, size - 1);
  FILE *file = fopen (path, "w");
  fwrite (bytes, 1, size - 1, file);
  fclose (file);
  ImportRun *run = sluice_import_run_new (store, path);
  read_all (run, data[0] & KEPT ? SLUICE_OVERLAPS_KEEP : SLUICE_OVERLAPS_DROP);
  if (data[0] & WRITTEN)
    {
      g_autoptr (GError) error = NULL;
      sluice_import_run_commit (run, &error);
      g_assert_no_error (error);
      sluice_store_purge_run (store, run->info.id, &error);
      g_assert_no_error (error);
    }
  sluice_import_run_free (run);
  return 0;
}

static void
put_kind (GByteArray *file, const SluiceKind *kind, gint64 step, gboolean as_tensor)
{
  g_autoptr (SluiceRecord) record = sample_new (kind, step);
  g_autoptr (GByteArray) event = g_byte_array_new ();
  g_autofree char *tag = g_strdup_printf ("kind-%s", kind->name);
  GError *failed = NULL;
  const char *plugins[] = { "scalars", "histograms", "images", "audio" };
  const SluiceEventOut out = {
    event,     tag,     NULL,
    step == 0, &failed, as_tensor && kind->number < 4 ? plugins[kind->number] : NULL
  };
  sluice_event_file_begin (event, record->wall, step);
  kind->put_event (record, &out);
  sluice_event_file_put_record (file, event);
}

static GBytes *
make_seed (guint8 mode, const SluiceKind *kind, gboolean as_tensor, const char *version)
{
  GByteArray *file = g_byte_array_new ();
  g_autoptr (GByteArray) event = g_byte_array_new ();
  g_byte_array_append (file, &mode, 1);
  sluice_event_file_begin (event, SAMPLE_WALL, 0);
  sluice_wire_put_text (event, SLUICE_EVENT_FILE_VERSION, version);
  sluice_event_file_put_record (file, event);
  for (gint64 step = 0; step < 2; step++)
    put_kind (file, kind, step, as_tensor);
  sluice_event_file_begin (event, SAMPLE_WALL, 1);
  g_byte_array_append (event, (const guint8 *) "\x3a\x02\x08\x01", 4); /* a session log: START */
  sluice_event_file_put_record (file, event);
  put_kind (file, kind, 1, as_tensor);
  put_kind (file, kind, 0, as_tensor);
  return g_byte_array_free_to_bytes (file);
}

GPtrArray *
fuzz_seeds (void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  const SluiceKind *kind;
  SLUICE_EACH_KIND (kind)
  for (guint8 mode = 0; mode < 2; mode++)
    {
      g_ptr_array_add (seeds, make_seed (SIGNED | WRITTEN, kind, mode, "brain.Event:2"));
      g_ptr_array_add (seeds, make_seed (SIGNED, kind, mode, "brain.Event:1"));
      g_ptr_array_add (seeds, make_seed (KEPT, kind, mode, "brain.Event:2"));
    }
  return seeds;
}
