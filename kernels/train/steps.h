/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/*
 * What optimizers do to element i, as text: loops of CPUs and kernels of CUDA devices are made of
 * it. Names are those of white papers: var, its slots accum, m, v, most; grad; the step's numbers.
 */
/* clang-format off */
#define SLUICE_DESCENT_STEP var[i] -= grad[i] * alpha;
#define SLUICE_MOMENTUM_STEP(T) \
  { \
    T a = accum[i] * momentum + grad[i]; \
    accum[i] = a; \
    var[i] -= a * lr; \
  }
#define SLUICE_NESTEROV_STEP(T) \
  { \
    T g = grad[i], a = accum[i] * momentum + g; \
    accum[i] = a; \
    var[i] -= g * lr + a * momentum * lr; \
  }
#define SLUICE_KERAS_MOMENTUM_STEP(T) \
  { \
    T step = grad[i] * lr, a = accum[i] * momentum - step; \
    accum[i] = a; \
    var[i] += nesterov ? a * momentum - step : a; \
  }
#define SLUICE_ADAM_STEP(T, root) \
  { \
    T g = grad[i], mi = m[i] + (g - m[i]) * rest1, vi = v[i] + (g * g - v[i]) * rest2; \
    m[i] = mi; \
    v[i] = vi; \
    var[i] -= mi * alpha / (root (vi) + epsilon); \
  }
#define SLUICE_NESTEROV_ADAM_STEP(T, root) \
  { \
    T g = grad[i], mi = m[i] + (g - m[i]) * rest1, vi = v[i] + (g * g - v[i]) * rest2; \
    m[i] = mi; \
    v[i] = vi; \
    var[i] -= (g * rest1 + beta1 * mi) * alpha / (root (vi) + epsilon); \
  }
#define SLUICE_AMSGRAD_STEP(T, root) \
  { \
    T g = grad[i], mi = m[i] + (g - m[i]) * rest1, vi = v[i] + (g * g - v[i]) * rest2; \
    m[i] = mi; \
    v[i] = vi; \
    most[i] = most[i] > vi ? most[i] : vi; \
    var[i] -= mi * alpha / (root (most[i]) + epsilon); \
  }
/* clang-format on */
