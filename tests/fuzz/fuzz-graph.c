/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/fuzz/fuzz-graph.h"

#include <string.h>

#include "engine/graph/graphdef.h"
#include "engine/graph/savedmodel.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

void
fuzz_init (void)
{
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
}

static GBytes *export(SluiceGraph *graph, guint flags)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = sluice_graph_export (graph, flags, &error);
  if (bytes == NULL)
    g_error ("a graph that was read cannot be written: %s", error->message);
  return bytes;
}

static SluiceGraph *
import_own (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  if (!sluice_graph_import (graph, bytes, &error))
    g_error ("a graph that was written cannot be read: %s", error->message);
  return g_steal_pointer (&graph);
}

/* What was written once must come back the same. */
static void
check_round_trip (SluiceGraph *graph)
{
  g_autoptr (GBytes) binary = export(graph, SLUICE_EXPORT_BINARY);
  g_autoptr (SluiceGraph) again = import_own (binary);
  g_autoptr (GBytes) binary_again = export(again, SLUICE_EXPORT_BINARY);
  if (!g_bytes_equal (binary, binary_again))
    g_error ("binary, read and written again, differs");
  g_autoptr (GBytes) text = export(graph, SLUICE_EXPORT_TEXT);
  g_autoptr (SluiceGraph) from_text = import_own (text);
  g_autoptr (GBytes) text_again = export(from_text, SLUICE_EXPORT_TEXT);
  g_autoptr (SluiceGraph) from_text_again = import_own (text_again);
  g_autofree char *hash = sluice_graph_dup_hash (from_text, NULL);
  g_autofree char *hash_again = sluice_graph_dup_hash (from_text_again, NULL);
  if (g_strcmp0 (hash, hash_again) != 0)
    g_error ("text, read and written again, differs");
}

/* What a MetaGraph says beside its nodes either can be read or says why not. */
static void
read_meta (SluiceGraph *graph)
{
  g_autoptr (GError) no_signatures = NULL, no_state = NULL, no_functions = NULL;
  g_autoptr (GPtrArray) signatures = sluice_graph_dup_signatures (graph, &no_signatures);
  g_autoptr (SluiceSavedState) state = sluice_graph_dup_saved_state (graph, &no_state);
  g_autoptr (GPtrArray) functions = sluice_graph_dup_saved_functions (graph, &no_functions);
  if ((signatures == NULL) != (no_signatures != NULL) || (state == NULL) != (no_state != NULL)
      || (functions == NULL) != (no_functions != NULL))
    g_error ("a failure must say why");
  for (guint i = 0; signatures != NULL && i < signatures->len; i++)
    {
      const SluiceSavedSignature *signature = signatures->pdata[i];
      g_free (sluice_signature_describe (signature->inputs));
      g_free (sluice_signature_describe (signature->outputs));
    }
}

/* Of a SavedModel one MetaGraph is read, which need not be told from a GraphDef when it is written
 * by itself. */
static gboolean
is_saved_model (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  return (size > 0 && data[0] == 0x08) || strstr (text, "saved_model_schema_version") != NULL
         || strstr (text, "meta_graphs") != NULL;
}

int
fuzz_graph (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (GError) error = NULL;
  if (sluice_graph_import (graph, bytes, &error))
    {
      read_meta (graph);
      if (!is_saved_model (data, size))
        check_round_trip (graph);
    }
  else if (error == NULL || sluice_graph_get_n_nodes (graph) != 0)
    g_error ("a failed import must say why and leave nothing behind");
  return 0;
}

/* Two MetaGraphs with signatures, an asset, an initialiser, objects. */
static const char saved_model[] =
    "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' "
    "tensorflow_version: '2.21.0' } graph_def { node { name: 'x' op: 'Placeholder' attr { key: "
    "'dtype' value { type: DT_FLOAT } } } node { name: 'f' op: 'Placeholder' attr { key: 'dtype' "
    "value { type: DT_STRING } } } node { name: 'r' op: 'NoOp' } versions { producer: 2474 } } "
    "saver_def { filename_tensor_name: 'f:0' restore_op_name: 'r' } collection_def { key: "
    "'saved_model_assets' value { any_list { value { "
    "[type.googleapis.com/tensorflow.AssetFileDef] { tensor_info { name: 'f:0' } filename: 'a' } "
    "} } } } signature_def { key: 's' value { inputs { key: 'x' value { name: 'x:0' dtype: "
    "DT_FLOAT tensor_shape { dim { size: -1 } } } } outputs { key: 'y' value { coo_sparse { "
    "values_tensor_name: 'x:0' indices_tensor_name: 'x:0' dense_shape_tensor_name: 'x:0' } } } } } "
    "object_graph_def { nodes { children { node_id: 1 local_name: 'f' } } nodes { children { "
    "node_id: 0 local_name: 'up' } function { concrete_functions: '__inference_f_1' } } } } "
    "meta_graphs { meta_info_def { tags: 'train' } graph_def { } }";

/* The binary form: a MetaGraphDef behind the schema version. */
static GBytes *
make_saved_model (gboolean text)
{
  g_autoptr (GBytes) source = g_bytes_new_static (saved_model, sizeof saved_model - 1);
  if (text)
    return g_steal_pointer (&source);
  g_autoptr (SluiceGraph) graph = import_own (source);
  g_autoptr (GBytes) meta = export(graph, SLUICE_EXPORT_BINARY);
  gsize length;
  const guint8 *bytes = g_bytes_get_data (meta, &length);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_byte_array_append (file, (const guint8 *) "\x08\x01\x12", 3);
  for (gsize rest = length;; rest >>= 7)
    {
      guint8 byte = (rest & 0x7f) | (rest > 0x7f ? 0x80 : 0);
      g_byte_array_append (file, &byte, 1);
      if (rest <= 0x7f)
        break;
    }
  g_byte_array_append (file, bytes, (guint) length);
  return g_byte_array_free_to_bytes (g_steal_pointer (&file));
}

GPtrArray *
fuzz_graph_seeds (gboolean text)
{
  static const char *const files[] = {
    "graphs/bad_const.pb.gz",         "graphs/bad_cycle.pb.gz",
    "graphs/bad_missing_input.pb.gz", "graphs/bad_unknown_op.pb.gz",
    "graphs/bad_names_order.pb.gz",   "graphs/bad_version.pb.gz",
    "graphs/fifo_queue.pb.gz",        "graphs/linear_regression.pb.gz",
    "graphs/while_invariants.pb.gz",  "graphs/defun.pb.gz",
    "ops/array/Const.pb.gz",          "ops/flow/Enter.pb.gz",
    "ops/flow/EmptyTensorList.pb.gz",
  };
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path =
          g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "conformance", files[i], NULL);
      g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, NULL);
      if (graph != NULL)
        g_ptr_array_add (seeds, export(graph, text ? SLUICE_EXPORT_TEXT : SLUICE_EXPORT_BINARY));
    }
  g_ptr_array_add (seeds, make_saved_model (text));
  return seeds;
}
