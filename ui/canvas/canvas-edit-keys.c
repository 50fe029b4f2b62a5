/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-edit-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* A wire by keys: L, then Tab over the ports of the selected box, arrows over the ends that it may
 * go to, nearest and legal ones first, and Return. What each would do is written at the top and
 * said as the canvas' name, which a screen reader reads when it changes. */

#define MOST_ITEMS 600    /* boxes: of more, only those in view are gone through */
#define JUDGE_US   250000 /* for the editor's answers, once a wire */
#define OWN_KEYS   "bml" /* letters that are keys of their own: the palette opens with the others */

/* ---- what is said ---- */

static char *
port_words (SluiceCanvas *self, guint item, guint port)
{
  g_autofree char *text = sluice_canvas_edit_port_text (
      &g_array_index (sluice_canvas_edit_get_ports (self, item), CanvasPort, port));
  return g_strdup_printf ("%s, %s", sluice_scene_get_item (self->scene, item)->title, text);
}

static char *
target_words (SluiceCanvas *self)
{
  const CanvasWire *wire = &self->edit->wire;
  const CanvasTarget *t = sluice_canvas_edit_get_target (self, wire->chosen);
  if (t == NULL)
    return g_strdup (_ ("Nothing in view could be joined to it. Shift+A: add a node"));
  g_autofree char *port = port_words (self, t->item, t->port);
  const char *words = t->words != NULL ? t->words : "?";
  return g_strdup_printf (t->fits ? _ ("%s: gives %s (%u of %u)")
                                  : _ ("%s: does not fit: %s (%u of %u)"),
                          port, words, wire->chosen + 1, wire->targets->len);
}

void
sluice_canvas_edit_tell (SluiceCanvas *self, const char *text)
{
  gtk_widget_set_visible (self->edit->status, text != NULL);
  gtk_label_set_label (GTK_LABEL (self->edit->status), text != NULL ? text : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  text != NULL ? text : _ ("Graph to change"), -1);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
sluice_canvas_edit_update_status (SluiceCanvas *self)
{
  const CanvasWire *wire = &self->edit->wire;
  gboolean splices = self->edit->wires != NULL && self->scene != NULL;
  g_autofree char *text = NULL;
  if (splices)
    text = sluice_canvas_edit_dup_splice_words (self);
  else if (wire->state == WIRE_PORTS)
    {
      g_autofree char *port = port_words (self, wire->item, wire->port);
      text = g_strdup_printf (_ ("Wire at %s. Tab: another port, arrows: where it goes"), port);
    }
  else if (wire->state == WIRE_KEYS)
    text = target_words (self);
  sluice_canvas_edit_tell (self, text);
}

/* ---- at which port ---- */

static void
hold_port (SluiceCanvas *self, guint item, guint port)
{
  sluice_canvas_edit_begin_wire (self, WIRE_PORTS, item, port);
  sluice_canvas_edit_update_status (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The one that is most likely meant: an output that nothing reads, an output, an open input. */
static guint
first_port (GArray *ports)
{
  guint best = 0, best_rank = 0;
  for (guint i = 0; i < ports->len; i++)
    {
      const CanvasPort *port = &g_array_index (ports, CanvasPort, i);
      guint rank = (port->is_output ? 3 : 1) + (port->is_open ? 1 : 0);
      if (rank <= best_rank)
        continue;
      best = i;
      best_rank = rank;
    }
  return best;
}

static void
walk_ports (SluiceCanvas *self, int step)
{
  const CanvasWire *wire = &self->edit->wire;
  guint n = sluice_canvas_edit_get_ports (self, wire->item)->len;
  hold_port (self, wire->item, (wire->port + n + step) % n);
}

void
sluice_canvas_edit_link_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  if (self->edit == NULL || self->scene == NULL || self->lead_item == SLUICE_NONE)
    return;
  GArray *ports = sluice_canvas_edit_get_ports (self, self->lead_item);
  if (self->edit->wire.state == WIRE_PORTS)
    walk_ports (self, 1);
  else if (ports->len > 0)
    hold_port (self, self->lead_item, first_port (ports));
}

/* Takes the wire off the input that is held. */
static void
take_off (SluiceCanvas *self)
{
  const CanvasWire *wire = &self->edit->wire;
  const CanvasPort *port =
      &g_array_index (sluice_canvas_edit_get_ports (self, wire->item), CanvasPort, wire->port);
  if (port->is_output || port->is_open || self->edit->editor->disconnect == NULL)
    return;
  g_autofree char *node = g_strdup (port->node);
  SluiceCanvasEnd end = { node, port->index };
  sluice_canvas_edit_end_wire (self);
  self->edit->editor->disconnect (&end, 1, self->edit->user_data);
}

/* ---- where it goes ---- */

typedef struct
{
  SluiceCanvas *self;
  SluicePoint from;
} Order;

static int
compare_targets (gconstpointer pa, gconstpointer pb, gpointer data)
{
  const Order *order = data;
  const CanvasTarget *targets[] = { pa, pb };
  double key[2];
  for (int i = 0; i < 2; i++)
    {
      const CanvasPort *port =
          &g_array_index (sluice_canvas_edit_get_ports (order->self, targets[i]->item), CanvasPort,
                          targets[i]->port);
      /* Farther than any picture is wide. */
      key[i] = hypot (port->at.x - order->from.x, port->at.y - order->from.y)
               + (port->is_open || port->is_output ? 0 : 1e9) + (targets[i]->fits ? 0 : 1e10);
    }
  if (key[0] != key[1])
    return key[0] < key[1] ? -1 : 1;
  return targets[0]->item != targets[1]->item  ? (targets[0]->item < targets[1]->item ? -1 : 1)
         : targets[0]->port < targets[1]->port ? -1
                                               : targets[0]->port > targets[1]->port;
}

static void
choose (SluiceCanvas *self, guint target)
{
  CanvasWire *wire = &self->edit->wire;
  wire->chosen = wire->targets->len > 0 ? target % wire->targets->len : SLUICE_NONE;
  const CanvasTarget *t = sluice_canvas_edit_get_target (self, wire->chosen);
  if (t != NULL)
    {
      sluice_canvas_edit_judge_target (self, wire->chosen);
      SluiceRect rect = sluice_scene_get_item (self->scene, t->item)->rect;
      SluicePoint at = sluice_canvas_edit_to_pixels (
          self, sluice_canvas_edit_target_port (self, wire->chosen)->at);
      wire->x = at.x;
      wire->y = at.y;
      sluice_canvas_show_rect (self, &rect);
    }
  sluice_canvas_edit_update_status (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
lead_wire (SluiceCanvas *self)
{
  CanvasWire *wire = &self->edit->wire;
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect all = sluice_scene_get_bounds (self->scene), visible = sluice_canvas_visible (self);
  gboolean is_small = sluice_scene_get_n_items (self->scene) <= MOST_ITEMS;
  Order order = { self, wire->at };
  wire->state = WIRE_KEYS;
  sluice_scene_query (self->scene, is_small ? &all : &visible, items);
  sluice_canvas_edit_prepare (self, items);
  for (guint i = 0; i < items->len; i++)
    sluice_canvas_edit_ask (self, g_array_index (items, guint, i), TRUE);
  sluice_canvas_edit_judge (self, JUDGE_US);
  g_array_sort_with_data (wire->targets, compare_targets, &order);
  choose (self, 0);
}

static void
walk_targets (SluiceCanvas *self, int step)
{
  CanvasWire *wire = &self->edit->wire;
  if (wire->state == WIRE_PORTS)
    lead_wire (self);
  else if (wire->targets->len > 0)
    choose (self, wire->chosen + wire->targets->len + step);
}

static void
finish (SluiceCanvas *self)
{
  CanvasWire *wire = &self->edit->wire;
  if (wire->state == WIRE_PORTS)
    lead_wire (self);
  else if (wire->chosen != SLUICE_NONE)
    sluice_canvas_edit_drop_on (self, wire->chosen);
}

/* ---- keys ---- */

/* Where a palette of the wire, or of what is selected, points to. at_pointer: (out): there is
 * neither, and it is where the pointer is */
static SluicePoint
palette_place (SluiceCanvas *self, gboolean *at_pointer)
{
  *at_pointer = FALSE;
  const CanvasWire *wire = &self->edit->wire;
  if (wire->state == WIRE_KEYS && wire->chosen != SLUICE_NONE)
    return (SluicePoint){ wire->x, wire->y };
  guint item = wire->state != WIRE_NONE ? wire->item : self->lead_item;
  int width = gtk_widget_get_width (GTK_WIDGET (self)),
      height = gtk_widget_get_height (GTK_WIDGET (self));
  if (item != SLUICE_NONE)
    {
      SluiceRect r = sluice_scene_get_item (self->scene, item)->rect;
      SluicePoint p = sluice_canvas_edit_to_pixels (
          self, (SluicePoint){ r.x + r.width + 24, r.y + r.height / 2 });
      return (SluicePoint){ CLAMP (p.x, 0, width), CLAMP (p.y, 0, height) };
    }
  *at_pointer = self->pointer_x > 0 && self->pointer_y > 0 && self->pointer_x < width
                && self->pointer_y < height;
  if (*at_pointer)
    return (SluicePoint){ self->pointer_x, self->pointer_y };
  return (SluicePoint){ width / 2.0, height / 2.0 };
}

void
sluice_canvas_edit_palette_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  if (self->edit == NULL)
    return;
  gboolean at_pointer;
  SluicePoint at = palette_place (self, &at_pointer);
  sluice_canvas_edit_open_palette (self, at.x, at.y, at_pointer, "");
}

static gboolean
lead_by_key (SluiceCanvas *self, guint key)
{
  gboolean at_ports = self->edit->wire.state == WIRE_PORTS;
  switch (key)
    {
    case GDK_KEY_Tab:
    case GDK_KEY_ISO_Left_Tab:
      if (at_ports)
        walk_ports (self, key == GDK_KEY_Tab ? 1 : -1);
      else
        walk_targets (self, key == GDK_KEY_Tab ? 1 : -1);
      return TRUE;
    case GDK_KEY_Right:
    case GDK_KEY_Down:
      walk_targets (self, 1);
      return TRUE;
    case GDK_KEY_Left:
    case GDK_KEY_Up:
      walk_targets (self, -1);
      return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_space:
      finish (self);
      return TRUE;
    case GDK_KEY_Delete:
    case GDK_KEY_KP_Delete:
      if (at_ports)
        take_off (self);
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
type_letter (SluiceCanvas *self, guint key)
{
  gunichar letter = gdk_keyval_to_unicode (key);
  char text[7] = "";
  gboolean is_own = letter < 128 && strchr (OWN_KEYS, (int) letter) != NULL;
  gboolean is_held = self->edit->wire.state == WIRE_KEYS;
  if (letter == 0 || !g_unichar_isalpha (letter) || (is_own && !is_held)
      || (self->lead_item == SLUICE_NONE && !is_held) || self->edit->editor->palette == NULL)
    return FALSE;
  gboolean at_pointer;
  SluicePoint at = palette_place (self, &at_pointer);
  g_unichar_to_utf8 (letter, text);
  sluice_canvas_edit_open_palette (self, at.x, at.y, at_pointer, text);
  return TRUE;
}

static gboolean
give_up (SluiceCanvas *self)
{
  if (self->edit->wire.state == WIRE_NONE && self->edit->ticks == 0)
    return FALSE;
  sluice_canvas_edit_end_wire (self);
  sluice_canvas_edit_end_drag (self);
  sluice_canvas_cancel_drag (self);
  return TRUE;
}

/* Before the class' bindings, which have other meanings for some of them. */
static gboolean
key_cb (SluiceCanvas *self, guint key, guint code, GdkModifierType state)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask ();
  CanvasWireState wire = self->edit != NULL ? self->edit->wire.state : WIRE_NONE;
  if (self->edit == NULL || self->scene == NULL || !gtk_widget_is_focus (GTK_WIDGET (self))
      || (modifiers & ~GDK_SHIFT_MASK) != 0)
    return FALSE;
  if (self->edit->wires != NULL && sluice_canvas_edit_splice_key (self, key))
    return TRUE;
  if (key == GDK_KEY_Escape)
    return give_up (self);
  if ((wire == WIRE_PORTS || wire == WIRE_KEYS) && lead_by_key (self, key))
    return TRUE;
  if ((key == GDK_KEY_A || key == GDK_KEY_L) && (modifiers & GDK_SHIFT_MASK))
    return FALSE; /* canvas.palette, canvas.splice */
  return type_letter (self, key);
}

void
sluice_canvas_edit_add_keys (SluiceCanvas *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}
