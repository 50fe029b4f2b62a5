/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/plan/fused.h"

#include "engine/runtime/plan/memory-class.h"

/* Of a strip of the widest type that takes part: a few of them fit into the first cache. */
#define STRIP_BYTES 8192

/* A vector along the last dimension that is shorter than this is repeated over a strip; with a
 * longer one, a strip ends where a row does. */
#define SHORT_ROW 256

#define MAX_PATTERNS 4

/* Strips in a chunk of work: fixed, so that what runs where never changes a bit. */
#define STRIPS 8

typedef struct
{
  int member;  /* whose value it is, or -1 */
  guint input; /* of the node, where it is no member's value */
} Operand;

typedef struct
{
  const SluiceNode *origin;
  const SluiceKernel *kernel;
  gpointer state; /* of kernel->prepare */
  SluiceStrip strip;
  guint first_operand;
  int output;        /* which its value is, or -1 */
  guint temp;        /* where its strip lies that is no output's */
  SluiceOwner owner; /* of its value */
  guint n_next;      /* members that follow in a chain with it: only the last of them has a strip */
  guint linked;      /* of those: the operand that the member before it is */
} Member;

typedef struct
{
  guint n_members, n_inputs, n_outputs, n_temps;
  Member *members;
  Operand *operands;
  guint8 *sizes;                        /* by input: of an element */
  guint8 *last_reader;                  /* by input: member */
  guint8 outputs[SLUICE_FUSED_OUTPUTS]; /* members */
  gsize widest;                         /* of them, and of the members' values */
  gint64 strip;                         /* elements */
  double ns;                            /* of all members, an element */
} Fusion;

/* ---- the plan of a node ---- */

static void
fusion_free (gpointer data)
{
  Fusion *self = data;
  for (guint i = 0; i < self->n_members; i++)
    if (self->members[i].state && self->members[i].kernel->free_state)
      self->members[i].kernel->free_state (self->members[i].state);
  g_free (self->members);
  g_free (self->operands);
  g_free (self->sizes);
  g_free (self->last_reader);
  g_free (self);
}

static Operand
find_operand (const SluiceWorkNode *node, guint n_before, SluiceWorkEdge edge)
{
  for (guint i = 0; i < n_before; i++)
    if (node->region.members[i] == edge.node)
      return (Operand){ .member = (int) i };
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node == edge.node && node->inputs[i].port == edge.port)
      return (Operand){ .member = -1, .input = i };
  g_assert_not_reached ();
}

/* The operand of the next member that is the value of this one; -1: it is read elsewhere, too. */
static int
links_to (const Fusion *self, guint i)
{
  const Member *member = &self->members[i], *next = member + 1;
  int position = -1;
  if (!member->strip.chain || i + 1 == self->n_members || member->output >= 0
      || next->strip.chain != member->strip.chain)
    return -1;
  for (guint m = i + 1; m < self->n_members; m++)
    for (guint k = 0; k < self->members[m].strip.n_operands; k++)
      if (self->operands[self->members[m].first_operand + k].member == (int) i)
        {
          if (m != i + 1 || position >= 0)
            return -1;
          position = (int) k;
        }
  return position;
}

static void
find_chains (Fusion *self)
{
  for (guint i = 0; i < self->n_members; i++)
    {
      Member *first = &self->members[i];
      for (int k; first->n_next + 1 < SLUICE_STRIP_LINKS && (k = links_to (self, i)) >= 0; i++)
        {
          first->n_next++;
          self->members[i + 1].linked = (guint) k;
        }
    }
}

/* Each member's strip gets the first place that nobody reads any more; an operand's is none. */
static void
lay_temps (Fusion *self)
{
  g_autofree guint *last_read = g_new0 (guint, self->n_members);
  g_autofree guint *free_from = g_new0 (guint, self->n_members);
  for (guint i = 0; i < self->n_members; i++)
    for (guint k = 0; k < self->members[i].strip.n_operands; k++)
      {
        Operand operand = self->operands[self->members[i].first_operand + k];
        if (operand.member >= 0)
          last_read[operand.member] = i;
      }
  for (guint i = 0; i < self->n_members; i++)
    {
      guint t = 0;
      if (self->members[i].output >= 0)
        continue;
      while (free_from[t] > i)
        t++;
      self->members[i].temp = t;
      free_from[t] = last_read[i] + 1;
      self->n_temps = MAX (self->n_temps, t + 1);
    }
}

static int
find_output (const SluiceWorkNode *node, const SluiceWorkNode *member)
{
  for (guint i = 0; i < node->region.n_outputs; i++)
    if (node->region.outputs[i] == member)
      return (int) i;
  return -1;
}

/* FALSE: what the kernel says of the attributes. */
static gboolean
add_member (Fusion *self,
            const SluiceWorkNode *node,
            const char *device_type,
            int max_rank,
            GArray *operands,
            GError **error)
{
  guint i = self->n_members;
  const SluiceWorkNode *work_node = node->region.members[i];
  Member *member = &self->members[i];
  GError *failed = NULL;
  member->origin = work_node->origin;
  member->kernel = sluice_kernel_find (member->origin, device_type, max_rank, &failed);
  if (!failed && member->kernel->prepare)
    member->state = member->kernel->prepare (member->origin, &failed);
  if (failed)
    {
      g_propagate_error (error, failed);
      return FALSE;
    }
  self->n_members++;
  member->kernel->strip (member->kernel, member->origin, &member->strip);
  member->first_operand = operands->len;
  member->output = find_output (node, work_node);
  member->owner = (SluiceOwner){ member->origin->id, sluice_memory_class_of_node (member->origin) };
  if (member->output >= 0)
    self->outputs[member->output] = (guint8) i;
  for (guint k = 0; k < work_node->n_inputs; k++)
    {
      Operand operand = find_operand (node, i, work_node->inputs[k]);
      gsize size = sluice_dtype_size (sluice_edge_dtype (member->origin->inputs[k]));
      if (operand.member < 0)
        {
          self->sizes[operand.input] = (guint8) size;
          self->last_reader[operand.input] = (guint8) i;
        }
      self->widest = MAX (self->widest, size);
      g_array_append_val (operands, operand);
    }
  self->widest = MAX (self->widest, sluice_dtype_size (member->origin->outputs[0].dtype));
  self->ns += member->strip.ns;
  return TRUE;
}

gpointer
sluice_fusion_new (const SluiceWorkNode *node,
                   const char *device_type,
                   int max_rank,
                   GError **error)
{
  Fusion *self = g_new0 (Fusion, 1);
  self->widest = 1;
  self->members = g_new0 (Member, node->region.n_members);
  self->sizes = g_new0 (guint8, node->n_inputs);
  self->last_reader = g_new0 (guint8, node->n_inputs);
  g_autoptr (GArray) operands = g_array_new (FALSE, FALSE, sizeof (Operand));
  while (self->n_members < node->region.n_members)
    if (!add_member (self, node, device_type, max_rank, operands, error))
      {
        fusion_free (self);
        return NULL;
      }
  self->n_inputs = node->n_inputs;
  self->n_outputs = node->region.n_outputs;
  self->operands = (Operand *) g_array_steal (operands, NULL);
  self->strip = STRIP_BYTES / (gint64) self->widest;
  find_chains (self);
  lay_temps (self);
  return self;
}

/* ---- strip by strip ---- */

typedef enum
{
  WHOLE,  /* has the shape of the result */
  SINGLE, /* one element stands for all */
  ROW,    /* a vector along the last dimension */
} Kind;

typedef struct
{
  const Fusion *fusion;
  const Kind *kinds;       /* by input */
  const char *const *data; /* by input */
  struct
  {
    char *data;
    gsize size; /* of an element */
  } outputs[SLUICE_FUSED_OUTPUTS];
  gint64 n;         /* elements of the result */
  gint64 row;       /* elements after which a strip begins anew */
  gint64 strips;    /* in such a row */
  gint64 period;    /* of the ROWs that are repeated over a strip; 0: none are */
  guint n_patterns; /* ROWs then */
} Job;

static void
repeat_rows (const Job *job, char *memory, char **patterns)
{
  for (guint i = 0; i < job->fusion->n_inputs; i++)
    {
      if (job->kinds[i] != ROW)
        continue;
      gsize row = job->period * job->fusion->sizes[i], all = job->row * job->fusion->sizes[i];
      memcpy (memory, job->data[i], row);
      for (gsize done = row; done < all; done += MIN (done, all - done))
        memcpy (memory + done, memory, MIN (done, all - done));
      patterns[i] = memory;
      memory += STRIP_BYTES;
    }
}

/* A strip on its way through the members. */
typedef struct
{
  const Job *job;
  gint64 at, in_row, n; /* its first element, in the result and in its row; elements */
  char *temps, *const *patterns;
} Strip;

/* Where the member's value lies. */
static void *
place_of (const Strip *strip, const Member *member)
{
  if (member->output < 0)
    return strip->temps + (gsize) member->temp * STRIP_BYTES;
  return strip->job->outputs[member->output].data
         + strip->at * strip->job->outputs[member->output].size;
}

static const void *
read_operand (const Strip *strip, const Member *member, guint k, gboolean *is_single)
{
  const Job *job = strip->job;
  Operand operand = job->fusion->operands[member->first_operand + k];
  *is_single = FALSE;
  if (operand.member >= 0)
    return place_of (strip, &job->fusion->members[operand.member]);
  gsize size = job->fusion->sizes[operand.input];
  const char *data = job->data[operand.input];
  switch (job->kinds[operand.input])
    {
    case WHOLE:
      return data + strip->at * size;
    case ROW:
      return job->period ? strip->patterns[operand.input] : data + strip->in_row * size;
    default:
      *is_single = TRUE;
      return data;
    }
}

static void
run_chain (const Strip *strip, guint first, void *out)
{
  const Fusion *fusion = strip->job->fusion;
  const Member *member = &fusion->members[first];
  SluiceStripLink links[SLUICE_STRIP_LINKS];
  const void *value = NULL;
  for (guint i = 0; i <= member->n_next; i++)
    {
      SluiceStripLink *link = &links[i];
      gboolean single[2];
      const void *operands[] = { read_operand (strip, member + i, 0, &single[0]),
                                 read_operand (strip, member + i, 1, &single[1]) };
      link->strip = &member[i].strip;
      link->position = i == 0 ? (guint) single[0] : member[i].linked;
      link->other = operands[1 - link->position];
      link->is_single = single[1 - link->position];
      if (i == 0)
        value = operands[link->position];
    }
  member->strip.chain (links, member->n_next + 1, strip->n, value, out);
}

static void
run_strip (const Job *job, gint64 unit, char *temps, char *const *patterns)
{
  const Fusion *fusion = job->fusion;
  gint64 in_row = unit % job->strips * fusion->strip, row = unit / job->strips * job->row;
  Strip strip = { job, row + in_row, in_row, 0, temps, patterns };
  strip.n = MIN (MIN (fusion->strip, job->row - in_row), job->n - strip.at);
  for (guint i = 0; i < fusion->n_members; i++)
    {
      const Member *member = &fusion->members[i];
      guint last = i + member->n_next;
      void *out = place_of (&strip, &fusion->members[last]);
      if (member->n_next > 0)
        {
          run_chain (&strip, i, out);
          i = last;
          continue;
        }
      const void *operands[SLUICE_STRIP_OPERANDS];
      guint single = 0;
      for (guint k = 0; k < member->strip.n_operands; k++)
        {
          gboolean is_single;
          operands[k] = read_operand (&strip, member, k, &is_single);
          single |= (guint) is_single << k;
        }
      member->strip.run (&member->strip, strip.n, operands, single, out);
    }
}

static void
run_strips (gpointer data, gint64 begin, gint64 end)
{
  const Job *job = data;
  gsize bytes = (gsize) (job->fusion->n_temps + job->n_patterns) * STRIP_BYTES;
  char *memory = g_newa (char, bytes + 64), *patterns[SLUICE_FUSED_INPUTS];
  char *temps = (char *) (((guintptr) memory + 63) & ~(guintptr) 63);
  if (job->period)
    repeat_rows (job, temps + (gsize) job->fusion->n_temps * STRIP_BYTES, patterns);
  for (gint64 unit = begin; unit < end; unit++)
    run_strip (job, unit, temps, patterns);
}

/* ---- node by node ---- */

static gboolean
run_apart (SluiceKernelCall *call, const Fusion *self)
{
  SluiceTensor *values[SLUICE_FUSED_MEMBERS];
  guint n = 0;
  gboolean ok = TRUE;
  while (ok && n < self->n_members)
    {
      const Member *member = &self->members[n];
      guint n_operands = member->strip.n_operands;
      SluiceValue inputs[SLUICE_STRIP_OPERANDS], output = { NULL };
      for (guint k = 0; k < n_operands; k++)
        {
          Operand operand = self->operands[member->first_operand + k];
          inputs[k].tensor = operand.member >= 0 ? values[operand.member]
                                                 : sluice_call_input (call, operand.input);
          /* A second reference: others may want to read it later. */
          sluice_tensor_ref (inputs[k].tensor);
        }
      SluiceKernelCall one = *call;
      one.node = member->origin;
      one.kernel = member->kernel;
      one.state = member->state;
      one.owner = member->owner;
      one.inputs = inputs;
      one.n_inputs = (guint16) n_operands;
      one.outputs = &output;
      one.n_outputs = 1;
      one.output_dtypes = NULL;
      ok = member->kernel->compute (&one);
      call->error = one.error;
      for (guint k = 0; k < n_operands; k++)
        sluice_tensor_unref (inputs[k].tensor);
      if (output.tensor)
        values[n++] = output.tensor;
    }
  for (guint i = 0; i < self->n_outputs && ok; i++)
    sluice_call_take_output (call, i, sluice_tensor_ref (values[self->outputs[i]]));
  while (n > 0)
    sluice_tensor_unref (values[--n]);
  return ok;
}

/* ---- the kernel ---- */

/* The shape of the result, where fusion hoped for the right ones: of the operand with most
 * elements. */
static const SluiceShape *
largest_shape (SluiceKernelCall *call)
{
  const SluiceTensor *largest = sluice_call_input (call, 0);
  for (guint i = 1; i < call->n_inputs; i++)
    {
      const SluiceTensor *input = sluice_call_input (call, i);
      if (input->shape.rank > largest->shape.rank
          || (input->shape.rank == largest->shape.rank && input->n_elements > largest->n_elements))
        largest = input;
    }
  return &largest->shape;
}

static gboolean
find_kinds (SluiceKernelCall *call, const SluiceShape *shape, Kind *kinds, Job *job)
{
  gint64 last = shape->rank > 1 ? shape->dim[shape->rank - 1] : 0;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      const SluiceTensor *input = sluice_call_input (call, i);
      if (sluice_shape_equal (&input->shape, shape))
        kinds[i] = WHOLE;
      else if (input->shape.rank == 1 && last > 0 && input->shape.dim[0] == last)
        kinds[i] = ROW;
      else if (input->n_elements == 1)
        kinds[i] = SINGLE;
      else
        return FALSE;
      job->n_patterns += kinds[i] == ROW;
    }
  if (job->n_patterns == 0)
    return TRUE;
  job->period = last < SHORT_ROW ? last : 0;
  job->row = job->period ? job->fusion->strip / last * last : last;
  job->n_patterns = job->period ? job->n_patterns : 0;
  return job->n_patterns <= MAX_PATTERNS;
}

/* Does the member take what it gets strip by strip? has_shape: by member before it, is its value of
 * the result's shape, whatever other operands of these are repeated for? */
static gboolean
takes (const Fusion *self, guint i, const Kind *kinds, gboolean *has_shape)
{
  const Member *member = &self->members[i];
  guint n_single = 0;
  has_shape[i] = FALSE;
  for (guint k = 0; k < member->strip.n_operands; k++)
    {
      Operand operand = self->operands[member->first_operand + k];
      Kind kind = operand.member >= 0 ? WHOLE : kinds[operand.input];
      n_single += kind == SINGLE;
      has_shape[i] |= operand.member >= 0 ? has_shape[operand.member] : kind == WHOLE;
      gboolean wants_row = member->strip.adds_rows && k == 1;
      if (wants_row != (kind == ROW) && (wants_row || member->strip.one_shape))
        return FALSE;
    }
  if (member->output >= 0 && !has_shape[i])
    return FALSE;
  return n_single == 0
         || (n_single == 1 && member->strip.n_operands > 1 && !member->strip.one_shape);
}

static gboolean
all_take (const Fusion *self, const Kind *kinds)
{
  gboolean has_shape[SLUICE_FUSED_MEMBERS];
  for (guint i = 0; i < self->n_members; i++)
    if (!takes (self, i, kinds, has_shape))
      return FALSE;
  return TRUE;
}

/* In the memory of an operand that nobody needs any more, where there is one. */
static SluiceTensor *
make_output (SluiceKernelCall *call, guint output, const SluiceShape *shape, const Kind *kinds)
{
  const Fusion *self = call->state;
  const Member *member = &self->members[self->outputs[output]];
  SluiceDType dtype = member->origin->outputs[0].dtype;
  call->owner = member->owner;
  for (guint i = 0; i < call->n_inputs; i++)
    if (kinds[i] == WHOLE && self->last_reader[i] <= self->outputs[output]
        && (SluiceDType) sluice_call_input (call, i)->dtype == dtype
        && sluice_call_can_reuse (call, i))
      return sluice_call_reuse (call, output, i, shape);
  return sluice_call_output (call, output, shape);
}

static gboolean
make_outputs (SluiceKernelCall *call, const SluiceShape *shape, Job *job)
{
  SluiceOwner owner = call->owner;
  guint i = 0;
  for (SluiceTensor *out;
       i < job->fusion->n_outputs && (out = make_output (call, i, shape, job->kinds)); i++)
    {
      job->outputs[i].data = out->data;
      job->outputs[i].size = sluice_dtype_size (out->dtype);
    }
  call->owner = owner;
  return i == job->fusion->n_outputs;
}

/* Elements of the job, whose first one lies where its data point to. */
static gint64
count_strips (Job *job)
{
  job->strips = (job->row + job->fusion->strip - 1) / job->fusion->strip;
  return (job->n + job->row - 1) / job->row * job->strips;
}

/* ---- an operand that comes in parts ---- */

typedef struct
{
  SluiceKernelCall *call;
  SluiceTensor given; /* what is known of the operand before it is there */
  SluiceTensor *late; /* (nullable): where it is gathered, because strips do not suit */
  Kind kinds[SLUICE_FUSED_INPUTS];
  const char *data[SLUICE_FUSED_INPUTS];
  Job job;
} Parts;

/* An output in whose memory the operand may lie until it is read. */
static SluiceTensor *
find_room (const Parts *parts)
{
  const Fusion *self = parts->job.fusion;
  for (guint i = 0; i < self->n_outputs; i++)
    {
      SluiceTensor *out = parts->call->outputs[i].tensor;
      gboolean is_input = FALSE;
      for (guint k = 0; k < parts->call->n_inputs; k++)
        is_input |= parts->data[k] == out->data;
      if (out->dtype == parts->given.dtype && !is_input
          && self->last_reader[parts->call->producer->input] <= self->outputs[i])
        return out;
    }
  return NULL;
}

static gboolean
begin_parts (gpointer data, const SluiceShape *shape, SluiceTensor **room)
{
  Parts *parts = data;
  SluiceKernelCall *call = parts->call;
  const guint input = call->producer->input;
  Job *job = &parts->job;
  /* Nobody may take its memory, of which there is none. */
  atomic_init (&parts->given.ref_count, 2);
  parts->given.dtype = (gint8) call->producer->dtype;
  parts->given.shape = *shape;
  parts->given.n_elements = sluice_shape_n_elements (shape);
  call->inputs[input].tensor = &parts->given;
  const SluiceShape result = *largest_shape (call);
  job->row = job->n = sluice_shape_n_elements (&result);
  if (!find_kinds (call, &result, parts->kinds, job) || parts->kinds[input] != WHOLE
      || !all_take (job->fusion, parts->kinds))
    return (parts->late = *room = sluice_call_scratch (call, call->producer->dtype, shape)) != NULL;
  for (guint i = 0; i < call->n_inputs; i++)
    parts->data[i] = sluice_call_input (call, i)->data;
  if (!make_outputs (call, &result, job))
    return FALSE;
  *room = find_room (parts);
  return TRUE;
}

static void
take_part (gpointer data, gint64 first, gint64 n, const void *elements)
{
  const Parts *parts = data;
  const Fusion *self = parts->job.fusion;
  if (parts->late)
    {
      gsize size = sluice_dtype_size (parts->late->dtype);
      char *to = (char *) parts->late->data + first * size;
      if (to != elements) /* a producer may prefer memory of its own */
        memcpy (to, elements, n * size);
      return;
    }
  const char *at[SLUICE_FUSED_INPUTS];
  Job part = parts->job;
  part.data = at;
  part.n = n;
  part.row = part.period || part.row < parts->job.n ? part.row : n;
  const guint given = parts->call->producer->input;
  for (guint i = 0; i < self->n_inputs; i++)
    at[i] = parts->kinds[i] == WHOLE && i != given ? parts->data[i] + first * self->sizes[i]
                                                   : parts->data[i];
  at[given] = elements;
  for (guint i = 0; i < self->n_outputs; i++)
    part.outputs[i].data += first * part.outputs[i].size;
  run_strips (&part, 0, count_strips (&part));
}

static gboolean fused_compute (SluiceKernelCall *call);

static gboolean
take_parts (SluiceKernelCall *call)
{
  Parts parts = { .call = call, .job = { .fusion = call->state } };
  parts.job.kinds = parts.kinds;
  parts.job.data = parts.data;
  const SluicePartConsumer consumer = { begin_parts, take_part, &parts };
  gboolean ok = call->producer->produce (call->producer, call, &consumer);
  if (parts.late)
    {
      call->inputs[call->producer->input].tensor = parts.late;
      call->producer = NULL;
      ok = ok && fused_compute (call);
      sluice_tensor_unref (parts.late);
    }
  return ok;
}

/* ---- the call ---- */

static gboolean
fused_compute (SluiceKernelCall *call)
{
  if (call->producer)
    return take_parts (call);
  const Fusion *self = call->state;
  Kind kinds[SLUICE_FUSED_INPUTS];
  const char *data[SLUICE_FUSED_INPUTS];
  const SluiceShape shape = *largest_shape (call);
  Job job = { .fusion = self, .kinds = kinds, .data = data };
  job.row = job.n = sluice_shape_n_elements (&shape);
  if (!find_kinds (call, &shape, kinds, &job) || !all_take (self, kinds))
    return run_apart (call, self);
  for (guint i = 0; i < call->n_inputs; i++)
    data[i] = sluice_call_input (call, i)->data;
  if (!make_outputs (call, &shape, &job))
    return FALSE;
  if (job.n == 0)
    return TRUE;
  gint64 n_strips = count_strips (&job);
  if (n_strips == 1)
    {
      run_strips (&job, 0, 1);
      return TRUE;
    }
  return sluice_call_parallel_for (
      call, n_strips, STRIPS, self->ns * (double) MIN (self->strip, job.row), run_strips, &job);
}

const SluiceKernel sluice_fused_kernel = {
  .op = "fused", .device = "CPU", .compute = fused_compute, .free_state = fusion_free
};
