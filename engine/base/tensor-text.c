/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Tensors as people write them. */
#include "engine/base/tensor-text.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"

typedef struct
{
  const char *begin, *at;
  SluiceDType dtype;
  GByteArray *elements;         /* of one dtype that is plain bytes */
  GPtrArray *strings;           /* of GBytes */
  gint64 dims[SLUICE_MAX_RANK]; /* of lists, -1: none has ended yet */
  int rank;                     /* of the elements; -1: none was seen yet */
  GError **error;
} Parser;

static gboolean G_GNUC_PRINTF (2, 3) complain (Parser *p, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sluice_fail (p->error, SLUICE_ERROR_INVALID_ARGUMENT, "character %zu: %s",
                      (gsize) (p->at - p->begin) + 1, what);
}

static void
skip (Parser *p)
{
  while (g_ascii_isspace (*p->at))
    p->at++;
}

/* The bytes that a dtype of plain elements takes. */
#define PUT(type, value)                                                                           \
  do                                                                                               \
    {                                                                                              \
      type put = (type) (value);                                                                   \
      g_byte_array_append (p->elements, (const guint8 *) &put, sizeof put);                        \
    }                                                                                              \
  while (FALSE)

static void
put_float (Parser *p, SluiceDType dtype, double value)
{
  switch (dtype)
    {
    case SLUICE_HALF:
      PUT (guint16, sluice_float_to_half ((float) value));
      break;
    case SLUICE_BFLOAT16:
      PUT (guint16, sluice_float_to_bfloat16 ((float) value));
      break;
    case SLUICE_FLOAT:
      PUT (float, value);
      break;
    default:
      PUT (double, value);
      break;
    }
}

/* A whole number, also as 3.0 or 1e3; of unsigned 64 bits as they lie. FALSE: it is none, or the
 * dtype cannot hold it. */
static gboolean
parse_whole (const char *token, SluiceDType dtype, guint64 *bits)
{
  guint width = 8 * (guint) sluice_dtype_size (dtype);
  gboolean no_sign = sluice_dtype_is_unsigned (dtype);
  gint64 number;
  if (no_sign && g_ascii_string_to_unsigned (token, 10, 0, G_MAXUINT64 >> (64 - width), bits, NULL))
    return TRUE;
  gint64 most = (gint64) (G_MAXUINT64 >> (65 - width));
  if (!no_sign && g_ascii_string_to_signed (token, 10, -most - 1, most, &number, NULL))
    {
      *bits = (guint64) number;
      return TRUE;
    }
  char *end;
  double value = g_ascii_strtod (token, &end);
  double limit = ldexp (1, (int) width - (no_sign ? 0 : 1));
  if (end == token || *end != '\0' || value != floor (value) || value >= limit
      || value < (no_sign ? 0 : -limit))
    return FALSE;
  *bits = value < 0 ? (guint64) (gint64) value : (guint64) value;
  return TRUE;
}

static gboolean
put_whole (Parser *p, const char *token)
{
  guint64 bits;
  if (!parse_whole (token, p->dtype, &bits))
    return complain (p, "'%s' is no %s", token, sluice_dtype_name (p->dtype));
  /* Little-endian, as all of this: the low bytes are the number. */
  g_byte_array_append (p->elements, (const guint8 *) &bits, (guint) sluice_dtype_size (p->dtype));
  return TRUE;
}

static gboolean
put_bool (Parser *p, const char *token)
{
  static const char *const words[] = { "false", "0", "true", "1", NULL };
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (token, words[i]) == 0)
      {
        PUT (guint8, i > 1);
        return TRUE;
      }
  return complain (p, "'%s' is neither true nor false", token);
}

/* "1.5", "1+2j", "2j". */
static gboolean
put_complex (Parser *p, const char *token)
{
  SluiceDType part = p->dtype == SLUICE_COMPLEX64 ? SLUICE_FLOAT : SLUICE_DOUBLE;
  char *end, *last;
  double re = g_ascii_strtod (token, &end), im = 0;
  gboolean ok = end != token;
  if (ok && *end == 'j' && end[1] == '\0')
    {
      im = re;
      re = 0;
    }
  else if (ok && *end != '\0')
    {
      im = g_ascii_strtod (end, &last);
      ok = last != end && (*end == '+' || *end == '-') && *last == 'j' && last[1] == '\0';
    }
  if (!ok)
    return complain (p, "'%s' is no complex number, as 1+2j is", token);
  put_float (p, part, re);
  put_float (p, part, im);
  return TRUE;
}

static gboolean
put_token (Parser *p, const char *token)
{
  if (p->dtype == SLUICE_STRING)
    return complain (p, "'%s': strings stand in double quotes, \"%s\"", token, token);
  if (p->dtype == SLUICE_BOOL)
    return put_bool (p, token);
  if (sluice_dtype_is_complex (p->dtype))
    return put_complex (p, token);
  if (!sluice_dtype_is_floating (p->dtype))
    return put_whole (p, token);
  char *end;
  double value = g_ascii_strtod (token, &end);
  if (end == token || *end != '\0')
    return complain (p, "'%s' is no number", token);
  put_float (p, p->dtype, value);
  return TRUE;
}

/* "\n", "\x41", "\101", "\\", "\"" and the like. */
static gboolean
read_escape (Parser *p, GByteArray *bytes)
{
  static const char letters[] = "abfnrtv\\\"'0", values[] = "\a\b\f\n\r\t\v\\\"'";
  const char *known = *p->at != '\0' ? strchr (letters, *p->at) : NULL;
  guint8 byte;
  if (*p->at == 'x' && g_ascii_isxdigit (p->at[1]) && g_ascii_isxdigit (p->at[2]))
    {
      byte = (guint8) (g_ascii_xdigit_value (p->at[1]) * 16 + g_ascii_xdigit_value (p->at[2]));
      p->at += 3;
    }
  else if (*p->at >= '0' && *p->at <= '3' && p->at[1] >= '0' && p->at[1] <= '7' && p->at[2] >= '0'
           && p->at[2] <= '7')
    {
      byte = (guint8) ((p->at[0] - '0') * 64 + (p->at[1] - '0') * 8 + (p->at[2] - '0'));
      p->at += 3;
    }
  else if (known != NULL)
    {
      byte = (guint8) values[known - letters];
      p->at++;
    }
  else
    return complain (p, "'\\%c' is no escape that is known", *p->at);
  g_byte_array_append (bytes, &byte, 1);
  return TRUE;
}

static gboolean
read_string (Parser *p)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  if (p->dtype != SLUICE_STRING)
    return complain (p, "a string does not fit %s", sluice_dtype_name (p->dtype));
  for (p->at++; *p->at != '"';)
    if (*p->at == '\0')
      return complain (p, "the string is not closed by '\"'");
    else if (*p->at == '\\')
      {
        p->at++;
        if (!read_escape (p, bytes))
          return FALSE;
      }
    else
      g_byte_array_append (bytes, (const guint8 *) p->at++, 1);
  p->at++;
  g_ptr_array_add (p->strings, g_byte_array_free_to_bytes (g_steal_pointer (&bytes)));
  return TRUE;
}

static gboolean
read_element (Parser *p, int depth)
{
  if (p->rank >= 0 && depth != p->rank)
    return complain (p, "an element stands %d lists deep, the ones before it %d", depth, p->rank);
  if (depth < SLUICE_MAX_RANK && p->dims[depth] >= 0)
    return complain (p, "an element stands beside lists");
  p->rank = depth;
  if (*p->at == '"')
    return read_string (p);
  gsize n = strcspn (p->at, ",]\"[ \t\r\n");
  if (n == 0)
    return complain (p, *p->at == '\0' ? "a value is missing" : "'%c' is no value", *p->at);
  g_autofree char *token = g_strndup (p->at, n);
  if (!put_token (p, token))
    return FALSE;
  p->at += n;
  return TRUE;
}

static gboolean read_item (Parser *p, int depth);

static gboolean
read_list (Parser *p, int depth)
{
  gint64 n = 0;
  if (depth >= SLUICE_MAX_RANK || (p->rank >= 0 && depth >= p->rank))
    return complain (p, "a list stands deeper than %s",
                     p->rank >= 0 ? "the elements before it" : "a tensor has dimensions");
  p->at++;
  for (skip (p); *p->at != ']'; n++)
    {
      if (!read_item (p, depth + 1))
        return FALSE;
      skip (p);
      if (*p->at == ',')
        {
          p->at++;
          skip (p);
        }
      else if (*p->at != ']')
        return complain (p, *p->at == '\0' ? "a list is not closed by ']'"
                                           : "',' or ']' must stand between values");
    }
  if (p->dims[depth] >= 0 && p->dims[depth] != n)
    return complain (p,
                     "a list of %" G_GINT64_FORMAT " stands beside lists of %" G_GINT64_FORMAT
                     "; the rows of a tensor are equally long",
                     n, p->dims[depth]);
  p->dims[depth] = n;
  p->at++;
  return TRUE;
}

static gboolean
read_item (Parser *p, int depth)
{
  skip (p);
  return *p->at == '[' ? read_list (p, depth) : read_element (p, depth);
}

static SluiceTensor *
make_tensor (Parser *p, const SluiceShape *shape)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (p->dtype, shape);
  for (guint i = 0; i < p->strings->len; i++)
    {
      gsize length;
      const char *data = g_bytes_get_data (p->strings->pdata[i], &length);
      sluice_string_set ((SluiceString *) tensor->data + i, data, length);
    }
  if (p->elements->len > 0)
    memcpy (tensor->data, p->elements->data, p->elements->len);
  return tensor;
}

/* Nothing stands behind the value. */
static gboolean
check_end (Parser *p)
{
  skip (p);
  const char *behind = p->at;
  while (*p->at == ',') /* what is wrong with further values comes first */
    {
      p->at++;
      if (!read_item (p, 0))
        return FALSE;
      skip (p);
    }
  p->at = behind;
  return *behind == '\0'
         || complain (p, "'%s' stands behind the value; several values stand in [ ]", behind);
}

SluiceTensor *
sluice_tensor_parse (const char *text, SluiceDType dtype, GError **error)
{
  g_autoptr (GByteArray) elements = g_byte_array_new ();
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  Parser p = { text, text, dtype, elements, strings, { 0 }, -1, error };
  SluiceShape shape;
  int n_lists = 0;
  if (!sluice_dtype_in (dtype, SLUICE_SET_POD | SLUICE_SET (SLUICE_STRING)))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "a %s cannot be written as text",
                   sluice_dtype_name (dtype));
      return NULL;
    }
  for (guint d = 0; d < G_N_ELEMENTS (p.dims); d++)
    p.dims[d] = -1;
  if (!read_item (&p, 0) || !check_end (&p))
    return NULL;
  while (n_lists < SLUICE_MAX_RANK && p.dims[n_lists] >= 0)
    n_lists++;
  if (!sluice_shape_make (&shape, p.dims, (guint) n_lists, error))
    return NULL;
  return make_tensor (&p, &shape);
}
