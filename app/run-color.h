/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"
#include "ui/common/color.h"

/* The colour that stands for a run wherever it is drawn: the one that somebody chose, or else that
 * of its number. Who draws it makes it readable on its ground. */
SluiceColor sluice_run_info_get_color (const SluiceRunInfo *self);
