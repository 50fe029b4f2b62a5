/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/place/predictor.h"

#include "engine/base/error.h"
#include "engine/graph/rewrite.h"
#include "engine/runtime/session/copy.h"

#define PIECE_US 5000 /* a turn, for which a large graph is copied */
#define MOST     64   /* answers that are kept */

/* What is asked: nothing is moved, or something. */
typedef struct
{
  SluiceGraph *graph;
  char *project, *machine, *policy, *device; /* (nullable) */
  char **moved;                              /* (nullable) */
  char *key;                                 /* of the answer; "": nothing is moved */
} Question;

typedef struct
{
  SluicePlacePrediction *prediction; /* (nullable) */
  GError *error;                     /* (nullable) */
} Answer;

/* Who waits for an answer. */
typedef struct
{
  char *key;
  SluicePredictorTold told;
  gpointer data;
} Trial;

struct _SluicePredictor
{
  GObject parent;
  SluiceGraph *graph; /* (nullable) */
  char *project, *machine, *policy;
  guint64 version;       /* of graph, that the rest is of */
  SluiceGraphCopy *copy; /* (nullable): being made */
  SluiceGraph *copied;   /* (nullable): that the thread reads */
  guint source;
  char *asked_key;     /* with asked: of what */
  GCancellable *asked; /* (nullable): a thread answers */
  GHashTable *answers; /* key -> Answer */
  GQueue waiting;      /* of Question: what is asked behind it */
  GPtrArray *trials;   /* of Trial */
};

G_DEFINE_FINAL_TYPE (SluicePredictor, sluice_predictor, G_TYPE_OBJECT)

enum
{
  CHANGED,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

static void
question_free (gpointer data)
{
  Question *self = data;
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_free (self->project);
  g_free (self->machine);
  g_free (self->policy);
  g_free (self->device);
  g_strfreev (self->moved);
  g_free (self->key);
  g_free (self);
}

static void
answer_free (gpointer data)
{
  Answer *self = data;
  g_clear_pointer (&self->prediction, sluice_prediction_unref);
  g_clear_error (&self->error);
  g_free (self);
}

static void
trial_free (gpointer data)
{
  Trial *self = data;
  g_free (self->key);
  g_free (self);
}

static const Answer *
find_answer (SluicePredictor *self, const char *key)
{
  return g_hash_table_lookup (self->answers, key);
}

/* ---- on a thread ---- */

static void
predict (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  const SluicePredictionOptions options = { question->project, question->machine, question->policy,
                                            (const char *const *) question->moved,
                                            question->device };
  GError *error = NULL;
  SluicePlacePrediction *prediction =
      sluice_prediction_new (question->graph, &options, cancellable, &error);
  if (prediction != NULL)
    g_task_return_pointer (task, prediction, (GDestroyNotify) sluice_prediction_unref);
  else
    g_task_return_error (task, error);
}

static void ask_next (SluicePredictor *self);

/* All who wait for it, or (key NULL) for anything. Who is told may ask again. */
static void
tell_trials (SluicePredictor *self,
             const char *key,
             SluicePlacePrediction *after,
             const GError *error)
{
  g_autoptr (GPtrArray) told = g_ptr_array_new_with_free_func (trial_free);
  for (guint i = 0; i < self->trials->len;)
    {
      Trial *trial = self->trials->pdata[i];
      if (key == NULL || g_str_equal (trial->key, key))
        g_ptr_array_add (told, g_ptr_array_steal_index (self->trials, i));
      else
        i++;
    }
  for (guint i = 0; i < told->len; i++)
    {
      const Trial *trial = told->pdata[i];
      trial->told (after, error, trial->data);
    }
}

static void
predicted_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  SluicePredictor *self = SLUICE_PREDICTOR (object);
  const Question *question = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluicePlacePrediction) prediction = g_task_propagate_pointer (G_TASK (result), &error);
  gboolean is_stale = g_task_get_cancellable (G_TASK (result)) != self->asked;
  if (is_stale || self->answers == NULL)
    return; /* graph, machine or policy are others by now */
  g_clear_object (&self->asked);
  g_clear_pointer (&self->asked_key, g_free);
  Answer *answer = g_new0 (Answer, 1);
  answer->prediction = prediction != NULL ? sluice_prediction_ref (prediction) : NULL;
  answer->error = error != NULL ? g_error_copy (error) : NULL;
  g_hash_table_insert (self->answers, g_strdup (question->key), answer);
  ask_next (self);
  g_object_ref (self);
  if (*question->key == '\0')
    g_signal_emit (self, signals[CHANGED], 0);
  else
    tell_trials (self, question->key, prediction, error);
  g_object_unref (self);
}

static void
ask_next (SluicePredictor *self)
{
  Question *take = self->asked == NULL ? g_queue_pop_head (&self->waiting) : NULL;
  g_autoptr (GTask) task = NULL;
  if (take == NULL)
    return;
  take->graph = sluice_graph_ref (self->copied);
  self->asked = g_cancellable_new ();
  self->asked_key = g_strdup (take->key);
  task = g_task_new (self, self->asked, predicted_cb, NULL);
  g_task_set_task_data (task, take, question_free);
  g_task_set_check_cancellable (task, FALSE);
  g_task_run_in_thread (task, predict);
}

/* ---- a copy for it ---- */

static void
fail_copy (SluicePredictor *self, GError *take)
{
  Answer *answer = g_new0 (Answer, 1);
  answer->error = take;
  g_queue_clear_full (&self->waiting, question_free);
  g_hash_table_insert (self->answers, g_strdup (""), answer);
  tell_trials (self, NULL, NULL, take);
  g_signal_emit (self, signals[CHANGED], 0);
}

static gboolean
copy_cb (gpointer data)
{
  SluicePredictor *self = data;
  GError *error = NULL;
  if (sluice_graph_is_in_transaction (self->graph))
    return G_SOURCE_CONTINUE;
  if (self->copy == NULL)
    self->copy = sluice_graph_copy_begin (self->graph);
  self->copied = sluice_graph_copy_go_on (self->copy, PIECE_US, &error);
  if (self->copied == NULL && error == NULL)
    return G_SOURCE_CONTINUE;
  self->source = 0;
  g_clear_pointer (&self->copy, sluice_graph_copy_free);
  if (self->copied == NULL)
    fail_copy (self, error);
  else
    ask_next (self);
  return G_SOURCE_REMOVE;
}

/* What is known is of another graph, machine or policy. */
static void
forget_graph (SluicePredictor *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_pointer (&self->copy, sluice_graph_copy_free);
  g_clear_pointer (&self->copied, sluice_graph_unref);
  g_cancellable_cancel (self->asked);
  g_clear_object (&self->asked);
  g_clear_pointer (&self->asked_key, g_free);
  g_queue_clear_full (&self->waiting, question_free);
  g_hash_table_remove_all (self->answers);
  if (self->trials->len == 0)
    return;
  g_autoptr (GError) error = NULL;
  sluice_fail (&error, SLUICE_ERROR_CANCELLED,
               "the graph, the machine or the policy has changed meanwhile; ask again");
  tell_trials (self, NULL, NULL, error);
}

/* FALSE: the graph is as it was. */
static gboolean
follow_graph (SluicePredictor *self)
{
  guint64 version = self->graph != NULL ? sluice_graph_get_version (self->graph) : 0;
  if (version == self->version)
    return FALSE;
  forget_graph (self);
  self->version = version;
  return TRUE;
}

/* What is there comes first: all others are compared with it. */
static void
want (SluicePredictor *self, Question *take)
{
  if (*take->key == '\0')
    g_queue_push_head (&self->waiting, take);
  else
    g_queue_push_tail (&self->waiting, take);
  if (self->copied != NULL)
    ask_next (self);
  else if (self->source == 0)
    self->source = g_idle_add (copy_cb, self);
}

/* Is it asked already? */
static gboolean
is_waiting (SluicePredictor *self, const char *key)
{
  for (GList *at = self->waiting.head; at != NULL; at = at->next)
    if (g_str_equal (((Question *) at->data)->key, key))
      return TRUE;
  return g_strcmp0 (self->asked_key, key) == 0;
}

static Question *
question_new (SluicePredictor *self, const char *key)
{
  Question *question = g_new0 (Question, 1);
  question->project = g_strdup (self->project);
  question->machine = g_strdup (self->machine);
  question->policy = g_strdup (self->policy);
  question->key = g_strdup (key);
  return question;
}

/* ---- what the window asks ---- */

static gboolean
is_trial_cb (gpointer key, gpointer answer, gpointer data)
{
  return *(const char *) key != '\0';
}

SluicePredictor *
sluice_predictor_new (void)
{
  return g_object_new (SLUICE_TYPE_PREDICTOR, NULL);
}

void
sluice_predictor_set_graph (SluicePredictor *self, SluiceGraph *graph, const char *project)
{
  forget_graph (self);
  if (graph != NULL)
    sluice_graph_ref (graph);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  self->graph = graph;
  self->version = graph != NULL ? sluice_graph_get_version (graph) : 0;
  g_free (self->project);
  self->project = g_strdup (project);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
sluice_predictor_update (SluicePredictor *self)
{
  if (follow_graph (self))
    g_signal_emit (self, signals[CHANGED], 0);
}

void
sluice_predictor_look_again (SluicePredictor *self)
{
  forget_graph (self); /* a thread that was told to end may read the copy still */
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
set_text (SluicePredictor *self, char **text, const char *to)
{
  if (g_strcmp0 (*text, to) == 0)
    return;
  char *copy = g_strdup (to);
  g_free (*text);
  *text = copy;
  sluice_predictor_look_again (self);
}

void
sluice_predictor_set_machine (SluicePredictor *self, const char *path)
{
  set_text (self, &self->machine, path);
}

const char *
sluice_predictor_get_machine (SluicePredictor *self)
{
  return self->machine;
}

void
sluice_predictor_set_policy (SluicePredictor *self, const char *policy)
{
  set_text (self, &self->policy, policy);
}

const char *
sluice_predictor_get_policy (SluicePredictor *self)
{
  return self->policy;
}

SluicePlacePrediction *
sluice_predictor_get (SluicePredictor *self, const GError **error)
{
  follow_graph (self);
  const Answer *answer = find_answer (self, "");
  if (error != NULL)
    *error = answer != NULL ? answer->error : NULL;
  if (answer == NULL && self->graph != NULL && !is_waiting (self, ""))
    want (self, question_new (self, ""));
  return answer != NULL ? answer->prediction : NULL;
}

gboolean
sluice_predictor_is_settled (SluicePredictor *self)
{
  return self->asked == NULL && self->waiting.length == 0 && self->source == 0;
}

void
sluice_predictor_try (SluicePredictor *self,
                      const char *const *moved,
                      const char *device,
                      SluicePredictorTold told,
                      gpointer user_data)
{
  follow_graph (self);
  sluice_predictor_forget (self, user_data);
  if (self->graph == NULL)
    return;
  g_autofree char *names = g_strjoinv ("\n", (char **) moved);
  g_autofree char *key = g_strconcat (device, "\n", names, NULL);
  const Answer *answer = find_answer (self, key);
  if (answer != NULL)
    {
      g_autoptr (SluicePlacePrediction) after =
          answer->prediction != NULL ? sluice_prediction_ref (answer->prediction) : NULL;
      g_autoptr (GError) error = answer->error != NULL ? g_error_copy (answer->error) : NULL;
      told (after, error, user_data);
      return;
    }
  const Trial trial = { g_strdup (key), told, user_data };
  g_ptr_array_add (self->trials, g_memdup2 (&trial, sizeof trial));
  if (is_waiting (self, key))
    return;
  if (g_hash_table_size (self->answers) > MOST)
    g_hash_table_foreach_remove (self->answers, is_trial_cb, NULL);
  Question *question = question_new (self, key);
  question->moved = g_strdupv ((char **) moved);
  question->device = g_strdup (device);
  want (self, question);
}

static gboolean
has_trial (SluicePredictor *self, const char *key)
{
  for (guint i = 0; i < self->trials->len; i++)
    if (g_str_equal (((Trial *) self->trials->pdata[i])->key, key))
      return TRUE;
  return FALSE;
}

void
sluice_predictor_forget (SluicePredictor *self, gpointer user_data)
{
  for (guint i = self->trials->len; i-- > 0;)
    if (((Trial *) self->trials->pdata[i])->data == user_data)
      g_ptr_array_remove_index (self->trials, i);
  for (GList *at = self->waiting.head, *next; at != NULL; at = next)
    {
      const char *key = ((Question *) at->data)->key;
      next = at->next;
      if (*key == '\0' || has_trial (self, key))
        continue;
      question_free (at->data);
      g_queue_delete_link (&self->waiting, at);
    }
}

static void
sluice_predictor_dispose (GObject *object)
{
  SluicePredictor *self = SLUICE_PREDICTOR (object);
  if (self->answers != NULL)
    {
      g_ptr_array_set_size (self->trials, 0);
      forget_graph (self);
    }
  g_clear_pointer (&self->answers, g_hash_table_unref);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  G_OBJECT_CLASS (sluice_predictor_parent_class)->dispose (object);
}

static void
sluice_predictor_finalize (GObject *object)
{
  SluicePredictor *self = SLUICE_PREDICTOR (object);
  g_free (self->project);
  g_free (self->machine);
  g_free (self->policy);
  g_ptr_array_unref (self->trials);
  G_OBJECT_CLASS (sluice_predictor_parent_class)->finalize (object);
}

static void
sluice_predictor_class_init (SluicePredictorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sluice_predictor_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_predictor_finalize;
  signals[CHANGED] = g_signal_new ("changed", SLUICE_TYPE_PREDICTOR, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sluice_predictor_init (SluicePredictor *self)
{
  g_queue_init (&self->waiting);
  self->trials = g_ptr_array_new_with_free_func (trial_free);
  self->answers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, answer_free);
}
