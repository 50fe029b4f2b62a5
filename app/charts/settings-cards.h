/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib/gi18n.h>

#include "app/charts/tag-card.h"

/* The one card of what runs were begun with and what came of it, under a name that no tag has. */
extern const SluiceTagCardKind sluice_tag_card_settings;
#define SLUICE_SETTINGS_CARD_TAG N_ ("Settings and results")
