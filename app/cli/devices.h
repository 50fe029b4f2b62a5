/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"
#include "engine/runtime/session/session.h"

/* One line on standard error, where nodes ask for devices that are not here. */
void sluice_cli_tell_moved (SluiceSession *session);
