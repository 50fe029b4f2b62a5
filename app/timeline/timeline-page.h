/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/place/predictor.h"

/*
 * What ran when: the last steps of the run under way or of the last one, lanes by device, what is
 * known of a span at the right. It follows the run until somebody looks at something; then it
 * stands. Signal: node-selected (string), by a person.
 */
#define SLUICE_TYPE_TIMELINE_PAGE (sluice_timeline_page_get_type ())
G_DECLARE_FINAL_TYPE (SluiceTimelinePage, sluice_timeline_page, SLUICE, TIMELINE_PAGE, GtkWidget)

/* Shows the trace that a file holds, of this program or of another one, until it is closed. */
void sluice_timeline_page_open (SluiceTimelinePage *self, const char *path);
/* Who knows what the graph that is open would take. */
void sluice_timeline_page_set_predictor (SluiceTimelinePage *self, SluicePredictor *predictor);
/* It is selected elsewhere. name: (nullable): nothing is */
void sluice_timeline_page_select_node (SluiceTimelinePage *self, const char *name);
