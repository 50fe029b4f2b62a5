/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

/* The view as JSON, so that tests of the window assert on meaning and not on pixels. */

void
sluice_canvas_append_json (GString *out, const char *text)
{
  if (text == NULL)
    {
      g_string_append (out, "null");
      return;
    }
  g_string_append_c (out, '"');
  for (const char *c = text; *c != '\0'; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (out, "\\%c", *c);
    else if ((guchar) *c < 0x20)
      g_string_append_printf (out, "\\u%04x", (guchar) *c);
    else
      g_string_append_c (out, *c);
  g_string_append_c (out, '"');
}

static void
append_number (GString *out, const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (text, sizeof text, "%.4g", value);
  g_string_append_printf (out, "\"%s\":%s,", name, text);
}

static const char *
kind_nick (SluiceItemKind kind)
{
  static const char *const nicks[] = { [SLUICE_ITEM_SCOPE] = "scope",
                                       [SLUICE_ITEM_OPEN_SCOPE] = "open-scope",
                                       [SLUICE_ITEM_OP] = "op",
                                       [SLUICE_ITEM_VARIABLE] = "variable",
                                       [SLUICE_ITEM_CONSTANT] = "constant",
                                       [SLUICE_ITEM_SUMMARY] = "summary",
                                       [SLUICE_ITEM_MORE] = "more",
                                       [SLUICE_ITEM_HEADING] = "heading" };
  return nicks[kind];
}

static void
append_items (SluiceCanvas *self, GString *out)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect area = sluice_canvas_visible (self);
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    {
      guint index = g_array_index (items, guint, i);
      const SluiceSceneItem *item = sluice_scene_get_item (self->scene, index);
      SluiceRect r = item->rect;
      g_string_append (out, i == 0 ? "{" : ",{");
      /* In widget coordinates: where a pointer would have to go. */
      append_number (out, "x", (r.x - self->view.x) * self->view.zoom);
      append_number (out, "y", (r.y - self->view.y) * self->view.zoom);
      append_number (out, "width", r.width * self->view.zoom);
      append_number (out, "height", r.height * self->view.zoom);
      g_string_append_printf (out, "\"kind\":\"%s\",\"aside\":%s,\"name\":", kind_nick (item->kind),
                              item->aside ? "true" : "false");
      sluice_canvas_append_json (
          out, sluice_canvas_path_name (self, sluice_canvas_item_path (self, index)));
      g_string_append (out, ",\"title\":");
      sluice_canvas_append_json (out, item->title);
      guint node = sluice_scene_get_item (self->scene, index)->node;
      const char *mark = sluice_mark_kind_nick (sluice_marks_get (self->marks, node, NULL));
      if (*mark != '\0')
        g_string_append_printf (out, ",\"badge\":\"%s\"", mark);
      SluiceMarkKind kind = sluice_marks_get (self->breaks, node, NULL);
      if (kind >= SLUICE_MARK_BREAK_IDLE)
        g_string_append_printf (out, ",\"break\":\"%s\"", sluice_mark_kind_nick (kind));
      if (self->traced != NULL && node != SLUICE_NONE && self->traced[node])
        g_string_append (out, ",\"traced\":true");
      if (sluice_canvas_is_muted (self, index))
        g_string_append (out, ",\"muted\":true");
      sluice_canvas_edit_append_item_state (self, index, out);
      g_string_append_c (out, '}');
    }
}

static void
append_open (SluiceCanvas *self, GString *out)
{
  gboolean first = TRUE;
  for (guint i = 0; i < sluice_scene_get_n_items (self->scene); i++)
    if (sluice_scene_get_item (self->scene, i)->kind == SLUICE_ITEM_OPEN_SCOPE)
      {
        g_string_append (out, first ? "" : ",");
        sluice_canvas_append_json (out, sluice_canvas_item_path (self, i));
        first = FALSE;
      }
}

static void
append_rect (GString *out, const char *name, SluiceRect r)
{
  g_string_append_printf (out, "\"%s\":[%d,%d,%d,%d],", name, (int) r.x, (int) r.y, (int) r.width,
                          (int) r.height);
}

static void
append_overlays (SluiceCanvas *self, GString *out)
{
  SluiceRect r = sluice_canvas_tip_rect (self);
  g_string_append (out, "\"tip\":");
  sluice_canvas_append_json (out, r.width > 0 ? gtk_label_get_label (GTK_LABEL (self->tip)) : "");
  g_string_append_c (out, ',');
  append_rect (out, "tip_rect", r);
  append_rect (out, "bar", sluice_canvas_bar_rect (self));
  append_rect (out, "legend", sluice_canvas_legend_rect (self));
}

char *
sluice_canvas_dump_state (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), NULL);
  GString *out = g_string_new ("{");
  append_number (out, "zoom", self->view.zoom);
  append_number (out, "x", self->view.x);
  append_number (out, "y", self->view.y);
  g_string_append_printf (out, "\"busy\":%s,", sluice_canvas_is_busy (self) ? "true" : "false");
  g_string_append_printf (out, "\"minimap\":%s,",
                          sluice_canvas_minimap_rect (self).width > 0 ? "true" : "false");
  sluice_canvas_append_note_state (self, out);
  sluice_canvas_append_line_state (self, out);
  append_overlays (self, out);
  sluice_canvas_edit_append_state (self, out);
  g_string_append (out, "\"loading\":");
  sluice_canvas_append_json (out, self->loading);
  g_string_append (out, ",\"failure\":");
  sluice_canvas_append_json (out, self->failure);
  g_string_append (out, ",\"selection\":");
  sluice_canvas_append_json (out, sluice_canvas_path_name (self, self->lead));
  g_string_append_printf (out, ",\"selected\":%u,", g_hash_table_size (self->selected));
  g_string_append_printf (out, "\"nodes\":%u,\"edges\":%u,",
                          self->model == NULL ? 0 : sluice_graph_model_get_n_nodes (self->model),
                          self->scene == NULL ? 0 : sluice_scene_get_n_edges (self->scene));
  g_string_append (out, "\"open\":[");
  if (self->scene != NULL)
    append_open (self, out);
  g_string_append (out, "],\"items\":[");
  if (self->scene != NULL)
    append_items (self, out);
  g_string_append (out, "]}");
  return g_string_free (out, FALSE);
}

char *
sluice_canvas_dump_scopes (SluiceCanvas *self)
{
  g_return_val_if_fail (SLUICE_IS_CANVAS (self), NULL);
  GString *out = g_string_new ("[");
  guint n = self->hierarchy != NULL ? sluice_hierarchy_get_n_groups (self->hierarchy) : 0;
  for (guint i = 1; i < n; i++)
    {
      const SluiceGroup *g = sluice_hierarchy_get_group (self->hierarchy, i);
      if (g->n_children == 0)
        continue;
      g_string_append (out, out->len > 1 ? "," : "");
      sluice_canvas_append_json (out, g->path);
    }
  g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}
