/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/build/document.h"
#include "app/build/palette.h"
#include "ui/canvas/canvas.h"

/*
 * What the canvas of a document asks and wants (ui/canvas/canvas-edit.h): questions are answered by
 * the graph, requests become commands of the document.
 */
typedef struct _SluiceGraphEditor SluiceGraphEditor;

/* error: (nullable): it was done */
typedef void (*SluiceGraphEditorDone) (const GError *error, gpointer user_data);

/* All are borrowed, and outlive it. done: told of each request. */
SluiceGraphEditor *sluice_graph_editor_new (SluiceDocument *document,
                                            SluiceCanvas *canvas,
                                            SluicePalette *palette,
                                            SluiceGraphEditorDone done,
                                            gpointer user_data);
void sluice_graph_editor_free (SluiceGraphEditor *self);

/* The graph is another one, or none: whether the canvas may be edited. */
void sluice_graph_editor_update (SluiceGraphEditor *self);
/* What stands in a list of all: behind what is selected, where that fits. family: of templates,
 * "layer" */
void sluice_graph_editor_add (SluiceGraphEditor *self, const char *family, const char *name);
/* A command. */
void sluice_graph_editor_do (SluiceGraphEditor *self, const char *line);
