/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/event-words.h"

#include <glib/gi18n.h>

#include "ui/chart/ticks.h"

/* A value as it was written; a number as numbers are written here. (transfer full) */
static char *
dup_value (const char *text)
{
  char *end;
  double number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' ? sluice_format_exact (number) : g_strdup (text);
}

char *
sluice_event_words (const SluiceEvent *event)
{
  g_autofree char *key = NULL, *was = NULL, *is = NULL;
  gint64 dropped = sluice_event_get_dropped (event);
  if (dropped > event->base.step)
    {
      g_autofree char *step = sluice_format_step (dropped);
      return g_strdup_printf (_ ("what came after it was dropped, up to step %s"), step);
    }
  if (!sluice_event_get_change (event, &key, &was, &is))
    return g_strdup (event->text);
  g_autofree char *before =
      was != NULL ? dup_value (was) : g_strdup (_ ("as the graph computes it"));
  g_autofree char *after = dup_value (is);
  /* Translators: a setting, its value before, and after. */
  return g_strdup_printf (_ ("%s: %s → %s"), key, before, after);
}
