/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/status-text.h"

#include <glib/gi18n.h>
#include <math.h>

SluiceUnit
sluice_tag_unit (const char *tag)
{
  static const char *const bytes[] = { "system/memory",       "system/resident",
                                       "system/gpu-memory",   "system/disk-free",
                                       "system/disk-written", NULL };
  if (g_str_has_suffix (tag, "accuracy") || g_str_equal (tag, "system/cpu")
      || g_str_equal (tag, "system/gpu-load"))
    return SLUICE_UNIT_PERCENT;
  return g_strv_contains (bytes, tag) ? SLUICE_UNIT_BYTES : SLUICE_UNIT_NONE;
}

char *
sluice_status_evaluation_text (const char *name, double value)
{
  SluiceUnit unit = sluice_tag_unit (name);
  g_autofree char *number = sluice_format_value (value, unit);
  return unit == SLUICE_UNIT_PERCENT ? g_steal_pointer (&number)
                                     : g_strdup_printf ("%s %s", name, number);
}

char *
sluice_status_runs_text (guint64 n)
{
  g_autofree char *number = sluice_format_step ((gint64) MIN (n, (guint64) G_MAXINT64));
  return g_strdup_printf (ngettext ("%s run", "%s runs", (gulong) MIN (n, 1000)), number);
}

char *
sluice_status_plan_text (const SluiceRunInfo *info)
{
  guint64 n = 1;
  if (info->state != SLUICE_RUN_DRAFT || info->message == NULL
      || !g_ascii_isdigit (*info->message)) /* it was taken out of the queue: why it waited */
    return NULL;
  g_auto (GStrv) factors = g_strsplit (info->message, "×", -1);
  for (guint i = 0; factors[i] != NULL; i++)
    if (!g_uint64_checked_mul (&n, n, g_ascii_strtoull (factors[i], NULL, 10)))
      n = G_MAXUINT64;
  return sluice_status_runs_text (n);
}

char *
sluice_status_step_text (const SluiceProgress *p)
{
  g_autofree char *step = sluice_format_step (p->step), *n_steps = sluice_format_step (p->n_steps);
  return g_strdup_printf (_ ("Step %s of %s"), step, n_steps);
}

/* Guesses: no more digits than they are good for. */
static char *
duration_text (double seconds)
{
  if (seconds < 60)
    return g_strdup_printf (seconds < 10 ? _ ("%.1f s") : _ ("%.0f s"), seconds);
  return sluice_format_value (seconds, SLUICE_UNIT_SECONDS);
}

static void
append_part (GString *text, char *take)
{
  g_autofree char *part = take;
  g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", part);
}

char *
sluice_status_rate_text (SluiceControlState state,
                         const SluiceProgress *p,
                         const char *evaluation_name)
{
  GString *text = g_string_new (NULL);
  if (state == SLUICE_CONTROL_RUNNING && p->steps_per_second > 0)
    append_part (
        text, g_strdup_printf (p->steps_per_second < 10 ? _ ("%.1f steps/s") : _ ("%.0f steps/s"),
                               p->steps_per_second));
  if (state == SLUICE_CONTROL_RUNNING && p->eta_seconds >= 0)
    {
      g_autofree char *left = duration_text (p->eta_seconds);
      g_autofree char *margin = duration_text (p->eta_margin);
      append_part (text, g_strdup_printf (_ ("%s left (± %s)"), left, margin));
    }
  if (state == SLUICE_CONTROL_PAUSED)
    append_part (text, g_strdup (_ ("paused")));
  if (isfinite (p->loss))
    append_part (text, g_strdup_printf (_ ("loss %s%.4f"), p->loss < 0 ? "−" : "", fabs (p->loss)));
  if (isfinite (p->evaluation) && evaluation_name != NULL)
    {
      g_autofree char *result = sluice_status_evaluation_text (evaluation_name, p->evaluation);
      append_part (text, g_strdup_printf (_ ("test %s"), result));
    }
  return g_string_free (text, FALSE);
}

#define MOST_DEVICES 3 /* each of which is told by itself */

/* (transfer full) */
static char *
dup_memory (const SluiceDeviceMemory *device)
{
  g_autofree char *live = g_format_size (device->live_bytes);
  g_autofree char *limit = g_format_size (device->limit_bytes);
  return device->limit_bytes != 0 ? g_strdup_printf (_ ("%s of %s"), live, limit)
                                  : g_steal_pointer (&live);
}

char *
sluice_status_memory_text (const GArray *devices)
{
  gsize bytes = 0;
  for (guint i = 0; i < devices->len; i++)
    bytes += g_array_index (devices, SluiceDeviceMemory, i).live_bytes;
  return g_format_size (bytes);
}

char *
sluice_status_devices_text (const GArray *devices)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < devices->len; i++)
    {
      const SluiceDeviceMemory *device = &g_array_index (devices, SluiceDeviceMemory, i);
      g_autofree char *memory = dup_memory (device);
      append_part (text, devices->len > 1 ? g_strdup_printf ("%s %s", device->name, memory)
                                          : g_steal_pointer (&memory));
    }
  if (devices->len <= MOST_DEVICES)
    return g_string_free (text, FALSE);
  g_autofree char *all = sluice_status_memory_text (devices);
  g_string_printf (text, ngettext ("%u device %s", "%u devices %s", devices->len), devices->len,
                   all);
  return g_string_free (text, FALSE);
}

char *
sluice_status_machine_text (SluiceControlState state, const SluiceProgress *p)
{
  gulong n = p->n_before + p->n_committed;
  g_autofree char *points = sluice_format_step ((gint64) n);
  g_autofree char *saved =
      p->n_committed == p->n_logged && n > 1
          ? g_strdup_printf (ngettext ("all %s point saved", "all %s points saved", n), points)
          : g_strdup_printf (ngettext ("%s point saved", "%s points saved", n), points);
  const char *waits = p->wait_seconds > 0.05 ? _ ("waiting for the disk · ") : "";
  /* Not looked at yet, or not any more. */
  if (p->memory_bytes == 0 || state == SLUICE_CONTROL_IDLE)
    return g_strconcat (waits, saved, NULL);
  return g_strdup_printf (_ ("%sCPU %.0f %% · %s"), waits, p->cpu_load * 100, saved);
}
