/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/promote.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/file.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/project-changes.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"
#include "tests/lib/sample-project.h"

/* (transfer full): a sample in the folder. */
static char *
copy_sample (Folder *folder)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *from = sample_dup_folder ("digits-mlp");
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
  g_autofree char *name =
      sluice_project_promote (folder, "train/learning_rate", NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (name, ==, "learning-rate");
  g_autofree char *again =
      sluice_project_promote (folder, "train/learning_rate", NULL, NULL, &error);
  g_assert_cmpstr (again, ==, "learning-rate");
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  g_assert_nonnull (g_strstr_len (after, -1, "# A new order each epoch"));
  g_assert_cmpuint (strlen (after), ==, strlen (before));
  folder_clear (&f);
}

/* Unit, range and help stand behind what it is of, and are what a value is held to. */
static void
test_note (void)
{
  g_autoptr (GError) error = NULL;
  Folder f;
  g_autofree char *folder = copy_sample (&f);
  SluiceParameterNote note = { "1/s", "How far; and where", 0, 1 };
  g_autofree char *name =
      sluice_project_promote (folder, "train/learning_rate", NULL, &note, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (name, ==, "learning-rate");
  g_autoptr (SluiceProject) project = sluice_project_load (folder, &error);
  g_assert_no_error (error);
  const SluiceParameterNote *read = g_hash_table_lookup (project->notes, "learning-rate");
  g_assert_cmpstr (read->unit, ==, "1/s");
  g_assert_cmpstr (read->help, ==, "How far; and where");
  g_autofree char *range = sluice_parameter_note_dup_range (read);
  g_assert_cmpstr (range, ==, "0 to 1");
  g_assert_cmpstr (sluice_project_find_parameter (project, "learning-rate")->target, ==,
                   "train/learning_rate:0");
  g_autofree char *text = sluice_project_dup_text (project);
  g_assert_nonnull (strstr (text, "learning-rate=train/learning_rate:0; unit=1/s; low=0; high=1; "
                                  "help=How far; and where"));
  g_assert_true (sluice_project_set (project, "learning-rate=0.5", &error));
  g_assert_false (sluice_project_set (project, "learning-rate=1.5", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE);
  g_clear_error (&error);
  note.low = 2;
  g_assert_null (sluice_project_promote (folder, "train/learning_rate", NULL, &note, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  SluiceParameterNote nothing = { .low = NAN, .high = NAN };
  g_autofree char *same =
      sluice_project_promote (folder, "train/learning_rate", NULL, &nothing, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceProject) without = sluice_project_load (folder, NULL);
  g_assert_cmpuint (g_hash_table_size (without->notes), ==, 0);
  folder_clear (&f);
}

/* Another name, in the same line; what is said of it, and its own value, go with it. */
static void
test_renamed (void)
{
  g_autoptr (GError) error = NULL;
  Folder f;
  g_autofree char *folder = copy_sample (&f);
  g_autofree char *path = g_build_filename (folder, "project.ini", NULL);
  g_autofree char *before = NULL, *after = NULL;
  g_assert_true (g_file_get_contents (path, &before, NULL, NULL));
  g_autofree char *more = g_strconcat (before,
                                       "# Kept\nsecond=hidden/weights/init/seed:0\n"
                                       "[overrides]\nlearning-rate=0.5\n",
                                       NULL);
  g_assert_true (g_file_set_contents (path, more, -1, NULL));
  SluiceParameterNote note = { NULL, "learning-rate=1 is much", 0, 1 };
  g_autofree char *said =
      sluice_project_promote (folder, "train/learning_rate", NULL, &note, &error);
  g_assert_no_error (error);
  g_autofree char *name =
      sluice_project_promote (folder, "train/learning_rate", "rate", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (name, ==, "rate");
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  g_assert_nonnull (strstr (after, "\nrate=train/learning_rate:0; low=0; high=1; "
                                   "help=learning-rate=1 is much\n# Kept\nsecond="));
  g_assert_nonnull (strstr (after, "\nrate=0.5"));
  g_assert_null (strstr (after, "\nlearning-rate="));
  static const char *const bad[] = { "", "a=b", "[a]", "#a", "steps", "second" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_null (sluice_project_promote (folder, "train/learning_rate", bad[i], NULL, &error));
      g_assert_nonnull (error);
      g_clear_error (&error);
    }
  folder_clear (&f);
}

static void
test_bad_notes (void)
{
  static const char *const bad[] = { "a:0; low=x", "a:0; colour=red", "a:0; low",
                                     "a:0; low=2; high=1" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceParameterNote *note = NULL;
      char *target = NULL;
      g_assert_false (sluice_parameter_note_parse ("a", bad[i], &target, &note, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
    }
}

static void
test_names (void)
{
  g_autoptr (GError) error = NULL;
  Folder f;
  g_autofree char *folder = copy_sample (&f);
  g_autofree char *free_name = sluice_project_promote (folder, "a/steps", NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (free_name, ==, "steps-2");
  g_assert_null (sluice_project_promote (folder, "a/b", "batch", NULL, &error));
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

/* y = x * [1, 2]; a momentum update has a switch, two poolings and their gradients share theirs. */
static SluiceProject *
make_attrs (Folder *folder)
{
  static const char graph[] =
      "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: "
      "'value' value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 1 "
      "int_val: 2 } } } }"
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { "
      "key: 'shape' value { shape { dim { size: 1 } dim { size: 4 } dim { size: 4 } dim { size: 1 "
      "} } } } }"
      "node { name: 'z' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { "
      "key: 'shape' value { shape { dim { size: 1 } dim { size: 4 } dim { size: 4 } dim { size: 1 "
      "} } } } }"
      "node { name: 'pool' op: 'MaxPool' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } "
      "attr { key: 'ksize' value { list { i: 1 i: 2 i: 2 i: 1 } } } attr { key: 'strides' value { "
      "list { i: 1 i: 2 i: 2 i: 1 } } } attr { key: 'padding' value { s: 'SAME' } } }"
      "node { name: 'lone' op: 'AvgPool' input: 'z' attr { key: 'T' value { type: DT_FLOAT } } "
      "attr { key: 'ksize' value { list { i: 1 i: 2 i: 2 i: 1 } } } attr { key: 'strides' value { "
      "list { i: 1 i: 1 i: 1 i: 1 } } } attr { key: 'padding' value { s: 'SAME' } } }"
      "node { name: 'grad' op: 'MaxPoolGrad' input: 'x' input: 'pool' input: 'pool' attr { key: "
      "'T' value { type: DT_FLOAT } } attr { key: 'ksize' value { list { i: 1 i: 2 i: 2 i: 1 } } } "
      "attr { key: 'strides' value { list { i: 1 i: 2 i: 2 i: 1 } } } attr { key: 'padding' value "
      "{ "
      "s: 'SAME' } } }"
      "node { name: 'mean' op: 'AvgPool' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } "
      "attr { key: 'ksize' value { list { i: 1 i: 2 i: 2 i: 1 } } } attr { key: 'strides' value { "
      "list { i: 1 i: 2 i: 2 i: 1 } } } attr { key: 'padding' value { s: 'SAME' } } }"
      "node { name: 'shape' op: 'Shape' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }"
      "node { name: 'by-shape' op: 'AvgPoolGrad' input: 'shape' input: 'mean' attr { key: 'T' "
      "value { type: DT_FLOAT } } attr { key: 'ksize' value { list { i: 1 i: 2 i: 2 i: 1 } } } "
      "attr { key: 'strides' value { list { i: 1 i: 2 i: 2 i: 1 } } } attr { key: 'padding' value "
      "{ s: 'SAME' } } }";
  static const char ini[] =
      "[project]\nname=n\ngraph=model.pbtxt\ntrain=lone\nloss=lone:0\n[train]\nsteps=1\n[data]\n"
      "source=graph\n[parameters]\nstride=lone:strides\npad=lone:padding\n"
      "sizes=c:value\nwindow=pool:ksize\nmean-window=mean:ksize\nlost=gone:padding\n";
  g_autoptr (GError) error = NULL;
  folder_init (folder);
  g_autofree char *model = folder_dup_path (folder, "model.pbtxt");
  g_autofree char *path = folder_dup_path (folder, "project.ini");
  g_assert_true (g_file_set_contents (model, graph, -1, &error));
  g_assert_true (g_file_set_contents (path, ini, -1, &error));
  g_autofree char *where = g_path_get_dirname (path);
  SluiceProject *project = sluice_project_load (where, &error);
  g_assert_no_error (error);
  return project;
}

static void
assert_attr (SluiceGraph *graph, const char *target, const char *want)
{
  g_autofree char *value = sluice_graph_dup_attr_parameter (graph, target);
  g_assert_cmpstr (value, ==, want);
}

/* A gradient has that of its pooling. */
static void
assert_window (SluiceGraph *graph, const char *name, gint64 want)
{
  const SluiceAttrValue *size = sluice_node_get_attr (sluice_graph_find (graph, name), "ksize");
  g_assert_nonnull (size);
  g_assert_cmpint (size->list.items[1].i, ==, want);
}

/* They are set in the graph, by text; what does not fit is refused by name. */
static void
test_attrs (void)
{
  g_autoptr (GError) error = NULL;
  Folder f;
  g_autoptr (SluiceProject) project = make_attrs (&f);
  g_autoptr (SluiceGraph) before = sluice_project_load_graph (project, &error);
  g_assert_no_error (error);
  assert_attr (before, "lone:strides", "1;1;1;1");
  assert_attr (before, "c:value", "1;2");
  assert_attr (before, "lone:T", NULL);
  assert_attr (before, "grad:ksize", NULL); /* it is the pooling's */
  g_assert_true (g_strv_contains (sluice_graph_get_attr_choices (before, "lone:padding"), "VALID"));
  static char *said[] = { "stride=1;2;2;1", "pad=VALID", "sizes=3;4", "window=1;4;4;1", NULL };
  g_assert_true (sluice_project_set_all (project, said, &error));
  g_autoptr (SluiceGraph) after = sluice_project_load_graph (project, &error);
  g_assert_no_error (error);
  assert_attr (after, "lone:strides", "1;2;2;1");
  assert_attr (after, "lone:padding", "VALID");
  assert_attr (after, "c:value", "3;4");
  assert_attr (after, "pool:ksize", "1;4;4;1");
  assert_window (after, "grad", 4);
  assert_window (after, "mean", 2);
  assert_window (after, "by-shape", 2);
  g_assert_true (sluice_project_set (project, "mean-window=1;3;3;1", &error));
  g_autoptr (SluiceGraph) both = sluice_project_load_graph (project, &error);
  g_assert_no_error (error);
  assert_window (both, "grad", 4);
  assert_window (both, "mean", 3);
  assert_window (both, "by-shape", 3);
  static const struct
  {
    const char *said, *told;
  } refused[] = { { "stride=1;x;2;1", "1;1;1;1" },
                  { "pad=ROUND", "padding" },
                  { "sizes=3", "1;2" },
                  { "lost=SAME", "take it out of [parameters]" } };
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (SluiceProject) other = sluice_project_load (project->folder, &error);
      g_assert_true (sluice_project_set (other, refused[i].said, &error));
      g_assert_null (sluice_project_load_graph (other, &error));
      g_assert_nonnull (strstr (error->message, refused[i].told));
      g_clear_error (&error);
    }
  g_assert_false (sluice_project_change (project, 3, "pad=SAME", &error));
  g_assert_nonnull (strstr (error->message, "fork"));
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
  g_test_add_func ("/train/promote/attributes", test_attrs);
  g_test_add_func ("/train/promote/note", test_note);
  g_test_add_func ("/train/promote/renamed", test_renamed);
  g_test_add_func ("/train/promote/bad-notes", test_bad_notes);
  return g_test_run ();
}
