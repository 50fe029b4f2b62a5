/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/theme.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * SluiceCard:
 *
 * What all cards are: a title, the ground with its border, the ring of the keyboard's focus, a
 * menu with a button that shows under the pointer, a file to save to. A card either draws all of
 * itself (class member @draw) or is a box of widgets on the ground (sluice_card_add_box()).
 * Properties: title (string), large, pinned (boolean; what they mean is the page's to do). Actions:
 * card.menu, card.large, card.pinned, card.copy (the picture to the clipboard). Signals: exported
 * (string path), export-failed (string message), menu (GMenu: it is about to be shown, and a page
 * may add to it).
 */
#define SLUICE_TYPE_CARD (sluice_card_get_type ())
G_DECLARE_DERIVABLE_TYPE (SluiceCard, sluice_card, SLUICE, CARD, GtkWidget)

/**
 * SluiceCardClass:
 * @least_height: of a card that draws itself; its width is the same for all
 * @natural_height: likewise
 * @title_changed: (nullable): takes the new title over into what is drawn
 * @dup_summary: (nullable) (transfer full): what a screen reader says after the title
 * @needs_redraw: (nullable): whether the last drawing is out of date
 * @prepare: (nullable): before a drawing; %FALSE where the last one, if any, stands a while longer
 * @draw: (nullable): all of the card, at the origin, in units of usual text size
 * @fill_menu: (nullable): adds sections of the kind's own before those of all cards
 * @write: (nullable): the card as a file of the kind that its ending says
 * @export: writes a file and emits exported or export-failed, at once or when it is done; calls
 *   sluice_card_write() unless overridden
 */
struct _SluiceCardClass
{
  GtkWidgetClass parent_class;
  int least_height;
  int natural_height;
  void (*title_changed) (SluiceCard *self, const char *title);
  char *(*dup_summary) (SluiceCard *self);
  gboolean (*needs_redraw) (SluiceCard *self);
  gboolean (*prepare) (SluiceCard *self);
  void (*draw) (
      SluiceCard *self, cairo_t *cr, double width, double height, const SluiceTheme *theme);
  void (*fill_menu) (SluiceCard *self, GMenu *menu);
  gboolean (*write) (SluiceCard *self,
                     const char *path,
                     double width,
                     double height,
                     const SluiceTheme *theme,
                     GError **error);
  void (*export) (SluiceCard *self, const char *path);
};

void sluice_card_set_title (SluiceCard *self, const char *title);
const char *sluice_card_get_title (SluiceCard *self);

/** sluice_card_refresh: redraws if what is drawn has changed; otherwise costs nothing. */
void sluice_card_refresh (SluiceCard *self);

/** sluice_card_forget_picture: nobody sees the card: what it last drew is drawn anew when somebody
 * does. */
void sluice_card_forget_picture (SluiceCard *self);

/** sluice_card_describe: tells screen readers title and summary now, not within a second. */
void sluice_card_describe (SluiceCard *self);

/** sluice_card_get_text_scale: pixels of the widget a unit of the last drawing. */
double sluice_card_get_text_scale (SluiceCard *self);

/**
 * sluice_card_add_box:
 *
 * Returns: (transfer none): the box on a card's ground; it begins with the title and, at its right,
 *   a quieter word (sluice_card_set_note()). Widgets are appended below.
 */
GtkWidget *sluice_card_add_box (SluiceCard *self);
void sluice_card_set_note (SluiceCard *self, const char *note);

/* What the buttons that show under the pointer take at the end of the title's row, in pixels. */
#define SLUICE_CARD_BUTTONS_WIDTH 62

/** sluice_card_add_tool: puts a widget after these buttons; it is always seen. */
void sluice_card_add_tool (SluiceCard *self, GtkWidget *widget);

/** sluice_card_shows_buttons: is the pointer or the keyboard's focus on the card? */
gboolean sluice_card_shows_buttons (SluiceCard *self);

/** sluice_card_get_tools_width: what the buttons and these widgets take, in pixels. */
int sluice_card_get_tools_width (SluiceCard *self);

void sluice_card_set_large (SluiceCard *self, gboolean large);
gboolean sluice_card_get_large (SluiceCard *self);
void sluice_card_set_pinned (SluiceCard *self, gboolean pinned);
gboolean sluice_card_get_pinned (SluiceCard *self);

/** sluice_card_dup_picture: (transfer full) (nullable): the card as it is on the screen; NULL where
 * it is not. */
GdkTexture *sluice_card_dup_picture (SluiceCard *self);

/** sluice_card_ask_export: lets the user name a file that ends in @ending, "png" or the like, and
 * exports to it. */
void sluice_card_ask_export (SluiceCard *self, const char *ending);

/** sluice_card_draw_on_paper: draws the card in light colours, in @width x @height units. */
void sluice_card_draw_on_paper (SluiceCard *self, cairo_t *cr, double width, double height);

/** sluice_card_write: writes the card as it is now, at least in its natural size. */
gboolean sluice_card_write (SluiceCard *self, const char *path, GError **error);

G_END_DECLS
