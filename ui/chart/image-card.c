/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/image-card.h"

#include "ui/chart/square-layout.h"
#include "ui/chart/thumbnail.h"
#include "ui/chart/ticks.h"
#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>

typedef struct
{
  gint64 step;
  guint n;
  GBytes **images; /* NULL where a slot has none at this step */
  char **captions;
} Frame;

struct _SluiceImageCard
{
  SluiceCard parent_instance;
  GPtrArray *frames; /* of Frame, ascending by step */
  int shown;         /* index of the frame on screen, or -1 */
  guint tick_id;     /* it is put there with the next picture of the window */

  GtkWidget *row;
  GtkWidget *empty_label;
  GtkWidget *slider;
};

G_DEFINE_FINAL_TYPE (SluiceImageCard, sluice_image_card, SLUICE_TYPE_CARD)

static void
frame_free (Frame *frame)
{
  for (guint i = 0; i < frame->n; i++)
    {
      g_clear_pointer (&frame->images[i], g_bytes_unref);
      g_free (frame->captions[i]);
    }
  g_free (frame->images);
  g_free (frame->captions);
  g_free (frame);
}

static void
fill_row (SluiceImageCard *self, const Frame *frame)
{
  GtkWidget *child = gtk_widget_get_first_child (self->row);

  for (guint i = 0; i < frame->n; i++)
    {
      if (frame->images[i] == NULL)
        continue;
      /* Children are kept from step to step: moving the slider builds nothing. */
      if (child == NULL)
        {
          child = sluice_thumbnail_new ();
          gtk_box_append (GTK_BOX (self->row), child);
        }
      sluice_thumbnail_set (SLUICE_THUMBNAIL (child), frame->images[i], frame->captions[i]);
      child = gtk_widget_get_next_sibling (child);
    }
  while (child != NULL)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (child);

      gtk_box_remove (GTK_BOX (self->row), child);
      child = next;
    }
}

/* Decoding takes a millisecond, and assistive technology is told of each step: of many frames that
 * come at once only the last is looked at. */
static gboolean
put_frame_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SluiceImageCard *self = SLUICE_IMAGE_CARD (widget);

  self->tick_id = 0;
  if (self->shown < 0)
    return G_SOURCE_REMOVE;

  const Frame *frame = g_ptr_array_index (self->frames, self->shown);
  g_autofree char *number = sluice_format_step (frame->step);
  g_autofree char *label = g_strdup_printf (_ ("step %s"), number);

  fill_row (self, frame);
  sluice_card_set_note (SLUICE_CARD (self), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, label,
                                  -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->slider), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                  label, -1);
  return G_SOURCE_REMOVE;
}

static void
show_frame (SluiceImageCard *self, int index)
{
  self->shown = index;
  if (self->tick_id == 0)
    self->tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), put_frame_cb, NULL, NULL);
}

static void
sluice_image_card_finalize (GObject *object)
{
  SluiceImageCard *self = SLUICE_IMAGE_CARD (object);

  g_ptr_array_unref (self->frames);
  G_OBJECT_CLASS (sluice_image_card_parent_class)->finalize (object);
}

static void
sluice_image_card_class_init (SluiceImageCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sluice_image_card_finalize;
  gtk_widget_class_set_css_name (widget_class, "imagecard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static GtkWidget *
new_slider (void)
{
  GtkWidget *slider = gtk_scale_new (GTK_ORIENTATION_HORIZONTAL, NULL);

  gtk_scale_set_draw_value (GTK_SCALE (slider), FALSE);
  gtk_range_set_round_digits (GTK_RANGE (slider), 0);
  gtk_widget_set_tooltip_text (slider, _ ("Moves the images of all cards"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (slider), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Step of the images"), -1);
  sluice_widget_release_wheel (slider);
  gtk_widget_set_visible (slider, FALSE);
  return slider;
}

static void
sluice_image_card_init (SluiceImageCard *self)
{
  GtkWidget *box = sluice_card_add_box (SLUICE_CARD (self));

  self->frames = g_ptr_array_new_with_free_func ((GDestroyNotify) frame_free);
  self->shown = -1;

  self->empty_label = gtk_label_new (_ ("No images yet"));
  gtk_widget_add_css_class (self->empty_label, "dim-label");
  gtk_widget_set_vexpand (self->empty_label, TRUE);
  gtk_box_append (GTK_BOX (box), self->empty_label);

  self->row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_set_layout_manager (self->row, sluice_square_layout_new ());
  gtk_widget_set_vexpand (self->row, TRUE);
  gtk_box_append (GTK_BOX (box), self->row);

  self->slider = new_slider ();
  gtk_box_append (GTK_BOX (box), self->slider);
}

GtkWidget *
sluice_image_card_new (const char *title)
{
  return g_object_new (SLUICE_TYPE_IMAGE_CARD, "title", title, NULL);
}

/* The last frame at or before @step; -1 if all are later. */
static int
find_frame (SluiceImageCard *self, gint64 step)
{
  int index = (int) self->frames->len - 1;

  while (index >= 0 && ((const Frame *) g_ptr_array_index (self->frames, index))->step > step)
    index--;
  return index;
}

/* That of @step, made where there is none. */
static Frame *
ensure_frame (SluiceImageCard *self, gint64 step)
{
  int before = find_frame (self, step);
  Frame *frame;

  if (before >= 0 && ((const Frame *) g_ptr_array_index (self->frames, before))->step == step)
    return g_ptr_array_index (self->frames, before);
  frame = g_new0 (Frame, 1);
  frame->step = step;
  g_ptr_array_insert (self->frames, before + 1, frame);
  self->shown += self->shown > before;
  return frame;
}

void
sluice_image_card_append (
    SluiceImageCard *self, guint slot, gint64 step, GBytes *image, const char *caption)
{
  gboolean follow;
  Frame *frame;

  g_return_if_fail (SLUICE_IS_IMAGE_CARD (self) && image != NULL);

  follow = self->shown == (int) self->frames->len - 1;
  frame = ensure_frame (self, step);
  if (slot >= frame->n)
    {
      frame->images = g_renew (GBytes *, frame->images, slot + 1);
      frame->captions = g_renew (char *, frame->captions, slot + 1);
      for (; frame->n <= slot; frame->n++)
        {
          frame->images[frame->n] = NULL;
          frame->captions[frame->n] = NULL;
        }
    }
  g_clear_pointer (&frame->images[slot], g_bytes_unref);
  g_free (frame->captions[slot]);
  frame->images[slot] = g_bytes_ref (image);
  frame->captions[slot] = g_strdup (caption);
  gtk_widget_set_visible (self->empty_label, FALSE);
  show_frame (self, follow ? (int) self->frames->len - 1 : self->shown);
}

void
sluice_image_card_keep_steps (SluiceImageCard *self, GHashTable *steps)
{
  gint64 shown = sluice_image_card_get_step (self);

  for (guint i = self->frames->len; i-- > 0;)
    if (!g_hash_table_contains (steps,
                                &((const Frame *) g_ptr_array_index (self->frames, i))->step))
      g_ptr_array_remove_index (self->frames, i);
  if (self->frames->len == 0)
    sluice_image_card_clear (self);
  else
    sluice_image_card_show_step (self, shown);
}

void
sluice_image_card_clear (SluiceImageCard *self)
{
  const Frame nothing = { 0 };

  g_return_if_fail (SLUICE_IS_IMAGE_CARD (self));

  g_ptr_array_set_size (self->frames, 0);
  self->shown = -1;
  fill_row (self, &nothing);
  sluice_card_set_note (SLUICE_CARD (self), "");
  gtk_widget_set_visible (self->empty_label, TRUE);
}

void
sluice_image_card_show_step (SluiceImageCard *self, gint64 step)
{
  g_return_if_fail (SLUICE_IS_IMAGE_CARD (self));

  if (self->frames->len == 0)
    return;
  show_frame (self, MAX (0, find_frame (self, step)));
}

gint64
sluice_image_card_get_step (SluiceImageCard *self)
{
  g_return_val_if_fail (SLUICE_IS_IMAGE_CARD (self), -1);

  return self->shown < 0 ? -1
                         : ((const Frame *) g_ptr_array_index (self->frames, self->shown))->step;
}

void
sluice_image_card_add_steps (SluiceImageCard *self, GArray *steps)
{
  for (guint i = 0; i < self->frames->len; i++)
    g_array_append_val (steps, ((const Frame *) g_ptr_array_index (self->frames, i))->step);
}

static gboolean
has_two_steps (GBinding *binding, const GValue *upper, GValue *visible, gpointer data)
{
  g_value_set_boolean (visible, g_value_get_double (upper) >= 1);
  return TRUE;
}

void
sluice_image_card_set_slider (SluiceImageCard *self, GtkAdjustment *adjustment)
{
  g_return_if_fail (SLUICE_IS_IMAGE_CARD (self));

  gtk_range_set_adjustment (GTK_RANGE (self->slider), adjustment);
  g_object_bind_property_full (adjustment, "upper", self->slider, "visible", G_BINDING_SYNC_CREATE,
                               has_two_steps, NULL, NULL, NULL);
}
