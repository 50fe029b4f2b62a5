/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/crc32c.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* 0x1edc6f41 with its bits reversed */

/* table[k][b]: byte b, k bytes before the end of a group of eight. */
static guint32 table[8][256];

static void
make_table (void)
{
  for (guint b = 0; b < 256; b++)
    {
      guint32 crc = b;
      for (guint bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
      table[0][b] = crc;
    }
  for (guint k = 1; k < 8; k++)
    for (guint b = 0; b < 256; b++)
      table[k][b] = (table[k - 1][b] >> 8) ^ table[0][table[k - 1][b] & 255];
}

static guint32
crc_by_table (guint32 crc, const guint8 *at, gsize n)
{
  for (; n >= 8; n -= 8, at += 8)
    {
      guint64 word;
      memcpy (&word, at, 8);
      word = GUINT64_FROM_LE (word) ^ crc;
      crc = 0;
      for (guint k = 0; k < 8; k++)
        crc ^= table[7 - k][(word >> (8 * k)) & 255];
    }
  for (; n > 0; n--, at++)
    crc = (crc >> 8) ^ table[0][(crc ^ *at) & 255];
  return crc;
}

#if defined(__x86_64__)
__attribute__ ((target ("sse4.2"))) static guint32
crc_by_instruction (guint32 crc, const guint8 *at, gsize n)
{
  guint64 wide = crc;
  for (; n >= 8; n -= 8, at += 8)
    {
      guint64 word;
      memcpy (&word, at, 8);
      wide = __builtin_ia32_crc32di (wide, word);
    }
  crc = (guint32) wide;
  for (; n > 0; n--, at++)
    crc = __builtin_ia32_crc32qi (crc, *at);
  return crc;
}
#endif

typedef guint32 (*CrcFunc) (guint32 crc, const guint8 *at, gsize n);

guint32
sluice_crc32c (guint32 crc, const void *data, gsize length)
{
  static CrcFunc chosen;
  static gsize ready;
  if (g_once_init_enter (&ready))
    {
      make_table ();
      chosen = crc_by_table;
#if defined(__x86_64__)
      if (__builtin_cpu_supports ("sse4.2"))
        chosen = crc_by_instruction;
#endif
      g_once_init_leave (&ready, 1);
    }
  return ~chosen (~crc, data, length);
}

/* The product of two polynomials modulo the CRC's; the highest bit is the constant term. */
static guint32
multiply (guint32 a, guint32 b)
{
  guint32 product = 0;
  for (guint32 bit = 1u << 31; bit != 0; bit >>= 1)
    {
      product ^= a & bit ? b : 0;
      b = (b >> 1) ^ (b & 1 ? POLYNOMIAL : 0);
    }
  return product;
}

guint32
sluice_crc32c_join (guint32 first, guint32 second, gsize length)
{
  guint32 shift = 1u << 31;       /* x^0 */
  guint32 power = 1u << (31 - 8); /* x^8: a byte further */
  for (gsize n = length; n != 0; n >>= 1)
    {
      if (n & 1)
        shift = multiply (shift, power);
      power = multiply (power, power);
    }
  return multiply (shift, first) ^ second;
}

gboolean
sluice_crc32c_matches (const void *stored, const void *data, gsize length)
{
  guint32 want = sluice_crc32c_stored (data, length);
  return memcmp (stored, &want, sizeof want) == 0;
}
