/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/charts-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "app/status-text.h"
#include "engine/store/kinds/event.h"
#include "engine/store/kinds/histogram.h"
#include "engine/store/kinds/image.h"
#include "ui/chart/chart-card.h"
#include "ui/chart/histogram-card.h"
#include "ui/chart/image-card.h"
#include "ui/chart/text-card.h"

#define TEXT_EVENT  "text" /* of the trainer: a file of the run was written, whose name it has */
#define TEXT_ENDING ".txt"

enum
{
  CARD_WIDTH = 320, /* least */
  CARD_HEIGHT = 238,
};

/* Of a card for a text that evaluations write into a file of the run: no series' kind. */
#define KIND_TEXT (SLUICE_SERIES_IMAGE + 1)

/* A card of one tag, and what it has taken of each run. */
typedef struct
{
  char *tag;                  /* of a text: its file's name */
  guint kind;                 /* SluiceSeriesKind, or KIND_TEXT */
  GtkWidget *widget;          /* one of the four cards */
  guint n_shown;              /* runs that are shown and have the tag */
  GHashTable *runs;           /* gint64 -> Shown */
  gint64 text_run, text_step; /* what was asked for last */
} Card;

typedef struct
{
  guint series;   /* id in the chart; 0: not there yet */
  guint n_events; /* taken */
  guint n_items;  /* histograms or images taken */
} Shown;

struct _SluiceChartsPage
{
  GtkWidget parent;
  GtkStack *states;
  AdwStatusPage *failure;
  GtkLabel *count;
  GtkButton *show_hidden;
  GtkScale *smoothing;
  GtkToggleButton *axis_step, *axis_relative, *axis_wall, *log_y;
  GtkScrolledWindow *scroller;
  GtkFlowBox *flow;

  SluiceWorkspace *workspace;
  SluiceRunSet *shown;
  GPtrArray *cards;   /* of Card, in the order shown */
  GHashTable *by_tag; /* of Card */
  char *filter;
};

static void init_page (SluicePageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceChartsPage,
                               sluice_charts_page,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (SLUICE_TYPE_PAGE, init_page))

static void
card_free (gpointer data)
{
  Card *card = data;
  g_free (card->tag);
  g_hash_table_unref (card->runs);
  g_free (card);
}

/* ---- settings of all cards ---- */

static SluiceXAxis
get_axis (SluiceChartsPage *self)
{
  if (gtk_toggle_button_get_active (self->axis_relative))
    return SLUICE_X_RELATIVE;
  return gtk_toggle_button_get_active (self->axis_wall) ? SLUICE_X_WALL : SLUICE_X_STEP;
}

static void
apply_view (SluiceChartsPage *self, Card *card)
{
  if (card->kind != SLUICE_SERIES_SCALAR)
    return;
  SluiceChartCard *chart = SLUICE_CHART_CARD (card->widget);
  sluice_chart_card_set_smoothing (chart, gtk_range_get_value (GTK_RANGE (self->smoothing)));
  sluice_chart_card_set_x_axis (chart, get_axis (self));
  sluice_chart_card_set_log_y (chart, gtk_toggle_button_get_active (self->log_y));
}

static void
view_changed_cb (SluiceChartsPage *self)
{
  for (guint i = 0; i < self->cards->len; i++)
    apply_view (self, self->cards->pdata[i]);
}

/* The same place is shown in every card. */
static void
cursor_moved_cb (SluiceChartCard *from, double x, SluiceChartsPage *self)
{
  for (guint i = 0; i < self->cards->len; i++)
    {
      Card *card = self->cards->pdata[i];
      if (card->kind == SLUICE_SERIES_SCALAR && card->widget != GTK_WIDGET (from))
        sluice_chart_card_set_cursor (SLUICE_CHART_CARD (card->widget), x);
    }
}

static void
image_step_cb (SluiceImageCard *from, gint64 step, SluiceChartsPage *self)
{
  for (guint i = 0; i < self->cards->len; i++)
    {
      Card *card = self->cards->pdata[i];
      if (card->kind == SLUICE_SERIES_IMAGE && card->widget != GTK_WIDGET (from))
        sluice_image_card_show_step (SLUICE_IMAGE_CARD (card->widget), step);
    }
}

/* ---- cards ---- */

/* What is learnt first, then how weights unfold, the machine last; inside each group by tag. */
static int
tag_group (const char *tag)
{
  static const char *const first[] = { "loss", "accuracy", "evaluate/accuracy", "evaluate/loss" };
  for (guint i = 0; i < G_N_ELEMENTS (first); i++)
    if (strcmp (tag, first[i]) == 0)
      return i;
  if (g_str_has_suffix (tag, "/weights"))
    return 40;
  return g_str_has_prefix (tag, "system/") ? 100 : 50;
}

static gint
by_place (gconstpointer a, gconstpointer b)
{
  const Card *x = *(Card *const *) a, *y = *(Card *const *) b;
  int group = tag_group (x->tag) - tag_group (y->tag);
  if (group == 0)
    group = (int) x->kind - (int) y->kind;
  return group != 0 ? group : strcmp (x->tag, y->tag);
}

static Card *
find_card (SluiceChartsPage *self, const char *tag)
{
  return g_hash_table_lookup (self->by_tag, tag);
}

static GtkWidget *
new_widget (SluiceChartsPage *self, const char *tag, guint kind)
{
  GtkWidget *widget;
  g_autofree char *name = NULL;
  switch (kind)
    {
    case SLUICE_SERIES_SCALAR:
      widget = sluice_chart_card_new (tag);
      g_signal_connect (widget, "cursor-moved", G_CALLBACK (cursor_moved_cb), self);
      break;
    case SLUICE_SERIES_HISTOGRAM:
      widget = sluice_histogram_card_new (tag);
      break;
    case SLUICE_SERIES_IMAGE:
      widget = sluice_image_card_new (tag);
      g_signal_connect (widget, "step-changed", G_CALLBACK (image_step_cb), self);
      break;
    case KIND_TEXT:
      name = g_str_has_suffix (tag, TEXT_ENDING)
                 ? g_strndup (tag, strlen (tag) - strlen (TEXT_ENDING))
                 : g_strdup (tag);
      widget = sluice_text_card_new (name);
      break;
    default:
      g_assert_not_reached ();
    }
  gtk_widget_set_size_request (widget, CARD_WIDTH, CARD_HEIGHT);
  return widget;
}

static Card *
add_card (SluiceChartsPage *self, const char *tag, guint kind)
{
  Card *card = g_new0 (Card, 1);
  card->tag = g_strdup (tag);
  card->kind = kind;
  card->widget = new_widget (self, tag, kind);
  card->runs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  g_hash_table_insert (self->by_tag, card->tag, card);
  g_ptr_array_add (self->cards, card);
  g_ptr_array_sort (self->cards, by_place);
  guint at;
  g_ptr_array_find (self->cards, card, &at);
  gtk_flow_box_insert (self->flow, card->widget, at);
  gtk_widget_set_opacity (gtk_widget_get_parent (card->widget), 0);
  apply_view (self, card);
  return card;
}

/* A card that has no place yet is not in view either. */
static gboolean
is_in_view (SluiceChartsPage *self, Card *card)
{
  graphene_rect_t bounds;
  if (!gtk_widget_get_mapped (card->widget)
      || !gtk_widget_compute_bounds (card->widget, GTK_WIDGET (self->scroller), &bounds))
    return FALSE;
  return bounds.origin.y + bounds.size.height > 0
         && bounds.origin.y < gtk_widget_get_height (GTK_WIDGET (self->scroller));
}

/* Only what is in view is drawn; the rest when it is scrolled to. What is quite transparent takes
 * no part in a frame. */
static void
refresh_in_view (SluiceChartsPage *self)
{
  for (guint i = 0; i < self->cards->len; i++)
    {
      Card *card = self->cards->pdata[i];
      gboolean in_view = is_in_view (self, card);
      gtk_widget_set_opacity (gtk_widget_get_parent (card->widget), in_view ? 1 : 0);
      if (in_view)
        sluice_card_refresh (SLUICE_CARD (card->widget));
    }
}

/* Checkpoints and texts come as regularly as the grid: they are in the run's folder, not in its
 * charts. */
static void
add_events (SluiceChart *chart, SluiceRun *run, Shown *shown)
{
  GPtrArray *events = sluice_run_get_events (run);
  for (; shown->n_events < events->len; shown->n_events++)
    {
      SluiceEvent *event = events->pdata[shown->n_events];
      gboolean bad = strcmp (event->kind, "failed") == 0 || strcmp (event->kind, "damaged") == 0;
      if (strcmp (event->kind, "checkpoint") != 0 && strcmp (event->kind, TEXT_EVENT) != 0)
        sluice_chart_add_event (chart, shown->series,
                                bad ? SLUICE_EVENT_FAILURE : SLUICE_EVENT_NOTE, event->base.step,
                                event->base.wall, _ (event->kind));
    }
}

static void
show_scalars (Card *card, SluiceRun *run, SluiceRunSeries *series, Shown *shown, gboolean front)
{
  SluiceChart *chart = sluice_chart_card_get_chart (SLUICE_CHART_CARD (card->widget));
  const SluiceRunInfo *info = sluice_run_get_info (run);
  if (shown->series == 0)
    {
      sluice_chart_set_unit (chart, sluice_tag_unit (card->tag));
      shown->series = sluice_chart_add_series (chart, info->name,
                                               sluice_palette_color (sluice_run_get_color (run)),
                                               sluice_series_buffer_as_source (series->buffer));
    }
  sluice_chart_set_series_visible (chart, shown->series, sluice_run_get_shown (run));
  if (front)
    {
      sluice_chart_set_front (chart, shown->series);
      sluice_chart_set_expected_steps (chart, info->n_steps);
    }
  add_events (chart, run, shown);
}

static void
show_histograms (Card *card, SluiceRun *run, SluiceRunSeries *series, Shown *shown)
{
  SluiceHistogramChart *chart =
      sluice_histogram_card_get_chart (SLUICE_HISTOGRAM_CARD (card->widget));
  if (shown->n_items == 0)
    sluice_histogram_chart_set_color (chart, sluice_palette_color (sluice_run_get_color (run)));
  for (; shown->n_items < series->items->len; shown->n_items++)
    {
      SluiceHistogram *h = series->items->pdata[shown->n_items];
      sluice_histogram_chart_append_proto (chart, h->base.step, h->min, h->max, h->n, h->limits,
                                           h->counts);
    }
}

static void
show_images (Card *card, SluiceRunSeries *series, Shown *shown)
{
  for (; shown->n_items < series->items->len; shown->n_items++)
    {
      SluiceStoredImage *image = series->items->pdata[shown->n_items];
      sluice_image_card_append (SLUICE_IMAGE_CARD (card->widget), image->base.step, 1, &image->png,
                                NULL);
    }
}

static gboolean
has_items (SluiceRun *run, const char *tag)
{
  SluiceRunSeries *series = run != NULL ? sluice_run_find_series (run, tag) : NULL;
  return series != NULL && series->items->len > 0;
}

/* Histograms and images of several runs cannot share a card: those of the run in front are shown,
 * or else of the newest that has any. */
static gboolean
is_foremost_with (SluiceChartsPage *self, SluiceRun *run, SluiceRun *front, const char *tag)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  if (has_items (front, tag))
    return run == front;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) other = g_list_model_get_item (runs, i);
      if (sluice_run_get_shown (other) && has_items (other, tag))
        return other == run;
    }
  return FALSE;
}

/* Another run takes the card over, or its series was cut back: begin anew. */
static void
clear_items (Card *card, gint64 run)
{
  GHashTableIter iter;
  gpointer id, shown;
  g_hash_table_iter_init (&iter, card->runs);
  while (g_hash_table_iter_next (&iter, &id, &shown))
    {
      if (*(gint64 *) id == run || ((Shown *) shown)->n_items == 0)
        continue;
      ((Shown *) shown)->n_items = 0;
      if (card->kind == SLUICE_SERIES_HISTOGRAM)
        sluice_histogram_chart_clear (
            sluice_histogram_card_get_chart (SLUICE_HISTOGRAM_CARD (card->widget)));
      else
        sluice_image_card_clear (SLUICE_IMAGE_CARD (card->widget));
    }
}

static Shown *
ensure_shown (Card *card, gint64 run)
{
  Shown *shown = g_hash_table_lookup (card->runs, &run);
  if (shown == NULL)
    {
      shown = g_new0 (Shown, 1);
      g_hash_table_insert (card->runs, g_memdup2 (&run, sizeof run), shown);
    }
  return shown;
}

static void
show_series (SluiceChartsPage *self, SluiceRun *run, SluiceRun *front, SluiceRunSeries *series)
{
  gint64 id = sluice_run_get_info (run)->id;
  Card *card = find_card (self, series->tag);
  if (card == NULL && !sluice_run_get_shown (run))
    return;
  if (card == NULL)
    card = add_card (self, series->tag, series->kind);
  if (card->kind != series->kind)
    return;
  Shown *shown = ensure_shown (card, id);
  card->n_shown += sluice_run_get_shown (run);
  if (card->kind == SLUICE_SERIES_SCALAR)
    show_scalars (card, run, series, shown, run == front);
  else if (is_foremost_with (self, run, front, card->tag))
    {
      clear_items (card, id);
      if (card->kind == SLUICE_SERIES_HISTOGRAM)
        show_histograms (card, run, series, shown);
      else
        show_images (card, series, shown);
    }
}

/* ---- texts ---- */

typedef struct
{
  SluiceChartsPage *page;
  char *tag;
  gint64 run, step;
} TextRead;

static void
text_read_cb (GObject *file, GAsyncResult *result, gpointer data)
{
  TextRead *read = data;
  Card *card = find_card (read->page, read->tag);
  g_autofree char *text = NULL;
  g_autofree char *valid = NULL;
  gsize length;
  /* A file that went with its run's folder leaves what is there. */
  if (g_file_load_contents_finish (G_FILE (file), result, &text, &length, NULL, NULL)
      && card != NULL && card->text_run == read->run && card->text_step == read->step)
    {
      valid = g_utf8_make_valid (text, (gssize) length);
      sluice_text_card_set (SLUICE_TEXT_CARD (card->widget), read->step, g_strchomp (valid));
    }
  g_object_unref (read->page);
  g_free (read->tag);
  g_free (read);
}

static void
show_text (SluiceChartsPage *self, SluiceRun *run, const SluiceEvent *event)
{
  gint64 id = sluice_run_get_info (run)->id;
  Card *card = find_card (self, event->text);
  if (card == NULL)
    card = add_card (self, event->text, KIND_TEXT);
  if (card->kind != KIND_TEXT)
    return; /* a series of that name */
  ensure_shown (card, id);
  card->n_shown++;
  if (card->text_run == id && card->text_step == event->base.step)
    return;
  card->text_run = id;
  card->text_step = event->base.step;
  TextRead *read = g_new0 (TextRead, 1);
  *read = (TextRead){ g_object_ref (self), g_strdup (event->text), id, event->base.step };
  g_autofree char *folder =
      sluice_store_dup_run_folder (sluice_workspace_get_store (self->workspace), id);
  g_autofree char *path = g_build_filename (folder, event->text, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_file_load_contents_async (file, NULL, text_read_cb, read);
}

/* Of each name the newest that the run has, unless it was shown of another one. */
static void
show_texts_of (SluiceChartsPage *self, SluiceRun *run, GHashTable *seen)
{
  GPtrArray *events = sluice_run_get_events (run);
  for (guint i = events->len; i-- > 0 && sluice_run_get_shown (run);)
    {
      const SluiceEvent *event = events->pdata[i];
      if (strcmp (event->kind, TEXT_EVENT) == 0 && event->text != NULL
          && g_hash_table_add (seen, event->text))
        show_text (self, run, event);
    }
}

static void
show_texts (SluiceChartsPage *self, SluiceRun *front)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  if (front != NULL)
    show_texts_of (self, front, seen);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      show_texts_of (self, run, seen);
    }
}

/* ---- the whole ---- */

/* Curves of runs that left the list go with them. */
static void
drop_gone (SluiceChartsPage *self, Card *card)
{
  GHashTableIter iter;
  gpointer id, shown;
  g_hash_table_iter_init (&iter, card->runs);
  while (g_hash_table_iter_next (&iter, &id, &shown))
    {
      g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self->workspace, *(gint64 *) id);
      if (run != NULL)
        continue;
      if (card->kind == SLUICE_SERIES_SCALAR && ((Shown *) shown)->series > 0)
        sluice_chart_remove_series (sluice_chart_card_get_chart (SLUICE_CHART_CARD (card->widget)),
                                    ((Shown *) shown)->series);
      else if (((Shown *) shown)->n_items > 0)
        clear_items (card, 0);
      g_hash_table_iter_remove (&iter);
    }
}

static gboolean
matches (SluiceChartsPage *self, const char *tag)
{
  if (self->filter == NULL || *self->filter == '\0')
    return TRUE;
  g_autofree char *folded = g_utf8_casefold (tag, -1);
  return strstr (folded, self->filter) != NULL;
}

static void
show_count (SluiceChartsPage *self)
{
  guint n = 0;
  for (guint i = 0; i < self->cards->len; i++)
    {
      Card *card = self->cards->pdata[i];
      gboolean visible = matches (self, card->tag) && card->n_shown > 0;
      gtk_widget_set_visible (gtk_widget_get_parent (card->widget), visible);
      n += visible;
    }
  g_autofree char *text = g_strdup_printf (ngettext ("%u chart", "%u charts", n), n);
  gtk_label_set_label (self->count, text);
}

static void
fill_cards (SluiceChartsPage *self)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  g_autoptr (SluiceRun) front = sluice_run_set_dup_front (self->shown);
  for (guint i = 0; i < self->cards->len; i++)
    ((Card *) self->cards->pdata[i])->n_shown = 0;
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      GPtrArray *series = sluice_run_get_series (run);
      for (guint k = 0; k < series->len; k++)
        show_series (self, run, front, series->pdata[k]);
    }
  if (sluice_workspace_get_store (self->workspace) != NULL)
    show_texts (self, front);
  for (guint i = 0; i < self->cards->len; i++)
    drop_gone (self, self->cards->pdata[i]);
}

/* Nothing has been recorded; or nothing of the runs that are shown. */
static void
show_state (SluiceChartsPage *self)
{
  const char *failure = sluice_workspace_get_failure (self->workspace);
  guint n_hidden = sluice_run_set_get_n_hidden (self->shown);
  const char *state = "empty";
  for (guint i = 0; i < self->cards->len && *state == 'e'; i++)
    if (((Card *) self->cards->pdata[i])->n_shown > 0)
      state = "cards";
  if (failure != NULL && sluice_workspace_get_store (self->workspace) == NULL)
    {
      adw_status_page_set_description (self->failure, failure);
      state = "failed";
    }
  g_autofree char *text =
      g_strdup_printf (ngettext ("Show %u hidden run", "Show %u hidden runs", n_hidden), n_hidden);
  gtk_button_set_label (self->show_hidden, text);
  gtk_widget_set_visible (GTK_WIDGET (self->show_hidden), n_hidden > 0);
  gtk_stack_set_visible_child_name (self->states, state);
}

static void
changed_cb (SluiceChartsPage *self)
{
  fill_cards (self);
  show_count (self);
  refresh_in_view (self);
  show_state (self);
}

/* ---- a page of the window ---- */

static void
charts_page_attach (SluicePage *page, const SluicePageContext *context)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  g_assert (self->workspace == NULL);
  self->workspace = g_object_ref (context->workspace);
  self->shown = g_object_ref (context->shown);
  g_signal_connect_object (self->workspace, "changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->shown, "changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  changed_cb (self);
}

static void
charts_page_apply_settings (SluicePage *page, GSettings *settings)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  GtkToggleButton *axes[] = { self->axis_step, self->axis_relative, self->axis_wall };
  gtk_range_set_value (GTK_RANGE (self->smoothing), g_settings_get_double (settings, "smoothing"));
  gtk_toggle_button_set_active (axes[g_settings_get_enum (settings, "chart-axis")], TRUE);
}

/* Only cards whose tag holds the text are shown. */
static guint
charts_page_find (SluicePage *page, const char *text)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  guint n = 0;
  g_free (self->filter);
  self->filter = g_utf8_casefold (text, -1);
  show_count (self);
  for (guint i = 0; i < self->cards->len; i++)
    n += matches (self, ((Card *) self->cards->pdata[i])->tag);
  return n;
}

static void
charts_page_filter (SluicePage *page, const char *text)
{
  charts_page_find (page, text);
}

static char *
charts_page_dump_state (SluicePage *page)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "state");
  json_builder_add_string_value (b, gtk_stack_get_visible_child_name (self->states));
  json_builder_set_member_name (b, "cards");
  json_builder_begin_object (b);
  for (guint i = 0; i < self->cards->len; i++)
    {
      Card *card = self->cards->pdata[i];
      if (!gtk_widget_get_visible (gtk_widget_get_parent (card->widget)))
        continue;
      json_builder_set_member_name (b, card->tag);
      g_autofree char *text =
          card->kind == SLUICE_SERIES_SCALAR ? sluice_chart_dup_summary (
              sluice_chart_card_get_chart (SLUICE_CHART_CARD (card->widget)))
          : card->kind == KIND_TEXT
              ? g_strdup (sluice_text_card_get_text (SLUICE_TEXT_CARD (card->widget)))
              : g_strdup_printf ("%u", g_hash_table_size (card->runs));
      json_builder_add_string_value (b, text);
    }
  json_builder_end_object (b);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

static void
init_page (SluicePageInterface *iface)
{
  iface->attach = charts_page_attach;
  iface->apply_settings = charts_page_apply_settings;
  iface->filter = charts_page_filter;
  iface->find = charts_page_find;
  iface->dump_state = charts_page_dump_state;
}

static void
sluice_charts_page_dispose (GObject *object)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (object);
  g_clear_object (&self->workspace);
  g_clear_object (&self->shown);
  gtk_widget_dispose_template (GTK_WIDGET (self), SLUICE_TYPE_CHARTS_PAGE);
  G_OBJECT_CLASS (sluice_charts_page_parent_class)->dispose (object);
}

static void
sluice_charts_page_finalize (GObject *object)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (object);
  g_hash_table_unref (self->by_tag);
  g_ptr_array_unref (self->cards);
  g_free (self->filter);
  G_OBJECT_CLASS (sluice_charts_page_parent_class)->finalize (object);
}

static void
sluice_charts_page_class_init (SluiceChartsPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_charts_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_charts_page_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/sluice/Workbench/charts-page.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, states);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, failure);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, count);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, show_hidden);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, smoothing);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, axis_step);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, axis_relative);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, axis_wall);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, log_y);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, flow);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, scroller);
}

static void
sluice_charts_page_init (SluiceChartsPage *self)
{
  self->cards = g_ptr_array_new_with_free_func (card_free);
  self->by_tag = g_hash_table_new (g_str_hash, g_str_equal);
  gtk_widget_init_template (GTK_WIDGET (self));
  GtkAdjustment *scrolled = gtk_scrolled_window_get_vadjustment (self->scroller);
  g_signal_connect_swapped (scrolled, "value-changed", G_CALLBACK (refresh_in_view), self);
  g_signal_connect_swapped (scrolled, "changed", G_CALLBACK (refresh_in_view), self);
  g_signal_connect_swapped (self->smoothing, "value-changed", G_CALLBACK (view_changed_cb), self);
  g_signal_connect_swapped (self->axis_step, "toggled", G_CALLBACK (view_changed_cb), self);
  g_signal_connect_swapped (self->axis_relative, "toggled", G_CALLBACK (view_changed_cb), self);
  g_signal_connect_swapped (self->axis_wall, "toggled", G_CALLBACK (view_changed_cb), self);
  g_signal_connect_swapped (self->log_y, "toggled", G_CALLBACK (view_changed_cb), self);
}
