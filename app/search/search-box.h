/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/search/hit.h"
#include "app/search/query.h"

/*
 * The search field of the window and the list of what it found: Return goes to the next, Shift and
 * Return to the one before, Escape gives the focus back to where it was.
 *
 * Signals: search (pointer SluiceQuery, pointer SluiceHits): who knows something adds what matches;
 * show (SluiceHit): go there.
 */
#define SLUICE_TYPE_SEARCH_BOX (sluice_search_box_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSearchBox, sluice_search_box, SLUICE, SEARCH_BOX, GtkWidget)

/* Takes the focus. */
void sluice_search_box_begin (SluiceSearchBox *self);
/* As if it had been typed, with Return behind it. */
void sluice_search_box_find (SluiceSearchBox *self, const char *text);
/* 1: the next hit, -1: the one before, round in a circle. */
void sluice_search_box_step (SluiceSearchBox *self, int direction);
/* "2 of 14", "Nothing is called “x”", "" (transfer none) */
const char *sluice_search_box_get_summary (SluiceSearchBox *self);
const char *sluice_search_box_get_text (SluiceSearchBox *self);
