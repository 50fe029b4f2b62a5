/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/proof-box.h"

#include <glib/gi18n.h>

#include "app/reproduce-actions.h"
#include "engine/train/run-file.h"

struct _SluiceProofBox
{
  GtkBox parent;
  GtkLabel *said;
  GtkButton *ask;
  SluiceStore *store;
  gint64 run;
  GActionGroup *window; /* (nullable): as long as it is mapped */
};

G_DEFINE_FINAL_TYPE (SluiceProofBox, sluice_proof_box, GTK_TYPE_BOX)

/* ---- what is known, on a worker ---- */

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (data);
  g_task_return_pointer (
      task, file != NULL && file->proof != NULL ? sluice_run_proof_dup_badge (file->proof) : NULL,
      g_free);
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceProofBox *self = SLUICE_PROOF_BOX (object);
  g_autofree char *badge = g_task_propagate_pointer (G_TASK (result), NULL);
  gtk_label_set_label (self->said,
                       badge != NULL ? badge : _ ("Nobody has trained this run again so far."));
}

static void
read_badge (SluiceProofBox *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, read_done, NULL);
  g_task_set_task_data (task, sluice_store_dup_run_folder (self->store, self->run), g_free);
  g_task_run_in_thread (task, read_in_worker);
}

/* ---- what is under way ---- */

static void
renew (SluiceProofBox *self)
{
  g_autoptr (GVariant) state =
      g_action_group_get_action_state (self->window, SLUICE_REPRODUCE_ACTION);
  gint64 under_way = state != NULL ? g_variant_get_int64 (state) : 0;
  gboolean is_this = under_way == self->run;
  gtk_button_set_label (self->ask, is_this ? _ ("Cancel") : _ ("Reproduce"));
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->ask), "x", is_this ? 0 : self->run);
  gtk_widget_set_sensitive (GTK_WIDGET (self->ask), is_this || under_way == 0);
  if (is_this)
    gtk_label_set_label (self->said, _ ("It is trained again, and every value is compared…"));
  else
    read_badge (self);
}

static void
mapped_cb (SluiceProofBox *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  if (!G_IS_ACTION_GROUP (root))
    return;
  self->window = G_ACTION_GROUP (root);
  g_signal_connect_object (self->window, "action-state-changed::" SLUICE_REPRODUCE_ACTION,
                           G_CALLBACK (renew), self, G_CONNECT_SWAPPED);
  renew (self);
}

static void
unmapped_cb (SluiceProofBox *self)
{
  if (self->window != NULL)
    g_signal_handlers_disconnect_by_func (self->window, renew, self);
  self->window = NULL;
}

/* ---- life ---- */

static void
sluice_proof_box_dispose (GObject *object)
{
  unmapped_cb (SLUICE_PROOF_BOX (object));
  g_clear_object (&SLUICE_PROOF_BOX (object)->store);
  G_OBJECT_CLASS (sluice_proof_box_parent_class)->dispose (object);
}

static void
sluice_proof_box_class_init (SluiceProofBoxClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_proof_box_dispose;
}

static void
sluice_proof_box_init (SluiceProofBox *self)
{
  self->said = GTK_LABEL (gtk_label_new (NULL));
  self->ask = GTK_BUTTON (gtk_button_new_with_label (_ ("Reproduce")));
  gtk_label_set_xalign (self->said, 0);
  gtk_label_set_wrap (self->said, TRUE);
  gtk_label_set_wrap_mode (self->said, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (self->said, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->said), "dim-label");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->ask), "x", (gint64) 0);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->ask), "win." SLUICE_REPRODUCE_ACTION);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->said));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->ask));
  g_signal_connect (self, "map", G_CALLBACK (mapped_cb), NULL);
  g_signal_connect (self, "unmap", G_CALLBACK (unmapped_cb), NULL);
}

GtkWidget *
sluice_proof_box_new (SluiceStore *store, gint64 run)
{
  SluiceProofBox *self = g_object_new (SLUICE_TYPE_PROOF_BOX, "orientation",
                                       GTK_ORIENTATION_VERTICAL, "spacing", 6, NULL);
  self->store = g_object_ref (store);
  self->run = run;
  return GTK_WIDGET (self);
}
