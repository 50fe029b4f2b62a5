/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/project-private.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/graph/shape-context.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/ini.h"

#define GROUP    "changes"
#define MAX_STEP ((gint64) 1 << 48)

/* Keys of [train] that are read between steps and decide nothing that is made once. */
static const struct
{
  const char *key;
  gsize in_project, in_schedule;
} scheduled[] = {
#define SCHEDULED(key, field)                                                                      \
  {                                                                                                \
    key, offsetof (SluiceProject, field), offsetof (SluiceSchedule, field)                         \
  }
  SCHEDULED ("steps", n_steps),
  SCHEDULED ("checkpoint-every", checkpoint_every),
  SCHEDULED ("summary-every", summary_every),
  SCHEDULED ("evaluate-every", evaluate_every),
  SCHEDULED ("keep-last", keep_last),
  SCHEDULED ("keep-best", keep_best),
  SCHEDULED ("keep-every", keep_every),
#undef SCHEDULED
};

static int
find_scheduled (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (scheduled); i++)
    if (strcmp (scheduled[i].key, key) == 0)
      return (int) i;
  return -1;
}

static gint64 *
project_field (const SluiceProject *self, guint i)
{
  return (gint64 *) ((char *) self + scheduled[i].in_project);
}

static gint64 *
schedule_field (SluiceSchedule *self, guint i)
{
  return (gint64 *) ((char *) self + scheduled[i].in_schedule);
}

static void
change_clear (gpointer data)
{
  SluiceSettingChange *change = data;
  g_free (change->key);
  g_free (change->value);
}

GArray *
sluice_project_changes_new (void)
{
  GArray *changes = g_array_new (FALSE, TRUE, sizeof (SluiceSettingChange));
  g_array_set_clear_func (changes, change_clear);
  return changes;
}

static SluiceSettingChange *
get_change (const SluiceProject *self, guint i)
{
  return &g_array_index (self->changes, SluiceSettingChange, i);
}

char *
sluice_project_list_changeable (const SluiceProject *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (scheduled); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", scheduled[i].key);
  for (guint i = 0; i < self->parameters->len; i++)
    {
      const SluiceNamedEdge *parameter = &g_array_index (self->parameters, SluiceNamedEdge, i);
      if (!sluice_parameter_is_attr (parameter->target))
        g_string_append_printf (text, ", %s", parameter->name);
    }
  return g_string_free (text, FALSE);
}

const char *
sluice_project_split_assignment (const char *assignment, char **name, GError **error)
{
  const char *equals = strchr (assignment, '=');
  if (equals == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s': must be KEY=VALUE", assignment);
      return NULL;
    }
  *name = g_strstrip (g_strndup (assignment, equals - assignment));
  return equals + 1;
}

/* ---- planning ---- */

static gboolean
check_value (
    const SluiceProject *self, gint64 step, const char *key, const char *text, GError **error)
{
  int i = find_scheduled (key);
  char *end;
  double number;
  gint64 count;
  if (strchr (key, ';') != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s cannot change at a step: its name has a ';'", key);
  const SluiceNamedEdge *parameter = sluice_project_find_parameter (self, key);
  if (parameter != NULL && !sluice_parameter_is_attr (parameter->target))
    {
      number = g_ascii_strtod (text, &end);
      return (end != text && *end == '\0' && isfinite (number))
             || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s=%s: must be a number", key,
                             text);
    }
  if (i < 0)
    {
      g_autofree char *all = sluice_project_list_changeable (self);
      return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                          "%s is read when a run begins and cannot change at a step; what can is "
                          "%s. Fork the run at that step with the other value: sluice fork RUN "
                          "--step %" G_GINT64_FORMAT " %s=%s",
                          key, all, step, key, text);
    }
  return sluice_project_parse_count (key, text, &count, error)
         && (strcmp (key, "steps") != 0 || count > step
             || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "steps=%s at step %" G_GINT64_FORMAT
                             ": must be a later one; 'sluice control RUN stop' ends a run",
                             text, step));
}

gboolean
sluice_project_change (SluiceProject *self, gint64 step, const char *assignment, GError **error)
{
  g_autofree char *name = NULL;
  const char *value = sluice_project_split_assignment (assignment, &name, error);
  if (value == NULL || !sluice_project_check_key (self, name, error))
    return FALSE;
  const char *key =
      g_str_has_prefix (name, "train.") && sluice_project_find_parameter (self, name) == NULL
          ? name + strlen ("train.")
          : name;
  g_autofree char *text = g_strstrip (g_strdup (value));
  if (!check_value (self, step, key, text, error))
    return FALSE;
  guint at = self->changes->len;
  while (at > 0 && get_change (self, at - 1)->step > step)
    at--;
  SluiceSettingChange change = { step, g_strdup (key), g_steal_pointer (&text) };
  g_array_insert_val (self->changes, at, change);
  return TRUE;
}

gboolean
sluice_project_plan (SluiceProject *self, const char *text, GError **error)
{
  const char *colon = strchr (text, ':');
  g_autofree char *digits = colon != NULL ? g_strndup (text, colon - text) : NULL;
  gint64 step;
  if (digits == NULL || !g_ascii_string_to_signed (digits, 10, 0, MAX_STEP, &step, NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s': must be STEP:KEY=VALUE, as 100:learning-rate=0.01", text);
  return sluice_project_change (self, step, colon + 1, error);
}

void
sluice_project_unchange (SluiceProject *self, gint64 step)
{
  for (guint i = self->changes->len; i-- > 0;)
    if (get_change (self, i)->step == step)
      {
        g_array_remove_index (self->changes, i);
        return;
      }
}

void
sluice_project_drop_changes (SluiceProject *self, const char *key)
{
  for (guint i = self->changes->len; i-- > 0;)
    if (strcmp (get_change (self, i)->key, key) == 0)
      g_array_remove_index (self->changes, i);
}

/* ---- what holds when ---- */

void
sluice_project_get_schedule (const SluiceProject *self, gint64 step, SluiceSchedule *schedule)
{
  for (guint i = 0; i < G_N_ELEMENTS (scheduled); i++)
    *schedule_field (schedule, i) = *project_field (self, i);
  for (guint i = 0; i < self->changes->len && get_change (self, i)->step <= step; i++)
    {
      const SluiceSettingChange *change = get_change (self, i);
      int at = find_scheduled (change->key);
      if (at >= 0)
        *schedule_field (schedule, at) = g_ascii_strtoll (change->value, NULL, 10);
    }
}

const SluiceOverride *
sluice_project_find_override (const SluiceProject *self, const char *name)
{
  for (guint i = 0; i < self->overrides->len; i++)
    {
      const SluiceOverride *override = &g_array_index (self->overrides, SluiceOverride, i);
      if (strcmp (override->name, name) == 0)
        return override;
    }
  return NULL;
}

gboolean
sluice_project_get_parameter (const SluiceProject *self,
                              const char *name,
                              gint64 step,
                              double *value)
{
  gboolean said = FALSE;
  for (guint i = 0; i < self->overrides->len; i++)
    {
      const SluiceOverride *override = &g_array_index (self->overrides, SluiceOverride, i);
      if (override->text != NULL || strcmp (override->name, name) != 0)
        continue;
      *value = override->value;
      said = TRUE;
    }
  for (guint i = 0; i < self->changes->len && get_change (self, i)->step <= step; i++)
    if (strcmp (get_change (self, i)->key, name) == 0)
      {
        *value = g_ascii_strtod (get_change (self, i)->value, NULL);
        said = TRUE;
      }
  return said;
}

gint64
sluice_project_next_change (const SluiceProject *self, gint64 step)
{
  for (guint i = 0; i < self->changes->len; i++)
    if (get_change (self, i)->step > step)
      return get_change (self, i)->step;
  return G_MAXINT64;
}

char *
sluice_project_dup_constant (SluiceGraph *graph, const char *edge_text)
{
  SluiceEdge edge;
  const SluiceTensor *value =
      sluice_graph_parse_edge (graph, edge_text, &edge, NULL) ? sluice_edge_constant (edge) : NULL;
  if (value == NULL || value->n_elements != 1)
    return NULL;
  switch ((SluiceDType) value->dtype)
    {
    case SLUICE_FLOAT:
      return sluice_text_dup_number (*(const float *) value->data, TRUE);
    case SLUICE_DOUBLE:
      return sluice_text_dup_number (*(const double *) value->data, FALSE);
    case SLUICE_INT32:
    case SLUICE_INT64:
      return g_strdup_printf ("%" G_GINT64_FORMAT, sluice_tensor_get_int (value, 0));
    default:
      return NULL;
    }
}

char *
sluice_project_dup_before (const SluiceProject *self, guint change, SluiceGraph *graph)
{
  const char *key = get_change (self, change)->key;
  for (guint i = change; i-- > 0;)
    if (strcmp (get_change (self, i)->key, key) == 0)
      return g_strdup (get_change (self, i)->value);
  int at = find_scheduled (key);
  double value;
  if (sluice_project_get_parameter (self, key, -1, &value))
    return sluice_text_dup_number (value, FALSE);
  const SluiceNamedEdge *parameter = sluice_project_find_parameter (self, key);
  return parameter != NULL
             ? (graph != NULL ? sluice_project_dup_constant (graph, parameter->target) : NULL)
             : g_strdup_printf ("%" G_GINT64_FORMAT, *project_field (self, (guint) at));
}

static void
append_change (GArray *changes, gint64 step, const char *key, char *take_value)
{
  SluiceSettingChange change = { step, g_strdup (key), take_value };
  g_array_append_val (changes, change);
}

/* Those of a project whose steps are in [from, to]. */
static void
copy_changes (GArray *changes, const SluiceProject *project, gint64 from, gint64 to)
{
  for (guint i = 0; i < project->changes->len; i++)
    {
      const SluiceSettingChange *change = get_change (project, i);
      if (change->step >= from && change->step <= to)
        append_change (changes, change->step, change->key, g_strdup (change->value));
    }
}

static void
add_differences (GArray *changes,
                 const SluiceProject *self,
                 const SluiceProject *before,
                 gint64 step)
{
  SluiceSchedule had, has;
  sluice_project_get_schedule (before, step, &had);
  sluice_project_get_schedule (self, step, &has);
  for (guint i = 0; i < G_N_ELEMENTS (scheduled); i++)
    {
      gint64 value = *schedule_field (&has, i);
      if (value != *schedule_field (&had, i))
        append_change (changes, step, scheduled[i].key,
                       g_strdup_printf ("%" G_GINT64_FORMAT, value));
    }
  for (guint i = 0; i < self->parameters->len; i++)
    {
      const char *name = g_array_index (self->parameters, SluiceNamedEdge, i).name;
      double old = NAN, now;
      gboolean was_said = sluice_project_get_parameter (before, name, step, &old);
      if (sluice_project_get_parameter (self, name, step, &now) && (!was_said || now != old))
        append_change (changes, step, name, sluice_text_dup_number (now, FALSE));
    }
}

/* What held from the start; attributes are as it says now, for they are set when a graph is read.
 */
static void
take_beginning (SluiceProject *self, const SluiceProject *before)
{
  for (guint i = 0; i < G_N_ELEMENTS (scheduled); i++)
    *project_field (self, i) = *project_field (before, i);
  for (guint i = self->overrides->len; i-- > 0;)
    if (g_array_index (self->overrides, SluiceOverride, i).text == NULL)
      g_array_remove_index (self->overrides, i);
  for (guint i = 0; i < before->overrides->len; i++)
    {
      const SluiceOverride *override = &g_array_index (before->overrides, SluiceOverride, i);
      if (override->text != NULL)
        continue;
      SluiceOverride copy = { g_strdup (override->name), g_strdup (override->edge),
                              override->value };
      g_array_append_val (self->overrides, copy);
    }
}

void
sluice_project_go_on_at (SluiceProject *self, const SluiceProject *before, gint64 step)
{
  SluiceSchedule has;
  sluice_project_get_schedule (self, step, &has);
  /* Nothing comes after it that could be otherwise; or workers, that cannot change at a step. */
  if (step == 0 || has.n_steps <= step || g_strv_length (self->train) > 1)
    return;
  GArray *changes = sluice_project_changes_new ();
  copy_changes (changes, before, 0, step);
  add_differences (changes, self, before, step);
  copy_changes (changes, self, step + 1, G_MAXINT64);
  take_beginning (self, before);
  g_array_unref (self->changes);
  self->changes = changes;
}

void
sluice_project_begin_at (SluiceProject *self, gint64 step)
{
  SluiceSchedule schedule;
  sluice_project_get_schedule (self, step, &schedule);
  for (guint i = 0; i < G_N_ELEMENTS (scheduled); i++)
    *project_field (self, i) = *schedule_field (&schedule, i);
  g_autoptr (GArray) changes = g_steal_pointer (&self->changes);
  self->changes = sluice_project_changes_new ();
  for (guint i = 0; i < changes->len; i++)
    {
      const SluiceSettingChange *change = &g_array_index (changes, SluiceSettingChange, i);
      g_autofree char *assignment = g_strdup_printf ("%s=%s", change->key, change->value);
      if (change->step > step)
        sluice_project_change (self, change->step, assignment, NULL);
      else if (find_scheduled (change->key) < 0)
        sluice_project_set (self, assignment, NULL);
    }
}

/* ---- project.ini ---- */

static gboolean
load_step (SluiceProject *self, const char *step, const char *text, GError **error)
{
  g_auto (GStrv) items = g_strsplit (text, ";", -1);
  for (guint i = 0; items[i] != NULL; i++)
    {
      g_autofree char *change = g_strdup_printf ("%s:%s", step, g_strstrip (items[i]));
      if (*items[i] != '\0' && !sluice_project_plan (self, change, error))
        {
          g_prefix_error (error, "[" GROUP "] ");
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
sluice_project_load_changes (SluiceProject *self, GKeyFile *file, GError **error)
{
  g_auto (GStrv) steps = g_key_file_get_keys (file, GROUP, NULL, NULL);
  for (guint i = 0; steps != NULL && steps[i] != NULL; i++)
    {
      g_autofree char *text = sluice_ini_get_text (file, GROUP, steps[i], error);
      if (text == NULL || !load_step (self, steps[i], text, error))
        return FALSE;
    }
  return TRUE;
}

void
sluice_project_save_changes (const SluiceProject *self, GKeyFile *file)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < self->changes->len; i++)
    {
      const SluiceSettingChange *change = get_change (self, i);
      g_string_append_printf (text, "%s%s=%s", text->len > 0 ? ";" : "", change->key,
                              change->value);
      if (i + 1 < self->changes->len && get_change (self, i + 1)->step == change->step)
        continue;
      g_autofree char *step = g_strdup_printf ("%" G_GINT64_FORMAT, change->step);
      sluice_ini_set_text (file, GROUP, step, text->str);
      g_string_truncate (text, 0);
    }
}
