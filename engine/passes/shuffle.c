/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>

#include "engine/passes/pass.h"

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  const guint64 seed = options->order_seed;
  gpointer *order = work->schedule->pdata;
  g_autoptr (GRand) rand =
      g_rand_new_with_seed_array ((guint32[]){ (guint32) seed, (guint32) (seed >> 32) }, 2);
  for (guint i = work->schedule->len; i > 1; i--)
    {
      guint k = (guint) g_rand_int_range (rand, 0, (gint32) i);
      gpointer other = order[k];
      order[k] = order[i - 1];
      order[i - 1] = other;
    }
  return TRUE;
}

/* Whatever is ready may go first: ranks are a matter of memory, never of values. The schedule is no
 * topological order afterwards, so nothing that asks for one comes behind. */
const SluicePass sluice_pass_shuffle = {
  .name = "shuffle",
  .summary = N_ ("What is ready goes in an order by lot: no value depends on it"),
  .enabled = SLUICE_PASS_SHUFFLE,
  .requires = SLUICE_FACT_SCHEDULED | SLUICE_FACT_FRAMED,
  .run = run,
};
