/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/crc32c.h"
#include "engine/store/file.h"
#include "engine/trace/trace-own-private.h"
#include "engine/trace/trace-own.h"
#include "engine/trace/trace-remarks.h"
#include "engine/trace/trace-view-private.h"

typedef struct
{
  const guint8 *at, *end;
} Part;

typedef struct
{
  const guint8 *bytes;
  gsize length;
  SluiceTraceView *view;
  guint64 n_spans;
  gsize first; /* block behind the names */
} Reader;

/* NULL: it ends before. */
static const void *
take (Part *part, guint64 length)
{
  if (length > (guint64) (part->end - part->at))
    return NULL;
  const guint8 *at = part->at;
  part->at += length;
  return at;
}

static gboolean
take_number (Part *part, guint32 *number)
{
  const void *at = take (part, sizeof *number);
  if (at != NULL)
    memcpy (number, at, sizeof *number);
  return at != NULL;
}

/* The block at an offset: its summed bytes, and where the next one begins. */
static gboolean
take_block (const Reader *r, guint64 offset, SluiceOwnBlock *block, Part *summed, guint64 *next)
{
  if (offset % 8 != 0 || offset > r->length || r->length - offset < sizeof *block)
    return FALSE;
  memcpy (block, r->bytes + offset, sizeof *block);
  if (sluice_crc32c (0, block, G_STRUCT_OFFSET (SluiceOwnBlock, head_crc)) != block->head_crc)
    return FALSE;
  guint64 rest = r->length - offset - sizeof *block;
  if (block->length > rest || block->summed > block->length)
    return FALSE;
  summed->at = r->bytes + offset + sizeof *block;
  summed->end = summed->at + block->summed;
  *next = (offset + sizeof *block + block->length + 7) / 8 * 8;
  return sluice_crc32c (0, summed->at, block->summed) == block->crc;
}

/* ---- names ---- */

static gboolean
take_texts (Reader *r, Part *part, GPtrArray *texts)
{
  guint32 n, length;
  if (!take_number (part, &n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const char *at = take_number (part, &length) ? take (part, length) : NULL;
      if (at == NULL)
        return FALSE;
      g_autofree char *valid = g_utf8_make_valid (at, (gssize) length);
      g_ptr_array_add (texts, (gpointer) sluice_trace_view_keep_text (r->view, valid));
    }
  return TRUE;
}

static gboolean
find_text (const GPtrArray *texts, guint32 number, gboolean may_be_none, const char **text)
{
  *text = number < texts->len ? texts->pdata[number] : NULL;
  return *text != NULL || (may_be_none && number == SLUICE_OWN_NONE);
}

static gboolean
take_lanes (Reader *r, Part *part, const GPtrArray *texts)
{
  guint32 n, kind, device, name;
  if (!take_number (part, &n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const char *device_text, *name_text;
      if (!take_number (part, &kind) || !take_number (part, &device) || !take_number (part, &name)
          || kind > SLUICE_LANE_OTHER || !find_text (texts, device, FALSE, &device_text)
          || !find_text (texts, name, FALSE, &name_text))
        return FALSE;
      sluice_trace_view_new_lane (r->view, kind, device_text, name_text);
    }
  return TRUE;
}

static gboolean
take_titles (Reader *r, Part *part, const GPtrArray *texts)
{
  guint32 n;
  if (!take_number (part, &n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      SluiceOwnTitle own;
      SluiceSpanTitle title = { NULL };
      const void *at = take (part, sizeof own);
      if (at == NULL)
        return FALSE;
      memcpy (&own, at, sizeof own);
      if (!find_text (texts, own.name, FALSE, &title.name)
          || !find_text (texts, own.op, TRUE, &title.op)
          || !find_text (texts, own.frame, TRUE, &title.frame) || own.kind >= SLUICE_N_SPAN_KINDS
          || own.lane >= r->view->lanes->len)
        return FALSE;
      title.lane = own.lane;
      title.kind = own.kind;
      title.bytes_in = own.bytes_in;
      title.bytes_out = own.bytes_out;
      sluice_trace_view_add_title (r->view, &title);
    }
  return TRUE;
}

static gboolean
take_together (Reader *r, Part *part, const GPtrArray *texts)
{
  guint32 n, node, name;
  if (!take_number (part, &n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const char *node_text, *name_text;
      if (!take_number (part, &node) || !take_number (part, &name)
          || !find_text (texts, node, FALSE, &node_text)
          || !find_text (texts, name, FALSE, &name_text))
        return FALSE;
      sluice_trace_view_add_together (r->view, node_text, name_text);
    }
  return TRUE;
}

static gboolean
take_names (Reader *r)
{
  SluiceOwnBlock block;
  Part part;
  guint64 next;
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  if (!take_block (r, sizeof (SluiceOwnHead), &block, &part, &next)
      || block.kind != SLUICE_OWN_NAMES || !take_texts (r, &part, texts)
      || !take_lanes (r, &part, texts) || !take_titles (r, &part, texts)
      || !take_together (r, &part, texts))
    return FALSE;
  r->first = next;
  return r->n_spans == 0 || r->view->titles->len > 0;
}

/* ---- beside spans ---- */

/* (transfer full) (nullable) */
static char *
take_text (Part *part)
{
  guint32 length;
  const char *at = take_number (part, &length) ? take (part, length) : NULL;
  return at != NULL ? g_utf8_make_valid (at, (gssize) length) : NULL;
}

static gboolean
take_long (Part *part, guint64 *number)
{
  const void *at = take (part, sizeof *number);
  if (at != NULL)
    memcpy (number, at, sizeof *number);
  return at != NULL;
}

static gboolean
take_counter (Reader *r, Part *part)
{
  guint64 n;
  g_autofree char *device = take_text (part);
  g_autofree char *name = take_text (part);
  if (device == NULL || name == NULL || !take_long (part, &n))
    return FALSE;
  guint counter = sluice_trace_view_add_counter (r->view, device, name);
  for (guint64 i = 0; i < n; i++)
    {
      SluiceTraceCount count;
      const void *at = take (part, sizeof count);
      if (at == NULL)
        return FALSE;
      memcpy (&count, at, sizeof count);
      sluice_trace_view_add_count (r->view, counter, count.time, count.value);
    }
  return TRUE;
}

static gboolean
take_mark (Reader *r, Part *part)
{
  guint64 time;
  guint32 lane;
  if (!take_long (part, &time) || !take_number (part, &lane))
    return FALSE;
  g_autofree char *name = take_text (part);
  if (name == NULL || (lane != SLUICE_LANE_NONE && lane >= r->view->lanes->len))
    return FALSE;
  sluice_trace_view_add_mark (r->view, lane, (gint64) time, name);
  return TRUE;
}

static gboolean
take_flows (Reader *r, Part *part)
{
  guint64 n;
  if (!take_long (part, &n))
    return FALSE;
  for (guint64 i = 0; i < n; i++)
    {
      SluiceTraceFlow flow;
      const void *at = take (part, sizeof flow);
      if (at == NULL)
        return FALSE;
      memcpy (&flow, at, sizeof flow);
      if (flow.from >= r->n_spans || flow.to >= r->n_spans)
        return FALSE;
      sluice_trace_view_add_flow (r->view, flow.from, flow.to);
    }
  return TRUE;
}

/* FALSE: there are some, and they are damaged. */
static gboolean
take_beside (Reader *r)
{
  SluiceOwnBlock block;
  Part part;
  guint64 next, n_marks;
  guint32 n_counters;
  if (!take_block (r, r->first, &block, &part, &next) || block.kind != SLUICE_OWN_BESIDE)
    return TRUE;
  r->first = next;
  gboolean ok = take_number (&part, &n_counters);
  for (guint i = 0; ok && i < n_counters; i++)
    ok = take_counter (r, &part);
  ok = ok && take_long (&part, &n_marks);
  for (guint64 i = 0; ok && i < n_marks; i++)
    ok = take_mark (r, &part);
  ok = ok && take_flows (r, &part);
  sluice_trace_view_settle_beside (r->view);
  return ok;
}

/* ---- columns ---- */

static void
prepare_columns (Reader *r)
{
  SluiceTraceView *view = r->view;
  SluiceSpanColumn *const columns[] = { SLUICE_VIEW_COLUMNS (view) };
  for (guint i = 0; i < SLUICE_OWN_COLUMNS; i++)
    sluice_span_column_set_file (columns[i], &view->file, G_MININT64, G_MAXINT64);
  const gint64 max = SLUICE_VIEW_MAX_TIME;
  sluice_span_column_set_file (&view->times.start, &view->file, -max, max);
  sluice_span_column_set_file (&view->times.time, &view->file, 0, 2 * max);
  sluice_span_column_set_file (&view->waited, &view->file, -2 * max, 2 * max);
  sluice_span_column_set_file (&view->title, &view->file, 0, (gint64) view->titles->len - 1);
  sluice_span_column_set_file (&view->row, &view->file, 0, G_MAXUINT32);
}

static guint
count_in_page (guint64 n, guint64 first)
{
  return (guint) MIN (SLUICE_SPAN_COLUMN_PAGE, n - first);
}

static gboolean
take_column (Part *part, SluiceSpanColumn *column, guint64 n)
{
  for (guint64 first = 0; first < n; first += SLUICE_SPAN_COLUMN_PAGE)
    {
      const SluiceSpanColumnEntry *entry = take (part, sizeof *entry);
      if (entry == NULL || !sluice_span_column_add_page (column, entry, count_in_page (n, first)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_steps (Reader *r, Part *part)
{
  guint32 n, zero;
  if (!take_number (part, &n) || !take_number (part, &zero))
    return FALSE;
  guint64 last = 0;
  for (guint i = 0; i < n; i++)
    {
      gint64 own[3];
      const void *at = take (part, sizeof own);
      if (at == NULL)
        return FALSE;
      memcpy (own, at, sizeof own);
      const SluiceTraceStep step = {
        .step = (guint64) own[0],
        .start = CLAMP (own[1], -SLUICE_VIEW_MAX_TIME, SLUICE_VIEW_MAX_TIME),
        .end = CLAMP (own[2], -SLUICE_VIEW_MAX_TIME, 2 * SLUICE_VIEW_MAX_TIME),
      };
      if (step.step <= last)
        return FALSE;
      last = step.step;
      g_array_append_val (r->view->steps, step);
    }
  return TRUE;
}

/* ---- rows ---- */

static gboolean
is_block_sound (const Reader *r, const SluiceRowBlock *block)
{
  const gint64 max = 2 * SLUICE_VIEW_MAX_TIME;
  return block->longest < r->n_spans && block->start >= -max && block->end >= block->start
         && block->end <= max && block->longest_time >= 0 && block->longest_time <= max;
}

static gboolean
take_level (Reader *r, Part *part, SluiceRow *row, guint level)
{
  SluiceOwnBlock block;
  Part summed;
  guint64 offset, next, n = sluice_row_count_blocks (row, level);
  const void *at = take (part, sizeof offset);
  if (at == NULL)
    return FALSE;
  memcpy (&offset, at, sizeof offset);
  if (!take_block (r, offset, &block, &summed, &next) || block.kind != SLUICE_OWN_LEVEL
      || block.summed / sizeof (SluiceRowBlock) != n)
    return FALSE;
  row->levels[level] = g_array_sized_new (FALSE, FALSE, sizeof (SluiceRowBlock), (guint) n);
  g_array_append_vals (row->levels[level], summed.at, (guint) n);
  for (guint64 i = 0; i < n; i++)
    if (!is_block_sound (r, &g_array_index (row->levels[level], SluiceRowBlock, i)))
      return FALSE;
  return TRUE;
}

static gboolean
take_row (Reader *r, Part *part, SluiceViewLane *lane)
{
  guint64 n;
  const void *at = take (part, sizeof n);
  if (at == NULL)
    return FALSE;
  memcpy (&n, at, sizeof n);
  SluiceRow *row = sluice_row_new ();
  g_ptr_array_add (lane->rows, row);
  sluice_span_column_set_file (&row->order, &r->view->file, 0, (gint64) r->n_spans - 1);
  if (n == 0 || n > r->n_spans || !take_column (part, &row->order, n))
    return FALSE;
  for (guint level = 0; level < SLUICE_ROW_LEVELS && sluice_row_count_blocks (row, level) > 0;
       level++)
    if (!take_level (r, part, row, level))
      return FALSE;
  return TRUE;
}

static gboolean
take_lane (Reader *r, Part *part, SluiceViewLane *lane)
{
  SluiceOwnLane own;
  const void *at = take (part, sizeof own);
  if (at == NULL)
    return FALSE;
  memcpy (&own, at, sizeof own);
  const gint64 max = 2 * SLUICE_VIEW_MAX_TIME;
  lane->told.begin = CLAMP (own.begin, -max, max);
  lane->told.end = CLAMP (own.end, lane->told.begin, max);
  lane->told.busy = own.busy;
  lane->told.n_spans = own.n_spans;
  lane->told.n_rows = MAX (1, own.n_rows);
  guint64 n = 0;
  for (guint i = 0; i < own.n_rows; i++)
    {
      if (!take_row (r, part, lane))
        return FALSE;
      n += ((const SluiceRow *) lane->rows->pdata[i])->order.n;
    }
  return n == own.n_spans;
}

static gboolean
take_index (Reader *r)
{
  SluiceOwnFoot foot;
  SluiceOwnBlock block;
  Part part;
  guint64 next;
  if (r->length < sizeof foot)
    return FALSE;
  memcpy (&foot, r->bytes + r->length - sizeof foot, sizeof foot);
  if (foot.magic != SLUICE_OWN_MAGIC
      || foot.crc != sluice_crc32c (0, &foot, G_STRUCT_OFFSET (SluiceOwnFoot, crc))
      || !take_block (r, foot.index, &block, &part, &next) || block.kind != SLUICE_OWN_INDEX
      || !take_steps (r, &part))
    return FALSE;
  SluiceSpanColumn *const columns[] = { SLUICE_VIEW_COLUMNS (r->view) };
  for (guint i = 0; i < SLUICE_OWN_COLUMNS; i++)
    if (!take_column (&part, columns[i], r->n_spans))
      return FALSE;
  for (guint i = 0; i < r->view->lanes->len; i++)
    if (!take_lane (r, &part, r->view->lanes->pdata[i]))
      return FALSE;
  return TRUE;
}

/* ---- without an index ---- */

/* A page of all columns; FALSE: it is not whole, and what follows has no place. */
static gboolean
take_spans (Reader *r, const SluiceSpanColumnEntry *entries)
{
  SluiceSpanColumn *const columns[] = { SLUICE_VIEW_COLUMNS (r->view) };
  guint64 first = sluice_trace_view_get_n_spans (r->view), damaged = r->view->file.n_damaged;
  if (first >= r->n_spans)
    return FALSE;
  guint n = count_in_page (r->n_spans, first);
  gboolean ok = TRUE;
  for (guint i = 0; i < SLUICE_OWN_COLUMNS && ok; i++)
    {
      ok = sluice_span_column_add_page (columns[i], &entries[i], n);
      if (ok)
        sluice_span_column_get (columns[i], first);
      ok = ok && r->view->file.n_damaged == damaged;
    }
  for (guint i = 0; i < SLUICE_OWN_COLUMNS && !ok; i++)
    sluice_span_column_truncate (columns[i], first);
  for (guint i = 0; i < n && ok; i++)
    sluice_trace_view_place (r->view, first + i);
  return ok;
}

static void
take_what_is_there (Reader *r, GArray *remarks)
{
  SluiceOwnBlock block;
  Part part;
  guint64 offset = r->first, next;
  while (take_block (r, offset, &block, &part, &next))
    {
      const SluiceSpanColumnEntry *entries =
          take (&part, SLUICE_OWN_COLUMNS * sizeof (SluiceSpanColumnEntry));
      if (block.kind == SLUICE_OWN_SPANS && (entries == NULL || !take_spans (r, entries)))
        break;
      offset = next;
    }
  sluice_trace_view_settle (r->view);
  sluice_trace_remarks_add (remarks, 1, "end of the file is missing or damaged");
  sluice_trace_remarks_add (remarks, r->n_spans - sluice_trace_view_get_n_spans (r->view),
                            "spans are missing");
}

/* ---- opening ---- */

gboolean
sluice_trace_own_is (const void *bytes, gsize length)
{
  guint64 magic;
  if (length < sizeof magic)
    return FALSE;
  memcpy (&magic, bytes, sizeof magic);
  return magic == SLUICE_OWN_MAGIC;
}

static SluiceTraceView *
new_view (GBytes *bytes, const SluiceOwnHead *head)
{
  SluiceTraceView *view = sluice_trace_view_new ();
  view->bytes = g_bytes_ref (bytes);
  view->file.bytes = g_bytes_get_data (bytes, &view->file.length);
  view->start = head->start;
  return view;
}

static gboolean
fail (GError **error, const char *why)
{
  g_set_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS, "trace file %s", why);
  return FALSE;
}

static gboolean
take_head (const Reader *r, SluiceOwnHead *head, GError **error)
{
  if (r->length < sizeof *head || !sluice_trace_own_is (r->bytes, r->length))
    return fail (error, "is none of Sluice's");
  memcpy (head, r->bytes, sizeof *head);
  if (head->version != SLUICE_OWN_VERSION)
    {
      g_set_error (error, SLUICE_ERROR, SLUICE_ERROR_UNIMPLEMENTED,
                   "trace file is of version %u; this program reads version %u", head->version,
                   SLUICE_OWN_VERSION);
      return FALSE;
    }
  return head->n_spans <= G_MAXUINT32 || fail (error, "has a damaged head");
}

SluiceTraceView *
sluice_trace_own_open_bytes (GBytes *bytes, GArray *remarks, GError **error)
{
  Reader r = { NULL };
  SluiceOwnHead head;
  r.bytes = g_bytes_get_data (bytes, &r.length);
  if (!take_head (&r, &head, error))
    return NULL;
  r.n_spans = head.n_spans;
  for (gboolean has_index = TRUE;; has_index = FALSE)
    {
      r.view = new_view (bytes, &head);
      if (!take_names (&r) || !take_beside (&r))
        {
          sluice_trace_view_free (r.view);
          fail (error, "is cut short or damaged before its first span");
          return NULL;
        }
      prepare_columns (&r);
      if (has_index && take_index (&r))
        return r.view;
      if (!has_index)
        {
          take_what_is_there (&r, remarks);
          return r.view;
        }
      sluice_trace_view_free (r.view);
    }
}

SluiceTraceView *
sluice_trace_own_open (const char *path, GArray *remarks, GError **error)
{
  g_autoptr (GMappedFile) map = sluice_file_map ("trace", path, error);
  if (map == NULL)
    return NULL;
  g_autoptr (GBytes) bytes = g_mapped_file_get_bytes (map);
  SluiceTraceView *view = sluice_trace_own_open_bytes (bytes, remarks, error);
  if (view == NULL)
    g_prefix_error (error, "'%s': ", path);
  return view;
}
