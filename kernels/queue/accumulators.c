/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Accumulators of dense and of sparse gradients; dense ones also behind a resource handle. */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/handle.h"
#include "kernels/queue/accumulator.h"

/* ---- making ---- */

typedef struct
{
  SluiceDType dtype;
  SluiceShape shape;
  gboolean takes_mean;
} State;

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  State *self = g_new (State, 1);
  self->dtype = sluice_node_get_type (node, "dtype");
  self->shape = sluice_node_get_attr (node, "shape")->shape;
  self->takes_mean = sluice_node_string_is (node, "reduction_type", "MEAN");
  return self;
}

static gboolean
is_sparse (SluiceKernelCall *call)
{
  return call->kernel->data != NULL;
}

static SluiceResource *
make (gpointer data, GError **error)
{
  SluiceKernelCall *call = data;
  const State *state = call->state;
  return (SluiceResource *) sluice_accumulator_new (call->node->name, is_sparse (call),
                                                    state->dtype, &state->shape, state->takes_mean);
}

static gboolean
make_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  SluiceResource *resource = sluice_call_resource (call, &sluice_accumulator_type, make, call);
  if (resource == NULL)
    return FALSE;
  const SluiceAccumulator *found = (const SluiceAccumulator *) resource;
  if (found->is_sparse != is_sparse (call) || found->dtype != state->dtype
      || found->takes_mean != state->takes_mean
      || !sluice_shape_equal (&found->shape, &state->shape))
    {
      sluice_resource_unref (resource);
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "there is an accumulator of that name with another dtype, shape, "
                               "reduction or kind; give one of them another shared_name");
    }
  sluice_call_put_handle (call, 0, resource);
  return TRUE;
}

/* ---- using ---- */

/* In the state of kernels that take gradients, beside the dtype. */
#define HAS_SHAPE 0x100

/* Input 0. (nullable): call->error is set */
static SluiceAccumulator *
get (SluiceKernelCall *call)
{
  return (SluiceAccumulator *) sluice_call_get_handle (call, 0, &sluice_accumulator_type);
}

/* The same, of the kernel's kind and the node's dtype. */
static SluiceAccumulator *
get_of_kind (SluiceKernelCall *call)
{
  SluiceAccumulator *self = get (call);
  SluiceDType dtype = (SluiceDType) (GPOINTER_TO_INT (call->state) & ~HAS_SHAPE);
  if (self == NULL)
    return NULL;
  if (self->is_sparse == is_sparse (call) && self->dtype == dtype)
    return self;
  sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                    "the accumulator takes %s gradients of %s, and not %s ones of %s",
                    self->is_sparse ? "sparse" : "dense", sluice_dtype_name (self->dtype),
                    is_sparse (call) ? "sparse" : "dense", sluice_dtype_name (dtype));
  return NULL;
}

static gpointer
prepare_dtype (const SluiceNode *node, GError **error)
{
  const SluiceAttrValue *has_shape = sluice_node_get_attr (node, "has_known_shape");
  gint flags = has_shape != NULL && has_shape->b ? HAS_SHAPE : 0;
  return GINT_TO_POINTER ((gint) sluice_node_get_type (node, "dtype") | flags);
}

/* What was computed from parameters that have changed since is dropped. */
static gboolean
apply_compute (SluiceKernelCall *call)
{
  SluiceAccumulator *self = get_of_kind (call);
  if (self == NULL || !sluice_call_want_scalar (call, 1))
    return FALSE;
  gint64 step = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  gboolean has_shape = (GPOINTER_TO_INT (call->state) & HAS_SHAPE) != 0, ok = TRUE;
  sluice_monitor_enter (&self->parent);
  if (step >= self->step)
    ok = self->is_sparse ? sluice_accumulator_add_rows (self, call, 2, has_shape)
                         : sluice_accumulator_add (self, call, 2);
  sluice_monitor_leave (&self->parent);
  return ok;
}

static void
take_start (SluiceKernelCall *call)
{
  SluiceAccumulator *self = get_of_kind (call);
  gboolean ok = self != NULL && sluice_call_want_scalar (call, 1);
  gint64 n = ok ? sluice_tensor_get_int (sluice_call_input (call, 1), 0) : 0;
  if (ok && n <= 0)
    ok = sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input 1 (num_required) is %" G_GINT64_FORMAT "; it must be 1 or more",
                           n);
  if (ok)
    sluice_monitor_wait (&self->parent, call, sluice_accumulator_take, n);
  else
    call->done (call);
}

static gboolean
count_compute (SluiceKernelCall *call)
{
  SluiceAccumulator *self = get (call);
  SluiceTensor *out = self != NULL ? sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR) : NULL;
  if (out == NULL)
    return FALSE;
  sluice_monitor_enter (&self->parent);
  *(gint32 *) out->data = self->n;
  sluice_monitor_leave (&self->parent);
  return TRUE;
}

static gboolean
set_step_compute (SluiceKernelCall *call)
{
  SluiceAccumulator *self = get (call);
  if (self == NULL || !sluice_call_want_scalar (call, 1))
    return FALSE;
  sluice_monitor_enter (&self->parent);
  self->step = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  sluice_monitor_leave (&self->parent);
  return TRUE;
}

/* ---- shapes ---- */

/* Two strings; TensorFlow says so of the resource handle as well. */
static gboolean
handle_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (2));
  return TRUE;
}

static gboolean
scalar_1_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 1, 0, error);
}

/* As the accumulator's node declares it, where the handle comes from there. */
static gboolean
take_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceAttrValue *shape = sluice_node_get_attr (c->node->inputs[0].node, "shape");
  if (shape != NULL && shape->kind == SLUICE_ATTR_SHAPE)
    sluice_shape_context_set (c, 0, &shape->shape);
  return sluice_shape_context_want_rank (c, 1, 0, error);
}

static gboolean
take_sparse_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  sluice_shape_context_set (c, 2, &SLUICE_SHAPE (SLUICE_UNKNOWN_DIM));
  return sluice_shape_context_want_rank (c, 1, 0, error);
}

/* ---- the ops ---- */

static const SluiceRecipe recipe = {
  .why_none = N_ ("works on an accumulator: tests/kernels/test-monitor makes one")
};

/* By reference, and behind a resource handle. */
#define BOTH_OPS(id, op_name, rest, op_attrs, op_shape, text)                                      \
  SLUICE_STATEFUL_OP (id##_ref, op_name, "handle: Ref(string)" rest, op_attrs, op_shape, text);    \
  SLUICE_STATEFUL_OP (id##_resource, "Resource" op_name, "handle: resource" rest, op_attrs,        \
                      op_shape, text)

#define MAKE_ATTRS                                                                                 \
  "dtype: number; shape: shape; container: string = ''; shared_name: string = ''; "                \
  "reduction_type: {'MEAN', 'SUM'} = 'MEAN'"
#define MAKE_TEXT N_ ("Adds up gradients of several workers")

SLUICE_STATEFUL_OP (make_ref,
                    "ConditionalAccumulator",
                    "-> handle: Ref(string)",
                    MAKE_ATTRS,
                    handle_shape,
                    MAKE_TEXT);
SLUICE_STATEFUL_OP (make_resource,
                    "ResourceConditionalAccumulator",
                    "-> handle: resource",
                    MAKE_ATTRS,
                    handle_shape,
                    MAKE_TEXT);
SLUICE_STATEFUL_OP (make_sparse,
                    "SparseConditionalAccumulator",
                    "-> handle: Ref(string)",
                    MAKE_ATTRS,
                    handle_shape,
                    N_ ("Adds up sparse gradients of several workers"));
BOTH_OPS (apply,
          "AccumulatorApplyGradient",
          ", local_step: int64, gradient: dtype ->",
          "dtype: number",
          scalar_1_shape,
          N_ ("Adds a gradient to an accumulator, or drops it where it is of an older step"));
SLUICE_STATEFUL_OP (
    apply_sparse,
    "SparseAccumulatorApplyGradient",
    "handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values: dtype, "
    "gradient_shape: int64 ->",
    "dtype: number; has_known_shape: bool",
    scalar_1_shape,
    N_ ("Adds a sparse gradient to an accumulator, or drops it where it is of an older step"));
BOTH_OPS (take,
          "AccumulatorTakeGradient",
          ", num_required: int32 -> average: dtype",
          "dtype: number",
          take_shape,
          N_ ("Waits for enough gradients, takes their mean or sum and begins the next step"));
SLUICE_STATEFUL_OP (
    take_sparse,
    "SparseAccumulatorTakeGradient",
    "handle: Ref(string), num_required: int32 -> indices: int64, values: dtype, shape: int64",
    "dtype: number",
    take_sparse_shape,
    N_ ("Waits for enough sparse gradients, takes their mean or sum and begins the next step"));
BOTH_OPS (count,
          "AccumulatorNumAccumulated",
          " -> num_accumulated: int32",
          NULL,
          sluice_shape_scalar,
          N_ ("How many gradients an accumulator holds"));
BOTH_OPS (set_step,
          "AccumulatorSetGlobalStep",
          ", new_global_step: int64 ->",
          NULL,
          scalar_1_shape,
          N_ ("Tells an accumulator which gradients are too old"));

#define BOTH(id) &id##_ref, &id##_resource
static const SluiceOpDef *const ops[] = {
  BOTH (make), &make_sparse, BOTH (apply), &apply_sparse,
  BOTH (take), &take_sparse, BOTH (count), BOTH (set_step),
};

#define FLOATS                                                                                     \
  .where = {                                                                                       \
    { "dtype", SLUICE_SET_FLOATS },                                                                \
  }
#define KERNEL(op_name, ...)                                                                       \
  {                                                                                                \
    .op = op_name, .device = "CPU", __VA_ARGS__                                                    \
  }
#define KERNELS(op_name, ...)                                                                      \
  KERNEL (op_name, __VA_ARGS__), KERNEL ("Resource" op_name, __VA_ARGS__)
#define MAKES FLOATS, .prepare = prepare, .free_state = g_free, .compute = make_compute
#define ADDS  FLOATS, .prepare = prepare_dtype, .compute = apply_compute
#define TAKES                                                                                      \
  FLOATS, .prepare = prepare_dtype, .start = take_start, .cancel = sluice_monitor_cancel,          \
          .describe_wait = sluice_monitor_describe_wait, .flags = SLUICE_KERNEL_ASYNC
#define SPARSE .data = GINT_TO_POINTER (TRUE)

static const SluiceKernel kernels[] = {
  KERNELS ("ConditionalAccumulator", MAKES),
  KERNEL ("SparseConditionalAccumulator", MAKES, SPARSE),
  KERNELS ("AccumulatorApplyGradient", ADDS),
  KERNEL ("SparseAccumulatorApplyGradient", ADDS, SPARSE),
  KERNELS ("AccumulatorTakeGradient", TAKES),
  KERNEL ("SparseAccumulatorTakeGradient", TAKES, SPARSE),
  KERNELS ("AccumulatorNumAccumulated", .compute = count_compute),
  KERNELS ("AccumulatorSetGlobalStep", .compute = set_step_compute),
};

const SluiceKernelModule sluice_module_queue_accumulators = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
