/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/audio-card.h"

#include "ui/chart/ticks.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

struct _SluiceAudioCard
{
  SluiceCard parent_instance;
  GtkWidget *words, *controls, *problem;
};

G_DEFINE_FINAL_TYPE (SluiceAudioCard, sluice_audio_card, SLUICE_TYPE_CARD)

static void
sluice_audio_card_class_init (SluiceAudioCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_css_name (widget_class, "audiocard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
sluice_audio_card_init (SluiceAudioCard *self)
{
  GtkWidget *box = sluice_card_add_box (SLUICE_CARD (self));

  self->words = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->words), 0);
  gtk_label_set_wrap (GTK_LABEL (self->words), TRUE);
  gtk_widget_add_css_class (self->words, "numeric");
  self->controls = gtk_media_controls_new (NULL);
  gtk_widget_set_valign (self->controls, GTK_ALIGN_CENTER);
  gtk_widget_set_vexpand (self->controls, TRUE);
  self->problem = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->problem), 0);
  gtk_label_set_wrap (GTK_LABEL (self->problem), TRUE);
  gtk_widget_add_css_class (self->problem, "dim-label");
  gtk_widget_set_visible (self->problem, FALSE);
  gtk_box_append (GTK_BOX (box), self->words);
  gtk_box_append (GTK_BOX (box), self->controls);
  gtk_box_append (GTK_BOX (box), self->problem);
}

GtkWidget *
sluice_audio_card_new (const char *title)
{
  return g_object_new (SLUICE_TYPE_AUDIO_CARD, "title", title, NULL);
}

/* The player could not begin, or not go on. */
static void
error_cb (GtkMediaStream *stream, GParamSpec *pspec, SluiceAudioCard *self)
{
  const GError *error = gtk_media_stream_get_error (stream);
  g_autofree char *text = NULL;

  if (error == NULL)
    return;
  text = g_strdup_printf (_ ("It cannot be played here (%s) GTK plays sound with the package "
                             "libgtk-4-media-gstreamer."),
                          error->message);
  gtk_label_set_label (GTK_LABEL (self->problem), text);
  gtk_widget_set_visible (self->problem, TRUE);
}

static void
set_clip (SluiceAudioCard *self, GBytes *clip)
{
  g_autoptr (GInputStream) input = g_memory_input_stream_new_from_bytes (clip);
  g_autoptr (GtkMediaStream) stream = gtk_media_file_new_for_input_stream (input);

  gtk_widget_set_visible (self->problem, FALSE);
  g_signal_connect_object (stream, "notify::error", G_CALLBACK (error_cb), self, 0);
  gtk_media_controls_set_media_stream (GTK_MEDIA_CONTROLS (self->controls), stream);
  error_cb (stream, NULL, self);
}

void
sluice_audio_card_set (
    SluiceAudioCard *self, gint64 step, double rate, gint64 channels, gint64 frames, GBytes *clip)
{
  g_autofree char *number = sluice_format_step (step);
  g_autofree char *note = g_strdup_printf (_ ("step %s"), number);
  g_autofree char *time =
      sluice_format_value (rate > 0 ? (double) frames / rate : 0, SLUICE_UNIT_SECONDS);
  g_autofree char *hertz = sluice_format_value (rate, SLUICE_UNIT_NONE);
  g_autofree char *text = NULL;

  g_return_if_fail (SLUICE_IS_AUDIO_CARD (self) && clip != NULL);

  /* Translators: a duration, samples a second, a number. */
  text = g_strdup_printf (ngettext ("%s · %s Hz · %" PRId64 " channel",
                                    "%s · %s Hz · %" PRId64 " channels", (gulong) channels),
                          time, hertz, channels);
  sluice_card_set_note (SLUICE_CARD (self), note);
  gtk_label_set_label (GTK_LABEL (self->words), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                  -1);
  set_clip (self, clip);
}

const char *
sluice_audio_card_get_text (SluiceAudioCard *self)
{
  return gtk_label_get_label (GTK_LABEL (self->words));
}
