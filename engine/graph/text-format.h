/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/wire.h"

/* Protobuf's text format by the descriptor, into the arena. Unknown fields are
 * refused, as TensorFlow does; errors say line:column. */
void *sluice_text_parse (SluiceArena *arena,
                         const ProtobufCMessageDescriptor *descriptor,
                         const char *text,
                         gsize length,
                         GError **error);
void sluice_text_write (GString *out, const ProtobufCMessage *message, guint indent);
/* The fields with blanks between, not at the end; a line gets no longer than @width, if it can be,
 * and those that follow begin with @indent blanks. */
void
sluice_text_write_short (GString *out, const ProtobufCMessage *message, guint indent, guint width);
