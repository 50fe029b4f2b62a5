/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/device/trace.h"

static void
put (SluiceTraceRing *ring, guint32 number)
{
  SluiceTraceRecord record = { .scheduled = number,
                               .start = number + 1ull,
                               .end = number + 2ull,
                               .node = number,
                               .iteration = ~number,
                               .kind = SLUICE_TRACE_NODE };
  sluice_trace_ring_add (ring, &record);
}

/* Every record is whole: all its fields tell the same number. */
static void
check_record (const SluiceTraceRecord *record)
{
  g_assert_cmpuint (record->scheduled, ==, record->node);
  g_assert_cmpuint (record->start, ==, record->node + 1ull);
  g_assert_cmpuint (record->end, ==, record->node + 2ull);
  g_assert_cmpuint (record->iteration, ==, ~record->node);
}

static void
test_in_order (void)
{
  SluiceTraceRing *ring = sluice_trace_ring_new (8);
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (SluiceTraceRecord));
  guint64 cursor = 0;
  g_assert_cmpuint (sluice_trace_ring_read (ring, &cursor, records), ==, 0);
  g_assert_cmpuint (records->len, ==, 0);
  for (guint i = 0; i < 8; i++)
    put (ring, i);
  g_assert_cmpuint (sluice_trace_ring_read (ring, &cursor, records), ==, 0);
  g_assert_cmpuint (records->len, ==, 8);
  for (guint i = 0; i < records->len; i++)
    g_assert_cmpuint (g_array_index (records, SluiceTraceRecord, i).node, ==, i);
  put (ring, 8);
  g_assert_cmpuint (sluice_trace_ring_read (ring, &cursor, records), ==, 0);
  g_assert_cmpuint (records->len, ==, 9); /* appended */
  sluice_trace_ring_free (ring);
}

static void
test_overrun (void)
{
  SluiceTraceRing *ring = sluice_trace_ring_new (16);
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (SluiceTraceRecord));
  guint64 cursor = 0;
  for (guint i = 0; i < 1000; i++)
    put (ring, i);
  guint64 lost = sluice_trace_ring_read (ring, &cursor, records);
  g_assert_cmpuint (lost + records->len, ==, 1000);
  g_assert_cmpuint (records->len, >=, 16);
  for (guint i = 0; i < records->len; i++)
    {
      const SluiceTraceRecord *record = &g_array_index (records, SluiceTraceRecord, i);
      check_record (record);
      g_assert_cmpuint (record->node, ==, lost + i);
    }
  sluice_trace_ring_free (ring);
}

/* The pages that hold nothing but records. */
static guint8 *
get_pages (const SluiceTraceRing *ring, gsize *n)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  guintptr first = ((guintptr) ring->records + page - 1) / page * page;
  guintptr end = (guintptr) (ring->records + ring->capacity) / page * page;
  *n = (end - first) / page;
  return (guint8 *) first;
}

static double
get_resident_share (const SluiceTraceRing *ring)
{
  gsize n, seen = 0;
  guint8 *pages = get_pages (ring, &n);
  g_autofree guint8 *is_in = g_malloc (n);
  g_assert_cmpint (mincore (pages, n * (gsize) sysconf (_SC_PAGESIZE), is_in), ==, 0);
  for (gsize i = 0; i < n; i++)
    seen += is_in[i] & 1;
  return (double) seen / (double) n;
}

/* What little was put takes little; with more of it the memory is whole at once, and all that was
 * put is still there. */
static void
test_settle (void)
{
  SluiceTraceRing *ring = sluice_trace_ring_new (65535);
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (SluiceTraceRecord));
  guint64 cursor = 0;
  gsize n;
  guint8 *pages = get_pages (ring, &n);
  /* The C library writes what it should have zeroed, where it is told to look for mistakes. */
  g_assert_cmpint (madvise (pages, n * (gsize) sysconf (_SC_PAGESIZE), MADV_DONTNEED), ==, 0);
  for (guint i = 0; i < 500; i++)
    put (ring, i);
  sluice_trace_ring_settle (ring);
  g_assert_cmpfloat (get_resident_share (ring), <, 0.1);
  for (guint i = 500; i < 2000; i++)
    put (ring, i);
  sluice_trace_ring_settle (ring);
  g_assert_cmpfloat (get_resident_share (ring), ==, 1);
  put (ring, 2000);
  sluice_trace_ring_settle (ring);
  g_assert_cmpuint (sluice_trace_ring_read (ring, &cursor, records), ==, 0);
  g_assert_cmpuint (records->len, ==, 2001);
  for (guint i = 0; i < records->len; i++)
    {
      check_record (&g_array_index (records, SluiceTraceRecord, i));
      g_assert_cmpuint (g_array_index (records, SluiceTraceRecord, i).node, ==, i);
    }
  sluice_trace_ring_free (ring);
}

/* In pieces, while more is put: what was overwritten between two is lost, the rest comes once. */
static void
test_pieces (void)
{
  SluiceTraceRing *ring = sluice_trace_ring_new (16);
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (SluiceTraceRecord));
  guint64 cursor = 0;
  for (guint i = 0; i < 10; i++)
    put (ring, i);
  g_assert_cmpuint (sluice_trace_ring_read_some (ring, &cursor, 4, records), ==, 0);
  g_assert_cmpuint (records->len, ==, 4);
  g_assert_cmpuint (cursor, ==, 4);
  for (guint i = 10; i < 60; i++)
    put (ring, i);
  guint64 lost = sluice_trace_ring_read_some (ring, &cursor, 3, records);
  g_assert_cmpuint (records->len, ==, 7);
  g_assert_cmpuint (g_array_index (records, SluiceTraceRecord, 4).node, ==, 4 + lost);
  sluice_trace_ring_read (ring, &cursor, records);
  g_assert_cmpuint (lost + records->len, ==, 60);
  for (guint i = 4; i < records->len; i++)
    g_assert_cmpuint (g_array_index (records, SluiceTraceRecord, i).node, ==, lost + i);
  sluice_trace_ring_free (ring);
}

#define N_RECORDS 200000

typedef struct
{
  SluiceTraceRing *ring;
  atomic_int done;
} Writer;

static void *
write_main (void *data)
{
  Writer *writer = data;
  for (guint32 i = 0; i < N_RECORDS; i++)
    put (writer->ring, i);
  atomic_store (&writer->done, 1);
  return NULL;
}

static void
test_concurrent (void)
{
  Writer writer = { sluice_trace_ring_new (64), 0 };
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (SluiceTraceRecord));
  guint64 cursor = 0, expected = 0;
  pthread_t thread;
  pthread_create (&thread, NULL, write_main, &writer);
  for (gboolean last = FALSE; !last;)
    {
      last = atomic_load (&writer.done);
      g_array_set_size (records, 0);
      expected += sluice_trace_ring_read (writer.ring, &cursor, records);
      for (guint i = 0; i < records->len; i++, expected++)
        {
          const SluiceTraceRecord *record = &g_array_index (records, SluiceTraceRecord, i);
          check_record (record);
          if (record->node != expected)
            g_error ("record %u, not %" G_GUINT64_FORMAT, record->node, expected);
        }
    }
  pthread_join (thread, NULL);
  g_assert_cmpuint (expected, ==, N_RECORDS);
  sluice_trace_ring_free (writer.ring);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/trace/in-order", test_in_order);
  g_test_add_func ("/device/trace/overrun", test_overrun);
  g_test_add_func ("/device/trace/pieces", test_pieces);
  g_test_add_func ("/device/trace/settle", test_settle);
  g_test_add_func ("/device/trace/concurrent", test_concurrent);
  return g_test_run ();
}
