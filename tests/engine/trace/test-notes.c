/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Notes of traces: what is written is read, sorted; where they are kept; what is damaged is told.
 */
#include <glib/gstdio.h>

#include "engine/base/error.h"
#include "engine/trace/trace-notes.h"
#include "tests/remove-tree.h"

static void
test_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sluice-notes-XXXXXX", NULL);
  g_autofree char *path = sluice_trace_notes_dup_path (folder);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) none = sluice_trace_notes_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (none->len, ==, 0);
  g_ptr_array_add (none, sluice_trace_note_new (7, 500, 900, "a \"slow\" one\nß"));
  g_ptr_array_add (none, sluice_trace_note_new (3, 100, 50, "first"));
  g_ptr_array_add (none, sluice_trace_note_new (7, -20, -20, "before it"));
  g_assert_true (sluice_trace_notes_write (none, path, &error));
  g_assert_no_error (error);
  g_autoptr (GPtrArray) notes = sluice_trace_notes_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (notes->len, ==, 3);
  const SluiceTraceNote *first = notes->pdata[0], *last = notes->pdata[2];
  g_assert_cmpuint (first->step, ==, 3);
  g_assert_cmpint (first->to, ==, 100); /* no area goes back */
  g_assert_cmpint (((SluiceTraceNote *) notes->pdata[1])->from, ==, -20);
  g_assert_cmpstr (last->text, ==, "a \"slow\" one\nß");
  g_assert_cmpint (last->to, ==, 900);
  g_ptr_array_set_size (notes, 0);
  g_assert_true (sluice_trace_notes_write (notes, path, &error));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (sluice_trace_notes_write (notes, path, &error)); /* there is none already */
  remove_tree (folder);
}

static void
test_place (void)
{
  g_autofree char *kept =
      sluice_trace_notes_dup_path_of ("/w/runs/3/traces/step-0000000012.sltrace");
  g_autofree char *of_run = sluice_trace_notes_dup_path ("/w/runs/3");
  g_autofree char *other = sluice_trace_notes_dup_path_of ("/tmp/trace.json");
  g_assert_cmpstr (kept, ==, of_run);
  g_assert_cmpstr (other, ==, "/tmp/trace.json.notes.json");
}

static void
test_damaged (void)
{
  static const char *const texts[] = {
    "", "{}", "[1]", "[{\"step\": 1}]", "[{\"step\": -1, \"text\": \"x\"}]", "[{\"text\": \"x\""
  };
  g_autofree char *folder = g_dir_make_tmp ("sluice-notes-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "notes.json", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
      g_assert_null (sluice_trace_notes_read (path, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
    }
  remove_tree (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace-notes/file", test_file);
  g_test_add_func ("/trace-notes/place", test_place);
  g_test_add_func ("/trace-notes/damaged", test_damaged);
  return g_test_run ();
}
