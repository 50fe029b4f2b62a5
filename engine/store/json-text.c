/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/json-text.h"

#include <json-glib/json-glib.h>
#include <math.h>

void
sluice_json_append_double (GString *json, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (!isfinite (value))
    {
      g_string_append (json, isnan (value) ? "\"NaN\""
                             : value > 0   ? "\"Infinity\""
                                           : "\"-Infinity\"");
      return;
    }
  static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_ascii_formatd (text, sizeof text, formats[i], value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (json, text);
}

void
sluice_json_append_doubles (GString *json, const double *values, gsize n)
{
  g_string_append_c (json, '[');
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (json, ", ");
      sluice_json_append_double (json, values[i]);
    }
  g_string_append_c (json, ']');
}

void
sluice_json_append_string (GString *json, const char *text, gssize length)
{
  g_autofree char *valid = g_utf8_make_valid (text, length);
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), valid);
  g_autofree char *quoted = json_to_string (node, FALSE);
  g_string_append (json, quoted);
}
