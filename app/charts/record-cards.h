/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/charts/tag-card.h"

/* Cards of the newest record that a run has under a tag: lines of the table in tag-card.c. */
extern const SluiceTagCardKind sluice_tag_card_texts;   /* Markdown */
extern const SluiceTagCardKind sluice_tag_card_tensors; /* any, as text */
extern const SluiceTagCardKind sluice_tag_card_audio;
extern const SluiceTagCardKind sluice_tag_card_pr_curves;
