/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/break-marks.h"

#include <glib/gi18n.h>

#include "app/place-actions.h"
#include "app/window-private.h"

typedef struct
{
  GArray *marks;    /* of SluiceCanvasMark */
  GPtrArray *texts; /* of theirs */
} Marks;

/* text: (transfer full) */
static void
add (Marks *self, const char *name, SluiceMarkKind kind, char *text)
{
  SluiceCanvasMark mark = { name, kind, text };
  g_ptr_array_add (self->texts, text);
  g_array_append_val (self->marks, mark);
}

/* Does the run that began last not stop there? A node that is fused stops from the next one on. */
static gboolean
is_idle (const SluiceBreakpointReport *report)
{
  switch (report->status)
    {
    case SLUICE_BREAKPOINT_NEW:
    case SLUICE_BREAKPOINT_STANDS:
    case SLUICE_BREAKPOINT_FUSED:
      return FALSE;
    default:
      return TRUE;
    }
}

/* reports: (nullable): no run is under way */
static const SluiceBreakpointReport *
find_report (const GArray *reports, guint number)
{
  for (guint i = 0; reports != NULL && i < reports->len; i++)
    {
      const SluiceBreakpointReport *report = &g_array_index (reports, SluiceBreakpointReport, i);
      if (report->number == number)
        return report;
    }
  return NULL;
}

const char *
sluice_break_marks_find (SluiceWindow *window, const char *place, char **note)
{
  SluiceDebugger *debugger = sluice_run_controller_get_debugger (window->controller);
  g_autoptr (GArray) reports = debugger != NULL ? sluice_debugger_dup_reports (debugger) : NULL;
  GHashTableIter iter;
  gpointer text, number;
  g_hash_table_iter_init (&iter, sluice_run_controller_get_breakpoints (window->controller));
  while (g_hash_table_iter_next (&iter, &text, &number))
    {
      SluiceBreakpoint what;
      const SluiceBreakpointReport *report = find_report (reports, GPOINTER_TO_UINT (number));
      g_autofree char *own =
          sluice_breakpoint_parse (&what, text, NULL) ? sluice_breakpoint_dup_place (&what) : NULL;
      if (g_strcmp0 (own, place) != 0)
        continue;
      if (note != NULL)
        *note = report != NULL ? sluice_breakpoint_report_describe (report) : NULL;
      return text;
    }
  return NULL;
}

static void
add_breakpoints (Marks *self, SluiceWindow *window, const GArray *reports)
{
  GHashTableIter iter;
  gpointer text, number;
  g_hash_table_iter_init (&iter, sluice_run_controller_get_breakpoints (window->controller));
  while (g_hash_table_iter_next (&iter, &text, &number))
    {
      SluiceBreakpoint what;
      g_autofree char *place = NULL;
      const SluiceBreakpointReport *report = find_report (reports, GPOINTER_TO_UINT (number));
      if (!sluice_breakpoint_parse (&what, text, NULL) || *what.name == '\0')
        continue;
      place = sluice_breakpoint_dup_place (&what);
      const char *name = what.is_scope ? what.name : g_intern_string (place);
      if (report != NULL && is_idle (report))
        add (self, name, SLUICE_MARK_BREAK_IDLE, sluice_breakpoint_report_describe (report));
      else
        add (self, name, SLUICE_MARK_BREAK,
             g_strdup_printf (_ ("Runs stop at “%s”"), (char *) text));
    }
}

void
sluice_break_marks_update (SluiceWindow *window)
{
  SluiceDebugger *debugger = sluice_run_controller_get_debugger (window->controller);
  g_autoptr (GArray) reports = debugger != NULL ? sluice_debugger_dup_reports (debugger) : NULL;
  g_autoptr (SluiceStop) stop = debugger != NULL ? sluice_debugger_dup_stop (debugger) : NULL;
  g_autoptr (GArray) marks = g_array_new (FALSE, FALSE, sizeof (SluiceCanvasMark));
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  Marks self = { marks, texts };
  add_breakpoints (&self, window, reports);
  if (stop != NULL && stop->node.name != NULL)
    add (&self, stop->node.name, SLUICE_MARK_STOP, g_strdup (_ ("The run has stopped here")));
  const SluiceCanvasMark *all = (const SluiceCanvasMark *) marks->data;
  for (guint i = 0; i < SLUICE_N_CANVASES; i++)
    sluice_canvas_set_breaks (sluice_place_actions_get_canvas (window, i), all, marks->len);
}
