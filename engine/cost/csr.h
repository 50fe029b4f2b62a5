/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Items by key, in their order: those of key k are items[first[k]] to before items[first[k + 1]].
 * Both are the caller's. */
static inline void
sluice_csr_build (const guint *keys, guint n, guint n_keys, guint **first, guint **items)
{
  guint *starts = *first = g_new0 (guint, (gsize) n_keys + 2);
  guint *list = *items = g_new (guint, (gsize) n + 1);
  for (guint i = 0; i < n; i++)
    starts[keys[i] + 2]++;
  for (guint i = 2; i < n_keys + 2; i++)
    starts[i] += starts[i - 1];
  for (guint i = 0; i < n; i++)
    list[starts[keys[i] + 1]++] = i;
}
