/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "app/cli/runs-diff.h"
#include "app/cli/runs-empty.h"
#include "app/cli/runs-importance.h"
#include "app/cli/which-matters.h"
#include "engine/base/text.h"
#include "engine/store/run-filter.h"
#include "engine/store/runs.h"
#include "engine/train/run-file.h"
#include "engine/train/run-variant.h"

static char *workspace, *filter, *result_tag;
static gboolean trash, which_matters;
static gint64 n_steps = 200, older_days, larger_mb;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "filter", 0, 0, G_OPTION_ARG_STRING, &filter,
    N_ ("Only runs that match, as 'lr<0.1 tag:lenet state:failed \"words\"'"), N_ ("TEXT") },
  { "trash", 0, 0, G_OPTION_ARG_NONE, &trash, N_ ("List the runs in the trash"), NULL },
  { "which-matters", 0, 0, G_OPTION_ARG_NONE, &which_matters,
    N_ ("With diff of two: short runs with one difference at a time tell what each does to the "
        "loss"),
    NULL },
  { "steps", 0, 0, G_OPTION_ARG_INT64, &n_steps, N_ ("Of each of these short runs (200)"),
    N_ ("N") },
  { "result", 0, 0, G_OPTION_ARG_STRING, &result_tag,
    N_ ("With importance: what the runs are told apart by (their evaluation, else the loss)"),
    N_ ("TAG") },
  { "older", 0, 0, G_OPTION_ARG_INT64, &older_days,
    N_ ("With empty: runs that are in the trash for more days than this"), N_ ("DAYS") },
  { "larger", 0, 0, G_OPTION_ARG_INT64, &larger_mb,
    N_ ("With empty: the oldest, until the trash takes no more megabytes than this"), N_ ("MB") },
  G_OPTION_ENTRY_NULL,
};

/* ---- a run, printed ---- */

/* Those that tell most: the loss, and what was evaluated. */
static void
append_results (GString *line, const SluiceRunEntry *row)
{
  for (guint i = 0; i < row->results->len; i++)
    {
      const SluiceRunResult *result = row->results->pdata[i];
      if (strcmp (result->tag, "loss") == 0 || g_str_has_prefix (result->tag, "evaluate/"))
        g_string_append_printf (line, "  %s %.4g", result->tag, result->last);
    }
}

static void
print_text (const SluiceRunEntry *row)
{
  const SluiceRunInfo *info = row->info;
  g_autoptr (GString) line = g_string_new (NULL);
  g_string_append_printf (line, "%s %4" G_GINT64_FORMAT " %-24s %-9s %" G_GINT64_FORMAT,
                          info->is_starred ? "*" : " ", info->id, info->name,
                          _ (sluice_run_state_name (info->state)), info->step);
  if (info->n_steps > 0)
    g_string_append_printf (line, "/%" G_GINT64_FORMAT, info->n_steps);
  append_results (line, row);
  for (guint i = 0; info->tags != NULL && info->tags[i] != NULL; i++)
    g_string_append_printf (line, "  +%s", info->tags[i]);
  if (info->group != NULL)
    g_string_append_printf (line, "  (%s)", info->group);
  g_autofree char *safe = sluice_text_escape (line->str);
  printf ("%s\n", safe);
}

/* The rows that a filter (nullable) lets through; of all of them, or of those whose number is in
 * only (nullable). */
static gboolean
print_rows (SluiceStore *store,
            gboolean of_trash,
            const SluiceRunFilter *wanted,
            GHashTable *only,
            GError **error)
{
  g_autoptr (GPtrArray) rows = sluice_store_read_run_entries (store, of_trash, error);
  if (rows == NULL)
    return FALSE;
  g_autoptr (GHashTable) names = sluice_run_entries_map_names (rows);
  for (guint i = 0; i < rows->len; i++)
    {
      const SluiceRunEntry *row = rows->pdata[i];
      if ((wanted != NULL && !sluice_run_filter_matches (wanted, row))
          || (only != NULL && !g_hash_table_contains (only, &row->info->id)))
        continue;
      if (sluice_cli_json)
        sluice_cli_print_variant (sluice_run_entry_to_variant (store, row, names));
      else
        print_text (row);
    }
  return TRUE;
}

/* ---- what is said of a run ---- */

/* Changes one run by the words that follow its name. */
typedef gboolean (*ChangeFunc) (SluiceStore *store,
                                const SluiceRunInfo *run,
                                char **words,
                                GError **error);

static gboolean
rename_run (SluiceStore *store, const SluiceRunInfo *run, char **words, GError **error)
{
  return sluice_store_set_run_name (store, run->id, words[0], error);
}

static gboolean
tag_run (SluiceStore *store, const SluiceRunInfo *run, char **words, GError **error)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '+' && words[i][0] != '-')
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "'%s': write +TAG to give a tag and -TAG to take it away", words[i]);
  for (guint i = 0; words[i] != NULL; i++)
    if (!sluice_store_set_run_tag (store, run->id, words[i] + 1, words[i][0] == '+', error))
      return FALSE;
  return TRUE;
}

/* "-": what standard input has. */
static gboolean
note_run (SluiceStore *store, const SluiceRunInfo *run, char **words, GError **error)
{
  if (strcmp (words[0], "-") != 0)
    return sluice_store_set_run_notes (store, run->id, words[0], error);
  g_autoptr (GString) text = g_string_new (NULL);
  char part[4096];
  size_t n;
  while (text->len <= SLUICE_RUN_MAX_NOTES && (n = fread (part, 1, sizeof part, stdin)) > 0)
    g_string_append_len (text, part, (gssize) n);
  if (memchr (text->str, '\0', text->len) != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "notes must be UTF-8 text");
  return sluice_store_set_run_notes (store, run->id, text->str, error);
}

static gboolean
star_run (SluiceStore *store, const SluiceRunInfo *run, char **words, GError **error)
{
  gboolean on = strcmp (words[0], "on") == 0;
  if (!on && strcmp (words[0], "off") != 0)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s': must be on or off", words[0]);
  return sluice_store_set_run_starred (store, run->id, on, error);
}

static gboolean
color_run (SluiceStore *store, const SluiceRunInfo *run, char **words, GError **error)
{
  const char *color = strcmp (words[0], "none") != 0 ? words[0] : NULL;
  return sluice_store_set_run_color (store, run->id, color, error);
}

/* A run that somebody trains stays: its trainer would write on into what is in the trash. */
static gboolean
delete_run (SluiceStore *store, const SluiceRunInfo *run, char **words, GError **error)
{
  if (run->state == SLUICE_RUN_RUNNING || run->state == SLUICE_RUN_PAUSED)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "run '%s' is being trained; stop it first", run->name);
  return sluice_store_delete_run (store, run->id, error);
}

static gboolean
restore_run (SluiceStore *store, const SluiceRunInfo *run, char **words, GError **error)
{
  return sluice_store_restore_run (store, run->id, error);
}

typedef struct
{
  const char *name;
  ChangeFunc change;
  gboolean takes_runs; /* any number of them; else one, and words */
  gboolean of_trash;   /* runs that are in it; what is deleted is there afterwards */
  guint least_words, most_words;
} Subverb;

static const Subverb subverbs[] = {
  { "rename", rename_run, FALSE, FALSE, 1, 1 }, { "tag", tag_run, FALSE, FALSE, 1, 1000 },
  { "note", note_run, FALSE, FALSE, 1, 1 },     { "star", star_run, FALSE, FALSE, 1, 1 },
  { "color", color_run, FALSE, FALSE, 1, 1 },   { "delete", delete_run, TRUE, FALSE, 0, 0 },
  { "restore", restore_run, TRUE, TRUE, 0, 0 },
};

static SluiceRunInfo *
dup_run (SluiceStore *store, gboolean of_trash, const char *name, GError **error)
{
  return of_trash ? sluice_store_dup_deleted_run (store, name, error)
                  : sluice_store_dup_run (store, name, error);
}

/* (transfer full) (nullable) (element-type SluiceRunInfo): all of them, or none. */
static GPtrArray *
find_runs (SluiceStore *store, const Subverb *subverb, char **names, GError **error)
{
  g_autoptr (GPtrArray) runs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  guint n = subverb->takes_runs ? g_strv_length (names) : 1;
  for (guint i = 0; i < n; i++)
    {
      SluiceRunInfo *run = dup_run (store, subverb->of_trash, names[i], error);
      if (run == NULL)
        return NULL;
      g_ptr_array_add (runs, run);
    }
  return g_steal_pointer (&runs);
}

static gboolean
change_runs (SluiceStore *store, const Subverb *subverb, char **arguments, GError **error)
{
  g_autoptr (GHashTable) changed = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GPtrArray) runs = find_runs (store, subverb, arguments, error);
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    {
      SluiceRunInfo *run = runs->pdata[i];
      g_autofree char *id = g_strdup_printf ("#%" G_GINT64_FORMAT, run->id);
      if (!subverb->change (store, run, arguments + 1, error))
        return FALSE;
      g_autoptr (SluiceRunInfo) now = dup_run (store, subverb->change == delete_run, id, error);
      if (now == NULL || !sluice_run_file_update (store, now, error))
        return FALSE;
      g_hash_table_add (changed, &run->id);
    }
  return runs != NULL && print_rows (store, subverb->change == delete_run, NULL, changed, error);
}

/* ---- the verb ---- */

static int
tell_importance (const char *folder, char **names, GError **error)
{
  g_autoptr (SluiceRunFilter) wanted = NULL;
  if (names[0] != NULL)
    return sluice_cli_usage (error, _ ("'importance': --filter says of which runs"));
  if (filter != NULL && (wanted = sluice_run_filter_new (filter, error)) == NULL)
    return EXIT_USAGE;
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (folder, error);
  return store != NULL && sluice_cli_print_importance (store, wanted, result_tag, error)
             ? EXIT_OK
             : EXIT_FAILED;
}

static int
list_runs (const char *folder, GError **error)
{
  g_autoptr (SluiceRunFilter) wanted = NULL;
  if (filter != NULL && (wanted = sluice_run_filter_new (filter, error)) == NULL)
    return EXIT_USAGE;
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (folder, error);
  if (store == NULL)
    return EXIT_FAILED;
  sluice_cli_tell_lost_runs (store);
  return print_rows (store, trash, wanted, NULL, error) ? EXIT_OK : EXIT_FAILED;
}

static int
diff_runs (const char *folder, char **names, GError **error)
{
  guint n = g_strv_length (names);
  if (n < 2 || (which_matters && n > 2))
    return sluice_cli_usage (error, which_matters ? _ ("--which-matters: give two RUNs")
                                                  : _ ("'diff': give two RUNs or more"));
  if (!sluice_cli_check_count ("--steps", n_steps, 1, G_MAXINT32, error))
    return EXIT_USAGE;
  g_autoptr (SluiceStore) store = which_matters ? sluice_cli_open_workspace (folder, TRUE, error)
                                                : sluice_cli_open_to_read (folder, error);
  if (store != NULL && which_matters)
    return sluice_cli_print_which_matters (store, names, n_steps, error);
  return store != NULL && sluice_cli_print_runs_diff (store, names, error) ? EXIT_OK : EXIT_FAILED;
}

static int
empty_trash (const char *folder, char **names, GError **error)
{
  const SluiceTrashLimits limits = { 86400.0 * (double) older_days,
                                     (guint64) larger_mb * 1000 * 1000 };
  gboolean by_limit = older_days > 0 || larger_mb > 0;
  if (!sluice_cli_check_count ("--older", older_days, 0, G_MAXINT32, error)
      || !sluice_cli_check_count ("--larger", larger_mb, 0, G_MAXINT32, error))
    return EXIT_USAGE;
  if (by_limit == (names[0] != NULL))
    return sluice_cli_usage (error, _ ("'empty': give RUNs of the trash, or --older or --larger"));
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (folder, TRUE, error);
  return store != NULL && sluice_cli_empty_trash (store, names, &limits, error) ? EXIT_OK
                                                                                : EXIT_FAILED;
}

static int
edit_runs (const char *folder, char **arguments, GError **error)
{
  const Subverb *subverb = NULL;
  guint n = g_strv_length (arguments + 1);
  for (guint i = 0; i < G_N_ELEMENTS (subverbs); i++)
    if (strcmp (subverbs[i].name, arguments[0]) == 0)
      subverb = &subverbs[i];
  if (subverb == NULL)
    return sluice_cli_usage (error,
                             _ ("'%s' is not known; there are diff, importance, rename, tag, note, "
                                "star, color, delete, restore and empty"),
                             arguments[0]);
  if (filter != NULL || trash)
    return sluice_cli_usage (error, _ ("--filter and --trash are of the list"));
  if (n == 0
      || (!subverb->takes_runs && (n < subverb->least_words + 1 || n > subverb->most_words + 1)))
    return sluice_cli_usage (error, _ ("'%s': give a RUN and what --help says"), arguments[0]);
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (folder, TRUE, error);
  return store != NULL && change_runs (store, subverb, arguments + 1, error) ? EXIT_OK
                                                                             : EXIT_FAILED;
}

static int
runs (char **arguments, GError **error)
{
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  const char *what = arguments[0] != NULL ? arguments[0] : "";
  gboolean is_diff = strcmp (what, "diff") == 0, is_importance = strcmp (what, "importance") == 0;
  gboolean is_empty = strcmp (what, "empty") == 0;
  if (which_matters && !is_diff)
    return sluice_cli_usage (error, _ ("--which-matters is of 'diff'"));
  if (result_tag != NULL && !is_importance)
    return sluice_cli_usage (error, _ ("--result is of 'importance'"));
  if ((older_days != 0 || larger_mb != 0) && !is_empty)
    return sluice_cli_usage (error, _ ("--older and --larger are of 'empty'"));
  return *what == '\0'   ? list_runs (folder, error)
         : is_diff       ? diff_runs (folder, arguments + 1, error)
         : is_importance ? tell_importance (folder, arguments + 1, error)
         : is_empty      ? empty_trash (folder, arguments + 1, error)
                         : edit_runs (folder, arguments, error);
}

const Verb sluice_verb_runs = {
  .name = "runs",
  .arguments =
      N_ ("[diff RUN RUN… | importance | rename RUN NAME | tag RUN +TAG -TAG… | note RUN TEXT | "
          "star RUN on | color RUN #RRGGBB | delete RUN… | restore RUN… | empty [RUN…]]"),
  .summary = N_ ("List runs with their settings and results, and say something of them"),
  .details = N_ (
      "A run is named by its name, or by # and its number. 'diff' tells what differs between runs, "
      "and whether what came of them differs by more than seeds do. 'importance' tells, of the "
      "runs "
      "that --filter lets through, how much of the variance of a result each setting explains by "
      "itself: results count by their rank, ± is what leaving out runs in turn makes of it, and "
      "two "
      "settings that only do something together show little. 'note RUN -' reads the notes, "
      "which are Markdown, from standard input; an empty text takes them away. 'color RUN none' "
      "gives back the colour of the run's number. What is deleted "
      "is in the trash of the workspace, and 'restore' puts it back; 'empty' deletes for good what "
      "lies there: some runs, or what is beyond an age or a size. A filter is terms that "
      "must all hold: a word or \"several words\" in what is said of the run; tag:T, state:S, "
      "project:P, group:G, name:N, by what they begin with; is:starred, is:forked; and "
      "comparisons as lr<0.1 of a setting, else of the last value of a series, else of step, "
      "steps, seed or seconds. '-' before a term turns it round."),
  .json =
      "{\"id\": \"int\", \"run\": \"string\", \"state\": \"string\", "
      "\"project\": \"string|null\", \"step\": \"int\", \"steps\": \"int\", "
      "\"settings\": {\"*\": \"number|string\"}, "
      "\"results\": {\"*\": {\"first\": \"number\", \"last\": \"number\", "
      "\"best\": \"number|null\", \"best_step\": \"int|null\"}}, \"tags\": [\"string\"], "
      "\"notes\": \"string|null\", \"group\": \"string|null\", \"starred\": \"bool\", "
      "\"color\": \"string|null\", "
      "\"parent\": \"string|null\", \"parent_step\": \"int|null\", "
      "\"created\": \"number|null\", \"ended\": \"number|null\", "
      "\"seconds_active\": \"number\", \"badge\": \"string|null\", "
      "\"message\": \"string|null\", \"failed_node\": \"string|null\"}\n" SLUICE_CLI_RUNS_DIFF_JSON
      "\n" SLUICE_CLI_WHICH_MATTERS_JSON "\n" SLUICE_CLI_IMPORTANCE_JSON
      "\n" SLUICE_CLI_RUNS_EMPTY_JSON,
  .options = options,
  .dashed = "tag",
  .run = runs,
};
