/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <string.h>

/* Loading a graph looks up every edge by a long name, so this takes eight bytes at a time. */
static inline guint32
sluice_name_hash (const char *name, gsize length)
{
  guint64 hash = length * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15), word;
  for (; length >= 8; name += 8, length -= 8)
    {
      memcpy (&word, name, 8);
      hash = (hash ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
      hash ^= hash >> 32;
    }
  word = 0;
  memcpy (&word, name, length);
  hash = (hash ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  return (guint32) (hash ^ hash >> 32);
}
