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
 * Returns: (transfer none) (nullable): a message in the arena; DATA_LOSS with the offset
 */
void *sluice_wire_unpack (SluiceArena *arena,
                          const ProtobufCMessageDescriptor *descriptor,
                          const guint8 *bytes,
                          gsize length,
                          GError **error);

GBytes *sluice_wire_pack (const void *message);

/* collection: (out) (nullable) (transfer none): of the MetaGraphDef that the graph came in, in the
 * arena; NULL: there is none. FALSE with DATA_LOSS. */
gboolean sluice_collection_find (SluiceGraph *graph,
                                 SluiceArena *arena,
                                 const char *key,
                                 const Tensorflow__CollectionDef **collection,
                                 GError **error);

/* A message with all fields at their defaults. */
void *sluice_wire_new (SluiceArena *arena, const ProtobufCMessageDescriptor *descriptor);

/* Bytes of one value of a field in the message's struct. */
gsize sluice_wire_size_of (ProtobufCType type);

/* UTF-8 without zeros. */
gboolean sluice_wire_is_text (const guint8 *text, gsize length);

/* An AttrValue that is still bytes, unchecked: what AttrEntry.value points to where its
 * base.descriptor is NULL. */
typedef struct
{
  ProtobufCMessage base;
  const guint8 *bytes;
  gsize length;
} SluiceRawAttr;

/**
 * sluice_raw_read_graph:
 *
 * A GraphDef whose nodes' attributes stay bytes, which must outlive the arena.
 *
 * Returns: (transfer none) (nullable): NULL where the file is damaged or holds more than usual;
 * sluice_wire_unpack() then reads it or says why not
 */
Tensorflow__GraphDef *sluice_raw_read_graph (SluiceArena *arena, const guint8 *bytes, gsize length);
/* The same of a MetaGraphDef. */
Tensorflow__MetaGraphDef *
sluice_raw_read_meta (SluiceArena *arena, const guint8 *bytes, gsize length);
/* FALSE: damaged or seldom. */
gboolean sluice_raw_read_attr (const SluiceRawAttr *raw, SluiceAttrValue *value);

/* textformat.c: protobuf's text format by the descriptor, into the arena. Unknown fields are
 * refused, as TensorFlow does; errors say line:column. */
void *sluice_text_parse (SluiceArena *arena,
                         const ProtobufCMessageDescriptor *descriptor,
                         const char *text,
                         gsize length,
                         GError **error);
/* textwriter.c */
void sluice_text_write (GString *out, const ProtobufCMessage *message, guint indent);

/* tensorproto.c. NULL proto: a scalar. */
gboolean
sluice_shape_unpack (const Tensorflow__TensorShapeProto *proto, SluiceShape *shape, GError **error);
Tensorflow__TensorShapeProto *sluice_shape_pack (const SluiceShape *shape, SluiceArena *arena);
/* budget: bytes that compressed values may still unfold to; counted down. */
SluiceTensor *
sluice_tensor_unpack (const Tensorflow__TensorProto *proto, gint64 *budget, GError **error);
/* readable: short tensors as lists of numbers, where that keeps every bit. */
Tensorflow__TensorProto *
sluice_tensor_pack (const SluiceTensor *tensor, SluiceArena *arena, gboolean readable);

/* attrproto.c */
/* proto: may point to a SluiceRawAttr; where the short way cannot read that it is unpacked into the
 * arena and takes its place, or is set to NULL where it is damaged: DATA_LOSS.
 * lossy: set where the value has parts that SluiceAttrValue cannot hold (names of dimensions). */
gboolean sluice_attr_unpack (Tensorflow__AttrValue **proto,
                             SluiceArena *arena,
                             SluiceAttrValue *value,
                             gint64 *budget,
                             gboolean *lossy,
                             GError **error);
Tensorflow__AttrValue *
sluice_attr_pack (const SluiceAttrValue *value, SluiceArena *arena, gboolean readable);

/* savedmodel.c */
/* Does a binary file begin as a SavedModel does? */
gboolean sluice_saved_model_is_binary (const guint8 *bytes, gsize length);
/* Narrows a SavedModel's bytes to those of the MetaGraphDef with the tags; tags: as of
 * sluice_graph_load_tagged(). */
gboolean sluice_saved_model_pick (const guint8 **bytes,
                                  gsize *length,
                                  const char *const *tags,
                                  GError **error);
Tensorflow__MetaGraphDef *sluice_saved_model_pick_text (
    SluiceArena *arena, const char *text, gsize length, const char *const *tags, GError **error);
/* The file of a SavedModel's folder; any other path as it is. (transfer full) (nullable) */
char *sluice_saved_model_dup_file (const char *path, GError **error);

/* import.c: a GraphDef that was read; meta: (nullable): what it came in. */
gboolean sluice_graph_import_def (SluiceGraph *self,
                                  const Tensorflow__GraphDef *def,
                                  const Tensorflow__MetaGraphDef *meta,
                                  GError **error);
