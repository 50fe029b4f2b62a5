/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/timeline-private.h"

/* What the run traced is read by a worker, time and again while it is followed. */

#define LIVE_MS 200 /* how often a run at work is looked at: a thread copies what was traced */

gboolean
sluice_timeline_page_is_at_work (SluiceTimelinePage *self)
{
  SluiceControlState state = sluice_run_controller_get_state (self->controller);
  return state == SLUICE_CONTROL_RUNNING || state == SLUICE_CONTROL_STOPPING;
}

typedef struct
{
  SluiceStepRecord *record;
  gboolean is_wide, has_ended;
  gboolean is_first; /* also where nothing is new */
  char *node;        /* (nullable) */
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;
  sluice_step_record_unref (reading->record);
  g_free (reading->node);
  g_free (reading);
}

static void
picture_unref (gpointer picture)
{
  sluice_step_picture_unref (picture);
}

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Reading *reading = data;
  gboolean is_news = sluice_step_record_read (reading->record);
  if (is_news || reading->is_first)
    g_task_return_pointer (task,
                           sluice_step_record_make (reading->record, reading->is_wide,
                                                    reading->has_ended, reading->node),
                           picture_unref);
  else
    g_task_return_pointer (task, NULL, NULL);
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  const Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (SluiceStepPicture) picture = g_task_propagate_pointer (G_TASK (result), NULL);
  self->reading = FALSE;
  if (self->states == NULL)
    return; /* the page goes */
  /* What somebody looks at is exchanged once, for all steps of that moment. */
  gboolean is_wanted = picture != NULL && reading->record == self->record && self->file == NULL
                       && (self->is_live || self->picture == NULL || !self->picture->is_wide);
  if (is_wanted)
    sluice_timeline_page_take_picture (self, picture);
  if (self->again)
    sluice_timeline_page_read (self);
}

/* A run that goes on has another session than the one before. */
static void
renew_record (SluiceTimelinePage *self, SluiceSession *session)
{
  if (self->record != NULL && sluice_step_record_is_of (self->record, session))
    return;
  g_clear_pointer (&self->record, sluice_step_record_unref);
  self->record = sluice_step_record_new (session);
  self->is_live = self->follows_step = TRUE;
  self->step = 0;
  g_object_notify (G_OBJECT (self), "live");
}

/* While nobody sees the page nothing is read. */
void
sluice_timeline_page_read (SluiceTimelinePage *self)
{
  SluiceSession *session =
      self->controller != NULL ? sluice_run_controller_get_session (self->controller) : NULL;
  self->again = self->reading;
  if (session == NULL || self->reading || self->file != NULL
      || !gtk_widget_get_mapped (GTK_WIDGET (self))
      || sluice_run_controller_get_state (self->controller) == SLUICE_CONTROL_STARTING)
    return;
  gboolean is_other = self->record == NULL || !sluice_step_record_is_of (self->record, session);
  renew_record (self, session);
  gboolean is_wide = !self->is_live || !sluice_timeline_page_is_at_work (self);
  gboolean is_first = is_other || self->picture == NULL || is_wide != self->picture->is_wide;
  if (!self->is_live && !is_first)
    return; /* it stands */
  Reading *reading = g_new (Reading, 1);
  *reading = (Reading){ sluice_step_record_ref (self->record), is_wide,
                        !sluice_timeline_page_is_at_work (self), is_first, g_strdup (self->node) };
  self->reading = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, read_done, NULL);
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, read_in_worker);
}

static gboolean
live_cb (gpointer data)
{
  SluiceTimelinePage *self = data;
  if (sluice_timeline_page_is_at_work (self) && self->is_live)
    {
      sluice_timeline_page_follow_memory (self);
      sluice_timeline_page_read (self);
    }
  return G_SOURCE_CONTINUE;
}

void
sluice_timeline_page_begin_reading (SluiceTimelinePage *self)
{
  if (self->source == 0)
    self->source = g_timeout_add (LIVE_MS, live_cb, self);
}
