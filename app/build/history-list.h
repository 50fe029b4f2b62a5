/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/build/document.h"

/*
 * The commands that were done to a document, the first one first; undone ones are hollow. Signal:
 * chosen (guint): the graph is wanted as it was when so many were done.
 */
#define SLUICE_TYPE_HISTORY_LIST (sluice_history_list_get_type ())
G_DECLARE_FINAL_TYPE (SluiceHistoryList, sluice_history_list, SLUICE, HISTORY_LIST, GtkWidget)

/* Once. */
void sluice_history_list_set_document (SluiceHistoryList *self, SluiceDocument *document);
