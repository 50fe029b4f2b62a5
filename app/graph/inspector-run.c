/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/graph/inspector-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/graph/node-words.h"
#include "app/launch/live-settings.h"
#include "app/runs/proof-box.h"
#include "app/runs/run-facts.h"
#include "app/runs/run-settings.h"
#include "app/status-text.h"
#include "engine/store/runs.h"
#include "ui/chart/ticks.h"
#include "ui/common/markdown.h"

/* A run: what it is, what it found, and which of its settings are its own. */

#define MOST_VALUES 12   /* series of which values are listed */
#define MOST_NOTES  4000 /* characters */

typedef struct
{
  const char *heading; /* (nullable): of the first row of a group */
  char *name, *value;
} Row;

static void
row_clear (gpointer data)
{
  Row *row = data;
  g_free (row->name);
  g_free (row->value);
}

static void
add_row (GArray *rows, const char **heading, const char *name, char *take)
{
  Row row = { *heading, g_strdup (name), take };
  *heading = NULL;
  g_array_append_val (rows, row);
}

/* "27.11.2026 12:31", as the locale writes dates in digits. */
static char *
time_words (double seconds)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local ((gint64) seconds);
  return time != NULL ? g_date_time_format (time, "%x %R") : g_strdup ("–");
}

static void
add_facts (SluiceInspector *self, GArray *rows)
{
  const SluiceRunInfo *info = sluice_run_get_info (self->run);
  const char *heading = self->tag != NULL && rows->len > 0 ? _ ("The run") : NULL;
  if (info->project != NULL && *info->project != '\0')
    add_row (rows, &heading, _ ("Project"), g_strdup (info->project));
  g_autofree char *step = sluice_format_step (info->step),
                  *n_steps = sluice_format_step (info->n_steps);
  add_row (rows, &heading, _ ("Step"),
           info->n_steps > 0 ? g_strdup_printf (_ ("%s of %s"), step, n_steps) : g_strdup (step));
  if (info->started > 0)
    add_row (rows, &heading, _ ("Started"), time_words (info->started));
  if (info->seconds > 0)
    add_row (rows, &heading, _ ("Duration"), sluice_words_duration (info->seconds * 1e6));
  add_row (rows, &heading, _ ("Seed"), g_strdup_printf ("%" G_GUINT64_FORMAT, info->seed));
}

static char *
value_at_step (double value, SluiceUnit unit, gint64 step)
{
  g_autofree char *shown = sluice_format_value (value, unit);
  g_autofree char *at = sluice_format_step (step);
  /* Translators: a value, the step that has it. */
  return g_strdup_printf (_ ("%s at step %s"), shown, at);
}

/* (nullable): the records of a card whose values are no numbers; images of a summary share one, and
 * have their steps in common. */
static GPtrArray *
find_records (SluiceRun *run, const char *tag)
{
  GPtrArray *all = sluice_run_get_series (run);
  for (guint i = 0; i < all->len; i++)
    {
      const SluiceRunSeries *series = all->pdata[i];
      const char *rest = g_str_has_prefix (series->tag, tag) ? series->tag + strlen (tag) : NULL;
      if (rest != NULL && (*rest == '\0' || g_str_has_prefix (rest, "/image"))
          && series->items->len > 0)
        return series->items;
    }
  return NULL;
}

static char *
step_words (const SluiceRecord *record)
{
  g_autofree char *step = sluice_format_step (record->step);
  return g_strdup_printf (_ ("step %s"), step);
}

static void
add_records (SluiceInspector *self, GArray *rows, const char *heading)
{
  GPtrArray *records = find_records (self->run, self->tag);
  if (records == NULL)
    {
      add_row (rows, &heading, _ ("Points"), g_strdup (_ ("none in this run")));
      return;
    }
  add_row (rows, &heading, _ ("First"), step_words (records->pdata[0]));
  add_row (rows, &heading, _ ("Last"), step_words (records->pdata[records->len - 1]));
  add_row (rows, &heading, _ ("Steps"), sluice_format_step (records->len));
}

/* Of the tag whose card was chosen. */
static void
add_tag (SluiceInspector *self, GArray *rows)
{
  const char *heading = self->tag;
  g_autoptr (SluiceTagFacts) facts =
      self->tag != NULL ? sluice_tag_facts_new (self->run, self->tag) : NULL;
  if (self->tag != NULL && facts == NULL)
    add_records (self, rows, heading);
  if (facts == NULL)
    return;
  if (facts->n_points > 0)
    {
      add_row (rows, &heading, _ ("First"),
               value_at_step (facts->first, facts->unit, facts->first_step));
      add_row (rows, &heading, _ ("Last"),
               value_at_step (facts->last, facts->unit, facts->last_step));
      if (isfinite (facts->best))
        add_row (rows, &heading, _ ("Best"),
                 value_at_step (facts->best, facts->unit, facts->best_step));
      add_row (rows, &heading, _ ("Least"), sluice_format_value (facts->least, facts->unit));
      add_row (rows, &heading, _ ("Greatest"), sluice_format_value (facts->greatest, facts->unit));
    }
  add_row (rows, &heading, _ ("Not finite"), sluice_format_step ((gint64) facts->n_non_finite));
  add_row (rows, &heading, _ ("Points"), sluice_format_step ((gint64) facts->n_points));
  if (facts->n_points > 1)
    add_row (rows, &heading, _ ("Over"), sluice_words_duration (facts->seconds * 1e6));
}

static double
best_of (const char *tag, const SluiceExtent *extent)
{
  SluiceBest better = sluice_tag_get_better (tag);
  return better == SLUICE_BEST_LEAST      ? extent->min
         : better == SLUICE_BEST_GREATEST ? extent->max
                                          : NAN;
}

static void
add_values (SluiceInspector *self, GArray *rows)
{
  const char *heading = _ ("Last values");
  GPtrArray *all = sluice_run_get_series (self->run);
  for (guint i = 0, n = 0; i < all->len && n < MOST_VALUES; i++)
    {
      const SluiceRunSeries *series = all->pdata[i];
      SluiceSeriesSample last;
      SluiceExtent extent;
      if (series->kind != SLUICE_SERIES_SCALAR || series->buffer == NULL)
        continue;
      SluiceSeriesSource *source = sluice_series_buffer_as_source (series->buffer);
      if (!sluice_series_source_lookup (source, SLUICE_X_STEP, INFINITY, &last))
        continue;
      sluice_series_source_get_extent (source, SLUICE_X_STEP, &extent);
      double best = best_of (series->tag, &extent);
      SluiceUnit unit = sluice_tag_unit (series->tag);
      g_autofree char *value = sluice_format_value (last.value, unit),
                      *best_value = sluice_format_value (best, unit);
      add_row (rows, &heading, series->tag,
               isfinite (best) && !g_str_equal (value, best_value)
                   ? g_strdup_printf (_ ("%s · best %s"), value, best_value)
                   : g_strdup (value));
      n++;
    }
}

/* ---- settings ---- */

/* Has one of the other runs of its project another value? */
static gboolean
is_its_own (SluiceInspector *self, const SluiceSetting *setting)
{
  const char *project = sluice_run_get_info (self->run)->project;
  for (guint i = 0; i < self->others->len; i++)
    {
      SluiceRun *other = self->others->pdata[i];
      if (other != self->run && g_strcmp0 (sluice_run_get_info (other)->project, project) == 0
          && !sluice_setting_is_same (setting, sluice_run_find_setting (other, setting->name)))
        return TRUE;
    }
  return FALSE;
}

static void
add_settings (SluiceInspector *self, GArray *rows)
{
  const char *heading = _ ("Settings of its own");
  GPtrArray *settings = sluice_run_get_settings (self->run);
  for (guint i = 0; i < settings->len; i++)
    {
      const SluiceSetting *setting = settings->pdata[i];
      if (is_its_own (self, setting))
        add_row (rows, &heading, setting->name, sluice_setting_format (setting));
    }
}

/* ---- what is shown ---- */

static GArray *
list_rows (SluiceInspector *self)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (rows, row_clear);
  add_tag (self, rows);
  add_facts (self, rows);
  add_values (self, rows);
  add_settings (self, rows);
  return rows;
}

/* What people have written of it. A label as long as a book would be laid out for seconds. */
static void
add_notes (SluiceInspector *self)
{
  const char *notes = sluice_run_get_info (self->run)->notes;
  g_free (self->run_notes);
  self->run_notes = g_strdup (notes);
  if (notes == NULL)
    return;
  g_autofree char *start = g_utf8_strlen (notes, -1) > MOST_NOTES
                               ? g_utf8_substring (notes, 0, MOST_NOTES)
                               : g_strdup (notes);
  g_autofree char *shown =
      strlen (start) < strlen (notes) ? g_strconcat (start, "…", NULL) : g_steal_pointer (&start);
  g_autofree char *markup = sluice_markdown_to_markup (shown);
  sluice_inspector_rows_begin (&self->rows, _ ("Notes"), TRUE);
  GtkLabel *label = sluice_inspector_rows_add_words (&self->rows, shown);
  gtk_label_set_markup (label, markup);
}

/* ---- what can be changed while it works ---- */

static gboolean
is_at_work (SluiceInspector *self)
{
  SluiceRunState state = sluice_run_get_info (self->run)->state;
  return state == SLUICE_RUN_RUNNING || state == SLUICE_RUN_PAUSED;
}

static void
add_live_settings (SluiceInspector *self)
{
  SluiceStore *store =
      self->workspace != NULL ? sluice_workspace_get_store (self->workspace) : NULL;
  const SluiceRunInfo *info = sluice_run_get_info (self->run);
  if (store == NULL || !is_at_work (self))
    return;
  g_set_weak_pointer (
      &self->live_settings,
      sluice_live_settings_new (store, info->id, MAX (info->step, self->live_step)));
  sluice_inspector_rows_begin (&self->rows, _ ("While it runs"), TRUE);
  sluice_inspector_rows_add_widget (&self->rows, self->live_settings);
}

/* ---- whether it can be made again ---- */

/* What was imported has no project. */
static gboolean
can_be_proved (SluiceInspector *self)
{
  const SluiceRunInfo *info = sluice_run_get_info (self->run);
  return self->workspace != NULL && sluice_workspace_get_store (self->workspace) != NULL
         && !is_at_work (self) && info->state != SLUICE_RUN_DRAFT
         && info->state != SLUICE_RUN_WAITING && info->step > 0 && info->graph_hash != NULL;
}

static void
add_proof (SluiceInspector *self)
{
  if (!can_be_proved (self))
    return;
  g_set_weak_pointer (&self->proof_box,
                      sluice_proof_box_new (sluice_workspace_get_store (self->workspace),
                                            sluice_run_get_info (self->run)->id));
  sluice_inspector_rows_begin (&self->rows, _ ("Made again"), TRUE);
  sluice_inspector_rows_add_widget (&self->rows, self->proof_box);
}

void
sluice_inspector_set_workspace (SluiceInspector *self, SluiceWorkspace *workspace)
{
  g_set_object (&self->workspace, workspace);
}

static gboolean
has_same_names (SluiceInspector *self, GArray *rows)
{
  if ((self->live_settings != NULL) != is_at_work (self)
      || (self->proof_box != NULL) != can_be_proved (self))
    return FALSE;
  if (g_strcmp0 (self->run_notes, sluice_run_get_info (self->run)->notes) != 0)
    return FALSE;
  if (self->run_labels == NULL || self->run_labels->len != rows->len)
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);
      GtkWidget *value = self->run_labels->pdata[i], *name = gtk_widget_get_prev_sibling (value);
      gboolean is_same_group = i == 0 /* the tag, which is */
                               || g_object_get_data (G_OBJECT (value), "heading") == row->heading;
      if (!is_same_group || strcmp (gtk_label_get_label (GTK_LABEL (name)), row->name) != 0)
        return FALSE;
    }
  return TRUE;
}

/* Why a rule ended it well is no error. */
static void
show_heading (SluiceInspector *self)
{
  const SluiceRunInfo *info = sluice_run_get_info (self->run);
  g_autofree char *status = NULL;
  g_object_get (self->run, "status", &status, NULL);
  sluice_inspector_set_heading (self, info->name, status,
                                info->state != SLUICE_RUN_DRAFT ? info->message : NULL);
  if (info->state == SLUICE_RUN_FINISHED)
    gtk_widget_remove_css_class (GTK_WIDGET (self->error), "error");
}

void
sluice_inspector_add_run (SluiceInspector *self)
{
  if (self->run == NULL)
    {
      sluice_inspector_set_heading (
          self, _ ("No run"), _ ("Start one, or check one in the list, to see what it found."),
          NULL);
      return;
    }
  show_heading (self);
  g_autoptr (GArray) rows = list_rows (self);
  g_clear_pointer (&self->run_labels, g_ptr_array_unref);
  self->run_labels = g_ptr_array_new ();
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);
      if (row->heading != NULL)
        sluice_inspector_rows_begin (&self->rows, row->heading, TRUE);
      GtkLabel *value = sluice_inspector_rows_add (&self->rows, row->name, row->value);
      g_object_set_data (G_OBJECT (value), "heading", (gpointer) row->heading);
      g_ptr_array_add (self->run_labels, value);
    }
  add_live_settings (self);
  add_notes (self);
  add_proof (self);
}

gboolean
sluice_inspector_renew_run (SluiceInspector *self)
{
  g_autoptr (GArray) rows = list_rows (self);
  if (!has_same_names (self, rows))
    return FALSE;
  show_heading (self);
  for (guint i = 0; i < rows->len; i++)
    sluice_inspector_rows_renew (&self->rows, self->run_labels->pdata[i],
                                 g_array_index (rows, Row, i).name,
                                 g_array_index (rows, Row, i).value);
  return TRUE;
}
