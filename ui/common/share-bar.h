/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/color.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * SluiceShareBar:
 *
 * A bar of parts, one behind the other, each as long as its share of a whole that may be more than
 * all of them: bars above each other compare. Presentational: the words beside it say what it
 * shows.
 */
#define SLUICE_TYPE_SHARE_BAR (sluice_share_bar_get_type ())
G_DECLARE_FINAL_TYPE (SluiceShareBar, sluice_share_bar, SLUICE, SHARE_BAR, GtkWidget)

typedef struct
{
  double value; /* what is not finite, or not over 0, is not there */
  SluiceColor color;
} SluiceSharePart;

GtkWidget *sluice_share_bar_new (void);

/** sluice_share_bar_set: @whole: that fills the width. */
void sluice_share_bar_set (SluiceShareBar *self,
                           const SluiceSharePart *parts,
                           guint n_parts,
                           double whole);

G_END_DECLS
