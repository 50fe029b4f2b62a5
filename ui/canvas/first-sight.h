/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is open in the picture of a graph that nobody has looked at yet. */
#pragma once

#include "ui/canvas/scene.h"

G_BEGIN_DECLS

/* Opens the scope that holds nearly all of the model, if there is one, and what does so in it, as
 * long as the picture can be read: a single box tells nothing. */
void sluice_open_first_sight (SluiceHierarchy *hierarchy,
                              SluiceViewState *state,
                              SluiceFlowDirection flow);

G_END_DECLS
