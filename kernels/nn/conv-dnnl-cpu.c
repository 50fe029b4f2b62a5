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

#include "kernels/nn/conv-sparse.h"
#include "kernels/nn/conv.h"
#include "kernels/nn/dnnl-convolution.h"
#include "kernels/scratch-lanes.h"
#include "kernels/typed.h"

#define MAX_PLANS 32 /* shapes that a node keeps primitives for; the oldest goes first */

/* The primitives of a problem. */
typedef struct _Plan Plan;
struct _Plan
{
  atomic_int ref_count;
  Plan *next; /* under State.lock: an older one */
  SluiceConvKind kind;
  SluiceConv conv;
  gint64 part, n_parts;         /* images of a chunk, chunks */
  dnnl_primitive_t whole, rest; /* of a chunk, and of a last one that is smaller (else NULL) */
  dnnl_primitive_t repack;      /* of the filter between HWIO and packed; NULL: packed is HWIO */
  SluiceDnnlDesc filter, packed;
  SluiceDnnlDesc x[2], y[2]; /* of a chunk, of the rest */
  SluiceDnnlDesc scratch[3]; /* of a chunk, of the rest, of the repacking */
  gsize packed_bytes, scratch_bytes;
};

typedef struct
{
  SluiceConvKind kind;
  SluiceSlidingWindow window;
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
  sluice_dnnl_desc_clear (&plan->filter);
  sluice_dnnl_desc_clear (&plan->packed);
  for (int i = 0; i < 2; i++)
    {
      sluice_dnnl_desc_clear (&plan->x[i]);
      sluice_dnnl_desc_clear (&plan->y[i]);
    }
  for (int i = 0; i < 3; i++)
    sluice_dnnl_desc_clear (&plan->scratch[i]);
  g_free (plan);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Plan, plan_unref)

static gpointer
state_new (const SluiceNode *node, GError **error)
{
  SluiceSlidingWindow window;
  if (!sluice_sliding_window_parse (node, &window, error))
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

static gboolean
value_desc (SluiceDnnlDesc *desc,
            const SluiceConv *c,
            gint64 batch,
            gint64 channels,
            const gint64 size[SLUICE_AXES])
{
  const gint64 image[] = { batch, channels, size[1], size[2] };
  const gint64 volume[] = { batch, channels, size[0], size[1], size[2] };
  if (c->first_axis == 0)
    return sluice_dnnl_desc_init (desc, volume, 5, c->channels_first ? dnnl_ncdhw : dnnl_ndhwc);
  return sluice_dnnl_desc_init (desc, image, 4, c->channels_first ? dnnl_nchw : dnnl_nhwc);
}

/* tag: any, or undef for the order in which TensorFlow keeps filters. */
static gboolean
filter_desc (SluiceDnnlDesc *desc, const SluiceConv *c, dnnl_format_tag_t tag)
{
  const gint64 *size = c->place.size;
  gint64 groups = c->channels / c->depth, outs = c->out_channels;
  const gint64 image[] = { outs, c->depth, size[1], size[2] };
  const gint64 grouped[] = { groups, outs / groups, c->depth, size[1], size[2] };
  const gint64 volume[] = { outs, c->depth, size[0], size[1], size[2] };
  gboolean plain = tag == dnnl_format_tag_undef;
  if (c->first_axis == 0)
    return sluice_dnnl_desc_init (desc, volume, 5, plain ? dnnl_dhwio : tag);
  if (groups > 1)
    return sluice_dnnl_desc_init (desc, grouped, 5, plain ? dnnl_hwigo : tag);
  return sluice_dnnl_desc_init (desc, image, 4, plain ? dnnl_hwio : tag);
}

/* Notes what scratch memory a primitive needs. */
static gboolean
note_scratch (Plan *plan, int which, const_dnnl_primitive_desc_t desc)
{
  SluiceDnnlDescView scratch = dnnl_primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0);
  plan->scratch_bytes = MAX (plan->scratch_bytes, dnnl_memory_desc_get_size (scratch));
  return sluice_dnnl_desc_copy (&plan->scratch[which], scratch);
}

/*
 * With channels for no more than one vector, or where a filter of one pixel leaves pixels out, the
 * products of matrices that oneDNN 2.6 prefers take 1.1 to 1.7 times as long as its loop (AVX-512,
 * 3 to 16, 16 to 16 and 16 to 32 channels of 32 x 32 pixels, 16 to 32 and 32 to 64 of every second
 * pixel). With 32 channels and more it depends on the image, and the products win by more.
 */
static gboolean
prefers_loop (const SluiceConv *c)
{
  gboolean strides = FALSE;
  for (gint64 axis = c->first_axis; axis < SLUICE_AXES; axis++)
    strides |= c->stride[axis] > 1;
  return c->depth <= 16 || (strides && sluice_conv_count_taps (c) == 1);
}

/* Makes the primitive for a chunk (0) or the rest (1). The first one chooses the packing. */
static gboolean
make_primitive (Plan *plan, int which, const_dnnl_primitive_attr_t attr)
{
  const SluiceConv *c = &plan->conv;
  gint64 batch = which ? c->batch % plan->part : plan->part;
  SluiceDnnlDesc any = { 0 };
  if (!value_desc (&plan->x[which], c, batch, c->channels, c->place.in)
      || !value_desc (&plan->y[which], c, batch, c->out_channels, c->place.out)
      || !filter_desc (&any, c, dnnl_format_tag_any))
    return FALSE;
  SluiceDnnlConv conv = { .x = sluice_dnnl_desc_view (&plan->x[which]),
                          .filter = which ? sluice_dnnl_desc_view (&plan->packed)
                                          : sluice_dnnl_desc_view (&any),
                          .y = sluice_dnnl_desc_view (&plan->y[which]),
                          .prefers_loop = prefers_loop (c) };
  for (gint64 i = 0, axis = c->first_axis; axis < SLUICE_AXES; i++, axis++)
    {
      conv.strides[i] = c->stride[axis];
      conv.dilations[i] = c->dilation[axis] - 1;
      conv.before[i] = c->place.pad[axis][0];
      conv.after[i] = c->place.pad[axis][1];
    }
  dnnl_primitive_desc_t desc = NULL;
  gboolean ok = sluice_dnnl_conv_describe (plan->kind, &conv, attr, &desc);
  sluice_dnnl_desc_clear (&any);
  if (!ok)
    return FALSE;
  dnnl_query_t what = plan->kind == SLUICE_CONV_BACKPROP_FILTER ? dnnl_query_diff_weights_md
                                                                : dnnl_query_weights_md;
  if (which == 0)
    ok = sluice_dnnl_desc_copy (&plan->packed, dnnl_primitive_desc_query_md (desc, what, 0));
  ok = ok && note_scratch (plan, which, desc)
       && dnnl_primitive_create (which ? &plan->rest : &plan->whole, desc) == dnnl_success;
  dnnl_primitive_desc_destroy (desc);
  return ok;
}

static gboolean
make_repack (Plan *plan, const_dnnl_primitive_attr_t attr)
{
  if (!filter_desc (&plan->filter, &plan->conv, dnnl_format_tag_undef))
    return FALSE;
  SluiceDnnlDescView filter = sluice_dnnl_desc_view (&plan->filter);
  SluiceDnnlDescView packed = sluice_dnnl_desc_view (&plan->packed);
  plan->packed_bytes = sluice_round_up (dnnl_memory_desc_get_size (packed), 64);
  if (dnnl_memory_desc_equal (filter, packed))
    return TRUE;
  dnnl_engine_t engine = sluice_dnnl_get_engine ();
  gboolean back = plan->kind == SLUICE_CONV_BACKPROP_FILTER;
  dnnl_primitive_desc_t desc = NULL;
  if (dnnl_reorder_primitive_desc_create (&desc, back ? packed : filter, engine,
                                          back ? filter : packed, engine, attr)
      != dnnl_success)
    return FALSE;
  gboolean ok =
      note_scratch (plan, 2, desc) && dnnl_primitive_create (&plan->repack, desc) == dnnl_success;
  dnnl_primitive_desc_destroy (desc);
  return ok;
}

/* uncut: the whole batch as one chunk. */
static Plan *
plan_new (SluiceConvKind kind, const SluiceConv *conv, gboolean uncut)
{
  g_autoptr (Plan) plan = g_new0 (Plan, 1);
  dnnl_primitive_attr_t attr = NULL;
  atomic_init (&plan->ref_count, 1);
  plan->kind = kind;
  plan->conv = *conv;
  plan->part = conv->batch;
  plan->n_parts = 1;
  if (!uncut)
    plan->part = sluice_conv_cut (kind, conv, &plan->n_parts);
  sluice_dnnl_enter ();
  dnnl_primitive_attr_create (&attr);
  /* Scratch memory of its own would tie a primitive to the thread that made it. */
  dnnl_primitive_attr_set_scratchpad_mode (attr, dnnl_scratchpad_mode_user);
  gboolean ok = make_primitive (plan, 0, attr)
                && (conv->batch % plan->part == 0 || make_primitive (plan, 1, attr))
                && make_repack (plan, attr);
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
  while (plan && (plan->kind != kind || memcmp (&plan->conv, conv, sizeof *conv) != 0))
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
  const Plan *plan;
  const SluiceConvCall *tensors;
  const SluicePartConsumer *consumer; /* (nullable): takes each chunk, but of a filter's gradient */
  float *packed;            /* filter as the primitive wants it; of a gradient: one a chunk */
  char *scratch;            /* pieces of plan->scratch_bytes */
  SluiceScratchLanes lanes; /* of scratch, and of what is beside it here */
  dnnl_memory_t memory[SLUICE_MAX_SCRATCH_LANES][2]
                      [4]; /* of whole and rest, in the order of arg_names;
               they cost more to make than to point elsewhere */
  gint64 packed_elements;  /* of one packed filter */
  atomic_int failed;
} Run;

/* memory: of n arguments, those that are NULL are made; all are the caller's. */
static gboolean
execute (const_dnnl_primitive_t primitive,
         const int *names,
         const SluiceDnnlDescView *descs,
         void *const *data,
         dnnl_memory_t *memory,
         int n)
{
  dnnl_engine_t engine = sluice_dnnl_get_engine ();
  dnnl_stream_t stream = sluice_dnnl_enter ();
  dnnl_exec_arg_t args[4];
  dnnl_status_t status = dnnl_success;
  for (int i = 0; i < n && status == dnnl_success; i++)
    {
      status = memory[i] ? dnnl_memory_set_data_handle (memory[i], data[i])
                         : dnnl_memory_create (&memory[i], descs[i], engine, data[i]);
      args[i] = (dnnl_exec_arg_t){ names[i], memory[i] };
    }
  return status == dnnl_success
         && dnnl_primitive_execute (primitive, stream, n, args) == dnnl_success;
}

static void
destroy_memory (dnnl_memory_t *memory, int n)
{
  for (int i = 0; i < n; i++)
    if (memory[i])
      dnnl_memory_destroy (memory[i]);
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
  gint64 taken = plan->kind == SLUICE_CONV_FORWARD ? y_image : x_image;
  guint lane = sluice_scratch_lanes_take (&run->lanes);
  for (gint64 part = begin; part < end; part++)
    {
      gint64 first = part * plan->part;
      int which = first + plan->part > plan->conv.batch;
      float *packed = run->packed;
      if (plan->kind == SLUICE_CONV_BACKPROP_FILTER)
        packed += part * run->packed_elements;
      const SluiceDnnlDescView descs[] = { sluice_dnnl_desc_view (&plan->x[which]),
                                           sluice_dnnl_desc_view (&plan->packed),
                                           sluice_dnnl_desc_view (&plan->y[which]),
                                           sluice_dnnl_desc_view (&plan->scratch[which]) };
      void *data_of[] = { (float *) t->x->data + first * x_image, packed,
                          (float *) t->y->data + first * y_image,
                          run->scratch + lane * plan->scratch_bytes };
      if (!execute (which ? plan->rest : plan->whole, arg_names[plan->kind], descs, data_of,
                    run->memory[lane][which], 4))
        atomic_store (&run->failed, 1);
      if (run->consumer)
        run->consumer->consume (run->consumer->data, first * taken,
                                MIN (plan->part, plan->conv.batch - first) * taken,
                                data_of[plan->kind == SLUICE_CONV_FORWARD ? 2 : 0]);
    }
  sluice_scratch_lanes_give (&run->lanes, lane);
}

static gboolean
repack (Run *run, const SluiceDnnlDesc *from, void *in, const SluiceDnnlDesc *to, void *out)
{
  const int names[] = { DNNL_ARG_FROM, DNNL_ARG_TO, DNNL_ARG_SCRATCHPAD };
  const SluiceDnnlDescView descs[] = { sluice_dnnl_desc_view (from), sluice_dnnl_desc_view (to),
                                       sluice_dnnl_desc_view (&run->plan->scratch[2]) };
  void *data[] = { in, out, run->scratch };
  dnnl_memory_t memory[3] = { NULL };
  gboolean ok = execute (run->plan->repack, names, descs, data, memory, 3);
  destroy_memory (memory, 3);
  return ok;
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
              * sluice_conv_count_taps (&plan->conv) * (double) plan->conv.depth / 100;
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
run_plan (SluiceKernelCall *call,
          const Plan *plan,
          const SluiceConvCall *c,
          const SluicePartConsumer *consumer)
{
  Run run = { .plan = plan, .tensors = c, .consumer = consumer };
  gint64 n_lanes = sluice_scratch_lanes_init (&run.lanes, plan->n_parts);
  run.packed_elements = plan->packed_bytes / sizeof (float);
  gint64 n_packed = plan->kind == SLUICE_CONV_BACKPROP_FILTER ? plan->n_parts : 1;
  g_autoptr (SluiceTensor) packed =
      sluice_call_scratch (call, SLUICE_FLOAT, &SLUICE_SHAPE (n_packed, run.packed_elements));
  g_autoptr (SluiceTensor) scratch = sluice_call_scratch (
      call, SLUICE_INT8, &SLUICE_SHAPE (n_lanes, (gint64) plan->scratch_bytes));
  if (packed == NULL || scratch == NULL)
    return FALSE;
  run.packed = packed->data;
  run.scratch = scratch->data;
  gboolean ok = plan->kind == SLUICE_CONV_BACKPROP_FILTER ? run_filter (call, &run)
                                                          : run_forward_or_input (call, &run);
  destroy_memory (&run.memory[0][0][0], SLUICE_MAX_SCRATCH_LANES * 2 * 4);
  if (!ok)
    return FALSE;
  if (atomic_load (&run.failed))
    return sluice_call_fail (call, SLUICE_ERROR_INTERNAL, "oneDNN could not run the convolution");
  return TRUE;
}

/*
 * A filter of one point that skips pixels, of channels that do not fill vectors: oneDNN 2.6 gathers
 * the pixels first, whole vectors at a time, and writes beyond what it was given (its AVX2 loop for
 * the gradient of the input: 4 channels, steps of 2).
 */
static gboolean
is_strided_point (const SluiceConv *conv)
{
  gboolean skips = FALSE;
  for (int axis = 1; axis < SLUICE_AXES; axis++)
    skips |= conv->stride[axis] > 1;
  return skips && sluice_conv_count_taps (conv) == 1
         && (conv->channels % 16 != 0 || conv->out_channels % 16 != 0);
}

/* The plan of a problem; none where plain loops are to run it. (transfer full) (nullable) */
static Plan *
find_plan (State *state, SluiceConvKind kind, const SluiceConv *conv)
{
  /* For groups of NCHW oneDNN multiplies by padding, which makes NaN of infinities. */
  gboolean refuses = conv->channels != conv->depth && conv->channels_first;
  return refuses || is_strided_point (conv) ? NULL : dup_plan (state, kind, conv);
}

/* ---- forwards, as a gradient ---- */

/*
 * A convolution by steps of one is the gradient of the input of one whose filter is mirrored, from
 * y to x. From 16 to 16 or 32 to 32 channels oneDNN's loop for that takes 0.88 of the time of what
 * it has forwards; from 32 to 64 it takes longer.
 */
static gboolean
prefers_mirror (const SluiceConv *c)
{
  gboolean plain = c->first_axis == 1 && !c->channels_first && c->depth == c->channels;
  for (int axis = 1; axis < SLUICE_AXES; axis++)
    plain &= c->stride[axis] == 1 && c->dilation[axis] == 1
             && MAX (c->place.pad[axis][0], c->place.pad[axis][1]) < c->place.size[axis];
  return plain && sluice_conv_count_taps (c) > 1 && (c->channels == 16 || c->channels == 32)
         && c->out_channels == c->channels;
}

static void
mirror (const SluiceConv *c, SluiceConv *mirrored)
{
  *mirrored = *c;
  mirrored->channels = mirrored->depth = c->out_channels;
  mirrored->out_channels = c->channels;
  for (int axis = 1; axis < SLUICE_AXES; axis++)
    {
      mirrored->place.in[axis] = c->place.out[axis];
      mirrored->place.out[axis] = c->place.in[axis];
      for (int side = 0; side < 2; side++)
        mirrored->place.pad[axis][side] = c->place.size[axis] - 1 - c->place.pad[axis][side];
    }
}

static void
mirror_filter (const SluiceConv *c, const float *from, float *to)
{
  for (gint64 tap = c->place.size[1] * c->place.size[2] - 1; tap >= 0; tap--)
    for (gint64 i = 0; i < c->channels; i++)
      for (gint64 o = 0; o < c->out_channels; o++)
        to[(tap * c->out_channels + o) * c->channels + i] = *from++;
}

static gboolean
run_mirrored (SluiceKernelCall *call,
              const Plan *plan,
              const SluiceConvCall *c,
              const SluicePartConsumer *consumer)
{
  g_autoptr (SluiceTensor) filter = sluice_call_scratch (call, SLUICE_FLOAT, &c->filter->shape);
  if (filter == NULL)
    return FALSE;
  mirror_filter (&c->conv, c->filter->data, filter->data);
  const SluiceConvCall mirrored = { .conv = plan->conv, .x = c->y, .filter = filter, .y = c->x };
  return run_plan (call, plan, &mirrored, consumer);
}

/* consumer: (nullable): of a convolution forwards. */
static gboolean
run_forward (SluiceKernelCall *call, const SluiceConvCall *c, const SluicePartConsumer *consumer)
{
  State *state = call->state;
  g_autoptr (Plan) mirrored = NULL;
  SluiceConv problem;
  mirror (&c->conv, &problem);
  if (prefers_mirror (&c->conv))
    mirrored = dup_plan (state, SLUICE_CONV_BACKPROP_INPUT, &problem);
  if (mirrored)
    return run_mirrored (call, mirrored, c, consumer);
  g_autoptr (Plan) plan = find_plan (state, SLUICE_CONV_FORWARD, &c->conv);
  if (plan)
    return run_plan (call, plan, c, consumer);
  return sluice_conv_reference (call, SLUICE_CONV_FORWARD, c)
         && (consumer == NULL || sluice_call_produce_whole (call, consumer, c->y));
}

static gboolean
run_gradient (SluiceKernelCall *call, SluiceConvKind kind, const SluiceConvCall *c)
{
  gboolean done = FALSE;
  if (!sluice_conv_sparse (call, kind, c, &done))
    return FALSE;
  if (done)
    return TRUE;
  g_autoptr (Plan) plan = find_plan (call->state, kind, &c->conv);
  return plan ? run_plan (call, plan, c, NULL) : sluice_conv_reference (call, kind, c);
}

/* ---- kernels ---- */

static gboolean
conv_compute (SluiceKernelCall *call)
{
  SluiceConvKind kind = GPOINTER_TO_INT (call->kernel->data);
  const State *state = call->state;
  SluiceConvCall c;
  if (!sluice_conv_begin (call, kind, &state->window, &c))
    return FALSE;
  if (sluice_conv_is_trivial (&c.conv))
    return TRUE;
  return kind == SLUICE_CONV_FORWARD ? run_forward (call, &c, NULL) : run_gradient (call, kind, &c);
}

/* Forwards only. */
static gboolean
conv_produce (SluiceKernelCall *call, const SluicePartConsumer *consumer)
{
  const State *state = call->state;
  SluiceConvCall c = { .x = sluice_call_input (call, 0), .filter = sluice_call_input (call, 1) };
  SluiceShape shape;
  SluiceTensor *room = NULL;
  if (!sluice_conv_check (call, SLUICE_CONV_FORWARD, &state->window, &c.conv, &shape)
      || !consumer->begin (consumer->data, &shape, &room))
    return FALSE;
  g_autoptr (SluiceTensor) y =
      room ? sluice_tensor_ref (room) : sluice_call_scratch (call, SLUICE_FLOAT, &shape);
  if (y == NULL)
    return FALSE;
  c.y = y;
  if (sluice_conv_is_trivial (&c.conv))
    {
      memset (y->data, 0, sluice_tensor_bytes (y));
      return sluice_call_produce_whole (call, consumer, y);
    }
  return run_forward (call, &c, consumer);
}

#define KERNEL(name, kind, ...)                                                                    \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", SLUICE_SET (SLUICE_FLOAT) } }, .rank = 10,      \
    .prepare = state_new, .free_state = state_free, .compute = conv_compute,                       \
    .data = GINT_TO_POINTER (kind), __VA_ARGS__                                                    \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("Conv2D", SLUICE_CONV_FORWARD, .produce = conv_produce),
  KERNEL ("Conv2DBackpropInput", SLUICE_CONV_BACKPROP_INPUT),
  KERNEL ("Conv2DBackpropFilter", SLUICE_CONV_BACKPROP_FILTER),
  KERNEL ("DepthwiseConv2dNative", SLUICE_CONV_FORWARD, .produce = conv_produce),
  KERNEL ("DepthwiseConv2dNativeBackpropInput", SLUICE_CONV_BACKPROP_INPUT),
  KERNEL ("DepthwiseConv2dNativeBackpropFilter", SLUICE_CONV_BACKPROP_FILTER),
  KERNEL ("Conv3D", SLUICE_CONV_FORWARD, .produce = conv_produce),
  KERNEL ("Conv3DBackpropInputV2", SLUICE_CONV_BACKPROP_INPUT),
  KERNEL ("Conv3DBackpropFilterV2", SLUICE_CONV_BACKPROP_FILTER),
};

const SluiceKernelModule sluice_module_nn_conv_dnnl_cpu = { .kernels = kernels,
                                                            .n_kernels = G_N_ELEMENTS (kernels) };
