/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/help/help-window.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/help/help-pages.h"
#include "app/help/help-view.h"
#include "app/shortcuts.h"

#define PAGE_KEY "sluice-help-page"
/* Frames after which a page that was just built has its places. */
#define FRAMES_TO_PLACES 2

/* Of text; style.css has them in this order. */
static const char *const zooms[] = { "help-zoom-80",  "help-zoom-90",  "help-zoom-100",
                                     "help-zoom-115", "help-zoom-130", "help-zoom-150",
                                     "help-zoom-175", "help-zoom-200" };
#define USUAL_ZOOM 2

typedef struct
{
  char *page;
  double scroll; /* where it was left */
} Visit;

struct _SluiceHelpWindow
{
  AdwWindow parent;
  AdwWindowTitle *heading;
  AdwFlap *flap;
  GtkSearchEntry *search;
  GtkListBox *list;
  GtkScrolledWindow *scroller;
  SluiceHelpView *view;

  GPtrArray *visits; /* of Visit: back and forward go along it */
  guint at;          /* of visits: what is shown */
  guint zoom;        /* of zooms */
  char *anchor;      /* (nullable): where to go once the page has its places */
  double scroll;     /* where there is no anchor */
  guint frames;      /* until then; 0: it is there */
};

G_DEFINE_FINAL_TYPE (SluiceHelpWindow, sluice_help_window, ADW_TYPE_WINDOW)

/* ---- which page belongs to what ---- */

void
sluice_help_set_page (GtkWidget *widget, const char *page)
{
  /* The application's keys are those of its windows; dialogs are none of themselves. */
  if (GTK_IS_WINDOW (widget))
    gtk_window_set_application (GTK_WINDOW (widget),
                                GTK_APPLICATION (g_application_get_default ()));
  g_object_set_data_full (G_OBJECT (widget), PAGE_KEY, g_strdup (page), g_free);
}

const char *
sluice_help_get_page (GtkWidget *widget)
{
  const char *page = NULL;
  for (; widget != NULL && page == NULL; widget = gtk_widget_get_parent (widget))
    page = g_object_get_data (G_OBJECT (widget), PAGE_KEY);
  return page;
}

/* ---- a page ---- */

static void
visit_free (gpointer data)
{
  Visit *self = data;
  g_free (self->page);
  g_free (self);
}

static Visit *
get_visit (SluiceHelpWindow *self)
{
  return self->at < self->visits->len ? self->visits->pdata[self->at] : NULL;
}

static GtkAdjustment *
get_adjustment (SluiceHelpWindow *self)
{
  return gtk_scrolled_window_get_vadjustment (self->scroller);
}

static gboolean
place_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SluiceHelpWindow *self = SLUICE_HELP_WINDOW (widget);
  graphene_point_t at = { 0, (float) self->scroll }, zero = { 0, 0 };
  if (self->frames > 1)
    {
      self->frames--;
      return G_SOURCE_CONTINUE;
    }
  GtkWidget *heading =
      self->anchor != NULL ? sluice_help_view_find (self->view, self->anchor) : NULL;
  if (heading != NULL && !gtk_widget_compute_point (heading, GTK_WIDGET (self->view), &zero, &at))
    at = zero;
  gtk_adjustment_set_value (get_adjustment (self), at.y);
  g_clear_pointer (&self->anchor, g_free);
  self->frames = 0;
  return G_SOURCE_REMOVE;
}

/* anchor: (nullable) */
static void
place (SluiceHelpWindow *self, const char *anchor, double scroll)
{
  g_free (self->anchor);
  self->anchor = g_strdup (anchor);
  self->scroll = scroll;
  if (self->frames == 0)
    gtk_widget_add_tick_callback (GTK_WIDGET (self), place_cb, NULL, NULL);
  self->frames = FRAMES_TO_PLACES;
}

static void
select_in_list (SluiceHelpWindow *self, const char *page)
{
  GtkListBoxRow *row;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    {
      const SluiceHelpEntry *entry = g_object_get_data (G_OBJECT (row), "entry");
      if (g_str_equal (entry->page, page))
        {
          gtk_list_box_select_row (self->list, row);
          return;
        }
    }
  gtk_list_box_unselect_all (self->list);
}

static void
show (SluiceHelpWindow *self, const char *anchor)
{
  const Visit *visit = get_visit (self);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = sluice_help_load (visit->page, &error);
  if (text == NULL)
    text = g_strdup_printf ("# %s\n\n%s", _ ("This page is missing"), error->message);
  sluice_help_view_show (self->view, text);
  const char *title = sluice_help_view_get_title (self->view);
  g_autofree char *window = g_strdup_printf (_ ("%s · Manual"), title);
  gtk_window_set_title (GTK_WINDOW (self), window);
  adw_window_title_set_title (self->heading, title);
  select_in_list (self, visit->page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "help.back", self->at > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "help.forward",
                                 self->at + 1 < self->visits->len);
  place (self, anchor, visit->scroll);
}

/* Behind what is shown; what lay in front of it is forgotten. anchor: (nullable) */
static void
visit (SluiceHelpWindow *self, const char *page, const char *anchor)
{
  Visit *now = get_visit (self);
  if (now != NULL)
    {
      now->scroll = gtk_adjustment_get_value (get_adjustment (self));
      if (g_str_equal (now->page, page))
        {
          place (self, anchor, 0);
          return;
        }
      g_ptr_array_set_size (self->visits, (int) ++self->at);
    }
  now = g_new0 (Visit, 1);
  now->page = g_strdup (page);
  g_ptr_array_add (self->visits, now);
  show (self, anchor);
}

void
sluice_help_window_go (SluiceHelpWindow *self, const char *page)
{
  visit (self, page, NULL);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
link_cb (SluiceHelpWindow *self, const char *link)
{
  g_autofree char *anchor = NULL;
  g_autofree char *page = sluice_help_resolve (get_visit (self)->page, link, &anchor);
  if (page == NULL)
    {
      gtk_show_uri (GTK_WINDOW (self), link, GDK_CURRENT_TIME);
      return;
    }
  visit (self, page, anchor);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/* ---- contents and search ---- */

static GtkWidget *
new_row_label (const char *text, const char *style)
{
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (style != NULL)
    gtk_widget_add_css_class (label, style);
  return label;
}

static void
header_cb (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  const SluiceHelpEntry *entry = g_object_get_data (G_OBJECT (row), "entry");
  const SluiceHelpEntry *last =
      before != NULL ? g_object_get_data (G_OBJECT (before), "entry") : NULL;
  gboolean begins =
      *entry->detail != '\0' && last != NULL && !g_str_equal (entry->detail, last->detail);
  gtk_list_box_row_set_header (row, begins ? new_row_label (entry->detail, "help-section") : NULL);
}

static void
fill_list (SluiceHelpWindow *self)
{
  const char *words = gtk_editable_get_text (GTK_EDITABLE (self->search));
  gboolean searches = *words != '\0';
  g_autoptr (GPtrArray) entries =
      searches ? sluice_help_search (words) : sluice_help_list_contents ();
  for (GtkListBoxRow *row; (row = gtk_list_box_get_row_at_index (self->list, 0)) != NULL;)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  gtk_list_box_set_header_func (self->list, searches ? NULL : header_cb, NULL, NULL);
  g_ptr_array_set_free_func (entries, NULL);
  for (guint i = 0; i < entries->len; i++)
    {
      SluiceHelpEntry *entry = entries->pdata[i];
      GtkWidget *row = gtk_list_box_row_new ();
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
      gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
      gtk_box_append (GTK_BOX (box), new_row_label (entry->title, NULL));
      if (searches)
        gtk_box_append (GTK_BOX (box), new_row_label (entry->detail, "help-snippet"));
      gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
      gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      entry->title, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      entry->detail, -1);
      g_object_set_data_full (G_OBJECT (row), "entry", entry,
                              (GDestroyNotify) sluice_help_entry_free);
      gtk_list_box_append (self->list, row);
    }
  if (get_visit (self) != NULL && !searches)
    select_in_list (self, get_visit (self)->page);
}

static void
search_changed_cb (SluiceHelpWindow *self)
{
  fill_list (self);
}

/* Escape ends the search first, then the manual. */
static void
stop_search_cb (SluiceHelpWindow *self)
{
  if (*gtk_editable_get_text (GTK_EDITABLE (self->search)) == '\0')
    gtk_window_close (GTK_WINDOW (self));
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
}

static void
row_activated_cb (SluiceHelpWindow *self, GtkListBoxRow *row)
{
  const SluiceHelpEntry *entry = g_object_get_data (G_OBJECT (row), "entry");
  visit (self, entry->page, entry->anchor);
  if (!adw_flap_get_folded (self->flap))
    return;
  adw_flap_set_reveal_flap (self->flap, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/* Return: the first that was found. */
static void
search_activate_cb (SluiceHelpWindow *self)
{
  fill_list (self); /* what was typed just now is looked for a moment later */
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, 0);
  if (row == NULL)
    return;
  gtk_list_box_select_row (self->list, row);
  row_activated_cb (self, row);
}

/* ---- actions ---- */

static void
step (SluiceHelpWindow *self, int by)
{
  get_visit (self)->scroll = gtk_adjustment_get_value (get_adjustment (self));
  self->at += (guint) by;
  show (self, NULL);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
set_zoom (SluiceHelpWindow *self, guint zoom)
{
  gtk_widget_remove_css_class (GTK_WIDGET (self->view), zooms[self->zoom]);
  self->zoom = zoom;
  gtk_widget_add_css_class (GTK_WIDGET (self->view), zooms[zoom]);
}

static void
do_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceHelpWindow *self = SLUICE_HELP_WINDOW (widget);
  const char *what = name + strlen ("help.");
  if (g_str_equal (what, "back"))
    step (self, -1);
  else if (g_str_equal (what, "forward"))
    step (self, 1);
  else if (g_str_equal (what, "index"))
    sluice_help_window_go (self, SLUICE_HELP_INDEX);
  else if (g_str_equal (what, "larger"))
    set_zoom (self, MIN (self->zoom + 1, G_N_ELEMENTS (zooms) - 1));
  else if (g_str_equal (what, "smaller"))
    set_zoom (self, self->zoom > 0 ? self->zoom - 1 : 0);
  else if (g_str_equal (what, "usual"))
    set_zoom (self, USUAL_ZOOM);
  else if (g_str_equal (what, "close"))
    gtk_window_close (GTK_WINDOW (self));
  else if (g_str_equal (what, "contents"))
    adw_flap_set_reveal_flap (self->flap, !adw_flap_get_reveal_flap (self->flap));
  else
    {
      adw_flap_set_reveal_flap (self->flap, TRUE);
      gtk_widget_grab_focus (GTK_WIDGET (self->search));
    }
}

/* ---- life ---- */

SluiceHelpWindow *
sluice_help_window_new (GtkApplication *application)
{
  return g_object_new (SLUICE_TYPE_HELP_WINDOW, "application", application, NULL);
}

static void
sluice_help_window_dispose (GObject *object)
{
  SluiceHelpWindow *self = SLUICE_HELP_WINDOW (object);
  gtk_widget_dispose_template (GTK_WIDGET (self), SLUICE_TYPE_HELP_WINDOW);
  G_OBJECT_CLASS (sluice_help_window_parent_class)->dispose (object);
}

static void
sluice_help_window_finalize (GObject *object)
{
  SluiceHelpWindow *self = SLUICE_HELP_WINDOW (object);
  g_ptr_array_unref (self->visits);
  g_free (self->anchor);
  G_OBJECT_CLASS (sluice_help_window_parent_class)->finalize (object);
}

/* The arrow keys and the space bar, where no other widget has them. */
static void
add_scroll_keys (GtkWidget *scroller)
{
  static const struct
  {
    const char *key;
    GtkScrollType scroll;
  } keys[] = {
    { "Down", GTK_SCROLL_STEP_DOWN },       { "Up", GTK_SCROLL_STEP_UP },
    { "space", GTK_SCROLL_PAGE_DOWN },      { "Page_Down", GTK_SCROLL_PAGE_DOWN },
    { "<Shift>space", GTK_SCROLL_PAGE_UP }, { "Page_Up", GTK_SCROLL_PAGE_UP },
    { "Home", GTK_SCROLL_START },           { "End", GTK_SCROLL_END },
  };
  GtkEventController *controller = gtk_shortcut_controller_new ();
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      GtkShortcut *shortcut = gtk_shortcut_new (gtk_shortcut_trigger_parse_string (keys[i].key),
                                                gtk_signal_action_new ("scroll-child"));
      gtk_shortcut_set_arguments (shortcut, g_variant_new ("(ib)", keys[i].scroll, FALSE));
      gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller), shortcut);
    }
  gtk_widget_add_controller (scroller, controller);
}

static void
sluice_help_window_class_init (SluiceHelpWindowClass *klass)
{
  static const char *const actions[] = { "help.back",    "help.forward",  "help.index",
                                         "help.find",    "help.contents", "help.larger",
                                         "help.smaller", "help.usual",    "help.close" };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_help_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_help_window_finalize;
  g_type_ensure (SLUICE_TYPE_HELP_VIEW);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget_class, actions[i], NULL, do_action);
  sluice_shortcuts_bind (widget_class, "help.");
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/sluice/Workbench/help-window.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceHelpWindow, heading);
  gtk_widget_class_bind_template_child (widget_class, SluiceHelpWindow, flap);
  gtk_widget_class_bind_template_child (widget_class, SluiceHelpWindow, search);
  gtk_widget_class_bind_template_child (widget_class, SluiceHelpWindow, list);
  gtk_widget_class_bind_template_child (widget_class, SluiceHelpWindow, scroller);
  gtk_widget_class_bind_template_child (widget_class, SluiceHelpWindow, view);
  gtk_widget_class_bind_template_callback (widget_class, link_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, stop_search_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, row_activated_cb);
}

static void
sluice_help_window_init (SluiceHelpWindow *self)
{
  /* A dialog that is open takes no keys from who reads about it. */
  g_autoptr (GtkWindowGroup) group = gtk_window_group_new ();
  gtk_window_group_add_window (group, GTK_WINDOW (self));
  self->visits = g_ptr_array_new_with_free_func (visit_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  add_scroll_keys (GTK_WIDGET (self->scroller));
  set_zoom (self, USUAL_ZOOM);
  fill_list (self);
}
