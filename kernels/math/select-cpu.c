/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise.h"

/* One row of the output; steps are 0 or 1. Elements move as bits, denormals and NaNs unchanged. */
typedef struct
{
  gint64 n;
  gint64 step[3];
} SelectRow;
typedef void (*SelectLoop) (
    const SelectRow *row, const guint8 *condition, const void *t, const void *e, void *out);

typedef struct
{
  guint64 half[2];
} Bits128;

#define SELECT_LOOP(s, T, hot)                                                                     \
  hot static void select_##s (const SelectRow *row, const guint8 *condition, const void *t_,       \
                              const void *e_, void *out_)                                          \
  {                                                                                                \
    const T *t = t_, *e = e_;                                                                      \
    T *out = out_;                                                                                 \
    gint64 n = row->n, sc = row->step[0], st = row->step[1], se = row->step[2];                    \
    if (sc && st && se)                                                                            \
      {                                                                                            \
        SLUICE_INDEPENDENT                                                                         \
        for (gint64 i = 0; i < n; i++)                                                             \
          {                                                                                        \
            T from_t = t[i], from_e = e[i];                                                        \
            out[i] = condition[i] ? from_t : from_e;                                               \
          }                                                                                        \
        return;                                                                                    \
      }                                                                                            \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = condition[i * sc] ? t[i * st] : e[i * se];                                          \
  }

SELECT_LOOP (8, guint8, SLUICE_HOT)
SELECT_LOOP (16, guint16, )
SELECT_LOOP (32, guint32, SLUICE_HOT)
SELECT_LOOP (64, guint64, SLUICE_HOT)
SELECT_LOOP (128, Bits128, )

typedef struct
{
  SelectLoop loop;
  gsize size;
  SluiceBroadcast b;
  const char *operand[3];
  char *out;
  gint64 per_row; /* units a row is cut into */
} SelectJob;

static SelectLoop
loop_for_size (gsize size)
{
  switch (size)
    {
    case 1:
      return select_8;
    case 2:
      return select_16;
    case 4:
      return select_32;
    case 8:
      return select_64;
    default:
      g_assert (size == 16);
      return select_128;
    }
}

/* A unit is a row, or SLUICE_GRAIN elements of a longer one. */
static void
run (gpointer data, gint64 begin, gint64 end)
{
  const SelectJob *job = data;
  const SluiceBroadcast *b = &job->b;
  int inner = b->rank - 1;
  for (gint64 unit = begin; unit < end; unit++)
    {
      gint64 row = unit / job->per_row, column = unit % job->per_row * SLUICE_GRAIN;
      SelectRow part = { .n = MIN (SLUICE_GRAIN, b->dim[inner] - column) };
      const char *at[3];
      for (guint k = 0; k < 3; k++)
        {
          part.step[k] = b->step[k][inner];
          gint64 offset = sluice_broadcast_row (b, k, row) + column * part.step[k];
          at[k] = job->operand[k] + offset * (k == 0 ? 1 : job->size);
        }
      job->loop (&part, (const guint8 *) at[0], at[1], at[2],
                 job->out + (row * b->dim[inner] + column) * job->size);
    }
}

/* ---- shapes ---- */

static gboolean
refuse (SluiceKernelCall *call)
{
  char c[SLUICE_SHAPE_STR], t[SLUICE_SHAPE_STR], e[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "a condition of shape %s does not choose between %s and %s",
                           sluice_shape_str (&sluice_call_input (call, 0)->shape, c),
                           sluice_shape_str (&sluice_call_input (call, 1)->shape, t),
                           sluice_shape_str (&sluice_call_input (call, 2)->shape, e));
}

/* A vector that chooses rows gets trailing dimensions of 1, so that it broadcasts over them. */
static gboolean
fit_condition (SluiceShape *condition, const SluiceShape *t)
{
  if (condition->rank == 0 || sluice_shape_equal (condition, t))
    return TRUE;
  if (condition->rank != 1 || t->rank < 1 || condition->dim[0] != t->dim[0])
    return FALSE;
  for (int d = 1; d < t->rank; d++)
    condition->dim[d] = 1;
  condition->rank = t->rank;
  return TRUE;
}

/* How the operands are walked, and the output's shape. FALSE: call->error is set. */
static gboolean
plan (SluiceKernelCall *call, SluiceBroadcast *b, SluiceShape *shape)
{
  gboolean broadcasts = call->kernel->data != NULL;
  SluiceShape condition = sluice_call_input (call, 0)->shape;
  const SluiceShape *t = &sluice_call_input (call, 1)->shape;
  const SluiceShape *e = &sluice_call_input (call, 2)->shape;
  if (!broadcasts && !(sluice_shape_equal (t, e) && fit_condition (&condition, t)))
    return refuse (call);
  if (!sluice_broadcast_make (b, (const SluiceShape *[]){ &condition, t, e }, 3, shape))
    return refuse (call);
  return TRUE;
}

static SluiceTensor *
make_output (SluiceKernelCall *call, const SluiceShape *shape)
{
  gint64 n = sluice_shape_n_elements (shape);
  if (sluice_call_input (call, 1)->n_elements == n && sluice_call_can_reuse (call, 1))
    return sluice_call_reuse (call, 0, 1, shape);
  if (sluice_call_input (call, 2)->n_elements == n)
    return sluice_call_reuse (call, 0, 2, shape);
  return sluice_call_output (call, 0, shape);
}

static gboolean
compute (SluiceKernelCall *call)
{
  SelectJob job = { .size = sluice_dtype_size (sluice_call_input (call, 1)->dtype) };
  SluiceShape shape;
  if (!plan (call, &job.b, &shape))
    return FALSE;
  for (guint k = 0; k < 3; k++)
    job.operand[k] = sluice_call_input (call, k)->data;
  SluiceTensor *out = make_output (call, &shape);
  if (out == NULL)
    return FALSE;
  if (out->n_elements == 0)
    return TRUE;
  job.loop = loop_for_size (job.size);
  job.out = out->data;
  gint64 inner = job.b.dim[job.b.rank - 1];
  job.per_row = (inner + SLUICE_GRAIN - 1) / SLUICE_GRAIN;
  return sluice_call_parallel_for (call, sluice_broadcast_n_rows (&job.b) * job.per_row,
                                   MAX (1, SLUICE_GRAIN / inner), 0.3 * MIN (inner, SLUICE_GRAIN),
                                   run, &job);
}

/* One element after the other; also for strings. */
static gboolean
compute_reference (SluiceKernelCall *call)
{
  const SluiceTensor *condition = sluice_call_input (call, 0), *t = sluice_call_input (call, 1);
  const SluiceTensor *e = sluice_call_input (call, 2);
  SluiceBroadcast b;
  SluiceShape shape;
  if (!plan (call, &b, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  gsize size = sluice_dtype_size (out->dtype);
  gint64 inner = b.dim[b.rank - 1];
  for (gint64 i = 0; i < out->n_elements; i++)
    {
      gint64 at[3];
      for (guint k = 0; k < 3; k++)
        at[k] = sluice_broadcast_row (&b, k, i / inner) + i % inner * b.step[k][b.rank - 1];
      const char *from = ((const guint8 *) condition->data)[at[0]]
                             ? (const char *) t->data + at[1] * size
                             : (const char *) e->data + at[2] * size;
      sluice_elements_copy (out->dtype, (char *) out->data + i * size, from, 1);
    }
  return TRUE;
}

static const char broadcasts_marker;

#define REGISTER(op_, data_)                                                                       \
  { .op = op_,                                                                                     \
    .device = "CPU",                                                                               \
    .where = { { "T", SLUICE_SET_POD } },                                                          \
    .rank = 10,                                                                                    \
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                                                        \
    .compute = compute,                                                                            \
    .data = data_ },                                                                               \
      { .op = op_,                                                                                 \
        .device = "CPU",                                                                           \
        .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                                                    \
        .compute = compute_reference,                                                              \
        .data = data_ },

static const SluiceKernel kernels[] = { REGISTER ("Select", NULL)
                                            REGISTER ("SelectV2", (gpointer) &broadcasts_marker) };

const SluiceKernelModule sluice_module_math_select_cpu = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };
