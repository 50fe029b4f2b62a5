/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/checkpoint.h"
#include "engine/store/kinds/event.h"
#include "engine/store/kinds/scalar.h"
#include "engine/train/project-changes.h"
#include "engine/train/reproduce-private.h"
#include "engine/train/summary.h"

/* One way through the steps. */
typedef struct
{
  SluiceReproducer *of;
  SluicePassResult *result;
  SluiceLogged *log;
  guint segment;
  SluiceExamples *examples, *test;
  SluiceReplica *replica;
  double *scalars, *evaluation;
  gint64 *order; /* of the examples in epoch order_epoch */
  gint64 order_epoch;
  gint64 stop; /* after a first difference: how far it goes on to learn what it means */
} Pass;

/* How many steps tell whether a run went on with a value that differs. */
#define STEPS_AFTER 20

static void
part (Pass *self, SluiceParting *take, gint64 step, gboolean is_logged)
{
  take->step = step;
  if (self->result->parting != NULL)
    {
      sluice_parting_free (take);
      return;
    }
  self->result->parting = take;
  self->result->is_logged = is_logged;
  self->stop = MIN (self->result->to, step + STEPS_AFTER);
}

/* ---- logged values ---- */

static gboolean
is_same (double a, double b)
{
  return memcmp (&a, &b, sizeof a) == 0 || (isnan (a) && isnan (b));
}

static void
count_value (Pass *self, gboolean equal, gint64 step)
{
  self->result->n_values++;
  if (self->result->parting == NULL || step <= self->result->parting->step)
    return;
  self->result->n_equal_after += equal;
  self->result->n_other_after += !equal;
}

static SluiceParting *
part_of_value (const char *node, const char *tag, const char *was, const char *is)
{
  SluiceParting *parting = g_new0 (SluiceParting, 1);
  parting->node = g_strndup (node, strcspn (node, ":"));
  parting->tensor = g_strdup (tag);
  parting->element = -1;
  parting->was = g_strdup (was);
  parting->is = g_strdup (is);
  return parting;
}

/* edge: what the series has the value of. */
static void
compare_scalar (Pass *self, const char *tag, const char *edge, gint64 step, double is)
{
  double was;
  if (!sluice_logged_get (self->log, tag, step, &was))
    return;
  gboolean equal = is_same (was, is);
  count_value (self, equal, step);
  if (equal)
    return;
  char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE];
  SluiceParting *parting = part_of_value (edge, tag, g_ascii_dtostr (a, sizeof a, was),
                                          g_ascii_dtostr (b, sizeof b, is));
  parting->element = 0;
  part (self, parting, step, TRUE);
}

typedef struct
{
  Pass *pass;
  const char *tag;
  const SluiceRecord *is;
} Record;

static gboolean
compare_record (const SluiceRecord *was, gpointer data, GError **error)
{
  const Record *record = data;
  g_autofree char *before = sluice_record_dup_json (was);
  g_autofree char *now = sluice_record_dup_json (record->is);
  gboolean equal = strcmp (before, now) == 0;
  count_value (record->pass, equal, record->is->step);
  if (!equal)
    part (record->pass, part_of_value (record->pass->of->info->name, record->tag, NULL, NULL),
          record->is->step, TRUE);
  return TRUE;
}

/* A SluiceRecordSink. */
static gboolean
take_record (SluiceRecord *take, const char *tag, gpointer data, GError **error)
{
  Pass *self = data;
  gboolean ok = TRUE;
  const SluiceSeriesInfo *series = sluice_logged_find (self->log, tag);
  SluiceStepRange range = { take->step, take->step };
  Record record = { self, tag, take };
  if (sluice_kind_get_number (take->kind) == SLUICE_SERIES_SCALAR)
    compare_scalar (self, tag, tag, take->step, ((SluiceScalarRecord *) take)->value);
  else if (series != NULL)
    ok = sluice_store_each_record (self->of->store, series, &range, compare_record, &record, error);
  sluice_record_free (take);
  return ok;
}

static gboolean
compare_summary (Pass *self, const SluiceTensor *summary, gint64 step, GError **error)
{
  gboolean ok = summary == NULL || sluice_summary_read (summary, step, take_record, self, error);
  SluiceParting *parting = self->result->parting;
  if (parting != NULL && parting->step == step && strcmp (parting->node, self->of->info->name) == 0)
    {
      const char *edge = self->replica->project->summaries;
      g_free (parting->node);
      parting->node = g_strndup (edge, strcspn (edge, ":"));
    }
  return ok;
}

/* ---- evaluation ---- */

static char *
dup_evaluate_tag (const SluiceProject *project, guint i)
{
  return g_strconcat ("evaluate/", g_array_index (project->evaluate, SluiceNamedEdge, i).name,
                      NULL);
}

static gboolean
has_evaluation (const Pass *self, gint64 step)
{
  const SluiceProject *project = self->replica->project;
  double value;
  for (guint i = 0; i < project->evaluate->len; i++)
    {
      g_autofree char *tag = dup_evaluate_tag (project, i);
      if (sluice_logged_get (self->log, tag, step, &value))
        return TRUE;
    }
  return sluice_logged_has_event (self->log, step, "text", NULL);
}

/* Only what was written last is there. */
static void
compare_text (Pass *self, const SluiceNamedEdge *edge, const char *is, gint64 step)
{
  g_autofree char *name = g_strconcat (edge->name, ".txt", NULL);
  g_autofree char *path = g_build_filename (self->of->folder, name, NULL);
  g_autofree char *was = NULL;
  for (guint i = 0; i < self->log->events->len; i++)
    {
      const SluiceEvent *event = self->log->events->pdata[i];
      if (strcmp (event->kind, "text") == 0 && g_strcmp0 (event->text, name) == 0
          && event->base.step > step)
        return;
    }
  if (!g_file_get_contents (path, &was, NULL, NULL))
    return;
  gboolean equal = strcmp (was, is) == 0;
  count_value (self, equal, step);
  if (!equal)
    part (self, part_of_value (edge->target, name, NULL, NULL), step, TRUE);
}

/* As the trainer does, in its order: random nodes go on with each. */
static gboolean
evaluate (Pass *self, gint64 step, GError **error)
{
  const SluiceProject *project = self->replica->project;
  SluiceRunOptions options = { .step = (guint64) step,
                               .cancellable = self->of->options->cancellable };
  for (guint i = 0; i < project->texts->len; i++)
    {
      const SluiceNamedEdge *edge = &g_array_index (project->texts, SluiceNamedEdge, i);
      g_autofree char *text =
          sluice_replica_read_text (self->replica, edge->target, &options, error);
      if (text == NULL)
        return FALSE;
      compare_text (self, edge, text, step);
    }
  if (self->replica->evaluate == NULL)
    return TRUE;
  if (!sluice_replica_evaluate (self->replica, 0, self->evaluation, &options, error))
    return FALSE;
  for (guint i = 0; i < project->evaluate->len; i++)
    {
      g_autofree char *tag = dup_evaluate_tag (project, i);
      compare_scalar (self, tag, g_array_index (project->evaluate, SluiceNamedEdge, i).target, step,
                      self->evaluation[i]);
    }
  return TRUE;
}

/* ---- checkpoints ---- */

static const SluiceNamedTensor *
find_tensor (GArray *tensors, const char *name)
{
  for (guint i = 0; i < tensors->len; i++)
    {
      const SluiceNamedTensor *named = &g_array_index (tensors, SluiceNamedTensor, i);
      if (strcmp (named->name, name) == 0)
        return named;
    }
  return NULL;
}

static guint
count_other_elements (const SluiceTensor *a, const SluiceTensor *b)
{
  gsize size = sluice_dtype_size (a->dtype);
  guint n = 0;
  for (gint64 i = 0; i < a->n_elements; i++)
    n += memcmp ((const char *) a->data + (gsize) i * size,
                 (const char *) b->data + (gsize) i * size, size)
         != 0;
  return n;
}

static gboolean
compare_variables (Pass *self, GArray *was, gint64 step, GError **error)
{
  g_autoptr (GArray) is = sluice_replica_dup_variables (self->replica, error);
  if (is == NULL)
    return FALSE;
  for (guint i = 0; i < is->len; i++)
    {
      const SluiceNamedTensor *now = &g_array_index (is, SluiceNamedTensor, i);
      const SluiceNamedTensor *before = find_tensor (was, now->name);
      const char *node = sluice_graph_find_variable_node (self->replica->graph, now->name);
      SluiceParting *parting =
          before != NULL ? sluice_parting_new_of (node, now->name, before->tensor, now->tensor)
                         : part_of_value (node, now->name, NULL, NULL);
      if (parting == NULL)
        continue;
      if (before != NULL && parting->element >= 0)
        self->result->n_other_elements += count_other_elements (before->tensor, now->tensor);
      part (self, parting, step, FALSE);
    }
  return TRUE;
}

/* Streams of random numbers, and where the input stands. */
static void
compare_state (Pass *self, const char *was, gint64 step)
{
  g_autofree char *is = sluice_replica_dup_state (self->replica, NULL);
  if (is == NULL || was == NULL || strcmp (is, was) == 0)
    return;
  g_autoptr (JsonNode) a = sluice_checkpoint_parse_json (was, strlen (was), NULL);
  g_autoptr (JsonNode) b = sluice_checkpoint_parse_json (is, strlen (is), NULL);
  if (a == NULL || b == NULL)
    return;
  JsonObject *before = json_node_get_object (a), *now = json_node_get_object (b);
  g_autoptr (GList) names = json_object_get_members (now);
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonNode *x = json_object_get_member (before, l->data);
      JsonNode *y = json_object_get_member (now, l->data);
      g_autofree char *x_text = x != NULL ? json_to_string (x, FALSE) : NULL;
      g_autofree char *y_text = json_to_string (y, FALSE);
      if (g_strcmp0 (x_text, y_text) != 0)
        part (self, part_of_value (l->data, l->data, x_text, y_text), step, FALSE);
    }
}

static gboolean
compare_checkpoint (Pass *self, gint64 step, GError **error)
{
  const SluiceCheckpointInfo *checkpoint = sluice_logged_find_checkpoint (self->log, step);
  if (checkpoint == NULL)
    return TRUE;
  g_autofree char *state = NULL;
  g_autoptr (GError) damage = NULL;
  g_autoptr (GArray) tensors = sluice_safetensors_read (checkpoint->path, &state, &damage);
  if (tensors == NULL)
    tensors = sluice_safetensors_read_unsummed (checkpoint->path, NULL);
  if (tensors == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&damage));
      return FALSE;
    }
  self->result->n_checkpoints++;
  gboolean first = self->result->parting == NULL;
  if (!compare_variables (self, tensors, step, error))
    return FALSE;
  compare_state (self, state, step);
  SluiceParting *parting = self->result->parting;
  if (first && parting != NULL && damage != NULL)
    parting->because =
        g_strdup_printf (_ ("the checkpoint was damaged after it was written: its checksum is not "
                            "that of its bytes; %u elements are others"),
                         self->result->n_other_elements);
  return TRUE;
}

/* ---- data ---- */

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

static void
part_of_data (Pass *self, const SluiceDataChange *change, const char *feed, gint64 step, char *take)
{
  SluiceParting *parting = part_of_value (feed, feed, NULL, NULL);
  parting->cause = SLUICE_PARTING_DATA;
  parting->because = take;
  part (self, parting, step, FALSE);
}

/* The next examples: is one of them another one than it was? */
static void
look_at_batch (Pass *self, gint64 step)
{
  const SluiceProject *project = self->replica->project;
  SluiceDataCursor cursor = self->replica->cursor;
  gint64 n = self->examples != NULL ? self->examples->n : 0;
  const SluiceDataChange *changes[] = { &self->of->data[SLUICE_TRAIN_X],
                                        &self->of->data[SLUICE_TRAIN_Y] };
  const char *const feeds[] = { project->feed_x, project->feed_y };
  gboolean any = changes[0]->changed != NULL || changes[1]->changed != NULL;
  for (gint64 i = 0; any && i < project->batch; i++)
    {
      if (cursor.position >= n)
        cursor = (SluiceDataCursor){ cursor.epoch + 1, 0 };
      if (self->order == NULL || self->order_epoch != cursor.epoch)
        {
          self->order = g_renew (gint64, self->order, (gsize) n);
          self->order_epoch = cursor.epoch;
          sluice_data_make_order (self->order, n, project->shuffle, project->seed, cursor.epoch);
        }
      gint64 row = self->order[cursor.position++];
      for (guint k = 0; k < G_N_ELEMENTS (changes); k++)
        {
          GArray *changed = changes[k]->changed;
          if (feeds[k] == NULL || changed == NULL
              || !g_array_binary_search (changed, &row, compare_rows, NULL))
            continue;
          part_of_data (
              self, changes[k], feeds[k], step,
              g_strdup_printf (_ ("example %" PRId64 " of %s is another one now, in row %" PRId64
                                  " of the batch: %s"),
                               row, changes[k]->key, i, changes[k]->why));
          return;
        }
    }
}

/* An evaluation meets all of them. */
static void
look_at_test (Pass *self, gint64 step)
{
  const SluiceProject *project = self->replica->project;
  const char *const feeds[] = { project->feed_x, project->feed_y };
  for (guint k = 0; self->test != NULL && k < G_N_ELEMENTS (feeds); k++)
    {
      const SluiceDataChange *change = &self->of->data[SLUICE_TEST_X + k];
      if (feeds[k] == NULL || change->changed == NULL || change->changed->len == 0)
        continue;
      part_of_data (self, change, feeds[k], step,
                    g_strdup_printf (_ ("example %" PRId64 " of %s is another one now: %s"),
                                     g_array_index (change->changed, gint64, 0), change->key,
                                     change->why));
      return;
    }
}

/* ---- steps ---- */

static gboolean
take_step (Pass *self, GError **error)
{
  SluiceReplica *replica = self->replica;
  const SluiceProject *project = replica->project;
  gint64 step = replica->n_done + 1;
  SluiceRunOptions options = { .step = (guint64) step,
                               .cancellable = self->of->options->cancellable };
  g_autoptr (SluiceTensor) summary = NULL;
  SluiceSchedule now;
  sluice_project_get_schedule (project, replica->n_done, &now);
  gboolean summarizes = now.summary_every > 0 && step % now.summary_every == 0;
  look_at_batch (self, step);
  if (!sluice_replica_step (replica, self->scalars, summarizes ? &summary : NULL, &options, error))
    return FALSE;
  compare_scalar (self, "loss", project->loss[0], step, self->scalars[0]);
  for (guint i = 0; i < project->fetches->len; i++)
    {
      const SluiceNamedEdge *edge = &g_array_index (project->fetches, SluiceNamedEdge, i);
      compare_scalar (self, edge->name, edge->target, step, self->scalars[i + 1]);
    }
  if (!compare_summary (self, summary, step, error))
    return FALSE;
  if (has_evaluation (self, step))
    {
      look_at_test (self, step);
      if (!evaluate (self, step, error))
        return FALSE;
    }
  return compare_checkpoint (self, step, error);
}

/* ---- from one project to the next ---- */

static SluiceSegment *
get_segment (Pass *self, guint i)
{
  return &g_array_index (self->of->segments, SluiceSegment, i);
}

static void
drop_replica (Pass *self)
{
  if (self->replica != NULL)
    sluice_replica_end_input (self->replica);
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  g_clear_pointer (&self->scalars, g_free);
  g_clear_pointer (&self->evaluation, g_free);
  g_clear_pointer (&self->order, g_free);
}

/* state: (nullable): a checkpoint; NULL: as the project begins. */
static gboolean
begin_segment (Pass *self, const char *state, GError **error)
{
  SluiceProject *project = get_segment (self, self->segment)->project;
  drop_replica (self);
  if (!sluice_examples_load_all (project, &self->examples, &self->test, error))
    return FALSE;
  self->replica =
      sluice_reproducer_new_replica (self->of, project, self->examples, self->test, error);
  if (self->replica == NULL)
    return FALSE;
  self->scalars = g_new0 (double, self->replica->n_scalars);
  self->evaluation = g_new0 (double, project->evaluate->len + 1);
  return (state != NULL ? sluice_replica_restore (self->replica, state, error)
                        : sluice_replica_initialize (self->replica, error))
         && sluice_replica_begin_input (self->replica, error);
}

static gboolean
go_on (Pass *self, GError **error)
{
  gsize bytes;
  SluiceSegment *next = get_segment (self, self->segment + 1);
  if (next->state == NULL)
    next->state =
        g_strdup_printf ("%s/step-%" PRId64 ".safetensors", self->of->scratch, next->from);
  if (!sluice_replica_save (self->replica, next->state, &bytes, error))
    return FALSE;
  self->segment++;
  return begin_segment (self, next->state, error);
}

static gboolean
run (Pass *self, GError **error)
{
  const SluiceReproduceOptions *options = self->of->options;
  while (self->replica->n_done < self->stop)
    {
      gint64 done = self->replica->n_done;
      if (self->segment + 1 < self->of->segments->len
          && get_segment (self, self->segment + 1)->from == done && !go_on (self, error))
        return FALSE;
      if (g_cancellable_set_error_if_cancelled (options->cancellable, error)
          || !take_step (self, error))
        return FALSE;
      if (options->progress != NULL)
        options->progress (self->replica->n_done, self->result->to, options->progress_data);
      if (self->result->parting != NULL && self->result->parting->cause == SLUICE_PARTING_DATA)
        break;
    }
  return TRUE;
}

/* The project that made the first of the steps. */
static guint
find_segment (const SluiceReproducer *of, gint64 from)
{
  guint i = 0;
  while (i + 1 < of->segments->len
         && g_array_index (of->segments, SluiceSegment, i + 1).from <= from)
    i++;
  return i;
}

gboolean
sluice_reproducer_pass (SluiceReproducer *of,
                        const char *start,
                        SluicePassResult *result,
                        GError **error)
{
  Pass self = { .of = of, .result = result, .segment = find_segment (of, result->from) };
  self.stop = result->to;
  self.log = sluice_logged_new (of->store, of->info->id, result->from, error);
  gboolean ok = self.log != NULL && begin_segment (&self, start, error);
  if (ok && result->from == 0 && start == NULL)
    ok = compare_checkpoint (&self, 0, error);
  ok = ok && run (&self, error);
  drop_replica (&self);
  g_clear_pointer (&self.log, sluice_logged_free);
  return ok;
}
