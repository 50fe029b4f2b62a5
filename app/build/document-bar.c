/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/document-bar.h"

#include <glib/gi18n.h>

#include "app/build/compare-dialog.h"
#include "app/failure-words.h"

struct _SluiceDocumentBar
{
  GtkWidget parent;
  GtkRevealer *revealer;
  GtkLabel *label;
  GtkBox *buttons;
  GtkWidget *progress, *dismiss;
  gboolean is_pasting;      /* is shown, instead of news */
  SluiceDocument *document; /* (nullable): before the page has one */
};

G_DEFINE_FINAL_TYPE (SluiceDocumentBar, sluice_document_bar, GTK_TYPE_WIDGET)

/* window: that the bar stands in */
typedef gboolean (*Answer) (SluiceDocument *document, GtkWindow *window, GError **error);

static gboolean
drop_recovered (SluiceDocument *document, GtkWindow *window, GError **error)
{
  return sluice_document_drop_recovered (document, error);
}

static gboolean
merge (SluiceDocument *document, GtkWindow *window, GError **error)
{
  return sluice_document_merge (document, error);
}

static gboolean
compare (SluiceDocument *document, GtkWindow *window, GError **error)
{
  GtkWidget *dialog = sluice_compare_dialog_new_with_file (document, window, error);
  if (dialog == NULL)
    return FALSE;
  gtk_window_present (GTK_WINDOW (dialog));
  return TRUE;
}

static gboolean
reload (SluiceDocument *document, GtkWindow *window, GError **error)
{
  return sluice_document_reload (document, error);
}

static gboolean
keep_own (SluiceDocument *document, GtkWindow *window, GError **error)
{
  return sluice_document_keep_own (document, error);
}

/* What can be done about news, in the order of the buttons. */
static const struct
{
  SluiceDocumentNews news;
  const char *label, *tooltip;
  Answer answer;
} answers[] = {
  { SLUICE_NEWS_RECOVERED, N_ ("Drop Them"), N_ ("Undo what was not saved; Redo brings it back"),
    drop_recovered },
  { SLUICE_NEWS_CHANGED, N_ ("Merge"),
    N_ ("Do to this graph what the other program did to the file"), merge },
  { SLUICE_NEWS_CHANGED, N_ ("Compare…"),
    N_ ("Show both graphs in one picture, and choose node by node"), compare },
  { SLUICE_NEWS_CHANGED, N_ ("Reload"),
    N_ ("Show what the file holds; what you did since the last save is put aside"), reload },
  { SLUICE_NEWS_CHANGED, N_ ("Keep Mine"),
    N_ ("Leave out what the other program did; saving writes over it"), keep_own },
};

static void
answer_cb (SluiceDocumentBar *self, GtkWidget *button)
{
  guint i = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "answer"));
  g_autoptr (GError) error = NULL;
  /* The answer may close the document, and the bar forget it. */
  g_autoptr (SluiceDocument) document = g_object_ref (self->document);
  if (answers[i].answer (document, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), &error))
    return;
  g_autofree char *words = sluice_failure_words (error);
  gtk_label_set_label (self->label, words);
}

static void
add_button (SluiceDocumentBar *self, guint i)
{
  GtkWidget *button = gtk_button_new_with_label (_ (answers[i].label));
  gtk_widget_set_tooltip_text (button, _ (answers[i].tooltip));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  g_object_set_data (G_OBJECT (button), "answer", GUINT_TO_POINTER (i));
  g_signal_connect_object (button, "clicked", G_CALLBACK (answer_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (self->buttons, button);
}

static void
remove_buttons (SluiceDocumentBar *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->buttons))) != NULL)
    gtk_box_remove (self->buttons, child);
}

static void
news_cb (SluiceDocumentBar *self)
{
  const char *words;
  SluiceDocumentNews news = sluice_document_get_news (self->document, &words);
  if (self->is_pasting)
    return;
  remove_buttons (self);
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    if (answers[i].news == news)
      add_button (self, i);
  gtk_label_set_label (self->label, words);
  gtk_revealer_set_reveal_child (self->revealer, news != SLUICE_NEWS_NONE);
}

/* ---- a paste under way ---- */

static void
show_pasting (SluiceDocumentBar *self, gboolean is_pasting)
{
  self->is_pasting = is_pasting;
  gtk_widget_set_visible (self->progress, is_pasting);
  gtk_widget_set_visible (self->dismiss, !is_pasting);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "document.cancel-paste", is_pasting);
  if (!is_pasting)
    {
      news_cb (self);
      return;
    }
  remove_buttons (self);
  GtkWidget *button = gtk_button_new_with_label (_ ("Cancel"));
  gtk_widget_set_tooltip_text (button, _ ("Leave the graph as it was (Esc)"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "document.cancel-paste");
  gtk_box_append (self->buttons, button);
  gtk_label_set_label (self->label, _ ("Nodes are being pasted."));
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
}

static void
pasting_cb (SluiceDocumentBar *self)
{
  double progress;
  guint n_nodes;
  gboolean is_pasting = sluice_document_get_paste (self->document, &progress, &n_nodes);
  if (is_pasting != self->is_pasting)
    show_pasting (self, is_pasting);
  if (is_pasting)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), progress);
}

static void
cancel_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_document_cancel_paste (SLUICE_DOCUMENT_BAR (widget)->document);
}

static gboolean
escape_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return SLUICE_DOCUMENT_BAR (widget)->is_pasting
         && gtk_widget_activate_action (widget, "document.cancel-paste", NULL);
}

/* Wherever the focus is, before anybody else has it. */
static void
add_escape (SluiceDocumentBar *self)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();
  gtk_shortcut_controller_set_scope (GTK_SHORTCUT_CONTROLLER (keys), GTK_SHORTCUT_SCOPE_GLOBAL);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Escape, 0),
                        gtk_callback_action_new (escape_cb, NULL, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

/* ---- life ---- */

void
sluice_document_bar_set_document (SluiceDocumentBar *self, SluiceDocument *document)
{
  g_set_object (&self->document, document);
  g_signal_connect_object (document, "news", G_CALLBACK (news_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "pasting", G_CALLBACK (pasting_cb), self, G_CONNECT_SWAPPED);
  news_cb (self);
}

static void
dismiss_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_document_dismiss_news (SLUICE_DOCUMENT_BAR (widget)->document);
}

static void
sluice_document_bar_dispose (GObject *object)
{
  SluiceDocumentBar *self = SLUICE_DOCUMENT_BAR (object);
  g_clear_object (&self->document);
  g_clear_pointer ((GtkWidget **) &self->revealer, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_document_bar_parent_class)->dispose (object);
}

static void
sluice_document_bar_class_init (SluiceDocumentBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_document_bar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/sluice/Workbench/document-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceDocumentBar, revealer);
  gtk_widget_class_bind_template_child (widget_class, SluiceDocumentBar, label);
  gtk_widget_class_bind_template_child (widget_class, SluiceDocumentBar, buttons);
  gtk_widget_class_bind_template_child (widget_class, SluiceDocumentBar, progress);
  gtk_widget_class_bind_template_child (widget_class, SluiceDocumentBar, dismiss);
  gtk_widget_class_install_action (widget_class, "document.cancel-paste", NULL, cancel_action);
  gtk_widget_class_install_action (widget_class, "document.dismiss", NULL, dismiss_action);
}

static void
sluice_document_bar_init (SluiceDocumentBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "document.cancel-paste", FALSE);
  add_escape (self);
}
