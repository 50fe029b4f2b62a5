/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * C11 atomics as C++ and nvcc read them in the engine's headers: plain fields of the same layout,
 * accessed through the compiler's builtins. Before C++23 there is no header for both languages.
 */
#define _Atomic
typedef int atomic_int;
typedef unsigned atomic_uint;
enum
{
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
};
#define atomic_load_explicit(object, order)             __atomic_load_n (object, order)
#define atomic_store_explicit(object, value, order)     __atomic_store_n (object, value, order)
#define atomic_fetch_add_explicit(object, value, order) __atomic_fetch_add (object, value, order)
#define atomic_fetch_sub_explicit(object, value, order) __atomic_fetch_sub (object, value, order)
