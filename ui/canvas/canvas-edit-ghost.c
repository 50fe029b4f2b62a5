/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <math.h>
#include <pango/pangocairo.h>

#include "ui/common/paint.h"

/* What would come, dashed, while somebody chooses it: a box with its name where it will stand, in
 * pixels of the widget. */

#define HEIGHT 30.0
#define AIR    12.0 /* beside the name */
#define GAP    26.0 /* to the box that it will read */
#define RADIUS 9.0

void
sluice_canvas_show_ghost (SluiceCanvas *self, const char *name, SluicePoint at)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  if (self->edit == NULL)
    return;
  g_free (self->edit->ghost);
  self->edit->ghost = g_strdup (name);
  self->edit->ghost_at = at;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Where data leaves the selected box. FALSE: nothing that is drawn is selected. */
static gboolean
find_outlet (SluiceCanvas *self, SluicePoint *outlet)
{
  guint item = self->lead_item;
  if (item == SLUICE_NONE)
    return FALSE;
  const SluiceRect *r = &sluice_scene_get_item (self->scene, item)->rect;
  gboolean up = sluice_scene_get_flow (self->scene) == SLUICE_FLOW_UP;
  *outlet = sluice_canvas_edit_to_pixels (
      self, (SluicePoint){ r->x + r->width / 2, up ? r->y : r->y + r->height });
  return TRUE;
}

static void
draw_box (SluiceCanvas *self, cairo_t *cr, const SluiceRect *box, PangoLayout *layout, int height)
{
  SluiceColor accent = sluice_color_readable (self->theme.accent, self->theme.ground, 4.5);
  cairo_new_path (cr);
  sluice_cairo_rounded_rect (cr, box, RADIUS);
  cairo_set_dash (cr, NULL, 0, 0);
  sluice_cairo_set_color (cr, self->theme.surface);
  cairo_fill_preserve (cr);
  cairo_set_dash (cr, (const double[]){ 5, 4 }, 2, 0);
  sluice_cairo_set_color (cr, accent);
  cairo_stroke (cr);
  cairo_move_to (cr, box->x + AIR, box->y + (box->height - height) / 2);
  pango_cairo_show_layout (cr, layout);
}

void
sluice_canvas_edit_draw_ghost (SluiceCanvas *self, cairo_t *cr)
{
  SluicePoint outlet, at = self->edit->ghost_at;
  if (self->edit->ghost == NULL)
    return;
  gboolean is_beside = isnan (at.x);
  if (is_beside && !find_outlet (self, &outlet))
    return;
  g_autoptr (PangoLayout) layout =
      gtk_widget_create_pango_layout (GTK_WIDGET (self), self->edit->ghost);
  int width, height;
  pango_layout_get_pixel_size (layout, &width, &height);
  gboolean up = sluice_scene_get_flow (self->scene) == SLUICE_FLOW_UP;
  SluicePoint foot = is_beside ? (SluicePoint){ outlet.x, outlet.y + (up ? -GAP : GAP + HEIGHT) }
                               : sluice_canvas_edit_to_pixels (self, at);
  SluiceRect box = { foot.x - width / 2.0 - AIR, foot.y - HEIGHT, width + 2 * AIR, HEIGHT };
  cairo_save (cr);
  cairo_set_line_width (cr, 1.6);
  draw_box (self, cr, &box, layout, height);
  if (is_beside)
    {
      cairo_move_to (cr, outlet.x, outlet.y);
      cairo_line_to (cr, outlet.x, up ? box.y + HEIGHT : box.y);
      cairo_stroke (cr);
    }
  cairo_restore (cr);
}
