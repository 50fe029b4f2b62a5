/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/run.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/status-text.h"
#include "app/stored-points.h"
#include "engine/store/kinds/event.h"
#include "engine/store/kinds/hparams.h"

#define EVALUATION "evaluate/" /* tags of what is found on the test split */

struct _SluiceRun
{
  GObject parent;
  SluiceRunInfo *info;
  gboolean shown;
  GPtrArray *series;
  gboolean sorted;             /* are they? */
  GHashTable *by_tag;          /* of SluiceRunSeries */
  GPtrArray *images;           /* of SluiceRunSeries, borrowed */
  SluiceRunSeries *evaluation; /* (nullable): the first, by tag, of what evaluations find */
  GPtrArray *events;
  guint n_event_restarts;
  GPtrArray *settings; /* (nullable): of SluiceSetting */
  SluicePauses *pauses;
  const SluiceRunSeries
      *clock; /* (nullable): whose points tell of pauses: the loss, or the first */
};

enum
{
  PROP_NAME = 1,
  PROP_STATUS,
  PROP_STATE,
  PROP_SHOWN,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];
static guint points_added_signal;

G_DEFINE_FINAL_TYPE (SluiceRun, sluice_run, G_TYPE_OBJECT)

static void
series_free (gpointer data)
{
  SluiceRunSeries *series = data;
  g_free (series->tag);
  g_clear_pointer (&series->buffer, sluice_series_buffer_unref);
  g_ptr_array_unref (series->items);
  g_free (series);
}

SluiceRun *
sluice_run_new (const SluiceRunInfo *info)
{
  SluiceRun *self = g_object_new (SLUICE_TYPE_RUN, NULL);
  self->info = sluice_run_info_copy (info);
  return self;
}

/* What people say of it. */
static gboolean
is_said_the_same (const SluiceRunInfo *a, const SluiceRunInfo *b)
{
  static const char *const none[] = { NULL };
  const char *const *a_tags = a->tags != NULL ? (const char *const *) a->tags : none;
  const char *const *b_tags = b->tags != NULL ? (const char *const *) b->tags : none;
  return strcmp (a->name, b->name) == 0 && a->is_starred == b->is_starred
         && g_strcmp0 (a->notes, b->notes) == 0 && g_strcmp0 (a->group, b->group) == 0
         && g_strcmp0 (a->color, b->color) == 0 && g_strv_equal (a_tags, b_tags);
}

gboolean
sluice_run_info_says_same (const SluiceRunInfo *a, const SluiceRunInfo *b)
{
  return a->state == b->state && a->step == b->step && a->n_steps == b->n_steps
         && g_strcmp0 (a->message, b->message) == 0 && is_said_the_same (a, b);
}

void
sluice_run_update (SluiceRun *self, const SluiceRunInfo *info)
{
  const SluiceRunInfo *old = self->info;
  if (sluice_run_info_says_same (old, info))
    return;
  gboolean state_changed = old->state != info->state;
  gboolean is_renamed = strcmp (old->name, info->name) != 0;
  sluice_run_info_free (self->info);
  self->info = sluice_run_info_copy (info);
  if (is_renamed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAME]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATUS]);
  if (state_changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

/* What the last evaluation found; accuracy before the others, as in a series' tag:
 * (nullable). */
static char *
dup_result (SluiceRun *self)
{
  SluiceRunSeries *series = sluice_run_find_series (self, EVALUATION "accuracy");
  SluiceSeriesSample last;
  if (series == NULL)
    series = self->evaluation;
  if (series == NULL || series->buffer == NULL
      || !sluice_series_source_lookup (sluice_series_buffer_as_source (series->buffer),
                                       SLUICE_X_STEP, INFINITY, &last))
    return NULL;
  return sluice_status_evaluation_text (series->tag + strlen (EVALUATION), last.value);
}

/* "running · step 1 240", "finished · 97.5 %", "NaN at step 312" comes as the message of a
 * failed run. */
static char *
dup_status (SluiceRun *self)
{
  const SluiceRunInfo *info = self->info;
  const char *state = _ (sluice_run_state_name (info->state));
  g_autofree char *step = sluice_format_step (info->step);
  if (info->state == SLUICE_RUN_FAILED && info->message != NULL
      && strstr (info->message, "NaN") != NULL)
    return g_strdup_printf (_ ("NaN at step %s"), step);
  if (info->state == SLUICE_RUN_FAILED)
    return g_strdup_printf (_ ("failed at step %s"), step);
  if (info->state == SLUICE_RUN_STOPPED || info->state == SLUICE_RUN_CRASHED)
    return g_strdup_printf (_ ("%s · resumable"), state);
  if ((info->state == SLUICE_RUN_DRAFT || info->state == SLUICE_RUN_WAITING) && info->step == 0)
    return g_strdup (state);
  g_autofree char *result = info->state == SLUICE_RUN_FINISHED ? dup_result (self) : NULL;
  if (result != NULL)
    return g_strdup_printf (_ ("%s · %s"), state, result);
  return g_strdup_printf (_ ("%s · step %s"), state, step);
}

const SluiceRunInfo *
sluice_run_get_info (SluiceRun *self)
{
  return self->info;
}

SluiceColor
sluice_run_get_color (SluiceRun *self)
{
  return sluice_run_info_get_color (self->info);
}

gboolean
sluice_run_get_shown (SluiceRun *self)
{
  return self->shown;
}

void
sluice_run_set_shown (SluiceRun *self, gboolean shown)
{
  if (self->shown == shown)
    return;
  self->shown = shown;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SHOWN]);
}

gboolean
sluice_run_has_card (SluiceSeriesKind kind)
{
  switch (kind)
    {
    case SLUICE_SERIES_SCALAR:
    case SLUICE_SERIES_HISTOGRAM:
    case SLUICE_SERIES_IMAGE:
    case SLUICE_SERIES_AUDIO:
    case SLUICE_SERIES_TEXT:
    case SLUICE_SERIES_TENSOR:
    case SLUICE_SERIES_PR_CURVE:
    case SLUICE_SERIES_HPARAMS:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
sluice_run_row_shows (const char *tag)
{
  return strcmp (tag, "loss") == 0 || g_str_has_prefix (tag, EVALUATION)
         || strcmp (tag, SLUICE_HPARAMS_START_TAG) == 0;
}

static gint
by_tag (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(SluiceRunSeries *const *) a)->tag, (*(SluiceRunSeries *const *) b)->tag);
}

GPtrArray *
sluice_run_get_series (SluiceRun *self)
{
  if (!self->sorted)
    g_ptr_array_sort (self->series, by_tag);
  self->sorted = TRUE;
  return self->series;
}

GPtrArray *
sluice_run_get_images (SluiceRun *self)
{
  return self->images;
}

guint
sluice_run_get_n_series (SluiceRun *self)
{
  return self->series->len;
}

SluiceRunSeries *
sluice_run_find_series (SluiceRun *self, const char *tag)
{
  return g_hash_table_lookup (self->by_tag, tag);
}

/* Of one that comes behind the others: they come in order, mostly. */
static void
note_place (SluiceRun *self, SluiceRunSeries *series)
{
  const SluiceRunSeries *last =
      self->series->len > 0 ? self->series->pdata[self->series->len - 1] : NULL;
  self->sorted = last == NULL || (self->sorted && strcmp (last->tag, series->tag) < 0);
  if (g_str_has_prefix (series->tag, EVALUATION)
      && (self->evaluation == NULL || strcmp (series->tag, self->evaluation->tag) < 0))
    self->evaluation = series;
}

SluiceRunSeries *
sluice_run_ensure_series (SluiceRun *self, SluiceStore *store, const SluiceSeriesInfo *info)
{
  SluiceRunSeries *series = sluice_run_find_series (self, info->tag);
  if (series != NULL)
    return series;
  series = g_new0 (SluiceRunSeries, 1);
  series->id = info->id;
  series->run = info->run;
  series->tag = g_strdup (info->tag);
  series->kind = info->kind;
  series->last_step = G_MININT64;
  series->items = g_ptr_array_new_with_free_func (sluice_record_free);
  if (info->kind == SLUICE_SERIES_SCALAR)
    {
      series->buffer = sluice_series_buffer_new_over (sluice_stored_points_new (store, info->id));
      sluice_series_buffer_set_pauses (series->buffer, self->pauses);
      if (self->clock == NULL || strcmp (series->tag, "loss") == 0)
        {
          self->clock = series;
          sluice_pauses_clear (self->pauses);
        }
    }
  series->wanted = sluice_run_row_shows (info->tag);
  note_place (self, series);
  if (series->kind == SLUICE_SERIES_IMAGE)
    g_ptr_array_add (self->images, series);
  g_ptr_array_add (self->series, series);
  g_hash_table_insert (self->by_tag, series->tag, series);
  return series;
}

void
sluice_run_note_time (SluiceRun *self, const SluiceRunSeries *series, double wall)
{
  if (series == self->clock)
    sluice_pauses_add (self->pauses, wall);
}

void
sluice_run_clear_series (SluiceRun *self, SluiceRunSeries *series)
{
  if (series == self->clock)
    sluice_pauses_clear (self->pauses);
  series->last_step = G_MININT64;
  series->n_restarts++;
  if (series->kind == SLUICE_SERIES_HPARAMS)
    g_clear_pointer (&self->settings, g_ptr_array_unref);
  g_ptr_array_set_size (series->items, 0);
  if (series->buffer != NULL)
    sluice_series_buffer_clear (series->buffer);
}

/* Of the records between the first and the newest, the one whose neighbours are nearest to each
 * other. */
static guint
find_dispensable (const GPtrArray *items)
{
  guint best = 1;
  gint64 least = G_MAXINT64;
  for (guint i = 1; i + 1 < items->len; i++)
    {
      const SluiceRecord *before = items->pdata[i - 1], *after = items->pdata[i + 1];
      if (after->step - before->step < least)
        {
          best = i;
          least = after->step - before->step;
        }
    }
  return best;
}

void
sluice_run_series_take_items (SluiceRunSeries *self, GPtrArray *items)
{
  g_ptr_array_extend_and_steal (self->items, items);
  if (self->items->len <= SLUICE_RUN_MAX_ITEMS + SLUICE_RUN_MAX_ITEMS / 8)
    return;
  /* A run may go on for days: what is dropped is in the store. */
  while (self->items->len > SLUICE_RUN_MAX_ITEMS)
    {
      g_ptr_array_remove_index (self->items, find_dispensable (self->items));
      self->n_dropped++;
    }
}

GPtrArray *
sluice_run_get_settings (SluiceRun *self)
{
  SluiceRunSeries *series = sluice_run_find_series (self, SLUICE_HPARAMS_START_TAG);
  if (self->settings == NULL && series != NULL && series->kind == SLUICE_SERIES_HPARAMS
      && series->items->len > 0)
    self->settings = sluice_hparams_dup_settings (series->items->pdata[series->items->len - 1]);
  if (self->settings != NULL)
    return self->settings;
  static GPtrArray *none;
  if (none == NULL)
    none = g_ptr_array_new ();
  return none;
}

GPtrArray *
sluice_run_get_events (SluiceRun *self)
{
  return self->events;
}

static gboolean
has_texts (const GPtrArray *events)
{
  for (guint i = 0; i < events->len; i++)
    if (strcmp (((const SluiceEvent *) events->pdata[i])->kind, SLUICE_EVENT_TEXT) == 0)
      return TRUE;
  return FALSE;
}

gboolean
sluice_run_take_events (SluiceRun *self, GPtrArray *take, gboolean anew)
{
  gboolean texts = has_texts (take) || (anew && has_texts (self->events));
  if (anew)
    {
      g_ptr_array_set_size (self->events, 0);
      self->n_event_restarts++;
    }
  g_ptr_array_extend_and_steal (self->events, take);
  return texts;
}

static gboolean
get_last (SluiceRunSeries *series, gint64 *step, double *wall)
{
  SluiceSeriesSample sample;
  if (series->buffer != NULL)
    {
      if (!sluice_series_source_lookup (sluice_series_buffer_as_source (series->buffer),
                                        SLUICE_X_STEP, INFINITY, &sample))
        return FALSE;
      *step = sample.step;
      *wall = sample.wall;
      return TRUE;
    }
  if (series->items->len == 0)
    return FALSE;
  const SluiceRecord *record = series->items->pdata[series->items->len - 1];
  *step = record->step;
  *wall = record->wall;
  return TRUE;
}

/* Series show times that never go back, so what was written again in an earlier process hides how
 * old the values behind it are: there the row says how far the run came. It is behind the points of
 * a run that goes on, or was killed. */
gboolean
sluice_run_has_former (SluiceRun *self, SluiceRunSeries *series, gint64 *last, gint64 *from)
{
  const SluiceEvent *resumed = NULL;
  double wall;
  for (guint i = self->events->len; i-- > 0 && resumed == NULL;)
    if (strcmp (((const SluiceEvent *) self->events->pdata[i])->kind, "resume") == 0)
      resumed = self->events->pdata[i];
  if (resumed == NULL || !get_last (series, last, &wall) || *last <= resumed->base.step)
    return FALSE;
  *from = resumed->base.step;
  return wall < resumed->base.wall
         || (self->info->state == SLUICE_RUN_STOPPED && *last > self->info->step);
}

guint
sluice_run_get_n_event_restarts (SluiceRun *self)
{
  return self->n_event_restarts;
}

void
sluice_run_points_added (SluiceRun *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATUS]);
  g_signal_emit (self, points_added_signal, 0);
}

static void
sluice_run_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  SluiceRun *self = SLUICE_RUN (object);
  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->info->name);
      break;
    case PROP_STATUS:
      g_value_take_string (value, dup_status (self));
      break;
    case PROP_STATE:
      g_value_set_int (value, self->info->state);
      break;
    case PROP_SHOWN:
      g_value_set_boolean (value, self->shown);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
sluice_run_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SHOWN)
    sluice_run_set_shown (SLUICE_RUN (object), g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sluice_run_finalize (GObject *object)
{
  SluiceRun *self = SLUICE_RUN (object);
  g_clear_pointer (&self->info, sluice_run_info_free);
  g_hash_table_unref (self->by_tag);
  g_ptr_array_unref (self->images);
  g_ptr_array_unref (self->series);
  g_ptr_array_unref (self->events);
  g_clear_pointer (&self->settings, g_ptr_array_unref);
  sluice_pauses_unref (self->pauses);
  G_OBJECT_CLASS (sluice_run_parent_class)->finalize (object);
}

static void
sluice_run_class_init (SluiceRunClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = sluice_run_get_property;
  object_class->set_property = sluice_run_set_property;
  object_class->finalize = sluice_run_finalize;
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, read);
  properties[PROP_STATUS] = g_param_spec_string ("status", NULL, NULL, NULL, read);
  properties[PROP_STATE] = g_param_spec_int ("state", NULL, NULL, 0, SLUICE_RUN_WAITING, 0, read);
  properties[PROP_SHOWN] =
      g_param_spec_boolean ("shown", NULL, NULL, TRUE, read | G_PARAM_WRITABLE);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  points_added_signal = g_signal_new ("points-added", SLUICE_TYPE_RUN, G_SIGNAL_RUN_LAST, 0, NULL,
                                      NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_run_init (SluiceRun *self)
{
  self->shown = TRUE;
  self->pauses = sluice_pauses_new ();
  self->series = g_ptr_array_new_with_free_func (series_free);
  self->images = g_ptr_array_new ();
  self->by_tag = g_hash_table_new (g_str_hash, g_str_equal);
  self->events = g_ptr_array_new_with_free_func (sluice_record_free);
}
