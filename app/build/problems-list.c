/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/problems-list.h"

#include <glib/gi18n.h>

#include "ui/common/wrap.h"

#define HEIGHT 116 /* of the rows, at the most: three of them */
#define TEXT_CHARS                                                                                 \
  36 /* of a sentence beside its answers; where there is less room they stand below */
#define FIX_CHARS 28

/* ---- a problem as an object: what mends it is found when its row comes into sight ---- */

#define SLUICE_TYPE_PROBLEM_ITEM (sluice_problem_item_get_type ())
G_DECLARE_FINAL_TYPE (SluiceProblemItem, sluice_problem_item, SLUICE, PROBLEM_ITEM, GObject)

struct _SluiceProblemItem
{
  GObject parent;
  const SluiceProblem *problem; /* of the list */
  char *node;
  SluiceProblemFix *fix; /* (nullable) */
  gboolean was_looked_for;
};

G_DEFINE_FINAL_TYPE (SluiceProblemItem, sluice_problem_item, G_TYPE_OBJECT)

enum
{
  FIX_FOUND,
  N_ITEM_SIGNALS,
};
static guint item_signals[N_ITEM_SIGNALS];

static void
sluice_problem_item_finalize (GObject *object)
{
  SluiceProblemItem *self = SLUICE_PROBLEM_ITEM (object);
  g_clear_pointer (&self->fix, sluice_problem_fix_free);
  g_free (self->node);
  G_OBJECT_CLASS (sluice_problem_item_parent_class)->finalize (object);
}

static void
sluice_problem_item_class_init (SluiceProblemItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_problem_item_finalize;
  item_signals[FIX_FOUND] = g_signal_new ("fix-found", SLUICE_TYPE_PROBLEM_ITEM, G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_problem_item_init (SluiceProblemItem *self)
{
}

/* ---- the widget ---- */

struct _SluiceProblemsList
{
  GtkWidget parent;
  GtkWidget *box, *summary, *fold, *scroller, *list;
  SluiceGraph *graph;  /* (nullable) */
  guint64 version;     /* of the graph, of which the problems are */
  GPtrArray *problems; /* (nullable): of graph as it is now */
  guint n_stops;
  GListStore *items;
  GQueue wanted; /* SluiceProblemItem whose row is in sight: owned */
  guint source;  /* finds what mends them, one a turn */
};

G_DEFINE_FINAL_TYPE (SluiceProblemsList, sluice_problems_list, GTK_TYPE_WIDGET)

enum
{
  SHOW,
  DO,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- what mends them ---- */

static gboolean
look_for_fix_cb (gpointer data)
{
  SluiceProblemsList *self = data;
  g_autoptr (SluiceProblemItem) item = g_queue_pop_head (&self->wanted);
  /* Behind a change the nodes are others, until the list is brought up to date. */
  gboolean is_current = sluice_graph_get_version (self->graph) == self->version;
  if (item != NULL && !item->was_looked_for && is_current)
    {
      item->was_looked_for = TRUE;
      item->fix = sluice_problem_find_fix (item->problem, self->graph);
      g_signal_emit (item, item_signals[FIX_FOUND], 0);
    }
  if (!g_queue_is_empty (&self->wanted))
    return G_SOURCE_CONTINUE;
  self->source = 0;
  return G_SOURCE_REMOVE;
}

static void
look_for_fix (SluiceProblemsList *self, SluiceProblemItem *item)
{
  if (item->was_looked_for)
    return;
  g_queue_push_tail (&self->wanted, g_object_ref (item));
  if (self->source == 0)
    self->source = g_idle_add (look_for_fix_cb, self);
}

static void
stop_looking (SluiceProblemsList *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_queue_clear_full (&self->wanted, g_object_unref);
}

/* ---- a row ---- */

typedef struct
{
  GtkWidget *mark, *node, *text, *show, *fix;
} Row;

static Row
get_row (GtkWidget *box)
{
  GtkWidget *words = gtk_widget_get_first_child (box),
            *answers = gtk_widget_get_next_sibling (words);
  Row row = { gtk_widget_get_first_child (words) };
  row.node = gtk_widget_get_next_sibling (row.mark);
  row.text = gtk_widget_get_next_sibling (row.node);
  row.show = gtk_widget_get_first_child (answers);
  row.fix = gtk_widget_get_next_sibling (row.show);
  return row;
}

static void
show_fix (GtkListItem *list_item)
{
  SluiceProblemItem *item = gtk_list_item_get_item (list_item);
  Row row = get_row (gtk_list_item_get_child (list_item));
  const SluiceProblemFix *fix = item->fix;
  g_autofree char *text =
      g_strjoin (" ", item->problem->text, fix != NULL ? fix->text : NULL, NULL);
  gtk_label_set_label (GTK_LABEL (row.text), text);
  gtk_widget_set_tooltip_text (row.text, text);
  gtk_widget_set_visible (row.fix, fix != NULL);
  if (fix != NULL)
    {
      gtk_label_set_label (GTK_LABEL (gtk_button_get_child (GTK_BUTTON (row.fix))), fix->title);
      gtk_accessible_update_property (GTK_ACCESSIBLE (row.fix), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      fix->title, -1);
      gtk_widget_set_tooltip_text (row.fix, fix->line);
    }
  g_autofree char *words = g_strdup_printf (
      item->problem->level == SLUICE_PROBLEM_STOPS ? _ ("%s stops a launch: %s") : _ ("%s: %s"),
      item->node, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_list_item_get_child (list_item)),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
}

static void
show_cb (GtkListItem *list_item)
{
  SluiceProblemItem *item = gtk_list_item_get_item (list_item);
  GtkWidget *self =
      gtk_widget_get_ancestor (gtk_list_item_get_child (list_item), SLUICE_TYPE_PROBLEMS_LIST);
  g_signal_emit (self, signals[SHOW], 0, item->node);
}

static void
fix_cb (GtkListItem *list_item)
{
  SluiceProblemItem *item = gtk_list_item_get_item (list_item);
  GtkWidget *self =
      gtk_widget_get_ancestor (gtk_list_item_get_child (list_item), SLUICE_TYPE_PROBLEMS_LIST);
  g_autofree char *line = item->fix != NULL ? g_strdup (item->fix->line) : NULL;
  if (line != NULL)
    g_signal_emit (self, signals[DO], 0, line); /* the list is another one afterwards */
}

/* A button whose words leave room for the sentence. */
static GtkWidget *
new_fix (void)
{
  GtkWidget *button = gtk_button_new (), *title = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (title), FIX_CHARS);
  gtk_button_set_child (GTK_BUTTON (button), title);
  return button;
}

static void
setup_cb (SluiceProblemsList *self, GtkListItem *list_item)
{
  GtkWidget *box = sluice_wrap_new (2, FALSE);
  g_object_set (box, "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, NULL);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8),
            *answers = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *mark = gtk_image_new (), *node = gtk_label_new (NULL), *text = gtk_label_new (NULL);
  GtkWidget *show = gtk_button_new_with_label (_ ("Show")), *fix = new_fix ();
  gtk_label_set_ellipsize (GTK_LABEL (node), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (node), 24);
  gtk_widget_add_css_class (node, "problem-node");
  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_ellipsize (GTK_LABEL (text), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (text), TEXT_CHARS);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_add_css_class (show, "flat");
  gtk_widget_add_css_class (show, "problem-show");
  g_signal_connect_object (show, "clicked", G_CALLBACK (show_cb), list_item, G_CONNECT_SWAPPED);
  g_signal_connect_object (fix, "clicked", G_CALLBACK (fix_cb), list_item, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (words), mark);
  gtk_box_append (GTK_BOX (words), node);
  gtk_box_append (GTK_BOX (words), text);
  gtk_box_append (GTK_BOX (answers), show);
  gtk_box_append (GTK_BOX (answers), fix);
  gtk_widget_set_halign (answers, GTK_ALIGN_END);
  sluice_wrap_append (SLUICE_WRAP (box), words);
  sluice_wrap_append (SLUICE_WRAP (box), answers);
  gtk_widget_add_css_class (box, "problem-row");
  gtk_list_item_set_child (list_item, box);
  gtk_list_item_set_activatable (list_item, TRUE);
}

static void
bind_cb (SluiceProblemsList *self, GtkListItem *list_item)
{
  SluiceProblemItem *item = gtk_list_item_get_item (list_item);
  Row row = get_row (gtk_list_item_get_child (list_item));
  gboolean stops = item->problem->level == SLUICE_PROBLEM_STOPS;
  const char *classes[] = { stops ? "problem-stops" : "problem-look", NULL };
  gtk_image_set_from_icon_name (GTK_IMAGE (row.mark),
                                stops ? "dialog-error-symbolic" : "dialog-warning-symbolic");
  gtk_widget_set_css_classes (row.mark, classes);
  gtk_widget_set_tooltip_text (row.mark, stops ? _ ("Stops a launch") : _ ("To look at"));
  gtk_label_set_label (GTK_LABEL (row.node), item->node);
  gtk_widget_set_tooltip_text (row.node, item->node);
  show_fix (list_item);
  g_signal_connect_object (item, "fix-found", G_CALLBACK (show_fix), list_item, G_CONNECT_SWAPPED);
  look_for_fix (self, item);
}

static void
unbind_cb (SluiceProblemsList *self, GtkListItem *list_item)
{
  g_signal_handlers_disconnect_by_data (gtk_list_item_get_item (list_item), list_item);
}

static void
activate_cb (SluiceProblemsList *self, guint position)
{
  g_autoptr (SluiceProblemItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), position);
  g_signal_emit (self, signals[SHOW], 0, item->node);
}

/* ---- all of them ---- */

/* "1 stops a launch · 1 to look at". */
static char *
dup_summary (guint n_stops, guint n_look)
{
  g_autofree char *stops =
      g_strdup_printf (ngettext ("%u stops a launch", "%u stop a launch", n_stops), n_stops);
  g_autofree char *look =
      g_strdup_printf (ngettext ("%u to look at", "%u to look at", n_look), n_look);
  if (n_stops + n_look == 0)
    return g_strdup (_ ("none"));
  return n_look == 0    ? g_steal_pointer (&stops)
         : n_stops == 0 ? g_steal_pointer (&look)
                        : g_strdup_printf ("%s · %s", stops, look);
}

static void
show_fold (SluiceProblemsList *self)
{
  gboolean is_open = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->fold));
  gboolean has_any = g_list_model_get_n_items (G_LIST_MODEL (self->items)) > 0;
  gtk_widget_set_visible (self->scroller, is_open && has_any);
  gtk_widget_set_visible (self->fold, has_any);
  gtk_button_set_icon_name (GTK_BUTTON (self->fold),
                            is_open ? "pan-down-symbolic" : "pan-up-symbolic");
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->fold), GTK_ACCESSIBLE_STATE_EXPANDED, is_open,
                               -1);
}

void
sluice_problems_list_update (SluiceProblemsList *self, SluiceGraph *graph, GPtrArray *problems)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) before = g_steal_pointer (&self->problems);
  stop_looking (self);
  if (graph != NULL)
    sluice_graph_ref (graph);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  self->graph = graph;
  self->version = graph != NULL ? sluice_graph_get_version (graph) : 0;
  self->problems = problems != NULL ? g_ptr_array_ref (problems) : NULL;
  self->n_stops = 0;
  for (guint i = 0; self->problems != NULL && i < self->problems->len; i++)
    {
      SluiceProblemItem *item = g_object_new (SLUICE_TYPE_PROBLEM_ITEM, NULL);
      item->problem = self->problems->pdata[i];
      item->node = g_strdup (item->problem->name);
      self->n_stops += item->problem->level == SLUICE_PROBLEM_STOPS;
      g_ptr_array_add (items, item);
    }
  g_list_store_splice (self->items, 0, g_list_model_get_n_items (G_LIST_MODEL (self->items)),
                       items->pdata, items->len);
  g_autofree char *summary = dup_summary (self->n_stops, items->len - self->n_stops);
  gtk_label_set_label (GTK_LABEL (self->summary), summary);
  show_fold (self);
}

guint
sluice_problems_list_get_n_stops (SluiceProblemsList *self)
{
  return self->n_stops;
}

static void
sluice_problems_list_dispose (GObject *object)
{
  SluiceProblemsList *self = SLUICE_PROBLEMS_LIST (object);
  stop_looking (self);
  if (self->items != NULL)
    g_list_store_remove_all (self->items);
  g_clear_object (&self->items);
  g_clear_pointer (&self->problems, g_ptr_array_unref);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_problems_list_parent_class)->dispose (object);
}

static void
sluice_problems_list_class_init (SluiceProblemsListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_problems_list_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  signals[SHOW] = g_signal_new ("show-node", SLUICE_TYPE_PROBLEMS_LIST, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[DO] = g_signal_new ("do", SLUICE_TYPE_PROBLEMS_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static GtkWidget *
new_head (SluiceProblemsList *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *title = gtk_label_new (_ ("Problems"));
  gtk_widget_add_css_class (title, "problems-title");
  self->summary = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->summary), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->summary), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (self->summary, TRUE);
  gtk_widget_add_css_class (self->summary, "dim-label");
  self->fold = gtk_toggle_button_new ();
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->fold), TRUE);
  gtk_widget_add_css_class (self->fold, "flat");
  gtk_widget_set_tooltip_text (self->fold, _ ("List the problems"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->fold), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("List the problems"), -1);
  g_signal_connect_swapped (self->fold, "toggled", G_CALLBACK (show_fold), self);
  gtk_box_append (GTK_BOX (head), title);
  gtk_box_append (GTK_BOX (head), self->summary);
  gtk_box_append (GTK_BOX (head), self->fold);
  gtk_widget_add_css_class (head, "problems-head");
  return head;
}

static void
sluice_problems_list_init (SluiceProblemsList *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_signal_connect_swapped (factory, "setup", G_CALLBACK (setup_cb), self);
  g_signal_connect_swapped (factory, "bind", G_CALLBACK (bind_cb), self);
  g_signal_connect_swapped (factory, "unbind", G_CALLBACK (unbind_cb), self);
  self->items = g_list_store_new (SLUICE_TYPE_PROBLEM_ITEM);
  self->list = gtk_list_view_new (
      GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->items)))),
      factory);
  gtk_widget_add_css_class (self->list, "problems-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Problems"), -1);
  g_signal_connect_swapped (self->list, "activate", G_CALLBACK (activate_cb), self);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (self->scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (self->scroller), HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), self->list);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (self->box), new_head (self));
  gtk_box_append (GTK_BOX (self->box), self->scroller);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  sluice_problems_list_update (self, NULL, NULL);
}

GtkWidget *
sluice_problems_list_new (void)
{
  return g_object_new (SLUICE_TYPE_PROBLEMS_LIST, NULL);
}
