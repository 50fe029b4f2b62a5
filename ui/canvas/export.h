/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Pictures and text of a graph without a widget or a display. */
#pragma once

#include "ui/canvas/graph-model.h"
#include "ui/canvas/scene.h"
#include "ui/canvas/theme.h"
#include "ui/canvas/view-state.h"

G_BEGIN_DECLS

typedef enum
{
  SLUICE_EXPORT_SVG,
  SLUICE_EXPORT_PDF,
  SLUICE_EXPORT_PNG, /* at twice the size, for screens and slides */
  SLUICE_EXPORT_DOT, /* the drawn level: open scopes as clusters */
} SluiceExportFormat;

/* From a file name's ending, case ignored; FALSE when it is none of ours. */
gboolean sluice_export_format_from_name (const char *path, SluiceExportFormat *format);

/* Writes the whole scene to @path, written anew and renamed into place. Errors: G_FILE_ERROR with
 * the path and the cause. */
gboolean sluice_scene_export (SluiceScene *scene,
                              const SluiceCanvasTheme *theme,
                              SluiceExportFormat format,
                              const char *path,
                              GError **error);

/* One call from a model to a file: hierarchy, layout, drawing. @state may be NULL (everything
 * closed). */
gboolean sluice_graph_model_export (SluiceGraphModel *model,
                                    const SluiceViewState *state,
                                    const SluiceCanvasTheme *theme,
                                    SluiceExportFormat format,
                                    const char *path,
                                    GError **error);

G_END_DECLS
