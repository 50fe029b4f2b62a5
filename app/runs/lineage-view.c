/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/lineage-view.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "ui/chart/ticks.h"
#include "ui/common/paint.h"
#include "ui/common/text.h"
#include "ui/common/widget.h"

/* In units of the drawing, which is enlarged with the text. */
#define AXIS   26.0 /* height of the steps over the lines */
#define AIR    8    /* between two of its numbers; one that has no room is left out */
#define LINE   40.0 /* from one run to the next */
#define NAMES  150.0
#define END    124.0 /* for the words behind a line's end */
#define BEND   26.0  /* how far a fork takes to leave its parent */
#define RING   4.5
#define NEAR   10.0 /* a ring is meant by what is pressed that close to it */
#define PULL   18.0 /* a ring is out when it was dragged so far */
#define STROKE 3.0
#define TAIL   14.0 /* how far below its line what was dropped stands */

struct _SluiceLineageView
{
  GtkWidget parent;
  SluiceLineage *lineage;        /* (nullable) */
  int line, ring;                /* cursor; -1: none */
  int held_line, held_ring;      /* that is being dragged; -1: none */
  double start_x, start_y, x, y; /* of the drag */
};

G_DEFINE_FINAL_TYPE (SluiceLineageView, sluice_lineage_view, GTK_TYPE_WIDGET)

enum
{
  FORK,
  RUN_CHOSEN,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

/* ---- where things are ---- */

static double
get_scale (SluiceLineageView *self)
{
  return sluice_widget_get_text_scale (GTK_WIDGET (self));
}

static double
get_width (SluiceLineageView *self)
{
  return gtk_widget_get_width (GTK_WIDGET (self)) / get_scale (self);
}

static const SluiceLineageLine *
get_line (const SluiceLineageView *self, guint i)
{
  return self->lineage->lines->pdata[i];
}

static double
get_y (guint line)
{
  return AXIS + LINE * (line + 0.5);
}

static double
get_x (SluiceLineageView *self, gint64 step)
{
  double room = MAX (get_width (self) - NAMES - END, 40);
  return NAMES + room * (double) step / (double) MAX (self->lineage->last_step, 1);
}

static SluiceColor
get_color (const SluiceLineageLine *line, const SluiceTheme *theme)
{
  return sluice_color_readable (line->color, theme->card, 3);
}

/* Time goes from where reading begins. */
static gboolean
is_mirrored (SluiceLineageView *self)
{
  return gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
}

/* ---- drawing ---- */

typedef struct
{
  SluiceLineageView *view;
  cairo_t *cr;
  const SluiceTheme *theme;
  SluiceText text;
} Drawing;

/* What is said is never mirrored, though where it stands is. */
static void
draw_text (Drawing *d, double x, double y, SluiceAnchor anchor, SluiceColor color)
{
  if (!is_mirrored (d->view))
    {
      sluice_text_draw (&d->text, x, y, anchor, color);
      return;
    }
  cairo_save (d->cr);
  cairo_translate (d->cr, x, y);
  cairo_scale (d->cr, -1, 1);
  sluice_text_draw (&d->text, 0, 0,
                    anchor == SLUICE_ANCHOR_START ? SLUICE_ANCHOR_END
                    : anchor == SLUICE_ANCHOR_END ? SLUICE_ANCHOR_START
                                                  : anchor,
                    color);
  cairo_restore (d->cr);
}

static void
draw_axis (Drawing *d)
{
  SluiceLineageView *self = d->view;
  double bottom = AXIS + LINE * self->lineage->lines->len, end = -G_MAXDOUBLE;
  SluiceTicks ticks;
  sluice_ticks (&ticks, 0, (double) MAX (self->lineage->last_step, 1), 6, SLUICE_UNIT_STEPS, FALSE);
  cairo_set_line_width (d->cr, 1);
  for (guint i = 0; i < ticks.n; i++)
    {
      double x = floor (get_x (self, (gint64) ticks.values[i])) + 0.5, width, height;
      g_autofree char *number = sluice_format_step ((gint64) ticks.values[i]);
      g_autofree char *words = i == 0 ? g_strdup_printf (_ ("step %s"), number) : g_strdup (number);
      sluice_cairo_set_color (d->cr, d->theme->grid);
      cairo_move_to (d->cr, x, AXIS - 4);
      cairo_line_to (d->cr, x, bottom);
      cairo_stroke (d->cr);
      sluice_text_set (&d->text, words, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_measure (&d->text, &width, &height);
      if (x - width / 2 < end + AIR)
        continue;
      draw_text (d, x, AXIS / 2 - 2, SLUICE_ANCHOR_MIDDLE, d->theme->dim);
      end = x + width / 2;
    }
}

static void
draw_name (Drawing *d, const SluiceLineageLine *line, double y)
{
  cairo_new_path (d->cr);
  cairo_arc (d->cr, 20, y, 4.5, 0, 2 * G_PI);
  sluice_cairo_set_color (d->cr, get_color (line, d->theme));
  if (line->state != SLUICE_RUN_DRAFT)
    cairo_fill (d->cr);
  cairo_set_line_width (d->cr, 1.5);
  cairo_stroke (d->cr);
  sluice_text_set (&d->text, line->name, SLUICE_TEXT_BODY, TRUE, NAMES - 40);
  draw_text (d, 32, y, SLUICE_ANCHOR_START, d->theme->text);
}

/* From its parent, or from its first step on, and dashed as far as it is to go; a draft altogether.
 */
static void
draw_stroke (Drawing *d, const SluiceLineageLine *line, double y)
{
  static const double dashes[] = { 3, 4 };
  SluiceLineageView *self = d->view;
  gboolean is_draft = line->state == SLUICE_RUN_DRAFT;
  double x0 = get_x (self, line->from);
  double x1 = get_x (self, is_draft ? MAX (line->end, line->to) : line->to);
  sluice_cairo_set_color (d->cr, is_draft ? d->theme->dim : get_color (line, d->theme));
  cairo_set_line_width (d->cr, is_draft ? 1.5 : STROKE);
  cairo_set_dash (d->cr, dashes, is_draft ? G_N_ELEMENTS (dashes) : 0, 0);
  cairo_move_to (d->cr, x0, y);
  if (line->parent >= 0)
    {
      double from = get_y ((guint) line->parent), bend = MIN (BEND, MAX (x1 - x0, 6));
      cairo_move_to (d->cr, x0, from);
      cairo_curve_to (d->cr, x0 + bend / 2, from, x0 + bend / 2, y, x0 + bend, y);
    }
  cairo_line_to (d->cr, MAX (x1, x0 + 1), y);
  cairo_stroke (d->cr);
  cairo_set_dash (d->cr, NULL, 0, 0);
  if (is_draft || line->end <= line->to)
    return;
  cairo_set_line_width (d->cr, 2);
  cairo_set_dash (d->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_move_to (d->cr, x1, y);
  cairo_line_to (d->cr, get_x (self, line->end), y);
  cairo_stroke (d->cr);
  cairo_set_dash (d->cr, NULL, 0, 0);
}

/* A bar where it was stopped, a cross where it failed; what is at work has a full dot. */
static void
draw_end (Drawing *d, const SluiceLineageLine *line, double y)
{
  double x = get_x (d->view, line->to);
  gboolean failed = line->state == SLUICE_RUN_FAILED || line->state == SLUICE_RUN_CRASHED;
  sluice_cairo_set_color (d->cr, failed ? d->theme->failure : get_color (line, d->theme));
  cairo_set_line_width (d->cr, 2);
  cairo_new_path (d->cr);
  if (line->state == SLUICE_RUN_DRAFT)
    return;
  if (line->end > line->to)
    {
      cairo_arc (d->cr, x, y, RING, 0, 2 * G_PI);
      cairo_fill (d->cr);
    }
  else if (failed)
    {
      cairo_move_to (d->cr, x - 4, y - 4);
      cairo_line_to (d->cr, x + 4, y + 4);
      cairo_move_to (d->cr, x - 4, y + 4);
      cairo_line_to (d->cr, x + 4, y - 4);
      cairo_stroke (d->cr);
    }
  else if (line->state == SLUICE_RUN_STOPPED)
    {
      cairo_move_to (d->cr, x, y - 6);
      cairo_line_to (d->cr, x, y + 6);
      cairo_stroke (d->cr);
    }
}

static void
draw_words (Drawing *d, const SluiceLineageLine *line, double y)
{
  SluiceLineageView *self = d->view;
  g_autofree char *to = sluice_format_step (line->to);
  g_autofree char *state =
      g_strdup_printf (_ ("%s at %s"), _ (sluice_run_state_name (line->state)), to);
  gboolean is_over = line->state == SLUICE_RUN_FINISHED;
  gboolean is_draft = line->state == SLUICE_RUN_DRAFT;
  const char *outcome = line->outcome != NULL ? line->outcome : "";
  sluice_text_set (&d->text,
                   is_over    ? outcome
                   : is_draft ? _ (sluice_run_state_name (line->state))
                              : state,
                   SLUICE_TEXT_LABEL, is_over, END - 14);
  draw_text (d, get_x (self, MAX (line->to, line->end)) + 10, y, SLUICE_ANCHOR_START,
             d->theme->dim);
  if (line->parent < 0)
    return;
  g_autofree char *from = sluice_format_step (line->from);
  const char *what = is_draft ? line->plan : line->change;
  g_autofree char *words = what != NULL ? g_strdup_printf (_ ("from step %s: %s"), from, what)
                                        : g_strdup_printf (_ ("from step %s"), from);
  double x = get_x (self, line->from) + BEND + 2;
  sluice_text_set (&d->text, words, SLUICE_TEXT_LABEL, FALSE, MAX (get_width (self) - x - 4, 30));
  draw_text (d, x, y - 13, SLUICE_ANCHOR_START, d->theme->dim);
}

static void
draw_ring (Drawing *d, SluiceColor color, double x, double y, gboolean has_cursor)
{
  cairo_new_path (d->cr);
  cairo_arc (d->cr, x, y, RING, 0, 2 * G_PI);
  sluice_cairo_set_color (d->cr, d->theme->card);
  cairo_fill_preserve (d->cr);
  sluice_cairo_set_color (d->cr, color);
  cairo_set_line_width (d->cr, 2);
  cairo_stroke (d->cr);
  if (!has_cursor)
    return;
  cairo_arc (d->cr, x, y, RING + 3.5, 0, 2 * G_PI);
  sluice_cairo_set_color (d->cr, d->theme->accent);
  cairo_set_line_width (d->cr, 2.5);
  cairo_stroke (d->cr);
}

/* Where the run went on: what it had done beyond and dropped leaves it below, grey; else a mark. */
static void
draw_tails (Drawing *d, const SluiceLineageLine *line, double y)
{
  sluice_cairo_set_color (d->cr, d->theme->dim);
  cairo_set_line_width (d->cr, 1.5);
  for (guint i = 0; i < line->tails->len; i++)
    {
      const SluiceLineageTail *tail = &g_array_index (line->tails, SluiceLineageTail, i);
      double x = get_x (d->view, tail->from), end = get_x (d->view, tail->to);
      double bend = MIN (TAIL, end - x), below = y + TAIL;
      cairo_move_to (d->cr, x, bend > 0 ? y : y + RING + 2);
      if (bend > 0)
        cairo_curve_to (d->cr, x + bend / 2, y, x + bend / 2, below, x + bend, below);
      cairo_line_to (d->cr, bend > 0 ? end : x, bend > 0 ? below : y + RING + 7);
      cairo_stroke (d->cr);
      if (bend <= 0)
        continue;
      sluice_text_set (&d->text, _ ("dropped"), SLUICE_TEXT_LABEL, FALSE, 0);
      draw_text (d, end + 6, below, SLUICE_ANCHOR_START, d->theme->dim);
    }
}

static void
draw_rings (Drawing *d, guint i, double y)
{
  SluiceLineageView *self = d->view;
  const SluiceLineageLine *line = get_line (self, i);
  gboolean has_focus = gtk_widget_has_focus (GTK_WIDGET (self));
  for (guint k = 0; k < line->checkpoints->len; k++)
    draw_ring (d, get_color (line, d->theme),
               get_x (self, g_array_index (line->checkpoints, gint64, k)), y,
               has_focus && (int) i == self->line && (int) k == self->ring);
}

/* Where a run would begin, while its ring is held. */
static void
draw_held (Drawing *d)
{
  static const double dashes[] = { 3, 3 };
  SluiceLineageView *self = d->view;
  if (self->held_line < 0)
    return;
  const SluiceLineageLine *line = get_line (self, (guint) self->held_line);
  double x = get_x (self, g_array_index (line->checkpoints, gint64, self->held_ring));
  double y = get_y ((guint) self->held_line), to = y + self->y - self->start_y;
  sluice_cairo_set_color (d->cr, d->theme->dim);
  cairo_set_line_width (d->cr, 1.5);
  cairo_set_dash (d->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_move_to (d->cr, x, y);
  cairo_curve_to (d->cr, x + BEND / 2, y, x + BEND / 2, to, x + BEND, to);
  cairo_line_to (d->cr, get_x (self, self->lineage->last_step), to);
  cairo_stroke (d->cr);
  cairo_set_dash (d->cr, NULL, 0, 0);
  draw_ring (d, d->theme->accent, x + BEND, to, FALSE);
}

static void
sluice_lineage_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceLineageView *self = SLUICE_LINEAGE_VIEW (widget);
  SluiceTheme theme;
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  if (self->lineage == NULL || self->lineage->lines->len == 0)
    return;
  sluice_theme_from_widget (&theme, widget);
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  Drawing d = { self, cr, &theme };
  cairo_scale (cr, get_scale (self), get_scale (self));
  if (is_mirrored (self))
    {
      cairo_translate (cr, get_width (self), 0);
      cairo_scale (cr, -1, 1);
    }
  sluice_text_begin (&d.text, cr, &theme);
  draw_axis (&d);
  for (guint i = 0; i < self->lineage->lines->len; i++)
    draw_tails (&d, get_line (self, i), get_y (i));
  for (guint i = 0; i < self->lineage->lines->len; i++)
    draw_stroke (&d, get_line (self, i), get_y (i));
  for (guint i = 0; i < self->lineage->lines->len; i++)
    {
      draw_name (&d, get_line (self, i), get_y (i));
      draw_words (&d, get_line (self, i), get_y (i));
      draw_rings (&d, i, get_y (i));
      draw_end (&d, get_line (self, i), get_y (i));
    }
  draw_held (&d);
  sluice_text_end (&d.text);
  cairo_destroy (cr);
  if (gtk_widget_has_visible_focus (widget))
    sluice_snapshot_focus_ring (snapshot, widget);
}

static void
sluice_lineage_view_measure (GtkWidget *widget,
                             GtkOrientation orientation,
                             int for_size,
                             int *minimum,
                             int *natural,
                             int *minimum_baseline,
                             int *natural_baseline)
{
  SluiceLineageView *self = SLUICE_LINEAGE_VIEW (widget);
  guint n = self->lineage != NULL ? self->lineage->lines->len : 0;
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL
                            ? (int) ceil ((AXIS + LINE * n) * get_scale (self))
                            : 0;
}

/* ---- the cursor, and what it says ---- */

static void
fork_here (SluiceLineageView *self, int line, int ring)
{
  const SluiceLineageLine *of = get_line (self, (guint) line);
  if (ring < 0 || ring >= (int) of->checkpoints->len)
    return;
  g_signal_emit (self, signals[FORK], 0, of->run, g_array_index (of->checkpoints, gint64, ring));
}

/* What a screen reader reads: the line that has the cursor, else all of them. */
static void
describe (SluiceLineageView *self)
{
  g_autoptr (GString) words = g_string_new (NULL);
  guint n = self->lineage != NULL ? self->lineage->lines->len : 0;
  for (guint i = 0; i < n; i++)
    {
      if (self->line >= 0 && (int) i != self->line)
        continue;
      g_autofree char *line = sluice_lineage_dup_words (self->lineage, i);
      g_string_append_printf (words, "%s%s", words->len > 0 ? "; " : "", line);
    }
  if (self->line >= 0 && self->ring >= 0)
    {
      g_autofree char *step = sluice_format_step (
          g_array_index (get_line (self, (guint) self->line)->checkpoints, gint64, self->ring));
      g_string_append_printf (words, _ ("; cursor at the checkpoint of step %s"), step);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  words->str, -1);
}

/* @ring: clamped to those that the line has. */
static void
set_cursor (SluiceLineageView *self, int line, int ring)
{
  int n = self->lineage != NULL ? (int) self->lineage->lines->len : 0;
  self->line = n > 0 ? CLAMP (line, 0, n - 1) : -1;
  self->ring =
      self->line < 0
          ? -1
          : CLAMP (ring, -1, (int) get_line (self, (guint) self->line)->checkpoints->len - 1);
  describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
key_pressed_cb (GtkEventControllerKey *controller,
                guint key,
                guint code,
                GdkModifierType state,
                SluiceLineageView *self)
{
  if (self->lineage == NULL || (state & gtk_accelerator_get_default_mod_mask ()) != 0)
    return FALSE;
  switch (key)
    {
    case GDK_KEY_Up:
      set_cursor (self, self->line - 1, self->ring);
      return TRUE;
    case GDK_KEY_Down:
      set_cursor (self, self->line + 1, self->ring);
      return TRUE;
    case GDK_KEY_Left:
    case GDK_KEY_Right:
      set_cursor (self, self->line,
                  (key == GDK_KEY_Left) == is_mirrored (self) ? self->ring + 1
                                                              : MAX (self->ring - 1, 0));
      return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_space:
      if (self->line >= 0)
        fork_here (self, self->line, self->ring);
      return TRUE;
    default:
      return FALSE;
    }
}

static void
focus_changed_cb (SluiceLineageView *self)
{
  if (gtk_widget_has_focus (GTK_WIDGET (self)) && self->line < 0)
    set_cursor (self, 0, 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* ---- the pointer ---- */

/* FALSE: there is no ring. @x, @y: in pixels */
static gboolean
find_ring (SluiceLineageView *self, double x, double y, int *line, int *ring)
{
  double scale = get_scale (self), least = NEAR;
  guint n = self->lineage != NULL ? self->lineage->lines->len : 0;
  *line = *ring = -1;
  if (is_mirrored (self))
    x = gtk_widget_get_width (GTK_WIDGET (self)) - x;
  for (guint i = 0; i < n; i++)
    {
      GArray *steps = get_line (self, i)->checkpoints;
      for (guint k = 0; k < steps->len; k++)
        {
          double away = hypot (x / scale - get_x (self, g_array_index (steps, gint64, k)),
                               y / scale - get_y (i));
          if (away > least)
            continue;
          least = away;
          *line = (int) i;
          *ring = (int) k;
        }
    }
  return *line >= 0;
}

static void
drag_begin_cb (GtkGestureDrag *gesture, double x, double y, SluiceLineageView *self)
{
  double scale = get_scale (self);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (!find_ring (self, x, y, &self->held_line, &self->held_ring))
    {
      int at = (int) floor ((y / scale - AXIS) / LINE);
      if (self->lineage != NULL && at >= 0 && at < (int) self->lineage->lines->len)
        g_signal_emit (self, signals[RUN_CHOSEN], 0, get_line (self, (guint) at)->run);
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  self->start_x = self->x = x / scale;
  self->start_y = self->y = y / scale;
  set_cursor (self, self->held_line, self->held_ring);
}

static void
drag_update_cb (GtkGestureDrag *gesture, double x, double y, SluiceLineageView *self)
{
  double scale = get_scale (self);
  self->x = self->start_x + x / scale;
  self->y = self->start_y + y / scale;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
drag_end_cb (GtkGestureDrag *gesture, double x, double y, SluiceLineageView *self)
{
  int line = self->held_line, ring = self->held_ring;
  self->held_line = self->held_ring = -1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (line >= 0 && hypot (x, y) / get_scale (self) > PULL)
    fork_here (self, line, ring);
}

/* ---- life ---- */

void
sluice_lineage_view_take (SluiceLineageView *self, SluiceLineage *take)
{
  g_clear_pointer (&self->lineage, sluice_lineage_free);
  self->lineage = take;
  self->line = self->ring = self->held_line = self->held_ring = -1;
  describe (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

const SluiceLineage *
sluice_lineage_view_get (SluiceLineageView *self)
{
  return self->lineage;
}

static void
sluice_lineage_view_finalize (GObject *object)
{
  g_clear_pointer (&SLUICE_LINEAGE_VIEW (object)->lineage, sluice_lineage_free);
  G_OBJECT_CLASS (sluice_lineage_view_parent_class)->finalize (object);
}

static void
sluice_lineage_view_class_init (SluiceLineageViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = sluice_lineage_view_finalize;
  widget_class->snapshot = sluice_lineage_view_snapshot;
  widget_class->measure = sluice_lineage_view_measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  signals[FORK] = g_signal_new ("fork", SLUICE_TYPE_LINEAGE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_INT64);
  signals[RUN_CHOSEN] = g_signal_new ("run-chosen", SLUICE_TYPE_LINEAGE_VIEW, G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
}

static void
sluice_lineage_view_init (SluiceLineageView *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  self->line = self->ring = self->held_line = self->held_ring = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Lineage"), -1);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (drag_end_cb), self);
  g_signal_connect (self, "notify::has-focus", G_CALLBACK (focus_changed_cb), NULL);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
}

GtkWidget *
sluice_lineage_view_new (void)
{
  return g_object_new (SLUICE_TYPE_LINEAGE_VIEW, NULL);
}
