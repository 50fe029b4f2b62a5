/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Colours by what nodes have in common: each text one colour, the most frequent first. */
#pragma once

#include "ui/canvas/scene.h"
#include "ui/common/theme.h"

G_BEGIN_DECLS

typedef struct _SluiceColorClasses SluiceColorClasses;

/* @by: ASKED (the device that nodes ask for), DTYPE (of their first output that is read) or CHANGE.
 */
SluiceColorClasses *sluice_color_classes_new (SluiceHierarchy *hierarchy, SluiceColorBy by);
/* What somebody else tells of nodes. */
typedef struct
{
  GHashTable *texts;        /* name -> text; what is not there has none */
  const char *const *order; /* (array zero-terminated=1): all texts that there are */
  gboolean is_scale;        /* they go from little to much; else each has a hue, by its place */
} SluiceColorTold;
SluiceColorClasses *
sluice_color_classes_new_told (SluiceHierarchy *hierarchy, const SluiceColorTold *told);
void sluice_color_classes_free (SluiceColorClasses *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceColorClasses, sluice_color_classes_free)

guint sluice_color_classes_get_n (const SluiceColorClasses *self);
const char *sluice_color_classes_get_name (const SluiceColorClasses *self, guint index);
/* How many ops are of the class, or of none (SLUICE_NONE). */
guint sluice_color_classes_get_n_ops (const SluiceColorClasses *self, guint index);
/* Of changes always the same, whichever there are; of others by their order. */
guint sluice_color_classes_get_hue (const SluiceColorClasses *self, guint index);
SluiceColor sluice_color_classes_get_color (const SluiceColorClasses *self,
                                            guint index,
                                            const SluiceTheme *theme);
/* (nullable): that says a change without its colour. */
const char *sluice_color_classes_get_sign (const SluiceColorClasses *self, guint index);
/* Of an op; of a scope that of most of its ops that have one. SLUICE_NONE: none has. */
guint sluice_color_classes_get (const SluiceColorClasses *self, guint group);

G_END_DECLS
