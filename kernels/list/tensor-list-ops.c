/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* TensorList: lists of tensors as values. The gradient of a list is the list of the gradients. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"
#include "kernels/list/pieces.h"

/* ---- shapes ---- */

/* A shape at an input as list ops write it: a scalar says nothing. */
static gboolean
shape_input (SluiceShapeContext *c, guint input, SluiceShape *shape, GError **error)
{
  *shape = SLUICE_SHAPE_UNKNOWN;
  return c->inputs[input].rank == 0
         || sluice_shape_context_shape_from_input (c, input, shape, error);
}

/* What is known of the elements of the list at an input; unknown where nothing is. */
static SluiceShape
known_element (SluiceShapeContext *c, guint input)
{
  SluiceEdge edge = c->node->inputs[input];
  if (edge.node == NULL || edge.node->outputs[edge.port].handle_dtype == SLUICE_INVALID)
    return SLUICE_SHAPE_UNKNOWN;
  return edge.node->outputs[edge.port].handle_shape;
}

/* Output 0 is a list with elements of that shape. */
static void
set_list (SluiceShapeContext *c, SluiceDType dtype, const SluiceShape *element)
{
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE_SCALAR);
  c->outputs[0].handle_dtype = dtype;
  c->outputs[0].handle_shape = *element;
}

static SluiceDType
dtype_of (SluiceShapeContext *c)
{
  return sluice_node_get_type (c->node, "element_dtype");
}

static gboolean
create_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element;
  if (!shape_input (c, 0, &element, error))
    return FALSE;
  set_list (c, dtype_of (c), &element);
  return TRUE;
}

static gboolean
split_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element;
  if (!shape_input (c, 1, &element, error))
    return FALSE;
  set_list (c, dtype_of (c), &element);
  return TRUE;
}

static gboolean
from_tensor_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element, row = sluice_shape_rest (&c->inputs[0]);
  if (!shape_input (c, 1, &element, error))
    return FALSE;
  sluice_shape_merge (&element, &row, &element);
  set_list (c, dtype_of (c), &element);
  return TRUE;
}

static gboolean
scatter_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element;
  if (!shape_input (c, 2, &element, error))
    return FALSE;
  set_list (c, dtype_of (c), &element);
  return TRUE;
}

/* The list of input 0, changed. */
static gboolean
same_list_shape (SluiceShapeContext *c, GError **error)
{
  SluiceEdge edge = c->node->inputs[0];
  SluiceShape element = known_element (c, 0);
  set_list (c, edge.node != NULL ? edge.node->outputs[edge.port].handle_dtype : SLUICE_INVALID,
            &element);
  return TRUE;
}

static gboolean
push_batch_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &c->inputs[0]);
  return TRUE;
}

/* An element that output i is: of the list's shape and that of an input. */
static gboolean
set_element (SluiceShapeContext *c, guint output, guint input, SluiceShape *element, GError **error)
{
  SluiceShape known = known_element (c, 0);
  if (!shape_input (c, input, element, error))
    return FALSE;
  sluice_shape_merge (element, &known, element);
  sluice_shape_context_set (c, output, element);
  return TRUE;
}

static gboolean
pop_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element;
  same_list_shape (c, error);
  return set_element (c, 1, 1, &element, error);
}

static gboolean
get_item_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element;
  return set_element (c, 0, 2, &element, error);
}

static gboolean
set_stacked (SluiceShapeContext *c, gint64 n, const SluiceShape *element, GError **error)
{
  gint64 dims[SLUICE_MAX_RANK + 1] = { n };
  SluiceShape shape = SLUICE_SHAPE_UNKNOWN;
  if (element->rank >= 0)
    {
      memcpy (dims + 1, element->dim, element->rank * sizeof dims[0]);
      if (!sluice_shape_make (&shape, dims, element->rank + 1, error))
        return FALSE;
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
stack_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element;
  return set_element (c, 0, 1, &element, error)
         && set_stacked (c, sluice_node_get_int (c->node, "num_elements"), &element, error);
}

static gboolean
gather_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element;
  gint64 n = c->inputs[1].rank == 1 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  return set_element (c, 0, 2, &element, error) && set_stacked (c, n, &element, error);
}

static gboolean
concat_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceAttrValue *attr = sluice_node_get_attr (c->node, "element_shape");
  SluiceShape element = attr != NULL ? attr->shape : SLUICE_SHAPE_UNKNOWN;
  SluiceShape known = known_element (c, 0);
  if (c->n_inputs == 3 && !shape_input (c, 1, &element, error))
    return FALSE;
  sluice_shape_merge (&element, &known, &element);
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  SluiceShape rest = sluice_shape_rest (&element);
  return set_stacked (c, SLUICE_UNKNOWN_DIM, &rest, error);
}

static gboolean
element_shape_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element = known_element (c, 0);
  if (element.rank >= 0)
    sluice_shape_context_set (c, 0, &SLUICE_SHAPE (element.rank));
  return TRUE;
}

/* ---- gradients ---- */

#define INT32_SHAPES SLUICE_ATTRS (sluice_attr_type ("shape_type", SLUICE_INT32))
#define OF_DTYPE(attr)                                                                             \
  SLUICE_ATTRS (sluice_attr_type ("element_dtype", sluice_node_get_type (g->node, attr)))

static SluiceEdge
shape_of (SluiceGradContext *g, guint input)
{
  return sluice_op (&g->b, "Shape", sluice_grad_input (g, input));
}

/* The shape of the rows of a tensor. */
static SluiceEdge
shape_of_rows (SluiceGradContext *g, guint input)
{
  SluiceEdge one = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 1 }, 1);
  SluiceEdge rest = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ -1 }, 1);
  return sluice_op (&g->b, "Slice", shape_of (g, input), one, rest);
}

static SluiceEdge
element_shape (SluiceGradContext *g)
{
  return sluice_op_with (&g->b, "TensorListElementShape", INT32_SHAPES, sluice_grad_input (g, 0));
}

static SluiceEdge
length (SluiceGradContext *g)
{
  return sluice_op (&g->b, "TensorListLength", sluice_grad_input (g, 0));
}

/* A list like input 0 of which nothing is set. */
static SluiceEdge
unset_list (SluiceGradContext *g)
{
  return sluice_op_with (&g->b, "TensorListReserve", OF_DTYPE ("element_dtype"), element_shape (g),
                         length (g));
}

static gboolean
push_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge popped = sluice_op_with (&g->b, "TensorListPopBack", OF_DTYPE ("element_dtype"),
                                      sluice_grad_dy (g, 0), shape_of (g, 1));
  sluice_grad_set (g, 0, popped);
  sluice_grad_set (g, 1, sluice_edge_port (popped, 1));
  return TRUE;
}

static gboolean
pop_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (
      g, 0, sluice_op (&g->b, "TensorListPushBack", sluice_grad_dy (g, 0), sluice_grad_dy (g, 1)));
  return TRUE;
}

static gboolean
get_item_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   sluice_op (&g->b, "TensorListSetItem", unset_list (g), sluice_grad_input (g, 1),
                              sluice_grad_dy (g, 0)));
  return TRUE;
}

static gboolean
set_item_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dlist = sluice_grad_dy (g, 0), index = sluice_grad_input (g, 1);
  SluiceEdge zeros = sluice_op (&g->b, "ZerosLike", sluice_grad_input (g, 2));
  sluice_grad_set (g, 0, sluice_op (&g->b, "TensorListSetItem", dlist, index, zeros));
  sluice_grad_set (g, 2,
                   sluice_op_with (&g->b, "TensorListGetItem", OF_DTYPE ("element_dtype"), dlist,
                                   index, shape_of (g, 2)));
  return TRUE;
}

static gboolean
stack_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (
      g, 0,
      sluice_op (&g->b, "TensorListFromTensor", sluice_grad_dy (g, 0), sluice_grad_input (g, 1)));
  return TRUE;
}

static gboolean
from_tensor_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceShape *shape = sluice_edge_shape (g->node->inputs[0]);
  SluiceAttr attrs[] = {
    sluice_attr_type ("element_dtype", sluice_node_get_type (g->node, "element_dtype")),
    sluice_attr_int ("num_elements", shape->rank > 0 ? shape->dim[0] : -1),
  };
  sluice_grad_set (g, 0,
                   sluice_op_with_ (&g->b, "TensorListStack", attrs, G_N_ELEMENTS (attrs),
                                    (SluiceEdge[]){ sluice_grad_dy (g, 0), shape_of_rows (g, 0) },
                                    2));
  return TRUE;
}

static gboolean
gather_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   sluice_op (&g->b, "TensorListScatterIntoExistingList", unset_list (g),
                              sluice_grad_dy (g, 0), sluice_grad_input (g, 1)));
  return TRUE;
}

static gboolean
scatter_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   sluice_op_with (&g->b, "TensorListGather", OF_DTYPE ("element_dtype"),
                                   sluice_grad_dy (g, 0), sluice_grad_input (g, 1),
                                   shape_of_rows (g, 0)));
  return TRUE;
}

static gboolean
scatter_existing_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dlist = sluice_grad_dy (g, 0), indices = sluice_grad_input (g, 2);
  SluiceEdge zeros = sluice_op (&g->b, "ZerosLike", sluice_grad_input (g, 1));
  sluice_grad_set (g, 0,
                   sluice_op (&g->b, "TensorListScatterIntoExistingList", dlist, zeros, indices));
  sluice_grad_set (g, 1,
                   sluice_op_with (&g->b, "TensorListGather", OF_DTYPE ("element_dtype"), dlist,
                                   indices, shape_of_rows (g, 1)));
  return TRUE;
}

static gboolean
concat_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0,
                   sluice_op (&g->b, "TensorListSplit", sluice_grad_dy (g, 0), element_shape (g),
                              sluice_grad_output (g, 1)));
  return TRUE;
}

static gboolean
split_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge any = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ -1 }, 1);
  SluiceEdge axis = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge shape = sluice_op (&g->b, "ConcatV2", any, shape_of_rows (g, 0), axis);
  sluice_grad_set (g, 0,
                   sluice_op_with (&g->b, "TensorListConcatV2", OF_DTYPE ("element_dtype"),
                                   sluice_grad_dy (g, 0), shape, sluice_grad_input (g, 2)));
  return TRUE;
}

static gboolean
resize_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, sluice_op (&g->b, "TensorListResize", sluice_grad_dy (g, 0), length (g)));
  return TRUE;
}

/* ---- definitions ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("takes or gives a list: tests/kernels/test-tensor-list runs them together")
};

#define DEFINE(id, op_name, op_signature, op_attrs, op_shape, op_gradient, text)                   \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = op_signature,                                                                     \
    .attrs = op_attrs,                                                                             \
    .summary = text,                                                                               \
    .flags = op_gradient == NULL ? SLUICE_OP_NOT_DIFFERENTIABLE : 0,                               \
    .shape = op_shape,                                                                             \
    .gradient = op_gradient,                                                                       \
    .recipe = &recipe,                                                                             \
  }
#define DTYPE      "element_dtype: type"
#define SHAPE_TYPE "shape_type: {int32, int64}"

DEFINE (empty_op,
        "EmptyTensorList",
        "element_shape: shape_type, max_num_elements: int32 -> handle: variant",
        DTYPE "; " SHAPE_TYPE,
        create_shape,
        NULL,
        N_ ("An empty list of tensors"));
DEFINE (reserve_op,
        "TensorListReserve",
        "element_shape: shape_type, num_elements: int32 -> handle: variant",
        DTYPE "; " SHAPE_TYPE,
        create_shape,
        NULL,
        N_ ("A list of tensors that are not set yet"));
DEFINE (length_op,
        "TensorListLength",
        "input_handle: variant -> length: int32",
        NULL,
        sluice_shape_scalar,
        NULL,
        N_ ("How many elements a list has"));
DEFINE (element_shape_op,
        "TensorListElementShape",
        "input_handle: variant -> element_shape: shape_type",
        SHAPE_TYPE,
        element_shape_shape,
        NULL,
        N_ ("The shape of a list's elements"));
DEFINE (resize_op,
        "TensorListResize",
        "input_handle: variant, size: int32 -> output_handle: variant",
        NULL,
        same_list_shape,
        resize_gradient,
        N_ ("A list of another length"));
DEFINE (push_op,
        "TensorListPushBack",
        "input_handle: variant, tensor: element_dtype -> output_handle: variant",
        DTYPE,
        same_list_shape,
        push_gradient,
        N_ ("A list with one more element at its end"));
DEFINE (pop_op,
        "TensorListPopBack",
        "input_handle: variant, element_shape: int32 "
        "-> output_handle: variant, tensor: element_dtype",
        DTYPE,
        pop_shape,
        pop_gradient,
        N_ ("The last element of a list, and the list without it"));
DEFINE (get_item_op,
        "TensorListGetItem",
        "input_handle: variant, index: int32, element_shape: Tshape -> item: element_dtype",
        DTYPE "; Tshape: {int32, int64} = int32",
        get_item_shape,
        get_item_gradient,
        N_ ("An element of a list"));
DEFINE (set_item_op,
        "TensorListSetItem",
        "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant",
        DTYPE "; resize_if_index_out_of_bounds: bool = false",
        same_list_shape,
        set_item_gradient,
        N_ ("A list with another element at one place"));
DEFINE (stack_op,
        "TensorListStack",
        "input_handle: variant, element_shape: int32 -> tensor: element_dtype",
        DTYPE "; num_elements: int = -1",
        stack_shape,
        stack_gradient,
        N_ ("Stacks the elements of a list"));
DEFINE (gather_op,
        "TensorListGather",
        "input_handle: variant, indices: int32, element_shape: int32 -> values: element_dtype",
        DTYPE,
        gather_shape,
        gather_gradient,
        N_ ("Stacks some elements of a list"));
DEFINE (concat_op,
        "TensorListConcat",
        "input_handle: variant -> tensor: element_dtype, lengths: int64",
        DTYPE "; element_shape: shape = unknown",
        concat_shape,
        concat_gradient,
        N_ ("Joins the elements of a list"));
DEFINE (concat_v2_op,
        "TensorListConcatV2",
        "input_handle: variant, element_shape: shape_type, leading_dims: int64 "
        "-> tensor: element_dtype, lengths: int64",
        DTYPE "; " SHAPE_TYPE,
        concat_shape,
        concat_gradient,
        N_ ("Joins the elements of a list"));
DEFINE (from_tensor_op,
        "TensorListFromTensor",
        "tensor: element_dtype, element_shape: shape_type -> output_handle: variant",
        DTYPE "; " SHAPE_TYPE,
        from_tensor_shape,
        from_tensor_gradient,
        N_ ("The rows of a tensor as a list"));
DEFINE (scatter_op,
        "TensorListScatter",
        "tensor: element_dtype, indices: int32, element_shape: shape_type "
        "-> output_handle: variant",
        DTYPE "; " SHAPE_TYPE,
        scatter_shape,
        scatter_gradient,
        N_ ("The rows of a tensor as the elements of a list that indices name"));
DEFINE (scatter_v2_op,
        "TensorListScatterV2",
        "tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32 "
        "-> output_handle: variant",
        DTYPE "; " SHAPE_TYPE,
        scatter_shape,
        scatter_gradient,
        N_ ("The rows of a tensor as the elements of a list that indices name"));
DEFINE (scatter_existing_op,
        "TensorListScatterIntoExistingList",
        "input_handle: variant, tensor: element_dtype, indices: int32 -> output_handle: variant",
        DTYPE,
        same_list_shape,
        scatter_existing_gradient,
        N_ ("A list with the rows of a tensor in the places that indices name"));
DEFINE (split_op,
        "TensorListSplit",
        "tensor: element_dtype, element_shape: shape_type, lengths: int64 "
        "-> output_handle: variant",
        DTYPE "; " SHAPE_TYPE,
        split_shape,
        split_gradient,
        N_ ("Cuts a tensor into the elements of a list"));
DEFINE (concat_lists_op,
        "TensorListConcatLists",
        "input_a: variant, input_b: variant -> output: variant",
        DTYPE,
        push_batch_shape,
        NULL,
        N_ ("The elements of two lists in one"));
DEFINE (push_batch_op,
        "TensorListPushBackBatch",
        "input_handles: variant, tensor: element_dtype -> output_handles: variant",
        DTYPE,
        push_batch_shape,
        NULL,
        N_ ("Lists with a row of a tensor more at the end of each"));

static const SluiceOpDef *const ops[] = {
  &empty_op,         &reserve_op,          &length_op,
  &element_shape_op, &resize_op,           &push_op,
  &pop_op,           &get_item_op,         &set_item_op,
  &stack_op,         &gather_op,           &concat_op,
  &concat_v2_op,     &from_tensor_op,      &scatter_op,
  &scatter_v2_op,    &scatter_existing_op, &split_op,
  &concat_lists_op,  &push_batch_op,
};

const SluiceKernelModule sluice_module_list_tensor_list_ops = { .ops = ops,
                                                                .n_ops = G_N_ELEMENTS (ops) };
