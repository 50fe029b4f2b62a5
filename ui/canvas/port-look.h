/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/paint.h"

G_BEGIN_DECLS

/* A port is its dtype by colour and shape. dtype everywhere: (nullable): its name; of one that is
 * not known it is a dot without a colour. */

/* The same for all types that look alike: what a picture of it can be kept under. */
guint sluice_port_get_look (const char *dtype);
SluiceColor sluice_port_get_color (const SluiceTheme *theme, const char *dtype);
/* scale: of its line. is_open: nothing leads to it, so it is hollow */
void sluice_port_draw (cairo_t *cr,
                       const SluiceTheme *theme,
                       const char *dtype,
                       SluicePoint at,
                       double radius,
                       double scale,
                       gboolean is_open);

G_END_DECLS
