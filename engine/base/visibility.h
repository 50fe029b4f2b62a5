/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * Symbols are hidden unless a header that is installed declares them between these two: what
 * plugins and the library's callers may use, and what nobody can interpose by accident.
 */
#define SLUICE_PUBLIC_BEGIN _Pragma ("GCC visibility push(default)")
#define SLUICE_PUBLIC_END   _Pragma ("GCC visibility pop")

/* An inline function of a header that code of a CUDA device calls too. */
#ifdef __CUDACC__
#define SLUICE_SHARED static __host__ __device__ inline
#else
#define SLUICE_SHARED static inline
#endif
