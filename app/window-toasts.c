/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/window-private.h"

#include <glib/gi18n.h>

#define SHOWN_S 5
#define RESTORE "win.restore-run"

/* What a toast offers is its kind: NULL where it only tells. */
static AdwToast *
find_toast (SluiceWindow *self, const char *action)
{
  for (GList *l = self->waiting.head; l != NULL; l = l->next)
    if (g_strcmp0 (adw_toast_get_action_name (l->data), action) == 0)
      return l->data;
  return NULL;
}

/* Whoever reads it, or is about to press its button, has the time for it. */
static gboolean
is_held (SluiceWindow *self)
{
  GtkWidget *shown = gtk_widget_get_last_child (GTK_WIDGET (self->toasts));
  return (gtk_widget_get_state_flags (shown)
          & (GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUS_WITHIN))
         != 0;
}

static gboolean
shown_cb (gpointer data)
{
  SluiceWindow *self = data;
  if (is_held (self))
    return G_SOURCE_CONTINUE;
  self->toast_source = 0;
  adw_toast_dismiss (self->waiting.head->data);
  return G_SOURCE_REMOVE;
}

static void
begin_time (SluiceWindow *self)
{
  g_clear_handle_id (&self->toast_source, g_source_remove);
  if (self->waiting.head != NULL)
    self->toast_source = g_timeout_add_seconds (SHOWN_S, shown_cb, self);
}

static void
dismissed_cb (SluiceWindow *self, AdwToast *toast)
{
  gboolean was_shown = self->waiting.head != NULL && self->waiting.head->data == toast;
  if (g_queue_remove (&self->waiting, toast))
    g_object_unref (toast);
  if (was_shown)
    begin_time (self);
}

/* A title is markup, what is told is not. */
static void
set_title (SluiceWindow *self, AdwToast *toast, const char *message)
{
  g_autofree char *markup = g_markup_escape_text (message, -1);
  adw_toast_set_title (toast, markup);
  g_free (self->told);
  self->told = g_strdup (message);
}

static void
add_toast (SluiceWindow *self, AdwToast *toast)
{
  adw_toast_set_timeout (toast, 0);
  g_signal_connect_object (toast, "dismissed", G_CALLBACK (dismissed_cb), self, G_CONNECT_SWAPPED);
  g_queue_push_tail (&self->waiting, g_object_ref (toast));
  adw_toast_overlay_add_toast (self->toasts, toast);
}

/* libadwaita shows one after the other. Of a kind only the newest is of use, and it is seen at
 * once: it takes the place of the one before and has all of its time, which is why time is kept
 * here. label, action: (nullable); target: (nullable) (transfer floating) */
static void
put_toast (SluiceWindow *self,
           const char *message,
           const char *label,
           const char *action,
           GVariant *target)
{
  AdwToast *before = find_toast (self, action), *toast = before;
  if (toast == NULL)
    toast = adw_toast_new ("");
  set_title (self, toast, message);
  adw_toast_set_button_label (toast, label);
  adw_toast_set_action_target_value (toast, target); /* a name alone would want another type */
  adw_toast_set_action_name (toast, action);
  if (before == NULL)
    add_toast (self, toast);
  if (self->waiting.head->data == toast)
    begin_time (self);
}

void
sluice_window_end_toasts (SluiceWindow *self)
{
  g_clear_handle_id (&self->toast_source, g_source_remove);
  g_queue_clear_full (&self->waiting, g_object_unref);
}

void
sluice_window_tell (SluiceWindow *self, const char *message)
{
  put_toast (self, message, NULL, NULL, NULL);
}

void
sluice_window_offer (SluiceWindow *self, const char *message, const char *label, const char *action)
{
  g_autoptr (GVariant) target = NULL;
  g_autofree char *name = NULL;
  if (g_action_parse_detailed_name (action, &name, &target, NULL))
    put_toast (self, message, label, name, target);
  else
    sluice_window_tell (self, message);
}

/* Nothing is left to undo. libadwaita 1.2 uses what it has freed where a toast is dismissed while
 * it still comes in: it says so instead, and goes by itself. */
static void
run_restored_cb (SluiceWindow *self, gint64 id)
{
  AdwToast *toast = find_toast (self, RESTORE);
  if (toast == NULL || g_variant_get_int64 (adw_toast_get_action_target_value (toast)) != id)
    return;
  set_title (self, toast, _ ("Restored"));
  adw_toast_set_button_label (toast, NULL);
}

static void
run_deleted_cb (SluiceWindow *self, gint64 id, const char *name)
{
  g_autofree char *text = g_strdup_printf (_ ("“%s” deleted"), name);
  /* A mnemonic would be read out. */
  put_toast (self, text, _ ("Undo"), RESTORE, g_variant_new_int64 (id));
}

void
sluice_window_offer_deleted (SluiceWindow *self)
{
  g_signal_connect_object (self->workspace, "run-deleted", G_CALLBACK (run_deleted_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->workspace, "run-restored", G_CALLBACK (run_restored_cb), self,
                           G_CONNECT_SWAPPED);
}

void
sluice_window_tell_repeated (SluiceWindow *self, const char *run)
{
  g_autofree char *words = g_strdup_printf (
      _ ("This run repeats “%s”: same graph, data, settings and seed. New Run… has others"), run);
  sluice_window_tell (self, words);
}
