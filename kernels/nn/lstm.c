/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * LSTM and GRU cells as one op, and a whole sequence of LSTM steps (BlockLSTM):
 *
 *   gates = [x, h'] w + b, cut into i, ci, f, o (V2: i, f, ci, o)
 *   i = σ(i + wci cs')   f = σ(f + forget_bias + wcf cs')   ci = tanh ci   cs = i ci + f cs'
 *   co = tanh cs   o = σ(o + wco cs)   h = o co      (w.. with peepholes; cs clipped)
 *
 *   r, u = σ([x, h'] w_ru + b_ru)   c = tanh ([x, r h'] w_c + b_c)   h = u h' + (1 - u) c
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

/* ---- shapes ---- */

static gint64
dim_of (const SluiceShapeContext *c, guint input, int dim)
{
  const SluiceShape *shape = &c->inputs[input];
  return shape->rank > dim ? shape->dim[dim] : SLUICE_UNKNOWN_DIM;
}

static gint64
times (gint64 dim, gint64 factor)
{
  return dim < 0 || dim > G_MAXINT64 / factor ? SLUICE_UNKNOWN_DIM : dim * factor;
}

static gboolean
want_matrices (SluiceShapeContext *c, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!sluice_shape_context_want_rank (c, i, 2, error))
      return FALSE;
  return TRUE;
}

/* x, then the state before: all outputs are [batch, cell]. */
static gboolean
cell_shape (SluiceShapeContext *c, GError **error)
{
  if (!want_matrices (c, 2, error))
    return FALSE;
  for (guint i = 0; i < c->n_outputs; i++)
    sluice_shape_context_set (c, i, &SLUICE_SHAPE (dim_of (c, 0, 0), dim_of (c, 1, 1)));
  return TRUE;
}

static gboolean
lstm_cell_grad_shape (SluiceShapeContext *c, GError **error)
{
  if (!want_matrices (c, 2, error))
    return FALSE;
  gint64 batch = dim_of (c, 0, 0), cell = dim_of (c, 1, 1);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (batch, cell));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (batch, times (cell, 4)));
  for (guint i = 2; i < 5; i++)
    sluice_shape_context_set (c, i, &SLUICE_SHAPE (cell));
  return TRUE;
}

static gboolean
gru_cell_grad_shape (SluiceShapeContext *c, GError **error)
{
  if (!want_matrices (c, 3, error))
    return FALSE;
  gint64 batch = dim_of (c, 0, 0), cell = dim_of (c, 1, 1);
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (batch, dim_of (c, 0, 1)));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (batch, cell));
  sluice_shape_context_set (c, 2, &SLUICE_SHAPE (batch, cell));
  sluice_shape_context_set (c, 3, &SLUICE_SHAPE (batch, dim_of (c, 2, 1)));
  return TRUE;
}

static gboolean
block_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 1, 3, error)
      || !sluice_shape_context_want_rank (c, 8, 1, error))
    return FALSE;
  gint64 gates = dim_of (c, 8, 0);
  if (gates > 0 && gates % 4 != 0)
    return sluice_shape_context_fail (
        c, error, "b must have 4 elements a cell, not %" G_GINT64_FORMAT " in all", gates);
  for (guint i = 0; i < 7; i++)
    sluice_shape_context_set (
        c, i, &SLUICE_SHAPE (dim_of (c, 1, 0), dim_of (c, 1, 1), gates < 0 ? -1 : gates / 4));
  return TRUE;
}

/* The gradients of x, cs_prev, h_prev, w, wci, wcf, wco and b have their shapes. */
static gboolean
block_grad_shape (SluiceShapeContext *c, GError **error)
{
  static const int ranks[] = { 3, 2, 2, 2, 1, 1, 1, 1 };
  for (guint i = 0; i < 8; i++)
    {
      if (!sluice_shape_context_want_rank (c, i + 1, ranks[i], error))
        return FALSE;
      SluiceShape shape =
          c->inputs[i + 1].rank < 0 ? sluice_shape_of_rank (ranks[i]) : c->inputs[i + 1];
      sluice_shape_context_set (c, i, &shape);
    }
  return TRUE;
}

/* ---- gradient ---- */

static gboolean
block_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge inputs[18];
  gboolean v2 = g_str_has_suffix (g->node->op_name, "V2");
  SluiceAttr peephole =
      sluice_attr_value ("use_peephole", sluice_node_get_attr (g->node, "use_peephole"));
  for (guint i = 0; i < 9; i++)
    inputs[i] = sluice_grad_input (g, i);
  for (guint i = 0; i < 7; i++)
    inputs[9 + i] = sluice_grad_output (g, i);
  inputs[16] = sluice_grad_dy (g, 1);
  inputs[17] = sluice_grad_dy (g, 6);
  SluiceEdge dx = sluice_builder_add (&g->b, v2 ? "BlockLSTMGradV2" : "BlockLSTMGrad", NULL, inputs,
                                      18, &peephole, 1);
  for (int i = 0; i < 8; i++)
    sluice_grad_set (g, i + 1, sluice_edge_port (dx, i));
  return TRUE;
}

/* ---- definitions ---- */

#define WEIGHTS    "float[5,8]; float[2]; float[2]; float[2]; float[8]"
#define CELL_INPUT "float[3,3]; float[3,2]; float[3,2]; " WEIGHTS
#define SIX_CELLS  "float[3,2]; float[3,2]; float[3,2]; float[3,2]; float[3,2]; float[3,2]"
static const SluiceSample cell_samples[] = {
  { "", CELL_INPUT, 1e-5, 1e-5 },
  { "forget_bias=0.5; cell_clip=1.0; use_peephole=true", CELL_INPUT, 1e-5, 1e-5 },
};
static const SluiceRecipe cell_recipe = { .samples = cell_samples,
                                          .n_samples = G_N_ELEMENTS (cell_samples) };
static const SluiceSample cell_grad_samples[] = {
  { "use_peephole=false", CELL_INPUT "; " SIX_CELLS "; float[3,2]; float[3,2]", 1e-5, 1e-5 },
  { "use_peephole=true", CELL_INPUT "; " SIX_CELLS "; float[3,2]; float[3,2]", 1e-5, 1e-5 },
};
static const SluiceRecipe cell_grad_recipe = { .samples = cell_grad_samples,
                                               .n_samples = G_N_ELEMENTS (cell_grad_samples) };

/* Without peepholes their gradients are zeros that no difference contradicts. */
#define BLOCK_INPUT "int64[]=3; float[4,2,3]; float[2,2]; float[2,2]; " WEIGHTS
static const SluiceSample block_samples[] = {
  { "use_peephole=true; cell_clip=-1.0", BLOCK_INPUT, 1e-5, 1e-5, TRUE },
};
static const SluiceRecipe block_recipe = { .samples = block_samples,
                                           .n_samples = G_N_ELEMENTS (block_samples) };
#define STEPS "float[4,2,2]; float[4,2,2]; float[4,2,2]"
static const SluiceSample block_grad_samples[] = {
  { "use_peephole=true", BLOCK_INPUT "; " STEPS "; " STEPS "; " STEPS, 1e-5, 1e-5 },
};
static const SluiceRecipe block_grad_recipe = { .samples = block_grad_samples,
                                                .n_samples = G_N_ELEMENTS (block_grad_samples) };

#define GRU_INPUT "float[3,3]; float[3,2]; float[5,4]; float[5,2]; float[4]; float[2]"
static const SluiceSample gru_samples[] = { { "", GRU_INPUT, 1e-5, 1e-5 } };
static const SluiceRecipe gru_recipe = { .samples = gru_samples, .n_samples = 1 };
static const SluiceSample gru_grad_samples[] = {
  { "", GRU_INPUT "; float[3,2]; float[3,2]; float[3,2]; float[3,2]", 1e-5, 1e-5 },
};
static const SluiceRecipe gru_grad_recipe = { .samples = gru_grad_samples, .n_samples = 1 };

#define STATE     "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T"
#define STEP      "i: T, cs: T, f: T, o: T, ci: T, co: T"
#define PEEPHOLE  "use_peephole: bool; "
#define PEEPHOLES "use_peephole: bool = false; "
#define BIAS      "forget_bias: float = 1.0; cell_clip: float = 3.0; "
#define T_HALF    "T: {half, float}"
#define ALL_GRADS                                                                                  \
  "x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, "              \
  "wco_grad: T, b_grad: T"

static const SluiceOpDef lstm_cell_op = {
  .name = "LSTMBlockCell",
  .signature = STATE " -> " STEP ", h: T",
  .attrs = BIAS PEEPHOLES T_HALF,
  .summary = N_ ("One step of an LSTM"),
  .shape = cell_shape,
  .recipe = &cell_recipe,
};

static const SluiceOpDef lstm_cell_grad_op = {
  .name = "LSTMBlockCellGrad",
  .signature = STATE ", " STEP ", cs_grad: T, h_grad: T -> cs_prev_grad: T, dicfo: T, "
                     "wci_grad: T, wcf_grad: T, wco_grad: T",
  .attrs = PEEPHOLE T_HALF,
  .summary = N_ ("Gradient of one step of an LSTM"),
  .shape = lstm_cell_grad_shape,
  .recipe = &cell_grad_recipe,
};

#define BLOCK(id, op_name, attributes, text)                                                       \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "seq_len_max: int64, " STATE " -> " STEP ", h: T",                                \
    .attrs = attributes,                                                                           \
    .summary = text,                                                                               \
    .shape = block_shape,                                                                          \
    .gradient = block_gradient,                                                                    \
    .recipe = &block_recipe,                                                                       \
  }
#define BLOCK_GRAD(id, op_name, text)                                                              \
  SLUICE_OP_DEF (id, op_name,                                                                      \
                 "seq_len_max: int64, " STATE ", " STEP                                            \
                 ", h: T, cs_grad: T, h_grad: T -> " ALL_GRADS,                                    \
                 PEEPHOLE T_HALF, 0, block_grad_shape, &block_grad_recipe, text)
BLOCK (block_op, "BlockLSTM", BIAS PEEPHOLES T_HALF, N_ ("An LSTM over a whole sequence"));
BLOCK (block_v2_op,
       "BlockLSTMV2",
       "cell_clip: float = 0.0; " PEEPHOLES T_HALF,
       N_ ("An LSTM over a whole sequence, gates in the order i, f, ci, o"));
BLOCK_GRAD (block_grad_op, "BlockLSTMGrad", N_ ("Gradient of an LSTM over a whole sequence"));
BLOCK_GRAD (block_grad_v2_op,
            "BlockLSTMGradV2",
            N_ ("Gradient of an LSTM over a whole sequence, gates in the order i, f, ci, o"));

#define GRU_STATE "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T"

static const SluiceOpDef gru_cell_op = {
  .name = "GRUBlockCell",
  .signature = GRU_STATE " -> r: T, u: T, c: T, h: T",
  .attrs = "T: {float}",
  .summary = N_ ("One step of a GRU"),
  .shape = cell_shape,
  .recipe = &gru_recipe,
};

static const SluiceOpDef gru_cell_grad_op = {
  .name = "GRUBlockCellGrad",
  .signature = GRU_STATE ", r: T, u: T, c: T, d_h: T -> d_x: T, d_h_prev: T, d_c_bar: T, "
                         "d_r_bar_u_bar: T",
  .attrs = "T: {float}",
  .summary = N_ ("Gradient of one step of a GRU"),
  .shape = gru_cell_grad_shape,
  .recipe = &gru_grad_recipe,
};

static const SluiceOpDef *const ops[] = {
  &lstm_cell_op,  &lstm_cell_grad_op, &block_op,    &block_v2_op,
  &block_grad_op, &block_grad_v2_op,  &gru_cell_op, &gru_cell_grad_op,
};

const SluiceKernelModule sluice_module_nn_lstm = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
