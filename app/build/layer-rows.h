/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/build/document.h"

/*
 * The parameters of a layer, a row each, as its template tells them: what they do, their kinds,
 * defaults and what they may be. A value that is changed makes the layer again in its place, as one
 * command; one that is refused says why in its row.
 */
#define SLUICE_TYPE_LAYER_ROWS (sluice_layer_rows_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLayerRows, sluice_layer_rows, SLUICE, LAYER_ROWS, GtkWidget)

/* Of a scope of the document's graph. (nullable): it is no layer. */
GtkWidget *sluice_layer_rows_new (SluiceDocument *document, const char *scope);
