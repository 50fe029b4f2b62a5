/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/random/generator.h"
#include "kernels/typed.h"

/* A value cut into out[0] x out[1] cells; cuts[axis] are out + 1 places. */
typedef struct
{
  gint64 in[2], out[2], channels;
  const gint64 *cuts[2];
  gboolean overlapping; /* a cell has the first row of the next one, too */
  const void *x, *dy;
  void *to;
} Cells;

static inline void
cell_range (const Cells *p, int axis, gint64 i, gint64 *begin, gint64 *end)
{
  *begin = p->cuts[axis][i];
  *end = MIN (p->cuts[axis][i + 1] + (p->overlapping ? 1 : 0), p->in[axis]);
}

#define FOR_EACH_CELL                                                                              \
  for (gint64 row = 0; row < p->out[0]; row++)                                                     \
    for (gint64 column = 0, h0, h1, w0, w1, at; column < p->out[1]; column++)                      \
      if (cell_range (p, 0, row, &h0, &h1), cell_range (p, 1, column, &w0, &w1),                   \
          at = (row * p->out[1] + column) * p->channels, TRUE)
#define FOR_EACH_PIXEL                                                                             \
  for (gint64 h = h0; h < h1; h++)                                                                 \
    for (gint64 w = w0, pixel; w < w1; w++)                                                        \
      if (pixel = (h * p->in[1] + w) * p->channels, TRUE)

#define TEMPLATE "kernels/nn/fractional-loops.h"
#define ONLY_32_AND_64
#include "kernels/each-real.h"

typedef void (*ImageFunc) (const Cells *p, gint64 n);

/* The four functions of a dtype. */
typedef enum
{
  MAX_POOL,
  AVG_POOL,
  MAX_GRAD,
  AVG_GRAD,
} Kind;
#define FUNCTIONS(suffix)                                                                          \
  {                                                                                                \
    max_##suffix, avg_##suffix, max_grad_##suffix, avg_grad_##suffix                               \
  }
static const ImageFunc functions[SLUICE_N_DTYPES][4] = {
  [SLUICE_FLOAT] = FUNCTIONS (f32),
  [SLUICE_DOUBLE] = FUNCTIONS (f64),
  [SLUICE_INT32] = FUNCTIONS (i32),
  [SLUICE_INT64] = FUNCTIONS (i64),
};
static void (*const casts[SLUICE_N_DTYPES]) (const double *, void *, gint64) = {
  [SLUICE_FLOAT] = cast_f32,
  [SLUICE_DOUBLE] = cast_f64,
  [SLUICE_INT32] = cast_i32,
  [SLUICE_INT64] = cast_i64,
};

typedef struct
{
  const Cells *cells;
  ImageFunc func;
} Work;

static void
image_range (gpointer data, gint64 begin, gint64 end)
{
  const Work *work = data;
  for (gint64 n = begin; n < end; n++)
    work->func (work->cells, n);
}

static gboolean
run_images (SluiceKernelCall *call, const Cells *cells, Kind kind, SluiceDType dtype, gint64 n)
{
  Work work = { cells, functions[dtype][kind] };
  double pixels = (double) cells->in[0] * (double) cells->in[1] * (double) cells->channels;
  return sluice_call_parallel_for (call, n, 1, pixels, image_range, &work);
}

/* ---- where to cut ---- */

typedef struct
{
  SluiceRandomNode random; /* first: sluice_call_reserve_random() reads it */
  float ratio[4];
  gboolean pseudo_random, overlapping, deterministic;
} State;

static gpointer
fail_prepare (
    State *take, const SluiceNode *node, GError **error, SluiceError code, const char *what)
{
  sluice_node_fail (node, error, code, "%s", what);
  g_free (take);
  return NULL;
}

static gpointer
pool_prepare (const SluiceNode *node, GError **error)
{
  State *state = g_new0 (State, 1);
  const SluiceAttrValue *ratios = sluice_node_get_attr (node, "pooling_ratio");
  sluice_random_node_init (&state->random, node);
  state->pseudo_random = sluice_node_get_bool (node, "pseudo_random");
  state->overlapping = sluice_node_get_bool (node, "overlapping");
  state->deterministic = sluice_node_get_bool (node, "deterministic");
  if (ratios->list.n != 4)
    return fail_prepare (state, node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "pooling_ratio must list 4 ratios");
  for (int i = 0; i < 4; i++)
    {
      state->ratio[i] = ratios->list.items[i].f;
      if (!(state->ratio[i] >= 1))
        return fail_prepare (state, node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "pooling_ratio must be 1 or more");
    }
  if (state->ratio[0] != 1 || state->ratio[3] != 1)
    return fail_prepare (state, node, error, SLUICE_ERROR_UNIMPLEMENTED,
                         "a fractional pool cannot reach over batch or channels");
  if (!state->deterministic && state->random.seeded)
    return fail_prepare (state, node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "seeds are for a deterministic pool only");
  return state;
}

/* Cuts `in` rows into `out` pieces, all of k or k + 1 rows, at a_i = ceil (in / out (i + u)). */
static void
cut_evenly (SluiceWords *words, gint64 in, gint64 out, gint64 *cuts)
{
  double alpha = (double) in / (double) out;
  gint64 k = in / out;
  /* u is drawn so that neither the first piece has more than k + 1 nor the last fewer than k. */
  double most_first = (double) (k + 2) / alpha - 1;
  double most_last = (double) (in + 1 - k) / alpha - (double) (out - 1);
  guint32 high = sluice_words_next (words), low = sluice_words_next (words);
  double u = sluice_unit_double (high, low) * MIN (most_first, most_last);
  cuts[0] = 0;
  for (gint64 i = 1; i < out; i++)
    cuts[i] = (gint64) ceil (alpha * ((double) i + u)) - 1;
  cuts[out] = in;
}

/* Cuts into as many pieces of k + 1 as are needed and pieces of k, in a random order. */
static void
cut_shuffled (SluiceWords *words, gint64 in, gint64 out, gint64 *cuts)
{
  gint64 *lengths = cuts + 1;
  for (gint64 i = 0; i < out; i++)
    lengths[i] = in / out + (i < in % out);
  for (gint64 i = 0; i + 1 < out; i++)
    {
      gint64 other = i + sluice_words_next (words) % (guint32) (out - i), length = lengths[i];
      lengths[i] = lengths[other];
      lengths[other] = length;
    }
  cuts[0] = 0;
  for (gint64 i = 0; i < out; i++)
    cuts[i + 1] += cuts[i];
}

/* Groups of words that TensorFlow reserves for the cuts of an axis. */
static gint64
groups_for (const State *state, gint64 out)
{
  return state->pseudo_random ? 1 : (out + 3) / 4;
}

/* A deterministic pool begins its stream anew in every call. */
static gboolean
make_cuts (SluiceKernelCall *call, const Cells *cells, SluiceTensor *const cuts[2])
{
  const State *state = call->state;
  SluicePhilox philox;
  gint64 n_groups = groups_for (state, cells->out[0]) + groups_for (state, cells->out[1]);
  if (state->deterministic && state->random.seeded)
    philox = state->random.start;
  else if (!sluice_call_reserve_random (call, state->deterministic ? 0 : n_groups, &philox))
    return FALSE;
  for (int axis = 0; axis < 2; axis++)
    {
      SluiceWords words = sluice_words (&philox);
      (state->pseudo_random ? cut_evenly : cut_shuffled) (&words, cells->in[axis], cells->out[axis],
                                                          cuts[axis]->data);
      sluice_philox_skip (&philox, groups_for (state, cells->out[axis]));
    }
  return TRUE;
}

static gboolean
pool_compute (SluiceKernelCall *call)
{
  const State *state = call->state;
  SluiceTensor *x = sluice_call_input (call, 0), *cuts[2];
  if (!sluice_call_want_rank (call, 0, 4))
    return FALSE;
  SluiceShape out = x->shape;
  for (int i = 0; i < 4; i++)
    {
      out.dim[i] = (gint64) floorf ((float) x->shape.dim[i] / state->ratio[i]);
      if (out.dim[i] < 1 || x->shape.dim[i] > G_MAXINT32)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %d has %" G_GINT64_FORMAT
                                 " elements: its pooling ratio %g leaves none or too many",
                                 i, x->shape.dim[i], state->ratio[i]);
    }
  Cells cells = { .in = { x->shape.dim[1], x->shape.dim[2] },
                  .out = { out.dim[1], out.dim[2] },
                  .channels = x->shape.dim[3],
                  .overlapping = state->overlapping,
                  .x = x->data };
  SluiceTensor *y = sluice_call_output (call, 0, &out);
  for (int axis = 0; axis < 2; axis++)
    if (!(cuts[axis] = sluice_call_output (call, 1 + axis, &SLUICE_SHAPE (cells.out[axis] + 1))))
      return FALSE;
  if (y == NULL || !make_cuts (call, &cells, cuts))
    return FALSE;
  cells.cuts[0] = cuts[0]->data;
  cells.cuts[1] = cuts[1]->data;
  cells.to = y->data;
  return run_images (call, &cells, GPOINTER_TO_INT (call->kernel->data), y->dtype, out.dim[0]);
}

/* ---- gradients ---- */

/* Cuts at inputs first and first + 1 of a value of shape `in` with a gradient of shape `out`. */
static gboolean
read_cuts (SluiceKernelCall *call,
           guint first,
           const SluiceShape *in,
           const SluiceShape *out,
           Cells *cells)
{
  if (in->rank != 4 || out->rank != 4 || in->dim[0] != out->dim[0] || in->dim[3] != out->dim[3])
    {
      char si[SLUICE_SHAPE_STR], so[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "a gradient of shape %s does not belong to a value of shape %s",
                               sluice_shape_str (out, so), sluice_shape_str (in, si));
    }
  cells->channels = in->dim[3];
  for (int axis = 0; axis < 2; axis++)
    {
      const SluiceTensor *cuts = sluice_call_input (call, first + axis);
      const gint64 *place = cuts->data;
      cells->in[axis] = in->dim[1 + axis];
      cells->out[axis] = out->dim[1 + axis];
      cells->cuts[axis] = place;
      gboolean good = cuts->shape.rank == 1 && cuts->n_elements - 1 == cells->out[axis];
      for (gint64 i = 0; good && i < cells->out[axis]; i++)
        good = place[i] >= 0 && place[i] < cells->in[axis] && place[i + 1] > place[i]
               && place[i + 1] < G_MAXINT64;
      if (!good)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "input %u (%s) must hold %" G_GINT64_FORMAT
                                 " rising places between 0 and %" G_GINT64_FORMAT,
                                 first + axis, call->node->op->inputs[first + axis].name,
                                 cells->out[axis] + 1, cells->in[axis]);
    }
  return TRUE;
}

static gpointer
grad_prepare (const SluiceNode *node, GError **error)
{
  State *state = g_new0 (State, 1);
  state->overlapping = sluice_node_get_bool (node, "overlapping");
  return state;
}

static gboolean
max_grad_compute (SluiceKernelCall *call)
{
  SluiceTensor *x = sluice_call_input (call, 0), *dy = sluice_call_input (call, 2);
  const SluiceShape *y = &sluice_call_input (call, 1)->shape;
  char sy[SLUICE_SHAPE_STR], sd[SLUICE_SHAPE_STR];
  Cells cells = { .overlapping = ((const State *) call->state)->overlapping,
                  .x = x->data,
                  .dy = dy->data };
  if (!sluice_shape_equal (y, &dy->shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "orig_output has shape %s, out_backprop %s; make them equal",
                             sluice_shape_str (y, sy), sluice_shape_str (&dy->shape, sd));
  if (!read_cuts (call, 3, &x->shape, &dy->shape, &cells))
    return FALSE;
  SluiceTensor *dx = sluice_call_output (call, 0, &x->shape);
  if (dx == NULL)
    return FALSE;
  cells.to = dx->data;
  return run_images (call, &cells, MAX_GRAD, dx->dtype, x->shape.dim[0]);
}

static gboolean
avg_grad_compute (SluiceKernelCall *call)
{
  const SluiceTensor *sizes = sluice_call_input (call, 0);
  SluiceTensor *dy = sluice_call_input (call, 1);
  Cells cells = { .overlapping = ((const State *) call->state)->overlapping, .dy = dy->data };
  SluiceShape in;
  g_autoptr (GError) error = NULL;
  if (sizes->shape.rank != 1 || sizes->n_elements != 4)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "orig_input_tensor_shape must hold 4 sizes");
  if (!sluice_shape_make (&in, sizes->data, 4, &error) || !sluice_shape_is_known (&in))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "orig_input_tensor_shape holds no shape: %s",
                             error ? error->message : "a size is negative");
  if (!read_cuts (call, 2, &in, &dy->shape, &cells))
    return FALSE;
  SluiceTensor *dx = sluice_call_output (call, 0, &in);
  g_autoptr (SluiceTensor) sums = sluice_call_scratch (call, SLUICE_DOUBLE, &in);
  if (dx == NULL || sums == NULL)
    return FALSE;
  cells.to = sums->data;
  if (!run_images (call, &cells, AVG_GRAD, dx->dtype, in.dim[0]))
    return FALSE;
  casts[dx->dtype](sums->data, dx->data, dx->n_elements);
  return TRUE;
}

#define TYPES                                                                                      \
  (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) | SLUICE_SET (SLUICE_INT32)              \
   | SLUICE_SET (SLUICE_INT64))
#define KERNEL(name, prepare_function, function, kind)                                             \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", TYPES } }, .prepare = prepare_function,         \
    .free_state = g_free, .compute = function, .data = GINT_TO_POINTER (kind)                      \
  }

static const SluiceKernel kernels[] = {
  KERNEL ("FractionalMaxPool", pool_prepare, pool_compute, MAX_POOL),
  KERNEL ("FractionalAvgPool", pool_prepare, pool_compute, AVG_POOL),
  KERNEL ("FractionalMaxPoolGrad", grad_prepare, max_grad_compute, MAX_GRAD),
  KERNEL ("FractionalAvgPoolGrad", grad_prepare, avg_grad_compute, AVG_GRAD),
};

const SluiceKernelModule sluice_module_nn_fractional_cpu = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
