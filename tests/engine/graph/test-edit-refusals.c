/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Transactions that a graph refuses: what is said, and that nothing has happened. */
#include <string.h>

#include "engine/base/error.h"
#include "kernels/registry.h"
#include "tests/engine/graph/edit-fixture.h"

static void
test_refuse_cycle (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "s/a"), 0, edit_edge (f, "c"), NULL));
  edit_assert_refused (f, before, WORDS ("Relu 's/a'", "'c'", "cycle", "s/a -> ", "-> s/a"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_add_control (f->graph, edit_node (f, "x"), edit_node (f, "c"), NULL));
  edit_assert_refused (f, before, WORDS ("Placeholder 'x'", "cycle", "-> c -> x"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_add_control (f->graph, edit_node (f, "c"), edit_node (f, "c"), NULL));
  edit_assert_refused (f, before, WORDS ("c -> c"));
  /* The other way round it is none: the order follows, and a way back is one again. */
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, edit_node (f, "c"), 0, edit_edge (f, "x"), NULL));
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "s/b"), 0, edit_edge (f, "x"), NULL));
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "s/a"), 0, edit_edge (f, "s/b"), NULL));
  g_autoptr (SluiceEdit) edit = edit_commit (f);
  g_autoptr (GBytes) turned = edit_dup_bytes (f->graph);
  g_string_truncate (f->heard, 0);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "s/b"), 0, edit_edge (f, "s/a"), NULL));
  edit_assert_refused (f, turned, WORDS ("Neg 's/b'", "cycle"));
  edit_assert_inverse (f, edit, before);
  g_assert_true (sluice_edit_apply (edit, NULL));
  g_string_truncate (f->heard, 0);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "s/a"), 0, edit_edge (f, "s/b"), NULL));
  edit_assert_refused (f, before, WORDS ("Relu 's/a'", "cycle"));
}

static void
test_refuse_names (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  g_autoptr (GError) error = NULL;
  sluice_edit_begin (f->graph);
  g_assert_false (sluice_edit_rename (f->graph, edit_node (f, "x"), "y", &error));
  edit_assert_words (&error, SLUICE_ERROR_ALREADY_EXISTS, WORDS ("'x'", "'y'", "another name"));
  g_assert_false (sluice_edit_rename (f->graph, edit_node (f, "x"), "_y", &error));
  edit_assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("'_y' is no name"));
  g_assert_false (sluice_edit_rename (f->graph, edit_node (f, "x"), "y 1", &error));
  edit_assert_words (&error, SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("'y 1' is no name"));
  g_assert_false (sluice_edit_rename_scope (f->graph, "s", "c", NULL)
                  && sluice_graph_find (f->graph, "c/a") == NULL);
  SluiceNodeSpec spec = { .name = "x", .op = "NoOp" };
  g_assert_null (sluice_edit_add (f->graph, &spec, &error));
  edit_assert_words (&error, SLUICE_ERROR_ALREADY_EXISTS, WORDS ("'x'"));
  sluice_edit_abandon (f->graph);
  edit_assert_bytes (f->graph, before);
  edit_assert_heard (f, "");
}

static void
test_refuse_orphans (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  SluiceNode *a = edit_node (f, "s/a");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_remove (f->graph, &a, 1, NULL));
  edit_assert_refused (f, before, WORDS ("Relu 's/a'", "input 0 (x) of Neg 's/b'", "'s/a:0'"));
  g_assert_true (edit_node (f, "s/a") == a);
  sluice_graph_add_control_input (f->graph, edit_node (f, "s/b"), edit_node (f, "y"));
  g_autoptr (GBytes) with = edit_dup_bytes (f->graph);
  edit_assert_heard (f, "s/b:10 \n");
  SluiceNode *y = edit_node (f, "y");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_remove (f->graph, &y, 1, NULL));
  edit_assert_refused (f, with, WORDS ("Placeholder 'y'", "Neg 's/b' waits for it"));
  /* An output less. */
  SluiceEdge axis = sluice_builder_const_int32 (&f->b, 0);
  SluiceEdge split = sluice_op_with (
      &f->b, "Split", SLUICE_ATTRS (sluice_attr_int ("num_split", 2)), axis, edit_edge (f, "x"));
  edit_add (f, "Neg", "last", sluice_edge_port (split, 1), SLUICE_NO_EDGE);
  g_autoptr (GBytes) split_bytes = edit_dup_bytes (f->graph);
  g_string_truncate (f->heard, 0);
  SluiceAttr attr = sluice_attr_int ("num_split", 1);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, split.node, &attr, NULL));
  edit_assert_refused (f, split_bytes, WORDS ("Neg 'last'", "'Split:1'", "has 1 outputs"));
}

static void
test_refuse_class (Fixture *f, gconstpointer data)
{
  edit_load_meta (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  SluiceNode *v = edit_node (f, "v");
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "v/Assign"), 0, SLUICE_NO_EDGE, NULL));
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "v/read"), 0, SLUICE_NO_EDGE, NULL));
  g_assert_true (sluice_edit_remove (f->graph, &v, 1, NULL));
  edit_assert_refused (f, before, WORDS ("VariableV2 'v'", "_class", "'v/"));
  SluiceAttrValue item = sluice_attr_string ("", "loc:@v/reed").value;
  SluiceAttrValue list = { .kind = SLUICE_ATTR_LIST,
                           .list_kind = SLUICE_ATTR_STRING,
                           .list = { &item, 1 } };
  SluiceAttr attr = sluice_attr_value ("_class", &list);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, edit_node (f, "vv"), &attr, NULL));
  edit_assert_refused (f, before,
                       WORDS ("Neg 'vv'", "_class", "'v/reed'", "did you mean 'v/read'?"));
}

static void
test_refuse_dtypes (Fixture *f, gconstpointer data)
{
  edit_make_chain (f);
  edit_placeholder (f, "i", SLUICE_INT32, SLUICE_SHAPE (2, 4));
  g_string_truncate (f->heard, 0);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_input (f->graph, edit_node (f, "c"), 1, edit_edge (f, "i"), NULL));
  edit_assert_refused (f, before,
                       WORDS ("AddV2 'c'", "input 1 (y)", "'i:0'", "int32", "float", "Cast"));
  /* Of what reads it. */
  SluiceAttr attr = sluice_attr_type ("dtype", SLUICE_DOUBLE);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, edit_node (f, "x"), &attr, NULL));
  edit_assert_refused (f, before, WORDS ("Relu 's/a'", "'x:0'", "double", "float"));
  attr = sluice_attr_int ("dtype", 1);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, edit_node (f, "x"), &attr, NULL));
  edit_assert_refused (f, before, WORDS ("Placeholder 'x'", "attribute dtype", "kind type"));
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_remove_attr (f->graph, edit_node (f, "x"), "dtype", NULL));
  edit_assert_refused (f, before, WORDS ("Placeholder 'x'", "attribute dtype", "missing"));
}

static void
test_refuse_frames (Fixture *f, gconstpointer data)
{
  edit_make_loop (f);
  g_autoptr (GBytes) before = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "after"), 0, edit_edge (f, "body"), NULL));
  sluice_edit_free (edit_commit (f)); /* lies in the loop now, and nobody reads it outside */
  edit_assert_heard (f, "after:88 \n");
  g_autoptr (GBytes) inside = edit_dup_bytes (f->graph);
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "less"), 1, edit_edge (f, "limit"), NULL));
  edit_assert_refused (f, inside,
                       WORDS ("Less 'less'", "'sum' lies inside the loop 'loop'",
                              "'limit' outside all loops", "Enter"));
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "exit"), 0, edit_edge (f, "x"), NULL));
  edit_assert_refused (f, inside, WORDS ("Exit 'exit'", "'x'", "does not come from inside a loop"));
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "next"), 0, edit_edge (f, "x"), NULL));
  edit_assert_refused (f, inside, WORDS ("NextIteration 'next'", "'x'"));
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_add_control (f->graph, edit_node (f, "body"), edit_node (f, "x3"), NULL));
  edit_assert_refused (f, inside, WORDS ("Exp 'body'", "'x3'", "frames"));
  /* The Enter of another loop. */
  SluiceAttr attr = sluice_attr_string ("frame_name", "other");
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_edit_set_attr (f->graph, edit_node (f, "limit_in"), &attr, NULL));
  edit_assert_refused (f, inside, WORDS ("Less 'less'", "'loop'", "'other'"));
  sluice_edit_begin (f->graph);
  g_assert_true (
      sluice_edit_set_input (f->graph, edit_node (f, "merge"), 1, edit_edge (f, "body"), NULL));
  edit_assert_refused (f, inside, WORDS ("cycle"));
}

#define TEST(name, function)                                                                       \
  g_test_add ("/edit/refuse/" name, Fixture, NULL, edit_set_up, function, edit_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  TEST ("cycle", test_refuse_cycle);
  TEST ("names", test_refuse_names);
  TEST ("orphans", test_refuse_orphans);
  TEST ("class", test_refuse_class);
  TEST ("dtypes", test_refuse_dtypes);
  TEST ("frames", test_refuse_frames);
  return g_test_run ();
}
