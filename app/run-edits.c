/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/run-edits.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/build/edit-lines.h"
#include "app/failure-words.h"
#include "app/window-private.h"
#include "ui/chart/ticks.h"

#define MOST_WORDS 3 /* commands that an event tells one by one */

/* Where the document stood when the run began or went on. */
typedef struct
{
  guint n_done;
  gsize journal; /* its length: it grows with all that is done and undone */
} Mark;

struct _SluiceRunEdits
{
  guint n_begun;  /* of the controller */
  gint64 run;     /* that it has begun last */
  Mark mark;      /* the run under way has the graph of then */
  GArray *before; /* of Mark: one an edit of the run that can be taken back here */
};

void
sluice_run_edits_free (SluiceRunEdits *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->before);
  g_free (self);
}

static Mark
get_mark (SluiceWindow *window)
{
  SluiceCommandStack *stack = sluice_document_get_stack (window->document);
  return stack != NULL ? (Mark){ sluice_command_stack_get_n_undo (stack),
                                 strlen (sluice_command_stack_get_journal (stack)) }
                       : (Mark){ 0 };
}

static gboolean
is_held (SluiceWindow *window)
{
  SluiceDebugger *debugger = sluice_run_controller_get_debugger (window->controller);
  return sluice_run_controller_get_state (window->controller) == SLUICE_CONTROL_PAUSED
         || (debugger != NULL && sluice_debugger_is_stopped (debugger));
}

gboolean
sluice_run_edits_are_there (SluiceWindow *window)
{
  return is_held (window) && sluice_document_get_stack (window->document) != NULL
         && sluice_run_controller_get_session (window->controller) != NULL /* the same project */
         && get_mark (window).journal != window->run_edits->mark.journal;
}

/* ---- going on ---- */

/* "insert clip, set an attribute of fc1 and 2 more". (transfer full) */
static char *
describe (SluiceCommandStack *stack, guint from)
{
  GString *words = g_string_new (NULL);
  guint n = sluice_command_stack_get_n_undo (stack);
  for (guint i = from; i < MIN (n, from + MOST_WORDS); i++)
    g_string_append_printf (words, "%s%s", i > from ? ", " : "",
                            sluice_command_stack_get_words (stack, i));
  if (n > from + MOST_WORDS)
    g_string_append_printf (words, _ (" and %u more"), n - from - MOST_WORDS);
  if (n <= from)
    g_string_append (words, _ ("commands were taken back"));
  return g_string_free (words, FALSE);
}

gboolean
sluice_run_edits_go_on (SluiceWindow *window)
{
  if (!sluice_run_edits_are_there (window))
    return FALSE;
  SluiceRunEdits *self = window->run_edits;
  SluiceCommandStack *stack = sluice_document_get_stack (window->document);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) graph = sluice_command_stack_export (stack, TRUE, &error);
  g_autofree char *words = describe (stack, self->mark.n_done);
  if (graph != NULL && sluice_run_controller_edit (window->controller, graph, words, &error))
    {
      g_array_append_val (self->before, self->mark);
      return TRUE;
    }
  g_autofree char *failure = sluice_failure_words (error);
  sluice_window_tell (window, failure);
  return TRUE;
}

static void
tell_edited (SluiceWindow *window, const SluiceGraphEdited *edited)
{
  g_autofree char *step = sluice_format_step (edited->step);
  g_autofree char *words = g_strdup_printf (
      _ ("From step %s on with the edited graph: %u variables kept, %u new, %u dropped"), step,
      edited->n_kept, edited->n_new, edited->n_dropped);
  sluice_window_offer (window, words, _ ("Undo"), "win.undo-run-edit");
}

/* The document goes back with the run, where it still knows the way. */
static void
go_back (SluiceWindow *window, gint64 at)
{
  SluiceRunEdits *self = window->run_edits;
  g_autofree char *step = sluice_format_step (at);
  g_autofree char *words =
      g_strdup_printf (_ ("Graph and run are those of step %s before the edit again"), step);
  sluice_window_tell (window, words);
  if (self->before->len == 0)
    return;
  const Mark mark = g_array_index (self->before, Mark, self->before->len - 1);
  g_array_set_size (self->before, self->before->len - 1);
  if (sluice_document_get_stack (window->document) != NULL)
    sluice_document_go_to (window->document, mark.n_done, NULL);
}

/* Has the run the graph of the document now? */
static gboolean
take_outcome (SluiceWindow *window)
{
  SluiceRunEdits *self = window->run_edits;
  SluiceEditOutcome outcome;
  if (!sluice_run_controller_take_edited (window->controller, &outcome))
    return TRUE;
  if (outcome.failure != NULL)
    {
      if (!outcome.took_back && self->before->len > 0)
        g_array_set_size (self->before, self->before->len - 1);
      g_autofree char *words = sluice_failure_words (outcome.failure);
      sluice_window_tell (window, words);
      g_error_free (outcome.failure);
      return FALSE;
    }
  if (outcome.took_back)
    go_back (window, outcome.edited.step);
  else if (outcome.edited.is_same)
    g_array_set_size (self->before, self->before->len - 1);
  else
    tell_edited (window, &outcome.edited);
  return TRUE;
}

/* ---- actions ---- */

static void
undo_run_edit_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  g_autoptr (GError) error = NULL;
  if (sluice_run_controller_take_back_edit (window->controller, &error))
    return;
  g_autofree char *words = sluice_failure_words (error);
  sluice_window_tell (window, words);
}

static void
clip_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  SluiceGraph *graph = sluice_document_get_graph (window->document);
  const char *edge;
  SluiceClip clip;
  if (graph == NULL)
    return;
  g_variant_get (parameter, "(&sbdd)", &edge, &clip.by_norm, &clip.least, &clip.most);
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL;
  g_autofree char *line = sluice_edit_line_clip (graph, edge, &clip, &name);
  if (sluice_document_do (window->document, line, &error))
    {
      sluice_graph_page_select (window->graph_page, name);
      g_autofree char *words =
          g_strdup_printf (_ ("“%s” is inserted: F5 lets the run go on with it"), name);
      sluice_window_tell (window, words);
      return;
    }
  g_autofree char *words = sluice_failure_words (error);
  sluice_window_tell (window, words);
}

void
sluice_run_edits_add (SluiceWindow *window)
{
  static const GActionEntry actions[] = {
    { .name = "clip", .activate = clip_cb, .parameter_type = "(sbdd)" },
    { .name = "undo-run-edit", .activate = undo_run_edit_cb },
  };
  window->run_edits = g_new0 (SluiceRunEdits, 1);
  window->run_edits->before = g_array_new (FALSE, FALSE, sizeof (Mark));
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
}

void
sluice_run_edits_update (SluiceWindow *window)
{
  SluiceRunEdits *self = window->run_edits;
  guint n_begun = sluice_run_controller_get_n_begun (window->controller);
  gint64 run = sluice_run_controller_get_run (window->controller);
  gboolean is_its = take_outcome (window);
  if (run != self->run)
    g_array_set_size (self->before, 0);
  if (n_begun != self->n_begun && is_its)
    self->mark = get_mark (window);
  self->n_begun = n_begun;
  self->run = run;
  GAction *undo = g_action_map_lookup_action (G_ACTION_MAP (window), "undo-run-edit");
  g_simple_action_set_enabled (G_SIMPLE_ACTION (undo),
                               self->before->len > 0
                                   && sluice_run_controller_get_state (window->controller)
                                          != SLUICE_CONTROL_STARTING);
}
