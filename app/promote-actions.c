/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/promote-actions.h"

#include <glib/gi18n.h>

#include "app/failure-words.h"
#include "app/window-private.h"
#include "engine/train/promote.h"

static void
tell (SluiceWindow *window, const GError *error)
{
  g_autofree char *words = sluice_failure_words (error);
  sluice_window_tell (window, words);
}

static void
offer_undo (SluiceWindow *window, const char *words, const char *action, GVariant *target)
{
  g_autofree char *detailed = g_action_print_detailed_name (action, target);
  sluice_window_offer (window, words, _ ("Undo"), detailed);
}

static void
promote_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  const char *folder = sluice_run_controller_get_project (window->controller);
  const char *node, *wanted;
  g_autoptr (GError) error = NULL;
  g_variant_get (parameter, "(&s&s)", &node, &wanted);
  g_autofree char *name =
      folder != NULL
          ? sluice_project_promote (folder, node, *wanted != '\0' ? wanted : NULL, &error)
          : NULL;
  if (name != NULL)
    {
      g_autofree char *words = g_strdup_printf (_ ("“%s” is a setting of new runs now"), name);
      g_autoptr (GVariant) target = g_variant_ref_sink (g_variant_new_string (node));
      offer_undo (window, words, "win.demote", target);
    }
  else if (error != NULL)
    tell (window, error);
  sluice_inspector_update_promotion (window->inspector);
}

static void
demote_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  const char *folder = sluice_run_controller_get_project (window->controller);
  const char *node = g_variant_get_string (parameter, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = folder != NULL ? sluice_project_load (folder, &error) : NULL;
  const SluiceNamedEdge *found =
      project != NULL ? sluice_project_find_promoted (project, node) : NULL;
  if (found != NULL && sluice_project_demote (folder, found->name, &error))
    {
      g_autofree char *words =
          g_strdup_printf (_ ("“%s” is no setting of new runs any more"), found->name);
      g_autoptr (GVariant) target = g_variant_ref_sink (g_variant_new ("(ss)", node, found->name));
      offer_undo (window, words, "win.promote", target);
    }
  else if (error != NULL)
    tell (window, error);
  sluice_inspector_update_promotion (window->inspector);
}

void
sluice_promote_actions_add (SluiceWindow *window)
{
  static const GActionEntry actions[] = {
    { .name = "promote", .activate = promote_cb, .parameter_type = "(ss)" },
    { .name = "demote", .activate = demote_cb, .parameter_type = "s" },
  };
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
}
