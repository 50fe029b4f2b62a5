/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/page.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>

#include "app/build/build-page.h"
#include "app/charts/charts-page.h"
#include "app/graph/graph-page.h"
#include "app/launch/launch-page.h"
#include "app/memory/memory-page.h"
#include "app/runs/runs-page.h"
#include "app/timeline/timeline-page.h"

const SluicePageKind sluice_page_kinds[SLUICE_N_PAGE_KINDS] = {
  { "build", N_ ("Build"), "sluice-build-symbolic", "build", sluice_build_page_get_type, "build" },
  { "graph", N_ ("Graph"), "sluice-graph-symbolic", "graph", sluice_graph_page_get_type, "graph" },
  { "charts", N_ ("Charts"), "sluice-charts-symbolic", "charts", sluice_charts_page_get_type,
    "charts" },
  { "timeline", N_ ("Timeline"), "sluice-timeline-symbolic", "timeline",
    sluice_timeline_page_get_type, "timeline" },
  { "memory", N_ ("Memory"), "sluice-memory-symbolic", "memory", sluice_memory_page_get_type,
    "memory" },
  { "runs", N_ ("Runs"), "sluice-runs-symbolic", "runs", sluice_runs_page_get_type, "table" },
  { "launch", N_ ("New run"), "sluice-start-symbolic", "new-run", sluice_launch_page_get_type,
    "launch", "runs" },
};
const guint sluice_n_page_kinds = G_N_ELEMENTS (sluice_page_kinds);

G_DEFINE_INTERFACE (SluicePage, sluice_page, GTK_TYPE_WIDGET)

static void
sluice_page_default_init (SluicePageInterface *iface)
{
  g_signal_new ("tag-selected", SLUICE_TYPE_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
}

void
sluice_page_attach (SluicePage *self, const SluicePageContext *context)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  if (iface->attach != NULL)
    iface->attach (self, context);
}

void
sluice_page_apply_settings (SluicePage *self, GSettings *settings)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  if (iface->apply_settings != NULL)
    iface->apply_settings (self, settings);
}

void
sluice_page_filter (SluicePage *self, const SluiceQuery *query)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  if (iface->filter != NULL)
    iface->filter (self, query);
}

gboolean
sluice_page_search (SluicePage *self, const SluiceQuery *query, SluiceHits *hits)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  return iface->search == NULL || iface->search (self, query, hits);
}

void
sluice_page_show_hit (SluicePage *self, const char *title)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  if (iface->show_hit != NULL)
    iface->show_hit (self, title);
}

gboolean
sluice_page_show_moment (SluicePage *self, const SluiceKeptMoment *moment)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  return iface->show_moment != NULL && iface->show_moment (self, moment);
}

gboolean
sluice_page_is_settled (SluicePage *self)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  return iface->is_settled == NULL || iface->is_settled (self);
}

gboolean
sluice_page_prepare_print (SluicePage *self)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  return iface->prepare_print == NULL || iface->prepare_print (self);
}

void
sluice_page_end_print (SluicePage *self)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  if (iface->end_print != NULL)
    iface->end_print (self);
}

guint
sluice_page_print (SluicePage *self, cairo_t *cr, guint sheet, double width, double height)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  return iface->print != NULL ? iface->print (self, cr, sheet, width, height) : 0;
}

const char *
sluice_page_get_tag (SluicePage *self)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  return iface->get_tag != NULL ? iface->get_tag (self) : NULL;
}

void
sluice_page_keep_state (SluicePage *self, GKeyFile *state, gboolean saves)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  if (iface->keep_state != NULL)
    iface->keep_state (self, state, saves);
}

char *
sluice_page_dump_state (SluicePage *self)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  return iface->dump_state != NULL ? iface->dump_state (self) : NULL;
}

void
sluice_page_dump_int (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

void
sluice_page_dump_bool (JsonBuilder *b, const char *name, gboolean value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_boolean_value (b, value);
}

void
sluice_page_dump_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_string_value (b, value);
}

gboolean
sluice_page_renew_text (char **text, const char *news)
{
  if (g_strcmp0 (*text, news) == 0)
    return FALSE;
  g_free (*text);
  *text = g_strdup (news);
  return TRUE;
}

GtkWidget *
sluice_page_get_left (SluicePage *self)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  return iface->get_left != NULL ? iface->get_left (self) : NULL;
}

GtkWidget *
sluice_page_get_right (SluicePage *self)
{
  SluicePageInterface *iface = SLUICE_PAGE_GET_IFACE (self);
  return iface->get_right != NULL ? iface->get_right (self) : NULL;
}

char *
sluice_page_list_names (void)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", sluice_page_kinds[i].name);
  return g_string_free (names, FALSE);
}

gboolean
sluice_page_exists (const char *name)
{
  for (guint i = 0; i < sluice_n_page_kinds; i++)
    if (g_str_equal (sluice_page_kinds[i].name, name))
      return TRUE;
  return FALSE;
}
