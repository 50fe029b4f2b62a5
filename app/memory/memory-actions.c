/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

#include "app/memory/memory-private.h"
#include "app/shortcuts.h"

#define ZOOM 0.6 /* of the time shown, at a key */

static void
zoom_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (widget);
  if (g_str_equal (name, "memory.zoom-all"))
    sluice_memory_bands_show_all (self->bands);
  else
    sluice_memory_bands_zoom (self->bands, g_str_equal (name, "memory.zoom-in") ? ZOOM : 1 / ZOOM);
}

static void
walk_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (widget);
  gboolean is_across = g_str_equal (name, "memory.over") || g_str_equal (name, "memory.under");
  int by = g_str_equal (name, "memory.over") || g_str_equal (name, "memory.later") ? 1 : -1;
  guint band = is_across ? sluice_memory_bands_find_across (self->bands, by)
                         : sluice_memory_bands_find_beside (self->bands, by);
  if (band != SLUICE_BAND_NONE)
    sluice_memory_page_select (self, band);
}

/* From event to event, whatever their size. */
static void
moment_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (widget);
  guint at = sluice_memory_bands_get_cursor (self->bands);
  if (self->shown == NULL)
    return;
  sluice_memory_page_stand (self);
  if (g_str_equal (name, "memory.peak"))
    at = sluice_memory_view_get_peak (self->shown->view);
  else if (g_str_equal (name, "memory.next-event"))
    at++;
  else
    at = MAX (at, 1) - 1;
  sluice_memory_page_move_cursor (self,
                                  MAX (at, sluice_memory_view_find_moment (self->shown->view, 0)));
}

static void
step_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_memory_page_go (SLUICE_MEMORY_PAGE (widget),
                         g_str_equal (name, "memory.next-step") ? 1 : -1);
}

static void
fit_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceMemoryPage *self = SLUICE_MEMORY_PAGE (widget);
  if (g_str_equal (name, "memory.apply"))
    sluice_memory_page_apply (self);
  else
    sluice_memory_page_take_back (self);
}

static void
escape_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_memory_page_select (SLUICE_MEMORY_PAGE (widget), SLUICE_BAND_NONE);
}

void
sluice_memory_page_update_actions (SluiceMemoryPage *self)
{
  static const char *const names[] = { "memory.zoom-in",    "memory.zoom-out",    "memory.zoom-all",
                                       "memory.over",       "memory.under",       "memory.later",
                                       "memory.earlier",    "memory.peak",        "memory.escape",
                                       "memory.next-event", "memory.before-event" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), names[i], self->shown != NULL);
}

void
sluice_memory_page_install_actions (GtkWidgetClass *widget_class)
{
  static const struct
  {
    const char *name;
    GtkWidgetActionActivateFunc func;
  } actions[] = {
    { "memory.zoom-in", zoom_action },        { "memory.zoom-out", zoom_action },
    { "memory.zoom-all", zoom_action },       { "memory.over", walk_action },
    { "memory.under", walk_action },          { "memory.later", walk_action },
    { "memory.earlier", walk_action },        { "memory.next-event", moment_action },
    { "memory.before-event", moment_action }, { "memory.peak", moment_action },
    { "memory.next-step", step_action },      { "memory.before-step", step_action },
    { "memory.escape", escape_action },       { "memory.apply", fit_action },
    { "memory.take-back", fit_action },
  };
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget_class, actions[i].name, NULL, actions[i].func);
  gtk_widget_class_install_property_action (widget_class, "memory.live", "live");
  sluice_shortcuts_bind (widget_class, "memory.");
}
