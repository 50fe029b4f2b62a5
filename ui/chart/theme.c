/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/theme.h"

typedef struct
{
  guint32 window, card, border, text, dim, grid, cursor, event, failure, accent;
  double raw_alpha;
} Palette;

static const Palette palettes[] = {
  [SLUICE_THEME_LIGHT] = { 0xfafafa, 0xffffff, 0xdddddd, 0x2e2e2e, 0x6e6e6e, 0xebebeb, 0x8a8a8a,
                           0xa87900, 0xc01c28, 0x3584e4, 0.28 },
  [SLUICE_THEME_DARK] = { 0x242424, 0x303030, 0x454545, 0xffffff, 0xb0b0b0, 0x3f3f3f, 0x9a9a9a,
                          0xf8e45c, 0xff7b63, 0x78aeed, 0.34 },
  [SLUICE_THEME_HIGH_CONTRAST_LIGHT] = { 0xffffff, 0xffffff, 0x5e5e5e, 0x000000, 0x303030, 0xb8b8b8,
                                         0x303030, 0x6b4d00, 0x9a0010, 0x1a5fb4, 0.45 },
  [SLUICE_THEME_HIGH_CONTRAST_DARK] = { 0x000000, 0x0c0c0c, 0xa8a8a8, 0xffffff, 0xdedede, 0x5c5c5c,
                                        0xe0e0e0, 0xffee70, 0xff9e8c, 0x99c1f1, 0.5 },
};

void
sluice_chart_theme_init (SluiceChartTheme *theme, SluiceThemeKind kind)
{
  const Palette *p;

  g_return_if_fail (theme != NULL);
  g_return_if_fail ((guint) kind < G_N_ELEMENTS (palettes));

  p = &palettes[kind];
  *theme = (SluiceChartTheme){
    .window = sluice_color_from_hex (p->window),
    .card = sluice_color_from_hex (p->card),
    .border = sluice_color_from_hex (p->border),
    .text = sluice_color_from_hex (p->text),
    .dim = sluice_color_from_hex (p->dim),
    .grid = sluice_color_from_hex (p->grid),
    .cursor = sluice_color_from_hex (p->cursor),
    .event = sluice_color_from_hex (p->event),
    .failure = sluice_color_from_hex (p->failure),
    .accent = sluice_color_from_hex (p->accent),
    .raw_alpha = p->raw_alpha,
    .font = NULL,
  };
}
