/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/match-box.h"

#include <glib/gi18n.h>

#include "app/divergence-words.h"
#include "app/failure-words.h"
#include "engine/train/loss-match.h"
#include "ui/chart/ticks.h"

#define N_BATCHES 10

struct _SluiceMatchBox
{
  GtkBox parent;
  GtkLabel *said;
  GtkButton *ask, *show;
  char *folders[2];          /* (nullable): of the runs */
  GCancellable *cancellable; /* (nullable): at work */
};

G_DEFINE_FINAL_TYPE (SluiceMatchBox, sluice_match_box, GTK_TYPE_BOX)

typedef struct
{
  char *folders[2];
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  g_free (self->folders[0]);
  g_free (self->folders[1]);
  g_free (self);
}

/* ---- in words ---- */

/* (transfer full) */
static char *
dup_words (const SluiceLossMatch *found)
{
  guint n = found->losses->len;
  const SluiceLossPair *last = &g_array_index (found->losses, SluiceLossPair, n - 1);
  g_autofree char *op = found->first != NULL ? sluice_divergence_words (found->first) : NULL;
  g_autofree char *first = sluice_format_value (last->first, SLUICE_UNIT_NONE);
  g_autofree char *second = sluice_format_value (last->second, SLUICE_UNIT_NONE);
  g_autofree char *losses =
      found->equal ? g_strdup_printf (ngettext ("The losses are the same on %u batch.",
                                                "The losses are the same on %u batches.", n),
                                      n)
                   : g_strdup_printf (_ ("Batch %u has the loss %s and %s."), n, first, second);
  return op != NULL ? g_strconcat (losses, " ", op, NULL) : g_steal_pointer (&losses);
}

static void
say (SluiceMatchBox *self, const char *words, const char *node)
{
  gtk_label_set_label (self->said, words);
  gtk_widget_set_visible (GTK_WIDGET (self->show), node != NULL);
  if (node != NULL)
    {
      gtk_actionable_set_action_target (GTK_ACTIONABLE (self->show), "s", node);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (self->show), "win.select");
    }
  gtk_widget_set_sensitive (GTK_WIDGET (self->ask), self->cancellable == NULL);
}

/* ---- on a worker ---- */

static void
match_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  const SluiceLossMatchOptions options = { .n_batches = N_BATCHES, .cancellable = cancellable };
  GError *error = NULL;
  g_autoptr (SluiceProject) first = sluice_project_load (question->folders[0], &error);
  g_autoptr (SluiceProject) second =
      first != NULL ? sluice_project_load (question->folders[1], &error) : NULL;
  SluiceLossMatch *found =
      second != NULL ? sluice_loss_match (first, second, &options, &error) : NULL;
  if (found != NULL)
    g_task_return_pointer (task, found, (GDestroyNotify) sluice_loss_match_free);
  else
    g_task_return_error (task, error);
}

static void
matched (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceMatchBox *self = SLUICE_MATCH_BOX (object);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceLossMatch) found = g_task_propagate_pointer (G_TASK (result), &error);
  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return; /* of other runs */
  g_clear_object (&self->cancellable);
  g_autofree char *words = found != NULL ? dup_words (found) : sluice_failure_words (error);
  say (self, words, found != NULL && found->first != NULL ? found->first->node : NULL);
}

static void
ask_cb (SluiceMatchBox *self)
{
  Question *question = g_new (Question, 1);
  question->folders[0] = g_strdup (self->folders[0]);
  question->folders[1] = g_strdup (self->folders[1]);
  self->cancellable = g_cancellable_new ();
  say (self, _ ("The same batches go through both…"), NULL);
  g_autoptr (GTask) task = g_task_new (self, self->cancellable, matched, NULL);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, match_in_worker);
}

/* ---- life ---- */

static void
give_up (SluiceMatchBox *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->folders[0], g_free);
  g_clear_pointer (&self->folders[1], g_free);
}

void
sluice_match_box_show (SluiceMatchBox *self, SluiceStore *store, gint64 first, gint64 second)
{
  give_up (self);
  self->folders[0] = sluice_store_dup_run_folder (store, first);
  self->folders[1] = sluice_store_dup_run_folder (store, second);
  say (self, _ ("The losses of both on the same batches, and the first op that differs"), NULL);
}

static void
sluice_match_box_dispose (GObject *object)
{
  give_up (SLUICE_MATCH_BOX (object));
  G_OBJECT_CLASS (sluice_match_box_parent_class)->dispose (object);
}

static void
sluice_match_box_class_init (SluiceMatchBoxClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_match_box_dispose;
}

static void
sluice_match_box_init (SluiceMatchBox *self)
{
  GtkBox *box = GTK_BOX (self);
  GtkWidget *heading = gtk_label_new (_ ("With learning off"));
  self->said = GTK_LABEL (gtk_label_new (NULL));
  self->ask = GTK_BUTTON (gtk_button_new_with_label (_ ("Compare the losses")));
  self->show = GTK_BUTTON (gtk_button_new_with_label (_ ("Show in graph")));
  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_label_set_xalign (self->said, 0);
  gtk_label_set_wrap (self->said, TRUE);
  gtk_label_set_wrap_mode (self->said, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (self->said, TRUE);
  gtk_widget_add_css_class (heading, "heading");
  gtk_widget_add_css_class (GTK_WIDGET (self->said), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self), "diff-heading");
  g_signal_connect_object (self->ask, "clicked", G_CALLBACK (ask_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (box, heading);
  gtk_box_append (box, GTK_WIDGET (self->said));
  gtk_box_append (box, GTK_WIDGET (self->ask));
  gtk_box_append (box, GTK_WIDGET (self->show));
  gtk_widget_set_visible (GTK_WIDGET (self->show), FALSE);
}

GtkWidget *
sluice_match_box_new (void)
{
  return g_object_new (SLUICE_TYPE_MATCH_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 4,
                       NULL);
}
