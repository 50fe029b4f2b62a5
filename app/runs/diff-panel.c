/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/diff-panel.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/runs/diff-words.h"
#include "app/runs/match-box.h"
#include "app/runs/matters-box.h"
#include "app/status-text.h"
#include "ui/common/paint.h"
#include "ui/common/widget.h"

enum
{
  MOST_RUNS = 8,     /* named at the head */
  MOST_NODES = 8,    /* listed; the copied text has all */
  MOST_LETTERS = 16, /* of a setting's name */
  BAND_HEIGHT = 30,
};

struct _SluiceDiffPanel
{
  GtkWidget parent;
  GtkWidget *scroller;
  GtkBox *box;
  SluiceMattersBox *matters; /* stands in the box as soon as there is what differs */
  SluiceMatchBox *match;     /* behind it */
  char *project;             /* (nullable) */
  GPtrArray *runs;           /* (nullable): of SluiceRunInfo: what is shown, or will be */
  SluiceRunDiff *diff;
  SluiceStore *store; /* (nullable): of what is asked for while something else is compared */
  gboolean comparing;
};

G_DEFINE_FINAL_TYPE (SluiceDiffPanel, sluice_diff_panel, GTK_TYPE_WIDGET)

/* ---- what it is made of ---- */

static GtkWidget *
new_label (const char *words, const char *style)
{
  GtkWidget *label = gtk_label_new (words);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (style != NULL)
    gtk_widget_add_css_class (label, style);
  return label;
}

/* At the end of a row. Numbers, and from which to which, are read from left to right everywhere: an
 * arrow is not mirrored. */
static GtkWidget *
new_value (const char *words, const char *style)
{
  GtkWidget *label = new_label (words, style);
  gboolean is_mirrored = gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL;
  gtk_widget_set_direction (label, GTK_TEXT_DIR_LTR);
  gtk_label_set_xalign (GTK_LABEL (label), is_mirrored ? 0 : 1);
  gtk_widget_set_halign (label, is_mirrored ? GTK_ALIGN_START : GTK_ALIGN_END);
  gtk_widget_add_css_class (label, "numeric");
  return label;
}

/* A name at the start of a row, a value at its end. */
static GtkWidget *
add_row (GtkBox *box, const char *name, const char *value, const char *style)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *start = new_label (name, NULL), *end = new_value (value, style);
  gtk_label_set_wrap (GTK_LABEL (start), FALSE);
  if (g_utf8_strlen (name, -1) > MOST_LETTERS)
    {
      gtk_label_set_ellipsize (GTK_LABEL (start), PANGO_ELLIPSIZE_MIDDLE);
      gtk_label_set_width_chars (GTK_LABEL (start), MOST_LETTERS);
    }
  gtk_widget_set_valign (start, GTK_ALIGN_START);
  gtk_widget_set_valign (end, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (start, name);
  gtk_label_set_max_width_chars (GTK_LABEL (end), 26);
  gtk_widget_set_hexpand (end, TRUE);
  gtk_widget_add_css_class (start, "diff-name");
  gtk_widget_add_css_class (row, "diff-row");
  gtk_box_append (GTK_BOX (row), start);
  gtk_box_append (GTK_BOX (row), end);
  gtk_box_append (box, row);
  return row;
}

static void
add_heading (SluiceDiffPanel *self, const char *words, char *take)
{
  g_autofree char *count = take;
  GtkWidget *row = add_row (self->box, words, count != NULL ? count : "", "dim-label");
  GtkWidget *name = gtk_widget_get_first_child (row);
  gtk_widget_remove_css_class (name, "diff-name");
  gtk_widget_add_css_class (name, "heading");
  gtk_widget_add_css_class (row, "diff-heading");
}

static GtkBox *
add_card (SluiceDiffPanel *self)
{
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  gtk_widget_add_css_class (card, "diff-card");
  gtk_box_append (self->box, card);
  return GTK_BOX (card);
}

/* ---- the runs ---- */

static char *
dup_state (const SluiceRunInfo *info)
{
  if (info->state == SLUICE_RUN_FINISHED)
    return g_strdup (_ (sluice_run_state_name (info->state)));
  g_autofree char *step = sluice_format_step (info->step);
  return g_strdup_printf (_ ("at step %s"), step);
}

static void
add_run (SluiceDiffPanel *self, guint i)
{
  const SluiceRunInfo *info = self->runs->pdata[i];
  const SluiceRunResultDiff *result = sluice_diff_get_result (self->diff);
  double number = result != NULL ? result->values[i] : NAN;
  g_autofree char *value =
      isnan (number) ? g_strdup ("") : sluice_format_value (number, sluice_tag_unit (result->tag));
  g_autofree char *state = dup_state (info);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *dot = sluice_dot_new ();
  GtkWidget *name = new_label (info->name, "run-strong"), *how = new_label (state, "dim-label");
  GtkWidget *end = new_value (value, "run-strong");
  sluice_dot_set_color (dot, sluice_run_info_get_color (info));
  gtk_label_set_wrap (GTK_LABEL (name), FALSE);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_wrap (GTK_LABEL (end), FALSE);
  gtk_label_set_wrap (GTK_LABEL (how), FALSE);
  gtk_label_set_ellipsize (GTK_LABEL (how), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (how, "caption");
  gtk_widget_set_hexpand (how, TRUE);
  gtk_widget_set_tooltip_text (row, info->name);
  gtk_box_append (GTK_BOX (row), dot);
  gtk_box_append (GTK_BOX (row), name);
  gtk_box_append (GTK_BOX (row), how);
  gtk_box_append (GTK_BOX (row), end);
  gtk_box_append (self->box, row);
}

/* ---- the seeds' spread, and where the runs are on it ---- */

/* The values that are drawn, with air beside them. FALSE: there are none. */
static gboolean
get_range (const SluiceRunResultDiff *result, double *least, double *greatest)
{
  double spread = isfinite (result->spread) ? result->spread : 0;
  *least = INFINITY;
  *greatest = -INFINITY;
  for (guint i = 0; i < result->n_values; i++)
    {
      const double values[] = { result->values[i], result->means[i] - spread,
                                result->means[i] + spread };
      for (guint k = 0; k < G_N_ELEMENTS (values); k++)
        if (isfinite (values[k]))
          {
            *least = MIN (*least, values[k]);
            *greatest = MAX (*greatest, values[k]);
          }
    }
  double air = MAX ((*greatest - *least) * 0.2, fabs (*greatest) * 1e-6 + 1e-12);
  *least -= air;
  *greatest += air;
  return *least < *greatest;
}

static void
draw_bands (cairo_t *cr,
            const SluiceRunResultDiff *result,
            const SluiceTheme *theme,
            double x0,
            double scale,
            double y)
{
  SluiceColor band = theme->dim;
  band.a = 0.3;
  sluice_cairo_set_color (cr, band);
  for (guint i = 0; i < result->n_values; i++)
    {
      gboolean drawn = !isfinite (result->means[i]) || !isfinite (result->spread);
      for (guint k = 0; k < i; k++)
        drawn |= result->means[k] == result->means[i]; /* one experiment */
      if (drawn)
        continue;
      double width = MAX (2 * result->spread * scale, 4);
      double x = (result->means[i] - x0) * scale - width / 2;
      sluice_cairo_rounded_rect (cr, &(SluiceRect){ x, y - 6, width, 12 }, MIN (6, width / 2));
      cairo_fill (cr);
    }
}

static void
draw_spread (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  SluiceDiffPanel *self = data;
  const SluiceRunResultDiff *result =
      self->diff != NULL ? sluice_diff_get_result (self->diff) : NULL;
  SluiceTheme theme;
  double least, greatest, y = height - 12.5;
  if (result == NULL || !get_range (result, &least, &greatest))
    return;
  sluice_theme_from_widget (&theme, GTK_WIDGET (area));
  double scale = width / (greatest - least);
  sluice_cairo_set_color (cr, theme.border);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, 0, y);
  cairo_line_to (cr, width, y);
  cairo_stroke (cr);
  draw_bands (cr, result, &theme, least, scale, y);
  for (guint i = 0; i < result->n_values; i++)
    {
      const SluiceRunInfo *info = self->runs->pdata[i];
      if (!isfinite (result->values[i]))
        continue;
      double x = (result->values[i] - least) * scale;
      cairo_arc (cr, x, y, 5, 0, 2 * G_PI);
      sluice_cairo_set_color (
          cr, sluice_color_readable (sluice_run_info_get_color (info), theme.card, 3));
      cairo_fill_preserve (cr);
      cairo_set_line_width (cr, 1.5);
      sluice_cairo_set_color (cr, theme.card);
      cairo_stroke (cr);
    }
}

static void
add_verdict (SluiceDiffPanel *self)
{
  const SluiceRunResultDiff *result = sluice_diff_get_result (self->diff);
  if (result == NULL)
    {
      gtk_box_append (self->box, new_label (_ ("No result that two of them have"), "dim-label"));
      return;
    }
  GtkBox *card = add_card (self);
  GtkWidget *area = gtk_drawing_area_new ();
  g_autofree char *reason = sluice_diff_dup_reason (result);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area), BAND_HEIGHT);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw_spread, self, NULL);
  if (isfinite (result->spread))
    {
      g_autofree char *words =
          g_strdup_printf (ngettext ("%u run", "%u runs", result->n_trained), result->n_trained);
      GtkWidget *label = new_label (words, "dim-label");
      gtk_label_set_xalign (GTK_LABEL (label), 1);
      gtk_widget_add_css_class (label, "caption");
      gtk_box_append (card, label);
    }
  gtk_accessible_update_state (GTK_ACCESSIBLE (area), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  gtk_box_append (card, area);
  gtk_box_append (card, new_label (sluice_diff_get_verdict (result->more_than_seeds), "heading"));
  GtkWidget *why = new_label (reason, "dim-label");
  gtk_widget_add_css_class (why, "caption");
  gtk_box_append (card, why);
}

/* ---- the graph ---- */

static const char *
get_node_style (SluiceDiffKind kind)
{
  return kind == SLUICE_DIFF_ADDED     ? "diff-added"
         : kind == SLUICE_DIFF_CHANGED ? "diff-changed"
         : kind == SLUICE_DIFF_REMOVED ? "diff-removed"
                                       : "diff-renamed";
}

/* It is in the graph that is open, or was. */
static const char *
get_shown_node (SluiceDiffPanel *self)
{
  const SluiceRunInfo *last = self->runs->pdata[self->runs->len - 1];
  if (g_strcmp0 (self->project, last->project) != 0)
    return NULL;
  for (guint i = 0; i < self->diff->nodes->len; i++)
    {
      const SluiceRunNodeDiff *node = self->diff->nodes->pdata[i];
      if (node->kind != SLUICE_DIFF_REMOVED)
        return node->name;
    }
  return NULL;
}

static void
add_link (SluiceDiffPanel *self, GtkBox *card)
{
  const char *node = get_shown_node (self);
  if (node == NULL)
    return;
  GtkWidget *link = gtk_button_new_with_label (_ ("Show in the graph"));
  gtk_widget_add_css_class (link, "flat");
  gtk_widget_add_css_class (link, "inspector-link");
  gtk_widget_set_halign (link, GTK_ALIGN_START);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (link), "s", node);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (link), "win.select");
  gtk_box_append (card, link);
}

static void
add_graph (SluiceDiffPanel *self)
{
  const SluiceRunDiff *diff = self->diff;
  g_autofree char *words = NULL;
  if (!diff->has_graphs)
    {
      SluiceDiffVerdict verdict = sluice_diff_judge_kind (diff, "graph", &words);
      add_heading (self, sluice_diff_get_title ("graph"),
                   g_strdup (verdict == SLUICE_DIFF_SAME    ? _ ("the same")
                             : verdict == SLUICE_DIFF_OTHER ? _ ("others")
                                                            : words));
      return;
    }
  add_heading (self, sluice_diff_get_title ("graph"), sluice_diff_dup_graph_count (diff));
  GtkBox *card = add_card (self);
  g_autoptr (GPtrArray) lines = sluice_diff_list_nodes (diff, MOST_NODES);
  for (guint i = 0; i < lines->len; i++)
    {
      const SluiceDiffLine *line = lines->pdata[i];
      GtkWidget *label = new_label (line->words, get_node_style (line->kind));
      gtk_label_set_lines (GTK_LABEL (label), 2);
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
      gtk_widget_set_tooltip_text (label, line->words);
      gtk_box_append (card, label);
    }
  g_autofree char *counts = sluice_diff_dup_node_counts (diff);
  gtk_box_append (card, new_label (counts, "dim-label"));
  add_link (self, card);
}

/* ---- settings, and a line of each other kind ---- */

static void
add_settings (SluiceDiffPanel *self)
{
  guint n = 0;
  for (guint i = 0; i < self->diff->differs->len; i++)
    n += strcmp (((SluiceRunDiffItem *) self->diff->differs->pdata[i])->what, "setting") == 0;
  g_autofree char *differing = sluice_format_step (n);
  g_autofree char *all = sluice_format_step (self->diff->n_settings);
  add_heading (self, sluice_diff_get_title ("setting"),
               g_strdup_printf (_ ("%s of %s"), differing, all));
  for (guint i = 0; i < self->diff->differs->len; i++)
    {
      const SluiceRunDiffItem *item = self->diff->differs->pdata[i];
      if (strcmp (item->what, "setting") != 0)
        continue;
      g_autofree char *values = sluice_diff_dup_values (item);
      add_row (self->box, item->name, values, "diff-values");
    }
}

static void
add_kind (SluiceDiffPanel *self, const char *kind)
{
  g_autofree char *words = NULL;
  SluiceDiffVerdict verdict = sluice_diff_judge_kind (self->diff, kind, &words);
  gboolean same = verdict == SLUICE_DIFF_SAME, known = verdict != SLUICE_DIFF_UNKNOWN;
  GtkWidget *row = add_row (self->box, sluice_diff_get_title (kind), words,
                            verdict == SLUICE_DIFF_OTHER ? "run-strong" : "dim-label");
  GtkWidget *mark =
      gtk_image_new_from_icon_name (same ? "object-select-symbolic" : "media-record-symbolic");
  gtk_image_set_pixel_size (GTK_IMAGE (mark), same ? 14 : 9);
  gtk_widget_set_size_request (mark, 14, -1);
  gtk_widget_set_valign (mark, GTK_ALIGN_START);
  gtk_widget_set_opacity (mark, known ? 1 : 0);
  gtk_widget_add_css_class (mark, same ? "diff-same" : "diff-other");
  gtk_accessible_update_property (GTK_ACCESSIBLE (mark), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  same    ? _ ("the same")
                                  : known ? _ ("differs")
                                          : _ ("not known"),
                                  -1);
  gtk_box_append (GTK_BOX (row), mark);
}

/* ---- all of it ---- */

char *
sluice_diff_panel_dup_text (SluiceDiffPanel *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  if (self->diff == NULL)
    return g_strdup ("");
  for (guint i = 0; i < self->runs->len; i++)
    g_ptr_array_add (names, ((SluiceRunInfo *) self->runs->pdata[i])->name);
  g_ptr_array_add (names, NULL);
  return sluice_diff_dup_text (self->diff, (const char *const *) names->pdata);
}

static void
copy_clicked_cb (SluiceDiffPanel *self)
{
  g_autofree char *text = sluice_diff_panel_dup_text (self);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static void
clear (SluiceDiffPanel *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->box))) != NULL)
    gtk_box_remove (self->box, child);
  gtk_box_append (self->box, new_label (_ ("What differs"), "title-4"));
}

static void
fill (SluiceDiffPanel *self)
{
  clear (self);
  for (guint i = 0; i < MIN (self->runs->len, MOST_RUNS); i++)
    add_run (self, i);
  if (self->runs->len > MOST_RUNS)
    {
      guint n = self->runs->len - MOST_RUNS;
      g_autofree char *words = g_strdup_printf (ngettext ("%u more run", "%u more runs", n), n);
      gtk_box_append (self->box, new_label (words, "dim-label"));
    }
  add_verdict (self);
  add_graph (self);
  add_settings (self);
  gtk_box_append (self->box, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  for (guint i = 0; sluice_run_diff_kinds[i] != NULL; i++)
    if (strcmp (sluice_run_diff_kinds[i], "graph") != 0
        && strcmp (sluice_run_diff_kinds[i], "setting") != 0)
      add_kind (self, sluice_run_diff_kinds[i]);
  gtk_box_append (self->box, GTK_WIDGET (self->matters));
  gtk_box_append (self->box, GTK_WIDGET (self->match));
  GtkWidget *copy = gtk_button_new_with_label (_ ("Copy as text"));
  gtk_widget_set_margin_top (copy, 12);
  g_signal_connect_swapped (copy, "clicked", G_CALLBACK (copy_clicked_cb), self);
  gtk_box_append (self->box, copy);
}

static void
say (SluiceDiffPanel *self, const char *words)
{
  clear (self);
  gtk_box_append (self->box, new_label (words, "dim-label"));
}

/* ---- on a worker ---- */

typedef struct
{
  SluiceStore *store;
  GPtrArray *runs;
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  g_object_unref (self->store);
  g_ptr_array_unref (self->runs);
  g_free (self);
}

static void
compare_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  GError *error = NULL;
  SluiceRunDiff *diff =
      sluice_run_diff_new (question->store, (const SluiceRunInfo *const *) question->runs->pdata,
                           question->runs->len, &error);
  if (diff != NULL)
    g_task_return_pointer (task, diff, (GDestroyNotify) sluice_run_diff_free);
  else
    g_task_return_error (task, error);
}

static void begin (SluiceDiffPanel *self);

static void
compared (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceDiffPanel *self = SLUICE_DIFF_PANEL (object);
  const Question *question = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceRunDiff) diff = g_task_propagate_pointer (G_TASK (result), &error);
  self->comparing = FALSE;
  if (self->scroller == NULL || question->runs != self->runs)
    {
      begin (self);
      return;
    }
  g_clear_pointer (&self->diff, sluice_run_diff_free);
  self->diff = g_steal_pointer (&diff);
  gtk_widget_set_visible (GTK_WIDGET (self->match), self->runs->len == 2);
  if (self->runs->len == 2)
    {
      const SluiceRunInfo *first = self->runs->pdata[0], *second = self->runs->pdata[1];
      sluice_match_box_show (self->match, question->store, first->id, second->id);
      sluice_matters_box_show (self->matters, question->store, first, second);
    }
  else
    gtk_widget_set_visible (GTK_WIDGET (self->matters), FALSE);
  g_autofree char *words = error != NULL ? sluice_failure_words (error) : NULL;
  if (words != NULL)
    say (self, words);
  else
    fill (self);
}

static void
begin (SluiceDiffPanel *self)
{
  if (self->comparing || self->store == NULL)
    return;
  Question *question = g_new (Question, 1);
  *question = (Question){ g_steal_pointer (&self->store), g_ptr_array_ref (self->runs) };
  self->comparing = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, compared, NULL);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, compare_in_worker);
}

static gpointer
copy_info (gconstpointer info, gpointer data)
{
  return sluice_run_info_copy (info);
}

/* Are they the same, and is nothing known of them that was not? */
static gboolean
is_same (GPtrArray *a, GPtrArray *b)
{
  if (a == NULL || a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const SluiceRunInfo *first = a->pdata[i], *second = b->pdata[i];
      if (first->id != second->id || first->state != second->state || first->step != second->step
          || strcmp (first->name, second->name) != 0)
        return FALSE;
    }
  return TRUE;
}

void
sluice_diff_panel_compare (SluiceDiffPanel *self, SluiceStore *store, GPtrArray *runs)
{
  if (is_same (self->runs, runs))
    return;
  g_clear_pointer (&self->runs, g_ptr_array_unref);
  g_clear_object (&self->store);
  g_clear_pointer (&self->diff, sluice_run_diff_free);
  if (runs->len < 2 || store == NULL)
    return;
  self->runs = g_ptr_array_copy (runs, (GCopyFunc) copy_info, NULL);
  g_ptr_array_set_free_func (self->runs, (GDestroyNotify) sluice_run_info_free);
  self->store = g_object_ref (store);
  if (gtk_widget_get_next_sibling (gtk_widget_get_first_child (GTK_WIDGET (self->box))) == NULL)
    say (self, _ ("Comparing…"));
  begin (self);
}

void
sluice_diff_panel_set_project (SluiceDiffPanel *self, const char *project)
{
  g_free (self->project);
  self->project = g_strdup (project);
}

char *
sluice_diff_panel_dup_matters (SluiceDiffPanel *self)
{
  return self->runs != NULL && self->runs->len == 2 ? sluice_matters_box_dup_text (self->matters)
                                                    : g_strdup ("");
}

gboolean
sluice_diff_panel_is_settled (SluiceDiffPanel *self)
{
  return !self->comparing;
}

void
sluice_diff_panel_attach (SluiceDiffPanel *self,
                          SluiceWorkspace *workspace,
                          SluiceQueueWorker *queue)
{
  sluice_matters_box_attach (self->matters, workspace, queue);
}

/* ---- life ---- */

static void
sluice_diff_panel_dispose (GObject *object)
{
  SluiceDiffPanel *self = SLUICE_DIFF_PANEL (object);
  g_clear_object (&self->store);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  g_clear_object (&self->match);
  g_clear_object (&self->matters);
  g_clear_pointer (&self->runs, g_ptr_array_unref);
  g_clear_pointer (&self->diff, sluice_run_diff_free);
  g_clear_pointer (&self->project, g_free);
  G_OBJECT_CLASS (sluice_diff_panel_parent_class)->dispose (object);
}

static void
sluice_diff_panel_class_init (SluiceDiffPanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_diff_panel_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
sluice_diff_panel_init (SluiceDiffPanel *self)
{
  self->box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 4));
  self->match = g_object_ref_sink (SLUICE_MATCH_BOX (sluice_match_box_new ()));
  self->matters = g_object_ref_sink (SLUICE_MATTERS_BOX (sluice_matters_box_new ()));
  gtk_widget_add_css_class (GTK_WIDGET (self->box), "inspector");
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->box));
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What differs"), -1);
  gtk_widget_add_css_class (GTK_WIDGET (self), "side-pane");
  gtk_widget_add_css_class (GTK_WIDGET (self), "inspector-pane");
  clear (self);
}

GtkWidget *
sluice_diff_panel_new (void)
{
  return g_object_new (SLUICE_TYPE_DIFF_PANEL, NULL);
}
