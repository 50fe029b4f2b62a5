/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * SluiceWrap:
 *
 * Children beside each other, in lines as they fit, from the start of the text's direction on.
 */
#define SLUICE_TYPE_WRAP (sluice_wrap_get_type ())
G_DECLARE_FINAL_TYPE (SluiceWrap, sluice_wrap, SLUICE, WRAP, GtkWidget)

/**
 * sluice_wrap_new: (transfer floating)
 * @spacing: pixels between children, and between lines
 * @columns: all are equally wide, as many beside each other as their least width lets; else each
 *   has its natural width, and those that expand share what is left of a line
 */
GtkWidget *sluice_wrap_new (int spacing, gboolean columns);
/** sluice_wrap_append: @child: (transfer floating) */
void sluice_wrap_append (SluiceWrap *self, GtkWidget *child);
/** sluice_wrap_insert_before: @next: (nullable): a child of it */
void sluice_wrap_insert_before (SluiceWrap *self, GtkWidget *child, GtkWidget *next);

G_END_DECLS
