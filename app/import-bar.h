/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/store/store.h"

/*
 * A bar that imports logs on a thread of its own: how far it is, a way to stop it, and afterwards
 * what came of it, damage included.
 */
#define SLUICE_TYPE_IMPORT_BAR (sluice_import_bar_get_type ())
G_DECLARE_FINAL_TYPE (SluiceImportBar, sluice_import_bar, SLUICE, IMPORT_BAR, GtkWidget)

/* Signals: imported (gint64 run), when it is in the store, in the main loop; ended (gboolean ok).
 */

/* paths: NULL-terminated. FALSE: an import is under way, and nothing was done. */
gboolean
sluice_import_bar_start (SluiceImportBar *self, SluiceStore *store, const char *const *paths);
gboolean sluice_import_bar_is_busy (SluiceImportBar *self);
void sluice_import_bar_cancel (SluiceImportBar *self);
void sluice_import_bar_dismiss (SluiceImportBar *self);
/* What it says; "" where it is not there. */
const char *sluice_import_bar_get_text (SluiceImportBar *self);
