/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "engine/cost/measured-private.h"

#define LINK "(link)"
#define WAIT "(wait)"
/* One size counts no more than so many samples of it: others tell the slope. */
#define MOST_WEIGHT 100

/* (transfer full): where figures of a link are kept */
static char *
dup_link (SluiceMeasured *self, const char *from, const char *to)
{
  g_autofree char *first = g_strdup (sluice_measured_name_device (self, from));
  return g_strconcat (first, ">", sluice_measured_name_device (self, to), NULL);
}

/* To 1/16 octave, so that sizes are few: 3 % off at the most. */
static double
round_bytes (double bytes)
{
  int exponent;
  double part = frexp (bytes, &exponent);
  return ldexp (round (32 * part) / 32, exponent);
}

void
sluice_measured_add_transfer (
    SluiceMeasured *self, const char *from, const char *to, double bytes, double ns)
{
  double rounded = round_bytes (bytes);
  g_autofree char *link = dup_link (self, from, to);
  g_autofree char *size = g_strdup_printf ("%.0f", rounded);
  SluiceMeasuredEntry *entry =
      sluice_measured_open_texts (self, link, LINK, size, (SluiceCost){ 0, rounded });
  sluice_measured_entry_add (entry, SLUICE_MEASURED_ALONE, ns, 1);
}

void
sluice_measured_add_wait (SluiceMeasured *self, const char *from, const char *to, double ns)
{
  g_autofree char *link = dup_link (self, from, to);
  sluice_measured_entry_add (
      sluice_measured_open_texts (self, link, WAIT, "", (SluiceCost){ 0, 0 }),
      SLUICE_MEASURED_ALONE, ns, 1);
}

/* Sums of a weighted regression of time on bytes. */
typedef struct
{
  double w, x, y, xx, xy;
} Sums;

/* FALSE: there are none. us: the median */
static gboolean
get_point (const SluiceMeasuredEntry *entry, double *us, double *weight, guint64 *n)
{
  SluiceSketch times;
  if (!sluice_measured_entry_get_times (entry, SLUICE_MEASURED_ALONE, &times))
    return FALSE;
  *us = sluice_sketch_get (&times, 0.5) / 1000;
  *weight = MIN (times.weight, MOST_WEIGHT);
  *n += times.n;
  return TRUE;
}

/* Neither part is negative. Relative errors count: a small value's microseconds are as good as a
 * large one's. */
static void
fit (const GPtrArray *entries, double *latency_us, double *us_per_byte)
{
  Sums s = { 0 };
  guint64 n = 0;
  for (guint i = 0; i < entries->len; i++)
    {
      const SluiceMeasuredEntry *entry = entries->pdata[i];
      double x = entry->cost.bytes, y, w;
      if (!get_point (entry, &y, &w, &n))
        continue;
      w /= y * y;
      s.w += w;
      s.x += w * x;
      s.y += w * y;
      s.xx += w * x * x;
      s.xy += w * x * y;
    }
  double determinant = s.w * s.xx - s.x * s.x;
  *us_per_byte = determinant > 1e-9 * s.w * s.xx ? (s.w * s.xy - s.x * s.y) / determinant : 0;
  *us_per_byte = fmax (*us_per_byte, 0);
  *latency_us = s.w > 0 ? (s.y - *us_per_byte * s.x) / s.w : 0;
  if (*latency_us < 0)
    {
      *latency_us = 0;
      *us_per_byte = s.xx > 0 ? s.xy / s.xx : 0;
    }
}

static double
get_wait_us (SluiceMeasured *self, const char *link)
{
  g_autofree char *family = g_strconcat (link, "\t" WAIT, NULL);
  const GPtrArray *entries = g_hash_table_lookup (self->families, family);
  SluiceMeasuredFigure figure;
  if (entries == NULL)
    return 0;
  sluice_measured_entry_get (entries->pdata[0], &figure);
  return figure.mean_us;
}

gboolean
sluice_measured_get_link (SluiceMeasured *self,
                          const char *from,
                          const char *to,
                          SluiceMeasuredLink *link)
{
  g_autofree char *name = dup_link (self, from, to);
  g_autofree char *family = g_strconcat (name, "\t" LINK, NULL);
  const GPtrArray *entries = g_hash_table_lookup (self->families, family);
  double us_per_byte, sum = 0, weights = 0;
  if (entries == NULL)
    return FALSE;
  *link = (SluiceMeasuredLink){ .n = 0 };
  fit (entries, &link->latency_us, &us_per_byte);
  link->bytes_per_us = us_per_byte > 0 ? 1 / us_per_byte : INFINITY;
  for (guint i = 0; i < entries->len; i++)
    {
      const SluiceMeasuredEntry *entry = entries->pdata[i];
      double us, weight;
      if (!get_point (entry, &us, &weight, &link->n))
        continue;
      double off = (link->latency_us + us_per_byte * entry->cost.bytes - us) / us;
      sum += weight * off * off;
      weights += weight;
    }
  link->residual = weights > 0 ? sqrt (sum / weights) : 0;
  link->wait_us = get_wait_us (self, name);
  return link->n > 0;
}
