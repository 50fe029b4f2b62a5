/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/span-column.h"

#include <string.h>

#include "engine/store/crc32c.h"

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
    {
      page->far = NULL;
      return;
    }
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
  if (page->unread != NULL)
    sluice_span_column_read (self, i);
  if (page->values == NULL && value == page->base)
    return;
  if (page->is_borrowed && at_page < page->room && sluice_span_column_get (self, i) == value)
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
  else if (page_of (self, self->n)->unread != NULL)
    sluice_span_column_read (self, self->n); /* of those that the file has */
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

/* ---- files ---- */

static guint
count_in_page (const SluiceSpanColumn *self, guint page)
{
  return (guint) MIN (SLUICE_SPAN_COLUMN_PAGE, self->n - (guint64) page * SLUICE_SPAN_COLUMN_PAGE);
}

static gboolean
fits (const SluiceSpanColumnFile *file, const SluiceSpanColumnEntry *entry)
{
  guint64 bytes = (guint64) entry->room * 4 + (guint64) entry->n_far * 8;
  return entry->offset % 8 == 0 && entry->room % 2 == 0 && entry->offset <= file->length
         && bytes <= file->length - entry->offset;
}

void
sluice_span_column_set_file (SluiceSpanColumn *self,
                             SluiceSpanColumnFile *file,
                             gint64 low,
                             gint64 high)
{
  self->file = file;
  self->low = low;
  self->high = high;
}

gboolean
sluice_span_column_add_page (SluiceSpanColumn *self, const SluiceSpanColumnEntry *entry, guint n)
{
  gboolean has_values = entry->room > 0;
  if (!fits (self->file, entry) || entry->base < self->low || entry->base > self->high
      || (has_values && entry->room < n) || self->n % SLUICE_SPAN_COLUMN_PAGE != 0)
    return FALSE;
  const SluiceSpanColumnPage page = { .base = entry->base, .unread = has_values ? entry : NULL };
  g_array_append_val (self->pages, page);
  self->n += n;
  return TRUE;
}

/* All that somebody may ask for lies where it must. */
static gboolean
is_sound (const SluiceSpanColumn *self, const SluiceSpanColumnPage *page, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      guint32 value = page->values[i];
      if (value & SLUICE_SPAN_COLUMN_FAR && (value & ~SLUICE_SPAN_COLUMN_FAR) >= page->n_far)
        return FALSE;
      gint64 number;
      if (value & SLUICE_SPAN_COLUMN_FAR)
        number = page->far[value & ~SLUICE_SPAN_COLUMN_FAR];
      else if (__builtin_add_overflow (page->base, (gint64) value - SLUICE_SPAN_COLUMN_BIAS,
                                       &number))
        return FALSE;
      if (number < self->low || number > self->high)
        return FALSE;
    }
  return TRUE;
}

void
sluice_span_column_read (const SluiceSpanColumn *self, guint64 i)
{
  SluiceSpanColumnPage *page = page_of (self, i);
  const SluiceSpanColumnEntry *entry = page->unread;
  gsize bytes = (gsize) entry->room * 4 + (gsize) entry->n_far * 8;
  const guint8 *at = self->file->bytes + entry->offset;
  page->unread = NULL;
  page->is_borrowed = TRUE;
  page->values = (guint32 *) at;
  page->far = (gint64 *) (at + (gsize) entry->room * 4);
  page->room = entry->room;
  page->n_far = entry->n_far;
  if (sluice_crc32c (0, at, bytes) == entry->crc
      && is_sound (self, page, count_in_page (self, (guint) (i / SLUICE_SPAN_COLUMN_PAGE))))
    return;
  self->file->n_damaged++;
  *page = (SluiceSpanColumnPage){ .base = page->base };
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
