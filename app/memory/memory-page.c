/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/memory/memory-page.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include "app/memory/memory-private.h"
#include "app/memory/memory-words.h"
#include "ui/timeline/memory-draw.h"

/* How often a run at work is looked at, and a step of it recorded: a step that is recorded takes
 * longer than others. */
#define LIVE_MS 500
/* Steps in which what grows is looked for, and their records in all. */
#define MOST_STEPS   8
#define MOST_RECORDS 400000

static void init_page (SluicePageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceMemoryPage,
                               sluice_memory_page,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (SLUICE_TYPE_PAGE, init_page))

static guint node_selected_signal;

enum
{
  PROP_LIVE = 1,
};
static GParamSpec *live_property;

/* ---- cursor and selection ---- */

static void
show_map (SluiceMemoryPage *self, guint moment)
{
  const SluiceMemoryView *view = self->shown->view;
  gboolean is_peak = moment == sluice_memory_view_get_peak (view);
  g_autofree char *time =
      sluice_memory_format_time (view, sluice_memory_bands_get_cursor_time (self->bands));
  g_autofree char *at = sluice_memory_view_get_tape (view)->is_failure
                            ? g_strdup (_ ("when it was refused"))
                            : g_strdup_printf (is_peak ? _ ("at the peak, %s") : _ ("at %s"), time);
  sluice_memory_strip_set_moment (self->strip, view, moment);
  g_autofree char *words = sluice_memory_words_map (sluice_memory_strip_get_map (self->strip));
  gtk_label_set_label (self->map_time, at);
  gtk_label_set_label (self->map_words, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->strip), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Addresses"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
}

void
sluice_memory_page_stand (SluiceMemoryPage *self)
{
  self->step = sluice_memory_view_get_tape (self->shown->view)->step;
  sluice_memory_page_set_live (self, FALSE);
}

void
sluice_memory_page_move_cursor (SluiceMemoryPage *self, guint moment)
{
  sluice_memory_bands_set_cursor (self->bands, moment);
  show_map (self, sluice_memory_bands_get_cursor (self->bands));
}

static void
show_band (SluiceMemoryPage *self, guint band)
{
  sluice_memory_bands_select (self->bands, band);
  sluice_memory_strip_select (self->strip, band);
  sluice_memory_table_select (self->table, band);
  sluice_memory_pane_show (self->pane, self->shown->view, band, self->shown->growth,
                           self->shown->n_steps);
}

void
sluice_memory_page_select (SluiceMemoryPage *self, guint number)
{
  if (self->shown == NULL)
    return;
  sluice_memory_page_stand (self);
  show_band (self, number);
  if (number == SLUICE_BAND_NONE)
    {
      sluice_page_renew_text (&self->node, NULL);
      return;
    }
  const SluiceMemoryBand *band = sluice_memory_view_get_band (self->shown->view, number);
  const char *name = sluice_memory_view_get_name (self->shown->view, band->owner.node);
  guint cursor = sluice_memory_bands_get_cursor (self->bands);
  if (cursor < band->begin || cursor >= band->end)
    sluice_memory_page_move_cursor (self, band->begin);
  sluice_page_renew_text (&self->node, name);
  if (name != NULL)
    g_signal_emit (self, node_selected_signal, 0, name);
}

void
sluice_memory_page_select_node (SluiceMemoryPage *self, const char *name)
{
  if (sluice_page_renew_text (&self->node, name) && self->shown != NULL)
    show_band (self, sluice_memory_view_find_node (self->shown->view, self->node));
}

/* ---- what is in front ---- */

static void
shown_free (gpointer data)
{
  SluiceMemoryShown *shown = data;
  sluice_memory_view_free (shown->view);
  g_array_unref (shown->growth);
  g_clear_pointer (&shown->plan, sluice_memory_plan_free);
  g_free (shown->rescue);
  g_free (shown);
}

/* Who came here by keys to an empty page goes on in the bands: the button there may have been
 * greyed since, and lost the keyboard. */
static void
show_step (SluiceMemoryPage *self)
{
  gtk_stack_set_visible_child_name (self->states, "step");
  if (self->wants_focus && gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_widget_grab_focus (GTK_WIDGET (self->bands));
  self->wants_focus = FALSE;
}

/* "3 CPU:0": of which run and device a plan is. (transfer full) */
static char *
dup_planned (SluiceMemoryPage *self, const char *device)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT " %s",
                          sluice_run_controller_get_run (self->controller), device);
}

/* It stays for the device: steps do not change it. */
static void
take_plan (SluiceMemoryPage *self, SluiceMemoryShown *shown)
{
  if (shown->plan == NULL)
    return;
  sluice_memory_table_set_plan (self->table, NULL);
  g_clear_pointer (&self->plan, sluice_memory_plan_free);
  g_free (self->planned);
  self->plan = g_steal_pointer (&shown->plan);
  self->planned = dup_planned (self, sluice_memory_view_get_tape (shown->view)->device);
  sluice_memory_table_set_plan (self->table, self->plan);
}

static void
take_shown (SluiceMemoryPage *self, SluiceMemoryShown *shown)
{
  SluiceMemoryShown *before = self->shown;
  guint refused;
  self->shown = shown;
  sluice_memory_bands_set_view (self->bands, shown->view);
  take_plan (self, shown);
  sluice_memory_table_set_view (self->table, shown->view);
  sluice_memory_page_tell_fit (self);
  if (sluice_memory_view_get_refusal (shown->view, &refused) != NULL)
    sluice_memory_bands_set_cursor (self->bands, refused);
  show_map (self, sluice_memory_bands_get_cursor (self->bands));
  show_band (self, sluice_memory_view_find_node (self->shown->view, self->node));
  sluice_memory_page_fill_head (self);
  show_step (self);
  sluice_memory_page_update_actions (self);
  g_clear_pointer (&before, shown_free);
}

/* Of the step and the device that are chosen, else the newest of that device, else the newest.
 * (nullable) */
static SluiceMemoryTape *
choose_tape (SluiceMemoryPage *self)
{
  SluiceMemoryTape *chosen = NULL;
  gboolean is_exact = FALSE;
  for (guint i = 0; i < self->tapes->len && !is_exact; i++)
    {
      SluiceMemoryTape *tape = self->tapes->pdata[i];
      gboolean is_device = self->chosen == NULL || g_str_equal (tape->device, self->chosen);
      is_exact = is_device && self->step != 0 && tape->step == self->step && self->chosen != NULL;
      gboolean is_better = chosen == NULL || tape->step > chosen->step
                           || (tape->step == chosen->step && self->chosen == NULL
                               && tape->log->n_records > chosen->log->n_records);
      if (is_exact || (is_device && is_better))
        chosen = tape;
    }
  return chosen;
}

/* ---- making views, in a worker ---- */

typedef struct
{
  GPtrArray *tapes;       /* of one device, the one to be shown last */
  SluiceTrainer *trainer; /* (nullable): whose memory is planned, too */
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;
  g_ptr_array_unref (job->tapes);
  g_clear_object (&job->trainer);
  g_free (job);
}

static void
make_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  GPtrArray *tapes = job->tapes;
  g_autoptr (GPtrArray) views =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_view_free);
  SluiceMemoryShown *shown = g_new0 (SluiceMemoryShown, 1);
  for (guint i = 0; i < tapes->len; i++)
    g_ptr_array_add (views, sluice_memory_view_new (tapes->pdata[i]));
  shown->growth = sluice_memory_find_growth ((SluiceMemoryView *const *) views->pdata, views->len);
  shown->n_steps = views->len;
  shown->view = g_ptr_array_steal_index (views, views->len - 1);
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (shown->view);
  if (job->trainer != NULL && tape->is_failure)
    shown->rescue = sluice_memory_plan_dup_rescue (job->trainer, tape->limit);
  else if (job->trainer != NULL)
    shown->plan = sluice_memory_plan_new (job->trainer, shown->view);
  g_task_return_pointer (task, shown, shown_free);
}

static void look (SluiceMemoryPage *self);

static void
make_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (object);
  SluiceMemoryShown *shown = g_task_propagate_pointer (G_TASK (result), NULL);
  self->making = FALSE;
  if (self->states == NULL) /* the page goes */
    g_clear_pointer (&shown, shown_free);
  else
    {
      take_shown (self, shown);
      look (self);
    }
}

/* That one and those of its device before it. (transfer full) */
static GPtrArray *
list_before (SluiceMemoryPage *self, SluiceMemoryTape *last)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_tape_unref);
  gsize n_records = 0;
  for (guint i = self->tapes->len; i-- > 0 && list->len < MOST_STEPS;)
    {
      SluiceMemoryTape *tape = self->tapes->pdata[i];
      gboolean is_before = tape->step <= last->step && g_str_equal (tape->device, last->device);
      n_records += is_before ? tape->log->n_records : 0;
      if (tape == last
          || (is_before && list->len > 0 && n_records <= MOST_RECORDS && !tape->is_failure))
        g_ptr_array_insert (list, 0, sluice_memory_tape_ref (tape));
    }
  return list;
}

/* Takes what the run has recorded, and shows what is chosen of it. */
static void
look (SluiceMemoryPage *self)
{
  GPtrArray *tapes =
      self->controller != NULL ? sluice_run_controller_dup_memory (self->controller) : NULL;
  if (tapes == NULL)
    tapes = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_tape_unref);
  g_ptr_array_unref (self->tapes);
  self->tapes = tapes;
  SluiceMemoryTape *tape = choose_tape (self);
  if (tape == NULL || self->making
      || (self->shown != NULL && sluice_memory_view_get_tape (self->shown->view) == tape))
    return;
  self->making = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, make_done, NULL);
  Job *job = g_new0 (Job, 1);
  job->tapes = list_before (self, tape);
  g_autofree char *planned = dup_planned (self, tape->device);
  gboolean is_other = self->planned == NULL || atoi (planned) != atoi (self->planned);
  self->is_applied = self->is_applied && !is_other;
  if (tape->is_failure ? tape->is_limited
                       : !self->is_applied && g_strcmp0 (self->planned, planned) != 0)
    job->trainer = sluice_run_controller_dup_trainer (self->controller);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, make_in_worker);
}

/* While it is seen, and follows: one more step. */
static void
follow (SluiceMemoryPage *self)
{
  if (self->controller == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  if (self->is_live)
    sluice_run_controller_record_memory (self->controller, 1);
  if (self->is_live || self->shown == NULL)
    look (self);
}

static gboolean
live_cb (gpointer data)
{
  follow (data);
  return G_SOURCE_CONTINUE;
}

static void
unmapped_cb (SluiceMemoryPage *self)
{
  self->wants_focus = FALSE;
  if (self->controller != NULL)
    sluice_run_controller_record_memory (self->controller, 0);
}

void
sluice_memory_page_set_live (SluiceMemoryPage *self, gboolean is_live)
{
  if (self->is_live == is_live)
    return;
  self->is_live = is_live;
  self->step = is_live ? 0 : self->step;
  g_object_notify_by_pspec (G_OBJECT (self), live_property);
  if (is_live)
    follow (self);
  else if (self->controller != NULL)
    sluice_run_controller_record_memory (self->controller, 0);
}

void
sluice_memory_page_go (SluiceMemoryPage *self, int by)
{
  if (self->shown == NULL)
    return;
  const SluiceMemoryTape *shown = sluice_memory_view_get_tape (self->shown->view);
  const SluiceMemoryTape *next = NULL;
  for (guint i = 0; i < self->tapes->len; i++)
    {
      const SluiceMemoryTape *tape = self->tapes->pdata[by > 0 ? i : self->tapes->len - 1 - i];
      if (next == NULL && g_str_equal (tape->device, shown->device)
          && (by > 0 ? tape->step > shown->step : tape->step < shown->step))
        next = tape;
    }
  sluice_memory_page_stand (self);
  self->step = next != NULL ? next->step : shown->step;
  sluice_memory_page_choose_device (self, shown->device);
}

void
sluice_memory_page_choose_device (SluiceMemoryPage *self, const char *device)
{
  sluice_page_renew_text (&self->chosen, device);
  look (self);
}

/* ---- a page of the window ---- */

static void
controller_changed_cb (SluiceMemoryPage *self)
{
  follow (self);
}

static void
memory_page_attach (SluicePage *page, const SluicePageContext *context)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (page);
  if (g_set_object (&self->controller, context->controller))
    g_signal_connect_object (self->controller, "changed", G_CALLBACK (controller_changed_cb), self,
                             G_CONNECT_SWAPPED);
  if (self->source == 0)
    self->source = g_timeout_add (LIVE_MS, live_cb, self);
}

static gboolean
memory_page_is_settled (SluicePage *page)
{
  return !SLUICE_MEMORY_PAGE (page)->making;
}

static GtkWidget *
memory_page_get_right (SluicePage *page)
{
  return GTK_WIDGET (SLUICE_MEMORY_PAGE (page)->pane);
}

static void
add_shown (SluiceMemoryPage *self, JsonBuilder *b)
{
  const SluiceMemoryView *view = self->shown->view;
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (view);
  guint band = sluice_memory_bands_get_selected (self->bands);
  g_autofree char *words =
      band != SLUICE_BAND_NONE ? sluice_memory_words_band (view, band) : g_strdup ("");
  g_autofree char *table = sluice_memory_table_dup_text (self->table);
  g_autofree char *pane = sluice_inspector_pane_dup_text (SLUICE_INSPECTOR_PANE (self->pane));
  gint64 from, to;
  sluice_memory_bands_get_range (self->bands, &from, &to);
  sluice_page_dump_string (b, "device", tape->device);
  sluice_page_dump_int (b, "step", (gint64) tape->step);
  sluice_page_dump_int (b, "peak", (gint64) sluice_memory_view_get_peak (view));
  sluice_page_dump_int (
      b, "peak_bytes",
      (gint64) sluice_memory_view_get_live (view, sluice_memory_view_get_peak (view)));
  sluice_page_dump_int (b, "cursor", sluice_memory_bands_get_cursor (self->bands));
  sluice_page_dump_int (b, "n_bands", sluice_memory_view_get_n_bands (view));
  sluice_page_dump_int (b, "length", to - from);
  sluice_page_dump_string (b, "band", words);
  sluice_page_dump_string (b, "sum", gtk_label_get_label (self->sum));
  sluice_page_dump_string (b, "map", gtk_label_get_label (self->map_words));
  sluice_page_dump_string (b, "refusal", gtk_label_get_label (self->refusal));
  sluice_page_dump_string (b, "fit", gtk_label_get_label (self->fit_words));
  sluice_page_dump_string (b, "table", table);
  sluice_page_dump_string (b, "pane", pane);
}

static char *
memory_page_dump_state (SluicePage *page)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (page);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  sluice_page_dump_string (b, "shows", gtk_stack_get_visible_child_name (self->states));
  sluice_page_dump_bool (b, "live", self->is_live);
  sluice_page_dump_int (b, "n_tapes", self->tapes->len);
  if (self->shown != NULL)
    add_shown (self, b);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

static void
init_page (SluicePageInterface *iface)
{
  iface->attach = memory_page_attach;
  iface->is_settled = memory_page_is_settled;
  iface->dump_state = memory_page_dump_state;
  iface->get_right = memory_page_get_right;
}

/* ---- life ---- */

static void
sluice_memory_page_dispose (GObject *object)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (object);
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_object (&self->controller);
  if (self->states != NULL)
    {
      sluice_memory_bands_set_view (self->bands, NULL);
      sluice_memory_strip_set_moment (self->strip, NULL, 0);
      sluice_memory_table_set_plan (self->table, NULL);
      sluice_memory_table_set_view (self->table, NULL);
    }
  g_clear_pointer ((GtkWidget **) &self->states, gtk_widget_unparent);
  g_clear_pointer (&self->shown, shown_free);
  g_clear_pointer (&self->plan, sluice_memory_plan_free);
  g_clear_object (&self->pane);
  G_OBJECT_CLASS (sluice_memory_page_parent_class)->dispose (object);
}

static void
sluice_memory_page_finalize (GObject *object)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (object);
  g_ptr_array_unref (self->tapes);
  g_free (self->chosen);
  g_free (self->planned);
  g_free (self->node);
  G_OBJECT_CLASS (sluice_memory_page_parent_class)->finalize (object);
}

static gboolean
sluice_memory_page_grab_focus (GtkWidget *widget)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (widget);
  self->wants_focus = self->shown == NULL;
  return gtk_widget_grab_focus (self->shown != NULL ? GTK_WIDGET (self->bands) : self->empty_step);
}

static void
sluice_memory_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, SLUICE_MEMORY_PAGE (object)->is_live);
}

static void
sluice_memory_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  sluice_memory_page_set_live (SLUICE_MEMORY_PAGE (object), g_value_get_boolean (value));
}

static void
sluice_memory_page_class_init (SluiceMemoryPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_memory_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_memory_page_finalize;
  G_OBJECT_CLASS (klass)->get_property = sluice_memory_page_get_property;
  G_OBJECT_CLASS (klass)->set_property = sluice_memory_page_set_property;
  widget_class->grab_focus = sluice_memory_page_grab_focus;
  live_property =
      g_param_spec_boolean ("live", NULL, NULL, TRUE,
                            G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property (G_OBJECT_CLASS (klass), PROP_LIVE, live_property);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  node_selected_signal = g_signal_new ("node-selected", SLUICE_TYPE_MEMORY_PAGE, G_SIGNAL_RUN_LAST,
                                       0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  sluice_memory_page_install_actions (widget_class);
}

static void
cursor_moved_cb (SluiceMemoryPage *self, guint moment)
{
  show_map (self, moment);
}

static void
selected_cb (SluiceMemoryPage *self, guint band)
{
  sluice_memory_page_select (self, band);
}

/* Who decides something goes on looking at that step. */
static void
ticked_cb (SluiceMemoryPage *self)
{
  sluice_memory_page_stand (self);
  sluice_memory_page_tell_fit (self);
}

static void
sluice_memory_page_init (SluiceMemoryPage *self)
{
  self->is_live = TRUE;
  self->tapes = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_tape_unref);
  self->states = GTK_STACK (gtk_stack_new ());
  self->bands = SLUICE_MEMORY_BANDS (sluice_memory_bands_new ());
  self->strip = SLUICE_MEMORY_STRIP (sluice_memory_strip_new ());
  self->table = SLUICE_MEMORY_TABLE (sluice_memory_table_new ());
  self->pane = g_object_ref_sink (SLUICE_MEMORY_PANE (sluice_memory_pane_new ()));
  sluice_memory_bands_set_words (self->bands, sluice_memory_words_band);
  gtk_stack_add_named (self->states, sluice_memory_page_make_empty (self), "empty");
  gtk_stack_add_named (self->states, sluice_memory_page_make (self), "step");
  gtk_widget_set_parent (GTK_WIDGET (self->states), GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self), "memory-page");
  g_signal_connect_swapped (self->bands, "selected", G_CALLBACK (selected_cb), self);
  g_signal_connect_swapped (self->bands, "cursor-moved", G_CALLBACK (cursor_moved_cb), self);
  g_signal_connect_swapped (self->strip, "selected", G_CALLBACK (selected_cb), self);
  g_signal_connect_swapped (self->table, "selected", G_CALLBACK (selected_cb), self);
  g_signal_connect_swapped (self->table, "ticked", G_CALLBACK (ticked_cb), self);
  g_signal_connect_object (self->pane, "band-chosen", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "map", G_CALLBACK (follow), NULL);
  g_signal_connect (self, "unmap", G_CALLBACK (unmapped_cb), NULL);
  sluice_memory_page_update_actions (self);
}
