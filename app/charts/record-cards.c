/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/record-cards.h"

#include <glib/gi18n.h>

#include "engine/store/kinds/audio.h"
#include "engine/store/kinds/pr-curve.h"
#include "engine/store/kinds/tensor.h"
#include "ui/chart/audio-card.h"
#include "ui/chart/pr-card.h"
#include "ui/chart/text-card.h"
#include "ui/common/markdown.h"

#define MOST_ELEMENTS 1000 /* of a tensor as text; the text says that there are more */

/* (nullable): the newest, where the card has not it already. */
static gpointer
get_news (SluiceTagCard *self, SluiceRun *run)
{
  SluiceRunSeries *series = sluice_run_find_series (run, self->tag);
  SluiceTaken *taken = sluice_tag_card_ensure_taken (self, sluice_run_get_info (run)->id);
  if (series->items->len == 0
      || (taken->n_items == series->items->len && taken->restart == series->n_restarts
          && taken->dropped == series->n_dropped))
    return NULL;
  taken->n_items = series->items->len;
  taken->restart = series->n_restarts;
  taken->dropped = series->n_dropped;
  return series->items->pdata[series->items->len - 1];
}

static void
forget (SluiceTagCard *self, gint64 run)
{
  g_hash_table_remove (self->taken, &run);
}

/* ---- texts and tensors ---- */

static GtkWidget *
create_text (SluiceTagCard *self)
{
  return sluice_text_card_new (self->tag);
}

static void
take_text (SluiceTagCard *self, SluiceRun *run, gboolean front)
{
  const SluiceTensorRecord *record = get_news (self, run);
  if (record == NULL)
    return;
  const SluiceString *strings = record->tensor->data;
  g_autoptr (GString) text = g_string_new (NULL);
  for (gint64 i = 0; i < record->tensor->n_elements; i++)
    {
      g_autofree char *valid = g_utf8_make_valid (strings[i].data, (gssize) strings[i].length);
      g_string_append (text, i > 0 ? "\n\n" : "");
      g_string_append (text, valid);
    }
  g_autofree char *markup = sluice_markdown_to_markup (text->str);
  sluice_text_card_set_markup (SLUICE_TEXT_CARD (self->widget), record->base.step, markup);
}

static void
take_tensor (SluiceTagCard *self, SluiceRun *run, gboolean front)
{
  const SluiceTensorRecord *record = get_news (self, run);
  if (record == NULL)
    return;
  g_autofree char *text = sluice_tensor_to_string (record->tensor, MOST_ELEMENTS);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  sluice_text_card_set (SLUICE_TEXT_CARD (self->widget), record->base.step, valid);
}

static char *
dup_text (SluiceTagCard *self)
{
  return g_strdup (sluice_text_card_get_text (SLUICE_TEXT_CARD (self->widget)));
}

const SluiceTagCardKind sluice_tag_card_texts = {
  .name = N_ ("texts"),
  .create = create_text,
  .has = sluice_tag_card_has_series,
  .take = take_text,
  .hide = forget,
  .dup_text = dup_text,
};

const SluiceTagCardKind sluice_tag_card_tensors = {
  .name = N_ ("tensors"),
  .create = create_text,
  .has = sluice_tag_card_has_series,
  .take = take_tensor,
  .hide = forget,
  .dup_text = dup_text,
};

/* ---- audio ---- */

static GtkWidget *
create_audio (SluiceTagCard *self)
{
  return sluice_audio_card_new (self->tag);
}

static void
take_audio (SluiceTagCard *self, SluiceRun *run, gboolean front)
{
  const SluiceAudio *audio = get_news (self, run);
  if (audio != NULL)
    sluice_audio_card_set (SLUICE_AUDIO_CARD (self->widget), audio->base.step, audio->sample_rate,
                           audio->channels, audio->frames, audio->clip);
}

static char *
dup_audio_text (SluiceTagCard *self)
{
  return g_strdup (sluice_audio_card_get_text (SLUICE_AUDIO_CARD (self->widget)));
}

const SluiceTagCardKind sluice_tag_card_audio = {
  .name = N_ ("sound"),
  .create = create_audio,
  .has = sluice_tag_card_has_series,
  .take = take_audio,
  .hide = forget,
  .dup_text = dup_audio_text,
};

/* ---- precision and recall ---- */

static GtkWidget *
create_pr (SluiceTagCard *self)
{
  return sluice_pr_card_new (self->tag);
}

static void
take_pr (SluiceTagCard *self, SluiceRun *run, gboolean front)
{
  const SluicePrCurve *curve = get_news (self, run);
  const SluiceRunInfo *info = sluice_run_get_info (run);
  if (curve != NULL)
    sluice_pr_card_set_run (SLUICE_PR_CARD (self->widget), info->id, info->name,
                            sluice_run_get_color (run), curve->base.step, curve->n,
                            curve->values + SLUICE_PR_PRECISION * curve->n,
                            curve->values + SLUICE_PR_RECALL * curve->n);
}

static void
hide_pr (SluiceTagCard *self, gint64 run)
{
  const SluiceTaken *taken = g_hash_table_lookup (self->taken, &run);
  if (taken->n_items > 0)
    sluice_pr_card_remove_run (SLUICE_PR_CARD (self->widget), run);
  forget (self, run);
}

static char *
dup_pr_text (SluiceTagCard *self)
{
  return sluice_pr_card_dup_text (SLUICE_PR_CARD (self->widget));
}

const SluiceTagCardKind sluice_tag_card_pr_curves = {
  .name = N_ ("precision and recall"),
  .create = create_pr,
  .has = sluice_tag_card_has_series,
  .take = take_pr,
  .hide = hide_pr,
  .dup_text = dup_pr_text,
  .shares = TRUE,
};
