/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/which-matters.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/file.h"
#include "engine/train/option-diff.h"
#include "engine/train/queue.h"
#include "engine/train/seed-spread.h"

#define SEEDS 3

static void
matter_free (gpointer data)
{
  SluiceMatter *self = data;
  g_free (self->name);
  g_free (self->was);
  g_free (self->is);
  g_free (self->why);
  g_free (self);
}

const char *
sluice_matter_get_title (const SluiceMatter *self)
{
  static const char *const usual[] = { "overrides.", "train." };
  for (guint i = 0; i < G_N_ELEMENTS (usual); i++)
    if (g_str_has_prefix (self->name, usual[i]))
      return self->name + strlen (usual[i]);
  return self->name;
}

void
sluice_which_matters_free (SluiceWhichMatters *self)
{
  g_ptr_array_unref (self->matters);
  g_free (self);
}

/* A run's project, as text, and its graph. */
typedef struct
{
  char *text, *graph_path, *graph_hash;
  guint64 seed;
} Source;

static void
source_clear (Source *self)
{
  g_free (self->text);
  g_free (self->graph_path);
  g_free (self->graph_hash);
}

/* What short runs of several seeds are of: the first run, the second, or the first with one
 * difference, the graph of the second (where change is NULL) or a key. */
typedef struct
{
  const Source *source, *graph;
  const SluiceOptionChange *change; /* (nullable) */
  SluiceRunInfo **runs;             /* of each seed; (nullable): there is none */
} Variant;

enum
{
  FIRST,
  SECOND,
  N_WHOLE, /* behind them a difference each */
};

typedef struct
{
  SluiceStore *store;
  const SluiceWhichMattersOptions *options;
  const SluiceRunInfo *first, *second;
  Source sources[N_WHOLE];
  GPtrArray *changes; /* of SluiceOptionChange */
  GArray *variants;   /* of Variant */
  guint n_seeds;
  char *group, *scratch;
  GHashTable *by_project; /* of SluiceRunInfo, those of the group */
} Question;

static void
question_clear (Question *self)
{
  for (guint i = 0; i < N_WHOLE; i++)
    source_clear (&self->sources[i]);
  for (guint i = 0; self->variants != NULL && i < self->variants->len; i++)
    g_free (g_array_index (self->variants, Variant, i).runs);
  if (self->scratch != NULL)
    {
      g_autofree char *path = g_build_filename (self->scratch, "project.ini", NULL);
      g_unlink (path);
      g_rmdir (self->scratch);
    }
  g_clear_pointer (&self->changes, g_ptr_array_unref);
  g_clear_pointer (&self->variants, g_array_unref);
  g_clear_pointer (&self->by_project, g_hash_table_unref);
  g_free (self->group);
  g_free (self->scratch);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Question, question_clear)

/* ---- what differs ---- */

static gboolean
read_source (SluiceStore *store, const SluiceRunInfo *run, Source *source, GError **error)
{
  g_autofree char *folder = sluice_store_dup_run_folder (store, run->id);
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  if (project == NULL)
    {
      g_prefix_error (error, "run '%s' cannot be trained again: ", run->name);
      return FALSE;
    }
  *source = (Source){ sluice_project_dup_text (project), g_strdup (project->graph_path),
                      g_strdup (run->graph_hash), project->seed };
  return TRUE;
}

/* The seed is what is varied anyway. */
static GPtrArray *
list_changes (const Source *first, const Source *second)
{
  GPtrArray *changes = sluice_option_diff (first->text, second->text);
  for (guint i = changes->len; i-- > 0;)
    {
      const SluiceOptionChange *change = changes->pdata[i];
      gboolean is_seed = strcmp (change->group, "train") == 0 && strcmp (change->key, "seed") == 0;
      /* A name of a file: the graph in it counts by itself. */
      gboolean is_graph =
          strcmp (change->group, "project") == 0 && strcmp (change->key, "graph") == 0;
      if (is_seed || is_graph)
        g_ptr_array_remove_index (changes, i);
    }
  return changes;
}

static gboolean
list_variants (Question *self, GError **error)
{
  const Source *first = &self->sources[FIRST], *second = &self->sources[SECOND];
  gboolean same_graph = g_strcmp0 (first->graph_hash, second->graph_hash) == 0;
  self->changes = list_changes (first, second);
  self->variants = g_array_new (FALSE, FALSE, sizeof (Variant));
  const Variant whole[] = { { first, first, NULL, NULL },
                            { second, second, NULL, NULL },
                            { first, second, NULL, NULL } };
  g_array_append_vals (self->variants, whole, same_graph ? 2 : 3);
  for (guint i = 0; i < self->changes->len; i++)
    {
      Variant variant = { first, first, self->changes->pdata[i], NULL };
      g_array_append_val (self->variants, variant);
    }
  for (guint i = 0; i < self->variants->len; i++)
    g_array_index (self->variants, Variant, i).runs = g_new0 (SluiceRunInfo *, self->n_seeds);
  return self->variants->len > N_WHOLE
         || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                         "the runs differ by their seed alone, or by nothing that a project says");
}

/* With one key as the variant has it. */
static char *
dup_text (const Variant *variant, GError **error)
{
  const SluiceOptionChange *change = variant->change;
  const char *text = variant->source->text;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, error))
    return NULL;
  if (change != NULL && change->is != NULL)
    g_key_file_set_string (file, change->group, change->key, change->is);
  else if (change != NULL)
    g_key_file_remove_key (file, change->group, change->key, NULL);
  return g_key_file_to_data (file, NULL, NULL);
}

/* Of the first seed. */
static SluiceProject *
new_project (Question *self, const Variant *variant, GError **error)
{
  g_autofree char *path = g_build_filename (self->scratch, "project.ini", NULL);
  g_autofree char *text = dup_text (variant, error);
  SluiceProject *project =
      text != NULL && sluice_file_put ("project", path, text, strlen (text), error)
          ? sluice_project_load (self->scratch, error)
          : NULL;
  if (project == NULL)
    return NULL;
  g_free (project->graph_path);
  project->graph_path = g_strdup (variant->graph->graph_path);
  project->seed = self->sources[FIRST].seed;
  project->n_steps = self->options->n_steps;
  const char *const *more = self->options->allow_files;
  for (guint i = 0; more != NULL && more[i] != NULL; i++)
    sluice_file_access_allow (project->files, more[i], SLUICE_FILE_WRITE);
  return project;
}

/* ---- the runs that there are ---- */

/* Runs with the same key are the same run, wherever their folders lie. */
static char *
dup_key (const SluiceProject *project, const char *graph_hash)
{
  g_autofree char *text = sluice_project_dup_text (project);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  if (!g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, NULL))
    return NULL;
  g_key_file_remove_key (file, "project", "graph", NULL);
  g_autofree char *rest = g_key_file_to_data (file, NULL, NULL);
  return g_strconcat (rest, "\n", graph_hash, NULL);
}

/* The newest ones of each kind. */
static gboolean
read_runs (Question *self, GError **error)
{
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (self->store, error);
  self->by_project = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                            (GDestroyNotify) sluice_run_info_free);
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    {
      const SluiceRunInfo *info = runs->pdata[i];
      gboolean is_out = info->state == SLUICE_RUN_STOPPED || info->state == SLUICE_RUN_DRAFT;
      if (g_strcmp0 (info->group, self->group) != 0 || is_out)
        continue; /* somebody took it out of the queue */
      g_autofree char *folder = sluice_store_dup_run_folder (self->store, info->id);
      g_autoptr (SluiceProject) project = sluice_project_load (folder, NULL);
      char *key = project != NULL ? dup_key (project, info->graph_hash) : NULL;
      const SluiceRunInfo *other = key != NULL ? g_hash_table_lookup (self->by_project, key) : NULL;
      if (key != NULL && (other == NULL || other->id < info->id))
        g_hash_table_replace (self->by_project, key, sluice_run_info_copy (info));
      else
        g_free (key);
    }
  return runs != NULL;
}

/* A variant that is no project has none. */
static void
find_runs (Question *self)
{
  for (guint i = 0; g_hash_table_size (self->by_project) > 0 && i < self->variants->len; i++)
    {
      const Variant *variant = &g_array_index (self->variants, Variant, i);
      g_autoptr (SluiceProject) project = new_project (self, variant, NULL);
      for (guint k = 0; project != NULL && k < self->n_seeds; k++, project->seed++)
        {
          g_autofree char *key = dup_key (project, variant->graph->graph_hash);
          variant->runs[k] = key != NULL ? g_hash_table_lookup (self->by_project, key) : NULL;
        }
    }
}

char *
sluice_which_matters_dup_group (const SluiceRunInfo *first, const SluiceRunInfo *second)
{
  return g_strdup_printf ("which matters #%" G_GINT64_FORMAT " #%" G_GINT64_FORMAT, first->id,
                          second->id);
}

static gboolean
question_init (Question *self, GError **error)
{
  self->n_seeds = self->options->n_seeds > 1 ? self->options->n_seeds : SEEDS;
  self->group = sluice_which_matters_dup_group (self->first, self->second);
  if (!read_source (self->store, self->first, &self->sources[FIRST], error)
      || !read_source (self->store, self->second, &self->sources[SECOND], error)
      || !list_variants (self, error)
      || (self->scratch = g_dir_make_tmp ("sluice-matters-XXXXXX", error)) == NULL
      || !read_runs (self, error))
    return FALSE;
  find_runs (self);
  return TRUE;
}

/* ---- asking ---- */

static char *
dup_name (const Question *self, guint i, guint seed)
{
  const SluiceOptionChange *change = g_array_index (self->variants, Variant, i).change;
  return g_strdup_printf ("%s: %s, seed %" G_GUINT64_FORMAT, self->group,
                          i == FIRST       ? "first"
                          : i == SECOND    ? "second"
                          : change == NULL ? "graph"
                                           : change->key,
                          self->sources[FIRST].seed + seed);
}

/* Those of one variant that are still to be asked for. */
static gboolean
add_variant (Question *self, SluiceQueueBatch *batch, guint i, guint *n_added, GError **error)
{
  const Variant *variant = &g_array_index (self->variants, Variant, i);
  const SluiceSessionOptions *host = self->options->host;
  guint before = *n_added;
  g_autoptr (SluiceProject) project = new_project (self, variant, error);
  for (guint k = 0; project != NULL && k < self->n_seeds; k++, project->seed++)
    {
      g_autofree char *name = dup_name (self, i, k);
      const SluiceQueueRequest request = { .name = name,
                                           .group = self->group,
                                           .needs.devices = host != NULL ? host->device : NULL,
                                           .needs.threads = host != NULL ? host->n_threads : 0,
                                           .host = host,
                                           .like_last = *n_added > before };
      if (variant->runs[k] != NULL)
        continue;
      if (!sluice_queue_batch_add (batch, project, &request, error))
        return FALSE;
      ++*n_added;
    }
  return project != NULL;
}

gboolean
sluice_which_matters_ask (SluiceStore *store,
                          const SluiceRunInfo *first,
                          const SluiceRunInfo *second,
                          const SluiceWhichMattersOptions *options,
                          GError **error)
{
  g_auto (Question) self = { .store = store, .options = options, .first = first, .second = second };
  guint n_added = 0;
  if (!question_init (&self, error))
    return FALSE;
  g_autoptr (SluiceQueueBatch) batch = sluice_queue_batch_new (store, error);
  if (batch == NULL)
    return FALSE;
  for (guint i = 0; i < self.variants->len; i++)
    if (!add_variant (&self, batch, i, &n_added, i < N_WHOLE ? error : NULL) && i < N_WHOLE)
      return FALSE;
  if (n_added == 0)
    return TRUE;
  g_autoptr (GPtrArray) added = sluice_queue_batch_commit (g_steal_pointer (&batch), error);
  return added != NULL;
}

gboolean
sluice_which_matters_withdraw (SluiceStore *store,
                               const SluiceRunInfo *first,
                               const SluiceRunInfo *second,
                               GError **error)
{
  g_autofree char *group = sluice_which_matters_dup_group (first, second);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, error);
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    {
      const SluiceRunInfo *info = runs->pdata[i];
      g_autoptr (GError) local = NULL;
      if (g_strcmp0 (info->group, group) != 0 || info->state != SLUICE_RUN_WAITING)
        continue;
      if (sluice_run_queue_drop (store, info, &local))
        {
          if (!sluice_store_delete_run (store, info->id, error))
            return FALSE;
        }
      else if (!g_error_matches (local, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION)
               && !g_error_matches (local, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        } /* else it was begun just now */
    }
  return runs != NULL;
}

/* ---- effects ---- */

static double
get_mean (const double *values, guint n)
{
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += values[i];
  return sum / n;
}

static double
get_deviation (const double *values, guint n)
{
  double mean = get_mean (values, n), squares = 0;
  for (guint i = 0; i < n; i++)
    squares += (values[i] - mean) * (values[i] - mean);
  return sqrt (squares / (n - 1));
}

static const SluiceSeriesInfo *
find_loss (GPtrArray *series)
{
  for (guint i = 0; i < series->len; i++)
    if (strcmp (((const SluiceSeriesInfo *) series->pdata[i])->tag, "loss") == 0)
      return series->pdata[i];
  return NULL;
}

/* FALSE: it failed, or has ended early. */
static gboolean
read_loss (Question *self, const SluiceRunInfo *run, double *loss, GError **error)
{
  gint64 n = self->options->n_steps, counted = MAX (n / 4, 1);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  g_autoptr (GPtrArray) series = sluice_store_dup_series (self->store, run->id, error);
  const SluiceSeriesInfo *info = series != NULL ? find_loss (series) : NULL;
  if (run->state == SLUICE_RUN_FAILED)
    return sluice_fail (error, SLUICE_ERROR_ABORTED, "%s",
                        run->message != NULL ? run->message : "it failed");
  if (series == NULL
      || (info != NULL
          && !sluice_store_read_points (self->store, info->id, n - counted + 1, G_MAXSIZE, points,
                                        error)))
    return FALSE;
  if (points->len < counted)
    return sluice_fail (error, SLUICE_ERROR_ABORTED, "it ended at step %" G_GINT64_FORMAT,
                        run->step);
  double sum = 0;
  for (guint i = 0; i < points->len; i++)
    sum += g_array_index (points, SluiceScalar, i).value;
  *loss = sum / points->len;
  return TRUE;
}

static gboolean
read_losses (Question *self, const Variant *variant, double *losses, GError **error)
{
  for (guint i = 0; i < self->n_seeds; i++)
    if (!read_loss (self, variant->runs[i], &losses[i], error))
      {
        g_prefix_error (error, "run '%s': ", variant->runs[i]->name);
        return FALSE;
      }
  return TRUE;
}

/* Nobody could make runs of it. */
static gboolean
is_empty (const Question *self, const Variant *variant)
{
  for (guint i = 0; i < self->n_seeds; i++)
    if (variant->runs[i] != NULL)
      return FALSE;
  return TRUE;
}

static char *
dup_refusal (Question *self, guint i)
{
  g_autoptr (GError) error = NULL;
  guint n_added = 0;
  g_autoptr (SluiceQueueBatch) batch = sluice_queue_batch_new (self->store, &error);
  return batch == NULL || !add_variant (self, batch, i, &n_added, &error)
             ? g_strdup (error->message)
             : NULL;
}

static SluiceMatter *
new_matter (Question *self, const Variant *variant, const char *refusal, const double *base)
{
  guint n = self->n_seeds;
  g_autofree double *losses = g_new0 (double, n);
  const SluiceOptionChange *change = variant->change;
  SluiceMatter *matter = g_new0 (SluiceMatter, 1);
  matter->name =
      change != NULL ? g_strdup_printf ("%s.%s", change->group, change->key) : g_strdup ("graph");
  matter->was = change != NULL ? g_strdup (change->was) : NULL;
  matter->is = change != NULL ? g_strdup (change->is) : NULL;
  matter->effect = matter->plus_minus = NAN;
  g_autoptr (GError) failure = NULL;
  if (refusal != NULL || !read_losses (self, variant, losses, &failure))
    {
      matter->why = g_strdup (refusal != NULL ? refusal : failure->message);
      return matter;
    }
  for (guint i = 0; i < n; i++)
    losses[i] -= base[i];
  matter->effect = get_mean (losses, n);
  matter->plus_minus = sluice_student_t (n - 1) * get_deviation (losses, n) / sqrt (n);
  matter->matters = fabs (matter->effect) > matter->plus_minus && matter->effect != 0;
  return matter;
}

/* Those that could not be tried come last. */
static gint
by_effect (gconstpointer a, gconstpointer b)
{
  const SluiceMatter *x = *(SluiceMatter *const *) a, *y = *(SluiceMatter *const *) b;
  double p = isnan (x->effect) ? -1 : fabs (x->effect);
  double q = isnan (y->effect) ? -1 : fabs (y->effect);
  return (p < q) - (p > q);
}

/* refusals: (array): of each variant; (nullable) */
static SluiceWhichMatters *
new_answer (Question *self, char *const *refusals, GError **error)
{
  guint n = self->n_seeds;
  const Variant *variants = (const Variant *) self->variants->data;
  g_autofree double *base = g_new0 (double, n), *other = g_new0 (double, n);
  if (!read_losses (self, &variants[FIRST], base, error)
      || !read_losses (self, &variants[SECOND], other, error))
    return NULL;
  SluiceWhichMatters *answer = g_new0 (SluiceWhichMatters, 1);
  answer->n_steps = self->options->n_steps;
  answer->n_seeds = n;
  answer->loss = get_mean (base, n);
  answer->spread = get_deviation (base, n);
  answer->other = get_mean (other, n);
  answer->matters = g_ptr_array_new_with_free_func (matter_free);
  for (guint i = N_WHOLE; i < self->variants->len; i++)
    g_ptr_array_add (answer->matters, new_matter (self, &variants[i], refusals[i], base));
  g_ptr_array_sort (answer->matters, by_effect);
  return answer;
}

static void
count (const Question *self, SluiceWhichMattersState *state)
{
  *state = (SluiceWhichMattersState){ .all = self->variants->len * self->n_seeds };
  for (guint i = 0; i < self->variants->len; i++)
    for (guint k = 0; k < self->n_seeds; k++)
      {
        const SluiceRunInfo *run = g_array_index (self->variants, Variant, i).runs[k];
        gboolean over =
            run != NULL && (run->state == SLUICE_RUN_FINISHED || run->state == SLUICE_RUN_FAILED);
        state->known += over;
        state->waiting += run != NULL && !over;
      }
}

gboolean
sluice_which_matters_look (SluiceStore *store,
                           const SluiceRunInfo *first,
                           const SluiceRunInfo *second,
                           const SluiceWhichMattersOptions *options,
                           SluiceWhichMattersState *state,
                           SluiceWhichMatters **answer,
                           GError **error)
{
  g_auto (Question) self = { .store = store, .options = options, .first = first, .second = second };
  *answer = NULL;
  *state = (SluiceWhichMattersState){ 0 };
  if (!question_init (&self, error))
    return FALSE;
  count (&self, state);
  g_autoptr (GPtrArray) refusals = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_set_size (refusals, (gint) self.variants->len);
  for (guint i = N_WHOLE; state->known > 0 && state->waiting == 0 && i < self.variants->len; i++)
    if (is_empty (&self, &g_array_index (self.variants, Variant, i))
        && (refusals->pdata[i] = dup_refusal (&self, i)) != NULL)
      state->all -= self.n_seeds;
  if (state->known == 0 || state->known < state->all)
    return TRUE;
  *answer = new_answer (&self, (char *const *) refusals->pdata, error);
  return *answer != NULL;
}
