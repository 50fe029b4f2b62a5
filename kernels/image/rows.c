/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/image/rows.h"

#include "kernels/typed.h"

#define FOR_EACH_COLUMN(Entry)                                                                     \
  const Entry *at = plan->columns;                                                                 \
  const gint64 channels = plan->channels;                                                          \
  for (const Entry *end = at + plan->n; at < end; at++, out += channels)

static void
fill (float *out, gint64 n, float value)
{
  for (gint64 c = 0; c < n; c++)
    out[c] = value;
}

#define BLEND(T, suffix)                                                                           \
  SLUICE_HOT static void blend_##suffix (const T *top, const T *bottom, float y,                   \
                                         const SluiceRowPlan *plan, float outside, float *out)     \
  {                                                                                                \
    FOR_EACH_COLUMN (SluiceTaps)                                                                   \
    {                                                                                              \
      gint64 left = at->index[0] * channels, right = at->index[1] * channels;                      \
      float x = at->weight[1];                                                                     \
      if (left < 0)                                                                                \
        fill (out, channels, outside);                                                             \
      else                                                                                         \
        for (gint64 c = 0; c < channels; c++)                                                      \
          {                                                                                        \
            float t0 = (float) top[left + c], t1 = (float) top[right + c];                         \
            float b0 = (float) bottom[left + c], b1 = (float) bottom[right + c];                   \
            float t = t0 + (t1 - t0) * x, b = b0 + (b1 - b0) * x;                                  \
            out[c] = t + (b - t) * y;                                                              \
          }                                                                                        \
    }                                                                                              \
  }                                                                                                \
  static void pick_##suffix (const T *row, const SluiceRowPlan *plan, float outside, float *out)   \
  {                                                                                                \
    FOR_EACH_COLUMN (SluiceTaps)                                                                   \
    if (at->index[0] < 0)                                                                          \
      fill (out, channels, outside);                                                               \
    else                                                                                           \
      for (gint64 c = 0; c < channels; c++)                                                        \
        out[c] = (float) row[at->index[0] * channels + c];                                         \
  }

#define CUBIC(T, suffix)                                                                           \
  SLUICE_HOT static void cubic_##suffix (const void *const rows[4], const float y[4],              \
                                         const SluiceRowPlan *plan, float *out)                    \
  {                                                                                                \
    const T *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3];                            \
    FOR_EACH_COLUMN (SluiceTaps)                                                                   \
    for (gint64 c = 0; c < channels; c++)                                                          \
      {                                                                                            \
        float column[4];                                                                           \
        for (int k = 0; k < 4; k++)                                                                \
          {                                                                                        \
            gint64 i = at->index[k] * channels + c;                                                \
            column[k] = (float) r0[i] * y[0] + (float) r1[i] * y[1] + (float) r2[i] * y[2]         \
                        + (float) r3[i] * y[3];                                                    \
          }                                                                                        \
        out[c] = column[0] * at->weight[0] + column[1] * at->weight[1] + column[2] * at->weight[2] \
                 + column[3] * at->weight[3];                                                      \
      }                                                                                            \
  }

static inline gint64
bound (gint64 i, gint64 limit)
{
  return CLAMP (i, 0, limit - 1);
}

#define SPANS(T, suffix)                                                                           \
  static void spans_##suffix (const T *row, float y, const SluiceRowPlan *plan, float *out)        \
  {                                                                                                \
    const gint64 limit = plan->limit;                                                              \
    FOR_EACH_COLUMN (SluicePixelSpan)                                                              \
    for (gint64 c = 0; c < channels; c++)                                                          \
      {                                                                                            \
        float sum = (float) row[bound (at->start, limit) * channels + c] * at->first;              \
        for (gint64 x = at->start + 1; x < at->end - 1; x++)                                       \
          sum += (float) row[bound (x, limit) * channels + c];                                     \
        if (at->start + 1 != at->end)                                                              \
          sum += (float) row[bound (at->end - 1, limit) * channels + c] * at->last;                \
        out[c] += sum * y;                                                                         \
      }                                                                                            \
  }

#define ROWS(dtype, T, suffix) BLEND (T, suffix) CUBIC (T, suffix) SPANS (T, suffix)
#define FOR_EACH_TYPE(X)                                                                           \
  X (SLUICE_UINT8, guint8, u8)                                                                     \
  X (SLUICE_UINT16, guint16, u16)                                                                  \
  X (SLUICE_INT8, gint8, i8)                                                                       \
  X (SLUICE_INT16, gint16, i16)                                                                    \
  X (SLUICE_INT32, gint32, i32)                                                                    \
  X (SLUICE_INT64, gint64, i64)                                                                    \
  X (SLUICE_FLOAT, float, float)                                                                   \
  X (SLUICE_DOUBLE, double, double)
FOR_EACH_TYPE (ROWS)

#define DISPATCH(X)                                                                                \
  switch (dtype)                                                                                   \
    {                                                                                              \
      FOR_EACH_TYPE (X)                                                                            \
    default:                                                                                       \
      g_assert_not_reached ();                                                                     \
    }

void
sluice_row_blend (SluiceDType dtype,
                  const void *top,
                  const void *bottom,
                  float y,
                  const SluiceRowPlan *plan,
                  float outside,
                  float *out)
{
#define CASE(type, T, suffix)                                                                      \
  case type:                                                                                       \
    blend_##suffix (top, bottom, y, plan, outside, out);                                           \
    break;
  DISPATCH (CASE)
#undef CASE
}

void
sluice_row_pick (
    SluiceDType dtype, const void *row, const SluiceRowPlan *plan, float outside, float *out)
{
#define CASE(type, T, suffix)                                                                      \
  case type:                                                                                       \
    pick_##suffix (row, plan, outside, out);                                                       \
    break;
  DISPATCH (CASE)
#undef CASE
}

void
sluice_row_cubic (SluiceDType dtype,
                  const void *const rows[4],
                  const float y[4],
                  const SluiceRowPlan *plan,
                  float *out)
{
#define CASE(type, T, suffix)                                                                      \
  case type:                                                                                       \
    cubic_##suffix (rows, y, plan, out);                                                           \
    break;
  DISPATCH (CASE)
#undef CASE
}

void
sluice_row_add_spans (
    SluiceDType dtype, const void *row, float y, const SluiceRowPlan *plan, float *out)
{
#define CASE(type, T, suffix)                                                                      \
  case type:                                                                                       \
    spans_##suffix (row, y, plan, out);                                                            \
    break;
  DISPATCH (CASE)
#undef CASE
}
