/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/help/help-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "app/graph/op-example-picture.h"
#include "app/graph/op-ports.h"
#include "app/help/help-pages.h"
#include "ui/common/markdown.h"

/* Between blocks, in pixels. */
#define GAP 12

struct _SluiceHelpView
{
  GtkWidget parent;
  GtkBox *box;
  GHashTable *headings; /* anchor -> the label, borrowed */
  char *title;
  char *markdown; /* (nullable): nothing is shown yet */
  char *link;     /* (nullable): followed just now */
  guint link_source;
};

G_DEFINE_FINAL_TYPE (SluiceHelpView, sluice_help_view, GTK_TYPE_WIDGET)

static guint link_signal;

/* ---- words ---- */

static gboolean
follow_cb (gpointer data)
{
  SluiceHelpView *self = data;
  g_autofree char *link = g_steal_pointer (&self->link);
  self->link_source = 0;
  g_signal_emit (self, link_signal, 0, link);
  return G_SOURCE_REMOVE;
}

/* Another page takes the label's place, which must be through with the click before. */
static gboolean
link_cb (GtkLabel *label, const char *link, SluiceHelpView *self)
{
  g_free (self->link);
  self->link = g_strdup (link);
  if (self->link_source == 0)
    self->link_source = g_idle_add (follow_cb, self);
  return TRUE;
}

static GtkWidget *
new_label (SluiceHelpView *self, cmark_node *block)
{
  g_autoptr (GString) markup = g_string_new (NULL);
  sluice_markdown_append_words (markup, block, TRUE);
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_markup (GTK_LABEL (label), markup->str);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  g_signal_connect (label, "activate-link", G_CALLBACK (link_cb), self);
  return label;
}

static void
add_heading (SluiceHelpView *self, GtkBox *box, cmark_node *block)
{
  static const char *const classes[] = { "help-title", "help-heading", "heading" };
  int level = MIN (cmark_node_get_heading_level (block), (int) G_N_ELEMENTS (classes));
  GtkWidget *label = new_label (self, block);
  g_autofree char *words = sluice_markdown_dup_text (block);
  gtk_widget_add_css_class (label, classes[level - 1]);
  gtk_box_append (box, label);
  if (level == 1 && self->title == NULL)
    self->title = g_strstrip (g_strdup (words));
  g_hash_table_insert (self->headings, sluice_help_dup_anchor (words), label);
}

/* What somebody types or reads in a terminal: it can be marked and copied. */
static void
add_code (GtkBox *box, cmark_node *block)
{
  g_autofree char *text = g_strchomp (g_strdup (cmark_node_get_literal (block)));
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_direction (label, GTK_TEXT_DIR_LTR);
  gtk_widget_add_css_class (label, "help-code");
  gtk_accessible_update_property (GTK_ACCESSIBLE (label), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  _ ("Code"), -1);
  gtk_box_append (box, label);
}

/* ---- pictures ---- */

/* (nullable): it has none */
static GtkWidget *
new_example (const SluiceOp *op)
{
  g_autoptr (SluiceOpExample) example = sluice_op_example_new (op, NULL);
  return example != NULL ? sluice_op_example_picture_new (example) : NULL;
}

static GtkWidget *
new_ports (const SluiceOp *op)
{
  GtkWidget *ports = sluice_op_ports_new (op);
  gtk_widget_set_halign (ports, GTK_ALIGN_START);
  return ports;
}

/* What is drawn of an op, by how the link ends. */
static const struct
{
  const char *ending;
  GtkWidget *(*new) (const SluiceOp *op);
} drawn[] = { { ".example", new_example }, { ".ports", new_ports } };

/* (nullable): it is no such link, or there is nothing to draw */
static GtkWidget *
new_op_picture (const char *link)
{
  for (guint i = 0; i < G_N_ELEMENTS (drawn); i++)
    if (g_str_has_suffix (link, drawn[i].ending))
      {
        g_autofree char *name = g_strndup (link, strlen (link) - strlen (drawn[i].ending));
        const SluiceOp *op = sluice_registry_find (name);
        return op != NULL ? drawn[i].new(op) : NULL;
      }
  return NULL;
}

/* What was not drawn is told in its words. */
static void
add_picture (GtkBox *box, cmark_node *image)
{
  GtkWidget *of_op = new_op_picture (cmark_node_get_url (image));
  if (of_op != NULL)
    {
      gtk_box_append (box, of_op);
      return;
    }
  g_autofree char *words = g_strstrip (sluice_markdown_dup_text (image));
  gboolean is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  g_autofree char *path = sluice_help_find_picture (cmark_node_get_url (image), is_dark);
  g_autoptr (GdkTexture) texture = path != NULL ? gdk_texture_new_from_filename (path, NULL) : NULL;
  if (texture != NULL)
    {
      GtkWidget *picture = gtk_picture_new_for_paintable (GDK_PAINTABLE (texture));
      gtk_picture_set_alternative_text (GTK_PICTURE (picture), words);
      gtk_accessible_update_property (GTK_ACCESSIBLE (picture), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      words, -1);
      gtk_widget_set_halign (picture, GTK_ALIGN_START);
      gtk_widget_add_css_class (picture, "help-picture");
      gtk_box_append (box, picture);
    }
  GtkWidget *caption = gtk_label_new (words);
  gtk_label_set_wrap (GTK_LABEL (caption), TRUE);
  gtk_label_set_xalign (GTK_LABEL (caption), 0);
  gtk_widget_add_css_class (caption, "dim-label");
  gtk_widget_add_css_class (caption, "help-caption");
  gtk_box_append (box, caption);
}

static void
add_paragraph (SluiceHelpView *self, GtkBox *box, cmark_node *block)
{
  cmark_node *first = cmark_node_first_child (block);
  if (first != NULL && cmark_node_get_type (first) == CMARK_NODE_IMAGE
      && cmark_node_next (first) == NULL)
    add_picture (box, first);
  else
    gtk_box_append (box, new_label (self, block));
}

/* ---- what holds others ---- */

static void add_blocks (SluiceHelpView *self, GtkBox *box, cmark_node *parent);

static void
add_list (SluiceHelpView *self, GtkBox *box, cmark_node *list)
{
  GtkWidget *grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (grid), GAP / 2);
  gtk_grid_set_row_spacing (GTK_GRID (grid), cmark_node_get_list_tight (list) ? GAP / 2 : GAP);
  gtk_widget_set_margin_start (grid, GAP);
  int row = 0;
  for (cmark_node *item = cmark_node_first_child (list); item != NULL;
       item = cmark_node_next (item))
    {
      g_autofree char *words = sluice_markdown_dup_item_mark (item);
      GtkWidget *mark = gtk_label_new (words);
      GtkWidget *body = gtk_box_new (GTK_ORIENTATION_VERTICAL, GAP / 2);
      gtk_widget_set_valign (mark, GTK_ALIGN_START);
      gtk_label_set_xalign (GTK_LABEL (mark), 1);
      gtk_widget_set_hexpand (body, TRUE);
      add_blocks (self, GTK_BOX (body), item);
      gtk_grid_attach (GTK_GRID (grid), mark, 0, row, 1, 1);
      gtk_grid_attach (GTK_GRID (grid), body, 1, row++, 1, 1);
    }
  gtk_box_append (box, grid);
}

static void
add_table (SluiceHelpView *self, GtkBox *box, cmark_node *table)
{
  GtkWidget *grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (grid), 2 * GAP);
  gtk_widget_add_css_class (grid, "help-table");
  int y = 0;
  for (cmark_node *row = cmark_node_first_child (table); row != NULL; row = cmark_node_next (row))
    {
      int x = 0;
      for (cmark_node *cell = cmark_node_first_child (row); cell != NULL;
           cell = cmark_node_next (cell))
        {
          GtkWidget *label = new_label (self, cell);
          gtk_label_set_yalign (GTK_LABEL (label), 0);
          gtk_widget_set_hexpand (label, cmark_node_next (cell) == NULL);
          gtk_widget_add_css_class (label, y == 0 ? "heading" : "help-cell");
          gtk_grid_attach (GTK_GRID (grid), label, x++, y, 1, 1);
        }
      y++;
    }
  gtk_box_append (box, grid);
}

static void
add_quote (SluiceHelpView *self, GtkBox *box, cmark_node *quote)
{
  GtkWidget *inner = gtk_box_new (GTK_ORIENTATION_VERTICAL, GAP / 2);
  gtk_widget_add_css_class (inner, "help-note");
  add_blocks (self, GTK_BOX (inner), quote);
  gtk_box_append (box, inner);
}

static void
add_blocks (SluiceHelpView *self, GtkBox *box, cmark_node *parent)
{
  for (cmark_node *n = cmark_node_first_child (parent); n != NULL; n = cmark_node_next (n))
    {
      cmark_node_type type = cmark_node_get_type (n);
      if (type == CMARK_NODE_HEADING)
        add_heading (self, box, n);
      else if (type == CMARK_NODE_PARAGRAPH)
        add_paragraph (self, box, n);
      else if (type == CMARK_NODE_CODE_BLOCK)
        add_code (box, n);
      else if (type == CMARK_NODE_LIST)
        add_list (self, box, n);
      else if (type == CMARK_NODE_BLOCK_QUOTE)
        add_quote (self, box, n);
      else if (sluice_markdown_is_table (n))
        add_table (self, box, n);
      /* Comments, as the licence's, are HTML: they are not shown. */
    }
}

/* ---- public ---- */

static void
rebuild (SluiceHelpView *self)
{
  if (self->markdown == NULL)
    return;
  for (GtkWidget *child; (child = gtk_widget_get_first_child (GTK_WIDGET (self->box))) != NULL;)
    gtk_box_remove (self->box, child);
  g_hash_table_remove_all (self->headings);
  g_clear_pointer (&self->title, g_free);
  g_autoptr (SluiceMarkdown) document = sluice_markdown_parse (self->markdown);
  add_blocks (self, self->box, document);
}

void
sluice_help_view_show (SluiceHelpView *self, const char *markdown)
{
  g_free (self->markdown);
  self->markdown = g_strdup (markdown);
  rebuild (self);
}

GtkWidget *
sluice_help_view_find (SluiceHelpView *self, const char *anchor)
{
  return g_hash_table_lookup (self->headings, anchor);
}

const char *
sluice_help_view_get_title (SluiceHelpView *self)
{
  return self->title != NULL ? self->title : "";
}

static void
sluice_help_view_dispose (GObject *object)
{
  SluiceHelpView *self = SLUICE_HELP_VIEW (object);
  g_clear_handle_id (&self->link_source, g_source_remove);
  g_hash_table_remove_all (self->headings);
  if (self->box != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->box));
  self->box = NULL;
  G_OBJECT_CLASS (sluice_help_view_parent_class)->dispose (object);
}

static void
sluice_help_view_finalize (GObject *object)
{
  SluiceHelpView *self = SLUICE_HELP_VIEW (object);
  g_hash_table_unref (self->headings);
  g_free (self->title);
  g_free (self->markdown);
  g_free (self->link);
  G_OBJECT_CLASS (sluice_help_view_parent_class)->finalize (object);
}

static void
sluice_help_view_class_init (SluiceHelpViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_help_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_help_view_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
  link_signal = g_signal_new ("link", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sluice_help_view_init (SluiceHelpView *self)
{
  self->box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, GAP));
  gtk_widget_set_parent (GTK_WIDGET (self->box), GTK_WIDGET (self));
  self->headings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (rebuild),
                           self, G_CONNECT_SWAPPED);
}
