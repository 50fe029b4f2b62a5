/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* TensorList: lists as values. What one op leaves alone the next one still sees. */
#include "engine/grad/grad.h"
#include "tests/kernels/harness.h"

/* Every op of the family is used here; test-ops looks for their quoted names. */
typedef struct
{
  Harness h;
  SluiceEdge any, two, minus, x, rows; /* shapes and values that many ops take */
} Lists;

static void
lists_clear (Lists *self)
{
  harness_clear (&self->h);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lists, lists_clear)

static void
lists_init (Lists *self)
{
  harness_init (&self->h, 1, FALSE);
  self->two = sluice_builder_const_ints (&self->h.b, SLUICE_INT32, (gint64[]){ 2 }, 1);
  self->any = sluice_builder_const_int32 (&self->h.b, -1);
  self->minus = sluice_builder_const_ints (&self->h.b, SLUICE_INT32, (gint64[]){ -1, 2 }, 2);
  self->x = harness_floats (&self->h, &SLUICE_SHAPE (3, 2), (float[]){ 1, 2, 3, 4, 5, 6 });
  self->rows = harness_floats (&self->h, &SLUICE_SHAPE (2), (float[]){ 7, 8 });
}

#define FLOATS           SLUICE_ATTRS (sluice_attr_type ("element_dtype", SLUICE_FLOAT))
#define OP(name, ...)    sluice_op (&l->h.b, name, __VA_ARGS__)
#define OP_OF(name, ...) sluice_op_with (&l->h.b, name, FLOATS, __VA_ARGS__)

static SluiceEdge
number (Lists *l, gint32 value)
{
  return sluice_builder_const_int32 (&l->h.b, value);
}

static SluiceEdge
numbers (Lists *l, SluiceDType dtype, gint64 a, gint64 b)
{
  return sluice_builder_const_ints (&l->h.b, dtype, (gint64[]){ a, b }, 2);
}

static SluiceEdge
from_rows (Lists *l)
{
  return OP ("TensorListFromTensor", l->x, l->two);
}

static SluiceEdge
stacked (Lists *l, SluiceEdge list)
{
  return OP_OF ("TensorListStack", list, l->two);
}

static void
assert_floats (Lists *l, SluiceEdge edge, guint n, const float *want)
{
  g_autoptr (GError) error = NULL;
  sluice_builder_finish (&l->h.b, &error);
  g_assert_no_error (error);
  g_autofree char *name = g_strdup_printf ("%s:%d", edge.node->name, edge.port);
  g_autoptr (SluiceTensor) got = harness_fetch (&l->h, name);
  g_assert_cmpint (got->n_elements, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (((float *) got->data)[i], ==, want[i]);
}

static void
assert_fails (Lists *l, SluiceEdge edge)
{
  g_autoptr (GError) error = NULL;
  sluice_builder_finish (&l->h.b, &error);
  g_assert_no_error (error);
  harness_fails (&l->h, edge.node->name, NULL, SLUICE_ERROR_INVALID_ARGUMENT);
}

static void
test_elements (void)
{
  g_auto (Lists) lists = { 0 };
  Lists *l = &lists;
  lists_init (l);
  SluiceEdge list = from_rows (l);
  SluiceEdge set = OP ("TensorListSetItem", list, number (l, 1), l->rows);
  SluiceEdge pushed = OP ("TensorListPushBack", list, l->rows);
  SluiceEdge popped = OP_OF ("TensorListPopBack", pushed, l->two);
  SluiceEdge longer = OP ("TensorListResize", list, number (l, 4));
  assert_floats (l, stacked (l, set), 6, (float[]){ 1, 2, 7, 8, 5, 6 });
  assert_floats (l, stacked (l, pushed), 8, (float[]){ 1, 2, 3, 4, 5, 6, 7, 8 });
  assert_floats (l, sluice_edge_port (popped, 1), 2, (float[]){ 7, 8 });
  /* All of them leave the list that they are made of alone. */
  assert_floats (l, OP ("AddN", stacked (l, popped), stacked (l, list)), 6,
                 (float[]){ 2, 4, 6, 8, 10, 12 });
  assert_floats (l, stacked (l, longer), 8, (float[]){ 1, 2, 3, 4, 5, 6, 0, 0 });
  assert_floats (l, OP_OF ("TensorListGetItem", set, number (l, 1), l->any), 2, (float[]){ 7, 8 });
  assert_floats (l, OP_OF ("TensorListGather", list, numbers (l, SLUICE_INT32, 2, 0), l->two), 4,
                 (float[]){ 5, 6, 1, 2 });
}

static void
test_whole_lists (void)
{
  g_auto (Lists) lists = { 0 };
  Lists *l = &lists;
  lists_init (l);
  SluiceEdge list = from_rows (l), lengths = numbers (l, SLUICE_INT64, 1, 2);
  SluiceEdge cut = OP ("TensorListSplit", l->x, l->minus, lengths);
  SluiceEdge joined = OP_OF ("TensorListConcatLists", list, list);
  assert_floats (l, OP_OF ("TensorListConcatV2", cut, l->minus, lengths), 6,
                 (float[]){ 1, 2, 3, 4, 5, 6 });
  assert_floats (l, OP_OF ("TensorListConcat", cut), 6, (float[]){ 1, 2, 3, 4, 5, 6 });
  assert_floats (l, stacked (l, joined), 12, (float[]){ 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6 });
  SluiceEdge batch = OP ("TensorListPushBackBatch", list,
                         harness_floats (&l->h, &SLUICE_SHAPE (1, 2), (float[]){ 9, 9 }));
  assert_floats (l, stacked (l, batch), 8, (float[]){ 1, 2, 3, 4, 5, 6, 9, 9 });
  assert_floats (l, stacked (l, OP ("AddN", list, list)), 6, (float[]){ 2, 4, 6, 8, 10, 12 });
  assert_floats (l, stacked (l, OP ("ZerosLike", list)), 6, (float[6]){ 0 });
  SluiceEdge indices = sluice_builder_const_ints (&l->h.b, SLUICE_INT32, (gint64[]){ 2, 0, 1 }, 3);
  assert_floats (l, stacked (l, OP ("TensorListScatter", l->x, indices, l->two)), 6,
                 (float[]){ 3, 4, 5, 6, 1, 2 });
  assert_floats (l, stacked (l, OP ("TensorListScatterV2", l->x, indices, l->two, number (l, 4))),
                 8, (float[]){ 3, 4, 5, 6, 1, 2, 0, 0 });
  assert_floats (l, stacked (l, OP ("TensorListScatterIntoExistingList", list, l->x, indices)), 6,
                 (float[]){ 3, 4, 5, 6, 1, 2 });
}

static void
test_lengths (void)
{
  g_auto (Lists) lists = { 0 };
  Lists *l = &lists;
  lists_init (l);
  SluiceEdge empty = OP_OF ("EmptyTensorList", l->two, number (l, 1));
  SluiceEdge unset = OP_OF ("TensorListReserve", l->any, number (l, 3));
  SluiceAttr type = sluice_attr_type ("shape_type", SLUICE_INT64);
  SluiceEdge shape = sluice_op_with (&l->h.b, "TensorListElementShape", SLUICE_ATTRS (type), empty);
  SluiceEdge length = OP ("TensorListLength", unset);
  g_autoptr (SluiceTensor) n = harness_fetch (&l->h, length.node->name);
  g_autoptr (SluiceTensor) sizes = harness_fetch (&l->h, shape.node->name);
  g_assert_cmpint (sluice_tensor_get_int (n, 0), ==, 3);
  g_assert_cmpint (sluice_tensor_get_int (sizes, 0), ==, 2);

  assert_fails (l, OP ("TensorListPushBack", OP ("TensorListPushBack", empty, l->rows), l->rows));
  assert_fails (l, OP_OF ("TensorListPopBack", empty, l->two));
  assert_fails (l, OP_OF ("TensorListGetItem", unset, number (l, 3), l->two));
  assert_fails (l, OP_OF ("TensorListGetItem", unset, number (l, 0), l->any));
  assert_fails (l, OP_OF ("TensorListReserve", l->two, number (l, -1)));
  assert_fails (l, OP ("TensorListPushBack", empty, l->x));
  assert_fails (l, OP_OF ("TensorListGetItem", OP ("ZerosLike", unset), number (l, 9), l->two));
}

/* d(Σ weights · (elements of a list, through pushes, sets and a pop)) */
static void
test_gradients (void)
{
  g_auto (Lists) lists = { 0 };
  Lists *l = &lists;
  lists_init (l);
  g_autoptr (GError) error = NULL;
  SluiceEdge list = OP ("TensorListPushBack", from_rows (l), l->rows);
  list = OP ("TensorListSetItem", list, number (l, 0), OP ("Mul", l->rows, l->rows));
  SluiceEdge popped = OP_OF ("TensorListPopBack", list, l->two);
  SluiceEdge item = OP_OF ("TensorListGetItem", popped, number (l, 1), l->two);
  SluiceEdge ys[] = { stacked (l, popped), sluice_edge_port (popped, 1), item };
  SluiceEdge xs[] = { l->x, l->rows };
  SluiceGrad dxs[2];
  sluice_gradients (l->h.graph, "gradients", ys, 3, NULL, xs, 2, dxs, &error);
  g_assert_no_error (error);
  assert_floats (l, dxs[0].values, 6, (float[]){ 0, 0, 2, 2, 1, 1 });
  assert_floats (l, dxs[1].values, 2, (float[]){ 15, 17 });
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/kernels/tensor-list/elements", test_elements);
  g_test_add_func ("/kernels/tensor-list/whole-lists", test_whole_lists);
  g_test_add_func ("/kernels/tensor-list/lengths", test_lengths);
  g_test_add_func ("/kernels/tensor-list/gradients", test_gradients);
  return g_test_run ();
}
