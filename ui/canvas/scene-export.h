/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Pictures and text of a graph without a widget or a display. */
#pragma once

#include "ui/canvas/graph-model.h"
#include "ui/canvas/scene.h"
#include "ui/canvas/view-state.h"
#include "ui/common/export.h"
#include "ui/common/theme.h"

G_BEGIN_DECLS

/* Writes the whole scene to @path, as PNG (at twice the size, for screens and slides), SVG, PDF or
 * DOT (the drawn level); written anew and renamed into place. Errors: G_FILE_ERROR with the path
 * and the cause. */
gboolean sluice_scene_export (SluiceScene *scene,
                              const SluiceTheme *theme,
                              SluiceExportFormat format,
                              const char *path,
                              GError **error);

/* The whole scene, as large as it fits into @width x @height, in its middle. */
void sluice_scene_draw_on_paper (
    SluiceScene *scene, const SluiceTheme *theme, cairo_t *cr, double width, double height);

/* One call from a model to a file: hierarchy, layout, drawing. @state may be NULL (everything
 * closed). */
gboolean sluice_graph_model_export (SluiceGraphModel *model,
                                    const SluiceViewState *state,
                                    const SluiceTheme *theme,
                                    SluiceExportFormat format,
                                    const char *path,
                                    GError **error);

G_END_DECLS
