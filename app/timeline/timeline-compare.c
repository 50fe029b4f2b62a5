/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "app/timeline/timeline-private.h"
#include "engine/trace/trace-compare.h"
#include "ui/chart/ticks.h"
#include "ui/common/number.h"

/* The step that is shown, A, and another one, B, node by node. B is taken as it was when somebody
 * chose it, whichever trace comes to be shown then: so two runs are compared. */

static const SluiceNumberColumn columns[] = {
  { "A", SLUICE_NUMBER_TIME },
  { "B", SLUICE_NUMBER_TIME },
  { N_ ("B − A"), SLUICE_NUMBER_CHANGE },
  { N_ ("of A"), SLUICE_NUMBER_SHARE },
};

typedef struct
{
  SluiceStepPicture *a, *b;
  guint64 step_a, step_b;
  guint number;
} Comparing;

static void
comparing_free (gpointer data)
{
  Comparing *self = data;
  sluice_step_picture_unref (self->a);
  sluice_step_picture_unref (self->b);
  g_free (self);
}

static void
compare_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Comparing *self = data;
  g_task_return_pointer (
      task, sluice_trace_compare (self->a->view, self->step_a, self->b->view, self->step_b),
      (GDestroyNotify) sluice_trace_comparison_free);
}

/* ---- words ---- */

static gint64
get_share (gint64 change, gint64 of)
{
  return of > 0 ? (gint64) ((double) change / (double) of * 1000) : SLUICE_NUMBER_NONE;
}

/* "step 60 took 0.41 ms longer than step 74 (+91 %); most of it in conv2/relu: +0.31 ms" */
static char *
dup_sentence (const Comparing *comparing, const char *of, const SluiceTraceComparison *found)
{
  gint64 change = found->length_b - found->length_a;
  g_autofree char *a = sluice_format_step ((gint64) comparing->step_a);
  g_autofree char *number = sluice_format_step ((gint64) comparing->step_b);
  g_autofree char *b =
      of != NULL ? g_strdup_printf (_ ("%s of %s"), number, of) : g_strdup (number);
  g_autofree char *by = sluice_words_duration ((double) ABS (change) / 1000);
  g_autofree char *share =
      sluice_format_fixed (100 * (double) ABS (change) / (double) MAX (found->length_a, 1), 0);
  g_autofree char *took =
      change >= 0 ? g_strdup_printf (_ ("Step %s (B) took %s longer than step %s (A): +%s %%"), b,
                                     by, a, share)
                  : g_strdup_printf (_ ("Step %s (B) took %s less than step %s (A): −%s %%"), b, by,
                                     a, share);
  if (found->nodes->len == 0)
    return g_steal_pointer (&took);
  const SluiceTraceDifference *most = &g_array_index (found->nodes, SluiceTraceDifference, 0);
  g_autofree char *part = sluice_words_duration ((double) ABS (most->b - most->a) / 1000);
  return g_strdup_printf (_ ("%s; %s differs most, by %s%s"), took, most->name,
                          most->b < most->a ? "−" : "+", part);
}

/* ---- what is shown ---- */

static void
compare_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  const Comparing *comparing = g_task_get_task_data (G_TASK (result));
  g_autoptr (SluiceTraceComparison) found = g_task_propagate_pointer (G_TASK (result), NULL);
  if (self->states == NULL || comparing->number != self->n_compared)
    return; /* the page goes, or something else was asked for */
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (SluiceNumbers));
  for (guint i = 0; i < found->nodes->len; i++)
    {
      const SluiceTraceDifference *node = &g_array_index (found->nodes, SluiceTraceDifference, i);
      const SluiceNumbers row = { (char *) node->name,
                                  { node->n_a > 0 ? node->a : SLUICE_NUMBER_NONE,
                                    node->n_b > 0 ? node->b : SLUICE_NUMBER_NONE, node->b - node->a,
                                    get_share (node->b - node->a, node->a) } };
      g_array_append_val (rows, row);
    }
  sluice_number_table_set_rows (self->differences, (const SluiceNumbers *) rows->data, rows->len);
  gboolean is_here = sluice_timeline_page_get_other (self) != 0;
  g_autofree char *words = dup_sentence (comparing, is_here ? NULL : self->other_of, found);
  sluice_timeline_page_say_lower (self, "compare", _ ("Compared"), words, TRUE);
}

/* Over the bars of the step those of the other one, from the same begin. */
static void
show_ghosts (SluiceTimelinePage *self)
{
  const SluiceTraceStep *a =
      self->picture != NULL ? sluice_step_picture_find (self->picture, self->step) : NULL;
  const SluiceTraceStep *b =
      self->other != NULL ? sluice_step_picture_find (self->other, self->other_step) : NULL;
  gboolean is_shown = a != NULL && b != NULL && sluice_timeline_page_is_lower (self, "compare")
                      && sluice_timeline_page_get_other (self) != self->step;
  const SluiceLanesGhosts ghosts = { is_shown ? self->other->view : NULL, is_shown ? b->start : 0,
                                     is_shown ? b->end : 0, is_shown ? a->start - b->start : 0 };
  sluice_lanes_set_ghosts (self->lanes, is_shown ? &ghosts : NULL);
}

void
sluice_timeline_page_show_compared (SluiceTimelinePage *self)
{
  self->n_compared++;
  show_ghosts (self);
  if (!sluice_timeline_page_is_lower (self, "compare"))
    return;
  if (self->other == NULL || self->picture == NULL || self->step == 0)
    {
      sluice_timeline_page_say_lower (
          self, "compare", _ ("Compared"),
          _ ("Click a step with Ctrl, or press c, to compare others with it."), FALSE);
      return;
    }
  if (self->is_live && sluice_timeline_page_is_at_work (self))
    return; /* what moves on nobody reads */
  Comparing *comparing = g_new (Comparing, 1);
  *comparing =
      (Comparing){ sluice_step_picture_ref (self->picture), sluice_step_picture_ref (self->other),
                   self->step, self->other_step, self->n_compared };
  g_autoptr (GTask) task = g_task_new (self, NULL, compare_done, NULL);
  g_task_set_task_data (task, comparing, comparing_free);
  g_task_run_in_thread (task, compare_in_worker);
}

/* ---- the other one ---- */

void
sluice_timeline_page_drop_other (SluiceTimelinePage *self)
{
  sluice_lanes_set_ghosts (self->lanes, NULL);
  g_clear_pointer (&self->other, sluice_step_picture_unref);
  g_clear_pointer (&self->other_of, g_free);
  self->other_step = 0;
}

/* Of the trace that is shown, of which there may be a later picture by now. */
guint64
sluice_timeline_page_get_other (SluiceTimelinePage *self)
{
  const SluiceTraceStep *then =
      self->other != NULL ? sluice_step_picture_find (self->other, self->other_step) : NULL;
  const SluiceTraceStep *now =
      then != NULL ? sluice_step_picture_find (self->picture, self->other_step) : NULL;
  return now != NULL && now->start == then->start ? now->step : 0;
}

void
sluice_timeline_page_set_other (SluiceTimelinePage *self, guint64 step)
{
  if (self->picture == NULL || sluice_step_picture_find (self->picture, step) == NULL)
    return;
  gboolean is_same = sluice_timeline_page_get_other (self) == step;
  sluice_timeline_page_touch (self);
  self->other_wanted = self->picture->is_wide ? 0 : step;
  if (self->other_wanted != 0)
    return; /* it has not the spans of all of its steps */
  sluice_timeline_page_drop_other (self);
  if (!is_same)
    {
      self->other = sluice_step_picture_ref (self->picture);
      self->other_step = step;
      self->other_of = self->file != NULL
                           ? g_path_get_basename (self->file)
                           : g_strdup (sluice_run_controller_get_run_name (self->controller));
    }
  sluice_timeline_page_set_lower (self, "compare");
  sluice_timeline_page_show_bars (self);
  sluice_timeline_page_show_compared (self);
}

static void
name_chosen_cb (SluiceTimelinePage *self, const char *name)
{
  guint64 span = sluice_step_picture_find_span (self->picture, name, self->step, 0);
  if (span != SLUICE_SPAN_NONE)
    sluice_timeline_page_select_span (self, span);
}

GtkWidget *
sluice_timeline_page_make_compared (SluiceTimelinePage *self)
{
  self->differences = SLUICE_NUMBER_TABLE (sluice_number_table_new (
      _ ("What differs between the steps"), columns, G_N_ELEMENTS (columns), 2));
  g_signal_connect_swapped (self->differences, "name-chosen", G_CALLBACK (name_chosen_cb), self);
  gtk_widget_set_vexpand (GTK_WIDGET (self->differences), TRUE);
  return GTK_WIDGET (self->differences);
}
