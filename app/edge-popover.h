/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/* What asks about an edge or a node: its title, fields (property content), what is wrong with them,
 * and buttons (property actions). */
#define SLUICE_TYPE_EDGE_POPOVER (sluice_edge_popover_get_type ())
G_DECLARE_DERIVABLE_TYPE (SluiceEdgePopover, sluice_edge_popover, SLUICE, EDGE_POPOVER, GtkPopover)

struct _SluiceEdgePopoverClass
{
  GtkPopoverClass parent;
};

/* title: above the fields */
void sluice_edge_popover_set_place (SluiceEdgePopover *self, const char *place, const char *title);
/* (transfer none) (nullable): which one it is about */
const char *sluice_edge_popover_get_place (SluiceEdgePopover *self);
/* words: (nullable): nothing is */
void sluice_edge_popover_tell_wrong (SluiceEdgePopover *self, const char *words);
/* Closes it, and does the action of its window. format: of what comes behind it, as in
 * g_variant_new() */
void
sluice_edge_popover_apply (SluiceEdgePopover *self, const char *action, const char *format, ...);
