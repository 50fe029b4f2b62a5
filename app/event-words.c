/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/event-words.h"

#include <glib/gi18n.h>
#include <string.h>

#include "ui/chart/ticks.h"

/* A value as it was written; a number as numbers are written here. (transfer full) */
static char *
dup_value (const char *text)
{
  char *end;
  double number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' ? sluice_format_exact (number) : g_strdup (text);
}

static const char *
get_cause_words (SluiceFlightCause cause)
{
  static const char *const words[] = {
    [SLUICE_FLIGHT_SLOW] = N_ ("a slow step"),
    [SLUICE_FLIGHT_NAN] = N_ ("a value that is not finite"),
    [SLUICE_FLIGHT_MEMORY] = N_ ("out of memory"),
    [SLUICE_FLIGHT_STALL] = N_ ("a step that does not end"),
    [SLUICE_FLIGHT_DEADLOCK] = N_ ("a deadlock"),
    [SLUICE_FLIGHT_FAILURE] = N_ ("a failure"),
    [SLUICE_FLIGHT_END] = N_ ("the end of the run"),
    [SLUICE_FLIGHT_N_CAUSES] = N_ ("not known why"),
  };
  return _ (words[cause]);
}

char *
sluice_flight_words (const SluiceFlight *flight)
{
  const char *cause = get_cause_words (flight->cause);
  /* Translators: why what ran in a step was kept, and more about it. */
  return flight->words != NULL ? g_strdup_printf (_ ("%s: %s"), cause, flight->words)
                               : g_strdup (cause);
}

/* (transfer full) (nullable): it tells of no trace */
static char *
dup_flight_words (const SluiceEvent *event)
{
  g_autoptr (SluiceFlight) flight = strcmp (event->kind, SLUICE_FLIGHT_EVENT) == 0
                                        ? sluice_flight_parse (event->base.step, event->text, "")
                                        : NULL;
  return flight != NULL ? sluice_flight_words (flight) : NULL;
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
  g_autofree char *flight = dup_flight_words (event);
  if (flight != NULL)
    return g_steal_pointer (&flight);
  if (!sluice_event_get_change (event, &key, &was, &is))
    return g_strdup (event->text);
  g_autofree char *before =
      was != NULL ? dup_value (was) : g_strdup (_ ("as the graph computes it"));
  g_autofree char *after = dup_value (is);
  /* Translators: a setting, its value before, and after. */
  return g_strdup_printf (_ ("%s: %s → %s"), key, before, after);
}
