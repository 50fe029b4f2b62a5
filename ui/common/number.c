/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/number.h"

#include <langinfo.h>
#include <string.h>

/* The narrow no-break one: in text from right to left a thin space would turn "9 610" round. */
#define THIN_SPACE "\xe2\x80\xaf"
#define MINUS      "\xe2\x88\x92"

char *
sluice_group_digits (const char *number)
{
  GString *out = g_string_new (NULL);
  const char *p = number;
  size_t whole;

  if (*p == '-')
    {
      g_string_append (out, MINUS);
      p++;
    }
  whole = strspn (p, "0123456789");
  for (size_t i = 0; i < whole; i++)
    {
      g_string_append_c (out, p[i]);
      if (i + 1 < whole && (whole - i - 1) % 3 == 0)
        g_string_append (out, THIN_SPACE);
    }
  for (p += whole; *p != '\0'; p++)
    {
      if (*p == '-')
        g_string_append (out, MINUS);
      else if (*p == '.')
        g_string_append (out, nl_langinfo (RADIXCHAR)); /* the user's */
      else
        g_string_append_c (out, *p);
    }
  return g_string_free (out, FALSE);
}

char *
sluice_format_step (gint64 step)
{
  char buffer[32];

  g_snprintf (buffer, sizeof buffer, "%" G_GINT64_FORMAT, step);
  return sluice_group_digits (buffer);
}
