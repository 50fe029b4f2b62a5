/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/train/preflight-private.h"

/* ---- the first batch ---- */

typedef SluicePreflightSpread Spread;

static void
count_bins (Spread *self, const SluiceTensor *values)
{
  double width = (self->max - self->min) / SLUICE_PREFLIGHT_BINS;
  for (gint64 i = 0; i < values->n_elements; i++)
    {
      double value = sluice_examples_get_value (values, i);
      if (!isfinite (value))
        continue;
      double place = width > 0 ? (value - self->min) / width : 0;
      self->bins[(guint) CLAMP (place, 0, SLUICE_PREFLIGHT_BINS - 1)]++;
    }
}

static void
measure (Spread *self, const SluiceTensor *values)
{
  double squares = 0;
  gint64 n = 0;
  *self = (Spread){ .dtype = values->dtype,
                    .shape = values->shape,
                    .min = NAN,
                    .max = NAN,
                    .n_elements = values->n_elements };
  for (gint64 i = 0; i < values->n_elements; i++)
    {
      double value = sluice_examples_get_value (values, i);
      self->n_zeros += value == 0;
      if (!isfinite (value))
        {
          self->n_non_finite++;
          continue;
        }
      double distance = value - self->mean; /* Welford */
      self->mean += distance / (double) ++n;
      squares += distance * (value - self->mean);
      self->min = fmin (self->min, value);
      self->max = fmax (self->max, value);
    }
  self->deviation = n > 1 ? sqrt (squares / (double) (n - 1)) : 0;
  if (n == 0)
    self->mean = self->deviation = NAN;
  else
    count_bins (self, values);
}

/* Further from 0 an input of numbers saturates what reads it. */
#define LARGE 30

static void
judge_input (SluicePreflightItem *item, const SluiceTensor *values, double scale)
{
  const Spread *spread = item->spread;
  gboolean is_float = sluice_dtype_in (values->dtype, SLUICE_SET_FLOATS);
  double furthest = fmax (fabs (spread->min), fabs (spread->max));
  if (spread->n_non_finite > 0)
    {
      item->level = SLUICE_PREFLIGHT_STOP;
      item->action = g_strdup (_ ("take these examples out of the data"));
    }
  else if (spread->min == spread->max && values->n_elements > 1)
    {
      item->level = SLUICE_PREFLIGHT_LOOK;
      item->action = g_strdup (_ ("all of it is the same: look at the data file"));
    }
  else if (is_float && furthest > LARGE)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];
      item->level = SLUICE_PREFLIGHT_LOOK;
      item->action = g_strdup (_ ("set [data] scale, so that it lies around 1"));
      if (scale > 0)
        item->set = g_strconcat (
            "data.scale=", g_ascii_formatd (number, sizeof number, "%.6g", scale / furthest), NULL);
    }
}

static void
look_at_input (SluiceChecker *self, const char *edge, const SluiceTensor *values)
{
  char shape[SLUICE_SHAPE_STR];
  Spread *spread = g_new (Spread, 1);
  measure (spread, values);
  SluicePreflightItem *item = sluice_preflight_add (
      self->card, "input", edge, SLUICE_PREFLIGHT_WELL,
      g_strdup_printf (_ ("%s: %s%s, %.4g to %.4g, mean %.4g, standard deviation %.4g, zeros: "
                          "%.3g %%, not finite: %" PRId64),
                       edge, sluice_dtype_name (values->dtype),
                       sluice_shape_str (&values->shape, shape), spread->min, spread->max,
                       spread->mean, spread->deviation,
                       100 * (double) spread->n_zeros / (double) MAX (spread->n_elements, 1),
                       spread->n_non_finite));
  item->value = spread->mean;
  item->plus_minus = spread->deviation;
  item->spread = spread;
  item->node = g_strndup (edge, strcspn (edge, ":"));
  /* Only x is scaled. */
  judge_input (item, values, edge == self->project->feed_x ? self->project->scale : 0);
}

void
sluice_checker_look_at_batch (SluiceChecker *self)
{
  const char *const edges[] = { self->project->feed_x, self->project->feed_y };
  for (guint i = 0; i < self->replica->n_batch; i++)
    if (self->replica->feeds[i] != NULL)
      look_at_input (self, edges[i], self->replica->feeds[i]);
}

/* ---- labels ---- */

#define MOST_CLASSES 65536
#define UNEVEN       10 /* times as frequent as the rarest class */

/* Rows that are 0 but for a single 1. */
static gboolean
is_one_hot (const SluiceTensor *y)
{
  if (y->shape.rank != 2 || y->shape.dim[1] < 2)
    return FALSE;
  for (gint64 r = 0; r < y->shape.dim[0]; r++)
    {
      double sum = 0;
      for (gint64 c = 0; c < y->shape.dim[1]; c++)
        {
          double value = sluice_examples_get_value (y, r * y->shape.dim[1] + c);
          if (value != 0 && value != 1)
            return FALSE;
          sum += value;
        }
      if (sum != 1)
        return FALSE;
    }
  return TRUE;
}

/* FALSE: it is no class. */
static gboolean
add_label (GArray *counts, double value)
{
  if (!(value >= 0 && value < MOST_CLASSES) || value != rint (value))
    return FALSE;
  guint label = (guint) value;
  if (label >= counts->len)
    g_array_set_size (counts, label + 1);
  g_array_index (counts, gint64, label)++;
  return TRUE;
}

/* How often each class comes; NULL: y are no classes. (transfer full) (element-type gint64) */
static GArray *
count_labels (const SluiceTensor *y)
{
  g_autoptr (GArray) counts = g_array_new (FALSE, TRUE, sizeof (gint64));
  gboolean one_hot = is_one_hot (y);
  for (gint64 i = 0; i < y->n_elements; i++)
    {
      double value = sluice_examples_get_value (y, i);
      if (one_hot ? value == 1 && !add_label (counts, (double) (i % y->shape.dim[1]))
                  : !add_label (counts, value))
        return NULL;
    }
  return g_steal_pointer (&counts);
}

static void
tell_balance (SluiceChecker *self, const GArray *counts, gint64 n, gint64 least, gint64 most)
{
  /* Characters of a text are as frequent as they are. */
  const SluiceTensor *y = self->examples->y;
  gboolean is_class = y->n_elements == self->examples->n || n == self->examples->n;
  gboolean has_gaps = is_class && self->n_classes < counts->len;
  gboolean uneven = is_class && most > UNEVEN * least;
  double all = (double) n;
  SluicePreflightItem *item = sluice_preflight_add (
      self->card, "labels", self->project->feed_y,
      uneven ? SLUICE_PREFLIGHT_LOOK : SLUICE_PREFLIGHT_WELL,
      g_strdup_printf (_ ("%u classes: %.3g %% to %.3g %% of the labels each"), self->n_classes,
                       100 * (double) least / all, 100 * (double) most / all));
  item->value = self->n_classes;
  item->counts = g_array_copy ((GArray *) counts);
  item->node = g_strndup (self->project->feed_y, strcspn (self->project->feed_y, ":"));
  if (uneven)
    item->action = g_strdup (_ ("weigh the rare classes, or draw them more often"));
  if (!has_gaps)
    return;
  item->level = SLUICE_PREFLIGHT_LOOK;
  g_free (item->action);
  item->action = g_strdup_printf (_ ("of the classes up to %u some never come: look at the labels"),
                                  counts->len - 1);
}

void
sluice_checker_look_at_labels (SluiceChecker *self)
{
  if (self->examples == NULL || self->project->feed_y == NULL || self->examples->y == NULL)
    return;
  g_autoptr (GArray) counts = count_labels (self->examples->y);
  if (counts == NULL)
    return;
  gint64 n = 0, least = G_MAXINT64, most = 0;
  for (guint i = 0; i < counts->len; i++)
    n += g_array_index (counts, gint64, i);
  for (guint i = 0; i < counts->len; i++)
    {
      gint64 count = g_array_index (counts, gint64, i);
      double share = (double) count / (double) n;
      if (count == 0)
        continue;
      self->n_classes++;
      self->entropy -= share * log (share);
      least = MIN (least, count);
      most = MAX (most, count);
    }
  if (self->n_classes > 1)
    tell_balance (self, counts, n, least, most);
}
