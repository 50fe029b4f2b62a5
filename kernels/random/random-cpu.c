/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Random numbers by seeds that are attributes: the stream goes on from run to run. */
#include "kernels/array/array.h"
#include "kernels/random/generator.h"
#include "kernels/random/laws.h"

/* Without elements nothing is drawn and the bounds are not looked at, as TensorFlow has it. */
static gboolean
draw (SluiceKernelCall *call, SluiceTensor *out, const SluiceBounds *bounds)
{
  SluicePhilox start;
  return sluice_call_reserve_random (call, (guint64) out->n_elements * SLUICE_RESERVED_PER_OUTPUT,
                                     &start)
         && sluice_call_fill_random (call, sluice_call_get_law (call), bounds, &start, out);
}

static gboolean
random_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  SluiceTensor *out =
      sluice_call_shape (call, 0, &shape) ? sluice_call_output (call, 0, &shape) : NULL;
  return out && draw (call, out, NULL);
}

static gboolean
random_int_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  SluiceBounds bounds = { 0, 0 };
  if (!sluice_call_shape (call, 0, &shape) || !sluice_call_want_scalar (call, 1)
      || !sluice_call_want_scalar (call, 2))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  return sluice_call_read_bounds (call, 1, &bounds) && draw (call, out, &bounds);
}

#define DRAW(name, attr, types, law, function)                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { attr, types } }, .prepare = sluice_random_prepare,   \
    .free_state = g_free, .compute = function, .data = SLUICE_LAW_DATA (law)                       \
  }

static const SluiceKernel kernels[] = {
  DRAW ("RandomUniform", "dtype", SLUICE_SET_FLOATS, SLUICE_LAW_UNIFORM, random_compute),
  DRAW ("RandomStandardNormal", "dtype", SLUICE_SET_FLOATS, SLUICE_LAW_NORMAL, random_compute),
  DRAW ("TruncatedNormal", "dtype", SLUICE_SET_FLOATS, SLUICE_LAW_TRUNCATED, random_compute),
  DRAW ("RandomUniformInt", "Tout", SLUICE_SET_INDEX, SLUICE_LAW_BOUNDED, random_int_compute),
};

const SluiceKernelModule sluice_module_random_random_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
