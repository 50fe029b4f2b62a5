/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* LSTM steps: a matrix product, then each row of the batch by itself. Half is computed in float. */
#include <math.h>
#include <string.h>

#include "kernels/linalg/gemm.h"
#include "kernels/math/scalar.h"
#include "kernels/typed.h"

/* ---- tensors of a call as float ---- */

#define MAX_INPUTS  18
#define MAX_OUTPUTS 8

typedef struct
{
  SluiceTensor *in[MAX_INPUTS];
  SluiceTensor *out[MAX_OUTPUTS]; /* scratch of a half output; else the output itself */
} Floats;

static void
floats_clear (Floats *f)
{
  for (int i = 0; i < MAX_INPUTS; i++)
    g_clear_pointer (&f->in[i], sluice_tensor_unref);
  for (int i = 0; i < MAX_OUTPUTS; i++)
    g_clear_pointer (&f->out[i], sluice_tensor_unref);
}

static const float *
input_of (const Floats *f, guint i)
{
  return f->in[i]->data;
}

static float *
output_of (const Floats *f, guint i)
{
  return f->out[i]->data;
}

/* Input i, which must have that shape. */
static gboolean
read_input (SluiceKernelCall *call, Floats *f, guint i, const SluiceShape *shape)
{
  const SluiceShape *got = &sluice_call_input (call, i)->shape;
  char sw[SLUICE_SHAPE_STR], sg[SLUICE_SHAPE_STR];
  if (!sluice_shape_equal (shape, got))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "input %u (%s) must have shape %s, not %s", i,
        call->node->op->inputs[i].name, sluice_shape_str (shape, sw), sluice_shape_str (got, sg));
  f->in[i] = sluice_call_widen_input (call, i);
  return f->in[i] != NULL;
}

/* Output i, all zeros. */
static gboolean
make_output (SluiceKernelCall *call, Floats *f, guint i, const SluiceShape *shape)
{
  SluiceTensor *out = sluice_call_output (call, i, shape);
  if (out == NULL)
    return FALSE;
  f->out[i] = sluice_dtype_is_half (out->dtype) ? sluice_call_scratch (call, SLUICE_FLOAT, shape)
                                                : sluice_tensor_ref (out);
  if (f->out[i] == NULL)
    return FALSE;
  memset (f->out[i]->data, 0, sluice_tensor_bytes (f->out[i]));
  return TRUE;
}

static void
narrow_outputs (SluiceKernelCall *call, const Floats *f)
{
  for (guint i = 0; i < call->n_outputs; i++)
    {
      SluiceTensor *out = call->outputs[i].tensor;
      if (out != f->out[i])
        sluice_narrow (out->dtype, f->out[i]->data, out->data, out->n_elements);
    }
}

static SluiceTensor *
float_scratch (SluiceKernelCall *call, gint64 rows, gint64 columns)
{
  return sluice_call_scratch (call, SLUICE_FLOAT, &SLUICE_SHAPE (rows, columns));
}

/* c [m,n] = a b; the flags say what is read transposed. */
static gboolean
product (SluiceKernelCall *call,
         const float *a,
         guint a_flags,
         const float *b,
         guint b_flags,
         float *c,
         gint64 m,
         gint64 n,
         gint64 k)
{
  if (m == 0 || n == 0)
    return TRUE;
  if (k == 0)
    {
      memset (c, 0, m * n * sizeof *c);
      return TRUE;
    }
  SluiceGemm gemm = { SLUICE_FLOAT, a_flags, b_flags, m, n, k, a, b, c };
  return sluice_call_gemm (call, &gemm);
}

/* [left, right], row by row. */
static void
join_columns (
    const float *left, gint64 n_left, const float *right, gint64 n_right, gint64 rows, float *to)
{
  for (gint64 r = 0; r < rows; r++, to += n_left + n_right)
    {
      memcpy (to, left + r * n_left, n_left * sizeof *to);
      memcpy (to + n_left, right + r * n_right, n_right * sizeof *to);
    }
}

/* ---- LSTM ---- */

typedef struct
{
  float forget_bias, clip;
  gboolean peephole;
  int ci, f; /* where these gates stand among the four; i is the first, o the last */
} State;

static gpointer
lstm_prepare (const SluiceNode *node, GError **error)
{
  State *state = g_new0 (State, 1);
  gboolean v2 = g_str_has_suffix (node->op_name, "V2");
  state->ci = v2 ? 2 : 1;
  state->f = v2 ? 1 : 2;
  state->peephole = sluice_node_get_bool (node, "use_peephole");
  if (sluice_node_get_attr (node, "forget_bias"))
    state->forget_bias = sluice_node_get_float (node, "forget_bias");
  if (sluice_node_get_attr (node, "cell_clip"))
    state->clip = sluice_node_get_float (node, "cell_clip");
  return state;
}

/* Sizes of a sequence; first: the number of input x. */
typedef struct
{
  const State *state;
  guint first;
  gint64 time, length, batch, input, cell;
  Floats floats;
} Lstm;

static void
lstm_clear (Lstm *l)
{
  floats_clear (&l->floats);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lstm, lstm_clear)

/* One step: pointers to [batch, cell], but for the gates [batch, 4 cell]. */
typedef struct
{
  const State *state;
  gint64 cell;
  float *gates;
  const float *cs_prev, *wci, *wcf, *wco, *bias;
  float *i, *cs, *f, *o, *ci, *co, *h;
  /* Backwards: gates is what comes out. */
  const float *cs_grad, *h_grad, *h_carry; /* h_carry: (nullable): from the step after */
  float *cs_carry;                         /* from the step after, and to the step before */
} Step;

SLUICE_HOT static void
forward_rows (gpointer data, gint64 begin, gint64 end)
{
  const Step *s = data;
  const State *state = s->state;
  gint64 n = s->cell;
  for (gint64 row = begin; row < end; row++)
    for (gint64 c = 0, at = row * n; c < n; c++, at++)
      {
        const float *gate = s->gates + row * 4 * n + c, *bias = s->bias + c;
        float before = s->cs_prev[at];
        float in = gate[0] + bias[0], cell = gate[state->ci * n] + bias[state->ci * n];
        float forget = gate[state->f * n] + bias[state->f * n] + state->forget_bias;
        float out = gate[3 * n] + bias[3 * n];
        if (state->peephole)
          {
            in += before * s->wci[c];
            forget += before * s->wcf[c];
          }
        s->i[at] = scalar_sigmoid_f32 (in);
        s->ci[at] = scalar_tanh_f32 (cell);
        s->f[at] = scalar_sigmoid_f32 (forget);
        float cs = s->i[at] * s->ci[at] + s->f[at] * before;
        s->cs[at] = state->clip > 0 ? CLAMP (cs, -state->clip, state->clip) : cs;
        s->co[at] = scalar_tanh_f32 (s->cs[at]);
        s->o[at] = scalar_sigmoid_f32 (state->peephole ? out + s->cs[at] * s->wco[c] : out);
        s->h[at] = s->o[at] * s->co[at];
      }
}

static void
backward_rows (gpointer data, gint64 begin, gint64 end)
{
  const Step *s = data;
  const State *state = s->state;
  gint64 n = s->cell;
  for (gint64 row = begin; row < end; row++)
    for (gint64 c = 0, at = row * n; c < n; c++, at++)
      {
        float *gate = s->gates + row * 4 * n + c;
        float i = s->i[at], f = s->f[at], o = s->o[at], ci = s->ci[at], co = s->co[at];
        float dh = s->h_grad[at] + (s->h_carry ? s->h_carry[at] : 0);
        float d_o = o * (1 - o) * dh * co;
        float dcs = (1 - co * co) * dh * o + s->cs_grad[at] + s->cs_carry[at];
        if (state->peephole)
          dcs += d_o * s->wco[c];
        float d_ci = (1 - ci * ci) * dcs * i, d_f = f * (1 - f) * dcs * s->cs_prev[at];
        float d_i = i * (1 - i) * dcs * ci;
        gate[0] = d_i;
        gate[state->ci * n] = d_ci;
        gate[state->f * n] = d_f;
        gate[3 * n] = d_o;
        s->cs_carry[at] = dcs * f;
        if (state->peephole)
          s->cs_carry[at] += d_i * s->wci[c] + d_f * s->wcf[c];
      }
}

static gboolean
run_rows (SluiceKernelCall *call, Step *step, gint64 batch, SluiceRangeFunc func)
{
  gint64 grain = MAX (1, 2048 / MAX (1, step->cell));
  return sluice_call_parallel_for (call, batch, grain, 40 * (double) step->cell, func, step);
}

/* Reads the eight inputs that all four ops have, and the sizes from them. */
static gboolean
lstm_begin (SluiceKernelCall *call, Lstm *l)
{
  gboolean sequence = sluice_call_input (call, 0)->dtype == SLUICE_INT64;
  l->state = call->state;
  l->first = sequence ? 1 : 0;
  const SluiceShape x = sluice_call_input (call, l->first)->shape;
  const SluiceShape *cs = &sluice_call_input (call, l->first + 1)->shape;
  if (!sluice_call_want_rank (call, l->first, sequence ? 3 : 2)
      || !sluice_call_want_rank (call, l->first + 1, 2)
      || (sequence && !sluice_call_want_scalar (call, 0)))
    return FALSE;
  l->time = sequence ? x.dim[0] : 1;
  l->length = sequence ? sluice_tensor_get_int (sluice_call_input (call, 0), 0) : 1;
  l->batch = x.dim[x.rank - 2];
  l->input = x.dim[x.rank - 1];
  l->cell = cs->dim[1];
  if (l->length < 0 || l->length > l->time)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "seq_len_max must lie between 0 and %" G_GINT64_FORMAT
                             ", not be %" G_GINT64_FORMAT,
                             l->time, l->length);
  if (!sequence && (cs->dim[0] == 0 || cs->dim[1] == 0))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "cs_prev must not be empty");
  if (l->cell > G_MAXINT32 || l->input > G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the cell is too large");
  const SluiceShape state = SLUICE_SHAPE (l->batch, l->cell), row = SLUICE_SHAPE (l->cell);
  const SluiceShape shapes[] = {
    x,   state, state, SLUICE_SHAPE (l->input + l->cell, 4 * l->cell),
    row, row,   row,   SLUICE_SHAPE (4 * l->cell),
  };
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    if (!read_input (call, &l->floats, l->first + i, &shapes[i]))
      return FALSE;
  return TRUE;
}

/* Input number i behind x, at step t. */
static const float *
step_input (const Lstm *l, guint i, gint64 t)
{
  return input_of (&l->floats, l->first + i) + t * l->batch * l->cell;
}

static Step
step_of (const Lstm *l)
{
  const Floats *f = &l->floats;
  return (Step){ .state = l->state,
                 .cell = l->cell,
                 .wci = input_of (f, l->first + 4),
                 .wcf = input_of (f, l->first + 5),
                 .wco = input_of (f, l->first + 6),
                 .bias = input_of (f, l->first + 7) };
}

static gboolean
forward_compute (SluiceKernelCall *call)
{
  g_auto (Lstm) l = { 0 };
  gboolean ok = lstm_begin (call, &l);
  SluiceShape shape = SLUICE_SHAPE (l.time, l.batch, l.cell);
  if (l.first == 0)
    shape = SLUICE_SHAPE (l.batch, l.cell);
  for (guint i = 0; i < 7 && ok; i++)
    ok = make_output (call, &l.floats, i, &shape);
  if (!ok)
    return FALSE;
  g_autoptr (SluiceTensor) xh = float_scratch (call, l.batch, l.input + l.cell);
  g_autoptr (SluiceTensor) gates = float_scratch (call, l.batch, 4 * l.cell);
  if (xh == NULL || gates == NULL)
    return FALSE;
  Step step = step_of (&l);
  float **results[] = { &step.i, &step.cs, &step.f, &step.o, &step.ci, &step.co, &step.h };
  const float *h_prev = step_input (&l, 2, 0);
  step.gates = gates->data;
  step.cs_prev = step_input (&l, 1, 0);
  for (gint64 t = 0; t < l.length; t++)
    {
      for (guint i = 0; i < 7; i++)
        *results[i] = output_of (&l.floats, i) + t * l.batch * l.cell;
      join_columns (input_of (&l.floats, l.first) + t * l.batch * l.input, l.input, h_prev, l.cell,
                    l.batch, xh->data);
      if (!product (call, xh->data, 0, input_of (&l.floats, l.first + 3), 0, gates->data, l.batch,
                    4 * l.cell, l.input + l.cell)
          || !run_rows (call, &step, l.batch, forward_rows))
        return FALSE;
      step.cs_prev = step.cs;
      h_prev = step.h;
    }
  narrow_outputs (call, &l.floats);
  return TRUE;
}

/* ---- gradients ---- */

/* Adds what step t gives to the gradients of the peepholes. */
static void
add_peepholes (const Lstm *l, const Step *s, float *wci, float *wcf, float *wco)
{
  gint64 n = l->cell;
  for (gint64 row = 0; row < l->batch; row++)
    for (gint64 c = 0, at = row * n; c < n; c++, at++)
      {
        const float *gate = s->gates + row * 4 * n + c;
        wci[c] += gate[0] * s->cs_prev[at];
        wcf[c] += gate[s->state->f * n] * s->cs_prev[at];
        wco[c] += gate[3 * n] * s->cs[at];
      }
}

/* The values of step t, which stand from input `values` behind x on, in the outputs' order. */
static void
set_values (const Lstm *l, Step *s, gint64 t)
{
  float **values[] = { &s->i, &s->cs, &s->f, &s->o, &s->ci, &s->co };
  for (guint i = 0; i < 6; i++)
    *values[i] = (float *) step_input (l, 8 + i, t); /* only read, backwards */
  s->cs_prev = t == 0 ? step_input (l, 1, 0) : step_input (l, 9, t - 1);
}

static gboolean
read_steps (SluiceKernelCall *call, Lstm *l, guint n, const SluiceShape *shape)
{
  for (guint i = 0; i < n; i++)
    if (!read_input (call, &l->floats, l->first + 8 + i, shape))
      return FALSE;
  return TRUE;
}

/* Outputs: cs_prev_grad, dicfo, and the peepholes'. */
static gboolean
cell_grad_compute (SluiceKernelCall *call)
{
  g_auto (Lstm) l = { 0 };
  gboolean ok = lstm_begin (call, &l);
  const SluiceShape state = SLUICE_SHAPE (l.batch, l.cell), row = SLUICE_SHAPE (l.cell);
  const SluiceShape shapes[] = { state, SLUICE_SHAPE (l.batch, 4 * l.cell), row, row, row };
  ok = ok && read_steps (call, &l, 8, &state);
  for (guint i = 0; i < 5 && ok; i++)
    ok = make_output (call, &l.floats, i, &shapes[i]);
  if (!ok)
    return FALSE;
  Step step = step_of (&l);
  set_values (&l, &step, 0);
  step.gates = output_of (&l.floats, 1);
  step.cs_carry = output_of (&l.floats, 0);
  step.cs_grad = step_input (&l, 14, 0);
  step.h_grad = step_input (&l, 15, 0);
  if (!run_rows (call, &step, l.batch, backward_rows))
    return FALSE;
  if (l.state->peephole)
    add_peepholes (&l, &step, output_of (&l.floats, 2), output_of (&l.floats, 3),
                   output_of (&l.floats, 4));
  narrow_outputs (call, &l.floats);
  return TRUE;
}

enum
{
  X_GRAD,
  CS_GRAD,
  H_GRAD,
  W_GRAD,
  WCI_GRAD,
  WCF_GRAD,
  WCO_GRAD,
  B_GRAD,
};

/* One step back: its gates' gradients, then those of x and of the h before. */
static gboolean
step_back (SluiceKernelCall *call, const Lstm *l, Step *s, gint64 t, float *xh, float *xh_grad)
{
  const Floats *f = &l->floats;
  gint64 width = l->input + l->cell;
  float *x_grad = output_of (f, X_GRAD) + t * l->batch * l->input, *h_grad = output_of (f, H_GRAD);
  set_values (l, s, t);
  s->cs_grad = step_input (l, 15, t);
  s->h_grad = step_input (l, 16, t);
  join_columns (input_of (f, l->first) + t * l->batch * l->input, l->input,
                t == 0 ? step_input (l, 2, 0) : step_input (l, 14, t - 1), l->cell, l->batch, xh);
  if (!run_rows (call, s, l->batch, backward_rows)
      || !product (call, s->gates, 0, input_of (f, l->first + 3), SLUICE_GEMM_TRANSPOSED, xh_grad,
                   l->batch, width, 4 * l->cell))
    return FALSE;
  for (gint64 row = 0; row < l->batch; row++)
    {
      memcpy (x_grad + row * l->input, xh_grad + row * width, l->input * sizeof *x_grad);
      memcpy (h_grad + row * l->cell, xh_grad + row * width + l->input, l->cell * sizeof *h_grad);
    }
  if (l->state->peephole)
    add_peepholes (l, s, output_of (f, WCI_GRAD), output_of (f, WCF_GRAD), output_of (f, WCO_GRAD));
  return TRUE;
}

/* All steps back. Inputs and gates' gradients of all steps are kept: the weights' gradient is one
 * product of them. */
static gboolean
all_back (SluiceKernelCall *call, const Lstm *l)
{
  const Floats *f = &l->floats;
  gint64 rows = l->length * l->batch, width = l->input + l->cell, n_gates = 4 * l->cell;
  g_autoptr (SluiceTensor) xh = float_scratch (call, rows, width);
  g_autoptr (SluiceTensor) gates = float_scratch (call, rows, n_gates);
  g_autoptr (SluiceTensor) xh_grad = float_scratch (call, l->batch, width);
  if (xh == NULL || gates == NULL || xh_grad == NULL)
    return FALSE;
  Step step = step_of (l);
  step.h_carry = output_of (f, H_GRAD);
  step.cs_carry = output_of (f, CS_GRAD);
  for (gint64 t = l->length - 1; t >= 0; t--)
    {
      step.gates = (float *) gates->data + t * l->batch * n_gates;
      if (!step_back (call, l, &step, t, (float *) xh->data + t * l->batch * width, xh_grad->data))
        return FALSE;
    }
  float *b_grad = output_of (f, B_GRAD);
  for (gint64 row = 0; row < rows; row++)
    for (gint64 c = 0; c < n_gates; c++)
      b_grad[c] += ((const float *) gates->data)[row * n_gates + c];
  return product (call, xh->data, SLUICE_GEMM_TRANSPOSED, gates->data, 0, output_of (f, W_GRAD),
                  width, n_gates, rows);
}

static gboolean
block_grad_compute (SluiceKernelCall *call)
{
  g_auto (Lstm) l = { 0 };
  gboolean ok = lstm_begin (call, &l);
  ok = ok && read_steps (call, &l, 9, &SLUICE_SHAPE (l.time, l.batch, l.cell));
  for (guint i = 0; i < 8 && ok; i++)
    ok = make_output (call, &l.floats, i, &sluice_call_input (call, i + 1)->shape);
  if (!ok || !all_back (call, &l))
    return FALSE;
  narrow_outputs (call, &l.floats);
  return TRUE;
}

/* ---- GRU ---- */

typedef struct
{
  gint64 batch, input, cell;
  Floats floats;
} Gru;

static void
gru_clear (Gru *g)
{
  floats_clear (&g->floats);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Gru, gru_clear)

static gboolean
gru_begin (SluiceKernelCall *call, Gru *g)
{
  const SluiceShape x = sluice_call_input (call, 0)->shape;
  const SluiceShape *h = &sluice_call_input (call, 1)->shape;
  if (!sluice_call_want_rank (call, 0, 2) || !sluice_call_want_rank (call, 1, 2))
    return FALSE;
  g->batch = x.dim[0];
  g->input = x.dim[1];
  g->cell = h->dim[1];
  if (g->cell > G_MAXINT32 || g->input > G_MAXINT32)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the cell is too large");
  gint64 width = g->input + g->cell;
  const SluiceShape shapes[] = { x,
                                 SLUICE_SHAPE (g->batch, g->cell),
                                 SLUICE_SHAPE (width, 2 * g->cell),
                                 SLUICE_SHAPE (width, g->cell),
                                 SLUICE_SHAPE (2 * g->cell),
                                 SLUICE_SHAPE (g->cell) };
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    if (!read_input (call, &g->floats, i, &shapes[i]))
      return FALSE;
  return TRUE;
}

/* Of one row: r, u and what the candidate sees of the state. */
SLUICE_HOT static void
gru_gates (gint64 n,
           const float *restrict gates,
           const float *restrict bias,
           const float *restrict h_prev,
           float *restrict r,
           float *restrict u,
           float *restrict seen)
{
  for (gint64 k = 0; k < n; k++)
    {
      r[k] = scalar_sigmoid_f32 (gates[k] + bias[k]);
      u[k] = scalar_sigmoid_f32 (gates[n + k] + bias[n + k]);
      seen[k] = h_prev[k] * r[k];
    }
}

/* Of one row; c holds the candidate's products. */
SLUICE_HOT static void
gru_outputs (gint64 n,
             const float *restrict bias,
             const float *restrict h_prev,
             const float *restrict u,
             float *restrict c,
             float *restrict h)
{
  for (gint64 k = 0; k < n; k++)
    {
      c[k] = scalar_tanh_f32 (c[k] + bias[k]);
      h[k] = u[k] * (h_prev[k] - c[k]) + c[k];
    }
}

static gboolean
gru_forward (SluiceKernelCall *call, const Gru *g)
{
  const Floats *f = &g->floats;
  gint64 n = g->cell, width = g->input + n;
  g_autoptr (SluiceTensor) xh = float_scratch (call, g->batch, width);
  g_autoptr (SluiceTensor) ru = float_scratch (call, g->batch, 2 * n);
  if (xh == NULL || ru == NULL)
    return FALSE;
  const float *h_prev = input_of (f, 1), *b_ru = input_of (f, 4), *b_c = input_of (f, 5);
  float *r = output_of (f, 0), *u = output_of (f, 1), *c = output_of (f, 2), *h = output_of (f, 3);
  float *joined = xh->data;
  join_columns (input_of (f, 0), g->input, h_prev, n, g->batch, joined);
  if (!product (call, joined, 0, input_of (f, 2), 0, ru->data, g->batch, 2 * n, width))
    return FALSE;
  for (gint64 row = 0; row < g->batch; row++)
    gru_gates (n, (const float *) ru->data + row * 2 * n, b_ru, h_prev + row * n, r + row * n,
               u + row * n, joined + row * width + g->input);
  if (!product (call, joined, 0, input_of (f, 3), 0, c, g->batch, n, width))
    return FALSE;
  for (gint64 row = 0; row < g->batch; row++)
    gru_outputs (n, b_c, h_prev + row * n, u + row * n, c + row * n, h + row * n);
  return TRUE;
}

static gboolean
gru_compute (SluiceKernelCall *call)
{
  g_auto (Gru) g = { 0 };
  gboolean ok = gru_begin (call, &g);
  for (guint i = 0; i < 4 && ok; i++)
    ok = make_output (call, &g.floats, i, &SLUICE_SHAPE (g.batch, g.cell));
  return ok && gru_forward (call, &g);
}

/* Inputs 6 to 9: r, u, c, d_h. */
static gboolean
gru_backward (SluiceKernelCall *call, const Gru *g)
{
  const Floats *f = &g->floats;
  gint64 n = g->cell, width = g->input + n;
  g_autoptr (SluiceTensor) by_c = float_scratch (call, g->batch, width);
  g_autoptr (SluiceTensor) by_ru = float_scratch (call, g->batch, width);
  if (by_c == NULL || by_ru == NULL)
    return FALSE;
  const float *h_prev = input_of (f, 1), *r = input_of (f, 6), *u = input_of (f, 7);
  const float *c = input_of (f, 8), *dh = input_of (f, 9), *from_c = by_c->data;
  const float *from_ru = by_ru->data;
  float *d_x = output_of (f, 0), *d_h_prev = output_of (f, 1);
  float *d_c = output_of (f, 2), *d_ru = output_of (f, 3);
  for (gint64 at = 0; at < g->batch * n; at++)
    d_c[at] = dh[at] * (1 - u[at]) * (1 - c[at] * c[at]);
  if (!product (call, d_c, 0, input_of (f, 3), SLUICE_GEMM_TRANSPOSED, by_c->data, g->batch, width,
                n))
    return FALSE;
  for (gint64 row = 0; row < g->batch; row++)
    for (gint64 k = 0, at = row * n; k < n; k++, at++)
      {
        float d_hr = from_c[row * width + g->input + k];
        d_ru[row * 2 * n + k] = d_hr * h_prev[at] * r[at] * (1 - r[at]);
        d_ru[row * 2 * n + n + k] = dh[at] * (h_prev[at] - c[at]) * u[at] * (1 - u[at]);
        d_h_prev[at] = d_hr * r[at] + dh[at] * u[at];
      }
  if (!product (call, d_ru, 0, input_of (f, 2), SLUICE_GEMM_TRANSPOSED, by_ru->data, g->batch,
                width, 2 * n))
    return FALSE;
  for (gint64 row = 0; row < g->batch; row++)
    {
      for (gint64 k = 0; k < g->input; k++)
        d_x[row * g->input + k] = from_ru[row * width + k] + from_c[row * width + k];
      for (gint64 k = 0; k < n; k++)
        d_h_prev[row * n + k] += from_ru[row * width + g->input + k];
    }
  return TRUE;
}

static gboolean
gru_grad_compute (SluiceKernelCall *call)
{
  g_auto (Gru) g = { 0 };
  gboolean ok = gru_begin (call, &g);
  const SluiceShape state = SLUICE_SHAPE (g.batch, g.cell);
  const SluiceShape outputs[] = { SLUICE_SHAPE (g.batch, g.input), state, state,
                                  SLUICE_SHAPE (g.batch, 2 * g.cell) };
  for (guint i = 6; i < 10 && ok; i++)
    ok = read_input (call, &g.floats, i, &state);
  for (guint i = 0; i < 4 && ok; i++)
    ok = make_output (call, &g.floats, i, &outputs[i]);
  return ok && gru_backward (call, &g);
}

#define LSTM(name, function)                                                                       \
  {                                                                                                \
    .op = name, .device = "CPU",                                                                   \
    .where = { { "T", SLUICE_SET (SLUICE_HALF) | SLUICE_SET (SLUICE_FLOAT) } },                    \
    .prepare = lstm_prepare, .free_state = g_free, .compute = function                             \
  }
#define GRU(name, function)                                                                        \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET (SLUICE_FLOAT) } },                  \
    .compute = function                                                                            \
  }

static const SluiceKernel kernels[] = {
  LSTM ("LSTMBlockCell", forward_compute),    LSTM ("BlockLSTM", forward_compute),
  LSTM ("BlockLSTMV2", forward_compute),      LSTM ("LSTMBlockCellGrad", cell_grad_compute),
  LSTM ("BlockLSTMGrad", block_grad_compute), LSTM ("BlockLSTMGradV2", block_grad_compute),
  GRU ("GRUBlockCell", gru_compute),          GRU ("GRUBlockCellGrad", gru_grad_compute),
};

const SluiceKernelModule sluice_module_nn_lstm_cpu = { .kernels = kernels,
                                                       .n_kernels = G_N_ELEMENTS (kernels) };
