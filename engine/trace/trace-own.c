/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-own.h"

#include <string.h>

#include "engine/store/crc32c.h"
#include "engine/store/file.h"
#include "engine/trace/trace-own-private.h"
#include "engine/trace/trace-view-private.h"

G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);

typedef struct
{
  const SluiceTraceView *view;
  SluiceFileWriter *file;
  GHashTable *text_numbers; /* kept text -> 1 + number */
  GPtrArray *texts;
  GArray *entries[SLUICE_OWN_COLUMNS]; /* of SluiceSpanColumnEntry */
  GByteArray *index;
} Writer;

static void
put (GByteArray *out, const void *data, gsize length)
{
  g_byte_array_append (out, data, (guint) length);
}

static void
put_number (GByteArray *out, guint32 number)
{
  put (out, &number, sizeof number);
}

static void
put_text (GByteArray *out, const char *text)
{
  guint length = (guint) strlen (text);
  put_number (out, length);
  put (out, text, length);
}

static void
begin_block (Writer *w, SluiceOwnKind kind, guint64 length, const void *summed, guint64 n_summed)
{
  static const guint8 zeros[8];
  guint64 at = (guint64) sluice_file_writer_get_position (w->file);
  sluice_file_writer_put (w->file, zeros, (8 - at % 8) % 8);
  SluiceOwnBlock block = {
    .kind = kind, .crc = sluice_crc32c (0, summed, n_summed), .length = length, .summed = n_summed
  };
  block.head_crc = sluice_crc32c (0, &block, G_STRUCT_OFFSET (SluiceOwnBlock, head_crc));
  sluice_file_writer_put (w->file, &block, sizeof block);
  sluice_file_writer_put (w->file, summed, n_summed);
}

/* ---- names ---- */

static guint32
number_text (Writer *w, const char *text)
{
  if (text == NULL)
    return SLUICE_OWN_NONE;
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (w->text_numbers, text));
  if (number > 0)
    return number - 1;
  g_ptr_array_add (w->texts, (gpointer) text);
  g_hash_table_insert (w->text_numbers, (gpointer) text, GUINT_TO_POINTER (w->texts->len));
  return w->texts->len - 1;
}

static void
put_lanes (Writer *w, GByteArray *out)
{
  put_number (out, w->view->lanes->len);
  for (guint i = 0; i < w->view->lanes->len; i++)
    {
      const SluiceTraceLane *lane = sluice_trace_view_get_lane (w->view, i);
      put_number (out, lane->kind);
      put_number (out, number_text (w, lane->device));
      put_number (out, number_text (w, lane->name));
    }
}

static void
put_titles (Writer *w, GByteArray *out)
{
  put_number (out, w->view->titles->len);
  for (guint i = 0; i < w->view->titles->len; i++)
    {
      const SluiceSpanTitle *title = w->view->titles->pdata[i];
      const SluiceOwnTitle own = { .name = number_text (w, title->name),
                                   .op = number_text (w, title->op),
                                   .frame = number_text (w, title->frame),
                                   .lane = title->lane,
                                   .kind = title->kind,
                                   .bytes_in = title->bytes_in,
                                   .bytes_out = title->bytes_out };
      put (out, &own, sizeof own);
    }
}

static void
put_together (Writer *w, GByteArray *out)
{
  GHashTableIter iter;
  gpointer name, node;
  put_number (out, g_hash_table_size (w->view->together));
  g_hash_table_iter_init (&iter, w->view->together);
  while (g_hash_table_iter_next (&iter, &name, &node))
    {
      put_number (out, number_text (w, node));
      put_number (out, number_text (w, name));
    }
}

static void
write_names (Writer *w)
{
  g_autoptr (GByteArray) numbers = g_byte_array_new ();
  g_autoptr (GByteArray) all = g_byte_array_new ();
  put_lanes (w, numbers);
  put_titles (w, numbers);
  put_together (w, numbers);
  put_number (all, w->texts->len);
  for (guint i = 0; i < w->texts->len; i++)
    put_text (all, w->texts->pdata[i]);
  put (all, numbers->data, numbers->len);
  begin_block (w, SLUICE_OWN_NAMES, all->len, all->data, all->len);
}

/* ---- beside spans ---- */

static void
put_counter (GByteArray *out, const SluiceTraceCounter *counter)
{
  put_text (out, counter->device);
  put_text (out, counter->name);
  put (out, &counter->n, sizeof counter->n);
  put (out, counter->counts, counter->n * sizeof *counter->counts);
}

static void
write_beside (Writer *w)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  guint n_counters = sluice_trace_view_get_n_counters (w->view);
  guint64 n_marks, n_flows;
  const SluiceTraceMark *marks = sluice_trace_view_get_marks (w->view, &n_marks);
  const SluiceTraceFlow *flows = sluice_trace_view_get_flows (w->view, &n_flows);
  if (n_counters + n_marks + n_flows == 0)
    return;
  put_number (all, n_counters);
  for (guint i = 0; i < n_counters; i++)
    {
      SluiceTraceCounter counter;
      sluice_trace_view_get_counter (w->view, i, &counter);
      put_counter (all, &counter);
    }
  put (all, &n_marks, sizeof n_marks);
  for (guint64 i = 0; i < n_marks; i++)
    {
      put (all, &marks[i].time, sizeof marks[i].time);
      put_number (all, marks[i].lane);
      put_text (all, marks[i].name);
    }
  put (all, &n_flows, sizeof n_flows);
  put (all, flows, n_flows * sizeof *flows);
  begin_block (w, SLUICE_OWN_BESIDE, all->len, all->data, all->len);
}

/* ---- pages ---- */

/* What a page will be at an offset of the file. */
static SluiceSpanColumnEntry
describe_page (const SluiceSpanColumn *column, guint64 first, guint64 offset)
{
  sluice_span_column_get (column, first); /* it is read where it was not */
  const SluiceSpanColumnPage *page =
      &g_array_index (column->pages, SluiceSpanColumnPage, first / SLUICE_SPAN_COLUMN_PAGE);
  SluiceSpanColumnEntry entry = { .base = page->base, .offset = offset };
  if (page->values == NULL)
    return entry;
  guint n = (guint) MIN (SLUICE_SPAN_COLUMN_PAGE, column->n - first);
  entry.room = MIN (page->room, n + n % 2);
  entry.n_far = page->n_far;
  entry.crc = sluice_crc32c (0, page->values, (gsize) entry.room * 4);
  entry.crc = sluice_crc32c (entry.crc, page->far, (gsize) entry.n_far * 8);
  return entry;
}

static guint64
get_length (const SluiceSpanColumnEntry *entry)
{
  return (guint64) entry->room * 4 + (guint64) entry->n_far * 8;
}

static void
put_page (Writer *w, const SluiceSpanColumn *column, guint64 first, const SluiceSpanColumnEntry *as)
{
  const SluiceSpanColumnPage *page =
      &g_array_index (column->pages, SluiceSpanColumnPage, first / SLUICE_SPAN_COLUMN_PAGE);
  if (as->room == 0)
    return;
  sluice_file_writer_put (w->file, page->values, (gsize) as->room * 4);
  sluice_file_writer_put (w->file, page->far, (gsize) as->n_far * 8);
}

/* Where the summed bytes of the next block end. */
static guint64
get_pages_start (Writer *w, guint64 n_summed)
{
  guint64 at = (guint64) sluice_file_writer_get_position (w->file);
  return (at + 7) / 8 * 8 + sizeof (SluiceOwnBlock) + n_summed;
}

static void
write_spans (Writer *w, guint64 first)
{
  SluiceTraceView *view = (SluiceTraceView *) w->view;
  const SluiceSpanColumn *const columns[] = { SLUICE_VIEW_COLUMNS (view) };
  SluiceSpanColumnEntry entries[SLUICE_OWN_COLUMNS];
  G_STATIC_ASSERT (G_N_ELEMENTS (columns) == SLUICE_OWN_COLUMNS);
  guint64 start = get_pages_start (w, sizeof entries), at = start;
  for (guint i = 0; i < SLUICE_OWN_COLUMNS; i++)
    {
      entries[i] = describe_page (columns[i], first, at);
      at += get_length (&entries[i]);
      g_array_append_val (w->entries[i], entries[i]);
    }
  begin_block (w, SLUICE_OWN_SPANS, sizeof entries + at - start, entries, sizeof entries);
  for (guint i = 0; i < SLUICE_OWN_COLUMNS; i++)
    put_page (w, columns[i], first, &entries[i]);
}

/* ---- rows ---- */

static void
write_order (Writer *w, const SluiceRow *row)
{
  for (guint64 first = 0; first < row->order.n; first += SLUICE_SPAN_COLUMN_PAGE)
    {
      SluiceSpanColumnEntry entry =
          describe_page (&row->order, first, get_pages_start (w, sizeof entry));
      put (w->index, &entry, sizeof entry);
      begin_block (w, SLUICE_OWN_ORDER, sizeof entry + get_length (&entry), &entry, sizeof entry);
      put_page (w, &row->order, first, &entry);
    }
}

static void
write_row (Writer *w, const SluiceRow *row)
{
  guint64 n = row->order.n;
  put (w->index, &n, sizeof n);
  write_order (w, row);
  for (guint level = 0; level < SLUICE_ROW_LEVELS && sluice_row_count_blocks (row, level) > 0;
       level++)
    {
      gsize length = sluice_row_count_blocks (row, level) * sizeof (SluiceRowBlock);
      guint64 at = get_pages_start (w, 0) - sizeof (SluiceOwnBlock);
      put (w->index, &at, sizeof at);
      begin_block (w, SLUICE_OWN_LEVEL, length, row->levels[level]->data, length);
    }
}

static void
write_lane (Writer *w, const SluiceViewLane *lane)
{
  const SluiceOwnLane own = { .begin = lane->told.begin,
                              .end = lane->told.end,
                              .busy = lane->told.busy,
                              .n_spans = lane->told.n_spans,
                              .n_rows = lane->rows->len };
  put (w->index, &own, sizeof own);
  for (guint i = 0; i < lane->rows->len; i++)
    write_row (w, lane->rows->pdata[i]);
}

static void
write_index (Writer *w)
{
  g_autoptr (GByteArray) rows = w->index;
  g_autoptr (GByteArray) all = g_byte_array_new ();
  w->index = NULL;
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (w->view, &n);
  put_number (all, n);
  put_number (all, 0); /* entries lie where eight divides */
  for (guint i = 0; i < n; i++)
    {
      const gint64 step[] = { (gint64) steps[i].step, steps[i].start, steps[i].end };
      put (all, step, sizeof step);
    }
  for (guint i = 0; i < SLUICE_OWN_COLUMNS; i++)
    put (all, w->entries[i]->data, w->entries[i]->len * sizeof (SluiceSpanColumnEntry));
  put (all, rows->data, rows->len);
  guint64 at = get_pages_start (w, 0) - sizeof (SluiceOwnBlock);
  begin_block (w, SLUICE_OWN_INDEX, all->len, all->data, all->len);
  SluiceOwnFoot foot = { .magic = SLUICE_OWN_MAGIC, .index = at };
  foot.crc = sluice_crc32c (0, &foot, G_STRUCT_OFFSET (SluiceOwnFoot, crc));
  sluice_file_writer_put (w->file, &foot, sizeof foot);
}

gboolean
sluice_trace_own_write (const SluiceTraceView *view, const char *path, GError **error)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL); /* kept texts are one each */
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  Writer w = { .view = view, .text_numbers = numbers, .texts = texts };
  w.file = sluice_file_writer_new ("trace", path, error);
  if (w.file == NULL)
    return FALSE;
  w.index = g_byte_array_new ();
  for (guint i = 0; i < SLUICE_OWN_COLUMNS; i++)
    w.entries[i] = g_array_new (FALSE, FALSE, sizeof (SluiceSpanColumnEntry));
  const SluiceOwnHead head = { .magic = SLUICE_OWN_MAGIC,
                               .version = SLUICE_OWN_VERSION,
                               .start = view->start,
                               .n_spans = sluice_trace_view_get_n_spans (view) };
  sluice_file_writer_put (w.file, &head, sizeof head);
  write_names (&w);
  write_beside (&w);
  for (guint64 first = 0; first < head.n_spans; first += SLUICE_SPAN_COLUMN_PAGE)
    write_spans (&w, first);
  for (guint i = 0; i < view->lanes->len; i++)
    write_lane (&w, view->lanes->pdata[i]);
  write_index (&w);
  for (guint i = 0; i < SLUICE_OWN_COLUMNS; i++)
    g_array_unref (w.entries[i]);
  return sluice_file_writer_finish (w.file, error);
}
