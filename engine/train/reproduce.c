/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/reproduce.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/diff.h"
#include "engine/graph/graphdef.h"
#include "engine/store/file.h"
#include "engine/store/kinds/event.h"
#include "engine/train/comparison.h"
#include "engine/train/example-sums.h"
#include "engine/train/experiment.h"
#include "engine/train/reproduce-private.h"

const char *
sluice_parting_cause_name (SluicePartingCause cause)
{
  static const char *const names[] = { "unknown", "variable", "data",  "option",
                                       "graph",   "value",    "build", "machine" };
  return names[cause];
}

void
sluice_reproduction_free (SluiceReproduction *self)
{
  g_free (self->machine);
  g_free (self->build);
  g_ptr_array_unref (self->notes);
  g_clear_pointer (&self->parting, sluice_parting_free);
  g_free (self);
}

/* ---- what is there ---- */

static void
segment_clear (gpointer data)
{
  SluiceSegment *segment = data;
  g_clear_pointer (&segment->project, sluice_project_free);
  g_free (segment->state);
}

static void
reproducer_clear (SluiceReproducer *self)
{
  if (self->scratch != NULL)
    sluice_file_remove_flat (self->scratch);
  for (guint i = 0; i < SLUICE_N_DATA; i++)
    {
      g_free (self->data[i].why);
      g_clear_pointer (&self->data[i].changed, g_array_unref);
    }
  g_clear_pointer (&self->info, sluice_run_info_free);
  g_clear_pointer (&self->file, sluice_run_file_free);
  g_clear_pointer (&self->segments, g_array_unref);
  g_clear_pointer (&self->recorded, sluice_project_free);
  g_clear_pointer (&self->changes, g_ptr_array_unref);
  g_free (self->folder);
  g_free (self->scratch);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceReproducer, reproducer_clear)

/* The workspace's files are read as the run's own process read them, and none is written. */
static void
allow_files (SluiceReproducer *self, SluiceProject *project)
{
  const char *const *more = self->options->allow_files;
  sluice_file_access_allow (project->files, sluice_store_get_workspace (self->store),
                            SLUICE_FILE_READ);
  for (guint i = 0; more != NULL && more[i] != NULL; i++)
    sluice_file_access_allow (project->files, more[i], SLUICE_FILE_WRITE);
}

SluiceProject *
sluice_reproducer_load_text (SluiceReproducer *self,
                             const char *text,
                             const char *graph_path,
                             GError **error)
{
  g_autofree char *path = g_build_filename (self->scratch, "project.ini", NULL);
  if (!sluice_file_put ("project", path, text, strlen (text), error))
    return NULL;
  SluiceProject *project = sluice_project_load (self->scratch, error);
  if (project == NULL)
    return NULL;
  g_free (project->graph_path);
  project->graph_path = g_strdup (graph_path);
  allow_files (self, project);
  return project;
}

SluiceReplica *
sluice_reproducer_new_replica (SluiceReproducer *self,
                               SluiceProject *project,
                               const SluiceExamples *examples,
                               const SluiceExamples *test,
                               GError **error)
{
  return sluice_replica_new (project, examples, test, self->options->n_cpus, self->options->host,
                             error);
}

/* ---- options ---- */

static char *
dup_changes (const GPtrArray *changes)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < changes->len; i++)
    {
      const SluiceOptionChange *change = changes->pdata[i];
      g_autofree char *key = g_strdup_printf ("%s.%s", change->group, change->key);
      g_string_append_printf (text, _ ("%s%s is %s and was %s"), i > 0 ? "; " : "", key,
                              change->is != NULL ? change->is : "–",
                              change->was != NULL ? change->was : "–");
    }
  return g_string_free (text, FALSE);
}

static void
add_segment (SluiceReproducer *self, gint64 from, SluiceProject *take_project)
{
  SluiceSegment segment = { from, take_project, NULL };
  g_array_append_val (self->segments, segment);
}

/* Which project made which steps: the run's folder has the last one, earlier ones are recorded. */
static gboolean
find_segments (SluiceReproducer *self, GError **error)
{
  GArray *sources = self->file != NULL ? self->file->sources : NULL;
  guint n = sources != NULL ? sources->len : 0;
  SluiceProject *project = sluice_project_load (self->folder, error);
  if (project == NULL)
    return FALSE;
  allow_files (self, project);
  self->segments = g_array_new (FALSE, TRUE, sizeof (SluiceSegment));
  g_array_set_clear_func (self->segments, segment_clear);
  for (guint i = 0; i + 1 < n; i++)
    {
      const SluiceRunSource *source = &g_array_index (sources, SluiceRunSource, i);
      SluiceProject *earlier =
          sluice_reproducer_load_text (self, source->text, project->graph_path, error);
      if (earlier == NULL)
        {
          sluice_project_free (project);
          return FALSE;
        }
      add_segment (self, source->from, earlier);
    }
  const SluiceRunSource *last = n > 0 ? &g_array_index (sources, SluiceRunSource, n - 1) : NULL;
  add_segment (self, last != NULL ? last->from : 0, project);
  if (last == NULL)
    return TRUE;
  g_autofree char *now = sluice_project_dup_text (project);
  self->changes = sluice_option_diff (last->text, now);
  if (self->changes->len > 0)
    self->recorded = sluice_reproducer_load_text (self, last->text, project->graph_path, error);
  return self->changes->len == 0 || self->recorded != NULL;
}

/* ---- data ---- */

static void
compare_tensor (SluiceReproducer *self, SluiceDataChange *change, const SluiceTensor *now)
{
  const char *workspace = sluice_store_get_workspace (self->store);
  const char *hash = g_hash_table_lookup (self->file->examples, change->key);
  g_autoptr (SluiceExampleSums) before =
      hash != NULL ? sluice_example_sums_read (workspace, hash) : NULL;
  g_autoptr (SluiceExampleSums) sums = before != NULL ? sluice_example_sums_new (now) : NULL;
  if (before == NULL || sums == NULL)
    return;
  change->n_before = before->n;
  change->changed = sluice_example_sums_compare (before, sums);
}

/* Files that are not what they were, and of which examples that is so. The run's file is not
 * changed. */
static gboolean
find_data (SluiceReproducer *self, GError **error)
{
  static const char *const keys[SLUICE_N_DATA] = { "train-x", "train-y", "test-x", "test-y" };
  SluiceProject *project =
      g_array_index (self->segments, SluiceSegment, self->segments->len - 1).project;
  g_autofree char *why = NULL;
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (self->folder);
  for (guint i = 0; i < SLUICE_N_DATA; i++)
    self->data[i].key = keys[i];
  if (file == NULL)
    return TRUE;
  if (!sluice_run_file_compare (file, project, &why, error))
    return FALSE;
  if (why == NULL)
    return TRUE;
  SluiceProject *then = self->recorded != NULL ? self->recorded : project;
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  if (!sluice_examples_load_all (then, &examples, &test, error))
    return FALSE;
  const SluiceTensor *const tensors[SLUICE_N_DATA] = { examples != NULL ? examples->x : NULL,
                                                       examples != NULL ? examples->y : NULL,
                                                       test != NULL ? test->x : NULL,
                                                       test != NULL ? test->y : NULL };
  for (guint i = 0; i < SLUICE_N_DATA; i++)
    {
      self->data[i].why = g_strdup (why);
      if (tensors[i] != NULL)
        compare_tensor (self, &self->data[i], tensors[i]);
    }
  return TRUE;
}

/* ---- the graph ---- */

/* The first of the nodes that differ, in the order in which the step or the initialiser comes to
 * them. */
static const SluiceNodeDiff *
find_needed (const GPtrArray *diffs, const SluiceProject *project, gboolean of_init)
{
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (project, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *const *targets = (const char *const *) (of_init ? project->init : project->train);
  const SluiceStepNames step = { .targets = targets,
                                 .n_targets =
                                     targets != NULL ? g_strv_length ((char **) targets) : 0,
                                 .fetches = (const char *const *) project->loss,
                                 .n_fetches = of_init ? 0 : 1 };
  if (graph == NULL || !sluice_comparison_list_parts (graph, &step, names, names, NULL))
    return NULL;
  for (guint i = 0; i < names->len; i++)
    for (guint k = 0; k < diffs->len; k++)
      {
        const SluiceNodeDiff *diff = diffs->pdata[k];
        const char *name = names->pdata[i];
        gsize length = strcspn (name, ":");
        if (diff->is != NULL && strncmp (diff->is->name, name, length) == 0
            && diff->is->name[length] == '\0')
          return diff;
      }
  return NULL;
}

static SluiceParting *
part_of_node (const SluiceNodeDiff *diff, gint64 step)
{
  SluiceParting *parting = g_new0 (SluiceParting, 1);
  const SluiceFieldDiff *field =
      diff->fields->len > 0 ? &g_array_index (diff->fields, SluiceFieldDiff, 0) : NULL;
  parting->step = step;
  parting->node = g_strdup (diff->is->name);
  parting->element = -1;
  parting->was = field != NULL ? g_strdup (field->from) : NULL;
  parting->is = field != NULL ? g_strdup (field->to) : NULL;
  parting->cause = SLUICE_PARTING_GRAPH;
  parting->because =
      field != NULL
          ? g_strdup_printf (_ ("the graph in the run's folder is another one than was trained: "
                                "'%s' of the node differs"),
                             field->field)
          : g_strdup (_ ("the graph in the run's folder is another one than was trained"));
  return parting;
}

/* Where the difference changes no value, the graph that was trained takes its place. */
static gboolean
take_stored_graph (SluiceReproducer *self,
                   GBytes *bytes,
                   SluiceReproduction *result,
                   GError **error)
{
  g_autofree char *path = g_build_filename (self->scratch, "model.pb", NULL);
  gsize length;
  const void *data = g_bytes_get_data (bytes, &length);
  if (!sluice_file_put ("graph", path, data, length, error))
    return FALSE;
  for (guint i = 0; i < self->segments->len; i++)
    {
      SluiceProject *project = g_array_index (self->segments, SluiceSegment, i).project;
      g_free (project->graph_path);
      project->graph_path = g_strdup (path);
    }
  g_ptr_array_add (result->notes, g_strdup (_ ("the graph in the run's folder is another one than "
                                               "was trained; no step needs what differs")));
  return TRUE;
}

/* *parting: (nullable): where the graph that is there now parts from that of the run. */
static gboolean
compare_graphs (SluiceReproducer *self,
                SluiceReproduction *result,
                gboolean begins,
                SluiceParting **parting,
                GError **error)
{
  SluiceProject *project =
      g_array_index (self->segments, SluiceSegment, self->segments->len - 1).project;
  g_autoptr (SluiceGraph) now = sluice_project_load_graph (project, error);
  g_autofree char *hash = now != NULL ? sluice_graph_dup_hash (now, error) : NULL;
  if (hash == NULL)
    return FALSE;
  if (g_strcmp0 (hash, self->info->graph_hash) == 0)
    return TRUE;
  g_autoptr (GBytes) bytes = sluice_store_get_graph (self->store, self->info->graph_hash, error);
  g_autoptr (SluiceGraph) then = sluice_graph_new ();
  if (bytes == NULL || !sluice_graph_import (then, bytes, error))
    return FALSE;
  g_autoptr (GPtrArray) diffs = sluice_graph_diff (then, now);
  const SluiceNodeDiff *of_init = begins ? find_needed (diffs, project, TRUE) : NULL;
  const SluiceNodeDiff *first = of_init != NULL ? of_init : find_needed (diffs, project, FALSE);
  if (first == NULL)
    return take_stored_graph (self, bytes, result, error);
  *parting = part_of_node (first, of_init != NULL ? 0 : result->from + 1);
  return TRUE;
}

/* ---- where it begins ---- */

/* Before this step the run is not its own settings alone: it took values from elsewhere, or its
 * data were others. has_values: the checkpoint of that step is its beginning. */
static gint64
find_base (const SluiceReproducer *self, const SluiceLogged *log, gboolean *has_values)
{
  /* Values from elsewhere, other data, another graph, a value that somebody put into a step. */
  static const char *const kinds[] = { "init-from", "data-changed", "edit", "put", "inject", NULL };
  gint64 base = self->info->parent != 0 ? self->info->parent_step : 0;
  *has_values = self->info->parent != 0;
  for (guint i = 0; i < log->events->len; i++)
    {
      const SluiceEvent *event = log->events->pdata[i];
      if (!g_strv_contains (kinds, event->kind))
        continue;
      base = MAX (base, event->base.step);
      *has_values = TRUE;
    }
  return base;
}

static gboolean
no_checkpoint (const SluiceReproducer *self, const SluiceLogged *log, gint64 step, GError **error)
{
  g_autoptr (GString) there = g_string_new (NULL);
  for (guint i = 0; i < log->checkpoints->len; i++)
    g_string_append_printf (there, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            ((const SluiceCheckpointInfo *) log->checkpoints->pdata[i])->step);
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                      "run '%s' has no checkpoint of step %" G_GINT64_FORMAT
                      " to begin with; it has: %s",
                      self->info->name, step, there->len > 0 ? there->str : "none");
}

/* *start: (nullable): the checkpoint of *from. */
static gboolean
find_start (const SluiceReproducer *self,
            const SluiceLogged *log,
            gint64 *from,
            const char **start,
            GError **error)
{
  gboolean has_values;
  gint64 base = find_base (self, log, &has_values);
  *from = self->options->from >= 0 ? self->options->from : base;
  if (*from < base)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "run '%s' took values, data or a graph from elsewhere at step "
                        "%" G_GINT64_FORMAT "; begin there or later",
                        self->info->name, base);
  const SluiceCheckpointInfo *checkpoint = sluice_logged_find_checkpoint (log, *from);
  if (checkpoint == NULL && (*from > 0 || has_values))
    return no_checkpoint (self, log, *from, error);
  *start = *from > 0 || has_values ? checkpoint->path : NULL;
  return TRUE;
}

/* ---- why ---- */

typedef struct
{
  SluiceReproducer *of;
  SluiceReproduction *result;
  const SluiceLogged *log;
  const char *start; /* (nullable) */
} Trial;

static void
explain (SluiceParting *self, SluicePartingCause cause, char *take_because)
{
  self->cause = cause;
  g_free (self->because);
  self->because = take_because;
}

/* TRUE: another program or machine made the run, and is the only reason that is left. */
static gboolean
explain_by_maker (const Trial *self, SluiceParting *parting)
{
  const SluiceRunFile *file = self->of->file;
  const char *build = file != NULL ? g_hash_table_lookup (file->made, "build") : NULL;
  const char *machine = file != NULL ? g_hash_table_lookup (file->made, "machine") : NULL;
  if (build != NULL && self->result->build != NULL && strcmp (build, self->result->build) != 0)
    explain (
        parting, SLUICE_PARTING_BUILD,
        g_strdup_printf (_ ("it was trained by build %s, this is %s"), build, self->result->build));
  else if (machine != NULL && strcmp (machine, self->result->machine) != 0)
    explain (
        parting, SLUICE_PARTING_MACHINE,
        g_strdup_printf (_ ("it was trained on %s, this is %s"), machine, self->result->machine));
  else
    return FALSE;
  return TRUE;
}

static void
explain_variable (const Trial *self, const SluicePassResult *pass)
{
  SluiceParting *parting = pass->parting;
  gboolean went_on = pass->n_other_after > 0;
  if (went_on && pass->n_other_elements > 1 && explain_by_maker (self, parting))
    return;
  const char *format =
      went_on
          ? ngettext ("%u element of the checkpoint is not what was computed; the run went on "
                      "with it",
                      "%u elements of the checkpoint are not what was computed; the run went on "
                      "with them",
                      pass->n_other_elements)
      : pass->n_equal_after > 0
          ? ngettext (
              "%u element of the checkpoint is not what was computed; the run did not go on "
              "with it: the file was changed later",
              "%u elements of the checkpoint are not what was computed; the run did not go "
              "on with them: the file was changed later",
              pass->n_other_elements)
          : ngettext ("%u element of the checkpoint is not what was computed",
                      "%u elements of the checkpoint are not what was computed",
                      pass->n_other_elements);
  explain (parting, SLUICE_PARTING_VARIABLE, g_strdup_printf (format, pass->n_other_elements));
}

static gboolean try_pass (Trial *self, SluicePassResult *pass, GError **error);

/* Were the values that it began with those that the run had computed? FALSE: an error. */
static gboolean
look_before_start (const Trial *self, SluicePassResult *pass, GError **error)
{
  gboolean has_values;
  gint64 base = find_base (self->of, self->log, &has_values), from = base;
  if (self->start == NULL || pass->from <= base)
    return TRUE;
  for (guint i = 0; i < self->log->checkpoints->len; i++)
    {
      gint64 step = ((const SluiceCheckpointInfo *) self->log->checkpoints->pdata[i])->step;
      if (step > from && step < pass->from)
        from = step;
    }
  const SluiceCheckpointInfo *checkpoint = sluice_logged_find_checkpoint (self->log, from);
  if (checkpoint == NULL && (from > 0 || has_values))
    return TRUE;
  Trial before = *self;
  SluicePassResult earlier = { .from = from, .to = pass->from };
  before.start = from > 0 || has_values ? checkpoint->path : NULL;
  if (!try_pass (&before, &earlier, error))
    return FALSE;
  if (earlier.parting == NULL)
    return TRUE;
  /* What came of these values is not what was logged, so that the run went on with others. */
  if (earlier.parting->cause == SLUICE_PARTING_VARIABLE && earlier.n_other_after == 0)
    {
      earlier.n_equal_after++;
      explain_variable (self, &earlier);
    }
  g_clear_pointer (&pass->parting, sluice_parting_free);
  pass->parting = earlier.parting;
  return TRUE;
}

/* *done: the project is why. FALSE: an error. */
static gboolean
explain_by_option (const Trial *self, SluicePassResult *pass, gboolean *done, GError **error)
{
  GArray *segments = self->of->segments;
  const SluiceSegment *last = &g_array_index (segments, SluiceSegment, segments->len - 1);
  *done = FALSE;
  if (self->of->recorded == NULL || pass->parting->step < last->from)
    return TRUE;
  const char *start = last->from > pass->from ? last->state : self->start;
  g_autoptr (GError) local = NULL;
  SluiceParting *parting =
      sluice_reproducer_find_option (self->of, start, pass->parting->step, &local);
  if (local != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  gboolean of_evaluation =
      pass->parting->tensor != NULL && g_str_has_prefix (pass->parting->tensor, "evaluate/");
  if (parting == NULL && !of_evaluation)
    return TRUE;
  if (parting != NULL)
    {
      sluice_parting_free (pass->parting);
      pass->parting = parting;
    }
  explain (pass->parting, SLUICE_PARTING_OPTION, dup_changes (self->of->changes));
  return *done = TRUE;
}

/* A file is another one, and which of its examples are is not known. */
static gboolean
explain_by_file (const Trial *self, SluiceParting *parting)
{
  const SluiceDataChange *data = self->of->data;
  if (data[SLUICE_TRAIN_X].why == NULL || data[SLUICE_TRAIN_X].changed != NULL)
    return FALSE;
  explain (parting, SLUICE_PARTING_DATA,
           g_strdup_printf (_ ("the data are others; which examples is not recorded: %s"),
                            data[SLUICE_TRAIN_X].why));
  return TRUE;
}

static gboolean
explain_parting (const Trial *self, SluicePassResult *pass, GError **error)
{
  gboolean done;
  SluiceParting *first = pass->parting;
  if (first->cause == SLUICE_PARTING_DATA)
    return TRUE;
  if (!explain_by_option (self, pass, &done, error) || done)
    return done;
  if (explain_by_file (self, pass->parting))
    return TRUE;
  /* A damage that a checksum tells needs no more. */
  if (first->because == NULL && (!look_before_start (self, pass, error) || pass->parting != first))
    return pass->parting != first;
  if (!pass->is_logged)
    {
      first->cause = SLUICE_PARTING_VARIABLE;
      if (first->because == NULL)
        explain_variable (self, pass);
      return TRUE;
    }
  if (pass->n_other_after == 0 && pass->n_equal_after > 0)
    explain (first, SLUICE_PARTING_VALUE,
             g_strdup (_ ("this value alone differs: it was changed in the log, or the run was "
                          "disturbed while it logged it")));
  else if (!explain_by_maker (self, first))
    explain (first, SLUICE_PARTING_UNKNOWN,
             g_strdup (_ ("graph, data, options, build and machine are what they were; what was "
                          "computed then is not known further")));
  return TRUE;
}

/* ---- the whole ---- */

/* More or fewer examples than there were: no batch is what it was. */
static SluiceParting *
part_of_count (const SluiceReproducer *self, gint64 from)
{
  GArray *segments = self->segments;
  const SluiceProject *project = g_array_index (segments, SluiceSegment, segments->len - 1).project;
  const SluiceDataChange *change = &self->data[SLUICE_TRAIN_X];
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  if (change->n_before == 0 || !sluice_examples_load_all (project, &examples, &test, NULL)
      || examples == NULL || examples->n == change->n_before)
    return NULL;
  SluiceParting *parting = g_new0 (SluiceParting, 1);
  parting->step = from + 1;
  parting->node = g_strndup (project->feed_x, strcspn (project->feed_x, ":"));
  parting->tensor = g_strdup (project->feed_x);
  parting->element = -1;
  parting->was = g_strdup_printf ("%" G_GINT64_FORMAT, change->n_before);
  parting->is = g_strdup_printf ("%" G_GINT64_FORMAT, examples->n);
  explain (parting, SLUICE_PARTING_DATA,
           g_strdup_printf (_ ("there are %" PRId64 " examples now and were %" PRId64 ": %s"),
                            examples->n, change->n_before, change->why));
  return parting;
}

/* A pass, and where it parts, why. */
static gboolean
try_pass (Trial *self, SluicePassResult *pass, GError **error)
{
  g_autoptr (GError) local = NULL;
  if (!sluice_reproducer_pass (self->of, self->start, pass, &local))
    {
      /* A checkpoint that cannot be begun with is compared with what it should be. */
      gboolean damaged = g_error_matches (local, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
      g_clear_pointer (&pass->parting, sluice_parting_free);
      if (damaged && look_before_start (self, pass, NULL) && pass->parting != NULL)
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (pass->parting == NULL || explain_parting (self, pass, error))
    return TRUE;
  g_clear_pointer (&pass->parting, sluice_parting_free);
  return FALSE;
}

static void
note_rest (const SluiceReproducer *self, SluiceReproduction *result)
{
  if (self->changes != NULL && self->changes->len > 0)
    {
      g_autofree char *text = dup_changes (self->changes);
      g_ptr_array_add (result->notes, g_strdup_printf (_ ("changes no value: %s"), text));
    }
  if (self->data[SLUICE_TRAIN_X].why != NULL)
    g_ptr_array_add (result->notes, g_strdup_printf (_ ("not met in these steps: %s"),
                                                     self->data[SLUICE_TRAIN_X].why));
}

static gboolean
compare (SluiceReproducer *self, SluiceReproduction *result, GError **error)
{
  g_autoptr (SluiceLogged) log = sluice_logged_new (self->store, self->info->id, 0, error);
  Trial trial = { self, result, log, NULL };
  if (log == NULL || !find_start (self, log, &result->from, &trial.start, error))
    return FALSE;
  gint64 last = sluice_logged_get_last_step (log);
  result->to =
      self->options->n_steps > 0 ? MIN (last, result->from + self->options->n_steps) : last;
  if (result->to <= result->from)
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE,
                        "run '%s' has logged nothing after step %" G_GINT64_FORMAT,
                        self->info->name, result->from);
  if (!compare_graphs (self, result, trial.start == NULL, &result->parting, error))
    return FALSE;
  if (result->parting == NULL)
    result->parting = part_of_count (self, result->from);
  if (result->parting != NULL)
    return TRUE;
  SluicePassResult pass = { .from = result->from, .to = result->to };
  if (!try_pass (&trial, &pass, error))
    return FALSE;
  result->parting = pass.parting;
  result->n_values = pass.n_values;
  result->n_checkpoints = pass.n_checkpoints;
  result->equal = pass.parting == NULL;
  if (result->equal)
    note_rest (self, result);
  return TRUE;
}

/* More is known than this would say. */
static gboolean
is_proven (const SluiceRunProof *before, const SluiceRunProof *now)
{
  return before != NULL && before->equal && now->equal && before->from <= now->from
         && before->to >= now->to && strcmp (before->machine, now->machine) == 0
         && g_strcmp0 (before->build, now->build) == 0;
}

/* That it cannot be written changes nothing of what was found. */
static void
keep_proof (const SluiceReproducer *self, const SluiceReproduction *result)
{
  g_autoptr (SluiceRunFile) file = sluice_run_file_read (self->folder);
  if (file == NULL)
    return;
  SluiceRunProof proof = {
    .equal = result->equal,
    .from = result->from,
    .to = result->equal ? result->to : result->parting->step,
    .machine = result->machine,
    .build = result->build,
    .where = result->equal ? NULL : result->parting->node,
    .when = (double) g_get_real_time () * 1e-6,
  };
  if (is_proven (file->proof, &proof))
    return;
  sluice_run_file_set_proof (file, &proof);
  sluice_run_file_write (file, self->folder, self->info, NULL);
}

static gboolean
begin (SluiceReproducer *self, const char *run, GError **error)
{
  self->info = sluice_store_dup_run (self->store, run, error);
  self->scratch = self->info != NULL ? g_dir_make_tmp ("sluice-reproduce-XXXXXX", error) : NULL;
  if (self->scratch == NULL)
    return FALSE;
  self->folder = sluice_store_dup_run_folder (self->store, self->info->id);
  self->file = sluice_run_file_read (self->folder);
  if (!find_segments (self, error))
    return FALSE;
  const SluiceProject *project = g_array_index (self->segments, SluiceSegment, 0).project;
  if (g_strv_length (project->train) > 1)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "run '%s' was trained by asynchronous workers, which make each run another "
                        "one; train it with one of its train targets",
                        self->info->name);
  return find_data (self, error);
}

SluiceReproduction *
sluice_reproduce (SluiceStore *store,
                  const char *run,
                  const SluiceReproduceOptions *options,
                  GError **error)
{
  g_auto (SluiceReproducer) self = { .store = store, .options = options };
  g_autoptr (SluiceReproduction) result = g_new0 (SluiceReproduction, 1);
  result->notes = g_ptr_array_new_with_free_func (g_free);
  result->machine = sluice_dup_machine ();
  result->build = sluice_dup_build ();
  if (!begin (&self, run, error) || !compare (&self, result, error))
    return NULL;
  keep_proof (&self, result);
  return g_steal_pointer (&result);
}
