/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/* What is known of a run before it begins. It is looked at in a worker, some time after the last
 * change; a change ends the look that is under way. It forbids nothing. */
#define SLUICE_TYPE_PREFLIGHT_CARD (sluice_preflight_card_get_type ())
G_DECLARE_FINAL_TYPE (SluicePreflightCard, sluice_preflight_card, SLUICE, PREFLIGHT_CARD, GtkBox)

GtkWidget *sluice_preflight_card_new (void);

/**
 * sluice_preflight_card_check:
 * @assignments: (array zero-terminated=1): as sluice_project_set() takes them
 * @workspace: whose disk is to have room
 * @init_from: (nullable): a checkpoint to begin with
 * @device: (nullable): where nodes stand that ask for none
 *
 * The same as last time is not looked at again.
 */
void sluice_preflight_card_check (SluicePreflightCard *self,
                                  const char *folder,
                                  char **assignments,
                                  const char *workspace,
                                  const char *init_from,
                                  const char *device);
/* Of a sweep: what all of its runs take is said, too. part: of their steps, where the worse ones
 * are stopped early; else 1 */
void sluice_preflight_card_set_runs (SluicePreflightCard *self, guint64 n_runs, double part);
/* The next check looks, whatever it is. */
void sluice_preflight_card_forget (SluicePreflightCard *self);
/* Nothing is being looked at. */
gboolean sluice_preflight_card_is_idle (SluicePreflightCard *self);
/* How long one run takes until it has finished, as the card says it; NAN: it does not. Signal
 * "looked": that may be another one. */
void
sluice_preflight_card_get_finish (SluicePreflightCard *self, double *seconds, double *plus_minus);
/* "ready": (transfer none). */
const char *sluice_preflight_card_get_verdict (SluicePreflightCard *self);

/* Pictures are the same each time: what is measured is left out of them. */
void sluice_preflight_cards_set_still (gboolean still);
