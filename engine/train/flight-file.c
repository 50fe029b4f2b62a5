/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/flight-file.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/store/file.h"
#include "engine/store/kinds/event.h"
#include "engine/trace/trace-file.h"
#include "engine/trace/trace-own.h"

#define TRACES "traces"
#define ENDING SLUICE_TRACE_OWN_ENDING

/* ---- causes ---- */

static const char *const causes[] = {
  [SLUICE_FLIGHT_SLOW] = "slow",         [SLUICE_FLIGHT_NAN] = "nan",
  [SLUICE_FLIGHT_MEMORY] = "memory",     [SLUICE_FLIGHT_STALL] = "stall",
  [SLUICE_FLIGHT_DEADLOCK] = "deadlock", [SLUICE_FLIGHT_FAILURE] = "failure",
  [SLUICE_FLIGHT_END] = "end",           [SLUICE_FLIGHT_N_CAUSES] = "unknown",
};

const char *
sluice_flight_cause_name (SluiceFlightCause cause)
{
  return causes[cause];
}

void
sluice_flight_free (SluiceFlight *self)
{
  g_free (self->path);
  g_free (self->words);
  g_free (self);
}

/* "slow step-0000000012.sltrace 9 ms, usual are 2 ms" */
char *
sluice_flight_dup_text (const SluiceFlight *self)
{
  g_autofree char *file =
      self->path != NULL ? g_path_get_basename (self->path) : g_strdup ("no-file");
  return g_strjoin (" ", causes[self->cause], file, self->words, NULL);
}

SluiceFlight *
sluice_flight_parse (gint64 step, const char *text, const char *folder)
{
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", " ", 3);
  guint cause = 0;
  if (g_strv_length (parts) < 2 || strchr (parts[1], '/') != NULL)
    return NULL;
  while (cause < SLUICE_FLIGHT_N_CAUSES && strcmp (causes[cause], parts[0]) != 0)
    cause++;
  SluiceFlight *self = g_new0 (SluiceFlight, 1);
  self->step = step;
  self->cause = cause;
  self->path = g_build_filename (folder, TRACES, parts[1], NULL);
  self->words = g_strdup (parts[2]);
  return self;
}

/* ---- the folder ---- */

char *
sluice_flight_file_dup_path (const char *folder, gint64 step)
{
  g_autofree char *name = g_strdup_printf ("step-%010" PRId64 "%s", step, ENDING);
  return g_build_filename (folder, TRACES, name, NULL);
}

/* -1: it is none. */
static gint64
get_step (const char *name)
{
  gint64 step;
  int end = 0;
  return sscanf (name, "step-%" SCNd64 "%n", &step, &end) == 1 && strcmp (name + end, ENDING) == 0
             ? step
             : -1;
}

static int
compare_steps (gconstpointer a, gconstpointer b)
{
  const SluiceFlight *x = *(SluiceFlight *const *) a, *y = *(SluiceFlight *const *) b;
  return (x->step > y->step) - (x->step < y->step);
}

static GPtrArray *
list_files (const char *folder)
{
  GPtrArray *flights = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_flight_free);
  g_autofree char *traces = g_build_filename (folder, TRACES, NULL);
  g_autoptr (GDir) dir = g_dir_open (traces, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      gint64 step = get_step (name);
      if (step < 0)
        continue;
      SluiceFlight *flight = g_new0 (SluiceFlight, 1);
      flight->step = step;
      flight->cause = SLUICE_FLIGHT_N_CAUSES;
      flight->path = g_build_filename (traces, name, NULL);
      g_ptr_array_add (flights, flight);
    }
  g_ptr_array_sort (flights, compare_steps);
  return flights;
}

guint
sluice_flight_file_forget (const char *folder, gint64 step)
{
  g_autoptr (GPtrArray) flights = list_files (folder);
  guint n = 0;
  for (guint i = 0; i < flights->len; i++)
    {
      const SluiceFlight *flight = flights->pdata[i];
      n += flight->step <= step;
      if (flight->step > step)
        g_unlink (flight->path);
    }
  return n;
}

/* A file counts, whatever the events say: one that was written just before the program was killed
 * is told by none. */
GPtrArray *
sluice_flight_list (SluiceStore *store, gint64 run, GError **error)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, run);
  g_autoptr (GPtrArray) events = sluice_store_read_events (store, run, error);
  if (events == NULL)
    return NULL;
  GPtrArray *flights = list_files (folder);
  for (guint e = 0; e < events->len; e++)
    {
      const SluiceEvent *event = events->pdata[e];
      g_autoptr (SluiceFlight) told =
          strcmp (event->kind, SLUICE_FLIGHT_EVENT) == 0
              ? sluice_flight_parse (event->base.step, event->text, folder)
              : NULL;
      for (guint i = 0; told != NULL && i < flights->len; i++)
        {
          SluiceFlight *flight = flights->pdata[i];
          if (strcmp (flight->path, told->path) != 0)
            continue;
          flight->cause = told->cause;
          g_free (flight->words);
          flight->words = g_steal_pointer (&told->words);
        }
    }
  return flights;
}

/* ---- what is in one ---- */

typedef struct
{
  guint n;
  guint64 first; /* step of its oldest event */
} LaneHeld;

typedef struct
{
  GArray *events;
  GArray *lanes; /* of LaneHeld */
  gint64 first;
} Kept;

static void
keep (const SluiceTraceEvent *event, gpointer data)
{
  Kept *self = data;
  if (event->lane >= self->lanes->len)
    g_array_set_size (self->lanes, event->lane + 1);
  LaneHeld *held = &g_array_index (self->lanes, LaneHeld, event->lane);
  if (held->n++ == 0)
    held->first = event->step;
  if ((gint64) event->step >= self->first)
    g_array_append_vals (self->events, event, 1);
}

/* The last step of whose records some lane has lost the first. A lane that holds less than half of
 * what the fullest one does has lost none: all are as large. */
static guint64
find_torn_step (const GArray *lanes)
{
  guint most = 0;
  guint64 torn = 0;
  for (guint i = 0; i < lanes->len; i++)
    most = MAX (most, g_array_index (lanes, LaneHeld, i).n);
  for (guint i = 0; i < lanes->len; i++)
    if (g_array_index (lanes, LaneHeld, i).n >= most / 2)
      torn = MAX (torn, g_array_index (lanes, LaneHeld, i).first);
  return torn;
}

gboolean
sluice_flight_file_write (SluiceSession *session, const char *path, gint64 first, GError **error)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  g_autoptr (GArray) lanes = g_array_new (FALSE, TRUE, sizeof (LaneHeld));
  Kept kept = { events, lanes, first };
  guint64 cursor = 0;
  guint64 n_lost = sluice_session_each_trace (session, &cursor, keep, &kept);
  sluice_session_drop_trace (session, &cursor);
  guint64 torn = n_lost > 0 ? find_torn_step (lanes) : 0;
  guint n = 0;
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceTraceEvent *event = &g_array_index (events, SluiceTraceEvent, i);
      if (event->step > torn)
        g_array_index (events, SluiceTraceEvent, n++) = *event;
    }
  g_array_set_size (events, n);
  const SluiceTraceContent content = { events, sluice_session_get_start (session),
                                       sluice_session_get_graph (session) };
  return sluice_file_make_folder (path, error)
         && sluice_trace_write (&content, SLUICE_TRACE_OWN, path, error);
}
