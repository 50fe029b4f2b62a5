/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* How a group of outputs of a law is drawn from a stream; on a CUDA device too. */
#include "kernels/random/laws.h"
#include "kernels/random/philox.h"

SLUICE_SHARED void
sluice_draw_uniform_float (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((float *) out)[i] = sluice_unit_float (words[i]);
}

SLUICE_SHARED void
sluice_draw_uniform_double (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 2; i++)
    ((double *) out)[i] = sluice_unit_double (words[2 * i], words[2 * i + 1]);
}

SLUICE_SHARED void
sluice_draw_uniform_half (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_to_half (sluice_unit_half (words[i]));
}

SLUICE_SHARED void
sluice_draw_uniform_bfloat16 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_to_bfloat16 (sluice_unit_bfloat16 (words[i]));
}

SLUICE_SHARED void
sluice_draw_uniform_int32 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 4; i++)
    ((guint32 *) out)[i] = (guint32) bounds->low + words[i] % (guint32) bounds->range;
}

SLUICE_SHARED void
sluice_draw_uniform_int64 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 2; i++)
    {
      guint64 bits = words[2 * i] | (guint64) words[2 * i + 1] << 32;
      ((guint64 *) out)[i] = bounds->low + bits % bounds->range;
    }
}

SLUICE_SHARED void
sluice_draw_full_32 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  sluice_philox_next (philox, (guint32 *) out);
}

SLUICE_SHARED void
sluice_draw_full_64 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  for (int i = 0; i < 2; i++)
    ((guint64 *) out)[i] = words[2 * i] | (guint64) words[2 * i + 1] << 32;
}

/* ---- normal laws ---- */

SLUICE_SHARED void
sluice_draw_normal_float (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  sluice_normal_pair_float (words[0], words[1], (float *) out);
  sluice_normal_pair_float (words[2], words[3], (float *) out + 2);
}

SLUICE_SHARED void
sluice_draw_normal_double (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  guint32 words[4];
  sluice_philox_next (philox, words);
  sluice_normal_pair_double (words, (double *) out);
}

SLUICE_SHARED void
sluice_draw_normal_half (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  float wide[4];
  sluice_draw_normal_float (philox, bounds, wide);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_to_half (wide[i]);
}

SLUICE_SHARED void
sluice_draw_normal_bfloat16 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  float wide[4];
  sluice_draw_normal_float (philox, bounds, wide);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_to_bfloat16 (wide[i]);
}

/* Pairs are drawn until the group is full of numbers below 2; 256 reserved groups of words suffice
 * for any stream there is (the chance that they do not is below 10^-300). */
SLUICE_SHARED void
sluice_draw_truncated_float (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  float *next = (float *) out, *end = next + 4;
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

SLUICE_SHARED void
sluice_draw_truncated_double (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  double *next = (double *) out, *end = next + 2;
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

SLUICE_SHARED void
sluice_draw_truncated_half (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  float wide[4];
  sluice_draw_truncated_float (philox, bounds, wide);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_to_half (wide[i]);
}

SLUICE_SHARED void
sluice_draw_truncated_bfloat16 (SluicePhilox *philox, const SluiceBounds *bounds, void *out)
{
  float wide[4];
  sluice_draw_truncated_float (philox, bounds, wide);
  for (int i = 0; i < 4; i++)
    ((guint16 *) out)[i] = sluice_to_bfloat16 (wide[i]);
}
