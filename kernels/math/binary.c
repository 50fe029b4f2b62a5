/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Element-wise functions of two operands whose shapes broadcast. The operations stand in tables.h.
 */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/math/elementwise.h"
#include "kernels/math/gradients.h"
#include "kernels/math/tables.h"

/* ---- gradients: dx and dy of z = f (x, y), reduced to the shapes of x and y ---- */

static gboolean
set_both (SluiceGradContext *g, SluiceEdge dx, SluiceEdge dy)
{
  sluice_grad_set (g, 0, sluice_grad_unbroadcast (g, dx, 0, 1));
  sluice_grad_set (g, 1, sluice_grad_unbroadcast (g, dy, 1, 0));
  return TRUE;
}

#define dz sluice_grad_dy (g, 0)
#define x  sluice_grad_input (g, 0)
#define y  sluice_grad_input (g, 1)
#define cx gradient_conj (g, x)
#define cy gradient_conj (g, y)

#define binary_gradient_undefined NULL

static gboolean
binary_gradient_none (SluiceGradContext *g, GError **error)
{
  return gradient_none (g, error);
}

static gboolean
binary_gradient_add (SluiceGradContext *g, GError **error)
{
  return set_both (g, dz, dz);
}

static gboolean
binary_gradient_sub (SluiceGradContext *g, GError **error)
{
  return set_both (g, dz, MAKE ("Neg", dz));
}

static gboolean
binary_gradient_mul (SluiceGradContext *g, GError **error)
{
  return set_both (g, MAKE ("Mul", dz, cy), MAKE ("Mul", cx, dz));
}

/* dx = dz / y, dy = dz · (-x / y / y), by the division `op`. */
static gboolean
quotient_gradient (SluiceGradContext *g, const char *op)
{
  SluiceEdge inner = MAKE (op, MAKE (op, MAKE ("Neg", cx), cy), cy);
  return set_both (g, MAKE (op, dz, cy), MAKE ("Mul", dz, inner));
}

static gboolean
binary_gradient_div (SluiceGradContext *g, GError **error)
{
  return quotient_gradient (g, "RealDiv");
}

static gboolean
binary_gradient_old_div (SluiceGradContext *g, GError **error)
{
  return quotient_gradient (g, "Div");
}

static gboolean
binary_gradient_div_no_nan (SluiceGradContext *g, GError **error)
{
  return quotient_gradient (g, "DivNoNan");
}

static gboolean
binary_gradient_mul_no_nan (SluiceGradContext *g, GError **error)
{
  return set_both (g, MAKE ("MulNoNan", dz, y), MAKE ("MulNoNan", x, dz));
}

static gboolean
binary_gradient_floor_mod (SluiceGradContext *g, GError **error)
{
  SluiceEdge quotient = MAKE ("FloorDiv", x, y);
  return set_both (g, dz, MAKE ("Mul", dz, MAKE ("Neg", quotient)));
}

static gboolean
binary_gradient_power (SluiceGradContext *g, GError **error)
{
  SluiceEdge one = gradient_number (g, y, 1), zero = gradient_number (g, x, 0);
  SluiceEdge lower = MAKE ("Pow", cx, MAKE ("Sub", cy, one));
  SluiceEdge dx = MAKE ("Mul", MAKE ("Mul", dz, cy), lower);
  /* No real logarithm below 0, and none at 0: there dy is 0. */
  gboolean is_complex = sluice_dtype_is_complex (gradient_dtype (x));
  SluiceEdge mask = MAKE (is_complex ? "NotEqual" : "Greater", cx, zero);
  SluiceEdge safe = MAKE ("Select", mask, cx, gradient_ones_like (g, x));
  SluiceEdge log_x = MAKE ("Select", mask, MAKE ("Log", safe), MAKE ("ZerosLike", x));
  SluiceEdge z = gradient_conj (g, sluice_grad_output (g, 0));
  return set_both (g, dx, MAKE ("Mul", MAKE ("Mul", dz, z), log_x));
}

/* The gradient goes to the operand that was chosen; x where they are equal. */
static gboolean
choice_gradient (SluiceGradContext *g, const char *compare)
{
  SluiceEdge zeros = MAKE ("ZerosLike", dz), mask = MAKE (compare, x, y);
  return set_both (g, MAKE ("SelectV2", mask, dz, zeros), MAKE ("SelectV2", mask, zeros, dz));
}

static gboolean
binary_gradient_maximum (SluiceGradContext *g, GError **error)
{
  return choice_gradient (g, "GreaterEqual");
}

static gboolean
binary_gradient_minimum (SluiceGradContext *g, GError **error)
{
  return choice_gradient (g, "LessEqual");
}

static gboolean
binary_gradient_squared_difference (SluiceGradContext *g, GError **error)
{
  SluiceEdge dx = MAKE ("Mul", gradient_scaled (g, dz, 2), MAKE ("Sub", x, y));
  return set_both (g, dx, MAKE ("Neg", dx));
}

/* 1 where x is not 0, as a number. */
static SluiceEdge
not_zero (SluiceGradContext *g)
{
  SluiceEdge mask = MAKE ("NotEqual", x, gradient_number (g, x, 0));
  SluiceAttr type = sluice_attr_type ("DstT", gradient_dtype (x));
  return sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (type), mask);
}

static gboolean
binary_gradient_xdivy (SluiceGradContext *g, GError **error)
{
  SluiceEdge by_x = MAKE ("Xdivy", not_zero (g), y);
  SluiceEdge by_y = MAKE ("Xdivy", MAKE ("Neg", x), MAKE ("Square", y));
  return set_both (g, MAKE ("Mul", by_x, dz), MAKE ("Mul", by_y, dz));
}

static gboolean
binary_gradient_xlogy (SluiceGradContext *g, GError **error)
{
  SluiceEdge by_x = MAKE ("Xlogy", not_zero (g), y), by_y = MAKE ("Xdivy", x, y);
  return set_both (g, MAKE ("Mul", by_x, dz), MAKE ("Mul", by_y, dz));
}

static gboolean
binary_gradient_xlog1py (SluiceGradContext *g, GError **error)
{
  SluiceEdge one = gradient_number (g, y, 1);
  SluiceEdge by_x = MAKE ("Xlog1py", not_zero (g), y);
  SluiceEdge by_y = MAKE ("Xdivy", x, MAKE ("AddV2", y, one));
  return set_both (g, MAKE ("Mul", by_x, dz), MAKE ("Mul", by_y, dz));
}

/* x stands for the ordinate here: the first operand. */
static gboolean
binary_gradient_atan2 (SluiceGradContext *g, GError **error)
{
  SluiceEdge squares = MAKE ("AddV2", MAKE ("Square", x), MAKE ("Square", y));
  SluiceEdge share = MAKE ("RealDiv", dz, squares);
  return set_both (g, MAKE ("Mul", y, share), MAKE ("Mul", MAKE ("Neg", x), share));
}

static gboolean
binary_gradient_next_after (SluiceGradContext *g, GError **error)
{
  return set_both (g, dz, MAKE ("ZerosLike", dz));
}

/* By a: IgammaGradA; by x: the density, whose large factors meet as logarithms. */
static gboolean
incomplete_gamma_gradient (SluiceGradContext *g, gboolean upper)
{
  SluiceEdge power = MAKE ("Mul", MAKE ("Sub", x, gradient_number (g, x, 1)), MAKE ("Log", y));
  SluiceEdge exponent = MAKE ("Sub", MAKE ("Sub", power, y), MAKE ("Lgamma", x));
  SluiceEdge by_a = MAKE ("IgammaGradA", x, y), by_x = MAKE ("Exp", exponent);
  SluiceEdge above = upper ? MAKE ("Neg", dz) : dz;
  return set_both (g, MAKE ("Mul", by_a, above), MAKE ("Mul", by_x, above));
}

static gboolean
binary_gradient_igamma (SluiceGradContext *g, GError **error)
{
  return incomplete_gamma_gradient (g, FALSE);
}

static gboolean
binary_gradient_igammac (SluiceGradContext *g, GError **error)
{
  return incomplete_gamma_gradient (g, TRUE);
}

/* As TensorFlow: none by the order. */
static gboolean
binary_gradient_zeta (SluiceGradContext *g, GError **error)
{
  SluiceEdge next = MAKE ("Zeta", MAKE ("AddV2", x, gradient_number (g, x, 1)), y);
  SluiceEdge dy = MAKE ("Mul", MAKE ("Mul", MAKE ("Neg", x), next), dz);
  sluice_grad_set (g, 1, sluice_grad_unbroadcast (g, dy, 1, 0));
  return TRUE;
}

static gboolean
binary_gradient_polygamma (SluiceGradContext *g, GError **error)
{
  SluiceEdge next = MAKE ("Polygamma", MAKE ("AddV2", x, gradient_number (g, x, 1)), y);
  sluice_grad_set (g, 1, sluice_grad_unbroadcast (g, MAKE ("Mul", next, dz), 1, 0));
  return TRUE;
}

static gboolean
binary_gradient_complex (SluiceGradContext *g, GError **error)
{
  SluiceAttr type = sluice_attr_type ("Tout", gradient_dtype (x));
  return set_both (g, sluice_op_with (&g->b, "Real", SLUICE_ATTRS (type), dz),
                   sluice_op_with (&g->b, "Imag", SLUICE_ATTRS (type), dz));
}

#undef dz
#undef x
#undef y
#undef cx
#undef cy

/*
 * Without incompatible_shape_error any two shapes compare, and shapes that do not fit give a
 * scalar. What of them is known is read from the outermost dimension inwards, as TensorFlow does:
 * a size that may or may not fit leaves all unknown, two unknown sizes are taken to fit.
 */
static SluiceShape
tolerant_shape (const SluiceShape *a, const SluiceShape *b)
{
  if (a->rank < 0 || b->rank < 0)
    return SLUICE_SHAPE_UNKNOWN;
  SluiceShape out = sluice_shape_of_rank (MAX (a->rank, b->rank));
  for (int i = 0; i < out.rank; i++)
    {
      int ia = i - (out.rank - a->rank), ib = i - (out.rank - b->rank);
      gint64 own = ia < 0 ? 1 : a->dim[ia], other = ib < 0 ? 1 : b->dim[ib];
      if (own != other && own != 1 && other != 1)
        return own < 0 || other < 0 ? SLUICE_SHAPE_UNKNOWN : SLUICE_SHAPE_SCALAR;
      out.dim[i] = own == 1 ? other : own;
    }
  return out;
}

static gboolean
equal_shape (SluiceShapeContext *c, GError **error)
{
  if (sluice_node_get_bool (c->node, "incompatible_shape_error"))
    return sluice_shape_broadcast_2 (c, error);
  SluiceShape out = tolerant_shape (&c->inputs[0], &c->inputs[1]);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

/* ---- definitions ---- */

#define BINARY_RECIPE(op, set, domain, rtol_)                                                      \
  static const SluiceSample samples_##op[] = {                                                     \
    { NULL, "float[] in " domain "; float[] in " domain, rtol_, rtol_ },                           \
    { NULL, "float[17] in " domain "; float[17] in " domain, rtol_, rtol_ },                       \
    { NULL, "float[5,3] in " domain "; float[3] in " domain, rtol_, rtol_ },                       \
    { NULL, "float[5,1] in " domain "; float[5,3] in " domain, rtol_, rtol_ },                     \
    { NULL, "float[] in " domain "; float[2,3] in " domain, rtol_, rtol_ },                        \
    { NULL, "float[2,1,3,1] in " domain "; float[4,1,5] in " domain, rtol_, rtol_ },               \
    { NULL, "float[0,3] in " domain "; float[1,3] in " domain, 0, 0 },                             \
    { NULL, "float[40,1000] in " domain "; float[40,1] in " domain, rtol_, rtol_,                  \
      .no_gradient = TRUE },                                                                       \
  };                                                                                               \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op), set };

#define BINARY_OP(op, fn, kinds, types, summary_, gradient_, domain, rtol, ns, check, flags_)      \
  BINARY_RECIPE (op, SET_##kinds, domain, rtol)                                                    \
  static const SluiceOpDef def_##op = { .name = #op,                                               \
                                        .signature = "x: T, y: T -> z: T",                         \
                                        .attrs = types,                                            \
                                        .summary = summary_,                                       \
                                        .flags = flags_,                                           \
                                        .shape = sluice_shape_broadcast_2,                         \
                                        .gradient = binary_gradient_##gradient_,                   \
                                        .recipe = &recipe_##op };

#define NAMED_BINARY_OP(signature_, op, fn, kinds, types, summary_, gradient_, X, Y, rtol_, ns)    \
  static const SluiceSample samples_##op[] = {                                                     \
    { NULL, "float[]" X "; float[]" Y, rtol_, rtol_ },                                             \
    { NULL, "float[17]" X "; float[17]" Y, rtol_, rtol_ },                                         \
    { NULL, "float[5,3]" X "; float[3]" Y, rtol_, rtol_ },                                         \
    { NULL, "float[5,1]" X "; float[5,3]" Y, rtol_, rtol_ },                                       \
    { NULL, "float[0,3]; float[1,3]" },                                                            \
    { NULL, "float[40,1000]" X "; float[40,1]" Y, rtol_, rtol_, .no_gradient = TRUE },             \
  };                                                                                               \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op),             \
                                            SET_##kinds };                                         \
  static const SluiceOpDef def_##op = { .name = #op,                                               \
                                        .signature = signature_,                                   \
                                        .attrs = types,                                            \
                                        .summary = summary_,                                       \
                                        .shape = sluice_shape_broadcast_2,                         \
                                        .gradient = binary_gradient_##gradient_,                   \
                                        .recipe = &recipe_##op };

#define COMPARE_OP(op, fn, kinds, types, summary_, ...)                                            \
  BINARY_RECIPE (op, SET_##kinds, "(-3,3)", 0)                                                     \
  static const SluiceOpDef def_##op = { .name = #op,                                               \
                                        .signature = "x: T, y: T -> z: bool",                      \
                                        .attrs = types,                                            \
                                        .summary = summary_,                                       \
                                        .flags = SLUICE_OP_NOT_DIFFERENTIABLE,                     \
                                        .shape = sluice_shape_broadcast_2,                         \
                                        .recipe = &recipe_##op };

#define EQUAL_OP(op, fn, kinds, summary_)                                                          \
  static const SluiceSample samples_##op[] = {                                                     \
    { NULL, "float[17]; float[17]" },                                                              \
    { NULL, "float[4]={0,1,0,2}; float[2,1]={0,1}" },                                              \
    { NULL, "float[0,3]; float[1,3]" },                                                            \
    { "incompatible_shape_error=false", "float[3]; float[2]" },                                    \
  };                                                                                               \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op),             \
                                            SET_##kinds };                                         \
  static const SluiceOpDef def_##op = { .name = #op,                                               \
                                        .signature = "x: T, y: T -> z: bool",                      \
                                        .attrs = "T: type; incompatible_shape_error: bool = true", \
                                        .summary = summary_,                                       \
                                        .flags =                                                   \
                                            SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_COMMUTATIVE,  \
                                        .shape = equal_shape,                                      \
                                        .recipe = &recipe_##op };

#define LOGICAL_OP(op, fn, summary_)                                                               \
  static const SluiceSample samples_##op[] = {                                                     \
    { NULL, "bool[17]; bool[17]" },                                                                \
    { NULL, "bool[3,1]; bool[4]" },                                                                \
    { NULL, "bool[0]; bool[]" },                                                                   \
  };                                                                                               \
  static const SluiceRecipe recipe_##op = { samples_##op, G_N_ELEMENTS (samples_##op) };           \
  static const SluiceOpDef def_##op = { .name = #op,                                               \
                                        .signature = "x: bool, y: bool -> z: bool",                \
                                        .summary = summary_,                                       \
                                        .flags =                                                   \
                                            SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_COMMUTATIVE,  \
                                        .shape = sluice_shape_broadcast_2,                         \
                                        .recipe = &recipe_##op };

BINARY_TABLE (BINARY_OP, BINARY_OP)
NAMED_BINARY_TABLE (NAMED_BINARY_OP)
COMPARE_TABLE (COMPARE_OP)
EQUAL_TABLE (EQUAL_OP)
LOGICAL_TABLE (LOGICAL_OP)
BINARY_OP (Div,
           div,
           RIC,
           T_NUMBER,
           N_ ("Quotient; of integers, rounded towards 0"),
           old_div,
           "(1,9)",
           1e-6,
           0.5,
           divisor,
           0)

static const SluiceSample samples_Complex[] = {
  { NULL, "float[5,3]; float[3]", .no_gradient = TRUE },
  { NULL, "float[]; float[]", .no_gradient = TRUE },
  { NULL, "float[0,3]; float[1,3]", .no_gradient = TRUE },
  { "Tout=complex128", "double[5,1]; double[1,4]", .no_gradient = TRUE },
};
static const SluiceRecipe recipe_Complex = { samples_Complex, G_N_ELEMENTS (samples_Complex) };
static const SluiceOpDef def_Complex = { .name = "Complex",
                                         .signature = "real: T, imag: T -> out: Tout",
                                         .attrs = "T: {float, double} = float; "
                                                  "Tout: {complex64, complex128} = complex64",
                                         .summary = N_ ("Complex numbers of their parts"),
                                         .shape = sluice_shape_broadcast_2,
                                         .gradient = binary_gradient_complex,
                                         .recipe = &recipe_Complex };

#define REFERENCE(op, ...)                  &def_##op,
#define REFERENCE_NAMED(signature, op, ...) &def_##op,
static const SluiceOpDef *const ops[] = {
  /* clang-format off */
  BINARY_TABLE (REFERENCE, REFERENCE)
  NAMED_BINARY_TABLE (REFERENCE_NAMED)
  COMPARE_TABLE (REFERENCE)
  EQUAL_TABLE (REFERENCE)
  LOGICAL_TABLE (REFERENCE)
  REFERENCE (Div)
  REFERENCE (Complex)
  /* clang-format on */
};

const SluiceKernelModule sluice_module_math_binary = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
