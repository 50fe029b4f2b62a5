/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/step/watches.h"

#include "engine/runtime/step/frame.h"
#include "engine/runtime/step/guard.h"

#define SHARE      400 /* a look is one part in so many of the time, and costs caches besides */
#define BEGIN_NS   300 /* of what a look costs besides: counted with it */
#define MOST_PLANS 64  /* of which places are kept; who runs more finds them again */

/* ---- the list ---- */

SluiceWatches *
sluice_watches_new (void)
{
  SluiceWatches *self = g_new0 (SluiceWatches, 1);
  self->ref_count = 1;
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

void
sluice_watches_unref (SluiceWatches *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

void
sluice_watch_unref (SluiceWatch *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  sluice_watches_unref (self->watches);
  g_array_unref (self->places);
  g_clear_pointer (&self->kept, sluice_tensor_unref);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

SluiceWatch *
sluice_watches_add (SluiceWatches *self, const char *name, guint port, GError **error)
{
  pthread_mutex_lock (&self->lock);
  guint n = atomic_load (&self->n);
  SluiceWatch *watch = n < SLUICE_MAX_WATCHES ? g_new0 (SluiceWatch, 1) : NULL;
  if (watch != NULL)
    {
      watch->ref_count = 1;
      watch->watches = self;
      atomic_fetch_add (&self->ref_count, 1);
      watch->name = name;
      watch->port = port;
      watch->places = g_array_new (FALSE, FALSE, sizeof (SluiceWatchPlace));
      watch->report.in_place = -1;
      pthread_mutex_init (&watch->lock, NULL);
      self->list[n] = watch;
      atomic_store (&self->n, n + 1);
    }
  pthread_mutex_unlock (&self->lock);
  if (watch == NULL)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                 "'%s:%u' cannot be watched: a session watches %u outputs at most; end one of the "
                 "other watches",
                 name, port, SLUICE_MAX_WATCHES);
  return watch;
}

/* ---- where a plan has a value ---- */

static gboolean
find_feed (const SluicePlan *plan, const char *name, guint port, guint32 *number)
{
  for (guint32 i = 0; i < plan->n_feeds; i++)
    if (plan->feeds[i].node->name == name && plan->feeds[i].port == (int) port)
      {
        *number = i;
        return TRUE;
      }
  return FALSE;
}

/* The output of a call is one of a node that it was written out to. */
static void
resolve_call (const SluicePlan *plan, const char **name, guint *port)
{
  for (guint i = 0; i < plan->calls->len; i++)
    {
      const SluiceWorkCall *call = &g_array_index (plan->calls, SluiceWorkCall, i);
      if (call->origin->name != *name || call->port != *port || call->edge.node == NULL)
        continue;
      *name = call->edge.node->name;
      *port = (guint) call->edge.port;
      return;
    }
}

/* Looks through the whole plan: once for a watch and a plan. */
static SluiceWatchPlace
find_place (const SluiceWatch *self, const SluicePlan *plan)
{
  const char *name = self->name;
  guint port = self->port;
  const guint32 odd = SLUICE_PLAN_SEND | SLUICE_PLAN_RECV | SLUICE_PLAN_VIRTUAL
                      | SLUICE_PLAN_TOGETHER | SLUICE_PLAN_NO_OP | SLUICE_PLAN_UNFED;
  SluiceWatchPlace place = { .plan = plan->serial, .status = SLUICE_WATCH_LEFT_OUT };
  gboolean is_fed = find_feed (plan, name, port, &place.output);
  if (!is_fed)
    resolve_call (plan, &name, &port);
  if (is_fed || find_feed (plan, name, port, &place.output))
    {
      place.status = SLUICE_WATCH_VALUES;
      return place;
    }
  for (guint32 i = 0; i < plan->n_nodes; i++)
    {
      const SluicePlanNode *node = &plan->nodes[i];
      gboolean is_consumer = node->flags & SLUICE_PLAN_TOGETHER
                             && node->n_outputs == node->origin->n_outputs
                             && node->origin->n_outputs > 1;
      if (node->origin->name != name || (node->flags & odd && !is_consumer)
          || port >= node->n_outputs)
        continue;
      place.status = SLUICE_WATCH_VALUES;
      place.node = node;
      place.output = port;
      return place;
    }
  for (guint32 i = 0; i < plan->n_members; i++)
    if (plan->members[i].origin->name == name)
      {
        gboolean is_whole = plan->members[i].output != SLUICE_PLAN_NOWHERE && port == 0;
        place.status = is_whole ? SLUICE_WATCH_VALUES : SLUICE_WATCH_FUSED;
        place.node = &plan->nodes[plan->members[i].node];
        place.output = plan->members[i].output;
        if (is_whole)
          return place;
      }
  for (guint32 i = 0; i + port < plan->n_constants; i++)
    if (plan->constant_origins[i]->name == name && plan->constant_origins[i + port]->name == name)
      {
        place.status = SLUICE_WATCH_CONSTANT;
        place.constant = plan->constants[i + port];
        return place;
      }
  return place;
}

/* FALSE: it is not known yet. */
static gboolean
recall_place (SluiceWatch *self, const SluicePlan *plan, SluiceWatchPlace *place)
{
  for (guint i = self->places->len; i-- > 0;)
    if (g_array_index (self->places, SluiceWatchPlace, i).plan == plan->serial)
      {
        *place = g_array_index (self->places, SluiceWatchPlace, i);
        return TRUE;
      }
  return FALSE;
}

/* ---- looks ---- */

static int
find_memory (const SluiceTensor *tensor, const SluiceValue *inputs, const guint8 *flags, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      const SluiceTensor *input = flags[i] & SLUICE_SLOT_REF ? NULL : inputs[i].tensor;
      if (input != NULL
          && (input == tensor || (tensor->buffer != NULL && input->buffer == tensor->buffer)))
        return (int) i;
    }
  return -1;
}

/* What is known of a value beside its elements. */
typedef struct
{
  guint64 step, frame;
  gint64 iteration;
  int in_place;
  SluiceWatchStatus status; /* VALUES or CONSTANT, where the elements are numbers */
} Seen;

/* All of it, or its first rows. (transfer full) (nullable): not one row fits, or there is no memory
 */
static SluiceTensor *
dup_rows (const SluiceTensor *tensor, gsize most)
{
  gsize bytes = sluice_tensor_bytes (tensor);
  SluiceShape shape = tensor->shape;
  if (bytes > most)
    {
      gint64 rows = shape.rank > 0 ? shape.dim[0] : 0;
      gint64 fits = rows > 0 ? (gint64) (most / MAX (bytes / (gsize) rows, 1)) : 0;
      if (fits == 0)
        return NULL;
      shape.dim[0] = fits;
    }
  g_autoptr (SluiceTensor) rows = sluice_tensor_new_view ((SluiceTensor *) tensor, &shape, 0);
  return rows != NULL ? sluice_tensor_dup (rows, NULL, SLUICE_OWNER_NONE) : NULL;
}

/* Iterations may end in any order; the loop that began last is the last one. */
static void
keep_look (SluiceWatch *self, const SluiceTensor *tensor, const Seen *seen)
{
  SluiceStatistics values = { 0 };
  gboolean has_values = sluice_tensor_get_statistics (tensor, &values);
  gsize most_kept = atomic_load (&self->most_kept);
  g_autoptr (SluiceTensor) kept = has_values && most_kept > 0 ? dup_rows (tensor, most_kept) : NULL;
  SluiceWatchReport *report = &self->report;
  pthread_mutex_lock (&self->lock);
  report->dtype = tensor->dtype;
  report->shape = tensor->shape;
  report->bytes = sluice_tensor_bytes (tensor);
  report->in_place = seen->in_place;
  report->status = has_values ? seen->status : SLUICE_WATCH_NO_NUMBERS;
  if (has_values)
    {
      gboolean is_new = !self->has_look;
      SluiceWatchLook *look = &report->looks[(report->n_looks - !is_new) % SLUICE_WATCH_STEPS];
      if (is_new || seen->frame > self->frame
          || (seen->frame == self->frame && seen->iteration >= look->iteration))
        {
          *look = (SluiceWatchLook){ seen->step, seen->iteration, values };
          self->frame = seen->frame;
          SluiceTensor *before = self->kept;
          self->kept = g_steal_pointer (&kept);
          kept = before; /* goes outside the lock */
          self->kept_step = seen->step;
        }
      report->n_looks += is_new;
      self->has_look = TRUE;
    }
  pthread_mutex_unlock (&self->lock);
}

guint64
sluice_watches_look (SluiceStep *step,
                     const SluiceActivation *act,
                     const SluicePlanNode *node,
                     const SluiceValue *inputs,
                     const SluiceValue *outputs)
{
  guint64 ticks = 0;
  for (guint i = 0; i < step->n_watched; i++)
    {
      SluiceWatched *watched = &step->watched[i];
      if (watched->node != node)
        continue;
      guint64 start = sluice_clock_ticks ();
      SluiceTensor *tensor = sluice_guard_dup_value (node, watched->output, outputs);
      if (tensor == NULL)
        continue;
      Seen seen = { .step = step->env.number,
                    .frame = act->frame != NULL ? act->frame->id : 0,
                    .iteration = act->frame != NULL ? (gint64) act->iteration : -1,
                    .status = SLUICE_WATCH_VALUES,
                    .in_place =
                        find_memory (tensor, inputs, step->plan->slot_flags + node->first_input,
                                     node->n_inputs) };
      keep_look (watched->watch, tensor, &seen);
      sluice_tensor_unref (tensor);
      guint64 took = sluice_clock_ticks () - start;
      atomic_fetch_add_explicit (&watched->ticks, took, memory_order_relaxed);
      ticks += took;
    }
  return ticks;
}

/* ---- runs ---- */

/* Is this run looked at? Then nobody else looks until it ends. */
static gboolean
claim (SluiceWatch *self, const SluiceStep *step, SluiceWatchPlace *place)
{
  SluiceWatchReport *report = &self->report;
  const SluicePlan *plan = step->plan;
  pthread_mutex_lock (&self->lock);
  gboolean is_known = recall_place (self, plan, place);
  pthread_mutex_unlock (&self->lock);
  if (!is_known)
    *place = find_place (self, plan);
  pthread_mutex_lock (&self->lock);
  if (!is_known)
    {
      if (self->places->len == MOST_PLANS)
        g_array_set_size (self->places, 0);
      g_array_append_val (self->places, *place);
    }
  if (place->status == SLUICE_WATCH_FUSED && report->status < SLUICE_WATCH_FUSED)
    report->fused_into = place->node->origin->name;
  if (place->status <= SLUICE_WATCH_FUSED)
    report->status = MAX (report->status, place->status);
  const guint64 number = step->env.number;
  gboolean is_wanted = place->status == SLUICE_WATCH_CONSTANT
                           ? report->status < SLUICE_WATCH_CONSTANT
                           : place->status == SLUICE_WATCH_VALUES;
  /* A second run of a number is another program's: an evaluation after the step. */
  gboolean is_first = number == 0 || number > self->newest_step;
  gboolean takes =
      is_wanted && is_first && !self->is_claimed && sluice_clock_ticks () >= self->next_tick;
  if (place->status == SLUICE_WATCH_VALUES)
    self->newest_step = MAX (self->newest_step, number);
  if (takes)
    {
      self->is_claimed = TRUE;
      self->has_look = FALSE;
    }
  pthread_mutex_unlock (&self->lock);
  return takes;
}

static void
look_at_start (SluiceStep *step,
               SluiceWatched *watched,
               const SluiceTensor *tensor,
               SluiceWatchStatus status)
{
  guint64 start = sluice_clock_ticks ();
  keep_look (
      watched->watch, tensor,
      &(Seen){ .step = step->env.number, .iteration = -1, .in_place = -1, .status = status });
  watched->ticks += sluice_clock_ticks () - start;
}

void
sluice_watches_begin (SluiceWatches *self, SluiceStep *step, SluiceTensor *const *feeds)
{
  if (G_LIKELY (atomic_load_explicit (&self->n, memory_order_relaxed) == 0))
    return;
  SluiceWatch *list[SLUICE_MAX_WATCHES];
  pthread_mutex_lock (&self->lock);
  guint n = atomic_load (&self->n);
  for (guint i = 0; i < n; i++)
    {
      list[i] = self->list[i];
      atomic_fetch_add (&list[i]->ref_count, 1);
    }
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; i < n; i++)
    {
      SluiceWatchPlace place;
      if (!claim (list[i], step, &place))
        {
          sluice_watch_unref (list[i]);
          continue;
        }
      SluiceWatched *watched = &step->watched[step->n_watched++];
      watched->watch = list[i];
      watched->node = place.node;
      watched->output = place.output;
      watched->ticks = 0;
      if (place.constant != NULL)
        look_at_start (step, watched, place.constant, place.status);
      else if (place.node == NULL)
        look_at_start (step, watched, feeds[place.output], place.status);
    }
}

void
sluice_watches_end (SluiceStep *step)
{
  const guint64 besides = (guint64) (BEGIN_NS / sluice_clock_ns_per_tick ());
  for (guint i = 0; i < step->n_watched; i++)
    {
      SluiceWatch *watch = step->watched[i].watch;
      guint n = MAX (atomic_load (&watch->watches->n), 1);
      pthread_mutex_lock (&watch->lock);
      watch->is_claimed = FALSE;
      watch->next_tick = sluice_clock_ticks () + (step->watched[i].ticks + besides) * SHARE * n;
      pthread_mutex_unlock (&watch->lock);
      sluice_watch_unref (watch);
    }
  step->n_watched = 0;
}
