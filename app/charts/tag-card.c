/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/charts/tag-card.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/charts/record-cards.h"
#include "app/charts/scalar-cards.h"
#include "engine/store/kinds/event.h"
#include "engine/store/kinds/histogram.h"
#include "engine/store/kinds/image.h"
#include "ui/chart/histogram-card.h"
#include "ui/chart/image-card.h"
#include "ui/chart/text-card.h"
#include "ui/chart/ticks.h"

#define TEXT_ENDING ".txt"
#define MAX_SLOTS                                                                                  \
  4096 /* images of a summary in one card; a tag with a greater number stands alone */

static void
taken_free (gpointer data)
{
  g_clear_pointer (&((SluiceTaken *) data)->by_series, g_hash_table_unref);
  g_free (data);
}

SluiceTaken *
sluice_tag_card_ensure_taken (SluiceTagCard *self, gint64 run)
{
  SluiceTaken *taken = g_hash_table_lookup (self->taken, &run);
  if (taken == NULL)
    {
      taken = g_new0 (SluiceTaken, 1);
      g_hash_table_insert (self->taken, g_memdup2 (&run, sizeof run), taken);
    }
  return taken;
}

gboolean
sluice_tag_card_has_series (const SluiceTagCard *self, SluiceRun *run)
{
  SluiceRunSeries *series = sluice_run_find_series (run, self->tag);
  return series != NULL && sluice_tag_card_find_kind (series->kind) == self->kind;
}

/* ---- histograms and images ---- */

/* steps: (element-type gint64): borrowed from the items */
static void
add_steps (const SluiceRunSeries *series, GHashTable *steps)
{
  for (guint i = 0; i < series->items->len; i++)
    g_hash_table_add (steps, &((SluiceRecord *) series->items->pdata[i])->step);
}

/* What is still to be taken of the run: FALSE in @goes_on where the widget has to begin anew. */
static GPtrArray *
get_items (SluiceTagCard *self, SluiceRun *run, SluiceTaken **taken, gboolean *goes_on)
{
  SluiceRunSeries *series = sluice_run_find_series (run, self->tag);
  *taken = sluice_tag_card_ensure_taken (self, sluice_run_get_info (run)->id);
  *goes_on = (*taken)->n_items > 0 && (*taken)->restart == series->n_restarts;
  (*taken)->restart = series->n_restarts;
  if (!*goes_on)
    (*taken)->n_items = 0;
  return series->items;
}

static GtkWidget *
create_histograms (SluiceTagCard *self)
{
  return sluice_histogram_card_new (self->tag);
}

static void
take_histograms (SluiceTagCard *self, SluiceRun *run, gboolean front)
{
  SluiceHistogramChart *chart =
      sluice_histogram_card_get_chart (SLUICE_HISTOGRAM_CARD (self->widget));
  SluiceTaken *taken;
  gboolean goes_on;
  GPtrArray *items = get_items (self, run, &taken, &goes_on);
  const SluiceRunSeries *series = sluice_run_find_series (run, self->tag);
  const char *name = sluice_run_get_info (run)->name;
  if (taken->series == 0)
    taken->series = sluice_histogram_chart_add_run (chart, name, sluice_run_get_color (run));
  else if (!goes_on)
    sluice_histogram_chart_clear_run (chart, taken->series);
  else if (taken->dropped != series->n_dropped)
    {
      g_autoptr (GHashTable) steps = g_hash_table_new (g_int64_hash, g_int64_equal);
      add_steps (series, steps);
      sluice_histogram_chart_keep_steps (chart, taken->series, steps);
      taken->n_items = 0; /* those that the chart has take their own places */
    }
  taken->dropped = series->n_dropped;
  sluice_histogram_chart_set_run_style (chart, taken->series, name, sluice_run_get_color (run));
  if (front)
    sluice_histogram_chart_set_front (chart, taken->series);
  for (; taken->n_items < items->len; taken->n_items++)
    {
      SluiceHistogram *h = items->pdata[taken->n_items];
      sluice_histogram_chart_append_proto (chart, taken->series, h->base.step, h->min, h->max, h->n,
                                           h->limits, h->counts);
    }
}

static void
hide_histograms (SluiceTagCard *self, gint64 run)
{
  const SluiceTaken *taken = g_hash_table_lookup (self->taken, &run);
  sluice_histogram_chart_remove_run (
      sluice_histogram_card_get_chart (SLUICE_HISTOGRAM_CARD (self->widget)), taken->series);
  g_hash_table_remove (self->taken, &run);
}

static char *
dup_histograms_text (SluiceTagCard *self)
{
  return sluice_histogram_chart_dup_summary (
      sluice_histogram_card_get_chart (SLUICE_HISTOGRAM_CARD (self->widget)));
}

static GtkWidget *
create_images (SluiceTagCard *self)
{
  return sluice_image_card_new (self->tag);
}

/* As TensorFlow names the images of a summary: "digits/image/3" is the fourth of "digits". Others
 * stand alone: -1. */
static int
get_slot (const char *tag, gsize *name_length)
{
  static const char part[] = "/image";
  const char *found = g_strrstr (tag, part);
  const char *rest = found != NULL ? found + strlen (part) : "";
  char *end;
  *name_length = strlen (tag);
  if (found == NULL || found == tag || (*rest != '\0' && *rest != '/'))
    return -1;
  guint64 slot = *rest == '/' ? g_ascii_strtoull (rest + 1, &end, 10) : 0;
  if (*rest == '/' && (!g_ascii_isdigit (rest[1]) || *end != '\0' || slot >= MAX_SLOTS))
    return -1;
  *name_length = (gsize) (found - tag);
  return (int) slot;
}

static char *
dup_image_name (const char *tag)
{
  gsize length;
  get_slot (tag, &length);
  return g_strndup (tag, length);
}

/* (nullable): the next after the @i-th series of the run that the card shows. */
static SluiceRunSeries *
next_image_series (const SluiceTagCard *self, SluiceRun *run, guint *i)
{
  GPtrArray *all = sluice_run_get_images (run);
  while (*i < all->len)
    {
      SluiceRunSeries *series = all->pdata[(*i)++];
      gsize length;
      get_slot (series->tag, &length);
      if (strlen (self->tag) == length && strncmp (series->tag, self->tag, length) == 0)
        return series;
    }
  return NULL;
}

static gboolean
has_images (const SluiceTagCard *self, SluiceRun *run)
{
  guint i = 0;
  return next_image_series (self, run, &i) != NULL;
}

static void
take_images_of (SluiceTagCard *self, SluiceTaken *taken, SluiceRunSeries *series)
{
  gsize length;
  guint slot = (guint) MAX (0, get_slot (series->tag, &length));
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (taken->by_series, series));
  for (; n < series->items->len; n++)
    {
      SluiceStoredImage *image = series->items->pdata[n];
      sluice_image_card_append (SLUICE_IMAGE_CARD (self->widget), slot, image->base.step,
                                image->png, NULL);
    }
  g_hash_table_insert (taken->by_series, series, GUINT_TO_POINTER (n));
}

static void
take_images (SluiceTagCard *self, SluiceRun *run, gboolean front)
{
  SluiceTaken *taken = sluice_tag_card_ensure_taken (self, sluice_run_get_info (run)->id);
  SluiceRunSeries *series;
  guint64 restarts = 0, dropped = 0;
  for (guint i = 0; (series = next_image_series (self, run, &i)) != NULL;)
    {
      restarts += series->n_restarts;
      dropped += series->n_dropped;
    }
  if (taken->by_series == NULL || taken->restart != restarts)
    {
      sluice_image_card_clear (SLUICE_IMAGE_CARD (self->widget));
      g_clear_pointer (&taken->by_series, g_hash_table_unref);
      taken->by_series = g_hash_table_new (NULL, NULL);
    }
  if (taken->dropped != dropped)
    {
      g_autoptr (GHashTable) steps = g_hash_table_new (g_int64_hash, g_int64_equal);
      for (guint i = 0; (series = next_image_series (self, run, &i)) != NULL;)
        add_steps (series, steps);
      sluice_image_card_keep_steps (SLUICE_IMAGE_CARD (self->widget), steps);
      g_hash_table_remove_all (taken->by_series);
    }
  taken->restart = restarts;
  taken->dropped = dropped;
  for (guint i = 0; (series = next_image_series (self, run, &i)) != NULL;)
    take_images_of (self, taken, series);
}

static char *
dup_images_text (SluiceTagCard *self)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT,
                          sluice_image_card_get_step (SLUICE_IMAGE_CARD (self->widget)));
}

static void
hide_items (SluiceTagCard *self, gint64 run)
{
  g_hash_table_remove (self->taken, &run); /* what takes its place clears the widget */
}

/* ---- texts ---- */

static GtkWidget *
create_text (SluiceTagCard *self)
{
  g_autofree char *name = g_str_has_suffix (self->tag, TEXT_ENDING)
                              ? g_strndup (self->tag, strlen (self->tag) - strlen (TEXT_ENDING))
                              : g_strdup (self->tag);
  return sluice_text_card_new (name);
}

/* The newest of the run: (nullable). */
static const SluiceEvent *
find_text (const SluiceTagCard *self, SluiceRun *run)
{
  GPtrArray *events = sluice_run_get_events (run);
  for (guint i = events->len; i-- > 0;)
    {
      const SluiceEvent *event = events->pdata[i];
      if (strcmp (event->kind, SLUICE_EVENT_TEXT) == 0 && g_strcmp0 (event->text, self->tag) == 0)
        return event;
    }
  return NULL;
}

static gboolean
has_text (const SluiceTagCard *self, SluiceRun *run)
{
  return find_text (self, run) != NULL;
}

typedef struct
{
  SluiceTextCard *card;
  gint64 step;
} TextRead;

static void
text_read_cb (GObject *file, GAsyncResult *result, gpointer data)
{
  TextRead *read = data;
  g_autofree char *text = NULL;
  g_autofree char *valid = NULL;
  gsize length;
  /* A file that went with its run's folder leaves what is there; so does an older one. */
  if (g_file_load_contents_finish (G_FILE (file), result, &text, &length, NULL, NULL)
      && GPOINTER_TO_SIZE (g_object_get_data (G_OBJECT (read->card), "asked"))
             == GPOINTER_TO_SIZE (data))
    {
      valid = g_utf8_make_valid (text, (gssize) length);
      sluice_text_card_set (read->card, read->step, g_strchomp (valid));
    }
  g_object_unref (read->card);
  g_free (read);
}

static void
take_text (SluiceTagCard *self, SluiceRun *run, gboolean front)
{
  const SluiceEvent *event = find_text (self, run);
  gint64 id = sluice_run_get_info (run)->id;
  SluiceStore *store = sluice_workspace_get_store (self->workspace);
  if (store == NULL || (self->text_run == id && self->text_step == event->base.step))
    return;
  sluice_tag_card_ensure_taken (self, id);
  self->text_run = id;
  self->text_step = event->base.step;
  TextRead *read = g_new (TextRead, 1);
  *read = (TextRead){ g_object_ref (SLUICE_TEXT_CARD (self->widget)), event->base.step };
  g_object_set_data (G_OBJECT (self->widget), "asked", read); /* what is read last is shown */
  g_autofree char *folder = sluice_store_dup_run_folder (store, id);
  g_autofree char *path = g_build_filename (folder, event->text, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_file_load_contents_async (file, NULL, text_read_cb, read);
}

static char *
dup_text (SluiceTagCard *self)
{
  return g_strdup (sluice_text_card_get_text (SLUICE_TEXT_CARD (self->widget)));
}

/* ---- the kinds ---- */

static const SluiceTagCardKind histograms = {
  .name = N_ ("histograms"),
  .create = create_histograms,
  .has = sluice_tag_card_has_series,
  .take = take_histograms,
  .hide = hide_histograms,
  .dup_text = dup_histograms_text,
  .shares = TRUE,
};

static const SluiceTagCardKind images = {
  .name = N_ ("images"),
  .create = create_images,
  .has = has_images,
  .take = take_images,
  .hide = hide_items,
  .dup_text = dup_images_text,
  .dup_name = dup_image_name,
};

const SluiceTagCardKind sluice_tag_card_text = {
  .name = N_ ("texts"),
  .create = create_text,
  .has = has_text,
  .take = take_text,
  .hide = hide_items,
  .dup_text = dup_text,
};

const SluiceTagCardKind *
sluice_tag_card_find_kind (SluiceSeriesKind kind)
{
  switch (kind)
    {
    case SLUICE_SERIES_SCALAR:
      return &sluice_tag_card_scalars;
    case SLUICE_SERIES_HISTOGRAM:
      return &histograms;
    case SLUICE_SERIES_IMAGE:
      return &images;
    case SLUICE_SERIES_TEXT:
      return &sluice_tag_card_texts;
    case SLUICE_SERIES_TENSOR:
      return &sluice_tag_card_tensors;
    case SLUICE_SERIES_AUDIO:
      return &sluice_tag_card_audio;
    case SLUICE_SERIES_PR_CURVE:
      return &sluice_tag_card_pr_curves;
    default:
      return NULL;
    }
}

/* ---- a card ---- */

static int
get_rank (const SluiceTagCard *self)
{
  static const char *const first[] = { "loss", "accuracy", "evaluate/accuracy", "evaluate/loss" };
  for (guint i = 0; i < G_N_ELEMENTS (first); i++)
    if (strcmp (self->tag, first[i]) == 0)
      return (int) i;
  if (self->kind->least_runs > 1)
    return 30; /* of all runs */
  if (g_str_has_suffix (self->tag, "/weights"))
    return 40;
  return g_str_has_prefix (self->tag, "system/") ? 100 : 50;
}

SluiceTagCard *
sluice_tag_card_new (SluiceWorkspace *workspace,
                     const SluiceTagCardKind *kind,
                     const char *tag,
                     const SluiceChartChoice *choice)
{
  SluiceTagCard *self = g_new0 (SluiceTagCard, 1);
  self->choice = choice;
  self->y0 = self->y1 = NAN;
  self->kind = kind;
  self->tag = g_strdup (tag);
  self->rank = get_rank (self);
  self->workspace = g_object_ref (workspace);
  self->means = g_hash_table_new (NULL, NULL);
  self->others = g_ptr_array_new_with_free_func (g_free);
  self->taken = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, taken_free);
  return self;
}

void
sluice_tag_card_free (gpointer card)
{
  SluiceTagCard *self = card;
  g_free (self->tag);
  g_object_unref (self->workspace);
  g_hash_table_unref (self->taken);
  g_hash_table_unref (self->means);
  g_ptr_array_unref (self->others);
  g_free (self);
}

gboolean
sluice_tag_card_is_there (const SluiceTagCard *self)
{
  return self->n_runs >= MAX (1, self->kind->least_runs);
}

gboolean
sluice_tag_card_is_scalar (const SluiceTagCard *self)
{
  return self->kind == &sluice_tag_card_scalars;
}

static char *
dup_title (const SluiceTagCard *self)
{
  return g_strdup (*self->tag != '\0' ? self->tag : _ ("(no name)"));
}

void
sluice_tag_card_begin_anew (SluiceTagCard *self)
{
  g_autoptr (GList) ids = g_hash_table_get_keys (self->taken);
  g_autofree char *name = dup_title (self);
  g_autoptr (GString) title = g_string_new (name);
  for (GList *link = ids; link != NULL && self->widget != NULL; link = link->next)
    {
      gint64 id = *(gint64 *) link->data;
      self->kind->hide (self, id);
    }
  for (guint i = 0; i < self->others->len; i++)
    g_string_append_printf (title, " + %s", (const char *) self->others->pdata[i]);
  if (self->widget != NULL)
    sluice_card_set_title (SLUICE_CARD (self->widget), title->str);
}

void
sluice_tag_card_join (SluiceTagCard *self, const char *tag)
{
  g_assert (sluice_tag_card_is_scalar (self));
  if (strcmp (tag, self->tag) == 0
      || g_ptr_array_find_with_equal_func (self->others, tag, g_str_equal, NULL))
    return;
  g_ptr_array_add (self->others, g_strdup (tag));
  sluice_tag_card_begin_anew (self);
}

void
sluice_tag_card_split (SluiceTagCard *self)
{
  g_ptr_array_set_size (self->others, 0);
  sluice_tag_card_begin_anew (self);
}

GtkWidget *
sluice_tag_card_create (SluiceTagCard *self)
{
  self->widget = self->kind->create (self);
  if (self->others->len > 0 || *self->tag == '\0')
    sluice_tag_card_begin_anew (self); /* for its title */
  return self->widget;
}

/* Rows of runs and the horizontal axis of other cards need some whether they are here or not. */
static void
want_series (SluiceTagCard *self, SluiceRunSeries *series, gboolean wanted)
{
  if (series != NULL)
    sluice_workspace_want (self->workspace, series,
                           wanted || sluice_run_row_shows (series->tag)
                               || g_strcmp0 (series->tag, self->choice->x_tag) == 0);
}

static void
want (SluiceTagCard *self, SluiceRun *run, gboolean wanted)
{
  SluiceRunSeries *image;
  for (guint i = 0; i < self->others->len; i++)
    want_series (self, sluice_run_find_series (run, self->others->pdata[i]), wanted);
  for (guint i = 0; self->kind == &images && (image = next_image_series (self, run, &i)) != NULL;)
    sluice_workspace_want (self->workspace, image, wanted);
  want_series (self, sluice_run_find_series (run, self->tag), wanted);
}

void
sluice_tag_card_drop (SluiceTagCard *self)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      want (self, run, FALSE);
    }
  g_hash_table_remove_all (self->taken);
  g_hash_table_remove_all (self->means);
  self->text_run = 0;
  self->widget = self->former = NULL;
}

/* Which run it shows, where it shows one: that in front, or the newest. */
static SluiceRun *
dup_foremost (SluiceTagCard *self, SluiceRun *front)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  if (front != NULL && self->kind->has (self, front))
    return g_object_ref (front);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      if (sluice_run_get_shown (run) && self->kind->has (self, run))
        return g_steal_pointer (&run);
    }
  return NULL;
}

/* Curves have the colour that they are made with. */
static gboolean
has_other_color (SluiceTagCard *self, SluiceRun *run)
{
  const SluiceTaken *taken = g_hash_table_lookup (self->taken, &sluice_run_get_info (run)->id);
  SluiceColor color = sluice_run_get_color (run);
  return memcmp (&taken->color, &color, sizeof color) != 0;
}

/* Runs that are shown no more, or left the list, or are to be taken anew. */
static void
hide_others (SluiceTagCard *self, SluiceRun *only)
{
  g_autoptr (GList) ids = g_hash_table_get_keys (self->taken);
  for (GList *link = ids; link != NULL; link = link->next)
    {
      gint64 id = *(gint64 *) link->data;
      g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self->workspace, id);
      if (run == NULL || !sluice_run_get_shown (run) || (only != NULL && run != only)
          || !self->kind->has (self, run) || has_other_color (self, run))
        self->kind->hide (self, id);
    }
}

/* A word beside the card's buttons, where its last value is none of the attempt that goes on. */
static void
tell_former (SluiceTagCard *self, SluiceRun *run)
{
  guint i = 0;
  SluiceRunSeries *series = run != NULL ? sluice_run_find_series (run, self->tag) : NULL;
  gint64 last, from;
  if (series == NULL && run != NULL && self->kind == &images)
    series = next_image_series (self, run, &i);
  gboolean tells = series != NULL && sluice_run_has_former (run, series, &last, &from);
  if (tells && self->former == NULL)
    {
      self->former = gtk_label_new (_ ("former attempt"));
      gtk_widget_set_visible (self->former, FALSE);
      gtk_widget_add_css_class (self->former, "caption");
      gtk_widget_add_css_class (self->former, "dim-label");
      sluice_card_add_tool (SLUICE_CARD (self->widget), self->former);
    }
  if (self->former == NULL)
    return;
  if (tells != gtk_widget_get_visible (self->former))
    sluice_card_forget_picture (SLUICE_CARD (self->widget)); /* its title's room */
  gtk_widget_set_visible (self->former, tells);
  if (!tells)
    return;
  g_autofree char *step = sluice_format_step (last);
  g_autofree char *again = sluice_format_step (from);
  g_autofree char *words =
      /* Translators: both are steps. */
      g_strdup_printf (_ ("What is shown of step %s is from before the run went on at step %s, and "
                          "stands until it is there again"),
                       step, again);
  gtk_widget_set_tooltip_text (self->former, words);
}

void
sluice_tag_card_update (SluiceTagCard *self, SluiceRun *front)
{
  GListModel *runs = sluice_workspace_get_runs (self->workspace);
  if (self->widget == NULL)
    return;
  g_autoptr (SluiceRun) only = self->kind->shares ? NULL : dup_foremost (self, front);
  hide_others (self, only);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SluiceRun) run = g_list_model_get_item (runs, i);
      gboolean shows = sluice_run_get_shown (run) && (self->kind->shares || run == only)
                       && self->kind->has (self, run);
      want (self, run, shows);
      if (!shows)
        continue;
      self->kind->take (self, run, run == front);
      SluiceTaken *taken = g_hash_table_lookup (self->taken, &sluice_run_get_info (run)->id);
      if (taken != NULL)
        taken->color = sluice_run_get_color (run);
    }
  if (self->kind->taken != NULL)
    self->kind->taken (self);
  g_autoptr (SluiceRun) foremost = dup_foremost (self, front);
  tell_former (self, foremost);
}

void
sluice_tag_card_mark (SluiceTagCard *self, gint64 run)
{
  if (self->widget != NULL && self->kind->mark != NULL)
    self->kind->mark (self, run);
}

char *
sluice_tag_card_dup_text (SluiceTagCard *self)
{
  return self->widget != NULL ? self->kind->dup_text (self) : g_strdup ("");
}

/* Digits by their value, all else by byte: "layer2" before "layer10". */
static int
compare_natural (const char *a, const char *b)
{
  for (;;)
    {
      gsize i = 0;
      while (a[i] == b[i] && a[i] != '\0')
        i++;
      gsize number = i; /* that they differ in, from its first digit on */
      while (number > 0 && g_ascii_isdigit (a[number - 1]))
        number--;
      if (!g_ascii_isdigit (a[number]) || !g_ascii_isdigit (b[number]))
        return (guchar) a[i] - (guchar) b[i];
      char *a_end, *b_end;
      guint64 x = g_ascii_strtoull (a + number, &a_end, 10),
              y = g_ascii_strtoull (b + number, &b_end, 10);
      if (x != y)
        return x < y ? -1 : 1;
      a = a_end;
      b = b_end;
    }
}

int
sluice_tag_card_compare (const SluiceTagCard *a, const SluiceTagCard *b)
{
  int order = a->rank - b->rank;
  if (order == 0)
    order = compare_natural (a->tag, b->tag);
  return order != 0 ? order : strcmp (a->tag, b->tag);
}
