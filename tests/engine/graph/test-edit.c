/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Transactions on a graph: each change, each refusal, and what undoes them. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/collections.h"
#include "engine/graph/graphdef.h"
#include "kernels/registry.h"
#include "tests/engine/graph/edit-fixture.h"

/* ---- changes ---- */

static void
test_rewire (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  SluiceNode *a = edit_node (f, "s/a");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, a, 0, edit_edge (f, "z"), NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_true (edit_node (f, "s/a") == a);
  edit_assert_shape (edit_edge (f, "c"), "[3,4]");
  edit_assert_heard (f, "c:20 s/a:28 s/b:20 \n");
  guint n;
  sluice_graph_get_uses (f->graph, edit_node (f, "x"), &n);
  g_assert_cmpuint (n, ==, 0);
  edit_assert_inverse (f, edit, before);
  edit_assert_heard (f, "c:20 s/a:28 s/b:20 \nc:20 s/a:28 s/b:20 \nc:20 s/a:28 s/b:20 \n"
                        "c:20 s/a:28 s/b:20 \n");
  g_assert_true (sluice_edit_apply (edit, NULL));
  edit_assert_shape (edit_edge (f, "c"), "[2,4]");
}

/* What does not change is not told, and inference ends there. */
static void
test_rewire_same_shape (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "s/a"), 0, edit_edge (f, "y"), NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  edit_assert_heard (f, "s/a:8 \n");
}

static void
test_add_and_remove (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  SluiceEdge inputs[] = { edit_edge (f, "s/a") };
  SluiceNodeSpec spec = { .name = "s/n", .op = "Tanh", .inputs = inputs, .n_inputs = 1 };
  SluiceNode *made = sluice_edit_add (f->graph, &spec, NULL);
  g_assert_nonnull (made);
  SluiceNode *b = edit_node (f, "s/b");
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "c"), 0, (SluiceEdge){ made, 0 }, NULL));
  g_assert_true (sluice_edit_remove (f->graph, &b, 1, NULL));
  g_assert_null (sluice_graph_find (f->graph, "s/b"));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  edit_assert_heard (f, "-s/b@4 +s/n@5 c:8 \n");
  g_assert_cmpuint (edit_node (f, "c")->id, ==, 5);
  g_assert_cmpuint (made->id, ==, 6);
  edit_assert_inverse (f, edit, before);
  g_string_truncate (f->heard, 0);
  g_assert_true (sluice_edit_apply (edit, NULL));
  edit_assert_heard (f, "-s/n@5 +s/b@4 c:8 \n");
  g_assert_true (edit_node (f, "s/b") == b);
  g_assert_cmpuint (edit_node (f, "c")->id, ==, 6);
}

/* Removed from several places, one after the other and at once. */
static void
test_positions (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < 12; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);
      edit_placeholder (f, name, SLUICE_FLOAT, SLUICE_SHAPE (2));
    }
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  SluiceNode *some[] = { edit_node (f, "n9"), edit_node (f, "n1"), edit_node (f, "n4"),
                         edit_node (f, "n1") };
  SluiceNode *more[] = { edit_node (f, "n0"), edit_node (f, "n11"), edit_node (f, "n5") };
  g_assert_true (sluice_edit_remove (f->graph, some, G_N_ELEMENTS (some), NULL));
  g_assert_true (sluice_edit_remove (f->graph, more, G_N_ELEMENTS (more), NULL));
  SluiceNodeSpec spec = { .name = "n4", .op = "NoOp" };
  SluiceNode *made = sluice_edit_add (f->graph, &spec, NULL);
  spec.name = "again";
  SluiceNode *again = sluice_edit_add (f->graph, &spec, NULL);
  g_assert_nonnull (made);
  g_assert_true (sluice_edit_remove (f->graph, &again, 1, NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_cmpuint (sluice_graph_get_n_nodes (f->graph), ==, 7);
  g_assert_cmpstr (sluice_graph_get_node (f->graph, 0)->name, ==, "n2");
  for (guint i = 0; i < 7; i++)
    g_assert_cmpuint (sluice_graph_get_node (f->graph, i)->id, ==, i + 1);
  edit_assert_inverse (f, edit, before);
}

static void
test_open_input (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, edit_node (f, "s/a"), 0, SLUICE_NO_EDGE, NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_nonnull (strstr (edit_node (f, "s/a")->error->message, "input 0 (features) is open"));
  edit_assert_shape (edit_edge (f, "c"), "<unknown>");
  /* The file keeps it, and says the same when it is read. */
  g_autoptr (GBytes) bytes = edit_dup_bytes (f->graph);
  g_autoptr (SluiceGraph) again = sluice_graph_new ();
  g_assert_true (sluice_graph_import (again, bytes, NULL));
  edit_assert_bytes (again, bytes);
  g_assert_cmpstr (sluice_graph_find (again, "s/a")->error->message, ==,
                   edit_node (f, "s/a")->error->message);
  edit_assert_inverse (f, edit, before);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "s/a"), 0, edit_edge (f, "y"), NULL));
  sluice_edit_free (edit_commit (f));
  g_assert_null (edit_node (f, "s/a")->error);
  edit_assert_shape (edit_edge (f, "c"), "[2,4]");
}

static void
import_text (SluiceGraph *graph, const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  sluice_graph_import (graph, bytes, error);
}

/* A call of a function is not without its error until an edit comes by. */
static void
test_open_call (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  import_text (f->graph,
               "library { function { signature { name: \"twice\"\n"
               "  input_arg { name: \"x\" type: DT_FLOAT }\n"
               "  output_arg { name: \"y\" type: DT_FLOAT } }\n"
               "  ret { key: \"y\" value: \"x\" } } }\n"
               "node { name: \"call\" op: \"twice\" input: \"\" }\n",
               &error);
  g_assert_no_error (error);
  g_assert_nonnull (edit_node (f, "call")->error);
  g_assert_nonnull (strstr (edit_node (f, "call")->error->message, "is open; connect it"));
}

static void
test_add_open (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GError) error = NULL;
  sluice_edit_begin (f->graph);
  SluiceNodeSpec spec = { .name = "m", .op = "MatMul" };
  g_assert_null (sluice_edit_add (f->graph, &spec, &error));
  edit_assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("MatMul 'm'", "attribute T"));
  SluiceAttr attr = sluice_attr_type ("T", SLUICE_FLOAT);
  spec.attrs = &attr;
  spec.n_attrs = 1;
  SluiceNode *made = sluice_edit_add (f->graph, &spec, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_cmpuint (made->n_inputs, ==, 2);
  g_assert_nonnull (strstr (made->error->message, "input 0 (a) is open; connect it"));
}

static void
test_attributes (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  SluiceEdge w = edit_placeholder (f, "w", SLUICE_FLOAT, SLUICE_SHAPE (4, 2));
  SluiceEdge m = edit_add (f, "MatMul", "m", edit_edge (f, "y"), w);
  edit_add (f, "Neg", "n", m, SLUICE_NO_EDGE);
  g_string_truncate (f->heard, 0);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  SluiceAttr attr = sluice_attr_shape ("shape", &SLUICE_SHAPE (4, 7));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, edit_node (f, "w"), &attr, NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  edit_assert_shape (edit_edge (f, "n"), "[2,7]");
  edit_assert_heard (f, "m:20 n:20 w:24 \n");
  edit_assert_inverse (f, edit, before);
  /* Another attribute of its own, and back to the default. */
  sluice_edit_begin (f->graph);
  attr = sluice_attr_string ("_note", "here");
  g_assert_true (sluice_edit_set_attr (f->graph, edit_node (f, "m"), &attr, NULL));
  g_assert_true (sluice_edit_remove_attr (f->graph, edit_node (f, "w"), "shape", NULL));
  g_autoptr (SluiceEdit) second = edit_commit (f);
  edit_assert_shape (edit_edge (f, "w"), "<unknown>");
  g_assert_true (sluice_node_string_is (edit_node (f, "m"), "_note", "here"));
  g_assert_true (sluice_edit_apply (second, NULL));
  edit_assert_shape (edit_edge (f, "w"), "[4,7]");
}

/* What a value was folded to before a run is not told any more. */
static void
test_folded_values (Fixture *f, gconstpointer data)
{
  SluiceEdge x = edit_placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (-1));
  SluiceEdge n = sluice_builder_const_ints (&f->b, SLUICE_INT32, (gint64[]){ 2, 3 }, 2);
  edit_add (f, "Reshape", "r", x, n);
  edit_assert_shape (edit_edge (f, "r"), "[2,3]");
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_INT32, &SLUICE_SHAPE (3));
  for (guint i = 0; i < 3; i++)
    ((gint32 *) tensor->data)[i] = (gint32) i + 4;
  SluiceAttr attr = sluice_attr_tensor ("value", tensor);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, n.node, &attr, NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  edit_assert_shape (edit_edge (f, "r"), "[4,5,6]");
  edit_assert_inverse (f, edit, before);
  g_assert_true (sluice_edit_apply (edit, NULL));
  edit_assert_shape (edit_edge (f, "r"), "[2,3]");
}

static void
test_devices_and_controls (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  sluice_edit_set_device (f->graph, edit_node (f, "s/a"), "/cpu:1");
  g_assert_true (sluice_edit_add_control (f->graph, edit_node (f, "c"), edit_node (f, "y"), NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  edit_assert_heard (f, "c:10 s/a:2 \n");
  edit_assert_inverse (f, edit, before);
  g_string_truncate (f->heard, 0);
  g_autoptr (GBytes) with = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_remove_control (f->graph, edit_node (f, "c"), edit_node (f, "y"), NULL));
  g_autoptr (SluiceEdit) second = edit_commit (f);
  edit_assert_heard (f, "c:10 \n");
  edit_assert_inverse (f, second, with);
}

static void
test_number_of_inputs (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  SluiceEdge x = edit_edge (f, "x"), y = edit_edge (f, "y");
  sluice_builder_add (&f->b, "AddN", "sum", (SluiceEdge[]){ x, y }, 2, NULL, 0);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  g_string_truncate (f->heard, 0);
  SluiceAttr attr = sluice_attr_int ("N", 3);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_inputs (f->graph, edit_node (f, "sum"), (SluiceEdge[]){ x, y, x }, 3, NULL));
  edit_assert_refused (f, before, WORDS ("AddN 'sum'", "takes 2 inputs", "3 are connected"));
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_inputs (f->graph, edit_node (f, "sum"), (SluiceEdge[]){ x, y, x }, 3, NULL));
  g_assert_true (sluice_edit_set_attr (f->graph, edit_node (f, "sum"), &attr, NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_cmpuint (edit_node (f, "sum")->n_inputs, ==, 3);
  edit_assert_inverse (f, edit, before);
}

/* ---- names ---- */

static void
assert_text (Fixture *f, const char *const *with, const char *const *without)
{
  g_autofree char *text = edit_dup_text (f->graph);
  for (; *with != NULL; with++)
    if (strstr (text, *with) == NULL)
      g_error ("'%s' is not in:\n%s", *with, text);
  for (; *without != NULL; without++)
    if (strstr (text, *without) != NULL)
      g_error ("'%s' is in:\n%s", *without, text);
}

static void
test_rename (Fixture *f, gconstpointer data)
{
  edit_load_meta (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_rename (f->graph, edit_node (f, "v"), "weights", NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_null (sluice_graph_find (f->graph, "v"));
  edit_assert_heard (f, "v/Assign:4 v/read:4 weights:1 \n");
  assert_text (f,
               WORDS ("name: \"weights\"", "s: \"loc:@weights\"", "input: \"weights\"",
                      "value: \"weights:0\"", "weights:0\\022\\010v/Assign", "\\n\\007weights",
                      "key: \"v\""),
               WORDS ("loc:@v\"", "input: \"v\""));
  g_autoptr (GPtrArray) trainable = sluice_graph_dup_trainable (f->graph, NULL);
  g_assert_cmpuint (trainable->len, ==, 1);
  g_assert_cmpstr (trainable->pdata[0], ==, "weights:0");
  edit_assert_inverse (f, edit, before);
}

static void
test_rename_scope (Fixture *f, gconstpointer data)
{
  edit_load_meta (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_rename_scope (f->graph, "v", "v/deep", NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  edit_assert_heard (f, "v/deep/Assign:5 v/deep/i:1 v/deep/read:5 v/deep:1 \n");
  assert_text (f,
               WORDS ("name: \"v/deep\"", "name: \"v/deep/read\"", "loc:@v/deep",
                      "filename_tensor_name: \"v/deep/i:0\"", "name: \"v/deep/read:0\"",
                      "input: \"^v/deep/Assign\"", "v/deep/i:0"),
               WORDS ("\"v/read", "\"v/Assign", "name: \"v\""));
  edit_assert_inverse (f, edit, before);
  g_assert_true (sluice_edit_apply (edit, NULL));
  g_autoptr (GError) error = NULL;
  sluice_edit_begin (f->graph);
  g_assert_false (sluice_edit_rename_scope (f->graph, "nobody", "x", &error));
  edit_assert_words (&error, SLUICE_ERROR_NOT_FOUND, WORDS ("nobody"));
  /* Out of the scope: "v" itself would have no name left. */
  g_assert_false (sluice_edit_rename_scope (f->graph, "v", "", &error));
  edit_assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("is no name"));
  g_assert_true (sluice_edit_rename (f->graph, edit_node (f, "v"), "u", NULL));
  g_assert_true (sluice_edit_rename_scope (f->graph, "v", "", NULL));
  g_autoptr (SluiceEdit) second = edit_commit (f);
  g_assert_nonnull (sluice_graph_find (f->graph, "read"));
  g_assert_true (sluice_edit_apply (second, NULL));
  edit_assert_bytes (f->graph, before);
}

static void
test_remove_from_collections (Fixture *f, gconstpointer data)
{
  edit_load_meta (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  SluiceNode *gone[] = { edit_node (f, "vv"), edit_node (f, "train") };
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_remove (f->graph, gone, 2, NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  assert_text (f, WORDS ("value: \"v:0\"", "key: \"v\"", "v/Assign"),
               WORDS ("saver_def", "\"train\"\n  op", "vv", "key: \"out\""));
  edit_assert_inverse (f, edit, before);
}

/* What is deleted leaves no dead reference: its readers are healed or open. */
static void
test_delete (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  SluiceNode *b[] = { edit_node (f, "s/a"), edit_node (f, "s/b") };
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_delete (f->graph, b, 2, NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_true (edit_node (f, "c")->inputs[0].node == edit_node (f, "x"));
  g_assert_true (edit_node (f, "c")->inputs[1].node == edit_node (f, "x"));
  edit_assert_inverse (f, edit, before);
  g_autoptr (GBytes) healed = edit_dup_bytes (f->graph);
  SluiceNode *x = edit_node (f, "x");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_delete (f->graph, &x, 1, NULL));
  g_autoptr (SluiceEdit) second = edit_commit (f);
  g_assert_null (edit_node (f, "c")->inputs[0].node);
  g_assert_nonnull (edit_node (f, "c")->error);
  edit_assert_inverse (f, second, healed);
}

static void
test_delete_class (Fixture *f, gconstpointer data)
{
  edit_load_meta (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  SluiceNode *v = edit_node (f, "v");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_delete (f->graph, &v, 1, NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  assert_text (f, WORDS ("s: \"other\"", "input: \"\""), WORDS ("loc:@"));
  edit_assert_inverse (f, edit, before);
}

/* New names that are old ones of others; who names two is rewritten once. An import that failed
 * leaves nobody behind who would have to be told. */
static void
test_rename_class (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  import_text (f->graph,
               "node { name: \"a/x\" op: \"NoOp\" } node { name: \"a/a/x\" op: \"NoOp\" }\n"
               "node { name: \"u\" op: \"NoOp\" attr { key: \"_class\" value { list {\n"
               "  s: \"loc:@a/x\" s: \"loc:@a/a/x\" } } } }\n",
               &error);
  g_assert_no_error (error);
  import_text (f->graph,
               "node { name: \"w\" op: \"NoOp\" attr { key: \"_class\" value { list {\n"
               "  s: \"loc:@a/x\" } } } } node { name: \"w\" op: \"NoOp\" }\n",
               &error);
  edit_assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("two nodes", "'w'"));
  edit_follow (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_rename_scope (f->graph, "a", "a/a", NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  edit_assert_heard (f, "a/a/a/x:1 a/a/x:1 u:4 \n");
  assert_text (f, WORDS ("s: \"loc:@a/a/x\"", "s: \"loc:@a/a/a/x\""), WORDS ("loc:@a/x"));
  edit_assert_inverse (f, edit, before);
}

/* In a graph that was copied node by node. */
static void
test_rename_class_in_copy (Fixture *f, gconstpointer data)
{
  edit_load_meta (f);
  g_autoptr (SluiceGraph) copy = sluice_graph_new ();
  for (guint i = 0; i < sluice_graph_get_n_nodes (f->graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (f->graph, i);
      g_autofree SluiceEdge *inputs = g_new0 (SluiceEdge, node->n_inputs + 1);
      for (guint k = 0; k < node->n_inputs; k++)
        inputs[k] = (SluiceEdge){ sluice_graph_find (copy, node->inputs[k].node->name),
                                  node->inputs[k].port };
      sluice_graph_copy_node (copy, node, node->name, inputs, NULL, 0);
    }
  sluice_edit_begin (copy);
  g_assert_true (sluice_edit_rename (copy, sluice_graph_find (copy, "v"), "u", NULL));
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (copy, NULL);
  g_assert_nonnull (edit);
  g_autofree char *text = edit_dup_text (copy);
  g_assert_nonnull (strstr (text, "loc:@u"));
  g_assert_null (strstr (text, "loc:@v"));
}

/* The numbers behind names that were made come back, too. */
static void
test_unique_names (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autofree char *first = sluice_graph_unique_name (f->graph, "c");
  g_assert_cmpstr (first, ==, "c_1");
  sluice_edit_begin (f->graph);
  edit_add (f, "Neg", "c", edit_edge (f, "x"), SLUICE_NO_EDGE);
  edit_add (f, "Neg", "c", edit_edge (f, "x"), SLUICE_NO_EDGE);
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_nonnull (sluice_graph_find (f->graph, "c_3"));
  edit_assert_heard (f, "+c_2@6 +c_3@7 \n");
  g_assert_true (sluice_edit_apply (edit, NULL));
  g_autofree char *again = sluice_graph_unique_name (f->graph, "c");
  g_assert_cmpstr (again, ==, "c_2");
}

/* A node that is changed itself is refused; one behind it keeps what is wrong with it. */
static void
test_shapes_that_contradict (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, edit_node (f, "c"), 1, edit_edge (f, "z"), NULL));
  edit_assert_refused (f, before, WORDS ("AddV2 'c'", "[2,4]", "[3,4]"));
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "s/b"), 0, edit_edge (f, "z"), NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_nonnull (edit_node (f, "c")->error);
  edit_assert_heard (f, "c:60 s/b:28 \n");
  edit_assert_inverse (f, edit, before);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, edit_node (f, "c"), 1, edit_edge (f, "z"), NULL));
  sluice_edit_free (edit_commit (f));
  g_assert_null (edit_node (f, "c")->error);
  edit_assert_shape (edit_edge (f, "c"), "[3,4]");
}

static void
test_loop (Fixture *f, gconstpointer data)
{
  edit_make_loop (f);
  edit_assert_shape (edit_edge (f, "after"), "[2]");
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  /* What went round before says nothing of what goes round now. */
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "enter"), 0, edit_edge (f, "x3"), NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  edit_assert_shape (edit_edge (f, "merge"), "[3]");
  edit_assert_shape (edit_edge (f, "after"), "[3]");
  edit_assert_inverse (f, edit, before);
  g_assert_true (sluice_edit_apply (edit, NULL));
  edit_assert_shape (edit_edge (f, "after"), "[2]");
  /* A node more in the body. */
  SluiceEdge inputs[] = { edit_edge (f, "body") };
  SluiceNodeSpec spec = { .name = "more", .op = "Neg", .inputs = inputs, .n_inputs = 1 };
  sluice_edit_begin (f->graph);
  SluiceNode *made = sluice_edit_add (f->graph, &spec, NULL);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "next"), 0, (SluiceEdge){ made, 0 }, NULL));
  g_autoptr (SluiceEdit) second = edit_commit (f);
  edit_assert_shape (edit_edge (f, "after"), "[2]");
  edit_assert_inverse (f, second, before);
}

/* ---- the transaction as such ---- */

static void
test_order_of_undo (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  g_autoptr (GError) error = NULL;
  sluice_edit_begin (f->graph);
  sluice_edit_set_device (f->graph, edit_node (f, "x"), "/cpu:0");
  g_autoptr (SluiceEdit) first = edit_commit (f);
  sluice_edit_begin (f->graph);
  sluice_edit_set_device (f->graph, edit_node (f, "x"), "/cpu:1");
  g_autoptr (SluiceEdit) second = edit_commit (f);
  g_assert_false (sluice_edit_apply (first, &error));
  edit_assert_words (&error, SLUICE_ERROR_FAILED_PRECONDITION, WORDS ("changed since"));
  g_assert_true (sluice_edit_apply (second, NULL));
  g_assert_true (sluice_edit_apply (first, NULL));
  edit_assert_bytes (f->graph, before);
  g_assert_false (sluice_edit_apply (second, &error));
  g_clear_error (&error);
  g_assert_true (sluice_edit_apply (first, NULL));
  g_assert_true (sluice_edit_apply (second, NULL));
  g_assert_cmpstr (edit_node (f, "x")->device, ==, "/cpu:1");
  sluice_graph_set_device (f->graph, edit_node (f, "y"), "/cpu:0");
  g_assert_false (sluice_edit_apply (second, NULL));
}

/* What grows a graph is heard once, too. */
static void
test_growth (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  edit_add (f, "Neg", "d", edit_edge (f, "c"), SLUICE_NO_EDGE);
  edit_assert_heard (f, "+d@6 \n");
  static const char text[] = "node { name: \"p\" op: \"NoOp\" }\n"
                             "node { name: \"q\" op: \"NoOp\" input: \"^p\" }\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_assert_true (sluice_graph_import (f->graph, bytes, NULL));
  edit_assert_heard (f, "+p@7 +q@8 \n");
  sluice_graph_hold (f->graph);
  edit_add (f, "Neg", "e", edit_edge (f, "c"), SLUICE_NO_EDGE);
  sluice_graph_add_control_input (f->graph, edit_node (f, "c"), edit_node (f, "p"));
  edit_assert_heard (f, "");
  sluice_graph_release (f->graph);
  edit_assert_heard (f, "+e@9 c:10 \n");
  sluice_graph_unfollow (f->graph, f->follower);
  edit_add (f, "Neg", "g", edit_edge (f, "c"), SLUICE_NO_EDGE);
  edit_assert_heard (f, "");
}

/* An import within a transaction is undone as a whole. */
static void
test_import_undone (Fixture *f, gconstpointer data)
{
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  edit_load_meta (f);
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_cmpuint (sluice_graph_get_n_nodes (f->graph), ==, 6);
  edit_assert_inverse (f, edit, before);
  g_assert_true (sluice_edit_apply (edit, NULL));
  g_assert_cmpuint (sluice_graph_get_n_nodes (f->graph), ==, 0);
}

/* A cycle that a file has is mended by taking one of its edges away. */
static void
test_mend_cycle (Fixture *f, gconstpointer data)
{
  static const char text[] =
      "node { name: \"p\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
      "node { name: \"a\" op: \"Neg\" input: \"b\" attr { key: \"T\" value { type: DT_FLOAT } } }\n"
      "node { name: \"b\" op: \"Neg\" input: \"a\" attr { key: \"T\" value { type: DT_FLOAT } } "
      "}\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_assert_true (sluice_graph_import (f->graph, bytes, NULL));
  g_assert_nonnull (edit_node (f, "b")->error);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, edit_node (f, "a"), 0, edit_edge (f, "p"), NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_assert_null (edit_node (f, "a")->error);
  g_assert_null (edit_node (f, "b")->error);
  edit_assert_inverse (f, edit, before);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, edit_node (f, "a"), 0, edit_edge (f, "b"), NULL));
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_edit_commit (f->graph, &error));
  edit_assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("Neg 'a'", "cycle"));
}

#define TEST(name, function)                                                                       \
  g_test_add ("/edit/" name, Fixture, NULL, edit_set_up, function, edit_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  TEST ("rewire", test_rewire);
  TEST ("rewire-same-shape", test_rewire_same_shape);
  TEST ("add-and-remove", test_add_and_remove);
  TEST ("positions", test_positions);
  TEST ("open-input", test_open_input);
  TEST ("open-call", test_open_call);
  TEST ("add-open", test_add_open);
  TEST ("attributes", test_attributes);
  TEST ("folded-values", test_folded_values);
  TEST ("devices-and-controls", test_devices_and_controls);
  TEST ("number-of-inputs", test_number_of_inputs);
  TEST ("rename", test_rename);
  TEST ("rename-scope", test_rename_scope);
  TEST ("remove-from-collections", test_remove_from_collections);
  TEST ("delete", test_delete);
  TEST ("delete-class", test_delete_class);
  TEST ("rename-class", test_rename_class);
  TEST ("rename-class-in-copy", test_rename_class_in_copy);
  TEST ("unique-names", test_unique_names);
  TEST ("shapes-that-contradict", test_shapes_that_contradict);
  TEST ("loop", test_loop);
  TEST ("order-of-undo", test_order_of_undo);
  TEST ("growth", test_growth);
  TEST ("import-undone", test_import_undone);
  TEST ("mend-cycle", test_mend_cycle);
  return g_test_run ();
}
