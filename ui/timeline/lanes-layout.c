/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/lanes-layout.h"

/* A lane and where it comes. */
typedef struct
{
  guint device, kind, lane;
} Place;

static int
compare_places (gconstpointer pa, gconstpointer pb)
{
  static const guint orders[] = {
    [SLUICE_LANE_THREAD] = 0, [SLUICE_LANE_QUEUE] = 1, [SLUICE_LANE_WAIT] = 2,
    [SLUICE_LANE_LINK] = 3,   [SLUICE_LANE_OTHER] = 0,
  };
  const Place *a = pa, *b = pb;

  if (a->device != b->device)
    return a->device < b->device ? -1 : 1;
  if (orders[a->kind] != orders[b->kind])
    return orders[a->kind] < orders[b->kind] ? -1 : 1;
  return a->lane < b->lane ? -1 : a->lane > b->lane;
}

/* Devices in the order of their first lanes, links behind them all. */
static GArray *
sort_lanes (const SluiceTraceView *view)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autoptr (GHashTable) devices = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = sluice_trace_view_get_n_lanes (view);

  for (guint i = 0; i < n; i++)
    {
      const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, i);
      gpointer device = NULL;

      if (lane->n_spans == 0)
        continue;
      if (!g_hash_table_lookup_extended (devices, lane->device, NULL, &device))
        {
          device = GUINT_TO_POINTER (g_hash_table_size (devices)
                                     + (lane->kind == SLUICE_LANE_LINK ? n : 0));
          g_hash_table_insert (devices, (gpointer) lane->device, device);
        }
      const Place place = { GPOINTER_TO_UINT (device), lane->kind, i };
      g_array_append_val (places, place);
    }
  g_array_sort (places, compare_places);
  return places;
}

SluiceLanesLayout *
sluice_lanes_layout_new (const SluiceTraceView *view)
{
  SluiceLanesLayout *self = g_new0 (SluiceLanesLayout, 1);
  g_autoptr (GArray) places = sort_lanes (view);
  const guint none = G_MAXUINT;

  self->rows = g_array_new (FALSE, FALSE, sizeof (SluiceLanesRow));
  self->first = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (view); i++)
    g_array_append_vals (self->first, &none, 1);
  for (guint i = 0; i < places->len; i++)
    {
      const Place *place = &g_array_index (places, Place, i);
      guint n_rows = sluice_trace_view_get_lane (view, place->lane)->n_rows;

      g_array_index (self->first, guint, place->lane) = self->rows->len;
      for (guint k = 0; k < n_rows; k++)
        {
          const SluiceLanesRow row = {
            .lane = place->lane,
            .row = k,
            .y = self->height,
            .height = k == 0 ? SLUICE_LANES_PITCH : SLUICE_LANES_MORE,
            .begins_lane = k == 0,
            .begins_device = k == 0 && (i == 0 || place[-1].device != place->device),
          };
          g_array_append_val (self->rows, row);
          self->height += row.height;
        }
    }
  return self;
}

void
sluice_lanes_layout_free (SluiceLanesLayout *self)
{
  g_array_unref (self->rows);
  g_array_unref (self->first);
  g_free (self);
}

static const SluiceLanesRow *
get_row (const SluiceLanesLayout *self, guint i)
{
  return &g_array_index (self->rows, SluiceLanesRow, i);
}

guint
sluice_lanes_layout_first (const SluiceLanesLayout *self, double y)
{
  guint from = 0;
  guint to = self->rows->len;

  while (from < to)
    {
      guint middle = from + (to - from) / 2;

      if (get_row (self, middle)->y + get_row (self, middle)->height > y)
        to = middle;
      else
        from = middle + 1;
    }
  return from;
}

const SluiceLanesRow *
sluice_lanes_layout_at (const SluiceLanesLayout *self, double y)
{
  guint i = sluice_lanes_layout_first (self, y);

  return y >= 0 && i < self->rows->len ? get_row (self, i) : NULL;
}

const SluiceLanesRow *
sluice_lanes_layout_find (const SluiceLanesLayout *self, guint lane, guint row)
{
  guint first = g_array_index (self->first, guint, lane);

  return first != G_MAXUINT ? get_row (self, first + row) : NULL;
}
