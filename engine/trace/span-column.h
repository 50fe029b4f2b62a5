/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Numbers of spans, four bytes each: pages of what stands near one another, counted from the first
 * of the page. A page in which all are the same has no memory; what lies further off than a billion
 * is kept whole beside the page.
 */
#define SLUICE_SPAN_COLUMN_PAGE 4096 /* numbers */
#define SLUICE_SPAN_COLUMN_FAR  (1u << 31)
#define SLUICE_SPAN_COLUMN_BIAS (1 << 30)

/* A page in a file: values, then what is far, at an offset that eight divides. */
typedef struct
{
  gint64 base;
  guint64 offset;
  guint32 room, n_far;
  guint32 crc; /* of both, CRC-32C */
  guint32 zero;
} SluiceSpanColumnEntry;

typedef struct
{
  const guint8 *bytes;
  gsize length;
  guint64 n_damaged; /* pages that are not what was written: all in them is their base */
} SluiceSpanColumnFile;

typedef struct
{
  gint64 base;
  guint32 *values; /* (nullable): all are the base */
  gint64 *far;     /* (nullable): what does not fit, by the lower bits of its value */
  guint32 n_far;
  guint32 room;                        /* in values: small ones grow */
  const SluiceSpanColumnEntry *unread; /* (nullable): values are looked at when somebody asks */
  gboolean is_borrowed;                /* values and far lie in a file that is mapped */
} SluiceSpanColumnPage;

typedef struct
{
  GArray *pages; /* of SluiceSpanColumnPage */
  guint64 n;
  SluiceSpanColumnFile *file; /* (nullable): of pages that are unread */
  gint64 low, high;           /* what a file may hold */
} SluiceSpanColumn;

void sluice_span_column_init (SluiceSpanColumn *self);
void sluice_span_column_clear (SluiceSpanColumn *self);
void sluice_span_column_add (SluiceSpanColumn *self, gint64 value);
void sluice_span_column_set (SluiceSpanColumn *self, guint64 i, gint64 value); /* i < n */
/* The last numbers go. */
void sluice_span_column_truncate (SluiceSpanColumn *self, guint64 n);
/* Before pages of a file are taken; low, high: of all numbers in it. */
void sluice_span_column_set_file (SluiceSpanColumn *self,
                                  SluiceSpanColumnFile *file,
                                  gint64 low,
                                  gint64 high);
/* Takes a page of n numbers, of which nothing is trusted; those before it are full. FALSE: it
 * cannot be. The entry stays as long as the column. */
gboolean
sluice_span_column_add_page (SluiceSpanColumn *self, const SluiceSpanColumnEntry *entry, guint n);
/* Looks at a page of a file. */
void sluice_span_column_read (const SluiceSpanColumn *self, guint64 i);
gsize sluice_span_column_get_bytes (const SluiceSpanColumn *self);

static inline gint64
sluice_span_column_get (const SluiceSpanColumn *self, guint64 i)
{
  const SluiceSpanColumnPage *page =
      &g_array_index (self->pages, SluiceSpanColumnPage, i / SLUICE_SPAN_COLUMN_PAGE);
  if (page->values == NULL)
    {
      if (G_UNLIKELY (page->unread != NULL))
        {
          sluice_span_column_read (self, i);
          return sluice_span_column_get (self, i);
        }
      return page->base;
    }
  guint32 value = page->values[i % SLUICE_SPAN_COLUMN_PAGE];
  if (G_UNLIKELY (value & SLUICE_SPAN_COLUMN_FAR))
    return page->far[value & ~SLUICE_SPAN_COLUMN_FAR];
  return page->base + ((gint64) value - SLUICE_SPAN_COLUMN_BIAS);
}
