/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/measuring.h"

#include <string.h>

#include "engine/train/sized-graph.h"

/* Operations that take as long as a byte: how the time of a kernel is divided among its nodes. */
#define FLOPS_A_BYTE 5

typedef struct
{
  SluiceMeasuredEntry *entry;
  double part; /* of the kernel's time */
} Share;

/* A kernel on a device: by these three, which live as long as the session. */
typedef struct
{
  const char *node, *device;
  const char *const *with;
  Share *shares;
  guint n_shares;
  SluiceMeasuredHow how;
  guint64 step; /* of ns; 0: it was in no loop yet */
  double ns;    /* of its iterations in that step until now */
} Kernel;

/* What does one thing after the other: a thread of a device, or its queue. */
typedef struct
{
  const char *device;
  guint lane, queue;
  guint64 step;
  double end_us;
  SluiceMeasuredEntry *between;
} Line;

struct _SluiceMeasuring
{
  SluiceSession *session;
  SluiceMeasured *measured;
  SluiceGraph *sized; /* the session's, with the batch */
  gint64 unknown_dim;
  guint64 cursor;
  GHashTable *kernels, *lines; /* sets of Kernel, of Line */
  GHashTable *recorded;        /* interned names of nodes that kernels ran */
  GPtrArray *not_run;          /* of SluiceMeasuredEntry: what those need and no kernel ran */
  guint n_at_not_run;          /* size of recorded when not_run was made */
  guint64 step, n_steps;       /* newest; begun since the last reading */
  guint64 n_samples;
};

/* ---- sets ---- */

static guint
hash_kernel (gconstpointer kernel)
{
  const Kernel *self = kernel;
  return (g_direct_hash (self->node) * 31 + g_direct_hash (self->device)) * 31
         + g_direct_hash (self->with);
}

static gboolean
equal_kernels (gconstpointer a, gconstpointer b)
{
  const Kernel *x = a, *y = b;
  return x->node == y->node && x->device == y->device && x->with == y->with;
}

static void
free_kernel (gpointer kernel)
{
  g_free (((Kernel *) kernel)->shares);
  g_free (kernel);
}

static guint
hash_line (gconstpointer line)
{
  const Line *self = line;
  return (g_direct_hash (self->device) * 31 + self->lane) * 31 + self->queue;
}

static gboolean
equal_lines (gconstpointer a, gconstpointer b)
{
  const Line *x = a, *y = b;
  return x->device == y->device && x->lane == y->lane && x->queue == y->queue;
}

SluiceMeasuring *
sluice_measuring_new (SluiceSession *session, SluiceMeasured *measured, gint64 unknown_dim)
{
  SluiceMeasuring *self = g_new0 (SluiceMeasuring, 1);
  self->session = g_object_ref (session);
  self->measured = measured;
  self->unknown_dim = unknown_dim;
  self->sized = sluice_graph_dup_sized (sluice_session_get_graph (session), unknown_dim);
  self->kernels = g_hash_table_new_full (hash_kernel, equal_kernels, free_kernel, NULL);
  self->lines = g_hash_table_new_full (hash_line, equal_lines, g_free, NULL);
  self->recorded = g_hash_table_new (NULL, NULL);
  self->not_run = g_ptr_array_new ();
  return self;
}

void
sluice_measuring_free (SluiceMeasuring *self)
{
  sluice_session_drop_trace (self->session, &self->cursor);
  g_hash_table_unref (self->kernels);
  g_hash_table_unref (self->lines);
  g_hash_table_unref (self->recorded);
  g_ptr_array_unref (self->not_run);
  sluice_graph_unref (self->sized);
  g_object_unref (self->session);
  g_free (self);
}

/* ---- nodes ---- */

static double
weigh (const SluiceCost *cost)
{
  return 1 + MAX (cost->flops / FLOPS_A_BYTE, cost->bytes);
}

/* In the copy, but for what came later. (nullable): of a call that was written out */
static const SluiceNode *
find_node (const SluiceMeasuring *self, const char *name)
{
  const SluiceNode *node = sluice_graph_find (self->sized, name);
  return node != NULL ? node : sluice_graph_find (sluice_session_get_graph (self->session), name);
}

static void
add_share (SluiceMeasuring *self, Kernel *kernel, const char *name)
{
  const SluiceNode *node = find_node (self, name);
  g_auto (SluiceCostKey) key = { NULL };
  if (node == NULL)
    return;
  sluice_cost_key_init (&key, node, self->unknown_dim);
  kernel->shares[kernel->n_shares++] =
      (Share){ sluice_measured_open (self->measured, kernel->device, &key), weigh (&key.cost) };
  g_hash_table_add (self->recorded, (gpointer) node->name);
}

static Kernel *
open_kernel (SluiceMeasuring *self, const SluiceTraceEvent *event)
{
  const Kernel wanted = { .node = event->node, .device = event->device, .with = event->with };
  Kernel *kernel = g_hash_table_lookup (self->kernels, &wanted);
  guint n_with = event->with != NULL ? g_strv_length ((char **) event->with) : 0;
  double sum = 0;
  if (kernel != NULL)
    return kernel;
  kernel = g_memdup2 (&wanted, sizeof wanted);
  kernel->shares = g_new0 (Share, n_with + 1);
  kernel->how = n_with > 0 ? SLUICE_MEASURED_TOGETHER : SLUICE_MEASURED_ALONE;
  add_share (self, kernel, event->node);
  for (guint i = 0; i < n_with; i++)
    add_share (self, kernel, event->with[i]);
  for (guint i = 0; i < kernel->n_shares; i++)
    sum += kernel->shares[i].part;
  for (guint i = 0; i < kernel->n_shares; i++)
    kernel->shares[i].part /= sum;
  g_hash_table_add (self->kernels, kernel);
  return kernel;
}

static void
add_time (SluiceMeasuring *self, Kernel *kernel, double ns)
{
  for (guint i = 0; i < kernel->n_shares; i++)
    sluice_measured_entry_add (kernel->shares[i].entry, kernel->how, ns * kernel->shares[i].part,
                               1);
  self->n_samples++;
}

static void
take_node (SluiceMeasuring *self, const SluiceTraceEvent *event)
{
  Kernel *kernel = open_kernel (self, event);
  double ns = (event->end_us - event->start_us) * 1000;
  if (event->frame == NULL)
    {
      add_time (self, kernel, ns);
      return;
    }
  if (kernel->step != event->step)
    {
      if (kernel->step != 0)
        add_time (self, kernel, kernel->ns);
      kernel->step = event->step;
      kernel->ns = 0;
    }
  kernel->ns += ns;
}

static Line *
open_line (SluiceMeasuring *self, const SluiceTraceEvent *event)
{
  const Line wanted = { event->device, event->queue > 0 ? 0 : event->lane, event->queue };
  Line *line = g_hash_table_lookup (self->lines, &wanted);
  if (line != NULL)
    return line;
  line = g_memdup2 (&wanted, sizeof wanted);
  line->between = sluice_measured_open_between (self->measured, event->device);
  g_hash_table_add (self->lines, line);
  return line;
}

/* From the end of what ran before on this line, where the node only waited for that. */
static void
take_between (SluiceMeasuring *self, const SluiceTraceEvent *event)
{
  Line *line = open_line (self, event);
  if (line->step == event->step && event->scheduled_us <= line->end_us
      && event->start_us >= line->end_us)
    sluice_measured_entry_add (line->between, SLUICE_MEASURED_ALONE,
                               (event->start_us - line->end_us) * 1000, 1);
  line->step = event->step;
  line->end_us = event->end_us;
}

/* ---- transfers ---- */

/* When a value was there and its way was free: until a queue's thread has woken counts, too. Of
 * what a queue sends it is not known when it was made, for it was sent ahead. */
static double
find_begin (SluiceMeasuring *self, const SluiceTraceEvent *event, const char *from)
{
  if (event->queue == 0)
    return event->scheduled_us;
  Line *line = open_line (self, event);
  double free_us = line->end_us;
  line->end_us = event->end_us;
  return strstr (from, "device:CPU:") != NULL
             ? MIN (MAX (event->scheduled_us, free_us), event->start_us)
             : event->start_us;
}

/* The key is "FROM;incarnation;TO;value". */
static void
take_transfer (SluiceMeasuring *self, const SluiceTraceEvent *event)
{
  g_auto (GStrv) parts = g_strsplit (event->transfer, ";", 4);
  if (g_strv_length (parts) < 4 || event->bytes_out == 0)
    return;
  sluice_measured_add_transfer (self->measured, parts[0], parts[2], (double) event->bytes_out,
                                (event->end_us - find_begin (self, event, parts[0])) * 1000);
  self->n_samples++;
}

static void
take (const SluiceTraceEvent *event, gpointer measuring)
{
  SluiceMeasuring *self = measuring;
  if (event->step > self->step)
    {
      self->step = event->step;
      self->n_steps++;
    }
  if (event->kind == SLUICE_TRACE_RECV && event->transfer != NULL)
    take_transfer (self, event);
  if (event->kind != SLUICE_TRACE_NODE || event->node == NULL)
    return;
  take_between (self, event);
  take_node (self, event);
}

/* ---- what no kernel ran ---- */

static void
add_needed (GQueue *queue, GHashTable *seen, const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      SluiceNode *input =
          i < node->n_inputs ? node->inputs[i].node : node->control_inputs[i - node->n_inputs];
      if (input != NULL && g_hash_table_add (seen, (gpointer) input->name))
        g_queue_push_tail (queue, input);
    }
}

/* Of the nodes that some recorded one needs those that are not recorded. */
static void
find_not_run (SluiceMeasuring *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GQueue) queue = g_queue_new ();
  GHashTableIter i;
  gpointer name;
  g_ptr_array_set_size (self->not_run, 0);
  g_hash_table_iter_init (&i, self->recorded);
  while (g_hash_table_iter_next (&i, &name, NULL))
    {
      const SluiceNode *node = find_node (self, name);
      if (node != NULL && g_hash_table_add (seen, name))
        add_needed (queue, seen, node);
    }
  for (SluiceNode *node; (node = g_queue_pop_head (queue)) != NULL; add_needed (queue, seen, node))
    {
      const char *device = sluice_session_get_placement (self->session, node->name, NULL);
      g_auto (SluiceCostKey) key = { NULL };
      if (device == NULL || g_hash_table_contains (self->recorded, node->name))
        continue;
      sluice_cost_key_init (&key, node, self->unknown_dim);
      g_ptr_array_add (self->not_run, sluice_measured_open (self->measured, device, &key));
    }
  self->n_at_not_run = g_hash_table_size (self->recorded);
}

/* ---- reading ---- */

/* Of a step that was cut off by what was lost nothing may be added up. */
static void
forget_sums (SluiceMeasuring *self)
{
  GHashTableIter i;
  gpointer kernel;
  g_hash_table_iter_init (&i, self->kernels);
  while (g_hash_table_iter_next (&i, &kernel, NULL))
    ((Kernel *) kernel)->step = 0;
}

/* The last step may still run: it counts when the next has begun. */
static void
count_not_run (SluiceMeasuring *self)
{
  if (g_hash_table_size (self->recorded) != self->n_at_not_run)
    find_not_run (self);
  for (guint i = 0; i < self->not_run->len; i++)
    sluice_measured_entry_add (self->not_run->pdata[i], SLUICE_MEASURED_NOT_RUN, 0,
                               (guint32) MIN (self->n_steps - 1, SLUICE_SKETCH_MOST));
}

guint64
sluice_measuring_read (SluiceMeasuring *self)
{
  self->n_samples = 0;
  guint64 n_lost = sluice_session_each_trace (self->session, &self->cursor, take, self);
  if (n_lost > 0)
    forget_sums (self);
  if (self->n_steps > 1)
    {
      count_not_run (self);
      self->n_steps = 1;
    }
  return self->n_samples;
}

static void
pass_over (const SluiceTraceEvent *event, gpointer measuring)
{
  SluiceMeasuring *self = measuring;
  self->step = MAX (self->step, event->step);
}

void
sluice_measuring_skip (SluiceMeasuring *self)
{
  sluice_session_each_trace (self->session, &self->cursor, pass_over, self);
  forget_sums (self);
  self->n_steps = 0;
}
