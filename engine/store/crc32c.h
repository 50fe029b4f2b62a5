/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* CRC-32C (Castagnoli) of data behind what crc stands for; 0 begins one. */
guint32 sluice_crc32c (guint32 crc, const void *data, gsize length);

/* Of two blocks one behind the other, from the checksum of each; length: bytes of the second. */
guint32 sluice_crc32c_join (guint32 first, guint32 second, gsize length);

/* A checksum that lies beside the bytes it was made of is stored masked, so that the checksum of
 * both is not degenerate: TensorFlow's tables, bundles and records. */
static inline guint32
sluice_crc32c_mask (guint32 crc)
{
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

/* The checksum of data, masked and in the byte order of files. */
static inline guint32
sluice_crc32c_stored (const void *data, gsize length)
{
  return GUINT32_TO_LE (sluice_crc32c_mask (sluice_crc32c (0, data, length)));
}

/* Are the four bytes at stored the masked checksum of data? */
gboolean sluice_crc32c_matches (const void *stored, const void *data, gsize length);
