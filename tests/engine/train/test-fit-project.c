/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* project.ini goes by what its graph has become: here, where nodes are called otherwise. */
#include "engine/train/fit-project.h"

#include "engine/command/command.h"
#include "engine/command/stack.h"
#include "engine/graph/graphdef.h"
#include "engine/store/file.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"
#include "tests/lib/sample-project.h"

typedef struct
{
  Folder folder;
  char *project, *ini;
  GBytes *was;
  SluiceGraph *graph;
  SluiceCommandStack *stack;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *from = sample_dup_folder ("digits-mlp");
  folder_init (&f->folder);
  f->project = folder_dup_path (&f->folder, "mlp");
  f->ini = g_build_filename (f->project, "project.ini", NULL);
  sluice_file_copy_tree ("project", from, f->project, &error);
  g_assert_no_error (error);
  g_autofree char *path = g_build_filename (f->project, "model.pbtxt", NULL);
  f->graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  f->was = sluice_graph_export (f->graph, SLUICE_EXPORT_BINARY, &error);
  g_assert_no_error (error);
  f->stack = sluice_command_stack_new (f->graph);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  sluice_command_stack_free (f->stack);
  sluice_graph_unref (f->graph);
  g_bytes_unref (f->was);
  g_free (f->project);
  g_free (f->ini);
  folder_clear (&f->folder);
}

static void
run (Fixture *f, const char *script)
{
  g_autoptr (GError) error = NULL;
  sluice_command_stack_run (f->stack, script, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* Returns: was there anything to change? */
static gboolean
fit (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *words = NULL;
  sluice_project_fit (f->project, f->graph, f->was, &words, &error);
  g_assert_no_error (error);
  return words != NULL;
}

static void
assert_key (Fixture *f, const char *group, const char *key, const char *wanted)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_assert_true (g_key_file_load_from_file (file, f->ini, G_KEY_FILE_NONE, NULL));
  g_autofree char *text = g_key_file_get_string (file, group, key, NULL);
  g_assert_cmpstr (text, ==, wanted);
}

/* What is fed, what is fetched and what is set go by the new names, with what is said of a setting;
 * comments stay, and undone it is as before. */
static void
test_renamed (Fixture *f, gconstpointer data)
{
  g_autofree char *before = NULL, *after = NULL;
  g_assert_false (fit (f));
  g_assert_true (g_file_get_contents (f->ini, &before, NULL, NULL));
  run (f, "rename input/x pixels\n"
          "rename train/learning_rate train/pace\n"
          "rename accuracy/value accuracy/share\n");
  g_assert_true (fit (f));
  assert_key (f, "data", "x", "pixels:0");
  assert_key (f, "data", "y", "input/y:0");
  assert_key (f, "parameters", "learning-rate", "train/pace:0");
  assert_key (f, "evaluate", "fetches", "accuracy:accuracy/share:0;loss:loss/value:0");
  g_assert_true (g_file_get_contents (f->ini, &after, NULL, NULL));
  g_assert_nonnull (g_strstr_len (after, -1, "# Names for sluice train --set"));

  g_clear_pointer (&f->was, g_bytes_unref);
  f->was = sluice_graph_export (f->graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (sluice_command_stack_undo (f->stack, 3, NULL));
  g_clear_pointer (&after, g_free);
  g_assert_true (fit (f));
  g_assert_true (g_file_get_contents (f->ini, &after, NULL, NULL));
  g_assert_cmpstr (after, ==, before);
}

/* A node that is gone has no new name, and what is added meanwhile does not take its place. */
static void
test_gone (Fixture *f, gconstpointer data)
{
  run (f, "delete accuracy/value\nadd NoOp accuracy/other\n");
  g_assert_true (fit (f));
  assert_key (f, "evaluate", "fetches", "loss:loss/value:0");
  assert_key (f, "project", "fetches", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define TEST(name, func)                                                                           \
  g_test_add ("/train/fit-project/" name, Fixture, NULL, set_up, func, tear_down)
  TEST ("renamed", test_renamed);
  TEST ("gone", test_gone);
  return g_test_run ();
}
