/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/range-text.h"

#include <langinfo.h>
#include <math.h>
#include <string.h>

static const struct
{
  const char *suffix;
  double factor;
} factors[] = {
  { "k", 1e3 },  { "M", 1e6 },   { "G", 1e9 },  { "s", 1 },     { "min", 60 },
  { "h", 3600 }, { "d", 86400 }, { "%", 1e-2 }, { "ms", 1e-3 },
};

/* Without spaces of any width, with the signs that strtod knows. */
static char *
simplify (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (g_unichar_isspace (c) || c == 0x202f || c == 0x2009 || c == 0xa0)
        continue;
      g_string_append_unichar (out, c == 0x2212 ? '-' : c == ',' ? '.' : c);
    }
  return g_string_free (out, FALSE);
}

static gboolean
parse_time (const char *text, double *value)
{
  g_autoptr (GTimeZone) here = g_time_zone_new_local ();
  g_autofree char *iso = g_strstrip (g_strdup (text));
  g_autoptr (GDateTime) time = NULL;

  /* "2026-11-24 18:30" lacks the seconds that ISO 8601 asks for. */
  if (strlen (iso) == 16)
    {
      char *whole = g_strconcat (iso, ":00", NULL);

      g_free (iso);
      iso = whole;
    }
  g_strdelimit (iso, " ", 'T');
  time = g_date_time_new_from_iso8601 (iso, here);
  if (time == NULL)
    return FALSE;
  *value = (double) g_date_time_to_unix (time) + g_date_time_get_microsecond (time) / 1e6;
  return TRUE;
}

gboolean
sluice_range_parse (const char *text, SluiceUnit unit, double *value)
{
  g_autofree char *plain = simplify (text);
  double factor = unit == SLUICE_UNIT_PERCENT ? 1e-2 : 1;
  gboolean known;
  char *end;

  *value = NAN;
  if (*plain == '\0')
    return TRUE;
  if (unit == SLUICE_UNIT_TIME)
    return parse_time (text, value);
  *value = g_ascii_strtod (plain, &end);
  known = *end == '\0';
  for (guint i = 0; i < G_N_ELEMENTS (factors) && !known; i++)
    if (strcmp (end, factors[i].suffix) == 0)
      {
        factor = factors[i].factor;
        known = TRUE;
      }
  *value *= factor;
  return known && end != plain && isfinite (*value);
}

char *
sluice_range_format (double value, SluiceUnit unit)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    return g_strdup ("");
  if (unit == SLUICE_UNIT_TIME)
    {
      g_autoptr (GDateTime) time = g_date_time_new_from_unix_local ((gint64) value);

      return time != NULL ? g_date_time_format (time, "%Y-%m-%d %H:%M:%S") : g_strdup ("");
    }
  g_ascii_formatd (digits, sizeof digits, "%.6g",
                   unit == SLUICE_UNIT_PERCENT ? 100 * value : value);
  g_autoptr (GString) text = g_string_new (digits);
  g_string_replace (text, ".", nl_langinfo (RADIXCHAR), 1); /* as simplify() takes it */
  if (unit == SLUICE_UNIT_PERCENT)
    g_string_append (text, " %");
  return g_strdup (text->str);
}
