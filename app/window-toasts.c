/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/window-private.h"

#include <glib/gi18n.h>

/* A toast's title is markup, what is told is not. */
static AdwToast *
add_toast (SluiceWindow *self, const char *message)
{
  g_autofree char *markup = g_markup_escape_text (message, -1);
  AdwToast *toast = adw_toast_new (markup);
  g_free (self->told);
  self->told = g_strdup (message);
  adw_toast_overlay_add_toast (self->toasts, toast);
  return toast;
}

void
sluice_window_tell (SluiceWindow *self, const char *message)
{
  add_toast (self, message);
}

void
sluice_window_offer (SluiceWindow *self, const char *message, const char *label, const char *action)
{
  AdwToast *toast = add_toast (self, message);
  g_autoptr (GVariant) target = NULL;
  g_autofree char *name = NULL;
  if (!g_action_parse_detailed_name (action, &name, &target, NULL))
    return;
  adw_toast_set_button_label (toast, label);
  adw_toast_set_action_target_value (toast, target); /* a name alone would want another type */
  adw_toast_set_action_name (toast, name);
}

/* Nothing is left to undo. libadwaita 1.2 uses what it has freed where a toast is dismissed while
 * it still comes in: it says so instead, and goes by itself. */
static void
run_restored_cb (AdwToast *toast, gint64 id)
{
  if (g_variant_get_int64 (adw_toast_get_action_target_value (toast)) != id)
    return;
  adw_toast_set_title (toast, _ ("Restored"));
  adw_toast_set_button_label (toast, NULL);
}

static void
run_deleted_cb (SluiceWindow *self, gint64 id, const char *name)
{
  g_autofree char *text = g_strdup_printf (_ ("“%s” deleted"), name);
  AdwToast *toast = add_toast (self, text);
  adw_toast_set_button_label (toast, _ ("Undo")); /* a mnemonic would be read out */
  adw_toast_set_action_target_value (toast, g_variant_new_int64 (id));
  adw_toast_set_action_name (toast, "win.restore-run");
  g_signal_connect_object (self->workspace, "run-restored", G_CALLBACK (run_restored_cb), toast,
                           G_CONNECT_SWAPPED);
}

void
sluice_window_offer_deleted (SluiceWindow *self)
{
  g_signal_connect_object (self->workspace, "run-deleted", G_CALLBACK (run_deleted_cb), self,
                           G_CONNECT_SWAPPED);
}
