/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What a program does when the machine refuses, as SQLite tests it: for six ways through the engine
 * and each kind of request (faults.h), the first request fails, then the second, … until one run
 * meets no refusal; each once, and each with all that come after it. Every run either succeeds with
 * the result that it has on a healthy machine, or ends in an error in words, one of memory as such;
 * what was there before is there; the next attempt succeeds; and nothing leaks: no block, no
 * descriptor.
 */
#include "tests/faults/inject.h"

#include <glib/gstdio.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>

#include "engine/base/pool.h"
#include "engine/graph/collections.h"
#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/store/bundle.h"
#include "engine/train/npz-write.h"
#include "engine/train/replica.h"
#include "engine/train/trainer.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"
#include "tests/faults/store-parts.h"

static Folder folder;

/* ---- import: and export, and edits of what an import keeps as it came ---- */

#define TYPE(key) "attr { key: '" key "' value { type: DT_FLOAT } } "
#define CONST(pad)                                                                                 \
  "op: 'Const' " TYPE ("dtype") "attr { key: 'value' value { tensor { " pad "} } } "
#define VALUES(n) "dtype: DT_FLOAT tensor_shape { dim { size: " n " } } float_val: 1 float_val: 2 "

/* A MetaGraphDef with functions, a collection, fields and inputs that are kept as they came. */
static const char odd_graph[] =
    "graph_def {\n"
    "node { name: 'a' " CONST (VALUES (
        "200")) "experimental_debug_info { original_node_names: 'n' } "
                "}\n"
                "node { name: 'b' op: 'Identity' input: 'a' input: '^a' input: '^gone' " TYPE (
                    "T") "}\n"
                         "node { name: 'c' op: 'Unheard' input: 'b' attr { key: 'x' value { "
                         "placeholder: 'p' } } }\n"
                         "node { name: 's' op: 'Const' attr { key: 'dtype' value { type: DT_STRING "
                         "} } attr { key: "
                         "'value' value { tensor { dtype: DT_STRING tensor_shape { dim { size: 2 } "
                         "} tensor_content: "
                         "'\\001\\001xy' } } } }\n"
                         "node { name: 'e' op: 'Identity' input: 'a' " TYPE (
                             "T") "}\n"
                                  "library { function { signature { name: 'f' input_arg { name: "
                                  "'x' type: DT_FLOAT } output_arg { "
                                  "name: 'y' type: DT_FLOAT } } node_def { name: 'i' op: "
                                  "'Identity' input: 'x' " TYPE (
                                      "T") "} "
                                           "ret { key: 'y' value: 'i:output:0' } } }\n"
                                           "versions { producer: 1000 } }\n"
                                           "collection_def { key: 'trainable_variables' value { "
                                           "bytes_list { value: '\\n\\001a' } } }\n";

static gboolean
describe (SluiceGraph *graph, GString *list, GError **error)
{
  g_autofree char *hash = sluice_graph_dup_hash (graph, error);
  g_autoptr (GBytes) binary =
      hash != NULL ? sluice_graph_export (graph, SLUICE_EXPORT_BINARY, error) : NULL;
  g_autoptr (GBytes) text =
      binary != NULL ? sluice_graph_export (graph, SLUICE_EXPORT_TEXT, error) : NULL;
  if (text == NULL)
    return FALSE;
  g_string_append_printf (list, "%s %08x %08x\n", hash, g_bytes_hash (binary), g_bytes_hash (text));
  return TRUE;
}

static gboolean
edit_odd (SluiceGraph *graph, GError **error)
{
  SluiceNode *a = sluice_graph_find (graph, "a"), *b = sluice_graph_find (graph, "b");
  SluiceNode *e = sluice_graph_find (graph, "e");
  const SluiceAttr note = { "_note", { SLUICE_ATTR_INT, .i = 3 } };
  sluice_edit_begin (graph);
  gboolean ok = sluice_edit_rename (graph, a, "renamed", error)
                && sluice_edit_set_attr (graph, a, &note, error)
                && sluice_edit_set_input (graph, e, 0, (SluiceEdge){ b, 0 }, error)
                && sluice_edit_set_input (graph, b, 0, (SluiceEdge){ a, 0 }, error)
                && sluice_edit_remove_control (graph, b, a, error);
  if (!ok)
    {
      sluice_edit_abandon (graph);
      return FALSE;
    }
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (graph, error);
  return edit != NULL;
}

/* An edit that fails leaves the graph as it was. */
static gboolean
edit_all (SluiceGraph *graph, GString *list, GError **error)
{
  g_autoptr (GString) before = g_string_new (NULL), after = g_string_new (NULL);
  if (sluice_graph_find (graph, "b") == NULL)
    return TRUE;
  if (!describe (graph, before, error))
    return FALSE;
  if (edit_odd (graph, error))
    return describe (graph, list, error);
  faults_disarm ();
  g_assert_true (describe (graph, after, NULL));
  g_assert_cmpstr (after->str, ==, before->str);
  return FALSE;
}

static char *
import_all (Plan *plan, GError **error)
{
  static const char *const names[] = { "model.pbtxt", "model.pb", "model.pb.gz", "odd.pbtxt",
                                       "odd.pb" };
  g_autoptr (GString) list = g_string_new (NULL);
  plan_begin (plan);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = folder_dup_path (&folder, names[i]);
      g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, error);
      g_autoptr (GPtrArray) variables =
          graph != NULL ? sluice_graph_dup_trainable (graph, error) : NULL;
      if (variables == NULL || !describe (graph, list, error) || !edit_all (graph, list, error))
        return NULL;
      g_string_append_printf (list, "%u variables\n", variables->len);
    }
  return g_strdup (list->str);
}

static void
write_binary (const char *text_name, const char *name)
{
  g_autofree char *text = folder_dup_path (&folder, text_name);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (text, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) bytes = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, &error);
  g_assert_no_error (error);
  folder_write (&folder, name, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
}

static void
write_graphs (void)
{
  g_autofree char *binary = folder_dup_path (&folder, "model.pb");
  g_autofree char *packed = folder_dup_path (&folder, "model.pb.gz");
  g_autofree char *bytes = NULL;
  gsize length;
  folder_write (&folder, "odd.pbtxt", odd_graph, -1);
  write_binary ("model.pbtxt", "model.pb");
  write_binary ("odd.pbtxt", "odd.pb");
  g_assert_true (g_file_get_contents (binary, &bytes, &length, NULL));
  gzFile file = gzopen (packed, "wb");
  gzwrite (file, bytes, (unsigned) length);
  g_assert_cmpint (gzclose (file), ==, Z_OK);
}

/* ---- plan, step, checkpoint: of a replica ---- */

typedef struct
{
  SluiceProject *project;
  SluiceExamples *train, *test;
  SluiceReplica *replica;
} Rig;

static void
rig_clear (Rig *self)
{
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->train, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  g_clear_pointer (&self->project, sluice_project_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rig, rig_clear)

static void
rig_load (Rig *self)
{
  g_autoptr (GError) error = NULL;
  self->project = sluice_project_load (folder.path, &error);
  g_assert_no_error (error);
  sluice_examples_load_all (self->project, &self->train, &self->test, &error);
  g_assert_no_error (error);
}

static gboolean
rig_make (Rig *self, GError **error)
{
  self->replica = sluice_replica_new (self->project, self->train, self->test, 0, NULL, error);
  return self->replica != NULL;
}

static char *
plan_all (Plan *plan, GError **error)
{
  g_auto (Rig) rig = { NULL };
  rig_load (&rig);
  plan_begin (plan);
  if (!rig_make (&rig, error) || !sluice_replica_check_initialize (rig.replica, error))
    return NULL;
  return g_strdup_printf ("%u scalars", rig.replica->n_scalars);
}

static gboolean
run_steps (SluiceReplica *replica, guint n, GString *values, GError **error)
{
  double scalars[8];
  SluiceRunOptions options = { 0 };
  for (guint i = 0; i < n; i++)
    {
      SluiceTensor *summary = NULL;
      if (!sluice_replica_step (replica, scalars, i == 2 ? &summary : NULL, &options, error))
        return FALSE;
      g_clear_pointer (&summary, sluice_tensor_unref);
      g_string_append_printf (values, "%a\n", scalars[0]);
    }
  return TRUE;
}

static char *
step_all (Plan *plan, GError **error)
{
  g_auto (Rig) rig = { NULL };
  g_autoptr (GString) values = g_string_new (NULL);
  double evaluation[8];
  SluiceRunOptions options = { 0 };
  rig_load (&rig);
  g_assert_true (rig_make (&rig, NULL));
  plan_begin (plan);
  if (!sluice_replica_initialize (rig.replica, error) || !run_steps (rig.replica, 5, values, error)
      || !sluice_replica_evaluate (rig.replica, 0, evaluation, &options, error))
    return NULL;
  g_string_append_printf (values, "%a\n", evaluation[0]);
  return g_strdup (values->str);
}

static gboolean
write_bundle (const char *path, GError **error)
{
  g_autoptr (SluiceTensor) tensor =
      sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (3), (const float[]){ 1, 2, 3 });
  SluiceTensorBundleWriter *writer = sluice_tensor_bundle_writer_new (path, error);
  if (writer == NULL)
    return FALSE;
  GError *failed = NULL;
  sluice_tensor_bundle_writer_add (writer, "values", tensor, NULL, NULL, &failed);
  if (sluice_tensor_bundle_writer_finish (writer, failed == NULL ? error : NULL) && failed == NULL)
    return TRUE;
  if (failed != NULL)
    g_propagate_error (error, failed);
  return FALSE;
}

static gboolean
format_tensor (GError **error)
{
  g_autoptr (SluiceTensor) tensor =
      sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (3), (const float[]){ 1, 2, 3 });
  g_autoptr (GBytes) bytes = sluice_npy_format (tensor, error);
  return bytes != NULL;
}

/* The checkpoint that is there stays whole until the new one has taken its place. */
static char *
checkpoint_all (Plan *plan, GError **error)
{
  g_auto (Rig) rig = { NULL }, other = { NULL };
  g_autoptr (GString) values = g_string_new (NULL);
  g_autofree char *path = folder_dup_path (&folder, "checkpoint.safetensors");
  g_autofree char *bundle = folder_dup_path (&folder, "bundle");
  gsize bytes;
  rig_load (&rig);
  rig_load (&other);
  g_assert_true (rig_make (&rig, NULL) && sluice_replica_initialize (rig.replica, NULL));
  g_assert_true (sluice_replica_save (rig.replica, path, &bytes, NULL));
  g_assert_true (run_steps (rig.replica, 2, values, NULL) && rig_make (&other, NULL));
  plan_begin (plan);
  gboolean ok = sluice_replica_save (rig.replica, path, &bytes, error)
                && sluice_replica_restore (other.replica, path, error)
                && write_bundle (bundle, error) && format_tensor (error);
  faults_disarm ();
  g_string_truncate (values, 0);
  g_assert_true (sluice_replica_restore (other.replica, path, NULL)); /* whichever of both it is */
  if (!ok)
    return NULL;
  g_assert_true (run_steps (other.replica, 2, values, NULL));
  return g_strdup (values->str);
}

/* ---- project load ---- */

/* Data as an archive of NumPy's: what the project reads, written by what exports. */
static gboolean
archive (GError **error)
{
  static const char *const names[] = { "x", "y" };
  g_autofree char *path = folder_dup_path (&folder, "written.npz");
  g_autoptr (SluiceTensor) x = sluice_tensor_new_checked (NULL, SLUICE_FLOAT, &SLUICE_SHAPE (3, 2),
                                                          SLUICE_OWNER_NONE, error);
  SluiceTensor *tensors[] = { x, x };
  if (x == NULL)
    return FALSE;
  memset (x->data, 0, sluice_tensor_bytes (x));
  return sluice_npz_write (path, names, tensors, 2, error);
}

static gboolean
load_archive (GError **error)
{
  g_autofree char *path = folder_dup_path (&folder, "packed.npz");
  g_autofree char *bytes = NULL;
  gsize length;
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_autoptr (GPtrArray) names = sluice_npz_list ((const guint8 *) bytes, length, path, error);
  g_autoptr (GBytes) member =
      names != NULL ? sluice_npz_read ((const guint8 *) bytes, length, "x", path, error) : NULL;
  return member != NULL;
}

static char *
project_all (Plan *plan, GError **error)
{
  g_autoptr (SluiceExamples) train = NULL, test = NULL;
  g_autofree char *frozen = folder_dup_path (&folder, "frozen");
  g_assert_cmpint (g_mkdir_with_parents (frozen, 0700), ==, 0);
  plan_begin (plan);
  g_autoptr (SluiceProject) project = sluice_project_load (folder.path, error);
  if (project == NULL || !sluice_examples_load_all (project, &train, &test, error)
      || !sluice_project_save (project, frozen, error) || !archive (error) || !load_archive (error))
    return NULL;
  g_autoptr (SluiceProject) again = sluice_project_load (frozen, error);
  return again != NULL
             ? g_strdup_printf ("%s, %" G_GINT64_FORMAT " examples", again->name, train->n)
             : NULL;
}

/* Compressed, as numpy.savez_compressed() does it. */
static void
write_archive (void)
{
  g_autofree char *path = folder_dup_path (&folder, "packed.npz");
  g_autoptr (SluiceTensor) tensor =
      sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (3), (const float[]){ 1, 2, 3 });
  g_autoptr (GBytes) bytes = sluice_npy_format (tensor, NULL);
  gsize length;
  const void *data = g_bytes_get_data (bytes, &length);
  zip_t *file = zip_open (path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
  zip_source_t *source = zip_source_buffer (file, data, length, 0);
  g_assert_cmpint (zip_file_add (file, "x.npy", source, 0), ==, 0);
  g_assert_cmpint (zip_close (file), ==, 0);
}

/* ---- all of it ---- */

static const Part parts[] = {
  { "import", import_all },
  { "plan", plan_all },
  { "step", step_all },
  { "checkpoint", checkpoint_all },
  /* libzip 1.7 finds no archive in bytes that it has no memory to look at. */
  { "project", project_all, .misread = "is no .npz archive: Not a zip archive" },
};

static void
test_part (gconstpointer data)
{
  Count count = { 0 };
  inject_each (data, 1, &count);
}

int
main (int argc, char **argv)
{
  faults_init ();
  if (g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR)) /* fsync costs nothing there */
    g_setenv ("TMPDIR", "/dev/shm", TRUE);
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_pool_set_threads (2);
  g_assert_true (sluice_pool_start (NULL)); /* stays, and so is no request of a run */
  folder_init (&folder);
  folder_write_project (&folder, "[overrides]\nrate=0.05\n");
  folder_write_examples (&folder, 30);
  write_graphs ();
  write_archive ();
  store_parts_init (folder.path);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *name = g_strconcat ("/faults/", parts[i].name, NULL);
      g_test_add_data_func (name, &parts[i], test_part);
    }
  g_test_add_func ("/faults/store", store_parts_inject);
  int status = g_test_run ();
  folder_clear (&folder);
  return status;
}
