/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/conformance/compare.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <string.h>

#include "engine/base/difference.h"

/* ---- serialised Summary with an image in it: the PNG's bytes depend on its compressor ---- */

typedef struct
{
  const guint8 *at, *end;
} Wire;

static gboolean
wire_varint (Wire *w, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; w->at < w->end && shift < 64; shift += 7)
    {
      guint8 byte = *w->at++;
      *value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

/* The next field: a varint in *number, or bytes in *sub. */
static gboolean
wire_field (Wire *w, guint *field, guint64 *number, Wire *sub)
{
  guint64 key, length;
  *sub = (Wire){ NULL, NULL };
  if (w->at >= w->end || !wire_varint (w, &key))
    return FALSE;
  *field = key >> 3;
  if ((key & 7) == 0)
    return wire_varint (w, number);
  length = (key & 7) == 1 ? 8 : 4;
  if ((key & 7) == 2 && !wire_varint (w, &length))
    return FALSE;
  if (length > (guint64) (w->end - w->at))
    return FALSE;
  *sub = (Wire){ w->at, w->at + length };
  w->at += length;
  return TRUE;
}

static GdkPixbuf *
decode_png (Wire png)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  gboolean ok = gdk_pixbuf_loader_write (loader, png.at, png.end - png.at, NULL);
  ok &= gdk_pixbuf_loader_close (loader, NULL);
  GdkPixbuf *pixbuf = ok ? gdk_pixbuf_loader_get_pixbuf (loader) : NULL;
  return pixbuf != NULL ? g_object_ref (pixbuf) : NULL;
}

static gboolean
pixels_equal (Wire got, Wire want)
{
  g_autoptr (GdkPixbuf) a = decode_png (got), b = decode_png (want);
  if (a == NULL || b == NULL)
    return FALSE;
  g_autoptr (GBytes) x = gdk_pixbuf_read_pixel_bytes (a), y = gdk_pixbuf_read_pixel_bytes (b);
  return gdk_pixbuf_get_width (a) == gdk_pixbuf_get_width (b)
         && gdk_pixbuf_get_height (a) == gdk_pixbuf_get_height (b)
         && gdk_pixbuf_get_n_channels (a) == gdk_pixbuf_get_n_channels (b) && g_bytes_equal (x, y);
}

/* Messages of Summary (0), Value (1) and Image (2): equal but for the encoded image. */
static gboolean
summaries_equal (Wire got, Wire want, int level)
{
  static const guint descend[] = { 1, 4, 0 };
  while (got.at < got.end || want.at < want.end)
    {
      guint f1, f2;
      guint64 n1 = 0, n2 = 0;
      Wire s1, s2;
      if (!wire_field (&got, &f1, &n1, &s1) || !wire_field (&want, &f2, &n2, &s2) || f1 != f2
          || n1 != n2)
        return FALSE;
      gboolean same = s1.end - s1.at == s2.end - s2.at
                      && (s1.at == s1.end || memcmp (s1.at, s2.at, s1.end - s1.at) == 0);
      if (!same && level < 2 && f1 == descend[level])
        same = summaries_equal (s1, s2, level + 1);
      else if (!same && level == 2 && f1 == 4)
        same = pixels_equal (s1, s2);
      if (!same)
        return FALSE;
    }
  return TRUE;
}

static gboolean
strings_equal (const SluiceString *got, const SluiceString *want)
{
  /* The generator passed results through NumPy, which drops zero bytes at the end of a string: what
   * was recorded lacks them (a histogram whose last bucket is empty ends in eight). */
  gsize length = got->length;
  while (length > want->length && got->data[length - 1] == 0)
    length--;
  if (length == want->length && (length == 0 || memcmp (got->data, want->data, length) == 0))
    return TRUE;
  static const char png[] = "\x89PNG\r\n";
  if (want->length == 0 || memmem (want->data, want->length, png, sizeof png - 1) == NULL)
    return FALSE;
  Wire a = { (const guint8 *) got->data, (const guint8 *) got->data + got->length };
  Wire b = { (const guint8 *) want->data, (const guint8 *) want->data + want->length };
  return summaries_equal (a, b, 0);
}

static char *
element_text (const SluiceTensor *t, gint64 i)
{
  if (t->dtype == SLUICE_STRING)
    {
      const SluiceString *s = (SluiceString *) t->data + i;
      g_autofree char *text = g_strndup (s->length > 0 ? s->data : "", MIN (s->length, 60));
      g_autofree char *escaped = g_strescape (text, NULL);
      return g_strdup_printf ("\"%s\" (%" G_GSIZE_FORMAT " bytes)", escaped, s->length);
    }
  if (sluice_dtype_is_floating (t->dtype) || sluice_dtype_is_complex (t->dtype))
    {
      SluiceNumber n = sluice_tensor_get_number (t, i);
      return n.im != 0 ? g_strdup_printf ("%.9Lg%+.9Lgi", n.re, n.im)
                       : g_strdup_printf ("%.9Lg", n.re);
    }
  gint64 value = 0;
  memcpy (&value, (char *) t->data + i * sluice_dtype_size (t->dtype),
          sluice_dtype_size (t->dtype));
  return g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", value);
}

char *
compare_tensors (const SluiceTensor *got, const SluiceTensor *want, double rtol, double atol)
{
  char *mismatch = sluice_tensor_dup_mismatch (got, want);
  gint64 n_wrong = 0, first = -1;
  if (mismatch != NULL)
    return mismatch;
  if (want->dtype == SLUICE_STRING)
    for (gint64 i = want->n_elements; i-- > 0;)
      {
        gboolean same =
            strings_equal ((SluiceString *) got->data + i, (SluiceString *) want->data + i);
        n_wrong += !same;
        first = same ? first : i;
      }
  else
    {
      SluiceDifference difference;
      sluice_tensor_find_difference (got, want, rtol, atol, &difference);
      n_wrong = difference.n_beyond;
      first = difference.first_beyond;
    }
  if (n_wrong == 0)
    return NULL;
  g_autofree char *a = element_text (got, first), *b = element_text (want, first);
  return g_strdup_printf ("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                          " elements differ; the first at %" G_GINT64_FORMAT
                          ": %s, want %s (rtol %g, atol %g)",
                          n_wrong, want->n_elements, first, a, b, rtol, atol);
}
