/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "engine/cost/cost-model-private.h"

/* What a figure that was scaled may be off besides, for each factor of e. */
#define SCALED_PLUS_MINUS 0.3

/* A device with a queue has nothing to do between its nodes: that goes with each that runs. */
static double
get_between_us (SluiceMeasured *measured, const SluiceMachineDevice *device)
{
  double us = sluice_measured_get_between_us (measured, device->name);
  return isnan (us) ? 0 : us;
}

static void
take (const SluiceMeasuredFigure *measured, double factor, double between_us, SluiceFigure *figure)
{
  *figure = (SluiceFigure){
    .us = measured->us * factor,
    .plus_minus = measured->plus_minus * factor,
    .p95 = measured->p95 * factor,
    .n = measured->n,
    .source = SLUICE_COST_MEASURED,
  };
  if (measured->us > 0)
    {
      figure->us += between_us;
      figure->p95 += between_us;
    }
}

gboolean
sluice_cost_measured_get (SluiceMeasured *measured,
                          const SluiceNode *node,
                          const SluiceMachineDevice *device,
                          gint64 unknown_dim,
                          SluiceFigure *figure)
{
  g_auto (SluiceCostKey) key = { NULL };
  SluiceMeasuredFigure found;
  sluice_cost_key_init (&key, node, unknown_dim);
  const SluiceMeasuredEntry *entry = sluice_measured_find (measured, device->name, &key);
  gboolean is_exact = entry != NULL;
  if (!is_exact)
    entry = sluice_measured_find_near (measured, device->name, &key);
  if (entry == NULL)
    return FALSE;
  sluice_measured_entry_get (entry, &found);
  double factor = is_exact ? 1
                           : sluice_cost_formula_get_us (&key.cost, device)
                                 / sluice_cost_formula_get_us (&found.cost, device);
  take (&found, factor, get_between_us (measured, device), figure);
  figure->plus_minus += SCALED_PLUS_MINUS * fabs (log (factor)) * figure->us;
  return TRUE;
}

void
sluice_machine_take_measured (SluiceMachine *self, SluiceMeasured *measured)
{
  SluiceMeasuredLink link;
  for (guint a = 0; a < self->n_devices; a++)
    for (guint b = 0; b < self->n_devices; b++)
      if (a != b && self->devices[a].is_here && self->devices[b].is_here
          && sluice_measured_get_link (measured, self->devices[a].name, self->devices[b].name,
                                       &link))
        self->links[a * self->n_devices + b] =
            (SluiceMachineLink){ link.latency_us, link.bytes_per_us };
}
