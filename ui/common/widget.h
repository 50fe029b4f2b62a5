/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/theme.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** sluice_theme_from_widget: fills @theme from the style that @widget has now; its font is the
 * widget's. */
void sluice_theme_from_widget (SluiceTheme *theme, GtkWidget *widget);

/**
 * sluice_widget_get_text_scale:
 *
 * Returns: how much larger than usual the user wants text: 1 at 96 dpi. Cards are drawn enlarged by
 *   it, and a pointer's place divided by it.
 */
double sluice_widget_get_text_scale (GtkWidget *widget);

/** sluice_widget_new_surface: (transfer full): pixels for a widget of @width x @height units. */
cairo_surface_t *sluice_widget_new_surface (GtkWidget *widget, int width, int height);

/** sluice_texture_take_surface: (transfer full): the pixels of an ARGB32 surface, not copied. */
GdkTexture *sluice_texture_take_surface (cairo_surface_t *surface);

/** sluice_snapshot_append_picture: such a texture over all of the widget. */
void sluice_snapshot_append_picture (GtkSnapshot *snapshot, GtkWidget *widget, GdkTexture *texture);

/**
 * sluice_snapshot_card_ground: the ground and border that charts have, for a card of widgets.
 * @ground: (inout): the card's own, kept from frame to frame; cleared where the style changes
 */
void sluice_snapshot_card_ground (GtkSnapshot *snapshot, GtkWidget *widget, GdkTexture **ground);

/**
 * sluice_card_new_box: (transfer floating): what stands on such a ground: a box with margins that
 *   begins with a title and, at the right, a quieter word.
 * @title: (out) (transfer none): the title's label
 * @note: (out) (transfer none): the other one's
 */
GtkWidget *sluice_card_new_box (GtkWidget **title, GtkWidget **note);

/** sluice_snapshot_focus_ring: the ring of a card that has the keyboard. */
void sluice_snapshot_focus_ring (GtkSnapshot *snapshot, GtkWidget *widget);

/* Writes @path and emits exported or export-failed, at once or when it is done. */
typedef void (*SluiceExportFunc) (gpointer card, const char *path);

/**
 * sluice_card_ask_export:
 * @card: a card with the signals exported (string path) and export-failed (string message)
 * @title: suggests the file's name
 * @ending: "png", "svg" or "csv"
 * @write: writes the file that the user chose
 */
void sluice_card_ask_export (GtkWidget *card,
                             const char *title,
                             const char *ending,
                             SluiceExportFunc write);

/** sluice_card_install_signals: adds exported and export-failed to a card's class. */
void sluice_card_install_signals (GType type);

/** sluice_card_popup_menu: shows @menu at a point; the popover is kept in @popover. */
void
sluice_card_popup_menu (GtkWidget *card, GtkWidget **popover, GMenuModel *menu, double x, double y);

G_END_DECLS
