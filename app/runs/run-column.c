/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-column.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/graph/node-words.h"
#include "app/status-text.h"
#include "engine/store/kinds/hparams.h"
#include "ui/chart/ticks.h"

#define MOST_SETTINGS 3 /* shown by themselves */
#define DIGITS        "0123456789"

/* ---- which there are ---- */

static const struct
{
  const char *id, *title;
  gboolean is_number, is_by_itself;
} kinds[SLUICE_N_RUN_COLUMNS] = {
  [SLUICE_RUN_COLUMN_STAR] = { "star", N_ ("Star"), FALSE, TRUE },
  [SLUICE_RUN_COLUMN_NAME] = { "name", N_ ("Name"), FALSE, TRUE },
  [SLUICE_RUN_COLUMN_STATE] = { "state", N_ ("State"), FALSE, TRUE },
  [SLUICE_RUN_COLUMN_CURVE] = { "curve", N_ ("Loss"), FALSE, TRUE },
  [SLUICE_RUN_COLUMN_BEST] = { "best", N_ ("%s, best"), TRUE, FALSE },
  [SLUICE_RUN_COLUMN_BEST_STEP] = { "best-step", N_ ("%s, step of the best"), TRUE, FALSE },
  [SLUICE_RUN_COLUMN_FIRST] = { "first", N_ ("%s, first"), TRUE, FALSE },
  [SLUICE_RUN_COLUMN_LAST] = { "last", N_ ("%s, last"), TRUE, FALSE },
  [SLUICE_RUN_COLUMN_SETTING] = { "setting", "%s", TRUE, FALSE },
  [SLUICE_RUN_COLUMN_DURATION] = { "duration", N_ ("Duration"), TRUE, TRUE },
  [SLUICE_RUN_COLUMN_TAGS] = { "tags", N_ ("Tags"), FALSE, TRUE },
  [SLUICE_RUN_COLUMN_STARTED] = { "started", N_ ("Started"), TRUE, TRUE },
  [SLUICE_RUN_COLUMN_STEP] = { "step", N_ ("Step"), TRUE, FALSE },
  [SLUICE_RUN_COLUMN_SEED] = { "seed", N_ ("Seed"), TRUE, FALSE },
  [SLUICE_RUN_COLUMN_GROUP] = { "group", N_ ("Group"), FALSE, FALSE },
  [SLUICE_RUN_COLUMN_PROJECT] = { "project", N_ ("Project"), FALSE, FALSE },
  [SLUICE_RUN_COLUMN_NOTES] = { "notes", N_ ("Notes"), FALSE, FALSE },
};

void
sluice_run_column_free (SluiceRunColumn *self)
{
  g_free (self->name);
  g_free (self->id);
  g_free (self->title);
  g_free (self);
}

/* "accuracy" of "metrics/accuracy", "test accuracy" of "evaluate/accuracy", which stands beside
 * the one of the training. (transfer full) */
static char *
dup_result_title (const char *tag)
{
  const char *slash = strrchr (tag, '/');
  const char *last = slash != NULL && slash[1] != '\0' ? slash + 1 : tag;
  return g_str_has_prefix (tag, "evaluate/") ? g_strdup_printf (_ ("test %s"), last)
                                             : g_strdup (last);
}

gboolean
sluice_run_column_is_result (SluiceRunColumnKind kind)
{
  return kind >= SLUICE_RUN_COLUMN_BEST && kind <= SLUICE_RUN_COLUMN_LAST;
}

SluiceRunColumn *
sluice_run_column_copy (const SluiceRunColumn *self)
{
  SluiceRunColumn *copy = g_memdup2 (self, sizeof *self);
  copy->name = g_strdup (self->name);
  copy->id = g_strdup (self->id);
  copy->title = g_strdup (self->title);
  return copy;
}

static void
add_column (GPtrArray *columns, SluiceRunColumnKind kind, const char *name, gboolean is_by_itself)
{
  SluiceRunColumn *self = g_new0 (SluiceRunColumn, 1);
  g_autofree char *result = name != NULL ? dup_result_title (name) : NULL;
  self->kind = kind;
  self->name = g_strdup (name);
  self->id =
      name != NULL ? g_strdup_printf ("%s:%s", kinds[kind].id, name) : g_strdup (kinds[kind].id);
  if (kind == SLUICE_RUN_COLUMN_SETTING)
    self->title = g_strdup (name);
  else if (name == NULL)
    self->title = g_strdup (_ (kinds[kind].title));
  else
    self->title = g_strdup_printf (_ (kinds[kind].title), result);
  self->is_number = kinds[kind].is_number;
  self->is_by_itself = is_by_itself;
  g_ptr_array_add (columns, self);
}

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static GPtrArray *
sort_keys (GHashTable *names)
{
  GPtrArray *sorted = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (sorted, name);
  g_ptr_array_sort (sorted, by_text);
  return sorted;
}

/* What all runs have of a setting: how many, whether it is the same, whether it is a number. */
typedef struct
{
  const SluiceSetting *first;
  guint n;
  gboolean differs, has_text;
} Seen;

static GHashTable *
look_at_settings (GPtrArray *entries)
{
  GHashTable *seen = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  for (guint i = 0; i < entries->len; i++)
    {
      GPtrArray *settings = ((const SluiceRunEntry *) entries->pdata[i])->settings;
      for (guint k = 0; k < settings->len; k++)
        {
          const SluiceSetting *setting = settings->pdata[k];
          Seen *s = g_hash_table_lookup (seen, setting->name);
          if (s == NULL)
            {
              s = g_new0 (Seen, 1);
              s->first = setting;
              g_hash_table_insert (seen, setting->name, s);
            }
          s->n++;
          s->has_text |= setting->text != NULL;
          s->differs |= g_strcmp0 (s->first->text, setting->text) != 0
                        || memcmp (&s->first->number, &setting->number, sizeof (double)) != 0;
        }
    }
  return seen;
}

static void
add_settings (GPtrArray *columns, GPtrArray *entries)
{
  g_autoptr (GHashTable) seen = look_at_settings (entries);
  g_autoptr (GPtrArray) names = sort_keys (seen);
  guint n_shown = 0;
  for (guint i = 0; i < names->len; i++)
    {
      const Seen *s = g_hash_table_lookup (seen, names->pdata[i]);
      gboolean differs = s->differs || s->n < entries->len;
      gboolean is_shown =
          differs && strcmp (names->pdata[i], "seed") != 0 && n_shown < MOST_SETTINGS;
      n_shown += is_shown;
      add_column (columns, SLUICE_RUN_COLUMN_SETTING, names->pdata[i], is_shown);
      ((SluiceRunColumn *) columns->pdata[columns->len - 1])->is_number = !s->has_text;
    }
}

/* What was evaluated tells most, then the loss. */
static void
add_results (GPtrArray *columns, GPtrArray *entries)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < entries->len; i++)
    {
      GPtrArray *results = ((const SluiceRunEntry *) entries->pdata[i])->results;
      for (guint k = 0; k < results->len; k++)
        g_hash_table_add (seen, ((const SluiceRunResult *) results->pdata[k])->tag);
    }
  g_autoptr (GPtrArray) tags = sort_keys (seen);
  for (guint i = 0; i < tags->len; i++)
    if (sluice_tag_get_better (tags->pdata[i]) != SLUICE_BEST_UNKNOWN)
      add_column (columns, SLUICE_RUN_COLUMN_BEST, tags->pdata[i],
                  g_str_has_prefix (tags->pdata[i], "evaluate/")
                      && sluice_tag_get_better (tags->pdata[i]) == SLUICE_BEST_GREATEST);
  for (guint i = 0; i < tags->len; i++)
    add_column (columns, SLUICE_RUN_COLUMN_LAST, tags->pdata[i],
                strcmp (tags->pdata[i], "loss") == 0);
  for (guint i = 0; i < tags->len; i++)
    {
      add_column (columns, SLUICE_RUN_COLUMN_FIRST, tags->pdata[i], FALSE);
      if (sluice_tag_get_better (tags->pdata[i]) != SLUICE_BEST_UNKNOWN)
        add_column (columns, SLUICE_RUN_COLUMN_BEST_STEP, tags->pdata[i], FALSE);
    }
}

GPtrArray *
sluice_run_columns_new (GPtrArray *entries)
{
  GPtrArray *columns = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_column_free);
  for (guint i = 0; i < SLUICE_N_RUN_COLUMNS; i++)
    if (i == SLUICE_RUN_COLUMN_BEST)
      add_results (columns, entries);
    else if (i == SLUICE_RUN_COLUMN_SETTING)
      add_settings (columns, entries);
    else if (!sluice_run_column_is_result (i)) /* the others came with the best */
      add_column (columns, i, NULL, kinds[i].is_by_itself);
  return columns;
}

void
sluice_run_columns_set_curve (GPtrArray *columns, const char *tag)
{
  gboolean is_usual = strcmp (tag, SLUICE_RUN_CURVE_TAG) == 0;
  for (guint i = 0; i < columns->len; i++)
    {
      SluiceRunColumn *self = columns->pdata[i];
      if (self->kind != SLUICE_RUN_COLUMN_CURVE)
        continue;
      g_free (self->name);
      g_free (self->title);
      self->name = is_usual ? NULL : g_strdup (tag);
      self->title = is_usual ? g_strdup (_ (kinds[self->kind].title)) : dup_result_title (tag);
    }
}

gboolean
sluice_run_columns_equal (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const SluiceRunColumn *first = a->pdata[i], *second = b->pdata[i];
      if (strcmp (first->id, second->id) != 0 || first->is_number != second->is_number
          || first->is_by_itself != second->is_by_itself)
        return FALSE;
    }
  return TRUE;
}

/* ---- what they say ---- */

/* Of what begins with its name, in order of names: (nullable). */
static const void *
find_named (GPtrArray *sorted, const char *name)
{
  guint low = 0, high = sorted->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      int order = strcmp (*(char *const *) sorted->pdata[middle], name);
      if (order == 0)
        return sorted->pdata[middle];
      if (order < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

static const SluiceRunResult *
find_result (const SluiceRunEntry *entry, const char *tag)
{
  G_STATIC_ASSERT (G_STRUCT_OFFSET (SluiceRunResult, tag) == 0);
  return find_named (entry->results, tag);
}

static const SluiceSetting *
find_setting (const SluiceRunEntry *entry, const char *name)
{
  G_STATIC_ASSERT (G_STRUCT_OFFSET (SluiceSetting, name) == 0);
  return find_named (entry->settings, name);
}

gboolean
sluice_run_column_get_number (const SluiceRunColumn *self,
                              const SluiceRunEntry *entry,
                              double *number)
{
  const SluiceRunInfo *info = entry->info;
  const SluiceRunResult *result = NULL;
  const SluiceSetting *setting;
  gint64 step;
  switch (self->kind)
    {
    case SLUICE_RUN_COLUMN_STAR:
      *number = info->is_starred ? 0 : 1; /* starred ones first */
      return TRUE;
    case SLUICE_RUN_COLUMN_BEST:
      result = find_result (entry, self->name);
      return result != NULL && sluice_run_result_get_best (result, number, &step);
    case SLUICE_RUN_COLUMN_BEST_STEP:
      result = find_result (entry, self->name);
      if (result == NULL || !sluice_run_result_get_best (result, number, &step))
        return FALSE;
      *number = (double) step;
      return TRUE;
    case SLUICE_RUN_COLUMN_FIRST:
      result = find_result (entry, self->name);
      *number = result != NULL ? result->first : NAN;
      return result != NULL;
    case SLUICE_RUN_COLUMN_CURVE:
    case SLUICE_RUN_COLUMN_LAST:
      result = find_result (entry, self->name != NULL ? self->name : SLUICE_RUN_CURVE_TAG);
      *number = result != NULL ? result->last : NAN;
      return result != NULL;
    case SLUICE_RUN_COLUMN_SETTING:
      setting = find_setting (entry, self->name);
      *number = setting != NULL ? setting->number : NAN;
      return setting != NULL && setting->text == NULL;
    case SLUICE_RUN_COLUMN_DURATION:
      *number = info->seconds;
      return info->seconds > 0;
    case SLUICE_RUN_COLUMN_STARTED:
      *number = info->started > 0 ? info->started : info->created;
      return *number > 0;
    case SLUICE_RUN_COLUMN_STEP:
      *number = (double) info->step;
      return TRUE;
    case SLUICE_RUN_COLUMN_SEED:
      *number = (double) info->seed;
      return TRUE;
    default:
      return FALSE;
    }
}

static char *
started_text (double seconds)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local ((gint64) seconds);
  return time != NULL ? g_date_time_format (time, "%x %R") : g_strdup ("");
}

static char *
notes_text (const char *notes)
{
  const char *end = notes != NULL ? strchr (notes, '\n') : NULL;
  gsize length = end != NULL ? (gsize) (end - notes) : notes != NULL ? strlen (notes) : 0;
  if (length == 0)
    return g_strdup ("");
  g_autofree char *start = g_strndup (notes, MIN (length, 400)); /* more is never in sight */
  return g_utf8_make_valid (start, -1);
}

static char *
number_text (const SluiceRunColumn *self, const SluiceRunEntry *entry, double number)
{
  switch (self->kind)
    {
    case SLUICE_RUN_COLUMN_BEST:
    case SLUICE_RUN_COLUMN_FIRST:
    case SLUICE_RUN_COLUMN_LAST:
      return sluice_format_value (number, sluice_tag_unit (self->name));
    case SLUICE_RUN_COLUMN_CURVE:
      return sluice_format_value (number, SLUICE_UNIT_NONE);
    case SLUICE_RUN_COLUMN_SETTING:
      return sluice_format_exact (number);
    case SLUICE_RUN_COLUMN_DURATION:
      return sluice_words_duration (number * 1e6);
    case SLUICE_RUN_COLUMN_STARTED:
      return started_text (number);
    case SLUICE_RUN_COLUMN_SEED:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, entry->info->seed);
    default:
      return sluice_format_step ((gint64) number);
    }
}

char *
sluice_run_column_dup_text (const SluiceRunColumn *self, const SluiceRunEntry *entry)
{
  const SluiceRunInfo *info = entry->info;
  const SluiceSetting *setting;
  double number;
  switch (self->kind)
    {
    case SLUICE_RUN_COLUMN_STAR:
      return g_strdup (info->is_starred ? _ ("starred") : _ ("not starred"));
    case SLUICE_RUN_COLUMN_NAME:
      return g_strdup (info->name);
    case SLUICE_RUN_COLUMN_STATE:
      return g_strdup (_ (sluice_run_state_name (info->state)));
    case SLUICE_RUN_COLUMN_TAGS:
      return info->tags != NULL ? g_strjoinv (", ", info->tags) : g_strdup ("");
    case SLUICE_RUN_COLUMN_GROUP:
      return g_strdup (info->group != NULL ? info->group : "");
    case SLUICE_RUN_COLUMN_PROJECT:
      return g_strdup (info->project != NULL ? info->project : "");
    case SLUICE_RUN_COLUMN_NOTES:
      return notes_text (info->notes);
    case SLUICE_RUN_COLUMN_SETTING:
      setting = find_setting (entry, self->name);
      if (setting != NULL && setting->text != NULL)
        return g_strdup (setting->text);
      break;
    default:
      break;
    }
  return sluice_run_column_get_number (self, entry, &number) ? number_text (self, entry, number)
                                                             : g_strdup ("");
}

char *
sluice_run_column_dup_detail (const SluiceRunColumn *self, const SluiceRunEntry *entry)
{
  const SluiceRunInfo *info = entry->info;
  if (self->kind != SLUICE_RUN_COLUMN_STATE || info->state == SLUICE_RUN_FINISHED
      || (info->state == SLUICE_RUN_WAITING && info->step == 0))
    return NULL;
  if (info->state == SLUICE_RUN_DRAFT)
    return sluice_status_plan_text (info);
  if ((info->state == SLUICE_RUN_RUNNING || info->state == SLUICE_RUN_PAUSED) && info->n_steps > 0)
    return sluice_words_share (info->step, info->n_steps);
  g_autofree char *step = sluice_format_step (info->step);
  if (info->state == SLUICE_RUN_FAILED && info->message != NULL
      && strstr (info->message, "NaN") != NULL)
    return g_strdup_printf (_ ("NaN, %s"), step);
  return g_steal_pointer (&step);
}

/* ---- their order ---- */

static const char *
get_sort_text (const SluiceRunColumn *self, const SluiceRunEntry *entry)
{
  const SluiceRunInfo *info = entry->info;
  const SluiceSetting *setting;
  switch (self->kind)
    {
    case SLUICE_RUN_COLUMN_NAME:
      return info->name;
    case SLUICE_RUN_COLUMN_STATE:
      return sluice_run_state_name (info->state);
    case SLUICE_RUN_COLUMN_TAGS:
      return info->tags != NULL ? info->tags[0] : NULL;
    case SLUICE_RUN_COLUMN_GROUP:
      return info->group;
    case SLUICE_RUN_COLUMN_PROJECT:
      return info->project;
    case SLUICE_RUN_COLUMN_NOTES:
      return info->notes;
    case SLUICE_RUN_COLUMN_SETTING:
      setting = find_setting (entry, self->name);
      return setting != NULL ? setting->text : NULL;
    default:
      return NULL;
    }
}

/* Of two runs of digits, which it leaves behind it, of whatever length. */
static int
compare_digits (const char **a, const char **b)
{
  *a += strspn (*a, "0");
  *b += strspn (*b, "0");
  size_t first = strspn (*a, DIGITS), second = strspn (*b, DIGITS);
  int result = first != second ? (first > second) - (first < second) : memcmp (*a, *b, first);
  *a += first;
  *b += second;
  return result;
}

/* "run-10" comes after "run-9". */
static int
compare_texts (const char *a, const char *b)
{
  while (a != b && *a != '\0' && *b != '\0')
    {
      if (g_ascii_isdigit (*a) && g_ascii_isdigit (*b))
        {
          int result = compare_digits (&a, &b);
          if (result != 0)
            return result;
          continue;
        }
      if (*a == *b && (guchar) *a < 0x80) /* as nearly all are that are compared */
        {
          a++;
          b++;
          continue;
        }
      gunichar first = g_unichar_tolower (g_utf8_get_char (a)),
               second = g_unichar_tolower (g_utf8_get_char (b));
      if (first != second)
        return first < second ? -1 : 1;
      a = g_utf8_next_char (a);
      b = g_utf8_next_char (b);
    }
  return (*a != '\0') - (*b != '\0');
}

SluiceRunKey
sluice_run_column_get_key (const SluiceRunColumn *self, const SluiceRunEntry *entry)
{
  SluiceRunKey key = { get_sort_text (self, entry), NAN, FALSE };
  key.has = sluice_run_column_get_number (self, entry, &key.number) || key.text != NULL;
  return key;
}

int
sluice_run_key_compare (const SluiceRunKey *a, const SluiceRunKey *b, gboolean descending)
{
  int sign = descending ? -1 : 1;
  if (a->text != NULL && b->text != NULL)
    return sign * compare_texts (a->text, b->text);
  if (a->has != b->has)
    return a->has ? -1 : 1;
  if (isnan (a->number) || isnan (b->number)) /* texts, too: after all numbers */
    return (isnan (a->number) != 0) - (isnan (b->number) != 0);
  return sign * ((a->number > b->number) - (a->number < b->number));
}
