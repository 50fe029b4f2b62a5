/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/graph.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/graph/intern.h"
#include "kernels/registry.h"

typedef struct
{
  SluiceGraph *graph;
  SluiceBuilder b;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->graph = sluice_graph_new ();
  sluice_builder_init (&f->b, f->graph, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_clear_error (&f->b.error);
  sluice_graph_unref (f->graph);
}

static SluiceEdge
placeholder (Fixture *f, const char *name, SluiceDType dtype, SluiceShape shape)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", dtype), sluice_attr_shape ("shape", &shape) };
  SluiceEdge edge = sluice_builder_add (&f->b, "Placeholder", name, NULL, 0, attrs, 2);
  g_assert_no_error (f->b.error);
  return edge;
}

static void
assert_shape (SluiceEdge edge, const char *expected)
{
  char text[SLUICE_SHAPE_STR];
  g_assert_nonnull (edge.node);
  g_assert_cmpstr (sluice_shape_str (sluice_edge_shape (edge), text), ==, expected);
}

static void
assert_fails (Fixture *f, SluiceEdge edge, int code, const char *const *words)
{
  g_assert_null (edge.node);
  g_assert_error (f->b.error, SLUICE_ERROR, code);
  for (; *words != NULL; words++)
    if (strstr (f->b.error->message, *words) == NULL)
      g_error ("'%s' is not in: %s", *words, f->b.error->message);
  g_clear_error (&f->b.error);
}
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
test_completion (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x", SLUICE_DOUBLE, SLUICE_SHAPE (-1, 4));
  SluiceEdge w = placeholder (f, "w", SLUICE_DOUBLE, SLUICE_SHAPE (4, 3));
  SluiceEdge y = sluice_op (&f->b, "MatMul", x, w);
  assert_shape (y, "[?,3]");
  g_assert_cmpint (sluice_edge_dtype (y), ==, SLUICE_DOUBLE);
  g_assert_cmpint (sluice_node_get_type (y.node, "T"), ==, SLUICE_DOUBLE);
  g_assert_false (sluice_node_get_bool (y.node, "transpose_a"));
  SluiceEdge sum = sluice_op (&f->b, "AddN", y, y, y);
  g_assert_cmpint (sluice_node_get_int (sum.node, "N"), ==, 3);
  for (guint i = 1; i < y.node->n_attrs; i++)
    g_assert_cmpstr (y.node->attrs[i - 1].name, <, y.node->attrs[i].name);
}

static void
test_refusals (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (2, 4));
  SluiceEdge w = placeholder (f, "w", SLUICE_FLOAT, SLUICE_SHAPE (5, 3));
  SluiceEdge i = placeholder (f, "i", SLUICE_INT32, SLUICE_SHAPE (2, 4));
  guint n = sluice_graph_get_n_nodes (f->graph);
  guint n_uses;
  assert_fails (f, sluice_op (&f->b, "MatMul", x, w), SLUICE_ERROR_INVALID_ARGUMENT,
                WORDS ("MatMul", "[2,4]", "[5,3]"));
  assert_fails (f, sluice_op (&f->b, "AddV2", x, i), SLUICE_ERROR_INVALID_ARGUMENT,
                WORDS ("AddV2", "input 1 (y)", "'i:0'", "int32", "float"));
  assert_fails (f, sluice_op (&f->b, "AddV2", x, w), SLUICE_ERROR_INVALID_ARGUMENT,
                WORDS ("[2,4]", "[5,3]"));
  assert_fails (f, sluice_op (&f->b, "MatMull", x, w), SLUICE_ERROR_NOT_FOUND,
                WORDS ("MatMull", "did you mean MatMul?"));
  assert_fails (f, sluice_op (&f->b, "AddV2", x), SLUICE_ERROR_INVALID_ARGUMENT,
                WORDS ("takes 2 inputs (x, y)", "1"));
  assert_fails (f, sluice_op (&f->b, "LogicalNot", x), SLUICE_ERROR_INVALID_ARGUMENT,
                WORDS ("bool", "float"));
  assert_fails (
      f, sluice_op_with (&f->b, "MatMul", SLUICE_ATTRS (sluice_attr_int ("transpose_a", 1)), x, w),
      SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("transpose_a", "bool", "int"));
  assert_fails (f, sluice_op_with (&f->b, "Relu", SLUICE_ATTRS (sluice_attr_int ("slope", 1)), x),
                SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("slope"));
  assert_fails (f, sluice_op (&f->b, "AddV2", x, sluice_edge_port (x, 7)),
                SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("x:7", "1 outputs"));
  assert_fails (f, sluice_builder_add (&f->b, "NoOp", "a b", NULL, 0, NULL, 0),
                SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("a b"));
  g_assert_cmpuint (sluice_graph_get_n_nodes (f->graph), ==, n);
  sluice_graph_get_uses (f->graph, x.node, &n_uses);
  g_assert_cmpuint (n_uses, ==, 0);
}

static void
test_error_sticks (Fixture *f, gconstpointer data)
{
  SluiceEdge bad = sluice_op (&f->b, "Neg", SLUICE_NO_EDGE);
  g_assert_null (bad.node);
  g_autofree char *first = g_strdup (f->b.error->message);
  g_assert_null (sluice_builder_const_int32 (&f->b, 1).node);
  g_assert_cmpstr (f->b.error->message, ==, first);
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_builder_finish (&f->b, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_null (f->b.error);
}

static void
test_names (Fixture *f, gconstpointer data)
{
  f->b.scope = "scope";
  SluiceEdge a = sluice_builder_const_int32 (&f->b, 1);
  SluiceEdge b = sluice_builder_const_int32 (&f->b, 2);
  g_assert_cmpstr (a.node->name, ==, "scope/Const");
  g_assert_cmpstr (b.node->name, ==, "scope/Const_1");
  g_assert_true (sluice_graph_find (f->graph, "scope/Const_1") == b.node);
  g_assert_null (sluice_graph_find (f->graph, "scope"));
  SluiceEdge edge;
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_graph_parse_edge (f->graph, "scope/Const", &edge, NULL));
  g_assert_true (edge.node == a.node && edge.port == 0);
  g_assert_false (sluice_graph_parse_edge (f->graph, "scope/Const:1", &edge, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (sluice_graph_parse_edge (f->graph, "scope/Cnst", &edge, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "'scope/Const'"));
  g_clear_error (&error);
  g_assert_false (sluice_graph_parse_edge (f->graph, "^scope/Const", &edge, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  SluiceNodeSpec spec = { .name = "scope/Const", .op = "NoOp" };
  g_assert_null (sluice_graph_add (f->graph, &spec, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ALREADY_EXISTS);
}

static void
test_many_names (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < 3000; i++)
    g_assert_nonnull (sluice_builder_add (&f->b, "NoOp", NULL, NULL, 0, NULL, 0).node);
  g_assert_cmpuint (sluice_graph_find (f->graph, "NoOp_2999")->id, ==, 3000);
  g_assert_cmpuint (sluice_graph_find (f->graph, "NoOp")->id, ==, 1);
}

static void
test_uses (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (2));
  SluiceEdge y = sluice_op (&f->b, "Mul", x, x);
  f->b.control_inputs = &x.node;
  f->b.n_control_inputs = 1;
  SluiceEdge c = sluice_builder_const_int32 (&f->b, 1);
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (f->graph, x.node, &n);
  g_assert_cmpuint (n, ==, 3);
  g_assert_true (uses[0].node == y.node && uses[0].input == 0);
  g_assert_true (uses[1].node == y.node && uses[1].input == 1);
  g_assert_true (uses[2].node == c.node && uses[2].input == -1);
  guint64 version = sluice_graph_get_version (f->graph);
  sluice_graph_add_control_input (f->graph, y.node, c.node);
  sluice_graph_add_control_input (f->graph, y.node, c.node);
  g_assert_cmpuint (y.node->n_control_inputs, ==, 1);
  g_assert_cmpuint (sluice_graph_get_version (f->graph), ==, version + 1);
}

static void
test_copy (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (2, 3));
  SluiceEdge y =
      sluice_op_with (&f->b, "MatMul", SLUICE_ATTRS (sluice_attr_bool ("transpose_b", TRUE)), x, x);
  g_autoptr (SluiceGraph) other = sluice_graph_new ();
  SluiceNode *x2 = sluice_graph_copy_node (other, x.node, "x", NULL, NULL, 0);
  SluiceEdge inputs[] = { { x2, 0 }, { x2, 0 } };
  SluiceNode *y2 = sluice_graph_copy_node (other, y.node, "copy", inputs, NULL, 0);
  g_clear_pointer (&f->graph, sluice_graph_unref); /* the copy stands by itself */
  f->graph = sluice_graph_new ();
  assert_shape ((SluiceEdge){ y2, 0 }, "[2,2]");
  g_assert_true (sluice_node_get_bool (y2, "transpose_b"));
  g_assert_true (sluice_graph_find (other, "copy") == y2);
}

static void
test_builder_constants (Fixture *f, gconstpointer data)
{
  static const SluiceDType dtypes[] = { SLUICE_FLOAT,      SLUICE_DOUBLE, SLUICE_INT32,
                                        SLUICE_UINT8,      SLUICE_INT16,  SLUICE_INT8,
                                        SLUICE_INT64,      SLUICE_BOOL,   SLUICE_COMPLEX64,
                                        SLUICE_COMPLEX128, SLUICE_HALF,   SLUICE_UINT16,
                                        SLUICE_UINT32,     SLUICE_UINT64, SLUICE_BFLOAT16 };
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      SluiceEdge one = sluice_builder_const_number (&f->b, dtypes[i], 1);
      g_assert_no_error (f->b.error);
      g_assert_cmpint (sluice_edge_dtype (one), ==, dtypes[i]);
      assert_shape (one, "[]");
    }
  const gint64 big[] = { G_MAXINT64, -1 };
  SluiceEdge ints = sluice_builder_const_ints (&f->b, SLUICE_INT64, big, 2);
  const SluiceTensor *value = sluice_node_get_attr (ints.node, "value")->tensor;
  g_assert_cmpint (sluice_tensor_get_int (value, 0), ==, G_MAXINT64);
  assert_fails (f, sluice_builder_const_number (&f->b, SLUICE_STRING, 1),
                SLUICE_ERROR_INVALID_ARGUMENT, WORDS ("string"));
}

static void
test_colocation (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (2));
  f->b.colocate_with = x.node;
  SluiceEdge y = sluice_op (&f->b, "Neg", x);
  const SluiceAttrValue *class = sluice_node_get_attr (y.node, "_class");
  g_assert_cmpuint (class->list.n, ==, 1);
  g_assert_cmpstr (class->list.items[0].s.data, ==, "loc:@x");
}

/* ---- loops ---- */

static SluiceEdge
enter (Fixture *f, SluiceEdge x)
{
  return sluice_op_with (&f->b, "Enter", SLUICE_ATTRS (sluice_attr_string ("frame_name", "f")), x);
}

/* Merge (Enter (x), NextIteration (ConcatV2 (Merge, x))): grows along dimension 0. */
static void
test_loop_widens (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (1, 3));
  SluiceEdge in = enter (f, x);
  SluiceEdge merge = sluice_op (&f->b, "Merge", in, in);
  SluiceEdge axis = sluice_builder_const_int32 (&f->b, 0);
  SluiceEdge grown = sluice_op (&f->b, "ConcatV2", merge, in, axis);
  SluiceEdge shape = sluice_op (&f->b, "Shape", merge);
  SluiceEdge filled = sluice_op (&f->b, "Reshape", merge, shape);
  SluiceEdge next = sluice_op (&f->b, "NextIteration", grown);
  g_assert_no_error (f->b.error);
  assert_shape (merge, "[1,3]");
  assert_shape (grown, "[2,3]");
  assert_shape (filled, "[1,3]");
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_graph_set_input (f->graph, merge.node, 1, next, &error));
  g_assert_no_error (error);
  assert_shape (merge, "[?,3]");
  assert_shape (grown, "[?,3]");
  assert_shape (next, "[?,3]");
  assert_shape (filled, "[?,3]"); /* through the value of Shape, whose own shape did not change */
  assert_shape (sluice_edge_port (merge, 1), "[]");
}

static void
test_loop_stays (Fixture *f, gconstpointer data)
{
  SluiceEdge x = placeholder (f, "x", SLUICE_FLOAT, SLUICE_SHAPE (1, 3));
  SluiceEdge in = enter (f, x);
  SluiceEdge merge = sluice_op (&f->b, "Merge", in, in);
  SluiceEdge next = sluice_op (&f->b, "NextIteration", sluice_op (&f->b, "Neg", merge));
  g_assert_true (sluice_graph_set_input (f->graph, merge.node, 1, next, NULL));
  assert_shape (merge, "[1,3]");
  guint n;
  sluice_graph_get_uses (f->graph, in.node, &n);
  g_assert_cmpuint (n, ==, 1);
  g_autoptr (GError) error = NULL;
  SluiceEdge wrong = sluice_builder_const_int32 (&f->b, 1);
  g_assert_false (sluice_graph_set_input (f->graph, merge.node, 1, wrong, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (sluice_graph_set_input (f->graph, next.node, 0, x, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
}

#define N_TEXTS   20000 /* the table grows several times */
#define N_THREADS 4

static gpointer
intern_many (gpointer data)
{
  const char **interned = data;
  for (guint i = 0; i < N_TEXTS; i++)
    {
      g_autofree char *text = g_strdup_printf ("interned/by/several/%u", i);
      interned[i] = sluice_intern (text);
    }
  return NULL;
}

/* A text is found while others are added. */
static void
test_intern_threads (Fixture *f, gconstpointer data)
{
  const char **interned[N_THREADS];
  GThread *threads[N_THREADS];
  for (guint k = 0; k < N_THREADS; k++)
    {
      interned[k] = g_new0 (const char *, N_TEXTS);
      threads[k] = g_thread_new ("intern", intern_many, interned[k]);
    }
  for (guint k = 0; k < N_THREADS; k++)
    g_thread_join (threads[k]);
  for (guint i = 0; i < N_TEXTS; i++)
    {
      g_autofree char *text = g_strdup_printf ("interned/by/several/%u", i);
      g_assert_cmpstr (interned[0][i], ==, text);
      for (guint k = 1; k < N_THREADS; k++)
        g_assert_true (interned[k][i] == interned[0][i]);
    }
  for (guint k = 0; k < N_THREADS; k++)
    g_free (interned[k]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define ADD(name, func) g_test_add (name, Fixture, NULL, set_up, func, tear_down)
  ADD ("/graph/completion", test_completion);
  ADD ("/graph/refusals", test_refusals);
  ADD ("/graph/error-sticks", test_error_sticks);
  ADD ("/graph/names", test_names);
  ADD ("/graph/many-names", test_many_names);
  ADD ("/graph/uses", test_uses);
  ADD ("/graph/copy", test_copy);
  ADD ("/graph/builder-constants", test_builder_constants);
  ADD ("/graph/colocation", test_colocation);
  ADD ("/graph/loop-widens", test_loop_widens);
  ADD ("/graph/loop-stays", test_loop_stays);
  ADD ("/graph/intern-threads", test_intern_threads);
  return g_test_run ();
}
