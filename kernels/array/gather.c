/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Rows by number: Gather, GatherV2 (along an axis, in batches), GatherNd (by coordinates).
 * Gradients are rows of the params where the rows are whole (IndexedSlices), else they are added
 * up.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/gather.h"

/* ---- shapes ---- */

static gboolean
append_dims (SluiceShape *shape, const SluiceShape *from, int first, int last)
{
  for (int i = first; i < last; i++)
    {
      if (shape->rank == SLUICE_MAX_RANK)
        return FALSE;
      shape->dim[shape->rank++] = from->dim[i];
    }
  return TRUE;
}

static gboolean
set_gathered (
    SluiceShapeContext *c, const SluiceShape *params, int axis, int batch_dims, GError **error)
{
  const SluiceShape *indices = &c->inputs[1];
  SluiceShape shape = { 0 };
  if (params->rank < 0 || indices->rank < 0)
    return TRUE;
  for (int i = 0; i < batch_dims; i++)
    if (params->dim[i] >= 0 && indices->dim[i] >= 0 && params->dim[i] != indices->dim[i])
      return sluice_shape_context_fail (c, error, "batch dimension %d differs", i);
  if (!append_dims (&shape, params, 0, axis)
      || !append_dims (&shape, indices, batch_dims, indices->rank)
      || !append_dims (&shape, params, axis + 1, params->rank))
    return sluice_shape_context_fail (c, error, "the result would have more than %d dimensions",
                                      SLUICE_MAX_RANK);
  for (int i = 0; i < batch_dims; i++)
    shape.dim[i] = MAX (shape.dim[i], indices->dim[i]);
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
gather_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank_at_least (c, 0, 1, error)
         && set_gathered (c, &c->inputs[0], 0, 0, error);
}

/* Counts batch_dims of both from the front; FALSE where they do not fit. Ranks are known. */
static gboolean
normalize_batch_dims (SluiceShapeContext *c,
                      const SluiceShape *params,
                      gint64 *batch_dims,
                      GError **error)
{
  const SluiceShape *indices = &c->inputs[1];
  gint64 given = *batch_dims;
  if (given < 0)
    *batch_dims += indices->rank;
  if (*batch_dims >= 0 && *batch_dims <= MIN (indices->rank, params->rank - 1))
    return TRUE;
  return sluice_shape_context_fail (c, error,
                                    "batch_dims %" G_GINT64_FORMAT
                                    " does not fit indices of %d and params of %d dimensions",
                                    given, indices->rank, params->rank);
}

gboolean
sluice_shape_gather (SluiceShapeContext *c,
                     const SluiceShape *params,
                     gint64 axis,
                     gint64 batch_dims,
                     GError **error)
{
  int at;
  if (params->rank < 0 || c->inputs[1].rank < 0)
    return TRUE;
  if (!normalize_batch_dims (c, params, &batch_dims, error)
      || !sluice_shape_axis (c, axis, params->rank, &at, error))
    return FALSE;
  if (at < batch_dims)
    return sluice_shape_context_fail (
        c, error, "axis %d is one of the %" G_GINT64_FORMAT " batch dimensions", at, batch_dims);
  return set_gathered (c, params, at, batch_dims, error);
}

static gboolean
gather_v2_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *params = &c->inputs[0], *indices = &c->inputs[1];
  const SluiceTensor *axis = sluice_shape_context_constant (c, 2);
  gint64 batch_dims = sluice_node_get_int (c->node, "batch_dims");
  if (!sluice_shape_context_want_rank_at_least (c, 0, 1, error)
      || !sluice_shape_context_want_rank (c, 2, 0, error))
    return FALSE;
  if (axis != NULL)
    return sluice_shape_gather (c, params, sluice_tensor_get_int (axis, 0), batch_dims, error);
  if (params->rank < 0 || indices->rank < 0)
    return TRUE;
  if (!normalize_batch_dims (c, params, &batch_dims, error))
    return FALSE;
  int rank = params->rank - 1 + indices->rank - (int) batch_dims;
  SluiceShape shape = sluice_shape_of_rank (rank <= SLUICE_MAX_RANK ? rank : -1);
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

gboolean
sluice_shape_gather_nd (SluiceShapeContext *c, const SluiceShape *params, GError **error)
{
  const SluiceShape *indices = &c->inputs[1];
  if (!sluice_shape_context_want_rank_at_least (c, 1, 1, error))
    return FALSE;
  gint64 depth = indices->rank > 0 ? indices->dim[indices->rank - 1] : SLUICE_UNKNOWN_DIM;
  if (params->rank < 0 || depth < 0)
    return TRUE;
  if (depth > params->rank)
    return sluice_shape_context_fail (
        c, error, "an index of %" G_GINT64_FORMAT " coordinates is too long for %d dimensions",
        depth, params->rank);
  SluiceShape shape = { 0 };
  if (!append_dims (&shape, indices, 0, indices->rank - 1)
      || !append_dims (&shape, params, depth, params->rank))
    return sluice_shape_context_fail (c, error, "the result would have more than %d dimensions",
                                      SLUICE_MAX_RANK);
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
gather_nd_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_gather_nd (c, &c->inputs[0], error);
}

/* ---- gradients ---- */

static SluiceEdge
const_ints (SluiceGradContext *g, const gint64 *values, guint n)
{
  return sluice_builder_const_ints (&g->b, SLUICE_INT32, values, n);
}

/* A vector's elements [from, to) as a vector; to = -1: all that follow. */
static SluiceEdge
part_of (SluiceGradContext *g, SluiceEdge vector, gint64 from, gint64 to)
{
  return sluice_op (&g->b, "Slice", vector, const_ints (g, &from, 1),
                    const_ints (g, &(gint64){ to < 0 ? -1 : to - from }, 1));
}

static SluiceEdge
join (SluiceGradContext *g, const SluiceEdge *parts, guint n)
{
  SluiceEdge inputs[5];
  g_assert (n < G_N_ELEMENTS (inputs));
  for (guint i = 0; i < n; i++)
    inputs[i] = parts[i];
  inputs[n] = sluice_builder_const_int32 (&g->b, 0);
  return sluice_builder_add (&g->b, "ConcatV2", NULL, inputs, n + 1,
                             SLUICE_ATTRS (sluice_attr_int ("N", n)));
}

#define JOIN(g, ...)                                                                               \
  join ((g), (SluiceEdge[]){ __VA_ARGS__ }, SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__))

/* Whole rows: the gradient of each at the row's number. */
void
sluice_grad_gather_rows (SluiceGradContext *g, SluiceEdge shape)
{
  gint64 all = -1;
  SluiceEdge indices = sluice_grad_input (g, 1);
  SluiceEdge minus_one = const_ints (g, &all, 1);
  SluiceEdge count = sluice_op (&g->b, "Reshape", sluice_op (&g->b, "Size", indices), minus_one);
  SluiceEdge rows_shape = JOIN (g, count, part_of (g, shape, 1, -1));
  SluiceGrad grad = {
    .values = sluice_op (&g->b, "Reshape", sluice_grad_dy (g, 0), rows_shape),
    .indices = sluice_op (&g->b, "Reshape", indices, minus_one),
    .dense_shape = shape,
  };
  sluice_grad_set_sparse (g, 0, grad);
}

static gboolean
row_gradient (SluiceGradContext *g)
{
  sluice_grad_gather_rows (g, sluice_grad_shape_of (g, sluice_grad_input (g, 0), SLUICE_INT32));
  return TRUE;
}

/* Numbers of rows in the flattened batches: indices + batch · size of the axis. */
static SluiceEdge
flat_indices (SluiceGradContext *g, SluiceEdge batch_sizes, SluiceEdge axis_size, gint64 batch_dims)
{
  SluiceEdge indices = sluice_grad_input (g, 1);
  SluiceDType index = sluice_node_get_type (g->node, "Tindices");
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge n_batches = sluice_op (&g->b, "Prod", batch_sizes, zero);
  SluiceEdge batch = sluice_op (&g->b, "Range", zero, n_batches, one);
  SluiceEdge offset = sluice_op (&g->b, "Mul", batch, axis_size);
  offset = sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", index)), offset);
  SluiceEdge column = sluice_op (&g->b, "Reshape", offset, const_ints (g, (gint64[]){ -1, 1 }, 2));
  SluiceEdge per_batch = sluice_op (&g->b, "Reshape", sluice_op (&g->b, "Shape", indices),
                                    const_ints (g, (gint64[]){ -1 }, 1));
  SluiceEdge rest = sluice_op (&g->b, "Prod", part_of (g, per_batch, batch_dims, -1), zero);
  SluiceEdge shape = JOIN (g, sluice_op (&g->b, "ExpandDims", n_batches, zero),
                           sluice_op (&g->b, "ExpandDims", rest, zero));
  SluiceEdge rows = sluice_op (&g->b, "Reshape", indices, shape);
  return sluice_op (&g->b, "Reshape", sluice_op (&g->b, "AddV2", rows, column),
                    const_ints (g, (gint64[]){ -1 }, 1));
}

/* The numbers [from, to) as a vector. */
static SluiceEdge
numbers (SluiceGradContext *g, SluiceEdge from, SluiceEdge to)
{
  return sluice_op (&g->b, "Range", from, to, sluice_builder_const_int32 (&g->b, 1));
}

/* What an axis that only a run may tell divides the params' shape into. */
typedef struct
{
  SluiceEdge shape;        /* of the params */
  SluiceEdge axis;         /* scalar, not negative */
  SluiceEdge size;         /* scalar: of the axis */
  SluiceEdge outer, inner; /* vectors: sizes before and after it */
  SluiceEdge to_front;     /* the order that puts the axis behind the batches */
  SluiceEdge to_back;      /* … and the one that takes it back */
} AxisParts;

static void
divide_at_axis (SluiceGradContext *g, gint64 batch_dims, AxisParts *p)
{
  SluiceEdge params = sluice_grad_input (g, 0);
  SluiceEdge scalar = const_ints (g, NULL, 0), one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge zero_vector = const_ints (g, (gint64[]){ 0 }, 1);
  SluiceEdge one_vector = const_ints (g, (gint64[]){ 1 }, 1);
  SluiceEdge rank = sluice_op (&g->b, "Rank", params);
  SluiceEdge axis =
      sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", SLUICE_INT32)),
                      sluice_grad_input (g, 2));
  p->shape = sluice_grad_shape_of (g, params, SLUICE_INT32);
  p->axis = sluice_op (&g->b, "FloorMod", axis, rank);
  SluiceEdge at = sluice_op (&g->b, "Reshape", p->axis, one_vector);
  SluiceEdge after = sluice_op (&g->b, "AddV2", at, one_vector);
  SluiceEdge size = sluice_op (&g->b, "Slice", p->shape, at, one_vector);
  p->size = sluice_op (&g->b, "Reshape", size, scalar);
  p->outer = sluice_op (&g->b, "Slice", p->shape, zero_vector, at);
  p->inner = sluice_op (&g->b, "Slice", p->shape, after, const_ints (g, (gint64[]){ -1 }, 1));

  SluiceEdge front = sluice_builder_const_int32 (&g->b, batch_dims);
  SluiceEdge batches = numbers (g, sluice_builder_const_int32 (&g->b, 0), front);
  SluiceEdge between = numbers (g, front, p->axis);
  SluiceEdge rest = numbers (g, sluice_op (&g->b, "AddV2", p->axis, one), rank);
  p->to_front = JOIN (g, batches, at, between, rest);
  p->to_back = JOIN (g, batches, sluice_op (&g->b, "AddV2", between, one),
                     const_ints (g, &batch_dims, 1), rest);
}

/*
 * Along another axis: dy with the gathered dimensions as one, brought to the front behind the
 * batches, is added up by row, and the axis taken back.
 */
static gboolean
axis_gradient (SluiceGradContext *g, gint64 batch_dims)
{
  AxisParts p;
  divide_at_axis (g, batch_dims, &p);
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge minus_one = const_ints (g, (gint64[]){ -1 }, 1);
  SluiceEdge indices = sluice_grad_input (g, 1);
  SluiceEdge per_batch = part_of (g, sluice_op (&g->b, "Shape", indices), batch_dims, -1);
  SluiceEdge n_rows =
      sluice_op (&g->b, "ExpandDims", sluice_op (&g->b, "Prod", per_batch, zero), zero);
  SluiceEdge values =
      sluice_op (&g->b, "Reshape", sluice_grad_dy (g, 0), JOIN (g, p.outer, n_rows, p.inner));
  values = sluice_op (&g->b, "Transpose", values, p.to_front);

  SluiceEdge front_shape = sluice_op (&g->b, "GatherV2", p.shape, p.to_front, zero);
  SluiceEdge row = part_of (g, front_shape, batch_dims + 1, -1);
  SluiceEdge batches = part_of (g, p.shape, 0, batch_dims);
  SluiceEdge count = sluice_op (&g->b, "ExpandDims", sluice_op (&g->b, "Size", indices), zero);
  values = sluice_op (&g->b, "Reshape", values, JOIN (g, count, row));
  SluiceEdge ids = batch_dims > 0 ? flat_indices (g, batches, p.size, batch_dims)
                                  : sluice_op (&g->b, "Reshape", indices, minus_one);
  SluiceEdge n_segments =
      sluice_op (&g->b, "Mul", p.size, sluice_op (&g->b, "Prod", batches, zero));
  SluiceEdge sum = sluice_op (&g->b, "UnsortedSegmentSum", values, ids, n_segments);
  sum = sluice_op (&g->b, "Reshape", sum, front_shape);
  sluice_grad_set (g, 0, sluice_op (&g->b, "Transpose", sum, p.to_back));
  return TRUE;
}

static gboolean
gather_gradient (SluiceGradContext *g, GError **error)
{
  return row_gradient (g);
}

static gboolean
gather_v2_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceTensor *axis = sluice_edge_constant (g->node->inputs[2]);
  gint64 batch_dims = sluice_node_get_int (g->node, "batch_dims");
  if (axis != NULL && sluice_tensor_get_int (axis, 0) == 0)
    return row_gradient (g);
  if (batch_dims < 0)
    batch_dims += sluice_edge_shape (g->node->inputs[1])->rank;
  if (batch_dims < 0)
    return sluice_node_fail (g->node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "batch_dims counts from the end of indices, so the gradient needs "
                             "indices of known rank");
  return axis_gradient (g, batch_dims);
}

void
sluice_grad_gather_nd (SluiceGradContext *g, SluiceEdge shape)
{
  const SluiceShape *at = sluice_edge_shape (g->node->inputs[1]);
  SluiceDType index = sluice_node_get_type (g->node, "Tindices");
  SluiceEdge dy = sluice_grad_dy (g, 0), indices = sluice_grad_input (g, 1);
  if (index == SLUICE_INT16) /* which ScatterNd does not take */
    {
      index = SLUICE_INT32;
      indices =
          sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", index)), indices);
    }
  if (at->rank == 2 && at->dim[1] == 1)
    {
      SluiceEdge rows = sluice_op (&g->b, "Reshape", indices, const_ints (g, (gint64[]){ -1 }, 1));
      SluiceGrad grad = { .values = dy, .indices = rows, .dense_shape = shape };
      sluice_grad_set_sparse (g, 0, grad);
      return;
    }
  shape = sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", index)), shape);
  const SluiceEdge inputs[] = { indices, dy, shape };
  SluiceAttr policy = sluice_attr_string ("bad_indices_policy", "");
  if (sluice_op_find_attr (g->node->op, "bad_indices_policy") != NULL)
    policy = sluice_grad_attr (g, "bad_indices_policy");
  sluice_grad_set (g, 0,
                   sluice_builder_add (&g->b, "ScatterNd", NULL, inputs, G_N_ELEMENTS (inputs),
                                       SLUICE_ATTRS (policy)));
}

static gboolean
gather_nd_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_gather_nd (g, sluice_grad_shape_of (g, sluice_grad_input (g, 0), SLUICE_INT32));
  return TRUE;
}

static const SluiceSample gather_samples[] = {
  { "", "float[5,3]; int32[4]={4,0,4,2}", 1e-5, 1e-6 },
  { "", "float[5]; int64[]={3}", 1e-5, 1e-6 },
  { "", "string[3,2]; int32[2]={2,0}", 0, 0 },
};
static const SluiceRecipe gather_recipe = {
  .samples = gather_samples,
  .n_samples = G_N_ELEMENTS (gather_samples),
};

static const SluiceSample gather_v2_samples[] = {
  { "", "float[5,3]; int32[4]={4,0,4,2}; int32[]={0}", 1e-5, 1e-6 },
  { "", "float[3,4,2]; int32[2,2]={0,1,1,3}; int32[]={-2}", 1e-5, 1e-6 },
  { "batch_dims=1", "float[2,3,4]; int32[2,2]={1,0,2,3}; int32[]={2}", 1e-5, 1e-6 },
};
static const SluiceRecipe gather_v2_recipe = {
  .samples = gather_v2_samples,
  .n_samples = G_N_ELEMENTS (gather_v2_samples),
};

static const SluiceSample gather_nd_samples[] = {
  { "", "float[3,4]; int32[3,2]={0,0,2,3,1,1}", 1e-5, 1e-6 },
  { "", "float[3,4]; int64[2,1]={2,0}", 1e-5, 1e-6 },
};
static const SluiceRecipe gather_nd_recipe = {
  .samples = gather_nd_samples,
  .n_samples = G_N_ELEMENTS (gather_nd_samples),
};

static const SluiceOpDef gather_op = {
  .name = "Gather",
  .signature = "params: Tparams, indices: Tindices -> output: Tparams",
  .attrs = "validate_indices: bool = true; Tparams: type; Tindices: {int32, int64}",
  .summary = N_ ("Rows of a tensor by their numbers"),
  .shape = gather_shape,
  .gradient = gather_gradient,
  .recipe = &gather_recipe,
};

static const SluiceOpDef gather_v2_op = {
  .name = "GatherV2",
  .signature = "params: Tparams, indices: Tindices, axis: Taxis -> output: Tparams",
  .attrs = "batch_dims: int = 0; Tparams: type; Tindices: {int16, int32, int64}; "
           "Taxis: {int32, int64}",
  .summary = N_ ("Slices of a tensor along an axis by their numbers"),
  .shape = gather_v2_shape,
  .gradient = gather_v2_gradient,
  .recipe = &gather_v2_recipe,
};

static const SluiceOpDef gather_nd_op = {
  .name = "GatherNd",
  .signature = "params: Tparams, indices: Tindices -> output: Tparams",
  .attrs = "Tparams: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = ''",
  .summary = N_ ("Slices of a tensor by their coordinates"),
  .shape = gather_nd_shape,
  .gradient = gather_nd_gradient,
  .recipe = &gather_nd_recipe,
};

static const SluiceOpDef *const ops[] = { &gather_op, &gather_v2_op, &gather_nd_op };

const SluiceKernelModule sluice_module_array_gather = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
