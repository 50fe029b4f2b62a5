/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Transactions on a graph: each change, each refusal, and what undoes them. */
#include "engine/graph/edit.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/graph/collections.h"
#include "engine/graph/graphdef.h"
#include "kernels/registry.h"

typedef struct
{
  SluiceGraph *graph;
  SluiceBuilder b;
  guint follower;
  GString *heard; /* what followers were told, a line each */
} Fixture;

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* "+name@index -name@index name:what", changes by name, then a line break. */
static void
follow_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  Fixture *f = data;
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < delta->n_removed; i++)
    g_string_append_printf (f->heard, "-%s@%u ", delta->removed[i].node->name,
                            delta->removed[i].index);
  for (guint i = 0; i < delta->n_added; i++)
    {
      g_assert_true (sluice_graph_get_node (graph, delta->added[i].index) == delta->added[i].node);
      g_string_append_printf (f->heard, "+%s@%u ", delta->added[i].node->name,
                              delta->added[i].index);
    }
  for (guint i = 0; i < delta->n_changed; i++)
    g_ptr_array_add (
        changed, g_strdup_printf ("%s:%x ", delta->changed[i].node->name, delta->changed[i].what));
  g_ptr_array_sort (changed, compare_texts);
  for (guint i = 0; i < changed->len; i++)
    g_string_append (f->heard, changed->pdata[i]);
  g_string_append_c (f->heard, '\n');
}

static void
set_up (Fixture *f, gconstpointer data)
{
  f->graph = sluice_graph_new ();
  f->heard = g_string_new (NULL);
  sluice_builder_init (&f->b, f->graph, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_clear_error (&f->b.error);
  sluice_graph_unref (f->graph);
  g_string_free (f->heard, TRUE);
}

static void
follow (Fixture *f)
{
  f->follower = sluice_graph_follow (f->graph, follow_cb, f);
}

static void
assert_heard (Fixture *f, const char *expected)
{
  g_assert_cmpstr (f->heard->str, ==, expected);
  g_string_truncate (f->heard, 0);
}

static SluiceNode *
node (Fixture *f, const char *name)
{
  SluiceNode *found = sluice_graph_find (f->graph, name);
  g_assert_nonnull (found);
  return found;
}

static SluiceEdge
edge (Fixture *f, const char *name)
{
  SluiceEdge found = SLUICE_NO_EDGE;
  g_assert_true (sluice_graph_parse_edge (f->graph, name, &found, NULL));
  return found;
}

static SluiceEdge
placeholder (Fixture *f, const char *name, SluiceDType dtype, SluiceShape shape)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", dtype), sluice_attr_shape ("shape", &shape) };
  SluiceEdge made = sluice_builder_add (&f->b, "Placeholder", name, NULL, 0, attrs, 2);
  g_assert_no_error (f->b.error);
  return made;
}

static SluiceEdge
add (Fixture *f, const char *op, const char *name, SluiceEdge a, SluiceEdge b)
{
  SluiceEdge made =
      sluice_builder_add (&f->b, op, name, (SluiceEdge[]){ a, b }, b.node != NULL ? 2 : 1, NULL, 0);
  g_assert_no_error (f->b.error);
  return made;
}

static GBytes *
dup_bytes (SluiceGraph *graph)
{
  GBytes *bytes = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_nonnull (bytes);
  return bytes;
}

static char *
dup_text (SluiceGraph *graph)
{
  g_autoptr (GBytes) bytes = sluice_graph_export (graph, SLUICE_EXPORT_TEXT, NULL);
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);
  return g_strndup (text, length);
}

static void
assert_bytes (SluiceGraph *graph, GBytes *expected)
{
  g_autoptr (GBytes) bytes = dup_bytes (graph);
  if (g_bytes_equal (bytes, expected))
    return;
  g_autoptr (SluiceGraph) other = sluice_graph_new ();
  g_assert_true (sluice_graph_import (other, expected, NULL));
  g_autofree char *is = dup_text (graph), *was = dup_text (other);
  g_error ("is\n%s\ninstead of\n%s", is, was);
}

static SluiceEdit *
commit (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  SluiceEdit *edit = sluice_edit_commit (f->graph, &error);
  g_assert_no_error (error);
  return edit;
}

/* Undoes and redoes, with the bytes that must come out, and is done again at the end. */
static void
assert_inverse (Fixture *f, SluiceEdit *edit, GBytes *before)
{
  g_autoptr (GBytes) after = dup_bytes (f->graph);
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (sluice_edit_apply (edit, &error));
      assert_bytes (f->graph, before);
      g_assert_true (sluice_edit_apply (edit, &error));
      assert_bytes (f->graph, after);
    }
}

static void
assert_words (GError **error, int code, const char *const *words)
{
  g_assert_error (*error, SLUICE_ERROR, code);
  for (; *words != NULL; words++)
    if (strstr ((*error)->message, *words) == NULL)
      g_error ("'%s' is not in: %s", *words, (*error)->message);
  g_clear_error (error);
}
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The open transaction is refused, and nothing has happened. */
static void
assert_refused (Fixture *f, GBytes *before, const char *const *words)
{
  g_autoptr (GError) error = NULL;
  guint64 version = sluice_graph_get_version (f->graph);
  g_assert_null (sluice_edit_commit (f->graph, &error));
  assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, words);
  assert_bytes (f->graph, before);
  g_assert_cmpuint (sluice_graph_get_version (f->graph), >=, version);
  assert_heard (f, "");
}

/* x [2,4] -> a -> b -> c, and y beside it. */
static void
make_chain (Fixture *f)
{
  SluiceEdge x = placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (2, 4));
  placeholder (f, "y", SLUICE_FLOAT, SLUICE_SHAPE (2, 4));
  placeholder (f, "z", SLUICE_FLOAT, SLUICE_SHAPE (3, 4));
  SluiceEdge a = add (f, "Relu", "s/a", x, SLUICE_NO_EDGE);
  SluiceEdge b = add (f, "Neg", "s/b", a, SLUICE_NO_EDGE);
  add (f, "AddV2", "c", b, a);
  follow (f);
}

static void
assert_shape (SluiceEdge found, const char *expected)
{
  char text[SLUICE_SHAPE_STR];
  g_assert_cmpstr (sluice_shape_str (sluice_edge_shape (found), text), ==, expected);
}

/* ---- changes ---- */

static void
test_rewire (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  SluiceNode *a = node (f, "s/a");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, a, 0, edge (f, "z"), NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_true (node (f, "s/a") == a);
  assert_shape (edge (f, "c"), "[3,4]");
  assert_heard (f, "c:20 s/a:28 s/b:20 \n");
  guint n;
  sluice_graph_get_uses (f->graph, node (f, "x"), &n);
  g_assert_cmpuint (n, ==, 0);
  assert_inverse (f, edit, before);
  assert_heard (f, "c:20 s/a:28 s/b:20 \nc:20 s/a:28 s/b:20 \nc:20 s/a:28 s/b:20 \n"
                   "c:20 s/a:28 s/b:20 \n");
  g_assert_true (sluice_edit_apply (edit, NULL));
  assert_shape (edge (f, "c"), "[2,4]");
}

/* What does not change is not told, and inference ends there. */
static void
test_rewire_same_shape (Fixture *f, gconstpointer data)
{
  make_chain (f);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "s/a"), 0, edge (f, "y"), NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_heard (f, "s/a:8 \n");
}

static void
test_add_and_remove (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  SluiceEdge inputs[] = { edge (f, "s/a") };
  SluiceNodeSpec spec = { .name = "s/n", .op = "Tanh", .inputs = inputs, .n_inputs = 1 };
  SluiceNode *made = sluice_edit_add (f->graph, &spec, NULL);
  g_assert_nonnull (made);
  SluiceNode *b = node (f, "s/b");
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "c"), 0, (SluiceEdge){ made, 0 }, NULL));
  g_assert_true (sluice_edit_remove (f->graph, &b, 1, NULL));
  g_assert_null (sluice_graph_find (f->graph, "s/b"));
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_heard (f, "-s/b@4 +s/n@5 c:8 \n");
  g_assert_cmpuint (node (f, "c")->id, ==, 5);
  g_assert_cmpuint (made->id, ==, 6);
  assert_inverse (f, edit, before);
  g_string_truncate (f->heard, 0);
  g_assert_true (sluice_edit_apply (edit, NULL));
  assert_heard (f, "-s/n@5 +s/b@4 c:8 \n");
  g_assert_true (node (f, "s/b") == b);
  g_assert_cmpuint (node (f, "c")->id, ==, 6);
}

/* Removed from several places, one after the other and at once. */
static void
test_positions (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < 12; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);
      placeholder (f, name, SLUICE_FLOAT, SLUICE_SHAPE (2));
    }
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  SluiceNode *some[] = { node (f, "n9"), node (f, "n1"), node (f, "n4"), node (f, "n1") };
  SluiceNode *more[] = { node (f, "n0"), node (f, "n11"), node (f, "n5") };
  g_assert_true (sluice_edit_remove (f->graph, some, G_N_ELEMENTS (some), NULL));
  g_assert_true (sluice_edit_remove (f->graph, more, G_N_ELEMENTS (more), NULL));
  SluiceNodeSpec spec = { .name = "n4", .op = "NoOp" };
  SluiceNode *made = sluice_edit_add (f->graph, &spec, NULL);
  spec.name = "again";
  SluiceNode *again = sluice_edit_add (f->graph, &spec, NULL);
  g_assert_nonnull (made);
  g_assert_true (sluice_edit_remove (f->graph, &again, 1, NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_cmpuint (sluice_graph_get_n_nodes (f->graph), ==, 7);
  g_assert_cmpstr (sluice_graph_get_node (f->graph, 0)->name, ==, "n2");
  for (guint i = 0; i < 7; i++)
    g_assert_cmpuint (sluice_graph_get_node (f->graph, i)->id, ==, i + 1);
  assert_inverse (f, edit, before);
}

static void
test_open_input (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "s/a"), 0, SLUICE_NO_EDGE, NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_nonnull (strstr (node (f, "s/a")->error->message, "input 0 (features) is open"));
  assert_shape (edge (f, "c"), "<unknown>");
  /* The file keeps it, and says the same when it is read. */
  g_autoptr (GBytes) bytes = dup_bytes (f->graph);
  g_autoptr (SluiceGraph) again = sluice_graph_new ();
  g_assert_true (sluice_graph_import (again, bytes, NULL));
  assert_bytes (again, bytes);
  g_assert_cmpstr (sluice_graph_find (again, "s/a")->error->message, ==,
                   node (f, "s/a")->error->message);
  assert_inverse (f, edit, before);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "s/a"), 0, edge (f, "y"), NULL));
  sluice_edit_free (commit (f));
  g_assert_null (node (f, "s/a")->error);
  assert_shape (edge (f, "c"), "[2,4]");
}

static void
test_add_open (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GError) error = NULL;
  sluice_edit_begin (f->graph);
  SluiceNodeSpec spec = { .name = "m", .op = "MatMul" };
  g_assert_null (sluice_edit_add (f->graph, &spec, &error));
  assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("MatMul 'm'", "attribute T"));
  SluiceAttr attr = sluice_attr_type ("T", SLUICE_FLOAT);
  spec.attrs = &attr;
  spec.n_attrs = 1;
  SluiceNode *made = sluice_edit_add (f->graph, &spec, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_cmpuint (made->n_inputs, ==, 2);
  g_assert_nonnull (strstr (made->error->message, "input 0 (a) is open; connect it"));
}

static void
test_attributes (Fixture *f, gconstpointer data)
{
  make_chain (f);
  SluiceEdge w = placeholder (f, "w", SLUICE_FLOAT, SLUICE_SHAPE (4, 2));
  SluiceEdge m = add (f, "MatMul", "m", edge (f, "y"), w);
  add (f, "Neg", "n", m, SLUICE_NO_EDGE);
  g_string_truncate (f->heard, 0);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  SluiceAttr attr = sluice_attr_shape ("shape", &SLUICE_SHAPE (4, 7));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, node (f, "w"), &attr, NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_shape (edge (f, "n"), "[2,7]");
  assert_heard (f, "m:20 n:20 w:24 \n");
  assert_inverse (f, edit, before);
  /* Another attribute of its own, and back to the default. */
  sluice_edit_begin (f->graph);
  attr = sluice_attr_string ("_note", "here");
  g_assert_true (sluice_edit_set_attr (f->graph, node (f, "m"), &attr, NULL));
  g_assert_true (sluice_edit_remove_attr (f->graph, node (f, "w"), "shape", NULL));
  g_autoptr (SluiceEdit) second = commit (f);
  assert_shape (edge (f, "w"), "<unknown>");
  g_assert_true (sluice_node_string_is (node (f, "m"), "_note", "here"));
  g_assert_true (sluice_edit_apply (second, NULL));
  assert_shape (edge (f, "w"), "[4,7]");
}

/* What a value was folded to before a run is not told any more. */
static void
test_folded_values (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (-1));
  SluiceEdge n = sluice_builder_const_ints (&f->b, SLUICE_INT32, (gint64[]){ 2, 3 }, 2);
  add (f, "Reshape", "r", x, n);
  assert_shape (edge (f, "r"), "[2,3]");
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_INT32, &SLUICE_SHAPE (3));
  for (guint i = 0; i < 3; i++)
    ((gint32 *) tensor->data)[i] = (gint32) i + 4;
  SluiceAttr attr = sluice_attr_tensor ("value", tensor);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, n.node, &attr, NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_shape (edge (f, "r"), "[4,5,6]");
  assert_inverse (f, edit, before);
  g_assert_true (sluice_edit_apply (edit, NULL));
  assert_shape (edge (f, "r"), "[2,3]");
}

static void
test_devices_and_controls (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  sluice_edit_set_device (f->graph, node (f, "s/a"), "/cpu:1");
  g_assert_true (sluice_edit_add_control (f->graph, node (f, "c"), node (f, "y"), NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_heard (f, "c:10 s/a:2 \n");
  assert_inverse (f, edit, before);
  g_string_truncate (f->heard, 0);
  g_autoptr (GBytes) with = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_remove_control (f->graph, node (f, "c"), node (f, "y"), NULL));
  g_autoptr (SluiceEdit) second = commit (f);
  assert_heard (f, "c:10 \n");
  assert_inverse (f, second, with);
}

static void
test_number_of_inputs (Fixture *f, gconstpointer data)
{
  make_chain (f);
  SluiceEdge x = edge (f, "x"), y = edge (f, "y");
  sluice_builder_add (&f->b, "AddN", "sum", (SluiceEdge[]){ x, y }, 2, NULL, 0);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  g_string_truncate (f->heard, 0);
  SluiceAttr attr = sluice_attr_int ("N", 3);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_inputs (f->graph, node (f, "sum"), (SluiceEdge[]){ x, y, x }, 3, NULL));
  assert_refused (f, before, WORDS ("AddN 'sum'", "takes 2 inputs", "3 are connected"));
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_inputs (f->graph, node (f, "sum"), (SluiceEdge[]){ x, y, x }, 3, NULL));
  g_assert_true (sluice_edit_set_attr (f->graph, node (f, "sum"), &attr, NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_cmpuint (node (f, "sum")->n_inputs, ==, 3);
  assert_inverse (f, edit, before);
}

/* ---- names ---- */

static const char meta_text[] =
    "meta_info_def { tags: \"train\" }\n"
    "graph_def {\n"
    "  node { name: \"v\" op: \"VariableV2\" attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "    attr { key: \"shape\" value { shape { dim { size: 2 } } } } }\n"
    "  node { name: \"v/i\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } } "
    "}\n"
    "  node { name: \"v/Assign\" op: \"Assign\" input: \"v\" input: \"v/i\"\n"
    "    attr { key: \"T\" value { type: DT_FLOAT } }\n"
    "    attr { key: \"_class\" value { list { s: \"loc:@v\" s: \"other\" } } } }\n"
    "  node { name: \"v/read\" op: \"Identity\" input: \"v\"\n"
    "    attr { key: \"T\" value { type: DT_FLOAT } }\n"
    "    attr { key: \"_class\" value { list { s: \"loc:@v\" } } } }\n"
    "  node { name: \"vv\" op: \"Neg\" input: \"v/read\" attr { key: \"T\" value { type: DT_FLOAT "
    "} } }\n"
    "  node { name: \"train\" op: \"NoOp\" input: \"^vv\" input: \"^v/Assign\" }\n"
    "}\n"
    "saver_def { filename_tensor_name: \"v/i:0\" save_tensor_name: \"vv:0\"\n"
    "  restore_op_name: \"train\" }\n"
    "collection_def { key: \"train_op\" value { node_list { value: \"train\" value: \"v:0\" } } }\n"
    "collection_def { key: \"trainable_variables\" value { bytes_list {\n"
    "  value: \"\\n\\003v:0\\022\\010v/Assign\\032\\010v/read:02\\005v/i:0\" } } }\n"
    "collection_def { key: \"queue_runners\" value { bytes_list {\n"
    "  value: \"\\n\\001v\\022\\010v/Assign\\022\\002vv\" } } }\n"
    "signature_def { key: \"s\" value {\n"
    "  inputs { key: \"v\" value { name: \"v/read:0\" dtype: DT_FLOAT } }\n"
    "  outputs { key: \"out\" value { name: \"vv:0\" dtype: DT_FLOAT } } } }\n";

static void
load_meta (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (meta_text, strlen (meta_text));
  sluice_graph_import (f->graph, bytes, &error);
  g_assert_no_error (error);
  follow (f);
}

static void
assert_text (Fixture *f, const char *const *with, const char *const *without)
{
  g_autofree char *text = dup_text (f->graph);
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
  load_meta (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_rename (f->graph, node (f, "v"), "weights", NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_null (sluice_graph_find (f->graph, "v"));
  assert_heard (f, "v/Assign:4 v/read:4 weights:1 \n");
  assert_text (f,
               WORDS ("name: \"weights\"", "s: \"loc:@weights\"", "input: \"weights\"",
                      "value: \"weights:0\"", "weights:0\\022\\010v/Assign", "\\n\\007weights",
                      "key: \"v\""),
               WORDS ("loc:@v\"", "input: \"v\""));
  g_autoptr (GPtrArray) trainable = sluice_graph_dup_trainable (f->graph, NULL);
  g_assert_cmpuint (trainable->len, ==, 1);
  g_assert_cmpstr (trainable->pdata[0], ==, "weights:0");
  assert_inverse (f, edit, before);
}

static void
test_rename_scope (Fixture *f, gconstpointer data)
{
  load_meta (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_rename_scope (f->graph, "v", "v/deep", NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_heard (f, "v/deep/Assign:5 v/deep/i:1 v/deep/read:5 v/deep:1 \n");
  assert_text (f,
               WORDS ("name: \"v/deep\"", "name: \"v/deep/read\"", "loc:@v/deep",
                      "filename_tensor_name: \"v/deep/i:0\"", "name: \"v/deep/read:0\"",
                      "input: \"^v/deep/Assign\"", "v/deep/i:0"),
               WORDS ("\"v/read", "\"v/Assign", "name: \"v\""));
  assert_inverse (f, edit, before);
  g_assert_true (sluice_edit_apply (edit, NULL));
  g_autoptr (GError) error = NULL;
  sluice_edit_begin (f->graph);
  g_assert_false (sluice_edit_rename_scope (f->graph, "nobody", "x", &error));
  assert_words (&error, SLUICE_ERROR_NOT_FOUND, WORDS ("nobody"));
  /* Out of the scope: "v" itself would have no name left. */
  g_assert_false (sluice_edit_rename_scope (f->graph, "v", "", &error));
  assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("is no name"));
  g_assert_true (sluice_edit_rename (f->graph, node (f, "v"), "u", NULL));
  g_assert_true (sluice_edit_rename_scope (f->graph, "v", "", NULL));
  g_autoptr (SluiceEdit) second = commit (f);
  g_assert_nonnull (sluice_graph_find (f->graph, "read"));
  g_assert_true (sluice_edit_apply (second, NULL));
  assert_bytes (f->graph, before);
}

static void
test_remove_from_collections (Fixture *f, gconstpointer data)
{
  load_meta (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  SluiceNode *gone[] = { node (f, "vv"), node (f, "train") };
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_remove (f->graph, gone, 2, NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_text (f, WORDS ("value: \"v:0\"", "key: \"v\"", "v/Assign"),
               WORDS ("saver_def", "\"train\"\n  op", "vv", "key: \"out\""));
  assert_inverse (f, edit, before);
}

/* What is deleted leaves no dead reference: its readers are healed or open. */
static void
test_delete (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  SluiceNode *b[] = { node (f, "s/a"), node (f, "s/b") };
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_delete (f->graph, b, 2, NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_true (node (f, "c")->inputs[0].node == node (f, "x"));
  g_assert_true (node (f, "c")->inputs[1].node == node (f, "x"));
  assert_inverse (f, edit, before);
  g_autoptr (GBytes) healed = dup_bytes (f->graph);
  SluiceNode *x = node (f, "x");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_delete (f->graph, &x, 1, NULL));
  g_autoptr (SluiceEdit) second = commit (f);
  g_assert_null (node (f, "c")->inputs[0].node);
  g_assert_nonnull (node (f, "c")->error);
  assert_inverse (f, second, healed);
}

static void
test_delete_class (Fixture *f, gconstpointer data)
{
  load_meta (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  SluiceNode *v = node (f, "v");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_delete (f->graph, &v, 1, NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_text (f, WORDS ("s: \"other\"", "input: \"\""), WORDS ("loc:@"));
  assert_inverse (f, edit, before);
}

/* The numbers behind names that were made come back, too. */
static void
test_unique_names (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autofree char *first = sluice_graph_unique_name (f->graph, "c");
  g_assert_cmpstr (first, ==, "c_1");
  sluice_edit_begin (f->graph);
  add (f, "Neg", "c", edge (f, "x"), SLUICE_NO_EDGE);
  add (f, "Neg", "c", edge (f, "x"), SLUICE_NO_EDGE);
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_nonnull (sluice_graph_find (f->graph, "c_3"));
  assert_heard (f, "+c_2@6 +c_3@7 \n");
  g_assert_true (sluice_edit_apply (edit, NULL));
  g_autofree char *again = sluice_graph_unique_name (f->graph, "c");
  g_assert_cmpstr (again, ==, "c_2");
}

/* ---- refusals ---- */

static void
test_refuse_cycle (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "s/a"), 0, edge (f, "c"), NULL));
  assert_refused (f, before, WORDS ("Relu 's/a'", "'c'", "cycle", "s/a -> ", "-> s/a"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_add_control (f->graph, node (f, "x"), node (f, "c"), NULL));
  assert_refused (f, before, WORDS ("Placeholder 'x'", "cycle", "-> c -> x"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_add_control (f->graph, node (f, "c"), node (f, "c"), NULL));
  assert_refused (f, before, WORDS ("c -> c"));
  /* The other way round it is none: the order follows, and a way back is one again. */
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "c"), 0, edge (f, "x"), NULL));
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "s/b"), 0, edge (f, "x"), NULL));
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "s/a"), 0, edge (f, "s/b"), NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  g_autoptr (GBytes) turned = dup_bytes (f->graph);
  g_string_truncate (f->heard, 0);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "s/b"), 0, edge (f, "s/a"), NULL));
  assert_refused (f, turned, WORDS ("Neg 's/b'", "cycle"));
  assert_inverse (f, edit, before);
  g_assert_true (sluice_edit_apply (edit, NULL));
  g_string_truncate (f->heard, 0);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "s/a"), 0, edge (f, "s/b"), NULL));
  assert_refused (f, before, WORDS ("Relu 's/a'", "cycle"));
}

static void
test_refuse_names (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  g_autoptr (GError) error = NULL;
  sluice_edit_begin (f->graph);
  g_assert_false (sluice_edit_rename (f->graph, node (f, "x"), "y", &error));
  assert_words (&error, SLUICE_ERROR_ALREADY_EXISTS, WORDS ("'x'", "'y'", "another name"));
  g_assert_false (sluice_edit_rename (f->graph, node (f, "x"), "_y", &error));
  assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("'_y' is no name"));
  g_assert_false (sluice_edit_rename (f->graph, node (f, "x"), "y 1", &error));
  assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("'y 1' is no name"));
  g_assert_false (sluice_edit_rename_scope (f->graph, "s", "c", NULL)
                  && sluice_graph_find (f->graph, "c/a") == NULL);
  SluiceNodeSpec spec = { .name = "x", .op = "NoOp" };
  g_assert_null (sluice_edit_add (f->graph, &spec, &error));
  assert_words (&error, SLUICE_ERROR_ALREADY_EXISTS, WORDS ("'x'"));
  sluice_edit_abandon (f->graph);
  assert_bytes (f->graph, before);
  assert_heard (f, "");
}

static void
test_refuse_orphans (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  SluiceNode *a = node (f, "s/a");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_remove (f->graph, &a, 1, NULL));
  assert_refused (f, before, WORDS ("Relu 's/a'", "input 0 (x) of Neg 's/b'", "'s/a:0'"));
  g_assert_true (node (f, "s/a") == a);
  sluice_graph_add_control_input (f->graph, node (f, "s/b"), node (f, "y"));
  g_autoptr (GBytes) with = dup_bytes (f->graph);
  assert_heard (f, "s/b:10 \n");
  SluiceNode *y = node (f, "y");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_remove (f->graph, &y, 1, NULL));
  assert_refused (f, with, WORDS ("Placeholder 'y'", "Neg 's/b' waits for it"));
  /* An output less. */
  SluiceEdge axis = sluice_builder_const_int32 (&f->b, 0);
  SluiceEdge split = sluice_op_with (
      &f->b, "Split", SLUICE_ATTRS (sluice_attr_int ("num_split", 2)), axis, edge (f, "x"));
  add (f, "Neg", "last", sluice_edge_port (split, 1), SLUICE_NO_EDGE);
  g_autoptr (GBytes) split_bytes = dup_bytes (f->graph);
  g_string_truncate (f->heard, 0);
  SluiceAttr attr = sluice_attr_int ("num_split", 1);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, split.node, &attr, NULL));
  assert_refused (f, split_bytes, WORDS ("Neg 'last'", "'Split:1'", "has 1 outputs"));
}

static void
test_refuse_class (Fixture *f, gconstpointer data)
{
  load_meta (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  SluiceNode *v = node (f, "v");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "v/Assign"), 0, SLUICE_NO_EDGE, NULL));
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "v/read"), 0, SLUICE_NO_EDGE, NULL));
  g_assert_true (sluice_edit_remove (f->graph, &v, 1, NULL));
  assert_refused (f, before, WORDS ("VariableV2 'v'", "_class", "'v/"));
  SluiceAttrValue item = sluice_attr_string ("", "loc:@v/reed").value;
  SluiceAttrValue list = { .kind = SLUICE_ATTR_LIST,
                           .list_kind = SLUICE_ATTR_STRING,
                           .list = { &item, 1 } };
  SluiceAttr attr = sluice_attr_value ("_class", &list);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, node (f, "vv"), &attr, NULL));
  assert_refused (f, before, WORDS ("Neg 'vv'", "_class", "'v/reed'", "did you mean 'v/read'?"));
}

static void
test_refuse_dtypes (Fixture *f, gconstpointer data)
{
  make_chain (f);
  placeholder (f, "i", SLUICE_INT32, SLUICE_SHAPE (2, 4));
  g_string_truncate (f->heard, 0);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "c"), 1, edge (f, "i"), NULL));
  assert_refused (f, before, WORDS ("AddV2 'c'", "input 1 (y)", "'i:0'", "int32", "float", "Cast"));
  /* Of what reads it. */
  SluiceAttr attr = sluice_attr_type ("dtype", SLUICE_DOUBLE);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, node (f, "x"), &attr, NULL));
  assert_refused (f, before, WORDS ("Relu 's/a'", "'x:0'", "double", "float"));
  attr = sluice_attr_int ("dtype", 1);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, node (f, "x"), &attr, NULL));
  assert_refused (f, before, WORDS ("Placeholder 'x'", "attribute dtype", "kind type"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_remove_attr (f->graph, node (f, "x"), "dtype", NULL));
  assert_refused (f, before, WORDS ("Placeholder 'x'", "attribute dtype", "missing"));
}

/* A node that is changed itself is refused; one behind it keeps what is wrong with it. */
static void
test_shapes_that_contradict (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "c"), 1, edge (f, "z"), NULL));
  assert_refused (f, before, WORDS ("AddV2 'c'", "[2,4]", "[3,4]"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "s/b"), 0, edge (f, "z"), NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_nonnull (node (f, "c")->error);
  assert_heard (f, "c:60 s/b:28 \n");
  assert_inverse (f, edit, before);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "c"), 1, edge (f, "z"), NULL));
  sluice_edit_free (commit (f));
  g_assert_null (node (f, "c")->error);
  assert_shape (edge (f, "c"), "[3,4]");
}

/* while L2Loss (x) < limit: x = Exp (x) */
static void
make_loop (Fixture *f)
{
  const SluiceAttr frame = sluice_attr_string ("frame_name", "loop");
  SluiceEdge x = placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (2));
  placeholder (f, "x3", SLUICE_FLOAT, SLUICE_SHAPE (3));
  SluiceEdge limit = placeholder (f, "limit", SLUICE_FLOAT, SLUICE_SHAPE_SCALAR);
  SluiceEdge enter = sluice_builder_add (&f->b, "Enter", "enter", &x, 1, &frame, 1);
  SluiceAttr constant[] = { frame, sluice_attr_bool ("is_constant", TRUE) };
  SluiceEdge limit_in = sluice_builder_add (&f->b, "Enter", "limit_in", &limit, 1, constant, 2);
  SluiceEdge merge = add (f, "Merge", "merge", enter, enter);
  SluiceEdge sum = add (f, "L2Loss", "sum", merge, SLUICE_NO_EDGE);
  SluiceEdge less = add (f, "Less", "less", sum, limit_in);
  SluiceEdge cond = add (f, "LoopCond", "cond", less, SLUICE_NO_EDGE);
  SluiceEdge branch = add (f, "Switch", "switch", merge, cond);
  SluiceEdge body = add (f, "Exp", "body", sluice_edge_port (branch, 1), SLUICE_NO_EDGE);
  SluiceEdge next = add (f, "NextIteration", "next", body, SLUICE_NO_EDGE);
  g_assert_true (sluice_graph_set_input (f->graph, merge.node, 1, next, NULL));
  SluiceEdge out = add (f, "Exit", "exit", branch, SLUICE_NO_EDGE);
  add (f, "Neg", "after", out, SLUICE_NO_EDGE);
  follow (f);
}

static void
test_loop (Fixture *f, gconstpointer data)
{
  make_loop (f);
  assert_shape (edge (f, "after"), "[2]");
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  /* What went round before says nothing of what goes round now. */
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "enter"), 0, edge (f, "x3"), NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  assert_shape (edge (f, "merge"), "[3]");
  assert_shape (edge (f, "after"), "[3]");
  assert_inverse (f, edit, before);
  g_assert_true (sluice_edit_apply (edit, NULL));
  assert_shape (edge (f, "after"), "[2]");
  /* A node more in the body. */
  SluiceEdge inputs[] = { edge (f, "body") };
  SluiceNodeSpec spec = { .name = "more", .op = "Neg", .inputs = inputs, .n_inputs = 1 };
  sluice_edit_begin (f->graph);
  SluiceNode *made = sluice_edit_add (f->graph, &spec, NULL);
  g_assert_true (
      sluice_edit_set_input (f->graph, node (f, "next"), 0, (SluiceEdge){ made, 0 }, NULL));
  g_autoptr (SluiceEdit) second = commit (f);
  assert_shape (edge (f, "after"), "[2]");
  assert_inverse (f, second, before);
}

static void
test_refuse_frames (Fixture *f, gconstpointer data)
{
  make_loop (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "after"), 0, edge (f, "body"), NULL));
  sluice_edit_free (commit (f)); /* lies in the loop now, and nobody reads it outside */
  assert_heard (f, "after:88 \n");
  g_autoptr (GBytes) inside = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "less"), 1, edge (f, "limit"), NULL));
  assert_refused (f, inside,
                  WORDS ("Less 'less'", "'sum' lies inside the loop 'loop'",
                         "'limit' outside all loops", "Enter"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "exit"), 0, edge (f, "x"), NULL));
  assert_refused (f, inside, WORDS ("Exit 'exit'", "'x'", "does not come from inside a loop"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "next"), 0, edge (f, "x"), NULL));
  assert_refused (f, inside, WORDS ("NextIteration 'next'", "'x'"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_add_control (f->graph, node (f, "body"), node (f, "x3"), NULL));
  assert_refused (f, inside, WORDS ("Exp 'body'", "'x3'", "frames"));
  /* The Enter of another loop. */
  SluiceAttr attr = sluice_attr_string ("frame_name", "other");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, node (f, "limit_in"), &attr, NULL));
  assert_refused (f, inside, WORDS ("Less 'less'", "'loop'", "'other'"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "merge"), 1, edge (f, "body"), NULL));
  assert_refused (f, inside, WORDS ("cycle"));
}

/* ---- the transaction as such ---- */

static void
test_order_of_undo (Fixture *f, gconstpointer data)
{
  make_chain (f);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  g_autoptr (GError) error = NULL;
  sluice_edit_begin (f->graph);
  sluice_edit_set_device (f->graph, node (f, "x"), "/cpu:0");
  g_autoptr (SluiceEdit) first = commit (f);
  sluice_edit_begin (f->graph);
  sluice_edit_set_device (f->graph, node (f, "x"), "/cpu:1");
  g_autoptr (SluiceEdit) second = commit (f);
  g_assert_false (sluice_edit_apply (first, &error));
  assert_words (&error, SLUICE_ERROR_FAILED_PRECONDITION, WORDS ("changed since"));
  g_assert_true (sluice_edit_apply (second, NULL));
  g_assert_true (sluice_edit_apply (first, NULL));
  assert_bytes (f->graph, before);
  g_assert_false (sluice_edit_apply (second, &error));
  g_clear_error (&error);
  g_assert_true (sluice_edit_apply (first, NULL));
  g_assert_true (sluice_edit_apply (second, NULL));
  g_assert_cmpstr (node (f, "x")->device, ==, "/cpu:1");
  sluice_graph_set_device (f->graph, node (f, "y"), "/cpu:0");
  g_assert_false (sluice_edit_apply (second, NULL));
}

/* What grows a graph is heard once, too. */
static void
test_growth (Fixture *f, gconstpointer data)
{
  make_chain (f);
  add (f, "Neg", "d", edge (f, "c"), SLUICE_NO_EDGE);
  assert_heard (f, "+d@6 \n");
  static const char text[] = "node { name: \"p\" op: \"NoOp\" }\n"
                             "node { name: \"q\" op: \"NoOp\" input: \"^p\" }\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_assert_true (sluice_graph_import (f->graph, bytes, NULL));
  assert_heard (f, "+p@7 +q@8 \n");
  sluice_graph_hold (f->graph);
  add (f, "Neg", "e", edge (f, "c"), SLUICE_NO_EDGE);
  sluice_graph_add_control_input (f->graph, node (f, "c"), node (f, "p"));
  assert_heard (f, "");
  sluice_graph_release (f->graph);
  assert_heard (f, "+e@9 c:10 \n");
  sluice_graph_unfollow (f->graph, f->follower);
  add (f, "Neg", "g", edge (f, "c"), SLUICE_NO_EDGE);
  assert_heard (f, "");
}

/* An import within a transaction is undone as a whole. */
static void
test_import_undone (Fixture *f, gconstpointer data)
{
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  load_meta (f);
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_cmpuint (sluice_graph_get_n_nodes (f->graph), ==, 6);
  assert_inverse (f, edit, before);
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
  g_assert_nonnull (node (f, "b")->error);
  g_autoptr (GBytes) before = dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "a"), 0, edge (f, "p"), NULL));
  g_autoptr (SluiceEdit) edit = commit (f);
  g_assert_null (node (f, "a")->error);
  g_assert_null (node (f, "b")->error);
  assert_inverse (f, edit, before);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, node (f, "a"), 0, edge (f, "b"), NULL));
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_edit_commit (f->graph, &error));
  assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("Neg 'a'", "cycle"));
}

#define TEST(name, function) g_test_add ("/edit/" name, Fixture, NULL, set_up, function, tear_down)

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
  TEST ("unique-names", test_unique_names);
  TEST ("refuse/cycle", test_refuse_cycle);
  TEST ("refuse/names", test_refuse_names);
  TEST ("refuse/orphans", test_refuse_orphans);
  TEST ("refuse/class", test_refuse_class);
  TEST ("refuse/dtypes", test_refuse_dtypes);
  TEST ("refuse/frames", test_refuse_frames);
  TEST ("shapes-that-contradict", test_shapes_that_contradict);
  TEST ("loop", test_loop);
  TEST ("order-of-undo", test_order_of_undo);
  TEST ("growth", test_growth);
  TEST ("import-undone", test_import_undone);
  TEST ("mend-cycle", test_mend_cycle);
  return g_test_run ();
}
