/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/span-column.h"

#include <string.h>

#define FIRST_ROOM 16 /* divides a page */

static void
clear_page (gpointer data)
{
  SluiceSpanColumnPage *page = data;
  if (page->is_borrowed)
    return;
  g_free (page->values);
  g_free (page->far);
}

void
sluice_span_column_init (SluiceSpanColumn *self)
{
  self->pages = g_array_new (FALSE, FALSE, sizeof (SluiceSpanColumnPage));
  g_array_set_clear_func (self->pages, clear_page);
  self->n = 0;
}

void
sluice_span_column_clear (SluiceSpanColumn *self)
{
  g_clear_pointer (&self->pages, g_array_unref);
  self->n = 0;
}

static SluiceSpanColumnPage *
page_of (const SluiceSpanColumn *self, guint64 i)
{
  return &g_array_index (self->pages, SluiceSpanColumnPage, i / SLUICE_SPAN_COLUMN_PAGE);
}

/* What is in a file is copied before it changes. */
static void
own_page (SluiceSpanColumnPage *page)
{
  if (!page->is_borrowed)
    return;
  page->is_borrowed = FALSE;
  page->values = g_memdup2 (page->values, page->room * sizeof *page->values);
  if (page->n_far == 0)
    return;
  gint64 *far = g_new (gint64, (gsize) 1 << g_bit_storage (page->n_far));
  page->far = memcpy (far, page->far, page->n_far * sizeof *far);
}

static void
make_room (SluiceSpanColumnPage *page, guint n)
{
  if (page->room >= n)
    return;
  guint room = MAX (FIRST_ROOM, page->room);
  while (room < n)
    room *= 2;
  page->values = g_renew (guint32, page->values, room);
  for (guint i = page->room; i < room; i++)
    page->values[i] = SLUICE_SPAN_COLUMN_BIAS;
  page->room = room;
}

static guint32
put_far (SluiceSpanColumnPage *page, gint64 value)
{
  if ((page->n_far & (page->n_far - 1)) == 0) /* full: as many are held as a power of two */
    page->far = g_renew (gint64, page->far, MAX (1, page->n_far * 2));
  page->far[page->n_far] = value;
  return SLUICE_SPAN_COLUMN_FAR | page->n_far++;
}

static guint32
pack (SluiceSpanColumnPage *page, gint64 value)
{
  gint64 more;
  if (__builtin_sub_overflow (value, page->base, &more) || more < -SLUICE_SPAN_COLUMN_BIAS
      || more >= SLUICE_SPAN_COLUMN_BIAS)
    return put_far (page, value);
  return (guint32) (more + SLUICE_SPAN_COLUMN_BIAS);
}

void
sluice_span_column_set (SluiceSpanColumn *self, guint64 i, gint64 value)
{
  SluiceSpanColumnPage *page = page_of (self, i);
  guint at_page = i % SLUICE_SPAN_COLUMN_PAGE;
  if (page->values == NULL && value == page->base)
    return;
  own_page (page);
  /* Those beside it were the base, and have no memory. */
  make_room (page, (guint) MIN (SLUICE_SPAN_COLUMN_PAGE, self->n - (i - at_page)));
  guint32 *at = &page->values[at_page];
  if (*at & SLUICE_SPAN_COLUMN_FAR)
    page->far[*at & ~SLUICE_SPAN_COLUMN_FAR] = value;
  else
    *at = pack (page, value);
}

void
sluice_span_column_add (SluiceSpanColumn *self, gint64 value)
{
  if (self->n % SLUICE_SPAN_COLUMN_PAGE == 0)
    {
      const SluiceSpanColumnPage page = { .base = value };
      g_array_append_val (self->pages, page);
    }
  self->n++;
  sluice_span_column_set (self, self->n - 1, value);
}

void
sluice_span_column_truncate (SluiceSpanColumn *self, guint64 n)
{
  g_array_set_size (self->pages,
                    (guint) ((n + SLUICE_SPAN_COLUMN_PAGE - 1) / SLUICE_SPAN_COLUMN_PAGE));
  self->n = n;
}

void
sluice_span_column_add_page (SluiceSpanColumn *self, const SluiceSpanColumnPage *page, guint n)
{
  g_array_append_val (self->pages, *page);
  self->n += n;
}

gsize
sluice_span_column_get_bytes (const SluiceSpanColumn *self)
{
  gsize bytes = self->pages->len * sizeof (SluiceSpanColumnPage);
  for (guint i = 0; i < self->pages->len; i++)
    {
      const SluiceSpanColumnPage *page = &g_array_index (self->pages, SluiceSpanColumnPage, i);
      bytes += page->room * sizeof *page->values + page->n_far * sizeof *page->far;
    }
  return bytes;
}
