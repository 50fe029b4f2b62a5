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

/* When somebody last made a value, or brought it to a device. */
typedef struct
{
  guint64 step;
  double us;
  const char *device; /* whose queue that was; NULL: a thread of the session */
  guint queue;
} End;

/* What its iterations took in a step. */
typedef struct
{
  guint64 step;
  double ns;
  guint n;
} Sum;

/* A kernel on a device: by these three, which live as long as the session. */
typedef struct
{
  const char *node, *device;
  const char *const *with;
  Share *shares;
  guint n_shares;
  SluiceMeasuredHow how;
  const char *loop; /* (nullable): that it was in */
  GArray *sums;     /* of Sum, by lane and step: of steps whose end is not known yet */
  End *end;
  GPtrArray *makers; /* of End, not its own: of what it reads */
} Kernel;

/* What does one thing after the other: a thread of a device, or its queue. */
typedef struct
{
  const char *device;
  guint lane, queue;
  guint64 step;
  double start_us, end_us;                            /* of what it did last */
  SluiceMeasuredEntry *overheads[SLUICE_N_OVERHEADS]; /* NULL: not needed yet */
} Line;

/* A thread of the session. */
typedef struct
{
  guint64 step;
  double end_us;    /* of what it ran itself */
  const End *given; /* what it last gave a queue; NULL: nothing */
  double given_us;  /* when that could run */
} Host;

struct _SluiceMeasuring
{
  SluiceSession *session;
  SluiceMeasured *measured;
  SluiceGraph *sized; /* the session's, with the batch */
  gint64 unknown_dim;
  guint64 cursor;
  GHashTable *kernels, *lines; /* sets of Kernel, of Line */
  GHashTable *ends;            /* "CPU:0;name", "CPU:1;name:port": End */
  GArray *hosts;               /* of Host, by lane */
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
  g_ptr_array_unref (((Kernel *) kernel)->makers);
  g_array_unref (((Kernel *) kernel)->sums);
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
  self->ends = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->hosts = g_array_new (FALSE, TRUE, sizeof (Host));
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
  g_hash_table_unref (self->ends);
  g_array_unref (self->hosts);
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

static const char *
short_name (const char *device)
{
  const char *last = strstr (device, "device:");
  return last != NULL ? last + strlen ("device:") : device;
}

/* value: "name" of who makes it, where it stands, or "name:port" of what came there. */
static End *
open_end (SluiceMeasuring *self, const char *device, const char *value)
{
  g_autofree char *key = g_strconcat (short_name (device), ";", value, NULL);
  End *end = g_hash_table_lookup (self->ends, key);
  if (end == NULL)
    g_hash_table_insert (self->ends, g_steal_pointer (&key), end = g_new0 (End, 1));
  return end;
}

static void
add_makers (SluiceMeasuring *self, Kernel *kernel, const char *name)
{
  const SluiceNode *node = find_node (self, name);
  for (guint i = 0; node != NULL && i < node->n_inputs; i++)
    {
      const SluiceNode *maker = node->inputs[i].node;
      const char *stands =
          maker != NULL ? sluice_session_get_placement (self->session, maker->name, NULL) : NULL;
      if (stands == NULL)
        continue;
      g_autofree char *value = g_strdup_printf ("%s:%d", maker->name, node->inputs[i].port);
      End *end = g_str_equal (short_name (stands), short_name (kernel->device))
                     ? open_end (self, stands, maker->name)
                     : open_end (self, kernel->device, value);
      if (end != kernel->end)
        g_ptr_array_add (kernel->makers, end);
    }
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
  kernel->end = open_end (self, event->device, event->node);
  kernel->makers = g_ptr_array_new ();
  kernel->sums = g_array_new (FALSE, FALSE, sizeof (Sum));
  add_share (self, kernel, event->node);
  add_makers (self, kernel, event->node);
  for (guint i = 0; i < n_with; i++)
    {
      add_share (self, kernel, event->with[i]);
      add_makers (self, kernel, event->with[i]);
    }
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

/* ---- what passes besides ---- */

static Line *
open_line (SluiceMeasuring *self, const SluiceTraceEvent *event)
{
  const Line wanted = { event->device, event->queue > 0 ? 0 : event->lane, event->queue };
  Line *line = g_hash_table_lookup (self->lines, &wanted);
  if (line != NULL)
    return line;
  line = g_memdup2 (&wanted, sizeof wanted);
  g_hash_table_add (self->lines, line);
  return line;
}

static void
add_overhead (SluiceMeasuring *self, Line *line, SluiceOverhead overhead, double us)
{
  if (line->overheads[overhead] == NULL)
    line->overheads[overhead] =
        sluice_measured_open_overhead (self->measured, line->device, overhead);
  sluice_measured_entry_add (line->overheads[overhead], SLUICE_MEASURED_ALONE, us * 1000, 1);
}

static Host *
open_host (SluiceMeasuring *self, guint lane)
{
  if (lane >= self->hosts->len)
    g_array_set_size (self->hosts, lane + 1);
  return &g_array_index (self->hosts, Host, lane);
}

/* What it did last in this step is over, and nothing keeps it from what it does now. At the
 * beginning of a step values that are fed may be in the way, of which the trace says nothing. */
static gboolean
is_free (const Line *line, const SluiceTraceEvent *event)
{
  return line->step == event->step && event->start_us >= line->end_us
         && event->start_us >= event->scheduled_us;
}

/* What a node waited for its line, which ran something until then, or had to wake. us: (out): after
 * what ran before it began. FALSE: it had not waited for that alone: a queue may have been given it
 * only after what it did before */
static gboolean
take_line (SluiceMeasuring *self, Line *line, const SluiceTraceEvent *event, double *us)
{
  *us = 0;
  if (!is_free (line, event))
    return FALSE;
  if (event->scheduled_us <= (line->queue > 0 ? line->start_us : line->end_us))
    {
      *us = event->start_us - line->end_us;
      return TRUE;
    }
  if (line->queue > 0 && event->scheduled_us > line->end_us)
    add_overhead (self, line, SLUICE_OVERHEAD_WAKE, event->start_us - event->scheduled_us);
  return FALSE;
}

/* A node that stands in a queue before the one that it reads of has ended, can run from when the
 * thread began to give that one to the queue: the thread did nothing else since that one could run.
 */
static void
take_giving (SluiceMeasuring *self, Line *line, const Kernel *kernel, const SluiceTraceEvent *event)
{
  Host *host = open_host (self, event->lane);
  if (host->given != NULL && host->given->step == event->step
      && event->scheduled_us > host->given_us && event->scheduled_us < host->given->us
      && g_ptr_array_find (kernel->makers, host->given, NULL))
    add_overhead (self, line, SLUICE_OVERHEAD_GIVE, event->scheduled_us - host->given_us);
  host->given = kernel->end;
  host->given_us = event->scheduled_us;
}

/* Of a queue's end the host hears late: what waited for that alone tells how late. */
static void
take_news (SluiceMeasuring *self, const SluiceTraceEvent *event, End *const *makers, guint n)
{
  const End *last = NULL;
  for (guint i = 0; i < n; i++)
    if (makers[i]->step == event->step && (last == NULL || makers[i]->us > last->us))
      last = makers[i];
  if (last == NULL || last->device == NULL || event->scheduled_us < last->us
      || (last->queue == event->queue && last->device == event->device))
    return;
  const Host *host = open_host (self, event->lane);
  if (host->step == event->step && host->end_us > last->us)
    return; /* it was at work */
  const SluiceTraceEvent from = { .device = last->device, .queue = last->queue };
  add_overhead (self, open_line (self, &from), SLUICE_OVERHEAD_NEWS,
                event->scheduled_us - last->us);
}

static void
set_end (SluiceMeasuring *self, Line *line, End *end, const SluiceTraceEvent *event)
{
  end->step = line->step = event->step;
  end->us = line->end_us = event->end_us;
  line->start_us = event->start_us;
  end->device = event->queue > 0 ? event->device : NULL;
  end->queue = event->queue;
  if (event->queue > 0)
    return;
  Host *host = open_host (self, event->lane);
  host->step = event->step;
  host->end_us = event->end_us;
}

/* Of a step each lane has its own part, and comes after another one's later steps. */
static void
add_to_sum (SluiceMeasuring *self, Kernel *kernel, const SluiceTraceEvent *event, double ns)
{
  guint i = kernel->sums->len;
  while (i > 0 && g_array_index (kernel->sums, Sum, i - 1).step != event->step)
    i--;
  if (i == 0)
    {
      const Sum sum = { event->step, 0, 0 };
      g_array_append_val (kernel->sums, sum);
      i = kernel->sums->len;
    }
  Sum *sum = &g_array_index (kernel->sums, Sum, i - 1);
  sum->ns += ns;
  sum->n++;
  kernel->loop = event->frame;
}

static void
take_node (SluiceMeasuring *self, const SluiceTraceEvent *event)
{
  Kernel *kernel = open_kernel (self, event);
  Line *line = open_line (self, event);
  double ns = (event->end_us - event->start_us) * 1000, before_us;
  gboolean follows = take_line (self, line, event, &before_us);
  take_news (self, event, (End *const *) kernel->makers->pdata, kernel->makers->len);
  if (event->queue > 0)
    take_giving (self, line, kernel, event);
  set_end (self, line, kernel->end, event);
  if (follows && kernel->how == SLUICE_MEASURED_TOGETHER)
    ns += before_us * 1000;
  else if (follows)
    add_overhead (self, line, SLUICE_OVERHEAD_BETWEEN, before_us);
  if (event->frame == NULL)
    add_time (self, kernel, ns);
  else
    add_to_sum (self, kernel, event, ns);
}

/* ---- transfers ---- */

/* The key is "FROM;incarnation;TO;value". */
static void
take_transfer (SluiceMeasuring *self, const SluiceTraceEvent *event)
{
  g_auto (GStrv) parts = g_strsplit (event->transfer, ";", 4);
  if (g_strv_length (parts) < 4 || event->bytes_out == 0)
    return;
  Line *line = open_line (self, event);
  const char *colon = strrchr (parts[3], ':');
  g_autofree char *name = g_strndup (parts[3], colon != NULL ? (gsize) (colon - parts[3]) : 0);
  End *const maker = open_end (self, parts[0], name);
  sluice_measured_add_transfer (self->measured, parts[0], parts[2], (double) event->bytes_out,
                                (event->end_us - event->start_us) * 1000);
  if (event->queue > 0 && is_free (line, event) && event->scheduled_us > line->end_us)
    sluice_measured_add_wait (self->measured, parts[0], parts[2],
                              (event->start_us - event->scheduled_us) * 1000);
  take_news (self, event, &maker, 1);
  set_end (self, line, open_end (self, parts[2], parts[3]), event);
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
    g_array_set_size (((Kernel *) kernel)->sums, 0);
}

/* Of all steps but the newest, which may still run. */
static void
add_sums (SluiceMeasuring *self)
{
  GHashTableIter iter;
  gpointer at;
  g_hash_table_iter_init (&iter, self->kernels);
  while (g_hash_table_iter_next (&iter, &at, NULL))
    {
      Kernel *kernel = at;
      for (guint i = kernel->sums->len; i-- > 0;)
        {
          const Sum sum = g_array_index (kernel->sums, Sum, i);
          if (sum.step >= self->step)
            continue;
          add_time (self, kernel, sum.ns);
          sluice_measured_add_rounds (self->measured, kernel->device, kernel->loop, sum.n);
          g_array_remove_index_fast (kernel->sums, i);
        }
    }
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
  add_sums (self);
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
