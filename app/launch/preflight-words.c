/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/preflight-words.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/graph/node-words.h"
#include "ui/chart/ticks.h"

/* Of the same name, where there is one. (nullable) */
static const SluicePreflightItem *
find (const SluicePreflight *card, const char *what, const char *name)
{
  for (guint i = 0; i < card->items->len; i++)
    {
      const SluicePreflightItem *item = card->items->pdata[i];
      if (strcmp (item->what, what) == 0 && (name == NULL || g_strcmp0 (item->name, name) == 0))
        return item;
    }
  return NULL;
}

static gboolean
is_of (const SluicePreflightItem *item, const char *source)
{
  return g_strcmp0 (item->source, source) == 0;
}

static char *
dup_time (const SluicePreflightItem *item)
{
  return sluice_words_spread (item->value, item->plus_minus);
}

static char *
step_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  GString *more = g_string_new (is_of (item, "measured") ? _ ("a step, measured")
                                : is_of (item, "run")    ? _ ("a step, as in an earlier run")
                                                         : _ ("a step, modelled"));
  const SluicePreflightItem *model = find (card, "model_us", NULL),
                            *run = find (card, "run_us", NULL);
  if (run != NULL && !is_of (item, "run"))
    {
      g_autofree char *time = dup_time (run);
      g_string_append_printf (more, _ (" · measured in run %s: %s"), run->name, time);
    }
  if (model != NULL && !is_of (item, "modelled"))
    {
      g_autofree char *time = dup_time (model);
      g_string_append_printf (more, _ (" · model %s"), time);
    }
  *dim = g_string_free (more, FALSE);
  return dup_time (item);
}

/* "48 s ± 3 s" */
static char *
dup_finish (double seconds, double plus_minus)
{
  g_autofree char *value = sluice_format_value (seconds, SLUICE_UNIT_SECONDS);
  g_autofree char *spread = sluice_format_value (plus_minus, SLUICE_UNIT_SECONDS);
  return isfinite (plus_minus) ? g_strdup_printf ("%s ± %s", value, spread) : g_strdup (value);
}

static char *
finish_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  *dim = g_strdup (_ ("until it has finished"));
  return dup_finish (item->value, item->plus_minus);
}

static char *
memory_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  g_autofree char *value = sluice_format_value (item->value, SLUICE_UNIT_BYTES);
  g_autofree char *room = sluice_format_value (item->limit, SLUICE_UNIT_BYTES);
  const SluicePreflightItem *plan = find (card, "plan_bytes", item->name);
  g_autofree char *planned =
      plan != NULL ? sluice_format_value (plan->value, SLUICE_UNIT_BYTES) : NULL;
  *dim = is_of (item, "plan") ? g_strdup_printf (_ ("of %s, by the plan"), room)
         : planned != NULL    ? g_strdup_printf (_ ("of %s · plan %s"), room, planned)
                              : g_strdup_printf (_ ("of %s, measured"), room);
  return g_strdup_printf ("%s %s", item->name != NULL ? item->name : "", value);
}

static char *
disk_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  g_autofree char *room =
      isfinite (item->limit) ? sluice_format_value (item->limit, SLUICE_UNIT_BYTES) : NULL;
  *dim = room != NULL ? g_strdup_printf (_ ("of %s free · checkpoints and log"), room)
                      : g_strdup (_ ("checkpoints and log"));
  return sluice_format_value (item->value, SLUICE_UNIT_BYTES);
}

static char *
resume_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  *dim = item->value > 0 ? g_strdup (_ ("variables, slots, random streams, place in the data"))
                         : g_strdup (item->text);
  return g_strdup (item->value > 0 ? _ ("exact") : _ ("not exact"));
}

static char *
input_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  g_autofree char *min = sluice_format_value (item->spread->min, SLUICE_UNIT_NONE);
  g_autofree char *max = sluice_format_value (item->spread->max, SLUICE_UNIT_NONE);
  *dim = g_strdup_printf (_ ("%s to %s"), min, max);
  return g_strdup (item->name);
}

char *
sluice_preflight_dup_balance (const GArray *counts)
{
  gint64 n = 0, least = G_MAXINT64, most = 0;
  for (guint i = 0; i < counts->len; i++)
    {
      gint64 count = g_array_index (counts, gint64, i);
      n += count;
      least = MIN (least, count);
      most = MAX (most, count);
    }
  g_autofree char *low = sluice_words_share (least, MAX (n, 1));
  g_autofree char *high = sluice_words_share (most, MAX (n, 1));
  return g_strdup_printf (_ ("%s to %s each"), low, high);
}

static char *
labels_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  guint n = (guint) item->value;
  *dim = item->counts != NULL ? sluice_preflight_dup_balance (item->counts) : NULL;
  return isfinite (item->value) ? g_strdup_printf (ngettext ("%u class", "%u classes", n), n)
                                : g_strdup (item->text);
}

static char *
loss_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  const SluicePreflightItem *labels = find (card, "labels", NULL);
  g_autofree char *n = labels != NULL ? g_strdup_printf ("%.0f", labels->value) : NULL;
  g_autofree char *guess =
      labels != NULL ? sluice_format_value (log (labels->value), SLUICE_UNIT_NONE) : NULL;
  *dim = n != NULL
             ? g_strdup_printf (_ ("before the first step · guessing gives ln %s = %s"), n, guess)
             : g_strdup (_ ("before the first step"));
  g_autofree char *loss = sluice_format_value (item->value, SLUICE_UNIT_NONE);
  return g_strdup_printf (_ ("loss %s"), loss);
}

static char *
gradient_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  guint n = isfinite (item->value) ? (guint) item->value : 0;
  *dim = item->level == SLUICE_PREFLIGHT_WELL ? g_strdup (_ ("reached from the loss"))
                                              : g_strdup (item->text);
  return item->name != NULL ? g_strdup (item->name)
                            : g_strdup_printf (ngettext ("%u variable", "%u variables", n), n);
}

static char *
other_words (const SluicePreflightItem *item, const SluicePreflight *card, char **dim)
{
  *dim = g_strdup (item->text);
  return g_strdup (item->name != NULL ? item->name : "");
}

const SluicePreflightKind sluice_preflight_kinds[] = {
  { "peak_bytes", N_ ("Memory"), TRUE, FALSE, memory_words },
  { "step_us", N_ ("Time"), TRUE, FALSE, step_words },
  { "finish_seconds", N_ ("Finish"), TRUE, FALSE, finish_words },
  { "disk_bytes", N_ ("Disk"), TRUE, FALSE, disk_words },
  { "resume_exact", N_ ("Resume"), FALSE, FALSE, resume_words },
  { "nodes", N_ ("Nodes"), FALSE, FALSE, other_words },
  { "gradient", N_ ("Gradient"), FALSE, FALSE, gradient_words },
  { "labels", N_ ("Labels"), FALSE, TRUE, labels_words },
  { "input", N_ ("Input"), FALSE, TRUE, input_words },
  { "first_loss", N_ ("First loss"), FALSE, TRUE, loss_words },
  { "setting", N_ ("Unread"), FALSE, FALSE, other_words },
  { "start", N_ ("Start"), FALSE, FALSE, other_words },
  { "project", N_ ("Project"), FALSE, FALSE, other_words },
  { NULL },
};

const SluicePreflightKind *
sluice_preflight_find_kind (const char *what)
{
  for (const SluicePreflightKind *kind = sluice_preflight_kinds; kind->what != NULL; kind++)
    if (strcmp (kind->what, what) == 0)
      return kind;
  return NULL;
}

char *
sluice_preflight_dup_markup (const SluicePreflightKind *kind,
                             const SluicePreflightItem *item,
                             const SluicePreflight *card,
                             gboolean hides)
{
  g_autofree char *dim = NULL;
  g_autofree char *words = kind->dup_words (item, card, &dim);
  const char *said = dim != NULL && !hides ? dim : "";
  const char *bold = hides ? "–" : words;
  g_autofree char *more = item->action != NULL
                              ? g_strconcat (said, *said != '\0' ? " · " : "", item->action, NULL)
                              : g_strdup (said);
  return g_markup_printf_escaped ("<b>%s</b>%s<span alpha=\"70%%\">%s</span>", bold,
                                  *bold != '\0' ? " " : "", more);
}

/* ---- of a sweep ---- */

/* value: (transfer full) */
static void
append_figure (GString *markup, char *value, const char *dim, gboolean hides)
{
  g_autofree char *text = value;
  g_autofree char *part =
      g_markup_printf_escaped ("<b>%s</b> <span alpha=\"70%%\">%s</span>", hides ? "–" : text, dim);
  g_string_append_printf (markup, "%s%s", markup->len > 0 ? " · " : "", part);
}

char *
sluice_preflight_dup_sweep_markup (
    const SluicePreflight *card, guint64 n_runs, double part, gboolean hides, gboolean *too_much)
{
  const SluicePreflightItem *finish = find (card, "finish_seconds", NULL);
  const SluicePreflightItem *disk = find (card, "disk_bytes", NULL);
  const SluicePreflightItem *memory = find (card, "peak_bytes", NULL);
  double n = (double) n_runs;
  g_autofree char *share = sluice_words_share ((gint64) (part * 1e4), 10000);
  g_autofree char *order =
      part < 1 ? g_strdup_printf (_ ("one after the other, %s of the steps of whole runs"), share)
               : g_strdup (_ ("one after the other"));
  GString *markup = g_string_new (NULL);
  *too_much = disk != NULL && n * disk->value > disk->limit; /* FALSE where it is not known */
  if (finish != NULL && isfinite (finish->value))
    append_figure (markup, dup_finish (n * part * finish->value, n * part * finish->plus_minus),
                   order, hides);
  if (disk != NULL && isfinite (disk->value))
    append_figure (markup, sluice_format_value (n * disk->value, SLUICE_UNIT_BYTES),
                   part < 1 ? _ ("on the disk at most") : _ ("on the disk"), hides);
  if (memory != NULL && isfinite (memory->value))
    append_figure (markup, sluice_format_value (n * memory->value, SLUICE_UNIT_BYTES),
                   _ ("of memory, were all under way at once"), hides);
  return g_string_free (markup, markup->len == 0);
}
