/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/option-diff.h"

#include <math.h>
#include <string.h>

#include "engine/store/json-text.h"
#include "engine/train/experiment.h"

static void
change_free (gpointer data)
{
  SluiceOptionChange *change = data;
  g_free (change->group);
  g_free (change->key);
  g_free (change->was);
  g_free (change->is);
  g_free (change);
}

/* A number with as few digits as bring it back; any other text as it is. (transfer full) */
static char *
dup_short (const char *text)
{
  char *end;
  double value = text != NULL ? g_ascii_strtod (text, &end) : 0;
  if (text == NULL || end == text || *end != '\0' || strchr (text, '.') == NULL
      || !isfinite (value))
    return g_strdup (text);
  GString *shorter = g_string_new (NULL);
  sluice_json_append_double (shorter, value);
  return g_string_free (shorter, FALSE);
}

static void
compare_keys (GPtrArray *changes, GKeyFile *was, GKeyFile *is, const char *group, gboolean back)
{
  g_auto (GStrv) keys = g_key_file_get_keys (is, group, NULL, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *before = g_key_file_get_string (was, group, keys[i], NULL);
      g_autofree char *now = g_key_file_get_string (is, group, keys[i], NULL);
      gboolean both = before != NULL && now != NULL;
      if (!sluice_experiment_depends_on (group, keys[i]) || g_strcmp0 (before, now) == 0
          || (back && both))
        continue;
      SluiceOptionChange *change = g_new0 (SluiceOptionChange, 1);
      change->group = g_strdup (group);
      change->key = g_strdup (keys[i]);
      change->was = dup_short (back ? now : before);
      change->is = dup_short (back ? before : now);
      g_ptr_array_add (changes, change);
    }
}

GPtrArray *
sluice_option_diff (const char *was, const char *is)
{
  g_autoptr (GPtrArray) changes = g_ptr_array_new_with_free_func (change_free);
  g_autoptr (GKeyFile) before = g_key_file_new (), now = g_key_file_new ();
  if (!g_key_file_load_from_data (before, was, strlen (was), G_KEY_FILE_NONE, NULL)
      || !g_key_file_load_from_data (now, is, strlen (is), G_KEY_FILE_NONE, NULL))
    return g_steal_pointer (&changes);
  g_auto (GStrv) of_now = g_key_file_get_groups (now, NULL);
  g_auto (GStrv) of_before = g_key_file_get_groups (before, NULL);
  for (guint i = 0; of_now[i] != NULL; i++)
    compare_keys (changes, before, now, of_now[i], FALSE);
  for (guint i = 0; of_before[i] != NULL; i++)
    compare_keys (changes, now, before, of_before[i], TRUE);
  return g_steal_pointer (&changes);
}
