/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* LSTM steps: a matrix product, then each row of the batch by itself. Half is computed in float. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/device/readers.h"
#include "kernels/array/move.h"
#include "kernels/linalg/gemm.h"
#include "kernels/math/elementwise.h"
#include "kernels/nn/cell.h"

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
  gboolean is_kept[7]; /* forwards: a step's value of the output stays when the next one comes */
  SluiceFloats floats;
} Lstm;

static void
lstm_clear (Lstm *l)
{
  sluice_floats_clear (&l->floats);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lstm, lstm_clear)

/* Steps of some rows of the batch: pointers to their first element at a step, [rows, cell], but for
 * the gates [rows, 4 cell]. */
typedef struct
{
  const State *state;
  gint64 cell;
  float *gates;
  const float *cs_prev, *wci, *wcf, *wco, *bias;
  float *i, *cs, *f, *o, *ci, *co, *h;
  /* Backwards: gates is what comes out. */
  const float *cs_grad, *h_grad;
  float *h_carry;  /* (nullable): from the step after */
  float *cs_carry; /* from the step after, and to the step before */
} Step;

#define INLINE inline __attribute__ ((always_inline))

/* peephole: a constant. Locals, because stores could change what the step points to; no two of its
 * arrays overlap. Three loops, because the CPU looks ahead over several short rounds, but not over
 * two of one that holds five chains of polynomial and quotient in a row. */
static INLINE void
forward_row (const Step *s, gint64 row, const gboolean peephole)
{
  const gint64 n = s->cell, at = row * n;
  const float *in = s->gates + 4 * at, *cell = in + s->state->ci * n;
  const float *forget = in + s->state->f * n, *out = in + 3 * n;
  const float *b_in = s->bias, *b_cell = b_in + s->state->ci * n;
  const float *b_forget = b_in + s->state->f * n, *b_out = b_in + 3 * n;
  const float *wci = s->wci, *wcf = s->wcf, *wco = s->wco;
  const float *before = s->cs_prev + at, forget_bias = s->state->forget_bias;
  const float clip = s->state->clip > 0 ? s->state->clip : INFINITY;
  float *i = s->i + at, *cs = s->cs + at, *f = s->f + at;
  float *o = s->o + at, *ci = s->ci + at, *co = s->co + at;
  float *h = s->h + at;
  SLUICE_INDEPENDENT
  for (gint64 c = 0; c < n; c++)
    {
      float x_in = in[c] + b_in[c];
      i[c] = scalar_sigmoid_f32 (peephole ? x_in + before[c] * wci[c] : x_in);
      ci[c] = scalar_tanh_f32 (cell[c] + b_cell[c]);
    }
  SLUICE_INDEPENDENT
  for (gint64 c = 0; c < n; c++)
    {
      float x_forget = forget[c] + b_forget[c] + forget_bias;
      f[c] = scalar_sigmoid_f32 (peephole ? x_forget + before[c] * wcf[c] : x_forget);
      float sum = i[c] * ci[c] + f[c] * before[c];
      cs[c] = sum < -clip ? -clip : sum > clip ? clip : sum;
    }
  SLUICE_INDEPENDENT
  for (gint64 c = 0; c < n; c++)
    {
      float x_out = out[c] + b_out[c];
      o[c] = scalar_sigmoid_f32 (peephole ? x_out + cs[c] * wco[c] : x_out);
      co[c] = scalar_tanh_f32 (cs[c]);
      h[c] = o[c] * co[c];
    }
}

SLUICE_HOT static void
forward_rows (const Step *s, gint64 n_rows)
{
  if (s->state->peephole)
    for (gint64 row = 0; row < n_rows; row++)
      forward_row (s, row, TRUE);
  else
    for (gint64 row = 0; row < n_rows; row++)
      forward_row (s, row, FALSE);
}

static INLINE void
backward_row (const Step *s, gint64 row, const gboolean peephole, const gboolean carries)
{
  const gint64 n = s->cell, at = row * n;
  const float *i = s->i + at, *f = s->f + at, *o = s->o + at;
  const float *ci = s->ci + at, *co = s->co + at;
  const float *before = s->cs_prev + at;
  const float *wci = s->wci, *wcf = s->wcf, *wco = s->wco;
  const float *h_grad = s->h_grad + at, *cs_grad = s->cs_grad + at;
  const float *h_carry = carries ? s->h_carry + at : NULL;
  float *cs_carry = s->cs_carry + at;
  float *d_in = s->gates + 4 * at, *d_cell = d_in + s->state->ci * n;
  float *d_forget = d_in + s->state->f * n, *d_out = d_in + 3 * n;
  SLUICE_INDEPENDENT
  for (gint64 c = 0; c < n; c++)
    {
      float dh = h_grad[c] + (carries ? h_carry[c] : 0);
      float d_o = o[c] * (1 - o[c]) * dh * co[c];
      float dcs = (1 - co[c] * co[c]) * dh * o[c] + cs_grad[c] + cs_carry[c];
      if (peephole)
        dcs += d_o * wco[c];
      float d_f = f[c] * (1 - f[c]) * dcs * before[c];
      float d_i = i[c] * (1 - i[c]) * dcs * ci[c];
      float carry = dcs * f[c];
      if (peephole)
        carry += d_i * wci[c] + d_f * wcf[c];
      d_in[c] = d_i;
      d_cell[c] = (1 - ci[c] * ci[c]) * dcs * i[c];
      d_forget[c] = d_f;
      d_out[c] = d_o;
      cs_carry[c] = carry;
    }
}

SLUICE_HOT static void
backward_rows (const Step *s, gint64 n_rows)
{
  const gboolean peephole = s->state->peephole, carries = s->h_carry != NULL;
  if (!peephole && carries)
    for (gint64 row = 0; row < n_rows; row++)
      backward_row (s, row, FALSE, TRUE);
  else
    for (gint64 row = 0; row < n_rows; row++)
      backward_row (s, row, peephole, carries);
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
    if (!sluice_floats_read (call, &l->floats, l->first + i, &shapes[i]))
      return FALSE;
  return TRUE;
}

/* Input number i behind x, at step t. */
static const float *
step_input (const Lstm *l, guint i, gint64 t)
{
  return sluice_floats_in (&l->floats, l->first + i) + t * l->batch * l->cell;
}

static Step
step_of (const Lstm *l)
{
  const SluiceFloats *f = &l->floats;
  return (Step){ .state = l->state,
                 .cell = l->cell,
                 .wci = sluice_floats_in (f, l->first + 4),
                 .wcf = sluice_floats_in (f, l->first + 5),
                 .wco = sluice_floats_in (f, l->first + 6),
                 .bias = sluice_floats_in (f, l->first + 7) };
}

/* Weights, in floats, that stay in the second cache beside what a step of a few rows touches. */
#define CACHED_WEIGHTS (3 << 16)
/* Gates whose part from the inputs is worked out at once, one product for many steps. */
#define BLOCK_GATES (1 << 20)

static gboolean
has_small_weights (const Lstm *l)
{
  return l->floats.in[l->first + 3]->n_elements <= CACHED_WEIGHTS;
}

/*
 * Rows of the batch that go through all steps without waiting for other rows: enough for a fast
 * product, and more of them where they share weights that come from afar.
 */
static gint64
chunk_rows (const Lstm *l)
{
  return has_small_weights (l) ? 8 : 16;
}

/* Steps [begin, end) of a sequence; back: from the last on. */
typedef struct
{
  SluiceKernelCall *call;
  const Lstm *l;
  gint64 begin, end;
  float *gates;         /* from step `begin` on; forwards, the inputs' part of them is there */
  float *xh;            /* (nullable): room for [x, h'] of a step; gates is of one step then */
  const float *weights; /* of the state: [cell, 4 cell]; back, transposed; with xh, all of them */
  float *bias_sums;     /* back: of each chunk of rows, what it gives to the biases' gradient */
} Sweep;

static gboolean
is_cancelled (const Sweep *sweep)
{
  const _Atomic int *cancelled = sweep->call->cancelled;
  return cancelled && atomic_load_explicit (cancelled, memory_order_relaxed);
}

/* depth: of the products that give a gate of a row. */
static gboolean
run_sweep (SluiceKernelCall *call, Sweep *sweep, gint64 depth, SluiceRangeFunc func)
{
  double products = 8.0 * (double) sweep->l->cell * (double) depth; /* of a row's step */
  double row_ns = (double) (sweep->end - sweep->begin) * products / 100;
  return sluice_call_parallel_for (call, sweep->l->batch, chunk_rows (sweep->l), row_ns, func,
                                   sweep);
}

/* Output i at step t, from row `row` on. */
static float *
step_output (const Lstm *l, guint i, gint64 t, gint64 row)
{
  return sluice_floats_out (&l->floats, i) + ((l->is_kept[i] ? t * l->batch : 0) + row) * l->cell;
}

/* The products of step t, of n_rows rows. Returns the gates, without the biases. */
static float *
forward_product (const Sweep *sweep, gint64 t, gint64 row, gint64 n_rows)
{
  const Lstm *l = sweep->l;
  const gint64 n = l->cell, width = l->input + n;
  const float *h = t == 0 ? step_input (l, 2, 0) + row * n : step_output (l, 6, t - 1, row);
  const gint64 at = (sweep->xh ? 0 : t - sweep->begin) * l->batch + row;
  SluiceGemm gemm = { .dtype = SLUICE_FLOAT,
                      .accumulate = TRUE,
                      .m = n_rows,
                      .n = 4 * n,
                      .k = n,
                      .a = h,
                      .b = sweep->weights,
                      .c = sweep->gates + 4 * n * at };
  if (sweep->xh)
    {
      float *xh = sweep->xh + row * width;
      sluice_join_columns (sluice_floats_in (&l->floats, l->first)
                               + (t * l->batch + row) * l->input,
                           l->input, h, n, n_rows, xh);
      gemm.a = xh;
      gemm.k = width;
      gemm.accumulate = FALSE;
    }
  sluice_gemm_library (&gemm);
  return gemm.c;
}

static void
sweep_forward (gpointer data, gint64 begin, gint64 end)
{
  const Sweep *sweep = data;
  const Lstm *l = sweep->l;
  Step step = step_of (l);
  float **results[] = { &step.i, &step.cs, &step.f, &step.o, &step.ci, &step.co, &step.h };
  for (gint64 t = sweep->begin; t < sweep->end && !is_cancelled (sweep); t++)
    {
      step.gates = forward_product (sweep, t, begin, end - begin);
      step.cs_prev =
          t == 0 ? step_input (l, 1, 0) + begin * l->cell : step_output (l, 1, t - 1, begin);
      for (guint i = 0; i < G_N_ELEMENTS (results); i++)
        *results[i] = step_output (l, i, t, begin);
      forward_rows (&step, end - begin);
    }
}

/* Small weights: each step's inputs and state in one product, whose gates nothing puts out of the
 * first caches before they are used. */
static gboolean
forward_at_once (SluiceKernelCall *call, const Lstm *l)
{
  const gint64 width = l->input + l->cell;
  g_autoptr (SluiceTensor) gates = sluice_call_float_scratch (call, l->batch, 4 * l->cell);
  g_autoptr (SluiceTensor) xh = sluice_call_float_scratch (call, l->batch, width);
  if (gates == NULL || xh == NULL)
    return FALSE;
  Sweep sweep = { .call = call,
                  .l = l,
                  .end = l->length,
                  .gates = gates->data,
                  .xh = xh->data,
                  .weights = sluice_floats_in (&l->floats, l->first + 3) };
  return run_sweep (call, &sweep, width, sweep_forward);
}

/* Large weights: the inputs' part of many steps in one product, which reads them but once. */
static gboolean
forward_in_blocks (SluiceKernelCall *call, const Lstm *l)
{
  const float *x = sluice_floats_in (&l->floats, l->first),
              *w = sluice_floats_in (&l->floats, l->first + 3);
  gint64 step_gates = MAX (1, 4 * l->batch * l->cell);
  gint64 block = CLAMP (BLOCK_GATES / step_gates, 1, MAX (1, l->length));
  g_autoptr (SluiceTensor) gates = sluice_call_float_scratch (call, block, step_gates);
  if (gates == NULL)
    return FALSE;
  for (gint64 t = 0; t < l->length; t += block)
    {
      Sweep sweep = { .call = call,
                      .l = l,
                      .begin = t,
                      .end = MIN (t + block, l->length),
                      .gates = gates->data,
                      .weights = w + l->input * 4 * l->cell };
      if (!sluice_call_product (call, x + t * l->batch * l->input, 0, w, 0, sweep.gates,
                                (sweep.end - t) * l->batch, 4 * l->cell, l->input)
          || !run_sweep (call, &sweep, l->cell, sweep_forward))
        return FALSE;
    }
  return TRUE;
}

static gboolean
all_forward (SluiceKernelCall *call, const Lstm *l)
{
  return has_small_weights (l) ? forward_at_once (call, l) : forward_in_blocks (call, l);
}

static gboolean
forward_compute (SluiceKernelCall *call)
{
  g_auto (Lstm) l = { 0 };
  gboolean ok = lstm_begin (call, &l);
  const SluiceShape state = SLUICE_SHAPE (l.batch, l.cell);
  SluiceShape shape = SLUICE_SHAPE (l.time, l.batch, l.cell);
  if (l.first == 0)
    shape = state;
  for (guint i = 0; i < 7 && ok; i++)
    {
      l.is_kept[i] = sluice_call_is_read (call, i);
      ok = l.is_kept[i]
               ? sluice_floats_make (call, &l.floats, i, &shape, l.length * l.batch * l.cell)
               : sluice_floats_skip (call, &l.floats, i, &state);
    }
  if (!ok || !all_forward (call, &l))
    return FALSE;
  sluice_floats_narrow (call, &l.floats);
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

/* The values of step t from row `row` on, which stand from input 8 behind x on, in the outputs'
 * order. */
static void
set_values (const Lstm *l, Step *s, gint64 t, gint64 row)
{
  float **values[] = { &s->i, &s->cs, &s->f, &s->o, &s->ci, &s->co };
  gint64 at = row * l->cell;
  for (guint i = 0; i < 6; i++)
    *values[i] = (float *) step_input (l, 8 + i, t) + at; /* only read, backwards */
  s->cs_prev = (t == 0 ? step_input (l, 1, 0) : step_input (l, 9, t - 1)) + at;
}

static gboolean
read_steps (SluiceKernelCall *call, Lstm *l, guint n, const SluiceShape *shape)
{
  for (guint i = 0; i < n; i++)
    if (!sluice_floats_read (call, &l->floats, l->first + 8 + i, shape))
      return FALSE;
  return TRUE;
}

static void
cell_back (gpointer data, gint64 begin, gint64 end)
{
  const Sweep *sweep = data;
  const Lstm *l = sweep->l;
  const gint64 at = begin * l->cell;
  Step step = step_of (l);
  set_values (l, &step, 0, begin);
  step.gates = sweep->gates + 4 * at;
  step.cs_carry = sluice_floats_out (&l->floats, 0) + at;
  step.cs_grad = step_input (l, 14, 0) + at;
  step.h_grad = step_input (l, 15, 0) + at;
  backward_rows (&step, end - begin);
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
    ok = sluice_floats_make (call, &l.floats, i, &shapes[i], i == 1 ? 4 * l.batch * l.cell : 0);
  if (!ok)
    return FALSE;
  Sweep sweep = { .call = call, .l = &l, .end = 1, .gates = sluice_floats_out (&l.floats, 1) };
  if (!sluice_call_parallel_for (call, l.batch, chunk_rows (&l), 3 * (double) l.cell, cell_back,
                                 &sweep))
    return FALSE;
  Step step = step_of (&l);
  set_values (&l, &step, 0, 0);
  step.gates = sweep.gates;
  if (l.state->peephole)
    add_peepholes (&l, &step, sluice_floats_out (&l.floats, 2), sluice_floats_out (&l.floats, 3),
                   sluice_floats_out (&l.floats, 4));
  sluice_floats_narrow (call, &l.floats);
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

SLUICE_HOT static void
add_columns (const float *rows, gint64 n_rows, gint64 n, float *restrict sums)
{
  for (gint64 row = 0; row < n_rows; row++)
    for (gint64 c = 0; c < n; c++)
      sums[c] += rows[row * n + c];
}

/* The gates' gradients of each step, and what goes to the state before it. */
static void
sweep_back (gpointer data, gint64 begin, gint64 end)
{
  const Sweep *sweep = data;
  const Lstm *l = sweep->l;
  const gint64 n = l->cell, at = begin * n;
  Step step = step_of (l);
  float *bias_sums = sweep->bias_sums + begin / chunk_rows (l) * 4 * n;
  memset (bias_sums, 0, 4 * n * sizeof *bias_sums);
  step.h_carry = sluice_floats_out (&l->floats, H_GRAD) + at;
  step.cs_carry = sluice_floats_out (&l->floats, CS_GRAD) + at;
  for (gint64 t = sweep->end - 1; t >= sweep->begin && !is_cancelled (sweep); t--)
    {
      set_values (l, &step, t, begin);
      step.cs_grad = step_input (l, 15, t) + at;
      step.h_grad = step_input (l, 16, t) + at;
      step.gates = sweep->gates + 4 * (t * l->batch * n + at);
      backward_rows (&step, end - begin);
      add_columns (step.gates, end - begin, 4 * n, bias_sums);
      SluiceGemm gemm = { .dtype = SLUICE_FLOAT,
                          .m = end - begin,
                          .n = n,
                          .k = 4 * n,
                          .a = step.gates,
                          .b = sweep->weights,
                          .c = step.h_carry };
      sluice_gemm_library (&gemm);
    }
}

/* What all steps give to the weights and to x, from the gates' gradients. */
static gboolean
add_up_steps (SluiceKernelCall *call, const Lstm *l, const float *gates)
{
  const SluiceFloats *f = &l->floats;
  gint64 n = l->cell, n_gates = 4 * n, rows = l->length * l->batch;
  const float *x = sluice_floats_in (f, l->first), *w = sluice_floats_in (f, l->first + 3);
  float *w_grad = sluice_floats_out (f, W_GRAD), *state_grad = w_grad + l->input * n_gates;
  SluiceGemm later = { .dtype = SLUICE_FLOAT,
                       .a_flags = SLUICE_GEMM_TRANSPOSED,
                       .accumulate = TRUE,
                       .m = n,
                       .n = n_gates,
                       .k = MAX (0, rows - l->batch),
                       .a = step_input (l, 14, 0),
                       .b = gates + l->batch * n_gates,
                       .c = state_grad };
  if (sluice_call_is_read (call, X_GRAD)
      && !sluice_call_product (call, gates, 0, w, SLUICE_GEMM_TRANSPOSED,
                               sluice_floats_out (f, X_GRAD), rows, l->input, n_gates))
    return FALSE;
  return sluice_call_product (call, x, SLUICE_GEMM_TRANSPOSED, gates, 0, w_grad, l->input, n_gates,
                              rows)
         && sluice_call_product (call, step_input (l, 2, 0), SLUICE_GEMM_TRANSPOSED, gates, 0,
                                 state_grad, n, n_gates, MIN (rows, l->batch))
         && sluice_call_gemm (call, &later);
}

/* All steps back. The gates' gradients of all steps are kept: the weights' gradient is a product of
 * them. */
static gboolean
all_back (SluiceKernelCall *call, const Lstm *l)
{
  const SluiceFloats *f = &l->floats;
  gint64 n = l->cell, rows = l->length * l->batch;
  gint64 n_chunks = (l->batch + chunk_rows (l) - 1) / chunk_rows (l);
  g_autoptr (SluiceTensor) sums = sluice_call_float_scratch (call, n_chunks, 4 * n);
  g_autoptr (SluiceTensor) gates = sluice_call_float_scratch (call, rows, 4 * n);
  g_autoptr (SluiceTensor) weights = sluice_call_float_scratch (call, 4 * n, n);
  if (gates == NULL || weights == NULL || sums == NULL)
    return FALSE;
  SluiceMove transpose = { 0 };
  sluice_move_add (&transpose, 4 * n, n, 1);
  sluice_move_add (&transpose, n, 1, 4 * n);
  Sweep sweep = { .call = call,
                  .l = l,
                  .end = l->length,
                  .gates = gates->data,
                  .weights = weights->data,
                  .bias_sums = sums->data };
  if (!sluice_move_run (call, SLUICE_FLOAT, &transpose, weights->data,
                        sluice_floats_in (f, l->first + 3) + l->input * 4 * n)
      || !run_sweep (call, &sweep, n, sweep_back))
    return FALSE;
  add_columns (sums->data, n_chunks, 4 * n, sluice_floats_out (f, B_GRAD));
  for (gint64 t = l->length - 1; t >= 0 && l->state->peephole; t--)
    {
      Step step = step_of (l);
      set_values (l, &step, t, 0);
      step.gates = sweep.gates + t * l->batch * 4 * n;
      add_peepholes (l, &step, sluice_floats_out (f, WCI_GRAD), sluice_floats_out (f, WCF_GRAD),
                     sluice_floats_out (f, WCO_GRAD));
    }
  return add_up_steps (call, l, gates->data);
}

static gboolean
block_grad_compute (SluiceKernelCall *call)
{
  g_auto (Lstm) l = { 0 };
  gboolean ok = lstm_begin (call, &l);
  ok = ok && read_steps (call, &l, 9, &SLUICE_SHAPE (l.time, l.batch, l.cell));
  for (guint i = 0; i < 8 && ok; i++)
    {
      const SluiceShape *shape = &sluice_call_input (call, i + 1)->shape;
      if (i == X_GRAD && !sluice_call_is_read (call, i))
        continue;
      gint64 written = i == X_GRAD   ? l.length * l.batch * l.input
                       : i == W_GRAD ? sluice_shape_n_elements (shape)
                                     : 0;
      ok = sluice_floats_make (call, &l.floats, i, shape, written);
    }
  if (!ok || !all_back (call, &l))
    return FALSE;
  sluice_floats_narrow (call, &l.floats);
  return TRUE;
}

#define LSTM(name, function)                                                                       \
  {                                                                                                \
    .op = name, .device = "CPU",                                                                   \
    .where = { { "T", SLUICE_SET (SLUICE_HALF) | SLUICE_SET (SLUICE_FLOAT) } },                    \
    .prepare = lstm_prepare, .free_state = g_free, .compute = function                             \
  }

static const SluiceKernel kernels[] = {
  LSTM ("LSTMBlockCell", forward_compute),    LSTM ("BlockLSTM", forward_compute),
  LSTM ("BlockLSTMV2", forward_compute),      LSTM ("LSTMBlockCellGrad", cell_grad_compute),
  LSTM ("BlockLSTMGrad", block_grad_compute), LSTM ("BlockLSTMGradV2", block_grad_compute),
};

const SluiceKernelModule sluice_module_nn_lstm_cpu = { .kernels = kernels,
                                                       .n_kernels = G_N_ELEMENTS (kernels) };
