/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>
#include <json-glib/json-glib.h>

/*
 * What the window's main loop costs, measured where SLUICE_PROBE is set: how long it did not
 * answer, how much of that it computed itself (on a busy machine the rest is others' time), and how
 * long points took from the log call to the screen.
 */
typedef struct _SluiceProbe SluiceProbe;

/* widget: whose frames count; they do once it is realized. is_settled: of the widget: everything
 * that was asked for is there. */
SluiceProbe *sluice_probe_new (GtkWidget *widget, gboolean (*is_settled) (GtkWidget *widget));
void sluice_probe_free (SluiceProbe *self);

/* (transfer none) (element-type double): walls of points that were applied since the last frame:
 * whoever applies points appends to it. */
GArray *sluice_probe_get_fresh (SluiceProbe *self);

/* Appends members to an open object; the worst values begin anew. */
void sluice_probe_dump (SluiceProbe *self, JsonBuilder *builder);
