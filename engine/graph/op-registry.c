/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/graph/graph-private.h"
#include "engine/graph/op-private.h"

/* Written at start-up only, read-only afterwards: no lock. */
static GHashTable *ops_by_name;
static GPtrArray *sorted_ops;
static const SluiceOp *op_of_role[SLUICE_N_ROLES];

static int
compare_ops (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const SluiceOp *const *) a)->name, (*(const SluiceOp *const *) b)->name);
}

static gboolean
check_name (const SluiceOp *op, GPtrArray *before, GError **error)
{
  gboolean is_known = sluice_registry_find (op->name) != NULL;
  for (guint i = 0; i < before->len; i++)
    is_known |= ((const SluiceOp *) before->pdata[i])->name == op->name;
  return !is_known
         || sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS, "op '%s' is defined twice", op->name);
}

gboolean
sluice_registry_add_ops (const SluiceOpDef *const *ops, guint n, GError **error)
{
  g_autoptr (GPtrArray) parsed = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_op_free);
  for (guint i = 0; i < n; i++)
    {
      SluiceOp *op = sluice_op_parse (ops[i], error);
      if (op == NULL)
        return FALSE;
      gboolean is_new = check_name (op, parsed, error);
      g_ptr_array_add (parsed, op);
      if (!is_new)
        return FALSE;
    }
  if (ops_by_name == NULL)
    {
      ops_by_name = g_hash_table_new (g_str_hash, g_str_equal);
      sorted_ops = g_ptr_array_new ();
    }
  for (guint i = 0; i < n; i++)
    {
      SluiceOp *op = parsed->pdata[i];
      g_hash_table_insert (ops_by_name, (gpointer) op->name, op);
      g_ptr_array_add (sorted_ops, op);
      if (op_of_role[op->def->role] == NULL)
        op_of_role[op->def->role] = op;
    }
  g_ptr_array_set_free_func (parsed, NULL);
  g_ptr_array_sort (sorted_ops, compare_ops);
  return TRUE;
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

const char *
sluice_registry_suggest_name (const char *name)
{
  guint n = sorted_ops != NULL ? sorted_ops->len : 0;
  g_autofree const char **names = g_new (const char *, n);
  for (guint i = 0; i < n; i++)
    names[i] = ((const SluiceOp *) g_ptr_array_index (sorted_ops, i))->name;
  return sluice_suggest_name (name, names, n);
}
