/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <string.h>

#include <glib.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/*
 * Stores past the caches, for targets that are larger than a core's share of them: a plain store
 * reads each line before it is overwritten, and pushes out what is of use.
 */
#define SLUICE_STREAM_BYTES (8 << 20) /* of a whole target */

typedef guint32 SluiceFour __attribute__ ((vector_size (16)));

/* @to: aligned to 16 bytes. */
static inline void
sluice_stream_four (void *to, SluiceFour value)
{
#if defined(__SSE2__)
  _mm_stream_si128 (to, (__m128i) value);
#else
  memcpy (to, &value, sizeof value);
#endif
}

/* After the last store of a thread: what was stored is seen before anything that follows. */
static inline void
sluice_stream_end (void)
{
#if defined(__SSE2__)
  _mm_sfence ();
#endif
}

static inline void
sluice_stream_copy (void *to, const void *from, gsize bytes)
{
  gsize head = MIN (-(gsize) to & 63, bytes);
  char *target = (char *) to + head;
  const char *source = (const char *) from + head;
  memcpy (to, from, head);
  bytes -= head;
  for (; bytes >= 64; bytes -= 64, target += 64, source += 64)
    {
      SluiceFour line[4];
      memcpy (line, source, sizeof line);
      for (int i = 0; i < 4; i++)
        sluice_stream_four (target + 16 * i, line[i]);
    }
  memcpy (target, source, bytes);
}
