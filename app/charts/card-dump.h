/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/**
 * sluice_cards_dump_json:
 * @cards: (element-type SluiceTagCard): in the order of the page
 * @pinned: set of tags
 *
 * (transfer full): what a test wants to know of the page.
 */
char *
sluice_cards_dump_json (GPtrArray *cards, GHashTable *pinned, const char *state, double scrolled);
