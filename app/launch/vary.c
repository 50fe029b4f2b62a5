/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/vary.h"

#include <glib/gi18n.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/train/random-stream.h"

/* Of draws that came before, each is drawn again so often; a range of whole numbers may have no
 * more. */
#define MOST_TRIES 1000

static gboolean
parse_count (const SluiceVary *self, guint *n, GError **error)
{
  guint64 value;
  if (!g_ascii_string_to_unsigned (self->n, 10, 1, SLUICE_SWEEP_MAX_TRIALS, &value, NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        self->kind == SLUICE_VARY_GRID ? _ ("points: a whole number from 1 to %d")
                                                       : _ ("draws: a whole number from 1 to %d"),
                        SLUICE_SWEEP_MAX_TRIALS);
  *n = (guint) value;
  return TRUE;
}

/* What a sweep is to read. (transfer full) (nullable) */
static char *
dup_request (const SluiceVary *self, const char *key, guint n, GError **error)
{
  if (self->kind != SLUICE_VARY_VALUES)
    {
      g_autofree char *points =
          self->kind == SLUICE_VARY_GRID ? g_strdup_printf ("/%u", n) : g_strdup ("");
      if (*self->low != '\0' && *self->high != '\0')
        return g_strdup_printf ("%s=%s..%s%s%s", key, self->low, self->high, points,
                                self->is_log ? ":log" : "");
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", _ ("give both ends of the range"));
      return NULL;
    }
  if (self->values != NULL && self->values[0] != NULL)
    {
      g_autofree char *values = g_strjoinv (",", (char **) self->values);
      return g_strdup_printf ("%s=%s", key, values);
    }
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s",
               _ ("type a value and press Return, for each that is to be tried"));
  return NULL;
}

/* (transfer full) */
static char *
draw (const SluiceVary *self, const SluiceSweepAxis *axis, guint n, guint64 *count)
{
  guint64 stream = self->seed;
  stream = sluice_random_stream_next (&stream) ^ g_str_hash (axis->key);
  GString *text = g_string_new (axis->key);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint tries = 0; g_hash_table_size (seen) < n && tries < n + MOST_TRIES; tries++)
    {
      g_autofree char *value = sluice_sweep_axis_draw (axis, &stream);
      if (g_hash_table_contains (seen, value))
        continue;
      g_string_append_printf (text, "%c%s", g_hash_table_size (seen) == 0 ? '=' : ',', value);
      g_hash_table_add (seen, g_steal_pointer (&value));
    }
  *count = g_hash_table_size (seen);
  return g_string_free (text, FALSE);
}

char *
sluice_vary_dup_text (
    const SluiceVary *self, const char *key, SluiceProject *scratch, guint64 *count, GError **error)
{
  guint n = 0;
  *count = 0;
  if (self->kind != SLUICE_VARY_VALUES && !parse_count (self, &n, error))
    return NULL;
  g_autofree char *text = dup_request (self, key, n, error);
  g_autoptr (SluiceSweepAxis) axis = text != NULL ? sluice_sweep_axis_parse (text, error) : NULL;
  if (axis == NULL || !sluice_sweep_axis_check (axis, scratch, error))
    return NULL;
  if (self->kind == SLUICE_VARY_RANDOM)
    return draw (self, axis, n, count);
  *count = sluice_sweep_axis_count (axis);
  return g_steal_pointer (&text);
}
