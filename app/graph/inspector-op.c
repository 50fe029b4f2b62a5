/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>

#include "app/cli/describe-op.h"
#include "app/graph/op-example-view.h"
#include "app/graph/op-ports.h"

void
sluice_inspector_add_op (SluiceInspector *self, const SluiceNode *node)
{
  if (node->op == NULL)
    return;
  const SluiceOpDef *def = node->op->def;
  g_autofree char *shapes = sluice_describe_example (node->op);
  sluice_inspector_rows_begin (&self->rows, node->op_name, TRUE);
  sluice_inspector_rows_add_widget (&self->rows, sluice_op_ports_new (node->op));
  if (shapes != NULL)
    sluice_inspector_rows_add (&self->rows, _ ("Shapes"), shapes);
  sluice_inspector_rows_add (&self->rows, _ ("Gradient"), sluice_describe_gradient (def));
  sluice_inspector_rows_add_widget (&self->rows, sluice_op_example_view_new (node->op));
}
