/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/gemm.h"
#include "kernels/math/scalar.h"
#include "kernels/nn/cell.h"

typedef struct
{
  gint64 batch, input, cell;
  SluiceFloats floats;
} Gru;

static void
gru_clear (Gru *g)
{
  sluice_floats_clear (&g->floats);
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
    if (!sluice_floats_read (call, &g->floats, i, &shapes[i]))
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
  const SluiceFloats *f = &g->floats;
  gint64 n = g->cell, width = g->input + n;
  g_autoptr (SluiceTensor) xh = sluice_call_float_scratch (call, g->batch, width);
  g_autoptr (SluiceTensor) ru = sluice_call_float_scratch (call, g->batch, 2 * n);
  if (xh == NULL || ru == NULL)
    return FALSE;
  const float *h_prev = sluice_floats_in (f, 1), *b_ru = sluice_floats_in (f, 4),
              *b_c = sluice_floats_in (f, 5);
  float *r = sluice_floats_out (f, 0), *u = sluice_floats_out (f, 1), *c = sluice_floats_out (f, 2),
        *h = sluice_floats_out (f, 3);
  float *joined = xh->data;
  sluice_join_columns (sluice_floats_in (f, 0), g->input, h_prev, n, g->batch, joined);
  if (!sluice_call_product (call, joined, 0, sluice_floats_in (f, 2), 0, ru->data, g->batch, 2 * n,
                            width))
    return FALSE;
  for (gint64 row = 0; row < g->batch; row++)
    gru_gates (n, (const float *) ru->data + row * 2 * n, b_ru, h_prev + row * n, r + row * n,
               u + row * n, joined + row * width + g->input);
  if (!sluice_call_product (call, joined, 0, sluice_floats_in (f, 3), 0, c, g->batch, n, width))
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
    ok = sluice_floats_make (call, &g.floats, i, &SLUICE_SHAPE (g.batch, g.cell), g.batch * g.cell);
  return ok && gru_forward (call, &g);
}

/* Inputs 6 to 9: r, u, c, d_h. */
static gboolean
gru_backward (SluiceKernelCall *call, const Gru *g)
{
  const SluiceFloats *f = &g->floats;
  gint64 n = g->cell, width = g->input + n;
  g_autoptr (SluiceTensor) by_c = sluice_call_float_scratch (call, g->batch, width);
  g_autoptr (SluiceTensor) by_ru = sluice_call_float_scratch (call, g->batch, width);
  if (by_c == NULL || by_ru == NULL)
    return FALSE;
  const float *h_prev = sluice_floats_in (f, 1), *r = sluice_floats_in (f, 6),
              *u = sluice_floats_in (f, 7);
  const float *c = sluice_floats_in (f, 8), *dh = sluice_floats_in (f, 9), *from_c = by_c->data;
  const float *from_ru = by_ru->data;
  float *d_x = sluice_floats_out (f, 0), *d_h_prev = sluice_floats_out (f, 1);
  float *d_c = sluice_floats_out (f, 2), *d_ru = sluice_floats_out (f, 3);
  for (gint64 at = 0; at < g->batch * n; at++)
    d_c[at] = dh[at] * (1 - u[at]) * (1 - c[at] * c[at]);
  if (!sluice_call_product (call, d_c, 0, sluice_floats_in (f, 3), SLUICE_GEMM_TRANSPOSED,
                            by_c->data, g->batch, width, n))
    return FALSE;
  for (gint64 row = 0; row < g->batch; row++)
    for (gint64 k = 0, at = row * n; k < n; k++, at++)
      {
        float d_hr = from_c[row * width + g->input + k];
        d_ru[row * 2 * n + k] = d_hr * h_prev[at] * r[at] * (1 - r[at]);
        d_ru[row * 2 * n + n + k] = dh[at] * (h_prev[at] - c[at]) * u[at] * (1 - u[at]);
        d_h_prev[at] = d_hr * r[at] + dh[at] * u[at];
      }
  if (!sluice_call_product (call, d_ru, 0, sluice_floats_in (f, 2), SLUICE_GEMM_TRANSPOSED,
                            by_ru->data, g->batch, width, 2 * n))
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
    ok = sluice_floats_read (call, &g.floats, i, &state);
  for (guint i = 0; i < 4 && ok; i++)
    ok =
        sluice_floats_make (call, &g.floats, i, &outputs[i], sluice_shape_n_elements (&outputs[i]));
  return ok && gru_backward (call, &g);
}

#define GRU(name, function)                                                                        \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET (SLUICE_FLOAT) } },                  \
    .compute = function                                                                            \
  }

static const SluiceKernel kernels[] = {
  GRU ("GRUBlockCell", gru_compute),
  GRU ("GRUBlockCellGrad", gru_grad_compute),
};

const SluiceKernelModule sluice_module_nn_gru_cpu = { .kernels = kernels,
                                                      .n_kernels = G_N_ELEMENTS (kernels) };
