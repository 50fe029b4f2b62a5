/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/file-ops.h"

#include "engine/graph/function.h"

#define N_NAMED 5

static void
file_op_clear (gpointer data)
{
  g_free (((SluiceFileOp *) data)->name);
}

static void
add (GArray *found, const char *function, const char *name, const char *op_name)
{
  const SluiceOp *op = sluice_registry_find (op_name);
  guint use = op != NULL ? op->def->flags & (SLUICE_OP_READS_FILES | SLUICE_OP_WRITES_FILES) : 0;
  if (use == 0)
    return;
  SluiceFileOp item = { function != NULL ? g_strdup_printf ("%s/%s", function, name)
                                         : g_strdup (name),
                        op->name, (use & SLUICE_OP_WRITES_FILES) != 0 };
  g_array_append_val (found, item);
}

static void
add_function (const Tensorflow__FunctionDef *def, gpointer data)
{
  for (gsize i = 0; i < def->n_node_def; i++)
    add (data, def->signature->name, def->node_def[i]->name, def->node_def[i]->op);
}

GArray *
sluice_graph_dup_file_ops (SluiceGraph *self)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (SluiceFileOp));
  g_array_set_clear_func (found, file_op_clear);
  for (guint i = 0; i < sluice_graph_get_n_nodes (self); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (self, i);
      add (found, NULL, node->name, node->op_name);
    }
  if (self->library != NULL)
    sluice_library_foreach (self->library, add_function, found);
  return found;
}

char *
sluice_graph_describe_file_ops (SluiceGraph *self)
{
  g_autoptr (GArray) found = sluice_graph_dup_file_ops (self);
  if (found->len == 0)
    return NULL;
  GString *text = g_string_new ("ops of the graph may touch files: ");
  for (guint i = 0; i < MIN (found->len, N_NAMED); i++)
    {
      const SluiceFileOp *item = &g_array_index (found, SluiceFileOp, i);
      g_string_append_printf (text, "%s'%s' (%s %s)", i > 0 ? ", " : "", item->name, item->op,
                              item->writes ? "writes" : "reads");
    }
  if (found->len > N_NAMED)
    g_string_append_printf (text, " and %u more", found->len - N_NAMED);
  return g_string_free (text, FALSE);
}
