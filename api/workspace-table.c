/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/workspace-table.h"

#include <math.h>
#include <string.h>

typedef struct
{
  char *name;
  GPtrArray *cells; /* of GVariant; NULL: the row has none */
} Column;

static void
column_free (gpointer data)
{
  Column *self = data;
  g_free (self->name);
  g_ptr_array_unref (self->cells);
  g_free (self);
}

static void
cell_free (gpointer cell)
{
  if (cell != NULL)
    g_variant_unref (cell);
}

typedef struct
{
  GPtrArray *columns;  /* of Column, as they came */
  GHashTable *by_name; /* name -> Column */
} Table;

/* take: a cell of the row; a name is there once a row. */
static void
put (Table *self, guint row, const char *name, GVariant *take)
{
  Column *column = g_hash_table_lookup (self->by_name, name);
  if (column == NULL)
    {
      column = g_new (Column, 1);
      *column = (Column){ g_strdup (name), g_ptr_array_new_with_free_func (cell_free) };
      g_ptr_array_add (self->columns, column);
      g_hash_table_insert (self->by_name, column->name, column);
    }
  g_ptr_array_set_size (column->cells, (gint) row);
  g_ptr_array_add (column->cells, take);
}

/* ---- cells ---- */

/* What a maybe has. (transfer full) (nullable) */
static GVariant *
unwrap (GVariant *take)
{
  if (!g_variant_is_of_type (take, G_VARIANT_TYPE_MAYBE))
    return take;
  GVariant *inner = g_variant_get_maybe (take);
  g_variant_unref (take);
  return inner;
}

static gboolean
is_nested (const char *name)
{
  return strcmp (name, "settings") == 0 || strcmp (name, "results") == 0;
}

static char *
dup_name (const char *kind, const char *name, gboolean is_taken)
{
  return is_taken ? g_strconcat (kind, "/", name, NULL) : g_strdup (name);
}

/* settings: a{sv} */
static void
put_settings (Table *self, guint row, GVariant *dictionary, GVariant *settings)
{
  GVariantIter iter;
  const char *name;
  GVariant *boxed;
  g_variant_iter_init (&iter, settings);
  while (g_variant_iter_next (&iter, "{&sv}", &name, &boxed))
    {
      g_autoptr (GVariant) plain = g_variant_lookup_value (dictionary, name, NULL);
      g_autofree char *full = dup_name ("settings", name, plain != NULL && !is_nested (name));
      put (self, row, full, unwrap (boxed));
    }
}

/* results: a{sv} of a{sv} */
static void
put_results (Table *self, guint row, GVariant *dictionary, GVariant *settings, GVariant *results)
{
  GVariantIter iter;
  const char *tag;
  GVariant *boxed;
  g_variant_iter_init (&iter, results);
  while (g_variant_iter_next (&iter, "{&sv}", &tag, &boxed))
    {
      g_autoptr (GVariant) result = boxed;
      g_autoptr (GVariant) plain = g_variant_lookup_value (dictionary, tag, NULL);
      g_autoptr (GVariant) setting = g_variant_lookup_value (settings, tag, NULL);
      gboolean is_taken = setting != NULL || (plain != NULL && !is_nested (tag));
      g_autofree char *last_name = dup_name ("results", tag, is_taken);
      g_autofree char *best_name = g_strconcat (last_name, "/best", NULL);
      GVariant *best = unwrap (g_variant_lookup_value (result, "best", NULL));
      put (self, row, last_name, unwrap (g_variant_lookup_value (result, "last", NULL)));
      if (best != NULL)
        put (self, row, best_name, best);
    }
}

static void
put_row (Table *self, guint row, GVariant *dictionary)
{
  GVariantIter iter;
  const char *name;
  GVariant *boxed;
  g_autoptr (GVariant) settings = g_variant_lookup_value (dictionary, "settings", NULL);
  g_autoptr (GVariant) results = g_variant_lookup_value (dictionary, "results", NULL);
  g_variant_iter_init (&iter, dictionary);
  while (g_variant_iter_next (&iter, "{&sv}", &name, &boxed))
    if (is_nested (name))
      g_variant_unref (boxed);
    else
      put (self, row, name, unwrap (boxed));
  put_settings (self, row, dictionary, settings);
  put_results (self, row, dictionary, settings, results);
}

/* ---- columns ---- */

/* Are all cells that are there of one of these types, and is one there? */
static gboolean
has_only (const Column *self, const char *types)
{
  gboolean has_one = FALSE;
  for (guint i = 0; i < self->cells->len; i++)
    {
      GVariant *cell = self->cells->pdata[i];
      if (cell != NULL && strchr (types, *g_variant_get_type_string (cell)) == NULL)
        return FALSE;
      has_one |= cell != NULL;
    }
  return has_one;
}

static gboolean
is_whole (const Column *self)
{
  for (guint i = 0; i < self->cells->len; i++)
    if (self->cells->pdata[i] == NULL)
      return FALSE;
  return TRUE;
}

static GVariant *
numbers_new (const Column *self)
{
  g_autofree double *numbers = g_new (double, self->cells->len);
  for (guint i = 0; i < self->cells->len; i++)
    {
      GVariant *cell = self->cells->pdata[i];
      numbers[i] = cell == NULL ? NAN
                   : g_variant_is_of_type (cell, G_VARIANT_TYPE_DOUBLE)
                       ? g_variant_get_double (cell)
                       : (double) g_variant_get_int64 (cell);
    }
  return g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, numbers, self->cells->len,
                                    sizeof *numbers);
}

static GVariant *
texts_new (const Column *self)
{
  GVariantBuilder texts, there;
  g_variant_builder_init (&texts, G_VARIANT_TYPE_STRING_ARRAY);
  g_variant_builder_init (&there, G_VARIANT_TYPE ("ab"));
  for (guint i = 0; i < self->cells->len; i++)
    {
      GVariant *cell = self->cells->pdata[i];
      g_variant_builder_add (&texts, "s", cell != NULL ? g_variant_get_string (cell, NULL) : "");
      g_variant_builder_add (&there, "b", cell != NULL);
    }
  return g_variant_new ("(asab)", &texts, &there);
}

/* of: of each cell, or "m" and that */
static GVariant *
array_new (const Column *self, const GVariantType *of)
{
  gboolean is_maybe = g_variant_type_is_maybe (of);
  GVariantBuilder array;
  g_autoptr (GVariantType) type = g_variant_type_new_array (of);
  g_variant_builder_init (&array, type);
  for (guint i = 0; i < self->cells->len; i++)
    {
      GVariant *cell = self->cells->pdata[i];
      g_variant_builder_add_value (&array, is_maybe ? g_variant_new_maybe (
                                               g_variant_type_element (of),
                                               cell != NULL ? g_variant_new_variant (cell) : NULL)
                                                    : cell);
    }
  return g_variant_builder_end (&array);
}

static GVariant *
column_to_variant (const Column *self)
{
  gboolean whole = is_whole (self);
  if (whole && has_only (self, "x"))
    return array_new (self, G_VARIANT_TYPE_INT64);
  if (has_only (self, "xd"))
    return numbers_new (self);
  if (whole && has_only (self, "b"))
    return array_new (self, G_VARIANT_TYPE_BOOLEAN);
  if (has_only (self, "s"))
    return texts_new (self);
  return array_new (self, G_VARIANT_TYPE ("mv"));
}

GVariant *
sluice_workspace_table_new (GVariant *rows)
{
  Table self = { g_ptr_array_new_with_free_func (column_free),
                 g_hash_table_new (g_str_hash, g_str_equal) };
  guint n = (guint) g_variant_n_children (rows);
  for (guint row = 0; row < n; row++)
    {
      g_autoptr (GVariant) dictionary = g_variant_get_child_value (rows, row);
      put_row (&self, row, dictionary);
    }
  GVariantBuilder table;
  g_variant_builder_init (&table, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < self.columns->len; i++)
    {
      Column *column = self.columns->pdata[i];
      g_ptr_array_set_size (column->cells, (gint) n);
      g_variant_builder_add (&table, "{sv}", column->name, column_to_variant (column));
    }
  g_hash_table_unref (self.by_name);
  g_ptr_array_unref (self.columns);
  return g_variant_builder_end (&table);
}
