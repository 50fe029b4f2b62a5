/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "api/workspace.h"

#include "api/sluice-private.h"
#include "api/workspace-options.h"
#include "api/workspace-table.h"
#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/store/run-filter.h"
#include "engine/train/fork.h"
#include "engine/train/queue-work.h"
#include "engine/train/run-edit.h"
#include "engine/train/run-file.h"
#include "engine/train/run-variant.h"
#include "engine/train/sweep-runs.h"
#include "kernels/linalg/library.h"

/* How often those who wait for other programs' runs look again. */
#define LOOK_MS 500

G_DEFINE_BOXED_TYPE (SluiceWorkspace,
                     sluice_workspace,
                     sluice_workspace_share,
                     sluice_workspace_release)

SluiceWorkspace *
sluice_workspace_share (SluiceWorkspace *self)
{
  return g_object_ref (self);
}

void
sluice_workspace_release (SluiceWorkspace *self)
{
  g_object_unref (self);
}

/* ---- the whole ---- */

static char *
dup_build (void)
{
  return sluice_libraries_dup_build (SLUICE_VERSION);
}

static SluiceWorkspace *
open_with (const char *path, const SluiceStoreOptions *options, GError **error)
{
  static gsize is_told;
  sluice_api_begin_graphs ();
  if (g_once_init_enter (&is_told))
    {
      sluice_run_file_set_build (dup_build);
      g_once_init_leave (&is_told, 1);
    }
  SluiceStore *store = sluice_store_open_with (path, options, error);
  if (store != NULL && !options->read_only)
    g_strfreev (sluice_run_mend_edits (store));
  return store;
}

SluiceWorkspace *
sluice_workspace_open (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  return open_with (path, &(SluiceStoreOptions){ 0 }, error);
}

SluiceWorkspace *
sluice_workspace_open_to_read (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  return open_with (path, &(SluiceStoreOptions){ .read_only = TRUE }, error);
}

const char *
sluice_workspace_get_path (SluiceWorkspace *self)
{
  return sluice_store_get_workspace (self);
}

/* ---- what was recorded ---- */

GVariant *
sluice_workspace_dup_runs (SluiceWorkspace *self, const char *filter, GError **error)
{
  g_autoptr (SluiceRunFilter) wanted = sluice_run_filter_new (filter != NULL ? filter : "", error);
  g_autoptr (GPtrArray) rows =
      wanted != NULL ? sluice_store_read_run_entries (self, FALSE, error) : NULL;
  if (rows == NULL)
    return NULL;
  g_autoptr (GHashTable) names = sluice_run_entries_map_names (rows);
  GVariantBuilder table;
  g_variant_builder_init (&table, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < rows->len; i++)
    if (sluice_run_filter_matches (wanted, rows->pdata[i]))
      g_variant_builder_add_value (&table,
                                   sluice_run_entry_to_variant (self, rows->pdata[i], names));
  return g_variant_ref_sink (g_variant_builder_end (&table));
}

GVariant *
sluice_workspace_dup_table (SluiceWorkspace *self, const char *filter, GError **error)
{
  g_autoptr (GVariant) rows = sluice_workspace_dup_runs (self, filter, error);
  return rows != NULL ? g_variant_ref_sink (sluice_workspace_table_new (rows)) : NULL;
}

/* Series of a run's scalars alone. (transfer full) (nullable) (element-type SluiceSeriesInfo) */
static GPtrArray *
dup_series (SluiceWorkspace *self, const char *run, GError **error)
{
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (self, run, error);
  GPtrArray *all = info != NULL ? sluice_store_dup_series (self, info->id, error) : NULL;
  for (guint i = all != NULL ? all->len : 0; i-- > 0;)
    if (((SluiceSeriesInfo *) all->pdata[i])->kind != SLUICE_SERIES_SCALAR)
      g_ptr_array_remove_index (all, i);
  return all;
}

static char **
tags_of (GPtrArray *series)
{
  g_autoptr (GStrvBuilder) tags = g_strv_builder_new ();
  for (guint i = 0; i < series->len; i++)
    g_strv_builder_add (tags, ((SluiceSeriesInfo *) series->pdata[i])->tag);
  return g_strv_builder_end (tags);
}

char **
sluice_workspace_dup_tags (SluiceWorkspace *self, const char *run, GError **error)
{
  g_return_val_if_fail (run != NULL, NULL);
  g_autoptr (GPtrArray) series = dup_series (self, run, error);
  return series != NULL ? tags_of (series) : NULL;
}

/* 0: NOT_FOUND, with the nearest tag. */
static gint64
find_series (SluiceWorkspace *self, const char *run, const char *tag, GError **error)
{
  g_autoptr (GPtrArray) series = dup_series (self, run, error);
  if (series == NULL)
    return 0;
  g_auto (GStrv) tags = tags_of (series);
  for (guint i = 0; i < series->len; i++)
    if (g_str_equal (tags[i], tag))
      return ((SluiceSeriesInfo *) series->pdata[i])->id;
  const char *hint = sluice_suggest_name (tag, (const char *const *) tags, series->len);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "run '%s' has no scalars '%s'%s%s%s", run, tag,
               hint != NULL ? "; did you mean '" : "", hint != NULL ? hint : "",
               hint != NULL ? "'?" : "");
  return 0;
}

/* (transfer full) (nullable): a column of one dtype whose elements lie in points, at offset */
static SluiceTensor *
column_new (SluiceDType dtype, const GArray *points, gsize offset, GError **error)
{
  const gint64 n = points->len;
  SluiceShape shape;
  if (!sluice_shape_make (&shape, &n, 1, error))
    return NULL;
  SluiceTensor *self = sluice_tensor_new_checked (NULL, dtype, &shape, SLUICE_OWNER_NONE, error);
  for (guint i = 0; self != NULL && i < points->len; i++)
    memcpy ((guint8 *) self->data + i * sizeof (gint64),
            points->data + i * sizeof (SluiceScalar) + offset, sizeof (gint64));
  return self;
}

gboolean
sluice_workspace_dup_points (SluiceWorkspace *self,
                             const char *run,
                             const char *tag,
                             SluiceTensor **steps,
                             SluiceTensor **walls,
                             SluiceTensor **values,
                             GError **error)
{
  g_return_val_if_fail (run != NULL && tag != NULL, FALSE);
  G_STATIC_ASSERT (sizeof (double) == sizeof (gint64));
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  gint64 series = find_series (self, run, tag, error);
  *steps = *walls = *values = NULL;
  if (series == 0
      || !sluice_store_read_points (self, series, G_MININT64, G_MAXUINT32, points, error))
    return FALSE;
  const struct
  {
    SluiceTensor **to;
    SluiceDType dtype;
    gsize offset;
  } columns[] = {
    { steps, SLUICE_INT64, G_STRUCT_OFFSET (SluiceScalar, step) },
    { walls, SLUICE_DOUBLE, G_STRUCT_OFFSET (SluiceScalar, wall) },
    { values, SLUICE_DOUBLE, G_STRUCT_OFFSET (SluiceScalar, value) },
  };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    if ((*columns[i].to = column_new (columns[i].dtype, points, columns[i].offset, error)) == NULL)
      {
        for (guint k = 0; k < i; k++)
          g_clear_pointer (columns[k].to, sluice_tensor_unref);
        return FALSE;
      }
  return TRUE;
}

GVariant *
sluice_workspace_diff (SluiceWorkspace *self, const char *const *runs, GError **error)
{
  g_auto (GStrv) names = NULL;
  if (runs == NULL || runs[0] == NULL || runs[1] == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "give two runs or more to be compared");
      return NULL;
    }
  g_autoptr (SluiceRunDiff) diff = sluice_run_diff_new_of (self, runs, &names, error);
  return diff != NULL
             ? g_variant_ref_sink (sluice_run_diff_to_variant (diff, (const char *const *) names))
             : NULL;
}

/* ---- runs that wait ---- */

static char *
take_name (SluiceRunInfo *take)
{
  g_autoptr (SluiceRunInfo) info = take;
  return info != NULL ? g_strdup (info->name) : NULL;
}

/* (nullable): no run */
static gboolean
find_after (SluiceWorkspace *self, const char *after, SluiceQueueNeeds *needs, GError **error)
{
  if (after == NULL)
    return TRUE;
  g_autoptr (SluiceRunInfo) first = sluice_store_dup_run (self, after, error);
  if (first != NULL)
    needs->after = first->id;
  else
    g_prefix_error (error, "option after: ");
  return first != NULL;
}

char *
sluice_workspace_launch (SluiceWorkspace *self,
                         const char *project,
                         const char *const *settings,
                         GVariant *options,
                         GError **error)
{
  g_return_val_if_fail (project != NULL, NULL);
  g_auto (SluiceWorkspaceOptions) given;
  if (!sluice_workspace_options_read (&given, options, SLUICE_WORKSPACE_LAUNCH, error))
    return NULL;
  SluiceQueueRequest request = { .name = given.name, .group = given.group };
  g_autoptr (SluiceProject) loaded = sluice_project_load (project, error);
  if (loaded == NULL || !sluice_project_set_all (loaded, (char **) settings, error)
      || !find_after (self, given.after, &request.needs, error))
    return NULL;
  return take_name (sluice_queue_add (self, loaded, &request, error));
}

char **
sluice_workspace_sweep (SluiceWorkspace *self,
                        const char *project,
                        const char *const *values,
                        const char *const *settings,
                        GVariant *options,
                        GError **error)
{
  g_return_val_if_fail (project != NULL && values != NULL, NULL);
  g_auto (SluiceWorkspaceOptions) given;
  if (!sluice_workspace_options_read (&given, options, SLUICE_WORKSPACE_SWEEP, error))
    return NULL;
  const SluiceSweepRequest request = { .folder = project,
                                       .values = values,
                                       .settings = settings,
                                       .method = given.method,
                                       .n_trials = (guint) given.n_trials,
                                       .seed = (guint64) given.seed,
                                       .metric = given.metric,
                                       .direction = given.direction,
                                       .one_of = (guint) given.one_of,
                                       .first_rung = given.first_rung,
                                       .group = given.group };
  g_autoptr (SluiceSweep) sweep = sluice_sweep_new (&request, self, error);
  g_autoptr (GPtrArray) runs =
      sweep != NULL ? sluice_sweep_add_runs (sweep, self, NULL, error) : NULL;
  if (runs == NULL)
    return NULL;
  char **names = g_new0 (char *, runs->len + 1);
  for (guint i = 0; i < runs->len; i++)
    names[i] = g_strdup (((const SluiceRunInfo *) runs->pdata[i])->name);
  return names;
}

char *
sluice_workspace_fork (SluiceWorkspace *self,
                       const char *run,
                       gint64 step,
                       const char *const *settings,
                       GVariant *options,
                       GError **error)
{
  g_return_val_if_fail (run != NULL, NULL);
  g_auto (SluiceWorkspaceOptions) given;
  if (!sluice_workspace_options_read (&given, options, SLUICE_WORKSPACE_FORK, error))
    return NULL;
  SluiceForkRequest request = { .name = given.name,
                                .step = step,
                                .assignments = settings,
                                .waits = TRUE,
                                .accept_changed_data = given.accept_changed_data };
  g_autoptr (SluiceRunInfo) parent = sluice_store_dup_run (self, run, error);
  if (parent == NULL || !find_after (self, given.after, &request.needs, error))
    return NULL;
  return take_name (sluice_fork (self, parent, &request, error));
}

/* ---- training ---- */

static void
stop_cb (GCancellable *cancellable, SluiceTrainer *trainer)
{
  sluice_trainer_stop (trainer);
}

static gboolean
train (SluiceTrainer *trainer, gpointer cancellable, GError **error)
{
  sluice_trainer_start (trainer);
  gulong stops = cancellable != NULL
                     ? g_cancellable_connect (cancellable, G_CALLBACK (stop_cb), trainer, NULL)
                     : 0;
  gboolean ok = sluice_trainer_wait (trainer, error);
  if (cancellable != NULL)
    g_cancellable_disconnect (cancellable, stops);
  return ok;
}

static gboolean
is_over (gpointer cancellable)
{
  return g_cancellable_is_cancelled (cancellable);
}

static void
wait_for_others (gpointer cancellable)
{
  GPollFD fd;
  gboolean can_end = cancellable != NULL && g_cancellable_make_pollfd (cancellable, &fd);
  g_poll (&fd, can_end, LOOK_MS);
  if (can_end)
    g_cancellable_release_fd (cancellable);
}

int
sluice_workspace_train (
    SluiceWorkspace *self, const char *group, guint jobs, GCancellable *cancellable, GError **error)
{
  const SluiceTrainerOptions options = { 0 };
  const SluiceQueueWork work = { .group = group,
                                 .jobs = MAX (jobs, 1),
                                 .trainer = &options,
                                 .train = train,
                                 .is_over = is_over,
                                 .wait = wait_for_others,
                                 .data = cancellable };
  guint n_failed;
  if (!sluice_queue_work (self, &work, &n_failed, error))
    return -1;
  if (!g_cancellable_is_cancelled (cancellable))
    return (int) n_failed;
  sluice_fail (error, SLUICE_ERROR_CANCELLED,
               "training was cancelled; runs that were under way are saved and wait again");
  return -1;
}

/* ---- runs at work, and done ---- */

#define MAX_PATIENCE 86400.0 /* a day */

GVariant *
sluice_workspace_control (SluiceWorkspace *self,
                          const char *run,
                          const char *verb,
                          const char *argument,
                          double patience,
                          GError **error)
{
  g_return_val_if_fail (run != NULL && verb != NULL, NULL);
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (self, run, error);
  gint64 patience_ms = (gint64) (CLAMP (patience, 0.1, MAX_PATIENCE) * 1000);
  g_autoptr (SluiceCommand) command =
      info != NULL ? sluice_run_control_call (self, info, verb, argument, patience_ms, NULL, error)
                   : NULL;
  return command != NULL ? g_variant_ref_sink (sluice_command_to_variant (command, info)) : NULL;
}

GVariant *
sluice_workspace_reproduce (SluiceWorkspace *self,
                            const char *run,
                            gint64 from,
                            gint64 n_steps,
                            GCancellable *cancellable,
                            GError **error)
{
  g_return_val_if_fail (run != NULL, NULL);
  const SluiceReproduceOptions options = { .from = MAX (from, -1),
                                           .n_steps = MAX (n_steps, 0),
                                           .cancellable = cancellable };
  g_autoptr (SluiceReproduction) found = sluice_reproduce (self, run, &options, error);
  return found != NULL ? g_variant_ref_sink (sluice_reproduction_to_variant (found)) : NULL;
}
