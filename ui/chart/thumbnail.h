/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A picture with a caption. A picture smaller than its place is enlarged in whole squares. */
#define SLUICE_TYPE_THUMBNAIL (sluice_thumbnail_get_type ())
G_DECLARE_FINAL_TYPE (SluiceThumbnail, sluice_thumbnail, SLUICE, THUMBNAIL, GtkWidget)

GtkWidget *sluice_thumbnail_new (void);

/** sluice_thumbnail_set: shows @image, encoded, as soon as a thread has decoded it; what cannot be
 * decoded, or is too large to be, becomes a mark that says so. */
void sluice_thumbnail_set (SluiceThumbnail *self, GBytes *image, const char *caption);

G_END_DECLS
