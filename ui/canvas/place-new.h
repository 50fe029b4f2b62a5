/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a command added to a graph stands where it was asked for. On any thread. */
#pragma once

#include "ui/canvas/scene.h"

G_BEGIN_DECLS

/* Where the next model's new nodes go. */
typedef struct
{
  SluiceGraphModel *before; /* what it has is not new */
  GHashTable *moved;        /* (nullable) (element-type char*): but for these */
  SluicePoint at;           /* where the middle of what is new is to be; NAN: where it is */
} SluicePlacing;

SluicePlacing *sluice_placing_new (SluiceGraphModel *before, SluicePoint at);
SluicePlacing *sluice_placing_copy (const SluicePlacing *self);
void sluice_placing_free (SluicePlacing *self);

/**
 * sluice_place_new:
 * @scene: as the layout has it
 * @state: gets the moves
 * @paths: (element-type char*): gets what is new, outermost groups only
 *
 * Returns: %TRUE where @state has changed: a scene made of it has them there
 */
gboolean sluice_place_new (SluiceScene *scene,
                           const SluicePlacing *placing,
                           SluiceViewState *state,
                           GPtrArray *paths);

/* How far what is called @path lies from where it was in another scene; nothing where one of them
 * does not draw it. */
SluicePoint sluice_scene_get_shift (SluiceScene *scene, SluiceScene *before, const char *path);

G_END_DECLS
