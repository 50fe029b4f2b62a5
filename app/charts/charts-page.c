/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/charts-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/charts/axis-chooser.h"
#include "app/charts/card-dump.h"
#include "app/charts/card-grid.h"
#include "app/charts/card-groups.h"
#include "app/charts/card-memory.h"
#include "app/charts/card-order.h"
#include "app/charts/image-steps.h"
#include "app/charts/join-cards.h"
#include "app/charts/print-cards.h"
#include "app/charts/tag-card.h"
#include "app/shortcuts.h"
#include "app/window-state.h"
#include "ui/chart/chart-card.h"
#include "ui/chart/image-card.h"
#include "ui/chart/settings-card.h"
#include "ui/common/widget.h"

struct _SluiceChartsPage
{
  GtkWidget parent;
  GtkStack *states;
  AdwStatusPage *failure, *nothing;
  GtkLabel *count;
  GtkButton *show_hidden, *show_all;
  GtkScale *smoothing;
  SluiceAxisChooser *axis;
  GtkToggleButton *log_y;
  SluiceCardGrid *grid;
  GtkScrolledWindow *scroller;
  GtkWidget *bar;

  SluiceWorkspace *workspace;
  SluiceRunSet *shown;
  SluiceCardOrder *order; /* (nullable): before it is attached */
  guint order_source;     /* works on it */
  GPtrArray *living;      /* of SluiceTagCard: those that have a widget, in no order */
  SluiceCardMemory memory;
  SluiceImageSteps *image_steps;
  guint64 drawn;       /* what decided which cards there are: sluice_run_set_hash() */
  SluiceQuery *filter; /* (nullable) */
  char *selected;      /* (nullable): the tag of the card that has or had the focus last */
  GSettings *settings;
  double view_x0, view_x1; /* NaN: everything */
  SluiceChartChoice choice;
};

static void init_page (SluicePageInterface *iface);

static GParamSpec *seeds_property; /* the SluiceSeedsMode by its name: the state of an action */

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceChartsPage,
                               sluice_charts_page,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (SLUICE_TYPE_PAGE, init_page))

/* ---- settings of all cards ---- */

static void
apply_view (SluiceChartsPage *self, GtkWidget *widget)
{
  if (!SLUICE_IS_CHART_CARD (widget))
    return;
  SluiceChartCard *chart = SLUICE_CHART_CARD (widget);
  sluice_chart_card_set_smoothing (chart, gtk_range_get_value (GTK_RANGE (self->smoothing)));
  sluice_chart_card_set_x_axis (chart, sluice_axis_chooser_get_axis (self->axis));
  sluice_chart_card_set_log_y (chart, gtk_toggle_button_get_active (self->log_y));
}

static void changed_cb (SluiceChartsPage *self);
static void tell (SluiceChartsPage *self, const char *message);

/* All charts take their curves again, with the next update. */
static void
begin_scalars_anew (SluiceChartsPage *self)
{
  for (guint i = 0; i < self->living->len; i++) /* the others have none */
    if (sluice_tag_card_is_scalar (self->living->pdata[i]))
      sluice_tag_card_begin_anew (self->living->pdata[i]);
}

/* Calls @func with each card's widget there is, but for @but. */
static void
foreach_widget (SluiceChartsPage *self,
                GtkWidget *but,
                void (*func) (GtkWidget *widget, gpointer data),
                gpointer data)
{
  for (guint i = 0; i < self->living->len; i++)
    {
      SluiceTagCard *card = self->living->pdata[i];
      if (card->widget != NULL && card->widget != but)
        func (card->widget, data);
    }
}

static void
apply_view_cb (GtkWidget *widget, gpointer data)
{
  apply_view (data, widget);
}

static void
view_changed_cb (SluiceChartsPage *self)
{
  foreach_widget (self, NULL, apply_view_cb, self);
}

static void
take_axis (SluiceChartsPage *self)
{
  const char *tag = sluice_axis_chooser_get_tag (self->axis);
  if (g_strcmp0 (self->choice.x_tag, tag) != 0)
    {
      g_free (self->choice.x_tag);
      self->choice.x_tag = g_strdup (tag);
      begin_scalars_anew (self);
    }
  view_changed_cb (self);
}

static void
axis_changed_cb (SluiceChartsPage *self)
{
  self->view_x0 = self->view_x1 = NAN; /* steps are no seconds */
  take_axis (self);
  if (self->workspace != NULL)
    changed_cb (self);
}

static void
set_seeds (SluiceChartsPage *self, SluiceSeedsMode mode)
{
  if (self->choice.seeds == mode)
    return;
  begin_scalars_anew (self);
  g_clear_pointer (&self->choice.groups, g_ptr_array_unref);
  self->choice.seeds = mode;
  if (self->settings != NULL)
    g_settings_set_string (self->settings, "chart-seeds", sluice_seeds_mode_get_name (mode));
  if (self->workspace != NULL)
    changed_cb (self);
  g_object_notify_by_pspec (G_OBJECT (self), seeds_property);
}

/* Somebody has chosen it: where it changes nothing, that is said. */
static void
choose_seeds (SluiceChartsPage *self, SluiceSeedsMode mode)
{
  set_seeds (self, mode);
  if (mode != SLUICE_SEEDS_EACH && (self->choice.groups == NULL || self->choice.groups->len == 0))
    tell (self, _ ("No two of the runs that are shown differ by their seed alone"));
}

static void
next_seeds_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (widget);
  choose_seeds (self, (self->choice.seeds + 1) % SLUICE_N_SEEDS_MODES);
}

static void
choose_axis_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_axis_chooser_open (SLUICE_CHARTS_PAGE (widget)->axis);
}

static void
set_cursor_cb (GtkWidget *widget, gpointer data)
{
  if (SLUICE_IS_CHART_CARD (widget))
    sluice_chart_card_set_cursor (SLUICE_CHART_CARD (widget), *(double *) data);
}

/* The same place is shown in every card. */
static void
cursor_moved_cb (GtkWidget *from, double x, SluiceChartsPage *self)
{
  foreach_widget (self, from, set_cursor_cb, &x);
}

static void
set_view_cb (GtkWidget *widget, gpointer data)
{
  SluiceChartsPage *self = data;
  if (SLUICE_IS_CHART_CARD (widget))
    sluice_chart_card_set_view (SLUICE_CHART_CARD (widget), self->view_x0, self->view_x1);
}

/* All cards have the same axis, and show the same part of it. */
static void
view_moved_cb (GtkWidget *from, double x0, double x1, SluiceChartsPage *self)
{
  self->view_x0 = x0;
  self->view_x1 = x1;
  foreach_widget (self, from, set_view_cb, self);
}

/* ---- the step of all images ---- */

static void
show_step_cb (GtkWidget *widget, gpointer data)
{
  if (SLUICE_IS_IMAGE_CARD (widget))
    sluice_image_card_show_step (SLUICE_IMAGE_CARD (widget), *(gint64 *) data);
}

static void
add_steps_cb (GtkWidget *widget, gpointer data)
{
  if (SLUICE_IS_IMAGE_CARD (widget))
    sluice_image_card_add_steps (SLUICE_IMAGE_CARD (widget), data);
}

static void
image_step_cb (SluiceChartsPage *self, gint64 step)
{
  foreach_widget (self, NULL, show_step_cb, &step);
}

static void
update_image_steps (SluiceChartsPage *self)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  foreach_widget (self, NULL, add_steps_cb, steps);
  sluice_image_steps_take (self->image_steps, steps);
}

/* ---- pinned and enlarged cards ---- */

static void arrange (SluiceChartsPage *self, SluiceCardsChange change);

static SluiceTagCard *
find_card (SluiceChartsPage *self, GtkWidget *widget)
{
  for (guint i = 0; i < self->living->len; i++)
    if (((SluiceTagCard *) self->living->pdata[i])->widget == widget)
      return self->living->pdata[i];
  return NULL;
}

static void
large_cb (GtkWidget *widget, GParamSpec *pspec, SluiceChartsPage *self)
{
  SluiceTagCard *card = find_card (self, widget);
  if (card == NULL)
    return;
  card->large = sluice_card_get_large (SLUICE_CARD (widget));
  sluice_card_memory_set (self->memory.large, card->tag, card->large);
  sluice_card_grid_relayout (self->grid);
  sluice_card_grid_reveal (self->grid, card);
}

static void
pinned_cb (GtkWidget *widget, GParamSpec *pspec, SluiceChartsPage *self)
{
  SluiceTagCard *card = find_card (self, widget);
  if (card == NULL)
    return;
  sluice_card_memory_pin (&self->memory, card->tag, sluice_card_get_pinned (SLUICE_CARD (widget)),
                          self->settings);
  arrange (self, SLUICE_CARDS_GROUP);
  sluice_card_grid_reveal (self->grid, card);
}

/* ---- several tags in a chart ---- */

static GStrv
dup_joinable (GtkWidget *widget, gpointer data)
{
  SluiceChartsPage *self = data;
  return sluice_cards_dup_joinable (sluice_card_order_get_matching (self->order), widget);
}

static GStrv
dup_scalar_tags (gpointer data)
{
  SluiceChartsPage *self = data;
  return sluice_cards_dup_scalar_tags (sluice_card_order_get_all (self->order));
}

static gboolean
has_others (GtkWidget *widget, gpointer data)
{
  const SluiceTagCard *card = find_card (data, widget);
  return card != NULL && card->others->len > 0;
}

/* The card that is drawn in another one has none of its own meanwhile. */
static void
join_cb (GtkWidget *widget, const char *tag, gpointer data)
{
  SluiceChartsPage *self = data;
  SluiceTagCard *card = find_card (self, widget);
  if (card == NULL)
    return;
  if (tag != NULL)
    {
      g_hash_table_insert (self->memory.joined, g_strdup (tag), g_strdup (card->tag));
      sluice_tag_card_join (card, tag);
    }
  else
    {
      for (guint i = 0; i < card->others->len; i++)
        g_hash_table_remove (self->memory.joined, card->others->pdata[i]);
      sluice_tag_card_split (card);
    }
  self->drawn = 0;
  changed_cb (self);
  sluice_card_grid_reveal (self->grid, card);
}

/* ---- files ---- */

static void
tell (SluiceChartsPage *self, const char *message)
{
  GtkWidget *toasts = gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_TOAST_OVERLAY);
  g_autofree char *markup = g_markup_escape_text (message, -1);
  if (toasts != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (toasts), adw_toast_new (markup));
}

static void
exported_cb (SluiceChartsPage *self, const char *path)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *message = g_strdup_printf (_ ("%s is written"), name);
  tell (self, message);
}

/* ---- the grid ---- */

static void
run_marked_cb (SluiceChartsPage *self, gint64 run)
{
  for (guint i = 0; i < self->living->len; i++)
    sluice_tag_card_mark (self->living->pdata[i], run);
}

/* The inspector follows, also when the focus has gone there. */
static void
focus_cb (SluiceChartsPage *self, GtkEventController *focus)
{
  const SluiceTagCard *card = find_card (self, gtk_event_controller_get_widget (focus));
  if (card == NULL || g_strcmp0 (card->tag, self->selected) == 0)
    return;
  g_free (self->selected);
  self->selected = g_strdup (card->tag);
  g_signal_emit_by_name (self, "tag-selected");
}

static void
pressed_cb (GtkWidget *widget)
{
  if (gtk_widget_get_focus_child (widget) == NULL)
    gtk_widget_grab_focus (widget);
}

/* Pressing on a card, its title too, or walking to it, selects it. */
static void
follow_focus (SluiceChartsPage *self, GtkWidget *widget)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();
  GtkGesture *press = gtk_gesture_click_new ();
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (focus_cb), self);
  g_signal_connect_swapped (press, "pressed", G_CALLBACK (pressed_cb), widget);
  gtk_widget_add_controller (widget, focus);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (press));
}

static GtkWidget *
create_card (gpointer item, gpointer data)
{
  SluiceChartsPage *self = data;
  SluiceTagCard *card = item;
  g_autoptr (SluiceRun) front = sluice_run_set_dup_front (self->shown);
  GtkWidget *widget = sluice_tag_card_create (card);
  g_ptr_array_add (self->living, card);
  if (SLUICE_IS_CHART_CARD (widget))
    {
      g_signal_connect (widget, "cursor-moved", G_CALLBACK (cursor_moved_cb), self);
      g_signal_connect (widget, "view-changed", G_CALLBACK (view_moved_cb), self);
      sluice_join_cards_add (widget, card->tag, dup_joinable, has_others, join_cb, self);
    }
  else if (SLUICE_IS_SETTINGS_CARD (widget))
    g_signal_connect_swapped (widget, "run-marked", G_CALLBACK (run_marked_cb), self);
  apply_view (self, widget);
  set_view_cb (widget, self);
  follow_focus (self, widget);
  sluice_card_memory_follow (&self->memory, card);
  sluice_card_set_large (SLUICE_CARD (widget), card->large);
  sluice_card_set_pinned (SLUICE_CARD (widget),
                          g_hash_table_contains (self->memory.pinned, card->tag));
  g_signal_connect_swapped (widget, "exported", G_CALLBACK (exported_cb), self);
  g_signal_connect_swapped (widget, "export-failed", G_CALLBACK (tell), self);
  g_signal_connect (widget, "notify::large", G_CALLBACK (large_cb), self);
  g_signal_connect (widget, "notify::pinned", G_CALLBACK (pinned_cb), self);
  sluice_tag_card_update (card, front);
  if (SLUICE_IS_IMAGE_CARD (widget))
    {
      sluice_image_card_set_slider (SLUICE_IMAGE_CARD (widget),
                                    sluice_image_steps_get_adjustment (self->image_steps));
      sluice_image_card_show_step (SLUICE_IMAGE_CARD (widget),
                                   sluice_image_steps_get_step (self->image_steps));
    }
  return widget;
}

static void
drop_card (gpointer item, gpointer data)
{
  sluice_card_memory_leave (item);
  g_ptr_array_remove_fast (((SluiceChartsPage *) data)->living, item);
  sluice_tag_card_drop (item);
}

static gboolean
is_large (gpointer item, gpointer data)
{
  return ((const SluiceTagCard *) item)->large;
}

static const SluiceCardGridFuncs grid_funcs = { create_card, drop_card, is_large };

/* ---- which cards there are ---- */

/* Nothing has been recorded; or nothing of the runs that are shown; or nothing that matches. */
static void
show_state (SluiceChartsPage *self)
{
  const char *failure = sluice_workspace_get_failure (self->workspace);
  guint n_hidden = sluice_run_set_get_n_hidden (self->shown);
  gboolean has_cards = sluice_card_order_get_matching (self->order)->len > 0;
  const char *state = has_cards || !sluice_card_order_is_done (self->order) ? "cards"
                      : sluice_card_order_get_n_known (self->order) > 0     ? "nothing"
                                                                            : "empty";
  if (failure != NULL && sluice_workspace_get_store (self->workspace) == NULL)
    {
      adw_status_page_set_description (self->failure, failure);
      state = "failed";
    }
  g_autofree char *text =
      g_strdup_printf (ngettext ("Show %u hidden run", "Show %u hidden runs", n_hidden), n_hidden);
  g_autofree char *count = sluice_card_order_dup_count (self->order);
  gtk_button_set_label (self->show_hidden, text);
  gtk_widget_set_visible (GTK_WIDGET (self->show_hidden), n_hidden > 0);
  gtk_label_set_label (self->count, count);
  gtk_stack_set_visible_child_name (self->states, state);
}

static void
update_choice (SluiceChartsPage *self)
{
  GPtrArray *groups;
  sluice_chart_choice_want_axis (&self->choice, self->workspace);
  if (!sluice_chart_choice_update (&self->choice, sluice_workspace_get_runs (self->workspace),
                                   sluice_axis_chooser_get_axis (self->axis), &groups))
    return;
  begin_scalars_anew (self);
  g_clear_pointer (&self->choice.groups, g_ptr_array_unref);
  self->choice.groups = groups;
}

/* Only what is seen is drawn anew; the rest when it is scrolled to, or the page is shown. */
static void
update_cards (SluiceChartsPage *self)
{
  update_choice (self);
  self->choice.front_leads = sluice_run_set_front_leads (self->shown);
  g_autoptr (SluiceRun) front = sluice_run_set_dup_front (self->shown);
  for (guint i = 0; i < self->living->len; i++)
    {
      SluiceTagCard *card = self->living->pdata[i];
      sluice_tag_card_update (card, front);
      if (card->widget != NULL && sluice_card_grid_shows (self->grid, card))
        sluice_card_refresh (SLUICE_CARD (card->widget));
    }
  update_image_steps (self);
  show_state (self);
}

/* A card that had it is gone: what stands in its place has the focus. */
static void
arranged_cb (GPtrArray *groups, gpointer data)
{
  SluiceChartsPage *self = data;
  gboolean has_focus = gtk_widget_get_focus_child (GTK_WIDGET (self->grid)) != NULL;
  sluice_card_grid_set_groups (self->grid, groups);
  if (!has_focus || gtk_widget_get_focus_child (GTK_WIDGET (self->grid)) != NULL)
    return;
  show_state (self);
  gtk_widget_grab_focus (sluice_card_order_get_matching (self->order)->len > 0
                             ? GTK_WIDGET (self->smoothing)
                             : GTK_WIDGET (self->show_all));
}

static gboolean
order_cb (gpointer data)
{
  SluiceChartsPage *self = data;
  if (!sluice_card_order_step (self->order, SLUICE_CARDS_STEP))
    {
      show_state (self);
      return G_SOURCE_CONTINUE;
    }
  self->order_source = 0;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    update_cards (self);
  return G_SOURCE_REMOVE;
}

/* Few cards at once; of many, one step after the other while nothing else is to be done. */
static void
arrange (SluiceChartsPage *self, SluiceCardsChange change)
{
  sluice_card_order_begin (self->order, change);
  if (self->order_source == 0 && !sluice_card_order_step (self->order, SLUICE_CARDS_STEP))
    self->order_source = g_idle_add (order_cb, self);
}

/* Search goes through cards of a hidden page: others are told at once, all else waits. */
static void
changed_cb (SluiceChartsPage *self)
{
  gboolean is_first = self->drawn == 0;
  guint64 hash = sluice_run_set_hash (self->shown);
  if (hash != self->drawn)
    arrange (self, SLUICE_CARDS_COUNT);
  self->drawn = hash;
  if (is_first || gtk_widget_get_mapped (GTK_WIDGET (self)))
    update_cards (self);
}

static void
toggled_cb (SluiceChartsPage *self, const char *title)
{
  sluice_card_memory_set (self->memory.collapsed, title,
                          !g_hash_table_contains (self->memory.collapsed, title));
  arrange (self, SLUICE_CARDS_GROUP);
}

/* ---- a page of the window ---- */

static void
charts_page_attach (SluicePage *page, const SluicePageContext *context)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  g_assert (self->workspace == NULL);
  self->workspace = g_object_ref (context->workspace);
  self->shown = g_object_ref (context->shown);
  self->order = sluice_card_order_new (&(SluiceCardOrderOptions){
      self->workspace, &self->choice, &self->memory, arranged_cb, self });
  sluice_card_order_set_filter (self->order, self->filter);
  g_signal_connect_object (self->workspace, "changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->shown, "changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "map", G_CALLBACK (changed_cb), NULL);
  changed_cb (self);
}

static void
charts_page_apply_settings (SluicePage *page, GSettings *settings)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  if (g_set_object (&self->settings, settings))
    {
      sluice_card_memory_read_pinned (&self->memory, settings);
      if (self->workspace != NULL)
        arrange (self, SLUICE_CARDS_GROUP);
    }
  gtk_range_set_value (GTK_RANGE (self->smoothing), g_settings_get_double (settings, "smoothing"));
  if (sluice_axis_chooser_get_axis (self->axis) != SLUICE_X_SERIES)
    sluice_axis_chooser_set (self->axis, g_settings_get_enum (settings, "chart-axis"), NULL);
  view_changed_cb (self);
  g_autofree char *seeds = g_settings_get_string (settings, "chart-seeds");
  set_seeds (self, sluice_seeds_mode_from_name (seeds));
}

/* All that the filter shows and that is not folded away. */
static gboolean
charts_page_prepare_print (SluicePage *page)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  GPtrArray *cards = sluice_card_order_get_matching (self->order);
  sluice_card_grid_set_keeps_all (self->grid, cards->len <= SLUICE_MOST_PRINTED_CARDS);
  return sluice_workspace_is_settled (self->workspace) && sluice_card_order_is_done (self->order)
         && sluice_cards_are_placed (cards);
}

static void
charts_page_end_print (SluicePage *page)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  sluice_card_grid_set_keeps_all (self->grid, FALSE);
  if (sluice_card_order_get_matching (self->order)->len > SLUICE_MOST_PRINTED_CARDS)
    tell (self, _ ("Of so many charts only those in view are printed; a search makes them fewer"));
}

static guint
charts_page_print (SluicePage *page, cairo_t *cr, guint sheet, double width, double height)
{
  GPtrArray *cards = sluice_card_order_get_matching (SLUICE_CHARTS_PAGE (page)->order);
  return sluice_print_cards (cards, cr, sheet, width, height);
}

static void
charts_page_keep_state (SluicePage *page, GKeyFile *state, gboolean saves)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  sluice_state_keep_toggle (state, saves, "charts", "log", self->log_y);
  sluice_state_keep_number (state, saves, "charts", "from", &self->view_x0);
  sluice_state_keep_number (state, saves, "charts", "to", &self->view_x1);
  sluice_image_steps_keep (self->image_steps, state, saves);
  sluice_card_memory_keep (&self->memory, state, saves);
  if (sluice_axis_chooser_keep (self->axis, state, saves))
    take_axis (self);
}

static void
charts_page_filter (SluicePage *page, const SluiceQuery *query)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  const char *text = sluice_query_get_text (query);
  g_autofree char *description =
      g_strdup_printf (_ ("No tag of the runs that are shown matches “%s”."), text);
  g_autoptr (SluiceQuery) filter = sluice_query_is_empty (query) ? NULL : sluice_query_new (text);
  if (g_strcmp0 (filter != NULL ? text : NULL,
                 self->filter != NULL ? sluice_query_get_text (self->filter) : NULL)
      == 0)
    return;
  adw_status_page_set_description (self->nothing, description);
  sluice_card_order_set_filter (self->order, filter);
  g_clear_pointer (&self->filter, sluice_query_free);
  self->filter = g_steal_pointer (&filter);
  arrange (self, SLUICE_CARDS_FILTER);
  changed_cb (self);
}

static gboolean
charts_page_search (SluicePage *page, const SluiceQuery *query, SluiceHits *hits)
{
  return sluice_card_order_search (SLUICE_CHARTS_PAGE (page)->order, query, G_OBJECT (page), hits);
}

static gboolean
charts_page_is_settled (SluicePage *page)
{
  const SluiceCardOrder *order = SLUICE_CHARTS_PAGE (page)->order;
  return order == NULL || sluice_card_order_is_done (order);
}

static void
charts_page_show_hit (SluicePage *page, const char *title)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  const char *other = g_hash_table_lookup (self->memory.joined, title);
  SluiceTagCard *card = sluice_card_order_find (self->order, other != NULL ? other : title);
  if (card != NULL)
    sluice_card_grid_reveal (self->grid, card);
}

static const char *
charts_page_get_tag (SluicePage *page)
{
  return SLUICE_CHARTS_PAGE (page)->selected;
}

static char *
charts_page_dump_state (SluicePage *page)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (page);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    update_cards (self);
  return sluice_cards_dump_json (
      sluice_card_order_get_matching (self->order), self->memory.pinned,
      gtk_stack_get_visible_child_name (self->states),
      gtk_adjustment_get_value (gtk_scrolled_window_get_vadjustment (self->scroller)));
}

static void
init_page (SluicePageInterface *iface)
{
  iface->attach = charts_page_attach;
  iface->apply_settings = charts_page_apply_settings;
  iface->filter = charts_page_filter;
  iface->search = charts_page_search;
  iface->show_hit = charts_page_show_hit;
  iface->is_settled = charts_page_is_settled;
  iface->prepare_print = charts_page_prepare_print;
  iface->end_print = charts_page_end_print;
  iface->print = charts_page_print;
  iface->get_tag = charts_page_get_tag;
  iface->keep_state = charts_page_keep_state;
  iface->dump_state = charts_page_dump_state;
}

static void
sluice_charts_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_string (value,
                      sluice_seeds_mode_get_name (SLUICE_CHARTS_PAGE (object)->choice.seeds));
}

static void
sluice_charts_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  choose_seeds (SLUICE_CHARTS_PAGE (object),
                sluice_seeds_mode_from_name (g_value_get_string (value)));
}

static void
sluice_charts_page_dispose (GObject *object)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (object);
  g_clear_handle_id (&self->order_source, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (self), SLUICE_TYPE_CHARTS_PAGE);
  g_clear_object (&self->workspace);
  g_clear_object (&self->shown);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (sluice_charts_page_parent_class)->dispose (object);
}

static void
sluice_charts_page_finalize (GObject *object)
{
  SluiceChartsPage *self = SLUICE_CHARTS_PAGE (object);
  g_ptr_array_unref (self->living);
  g_clear_pointer (&self->order, sluice_card_order_free);
  g_clear_pointer (&self->filter, sluice_query_free);
  g_free (self->selected);
  g_object_unref (self->image_steps);
  sluice_card_memory_clear (&self->memory);
  sluice_chart_choice_clear (&self->choice);
  G_OBJECT_CLASS (sluice_charts_page_parent_class)->finalize (object);
}

static void
sluice_charts_page_class_init (SluiceChartsPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  g_type_ensure (SLUICE_TYPE_AXIS_CHOOSER);
  g_type_ensure (SLUICE_TYPE_CARD_GRID);
  G_OBJECT_CLASS (klass)->dispose = sluice_charts_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_charts_page_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "charts.choose-axis", NULL, choose_axis_action);
  G_OBJECT_CLASS (klass)->get_property = sluice_charts_page_get_property;
  G_OBJECT_CLASS (klass)->set_property = sluice_charts_page_set_property;
  seeds_property =
      g_param_spec_string ("seeds", NULL, NULL, sluice_seeds_mode_get_name (SLUICE_SEEDS_EACH),
                           G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property (G_OBJECT_CLASS (klass), 1, seeds_property);
  gtk_widget_class_install_property_action (widget_class, "charts.seeds", "seeds");
  gtk_widget_class_install_action (widget_class, "charts.next-seeds", NULL, next_seeds_action);
  sluice_shortcuts_bind (widget_class, "charts.");
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/sluice/Workbench/charts-page.ui");
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, states);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, failure);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, count);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, show_hidden);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, show_all);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, smoothing);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, axis);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, log_y);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, nothing);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, grid);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, scroller);
  gtk_widget_class_bind_template_child (widget_class, SluiceChartsPage, bar);
}

static void
sluice_charts_page_init (SluiceChartsPage *self)
{
  self->living = g_ptr_array_new ();
  sluice_card_memory_init (&self->memory);
  self->image_steps = sluice_image_steps_new ();
  self->view_x0 = self->view_x1 = NAN;
  gtk_widget_init_template (GTK_WIDGET (self));
  sluice_card_grid_set_funcs (self->grid, &grid_funcs, self);
  g_signal_connect_swapped (self->grid, "toggled", G_CALLBACK (toggled_cb), self);
  g_signal_connect_swapped (self->smoothing, "value-changed", G_CALLBACK (view_changed_cb), self);
  sluice_axis_chooser_set_tags_func (self->axis, dup_scalar_tags, self);
  g_signal_connect_swapped (self->axis, "changed", G_CALLBACK (axis_changed_cb), self);
  g_signal_connect_swapped (self->log_y, "toggled", G_CALLBACK (view_changed_cb), self);
  g_signal_connect_swapped (self->image_steps, "step-changed", G_CALLBACK (image_step_cb), self);
  sluice_widget_release_wheel (GTK_WIDGET (self->smoothing));
  sluice_widget_pass_wheel (self->bar, self->scroller);
}
