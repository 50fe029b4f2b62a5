/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/promote-actions.h"

#include <glib/gi18n.h>
#include <math.h>

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

/* What promote() makes of it again: (transfer full) */
static GVariant *
dup_state (const SluiceProject *project, const char *what, const SluiceNamedEdge *found)
{
  g_autofree char *line = sluice_parameter_note_dup_text (
      g_hash_table_lookup (project->notes, found->name), found->target);
  return g_variant_ref_sink (g_variant_new ("(sss)", what, found->name, line));
}

/* FALSE with no error: there is nothing to be done. */
static gboolean
promote (SluiceWindow *window, const SluiceProject *project, GVariant *parameter, GError **error)
{
  const SluiceParameterNote nothing = { .low = NAN, .high = NAN };
  const char *what, *wanted, *line;
  g_variant_get (parameter, "(&s&s&s)", &what, &wanted, &line);
  const SluiceNamedEdge *found = sluice_project_find_promoted (project, what);
  g_autofree char *target = NULL;
  g_autoptr (SluiceParameterNote) note = NULL;
  if (*line != '\0' && !sluice_parameter_note_parse (what, line, &target, &note, error))
    return FALSE;
  g_autofree char *name =
      sluice_project_promote (project->folder, what, *wanted != '\0' ? wanted : NULL,
                              *line == '\0'  ? NULL
                              : note != NULL ? note
                                             : &nothing,
                              error);
  if (name == NULL)
    return FALSE;
  g_autoptr (GVariant) back = found != NULL ? dup_state (project, what, found)
                                            : g_variant_ref_sink (g_variant_new_string (what));
  g_autofree char *words = g_strdup_printf (found != NULL ? _ ("What is said of “%s” was changed")
                                                          : _ ("“%s” is a setting of new runs now"),
                                            name);
  offer_undo (window, words, found != NULL ? "win.promote" : "win.demote", back);
  return TRUE;
}

static gboolean
demote (SluiceWindow *window, const SluiceProject *project, GVariant *parameter, GError **error)
{
  const char *what = g_variant_get_string (parameter, NULL);
  const SluiceNamedEdge *found = sluice_project_find_promoted (project, what);
  if (found == NULL || !sluice_project_demote (project->folder, found->name, error))
    return FALSE;
  g_autofree char *words =
      g_strdup_printf (_ ("“%s” is no setting of new runs any more"), found->name);
  g_autoptr (GVariant) back = dup_state (project, what, found);
  offer_undo (window, words, "win.promote", back);
  return TRUE;
}

static void
change_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceWindow *window = data;
  const char *folder = sluice_run_controller_get_project (window->controller);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = folder != NULL ? sluice_project_load (folder, &error) : NULL;
  gboolean in = g_str_equal (g_action_get_name (G_ACTION (action)), "promote");
  if (project != NULL)
    (in ? promote : demote) (window, project, parameter, &error);
  if (error != NULL)
    tell (window, error);
  sluice_inspector_update_promotion (window->inspector);
}

void
sluice_promote_actions_add (SluiceWindow *window)
{
  static const GActionEntry actions[] = {
    { .name = "promote", .activate = change_cb, .parameter_type = "(sss)" },
    { .name = "demote", .activate = change_cb, .parameter_type = "s" },
  };
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
}
