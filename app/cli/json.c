/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/json.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>

gboolean sluice_cli_json;

JsonBuilder *
sluice_cli_json_begin (void)
{
  JsonBuilder *b = json_builder_new ();
  json_builder_begin_object (b);
  return b;
}

void
sluice_cli_print_json_text (const char *text)
{
  puts (text);
}

void
sluice_cli_print_json (JsonBuilder *take)
{
  g_autoptr (JsonBuilder) builder = take;
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, FALSE);
  sluice_cli_print_json_text (text);
}

void
sluice_cli_json_end (JsonBuilder *take)
{
  json_builder_end_object (take);
  if (sluice_cli_json)
    sluice_cli_print_json (take);
  else
    g_object_unref (take);
}

/* json-glib writes bytes that are no UTF-8 as they stand, which no reader takes. */
static void
add_string (JsonBuilder *b, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  json_builder_add_string_value (b, valid);
}

void
sluice_cli_json_add_string (JsonBuilder *b, const char *value)
{
  if (value != NULL)
    add_string (b, value);
  else
    json_builder_add_null_value (b);
}

void
sluice_cli_json_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  sluice_cli_json_add_string (b, value);
}

void
sluice_cli_json_int (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

void
sluice_cli_json_add_double (JsonBuilder *b, double value)
{
  if (isfinite (value))
    json_builder_add_double_value (b, value);
  else
    json_builder_add_string_value (b, isnan (value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

void
sluice_cli_json_double (JsonBuilder *b, const char *name, double value)
{
  json_builder_set_member_name (b, name);
  sluice_cli_json_add_double (b, value);
}

void
sluice_cli_json_bool (JsonBuilder *b, const char *name, gboolean value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_boolean_value (b, value);
}

void
sluice_cli_json_null (JsonBuilder *b, const char *name)
{
  json_builder_set_member_name (b, name);
  json_builder_add_null_value (b);
}

void
sluice_cli_json_shape (JsonBuilder *b, const char *name, const SluiceShape *shape)
{
  json_builder_set_member_name (b, name);
  if (shape->rank < 0)
    {
      json_builder_add_null_value (b);
      return;
    }
  json_builder_begin_array (b);
  for (int i = 0; i < shape->rank; i++)
    json_builder_add_int_value (b, shape->dim[i]);
  json_builder_end_array (b);
}

void
sluice_cli_json_strings (JsonBuilder *b, const char *name, const char *const *values)
{
  if (values == NULL)
    {
      sluice_cli_json_null (b, name);
      return;
    }
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (; *values != NULL; values++)
    add_string (b, *values);
  json_builder_end_array (b);
}

/* ---- values of other shapes ---- */

static void add_variant (JsonBuilder *b, GVariant *value);

static void
add_members (JsonBuilder *b, GVariant *dictionary)
{
  GVariantIter iter;
  const char *name;
  GVariant *boxed;
  g_variant_iter_init (&iter, dictionary);
  while (g_variant_iter_next (&iter, "{&sv}", &name, &boxed))
    {
      json_builder_set_member_name (b, name);
      add_variant (b, boxed);
      g_variant_unref (boxed);
    }
}

static void
add_container (JsonBuilder *b, GVariant *value)
{
  gboolean is_object = g_variant_is_of_type (value, G_VARIANT_TYPE_VARDICT);
  gboolean is_array = !is_object && g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY);
  gsize n = g_variant_n_children (value);
  if (is_object)
    {
      json_builder_begin_object (b);
      add_members (b, value);
      json_builder_end_object (b);
      return;
    }
  if (is_array)
    json_builder_begin_array (b);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (value, i);
      add_variant (b, child);
    }
  if (is_array)
    json_builder_end_array (b);
  else if (n == 0) /* a maybe */
    json_builder_add_null_value (b);
}

static void
add_variant (JsonBuilder *b, GVariant *value)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_STRING:
      sluice_cli_json_add_string (b, g_variant_get_string (value, NULL));
      break;
    case G_VARIANT_CLASS_DOUBLE:
      sluice_cli_json_add_double (b, g_variant_get_double (value));
      break;
    case G_VARIANT_CLASS_INT64:
      json_builder_add_int_value (b, g_variant_get_int64 (value));
      break;
    case G_VARIANT_CLASS_BOOLEAN:
      json_builder_add_boolean_value (b, g_variant_get_boolean (value));
      break;
    default: /* a dictionary, an array, a maybe, or a value in a box */
      add_container (b, value);
    }
}

void
sluice_cli_print_variant (GVariant *members)
{
  g_autoptr (GVariant) held = g_variant_ref_sink (members);
  JsonBuilder *b = sluice_cli_json_begin ();
  add_members (b, held);
  sluice_cli_json_end (b);
}
