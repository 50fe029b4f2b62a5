/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/random/generator.h"
#include "kernels/typed.h"

#define MAX_GROUP 4

/* [low, low + range) of the integer laws. */
typedef struct
{
  guint64 low, range;
} Bounds;

/* A law draws its outputs in groups; each group starts at a place of the stream that depends on its
 * number only, so the result does not depend on how the work is cut. */
typedef struct
{
  guint group; /* outputs a group */
  guint skip;  /* groups of words between the starts of two groups of outputs */
  void (*draw) (SluicePhilox *philox, const Bounds *bounds, void *out);
} Law;

static void
uniform_float (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((float *) out)[i] = sluice_unit_float (words[i]);
}

static void
uniform_double (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 2; i++)
    ((double *) out)[i] = sluice_unit_double (words[2 * i], words[2 * i + 1]);
}

static void
uniform_half (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_float_to_half (sluice_unit_half (words[i]));
}

static void
uniform_bfloat16 (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_float_to_bfloat16 (sluice_unit_bfloat16 (words[i]));
}

static void
uniform_int32 (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((guint32 *) out)[i] = (guint32) bounds->low + words[i] % (guint32) bounds->range;
}

static void
uniform_int64 (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 2; i++)
    {
      guint64 bits = words[2 * i] | (guint64) words[2 * i + 1] << 32;
      ((guint64 *) out)[i] = bounds->low + bits % bounds->range;
    }
}

/* ---- normal laws ---- */

static void
normal_float (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  sluice_normal_pair_float (words[0], words[1], out);
  sluice_normal_pair_float (words[2], words[3], (float *) out + 2);
}

static void
normal_double (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  sluice_normal_pair_double (words, out);
}

static void
normal_half (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  float wide[4];
  normal_float (philox, bounds, wide);
  sluice_narrow (SLUICE_HALF, wide, out, 4);
}

static void
normal_bfloat16 (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  float wide[4];
  normal_float (philox, bounds, wide);
  sluice_narrow (SLUICE_BFLOAT16, wide, out, 4);
}

/* Pairs are drawn until the group is full of numbers below 2; 256 reserved groups of words suffice
 * for any stream there is (the chance that they do not is below 10^-300). */
static void
truncated_float (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  float *next = out, *end = next + 4;
  while (next < end)
    {
      guint32 words[4];
      sluice_philox_next (philox, words);
      for (int pair = 0; pair < 4 && next < end; pair += 2)
        {
          float two[2];
          sluice_normal_pair_float (words[pair], words[pair + 1], two);
          for (int i = 0; i < 2 && next < end; i++)
            if (fabsf (two[i]) < 2.0f)
              *next++ = two[i];
        }
    }
}

static void
truncated_double (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  double *next = out, *end = next + 2;
  while (next < end)
    {
      guint32 words[4];
      double two[2];
      sluice_philox_next (philox, words);
      sluice_normal_pair_double (words, two);
      for (int i = 0; i < 2 && next < end; i++)
        if (fabs (two[i]) < 2.0)
          *next++ = two[i];
    }
}

static void
truncated_half (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  float wide[4];
  truncated_float (philox, bounds, wide);
  sluice_narrow (SLUICE_HALF, wide, out, 4);
}

static void
truncated_bfloat16 (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  float wide[4];
  truncated_float (philox, bounds, wide);
  sluice_narrow (SLUICE_BFLOAT16, wide, out, 4);
}

/* ---- kernels ---- */

typedef struct
{
  const Law *law;
  SluicePhilox philox;
  Bounds bounds;
  char *out;
  gint64 n;
  gsize size;
} Fill;

static void
fill_groups (gpointer data, gint64 begin, gint64 end)
{
  const Fill *fill = data;
  guint group = fill->law->group;
  SluicePhilox philox = fill->philox;
  sluice_philox_skip (&philox, (guint64) begin * fill->law->skip);
  for (gint64 g = begin; g < end; g++)
    {
      SluicePhilox stream = philox;
      gint64 rest = fill->n - g * group;
      char *out = fill->out + g * group * fill->size;
      if (rest >= group)
        fill->law->draw (&stream, &fill->bounds, out);
      else
        {
          guint64 last[MAX_GROUP];
          fill->law->draw (&stream, &fill->bounds, last);
          memcpy (out, last, rest * fill->size);
        }
      sluice_philox_skip (&philox, fill->law->skip);
    }
}

static gboolean
fill (SluiceKernelCall *call, SluiceTensor *out, const SluicePhilox *start, const Bounds *bounds)
{
  const Law *law = call->kernel->data;
  Fill fill = { .law = law,
                .philox = *start,
                .bounds = *bounds,
                .out = out->data,
                .n = out->n_elements,
                .size = sluice_dtype_size (out->dtype) };
  gint64 n_groups = (out->n_elements + law->group - 1) / law->group;
  return sluice_call_parallel_for (call, n_groups, 1024, law->skip > 1 ? 150 : 30, fill_groups,
                                   &fill);
}

static gboolean
draw (SluiceKernelCall *call, const Bounds *bounds)
{
  SluiceShape shape;
  if (!sluice_call_shape (call, 0, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  SluicePhilox start;
  return out
         && sluice_call_reserve_random (
             call, (guint64) out->n_elements * SLUICE_RESERVED_PER_OUTPUT, &start)
         && fill (call, out, &start, bounds);
}

static gboolean
draw_stateless (SluiceKernelCall *call, const Bounds *bounds)
{
  SluiceShape shape;
  SluicePhilox start;
  if (!sluice_call_shape (call, 0, &shape) || !sluice_call_stateless_random (call, 1, &start))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  return out && fill (call, out, &start, bounds);
}

static gboolean
random_compute (SluiceKernelCall *call)
{
  return draw (call, &(Bounds){ 0, 0 });
}

static gboolean
stateless_compute (SluiceKernelCall *call)
{
  return draw_stateless (call, &(Bounds){ 0, 0 });
}

/* Reads minval and maxval, inputs i and i + 1. */
static gboolean
read_bounds (SluiceKernelCall *call, guint i, Bounds *bounds)
{
  if (!sluice_call_want_scalar (call, i) || !sluice_call_want_scalar (call, i + 1))
    return FALSE;
  gint64 low = sluice_tensor_get_int (sluice_call_input (call, i), 0);
  gint64 high = sluice_tensor_get_int (sluice_call_input (call, i + 1), 0);
  if (low >= high)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "minval %" G_GINT64_FORMAT " must be below maxval %" G_GINT64_FORMAT,
                             low, high);
  *bounds = (Bounds){ (guint64) low, (guint64) high - (guint64) low };
  return TRUE;
}

static gboolean
random_int_compute (SluiceKernelCall *call)
{
  Bounds bounds = { 0, 0 };
  return read_bounds (call, 1, &bounds) && draw (call, &bounds);
}

static gboolean
stateless_int_compute (SluiceKernelCall *call)
{
  Bounds bounds = { 0, 0 };
  return read_bounds (call, 2, &bounds) && draw_stateless (call, &bounds);
}

#define LAW(id, n, step, function) static const Law id = { n, step, function }
LAW (uniform_float_law, 4, 1, uniform_float);
LAW (uniform_double_law, 2, 1, uniform_double);
LAW (uniform_half_law, 4, 1, uniform_half);
LAW (uniform_bfloat16_law, 4, 1, uniform_bfloat16);
LAW (uniform_int32_law, 4, 1, uniform_int32);
LAW (uniform_int64_law, 2, 1, uniform_int64);
LAW (normal_float_law, 4, 1, normal_float);
LAW (normal_double_law, 2, 1, normal_double);
LAW (normal_half_law, 4, 1, normal_half);
LAW (normal_bfloat16_law, 4, 1, normal_bfloat16);
LAW (truncated_float_law, 4, 4 * SLUICE_RESERVED_PER_OUTPUT / 4, truncated_float);
LAW (truncated_double_law, 2, 2 * SLUICE_RESERVED_PER_OUTPUT / 4, truncated_double);
LAW (truncated_half_law, 4, 4 * SLUICE_RESERVED_PER_OUTPUT / 4, truncated_half);
LAW (truncated_bfloat16_law, 4, 4 * SLUICE_RESERVED_PER_OUTPUT / 4, truncated_bfloat16);

#define STATEFUL(name, attr, type, law, function)                                                  \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { attr, SLUICE_SET (type) } },                         \
    .prepare = sluice_random_prepare, .free_state = g_free, .compute = function,                   \
    .data = (gpointer) &law                                                                        \
  }
#define STATELESS(name, type, law, function)                                                       \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "dtype", SLUICE_SET (type) } }, .compute = function, \
    .data = (gpointer) &law                                                                        \
  }
#define FLOATS(name, stateless_name, law)                                                          \
  STATEFUL (name, "dtype", SLUICE_FLOAT, law##_float_law, random_compute),                         \
      STATEFUL (name, "dtype", SLUICE_DOUBLE, law##_double_law, random_compute),                   \
      STATEFUL (name, "dtype", SLUICE_HALF, law##_half_law, random_compute),                       \
      STATEFUL (name, "dtype", SLUICE_BFLOAT16, law##_bfloat16_law, random_compute),               \
      STATELESS (stateless_name, SLUICE_FLOAT, law##_float_law, stateless_compute),                \
      STATELESS (stateless_name, SLUICE_DOUBLE, law##_double_law, stateless_compute),              \
      STATELESS (stateless_name, SLUICE_HALF, law##_half_law, stateless_compute),                  \
      STATELESS (stateless_name, SLUICE_BFLOAT16, law##_bfloat16_law, stateless_compute)

static const SluiceKernel kernels[] = {
  FLOATS ("RandomUniform", "StatelessRandomUniform", uniform),
  FLOATS ("RandomStandardNormal", "StatelessRandomNormal", normal),
  FLOATS ("TruncatedNormal", "StatelessTruncatedNormal", truncated),
  STATEFUL ("RandomUniformInt", "Tout", SLUICE_INT32, uniform_int32_law, random_int_compute),
  STATEFUL ("RandomUniformInt", "Tout", SLUICE_INT64, uniform_int64_law, random_int_compute),
  STATELESS ("StatelessRandomUniformInt", SLUICE_INT32, uniform_int32_law, stateless_int_compute),
  STATELESS ("StatelessRandomUniformInt", SLUICE_INT64, uniform_int64_law, stateless_int_compute),
};

const SluiceKernelModule sluice_module_random_random_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
