/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/theme.h"

#include <math.h>

#define RGB(hex)                                                                                   \
  {                                                                                                \
    ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex) &255) / 255.0, 1.0             \
  }

static const SluiceCanvasTheme themes[] = {
  [SLUICE_CANVAS_LIGHT] = {
    .ground = RGB (0xfcfcfc), .dot = RGB (0xe6e6e6), .surface = RGB (0xffffff),
    .text = RGB (0x2e2e33), .dim = RGB (0x6a6a70), .line = RGB (0x8e8e95),
    .outline = RGB (0x8b8b90), .track = RGB (0xdcdcde), .heat = RGB (0xe66100),
    .update = RGB (0xe66100), .variable = RGB (0x986a44), .summary = RGB (0x00838f),
    .loop = RGB (0x613583),
    .failure = RGB (0xc01c28), .accent = RGB (0x3584e4), .tint = 0.16, .border = 1.4,
  },
  [SLUICE_CANVAS_DARK] = {
    .ground = RGB (0x1e1e20), .dot = RGB (0x2f2f33), .surface = RGB (0x2a2a2d),
    .text = RGB (0xf0f0f2), .dim = RGB (0xa6a6ad), .line = RGB (0x8e8e96),
    .outline = RGB (0x87878d), .track = RGB (0x4a4a4f), .heat = RGB (0xe66100),
    .update = RGB (0xf08030), .variable = RGB (0xb07f55), .summary = RGB (0x22a4b0),
    .loop = RGB (0xc88ae0),
    .failure = RGB (0xff7b6b), .accent = RGB (0x78aeed), .tint = 0.22, .border = 1.4, .dark = TRUE,
  },
  [SLUICE_CANVAS_HIGH_CONTRAST] = {
    .ground = RGB (0xffffff), .dot = RGB (0xffffff), .surface = RGB (0xffffff),
    .text = RGB (0x000000), .dim = RGB (0x202020), .line = RGB (0x3a3a3a),
    .outline = RGB (0x000000), .track = RGB (0xb0b0b0), .heat = RGB (0xa33c00),
    .update = RGB (0xa33c00), .variable = RGB (0x5e3a18), .summary = RGB (0x005058),
    .loop = RGB (0x4a1a70),
    .failure = RGB (0xa00010), .accent = RGB (0x0a4fa8), .tint = 0.10, .border = 2.2,
  },
  [SLUICE_CANVAS_HIGH_CONTRAST_DARK] = {
    .ground = RGB (0x000000), .dot = RGB (0x000000), .surface = RGB (0x000000),
    .text = RGB (0xffffff), .dim = RGB (0xe8e8e8), .line = RGB (0xd0d0d0),
    .outline = RGB (0xffffff), .track = RGB (0x606060), .heat = RGB (0xffa050),
    .update = RGB (0xffa050), .variable = RGB (0xe0b080), .summary = RGB (0x60e0f0),
    .loop = RGB (0xdcb0ff),
    .failure = RGB (0xff8080), .accent = RGB (0x80c0ff), .tint = 0.22, .border = 2.2, .dark = TRUE,
  },
};

/* The named colours of the look. Red is left to failures, and brown comes last: it also means
 * variable. */
static const SluiceColor named[] = {
  RGB (0x9141ac), RGB (0x3584e4), RGB (0x2ec27e), RGB (0xe66100), RGB (0x00838f), RGB (0x986a44),
};

const SluiceCanvasTheme *
sluice_canvas_theme_get (SluiceCanvasThemeKind kind)
{
  g_return_val_if_fail (kind < G_N_ELEMENTS (themes), &themes[0]);
  return &themes[kind];
}

static double
linear (double c)
{
  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

static double
luminance (SluiceColor c)
{
  return 0.2126 * linear (c.r) + 0.7152 * linear (c.g) + 0.0722 * linear (c.b);
}

static SluiceColor
mixed (SluiceColor a, SluiceColor b, double t)
{
  return (SluiceColor){ a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, 1 };
}

static SluiceColor
golden_angle (guint index)
{
  double turn = fmod (0.57 + 0.618033988749895 * index, 1.0);
  /* Not red: that says failure. */
  if (turn < 0.05 || turn > 0.95)
    turn = fmod (turn + 0.12, 1.0);
  double hue = turn * 6, f = hue - floor (hue);
  double lo = 0.22, hi = 0.70, up = lo + (hi - lo) * f, down = hi - (hi - lo) * f;
  switch ((int) hue)
    {
    case 0:
      return (SluiceColor){ hi, up, lo, 1 };
    case 1:
      return (SluiceColor){ down, hi, lo, 1 };
    case 2:
      return (SluiceColor){ lo, hi, up, 1 };
    case 3:
      return (SluiceColor){ lo, down, hi, 1 };
    case 4:
      return (SluiceColor){ up, lo, hi, 1 };
    default:
      return (SluiceColor){ hi, lo, down, 1 };
    }
}

SluiceColor
sluice_canvas_theme_hue (const SluiceCanvasTheme *theme, guint index)
{
  SluiceColor c = index < G_N_ELEMENTS (named) ? named[index] : golden_angle (index);
  double ground = luminance (theme->ground);
  double wanted = theme->border > 2 ? 4.5 : 3.0;

  /* Towards the text colour in small steps until the line can be told from the ground. */
  for (int step = 0; step < 20; step++)
    {
      double l = luminance (c);
      double contrast = (MAX (l, ground) + 0.05) / (MIN (l, ground) + 0.05);
      if (contrast >= wanted)
        break;
      c = mixed (c, theme->text, 0.08);
    }
  return c;
}
