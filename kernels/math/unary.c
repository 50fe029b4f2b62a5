/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Element-wise functions of one operand, and the gradients of functions that are written in terms
 * of the function's value (TanhGrad …). The operations stand in tables.h.
 */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/math/elementwise.h"
#include "kernels/math/gradients.h"
#include "kernels/math/tables.h"

/* ---- gradients: dx of y = f (x) ---- */

/* dx = dy · derivative, the derivative's conjugate where it is complex. */
static gboolean
set_product (SluiceGradContext *g, SluiceEdge derivative)
{
  sluice_grad_set (g, 0, MAKE ("Mul", sluice_grad_dy (g, 0), derivative));
  return TRUE;
}

/* dx = op (y, dy) */
static gboolean
set_by_value (SluiceGradContext *g, const char *op)
{
  SluiceEdge y = sluice_grad_output (g, 0);
  sluice_grad_set (g, 0, MAKE (op, y, sluice_grad_dy (g, 0)));
  return TRUE;
}

static gboolean
set_by_conj_value (SluiceGradContext *g, const char *op)
{
  SluiceEdge y = gradient_conj (g, sluice_grad_output (g, 0));
  sluice_grad_set (g, 0, MAKE (op, y, sluice_grad_dy (g, 0)));
  return TRUE;
}

#define conj_x gradient_conj (g, sluice_grad_input (g, 0))
#define UNARY_GRADIENT(name, statement)                                                            \
  static gboolean unary_gradient_##name (SluiceGradContext *g, GError **error)                     \
  {                                                                                                \
    statement;                                                                                     \
  }

UNARY_GRADIENT (none, return gradient_none (g, error))
UNARY_GRADIENT (neg, sluice_grad_set (g, 0, MAKE ("Neg", sluice_grad_dy (g, 0))); return TRUE)
UNARY_GRADIENT (conj, sluice_grad_set (g, 0, MAKE ("Conj", sluice_grad_dy (g, 0))); return TRUE)
UNARY_GRADIENT (zeros, sluice_grad_set (g, 0, MAKE ("ZerosLike", sluice_grad_input (g, 0)));
                return TRUE)
UNARY_GRADIENT (abs, return set_product (g, MAKE ("Sign", sluice_grad_input (g, 0))))
UNARY_GRADIENT (square, return set_product (g, gradient_scaled (g, conj_x, 2)))
UNARY_GRADIENT (sqrt, return set_by_value (g, "SqrtGrad"))
UNARY_GRADIENT (rsqrt, return set_by_value (g, "RsqrtGrad"))
UNARY_GRADIENT (reciprocal, return set_by_value (g, "ReciprocalGrad"))
UNARY_GRADIENT (tanh, return set_by_conj_value (g, "TanhGrad"))
UNARY_GRADIENT (sigmoid, return set_by_conj_value (g, "SigmoidGrad"))
UNARY_GRADIENT (exp, return set_product (g, gradient_conj (g, sluice_grad_output (g, 0))))
UNARY_GRADIENT (expm1, return set_product (g, MAKE ("Exp", conj_x)))
UNARY_GRADIENT (log, return set_product (g, MAKE ("Reciprocal", conj_x)))
UNARY_GRADIENT (sin, return set_product (g, MAKE ("Cos", conj_x)))
UNARY_GRADIENT (cos, return set_product (g, MAKE ("Neg", MAKE ("Sin", conj_x))))

static gboolean
unary_gradient_log1p (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = conj_x;
  return set_product (g, MAKE ("Reciprocal", MAKE ("AddV2", gradient_number (g, x, 1), x)));
}

static SluiceEdge
bell (SluiceGradContext *g, double factor)
{
  SluiceEdge curve = MAKE ("Exp", MAKE ("Neg", MAKE ("Square", sluice_grad_input (g, 0))));
  return gradient_scaled (g, curve, factor);
}

UNARY_GRADIENT (erf, return set_product (g, bell (g, M_2_SQRTPI)))
UNARY_GRADIENT (erfc, return set_product (g, bell (g, -M_2_SQRTPI)))

/* dx = dy · 1 / derivative */
static gboolean
set_quotient (SluiceGradContext *g, SluiceEdge inverse)
{
  return set_product (g, MAKE ("Reciprocal", inverse));
}

/* 1 - x² or 1 + x², by the operation. */
static SluiceEdge
one_and_square (SluiceGradContext *g, const char *op)
{
  SluiceEdge x = conj_x;
  return MAKE (op, gradient_number (g, x, 1), MAKE ("Square", x));
}

UNARY_GRADIENT (tan,
                return set_product (g, MAKE ("Square", MAKE ("Reciprocal", MAKE ("Cos", conj_x)))))
UNARY_GRADIENT (asin, return set_quotient (g, MAKE ("Sqrt", one_and_square (g, "Sub"))))
UNARY_GRADIENT (acos,
                return set_quotient (g, MAKE ("Neg", MAKE ("Sqrt", one_and_square (g, "Sub")))))
UNARY_GRADIENT (atan, return set_quotient (g, one_and_square (g, "AddV2")))
UNARY_GRADIENT (atanh, return set_quotient (g, one_and_square (g, "Sub")))
UNARY_GRADIENT (sinh, return set_product (g, MAKE ("Cosh", conj_x)))
UNARY_GRADIENT (cosh, return set_product (g, MAKE ("Sinh", conj_x)))
UNARY_GRADIENT (lgamma, return set_product (g, MAKE ("Digamma", conj_x)))
UNARY_GRADIENT (digamma,
                return set_product (g, MAKE ("Polygamma", gradient_number (g, conj_x, 1), conj_x)))

/* Asinh and Acosh: dx = dy / op (y). */
static gboolean
divide_by_value (SluiceGradContext *g, const char *op)
{
  SluiceEdge y = gradient_conj (g, sluice_grad_output (g, 0));
  sluice_grad_set (g, 0, MAKE ("RealDiv", sluice_grad_dy (g, 0), MAKE (op, y)));
  return TRUE;
}

UNARY_GRADIENT (asinh, return divide_by_value (g, "Cosh"))
UNARY_GRADIENT (acosh, return divide_by_value (g, "Sinh"))

/* ---- gradients of the parts of complex numbers ---- */

static SluiceEdge
join (SluiceGradContext *g, SluiceEdge re, SluiceEdge im)
{
  gboolean wide = gradient_dtype (re) == SLUICE_DOUBLE;
  SluiceAttr type = sluice_attr_type ("Tout", wide ? SLUICE_COMPLEX128 : SLUICE_COMPLEX64);
  return sluice_op_with (&g->b, "Complex", SLUICE_ATTRS (type), re, im);
}

static SluiceEdge
part (SluiceGradContext *g, const char *op, SluiceEdge e)
{
  gboolean wide = gradient_dtype (e) == SLUICE_COMPLEX128;
  SluiceAttr type = sluice_attr_type ("Tout", wide ? SLUICE_DOUBLE : SLUICE_FLOAT);
  return sluice_op_with (&g->b, op, SLUICE_ATTRS (type), e);
}

static gboolean
unary_gradient_real (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0, join (g, dy, gradient_number (g, dy, 0)));
  return TRUE;
}

static gboolean
unary_gradient_imag (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0, join (g, gradient_number (g, dy, 0), dy));
  return TRUE;
}

/* -dy / (im x + i re x) */
static gboolean
unary_gradient_angle (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0), dy = sluice_grad_dy (g, 0);
  SluiceEdge turned = join (g, part (g, "Imag", x), part (g, "Real", x));
  SluiceEdge complex_dy = join (g, dy, gradient_number (g, dy, 0));
  sluice_grad_set (g, 0, MAKE ("Mul", MAKE ("Neg", complex_dy), MAKE ("Reciprocal", turned)));
  return TRUE;
}

/* dy · x / |x|, 0 at 0 */
static gboolean
unary_gradient_complex_abs (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0), y = sluice_grad_output (g, 0);
  SluiceEdge zero = gradient_number (g, dy, 0);
  SluiceEdge scaled = MAKE ("Mul", join (g, dy, zero), sluice_grad_input (g, 0));
  sluice_grad_set (g, 0, MAKE ("DivNoNan", scaled, join (g, y, zero)));
  return TRUE;
}

/* ---- second gradients: a is y above, b is dy above ---- */

static gboolean
unary_gradient_tanh_grad (SluiceGradContext *g, GError **error)
{
  SluiceEdge dz = sluice_grad_dy (g, 0), a = gradient_conj (g, sluice_grad_input (g, 0));
  SluiceEdge b = gradient_conj (g, sluice_grad_input (g, 1));
  sluice_grad_set (g, 0, MAKE ("Mul", MAKE ("Mul", gradient_scaled (g, dz, -2), b), a));
  sluice_grad_set (g, 1, MAKE ("TanhGrad", a, dz));
  return TRUE;
}

static gboolean
unary_gradient_sigmoid_grad (SluiceGradContext *g, GError **error)
{
  SluiceEdge dz = sluice_grad_dy (g, 0), a = gradient_conj (g, sluice_grad_input (g, 0));
  SluiceEdge gb = MAKE ("Mul", dz, gradient_conj (g, sluice_grad_input (g, 1)));
  sluice_grad_set (g, 0, MAKE ("Sub", gb, MAKE ("Mul", gradient_scaled (g, gb, 2), a)));
  sluice_grad_set (g, 1, MAKE ("SigmoidGrad", a, dz));
  return TRUE;
}

static gboolean
unary_gradient_sqrt_grad (SluiceGradContext *g, GError **error)
{
  SluiceEdge ga = MAKE ("RealDiv", sluice_grad_dy (g, 0), sluice_grad_input (g, 0));
  SluiceEdge z = sluice_grad_output (g, 0);
  sluice_grad_set (g, 0, MAKE ("Mul", MAKE ("Neg", gradient_conj (g, ga)), z));
  sluice_grad_set (g, 1, gradient_scaled (g, ga, 0.5));
  return TRUE;
}

static gboolean
unary_gradient_rsqrt_grad (SluiceGradContext *g, GError **error)
{
  SluiceEdge dz = sluice_grad_dy (g, 0), a = gradient_conj (g, sluice_grad_input (g, 0));
  SluiceEdge part =
      MAKE ("Mul", gradient_scaled (g, gradient_conj (g, dz), -1.5), sluice_grad_input (g, 1));
  sluice_grad_set (g, 0, MAKE ("Mul", part, MAKE ("Square", a)));
  sluice_grad_set (g, 1, MAKE ("RsqrtGrad", a, dz));
  return TRUE;
}

static gboolean
unary_gradient_reciprocal_grad (SluiceGradContext *g, GError **error)
{
  SluiceEdge dz = sluice_grad_dy (g, 0), a = gradient_conj (g, sluice_grad_input (g, 0));
  SluiceEdge part =
      MAKE ("Mul", gradient_scaled (g, gradient_conj (g, dz), -2), sluice_grad_input (g, 1));
  sluice_grad_set (g, 0, MAKE ("Mul", part, a));
  sluice_grad_set (g, 1, MAKE ("ReciprocalGrad", a, dz));
  return TRUE;
}

/* ---- definitions ---- */

#define UNARY_RECIPE(op, kinds, domain, rtol_)                                                     \
  static const SluiceSample samples_##op[] = {                                                     \
    { NULL, "float[] in " domain, rtol_, rtol_ },                                                  \
    { NULL, "float[17] in " domain, rtol_, rtol_ },                                                \
    { NULL, "float[3,1,5] in " domain, rtol_, rtol_ },                                             \
    { NULL, "float[0,3] in " domain, 0, 0 },                                                       \
    { NULL, "float[33000] in " domain, rtol_, rtol_, .no_gradient = TRUE },                        \
  };                                                                                               \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op),             \
                                            SET_##kinds };

#define UNARY_OP_AS(sig, op, fn, kinds, types, summary_, gradient_, domain, rtol, ns)              \
  UNARY_RECIPE (op, kinds, domain, rtol)                                                           \
  static const SluiceOpDef def_##op = { .name = #op,                                               \
                                        .signature = sig,                                          \
                                        .attrs = types,                                            \
                                        .summary = summary_,                                       \
                                        .shape = sluice_shape_unchanged,                           \
                                        .gradient = unary_gradient_##gradient_,                    \
                                        .recipe = &recipe_##op };
#define UNARY_OP(op, fn, kinds, types, summary, gradient, domain, rtol, ns)                        \
  UNARY_OP_AS ("x: T -> y: T", op, fn, kinds, types, summary, gradient, domain, rtol, ns)
#define PREDICATE_OP(op, fn, kinds, types, summary, gradient, domain, rtol, ns)                    \
  UNARY_OP_AS ("x: T -> y: bool", op, fn, kinds, types, summary, gradient, domain, rtol, ns)

#define GRADIENT_OP(op, fn, kinds, types, summary_, gradient_, domain, rtol_, ns)                  \
  static const SluiceSample samples_##op[] = {                                                     \
    { NULL, "float[] in " domain "; float[] in (-3,3)", rtol_, rtol_ },                            \
    { NULL, "float[17] in " domain "; float[17] in (-3,3)", rtol_, rtol_ },                        \
    { NULL, "float[0,3] in " domain "; float[0,3] in (-3,3)", 0, 0 },                              \
  };                                                                                               \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op),             \
                                            SET_##kinds };                                         \
  static const SluiceOpDef def_##op = { .name = #op,                                               \
                                        .signature = "y: T, dy: T -> z: T",                        \
                                        .attrs = types,                                            \
                                        .summary = summary_,                                       \
                                        .shape = sluice_shape_merge_all,                           \
                                        .gradient = unary_gradient_##gradient_,                    \
                                        .recipe = &recipe_##op };

#define PART_OP(op, fn, signature_, summary_, gradient_, ns)                                       \
  static const SluiceSample samples_##op[] = {                                                     \
    { NULL, "complex64[17]", 1e-6, 1e-6 },                                                         \
    { NULL, "complex64[3,1,5]", 1e-6, 1e-6 },                                                      \
    { NULL, "complex64[0,3]" },                                                                    \
    { "Tout=double", "complex128[17]", 1e-6, 1e-6 },                                               \
  };                                                                                               \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op) };           \
  static const SluiceOpDef def_##op = { .name = #op,                                               \
                                        .signature = signature_,                                   \
                                        .attrs = "T: {complex64, complex128} = complex64; "        \
                                                 "Tout: {float, double} = float",                  \
                                        .summary = summary_,                                       \
                                        .shape = sluice_shape_unchanged,                           \
                                        .gradient = unary_gradient_##gradient_,                    \
                                        .recipe = &recipe_##op };

#define CONJ_OP(op, fn, kinds, types, summary, gradient, domain, rtol, ns)                         \
  UNARY_OP_AS ("input: T -> output: T", op, fn, kinds, types, summary, gradient, domain, rtol, ns)

UNARY_TABLE (UNARY_OP, UNARY_OP)
CONJ_TABLE (CONJ_OP)
PART_TABLE (PART_OP)
PREDICATE_TABLE (PREDICATE_OP)
GRADIENT_TABLE (GRADIENT_OP, GRADIENT_OP)

static const SluiceSample samples_LogicalNot[] = { { NULL, "bool[17]" }, { NULL, "bool[0]" } };
static const SluiceRecipe recipe_LogicalNot = { samples_LogicalNot,
                                                G_N_ELEMENTS (samples_LogicalNot) };
static const SluiceOpDef def_LogicalNot = { .name = "LogicalNot",
                                            .signature = "x: bool -> y: bool",
                                            .summary = N_ ("Is it false?"),
                                            .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
                                            .shape = sluice_shape_unchanged,
                                            .recipe = &recipe_LogicalNot };

#define REFERENCE(op, ...) &def_##op,
static const SluiceOpDef *const ops[] = {
  /* clang-format off */
  UNARY_TABLE (REFERENCE, REFERENCE)
  CONJ_TABLE (REFERENCE)
  PREDICATE_TABLE (REFERENCE)
  PART_TABLE (REFERENCE)
  GRADIENT_TABLE (REFERENCE, REFERENCE)
  REFERENCE (LogicalNot)
  /* clang-format on */
};

const SluiceKernelModule sluice_module_math_unary = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
