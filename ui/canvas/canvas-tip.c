/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-private.h"

/* What a pointer that rests on a box is told, beside the box: neither the box nor, where there is
 * room, another one is hidden. GTK's own tooltips hang below the pointer, over what one is about to
 * click. */

#define REST_MS   700 /* that the pointer stays on a box */
#define TIP_CHARS 32  /* in a line */
#define TIP_AIR   10.0

GtkWidget *
sluice_canvas_new_tip (void)
{
  GtkWidget *tip = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (tip), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (tip), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars (GTK_LABEL (tip), TIP_CHARS);
  gtk_label_set_xalign (GTK_LABEL (tip), 0);
  gtk_widget_add_css_class (tip, "canvas-bar");
  gtk_widget_add_css_class (tip, "canvas-tip");
  gtk_widget_set_can_target (tip, FALSE);
  gtk_widget_set_visible (tip, FALSE);
  return tip;
}

/* (transfer full) (nullable) */
static char *
tip_text (SluiceCanvas *self, guint item)
{
  const SluiceSceneItem *shown = sluice_scene_get_item (self->scene, item);
  const char *parts[4] = { NULL };
  guint n = 0;
  g_autofree char *tip = sluice_scene_dup_item_tip (self->scene, item);
  if (tip != NULL)
    parts[n++] = tip;
  if (shown->kind != SLUICE_ITEM_OPEN_SCOPE)
    sluice_marks_get (self->marks, shown->node, &parts[n]);
  n += parts[n] != NULL;
  sluice_marks_get (self->breaks, shown->node, &parts[n]);
  return parts[0] != NULL ? g_strjoinv ("\n", (char **) parts) : NULL;
}

static gboolean
show_cb (gpointer data)
{
  SluiceCanvas *self = data;
  self->tip_source = 0;
  if (self->scene == NULL || self->hover == SLUICE_NONE)
    return G_SOURCE_REMOVE;
  g_autofree char *text = sluice_canvas_edit_dup_tip (self);
  if (text == NULL)
    text = tip_text (self, self->hover);
  if (text == NULL)
    return G_SOURCE_REMOVE;
  self->tip_item = self->hover;
  gtk_label_set_label (GTK_LABEL (self->tip), text);
  gtk_widget_set_visible (self->tip, TRUE);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

void
sluice_canvas_hide_tip (SluiceCanvas *self)
{
  g_clear_handle_id (&self->tip_source, g_source_remove);
  if (gtk_widget_get_visible (self->tip))
    gtk_widget_set_visible (self->tip, FALSE);
}

/* The pointer came to another box, or off all. */
void
sluice_canvas_queue_tip (SluiceCanvas *self)
{
  sluice_canvas_hide_tip (self);
  if (self->hover != SLUICE_NONE)
    self->tip_source = g_timeout_add (REST_MS, show_cb, self);
}

static gboolean
covers_box (SluiceCanvas *self, const SluiceRect *tip)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluicePoint at = sluice_canvas_to_scene (self, tip->x, tip->y);
  SluiceRect area = { at.x, at.y, tip->width / self->view.zoom, tip->height / self->view.zoom };
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    if (sluice_scene_get_item (self->scene, g_array_index (items, guint, i))->kind
        != SLUICE_ITEM_OPEN_SCOPE)
      return TRUE;
  return FALSE;
}

SluiceRect
sluice_canvas_tip_rect (SluiceCanvas *self)
{
  GtkRequisition least, size;
  if (!gtk_widget_get_visible (self->tip) || self->scene == NULL
      || self->tip_item >= sluice_scene_get_n_items (self->scene))
    return (SluiceRect){ 0, 0, 0, 0 };
  gtk_widget_get_preferred_size (self->tip, &least, &size);
  const SluiceRect *r = &sluice_scene_get_item (self->scene, self->tip_item)->rect;
  double x = (r->x - self->view.x) * self->view.zoom, y = (r->y - self->view.y) * self->view.zoom;
  double width = r->width * self->view.zoom, height = r->height * self->view.zoom;
  double most_x = gtk_widget_get_width (GTK_WIDGET (self)) - size.width,
         most_y = gtk_widget_get_height (GTK_WIDGET (self)) - size.height;
  double left = x - size.width - TIP_AIR, right = x + width + TIP_AIR;
  double above = y - size.height - TIP_AIR, below = y + height + TIP_AIR;
  const SluicePoint places[] = { { right, y }, { left, y }, { x, above }, { x, below } };
  guint best = G_N_ELEMENTS (places);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      SluiceRect tip = { places[i].x, places[i].y, size.width, size.height };
      if (tip.x < 0 || tip.y < 0 || tip.x > most_x || tip.y > most_y)
        continue;
      if (!covers_box (self, &tip))
        return tip;
      best = MIN (best, i);
    }
  SluicePoint at = places[best < G_N_ELEMENTS (places) ? best : 0];
  return (SluiceRect){ CLAMP (at.x, 0, MAX (most_x, 0)), CLAMP (at.y, 0, MAX (most_y, 0)),
                       size.width, size.height };
}
