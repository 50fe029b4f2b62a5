/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/build/document.h"

/*
 * A bar that tells what happened to a document beside commands, and offers what can be done about
 * it. Takes no room while there is nothing.
 */
#define SLUICE_TYPE_DOCUMENT_BAR (sluice_document_bar_get_type ())
G_DECLARE_FINAL_TYPE (SluiceDocumentBar, sluice_document_bar, SLUICE, DOCUMENT_BAR, GtkWidget)

void sluice_document_bar_set_document (SluiceDocumentBar *self, SluiceDocument *document);
