/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/store/store.h"

/* Of a run that has ended: what came of it when it was trained again, and a button that does so
 * (win.reproduce, app/reproduce-actions.h), whichever run is looked at meanwhile. */
#define SLUICE_TYPE_PROOF_BOX (sluice_proof_box_get_type ())
G_DECLARE_FINAL_TYPE (SluiceProofBox, sluice_proof_box, SLUICE, PROOF_BOX, GtkBox)

GtkWidget *sluice_proof_box_new (SluiceStore *store, gint64 run);
