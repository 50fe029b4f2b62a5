/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kinds/bytes.h"

/* What a step did, node by node: RunMetadata bytes, tagged. (transfer full): takes a reference of
 * bytes. */
SluiceBytesRecord *sluice_run_metadata_new (gint64 step, double wall, GBytes *bytes);
