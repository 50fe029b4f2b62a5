/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/protobuf.h"

#include "engine/base/error.h"

/* GLib's memory is the C library's, and so protobuf-c can free it. */
static void *
allocate (void *has_failed, size_t bytes)
{
  void *piece = g_try_malloc (MAX (bytes, 1));
  if (piece == NULL)
    *(gboolean *) has_failed = TRUE;
  return piece;
}

static void
release (void *has_failed, void *piece)
{
  g_free (piece);
}

void *
sluice_protobuf_unpack (const ProtobufCMessageDescriptor *descriptor,
                        const void *bytes,
                        gsize length,
                        GError **error)
{
  gboolean has_failed = FALSE;
  ProtobufCAllocator allocator = { allocate, release, &has_failed };
  const guint8 *data = bytes != NULL ? bytes : (const guint8 *) "";
  void *message = protobuf_c_message_unpack (descriptor, &allocator, length, data);
  if (message == NULL && has_failed)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                 "no memory to read a %s of %" G_GSIZE_FORMAT " bytes", descriptor->short_name,
                 length);
  else if (message == NULL)
    sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "%" G_GSIZE_FORMAT " bytes are no serialised %s",
                 length, descriptor->short_name);
  return message;
}
