/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/history-list.h"

#include <glib/gi18n.h>

/* ---- the commands as a list: one is made when its row comes into sight ---- */

#define HEIGHT 150

#define SLUICE_TYPE_HISTORY (sluice_history_get_type ())
G_DECLARE_FINAL_TYPE (SluiceHistory, sluice_history, SLUICE, HISTORY, GObject)

struct _SluiceHistory
{
  GObject parent;
  SluiceDocument *document; /* borrowed: it outlives the list */
  guint n, n_done;          /* as the list's followers know it */
};

static void init_model (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceHistory,
                               sluice_history,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, init_model))

static GType
get_item_type (GListModel *model)
{
  return GTK_TYPE_STRING_OBJECT;
}

static guint
get_n_items (GListModel *model)
{
  return SLUICE_HISTORY (model)->n;
}

static gpointer
get_item (GListModel *model, guint i)
{
  SluiceHistory *self = SLUICE_HISTORY (model);
  SluiceCommandStack *stack = sluice_document_get_stack (self->document);
  return i < self->n ? gtk_string_object_new (sluice_command_stack_get_words (stack, i)) : NULL;
}

static void
init_model (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
sluice_history_class_init (SluiceHistoryClass *klass)
{
}

static void
sluice_history_init (SluiceHistory *self)
{
}

/* What is another command now, or done where it was not, or the other way round: all from the
 * first of these on, for a command that is done ends those that were undone. */
static void
history_update (SluiceHistory *self)
{
  SluiceCommandStack *stack = sluice_document_get_stack (self->document);
  guint n_done = stack != NULL ? sluice_command_stack_get_n_undo (stack) : 0;
  guint n = stack != NULL ? n_done + sluice_command_stack_get_n_redo (stack) : 0;
  guint from = MIN (MIN (n_done, self->n_done), MIN (n, self->n));
  guint n_before = self->n;
  from -= from > 0; /* the one that was the last is no more */
  self->n = n;
  self->n_done = n_done;
  g_list_model_items_changed (G_LIST_MODEL (self), from, n_before - from, n - from);
}

static void
history_begin_anew (SluiceHistory *self)
{
  guint n_before = self->n;
  self->n = self->n_done = 0;
  g_list_model_items_changed (G_LIST_MODEL (self), 0, n_before, 0);
  history_update (self);
}

/* ---- the widget ---- */

struct _SluiceHistoryList
{
  GtkWidget parent;
  GtkWidget *scroller, *list;
  SluiceHistory *history;
};

G_DEFINE_FINAL_TYPE (SluiceHistoryList, sluice_history_list, GTK_TYPE_WIDGET)

enum
{
  CHOSEN,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

static void
setup_cb (SluiceHistoryList *self, GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *mark = gtk_label_new (NULL), *words = gtk_label_new (NULL);
  GtkWidget *state = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (words), 0);
  gtk_label_set_ellipsize (GTK_LABEL (words), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (words, TRUE);
  gtk_widget_add_css_class (state, "dim-label");
  gtk_widget_add_css_class (state, "history-state");
  gtk_box_append (GTK_BOX (box), mark);
  gtk_box_append (GTK_BOX (box), words);
  gtk_box_append (GTK_BOX (box), state);
  gtk_list_item_set_child (item, box);
}

static void
set_class (GtkWidget *widget, const char *name, gboolean is)
{
  if (is)
    gtk_widget_add_css_class (widget, name);
  else
    gtk_widget_remove_css_class (widget, name);
}

static void
bind_cb (SluiceHistoryList *self, GtkListItem *item)
{
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkWidget *mark = gtk_widget_get_first_child (box);
  GtkWidget *words = gtk_widget_get_next_sibling (mark);
  GtkWidget *state = gtk_widget_get_next_sibling (words);
  guint i = gtk_list_item_get_position (item), n_done = self->history->n_done;
  const char *text = gtk_string_object_get_string (gtk_list_item_get_item (item));
  gtk_label_set_label (GTK_LABEL (mark), i < n_done ? "●" : "○");
  gtk_label_set_label (GTK_LABEL (words), text);
  gtk_widget_set_tooltip_text (words, text);
  gtk_label_set_label (GTK_LABEL (state), i >= n_done       ? _ ("undone")
                                          : i + 1 == n_done ? _ ("now")
                                                            : "");
  set_class (box, "history-now", i + 1 == n_done);
  set_class (words, "dim-label", i >= n_done);
}

static void
activate_cb (SluiceHistoryList *self, guint position)
{
  g_signal_emit (self, signals[CHOSEN], 0, position + 1);
}

/* The command that is done last stays in sight. */
static void
show_now (SluiceHistoryList *self)
{
  if (self->history->n_done > 0)
    gtk_widget_activate_action (self->list, "list.scroll-to-item", "u", self->history->n_done - 1);
}

static void
changed_cb (SluiceHistoryList *self)
{
  history_update (self->history);
  show_now (self);
}

static void
opened_cb (SluiceHistoryList *self)
{
  history_begin_anew (self->history);
}

void
sluice_history_list_set_document (SluiceHistoryList *self, SluiceDocument *document)
{
  self->history->document = document;
  g_signal_connect_object (document, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "opened", G_CALLBACK (opened_cb), self, G_CONNECT_SWAPPED);
  opened_cb (self);
}

static void
sluice_history_list_dispose (GObject *object)
{
  SluiceHistoryList *self = SLUICE_HISTORY_LIST (object);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  g_clear_object (&self->history);
  G_OBJECT_CLASS (sluice_history_list_parent_class)->dispose (object);
}

static void
sluice_history_list_class_init (SluiceHistoryListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_history_list_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  signals[CHOSEN] = g_signal_new ("chosen", SLUICE_TYPE_HISTORY_LIST, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
sluice_history_list_init (SluiceHistoryList *self)
{
  self->history = g_object_new (SLUICE_TYPE_HISTORY, NULL);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_signal_connect_swapped (factory, "setup", G_CALLBACK (setup_cb), self);
  g_signal_connect_swapped (factory, "bind", G_CALLBACK (bind_cb), self);
  self->list = gtk_list_view_new (
      GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->history)))),
      factory);
  gtk_list_view_set_single_click_activate (GTK_LIST_VIEW (self->list), TRUE);
  gtk_widget_add_css_class (self->list, "history-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("History of commands"), -1);
  g_signal_connect_swapped (self->list, "activate", G_CALLBACK (activate_cb), self);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  /* As tall whether it holds much or nothing: what stands above it does not move. */
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (self->scroller), HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), self->list);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}
