/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a command added to a graph stands where it was asked for. On any thread. */
#pragma once

#include "ui/canvas/scene.h"

G_BEGIN_DECLS

/**
 * sluice_place_new:
 * @scene: as the layout has it
 * @known: (element-type char* char*): names of the nodes that are not new
 * @at: where the middle of what is new is to be
 * @state: gets the moves
 * @paths: (element-type char*): gets what is new, outermost groups only
 *
 * Returns: %TRUE where @state has changed: a scene made of it has them there
 */
gboolean sluice_place_new (SluiceScene *scene,
                           GHashTable *known,
                           SluicePoint at,
                           SluiceViewState *state,
                           GPtrArray *paths);

/* How far what is called @path lies from where it was in another scene; nothing where one of them
 * does not draw it. */
SluicePoint sluice_scene_get_shift (SluiceScene *scene, SluiceScene *before, const char *path);

G_END_DECLS
