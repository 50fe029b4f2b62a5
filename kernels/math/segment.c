/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Rows that have the same number are combined: Segment* where the numbers are sorted and tell how
 * many segments there are, UnsortedSegment* where they are in any order, the negative ones left
 * out.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/segment.h"
#include "kernels/math/gradients.h"
#include "kernels/math/types.h"

/* ---- shapes ---- */

static gboolean
sorted_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 1, 1, error)
      || !sluice_shape_context_want_rank_at_least (c, 0, 1, error))
    return FALSE;
  SluiceShape out = c->inputs[0];
  if (out.rank != SLUICE_UNKNOWN_RANK)
    out.dim[0] = SLUICE_UNKNOWN_DIM;
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
unsorted_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *count = sluice_shape_context_constant (c, 2);
  SluiceShape row;
  if (!sluice_shape_context_want_rank (c, 2, 0, error)
      || !sluice_shape_rest_after_ids (c, 0, 1, &row, error))
    return FALSE;
  gint64 n = count != NULL ? sluice_tensor_get_int (count, 0) : SLUICE_UNKNOWN_DIM;
  if (count != NULL && n < 0)
    return sluice_shape_context_fail (c, error, "num_segments must not be negative");
  return sluice_shape_set_rows (c, n, &row, error);
}

/* ---- gradients; data is input 0, the numbers are input 1 ---- */

#define data_in sluice_grad_input (g, 0)
#define ids_in  sluice_grad_input (g, 1)

static gboolean
is_unsorted (SluiceGradContext *g)
{
  return g->node->n_inputs == 3;
}

static SluiceEdge
rows_of (SluiceGradContext *g, SluiceEdge table, SluiceEdge ids)
{
  return MAKE ("GatherV2", table, ids, sluice_builder_const_int32 (&g->b, 0));
}

/* Numbers that can be looked up: the negative ones become 0. */
static SluiceEdge
clipped_ids (SluiceGradContext *g)
{
  return is_unsorted (g) ? MAKE ("Maximum", ids_in, gradient_number (g, ids_in, 0)) : ids_in;
}

/* The shape of ids, then a 1 for each dimension that data has more. */
static SluiceEdge
shape_of_marks (SluiceGradContext *g)
{
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge more = MAKE ("Sub", MAKE ("Rank", data_in), MAKE ("Rank", ids_in));
  SluiceEdge ones =
      MAKE ("Fill", MAKE ("ExpandDims", more, zero), sluice_builder_const_int32 (&g->b, 1));
  return sluice_op_with (&g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                         MAKE ("Shape", ids_in), ones, zero);
}

/* Which rows count, in the shape of data. */
static SluiceEdge
counted (SluiceGradContext *g)
{
  SluiceEdge marks = MAKE ("GreaterEqual", ids_in, gradient_number (g, ids_in, 0));
  return MAKE ("BroadcastTo", MAKE ("Reshape", marks, shape_of_marks (g)), MAKE ("Shape", data_in));
}

/* The row of `table` for each row of data; 0 for those that are left out. */
static SluiceEdge
spread (SluiceGradContext *g, SluiceEdge table)
{
  SluiceEdge rows = rows_of (g, table, clipped_ids (g));
  if (!is_unsorted (g))
    return rows;
  return MAKE ("SelectV2", counted (g), rows, MAKE ("ZerosLike", rows));
}

/* The op of that name, or Unsorted and that name, over the same numbers. */
static SluiceEdge
combine (SluiceGradContext *g, const char *sorted, const char *unsorted, SluiceEdge data)
{
  return is_unsorted (g) ? MAKE (unsorted, data, ids_in, sluice_grad_input (g, 2))
                         : MAKE (sorted, data, ids_in);
}

static SluiceEdge
cast (SluiceGradContext *g, SluiceEdge e, SluiceDType to)
{
  return sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", to)), e);
}

static gboolean
sum_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, spread (g, sluice_grad_dy (g, 0)));
  return TRUE;
}

static gboolean
mean_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge ones = MAKE ("Fill", shape_of_marks (g), gradient_number (g, dy, 1));
  SluiceEdge counts = MAKE ("SegmentSum", ones, ids_in);
  sluice_grad_set (g, 0, spread (g, MAKE ("RealDiv", dy, counts)));
  return TRUE;
}

/* Elements that equal the extreme of their segment share its gradient. */
static gboolean
extreme_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge chosen = MAKE ("Equal", data_in, spread (g, sluice_grad_output (g, 0)));
  if (is_unsorted (g))
    chosen = MAKE ("LogicalAnd", chosen, counted (g));
  SluiceEdge n_chosen =
      combine (g, "SegmentSum", "UnsortedSegmentSum", cast (g, chosen, gradient_dtype (dy)));
  SluiceEdge rows = spread (g, MAKE ("RealDiv", dy, n_chosen));
  sluice_grad_set (g, 0, MAKE ("SelectV2", chosen, rows, MAKE ("ZerosLike", data_in)));
  return TRUE;
}

/* The product over each factor; where one factor of a segment is 0 only that one has a gradient,
 * the product of the others, and where more are none has. */
static gboolean
prod_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge is_zero = MAKE ("Equal", data_in, gradient_number (g, data_in, 0));
  SluiceEdge n_zeros =
      combine (g, "SegmentSum", "UnsortedSegmentSum", cast (g, is_zero, SLUICE_INT32));
  SluiceEdge many = MAKE ("Greater", n_zeros, sluice_builder_const_int32 (&g->b, 1));
  SluiceEdge above = MAKE ("SelectV2", many, MAKE ("ZerosLike", dy), dy);
  SluiceEdge not_zero = MAKE ("SelectV2", is_zero, gradient_ones_like (g, data_in), data_in);
  SluiceEdge others = combine (g, "SegmentProd", "UnsortedSegmentProd", not_zero);
  SluiceEdge ids = clipped_ids (g);
  SluiceEdge share = MAKE ("RealDiv", rows_of (g, sluice_grad_output (g, 0), ids), not_zero);
  SluiceEdge slope = MAKE ("SelectV2", is_zero, rows_of (g, others, ids), share);
  sluice_grad_set (g, 0, MAKE ("Mul", spread (g, above), slope));
  return TRUE;
}

#undef data_in
#undef ids_in

/* ---- definitions ---- */

#define NUMBER_TYPES "T: {" SLUICE_NUMBER_TYPES "}; "
#define REAL_TYPES   "T: {" SLUICE_REAL_TYPES "}; "

#define SORTED(op, types, set, summary_, gradient_)                                                \
  static const SluiceSample samples_##op[] = {                                                     \
    { NULL, "float[7,3] in (0.5,2); int32[7]={0,0,1,1,1,2,4}", 1e-5, 1e-6 },                       \
    { NULL, "float[5] in (0.5,2); int64[5]={1,1,1,3,3}", 1e-5, 1e-6 },                             \
    { NULL, "float[3,2,2] in (0.5,2); int32[3]={0,0,0}", 1e-5, 1e-6 },                             \
    { NULL, "float[0,2]; int32[0]={}" },                                                           \
  };                                                                                               \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op), set };      \
  static const SluiceOpDef def_##op = { .name = #op,                                               \
                                        .signature = "data: T, segment_ids: Tindices "             \
                                                     "-> output: T",                               \
                                        .attrs = types "Tindices: {int32, int64}",                 \
                                        .summary = summary_,                                       \
                                        .shape = sorted_shape,                                     \
                                        .gradient = gradient_,                                     \
                                        .recipe = &recipe_##op };

#define UNSORTED(op, role_, types, ids, set, summary_, gradient_)                                  \
  static const SluiceSample samples_##op[] = {                                                     \
    { NULL, "float[5,3] in (0.5,2); int32[5]={0,2,0,1,2}; int32[]={3}", 1e-5, 1e-6 },              \
    { NULL, "float[2,2] in (0.5,2); int64[2,2]={0,-1,1,1}; int32[]={2}", 1e-5, 1e-6 },             \
    { NULL, "float[2,3,2] in (0.5,2); int32[2]={5,5}; int64[]={6}", 1e-5, 1e-6,                    \
      .no_gradient = TRUE },                                                                       \
    { NULL, "float[]=2; int32[]={1}; int32[]={2}", 1e-5, 1e-6, .no_gradient = TRUE },              \
    { NULL, "float[0,2]; int32[0]={}; int32[]={3}" },                                              \
  };                                                                                               \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op), set };      \
  static const SluiceOpDef def_##op = {                                                            \
    .name = #op,                                                                                   \
    .signature = "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",        \
    .attrs = types "Tindices: " ids "; Tnumsegments: {int32, int64} = int32",                      \
    .summary = summary_,                                                                           \
    .role = role_,                                                                                 \
    .shape = unsorted_shape,                                                                       \
    .gradient = gradient_,                                                                         \
    .recipe = &recipe_##op                                                                         \
  };

/* clang-format off */
SORTED (SegmentSum, NUMBER_TYPES, SLUICE_SET_NUMBER, N_ ("Adds up rows that have the same number"), sum_gradient)
SORTED (SegmentMean, NUMBER_TYPES, SLUICE_SET_NUMBER, N_ ("Mean of rows that have the same number"), mean_gradient)
SORTED (SegmentProd, NUMBER_TYPES, SLUICE_SET_NUMBER, N_ ("Product of rows that have the same number"), prod_gradient)
SORTED (SegmentMax, REAL_TYPES, SLUICE_SET_REAL, N_ ("Largest of rows that have the same number"), extreme_gradient)
SORTED (SegmentMin, REAL_TYPES, SLUICE_SET_REAL, N_ ("Smallest of rows that have the same number"), extreme_gradient)
UNSORTED (UnsortedSegmentSum, SLUICE_ROLE_UNSORTED_SEGMENT_SUM, NUMBER_TYPES, "{int16, int32, int64}", SLUICE_SET_NUMBER, N_ ("Adds up rows by number, in any order"), sum_gradient)
UNSORTED (UnsortedSegmentProd, SLUICE_ROLE_NONE, NUMBER_TYPES, "{int32, int64}", SLUICE_SET_NUMBER, N_ ("Product of rows by number, in any order"), prod_gradient)
UNSORTED (UnsortedSegmentMax, SLUICE_ROLE_NONE, REAL_TYPES, "{int32, int64}", SLUICE_SET_REAL, N_ ("Largest of rows by number, in any order"), extreme_gradient)
UNSORTED (UnsortedSegmentMin, SLUICE_ROLE_NONE, REAL_TYPES, "{int32, int64}", SLUICE_SET_REAL, N_ ("Smallest of rows by number, in any order"), extreme_gradient)
/* clang-format on */

static const SluiceOpDef *const ops[] = {
  &def_SegmentSum,          &def_SegmentMean,        &def_SegmentProd,
  &def_SegmentMax,          &def_SegmentMin,         &def_UnsortedSegmentSum,
  &def_UnsortedSegmentProd, &def_UnsortedSegmentMax, &def_UnsortedSegmentMin,
};

const SluiceKernelModule sluice_module_math_segment = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
