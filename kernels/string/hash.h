/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Hashes of bytes that TensorFlow's graphs depend on: the same values on every machine. */

/* TensorFlow's Hash64: MurmurHash64A, read as little-endian. */
guint64 sluice_hash64 (const void *data, gsize length, guint64 seed);

/* FarmHash's Fingerprint64, which its authors promise never to change. */
guint64 sluice_fingerprint64 (const void *data, gsize length);

/* SipHash-2-4, keyed: nobody without the key can choose what collides. */
guint64 sluice_siphash (const guint64 key[2], const void *data, gsize length);
