/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/place/place-words.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/graph/node-words.h"
#include "ui/common/number.h"

static char *
dup_bytes (double bytes)
{
  return g_format_size ((guint64) CLAMP (bytes, 0, 1e18));
}

char *
sluice_place_words_step (const SluicePlacePrediction *self, const char *machine)
{
  g_autofree char *time = sluice_words_spread (self->us, self->plus_minus_us);
  g_autofree char *bytes = dup_bytes (self->link_bytes);
  g_autofree char *name = machine != NULL ? g_filename_display_basename (machine) : NULL;
  if (name != NULL)
    return g_strdup_printf (_ ("“%s”, not here: %s a step predicted · %s over links"), name, time,
                            bytes);
  return g_strdup_printf (_ ("%s a step predicted · %s over links"), time, bytes);
}

char *
sluice_place_words_memory (const SluicePlacePrediction *self, guint device)
{
  double limit = self->machine->devices[device].memory;
  g_autofree char *peak = dup_bytes (self->choice->schedule->peak_bytes[device]);
  g_autofree char *all = isfinite (limit) ? dup_bytes (limit) : NULL;
  return all != NULL ? g_strdup_printf (_ ("at most %s of %s"), peak, all)
                     : g_strdup_printf (_ ("at most %s"), peak);
}

/* With its sign: (transfer full) */
static char *
dup_signed (double value, char *(*dup) (double value))
{
  g_autofree char *size = dup (fabs (value));
  return g_strconcat (value < 0 ? "−" : "+", size, NULL);
}

char *
sluice_place_words_change (const SluicePlacePrediction *before, const SluicePlacePrediction *after)
{
  double was = before->us, us = after->us - was;
  g_autofree char *time = dup_signed (us, sluice_words_duration);
  g_autofree char *peak = dup_signed (after->peak_bytes - before->peak_bytes, dup_bytes);
  g_autofree char *links = dup_signed (after->link_bytes - before->link_bytes, dup_bytes);
  return g_strdup_printf (_ ("%s (%+.0f %%) · peak %s · links %s"), time,
                          was > 0 ? 100 * us / was : 0.0, peak, links);
}

guint
sluice_place_find_decision (const SluicePlacePrediction *self, guint k)
{
  for (guint v = 0; v < self->choice->n_nodes; v++)
    if (self->choice->decisions[v].step == k)
      return v;
  return MIN (k, self->choice->n_nodes - 1);
}

char *
sluice_place_words_decision (const SluicePlacePrediction *self, guint k)
{
  guint n = self->choice->n_nodes;
  if (k == 0)
    return g_strdup_printf (_ ("0 of %u: nothing is decided yet"), n);
  guint v = sluice_place_find_decision (self, k - 1);
  const SluiceDecision *decision = &self->choice->decisions[v];
  const char *device = self->machine->devices[self->choice->devices[v]].device->short_name;
  g_autofree char *margin = sluice_words_duration (fabs (decision->margin_us));
  const char *reason = _ (decision->reason);
  const char *name = self->workload->nodes[v]->name;
  if (!isfinite (decision->margin_us))
    return g_strdup_printf (_ ("%u of %u: %s on %s (%s)"), k, n, name, device, reason);
  return g_strdup_printf (decision->margin_us >= 0
                              ? _ ("%u of %u: %s on %s (%s); the next best ends %s later")
                              : _ ("%u of %u: %s on %s (%s); elsewhere it would end %s sooner"),
                          k, n, name, device, reason, margin);
}

char *
sluice_place_words_measured (double predicted_us, double measured_us, double plus_minus)
{
  g_autofree char *predicted = sluice_words_duration (predicted_us);
  g_autofree char *measured = sluice_words_spread (measured_us, plus_minus);
  double late = predicted_us > 0 ? 100 * (measured_us / predicted_us - 1) : 0;
  return g_strdup_printf (late >= 0 ? _ ("Predicted %s a step, measured %s: %.0f %% late")
                                    : _ ("Predicted %s a step, measured %s: %.0f %% early"),
                          predicted, measured, fabs (late));
}
