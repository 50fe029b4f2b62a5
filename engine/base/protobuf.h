/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <protobuf-c/protobuf-c.h>

/**
 * sluice_protobuf_unpack:
 *
 * protobuf_c_message_unpack() in memory of its own, which protobuf_c_message_free_unpacked() gives
 * back where its allocator is NULL. That says nothing about why it failed; this does.
 *
 * Returns: (transfer full) (nullable): RESOURCE_EXHAUSTED, or DATA_LOSS where the bytes are no such
 * message
 */
void *sluice_protobuf_unpack (const ProtobufCMessageDescriptor *descriptor,
                              const void *bytes,
                              gsize length,
                              GError **error);
