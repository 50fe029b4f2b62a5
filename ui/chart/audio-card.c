/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/audio-card.h"

#include "ui/chart/ticks.h"
#include "ui/chart/waveform.h"
#include "ui/common/widget.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#define LEAST_WAVE 40

struct _SluiceAudioCard
{
  SluiceCard parent_instance;
  GtkWidget *words, *wave, *controls, *problem, *save;
  GBytes *clip;             /* (nullable) */
  GFile *file;              /* (nullable): the clip, as long as it can be played */
  SluiceWaveform *waveform; /* (nullable): where the clip is of a kind that is known */
};

G_DEFINE_FINAL_TYPE (SluiceAudioCard, sluice_audio_card, SLUICE_TYPE_CARD)

/* ---- as a file ---- */

static void
save_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  sluice_card_ask_export (SLUICE_CARD (widget), "wav");
}

static void
fill_menu (SluiceCard *card, GMenu *menu)
{
  g_autoptr (GMenu) section = g_menu_new ();

  g_menu_append (section, _ ("Save the sound…"), "audio.save");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
}

/* As it was logged. */
static gboolean
write_file (SluiceCard *card,
            const char *path,
            double width,
            double height,
            const SluiceTheme *theme,
            GError **error)
{
  GBytes *clip = SLUICE_AUDIO_CARD (card)->clip;
  gsize length = 0;
  const char *bytes = clip != NULL ? g_bytes_get_data (clip, &length) : NULL;

  return g_file_set_contents (path, bytes != NULL ? bytes : "", (gssize) length, error);
}

/* ---- as a card ---- */

static void
draw_wave_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  SluiceAudioCard *self = data;
  SluiceTheme theme;

  if (self->waveform == NULL)
    return;
  sluice_theme_from_widget (&theme, GTK_WIDGET (self));
  sluice_waveform_draw (self->waveform, cr, width, height, &theme);
}

/* The player has the file open, and opens it again for another round. */
static void
drop_file (SluiceAudioCard *self)
{
  if (self->controls != NULL)
    gtk_media_controls_set_media_stream (GTK_MEDIA_CONTROLS (self->controls), NULL);
  if (self->file != NULL)
    g_file_delete (self->file, NULL, NULL);
  g_clear_object (&self->file);
}

static void
sluice_audio_card_dispose (GObject *object)
{
  drop_file (SLUICE_AUDIO_CARD (object));
  SLUICE_AUDIO_CARD (object)->controls = NULL; /* it goes with the others */
  G_OBJECT_CLASS (sluice_audio_card_parent_class)->dispose (object);
}

static void
sluice_audio_card_finalize (GObject *object)
{
  SluiceAudioCard *self = SLUICE_AUDIO_CARD (object);

  g_clear_pointer (&self->clip, g_bytes_unref);
  g_clear_pointer (&self->waveform, sluice_waveform_free);
  G_OBJECT_CLASS (sluice_audio_card_parent_class)->finalize (object);
}

static void
sluice_audio_card_class_init (SluiceAudioCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SluiceCardClass *card_class = SLUICE_CARD_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sluice_audio_card_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_audio_card_finalize;
  card_class->fill_menu = fill_menu;
  card_class->write = write_file;
  gtk_widget_class_install_action (widget_class, "audio.save", NULL, save_action);
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
  self->wave = g_object_new (GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG,
                             "vexpand", TRUE, "height-request", LEAST_WAVE, NULL);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->wave), draw_wave_cb, self, NULL);
  self->problem = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->problem), 0);
  gtk_label_set_wrap (GTK_LABEL (self->problem), TRUE);
  gtk_widget_add_css_class (self->problem, "dim-label");
  gtk_widget_set_visible (self->problem, FALSE);
  self->save = gtk_button_new_with_label (_ ("Save the sound…"));
  gtk_widget_set_halign (self->save, GTK_ALIGN_START);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->save), "audio.save");
  gtk_widget_set_visible (self->save, FALSE);
  gtk_box_append (GTK_BOX (box), self->words);
  gtk_box_append (GTK_BOX (box), self->wave);
  gtk_box_append (GTK_BOX (box), self->controls);
  gtk_box_append (GTK_BOX (box), self->problem);
  gtk_box_append (GTK_BOX (box), self->save);
}

GtkWidget *
sluice_audio_card_new (const char *title)
{
  return g_object_new (SLUICE_TYPE_AUDIO_CARD, "title", title, NULL);
}

static void
show_problem (SluiceAudioCard *self, const char *text)
{
  gtk_label_set_label (GTK_LABEL (self->problem), text != NULL ? text : "");
  gtk_widget_set_visible (self->problem, text != NULL);
  gtk_widget_set_visible (self->save, text != NULL);
  gtk_widget_set_visible (self->controls, text == NULL); /* buttons that would do nothing */
}

/* The player could not begin, or not go on. */
static void
error_cb (GtkMediaStream *stream, GParamSpec *pspec, SluiceAudioCard *self)
{
  const GError *error = gtk_media_stream_get_error (stream);
  g_autofree char *text =
      error != NULL ? g_strdup_printf (_ ("It cannot be played: %s"), error->message) : NULL;

  if (text != NULL)
    show_problem (self, text);
}

typedef struct
{
  SluiceAudioCard *card;
  GBytes *clip;
} Writing;

static void
written_cb (GObject *file, GAsyncResult *result, gpointer data)
{
  g_autofree Writing *writing = data;
  SluiceAudioCard *self = writing->card;
  g_autoptr (GError) error = NULL;

  if (!g_file_replace_contents_finish (G_FILE (file), result, NULL, &error))
    {
      g_autofree char *text = g_strdup_printf (_ ("It cannot be played: %s"), error->message);
      show_problem (self, text);
    }
  if (error != NULL || self->clip != writing->clip || gtk_widget_in_destruction (GTK_WIDGET (self)))
    g_file_delete (G_FILE (file), NULL, NULL);
  else
    {
      g_autoptr (GtkMediaStream) stream = gtk_media_file_new_for_file (G_FILE (file));

      drop_file (self);
      self->file = G_FILE (g_object_ref (file));
      g_signal_connect_object (stream, "notify::error", G_CALLBACK (error_cb), self, 0);
      gtk_media_controls_set_media_stream (GTK_MEDIA_CONTROLS (self->controls), stream);
      error_cb (stream, NULL, self);
    }
  g_bytes_unref (writing->clip);
  g_object_unref (self);
}

/* GTK's own stand-in where no player is installed. */
static gboolean
can_play (void)
{
  g_autoptr (GtkMediaStream) stream = gtk_media_file_new ();
  return !g_str_equal (G_OBJECT_TYPE_NAME (stream), "GtkNoMediaFile");
}

/* GTK's player takes files alone: given a stream, it ends the program. */
static void
set_clip (SluiceAudioCard *self, GBytes *clip)
{
  g_autoptr (GFileIOStream) made = NULL;
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;

  drop_file (self);
  if (!can_play ())
    {
      show_problem (self, _ ("It is not played here without the package "
                             "libgtk-4-media-gstreamer."));
      return;
    }
  show_problem (self, NULL);
  file = g_file_new_tmp ("sluice-XXXXXX.wav", &made, &error);
  if (file == NULL)
    {
      g_autofree char *text = g_strdup_printf (_ ("It cannot be played: %s"), error->message);
      show_problem (self, text);
      return;
    }
  Writing *writing = g_new (Writing, 1);
  *writing = (Writing){ g_object_ref (self), g_bytes_ref (clip) };
  g_file_replace_contents_bytes_async (file, clip, NULL, FALSE, G_FILE_CREATE_PRIVATE, NULL,
                                       written_cb, writing);
}

/* What is heard, to be seen; of a kind that is not known nothing. */
static void
set_waveform (SluiceAudioCard *self, GBytes *clip)
{
  g_autofree char *label = NULL;

  g_clear_pointer (&self->waveform, sluice_waveform_free);
  self->waveform = sluice_waveform_new (clip);
  gtk_widget_set_visible (self->wave, self->waveform != NULL);
  gtk_widget_queue_draw (self->wave);
  if (self->waveform == NULL)
    return;
  g_autofree char *peak =
      sluice_format_value (sluice_waveform_get_peak (self->waveform), SLUICE_UNIT_PERCENT);
  label = g_strdup_printf (_ ("Waveform, at most %s of full level"), peak);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->wave), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
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
  g_clear_pointer (&self->clip, g_bytes_unref);
  self->clip = g_bytes_ref (clip);
  set_waveform (self, clip);
  set_clip (self, clip);
}

const char *
sluice_audio_card_get_text (SluiceAudioCard *self)
{
  return gtk_label_get_label (GTK_LABEL (self->words));
}
