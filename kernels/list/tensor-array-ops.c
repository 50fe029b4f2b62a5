/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * TensorArray in its three generations, which differ in what their handles are: a reference to two
 * strings, two strings, a resource. The `flow` is a float without meaning whose edges order the ops
 * of one array; gradients run along the same edges.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"
#include "kernels/list/pieces.h"

/*
 * ---- shapes ----
 *
 * What inference knows of an array's elements travels with its edges, as what it knows of a
 * variable does. Behind the handle: a dtype where all elements have one shape, and that shape where
 * the array was made with it. Behind the flow: what was written on the way.
 */

static const SluiceOutput *
producer_output (SluiceEdge edge)
{
  return edge.node != NULL ? &edge.node->outputs[edge.port] : NULL;
}

static void
set_known (SluiceShapeContext *c, guint output, SluiceDType dtype, const SluiceShape *shape)
{
  c->outputs[output].handle_dtype = dtype;
  c->outputs[output].handle_shape = *shape;
}

static gboolean
create_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 0, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (2));
  if (c->n_outputs < 2)
    return TRUE;
  const SluiceShape *element = &sluice_node_get_attr (c->node, "element_shape")->shape;
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE_SCALAR);
  if (sluice_shape_is_known (element) || sluice_node_get_bool (c->node, "identical_element_shapes"))
    set_known (c, 0, sluice_node_get_type (c->node, "dtype"), element);
  return TRUE;
}

static gboolean
grad_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceOutput *handle = producer_output (c->node->inputs[0]);
  const SluiceOutput *flow = producer_output (c->node->inputs[1]);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (2));
  if (c->n_outputs < 2)
    return TRUE;
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE_SCALAR);
  if (c->n_inputs > 2 || handle == NULL || flow == NULL)
    return TRUE;
  set_known (c, 0, handle->handle_dtype, &handle->handle_shape);
  set_known (c, 1, flow->handle_dtype, &flow->handle_shape);
  return TRUE;
}

/* Of an element, as handle and flow tell; unknown where they do not. */
static SluiceShape
element_shape (SluiceShapeContext *c, guint flow_input)
{
  const SluiceOutput *handle = producer_output (c->node->inputs[0]);
  const SluiceOutput *flow = producer_output (c->node->inputs[flow_input]);
  if (handle == NULL || flow == NULL || handle->handle_dtype == SLUICE_INVALID)
    return SLUICE_SHAPE_UNKNOWN;
  SluiceShape shape = handle->handle_shape;
  if (flow->handle_dtype == handle->handle_dtype)
    sluice_shape_merge (&shape, &flow->handle_shape, &shape);
  return shape;
}

/* The flow behind a write of an element of that shape. */
static gboolean
written_shape (SluiceShapeContext *c, const SluiceShape *value)
{
  SluiceShape element = element_shape (c, c->n_inputs - 1);
  const SluiceOutput *handle = producer_output (c->node->inputs[0]);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE_SCALAR);
  if (handle == NULL || handle->handle_dtype == SLUICE_INVALID)
    return TRUE;
  if (!sluice_shape_merge (&element, value, &element))
    element = *value;
  if (element.rank >= 0)
    set_known (c, 0, handle->handle_dtype, &element);
  return TRUE;
}

static gboolean
write_shape (SluiceShapeContext *c, GError **error)
{
  return written_shape (c, &c->inputs[2]);
}

static gboolean
scatter_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape row = sluice_shape_rest (&c->inputs[c->n_inputs - 2]);
  return written_shape (c, &row);
}

/* What wrote into the array whose gradients a node reads. */
typedef struct
{
  const SluiceNode *reader;
  const char *writer; /* "TensorArrayWrite" … */
  guint value_input;
  gboolean any;
  SluiceShape shape;
} Written;

static gboolean
is_same_value (SluiceEdge a, SluiceEdge b)
{
  SluiceEdge x = sluice_edge_origin (a), y = sluice_edge_origin (b);
  return x.node != NULL && x.node == y.node && x.port == y.port;
}

static void
add_written (SluiceNode *node, gpointer data)
{
  Written *written = data;
  if (written->any || node->n_inputs <= written->value_input
      || !g_str_has_prefix (node->op_name, written->writer))
    return;
  SluiceEdge value = node->inputs[written->value_input];
  gboolean by_index = written->value_input == 2;
  if (value.node == NULL
      || (by_index && !is_same_value (node->inputs[1], written->reader->inputs[1])))
    return;
  written->any = TRUE;
  written->shape = *sluice_edge_shape (value);
}

/*
 * A gradient has the shape of what it is the gradient of. An element is written once: what reads
 * it from an array of gradients, by the same index, gets the shape of what was written; in the
 * gradient of a loop handle and index come from stacks. Unknown where nothing was found.
 */
static SluiceShape
forward_shape (SluiceShapeContext *c, const char *writer, guint value_input)
{
  SluiceEdge grad = sluice_edge_origin (c->node->inputs[0]);
  if (grad.node == NULL || !g_str_has_prefix (grad.node->op_name, "TensorArrayGrad")
      || grad.node->n_inputs != 2)
    return SLUICE_SHAPE_UNKNOWN;
  SluiceEdge handle = sluice_edge_origin (grad.node->inputs[0]);
  Written written = { c->node, writer, value_input, FALSE, SLUICE_SHAPE_UNKNOWN };
  if (handle.node != NULL)
    sluice_node_foreach_holder (handle.node, add_written, &written);
  return written.shape;
}

static gboolean
read_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape forward = forward_shape (c, "TensorArrayWrite", 2), shape = element_shape (c, 2);
  sluice_shape_merge (&shape, &forward, &shape);
  sluice_shape_context_set (c, 0, &shape);
  return sluice_shape_context_want_rank (c, 1, 0, error)
         && sluice_shape_context_want_rank (c, 2, 0, error);
}

/* Output 0: a dimension in front of others, as far as they are known. */
static gboolean
put_in_front (SluiceShapeContext *c, gint64 size, const SluiceShape *rest, GError **error)
{
  gint64 dims[SLUICE_MAX_RANK + 1] = { size };
  SluiceShape shape;
  if (rest->rank < 0)
    return TRUE;
  memcpy (dims + 1, rest->dim, rest->rank * sizeof dims[0]);
  if (!sluice_shape_make (&shape, dims, rest->rank + 1, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* Contradictions with what the handle tells show when it runs. */
static gboolean
gather_shape (SluiceShapeContext *c, GError **error)
{
  gboolean has_indices = c->n_inputs == 3;
  SluiceShape element = element_shape (c, c->n_inputs - 1);
  const SluiceShape *wanted = &sluice_node_get_attr (c->node, "element_shape")->shape;
  if (has_indices && !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  sluice_shape_merge (&element, wanted, &element);
  gint64 n = has_indices && c->inputs[1].rank == 1 ? c->inputs[1].dim[0] : SLUICE_UNKNOWN_DIM;
  if (!put_in_front (c, n, &element, error))
    return FALSE;
  SluiceShape forward =
      has_indices ? forward_shape (c, "TensorArrayScatter", 2) : SLUICE_SHAPE_UNKNOWN;
  sluice_shape_merge (&c->outputs[0].shape, &forward, &c->outputs[0].shape);
  return TRUE;
}

static gboolean
concat_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape element = element_shape (c, 1), behind = sluice_shape_rest (&element);
  const SluiceShape *rest = &sluice_node_get_attr (c->node, "element_shape_except0")->shape;
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  sluice_shape_merge (&behind, rest, &behind);
  if (!put_in_front (c, SLUICE_UNKNOWN_DIM, &behind, error))
    return FALSE;
  SluiceShape forward = forward_shape (c, "TensorArraySplit", 1);
  sluice_shape_merge (&c->outputs[0].shape, &forward, &c->outputs[0].shape);
  return TRUE;
}

/* ---- gradients ---- */

/* "", "V2" or "V3": the generation that a node is of. */
static const char *
generation (const SluiceNode *node)
{
  if (g_str_has_suffix (node->op_name, "V3"))
    return "V3";
  return g_str_has_suffix (node->op_name, "V2") ? "V2" : "";
}

typedef struct
{
  SluiceEdge handle, flow;
} Array;

static SluiceEdge
make (SluiceGradContext *g,
      const char *what,
      const SluiceEdge *inputs,
      guint n,
      const SluiceAttr *attrs,
      guint n_attrs)
{
  g_autofree char *op = g_strconcat ("TensorArray", what, generation (g->node), NULL);
  return sluice_builder_add (&g->b, op, NULL, inputs, n, attrs, n_attrs);
}

#define MAKE(what, attrs_and_n, ...)                                                               \
  make (g, what, (SluiceEdge[]){ __VA_ARGS__ }, SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__),           \
        attrs_and_n)
#define NO_ATTRS NULL, 0

/* The array of gradients, made after `flow`. What uses it comes after it. */
static Array
grad_array (SluiceGradContext *g, SluiceEdge flow)
{
  SluiceEdge made = MAKE ("Grad", SLUICE_ATTRS (sluice_attr_string ("source", g->source)),
                          sluice_grad_input (g, 0), flow);
  if (made.node == NULL)
    return (Array){ SLUICE_NO_EDGE, SLUICE_NO_EDGE };
  if (made.node->n_outputs == 2)
    return (Array){ made, sluice_edge_port (made, 1) };
  SluiceEdge after = sluice_op (&g->b, "Identity", flow);
  if (after.node != NULL)
    sluice_graph_add_control_input (g->b.graph, after.node, made.node);
  return (Array){ made, after };
}

static SluiceAttr
dtype_of_value (SluiceGradContext *g, const char *attr)
{
  return sluice_attr_type ("dtype", sluice_node_get_type (g->node, attr));
}

static gboolean
read_gradient (SluiceGradContext *g, GError **error)
{
  Array array = grad_array (g, sluice_grad_input (g, 2));
  sluice_grad_set (g, 2,
                   MAKE ("Write", NO_ATTRS, array.handle, sluice_grad_input (g, 1),
                         sluice_grad_dy (g, 0), array.flow));
  return TRUE;
}

static gboolean
write_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge flow = sluice_grad_dy (g, 0);
  Array array = grad_array (g, flow);
  sluice_grad_set (g, 2,
                   MAKE ("Read", SLUICE_ATTRS (dtype_of_value (g, "T")), array.handle,
                         sluice_grad_input (g, 1), array.flow));
  sluice_grad_set (g, 3, flow);
  return TRUE;
}

static gboolean
gather_gradient (SluiceGradContext *g, GError **error)
{
  Array array = grad_array (g, sluice_grad_input (g, 2));
  sluice_grad_set (g, 2,
                   MAKE ("Scatter", NO_ATTRS, array.handle, sluice_grad_input (g, 1),
                         sluice_grad_dy (g, 0), array.flow));
  return TRUE;
}

static gboolean
scatter_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge flow = sluice_grad_dy (g, 0);
  Array array = grad_array (g, flow);
  sluice_grad_set (g, 2,
                   MAKE ("Gather", SLUICE_ATTRS (dtype_of_value (g, "T")), array.handle,
                         sluice_grad_input (g, 1), array.flow));
  sluice_grad_set (g, 3, flow);
  return TRUE;
}

static gboolean
concat_gradient (SluiceGradContext *g, GError **error)
{
  Array array = grad_array (g, sluice_grad_input (g, 1));
  sluice_grad_set (g, 1,
                   MAKE ("Split", NO_ATTRS, array.handle, sluice_grad_dy (g, 0),
                         sluice_grad_output (g, 1), array.flow));
  return TRUE;
}

static gboolean
split_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge flow = sluice_grad_dy (g, 0);
  Array array = grad_array (g, flow);
  sluice_grad_set (
      g, 1, MAKE ("Concat", SLUICE_ATTRS (dtype_of_value (g, "T")), array.handle, array.flow));
  sluice_grad_set (g, 3, flow);
  return TRUE;
}

static gboolean
pack_gradient (SluiceGradContext *g, GError **error)
{
  Array array = grad_array (g, sluice_grad_input (g, 1));
  sluice_grad_set (g, 1,
                   MAKE ("Unpack", NO_ATTRS, array.handle, sluice_grad_dy (g, 0), array.flow));
  return TRUE;
}

static gboolean
unpack_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge flow = sluice_grad_dy (g, 0);
  Array array = grad_array (g, flow);
  sluice_grad_set (g, 1,
                   MAKE ("Pack", SLUICE_ATTRS (dtype_of_value (g, "T")), array.handle, array.flow));
  sluice_grad_set (g, 2, flow);
  return TRUE;
}

/* ---- definitions ---- */

static const SluiceRecipe recipe = {
  .why_none =
      N_ ("needs an array of its step: tests/kernels/test-tensor-array runs them together")
};

/* All count as stateful: two equal writes are two writes. */
#define DEFINE(id, op_name, op_signature, op_attrs, text, ...)                                     \
  static const SluiceOpDef id = { .name = op_name,                                                 \
                                  .signature = op_signature,                                       \
                                  .attrs = op_attrs,                                               \
                                  .summary = text,                                                 \
                                  .recipe = &recipe,                                               \
                                  __VA_ARGS__ }
#define HAS_GRADIENT(function)                                                                     \
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP, .gradient = function
#define READS_GRADIENT(function)                                                                   \
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_LOOKS_AFAR,                   \
  .gradient = function
#define NO_GRADIENT                                                                                \
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE

/* One op of all generations: what is behind the handle is the same. */
#define DEFINE_ALL(id, what, rest, op_attrs, text, ...)                                            \
  DEFINE (id##_v1, "TensorArray" what, "handle: Ref(string)" rest, op_attrs, text, __VA_ARGS__);   \
  DEFINE (id##_v2, "TensorArray" what "V2", "handle: string" rest, op_attrs, text, __VA_ARGS__);   \
  DEFINE (id##_v3, "TensorArray" what "V3", "handle: resource" rest, op_attrs, text, __VA_ARGS__)
#define ALL(id) &id##_v1, &id##_v2, &id##_v3

#define CREATE_ATTRS                                                                               \
  "dtype: type; element_shape: shape = unknown; dynamic_size: bool = false; "                      \
  "clear_after_read: bool = true; "
#define CREATE_TEXT N_ ("An array of tensors, each written once, for one step")
DEFINE (create_v1,
        "TensorArray",
        "size: int32 -> handle: Ref(string)",
        CREATE_ATTRS "tensor_array_name: string = ''",
        CREATE_TEXT,
        NO_GRADIENT,
        .shape = create_shape);
DEFINE (create_v2,
        "TensorArrayV2",
        "size: int32 -> handle: string",
        CREATE_ATTRS "tensor_array_name: string = ''",
        CREATE_TEXT,
        NO_GRADIENT,
        .shape = create_shape);
DEFINE (create_v3,
        "TensorArrayV3",
        "size: int32 -> handle: resource, flow: float",
        CREATE_ATTRS "identical_element_shapes: bool = false; tensor_array_name: string = ''",
        CREATE_TEXT,
        NO_GRADIENT,
        .shape = create_shape);

#define GRAD_TEXT N_ ("The array of the gradients of another array's elements")
DEFINE (grad_v1,
        "TensorArrayGrad",
        "handle: string, flow_in: float -> grad_handle: Ref(string)",
        "source: string",
        GRAD_TEXT,
        NO_GRADIENT,
        .shape = grad_shape);
DEFINE (grad_v2,
        "TensorArrayGradV2",
        "handle: string, flow_in: float -> grad_handle: string",
        "source: string",
        GRAD_TEXT,
        NO_GRADIENT,
        .shape = grad_shape);
DEFINE (grad_v3,
        "TensorArrayGradV3",
        "handle: resource, flow_in: float -> grad_handle: resource, flow_out: float",
        "source: string",
        GRAD_TEXT,
        NO_GRADIENT,
        .shape = grad_shape);
DEFINE (grad_with_shape,
        "TensorArrayGradWithShape",
        "handle: resource, flow_in: float, shape_to_prepend: int32 "
        "-> grad_handle: resource, flow_out: float",
        "source: string",
        N_ ("The array of gradients with more dimensions than the elements have"),
        NO_GRADIENT,
        .shape = grad_shape);

DEFINE_ALL (write,
            "Write",
            ", index: int32, value: T, flow_in: float -> flow_out: float",
            "T: type",
            N_ ("Writes an element of an array"),
            HAS_GRADIENT (write_gradient),
            .shape = write_shape);
DEFINE_ALL (read,
            "Read",
            ", index: int32, flow_in: float -> value: dtype",
            "dtype: type",
            N_ ("Reads an element of an array"),
            READS_GRADIENT (read_gradient),
            .shape = read_shape);
DEFINE_ALL (gather,
            "Gather",
            ", indices: int32, flow_in: float -> value: dtype",
            "dtype: type; element_shape: shape = unknown",
            N_ ("Stacks elements of an array"),
            READS_GRADIENT (gather_gradient),
            .shape = gather_shape);
DEFINE_ALL (scatter,
            "Scatter",
            ", indices: int32, value: T, flow_in: float -> flow_out: float",
            "T: type",
            N_ ("Writes the rows of a tensor into elements of an array"),
            HAS_GRADIENT (scatter_gradient),
            .shape = scatter_shape);
DEFINE_ALL (concat,
            "Concat",
            ", flow_in: float -> value: dtype, lengths: int64",
            "dtype: type; element_shape_except0: shape = unknown",
            N_ ("Joins all elements of an array"),
            READS_GRADIENT (concat_gradient),
            .shape = concat_shape);
DEFINE_ALL (split,
            "Split",
            ", value: T, lengths: int64, flow_in: float -> flow_out: float",
            "T: type",
            N_ ("Cuts a tensor into the elements of an array"),
            HAS_GRADIENT (split_gradient),
            .shape = sluice_shape_scalar);
DEFINE_ALL (size,
            "Size",
            ", flow_in: float -> size: int32",
            NULL,
            N_ ("How many elements an array has"),
            NO_GRADIENT,
            .shape = sluice_shape_scalar);
DEFINE_ALL (close,
            "Close",
            " ->",
            NULL,
            N_ ("Drops the elements of an array"),
            NO_GRADIENT,
            .shape = sluice_shape_none);
DEFINE (pack,
        "TensorArrayPack",
        "handle: Ref(string), flow_in: float -> value: dtype",
        "dtype: type; element_shape: shape = unknown",
        N_ ("Stacks all elements of an array"),
        READS_GRADIENT (pack_gradient),
        .shape = gather_shape);
DEFINE (unpack,
        "TensorArrayUnpack",
        "handle: Ref(string), value: T, flow_in: float -> flow_out: float",
        "T: type",
        N_ ("Writes the rows of a tensor into an array"),
        HAS_GRADIENT (unpack_gradient),
        .shape = sluice_shape_scalar);

static const SluiceOpDef *const ops[] = {
  ALL (create), ALL (grad),  &grad_with_shape, ALL (write), ALL (read), ALL (gather), ALL (scatter),
  ALL (concat), ALL (split), ALL (size),       ALL (close), &pack,      &unpack,
};

const SluiceKernelModule sluice_module_list_tensor_array_ops = { .ops = ops,
                                                                 .n_ops = G_N_ELEMENTS (ops) };
