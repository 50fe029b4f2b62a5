/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/window-private.h"

#include "app/failure-words.h"
#include "engine/base/error.h"

/* Failures, where they happened: a bar over the pages. */

/* node: (nullable): where it happened */
static void
show_failure_of (SluiceWindow *self, const char *failure, const char *node)
{
  SluiceGraph *graph = sluice_graph_page_get_graph (self->graph_page);
  gboolean is_drawn = node != NULL && graph != NULL && sluice_graph_find (graph, node) != NULL;
  if (failure != NULL)
    gtk_label_set_label (self->failure_label, failure);
  gtk_widget_set_visible (GTK_WIDGET (self->failure_show), is_drawn);
  if (is_drawn)
    gtk_actionable_set_action_target (GTK_ACTIONABLE (self->failure_show), "s", node);
  gtk_widget_set_visible (GTK_WIDGET (self->failure_accept), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->failure_workspace), FALSE);
  gtk_widget_set_visible (self->failure_memory, FALSE);
  gtk_revealer_set_reveal_child (self->failure_revealer, failure != NULL);
}

void
sluice_window_show_failure (SluiceWindow *self, const char *failure)
{
  show_failure_of (self, failure, NULL);
}

/* Another window may have trained the run. */
void
sluice_window_show_failed_node (SluiceWindow *self)
{
  g_autoptr (GError) of_front = sluice_run_set_dup_failure (self->shown);
  sluice_graph_page_set_failure (
      self->graph_page,
      of_front != NULL ? of_front : sluice_run_controller_get_failure (self->controller));
}

/* Did the last run end for lack of it, and is known who held it? */
static gboolean
lacked_memory (SluiceWindow *self)
{
  const GError *failure = sluice_run_controller_get_failure (self->controller);
  g_autoptr (GPtrArray) tapes = sluice_run_controller_dup_memory (self->controller);
  return g_error_matches (failure, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED) && tapes != NULL
         && tapes->len > 0;
}

void
sluice_window_show_end (SluiceWindow *self)
{
  const GError *failure = sluice_run_controller_get_failure (self->controller);
  g_autofree char *words = failure != NULL ? sluice_failure_words (failure) : NULL;
  sluice_window_show_failed_node (self);
  show_failure_of (self, words, failure != NULL ? sluice_error_get_place (failure).node : NULL);
  gtk_widget_set_visible (self->failure_memory, lacked_memory (self));
  gtk_widget_set_visible (GTK_WIDGET (self->failure_accept),
                          sluice_run_controller_has_changed_data (self->controller));
}
