/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit.h"

void
sluice_canvas_set_editor (SluiceCanvas *self, const SluiceCanvasEditor *editor, gpointer user_data)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
}

void
sluice_canvas_ports_add (SluiceCanvasPorts *self,
                         gboolean is_output,
                         const char *name,
                         const char *dtype,
                         const char *shape,
                         gboolean is_open)
{
}

void
sluice_canvas_place_next (SluiceCanvas *self, double x, double y)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
}

void
sluice_canvas_drop_wire (SluiceCanvas *self)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
}
