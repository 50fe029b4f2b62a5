/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The text of a graph follows it, and leaves alone what the graph does not say. */
#include "engine/graph/graph-text.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/engine/graph/random-edit.h"
#include "tests/engine/graph/text-mirror.h"

#define N_TRANSACTIONS 60

static const char model[] = "# The model.\n"
                            "node {\n"
                            "  name: \"x\"   # what comes in\n"
                            "  op: \"Placeholder\"\n"
                            "  attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
                            "  attr { key: \"shape\" value { shape { unknown_rank: true } } }\n"
                            "}\n"
                            "\n"
                            "# Pools.\n"
                            "node { name: 'pool' op: \"MaxPool\" input: \"x\"\n"
                            "  attr { key: \"ksize\" value {\n"
                            "    list { i: [1, 2, 2, 1] } } } # two by two\n"
                            "  attr { key: \"strides\" value { list { i: 1 i: 2 i: 2 i: 1 } } }\n"
                            "  attr { key: \"padding\" value { s: \"SAME\" } }\n"
                            "} # pool\n"
                            "node {\n"
                            "  name: \"out\"\n"
                            "  op: \"Identity\"\n"
                            "  input: \"pool:0\"\n"
                            "  attr { key: \"T\" value { type: DT_FLOAT } }\n"
                            "}\n"
                            "versions { producer: 2474 }\n"
                            "# The end.\n";

typedef struct
{
  SluiceGraph *graph;
  SluiceGraphText *map;
  GString *mirror;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  f->graph = sluice_graph_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (model, strlen (model));
  sluice_graph_import (f->graph, bytes, &error);
  g_assert_no_error (error);
  f->map = sluice_graph_text_new (f->graph, model);
  f->mirror = text_mirror_new (f->map);
  text_mirror_check (f->mirror, f->map, f->graph);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  sluice_graph_text_free (f->map);
  sluice_graph_unref (f->graph);
  g_string_free (f->mirror, TRUE);
}

/* Begins a transaction that commit() ends. */
static SluiceNode *
begin (Fixture *f, const char *name)
{
  sluice_edit_begin (f->graph);
  return sluice_graph_find (f->graph, name);
}

static SluiceEdit *
commit (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  SluiceEdit *edit = sluice_edit_commit (f->graph, &error);
  g_assert_no_error (error);
  text_mirror_check (f->mirror, f->map, f->graph);
  return edit;
}

static void
undo (Fixture *f, SluiceEdit *edit)
{
  g_autoptr (GError) error = NULL;
  sluice_edit_apply (edit, &error);
  g_assert_no_error (error);
  text_mirror_check (f->mirror, f->map, f->graph);
}

/* The text is the model's, but for one piece. */
static void
assert_differs (Fixture *f, const char *old, const char *now)
{
  const char *at = strstr (model, old);
  g_assert_nonnull (at);
  g_autofree char *before = g_strndup (model, (gsize) (at - model));
  g_autofree char *wanted = g_strconcat (before, now, at + strlen (old), NULL);
  g_assert_cmpstr (f->mirror->str, ==, wanted);
}

/* What came from a file stays as it was written. */
static void
test_as_read (Fixture *f, gconstpointer data)
{
  g_assert_cmpstr (f->mirror->str, ==, model);
}

static void
test_attribute (Fixture *f, gconstpointer data)
{
  SluiceAttr padding = sluice_attr_string ("padding", "VALID");
  SluiceAttr note = sluice_attr_int ("_note", 3);
  SluiceNode *node = begin (f, "pool");
  sluice_edit_set_attr (f->graph, node, &padding, NULL);
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_differs (f, "s: \"SAME\"", "s: \"VALID\"");
  undo (f, edit);
  g_assert_cmpstr (f->mirror->str, ==, model);

  node = begin (f, "pool");
  sluice_edit_set_attr (f->graph, node, &note, NULL);
  g_autoptr (SluiceEdit) add = commit (f);
  assert_differs (f, "input: \"x\"\n",
                  "input: \"x\"\n  attr { key: \"_note\" value {\n    i: 3 } }\n");
  undo (f, add);
  g_assert_cmpstr (f->mirror->str, ==, model);
}

static void
test_rename (Fixture *f, gconstpointer data)
{
  SluiceNode *node = begin (f, "pool");
  sluice_edit_rename (f->graph, node, "p", NULL);
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_nonnull (strstr (f->mirror->str, "node { name: \"p\" op: \"MaxPool\""));
  g_assert_nonnull (strstr (f->mirror->str, "  input: \"p\"\n"));
  g_assert_nonnull (strstr (f->mirror->str, "# two by two\n"));
}

static void
test_inputs (Fixture *f, gconstpointer data)
{
  SluiceNode *x = sluice_graph_find (f->graph, "x"), *node = begin (f, "out");
  sluice_edit_set_input (f->graph, node, 0, (SluiceEdge){ x, 0 }, NULL);
  sluice_edit_add_control (f->graph, node, sluice_graph_find (f->graph, "pool"), NULL);
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_differs (f, "  input: \"pool:0\"\n", "  input: \"x\"\n  input: \"^pool\"\n");
}

/* What stood before it stays, and it comes back to its place. */
static void
test_delete (Fixture *f, gconstpointer data)
{
  SluiceNode *node = begin (f, "pool");
  sluice_edit_delete (f->graph, &node, 1, NULL);
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_nonnull (strstr (f->mirror->str, "}\n\n# Pools.\nnode {\n  name: \"out\""));
  g_assert_null (strstr (f->mirror->str, "MaxPool"));
  undo (f, edit);
  assert_differs (f, "\"pool:0\"", "\"pool\"");
  undo (f, edit);
  undo (f, edit);
  assert_differs (f, "\"pool:0\"", "\"pool\"");
}

static void
test_add (Fixture *f, gconstpointer data)
{
  SluiceEdge edge = { begin (f, "pool"), 0 };
  SluiceNodeSpec spec = { .name = "neg", .op = "Neg", .inputs = &edge, .n_inputs = 1 };
  sluice_edit_add (f->graph, &spec, NULL);
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_differs (f, "versions {",
                  "node {\n  name: \"neg\"\n  op: \"Neg\"\n  input: \"pool\"\n"
                  "  attr { key: \"T\" value {\n    type: DT_FLOAT } }\n}\nversions {");
}

/* From a line to what stands there, and back. */
static void
test_spots (Fixture *f, gconstpointer data)
{
  g_auto (SluiceTextSpot) there = { 0 }, back = { 0 };
  g_assert_true (sluice_graph_text_find_spot (f->map, (SluiceTextPlace){ 13, 20 }, &there));
  g_assert_cmpstr (there.node->name, ==, "pool");
  g_assert_cmpint (there.kind, ==, SLUICE_NODE_FIELD_ATTR);
  g_assert_cmpstr (there.attr, ==, "padding");
  g_assert_cmpuint (there.begin.line, ==, 9);
  g_assert_cmpuint (there.end.line, ==, 15);
  g_assert_true (
      sluice_graph_text_find_node (f->map, there.node, SLUICE_NODE_FIELD_ATTR, "ksize", 0, &back));
  g_assert_cmpuint (back.field_begin.line, ==, 10);
  g_assert_cmpuint (back.field_end.line, ==, 11);
  g_assert_false (sluice_graph_text_find_spot (f->map, (SluiceTextPlace){ 8, 0 }, &there));
}

/* ---- any graph ---- */

static void
test_file (gconstpointer data)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (data, NULL);
  g_autoptr (GPtrArray) edits = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_edit_free);
  g_assert_nonnull (graph);
  if (sluice_graph_get_n_nodes (graph) < 4)
    return;
  g_autoptr (SluiceGraphText) map = sluice_graph_text_new (graph, NULL);
  GString *mirror = text_mirror_new (map);
  g_autofree char *before = sluice_graph_text_dup_text (map);
  text_mirror_check (mirror, map, graph);
  for (guint i = 0; i < N_TRANSACTIONS; i++)
    {
      SluiceEdit *edit = random_edit (graph);
      if (edit != NULL)
        g_ptr_array_add (edits, edit);
      if (g_test_rand_bit ())
        sluice_graph_text_refresh (map, 0);
      if (i % 8 == 0)
        text_mirror_check (mirror, map, graph);
    }
  for (guint i = edits->len; i-- > 0;)
    g_assert_true (sluice_edit_apply (edits->pdata[i], NULL));
  text_mirror_check (mirror, map, graph);
  g_string_free (mirror, TRUE);
}

static void
add_files (const char *folder, const char *const *names)
{
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *name = g_strdup_printf ("/graph-text/random/%s", names[i]);
      g_autofree char *file = g_strconcat (names[i], ".pb.gz", NULL);
      g_test_add_data_func_full (name, g_build_filename (folder, file, NULL), test_file, g_free);
    }
}

int
main (int argc, char **argv)
{
  static const char *const graphs[] = { "attention", "accumulators", "augment",   "dev_colocate",
                                        "bad_dtype", "bad_cycle",    "bad_const", NULL };
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
#define ADD(name, func) g_test_add ("/graph-text/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("as-read", test_as_read);
  ADD ("attribute", test_attribute);
  ADD ("rename", test_rename);
  ADD ("inputs", test_inputs);
  ADD ("delete", test_delete);
  ADD ("add", test_add);
  ADD ("spots", test_spots);
  g_autofree char *folder =
      g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "conformance", "graphs", NULL);
  add_files (folder, graphs);
  return g_test_run ();
}
