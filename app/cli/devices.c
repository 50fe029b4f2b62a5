/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/devices.h"

#include <stdio.h>

void
sluice_cli_tell_moved (SluiceSession *session)
{
  g_autofree char *moved = sluice_session_dup_moved (session);
  if (moved != NULL)
    fprintf (stderr, "%s\n", moved);
}
