/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/sweep.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/train/random-stream.h"

#define DOTS ".."
#define LOG  ":log"
/* What is drawn need not be more exact; what is counted is to look as it was meant: 0.3, not
 * 0.30000000000000004. */
#define DRAWN_FORMAT   "%.6g"
#define COUNTED_FORMAT "%.12g"

void
sluice_sweep_axis_free (SluiceSweepAxis *self)
{
  g_free (self->key);
  g_clear_pointer (&self->values, g_ptr_array_unref);
  g_free (self);
}

/* ---- parsing ---- */

/* place: in text, counted in characters. */
static gboolean
fail_at (const char *text, const char *place, const char *what, GError **error)
{
  g_autofree char *shown = sluice_text_escape (text);
  gsize n = 0;
  for (const char *c = text; c < place; c++)
    n += (*c & 0xc0) != 0x80;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "'%s', at character %" G_GSIZE_FORMAT ": %s", shown, n + 1, what);
}

static gboolean
parse_number (const char *text, gsize length, double *number)
{
  g_autofree char *copy = g_strndup (text, length);
  char *end;
  errno = 0;
  *number = g_ascii_strtod (copy, &end);
  return end != copy && *end == '\0' && errno == 0 && isfinite (*number)
         && !g_ascii_isspace (*copy);
}

/* Is it a range, and where do its dots begin? (nullable) (transfer none) */
static const char *
find_dots (const char *values)
{
  double low;
  const char *dots = strstr (values, DOTS);
  return dots != NULL && parse_number (values, (gsize) (dots - values), &low) ? dots : NULL;
}

/* What stands behind HIGH. */
static gboolean
parse_points (SluiceSweepAxis *self, const char *text, const char *slash, gsize n, GError **error)
{
  g_autofree char *digits = g_strndup (slash + 1, n - 1);
  guint64 points;
  if (!g_ascii_string_to_unsigned (digits, 10, 2, SLUICE_SWEEP_MAX_TRIALS, &points, NULL))
    return fail_at (text, slash + 1,
                    "a number of points is wanted, 2 to " G_STRINGIFY (SLUICE_SWEEP_MAX_TRIALS),
                    error);
  self->n = (guint) points;
  return TRUE;
}

static gboolean
parse_range (
    SluiceSweepAxis *self, const char *text, const char *values, const char *dots, GError **error)
{
  const char *high = dots + strlen (DOTS), *end = text + strlen (text);
  parse_number (values, (gsize) (dots - values), &self->low);
  self->is_log = g_str_has_suffix (high, LOG);
  if (self->is_log)
    end -= strlen (LOG);
  const char *slash = memchr (high, '/', (gsize) (end - high));
  const char *high_end = slash != NULL ? slash : end;
  if (!parse_number (high, (gsize) (high_end - high), &self->high))
    return fail_at (text, high, "a number is wanted, as in 0.001..0.1 or 0.001..0.1/5:log", error);
  if (slash != NULL && !parse_points (self, text, slash, (gsize) (end - slash), error))
    return FALSE;
  if (self->low >= self->high)
    return fail_at (text, high, "must be greater than what stands before the dots", error);
  if (self->is_log && self->low <= 0)
    return fail_at (text, values, "must be above 0 where the distances are logarithmic", error);
  /* What lies between is computed as a difference or a quotient. */
  if (!isfinite (self->is_log ? self->high / self->low : self->high - self->low))
    return fail_at (text, high, "is too far from what stands before the dots", error);
  return TRUE;
}

static gboolean
has_value (const SluiceSweepAxis *self, const char *value)
{
  for (guint i = 0; i < self->values->len; i++)
    if (strcmp (self->values->pdata[i], value) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
parse_list (SluiceSweepAxis *self, const char *text, const char *values, GError **error)
{
  for (const char *at = values;; at++)
    {
      gsize n = strcspn (at, ",");
      g_autofree char *value = g_strndup (at, n);
      if (n == 0)
        return fail_at (text, at, "a value is wanted", error);
      if (has_value (self, value))
        return fail_at (text, at, "this value is there twice", error);
      if (self->values->len == SLUICE_SWEEP_MAX_TRIALS)
        return fail_at (text, at, "there are too many values", error);
      g_ptr_array_add (self->values, g_steal_pointer (&value));
      at += n;
      if (*at == '\0')
        return TRUE;
    }
}

SluiceSweepAxis *
sluice_sweep_axis_parse (const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  if (!g_utf8_validate (text, -1, NULL))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "what a sweep varies must be UTF-8 text");
      return NULL;
    }
  if (equals == NULL || equals == text)
    {
      fail_at (text, equals != NULL ? text : text + strlen (text),
               "must be KEY=VALUES, as learning-rate=0.1,0.01", error);
      return NULL;
    }
  g_autoptr (SluiceSweepAxis) self = g_new0 (SluiceSweepAxis, 1);
  self->key = g_strndup (text, (gsize) (equals - text));
  self->values = g_ptr_array_new_with_free_func (g_free);
  const char *dots = find_dots (equals + 1);
  gboolean ok = dots != NULL ? parse_range (self, text, equals + 1, dots, error)
                             : parse_list (self, text, equals + 1, error);
  return ok ? g_steal_pointer (&self) : NULL;
}

/* ---- values ---- */

static char *
dup_number (const SluiceSweepAxis *self, double number, const char *format)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (self->is_whole)
    return g_strdup (g_ascii_formatd (text, sizeof text, "%.0f", round (number)));
  return g_strdup (g_ascii_formatd (text, sizeof text, format, number));
}

/* At a part of the way from one bound to the other. */
static double
between (const SluiceSweepAxis *self, double part)
{
  if (part >= 1)
    return self->high;
  return self->is_log ? self->low * pow (self->high / self->low, part)
                      : self->low + (self->high - self->low) * part;
}

guint64
sluice_sweep_axis_count (const SluiceSweepAxis *self)
{
  return self->values->len > 0 ? self->values->len : self->n;
}

char *
sluice_sweep_axis_dup_value (const SluiceSweepAxis *self, guint64 i)
{
  return self->values->len > 0
             ? g_strdup (self->values->pdata[i])
             : dup_number (self, between (self, (double) i / (self->n - 1)), COUNTED_FORMAT);
}

char *
sluice_sweep_axis_draw (const SluiceSweepAxis *self, guint64 *stream)
{
  guint64 n = sluice_sweep_axis_count (self);
  return n > 0
             ? sluice_sweep_axis_dup_value (self, sluice_random_stream_below (stream, n))
             : dup_number (self, between (self, sluice_random_stream_unit (stream)), DRAWN_FORMAT);
}

/* ---- what the setting takes ---- */

static gboolean
takes (const SluiceSweepAxis *self, SluiceProject *scratch, const char *value, GError **error)
{
  g_autofree char *assignment = g_strdup_printf ("%s=%s", self->key, value);
  return sluice_project_set (scratch, assignment, error);
}

/* The points of a grid of whole numbers, each once. */
static gboolean
list_whole (SluiceSweepAxis *self, SluiceProject *scratch, GError **error)
{
  g_autoptr (GPtrArray) points = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->n; i++)
    {
      g_autofree char *value = sluice_sweep_axis_dup_value (self, i);
      if (points->len > 0 && strcmp (points->pdata[points->len - 1], value) == 0)
        continue; /* they rise: equal ones stand side by side */
      if (!takes (self, scratch, value, error))
        return FALSE;
      g_ptr_array_add (points, g_steal_pointer (&value));
    }
  g_ptr_array_unref (self->values);
  self->values = g_steal_pointer (&points);
  return TRUE;
}

gboolean
sluice_sweep_axis_check (SluiceSweepAxis *self, SluiceProject *scratch, GError **error)
{
  for (guint i = 0; i < self->values->len; i++)
    if (!takes (self, scratch, self->values->pdata[i], error))
      return FALSE;
  if (self->values->len > 0)
    return TRUE;
  self->is_whole = !takes (self, scratch, "0.5", NULL) && !takes (self, scratch, "1.5", NULL);
  g_autofree char *low = dup_number (self, self->low, COUNTED_FORMAT);
  g_autofree char *high = dup_number (self, self->high, COUNTED_FORMAT);
  if (!takes (self, scratch, low, error) || !takes (self, scratch, high, error))
    return FALSE;
  return !self->is_whole || self->n == 0 || list_whole (self, scratch, error);
}
