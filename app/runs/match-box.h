/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/store/store.h"

/* Of two runs: are their losses the same with learning turned off, on the same batches, and which
 * op is the first that differs (engine/train/loss-match.h)? It is found out when somebody asks. */
#define SLUICE_TYPE_MATCH_BOX (sluice_match_box_get_type ())
G_DECLARE_FINAL_TYPE (SluiceMatchBox, sluice_match_box, SLUICE, MATCH_BOX, GtkBox)

GtkWidget *sluice_match_box_new (void);
/* What was asked of other runs is given up. */
void sluice_match_box_show (SluiceMatchBox *self, SluiceStore *store, gint64 first, gint64 second);
