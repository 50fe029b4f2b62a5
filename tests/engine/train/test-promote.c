/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/promote.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/store/file.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"

/* (transfer full): a sample in the folder. */
static char *
copy_sample (Folder *folder)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *from =
      g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "data", "samples", "digits-mlp", NULL);
  folder_init (folder);
  char *to = folder_dup_path (folder, "mlp");
  sluice_file_copy_tree ("project", from, to, &error);
  g_assert_no_error (error);
  return to;
}

/* Out of the form and in again: comments and all else stay as they were. */
static void
test_back_and_forth (void)
{
  g_autoptr (GError) error = NULL;
  Folder f;
  g_autofree char *folder = copy_sample (&f);
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autofree char *before = NULL, *after = NULL;
  g_assert_true (g_file_get_contents (path, &before, NULL, NULL));
  g_assert_true (sluice_project_demote (folder, "learning-rate", &error));
  g_assert_no_error (error);
  g_autoptr (SluiceProject) without = sluice_project_load (folder, &error);
  g_assert_no_error (error);
  g_assert_null (sluice_project_find_promoted (without, "train/learning_rate"));
  g_autofree char *name = sluice_project_promote (folder, "train/learning_rate", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (name, ==, "learning-rate");
  g_autofree char *again = sluice_project_promote (folder, "train/learning_rate", NULL, &error);
  g_assert_cmpstr (again, ==, "learning-rate");
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  g_assert_nonnull (g_strstr_len (after, -1, "# A new order each epoch"));
  g_assert_cmpuint (strlen (after), ==, strlen (before));
  folder_clear (&f);
}

static void
test_names (void)
{
  g_autoptr (GError) error = NULL;
  Folder f;
  g_autofree char *folder = copy_sample (&f);
  g_autofree char *free_name = sluice_project_promote (folder, "a/steps", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (free_name, ==, "steps-2");
  g_assert_null (sluice_project_promote (folder, "a/b", "batch", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ALREADY_EXISTS);
  g_clear_error (&error);
  g_assert_false (sluice_project_demote (folder, "nothing", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  folder_clear (&f);
}

static void
test_which (void)
{
  g_autoptr (GError) error = NULL;
  Folder f;
  g_autofree char *folder = copy_sample (&f);
  g_autoptr (SluiceProject) project = sluice_project_load (folder, &error);
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (project, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_node_is_promotable (sluice_graph_find (graph, "train/learning_rate")));
  g_assert_false (sluice_node_is_promotable (sluice_graph_find (graph, "hidden/matmul")));
  folder_clear (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/train/promote/back-and-forth", test_back_and_forth);
  g_test_add_func ("/train/promote/names", test_names);
  g_test_add_func ("/train/promote/which", test_which);
  return g_test_run ();
}
