/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/string/hash.h"

#include <string.h>

static inline guint64
load64 (const guint8 *at)
{
  guint64 value;
  memcpy (&value, at, sizeof value);
  return GUINT64_FROM_LE (value);
}

static inline guint64
load32 (const guint8 *at)
{
  guint32 value;
  memcpy (&value, at, sizeof value);
  return GUINT32_FROM_LE (value);
}

/* Fewer than 8 bytes, the first in the lowest place. */
static inline guint64
load_rest (const guint8 *at, gsize n)
{
  guint64 value = 0;
  for (gsize i = 0; i < n; i++)
    value |= (guint64) at[i] << (8 * i);
  return value;
}

guint64
sluice_hash64 (const void *data, gsize length, guint64 seed)
{
  const guint64 m = 0xc6a4a7935bd1e995u;
  const guint8 *at = data;
  guint64 h = seed ^ (length * m);
  gsize n = length;
  for (; n >= 8; at += 8, n -= 8)
    {
      guint64 k = load64 (at) * m;
      k = (k ^ k >> 47) * m;
      h = (h ^ k) * m;
    }
  if (n > 0)
    h = (h ^ load_rest (at, n)) * m;
  h = (h ^ h >> 47) * m;
  return h ^ h >> 47;
}

/* ---- FarmHash (Geoff Pike, MIT licence), the "na" form for 64 bits ---- */

static const guint64 k0 = 0xc3a5c85c97cb3127u, k1 = 0xb492b66fbe98f273u, k2 = 0x9ae16a3b2f90404fu;

typedef struct
{
  guint64 a, b;
} Pair;

static inline guint64
rotate (guint64 value, guint by)
{
  return value >> by | value << (64 - by);
}

static inline guint64
shift_mix (guint64 value)
{
  return value ^ value >> 47;
}

static inline guint64
mix_pair (guint64 u, guint64 v, guint64 mul)
{
  guint64 a = shift_mix ((u ^ v) * mul);
  return shift_mix ((v ^ a) * mul) * mul;
}

static guint64
fingerprint_to_16 (const guint8 *s, gsize n)
{
  guint64 mul = k2 + n * 2;
  if (n >= 8)
    {
      guint64 a = load64 (s) + k2, b = load64 (s + n - 8);
      return mix_pair (rotate (b, 37) * mul + a, (rotate (a, 25) + b) * mul, mul);
    }
  if (n >= 4)
    return mix_pair (n + (load32 (s) << 3), load32 (s + n - 4), mul);
  if (n == 0)
    return k2;
  guint64 y = s[0] + ((guint64) s[n >> 1] << 8), z = n + ((guint64) s[n - 1] << 2);
  return shift_mix (y * k2 ^ z * k0) * k2;
}

static guint64
fingerprint_to_32 (const guint8 *s, gsize n)
{
  guint64 mul = k2 + n * 2;
  guint64 a = load64 (s) * k1, b = load64 (s + 8);
  guint64 c = load64 (s + n - 8) * mul, d = load64 (s + n - 16) * k2;
  return mix_pair (rotate (a + b, 43) + rotate (c, 30) + d, a + rotate (b + k2, 18) + c, mul);
}

static guint64
fingerprint_to_64 (const guint8 *s, gsize n)
{
  guint64 mul = k2 + n * 2;
  guint64 a = load64 (s) * k2, b = load64 (s + 8);
  guint64 c = load64 (s + n - 8) * mul, d = load64 (s + n - 16) * k2;
  guint64 y = rotate (a + b, 43) + rotate (c, 30) + d;
  guint64 z = mix_pair (y, a + rotate (b + k2, 18) + c, mul);
  guint64 e = load64 (s + 16) * mul, f = load64 (s + 24);
  guint64 g = (y + load64 (s + n - 32)) * mul, h = (z + load64 (s + n - 24)) * mul;
  return mix_pair (rotate (e + f, 43) + rotate (g, 30) + h, e + rotate (f + a, 18) + g, mul);
}

static Pair
weak_hash (const guint8 *s, guint64 a, guint64 b)
{
  guint64 w = load64 (s), x = load64 (s + 8), y = load64 (s + 16), z = load64 (s + 24);
  a += w;
  b = rotate (b + a + z, 21);
  guint64 c = a;
  a += x + y;
  b += rotate (a, 44);
  return (Pair){ a + z, b + c };
}

/* The state of a long string: 56 bytes. */
typedef struct
{
  Pair v, w;
  guint64 x, y, z;
} Farm;

/* 64 bytes. The last block has another multiplier and takes w and v nine times. */
static void
farm_round (Farm *f, const guint8 *s, guint64 mul, guint64 times)
{
  f->x = rotate (f->x + f->y + f->v.a + load64 (s + 8), 37) * mul;
  f->y = rotate (f->y + f->v.b + load64 (s + 48), 42) * mul;
  f->x ^= f->w.b * times;
  f->y += f->v.a * times + load64 (s + 40);
  f->z = rotate (f->z + f->w.a, 33) * mul;
  f->v = weak_hash (s, f->v.b * mul, f->x + f->w.a);
  f->w = weak_hash (s + 32, f->z + f->w.b, f->y + load64 (s + 16));
  guint64 x = f->x;
  f->x = f->z;
  f->z = x;
}

guint64
sluice_fingerprint64 (const void *data, gsize length)
{
  const guint8 *s = data;
  if (length <= 16)
    return fingerprint_to_16 (s, length);
  if (length <= 32)
    return fingerprint_to_32 (s, length);
  if (length <= 64)
    return fingerprint_to_64 (s, length);
  const guint64 seed = 81;
  Farm f = { .x = seed * k2 + load64 (s), .y = seed * k1 + 113 };
  f.z = shift_mix (f.y * k2 + 113) * k2;
  const guint8 *end = s + (length - 1) / 64 * 64;
  for (; s < end; s += 64)
    farm_round (&f, s, k1, 1);
  guint64 mul = k1 + ((f.z & 0xff) << 1);
  f.w.a += (length - 1) & 63;
  f.v.a += f.w.a;
  f.w.a += f.v.a;
  farm_round (&f, (const guint8 *) data + length - 64, mul, 9);
  return mix_pair (mix_pair (f.v.a, f.w.a, mul) + shift_mix (f.y) * k0 + f.z,
                   mix_pair (f.v.b, f.w.b, mul) + f.x, mul);
}

/* ---- SipHash (Aumasson and Bernstein, 2012) ---- */

static void
sip_rounds (guint64 v[4], guint n)
{
  for (; n > 0; n--)
    {
      v[0] += v[1];
      v[1] = rotate (v[1], 64 - 13) ^ v[0];
      v[0] = rotate (v[0], 32);
      v[2] += v[3];
      v[3] = rotate (v[3], 64 - 16) ^ v[2];
      v[0] += v[3];
      v[3] = rotate (v[3], 64 - 21) ^ v[0];
      v[2] += v[1];
      v[1] = rotate (v[1], 64 - 17) ^ v[2];
      v[2] = rotate (v[2], 32);
    }
}

static void
sip_word (guint64 v[4], guint64 word)
{
  v[3] ^= word;
  sip_rounds (v, 2);
  v[0] ^= word;
}

guint64
sluice_siphash (const guint64 key[2], const void *data, gsize length)
{
  guint64 v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                   key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u };
  const guint8 *at = data;
  gsize n = length;
  for (; n >= 8; at += 8, n -= 8)
    sip_word (v, load64 (at));
  sip_word (v, load_rest (at, n) | (guint64) length << 56);
  v[2] ^= 0xff;
  sip_rounds (v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
