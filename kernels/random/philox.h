/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <math.h>
#include <string.h>

#include "engine/device/random.h"
#include "kernels/half.h"

/* The next four words of a Philox4x32-10 stream (Salmon et al. 2011); moves the counter on. */
SLUICE_SHARED void
sluice_philox_next (SluicePhilox *self, guint32 words[4])
{
  guint32 c0 = self->counter[0], c1 = self->counter[1];
  guint32 c2 = self->counter[2], c3 = self->counter[3];
  guint32 k0 = self->key[0], k1 = self->key[1];
  for (int round = 0; round < 10; round++)
    {
      guint64 p0 = (guint64) 0xD2511F53u * c0;
      guint64 p1 = (guint64) 0xCD9E8D57u * c2;
      c0 = (guint32) (p1 >> 32) ^ c1 ^ k0;
      c1 = (guint32) p1;
      c2 = (guint32) (p0 >> 32) ^ c3 ^ k1;
      c3 = (guint32) p0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
  sluice_philox_skip (self, 1);
}

/* ---- words to numbers in [0, 1): the low bits as mantissa of a number in [1, 2), less one ---- */

SLUICE_SHARED float
sluice_unit_float (guint32 word)
{
  guint32 bits = 127u << 23 | (word & 0x7fffff);
  float value;
  memcpy (&value, &bits, sizeof value);
  return value - 1.0f;
}

SLUICE_SHARED double
sluice_unit_double (guint32 high, guint32 low)
{
  guint64 bits = (guint64) 1023 << 52 | (guint64) (high & 0xfffff) << 32 | low;
  double value;
  memcpy (&value, &bits, sizeof value);
  return value - 1.0;
}

SLUICE_SHARED float
sluice_unit_half (guint32 word)
{
  return sluice_from_half ((guint16) (15 << 10 | (word & 0x3ff))) - 1.0f;
}

SLUICE_SHARED float
sluice_unit_bfloat16 (guint32 word)
{
  return sluice_from_bfloat16 ((guint16) (127 << 7 | (word & 0x7f))) - 1.0f;
}

/* ---- normal laws: Box and Muller, sine first ---- */

SLUICE_SHARED void
sluice_normal_pair_float (guint32 x0, guint32 x1, float out[2])
{
  float u1 = fmaxf (sluice_unit_float (x0), 1.0e-7f);
  float angle = (float) (2.0 * G_PI * sluice_unit_float (x1));
  float radius = sqrtf (-2.0f * logf (u1));
  out[0] = sinf (angle) * radius;
  out[1] = cosf (angle) * radius;
}

SLUICE_SHARED void
sluice_normal_pair_double (const guint32 words[4], double out[2])
{
  double u1 = fmax (sluice_unit_double (words[0], words[1]), 1.0e-7);
  double angle = 2.0 * G_PI * sluice_unit_double (words[2], words[3]);
  double radius = sqrt (-2.0 * log (u1));
  out[0] = sin (angle) * radius;
  out[1] = cos (angle) * radius;
}

/* ---- a stream taken word by word ---- */

typedef struct
{
  SluicePhilox philox;
  guint32 words[4];
  guint used; /* of words; 4: none is left */
} SluiceWords;

static inline SluiceWords
sluice_words (const SluicePhilox *philox)
{
  return (SluiceWords){ .philox = *philox, .used = 4 };
}

static inline guint32
sluice_words_next (SluiceWords *self)
{
  if (self->used == 4)
    {
      sluice_philox_next (&self->philox, self->words);
      self->used = 0;
    }
  return self->words[self->used++];
}

static inline guint64
sluice_words_next_64 (SluiceWords *self)
{
  guint64 low = sluice_words_next (self);
  return low | (guint64) sluice_words_next (self) << 32;
}

static inline float
sluice_words_next_float (SluiceWords *self)
{
  return sluice_unit_float (sluice_words_next (self));
}

static inline double
sluice_words_next_double (SluiceWords *self)
{
  guint32 high = sluice_words_next (self);
  return sluice_unit_double (high, sluice_words_next (self));
}
