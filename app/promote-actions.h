/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* promote (node, name, line): a constant of the graph is a setting of the launch form, as its line
 * of [parameters] says; "": as it was, or by itself. demote (node): it is none any more. Each is
 * taken back by promote or demote. */
void sluice_promote_actions_add (SluiceWindow *window);
