/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/held.h"

struct _SluiceHeld
{
  guint n_devices;
  GArray **levels; /* by device: of SluiceHeldLevel */
};

typedef struct
{
  SluiceHeld *held;
  const SluiceWorkload *w;
  const SluiceSimulation *s;
  double *last_us; /* by device: until when the value that is looked at is used there */
} Filler;

static void
hold (SluiceHeld *self, guint device, double begin_us, double end_us, double bytes)
{
  const SluiceHeldLevel more = { begin_us, bytes, 0 }, less = { end_us, -bytes, 0 };
  if (bytes <= 0 || end_us <= begin_us)
    return;
  g_array_append_val (self->levels[device], more);
  g_array_append_val (self->levels[device], less);
}

/* transfers: CSR of those in the schedule by value */
static void
hold_output (Filler *filler, guint output, const guint *first, const guint *transfers)
{
  const SluiceSimulation *s = filler->s;
  double *last_us = filler->last_us, bytes = filler->w->outputs[output].bytes;
  guint maker = filler->w->outputs[output].node, home = s->devices[maker];
  last_us[home] = MAX (last_us[home], s->spans[maker].end_us);
  for (guint i = first[output]; i < first[output + 1]; i++)
    {
      const SluiceSimulatedTransfer *transfer =
          &g_array_index (s->transfers, SluiceSimulatedTransfer, transfers[i]);
      last_us[home] = MAX (last_us[home], transfer->end_us);
      hold (filler->held, transfer->to, transfer->start_us, last_us[transfer->to], bytes);
      last_us[transfer->to] = 0;
    }
  hold (filler->held, home, s->spans[maker].start_us, last_us[home], bytes);
  last_us[home] = 0;
}

static int
compare_levels (gconstpointer a, gconstpointer b)
{
  const SluiceHeldLevel *x = a, *y = b;
  if (x->at_us < y->at_us || x->at_us > y->at_us)
    return x->at_us < y->at_us ? -1 : 1;
  return x->bytes < y->bytes ? -1 : x->bytes > y->bytes; /* what is given back comes first */
}

static void
add_up (GArray *levels)
{
  double bytes = 0, peak = 0;
  g_array_sort (levels, compare_levels);
  for (guint i = 0; i < levels->len; i++)
    {
      SluiceHeldLevel *level = &g_array_index (levels, SluiceHeldLevel, i);
      level->bytes = bytes += level->bytes;
      level->peak = peak = MAX (peak, bytes);
    }
}

SluiceHeld *
sluice_held_new (const SluiceWorkload *w, const SluiceSimulation *s)
{
  SluiceHeld *self = g_new0 (SluiceHeld, 1);
  self->n_devices = w->machine->n_devices;
  self->levels = g_new (GArray *, self->n_devices);
  for (guint d = 0; d < self->n_devices; d++)
    self->levels[d] = g_array_new (FALSE, FALSE, sizeof (SluiceHeldLevel));
  g_autofree double *last_us = g_new0 (double, self->n_devices);
  g_autofree guint *first_reader = NULL, *readers = NULL, *first = NULL, *transfers = NULL;
  sluice_workload_index_readers (w, &first_reader, &readers);
  sluice_simulation_index_transfers (s, w, &first, &transfers);
  Filler filler = { self, w, s, last_us };
  for (guint output = 0; output < w->n_outputs; output++)
    {
      for (guint i = first_reader[output]; i < first_reader[output + 1]; i++)
        {
          guint d = s->devices[readers[i]];
          last_us[d] = MAX (last_us[d], s->spans[readers[i]].end_us);
        }
      hold_output (&filler, output, first, transfers);
    }
  for (guint d = 0; d < self->n_devices; d++)
    add_up (self->levels[d]);
  return self;
}

void
sluice_held_free (SluiceHeld *self)
{
  for (guint d = 0; d < self->n_devices; d++)
    g_array_unref (self->levels[d]);
  g_free (self->levels);
  g_free (self);
}

SluiceHeldLevel
sluice_held_get (const SluiceHeld *self, guint device, double us)
{
  const GArray *levels = self->levels[device];
  guint low = 0, high = levels->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (g_array_index (levels, SluiceHeldLevel, middle).at_us <= us)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? g_array_index (levels, SluiceHeldLevel, low - 1) : (SluiceHeldLevel){ 0, 0, 0 };
}
