/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/experiment.h"

#include <string.h>

#include "engine/store/kinds/hparams.h"
#include "engine/train/project-alerts.h"

#define SEED "seed"

/* "seed", "random_seed", "train/seed". */
static gboolean
is_seed (const char *name)
{
  return g_str_has_suffix (name, SEED);
}

/* A number by its bits: thousands of runs with tens of settings each are compared while somebody
 * waits. */
static void
append_setting (GString *key, const SluiceSetting *setting)
{
  static const char digits[] = "0123456789abcdef";
  char number[17] = "";
  guint64 bits;
  memcpy (&bits, &setting->number, sizeof bits);
  for (guint i = 0; i < 16; i++)
    number[i] = digits[bits >> (60 - 4 * i) & 15];
  g_string_append_c (key, '\n');
  g_string_append (key, setting->name);
  g_string_append_c (key, '=');
  g_string_append (key, setting->text != NULL ? setting->text : number);
}

/* Of a log without settings: its name without the number behind "seed". Returns: whether there is
 * one. */
static gboolean
split_name (const char *name, GString *rest, guint64 *seed)
{
  const char *word = name + strlen (name);
  while (word > name && g_ascii_strncasecmp (word, SEED, strlen (SEED)) != 0)
    word--;
  if (g_ascii_strncasecmp (word, SEED, strlen (SEED)) != 0)
    return FALSE;
  const char *number = word + strlen (SEED);
  number += strspn (number, "-_= .:");
  char *end;
  if (!g_ascii_isdigit (*number))
    return FALSE;
  *seed = g_ascii_strtoull (number, &end, 10);
  g_string_append_len (rest, name, word - name);
  g_string_append (rest, end);
  return TRUE;
}

char *
sluice_experiment_dup_key (const SluiceRunInfo *info, GPtrArray *settings, guint64 *seed)
{
  gboolean is_known = info->graph_hash != NULL && *info->graph_hash != '\0';
  g_autoptr (GString) key = g_string_new (info->project);
  g_string_append_printf (key, "\n%s", is_known ? info->graph_hash : "");
  *seed = info->seed;
  for (guint i = 0; i < settings->len; i++)
    {
      const SluiceSetting *setting = settings->pdata[i];
      if (!is_seed (setting->name))
        append_setting (key, setting);
      else if (!is_known)
        *seed = setting->text != NULL ? g_str_hash (setting->text) : (guint64) setting->number;
      is_known |= is_seed (setting->name);
    }
  if (settings->len == 0 && !split_name (info->name, key, seed))
    return NULL;
  return settings->len == 0 || is_known ? g_strdup (key->str) : NULL;
}

gboolean
sluice_experiment_depends_on (const char *group, const char *key)
{
  static const struct
  {
    const char *group, *key;
  } without[] = {
    { "project", "name" },       { "project", "description" },    { "train", "steps" },
    { "train", "keep-last" },    { "train", "keep-best" },        { "train", "keep-every" },
    { "train", "best" },         { "train", "checkpoint-every" }, { "train", "checkpoint-minutes" },
    { "train", "record-steps" }, { "train", "record-slow" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (without); i++)
    if (strcmp (without[i].group, group) == 0 && strcmp (without[i].key, key) == 0)
      return FALSE;
  return strcmp (group, "stop") != 0 && !sluice_project_is_alert_group (group);
}
