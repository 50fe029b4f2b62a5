/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/theme.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** sluice_theme_from_widget: fills @theme from the style that @widget has now; its font is the
 * widget's. */
void sluice_theme_from_widget (SluiceTheme *theme, GtkWidget *widget);

/** sluice_widget_get_color: of its text, by its style. */
void sluice_widget_get_color (GtkWidget *widget, GdkRGBA *color);

/** sluice_widget_find_color: one that the style has by @name; FALSE: it has none. */
gboolean sluice_widget_find_color (GtkWidget *widget, const char *name, GdkRGBA *color);

/**
 * sluice_widget_get_text_scale:
 *
 * Returns: how much larger than usual the user wants text: 1 at 96 dpi. Cards are drawn enlarged by
 *   it, and a pointer's place divided by it.
 */
double sluice_widget_get_text_scale (GtkWidget *widget);

/** sluice_widget_is_mirrored: its user reads from right to left. */
gboolean sluice_widget_is_mirrored (GtkWidget *widget);

/** sluice_widget_get_units: its size as it is without the text's scale. */
void sluice_widget_get_units (GtkWidget *widget, double *width, double *height);

/** sluice_widget_to_units: where a place is then, as if nothing was mirrored. */
void sluice_widget_to_units (GtkWidget *widget, double x, double y, double *ux, double *uy);

/**
 * sluice_snapshot_begin_units:
 * @theme: (out): the widget's
 *
 * Returns: (transfer full): draws all over @widget in its units. Who mirrors is the drawing.
 */
cairo_t *sluice_snapshot_begin_units (GtkSnapshot *snapshot, GtkWidget *widget, SluiceTheme *theme);

/** sluice_widget_new_surface: (transfer full): pixels for a widget of @width x @height units. */
cairo_surface_t *sluice_widget_new_surface (GtkWidget *widget, int width, int height);

/**
 * sluice_widget_take_share:
 * @waits_since: (inout): begins as 0, and is the widget's to keep
 *
 * Returns: whether @widget may draw its picture anew in the frame under way
 *   (sluice_frame_share_take()); else the old one stands, and it is asked for the next
 */
gboolean sluice_widget_take_share (GtkWidget *widget, gint64 *waits_since);

/** sluice_widget_spend_share: a picture was drawn from then until now, in monotonic time. */
void sluice_widget_spend_share (gint64 since);

/** sluice_texture_take_surface: (transfer full): the pixels of an ARGB32 surface, not copied. */
GdkTexture *sluice_texture_take_surface (cairo_surface_t *surface);

/** sluice_snapshot_append_picture: such a texture, which is as large as @place in @widget. */
void sluice_snapshot_append_picture (GtkSnapshot *snapshot,
                                     GtkWidget *widget,
                                     GdkTexture *texture,
                                     const graphene_rect_t *place);

/** sluice_snapshot_append_card: the ground of a card, with nothing on it. */
void sluice_snapshot_append_card (GtkSnapshot *snapshot,
                                  GtkWidget *widget,
                                  const graphene_rect_t *place);

/**
 * sluice_widget_align_title:
 * @title: of a column of a #GtkColumnView
 * @is_number: its numbers end at the right; the arrow of what is sorted by then stands left of it
 *
 * GTK 4.8 has no property for it.
 *
 * Returns: (nullable) (transfer none): its label
 */
GtkWidget *sluice_widget_align_title (GtkWidget *title, gboolean is_number);

/** sluice_widget_align_titles: of a view whose first column has names and all others numbers. */
void sluice_widget_align_titles (GtkColumnView *view);

/** sluice_snapshot_focus_ring: the ring of a card that has the keyboard. */
void sluice_snapshot_focus_ring (GtkSnapshot *snapshot, GtkWidget *widget);

/** sluice_widget_release_wheel: a range that turned with the wheel does not any more: what it
 * stands in scrolls. */
void sluice_widget_release_wheel (GtkWidget *range);

/** sluice_widget_chain_wheel: the wheel scrolls it up and down as far as it goes, and then what it
 * lies in: GTK's own keeps it where it can only scroll sideways. */
void sluice_widget_chain_wheel (GtkScrolledWindow *scrolls);

/** sluice_widget_pass_wheel: over @widget the wheel scrolls what stands elsewhere. */
void sluice_widget_pass_wheel (GtkWidget *widget, GtkScrolledWindow *scrolls);

/** sluice_popover_follow: where its parent has got another place: an open popover follows it, and
 * closes where that is out of the window: GTK 4.8 asks for the monitor there, which may be none. */
void sluice_popover_follow (GtkWidget *popover);

/** sluice_dot_new: (transfer floating): a dot in the colour of a run, beside its name. */
GtkWidget *sluice_dot_new (void);
void sluice_dot_set_color (GtkWidget *dot, SluiceColor color);
/** sluice_dot_set_square: it stands for a group of runs. */
void sluice_dot_set_square (GtkWidget *dot, gboolean square);

/**
 * sluice_pointer_has_moved:
 * @controller: while it handles an event
 * @seen: (inout) (array fixed-size=2): where the pointer was last, in its window
 *
 * GTK also tells of a motion where the pointer rests and what lies under it was drawn anew: that
 * must not take a cursor from whoever moves it by keys.
 */
gboolean sluice_pointer_has_moved (GtkEventController *controller, double *seen);

G_END_DECLS
