/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* promote (node, name or ""): a constant of the graph becomes a setting of the launch form; demote
 * (node): it is none any more. Each is taken back by the other. */
void sluice_promote_actions_add (SluiceWindow *window);
