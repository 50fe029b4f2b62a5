/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/graph/graph-private.h"

/* Written at start-up only, read-only afterwards: no lock. */
static GHashTable *ops_by_name;
static GPtrArray *sorted_ops;
static const SluiceOp *op_of_role[SLUICE_N_ROLES];

static int
compare_ops (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const SluiceOp *const *) a)->name, (*(const SluiceOp *const *) b)->name);
}

void
sluice_registry_add_ops (const SluiceOpDef *const *ops, guint n)
{
  if (ops_by_name == NULL)
    {
      ops_by_name = g_hash_table_new (g_str_hash, g_str_equal);
      sorted_ops = g_ptr_array_new ();
    }
  for (guint i = 0; i < n; i++)
    {
      SluiceOp *op = sluice_op_parse (ops[i]);
      if (!g_hash_table_insert (ops_by_name, (gpointer) op->name, op))
        g_error ("op '%s' is defined twice", op->name);
      g_ptr_array_add (sorted_ops, op);
      if (op_of_role[op->def->role] == NULL)
        op_of_role[op->def->role] = op;
    }
  g_ptr_array_sort (sorted_ops, compare_ops);
}

const SluiceOp *
sluice_registry_find (const char *name)
{
  return ops_by_name != NULL ? g_hash_table_lookup (ops_by_name, name) : NULL;
}

const SluiceOp *
sluice_registry_by_role (SluiceRole role)
{
  return op_of_role[role];
}

const SluiceOp *const *
sluice_registry_list (guint *n)
{
  *n = sorted_ops != NULL ? sorted_ops->len : 0;
  return sorted_ops != NULL ? (const SluiceOp *const *) sorted_ops->pdata : NULL;
}

/* Levenshtein's distance, case counting for nothing; given up above `limit`. */
static guint
edit_distance (const char *a, const char *b, guint limit)
{
  gsize n = strlen (a), m = strlen (b);
  if ((n > m ? n - m : m - n) > limit || m >= 64)
    return limit + 1;
  guint row[65];
  for (gsize j = 0; j <= m; j++)
    row[j] = j;
  for (gsize i = 1; i <= n; i++)
    {
      guint diagonal = row[0];
      row[0] = i;
      for (gsize j = 1; j <= m; j++)
        {
          guint change = diagonal + (g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1]));
          diagonal = row[j];
          row[j] = MIN (change, MIN (row[j], row[j - 1]) + 1);
        }
    }
  return row[m];
}

const char *
sluice_near_name (const char *name,
                  const char *(*candidate) (gpointer data, guint i),
                  gpointer data)
{
  guint limit = strlen (name) / 3 + 1;
  const char *best = NULL, *text;
  for (guint i = 0; (text = candidate (data, i)) != NULL; i++)
    {
      guint distance = edit_distance (name, text, limit);
      if (distance > limit || (distance == limit && best != NULL))
        continue;
      best = text;
      limit = distance;
    }
  return best;
}

static const char *
nth_op (gpointer data, guint i)
{
  return sorted_ops != NULL && i < sorted_ops->len
             ? ((const SluiceOp *) g_ptr_array_index (sorted_ops, i))->name
             : NULL;
}

const char *
sluice_registry_near_name (const char *name)
{
  return sluice_near_name (name, nth_op, NULL);
}
