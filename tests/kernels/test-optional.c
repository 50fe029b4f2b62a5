/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Optionals: what is there, what is not, and what is refused; and the gradient through one. */
#include "engine/grad/grad.h"
#include "tests/kernels/harness.h"

/* Output 0 of an OptionalGetValue that wants one tensor of a dtype and a shape. */
static SluiceEdge
get_value (
    Harness *h, const char *name, SluiceEdge optional, SluiceDType dtype, const SluiceShape *shape)
{
  SluiceAttrValue type = sluice_attr_type ("", dtype).value;
  SluiceAttrValue of = sluice_attr_shape ("", shape).value;
  SluiceAttr attrs[] = {
    { .name = "output_types",
      .value = { .kind = SLUICE_ATTR_LIST, .list_kind = SLUICE_ATTR_TYPE, .list = { &type, 1 } } },
    { .name = "output_shapes",
      .value = { .kind = SLUICE_ATTR_LIST, .list_kind = SLUICE_ATTR_SHAPE, .list = { &of, 1 } } }
  };
  return harness_add (h, "OptionalGetValue", name, &optional, 1, attrs, G_N_ELEMENTS (attrs));
}

static gboolean
has_value (Harness *h, const char *fetch)
{
  g_autoptr (SluiceTensor) tensor = harness_fetch (h, fetch);
  return *(const guint8 *) tensor->data != 0;
}

static void
test_value (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge x = harness_floats (&h, &SLUICE_SHAPE (2), (float[]){ 3, 4 });
  SluiceEdge some = harness_op (&h, "OptionalFromValue", "some", x);
  SluiceEdge none = harness_add (&h, "OptionalNone", "none", NULL, 0, NULL, 0);
  harness_op (&h, "OptionalHasValue", "some_has", some);
  harness_op (&h, "OptionalHasValue", "none_has", none);
  get_value (&h, "value", some, SLUICE_FLOAT, &SLUICE_SHAPE (2));
  get_value (&h, "no_value", none, SLUICE_FLOAT, &SLUICE_SHAPE (2));
  get_value (&h, "wrong_type", some, SLUICE_INT32, &SLUICE_SHAPE (2));
  get_value (&h, "wrong_shape", some, SLUICE_FLOAT, &SLUICE_SHAPE (3));
  g_assert_true (has_value (&h, "some_has:0"));
  g_assert_false (has_value (&h, "none_has:0"));
  g_autoptr (SluiceTensor) value = harness_fetch (&h, "value:0");
  g_assert_cmpfloat (((const float *) value->data)[1], ==, 4);
  harness_fails (&h, "no_value:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_fails (&h, "wrong_type:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_fails (&h, "wrong_shape:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
}

/* A variant may be something else, or hold nothing at all. */
static void
test_refused (void)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  harness_init (&h, 1, FALSE);
  SluiceEdge x = harness_floats (&h, &SLUICE_SHAPE (2), (float[]){ 3, 4 });
  SluiceEdge two = sluice_builder_const_ints (&h.b, SLUICE_INT32, (gint64[]){ 2 }, 1);
  SluiceEdge minus = sluice_builder_const_int32 (&h.b, -1);
  SluiceAttr dtype = sluice_attr_type ("element_dtype", SLUICE_FLOAT);
  SluiceEdge list =
      harness_add (&h, "EmptyTensorList", "list", (SluiceEdge[]){ two, minus }, 2, &dtype, 1);
  harness_op (&h, "OptionalHasValue", "of_list", list);
  harness_op (&h, "OptionalHasValue", "of_fed", harness_placeholder (&h, "fed", SLUICE_VARIANT));
  harness_op (&h, "OptionalFromValue", "some", x);
  harness_fails (&h, "of_list:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  g_autoptr (SluiceTensor) nothing = sluice_tensor_new_zeros (SLUICE_VARIANT, &SLUICE_SHAPE_SCALAR);
  g_autoptr (SluiceTensor) two_of_them =
      sluice_tensor_new_zeros (SLUICE_VARIANT, &SLUICE_SHAPE (2));
  SluiceTensor *const fed[] = { nothing, two_of_them };
  for (guint i = 0; i < G_N_ELEMENTS (fed); i++)
    {
      SluiceFeed feed = { "fed:0", fed[i] };
      g_assert_null (harness_run (&h, "of_fed:0", NULL, &feed, 1, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
    }
}

/* d(sum of squares) through an optional: twice the value. */
static void
test_gradient (void)
{
  g_auto (Harness) h;
  g_autoptr (GError) error = NULL;
  SluiceGrad dx;
  harness_init (&h, 1, FALSE);
  SluiceEdge x = harness_floats (&h, &SLUICE_SHAPE (2), (float[]){ 3, 4 });
  SluiceEdge some = harness_op (&h, "OptionalFromValue", "some", x);
  SluiceEdge value = get_value (&h, "value", some, SLUICE_FLOAT, &SLUICE_SHAPE (2));
  SluiceEdge y = harness_op (&h, "Square", "y", value);
  sluice_gradients (h.graph, "gradients", &y, 1, NULL, &x, 1, &dx, &error);
  g_assert_no_error (error);
  g_autofree char *fetch = g_strdup_printf ("%s:%d", dx.values.node->name, dx.values.port);
  g_autoptr (SluiceTensor) tensor = harness_fetch (&h, fetch);
  g_assert_cmpfloat (((const float *) tensor->data)[0], ==, 6);
  g_assert_cmpfloat (((const float *) tensor->data)[1], ==, 8);
}

/* Zeros of an optional have its structure, and sums go tensor by tensor; so do those of a list in
 * one. What has another structure cannot be added. */
static void
test_arithmetic (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge x = harness_floats (&h, &SLUICE_SHAPE (2), (float[]){ 3, 4 });
  SluiceAttr dtype = sluice_attr_type ("element_dtype", SLUICE_FLOAT);
  SluiceEdge shape = sluice_builder_const_ints (&h.b, SLUICE_INT32, NULL, 0);
  SluiceEdge list =
      harness_add (&h, "TensorListFromTensor", "list", (SluiceEdge[]){ x, shape }, 2, &dtype, 1);
  SluiceEdge some = harness_op (&h, "OptionalFromValue", "some", x);
  SluiceEdge of_list = harness_op (&h, "OptionalFromValue", "of_list", list);
  SluiceEdge none = harness_add (&h, "OptionalNone", "none", NULL, 0, NULL, 0);
  SluiceEdge zeros = harness_op (&h, "ZerosLike", "zeros", some);
  SluiceEdge sum = harness_op (&h, "AddN", "sum", zeros, some, some);
  harness_op (&h, "OptionalHasValue", "no_zeros", harness_op (&h, "ZerosLike", "z", none));
  harness_op (&h, "OptionalHasValue", "no_sum", harness_op (&h, "AddN", "n", none, none));
  get_value (&h, "value", sum, SLUICE_FLOAT, &SLUICE_SHAPE (2));
  SluiceEdge lists = get_value (&h, "lists", harness_op (&h, "AddN", "add_lists", of_list, of_list),
                                SLUICE_VARIANT, &SLUICE_SHAPE_SCALAR);
  SluiceEdge stack[] = { lists, shape };
  harness_add (&h, "TensorListStack", "stacked", stack, 2, &dtype, 1);
  harness_op (&h, "AddN", "mixed", some, none);
  harness_op (&h, "AddN", "kinds", some, list);
  g_autoptr (SluiceTensor) value = harness_fetch (&h, "value:0");
  g_autoptr (SluiceTensor) stacked = harness_fetch (&h, "stacked:0");
  g_assert_cmpfloat (((const float *) value->data)[1], ==, 8);
  g_assert_cmpfloat (((const float *) stacked->data)[0], ==, 6);
  g_assert_false (has_value (&h, "no_zeros:0"));
  g_assert_false (has_value (&h, "no_sum:0"));
  harness_fails (&h, "mixed:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
  harness_fails (&h, "kinds:0", NULL, SLUICE_ERROR_INVALID_ARGUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/optional/value", test_value);
  g_test_add_func ("/optional/refused", test_refused);
  g_test_add_func ("/optional/gradient", test_gradient);
  g_test_add_func ("/optional/arithmetic", test_arithmetic);
  return g_test_run ();
}
