/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Three-way merge: what one side did is done to the other, and what both did is told. Pairs by lot:
 * tests/app/test-merge.py. */
#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/graph/edit.h"
#include "engine/graph/merge.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

/* x -> a -> b -> c */
static SluiceGraph *
make_chain (void)
{
  SluiceGraph *graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge edge = sluice_builder_add (&b, "Placeholder", "x", NULL, 0,
                                        SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT)));
  static const char *const names[] = { "a", "b", "c" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    edge = sluice_builder_add (&b, "Neg", names[i], &edge, 1, NULL, 0);
  g_assert_true (sluice_builder_finish (&b, NULL));
  return graph;
}

typedef struct
{
  SluiceGraph *base, *ours, *theirs;
  GPtrArray *conflicts;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->base = make_chain ();
  f->ours = make_chain ();
  f->theirs = make_chain ();
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_clear_pointer (&f->conflicts, g_ptr_array_unref);
  sluice_graph_unref (f->base);
  sluice_graph_unref (f->ours);
  sluice_graph_unref (f->theirs);
}

static void
commit (SluiceGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (graph, &error);
  g_assert_no_error (error);
}

static void
rename_node (SluiceGraph *graph, const char *from, const char *to)
{
  sluice_edit_begin (graph);
  g_assert_true (sluice_edit_rename (graph, sluice_graph_find (graph, from), to, NULL));
  commit (graph);
}

static void
set_device (SluiceGraph *graph, const char *name, const char *device)
{
  sluice_edit_begin (graph);
  sluice_edit_set_device (graph, sluice_graph_find (graph, name), device);
  commit (graph);
}

static void
merge (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  sluice_graph_merge (f->base, f->ours, f->theirs, &f->conflicts, &error);
  g_assert_no_error (error);
}

static void
test_independent (Fixture *f, gconstpointer data)
{
  rename_node (f->ours, "b", "z");
  set_device (f->theirs, "b", "/device:CPU:1");
  rename_node (f->theirs, "c", "y");
  merge (f);
  g_assert_cmpuint (f->conflicts->len, ==, 0);
  g_assert_cmpstr (sluice_graph_find (f->ours, "z")->device, ==, "/device:CPU:1");
  g_assert_true (sluice_graph_find (f->ours, "y")->inputs[0].node
                 == sluice_graph_find (f->ours, "z"));
}

static void
test_conflict (Fixture *f, gconstpointer data)
{
  set_device (f->ours, "b", "/device:CPU:0");
  set_device (f->theirs, "b", "/device:CPU:1");
  set_device (f->theirs, "a", "/device:CPU:1");
  merge (f);
  g_assert_cmpuint (f->conflicts->len, ==, 1);
  const SluiceMergeConflict *conflict = f->conflicts->pdata[0];
  g_assert_cmpstr (conflict->node, ==, "b");
  g_assert_cmpstr (conflict->field, ==, "device");
  g_assert_cmpstr (conflict->base, ==, "");
  g_assert_cmpstr (conflict->theirs, ==, "/device:CPU:1");
  g_assert_cmpstr (sluice_graph_find (f->ours, "b")->device, ==, "/device:CPU:0");
  g_assert_cmpstr (sluice_graph_find (f->ours, "a")->device, ==, "/device:CPU:1");
}

/* A node of few inputs that nobody else is like is known by who reads it. */
static void
test_renamed_input (Fixture *f, gconstpointer data)
{
  rename_node (f->theirs, "x", "image");
  set_device (f->ours, "x", "/device:CPU:1");
  merge (f);
  g_assert_cmpuint (f->conflicts->len, ==, 0);
  g_assert_null (sluice_graph_find (f->ours, "x"));
  g_assert_cmpstr (sluice_graph_find (f->ours, "image")->device, ==, "/device:CPU:1");
}

static void
test_empty_base (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) other = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, other, NULL);
  sluice_builder_add (&b, "NoOp", "alone", NULL, 0, NULL, 0);
  g_assert_true (sluice_builder_finish (&b, NULL));
  g_assert_false (sluice_graph_merge (other, f->ours, f->theirs, &f->conflicts, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_null (f->conflicts);
  /* Of nothing at all both may have made the same. */
  g_autoptr (SluiceGraph) nothing = sluice_graph_new ();
  g_clear_error (&error);
  g_assert_true (sluice_graph_merge (nothing, f->ours, f->theirs, &f->conflicts, &error));
  g_assert_cmpuint (f->conflicts->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
#define ADD(name, function) g_test_add (name, Fixture, NULL, set_up, function, tear_down)
  ADD ("/graph/merge/independent", test_independent);
  ADD ("/graph/merge/conflict", test_conflict);
  ADD ("/graph/merge/renamed-input", test_renamed_input);
  ADD ("/graph/merge/empty-base", test_empty_base);
  return g_test_run ();
}
