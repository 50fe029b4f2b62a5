/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/layers-pane.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "engine/command/offers.h"
#include "engine/command/template.h"

/* What a family offers, under a title that folds it. */
typedef struct
{
  GtkExpander *expander;
  GtkLabel *count;
  GtkListBox *list;
  gboolean is_open; /* while nothing is searched */
} Group;

struct _SluiceLayersPane
{
  GtkWidget parent;
  GtkWidget *box, *groups_box;
  GtkEditable *entry;
  GArray *groups; /* of Group: blocks, then in the order of the families */
  GStrv blocks;   /* of the graph */
};

G_DEFINE_FINAL_TYPE (SluiceLayersPane, sluice_layers_pane, GTK_TYPE_WIDGET)

enum
{
  CHOSEN,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

typedef struct
{
  char *family, *name;
  char *title, *folded; /* for the search */
  guint order;          /* the usual ones first */
} Entry;

static void
entry_free (gpointer data)
{
  Entry *self = data;
  g_free (self->family);
  g_free (self->name);
  g_free (self->title);
  g_free (self->folded);
  g_free (self);
}

static const Entry *
get_entry (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "entry");
}

/* What it does with numbers, first of all: "units 128" is said where it is used; here, what it is
 * by default. (transfer full) (nullable) */
static char *
dup_defaults (const SluiceTemplate *template)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < template->parameters->len && text->len < 12; i++)
    {
      const SluiceTemplateParameter *p =
          &g_array_index (template->parameters, SluiceTemplateParameter, i);
      gboolean is_number = p->kind == SLUICE_TEMPLATE_INT || p->kind == SLUICE_TEMPLATE_FLOAT;
      if (is_number && p->value != NULL)
        g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", p->name, p->value);
    }
  return text->len > 0 ? g_strdup (text->str) : NULL;
}

/* take: filled but for what is searched. detail: (nullable) */
static GtkWidget *
new_row (Entry *take, const char *summary, const char *detail)
{
  g_autofree char *words = g_strdup_printf ("%s %s %s", take->title, take->name, summary);
  take->folded = g_utf8_casefold (words, -1);
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *title = gtk_label_new (take->title), *dim = gtk_label_new (detail);
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_set_hexpand (title, TRUE);
  /* Whole, or not at all: half a setting says nothing. */
  GtkWidget *room = adw_squeezer_new ();
  adw_squeezer_set_allow_none (ADW_SQUEEZER (room), TRUE);
  adw_squeezer_set_xalign (ADW_SQUEEZER (room), 1);
  adw_squeezer_add (ADW_SQUEEZER (room), dim);
  gtk_widget_add_css_class (dim, "dim-label");
  gtk_widget_add_css_class (dim, "layer-detail");
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), room);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_widget_set_tooltip_text (row, summary);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, take->title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, summary, -1);
  g_object_set_data_full (G_OBJECT (row), "entry", take, entry_free);
  return row;
}

static GtkWidget *
new_template_row (const SluiceTemplate *template)
{
  Entry *entry = g_new0 (Entry, 1);
  entry->family = g_strdup (template->family);
  entry->name = g_strdup (template->name);
  entry->title = sluice_offers_dup_layer_title (template->name, &entry->order);
  g_autofree char *defaults = dup_defaults (template);
  return new_row (entry, _ (template->summary), defaults);
}

static GtkWidget *
new_block_row (const char *block, guint order)
{
  Entry *entry = g_new0 (Entry, 1);
  entry->family = g_strdup ("block");
  entry->name = g_strdup (block);
  entry->title = g_strdup (block);
  entry->order = order;
  return new_row (entry, _ ("One more of this block, which reads what is selected"), NULL);
}

/* Schedules and clipping are chosen together with the optimizer. */
static gboolean
is_chosen_here (const SluiceTemplateFamily *family)
{
  return family->is_layer || strcmp (family->name, "optimizer") == 0
         || strcmp (family->name, "summary") == 0;
}

static int
compare_cb (GtkListBoxRow *a, GtkListBoxRow *b, gpointer data)
{
  const Entry *x = get_entry (a), *y = get_entry (b);
  return x->order != y->order ? (x->order < y->order ? -1 : 1)
                              : g_utf8_collate (x->title, y->title);
}

static gboolean
matches (SluiceLayersPane *self, GtkListBoxRow *row)
{
  g_autofree char *wanted = g_utf8_casefold (gtk_editable_get_text (self->entry), -1);
  return strstr (get_entry (row)->folded, wanted) != NULL;
}

static gboolean
filter_cb (GtkListBoxRow *row, gpointer data)
{
  return matches (data, row);
}

static void
activated_cb (SluiceLayersPane *self, GtkListBoxRow *row)
{
  const Entry *entry = get_entry (row);
  g_signal_emit (self, signals[CHOSEN], 0, entry->family, entry->name);
}

/* (nullable): of those that match */
static GtkListBoxRow *
find_first (SluiceLayersPane *self, const Group *group)
{
  GtkListBoxRow *row;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (group->list, i)) != NULL; i++)
    if (matches (self, row))
      return row;
  return NULL;
}

/* Somebody opens or folds a family: that is kept for when nobody searches. */
static void
expanded_cb (SluiceLayersPane *self, GParamSpec *pspec, GtkExpander *expander)
{
  for (guint i = 0; i < self->groups->len; i++)
    {
      Group *group = &g_array_index (self->groups, Group, i);
      if (group->expander == expander)
        group->is_open = gtk_expander_get_expanded (expander);
    }
}

/* What is found is shown, wherever it stands. */
static void
search_cb (SluiceLayersPane *self)
{
  gboolean searches = *gtk_editable_get_text (self->entry) != '\0';
  for (guint i = 0; i < self->groups->len; i++)
    {
      Group *group = &g_array_index (self->groups, Group, i);
      gtk_list_box_invalidate_filter (group->list);
      gtk_widget_set_visible (GTK_WIDGET (group->expander), find_first (self, group) != NULL);
      g_signal_handlers_block_by_func (group->expander, expanded_cb, self);
      gtk_expander_set_expanded (group->expander, searches || group->is_open);
      g_signal_handlers_unblock_by_func (group->expander, expanded_cb, self);
    }
}

/* The first that matches, as in the palette. */
static void
entered_cb (SluiceLayersPane *self)
{
  GtkListBoxRow *row = NULL;
  for (guint i = 0; row == NULL && i < self->groups->len; i++)
    row = find_first (self, &g_array_index (self->groups, Group, i));
  if (row != NULL)
    activated_cb (self, row);
}

/* ---- the families ---- */

static GtkWidget *
new_heading (const char *title, GtkLabel **count)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new (title), *number = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (number, "dim-label");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), number);
  *count = GTK_LABEL (number);
  return box;
}

static void
set_count (const Group *group, guint n)
{
  g_autofree char *text = g_strdup_printf ("%u", n);
  gtk_label_set_label (group->count, text);
}

static GtkListBox *
new_list (SluiceLayersPane *self, const char *title)
{
  GtkWidget *list = gtk_list_box_new ();
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  gtk_widget_add_css_class (list, "layers-list");
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_list_box_set_sort_func (GTK_LIST_BOX (list), compare_cb, NULL, NULL);
  gtk_list_box_set_filter_func (GTK_LIST_BOX (list), filter_cb, self, NULL);
  g_signal_connect_swapped (list, "row-activated", G_CALLBACK (activated_cb), self);
  return GTK_LIST_BOX (list);
}

static Group *
add_group (SluiceLayersPane *self, const char *title, gboolean is_open)
{
  GtkWidget *expander = gtk_expander_new (NULL);
  Group group = { .expander = GTK_EXPANDER (expander),
                  .list = new_list (self, title),
                  .is_open = is_open };
  gtk_expander_set_label_widget (group.expander, new_heading (title, &group.count));
  gtk_expander_set_child (group.expander, GTK_WIDGET (group.list));
  gtk_expander_set_expanded (group.expander, is_open);
  gtk_widget_add_css_class (expander, "layers-group");
  gtk_accessible_update_property (GTK_ACCESSIBLE (expander), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  g_signal_connect_swapped (expander, "notify::expanded", G_CALLBACK (expanded_cb), self);
  gtk_box_append (GTK_BOX (self->groups_box), expander);
  g_array_append_val (self->groups, group);
  return &g_array_index (self->groups, Group, self->groups->len - 1);
}

/* What a model is made of is open, what comes later is folded. */
static void
add_family (SluiceLayersPane *self, const SluiceTemplateFamily *family)
{
  g_autoptr (GPtrArray) templates = sluice_template_list (family->name);
  gboolean is_open = strcmp (family->name, "input") == 0 || strcmp (family->name, "layer") == 0;
  Group *group = add_group (self, _ (family->title), is_open);
  for (guint i = 0; i < templates->len; i++)
    gtk_list_box_append (group->list, new_template_row (templates->pdata[i]));
  set_count (group, templates->len);
}

void
sluice_layers_pane_set_blocks (SluiceLayersPane *self, const char *const *blocks)
{
  Group *group = &g_array_index (self->groups, Group, 0);
  if (self->blocks != NULL && g_strv_equal ((const char *const *) self->blocks, blocks))
    return;
  g_strfreev (self->blocks);
  self->blocks = g_strdupv ((GStrv) blocks);
  for (GtkListBoxRow *row; (row = gtk_list_box_get_row_at_index (group->list, 0)) != NULL;)
    gtk_list_box_remove (group->list, GTK_WIDGET (row));
  for (guint i = 0; blocks[i] != NULL; i++)
    gtk_list_box_append (group->list, new_block_row (blocks[i], i));
  set_count (group, g_strv_length (self->blocks));
  gtk_widget_set_visible (GTK_WIDGET (group->expander), find_first (self, group) != NULL);
}

static void
sluice_layers_pane_dispose (GObject *object)
{
  g_clear_pointer (&SLUICE_LAYERS_PANE (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sluice_layers_pane_parent_class)->dispose (object);
}

static void
sluice_layers_pane_finalize (GObject *object)
{
  g_array_unref (SLUICE_LAYERS_PANE (object)->groups);
  g_strfreev (SLUICE_LAYERS_PANE (object)->blocks);
  G_OBJECT_CLASS (sluice_layers_pane_parent_class)->finalize (object);
}

static gboolean
sluice_layers_pane_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (SLUICE_LAYERS_PANE (widget)->entry));
}

static void
sluice_layers_pane_class_init (SluiceLayersPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_layers_pane_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_layers_pane_finalize;
  widget_class->grab_focus = sluice_layers_pane_grab_focus;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  signals[CHOSEN] = g_signal_new ("chosen", SLUICE_TYPE_LAYERS_PANE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
}

static void
sluice_layers_pane_init (SluiceLayersPane *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new (), *entry = gtk_search_entry_new ();
  self->groups = g_array_new (FALSE, FALSE, sizeof (Group));
  self->entry = GTK_EDITABLE (entry);
  self->groups_box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_search_entry_set_key_capture_widget (GTK_SEARCH_ENTRY (entry), NULL);
  g_object_set (entry, "placeholder-text", _ ("Find a layer"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Find a layer"), -1);
  gtk_widget_add_css_class (entry, "layers-search");
  g_signal_connect_swapped (entry, "search-changed", G_CALLBACK (search_cb), self);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (entered_cb), self);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->groups_box);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_box_append (GTK_BOX (self->box), entry);
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  add_group (self, _ ("Blocks of this graph"), TRUE);
  sluice_layers_pane_set_blocks (self, (const char *const[]){ NULL });
  for (guint i = 0; i < sluice_template_n_families; i++)
    if (is_chosen_here (&sluice_template_families[i]))
      add_family (self, &sluice_template_families[i]);
}
