/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/search/search-box.h"

#include <glib/gi18n.h>

#include "app/page.h"
#include "ui/chart/ticks.h"
#include "ui/common/card.h"
#include "ui/common/widget.h"

/* In one turn of the main loop: rows that are made, each of which takes some 0.15 ms, and things
 * that are looked at, each some 0.001 ms. */
#define ROWS_AT_ONCE 16
#define LOOK_AT_ONCE 8192

struct _SluiceSearchBox
{
  GtkWidget parent;
  GtkSearchEntry *entry;
  GtkPopover *popover;
  GtkLabel *summary, *problem;
  GtkScrolledWindow *scroller;
  GtkListView *list;

  SluiceHits hits;
  SluiceQuery *query; /* (nullable): what is looked for */
  guint search_source;
  int steps;          /* asked for before anything was found: 1 or -1 */
  GListStore *listed; /* of SluiceHit: the first of them, then all */
  guint list_source;
  char *searched; /* what they are of */
  GtkSingleSelection *selection;
  GtkWidget *focus_before; /* (nullable), weak */
  SluiceHit *back;         /* (nullable): the card that had it, which a search may put away */
};

G_DEFINE_FINAL_TYPE (SluiceSearchBox, sluice_search_box, GTK_TYPE_WIDGET)

enum
{
  SEARCH,
  SHOW,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

static void
set_focus_before (SluiceSearchBox *self, GtkWidget *widget)
{
  GtkWidget *card = widget != NULL ? gtk_widget_get_ancestor (widget, SLUICE_TYPE_CARD) : NULL;
  GtkWidget *page = card != NULL ? gtk_widget_get_ancestor (card, SLUICE_TYPE_PAGE) : NULL;
  g_clear_object (&self->back);
  if (page != NULL)
    self->back =
        sluice_hit_new (G_OBJECT (page), NULL, sluice_card_get_title (SLUICE_CARD (card)), NULL);
  g_set_weak_pointer (&self->focus_before, widget);
}

/* "3 of 14"; "14 found" where none is chosen. */
static void
show_summary (SluiceSearchBox *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  guint at = gtk_single_selection_get_selected (self->selection);
  g_autofree char *n = sluice_format_step (self->hits.n);
  g_autofree char *summary = NULL;
  if (!self->hits.is_done)
    summary = g_strdup_printf (ngettext ("%s found so far…", "%s found so far…", self->hits.n), n);
  else if (self->hits.n == 0)
    summary = g_strdup_printf (_ ("Nothing is called “%s”"), text);
  else if (at != GTK_INVALID_LIST_POSITION)
    {
      g_autofree char *number = sluice_format_step (at + 1);
      summary = g_strdup_printf (_ ("%s of %s"), number, n);
    }
  else
    summary = g_strdup_printf (ngettext ("%s found", "%s found", self->hits.n), n);
  if (self->hits.n > SLUICE_MAX_HITS)
    {
      g_autofree char *shown = sluice_format_step (SLUICE_MAX_HITS);
      g_autofree char *longer = g_strdup_printf (_ ("%s; the first %s are listed"), summary, shown);
      g_free (summary);
      summary = g_steal_pointer (&longer);
    }
  gtk_label_set_label (self->summary, summary);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  summary, -1);
}

static void
list_hits (SluiceSearchBox *self, guint n)
{
  guint there = g_list_model_get_n_items (G_LIST_MODEL (self->listed));
  n = MIN (n, self->hits.found->len - there);
  if (n > 0)
    g_list_store_splice (self->listed, there, 0, self->hits.found->pdata + there, n);
}

static gboolean
list_cb (gpointer data)
{
  SluiceSearchBox *self = data;
  list_hits (self, ROWS_AT_ONCE);
  if (g_list_model_get_n_items (G_LIST_MODEL (self->listed)) < self->hits.found->len)
    return G_SOURCE_CONTINUE;
  self->list_source = 0;
  return G_SOURCE_REMOVE;
}

/* All of them, for who walks on. */
static void
list_rest (SluiceSearchBox *self)
{
  g_clear_handle_id (&self->list_source, g_source_remove);
  list_hits (self, self->hits.found->len);
}

/* Looks at some more. */
static void
look (SluiceSearchBox *self)
{
  self->hits.budget = LOOK_AT_ONCE;
  g_signal_emit (self, signals[SEARCH], 0, self->query, &self->hits);
  if (g_list_model_get_n_items (G_LIST_MODEL (self->listed)) == 0)
    list_hits (self, ROWS_AT_ONCE);
  if (self->list_source == 0
      && g_list_model_get_n_items (G_LIST_MODEL (self->listed)) < self->hits.found->len)
    self->list_source = g_idle_add (list_cb, self);
  gtk_widget_set_visible (GTK_WIDGET (self->scroller), self->hits.n > 0);
  if (!sluice_query_is_empty (self->query))
    show_summary (self);
}

static gboolean
look_cb (gpointer data)
{
  SluiceSearchBox *self = data;
  look (self);
  gboolean is_done = self->hits.is_done;
  if (is_done)
    self->search_source = 0;
  if (self->steps != 0 && self->hits.found->len > 0)
    sluice_search_box_step (self, self->steps); /* which may begin another search */
  return is_done ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static void
begin_search (SluiceSearchBox *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  g_clear_pointer (&self->query, sluice_query_free);
  self->query = sluice_query_new (text);
  g_free (self->searched);
  self->searched = g_strdup (sluice_query_get_text (self->query));
  g_clear_handle_id (&self->list_source, g_source_remove);
  g_clear_handle_id (&self->search_source, g_source_remove);
  g_list_store_remove_all (self->listed);
  g_ptr_array_set_size (self->hits.found, 0);
  self->hits = (SluiceHits){ .found = self->hits.found };
  self->steps = 0;
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
}

/* A few thousand things at once; of more, some in each turn. */
static void
search (SluiceSearchBox *self)
{
  begin_search (self);
  const char *problem = sluice_query_get_problem (self->query);
  gtk_label_set_label (self->problem, problem != NULL ? problem : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), problem != NULL);
  look (self);
  if (sluice_query_is_empty (self->query))
    {
      self->hits.is_done = TRUE;
      gtk_label_set_label (self->summary, "");
      gtk_popover_popdown (self->popover);
    }
  else if (gtk_widget_get_mapped (GTK_WIDGET (self->entry)))
    gtk_popover_popup (self->popover);
  if (!self->hits.is_done)
    self->search_source = g_idle_add (look_cb, self);
}

/* The entry tells what was typed a moment later: that may have been looked for already. */
static void
changed_cb (SluiceSearchBox *self)
{
  if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (self->entry)), self->searched) != 0)
    search (self);
}

/* The text in the field that has the keyboard. */
static GtkText *
get_text_widget (SluiceSearchBox *self)
{
  return GTK_TEXT (gtk_editable_get_delegate (GTK_EDITABLE (self->entry)));
}

/* A page may give the focus to what it shows; who walks on by keys from the field keeps it. */
static void
show_at (SluiceSearchBox *self, guint at)
{
  gboolean typing = gtk_widget_has_focus (GTK_WIDGET (get_text_widget (self)));
  g_autoptr (SluiceHit) hit = g_object_ref (self->hits.found->pdata[at]);
  if (at >= g_list_model_get_n_items (G_LIST_MODEL (self->listed)))
    list_rest (self);
  gtk_single_selection_set_selected (self->selection, at);
  /* GTK 4.8 scrolls only a list that has had its size. */
  if (gtk_widget_get_mapped (GTK_WIDGET (self->list)))
    gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", at);
  show_summary (self);
  g_signal_emit (self, signals[SHOW], 0, hit);
  if (typing && !gtk_widget_has_focus (GTK_WIDGET (get_text_widget (self))))
    gtk_text_grab_focus_without_selecting (get_text_widget (self));
}

void
sluice_search_box_step (SluiceSearchBox *self, int direction)
{
  guint n = self->hits.found->len;
  guint at = gtk_single_selection_get_selected (self->selection);
  self->steps = self->hits.is_done || n > 0 ? 0 : direction;
  if (n == 0)
    return;
  if (at == GTK_INVALID_LIST_POSITION)
    at = direction > 0 ? 0 : n - 1;
  else
    at = (at + n + direction) % n;
  show_at (self, at);
}

static void
activate_cb (SluiceSearchBox *self)
{
  changed_cb (self);
  sluice_search_box_step (self, 1);
}

static void
list_activate_cb (SluiceSearchBox *self, guint at)
{
  show_at (self, at);
}

/* The list goes, what was typed too, and the focus is where it was. */
static void
stop_cb (SluiceSearchBox *self)
{
  GtkWidget *before = self->focus_before;
  gtk_popover_popdown (self->popover);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  search (self);
  if (before != NULL && gtk_widget_get_mapped (before) && gtk_widget_grab_focus (before))
    return;
  if (before == NULL && self->back != NULL)
    {
      g_signal_emit (self, signals[SHOW], 0, self->back);
      return;
    }
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  if (root != NULL)
    gtk_root_set_focus (root, NULL);
}

static gboolean
key_cb (SluiceSearchBox *self, guint key, guint code, GdkModifierType state)
{
  gboolean is_return = key == GDK_KEY_Return || key == GDK_KEY_KP_Enter;
  gboolean has_hits = self->hits.found->len > 0;
  if ((is_return && (state & GDK_SHIFT_MASK)) || (key == GDK_KEY_Up && has_hits))
    sluice_search_box_step (self, -1);
  else if (key == GDK_KEY_Down && has_hits)
    sluice_search_box_step (self, 1);
  else
    return FALSE;
  return TRUE;
}

/* Who had the focus before the field, gets it back. */
static void
focus_enter_cb (SluiceSearchBox *self)
{
  if (*gtk_editable_get_text (GTK_EDITABLE (self->entry)) != '\0' && self->hits.n > 0)
    gtk_popover_popup (self->popover);
}

static void
focus_leave_cb (SluiceSearchBox *self)
{
  gtk_popover_popdown (self->popover);
}

void
sluice_search_box_begin (SluiceSearchBox *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  /* A text finds by itself what is in it. */
  if (focus != NULL && gtk_widget_activate_action (focus, "twin.find", NULL))
    return;
  if (focus == NULL || !gtk_widget_is_ancestor (focus, GTK_WIDGET (self)))
    set_focus_before (self, focus);
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
  gtk_editable_select_region (GTK_EDITABLE (self->entry), 0, -1);
}

void
sluice_search_box_find (SluiceSearchBox *self, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  search (self);
  sluice_search_box_step (self, 1);
}

const char *
sluice_search_box_get_summary (SluiceSearchBox *self)
{
  return gtk_label_get_label (self->summary);
}

const char *
sluice_search_box_get_text (SluiceSearchBox *self)
{
  return gtk_editable_get_text (GTK_EDITABLE (self->entry));
}

static void
sluice_search_box_dispose (GObject *object)
{
  SluiceSearchBox *self = SLUICE_SEARCH_BOX (object);
  set_focus_before (self, NULL);
  g_clear_handle_id (&self->list_source, g_source_remove);
  g_clear_handle_id (&self->search_source, g_source_remove);
  g_clear_pointer (&self->query, sluice_query_free);
  g_clear_pointer ((GtkWidget **) &self->popover, gtk_widget_unparent);
  gtk_widget_dispose_template (GTK_WIDGET (self), SLUICE_TYPE_SEARCH_BOX);
  g_clear_pointer (&self->searched, g_free);
  g_clear_object (&self->selection);
  g_clear_object (&self->listed);
  g_clear_pointer (&self->hits.found, g_ptr_array_unref);
  G_OBJECT_CLASS (sluice_search_box_parent_class)->dispose (object);
}

static void
sluice_search_box_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SluiceSearchBox *self = SLUICE_SEARCH_BOX (widget);
  gtk_widget_size_allocate (GTK_WIDGET (self->entry), &(GdkRectangle){ 0, 0, width, height },
                            baseline);
  sluice_popover_follow (GTK_WIDGET (self->popover));
}

static void
sluice_search_box_measure (GtkWidget *widget,
                           GtkOrientation orientation,
                           int for_size,
                           int *minimum,
                           int *natural,
                           int *minimum_baseline,
                           int *natural_baseline)
{
  gtk_widget_measure (GTK_WIDGET (SLUICE_SEARCH_BOX (widget)->entry), orientation, for_size,
                      minimum, natural, minimum_baseline, natural_baseline);
}

static void
sluice_search_box_class_init (SluiceSearchBoxClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_search_box_dispose;
  widget_class->size_allocate = sluice_search_box_size_allocate;
  widget_class->measure = sluice_search_box_measure;
  signals[SEARCH] = g_signal_new ("search", SLUICE_TYPE_SEARCH_BOX, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_POINTER);
  signals[SHOW] = g_signal_new ("show-hit", SLUICE_TYPE_SEARCH_BOX, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, SLUICE_TYPE_HIT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/sluice/Workbench/search-box.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceSearchBox, entry);
  gtk_widget_class_bind_template_child (widget_class, SluiceSearchBox, popover);
  gtk_widget_class_bind_template_child (widget_class, SluiceSearchBox, summary);
  gtk_widget_class_bind_template_child (widget_class, SluiceSearchBox, problem);
  gtk_widget_class_bind_template_child (widget_class, SluiceSearchBox, scroller);
  gtk_widget_class_bind_template_child (widget_class, SluiceSearchBox, list);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, stop_cb);
  gtk_widget_class_bind_template_callback (widget_class, list_activate_cb);
}

static void
sluice_search_box_init (SluiceSearchBox *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();
  self->hits.found = g_ptr_array_new_with_free_func (g_object_unref);
  self->listed = g_list_store_new (SLUICE_TYPE_HIT);
  self->selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->listed)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->entry), keys);
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (focus_enter_cb), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (focus_leave_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), focus);
}
