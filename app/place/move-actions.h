/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/*
 * Where the nodes of the graph that is open could stand: the window's predictor, the bar of devices
 * below the graph, and what is done about it: nodes and scopes that are put on another device ask
 * for it, by a command; a run under way goes on with that, and is measured.
 *
 * Actions: place (string): shows the devices for a node or a scope ("conv1/"); "" for what is
 * selected, and hides them where they have the keyboard. predict-machine (string): a file; "": this
 * one. put-on (string, string): the device for a node or a scope.
 */
typedef struct _SluiceMoves SluiceMoves; /* what a window knows of it */
void sluice_moves_free (SluiceMoves *self);
/* The controller's state is another one. */
void sluice_moves_update (SluiceWindow *window);

/* Once the pages and the document are there. */
void sluice_move_actions_add (SluiceWindow *window);
