/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/place/predictor.h"

/*
 * The devices of the machine that is predicted, each with what it would hold and do; nodes are
 * dropped on them. What is chosen on the graph is tried while a device has the pointer or the
 * focus, and put there when it is pressed.
 *
 * Signals: put (GStrv: nodes, string: the device that they are to ask for), scrubbed (guint: so
 * many of the decisions are to be shown, G_MAXUINT: all), choose-machine, closed.
 */
#define SLUICE_TYPE_PLACE_BAR (sluice_place_bar_get_type ())
G_DECLARE_FINAL_TYPE (SluicePlaceBar, sluice_place_bar, SLUICE, PLACE_BAR, GtkWidget)

GtkWidget *sluice_place_bar_new (void);
void sluice_place_bar_set_predictor (SluicePlaceBar *self, SluicePredictor *predictor);
/* What is chosen on the graph: nodes, and what they are called together. names: (nullable): nothing
 */
void
sluice_place_bar_set_chosen (SluicePlaceBar *self, const char *const *names, const char *title);
/**
 * sluice_place_bar_drag:
 * @names: (nullable): nodes that are dragged; %NULL: they are not any more
 * @from: in whose pixels the pointer is
 *
 * Returns: is it over a device, which tells what would be? Dropped there they are put there.
 */
gboolean sluice_place_bar_drag (SluicePlaceBar *self,
                                const char *const *names,
                                const char *title,
                                GtkWidget *from,
                                double x,
                                double y,
                                gboolean is_dropped);
/* The keyboard goes to the device that the chosen nodes stand on, else to the first. */
void sluice_place_bar_begin (SluicePlaceBar *self);
/* Does it tell the graph as it is? */
gboolean sluice_place_bar_is_settled (SluicePlaceBar *self);
