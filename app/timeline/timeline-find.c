/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>
#include <string.h>

#include "app/timeline/timeline-private.h"

/* Nodes are found by their names, in the steps that are shown. */

static gboolean
matches (SluiceTimelinePage *self, const SluiceQuery *query, const char *name)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  const SluiceNode *node = graph != NULL ? sluice_graph_find (graph, name) : NULL;
  return node != NULL ? sluice_query_matches_node (query, node)
                      : sluice_query_matches_name (query, name);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* In an order that stays, so that a search goes on where it was. */
static GPtrArray *
sort_names (const SluiceStepPicture *picture)
{
  GPtrArray *names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, picture->by_name);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, name);
  g_ptr_array_sort (names, compare_names);
  return names;
}

static gboolean
timeline_page_search (SluicePage *page, const SluiceQuery *query, SluiceHits *hits)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (page);
  if (self->picture == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return TRUE; /* elsewhere the graph tells of its nodes */
  g_autoptr (GPtrArray) names = sort_names (self->picture);
  for (; hits->from < names->len && hits->budget > 0; hits->from++, hits->budget--)
    if (matches (self, query, names->pdata[hits->from]))
      sluice_hits_add (hits, G_OBJECT (self), "sluice-timeline-symbolic", names->pdata[hits->from],
                       _ ("in the timeline"));
  return hits->from >= names->len;
}

static void
timeline_page_show_hit (SluicePage *page, const char *title)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (page);
  guint64 span = self->picture != NULL
                     ? sluice_step_picture_find_span (self->picture, title, self->step, 0)
                     : SLUICE_SPAN_NONE;
  GArray *spans =
      self->picture != NULL ? g_hash_table_lookup (self->picture->by_name, title) : NULL;
  if (span == SLUICE_SPAN_NONE && spans != NULL)
    span = g_array_index (spans, guint64, spans->len - 1); /* in another step */
  if (span == SLUICE_SPAN_NONE)
    return;
  self->follows_step = FALSE;
  sluice_timeline_page_set_live (self, FALSE);
  sluice_timeline_page_select_span (self, span);
}

/* What does not match is pale as long as the search is open. */
static void
timeline_page_filter (SluicePage *page, const SluiceQuery *query)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (page);
  g_autoptr (GHashTable) found = NULL;
  if (!sluice_query_is_empty (query) && self->picture != NULL)
    {
      GHashTableIter iter;
      gpointer name;
      found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_hash_table_iter_init (&iter, self->picture->by_name);
      while (g_hash_table_iter_next (&iter, &name, NULL))
        if (matches (self, query, name))
          g_hash_table_add (found, g_strdup (name));
    }
  sluice_lanes_set_found (self->lanes, found);
}

void
sluice_timeline_page_init_find (SluicePageInterface *iface)
{
  iface->search = timeline_page_search;
  iface->show_hit = timeline_page_show_hit;
  iface->filter = timeline_page_filter;
}
