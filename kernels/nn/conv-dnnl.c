/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Convolutions of float by oneDNN. Values stay as they are (NHWC runs at full speed so), filters
 * are re-packed to what the primitive likes. Batches are cut into chunks by shape, each on one
 * thread; the filter's gradient is summed over chunks in a fixed tree. So the bits do not depend on
 * the number of threads.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "kernels/linalg/library.h"
#include "kernels/nn/conv-problem.h"
#include "kernels/typed.h"

#define MAX_PLANS 32 /* shapes that a node keeps primitives for; the oldest goes first */
#define MAX_PARTS 16 /* chunks of a batch */

/* The primitives of a problem. */
typedef struct _Plan Plan;
struct _Plan
{
  atomic_int ref_count;
  Plan *next; /* under State.lock: an older one */
  SluiceConv conv;
  gint64 part, n_parts;         /* images of a chunk, chunks */
  dnnl_primitive_t whole, rest; /* of a chunk, and of a last one that is smaller (else NULL) */
  dnnl_primitive_t repack;      /* of the filter between HWIO and packed; NULL: packed is HWIO */
  dnnl_memory_desc_t filter, packed;
  dnnl_memory_desc_t x[2], y[2]; /* of a chunk, of the rest */
  dnnl_memory_desc_t scratch[3]; /* of a chunk, of the rest, of the repacking */
  gsize packed_bytes, scratch_bytes;
};

typedef struct
{
  SluiceConvKind kind;
  SluiceWindow window;
  pthread_mutex_t lock;
  Plan *plans; /* under lock, the newest first */
} State;

static void
plan_unref (Plan *plan)
{
  if (atomic_fetch_sub_explicit (&plan->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  if (plan->whole)
    dnnl_primitive_destroy (plan->whole);
  if (plan->rest)
    dnnl_primitive_destroy (plan->rest);
  if (plan->repack)
    dnnl_primitive_destroy (plan->repack);
  g_free (plan);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Plan, plan_unref)

static gpointer
state_new (const SluiceNode *node, GError **error)
{
  SluiceWindow window;
  if (!sluice_window_parse (node, &window, error))
    return NULL;
  State *state = g_new0 (State, 1);
  state->window = window;
  pthread_mutex_init (&state->lock, NULL);
  return state;
}

static void
state_free (gpointer data)
{
  State *state = data;
  while (state->plans)
    {
      Plan *plan = state->plans;
      state->plans = plan->next;
      plan_unref (plan);
    }
  pthread_mutex_destroy (&state->lock);
  g_free (state);
}

/* ---- making a plan ---- */

/*
 * Chunks of a batch: small enough to share the work, big enough to be worth it. A chunk of the
 * filter's gradient also costs a pass over a gradient of its own.
 */
static void
cut_batch (SluiceConvKind kind, Plan *plan)
{
  const SluiceConv *c = &plan->conv;
  double weights = (double) (c->place.size[0] * c->place.size[1] * c->depth * c->out_channels);
  double image_flops = 2 * weights * (double) (c->place.out[0] * c->place.out[1]);
  double least = kind == SLUICE_CONV_BACKPROP_FILTER ? MAX (2e7, 4000 * weights) : 8e6;
  gint64 part = MAX ((c->batch + MAX_PARTS - 1) / MAX_PARTS, (gint64) (least / image_flops) + 1);
  plan->part = MIN (part, c->batch);
  plan->n_parts = (c->batch + plan->part - 1) / plan->part;
}

static void
value_desc (dnnl_memory_desc_t *desc,
            const SluiceConv *c,
            gint64 batch,
            gint64 channels,
            const gint64 size[2])
{
  dnnl_dims_t dims = { batch, channels, size[0], size[1] };
  dnnl_memory_desc_init_by_tag (desc, 4, dims, dnnl_f32, c->nchw ? dnnl_nchw : dnnl_nhwc);
}

/* The description of a primitive for `batch` images; x, y and filter as given. */
static dnnl_status_t
describe (SluiceConvKind kind,
          const SluiceConv *c,
          const dnnl_memory_desc_t *x,
          const dnnl_memory_desc_t *filter,
          const dnnl_memory_desc_t *y,
          const_dnnl_primitive_attr_t attr,
          dnnl_primitive_desc_t *result)
{
  dnnl_dims_t strides = { c->stride[0], c->stride[1] };
  dnnl_dims_t dilations = { c->dilation[0] - 1, c->dilation[1] - 1 };
  dnnl_dims_t before = { c->place.pad[0][0], c->place.pad[1][0] };
  dnnl_dims_t after = { c->place.pad[0][1], c->place.pad[1][1] };
  dnnl_engine_t engine = sluice_dnnl_get_engine ();
  dnnl_convolution_desc_t desc;
  dnnl_primitive_desc_t forward = NULL;
  dnnl_dilated_convolution_forward_desc_init (&desc, dnnl_forward_training, dnnl_convolution_direct,
                                              x, filter, NULL, y, strides, dilations, before,
                                              after);
  dnnl_status_t status = dnnl_primitive_desc_create (&forward, &desc, attr, engine, NULL);
  if (kind == SLUICE_CONV_FORWARD || status != dnnl_success)
    {
      *result = forward;
      return status;
    }
  if (kind == SLUICE_CONV_BACKPROP_INPUT)
    dnnl_dilated_convolution_backward_data_desc_init (&desc, dnnl_convolution_direct, x, filter, y,
                                                      strides, dilations, before, after);
  else
    dnnl_dilated_convolution_backward_weights_desc_init (
        &desc, dnnl_convolution_direct, x, filter, NULL, y, strides, dilations, before, after);
  status = dnnl_primitive_desc_create (result, &desc, attr, engine, forward);
  dnnl_primitive_desc_destroy (forward);
  return status;
}

/* Makes the primitive for a chunk (0) or the rest (1). The first one chooses the packing. */
static gboolean
make_primitive (SluiceConvKind kind, Plan *plan, int which, const_dnnl_primitive_attr_t attr)
{
  const SluiceConv *c = &plan->conv;
  gint64 batch = which ? c->batch % plan->part : plan->part;
  dnnl_dims_t filter_dims = { c->out_channels, c->depth, c->place.size[0], c->place.size[1] };
  dnnl_memory_desc_t filter = plan->packed;
  if (which == 0)
    dnnl_memory_desc_init_by_tag (&filter, 4, filter_dims, dnnl_f32, dnnl_format_tag_any);
  value_desc (&plan->x[which], c, batch, c->channels, c->place.in);
  value_desc (&plan->y[which], c, batch, c->out_channels, c->place.out);

  dnnl_primitive_desc_t desc = NULL;
  if (describe (kind, c, &plan->x[which], &filter, &plan->y[which], attr, &desc) != dnnl_success)
    return FALSE;
  dnnl_query_t what =
      kind == SLUICE_CONV_BACKPROP_FILTER ? dnnl_query_diff_weights_md : dnnl_query_weights_md;
  if (which == 0)
    plan->packed = *dnnl_primitive_desc_query_md (desc, what, 0);
  plan->scratch[which] = *dnnl_primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0);
  plan->scratch_bytes =
      MAX (plan->scratch_bytes, dnnl_memory_desc_get_size (&plan->scratch[which]));
  dnnl_status_t status = dnnl_primitive_create (which ? &plan->rest : &plan->whole, desc);
  dnnl_primitive_desc_destroy (desc);
  return status == dnnl_success;
}

static gboolean
make_repack (SluiceConvKind kind, Plan *plan, const_dnnl_primitive_attr_t attr)
{
  const SluiceConv *c = &plan->conv;
  dnnl_dims_t dims = { c->out_channels, c->depth, c->place.size[0], c->place.size[1] };
  dnnl_memory_desc_init_by_tag (&plan->filter, 4, dims, dnnl_f32, dnnl_hwio);
  plan->packed_bytes = sluice_round_up (dnnl_memory_desc_get_size (&plan->packed), 64);
  if (dnnl_memory_desc_equal (&plan->filter, &plan->packed))
    return TRUE;
  dnnl_engine_t engine = sluice_dnnl_get_engine ();
  gboolean back = kind == SLUICE_CONV_BACKPROP_FILTER;
  dnnl_primitive_desc_t desc = NULL;
  if (dnnl_reorder_primitive_desc_create (&desc, back ? &plan->packed : &plan->filter, engine,
                                          back ? &plan->filter : &plan->packed, engine, attr)
      != dnnl_success)
    return FALSE;
  plan->scratch_bytes = MAX (
      plan->scratch_bytes,
      dnnl_memory_desc_get_size (dnnl_primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0)));
  dnnl_status_t status = dnnl_primitive_create (&plan->repack, desc);
  dnnl_primitive_desc_destroy (desc);
  return status == dnnl_success;
}

/* uncut: the whole batch as one chunk. */
static Plan *
plan_new (SluiceConvKind kind, const SluiceConv *conv, gboolean uncut)
{
  g_autoptr (Plan) plan = g_new0 (Plan, 1);
  dnnl_primitive_attr_t attr = NULL;
  atomic_init (&plan->ref_count, 1);
  plan->conv = *conv;
  plan->part = conv->batch;
  plan->n_parts = 1;
  if (!uncut)
    cut_batch (kind, plan);
  sluice_dnnl_enter ();
  dnnl_primitive_attr_create (&attr);
  /* Scratch memory of its own would tie a primitive to the thread that made it. */
  dnnl_primitive_attr_set_scratchpad_mode (attr, dnnl_scratchpad_mode_user);
  gboolean ok = make_primitive (kind, plan, 0, attr)
                && (conv->batch % plan->part == 0 || make_primitive (kind, plan, 1, attr))
                && make_repack (kind, plan, attr);
  dnnl_primitive_attr_destroy (attr);
  plan->scratch_bytes = sluice_round_up (plan->scratch_bytes, 64);
  return ok ? g_steal_pointer (&plan) : NULL;
}

/* Drops the plans after the first MAX_PLANS. */
static void
trim_plans (State *state)
{
  Plan **link = &state->plans;
  for (guint n = 0; *link && n < MAX_PLANS; n++)
    link = &(*link)->next;
  while (*link)
    {
      Plan *old = *link;
      *link = old->next;
      plan_unref (old);
    }
}

/* The plan of a problem, made at its first use. (transfer full) (nullable) */
static Plan *
dup_plan (State *state, SluiceConvKind kind, const SluiceConv *conv)
{
  pthread_mutex_lock (&state->lock);
  Plan *plan = state->plans;
  while (plan && memcmp (&plan->conv, conv, sizeof *conv) != 0)
    plan = plan->next;
  if (plan == NULL)
    {
      plan = plan_new (kind, conv, FALSE);
      if (plan == NULL) /* the rest of a batch may not take the packing of the chunks */
        plan = plan_new (kind, conv, TRUE);
      if (plan)
        {
          plan->next = state->plans;
          state->plans = plan;
          trim_plans (state);
        }
    }
  if (plan)
    atomic_fetch_add_explicit (&plan->ref_count, 1, memory_order_relaxed);
  pthread_mutex_unlock (&state->lock);
  return plan;
}

/* ---- running it ---- */

typedef struct
{
  SluiceConvKind kind;
  const Plan *plan;
  const SluiceConvCall *tensors;
  float *packed;          /* filter as the primitive wants it; of a gradient: one a chunk */
  char *scratch;          /* n_lanes pieces of plan->scratch_bytes */
  guint n_lanes;          /* at most as many chunks run at once */
  atomic_uint lanes;      /* bits: pieces of scratch in use */
  gint64 packed_elements; /* of one packed filter */
  atomic_int failed;
} Run;

/* A piece of scratch for the calling thread. There are as many as threads, so one is free. */
static guint
take_lane (Run *run)
{
  guint taken = atomic_load (&run->lanes);
  for (;;)
    {
      guint lane = __builtin_ctz (~taken);
      if (lane >= run->n_lanes)
        taken = atomic_load (&run->lanes);
      else if (atomic_compare_exchange_weak (&run->lanes, &taken, taken | 1u << lane))
        return lane;
    }
}

static void
give_lane (Run *run, guint lane)
{
  atomic_fetch_and (&run->lanes, ~(1u << lane));
}

static gboolean
execute (const_dnnl_primitive_t primitive,
         const int *names,
         const dnnl_memory_desc_t *const *descs,
         void *const *data,
         int n)
{
  dnnl_engine_t engine = sluice_dnnl_get_engine ();
  dnnl_stream_t stream = sluice_dnnl_enter ();
  dnnl_exec_arg_t args[4];
  int made = 0;
  dnnl_status_t status = dnnl_success;
  for (; made < n && status == dnnl_success; made++)
    {
      args[made] = (dnnl_exec_arg_t){ names[made], NULL };
      status = dnnl_memory_create (&args[made].memory, descs[made], engine, data[made]);
    }
  if (status == dnnl_success)
    status = dnnl_primitive_execute (primitive, stream, n, args);
  for (int i = 0; i < made; i++)
    if (args[i].memory)
      dnnl_memory_destroy (args[i].memory);
  return status == dnnl_success;
}

static const int arg_names[][4] = {
  [SLUICE_CONV_FORWARD] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD },
  [SLUICE_CONV_BACKPROP_INPUT] = { DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST,
                                   DNNL_ARG_SCRATCHPAD },
  [SLUICE_CONV_BACKPROP_FILTER] = { DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST,
                                    DNNL_ARG_SCRATCHPAD },
};

static void
run_parts (gpointer data, gint64 begin, gint64 end)
{
  Run *run = data;
  const Plan *plan = run->plan;
  const SluiceConvCall *t = run->tensors;
  gint64 x_image = t->x->n_elements / plan->conv.batch;
  gint64 y_image = t->y->n_elements / plan->conv.batch;
  guint lane = take_lane (run);
  for (gint64 part = begin; part < end; part++)
    {
      gint64 first = part * plan->part;
      int which = first + plan->part > plan->conv.batch;
      float *packed = run->packed;
      if (run->kind == SLUICE_CONV_BACKPROP_FILTER)
        packed += part * run->packed_elements;
      const dnnl_memory_desc_t *descs[] = { &plan->x[which], &plan->packed, &plan->y[which],
                                            &plan->scratch[which] };
      void *memory[] = { (float *) t->x->data + first * x_image, packed,
                         (float *) t->y->data + first * y_image,
                         run->scratch + lane * plan->scratch_bytes };
      if (!execute (which ? plan->rest : plan->whole, arg_names[run->kind], descs, memory, 4))
        atomic_store (&run->failed, 1);
    }
  give_lane (run, lane);
}

static gboolean
repack (Run *run, const dnnl_memory_desc_t *from, void *in, const dnnl_memory_desc_t *to, void *out)
{
  const int names[] = { DNNL_ARG_FROM, DNNL_ARG_TO, DNNL_ARG_SCRATCHPAD };
  const dnnl_memory_desc_t *descs[] = { from, to, &run->plan->scratch[2] };
  void *memory[] = { in, out, run->scratch };
  return execute (run->plan->repack, names, descs, memory, 3);
}

/* Sums the chunks' gradients into the first: neighbours, then pairs, then fours. */
SLUICE_HOT static void
sum_tree (float *packed, gint64 elements, gint64 n_parts, gint64 begin, gint64 end)
{
  for (gint64 step = 1; step < n_parts; step *= 2)
    for (gint64 part = 0; part + step < n_parts; part += 2 * step)
      {
        float *into = packed + part * elements;
        const float *from = into + step * elements;
        for (gint64 i = begin; i < end; i++)
          into[i] += from[i];
      }
}

static void
sum_range (gpointer data, gint64 begin, gint64 end)
{
  const Run *run = data;
  sum_tree (run->packed, run->packed_elements, run->plan->n_parts, begin, end);
}

static gboolean
run_forward_or_input (SluiceKernelCall *call, Run *run)
{
  const Plan *plan = run->plan;
  void *filter = run->tensors->filter->data;
  if (plan->repack == NULL)
    run->packed = filter;
  else if (!repack (run, &plan->filter, filter, &plan->packed, run->packed))
    atomic_store (&run->failed, 1);
  double ns = 2 * (double) run->tensors->y->n_elements / (double) plan->n_parts
              * (double) (plan->conv.place.size[0] * plan->conv.place.size[1] * plan->conv.depth)
              / 100;
  return sluice_call_parallel_for (call, plan->n_parts, 1, ns, run_parts, run);
}

static gboolean
run_filter (SluiceKernelCall *call, Run *run)
{
  const Plan *plan = run->plan;
  void *filter = run->tensors->filter->data;
  if (plan->repack == NULL && plan->n_parts == 1)
    run->packed = filter;
  if (!sluice_call_parallel_for (call, plan->n_parts, 1, 1e5, run_parts, run))
    return FALSE;
  if (plan->n_parts > 1
      && !sluice_call_parallel_for (call, run->packed_elements, 8192, 0.3 * (double) plan->n_parts,
                                    sum_range, run))
    return FALSE;
  if (plan->repack == NULL && plan->n_parts > 1)
    memcpy (filter, run->packed, sluice_tensor_bytes (run->tensors->filter));
  else if (plan->repack && !repack (run, &plan->packed, run->packed, &plan->filter, filter))
    atomic_store (&run->failed, 1);
  return TRUE;
}

static gboolean
run_plan (SluiceKernelCall *call, SluiceConvKind kind, const Plan *plan, const SluiceConvCall *c)
{
  Run run = { .kind = kind, .plan = plan, .tensors = c };
  run.n_lanes = (guint) MIN (MAX (sluice_pool_get_threads (), 1), plan->n_parts);
  run.packed_elements = plan->packed_bytes / sizeof (float);
  gint64 n_packed = kind == SLUICE_CONV_BACKPROP_FILTER ? plan->n_parts : 1;
  g_autoptr (SluiceTensor) packed =
      sluice_call_scratch (call, SLUICE_FLOAT, &SLUICE_SHAPE (n_packed, run.packed_elements));
  g_autoptr (SluiceTensor) scratch = sluice_call_scratch (
      call, SLUICE_INT8, &SLUICE_SHAPE (run.n_lanes, (gint64) plan->scratch_bytes));
  if (packed == NULL || scratch == NULL)
    return FALSE;
  run.packed = packed->data;
  run.scratch = scratch->data;
  if (!(kind == SLUICE_CONV_BACKPROP_FILTER ? run_filter (call, &run)
                                            : run_forward_or_input (call, &run)))
    return FALSE;
  if (atomic_load (&run.failed))
    return sluice_call_fail (call, SLUICE_ERROR_INTERNAL, "oneDNN could not run the convolution");
  return TRUE;
}

static gboolean
conv_compute (SluiceKernelCall *call)
{
  SluiceConvKind kind = GPOINTER_TO_INT (call->kernel->data);
  State *state = call->state;
  SluiceConvCall c;
  if (!sluice_conv_begin (call, kind, &state->window, &c))
    return FALSE;
  if (sluice_conv_is_trivial (&c.conv))
    return TRUE;
  if (c.conv.channels != c.conv.depth)
    return sluice_conv_reference (call, kind, &c);
  g_autoptr (Plan) plan = dup_plan (state, kind, &c.conv);
  if (plan == NULL) /* a shape that oneDNN has nothing for */
    return sluice_conv_reference (call, kind, &c);
  return run_plan (call, kind, plan, &c);
}

#define KERNEL(name, kind)                                                                         \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET (SLUICE_FLOAT) } }, .rank = 10,      \
    .prepare = state_new, .free_state = state_free, .compute = conv_compute,                       \
    .data = GINT_TO_POINTER (kind)                                                                 \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("Conv2D", SLUICE_CONV_FORWARD),
  KERNEL ("Conv2DBackpropInput", SLUICE_CONV_BACKPROP_INPUT),
  KERNEL ("Conv2DBackpropFilter", SLUICE_CONV_BACKPROP_FILTER),
};

const SluiceKernelModule sluice_module_nn_conv_dnnl = { .kernels = kernels,
                                                        .n_kernels = G_N_ELEMENTS (kernels) };
