/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/array/array.h"

/* What the attributes say. */
typedef struct
{
  float lowest, highest; /* steps */
  float min, max;        /* of FakeQuantWithMinMaxArgs */
} Steps;

/* A range moved so that 0 is a step. */
typedef struct
{
  float min, max, scale, inverse, zero;
  gboolean is_empty; /* min and max are 0 */
} Range;

/* TensorFlow's formula, in its order of operations. */
static Range
nudge (const Steps *steps, float min, float max)
{
  Range r = { .is_empty = min == 0 && max == 0 };
  if (r.is_empty)
    return r;
  r.scale = (max - min) / (steps->highest - steps->lowest);
  const float from_min = steps->lowest - min / r.scale;
  float zero = roundf (from_min);
  if (from_min < steps->lowest)
    zero = steps->lowest;
  else if (from_min > steps->highest)
    zero = steps->highest;
  r.min = (steps->lowest - zero) * r.scale;
  r.max = (steps->highest - zero) * r.scale;
  r.inverse = 1.0f / r.scale;
  r.zero = floorf (-r.min * r.inverse + 0.5f);
  return r;
}

static inline float
quantize (const Range *r, float x)
{
  const float below = x > r->max ? r->max : x;
  const float clamped = below < r->min ? r->min : below;
  return floorf ((clamped - r->min) * r->inverse - r->zero + 0.5f) * r->scale;
}

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  gint64 bits = sluice_node_get_int (node, "num_bits");
  if (bits < 2 || bits > 16)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "num_bits is %" G_GINT64_FORMAT ", but must be from 2 to 16", bits);
      return NULL;
    }
  Steps steps = { .lowest = sluice_node_get_bool (node, "narrow_range") ? 1 : 0,
                  .highest = (1 << bits) - 1 };
  if (sluice_op_find_attr (node->op, "min") != NULL)
    {
      steps.min = sluice_node_get_float (node, "min");
      steps.max = sluice_node_get_float (node, "max");
      if (!(steps.min < steps.max))
        {
          sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "min %g must be less than max %g", steps.min, steps.max);
          return NULL;
        }
    }
  return g_memdup2 (&steps, sizeof steps);
}

/* ---- one pass over [rows, depth] elements ---- */

typedef struct
{
  const Range *ranges; /* [depth] */
  gint64 depth, chunk; /* rows in a chunk */
  const float *x, *dy; /* dy NULL: forward */
  float *out;
  double *sums; /* [chunks, 2, depth]: dy below and above the range; NULL where nobody asks */
} Pass;

#define CHUNK_ELEMENTS 16384

static void
forward_rows (gpointer data, gint64 begin, gint64 end)
{
  const Pass *p = data;
  for (gint64 r = begin; r < end; r++)
    for (gint64 c = 0; c < p->depth; c++)
      {
        gint64 i = r * p->depth + c;
        p->out[i] = p->ranges[c].is_empty ? 0 : quantize (&p->ranges[c], p->x[i]);
      }
}

static void
backward_rows (gpointer data, gint64 begin, gint64 end)
{
  const Pass *p = data;
  double *sums = p->sums ? p->sums + begin / p->chunk * 2 * p->depth : NULL;
  for (gint64 r = begin; r < end; r++)
    for (gint64 c = 0; c < p->depth; c++)
      {
        const Range *range = &p->ranges[c];
        gint64 i = r * p->depth + c;
        gboolean below = !range->is_empty && p->x[i] < range->min;
        gboolean above = !range->is_empty && p->x[i] > range->max;
        gboolean within = range->is_empty || (p->x[i] >= range->min && p->x[i] <= range->max);
        p->out[i] = p->dy[i] * (within ? 1.0f : 0.0f);
        if (sums != NULL && below)
          sums[c] += p->dy[i];
        if (sums != NULL && above)
          sums[p->depth + c] += p->dy[i];
      }
}

/* The ranges: of the attributes, or of inputs `first` and first + 1, one a channel where those are
 * vectors. */
static Range *
read_ranges (SluiceKernelCall *call, guint first, gboolean per_channel, gint64 *depth)
{
  const Steps *steps = call->state;
  const SluiceTensor *x = sluice_call_input (call, first - 1);
  *depth = 1;
  if (call->n_inputs <= first)
    {
      Range range = nudge (steps, steps->min, steps->max);
      return g_memdup2 (&range, sizeof range);
    }
  if (per_channel)
    {
      if (x->shape.rank < 1)
        {
          sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                            "input %u must have channels, but is a scalar", first - 1);
          return NULL;
        }
      *depth = x->shape.dim[x->shape.rank - 1];
    }
  for (guint i = first; i < first + 2; i++)
    {
      if (!sluice_call_want_rank (call, i, per_channel ? 1 : 0))
        return NULL;
      if (sluice_call_input (call, i)->n_elements != *depth)
        {
          sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                            "input %u has %" G_GINT64_FORMAT
                            " elements, but there are %" G_GINT64_FORMAT " channels",
                            i, sluice_call_input (call, i)->n_elements, *depth);
          return NULL;
        }
    }
  const float *min = sluice_call_input (call, first)->data;
  const float *max = sluice_call_input (call, first + 1)->data;
  Range *ranges = g_new (Range, MAX (1, *depth));
  for (gint64 c = 0; c < *depth; c++)
    ranges[c] = nudge (steps, min[c], max[c]);
  return ranges;
}

static gboolean
is_per_channel (SluiceKernelCall *call)
{
  return GPOINTER_TO_INT (call->kernel->data);
}

static gboolean
forward_compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  gint64 depth;
  g_autofree Range *ranges = read_ranges (call, 1, is_per_channel (call), &depth);
  SluiceTensor *out = ranges ? sluice_call_reuse (call, 0, 0, &x->shape) : NULL;
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  Pass pass = { .ranges = ranges, .depth = depth, .x = x->data, .out = out->data };
  return sluice_call_parallel_for (call, out->n_elements / depth, MAX (1, CHUNK_ELEMENTS / depth),
                                   2.0 * depth, forward_rows, &pass);
}

/* Adds the sums of the chunks up, in their order, into outputs 1 and 2. */
static void
add_sums (SluiceKernelCall *call, const Pass *p, gint64 n_chunks)
{
  for (int side = 0; side < 2; side++)
    {
      float *out = call->outputs[1 + side].tensor->data;
      for (gint64 c = 0; c < p->depth; c++)
        {
          double sum = 0;
          for (gint64 k = 0; k < n_chunks; k++)
            sum += p->sums[(2 * k + side) * p->depth + c];
          out[c] = (float) sum;
        }
    }
}

static gboolean
backward_compute (SluiceKernelCall *call)
{
  const SluiceTensor *dy = sluice_call_input (call, 0), *x = sluice_call_input (call, 1);
  char text[2][SLUICE_SHAPE_STR];
  if (!sluice_shape_equal (&dy->shape, &x->shape))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "gradients of shape %s do not fit inputs of shape %s",
        sluice_shape_str (&dy->shape, text[0]), sluice_shape_str (&x->shape, text[1]));
  gint64 depth;
  g_autofree Range *ranges = read_ranges (call, 2, is_per_channel (call), &depth);
  SluiceTensor *out = ranges ? sluice_call_output (call, 0, &x->shape) : NULL;
  for (guint i = 1; out != NULL && i < call->n_outputs; i++)
    if (sluice_call_output (call, i, &sluice_call_input (call, i + 1)->shape) == NULL)
      return FALSE;
  if (out == NULL)
    return FALSE;
  Pass pass = { .ranges = ranges, .depth = depth, .x = x->data, .dy = dy->data, .out = out->data };
  pass.chunk = MAX (1, CHUNK_ELEMENTS / MAX (1, depth));
  gint64 n_rows = depth > 0 ? out->n_elements / depth : 0;
  gint64 n_chunks = (n_rows + pass.chunk - 1) / pass.chunk;
  g_autoptr (SluiceTensor) sums = NULL;
  if (call->n_outputs > 1)
    {
      sums = sluice_call_scratch (call, SLUICE_DOUBLE, &SLUICE_SHAPE (n_chunks, 2, depth));
      if (sums == NULL)
        return FALSE;
      memset (sums->data, 0, sluice_tensor_bytes (sums));
      pass.sums = sums->data;
    }
  if (n_rows > 0
      && !sluice_call_parallel_for (call, n_rows, pass.chunk, 1.5 * depth, backward_rows, &pass))
    return FALSE;
  if (call->n_outputs > 1)
    add_sums (call, &pass, n_chunks);
  return TRUE;
}

#define KERNEL(name_end, function, per_channel)                                                    \
  {                                                                                                \
    .op = "FakeQuantWithMinMax" name_end, .device = "CPU", .prepare = prepare,                     \
    .free_state = g_free, .compute = function, .data = GINT_TO_POINTER (per_channel)               \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("Args", forward_compute, FALSE),
  KERNEL ("ArgsGradient", backward_compute, FALSE),
  KERNEL ("Vars", forward_compute, FALSE),
  KERNEL ("VarsGradient", backward_compute, FALSE),
  KERNEL ("VarsPerChannel", forward_compute, TRUE),
  KERNEL ("VarsPerChannelGradient", backward_compute, TRUE),
};

const SluiceKernelModule sluice_module_array_fake_quant_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
