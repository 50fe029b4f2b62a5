/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <protobuf-c/protobuf-c.h>

#include "engine/base/wire.h"
#include "engine/graph/graph.h"
#include "engine/graph/tensorflow.pb-c.h"

/* What the readers and writers of graph files share. Nobody outside graph/ includes this. */

/* Messages within messages; protobuf's own limit. */
#define SLUICE_MAX_NESTING 100
/* protobuf's limit for a message. */
#define SLUICE_MAX_FILE_BYTES ((gsize) G_MAXINT32)

/*
 * Memory that is given back at once. Messages unpacked into it are never freed one by one.
 * An arena starts as { 0 }.
 */
typedef struct
{
  ProtobufCAllocator allocator;
  struct _SluiceArenaBlock *blocks;
  guint8 *at, *end;
  gboolean has_failed; /* to give what was asked for with leave to fail */
} SluiceArena;

void sluice_arena_init (SluiceArena *self);
void sluice_arena_clear (SluiceArena *self);
/* 16-byte aligned, uninitialised. (nullable): the machine has no more */
void *sluice_arena_try_alloc (SluiceArena *self, gsize bytes);
/* Zeroed; for small things: aborts as g_malloc() does. */
void *sluice_arena_alloc0 (SluiceArena *self, gsize bytes);
char *sluice_arena_strdup (SluiceArena *self, const char *text);
#define sluice_arena_new(arena, type, n)                                                           \
  ((type *) sluice_arena_alloc0 ((arena), sizeof (type) * (n)))
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceArena, sluice_arena_clear)

/**
 * sluice_wire_unpack:
 *
 * Checks the bytes against the descriptor (nesting, lengths, wire types, text), then unpacks them.
 *
 * Returns: (transfer none) (nullable): a message in the arena; DATA_LOSS with the offset,
 * RESOURCE_EXHAUSTED
 */
void *sluice_wire_unpack (SluiceArena *arena,
                          const ProtobufCMessageDescriptor *descriptor,
                          const guint8 *bytes,
                          gsize length,
                          GError **error);

/* (nullable): no memory for all of it. */
GBytes *sluice_wire_pack (const void *message, GError **error);

/* A message with all fields at their defaults. */
void *sluice_wire_new (SluiceArena *arena, const ProtobufCMessageDescriptor *descriptor);

/* Bytes of one value of a field in the message's struct. */
gsize sluice_wire_size_of (ProtobufCType type);

/* UTF-8 without zeros. */
gboolean sluice_wire_is_text (const guint8 *text, gsize length);
