/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"
#include "ui/canvas/canvas.h"

/*
 * What can be done with a place of the graph, which a canvas' menu or a key names: a value on its
 * way ("fc1/Relu:0"), a node, a scope ("conv1/"); "" is what is chosen on the canvas in front.
 * Actions: break-at (string), set-breakpoint (which one, or "", becomes which one, or ""), watch
 * (string), inject (string).
 */
void sluice_place_actions_add (SluiceWindow *window);

/* given: (nullable): "" too is what is chosen. (transfer full) (nullable): nothing is, which was
 * told */
char *sluice_place_actions_dup_place (SluiceWindow *window, const char *given);

#define SLUICE_N_CANVASES 2
/* (transfer none): that of the graph's page, that of Build */
SluiceCanvas *sluice_place_actions_get_canvas (SluiceWindow *window, guint i);
