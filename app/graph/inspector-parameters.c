/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/graph/node-words.h"
#include "engine/graph/variable-kind.h"
#include "ui/chart/ticks.h"

/* The table of what is trained: a row for each scope below the one that is looked at, with the sum
 * of all in it, and one for each variable of its own, with its shape. */

#define MOST_ROWS 16

typedef struct
{
  char *name;   /* below the scope */
  char *target; /* the path of the scope, or the variable */
  double elements;
  char *shape; /* (nullable): of a scope */
} Row;

static void
row_free (gpointer data)
{
  Row *self = data;
  g_free (self->name);
  g_free (self->target);
  g_free (self->shape);
  g_free (self);
}

/* Where the name goes on below the scope. */
static const char *
get_rest (const char *name, const char *scope)
{
  gsize length = scope != NULL ? strlen (scope) : 0;
  return length > 0 && strncmp (name, scope, length) == 0 && name[length] == '/' ? name + length + 1
                                                                                 : name;
}

static Row *
find_row (GPtrArray *rows, const char *name)
{
  for (guint i = 0; i < rows->len; i++)
    if (strcmp (((Row *) rows->pdata[i])->name, name) == 0)
      return rows->pdata[i];
  return NULL;
}

static void
add_variable (GPtrArray *rows, const SluiceNode *node, const char *scope)
{
  const char *rest = get_rest (node->name, scope), *slash = strchr (rest, '/');
  g_autofree char *name =
      slash != NULL ? g_strndup (rest, (gsize) (slash - rest)) : g_strdup (rest);
  Row *row = slash != NULL ? find_row (rows, name) : NULL;
  if (row == NULL)
    {
      row = g_new0 (Row, 1);
      row->target = slash != NULL ? g_strndup (node->name, (gsize) (slash - node->name))
                                  : g_strdup (node->name);
      row->name = g_steal_pointer (&name);
      row->shape = slash != NULL ? NULL : sluice_variable_dup_shape (node);
      g_ptr_array_add (rows, row);
    }
  row->elements += sluice_variable_get_elements (node);
}

void
sluice_inspector_add_parameters (SluiceInspector *self, const GPtrArray *trained, const char *scope)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (row_free);
  for (guint i = 0; i < trained->len; i++)
    add_variable (rows, trained->pdata[i], scope);
  if (rows->len == 0)
    return;
  sluice_inspector_rows_begin (&self->rows, _ ("Parameters by scope"), TRUE);
  for (guint i = 0; i < MIN (rows->len, MOST_ROWS); i++)
    {
      const Row *row = rows->pdata[i];
      g_autofree char *count = sluice_words_count (row->elements);
      g_autofree char *value =
          row->shape != NULL ? g_strdup_printf ("%s · %s", row->shape, count) : g_strdup (count);
      g_autofree char *said = g_strdup_printf (_ ("Show %s, %s parameters"), row->target, value);
      sluice_inspector_rows_add_link (&self->rows, row->name, value, "win.select", row->target,
                                      said);
    }
  if (rows->len <= MOST_ROWS)
    return;
  g_autofree char *rest = sluice_format_step (rows->len - MOST_ROWS);
  g_autofree char *more = g_strdup_printf (_ ("%s more"), rest);
  sluice_inspector_rows_add (&self->rows, "…", more);
}
