/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "app/charts/tag-card.h"

/*
 * What somebody has chosen for cards, by their tags: it outlives the cards, which come and go with
 * the runs that are shown, and all of it but what is pinned goes with the workspace.
 */
typedef struct
{
  GHashTable *pinned;    /* set of tags: the user's, in all workspaces */
  GHashTable *large;     /* set of tags */
  GHashTable *collapsed; /* set of titles of groups */
  GHashTable *joined;    /* tag -> that of the card it is drawn in */
  GHashTable *modes;     /* tag -> name of the way it is shown */
} SluiceCardMemory;

void sluice_card_memory_init (SluiceCardMemory *self);
void sluice_card_memory_clear (SluiceCardMemory *self);
/* As of a page: SluicePageInterface. */
void sluice_card_memory_keep (SluiceCardMemory *self, GKeyFile *state, gboolean saves);

void sluice_card_memory_read_pinned (SluiceCardMemory *self, GSettings *settings);
void sluice_card_memory_pin (SluiceCardMemory *self,
                             const char *tag,
                             gboolean pinned,
                             GSettings *settings);
/* Adds to a set, or takes out. */
void sluice_card_memory_set (GHashTable *set, const char *tag, gboolean is_in);

/* To a card that has just been made: what is drawn in it too, and its size. */
void sluice_card_memory_apply (SluiceCardMemory *self, SluiceTagCard *card);
/* To its widget: how it is shown; and from now on what is chosen there. */
void sluice_card_memory_follow (SluiceCardMemory *self, SluiceTagCard *card);
/* The widget is about to go, and to come again when it is scrolled to. */
void sluice_card_memory_leave (SluiceTagCard *card);
