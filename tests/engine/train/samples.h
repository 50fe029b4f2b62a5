/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Files of data formats, as other programs write them. All (transfer full). */

/* code: of the type, as 0x08 for bytes; elements: as they stand in the file. */
GByteArray *
sample_idx (guint8 code, guint8 rank, const guint32 *dims, const void *elements, gsize bytes);
GByteArray *sample_npy (const char *descr, const char *shape, const void *elements, gsize bytes);
/* An archive of two members with the same content. */
GByteArray *
sample_npz (const char *first, const char *second, GByteArray *content, gboolean deflate);
