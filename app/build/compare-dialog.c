/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/build/compare-dialog.h"

#include <glib/gi18n.h>

#include "app/build/compare-model.h"
#include "app/failure-words.h"
#include "engine/command/accept.h"
#include "ui/canvas/canvas.h"

#define WIDTH      1000
#define HEIGHT     620
#define LIST_WIDTH 420
#define MOST_ROWS  1000 /* at once: a row is a dozen widgets */

struct _SluiceCompareDialog
{
  AdwWindow parent;
  SluiceDocument *document;
  SluiceGraph *theirs, *base; /* base: (nullable) */
  GPtrArray *diffs;           /* of SluiceNodeDiff */
  GPtrArray *nodes;           /* those of diffs that are of nodes */
  GtkListBox *list;
  guint n_rows;        /* of nodes, the first ones; others are taken as they would be listed */
  GtkListBoxRow *more; /* (nullable): behind them */
  SluiceCanvas *canvas;
  GtkLabel *summary, *problem;
  GtkButton *take;
  gboolean is_file;
  gboolean is_selecting; /* a row by the picture, or the other way round */
};

G_DEFINE_FINAL_TYPE (SluiceCompareDialog, sluice_compare_dialog, ADW_TYPE_WINDOW)

static const SluiceNodeDiff *
get_diff (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "diff");
}

static GtkCheckButton *
get_check (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "check");
}

/* As it is called in the picture. */
static const char *
get_name (const SluiceNodeDiff *diff)
{
  return diff->was != NULL ? diff->was->name : diff->is->name;
}

/* ---- what is ticked ---- */

/* (transfer container) */
static GPtrArray *
list_ticked (SluiceCompareDialog *self)
{
  GPtrArray *ticked = g_ptr_array_new ();
  for (guint i = 0; i < self->nodes->len; i++)
    {
      const SluiceNodeDiff *diff = self->nodes->pdata[i];
      GtkListBoxRow *row =
          i < self->n_rows ? gtk_list_box_get_row_at_index (self->list, (int) i) : NULL;
      if (row != NULL ? gtk_check_button_get_active (get_check (row))
                      : sluice_accept_find_author (diff, self->base) == SLUICE_MADE_BY_THEM)
        g_ptr_array_add (ticked, (gpointer) diff);
    }
  return ticked;
}

static void
ticked_cb (SluiceCompareDialog *self)
{
  g_autoptr (GPtrArray) ticked = list_ticked (self);
  g_autofree char *words =
      ticked->len > 0
          ? g_strdup_printf (ngettext ("Take Over %u", "Take Over %u", ticked->len), ticked->len)
          : g_strdup (_ ("Take Over"));
  gtk_button_set_label (self->take, words);
  gtk_widget_set_sensitive (GTK_WIDGET (self->take), ticked->len > 0);
}

static gboolean
take_over (SluiceCompareDialog *self, GError **error)
{
  g_autoptr (GPtrArray) ticked = list_ticked (self);
  g_autofree char *words = g_strdup_printf (
      ngettext ("take over %u difference", "take over %u differences", ticked->len), ticked->len);
  g_autofree char *line = sluice_accept_dup_line (ticked, words);
  return sluice_document_do (self->document, line, error)
         && (!self->is_file || sluice_document_keep_own (self->document, error));
}

static void
take_cb (SluiceCompareDialog *self)
{
  g_autoptr (GError) error = NULL;
  if (take_over (self, &error))
    {
      gtk_window_close (GTK_WINDOW (self));
      return;
    }
  g_autofree char *words = sluice_failure_words (error);
  gtk_label_set_label (self->problem, words);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), TRUE);
}

/* ---- a row ---- */

static GtkWidget *
new_label (const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (label, text);
  if (class != NULL)
    gtk_widget_add_css_class (label, class);
  return label;
}

/* Three columns, as wide in all rows and in the heading above them. */
static GtkWidget *
new_grid (void)
{
  GtkWidget *grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_column_homogeneous (GTK_GRID (grid), TRUE);
  gtk_widget_add_css_class (grid, "compare-fields");
  return grid;
}

/* A line a field: its name, here, there. */
static GtkWidget *
new_fields (const SluiceNodeDiff *diff, GString *said)
{
  GtkWidget *grid = new_grid ();
  for (guint i = 0; i < diff->fields->len; i++)
    {
      const SluiceFieldDiff *field = &g_array_index (diff->fields, SluiceFieldDiff, i);
      const char *from = field->from != NULL ? field->from : "–";
      const char *to = field->to != NULL ? field->to : "–";
      gtk_grid_attach (GTK_GRID (grid), new_label (field->field, "dim-label"), 0, (int) i, 1, 1);
      gtk_grid_attach (GTK_GRID (grid), new_label (from, NULL), 1, (int) i, 1, 1);
      gtk_grid_attach (GTK_GRID (grid), new_label (to, NULL), 2, (int) i, 1, 1);
      g_string_append_printf (said, _ ("%s: here %s, there %s. "), field->field, from, to);
    }
  return grid;
}

/* The window's width in characters of the longest of them: names stand under each other. */
static GtkWidget *
new_kind (SluiceDiffKind kind)
{
  static const char *const classes[] = { [SLUICE_DIFF_ADDED] = "compare-added",
                                         [SLUICE_DIFF_REMOVED] = "compare-removed",
                                         [SLUICE_DIFF_CHANGED] = "compare-changed",
                                         [SLUICE_DIFF_RENAMED] = "compare-renamed" };
  GtkWidget *label = new_label (sluice_compare_kind_words (kind), classes[kind]);
  glong longest = 0;
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    longest = MAX (longest, g_utf8_strlen (sluice_compare_kind_words (i), -1));
  gtk_label_set_width_chars (GTK_LABEL (label), (int) longest);
  gtk_widget_add_css_class (label, "compare-kind");
  return label;
}

/* (transfer full): "conv1 → conv2" where it is renamed */
static char *
dup_names (const SluiceNodeDiff *diff)
{
  return diff->kind == SLUICE_DIFF_RENAMED
             ? g_strdup_printf ("%s → %s", get_name (diff), diff->is->name)
             : g_strdup (get_name (diff));
}

/* Whose it is where it is not only theirs, and what a tick does then. */
static const char *const authors[] = {
  [SLUICE_MADE_BY_THEM] = NULL,
  [SLUICE_MADE_BY_US] = N_ ("by you; ticked, it is taken back"),
  [SLUICE_MADE_BY_BOTH] = N_ ("by both, each otherwise; ticked, theirs stands"),
};

/* "~ changed · conv1 · by both, each otherwise …". */
static char *
dup_title (const SluiceNodeDiff *diff, SluiceDiffAuthor author)
{
  g_autofree char *names = dup_names (diff);
  const char *kind = sluice_compare_kind_words (diff->kind);
  return authors[author] != NULL
             ? g_strdup_printf ("%s · %s · %s", kind, names, _ (authors[author]))
             : g_strdup_printf ("%s · %s", kind, names);
}

/* The tick in the line of the name, the rest under that. */
static GtkWidget *
new_words (const SluiceNodeDiff *diff, SluiceDiffAuthor author, GtkWidget *check, GString *said)
{
  g_autofree char *names = dup_names (diff);
  GtkWidget *grid = gtk_grid_new (), *label = new_label (names, "attribute-name");
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 2);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_grid_attach (GTK_GRID (grid), check, 0, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), new_kind (diff->kind), 1, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), label, 2, 0, 1, 1);
  if (authors[author] != NULL)
    {
      GtkWidget *note = new_label (_ (authors[author]), "compare-note");
      gtk_widget_add_css_class (note, author == SLUICE_MADE_BY_BOTH ? "warning" : "dim-label");
      gtk_grid_attach (GTK_GRID (grid), note, 1, 1, 2, 1);
    }
  if (diff->was != NULL && diff->is != NULL && diff->fields->len > 0)
    gtk_grid_attach (GTK_GRID (grid), new_fields (diff, said), 1, 2, 2, 1);
  return grid;
}

static void
add_row (SluiceCompareDialog *self, SluiceNodeDiff *diff)
{
  SluiceDiffAuthor author = sluice_accept_find_author (diff, self->base);
  g_autofree char *title = dup_title (diff, author);
  g_autoptr (GString) said = g_string_new (NULL);
  GtkWidget *row = gtk_list_box_row_new (), *check = gtk_check_button_new ();
  GtkWidget *words = new_words (diff, author, check, said);
  gtk_widget_add_css_class (words, "attribute-row");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), words);
  g_object_set_data (G_OBJECT (row), "diff", diff);
  g_object_set_data (G_OBJECT (row), "check", check);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), author == SLUICE_MADE_BY_THEM);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, said->str, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, said->str, -1);
  g_signal_connect_swapped (check, "toggled", G_CALLBACK (ticked_cb), self);
  gtk_list_box_append (self->list, row);
}

/* ---- the list and the picture ---- */

static void show_more (SluiceCompareDialog *self);

/* So many are left. */
static void
add_more (SluiceCompareDialog *self, guint n)
{
  g_autofree char *words =
      g_strdup_printf (ngettext ("List %u more; what is ticked there counts already",
                                 "List %u more; what is ticked there counts already", n),
                       n);
  GtkWidget *row = gtk_list_box_row_new (), *button = gtk_button_new_with_label (words);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_focusable (button, FALSE); /* the row has it */
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), button);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (show_more), self);
  self->more = GTK_LIST_BOX_ROW (row);
  gtk_list_box_append (self->list, row);
}

static void
row_selected_cb (SluiceCompareDialog *self, GtkListBoxRow *row)
{
  if (row == NULL || row == self->more || self->is_selecting)
    return;
  self->is_selecting = TRUE;
  sluice_canvas_select (self->canvas, get_name (get_diff (row)));
  self->is_selecting = FALSE;
}

/* Rows for the next ones, and one that brings those behind them. */
static void
show_more (SluiceCompareDialog *self)
{
  guint n = MIN (self->nodes->len, self->n_rows + MOST_ROWS), first = self->n_rows;
  gboolean has_focus = self->more != NULL && gtk_widget_has_focus (GTK_WIDGET (self->more));
  if (self->more != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (self->more));
  self->more = NULL;
  for (; self->n_rows < n; self->n_rows++)
    add_row (self, self->nodes->pdata[self->n_rows]);
  if (has_focus) /* of the last one before them: these have no place yet to be scrolled to */
    {
      GtkListBoxRow *last = gtk_list_box_get_row_at_index (self->list, (int) first - 1);
      gtk_list_box_select_row (self->list, last);
      gtk_widget_grab_focus (GTK_WIDGET (last));
    }
  if (n < self->nodes->len)
    add_more (self, self->nodes->len - n);
}

/* Return on a row. */
static void
row_activated_cb (SluiceCompareDialog *self, GtkListBoxRow *row)
{
  if (row == self->more)
    {
      show_more (self);
      return;
    }
  GtkCheckButton *check = get_check (row);
  gtk_check_button_set_active (check, !gtk_check_button_get_active (check));
}

static void
node_selected_cb (SluiceCompareDialog *self, const char *name)
{
  if (name == NULL || self->is_selecting)
    return;
  self->is_selecting = TRUE;
  for (guint i = 0; i < self->n_rows; i++)
    if (g_str_equal (get_name (self->nodes->pdata[i]), name))
      gtk_list_box_select_row (self->list, gtk_list_box_get_row_at_index (self->list, (int) i));
  self->is_selecting = FALSE;
}

static void
fill (SluiceCompareDialog *self)
{
  sluice_document_finish_paste (self->document);
  SluiceGraph *ours = sluice_document_get_graph (self->document);
  self->diffs = sluice_graph_diff (ours, self->theirs);
  self->nodes = g_ptr_array_new ();
  for (guint i = 0; i < self->diffs->len; i++)
    {
      SluiceNodeDiff *diff = self->diffs->pdata[i];
      if (diff->was != NULL || diff->is != NULL) /* else a function of the library */
        g_ptr_array_add (self->nodes, diff);
    }
  show_more (self);
  guint n = self->nodes->len;
  g_autofree char *summary = g_strdup_printf (ngettext ("%u difference", "%u differences", n), n);
  gtk_label_set_label (self->summary, summary);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->summary), summary);
  g_autoptr (SluiceGraphModel) model = sluice_compare_model_new (ours, self->theirs, self->diffs);
  sluice_canvas_set_model (self->canvas, model);
  sluice_canvas_set_color_by (self->canvas, SLUICE_COLOR_BY_CHANGE);
  ticked_cb (self);
  GtkListBoxRow *first = gtk_list_box_get_row_at_index (self->list, 0);
  gtk_list_box_select_row (self->list, first);
  gtk_window_set_focus (GTK_WINDOW (self),
                        first != NULL ? GTK_WIDGET (first) : GTK_WIDGET (self->canvas));
}

/* ---- the window ---- */

/* What stands in the columns of the rows below. */
static GtkWidget *
new_titles (SluiceCompareDialog *self)
{
  GtkWidget *grid = new_grid ();
  self->summary = GTK_LABEL (new_label ("", "dim-label"));
  gtk_grid_attach (GTK_GRID (grid), GTK_WIDGET (self->summary), 0, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), new_label (_ ("Here"), "dim-label"), 1, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), new_label (_ ("There"), "dim-label"), 2, 0, 1, 1);
  gtk_widget_add_css_class (grid, "compare-titles");
  return grid;
}

static GtkWidget *
new_list (SluiceCompareDialog *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *nothing = gtk_label_new (_ ("No node is different."));
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_placeholder (self->list, nothing);
  gtk_list_box_set_activate_on_single_click (self->list, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Differences"), -1);
  g_signal_connect_swapped (self->list, "row-selected", G_CALLBACK (row_selected_cb), self);
  g_signal_connect_swapped (self->list, "row-activated", G_CALLBACK (row_activated_cb), self);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  gtk_widget_set_size_request (scroller, LIST_WIDTH, -1);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_box_append (GTK_BOX (box), new_titles (self));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), scroller);
  return box;
}

static GtkWidget *
new_head (SluiceCompareDialog *self)
{
  GtkWidget *head = adw_header_bar_new ();
  self->take = GTK_BUTTON (gtk_button_new_with_label (_ ("Take Over")));
  gtk_widget_add_css_class (GTK_WIDGET (self->take), "suggested-action");
  g_signal_connect_swapped (self->take, "clicked", G_CALLBACK (take_cb), self);
  adw_header_bar_pack_end (ADW_HEADER_BAR (head), GTK_WIDGET (self->take));
  return head;
}

static void
sluice_compare_dialog_dispose (GObject *object)
{
  SluiceCompareDialog *self = SLUICE_COMPARE_DIALOG (object);
  self->is_selecting = TRUE;
  g_clear_object (&self->document);
  G_OBJECT_CLASS (sluice_compare_dialog_parent_class)->dispose (object);
}

static void
sluice_compare_dialog_finalize (GObject *object)
{
  SluiceCompareDialog *self = SLUICE_COMPARE_DIALOG (object);
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_pointer (&self->diffs, g_ptr_array_unref);
  g_clear_pointer (&self->theirs, sluice_graph_unref);
  g_clear_pointer (&self->base, sluice_graph_unref);
  G_OBJECT_CLASS (sluice_compare_dialog_parent_class)->finalize (object);
}

static void
sluice_compare_dialog_class_init (SluiceCompareDialogClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_compare_dialog_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_compare_dialog_finalize;
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close",
                                       NULL);
}

static void
sluice_compare_dialog_init (SluiceCompareDialog *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *halves = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);
  self->canvas = SLUICE_CANVAS (sluice_canvas_new ());
  self->problem = GTK_LABEL (new_label ("", "error"));
  gtk_label_set_wrap (self->problem, TRUE);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->canvas), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Both graphs"), -1);
  g_signal_connect_swapped (self->canvas, "selection-changed", G_CALLBACK (node_selected_cb), self);
  gtk_paned_set_start_child (GTK_PANED (halves), new_list (self));
  gtk_paned_set_end_child (GTK_PANED (halves), GTK_WIDGET (self->canvas));
  gtk_paned_set_resize_start_child (GTK_PANED (halves), FALSE);
  gtk_paned_set_shrink_start_child (GTK_PANED (halves), FALSE);
  gtk_box_append (GTK_BOX (box), new_head (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->problem));
  gtk_box_append (GTK_BOX (box), halves);
  adw_window_set_content (ADW_WINDOW (self), box);
  gtk_window_set_default_size (GTK_WINDOW (self), WIDTH, HEIGHT);
  gtk_window_set_modal (GTK_WINDOW (self), TRUE);
}

/* base: (transfer full) (nullable) */
static GtkWidget *
new_dialog (SluiceDocument *document,
            GtkWindow *parent,
            const char *title,
            SluiceGraph *theirs,
            SluiceGraph *base)
{
  SluiceCompareDialog *self =
      g_object_new (SLUICE_TYPE_COMPARE_DIALOG, "transient-for", parent, "title", title, NULL);
  self->document = g_object_ref (document);
  self->theirs = theirs;
  self->base = base;
  fill (self);
  return GTK_WIDGET (self);
}

GtkWidget *
sluice_compare_dialog_new (SluiceDocument *document,
                           GtkWindow *parent,
                           const char *title,
                           SluiceGraph *theirs)
{
  return new_dialog (document, parent, title, theirs, NULL);
}

GtkWidget *
sluice_compare_dialog_new_with_file (SluiceDocument *document, GtkWindow *parent, GError **error)
{
  SluiceGraph *base = NULL;
  SluiceGraph *theirs = sluice_document_read_theirs (document, &base, error);
  if (theirs == NULL)
    return NULL;
  GtkWidget *dialog =
      new_dialog (document, parent, _ ("What another program made of the file"), theirs, base);
  SLUICE_COMPARE_DIALOG (dialog)->is_file = TRUE;
  return dialog;
}
