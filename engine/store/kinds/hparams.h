/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kinds/bytes.h"

/* Settings of a run, as TensorBoard's plugin keeps them: a message HParamsPluginData, one of three
 * parts, each with a tag of its own. */
#define SLUICE_HPARAMS_START_TAG "_hparams_/session_start_info"
#define SLUICE_HPARAMS_END_TAG   "_hparams_/session_end_info"

/* (transfer full): takes a reference of content. */
SluiceBytesRecord *sluice_hparams_new (gint64 step, double wall, GBytes *content);
