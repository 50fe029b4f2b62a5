/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-private.h"

#include <string.h>

/* Badges, the way that is traced, classes of colours: what follows from the hierarchy and is found
 * again where that is another. */

typedef struct
{
  char *name, *text;
  SluiceMarkKind kind;
} OwnMark;

static void
own_mark_free (gpointer data)
{
  OwnMark *mark = data;
  g_free (mark->name);
  g_free (mark->text);
  g_free (mark);
}

/* (transfer full) (nullable); own: (nullable) */
static SluiceMarks *
new_marks (SluiceCanvas *self, const GPtrArray *own)
{
  guint n = own != NULL ? own->len : 0;
  if (self->hierarchy == NULL)
    return NULL;
  g_autofree SluiceCanvasMark *marks = g_new (SluiceCanvasMark, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const OwnMark *mark = own->pdata[i];
      marks[i] = (SluiceCanvasMark){ mark->name, mark->kind, mark->text };
    }
  return sluice_marks_new (self->hierarchy, marks, n);
}

static void
update_marks (SluiceCanvas *self)
{
  g_clear_pointer (&self->marks, sluice_marks_free);
  g_clear_pointer (&self->breaks, sluice_marks_free);
  self->marks = new_marks (self, self->own_marks);
  if (self->own_breaks != NULL)
    self->breaks = new_marks (self, self->own_breaks);
}

static gboolean
is_same (const GPtrArray *own, const SluiceCanvasMark *marks, guint n)
{
  if ((own != NULL ? own->len : 0) != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const OwnMark *mark = own->pdata[i];
      if (mark->kind != marks[i].kind || g_strcmp0 (mark->name, marks[i].name) != 0
          || g_strcmp0 (mark->text, marks[i].text) != 0)
        return FALSE;
    }
  return TRUE;
}

static void
set_marks (SluiceCanvas *self, GPtrArray **own, const SluiceCanvasMark *marks, guint n)
{
  if (is_same (*own, marks, n))
    return;
  g_clear_pointer (own, g_ptr_array_unref);
  *own = g_ptr_array_new_with_free_func (own_mark_free);
  for (guint i = 0; i < n; i++)
    {
      OwnMark *mark = g_new (OwnMark, 1);
      *mark = (OwnMark){ g_strdup (marks[i].name), g_strdup (marks[i].text), marks[i].kind };
      g_ptr_array_add (*own, mark);
    }
  update_marks (self);
  g_clear_pointer (&self->line.breaks, g_array_unref);
  sluice_canvas_update_legend (self);
  sluice_canvas_queue_proxies (self); /* they say it */
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_set_marks (SluiceCanvas *self, const SluiceCanvasMark *marks, guint n_marks)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  set_marks (self, &self->own_marks, marks, n_marks);
}

/* "fc1:0" -> "fc1"; no name of a node has a colon. */
static const char *
find_port (const char *name)
{
  return strchr (name, ':');
}

gboolean
sluice_canvas_has_line_breaks (SluiceCanvas *self)
{
  for (guint i = 0; self->own_breaks != NULL && i < self->own_breaks->len; i++)
    if (find_port (((const OwnMark *) self->own_breaks->pdata[i])->name) != NULL)
      return TRUE;
  return FALSE;
}

SluiceMarkKind
sluice_canvas_get_break_of (SluiceCanvas *self, const char *value)
{
  SluiceMarkKind kind = SLUICE_MARK_NONE;
  for (guint i = 0; self->own_breaks != NULL && i < self->own_breaks->len; i++)
    {
      const OwnMark *mark = self->own_breaks->pdata[i];
      if (g_str_equal (mark->name, value))
        kind = MAX (kind, mark->kind);
    }
  return kind;
}

void
sluice_canvas_set_breaks (SluiceCanvas *self, const SluiceCanvasMark *breaks, guint n_breaks)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  set_marks (self, &self->own_breaks, breaks, n_breaks);
}

/* Only where colours are such. */
void
sluice_canvas_update_classes (SluiceCanvas *self)
{
  g_clear_pointer (&self->classes, sluice_color_classes_free);
  if (self->hierarchy != NULL
      && (self->color_by == SLUICE_COLOR_BY_ASKED || self->color_by == SLUICE_COLOR_BY_DTYPE
          || self->color_by == SLUICE_COLOR_BY_CHANGE))
    self->classes = sluice_color_classes_new (self->hierarchy, self->color_by);
  if (self->hierarchy == NULL || !sluice_canvas_is_told (self->color_by))
    return;
  const SluiceColorTold *told = &self->told[self->color_by - SLUICE_COLOR_BY_PLACED];
  if (told->texts != NULL)
    self->classes = sluice_color_classes_new_told (self->hierarchy, told);
}

/* ---- what somebody else tells ---- */

gboolean
sluice_canvas_is_told (SluiceColorBy by)
{
  return by >= SLUICE_COLOR_BY_PLACED && by <= SLUICE_COLOR_BY_MARGIN;
}

static void
clear_told (SluiceColorTold *told)
{
  g_clear_pointer (&told->texts, g_hash_table_unref);
  g_strfreev ((char **) told->order);
  told->order = NULL;
}

void
sluice_canvas_clear_told (SluiceCanvas *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->told); i++)
    clear_told (&self->told[i]);
}

void
sluice_canvas_set_told (SluiceCanvas *self, SluiceColorBy by, const SluiceColorTold *told)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self) && sluice_canvas_is_told (by));
  SluiceColorTold *own = &self->told[by - SLUICE_COLOR_BY_PLACED];
  clear_told (own);
  if (told != NULL)
    *own = (SluiceColorTold){ g_hash_table_ref (told->texts),
                              (const char *const *) g_strdupv ((char **) told->order),
                              told->is_scale };
  if (self->color_by != by)
    return;
  sluice_canvas_update_classes (self);
  sluice_canvas_update_legend (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_hierarchy_changed (SluiceCanvas *self)
{
  sluice_canvas_trace_none (self);
  update_marks (self);
  sluice_canvas_update_classes (self);
  sluice_canvas_update_muted (self);
}

void
sluice_canvas_trace_none (SluiceCanvas *self)
{
  g_clear_pointer (&self->traced, g_free);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
sluice_canvas_trace_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  guint group = self->hierarchy != NULL && self->lead != NULL
                    ? sluice_hierarchy_lookup (self->hierarchy, self->lead)
                    : SLUICE_NONE;
  sluice_canvas_trace_none (self);
  if (parameter == NULL || group == SLUICE_NONE || group == 0)
    return;
  self->traced =
      sluice_trace_groups (self->hierarchy, group, g_str_equal (name, "canvas.trace-outputs"),
                           g_variant_get_uint32 (parameter));
}

void
sluice_canvas_free_marks (SluiceCanvas *self)
{
  g_clear_pointer (&self->own_marks, g_ptr_array_unref);
  g_clear_pointer (&self->own_breaks, g_ptr_array_unref);
  g_clear_pointer (&self->line.breaks, g_array_unref);
  g_clear_pointer (&self->line.from, g_free);
  g_clear_pointer (&self->line.to, g_free);
  g_clear_pointer (&self->marks, sluice_marks_free);
  g_clear_pointer (&self->breaks, sluice_marks_free);
  g_clear_pointer (&self->classes, sluice_color_classes_free);
  g_clear_pointer (&self->traced, g_free);
  g_clear_pointer (&self->muted, g_free);
  sluice_canvas_clear_told (self);
}
