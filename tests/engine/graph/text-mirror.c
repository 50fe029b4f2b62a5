/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/graph/text-mirror.h"

#include <string.h>

#include "engine/graph/diff.h"
#include "engine/graph/graphdef.h"

static gsize
find_byte (const GString *text, SluiceTextPlace place)
{
  const char *at = text->str;
  for (guint i = 0; i < place.line; i++)
    {
      at = strchr (at, '\n');
      g_assert_nonnull (at);
      at++;
    }
  g_assert_cmpuint (place.byte, <=, strcspn (at, "\n"));
  return (gsize) (at - text->str) + place.byte;
}

static void
follow_cb (SluiceGraphText *map,
           SluiceTextPlace begin,
           SluiceTextPlace end,
           const char *text,
           gpointer data)
{
  GString *self = data;
  gsize from = find_byte (self, begin), to = find_byte (self, end);
  g_assert_cmpuint (from, <=, to);
  g_string_erase (self, (gssize) from, (gssize) (to - from));
  g_string_insert (self, (gssize) from, text);
}

GString *
text_mirror_new (SluiceGraphText *map)
{
  GString *self = g_string_new (NULL);
  sluice_graph_text_follow (map, follow_cb, NULL, self);
  return self;
}

void
text_mirror_check (GString *self, SluiceGraphText *map, SluiceGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = sluice_graph_text_dup_text (map);
  g_assert_cmpstr (text, ==, self->str);
  guint n_lines = 1;
  for (const char *at = text; (at = strchr (at, '\n')) != NULL; at++)
    n_lines++;
  g_assert_cmpuint (sluice_graph_text_get_n_lines (map), ==, n_lines);
  g_autoptr (SluiceGraph) again = sluice_graph_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  if (*text == '\0')
    return;
  sluice_graph_import (again, bytes, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) diffs = sluice_graph_diff (graph, again);
  for (guint i = 0; i < diffs->len; i++)
    {
      const SluiceNodeDiff *diff = diffs->pdata[i];
      const SluiceNode *node = diff->was != NULL ? diff->was : diff->is;
      const SluiceFieldDiff *field =
          diff->fields->len > 0 ? &g_array_index (diff->fields, SluiceFieldDiff, 0) : NULL;
      g_error ("%s is %s in the text: %s is %s, not %s", node->name,
               sluice_diff_kind_name (diff->kind), field != NULL ? field->field : "",
               field != NULL ? field->to : "", field != NULL ? field->from : "");
    }
}
