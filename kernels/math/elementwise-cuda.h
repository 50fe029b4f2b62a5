/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * How the formulas of scalar.h and the lines of tables.h become kernels of CUDA devices: for every
 * formula and type a functor, and for an op a list of launches by dtype. Complex numbers and what
 * special.c computes stand on the CPU.
 */
#include "kernels/cuda/launch.h"

extern "C"
{
#include "kernels/math/scalar-libm.h"
#include "kernels/math/broadcast.h"
#include "kernels/math/tables.h"
}

/* EACH_<kinds> (L, fn): L (fn, suffix, type) for each type that has a formula of its own. */
#define EACH_R(L, fn) L (fn, f32, float) L (fn, f64, double)
#define EACH_S(L, fn) EACH_R (L, fn) L (fn, bf16, float)
#define EACH_H(L, fn) EACH_S (L, fn) L (fn, f16, float)
#define EACH_B(L, fn) L (fn, b8, guint8)
#define EACH_I(L, fn)                                                                              \
  L (fn, i8, gint8)                                                                                \
  L (fn, i16, gint16)                                                                              \
  L (fn, i32, gint32)                                                                              \
  L (fn, i64, gint64)                                                                              \
  L (fn, u8, guint8)                                                                               \
  L (fn, u16, guint16)                                                                             \
  L (fn, u32, guint32)                                                                             \
  L (fn, u64, guint64)
#define EACH_D           EACH_R
#define EACH_L           EACH_R
#define EACH_LC          EACH_R
#define EACH_RC          EACH_R
#define EACH_SC          EACH_S
#define EACH_RI(L, fn)   EACH_R (L, fn) EACH_I (L, fn)
#define EACH_HI(L, fn)   EACH_H (L, fn) EACH_I (L, fn)
#define EACH_SIC(L, fn)  EACH_S (L, fn) EACH_I (L, fn)
#define EACH_RIC         EACH_RI
#define EACH_RICB(L, fn) EACH_RI (L, fn) EACH_B (L, fn)

/* ENTRIES_<kinds> (E, fn): E (dtype, type in memory, functor) for each dtype. */
#define ENTRIES_D(E, fn) E (SLUICE_FLOAT, float, fn##_f32) E (SLUICE_DOUBLE, double, fn##_f64)
#define ENTRIES_R(E, fn)                                                                           \
  ENTRIES_D (E, fn)                                                                                \
  E (SLUICE_HALF, SluiceHalf, fn##_f32)                                                            \
  E (SLUICE_BFLOAT16, SluiceBfloat, fn##_f32)
#define ENTRIES_S(E, fn)                                                                           \
  ENTRIES_D (E, fn)                                                                                \
  E (SLUICE_HALF, SluiceHalf, fn##_f32)                                                            \
  E (SLUICE_BFLOAT16, SluiceBfloat, fn##_bf16)
#define ENTRIES_H(E, fn)                                                                           \
  ENTRIES_D (E, fn)                                                                                \
  E (SLUICE_HALF, SluiceHalf, fn##_f16)                                                            \
  E (SLUICE_BFLOAT16, SluiceBfloat, fn##_bf16)
#define ENTRIES_B(E, fn) E (SLUICE_BOOL, guint8, fn##_b8)
#define ENTRIES_I(E, fn)                                                                           \
  E (SLUICE_INT8, gint8, fn##_i8)                                                                  \
  E (SLUICE_INT16, gint16, fn##_i16)                                                               \
  E (SLUICE_INT32, gint32, fn##_i32)                                                               \
  E (SLUICE_INT64, gint64, fn##_i64)                                                               \
  E (SLUICE_UINT8, guint8, fn##_u8)                                                                \
  E (SLUICE_UINT16, guint16, fn##_u16)                                                             \
  E (SLUICE_UINT32, guint32, fn##_u32)                                                             \
  E (SLUICE_UINT64, guint64, fn##_u64)
#define ENTRIES_L           ENTRIES_R
#define ENTRIES_LC          ENTRIES_R
#define ENTRIES_RC          ENTRIES_R
#define ENTRIES_SC          ENTRIES_S
#define ENTRIES_RI(E, fn)   ENTRIES_R (E, fn) ENTRIES_I (E, fn)
#define ENTRIES_HI(E, fn)   ENTRIES_H (E, fn) ENTRIES_I (E, fn)
#define ENTRIES_SIC(E, fn)  ENTRIES_S (E, fn) ENTRIES_I (E, fn)
#define ENTRIES_RIC         ENTRIES_RI
#define ENTRIES_RICB(E, fn) ENTRIES_RI (E, fn) ENTRIES_B (E, fn)

#define CUDA_SET_D    (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))
#define CUDA_SET_R    SLUICE_SET_FLOATS
#define CUDA_SET_B    SLUICE_SET (SLUICE_BOOL)
#define CUDA_SET_I    SLUICE_SET_INTS
#define CUDA_SET_L    CUDA_SET_R
#define CUDA_SET_LC   CUDA_SET_R
#define CUDA_SET_RC   CUDA_SET_R
#define CUDA_SET_SC   CUDA_SET_R
#define CUDA_SET_RI   SLUICE_SET_REAL
#define CUDA_SET_HI   SLUICE_SET_REAL
#define CUDA_SET_SIC  SLUICE_SET_REAL
#define CUDA_SET_RIC  SLUICE_SET_REAL
#define CUDA_SET_RICB (SLUICE_SET_REAL | CUDA_SET_B)

/* UNLESS_SPECIAL (fn) (text): nothing for what special.c computes. */
#define SLUICE_THIRD(a, b, c, ...) c
#define SLUICE_CHOOSE(...)         SLUICE_THIRD (__VA_ARGS__)
#define SLUICE_DROP(...)
#define SLUICE_KEEP(...)      __VA_ARGS__
#define SPECIAL_lgamma        ~, ~
#define SPECIAL_digamma       ~, ~
#define SPECIAL_igamma        ~, ~
#define SPECIAL_igammac       ~, ~
#define SPECIAL_igamma_grad_a ~, ~
#define SPECIAL_zeta          ~, ~
#define SPECIAL_polygamma     ~, ~
#define UNLESS_SPECIAL(fn)    SLUICE_CHOOSE (SPECIAL_##fn, SLUICE_DROP, SLUICE_KEEP, ~)

#define SLUICE_NOTHING(...)
