/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* protobuf's wire format, distrusted: protobuf-c limits no recursion and says nothing about what is
 * wrong, so the bytes are walked before it sees them. */
#include "engine/graph/wire.h"

#include <string.h>

#include "engine/base/error.h"

/* ---- arena ---- */

typedef struct _SluiceArenaBlock
{
  struct _SluiceArenaBlock *next;
  gsize padding; /* keeps what follows 16-byte aligned */
} Block;

/* Under AddressSanitizer each piece is a block of its own, so that it sees their bounds. */
#if defined(__SANITIZE_ADDRESS__)
#define BLOCK_BYTES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BLOCK_BYTES 0
#endif
#endif
#ifndef BLOCK_BYTES
#define BLOCK_BYTES (256 * 1024)
#endif

/* may_fail: else the program ends where there is no memory, as with g_malloc(). */
static void *
arena_alloc (SluiceArena *self, gsize bytes, gboolean may_fail)
{
  if (bytes > G_MAXSSIZE - 64)
    {
      self->has_failed = TRUE;
      return NULL;
    }
  bytes = (MAX (bytes, 1) + 15) & ~(gsize) 15;
  if (bytes > (gsize) (self->end - self->at))
    {
      gsize size = MAX (bytes, BLOCK_BYTES);
      Block *block =
          may_fail ? g_try_malloc (sizeof *block + size) : g_malloc (sizeof *block + size);
      if (block == NULL)
        {
          self->has_failed = TRUE;
          return NULL;
        }
      block->next = self->blocks;
      self->blocks = block;
      if (bytes > BLOCK_BYTES / 4) /* the rest of the current block is still good */
        return block + 1;
      self->at = (guint8 *) (block + 1);
      self->end = self->at + size;
    }
  void *piece = self->at;
  self->at += bytes;
  return piece;
}

void *
sluice_arena_try_alloc (SluiceArena *self, gsize bytes)
{
  return arena_alloc (self, bytes, TRUE);
}

static void *
allocate (void *arena, size_t bytes)
{
  return sluice_arena_try_alloc (arena, bytes);
}

static void
release (void *arena, void *piece)
{
}

void
sluice_arena_init (SluiceArena *self)
{
  *self = (SluiceArena){ .allocator = { allocate, release, self } };
}

void
sluice_arena_clear (SluiceArena *self)
{
  while (self->blocks != NULL)
    {
      Block *block = self->blocks;
      self->blocks = block->next;
      g_free (block);
    }
  sluice_arena_init (self);
}

void *
sluice_arena_alloc0 (SluiceArena *self, gsize bytes)
{
  void *piece = arena_alloc (self, bytes, FALSE);
  if (piece == NULL)
    g_error ("%" G_GSIZE_FORMAT " bytes are more than there can be", bytes);
  return memset (piece, 0, bytes);
}

char *
sluice_arena_strdup (SluiceArena *self, const char *text)
{
  gsize bytes = strlen (text) + 1;
  return memcpy (sluice_arena_alloc0 (self, bytes), text, bytes);
}

/* ---- checking ---- */

typedef struct
{
  const guint8 *begin; /* of the file */
  GError **error;
} Check;

static gboolean
    G_GNUC_PRINTF (3, 4) damaged (Check *check, const guint8 *at, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sluice_fail (check->error, SLUICE_ERROR_DATA_LOSS, "byte %zu: %s",
                      (gsize) (at - check->begin), what);
}

static guint
wire_type_of (ProtobufCType type)
{
  switch (type)
    {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
      return SLUICE_WIRE_BYTES;
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
      return SLUICE_WIRE_FIXED_32;
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
      return SLUICE_WIRE_FIXED_64;
    default:
      return SLUICE_WIRE_VARINT;
    }
}

/* Nearly always it is plain ASCII, which goes eight at a time. */
gboolean
sluice_wire_is_text (const guint8 *text, gsize length)
{
  const guint64 ones = G_GUINT64_CONSTANT (0x0101010101010101), highs = ones << 7;
  const guint8 *at = text, *end = text + length;
  guint64 word;
  for (; end - at >= 8; at += 8)
    {
      memcpy (&word, at, 8);
      if (((word | (word - ones)) & highs) != 0)
        break;
    }
  return g_utf8_validate_len ((const char *) at, end - at, NULL);
}

/* A packed list must be whole elements. */
static gboolean
check_packed (Check *check, const ProtobufCFieldDescriptor *known, const SluiceWireField *field)
{
  guint type = wire_type_of (known->type);
  guint unit = type == SLUICE_WIRE_FIXED_64 ? 8 : 4;
  const guint8 *at = field->data, *end = field->data + field->length;
  guint64 value;
  if (type == SLUICE_WIRE_VARINT)
    {
      while (at < end)
        if (!sluice_wire_read_varint (&at, end, &value))
          return damaged (check, at, "a number in list '%s' is cut off", known->name);
    }
  else if (field->length % unit != 0)
    return damaged (check, at, "list '%s' ends within a number", known->name);
  return TRUE;
}

static gboolean check_message (Check *check,
                               const ProtobufCMessageDescriptor *descriptor,
                               const guint8 *at,
                               const guint8 *end,
                               guint depth);

static gboolean
check_field (Check *check,
             const ProtobufCMessageDescriptor *descriptor,
             const SluiceWireField *field,
             guint depth)
{
  const ProtobufCFieldDescriptor *known =
      protobuf_c_message_descriptor_get_field (descriptor, field->number);
  if (known == NULL)
    return TRUE;
  guint type = wire_type_of (known->type);
  gboolean is_text = type == SLUICE_WIRE_BYTES;
  if (known->label == PROTOBUF_C_LABEL_REPEATED && !is_text
      && field->wire_type == SLUICE_WIRE_BYTES)
    return check_packed (check, known, field);
  if (field->wire_type != type)
    return damaged (check, field->data, "field '%s' of %s has wire type %u, not %u", known->name,
                    descriptor->short_name, field->wire_type, type);
  if (known->type == PROTOBUF_C_TYPE_STRING && !sluice_wire_is_text (field->data, field->length))
    return damaged (check, field->data, "text '%s' of %s is not UTF-8", known->name,
                    descriptor->short_name);
  if (known->type == PROTOBUF_C_TYPE_MESSAGE)
    return check_message (check, known->descriptor, field->data, field->data + field->length,
                          depth + 1);
  return TRUE;
}

static gboolean
check_message (Check *check,
               const ProtobufCMessageDescriptor *descriptor,
               const guint8 *at,
               const guint8 *end,
               guint depth)
{
  if (depth > SLUICE_MAX_NESTING)
    return damaged (check, at, "messages are nested over %d deep", SLUICE_MAX_NESTING);
  while (at < end)
    {
      SluiceWireField field;
      const guint8 *begin = at;
      if (!sluice_wire_next (&at, end, &field))
        return damaged (check, begin,
                        "a field of %s is cut off or no protobuf field; the file is damaged or no "
                        "GraphDef",
                        descriptor->short_name);
      if (!check_field (check, descriptor, &field, depth))
        return FALSE;
    }
  return TRUE;
}

void *
sluice_wire_unpack (SluiceArena *arena,
                    const ProtobufCMessageDescriptor *descriptor,
                    const guint8 *bytes,
                    gsize length,
                    GError **error)
{
  if (bytes == NULL) /* GBytes of nothing */
    bytes = (const guint8 *) "";
  Check check = { bytes, error };
  if (!check_message (&check, descriptor, bytes, bytes + length, 0))
    return NULL;
  void *message = protobuf_c_message_unpack (descriptor, &arena->allocator, length, bytes);
  if (message == NULL)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                 "no memory to read a %s of %" G_GSIZE_FORMAT " bytes", descriptor->short_name,
                 length);
  return message;
}

GBytes *
sluice_wire_pack (const void *message, GError **error)
{
  gsize length = protobuf_c_message_get_packed_size (message);
  guint8 *bytes = g_try_malloc (MAX (length, 1));
  if (bytes == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                   "no memory to write a %s of %" G_GSIZE_FORMAT " bytes",
                   ((const ProtobufCMessage *) message)->descriptor->short_name, length);
      return NULL;
    }
  protobuf_c_message_pack (message, bytes);
  return g_bytes_new_take (bytes, length);
}

void *
sluice_wire_new (SluiceArena *arena, const ProtobufCMessageDescriptor *descriptor)
{
  void *message = sluice_arena_alloc0 (arena, descriptor->sizeof_message);
  protobuf_c_message_init (descriptor, message);
  return message;
}

gsize
sluice_wire_size_of (ProtobufCType type)
{
  switch (type)
    {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
      return 8;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
      return sizeof (void *);
    case PROTOBUF_C_TYPE_BYTES:
      return sizeof (ProtobufCBinaryData);
    default:
      return 4;
    }
}
