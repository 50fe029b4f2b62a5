/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/which-matters.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/file.h"
#include "engine/train/option-diff.h"
#include "engine/train/replica.h"
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

void
sluice_which_matters_free (SluiceWhichMatters *self)
{
  g_ptr_array_unref (self->matters);
  g_free (self);
}

/* A run's project, as text, and where its graph lies. */
typedef struct
{
  char *text, *graph_path;
  guint64 seed;
} Source;

static void
source_clear (Source *self)
{
  g_free (self->text);
  g_free (self->graph_path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

typedef struct
{
  SluiceStore *store;
  const SluiceWhichMattersOptions *options;
  SluiceWhichMatters *result;
  char *scratch;
  guint done, all;
} Trials;

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
  *source =
      (Source){ sluice_project_dup_text (project), g_strdup (project->graph_path), project->seed };
  return TRUE;
}

/* With one key as change has it, which may be NULL. */
static SluiceProject *
make_project (Trials *self,
              const char *text,
              const char *graph_path,
              const SluiceOptionChange *change,
              GError **error)
{
  g_autofree char *path = g_build_filename (self->scratch, "project.ini", NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  gsize length;
  if (!g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, error))
    return NULL;
  if (change != NULL && change->is != NULL)
    g_key_file_set_string (file, change->group, change->key, change->is);
  else if (change != NULL)
    g_key_file_remove_key (file, change->group, change->key, NULL);
  g_autofree char *changed = g_key_file_to_data (file, &length, NULL);
  SluiceProject *project = sluice_file_put ("project", path, changed, length, error)
                               ? sluice_project_load (self->scratch, error)
                               : NULL;
  if (project == NULL)
    return NULL;
  g_free (project->graph_path);
  project->graph_path = g_strdup (graph_path);
  const char *const *more = self->options->allow_files;
  for (guint i = 0; more != NULL && more[i] != NULL; i++)
    sluice_file_access_allow (project->files, more[i], SLUICE_FILE_WRITE);
  return project;
}

/* ---- a short run ---- */

static gboolean
take_steps (Trials *self, SluiceReplica *replica, double *loss, GError **error)
{
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  gint64 n = self->options->n_steps, counted = MAX (n / 4, 1);
  double sum = 0;
  replica->limit = n;
  while (replica->n_done < n)
    {
      SluiceRunOptions run = { .step = (guint64) replica->n_done + 1,
                               .cancellable = self->options->cancellable };
      if (!sluice_replica_step (replica, scalars, NULL, &run, error))
        return FALSE;
      if (replica->n_done > n - counted)
        sum += scalars[0];
    }
  *loss = sum / (double) counted;
  return TRUE;
}

static gboolean
train (Trials *self, SluiceProject *project, guint64 seed, double *loss, GError **error)
{
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  project->seed = seed;
  if (!sluice_examples_load_all (project, &examples, &test, error))
    return FALSE;
  SluiceReplica *replica =
      sluice_replica_new (project, examples, test, 0, self->options->host, error);
  if (replica == NULL)
    return FALSE;
  gboolean ok = sluice_replica_initialize (replica, error)
                && sluice_replica_begin_input (replica, error)
                && take_steps (self, replica, loss, error);
  sluice_replica_end_input (replica);
  sluice_replica_free (replica);
  self->done++;
  if (self->options->progress != NULL)
    self->options->progress (self->done, self->all, self->options->progress_data);
  return ok;
}

/* Of each seed the loss; change: (nullable). */
static gboolean
train_all (Trials *self,
           const Source *source,
           const char *graph_path,
           const SluiceOptionChange *change,
           double *losses,
           GError **error)
{
  g_autoptr (SluiceProject) project = make_project (self, source->text, graph_path, change, error);
  for (guint i = 0; i < self->result->n_seeds; i++)
    if (project == NULL || !train (self, project, source->seed + i, &losses[i], error))
      return FALSE;
  return TRUE;
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

/* FALSE: cancelled. A difference that cannot be taken over alone says why. */
static gboolean
try_difference (Trials *self,
                const Source *source,
                const char *graph_path,
                const SluiceOptionChange *change,
                const double *base,
                GError **error)
{
  guint n = self->result->n_seeds;
  g_autofree double *losses = g_new0 (double, n);
  g_autoptr (GError) failure = NULL;
  SluiceMatter *matter = g_new0 (SluiceMatter, 1);
  matter->name =
      change != NULL ? g_strdup_printf ("%s.%s", change->group, change->key) : g_strdup ("graph");
  matter->was = change != NULL ? g_strdup (change->was) : NULL;
  matter->is = change != NULL ? g_strdup (change->is) : NULL;
  matter->effect = matter->plus_minus = NAN;
  g_ptr_array_add (self->result->matters, matter);
  if (!train_all (self, source, graph_path, change, losses, &failure))
    {
      matter->why = g_strdup (failure->message);
      return !g_cancellable_set_error_if_cancelled (self->options->cancellable, error);
    }
  for (guint i = 0; i < n; i++)
    losses[i] -= base[i];
  matter->effect = get_mean (losses, n);
  matter->plus_minus = sluice_student_t (n - 1) * get_deviation (losses, n) / sqrt (n);
  matter->matters = fabs (matter->effect) > matter->plus_minus && matter->effect != 0;
  return TRUE;
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

static gboolean
has_same_graph (const SluiceRunInfo *first, const SluiceRunInfo *second)
{
  return g_strcmp0 (first->graph_hash, second->graph_hash) == 0;
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

/* 0: there is nothing to try. */
static guint
count_runs (GPtrArray *changes, gboolean same_graph, guint n_seeds, GError **error)
{
  if (changes->len > 0 || !same_graph)
    return n_seeds * (changes->len + 2 + !same_graph);
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
               "the runs differ by their seed alone, or by nothing that a project says");
  return 0;
}

static gboolean
try_all (
    Trials *self, const Source *first, const Source *second, gboolean same_graph, GError **error)
{
  SluiceWhichMatters *result = self->result;
  guint n = result->n_seeds;
  g_autofree double *base = g_new0 (double, n), *other = g_new0 (double, n);
  g_autoptr (GPtrArray) changes = list_changes (first, second);
  if ((self->all = count_runs (changes, same_graph, n, error)) == 0)
    return FALSE;
  Source last = *second;
  last.seed = first->seed;
  if (!train_all (self, first, first->graph_path, NULL, base, error)
      || !train_all (self, &last, second->graph_path, NULL, other, error))
    return FALSE;
  result->loss = get_mean (base, n);
  result->spread = get_deviation (base, n);
  result->other = get_mean (other, n);
  if (!same_graph && !try_difference (self, first, second->graph_path, NULL, base, error))
    return FALSE;
  for (guint i = 0; i < changes->len; i++)
    if (!try_difference (self, first, first->graph_path, changes->pdata[i], base, error))
      return FALSE;
  g_ptr_array_sort (result->matters, by_effect);
  return TRUE;
}

guint
sluice_which_matters_count (SluiceStore *store,
                            const SluiceRunInfo *first,
                            const SluiceRunInfo *second,
                            guint n_seeds,
                            GError **error)
{
  g_auto (Source) from = { 0 }, to = { 0 };
  if (!read_source (store, first, &from, error) || !read_source (store, second, &to, error))
    return 0;
  g_autoptr (GPtrArray) changes = list_changes (&from, &to);
  return count_runs (changes, has_same_graph (first, second), n_seeds > 1 ? n_seeds : SEEDS, error);
}

SluiceWhichMatters *
sluice_which_matters (SluiceStore *store,
                      const SluiceRunInfo *first,
                      const SluiceRunInfo *second,
                      const SluiceWhichMattersOptions *options,
                      GError **error)
{
  g_auto (Source) from = { 0 }, to = { 0 };
  g_autoptr (SluiceWhichMatters) result = g_new0 (SluiceWhichMatters, 1);
  result->matters = g_ptr_array_new_with_free_func (matter_free);
  result->n_steps = options->n_steps;
  result->n_seeds = options->n_seeds > 1 ? options->n_seeds : SEEDS;
  Trials self = { .store = store, .options = options, .result = result };
  if (!read_source (store, first, &from, error) || !read_source (store, second, &to, error)
      || (self.scratch = g_dir_make_tmp ("sluice-matters-XXXXXX", error)) == NULL)
    return NULL;
  gboolean ok = try_all (&self, &from, &to, has_same_graph (first, second), error);
  g_autofree char *path = g_build_filename (self.scratch, "project.ini", NULL);
  g_unlink (path);
  g_rmdir (self.scratch);
  g_free (self.scratch);
  return ok ? g_steal_pointer (&result) : NULL;
}
