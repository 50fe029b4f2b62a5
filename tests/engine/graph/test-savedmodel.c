/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Which MetaGraph of a SavedModel is taken, and what it says beside its nodes. Models that
 * TensorFlow wrote: tests/app/test-saved-model.py. */
#include "engine/graph/savedmodel.h"

#include <glib/gstdio.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "kernels/registry.h"

#define META(tags, node, more)                                                                     \
  "meta_graphs { meta_info_def { " tags " } graph_def { node { name: '" node                       \
  "' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "                          \
  "versions { producer: 2474 } } " more " } "
#define SCHEMA "saved_model_schema_version: 1 "

/* ---- helpers ---- */

static SluiceGraph *
load (const char *text, const char *const *tags, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("sluice-saved-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "saved_model.pbtxt", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (sluice_saved_model_exists (folder));
  g_assert_true (sluice_saved_model_exists (path));
  SluiceGraph *graph = sluice_graph_load_tagged (folder, tags, error);
  g_unlink (path);
  g_assert_false (sluice_saved_model_exists (folder));
  g_assert_null (sluice_graph_load_file (folder, NULL));
  g_rmdir (folder);
  return graph;
}

static SluiceGraph *
load_well (const char *text)
{
  g_autoptr (GError) error = NULL;
  SluiceGraph *graph = load (text, NULL, &error);
  g_assert_no_error (error);
  return graph;
}

static void
append_varint (GByteArray *bytes, gsize value)
{
  for (; value > 0x7f; value >>= 7)
    {
      guint8 byte = (value & 0x7f) | 0x80;
      g_byte_array_append (bytes, &byte, 1);
    }
  guint8 last = (guint8) value;
  g_byte_array_append (bytes, &last, 1);
}

/* A binary SavedModel of these graphs, each of which came out of one. */
static GBytes *
pack (SluiceGraph *const *graphs, guint n)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *) "\x08\x01", 2);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GBytes) meta = sluice_graph_export (graphs[i], SLUICE_EXPORT_BINARY, NULL);
      gsize length;
      const guint8 *data = g_bytes_get_data (meta, &length);
      g_byte_array_append (bytes, (const guint8 *) "\x12", 1);
      append_varint (bytes, length);
      g_byte_array_append (bytes, data, (guint) length);
    }
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

/* ---- which MetaGraph ---- */

typedef struct
{
  const char *name, *text;
  const char *tags[3];
  const char *node;  /* of the graph that is taken; NULL: none is … */
  const char *words; /* … and this is said */
} Choice;

static const Choice choices[] = {
  { "only-one", SCHEMA META ("tags: 'odd'", "a", ""), { NULL }, "a", NULL },
  { "no-tags", SCHEMA META ("", "a", ""), { NULL }, "a", NULL },
  { "serve",
    SCHEMA META ("tags: 'train'", "a", "") META ("tags: 'serve'", "b", ""),
    { NULL },
    "b" },
  { "train",
    SCHEMA META ("tags: 'train'", "a", "") META ("tags: 'serve'", "b", ""),
    { "train" },
    "a",
    NULL },
  { "superset",
    SCHEMA META ("tags: 'train'", "a", "") META ("tags: 'serve' tags: 'gpu'", "b", ""),
    { NULL },
    "b",
    NULL },
  { "exact-first",
    SCHEMA META ("tags: 'serve' tags: 'gpu'", "a", "") META ("tags: 'serve'", "b", ""),
    { NULL },
    "b",
    NULL },
  { "in-any-order",
    SCHEMA META ("tags: 'serve' tags: 'gpu'", "a", "") META ("tags: 'serve'", "b", ""),
    { "gpu", "serve" },
    "a",
    NULL },
  { "none-of-them",
    SCHEMA META ("tags: 'train'", "a", "") META ("tags: 'eval'", "b", ""),
    { NULL },
    NULL,
    "[serve]|[train], [eval]" },
  { "several-of-them",
    SCHEMA META ("tags: 'serve' tags: 'x'", "a", "") META ("tags: 'serve' tags: 'y'", "b", ""),
    { NULL },
    NULL,
    "[serve, x], [serve, y]" },
  { "only-one-asked", SCHEMA META ("tags: 'serve'", "a", ""), { "gpu" }, NULL, "[gpu]|[serve]" },
  { "empty", SCHEMA, { NULL }, NULL, "none at all" },
};

static void
assert_choice (const Choice *c, SluiceGraph *graph, const GError *error)
{
  if (c->node != NULL)
    {
      g_assert_no_error (error);
      g_assert_nonnull (sluice_graph_find (graph, c->node));
      return;
    }
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_auto (GStrv) words = g_strsplit (c->words, "|", 0);
  for (guint i = 0; words[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, words[i]));
}

static void
test_choice (gconstpointer data)
{
  const Choice *c = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = load (c->text, c->tags[0] != NULL ? c->tags : NULL, &error);
  assert_choice (c, graph, error);
}

/* The same from bytes, where the tags are read without the rest. */
static void
test_binary (void)
{
  g_autoptr (SluiceGraph) a = load_well (SCHEMA META ("tags: 'train'", "a", ""));
  g_autoptr (SluiceGraph) b = load_well (SCHEMA META ("tags: 'serve'", "b", ""));
  g_autoptr (GBytes) bytes = pack ((SluiceGraph *[]){ a, b }, 2);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_graph_import (graph, bytes, &error));
  g_assert_no_error (error);
  g_assert_nonnull (sluice_graph_find (graph, "b"));
  g_autoptr (GBytes) no_serve = pack (&a, 1);
  g_autoptr (SluiceGraph) other = sluice_graph_new ();
  g_assert_true (sluice_graph_import (other, no_serve, &error));
  g_assert_nonnull (sluice_graph_find (other, "a"));
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  for (gsize n = 0; n < length; n++)
    {
      g_autoptr (GBytes) part = g_bytes_new (data, n);
      g_autoptr (SluiceGraph) none = sluice_graph_new ();
      g_autoptr (GError) why = NULL;
      if (!sluice_graph_import (none, part, &why))
        g_assert_nonnull (why);
      else /* the other MetaGraph was cut off as a whole, and there is one left */
        g_assert_nonnull (sluice_graph_find (none, "a"));
    }
}

static void
test_tags_of_a_graph (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sluice-saved-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "graph.pbtxt", NULL);
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_set_contents (path, "node { name: 'a' op: 'NoOp' }", -1, NULL));
  g_assert_false (sluice_saved_model_exists (path));
  g_assert_null (sluice_graph_load_tagged (path, (const char *[]){ "serve", NULL }, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_unlink (path);
  g_rmdir (folder);
}

/* ---- what it says ---- */

#define RICH                                                                                       \
  SCHEMA META (                                                                                    \
      "tags: 'serve' tensorflow_version: '2.21.0'", "x",                                           \
      "saver_def { filename_tensor_name: 'x:0' restore_op_name: 'x' } "                            \
      "collection_def { key: 'legacy_init_op' value { node_list { value: 'x' } } } "               \
      "collection_def { key: 'saved_model_assets' value { any_list { value { "                     \
      "[type.googleapis.com/tensorflow.AssetFileDef] { tensor_info { name: 'x:0' } filename: "     \
      "'words.txt' } } value { type_url: 't' value: '\\n\\005\\n\\003x:0\\022\\001b' } } } } "     \
      "signature_def { key: 's' value { method_name: 'm' "                                         \
      "inputs { key: 'b' value { name: 'x:0' dtype: DT_FLOAT tensor_shape { dim { size: -1 } } } " \
      "} inputs { key: 'a' value { dtype: DT_FLOAT coo_sparse { values_tensor_name: 'x:0' "        \
      "indices_tensor_name: 'x:0' dense_shape_tensor_name: 'x:0' } } } "                           \
      "outputs { key: 'c' value { composite_tensor { components { name: 'x:0' } components { "     \
      "name: 'x:0' dtype: DT_INT64 } } } } } } "                                                   \
      "signature_def { key: '__saved_model_init_op' value { outputs { key: 'o' value { name: 'x' " \
      "} } } } "                                                                                   \
      "object_graph_def { nodes { children { node_id: 1 local_name: 'inner' } children { "         \
      "node_id: "                                                                                  \
      "-4 local_name: 'u' } children { node_id: 99 local_name: 'v' } } "                           \
      "nodes { children { node_id: 0 local_name: 'up' } children { node_id: 2 local_name: 'call' " \
      "} } nodes { function { concrete_functions: 'f_1' concrete_functions: 'f_2' } } }")

static void
test_signatures (void)
{
  g_autoptr (SluiceGraph) graph = load_well (RICH);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) signatures = sluice_graph_dup_signatures (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (signatures->len, ==, 1);
  const SluiceSavedSignature *s = sluice_signatures_find (signatures, "s", &error);
  g_assert_nonnull (s);
  g_autofree char *inputs = sluice_signature_describe (s->inputs);
  g_autofree char *outputs = sluice_signature_describe (s->outputs);
  g_assert_cmpstr (inputs, ==,
                   "a/dense_shape (int64 <unknown>), a/indices (int64 <unknown>), a/values (float "
                   "<unknown>), b (float "
                   "[?])");
  g_assert_cmpstr (outputs, ==, "c/0 (float <unknown>), c/1 (int64 <unknown>)");
  g_assert_cmpstr (sluice_signature_find (s->inputs, "b")->edge, ==, "x:0");
  g_assert_null (sluice_signature_find (s->inputs, "z"));
  g_assert_null (sluice_signatures_find (signatures, "t", &error));
  g_assert_nonnull (strstr (error->message, "'s'"));
}

static void
test_state (void)
{
  g_autoptr (SluiceGraph) graph = load_well (RICH);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceSavedState) state = sluice_graph_dup_saved_state (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (state->restore, ==, "x");
  g_assert_cmpstr (state->checkpoint, ==, "x:0");
  g_assert_cmpstr (state->init, ==, "x");
  g_assert_cmpstr (state->producer, ==, "2.21.0");
  g_assert_cmpstr (state->tags[0], ==, "serve");
  g_assert_cmpuint (state->assets->len, ==, 1); /* both entries are of one edge */
  g_assert_cmpstr (g_array_index (state->assets, SluiceAsset, 0).file, ==, "words.txt");
}

/* Objects that refer to each other in a circle, or to none that is there. */
static void
test_functions (void)
{
  g_autoptr (SluiceGraph) graph = load_well (RICH);
  g_autoptr (GPtrArray) functions = sluice_graph_dup_saved_functions (graph, NULL);
  g_assert_cmpuint (functions->len, ==, 1);
  const SluiceSavedFunction *f = functions->pdata[0];
  g_assert_cmpstr (f->name, ==, "inner.call");
  g_assert_cmpuint (g_strv_length (f->traces), ==, 2);
}

/* A graph without any of it. */
static void
test_plain (void)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (GPtrArray) signatures = sluice_graph_dup_signatures (graph, NULL);
  g_autoptr (GPtrArray) functions = sluice_graph_dup_saved_functions (graph, NULL);
  g_autoptr (SluiceSavedState) state = sluice_graph_dup_saved_state (graph, NULL);
  g_assert_cmpuint (signatures->len + functions->len + state->assets->len, ==, 0);
  g_assert_null (state->restore);
  g_assert_null (state->init);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      g_autofree char *path = g_strconcat ("/savedmodel/choice/", choices[i].name, NULL);
      g_test_add_data_func (path, &choices[i], test_choice);
    }
  g_test_add_func ("/savedmodel/binary", test_binary);
  g_test_add_func ("/savedmodel/tags-of-a-graph", test_tags_of_a_graph);
  g_test_add_func ("/savedmodel/signatures", test_signatures);
  g_test_add_func ("/savedmodel/state", test_state);
  g_test_add_func ("/savedmodel/functions", test_functions);
  g_test_add_func ("/savedmodel/plain", test_plain);
  return g_test_run ();
}
