/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/text.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"

#define MAX_NAME_BYTES 255
#define MOST_WHOLE     1e15 /* whole numbers up to here are written out */

/* Unicode's embeddings, overrides and isolates: what they enclose is not shown where it stands. */
static gboolean
turns_direction (gunichar c)
{
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static gboolean
is_plain (gunichar c)
{
  return !g_unichar_iscntrl (c) && !turns_direction (c) && c != 0x2028 && c != 0x2029;
}

gboolean
sluice_text_is_visible (const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    return FALSE;
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    if (*at != '\t' && !is_plain (g_utf8_get_char (at)))
      return FALSE;
  return TRUE;
}

static gboolean
is_number_sign (const char *name)
{
  return name[0] == '#' && name[1] != '\0' && strspn (name + 1, "0123456789") == strlen (name + 1);
}

/* NULL: nothing. */
static const char *
find_fault (const char *name)
{
  gsize length = strlen (name);
  if (length == 0)
    return "is empty";
  if (length > MAX_NAME_BYTES)
    return "is longer than 255 bytes";
  if (!g_utf8_validate (name, (gssize) length, NULL))
    return "is no UTF-8";
  for (const char *at = name; *at != '\0'; at = g_utf8_next_char (at))
    if (!is_plain (g_utf8_get_char (at)))
      return "has a control character inside";
  if (g_unichar_isspace (g_utf8_get_char (name))
      || g_unichar_isspace (g_utf8_get_char (g_utf8_prev_char (name + length))))
    return "begins or ends with a blank";
  return is_number_sign (name) ? "would be taken for a number" : NULL;
}

gboolean
sluice_text_check_name (const char *what, const char *name, GError **error)
{
  const char *fault = find_fault (name);
  if (fault == NULL)
    return TRUE;
  g_autofree char *shown = sluice_text_escape (name);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%s, '%s', %s; give one of visible characters", what, shown, fault);
}

char *
sluice_text_escape (const char *text)
{
  GString *out = g_string_new (NULL);
  for (const char *at = text; *at != '\0';)
    {
      gunichar c = g_utf8_get_char_validated (at, -1);
      if (c == (gunichar) -1 || c == (gunichar) -2)
        g_string_append_printf (out, "\\x%02x", (guint8) *at++);
      else
        {
          if (is_plain (c))
            g_string_append_unichar (out, c);
          else if (c == '\n')
            g_string_append (out, "\\n");
          else if (c == '\t')
            g_string_append (out, "\\t");
          else
            g_string_append_printf (out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
          at = g_utf8_next_char (at);
        }
    }
  return g_string_free (out, FALSE);
}

gboolean
sluice_text_parse_size (const char *text, gsize *bytes)
{
  static const char units[] = "KMGT";
  char *end = (char *) text;
  guint64 number = g_ascii_isdigit (*end) ? g_ascii_strtoull (text, &end, 10) : 0;
  const char *unit = *end != '\0' ? strchr (units, g_ascii_toupper (*end)) : NULL;
  guint shift = unit != NULL ? 10 * (guint) (unit - units + 1) : 0;
  end += unit != NULL;
  if (end == text || *end != '\0' || number == 0 || number > ((guint64) G_MAXINT64 >> shift))
    return FALSE;
  *bytes = number << shift;
  return TRUE;
}

char *
sluice_text_dup_number (double value, gboolean is_float)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (value == trunc (value) && fabs (value) < MOST_WHOLE)
    return g_strdup (g_ascii_formatd (text, sizeof text, "%.0f", value));
  for (int digits = 6; digits <= 17; digits++)
    {
      g_autofree char *format = g_strdup_printf ("%%.%dg", digits);
      double back = g_ascii_strtod (g_ascii_formatd (text, sizeof text, format, value), NULL);
      if (is_float ? (float) back == (float) value : back == value)
        break;
    }
  return g_strdup (text);
}

gboolean
sluice_text_is_shallow_json (const char *text, gsize length, guint max_depth)
{
  guint depth = 0;
  gboolean in_text = FALSE;
  for (gsize i = 0; i < length; i++)
    if (in_text && text[i] == '\\')
      i++; /* and what it stands before */
    else if (in_text)
      in_text = text[i] != '"';
    else if (text[i] == '"')
      in_text = TRUE;
    else if ((text[i] == '[' || text[i] == '{') && ++depth > max_depth)
      return FALSE;
    else if ((text[i] == ']' || text[i] == '}') && depth > 0)
      depth--;
  return TRUE;
}
