/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is ticked in the table: predicted, applied to the run, measured, taken back. */
#include <glib/gi18n.h>

#include "app/memory/memory-private.h"
#include "engine/passes/graph-workload.h"
#include "ui/timeline/memory-draw.h"

/* "7.9 MB at the most and 3.3 ms a step" */
static char *
dup_figures (double bytes, double us)
{
  g_autofree char *size = sluice_memory_format_bytes (bytes);
  g_autofree char *time = sluice_graph_workload_dup_time (us);
  return g_strdup_printf (_ ("%s at the most, %s a step"), size, time);
}

static double
get_peak (const SluiceMemoryPage *self)
{
  const SluiceMemoryView *view = self->shown->view;
  return (double) sluice_memory_view_get_live (view, sluice_memory_view_get_peak (view));
}

/* (transfer full): as predicted, and as measured since */
static char *
dup_applied (SluiceMemoryPage *self)
{
  SluiceProgress progress = { 0 };
  g_autofree char *said = dup_figures (self->fit_bytes, self->fit_us);
  gboolean runs = self->controller != NULL
                  && sluice_run_controller_get_progress (self->controller, &progress)
                  && progress.steps_per_second > 0;
  if (!runs || sluice_memory_view_get_tape (self->shown->view)->step <= self->fit_step)
    return g_strdup_printf (_ ("Applied; predicted: %s; not measured yet"), said);
  g_autofree char *measured = dup_figures (get_peak (self), 1e6 / progress.steps_per_second);
  return g_strdup_printf (_ ("Applied; predicted: %s; measured: %s"), said, measured);
}

/* (transfer full): with what is ticked; n: how many that are */
static char *
dup_predicted (SluiceMemoryPage *self, guint *n)
{
  double bytes, us;
  g_autoptr (GPtrArray) ticked = sluice_memory_table_list_ticked (self->table);
  *n = ticked->len;
  if (self->plan == NULL)
    return g_strdup (_ ("What could be done is not known for this step."));
  if (ticked->len == 0)
    return g_strdup (_ ("Tick what is to be done: the new peak and the new time are predicted."));
  sluice_memory_plan_predict (self->plan, (const SluiceMemoryChoice *const *) ticked->pdata,
                              ticked->len, &bytes, &us);
  double natural_us = sluice_memory_plan_get_natural_us (self->plan);
  g_autofree char *said = dup_figures (bytes, us);
  g_autofree char *natural = dup_figures (get_peak (self), natural_us);
  self->fit_bytes = bytes;
  self->fit_us = us;
  return g_strdup_printf (ngettext ("With %u ticked: %s instead of %s, predicted",
                                    "With %u ticked: %s instead of %s, predicted", ticked->len),
                          ticked->len, said, natural);
}

void
sluice_memory_page_tell_fit (SluiceMemoryPage *self)
{
  guint n = 0;
  if (self->shown == NULL)
    return;
  g_autofree char *words = self->is_applied ? dup_applied (self) : dup_predicted (self, &n);
  gtk_label_set_label (self->fit_words, words);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->fit_words), words);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "memory.apply", n > 0 && !self->is_applied);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "memory.take-back", self->is_applied);
}

/* Of the run under way. bytes 0: no limit */
static void
refit (SluiceMemoryPage *self, double bytes)
{
  g_autoptr (SluiceTrainer) trainer = sluice_run_controller_dup_trainer (self->controller);
  if (trainer != NULL)
    sluice_trainer_refit (trainer, (gsize) bytes, sluice_memory_plan_get_slack (self->plan));
}

void
sluice_memory_page_apply (SluiceMemoryPage *self)
{
  guint n;
  if (self->shown == NULL || self->plan == NULL || self->controller == NULL || self->is_applied)
    return;
  g_autofree char *words = dup_predicted (self, &n);
  if (n == 0)
    return;
  self->is_applied = TRUE;
  self->fit_step = sluice_memory_view_get_tape (self->shown->view)->step;
  refit (self, self->fit_bytes);
  sluice_memory_page_set_live (self, TRUE);
  sluice_memory_page_tell_fit (self);
}

void
sluice_memory_page_take_back (SluiceMemoryPage *self)
{
  if (!self->is_applied || self->plan == NULL || self->controller == NULL)
    return;
  self->is_applied = FALSE;
  refit (self, 0);
  sluice_memory_page_tell_fit (self);
}

static GtkWidget *
make_button (const char *label, const char *action, const char *tip)
{
  GtkWidget *button = gtk_button_new_with_label (label);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tip);
  return button;
}

GtkWidget *
sluice_memory_page_make_fit (SluiceMemoryPage *self)
{
  GtkWidget *bar = self->fit_bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  self->fit_words = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->fit_words, 0);
  gtk_label_set_ellipsize (self->fit_words, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (GTK_WIDGET (self->fit_words), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->fit_words), "numeric");
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (self->fit_words));
  gtk_box_append (GTK_BOX (bar), make_button (_ ("Take back"), "memory.take-back",
                                              _ ("Steps are as before again (U)")));
  gtk_box_append (GTK_BOX (bar),
                  make_button (_ ("Apply and measure"), "memory.apply",
                               _ ("The next steps fit into the predicted peak, with the same "
                                  "numbers, and are measured (A)")));
  gtk_widget_add_css_class (bar, "memory-fit");
  return bar;
}
