/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/theme.h"

/* Of a literal 0xRRGGBB: sluice_color_from_hex() as an initialiser. */
#define RGB(hex)                                                                                   \
  {                                                                                                \
    ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex) &255) / 255.0, 1.0             \
  }

static const SluiceTheme themes[] = {
  [SLUICE_THEME_LIGHT] = {
    .contrast = 3, .text = RGB (0x2e2e2e), .dim = RGB (0x6a6a70),
    .failure = RGB (0xc01c28), .accent = RGB (0x3584e4),
    .window = RGB (0xfafafa), .card = RGB (0xffffff), .border = RGB (0xdddddd),
    .grid = RGB (0xebebeb), .cursor = RGB (0x8a8a8a), .event = RGB (0xa87900), .raw_alpha = 0.28,
    .ground = RGB (0xfcfcfc), .dot = RGB (0xe6e6e6), .surface = RGB (0xffffff),
    .line = RGB (0x8e8e95), .outline = RGB (0x8b8b90), .track = RGB (0xdcdcde),
    .heat = RGB (0xe66100), .update = RGB (0xe66100), .variable = RGB (0x986a44),
    .summary = RGB (0x00838f), .loop = RGB (0x613583), .tint = 0.16, .border_width = 1.4,
  },
  [SLUICE_THEME_DARK] = {
    .dark = TRUE, .contrast = 3, .text = RGB (0xffffff), .dim = RGB (0xb0b0b0),
    .failure = RGB (0xff7b6b), .accent = RGB (0x78aeed),
    .window = RGB (0x242424), .card = RGB (0x303030), .border = RGB (0x454545),
    .grid = RGB (0x3f3f3f), .cursor = RGB (0x9a9a9a), .event = RGB (0xf8e45c), .raw_alpha = 0.34,
    .ground = RGB (0x1e1e20), .dot = RGB (0x2f2f33), .surface = RGB (0x2a2a2d),
    .line = RGB (0x8e8e96), .outline = RGB (0x87878d), .track = RGB (0x4a4a4f),
    .heat = RGB (0xe66100), .update = RGB (0xf08030), .variable = RGB (0xb07f55),
    .summary = RGB (0x22a4b0), .loop = RGB (0xc88ae0), .tint = 0.22, .border_width = 1.4,
  },
  [SLUICE_THEME_HIGH_CONTRAST_LIGHT] = {
    .contrast = 4.5, .text = RGB (0x000000), .dim = RGB (0x202020),
    .failure = RGB (0x9a0010), .accent = RGB (0x0a4fa8),
    .window = RGB (0xffffff), .card = RGB (0xffffff), .border = RGB (0x5e5e5e),
    .grid = RGB (0xb8b8b8), .cursor = RGB (0x303030), .event = RGB (0x6b4d00), .raw_alpha = 0.45,
    .ground = RGB (0xffffff), .dot = RGB (0xffffff), .surface = RGB (0xffffff),
    .line = RGB (0x3a3a3a), .outline = RGB (0x000000), .track = RGB (0xb0b0b0),
    .heat = RGB (0xa33c00), .update = RGB (0xa33c00), .variable = RGB (0x5e3a18),
    .summary = RGB (0x005058), .loop = RGB (0x4a1a70), .tint = 0.10, .border_width = 2.2,
  },
  [SLUICE_THEME_HIGH_CONTRAST_DARK] = {
    .dark = TRUE, .contrast = 4.5, .text = RGB (0xffffff), .dim = RGB (0xe8e8e8),
    .failure = RGB (0xff9e8c), .accent = RGB (0x99c1f1),
    .window = RGB (0x000000), .card = RGB (0x0c0c0c), .border = RGB (0xa8a8a8),
    .grid = RGB (0x5c5c5c), .cursor = RGB (0xe0e0e0), .event = RGB (0xffee70), .raw_alpha = 0.5,
    .ground = RGB (0x000000), .dot = RGB (0x000000), .surface = RGB (0x000000),
    .line = RGB (0xd0d0d0), .outline = RGB (0xffffff), .track = RGB (0x606060),
    .heat = RGB (0xffa050), .update = RGB (0xffa050), .variable = RGB (0xe0b080),
    .summary = RGB (0x60e0f0), .loop = RGB (0xdcb0ff), .tint = 0.22, .border_width = 2.2,
  },
};

const SluiceTheme *
sluice_theme_get (SluiceThemeKind kind)
{
  g_return_val_if_fail (kind < G_N_ELEMENTS (themes), &themes[0]);

  return &themes[kind];
}

SluiceColor
sluice_theme_get_hue (const SluiceTheme *theme, guint index)
{
  return sluice_color_readable (sluice_palette_structure (index), theme->ground, theme->contrast);
}
