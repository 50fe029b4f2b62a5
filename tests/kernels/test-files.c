/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Readers where TensorFlow's cases say nothing: compressed and damaged files, odd ends of lines,
   state that is saved, several reads that wait. */
#include <glib/gstdio.h>
#include <string.h>
#include <zlib.h>

#include "engine/store/crc32c.h"
#include "tests/kernels/handles.h"

static const HandleNode nodes[] = {
  { "q",
    { "FIFOQueue", "FIFOQueueV2" },
    "attr { key: 'component_types' value { list { type: DT_STRING } } }"
    "attr { key: 'shapes' value { list { shape { } } } }" },
  { "p", { "Placeholder" }, "attr { key: 'dtype' value { type: DT_STRING } }" },
  { "in",
    { "QueueEnqueue", "QueueEnqueueV2" },
    "input: 'q' input: 'p' attr { key: 'Tcomponents' value { list { type: DT_STRING } } }" },
  { "size", { "QueueSize", "QueueSizeV2" }, "input: 'q'" },
  { "fails", { "ReadFile" }, "input: 'p'" },
  { "text", { "TextLineReader", "TextLineReaderV2" }, "" },
  { "fixed",
    { "FixedLengthRecordReader", "FixedLengthRecordReaderV2" },
    "attr { key: 'record_bytes' value { i: 4 } } attr { key: 'hop_bytes' value { i: 3 } }"
    "attr { key: 'header_bytes' value { i: 1 } } attr { key: 'footer_bytes' value { i: 2 } }" },
  { "plain", { "TFRecordReader", "TFRecordReaderV2" }, "" },
  { "zlib",
    { "TFRecordReader", "TFRecordReaderV2" },
    "attr { key: 'compression_type' value { s: 'ZLIB' } }" },
  { "gzip",
    { "TFRecordReader", "TFRecordReaderV2" },
    "attr { key: 'compression_type' value { s: 'GZIP' } }" },
  { "bzip",
    { "TFRecordReader", "TFRecordReaderV2" },
    "attr { key: 'compression_type' value { s: 'BZIP' } }" },
  { "whole", { "WholeFileReader", "WholeFileReaderV2" }, "" },
  { "identity", { "IdentityReader", "IdentityReaderV2" }, "" },
  { "three",
    { "Const" },
    "attr { key: 'dtype' value { type: DT_INT64 } }"
    "attr { key: 'value' value { tensor { dtype: DT_INT64 int64_val: 3 tensor_shape { } } } }" },
};

/* What is made of every reader, under its name. */
static const HandleNode uses[] = {
  { "read", { "ReaderRead", "ReaderReadV2" }, "input: 'q'" },
  { "read_up_to", { "ReaderReadUpTo", "ReaderReadUpToV2" }, "input: 'q' input: 'three'" },
  { "n_records", { "ReaderNumRecordsProduced", "ReaderNumRecordsProducedV2" }, "" },
  { "n_files", { "ReaderNumWorkUnitsCompleted", "ReaderNumWorkUnitsCompletedV2" }, "" },
  { "reset", { "ReaderReset", "ReaderResetV2" }, "" },
  { "save", { "ReaderSerializeState", "ReaderSerializeStateV2" }, "" },
  { "restore", { "ReaderRestoreState", "ReaderRestoreStateV2" }, "input: 'p'" },
};

typedef struct
{
  Harness h;
  char *folder, *path;
} Fixture;

static void
set_up (Fixture *f, gconstpointer v2)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (HandleNode));
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_array_append_vals (all, nodes, G_N_ELEMENTS (nodes));
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    for (guint k = 0; strstr (nodes[i].op[0], "Reader") != NULL && k < G_N_ELEMENTS (uses); k++)
      {
        HandleNode node = uses[k];
        g_ptr_array_add (texts, g_strdup_printf ("%s_%s", nodes[i].name, uses[k].name));
        node.name = texts->pdata[texts->len - 1];
        g_ptr_array_add (texts, g_strdup_printf ("input: '%s' %s", nodes[i].name, uses[k].rest));
        node.rest = texts->pdata[texts->len - 1];
        g_array_append_val (all, node);
      }
  handles_init (&f->h, (HandleNode *) all->data, all->len, v2 != NULL);
  f->folder = g_dir_make_tmp ("sluice-files-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "f", NULL);
}

static void
tear_down (Fixture *f, gconstpointer v2)
{
  g_remove (f->path);
  g_rmdir (f->folder);
  g_free (f->path);
  g_free (f->folder);
  harness_clear (&f->h);
}

static void
write_file (Fixture *f, const void *bytes, gsize length)
{
  g_assert_true (g_file_set_contents (f->path, bytes, length, NULL));
}

static SluiceTensor *
run_fed (Fixture *f, const char *fetch, const char *target, const char *fed, GError **error)
{
  g_autoptr (SluiceTensor) text = sluice_tensor_new_string (fed, strlen (fed));
  SluiceFeed feed = { "p", text };
  return harness_run (&f->h, fetch, target, &feed, 1, error);
}

static void
put_file (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  run_fed (f, NULL, "in", f->path, &error);
  g_assert_no_error (error);
}

static gint64
fetch_int (Fixture *f, const char *edge)
{
  g_autoptr (SluiceTensor) tensor = harness_fetch (&f->h, edge);
  return sluice_tensor_get_int (tensor, 0);
}

/* The values of an edge, '|' between. */
static void
check_text (Fixture *f, const char *edge, const char *want)
{
  g_autoptr (SluiceTensor) tensor = harness_fetch (&f->h, edge);
  g_autoptr (GString) text = g_string_new (NULL);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      const SluiceString *s = (const SluiceString *) tensor->data + i;
      g_string_append (text, i > 0 ? "|" : "");
      g_string_append_len (text, s->data, s->length);
    }
  g_assert_cmpstr (text->str, ==, want);
}

static void
test_text (Fixture *f, gconstpointer v2)
{
  write_file (f, "a\rb\n\r\nc\r\r\nend\r", 14);
  put_file (f);
  check_text (f, "text_read:1", "a\rb");
  check_text (f, "text_read:1", "");
  check_text (f, "text_read_up_to:1", "c\r|end");
  g_assert_cmpint (fetch_int (f, "text_n_records:0"), ==, 4);
  g_assert_cmpint (fetch_int (f, "text_n_files:0"), ==, 1);
  harness_target (&f->h, "text_reset");
  g_assert_cmpint (fetch_int (f, "text_n_files:0"), ==, 0);
  harness_fails (&f->h, "text_save:0", NULL, SLUICE_ERROR_UNIMPLEMENTED);
}

/* Records overlap where the hop is shorter than they are; the footer belongs to none. */
static void
test_fixed (Fixture *f, gconstpointer v2)
{
  write_file (f, "Habcdefghijkl", 13);
  put_file (f);
  check_text (f, "fixed_read_up_to:1", "abcd|defg|ghij");
  g_assert_cmpint (fetch_int (f, "size:0"), ==, 0);
  put_file (f);
  check_text (f, "fixed_read:1", "abcd");
}

/* ---- TFRecord ---- */

static void
add_record (GByteArray *out, const char *text)
{
  guint64 length = GUINT64_TO_LE ((guint64) strlen (text));
  guint32 head = sluice_crc32c_stored (&length, sizeof length);
  guint32 foot = sluice_crc32c_stored (text, strlen (text));
  g_byte_array_append (out, (const guint8 *) &length, sizeof length);
  g_byte_array_append (out, (const guint8 *) &head, sizeof head);
  g_byte_array_append (out, (const guint8 *) text, strlen (text));
  g_byte_array_append (out, (const guint8 *) &foot, sizeof foot);
}

static GByteArray *
make_records (void)
{
  GByteArray *records = g_byte_array_new ();
  add_record (records, "first");
  add_record (records, "");
  add_record (records, "third");
  return records;
}

static GByteArray *
compress_bytes (const GByteArray *bytes, int window)
{
  GByteArray *out = g_byte_array_new ();
  z_stream z = { 0 };
  g_byte_array_set_size (out, bytes->len + 100);
  g_assert_cmpint (deflateInit2 (&z, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
  z.next_in = bytes->data;
  z.avail_in = bytes->len;
  z.next_out = out->data;
  z.avail_out = out->len;
  g_assert_cmpint (deflate (&z, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size (out, z.total_out);
  deflateEnd (&z);
  return out;
}

static void
test_compressed (Fixture *f, gconstpointer v2)
{
  g_autoptr (GByteArray) records = make_records ();
  g_autoptr (GByteArray) zlib = compress_bytes (records, MAX_WBITS);
  g_autoptr (GByteArray) gzip = compress_bytes (records, MAX_WBITS + 16);
  g_byte_array_append (gzip, gzip->data, gzip->len); /* two members */
  write_file (f, records->data, records->len);
  put_file (f);
  check_text (f, "plain_read_up_to:1", "first||third");
  write_file (f, zlib->data, zlib->len);
  put_file (f);
  check_text (f, "zlib_read_up_to:1", "first||third");
  write_file (f, gzip->data, gzip->len);
  put_file (f);
  check_text (f, "gzip_read_up_to:1", "first||third");
  check_text (f, "gzip_read_up_to:1", "first||third");
  harness_fails (&f->h, "bzip_n_files:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  put_file (f);
  harness_fails (&f->h, "zlib_read:1", NULL, SLUICE_ERROR_DATA_LOSS); /* it is GZIP */
}

/* Any bit of a record turned: what came before it is read, and then it is told, until reset. */
static void
test_damaged (Fixture *f, gconstpointer v2)
{
  g_autoptr (GByteArray) records = make_records ();
  for (guint i = 21; i < records->len; i += 7) /* the first record has 21 bytes */
    {
      records->data[i] ^= 4;
      write_file (f, records->data, records->len);
      records->data[i] ^= 4;
      put_file (f);
      check_text (f, "plain_read:1", "first");
      if (i >= 37) /* behind the second */
        check_text (f, "plain_read:1", "");
      harness_fails (&f->h, "plain_read:1", NULL, SLUICE_ERROR_DATA_LOSS);
      harness_fails (&f->h, "plain_read:1", NULL, SLUICE_ERROR_DATA_LOSS);
      harness_target (&f->h, "plain_reset");
    }
  for (guint n = 22; n < 37; n++)
    {
      write_file (f, records->data, n);
      put_file (f);
      check_text (f, "plain_read:1", "first");
      harness_fails (&f->h, "plain_read:1", NULL, SLUICE_ERROR_DATA_LOSS);
      harness_target (&f->h, "plain_reset");
    }
}

/* ---- state, and waiting ---- */

static void
test_state (Fixture *f, gconstpointer v2)
{
  g_autoptr (GError) error = NULL;
  write_file (f, "all", 3);
  put_file (f);
  put_file (f);
  check_text (f, "whole_read:1", "all");
  check_text (f, "identity_read:1", f->path);
  g_autoptr (SluiceTensor) saved = harness_fetch (&f->h, "identity_save:0");
  SluiceFeed feed = { "p", saved };
  harness_target (&f->h, "identity_reset");
  g_assert_cmpint (fetch_int (f, "identity_n_records:0"), ==, 0);
  harness_run (&f->h, NULL, "identity_restore", &feed, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (fetch_int (f, "identity_n_records:0"), ==, 1);
  run_fed (f, NULL, "identity_restore", "\x0a", &error);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  run_fed (f, NULL, "identity_restore", "\x08\x02\x10\x01", &error); /* begun, but not ended */
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  run_fed (f, NULL, "text_restore", "", &error);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_UNIMPLEMENTED);
}

/* Reads that wait for a name get it from the same step, one after the other. */
static void
test_waits (Fixture *f, gconstpointer v2)
{
  static const char *const fetches[] = { "text_read:1", "text_read_up_to:1" };
  static const char *const target = "in";
  g_autoptr (SluiceTensor) name = sluice_tensor_new_string (f->path, strlen (f->path));
  SluiceFeed feed = { "p", name };
  SluiceTensor *outputs[2] = { NULL };
  g_autoptr (GError) error = NULL;
  write_file (f, "1\n2\n3\n4\n", 8);
  sluice_session_extend (f->h.session, f->h.graph, &error);
  g_assert_no_error (error);
  sluice_session_run (f->h.session,
                      &(SluiceStepNames){ .feeds = &feed,
                                          .fetches = fetches,
                                          .targets = &target,
                                          .n_feeds = 1,
                                          .n_fetches = 2,
                                          .n_targets = 1 },
                      outputs, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (outputs[0]->n_elements, ==, 1);
  g_assert_cmpint (outputs[1]->n_elements, ==, 3);
  sluice_tensor_unref (outputs[0]);
  sluice_tensor_unref (outputs[1]);
  g_assert_cmpint (fetch_int (f, "text_n_records:0"), ==, 4);
}

/* A step that fails takes along the reads that wait; the next name is for who asks next. */
static void
test_step_fails (Fixture *f, gconstpointer v2)
{
  g_autoptr (GError) error = NULL;
  write_file (f, "1\n2\n", 4);
  g_assert_null (run_fed (f, "text_read:1", "fails", "/nowhere/at/all", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  put_file (f);
  g_assert_cmpint (fetch_int (f, "size:0"), ==, 1);
  check_text (f, "text_read:1", "1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func)                                                                            \
  g_test_add ("/files/" name "/old", Fixture, NULL, set_up, func, tear_down);                      \
  g_test_add ("/files/" name "/new", Fixture, "V2", set_up, func, tear_down)
  ADD ("text", test_text);
  ADD ("fixed", test_fixed);
  ADD ("compressed", test_compressed);
  ADD ("damaged", test_damaged);
  ADD ("state", test_state);
  ADD ("waits", test_waits);
  ADD ("step-fails", test_step_fails);
  return g_test_run ();
}
