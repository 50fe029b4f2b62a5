/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/memory/memory-table.h"

#include <glib/gi18n.h>

#include "app/memory/memory-words.h"
#include "ui/chart/ticks.h"
#include "ui/common/paint.h"
#include "ui/common/widget.h"
#include "ui/timeline/memory-draw.h"

#define MOST_ROWS  40 /* the rest is one row, with its sum */
#define BAR_HEIGHT 3

/* Of a row. */
enum
{
  COLUMN_HOLDER,
  COLUMN_CLASS,
  COLUMN_BYTES,
  COLUMN_FREER,
  COLUMN_HELP, /* what to do, or why there is nothing */
  N_COLUMNS
};

static const char *const titles[N_COLUMNS] = { N_ ("Holder at the peak"), N_ ("Class"),
                                               N_ ("Bytes"), N_ ("Freed by"),
                                               N_ ("What would help") };

struct _SluiceMemoryTable
{
  GtkWidget parent;
  GtkWidget *box;
  GtkListBox *list;
  GtkSizeGroup *columns[N_COLUMNS];
  const SluiceMemoryView *view; /* (nullable): borrowed */
  const SluiceMemoryPlan *plan; /* (nullable): borrowed */
  GHashTable *ticked;           /* of names of holders */
  GArray *holdings;             /* (nullable): of SluiceMemoryHolding */
  GString *text;
  gboolean fills; /* what is selected is not by a person */
};

G_DEFINE_FINAL_TYPE (SluiceMemoryTable, sluice_memory_table, GTK_TYPE_WIDGET)

static guint selected_signal, ticked_signal;

/* ---- a row ---- */

static GtkWidget *
make_label (SluiceMemoryTable *self, guint column, const char *text)
{
  GtkWidget *label = gtk_label_new (text);
  gboolean grows = column == COLUMN_HOLDER || column == COLUMN_HELP;
  gtk_label_set_xalign (GTK_LABEL (label), column == COLUMN_BYTES ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (label),
                           column == COLUMN_HELP ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_START);
  gtk_label_set_width_chars (GTK_LABEL (label), column == COLUMN_BYTES   ? 12
                                                : column == COLUMN_CLASS ? 10
                                                                         : 14);
  gtk_widget_set_hexpand (label, grows);
  if (column == COLUMN_BYTES)
    gtk_widget_add_css_class (label, "numeric");
  return label;
}

typedef struct
{
  SluiceMemoryClass memory_class;
  double share; /* of the largest */
} Bar;

static void
draw_bar (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  const Bar *bar = data;
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (area));
  double filled = MAX (bar->share * width, 1);
  cairo_rectangle (cr, 0, 0, width, height);
  sluice_cairo_set_color (cr, theme.track);
  cairo_fill (cr);
  cairo_rectangle (cr, width - filled, 0, filled, height);
  sluice_cairo_set_color (cr, sluice_memory_get_color (bar->memory_class, &theme));
  cairo_fill (cr);
}

static GtkWidget *
make_bytes (SluiceMemoryTable *self, const SluiceMemoryHolding *holding, double share)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1), *area = gtk_drawing_area_new ();
  g_autofree char *bytes = sluice_format_step ((gint64) holding->bytes);
  Bar *bar = g_new (Bar, 1);
  *bar = (Bar){ holding->owner.memory_class, share };
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area), BAR_HEIGHT);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw_bar, bar, g_free);
  gtk_box_append (GTK_BOX (box), make_label (self, COLUMN_BYTES, bytes));
  gtk_box_append (GTK_BOX (box), area);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  return box;
}

static GtkWidget *
make_holder (SluiceMemoryTable *self, const SluiceMemoryHolding *holding, const char *name)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *dot = sluice_dot_new ();
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (self));
  sluice_dot_set_color (dot, sluice_memory_get_color (holding->owner.memory_class, &theme));
  sluice_dot_set_square (dot, TRUE);
  gtk_box_append (GTK_BOX (box), dot);
  gtk_box_append (GTK_BOX (box), make_label (self, COLUMN_HOLDER, name));
  gtk_widget_set_hexpand (box, TRUE);
  return box;
}

static GtkWidget *
make_help (SluiceMemoryTable *self, const SluiceMemoryHolding *holding, const char *words)
{
  GtkWidget *label = make_label (self, COLUMN_HELP, words);
  gboolean helps = holding->help == SLUICE_HELP_AT_ONCE;
  gtk_widget_add_css_class (label, helps ? "memory-pill" : "dim-label");
  gtk_widget_set_halign (label, helps ? GTK_ALIGN_START : GTK_ALIGN_FILL);
  return label;
}

/* ---- what to do ---- */

static void
ticked_cb (GtkCheckButton *check, SluiceMemoryTable *self)
{
  const char *node = g_object_get_data (G_OBJECT (check), "node");
  if (gtk_check_button_get_active (check))
    g_hash_table_add (self->ticked, g_strdup (node));
  else
    g_hash_table_remove (self->ticked, node);
  if (!self->fills)
    g_signal_emit (self, ticked_signal, 0);
}

static const SluiceMemoryChoice *
find_choice (const SluiceMemoryTable *self, const SluiceMemoryHolding *holding)
{
  return self->plan != NULL ? sluice_memory_plan_find (
             self->plan, sluice_memory_view_get_name (self->view, holding->owner.node))
                            : NULL;
}

static GtkWidget *
make_choice (SluiceMemoryTable *self, const SluiceMemoryChoice *choice, const char *words)
{
  GtkWidget *check = gtk_check_button_new_with_label (words);
  g_object_set_data_full (G_OBJECT (check), "node", g_strdup (choice->node), g_free);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check),
                               g_hash_table_contains (self->ticked, choice->node));
  g_autofree char *said = g_strdup_printf ("%s: %s", choice->node, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL, said, -1);
  g_signal_connect (check, "toggled", G_CALLBACK (ticked_cb), self);
  return check;
}

static void
add_cells (SluiceMemoryTable *self, GtkWidget *row, GtkWidget *const *cells)
{
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      GtkWidget *frame = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
      gtk_box_append (GTK_BOX (frame), cells[i]);
      gtk_size_group_add_widget (self->columns[i], frame);
      gtk_widget_set_hexpand (frame, i == COLUMN_HOLDER || i == COLUMN_HELP);
      gtk_box_append (GTK_BOX (row), frame);
    }
}

static void
add_row (SluiceMemoryTable *self, const SluiceMemoryHolding *holding, gsize most)
{
  GtkWidget *cells[N_COLUMNS], *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 14);
  GtkWidget *row = gtk_list_box_row_new ();
  g_autofree char *name = sluice_memory_dup_name (self->view, holding->owner);
  g_autofree char *freer = sluice_memory_words_freer (self->view, holding->band);
  g_autofree char *help = sluice_memory_words_help (self->view, holding);
  g_autofree char *bytes = sluice_memory_format_bytes ((double) holding->bytes);
  const char *class_words = sluice_memory_class_words (holding->owner.memory_class);
  g_autofree char *said =
      holding->n_blocks > 1 ? g_strdup_printf (
          ngettext ("%s, %s, %s in %u block; freed by: %s; %s",
                    "%s, %s, %s in %u blocks; freed by: %s; %s", holding->n_blocks),
          name, class_words, bytes, holding->n_blocks, freer, help)
                            : g_strdup_printf (_ ("%s, %s, %s; freed by: %s; %s"), name,
                                               class_words, bytes, freer, help);
  cells[COLUMN_HOLDER] = make_holder (self, holding, name);
  cells[COLUMN_CLASS] = make_label (self, COLUMN_CLASS, class_words);
  cells[COLUMN_BYTES] =
      make_bytes (self, holding, (double) holding->bytes / (double) MAX (most, 1));
  cells[COLUMN_FREER] = make_label (self, COLUMN_FREER, freer);
  const SluiceMemoryChoice *choice = find_choice (self, holding);
  g_autofree char *words = choice != NULL ? sluice_memory_words_choice (choice) : NULL;
  cells[COLUMN_HELP] =
      choice != NULL ? make_choice (self, choice, words) : make_help (self, holding, help);
  add_cells (self, box, cells);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, said, -1);
  gtk_widget_set_tooltip_text (row, said);
  gtk_list_box_append (self->list, row);
  g_string_append_printf (self->text, words != NULL ? "%s; %s\n" : "%s\n", said, words);
}

static void
add_rest (SluiceMemoryTable *self)
{
  gsize bytes = 0;
  guint n = self->holdings->len > MOST_ROWS ? self->holdings->len - MOST_ROWS : 0;
  for (guint i = MOST_ROWS; i < self->holdings->len; i++)
    bytes += g_array_index (self->holdings, SluiceMemoryHolding, i).bytes;
  if (n == 0)
    return;
  g_autofree char *sum = sluice_format_step ((gint64) bytes);
  g_autofree char *words =
      g_strdup_printf (ngettext ("%u more: %s", "%u more, together %s", n), n, sum);
  GtkWidget *label = gtk_label_new (words), *row = gtk_list_box_row_new ();
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), label);
  gtk_list_box_row_set_selectable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_list_box_append (self->list, row);
  g_string_append_printf (self->text, "%s\n", words);
}

void
sluice_memory_table_set_view (SluiceMemoryTable *self, const SluiceMemoryView *view)
{
  GtkListBoxRow *row;
  self->fills = TRUE;
  self->view = view;
  g_string_truncate (self->text, 0);
  while ((row = gtk_list_box_get_row_at_index (self->list, 0)) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  g_clear_pointer (&self->holdings, g_array_unref);
  if (view != NULL)
    {
      self->holdings = sluice_memory_view_dup_holdings (view, sluice_memory_view_get_peak (view));
      for (guint i = 0; i < MIN (self->holdings->len, MOST_ROWS); i++)
        add_row (self, &g_array_index (self->holdings, SluiceMemoryHolding, i),
                 g_array_index (self->holdings, SluiceMemoryHolding, 0).bytes);
      add_rest (self);
    }
  self->fills = FALSE;
}

void
sluice_memory_table_set_plan (SluiceMemoryTable *self, const SluiceMemoryPlan *plan)
{
  self->plan = plan;
}

GPtrArray *
sluice_memory_table_list_ticked (SluiceMemoryTable *self)
{
  GPtrArray *list = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer node;
  g_hash_table_iter_init (&iter, self->ticked);
  while (self->plan != NULL && g_hash_table_iter_next (&iter, &node, NULL))
    {
      const SluiceMemoryChoice *choice = sluice_memory_plan_find (self->plan, node);
      if (choice != NULL)
        g_ptr_array_add (list, (gpointer) choice);
    }
  return list;
}

void
sluice_memory_table_untick (SluiceMemoryTable *self)
{
  g_hash_table_remove_all (self->ticked);
  sluice_memory_table_set_view (self, self->view);
}

/* Into what is seen of the table. */
static void
reveal (SluiceMemoryTable *self, GtkListBoxRow *row)
{
  GtkWidget *scroller = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;
  if (scroller == NULL || !gtk_widget_compute_bounds (GTK_WIDGET (row), GTK_WIDGET (self), &bounds))
    return;
  gtk_adjustment_clamp_page (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)),
                             bounds.origin.y, bounds.origin.y + bounds.size.height);
}

void
sluice_memory_table_select (SluiceMemoryTable *self, guint number)
{
  GtkListBoxRow *found = NULL;
  self->fills = TRUE;
  for (guint i = 0; number != SLUICE_BAND_NONE && self->holdings != NULL
                    && i < MIN (self->holdings->len, MOST_ROWS);
       i++)
    {
      const SluiceMemoryHolding *holding = &g_array_index (self->holdings, SluiceMemoryHolding, i);
      const SluiceMemoryBand *band = sluice_memory_view_get_band (self->view, number);
      if (holding->owner.node == band->owner.node
          && holding->owner.memory_class == band->owner.memory_class)
        found = gtk_list_box_get_row_at_index (self->list, (int) i);
    }
  gtk_list_box_select_row (self->list, found);
  if (found != NULL)
    reveal (self, found);
  self->fills = FALSE;
}

char *
sluice_memory_table_dup_text (SluiceMemoryTable *self)
{
  return g_strdup (self->text->str);
}

static void
row_selected_cb (SluiceMemoryTable *self, GtkListBoxRow *row)
{
  int i = row != NULL ? gtk_list_box_row_get_index (row) : -1;
  if (!self->fills && i >= 0 && i < (int) self->holdings->len)
    g_signal_emit (self, selected_signal, 0,
                   g_array_index (self->holdings, SluiceMemoryHolding, i).band);
}

/* ---- life ---- */

static void
sluice_memory_table_dispose (GObject *object)
{
  SluiceMemoryTable *self = SLUICE_MEMORY_TABLE (object);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  for (guint i = 0; i < N_COLUMNS; i++)
    g_clear_object (&self->columns[i]);
  G_OBJECT_CLASS (sluice_memory_table_parent_class)->dispose (object);
}

static void
sluice_memory_table_finalize (GObject *object)
{
  SluiceMemoryTable *self = SLUICE_MEMORY_TABLE (object);
  g_clear_pointer (&self->holdings, g_array_unref);
  g_string_free (self->text, TRUE);
  g_hash_table_unref (self->ticked);
  G_OBJECT_CLASS (sluice_memory_table_parent_class)->finalize (object);
}

static void
sluice_memory_table_class_init (SluiceMemoryTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_memory_table_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_memory_table_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  selected_signal = g_signal_new ("selected", SLUICE_TYPE_MEMORY_TABLE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  ticked_signal = g_signal_new ("ticked", SLUICE_TYPE_MEMORY_TABLE, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_memory_table_init (SluiceMemoryTable *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 14), *cells[N_COLUMNS];
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  self->text = g_string_new (NULL);
  self->ticked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      self->columns[i] = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
      cells[i] = make_label (self, i, _ (titles[i]));
      gtk_widget_add_css_class (cells[i], "memory-title");
    }
  add_cells (self, head, cells);
  gtk_widget_add_css_class (head, "memory-titles");
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "memory-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Who holds memory at the peak"), -1);
  gtk_box_append (GTK_BOX (self->box), head);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->list));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  g_signal_connect_swapped (self->list, "row-selected", G_CALLBACK (row_selected_cb), self);
}

GtkWidget *
sluice_memory_table_new (void)
{
  return g_object_new (SLUICE_TYPE_MEMORY_TABLE, NULL);
}
