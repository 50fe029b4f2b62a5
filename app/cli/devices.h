/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"
#include "engine/runtime/session/session.h"

/* What the verbs share that place a graph on devices. A device that a graph asks for and that is
 * not here is replaced, and said; --soft asked for it when that was not so. */
#define CLI_DEVICE_OPTIONS                                                                         \
  { "strict-devices",                                                                              \
    0,                                                                                             \
    0,                                                                                             \
    G_OPTION_ARG_NONE,                                                                             \
    &cli_strict_devices,                                                                           \
    N_ ("Refuse nodes that ask for a device that is not here, instead of replacing it"),           \
    NULL },                                                                                        \
  {                                                                                                \
    "soft", 0, G_OPTION_FLAG_REVERSE | G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE,                    \
        &cli_strict_devices, "", NULL                                                              \
  }

extern gboolean cli_strict_devices;

/* One line on standard error, where nodes ask for devices that are not here. */
void cli_tell_moved (SluiceSession *session);
