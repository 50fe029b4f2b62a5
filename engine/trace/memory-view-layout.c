/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The stack of bands, column by column. */
#include "engine/trace/memory-view-private.h"

typedef struct
{
  guint shape;
  SluiceMemoryPoint point;
} Corner;

/* The stack at a moment as a ring of bands in the order of their ranks; the last entry is its head.
 * It goes forward only. */
typedef struct
{
  const SluiceMemoryView *view;
  SluiceMemoryLayout *layout;
  guint *next, *prev;
  guint head;
  guint moment;
  guint *shape_of; /* by band: the one under way + 1 */
  gsize *base_of;  /* by band: of its last corner */
  GArray *corners; /* of Corner, by column */
} Stack;

static void
put_on (Stack *stack, guint band, guint under)
{
  guint over = stack->next[under];
  stack->next[under] = stack->prev[over] = band;
  stack->prev[band] = under;
  stack->next[band] = over;
}

static void
take_out (Stack *stack, guint band)
{
  stack->next[stack->prev[band]] = stack->next[band];
  stack->prev[stack->next[band]] = stack->prev[band];
}

static void
end_shape (Stack *stack, guint band, guint column)
{
  if (stack->shape_of[band] > 0)
    g_array_index (stack->layout->shapes, SluiceMemoryShape, stack->shape_of[band] - 1).end =
        column;
  stack->shape_of[band] = 0;
}

static void
go_on (Stack *stack, guint to, guint column)
{
  const SluiceMemoryView *view = stack->view;
  for (; stack->moment < to; stack->moment++)
    {
      guint number = view->band_of[stack->moment];
      if (number == SLUICE_BAND_NONE)
        continue;
      const SluiceMemoryBand *band = sluice_memory_view_band_at (view, number);
      gboolean begins = band->begin == stack->moment + 1;
      guint old = begins ? band->before : number;
      if (begins)
        put_on (stack, number, old != SLUICE_BAND_NONE ? old : stack->prev[stack->head]);
      if (old == SLUICE_BAND_NONE)
        continue;
      take_out (stack, old);
      end_shape (stack, old, column);
    }
}

static void
add_column (Stack *stack, guint column)
{
  gsize base = 0;
  for (guint i = stack->next[stack->head]; i != stack->head; i = stack->next[i])
    {
      if (stack->shape_of[i] == 0)
        {
          const SluiceMemoryShape shape = { .band = i, .end = stack->layout->n_columns };
          g_array_append_val (stack->layout->shapes, shape);
          stack->shape_of[i] = stack->layout->shapes->len;
          stack->base_of[i] = G_MAXSIZE;
        }
      if (stack->base_of[i] != base)
        {
          const Corner corner = { stack->shape_of[i] - 1, { column, base } };
          g_array_append_val (stack->corners, corner);
          g_array_index (stack->layout->shapes, SluiceMemoryShape, corner.shape).n_points++;
        }
      stack->base_of[i] = base;
      base += sluice_memory_view_band_at (stack->view, i)->bytes;
    }
}

/* Points by shape, and within it by column. */
static void
sort_corners (SluiceMemoryLayout *layout, const GArray *corners)
{
  SluiceMemoryShape *shapes = (SluiceMemoryShape *) layout->shapes->data;
  g_array_set_size (layout->points, corners->len);
  guint n = 0;
  for (guint i = 0; i < layout->shapes->len; i++)
    {
      shapes[i].first_point = n;
      n += shapes[i].n_points;
      shapes[i].n_points = 0;
    }
  for (guint i = 0; i < corners->len; i++)
    {
      const Corner *corner = &g_array_index (corners, Corner, i);
      SluiceMemoryShape *shape = &shapes[corner->shape];
      g_array_index (layout->points, SluiceMemoryPoint, shape->first_point + shape->n_points++) =
          corner->point;
    }
}

static void
choose_moments (const SluiceMemoryView *view, SluiceMemoryLayout *layout, gint64 from, gint64 to)
{
  guint last = sluice_memory_view_find_moment (view, from);
  for (guint c = 0; c < layout->n_columns; c++)
    {
      gint64 end = from + (gint64) ((double) (to - from) * (c + 1) / layout->n_columns);
      guint first = last;
      last = MAX (first, sluice_memory_view_find_moment (view, MAX (end - 1, from)));
      layout->moments[c] = first;
      for (guint m = first; m <= last; m++)
        {
          if (view->live[m] > view->live[layout->moments[c]])
            layout->moments[c] = m;
          layout->reserved[c] = MAX (layout->reserved[c], view->reserved[m]);
        }
      layout->live[c] = view->live[layout->moments[c]];
    }
}

static void
stack_begin (Stack *stack, const SluiceMemoryView *view, SluiceMemoryLayout *layout)
{
  guint n = view->bands->len;
  *stack = (Stack){ view,
                    layout,
                    g_new (guint, n + 1),
                    g_new (guint, n + 1),
                    n,
                    view->n_initial,
                    g_new0 (guint, n + 1),
                    g_new0 (gsize, n + 1),
                    g_array_new (FALSE, FALSE, sizeof (Corner)) };
  stack->next[n] = stack->prev[n] = n;
  for (guint i = 0; i < view->floor->len; i++)
    put_on (stack, g_array_index (view->floor, guint, i), stack->prev[n]);
}

static void
stack_end (Stack *stack)
{
  g_free (stack->next);
  g_free (stack->prev);
  g_free (stack->shape_of);
  g_free (stack->base_of);
  g_array_unref (stack->corners);
}

SluiceMemoryLayout *
sluice_memory_view_lay_out (const SluiceMemoryView *self, gint64 from, gint64 to, guint n_columns)
{
  SluiceMemoryLayout *layout = g_new0 (SluiceMemoryLayout, 1);
  layout->from = from;
  layout->to = to;
  layout->n_columns = n_columns;
  layout->shapes = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryShape));
  layout->points = g_array_new (FALSE, FALSE, sizeof (SluiceMemoryPoint));
  layout->moments = g_new0 (guint, n_columns);
  layout->live = g_new0 (gsize, n_columns);
  layout->reserved = g_new0 (gsize, n_columns);
  choose_moments (self, layout, from, to);
  Stack stack;
  stack_begin (&stack, self, layout);
  for (guint c = 0; c < n_columns; c++)
    {
      go_on (&stack, layout->moments[c], c);
      add_column (&stack, c);
    }
  sort_corners (layout, stack.corners);
  stack_end (&stack);
  return layout;
}

void
sluice_memory_layout_free (SluiceMemoryLayout *self)
{
  g_array_unref (self->shapes);
  g_array_unref (self->points);
  g_free (self->moments);
  g_free (self->live);
  g_free (self->reserved);
  g_free (self);
}

guint
sluice_memory_layout_find (const SluiceMemoryLayout *self,
                           const SluiceMemoryView *view,
                           guint column,
                           gsize height)
{
  for (guint i = 0; i < self->shapes->len; i++)
    {
      const SluiceMemoryShape *shape = &g_array_index (self->shapes, SluiceMemoryShape, i);
      const SluiceMemoryPoint *points =
          &g_array_index (self->points, SluiceMemoryPoint, shape->first_point);
      if (column < points[0].column || column >= shape->end)
        continue;
      guint k = 0;
      while (k + 1 < shape->n_points && points[k + 1].column <= column)
        k++;
      gsize bytes = sluice_memory_view_band_at (view, shape->band)->bytes;
      if (height >= points[k].base && height < points[k].base + bytes)
        return shape->band;
    }
  return SLUICE_BAND_NONE;
}
