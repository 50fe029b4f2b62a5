/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/random/laws.h"

#include "kernels/random/generator.h"
#include "kernels/typed.h"

#define MAX_GROUP 4

/* Draws its outputs in groups; each group starts at a place of the stream that depends on its
 * number only, so the result does not depend on how the work is cut. */
typedef struct
{
  guint group; /* outputs a group */
  guint skip;  /* groups of words between the starts of two groups of outputs */
  void (*draw) (SluicePhilox *philox, const SluiceBounds *bounds, void *out);
} Law;

static void
uniform_float (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((float *) out)[i] = sluice_unit_float (words[i]);
}

static void
uniform_double (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 2; i++)
    ((double *) out)[i] = sluice_unit_double (words[2 * i], words[2 * i + 1]);
}

static void
uniform_half (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_float_to_half (sluice_unit_half (words[i]));
}

static void
uniform_bfloat16 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_float_to_bfloat16 (sluice_unit_bfloat16 (words[i]));
}

static void
uniform_int32 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((guint32 *) out)[i] = (guint32) bounds->low + words[i] % (guint32) bounds->range;
}

static void
uniform_int64 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 2; i++)
    {
      guint64 bits = words[2 * i] | (guint64) words[2 * i + 1] << 32;
      ((guint64 *) out)[i] = bounds->low + bits % bounds->range;
    }
}

static void
full_32 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  sluice_philox_next (philox, out);
}

static void
full_64 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 2; i++)
    ((guint64 *) out)[i] = words[2 * i] | (guint64) words[2 * i + 1] << 32;
}

/* ---- normal laws ---- */

static void
normal_float (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  sluice_normal_pair_float (words[0], words[1], out);
  sluice_normal_pair_float (words[2], words[3], (float *) out + 2);
}

static void
normal_double (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  sluice_normal_pair_double (words, out);
}

static void
normal_half (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  float wide[4];
  normal_float (philox, bounds, wide);
  sluice_narrow (SLUICE_HALF, wide, out, 4);
}

static void
normal_bfloat16 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  float wide[4];
  normal_float (philox, bounds, wide);
  sluice_narrow (SLUICE_BFLOAT16, wide, out, 4);
}

/* Pairs are drawn until the group is full of numbers below 2; 256 reserved groups of words suffice
 * for any stream there is (the chance that they do not is below 10^-300). */
static void
truncated_float (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
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
truncated_double (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
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
truncated_half (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  float wide[4];
  truncated_float (philox, bounds, wide);
  sluice_narrow (SLUICE_HALF, wide, out, 4);
}

static void
truncated_bfloat16 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  float wide[4];
  truncated_float (philox, bounds, wide);
  sluice_narrow (SLUICE_BFLOAT16, wide, out, 4);
}

/* ---- tables ---- */

#define REJECTING(group) ((group) *SLUICE_RESERVED_PER_OUTPUT / 4)

static const Law laws[SLUICE_N_LAWS][SLUICE_N_DTYPES] = {
  [SLUICE_LAW_UNIFORM] = { [SLUICE_HALF] = { 4, 1, uniform_half },
                           [SLUICE_BFLOAT16] = { 4, 1, uniform_bfloat16 },
                           [SLUICE_FLOAT] = { 4, 1, uniform_float },
                           [SLUICE_DOUBLE] = { 2, 1, uniform_double } },
  [SLUICE_LAW_NORMAL] = { [SLUICE_HALF] = { 4, 1, normal_half },
                          [SLUICE_BFLOAT16] = { 4, 1, normal_bfloat16 },
                          [SLUICE_FLOAT] = { 4, 1, normal_float },
                          [SLUICE_DOUBLE] = { 2, 1, normal_double } },
  [SLUICE_LAW_TRUNCATED] = { [SLUICE_HALF] = { 4, REJECTING (4), truncated_half },
                             [SLUICE_BFLOAT16] = { 4, REJECTING (4), truncated_bfloat16 },
                             [SLUICE_FLOAT] = { 4, REJECTING (4), truncated_float },
                             [SLUICE_DOUBLE] = { 2, REJECTING (2), truncated_double } },
  [SLUICE_LAW_BOUNDED] = { [SLUICE_INT32] = { 4, 1, uniform_int32 },
                           [SLUICE_INT64] = { 2, 1, uniform_int64 } },
  [SLUICE_LAW_FULL] = { [SLUICE_INT32] = { 4, 1, full_32 },
                        [SLUICE_UINT32] = { 4, 1, full_32 },
                        [SLUICE_INT64] = { 2, 1, full_64 },
                        [SLUICE_UINT64] = { 2, 1, full_64 } },
};

typedef struct
{
  const Law *law;
  SluicePhilox philox;
  SluiceBounds bounds;
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

gboolean
sluice_call_fill_random (SluiceKernelCall *call,
                         SluiceLaw law,
                         const SluiceBounds *bounds,
                         const SluicePhilox *start,
                         SluiceTensor *out)
{
  Fill fill = { .law = &laws[law][out->dtype],
                .philox = *start,
                .bounds = bounds ? *bounds : (SluiceBounds){ 0, 0 },
                .out = out->data,
                .n = out->n_elements,
                .size = sluice_dtype_size (out->dtype) };
  g_assert (fill.law->draw != NULL);
  gint64 n_groups = (fill.n + fill.law->group - 1) / fill.law->group;
  return sluice_call_parallel_for (call, n_groups, 1024, fill.law->skip > 1 ? 150 : 30, fill_groups,
                                   &fill);
}

gboolean
sluice_call_read_bounds (SluiceKernelCall *call, guint i, SluiceBounds *bounds)
{
  if (!sluice_call_want_scalar (call, i) || !sluice_call_want_scalar (call, i + 1))
    return FALSE;
  gint64 low = sluice_tensor_get_int (sluice_call_input (call, i), 0);
  gint64 high = sluice_tensor_get_int (sluice_call_input (call, i + 1), 0);
  if (low >= high)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "minval %" G_GINT64_FORMAT " must be below maxval %" G_GINT64_FORMAT,
                             low, high);
  *bounds = (SluiceBounds){ (guint64) low, (guint64) high - (guint64) low };
  return TRUE;
}
