/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/card.h"

G_BEGIN_DECLS

/**
 * SluicePrCard:
 *
 * Precision over recall of some runs, each at its newest step.
 */
#define SLUICE_TYPE_PR_CARD (sluice_pr_card_get_type ())
G_DECLARE_FINAL_TYPE (SluicePrCard, sluice_pr_card, SLUICE, PR_CARD, SluiceCard)

GtkWidget *sluice_pr_card_new (const char *title);

/**
 * sluice_pr_card_set_run:
 * @id: of a run that is there, or a new one
 * @n: thresholds, even from 0 to 1
 * @precision: (array length=n): copied
 * @recall: (array length=n): copied
 */
void sluice_pr_card_set_run (SluicePrCard *self,
                             gint64 id,
                             const char *name,
                             SluiceColor color,
                             gint64 step,
                             guint n,
                             const double *precision,
                             const double *recall);
void sluice_pr_card_remove_run (SluicePrCard *self, gint64 id);

/** sluice_pr_card_dup_text: (transfer full): what a screen reader says: the area under each curve.
 */
char *sluice_pr_card_dup_text (SluicePrCard *self);

G_END_DECLS
