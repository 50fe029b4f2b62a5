/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/store/export.h"

static char *workspace_option, *run_name, *tag_pattern, *kind_name, *from_text, *to_text;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace_option,
    N_ ("Folder of the runs (the data folder of the user)"), N_ ("DIR") },
  { "run", 0, 0, G_OPTION_ARG_STRING, &run_name, N_ ("Only of this run"), N_ ("NAME") },
  { "tag", 0, 0, G_OPTION_ARG_STRING, &tag_pattern,
    N_ ("Only series in whose tag this regular expression is found"), N_ ("REGEX") },
  { "kind", 0, 0, G_OPTION_ARG_STRING, &kind_name,
    N_ ("Only series of one kind: scalar, histogram, image, audio, text, tensor, pr-curve, "
        "hparams, graph, run-metadata or event"),
    N_ ("KIND") },
  { "from", 0, 0, G_OPTION_ARG_STRING, &from_text, N_ ("From this step on"), N_ ("STEP") },
  { "to", 0, 0, G_OPTION_ARG_STRING, &to_text, N_ ("Up to this step, included"), N_ ("STEP") },
  G_OPTION_ENTRY_NULL,
};

typedef struct
{
  GRegex *tag;            /* (nullable) */
  const SluiceKind *kind; /* (nullable) */
  SluiceStepRange range;
} Selection;

static void
selection_clear (Selection *self)
{
  g_clear_pointer (&self->tag, g_regex_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Selection, selection_clear)

static gboolean
parse_step (const char *option, const char *text, gint64 *step, GError **error)
{
  char *end;
  if (text == NULL)
    return TRUE;
  *step = g_ascii_strtoll (text, &end, 10);
  if (end != text && *end == '\0')
    return TRUE;
  sluice_cli_usage (error, _ ("%s wants a step, a whole number, not '%s'"), option, text);
  return FALSE;
}

/* FALSE: the command line is wrong. */
static gboolean
parse_selection (Selection *self, GError **error)
{
  g_autoptr (GError) wrong = NULL;
  self->range = (SluiceStepRange){ G_MININT64, G_MAXINT64 };
  if (!parse_step ("--from", from_text, &self->range.from, error)
      || !parse_step ("--to", to_text, &self->range.to, error))
    return FALSE;
  if (kind_name != NULL && (self->kind = sluice_kind_find (kind_name)) == NULL)
    {
      g_autofree const char **names = sluice_kind_list_names ();
      g_autofree char *list = g_strjoinv (", ", (char **) names);
      sluice_cli_usage (error, _ ("there is no kind '%s': it is one of %s"), kind_name, list);
      return FALSE;
    }
  if (tag_pattern != NULL && (self->tag = g_regex_new (tag_pattern, 0, 0, &wrong)) == NULL)
    {
      sluice_cli_usage (error, _ ("--tag: %s"), wrong->message);
      return FALSE;
    }
  return TRUE;
}

static gboolean
is_selected (const Selection *self, const SluiceSeriesInfo *series)
{
  return (self->kind == NULL || sluice_kind_get_number (self->kind) == series->kind)
         && (self->tag == NULL || g_regex_match (self->tag, series->tag, 0, NULL));
}

typedef struct
{
  const char *run;
  const SluiceSeriesInfo *series;
} Line;

/* Columns that a pipe can cut: run, tag, kind, step, value. */
static gboolean
print_record (const SluiceRecord *record, gpointer data, GError **error)
{
  const Line *line = data;
  g_autofree char *value = sluice_record_dup_json (record);
  printf ("%s\t%s\t%s\t%" G_GINT64_FORMAT "\t%s\n", line->run, line->series->tag,
          sluice_kind_get_name (record->kind), record->step, value);
  return !ferror (stdout) || sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "cannot write");
}

static gboolean
print_series (SluiceStore *store,
              const char *run,
              const SluiceSeriesInfo *series,
              const Selection *selection,
              GError **error)
{
  Line line = { run, series };
  if (!sluice_cli_json)
    return sluice_store_each_record (store, series, &selection->range, print_record, &line, error);
  guint64 n;
  g_autofree char *json =
      sluice_store_dup_series_json (store, run, series, &selection->range, &n, error);
  if (json != NULL && n > 0)
    sluice_cli_print_json_text (json);
  return json != NULL;
}

static gboolean
print_run (SluiceStore *store, const SluiceRunInfo *run, const Selection *selection, GError **error)
{
  g_autoptr (GPtrArray) series = sluice_store_dup_series (store, run->id, error);
  gboolean ok = series != NULL;
  for (guint i = 0; ok && i < series->len; i++)
    if (is_selected (selection, series->pdata[i]))
      ok = print_series (store, run->name, series->pdata[i], selection, error);
  return ok;
}

static int
show_log (char **arguments, GError **error)
{
  g_auto (Selection) selection = { 0 };
  if (arguments[0] != NULL)
    return sluice_cli_usage (error, _ ("'%s' is no option; runs are named with --run"),
                             arguments[0]);
  if (!parse_selection (&selection, error))
    return EXIT_USAGE;
  g_autofree char *workspace = sluice_cli_dup_workspace (workspace_option);
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (workspace, error);
  if (store == NULL)
    return EXIT_FAILED;
  if (run_name != NULL)
    {
      g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (store, run_name, error);
      return run != NULL && print_run (store, run, &selection, error) ? EXIT_OK : EXIT_FAILED;
    }
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, error);
  gboolean ok = runs != NULL;
  for (guint i = ok ? runs->len : 0; ok && i-- > 0;) /* oldest first */
    ok = print_run (store, runs->pdata[i], &selection, error);
  return ok ? EXIT_OK : EXIT_FAILED;
}

const Verb sluice_verb_log = {
  .name = "log",
  .arguments = "",
  .summary = N_ ("Print what runs have recorded"),
  .details =
      N_ ("A line a record: run, tag, kind, step and value, with a tab between; values are "
          "JSON. With --json an object a series, in one line: run, tag, kind, n, steps, "
          "wall_times (seconds since 1970) and values. Numbers that are not finite are the "
          "strings \"NaN\", \"Infinity\" and \"-Infinity\". Pictures, clips and messages are "
          "told by their SHA-256 and bytes: `sluice export` writes them."),
  .json = "{\"run\": \"string\", \"tag\": \"string\", \"kind\": \"string\", \"n\": \"int\", "
          "\"steps\": [\"int\"], \"wall_times\": [\"number\"], \"values\": [\"value\"]}",
  .options = options,
  .run = show_log,
};
