/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Event files as they come: growing, cut off, damaged, packed, replaced. */
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/crc32c.h"
#include "engine/store/event-file.h"
#include "engine/store/event-reader.h"
#include "engine/store/event-view.h"
#include "tests/remove-tree.h"

typedef struct
{
  char *folder, *path;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("sluice-event-reader-XXXXXX", &error);
  g_assert_no_error (error);
  f->path = g_build_filename (f->folder, "events.out.tfevents.1.host", NULL);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  remove_tree (f->folder);
  g_free (f->folder);
  g_free (f->path);
}

static void
put_record (GByteArray *file, gsize length, guint8 seed)
{
  g_autoptr (GByteArray) event = g_byte_array_new ();
  for (gsize i = 0; i < length; i++)
    g_byte_array_append (event, &(guint8){ (guint8) (seed + i * 7) }, 1);
  sluice_event_file_put_record (file, event);
}

static void
write_file (Fixture *f, const GByteArray *bytes)
{
  g_autoptr (GError) error = NULL;
  g_file_set_contents (f->path, (const char *) bytes->data, (gssize) bytes->len, &error);
  g_assert_no_error (error);
}

static void
append_file (Fixture *f, const guint8 *bytes, gsize n)
{
  int fd = g_open (f->path, O_WRONLY | O_APPEND | O_CREAT, 0666);
  g_assert_cmpint (write (fd, bytes, n), ==, n);
  close (fd);
}

static SluiceEventReader *
open_reader (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  SluiceEventReader *reader = sluice_event_reader_open (f->path, &error);
  g_assert_no_error (error);
  return reader;
}

static SluiceEventsResult
next (SluiceEventReader *reader, const guint8 **data, gsize *length)
{
  g_autoptr (GError) error = NULL;
  SluiceEventsResult result = sluice_event_reader_next (reader, data, length, &error);
  g_assert_no_error (error);
  return result;
}

static void
expect_record (SluiceEventReader *reader, gsize want_length, guint8 seed)
{
  const guint8 *data;
  gsize length;
  g_assert_cmpint (next (reader, &data, &length), ==, SLUICE_EVENTS_ONE);
  g_assert_cmpuint (length, ==, want_length);
  for (gsize i = 0; i < length; i++)
    if (data[i] != (guint8) (seed + i * 7))
      g_error ("byte %zu is another one", i);
}

static void
expect (SluiceEventReader *reader, SluiceEventsResult want, guint64 offset)
{
  const guint8 *data;
  gsize length;
  g_assert_cmpint (next (reader, &data, &length), ==, want);
  g_assert_cmpuint (sluice_event_reader_get_offset (reader), ==, offset);
}

/* At each byte of a file that grows. */
static void
test_grows (Fixture *f, gconstpointer unused)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  put_record (file, 30, 1);
  gsize second = file->len;
  put_record (file, 100, 2);
  append_file (f, NULL, 0);
  g_autoptr (SluiceEventReader) reader = open_reader (f);
  for (gsize i = 0; i < file->len; i++)
    {
      gsize begin = i < second ? 0 : second;
      if (i == second)
        expect_record (reader, 30, 1);
      expect (reader, i == begin ? SLUICE_EVENTS_END : SLUICE_EVENTS_TORN, begin);
      append_file (f, file->data + i, 1);
    }
  expect_record (reader, 100, 2);
  expect (reader, SLUICE_EVENTS_END, file->len);
}

/* Records larger than the buffer, and many across its end. */
static void
test_sizes (Fixture *f, gconstpointer unused)
{
  static const gsize sizes[] = {
    0, 1, 1 << 20, 5, (3 << 20) + 17, 64, 1 << 19, 1 << 19, 1 << 19, 3
  };
  g_autoptr (GByteArray) file = g_byte_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    put_record (file, sizes[i], (guint8) i);
  for (guint i = 0; i < 30000; i++)
    put_record (file, i % 97, (guint8) i);
  write_file (f, file);
  g_autoptr (SluiceEventReader) reader = open_reader (f);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    expect_record (reader, sizes[i], (guint8) i);
  for (guint i = 0; i < 30000; i++)
    expect_record (reader, i % 97, (guint8) i);
  expect (reader, SLUICE_EVENTS_END, file->len);
  g_assert_cmpuint (sluice_event_reader_get_position (reader), ==, file->len);
}

static void
expect_damage (Fixture *f, guint64 offset, const char *words)
{
  g_autoptr (SluiceEventReader) reader = open_reader (f);
  if (offset > 0)
    expect_record (reader, 30, 1);
  for (guint i = 0; i < 2; i++) /* and again */
    {
      expect (reader, SLUICE_EVENTS_DAMAGED, offset);
      g_assert_nonnull (strstr (sluice_event_reader_get_damage (reader), words));
    }
}

static void
test_damage (Fixture *f, gconstpointer unused)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  put_record (file, 30, 1);
  gsize second = file->len;
  put_record (file, 100, 2);
  for (gsize at = second; at < file->len; at++)
    {
      file->data[at] ^= 0x40;
      write_file (f, file);
      expect_damage (f, second, at < second + 12 ? "length" : "data");
      if (at >= second + 12)
        {
          g_autoptr (SluiceEventReader) reader = open_reader (f);
          const guint8 *data;
          gsize length;
          sluice_event_reader_set_checks (reader, FALSE);
          expect_record (reader, 30, 1);
          g_assert_cmpint (next (reader, &data, &length), ==, SLUICE_EVENTS_ONE);
        }
      file->data[at] ^= 0x40;
    }
  g_byte_array_set_size (file, (guint) second);
  g_byte_array_append (file, (const guint8[64]){ 0 }, 64);
  write_file (f, file);
  expect_damage (f, second, "length");
  g_file_set_contents (f->path, "This is no event file at all.", -1, NULL);
  expect_damage (f, 0, "length");
}

/* What a length claims is asked of the file before memory is. */
static void
test_claims (Fixture *f, gconstpointer unused)
{
  static const guint64 claims[] = { 1000, G_MAXINT32, (guint64) G_MAXINT32 + 1, G_MAXUINT64 - 3 };
  for (guint i = 0; i < G_N_ELEMENTS (claims); i++)
    {
      g_autoptr (GByteArray) file = g_byte_array_new ();
      guint64 length = GUINT64_TO_LE (claims[i]);
      guint32 sum = sluice_crc32c_stored (&length, sizeof length);
      put_record (file, 30, 1);
      gsize second = file->len;
      g_byte_array_append (file, (const guint8 *) &length, sizeof length);
      g_byte_array_append (file, (const guint8 *) &sum, sizeof sum);
      g_byte_array_append (file, (const guint8 *) "some data", 9);
      write_file (f, file);
      if (claims[i] > G_MAXINT32)
        {
          expect_damage (f, second, "2 GiB");
          continue;
        }
      g_autoptr (SluiceEventReader) reader = open_reader (f);
      expect_record (reader, 30, 1);
      expect (reader, SLUICE_EVENTS_TORN, second);
    }
}

static GBytes *
pack (const GByteArray *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GZlibCompressor) zip = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6);
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) out = g_converter_output_stream_new (memory, G_CONVERTER (zip));
  g_output_stream_write_all (out, bytes->data, bytes->len, NULL, NULL, &error);
  g_output_stream_close (out, NULL, &error);
  g_assert_no_error (error);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
}

/* Two members, the second of which comes later; then what is none. */
static void
test_packed (Fixture *f, gconstpointer unused)
{
  g_autoptr (GByteArray) first = g_byte_array_new ();
  g_autoptr (GByteArray) second = g_byte_array_new ();
  put_record (first, 30, 1);
  put_record (first, 2 << 20, 2);
  put_record (second, 100, 3);
  g_autoptr (GBytes) a = pack (first);
  g_autoptr (GBytes) b = pack (second);
  gsize na, nb;
  const guint8 *pa = g_bytes_get_data (a, &na), *pb = g_bytes_get_data (b, &nb);
  append_file (f, pa, na / 2);
  g_autoptr (SluiceEventReader) reader = open_reader (f);
  expect_record (reader, 30, 1);
  expect (reader, SLUICE_EVENTS_TORN, 46);
  append_file (f, pa + na / 2, na - na / 2);
  expect_record (reader, 2 << 20, 2);
  expect (reader, SLUICE_EVENTS_END, first->len);
  guint32 mark = sluice_event_reader_get_mark (reader);
  append_file (f, pb, nb);
  expect_record (reader, 100, 3);
  append_file (f, (const guint8 *) "no member of gzip", 17);
  expect (reader, SLUICE_EVENTS_DAMAGED, first->len + second->len);
  g_assert_nonnull (strstr (sluice_event_reader_get_damage (reader), "gzip"));
  g_autoptr (SluiceEventReader) later = open_reader (f);
  g_assert_cmpint (sluice_event_reader_resume (later, first->len, mark, NULL), ==,
                   SLUICE_EVENTS_ONE);
  expect_record (later, 100, 3);
}

/* Goes on at every record, also of a file that was copied; not in another one. */
static void
test_resume (Fixture *f, gconstpointer unused)
{
  enum
  {
    N = 40
  };
  g_autoptr (GByteArray) file = g_byte_array_new ();
  guint64 offsets[N + 1] = { 0 };
  guint32 marks[N + 1];
  for (guint i = 0; i < N; i++)
    put_record (file, i * i * 80, (guint8) i);
  write_file (f, file);
  g_autoptr (SluiceEventReader) reader = open_reader (f);
  marks[0] = sluice_event_reader_get_mark (reader);
  for (guint i = 0; i < N; i++)
    {
      expect_record (reader, i * i * 80, (guint8) i);
      offsets[i + 1] = sluice_event_reader_get_offset (reader);
      marks[i + 1] = sluice_event_reader_get_mark (reader);
    }
  write_file (f, file); /* another inode */
  for (guint i = 0; i <= N; i++)
    {
      g_autoptr (SluiceEventReader) later = open_reader (f);
      g_assert_cmpint (sluice_event_reader_resume (later, offsets[i], marks[i], NULL), ==,
                       SLUICE_EVENTS_ONE);
      if (i < N)
        expect_record (later, i * i * 80, (guint8) i);
      g_autoptr (SluiceEventReader) wrong = open_reader (f);
      if (i > 0)
        g_assert_cmpint (sluice_event_reader_resume (wrong, offsets[i], marks[i] ^ 1, NULL), ==,
                         SLUICE_EVENTS_END);
    }
  g_byte_array_set_size (file, (guint) offsets[N / 2] - 1);
  write_file (f, file);
  g_autoptr (SluiceEventReader) shorter = open_reader (f);
  g_assert_cmpint (sluice_event_reader_resume (shorter, offsets[N / 2], marks[N / 2], NULL), ==,
                   SLUICE_EVENTS_END);
}

static void
test_no_file (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) missing = NULL;
  g_autoptr (GError) folder = NULL;
  g_assert_null (sluice_event_reader_open (f->path, &missing));
  g_assert_error (missing, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_null (sluice_event_reader_open (f->folder, &folder));
  g_assert_error (folder, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
}

/* ---- what an event is ---- */

static void
test_view (void)
{
  g_autoptr (GByteArray) value = g_byte_array_new ();
  g_autoptr (GByteArray) summary = g_byte_array_new ();
  g_autoptr (GByteArray) event = g_byte_array_new ();
  SluiceEventView view;
  SluiceValueView got;
  sluice_event_file_begin (event, 1.5e9, -7);
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *tag = g_strdup_printf ("tag-%u", i);
      sluice_wire_put_text (value, SLUICE_VALUE_TAG, tag);
      sluice_wire_put_float (value, SLUICE_VALUE_SIMPLE, (float) i);
      sluice_wire_put_message (summary, 1, value);
    }
  sluice_wire_put_message (event, SLUICE_EVENT_SUMMARY, summary);
  g_assert_true (sluice_event_view (&view, event->data, event->len));
  g_assert_cmpfloat (view.wall, ==, 1.5e9);
  g_assert_cmpint (view.step, ==, -7);
  g_assert_cmpuint (view.what, ==, SLUICE_EVENT_SUMMARY);
  const guint8 *at = view.data, *end = at + view.length;
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *tag = g_strdup_printf ("tag-%u", i);
      g_assert_true (sluice_value_view_next (&at, end, &got));
      g_assert_cmpmem (got.tag, got.tag_length, tag, strlen (tag));
      g_assert_cmpuint (got.what, ==, SLUICE_VALUE_SIMPLE);
      g_assert_cmpfloat (got.simple, ==, (float) i);
    }
  g_assert_false (sluice_value_view_next (&at, end, &got));
  g_assert_true (at == end);
  for (gsize n = 1; n < event->len; n++) /* cut off anywhere: no event, or one of fewer fields */
    if (sluice_event_view (&view, event->data, n))
      g_assert_cmpuint (view.what, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name, func)                                                                           \
  g_test_add ("/store/event-reader/" name, Fixture, NULL, set_up, func, tear_down)
  TEST ("grows", test_grows);
  TEST ("sizes", test_sizes);
  TEST ("damage", test_damage);
  TEST ("claims", test_claims);
  TEST ("packed", test_packed);
  TEST ("resume", test_resume);
  TEST ("no-file", test_no_file);
  g_test_add_func ("/store/event-view", test_view);
  return g_test_run ();
}
