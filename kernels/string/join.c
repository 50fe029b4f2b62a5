/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * StringJoin puts the elements of several tensors together, scalars with every element.
 * ReduceJoin joins along dimensions of one tensor: along the first that is named, then along the
 * second; so the first runs fastest.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

/* ---- StringJoin ---- */

static gboolean
join_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = SLUICE_SHAPE_SCALAR;
  for (guint i = 0; i < c->n_inputs; i++)
    {
      const SluiceShape *input = &c->inputs[i];
      if (input->rank == 0 || (input->rank < 0 && shape.rank > 0))
        continue;
      if (shape.rank <= 0)
        shape = *input;
      else if (!sluice_shape_merge (&shape, input, &shape))
        {
          char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
          return sluice_shape_context_fail (
              c, error, "inputs must be scalars or of one shape, but one is %s and input %u is %s",
              sluice_shape_str (&shape, a), i, sluice_shape_str (input, b));
        }
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gpointer
separator_prepare (const SluiceNode *node, GError **error)
{
  const SluiceString *separator = sluice_node_get_string (node, "separator");
  return g_string_new_len (separator->data ? separator->data : "", separator->length);
}

static void
separator_free (gpointer state)
{
  g_string_free (state, TRUE);
}

typedef struct
{
  SluiceKernelCall *call;
  SluiceString *out;
} Join;

static gboolean
join_one (gpointer data, gint64 i, GError **error)
{
  const Join *join = data;
  const GString *separator = join->call->state;
  GString *text = g_string_new (NULL);
  for (guint k = 0; k < join->call->n_inputs; k++)
    {
      const SluiceTensor *input = sluice_call_input (join->call, k);
      const SluiceString *s = sluice_tensor_get_string (input, input->shape.rank == 0 ? 0 : i);
      if (k > 0)
        g_string_append_len (text, separator->str, separator->len);
      g_string_append_len (text, s->data, s->length);
    }
  sluice_string_take_text (&join->out[i], text);
  return TRUE;
}

static gboolean
join_compute (SluiceKernelCall *call)
{
  SluiceShape shape = SLUICE_SHAPE_SCALAR;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      const SluiceShape *input = &sluice_call_input (call, i)->shape;
      if (shape.rank == 0)
        shape = *input;
      else if (input->rank > 0 && !sluice_shape_equal (input, &shape))
        {
          char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
          return sluice_call_fail (
              call, SLUICE_ERROR_INVALID_ARGUMENT,
              "inputs must be scalars or of one shape, but one is %s and input %u is %s",
              sluice_shape_str (&shape, a), i, sluice_shape_str (input, b));
        }
    }
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  Join join = { call, out->data };
  return sluice_call_each (call, out->n_elements, 50.0 * (1 + call->n_inputs), join_one, &join);
}

/* ---- ReduceJoin ---- */

/* Marks the dimensions that are joined. FALSE: *bad is the one that is not there, or comes twice.
 */
static gboolean
mark_joined (const SluiceTensor *indices,
             int rank,
             gboolean joined[SLUICE_MAX_RANK],
             int order[SLUICE_MAX_RANK],
             gint64 *bad)
{
  memset (joined, 0, sizeof (gboolean) * SLUICE_MAX_RANK);
  for (gint64 i = 0; i < indices->n_elements; i++)
    {
      *bad = ((const gint32 *) indices->data)[i];
      gint64 dim = *bad < 0 ? *bad + rank : *bad;
      if (dim < 0 || dim >= rank)
        return SLUICE_ERROR_OUT_OF_RANGE;
      if (joined[dim])
        return SLUICE_ERROR_INVALID_ARGUMENT;
      joined[dim] = TRUE;
      order[i] = (int) dim;
    }
  return 0;
}

#define BAD_DIMENSION                                                                              \
  "cannot join along dimension %" G_GINT64_FORMAT " of shape %s: it is not there or named twice"

/* Without dimensions to join along the input stays as it is. */
static SluiceShape
joined_shape (const SluiceShape *in, const gboolean joined[], gint64 n_joined, gboolean keep)
{
  SluiceShape out = SLUICE_SHAPE_SCALAR;
  for (int i = 0; i < in->rank; i++)
    if (n_joined == 0 || !joined[i])
      out.dim[out.rank++] = in->dim[i];
    else if (keep)
      out.dim[out.rank++] = 1;
  return out;
}

static gboolean
reduce_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *indices = sluice_shape_context_constant (c, 1);
  gboolean keep = sluice_node_get_bool (c->node, "keep_dims");
  const SluiceShape *in = &c->inputs[0];
  if (in->rank < 0)
    return TRUE;
  if (indices == NULL)
    {
      SluiceShape of_rank = sluice_shape_of_rank (in->rank);
      if (keep)
        sluice_shape_context_set (c, 0, &of_rank);
      return TRUE;
    }
  gboolean joined[SLUICE_MAX_RANK];
  int order[SLUICE_MAX_RANK];
  gint64 bad;
  char text[SLUICE_SHAPE_STR];
  if (mark_joined (indices, in->rank, joined, order, &bad) != 0)
    return sluice_shape_context_fail (c, error, BAD_DIMENSION, bad, sluice_shape_str (in, text));
  SluiceShape out = joined_shape (in, joined, indices->n_elements, keep);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

typedef struct
{
  const GString *separator;
  gboolean keep;
} Reduce;

static gpointer
reduce_prepare (const SluiceNode *node, GError **error)
{
  Reduce *self = g_new (Reduce, 1);
  *self = (Reduce){ separator_prepare (node, error), sluice_node_get_bool (node, "keep_dims") };
  return self;
}

static void
reduce_free (gpointer state)
{
  separator_free ((gpointer) ((Reduce *) state)->separator);
  g_free (state);
}

/* Dimensions that an odometer runs through, the first one fastest. */
typedef struct
{
  int n;
  gint64 size[SLUICE_MAX_RANK], stride[SLUICE_MAX_RANK];
  gint64 total;
} Walk;

static void
walk_add (Walk *self, gint64 size, gint64 stride)
{
  self->size[self->n] = size;
  self->stride[self->n++] = stride;
  self->total *= size;
}

static gint64
walk_offset (const Walk *self, gint64 i)
{
  gint64 offset = 0;
  for (int d = 0; d < self->n; d++)
    {
      offset += i % self->size[d] * self->stride[d];
      i /= self->size[d];
    }
  return offset;
}

typedef struct
{
  const SluiceString *in;
  SluiceString *out;
  const GString *separator;
  Walk kept, joined;
} ReduceTask;

static gboolean
reduce_one (gpointer data, gint64 i, GError **error)
{
  const ReduceTask *task = data;
  const SluiceString *from = task->in + walk_offset (&task->kept, i);
  GString *text = g_string_new (NULL);
  for (gint64 k = 0; k < task->joined.total; k++)
    {
      const SluiceString *s = from + walk_offset (&task->joined, k);
      if (k > 0)
        g_string_append_len (text, task->separator->str, task->separator->len);
      g_string_append_len (text, s->data, s->length);
    }
  sluice_string_take_text (&task->out[i], text);
  return TRUE;
}

static gboolean
reduce_compute (SluiceKernelCall *call)
{
  const Reduce *self = call->state;
  const SluiceTensor *in = sluice_call_input (call, 0), *indices = sluice_call_input (call, 1);
  gboolean joined[SLUICE_MAX_RANK];
  int order[SLUICE_MAX_RANK];
  gint64 bad;
  char text[SLUICE_SHAPE_STR];
  int code = mark_joined (indices, in->shape.rank, joined, order, &bad);
  if (code != 0)
    return sluice_call_fail (call, code, BAD_DIMENSION, bad, sluice_shape_str (&in->shape, text));
  if (indices->n_elements == 0)
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  SluiceShape shape = joined_shape (&in->shape, joined, indices->n_elements, self->keep);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  ReduceTask task = { in->data, out->data, self->separator, { .total = 1 }, { .total = 1 } };
  gint64 stride[SLUICE_MAX_RANK], step = 1;
  for (int d = in->shape.rank - 1; d >= 0; step *= in->shape.dim[d], d--)
    {
      stride[d] = step;
      if (!joined[d])
        walk_add (&task.kept, in->shape.dim[d], step);
    }
  for (gint64 i = 0; i < indices->n_elements; i++)
    walk_add (&task.joined, in->shape.dim[order[i]], stride[order[i]]);
  return sluice_call_each (call, out->n_elements, 30.0 * (1 + task.joined.total), reduce_one,
                           &task);
}

/* ---- definitions ---- */

static const SluiceSample join_samples[] = {
  { "N=2; separator='-'", "string[2]={'a','b'}; string[2]={'x','y'}" },
  { "N=3", "string[2]={'a','b'}; string[]='+'; string[2]={'x',''}" },
  { "N=2", "string[0]={}; string[]='a'" },
};
static const SluiceRecipe join_recipe = { .samples = join_samples,
                                          .n_samples = G_N_ELEMENTS (join_samples) };

static const SluiceOpDef join_op = {
  .name = "StringJoin",
  .signature = "inputs: N * string -> output: string",
  .attrs = "N: int >= 0; separator: string = ''",
  .summary = N_ ("Strings put together, element by element"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = join_shape,
  .recipe = &join_recipe,
};

#define MATRIX "string[2,3]={'a','b','c','d','e','f'}; "
static const SluiceSample reduce_samples[] = {
  { "separator='-'", MATRIX "int32[1]={0}" }, { "keep_dims=true", MATRIX "int32[2]={1,0}" },
  { "", MATRIX "int32[2]={0,-1}" },           { "", MATRIX "int32[0]={}" },
  { "", "string[2,0]={}; int32[1]={1}" },
};
static const SluiceRecipe reduce_recipe = { .samples = reduce_samples,
                                            .n_samples = G_N_ELEMENTS (reduce_samples) };

static const SluiceOpDef reduce_op = {
  .name = "ReduceJoin",
  .signature = "inputs: string, reduction_indices: int32 -> output: string",
  .attrs = "keep_dims: bool = false; separator: string = ''",
  .summary = N_ ("Strings put together along dimensions"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = reduce_shape,
  .recipe = &reduce_recipe,
};

static const SluiceOpDef *const ops[] = { &join_op, &reduce_op };

static const SluiceKernel kernels[] = {
  { .op = "StringJoin",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = separator_prepare,
    .free_state = separator_free,
    .compute = join_compute },
  { .op = "ReduceJoin",
    .device = "CPU",
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = reduce_prepare,
    .free_state = reduce_free,
    .compute = reduce_compute },
};

const SluiceKernelModule sluice_module_string_join = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
