/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/charts/tag-card.h"

/* Cards of curves, those of all runs in one chart: a line of the table in tag-card.c. */
extern const SluiceTagCardKind sluice_tag_card_scalars;
