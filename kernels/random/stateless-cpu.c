/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/random/generator.h"
#include "kernels/random/laws.h"

/* Bounds, where the law has them, are inputs `next` and the one behind it. Without elements nothing
 * is drawn and they are not looked at, as TensorFlow has it. */
static gboolean
draw (SluiceKernelCall *call, const SluicePhilox *start, guint next, SluiceTensor *out)
{
  SluiceLaw law = sluice_call_get_law (call);
  SluiceBounds bounds = { 0, 0 };
  return (law != SLUICE_LAW_BOUNDED || sluice_call_read_bounds (call, next, &bounds))
         && sluice_call_fill_random (call, law, &bounds, start, out);
}

static gboolean
seeded_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  SluicePhilox start;
  if (!sluice_call_shape (call, 0, &shape) || !sluice_call_stateless_random (call, 1, &start))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  return draw (call, &start, 2, out);
}

static gboolean
keyed_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  SluicePhilox start;
  gint64 algorithm;
  if (!sluice_call_keyed_random (call, 1, &start, &algorithm)
      || !sluice_call_shape (call, 0, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  return sluice_call_want_philox (call, algorithm) && draw (call, &start, 4, out);
}

#define KERNEL(name, types, law, function)                                                         \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "dtype", types } }, .compute = function,             \
    .data = SLUICE_LAW_DATA (law)                                                                  \
  }
#define BOTH(name, types, law)                                                                     \
  KERNEL (name, types, law, seeded_compute), KERNEL (name "V2", types, law, keyed_compute)

static const SluiceKernel kernels[] = {
  BOTH ("StatelessRandomUniform", SLUICE_SET_FLOATS, SLUICE_LAW_UNIFORM),
  BOTH ("StatelessRandomNormal", SLUICE_SET_FLOATS, SLUICE_LAW_NORMAL),
  BOTH ("StatelessTruncatedNormal", SLUICE_SET_FLOATS, SLUICE_LAW_TRUNCATED),
  BOTH ("StatelessRandomUniformInt", SLUICE_SET_INDEX, SLUICE_LAW_BOUNDED),
  BOTH ("StatelessRandomUniformFullInt", SLUICE_LAW_FULL_TYPES, SLUICE_LAW_FULL),
};

const SluiceKernelModule sluice_module_random_stateless_cpu = { .kernels = kernels,
                                                                .n_kernels =
                                                                    G_N_ELEMENTS (kernels) };
