/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/launch-page-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "engine/train/promote.h"
#include "ui/common/paint.h"
#include "ui/common/widget.h"
#include "ui/common/wrap.h"

#define CELL       20 /* pixels of the picture of a grid, at most */
#define MOST_CELLS 4  /* in each direction */

/* ---- a parameter that is no more ---- */

void
sluice_launch_page_demote (SluiceLaunchPage *self, const char *name)
{
  g_autoptr (GError) error = NULL;
  const char *project = sluice_run_controller_get_project (self->context->controller);
  if (project != NULL && !sluice_project_demote (project, name, &error))
    {
      g_autofree char *words = sluice_failure_words (error);
      sluice_launch_page_tell (self, words);
    }
  if (self->form != NULL)
    sluice_preflight_card_forget (self->preflight); /* of the project as it was */
  sluice_launch_page_read (self);
}

/* The row that asks is gone by then. */
typedef struct
{
  SluiceLaunchPage *page;
  char *name;
} Demotion;

static gboolean
demote_cb (gpointer data)
{
  Demotion *demotion = data;
  sluice_launch_page_demote (demotion->page, demotion->name);
  return G_SOURCE_REMOVE;
}

static void
demotion_free (gpointer data)
{
  Demotion *demotion = data;
  g_object_unref (demotion->page);
  g_free (demotion->name);
  g_free (demotion);
}

static void
remove_cb (SluiceLaunchPage *self, const char *name)
{
  Demotion *demotion = g_new (Demotion, 1);
  *demotion = (Demotion){ g_object_ref (self), g_strdup (name) };
  g_idle_add_full (G_PRIORITY_DEFAULT, demote_cb, demotion, demotion_free);
}

/* ---- parts ---- */

static GtkLabel *
make_label (const char *text, const char *css)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (text));
  gtk_label_set_xalign (label, 0);
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_wrap_mode (label, PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (GTK_WIDGET (label), css);
  return label;
}

static GtkWidget *
make_list (void)
{
  GtkWidget *list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_add_css_class (list, "launch-card");
  return list;
}

static void
add_line (GtkWidget *list, const char *title, GtkWidget *control)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkLabel *label = make_label (title, "launch-name");
  gtk_widget_set_hexpand (control, TRUE);
  gtk_widget_set_valign (control, GTK_ALIGN_CENTER);
  gtk_label_set_width_chars (label, 12);
  gtk_widget_add_css_class (line, "launch-line");
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (label));
  gtk_box_append (GTK_BOX (line), control);
  gtk_box_append (GTK_BOX (list), line);
}

static GtkWidget *
make_head (SluiceLaunchPage *self)
{
  GtkWidget *list = make_list ();
  self->name = gtk_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->name), _ ("a free one"));
  gtk_widget_set_tooltip_text (self->name,
                               _ ("Of a sweep what its runs are called by: “{learning-rate}” in it "
                                  "is the value of that setting"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->name), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Name"), -1);
  g_signal_connect_object (self->name, "changed", G_CALLBACK (sluice_launch_page_changed), self,
                           G_CONNECT_SWAPPED);
  add_line (list, _ ("Name"), self->name);
  add_line (list, _ ("Start from"), sluice_launch_page_make_origin (self));
  return list;
}

/* ---- settings ---- */

void
sluice_launch_page_reset (SluiceLaunchPage *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    sluice_launch_row_reset (self->rows->pdata[i]);
}

static GtkWidget *
make_settings_head (SluiceLaunchPage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkLabel *title = make_label (_ ("Settings"), "launch-heading");
  GtkLabel *detail = make_label (_ ("promoted ones of the graph first"), "launch-small");
  GtkLabel *sweep = make_label (_ ("Sweep"), "launch-small");
  gtk_widget_add_css_class (GTK_WIDGET (detail), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (sweep), "dim-label");
  gtk_widget_set_hexpand (GTK_WIDGET (detail), TRUE);
  gtk_label_set_wrap (detail, FALSE); /* it gives way to what stands behind it */
  gtk_label_set_ellipsize (detail, PANGO_ELLIPSIZE_END);
  gtk_label_set_wrap (title, FALSE);
  gtk_label_set_wrap (sweep, FALSE);
  self->reset_all = gtk_button_new_with_label ("");
  gtk_widget_add_css_class (self->reset_all, "flat");
  gtk_widget_add_css_class (self->reset_all, "launch-link");
  gtk_widget_set_visible (self->reset_all, FALSE);
  g_signal_connect_object (self->reset_all, "clicked", G_CALLBACK (sluice_launch_page_reset), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (title));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (detail));
  gtk_box_append (GTK_BOX (box), self->reset_all);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (sweep));
  gtk_widget_add_css_class (box, "launch-settings-head");
  return box;
}

static void
add_row (SluiceLaunchPage *self, GtkWidget *list, const SluiceLaunchSetting *setting)
{
  GtkWidget *row = sluice_launch_row_new (self->form, setting);
  g_signal_connect_object (row, "changed", G_CALLBACK (sluice_launch_page_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (row, "remove", G_CALLBACK (remove_cb), self, G_CONNECT_SWAPPED);
  g_ptr_array_add (self->rows, row);
  if (g_str_equal (setting->group, "train") && g_str_equal (setting->key, "seed"))
    self->seed_row = SLUICE_LAUNCH_ROW (row);
  gtk_box_append (GTK_BOX (list), row);
}

static void
add_fold (SluiceLaunchPage *self, GtkWidget *box, const char *group, const char *title)
{
  GtkWidget *expander = gtk_expander_new (title), *list = make_list ();
  for (guint i = 0; i < self->form->settings->len; i++)
    {
      const SluiceLaunchSetting *setting = self->form->settings->pdata[i];
      if (g_str_equal (setting->group, group) && !sluice_launch_setting_is_frequent (setting))
        add_row (self, list, setting);
    }
  gtk_expander_set_child (GTK_EXPANDER (expander), list);
  gtk_accessible_update_property (GTK_ACCESSIBLE (expander), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  gtk_widget_add_css_class (expander, "launch-fold");
  gtk_box_append (GTK_BOX (box), expander);
}

static void
add_settings (SluiceLaunchPage *self, GtkWidget *box)
{
  static const struct
  {
    const char *group, *title;
  } folds[] = { { "train", N_ ("More of training") },
                { "data", N_ ("Data") },
                { "evaluate", N_ ("Evaluation") },
                { "project", N_ ("Graph and project") },
                { SLUICE_LAUNCH_NEEDS, N_ ("Device, threads and memory") } };
  GtkWidget *list = make_list ();
  for (guint i = 0; i < self->form->settings->len; i++)
    if (sluice_launch_setting_is_frequent (self->form->settings->pdata[i]))
      add_row (self, list, self->form->settings->pdata[i]);
  gtk_box_append (GTK_BOX (box), list);
  for (guint i = 0; i < G_N_ELEMENTS (folds); i++)
    add_fold (self, box, folds[i].group, _ (folds[i].title));
}

void
sluice_launch_page_take_settings (SluiceLaunchPage *self, SluiceLaunchForm *take_form)
{
  g_autoptr (GKeyFile) changed =
      self->taking != NULL ? g_key_file_ref (self->taking) : g_key_file_new ();
  GtkWidget *child;
  for (guint i = 0; i < self->rows->len && self->taking == NULL; i++)
    sluice_launch_row_save (self->rows->pdata[i], changed);
  g_ptr_array_set_size (self->rows, 0);
  self->seed_row = NULL;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->settings))) != NULL)
    gtk_box_remove (self->settings, child);
  g_clear_pointer (&self->form, sluice_launch_form_free);
  self->form = take_form;
  add_settings (self, GTK_WIDGET (self->settings));
  for (guint i = 0; i < self->rows->len; i++)
    sluice_launch_row_load (self->rows->pdata[i], changed);
}

/* ---- what it comes to ---- */

/* A cell a run, as the first two settings that vary span them. */
static void
draw_grid (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  SluiceLaunchPage *self = data;
  guint64 sides[2] = { 1, 1 };
  guint n = 0;
  SluiceTheme theme;
  sluice_theme_from_widget (&theme, GTK_WIDGET (area));
  for (guint i = 0; i < self->rows->len && n < 2; i++)
    {
      guint64 count;
      if (sluice_launch_row_get_values (self->rows->pdata[i], &count) != NULL)
        sides[n++] = CLAMP (count, 1, MOST_CELLS);
    }
  double size = MIN (CELL, MIN (width / (double) sides[0], height / (double) sides[1])) - 2;
  double left = (width - sides[0] * (size + 2)) / 2, top = (height - sides[1] * (size + 2)) / 2;
  for (guint x = 0; x < sides[0]; x++)
    for (guint y = 0; y < sides[1]; y++)
      {
        const SluiceRect cell = { left + x * (size + 2), top + y * (size + 2), size, size };
        sluice_cairo_set_color (cr, sluice_color_with_alpha (
                                        theme.accent, 1 - 0.5 * x / sides[0] - 0.2 * y / sides[1]));
        sluice_cairo_rounded_rect (cr, &cell, 3);
        cairo_fill (cr);
      }
}

/* By number, what no run of the workspace has. */
static void
another_seed_cb (SluiceLaunchPage *self)
{
  GListModel *runs = sluice_workspace_get_runs (self->context->workspace);
  guint64 seed = 0;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      seed = MAX (seed, sluice_run_get_info (run)->seed);
    }
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, seed + 1);
  sluice_launch_row_set_value (self->seed_row, text);
}

static GtkWidget *
make_halve (SluiceLaunchPage *self)
{
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->halve_box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  self->halve = gtk_switch_new ();
  self->halve_said = make_label (NULL, "launch-small");
  gtk_widget_add_css_class (GTK_WIDGET (self->halve_said), "dim-label");
  gtk_widget_set_valign (self->halve, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->halve), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Stop the worse half early"), -1);
  g_signal_connect_object (self->halve, "notify::active", G_CALLBACK (sluice_launch_page_changed),
                           self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (words),
                  GTK_WIDGET (make_label (_ ("Stop the worse half early"), "launch-name")));
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (self->halve_said));
  gtk_box_append (GTK_BOX (self->halve_box), words);
  gtk_box_append (GTK_BOX (self->halve_box), self->halve);
  gtk_widget_set_visible (self->halve_box, FALSE);
  return self->halve_box;
}

static GtkWidget *
make_sum (SluiceLaunchPage *self)
{
  GtkWidget *list = make_list (), *wrap = sluice_wrap_new (14, FALSE);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *grid = gtk_drawing_area_new ();
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (grid), MOST_CELLS * CELL);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (grid), 2.5 * CELL);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (grid), draw_grid, self, NULL);
  gtk_widget_set_valign (grid, GTK_ALIGN_CENTER);
  self->sum = make_label (NULL, "launch-name");
  self->said = make_label (NULL, "launch-small");
  gtk_label_set_max_width_chars (self->said, 34);
  self->seed_button = gtk_button_new_with_label (_ ("Another seed"));
  gtk_widget_set_halign (self->seed_button, GTK_ALIGN_START);
  gtk_widget_set_visible (self->seed_button, FALSE);
  g_signal_connect_object (self->seed_button, "clicked", G_CALLBACK (another_seed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (self->sum));
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (self->said));
  gtk_box_append (GTK_BOX (words), self->seed_button);
  gtk_widget_set_hexpand (words, TRUE);
  gtk_widget_set_valign (words, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (wrap, "launch-line");
  sluice_wrap_append (SLUICE_WRAP (wrap), grid);
  sluice_wrap_append (SLUICE_WRAP (wrap), words);
  sluice_wrap_append (SLUICE_WRAP (wrap), make_halve (self));
  gtk_box_append (GTK_BOX (list), wrap);
  self->grid = grid;
  return list;
}

GtkWidget *
sluice_launch_page_make_form (SluiceLaunchPage *self)
{
  GtkWidget *columns = sluice_wrap_new (24, TRUE);
  GtkWidget *left = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *right = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  self->settings = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 12));
  gtk_box_append (GTK_BOX (left), make_head (self));
  gtk_box_append (GTK_BOX (left), make_settings_head (self));
  gtk_box_append (GTK_BOX (left), GTK_WIDGET (self->settings));
  gtk_box_append (GTK_BOX (left), make_sum (self));
  self->preflight = SLUICE_PREFLIGHT_CARD (sluice_preflight_card_new ());
  sluice_launch_page_follow_preflight (self);
  gtk_box_append (GTK_BOX (right), GTK_WIDGET (self->preflight));
  gtk_box_append (GTK_BOX (right), sluice_launch_page_make_queue (self));
  gtk_widget_add_css_class (columns, "launch-form");
  gtk_widget_add_css_class (left, "launch-column");
  gtk_widget_add_css_class (right, "launch-column");
  sluice_wrap_append (SLUICE_WRAP (columns), left);
  sluice_wrap_append (SLUICE_WRAP (columns), right);
  return columns;
}
