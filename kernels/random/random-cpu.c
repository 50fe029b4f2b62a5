/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "kernels/random/philox.h"
#include "kernels/typed.h"

/* TensorFlow reserves this many groups of words for each output, used or not. */
#define RESERVED_PER_OUTPUT 256
#define MAX_GROUP           4

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

/* ---- words to numbers in [0, 1): the low bits as mantissa of a number in [1, 2), less one ---- */

static inline float
unit_float (guint32 word)
{
  guint32 bits = 127u << 23 | (word & 0x7fffff);
  float value;
  memcpy (&value, &bits, sizeof value);
  return value - 1.0f;
}

static inline double
unit_double (guint32 high, guint32 low)
{
  guint64 bits = (guint64) 1023 << 52 | (guint64) (high & 0xfffff) << 32 | low;
  double value;
  memcpy (&value, &bits, sizeof value);
  return value - 1.0;
}

static void
uniform_float (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((float *) out)[i] = unit_float (words[i]);
}

static void
uniform_double (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 2; i++)
    ((double *) out)[i] = unit_double (words[2 * i], words[2 * i + 1]);
}

static void
uniform_half (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    {
      float value = sluice_half_to_float ((guint16) (15 << 10 | (words[i] & 0x3ff)));
      ((guint16 *) out)[i] = sluice_float_to_half (value - 1.0f);
    }
}

static void
uniform_bfloat16 (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    {
      float value = sluice_bfloat16_to_float ((guint16) (127 << 7 | (words[i] & 0x7f)));
      ((guint16 *) out)[i] = sluice_float_to_bfloat16 (value - 1.0f);
    }
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

/* ---- normal laws: Box and Muller, sine first ---- */

static void
pair_float (guint32 x0, guint32 x1, float out[2])
{
  float u1 = fmaxf (unit_float (x0), 1.0e-7f);
  float angle = (float) (2.0 * G_PI * unit_float (x1));
  float radius = sqrtf (-2.0f * logf (u1));
  out[0] = sinf (angle) * radius;
  out[1] = cosf (angle) * radius;
}

static void
pair_double (const guint32 words[4], double out[2])
{
  double u1 = fmax (unit_double (words[0], words[1]), 1.0e-7);
  double angle = 2.0 * G_PI * unit_double (words[2], words[3]);
  double radius = sqrt (-2.0 * log (u1));
  out[0] = sin (angle) * radius;
  out[1] = cos (angle) * radius;
}

static void
normal_float (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  pair_float (words[0], words[1], out);
  pair_float (words[2], words[3], (float *) out + 2);
}

static void
normal_double (SluicePhilox *philox, const Bounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  pair_double (words, out);
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
          pair_float (words[pair], words[pair + 1], two);
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
      pair_double (words, two);
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
  SluicePhilox start; /* of a generator that the session does not hold yet, where seeds are given */
  gboolean seeded;
  guint64 name_hash;
} RandomState;

static gpointer
random_prepare (const SluiceNode *node, GError **error)
{
  RandomState *state = g_new0 (RandomState, 1);
  guint64 seed = (guint64) sluice_node_get_int (node, "seed");
  guint64 seed2 = (guint64) sluice_node_get_int (node, "seed2");
  state->seeded = seed != 0 || seed2 != 0;
  state->start = sluice_philox_seeded (seed, seed2);
  state->name_hash = 14695981039346656037u; /* FNV-1a, 64 bits */
  for (const char *c = node->name; *c; c++)
    state->name_hash = (state->name_hash ^ (guint8) *c) * 1099511628211u;
  return state;
}

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

/* Input 0 is a vector of sizes. */
static gboolean
read_shape (SluiceKernelCall *call, SluiceShape *shape)
{
  SluiceTensor *sizes = sluice_call_input (call, 0);
  gint64 dims[SLUICE_MAX_RANK];
  if (!sluice_call_want_rank (call, 0, 1))
    return FALSE;
  if (sizes->n_elements > SLUICE_MAX_RANK)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a shape of rank %" G_GINT64_FORMAT " is over the limit of %d",
                             sizes->n_elements, SLUICE_MAX_RANK);
  for (gint64 i = 0; i < sizes->n_elements; i++)
    {
      dims[i] = sluice_tensor_get_int (sizes, i);
      if (dims[i] < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %" G_GINT64_FORMAT " of the shape is %" G_GINT64_FORMAT
                                 "; it must not be negative",
                                 i, dims[i]);
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, sizes->n_elements, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

static gboolean
draw (SluiceKernelCall *call, const Bounds *bounds)
{
  const RandomState *state = call->state;
  const Law *law = call->kernel->data;
  SluiceShape shape;
  if (!read_shape (call, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  SluicePhilox start = state->start;
  if (!state->seeded)
    start = sluice_philox_seeded (call->run_seed ^ state->name_hash, state->name_hash);
  SluiceRandomState *random =
      sluice_random_state_get (call->resources, call->node->name, &start, &call->error);
  if (random == NULL)
    return FALSE;
  Fill fill = { .law = law,
                .bounds = *bounds,
                .out = out->data,
                .n = out->n_elements,
                .size = sluice_dtype_size (out->dtype) };
  fill.philox =
      sluice_random_state_reserve (random, (guint64) out->n_elements * RESERVED_PER_OUTPUT);
  sluice_resource_unref (&random->parent);
  gint64 n_groups = (out->n_elements + law->group - 1) / law->group;
  return sluice_call_parallel_for (call, n_groups, 1024, law->skip > 1 ? 150 : 30, fill_groups,
                                   &fill);
}

static gboolean
random_compute (SluiceKernelCall *call)
{
  return draw (call, &(Bounds){ 0, 0 });
}

static gboolean
random_int_compute (SluiceKernelCall *call)
{
  if (!sluice_call_want_scalar (call, 1) || !sluice_call_want_scalar (call, 2))
    return FALSE;
  gint64 low = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  gint64 high = sluice_tensor_get_int (sluice_call_input (call, 2), 0);
  if (low >= high)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "minval %" G_GINT64_FORMAT " must be below maxval %" G_GINT64_FORMAT,
                             low, high);
  return draw (call, &(Bounds){ (guint64) low, (guint64) high - (guint64) low });
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
LAW (truncated_float_law, 4, 4 * RESERVED_PER_OUTPUT / 4, truncated_float);
LAW (truncated_double_law, 2, 2 * RESERVED_PER_OUTPUT / 4, truncated_double);
LAW (truncated_half_law, 4, 4 * RESERVED_PER_OUTPUT / 4, truncated_half);
LAW (truncated_bfloat16_law, 4, 4 * RESERVED_PER_OUTPUT / 4, truncated_bfloat16);

#define KERNEL(name, attr, type, law, function)                                                    \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { attr, SLUICE_SET (type) } },                         \
    .prepare = random_prepare, .free_state = g_free, .compute = function, .data = (gpointer) &law  \
  }
#define FLOATS(name, law)                                                                          \
  KERNEL (name, "dtype", SLUICE_FLOAT, law##_float_law, random_compute),                           \
      KERNEL (name, "dtype", SLUICE_DOUBLE, law##_double_law, random_compute),                     \
      KERNEL (name, "dtype", SLUICE_HALF, law##_half_law, random_compute),                         \
      KERNEL (name, "dtype", SLUICE_BFLOAT16, law##_bfloat16_law, random_compute)

static const SluiceKernel kernels[] = {
  FLOATS ("RandomUniform", uniform),
  FLOATS ("RandomStandardNormal", normal),
  FLOATS ("TruncatedNormal", truncated),
  KERNEL ("RandomUniformInt", "Tout", SLUICE_INT32, uniform_int32_law, random_int_compute),
  KERNEL ("RandomUniformInt", "Tout", SLUICE_INT64, uniform_int64_law, random_int_compute),
};

const SluiceKernelModule sluice_module_random_random_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
