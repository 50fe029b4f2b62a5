/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Fuzzes traces that are opened: JSON, Perfetto's and TensorFlow's protobufs, Sluice's own files.
 * The first byte says whether the checksums of an own file are made right, because chance does not
 * find them. What was opened is looked at as pages look at it.
 */
#include <glib/gstdio.h>

#include "engine/store/crc32c.h"
#include "engine/trace/critical-path.h"
#include "engine/trace/trace-file.h"
#include "engine/trace/trace-gaps.h"
#include "engine/trace/trace-import.h"
#include "engine/trace/trace-own-private.h"
#include "engine/trace/trace-own.h"
#include "engine/trace/trace-remarks.h"
#include "engine/trace/fill.h"
#include "tests/fuzz/fuzz-driver.h"
#include "tests/fuzz/fuzz-folder.h"

#define SIGNED    1
#define MAX_SPANS 5000 /* that are looked at one by one */

static guint n_opened;

void
fuzz_init (void)
{
}

void
fuzz_check_met (void)
{
  g_assert_cmpuint (n_opened, >, 0);
}

/* ---- seeds ---- */

static const char json[] =
    "{\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{"
    "\"name\":"
    "\"m\"}},{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"a\",\"ts\":1.25,\"dur\":3,\"bind_id\":1,"
    "\"flow_out\":true},{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"name\":\"b\\u00e4\",\"ts\":\"9\"},{"
    "\"ph\":"
    "\"E\",\"pid\":1,\"tid\":2,\"ts\":12},{\"ph\":\"b\",\"cat\":\"c\",\"id2\":{\"local\":1},"
    "\"pid\":1,"
    "\"name\":\"w\",\"ts\":1e1},{\"ph\":\"C\",\"pid\":1,\"name\":\"n\",\"ts\":4,\"args\":{\"x\":1}}"
    ","
    "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"id\":1,\"ts\":2},{\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,"
    "\"tid\":"
    "2,\"id\":1,\"ts\":10},{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":2,\"name\":\"i\",\"ts\":5}]"
    "}";

static GArray *
make_events (void)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  for (guint i = 0; i < 100; i++)
    {
      const SluiceTraceEvent event = { .node = i % 3 ? "a" : "b",
                                       .op = "Neg",
                                       .device = i % 4 ? "CPU:0" : "CPU:1",
                                       .kind = i % 5 ? SLUICE_TRACE_NODE : SLUICE_TRACE_WAIT,
                                       .step = 1 + i / 20,
                                       .scheduled_us = 10 * i,
                                       .start_us = 10 * i + 2,
                                       .end_us = 10 * i + (i % 5 ? 9 : 90),
                                       .live = 64 * i };
      g_array_append_val (events, event);
    }
  return events;
}

static void
add_seed (GPtrArray *seeds, guint8 flags, const void *data, gsize length)
{
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, &flags, 1);
  g_byte_array_append (bytes, data, (guint) length);
  g_ptr_array_add (seeds, g_byte_array_free_to_bytes (bytes));
}

static void
add_own_seed (GPtrArray *seeds, const SluiceTraceContent *content)
{
  g_autofree char *folder = fuzz_folder_new ();
  g_autofree char *path = g_build_filename (folder, "t", NULL);
  g_autofree char *data = NULL;
  gsize length = 0;
  gboolean ok = sluice_trace_write (content, SLUICE_TRACE_OWN, path, NULL)
                && g_file_get_contents (path, &data, &length, NULL);
  g_assert_true (ok);
  add_seed (seeds, SIGNED, data, length);
  add_seed (seeds, 0, data, length);
  add_seed (seeds, SIGNED, data, length - 100); /* without an index */
  fuzz_folder_remove (folder);
}

/* A plane with a line of an event, and its name. */
static void
add_xspace_seed (GPtrArray *seeds)
{
  static const guint8 xspace[] = {
    0x0a, 0x1f, 0x12, 0x01, 'h',  0x1a, 0x0f, 0x08, 0x07, 0x12, 0x01,
    'w',  0x18, 0x05, 0x22, 0x06, 0x08, 0x01, 0x10, 0x03, 0x18, 0x04,
    0x22, 0x09, 0x08, 0x01, 0x12, 0x05, 0x08, 0x01, 0x12, 0x01, 'e'
  };
  add_seed (seeds, 0, xspace, sizeof xspace);
}

GPtrArray *
fuzz_seeds (void)
{
  static const SluiceTraceFormat formats[] = { SLUICE_TRACE_PERFETTO, SLUICE_TRACE_RUN_METADATA,
                                               SLUICE_TRACE_CHROME };
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GArray) events = make_events ();
  const SluiceTraceContent content = { events, 1000, NULL };
  add_seed (seeds, 0, json, strlen (json));
  add_xspace_seed (seeds);
  add_own_seed (seeds, &content);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (GByteArray) bytes = sluice_trace_encode (&content, formats[i]);
      add_seed (seeds, 0, bytes->data, bytes->len);
    }
  return seeds;
}

/* ---- checksums ---- */

static void
sign_entry (guint8 *bytes, gsize size, guint8 *at)
{
  SluiceSpanColumnEntry entry;
  memcpy (&entry, at, sizeof entry);
  guint64 length = (guint64) entry.room * 4 + (guint64) entry.n_far * 8;
  if (entry.offset > size || length > size - entry.offset)
    return;
  entry.crc = sluice_crc32c (0, bytes + entry.offset, length);
  memcpy (at, &entry, sizeof entry);
}

/* Entries of columns lie behind the steps; those of rows between what else is said of them: of the
 * seeds' rows each is found where the file is small. */
static void
sign_index (guint8 *bytes, gsize size, guint8 *at, guint64 length)
{
  guint32 n_steps;
  if (length < 8)
    return;
  memcpy (&n_steps, at, sizeof n_steps);
  guint64 offset = 8 + (guint64) n_steps * 24;
  for (; offset + sizeof (SluiceSpanColumnEntry) <= length; offset += 8)
    {
      SluiceSpanColumnEntry entry;
      memcpy (&entry, at + offset, sizeof entry);
      if (entry.room > 0 && entry.room <= SLUICE_SPAN_COLUMN_PAGE && entry.zero == 0)
        sign_entry (bytes, size, at + offset);
    }
}

static void
sign_own (guint8 *bytes, gsize size)
{
  guint64 at = sizeof (SluiceOwnHead);
  while (at < size && size - at >= sizeof (SluiceOwnBlock))
    {
      SluiceOwnBlock block;
      memcpy (&block, bytes + at, sizeof block);
      guint8 *inside = bytes + at + sizeof block;
      guint64 rest = size - at - sizeof block;
      if (block.length > rest || block.summed > block.length)
        break;
      if (block.kind == SLUICE_OWN_SPANS)
        for (guint64 i = 0; i + 32 <= block.summed; i += 32)
          sign_entry (bytes, size, inside + i);
      if (block.kind == SLUICE_OWN_INDEX)
        sign_index (bytes, size, inside, block.summed);
      block.crc = sluice_crc32c (0, inside, block.summed);
      block.head_crc = sluice_crc32c (0, &block, G_STRUCT_OFFSET (SluiceOwnBlock, head_crc));
      memcpy (bytes + at, &block, sizeof block);
      at = (at + sizeof block + block.length + 7) / 8 * 8;
    }
  if (size < sizeof (SluiceOwnFoot))
    return;
  SluiceOwnFoot foot;
  memcpy (&foot, bytes + size - sizeof foot, sizeof foot);
  foot.crc = sluice_crc32c (0, &foot, G_STRUCT_OFFSET (SluiceOwnFoot, crc));
  memcpy (bytes + size - sizeof foot, &foot, sizeof foot);
}

/* ---- looking ---- */

static void
add_piece (const SluiceTracePiece *piece, gpointer data)
{
  *(guint64 *) data += piece->n;
}

static void
look_at_lane (const SluiceTraceView *view, guint lane, gint64 begin, gint64 end)
{
  guint64 n = 0;
  guint n_rows = MIN (sluice_trace_view_get_lane (view, lane)->n_rows, 64);
  for (guint row = 0; row < n_rows; row++)
    {
      sluice_trace_view_each_piece (view, lane, row, begin, end, 0, add_piece, &n);
      sluice_trace_view_each_piece (view, lane, row, begin, end, (end - begin) / 100, add_piece,
                                    &n);
      sluice_trace_view_find (view, lane, row, begin + (end - begin) / 2);
    }
}

static void
look_at_steps (const SluiceTraceView *view)
{
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (view, &n);
  for (guint i = 0; i < MIN (n, 4); i++)
    {
      g_autoptr (SluiceTraceDepends) depends = sluice_trace_depends_new (view, NULL, steps[i].step);
      g_autoptr (SluiceCriticalPath) path = sluice_critical_path_new (depends);
      g_assert_cmpuint (path->path->len, <=, depends->items->len);
    }
}

static void
look (const SluiceTraceView *view)
{
  gint64 begin, end;
  guint64 n = sluice_trace_view_get_n_spans (view);
  sluice_trace_view_get_extent (view, &begin, &end);
  for (guint64 i = 0; i < MIN (n, MAX_SPANS); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      g_assert_true (g_utf8_validate (span.name, -1, NULL));
      sluice_trace_view_get_beside (view, i, TRUE);
    }
  for (guint i = 0; i < MIN (sluice_trace_view_get_n_lanes (view), 64); i++)
    look_at_lane (view, i, begin, end);
  if (n > MAX_SPANS)
    return;
  look_at_steps (view);
  g_autoptr (SluiceTraceGaps) gaps = sluice_trace_gaps_new (view, NULL);
  for (guint i = 0; i < MIN (sluice_trace_view_get_n_lanes (view), 64); i++)
    g_array_unref (sluice_trace_gaps_find (gaps, i, begin, end));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  if (size == 0)
    return 0;
  guint8 *copy = g_memdup2 (data + 1, size - 1);
  if (data[0] & SIGNED && sluice_trace_own_is (copy, size - 1))
    sign_own (copy, size - 1);
  g_autoptr (GBytes) bytes = g_bytes_new_take (copy, size - 1);
  g_autoptr (SluiceTraceView) view = sluice_trace_open_bytes (bytes, NULL, remarks, NULL);
  if (view != NULL)
    {
      look (view);
      n_opened++;
    }
  return 0;
}
