/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/steps.h"

/* Runs steps for so long and keeps what nodes and links took (engine/train/measured-file.h). names:
 * what to run. Interrupted: what was measured until then is kept. Returns: the exit status */
int sluice_cli_calibrate (const CliSteps *names, const char *path, double seconds, GError **error);
