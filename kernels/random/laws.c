/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/random/laws.h"

#include "kernels/random/draws.h"
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

/* ---- tables ---- */

#define REJECTING(group) ((group) *SLUICE_RESERVED_PER_OUTPUT / 4)

static const Law laws[SLUICE_N_LAWS][SLUICE_N_DTYPES] = {
  [SLUICE_LAW_UNIFORM] = { [SLUICE_HALF] = { 4, 1, sluice_draw_uniform_half },
                           [SLUICE_BFLOAT16] = { 4, 1, sluice_draw_uniform_bfloat16 },
                           [SLUICE_FLOAT] = { 4, 1, sluice_draw_uniform_float },
                           [SLUICE_DOUBLE] = { 2, 1, sluice_draw_uniform_double } },
  [SLUICE_LAW_NORMAL] = { [SLUICE_HALF] = { 4, 1, sluice_draw_normal_half },
                          [SLUICE_BFLOAT16] = { 4, 1, sluice_draw_normal_bfloat16 },
                          [SLUICE_FLOAT] = { 4, 1, sluice_draw_normal_float },
                          [SLUICE_DOUBLE] = { 2, 1, sluice_draw_normal_double } },
  [SLUICE_LAW_TRUNCATED] = { [SLUICE_HALF] = { 4, REJECTING (4), sluice_draw_truncated_half },
                             [SLUICE_BFLOAT16] = { 4, REJECTING (4),
                                                   sluice_draw_truncated_bfloat16 },
                             [SLUICE_FLOAT] = { 4, REJECTING (4), sluice_draw_truncated_float },
                             [SLUICE_DOUBLE] = { 2, REJECTING (2), sluice_draw_truncated_double } },
  [SLUICE_LAW_BOUNDED] = { [SLUICE_INT32] = { 4, 1, sluice_draw_uniform_int32 },
                           [SLUICE_INT64] = { 2, 1, sluice_draw_uniform_int64 } },
  [SLUICE_LAW_FULL] = { [SLUICE_INT32] = { 4, 1, sluice_draw_full_32 },
                        [SLUICE_UINT32] = { 4, 1, sluice_draw_full_32 },
                        [SLUICE_INT64] = { 2, 1, sluice_draw_full_64 },
                        [SLUICE_UINT64] = { 2, 1, sluice_draw_full_64 } },
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
