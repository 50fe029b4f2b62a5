/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Batch normalisation: y = (x - mean) / sqrt (variance + epsilon) scale + offset, channel by
 * channel. In training mean and variance are those of the batch, else they are given.
 *
 * The variance that comes out is n / (n - 1) times the one that is divided by, which goes to
 * reserve_space_2 for the gradient.
 */
#include <glib/gi18n-lib.h>

#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"
#include "kernels/nn/batch-norm.h"

/* ---- shapes ---- */

/* Merges the length of each vector among inputs first..end-1 into the channels of a value. */
static gboolean
merge_channels (SluiceShapeContext *c, guint first, guint end, gint64 *channels, GError **error)
{
  for (guint i = first; i < end; i++)
    {
      if (!sluice_shape_context_want_rank (c, i, 1, error))
        return FALSE;
      gint64 length = c->inputs[i].rank == 1 ? c->inputs[i].dim[0] : SLUICE_UNKNOWN_DIM;
      if (length >= 0 && *channels >= 0 && length != *channels)
        return sluice_shape_context_fail (c, error,
                                          "input %u (%s) has %" G_GINT64_FORMAT
                                          " elements, the value %" G_GINT64_FORMAT " channels",
                                          i, c->node->op->inputs[i].name, length, *channels);
      *channels = length >= 0 ? length : *channels;
    }
  return TRUE;
}

/* The value of input 0 with its channels merged with the vectors'; outputs 1..end-1 are vectors. */
static gboolean
set_shapes (SluiceShapeContext *c, guint first, guint end, guint end_out, GError **error)
{
  SluiceBatchNormFormat format = sluice_batch_norm_format (c->node);
  if (!sluice_shape_context_want_rank (c, 0, format.rank, error))
    return FALSE;
  SluiceShape value = c->inputs[0].rank < 0 ? sluice_shape_of_rank (format.rank) : c->inputs[0];
  gint64 *channels = &value.dim[sluice_batch_norm_channel_dim (&format)];
  if (!merge_channels (c, first, end, channels, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &value);
  for (guint i = 1; i < end_out; i++)
    sluice_shape_context_set (c, i, &SLUICE_SHAPE (*channels));
  return TRUE;
}

static gboolean
fused_shape (SluiceShapeContext *c, GError **error)
{
  gboolean training = sluice_node_get_bool (c->node, "is_training");
  if (!set_shapes (c, 1, training ? 3 : 5, 5, error))
    return FALSE;
  if (c->n_outputs > 5) /* of use to GPUs only */
    sluice_shape_context_set (c, 5, &SLUICE_SHAPE_SCALAR);
  return TRUE;
}

static gboolean
fused_grad_shape (SluiceShapeContext *c, GError **error)
{
  SluiceBatchNormFormat format = sluice_batch_norm_format (c->node);
  if (!sluice_shape_context_want_rank (c, 1, format.rank, error) || !set_shapes (c, 2, 5, 3, error))
    return FALSE;
  for (guint i = 3; i < 5; i++)
    sluice_shape_context_set (c, i, &SLUICE_SHAPE (0));
  return TRUE;
}

/* t, m, v, beta, gamma -> result. */
static gboolean
global_shape (SluiceShapeContext *c, GError **error)
{
  return set_shapes (c, 1, 5, 1, error);
}

/* t, m, v, gamma, backprop -> dx and four vectors. */
static gboolean
global_grad_shape (SluiceShapeContext *c, GError **error)
{
  return set_shapes (c, 1, 4, 5, error);
}

/* ---- gradients ---- */

static SluiceEdge
permuted (SluiceGradContext *g, SluiceEdge value, int rank, gboolean to_last)
{
  gint64 order[5] = { 0 };
  for (int i = 1; i < rank; i++)
    order[i] = to_last ? (i == rank - 1 ? 1 : i + 1) : (i == 1 ? rank - 1 : i - 1);
  return sluice_op (&g->b, "Transpose", value,
                    sluice_builder_const_ints (&g->b, SLUICE_INT32, order, rank));
}

/* As in TensorFlow the gradient of an inference is always taken with the channels last. */
static gboolean
fused_gradient (SluiceGradContext *g, GError **error)
{
  SluiceBatchNormFormat format = sluice_batch_norm_format (g->node);
  gboolean training = sluice_node_get_bool (g->node, "is_training");
  gboolean turn = !training && format.channels_first;
  gboolean v3 = g->node->n_outputs > 5;
  SluiceEdge dy = sluice_grad_dy (g, 0), x = sluice_grad_input (g, 0);
  SluiceEdge inputs[6] = { turn ? permuted (g, dy, format.rank, TRUE) : dy,
                           turn ? permuted (g, x, format.rank, TRUE) : x, sluice_grad_input (g, 1),
                           training ? sluice_grad_output (g, 3) : sluice_grad_input (g, 3),
                           training ? sluice_grad_output (g, 4) : sluice_grad_input (g, 4) };
  if (v3)
    inputs[5] = sluice_grad_output (g, 5);
  SluiceAttr attrs[] = {
    sluice_attr_value ("epsilon", sluice_node_get_attr (g->node, "epsilon")),
    sluice_attr_value ("is_training", sluice_node_get_attr (g->node, "is_training")),
    sluice_attr_value ("data_format", sluice_node_get_attr (g->node, "data_format")),
  };
  if (!training)
    attrs[2] = sluice_attr_string ("data_format", format.rank == 5 ? "NDHWC" : "NHWC");
  gboolean v2 = g_str_has_suffix (g->node->op->name, "V2");
  const char *op = v3 ? "FusedBatchNormGradV3" : v2 ? "FusedBatchNormGradV2" : "FusedBatchNormGrad";
  SluiceEdge dx =
      sluice_builder_add (&g->b, op, NULL, inputs, v3 ? 6 : 5, attrs, G_N_ELEMENTS (attrs));
  sluice_grad_set (g, 0, turn ? permuted (g, dx, format.rank, FALSE) : dx);
  sluice_grad_set (g, 1, sluice_edge_port (dx, 1));
  sluice_grad_set (g, 2, sluice_edge_port (dx, 2));
  return TRUE;
}

/* What the gradient of the gradient is made of. Vectors are reshaped so that they broadcast. */
typedef struct
{
  SluiceBuilder *b;
  SluiceEdge axes;     /* all but the channels */
  SluiceEdge row;      /* the shape of a vector that broadcasts */
  SluiceEdge channels; /* the shape of a vector */
  SluiceEdge epsilon;
  SluiceEdge dy, x, scale;              /* float */
  SluiceEdge dd_x, dd_scale, dd_offset; /* what came for the gradient's three outputs */
} Second;

static SluiceEdge
reduced (const Second *s, const char *op, SluiceEdge value, gboolean keep)
{
  return sluice_op_with (s->b, op, SLUICE_ATTRS (sluice_attr_bool ("keep_dims", keep)), value,
                         s->axes);
}
#define MEAN(value)   reduced (s, "Mean", value, TRUE)
#define SUM(value)    reduced (s, "Sum", value, FALSE)
#define MUL(x, y)     sluice_op (s->b, "Mul", x, y)
#define ADD(x, y)     sluice_op (s->b, "AddV2", x, y)
#define SUB(x, y)     sluice_op (s->b, "Sub", x, y)
#define AS_ROW(value) sluice_op (s->b, "Reshape", value, s->row)

static Second
second_begin (SluiceGradContext *g)
{
  Second self = { .b = &g->b }, *s = &self;
  SluiceBatchNormFormat format = sluice_batch_norm_format (g->node);
  int channel = sluice_batch_norm_channel_dim (&format);
  gint64 axes[5], row[5];
  int n = 0;
  for (int i = 0; i < format.rank; i++)
    {
      row[i] = i == channel ? -1 : 1;
      if (i != channel)
        axes[n++] = i;
    }
  s->axes = sluice_builder_const_ints (s->b, SLUICE_INT32, axes, n);
  s->row = sluice_builder_const_ints (s->b, SLUICE_INT32, row, format.rank);
  s->epsilon =
      sluice_builder_const_number (s->b, SLUICE_FLOAT, sluice_node_get_float (g->node, "epsilon"));
  SluiceAttr to_float = sluice_attr_type ("DstT", SLUICE_FLOAT);
  s->dy = sluice_op_with (s->b, "Cast", SLUICE_ATTRS (to_float), sluice_grad_input (g, 0));
  s->x = sluice_op_with (s->b, "Cast", SLUICE_ATTRS (to_float), sluice_grad_input (g, 1));
  s->scale = AS_ROW (sluice_grad_input (g, 2));
  s->channels = sluice_op (s->b, "Shape", sluice_grad_input (g, 2));
  s->dd_x = sluice_op_with (s->b, "Cast", SLUICE_ATTRS (to_float), sluice_grad_dy (g, 0));
  s->dd_scale = AS_ROW (sluice_grad_dy (g, 1));
  s->dd_offset = AS_ROW (sluice_grad_dy (g, 2));
  return self;
}

static void
second_end (SluiceGradContext *g, const Second *s, SluiceEdge dy, SluiceEdge x, SluiceEdge scale)
{
  SluiceAttr back = sluice_attr_type ("DstT", sluice_edge_dtype (sluice_grad_input (g, 0)));
  sluice_grad_set (g, 0, sluice_op_with (s->b, "Cast", SLUICE_ATTRS (back), dy));
  sluice_grad_set (g, 1, sluice_op_with (s->b, "Cast", SLUICE_ATTRS (back), x));
  sluice_grad_set (g, 2, sluice_op (s->b, "Reshape", scale, s->channels));
}

/*
 * In training, with r = 1 / sqrt (variance + epsilon), h = (x - mean) r, m the mean over a channel:
 *
 *   dx = scale r (dy - m(dy) - h m(dy h))   dscale = Σ dy h   doffset = Σ dy
 *
 * and a, b, c what came for them. Mean and variance are functions of x, as in TensorFlow's
 * composition:
 *
 *   ddy = scale r (a - m(a) - h m(a h)) + b h + c
 *   ds  = r Σ a (dy - m(dy) - h m(dy h)) = r n f   with f = m(a dy) - m(a) m(dy) - m(a h) m(dy h)
 *   dx  = r (u - m(u) - h (m(u h) + scale r f))    with u = b dy - scale r (a m(dy h) + dy m(a h))
 */
static void
second_training (SluiceGradContext *g)
{
  Second self = second_begin (g), *s = &self;
  SluiceEdge a = s->dd_x, dy = s->dy;
  SluiceEdge off = SUB (s->x, MEAN (s->x));
  SluiceEdge variance = MEAN (sluice_op (s->b, "Square", off));
  SluiceEdge r = sluice_op (s->b, "Rsqrt", ADD (variance, s->epsilon));
  SluiceEdge h = MUL (off, r), k = MUL (s->scale, r);
  SluiceEdge mean_a = MEAN (a), mean_dy = MEAN (dy);
  SluiceEdge mean_ah = MEAN (MUL (a, h)), mean_dyh = MEAN (MUL (dy, h));
  SluiceEdge rest_a = SUB (SUB (a, mean_a), MUL (h, mean_ah));
  SluiceEdge rest_dy = SUB (SUB (dy, mean_dy), MUL (h, mean_dyh));
  SluiceEdge ddy = ADD (ADD (MUL (k, rest_a), MUL (s->dd_scale, h)), s->dd_offset);
  SluiceEdge products = MUL (a, rest_dy);
  SluiceEdge dscale = SUM (MUL (r, products));
  SluiceEdge u = SUB (MUL (s->dd_scale, dy), MUL (k, ADD (MUL (a, mean_dyh), MUL (dy, mean_ah))));
  SluiceEdge along = ADD (MEAN (MUL (u, h)), MUL (k, MEAN (products)));
  SluiceEdge dx = MUL (r, SUB (SUB (u, MEAN (u)), MUL (h, along)));
  second_end (g, s, ddy, dx, dscale);
}

/* With a given mean and variance: dx = dy scale r, dscale = Σ dy (x - mean) r, doffset = Σ dy. */
static void
second_inference (SluiceGradContext *g)
{
  Second self = second_begin (g), *s = &self;
  SluiceEdge mean = AS_ROW (sluice_grad_input (g, 3)), variance = AS_ROW (sluice_grad_input (g, 4));
  SluiceEdge r = sluice_op (s->b, "Rsqrt", ADD (variance, s->epsilon));
  SluiceEdge h = MUL (SUB (s->x, mean), r);
  SluiceEdge ddy = ADD (ADD (MUL (s->dd_x, MUL (s->scale, r)), MUL (s->dd_scale, h)), s->dd_offset);
  SluiceEdge dx = MUL (MUL (s->dd_scale, s->dy), r);
  second_end (g, s, ddy, dx, SUM (MUL (MUL (s->dd_x, s->dy), r)));
}

static gboolean
fused_grad_gradient (SluiceGradContext *g, GError **error)
{
  if (sluice_node_get_bool (g->node, "is_training"))
    second_training (g);
  else
    second_inference (g);
  return TRUE;
}

static gboolean
global_gradient (SluiceGradContext *g, GError **error)
{
  const char *names[] = { "variance_epsilon", "scale_after_normalization" };
  SluiceAttr attrs[2];
  for (guint i = 0; i < 2; i++)
    attrs[i] = sluice_attr_value (names[i], sluice_node_get_attr (g->node, names[i]));
  const SluiceEdge inputs[] = { sluice_grad_input (g, 0), sluice_grad_input (g, 1),
                                sluice_grad_input (g, 2), sluice_grad_input (g, 4),
                                sluice_grad_dy (g, 0) };
  SluiceEdge dx = sluice_builder_add (&g->b, "BatchNormWithGlobalNormalizationGrad", NULL, inputs,
                                      G_N_ELEMENTS (inputs), attrs, G_N_ELEMENTS (attrs));
  for (int i = 0; i < 5; i++)
    sluice_grad_set (g, i, sluice_edge_port (dx, i));
  return TRUE;
}

/* ---- definitions ---- */

#define VECTORS_3 "; float[3]; float[3]; float[3]; float[3] in (0.5,2)"
static const SluiceSample fused_samples[] = {
  { "", "float[2,3,2,3]" VECTORS_3, 1e-5, 1e-5 },
  { "epsilon=0.01", "float[65,3,5,3]" VECTORS_3, 1e-5, 1e-5, TRUE },
  { "is_training=false", "float[2,3,2,3]" VECTORS_3, 1e-5, 1e-5 },
  { "data_format='NCHW'", "float[4,3,3,2]" VECTORS_3, 1e-5, 1e-5 },
  { "is_training=false; data_format='NCHW'", "float[4,3,3,2]" VECTORS_3, 1e-5, 1e-5 },
  { "", "float[0,2,2,3]" VECTORS_3, 0, 0, TRUE },
};
static const SluiceRecipe fused_recipe = { .samples = fused_samples,
                                           .n_samples = G_N_ELEMENTS (fused_samples) };

static const SluiceSample grad_samples[] = {
  { "", "float[2,3,2,3]; float[2,3,2,3]; float[3]; float[3]; float[3] in (0.5,2)", 1e-5, 1e-5,
    TRUE },
  { "is_training=false", "float[2,3,2,3]; float[2,3,2,3]; float[3]; float[3]; float[3] in (0.5,2)",
    1e-5, 1e-5 },
  { "data_format='NCHW'", "float[2,3,2,5]; float[2,3,2,5]; float[3]; float[3]; float[3] in (0.5,2)",
    1e-5, 1e-5, TRUE },
};
static const SluiceRecipe grad_recipe = { .samples = grad_samples,
                                          .n_samples = G_N_ELEMENTS (grad_samples) };

static const SluiceSample grad_v3_samples[] = {
  { "", "float[2,3,2,3]; float[2,3,2,3]; float[3]; float[3]; float[3] in (0.5,2); float[]", 1e-5,
    1e-5, TRUE },
  { "is_training=false; data_format='NDHWC'",
    "float[2,3,2,2,3]; float[2,3,2,2,3]; float[3]; float[3]; float[3] in (0.5,2); float[]", 1e-5,
    1e-5 },
};
static const SluiceRecipe grad_v3_recipe = { .samples = grad_v3_samples,
                                             .n_samples = G_N_ELEMENTS (grad_v3_samples) };

#define GLOBAL_VECTORS "; float[3]; float[3] in (0.5,2); float[3]; "
static const SluiceSample global_samples[] = {
  { "variance_epsilon=0.001; scale_after_normalization=true",
    "float[2,3,2,3]" GLOBAL_VECTORS "float[3]", 1e-5, 1e-5 },
  { "variance_epsilon=0.001; scale_after_normalization=false",
    "float[2,3,2,3]" GLOBAL_VECTORS "float[3]", 1e-5, 1e-5 },
};
static const SluiceRecipe global_recipe = { .samples = global_samples,
                                            .n_samples = G_N_ELEMENTS (global_samples) };
static const SluiceSample global_grad_samples[] = {
  { "variance_epsilon=0.001; scale_after_normalization=true",
    "float[2,3,2,3]" GLOBAL_VECTORS "float[2,3,2,3]", 1e-5, 1e-5, TRUE },
};
static const SluiceRecipe global_grad_recipe = { .samples = global_grad_samples,
                                                 .n_samples = G_N_ELEMENTS (global_grad_samples) };

#define EPSILON    "epsilon: float = 0.0001; "
#define FACTOR     "exponential_avg_factor: float = 1.0; "
#define TRAINING   "; is_training: bool = true"
#define FORMATS_2D "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define FORMATS    "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'"
#define FLOAT_T    "T: {float}; "
#define MIXED      "T: {half, bfloat16, float}; U: {float}; "

#define FUSED(id, op_name, vectors, more, attributes, text)                                        \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature =                                                                                   \
        "x: T, scale: " vectors ", offset: " vectors ", mean: " vectors ", variance: " vectors     \
        " -> y: T, batch_mean: " vectors ", batch_variance: " vectors                              \
        ", reserve_space_1: " vectors ", reserve_space_2: " vectors more,                          \
    .attrs = attributes TRAINING,                                                                  \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_CHEAP,                                                                      \
    .shape = fused_shape,                                                                          \
    .gradient = fused_gradient,                                                                    \
    .recipe = &fused_recipe,                                                                       \
  }
FUSED (fused_op,
       "FusedBatchNorm",
       "T",
       "",
       FLOAT_T EPSILON FACTOR FORMATS_2D,
       N_ ("Batch normalisation"));
FUSED (fused_v2_op,
       "FusedBatchNormV2",
       "U",
       "",
       MIXED EPSILON FACTOR FORMATS_2D,
       N_ ("Batch normalisation; the value may be of a half type"));
FUSED (fused_v3_op,
       "FusedBatchNormV3",
       "U",
       ", reserve_space_3: U",
       "T: {half, bfloat16, float}; U: {bfloat16, float}; " EPSILON FACTOR FORMATS,
       N_ ("Batch normalisation; the value may be of a half type or a volume"));

#define FUSED_GRAD(id, op_name, scale, vectors, more, names, attributes, its_recipe)               \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "y_backprop: T, x: T, scale: " scale ", reserve_space_1: " vectors                \
                 ", reserve_space_2: " vectors more " -> x_backprop: T, scale_backprop: " vectors  \
                 ", offset_backprop: " vectors names,                                              \
    .attrs = attributes TRAINING,                                                                  \
    .summary = N_ ("Gradient of a batch normalisation"),                                           \
    .shape = fused_grad_shape,                                                                     \
    .gradient = fused_grad_gradient,                                                               \
    .recipe = &its_recipe,                                                                         \
  }
FUSED_GRAD (fused_grad_op,
            "FusedBatchNormGrad",
            "T",
            "T",
            "",
            ", reserve_space_3: T, reserve_space_4: T",
            FLOAT_T EPSILON FORMATS_2D,
            grad_recipe);
FUSED_GRAD (fused_grad_v2_op,
            "FusedBatchNormGradV2",
            "float",
            "U",
            "",
            ", reserve_space_3: U, reserve_space_4: U",
            MIXED EPSILON FORMATS_2D,
            grad_recipe);
FUSED_GRAD (fused_grad_v3_op,
            "FusedBatchNormGradV3",
            "float",
            "U",
            ", reserve_space_3: U",
            ", reserve_space_4: U, reserve_space_5: U",
            MIXED EPSILON FORMATS,
            grad_v3_recipe);

#define GLOBAL_ATTRS "T: number; variance_epsilon: float; scale_after_normalization: bool"

static const SluiceOpDef global_op = {
  .name = "BatchNormWithGlobalNormalization",
  .signature = "t: T, m: T, v: T, beta: T, gamma: T -> result: T",
  .attrs = GLOBAL_ATTRS,
  .summary = N_ ("Batch normalisation by a given mean and variance, as written before 2016"),
  .flags = SLUICE_OP_CHEAP,
  .shape = global_shape,
  .gradient = global_gradient,
  .recipe = &global_recipe,
};

static const SluiceOpDef global_grad_op = {
  .name = "BatchNormWithGlobalNormalizationGrad",
  .signature = "t: T, m: T, v: T, gamma: T, backprop: T -> dx: T, dm: T, dv: T, db: T, dg: T",
  .attrs = GLOBAL_ATTRS,
  .summary = N_ ("Gradient of a batch normalisation by a given mean and variance"),
  .shape = global_grad_shape,
  .recipe = &global_grad_recipe,
};

static const SluiceOpDef *const ops[] = {
  &fused_op,         &fused_v2_op,      &fused_v3_op, &fused_grad_op,
  &fused_grad_v2_op, &fused_grad_v3_op, &global_op,   &global_grad_op,
};

const SluiceKernelModule sluice_module_nn_batch_norm = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
