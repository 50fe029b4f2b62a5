/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/run-color.h"

SluiceColor
sluice_run_info_get_color (const SluiceRunInfo *self)
{
  guint64 rgb;
  if (self->color != NULL && self->color[0] == '#'
      && g_ascii_string_to_unsigned (self->color + 1, 16, 0, 0xffffff, &rgb, NULL))
    return sluice_color_from_hex ((guint32) rgb);
  return sluice_palette_color ((guint) (self->id - 1));
}
