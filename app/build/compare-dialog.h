/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

#include "app/build/document.h"

/*
 * What another graph has otherwise than the document's: a list by node beside both in one picture.
 * What is ticked is taken over as one command; where both changed the same, both stand side by
 * side, and ours stays unless it is ticked.
 */
#define SLUICE_TYPE_COMPARE_DIALOG (sluice_compare_dialog_get_type ())
G_DECLARE_FINAL_TYPE (SluiceCompareDialog, sluice_compare_dialog, SLUICE, COMPARE_DIALOG, AdwWindow)

/* With what another program made of the file; what is not ticked is left out of it. (nullable) */
GtkWidget *
sluice_compare_dialog_new_with_file (SluiceDocument *document, GtkWindow *parent, GError **error);
/* With any graph. theirs: (transfer full) */
GtkWidget *sluice_compare_dialog_new (SluiceDocument *document,
                                      GtkWindow *parent,
                                      const char *title,
                                      SluiceGraph *theirs);
