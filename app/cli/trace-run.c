/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/trace-run.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/json.h"
#include "app/cli/trace-why.h"
#include "engine/base/error.h"
#include "engine/store/file.h"
#include "engine/trace/fill.h"
#include "engine/trace/trace-own.h"
#include "engine/trace/trace-remarks.h"
#include "engine/train/flight-recorder.h"
#include "engine/train/project.h"

typedef struct
{
  SluiceStore *store;
  SluiceRunInfo *run;
  GPtrArray *flights; /* of SluiceFlight */
} Kept;

static void
kept_clear (Kept *self)
{
  g_clear_object (&self->store);
  g_clear_pointer (&self->run, sluice_run_info_free);
  g_clear_pointer (&self->flights, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Kept, kept_clear)

static gboolean
open_kept (Kept *self, const char *run, const char *workspace, GError **error)
{
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  self->store = sluice_cli_open_to_read (folder, error);
  self->run = self->store != NULL ? sluice_store_dup_run (self->store, run, error) : NULL;
  self->flights = self->run != NULL ? sluice_flight_list (self->store, self->run->id, error) : NULL;
  return self->flights != NULL;
}

/* What is in a file. */
typedef struct
{
  SluiceTraceView *view; /* (nullable) */
  gint64 first, last;    /* steps; 0: none */
  gint64 n_events;
  char *problem; /* (nullable) */
} Content;

static void
content_clear (Content *self)
{
  g_clear_pointer (&self->view, sluice_trace_view_free);
  g_free (self->problem);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Content, content_clear)

static void
content_open (Content *self, const SluiceFlight *flight)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  guint n;
  self->view = sluice_trace_own_open (flight->path, remarks, &error);
  if (self->view == NULL)
    {
      self->problem = g_strdup (error->message);
      return;
    }
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (self->view, &n);
  self->n_events = (gint64) sluice_trace_view_get_n_spans (self->view);
  self->first = n > 0 ? (gint64) steps[0].step : 0;
  self->last = n > 0 ? (gint64) steps[n - 1].step : 0;
  if (remarks->len > 0)
    self->problem = g_strdup (g_array_index (remarks, SluiceTraceRemark, 0).what);
}

/* ---- the list ---- */

static void
add_json (JsonBuilder *b, const SluiceFlight *flight, const Content *content)
{
  json_builder_begin_object (b);
  sluice_cli_json_int (b, "step", flight->step);
  sluice_cli_json_string (b, "cause", sluice_flight_cause_name (flight->cause));
  sluice_cli_json_string (b, "words", flight->words);
  sluice_cli_json_int (b, "first", content->first);
  sluice_cli_json_int (b, "last", content->last);
  sluice_cli_json_int (b, "events", content->n_events);
  sluice_cli_json_string (b, "file", flight->path);
  sluice_cli_json_string (b, "problem", content->problem);
  json_builder_end_object (b);
}

static void
print_line (const SluiceFlight *flight, const Content *content)
{
  const char *more = content->problem != NULL ? content->problem : flight->words;
  g_autofree char *steps = g_strdup_printf ("%" PRId64 "–%" PRId64, content->first, content->last);
  printf ("%10" PRId64 "  %-8s  %-21s  %10" PRId64 "%s%s\n", flight->step,
          sluice_flight_cause_name (flight->cause), steps, content->n_events,
          more != NULL ? "  " : "", more != NULL ? more : "");
}

int
sluice_cli_list_traces (const char *run, const char *workspace, GError **error)
{
  g_auto (Kept) kept = { 0 };
  if (!open_kept (&kept, run, workspace, error))
    return EXIT_FAILED;
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "run", kept.run->name);
  json_builder_set_member_name (b, "traces");
  json_builder_begin_array (b);
  if (!sluice_cli_json && kept.flights->len == 0)
    printf (_ ("Of run '%s' no trace is kept.\n"), kept.run->name);
  else if (!sluice_cli_json)
    printf ("%10s  %-8s  %-19s  %10s\n", _ ("step"), _ ("cause"), _ ("steps"), _ ("events"));
  for (guint i = 0; i < kept.flights->len; i++)
    {
      g_auto (Content) content = { 0 };
      content_open (&content, kept.flights->pdata[i]);
      add_json (b, kept.flights->pdata[i], &content);
      if (!sluice_cli_json)
        print_line (kept.flights->pdata[i], &content);
    }
  json_builder_end_array (b);
  sluice_cli_json_end (b);
  return EXIT_OK;
}

/* ---- one of them ---- */

/* The one that was frozen nearest to the step, of those that hold it. (nullable) */
static const SluiceFlight *
find_kept (const Kept *kept, gint64 step, Content *content, GError **error)
{
  const SluiceFlight *best = NULL;
  g_autoptr (GString) there = g_string_new (NULL);
  for (guint i = 0; i < kept->flights->len; i++)
    {
      const SluiceFlight *flight = kept->flights->pdata[i];
      g_auto (Content) own = { 0 };
      content_open (&own, flight);
      if (own.view != NULL)
        g_string_append_printf (there, "%s%" PRId64 "–%" PRId64, there->len > 0 ? ", " : "",
                                own.first, own.last);
      if (own.view == NULL || step < own.first || step > own.last
          || (best != NULL && ABS (best->step - step) <= ABS (flight->step - step)))
        continue;
      best = flight;
      content_clear (content);
      *content = own;
      own = (Content){ 0 };
    }
  if (best == NULL)
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                 "of run '%s' no trace is kept of step %" PRId64 "; of these steps one is: %s",
                 kept->run->name, step, there->len > 0 ? there->str : "none");
  return best;
}

/* What the run trained, as its folder has it. (transfer full) (nullable): it cannot be read, and
 * what waited for what is not known */
static SluiceGraph *
load_graph (const Kept *kept)
{
  g_autofree char *folder = sluice_store_dup_run_folder (kept->store, kept->run->id);
  g_autoptr (SluiceProject) project = sluice_project_load (folder, NULL);
  return project != NULL ? sluice_project_load_graph (project, NULL) : NULL;
}

int
sluice_cli_say_why_of_kept (const char *run, const char *workspace, gint64 step, GError **error)
{
  g_auto (Kept) kept = { 0 };
  g_auto (Content) content = { 0 };
  if (!open_kept (&kept, run, workspace, error))
    return EXIT_FAILED;
  if (step < 0 && kept.flights->len > 0)
    step = ((const SluiceFlight *) kept.flights->pdata[kept.flights->len - 1])->step;
  if (find_kept (&kept, step, &content, error) == NULL)
    return EXIT_FAILED;
  g_autoptr (SluiceGraph) graph = load_graph (&kept);
  sluice_cli_print_trace_why (&(SluiceBottleneckSource){ .view = content.view, .graph = graph });
  return EXIT_OK;
}

static gboolean
write_content (const SluiceFlight *flight,
               const Content *content,
               const char *out,
               SluiceTraceFormat format,
               GError **error)
{
  if (format == SLUICE_TRACE_OWN)
    return sluice_file_copy ("trace", flight->path, out, error);
  g_autoptr (GArray) events = sluice_trace_view_dup_events (content->view);
  const SluiceTraceContent whole = { events, sluice_trace_view_get_start (content->view), NULL };
  return sluice_trace_write (&whole, format, out, error);
}

int
sluice_cli_write_kept (const char *run,
                       const char *workspace,
                       gint64 step,
                       const char *out,
                       SluiceTraceFormat format,
                       GError **error)
{
  g_auto (Kept) kept = { 0 };
  g_auto (Content) content = { 0 };
  const SluiceFlight *flight =
      open_kept (&kept, run, workspace, error) ? find_kept (&kept, step, &content, error) : NULL;
  if (flight == NULL || !write_content (flight, &content, out, format, error))
    return EXIT_FAILED;
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "run", kept.run->name);
  sluice_cli_json_string (b, "file", out);
  sluice_cli_json_int (b, "step", flight->step);
  sluice_cli_json_string (b, "cause", sluice_flight_cause_name (flight->cause));
  sluice_cli_json_int (b, "first", content.first);
  sluice_cli_json_int (b, "last", content.last);
  sluice_cli_json_int (b, "events", content.n_events);
  sluice_cli_json_end (b);
  if (!sluice_cli_json)
    printf (_ ("%" PRId64 " events of steps %" PRId64 " to %" PRId64 " are in %s\n"),
            content.n_events, content.first, content.last, out);
  return EXIT_OK;
}
