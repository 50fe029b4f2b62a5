/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/random.h"

/* The next four words of a Philox4x32-10 stream (Salmon et al. 2011); moves the counter on. */
static inline void
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
