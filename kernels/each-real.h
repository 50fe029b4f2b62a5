/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* clang-format off */
/*
 * Includes TEMPLATE, a header of loops, once for each real type, or for those of 32 and 64 bits with
 * a sign where ONLY_32_AND_64 is defined. A template and no macro: a debugger steps into its lines.
 * It is given:
 *   T         the type
 *   S         in which sums are; unsigned of integers, because overflow wraps
 *   LOWEST    the type's lowest finite number
 *   NAME (x)  x with the type's suffix: x_f32, x_f64, x_i8 … x_u64
 */
/* clang-format on */
#include <float.h>
#include <glib.h>

#define T       float
#define S       float
#define LOWEST  -FLT_MAX
#define NAME(x) x##_f32
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME

#define T       double
#define S       double
#define LOWEST  -DBL_MAX
#define NAME(x) x##_f64
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME

#define T       gint32
#define S       guint32
#define LOWEST  G_MININT32
#define NAME(x) x##_i32
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME

#define T       gint64
#define S       guint64
#define LOWEST  G_MININT64
#define NAME(x) x##_i64
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME

#ifndef ONLY_32_AND_64
#define T       gint8
#define S       guint8
#define LOWEST  G_MININT8
#define NAME(x) x##_i8
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME

#define T       gint16
#define S       guint16
#define LOWEST  G_MININT16
#define NAME(x) x##_i16
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME

#define T       guint8
#define S       guint8
#define LOWEST  0
#define NAME(x) x##_u8
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME

#define T       guint16
#define S       guint16
#define LOWEST  0
#define NAME(x) x##_u16
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME

#define T       guint32
#define S       guint32
#define LOWEST  0
#define NAME(x) x##_u32
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME

#define T       guint64
#define S       guint64
#define LOWEST  0
#define NAME(x) x##_u64
#include TEMPLATE
#undef T
#undef S
#undef LOWEST
#undef NAME
#endif

#undef ONLY_32_AND_64
#undef TEMPLATE
