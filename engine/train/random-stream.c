/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/random-stream.h"

guint64
sluice_random_stream_next (guint64 *state)
{
  guint64 z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

guint64
sluice_random_stream_below (guint64 *state, guint64 n)
{
  return ((unsigned __int128) sluice_random_stream_next (state) * n) >> 64;
}

double
sluice_random_stream_unit (guint64 *state)
{
  return (double) (sluice_random_stream_next (state) >> 11) * 0x1p-53;
}
