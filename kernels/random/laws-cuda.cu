/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* sluice_call_fill_random() on a CUDA device: a thread draws a group of outputs, whose place in the
 * stream is that of laws.c. */
#include "kernels/cuda/launch.h"

extern "C" {
#include "kernels/random/draws.h"
#include "kernels/random/generator.h"
#include "kernels/random/laws.h"
}

typedef struct
{
  SluicePhilox philox;
  SluiceBounds bounds;
  gint64 n; /* outputs */
  void *out;
} Fill;

/* GROUP outputs of type T at a time; their streams begin SKIP groups of words apart. */
template <typename D, typename T, int GROUP, int SKIP>
static void
launch_draws (const Fill *fill)
{
  Fill f = *fill;
  T *out = (T *) f.out;
  sluice_each ((f.n + GROUP - 1) / GROUP, [=] SLUICE_LAMBDA (gint64 g) {
    SluicePhilox stream = f.philox;
    guint64 drawn[4];
    sluice_philox_skip (&stream, (guint64) g * SKIP);
    D::draw (&stream, &f.bounds, drawn);
    for (int i = 0; i < GROUP && g * GROUP + i < f.n; i++)
      out[g * GROUP + i] = ((const T *) drawn)[i];
  });
}

typedef struct
{
  SluiceLaw law;
  SluiceDType dtype;
  void (*launch) (const Fill *fill);
} Draws;

#define DRAWS(name)                                                                                \
  struct Draw_##name                                                                               \
  {                                                                                                \
    static SLUICE_MEMBER void draw (SluicePhilox *philox, const SluiceBounds *bounds, void *out)   \
    {                                                                                              \
      sluice_draw_##name (philox, bounds, out);                                                    \
    }                                                                                              \
  };
#define REJECTING(group) ((group) *SLUICE_RESERVED_PER_OUTPUT / 4)

/* X (law, dtype, function, type, outputs in a group, groups of words between groups of outputs) */
#define LAWS(X)                                                                                    \
  X (UNIFORM, HALF, uniform_half, guint16, 4, 1)                                                   \
  X (UNIFORM, BFLOAT16, uniform_bfloat16, guint16, 4, 1)                                           \
  X (UNIFORM, FLOAT, uniform_float, float, 4, 1)                                                   \
  X (UNIFORM, DOUBLE, uniform_double, double, 2, 1)                                                \
  X (NORMAL, HALF, normal_half, guint16, 4, 1)                                                     \
  X (NORMAL, BFLOAT16, normal_bfloat16, guint16, 4, 1)                                             \
  X (NORMAL, FLOAT, normal_float, float, 4, 1)                                                     \
  X (NORMAL, DOUBLE, normal_double, double, 2, 1)                                                  \
  X (TRUNCATED, HALF, truncated_half, guint16, 4, REJECTING (4))                                   \
  X (TRUNCATED, BFLOAT16, truncated_bfloat16, guint16, 4, REJECTING (4))                           \
  X (TRUNCATED, FLOAT, truncated_float, float, 4, REJECTING (4))                                   \
  X (TRUNCATED, DOUBLE, truncated_double, double, 2, REJECTING (2))                                \
  X (BOUNDED, INT32, uniform_int32, guint32, 4, 1)                                                 \
  X (BOUNDED, INT64, uniform_int64, guint64, 2, 1)
#define FULL_LAWS(X)                                                                               \
  X (FULL, INT32, full_32, guint32, 4, 1)                                                          \
  X (FULL, INT64, full_64, guint64, 2, 1)
#define MORE_FULL_LAWS(X)                                                                          \
  X (FULL, UINT32, full_32, guint32, 4, 1)                                                         \
  X (FULL, UINT64, full_64, guint64, 2, 1)

#define MAKE_DRAWS(law, dtype, function, T, group, skip) DRAWS (function)
LAWS (MAKE_DRAWS)
FULL_LAWS (MAKE_DRAWS)

#define ENTRY(law, dtype, function, T, group, skip)                                                \
  { SLUICE_LAW_##law, SLUICE_##dtype, launch_draws<Draw_##function, T, group, skip> },
static const Draws draws[] = { LAWS (ENTRY) FULL_LAWS (ENTRY) MORE_FULL_LAWS (ENTRY) };

extern "C" gboolean
sluice_call_fill_random (SluiceKernelCall *call,
                         SluiceLaw law,
                         const SluiceBounds *bounds,
                         const SluicePhilox *start,
                         SluiceTensor *out)
{
  const Draws *entry = draws;
  Fill fill = { .philox = *start, .n = out->n_elements };
  if (bounds != NULL)
    fill.bounds = *bounds;
  while (entry->law != law || (int) entry->dtype != out->dtype)
    entry++;
  if (out->n_elements == 0)
    return TRUE;
  if (!sluice_cuda_begin (call))
    return FALSE;
  fill.out = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (fill.out != NULL)
    entry->launch (&fill);
  return sluice_cuda_end (call);
}
