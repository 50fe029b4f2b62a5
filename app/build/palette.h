/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/command/offers.h"

/*
 * What can be done with what is in hand, where the pointer is: first what makes the nearest refusal
 * fit, then what fits, each with the shape that comes of it. Enter takes the first, or the one that
 * the arrows chose; Shift, pressed alone, lists all; Ctrl+P pins.
 *
 * Signals: chosen (string: a command), preview (string: the command that Enter would do, string:
 * the offer's title; both nullable), closed, as any popover. Actions: palette.walk (int: rows),
 * palette.pin, palette.all.
 */
#define SLUICE_TYPE_PALETTE (sluice_palette_get_type ())
G_DECLARE_FINAL_TYPE (SluicePalette, sluice_palette, SLUICE, PALETTE, GtkPopover)

/* settings: (nullable): where it remembers what was taken and pinned, `palette-recent` and
 * `palette-pinned` */
GtkWidget *sluice_palette_new (GSettings *settings);

/**
 * sluice_palette_open:
 * @graph: which must not change while it is open
 * @x: where it points to, in its parent, and so @y
 * @text: (nullable): what was typed already
 */
void sluice_palette_open (SluicePalette *self,
                          SluiceGraph *graph,
                          const SluiceHand *hand,
                          double x,
                          double y,
                          const char *text);

/* (nullable): what Enter would take. */
const SluiceOffer *sluice_palette_get_selected (SluicePalette *self);
