/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/layout-private.h"

#include <math.h>
#include <string.h>

/* Long lines that end at one box, or begin at one, and run beside each other share the lane of the
 * longest of them: one trunk with branches instead of three lines side by side. Only dummies that
 * stand next to each other in their rank are moved, so that nothing lies between and nothing new is
 * crossed. */

#define MOST_LANES 12 /* edge gaps that a line moves aside for it */

typedef struct
{
  SluiceLayers *g;
  const guint *start, *next; /* CSR: away from the box that they have in common */
  guint8 *shared;            /* per node: it stands in a trunk */
  double reach;
} Lanes;

static gboolean
is_free (const Lanes *self, guint v)
{
  return v >= self->g->n_real && !self->shared[v];
}

static guint
get_length (const Lanes *self, guint v)
{
  guint length = 0;
  for (; is_free (self, v); v = self->next[self->start[v]])
    length++;
  return length;
}

/* Whether @v can stand where @leader does, when all between them can. */
static gboolean
is_beside (const Lanes *self, guint v, guint neighbour, guint leader)
{
  const SluiceLayers *g = self->g;
  return is_free (self, v) && ABS ((int) g->pos[v] - (int) g->pos[neighbour]) == 1
         && fabs (g->x[v] - g->x[leader]) <= self->reach;
}

/* Those of a rank, in its order, that reach from @leader without a gap: [first, last). */
static void
find_run (const Lanes *self, const GArray *row, guint leader, guint *first, guint *last)
{
  const guint *v = (const guint *) row->data;
  *first = leader;
  *last = leader + 1;
  while (*first > 0 && is_beside (self, v[*first - 1], v[*first], v[leader]))
    --*first;
  while (*last < row->len && is_beside (self, v[*last], v[*last - 1], v[leader]))
    ++*last;
}

/* From rank to rank, away from the common box, as long as there are two. */
static void
follow (Lanes *self, GArray *row, guint leader)
{
  SluiceLayers *g = self->g;
  guint first, last;
  for (;;)
    {
      guint *v = (guint *) row->data, n = 0, next_leader = G_MAXUINT;
      find_run (self, row, leader, &first, &last);
      if (last - first < 2)
        return;
      double x = g->x[v[leader]];
      for (guint i = first; i < last; i++)
        {
          guint next = self->next[self->start[v[i]]];
          g->x[v[i]] = x;
          self->shared[v[i]] = TRUE;
          if (i == leader)
            next_leader = n;
          if (is_free (self, next))
            v[n++] = next;
          else if (i == leader)
            return; /* nothing is longer */
        }
      g_array_set_size (row, n);
      leader = next_leader;
    }
}

/* The lines at box @v. */
static void
share_at (Lanes *self, guint v, GArray *row)
{
  guint longest = 0, leader = 0;
  g_array_set_size (row, 0);
  for (guint k = self->start[v]; k < self->start[v + 1]; k++)
    {
      guint length = get_length (self, self->next[k]);
      if (length == 0)
        continue;
      g_array_append_val (row, self->next[k]);
      if (length > longest)
        leader = row->len - 1;
      longest = MAX (longest, length);
    }
  if (row->len > 1)
    follow (self, row, leader);
}

void
sluice_layers_share_lanes (SluiceLayers *self, const SluiceLayoutOptions *options)
{
  g_autofree guint8 *shared = g_new0 (guint8, self->n + 1);
  g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (guint));
  Lanes ends = { self, self->in_start, self->in, shared, MOST_LANES * options->edge_gap };
  Lanes begins = { self, self->out_start, self->out, shared, ends.reach };
  for (guint v = 0; v < self->n_real; v++)
    share_at (&ends, v, row);
  for (guint v = 0; v < self->n_real; v++)
    share_at (&begins, v, row);
}
