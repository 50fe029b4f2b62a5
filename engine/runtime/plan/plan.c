/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/plan/plan.h"

#include "engine/device/readers.h"
#include "engine/device/sent.h"
#include "engine/device/trace.h"
#include "engine/runtime/plan/fused-consumer.h"
#include "engine/runtime/plan/fused.h"
#include "engine/runtime/plan/memory-class.h"
#include "engine/runtime/plan/plan-private.h"
#include "engine/runtime/plan/plan-transfers.h"
#include "engine/runtime/plan/queued.h"
#include "engine/runtime/session/session-partial-run.h"

static void
keep_constants (SluicePlanCompile *compile)
{
  SluiceWork *work = compile->work;
  SluicePlan *plan = compile->plan;
  g_autoptr (GPtrArray) constants = g_ptr_array_new ();
  g_autoptr (GPtrArray) origins = g_ptr_array_new ();
  for (guint i = 0; i < work->nodes->len; i++)
    {
      const SluiceWorkNode *node = work->nodes->pdata[i];
      if (node->kind != SLUICE_WORK_CONST)
        continue;
      compile->first_constant[i] = constants->len;
      for (guint k = 0; k < node->origin->n_outputs; k++)
        {
          sluice_tensor_ref (node->values[k]);
          g_ptr_array_add (constants, sluice_tensor_ref (node->values[k]));
          g_ptr_array_add (origins, (gpointer) node->origin);
        }
    }
  plan->n_constants = constants->len;
  plan->constants = (SluiceTensor **) g_ptr_array_steal (constants, NULL);
  plan->constant_origins = (const SluiceNode **) g_ptr_array_steal (origins, NULL);
}

/* The plan's nodes, by frame and in a frame by rank. */
static void
number_nodes (SluicePlanCompile *compile)
{
  SluicePlan *plan = compile->plan;
  const GPtrArray *nodes = compile->work->nodes, *order = compile->work->schedule;
  for (guint i = 0; i < nodes->len; i++)
    compile->rank[i] = SLUICE_PLAN_NOWHERE;
  g_autofree guint32 *next = g_new0 (guint32, plan->n_frames);
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < order->len; i++)
        {
          SluiceWorkNode *node = order->pdata[i];
          if (!sluice_work_has (compile->work, node) || sluice_plan_is_there (node))
            continue;
          if (pass == 0)
            plan->frames[node->frame].n_nodes++;
          else
            {
              compile->rank[node->index] = next[node->frame];
              compile->order->pdata[next[node->frame]++] = node;
            }
        }
      for (guint f = 0; f < plan->n_frames && pass == 0; f++)
        {
          plan->frames[f].first_node = next[f] = plan->n_nodes;
          plan->n_nodes += plan->frames[f].n_nodes;
        }
      g_ptr_array_set_size (compile->order, (int) plan->n_nodes);
    }
}

static gboolean
is_virtual (const SluicePlanCompile *compile, const SluiceWorkNode *work_node)
{
  /* What steers the step or stands for state is real everywhere. */
  const SluiceRoleTraits *traits = sluice_work_get_traits (work_node);
  return !compile->work->devices[work_node->device]->klass->computes && !traits->is_control_flow
         && !traits->is_state;
}

static gboolean
find_kernel (SluicePlanCompile *compile,
             SluiceWorkNode *work_node,
             SluicePlanNode *node,
             GError **error)
{
  const SluiceDevice *device = compile->work->devices[work_node->device];
  const int max_rank = compile->work->max_rank;
  node->kernel = sluice_work_find_kernel (compile->work, work_node);
  if (!node->kernel && device->klass->computes) /* to say why */
    node->kernel =
        sluice_device_class_find_kernel (device->klass, work_node->origin, max_rank, error);
  else if (!node->kernel)
    node->kernel = sluice_kernel_find (work_node->origin, "CPU", max_rank, error);
  if (!node->kernel)
    return FALSE;
  guint flags = node->kernel->flags;
  node->flags |= (flags & SLUICE_KERNEL_ASYNC ? SLUICE_PLAN_ASYNC : 0)
                 | (flags & SLUICE_KERNEL_CHEAP ? SLUICE_PLAN_CHEAP : 0)
                 | (flags & SLUICE_KERNEL_MAY_LEAVE_DEAD ? SLUICE_PLAN_MAY_LEAVE_DEAD : 0)
                 | (flags & SLUICE_KERNEL_RUNS_DEAD ? SLUICE_PLAN_RUNS_DEAD : 0);
  if (!node->kernel->prepare)
    return TRUE;
  GError *failed = NULL;
  node->state = node->kernel->prepare (work_node->origin, &failed);
  if (!failed)
    return TRUE;
  g_propagate_error (error, failed);
  return FALSE;
}

/* What moves a value from one frame or iteration to another needs no kernel. FALSE: no such. */
static gboolean
compile_frame_op (SluicePlanCompile *compile, const SluiceWorkNode *work_node, SluicePlanNode *node)
{
  switch (sluice_work_role (work_node))
    {
    case SLUICE_ROLE_ENTER:
      node->flags |= SLUICE_PLAN_ENTER | SLUICE_PLAN_ENTERED;
      if (sluice_node_get_bool (work_node->origin, "is_constant"))
        node->flags |= SLUICE_PLAN_FRAME_CONSTANT;
      node->first_constant = work_node->output_frame;
      break;
    case SLUICE_ROLE_EXIT:
      node->flags |= SLUICE_PLAN_EXIT;
      node->first_constant = compile->plan->frames[work_node->frame].n_exits++;
      break;
    case SLUICE_ROLE_NEXT_ITERATION:
      node->flags |= SLUICE_PLAN_NEXT;
      break;
    default:
      return FALSE;
    }
  node->flags |= SLUICE_PLAN_CHEAP;
  return TRUE;
}

/* Flags and kernel of a node that runs an op. */
static gboolean
compile_op (SluicePlanCompile *compile,
            SluiceWorkNode *work_node,
            SluicePlanNode *node,
            GError **error)
{
  const SluiceOpDef *def = work_node->origin->op->def;
  if (def->flags & SLUICE_OP_ALLOWS_UNINITIALIZED)
    node->flags |= SLUICE_PLAN_UNINITIALIZED;
  switch (def->role)
    {
    case SLUICE_ROLE_NO_OP:
      node->flags |= SLUICE_PLAN_NO_OP | SLUICE_PLAN_CHEAP;
      return TRUE;
    case SLUICE_ROLE_CONTROL_TRIGGER:
      node->flags |= SLUICE_PLAN_NO_OP | SLUICE_PLAN_NEVER_DEAD | SLUICE_PLAN_CHEAP;
      return TRUE;
    case SLUICE_ROLE_PLACEHOLDER:
      node->flags |= SLUICE_PLAN_UNFED | SLUICE_PLAN_CHEAP;
      return TRUE;
    case SLUICE_ROLE_MERGE:
      node->flags |= SLUICE_PLAN_MERGE;
      break;
    case SLUICE_ROLE_SEND:
    case SLUICE_ROLE_RECV:
      compile->plan->has_meetings = TRUE;
      break;
    default:
      break;
    }
  if (compile_frame_op (compile, work_node, node))
    return TRUE;
  if (is_virtual (compile, work_node))
    {
      node->flags |= SLUICE_PLAN_VIRTUAL | SLUICE_PLAN_CHEAP;
      return TRUE;
    }
  return find_kernel (compile, work_node, node, error);
}

static void
book_outputs (SluicePlanCompile *compile, SluiceWorkNode *work_node, SluicePlanNode *node)
{
  node->first_output = compile->dtypes->len;
  for (guint i = 0; i < node->n_outputs; i++)
    {
      SluiceDType of_output =
          sluice_work_dtype (compile->work, (SluiceWorkEdge){ work_node, (int) i });
      guint8 dtype = (guint8) of_output;
      g_byte_array_append (compile->dtypes, &dtype, 1);
      if (sluice_dtype_is_ref (of_output))
        node->flags |= SLUICE_PLAN_REF_OUTPUTS;
    }
}

/* Of a partial run: where a value comes in or goes out. */
static void
compile_end (SluicePlanCompile *compile, const SluiceWorkNode *work_node, SluicePlanNode *node)
{
  gboolean feeds = work_node->kind == SLUICE_WORK_FEED;
  node->kernel = feeds ? &sluice_partial_run_feed_kernel : &sluice_partial_run_fetch_kernel;
  node->state = GUINT_TO_POINTER (work_node->end.number);
  node->flags |= feeds ? SLUICE_PLAN_ASYNC : SLUICE_PLAN_CHEAP | SLUICE_PLAN_RUNS_DEAD;
  node->n_outputs = feeds;
  node->first_output = compile->dtypes->len;
  if (feeds)
    {
      const SluiceOutput *output = &work_node->origin->outputs[work_node->end.port];
      guint8 dtype = (guint8) sluice_dtype_base (output->dtype);
      g_byte_array_append (compile->dtypes, &dtype, 1);
    }
}

/* What a node runs besides the one that gives its outputs; in a region each member gives its own.
 */
static void
book_members (SluicePlanCompile *compile,
              const SluiceWorkNode *work_node,
              guint32 rank,
              guint32 output)
{
  if (work_node->kind == SLUICE_WORK_FUSED)
    {
      const SluiceWorkRegion *region = &work_node->region;
      for (guint i = 0; i < region->n_members; i++)
        {
          guint32 k = 0;
          while (k < region->n_outputs && region->outputs[k] != region->members[i])
            k++;
          book_members (compile, region->members[i], rank,
                        k < region->n_outputs ? k : SLUICE_PLAN_NOWHERE);
        }
      return;
    }
  if (work_node->kind == SLUICE_WORK_FUSED_CONSUMER)
    {
      book_members (compile, work_node->fused_consumer.producer, rank, SLUICE_PLAN_NOWHERE);
      book_members (compile, work_node->fused_consumer.consumer, rank, output);
      return;
    }
  if (output == SLUICE_PLAN_NOWHERE || work_node->origin->n_outputs == 1)
    {
      SluicePlanMember member = { work_node->origin, rank, output };
      g_array_append_val (compile->members, member);
    }
}

/* A node that runs several. */
static gboolean
compile_together (SluicePlanCompile *compile,
                  SluiceWorkNode *work_node,
                  SluicePlanNode *node,
                  GError **error)
{
  const char *type =
      sluice_device_class_get_kernel_type (compile->work->devices[work_node->device]->klass);
  const SluiceWorkRegion *region = sluice_work_get_region (work_node);
  const int max_rank = compile->work->max_rank;
  const gboolean is_fused_consumer = work_node->kind == SLUICE_WORK_FUSED_CONSUMER;
  node->kernel = is_fused_consumer ? &sluice_fused_consumer_kernel : &sluice_fused_kernel;
  node->state = is_fused_consumer ? sluice_fused_consumer_new (work_node, type, max_rank, error)
                                  : sluice_fusion_new (work_node, type, max_rank, error);
  node->flags |= SLUICE_PLAN_TOGETHER;
  if (region)
    node->n_outputs = (guint16) region->n_outputs;
  book_outputs (compile, work_node, node);
  book_members (compile, work_node, (guint32) (node - compile->plan->nodes), 0);
  return node->state != NULL;
}

/* What the kind of the work node decides. */
static gboolean
compile_kind (SluicePlanCompile *compile,
              SluiceWorkNode *work_node,
              SluicePlanNode *node,
              GError **error)
{
  gboolean ok = TRUE;
  switch (work_node->kind)
    {
    case SLUICE_WORK_OP:
      ok = compile_op (compile, work_node, node, error);
      book_outputs (compile, work_node, node);
      break;
    case SLUICE_WORK_FUSED:
    case SLUICE_WORK_FUSED_CONSUMER:
      ok = compile_together (compile, work_node, node, error);
      break;
    case SLUICE_WORK_CONST:
      node->flags |= SLUICE_PLAN_CONST | SLUICE_PLAN_CHEAP;
      node->first_constant = compile->first_constant[work_node->index];
      break;
    case SLUICE_WORK_AFTER:
      node->flags |= SLUICE_PLAN_NO_OP | SLUICE_PLAN_NEVER_DEAD | SLUICE_PLAN_CHEAP;
      node->n_outputs = 0;
      break;
    case SLUICE_WORK_SEND:
    case SLUICE_WORK_RECV:
      sluice_plan_compile_transfer (work_node, node, compile->truncates);
      break;
    case SLUICE_WORK_FEED:
    case SLUICE_WORK_FETCH:
      compile_end (compile, work_node, node);
      break;
    }
  return ok;
}

static void
add_far_device (SluicePlan *plan, SluiceDevice *device)
{
  if (device->klass->queues == NULL)
    return; /* what comes there goes through a queue of where it comes from */
  for (guint32 i = 0; i < plan->n_far_devices; i++)
    if (plan->far_devices[i] == device)
      return;
  plan->far_devices = g_renew (SluiceDevice *, plan->far_devices, plan->n_far_devices + 1);
  plan->far_devices[plan->n_far_devices++] = device;
}

static guint8
trace_kind_of (const SluicePlanNode *node)
{
  SluiceTraceKind kind = node->flags & SLUICE_PLAN_SEND    ? SLUICE_TRACE_SEND
                         : node->flags & SLUICE_PLAN_RECV  ? SLUICE_TRACE_RECV
                         : node->flags & SLUICE_PLAN_ASYNC ? SLUICE_TRACE_WAIT
                                                           : SLUICE_TRACE_NODE;
  return (guint8) (kind | (node->flags & SLUICE_PLAN_TOGETHER ? SLUICE_TRACE_TOGETHER : 0));
}

static gboolean
compile_node (SluicePlanCompile *compile, guint32 rank, GError **error)
{
  SluiceWorkNode *work_node = compile->order->pdata[rank];
  SluicePlan *plan = compile->plan;
  SluicePlanNode *node = &plan->nodes[rank];
  node->origin = work_node->origin;
  node->origin_id = work_node->origin->id;
  node->device = (guint16) work_node->device;
  node->n_inputs = (guint16) work_node->n_inputs;
  node->n_outputs = (guint16) work_node->origin->n_outputs;
  node->memory_class = sluice_memory_class_of_node (node->origin);
  if (work_node->n_inputs > G_MAXUINT16 || work_node->origin->n_outputs > G_MAXUINT16)
    return sluice_node_fail (node->origin, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "more than 65535 inputs or outputs");
  gboolean ok = compile_kind (compile, work_node, node, error);
  if (sluice_plan_stands_in_queue (compile->work, work_node, node))
    {
      node->flags |= SLUICE_PLAN_QUEUED | SLUICE_PLAN_AHEAD_ONLY; /* until an edge does not */
      add_far_device (plan, compile->work->devices[work_node->device]);
    }
  node->trace_kind = trace_kind_of (node);
  plan->max_outputs = MAX (plan->max_outputs, node->n_outputs);
  /* A Merge counts in its own way even where nothing can be dead. */
  plan->has_dead |= (node->flags & (SLUICE_PLAN_MAY_LEAVE_DEAD | SLUICE_PLAN_MERGE)) != 0;
  plan->has_refs |= (node->flags & SLUICE_PLAN_REF_OUTPUTS) != 0;
  return ok;
}

static gboolean
is_frame_constant (const SluiceWorkNode *node)
{
  return sluice_work_role (node) == SLUICE_ROLE_ENTER
         && sluice_node_get_bool (node->origin, "is_constant");
}

/* The first slot of each node, and what its slots hold. */
static gboolean
compile_inputs (SluicePlanCompile *compile, GError **error)
{
  SluicePlan *plan = compile->plan;
  for (guint32 f = 0, slot = 0; f < plan->n_frames; f++)
    {
      SluicePlanFrame *frame = &plan->frames[f];
      frame->first_slot = slot;
      for (guint32 i = frame->first_node; i < frame->first_node + frame->n_nodes; i++)
        {
          plan->nodes[i].first_input = slot;
          slot += plan->nodes[i].n_inputs;
        }
      if (f == 0)
        {
          plan->n_inputs = slot;
          slot += plan->n_fetches;
        }
      frame->n_slots = slot - frame->first_slot;
      plan->n_slots = slot;
    }
  plan->slot_flags = g_new0 (guint8, plan->n_slots + 1);
  for (guint32 i = 0; i < plan->n_nodes; i++)
    {
      const SluiceWorkNode *work_node = compile->order->pdata[i];
      guint8 *flags = plan->slot_flags + plan->nodes[i].first_input;
      for (guint k = 0; k < work_node->n_inputs; k++)
        {
          SluiceWorkEdge edge = work_node->inputs[k];
          gboolean takes =
              work_node->kind == SLUICE_WORK_OP && sluice_node_takes_ref (work_node->origin, k);
          gboolean holds = sluice_dtype_is_ref (sluice_work_dtype (compile->work, edge));
          if (takes && !holds)
            return sluice_node_fail (
                work_node->origin, error, SLUICE_ERROR_INVALID_ARGUMENT,
                "input %u must be a reference to a variable, and a value is fed there", k);
          if (holds)
            flags[k] |= takes ? SLUICE_SLOT_REF : SLUICE_SLOT_READ;
          if (edge.node
              && (sluice_plan_is_there (edge.node) || (is_frame_constant (edge.node) && !holds)))
            flags[k] |=
                SLUICE_SLOT_KEPT | (sluice_plan_is_there (edge.node) ? SLUICE_SLOT_CONSTANT : 0);
          if (flags[k])
            plan->nodes[i].flags |= SLUICE_PLAN_ODD_INPUTS;
        }
    }
  return TRUE;
}

/* After the edges: what of each node's outputs is read. */
static void
note_readers (SluicePlan *plan)
{
  for (guint32 i = 0; i < plan->n_nodes; i++)
    {
      SluicePlanNode *node = &plan->nodes[i];
      guint n_read = 0;
      guint8 *dtypes = node->kernel ? plan->output_dtypes + node->first_output : NULL;
      for (guint k = 0; dtypes && k < node->n_outputs; k++)
        dtypes[k] |= SLUICE_OUTPUT_UNREAD;
      for (guint k = 0; k < node->n_edges; k++)
        {
          const SluicePlanEdge *edge = &plan->edges[node->first_edge + k];
          if (edge->slot == SLUICE_PLAN_NOWHERE)
            continue;
          node->n_data_edges++;
          n_read += edge->last;
          if (dtypes)
            dtypes[edge->port] &= (guint8) ~SLUICE_OUTPUT_UNREAD;
        }
      if (n_read < node->n_outputs)
        node->flags |= SLUICE_PLAN_SPARE_OUTPUTS;
    }
}

static void
copy_frames (SluicePlanCompile *compile)
{
  SluicePlan *plan = compile->plan;
  const GArray *frames = compile->work->frames;
  plan->n_frames = frames->len;
  plan->frames = g_new0 (SluicePlanFrame, frames->len);
  plan->has_dead = frames->len > 1; /* the last iteration is dead for the most part */
  for (guint i = 0; i < frames->len; i++)
    {
      const SluiceWorkFrame *frame = &g_array_index (frames, SluiceWorkFrame, i);
      plan->frames[i].name = g_strdup (frame->name);
      plan->frames[i].parent = frame->parent;
      plan->frames[i].n_enters = frame->n_enters;
      plan->frames[i].parallel_iterations = frame->parallel_iterations;
      if (i)
        plan->frames[i].child = plan->frames[frame->parent].n_children++;
    }
}

static gboolean
compile_all (SluicePlanCompile *compile, GError **error)
{
  SluicePlan *plan = compile->plan;
  keep_constants (compile);
  copy_frames (compile);
  number_nodes (compile);
  plan->nodes = aligned_alloc (64, MAX (plan->n_nodes, 1) * sizeof (SluicePlanNode));
  memset (plan->nodes, 0, plan->n_nodes * sizeof (SluicePlanNode));
  plan->pending = g_new0 (guint32, plan->n_nodes + 1);
  plan->ticks = (_Atomic guint32 *) g_new0 (guint32, plan->n_nodes + 1);
  for (guint32 i = 0; i < plan->n_nodes; i++)
    if (!compile_node (compile, i, error))
      return FALSE;
  if (!compile_inputs (compile, error))
    return FALSE;
  sluice_plan_compile_edges (compile);
  return sluice_plan_check_meetings (plan, error);
}

SluicePlan *
sluice_plan_new (SluiceWork *work, gboolean truncate_transfers, GError **error)
{
  g_assert (work->schedule && work->frames);
  static _Atomic guint64 n_plans;
  g_autoptr (SluicePlan) plan = g_new0 (SluicePlan, 1);
  plan->serial = atomic_fetch_add (&n_plans, 1) + 1;
  plan->n_feeds = work->n_feeds;
  plan->feeds = g_memdup2 (work->feeds, work->n_feeds * sizeof (SluiceEdge));
  plan->calls = g_array_ref (work->calls);
  plan->transfers = g_ptr_array_ref (work->transfers);
  plan->transfer_labels = g_new0 (guint32, work->transfers->len + 1);
  plan->n_fetches = work->n_fetches;
  plan->fetches = g_new0 (SluicePlanFetch, work->n_fetches + 1);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  g_autofree guint32 *rank = g_new (guint32, work->nodes->len + 1);
  g_autofree guint32 *first_constant = g_new0 (guint32, work->nodes->len + 1);
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (SluicePlanKept));
  g_autoptr (GArray) fed = g_array_new (FALSE, FALSE, sizeof (SluicePlanEdge));
  g_autoptr (GByteArray) dtypes = g_byte_array_new ();
  g_byte_array_append (dtypes, (const guint8[]){ SLUICE_INVALID }, 1); /* never NULL */
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (SluicePlanMember));
  SluicePlanCompile compile = {
    work, truncate_transfers, plan, order, rank, first_constant, kept, fed, dtypes, members
  };
  if (!compile_all (&compile, error))
    return NULL;
  plan->output_dtypes = g_byte_array_free (g_steal_pointer (&dtypes), FALSE);
  plan->n_members = members->len;
  plan->members = (SluicePlanMember *) g_array_steal (members, NULL);
  note_readers (plan);
  return g_steal_pointer (&plan);
}

void
sluice_plan_free (SluicePlan *self)
{
  for (guint32 i = 0; self->nodes && i < self->n_nodes; i++)
    {
      const SluicePlanNode *node = &self->nodes[i];
      if (node->state && node->kernel->free_state)
        node->kernel->free_state (node->state);
    }
  for (guint32 i = 0; i < self->n_far_devices; i++)
    sluice_device_forget_constants (self->far_devices[i], self->constants, self->n_constants);
  for (guint32 i = 0; i < self->n_constants; i++)
    {
      sluice_tensor_unref (self->constants[i]);
      sluice_tensor_unref (self->constants[i]);
    }
  g_free (self->far_devices);
  free (self->nodes);
  g_free (self->edges);
  g_free (self->pending);
  g_free (self->output_dtypes);
  g_free (self->roots);
  g_free (self->slot_flags);
  g_free (self->kept);
  g_free (self->constants);
  g_free (self->constant_origins);
  g_free (self->members);
  g_array_unref (self->calls);
  g_ptr_array_unref (self->transfers);
  g_free (self->transfer_labels);
  for (guint32 i = 0; self->frames && i < self->n_frames; i++)
    g_free (self->frames[i].name);
  g_free (self->frames);
  g_free (self->exits);
  g_free ((gpointer) self->ticks);
  g_free (self->feeds);
  g_free (self->feed_first);
  g_free (self->feed_edges);
  g_free (self->fetches);
  g_free (self->partial_run.feeds);
  g_free (self->partial_run.fetches);
  g_free (self->partial_run.needs);
  g_clear_error (&self->unfed);
  g_free (self);
}
