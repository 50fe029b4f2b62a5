/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Assert fails the step where its condition is false, and says the values it is given. Abort fails
 * it always: TensorFlow's ends the process, which no graph may do here.
 * CheckNumerics hands its input on and fails where that holds a NaN or an infinity; so does its
 * gradient.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"
#include "kernels/typed.h"

static gboolean
assert_shape (SluiceShapeContext *c, GError **error)
{
  return TRUE;
}

static gboolean
check_gradient (SluiceGradContext *g, GError **error)
{
  const char *message = "Not a number (NaN) or infinity (Inf) values detected in gradient.";
  sluice_grad_set (g, 0,
                   sluice_op_with (&g->b, "CheckNumerics",
                                   SLUICE_ATTRS (sluice_attr_string ("message", message)),
                                   sluice_grad_dy (g, 0)));
  return TRUE;
}

static gboolean
ensure_shape_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *want = &sluice_node_get_attr (c->node, "shape")->shape;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  SluiceShape merged;
  if (!sluice_shape_merge (&c->inputs[0], want, &merged))
    return sluice_shape_context_fail (c, error, "the input has shape %s, and must have %s",
                                      sluice_shape_str (&c->inputs[0], a),
                                      sluice_shape_str (want, b));
  sluice_shape_context_set (c, 0, &merged);
  return TRUE;
}

static gpointer
ensure_shape_prepare (const SluiceNode *node, GError **error)
{
  return g_memdup2 (&sluice_node_get_attr (node, "shape")->shape, sizeof (SluiceShape));
}

static gboolean
ensure_shape_compute (SluiceKernelCall *call)
{
  const SluiceShape *want = call->state, *got = &sluice_call_input (call, 0)->shape;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_shape_compatible (want, got))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the input has shape %s, and must have %s", sluice_shape_str (got, a),
                             sluice_shape_str (want, b));
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static const SluiceSample ensure_shape_samples[] = {
  { "shape=[3,-1]", "float[3,4]" },
  { "shape=[0]", "float[0]" },
};
static const SluiceRecipe ensure_shape_recipe = { .samples = ensure_shape_samples,
                                                  .n_samples = G_N_ELEMENTS (ensure_shape_samples),
                                                  .dtypes = SLUICE_SET_FLOATS };

static const SluiceOpDef ensure_shape_op = {
  .name = "EnsureShape",
  .signature = "input: T -> output: T",
  .attrs = "shape: shape; T: type",
  .summary = N_ ("The input, whose shape must be as told"),
  .flags = SLUICE_OP_CHECKS | SLUICE_OP_MAY_SHARE,
  .shape = ensure_shape_shape,
  .gradient = sluice_grad_pass,
  .recipe = &ensure_shape_recipe,
};

static const SluiceSample assert_samples[] = {
  { "T=[float]", "bool[]=true; float[3]", 0, 0, TRUE },
};
static const SluiceRecipe assert_recipe = { .samples = assert_samples,
                                            .n_samples = G_N_ELEMENTS (assert_samples) };

static const SluiceSample check_samples[] = {
  { "message='m'", "float[3,4]", 0, 0 },
  { "message=''", "float[0]", 0, 0 },
};
static const SluiceRecipe check_recipe = { .samples = check_samples,
                                           .n_samples = G_N_ELEMENTS (check_samples),
                                           .dtypes = SLUICE_SET_FLOATS };

static const SluiceOpDef assert_op = {
  .name = "Assert",
  .signature = "condition: bool, data: T ->",
  .attrs = "T: list(type) >= 1; summarize: int = 3",
  .summary = N_ ("Fails the step where a condition does not hold"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = assert_shape,
  .recipe = &assert_recipe,
};

static const SluiceOpDef check_op = {
  .name = "CheckNumerics",
  .signature = "tensor: T -> output: T",
  .attrs = "T: {bfloat16, half, float, double}; message: string",
  .summary = N_ ("Fails the step where a value is not a number or infinite"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_unchanged,
  .gradient = check_gradient,
  .recipe = &check_recipe,
};

static const SluiceRecipe abort_recipe = { .why_none = "it only fails" };

static const SluiceOpDef abort_op = {
  .name = "Abort",
  .signature = "->",
  .attrs = "error_msg: string = ''; exit_without_error: bool = false",
  .summary = N_ ("Fails the step; never ends the program"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .recipe = &abort_recipe,
};

/* ---- kernels ---- */

static gpointer
abort_prepare (const SluiceNode *node, GError **error)
{
  const SluiceString *message = sluice_node_get_string (node, "error_msg");
  return g_strndup (message->data, message->length);
}

static gboolean
abort_compute (SluiceKernelCall *call)
{
  const char *message = call->state;
  return sluice_call_fail (call, SLUICE_ERROR_ABORTED, "%s",
                           *message ? message : "the graph asks for an abort here");
}

static gpointer
assert_prepare (const SluiceNode *node, GError **error)
{
  gint64 *summarize = g_new (gint64, 1);
  *summarize = sluice_node_get_int (node, "summarize");
  return summarize;
}

static gboolean
assert_compute (SluiceKernelCall *call)
{
  gint64 summarize = *(const gint64 *) call->state;
  if (!sluice_call_want_scalar (call, 0))
    return FALSE;
  if (*(const guint8 *) sluice_call_input (call, 0)->data)
    return TRUE;
  g_autoptr (GString) text = g_string_new ("assertion failed:");
  for (guint i = 1; i < call->n_inputs; i++)
    {
      guint most = summarize < 0 ? G_MAXUINT : (guint) MIN (summarize, G_MAXUINT);
      g_autofree char *value = sluice_tensor_to_string (sluice_call_input (call, i), most);
      g_string_append_printf (text, " [%s]", value);
    }
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", text->str);
}

/* What is wrong with n elements, by their bits: an exponent of ones only. */
typedef struct
{
  gboolean nan, infinite;
} Faults;

#define LOOK(Bits, name, exponent)                                                                 \
  SLUICE_HOT static void name (const Bits *bits, gint64 n, Faults *faults)                         \
  {                                                                                                \
    const Bits all = (exponent), magnitude = (Bits) ~((Bits) 1 << (8 * sizeof (Bits) - 1));        \
    Bits nan = 0, infinite = 0;                                                                    \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        nan |= (bits[i] & magnitude) > all;                                                        \
        infinite |= (bits[i] & magnitude) == all;                                                  \
      }                                                                                            \
    faults->nan = nan != 0;                                                                        \
    faults->infinite = infinite != 0;                                                              \
  }
LOOK (guint32, look_float, 0x7f800000u)
LOOK (guint64, look_double, 0x7ff0000000000000u)
LOOK (guint16, look_half, 0x7c00u)
LOOK (guint16, look_bfloat16, 0x7f80u)

static gpointer
check_prepare (const SluiceNode *node, GError **error)
{
  const SluiceString *message = sluice_node_get_string (node, "message");
  return g_strndup (message->data, message->length);
}

static gboolean
check_compute (SluiceKernelCall *call)
{
  SluiceTensor *tensor = sluice_call_input (call, 0);
  Faults faults = { FALSE, FALSE };
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_FLOAT:
      look_float (tensor->data, tensor->n_elements, &faults);
      break;
    case SLUICE_DOUBLE:
      look_double (tensor->data, tensor->n_elements, &faults);
      break;
    case SLUICE_HALF:
      look_half (tensor->data, tensor->n_elements, &faults);
      break;
    default:
      look_bfloat16 (tensor->data, tensor->n_elements, &faults);
    }
  if (faults.nan || faults.infinite)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s : Tensor had %s values",
                             (const char *) call->state,
                             !faults.infinite ? "NaN"
                             : !faults.nan    ? "Inf"
                                              : "Inf and NaN");
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static const SluiceOpDef *const ops[] = { &abort_op, &assert_op, &check_op, &ensure_shape_op };

static const SluiceKernel kernels[] = {
  { .op = "Abort",
    .device = "CPU",
    .prepare = abort_prepare,
    .free_state = g_free,
    .compute = abort_compute },
  { .op = "Assert",
    .device = "CPU",
    .host_inputs = ~0u,
    .prepare = assert_prepare,
    .free_state = g_free,
    .compute = assert_compute },
  { .op = "CheckNumerics",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_FLOATS } },
    .prepare = check_prepare,
    .free_state = g_free,
    .compute = check_compute },
  { .op = "EnsureShape",
    .device = "CPU",
    .flags = SLUICE_KERNEL_CHEAP | SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = ensure_shape_prepare,
    .free_state = g_free,
    .compute = ensure_shape_compute },
};

const SluiceKernelModule sluice_module_flow_checks = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
