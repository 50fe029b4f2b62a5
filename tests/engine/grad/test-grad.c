/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/grad/grad.h"
#include "engine/graph/edit.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "engine/runtime/session/session.h"
#include "kernels/registry.h"

typedef struct
{
  SluiceGraph *graph;
  SluiceBuilder b;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  f->graph = sluice_graph_new ();
  sluice_builder_init (&f->b, f->graph, NULL);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  sluice_builder_finish (&f->b, &error);
  g_assert_no_error (error);
  sluice_graph_unref (f->graph);
}

static SluiceEdge
number (Fixture *f, float value)
{
  return sluice_builder_const (&f->b, sluice_tensor_new_float (value));
}

static SluiceEdge
vector (Fixture *f, gint64 n)
{
  g_autofree float *values = g_new (float, n);
  for (gint64 i = 0; i < n; i++)
    values[i] = i + 1;
  return sluice_builder_const (&f->b,
                               sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (n), values));
}

static SluiceGrad
gradient (Fixture *f, SluiceEdge y, SluiceEdge x)
{
  g_autoptr (GError) error = NULL;
  SluiceGrad dx;
  sluice_gradients (f->graph, "gradients", &y, 1, NULL, &x, 1, &dx, &error);
  g_assert_no_error (error);
  return dx;
}

static guint
count_ops (Fixture *f, const char *op)
{
  guint n = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (f->graph); i++)
    n += strcmp (sluice_graph_get_node (f->graph, i)->op_name, op) == 0;
  return n;
}

static float
evaluate (Fixture *f, SluiceEdge edge, gint64 element)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceSession) session = sluice_session_new (NULL, &error);
  g_autoptr (SluiceTensor) value = NULL;
  g_autofree char *name = g_strdup_printf ("%s:%d", edge.node->name, edge.port);
  g_assert_true (sluice_session_extend (session, f->graph, &error));
  sluice_session_run (session,
                      &(SluiceStepNames){ .fetches = (const char *[]){ name }, .n_fetches = 1 },
                      &value, NULL, &error);
  g_assert_no_error (error);
  return ((float *) value->data)[element];
}

/* y = x x + 3 x: three uses of x, so one AddN of three. */
static void
test_fan_in (Fixture *f, gconstpointer unused)
{
  SluiceEdge x = number (f, 5);
  SluiceEdge y = sluice_op (&f->b, "Add", sluice_op (&f->b, "Mul", x, x),
                            sluice_op (&f->b, "Mul", x, number (f, 3)));
  SluiceGrad dx = gradient (f, y, x);
  g_assert_cmpstr (dx.values.node->op_name, ==, "AddN");
  g_assert_cmpuint (dx.values.node->n_inputs, ==, 3);
  g_assert_cmpuint (count_ops (f, "AddN"), ==, 1);
  g_assert_cmpfloat (evaluate (f, dx.values, 0), ==, 13);
}

/* Only the second output is used: the first one's gradient is zeros, made where it is asked for. */
static void
test_zeros_where_needed (Fixture *f, gconstpointer unused)
{
  SluiceEdge x = vector (f, 4);
  SluiceEdge axis = sluice_builder_const_int32 (&f->b, 0);
  SluiceEdge parts =
      sluice_op_with (&f->b, "Split", SLUICE_ATTRS (sluice_attr_int ("num_split", 2)), axis, x);
  SluiceEdge y = sluice_op (&f->b, "Square", sluice_edge_port (parts, 1));
  SluiceGrad dx = gradient (f, y, x);
  g_assert_cmpuint (count_ops (f, "ZerosLike"), ==, 1);
  g_assert_cmpfloat (evaluate (f, dx.values, 0), ==, 0);
  g_assert_cmpfloat (evaluate (f, dx.values, 3), ==, 8);

  SluiceEdge z = sluice_op (&f->b, "Exp", x);
  gradient (f, z, x);
  g_assert_cmpuint (count_ops (f, "ZerosLike"), ==, 1);
}

static void
test_unconnected (Fixture *f, gconstpointer unused)
{
  SluiceEdge x = number (f, 1), y = sluice_op (&f->b, "Exp", number (f, 2));
  g_assert_null (gradient (f, y, x).values.node);
  SluiceEdge stopped = sluice_op (&f->b, "Exp", sluice_op (&f->b, "StopGradient", x));
  g_assert_null (gradient (f, stopped, x).values.node);
}

static void
test_of_itself (Fixture *f, gconstpointer unused)
{
  SluiceEdge x = vector (f, 3);
  g_assert_cmpfloat (evaluate (f, gradient (f, x, x).values, 2), ==, 1);
}

/* x [3,1] and y [4] broadcast to [3,4]: each gets back its own shape. */
static void
test_broadcast (Fixture *f, gconstpointer unused)
{
  SluiceEdge x = vector (f, 4);
  SluiceEdge shape = sluice_builder_const_ints (&f->b, SLUICE_INT32, (gint64[]){ 3, 1 }, 2);
  SluiceEdge column = sluice_op (&f->b, "Reshape", vector (f, 3), shape);
  SluiceEdge y = sluice_op (&f->b, "Mul", column, x);
  SluiceGrad dcolumn = gradient (f, y, column), dx = gradient (f, y, x);
  g_assert_true (
      sluice_shape_compatible (sluice_edge_shape (dcolumn.values), &SLUICE_SHAPE (3, 1)));
  g_assert_cmpfloat (evaluate (f, dcolumn.values, 1), ==, 10);
  g_assert_cmpfloat (evaluate (f, dx.values, 1), ==, 6);
}

/* Rows of a table stay rows; two lookups join them; a dense use beside makes all dense. */
static void
test_sparse (Fixture *f, gconstpointer unused)
{
  SluiceEdge shape = sluice_builder_const_ints (&f->b, SLUICE_INT32, (gint64[]){ 3, 2 }, 2);
  SluiceEdge table = sluice_op (&f->b, "Reshape", vector (f, 6), shape);
  SluiceEdge i = sluice_builder_const_ints (&f->b, SLUICE_INT32, (gint64[]){ 2, 0, 2 }, 3);
  SluiceEdge rows = sluice_op (&f->b, "Gather", table, i);
  SluiceGrad one = gradient (f, rows, table);
  g_assert_nonnull (one.indices.node);

  SluiceEdge both = sluice_op (&f->b, "Add", rows, sluice_op (&f->b, "Gather", table, i));
  SluiceGrad joined = gradient (f, both, table);
  g_assert_nonnull (joined.indices.node);
  g_assert_cmpfloat (evaluate (f, sluice_grad_to_dense (&f->b, &joined), 4), ==, 4);

  SluiceEdge all = sluice_builder_const_ints (&f->b, SLUICE_INT32, (gint64[]){ 0, 1 }, 2);
  SluiceEdge sum = sluice_op (&f->b, "Add", sluice_op (&f->b, "Sum", rows, all),
                              sluice_op (&f->b, "Sum", table, all));
  SluiceGrad mixed = gradient (f, sum, table);
  g_assert_null (mixed.indices.node);
  g_assert_cmpfloat (evaluate (f, mixed.values, 5), ==, 3);
  g_assert_cmpfloat (evaluate (f, mixed.values, 2), ==, 1);
}

/* d2/dx2 of exp(x)^2 = 4 exp(2x). */
static void
test_second (Fixture *f, gconstpointer unused)
{
  SluiceEdge x = number (f, 0.5);
  SluiceEdge y = sluice_op (&f->b, "Square", sluice_op (&f->b, "Exp", x));
  SluiceGrad second = gradient (f, gradient (f, y, x).values, x);
  g_assert_cmpfloat_with_epsilon (evaluate (f, second.values, 0), 4 * exp (1), 1e-4);
}

static void
test_no_gradient (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceEdge x = number (f, 1);
  SluiceEdge y = sluice_op (&f->b, "Exp", sluice_op (&f->b, "Identity", x));
  SluiceNode *node = sluice_graph_find (f->graph, "Identity");
  SluiceOpDef def = *node->op->def;
  SluiceOp op = *node->op;
  def.gradient = NULL;
  def.flags = 0;
  op.def = &def;
  node->op = &op; /* an op of somebody's own that defines none */
  SluiceGrad dx;
  g_assert_false (sluice_gradients (f->graph, "gradients", &y, 1, NULL, &x, 1, &dx, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "'Identity'"));
  node->op = sluice_registry_find ("Identity");
}

static void
test_wrong_output (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  SluiceEdge x = number (f, 1);
  SluiceEdge y = sluice_edge_port (sluice_op (&f->b, "Exp", x), 1);
  SluiceGrad dx;
  g_assert_false (sluice_gradients (f->graph, "gradients", &y, 1, NULL, &x, 1, &dx, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
}

static void
import (Fixture *f, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  sluice_graph_import (f->graph, bytes, &error);
  g_assert_no_error (error);
}

static void
fails (Fixture *f, SluiceError code, const char *said)
{
  g_autoptr (GError) error = NULL;
  SluiceEdge x = { sluice_graph_find (f->graph, "x"), 0 };
  SluiceEdge y = { sluice_graph_find (f->graph, "y"), 0 };
  SluiceGrad dx;
  g_assert_false (sluice_gradients (f->graph, "gradients", &y, 1, NULL, &x, 1, &dx, &error));
  g_assert_error (error, SLUICE_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, said));
}

#define FLOAT(key) "attr { key: '" key "' value { type: DT_FLOAT } } "
#define X          "node { name: 'x' op: 'Placeholder' " FLOAT ("dtype") "} "

/* What a loop's context says is 127 bytes long, and ends sooner. */
static void
test_damaged_context (Fixture *f, gconstpointer unused)
{
  import (f, "meta_info_def { } graph_def { " X "node { name: 'y' op: 'Exp' input: 'x' " FLOAT (
                 "T") "} } collection_def { key: 'while_context' value { bytes_list { value: "
                      "'\\n\\177w' } } }");
  fails (f, SLUICE_ERROR_DATA_LOSS, "while_context");
}

static void
test_broken_enter (Fixture *f, gconstpointer unused)
{
  import (f, X "node { name: 'e' op: 'Enter' input: 'x' " FLOAT (
                 "T") "} node { name: 'y' op: 'Exp' input: 'e' " FLOAT ("T") "}");
  fails (f, SLUICE_ERROR_INVALID_ARGUMENT, "frame_name");
}

static void
count_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  guint *counts = data;
  counts[0]++;
  counts[1] += delta->n_added;
}

/* All that a gradient adds is heard of once, and undone as one. */
static void
test_undone (Fixture *f, gconstpointer data)
{
  SluiceAttr attr = sluice_attr_type ("dtype", SLUICE_FLOAT);
  SluiceEdge x = sluice_builder_add (&f->b, "Placeholder", "x", NULL, 0, &attr, 1);
  SluiceEdge y = sluice_op (&f->b, "Mul", x, sluice_op (&f->b, "Exp", x));
  g_autoptr (GBytes) before = sluice_graph_export (f->graph, SLUICE_EXPORT_BINARY, NULL);
  guint counts[2] = { 0 }, n = sluice_graph_get_n_nodes (f->graph);
  SluiceGrad dx;
  sluice_graph_follow (f->graph, count_cb, counts);
  g_assert_true (sluice_gradients (f->graph, "once", &y, 1, NULL, &x, 1, &dx, NULL));
  guint n_added = sluice_graph_get_n_nodes (f->graph) - n;
  g_assert_cmpuint (counts[0], ==, 1);
  g_assert_cmpuint (counts[1], ==, n_added);
  g_autoptr (GBytes) once = sluice_graph_export (f->graph, SLUICE_EXPORT_BINARY, NULL);
  sluice_edit_begin (f->graph);
  g_assert_true (sluice_gradients (f->graph, "twice", &y, 1, NULL, &x, 1, &dx, NULL));
  g_autoptr (SluiceEdit) edit = sluice_edit_commit (f->graph, NULL);
  g_assert_cmpuint (counts[0], ==, 2);
  g_assert_cmpuint (counts[1], >, n_added);
  g_assert_true (sluice_edit_apply (edit, NULL));
  g_autoptr (GBytes) after = sluice_graph_export (f->graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (g_bytes_equal (after, once));
  g_assert_false (g_bytes_equal (after, before));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
#define ADD(name, func) g_test_add ("/grad/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("fan-in", test_fan_in);
  ADD ("zeros-where-needed", test_zeros_where_needed);
  ADD ("unconnected", test_unconnected);
  ADD ("of-itself", test_of_itself);
  ADD ("broadcast", test_broadcast);
  ADD ("sparse", test_sparse);
  ADD ("second", test_second);
  ADD ("no-gradient", test_no_gradient);
  ADD ("wrong-output", test_wrong_output);
  ADD ("damaged-context", test_damaged_context);
  ADD ("broken-enter", test_broken_enter);
  ADD ("undone", test_undone);
#undef ADD
  return g_test_run ();
}
