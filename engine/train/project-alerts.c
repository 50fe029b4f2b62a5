/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/project-alerts.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/base/text.h"
#include "engine/train/ini.h"

#define PREFIX "alert "

typedef enum
{
  KEY_TEXT,
  KEY_NUMBER,
  KEY_BOOL,
  KEY_SIZE,
  KEY_WORDS,
} KeyKind;

#define AT(field) offsetof (SluiceAlertRule, field)

static const struct
{
  const char *key;
  KeyKind kind;
  gsize offset;
} keys[] = {
  { "metric", KEY_TEXT, AT (metric) },    { "above", KEY_NUMBER, AT (above) },
  { "below", KEY_NUMBER, AT (below) },    { "non-finite", KEY_BOOL, AT (non_finite) },
  { "stalls", KEY_NUMBER, AT (stalls) },  { "disk-below", KEY_SIZE, AT (disk_below) },
  { "command", KEY_WORDS, AT (command) },
};

static void
rule_clear (gpointer data)
{
  SluiceAlertRule *rule = data;
  g_free (rule->name);
  g_free (rule->metric);
  g_strfreev (rule->command);
}

GArray *
sluice_project_alerts_new (void)
{
  GArray *alerts = g_array_new (FALSE, TRUE, sizeof (SluiceAlertRule));
  g_array_set_clear_func (alerts, rule_clear);
  return alerts;
}

gboolean
sluice_project_is_alert_group (const char *group)
{
  return g_str_has_prefix (group, PREFIX);
}

/* ---- reading ---- */

static gboolean
fail_key (const char *group, const char *key, GError **error)
{
  const char *known[G_N_ELEMENTS (keys)];
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    known[i] = keys[i].key;
  const char *hint = sluice_suggest_name (key, known, G_N_ELEMENTS (known));
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "key '%s' in group [%s] is not known%s%s%s",
                      key, group, hint != NULL ? "; did you mean '" : "", hint != NULL ? hint : "",
                      hint != NULL ? "'?" : "");
}

/* FALSE: what is wanted instead is told in *want. */
static gboolean
set_value (SluiceAlertRule *rule, guint i, const char *text, const char **want)
{
  void *field = (char *) rule + keys[i].offset;
  char *end;
  gsize bytes = 0;
  switch (keys[i].kind)
    {
    case KEY_TEXT:
      *(char **) field = g_strdup (text);
      *want = "must not be empty";
      return *text != '\0';
    case KEY_NUMBER:
      *(double *) field = g_ascii_strtod (text, &end);
      *want = "must be a number";
      return end != text && *end == '\0' && isfinite (*(double *) field)
             && (field != &rule->stalls || rule->stalls > 0);
    case KEY_BOOL:
      *(gboolean *) field = strcmp (text, "true") == 0;
      *want = "must be true or false";
      return strcmp (text, "true") == 0 || strcmp (text, "false") == 0;
    case KEY_SIZE:
      *want = "must be a size, as 500M or 2G";
      if (!sluice_text_parse_size (text, &bytes))
        return FALSE;
      *(guint64 *) field = bytes;
      return TRUE;
    case KEY_WORDS:
      break;
    }
  g_assert_not_reached ();
}

static gboolean
load_key (SluiceAlertRule *rule, GKeyFile *file, const char *group, const char *key, GError **error)
{
  guint i = 0;
  while (i < G_N_ELEMENTS (keys) && strcmp (keys[i].key, key) != 0)
    i++;
  if (i == G_N_ELEMENTS (keys))
    return fail_key (group, key, error);
  if (keys[i].kind == KEY_WORDS)
    {
      rule->command = g_key_file_get_string_list (file, group, key, NULL, NULL);
      return (rule->command != NULL && rule->command[0] != NULL && *rule->command[0] != '\0')
             || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "[%s] command: must be a program and its words, with ';' between",
                             group);
    }
  g_autofree char *text = sluice_ini_get_text (file, group, key, error);
  const char *want;
  return text != NULL
         && (set_value (rule, i, text, &want)
             || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "[%s] %s=%s: %s", group, key,
                             text, want));
}

static gboolean
check_rule (const SluiceAlertRule *rule, const char *group, GError **error)
{
  gboolean of_metric = !isnan (rule->above) || !isnan (rule->below) || rule->non_finite;
  if (of_metric != (rule->metric != NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "[%s] metric needs above, below or non-finite, and they need it", group);
  return of_metric || !isnan (rule->stalls) || rule->disk_below > 0
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "[%s] has no condition: give metric with above, below or non-finite, or "
                         "stalls, or disk-below",
                         group);
}

static gboolean
check_new (const SluiceProject *self, const char *name, GError **error)
{
  for (guint i = 0; i < self->alerts->len; i++)
    if (strcmp (g_array_index (self->alerts, SluiceAlertRule, i).name, name) == 0)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "[alert %s] is there twice", name);
  return TRUE;
}

gboolean
sluice_project_load_alert (SluiceProject *self, GKeyFile *file, const char *group, GError **error)
{
  SluiceAlertRule rule = { .name = g_strstrip (g_strdup (group + strlen (PREFIX))),
                           .above = NAN,
                           .below = NAN,
                           .stalls = NAN };
  g_auto (GStrv) names = g_key_file_get_keys (file, group, NULL, NULL);
  gboolean ok = sluice_text_check_name ("[alert …] its name", rule.name, error)
                && check_new (self, rule.name, error);
  for (guint i = 0; ok && names[i] != NULL; i++)
    ok = load_key (&rule, file, group, names[i], error);
  ok = ok && check_rule (&rule, group, error);
  g_array_append_val (self->alerts, rule);
  return ok;
}

/* ---- writing ---- */

static void
save_key (const SluiceAlertRule *rule, GKeyFile *file, const char *group, guint i)
{
  const void *field = (const char *) rule + keys[i].offset;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  switch (keys[i].kind)
    {
    case KEY_TEXT:
      if (*(char *const *) field != NULL)
        sluice_ini_set_text (file, group, keys[i].key, *(char *const *) field);
      break;
    case KEY_NUMBER:
      if (!isnan (*(const double *) field))
        sluice_ini_set_text (file, group, keys[i].key,
                             g_ascii_dtostr (number, sizeof number, *(const double *) field));
      break;
    case KEY_BOOL:
      if (*(const gboolean *) field)
        sluice_ini_set_text (file, group, keys[i].key, "true");
      break;
    case KEY_SIZE:
      if (*(const guint64 *) field > 0)
        g_key_file_set_uint64 (file, group, keys[i].key, *(const guint64 *) field);
      break;
    case KEY_WORDS:
      if (rule->command != NULL)
        g_key_file_set_string_list (file, group, keys[i].key, (const char *const *) rule->command,
                                    g_strv_length (rule->command));
      break;
    }
}

void
sluice_project_save_alerts (const SluiceProject *self, GKeyFile *file)
{
  for (guint i = 0; i < self->alerts->len; i++)
    {
      const SluiceAlertRule *rule = &g_array_index (self->alerts, SluiceAlertRule, i);
      g_autofree char *group = g_strconcat (PREFIX, rule->name, NULL);
      for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
        save_key (rule, file, group, k);
    }
}
