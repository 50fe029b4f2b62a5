/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/graph/op.h"

#define SLUICE_TYPE_OP_EXAMPLE_VIEW (sluice_op_example_view_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceOpExampleView, sluice_op_example_view, SLUICE, OP_EXAMPLE_VIEW, GtkWidget)

/* An example of an op, folded: a picture of its graph as the canvas draws it, what goes in, what
 * comes out, and a button that opens it (win.open-example). It is made and run when it is unfolded,
 * on another thread. */
GtkWidget *sluice_op_example_view_new (const SluiceOp *op);
