/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Workspaces as a program in C meets them, linked with nothing but the shared object: what Python
 * does with them is in test-workspace.py; here sanitizers look. */
#include <glib/gstdio.h>
#include <string.h>

#include "api/sluice.h"

static char *
dup_project (void)
{
  return g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "data", "samples", "digits-mlp", NULL);
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      if (g_file_test (child, G_FILE_TEST_IS_DIR))
        remove_folder (child);
      else
        g_unlink (child);
    }
  g_rmdir (path);
}

typedef struct
{
  char *folder, *project;
  SluiceWorkspace *workspace;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("sluice-workspace-XXXXXX", NULL);
  f->project = dup_project ();
  f->workspace = sluice_workspace_open (f->folder, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  sluice_workspace_release (f->workspace);
  remove_folder (f->folder);
  g_free (f->folder);
  g_free (f->project);
}

static const char *const brief[] = { "steps=12", NULL };

static void
test_sweep (Fixture *f, gconstpointer unused)
{
  static const char *const values[] = { "batch=16,32", NULL };
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = sluice_workspace_sweep (f->workspace, f->project, values, brief,
                                                 g_variant_new_parsed ("{'group': <'g'>}"), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_strv_length (names), ==, 2);
  g_assert_cmpint (sluice_workspace_train (f->workspace, "g", 2, NULL, &error), ==, 0);
  g_assert_no_error (error);

  g_autoptr (GVariant) runs = sluice_workspace_dup_runs (f->workspace, "group:g", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_variant_n_children (runs), ==, 2);
  g_autoptr (GVariant) first = g_variant_get_child_value (runs, 0);
  const char *state;
  g_assert_true (g_variant_lookup (first, "state", "&s", &state));
  g_assert_cmpstr (state, ==, "finished");

  SluiceTensor *columns[3];
  sluice_workspace_dup_points (f->workspace, names[0], "loss", &columns[0], &columns[1],
                               &columns[2], &error);
  g_assert_no_error (error);
  g_assert_cmpint (sluice_tensor_get_n_elements (columns[0]), ==, 12);
  for (guint i = 0; i < 3; i++)
    sluice_tensor_release (columns[i]);
  g_autoptr (GVariant) diff =
      sluice_workspace_diff (f->workspace, (const char *const *) names, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_is_of_type (diff, G_VARIANT_TYPE_VARDICT));
}

static void
test_refusals (Fixture *f, gconstpointer unused)
{
  static const struct
  {
    const char *options;
    const char *word;
  } cases[] = { { "{'nam': <'x'>}", "'name'" },
                { "{'name': <1>}", "a text" },
                { "{'seed': <1>}", "'seed'" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      char *name = sluice_workspace_launch (f->workspace, f->project, brief,
                                            g_variant_new_parsed (cases[i].options), &error);
      g_assert_null (name);
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, cases[i].word));
    }
  g_autoptr (GError) error = NULL;
  SluiceTensor *columns[3];
  g_assert_false (sluice_workspace_dup_points (f->workspace, "none", "loss", &columns[0],
                                               &columns[1], &columns[2], &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_null (columns[0]);
  g_clear_error (&error);
  g_autofree char *name = sluice_workspace_launch (f->workspace, f->project, brief, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_cancellable_cancel (cancellable);
  g_assert_cmpint (sluice_workspace_train (f->workspace, NULL, 1, cancellable, &error), ==, -1);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
}

static void
test_types (Fixture *f, gconstpointer unused)
{
  SluiceWorkspace *copy = g_boxed_copy (SLUICE_TYPE_WORKSPACE, f->workspace);
  g_assert_cmpstr (sluice_workspace_get_path (copy), ==, f->folder);
  g_boxed_free (SLUICE_TYPE_WORKSPACE, copy);
  g_autoptr (GError) error = NULL;
  SluiceWorkspace *reader = sluice_workspace_open_to_read (f->folder, &error);
  g_assert_no_error (error);
  g_assert_null (sluice_workspace_launch (reader, f->project, brief, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  sluice_workspace_release (reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, test) g_test_add ("/workspace/" name, Fixture, NULL, set_up, test, tear_down)
  ADD ("sweep", test_sweep);
  ADD ("refusals", test_refusals);
  ADD ("types", test_types);
  return g_test_run ();
}
