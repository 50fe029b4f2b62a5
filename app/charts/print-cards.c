/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/print-cards.h"

#include "app/charts/tag-card.h"
#include "ui/common/card.h"

#define COLUMNS     2
#define CARD_HEIGHT 240.0
#define GAP         16.0

gboolean
sluice_cards_are_placed (GPtrArray *cards)
{
  for (guint i = 0; i < cards->len; i++)
    {
      GtkWidget *widget = ((SluiceTagCard *) cards->pdata[i])->widget;
      if (widget != NULL && gtk_widget_get_width (widget) == 0)
        return FALSE;
    }
  return TRUE;
}

guint
sluice_print_cards (GPtrArray *cards, cairo_t *cr, guint sheet, double width, double height)
{
  guint rows = MAX ((guint) ((height + GAP) / (CARD_HEIGHT + GAP)), 1), n = 0;
  double card_width = (width - (COLUMNS - 1) * GAP) / COLUMNS;
  for (guint i = 0; i < cards->len; i++)
    {
      SluiceTagCard *card = cards->pdata[i];
      if (card->widget == NULL)
        continue;
      if (cr != NULL && n / (rows * COLUMNS) == sheet)
        {
          guint place = n % (rows * COLUMNS);
          cairo_save (cr);
          cairo_translate (cr, place % COLUMNS * (card_width + GAP),
                           place / COLUMNS * (CARD_HEIGHT + GAP));
          sluice_card_draw_on_paper (SLUICE_CARD (card->widget), cr, card_width, CARD_HEIGHT);
          cairo_restore (cr);
        }
      n++;
    }
  return (n + rows * COLUMNS - 1) / (rows * COLUMNS);
}
