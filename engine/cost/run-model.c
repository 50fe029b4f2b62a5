/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/cost/run-model.h"

#include <math.h>

#include "engine/cost/csr.h"
#include "engine/cost/heap.h"

#define HOST G_MAXUINT
#define FED  G_MAXUINT /* a copy that is no task */

/* Queues of a device. */
enum
{
  COMPUTE,
  IN,
  OUT,
  N_QUEUES,
};

/* A node, by number, or behind them a copy of a value to a device. */
typedef struct
{
  guint line; /* queue: device * N_QUEUES + which; HOST */
  double us;
  double give_us, wait_us, news_us; /* of a queue */
  double rounds;
  guint rank;
  guint n_waits;
  double ready_us;
} Task;

/* Who goes on when a task has ended, or only been given to the queue that both stand in. */
typedef struct
{
  guint from, to;
  gboolean is_ahead;
} Tie;

typedef enum
{
  ENDED, /* by a thread */
  GIVEN, /* to its queue, by a thread */
  DONE,  /* by its queue */
  HEARD, /* of that */
  N_EVENTS,
} Event;

typedef struct
{
  const SluiceRunModel *model;
  GArray *tasks, *ties;
  guint *first_tie, *ties_of; /* by task */
  double *free_us;            /* by queue */
  double *busy_until;         /* by thread */
  double begin_us;            /* all is fed */
  double lock_until;          /* nobody begins anything before */
  SluiceHeap ready, events;
} Run;

static Task *
task_at (const Run *self, guint i)
{
  return &g_array_index (self->tasks, Task, i);
}

/* ---- what there is to do ---- */

static gboolean
has_queues (const Run *self, guint device)
{
  return self->model->abouts[device].has_queues;
}

static const SluiceRunLink *
get_link (const Run *self, guint from, guint to)
{
  return &self->model->links[from * self->model->workload->machine->n_devices + to];
}

static void
add_tie (Run *self, guint from, guint to, gboolean is_ahead)
{
  const Tie tie = { from, to, is_ahead };
  g_array_append_val (self->ties, tie);
  task_at (self, to)->n_waits++;
}

static void
set_queue (Run *self, Task *task, guint device, guint queue)
{
  const SluiceRunDevice *about = &self->model->abouts[device];
  task->line = device * N_QUEUES + queue;
  task->give_us = about->give_us;
  task->wait_us = about->wake_us;
  task->news_us = about->news_us;
}

static void
add_nodes (Run *self)
{
  const SluiceRunModel *model = self->model;
  for (guint v = 0; v < model->workload->n_nodes; v++)
    {
      Task task = { .line = HOST, .us = model->us[v], .rounds = model->rounds[v], .rank = v };
      if (has_queues (self, model->devices[v]))
        set_queue (self, &task, model->devices[v], COMPUTE);
      if (model->is_carried[v])
        task.give_us = 0;
      g_array_append_val (self->tasks, task);
    }
}

/* What a device receives comes through a queue of its own, or, to the host, through one of where it
 * was made; between devices of the host a thread hands it on, who sends as well as who receives. */
static guint
add_copy (Run *self, guint from, guint to, double bytes, guint rank)
{
  const SluiceRunLink *link = get_link (self, from, to);
  Task task = {
    .line = HOST, .us = link->us + bytes / link->bytes_per_us, .rounds = 1, .rank = rank
  };
  if (has_queues (self, to))
    set_queue (self, &task, to, IN);
  else if (has_queues (self, from))
    set_queue (self, &task, from, OUT);
  else
    task.us *= 2;
  task.wait_us = link->wait_us;
  g_array_append_val (self->tasks, task);
  return self->tasks->len - 1;
}

/* Nodes of the device wait until all of it is there, and nothing begins before all is given. */
static void
feed (Run *self, guint device, double bytes)
{
  const SluiceRunModel *model = self->model;
  const SluiceRunLink *link = get_link (self, model->host, device);
  double *queues = &self->free_us[device * N_QUEUES];
  self->begin_us += model->abouts[device].give_us;
  if (queues[IN] <= self->begin_us)
    queues[IN] = self->begin_us + link->wait_us;
  queues[IN] += link->us + bytes / link->bytes_per_us;
  queues[COMPUTE] = queues[IN];
}

/* copies: by value and device; 0: there is none yet */
static void
add_needs (Run *self, guint v, guint *copies)
{
  const SluiceWorkload *w = self->model->workload;
  const guint *devices = self->model->devices;
  for (guint i = 0, maker; i < sluice_workload_get_n_needs (w, v); i++)
    {
      guint value = sluice_workload_get_need (w, v, i, &maker);
      guint *copy = &copies[(gsize) value * w->machine->n_devices + devices[v]];
      if (self->model->is_fed[maker])
        {
          if (has_queues (self, devices[v]) && *copy == 0 && value < w->n_outputs)
            feed (self, devices[v], sluice_workload_get_bytes (w, value));
          *copy = FED;
          continue;
        }
      if (devices[maker] == devices[v])
        {
          add_tie (self, maker, v, has_queues (self, devices[v]));
          continue;
        }
      if (*copy == 0)
        {
          *copy = add_copy (self, devices[maker], devices[v], sluice_workload_get_bytes (w, value),
                            maker);
          add_tie (self, maker, *copy, FALSE);
        }
      add_tie (self, *copy, v, FALSE);
    }
}

static void
index_ties (Run *self)
{
  g_autofree guint *from = g_new (guint, self->ties->len + 1);
  for (guint i = 0; i < self->ties->len; i++)
    from[i] = g_array_index (self->ties, Tie, i).from;
  sluice_csr_build (from, self->ties->len, self->tasks->len, &self->first_tie, &self->ties_of);
}

/* ---- the run ---- */

static void
post (Run *self, double us, Event event, guint task)
{
  sluice_heap_push (&self->events, us, task * N_EVENTS + event);
}

/* What nothing runs ends at once, or goes with what stands in its queue before it. */
static void
make_ready (Run *self, double now, guint i)
{
  Task *task = task_at (self, i);
  task->ready_us = now;
  if (task->us > 0 && (task->line == HOST || task->give_us > 0))
    sluice_heap_push (&self->ready, task->rank, i);
  else
    post (self, now, task->line == HOST ? ENDED : GIVEN, i);
}

static void
go_on (Run *self, double now, guint i, gboolean is_ahead)
{
  for (guint k = self->first_tie[i]; k < self->first_tie[i + 1]; k++)
    {
      const Tie *tie = &g_array_index (self->ties, Tie, self->ties_of[k]);
      if (tie->is_ahead == is_ahead && --task_at (self, tie->to)->n_waits == 0)
        make_ready (self, now, tie->to);
    }
}

static void
give (Run *self, double now, guint i)
{
  Task *task = task_at (self, i);
  double *free_us = &self->free_us[task->line], begin = *free_us;
  if (*free_us <= now)
    begin = task->us > 0 ? fmax (now, task->ready_us + task->wait_us) : now;
  *free_us = begin + task->us;
  post (self, *free_us, DONE, i);
  go_on (self, now, i, TRUE);
}

static gboolean
is_awake (const Run *self, double now)
{
  for (guint t = 0; t < self->model->n_threads; t++)
    if (self->busy_until[t] > now)
      return TRUE;
  return FALSE;
}

static void
take_event (Run *self, double now, Event event, guint i)
{
  const Task *task = task_at (self, i);
  switch (event)
    {
    case ENDED:
    case HEARD:
      go_on (self, now, i, FALSE);
      break;
    case GIVEN:
      give (self, now, i);
      break;
    default:
      post (self, is_awake (self, now) || task->us <= 0 ? now : now + task->news_us, HEARD, i);
      break;
    }
}

/* A thread that did something until now goes on at once, another has to come first. */
static void
begin (Run *self, double now, guint thread)
{
  guint i = sluice_heap_pop (&self->ready).number;
  const Task *task = task_at (self, i);
  double us = task->line == HOST ? task->us : task->give_us;
  if (thread > 0 && self->busy_until[thread] < now)
    us += self->model->hand_us;
  self->busy_until[thread] = now + us;
  if (us < SLUICE_RUN_SMALL_US * task->rounds)
    self->lock_until = now + us;
  post (self, now + us, task->line == HOST ? ENDED : GIVEN, i);
}

static void
begin_all (Run *self, double now)
{
  for (guint t = 0; t < self->model->n_threads; t++)
    if (self->busy_until[t] <= now && self->lock_until <= now && self->ready.n > 0)
      begin (self, now, t);
}

static double
run (Run *self)
{
  guint n = self->tasks->len;
  double now = self->begin_us;
  for (guint i = 0; i < n; i++)
    if (task_at (self, i)->n_waits == 0)
      make_ready (self, now, i);
  begin_all (self, now);
  while (self->events.n > 0)
    {
      now = self->events.entries[0].key;
      while (self->events.n > 0 && self->events.entries[0].key <= now)
        {
          guint number = sluice_heap_pop (&self->events).number;
          take_event (self, now, number % N_EVENTS, number / N_EVENTS);
        }
      begin_all (self, now);
    }
  return now;
}

static double
get_fetch_us (const Run *self)
{
  const SluiceRunModel *model = self->model;
  double us = 0;
  for (guint i = 0; i < model->n_fetched; i++)
    {
      const SluiceWorkloadOutput *output = &model->workload->outputs[model->fetched[i]];
      guint device = model->devices[output->node];
      const SluiceRunLink *link = get_link (self, device, model->host);
      if (has_queues (self, device))
        us += link->us + output->bytes / link->bytes_per_us;
    }
  return us;
}

double
sluice_run_model_get_us (const SluiceRunModel *self)
{
  const SluiceWorkload *w = self->workload;
  guint n_devices = w->machine->n_devices;
  g_autofree guint *copies =
      g_new0 (guint, (gsize) sluice_workload_get_n_values (w) * n_devices + 1);
  Run it = { .model = self,
             .tasks = g_array_new (FALSE, FALSE, sizeof (Task)),
             .ties = g_array_new (FALSE, FALSE, sizeof (Tie)),
             .free_us = g_new0 (double, n_devices *N_QUEUES),
             .busy_until = g_new0 (double, self->n_threads) };
  add_nodes (&it);
  for (guint v = 0; v < w->n_nodes; v++)
    add_needs (&it, v, copies);
  index_ties (&it);
  it.ready.entries = g_new (SluiceHeapEntry, it.tasks->len + 1);
  it.events.entries = g_new (SluiceHeapEntry, it.tasks->len + 1);
  double us = run (&it) + get_fetch_us (&it);
  g_array_unref (it.tasks);
  g_array_unref (it.ties);
  g_free (it.first_tie);
  g_free (it.ties_of);
  g_free (it.free_us);
  g_free (it.busy_until);
  g_free (it.ready.entries);
  g_free (it.events.entries);
  return us;
}
