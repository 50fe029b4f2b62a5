/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/cost/measured-private.h"

/*
 * A line an entry, with tabs between: device, family, shapes, flops, bytes, when, times not run;
 * then of each sketch, ALONE first: samples, first class and the counts from it, without the zeros
 * at either end; "-": no such sketch.
 */
#define N_FIELDS 9

/* ---- writing ---- */

static void
append_double (GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf (text, "\t%s", g_ascii_dtostr (buffer, sizeof buffer, value));
}

static void
append_sketch (GString *text, const SluiceMeasuredEntry *entry, SluiceMeasuredHow how)
{
  SluiceSketch sketch;
  guint first = 0, end = SLUICE_SKETCH_CLASSES;
  if (!sluice_measured_entry_get_times (entry, how, &sketch))
    {
      g_string_append (text, "\t-");
      return;
    }
  while (sketch.counts[first] == 0)
    first++;
  while (sketch.counts[end - 1] == 0)
    end--;
  g_string_append_printf (text, "\t%" G_GUINT64_FORMAT " %d", sketch.n, sketch.first + (int) first);
  for (guint i = first; i < end; i++)
    g_string_append_printf (text, " %u", sketch.counts[i]);
}

void
sluice_measured_append_text (const SluiceMeasured *self, GString *text)
{
  GHashTableIter i;
  gpointer at;
  g_hash_table_iter_init (&i, self->entries);
  while (g_hash_table_iter_next (&i, &at, NULL))
    {
      const SluiceMeasuredEntry *entry = at;
      g_string_append_printf (text, "%s\t%s\t%s", entry->device, entry->family, entry->shapes);
      append_double (text, entry->cost.flops);
      append_double (text, entry->cost.bytes);
      g_string_append_printf (text, "\t%" G_GINT64_FORMAT "\t%u", entry->when,
                              sluice_measured_entry_get_not_run (entry));
      append_sketch (text, entry, SLUICE_MEASURED_ALONE);
      append_sketch (text, entry, SLUICE_MEASURED_TOGETHER);
      g_string_append_c (text, '\n');
    }
}

/* ---- reading ---- */

static gboolean
read_unsigned (const char *text, guint64 most, guint64 *value)
{
  return g_ascii_string_to_unsigned (text, 10, 0, most, value, NULL);
}

static gboolean
read_cost (const char *text, double *value)
{
  char *end;
  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*value) && *value >= 0;
}

/* FALSE: it is none. sketch: (out) (nullable) (transfer full) */
static gboolean
read_sketch (const char *text, SluiceSketch **sketch)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", SLUICE_SKETCH_CLASSES + 3);
  guint n = g_strv_length (parts);
  SluiceSketch read = { 0 };
  guint64 value;
  gint64 first;
  *sketch = NULL;
  if (g_str_equal (text, "-"))
    return TRUE;
  if (n < 3 || n > SLUICE_SKETCH_CLASSES + 2 || !read_unsigned (parts[0], G_MAXUINT64, &read.n)
      || !g_ascii_string_to_signed (parts[1], 10, -SLUICE_SKETCH_CLASSES, 1 << 16, &first, NULL))
    return FALSE;
  read.first = (gint32) first;
  for (guint i = 2; i < n; i++)
    {
      if (!read_unsigned (parts[i], SLUICE_SKETCH_MOST, &value))
        return FALSE;
      read.weight += read.counts[i - 2] = (guint32) value;
    }
  if (read.weight == 0 || read.weight > SLUICE_SKETCH_MOST || read.n < read.weight)
    return FALSE;
  *sketch = g_memdup2 (&read, sizeof read);
  return TRUE;
}

static gboolean
read_entry (SluiceMeasured *self, char **fields)
{
  SluiceCost cost;
  guint64 not_run;
  gint64 when;
  g_autofree SluiceSketch *alone = NULL, *together = NULL;
  if (g_strv_length (fields) != N_FIELDS || !read_cost (fields[3], &cost.flops)
      || !read_cost (fields[4], &cost.bytes)
      || !g_ascii_string_to_signed (fields[5], 10, 0, G_MAXINT64, &when, NULL)
      || !read_unsigned (fields[6], SLUICE_SKETCH_MOST, &not_run)
      || !read_sketch (fields[7], &alone) || !read_sketch (fields[8], &together))
    return FALSE;
  SluiceMeasuredEntry *entry =
      sluice_measured_open_texts (self, fields[0], fields[1], fields[2], cost);
  sluice_measured_entry_keep (entry,
                              (SluiceSketch *const[SLUICE_MEASURED_NOT_RUN]){ alone, together },
                              (guint32) not_run, when);
  return TRUE;
}

static void
take_entries (SluiceMeasured *self, SluiceMeasured *from)
{
  GHashTableIter i;
  gpointer at;
  g_hash_table_iter_init (&i, from->entries);
  while (g_hash_table_iter_next (&i, &at, NULL))
    {
      const SluiceMeasuredEntry *read = at;
      sluice_measured_entry_keep (
          sluice_measured_open_texts (self, read->device, read->family, read->shapes, read->cost),
          read->kept, read->kept_not_run, read->when);
    }
  sluice_measured_trim (self);
}

gboolean
sluice_measured_add_text (SluiceMeasured *self, const char *text, gsize length, GError **error)
{
  g_autoptr (SluiceMeasured) read = sluice_measured_new ();
  guint number = 0;
  for (const char *line = text, *end = text + length, *next; line < end; line = next + 1)
    {
      const char *stop = memchr (line, '\n', (gsize) (end - line));
      number++;
      next = stop != NULL ? stop : end;
      g_autofree char *copy = g_strndup (line, (gsize) (next - line));
      g_auto (GStrv) fields = g_strsplit (copy, "\t", N_FIELDS + 1);
      if (stop == NULL || !read_entry (read, fields))
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "line %u says nothing measured", number);
    }
  take_entries (self, read);
  return TRUE;
}
