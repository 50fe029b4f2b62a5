/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* https://github.com/google/leveldb/blob/main/doc/table_format.md */
#include "engine/store/table.h"

#include <pthread.h>
#include <snappy-c.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/crc32c.h"
#include "engine/base/wire.h"

#define MAGIC            0xdb4775248b80fb57u
#define FOOTER           48
#define HANDLES          40     /* of the footer: two pairs of numbers, then zeros */
#define TRAILER          5      /* of a block: type and checksum */
#define BLOCK_BYTES      262144 /* a block is closed beyond this; TensorFlow's size */
#define RESTART_INTERVAL 16     /* entries after which a key is written whole again */
#define MOST_EXPANSION   32     /* Snappy makes at most 64 bytes of 3 */

/* The byte behind a block. */
enum
{
  BLOCK_PLAIN,
  BLOCK_SNAPPY,
};

/* Where a block lies. */
typedef struct
{
  guint64 offset, size;
} Handle;

typedef struct
{
  char *last_key; /* at least as great as every key of the block, less than those after it */
  gsize key_length;
  Handle handle;
} IndexEntry;

struct _SluiceTable
{
  const char *bytes;
  gsize length;
  GArray *index; /* of IndexEntry */
  pthread_mutex_t lock;
  GHashTable *inflated; /* offset of a compressed block -> GBytes; values lie in them; by lock */
};

int
sluice_span_compare (SluiceSpan a, SluiceSpan b)
{
  gsize n = MIN (a.length, b.length);
  int order = n > 0 ? memcmp (a.data, b.data, n) : 0;
  return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static gboolean
damaged (GError **error, const char *what)
{
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "the table is damaged: %s", what);
}

/* ---- reading ---- */

static gboolean
get_handle (const guint8 **at, const guint8 *end, Handle *handle)
{
  return sluice_wire_read_varint (at, end, &handle->offset)
         && sluice_wire_read_varint (at, end, &handle->size);
}

static guint64
get_magic (const char *end)
{
  guint64 magic;
  memcpy (&magic, end - sizeof magic, sizeof magic);
  return GUINT64_FROM_LE (magic);
}

gboolean
sluice_table_is_one (const char *bytes, gsize length)
{
  return length >= FOOTER && get_magic (bytes + length) == MAGIC;
}

static GBytes *
inflate (const char *block, gsize size, GError **error)
{
  gsize length = 0;
  if (snappy_uncompressed_length (block, size, &length) != SNAPPY_OK
      || length / MOST_EXPANSION > size)
    {
      damaged (error, "a compressed block does not say how long it is");
      return NULL;
    }
  g_autofree char *plain = g_try_malloc (MAX (length, 1));
  if (plain == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                   "no memory for a block of the table of %" G_GSIZE_FORMAT " bytes", length);
      return NULL;
    }
  if (snappy_uncompress (block, size, plain, &length) != SNAPPY_OK)
    {
      damaged (error, "a compressed block is malformed");
      return NULL;
    }
  return g_bytes_new_take (g_steal_pointer (&plain), length);
}

/* A compressed block, as long as the table lives. */
static gboolean
read_compressed (const SluiceTable *self, Handle handle, SluiceSpan *plain, GError **error)
{
  SluiceTable *owner = (SluiceTable *) self; /* what is kept does not change what the table holds */
  gsize length = 0;
  pthread_mutex_lock (&owner->lock);
  GBytes *bytes = g_hash_table_lookup (owner->inflated, &handle.offset);
  if (bytes == NULL)
    {
      bytes = inflate (self->bytes + handle.offset, handle.size, error);
      if (bytes != NULL)
        g_hash_table_insert (owner->inflated, g_memdup2 (&handle.offset, sizeof handle.offset),
                             bytes);
    }
  pthread_mutex_unlock (&owner->lock);
  if (bytes == NULL)
    return FALSE;
  plain->data = g_bytes_get_data (bytes, &length);
  plain->length = length;
  return TRUE;
}

/* A block's entries, without the restart points behind them. */
static gboolean
read_block (const SluiceTable *self, Handle handle, SluiceSpan *entries, GError **error)
{
  guint32 n_restarts;
  if (handle.offset > self->length || handle.size > self->length - handle.offset
      || self->length - handle.offset - handle.size < TRAILER)
    return damaged (error, "a block lies outside the file");
  const char *stored = self->bytes + handle.offset;
  if (!sluice_crc32c_matches (stored + handle.size + 1, stored, handle.size + 1))
    return damaged (error, "the checksum of a block is wrong");
  SluiceSpan block = { stored, handle.size };
  switch (stored[handle.size])
    {
    case BLOCK_PLAIN:
      break;
    case BLOCK_SNAPPY:
      if (!read_compressed (self, handle, &block, error))
        return FALSE;
      break;
    default:
      return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED,
                          "the table's block at byte %" G_GUINT64_FORMAT " is compressed in a way "
                          "that is not known here (type %d, where 0 is none and 1 is Snappy)",
                          handle.offset, stored[handle.size]);
    }
  if (block.length < sizeof n_restarts)
    return damaged (error, "a block is too short");
  memcpy (&n_restarts, block.data + block.length - sizeof n_restarts, sizeof n_restarts);
  n_restarts = GUINT32_FROM_LE (n_restarts);
  gsize room = block.length - sizeof n_restarts;
  if (n_restarts > room / sizeof (guint32))
    return damaged (error, "a block is too short for its restart points");
  *entries = (SluiceSpan){ block.data, room - n_restarts * sizeof (guint32) };
  return TRUE;
}

/* Walks over the entries of a block in order. */
static gboolean
walk (SluiceSpan entries, SluiceTableFunc func, gpointer data, GError **error)
{
  g_autoptr (GString) key = g_string_new (NULL);
  const guint8 *at = (const guint8 *) entries.data, *end = at + entries.length;
  while (at < end)
    {
      guint64 shared, rest, length;
      if (!sluice_wire_read_varint (&at, end, &shared) || !sluice_wire_read_varint (&at, end, &rest)
          || !sluice_wire_read_varint (&at, end, &length))
        return damaged (error, "an entry is cut off");
      gsize room = end - at;
      if (shared > key->len || rest > room || length > room - rest)
        return damaged (error, "an entry is longer than its block");
      g_string_truncate (key, shared);
      g_string_append_len (key, (const char *) at, rest);
      SluiceSpan value = { (const char *) at + rest, length };
      at += rest + length;
      if (!func ((SluiceSpan){ key->str, key->len }, value, data, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_to_index (SluiceSpan key, SluiceSpan value, gpointer data, GError **error)
{
  IndexEntry entry = { .key_length = key.length };
  const guint8 *at = (const guint8 *) value.data;
  if (!get_handle (&at, at + value.length, &entry.handle))
    return damaged (error, "an entry of the index is malformed");
  entry.last_key = g_memdup2 (key.data, key.length);
  g_array_append_val ((GArray *) data, entry);
  return TRUE;
}

static void
clear_index_entry (gpointer data)
{
  g_free (((IndexEntry *) data)->last_key);
}

SluiceTable *
sluice_table_open (const char *bytes, gsize length, GError **error)
{
  if (!sluice_table_is_one (bytes, length))
    {
      damaged (error, "it does not end as a table does; the file is cut off, or no checkpoint");
      return NULL;
    }
  g_autoptr (SluiceTable) self = g_new0 (SluiceTable, 1);
  self->bytes = bytes;
  self->length = length - FOOTER;
  self->index = g_array_new (FALSE, FALSE, sizeof (IndexEntry));
  g_array_set_clear_func (self->index, clear_index_entry);
  pthread_mutex_init (&self->lock, NULL);
  self->inflated =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_bytes_unref);
  Handle metaindex, index;
  SluiceSpan entries;
  const guint8 *at = (const guint8 *) bytes + length - FOOTER, *end = at + HANDLES;
  if (!get_handle (&at, end, &metaindex) || !get_handle (&at, end, &index))
    damaged (error, "the footer is malformed");
  else if (read_block (self, index, &entries, error)
           && walk (entries, add_to_index, self->index, error))
    return g_steal_pointer (&self);
  return NULL;
}

void
sluice_table_free (SluiceTable *self)
{
  g_array_unref (self->index);
  g_hash_table_unref (self->inflated);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

typedef struct
{
  SluiceSpan key, *value;
  gboolean found;
} Search;

static gboolean
match (SluiceSpan key, SluiceSpan value, gpointer data, GError **error)
{
  Search *search = data;
  if (!search->found && sluice_span_compare (key, search->key) == 0)
    {
      search->found = TRUE;
      *search->value = value;
    }
  return TRUE;
}

gboolean
sluice_table_find (const SluiceTable *self, SluiceSpan key, SluiceSpan *value, GError **error)
{
  guint low = 0, high = self->index->len;
  while (low < high) /* the first block whose last key is not less */
    {
      guint middle = low + (high - low) / 2;
      const IndexEntry *entry = &g_array_index (self->index, IndexEntry, middle);
      if (sluice_span_compare ((SluiceSpan){ entry->last_key, entry->key_length }, key) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  Search search = { key, value, FALSE };
  SluiceSpan entries;
  return low < self->index->len
         && read_block (self, g_array_index (self->index, IndexEntry, low).handle, &entries, error)
         && walk (entries, match, &search, error) && search.found;
}

gboolean
sluice_table_foreach (const SluiceTable *self, SluiceTableFunc func, gpointer data, GError **error)
{
  for (guint i = 0; i < self->index->len; i++)
    {
      SluiceSpan entries = { 0 };
      if (!read_block (self, g_array_index (self->index, IndexEntry, i).handle, &entries, error)
          || !walk (entries, func, data, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- writing ---- */

/* A block while it grows. */
typedef struct
{
  GByteArray *bytes;
  GArray *restarts; /* of guint32, as the file has them */
  guint n_since_restart;
  GByteArray *last_key;
} Block;

struct _SluiceTableWriter
{
  SluiceFileWriter *file;
  Block data, index;
  gboolean is_pending; /* a block is written, and the index does not name it yet */
  Handle pending;
  GByteArray *pending_key; /* the last one in it */
};

static void
put_handle (GByteArray *out, Handle handle)
{
  sluice_wire_put_varint (out, handle.offset);
  sluice_wire_put_varint (out, handle.size);
}

static void
block_clear (Block *self)
{
  const guint32 first = 0;
  g_byte_array_set_size (self->bytes, 0);
  g_byte_array_set_size (self->last_key, 0);
  g_array_set_size (self->restarts, 0);
  g_array_append_val (self->restarts, first);
  self->n_since_restart = 0;
}

static void
block_init (Block *self)
{
  *self = (Block){ g_byte_array_new (), g_array_new (FALSE, FALSE, sizeof (guint32)), 0,
                   g_byte_array_new () };
  block_clear (self);
}

static void
block_free (Block *self)
{
  g_byte_array_unref (self->bytes);
  g_byte_array_unref (self->last_key);
  g_array_unref (self->restarts);
}

static void
block_add (Block *self, SluiceSpan key, SluiceSpan value, guint restart_interval)
{
  gsize shared = 0;
  if (self->n_since_restart < restart_interval)
    while (shared < MIN (key.length, self->last_key->len)
           && key.data[shared] == (char) self->last_key->data[shared])
      shared++;
  else
    {
      guint32 at = GUINT32_TO_LE ((guint32) self->bytes->len);
      g_array_append_val (self->restarts, at);
      self->n_since_restart = 0;
    }
  sluice_wire_put_varint (self->bytes, shared);
  sluice_wire_put_varint (self->bytes, key.length - shared);
  sluice_wire_put_varint (self->bytes, value.length);
  if (key.length > shared)
    g_byte_array_append (self->bytes, (const guint8 *) key.data + shared, key.length - shared);
  g_byte_array_append (self->bytes, (const guint8 *) value.data, value.length);
  g_byte_array_set_size (self->last_key, 0);
  g_byte_array_append (self->last_key, (const guint8 *) key.data, key.length);
  self->n_since_restart++;
}

static Handle
block_write (Block *self, SluiceFileWriter *file)
{
  const guint8 no_compression = 0;
  guint32 n_restarts = GUINT32_TO_LE (self->restarts->len);
  g_byte_array_append (self->bytes, (const guint8 *) self->restarts->data,
                       self->restarts->len * sizeof (guint32));
  g_byte_array_append (self->bytes, (const guint8 *) &n_restarts, sizeof n_restarts);
  Handle handle = { sluice_file_writer_get_position (file), self->bytes->len };
  g_byte_array_append (self->bytes, &no_compression, 1);
  guint32 crc = sluice_crc32c_stored (self->bytes->data, self->bytes->len);
  sluice_file_writer_put (file, self->bytes->data, self->bytes->len);
  sluice_file_writer_put (file, &crc, sizeof crc);
  block_clear (self);
  return handle;
}

SluiceTableWriter *
sluice_table_writer_new (SluiceFileWriter *file)
{
  SluiceTableWriter *self = g_new0 (SluiceTableWriter, 1);
  self->file = file;
  self->pending_key = g_byte_array_new ();
  block_init (&self->data);
  block_init (&self->index);
  return self;
}

/* The index names a block by a key as short as can be that is not less than its last one and less
 * than the next (nullable: there is none): such as TensorFlow makes it, so that the bytes agree. */
static void
name_block (SluiceTableWriter *self, const SluiceSpan *next)
{
  GByteArray *key = self->pending_key;
  guint at = 0;
  if (!self->is_pending)
    return;
  if (next != NULL)
    while (at < MIN (key->len, next->length) && key->data[at] == (guint8) next->data[at])
      at++;
  else
    while (at < key->len && key->data[at] == 255)
      at++;
  if (at < key->len
      && (next == NULL
          || (at < next->length && key->data[at] < 255
              && key->data[at] + 1 < (guint8) next->data[at])))
    {
      key->data[at]++;
      g_byte_array_set_size (key, at + 1);
    }
  g_autoptr (GByteArray) handle = g_byte_array_new ();
  put_handle (handle, self->pending);
  block_add (&self->index, (SluiceSpan){ (const char *) key->data, key->len },
             (SluiceSpan){ (const char *) handle->data, handle->len }, 1);
  self->is_pending = FALSE;
}

static void
close_block (SluiceTableWriter *self)
{
  if (self->data.bytes->len == 0)
    return;
  g_byte_array_set_size (self->pending_key, 0);
  g_byte_array_append (self->pending_key, self->data.last_key->data, self->data.last_key->len);
  self->pending = block_write (&self->data, self->file);
  self->is_pending = TRUE;
}

void
sluice_table_writer_add (SluiceTableWriter *self, SluiceSpan key, SluiceSpan value)
{
  name_block (self, &key);
  block_add (&self->data, key, value, RESTART_INTERVAL);
  if (self->data.bytes->len + (self->data.restarts->len + 1) * sizeof (guint32) >= BLOCK_BYTES)
    close_block (self);
}

void
sluice_table_writer_finish (SluiceTableWriter *self)
{
  close_block (self);
  Block metaindex;
  block_init (&metaindex);
  g_autoptr (GByteArray) footer = g_byte_array_new ();
  put_handle (footer, block_write (&metaindex, self->file));
  name_block (self, NULL);
  put_handle (footer, block_write (&self->index, self->file));
  block_free (&metaindex);
  guint used = footer->len;
  g_byte_array_set_size (footer, HANDLES);
  memset (footer->data + used, 0, HANDLES - used);
  guint64 magic = GUINT64_TO_LE (MAGIC);
  g_byte_array_append (footer, (const guint8 *) &magic, sizeof magic);
  sluice_file_writer_put (self->file, footer->data, footer->len);
  sluice_table_writer_free (self);
}

void
sluice_table_writer_free (SluiceTableWriter *self)
{
  block_free (&self->data);
  block_free (&self->index);
  g_byte_array_unref (self->pending_key);
  g_free (self);
}
