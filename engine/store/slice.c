/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/slice.h"

#include <string.h>

#include "engine/base/error.h"

/* ---- specifications ---- */

/* A size or a start: digits that fit into 63 bits. */
static gboolean
parse_number (const char *text, gint64 *value)
{
  guint64 number;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &number, NULL))
    return FALSE;
  *value = number;
  return TRUE;
}

static gboolean
parse_extent (const char *text, gint64 *start, gint64 *length)
{
  *start = 0;
  *length = SLUICE_SLICE_ALL;
  if (strcmp (text, "-") == 0)
    return TRUE;
  g_auto (GStrv) pair = g_strsplit (text, ",", 3);
  return g_strv_length (pair) == 2 && parse_number (pair[0], start)
         && parse_number (pair[1], length) && *length > 0;
}

static gboolean
parse_parts (char **sizes, char **extents, SluiceShape *full, SluiceSlice *slice)
{
  gint64 dims[SLUICE_MAX_RANK];
  guint rank = g_strv_length (extents);
  if (rank == 0 || rank > SLUICE_MAX_RANK)
    return FALSE;
  slice->rank = rank;
  for (guint i = 0; i < rank; i++)
    if (!parse_number (sizes[i], &dims[i])
        || !parse_extent (extents[i], &slice->start[i], &slice->length[i]))
      return FALSE;
  return sluice_shape_make (full, dims, rank, NULL);
}

gboolean
sluice_slice_parse_spec (
    const char *spec, gsize length, SluiceShape *full, SluiceSlice *slice, GError **error)
{
  *full = SLUICE_SHAPE_UNKNOWN;
  *slice = sluice_slice_whole (0);
  if (length == 0)
    return TRUE;
  g_autofree char *text = g_strndup (spec, length);
  g_auto (GStrv) parts = g_strsplit (text, " ", -1);
  guint n = g_strv_length (parts);
  g_auto (GStrv) extents = g_strsplit (parts[n - 1], ":", -1);
  if (n != g_strv_length (extents) + 1 || !parse_parts (parts, extents, full, slice))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no shape and slice; write the sizes of the whole tensor and "
                        "start,length of each dimension, as in \"4 6 0,2:-\"",
                        text);
  if (!sluice_slice_fits (slice, full))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "slice '%s' lies outside of its own tensor", text);
  return TRUE;
}

SluiceSlice
sluice_slice_whole (int rank)
{
  SluiceSlice self = { .rank = rank };
  for (int i = 0; i < rank; i++)
    self.length[i] = SLUICE_SLICE_ALL;
  return self;
}

gboolean
sluice_slice_fits (const SluiceSlice *self, const SluiceShape *full)
{
  if (self->rank != full->rank)
    return FALSE;
  for (int i = 0; i < self->rank; i++)
    if (self->length[i] != SLUICE_SLICE_ALL
        && (self->start[i] < 0 || self->length[i] < 0 || self->start[i] > full->dim[i]
            || self->length[i] > full->dim[i] - self->start[i]))
      return FALSE;
  return TRUE;
}

SluiceShape
sluice_slice_shape (const SluiceSlice *self, const SluiceShape *full)
{
  SluiceShape shape = *full;
  for (int i = 0; i < self->rank; i++)
    if (self->length[i] != SLUICE_SLICE_ALL)
      shape.dim[i] = self->length[i];
  return shape;
}

gboolean
sluice_slice_is_whole (const SluiceSlice *self, const SluiceShape *full)
{
  SluiceShape shape = sluice_slice_shape (self, full);
  return sluice_shape_equal (&shape, full);
}

/* ---- copying ---- */

/* What two slices share, as steps through both of them. */
typedef struct
{
  SluiceDType dtype;
  int rank;
  gint64 count[SLUICE_MAX_RANK];
  gint64 to_stride[SLUICE_MAX_RANK], from_stride[SLUICE_MAX_RANK];
} Overlap;

static void
copy_overlap (const Overlap *o, int axis, char *to, const char *from)
{
  gsize size = sluice_dtype_size (o->dtype);
  if (axis == o->rank - 1)
    {
      sluice_elements_copy (o->dtype, to, from, o->count[axis]);
      return;
    }
  for (gint64 i = 0; i < o->count[axis]; i++)
    copy_overlap (o, axis + 1, to + i * o->to_stride[axis] * size,
                  from + i * o->from_stride[axis] * size);
}

void
sluice_slice_copy (const SluiceShape *full,
                   SluiceTensor *to,
                   const SluiceSlice *to_slice,
                   const SluiceTensor *from,
                   const SluiceSlice *from_slice)
{
  if (full->rank == 0)
    {
      sluice_elements_copy (to->dtype, to->data, from->data, 1);
      return;
    }
  Overlap o = { to->dtype, full->rank };
  gint64 to_stride = 1, from_stride = 1, to_offset = 0, from_offset = 0;
  for (int i = full->rank - 1; i >= 0; i--)
    {
      gint64 a = to_slice->start[i], b = from_slice->start[i], begin = MAX (a, b);
      o.count[i] = MIN (a + to->shape.dim[i], b + from->shape.dim[i]) - begin;
      if (o.count[i] <= 0)
        return;
      o.to_stride[i] = to_stride;
      o.from_stride[i] = from_stride;
      to_offset += (begin - a) * to_stride;
      from_offset += (begin - b) * from_stride;
      to_stride *= to->shape.dim[i];
      from_stride *= from->shape.dim[i];
    }
  gsize size = sluice_dtype_size (to->dtype);
  copy_overlap (&o, 0, (char *) to->data + to_offset * size,
                (const char *) from->data + from_offset * size);
}

/* ---- keys: TensorFlow's ordered code ---- */

/* The number of bytes, then the bytes, greatest first. */
static void
put_unsigned (GByteArray *out, guint64 value)
{
  guint8 bytes[9];
  guint n = 0;
  for (guint64 rest = value; rest > 0; rest >>= 8)
    n++;
  bytes[0] = n;
  for (guint i = 0; i < n; i++)
    bytes[1 + i] = value >> (8 * (n - 1 - i));
  g_byte_array_append (out, bytes, n + 1);
}

/* 0 and 255 are marked by a byte behind them, and 0 1 ends the text. */
static void
put_text (GByteArray *out, const char *text)
{
  static const guint8 marked_255[] = { 255, 0 }, end[] = { 0, 1 };
  for (; *text != 0; text++)
    if ((guint8) *text == 255)
      g_byte_array_append (out, marked_255, sizeof marked_255);
    else
      g_byte_array_append (out, (const guint8 *) text, 1);
  g_byte_array_append (out, end, sizeof end);
}

/* Two's complement in as few bytes as hold 7 bits each; as many ones at the front as there are
 * bytes, inverted for negative numbers, tell how many. */
static void
put_signed (GByteArray *out, gint64 value)
{
  guint64 magnitude = value < 0 ? ~(guint64) value : (guint64) value;
  guint n = 1;
  for (guint64 rest = magnitude >> 6; rest > 0; rest >>= 7)
    n++;
  guint8 bytes[10];
  for (guint i = 0; i < 10; i++)
    {
      guint shift = 8 * (9 - i);
      bytes[i] = shift < 64 ? (guint64) value >> shift : (value < 0 ? 255 : 0);
    }
  guint16 header = (guint16) (0xffffu << (16 - n));
  guint8 *begin = bytes + 10 - n;
  begin[0] ^= header >> 8;
  if (n > 1)
    begin[1] ^= header & 255;
  g_byte_array_append (out, begin, n);
}

GByteArray *
sluice_slice_make_key (const char *name, const SluiceSlice *slice)
{
  GByteArray *out = g_byte_array_new ();
  put_unsigned (out, 0);
  put_text (out, name);
  put_unsigned (out, slice->rank);
  for (int i = 0; i < slice->rank; i++)
    {
      put_signed (out, slice->length[i] == SLUICE_SLICE_ALL ? 0 : slice->start[i]);
      put_signed (out, slice->length[i]);
    }
  return out;
}
