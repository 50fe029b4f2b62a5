/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/typed.h"

typedef struct
{
  gint64 radius;
  float bias, alpha, beta;
} State;

typedef struct
{
  const State *state;
  gint64 depth;
  const float *dy, *x, *y;
  float *out;
} Work;

/* The neighbours of channel c. */
static inline void
window_of (const Work *w, gint64 c, gint64 *begin, gint64 *end)
{
  *begin = MAX (c - w->state->radius, 0);
  *end = MIN (c + w->state->radius + 1, w->depth);
}

static inline float
norm_of (const Work *w, const float *x, gint64 c)
{
  gint64 begin, end;
  float sum = 0;
  window_of (w, c, &begin, &end);
  for (gint64 i = begin; i < end; i++)
    sum += x[i] * x[i];
  return w->state->bias + w->state->alpha * sum;
}

static inline float
power (const Work *w, float norm)
{
  return w->state->beta == 0.5f ? 1 / sqrtf (norm) : powf (norm, -w->state->beta);
}

static void
forward_range (gpointer data, gint64 begin, gint64 end)
{
  const Work *w = data;
  for (gint64 pixel = begin; pixel < end; pixel++)
    {
      const float *x = w->x + pixel * w->depth;
      float *out = w->out + pixel * w->depth;
      for (gint64 c = 0; c < w->depth; c++)
        out[c] = x[c] * power (w, norm_of (w, x, c));
    }
}

/* dy_j goes to each x_k of the window: -2 alpha beta x_k y_j / norm_j, and norm_j^-beta to x_j. */
static void
backward_range (gpointer data, gint64 begin, gint64 end)
{
  const Work *w = data;
  float factor = -2 * w->state->alpha * w->state->beta;
  for (gint64 pixel = begin; pixel < end; pixel++)
    {
      gint64 at = pixel * w->depth;
      const float *dy = w->dy + at, *x = w->x + at, *y = w->y + at;
      float *out = w->out + at;
      memset (out, 0, w->depth * sizeof *out);
      for (gint64 c = 0; c < w->depth; c++)
        {
          gint64 first, last;
          float norm = norm_of (w, x, c), share = factor * dy[c] * y[c] / norm;
          window_of (w, c, &first, &last);
          for (gint64 i = first; i < last; i++)
            out[i] += share * x[i];
          out[c] += dy[c] * power (w, norm);
        }
    }
}

static gpointer
lrn_prepare (const SluiceNode *node, GError **error)
{
  gint64 radius = sluice_node_get_int (node, "depth_radius");
  if (radius < 0 || radius > G_MAXINT32)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "depth_radius must lie between 0 and 2^31 - 1, not be %" G_GINT64_FORMAT,
                        radius);
      return NULL;
    }
  State *state = g_new (State, 1);
  *state = (State){ radius, sluice_node_get_float (node, "bias"),
                    sluice_node_get_float (node, "alpha"), sluice_node_get_float (node, "beta") };
  return state;
}

static gboolean
check_shapes (SluiceKernelCall *call)
{
  const SluiceShape *first = &sluice_call_input (call, 0)->shape;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      const SluiceShape *shape = &sluice_call_input (call, i)->shape;
      if (!sluice_call_want_rank (call, i, 4))
        return FALSE;
      char want[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
      if (!sluice_shape_equal (shape, first))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "%s must have shape %s, not %s", call->node->op->inputs[i].name,
                                 sluice_shape_str (first, want), sluice_shape_str (shape, got));
    }
  return TRUE;
}

static gboolean
lrn_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  gboolean backward = call->n_inputs == 3;
  if (!check_shapes (call))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &sluice_call_input (call, 0)->shape);
  if (out == NULL)
    return FALSE;
  g_autoptr (SluiceTensor) first = sluice_call_widen_input (call, 0);
  g_autoptr (SluiceTensor) x = backward ? sluice_call_widen_input (call, 1) : NULL;
  g_autoptr (SluiceTensor) y = backward ? sluice_call_widen_input (call, 2) : NULL;
  g_autoptr (SluiceTensor) to = sluice_dtype_is_half (out->dtype)
                                    ? sluice_call_scratch (call, SLUICE_FLOAT, &out->shape)
                                    : sluice_tensor_ref (out);
  if (first == NULL || to == NULL || (backward && (x == NULL || y == NULL)))
    return FALSE;
  gint64 depth = out->shape.dim[3], pixels = depth ? out->n_elements / depth : 0;
  Work work = {
    .state = state, .depth = depth, .x = backward ? x->data : first->data, .out = to->data
  };
  if (backward)
    {
      work.dy = first->data;
      work.y = y->data;
    }
  double around = (double) MIN (2 * state->radius + 1, depth);
  if (!sluice_call_parallel_for (call, pixels, MAX (1, 4096 / MAX (1, depth)),
                                 (double) depth * (around + 10),
                                 backward ? backward_range : forward_range, &work))
    return FALSE;
  if (to != out)
    sluice_narrow (out->dtype, to->data, out->data, out->n_elements);
  return TRUE;
}

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU",                                                                   \
    .where = { { "T", SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET_HALVES } }, .prepare = lrn_prepare,   \
    .free_state = g_free, .compute = lrn_compute                                                   \
  }

static const SluiceKernel kernels[] = { KERNEL ("LRN"), KERNEL ("LRNGrad") };

const SluiceKernelModule sluice_module_nn_lrn_cpu = { .kernels = kernels,
                                                      .n_kernels = G_N_ELEMENTS (kernels) };
