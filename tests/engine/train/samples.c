/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/engine/train/samples.h"

#include <string.h>
#include <zlib.h>

GByteArray *
sample_idx (guint8 code, guint8 rank, const guint32 *dims, const void *elements, gsize bytes)
{
  GByteArray *out = g_byte_array_new ();
  g_byte_array_append (out, (const guint8[]){ 0, 0, code, rank }, 4);
  for (guint i = 0; i < rank; i++)
    {
      guint32 dim = GUINT32_TO_BE (dims[i]);
      g_byte_array_append (out, (const guint8 *) &dim, 4);
    }
  g_byte_array_append (out, elements, bytes);
  return out;
}

GByteArray *
sample_npy (const char *descr, const char *shape, const void *elements, gsize bytes)
{
  g_autofree char *header =
      g_strdup_printf ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape);
  guint16 n = GUINT16_TO_LE ((guint16) strlen (header));
  GByteArray *out = g_byte_array_new ();
  g_byte_array_append (out, (const guint8 *) "\x93NUMPY\1\0", 8);
  g_byte_array_append (out, (const guint8 *) &n, 2);
  g_byte_array_append (out, (const guint8 *) header, strlen (header));
  g_byte_array_append (out, elements, bytes);
  return out;
}

static void
put (GByteArray *out, guint64 value, guint bytes)
{
  value = GUINT64_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, bytes);
}

typedef struct
{
  const char *name;
  guint method, crc, packed, size, offset;
} Member;

/* What the local header and the directory's entry have in common. */
static void
put_fields (GByteArray *out, const Member *m)
{
  put (out, 20, 2);
  put (out, 0, 2);
  put (out, m->method, 2);
  put (out, 0, 4);
  put (out, m->crc, 4);
  put (out, m->packed, 4);
  put (out, m->size, 4);
  put (out, strlen (m->name), 2);
  put (out, 0, 2);
}

static GByteArray *
deflate_bytes (GByteArray *content)
{
  GByteArray *out = g_byte_array_new ();
  g_byte_array_set_size (out, content->len + 100);
  z_stream stream = {
    .next_in = content->data, .avail_in = content->len, .next_out = out->data, .avail_out = out->len
  };
  g_assert_cmpint (deflateInit2 (&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), ==,
                   Z_OK);
  g_assert_cmpint (deflate (&stream, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size (out, stream.total_out);
  deflateEnd (&stream);
  return out;
}

GByteArray *
sample_npz (const char *first, const char *second, GByteArray *content, gboolean deflate)
{
  g_autoptr (GByteArray) packed = deflate ? deflate_bytes (content) : g_byte_array_ref (content);
  GByteArray *out = g_byte_array_new ();
  Member members[] = { { .name = first }, { .name = second } };
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      Member *m = &members[i];
      m->method = deflate ? 8 : 0;
      m->crc = crc32 (0, content->data, content->len);
      m->packed = packed->len;
      m->size = content->len;
      m->offset = out->len;
      put (out, 0x04034b50, 4);
      put_fields (out, m);
      g_byte_array_append (out, (const guint8 *) m->name, strlen (m->name));
      g_byte_array_append (out, packed->data, packed->len);
    }
  guint directory = out->len;
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      put (out, 0x02014b50, 4);
      put (out, 20, 2);
      put_fields (out, &members[i]);
      put (out, 0, 2);
      put (out, 0, 2);
      put (out, 0, 2);
      put (out, 0, 4);
      put (out, members[i].offset, 4);
      g_byte_array_append (out, (const guint8 *) members[i].name, strlen (members[i].name));
    }
  guint bytes = out->len - directory;
  put (out, 0x06054b50, 4);
  put (out, 0, 4);
  put (out, G_N_ELEMENTS (members), 2);
  put (out, G_N_ELEMENTS (members), 2);
  put (out, bytes, 4);
  put (out, directory, 4);
  put (out, 0, 2);
  return out;
}
