/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/fuzz/fuzz-graph.h"

#include "engine/graph/graphdef.h"
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
  g_autofree char *hash = sluice_graph_dup_hash (from_text);
  g_autofree char *hash_again = sluice_graph_dup_hash (from_text_again);
  if (g_strcmp0 (hash, hash_again) != 0)
    g_error ("text, read and written again, differs");
}

int
fuzz_graph (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (GError) error = NULL;
  if (sluice_graph_import (graph, bytes, &error))
    check_round_trip (graph);
  else if (error == NULL || sluice_graph_get_n_nodes (graph) != 0)
    g_error ("a failed import must say why and leave nothing behind");
  return 0;
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
  return seeds;
}
