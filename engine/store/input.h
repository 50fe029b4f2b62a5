/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* A file that is read from its beginning to its end, compressed or not. */
typedef enum
{
  SLUICE_ENCODING_NONE,
  SLUICE_ENCODING_ZLIB,
  SLUICE_ENCODING_GZIP, /* one member, or several in a row */
} SluiceEncoding;

/* "", "ZLIB" or "GZIP"; INVALID_ARGUMENT for anything else. */
gboolean sluice_encoding_parse (const char *name, SluiceEncoding *encoding, GError **error);

typedef struct _SluiceInput SluiceInput;
SluiceInput *sluice_input_open (const char *path, SluiceEncoding encoding, GError **error);
/* bytes are borrowed for as long as the input lives. */
SluiceInput *sluice_input_new_bytes (const void *bytes, gsize length, SluiceEncoding encoding);
void sluice_input_free (SluiceInput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceInput, sluice_input_free)

/* Appends n bytes, fewer where the input ends. -1: DATA_LOSS (no such compression, damaged). */
gint64 sluice_input_read (SluiceInput *self, guint64 n, GString *out, GError **error);
/* The same without keeping them. */
gint64 sluice_input_skip (SluiceInput *self, guint64 n, GError **error);

typedef enum
{
  SLUICE_READ_FAILED = -1,
  SLUICE_READ_END, /* nothing was left */
  SLUICE_READ_ONE,
} SluiceReadResult;

/* A line without its end, which is \n or \r\n. Replaces out. */
SluiceReadResult sluice_input_read_line (SluiceInput *self, GString *out, GError **error);

/**
 * sluice_input_read_record:
 *
 * A record of a TFRecord file: its length, a checksum of that, the bytes, and a checksum of those.
 * Replaces out. DATA_LOSS where a checksum is wrong, or the record is cut off; the sentence names
 * the position.
 */
SluiceReadResult sluice_input_read_record (SluiceInput *self, GString *out, GError **error);

/* How many (decompressed) bytes have been read. */
guint64 sluice_input_get_position (const SluiceInput *self);
