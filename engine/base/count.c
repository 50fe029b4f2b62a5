/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/count.h"

static char *
dup_plain (gint64 n)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT, n);
}

static char *(*format) (gint64 n) = dup_plain;

char *
sluice_count_dup (gint64 n)
{
  return format (n);
}

void
sluice_count_set_format (char *(*dup) (gint64 n))
{
  format = dup;
}
