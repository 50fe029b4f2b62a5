/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/color.h"

#include <math.h>

/* Of colours without a name, in OKLCH; angles in radians. */
#define LIGHTNESS    0.62
#define CHROMA       0.13
#define GOLDEN_ANGLE 2.39996322972865332
#define RED_HUE      0.47 /* of what says failure */
#define RED_REACH    0.35 /* so far from it a hue is no red */
#define FIRST_TURN   1.6  /* lime: the widest gap between the structures' named hues */

SluiceColor
sluice_color_from_hex (guint32 rgb)
{
  return (SluiceColor){ ((rgb >> 16) & 0xff) / 255.0, ((rgb >> 8) & 0xff) / 255.0,
                        (rgb & 0xff) / 255.0, 1 };
}

SluiceColor
sluice_color_with_alpha (SluiceColor color, double alpha)
{
  color.a = alpha;
  return color;
}

SluiceColor
sluice_color_mix (SluiceColor a, SluiceColor b, double t)
{
  return (SluiceColor){ a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t,
                        a.a + (b.a - a.a) * t };
}

static double
to_linear (double v)
{
  return v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4);
}

static double
from_linear (double v)
{
  v = CLAMP (v, 0, 1);
  return v <= 0.0031308 ? v * 12.92 : 1.055 * pow (v, 1 / 2.4) - 0.055;
}

static double
luminance (SluiceColor c)
{
  return 0.2126 * to_linear (c.r) + 0.7152 * to_linear (c.g) + 0.0722 * to_linear (c.b);
}

double
sluice_color_contrast (SluiceColor a, SluiceColor b)
{
  double la = luminance (a);
  double lb = luminance (b);

  return (MAX (la, lb) + 0.05) / (MIN (la, lb) + 0.05);
}

SluiceColor
sluice_color_readable (SluiceColor color, SluiceColor ground, double ratio)
{
  SluiceColor white = { 1, 1, 1, color.a };
  SluiceColor black = { 0, 0, 0, color.a };
  SluiceColor target;
  double lo = 0;
  double hi = 1;

  if (sluice_color_contrast (color, ground) >= ratio)
    return color;
  target =
      sluice_color_contrast (white, ground) > sluice_color_contrast (black, ground) ? white : black;
  /* Contrast may first fall on the way, but from there on it only rises: the last crossing counts.
   */
  for (int i = 0; i < 16; i++)
    {
      double mid = (lo + hi) / 2;
      gboolean enough =
          sluice_color_contrast (sluice_color_mix (color, target, mid), ground) >= ratio;

      lo = enough ? lo : mid;
      hi = enough ? mid : hi;
    }
  return sluice_color_mix (color, target, hi);
}

/* OKLab, in which equal lightness looks equal. */
static SluiceColor
from_oklch (double lightness, double chroma, double hue)
{
  double a = chroma * cos (hue);
  double b = chroma * sin (hue);
  double l = pow (lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  double m = pow (lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  double s = pow (lightness - 0.0894841775 * a - 1.2914855480 * b, 3);

  return (SluiceColor){ from_linear (4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                        from_linear (-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                        from_linear (-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), 1 };
}

SluiceColor
sluice_palette_color (guint index)
{
  static const guint32 named[] = { 0x3584e4, 0xe66100, 0x2ec27e, 0x9141ac,
                                   0xe01b24, 0x00838f, 0x986a44 };

  if (index < G_N_ELEMENTS (named))
    return sluice_color_from_hex (named[index]);
  return from_oklch (LIGHTNESS, CHROMA, 0.6 + GOLDEN_ANGLE * (index - G_N_ELEMENTS (named)));
}

SluiceColor
sluice_palette_structure (guint index)
{
  static const guint32 named[] = { 0x9141ac, 0x3584e4, 0x2ec27e, 0xe66100, 0x00838f, 0x986a44 };
  double turn;

  if (index < G_N_ELEMENTS (named))
    return sluice_color_from_hex (named[index]);
  /* The whole turn is pressed into what is not red. */
  turn = fmod (FIRST_TURN + (2 * G_PI - GOLDEN_ANGLE) * (index - G_N_ELEMENTS (named)), 2 * G_PI);
  return from_oklch (LIGHTNESS, CHROMA, RED_HUE + RED_REACH + turn * (1 - RED_REACH / G_PI));
}
