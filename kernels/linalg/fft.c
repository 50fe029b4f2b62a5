/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fourier transforms along the last one, two or three dimensions. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/device/kernel.h"
#include "kernels/linalg/batches.h"
#include "kernels/math/gradients.h"

/* How many dimensions an op transforms: "RFFT2D" two, "FFT" one. */
static int
axes_of (const SluiceNode *node)
{
  const char *digit = strpbrk (node->op->name, "23");
  return digit ? *digit - '0' : 1;
}

static gboolean
is_inverse (const SluiceNode *node)
{
  return node->op->name[0] == 'I';
}

/* ---- shapes ---- */

static gboolean
complex_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank_at_least (c, 0, axes_of (c->node), error)
         && sluice_shape_unchanged (c, error);
}

/* The last dimensions are as fft_length says; of a spectrum the half that is no mirror image. */
static gboolean
real_shape (SluiceShapeContext *c, GError **error)
{
  int n_axes = axes_of (c->node);
  SluiceShape out = c->inputs[0];
  if (!sluice_shape_context_want_rank_at_least (c, 0, n_axes, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  if (c->inputs[1].rank == 1 && c->inputs[1].dim[0] >= 0 && c->inputs[1].dim[0] != n_axes)
    return sluice_shape_context_fail (c, error,
                                      "fft_length must hold %d numbers, not %" G_GINT64_FORMAT,
                                      n_axes, c->inputs[1].dim[0]);
  if (out.rank < 0)
    return TRUE;
  const SluiceTensor *lengths = sluice_shape_context_constant (c, 1);
  for (int i = 0; i < n_axes; i++)
    {
      gint64 length = lengths ? sluice_tensor_get_int (lengths, i) : SLUICE_UNKNOWN_DIM;
      if (i == n_axes - 1 && length > 0 && !is_inverse (c->node))
        length = length / 2 + 1;
      out.dim[out.rank - n_axes + i] = MAX (length, SLUICE_UNKNOWN_DIM);
    }
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* ---- gradients ---- */

static SluiceEdge
cast (SluiceGradContext *g, SluiceEdge x, SluiceDType to)
{
  return sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", to)), x);
}

static SluiceEdge
ints (SluiceGradContext *g, gint64 value)
{
  return sluice_builder_const_ints (&g->b, SLUICE_INT32, &value, 1);
}

static SluiceDType
real_of (SluiceDType complex_type)
{
  return complex_type == SLUICE_COMPLEX64 ? SLUICE_FLOAT : SLUICE_DOUBLE;
}

/* The last n sizes of x, as a vector. */
static SluiceEdge
last_sizes (SluiceGradContext *g, SluiceEdge x, int n)
{
  SluiceEdge shape = MAKE ("Shape", x);
  SluiceEdge begin = MAKE ("Sub", MAKE ("Shape", shape), ints (g, n));
  return MAKE ("Slice", shape, begin, ints (g, -1));
}

/* Size `from_end` of x as a scalar. */
static SluiceEdge
size_of (SluiceGradContext *g, SluiceEdge x, int from_end)
{
  SluiceEdge one = MAKE ("Slice", last_sizes (g, x, from_end), ints (g, 0), ints (g, 1));
  return MAKE ("Reshape", one, sluice_builder_const_ints (&g->b, SLUICE_INT32, NULL, 0));
}

/* Elements that one transform of x takes, as a real scalar. */
static SluiceEdge
volume_of (SluiceGradContext *g, SluiceEdge x, SluiceDType real)
{
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  return cast (g, MAKE ("Prod", last_sizes (g, x, axes_of (g->node)), zero), real);
}

/* The other direction of this op's name. */
static const char *
opposite (const SluiceNode *node)
{
  static const char *const pairs[][2] = {
    { "FFT", "IFFT" },   { "FFT2D", "IFFT2D" },   { "FFT3D", "IFFT3D" },
    { "RFFT", "IRFFT" }, { "RFFT2D", "IRFFT2D" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    for (int k = 0; k < 2; k++)
      if (strcmp (node->op->name, pairs[i][k]) == 0)
        return pairs[i][1 - k];
  g_assert_not_reached ();
}

static gboolean
complex_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceDType type = gradient_dtype (dy);
  SluiceEdge scale = volume_of (g, dy, real_of (type));
  if (is_inverse (g->node))
    scale = MAKE ("Reciprocal", scale);
  sluice_grad_set (g, 0,
                   MAKE ("Mul", sluice_op (&g->b, opposite (g->node), dy), cast (g, scale, type)));
  return TRUE;
}

/* The real transforms between types that belong together. */
static SluiceEdge
real_transform (SluiceGradContext *g, SluiceEdge x, SluiceDType complex_type)
{
  return sluice_op_with (&g->b, opposite (g->node),
                         SLUICE_ATTRS (sluice_attr_type ("Tcomplex", complex_type),
                                       sluice_attr_type ("Treal", real_of (complex_type))),
                         x, sluice_grad_input (g, 1));
}

/* 1 where the last of fft_length is odd. */
static SluiceEdge
is_odd (SluiceGradContext *g)
{
  SluiceEdge last =
      MAKE ("Slice", sluice_grad_input (g, 1), ints (g, axes_of (g->node) - 1), ints (g, 1));
  return MAKE ("FloorMod", last, ints (g, 2));
}

/* 0, 1 … n - 1 */
static SluiceEdge
numbers (SluiceGradContext *g, SluiceEdge n)
{
  return MAKE ("Range", sluice_builder_const_int32 (&g->b, 0), n,
               sluice_builder_const_int32 (&g->b, 1));
}

/* The column of a spectrum transformed along the dimension before the last, where there is one:
 * Σ conj(x) exp (-2πi kt/n). */
static SluiceEdge
along_rows (SluiceGradContext *g, SluiceEdge column, SluiceDType complex_type)
{
  if (axes_of (g->node) == 1)
    return column;
  SluiceDType real = real_of (complex_type);
  SluiceEdge n = size_of (g, sluice_grad_input (g, 0), 2), k = numbers (g, n);
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge kt = MAKE ("Mul", MAKE ("ExpandDims", k, one), MAKE ("ExpandDims", k, zero));
  SluiceEdge angle = MAKE ("RealDiv", cast (g, MAKE ("FloorMod", kt, n), real), cast (g, n, real));
  angle = gradient_scaled (g, angle, -2 * G_PI);
  SluiceEdge roots =
      sluice_op_with (&g->b, "Complex", SLUICE_ATTRS (sluice_attr_type ("Tout", complex_type)),
                      MAKE ("Cos", angle), MAKE ("Sin", angle));
  return sluice_grad_matmul (g, roots, FALSE, MAKE ("Conj", column), FALSE);
}

/* One column of the last dimension, the first or the last. */
static SluiceEdge
end_column (SluiceGradContext *g, SluiceEdge x, gboolean last)
{
  SluiceEdge shape = MAKE ("Shape", x), rank = MAKE ("Shape", shape);
  SluiceEdge before = MAKE ("Sub", rank, ints (g, 1));
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge leading = MAKE ("Slice", shape, ints (g, 0), before);
  SluiceEdge sizes = sluice_op_with (&g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                                     leading, ints (g, 1), zero);
  SluiceEdge from =
      last ? MAKE ("Sub", MAKE ("Slice", shape, before, ints (g, 1)), ints (g, 1)) : ints (g, 0);
  SluiceEdge begin = sluice_op_with (&g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                                     MAKE ("ZerosLike", leading), from, zero);
  return MAKE ("Slice", x, begin, sizes);
}

/*
 * The transform back of dy, where the columns without a mirror image (the first, and of even
 * lengths the last) count once and not twice.
 */
static gboolean
real_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0), dy = sluice_grad_dy (g, 0);
  SluiceDType type = gradient_dtype (dy), real = real_of (type);
  SluiceEdge one = sluice_builder_const_int32 (&g->b, 1);
  SluiceEdge signs =
      MAKE ("FloorMod", numbers (g, size_of (g, x, 1)), sluice_builder_const_int32 (&g->b, 2));
  signs = MAKE ("Sub", one, MAKE ("Mul", signs, sluice_builder_const_int32 (&g->b, 2)));
  SluiceEdge is_even = cast (g, MAKE ("Sub", ints (g, 1), is_odd (g)), type);
  SluiceEdge last = along_rows (g, end_column (g, dy, TRUE), type);
  last = MAKE ("Mul", MAKE ("Mul", is_even, last), cast (g, signs, type));
  SluiceEdge once = MAKE ("AddV2", along_rows (g, end_column (g, dy, FALSE), type), last);
  once = sluice_op_with (&g->b, "Real", SLUICE_ATTRS (sluice_attr_type ("Tout", real)), once);
  SluiceEdge back = MAKE ("Mul", real_transform (g, dy, type), volume_of (g, x, real));
  sluice_grad_set (g, 0, gradient_scaled (g, MAKE ("AddV2", back, once), 0.5));
  return TRUE;
}

/* The transform of dy, where the columns that have a mirror image count twice. */
static gboolean
half_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0), dy = sluice_grad_dy (g, 0);
  SluiceDType type = gradient_dtype (x), real = gradient_dtype (dy);
  SluiceEdge one = sluice_builder_const_number (&g->b, real, 1), odd = is_odd (g);
  SluiceEdge n_twice = MAKE ("AddV2", MAKE ("Sub", last_sizes (g, x, 1), ints (g, 2)), odd);
  SluiceEdge zero = sluice_builder_const_int32 (&g->b, 0);
  SluiceEdge counts = sluice_op_with (
      &g->b, "ConcatV2", SLUICE_ATTRS (sluice_attr_int ("N", 3)), MAKE ("Fill", ints (g, 1), one),
      MAKE ("Fill", n_twice, sluice_builder_const_number (&g->b, real, 2)),
      MAKE ("Fill", MAKE ("Sub", ints (g, 1), odd), one), zero);
  SluiceEdge scale = MAKE ("Mul", MAKE ("Reciprocal", volume_of (g, dy, real)), counts);
  sluice_grad_set (g, 0, MAKE ("Mul", real_transform (g, dy, type), cast (g, scale, type)));
  return TRUE;
}

/* ---- definitions ---- */

static void
fft_cost (const SluiceNode *node, const SluiceShape *in, const SluiceShape *out, SluiceCost *cost)
{
  double n_in = (double) sluice_shape_n_elements (&in[0]);
  double n_out = (double) sluice_shape_n_elements (&out[0]), n = fmax (n_in, n_out);
  double length = 1;
  for (int i = 0; i < axes_of (node) && i < out[0].rank; i++)
    length *= (double) out[0].dim[out[0].rank - 1 - i];
  cost->flops = 5 * n * log2 (length + 1);
  cost->bytes = 8 * (n_in + n_out);
}

/* Of one dimension more than the transform, so that there is a batch. */
static const SluiceSample fft_samples[] = {
  { "", "complex64[2,8]", 1e-5, 1e-5 },  { "", "complex64[7]", 1e-5, 1e-5 },
  { "", "complex64[30]", 1e-5, 1e-5 },   { "", "complex64[2,37]", 1e-5, 1e-5 },
  { "", "complex64[64]", 1e-5, 1e-5 },   { "", "complex64[2,0]", 0, 0 },
  { "", "complex64[1,74]", 1e-5, 1e-5 },
};
static const SluiceSample fft2_samples[] = {
  { "", "complex64[4,8]", 1e-5, 1e-5 },
  { "", "complex64[2,3,5]", 1e-5, 1e-5 },
};
static const SluiceSample fft3_samples[] = {
  { "", "complex64[2,4,3]", 1e-5, 1e-5 },
  { "", "complex64[2,1,3,5]", 1e-5, 1e-5 },
};
static const SluiceSample rfft_samples[] = {
  { "", "float[2,8]; int32[1]={8}", 1e-5, 1e-5, TRUE },
  { "Tcomplex=complex128", "double[7]; int32[1]={5}", 1e-5, 1e-5, TRUE },
  { "", "float[2,0]; int32[1]={0}", 0, 0, TRUE },
};
static const SluiceSample rfft2_samples[] = {
  { "", "float[2,3,4]; int32[2]={3,4}", 1e-5, 1e-5, TRUE },
  { "Tcomplex=complex128", "double[3,5]; int32[2]={2,5}", 1e-5, 1e-5, TRUE },
};
static const SluiceSample rfft3_samples[] = {
  { "", "float[2,2,3,4]; int32[3]={2,3,4}", 1e-5, 1e-5 },
};
static const SluiceSample irfft_samples[] = {
  { "", "complex64[2,5]; int32[1]={8}", 1e-5, 1e-5 },
  { "Treal=double", "complex128[5]; int32[1]={9}", 1e-5, 1e-5 },
};
static const SluiceSample irfft2_samples[] = {
  { "", "complex64[2,3,3]; int32[2]={3,4}", 1e-5, 1e-5 },
  { "Treal=double", "complex128[3,5]; int32[2]={2,7}", 1e-5, 1e-5 },
};
static const SluiceSample irfft3_samples[] = {
  { "", "complex64[2,2,3,3]; int32[3]={2,3,4}", 1e-5, 1e-5 },
};

#define RECIPE(id, types)                                                                          \
  static const SluiceRecipe id##_recipe = { .samples = id##_samples,                               \
                                            .n_samples = G_N_ELEMENTS (id##_samples),              \
                                            .dtypes = types }
RECIPE (fft, SLUICE_SET_COMPLEX);
RECIPE (fft2, SLUICE_SET_COMPLEX);
RECIPE (fft3, SLUICE_SET_COMPLEX);
RECIPE (rfft, 0);
RECIPE (rfft2, 0);
RECIPE (rfft3, 0);
RECIPE (irfft, 0);
RECIPE (irfft2, 0);
RECIPE (irfft3, 0);

#define FOURIER(id, op_name, its_signature, its_attrs, text, shape_rule, its_gradient, recipe_id)  \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = its_signature,                                                                    \
    .attrs = its_attrs,                                                                            \
    .summary = text,                                                                               \
    .shape = shape_rule,                                                                           \
    .gradient = its_gradient,                                                                      \
    .cost = fft_cost,                                                                              \
    .recipe = &recipe_id##_recipe,                                                                 \
  }
#define COMPLEX_OP(id, name, text, recipe)                                                         \
  FOURIER (id, name, "input: Tcomplex -> output: Tcomplex",                                        \
           "Tcomplex: {complex64, complex128} = complex64", text, complex_shape, complex_gradient, \
           recipe)
#define TYPES "Treal: {float, double} = float; Tcomplex: {complex64, complex128} = complex64"
#define REAL_OP(id, name, text, gradient, recipe)                                                  \
  FOURIER (id, name, "input: Treal, fft_length: int32 -> output: Tcomplex", TYPES, text,           \
           real_shape, gradient, recipe)
#define HALF_OP(id, name, text, gradient, recipe)                                                  \
  FOURIER (id, name, "input: Tcomplex, fft_length: int32 -> output: Treal", TYPES, text,           \
           real_shape, gradient, recipe)

COMPLEX_OP (fft_op, "FFT", N_ ("Fourier transform along the last dimension"), fft);
COMPLEX_OP (ifft_op, "IFFT", N_ ("Inverse Fourier transform along the last dimension"), fft);
COMPLEX_OP (fft2_op, "FFT2D", N_ ("Fourier transform along the last two dimensions"), fft2);
COMPLEX_OP (ifft2_op,
            "IFFT2D",
            N_ ("Inverse Fourier transform along the last two dimensions"),
            fft2);
COMPLEX_OP (fft3_op, "FFT3D", N_ ("Fourier transform along the last three dimensions"), fft3);
COMPLEX_OP (ifft3_op,
            "IFFT3D",
            N_ ("Inverse Fourier transform along the last three dimensions"),
            fft3);
REAL_OP (rfft_op,
         "RFFT",
         N_ ("Fourier transform of real numbers along the last dimension: half the spectrum"),
         real_gradient,
         rfft);
REAL_OP (rfft2_op,
         "RFFT2D",
         N_ ("Fourier transform of real numbers along the last two dimensions: half the spectrum"),
         real_gradient,
         rfft2);
REAL_OP (
    rfft3_op,
    "RFFT3D",
    N_ ("Fourier transform of real numbers along the last three dimensions: half the spectrum"),
    NULL,
    rfft3);
HALF_OP (irfft_op,
         "IRFFT",
         N_ ("Real numbers out of half their spectrum, along the last dimension"),
         half_gradient,
         irfft);
HALF_OP (irfft2_op,
         "IRFFT2D",
         N_ ("Real numbers out of half their spectrum, along the last two dimensions"),
         half_gradient,
         irfft2);
HALF_OP (irfft3_op,
         "IRFFT3D",
         N_ ("Real numbers out of half their spectrum, along the last three dimensions"),
         NULL,
         irfft3);

static const SluiceOpDef *const ops[] = { &fft_op,   &ifft_op,  &fft2_op,   &ifft2_op,
                                          &fft3_op,  &ifft3_op, &rfft_op,   &rfft2_op,
                                          &rfft3_op, &irfft_op, &irfft2_op, &irfft3_op };

const SluiceKernelModule sluice_module_linalg_fft = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
