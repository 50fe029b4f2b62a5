/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The steps of hierarchy-fold.c on one level. */
#pragma once

#include "ui/canvas/hierarchy-private.h"

G_BEGIN_DECLS

/* A group that is to be made. Folds are numbered from 1; 0 is none. */
typedef struct
{
  guint scope; /* group in which it stands, in other folds or not */
  guint outer; /* the fold that it stands in */
  guint n_repeats;
  gboolean section; /* its members are not alike */
  gboolean gradient;
  char *label, *path;
} SluiceFold;

typedef struct
{
  guint *home;  /* per group: its fold */
  GArray *made; /* SluiceFold */
} SluiceFolds;

typedef enum
{
  SLUICE_FOLD_OUT, /* set aside */
  SLUICE_FOLD_MAIN,
  SLUICE_FOLD_GRADIENT,
  SLUICE_FOLD_GLYPH, /* stands at other boxes: constants, variables, summaries */
} SluiceFoldPart;

typedef struct
{
  SluiceFolds *folds;
  SluiceHierarchy *hierarchy;
  guint scope, base, n;
  guint first_fold; /* number of the first one made for it */
  guint n_boxes;
  SluiceFoldPart *part; /* per child, as the next */
  guint *pair;          /* of gradients: the child that it is of */
  guint8 *late;         /* it depends on a gradient */

  gboolean in_order; /* that of making is one in which data flows */
  guint n_main;
  guint *order;    /* [n_main]: MAIN children as data flows */
  guint *position; /* per child: its place in it, or SLUICE_NONE */
  guint *cut;      /* [n_main + 1]: lines that lead past the place before each position */
} SluiceFoldLevel;

/* n cells of so many positions each. */
typedef struct
{
  guint first, period, n;
} SluiceFoldRun;

/* hierarchy-fold-order.c */
void sluice_fold_level_init (SluiceFoldLevel *self,
                             SluiceFolds *folds,
                             SluiceHierarchy *hierarchy,
                             guint scope);
void sluice_fold_level_clear (SluiceFoldLevel *self);
/* Sets late, order, position and cut. */
void sluice_fold_level_order (SluiceFoldLevel *self);
/* The first bundle from that child; those from it follow each other. */
guint sluice_fold_level_first_bundle (const SluiceFoldLevel *self, guint child);

/* hierarchy-fold-repeats.c: what repeats itself, with periods of at least that many, in the order
 * of positions: (transfer full) (element-type SluiceFoldRun). */
GArray *sluice_fold_level_find_runs (const SluiceFoldLevel *self, guint least_period);
/* What the boxes at these positions do: "Conv2D → Relu", with " × n" where n is not 0. */
char *
sluice_fold_level_dup_label (const SluiceFoldLevel *self, guint first, guint end, guint n_repeats);
/* What that child does: its op, or its name without the number. */
char *sluice_fold_level_dup_word (const SluiceFoldLevel *self, guint child);
/* A path that no other fold or scope has, of one from that child to that one. */
char *sluice_fold_level_dup_path (const SluiceFoldLevel *self, guint first, guint last);

G_END_DECLS
