/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

/* Shape of an input, and what its handle refers to, become an output's. */
void sluice_flow_pass_on (SluiceShapeContext *c, guint input, guint output);
/* Every input to the output of its number. */
gboolean sluice_flow_pass_all (SluiceShapeContext *c, GError **error);
/* Of a loop that runs another one's iterations backwards: what that one began with. */
gboolean sluice_flow_exit_shape (SluiceShapeContext *c, GError **error);
