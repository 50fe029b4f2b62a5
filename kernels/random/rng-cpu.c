/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/random/generator.h"
#include "kernels/random/laws.h"
#include "kernels/random/variable.h"

/* Draws into a tensor of the shape at input `i`. */
static gboolean
draw (SluiceKernelCall *call, guint i, SluiceRandomVariable *generator, const SluiceBounds *bounds)
{
  SluiceShape shape;
  SluicePhilox start;
  SluiceTensor *out =
      sluice_call_shape (call, i, &shape) ? sluice_call_output (call, 0, &shape) : NULL;
  if (out == NULL)
    return FALSE;
  generator->n_groups = (guint64) out->n_elements * SLUICE_RESERVED_PER_OUTPUT;
  return sluice_call_random_variable (call, generator, &start)
         && sluice_call_fill_random (call, sluice_call_get_law (call), bounds, &start, out);
}

static gboolean
draw_compute (SluiceKernelCall *call)
{
  SluiceRandomVariable generator = { .knows_all = TRUE };
  SluiceBounds bounds = { 0, 0 };
  if (!sluice_call_want_scalar (call, 1))
    return FALSE;
  if (sluice_call_get_law (call) == SLUICE_LAW_BOUNDED
      && !sluice_call_read_bounds (call, 3, &bounds))
    return FALSE;
  generator.algorithm = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  return draw (call, 2, &generator, &bounds);
}

static gboolean
old_draw_compute (SluiceKernelCall *call)
{
  return draw (call, 1, &(SluiceRandomVariable){ .has_algorithm = TRUE, .knows_all = TRUE }, NULL);
}

/* RngSkip and RngReadAndSkip, whose output is what the generator was. */
static gboolean
skip_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_scalar (call, 1) || !sluice_call_want_scalar (call, 2))
    return FALSE;
  gboolean reads = call->n_outputs > 0;
  guint64 delta = *(const guint64 *) sluice_call_input (call, 2)->data;
  SluiceRandomVariable generator = {
    .algorithm = sluice_tensor_get_int (sluice_call_input (call, 1), 0),
    .n_groups = delta * SLUICE_RESERVED_PER_OUTPUT,
    .knows_all = TRUE,
  };
  SluicePhilox start;
  SluiceTensor *out = reads ? sluice_call_output (call, 0, &SLUICE_SHAPE (3)) : NULL;
  if ((reads && out == NULL) || !sluice_call_random_variable (call, &generator, &start))
    return FALSE;
  if (reads)
    sluice_philox_write (&start, out->data, (guint64 *) out->data + SLUICE_RANDOM_COUNTER_SIZE);
  return TRUE;
}

/* TensorFlow asks the machine for them; here the run's seed decides, as for other nodes without
 * seeds. */
static gboolean
seedless_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  SluicePhilox start;
  SluiceTensor *out =
      sluice_call_shape (call, 0, &shape) ? sluice_call_output (call, 0, &shape) : NULL;
  return out
         && sluice_call_reserve_random (
             call, (guint64) out->n_elements * SLUICE_RESERVED_PER_OUTPUT, &start)
         && sluice_call_fill_random (call, SLUICE_LAW_FULL, NULL, &start, out);
}

#define DRAW(name, types, law, function)                                                           \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "dtype", types } }, .compute = function,             \
    .data = SLUICE_LAW_DATA (law)                                                                  \
  }
#define SKIP(name)                                                                                 \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_CHEAP, .compute = skip_compute             \
  }

static const SluiceKernel kernels[] = {
  DRAW ("StatefulUniform", SLUICE_SET_FLOATS, SLUICE_LAW_UNIFORM, draw_compute),
  DRAW ("StatefulStandardNormalV2", SLUICE_SET_FLOATS, SLUICE_LAW_NORMAL, draw_compute),
  DRAW ("StatefulTruncatedNormal", SLUICE_SET_FLOATS, SLUICE_LAW_TRUNCATED, draw_compute),
  DRAW ("StatefulUniformInt", SLUICE_SET_INDEX, SLUICE_LAW_BOUNDED, draw_compute),
  DRAW ("StatefulUniformFullInt", SLUICE_LAW_FULL_TYPES, SLUICE_LAW_FULL, draw_compute),
  DRAW ("StatefulStandardNormal", SLUICE_SET_FLOATS, SLUICE_LAW_NORMAL, old_draw_compute),
  SKIP ("RngReadAndSkip"),
  SKIP ("RngSkip"),
  { .op = "NonDeterministicInts",
    .device = "CPU",
    .where = { { "dtype", SLUICE_LAW_FULL_TYPES } },
    .prepare = sluice_random_seedless_prepare,
    .free_state = g_free,
    .compute = seedless_compute },
};

const SluiceKernelModule sluice_module_random_rng_cpu = { .kernels = kernels,
                                                          .n_kernels = G_N_ELEMENTS (kernels) };
