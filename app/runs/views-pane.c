/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/views-pane.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/runs/run-cells.h"
#include "ui/chart/ticks.h"
#include "ui/common/wrap.h"

#define TRASH     "trash"
#define MOST_TAGS 40 /* as pills; the filter finds all */
#define GAP       6  /* between pills, in pixels */

struct _SluiceViewsPane
{
  GtkWidget parent;
  GtkWidget *scroller;
  GtkListBox *views, *saved, *trash;
  GtkWidget *tags_heading, *tags, *saved_heading;
  GtkMenuButton *add;
  GtkEditable *name;
  GPtrArray *views_saved; /* of SluiceSavedView: in the order of their rows */
  guint64 counted;        /* of SluiceRunCounts when they were; 0: never */
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SluiceViewsPane, sluice_views_pane, GTK_TYPE_WIDGET)

enum
{
  VIEW_CHOSEN,
  TAG_TOGGLED,
  SAVED_CHOSEN,
  SAVED_ADDED,
  SAVED_RENAMED,
  SAVED_DELETED,
  TRASH_CHOSEN,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* Each state that people wait for, or look into, in the order of a run's life. */
static const struct
{
  SluiceRunState state;
  const char *title;
} states[] = {
  { SLUICE_RUN_RUNNING, N_ ("Running") }, { SLUICE_RUN_WAITING, N_ ("Waiting") },
  { SLUICE_RUN_PAUSED, N_ ("Paused") },   { SLUICE_RUN_FINISHED, N_ ("Finished") },
  { SLUICE_RUN_STOPPED, N_ ("Stopped") }, { SLUICE_RUN_FAILED, N_ ("Failed") },
  { SLUICE_RUN_CRASHED, N_ ("Crashed") },
};

/* ---- rows ---- */

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static GtkWidget *
new_heading (const char *words)
{
  GtkWidget *label = gtk_label_new (words);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (label, "heading");
  return label;
}

/* A row that stands for id: its shape, its words, and how many there are. */
static GtkWidget *
new_row (const char *id, const char *icon, const char *style, const char *title)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = gtk_label_new (title), *count = gtk_label_new (NULL);
  if (icon != NULL)
    {
      GtkWidget *image = gtk_image_new_from_icon_name (icon);
      if (style != NULL)
        gtk_widget_add_css_class (image, style);
      gtk_box_append (GTK_BOX (box), image);
    }
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (count, "dim-label");
  gtk_widget_add_css_class (count, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), count);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data_full (G_OBJECT (row), "id", g_strdup (id), g_free);
  g_object_set_data (G_OBJECT (row), "count", count);
  g_object_set_data_full (G_OBJECT (row), "title", g_strdup (title), g_free);
  return row;
}

static const char *
get_id (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "id");
}

static void
set_count (GtkListBoxRow *row, const char *count)
{
  g_autofree char *name =
      g_strdup_printf ("%s, %s", (char *) g_object_get_data (G_OBJECT (row), "title"), count);
  gtk_label_set_label (g_object_get_data (G_OBJECT (row), "count"), count);
  name_widget (GTK_WIDGET (row), name);
}

static void
set_number (GtkListBoxRow *row, guint n)
{
  g_autofree char *count = sluice_format_step (n);
  set_count (row, count);
}

static GtkListBox *
new_list (const char *name)
{
  GtkWidget *list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "views-list");
  name_widget (list, name);
  return GTK_LIST_BOX (list);
}

static void
set_current (GtkListBoxRow *row, gboolean current)
{
  if (current)
    gtk_widget_add_css_class (GTK_WIDGET (row), "current");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (row), "current");
  gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_SELECTED, current, -1);
}

/* One row of all lists is what is shown. The lists select nothing themselves: their rows are
 * selected by Tab, which only goes by. */
static void
show_current (SluiceViewsPane *self, GtkListBox *list, const char *id)
{
  GtkListBox *lists[] = { self->views, self->saved, self->trash };
  GtkListBoxRow *row;
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    for (int k = 0; (row = gtk_list_box_get_row_at_index (lists[i], k)) != NULL; k++)
      set_current (row, lists[i] == list && strcmp (get_id (row), id) == 0);
}

static void
row_activated_cb (GtkListBox *list, GtkListBoxRow *row, SluiceViewsPane *self)
{
  g_autofree char *id = g_strdup (get_id (row)); /* the row may go with what it does */
  show_current (self, list, id);
  if (list == self->trash)
    g_signal_emit (self, signals[TRASH_CHOSEN], 0);
  else
    g_signal_emit (self, signals[list == self->views ? VIEW_CHOSEN : SAVED_CHOSEN], 0, id);
}

static void
add_views (SluiceViewsPane *self)
{
  gtk_list_box_append (self->views,
                       new_row (SLUICE_RUN_VIEW_ALL, "view-list-symbolic", NULL, _ ("All runs")));
  gtk_list_box_append (self->views, new_row (SLUICE_RUN_VIEW_STARRED, "starred-symbolic",
                                             "run-starred", _ ("Starred")));
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    gtk_list_box_append (self->views, new_row (sluice_run_state_name (states[i].state),
                                               sluice_run_cells_get_icon (states[i].state),
                                               sluice_run_cells_get_style (states[i].state),
                                               _ (states[i].title)));
}

/* ---- tags ---- */

static void
tag_toggled_cb (GtkToggleButton *button, SluiceViewsPane *self)
{
  if (self->filling)
    return;
  g_autofree char *tag = g_strdup (g_object_get_data (G_OBJECT (button), "tag"));
  g_signal_emit (self, signals[TAG_TOGGLED], 0, tag, gtk_toggle_button_get_active (button));
}

static void
set_pill (GtkWidget *button, const SluiceRunTagCount *count, gboolean wanted)
{
  g_autofree char *n = sluice_format_step (count->n);
  g_autofree char *words = g_strdup_printf ("%s  %s", count->tag, n);
  g_autofree char *name =
      g_strdup_printf (ngettext ("%s, %s run", "%s, %s runs", count->n), count->tag, n);
  sluice_run_cells_set_pill (gtk_button_get_child (GTK_BUTTON (button)), words);
  gtk_widget_set_tooltip_text (button, name);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), wanted);
  name_widget (button, name);
}

static GtkWidget *
new_pill (SluiceViewsPane *self, const SluiceRunTagCount *count)
{
  GtkWidget *button = gtk_toggle_button_new ();
  gtk_button_set_child (GTK_BUTTON (button), sluice_run_cells_new_pill (count->tag, ""));
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "tag-button");
  g_object_set_data_full (G_OBJECT (button), "tag", g_strdup (count->tag), g_free);
  g_signal_connect (button, "toggled", G_CALLBACK (tag_toggled_cb), self);
  return button;
}

/* Those that are there stay: one of them may have the focus. */
static void
show_tags (SluiceViewsPane *self, SluiceRunTable *table)
{
  GPtrArray *tags = sluice_run_table_get_counts (table)->tags;
  GtkWidget *button = gtk_widget_get_first_child (self->tags);
  for (guint i = 0; i < MIN (tags->len, MOST_TAGS); i++)
    {
      const SluiceRunTagCount *count = tags->pdata[i];
      while (button != NULL
             && strcmp (g_object_get_data (G_OBJECT (button), "tag"), count->tag) < 0)
        {
          GtkWidget *next = gtk_widget_get_next_sibling (button);
          gtk_widget_unparent (button);
          button = next;
        }
      if (button == NULL || strcmp (g_object_get_data (G_OBJECT (button), "tag"), count->tag) != 0)
        {
          GtkWidget *pill = new_pill (self, count);
          sluice_wrap_insert_before (SLUICE_WRAP (self->tags), pill, button);
          button = pill;
        }
      set_pill (button, count, sluice_run_table_get_tag_wanted (table, count->tag));
      button = gtk_widget_get_next_sibling (button);
    }
  while (button != NULL)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (button);
      gtk_widget_unparent (button);
      button = next;
    }
  gtk_widget_set_visible (self->tags_heading, tags->len > 0);
  gtk_widget_set_visible (self->tags, tags->len > 0);
}

/* ---- what is shown ---- */

/* Unless they were counted since anything of the runs has changed. */
static void
count_saved (SluiceViewsPane *self, SluiceRunTable *table)
{
  const SluiceRunCounts *counts = sluice_run_table_get_counts (table);
  if (self->counted == counts->version || sluice_run_table_get_trash (table))
    return;
  self->counted = counts->version;
  for (guint i = 0; i < self->views_saved->len; i++)
    {
      const SluiceSavedView *view = self->views_saved->pdata[i];
      guint n = sluice_run_table_count_found (table, view->filter, view->view,
                                              (const char *const *) view->tags);
      if (n != G_MAXUINT)
        set_number (gtk_list_box_get_row_at_index (self->saved, (int) i), n);
    }
}

void
sluice_views_pane_show (SluiceViewsPane *self, SluiceRunTable *table, const char *saved)
{
  const SluiceRunCounts *counts = sluice_run_table_get_counts (table);
  self->filling = TRUE;
  set_number (gtk_list_box_get_row_at_index (self->views, 0), counts->n);
  set_number (gtk_list_box_get_row_at_index (self->views, 1), counts->n_starred);
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    set_number (gtk_list_box_get_row_at_index (self->views, (int) i + 2),
                counts->n_of_state[states[i].state]);
  show_tags (self, table);
  count_saved (self, table);
  self->filling = FALSE;
  if (sluice_run_table_get_trash (table))
    show_current (self, self->trash, TRASH);
  else if (saved != NULL)
    show_current (self, self->saved, saved);
  else
    show_current (self, self->views, sluice_run_table_get_view (table));
}

void
sluice_views_pane_show_trash (SluiceViewsPane *self, guint n, guint64 bytes)
{
  g_autofree char *count = sluice_format_step (n);
  g_autofree char *size = sluice_format_value ((double) bytes, SLUICE_UNIT_BYTES);
  g_autofree char *both = n > 0 ? g_strdup_printf ("%s · %s", count, size) : g_strdup (count);
  set_count (gtk_list_box_get_row_at_index (self->trash, 0), both);
}

/* ---- views that have a name ---- */

static const char *
get_saved (GtkWidget *inside)
{
  GtkWidget *row = gtk_widget_get_ancestor (inside, GTK_TYPE_LIST_BOX_ROW);
  return row != NULL ? get_id (GTK_LIST_BOX_ROW (row)) : NULL;
}

static void
delete_clicked_cb (GtkButton *button, SluiceViewsPane *self)
{
  g_autofree char *name = g_strdup (get_saved (GTK_WIDGET (button)));
  g_signal_emit (self, signals[SAVED_DELETED], 0, name);
}

static void
renamed_cb (GtkEditable *entry, SluiceViewsPane *self)
{
  g_autofree char *name = g_strdup (get_saved (GTK_WIDGET (entry)));
  g_autofree char *wanted = g_strstrip (g_strdup (gtk_editable_get_text (entry)));
  gtk_popover_popdown (
      GTK_POPOVER (gtk_widget_get_ancestor (GTK_WIDGET (entry), GTK_TYPE_POPOVER)));
  if (*wanted != '\0' && strcmp (name, wanted) != 0)
    g_signal_emit (self, signals[SAVED_RENAMED], 0, name, wanted);
}

/* Another name for it, or none. */
static GtkWidget *
new_saved_menu (SluiceViewsPane *self, const char *name)
{
  GtkWidget *button = gtk_menu_button_new (), *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8), *entry = gtk_entry_new ();
  GtkWidget *remove = gtk_button_new_with_label (_ ("Delete the view"));
  g_autofree char *words = g_strdup_printf (_ ("Rename or delete “%s”"), name);
  gtk_editable_set_text (GTK_EDITABLE (entry), name);
  name_widget (entry, _ ("Name of the view"));
  g_signal_connect (entry, "activate", G_CALLBACK (renamed_cb), self);
  g_signal_connect (remove, "clicked", G_CALLBACK (delete_clicked_cb), self);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), remove);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-more-symbolic");
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_widget_set_tooltip_text (button, words);
  name_widget (button, words);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "views-more");
  return button;
}

void
sluice_views_pane_show_saved (SluiceViewsPane *self, GPtrArray *views)
{
  GtkListBoxRow *row;
  g_ptr_array_ref (views);
  g_ptr_array_unref (self->views_saved);
  self->views_saved = views;
  self->counted = 0;
  while ((row = gtk_list_box_get_row_at_index (self->saved, 0)) != NULL)
    gtk_list_box_remove (self->saved, GTK_WIDGET (row));
  for (guint i = 0; i < views->len; i++)
    {
      const SluiceSavedView *view = views->pdata[i];
      GtkWidget *new = new_row (view->name, NULL, NULL, view->name);
      gtk_box_append (GTK_BOX (gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (new))),
                      new_saved_menu (self, view->name));
      name_widget (new, view->name);
      gtk_list_box_append (self->saved, new);
    }
  gtk_widget_set_visible (self->saved_heading, views->len > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->saved), views->len > 0);
}

static void
added_cb (SluiceViewsPane *self)
{
  g_autofree char *name = g_strstrip (g_strdup (gtk_editable_get_text (self->name)));
  if (*name == '\0')
    return;
  gtk_menu_button_popdown (self->add);
  gtk_editable_set_text (self->name, "");
  g_signal_emit (self, signals[SAVED_ADDED], 0, name);
}

static void
init_add (SluiceViewsPane *self)
{
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *hint = gtk_label_new (_ ("A view keeps filter, sort, groups and columns"));
  GtkWidget *entry = gtk_entry_new (), *button = gtk_menu_button_new ();
  gtk_label_set_wrap (GTK_LABEL (hint), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (hint), 28);
  gtk_label_set_xalign (GTK_LABEL (hint), 0);
  gtk_widget_add_css_class (hint, "dim-label");
  gtk_widget_add_css_class (hint, "caption");
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("Name of the view"));
  name_widget (entry, _ ("Name of the view"));
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), hint);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_label (GTK_MENU_BUTTON (button), _ ("+ New…"));
  gtk_menu_button_set_always_show_arrow (GTK_MENU_BUTTON (button), FALSE);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_widget_set_tooltip_text (button, _ ("Keep what is shown now as a view"));
  name_widget (button, _ ("New view"));
  gtk_widget_add_css_class (button, "flat");
  self->add = GTK_MENU_BUTTON (button);
  self->name = GTK_EDITABLE (entry);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (added_cb), self);
}

/* ---- life ---- */

static void
sluice_views_pane_dispose (GObject *object)
{
  SluiceViewsPane *self = SLUICE_VIEWS_PANE (object);
  self->filling = TRUE;
  g_clear_pointer (&self->views_saved, g_ptr_array_unref);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_views_pane_parent_class)->dispose (object);
}

static void
sluice_views_pane_class_init (SluiceViewsPaneClass *klass)
{
  static const char *const names[N_SIGNALS] = { "view-chosen", "tag-toggled",   "saved-chosen",
                                                "saved-added", "saved-renamed", "saved-deleted",
                                                "trash-chosen" };
  G_OBJECT_CLASS (klass)->dispose = sluice_views_pane_dispose;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i], SLUICE_TYPE_VIEWS_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE,
                               i == TRASH_CHOSEN                        ? 0
                               : i == TAG_TOGGLED || i == SAVED_RENAMED ? 2
                                                                        : 1,
                               G_TYPE_STRING, i == TAG_TOGGLED ? G_TYPE_BOOLEAN : G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
fill_box (SluiceViewsPane *self, GtkBox *box)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_append (GTK_BOX (head), new_heading (_ ("Views")));
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->add));
  gtk_widget_add_css_class (head, "pane-heading");
  gtk_box_append (box, head);
  gtk_box_append (box, GTK_WIDGET (self->views));
  gtk_widget_add_css_class (self->tags_heading, "views-heading");
  gtk_box_append (box, self->tags_heading);
  gtk_box_append (box, self->tags);
  gtk_widget_add_css_class (self->saved_heading, "views-heading");
  gtk_box_append (box, self->saved_heading);
  gtk_box_append (box, GTK_WIDGET (self->saved));
  gtk_box_append (box, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (box, GTK_WIDGET (self->trash));
}

static void
sluice_views_pane_init (SluiceViewsPane *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkListBox **lists[] = { &self->views, &self->saved, &self->trash };
  const char *names[] = { _ ("Views"), _ ("My views"), _ ("Trash") };
  self->views_saved = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      *lists[i] = new_list (names[i]);
      g_signal_connect (*lists[i], "row-activated", G_CALLBACK (row_activated_cb), self);
    }
  add_views (self);
  gtk_list_box_append (self->trash, new_row (TRASH, "user-trash-symbolic", NULL, _ ("Trash")));
  sluice_views_pane_show_trash (self, 0, 0);
  self->tags = sluice_wrap_new (GAP, FALSE);
  gtk_widget_add_css_class (self->tags, "views-tags");
  self->tags_heading = new_heading (_ ("Tags"));
  self->saved_heading = new_heading (_ ("My views"));
  init_add (self);
  fill_box (self, GTK_BOX (box));
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), box);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self), "side-pane");
  gtk_widget_add_css_class (GTK_WIDGET (self), "runs-pane");
}

GtkWidget *
sluice_views_pane_new (void)
{
  return g_object_new (SLUICE_TYPE_VIEWS_PANE, NULL);
}
