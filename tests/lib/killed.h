/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

typedef enum
{
  KILLED,
  KILLED_NOT,    /* it came to its end before, with status 0 */
  KILLED_CANNOT, /* programs may not be traced here */
} Killed;

/* Runs a program, arguments[0] its path, and kills it where it is about to change a file, a folder
 * or a name for the nth time, from 1 on: in whichever thread of it. */
Killed killed_at (const char *const *arguments, guint n);
