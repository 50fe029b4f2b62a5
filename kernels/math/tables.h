/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * The element-wise operations, one line each. unary.c and binary.c make the definitions of them,
 * unary-cpu.c and binary-cpu.c the kernels; the formula scalar_<fn>_<type> stands in scalar.h. Rows
 * in Y share formula and loops with a row in X above them.
 *
 * Columns: name, fn, kinds of numbers that the formula exists for (R real and halves, L the same in
 * plain code that calls a library, S the same with a bfloat16 that rounds after each step, H with
 * both halves that do, D float and double in plain code, I integers, C complex, B truth values),
 * dtypes of attribute T as TensorFlow has them, what it is, gradient (unary_gradient_<…>; none: it
 * has none and a path through it is no error; undefined: such a path is an error), domain of sample
 * inputs, tolerance of f32 against the reference kernel, about how many ns an element takes.
 */

/* clang-format off */

#define T_FLOATS   "T: {bfloat16, half, float, double}"
#define T_DOUBLES  "T: {float, double}"
#define T_FLOATS_C "T: {bfloat16, half, float, double, complex64, complex128}"
#define T_INTS     "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}"
#define T_SIGNED   "T: {bfloat16, half, float, double, int8, int16, int32, int64}"
#define T_SIGNED_C "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"
#define T_REAL     "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64}"
#define T_NUMBER   "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}"

/* y = f (x), of one dtype. */
#define UNARY_TABLE(X, Y)                                                                                         \
  X (Neg,        neg,        RIC, T_SIGNED_C, N_ ("Negative"),                     neg,        "(-3,3)",    0,    0.1) \
  X (Square,     square,     RIC, T_NUMBER,   N_ ("Square"),                       square,     "(-3,3)",    1e-6, 0.1) \
  X (Abs,        abs,        RI,  T_SIGNED,   N_ ("Absolute value"),               abs,        "(-3,3)",    0,    0.1) \
  X (Sign,       sign,       RIC, T_SIGNED_C, N_ ("-1, 0 or 1 by the sign"),       zeros,      "(-3,3)",    1e-6, 0.2) \
  X (Sqrt,       sqrt,       RC,  T_FLOATS_C, N_ ("Square root"),                  sqrt,       "(0.1,4)",   1e-6, 0.5) \
  X (Rsqrt,      rsqrt,      RC,  T_FLOATS_C, N_ ("1 over the square root"),       rsqrt,      "(0.1,4)",   1e-6, 0.7) \
  X (Reciprocal, reciprocal, RC,  T_SIGNED_C, N_ ("1 / x"),                        reciprocal, "(0.3,3)",   1e-6, 0.5) \
  Y (Inv,        reciprocal, RC,  T_SIGNED_C, N_ ("1 / x (old name)"),             reciprocal, "(0.3,3)",   1e-6, 0.5) \
  X (Exp,        exp,        RC,  T_FLOATS_C, N_ ("Exponential"),                  exp,        "(-3,3)",    4e-6, 0.6) \
  X (Expm1,      expm1,      RC,  T_FLOATS_C, N_ ("exp x - 1, exact near 0"),      expm1,      "(-3,3)",    4e-6, 0.8) \
  X (Log,        log,        RC,  T_FLOATS_C, N_ ("Natural logarithm"),            log,        "(0.1,4)",   4e-6, 0.8) \
  X (Log1p,      log1p,      RC,  T_FLOATS_C, N_ ("log (1 + x), exact near 0"),    log1p,      "(0.1,4)",   4e-6, 1.0) \
  X (Tanh,       tanh,       RC,  T_FLOATS_C, N_ ("Hyperbolic tangent"),           tanh,       "(-3,3)",    4e-6, 0.7) \
  X (Sigmoid,    sigmoid,    RC,  T_FLOATS_C, N_ ("1 / (1 + exp -x)"),             sigmoid,    "(-3,3)",    4e-6, 0.8) \
  X (Sin,        sin,        RC,  T_FLOATS_C, N_ ("Sine"),                         sin,        "(-3,3)",    4e-6, 8)   \
  X (Cos,        cos,        RC,  T_FLOATS_C, N_ ("Cosine"),                       cos,        "(-3,3)",    4e-6, 8)   \
  X (Tan,        tan,        LC,  T_FLOATS_C, N_ ("Tangent"),                      tan,        "(-1,1)",    4e-6, 10)  \
  X (Asin,       asin,       LC,  T_FLOATS_C, N_ ("Inverse sine"),                 asin,       "(-0.9,0.9)", 4e-6, 10) \
  X (Acos,       acos,       LC,  T_FLOATS_C, N_ ("Inverse cosine"),               acos,       "(-0.9,0.9)", 4e-6, 10) \
  X (Atan,       atan,       LC,  T_FLOATS_C, N_ ("Inverse tangent"),              atan,       "(-3,3)",    4e-6, 10)  \
  X (Sinh,       sinh,       LC,  T_FLOATS_C, N_ ("Hyperbolic sine"),              sinh,       "(-3,3)",    4e-6, 10)  \
  X (Cosh,       cosh,       LC,  T_FLOATS_C, N_ ("Hyperbolic cosine"),            cosh,       "(-3,3)",    4e-6, 10)  \
  X (Asinh,      asinh,      LC,  T_FLOATS_C, N_ ("Inverse hyperbolic sine"),      asinh,      "(-3,3)",    4e-6, 15)  \
  X (Acosh,      acosh,      LC,  T_FLOATS_C, N_ ("Inverse hyperbolic cosine"),    acosh,      "(1.1,5)",   4e-6, 15)  \
  X (Atanh,      atanh,      LC,  T_FLOATS_C, N_ ("Inverse hyperbolic tangent"),   atanh,      "(-0.9,0.9)", 4e-6, 15) \
  X (Erf,        erf,        R,   T_FLOATS,   N_ ("Error function"),               erf,        "(-3,3)",    4e-6, 10)  \
  X (Erfc,       erfc,       L,   T_FLOATS,   N_ ("1 - erf x, exact where that is small"), erfc, "(-3,3)",  4e-6, 15)  \
  X (Lgamma,     lgamma,     L,   T_FLOATS,   N_ ("Logarithm of |gamma x|"),       lgamma,     "(0.2,4)",   4e-6, 25)  \
  X (Digamma,    digamma,    L,   T_FLOATS,   N_ ("Derivative of Lgamma"),         digamma,    "(0.2,4)",   4e-6, 25)  \
  X (Invert,     invert,     I,   T_INTS,     N_ ("All bits turned"),              none,       "(-9,9)",    0,    0.2) \
  X (Floor,      floor,      R,   T_FLOATS,   N_ ("Rounds down"),                  none,       "(-9,9)",    0,    0.2) \
  X (Ceil,       ceil,       R,   T_FLOATS,   N_ ("Rounds up"),                    none,       "(-9,9)",    0,    0.2) \
  X (Round,      round,      RIC, T_SIGNED_C, N_ ("Rounds to nearest, halves to even"), none,  "(-9,9)",    0,    0.2) \
  Y (Rint,       round,      R,   T_FLOATS,   N_ ("Rounds to nearest, halves to even"), none,  "(-9,9)",    0,    0.2)

/* The same with arguments of other names. */
#define CONJ_TABLE(X)                                                                                             \
  X (Conj,       conj,       C,   "T: {complex64, complex128} = complex64", N_ ("Complex conjugate"), conj, "(-3,3)", 0, 0.5)

/* y = f (x) is a truth value. */
#define PREDICATE_TABLE(X)                                                                                        \
  X (IsNan,      is_nan,      R, T_FLOATS, N_ ("Is it not a number?"),      none, "(-3,3)", 0, 0.1)               \
  X (IsInf,      is_inf,      R, T_FLOATS, N_ ("Is it infinite?"),          none, "(-3,3)", 0, 0.1)               \
  X (IsFinite,   is_finite,   R, T_FLOATS, N_ ("Is it a finite number?"),   none, "(-3,3)", 0, 0.1)

/* z = f (y, dy), both of one shape: the gradient of a function whose value is y. */
#define GRADIENT_TABLE(X, Y)                                                                                      \
  X (TanhGrad,       tanh_grad,       SC, T_FLOATS_C, N_ ("Gradient of Tanh from its value"),       tanh_grad,       "(-0.9,0.9)", 4e-6, 0.2) \
  X (SigmoidGrad,    sigmoid_grad,    SC, T_FLOATS_C, N_ ("Gradient of Sigmoid from its value"),    sigmoid_grad,    "(-0.9,0.9)", 4e-6, 0.2) \
  X (SqrtGrad,       sqrt_grad,       RC, T_FLOATS_C, N_ ("Gradient of Sqrt from its value"),       sqrt_grad,       "(0.1,4)",    4e-6, 0.5) \
  X (RsqrtGrad,      rsqrt_grad,      RC, T_FLOATS_C, N_ ("Gradient of Rsqrt from its value"),      rsqrt_grad,      "(0.1,4)",    4e-6, 0.2) \
  X (ReciprocalGrad, reciprocal_grad, RC, T_FLOATS_C, N_ ("Gradient of Reciprocal from its value"), reciprocal_grad, "(0.3,3)",    4e-6, 0.2) \
  Y (InvGrad,        reciprocal_grad, RC, T_FLOATS_C, N_ ("Gradient of Inv from its value"),        reciprocal_grad, "(0.3,3)",    4e-6, 0.2)

/*
 * z = f (x, y), shapes broadcast. Two more columns: what is checked of y (none, divisor, truncated,
 * power; integers only), and flags of the definition.
 */
#define BINARY_TABLE(X, Y)                                                                                        \
  X (Add,         add,          RIC, "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}", \
     N_ ("Sum, shapes broadcast"), add, "(-3,3)", 1e-6, 0.2, none, 0)                                             \
  Y (AddV2,       add,          RIC, T_NUMBER, N_ ("Sum, shapes broadcast"), add, "(-3,3)", 1e-6, 0.2, none,      \
     SLUICE_OP_COMMUTATIVE | SLUICE_OP_AGGREGATE)                                                                 \
  X (Sub,         sub,          RIC, T_NUMBER, N_ ("Difference, shapes broadcast"), sub, "(-3,3)", 1e-6, 0.2, none, 0) \
  X (Mul,         mul,          RIC, T_NUMBER, N_ ("Product by elements, shapes broadcast"), mul, "(-3,3)", 1e-6, 0.2, none, \
     SLUICE_OP_COMMUTATIVE)                                                                                       \
  X (RealDiv,     div,          RC,  T_NUMBER, N_ ("Quotient of real numbers"), div, "(0.3,3)", 1e-6, 0.4, none, 0) \
  X (FloorDiv,    floor_div,    HI,  T_NUMBER, N_ ("Quotient rounded down"), none, "(1,9)", 0, 1, divisor, 0)     \
  X (TruncateDiv, truncate_div, HI,  T_NUMBER, N_ ("Quotient rounded towards 0"), none, "(1,9)", 0, 1, truncated, 0) \
  X (FloorMod,    floor_mod,    RI,  T_REAL,   N_ ("Rest of FloorDiv, with the sign of y"), floor_mod, "(1,9)", 4e-6, 8, divisor, 0) \
  X (Mod,         truncate_mod, RI,  "T: {int32, int64, half, bfloat16, float, double}", N_ ("Rest of TruncateDiv, with the sign of x"), undefined, "(1,9)", 4e-6, 8, divisor, 0) \
  Y (TruncateMod, truncate_mod, RI,  "T: {int32, int64, bfloat16, half, float, double}", N_ ("Rest of TruncateDiv, with the sign of x"), undefined, "(1,9)", 4e-6, 8, truncated, 0) \
  X (Pow,         power,        RIC, T_SIGNED_C, N_ ("x to the power y"), power, "(0.3,3)", 4e-6, 15, power, 0)   \
  X (Maximum,     maximum,      RI,  T_REAL,   N_ ("The larger of two"), maximum, "(-3,3)", 0, 0.2, none, 0)      \
  X (Minimum,     minimum,      RI,  T_REAL,   N_ ("The smaller of two"), minimum, "(-3,3)", 0, 0.2, none, 0)     \
  X (SquaredDifference, squared_difference, SIC, "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}", \
     N_ ("Square of the difference"), squared_difference, "(-3,3)", 4e-6, 0.2, none, SLUICE_OP_COMMUTATIVE)       \
  X (DivNoNan,    div_no_nan,   RC,  T_FLOATS_C, N_ ("Quotient, 0 where the divisor is 0"), div_no_nan, "(0.3,3)", 1e-6, 0.5, none, 0) \
  X (MulNoNan,    mul_no_nan,   RC,  T_FLOATS_C, N_ ("Product, 0 where y is 0, whatever x is"), mul_no_nan, "(0.3,3)", 1e-6, 0.3, none, 0) \
  X (Xdivy,       xdivy,        RC,  T_FLOATS_C, N_ ("x / y, 0 where x is 0"), xdivy, "(0.3,3)", 1e-6, 0.5, none, 0) \
  X (Xlogy,       xlogy,        RC,  T_FLOATS_C, N_ ("x log y, 0 where x is 0"), xlogy, "(0.3,3)", 4e-6, 1, none, 0)

/*
 * The same where the operands have names of their own: the signature comes first, then the columns
 * of UNARY_TABLE, with the domains of both operands.
 */
#define NAMED_BINARY_TABLE(X)                                                                                     \
  X ("y: T, x: T -> z: T", Atan2, atan2, L, T_FLOATS, N_ ("Angle of the point (x, y)"), atan2,                   \
     " in (-3,3)", " in (0.3,3)", 4e-6, 20)                                                                       \
  X ("x1: T, x2: T -> output: T", NextAfter, next_after, D, "T: {double, float} = float",                         \
     N_ ("The next number after x1 towards x2"), next_after, " in (-3,3)", " in (-3,3)", 0, 5)                    \
  X ("x: T, y: T -> z: T", Xlog1py, xlog1py, LC, T_FLOATS_C, N_ ("x log (1 + y), 0 where x is 0"), xlog1py,       \
     " in (0.3,3)", " in (0.3,3)", 4e-6, 10)                                                                      \
  X ("a: T, x: T -> z: T", Igamma, igamma, L, T_FLOATS, N_ ("Lower incomplete gamma function, regularised"),     \
     igamma, " in (0.3,4)", " in (0.3,4)", 4e-6, 300)                                                             \
  X ("a: T, x: T -> z: T", Igammac, igammac, L, T_FLOATS, N_ ("Upper incomplete gamma function, regularised"),   \
     igammac, " in (0.3,4)", " in (0.3,4)", 4e-6, 300)                                                            \
  X ("a: T, x: T -> z: T", IgammaGradA, igamma_grad_a, D, T_DOUBLES, N_ ("Derivative of Igamma by a"), undefined, \
     " in (0.3,4)", " in (0.3,4)", 4e-6, 500)                                                                     \
  X ("x: T, q: T -> z: T", Zeta, zeta, D, T_DOUBLES, N_ ("Hurwitz zeta function"), zeta,                          \
     " in (1.2,5)", " in (0.3,4)", 4e-6, 200)                                                                     \
  X ("a: T, x: T -> z: T", Polygamma, polygamma, D, T_DOUBLES, N_ ("Derivative a of Digamma"), polygamma,         \
     "=2", " in (0.3,4)", 4e-6, 200)                                                                              \
  X ("x: T, y: T -> z: T", LeftShift, left_shift, I, T_INTS, N_ ("Bits moved up by y places"), none,              \
     " in (-9,9)", " in (0,6)", 0, 0.5)                                                                           \
  X ("x: T, y: T -> z: T", RightShift, right_shift, I, T_INTS, N_ ("Bits moved down by y places"), none,          \
     " in (-9,9)", " in (0,6)", 0, 0.5)                                                                           \
  X ("x: T, y: T -> z: T", BitwiseAnd, bitwise_and, I, T_INTS, N_ ("Bits set in both"), none,                     \
     " in (-9,9)", " in (-9,9)", 0, 0.2)                                                                          \
  X ("x: T, y: T -> z: T", BitwiseOr, bitwise_or, I, T_INTS, N_ ("Bits set in one or both"), none,                \
     " in (-9,9)", " in (-9,9)", 0, 0.2)                                                                          \
  X ("x: T, y: T -> z: T", BitwiseXor, bitwise_xor, I, T_INTS, N_ ("Bits set in one only"), none,                 \
     " in (-9,9)", " in (-9,9)", 0, 0.2)

/* y = f (x), the parts of complex numbers: name, fn, arguments, what it is, gradient, ns. */
#define PART_TABLE(X)                                                                                             \
  X (Real,       real,  "input: T -> output: Tout", N_ ("Real part"), real, 0.5)                                  \
  X (Imag,       imag,  "input: T -> output: Tout", N_ ("Imaginary part"), imag, 0.5)                             \
  X (Angle,      angle, "input: T -> output: Tout", N_ ("Angle of the complex plane"), angle, 20)                 \
  X (ComplexAbs, modulus, "x: T -> y: Tout", N_ ("Modulus of a complex number"), complex_abs, 5)

/* z = f (x, y) is a truth value, shapes broadcast. */
#define COMPARE_TABLE(X)                                                                                          \
  X (Less,         less,          RI, T_REAL, N_ ("Is x < y?"), 0.2)                                              \
  X (LessEqual,    less_equal,    RI, T_REAL, N_ ("Is x <= y?"), 0.2)                                             \
  X (Greater,      greater,       RI, T_REAL, N_ ("Is x > y?"), 0.2)                                              \
  X (GreaterEqual, greater_equal, RI, T_REAL, N_ ("Is x >= y?"), 0.2)

/* The same of any dtype; with attribute incompatible_shape_error. */
#define EQUAL_TABLE(X)                                                                                            \
  X (Equal,    equal,     RICB, N_ ("Is x equal to y?"))                                                          \
  X (NotEqual, not_equal, RICB, N_ ("Is x different from y?"))

/* z = f (x, y) of truth values. */
#define LOGICAL_TABLE(X)                                                                                          \
  X (LogicalAnd, logical_and, N_ ("Are both true?"))                                                              \
  X (LogicalOr,  logical_or,  N_ ("Is one true?"))

/* clang-format on */
