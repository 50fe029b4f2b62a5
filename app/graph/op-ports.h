/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/graph/op.h"

#define SLUICE_TYPE_OP_PORTS (sluice_op_ports_get_type ())
G_DECLARE_FINAL_TYPE (SluiceOpPorts, sluice_op_ports, SLUICE, OP_PORTS, GtkWidget)

/* A picture of what an op takes and gives: its box with a port for each argument of its definition,
 * named and typed. Inputs stand at the side where reading begins, outputs at the other: so each has
 * a line for its words. */
GtkWidget *sluice_op_ports_new (const SluiceOp *op);

/* The dtype whose look a port of the argument has: (nullable): it may be of several looks. */
const char *sluice_op_ports_get_dtype (const SluiceOp *op, const SluiceArg *arg);
